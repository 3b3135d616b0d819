// Published models against data/oracles/peer_cases.json and data/models: parameters, keys and values, FLOPs, adapters.

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <vector>

#include "support/catch.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif

using namespace tpuplan;

namespace oracle_hf_config_tests {
using nlohmann::json;

namespace {

const std::string data = TPUPLAN_DATA_DIR;

const json& cases() {
  static const json document = load_json(data + "/oracles/peer_cases.json");
  return document.at("cases");
}

std::vector<json> rows(const std::string& category) {
  std::vector<json> chosen;
  for (const json& row : cases()) {
    if (row.at("category") == category && row.at("kind") != "peer_output_untrusted") chosen.push_back(row);
  }
  return chosen;
}

// The model of that name, from the configuration in its parameter_count row.
transformer model_named(const std::string& name) {
  for (const json& row : cases()) {
    if (row.at("id") == "params/" + name) return read_hf_config(row.at("inputs").at("hf_config"), name).model;
  }
  FAIL("no configuration of " << name);
  return {};
}

std::int64_t whole(const json& object, const char* key) { return object.at(key).get<std::int64_t>(); }

bool close(double value, double expected) { return std::abs(value - expected) <= 1e-9 * std::abs(expected); }

std::int64_t norm_weights(const transformer& m) { return m.d_model * (m.norm_bias ? 2 : 1); }

void check_decoder_breakdown(const transformer& m, const parameter_count& count, const json& expected) {
  const std::int64_t sparse = moe_layers(m);
  CHECK(count.attention == m.layers * whole(expected, "attn_per_layer"));
  const std::int64_t mlp = expected.contains("mlp_per_layer")
                               ? m.layers * whole(expected, "mlp_per_layer")
                               : (m.layers - sparse) * whole(expected, "dense_mlp_per_layer") +
                                     sparse * whole(expected, "moe_mlp_per_layer");
  CHECK(count.mlp + count.experts + count.router == mlp);
  const std::int64_t last = expected.contains("final_norm") ? whole(expected, "final_norm") : norm_weights(m);
  CHECK(count.norms == m.layers * whole(expected, "norm_per_layer") + last);
  CHECK(m.learned_positions * m.d_model == expected.value("position", m.learned_positions * m.d_model));
  CHECK(count.head == expected.value("pooler", std::int64_t{0}));
}

void check_encoder_decoder_breakdown(const transformer& m, const parameter_count& count, const json& expected) {
  transformer longer = m;
  longer.encoder_layers *= 2;
  const std::int64_t encoder =
      parameters(longer).total - count.total + m.attention.relative_buckets * m.attention.heads + norm_weights(m);
  CHECK(encoder == whole(expected, "encoder"));
  CHECK(count.total - count.embedding - encoder == whole(expected, "decoder"));
}

void check_vit_breakdown(const transformer& m, const parameter_count& count, const json& expected) {
  transformer longer = m;
  longer.vision.layers += 1;
  CHECK(parameters(longer).total - count.total ==
        whole(expected, "attn_per_layer") + whole(expected, "mlp_per_layer") + whole(expected, "norm_per_layer"));
  CHECK(m.vision.learned_positions * m.vision.d_model == whole(expected, "position"));
  CHECK(vision_tokens(m.vision) == whole(expected, "tokens"));
  CHECK(count.head == whole(expected, "head"));
}

void check_parameters(const json& row) {
  const transformer m = model_named(row.at("model").get<std::string>());
  const parameter_count count = parameters(m);
  const json& expected = row.at("expected");
  CHECK(count.total == whole(expected, "total"));
  CHECK(count.active == expected.value("active_per_token_incl_embeddings", count.total));
  CHECK(count.lm_head == expected.value("lm_head", std::int64_t{0}));
  // The row for BERT counts the norm on the embeddings with them, the one for GPT-2 its positions apart.
  const std::int64_t norm = m.embedding_norm ? norm_weights(m) : 0;
  const std::int64_t apart = m.kind == architecture::decoder ? m.learned_positions * m.d_model : 0;
  CHECK(count.embedding + norm - apart == expected.value("input_embedding", std::int64_t{0}));
  const json& parts = expected.at("breakdown");
  if (m.kind == architecture::encoder_decoder) {
    check_encoder_decoder_breakdown(m, count, parts);
  } else if (m.kind == architecture::vision) {
    check_vit_breakdown(m, count, parts);
  } else {
    check_decoder_breakdown(m, count, parts);
  }
}

// What a field of a kv_cache row says, counted; negative for a field that this test does not know.
double kv_figure(const transformer& m, const std::string& key) {
  const auto sequence = [&](std::int64_t length, window_eviction windows) {
    return kv_bytes_per_sequence(m, length, dtype::bf16, windows).value();
  };
  const latent_attention_spec& latent = m.attention.latent;
  const double expanded =
      2.0 * static_cast<double>(m.layers * m.attention.heads *
                                (latent.qk_nope_head_dim + latent.qk_rope_head_dim + latent.v_head_dim));
  if (key == "bytes_per_token_bf16" || key == "mla_bytes_per_token_bf16") return kv_bytes_per_token(m).value();
  if (key == "bytes_per_token_int8") return kv_bytes_per_token(m, dtype::int8).value();
  if (key == "bytes_batch1_seq4096_bf16" || key == "mla_bytes_batch1_seq4096_bf16") {
    return sequence(4096, window_eviction::keep_all);
  }
  if (key == "bytes_batch8_seq8192_bf16") return 8 * sequence(8192, window_eviction::keep_all);
  if (key == "bytes_batch1_seq32768_bf16_rolling_window_4096") return sequence(32768, window_eviction::evict);
  if (key == "bytes_batch1_seq4096_bf16_with_window_eviction") return sequence(4096, window_eviction::evict);
  if (key == "bytes_batch1_seq8192_bf16_with_window_eviction") return sequence(8192, window_eviction::evict);
  if (key == "bytes_batch1_seq32768_bf16_with_window_eviction") return sequence(32768, window_eviction::evict);
  if (key == "expanded_mha_bytes_per_token_bf16") return expanded;
  if (key == "ratio_expanded_to_compressed") return expanded / kv_bytes_per_token(m).value();
  return -1;
}

// The model of a MaxText row: the published one with the vocabulary of the row, and the window only if the row has it.
transformer as_maxtext(const std::string& name, const json& config) {
  transformer m = model_named(name);
  m.vocab = whole(config, "vocab_size");
  if (whole(config, "sliding_window_size") == 0) m.attention.window = m.attention.local_layers = 0;
  CHECK(m.attention.window == whole(config, "sliding_window_size"));
  CHECK(m.d_model == whole(config, "emb_dim"));
  CHECK(m.attention.heads == whole(config, "num_query_heads"));
  CHECK(m.attention.kv_heads == whole(config, "num_kv_heads"));
  // A layer of gemma2 is a pair of layers there.
  CHECK(m.layers == whole(config, "num_decoder_layers") * (config.at("decoder_block") == "gemma2" ? 2 : 1));
  return m;
}

}  // namespace

TEST_CASE("parameters of published models", "[oracle][hf_config]") {
  std::int64_t seen = 0;
  for (const json& row : rows("parameter_count")) {
    INFO(row.at("id").get<std::string>());
    check_parameters(row);
    ++seen;
  }
  CHECK(seen == 25);
}

TEST_CASE("parameters of the configurations in data/models", "[oracle][hf_config]") {
  const json sources = load_json(data + "/models/sources.json");
  std::int64_t seen = 0;
  for (const auto& [name, source] : sources.items()) {
    INFO(name);
    const model_config read = load_hf_config(data + "/models/" + name + ".json");
    const std::string place = load_json(data + "/models/" + name + ".json").value("_name_or_path", name);
    CHECK(read.model.name == std::string_view(place).substr(place.rfind('/') + 1));
    CHECK(parameters(read.model).total == whole(source, "parameters"));
    ++seen;
  }
  CHECK(seen >= 32);
}

TEST_CASE("keys and values of published models", "[oracle][hf_config]") {
  std::int64_t seen = 0;
  for (const json& row : rows("kv_cache")) {
    INFO(row.at("id").get<std::string>());
    const transformer m = model_named(row.at("model").get<std::string>());
    for (const auto& [key, expected] : row.at("expected").items()) {
      INFO(key);
      if (key == "window_pattern") {
        CHECK(m.attention.window == whole(expected, "window"));
        CHECK(m.attention.local_layers == whole(expected, "local_layers"));
        CHECK(m.layers - m.attention.local_layers == whole(expected, "global_layers"));
      } else if (key == "ratio_expanded_to_compressed") {
        CHECK(close(kv_figure(m, key), expected.get<double>()));
      } else {
        CHECK(static_cast<std::int64_t>(kv_figure(m, key)) == expected.get<std::int64_t>());
      }
    }
    ++seen;
  }
  CHECK(seen == 19);
}

TEST_CASE("forward FLOPs of vision towers", "[oracle][hf_config]") {
  std::int64_t seen = 0;
  for (const json& row : rows("vision_flops")) {
    INFO(row.at("id").get<std::string>());
    const transformer m = model_named(row.at("model").get<std::string>());
    const json& inputs = row.at("inputs");
    CHECK(m.vision.d_model == whole(inputs, "hidden"));
    CHECK(m.vision.layers == whole(inputs, "layers"));
    CHECK(m.classes == whole(inputs, "classes"));
    const double macs =
        vision_flops_per_image(m.vision).value() / 2 + static_cast<double>(m.classes * m.vision.d_model);
    CHECK(static_cast<std::int64_t>(macs) == whole(row.at("expected"), "forward_macs"));
    CHECK(vision_tokens(m.vision) == whole(row.at("expected"), "tokens"));
    ++seen;
  }
  CHECK(seen == 3);
}

TEST_CASE("parameters of adapters", "[oracle][hf_config]") {
  std::int64_t seen = 0;
  for (const json& row : rows("lora_parameters")) {
    const std::string id = row.at("id").get<std::string>();
    INFO(id);
    const transformer m = model_named(id.substr(5, id.rfind('/') - 5));
    const json& inputs = row.at("inputs");
    CHECK(m.attention.kv_heads * m.attention.head_dim == whole(inputs, "kv_dim"));
    CHECK(m.mlp.d_ff == whole(inputs, "intermediate"));
    const bool all = inputs.at("modules").size() == 7;
    const lora_targets on = all ? lora_targets{true, true, true, true, true, true, true}
                                : lora_targets{true, false, true, false, false, false, false};
    CHECK(lora_parameters(m, whole(inputs, "rank"), on) == whole(row.at("expected"), "trainable_params"));
    ++seen;
  }
  CHECK(seen == 3);
}

TEST_CASE("training FLOPs as MaxText counts them", "[oracle][hf_config]") {
  std::int64_t seen = 0;
  for (const json& row : rows("train_flops")) {
    if (!row.at("inputs").contains("maxtext_config")) continue;
    INFO(row.at("id").get<std::string>());
    const transformer m = as_maxtext(row.at("model").get<std::string>(), row.at("inputs").at("maxtext_config"));
    for (const std::int64_t length : {2048, 4096, 8192}) {
      CAPTURE(length);
      const json& expected = row.at("expected").at("seq" + std::to_string(length) + "_batch1");
      const forward_flops one = forward_flops_per_token(m, length, maxtext_flops);
      const double tflop = 3 * static_cast<double>(length) / 1e12;
      CHECK(close(one.total.value() * tflop, expected.at("total_tflop").get<double>()));
      CHECK(close((one.total - one.attention).value() * tflop, expected.at("weight_tflop").get<double>()));
      CHECK(close(one.attention.value() * tflop, expected.at("attention_tflop").get<double>()));
      CHECK(close(training_flops_per_token(m, length).value() * static_cast<double>(length) / 1e12,
                  expected.at("total_tflop").get<double>()));
    }
    ++seen;
  }
  CHECK(seen == 16);
}

TEST_CASE("training FLOPs as Megatron-LM counts them", "[oracle][hf_config]") {
  std::int64_t seen = 0;
  for (const json& row : rows("train_flops")) {
    if (!row.at("inputs").contains("args")) continue;
    INFO(row.at("id").get<std::string>());
    transformer m = model_named(row.at("model").get<std::string>());
    m.vocab = whole(row.at("inputs").at("args"), "V");
    m.attention.window = m.attention.local_layers = 0;  // it counts none
    for (const std::int64_t length : {2048, 4096, 8192}) {
      CAPTURE(length);
      const double expected = row.at("expected").at("seq" + std::to_string(length) + "_batch1_flops").get<double>();
      CHECK(close(training_flops_per_token(m, length, megatron_flops).value() * static_cast<double>(length), expected));
    }
    ++seen;
  }
  CHECK(seen == 12);
}

TEST_CASE("Gemma 3 with its vision tower, by hand", "[oracle][hf_config]") {
  const transformer m = load_hf_config(data + "/models/gemma-3-27b.json").model;
  const std::int64_t d = 1152;
  const std::int64_t patch_embedding = 3 * 14 * 14 * d + d;
  const std::int64_t positions = (896 / 14) * (896 / 14) * d;
  const std::int64_t layer = 4 * (d * d + d) + (2 * d * 4304 + 4304 + d) + 2 * 2 * d;
  const std::int64_t tower = patch_embedding + positions + 27 * layer + 2 * d;
  CHECK(tower == 416866032);
  const std::int64_t projector = d + d * 5376;
  CHECK(projector == 6194304);
  const std::int64_t attention = 5376 * 128 * (32 + 2 * 16) + 32 * 128 * 5376 + 2 * 128;
  const std::int64_t text = 262208 * 5376 + 62 * (attention + 3 * 5376 * 21504 + 4 * 5376) + std::int64_t{5376};
  CHECK(text == 27009346304);

  const parameter_count count = parameters(m);
  CHECK(count.vision == tower);
  CHECK(count.projector == projector);
  CHECK(count.total - count.vision - count.projector == text);
  CHECK(image_tokens(m.vision) == 256);
}

TEST_CASE("Llama 3.2 Vision by part", "[oracle][hf_config]") {
  const transformer m = load_hf_config(data + "/models/llama-3.2-11b-vision.json").model;
  const parameter_count count = parameters(m);
  CHECK(count.vision == 863567379);
  CHECK(count.projector == 31461376);
  CHECK(count.total - count.vision - count.projector == 9775192080);
  CHECK(count.embedding == (128256 + 8) * 4096);
  CHECK(count.lm_head == 128256 * 4096);
}

// Published totals: keras-hub presets for Qwen1.5-MoE-A2.7B, the Hugging Face API for Qwen3-VL.
TEST_CASE("published totals of shapes without a configuration in data/models", "[oracle][hf_config]") {
  const json qwen_moe = {{"model_type", "qwen2_moe"}};  // its class defaults are the published shape
  CHECK(parameters(read_hf_config(qwen_moe).model).total == 14315784192);
  const json qwen_vl = {
      {"model_type", "qwen3_vl"},
      {"text_config", {{"num_hidden_layers", 36}, {"num_key_value_heads", 8}, {"intermediate_size", 12288}}},
      {"vision_config", {{"out_hidden_size", 4096}}}};
  const parameter_count dense = parameters(read_hf_config(qwen_vl).model);
  CHECK(dense.total == 8767123696);
  CHECK(dense.vision + dense.projector == 576388336);
  const json qwen_vl_moe = {{"model_type", "qwen3_vl_moe"},
                            {"text_config",
                             {{"num_hidden_layers", 48},
                              {"num_attention_heads", 32},
                              {"num_key_value_heads", 4},
                              {"head_dim", 128},
                              {"moe_intermediate_size", 768},
                              {"num_experts", 128},
                              {"num_experts_per_tok", 8}}},
                            {"vision_config", {{"out_hidden_size", 2048}}}};
  CHECK(parameters(read_hf_config(qwen_vl_moe).model).total == 31070754032);
}

}  // namespace oracle_hf_config_tests
