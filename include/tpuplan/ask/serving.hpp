#ifndef TPUPLAN_ASK_SERVING_HPP
#define TPUPLAN_ASK_SERVING_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/adapters.hpp>
#include <tpuplan/ask/drafts.hpp>
#include <tpuplan/ask/lengths.hpp>
#include <tpuplan/ask/serving_checks.hpp>
#include <tpuplan/ask/serving_rows.hpp>
#include <tpuplan/ask/software.hpp>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/speculation.hpp>
#include <tpuplan/plan/serving_levers.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <tpuplan/simulate/replica_rates.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <tpuplan/simulate/slowdown.hpp>
#include <vector>

/// @file
/// The question of one serving engine: how fast, how many at once, at what price.

namespace tpuplan {
inline namespace abi_0 {

/// Traffic as `serve` of the command line has it where none is given: prompts of 1024 tokens, outputs of 256. Worked:
/// 1024 and 256 are fixed, so the longest sequence has 1280 tokens.
[[nodiscard]] inline serving_job usual_traffic() {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  return job;
}

/// Fills in the lengths that a question leaves open, as its model has them: an encoder has no outputs, a window of
/// sound one length, and a prompt no more tokens than the model takes. Worked: of BERT, which takes 512 tokens, prompts
/// of 512 and no outputs; of Whisper the 1500 tokens of its window.
inline void use_own_lengths(const transformer& model, bool prompt_given, bool output_given, serving_job& job) {
  if (model.kind == architecture::decoder) return;
  if (!output_given && model.kind == architecture::encoder) job.output = {};
  if (prompt_given) return;
  const std::int64_t window = model.encoder_stem > 0 ? model.encoder_positions : 0;
  const std::int64_t most = model.max_positions > 0 ? model.max_positions : usual_traffic().prompt.longest;
  job.prompt = fixed_length(window > 0 ? window : std::min(most, usual_traffic().prompt.longest));
}

/// How fast does a slice answer, and at what price?
struct serve_request {
  /// @{
  /// The model, the slice and the traffic; the price file and the region as in train_request.
  nlohmann::json config{};
  std::string slice{};
  serving_job job = usual_traffic();
  /// Distributions of lengths, instead of the lengths of the job.
  std::optional<length_distribution> prompts{}, outputs{};
  serving_layout mesh{};  ///< devices of a replica; tensor 0: the whole slice is one replica
  /// Constants of the estimate, such as host times measured on the engine itself.
  serving_calibration constants{};
  nlohmann::json calibration{};   ///< runs of the user's own, as tpuplan calibrate writes them; nothing: none
  std::int64_t adapters = 0;      ///< low-rank adapters that are held on the chips at once
  std::int64_t adapter_rank = 0;  ///< of each
  std::string region = "us";
  nlohmann::json prices{};
  /// @}
};
/// A million tokens at one price.
struct token_price {
  /// @{
  /// The way of paying, and the date of its price.
  tpuplan::provisioning provisioning{};
  std::string price_date{};
  char price_grade = 'C';   ///< how reliable the source of the price is: A (best) to D
  double usd_per_hour = 0;  ///< dollars per hour for the whole slice
  /// Dollars per million tokens, each by the chip time that it takes.
  double input_usd_per_million = 0, output_usd_per_million = 0;
  double all_on_output_usd_per_million = 0;  ///< dollars per million output tokens if prompts are free
  /// The ends of that by the band of a token: of a rate of requests, which is paid by the hour, both are the figure.
  double all_on_output_usd_per_million_low = 0, all_on_output_usd_per_million_high = 0;
  double requests_usd_per_million = 0;  ///< dollars per million requests
  price_row price{};                    ///< the row of the price list that was used
  bool superseded = false;              ///< that row is older than an announced change
  /// @}
};
/// One change that serves more.
struct served_change {
  /// @{
  /// What is wasteful, and the rate and time per token after the change.
  serving_finding_kind kind{};
  /// The part that is meant, its present value, and the better one, in words.
  std::string subject{}, now{}, better{};
  per_second output_tokens{};           ///< output tokens per second of the slice now
  double output_tokens_per_s_then = 0;  ///< the same after the change
  seconds per_token_then{};             ///< time per output token after the change
  double gain = 0;                      ///< share of the chip time per output token that is saved, 0 to 1
  std::string words{};                  ///< what is set to what, and what it was
  /// @}
};
/// A change that, made alone, keeps all targets.
struct serving_change_row {
  /// @{
  /// What is changed, and its value now and then, in the base unit of what is changed.
  serving_lever change{};
  double given = 0, needed = 0;
  std::optional<dtype> weights{};  ///< format of the weights after the change, where that is what changes
  /// @}
};
/// So many requests in a step of an encoder.
struct requests_together {
  /// @{
  /// How many, how long the step takes, and the requests a second of all replicas.
  std::int64_t requests = 0;
  seconds step{};
  per_second rate{};
  /// @}
};
/// What an encoder does: no token is decoded, and nothing is kept.
struct encoder_answer {
  /// @{
  /// The mean step; steps of 1, 2, 4 … requests; and the requests a second where one process of the host takes as long
  /// for each request as engines that decode do.
  encoder_step step{};
  std::vector<requests_together> together{};
  per_second capacity_of_one_process{};
  /// @}
};
/// What an engine on the slice does, and its costs.
struct serve_answer {
  /// @{
  /// The service of the slice, its costs, and the question's open values.
  verdict fits{};               ///< whether weights and cache fit in memory
  double chance_to_fit = 0;     ///< of that, 0.05 to 0.95
  serving_estimate estimate{};  ///< rates per second and latencies in seconds
  /// The chance that a measured mean keeps its target, 0.05 to 0.95; nothing without a target.
  std::optional<double> chance_to_keep_ttft{}, chance_to_keep_tpot{};
  std::optional<requests_at_rate> at_rate{};  ///< the ends of mean times, of requests that come at a rate
  /// Engines that may run: the one that is named or, where none is, those that ran in published runs, most first.
  std::vector<served_software> software{};
  /// The range of the time of a token where no engine is named, with so many sequences at once; nothing where nothing
  /// is served then.
  std::optional<seconds> unnamed_low{}, unnamed_high{};
  std::optional<double> unnamed_running{};
  /// That where nobody says how well the program is tuned; nothing where nobody does.
  std::optional<seconds> untold_low{}, untold_high{};
  std::string slice{};
  /// Chips of the slice, and the longest context in tokens that fits.
  std::int64_t chips = 0, largest_context = 0;
  std::optional<double> output_tokens_per_s_per_chip{};  ///< nothing where the slice cannot serve
  std::vector<token_price> costs{};                      ///< dollars per million tokens, one row for each way of paying
  serving_frontier frontier{};                           ///< throughput against time per token, by running sequences
  std::vector<speculative_time> speculation{};           ///< with drafts, by running sequences, where it speculates
  std::vector<served_change> advice{};                   ///< changes that serve more
  std::optional<latency_targets> targets{};              ///< latency targets by percentile, where the job has some
  /// One replica under its share of the traffic, where there are such targets and it can serve.
  std::optional<simulation_report> simulated{};
  std::optional<bool> meets_targets{};  ///< whether the simulated replica meets them
  /// By how much its steps may take longer until one is missed, and the chance that they take no longer, within the
  /// band of the estimate.
  std::optional<double> slowdown{}, chance_at_targets{};
  std::vector<serving_change_row> changes{};  ///< changes that would meet those targets, where they are missed
  std::optional<adapter_answer> adapters{};   ///< where there are some
  std::optional<encoder_answer> encoder{};    ///< of an encoder that serves
  std::vector<assumption> assumed{};
  std::string model{};    ///< name of the model
  architecture kind{};    ///< of the model
  serving_job job{};      ///< the traffic, with nothing left open
  serving_layout mesh{};  ///< of a replica
  /// @}
};
/// What is taken of an encoder, or of a pair of stacks, that serves. Worked: of BERT three entries, of Llama none.
[[nodiscard]] inline assumed_values assumed_kind(const serving_job& asked, const transformer& model) {
  if (model.kind == architecture::decoder) return {};
  assumed_values assumed;
  const bool pair = model.kind == architecture::encoder_decoder;
  assumed.emplace_back("runs",
                       std::string("0 published ones of ") + (pair ? "encoders with decoders" : "encoders") +
                           " that serve on a TPU: constants of decoders, full attention over the prompt, a wider band");
  if (pair) return assumed;
  assumed.emplace_back("host", "tokenizing and answering are not in these times: engines that decode take " +
                                   readable::duration(serving_calibration{}.engine_request) +
                                   " of a process for each request");
  if (asked.prefill_chunk == 0)
    assumed.emplace_back("tokens of a step", std::to_string(as_engine_runs(asked, model).prefill_chunk) +
                                                 ": the default of Text Embeddings Inference, or the longest prompt");
  return assumed;
}
/// What is taken from the scheduler of the engine where the job leaves it open. Worked: of vLLM, whose steps take 2048
/// tokens, one entry; with tokens of a step given, none.
[[nodiscard]] inline assumed_values assumed_schedule(const serving_job& asked) {
  const detail::engine_row& row = detail::row_of(asked.engine);
  assumed_values assumed;
  if (asked.prefill_chunk == 0 && row.step_tokens > 0)
    assumed.emplace_back("tokens of a step",
                         std::to_string(row.step_tokens) + ", as " + row.scheduler + " has where none are said");
  if (const std::int64_t block = as_engine_runs(asked).block_tokens; asked.block_tokens == 0 && block > 1)
    assumed.emplace_back("block of the cache", std::to_string(block) + " tokens, as " + row.title +
                                                   (row.chooses_block ? " chooses" : " has in its recipes"));
  if (row.prompts_alone)
    assumed.emplace_back("prompts", std::string("in steps of their own, as ") + row.scheduler + " computes them");
  return assumed;
}
/// The same of a model: encoders have steps of their own. Worked: of BERT nothing, whatever the engine.
[[nodiscard]] inline assumed_values assumed_schedule(const serving_job& asked, const transformer& model) {
  if (model.kind != architecture::decoder) return {};
  serving_job own = with_image_tokens(asked, model);
  if (tpuplan::detail::keeps_states_alone(model)) own.block_tokens = 1;  // it has none
  return assumed_schedule(own);
}
/// What times and targets of a serving question rest on. Worked: a `ttft_target_s` without a rate of requests rests on
/// the means of a steady state; with 8 clients on one replica whose prefill takes 20 ms, the last of a burst waits
/// 160 ms.
[[nodiscard]] inline assumed_values assumed_basis(const serving_job& job) {
  assumed_values assumed;
  if (any_target(job.percentiles))
    assumed.emplace_back("targets by percentile", "held against a simulation of one replica, not the closed form");
  if (job.ttft_target.value() <= 0 && job.tpot_target.value() <= 0) return assumed;
  std::string words = "held against means of the closed form, in a steady state";
  if (job.request_rate.value() > 0)
    words +=
        "; at 80 % of the capacity a simulation of such requests differs by a factor of up to 1.4 for each token "
        "and 1.6 for the first one in nine of ten questions; targets by percentile rest on it";
  assumed.emplace_back("targets", words);
  return assumed;
}
/// How long the last of the clients waits for its first token where all begin at once: prompts that fit into a step are
/// computed in one, and who finds no slot waits for whole requests; of an encoder for its answer. Worked: 8 prompts
/// that fit into one step wait as long as one of 8.
[[nodiscard]] inline seconds burst_wait(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                        const slice& where, const serving_estimate& estimate,
                                        const serving_calibration& constants = default_serving_calibration) {
  const std::int64_t all = ceil_div(job.concurrency, estimate.replicas);
  const std::int64_t slots = std::max<std::int64_t>(1, std::min(all, estimate.largest_running));
  if (model.kind == architecture::encoder) {
    const auto step = [&](std::int64_t requests) {
      return encoder_step_time(model, static_cast<double>(requests), job, mesh, where, constants).total;
    };
    return static_cast<double>(all / slots) * step(slots) + (all % slots > 0 ? step(all % slots) : seconds{0});
  }
  const double fresh = std::max(1.0, job.prompt.mean * (1 - job.prefix_hit_rate));
  const bool alone = tpuplan::detail::row_of(job.engine).prompts_alone;
  const double fit = job.prefill_chunk > 0 ? std::floor(static_cast<double>(job.prefill_chunk) / fresh) : 1e9;
  const auto together = static_cast<std::int64_t>(alone ? 1 : std::max(1.0, std::min(fit, static_cast<double>(slots))));
  const seconds step = engine_prefill_time(model, job, mesh, where, constants, together);
  const double waves = static_cast<double>(ceil_div(all, slots) - 1);
  return static_cast<double>(slots) / static_cast<double>(together) * step +
         waves * (estimate.prefill + job.output.mean * estimate.per_token.total);
}
/// The same, and how long a burst of the clients waits; nothing: no client waits for another.
[[nodiscard]] inline assumed_values assumed_basis(const serving_job& job, const std::optional<seconds>& burst) {
  assumed_values assumed = assumed_basis(job);
  if (burst)
    assumed.emplace_back(job.output.mean > 0 ? "first token" : "answer",
                         "of clients that have been sending for a while; where all begin at once, the last of them "
                         "waits about " +
                             readable::duration(*burst));
  return assumed;
}
namespace detail {
/// What a million output tokens cost at the ends of the band of a token: without a rate of requests an engine that
/// takes as much longer makes as many fewer in an hour.
struct cost_range {
  usd low{}, high{};
};
[[nodiscard]] inline cost_range range_of_output_cost(const serving_estimate& estimate, const serving_job& job,
                                                     usd each) {
  const token_time& token = estimate.per_token;
  if (job.request_rate.value() > 0 || token.total.value() <= 0) return {each, each};
  return {each * (token.low / token.total), each * (token.high / token.total)};
}

/// A million tokens under each way of paying that has a price.
[[nodiscard]] inline std::vector<token_price> token_prices(const serving_estimate& estimate, const serving_job& job,
                                                           const slice& where, const price_book& book,
                                                           const std::string& region) {
  std::vector<token_price> list;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, where, region, kind);
    if (!price || estimate.running <= 0) continue;
    const serving_cost cost = cost_of_tokens(estimate, where, *price);
    const cost_range range = range_of_output_cost(estimate, job, cost.all_on_output);
    list.push_back({kind, std::string(price->date.view()), price->grade, cost.rate.value() * 3600, cost.input.value(),
                    cost.output.value(), cost.all_on_output.value(), range.low.value(), range.high.value(),
                    cost.requests.value(), *price, is_before_announced_change(*price)});
  }
  return list;
}
}  // namespace detail
/// The changes as rows of an answer; a row has a format of weights where these are what changes. Worked: a change of
/// weights to int8 is a row with `weights` int8, a change of the rate a row without.
[[nodiscard]] inline std::vector<serving_change_row> rows_of(const std::vector<serving_change>& changes) {
  std::vector<serving_change_row> rows;
  for (const serving_change& one : changes) {
    rows.push_back({one.what, one.given, one.needed, {}});
    if (one.what == serving_lever::weights) rows.back().weights = one.job.weights;
  }
  return rows;
}

namespace detail {
/// "tensor 1 instead of 8".
[[nodiscard]] inline std::string change_words(const serving_finding& found) {
  const std::string_view field = found.subject;
  std::string words(field.substr(field.rfind('.') + 1));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words.append(" ").append(found.better.view()).append(" instead of ").append(found.now.view());
}
/// By how much the steps of the simulated replica may take longer, and the chance of that.
inline void add_chance(const transformer& model, const serving_job& means, const serving_fleet& fleet,
                       const serve_request& asked, serve_answer& answer) {
  simulated_traffic traffic = traffic_of(means, planning_requests_of(means), 1, drawn_of(asked, model));
  traffic.rate = traffic.rate / static_cast<double>(replicas_of(fleet));
  const std::vector<simulated_request> requests = requests_of(traffic);
  const simulated_engine engine = engine_of(model, means, fleet, 1, requests.size());
  const replica_step_times times{model, means, fleet.mesh, fleet.where, engine.max_running, asked.constants};
  const slowdown_chance kept =
      slowdown_and_chance(engine, requests, times, asked.job.percentiles, answer.estimate, most_slower(means));
  answer.slowdown = kept.factor;
  answer.chance_at_targets = kept.chance;
}
/// Holds targets by percentile against a simulated replica with its share of the requests. Where it misses them, so
/// that the slice cannot do what was asked: what would keep them.
inline void hold_percentiles(const model_config& config, const serve_request& asked, const serving_fleet& fleet,
                             serve_answer& answer) {
  serving_job means = asked.job;
  means.percentiles = {};
  const auto report = [&](const serving_job& job) -> std::optional<simulation_report> {
    if (serve(config.model, job, fleet.mesh, fleet.where, asked.constants).refusal != serving_refusal::none) return {};
    simulated_traffic traffic = traffic_of(job, planning_requests_of(job), 1, drawn_of(asked, config.model));
    traffic.rate = traffic.rate / static_cast<double>(replicas_of(fleet));
    return report_of(simulate_fleet(config.model, job, fleet, 1, requests_of(traffic), asked.constants),
                     asked.job.percentiles);
  };
  answer.targets = asked.job.percentiles;
  answer.simulated = report(means);
  answer.meets_targets = answer.simulated && meets(*answer.simulated);
  if (answer.simulated) add_chance(config.model, means, fleet, asked, answer);
  answer.meets_targets = *answer.meets_targets && are_kept_with_adapters(means, answer.slowdown);
  if (answer.simulated && meets(*answer.simulated)) return;
  if (!answer.simulated && answer.estimate.refusal != serving_refusal::rate_above_capacity) return;
  std::int64_t steps = most_planning_steps / 2;  // of all changes together
  answer.changes = rows_of(changes_that_help(config.model, means, [&](const serving_job& job) {
    if (serve(config.model, job, fleet.mesh, fleet.where, asked.constants).refusal != serving_refusal::none)
      return false;
    replica_rates rates{
        config.model, job, asked.constants, asked.job.percentiles, steps, 1, drawn_of(asked, config.model)};
    const bool holds = rates.missed_alone(fleet.where, fleet.mesh).value() <= 0 &&
                       rates.holds(fleet.where, fleet.mesh, job.request_rate / static_cast<double>(replicas_of(fleet)));
    steps = rates.steps_left();
    return holds;
  }));
}
}  // namespace detail
namespace detail {
/// What an encoder does; nothing of other models, and where it serves nothing.
inline std::optional<encoder_answer> encoder_part(const transformer& model, const serve_request& asked,
                                                  const slice& where, const serving_estimate& estimate) {
  if (model.kind != architecture::encoder || estimate.running <= 0) return std::nullopt;
  serving_job job = asked.job;
  job.percentiles = {};
  const auto step_of = [&](double requests) {
    return encoder_step_time(model, requests, job, asked.mesh, where, asked.constants);
  };
  encoder_answer answer;
  answer.step = step_of(estimate.running);
  const auto replicas = static_cast<double>(estimate.replicas);
  const std::int64_t most = estimate.largest_running;
  for (std::int64_t requests = 1; requests <= most && answer.together.size() < 32;) {
    const seconds step = step_of(static_cast<double>(requests)).total;
    answer.together.push_back({requests, step, replicas * static_cast<double>(requests) / step});
    if (requests == most) break;
    requests = std::min(most, 2 * requests);
  }
  answer.capacity_of_one_process = min(estimate.capacity, replicas / asked.constants.engine_request);
  return answer;
}
}  // namespace detail

namespace detail {
/// Refuses token times of the caller's own beside an encoder, which writes no tokens and has no use of them.
inline void check_own_tokens(const transformer& model, const serving_calibration& constants) {
  if (model.kind == architecture::encoder && constants.own_decode.count > 0 && constants.own_prefill.count == 0)
    fail(errc::invalid_argument, "calibration", "of token times, for an encoder", "first tokens of prompts");
}
}  // namespace detail

/// What an engine on the slice does under the job, and its dollars per million tokens at these prices. `config` and
/// `given.job` are taken as they are, with the formats of their weights and what their engine does by itself filled in.
/// Throws, naming the field, for an unknown slice or region, products in a format that the chip has no rate for, and
/// targets by percentile without a rate of requests. Worked: Llama 3 8B fits v5e-8 with tensor parallelism over 8, and
/// `output_tokens_per_s_per_chip` is an eighth of the rate of output tokens.
[[nodiscard]] inline serve_answer answer_to_serve(const model_config& config, const serve_request& given,
                                                  const price_book& book) {
  serve_request asked = given;
  detail::use_moments(given, asked.job);
  asked.job = as_engine_runs(with_image_tokens(asked.job, config.model), config.model);
  const bool adapted = detail::hold_adapters(config.model, asked.adapters, asked.adapter_rank, asked.job);
  detail::use_draft_cost(config.model, asked.job);
  const slice where = scheduled_slice(asked.slice);
  detail::check_arithmetic(where.chip, asked.job.activations);
  check_sharding(config.model, asked.mesh, where);
  check_later_tokens(asked.job);
  detail::check_prefix_found(asked.job);
  expect_region(book, asked.region);
  detail::check_own_tokens(config.model, asked.constants);
  detail::validate(asked.job.percentiles);
  if (any_target(asked.job.percentiles) && asked.job.request_rate.value() <= 0)
    detail::fail(errc::missing_field, "job.request_rate_per_s", "missing",
                 "requests a second, for targets by percentile; simulate holds them for requests in flight");
  serving_job job = asked.job;
  job.percentiles = {};
  serve_answer answer;
  answer.estimate = serve(config.model, job, asked.mesh, where, asked.constants);
  if (adapted) answer.estimate = detail::held_with_adapters(answer.estimate, job);
  answer.fits = answer.estimate.fit;
  answer.model = config.model.name.view();
  answer.kind = config.model.kind;
  answer.job = asked.job;
  answer.mesh = asked.mesh;
  answer.slice = tpuplan::name(where).view();
  const detail::software_of known{
      config.model,          job, asked.mesh, where, asked.constants, answer.estimate, given.job.prefill_chunk,
      given.job.block_tokens};
  answer.chance_to_fit = known.chance_to_fit();
  answer.chance_to_keep_ttft = known.chance_to_keep_ttft(), answer.chance_to_keep_tpot = known.chance_to_keep_tpot();
  answer.at_rate = known.at_rate();
  answer.software = known.engines();
  if (const maybe<serving_estimate> unnamed = known.under(serving_engine::unnamed))
    answer.unnamed_low = unnamed->per_token.low, answer.unnamed_high = unnamed->per_token.high,
    answer.unnamed_running = unnamed->running;
  if (const maybe<serving_estimate> untold = known.untold())
    answer.untold_low = untold->per_token.low, answer.untold_high = untold->per_token.high;
  answer.chips = tpuplan::chips(where);
  answer.largest_context = largest_serving_context(config.model, job, asked.mesh, where);
  if (answer.estimate.running > 0)
    answer.output_tokens_per_s_per_chip = answer.estimate.output_tokens.value() / static_cast<double>(answer.chips);
  answer.costs = detail::token_prices(answer.estimate, job, where, book, asked.region);
  answer.frontier = tpuplan::frontier(config.model, job, asked.mesh, where, asked.constants);
  if (job.speculation.draft_tokens > 0) {
    for (std::size_t i = 0; i < answer.frontier.count; ++i)
      answer.speculation.push_back(speculative_token_time(config.model, answer.frontier.points[i].running, job,
                                                          asked.mesh, where, job.speculation, asked.constants));
  }
  const bool latent = has_latent_attention(config.model);
  const auto is_taken = [&](const serving_job& of) { return job_limit(job.engine, of).field.empty(); };
  const auto is_run = [&](const serving_finding& f) {  // by the engine; other changes leave the layout as it is
    const bool laid_out = f.kind == serving_finding_kind::replicas || f.kind == serving_finding_kind::cache_sharding;
    return laid_out ? layout_limit(job.engine, f.mesh_then, where, latent).field.empty()
                    : is_taken(f.job_then) || !is_taken(job);
  };
  for (const serving_finding& f : serving_advice(config.model, job, asked.mesh, where, asked.constants)) {
    if (!is_run(f)) continue;
    answer.advice.push_back({f.kind, std::string(f.subject.view()), std::string(f.now.view()),
                             std::string(f.better.view()), f.rate_now, f.rate_then.value(), f.per_token_then, f.gain,
                             detail::change_words(f)});
  }
  if (any_target(asked.job.percentiles)) detail::hold_percentiles(config, asked, {asked.mesh, where}, answer);
  answer.encoder = detail::encoder_part(config.model, asked, where, answer.estimate);
  if (adapted && answer.estimate.refusal == serving_refusal::none) {
    answer.adapters = detail::adapters_of(asked.job, asked.mesh, where);
    const per_second now = answer.estimate.output_tokens;
    const bool by_rate = asked.job.request_rate.value() > 0;  // which is served up to the capacity
    const per_second most = by_rate ? answer.estimate.capacity * asked.job.output.mean : now;
    answer.adapters->output_tokens_low = min(now, most * (1 - detail::most_slowed));
    answer.adapters->output_tokens_high = min(now, most * (1 - detail::least_slowed));
    detail::slow_capacity(*answer.adapters, answer.estimate.capacity);
  }
  assumed_values assumed = assumed_engine(asked.job.engine, config.model, asked.job.images);
  const bool is_burst =
      asked.job.concurrency > 1 && answer.estimate.replicas > 0 && answer.estimate.prefill.value() > 0;
  const std::optional<seconds> burst =
      is_burst
          ? std::optional<seconds>(burst_wait(config.model, job, asked.mesh, where, answer.estimate, asked.constants))
          : std::nullopt;
  for (assumed_values& more : std::array<assumed_values, 6>{
           assumed_runs(asked.constants), assumed_hosts(asked.job.engine, asked.mesh, where),
           assumed_kind(given.job, config.model), assumed_schedule(given.job, config.model),
           assumed_basis(asked.job, burst), detail::assumed_drafts(given.job.speculation, asked.job.speculation)})
    assumed.insert(assumed.end(), more.begin(), more.end());
  if (adapted) assumed.emplace_back(detail::assumed_adapters);
  answer.assumed = all_assumed(config, assumed);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::serve_request, config, slice, job, prompts, outputs, mesh, constants, calibration, adapters,
               adapter_rank, region, prices)
TPUPLAN_FIELDS(tpuplan::token_price, provisioning, price_date, price_grade, usd_per_hour, input_usd_per_million,
               output_usd_per_million, all_on_output_usd_per_million, all_on_output_usd_per_million_low,
               all_on_output_usd_per_million_high, requests_usd_per_million, price, superseded)
TPUPLAN_FIELDS(tpuplan::served_change, kind, subject, now, better, output_tokens, output_tokens_per_s_then,
               per_token_then, gain, words)
TPUPLAN_FIELDS(tpuplan::serving_change_row, change, given, needed, weights)
TPUPLAN_FIELDS(tpuplan::serve_answer, fits, chance_to_fit, estimate, chance_to_keep_ttft, chance_to_keep_tpot, at_rate,
               software, unnamed_low, unnamed_high, unnamed_running, untold_low, untold_high, slice, chips,
               largest_context, output_tokens_per_s_per_chip, costs, frontier, speculation, advice, targets, simulated,
               meets_targets, slowdown, chance_at_targets, changes, adapters, encoder, assumed, model, kind, job, mesh)
TPUPLAN_FIELDS(tpuplan::requests_together, requests, step, rate)
TPUPLAN_FIELDS(tpuplan::encoder_answer, step, together, capacity_of_one_process)

#endif
