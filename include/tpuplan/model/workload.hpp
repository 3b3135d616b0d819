#ifndef TPUPLAN_MODEL_WORKLOAD_HPP
#define TPUPLAN_MODEL_WORKLOAD_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/dtype.hpp>
#include <tpuplan/integer.hpp>
#include <tpuplan/maybe.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/text.hpp>

/// @file
/// What is to be done with a model: training, with its batch, sequence, precision, optimizer and rematerialisation.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {
/// The enumerator of that name among the first ones; nothing if there is none.
template <class Enumeration>
constexpr maybe<Enumeration> enumerator_named(std::string_view given, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (same_name(given, name(static_cast<Enumeration>(i)))) return static_cast<Enumeration>(i);
  }
  return nothing;
}
}  // namespace detail

/// The optimizer, which decides what is kept per parameter.
enum class optimizer_kind : std::uint8_t {
  adamw,         ///< two moments
  adafactor,     ///< factored second moment: about half a byte per parameter
  lion,          ///< one moment
  sgd_momentum,  ///< one moment
};

/// "adamw" and so on.
[[nodiscard]] constexpr std::string_view name(optimizer_kind kind) noexcept {
  constexpr std::string_view names[] = {"adamw", "adafactor", "lion", "sgd_momentum"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// The optimizer of that name; nothing if there is none.
[[nodiscard]] constexpr maybe<optimizer_kind> parse_optimizer(std::string_view given) noexcept {
  return detail::enumerator_named<optimizer_kind>(given, 4);
}

/// Bytes of optimizer state for each parameter, with moments in that format. Adafactor's rows and columns are counted
/// as half a byte whatever the format. Worked: 8 B for AdamW with fp32 moments.
[[nodiscard]] constexpr bytes optimizer_bytes_per_parameter(optimizer_kind kind, dtype moments = dtype::fp32) noexcept {
  switch (kind) {
    case optimizer_kind::adamw: return 2 * size_of(moments);
    case optimizer_kind::adafactor: return bytes{0.5};
    case optimizer_kind::lion:
    case optimizer_kind::sgd_momentum: break;
  }
  return size_of(moments);
}

/// What training keeps of the parameters between steps: weights + optimizer = total.
struct training_state {
  bytes weights{};    ///< the master copy
  bytes optimizer{};  ///< its state
  bytes total{};      ///< of both
};

/// The state of that many parameters, over all devices, each part held once.
/// Worked: 70e9 in bf16 with fp32 moments of AdamW take 140 + 560 GB: 10 B each. Source: scaling book, "Training".
[[nodiscard]] constexpr training_state training_state_of(std::int64_t parameter_total, dtype weights = dtype::bf16,
                                                         optimizer_kind optimizer = optimizer_kind::adamw,
                                                         dtype moments = dtype::fp32) {
  const auto count = static_cast<double>(detail::positive_count("parameters", parameter_total));
  const bytes kept = size_of(weights) * count;
  const bytes for_updates = optimizer_bytes_per_parameter(optimizer, moments) * count;
  return {kept, for_updates, kept + for_updates};
}

/// Where a tensor of the forward pass is while the backward pass has not come to it.
enum class placement : std::uint8_t {
  recompute,  ///< nowhere: done again
  device,     ///< kept in HBM
  host,       ///< moved to host memory and back
};

/// What is saved of each layer between forward and backward pass. Tensors are named as in MaxText's custom policy.
struct remat_policy {
  placement layer_input = placement::device;     ///< decoder_layer_input
  placement qkv = placement::recompute;          ///< query_proj, key_proj, value_proj
  placement context = placement::recompute;      ///< output of the attention kernel
  placement out_proj = placement::recompute;     ///< out_proj
  placement mlp_up = placement::recompute;       ///< mlpwi, mlpwi_0, mlpwi_1
  placement mlp_down = placement::recompute;     ///< mlpwo
  placement elementwise = placement::recompute;  ///< norms, activation functions, everything else
  bool attention_again = true;                   ///< the attention kernel's forward pass is run again
};

/// @{
/// Whether two policies save the same.
[[nodiscard]] constexpr bool operator==(const remat_policy& a, const remat_policy& b) noexcept {
  return a.layer_input == b.layer_input && a.qkv == b.qkv && a.context == b.context && a.out_proj == b.out_proj &&
         a.mlp_up == b.mlp_up && a.mlp_down == b.mlp_down && a.elementwise == b.elementwise &&
         a.attention_again == b.attention_again;
}
[[nodiscard]] constexpr bool operator!=(const remat_policy& a, const remat_policy& b) noexcept { return !(a == b); }
/// @}

namespace detail {
/// A policy by one letter for each tensor, in the order of the fields: D on the device, H on the host, . done again.
constexpr remat_policy policy(const char (&tensors)[8], bool attention_again) noexcept {
  const auto where = [&tensors](std::size_t i) {
    return tensors[i] == 'D' ? placement::device : tensors[i] == 'H' ? placement::host : placement::recompute;
  };
  return {where(0), where(1), where(2), where(3), where(4), where(5), where(6), attention_again};
}
}  // namespace detail

/// The policies of MaxText by its names. Letters: layer input, qkv, context, output projection, MLP up, MLP down,
/// elementwise.
namespace remat {
/// The layer's input alone is kept: all else is done again.
inline constexpr remat_policy full{};
/// Everything is kept: nothing is done again.
inline constexpr remat_policy none = detail::policy("DDDDDDD", false);
/// Every matrix product is kept; the attention kernel and elementwise work are done again.
inline constexpr remat_policy minimal = detail::policy("DDDDDD.", true);
/// As minimal, and the attention kernel is not run again.
inline constexpr remat_policy minimal_with_context = detail::policy("DDDDDD.", false);
/// Every matrix product is kept in host memory, the layer's input on the device.
inline constexpr remat_policy minimal_offloaded = detail::policy("DHHHHH.", true);
/// Matrix products but those into the MLP.
inline constexpr remat_policy save_dot_except_mlpwi = detail::policy("DDDD.D.", true);
/// Matrix products of attention alone.
inline constexpr remat_policy save_dot_except_mlp = detail::policy("DDDD...", true);
/// The same, and the attention kernel is not run again.
inline constexpr remat_policy save_dot_with_context_except_mlp = detail::policy("DDDD...", false);
/// Queries, keys and values.
inline constexpr remat_policy save_qkv_proj = detail::policy("DD.....", true);
/// Queries, keys and values, in host memory.
inline constexpr remat_policy qkv_proj_offloaded = detail::policy("DH.....", true);
/// The output projection.
inline constexpr remat_policy save_out_proj = detail::policy("D..D...", true);
/// The output of the attention kernel, which is not run again.
inline constexpr remat_policy save_context = detail::policy("D.D....", false);
}  // namespace remat

/// A policy and its name.
struct named_remat_policy {
  text<40> name{};      ///< as `parse_remat_policy` reads it
  remat_policy policy;  ///< what it saves
};

/// All named policies, from the one that recomputes most. axlearn's default is save_dot_with_context_except_mlp.
inline constexpr std::array<named_remat_policy, 12> remat_policies = {{
    {"full", remat::full},
    {"save_context", remat::save_context},
    {"save_qkv_proj", remat::save_qkv_proj},
    {"qkv_proj_offloaded", remat::qkv_proj_offloaded},
    {"save_out_proj", remat::save_out_proj},
    {"save_dot_except_mlp", remat::save_dot_except_mlp},
    {"save_dot_with_context_except_mlp", remat::save_dot_with_context_except_mlp},
    {"save_dot_except_mlpwi", remat::save_dot_except_mlpwi},
    {"minimal", remat::minimal},
    {"minimal_with_context", remat::minimal_with_context},
    {"minimal_offloaded", remat::minimal_offloaded},
    {"none", remat::none},
}};

/// The name of a policy, "custom" where it has none.
[[nodiscard]] constexpr std::string_view name(const remat_policy& policy) noexcept {
  for (const named_remat_policy& candidate : remat_policies) {
    if (candidate.policy == policy) return candidate.name;
  }
  return "custom";
}

/// The policy of that name; nothing if there is none.
[[nodiscard]] constexpr maybe<remat_policy> parse_remat_policy(std::string_view given) noexcept {
  for (const named_remat_policy& candidate : remat_policies) {
    if (detail::same_name(given, candidate.name)) return candidate.policy;
  }
  return nothing;
}

/// How well the program is fitted to the machine.
enum class software_level : std::uint8_t {
  tuned,    ///< a recipe tuned for this model and slice: MaxText, MLPerf, vendor recipes
  general,  ///< a general framework as it comes: axlearn, Levanter, torch-XLA, EasyDeL
};

/// "tuned" or "general".
[[nodiscard]] constexpr std::string_view name(software_level level) noexcept {
  constexpr std::string_view names[] = {"tuned", "general"};
  return detail::name_of(names, static_cast<std::size_t>(level));
}

/// How attention is computed. `flash`: scores stay on the chip, in blocks, and blocks that the mask hides are skipped;
/// what nearly all published runs use. `unfused`: scores and probabilities of every query and key of a sequence, hidden
/// ones too, are written to HBM and read again.
enum class attention_kernel : std::uint8_t { flash, unfused };

/// "flash" or "unfused".
[[nodiscard]] constexpr std::string_view name(attention_kernel kernel) noexcept {
  constexpr std::string_view names[] = {"flash", "unfused"};
  return detail::name_of(names, static_cast<std::size_t>(kernel));
}

/// The kernel of that name; nothing if there is none.
[[nodiscard]] constexpr maybe<attention_kernel> parse_attention_kernel(std::string_view given) noexcept {
  return detail::enumerator_named<attention_kernel>(given, 2);
}

/// What of the training state lies in the memory of the hosts between steps. The optimizer's comes back whole for the
/// update; parameters come layer by layer, and whole for the update.
enum class host_state : std::uint8_t { none, optimizer, parameters_and_optimizer };

/// One training step. Fields without a sensible default are 0 and refused by name when used.
struct training {
  std::int64_t global_batch = 0;                     ///< sequences in one step, over all slices
  std::int64_t sequence_length = 0;                  ///< tokens, image tokens included
  dtype compute = dtype::bf16;                       ///< int8 or fp8 where products run quantised
  dtype weights = dtype::fp32;                       ///< the master copy
  dtype moments = dtype::fp32;                       ///< optimizer state
  optimizer_kind optimizer = optimizer_kind::adamw;  ///< whose state is kept
  remat_policy remat = remat::full;                  ///< what is saved of each layer
  std::int64_t gradient_accumulation = 1;            ///< microbatches in one step
  std::int64_t pipeline_microbatches = 0;            ///< in flight through the stages; 0: four for each stage
  std::int64_t pipeline_rounds = 1;                  ///< interleaved stages on each device
  double capacity_factor = 1;                        ///< of experts; 1 without dropping or padding
  std::int64_t vocabulary_tiles = 1;                 ///< pieces in which logits and their gradients are made
  double logits_fraction = 1;            ///< of positions that are predicted (0.15 for masked language models)
  bool synchronous_collectives = false;  ///< the framework does not overlap FSDP and data collectives
  double work_multiplier = 1;            ///< products per token relative to one forward and backward pass (DPO: more)
  std::int64_t images_per_sequence = 0;  ///< passes of the vision tower
  software_level software = software_level::tuned;       ///< what the run is programmed in
  attention_kernel attention = attention_kernel::flash;  ///< how attention is computed
  host_state state_on_host = host_state::none;           ///< what lies in host memory between steps
  std::int64_t lora_rank = 0;                            ///< of adapters on a frozen base; 0: all is trained
  lora_targets lora{};  ///< layers with adapters, where there is a rank; `weights` and `moments` are theirs
  dtype frozen_weights = dtype::bf16;  ///< the base under adapters, without optimizer and gradients
};

/// Tokens in one step. Worked: 1024 sequences of 4096 tokens are 4194304.
[[nodiscard]] constexpr std::int64_t tokens_per_step(const training& job) {
  return checked_multiply(detail::positive_count("training.global_batch", job.global_batch),
                          detail::positive_count("training.sequence_length", job.sequence_length));
}

/// HBM traffic of the update for each trained parameter: weight and optimizer state read and written, the fp32 gradient
/// read. Worked: 28 B for AdamW in fp32, 13 B for Adafactor.
[[nodiscard]] constexpr bytes update_bytes_per_parameter(const training& job) noexcept {
  return 2 * (size_of(job.weights) + optimizer_bytes_per_parameter(job.optimizer, job.moments)) + bytes{4};
}

namespace detail {
/// Products run quantised to 8 bits.
constexpr bool in_eight_bits(const training& job) noexcept {
  return job.compute == dtype::int8 || job.compute == dtype::fp8;
}
}  // namespace detail

/// Throws, naming the field, unless the step is one that can be estimated.
constexpr void validate(const training& job) {
  (void)tokens_per_step(job);
  detail::positive_count("training.gradient_accumulation", job.gradient_accumulation);
  if (job.global_batch % job.gradient_accumulation != 0) {
    detail::fail(errc::not_divisible, "training.gradient_accumulation", job.gradient_accumulation,
                 "a divisor of the global batch");
  }
  detail::count_from("training.pipeline_microbatches", job.pipeline_microbatches, 0);
  detail::positive_count("training.pipeline_rounds", job.pipeline_rounds);
  detail::in_range("training.capacity_factor", job.capacity_factor, 0.1, 100, "0.1 to 100");
  detail::positive_count("training.vocabulary_tiles", job.vocabulary_tiles);
  detail::in_range("training.logits_fraction", job.logits_fraction, 0, 1, "0 to 1");
  detail::in_range("training.work_multiplier", job.work_multiplier, 0.01, 100, "0.01 to 100");
  detail::count_from("training.images_per_sequence", job.images_per_sequence, 0);
  const bool adapted =
      job.lora.q || job.lora.k || job.lora.v || job.lora.o || job.lora.gate || job.lora.up || job.lora.down;
  if (detail::count_from("training.lora_rank", job.lora_rank, 0) > 0 && !adapted)
    detail::fail(errc::missing_field, "training.lora", "none", "one kind of layer or more");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
