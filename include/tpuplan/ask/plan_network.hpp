#ifndef TPUPLAN_ASK_PLAN_NETWORK_HPP
#define TPUPLAN_ASK_PLAN_NETWORK_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/networks.hpp>
#include <tpuplan/plan/chance.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <vector>

/// @file
/// The question of the slices that train a network of layers: plan_network.

namespace tpuplan {
inline namespace abi_0 {

/// Which slices train a network of layers best?
struct plan_network_request {
  /// @{
  /// The network, its job and run as in train_network_request, a batch of 0 being `usual_batch` of the examples; limits
  /// as in network_request.
  nlohmann::json config{};
  network_job job{};
  data_set data{};
  std::optional<example_cost> input{};
  std::optional<seconds> deadline{};
  std::optional<usd> budget{};
  std::string by{}, start{};  ///< dates instead of the deadline: "2026-12-31", from "2026-12-01" on
  objective best = objective::cheapest;
  std::vector<provisioning> kinds{provisioning::on_demand};
  std::vector<std::string> regions{"us"}, generations{};
  std::string zone{};
  std::int64_t smallest_chips = 1, largest_chips = 1 << 20;
  bool accept_uncertain = false;
  std::optional<seconds> mean_time_between_preemptions{};
  double rest_of_term_used = 0;
  std::optional<spot_market> market{};
  std::vector<own_lifetime> lifetimes{};  ///< of one's own spot slices, instead of what is published alone
  std::optional<seconds> queue_time{};
  std::optional<seconds> restart_time{};
  seconds chip_time_between_failures = published_chip_time_between_failures;
  asked_phases around{};
  nlohmann::json prices{};
  /// @}
};

/// A slice that trains the network within the limits.
struct plan_network_row {
  /// @{
  /// The slice, its step and its run, paid in the way that comes first.
  std::int64_t rank = 0;  ///< 1 is the best plan
  std::string slice{};
  std::int64_t chips = 0, batch = 0;  ///< chips of the slice, and examples of a step
  layout mesh{};
  network_step step{};
  maybe<input_answer> input{};  ///< what the hosts deliver; nothing where that is not known
  memory_breakdown memory{};    ///< of a device
  std::int64_t steps = 0;
  seconds run{};                   ///< uninterrupted time of all steps
  usd cost{}, cost_low{};          ///< of the run, and at the low end of the band of its step
  std::optional<usd> cost_high{};  ///< at the high end; nothing where so long a run cannot be had
  seconds wall{};                  ///< from start to end
  provisioning kind{};
  price_row price{};
  bool superseded = false;        ///< that price is older than an announced change
  run_checkpoints checkpoints{};  ///< of the run as it is paid for
  tpuplan::plan plan{};           ///< the same as the question launch reads it
  /// Chances to be done by the deadline and within the budget; nothing: there is none.
  std::optional<double> chance_in_time{}, chance_in_budget{};
  /// @}
};
/// A slice whose run misses one limit alone, and what that would have to be.
struct nearest_run_row {
  /// @{
  /// The slice, and its run from start to end.
  std::string slice{};
  seconds wall{};
  usd total{};
  /// @}
};
/// How many slices lost for each reason.
struct lost_networks {
  /// @{
  /// Slices, each under the first reason that holds.
  std::size_t does_not_fit = 0, may_not_fit = 0, batch_does_not_divide = 0, no_price = 0, misses_deadline = 0,
              over_budget = 0;
  /// Of those that miss the deadline alone the fastest, and of those over the budget alone the cheapest.
  std::optional<nearest_run_row> in_time{}, in_cost{};
  /// @}
};
/// Plans, lost slices and the question.
struct plan_network_answer {
  /// @{
  /// The plans, best first, and the question with nothing left open.
  std::string schema{json_schema};
  std::int64_t parameters = 0;  ///< that are trained
  std::int64_t examples = 0;    ///< trained on, over all epochs
  epoch_count epochs{};         ///< the steps of the run
  std::vector<plan_network_row> plans{};
  lost_networks lost{};
  std::vector<assumption> assumed{};
  std::string model{};  ///< name of the network
  data_set data{};      ///< what is trained on
  objective best{};     ///< what comes first
  /// @}
};

/// The search that a question asks for, with what was left open filled in and added to `assumed`. It has a view of the
/// book, whose rows have to outlive it. Throws, naming the field, for a model that is no network, a run without
/// examples and a region without prices. Worked: a question that says nothing of a batch has 1024 of 60000 examples.
[[nodiscard]] inline network_request request_of(const any_model& model, const plan_network_request& asked,
                                                const price_book& book, assumed_values& assumed) {
  if (!model.net)
    detail::fail(errc::unsupported, "config", "a language model", "a network of layers; plan takes others");
  network_request request;
  detail::check_moments(asked.job);
  detail::check_ways(asked);
  request.net = *model.net;
  request.job = asked.job;
  request.input = asked.input.value_or(usual_example(request.net));
  request.data = asked.data;
  detail::positive_count("data.examples", request.data.examples);
  if (request.job.global_batch == 0) {
    request.job.global_batch = usual_batch(request.data);
    assumed.emplace_back("global batch", detail::grouped(request.job.global_batch) +
                                             (request.job.global_batch == 1 ? " example" : " examples") +
                                             " on every slice");
  }
  request.deadline = deadline_of(asked);
  request.budget = asked.budget;
  request.best = asked.best;
  request.kinds = asked.kinds;
  request.regions = regions_named(book, asked.regions);
  request.regions_by_area = regions_by_area(request.regions, asked.regions);
  request.generations = asked.generations.empty() ? usual_generations() : asked.generations;
  request.smallest_chips = asked.smallest_chips;
  request.largest_chips = asked.largest_chips;
  request.accept_uncertain = asked.accept_uncertain;
  request.prices = book;
  const bool on_spot = std::find(asked.kinds.begin(), asked.kinds.end(), provisioning::spot) != asked.kinds.end();
  fill_run(asked, on_spot, request.generations, request.regions, request, assumed);
  add_left_out(request, assumed);
  return request;
}
namespace detail {
/// How many slices a search lost for each reason.
template <class Answer>
[[nodiscard]] lost_networks lost_of(const Answer& found) {
  const auto row = [](const maybe<nearest_run>& one) -> std::optional<nearest_run_row> {
    if (!one) return std::nullopt;
    return nearest_run_row{std::string(name(one->where).view()), one->wall, one->cost};
  };
  return {found.does_not_fit,    found.may_not_fit, found.does_not_divide, found.no_price,
          found.misses_deadline, found.over_budget, row(found.in_time),    row(found.in_cost)};
}
/// The checkpoints of a plan as it is paid for.
template <class Request, class Planned>
[[nodiscard]] run_checkpoints checkpoints_of(const Request& request, const Planned& one) {
  const payment_terms terms =
      payment_terms_of(request, one.where, 1, one.steps, one.step.total, one.cost.price.region.view());
  return tpuplan::checkpoints_of(checkpoint_of(request), static_cast<double>(one.steps), one.step.total,
                                 checkpoint_interval_of(one.cost.kind, 1, one.run, terms),
                                 one.cost.price.region.view());
}
/// The chances of a plan, in its row.
template <class Request, class Planned, class Row>
void set_chances(const Request& request, const Planned& one, luck_of_runs& luck, Row& row) {
  const maybe<run_chances> chances = chances_of(one, request, luck);
  if (chances && request.deadline) row.chance_in_time = chances->in_time;
  if (chances && request.budget) row.chance_in_budget = chances->in_budget;
}
/// A plan of a network as `launch` reads it: where, for how long and how it is paid for.
[[nodiscard]] inline plan launched_plan(const network_plan& from) {
  plan to;
  to.where = from.where;
  to.mesh = from.mesh;
  to.job.global_batch = from.job.global_batch;
  to.memory = from.memory;
  to.fit = fits(from.memory);
  to.step.total = from.step.total, to.step.low = from.step.low, to.step.high = from.step.high;
  to.steps = static_cast<double>(from.steps);
  to.run = from.run;
  plan_cost& cost = to.costs.emplace_back();
  cost.kind = from.cost.kind;
  cost.price = from.cost.price;
  cost.billed = from.cost.billed;
  cost.wall = from.cost.wall;
  cost.wall_low = from.wall_low, cost.wall_high = from.wall_high;
  cost.total = from.cost.total;
  cost.low = from.low, cost.high = from.high;
  cost.superseded = is_before_announced_change(cost.price);
  cost.unused = from.cost.unused, cost.unused_cost = from.cost.unused_cost;
  cost.checkpoint_interval = from.cost.checkpoint_interval;
  cost.preemptions = from.cost.preemptions;
  cost.goodput = from.cost.run / from.cost.wall;
  return to;
}
}  // namespace detail
/// Every slice that trains the network within the limits, and why the others lost. Throws what `request_of` and
/// `plan_network` do. Worked: ResNet-50 over 90 epochs of ImageNet in 1024 images is cheapest on v5e-8.
[[nodiscard]] inline plan_network_answer answer_to(const any_model& model, const plan_network_request& asked,
                                                   const price_book& book) {
  plan_network_answer answer;
  assumed_values assumed;
  const network_request request = request_of(model, asked, book, assumed);
  const network_answer found = plan_network(request);
  bool waits = false;
  luck_of_runs luck(runs_of_a_plan);
  for (const network_plan& one : found.plans) {
    waits = waits || one.step.waiting.value() > 0;
    answer.plans.push_back({static_cast<std::int64_t>(answer.plans.size()) + 1, std::string(name(one.where).view()),
                            chips(one.where), one.job.global_batch, one.mesh, one.step, one.input, one.memory,
                            one.steps, one.run, one.cost.total, one.low, detail::if_finite(one.high), one.cost.wall,
                            one.cost.kind, one.cost.price, is_before_announced_change(one.cost.price),
                            detail::checkpoints_of(request, one), detail::launched_plan(one)});
    detail::set_chances(request, one, luck, answer.plans.back());
  }
  if (waits) assume_input(request.input, assumed);
  answer.parameters = parameters(request.net).trained;
  answer.epochs = epochs_of(request.data, request.job.global_batch);
  answer.examples = answer.epochs.examples;
  answer.lost = detail::lost_of(found);
  answer.assumed = all_assumed(model.config, assumed);
  answer.model = request.net.name.view();
  answer.data = request.data;
  answer.best = request.best;
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::plan_network_request, config, job, data, input, deadline, budget, by, start, best, kinds,
               regions, generations, zone, smallest_chips, largest_chips, accept_uncertain,
               mean_time_between_preemptions, rest_of_term_used, market, lifetimes, queue_time, restart_time,
               chip_time_between_failures, around, prices)
TPUPLAN_FIELDS(tpuplan::plan_network_row, rank, slice, chips, batch, mesh, step, input, memory, steps, run, cost,
               cost_low, cost_high, wall, kind, price, superseded, checkpoints, plan, chance_in_time, chance_in_budget)
TPUPLAN_FIELDS(tpuplan::nearest_run_row, slice, wall, total)
TPUPLAN_FIELDS(tpuplan::lost_networks, does_not_fit, may_not_fit, batch_does_not_divide, no_price, misses_deadline,
               over_budget, in_time, in_cost)
TPUPLAN_FIELDS(tpuplan::plan_network_answer, schema, parameters, examples, epochs, plans, lost, assumed, model, data,
               best)

#endif
