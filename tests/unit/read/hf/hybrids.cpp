// Models of config.json with recurrent layers, indexers and modules for further tokens: parameters, FLOPs, states.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/work.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/hybrids.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_hybrids_tests {
using nlohmann::json;

namespace {

struct shape {
  const char* name;     // of the model, or of the switch that is turned
  const char* type;     // model_type
  const char* changes;  // what differs from the defaults of the class
  std::int64_t parameters;
};

// "mamba" and "5,15" of 20 layers as the list of layer_types that a file has.
json kinds(const char* other, const char* attention, std::initializer_list<int> at, int layers) {
  json list = json::array();
  for (int layer = 0; layer < layers; ++layer) list.push_back(other);
  for (const int layer : at) list[static_cast<std::size_t>(layer)] = attention;
  return list;
}

json config_of(const shape& each) {
  json config = json::parse(each.changes);
  config["model_type"] = each.type;
  return config;
}

transformer model_of(const char* type, const char* changes) {
  return read_hf_config(config_of({"", type, changes, 0})).model;
}

// Shapes of published models and of switches. The counts are sums over the tensors that the classes of transformers
// build (main of 2025-12-23, d6a6c82680, constructors run over shapes alone), with the correction biases of routers.
// The Hub's totals are the same for Nemotron-Nano-9B-v2, Qwen3-Coder-Next (the shape of Qwen3-Next),
// MiniMax-M1, LFM2-1.2B, Qwen3.5-2B and the text model of Qwen3.5-27B, as recorded in public repositories (kvfit's
// scripts/build_registry.py and others, read on 2026-11-22). By hand, from the modelling files: nemotron_h,
// qwen3_5, kimi_linear, deepseek_v32, glm_moe_dsa, mimo (classes that are newer, or in the files of the model).
// clang-format off
const shape published[] = {
    {"state-spaces/mamba-130m-hf", "mamba", R"({"num_hidden_layers":24})", 129135360},
    {"state-spaces/mamba-1.4b-hf", "mamba", R"({"hidden_size":2048,"num_hidden_layers":48})", 1372178432},
    {"state-spaces/mamba-2.8b-hf", "mamba", R"({"hidden_size":2560,"num_hidden_layers":64})", 2768345600},
    {"mamba, biases", "mamba", R"({"use_bias":true,"use_conv_bias":false,"hidden_size":1000})", 253993000},
    {"tiiuae/falcon-mamba-7b", "falcon_mamba", R"({"hidden_size":4096,"num_hidden_layers":64,"vocab_size":65024,"tie_word_embeddings":false})", 7272665088},
    {"mistralai/Mamba-Codestral-7B-v0.1", "mamba2", R"({})", 7285403648},
    {"mamba2, biases and one group", "mamba2", R"({"use_bias":true,"n_groups":1})", 6816403456},
    {"ai21labs/Jamba-v0.1", "jamba", R"({})", 51570323328},
    {"jamba, one expert and biases", "jamba", R"({"num_experts":1,"mamba_proj_bias":true})", 9291263872},
    {"ai21labs/AI21-Jamba-Large-1.5", "jamba", R"({"hidden_size":8192,"intermediate_size":24576,"num_hidden_layers":72,"num_attention_heads":64})", 398555145696},
    {"bamba, three layers of attention", "bamba", R"({"attn_layer_indices":[9,18,27]})", 9808584064},
    {"falcon_h1", "falcon_h1", R"({"mamba_d_ssm":2048,"mamba_n_heads":32})", 8905186304},
    {"falcon_h1, norm, width of the model", "falcon_h1", R"({"mamba_d_ssm":null,"mamba_rms_norm":true})", 11334942720},
    {"nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nemotron_h", R"({"hybrid_override_pattern":"M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-","num_hidden_layers":56,"hidden_size":4480,"intermediate_size":15680,"num_attention_heads":40,"mamba_head_dim":80})", 8888227328},
    {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B", "nemotron_h", R"({"hybrid_override_pattern":"MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME","hidden_size":2688,"intermediate_size":1856,"num_key_value_heads":2,"mamba_num_heads":64,"n_routed_experts":128,"num_experts_per_tok":6,"moe_intermediate_size":1856,"moe_shared_expert_intermediate_size":3712})", 31577940288},
    {"Qwen/Qwen3-Next-80B-A3B", "qwen3_next", R"({})", 79674391296},
    {"qwen3_next, ten layers", "qwen3_next", R"({"num_hidden_layers":10})", 17094738432},
    {"Qwen/Qwen3.5-2B", "qwen3_5_text", R"({"hidden_size":2048,"intermediate_size":6144,"num_hidden_layers":24,"num_attention_heads":8,"num_key_value_heads":2,"linear_num_value_heads":16,"tie_word_embeddings":true})", 1881825088},
    {"Qwen/Qwen3.5-27B, text", "qwen3_5_text", R"({"hidden_size":5120,"intermediate_size":17408,"num_hidden_layers":64,"num_attention_heads":24,"linear_num_value_heads":48})", 26895998464},
    {"Qwen/Qwen3.5-35B-A3B, text", "qwen3_5_moe_text", R"({})", 34660610688},
    {"moonshotai/Kimi-Linear-48B-A3B", "kimi_linear", R"({"linear_attn_config":{"full_attn_layers":[4,8,12,16,20,24,27],"kda_layers":[1,2,3,5,6,7,9,10,11,13,14,15,17,18,19,21,22,23,25,26],"num_heads":32,"head_dim":128,"short_conv_kernel_size":4}})", 49122681728},
    {"minimax", "minimax", R"({})", 47373946880},
    {"google/recurrentgemma-2b", "recurrent_gemma", R"({})", 2010263040},
    {"recurrent_gemma, other widths", "recurrent_gemma", R"({"lru_width":2048,"num_key_value_heads":1,"num_attention_heads":8,"hidden_size":2048,"intermediate_size":6000,"num_hidden_layers":38})", 1693442720},
    {"RWKV/rwkv-4-169m-pile", "rwkv", R"({"hidden_size":768,"num_hidden_layers":12})", 169342464},
    {"RWKV/rwkv-4-7b-pile", "rwkv", R"({})", 7392649216},
    {"NX-AI/xLSTM-7b", "xlstm", R"({})", 6865424896},
    {"LiquidAI/LFM2-350M", "lfm2", R"({"hidden_size":1024,"num_attention_heads":16,"num_hidden_layers":16,"full_attn_idxs":[2,5,8,10,12,14],"block_ff_dim":6656})", 354483968},
    {"LiquidAI/LFM2-700M", "lfm2", R"({"hidden_size":1536,"num_attention_heads":24,"num_hidden_layers":16,"full_attn_idxs":[2,5,8,10,12,14],"block_ff_dim":10240})", 742489344},
    {"LiquidAI/LFM2-1.2B", "lfm2", R"({"hidden_size":2048,"num_hidden_layers":16,"full_attn_idxs":[2,5,8,10,12,14],"block_ff_dim":12288})", 1170340608},
    {"deepseek-ai/DeepSeek-V3.2", "deepseek_v32", R"({})", 671877944064},
    {"zai-org/GLM-5", "glm_moe_dsa", R"({})", 743911218432},
    {"XiaomiMiMo/MiMo-7B-Base", "mimo", R"({"vocab_size":151680,"hidden_size":4096,"intermediate_size":11008,"num_hidden_layers":36,"num_attention_heads":32,"num_key_value_heads":8,"num_nextn_predict_layers":1})", 7833409536},
};
// clang-format on

}  // namespace

TEST_CASE("parameters of hybrids are those of their classes, to the last one", "[hf_hybrids]") {
  for (const shape& each : published) {
    INFO(each.name);
    CHECK(parameters(read_hf_config(config_of(each)).model).total == each.parameters);
  }
}

TEST_CASE("layers by name in a list", "[hf_hybrids]") {
  // ibm-granite/granite-4.0-h-small and -h-micro; the Hub's totals are the same.
  json granite = json::parse(R"({"model_type":"granitemoehybrid","vocab_size":100352,"num_hidden_layers":40,
      "num_key_value_heads":8,"num_local_experts":72,"num_experts_per_tok":10,"shared_intermediate_size":1536,
      "intermediate_size":768,"mamba_d_state":128,"tie_word_embeddings":true})");
  granite["layer_types"] = kinds("mamba", "attention", {5, 15, 25, 35}, 40);
  CHECK(parameters(read_hf_config(granite).model).total == 32207337984);
  CHECK(attention_layers(read_hf_config(granite).model) == 4);
  granite["layers_block_type"] = granite["layer_types"];
  granite.erase("layer_types");
  CHECK(attention_layers(read_hf_config(granite).model) == 4);
  // Without experts the shared one is a dense MLP.
  json dense = json::parse(R"({"model_type":"granitemoehybrid","num_local_experts":0})");
  dense["layer_types"] = kinds("mamba", "attention", {31}, 32);
  CHECK(parameters(read_hf_config(dense).model).total == 3935614080);
  // LiquidAI/LFM2-8B-A1B, 32 biases for each of 22 routers included.
  json lfm = json::parse(R"({"model_type":"lfm2_moe","num_hidden_layers":24})");
  lfm["layer_types"] = kinds("conv", "full_attention", {2, 6, 10, 14, 18, 21}, 24);
  CHECK(parameters(read_hf_config(lfm).model).total == 8339929856 + 22 * 32);
  json short_lfm = json::parse(R"({"model_type":"lfm2","conv_bias":true,"block_auto_adjust_ff_dim":false})");
  short_lfm["layer_types"] = kinds("conv", "full_attention", {30, 31}, 32);
  CHECK(parameters(read_hf_config(short_lfm).model).total == 4007652160);
  // MiniMaxAI/MiniMax-Text-01: every eighth layer has softmax attention.
  json text = json::parse(R"({"model_type":"minimax_text_01","vocab_size":200064,"hidden_size":6144,
      "intermediate_size":9216,"num_hidden_layers":80,"num_attention_heads":64,"head_dim":128,"num_local_experts":32})");
  for (int layer = 0; layer < 80; ++layer) text["attn_type_list"].push_back(layer % 8 == 7 ? 1 : 0);
  CHECK(parameters(read_hf_config(text).model).total == 456089655296);
  json wrong = granite;
  wrong["layers_block_type"][3] = "moving_average";
  const refusal got = refusal_of([&] { (void)read_hf_config(wrong); });
  CHECK(got.code == errc::unsupported);
  CHECK(says(got.message,
             "layers_block_type is \"moving_average\"; valid: mamba, linear_attention, full_attention, attention"));
  wrong["layers_block_type"] = kinds("mamba", "attention", {1}, 39);
  CHECK(refusal_of([&] { (void)read_hf_config(wrong); }).code == errc::invalid_argument);
}

TEST_CASE("what recurrent layers of a file cannot be counted is refused by name", "[hf_hybrids]") {
  const auto refused = [](const char* type, const char* changes) {
    return refusal_of([&] { (void)model_of(type, changes); }).message;
  };
  CHECK(says(refused("mamba2", R"({"head_dim":32})"), "config.head_dim"));
  CHECK(says(refused("mamba", R"({"time_step_rank":"large"})"), "config.time_step_rank"));
  CHECK(says(refused("bamba", R"({"mamba_d_head":32})"), "config.mamba_d_head"));
  CHECK(says(refused("nemotron_h", R"({"hybrid_override_pattern":"M-X"})"), "config.hybrid_override_pattern"));
  CHECK(says(refused("nemotron_h", R"({"hybrid_override_pattern":"ME*-","num_hidden_layers":4,"moe_latent_size":64})"),
             "config.moe_latent_size"));
  CHECK(says(refused("kimi_linear", R"({"linear_attn_config":{"full_attn_layers":[4],"kda_layers":[1]}})"),
             "config.linear_attn_config.kda_layers"));
  CHECK(says(refused("kimi_linear", R"({"routed_expert_hidden_size":3584})"), "config.routed_expert_hidden_size"));
  CHECK(says(refused("glm_moe_dsa", R"({"indexer_types":["full"]})"), "config.indexer_types"));
  // The pattern of three layers is not written out for each of 2^24.
  CHECK(model_of("recurrent_gemma", R"({"num_hidden_layers":16777216})").recurrent.layers == 11184811);
  CHECK(says(refused("recurrent_gemma", R"({"intermediate_size":7681})"), "config.intermediate_size"));
  CHECK(says(refused("minimax", R"({"attn_type_list":[0,1]})"), "config.attn_type_list"));
  CHECK(says(refused("lfm2", R"({"block_ffn_dim_multiplier":1e9})"), "config.block_ffn_dim_multiplier"));
}

TEST_CASE("a recurrent layer keeps a state instead of keys and values", "[hf_hybrids]") {
  const transformer next = model_of("qwen3_next", "{}");
  CHECK(attention_layers(next) == 12);
  CHECK(has_recurrence(next));
  CHECK(dense_layers(model_of("deepseek_v3", "{}")) == 3);
  CHECK(kv_bytes_per_token(next) == bytes{12 * 2.0 * 2 * 256 * 2});
  // 36 layers of 32 heads of 128 x 128 in fp32, and of 8192 channels for three tokens in bf16.
  CHECK(state_bytes_per_sequence(next) == bytes{36 * (4.0 * 32 * 128 * 128 + 2.0 * 8192 * 3)});
  CHECK(state_bytes_per_sequence(next) == bytes{77266944});
  CHECK(kv_bytes_per_sequence(next, 1000) == bytes{24576e3 + 77266944});
  const transformer mamba = model_of("mamba", "{}");
  CHECK(kv_bytes_per_token(mamba) == bytes{0});
  CHECK(kv_bytes_per_sequence(mamba, 100000) == bytes{32 * (4.0 * 1536 * 16 + 2.0 * 1536 * 3)});
  CHECK(state_bytes_per_sequence(model_of("llama", "{}")) == bytes{0});
  CHECK(state_bytes_per_sequence(model_of("rwkv", "{}")) == bytes{32 * (4.0 * 3 * 4096 + 2.0 * 2 * 4096)});
  // Falcon-H1 has both in every layer.
  const transformer both = model_of("falcon_h1", "{}");
  CHECK(attention_layers(both) == 32);
  CHECK(kv_bytes_per_token(both) == bytes{32 * 2.0 * 8 * 128 * 2});
  CHECK(state_bytes_per_sequence(both).value() > 0);
}

TEST_CASE("FLOPs of a recurrent layer do not grow with the sequence", "[hf_hybrids]") {
  // A Mamba layer by hand: 2 d 2w, 2 w (rank + 2 N), 2 rank w, 2 w d, a convolution of 2 x 4 w and a scan of 7 w N.
  const double d = 768, w = 1536, rank = 48, n = 16;
  const double layer = 2 * d * 2 * w + 2 * w * (rank + 2 * n) + 2 * rank * w + 2 * w * d + 8 * w + 7 * w * n;
  const transformer mamba = model_of("mamba", "{}");
  const double whole = 32 * layer + 2 * d * 50280;
  CHECK(close(forward_flops_per_token(mamba, 1024).total.value(), whole));
  CHECK(forward_flops_per_token(mamba, 1024).total == forward_flops_per_token(mamba, 1048576).total);
  // Qwen3-Next: twice the tokens add only to the scores of 12 layers: 12 x 2 x 2 x 16 x 256 x half of 4096 more keys.
  const transformer next = model_of("qwen3_next", "{}");
  const double more = (forward_flops_per_token(next, 8192).total - forward_flops_per_token(next, 4096).total).value();
  CHECK(close(more, 12.0 * 2 * 2 * 16 * 256 * 2048));
  // The rule of two FLOPs for each parameter in a product leaves the recurrence out.
  CHECK(forward_flops_per_token(mamba, 1024, {attention_flops::none}).attention.value() == 0);
}

TEST_CASE("an indexer bounds the keys that attention sees", "[hf_hybrids]") {
  const transformer v32 = model_of("deepseek_v32", "{}");
  const transformer v3 = model_of("deepseek_v3", "{}");
  // q_lora 1536 x 64 heads of 128, one key of 128 and 64 weights of heads from 7168, a norm with weight and bias.
  CHECK(parameters(v32).total - parameters(v3).total == 61 * (1536 * 64 * 128 + 7168 * (128 + 64) + 2 * 128));
  CHECK(kv_bytes_per_token(v32) == bytes{61 * 2.0 * (512 + 64 + 128)});
  const double at = 65536;
  const flops v32_core = forward_flops_per_token(v32, 65536).attention;
  const flops dense_core = forward_flops_per_token(v3, 65536).attention;
  const double seen = 2048 - 2048.0 * 2048 / (2 * at);
  CHECK(close(v32_core.value(), 2 * 61 * (128 * seen * (192 + 128) + at / 2 * 64 * 129)));
  CHECK(v32_core < 0.35 * dense_core);
  CHECK(forward_flops_per_token(v32, 2048).attention == forward_flops_per_token(v3, 2048).attention);
}

TEST_CASE("modules that predict further tokens are counted apart", "[hf_hybrids]") {
  // The Hub's total of Qwen3-Next, 81324862720, has one such module; its class builds none.
  transformer next = model_of("qwen3_next", "{}");
  next.prediction_layers = 1;
  CHECK(parameters(next).prediction == 1650471424);
  CHECK(parameters(next).total == 81324862720);
  CHECK(parameters(next).matrices == parameters(model_of("qwen3_next", "{}")).matrices);
  const model_config read = read_hf_config({{"model_type", "deepseek_v3"}, {"num_nextn_predict_layers", 1}});
  CHECK(read.assumed.back().field == "num_nextn_predict_layers");
  CHECK(says(read.assumed.back().why, "11610068224 parameters"));
  CHECK(parameters(model_of("mimo", R"({"num_nextn_predict_layers":0})")).prediction == 0);
}

TEST_CASE("hybrids are trained and served by the same terms, with the wide band", "[hf_hybrids]") {
  const slice where = slice_for("v5p-128");
  for (const char* type : {"mamba2", "jamba", "qwen3_next", "recurrent_gemma", "xlstm", "deepseek_v32", "falcon_h1"}) {
    INFO(type);
    const transformer model = model_of(type, "{}");
    training_job job;
    job.global_batch = 128;
    job.sequence_length = 4096;
    const step_breakdown step = step_time(model, job, fsdp_layout(where), where);
    CHECK(step.extrapolated);
    CHECK(step.mfu > 0.05);
    CHECK(step.mfu < 1);
    CHECK(memory_use(model, job, fsdp_layout(where), where).total.value() > 0);
    serving_job served;
    served.prompt = served.output = fixed_length(1024);
    const decode_breakdown decode = decode_step(model, {8, 2048}, served, {2}, where);
    CHECK(decode.extrapolated);
    CHECK(decode.cache.value() > 0);
    CHECK(matrices_of(model).size > 2);
  }
  CHECK_FALSE(decode_step(model_of("llama", "{}"), {8, 2048}, serving_job{fixed_length(1024), fixed_length(1024)}, {1},
                          slice_for("v5e-1"))
                  .extrapolated);
  // The cache of a state-space model takes as long at any length; it is read and written.
  const transformer mamba = model_of("mamba2", "{}");
  serving_job job;
  job.prompt = job.output = fixed_length(1024);
  CHECK(decode_step(mamba, {8, 1000}, job, {1}, slice_for("v5e-1")).cache ==
        decode_step(mamba, {8, 100000}, job, {1}, slice_for("v5e-1")).cache);
  const bytes_per_second stream = slice_for("v5e-1").chip.hbm.bandwidth * serving_calibration{}.cache_stream;
  CHECK(close(decode_step(mamba, {8, 1000}, job, {1}, slice_for("v5e-1")).cache.value(),
              (8 * 2 * state_bytes_per_sequence(mamba) / stream).value()));
  // An indexer reads its keys for all tokens, and latent keys and values of those that it chooses.
  const transformer v32 = model_of("deepseek_v32", "{}");
  const double per_token = kv_bytes_per_token(v32).value();
  const double moved = per_token * (128.0 / 704 * 65536 + 576.0 / 704 * 2048);
  const decode_breakdown far = decode_step(v32, {8, 65536}, job, {128}, slice_for("v5p-256"));
  const decode_breakdown near = decode_step(v32, {8, 2048}, job, {128}, slice_for("v5p-256"));
  CHECK(close(far.cache / near.cache, moved / (per_token * 2048)));
}

TEST_CASE("a shape with recurrent layers that cannot be is refused", "[hf_hybrids]") {
  const transformer good = model_of("qwen3_next", "{}");
  const auto refused = [&](auto&& change) {
    transformer model = good;
    change(model);
    return refusal_of([&] { (void)parameters(model); }).message;
  };
  CHECK(says(refused([](transformer& m) { m.recurrent.layers = 49; }), "model.recurrent.layers"));
  CHECK(says(refused([](transformer& m) { m.recurrent.width = 4095; }), "model.recurrent.width"));
  CHECK(says(refused([](transformer& m) { m.recurrent.heads = 0; }), "model.recurrent.width"));
  CHECK(says(refused([](transformer& m) { m.recurrent.idle_layers = 13; }), "idle_layers"));
  CHECK(says(refused([](transformer& m) { m.recurrent.kernel = -1; }), "model.recurrent"));
  CHECK(says(refused([](transformer& m) { m.mlp.absent = 1; }), "model.mlp.absent"));
  CHECK(says(refused([](transformer& m) { m.attention.indexer.heads = 1; }), "model.attention.indexer.head_dim"));
  CHECK(says(refused([](transformer& m) { m.attention.indexer.top_k = 100; }), "model.attention.indexer.heads"));
  CHECK(says(refusal_of([&] { (void)lora_parameters(good, 8, {true}); }).message, "recurrences"));
  CHECK(refusal_of([&] { (void)attention_parity_length(good, attention_against::layers); }).refused);
}

TEST_CASE("Kimi K3: gates of full rank, a gate on attention, residuals over blocks", "[hf_hybrids]") {
  const char* sizes = R"({"num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 2, "v_head_dim": 16,
      "linear_attn_config": {"kda_layers": [1, 2, 3], "full_attn_layers": [4], "num_heads": 2, "head_dim": 16,
      "short_conv_kernel_size": 4}})";
  json with = json::parse(sizes);
  with["model_type"] = "kimi_linear";
  const transformer plain = read_hf_config(with).model;
  with["linear_attn_config"]["use_full_rank_gate"] = true;
  with["mla_use_output_gate"] = true;
  with["attn_res_block_size"] = 2;
  const transformer gated = read_hf_config(with).model;
  // A gate of 64 x 32 in place of 64 x 16 and 16 x 32 in three layers, one of 64 x 32 in the other.
  CHECK(gated.other_products - plain.other_products == 3 * (64 * 32 - 16 * (64 + 32)) + 64 * 32);
  CHECK(gated.other_weights - plain.other_weights == (4 * 4 + 2) * 64);
}

TEST_CASE("RWKV 5 and 6 by hand", "[hf_hybrids]") {
  // Two layers of width 64 with one head, an MLP of 224: tables, first and last norm, and in each layer two norms, five
  // matrices of attention and one of the MLP, two more of the MLP, and vectors.
  const std::int64_t ends = 2 * 100 * 64 + 2 * 128, layer = 2 * 128 + 6 * 64 * 64 + 2 * 64 * 224;
  const char* sizes = R"({"hidden_size": 64, "attention_hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 100})";
  CHECK(parameters(model_of("rwkv5", sizes)).total == ends + 2 * (layer + 2 * 64 + 4 * 64 + 2 * 64 + 2 * 64));
  const std::int64_t low_rank = 2 * 5 * 32 * 64 + 64 * (64 + 64);
  CHECK(parameters(model_of("rwkv6", sizes)).total ==
        ends + 2 * (layer + low_rank + 2 * 64 + 6 * 64 + 2 * 64 + 2 * 64));
  CHECK(kv_bytes_per_token(model_of("rwkv5", sizes), dtype::bf16).value() == 0);
}

TEST_CASE("heads that do not fill a state are refused", "[hf_hybrids]") {
  const hf_class refused[] = {
      {"head_size", "rwkv5", "", R"({"head_size": 100})", 0},
  };
  check_refusals(refused);
}

TEST_CASE("residuals of blocks of Kimi Linear have weights, in blocks of one layer too", "[hf_hybrids]") {
  const auto total = [](std::int64_t block) {
    json config = {{"model_type", "kimi_linear"}, {"attn_res_block_size", block}};
    config["linear_attn_config"] =
        json::parse(R"({"full_attn_layers":[4,8,12,16,20,24,27],"kda_layers":[1,2,3,5,6,7,9,10,
        11,13,14,15,17,18,19,21,22,23,25,26],"num_heads":32,"head_dim":128,"short_conv_kernel_size":4})");
    return parameters(read_hf_config(config).model).total;
  };
  const std::int64_t weights = (4 * 27 + 2) * 2304;
  CHECK(total(1) == total(0) + weights);
  CHECK(total(8) == total(0) + weights);
}

TEST_CASE("RWKV 7 keeps a state for each head and has no attention", "[hf_hybrids]") {
  const char* ranks = R"({"hidden_size":768,"num_hidden_layers":12,"vocab_size":65536,"decay_low_rank_dim":64,
      "a_low_rank_dim":64,"gate_low_rank_dim":128,"v_low_rank_dim":32})";
  const transformer m = model_of("rwkv7", ranks);
  CHECK(parameters(m).total == 191034624);  // fla-hub/rwkv7-0.1B-world
  CHECK(attention_layers(m) == 0);
  CHECK(detail::state_of(m.recurrent) == 12 * 64 * 64);
  const auto refused = [](const char* changes) {
    return refusal_of([&] { (void)model_of("rwkv7", changes); }).message;
  };
  CHECK(says(refused(R"({"hidden_size":768,"num_hidden_layers":2,"vocab_size":9,"attn":{"layers":[1]}})"),
             "config.attn"));
  CHECK(says(refused(R"({"hidden_size":768,"num_hidden_layers":2,"vocab_size":9,"decay_low_rank_dim":256,
      "a_low_rank_dim":64,"gate_low_rank_dim":64,"v_low_rank_dim":32})"),
             "config.decay_low_rank_dim"));
}

TEST_CASE("Ring with linear attention attends in each last layer of a group", "[hf_hybrids]") {
  const transformer m = model_of("bailing_moe_linear", R"({"hidden_size":256,"num_hidden_layers":7,
      "num_attention_heads":4,"num_key_value_heads":2,"intermediate_size":512,"moe_intermediate_size":64,
      "num_experts":8,"num_experts_per_tok":2,"vocab_size":1000,"layer_group_size":3,"max_position_embeddings":4096})");
  CHECK(attention_layers(m) == 3);  // 2, 5 and the rest
  CHECK(m.recurrent.width == 256);
  const refusal bias = refusal_of([] {
    (void)model_of("bailing_moe_linear", R"({"hidden_size":256,"num_hidden_layers":7,"num_attention_heads":4,
        "vocab_size":1000,"layer_group_size":3,"use_qkv_bias":true,"max_position_embeddings":4096})");
  });
  CHECK(says(bias.message, "config.use_qkv_bias"));
}

}  // namespace read_hf_hybrids_tests
