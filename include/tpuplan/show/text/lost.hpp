#ifndef TPUPLAN_SHOW_TEXT_LOST_HPP
#define TPUPLAN_SHOW_TEXT_LOST_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/hardware/slice_shape.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <vector>

/// @file
/// Why slices are not among the plans, in words.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// A reason in words. Worked: reason(rejection::fit_uncertain) is "may not fit".
[[nodiscard]] inline std::string reason(rejection why) {
  switch (why) {
    case rejection::does_not_fit: return "does not fit";
    case rejection::fit_uncertain: return "may not fit";
    case rejection::misses_deadline: return "misses the deadline";
    case rejection::over_budget: return "over the budget";
    case rejection::over_quota: return "over the quota";
    case rejection::dominated: return "another is no slower and cheaper";
    case rejection::no_layout: return "heads, experts or layers do not divide";
    case rejection::batch_does_not_divide: return "the batch does not divide";
    case rejection::no_price: return "no price, or none for a run this long";
    case rejection::no_such_rate: return "a rate that it needs is not known";
  }
  return "?";
}

/// By how much a slice misses being a plan, and which slice. Worked: "7.73 GiB short on v2-8".
[[nodiscard]] inline std::string amount(const rejected_slice& lost) {
  const std::string where(name(lost.where, lost.slices).view());
  switch (lost.why) {
    case rejection::does_not_fit: return binary_bytes(bytes{lost.amount}) + " short on " + where;
    case rejection::fit_uncertain: return binary_bytes(bytes{lost.amount}) + " over on " + where;
    case rejection::misses_deadline: return duration(seconds{lost.amount}) + " too long on " + where;
    case rejection::over_budget: return money(usd{lost.amount}) + " over on " + where;
    case rejection::over_quota: return fixed(lost.amount, 0) + " chips over on " + where;
    case rejection::dominated:
      return where + " costs " + money(usd{lost.amount}) + " more than " + std::string(lost.by.view());
    case rejection::no_layout:
    case rejection::batch_does_not_divide: return fixed(lost.amount, 0) + " devices in " + where;
    case rejection::no_price:
      if (!lost.by.empty()) return "none on " + std::string(lost.by.view()) + " for " + where;
      break;
    case rejection::no_such_rate: break;
  }
  return where;
}

/// The slices that lost for one reason.
struct lost_slices {
  /// @{
  /// Why, and how many.
  rejection why{};
  std::size_t count = 0;
  rejected_slice closest{};  ///< the one with the least amount
  /// @}
};

/// The rejected slices grouped by reason, in the order of the enumerators. Worked: two slices that miss the deadline by
/// 5 and 3 hours are one group of 2, whose `closest` is the second.
[[nodiscard]] inline std::vector<lost_slices> by_reason(const std::vector<rejected_slice>& rejected) {
  std::vector<lost_slices> groups;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(rejection::dominated); ++i) {
    lost_slices group;
    group.why = static_cast<rejection>(i);
    for (const rejected_slice& one : rejected) {
      if (one.why != group.why) continue;
      if (group.count == 0 || one.amount < group.closest.amount) group.closest = one;
      ++group.count;
    }
    if (group.count > 0) groups.push_back(group);
  }
  return groups;
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif
