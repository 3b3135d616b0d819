#ifndef TPUPLAN_SHOW_TEXT_LOST_SERVERS_HPP
#define TPUPLAN_SHOW_TEXT_LOST_SERVERS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/hardware/slice_shape.hpp>
#include <tpuplan/plan/serving_request.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <vector>

/// @file
/// Why slices are not among the plans for serving, in words.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// A reason in words; `best` is what plans are ranked by. Worked: reason(serving_rejection::over_budget) is "over the
/// budget".
[[nodiscard]] inline std::string reason(serving_rejection why, objective best = objective::cheapest) {
  switch (why) {
    case serving_rejection::no_layout: return "heads do not divide over whole chips of it";
    case serving_rejection::not_of_engine: return "not a slice or a layout that the engine runs";
    case serving_rejection::does_not_fit: return "does not fit";
    case serving_rejection::misses_target: return "misses a target, however little it has to do";
    case serving_rejection::too_many_chips: return "takes more chips than are allowed";
    case serving_rejection::not_simulated: return "not simulated: those before it took too many steps";
    case serving_rejection::no_price: return "no price in these regions and kinds";
    case serving_rejection::over_budget: return "over the budget";
    case serving_rejection::too_few_chips: return "takes fewer chips than are asked for";
    case serving_rejection::dominated: break;
  }
  return best == objective::fastest        ? "slower than those above"
         : best == objective::fewest_chips ? "takes more chips than those above"
                                           : "more expensive than those above";
}

/// By how much a slice misses being a plan, with the unit, and which slice. Worked: "v6e-8: $3.20 an hour more than the
/// best".
[[nodiscard]] inline std::string amount(const rejected_server& lost) {
  const std::string where(name(lost.where).view());
  const std::string chip_count = fixed(lost.amount, 0) + (lost.amount == 1 ? " chip" : " chips");
  switch (lost.why) {
    case serving_rejection::does_not_fit:
      return lost.amount > 0 ? where + ": " + binary_bytes(bytes{lost.amount}) + " short" : where;
    case serving_rejection::misses_target: return where + ": by " + duration(seconds{lost.amount});
    case serving_rejection::too_many_chips: return where + ": " + chip_count + " are too few";
    case serving_rejection::over_budget: return where + ": " + money(usd{lost.amount}) + " an hour over";
    case serving_rejection::too_few_chips: return where + ": " + chip_count + " fewer";
    case serving_rejection::dominated: break;
    default: return where;
  }
  const std::string_view unit = lost.unit.view();
  const std::string behind = unit == "s"       ? duration(seconds{lost.amount}) + " a token"
                             : unit == "chips" ? chip_count
                             : unit == "USD/h" ? money(usd{lost.amount}) + " an hour"
                                               : money(usd{lost.amount}) + " a million output tokens";
  return where + ": " + behind + " more than the best";
}

/// The slices that lost for one reason.
struct lost_servers {
  /// @{
  /// Why, and how many.
  serving_rejection why{};
  std::size_t count = 0;
  rejected_server closest{};  ///< the one with the least amount
  /// @}
};

/// The rejected slices grouped by reason, in the order of the enumerators. Worked: two slices that are over the budget
/// by 5 and 3 dollars an hour are one group of 2, whose `closest` is the second.
[[nodiscard]] inline std::vector<lost_servers> by_reason(const std::vector<rejected_server>& rejected) {
  std::vector<lost_servers> groups;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(serving_rejection::dominated); ++i) {
    lost_servers group;
    group.why = static_cast<serving_rejection>(i);
    for (const rejected_server& one : rejected) {
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
