#ifndef TPUPLAN_ASK_TRAINING_HPP
#define TPUPLAN_ASK_TRAINING_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/phases.hpp>
#include <tpuplan/ask/trained_software.hpp>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/run_prices.hpp>
#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/estimate/training/largest_batch.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/own_runs.hpp>
#include <tpuplan/estimate/training/published_layouts.hpp>
#include <tpuplan/estimate/training/quantiles.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/vision.hpp>
#include <tpuplan/parallel/open_layout.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/show/text/advice.hpp>
#include <utility>
#include <vector>

/// @file
/// The questions of one model and one slice: model, fit, train.

namespace tpuplan {
inline namespace abi_0 {

/// How many parameters, FLOPs and KV bytes has it?
struct model_request {
  nlohmann::json config{};  ///< a config.json, or a transformer as `json_document` writes it
  /// Tokens of the sequences for which FLOPs are counted; 0: 4096, or the longest of the model.
  std::int64_t sequence_length = 0;
  dtype kv_dtype = dtype::bf16;  ///< format of the KV cache
};
/// The rows of the question model.
inline constexpr question_row count_rows[] = {
    rows::count("sequence_length", "--seq", "Sequence length", "tokens", "sequence length at which FLOPs are counted")
        .within(1, 1e9),
    rows::choice("kv_dtype", "--kv-dtype", "KV cache", format_choices, "format of the KV cache").usually("bf16"),
};
/// The counts of a model.
struct model_answer {
  /// @{
  /// Counts of the model. A count that does not apply to this kind of model is nothing.
  std::string name{}, model_type{};  ///< the name of the model, and its type in the config.json
  tpuplan::architecture architecture{};
  std::int64_t parameters = 0, active_parameters = 0;  ///< all parameters, and those that one token uses
  parameter_count breakdown{};                         ///< parameters by part of the model
  std::optional<double> kv_bytes_per_token{};          ///< bytes of keys and values of one token; of a decoder
  dtype kv_dtype{};                                    ///< format of the KV cache
  /// Bytes that recurrent layers keep for one sequence; of a decoder.
  std::optional<double> state_bytes_per_sequence{};
  /// FLOPs of one token, forward, and forward and backward.
  std::optional<double> forward_flops_per_token{}, training_flops_per_token{};
  std::int64_t sequence_length = 0;             ///< tokens of the sequences for which FLOPs are counted
  std::optional<std::int64_t> source_length{};  ///< tokens of the encoder's sequence; of an encoder and decoder
  /// Forward FLOPs of one pair of sequences; of an encoder and decoder.
  std::optional<pair_flops> flops_per_pair{};
  std::optional<pair_cache> cache_per_pair{};      ///< bytes of keys and values of one pair; of an encoder and decoder
  std::optional<std::int64_t> image_tokens{};      ///< tokens of one image; of a model with a vision tower
  std::optional<double> vision_flops_per_image{};  ///< FLOPs of the vision tower for one image
  std::vector<assumption> assumed{};
  std::vector<std::string> not_read{};  ///< keys of the config.json that no count depends on
  /// @}
};
/// What a model has: parameters, FLOPs, bytes of its cache. Throws for a model that cannot be counted. Worked: the
/// config.json of Llama 3.1 8B has 8030261248 parameters.
[[nodiscard]] inline model_answer answer_to(const model_config& config, std::int64_t sequence, dtype cache) {
  const transformer& m = config.model;
  model_answer answer;
  answer.name = m.name.view();
  answer.model_type = config.model_type;
  answer.architecture = m.kind;
  answer.breakdown = parameters(m);
  answer.parameters = answer.breakdown.total;
  answer.active_parameters = answer.breakdown.active;
  if (m.kind == architecture::decoder) {
    answer.kv_bytes_per_token = kv_bytes_per_token(m, cache).value();
    answer.state_bytes_per_sequence = state_bytes_per_sequence(m).value();
  }
  answer.kv_dtype = cache;
  answer.sequence_length = sequence > 0 ? sequence : usual_sequence(m);
  if (m.kind == architecture::decoder || m.kind == architecture::encoder) {
    answer.forward_flops_per_token = forward_flops_per_token(m, answer.sequence_length).total.value();
    answer.training_flops_per_token = training_flops_per_token(m, answer.sequence_length).value();
  }
  if (m.kind == architecture::encoder_decoder) {
    const std::int64_t source = source_length(m, answer.sequence_length);
    answer.source_length = source;
    answer.flops_per_pair = forward_flops_per_pair(m, source, answer.sequence_length);
    answer.cache_per_pair = kv_bytes_per_pair(m, source, answer.sequence_length, cache);
  }
  if (has_vision(m)) {
    answer.image_tokens = image_tokens(m.vision);
    answer.vision_flops_per_image = vision_flops_per_image(m.vision).value();
  }
  assumed_values counted;
  if (m.kind == architecture::encoder && m.output_head)
    counted.emplace_back("logits", "of all tokens; train counts the 15 % that are masked");
  answer.assumed = all_assumed(config, counted);
  answer.not_read = config.not_read;
  return answer;
}

/// One change that takes less time.
struct advised_change {
  /// @{
  /// What is wasteful, and the step before and after the change.
  finding_kind kind{};
  /// The part that is meant, its present value, and the better one, in words.
  std::string subject{}, now{}, better{};
  seconds step_time{}, step_time_then{};  ///< time of one step, before and after the change
  double work = 1;                        ///< work of a step after the change, over that before it
  double gain = 0;                        ///< share of the chip time that the same work takes less, 0 to 1
  std::string words{};                    ///< all of it as a sentence
  /// @}
};
namespace detail {
/// The findings as rows; `memory_of(case)` is that of the job after the change.
template <class Memory>
[[nodiscard]] std::vector<advised_change> changes_of(const findings& advice, const Memory& memory_of) {
  std::vector<advised_change> list;
  for (const finding& f : advice)
    list.push_back({f.kind, std::string(f.subject.view()), std::string(f.now.view()), std::string(f.better.view()),
                    f.step_time_now, f.step_time_then, f.work, f.gain, readable::sentence(f, memory_of(f.then))});
  return list;
}
}  // namespace detail

/// Does a training job fit?
struct fit_request {
  nlohmann::json config{};  ///< as in model_request
  std::string slice{};      ///< "v5p-128"
  training_job job{};       ///< batch, sequence length and policy that are not given are filled in
  /// Tokens of a step instead of job.global_batch, rounded to a batch that divides well.
  std::int64_t batch_tokens = 0;
  layout mesh = open_layout();   ///< FSDP of 0: all devices that the other degrees leave
  nlohmann::json calibration{};  ///< runs of the user's own, as tpuplan calibrate writes them; nothing: none
};
/// A slice on which a job fits, and how it is laid out there.
struct fitting_slice {
  /// @{
  /// The slice, and what differs from the job.
  std::string slice{};
  layout mesh{};
  std::string remat{};
  std::int64_t gradient_accumulation = 1;
  /// @}
};
/// Whether a job fits, and of what its memory is made.
struct fit_answer {
  /// @{
  /// Memory of one device, in bytes, and the question with nothing left open.
  verdict fits{};            ///< yes, no, or uncertain where the band of the estimate includes the limit
  double chance_to_fit = 0;  ///< 0.95 where it fits, 0.05 where it does not, and in between where that is uncertain
  /// Estimated bytes, the ends of their band, and the bytes that a program may use.
  bytes used{}, used_low{}, used_high{}, usable{};
  memory_breakdown breakdown{};  ///< the bytes by part: parameters, gradients, activations and so on
  /// Sequences that surely fit; nothing: no batch does with this layout and policy.
  std::optional<std::int64_t> largest_batch{};
  std::string slice{};
  layout mesh{};
  training_job job{};
  std::vector<assumption> assumed{};  ///< values that the question left open, and why they were assumed
  /// Changes that take less chip time; nothing where the step cannot be timed.
  std::optional<std::vector<advised_change>> advice{};
  std::string model{};  ///< name of the model
  /// Where it does not surely fit: the smallest slice of that generation on which it does; nothing: there is none.
  std::optional<fitting_slice> smallest{};
  std::int64_t own_peaks = 0;  ///< the user's own peaks that correct memory; with them no other slice is searched for
  /// @}
};
/// The job on the slice, with nothing left open.
struct placed_job {
  /// @{
  /// The question with nothing left open.
  model_config config{};
  slice where{};
  layout mesh{};
  training_job job{};
  assumed_values assumed{};
  own_runs known_memory{};  ///< peaks of memory in the user's own runs
  calibration constants{};  ///< constants of the step time, which may include the user's own step times
  /// @}
};
/// The job on a slice of that name: layout, batch and what else the question leaves open is filled in, and listed under
/// `assumed`. Throws, naming the field, for an unknown slice, a layout that is not of it, and a batch given both in
/// sequences and in tokens. Worked: Llama 3 8B on "v5p-128" with nothing said has FSDP over 64 and 64 sequences of 4096
/// tokens.
[[nodiscard]] inline placed_job placed(model_config config, const std::string& slice_name, const layout& mesh,
                                       const asked_job& asked) {
  placed_job all;
  all.config = std::move(config);
  if (asked.job.global_batch != 0 && asked.batch_tokens != 0)
    detail::fail(errc::invalid_argument, "batch_tokens", "given without effect", "none beside job.global_batch");
  all.where = scheduled_slice(slice_name);
  all.mesh = filled_layout(mesh, all.where);
  all.job = filled_job(asked, all.config.model, all.assumed);
  check_sharing(all.job, all.mesh.context, checked_multiply(all.mesh.pipeline, all.mesh.dcn_pipeline));
  use_stored_format(all.config, all.job, asked.base);
  fill_batch(asked.batch_tokens, checked_multiply(batch_shards(all.mesh), all.job.gradient_accumulation), all.job,
             all.assumed);
  return all;
}
namespace detail {
/// What memory says of it. Advice is left out.
[[nodiscard]] inline fit_answer fit_of(const placed_job& all) {
  fit_answer answer;
  answer.breakdown = memory_use(all.config.model, all.job, all.mesh, all.where, all.known_memory, all.constants.own);
  answer.fits = tpuplan::fits(answer.breakdown);
  answer.chance_to_fit = tpuplan::chance_to_fit(answer.breakdown);
  answer.used = answer.breakdown.total;
  answer.used_low = answer.breakdown.low;
  answer.used_high = answer.breakdown.high;
  answer.usable = answer.breakdown.usable;
  if (const maybe<std::int64_t> most =
          tpuplan::largest_batch(all.config.model, all.job, all.mesh, all.where, all.known_memory, all.constants.own))
    answer.largest_batch = *most;
  answer.own_peaks = static_cast<std::int64_t>(all.known_memory.count);
  answer.model = all.config.model.name.view();
  answer.slice = tpuplan::name(all.where).view();
  answer.mesh = all.mesh;
  answer.job = all.job;
  answer.assumed = all_assumed(all.config, all.assumed);
  if (answer.breakdown.ran) answer.assumed.push_back({"memory", "fits", "a run of your own was this job"});
  return answer;
}
}  // namespace detail
/// The changes to the job after which the same work takes less chip time, largest gain first. Throws where the step
/// cannot be timed. Worked: of Llama 3 8B on "v5p-128" with tensor parallelism over 16 and full rematerialization the
/// first is training_job.remat.
[[nodiscard]] inline findings findings_of(const placed_job& all) {
  return training_advice(all.config.model, all.job, all.mesh, all.where, all.constants, all.known_memory);
}
namespace detail {
/// The same as rows.
[[nodiscard]] inline std::vector<advised_change> changes_of(const placed_job& all) {
  const training_case now{all.config.model, all.job, all.mesh, all.where};
  return changes_of(findings_of(all),
                    [&](const training_case& then) { return memory_beside(now, all.known_memory, then); });
}
/// Advice where the step can be timed; memory can be asked of more jobs.
[[nodiscard]] inline std::optional<std::vector<advised_change>> advice_of(const placed_job& all) {
  try {
    return changes_of(all);
  } catch (const error& refusal) {
    if (refusal.code() != errc::unsupported && refusal.code() != errc::unknown_figure) throw;
    return std::nullopt;
  }
}
}  // namespace detail
namespace detail {
/// The smallest slice on which the job fits in some layout and under some policy.
[[nodiscard]] inline std::optional<fitting_slice> smallest_of(const placed_job& all) {
  plan_request request;
  request.model = all.config.model;
  request.job = all.job;
  request.tokens = static_cast<double>(tokens_per_step(all.job));
  request.best = objective::fewest_chips;
  request.generations = {std::string(all.where.chip.name.view())};
  request.regions = all_regions(request.prices);
  request.most_plans = 1;
  const plan_answer answer = make_plan(request);
  if (answer.plans.empty()) return std::nullopt;
  const plan& best = answer.plans.front();
  return fitting_slice{std::string(name(best.where).view()), best.mesh, std::string(name(best.job.remat)),
                       best.job.gradient_accumulation};
}
}  // namespace detail
/// Whether the job fits, its bytes by part, and the changes that take less chip time; no list of changes where the step
/// cannot be timed. Worked: Llama 3 8B in 64 sequences of 4096 tokens fits v5p-128, and in 4 it does not fit v5e-4.
[[nodiscard]] inline fit_answer answer_to_fit(const placed_job& all) {
  fit_answer answer = detail::fit_of(all);
  answer.advice = detail::advice_of(all);
  if (answer.fits != verdict::yes && answer.own_peaks == 0) answer.smallest = detail::smallest_of(all);
  return answer;
}

/// How long does a step take, and how long does a run take and what does it cost?
struct train_request {
  /// @{
  /// The model, slice, job and layout, as in fit_request.
  nlohmann::json config{};
  std::string slice{};
  training_job job{};
  std::int64_t batch_tokens = 0;
  layout mesh = open_layout();
  nlohmann::json calibration{};  ///< runs of the user's own, as tpuplan calibrate writes them; nothing: none
  double tokens = 0;             ///< tokens of the whole run; 0: only one step is asked about
  std::string region = "us";     ///< where the slice is paid for
  std::string zone{};            ///< of spot, where a count of preemptions is published
  nlohmann::json prices{};       ///< a price file; nothing: the built-in prices
  std::optional<seconds> mean_time_between_preemptions{};  ///< of one slice on spot; nothing: as published
  double rest_of_term_used = 0;           ///< share of a commitment's other hours that other work uses, 0 to 1
  std::optional<spot_market> market{};    ///< how often spot is preempted, instead of the time between
  std::vector<own_lifetime> lifetimes{};  ///< of one's own spot slices, instead of what is published alone
  std::optional<seconds> queue_time{};    ///< unbilled wait for capacity, each time; nothing: 18 min on spot
  std::optional<seconds> restart_time{};  ///< billed time from new capacity to the next step
  seconds chip_time_between_failures = published_chip_time_between_failures;  ///< of one chip, in all ways of paying
  asked_phases around{};                                                      ///< of the run, besides its steps
  bool timeline = false;   ///< the run from start to end; so do phases and a queue that are given
  double noise_scale = 0;  ///< of the gradient, in tokens; 0: published laws of the critical batch
  /// @}
};
/// The rows of the run that is trained.
inline constexpr question_row run_rows[] = {
    rows::number("tokens", "--tokens", "Training tokens", "tokens", "of the whole run: 1T").within(1, 1e18),
};
/// A step, its memory, and the run where tokens were given.
struct train_answer {
  /// @{
  /// One step, and the run where tokens were given.
  seconds step_time{}, step_time_low{}, step_time_high{};  ///< the estimate, and the ends of its band
  double mfu = 0;                                          ///< model FLOPs over peak FLOPs, 0 to 1
  per_second tokens{};                                     ///< tokens per second of the whole job
  step_breakdown breakdown{};                              ///< the step by term, in seconds
  fit_answer memory{};                                     ///< whether the job fits, and in how many bytes
  std::vector<advised_change> advice{};                    ///< changes that take less chip time
  std::optional<seconds> run{};                            ///< uninterrupted time of all steps, where tokens were given
  /// One row for each way of paying, cheapest first, where tokens were given and the job may fit.
  std::optional<std::vector<run_price>> costs{};
  double run_tokens = 0;                         ///< tokens of the run, 0 where none were given
  std::optional<run_checkpoints> checkpoints{};  ///< of the run on demand
  std::string region{};                          ///< where it is paid for
  payment_terms terms{};                         ///< what is expected of capacity that ends
  std::int64_t own_runs = 0;                     ///< the user's own runs that narrow the band
  std::optional<run_timeline> timeline{};        ///< from start to end on demand, where it was asked for and may run
  /// Tokens a step beyond which more of them stop helping: the ends of what published laws say of the run, or the noise
  /// scale of the question. Nothing: no tokens, and no law speaks of the run.
  std::optional<double> critical_batch_tokens_low{}, critical_batch_tokens_high{};
  std::string remarks{};  ///< a batch beyond that, a run of few steps, a layout that no published run has
  /// Levels that the software may have: the one that is named or, where none is, those that ran, most first.
  std::vector<trained_software> software{};
  /// The band of a step where nobody says how well the program is tuned; nothing where nobody does.
  std::optional<seconds> untold_low{}, untold_high{};
  /// @}
};
/// The phases of the run, with the steps of the job. Worked: 1e12 tokens in steps of 64 sequences of 4096 tokens are
/// 3814698 steps.
[[nodiscard]] inline run_phases phases_of(const placed_job& all, const train_request& asked, seconds step,
                                          assumed_values& assumed) {
  run_phases run = phases_of(asked.around, asked.restart_time, assumed);
  run.steps = static_cast<std::int64_t>(math::ceil(asked.tokens / static_cast<double>(tokens_per_step(all.job))));
  run.step = step;
  return run;
}
/// What is expected of capacity that waits, ends and fails, and of the run besides its steps: as a plan has it. Worked:
/// a checkpoint of Llama 3 8B under Adam has 8030261248 x 12 bytes.
[[nodiscard]] inline payment_terms terms_of(const placed_job& all, const train_request& asked, const run_phases& run,
                                            assumed_values& assumed, bool spot_counts = true) {
  plan_request request;
  request.model = all.config.model;
  request.job = all.job;
  fill_capacity(asked, spot_counts, {std::string(all.where.chip.name.view())}, {asked.region}, request.terms, assumed);
  request.zone = asked.zone;
  request.around = run;
  request.chip_time_between_failures = asked.chip_time_between_failures;
  return payment_terms_of(request, all.where, slices(all.mesh), static_cast<double>(run.steps), run.step, asked.region);
}
/// What all chips of the slices cost on demand; unknown without such a price. Worked: $38.40 an hour for v5e-32 in us.
[[nodiscard]] inline known<usd_per_second> price_on_demand(const price_book& book, const slice& where,
                                                           std::int64_t slice_total, const std::string& region) {
  const maybe<price_row> price = find_price(book, where, region, provisioning::on_demand);
  if (!price) return unknown;
  return rate(price->per_chip, detail::chips_of(where, slice_total));
}
/// The run from start to end, on demand. Worked: its steps take the steps of the job times the step.
[[nodiscard]] inline run_timeline timeline_of(const placed_job& all, const train_request& asked, run_phases run,
                                              const payment_terms& terms, const price_book& book) {
  return timeline_of(detail::phases_on(run, all.where), terms,
                     price_on_demand(book, all.where, slices(all.mesh), asked.region));
}
namespace detail {
/// What is known of the software of a step, and what its name is worth.
inline void add_software(train_answer& answer, const placed_job& all) {
  answer.software = levels_of(all.config.model, all.job, all.mesh, all.where, all.constants);
  const own_runs& own = all.constants.own;
  const bool told_by_runs =
      own.count > 0 && static_cast<std::uint32_t>(all.job.software) == own.items[own.count - 1].about.level;
  if (all.job.software == software_level::unnamed || told_by_runs) return;
  const step_breakdown untold =
      step_under(software_level::unnamed, all.config.model, all.job, all.mesh, all.where, all.constants);
  answer.untold_low = untold.low, answer.untold_high = untold.high;
}
/// What to know of the job as a run: its batch beside the critical one, few steps, its layout.
inline void add_remarks(train_answer& answer, const placed_job& all, const train_request& asked) {
  const auto add = [&](bool holds, const std::string& words) {
    if (holds) answer.remarks += (answer.remarks.empty() ? "" : "; ") + words;
  };
  const auto batch = static_cast<double>(tokens_per_step(all.job));
  const double steps = math::ceil(asked.tokens / batch);
  add(asked.tokens > 0 && steps < few_steps, std::to_string(static_cast<std::int64_t>(steps)) + " steps in all");
  if (const auto band = critical_batch_of(all.config.model, all.job, asked.tokens, asked.noise_scale)) {
    answer.critical_batch_tokens_low = band->low;
    answer.critical_batch_tokens_high = band->high;
    add(batch > band->high, critical_words(*band));
  }
  add(!has_been_run(all.mesh, all.where.chip), "a layout that no published run has");
  add(has_two_stacks(all.config.model), "no published run is of an encoder with a decoder: the band is that of others");
}
}  // namespace detail
/// The step, its memory and advice; where tokens are given, also the run and its dollars at these prices. Throws for a
/// step that cannot be timed and for a region without prices. Worked: 1e12 tokens in steps of 64 sequences of 4096
/// tokens are 3814698 steps.
[[nodiscard]] inline train_answer answer_to_train(const placed_job& all, const train_request& asked,
                                                  const price_book& book) {
  expect_region(book, asked.region);
  detail::in_range("tokens", asked.tokens, 0, 1e18, "0 (a step alone) to 1e18 tokens");
  if (asked.tokens > 0 && asked.tokens < static_cast<double>(all.job.sequence_length))
    detail::fail(errc::out_of_range, "tokens", asked.tokens,
                 "at least a sequence, of " + std::to_string(all.job.sequence_length));
  assumed_values assumed;
  if (asked.tokens > 0) validate(terms_of(all, asked, phases_of(all, asked, 1_s, assumed), assumed));
  const step_breakdown step = step_time(all.config.model, all.job, all.mesh, all.where, all.constants);
  if (step.remarks.host_untimed)
    detail::fail(errc::unknown_figure, "PCIe rate of the chip", "unknown", "a remat policy that keeps tensors in HBM");
  train_answer answer;
  answer.step_time = step.total;
  answer.step_time_low = step.low;
  answer.step_time_high = step.high;
  answer.mfu = step.mfu;
  answer.tokens = step.tokens_per_second;
  answer.breakdown = step;
  answer.memory = detail::fit_of(all);
  detail::add_remarks(answer, all, asked);
  detail::add_software(answer, all);
  answer.own_runs = static_cast<std::int64_t>(all.constants.own.count);
  answer.region = asked.region;
  answer.advice = detail::changes_of(all);
  if (asked.tokens <= 0) return answer;
  answer.run_tokens = asked.tokens;
  assumed.clear();
  const run_phases run = phases_of(all, asked, step.total, assumed);
  answer.terms = terms_of(all, asked, run, assumed);
  const auto steps = static_cast<double>(run.steps);
  answer.run = step.total * steps;
  if (answer.memory.fits == verdict::no) return answer;  // what does not run has no price
  answer.checkpoints = checkpoints_of(
      training_state_of(all.config.model, all.job).total, steps, step.total,
      checkpoint_interval_of(provisioning::on_demand, slices(all.mesh), *answer.run, answer.terms), asked.region);
  const run_price_list costs =
      run_prices(all.where, slices(all.mesh), {*answer.run, step.low * steps, step.high * steps}, book, asked.region,
                 answer.terms);
  answer.costs.emplace(costs.begin(), costs.end());
  for (const auto& [field, value] : assumed) answer.memory.assumed.push_back({field, value, std::string(not_given)});
  say_what_is_too_short(book, all.where, slices(all.mesh), asked.region, *answer.run, answer.terms,
                        answer.memory.assumed);
  if (asked.timeline || is_given(asked.around) || asked.queue_time)
    answer.timeline = timeline_of(all, asked, run, answer.terms, book);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::model_request, config, sequence_length, kv_dtype)
TPUPLAN_FIELDS(tpuplan::model_answer, name, model_type, architecture, parameters, active_parameters, breakdown,
               kv_bytes_per_token, kv_dtype, state_bytes_per_sequence, forward_flops_per_token,
               training_flops_per_token, sequence_length, source_length, flops_per_pair, cache_per_pair, image_tokens,
               vision_flops_per_image, assumed, not_read)
TPUPLAN_FIELDS(tpuplan::advised_change, kind, subject, now, better, step_time, step_time_then, work, gain, words)
TPUPLAN_FIELDS(tpuplan::fitting_slice, slice, mesh, remat, gradient_accumulation)
TPUPLAN_FIELDS(tpuplan::fit_request, config, slice, job, batch_tokens, mesh, calibration)
TPUPLAN_FIELDS(tpuplan::fit_answer, fits, chance_to_fit, used, used_low, used_high, usable, breakdown, largest_batch,
               slice, mesh, job, assumed, advice, model, smallest, own_peaks)
TPUPLAN_FIELDS(tpuplan::train_request, config, slice, job, batch_tokens, mesh, calibration, tokens, region, zone,
               prices, mean_time_between_preemptions, rest_of_term_used, market, lifetimes, queue_time, restart_time,
               chip_time_between_failures, around, timeline, noise_scale)
TPUPLAN_FIELDS(tpuplan::run_price, kind, total, total_low, total_high, wall, checkpoint_interval, price, superseded)
TPUPLAN_FIELDS(tpuplan::train_answer, step_time, step_time_low, step_time_high, mfu, tokens, breakdown, memory, advice,
               run, costs, run_tokens, checkpoints, region, terms, own_runs, timeline, critical_batch_tokens_low,
               critical_batch_tokens_high, remarks, software, untold_low, untold_high)

#endif
