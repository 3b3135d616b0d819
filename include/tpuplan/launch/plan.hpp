#ifndef TPUPLAN_LAUNCH_PLAN_HPP
#define TPUPLAN_LAUNCH_PLAN_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/launch/maxtext.hpp>
#include <tpuplan/plan/plan.hpp>
#include <utility>

/// @file
/// A launch request made from a plan, and a plan read from a document that `tpuplan plan --json` prints.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The capacity that a plan is launched on. A commitment is a discount: the capacity that it covers is created on
/// demand. So is that of a plan without a price.
inline provisioning launched_capacity(const plan& planned) {
  if (planned.costs.empty()) return provisioning::on_demand;
  const provisioning chosen = chosen_cost(planned).kind;
  return is_commitment(chosen) ? provisioning::on_demand : chosen;
}

/// The time of a step; where the plan does not state it, the time of the run divided by its steps.
inline seconds step_of(const plan& planned) {
  const double total = not_negative("step.total", planned.step.total.value());
  const double run = not_negative("run", planned.run.value());
  return seconds{total > 0 || !(planned.steps > 0) ? total : run / planned.steps};
}

/// The terms of a plan, its checkpoints as long as its training state makes them, or as often as it was asked.
inline payment_terms launched_terms(const plan& planned, const plan_request& asked) {
  const std::string_view region = planned.costs.empty() ? std::string_view() : chosen_cost(planned).price.region.view();
  return payment_terms_of(asked, planned.where, slices(planned.mesh), planned.steps, step_of(planned), region);
}

/// The run at the upper end of its band.
inline seconds expected_at_most(const plan& planned) {
  not_negative("run", planned.run.value());
  const double total = not_negative("step.total", planned.step.total.value());
  const double high = not_negative("step.high", planned.step.high.value());
  return high > total && total > 0 ? planned.run * (high / total) : planned.run;
}

}  // namespace detail

/// The request that launches a plan on the given capacity: its slices, the longest that it is expected to take (the
/// upper end of its band, on spot with what preemptions add) and, on spot, restarts for twice the preemptions expected,
/// 100 at least. `asked` is the question that the plan answers: its terms say how often spot is preempted. Name, image,
/// folder for checkpoints and so on are those of `request`. Refuses a layout that does not fill the slices, a negative
/// time of a step or a run, and on spot terms that `best_spot_run` refuses. Worked: ten days on two slices, each
/// preempted every 4 h, with checkpoints of 15 s: 279 restarts.
[[nodiscard]] inline launch_request launch_of(const plan& planned, const plan_request& asked, provisioning capacity,
                                              launch_request request = {}) {
  validate(planned.mesh, planned.where);
  request.where = planned.where;
  request.slices = slices(planned.mesh);
  request.capacity = capacity;
  request.run = detail::expected_at_most(planned);
  if (capacity == provisioning::spot && request.run.value() > 0) {
    const expected_spot_run run =
        expected_run(best_spot_run(request.run, request.slices, detail::launched_terms(planned, asked).spot));
    const auto enough = static_cast<std::int64_t>(std::fmin(std::ceil(2 * run.preemptions), 1e6));
    request.max_restarts = std::max(request.max_restarts, enough);
    request.run = run.wall;
  }
  return request;
}

/// The request that launches a plan on the capacity that it chose, which for a commitment is created on demand. Worked:
/// a plan whose chosen cost is a one-year commitment gives the capacity `on_demand`.
[[nodiscard]] inline launch_request launch_of(const plan& planned, const plan_request& asked,
                                              launch_request request = {}) {
  return launch_of(planned, asked, detail::launched_capacity(planned), std::move(request));
}

/// How MaxText trains a plan: layout, job, steps, and the steps between checkpoints, which are those of the plan: the
/// best interval between what stops it under that capacity (`checkpoint_interval_of`). Refuses steps that are not above
/// 0 or above 1e12, a negative time of a step or a run, a negative time of a checkpoint, models that are not decoders,
/// and a plan for spot that does not say how long it takes. Worked: with checkpoints of 15 s and steps of 2.14 s on
/// v6e-256, 2168 steps on demand.
[[nodiscard]] inline maxtext_run maxtext_of(const plan& planned, const plan_request& asked, provisioning capacity) {
  if (asked.model.kind != architecture::decoder)
    detail::fail(errc::unsupported, "model.kind", name(asked.model.kind), "decoder: what MaxText trains");
  maxtext_run run;
  run.mesh = planned.mesh;
  run.job = planned.job;
  run.model = asked.model;
  run.layers = asked.model.layers;
  const double steps = detail::positive("steps", planned.steps);
  if (steps > 1e12) detail::fail(errc::out_of_range, "steps", steps, "at most 1e12");
  run.steps = static_cast<std::int64_t>(std::ceil(steps));
  const seconds step = detail::step_of(planned);
  if (step.value() == 0 && capacity != provisioning::spot) return run;
  const payment_terms terms = detail::launched_terms(planned, asked);
  detail::positive("spot_terms.checkpoint_time", terms.spot.checkpoint_time.value());
  const seconds interval = checkpoint_interval_of(capacity, slices(planned.mesh), step * steps, terms);
  run.checkpoint_period = steps_between_checkpoints(interval, step);
  return run;
}

/// How MaxText trains a plan on the capacity that the plan chose. Worked: 95367.4 steps are 95368; where a step takes
/// 2.14 s and a checkpoint 15 s, on demand there is one every 2168 steps on v6e-256, or 4638 s.
[[nodiscard]] inline maxtext_run maxtext_of(const plan& planned, const plan_request& asked) {
  return maxtext_of(planned, asked, detail::launched_capacity(planned));
}

namespace detail {

/// The index of the plan of that rank: plans say their "rank", which is their row in the table and may have gaps; where
/// they do not, they are counted. Throws, naming the ranks that are there.
inline std::size_t place_of_rank(const json_object& root, const nlohmann::json& plans, std::int64_t rank) {
  std::string ranks;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const json_object row(plans[i], root.path("plans") + "[" + std::to_string(i) + "]");
    const std::int64_t its = row.has("rank") ? row.count("rank") : static_cast<std::int64_t>(i) + 1;
    if (its == rank) return i;
    ranks += (i == 0 ? "" : ", ") + std::to_string(its);
  }
  fail(errc::out_of_range, "rank", rank, ranks);
}

/// The row of `plans` that has that rank, in a document of `tpuplan plan --json`.
inline json_object row_of_plan(const nlohmann::json& document, std::int64_t rank, const std::string& source) {
  const json_object root(document, source);
  const nlohmann::json& plans = root.at("plans");
  if (root.has("schema") && root.string("schema") != json_schema)
    fail(errc::unsupported, root.path("schema"), root.string("schema"), json_schema);
  if (root.has("day"))
    fail(errc::unsupported, source, "a plan of a day",
         "a plan of the rate of its busiest part, with --hpa as the day says");
  if (!plans.is_array()) fail(errc::malformed_input, root.path("plans"), plans.type_name(), "an array");
  if (plans.empty()) fail(errc::infeasible, root.path("plans"), "empty", "a document with a plan to launch");
  const std::size_t place = place_of_rank(root, plans, rank);
  return {plans[place], root.path("plans") + "[" + std::to_string(place) + "]"};
}

}  // namespace detail

/// The plan of that rank (1: the first) in a document of `tpuplan plan --json`: the value of "plan" there, which
/// `read_json<plan>` reads. Throws, naming the key, where one is not what it should be. Worked: rank 2 of such a
/// document is its second plan.
[[nodiscard]] inline plan read_plan(const nlohmann::json& document, std::int64_t rank = 1,
                                    const std::string& source = "plan") {
  const json_object row = detail::row_of_plan(document, rank, source);
  if (row.object("plan").has("estimate"))
    detail::fail(errc::unsupported, row.path("plan"), "for serving",
                 "a plan of training; a service is started on gke by an engine: --engine");
  const plan found = read_json<plan>(row.at("plan"), {}, row.path("plan"));
  const std::string own(name(found.where).view());
  if (row.has("slice") && row.string("slice") != own)
    detail::fail(errc::invalid_argument, row.path("slice"), row.string("slice"),
                 own + ", as its plan has it: what is launched is \"plan\"");
  if (row.has("slices") && row.count("slices") != slices(found.mesh))
    detail::fail(errc::invalid_argument, row.path("slices"), row.count("slices"),
                 std::to_string(slices(found.mesh)) + ", as its plan has it: what is launched is \"plan\"");
  return found;
}

/// The question that a document of `tpuplan plan --json` answers, without its prices; where it has none, a question of
/// defaults alone. Worked: of a plan that was asked for with `--deadline 30d` the deadline is 2592000 s.
[[nodiscard]] inline plan_request read_plan_request(const nlohmann::json& document,
                                                    const std::string& source = "plan") {
  const json_object root(document, source);
  if (!root.has("request")) return {};
  nlohmann::json request = root.at("request");
  if (request.is_object()) request.erase("prices");
  return read_json<plan_request>(request, {}, root.path("request"));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
