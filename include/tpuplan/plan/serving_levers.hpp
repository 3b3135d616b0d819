#ifndef TPUPLAN_PLAN_SERVING_LEVERS_HPP
#define TPUPLAN_PLAN_SERVING_LEVERS_HPP

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/math.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <vector>

/// @file
/// Where targets are missed: what of a serving job to change, and how far, one thing at a time.

namespace tpuplan {
inline namespace abi_0 {

/// What of a job may be changed so that it keeps its targets. Enumerators and their names are stable.
enum class serving_lever : std::uint8_t {
  rate,     ///< requests a second, to be shared with further replicas
  prompt,   ///< tokens of a prompt beside its images
  chunk,    ///< tokens of a prompt that one step takes
  weights,  ///< format of the weights
};

/// "rate", "prompt", "chunk" or "weights".
[[nodiscard]] constexpr std::string_view name(serving_lever what) noexcept {
  constexpr const char* names[] = {"rate", "prompt", "chunk", "weights"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// A change that, made alone, keeps all targets. Rates are per second, lengths in tokens, formats in bits; a chunk of 0
/// is a whole prompt.
struct serving_change {
  serving_lever what = serving_lever::rate;  ///< what is changed
  double given = 0;                          ///< what it was
  double needed = 0;                         ///< what it would have to be: rates to 1 %, prompts to 5 %
  serving_job job{};                         ///< with the change
};

namespace detail {

/// Tokens of the images of a prompt, among its tokens.
inline std::int64_t pictured_tokens(const serving_job& job, const transformer& model) {
  return job.images > 0 ? checked_multiply(job.images, image_tokens(model.vision)) : 0;
}

/// With as large a share of the requests, or of a prompt's tokens beside its images.
inline serving_job scaled(serving_job job, const transformer& model, serving_lever what, double factor) {
  if (what == serving_lever::rate) {
    job.request_rate *= factor;
    return job;
  }
  const std::int64_t pictured = pictured_tokens(job, model);
  const auto seen = static_cast<double>(pictured);
  token_lengths& text = job.prompt;
  text.mean_square = (text.mean_square - 2 * seen * text.mean + seen * seen) * factor * factor;
  text.mean = (text.mean - seen) * factor;
  text.longest = ceil_to_count(static_cast<double>(text.longest - pictured) * factor * (1 - 1e-12));
  return with_image_tokens(job, model);
}

/// The amount that a reader sees, no larger: whole tokens, or four digits of a rate.
inline double as_printed_below(double amount, serving_lever what) {
  double unit = 1;
  if (what == serving_lever::rate) {
    while (amount < 1000 * unit) unit /= 10;
    while (amount >= 10000 * unit) unit *= 10;
  }
  return math::floor(amount / unit * (1 + 1e-12)) * unit;
}

/// Adds the largest share of the rate or the prompt that is accepted, a rate to 1 % and a prompt to 5 %, as it is
/// printed; adds nothing where a 64th of a prompt, or a 4096th of a rate, is not accepted.
template <class Accepts>
void scale_down(std::vector<serving_change>& list, const serving_job& job, const transformer& model, serving_lever what,
                const Accepts& accepts) {
  const double given = what == serving_lever::rate ? job.request_rate.value()
                                                   : job.prompt.mean - static_cast<double>(pictured_tokens(job, model));
  const auto works = [&](double factor) { return given * factor >= 1e-9 && accepts(scaled(job, model, what, factor)); };
  if (given <= 0 || (what == serving_lever::prompt && given < 64)) return;
  const double least = what == serving_lever::rate ? 1.0 / 4096 : 1.0 / 64;
  if (!works(least)) return;
  double high = 1, low = 0.5;
  for (; low > least && !works(low); low /= 2) high = low;
  while (high > low * (what == serving_lever::rate ? 1.01 : 1.05)) {
    const double middle = math::sqrt(low * high);
    (works(middle) ? low : high) = middle;
  }
  for (const double less : {1.0, 0.99, 0.97, 0.95, 0.9}) {
    const double needed = as_printed_below(less * given * low, what);
    if (!works(needed / given)) continue;
    list.push_back({what, given, needed, scaled(job, model, what, needed / given)});
    return;
  }
}

}  // namespace detail

/// The changes of which each alone makes `accepts(job)` true: fewer requests, shorter prompts, prompts in chunks of
/// another size, weights of fewer bits, as the engine of the job runs them. An encoder takes whole prompts, and windows
/// of sound have one length. Empty where none does. Worked: a service that keeps its targets up to 10 requests a second
/// and is asked for 40 gets a rate between 9.9 and 10.
template <class Accepts>
[[nodiscard]] std::vector<serving_change> changes_that_help(const transformer& model, const serving_job& job,
                                                            const Accepts& accepts) {
  std::vector<serving_change> list;
  const bool any = !job_limit(job.engine, job).field.empty();  // it runs the job as little
  const auto runs = [&](const serving_job& changed) { return any || job_limit(job.engine, changed).field.empty(); };
  const bool chooses = detail::row_of(job.engine).step_tokens > 0;  // where 0 is left open
  detail::scale_down(list, job, model, serving_lever::rate, accepts);
  if (model.encoder_stem == 0) detail::scale_down(list, job, model, serving_lever::prompt, accepts);
  for (const std::int64_t chunk : {0, 8192, 4096, 2048, 1024, 512, 256}) {
    if (model.kind != architecture::decoder || chunk == job.prefill_chunk || (chunk > 0 && chunk >= job.prompt.longest))
      continue;
    if (chunk == 0 && chooses) continue;
    serving_job changed = job;
    changed.prefill_chunk = chunk;
    if (!accepts(changed)) continue;
    list.push_back({serving_lever::chunk, static_cast<double>(job.prefill_chunk), static_cast<double>(chunk), changed});
    break;
  }
  for (const dtype format : {dtype::int8, dtype::int4}) {
    if (bits(format) >= bits(job.weights)) continue;
    serving_job changed = job;
    changed.weights = format;
    if (bits(changed.activations) < 16 && bits(format) < bits(changed.activations)) changed.activations = dtype::bf16;
    if (!runs(changed) || !accepts(changed)) continue;
    list.push_back(
        {serving_lever::weights, static_cast<double>(bits(job.weights)), static_cast<double>(bits(format)), changed});
    break;
  }
  return list;
}

/// What to change in the job of a request so that some slice keeps its targets by percentile; empty without such
/// targets. Worked: where llama-3-8b on up to 4 chips of v6e cannot give 95 of 100 tokens within 6 ms, each change that
/// is returned has a plan.
[[nodiscard]] inline std::vector<serving_change> changes_that_help(const serving_request& request) {
  if (!any_target(request.job.percentiles)) return {};
  std::int64_t steps = detail::most_planning_steps / 2;  // of all plans together
  return changes_that_help(request.model, request.job, [&](const serving_job& job) {
    if (!job_limit(job.engine, job).field.empty()) return false;
    serving_request changed = request;
    changed.job = job;
    changed.most_plans = 1;
    return !detail::plan_within(changed, steps).plans.empty();
  });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
