#ifndef TPUPLAN_SHOW_TEXT_LOST_HPP
#define TPUPLAN_SHOW_TEXT_LOST_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/hardware/slice_shape.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/serving_request.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <vector>

/// @file
/// Why slices are not among the plans of training or of serving, in words.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// How far a limit is missed, in whole bytes where it is one of memory: what is below a byte is rounding of both sides.
/// Worked: 798055.56 bytes are 798056.
[[nodiscard]] inline double whole_bytes(double amount, bool of_memory) {
  return of_memory ? std::round(amount) : amount;
}

/// A reason in words. Worked: reason(rejection::fit_uncertain) is "may not fit".
[[nodiscard]] inline std::string reason(rejection why) {
  switch (why) {
    case rejection::does_not_fit: return "does not fit";
    case rejection::fit_uncertain: return "may not fit";
    case rejection::misses_deadline: return "misses the deadline";
    case rejection::over_budget: return "over the budget";
    case rejection::too_unlikely: return "the chance to keep the limits is too small";
    case rejection::over_quota: return "over the quota";
    case rejection::dominated: return "another is no slower and cheaper";
    case rejection::no_layout: return "heads, experts or layers do not divide";
    case rejection::batch_does_not_divide: return "the batch does not divide";
    case rejection::no_price: return "no price, or none for a run this long";
    case rejection::no_such_rate: return "a rate that it needs is not known";
  }
  return "?";
}

/// A whole number of things. Worked: "1 chip", "2 chips".
[[nodiscard]] inline std::string several(double amount, const std::string& noun) {
  return fixed(amount, 0) + " " + noun + (amount == 1 ? "" : "s");
}

/// By how much a slice misses being a plan, and which slice. Worked: "7.73 GiB short on v2-8".
[[nodiscard]] inline std::string amount(const rejected_slice& lost) {
  const std::string where(name(lost.where, lost.slices).view());
  switch (lost.why) {
    case rejection::does_not_fit: return binary_bytes(bytes{lost.amount}) + " short on " + where;
    case rejection::fit_uncertain: return binary_bytes(bytes{lost.amount}) + " over on " + where;
    case rejection::misses_deadline: return duration(seconds{lost.amount}) + " too long on " + where;
    case rejection::over_budget: return money(usd{lost.amount}) + " over on " + where;
    case rejection::too_unlikely: return percent(lost.amount) + " lacking on " + where;
    case rejection::over_quota: return several(lost.amount, "chip") + " over on " + where;
    case rejection::dominated:
      return where + " costs " + money(usd{lost.amount}) + " more than " + std::string(lost.by.view());
    case rejection::no_layout:
    case rejection::batch_does_not_divide: return several(lost.amount, "device") + " in " + where;
    case rejection::no_price:
      if (!lost.by.empty()) return "none on " + std::string(lost.by.view()) + " for " + where;
      break;
    case rejection::no_such_rate: break;
  }
  return where;
}

/// A reason in words; `best` is what plans are ranked by. Worked: reason(serving_rejection::over_budget) is "over the
/// budget".
[[nodiscard]] inline std::string reason(serving_rejection why, objective best = objective::cheapest) {
  switch (why) {
    case serving_rejection::no_layout: return "heads do not divide over whole chips of it";
    case serving_rejection::not_of_engine: return "not a slice or a layout that the engine runs";
    case serving_rejection::does_not_fit: return "does not fit";
    case serving_rejection::fit_uncertain: return "may not fit";
    case serving_rejection::misses_target: return "misses a target, however many there are";
    case serving_rejection::too_many_chips: return "takes more chips than are allowed";
    case serving_rejection::not_simulated: return "not simulated: those before it took too many steps";
    case serving_rejection::no_price: return "no price in these regions and kinds";
    case serving_rejection::over_budget: return "over the budget";
    case serving_rejection::too_few_chips: return "takes fewer chips than are asked for";
    case serving_rejection::dominated: break;
  }
  return best == objective::fastest        ? "no faster than those above"
         : best == objective::fewest_chips ? "takes no fewer chips than those above"
                                           : "no cheaper than those above";
}

/// By how much a slice misses being a plan, with the unit, and which slice. Worked: "v6e-8: $3.20 an hour more than the
/// best".
[[nodiscard]] inline std::string amount(const rejected_server& lost) {
  const std::string where(name(lost.where).view());
  const std::string chip_count = several(lost.amount, "chip");
  switch (lost.why) {
    case serving_rejection::does_not_fit:
      return lost.amount > 0 ? where + ": " + binary_bytes(bytes{lost.amount}) + " short" : where;
    case serving_rejection::fit_uncertain:
      return lost.amount > 0 ? where + ": " + binary_bytes(bytes{lost.amount}) + " over" : where;
    case serving_rejection::misses_target:
      return lost.amount > 0 ? where + ": by " + duration(seconds{lost.amount}) : where;
    case serving_rejection::too_many_chips:
      return where + ": " + chip_count + " at least";
    case serving_rejection::over_budget: return where + ": " + money(usd{lost.amount}) + " an hour over";
    case serving_rejection::too_few_chips: return where + ": " + chip_count + " fewer";
    case serving_rejection::dominated: break;
    default: return where;
  }
  if (lost.amount == 0) return where + ": as much as the best";
  const std::string_view unit = lost.unit.view();
  const std::string behind =
      unit == "s"              ? duration(seconds{lost.amount}) + " a token"
      : unit == "s of latency" ? duration(seconds{lost.amount}) + " of latency"
      : unit == "chips"        ? chip_count
      : unit == "USD/h"        ? money(usd{lost.amount}) + " an hour"
                               : money(usd{lost.amount}) + " a million " + std::string(unit.substr(unit.find(' ') + 1));
  return where + ": " + behind + " more than the best";
}

/// The slices that lost for one reason.
template <class Rejected>
struct lost_group {
  /// @{
  /// Why, and how many.
  decltype(Rejected::why) why{};
  std::size_t count = 0;
  Rejected closest{};  ///< the one with the least amount, the first of those that differ by rounding
  /// @}
};

/// The rejected slices grouped by reason, in the order of the enumerators. Worked: two slices that miss the deadline by
/// 5 and 3 hours are one group of 2, whose `closest` is the second.
template <class Rejected>
[[nodiscard]] std::vector<lost_group<Rejected>> by_reason(const std::vector<Rejected>& rejected) {
  std::vector<lost_group<Rejected>> groups;
  for (const Rejected& one : rejected) {
    const auto at = std::lower_bound(groups.begin(), groups.end(), one.why,
                                     [](const auto& group, auto why) { return group.why < why; });
    const auto group = at != groups.end() && at->why == one.why ? at : groups.insert(at, {one.why, 0, one});
    if (one.amount < group->closest.amount - 1e-9 * std::abs(group->closest.amount)) group->closest = one;
    ++group->count;
  }
  return groups;
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif
