#ifndef TPUPLAN_ESTIMATE_SERVING_ENGINES_HPP
#define TPUPLAN_ESTIMATE_SERVING_ENGINES_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/model/serving_job.hpp>

/// @file
/// What the engines that can be started do not run of a question. Their rows are in model/engines.hpp.

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

/// What the engine does not run of a model's layout on a slice; `latent` says that the model has multi-head latent
/// attention. An engine that cannot be started, or has no name, runs all on the chips that it is documented for.
/// Worked: vLLM runs no layout that shards keys and values by sequences, and none on v5p.
[[nodiscard]] constexpr engine_limit layout_limit(serving_engine engine, const serving_layout& mesh, const slice& where,
                                                  bool latent = false) {
  const detail::engine_row& row = detail::row_of(engine);
  engine_limit limit;
  const bool can_start = detail::can_start(engine), has_chips = can_start || !detail::is_empty(row.chips);
  if (has_chips && !detail::is_listed(row.chips, where.chip.name.view())) {
    limit.field = "slice";
    limit.given = name(where).view();
    limit.valid.append("a slice of ")
        .append(detail::chip_names_where([&row](std::string_view chip) {
                  return detail::is_listed(row.chips, chip);
                }).view())
        .append(", on which ")
        .append(row.title)
        .append(" runs");
  } else if (!can_start) {
    return limit;
  } else if (vms(where) > 1 && !detail::starts_over_hosts(row)) {
    limit.field = "slice";
    limit.given = name(where).view();
    limit.valid.append("a slice of one VM: how ").append(row.title).append(" starts on several is not known");
  } else if (vms(where) > 1 && !row.replicas_over_hosts && detail::replica_of(mesh, where).count > 1) {
    limit.field = "serving_layout.tensor";
    limit.given.append(mesh.tensor);
    limit.valid.append("the whole slice: ").append(row.title).append(" runs one replica over several VMs");
  } else if (mesh.weights != weight_sharding::one_dimension) {
    limit.field = "serving_layout.weights";
    limit.given = "not along one dimension";
    limit.valid = "one_dimension: no flag says others";
  } else if (mesh.cache != cache_sharding::heads) {
    limit.field = "serving_layout.cache";
    limit.given = "batch";
    limit.valid = "heads: no flag is known that shards it by sequences";
  } else if (mesh.attention > 0 && !row.groups) {
    limit.field = "serving_layout.attention";
    limit.given.append(mesh.attention);
    limit.valid.append("0: no flag of ").append(row.title).append(" is known");
  } else if (mesh.attention == 0 && latent && row.latent_in_groups) {
    limit.field = "serving_layout.attention";
    limit.given = "0";
    limit.valid.append("groups of data-parallel attention, without which ")
        .append(row.title)
        .append(" refuses latent attention");
  }
  return limit;
}

namespace detail {
/// Whether the blocks of the cache are left to the engine: those of another, or of none, are no choice of blocks of 1.
constexpr bool leaves_block(serving_engine engine, const serving_job& job) noexcept {
  return job.block_tokens == 0 || (job.block_tokens == 1 && job.engine != engine);
}
}  // namespace detail

/// What the engine does not run of a job, whatever its layout. Worked: vLLM has no cache in int8, and one in fp8;
/// SGLang-JAX, whose blocks have 128 tokens, takes 2048 in a step and not 2000.
[[nodiscard]] constexpr engine_limit job_limit(serving_engine engine, const serving_job& job) {
  if (!detail::can_start(engine)) return {};
  const detail::engine_row& row = detail::row_of(engine);
  const bool weights_alone = job.activations == dtype::bf16;
  const bool is_plain = job.weights == dtype::bf16 && weights_alone;
  const bool is_int8 = job.weights == dtype::int8, is_fp8 = job.weights == dtype::fp8 && row.fp8_weights;
  const bool alike = row.quantised_products && job.activations == job.weights;
  engine_limit limit;
  if (job.policy != cache_policy::paged) {
    limit.field = "serving_job.policy";
    limit.given = name(job.policy);
    limit.valid = "paged: these engines have no other";
  } else if (!is_plain && !((is_int8 || is_fp8) && (weights_alone || alike))) {
    limit.field = "serving_job.weights";
    limit.given = name(job.weights);
    limit.valid = row.fp8_weights ? "bf16, int8 or fp8, activations in the same or in bf16"
                                  : "bf16, or int8 with activations in bf16";
  } else if (job.cache != dtype::bf16 && !detail::is_listed(row.caches, name(job.cache))) {
    limit.field = "serving_job.cache";
    limit.given = name(job.cache);
    limit.valid.append("bf16")
        .append(detail::is_empty(row.caches) ? ": " : " or ")
        .append(row.caches)
        .append(row.no_fp8_cache);
  } else if (!detail::leaves_block(engine, job) && job.block_tokens % row.block_multiple != 0) {
    limit.field = "serving_job.block_tokens";
    limit.given.append(job.block_tokens);
    limit.valid.append("a multiple of ").append(row.block_multiple).append("; the engine's own where it is left open");
  } else if (!detail::is_empty(row.chunk_flag) && job.prefill_chunk == 0) {
    limit.field = "serving_job.prefill_chunk";
    limit.given = "0";
    limit.valid.append("a chunk: ")
        .append(row.title)
        .append(" on TPU takes prompts in chunks of ")
        .append(row.chunk_flag);
    limit.code = errc::missing_field;
  } else if (const std::int64_t block = detail::leaves_block(engine, job) ? row.block_tokens : job.block_tokens;
             row.chunk_in_blocks && job.prefill_chunk % block != 0) {
    limit.field = "serving_job.prefill_chunk";
    limit.given.append(job.prefill_chunk);
    limit.valid.append("a multiple of the ").append(block).append(" tokens of a block of ").append(row.title);
  }
  return limit;
}

/// The rank for which an engine makes room where adapters have so many: the next one that its flag takes. Nothing where
/// no flag of the engine is known, or it takes no such rank. Worked: of vLLM 32 for 24.
[[nodiscard]] constexpr maybe<std::int64_t> room_for_rank(serving_engine engine, std::int64_t rank) {
  std::string_view ranks = detail::row_of(engine).adapter_ranks;
  for (std::string_view one = detail::take_word(ranks); !one.empty(); one = detail::take_word(ranks)) {
    std::int64_t number = 0;
    for (const char digit : one) number = 10 * number + (digit - '0');
    if (number >= rank) return number;
  }
  return nothing;
}

/// What an engine does not run of low-rank adapters of that rank. Worked: vLLM has room for none of rank 1000.
[[nodiscard]] constexpr engine_limit adapter_limit(serving_engine engine, std::int64_t adapters, std::int64_t rank) {
  engine_limit limit;
  if (adapters == 0 || !detail::can_start(engine) || room_for_rank(engine, rank)) return limit;
  const detail::engine_row& row = detail::row_of(engine);
  const bool none = detail::is_empty(row.adapter_ranks);
  limit.field = none ? "adapters" : "adapter_rank";
  limit.given.append(none ? adapters : rank);
  limit.valid.append(none ? "0: no flag of " : "").append(row.title);
  limit.valid.append(none ? " is known for them" : " takes ranks of ").append(none ? "" : row.adapter_ranks);
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
