#ifndef TPUPLAN_ASK_RISK_HPP
#define TPUPLAN_ASK_RISK_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/risk_changes.hpp>
#include <tpuplan/base/date.hpp>
#include <tpuplan/show/text/one_line.hpp>

/// @file
/// The question risk: the chance that a training run is done by a date and within a budget.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Refuses what has no effect on the answer.
inline void check_risk(const risk_request& asked) {
  if (asked.by.empty() && !asked.deadline && !asked.budget)
    fail(errc::missing_field, "by", "missing", "a date, a deadline_s or a budget_usd");
  positive("chip_time_between_failures_s", asked.chip_time_between_failures.value());
  if (asked.mean_time_between_preemptions)
    positive("mean_time_between_preemptions_s", asked.mean_time_between_preemptions->value());
  check_part("spare_slices", asked.spare_slices, std::int64_t{1024}, "0 to 1024");
  positive_count("seed", asked.seed);
  const bool spot = !asked.kind || asked.kind == provisioning::spot;
  if (!spot && (asked.on_demand_in_time || asked.on_demand_after))
    fail(errc::invalid_argument, asked.on_demand_in_time ? "on_demand_in_time" : "on_demand_after",
         "given without effect", "a run on spot");
}

/// What the chances are of, and what they rest on.
inline void describe(const risk_subject& about, const risk_policy& policy, const std::optional<seconds>& deadline,
                     const assumed_values& assumed, risk_answer& answer) {
  const placed_run& all = about.of;
  const run_at_risk job = about.under(answer.kind);
  answer.slice = tpuplan::name(all.where).view();
  answer.slices = all.slices;
  answer.chips = checked_multiply(chips(all.where), answer.slices);
  answer.region = about.asked.region;
  answer.policy = policy_words(policy);
  answer.start = about.asked.start;
  answer.by = about.asked.by;
  answer.deadline = deadline;
  answer.budget = about.asked.budget;
  answer.run = all.run.expected;
  answer.run_low = all.run.low;
  answer.run_high = all.run.high;
  answer.fits = all.fits;
  answer.used = all.used, answer.usable = all.usable;
  answer.chance_to_fit = all.chance_to_fit;
  answer.checkpoint_interval = job.checkpoint_interval;
  if (job.lifetime) {
    answer.preempted_every = quantile(about.lifetime, 0.5);
    answer.preempted_every_low = quantile(about.lifetime, 0.05);
    answer.preempted_every_high = quantile(about.lifetime, 0.95);
  }
  answer.fails_every = quantile(*job.failures, 0.5);
  answer.fails_every_low = quantile(*job.failures, 0.05);
  answer.fails_every_high = quantile(*job.failures, 0.95);
  for (const assumption& one : all.assumed) {
    if (one.field != assumed_preemptions) answer.assumed.push_back(one);  // which the belief of the question replaces
  }
  for (const auto& [field, value] : assumed) answer.assumed.push_back({field, value, std::string(not_given)});
  answer.model = all.model;
}

}  // namespace detail

/// The chances of a run: of the way of paying that was asked for, or of the one with the best chance, beside all others
/// and the changes that raise it. Throws for a run that does not fit, for dates that are none, and for what has no
/// effect. Worked: of a run that takes two hours the chance to be done within three days on demand is 1.
[[nodiscard]] inline risk_answer answer_to_risk(const placed_run& all, const risk_request& asked,
                                                const price_book& book) {
  expect_region(book, asked.region);
  const std::optional<seconds> deadline = deadline_of(asked);
  detail::check_risk(asked);
  if (all.fits == verdict::no)
    detail::fail(errc::infeasible, "slice", name(all.where).view(), "a slice that the job fits: see fit");
  assumed_values assumed;
  detail::runs_of_a_question played;
  detail::risk_subject about{asked, all,   book, asked.region, detail::lifetime_of(asked, all.where, assumed),
                             {},    played};
  if (deadline) about.limits.deadline = *deadline;
  if (asked.budget) about.limits.budget = *asked.budget;

  risk_answer answer;
  answer.ways = detail::ways_of(about);
  if (answer.ways.empty())
    detail::fail(errc::infeasible, "region", asked.region,
                 "a region with a price of " + asked.slice + ": " + regions_with_price(book, all.where));
  answer.kind = asked.kind.value_or(answer.ways.front().kind);
  for (const risk_way& way : answer.ways) {
    if (way.kind == answer.kind) answer.superseded = way.superseded;
  }
  const risk_policy policy = detail::policy_for(asked, answer.kind);
  const auto seen = detail::outlook_of_way(about, answer.kind, policy, about.limits);
  const bool is_window =
      answer.kind == provisioning::calendar && find_price(book, all.where, asked.region, answer.kind);
  if (!seen)
    detail::fail(
        errc::infeasible, "kind", name(answer.kind),
        is_window ? "a run of at most 90 days, the longest window" : "a way of paying with a price for so long");
  answer.chance_in_time = seen->chance_in_time;
  answer.chance_in_budget = seen->chance_in_budget;
  answer.chance_of_both = seen->chance_of_both;
  answer.chance_to_end = seen->chance_to_end;
  answer.wall_p10 = seen->wall_p10;
  answer.wall_p50 = seen->wall_p50;
  answer.wall_p90 = seen->wall_p90;
  answer.cost_p10 = seen->cost_p10;
  answer.cost_p50 = seen->cost_p50;
  answer.cost_p90 = seen->cost_p90;
  answer.done_p50 = detail::done_on(asked.start, seen->wall_p50);
  answer.done_p90 = detail::done_on(asked.start, seen->wall_p90);
  answer.walls = seen->walls;
  answer.costs = seen->costs;
  answer.changes = detail::changes_of(about, answer.kind, *seen);
  detail::describe(about, policy, deadline, assumed, answer);
  if (find_price(book, all.where, asked.region, provisioning::calendar) &&
      !can_be_paid(provisioning::calendar, all.slices, all.run.expected, all.terms))
    answer.assumed.push_back(
        {"left out", std::string(name(provisioning::calendar)),
         "the run is " + too_long_for(provisioning::calendar, all.slices, all.run.expected, all.terms)});
  return answer;
}

namespace detail {

/// The run of a language model on that many chips of its generation, in the best layout of a plan.
[[nodiscard]] inline std::optional<placed_run> run_on_chips(const placed_run& from, const placed_job& all,
                                                            const risk_request& asked, const price_book& book,
                                                            provisioning kind, std::int64_t chip_total) {
  plan_request request;
  request.model = all.config.model;
  request.job = all.job;
  request.tokens = asked.tokens;
  request.kinds = {kind};
  request.regions = {asked.region};
  request.generations = {std::string(all.where.chip.name.view())};
  request.smallest_chips = request.largest_chips = chip_total;
  request.largest_slices = slices(all.mesh);
  request.most_plans = 1;
  request.prices = book;
  request.constants = all.constants;
  const plan_answer found = make_plan(request);
  if (found.plans.empty()) return std::nullopt;
  const plan& other = found.plans.front();
  placed_run to = from;
  to.where = other.where, to.slices = slices(other.mesh);
  const std::int64_t parts = other.job.gradient_accumulation;
  to.laid_out = phrase(other.mesh) + ", remat " + std::string(name(other.job.remat)) +
                (parts > 1 ? ", " + std::to_string(parts) + " microbatches" : std::string());
  to.run = {other.run, other.step.low * other.steps, other.step.high * other.steps};
  if (to.terms.interval_of_steps)  // as many steps, each as long as they take there
    to.terms.checkpoint_interval = from.terms.checkpoint_interval * (to.run.expected / from.run.expected);
  const bool restart_by_size = !asked.restart_time;
  const auto more = [&](bool by_size) { return more_of_size(by_size, to.where) - more_of_size(by_size, from.where); };
  to.terms.spot.restart_time += more(restart_by_size);
  to.terms.flex_start.restart_time += more(restart_by_size);
  to.terms.start_up += more(restart_by_size && !asked.around.start_up);
  const double now = static_cast<double>(checked_multiply(chips(all.where), slices(all.mesh)));
  to.terms.mean_time_between_failures *= now / static_cast<double>(chip_total);
  if (!asked.around.checkpoint)
    to.terms.spot.checkpoint_time =
        checkpoint_time(training_state_of(all.config.model, all.job).total, checkpoint_rate(to.where, to.slices));
  return to;
}

}  // namespace detail

/// The same of a language model. Throws as `answer_to_train` does, and without tokens. Worked: 1e10 tokens of Llama 3
/// 8B on "v5p-128" on demand are done within 3 days in all of 2000 runs.
[[nodiscard]] inline risk_answer answer_to_risk(const placed_job& all, const risk_request& asked,
                                                const price_book& book) {
  expect_region(book, asked.region);
  detail::in_range("tokens", asked.tokens, 0, 1e18, "above 0, at most 1e18 tokens");
  if (asked.tokens <= 0) detail::fail(errc::missing_field, "tokens", "missing", "tokens of the whole run");
  const step_breakdown step = step_time(all.config.model, all.job, all.mesh, all.where, all.constants);
  const double steps = math::ceil(asked.tokens / static_cast<double>(tokens_per_step(all.job)));
  assumed_values assumed = all.assumed;
  placed_run run;
  run.where = all.where, run.slices = slices(all.mesh);
  run.run = {step.total * steps, step.low * steps, step.high * steps};
  run.terms = detail::terms_of(asked, all, step.total, assumed);
  const memory_breakdown memory =
      memory_use(all.config.model, all.job, all.mesh, all.where, all.known_memory, all.constants.own);
  run.fits = tpuplan::fits(memory);
  run.used = memory.total, run.usable = memory.usable;
  run.chance_to_fit = tpuplan::chance_to_fit(memory);
  run.model = all.config.model.name.view();
  run.assumed = all_assumed(all.config, assumed);
  const placed_run as_asked = run;
  run.on_chips = [&](provisioning kind, std::int64_t chip_total) {
    return detail::run_on_chips(as_asked, all, asked, book, kind, chip_total);
  };
  return answer_to_risk(run, asked, book);
}

/// The run that train_network answers, as risk takes it. Throws where there is none. Worked: its time is `run`.
[[nodiscard]] inline placed_run run_of(const train_network_answer& a) {
  if (!a.run) detail::fail(errc::missing_field, "data.examples", "missing", "examples of the data set");
  const auto steps = static_cast<double>(a.epochs->steps);
  return {slice_for(a.memory.slice),
          slices(a.memory.mesh),
          {*a.run, min(*a.run, steps * a.step_time_low), max(*a.run, steps * a.step_time_high)},
          a.terms,
          a.memory.fits,
          a.memory.used,
          a.memory.usable,
          {},
          a.memory.model,
          a.memory.assumed,
          {},
          {}};
}
/// The run that train_generation answers, as risk takes it. Throws where there is none. Worked: its time is `run`.
[[nodiscard]] inline placed_run run_of(const train_generation_answer& a) {
  if (!a.run) detail::fail(errc::missing_field, "data.examples", "missing", "examples of the data set");
  const auto steps = static_cast<double>(a.epochs->steps);
  return {slice_for(a.slice),
          a.slices,
          {*a.run, min(*a.run, steps * a.step_time_low), max(*a.run, steps * a.step_time_high)},
          a.terms,
          a.fits,
          a.used,
          a.usable,
          {},
          a.model,
          a.assumed,
          {},
          {}};
}

namespace detail {

/// Of a question about risk what the question about the run itself takes, with the rest of its rows as they are usual.
template <class Train>
[[nodiscard]] Train train_request_of(const nlohmann::json& request, std::initializer_list<const char*> keys) {
  nlohmann::json own = nlohmann::json::object();
  for (const char* key : keys)
    if (request.contains(key)) own[key] = request[key];
  return read_json<Train>(own, {}, "request");
}
/// The question about risk of a run that another question describes: `job` and `mesh` are of that one.
[[nodiscard]] inline risk_request risk_request_of(nlohmann::json request) {
  request.erase("job"), request.erase("mesh");
  const risk_request asked = read_json<risk_request>(request, {}, "request");
  if (asked.tokens > 0) fail(errc::unsupported, "tokens", asked.tokens, "data.examples, of what takes no tokens");
  if (asked.batch_tokens > 0)
    fail(errc::unsupported, "batch_tokens", asked.batch_tokens, "job.global_batch, of what takes no tokens");
  if (!asked.calibration.is_null())
    fail(errc::unsupported, "calibration", "given without effect", "none of what takes no tokens");
  return asked;
}

}  // namespace detail

/// The chances of a run of a network of layers; the request is read from JSON, in which job and layout are those of
/// train_network. Throws as these do. Worked: 90 epochs of ImageNet on v5e-8 on demand are done within two days.
[[nodiscard]] inline risk_answer answer_to_risk_of_network(const any_model& model, const nlohmann::json& request,
                                                           const price_book& book) {
  const risk_request asked = detail::risk_request_of(request);
  if (!asked.sizes.empty() || asked.frames > 0 || asked.text_tokens > 0 || asked.exchange || asked.slices != 1)
    detail::fail(errc::unsupported, "sizes", "given for a network of layers", "a pipeline of images or clips");
  auto train = detail::train_request_of<train_network_request>(
      request, {"slice", "job", "mesh", "data", "region", "rest_of_term_used", "queue_time_s", "restart_time_s",
                "chip_time_between_failures_s", "around"});
  const placed_network all = placed(model, train.slice, train.mesh, train.job);
  train.input = input_of(all.net, request);
  return answer_to_risk(run_of(answer_to_train(all, train, book)), asked, book);
}
/// The chances of a run of training a denoiser; job, layout and slices are those of train_generation. Throws as these
/// do. Worked: a run of adapters of an hour is done within a day.
[[nodiscard]] inline risk_answer answer_to_risk_of_pictures(const diffusion_pipeline& pipeline,
                                                            const std::vector<assumption>& read,
                                                            const nlohmann::json& request, const price_book& book) {
  const risk_request asked = detail::risk_request_of(request);
  if (asked.input) detail::fail(errc::unsupported, "input", "given for images or clips", "a network of layers");
  const auto train = detail::train_request_of<train_generation_request>(
      request, {"slice", "sizes", "frames", "text_tokens", "job", "mesh", "exchange", "slices", "data", "region",
                "rest_of_term_used", "queue_time_s", "restart_time_s", "chip_time_between_failures_s", "around"});
  return answer_to_risk(run_of(answer_to_train_generation(pipeline, read, train, book)), asked, book);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
