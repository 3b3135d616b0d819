#ifndef TPUPLAN_MODEL_FLOPS_HPP
#define TPUPLAN_MODEL_FLOPS_HPP

#include <cstdint>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/parameters.hpp>

/// @file
/// FLOPs of a model, two per multiply-add. Publications count model FLOPs by different conventions, so the convention
/// is an argument here.

namespace tpuplan {
inline namespace abi_0 {

/// How the attention core (scores and their sum over values) is counted.
enum class attention_flops : std::uint8_t {
  none,         ///< not at all, as in 6N
  full,         ///< every query against the whole sequence
  causal_half,  ///< half of that in causal models: MaxText, Megatron-LM, the scaling book's useful half
};

/// How a sliding window of W tokens in a sequence of T is counted, where W is below T.
enum class window_flops : std::uint8_t {
  smooth,   ///< (T W - W^2/2) / T keys for each query: MaxText
  clipped,  ///< min(W, T/2) keys: as the estimates count, within 1 % of smooth for W far below T
  half,     ///< W/2 keys, as some MaxText versions print local layers
};

/// What is counted. The default is MaxText's: the matrix products of one token with active experts, router and output
/// head, without the input look-up, and half of causal attention.
struct flop_convention {
  attention_flops attention = attention_flops::causal_half;  ///< how attention is counted
  window_flops window = window_flops::smooth;                ///< how sliding windows are counted
  bool router = true;                                        ///< the router of a mixture of experts counts
  bool all_parameters = false;  ///< two FLOPs per parameter of the model (6N), not per weight in a product
  bool latent_norms = false;    ///< a multiply-add per weight of the norms inside latent attention
};

/// MaxText's count, the default.
inline constexpr flop_convention maxtext_flops{};
/// Megatron-LM's count: MaxText's without the router, and with the norms inside latent attention.
inline constexpr flop_convention megatron_flops{attention_flops::causal_half, window_flops::smooth, false, false, true};
/// The 6 N rule: six FLOPs per parameter and token of training, two of a forward pass, for all N parameters; attention
/// does not count.
inline constexpr flop_convention six_n_flops{attention_flops::none, window_flops::smooth, true, true};

/// Forward FLOPs of one token, by part; the parts add up to `total`. With `all_parameters` everything but attention is
/// in `weights`, and the other parts are 0.
struct forward_flops {
  flops qkv{};               ///< projections of queries, keys, values and into recurrences; other products
  flops attention_output{};  ///< the output projection of attention or a recurrence
  flops attention{};         ///< scores and their sum over values; recurrences and indexers
  flops mlp_up{};            ///< dense: gate and up
  flops mlp_down{};          ///< dense
  flops experts_up{};        ///< active experts: gate and up
  flops experts_down{};      ///< active experts
  flops router{};            ///< of the mixture of experts
  flops logits{};            ///< the output head
  flops weights{};           ///< only with all_parameters
  flops total{};             ///< of all parts
};

namespace detail {

/// Positions that one of them sees on average with that window (0: none).
constexpr double average_context(bool causal, double sequence, double window, const flop_convention& how) {
  const bool halved = how.attention == attention_flops::causal_half && causal;
  const double whole = halved ? sequence / 2 : sequence;
  if (window <= 0 || window >= sequence) return whole;
  switch (how.window) {
    case window_flops::smooth: return halved ? window - window * window / (2 * sequence) : window;
    case window_flops::half: return window / 2;
    case window_flops::clipped: break;
  }
  return window < whole ? window : whole;
}
/// The same of a query in a layer of the model.
constexpr double average_context(const transformer& model, double sequence, double window, const flop_convention& how) {
  return average_context(model.kind == architecture::decoder, sequence, window, how);
}

/// Multiply-adds of the attention core for one token of one layer: heads x context x (key size + value size).
constexpr double attention_macs(const transformer& model, double context, double head_dim) {
  const latent_attention_spec& latent = model.attention.latent;
  const auto heads = static_cast<double>(model.attention.heads);
  const auto values = model.attention.value_dim > 0 ? static_cast<double>(model.attention.value_dim) : head_dim;
  if (!has_latent_attention(model)) return heads * context * (head_dim + values);
  return heads * context * static_cast<double>(latent.qk_nope_head_dim + latent.qk_rope_head_dim + latent.v_head_dim);
}

/// The head size of layers that attend to the whole context.
constexpr double global_head_dim(const transformer& model) noexcept {
  return static_cast<double>(model.attention.global_head_dim > 0 ? model.attention.global_head_dim
                                                                 : model.attention.head_dim);
}

/// Keys that a query sees on average where an indexer chooses them; the average context where there is no indexer, or
/// where it chooses among keys that stand for several tokens.
constexpr double chosen_keys(const transformer& model, double sequence, const flop_convention& how) {
  const std::int64_t most = model.attention.chosen_layers > 0 ? 0 : model.attention.indexer.top_k;
  return average_context(model, sequence, static_cast<double>(most), how);
}

/// FLOPs of the recurrences, indexers and relative positions of all layers for one token. An indexer scores all keys,
/// provided there are more than it chooses.
constexpr flops beside_scores(const transformer& model, double sequence, double keys) {
  flops sum{0};
  const attention_spec& attention = model.attention;
  const indexer_spec& indexer = attention.indexer;
  const bool few = attention.chosen_layers > 0;
  const double ratio = few ? static_cast<double>(attention.chosen_ratio) : 1;
  const auto choosing = static_cast<double>(few ? attention.chosen_layers : indexer_layers(model));
  if (sequence > ratio * static_cast<double>(indexer.top_k))
    sum +=
        flops{2 * keys / ratio * choosing * static_cast<double>(checked_multiply(indexer.heads, indexer.head_dim + 1))};
  const auto head_dim = static_cast<double>(attention.head_dim);
  if (few) {
    const double most = static_cast<double>(indexer.top_k), seen = keys / ratio < most ? keys / ratio : most;
    sum += flops{2 * choosing * attention_macs(model, seen, head_dim)};
  }
  if (attention.merged_layers > 0)
    sum += flops{2 * static_cast<double>(attention.merged_layers) *
                 attention_macs(model, keys / static_cast<double>(attention.merged_ratio), head_dim)};
  if (attention.relative_keys > 0)
    sum += flops{2 * static_cast<double>(checked_multiply(attention.relative_keys, attention_layers(model))) *
                 static_cast<double>(attention.heads) * head_dim};
  if (has_recurrence(model))
    sum += static_cast<double>(model.recurrent.layers) * core_flops(model.recurrent, model.d_model);
  return sum;
}

constexpr flops attention_core(const transformer& model, double sequence, const flop_convention& how) {
  if (how.attention == attention_flops::none) return flops{0};
  const double local = average_context(model, sequence, static_cast<double>(model.attention.window), how);
  const double all = average_context(model, sequence, 0, how);
  const auto local_layers = static_cast<double>(model.attention.local_layers);
  const auto to_image = static_cast<double>(model.attention.cross_layers);
  const double global_layers = static_cast<double>(attention_layers(model)) - local_layers - to_image;
  const double chosen = chosen_keys(model, sequence, how);
  const double macs =
      local_layers * attention_macs(model, local, static_cast<double>(model.attention.head_dim)) +
      global_layers * attention_macs(model, chosen < all ? chosen : all, global_head_dim(model)) +
      to_image * attention_macs(model, static_cast<double>(model.vision.tokens_per_image), global_head_dim(model));
  return flops{2 * macs} + beside_scores(model, sequence, all);
}

/// Refuses a sequence, or a model that is known to be valid, whose FLOPs per token are not counted.
constexpr void check_flops_of(const transformer& model, std::int64_t sequence) {
  positive_count("sequence_length", sequence);
  if (sequence > (std::int64_t{1} << 40)) fail(errc::out_of_range, "sequence_length", sequence, "1 to 2^40 tokens");
  if (has_two_stacks(model) || !has_text(model)) {
    fail(errc::unsupported, "FLOPs per token of an architecture", name(model.kind),
         "decoder or encoder (forward_flops_per_pair answers for both, vision_flops_per_image for a tower)");
  }
}

/// FLOPs of a product with so many weights, for each row.
constexpr flops two_per(std::int64_t weights) noexcept { return flops{2 * static_cast<double>(weights)}; }

/// `forward_flops_per_token` of a model and a sequence that are known to be valid.
constexpr forward_flops forward_flops_of_valid(const transformer& model, std::int64_t sequence_length,
                                               const flop_convention& how = maxtext_flops) {
  forward_flops result;
  result.attention = attention_core(model, static_cast<double>(sequence_length), how);
  if (how.all_parameters) {
    result.weights = two_per(count_of_valid(model).total);
    result.total = result.attention + result.weights;
    return result;
  }
  const projection_weights projections = stack_projections(model);
  const double up_share = model.mlp.gated ? 2.0 / 3 : 0.5;
  const std::int64_t dense = dense_mlp_matrices(model);
  const std::int64_t routed =
      checked_multiply(mlp_matrices(model, model.moe.expert_d_ff), model.moe.top_k, moe_layers(model));
  const std::int64_t latent_norms = how.latent_norms && has_latent_attention(model) ? projections.extra : 0;
  const projection_weights recurrent = recurrent_projections(model);
  const std::int64_t beside = checked_add(table_matrix(model), model.other_products);
  result.qkv = two_per(checked_add(checked_add(projections.qkv, recurrent.qkv), checked_add(latent_norms, beside)));
  result.attention_output = two_per(checked_add(projections.output, recurrent.output));
  result.mlp_up = two_per(dense) * up_share;
  result.mlp_down = two_per(dense) * (1 - up_share);
  result.experts_up = two_per(routed) * up_share;
  result.experts_down = two_per(routed) * (1 - up_share);
  if (how.router) result.router = two_per(checked_multiply(model.d_model, router_width(model), moe_layers(model)));
  if (model.output_head)
    result.logits =
        two_per(checked_multiply(table_width(model), model.vocab + (model.head_transform ? model.d_model : 0)));
  result.total = result.qkv + result.attention_output + result.attention + result.mlp_up + result.mlp_down +
                 result.experts_up + result.experts_down + result.router + result.logits;
  return result;
}

}  // namespace detail

/// Forward FLOPs per token of a text model at a sequence length, under a convention. Throws for encoder-decoder models,
/// whose two sequences differ, and for pure vision models.
/// Worked: llama-3-8b at 4096 tokens, MaxText's convention: 197.62862515814402e12 / (3 x 4096) FLOP.
[[nodiscard]] constexpr forward_flops forward_flops_per_token(const transformer& model, std::int64_t sequence_length,
                                                              const flop_convention& how = maxtext_flops) {
  validate(model);
  detail::check_flops_of(model, sequence_length);
  return detail::forward_flops_of_valid(model, sequence_length, how);
}

/// Training FLOPs per token: forward, and twice that backward. Recomputation is not model work and is left out.
/// Worked: 6 N = 6 x 8030261248 for llama-3-8b under `six_n_flops`.
[[nodiscard]] constexpr flops training_flops_per_token(const transformer& model, std::int64_t sequence_length,
                                                       const flop_convention& how = maxtext_flops) {
  return 3 * forward_flops_per_token(model, sequence_length, how).total;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
