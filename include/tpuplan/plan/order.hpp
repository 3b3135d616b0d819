#ifndef TPUPLAN_PLAN_ORDER_HPP
#define TPUPLAN_PLAN_ORDER_HPP

#include <array>
#include <cstddef>
#include <tpuplan/base/error.hpp>
#include <utility>
#include <vector>

/// @file
/// How plans are ranked where some are equally good: figures are sums and quotients, whose last digits depend on the
/// compiler. They are sorted exactly, then those that lie within a relative 1e-9 of the first are a group, in which the
/// next figure decides in the same way, and in the end a canonical order.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The indices 0 to count - 1 sorted by `before(a, b)`, equal ones in their order: a merge sort, without
/// <algorithm>.
template <class Before>
std::vector<std::size_t> order_of(std::size_t count, const Before& before) {
  std::vector<std::size_t> order(count), merged(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  for (std::size_t run = 1; run < count; run *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * run) {
      const std::size_t middle = begin + run < count ? begin + run : count;
      const std::size_t end = middle + run < count ? middle + run : count;
      std::size_t left = begin, right = middle;
      for (std::size_t at = begin; at < end; ++at) {
        const bool take_right = left == middle || (right < end && before(order[right], order[left]));
        merged[at] = order[take_right ? right++ : left++];
      }
    }
    order.swap(merged);
  }
  return order;
}

/// The figures by which plans are ranked, the smallest first: the second decides between those that are equal in the
/// first, and so on.
using rank_figures = std::array<double, 4>;

/// Figures that differ by no more than that, relative to the smaller one, are equal.
inline constexpr double equal_within = 1e-9;

/// Whether a figure is larger than the first of a group, and outside of it.
constexpr bool is_beyond(double value, double first) noexcept {
  return value > first + equal_within * (first < 0 ? -first : first);
}

/// Whether an amount is above a limit, by more than its rounding.
template <class Amount>
constexpr bool is_over(Amount amount, Amount limit) noexcept {
  return is_beyond(amount.value(), limit.value());
}

/// Whether a plan of those figures surely comes before another one: a figure is smaller, and those before it are equal.
constexpr bool surely_before(const rank_figures& a, const rank_figures& b) noexcept {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_beyond(b[i], a[i])) return true;
    if (is_beyond(a[i], b[i])) return false;
  }
  return false;
}

/// Sorts places whose figures before `figure` are equal: by that figure, and each group of equal ones by the next one.
/// `figures(place)` are those of a place, and `before(a, b)` is the canonical order.
template <class Figures, class Before>
void rank_places(std::vector<std::size_t>& places, const Figures& figures, const Before& before,
                 std::size_t figure = 0) {
  const bool is_last = figure == rank_figures{}.size();
  const auto comes_before = [&](std::size_t a, std::size_t b) {
    return is_last ? before(places[a], places[b]) : figures(places[a])[figure] < figures(places[b])[figure];
  };
  std::vector<std::size_t> sorted;
  for (const std::size_t i : order_of(places.size(), comes_before)) sorted.push_back(places[i]);
  places.swap(sorted);
  for (std::size_t begin = 0, end = 0; !is_last && begin < places.size(); begin = end) {
    const double first = figures(places[begin])[figure];
    while (end < places.size() && !is_beyond(figures(places[end])[figure], first)) ++end;
    if (end - begin < 2) continue;
    std::vector<std::size_t> group;
    for (std::size_t i = begin; i < end; ++i) group.push_back(places[i]);
    rank_places(group, figures, before, figure + 1);
    for (std::size_t i = begin; i < end; ++i) places[i] = group[i - begin];
  }
}

/// The places 0 to count - 1, ranked. Worked: costs of 1 + 1e-12 and 1 are equal, so that the second figure decides.
template <class Figures, class Before>
std::vector<std::size_t> ranked_order(std::size_t count, const Figures& figures, const Before& before) {
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = i;
  rank_places(places, figures, before);
  return places;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
