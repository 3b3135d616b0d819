#ifndef TPUPLAN_PLAN_PLAN_HPP
#define TPUPLAN_PLAN_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/estimate/memory.hpp>
#include <tpuplan/estimate/training.hpp>
#include <tpuplan/text.hpp>
#include <vector>

/// @file
/// The question that the planner answers, and its answer: plans, and why every other slice lost.

namespace tpuplan {
inline namespace abi_0 {

/// What is best.
enum class objective : std::uint8_t { cheapest, fastest, fewest_chips };

/// "cheapest" and so on.
[[nodiscard]] constexpr std::string_view name(objective what) noexcept {
  constexpr std::string_view names[] = {"cheapest", "fastest", "fewest_chips"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// The objective of that name; nothing if there is none.
[[nodiscard]] constexpr maybe<objective> parse_objective(std::string_view given) noexcept {
  for (const objective what : {objective::cheapest, objective::fastest, objective::fewest_chips}) {
    if (detail::same_name(given, name(what))) return what;
  }
  return nothing;
}

/// What is expected of spot capacity. The defaults are cautious figures for a small slice, not measurements of yours.
/// Source: 7 managed jobs of 2022 had 16 h between preemptions and 10 min to recover (SkyPilot pull request 1500).
struct spot_assumptions {
  seconds mean_time_between_preemptions{4 * 3600.0};
  seconds restart_time{600};
  seconds checkpoint_time{15};  ///< for which an asynchronous checkpoint stops the step
  seconds queue_time{};         ///< unbilled wait after each preemption; unbounded in practice
};

/// What is to be trained, and within which limits.
struct plan_request {
  transformer model{};
  training job{};     ///< batch, sequence, precision, optimizer; its remat policy only with `fixed_remat`
  double tokens = 0;  ///< to train on
  objective best = objective::cheapest;
  provisioning ranked_by = provisioning::on_demand;  ///< whose price and wall time count for objective and limits
  std::string region = "us";
  std::optional<seconds> deadline;
  std::optional<usd> budget;
  std::vector<std::string> generations;  ///< empty: all
  std::int64_t smallest_chips = 1;
  std::int64_t largest_chips = 1 << 20;
  bool fixed_remat = false;
  bool accept_uncertain = false;  ///< take plans whose fit the compiler decides
  spot_assumptions spot{};
  price_book prices{};
  calibration constants{};
};

/// What one way of paying for a plan comes to.
struct plan_cost {
  provisioning kind = provisioning::on_demand;
  price_row price{};
  seconds billed{};
  seconds wall{};
  usd total{};
  usd low{};  ///< with the step time at the low end of its band
  usd high{};
  seconds checkpoint_interval{};  ///< spot only
  double preemptions = 0;         ///< spot only
};

/// One slice with the best layout, microbatch and rematerialisation found for it.
struct plan {
  slice where{};
  layout mesh{};
  training job{};
  memory_breakdown memory{};
  verdict fit = verdict::no;
  step_breakdown step{};
  double steps = 0;
  seconds run{};  ///< uninterrupted
  std::vector<plan_cost> costs;
  bool on_front = false;  ///< no other plan is both faster and cheaper
};

/// The cost of a plan under one kind; nothing where that kind has no price.
[[nodiscard]] inline const plan_cost* find_cost(const plan& p, provisioning kind) noexcept {
  for (const plan_cost& cost : p.costs) {
    if (cost.kind == kind) return &cost;
  }
  return nullptr;
}

/// Why a slice is not among the plans. Enumerators are stable.
enum class rejection : std::uint8_t {
  no_such_rate,           ///< a rate that the job needs, of its precision or of PCIe, is absent or not documented
  batch_does_not_divide,  ///< amount: shards of the smallest mesh tried
  does_not_fit,           ///< amount: bytes missing per device in the best layout
  fit_uncertain,          ///< amount: bytes by which the high estimate passes what is usable
  no_price,
  misses_deadline,  ///< amount: seconds over
  over_budget,      ///< amount: dollars over
};

/// "does_not_fit" and so on.
[[nodiscard]] constexpr std::string_view name(rejection why) noexcept {
  constexpr std::string_view names[] = {"no_such_rate", "batch_does_not_divide", "does_not_fit", "fit_uncertain",
                                        "no_price",     "misses_deadline",       "over_budget"};
  return detail::name_of(names, static_cast<std::size_t>(why));
}

/// A slice that lost, with exactly one reason and its amount in the base unit of that reason.
struct rejected_slice {
  slice where{};
  rejection why = rejection::does_not_fit;
  double amount = 0;
};

/// Plans from best to worst, and one reason for every other slice.
struct plan_answer {
  std::vector<plan> plans;
  std::vector<rejected_slice> rejected;
  std::int64_t candidates = 0;  ///< layouts x microbatches x policies whose memory was estimated
};

}  // namespace abi_0
}  // namespace tpuplan

#endif
