#ifndef TPUPLAN_MODEL_TRANSFORMER_HPP
#define TPUPLAN_MODEL_TRANSFORMER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/model/recurrent.hpp>
#include <tpuplan/model/vision.hpp>

/// @file
/// The shape of a model: what parameters.hpp, flops.hpp and kv_cache.hpp count. A Hugging Face config.json becomes one
/// of these in read/hf.hpp.

namespace tpuplan {
inline namespace abi_0 {

/// What the text stack is.
enum class architecture : std::uint8_t {
  decoder,          ///< causal language model
  encoder,          ///< bidirectional, as BERT
  encoder_decoder,  ///< both, with cross-attention in the decoder, as T5
  vision,           ///< no text stack, as a ViT classifier
};

/// "decoder" and so on.
[[nodiscard]] constexpr std::string_view name(architecture kind) noexcept {
  constexpr const char* names[] = {"decoder", "encoder", "encoder_decoder", "vision"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// Multi-head latent attention (DeepSeek). All 0 where a model has none.
struct latent_attention_spec {
  std::int64_t q_lora_rank = 0;       ///< 0: queries are projected directly
  std::int64_t kv_lora_rank = 0;      ///< 0: the model has no latent attention
  std::int64_t qk_nope_head_dim = 0;  ///< of queries and keys, the part without positions
  std::int64_t qk_rope_head_dim = 0;  ///< of queries and keys, the part with positions
  std::int64_t v_head_dim = 0;        ///< of values
};

/// An indexer, which chooses the keys that attention looks at (DeepSeek-V3.2). All 0 where a model has none.
struct indexer_spec {
  std::int64_t heads = 0;     ///< of its queries
  std::int64_t head_dim = 0;  ///< of its queries and of its one key
  std::int64_t top_k = 0;     ///< keys that attention looks at, at most
  std::int64_t layers = 0;    ///< layers with an indexer; the others reuse its choice (GLM-5.2); 0: all
};

/// Self-attention of every layer, and what differs in some of them.
struct attention_spec {
  std::int64_t heads = 0;             ///< of queries, in each layer
  std::int64_t kv_heads = 0;          ///< below heads: grouped queries; 1: multi-query
  std::int64_t head_dim = 0;          ///< need not be d_model / heads
  bool qkv_bias = false;              ///< biases of the projections of queries, keys and values
  bool key_bias = true;               ///< false: the projection of keys has no bias (Whisper)
  bool output_bias = false;           ///< a bias of attention's output projection
  bool qk_norm = false;               ///< a norm of head_dim weights on queries and one on keys
  bool wide_qk_norm = false;          ///< those norms have a weight for every dimension of every head (OLMo 2)
  bool sinks = false;                 ///< one learned sink per head, as gpt-oss
  bool output_gate = false;           ///< a gate on its output, as wide as the queries (Qwen3-Next)
  latent_attention_spec latent{};     ///< instead of heads with keys and values of their own
  indexer_spec indexer{};             ///< of latent attention: it chooses the keys
  std::int64_t window = 0;            ///< sliding window of the local layers, in tokens; 0: no local layers
  std::int64_t local_layers = 0;      ///< layers with the window; the rest attend to everything
  std::int64_t global_head_dim = 0;   ///< 0: as head_dim
  std::int64_t global_kv_heads = 0;   ///< 0: as kv_heads
  bool global_kv_shared = false;      ///< global layers use one matrix for keys and values
  std::int64_t kv_shared_layers = 0;  ///< layers that read the keys and values of an earlier one
  bool single_kv = false;             ///< keys are the values too: one matrix, cached once (DeepSeek-V4)
  std::int64_t value_dim = 0;         ///< of values; 0: as head_dim (MiMo-V2)
  std::int64_t output_rank = 0;       ///< rank of a low-rank output projection per group of heads; 0: one full matrix
  std::int64_t output_groups = 0;     ///< groups of heads of that projection
  std::int64_t chosen_layers = 0;     ///< layers whose keys each stand for several tokens and are chosen by an indexer
  std::int64_t chosen_ratio = 0;      ///< tokens that one such key stands for
  std::int64_t merged_layers = 0;     ///< layers whose keys each stand for many tokens and are all seen
  std::int64_t merged_ratio = 0;      ///< tokens that one such key stands for
  std::int64_t relative_buckets = 0;  ///< relative position table per stack, as T5
  std::int64_t relative_keys = 0;     ///< positions that each query, or key, is multiplied by, of both kinds (DeBERTa)
  std::int64_t cross_layers = 0;      ///< layers that attend to an image, not to text (Llama 3.2 Vision)
};

/// The dense MLP, also of the dense layers of a mixture of experts.
struct mlp_spec {
  std::int64_t d_ff = 0;                ///< inner width
  bool gated = true;                    ///< three matrices (SwiGLU, GeGLU) instead of two
  bool bias = false;                    ///< biases of the matrices
  bool double_wide_in_shared = false;   ///< twice the width in layers with shared keys and values (Gemma 3n)
  std::int64_t activation_weights = 0;  ///< learned numbers of the activation, in each layer (Apertus: 2)
  std::int64_t absent = 0;              ///< layers with neither an MLP nor experts (Mamba: all of them)
};

/// Mixture of experts. `experts` 0 where a model has none.
struct moe_spec {
  std::int64_t experts = 0;              ///< routed experts of one layer
  std::int64_t top_k = 0;                ///< experts of one token
  std::int64_t expert_d_ff = 0;          ///< inner width of one expert
  std::int64_t shared_d_ff = 0;          ///< all shared experts together
  std::int64_t parallel_dense_d_ff = 0;  ///< a dense MLP beside the experts (Gemma 4)
  std::int64_t dense_layers = 0;         ///< layers without experts: with the dense MLP, or with none
  bool router_bias = false;              ///< a bias of the router
  bool expert_bias = false;              ///< biases of the experts' matrices
  bool shared_gate = false;              ///< the router has one more output, a gate on the shared experts (Qwen2-MoE)
};

/// A transformer. Fields without a sensible default are 0 and refused by name when used.
struct transformer {
  text<64> name{};                            ///< of the model, at most 64 characters
  architecture kind = architecture::decoder;  ///< what the text stack is
  std::int64_t layers = 0;                    ///< of the decoder, or of the only stack
  std::int64_t encoder_layers = 0;            ///< encoder_decoder only
  std::int64_t encoder_positions = 0;         ///< rows of a table of positions of the encoder; 0: none
  std::int64_t encoder_stem = 0;              ///< weights before the encoder (convolutions over audio, as Whisper)
  std::int64_t d_model = 0;                   ///< width of the residual stream
  std::int64_t vocab = 0;                     ///< rows of the token table
  std::int64_t embedding_width = 0;       ///< of tokens, positions and segments, with a matrix to d_model; 0: d_model
  std::int64_t layer_sets = 0;            ///< sets of weights that all layers share (ALBERT: 1); 0: each its own
  bool tied_embeddings = false;           ///< the output head is the token table
  bool output_head = true;                ///< false: a decoder that writes no tokens, as of embedding models
  bool head_bias = false;                 ///< a bias of the output head, one for each row of the vocabulary
  std::int64_t learned_positions = 0;     ///< rows of a table of positions; 0: none
  std::int64_t token_types = 0;           ///< rows of a table of segments, as BERT; 0: none
  std::int64_t extra_input_rows = 0;      ///< of the token table alone, past the vocabulary (Llama 3.2 Vision: 8)
  std::int64_t max_positions = 0;         ///< longest sequence the model is made for; 0: not stated
  std::int64_t norms_per_layer = 2;       ///< norms over d_model in one layer
  bool norm_bias = false;                 ///< LayerNorm with weight and bias, instead of RMSNorm
  bool embedding_norm = false;            ///< a norm right after the embeddings, as BERT
  bool final_norm = true;                 ///< a norm after the last layer
  bool pooler = false;                    ///< a dense layer on the first token, as BertModel
  bool head_transform = false;            ///< a dense layer and a norm before the output head, as BertForMaskedLM
  std::int64_t classes = 0;               ///< outputs of a classification head on an encoder or vision tower
  attention_spec attention{};             ///< of the text stack
  mlp_spec mlp{};                         ///< of the text stack
  moe_spec moe{};                         ///< of the text stack
  std::int64_t prediction_layers = 0;     ///< modules that predict further tokens: in memory, not in FLOPs
  std::int64_t other_products = 0;        ///< weights in products of every token that no other field describes
  std::int64_t other_weights = 0;         ///< weights in no product that no other field describes; may be below 0
  recurrent_spec recurrent{};             ///< layers with a recurrence instead of attention, or beside it
  vision_spec vision{};                   ///< the vision tower
  std::int64_t published_parameters = 0;  ///< replaces the count where the shape is approximate; 0: counted
  std::int64_t published_active_parameters = 0;  ///< parameters in matrix products for one token; 0: counted
};

/// Whether there is a text stack. Worked: yes for llama-3-8b, no for ViT-B/16.
[[nodiscard]] constexpr bool has_text(const transformer& model) noexcept { return model.kind != architecture::vision; }
/// Whether there is a vision tower. Worked: no for llama-3-8b, yes for ViT-B/16 with its 12 layers.
[[nodiscard]] constexpr bool has_vision(const transformer& model) noexcept { return model.vision.layers > 0; }
/// Whether it is an encoder of texts beside one of images (CLIP, SigLIP), neither of which feeds the other. Worked: not
/// llama-3-8b, nor LLaVA, whose tower feeds a decoder.
[[nodiscard]] constexpr bool has_two_towers(const transformer& model) noexcept {
  return model.kind == architecture::encoder && has_vision(model);
}
/// Whether an encoder of one sequence, the source, feeds a decoder of another, the target. Worked: T5 and Whisper do,
/// not llama-3-8b.
[[nodiscard]] constexpr bool has_two_stacks(const transformer& model) noexcept {
  return model.kind == architecture::encoder_decoder;
}
/// Whether it is a mixture of experts. Worked: yes for DeepSeek-V3 with 256 experts, no for llama-3-8b.
[[nodiscard]] constexpr bool has_experts(const transformer& model) noexcept { return model.moe.experts > 0; }
/// Width of the tables of tokens, positions and segments. Worked: 128 of the 768 of ALBERT base.
[[nodiscard]] constexpr std::int64_t table_width(const transformer& model) noexcept {
  return model.embedding_width > 0 ? model.embedding_width : model.d_model;
}
/// Width of the values of one head. Worked: 128 of MiMo-V2-Flash, whose keys have 192.
[[nodiscard]] constexpr std::int64_t value_width(const transformer& model) noexcept {
  return model.attention.value_dim > 0 ? model.attention.value_dim : model.attention.head_dim;
}
/// Whether attention is latent. Worked: yes for DeepSeek-V3, whose latent vector has 512 numbers.
[[nodiscard]] constexpr bool has_latent_attention(const transformer& model) noexcept {
  return model.attention.latent.kv_lora_rank > 0;
}
/// Outputs of the router for one token: one per expert, and the gate on the shared experts where there is one. Worked:
/// 256 for DeepSeek-V3; 61 for Qwen1.5-MoE, 60 experts and the gate.
[[nodiscard]] constexpr std::int64_t router_width(const transformer& model) noexcept {
  return model.moe.experts + (model.moe.shared_gate ? 1 : 0);
}
/// Whether some layers are recurrent. Worked: yes where 36 of 48 layers are, as in Qwen3-Next; no for llama-3-8b.
[[nodiscard]] constexpr bool has_recurrence(const transformer& model) noexcept { return model.recurrent.layers > 0; }
/// Layers with attention. Worked: 12 of the 48 layers of Qwen3-Next.
[[nodiscard]] constexpr std::int64_t attention_layers(const transformer& model) noexcept {
  const recurrent_spec& recurrent = model.recurrent;
  return model.layers - recurrent.idle_layers - (recurrent.beside_attention ? 0 : recurrent.layers);
}
/// Layers with an indexer of their own that chooses among all tokens. Worked: 21 of the 78 layers of GLM-5.2.
[[nodiscard]] constexpr std::int64_t indexer_layers(const transformer& model) noexcept {
  const indexer_spec& indexer = model.attention.indexer;
  if (indexer.heads == 0 || !has_latent_attention(model)) return 0;
  return indexer.layers > 0 ? indexer.layers : attention_layers(model);
}
/// Layers whose MLP is a mixture of experts. Worked: 58 of the 61 layers of DeepSeek-V3.
[[nodiscard]] constexpr std::int64_t moe_layers(const transformer& model) noexcept {
  return has_experts(model) ? model.layers - model.moe.dense_layers : 0;
}

/// Layers with a dense MLP. Worked: 3 of the 61 layers of DeepSeek-V3.
[[nodiscard]] constexpr std::int64_t dense_layers(const transformer& model) noexcept {
  return model.layers - moe_layers(model) - model.mlp.absent;
}

namespace detail {

/// The model as it runs without an image: layers that attend to one do not.
constexpr transformer text_alone(transformer model) {
  model.layers -= model.attention.cross_layers;
  model.attention.cross_layers = 0;
  return model;
}

/// How many of the layers that read another layer's keys and values have a window: the same share as of all layers,
/// because the pattern of layers repeats.
constexpr std::int64_t local_shared_layers(const transformer& model) {
  const attention_spec& attention = model.attention;
  if (attention.kv_shared_layers == 0) return 0;
  const std::int64_t to_text = attention_layers(model) - attention.cross_layers;
  const std::int64_t own = to_text - attention.kv_shared_layers;
  return to_text == 0 ? 0 : attention.local_layers - attention.local_layers * own / to_text;
}

constexpr void check_attention(const transformer& model) {
  const attention_spec& attention = model.attention;
  check_dimension("model.attention.heads", attention.heads);
  check_dimension("model.attention.kv_heads", attention.kv_heads);
  if (attention.heads % attention.kv_heads != 0) {
    fail(errc::not_divisible, "model.attention.kv_heads", attention.kv_heads, "a divisor of the number of heads");
  }
  const latent_attention_spec& latent = attention.latent;
  check_size("model.attention.latent.kv_lora_rank", latent.kv_lora_rank);
  check_size("model.attention.latent.q_lora_rank", latent.q_lora_rank);
  const bool is_latent = has_latent_attention(model);
  check_size("model.attention.latent.qk_nope_head_dim", latent.qk_nope_head_dim, is_latent);
  check_size("model.attention.latent.qk_rope_head_dim", latent.qk_rope_head_dim, is_latent);
  check_size("model.attention.latent.v_head_dim", latent.v_head_dim, is_latent);
  check_size("model.attention.head_dim", attention.head_dim, !is_latent);
  check_part("model.attention.window", attention.window, most_tokens, "0 (none) to 2^40 tokens");
  const std::int64_t attending = attention_layers(model), others = attending > 0 ? 1 : 0;
  check_part("model.attention.cross_layers", attention.cross_layers, attending - others,
             "0 to one less than the number of layers");
  const std::int64_t to_text = attending - attention.cross_layers;
  check_part("model.attention.local_layers", attention.local_layers, to_text,
             "0 to the number of layers that attend to text");
  check_part("model.attention.kv_shared_layers", attention.kv_shared_layers, to_text - others,
             "0 to one less than the number of layers that attend to text");
  check_size("model.attention.global_head_dim", attention.global_head_dim);
  check_part("model.attention.global_kv_heads", attention.global_kv_heads, attention.heads,
             "0 (as kv_heads) to the number of heads");
  check_sizes("model.attention.relative_buckets", attention.relative_buckets, attention.relative_keys);
  const indexer_spec& indexer = attention.indexer;
  if ((indexer.heads | indexer.head_dim | indexer.top_k) != 0) {  // one without the others says too little
    check_dimension("model.attention.indexer.heads", indexer.heads);
    check_dimension("model.attention.indexer.head_dim", indexer.head_dim);
    check_dimension("model.attention.indexer.top_k", indexer.top_k);
  }
  check_part("model.attention.indexer.layers", indexer.layers, attending, "0 (all) to the layers with attention");
  if (indexer.heads > 0 && latent.q_lora_rank == 0)
    fail(errc::missing_field, "model.attention.latent.q_lora_rank", latent.q_lora_rank, "1 or more with an indexer");
  check_size("model.attention.value_dim", attention.value_dim);
  check_size("model.attention.output_rank", attention.output_rank);
  check_size("model.attention.output_groups", attention.output_groups);
  check_size("model.attention.chosen_ratio", attention.chosen_ratio);
  check_size("model.attention.merged_ratio", attention.merged_ratio);
  check_part("model.attention.chosen_layers", attention.chosen_layers, attending, "0 to the layers with attention");
  check_part("model.attention.merged_layers", attention.merged_layers, attending - attention.chosen_layers,
             "0 to the layers with attention, less chosen_layers");
  if (attention.chosen_layers > 0) check_dimension("model.attention.chosen_ratio", attention.chosen_ratio);
  if (attention.chosen_layers > 0) check_dimension("model.attention.indexer.heads", indexer.heads);
  if (attention.merged_layers > 0) check_dimension("model.attention.merged_ratio", attention.merged_ratio);
  if (attention.local_layers > 0 && attention.window == 0) {
    fail(errc::missing_field, "model.attention.window", attention.window, "the window of the local layers, in tokens");
  }
}

constexpr void check_experts(const transformer& model) {
  const moe_spec& moe = model.moe;
  check_size("model.moe.experts", moe.experts);
  check_size("model.moe.expert_d_ff", moe.expert_d_ff, has_experts(model));
  check_size("model.moe.shared_d_ff", moe.shared_d_ff);
  check_size("model.moe.parallel_dense_d_ff", moe.parallel_dense_d_ff);
  check_size("model.moe.top_k", moe.top_k);
  check_part("model.moe.dense_layers", moe.dense_layers, model.layers, "0 to the number of layers");
  if (!has_experts(model)) {
    if ((moe.top_k | moe.expert_d_ff | moe.shared_d_ff | moe.parallel_dense_d_ff) != 0)
      fail(errc::missing_field, "model.moe.experts", moe.experts, "1 or more where moe has other fields");
    return;
  }
  check_dimension("model.moe.top_k", moe.top_k);
  check_part("model.moe.top_k", moe.top_k, moe.experts, "1 to the number of experts");
}

/// Checks what models with and without text share: published counts, other weights, and the sizes of token tables.
constexpr void check_tables(const transformer& model) {
  check_tower(model.vision);
  check_part("model.norms_per_layer", model.norms_per_layer, 16, "0 to 16");
  check_part("model.max_positions", model.max_positions, most_tokens, "0 (not stated) to 2^40");
  if (model.layer_sets == 0 &&
      are_sizes(model.published_parameters, model.published_active_parameters, model.classes, model.encoder_layers,
                model.token_types, model.encoder_positions, model.encoder_stem, model.prediction_layers,
                model.mlp.activation_weights, model.extra_input_rows, model.embedding_width, model.other_products,
                model.other_weights, model.learned_positions))
    return;
  check_part("model.published_parameters", model.published_parameters, most_parameters, "0 (counted) to 2^53");
  check_part("model.published_active_parameters", model.published_active_parameters, most_parameters,
             "0 (counted) to 2^53");
  check_size("model.classes", model.classes);
  check_size("model.encoder_layers", model.encoder_layers);
  check_size("model.token_types", model.token_types);
  check_sizes("model.encoder_positions, encoder_stem or prediction_layers", model.encoder_positions, model.encoder_stem,
              model.prediction_layers);
  check_size("model.mlp.activation_weights", model.mlp.activation_weights);
  check_size("model.extra_input_rows", model.extra_input_rows);
  check_size("model.embedding_width", model.embedding_width);
  if (model.layer_sets != 0)
    check_part("model.layer_sets", model.layer_sets,
               has_experts(model) || has_recurrence(model) || model.attention.local_layers > 0 ? 0 : model.layers,
               "0 (each its own), or to the number of layers where all are alike");
  check_part("model.other_products", model.other_products, most_parameters, "0 to 2^53");
  if (model.other_weights < -most_parameters || model.other_weights > most_parameters)
    fail(errc::out_of_range, "model.other_weights", model.other_weights, "-2^53 to 2^53");
  check_part("model.learned_positions", model.learned_positions, most_tokens, "0 to 2^40");
}

}  // namespace detail

/// Throws, naming the field, unless the shape is one that can be counted: every needed dimension given and positive,
/// every number in a range without overflow, KV heads dividing heads, parts not above their whole. At least
/// one layer attends to text with keys and values of its own. Every public function over a transformer calls it.
constexpr void validate(const transformer& model) {
  if (has_vision(model)) validate(model.vision);
  detail::check_tables(model);
  if (!has_text(model)) {
    if (!has_vision(model)) detail::fail(errc::missing_field, "model.vision.layers", model.vision.layers, "1 or more");
    return;
  }
  detail::check_dimension("model.layers", model.layers);
  detail::check_dimension("model.d_model", model.d_model);
  detail::check_dimension("model.vocab", model.vocab);
  if (has_two_stacks(model)) detail::check_dimension("model.encoder_layers", model.encoder_layers);
  detail::validate(model.recurrent, model.layers);
  detail::check_attention(model);
  detail::check_experts(model);
  detail::check_part("model.mlp.absent", model.mlp.absent, model.layers - moe_layers(model),
                     "0 to the layers without experts");
  detail::check_size("model.mlp.d_ff", model.mlp.d_ff, dense_layers(model) > 0);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
