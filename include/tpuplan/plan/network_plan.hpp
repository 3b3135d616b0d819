#ifndef TPUPLAN_PLAN_NETWORK_PLAN_HPP
#define TPUPLAN_PLAN_NETWORK_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/handbook/epochs.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <vector>

/// @file
/// Which slice trains a network of layers, in which layout of replicas and shards, and how it is paid for.

namespace tpuplan {
inline namespace abi_0 {

/// A run of a network, and its limits.
struct network_request {
  network net{};                                             ///< what is trained
  network_job job{};                                         ///< its step, with the batch that all slices take
  example_cost input{};                                      ///< of an example to a host; nothing: not counted
  data_set data{};                                           ///< trained on: examples, epochs, the last batch
  std::optional<seconds> deadline{};                         ///< wall time
  std::optional<usd> budget{};                               ///< of the run
  objective best = objective::cheapest;                      ///< what comes first
  std::vector<std::string> generations{};                    ///< empty: all
  std::vector<std::string> regions{"us"};                    ///< whose prices count
  std::vector<std::string> regions_by_area{};                ///< of them those that an area named, as in plan_request
  std::string zone{};                                        ///< whose spot lasts as published, as in plan_request
  std::vector<provisioning> kinds{provisioning::on_demand};  ///< ways of paying that count
  std::int64_t smallest_chips = 1;                           ///< of a slice
  std::int64_t largest_chips = 1 << 20;                      ///< of a slice
  bool accept_uncertain = false;                             ///< accept slices on which the memory fit is uncertain
  price_book prices{};                                       ///< whose owner must outlive the request
  payment_terms terms = detail::planned_terms();             ///< of spot, flex-start and commitments
  run_phases around = detail::planned_phases();              ///< around the steps, as in plan_request
  /// Of one chip, between failures that stop the run; 0: none are expected.
  seconds chip_time_between_failures = published_chip_time_between_failures;
};

/// A slice that trains the network within the limits.
struct network_plan {
  slice where{};                ///< one slice
  layout mesh{};                ///< replicas, or shards of the weights
  network_job job{};            ///< with its batch
  network_step step{};          ///< its time, waiting for input included
  maybe<input_answer> input{};  ///< what the hosts deliver; nothing where that is not known
  memory_breakdown memory{};    ///< of a device
  std::int64_t steps = 0;       ///< of the run
  seconds run{};                ///< steps x step
  paid_run cost{};              ///< the way of paying that comes first
  usd low{};                    ///< its dollars at the low end of the band of the step
  usd high{};                   ///< its dollars at the high end; infinite where so long a run cannot be had
  seconds wall_low{};           ///< from start to end at the low end of the band of the step
  seconds wall_high{};          ///< the same at the high end; infinite likewise
};

/// What a checkpoint of a network holds: the weights that are trained, and the optimizer's state. Worked: of ResNet-50
/// under AdamW 25557032 x 12 bytes.
[[nodiscard]] inline bytes checkpoint_of(const network& net, const network_job& job) {
  return training_state_of(parameters(net).trained, job.weights, job.optimizer, job.moments).total;
}
/// The same of what a request trains. Worked: as its network and job have it.
[[nodiscard]] inline bytes checkpoint_of(const network_request& request) {
  return checkpoint_of(request.net, request.job);
}

/// The terms under which a network's run of so many steps is paid for in a region, as a plan of a language model has
/// them. Worked: a checkpoint of ResNet-50 under AdamW has 25557032 x 12 bytes.
[[nodiscard]] inline payment_terms payment_terms_of(const network_request& request, const slice& where,
                                                    std::int64_t slice_total, std::int64_t steps, seconds step,
                                                    std::string_view region = {}) {
  run_phases run = request.around;
  run.steps = steps;
  run.step = step;
  return detail::terms_of_run(request.terms, checkpoint_of(request), request.chip_time_between_failures, run, where,
                              slice_total, detail::place_of(request, region));
}

/// A slice whose run misses one limit alone, and what that would have to be.
struct nearest_run {
  slice where{};   ///< the slice
  seconds wall{};  ///< from start to end
  usd cost{};      ///< of the run
};

/// The plans, best first, and how many slices lost for each reason.
struct network_answer {
  std::vector<network_plan> plans{};  ///< best first
  std::size_t does_not_fit = 0;       ///< slices
  std::size_t may_not_fit = 0;        ///< slices on which the memory fit is uncertain
  std::size_t does_not_divide = 0;    ///< slices whose devices do not divide the batch
  std::size_t no_price = 0;           ///< slices without a price, or not for so long
  std::size_t misses_deadline = 0;    ///< slices that finish after the deadline
  std::size_t over_budget = 0;        ///< slices whose run is over the budget
  maybe<nearest_run> in_time{};       ///< of those that miss the deadline alone the fastest
  maybe<nearest_run> in_cost{};       ///< of those that are over the budget alone the cheapest
};

namespace detail {

/// By how much a layout has to be faster to be taken in place of one with more replicas, which programs have without
/// any sharding of their own. Set: XLA may share out the update of replicas by itself, which is what few shards save.
inline constexpr double shards_pay_from = 0.05;

/// The fastest layout of replicas and shards of the weights that surely fits or, where none does and that is accepted,
/// that may fit; more replicas where shards save less than `shards_pay_from`.
inline maybe<network_plan> network_layout_on(const network_request& request, const slice& where,
                                             network_answer& answer) {
  const std::int64_t count = devices(where);
  if (request.job.global_batch % count != 0) return ++answer.does_not_divide, nothing;
  maybe<network_plan> best;
  verdict best_fit = verdict::no;
  for (std::int64_t shards = 1; shards <= count; ++shards) {
    if (count % shards != 0) continue;
    network_plan one;
    one.where = where;
    one.job = request.job;
    one.mesh.data = count / shards;
    one.mesh.fsdp = shards;
    one.memory = memory_use(request.net, one.job, one.mesh, where);
    const verdict fit = fits(one.memory);
    if (fit == verdict::no || (best && fit > best_fit)) continue;
    one.step = step_time(request.net, one.job, one.mesh, where);
    const bool is_faster = best && one.step.total < best->step.total * (1 - shards_pay_from);
    if (best && fit == best_fit && !is_faster) continue;
    best = one, best_fit = fit;
  }
  if (best && (best_fit == verdict::yes || request.accept_uncertain)) return best;
  ++(best ? answer.may_not_fit : answer.does_not_fit);
  return nothing;
}

/// The runs of a plan in the regions and ways of paying that count.
template <class Request, class Planned>
std::vector<paid_run> paid_runs_of(const Request& request, const Planned& planned) {
  std::vector<paid_run> runs;
  for (const std::string& region : request.regions) {
    const payment_terms terms = payment_terms_of(request, planned.where, 1, planned.steps, planned.step.total, region);
    for (const provisioning kind : request.kinds) {
      const maybe<price_row> price = find_price(request.prices, planned.where, region, kind);
      if (price && !is_left_out(request, *price) && can_be_paid(kind, 1, planned.run, terms))
        runs.push_back(pay_for(planned.where, 1, planned.run, *price, terms));
    }
  }
  return runs;
}

/// Pays a plan, with its dollars and its time at the ends of the band of its step.
template <class Request, class Planned>
void set_cost(const Request& request, Planned& planned, const paid_run& paid) {
  planned.cost = paid;
  const std::string_view region = paid.price.region.view();
  const payment_terms terms = payment_terms_of(request, planned.where, 1, planned.steps, planned.step.total, region);
  const auto at = [&](seconds step) {
    const seconds run = step * static_cast<double>(planned.steps);
    const payment_terms at_end = at_pace(terms, step / planned.step.total);
    paid_run never;
    never.total = usd{math::detail::infinity}, never.wall = seconds{math::detail::infinity};
    return can_be_paid(paid.kind, 1, run, at_end) ? pay_for(planned.where, 1, run, paid.price, at_end) : never;
  };
  const paid_run low = at(planned.step.low), high = at(planned.step.high);
  planned.low = low.total, planned.wall_low = low.wall;
  planned.high = high.total, planned.wall_high = high.wall;
}

template <class Planned>
bool comes_first(const Planned& a, const Planned& b, objective best) {
  if (best == objective::fastest && a.cost.wall != b.cost.wall) return a.cost.wall < b.cost.wall;
  if (best == objective::fewest_chips && chips(a.where) != chips(b.where)) return chips(a.where) < chips(b.where);
  return a.cost.total < b.cost.total;
}

/// Whether a slice is among those that a request looks at, by generation and size.
template <class Request>
bool looks_at(const Request& request, const slice& where) {
  const auto is_of = [&](const std::string& one) { return chip_for(one).name == where.chip.name; };
  const bool wanted =
      request.generations.empty() || std::any_of(request.generations.begin(), request.generations.end(), is_of);
  return wanted && is_default(where) && schedulable(where) && chips(where) >= request.smallest_chips &&
         chips(where) <= request.largest_chips;
}

/// The best of the runs of a slice that are within deadline and budget. Where none is, the slice is counted, and the
/// runs that miss one limit alone are kept where they are the nearest to it.
template <class Request, class Answer>
const paid_run* choose_run(const Request& request, const slice& where, const std::vector<paid_run>& runs,
                           Answer& answer) {
  const auto is_late = [&](const paid_run& run) { return request.deadline && is_over(run.wall, *request.deadline); };
  const auto is_dear = [&](const paid_run& run) { return request.budget && is_over(run.total, *request.budget); };
  const paid_run* best = nullptr;
  bool in_time = false;
  for (const paid_run& run : runs) {
    in_time = in_time || !is_late(run);
    if (is_late(run) || is_dear(run)) continue;
    const bool by_time = request.best == objective::fastest && best != nullptr && run.wall != best->wall;
    if (best == nullptr || (by_time ? run.wall < best->wall : run.total < best->total)) best = &run;
  }
  if (best != nullptr) return best;
  for (const paid_run& run : runs) {
    const nearest_run one{where, run.wall, run.total};
    const bool late = is_late(run), dear = is_dear(run);
    if (late && !dear && (!answer.in_time || one.wall < answer.in_time->wall)) answer.in_time = one;
    if (dear && !late && (!answer.in_cost || one.cost < answer.in_cost->cost)) answer.in_cost = one;
  }
  ++(runs.empty() ? answer.no_price : in_time ? answer.over_budget : answer.misses_deadline);
  return nullptr;
}

/// Fills an answer with the plans that are within the limits, best first. `laid_out(where)` is the step on a slice, or
/// nothing, which it has counted.
template <class Request, class Answer, class Place>
void plan_slices(const Request& request, std::int64_t steps, Answer& answer, const Place& laid_out) {
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice where = slice_at(i);
    if (!looks_at(request, where)) continue;
    const auto found = laid_out(where);
    if (!found) continue;
    auto planned = *found;
    planned.steps = steps;
    planned.run = static_cast<double>(planned.steps) * planned.step.total;
    const std::vector<paid_run> runs = paid_runs_of(request, planned);
    const paid_run* chosen = choose_run(request, where, runs, answer);
    if (chosen == nullptr) continue;
    set_cost(request, planned, *chosen);
    answer.plans.push_back(planned);
  }
  sort_in_order(answer.plans, [&](const auto& a, const auto& b) { return comes_first(a, b, request.best); });
}

}  // namespace detail

/// Whether a slice is among those that a request looks at, by generation and size. Worked: v5p-128 with its 64 chips is
/// not in a request of at most 16 chips.
[[nodiscard]] inline bool is_considered(const network_request& request, const slice& where) {
  return detail::looks_at(request, where);
}

/// A batch for a network where none is asked for: 1024 examples, 128 on each of 8 cores, as first jobs take them, and
/// where the rest of an epoch is dropped the largest power of two below, of which at most a fiftieth of the examples
/// is. Worked: 1024 for 60000 examples, of which 608 are dropped; 8 for 300, and 256 where the rest is kept.
[[nodiscard]] constexpr std::int64_t usual_batch(const data_set& data) {
  detail::positive_count("data_set.examples", data.examples);
  std::int64_t batch = 1024;
  while (batch > data.examples) batch /= 2;
  while (detail::drops_many(data, batch)) batch /= 2;
  return batch;
}

/// All slices that train the network within the limits, best first. All do the same work: the steps of `epochs_of` in
/// batches of the same size, each step as long as chips and hosts need (`fed_step_time`). Throws, naming the field, for
/// an invalid request: no examples, no batch, one above the examples of an epoch whose rest is dropped, an invalid
/// network, terms or phases that cannot be. Worked: an MLP 784-128-10 on 60000 examples in batches of 1024 costs least
/// on one chip, and takes 58 steps.
[[nodiscard]] inline network_answer plan_network(const network_request& request) {
  validate(request.net);
  detail::positive_count("network_request.data.examples", request.data.examples);
  detail::positive_count("network_request.job.global_batch", request.job.global_batch);
  const std::int64_t steps = epochs_of(request.data, request.job.global_batch).steps;
  detail::check_payment(request);
  network_answer answer;
  detail::plan_slices(request, steps, answer, [&](const slice& where) {
    const maybe<network_plan> laid_out = detail::network_layout_on(request, where, answer);
    if (!laid_out) return laid_out;
    network_plan planned = *laid_out;
    const fed_network_step fed = fed_step_time(request.net, planned.job, planned.mesh, where, request.input);
    planned.step = fed.step;
    planned.input = fed.input;
    return maybe<network_plan>(planned);
  });
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
