#ifndef TPUPLAN_PLAN_SORTING_HPP
#define TPUPLAN_PLAN_SORTING_HPP

#include <cstddef>
#include <tpuplan/plan/order.hpp>
#include <utility>
#include <vector>

/// @file
/// Values in the order of plan/order.hpp, and the best of those that are offered one after the other.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Sorts by `before(a, b)`, equal values as they stood: std::stable_sort costs a compiler more, type by type.
template <class T, class Before>
void sort_in_order(std::vector<T>& values, const Before& before) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::size_t place :
       order_of(values.size(), [&](std::size_t a, std::size_t b) { return before(values[a], values[b]); }))
    sorted.push_back(std::move(values[place]));
  values.swap(sorted);
}

/// Ranks by `figures(value)`, equal values as they stood.
template <class T, class Figures>
void rank_in_order(std::vector<T>& values, const Figures& figures) {
  std::vector<rank_figures> of;
  of.reserve(values.size());
  for (const T& value : values) of.push_back(figures(value));
  std::vector<T> ranked;
  ranked.reserve(values.size());
  for (const std::size_t place : ranked_order(
           values.size(), [&](std::size_t i) -> const rank_figures& { return of[i]; },
           [](std::size_t a, std::size_t b) { return a < b; }))
    ranked.push_back(std::move(values[place]));
  values.swap(ranked);
}

/// The best of values that are offered one after the other, in any order: of those whose first figure is equal to the
/// smallest one, the first by `ranked_order`. Others are forgotten at once.
template <class T>
class best_of_equals {
 public:
  bool empty() const noexcept { return equals_.empty(); }
  /// The smallest first figure; precondition: not empty.
  double least() const noexcept { return least_; }
  /// Whether a value of that first figure could still be the best.
  bool may_take(double first) const noexcept { return equals_.empty() || !is_beyond(first, least_); }
  /// Keeps a value that may be the best.
  void offer(const rank_figures& figures, T value) {
    if (!may_take(figures[0])) return;
    if (equals_.empty() || figures[0] < least_) {
      least_ = figures[0];
      std::size_t kept = 0;
      for (std::size_t i = 0; i < equals_.size(); ++i) {
        if (is_beyond(equals_[i].first[0], least_)) continue;
        if (kept != i) equals_[kept] = std::move(equals_[i]);
        ++kept;
      }
      equals_.erase(equals_.begin() + static_cast<std::ptrdiff_t>(kept), equals_.end());
    }
    equals_.emplace_back(figures, std::move(value));
  }
  /// The figures and the value of the best one; precondition: not empty. `before(a, b)` is the canonical order of
  /// values.
  template <class Before>
  const std::pair<rank_figures, T>& best(const Before& before) const {
    const auto figures = [&](std::size_t i) -> const rank_figures& { return equals_[i].first; };
    return equals_[ranked_order(equals_.size(), figures, [&](std::size_t a, std::size_t b) {
      return before(equals_[a].second, equals_[b].second);
    })[0]];
  }

 private:
  double least_ = 0;
  std::vector<std::pair<rank_figures, T>> equals_{};
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
