#ifndef TPUPLAN_IO_ASK_TRAINING_HPP
#define TPUPLAN_IO_ASK_TRAINING_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/cost/checkpoint.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/io/ask/subject.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/vision.hpp>
#include <vector>

/// @file
/// The questions of one model and one slice: model, fit, train.

namespace tpuplan {
inline namespace abi_0 {

/// How many parameters, FLOPs and KV bytes has it?
struct model_request {
  nlohmann::json config{};           ///< a config.json, or a transformer as `json_document` writes it
  std::int64_t sequence_length = 0;  ///< at which FLOPs are counted; 0: the usual one
  dtype kv_dtype = dtype::bf16;      ///< format of the KV cache
};
/// The counts of a model.
struct model_answer {
  /// @{
  /// Counts as parameters, kv_bytes_per_token and the like say them.
  std::string name{}, model_type{};
  tpuplan::architecture architecture{};
  std::int64_t parameters = 0, active_parameters = 0;
  parameter_count breakdown{};
  std::optional<double> kv_bytes_per_token{};  ///< of a decoder
  dtype kv_dtype{};
  std::optional<double> forward_flops_per_token{}, training_flops_per_token{};  ///< of a model that takes tokens
  std::int64_t sequence_length = 0;
  std::optional<std::int64_t> image_tokens{};      ///< of a model with a vision tower
  std::optional<double> vision_flops_per_image{};  ///< likewise
  std::vector<assumption> assumed{};
  /// @}
};
/// The answer to the question.
[[nodiscard]] inline model_answer answer_to(const model_config& config, std::int64_t sequence, dtype cache) {
  const transformer& m = config.model;
  model_answer answer;
  answer.name = m.name.view();
  answer.model_type = config.model_type;
  answer.architecture = m.kind;
  answer.breakdown = parameters(m);
  answer.parameters = answer.breakdown.total;
  answer.active_parameters = answer.breakdown.active;
  if (m.kind == architecture::decoder) answer.kv_bytes_per_token = kv_bytes_per_token(m, cache).value();
  answer.kv_dtype = cache;
  answer.sequence_length = sequence > 0 ? sequence : usual_sequence(m);
  if (m.kind == architecture::decoder || m.kind == architecture::encoder) {
    answer.forward_flops_per_token = forward_flops_per_token(m, answer.sequence_length).total.value();
    answer.training_flops_per_token = training_flops_per_token(m, answer.sequence_length).value();
  }
  if (has_vision(m)) {
    answer.image_tokens = image_tokens(m.vision);
    answer.vision_flops_per_image = vision_flops_per_image(m.vision).value();
  }
  answer.assumed = all_assumed(config, {});
  return answer;
}

/// One change that takes less time.
struct advised_change {
  /// @{
  /// As the finding has it.
  finding_kind kind{};
  std::string subject{}, now{}, better{};
  seconds step_time{}, step_time_then{};
  double work = 1;  ///< of a step then, over that of a step now
  double gain = 0;  ///< chip time saved for the same work, a share
  /// @}
};
/// The findings as rows.
[[nodiscard]] inline std::vector<advised_change> changes_of(const findings& advice) {
  std::vector<advised_change> list;
  for (const finding& f : advice)
    list.push_back({f.kind, std::string(f.subject.view()), std::string(f.now.view()), std::string(f.better.view()),
                    f.step_time_now, f.step_time_then, f.work, f.gain});
  return list;
}

/// Does a training job fit?
struct fit_request {
  nlohmann::json config{};        ///< as in model_request
  std::string slice{};            ///< "v5p-128"
  training_job job{};             ///< what is not given is filled in
  std::int64_t batch_tokens = 0;  ///< instead of job.global_batch: the sequences near it that divide well
  layout mesh = open_layout();    ///< FSDP that is not given: what the other degrees leave
};
/// Whether a job fits, and of what its memory is made.
struct fit_answer {
  /// @{
  /// As memory_use says it, of one device.
  verdict fits{};
  bytes used{}, used_low{}, used_high{}, usable{};
  memory_breakdown breakdown{};
  std::optional<std::int64_t> largest_batch{};  ///< that surely fits; nothing: none with this layout and policy
  std::string slice{};
  layout mesh{};
  training_job job{};
  std::vector<assumption> assumed{};
  std::optional<std::vector<advised_change>> advice{};  ///< nothing where the step cannot be timed
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
  /// @}
};
/// The job of a question; what it gives itself is not filled in.
[[nodiscard]] inline placed_job placed(const fit_request& asked, bool policy_given, bool capacity_given) {
  placed_job all;
  all.config = model_of(asked.config);
  if (asked.job.global_batch != 0 && asked.batch_tokens != 0)
    detail::fail(errc::invalid_argument, "batch_tokens", "given without effect", "none beside job.global_batch");
  all.where = scheduled_slice(asked.slice);
  all.mesh = filled_layout(asked.mesh, all.where);
  asked_job job{asked.job, asked.batch_tokens, {}, {}};
  if (policy_given) job.remat = asked.job.remat;
  if (capacity_given) job.capacity = asked.job.capacity_factor;
  all.job = filled_job(job, all.config.model, all.assumed);
  use_stored_format(all.config, all.job);
  fill_batch(asked.batch_tokens, checked_multiply(batch_shards(all.mesh), all.job.gradient_accumulation), all.job,
             all.assumed);
  return all;
}
/// What memory says of it. Advice is left out.
[[nodiscard]] inline fit_answer fit_of(const placed_job& all) {
  fit_answer answer;
  answer.breakdown = memory_use(all.config.model, all.job, all.mesh, all.where);
  answer.fits = tpuplan::fits(answer.breakdown);
  answer.used = answer.breakdown.total;
  answer.used_low = answer.breakdown.low;
  answer.used_high = answer.breakdown.high;
  answer.usable = answer.breakdown.usable;
  if (const maybe<std::int64_t> most = tpuplan::largest_batch(all.config.model, all.job, all.mesh, all.where))
    answer.largest_batch = *most;
  answer.slice = tpuplan::name(all.where).view();
  answer.mesh = all.mesh;
  answer.job = all.job;
  answer.assumed = all_assumed(all.config, all.assumed);
  return answer;
}
/// Advice where the step can be timed; memory can be asked of more jobs.
[[nodiscard]] inline std::optional<std::vector<advised_change>> advice_of(const placed_job& all) {
  try {
    return changes_of(training_advice(all.config.model, all.job, all.mesh, all.where));
  } catch (const error& refusal) {
    if (refusal.code() != errc::unsupported && refusal.code() != errc::unknown_figure) throw;
    return std::nullopt;
  }
}
/// Memory and advice.
[[nodiscard]] inline fit_answer answer_to_fit(const placed_job& all) {
  fit_answer answer = fit_of(all);
  answer.advice = advice_of(all);
  return answer;
}

/// How long does a step take, how long and how dear is a run?
struct train_request {
  /// @{
  /// As in fit_request.
  nlohmann::json config{};
  std::string slice{};
  training_job job{};
  std::int64_t batch_tokens = 0;
  layout mesh = open_layout();
  double tokens = 0;  ///< of the whole run; 0: of a step alone
  std::string region = "us";
  nlohmann::json prices{};  ///< a price file; nothing: the built-in prices
  seconds mean_time_between_preemptions = spot_terms{}.mean_time_between_preemptions;  ///< of one slice on spot
  double rest_of_term_used = 0;  ///< share of a commitment's other hours that other work uses
  /// @}
};
/// The run under one way of paying.
struct run_price {
  /// @{
  /// Of the whole run.
  provisioning kind{};
  usd total{};
  seconds wall{};
  price_row price{};
  /// @}
};
/// A step, its memory, and the run where tokens were given.
struct train_answer {
  /// @{
  /// As step_time says it.
  seconds step_time{}, step_time_low{}, step_time_high{};
  double mfu = 0;
  per_second tokens{};
  step_breakdown breakdown{};
  fit_answer memory{};
  std::vector<advised_change> advice{};
  std::optional<seconds> run{};                   ///< where tokens were given
  std::optional<std::vector<run_price>> costs{};  ///< likewise, cheapest first
  /// @}
};
/// What is expected of capacity that ends: checkpoints of all that is trained, and of commitments.
[[nodiscard]] inline payment_terms terms_of(const placed_job& all, const train_request& asked) {
  payment_terms terms;
  terms.spot.mean_time_between_preemptions = asked.mean_time_between_preemptions;
  terms.spot.checkpoint_time =
      checkpoint_time(training_state_of(all.config.model, all.job).total, checkpoint_rate(all.where, slices(all.mesh)));
  terms.flex_start.checkpoint_time = terms.spot.checkpoint_time;
  terms.rest_of_term_used = asked.rest_of_term_used;
  return terms;
}
/// The step, its memory and advice, and the run at these prices.
[[nodiscard]] inline train_answer answer_to_train(const placed_job& all, const train_request& asked,
                                                  const price_book& book) {
  expect_region(book, asked.region);
  const step_breakdown step = step_time(all.config.model, all.job, all.mesh, all.where);
  train_answer answer{step.total, step.low, step.high, step.mfu, step.tokens_per_second, step, fit_of(all), {}, {}, {}};
  answer.advice = changes_of(training_advice(all.config.model, all.job, all.mesh, all.where));
  if (asked.tokens <= 0) return answer;
  const seconds run = step.total * math::ceil(asked.tokens / static_cast<double>(tokens_per_step(all.job)));
  const payment_terms terms = terms_of(all, asked);
  std::vector<run_price>& costs = answer.costs.emplace();
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, all.where, asked.region, kind);
    if (!price || !can_be_paid(kind, slices(all.mesh), run, terms)) continue;
    const paid_run paid = pay_for(all.where, slices(all.mesh), run, *price, terms);
    costs.push_back({kind, paid.total, paid.wall, *price});
  }
  std::sort(costs.begin(), costs.end(), [](const run_price& a, const run_price& b) { return a.total < b.total; });
  answer.run = run;
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::model_request, config, sequence_length, kv_dtype)
TPUPLAN_FIELDS(tpuplan::model_answer, name, model_type, architecture, parameters, active_parameters, breakdown,
               kv_bytes_per_token, kv_dtype, forward_flops_per_token, training_flops_per_token, sequence_length,
               image_tokens, vision_flops_per_image, assumed)
TPUPLAN_FIELDS(tpuplan::advised_change, kind, subject, now, better, step_time, step_time_then, work, gain)
TPUPLAN_FIELDS(tpuplan::fit_request, config, slice, job, batch_tokens, mesh)
TPUPLAN_FIELDS(tpuplan::fit_answer, fits, used, used_low, used_high, usable, breakdown, largest_batch, slice, mesh, job,
               assumed, advice)
TPUPLAN_FIELDS(tpuplan::train_request, config, slice, job, batch_tokens, mesh, tokens, region, prices,
               mean_time_between_preemptions, rest_of_term_used)
TPUPLAN_FIELDS(tpuplan::run_price, kind, total, wall, price)
TPUPLAN_FIELDS(tpuplan::train_answer, step_time, step_time_low, step_time_high, mfu, tokens, breakdown, memory, advice,
               run, costs)

#endif
