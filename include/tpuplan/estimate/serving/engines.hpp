#ifndef TPUPLAN_ESTIMATE_SERVING_ENGINES_HPP
#define TPUPLAN_ESTIMATE_SERVING_ENGINES_HPP

#include <array>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/model/serving_job.hpp>

/// @file
/// What the engines that can be started run: chips, layouts and formats, as their documentation and flags say.

namespace tpuplan {
inline namespace abi_0 {

/// What an engine does not run of a question: the field, its value, and what the engine runs. An empty field: it runs
/// all of it.
struct engine_limit {
  std::string_view field{};       ///< "serving_layout.cache", "slice" …
  text<48> given{};               ///< its value
  text<128> valid{};              ///< what the engine runs
  errc code = errc::unsupported;  ///< of the refusal
};

namespace detail {

/// What an engine runs: a row for each that can be started.
struct engine_row {
  serving_engine engine = serving_engine::unnamed;
  std::string_view name{};                  // in its own spelling
  std::array<std::string_view, 3> chips{};  // on which it is documented to run
  bool groups = false;                      // has flags for data-parallel attention
  bool latent_in_groups = false;            // runs latent attention with data-parallel attention alone
  bool fp8_weights = false;                 // and not int8 weights alone
  bool quantised_products = false;          // activations in the format of the weights
  bool fp8_cache = false;
};

/// Sources. vLLM: docs.vllm.ai/projects/tpu, quickstart ("v7x, v6e, v5e"); tpu_inference/platforms/tpu_platform.py
/// (check_and_update_config: MLA models require enable_dp_attention) and tpu_inference/layers/common/sharding.py of
/// vllm-project/tpu-inference @b8692ff01. SGLang-JAX: docs.sglang.io/docs/hardware-platforms/tpu (v6e, v7);
/// python/sgl_jax/srt/server_args.py of sgl-project/sglang-jax @cddbf6f1, where the help of the flag for an fp8 cache
/// says that it is for CUDA. All read 2026-11-22 and -23.
inline constexpr engine_row engine_rows[] = {
    {serving_engine::vllm, "vLLM", {"v5e", "v6e", "tpu7x"}, true, true, true, true, true},
    {serving_engine::sglang_jax, "SGLang-JAX", {"v6e", "tpu7x", ""}, false, false, false, false, false}};

/// The row of an engine; null for those that cannot be started, of which nothing is known but their runs.
constexpr const engine_row* row_of(serving_engine engine) noexcept {
  for (const engine_row& row : engine_rows) {
    if (row.engine == engine) return &row;
  }
  return nullptr;
}

constexpr bool runs_on(const engine_row& row, std::string_view chip) noexcept {
  for (const std::string_view one : row.chips) {
    if (!one.empty() && one == chip) return true;
  }
  return false;
}

}  // namespace detail

/// What the engine does not run of a model's layout on a slice; `latent` says that the model has multi-head latent
/// attention. An engine that cannot be started, or has no name, runs all. Worked: vLLM runs no layout that shards keys
/// and values by sequences, and none on v5p.
[[nodiscard]] constexpr engine_limit layout_limit(serving_engine engine, const serving_layout& mesh, const slice& where,
                                                  bool latent = false) {
  const detail::engine_row* row = detail::row_of(engine);
  if (row == nullptr) return {};
  engine_limit limit;
  if (!detail::runs_on(*row, where.chip.name.view())) {
    limit.field = "slice";
    limit.given = name(where).view();
    limit.valid.append("a slice of ")
        .append(detail::chip_names_where([row](std::string_view chip) { return detail::runs_on(*row, chip); }).view())
        .append(", on which ")
        .append(row->name)
        .append(" runs");
  } else if (vms(where) > 1) {
    limit.field = "slice";
    limit.given = name(where).view();
    limit.valid = "a slice of one VM: a Deployment has a pod for each slice";
  } else if (mesh.weights != weight_sharding::one_dimension) {
    limit.field = "serving_layout.weights";
    limit.given = "not along one dimension";
    limit.valid = "one_dimension: no flag says others";
  } else if (mesh.cache != cache_sharding::heads) {
    limit.field = "serving_layout.cache";
    limit.given = "batch";
    limit.valid = "heads: no flag is known that shards it by sequences";
  } else if (mesh.attention > 0 && !row->groups) {
    limit.field = "serving_layout.attention";
    limit.given.append(mesh.attention);
    limit.valid.append("0: no flag of ").append(row->name).append(" is known");
  } else if (mesh.attention == 0 && latent && row->latent_in_groups) {
    limit.field = "serving_layout.attention";
    limit.given = "0";
    limit.valid.append("groups of data-parallel attention, without which ")
        .append(row->name)
        .append(" refuses latent attention");
  }
  return limit;
}

/// What the engine does not run of a job, whatever its layout. Worked: vLLM has no cache in
/// int8, and one in fp8.
[[nodiscard]] constexpr engine_limit job_limit(serving_engine engine, const serving_job& job) {
  const detail::engine_row* row = detail::row_of(engine);
  if (row == nullptr) return {};
  const bool weights_alone = job.activations == dtype::bf16;
  const bool is_plain = job.weights == dtype::bf16 && weights_alone;
  const bool is_int8 = job.weights == dtype::int8, is_fp8 = job.weights == dtype::fp8 && row->fp8_weights;
  const bool alike = row->quantised_products && job.activations == job.weights;
  engine_limit limit;
  if (job.policy != cache_policy::paged) {
    limit.field = "serving_job.policy";
    limit.given = name(job.policy);
    limit.valid = "paged: these engines have no other";
  } else if (!is_plain && !((is_int8 || is_fp8) && (weights_alone || alike))) {
    limit.field = "serving_job.weights";
    limit.given = name(job.weights);
    limit.valid = row->fp8_weights ? "bf16, int8 or fp8, activations in the same or in bf16"
                                   : "bf16, or int8 with activations in bf16";
  } else if (job.cache != dtype::bf16 && !(row->fp8_cache && job.cache == dtype::fp8)) {
    limit.field = "serving_job.cache";
    limit.given = name(job.cache);
    limit.valid = row->fp8_cache ? "bf16 or fp8" : "bf16: of fp8 the flag's help says that it is for CUDA";
  } else if (engine == serving_engine::vllm && job.block_tokens > 1 && job.block_tokens % 16 != 0) {
    limit.field = "serving_job.block_tokens";
    limit.given.append(job.block_tokens);
    limit.valid = "a multiple of 16, or 1: the engine's own";
  } else if (engine == serving_engine::vllm && job.prefill_chunk == 0) {
    limit.field = "serving_job.prefill_chunk";
    limit.given = "0";
    limit.valid = "a chunk: vLLM on TPU takes prompts in chunks of --max-num-batched-tokens";
    limit.code = errc::missing_field;
  }
  return limit;
}

namespace detail {

/// Refuses what an engine does not run.
constexpr void refuse(const engine_limit& limit) {
  if (!limit.field.empty()) fail(limit.code, limit.field, limit.given.view(), limit.valid.view());
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
