#ifndef TPUPLAN_PLAN_PLAN_HPP
#define TPUPLAN_PLAN_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/cost/timeline.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/risk/lifetimes.hpp>
#include <vector>

/// @file
/// The question that the planner answers, and its answer: plans, and one reason for every slice that is not among them.

namespace tpuplan {
inline namespace abi_0 {

/// What plans are ranked by.
enum class objective : std::uint8_t { cheapest, fastest, fewest_chips };

/// "cheapest" and so on.
[[nodiscard]] constexpr std::string_view name(objective what) noexcept {
  constexpr const char* names[] = {"cheapest", "fastest", "fewest_chips"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// The objective of that name; nothing if there is none. Worked: "fewest_chips" is `fewest_chips`.
[[nodiscard]] constexpr maybe<objective> parse_objective(std::string_view given) noexcept {
  return detail::enumerator_named<objective>(given);
}

/// How many chips of a generation may be had in a region under one way of paying.
struct quota_row {
  std::string generation;                       ///< a chip of the table, or one of `plan_request::chips`
  std::string region;                           ///< as the price book names it
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  std::int64_t chips = 0;                       ///< the most chips that may be had
};

/// Degrees that every layout of the search has; 0 where the search chooses. They are those of `layout`.
struct fixed_degrees {
  std::int64_t data = 0;          ///< replicas in a slice
  std::int64_t fsdp = 0;          ///< shards of the weights, which are gathered when they are used
  std::int64_t tensor = 0;        ///< shards of each matrix product
  std::int64_t expert = 0;        ///< shards of the experts
  std::int64_t context = 1;       ///< shards of each sequence
  std::int64_t pipeline = 1;      ///< stages in a slice
  std::int64_t dcn_data = 0;      ///< replicas over slices
  std::int64_t dcn_fsdp = 1;      ///< shards of the weights over slices
  std::int64_t dcn_pipeline = 1;  ///< stages over slices
};

namespace detail {

/// The default payment terms, with the usual wait for spot. Times of 0 are those of the plan: of a checkpoint, and
/// between preemptions, as published for its generation and place.
constexpr payment_terms planned_terms() {
  payment_terms terms;
  terms.spot.checkpoint_time = terms.flex_start.checkpoint_time = seconds{};
  terms.spot.mean_time_between_preemptions = seconds{};
  terms.spot.queue_time = usual_spot_wait;
  return terms;
}
/// The phases of a run where nothing is said of them.
constexpr run_phases planned_phases() {
  run_phases phases;
  phases.start = usual_start();
  phases.compilation = usual_first_compilation();
  phases.start_by_size = phases.restart_by_size = true;
  return phases;
}

}  // namespace detail

/// What is to be trained, and within which limits.
struct plan_request {
  transformer model{};  ///< what is trained
  training_job job{};   ///< batch, sequence, precision, optimizer; microbatches and remat policy are chosen
  double tokens = 0;    ///< tokens to train on; 1 to 1e18
  double smallest_batch_tokens = 0;      ///< with `largest_batch_tokens`: the range in which the batch is chosen
  double largest_batch_tokens = 0;       ///< 0: the job's batch; else at most 1048576 sequences
  objective best = objective::cheapest;  ///< what plans are ranked by
  std::vector<provisioning> kinds{provisioning::on_demand};  ///< ways of paying that may be chosen
  std::vector<std::string> regions{"us"};                    ///< regions of the price book that may be chosen
  /// Those of `regions` that an area or "all" named, and nobody by itself: a price there that is far below those of
  /// other regions counts only where no other region asked for has one (`is_left_out`).
  std::vector<std::string> regions_by_area;
  maybe<seconds> deadline{};  ///< the longest wall time
  maybe<usd> budget{};        ///< the most dollars for the run
  /// The least chance to keep deadline and budget, 0.01 to 0.999; nothing: plans keep them as expected. Of
  /// `plan_or_relax`, which plays the runs.
  maybe<double> chance{};
  std::string zone{};                    ///< where spot lasts as long as is published of it; empty: of the region
  std::vector<std::string> generations;  ///< names of chips that may be chosen; empty: all
  std::vector<chip_spec> chips;          ///< the caller's, as well as those of the table; priced by rows of `prices`
  std::int64_t smallest_chips = 1;       ///< fewest chips over all slices
  std::int64_t largest_chips = 1 << 20;  ///< most chips over all slices
  std::int64_t largest_slices = 1;       ///< most slices over DCN, at most `most_slices`; all smaller numbers are tried
  fixed_degrees degrees{};               ///< context and pipelines, which no published run covers, are 1 unless given
  /// Remat policies that may be chosen. Empty: all named ones, on chips whose rate to the host is not known (see
  /// host_rate) those that keep all tensors in HBM.
  std::vector<remat_policy> policies;
  std::vector<quota_row> quotas;                  ///< empty: no quotas; otherwise only chips that a row allows
  bool accept_uncertain = false;                  ///< accept plans whose memory fit is uncertain
  std::size_t most_plans = 16;                    ///< plans returned, and all others on the front; 0: all
  payment_terms terms = detail::planned_terms();  ///< of spot, flex-start and commitments; see payment_terms_of
  /// Around the steps of a plan, whose number and time are the plan's: start, compilation, evaluations, export. The
  /// wait is of `terms`.
  run_phases around = detail::planned_phases();
  /// Time of one chip between failures that stop the run, under every way of paying; 0: none are expected.
  seconds chip_time_between_failures = published_chip_time_between_failures;
  double noise_scale = 0;   ///< tokens, of the gradient, near the end of such a run; 0: see critical_batch_of
  price_book prices{};      ///< the built-in ones unless given
  calibration constants{};  ///< of the step time
};

/// What a plan costs under one way of paying.
struct plan_cost {
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  price_row price{};                            ///< the row, with region and date
  bool superseded = false;                      ///< which is older than an announced change
  seconds billed{};                             ///< time that is paid for
  seconds wall{};                               ///< from start to end, interruptions included
  seconds wall_low{};                           ///< with the step time at the low end of its band
  seconds wall_high{};  ///< with the step time at the high end of its band; infinite where so long a run cannot be had
  seconds unused{};     ///< billed and idle: the rest of a commitment or of a calendar day
  usd unused_cost{};    ///< the part of the total for unused time
  usd total{};          ///< dollars for the whole run
  usd low{};            ///< total with the step time at the low end of its band
  usd high{};           ///< total with the step time at the high end of its band; infinite likewise
  seconds checkpoint_interval{};  ///< useful time between checkpoints
  double preemptions = 0;         ///< expected number; spot only
  double goodput = 1;             ///< time of the uninterrupted run over wall time
  bool on_front = false;          ///< no plan in an allowed way of paying is both faster and cheaper
  maybe<double> chance{};         ///< to keep deadline and budget, where the request asks for one
};

/// The least chance that a request may ask for.
inline constexpr double least_asked_chance = 0.01;

/// One slice or several equal ones, with the fastest layout, batch, number of microbatches and remat policy for them.
struct plan {
  slice where{};                  ///< one of the equal slices
  layout mesh{};                  ///< over all slices
  training_job job{};             ///< with batch, microbatches and policy chosen
  memory_breakdown memory{};      ///< the answer of `memory_use`
  verdict fit = verdict::no;      ///< whether that memory fits
  step_breakdown step{};          ///< the answer of `step_time`
  double steps = 0;               ///< steps of the whole run
  seconds run{};                  ///< time of the whole run, uninterrupted
  std::vector<plan_cost> costs;   ///< in every region and under every way of paying
  std::size_t chosen = 0;         ///< index in `costs` of the best that is allowed
  bool on_front = false;          ///< nothing that the request allows is both faster and cheaper: see front_plans
  bool deadline_at_risk = false;  ///< the chosen cost is within the deadline, the high end of its time is not
  bool budget_at_risk = false;    ///< the chosen cost is within the budget, the high end of its dollars is not
};

namespace detail {
/// What a start or a restart takes more on the VMs of a slice than on few.
constexpr seconds more_of_size(bool by_size, const slice& where) {
  return by_size ? usual_start(vms(where)) - usual_start() : seconds{};
}
/// The phases on a slice: its start is that of its VMs where it is by size.
constexpr run_phases phases_on(run_phases run, const slice& where) {
  run.start += more_of_size(run.start_by_size, where);
  return run;
}
/// The terms of a run of these phases on so many slices, whose chips fail after a mean time of `chip`: a checkpoint
/// that takes no time (0) has that of the state, and spot that lasts none what is published for the chip and place.
constexpr payment_terms terms_of_run(payment_terms terms, bytes state, seconds chip, const run_phases& run,
                                     const slice& where, std::int64_t slice_total, std::string_view place) {
  terms.spot.mean_time_between_preemptions = median_spot_lifetime_under(terms, where.chip.name.view(), place);
  const seconds usual = checkpoint_time(state, checkpoint_rate(where, slice_total));
  if (terms.spot.checkpoint_time.value() == 0) terms.spot.checkpoint_time = usual;
  if (terms.flex_start.checkpoint_time.value() == 0) terms.flex_start.checkpoint_time = usual;
  terms.mean_time_between_failures = chip / static_cast<double>(checked_multiply(chips(where), slice_total));
  const seconds more = more_of_size(run.restart_by_size, where);
  terms.spot.restart_time += more;
  terms.flex_start.restart_time += more;
  return with_phases(terms, phases_on(run, where));
}
/// The zone of a request, else the region of a price: where spot lasts as long as is published of that place.
template <class Request>
constexpr std::string_view place_of(const Request& request, std::string_view region) {
  return request.zone.empty() ? region : std::string_view(request.zone);
}
}  // namespace detail

/// The terms under which a plan of so many steps is paid for in a region: those of the request, with the phases around
/// the steps, the failures of its chips, `checkpoint_time` of its training state where a checkpoint takes no time (0),
/// and the median of `spot_lifetime_under` in the zone of the request or the region where they leave open how long spot
/// lasts (0). A request that names no model, as in a file that holds plans alone, has checkpoints of no bytes. Worked:
/// a checkpoint of 18.85 s for llama-3-8b with AdamW in fp32 on v6e-8; v5p in us-east5 is preempted every 1.47 h.
[[nodiscard]] inline payment_terms payment_terms_of(const plan_request& request, const slice& where,
                                                    std::int64_t slice_total, double steps = 0, seconds step = {},
                                                    std::string_view region = {}) {
  const bytes state = request.model.layers > 0 ? training_state_of(request.model, request.job).total : bytes{0};
  run_phases run = request.around;
  run.steps = static_cast<std::int64_t>(steps < 9e18 ? steps : 9e18);
  run.step = step;
  return detail::terms_of_run(request.terms, state, request.chip_time_between_failures, run, where, slice_total,
                              detail::place_of(request, region));
}

/// The cost of a plan under one way of paying, in the region where that is cheapest; null where it has no price.
/// Worked: of spot at 120 USD in one region and 100 USD in another it is the second.
[[nodiscard]] inline const plan_cost* find_cost(const plan& planned, provisioning kind) noexcept {
  const plan_cost* found = nullptr;
  for (const plan_cost& cost : planned.costs) {
    if (cost.kind == kind && (found == nullptr || cost.total < found->total)) found = &cost;
  }
  return found;
}

/// The cost of a plan under the way of paying that was chosen. Refuses a plan whose `chosen` is none of its costs.
/// Worked: where `chosen` is 1, the second of its costs.
[[nodiscard]] inline const plan_cost& chosen_cost(const plan& planned) {
  if (planned.chosen >= planned.costs.size())
    detail::fail(errc::out_of_range, "plan.chosen", static_cast<std::int64_t>(planned.chosen),
                 "the place of one of its costs");
  return planned.costs[planned.chosen];
}

/// Why a slice is not among the plans. Enumerators are stable; later ones are closer to a plan.
enum class rejection : std::uint8_t {
  no_such_rate,  ///< the chip has no unit of that precision, or a rate that is needed is not documented
  no_layout,     ///< amount: devices of one slice, over which heads, experts, layers or fixed degrees do not divide
  batch_does_not_divide,  ///< amount: devices of one slice
  does_not_fit,           ///< amount: bytes missing per device in the layout that needs least
  fit_uncertain,          ///< amount: bytes by which the high memory estimate exceeds what is safe
  no_price,               ///< no allowed way of paying has a price in these regions, or lasts as long as the run
  over_quota,             ///< amount: chips above the quota
  misses_deadline,        ///< amount: seconds after the deadline
  over_budget,            ///< amount: dollars above the budget
  too_unlikely,           ///< amount: what the chance to keep deadline and budget lacks
  dominated,              ///< amount: dollars more than a plan that is no slower
};

/// "does_not_fit" and so on.
[[nodiscard]] constexpr std::string_view name(rejection why) noexcept {
  constexpr const char* names[] = {
      "no_such_rate", "no_layout",       "batch_does_not_divide", "does_not_fit", "fit_uncertain", "no_price",
      "over_quota",   "misses_deadline", "over_budget",           "too_unlikely", "dominated"};
  return detail::name_of(names, static_cast<std::size_t>(why));
}

/// One slice or several equal ones that are not among the plans, with exactly one reason.
struct rejected_slice {
  slice where{};                            ///< each of the slices
  std::int64_t slices = 1;                  ///< how many of them
  rejection why = rejection::does_not_fit;  ///< the reason
  double amount = 0;                        ///< in the base unit of the reason
  text<48> by{};  ///< dominated: the plan that is no slower and costs no more; no_price: the way that the quota allows
};

/// What the search did.
struct search_counts {
  std::int64_t slices = 0;      ///< slice shapes times numbers of slices
  std::int64_t layouts = 0;     ///< layouts that heads, experts, layers and batch allow, or groups under one bound
  std::int64_t pruned = 0;      ///< of them, those that a bound showed to be no faster than a layout already found
  std::int64_t batches = 0;     ///< layouts x batches whose collectives and fixed memory were computed
  std::int64_t candidates = 0;  ///< layouts x batches x microbatches x policies whose memory and time were computed
  std::int64_t priced = 0;      ///< plans x regions x ways of paying that have a price
};

/// Plans from best to worst, and one reason for everything else.
struct plan_answer {
  std::vector<plan> plans;               ///< best first
  std::vector<rejected_slice> rejected;  ///< everything else
  search_counts counts{};                ///< of the search
};

}  // namespace abi_0
}  // namespace tpuplan

#endif
