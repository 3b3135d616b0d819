#ifndef TPUPLAN_MODEL_TRAINING_JOB_HPP
#define TPUPLAN_MODEL_TRAINING_JOB_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/model/optimizers.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/remat.hpp>
#include <tpuplan/model/software.hpp>
#include <tpuplan/model/weight_bits.hpp>

/// @file
/// A training job: its batch, sequence length, precision, optimizer and rematerialisation.

namespace tpuplan {
inline namespace abi_0 {

/// What training keeps of the parameters between steps: weights + optimizer = total.
struct training_state {
  bytes weights{};    ///< the master copy
  bytes optimizer{};  ///< its moments
  bytes total{};      ///< of both
};

/// The training state of that many parameters over all devices, when no device holds a copy of another's part.
/// Worked: 70e9 parameters in bf16 with fp32 moments of AdamW take 140 + 560 GB: 10 B each. Source: scaling book,
/// "Training".
[[nodiscard]] constexpr training_state training_state_of(std::int64_t parameter_total, dtype weights = dtype::bf16,
                                                         optimizer_kind optimizer = optimizer_kind::adamw,
                                                         dtype moments = dtype::fp32) {
  const auto count = static_cast<double>(detail::positive_count("parameters", parameter_total));
  const bytes kept = size_of(weights) * count;
  const bytes for_updates = optimizer_bytes_per_parameter(optimizer, moments) * count;
  return {kept, for_updates, kept + for_updates};
}

/// How attention is computed. `flash`, which nearly all published runs use, keeps scores on the chip, in blocks, and
/// skips blocks that the mask hides. `unfused` writes the scores and probabilities of every query and key of a
/// sequence, hidden ones too, to HBM and reads them again. `tuned` is a fused kernel of 2026 whose blocks somebody
/// chose for the shapes of the model.
enum class attention_kernel : std::uint8_t { flash, unfused, tuned };

/// "flash" and so on.
[[nodiscard]] constexpr std::string_view name(attention_kernel kernel) noexcept {
  constexpr const char* names[] = {"flash", "unfused", "tuned"};
  return detail::name_of(names, static_cast<std::size_t>(kernel));
}

/// The kernel of that name; nothing if there is none. Worked: "Unfused" is `unfused`.
[[nodiscard]] constexpr maybe<attention_kernel> parse_attention_kernel(std::string_view given) noexcept {
  return detail::enumerator_named<attention_kernel>(given);
}

/// Which part of the training state lies in host memory between steps. Optimizer state is moved to HBM whole for the
/// update; parameters are moved layer by layer for the passes, and whole for the update.
enum class host_state : std::uint8_t { none, optimizer, parameters_and_optimizer };

/// One training step. Fields without a sensible default are 0 and refused by name when used.
struct training_job {
  std::int64_t global_batch = 0;                     ///< sequences in one step, over all slices
  std::int64_t sequence_length = 0;                  ///< tokens, image tokens included; of a pair, of its target
  std::int64_t source_length = 0;                    ///< tokens of a pair's source; 0: see source_length
  dtype compute = dtype::bf16;                       ///< int8 or fp8 where products run quantised; see number_bytes
  dtype weights = dtype::fp32;                       ///< the master copy
  dtype moments = dtype::fp32;                       ///< optimizer state
  bool first_moment_bf16 = false;                    ///< of AdamW, whatever format the other moment has
  optimizer_kind optimizer = optimizer_kind::adamw;  ///< whose state is kept
  remat_policy remat = remat::full;                  ///< what is saved of each layer
  std::int64_t gradient_accumulation = 1;            ///< microbatches in one step
  std::int64_t pipeline_microbatches = 0;            ///< in flight through the stages; 0: four for each stage
  std::int64_t pipeline_rounds = 1;                  ///< interleaved stages on each device
  double capacity_factor = 1;                        ///< of experts; 1: without a capacity, no token is dropped
  std::int64_t vocabulary_tiles = 1;                 ///< pieces in which logits and their gradients are computed
  double logits_fraction = 1;            ///< of positions that are predicted (0.15 for masked language models)
  bool synchronous_collectives = false;  ///< the framework does not overlap FSDP and data collectives
  double work_multiplier = 1;            ///< products per token relative to one forward and backward pass (DPO: more)
  std::int64_t images_per_sequence = 0;  ///< passes of the vision tower
  bool freeze_vision = false;            ///< the tower is not trained, only its projector and the text model are
  software_level software = software_level::unnamed;     ///< how well the program is tuned
  attention_kernel attention = attention_kernel::flash;  ///< how attention is computed
  bool default_tiles = false;      ///< grouped products of experts run in blocks that nobody tuned to their shapes
  bool ring_attention = false;     ///< keys and values go around a ring of chips instead of being gathered first
  bool context_balanced = true;    ///< chips have an early and a late part of a causal sequence, as MaxText does; else
                                   ///< one part each
  bool gathers_quantised = false;  ///< FSDP gathers weights in the 8 bits of the products, cast before and not after
  host_state state_on_host = host_state::none;  ///< what lies in host memory between steps
  std::int64_t lora_rank = 0;                   ///< of adapters on a frozen base; 0: all is trained
  lora_targets lora{};                          ///< layers with adapters; `weights` and `moments` are the adapters'
  dtype frozen_weights = dtype::bf16;           ///< the base under adapters, without optimizer and gradients
  weight_bits frozen_by_part{};                 ///< of a quantised base, where it is not in `frozen_weights`
};

namespace detail {
inline constexpr std::int64_t most_step_tokens = std::int64_t{1} << 60;
}  // namespace detail

/// Tokens in one step. Throws for more than 2^60 of them. Worked: 1024 sequences of 4096 tokens are 4194304.
[[nodiscard]] constexpr std::int64_t tokens_per_step(const training_job& job) {
  const std::int64_t length = detail::positive_count("training_job.sequence_length", job.sequence_length);
  detail::check_part("training_job.sequence_length", length, detail::most_tokens, "1 to 2^40 tokens");
  const std::int64_t batch = detail::positive_count("training_job.global_batch", job.global_batch);
  if (batch > detail::most_step_tokens / length)
    detail::fail(errc::out_of_range, "training_job.global_batch", batch, "at most 2^60 tokens in a step");
  return batch * length;
}

/// Bytes of optimizer state for each parameter of a job. Worked: 6 B for AdamW with the first moment in bf16 and the
/// second in fp32.
[[nodiscard]] constexpr bytes optimizer_bytes_per_parameter(const training_job& job) {
  const bytes all = optimizer_bytes_per_parameter(job.optimizer, job.moments);
  const bool first = job.first_moment_bf16 && detail::row_at(detail::optimizers, job.optimizer).first_in_bf16;
  return first ? all - size_of(job.moments) + size_of(dtype::bf16) : all;
}

/// HBM traffic of the update for each trained parameter: weight and optimizer state read and written, the fp32 gradient
/// read. Worked: 28 B for AdamW in fp32, 13 B for Adafactor.
[[nodiscard]] constexpr bytes update_bytes_per_parameter(const training_job& job) {
  return 2 * (size_of(job.weights) + optimizer_bytes_per_parameter(job)) + bytes{4};
}

/// The size of a number in activations and in gathered weights. fp32 moves and keeps twice the bytes of bf16; its
/// products run at the rate of bf16, to which XLA rounds their operands by default. Worked: 4 in fp32, 2 otherwise.
/// Source: JAX documentation, jax.default_matmul_precision; the MXU multiplies bf16 (scaling book, "TPUs", 2025-12-15).
[[nodiscard]] constexpr bytes number_bytes(const training_job& job) noexcept {
  return bytes{job.compute == dtype::fp32 ? 4.0 : 2.0};
}

namespace detail {
/// Whether products run quantised to 8 bits.
constexpr bool in_eight_bits(const training_job& job) noexcept {
  return job.compute == dtype::int8 || job.compute == dtype::fp8;
}
}  // namespace detail

/// Throws, naming the field, for a value out of range in a field other than batch, length and microbatches.
constexpr void validate_settings(const training_job& job) {
  if (job.compute == dtype::fp16 || bits(job.compute) == 4)
    detail::fail(errc::unsupported, "training_job.compute", name(job.compute), "bf16, fp32, int8 or fp8");
  detail::check_part("training_job.source_length", job.source_length, detail::most_tokens,
                     "0 (as the model has it) to 2^40 tokens");
  detail::check_count("training_job.pipeline_microbatches", job.pipeline_microbatches, detail::most_size,
                      "0 to 16777216");
  detail::check_dimension("training_job.pipeline_rounds", job.pipeline_rounds);
  detail::in_range("training_job.capacity_factor", job.capacity_factor, 0.1, 100, "0.1 to 100");
  detail::check_dimension("training_job.vocabulary_tiles", job.vocabulary_tiles);
  detail::in_range("training_job.logits_fraction", job.logits_fraction, 0, 1, "0 to 1");
  detail::in_range("training_job.work_multiplier", job.work_multiplier, 0.01, 100, "0.01 to 100");
  detail::check_count("training_job.images_per_sequence", job.images_per_sequence, detail::most_size, "0 to 16777216");
  const bool adapted =
      job.lora.q || job.lora.k || job.lora.v || job.lora.o || job.lora.gate || job.lora.up || job.lora.down;
  detail::check_count("training_job.lora_rank", job.lora_rank, detail::most_size, "0 to 16777216");
  if (job.lora_rank > 0 && !adapted)
    detail::fail(errc::missing_field, "training_job.lora", "none", "one kind of layer or more");
  validate(job.frozen_by_part, "training_job.frozen_by_part");
}

/// Throws, naming the field, unless the step is one that can be estimated.
constexpr void validate(const training_job& job) {
  (void)tokens_per_step(job);
  detail::positive_count("training_job.gradient_accumulation", job.gradient_accumulation);
  if (job.global_batch % job.gradient_accumulation != 0) {
    detail::fail(errc::not_divisible, "training_job.gradient_accumulation", job.gradient_accumulation,
                 "a divisor of the global batch");
  }
  validate_settings(job);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
