#ifndef TPUPLAN_IO_HF_LANGUAGE_HPP
#define TPUPLAN_IO_HF_LANGUAGE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/integer.hpp>
#include <tpuplan/io/hf/fields.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// The text models of Hugging Face configurations. What a configuration does not say (which norms and biases there are)
/// is from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Which projections of the attention have biases.
enum class bias_rule : std::uint8_t {
  none,    ///< no field of the class
  stated,  ///< `attention_bias`: on queries, keys, values and the output
  qkv,     ///< on queries, keys and values; `qkv_bias` where the class has that field
};

/// Where the sizes of a mixture of experts stand.
enum class expert_rule : std::uint8_t { none, mixtral, qwen, deepseek, gpt_oss };

/// What the configuration of a decoder does not say but its modelling file does.
struct text_family {
  std::string_view type;
  bias_rule bias = bias_rule::none;
  bool windows = false;  ///< `sliding_window` counts
  expert_rule experts = expert_rule::none;
  bool qk_norm = false;
  std::int64_t norms_per_layer = 2;
};

inline constexpr std::array<text_family, 18> text_families{{
    {"llama", bias_rule::stated},
    {"mistral", bias_rule::none, true},
    {"mixtral", bias_rule::none, true, expert_rule::mixtral},
    {"gemma", bias_rule::stated},
    {"gemma2", bias_rule::stated, true, expert_rule::none, false, 4},
    {"gemma3_text", bias_rule::stated, true, expert_rule::none, true, 4},
    {"qwen2", bias_rule::qkv, true},
    {"qwen3", bias_rule::stated, true, expert_rule::none, true},
    {"qwen2_moe", bias_rule::qkv, true, expert_rule::qwen},
    {"qwen3_moe", bias_rule::stated, true, expert_rule::qwen, true},
    {"deepseek_v2", bias_rule::none, false, expert_rule::deepseek},
    {"deepseek_v3", bias_rule::none, false, expert_rule::deepseek},
    {"gpt_oss", bias_rule::stated, true, expert_rule::gpt_oss},
    {"qwen2_vl_text", bias_rule::qkv, true},
    {"qwen2_5_vl_text", bias_rule::qkv, true},
    {"qwen3_vl_text", bias_rule::stated, false, expert_rule::none, true},
    {"qwen3_vl_moe_text", bias_rule::stated, false, expert_rule::qwen, true},
    {"mllama_text_model", bias_rule::none},
}};

/// Heads; latent attention where the class has it.
inline void read_heads(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  a.heads = fields.count("num_attention_heads");
  a.kv_heads = fields.is_null("num_key_value_heads") ? a.heads : fields.count("num_key_value_heads");
  if (a.heads % a.kv_heads != 0) {
    fail(errc::not_divisible, fields.path("num_key_value_heads"), a.kv_heads,
         "a divisor of num_attention_heads, " + std::to_string(a.heads));
  }
  if (fields.default_of("kv_lora_rank") == nullptr) {
    a.head_dim = fields.count("head_dim");
    return;
  }
  a.latent.q_lora_rank = fields.count_or_none("q_lora_rank");
  a.latent.kv_lora_rank = fields.count("kv_lora_rank");
  a.latent.qk_nope_head_dim = fields.count("qk_nope_head_dim");
  a.latent.qk_rope_head_dim = fields.count("qk_rope_head_dim");
  a.latent.v_head_dim = fields.count("v_head_dim");
  a.head_dim = a.latent.qk_nope_head_dim + a.latent.qk_rope_head_dim;
}

inline void read_biases(config_fields& fields, bias_rule rule, transformer& model) {
  attention_spec& a = model.attention;
  switch (rule) {
    case bias_rule::none: fields.refuse_true("attention_bias"); break;
    case bias_rule::stated: a.qkv_bias = a.output_bias = fields.flag("attention_bias"); break;
    case bias_rule::qkv: a.qkv_bias = fields.default_of("qkv_bias") == nullptr || fields.flag("qkv_bias"); break;
  }
  if (fields.type() == "llama") {
    model.mlp.bias = fields.flag("mlp_bias");
  } else {
    fields.refuse_true("mlp_bias");
  }
}

/// Layers that `layer_types` says have a window; each layer has to be of a kind that can be counted.
inline std::int64_t stated_local_layers(const config_fields& fields, const transformer& model) {
  const nlohmann::json& types = fields.object().at("layer_types");
  if (!types.is_array()) fail(errc::malformed_input, fields.path("layer_types"), types.type_name(), "an array");
  std::int64_t local = 0;
  for (const nlohmann::json& entry : types) {
    if (entry == "sliding_attention") {
      ++local;
    } else if (entry != "full_attention") {
      fail(errc::unsupported, fields.path("layer_types"), shown_json(entry), "sliding_attention, full_attention");
    }
  }
  if (types.size() != static_cast<std::size_t>(model.layers)) {
    fail(errc::invalid_argument, fields.path("layer_types"), static_cast<std::int64_t>(types.size()),
         "one entry for each of the layers, " + std::to_string(model.layers));
  }
  return local;
}

/// Layers that have a window where the file does not list them.
inline std::int64_t usual_local_layers(config_fields& fields, const transformer& model) {
  const hf_default* row = fields.default_of("layer_types");
  if (row == nullptr) return model.layers;
  std::int64_t local = (model.layers + 1) / 2;
  if (row->kind == default_kind::periodic_layers) local = model.layers - model.layers / fields.count(row->text);
  if (row->kind == default_kind::upper_layers) local = model.layers - std::min(model.layers, fields.part(row->text));
  if (row->kind == default_kind::even_lower_layers) local = (std::min(model.layers, fields.part(row->text)) + 1) / 2;
  fields.assume("layer_types", std::to_string(local) + " of " + std::to_string(model.layers) + " layers with a window",
                *row);
  return local;
}

inline void read_window(config_fields& fields, const text_family& family, transformer& model) {
  attention_spec& a = model.attention;
  const bool stated = fields.has("layer_types");
  const std::int64_t listed = stated ? stated_local_layers(fields, model) : 0;
  const bool used =
      family.windows && (fields.default_of("use_sliding_window") == nullptr || fields.flag("use_sliding_window"));
  a.window = used ? fields.tokens("sliding_window") : 0;
  if (a.window > 0) a.local_layers = stated ? listed : usual_local_layers(fields, model);
  if (listed > 0 && a.window == 0) {
    fail(errc::unsupported, fields.path("layer_types"), "sliding_attention without sliding_window", "full_attention");
  }
  if (a.local_layers == 0) a.window = 0;
}

/// Experts of Qwen: all layers but those of `mlp_only_layers` are mixtures.
inline void read_qwen_experts(config_fields& fields, transformer& model) {
  const std::int64_t step = fields.count("decoder_sparse_step");
  if (step != 1) fail(errc::unsupported, fields.path("decoder_sparse_step"), step, "1");
  model.moe.experts = fields.count("num_experts", "num_local_experts");
  model.moe.expert_d_ff = fields.count("moe_intermediate_size");
  model.moe.dense_layers = fields.layers_listed("mlp_only_layers", model.layers);
  if (fields.default_of("shared_expert_intermediate_size") == nullptr) return;
  model.moe.shared_d_ff = fields.part("shared_expert_intermediate_size");
  model.moe.shared_gate = true;
}

/// Experts of DeepSeek: all layers from `first_k_dense_replace` on are mixtures. The next-token modules of V3 are no
/// part of its class and are not counted.
inline void read_deepseek_experts(config_fields& fields, transformer& model) {
  const std::int64_t frequency = fields.count("moe_layer_freq");
  if (frequency != 1) fail(errc::unsupported, fields.path("moe_layer_freq"), frequency, "1");
  model.moe.experts = fields.count("n_routed_experts", "num_local_experts");
  model.moe.expert_d_ff = fields.count("moe_intermediate_size");
  model.moe.shared_d_ff = checked_multiply(fields.part("n_shared_experts"), model.moe.expert_d_ff);
  check_part(fields.path("n_shared_experts") + " x moe_intermediate_size", model.moe.shared_d_ff, 16777216,
             "0 to 16777216");
  model.moe.dense_layers = fields.part("first_k_dense_replace");
  check_part(fields.path("first_k_dense_replace"), model.moe.dense_layers, model.layers, "0 to the number of layers");
  model.moe.router_bias = fields.type() == "deepseek_v3";
  if (fields.object().count_or("num_nextn_predict_layers", 0) > 0) {
    fields.assume("num_nextn_predict_layers", "0", "the class builds no module that predicts further tokens");
  }
}

inline void read_mlp(config_fields& fields, expert_rule rule, transformer& model) {
  switch (rule) {
    case expert_rule::none: break;
    case expert_rule::mixtral:
    case expert_rule::gpt_oss:
      model.moe.experts = fields.count("num_local_experts", "num_experts");
      model.moe.expert_d_ff = fields.count("intermediate_size");
      model.moe.router_bias = model.moe.expert_bias = model.attention.sinks = rule == expert_rule::gpt_oss;
      break;
    case expert_rule::qwen: read_qwen_experts(fields, model); break;
    case expert_rule::deepseek: read_deepseek_experts(fields, model); break;
  }
  if (moe_layers(model) < model.layers) model.mlp.d_ff = fields.count("intermediate_size");
  if (rule == expert_rule::none) return;
  model.moe.top_k = fields.count("num_experts_per_tok");
  if (model.moe.top_k > model.moe.experts) {
    fail(errc::out_of_range, fields.path("num_experts_per_tok"), model.moe.top_k,
         "1 to the number of experts, " + std::to_string(model.moe.experts));
  }
}

/// A decoder, all but whether its embeddings are tied.
inline void read_decoder(config_fields& fields, const text_family& family, transformer& model) {
  model.d_model = fields.count("hidden_size");
  model.layers = fields.count("num_hidden_layers");
  model.vocab = fields.count("vocab_size");
  model.max_positions = fields.tokens("max_position_embeddings");
  model.norms_per_layer = family.norms_per_layer;
  model.attention.qk_norm = family.qk_norm;
  fields.refuse_true("use_bidirectional_attention");
  read_heads(fields, model);
  read_biases(fields, family.bias, model);
  read_window(fields, family, model);
  read_mlp(fields, family.experts, model);
  if (fields.default_of("cross_attention_layers") == nullptr) return;
  model.attention.cross_layers = fields.layers_listed("cross_attention_layers", model.layers);
  model.extra_input_rows = 8;  // special tokens that are read and never written
}

/// A decoder of one of the names that `text_config.model_type` takes, or null.
inline const text_family* find_text_family(std::string_view type) {
  for (const text_family& family : text_families) {
    if (family.type == type) return &family;
  }
  return nullptr;
}

/// GPT-2: learned positions, LayerNorm, biases everywhere.
inline void read_gpt2(config_fields& fields, transformer& model) {
  fields.refuse_true("add_cross_attention");
  model.d_model = fields.count("n_embd");
  model.layers = fields.count("n_layer");
  model.vocab = fields.count("vocab_size");
  model.max_positions = model.learned_positions = fields.count("n_positions");
  model.attention.heads = model.attention.kv_heads = fields.count("n_head");
  if (model.d_model % model.attention.heads != 0) {
    fail(errc::not_divisible, fields.path("n_head"), model.attention.heads, "a divisor of n_embd");
  }
  model.attention.head_dim = model.d_model / model.attention.heads;
  model.attention.qkv_bias = model.attention.output_bias = true;
  model.mlp = {fields.count("n_inner"), false, true};
  model.norm_bias = true;
  model.tied_embeddings = fields.flag("tie_word_embeddings");
}

/// BertModel: the encoder with its pooler, without a language-modelling head.
inline void read_bert(config_fields& fields, transformer& model) {
  fields.refuse_true("is_decoder");
  fields.refuse_true("add_cross_attention");
  const std::string positions = fields.string("position_embedding_type");
  if (positions != "absolute") fail(errc::unsupported, fields.path("position_embedding_type"), positions, "absolute");
  model.kind = architecture::encoder;
  model.d_model = fields.count("hidden_size");
  model.layers = fields.count("num_hidden_layers");
  model.vocab = fields.count("vocab_size");
  model.max_positions = model.learned_positions = fields.count("max_position_embeddings");
  model.token_types = fields.count("type_vocab_size");
  model.attention.heads = model.attention.kv_heads = fields.count("num_attention_heads");
  if (model.d_model % model.attention.heads != 0) {
    fail(errc::not_divisible, fields.path("num_attention_heads"), model.attention.heads, "a divisor of hidden_size");
  }
  model.attention.head_dim = model.d_model / model.attention.heads;
  model.attention.qkv_bias = model.attention.output_bias = true;
  model.mlp = {fields.count("intermediate_size"), false, true};
  model.norm_bias = model.embedding_norm = model.pooler = true;
  model.final_norm = false;
  model.tied_embeddings = true;
}

/// T5: encoder and decoder, relative positions (hence no longest sequence), RMSNorm, no biases.
inline void read_t5(config_fields& fields, transformer& model) {
  if (!fields.object().flag_or("is_encoder_decoder", true)) {
    fail(errc::unsupported, fields.path("is_encoder_decoder"), "false", "true");
  }
  model.kind = architecture::encoder_decoder;
  model.d_model = fields.count("d_model");
  model.encoder_layers = fields.count("num_layers");
  model.layers = fields.count("num_decoder_layers");
  model.vocab = fields.count("vocab_size");
  model.attention.heads = model.attention.kv_heads = fields.count("num_heads");
  model.attention.head_dim = fields.count("d_kv");
  model.attention.relative_buckets = fields.count("relative_attention_num_buckets");
  model.mlp.d_ff = fields.count("d_ff");
  model.mlp.gated = fields.string("feed_forward_proj").rfind("gated-", 0) == 0;
  model.tied_embeddings = fields.flag("tie_word_embeddings");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
