#ifndef TPUPLAN_ESTIMATE_WIDTHS_HPP
#define TPUPLAN_ESTIMATE_WIDTHS_HPP

#include <cstdint>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/pair_work.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/training_job.hpp>

/// @file
/// Widths of the tensors of one layer per token, averaged over layers, and what a remat policy keeps of them.

namespace tpuplan {
inline namespace abi_0 {

/// Numbers per token and layer. Only active experts count.
struct layer_widths {
  double d_model = 0;  ///< of the residual stream
  double qkv = 0;      ///< queries, keys and values together
  double context = 0;  ///< output of the attention kernel
  double mlp_up = 0;   ///< outputs of gate and up products
  double mlp = 0;      ///< outputs of gate and up products, and the input of the down product
  double scores = 0;   ///< scores that attention writes to HBM: see scores_width
  double cross = 0;    ///< output of the attention to an encoder
  double keys = 0;     ///< keys and values, which devices that share a sequence gather
};

namespace detail {

/// Turns the widths of attention layers into those of an average layer, recurrent layers included.
constexpr void average_recurrences(const transformer& model, layer_widths& w) {
  if (attention_layers(model) == model.layers && !has_recurrence(model)) return;
  const auto layers = static_cast<double>(model.layers);
  const double attending = static_cast<double>(attention_layers(model)) / layers;
  const double recurrent = static_cast<double>(model.recurrent.layers) / layers;
  const auto in = static_cast<double>(widths_in(model.recurrent, model.d_model).in);
  w.qkv = attending * w.qkv + recurrent * in;
  w.keys = attending * w.keys;
  w.context = attending * w.context + recurrent * static_cast<double>(model.recurrent.width);
}

/// `widths_of` for a text model that is known to be valid.
constexpr layer_widths widths_of_valid(const transformer& model, bool global_apart = true) {
  layer_widths w;
  w.d_model = static_cast<double>(model.d_model);
  const attention_spec& attention = model.attention;
  const auto heads = static_cast<double>(attention.heads);
  if (has_latent_attention(model)) {
    const auto qk = static_cast<double>(attention.latent.qk_nope_head_dim + attention.latent.qk_rope_head_dim);
    const auto v = static_cast<double>(attention.latent.v_head_dim);
    w.qkv = heads * (2 * qk + v);
    w.keys = heads * (qk + v);
    w.context = heads * v;
  } else {
    const auto size = static_cast<double>(attention.head_dim);
    const double global = global_head_dim(model), values = static_cast<double>(value_width(model));
    const double global_values = attention.value_dim > 0 ? values : global;
    const auto kv_heads =
        static_cast<double>(attention.global_kv_heads > 0 ? attention.global_kv_heads : attention.kv_heads);
    const double share =
        global_apart && attention_layers(model) > 0
            ? 1 - static_cast<double>(attention.local_layers) / static_cast<double>(attention_layers(model))
            : 0;
    const double of_local = (size + values) * static_cast<double>(attention.kv_heads);
    const double of_global = (global + (attention.global_kv_shared ? 0 : global_values)) * kv_heads;
    w.keys = of_local + share * (of_global - of_local);
    w.qkv = heads * (size + share * (global - size)) + w.keys;
    w.context = heads * (values + share * (global_values - values));
  }
  if (attention.output_gate) w.qkv += w.context;
  average_recurrences(model, w);
  const double matrices = model.mlp.gated ? 3 : 2;
  const double routed = static_cast<double>(model.moe.expert_d_ff) * static_cast<double>(model.moe.top_k) *
                        static_cast<double>(moe_layers(model));
  const double dense = static_cast<double>(dense_mlp_matrices(model)) / (matrices * w.d_model);
  const double width = (dense + routed) / static_cast<double>(model.layers);
  w.mlp = width * matrices;
  w.mlp_up = width * (matrices - 1);
  return w;
}

}  // namespace detail

/// The widths of a model's average layer. `global_apart`: layers that attend to the whole context count with the widths
/// of their own heads. Throws for a model without text.
/// Worked: llama-3-8b has 6144 of qkv, 4096 of context, 28672 of mlp_up.
[[nodiscard]] constexpr layer_widths widths_of(const transformer& model, bool global_apart = true) {
  validate(model);
  detail::positive_count("model.layers", model.layers);
  return detail::widths_of_valid(model, global_apart);
}

/// Parameters that a training step holds: those it trains, and those that are frozen (the base under LoRA adapters, or
/// a frozen vision tower).
struct held_parameters {
  /// @{
  /// How many; each parameter counts once, however many devices hold it.
  double trained = 0, frozen = 0;
  /// @}
  bytes frozen_bytes{};  ///< the frozen base as it is stored
};

namespace detail {

/// `held_by` for a model with that many parameters.
constexpr held_parameters held_of(const parameter_count& count, const transformer& model, const training_job& job) {
  const auto total = static_cast<double>(count.total);
  if (job.lora_rank == 0 && job.freeze_vision) {
    const auto tower = static_cast<double>(count.vision);
    return {total - tower, tower, size_of(job.frozen_weights) * tower};
  }
  if (job.lora_rank == 0) return {total, 0, bytes{0}};
  return {static_cast<double>(lora_parameters(model, job.lora_rank, job.lora)), total,
          stored_bytes(count, job.frozen_weights, job.frozen_by_part)};
}

}  // namespace detail

/// The parameters that a step holds. Throws where adapters are not modelled: see lora_parameters.
/// Worked: llama-3-8b with rank 8 on queries and values trains 3407872 beside 8030261248.
[[nodiscard]] constexpr held_parameters held_by(const transformer& model, const training_job& job) {
  return detail::held_of(parameters(model), model, job);
}

/// What training keeps between steps, which is what a checkpoint holds: master weights and optimizer state of all that
/// is trained, of adapters alone under LoRA. Worked: 12 B for each of the 8030261248 parameters of llama-3-8b in fp32
/// with AdamW. Throws where `held_by` does.
[[nodiscard]] constexpr training_state training_state_of(const transformer& model, const training_job& job) {
  const double trained = held_by(model, job).trained;
  const bytes weights = size_of(job.weights) * trained;
  const bytes optimizer = optimizer_bytes_per_parameter(job) * trained;
  return {weights, optimizer, weights + optimizer};
}

/// Attention scores per token and layer that are written to HBM: one for each head and key of the sequence, hidden keys
/// included; 0 for a fused kernel. Worked: 32 x 4096 for llama-3-8b, unfused. Source: Korthikanti et al. 2022, arXiv
/// 2205.05198, whose 2 a s^2 b bytes are these in bf16.
[[nodiscard]] constexpr double scores_width(const transformer& model, const training_job& job) noexcept {
  if (job.attention != attention_kernel::unfused) return 0;
  const double share = static_cast<double>(attention_layers(model)) / static_cast<double>(model.layers);
  return share * static_cast<double>(model.attention.heads) * static_cast<double>(job.sequence_length);
}

/// Widths of the layers of an encoder and a decoder, for each token of the target: `source` tokens of the source go
/// with one.
struct stack_widths {
  double source = 0;       ///< tokens of the source for each of the target
  layer_widths encoder{};  ///< of a layer
  layer_widths decoder{};  ///< of a layer, with its attention to the encoder
  layer_widths mean{};     ///< of the average layer of both
};

namespace detail {

inline constexpr double layer_widths::*widths_of_a_layer[] = {
    &layer_widths::d_model, &layer_widths::qkv,    &layer_widths::context, &layer_widths::mlp_up,
    &layer_widths::mlp,     &layer_widths::scores, &layer_widths::cross,   &layer_widths::keys};

/// a x scale + b x other.
constexpr layer_widths sum_of(const layer_widths& a, double scale, const layer_widths& b, double other) noexcept {
  layer_widths sum;
  for (double layer_widths::*part : widths_of_a_layer) sum.*part = scale * a.*part + other * b.*part;
  return sum;
}

/// `widths_of` a job of pairs that is known to be valid.
constexpr stack_widths stacks_of_valid(const transformer& model, const training_job& job) {
  const auto source = static_cast<double>(source_length(model, job));
  const auto target = static_cast<double>(job.sequence_length);
  const auto head = static_cast<double>(model.attention.head_dim);
  const auto heads = static_cast<double>(model.attention.heads);
  layer_widths one = widths_of_valid(model), other = one;
  const bool unfused = job.attention == attention_kernel::unfused;
  one.scores = unfused ? heads * source : 0;
  other.scores = unfused ? heads * (target + source) : 0;
  stack_widths stacks;
  stacks.source = source / target;
  stacks.encoder = sum_of(one, stacks.source, {}, 0);
  other.qkv += head * (heads + stacks.source * 2 * static_cast<double>(model.attention.kv_heads));
  other.context += head * heads;
  other.cross = other.d_model;
  stacks.decoder = other;
  const auto before = static_cast<double>(model.encoder_layers), after = static_cast<double>(model.layers);
  stacks.mean = sum_of(stacks.encoder, before / (before + after), other, after / (before + after));
  return stacks;
}

}  // namespace detail

/// The widths of a pair's layers. Throws for a model without an encoder and a decoder. Worked: with as many tokens of
/// the source as of the target, queries, keys and values of t5-small are 1536 wide in the encoder and 3072 in the
/// decoder.
[[nodiscard]] constexpr stack_widths widths_of(const transformer& model, const training_job& job) {
  validate(model);
  if (!has_two_stacks(model)) detail::fail(errc::unsupported, "model.kind", name(model.kind), "encoder_decoder");
  (void)tokens_per_step(job);
  return detail::stacks_of_valid(model, job);
}

/// Numbers per token and layer that a policy keeps between the passes, in HBM or in host memory.
/// Worked: llama-3-8b keeps 4096 under `full` and 51200 under `minimal`.
[[nodiscard]] constexpr double saved_width(const layer_widths& widths, const remat_policy& policy,
                                           placement in = placement::device) noexcept {
  double kept = 0;
  if (policy.layer_input == in) kept += widths.d_model;
  if (policy.qkv == in) kept += widths.qkv;
  if (policy.context == in) kept += widths.context;
  if (policy.out_proj == in) kept += widths.d_model + widths.cross;
  if (policy.mlp_up == in) kept += widths.mlp_up;
  if (policy.mlp_down == in) kept += widths.d_model;
  if (policy.elementwise == in) kept += 3 * widths.d_model + 2 * widths.cross + widths.mlp + widths.scores;
  return kept;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
