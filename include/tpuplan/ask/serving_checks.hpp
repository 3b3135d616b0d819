#ifndef TPUPLAN_ASK_SERVING_CHECKS_HPP
#define TPUPLAN_ASK_SERVING_CHECKS_HPP

#include <string>
#include <string_view>
#include <tpuplan/ask/serving_rows.hpp>
#include <tpuplan/base/error.hpp>
#include <tpuplan/estimate/serving/one_token.hpp>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <tpuplan/simulate/engine.hpp>

/// @file
/// What questions of serving refuse beyond the estimates: settings that the chip has not, or that change nothing.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Refuses products in a format that the chip has no rate for.
inline void check_arithmetic(const chip_spec& chip, dtype given) {
  if (has_peak_rate(chip, given)) return;
  text<64> formats;
  for (const dtype one : {dtype::bf16, dtype::fp8, dtype::int8, dtype::int4}) {
    if (has_peak_rate(chip, one)) formats.append(formats.empty() ? "" : ", ").append(name(one));
  }
  fail(errc::unknown_figure, "job.activations", name(given),
       "what " + std::string(chip.name.view()) + " multiplies: " + std::string(formats.view()));
}

/// Refuses a share of prompts in the cache that is far below what they share: with 1000 of 1024 tokens held once for
/// all sequences at least that part of a prompt is found.
inline void check_prefix_found(const serving_job& job) {
  const double shared = static_cast<double>(job.shared_prefix) / job.prompt.mean;
  if (job.shared_prefix == 0 || !(job.prefix_hit_rate > 0) || shared >= 1 || job.prefix_hit_rate >= 0.9 * shared)
    return;
  fail(errc::invalid_argument, "job.prefix_hit_rate", job.prefix_hit_rate,
       "about " + readable::number(shared) + " or more: the shared prefix is that part of a prompt");
}

/// Refuses prompts in steps of their own where they are so by themselves: of an encoder, and of an engine that has no
/// others.
inline void check_prompts_alone(const transformer& model, const serving_job& job, prefill_policy order) {
  if (order != prefill_policy::alone) return;
  if (model.kind == architecture::encoder)
    fail(errc::unsupported, "prefill", "given without effect", "of a model that decodes: of others each step is so");
  if (row_of(job.engine).prompts_alone)
    fail(errc::unsupported, "prefill", "given without effect",
         "of an engine that computes prompts beside tokens: " + std::string(name(job.engine)) + " never does");
}

}  // namespace detail

/// Refuses a target for the tokens behind the first where answers have one. Worked: a `tpot_target_s` beside outputs of
/// one token is refused.
inline void check_later_tokens(const serving_job& job) {
  if (!detail::has_one_token(job) || job.output.mean <= 0) return;  // 0: an encoder
  constexpr std::string_view valid = "none: answers of one token have none behind the first";
  if (job.tpot_target.value() > 0)
    detail::fail(errc::invalid_argument, "job.tpot_target_s", job.tpot_target.value(), valid);
  const latency_target& asked = job.percentiles.per_token;
  if (asked.limit.value() > 0)
    detail::fail(errc::invalid_argument, "job.percentiles.per_token.limit_s", asked.limit.value(), valid);
}

/// Refuses a sharding of what is not shared: of a replica of one device, and of a cache that a model has not.
inline void check_sharding(const transformer& model, const serving_layout& mesh, const slice& where) {
  const auto refuse = [](std::string_view field, auto given, std::string_view valid) {
    detail::fail(errc::invalid_argument, field, given, valid);
  };
  if (mesh.tensor == 1 || (mesh.tensor == 0 && devices(where) == 1)) {
    constexpr std::string_view valid = "none: a replica has one device";
    if (mesh.weights != weight_sharding::one_dimension) refuse("mesh.weights", name(mesh.weights), valid);
    if (mesh.cache != cache_sharding::heads) refuse("mesh.cache", name(mesh.cache), valid);
    if (mesh.attention > 0) refuse("mesh.attention", mesh.attention, valid);
  }
  const bool has_keys = model.kind != architecture::encoder && !detail::keeps_states_alone(model);
  if (mesh.cache != cache_sharding::heads && !has_keys)
    refuse("mesh.cache", name(mesh.cache), "none: the model keeps no keys and values");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
