#ifndef TPUPLAN_READ_HF_SINGLE_HPP
#define TPUPLAN_READ_HF_SINGLE_HPP

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/experts.hpp>
#include <tpuplan/read/hf/fields.hpp>

/// @file
/// What single types of Hugging Face configurations have and others do not. Shapes from the modelling files of
/// transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Apertus: two learned numbers in the activation of each layer.
inline void read_apertus(config_fields&, transformer& model) { model.mlp.activation_weights = 2; }

/// Cohere: `use_qk_norm` adds norms of queries and keys, over all heads.
inline void read_cohere(config_fields& fields, transformer& model) {
  model.attention.wide_qk_norm = fields.flag("use_qk_norm");
}

/// GLM-4.5: `use_qk_norm` adds norms of queries and keys, over each head.
inline void read_glm4_moe(config_fields& fields, transformer& model) {
  model.attention.qk_norm = fields.flag("use_qk_norm");
}

/// MiMo: Qwen2 with modules of multi-token prediction, which its class builds.
inline void read_mimo(config_fields& fields, transformer& model) {
  model.prediction_layers = fields.part("num_nextn_predict_layers", 1024);
}

/// StableLM: attention and MLP side by side share one norm; `qk_layernorm` adds norms of queries and keys.
inline void read_stablelm(config_fields& fields, transformer& model) {
  model.attention.wide_qk_norm = fields.flag("qk_layernorm");
  if (fields.flag("use_parallel_residual")) model.norms_per_layer = 1;
}

/// GPT-2; SantaCoder has one pair of keys and values for all heads. Source: bigcode/santacoder modeling_gpt2_mq.py.
inline void read_gpt2(config_fields& fields, transformer& model) {
  constexpr std::string_view field = "attention_head_type";
  if (!fields.has(field)) return;
  const std::string kind = fields.string(field);
  if (kind != "multihead" && kind != "multiquery") fail_unknown(fields.path(field), kind, {"multihead", "multiquery"});
  if (kind == "multiquery") model.attention.kv_heads = 1;
}

/// Jais: GPT-2 with SwiGLU and ALiBi where the file says so.
inline void read_jais(config_fields& fields, transformer& model) {
  model.mlp.gated = fields.string("activation_function") == "swiglu";
  if (fields.string("position_embedding_type") == "alibi") model.learned_positions = 0;
}

/// StarCoder: `multi_query` says whether all heads share one pair of keys and values.
inline void read_multi_query(config_fields& fields, transformer& model) {
  model.attention.kv_heads = fields.flag("multi_query") ? 1 : model.attention.heads;
  if (fields.default_of("num_key_value_heads") && !fields.has("num_key_value_heads"))
    fields.assume("num_key_value_heads", std::to_string(model.attention.kv_heads), "multi_query");
}

/// Falcon: three generations of layers, told apart by flags.
inline void read_falcon(config_fields& fields, transformer& model) {
  constexpr std::string_view norms = "num_ln_in_parallel_attn";
  const bool is_new = fields.flag("new_decoder_architecture");
  if (is_new) {
    model.attention.kv_heads = fields.count("num_kv_heads");
    fields.assume("num_key_value_heads", std::to_string(model.attention.kv_heads), "num_kv_heads");
  } else {
    read_multi_query(fields, model);
  }
  const std::int64_t beside = fields.has(norms) ? fields.count(norms) : is_new ? 2 : 1;  // of attention and MLP
  model.norms_per_layer = fields.flag("parallel_attn") && beside != 2 ? 1 : 2;
}

/// GPT-Neo: `attention_types` is a list of patterns, each with how often it comes.
inline void read_gpt_neo(config_fields& fields, transformer& model) {
  std::int64_t layers = 0;
  std::int64_t local = 0;
  for (const nlohmann::json& entry : fields.list("attention_types")) {
    const bool usable = entry.is_array() && entry.size() == 2 && entry[0].is_array() && entry[1].is_number_integer();
    if (!usable || entry[1] > 16777216 || entry[1] < 0) {
      fail(errc::malformed_input, fields.path("attention_types"), shown_json(entry), "[[\"global\", \"local\"], 12]");
    }
    const std::int64_t times = entry[1].get<std::int64_t>();
    for (const nlohmann::json& kind : entry[0]) {
      if (kind != "global" && kind != "local")
        fail(errc::unsupported, fields.path("attention_types"), shown_json(kind), "global, local");
      layers += times;
      if (kind == "local") local += times;
    }
  }
  if (layers != model.layers) {
    fail(errc::invalid_argument, fields.path("attention_types"), layers,
         "one entry for each of the layers, " + std::to_string(model.layers));
  }
  model.attention.local_layers = local;
  model.attention.window = local > 0 ? fields.tokens("window_size") : 0;
}

/// MPT: biases only where a file says so, which no class reads. Keys and values for groups of heads, or for all of them
/// at once, are in the class of llm-foundry.
inline void read_mpt(config_fields& fields, transformer& model) {
  if (!fields.flag("no_bias")) fail(errc::unsupported, fields.path("no_bias"), "false", "true");
  if (!fields.has("attn_config")) return;
  const json_object inside = fields.inside("attn_config");
  const auto refuse = [&](const char* field, bool usual) {
    if (inside.has(field) && inside.flag(field) != usual)
      fail(errc::unsupported, inside.path(field), usual ? "false" : "true", usual ? "true" : "false");
  };
  refuse("qk_ln", false);
  refuse("qk_gn", false);
  refuse("alibi", true);
  const std::string kind = inside.has("attn_type") ? inside.string("attn_type") : "multihead_attention";
  std::int64_t& kv_heads = model.attention.kv_heads;
  if (kind == "multiquery_attention") {
    kv_heads = 1;
  } else if (kind == "grouped_query_attention") {
    kv_heads = inside.positive_count("kv_n_heads");
    if (model.attention.heads % kv_heads != 0)
      fail(errc::not_divisible, inside.path("kv_n_heads"), kv_heads, "a divisor of n_heads");
  } else if (kind != "multihead_attention") {
    fail_unknown(inside.path("attn_type"), kind,
                 {"multihead_attention", "multiquery_attention", "grouped_query_attention"});
  }
}

/// OPT: two more rows of positions than it can use. The post-norm layers of OPT-350M have no norm behind the last one,
/// and its narrower token table matrices without biases before the first layer and behind the last.
inline void read_opt(config_fields& fields, transformer& model) {
  model.learned_positions += 2;
  model.final_norm = fields.flag("do_layer_norm_before") && !fields.flag("_remove_final_layer_norm");
  if (!fields.flag("layer_norm_elementwise_affine")) model.norms_per_layer = 0, model.final_norm = false;
  const std::int64_t width = fields.count("word_embed_proj_dim");
  if (width == model.d_model) return;
  model.embedding_width = width;
  model.other_products = checked_multiply(width, model.d_model);
  model.other_weights = checked_multiply(model.learned_positions, model.d_model - width) - model.d_model;
}

/// Llama 4: layers with rotary positions (1 in `no_rope_layers`) attend within chunks.
inline void read_llama4(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  if (a.window == 0) return;
  if (!fields.has("layer_types") && fields.has("no_rope_layers") && !fields.list("no_rope_layers").empty()) {
    const nlohmann::json rotary = fields.list("no_rope_layers");
    a.local_layers = std::count(rotary.begin(), rotary.end(), nlohmann::json(1));
    check_part(fields.path("no_rope_layers"), a.local_layers, model.layers, "0 to the number of layers");
  }
  fields.assume("attention_chunk_size", std::to_string(a.window),
                "layers that attend within chunks of so many tokens are counted as if with a sliding window");
}

/// BitNet: norms of the width of attention behind it, and inside of the MLP.
inline void read_bitnet(config_fields& fields, transformer& model) {
  if (fields.flag("use_sub_norms")) add_weights(model, model.layers, model.d_model + model.mlp.d_ff);
}

/// DiffLlama: four vectors weigh its two maps of attention.
inline void read_diffllama(config_fields&, transformer& model) {
  add_weights(model, model.layers, 4 * model.attention.head_dim);
}

/// HyperCLOVA X: `use_post_norm` adds norms behind attention and behind the MLP.
inline void read_hyperclovax(config_fields& fields, transformer& model) {
  if (fields.flag("use_post_norm")) model.norms_per_layer = 4;
}

/// A.X K1: one more norm behind each mixture.
inline void read_axk1(config_fields&, transformer& model) {
  add_weights(model, model.layers - model.moe.dense_layers, model.d_model);
}

/// GPT: norms behind attention and MLP, hence none behind the last layer.
inline void read_gpt(config_fields&, transformer& model) { model.final_norm = false; }

/// BioGPT: two rows of positions that no token has.
inline void read_biogpt(config_fields&, transformer& model) { model.learned_positions += 2; }

/// Phi and Persimmon: `qk_layernorm` adds norms of queries and keys over each head, with biases.
inline void read_biased_head_norms(config_fields& fields, transformer& model) {
  model.attention.qk_norm = fields.flag("qk_layernorm");
  if (model.attention.qk_norm) add_weights(model, model.layers, 2 * model.attention.head_dim);
}

/// LongCat-Flash: a layer has two attentions and two dense MLPs, and one mixture beside them; here it counts as two
/// layers. The router may choose experts that compute nothing.
inline void read_longcat(config_fields& fields, transformer& model) {
  const std::int64_t pairs = fields.count("num_layers");
  model.layers = checked_multiply(2, pairs);
  check_dimension(fields.path("num_layers") + " x 2", model.layers);
  moe_spec& moe = model.moe;
  moe.experts = fields.count("n_routed_experts");
  moe.top_k = fields.count("moe_topk");
  moe.expert_d_ff = fields.count("expert_ffn_hidden_size");
  moe.parallel_dense_d_ff = model.mlp.d_ff = fields.count("ffn_hidden_size");
  moe.dense_layers = pairs;
  moe.router_bias = true;
  const std::int64_t idle = fields.part("zero_expert_num");
  model.other_products = checked_multiply(checked_multiply(pairs, idle), model.d_model);
  add_weights(model, pairs, idle);
  fields.assume("zero_expert_num", std::to_string(idle),
                "all " + std::to_string(moe.top_k) + " experts of a token are counted as active");
}

/// Helium: attention is as wide as the model, on both sides of its output projection.
inline void read_helium(config_fields& fields, transformer& model) {
  if (model.attention.heads * model.attention.head_dim != model.d_model)
    fail(errc::unsupported, fields.path("head_dim"), model.attention.head_dim, "hidden_size / num_attention_heads");
}

/// The first Qwen: `intermediate_size` is the width of gate and MLP together.
inline void read_qwen(config_fields& fields, transformer& model) {
  if (!fields.flag("no_bias")) fail(errc::unsupported, fields.path("no_bias"), "false", "true");
  const std::int64_t both = fields.count("intermediate_size");
  if (both % 2 != 0) fail(errc::not_divisible, fields.path("intermediate_size"), both, "an even number");
  model.mlp.d_ff = both / 2;
}

/// ChatGLM from the second on: the number of KV heads counts where `multi_query_attention` says so.
inline void read_chatglm(config_fields& fields, transformer& model) {
  fields.refuse_true("add_bias_linear");
  if (!fields.flag_or("rmsnorm", true)) fail(errc::unsupported, fields.path("rmsnorm"), "false", "true");
  if (!fields.flag("multi_query_attention")) model.attention.kv_heads = model.attention.heads;
}

/// MiniCPM: as Llama, and with `num_experts` as Mixtral. The reranker with a head behind each layer is refused.
inline void read_minicpm_experts(config_fields& fields, transformer& model) {
  if (fields.has("start_layer"))
    fail(errc::unsupported, fields.path("start_layer"), fields.count("start_layer"),
         "absent: one head, behind all layers");
  if (fields.count_or("num_experts", 0) > 0) read_mixtral_experts(fields, model);
}

/// Phi-3-small: all but every `dense_attention_every_n_layers`-th layer attend to some blocks of the tokens alone.
inline void read_phi3_small(config_fields& fields, transformer& model) {
  model.attention.kv_heads = fields.count("num_key_value_heads");  // has no default
  const std::int64_t each = fields.count("dense_attention_every_n_layers");
  if (each == 1) return;
  const std::int64_t sparse = model.layers - model.layers / each;
  fields.assume("dense_attention_every_n_layers", "1",
                std::to_string(sparse) + " layers that attend to blocks of tokens count as attending to all of them");
}

/// JetMoE: each expert of attention has queries and an output projection for all pairs of keys and values; those that a
/// token uses count as its heads, the others as weights in no product.
inline void read_jetmoe(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  const std::int64_t width = checked_multiply(a.kv_heads, a.head_dim), idle = model.moe.experts - model.moe.top_k;
  a.heads = checked_multiply(a.kv_heads, model.moe.top_k);
  model.other_products = checked_multiply(model.layers, model.moe.experts, model.d_model);
  add_weights(model, model.layers, checked_add(checked_multiply(2 * idle, width, model.d_model), 2 * model.d_model));
  fields.assume("num_attention_heads", std::to_string(a.heads), "num_key_value_heads x num_experts_per_tok");
}

/// Doge: a step for each pair of keys and values that masks attention, a weight for each channel of the residual
/// stream; with `is_moe` experts of one row each in two tables beside the MLP.
inline void read_doge(config_fields& fields, transformer& model) {
  const attention_spec& a = model.attention;
  const std::int64_t d = model.d_model, steps = checked_multiply(a.kv_heads * a.head_dim, a.kv_heads);
  model.other_products = checked_multiply(model.layers, steps);
  add_weights(model, model.layers, a.kv_heads * (a.qkv_bias ? 2 : 1) + 2 * d);
  if (!fields.flag("is_moe")) return;
  const std::int64_t experts = fields.count("num_experts"), used = fields.count("num_experts_per_tok");
  check_part(fields.path("num_experts_per_tok"), used, experts, "1 to num_experts");
  std::int64_t keys = 1;
  while ((keys + 1) * (keys + 1) <= experts) ++keys;
  model.other_products = checked_add(model.other_products, checked_multiply(model.layers, 2 * keys + 2 * used, d));
  add_weights(model, model.layers, checked_multiply(2 * (experts - used), d));
}

/// The Japanese GPT-NeoX: the last layer alone has a bias, behind attention.
inline void read_neox_japanese(config_fields& fields, transformer& model) {
  model.mlp.d_ff = checked_multiply(fields.count("intermediate_multiple_size"), model.d_model);
  model.other_weights = model.d_model;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
