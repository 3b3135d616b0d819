#ifndef TPUPLAN_ASK_SWEEP_HPP
#define TPUPLAN_ASK_SWEEP_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/ask/plan_network.hpp>
#include <tpuplan/ask/plan_train_generation.hpp>
#include <tpuplan/cost/timeline.hpp>
#include <tpuplan/plan/sweep.hpp>
#include <utility>
#include <vector>

/// @file
/// The question sweep: many trials of a job, of a language model, a network of layers, or images or clips.

namespace tpuplan {
inline namespace abi_0 {

/// How many trials of a job at once, where, and for how much?
struct plan_sweep_request {
  /// @{
  /// The model and a trial of it, the sweep, and its limits; fields that sweep_request has too mean the same.
  nlohmann::json config{};
  training_job job{};  ///< of a trial; of a network of layers what network_job has, of images diffusion_training_job
  std::int64_t trials = 0;
  std::optional<std::int64_t> parallel{}, quota{};  ///< one of both is given
  double stopped = 0, stopped_after = 0.25;
  std::optional<seconds> deadline{};
  std::vector<std::string> slices{};  ///< only these; none: all
  /// The run of a trial, one of three: tokens, a data set (of sequences or examples), or steps.
  double tokens = 0;
  data_set data{};
  std::optional<std::int64_t> steps{};
  std::optional<example_cost> input{};  ///< of an example of a network to a host; nothing: `usual_example`
  std::vector<std::string> sizes{};     ///< of images or clips, as in train_generation_request
  std::int64_t frames = 0, text_tokens = 0;
  asked_phases around{};  ///< of a trial: its start and first compilation
  std::vector<provisioning> kinds{provisioning::on_demand, provisioning::spot};
  std::string region = "us";
  std::string zone{};  ///< of spot, where a count of preemptions is published
  std::vector<std::string> generations{};
  std::optional<seconds> mean_time_between_preemptions{};
  std::optional<spot_market> market{};    ///< as in asked_plan, with what follows
  std::vector<own_lifetime> lifetimes{};  ///< of one's own spot slices, instead of what is published alone
  std::optional<seconds> queue_time{};
  std::optional<seconds> restart_time{};
  seconds chip_time_between_failures = published_chip_time_between_failures;
  nlohmann::json prices{};
  /// @}
};
/// The rows of a sweep.
inline constexpr question_row sweep_rows[] = {
    rows::count("trials", "--trials", "Trials", "", "how many").within(1, 1e9).needed(),
    rows::count("parallel", "--parallel", "Trials at once", "",
                "trials at once; as many as --quota allows, if not given")
        .within(1, 1e6),
    rows::count("quota", "--quota", "Chips at once", "chips", "chips of all trials at once").within(1, 1 << 20),
    rows::share("stopped", "--stopped", "Stopped early",
                "share of the trials that is stopped early, rounded down to whole ones: 50%")
        .usually("0"),
    rows::share("stopped_after", "--stopped-after", "Stopped after", "share of a whole trial that these run for")
        .within(1e-6, 1)
        .usually("25%")
        .with("--stopped"),
    rows::time("deadline_s", "--deadline", "Deadline", "of the whole sweep, in 19 of 20 orders of its trials: 8h")
        .within(1, 1e18),
    rows::words("slices", "--slice", "Slices", "only these: v5e-8,v5e-4").list().deciding("slice"),
    detail::row_named(phase_rows, "--start-up"),
    detail::row_named(phase_rows, "--compilation"),
    detail::row_named(phase_rows, "--restore"),
};
/// The rows of a trial's job.
inline constexpr question_row trial_rows[] = {
    detail::row_named(job_rows, "--batch"),         detail::row_named(job_rows, "--seq"),
    detail::row_named(job_rows, "--source-length"), detail::row_named(job_rows, "--optimizer"),
    detail::row_named(job_rows, "--lora"),
};
/// The rows of a trial's run.
inline constexpr question_row trial_run_rows[] = {
    rows::number("tokens", "--tokens", "Training tokens", "tokens", "of a trial: 1B").within(1, 1e18),
    rows::count("steps", "--steps", "Steps", "", "of the whole run").within(1, 1e12),
};
/// The rows of where a trial may run.
inline constexpr question_row sweep_limit_rows[] = {
    detail::row_named(limit_rows, "--provisioning").usually("on_demand,spot"),
    detail::row_named(limit_rows, "--generation"),
};

/// One way to do the sweep.
struct sweep_row {
  /// @{
  /// Where a trial runs and how it is paid for, how many run at once, and what that takes and costs.
  std::string slice{};
  provisioning kind{};
  std::int64_t batch = 0;                            ///< of a step of a trial
  std::int64_t parallel = 0, chips = 0, rounds = 0;  ///< trials at once, their chips, one behind the other
  seconds whole_trial{}, mean_trial{};               ///< not stopped; on average
  seconds wall{};                                    ///< of the sweep, in the mean of all orders of its trials
  seconds wall_high{};                               ///< that 19 of 20 orders do not exceed
  usd total{}, per_trial{};
  double preemptions = 0;   ///< of all trials on spot
  price_row price{};        ///< that was taken
  bool superseded = false;  ///< that price is older than an announced change
  /// Of a network of layers, its replicas and shards.
  std::optional<layout> mesh{};
  /// @}
};
/// A slice that was named and is in no row.
struct left_out_slice {
  std::string slice{};  ///< its name
  std::string why{};    ///< in words
};
/// All ways to do a sweep, and the question.
struct plan_sweep_answer {
  /// @{
  /// The ways, cheapest first, and what was asked.
  std::int64_t trials = 0;
  std::vector<sweep_row> plans{};
  std::vector<assumption> assumed{};
  std::vector<left_out_slice> left_out{};  ///< of the slices that were named; without a plan of all
  std::string model{};
  double stopped = 0, stopped_after = 1;
  std::optional<std::int64_t> quota{};
  /// @}
};

/// Why a slice on which no trial runs is left out.
inline constexpr std::string_view no_trial_runs = "a trial does not run on it";

namespace detail {

inline void check_trials(bool takes_tokens, bool takes_input, const plan_sweep_request& asked) {
  if (!asked.quota && !asked.parallel)
    fail(errc::missing_field, "quota", "missing", "chips that may be had at once; or parallel");
  if (asked.quota && asked.parallel && *asked.parallel > *asked.quota)
    fail(errc::invalid_argument, "parallel", *asked.parallel,
         "at most the chips of quota, as each trial has one or more");
  if (asked.stopped > 0 && math::floor(static_cast<double>(asked.trials) * asked.stopped * (1 + 1e-12)) < 1)
    fail(errc::out_of_range, "stopped", asked.stopped,
         "0, or the share of one trial or more, of " + std::to_string(asked.trials));
  if (asked.tokens > 0 && !takes_tokens)
    fail(errc::unsupported, "tokens", asked.tokens, "data.examples or steps, of what takes no tokens");
  if (asked.input && !takes_input)
    fail(errc::unsupported, "input", takes_tokens ? "given for a language model" : "given for images or clips",
         "a network of layers");
  const int runs = (asked.tokens > 0 ? 1 : 0) + (asked.data.examples > 0 ? 1 : 0) + (asked.steps ? 1 : 0);
  if (runs == 0)
    fail(errc::missing_field, takes_tokens ? "tokens" : "data.examples", "not given",
         takes_tokens ? "tokens to train on: 15T; or data.examples, or steps" : "examples of the data set, or steps");
  if (runs > 1)
    fail(errc::invalid_argument, asked.steps ? "steps" : "tokens", "given without effect", "none beside another run");
}
[[nodiscard]] inline data_set data_of(const plan_sweep_request& asked, std::int64_t batch) {
  if (!asked.steps) return asked.data;
  return {checked_multiply(positive_count("job.global_batch", batch), *asked.steps), 1, remainder::drop};
}
/// The generations that trials are planned on: those that are named, or those of slices that are.
[[nodiscard]] inline std::vector<std::string> generations_of(const plan_sweep_request& asked) {
  std::vector<std::string> named = asked.generations;
  for (const std::string& one : named.empty() ? asked.slices : std::vector<std::string>{}) {
    const std::string chip(slice_for(one).chip.name.view());
    if (!contains(named, chip)) named.push_back(chip);
  }
  return named;
}
/// What a plan of one trial takes from the sweep.
template <class Plan>
void plan_as_trials(const plan_sweep_request& asked, Plan& one) {
  one.kinds = asked.kinds;
  one.regions = {asked.region};
  one.generations = generations_of(asked);
  one.largest_chips = asked.quota.value_or(one.largest_chips);
  one.zone = asked.zone;
  one.mean_time_between_preemptions = asked.mean_time_between_preemptions;
  one.market = asked.market;
  one.lifetimes = asked.lifetimes;
  one.queue_time = asked.queue_time;
  one.restart_time = asked.restart_time;
  one.chip_time_between_failures = asked.chip_time_between_failures;
  one.around = asked.around;
}
[[nodiscard]] inline std::vector<trial_slice> network_trials(const any_model& model, const plan_sweep_request& asked,
                                                             const network_job& job, const price_book& book,
                                                             assumed_values& assumed) {
  plan_network_request one;
  one.job = job;
  one.data = data_of(asked, job.global_batch);
  one.input = asked.input;
  plan_as_trials(asked, one);
  const network_request request = request_of(model, one, book, assumed);
  std::vector<trial_slice> found;
  bool waits = false;
  for (const network_plan& p : plan_network(request).plans) {
    const payment_terms terms = payment_terms_of(request, p.where, 1, p.steps, p.step.total, asked.region);
    found.push_back({p.where, p.run, terms, p.job.global_batch, p.mesh});
    waits = waits || p.step.waiting.value() > 0;
  }
  if (waits) assume_input(request.input, assumed);
  return found;
}
[[nodiscard]] inline std::vector<trial_slice> picture_trials(const diffusion_pipeline& pipeline,
                                                             const plan_sweep_request& asked,
                                                             const diffusion_training_job& job, const price_book& book,
                                                             assumed_values& assumed) {
  plan_train_generation_request one;
  one.sizes = asked.sizes, one.frames = asked.frames, one.text_tokens = asked.text_tokens;
  one.job = job;
  one.data = data_of(asked, job.global_batch);
  plan_as_trials(asked, one);
  training_subject about = subject_of(pipeline, one);
  const diffusion_request request = request_of(about, one, book, about.assumed);
  assumed = about.assumed;
  std::vector<trial_slice> found;
  for (const diffusion_plan& p : plan_diffusion(request).plans)
    found.push_back({p.where,
                     p.run,
                     payment_terms_of(request, p.where, 1, p.steps, p.step.total, asked.region),
                     p.job.global_batch,
                     {}});
  return found;
}
[[nodiscard]] inline std::vector<trial_slice> language_trials(const model_config& config,
                                                              const plan_sweep_request& asked, const asked_job& job,
                                                              const price_book& book, assumed_values& assumed) {
  asked_plan one;
  one.tokens = asked.tokens;
  const std::int64_t given = job.job.sequence_length;
  if (asked.data.examples > 0)  // the most that a batch can have, until it is known
    one.tokens = static_cast<double>(asked.data.examples) *
                 static_cast<double>(given > 0 ? given : usual_sequence(config.model));
  if (asked.steps) one.tokens = 1e18;
  plan_as_trials(asked, one);
  plan_request request = request_of(config, one, job, book, assumed);
  const std::int64_t batch = request.job.global_batch;
  if (asked.tokens <= 0)
    request.tokens = static_cast<double>(epochs_of(data_of(asked, batch), batch).steps) *
                     static_cast<double>(tokens_per_step(request.job));
  std::vector<trial_slice> found;
  for (const plan& p : make_plan(request).plans)
    found.push_back({p.where,
                     p.step.total * p.steps,
                     payment_terms_of(request, p.where, slices(p.mesh), p.steps, p.step.total, asked.region),
                     p.job.global_batch,
                     {}});
  return found;
}
/// The sweep as plan_sweep has it, over the slices that are wanted.
[[nodiscard]] inline sweep_request request_of(const plan_sweep_request& asked, const std::vector<trial_slice>& trials,
                                              const price_book& book) {
  sweep_request request;
  request.trials = asked.trials;
  request.stopped = asked.stopped;
  request.stopped_after = asked.stopped > 0 ? asked.stopped_after : 1;
  request.quota = asked.quota.value_or(1 << 20);
  request.parallel = asked.parallel;
  request.deadline = asked.deadline;
  request.kinds = asked.kinds;
  request.region = asked.region;
  request.prices = book;
  for (const trial_slice& one : trials) {
    const auto is = [&](const std::string& wanted) { return name(slice_for(wanted)) == name(one.where); };
    if (!asked.slices.empty() && std::none_of(asked.slices.begin(), asked.slices.end(), is)) continue;
    request.slices.push_back(one);
  }
  return request;
}
/// The ways of paying and the region of a question, in words. Worked: "on_demand or spot in us".
[[nodiscard]] inline std::string payment_words(const plan_sweep_request& asked) {
  std::string words;
  for (const provisioning kind : asked.kinds) words.append(words.empty() ? "" : " or ").append(name(kind));
  return words + " in " + asked.region;
}
/// Why a slice is in no row: the first limit that it is beyond. `trial`: of it; null: none runs there.
[[nodiscard]] inline std::string why_left_out(const plan_sweep_request& asked, sweep_request request,
                                              const slice& where, const trial_slice* trial) {
  const auto is_named = [&](const std::string& one) { return chip_for(one).name == where.chip.name; };
  if (asked.quota && chips(where) > *asked.quota) return "more chips than the quota";
  if (!asked.generations.empty() && std::none_of(asked.generations.begin(), asked.generations.end(), is_named))
    return "not of the generations that were asked for";
  const auto is_priced = [&](provisioning kind) {
    return find_price(request.prices, where, request.region, kind).has_value();
  };
  if (std::none_of(request.kinds.begin(), request.kinds.end(), is_priced)) return "no price of " + payment_words(asked);
  if (trial == nullptr) return std::string(no_trial_runs);
  request.slices = {*trial};
  request.deadline.reset();
  std::vector<sweep_plan> late = plan_sweep(request);
  if (late.empty()) return "a trial cannot be had for so long: " + payment_words(asked);
  const sweep_plan& soonest = *std::min_element(
      late.begin(), late.end(), [](const sweep_plan& a, const sweep_plan& b) { return a.wall_high < b.wall_high; });
  return readable::duration(soonest.wall_high) + " at most, " + std::string(name(soonest.kind)) +
         ": beyond the deadline of " + readable::duration(*asked.deadline);
}
/// Slices that were named and are in no row; where there is no row, and none was named, all on which a trial runs.
[[nodiscard]] inline std::vector<left_out_slice> left_out_of(const plan_sweep_request& asked,
                                                             const sweep_request& request,
                                                             const std::vector<sweep_row>& rows) {
  std::vector<left_out_slice> all;
  for (const std::string& one : asked.slices) {
    const slice where = slice_for(one);
    const std::string wanted(name(where).view());
    if (std::any_of(rows.begin(), rows.end(), [&](const sweep_row& row) { return row.slice == wanted; })) continue;
    const auto is = [&](const trial_slice& trial) { return name(trial.where).view() == wanted; };
    const auto trial = std::find_if(request.slices.begin(), request.slices.end(), is);
    all.push_back({wanted, why_left_out(asked, request, where, trial == request.slices.end() ? nullptr : &*trial)});
  }
  if (!rows.empty() || !asked.slices.empty()) return all;
  for (const trial_slice& trial : request.slices)
    all.push_back({std::string(name(trial.where).view()), why_left_out(asked, request, trial.where, &trial)});
  if (!all.empty()) return all;
  const std::string any = asked.quota ? "at most " + std::to_string(*asked.quota) + " chips" : "any slice";
  return {{any, "a trial runs on none that has a price of " + payment_words(asked)}};
}

/// The ways to do a sweep of these trials.
[[nodiscard]] inline plan_sweep_answer sweep_of(const plan_sweep_request& asked, const std::vector<trial_slice>& trials,
                                                const price_book& book, assumed_values& assumed) {
  const sweep_request sweep = request_of(asked, trials, book);
  plan_sweep_answer answer;
  answer.trials = asked.trials;
  for (const sweep_plan& p : sweep.slices.empty() ? std::vector<sweep_plan>{} : plan_sweep(sweep))
    answer.plans.push_back(
        {std::string(name(p.trial.where).view()), p.kind, p.trial.batch, p.parallel, chips(p.trial.where) * p.parallel,
         p.rounds, p.whole_trial, p.mean_trial, p.wall, p.wall_high, p.total, p.per_trial, p.preemptions, p.price,
         is_before_announced_change(p.price), p.trial.mesh ? std::optional<layout>(*p.trial.mesh) : std::nullopt});
  answer.left_out = left_out_of(asked, sweep, answer.plans);
  const std::int64_t stopped = stopped_trials(sweep);
  answer.stopped = static_cast<double>(stopped) / static_cast<double>(asked.trials);
  if (std::abs(answer.stopped - asked.stopped) > 1e-9)
    assumed.emplace_back("trials that are stopped early",
                         std::to_string(stopped) + " of " + std::to_string(asked.trials) + ": whole ones");
  answer.stopped_after = sweep.stopped_after;
  answer.quota = asked.quota;
  return answer;
}

}  // namespace detail

/// All ways to do the sweep, and why slices that were named are in none; the job is read from the request as JSON, as
/// the model takes it. Throws, naming the field, for no trials, neither quota nor parallel, a trial without a run or
/// with two, and what the plan of one trial refuses. Worked: of 40 trials of ResNet-50 over 10 epochs of 50000 images,
/// 8 at once, the cheapest is on spot.
[[nodiscard]] inline plan_sweep_answer answer_to(const any_model& model, const plan_sweep_request& asked,
                                                 const nlohmann::json& request, const price_book& book) {
  expect_region(book, asked.region);
  detail::check_trials(!model.net, model.net.has_value(), asked);
  if (!asked.sizes.empty() || asked.frames > 0 || asked.text_tokens > 0)
    detail::fail(errc::unsupported, "sizes", "given for another model", "a pipeline of images or clips");
  assumed_values assumed;
  plan_sweep_answer answer =
      detail::sweep_of(asked,
                       model.net ? detail::network_trials(model, asked, network_job_of(request), book, assumed)
                                 : detail::language_trials(model.config, asked, asked_job_of(request), book, assumed),
                       book, assumed);
  answer.assumed = all_assumed(model.config, assumed);
  answer.model = model.config.model.name.view();
  return answer;
}
/// The same of training a denoiser of images or clips. Worked: of 8 trials of adapters the best way has a price.
[[nodiscard]] inline plan_sweep_answer answer_to(const diffusion_pipeline& pipeline,
                                                 const std::vector<assumption>& read, const plan_sweep_request& asked,
                                                 const nlohmann::json& request, const price_book& book) {
  expect_region(book, asked.region);
  detail::check_trials(false, false, asked);
  const auto job = request.contains("job") ? read_json<diffusion_training_job>(request["job"], {}, "request.job")
                                           : diffusion_training_job{};
  assumed_values assumed;
  plan_sweep_answer answer =
      detail::sweep_of(asked, detail::picture_trials(pipeline, asked, job, book, assumed), book, assumed);
  detail::set_assumed(answer.assumed, read, assumed);
  answer.model = pipeline.name.view();
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::plan_sweep_request, config, job, trials, parallel, quota, stopped, stopped_after, deadline,
               slices, tokens, data, steps, input, sizes, frames, text_tokens, around, kinds, region, zone, generations,
               mean_time_between_preemptions, market, lifetimes, queue_time, restart_time, chip_time_between_failures,
               prices)
TPUPLAN_FIELDS(tpuplan::sweep_row, slice, kind, batch, parallel, chips, rounds, whole_trial, mean_trial, wall,
               wall_high, total, per_trial, preemptions, price, superseded, mesh)
TPUPLAN_FIELDS(tpuplan::left_out_slice, slice, why)
TPUPLAN_FIELDS(tpuplan::plan_sweep_answer, trials, plans, assumed, left_out, model, stopped, stopped_after, quota)

#endif
