#ifndef TPUPLAN_PLAN_SERVING_REQUEST_HPP
#define TPUPLAN_PLAN_SERVING_REQUEST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <vector>

/// @file
/// What is asked of a plan for serving, and its answer.

namespace tpuplan {
inline namespace abi_0 {

/// What a fleet may lose while its targets hold. Enumerators and their names are stable.
enum class fleet_loss : std::uint8_t {
  slice,  ///< any one slice
  zone,   ///< any one of the zones over which slices are spread
};

/// "slice" or "zone".
[[nodiscard]] constexpr std::string_view name(fleet_loss loss) noexcept {
  constexpr const char* names[] = {"slice", "zone"};
  return detail::name_of(names, static_cast<std::size_t>(loss));
}
/// The loss of that name; nothing for other words. Worked: "zone" is `zone`.
[[nodiscard]] constexpr maybe<fleet_loss> parse_fleet_loss(std::string_view given) noexcept {
  return detail::enumerator_named<fleet_loss>(given);
}

/// What is to be served, and within which limits. The traffic of `job` is that of all slices together.
struct serving_request {
  transformer model{};                                       ///< what is served
  serving_job job{};                                         ///< traffic of all slices, targets and engine
  drawn_lengths drawn{};                                     ///< lengths as simulations draw them
  objective best = objective::cheapest;                      ///< fastest: the shortest time per token
  std::vector<provisioning> kinds{provisioning::on_demand};  ///< ways of paying, see `is_compared`
  std::vector<std::string> regions{"us"};                    ///< regions of the price book that may be chosen
  std::vector<std::string> regions_by_area;                  ///< as in plan_request
  maybe<usd_per_second> budget{};                            ///< most dollars per second, of all slices
  std::vector<std::string> generations;                      ///< names of chips that may be chosen; empty: all
  std::vector<chip_spec> chips;                              ///< of the caller, as well as those of the table
  std::int64_t smallest_chips = 1;                           ///< fewest chips over all slices
  std::int64_t largest_chips = 1024;                         ///< most chips over all slices
  std::int64_t spare = 0;  ///< slices that may be lost, or restart, while the targets hold
  /// Zones over which slices are spread, while the targets hold without any one; 0: any number.
  std::int64_t zones = 0;
  /// Share of the capacity of each slice that is not to be had, as adapters take it: the targets hold with steps that
  /// take as much longer.
  double capacity_taken = 0;
  std::int64_t adapters = 0;        ///< low-rank adapters on the chips at once, which the job has beside its weights
  std::int64_t adapter_rank = 0;    ///< of each
  bool accept_uncertain = false;    ///< accept plans whose memory fit is uncertain
  std::size_t most_plans = 16;      ///< plans returned; 0: all
  price_book prices{};              ///< the built-in ones unless given
  serving_calibration constants{};  ///< of the serving estimates
};

/// A number of equal slices that keeps the targets, with their replicas.
struct serving_plan {
  slice where{};                                ///< each of the slices
  serving_layout mesh{};                        ///< replicas on each of them
  std::int64_t slices = 0;                      ///< how many of them
  serving_job share{};                          ///< the traffic of one slice, without targets by percentile
  serving_estimate estimate{};                  ///< of one slice
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  std::string region;                           ///< the region of the price
  price_row price{};                            ///< the row that holds, with its date
  serving_cost cost{};                          ///< per million tokens; the rate is of one slice
  usd_per_second rate{};                        ///< of all slices
  seconds term{};                               ///< a commitment: for how long the rate is paid, used or not
  simulation_report simulated{};                ///< of one replica, where there are targets by percentile
  std::int64_t spare = 0;                       ///< slices without which the others still keep the targets
  serving_estimate without_spare{};             ///< of one slice, when those are lost; of plans with spare ones
  simulation_report simulated_without_spare{};  ///< of one replica, likewise
};

/// Why a kind of slice is not among the plans. Enumerators are stable; later ones are closer to a plan.
enum class serving_rejection : std::uint8_t {
  no_layout,       ///< in no way can whole chips share the heads
  not_of_engine,   ///< the engine that is asked for does not run it, or none of its layouts
  does_not_fit,    ///< amount: bytes that a device lacks for one of the longest sequences
  fit_uncertain,   ///< it may fit, and `accept_uncertain` is not given; amount: bytes at the far end of the band
  misses_target,   ///< amount: seconds over the target that is missed by most, at the least load tried
  too_many_chips,  ///< amount: the fewest chips that it takes, spare ones included
  not_simulated,   ///< targets by percentile: simulations of the question took `most_planning_steps` before it
  no_price,        ///< no way of paying that is compared has a price in these regions
  over_budget,     ///< amount: dollars an hour over
  too_few_chips,   ///< amount: chips fewer than are asked for
  dominated,       ///< amount: what it is behind the best plan, in the unit of the rejection; at the least, where it
                   ///< was not simulated
};

/// "does_not_fit" and so on.
[[nodiscard]] constexpr std::string_view name(serving_rejection why) noexcept {
  constexpr const char* names[] = {"no_layout",     "not_of_engine",  "does_not_fit",  "fit_uncertain",
                                   "misses_target", "too_many_chips", "not_simulated", "no_price",
                                   "over_budget",   "too_few_chips",  "dominated"};
  return detail::name_of(names, static_cast<std::size_t>(why));
}

/// A kind of slice that is not among the plans, with exactly one reason.
struct rejected_server {
  slice where{};                                         ///< the slice
  serving_rejection why = serving_rejection::no_layout;  ///< the reason
  double amount = 0;                                     ///< in that unit
  text<32> unit{};  ///< "bytes", "s", "chips", "USD/h" …; empty: there is no amount
};

/// Plans from best to worst, and one reason for every other slice.
struct serving_plan_answer {
  std::vector<serving_plan> plans;        ///< best first
  std::vector<rejected_server> rejected;  ///< everything else
  std::int64_t candidates = 0;  ///< slices x replica sizes x shardings of the cache x numbers of slices estimated
};

/// Whether a way of paying is compared with the others of a request, for a service that goes on. An hour of a
/// commitment, which cannot be given back, is not compared with hours that can; nor is one of flex-start or calendar
/// mode, which end after 7 and 90 days, with hours that go on. Worked: of on_demand, flex_start and commitment_1y only
/// on_demand is, of commitments alone each.
[[nodiscard]] inline bool is_compared(const serving_request& request, provisioning kind) {
  const auto ends = [](provisioning one) { return one == provisioning::flex_start || one == provisioning::calendar; };
  bool is_asked = false, any_open = false, any_by_the_hour = false;
  for (const provisioning other : request.kinds) {
    is_asked = is_asked || other == kind;
    any_by_the_hour = any_by_the_hour || !is_commitment(other);
    any_open = any_open || (!is_commitment(other) && !ends(other));
  }
  return is_asked && !(is_commitment(kind) && any_by_the_hour) && !(ends(kind) && any_open);
}

/// Slices so that `serving` of them are left when `spare` are lost, and when any one of the zones is lost over which
/// they are spread evenly: of s slices in z zones, s less s / z, rounded up. Worked: for 4 that serve, 5 with a spare
/// one, and 6 in three zones.
[[nodiscard]] inline std::int64_t slices_with_spare(const serving_request& request, std::int64_t serving) {
  const std::int64_t zones = request.zones;
  const std::int64_t spread = zones > 1 ? ceil_div(checked_multiply(serving, zones), zones - 1) : serving;
  return std::max(serving + request.spare, spread);
}

namespace detail {

/// How many times as long a step takes that leaves what is not taken of the capacity.
inline double slowed(const serving_request& request) { return 1 / (1 - request.capacity_taken); }

/// The most slices that serve within so many in all; at least one is always tried.
inline std::int64_t most_serving(const serving_request& request, std::int64_t slices) {
  const std::int64_t left = request.zones > 1 ? slices - ceil_div(slices, request.zones) : slices;
  return std::max<std::int64_t>(1, std::min(slices - request.spare, left));
}

/// The unit of the amount of a rejection. What is dominated is behind in what plans are ranked by; where the rate of
/// requests is given, the cheapest per token is the cheapest by the hour.
inline std::string_view unit_of(serving_rejection why, const serving_request& request) {
  switch (why) {
    case serving_rejection::does_not_fit:
    case serving_rejection::fit_uncertain: return "bytes";
    case serving_rejection::misses_target: return "s";
    case serving_rejection::too_many_chips:
    case serving_rejection::too_few_chips: return "chips";
    case serving_rejection::over_budget: return "USD/h";
    case serving_rejection::dominated: break;
    default: return "";
  }
  if (request.best == objective::fastest) return "s";
  if (request.best == objective::fewest_chips) return "chips";
  if (request.job.request_rate.value() > 0) return "USD/h";
  return writes_tokens(request.model) ? "USD/million output tokens" : "USD/million input tokens";
}

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif
