// Types that are like another but for something of their own.

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/single.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_single_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738, their constructors run
// over shapes alone), with the correction biases of routers. The class of DiffLlama draws its vectors at random, and
// that of LongCat-Flash has up and gate for experts that compute nothing: both are counted by hand.
// clang-format off
const hf_class classes[] = {
    {"vaultgemma defaults", "vaultgemma", "", R"({})", 2614222080},
    {"ministral3 defaults", "ministral3", "", R"({})", 8489553920},
    {"cwm defaults", "cwm", "", R"({})", 32581097472},
    {"jais2 defaults", "jais2", "", R"({})", 8090401280},
    {"nanochat defaults", "nanochat", "", R"({})", 256573440},
    {"bitnet defaults", "bitnet", "", R"({})", 2741155840},
    {"hyperclovax defaults", "hyperclovax", "", R"({})", 6738677760},
    {"minicpm3 defaults", "minicpm3", "", R"({})", 4073875968},
    {"persimmon defaults", "persimmon", "", R"({})", 9397175296},
    {"xglm defaults", "xglm", "", R"({})", 564463616},
    {"biogpt defaults", "biogpt", "", R"({})", 346763264},
    {"openai-gpt defaults", "openai-gpt", "", R"({})", 116534784},
    {"axk1 defaults", "axk1", "", R"({})", 518983063808},
    {"no norms behind", "hyperclovax", "", R"({"use_post_norm":false})", 6738415616},
    {"no norms of heads", "persimmon", "", R"({"qk_layernorm":false})", 9397166080},
    {"no inner norms", "bitnet", "", R"({"use_sub_norms":false})", 2740871680},
    {"norms of heads", "phi", "", R"({"qk_layernorm":true})", 1418276864},
    {"norms of heads, each its own", "stablelm", "", R"({"qk_layernorm":true})", 2795607040},
    {"fewer heads of keys", "stablelm", "", R"({"qk_layernorm":true,"use_parallel_residual":true,"num_key_value_heads":8})", 2480808960},
    {"glm4_moe, heads of hidden_size / heads", "glm4_moe", "", R"({"hidden_size":4096,"num_attention_heads":96,"num_hidden_layers":2})", 3679998080},
    {"aria_text, biases of the shared experts", "aria_text", "", R"({"mlp_bias":true,"num_hidden_layers":2})", 1403121664},
    {"nemotron_h, biases of the shared experts", "nemotron_h", "", R"({"mlp_bias":true,"num_hidden_layers":4,"hybrid_override_pattern":"ME*E"})", 2359072160},
    {"nemotron_h, biases of the projections too", "nemotron_h", "", R"({"mlp_bias":true,"moe_latent_size":1024,"num_hidden_layers":4,"hybrid_override_pattern":"ME*E"})", 1620098464},
    {"facebook/opt-350m", "opt", "", R"({"word_embed_proj_dim":512,"hidden_size":1024,"do_layer_norm_before":false,"num_hidden_layers":24,"num_attention_heads":16,"ffn_dim":4096})", 331196416},
    {"diffllama defaults", "diffllama", "", R"({})", 1204885504},
    {"longcat_flash defaults", "longcat_flash", "", R"({})", 560664980480},
    {"youtu", "youtu", "", R"({})", 1961560064},
    {"jetmoe", "jetmoe", "", R"({})", 4293888000},
    {"doge", "doge", "", R"({})", 403055872},
    {"gpt_neox_japanese", "gpt_neox_japanese", "", R"({})", 2598837760},
    {"youtu", "youtu", "", R"({"q_lora_rank":null,"tie_word_embeddings":false})", 2173847552},
    {"jetmoe", "jetmoe", "", R"({"num_experts_per_tok":3,"num_hidden_layers":24,"num_key_value_heads":8})", 7616268288},
    {"doge", "doge", "", R"({"is_moe":true,"num_key_value_heads":4,"attention_bias":true,"num_experts":1000})", 436970752},
    {"doge", "doge", "", R"({"tie_word_embeddings":true,"mlp_bias":true})", 369665280},
    {"gpt_neox_japanese", "gpt_neox_japanese", "", R"({"tie_word_embeddings":false,"intermediate_multiple_size":3})", 2261327360},
};
// clang-format on

}  // namespace

TEST_CASE("parameters of single types, to the last one", "[hf_single]") { check_parameters(classes); }

TEST_CASE("a layer of LongCat-Flash is two", "[hf_single]") {
  const transformer m = model_of("longcat_flash", "{}");
  CHECK(m.layers == 56);
  CHECK(moe_layers(m) == 28);
  CHECK(m.other_products == std::int64_t{28} * 256 * 6144);
}

TEST_CASE("JetMoE has a head of queries for each pair of keys and values and expert of a token", "[hf_single]") {
  const transformer m = model_of("jetmoe", R"({"num_key_value_heads": 16, "num_experts_per_tok": 2})");
  CHECK(m.attention.heads == 32);
  CHECK(m.attention.kv_heads == 16);
  // In products of one token and layer: queries and output of 2 experts, keys and values, both routers and 2 experts.
  const std::int64_t layer = 2 * 2 * 2048 * 2048 + 2048 * 2 * 2048 + 2 * 8 * 2048 + 2 * 3 * 2048 * 5632;
  CHECK(parameters(m).matrices == 12 * layer + 32000 * 2048);
}

TEST_CASE("decoders whose code lies beside the weights state their sizes", "[hf_single]") {
  for (const char* type : {"qwen", "internlm", "internlm2", "internlm3", "baichuan", "xverse", "chatglm", "minicpm",
                           "exaone", "orion", "deepseek"}) {
    INFO(type);
    CHECK(refusal_of([&] { (void)model_of(type, "{}"); }).refused);
  }
}

TEST_CASE("ChatGLM has its output head under every name", "[hf_single]") {
  const char* sizes =
      R"({"num_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "kv_channels": 16, "ffn_hidden_size": 128,
      "padded_vocab_size": 100, "seq_length": 32, "multi_query_attention": true, "multi_query_group_num": 2,
      "add_qkv_bias": true})";
  const transformer m = model_of("chatglm", sizes, "ChatGLMModel");
  CHECK(m.output_head);
  CHECK(m.attention.kv_heads == 2);
  // Two tables of 100 x 64; in each layer 64 x (64 + 2 x 32) + 128 + 64 x 64, 3 x 64 x 128 and two norms; one norm.
  CHECK(parameters(m).total == 2 * 6400 + 2 * (8192 + 128 + 4096 + 24576 + 128) + 64);
}

TEST_CASE("what single types do not count is refused by its field", "[hf_single]") {
  const hf_class refused[] = {
      {"config.start_layer is 8; valid: absent", "minicpm", "LayerWiseMiniCPMForCausalLM",
       R"({"hidden_size": 64, "num_attention_heads": 4, "vocab_size": 9, "num_hidden_layers": 9,
       "intermediate_size": 32, "start_layer": 8, "head_multi": true})",
       0},
      {"head_dim", "helium", "", R"({"hidden_size": 2048, "num_attention_heads": 10, "num_key_value_heads": 10})", 0},
      {"num_experts_per_tok", "doge", "", R"({"is_moe": true, "num_experts": 16, "num_experts_per_tok": 64})", 0},
  };
  check_refusals(refused);
}

TEST_CASE("keys and values of one head or of some, where GPT-2 and MPT ask for them", "[hf_single]") {
  const auto total = [](const char* type, const char* changes) { return parameters(model_of(type, changes)).total; };
  // bigcode/santacoder: its class is GPT-2's with queries of 2048 and one pair of keys and values of 128.
  const char* santacoder = R"({"attention_head_type": "multiquery", "n_embd": 2048, "n_head": 16, "n_inner": 8192,
      "n_layer": 24, "n_positions": 2048, "vocab_size": 49280})";
  CHECK(total("gpt2", santacoder) == 1124886528);
  CHECK(total("gpt2", R"({"attention_head_type": "multihead"})") == 124439808);
  // replit/replit-code-v1_5-3b: matrices of queries, 8 keys and values, output and MLP, two norms; a table and a norm.
  const char* replit = R"({"attn_config": {"attn_type": "grouped_query_attention", "kv_n_heads": 8}, "d_model": 3072,
      "n_heads": 24, "n_layers": 32, "vocab_size": 32768, "max_seq_len": 4096})";
  const std::int64_t d = 3072;
  CHECK(total("mpt", replit) == 32 * (2 * d * d + 2 * 8 * 128 * d + 8 * d * d + 2 * d) + 32768 * d + d);
  CHECK(total("mpt", replit) == 3322088448);
  CHECK(model_of("mpt", R"({"attn_config": {"attn_type": "multiquery_attention"}})").attention.kv_heads == 1);
  CHECK(model_of("mpt", R"({"attn_config": {"attn_type": "multihead_attention"}})").attention.kv_heads == 16);
  const hf_class refused[] = {
      {"attention_head_type", "gpt2", "", R"({"attention_head_type": "grouped"})", 0},
      {"attn_config.attn_type", "mpt", "", R"({"attn_config": {"attn_type": "other"}})", 0},
      {"attn_config.kv_n_heads", "mpt", "", R"({"attn_config": {"attn_type": "grouped_query_attention"}})", 0},
      {"attn_config.kv_n_heads", "mpt", "",
       R"({"attn_config": {"attn_type": "grouped_query_attention", "kv_n_heads": 3}})", 0},
      {"attn_config.qk_ln", "mpt", "", R"({"attn_config": {"qk_ln": true}})", 0},
      {"attn_config.alibi", "mpt", "", R"({"attn_config": {"alibi": false}})", 0},
  };
  check_refusals(refused);
}

TEST_CASE("MiniCPM with experts is as Mixtral", "[hf_single]") {
  const char* sizes = R"({"num_experts": 8, "num_experts_per_tok": 2, "hidden_size": 64, "num_attention_heads": 4,
      "vocab_size": 9, "num_hidden_layers": 1, "intermediate_size": 32, "max_position_embeddings": 8})";
  const transformer m = model_of("minicpm", sizes, "MiniCPMForCausalLM");
  CHECK(m.moe.top_k == 2);
  // One table, four matrices of attention, eight experts, a router and three norms.
  CHECK(parameters(m).total == 9 * 64 + 4 * 64 * 64 + 8 * 3 * 64 * 32 + 8 * 64 + 3 * 64);
}

TEST_CASE("Phi-3-small says that its sparse layers count as full ones", "[hf_single]") {
  const json small = {{"model_type", "phi3small"},
                      {"hidden_size", 64},
                      {"ff_intermediate_size", 128},
                      {"num_hidden_layers", 4},
                      {"vocab_size", 100},
                      {"num_attention_heads", 4},
                      {"num_key_value_heads", 2},
                      {"max_position_embeddings", 8},
                      {"dense_attention_every_n_layers", 2}};
  const model_config read = read_hf_config(small);
  // A table; in each layer 64 x 128 and 64 x 64 of attention, three matrices of the MLP, biases, and two norms; a norm.
  const std::int64_t layer = 64 * 128 + 128 + 64 * 64 + 64 + 3 * 64 * 128 + 2 * 128 + 64 + 2 * 128;
  CHECK(parameters(read.model).total == 6400 + 4 * layer + 128);
  const auto says = [](const assumption& each) {
    return each.field == "dense_attention_every_n_layers" && each.why.substr(0, 2) == "2 ";
  };
  CHECK(std::any_of(read.assumed.begin(), read.assumed.end(), says));
}

TEST_CASE("the longest sequence may be left out where no table depends on it", "[hf_single]") {
  const char* sizes = R"({"hidden_size": 64, "num_attention_heads": 4, "vocab_size": 9, "num_hidden_layers": 1,
      "intermediate_size": 32})";
  for (const char* type : {"minicpm", "internlm2"}) CHECK(model_of(type, sizes).max_positions == 2048);
  CHECK(model_of("stablelm_epoch", "{}").max_positions == 4096);
  CHECK(parameters(model_of("stablelm_epoch", "{}")).total == parameters(model_of("stablelm", "{}")).total);
}

TEST_CASE("Phi's first files have other names", "[hf_single]") {
  const char* sizes = R"({"n_embd": 2560, "n_head": 32, "n_inner": null, "n_layer": 32, "n_positions": 2048,
      "vocab_size": 51200})";
  CHECK(parameters(model_of("phi-msft", sizes, "PhiForCausalLM")).total == 2779683840);
  CHECK(parameters(model_of("mixformer-sequential", sizes, "MixFormerSequentialForCausalLM")).total == 2779683840);
}

TEST_CASE("Jais: a gate and no table of positions where the file says so", "[hf_single]") {
  const char* sizes = R"({"n_embd": 64, "n_head": 4, "n_inner": 96, "n_layer": 2, "n_positions": 32, "vocab_size": 9,
      "activation_function": "swiglu", "position_embedding_type": "alibi"})";
  // By hand: a table, four matrices of attention and three of the MLP with their biases, norms with biases.
  const std::int64_t layer = 4 * (64 * 64 + 64) + 2 * (64 * 96 + 96) + 96 * 64 + 64 + 4 * 64;
  CHECK(parameters(model_of("jais", sizes, "JAISLMHeadModel")).total == 9 * 64 + 2 * layer + 2 * 64);
  const char* plain = R"({"n_embd": 64, "n_head": 4, "n_layer": 2, "vocab_size": 9, "activation_function": "gelu",
      "position_embedding_type": "learned"})";
  CHECK(model_of("jais", plain).learned_positions == 1024);
  CHECK_FALSE(model_of("jais", plain).mlp.gated);
}

}  // namespace read_hf_single_tests
