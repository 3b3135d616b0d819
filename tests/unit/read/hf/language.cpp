// The text models of config.json against the classes of transformers: how many parameters each type has.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/language.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_language_tests {
using nlohmann::json;

namespace {

struct shape {
  const char* name;     // of the model, or of the switch that is turned
  const char* type;     // model_type
  const char* changes;  // what differs from the defaults of the class
  std::int64_t parameters;
};

json config_of(const char* type, const char* changes) {
  json config = json::parse(changes);
  config["model_type"] = type;
  return config;
}

std::int64_t parameters_of(const char* type, const char* changes) {
  return parameters(read_hf_config(config_of(type, changes)).model).total;
}

// Shapes of published models. The counts are sums over the tensors that the classes of transformers build (main of
// 2025-12-23, d6a6c82680, its constructors run over shapes alone), with the correction biases of routers, which are
// buffers there. By hand, of the same shapes: mt5 (untied, as the published files say), phimoe (norms with biases, as
// in v4), dbrx (a router as wide as the model, as its checkpoint has), exaone4 without a window, kimi_k2 and minimax_m2
// (classes of their own). The Hub's API reports the same for Phi-3-mini, phi-4, Phi-4-mini, granite-3.3 2b and 8b,
// SmolLM3-3B, Seed-OSS-36B, OLMo-2 7B and 13B and MiniMax-M2 (as recorded in public repositories, read on 2026-10-01
// and before).
// clang-format off
const shape published[] = {
    {"microsoft/Phi-3-mini-4k-instruct", "phi3", R"({"sliding_window":2047})", 3821079552},
    {"microsoft/Phi-3-medium-4k-instruct", "phi3", R"({"hidden_size":5120,"intermediate_size":17920,"num_hidden_layers":40,"num_attention_heads":40,"num_key_value_heads":10,"sliding_window":2047})", 13960238080},
    {"microsoft/phi-4", "phi3", R"({"vocab_size":100352,"hidden_size":5120,"intermediate_size":17920,"num_hidden_layers":40,"num_attention_heads":40,"num_key_value_heads":10,"max_position_embeddings":16384})", 14659507200},
    {"microsoft/Phi-4-mini-instruct", "phi3", R"({"vocab_size":200064,"num_attention_heads":24,"num_key_value_heads":8,"tie_word_embeddings":true,"max_position_embeddings":131072})", 3836021760},
    {"ibm-granite/granite-3.0-2b-base", "granite", R"({"vocab_size":49155,"hidden_size":2048,"intermediate_size":8192,"num_hidden_layers":40,"num_attention_heads":32,"num_key_value_heads":8,"tie_word_embeddings":true,"max_position_embeddings":4096})", 2533531648},
    {"ibm-granite/granite-3.0-8b-base", "granite", R"({"vocab_size":49155,"hidden_size":4096,"intermediate_size":12800,"num_hidden_layers":40,"num_attention_heads":32,"num_key_value_heads":8,"tie_word_embeddings":true})", 8170848256},
    {"HuggingFaceTB/SmolLM3-3B", "smollm3", R"({})", 3075098624},
    {"baidu/ERNIE-4.5-0.3B-PT", "ernie4_5", R"({})", 360748032},
    {"zai-org/glm-4-9b-chat-hf", "glm", R"({})", 9399951360},
    {"zai-org/GLM-4-9B-0414", "glm4", R"({})", 9400279040},
    {"zai-org/GLM-4-32B-0414", "glm4", R"({"hidden_size":6144,"intermediate_size":23040,"num_hidden_layers":61,"num_attention_heads":48,"num_key_value_heads":2,"attention_bias":false})", 32566081536},
    {"ByteDance-Seed/Seed-OSS-36B", "seed_oss", R"({"hidden_size":5120})", 36151104512},
    {"LGAI-EXAONE/EXAONE-4.0-1.2B", "exaone4", R"({"hidden_size":2048,"intermediate_size":4096,"num_hidden_layers":30,"num_attention_heads":32,"num_key_value_heads":8,"head_dim":64,"tie_word_embeddings":true,"sliding_window":null})", 1279391488},
    {"moonshotai/Kimi-K2", "kimi_k2", R"({"vocab_size":163840,"num_attention_heads":64,"num_key_value_heads":64,"n_routed_experts":384,"first_k_dense_replace":1})", 1026408232448},
    {"google/mt5-small", "mt5", R"({})", 300176768},
    {"google/mt5-base", "mt5", R"({"d_model":768,"d_ff":2048,"num_layers":12,"num_decoder_layers":12,"num_heads":12})", 582401280},
    {"google/mt5-xxl", "mt5", R"({"d_model":4096,"d_ff":10240,"num_layers":24,"num_heads":64})", 12921057280},
    {"microsoft/phi-1_5", "phi", R"({})", 1418270720},
    {"microsoft/phi-2", "phi", R"({"hidden_size":2560,"intermediate_size":10240,"num_hidden_layers":32})", 2779683840},
    {"microsoft/Phi-3.5-MoE-instruct", "phimoe", R"({"attention_bias":true,"lm_head_bias":true})", 41873153344},
    {"EleutherAI/gpt-neo-125m", "gpt_neo", R"({"hidden_size":768,"num_layers":12,"num_heads":12,"attention_types":[[["global","local"],6]]})", 125198592},
    {"EleutherAI/gpt-neo-1.3B", "gpt_neo", R"({})", 1315575808},
    {"EleutherAI/gpt-neo-2.7B", "gpt_neo", R"({"hidden_size":2560,"num_layers":32,"num_heads":20,"attention_types":[[["global","local"],16]]})", 2651307520},
    {"EleutherAI/gpt-j-6b", "gptj", R"({})", 6050882784},
    {"EleutherAI/gpt-neox-20b", "gpt_neox", R"({})", 20554567680},
    {"EleutherAI/pythia-6.9b", "gpt_neox", R"({"hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"intermediate_size":16384})", 6857302016},
    {"EleutherAI/pythia-70m", "gpt_neox", R"({"vocab_size":50304,"hidden_size":512,"num_hidden_layers":6,"num_attention_heads":8,"intermediate_size":2048})", 70426624},
    {"EleutherAI/pythia-12b", "gpt_neox", R"({"vocab_size":50688,"hidden_size":5120,"num_hidden_layers":36,"num_attention_heads":40,"intermediate_size":20480})", 11846072320},
    {"bigcode/santacoder", "gpt_bigcode", R"({"vocab_size":49280,"n_embd":2048,"n_layer":24,"n_head":16,"n_positions":2048})", 1124886528},
    {"bigcode/starcoder", "gpt_bigcode", R"({"vocab_size":49152,"n_embd":6144,"n_layer":40,"n_head":48,"n_positions":8192,"n_inner":24576})", 15517456384},
    {"Salesforce/codegen-350M-mono", "codegen", R"({"vocab_size":51200,"n_embd":1024,"n_layer":20,"n_head":16})", 356712448},
    {"Salesforce/codegen-2B-mono", "codegen", R"({"vocab_size":51200,"n_embd":2560,"n_layer":32,"n_head":32})", 2779356160},
    {"facebook/opt-125m", "opt", R"({})", 125239296},
    {"facebook/opt-6.7b", "opt", R"({"hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"ffn_dim":16384,"word_embed_proj_dim":4096})", 6658473984},
    {"facebook/opt-30b", "opt", R"({"hidden_size":7168,"num_hidden_layers":48,"num_attention_heads":56,"ffn_dim":28672})", 29974540288},
    {"bigscience/bloom-560m", "bloom", R"({"hidden_size":1024,"n_layer":24,"n_head":16})", 559214592},
    {"bigscience/bloom-7b1", "bloom", R"({"n_embed":4096,"n_layer":30,"n_head":32})", 7069016064},
    {"bigscience/bloom", "bloom", R"({"n_embed":14336,"n_layer":70,"n_head":112})", 176247271424},
    {"tiiuae/falcon-7b", "falcon", R"({})", 6921720704},
    {"tiiuae/falcon-40b", "falcon", R"({"hidden_size":8192,"num_hidden_layers":60,"num_attention_heads":128,"num_kv_heads":8,"new_decoder_architecture":true})", 41303293952},
    {"tiiuae/falcon-rw-1b", "falcon", R"({"vocab_size":50304,"hidden_size":2048,"num_hidden_layers":24,"num_attention_heads":32,"multi_query":false,"parallel_attn":false,"alibi":true,"bias":true})", 1311625216},
    {"mosaicml/mpt-7b", "mpt", R"({"vocab_size":50432,"d_model":4096,"n_heads":32,"n_layers":32})", 6649286656},
    {"bigcode/starcoder2-3b", "starcoder2", R"({"sliding_window":4096,"max_position_embeddings":16384})", 3030371328},
    {"bigcode/starcoder2-7b", "starcoder2", R"({"hidden_size":4608,"intermediate_size":18432,"num_hidden_layers":32,"num_attention_heads":36,"num_key_value_heads":4,"sliding_window":4096})", 7173923840},
    {"bigcode/starcoder2-15b", "starcoder2", R"({"hidden_size":6144,"intermediate_size":24576,"num_hidden_layers":40,"num_attention_heads":48,"num_key_value_heads":4,"tie_word_embeddings":false,"sliding_window":4096})", 15957889024},
    {"stabilityai/stablelm-3b-4e1t", "stablelm", R"({})", 2795443200},
    {"stabilityai/stablelm-2-1_6b", "stablelm", R"({"vocab_size":100352,"hidden_size":2048,"intermediate_size":5632,"num_hidden_layers":24,"use_qkv_bias":true})", 1644515328},
    {"allenai/OLMo-1B-hf", "olmo", R"({"hidden_size":2048,"intermediate_size":8192,"num_hidden_layers":16,"num_attention_heads":16,"tie_word_embeddings":true})", 1176764416},
    {"allenai/OLMo-7B-hf", "olmo", R"({})", 6888095744},
    {"allenai/OLMo-2-0425-1B", "olmo2", R"({"vocab_size":100352,"hidden_size":2048,"intermediate_size":8192,"num_hidden_layers":16,"num_attention_heads":16})", 1484916736},
    {"allenai/OLMo-2-1124-7B", "olmo2", R"({"vocab_size":100352})", 7298617344},
    {"allenai/OLMo-2-1124-13B", "olmo2", R"({"vocab_size":100352,"hidden_size":5120,"intermediate_size":13824,"num_hidden_layers":40,"num_attention_heads":40})", 13716198400},
    {"allenai/OLMo-2-0325-32B", "olmo2", R"({"vocab_size":100352,"hidden_size":5120,"intermediate_size":27648,"num_hidden_layers":64,"num_attention_heads":40,"num_key_value_heads":8})", 32234279936},
    {"allenai/Olmo-3-7B", "olmo3", R"({"vocab_size":100278})", 7298011136},
    {"allenai/OLMoE-1B-7B", "olmoe", R"({"intermediate_size":1024})", 6919161856},
    {"CohereForAI/c4ai-command-r-v01", "cohere", R"({})", 34980831232},
    {"CohereForAI/c4ai-command-r-plus", "cohere", R"({"hidden_size":12288,"intermediate_size":33792,"num_hidden_layers":64,"num_attention_heads":96,"num_key_value_heads":8,"use_qk_norm":true})", 103810674688},
    {"CohereForAI/aya-expanse-8b", "cohere", R"({"hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8})", 8028033024},
    {"CohereForAI/c4ai-command-r7b-12-2024", "cohere2", R"({"hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8})", 8028033024},
    {"CohereForAI/c4ai-command-a-03-2025", "cohere2", R"({"hidden_size":12288,"intermediate_size":36864,"num_hidden_layers":64,"num_attention_heads":96,"num_key_value_heads":8})", 111057580032},
    {"swiss-ai/Apertus-8B-2509", "apertus", R"({"intermediate_size":21504,"num_key_value_heads":8})", 8053338176},
    {"kyutai/helium-1-preview-2b", "helium", R"({})", 2172643840},
    {"ibm-granite/granite-3.0-1b-a400m-base", "granitemoe", R"({"vocab_size":49155,"hidden_size":1024,"intermediate_size":512,"num_hidden_layers":24,"num_attention_heads":16,"num_key_value_heads":8,"num_local_experts":32,"num_experts_per_tok":8,"tie_word_embeddings":true})", 1334628352},
    {"zai-org/GLM-4.5-Air less its MTP layer", "glm4_moe", R"({"head_dim":128,"attention_bias":true})", 106852251264},
    {"zai-org/GLM-4.5 less its MTP layer", "glm4_moe", R"({"hidden_size":5120,"intermediate_size":12288,"moe_intermediate_size":1536,"n_routed_experts":160,"num_hidden_layers":92,"first_k_dense_replace":3,"attention_bias":true,"use_qk_norm":true,"head_dim":128})", 352797829024},
    {"rednote-hilab/dots.llm1", "dots1", R"({"hidden_size":4096,"n_routed_experts":128,"n_shared_experts":2,"num_experts_per_tok":6,"first_k_dense_replace":1,"head_dim":128,"sliding_window":null})", 142774381696},
    {"baidu/ERNIE-4.5-21B-A3B-PT", "ernie4_5_moe", R"({})", 21825437888},
    {"tencent/Hunyuan-A13B", "hunyuan_v1_moe", R"({"vocab_size":128167,"intermediate_size":3072,"num_key_value_heads":8,"head_dim":128,"num_experts":64,"moe_topk":8,"tie_word_embeddings":true})", 80393183232},
    {"tencent/Hunyuan-0.5B", "hunyuan_v1_dense", R"({"vocab_size":120818,"hidden_size":1024,"intermediate_size":3584,"num_hidden_layers":24,"num_attention_heads":16,"num_key_value_heads":4,"head_dim":128,"tie_word_embeddings":true})", 513844224},
    {"meta-llama/Llama-4-Scout text", "llama4_text", R"({})", 107769861120},
    {"meta-llama/Llama-4-Maverick text", "llama4_text", R"({"num_local_experts":128,"interleave_moe_layer_step":2})", 400711848960},
    {"MiniMaxAI/MiniMax-M2", "minimax_m2", R"({})", 228689764864},
    {"nvidia/Minitron-8B-Base", "nemotron", R"({"hidden_size":4096,"intermediate_size":16384,"num_attention_heads":32,"num_key_value_heads":32})", 8540135424},
    {"nvidia/Minitron-4B-Base", "nemotron", R"({"hidden_size":3072,"intermediate_size":9216,"num_attention_heads":24,"num_key_value_heads":8,"head_dim":128})", 4190509056},
    {"nemotron biases", "nemotron", R"({"hidden_size":1024,"intermediate_size":4096,"num_attention_heads":8,"num_key_value_heads":2,"attention_bias":true,"mlp_bias":true})", 876988416},
    {"granite-3.3-2b", "granite", R"({"vocab_size":49159,"hidden_size":2048,"intermediate_size":8192,"num_hidden_layers":40,"num_attention_heads":32,"num_key_value_heads":8,"tie_word_embeddings":true})", 2533539840},
    {"granite-3.3-8b", "granite", R"({"vocab_size":49159,"hidden_size":4096,"intermediate_size":12800,"num_hidden_layers":40,"num_attention_heads":32,"num_key_value_heads":8,"tie_word_embeddings":true})", 8170864640},
    {"falcon-180B", "falcon", R"({"hidden_size":14848,"num_hidden_layers":80,"num_attention_heads":232,"num_kv_heads":8,"new_decoder_architecture":true})", 178557088768},
    {"databricks/dbrx-base", "dbrx", R"({"vocab_size":100352,"d_model":6144,"n_heads":48,"n_layers":40,"max_seq_len":32768,"attn_config":{"kv_n_heads":8,"clip_qkv":8,"rope_theta":500000},"ffn_config":{"ffn_hidden_size":10752,"moe_num_experts":16,"moe_top_k":4}})", 131596523520},
};

// One switch of a class turned, or two: the same source.
const shape switched[] = {
    {"attention_bias", "granite", R"({"attention_bias":true})", 6738939904},
    {"mlp_bias", "granite", R"({"mlp_bias":true})", 6739251200},
    {"num_key_value_heads", "smollm3", R"({"num_key_value_heads":1})", 3018475520},
    {"attention_bias", "smollm3", R"({"attention_bias":true})", 3075282944},
    {"mlp_bias", "smollm3", R"({"mlp_bias":true})", 3075964928},
    {"head_dim num_key_value_heads", "ministral", R"({"head_dim":128,"num_key_value_heads":1})", 7006851072},
    {"num_key_value_heads", "helium", R"({"num_key_value_heads":1})", 1873799680},
    {"attention_bias", "helium", R"({"attention_bias":true})", 2172828160},
    {"mlp_bias", "helium", R"({"mlp_bias":true})", 2173043200},
    {"attention_bias", "arcee", R"({"attention_bias":true})", 4023093760},
    {"mlp_bias", "arcee", R"({"mlp_bias":true})", 4023437824},
    {"attention_bias", "apertus", R"({"attention_bias":true})", 6980120640},
    {"num_key_value_heads", "ernie4_5", R"({"num_key_value_heads":1})", 356029440},
    {"use_bias", "ernie4_5", R"({"use_bias":true})", 360941568},
    {"num_key_value_heads", "glm", R"({"num_key_value_heads":1})", 9357998080},
    {"attention_bias", "glm", R"({"attention_bias":false})", 9399767040},
    {"num_key_value_heads", "glm4", R"({"num_key_value_heads":1})", 9358325760},
    {"attention_bias", "glm4", R"({"attention_bias":false})", 9400094720},
    {"num_key_value_heads", "seed_oss", R"({"num_key_value_heads":1})", 28451164160},
    {"attention_bias", "seed_oss", R"({"attention_bias":false})", 28920254464},
    {"attention_out_bias", "seed_oss", R"({"attention_out_bias":true})", 28921303040},
    {"mlp_bias", "seed_oss", R"({"mlp_bias":true})", 28924841984},
    {"num_key_value_heads", "exaone4", R"({"num_key_value_heads":1})", 8388882432},
    {"head_dim attention_bias", "hunyuan_v1_dense", R"({"head_dim":128,"attention_bias":true})", 8860209152},
    {"attention_bias", "olmo", R"({"attention_bias":true})", 6888620032},
    {"attention_bias", "olmo2", R"({"attention_bias":true})", 6889148416},
    {"attention_bias", "olmo3", R"({"attention_bias":true})", 6889148416},
    {"attention_bias", "cohere", R"({"attention_bias":true})", 34982141952},
    {"use_qk_norm", "cohere", R"({"use_qk_norm":true})", 34981486592},
    {"attention_bias", "cohere2", R"({"attention_bias":true})", 34982141952},
    {"num_key_value_heads", "starcoder2", R"({"num_key_value_heads":1})", 3006770688},
    {"use_bias", "starcoder2", R"({"use_bias":false})", 3029710848},
    {"num_key_value_heads", "stablelm", R"({"num_key_value_heads":1})", 2389120000},
    {"use_qkv_bias", "stablelm", R"({"use_qkv_bias":true})", 2795688960},
    {"use_parallel_residual", "stablelm", R"({"use_parallel_residual":true})", 2795279360},
    {"multi_query", "gpt_bigcode", R"({"multi_query":false})", 124439808},
    {"num_hidden_layers attention_bias", "gpt_neox", R"({"num_hidden_layers":6,"attention_bias":false})", 3337961472},
    {"do_layer_norm_before", "opt", R"({"do_layer_norm_before":false})", 125237760},
    {"_remove_final_layer_norm", "opt", R"({"_remove_final_layer_norm":true})", 125237760},
    {"enable_bias", "opt", R"({"enable_bias":false})", 125156352},
    {"layer_norm_elementwise_affine", "opt", R"({"layer_norm_elementwise_affine":false})", 125200896},
    {"new_decoder_architecture", "falcon", R"({"new_decoder_architecture":true})", 8224867200},
    {"multi_query", "falcon", R"({"multi_query":false})", 8224576384},
    {"parallel_attn", "falcon", R"({"parallel_attn":false})", 6922011520},
    {"bias", "falcon", R"({"bias":true})", 6922742656},
    {"new_decoder_architecture num_kv_heads", "falcon", R"({"new_decoder_architecture":true,"num_kv_heads":71})", 8224867200},
    {"new_decoder_architecture num_kv_heads num_ln_in_parallel_attn", "falcon", R"({"new_decoder_architecture":true,"num_kv_heads":1,"num_ln_in_parallel_attn":1})", 6921720704},
    {"new_decoder_architecture parallel_attn", "falcon", R"({"new_decoder_architecture":true,"parallel_attn":false})", 8224867200},
    {"attention_bias", "olmoe", R"({"attention_bias":true})", 13361743872},
    {"attention_bias", "flex_olmo", R"({"attention_bias":true})", 33271189504},
    {"attention_bias", "granitemoe", R"({"attention_bias":true})", 37039640576},
    {"shared_intermediate_size attention_bias", "granitemoeshared", R"({"shared_intermediate_size":512,"attention_bias":true})", 37240967168},
    {"n_routed_experts n_shared_experts num_experts_per_tok first_k_dense_replace num_key_value_heads", "dots1", R"({"n_routed_experts":128,"n_shared_experts":2,"num_experts_per_tok":6,"first_k_dense_replace":1,"num_key_value_heads":1})", 158655589952},
    {"n_routed_experts n_shared_experts num_experts_per_tok first_k_dense_replace attention_bias", "dots1", R"({"n_routed_experts":128,"n_shared_experts":2,"num_experts_per_tok":6,"first_k_dense_replace":1,"attention_bias":true})", 161207426624},
    {"num_key_value_heads", "ernie4_5_moe", R"({"num_key_value_heads":1})", 21770387648},
    {"moe_layer_start_index moe_layer_interval", "ernie4_5_moe", R"({"moe_layer_start_index":3,"moe_layer_interval":2})", 12244401472},
    {"moe_layer_end_index", "ernie4_5_moe", R"({"moe_layer_end_index":20})", 17034919680},
    {"moe_layer_end_index of -1, the last layer", "ernie4_5_moe", R"({"moe_layer_end_index":-1})", 21825437888},
    {"head_dim num_experts moe_topk attention_bias", "hunyuan_v1_moe", R"({"head_dim":128,"num_experts":16,"moe_topk":4,"attention_bias":true})", 78118653952},
    {"num_key_value_heads", "llama4_text", R"({"num_key_value_heads":1})", 107329459200},
    {"attention_bias", "llama4_text", R"({"attention_bias":true})", 107770450944},
    {"interleave_moe_layer_step", "llama4_text", R"({"interleave_moe_layer_step":2})", 62469411840},
    {"moe_layers", "llama4_text", R"({"moe_layers":[1,3]})", 20944000000},
};
// clang-format on

}  // namespace

TEST_CASE("types like another: parameters of published shapes", "[hf_language]") {
  for (const shape& each : published) {
    INFO(each.name);
    CHECK(parameters_of(each.type, each.changes) == each.parameters);
  }
}

TEST_CASE("types like another: switches of the classes", "[hf_language]") {
  for (const shape& each : switched) {
    INFO(each.type << ": " << each.name);
    CHECK(parameters_of(each.type, each.changes) == each.parameters);
  }
}

TEST_CASE("lists with one number for each layer", "[hf_language]") {
  const char* shared = R"({"num_hidden_layers": 2, "intermediate_size": 3072, "head_dim": 128, "num_experts": 64,)";
  CHECK(parameters_of("hunyuan_v1_moe", (std::string(shared) + R"("moe_topk": 8})").c_str()) ==
        parameters_of("hunyuan_v1_moe", (std::string(shared) + R"("moe_topk": [8, 8], "num_shared_expert": [1, 1],
                                                                 "moe_intermediate_size": [3072, 3072]})")
                                            .c_str()));
  const char* one_layer = R"({"num_hidden_layers": 1, "intermediate_size": 3072, "head_dim": 128, "num_experts": 64,)";
  CHECK(parameters_of("hunyuan_v1_moe", (std::string(one_layer) + R"("moe_topk": 8})").c_str()) ==
        parameters_of("hunyuan_v1_moe", (std::string(one_layer) + R"("moe_topk": [8]})").c_str()));
}

TEST_CASE("a list of different numbers for the layers is refused, by its field", "[hf_language]") {
  for (const char* list : {"[8, 4]", "[4, 8]", "[]", "[0, 0]", "[\"8\", \"8\"]"}) {
    const std::string changes = std::string(R"({"num_hidden_layers": 2, "intermediate_size": 3072, "head_dim": 128,)") +
                                R"("num_experts": 64, "moe_topk": )" + list + "}";
    INFO(list);
    const refusal why = refusal_of([&] { (void)parameters_of("hunyuan_v1_moe", changes.c_str()); });
    CHECK(says(why.message, "moe_topk is a list of different entries; valid: one number for all layers"));
  }
}

TEST_CASE("every text model has a row of its own", "[hf_language]") {
  std::set<std::string_view> seen;
  for (const detail::text_family& family : detail::text_families) CHECK(seen.insert(family.type).second);
}

TEST_CASE("windows of types like another", "[hf_language]") {
  const auto layers = [](const char* type, const char* changes) {
    const transformer m = read_hf_config(config_of(type, changes)).model;
    return std::to_string(m.attention.local_layers) + " of " + std::to_string(m.layers) + " see " +
           std::to_string(m.attention.window);
  };
  CHECK(layers("phi3", R"({"sliding_window": 2047})") == "32 of 32 see 2047");
  CHECK(layers("phi3", "{}") == "0 of 32 see 0");
  CHECK(layers("olmo3", "{}") == "24 of 32 see 4096");
  CHECK(layers("cohere2", "{}") == "30 of 40 see 4096");
  CHECK(layers("exaone4", R"({"num_hidden_layers": 64})") == "48 of 64 see 4096");
  CHECK(layers("exaone4", R"({"sliding_window": null})") == "0 of 32 see 0");
  CHECK(layers("gpt_neo", "{}") == "12 of 24 see 256");
  CHECK(layers("ministral", R"({"head_dim": 128})") == "32 of 32 see 4096");
  CHECK(layers("llama4_text", "{}") == "36 of 48 see 8192");
  CHECK(layers("llama4_text", R"({"num_hidden_layers": 4, "no_rope_layers": [1, 1, 0, 0]})") == "2 of 4 see 8192");
  CHECK(layers("llama4_text", R"({"num_hidden_layers": 2, "layer_types": ["chunked_attention", "full_attention"]})") ==
        "1 of 2 see 8192");
}

TEST_CASE("what the structs cannot describe is refused by its field", "[hf_language]") {
  const shape refused[] = {
      {"qk_layernorm", "llama", R"({"qk_layernorm": true})", 0},
      {"use_sliding_window", "smollm3", R"({"use_sliding_window": true})", 0},
      {"attn_config", "dbrx", R"({"ffn_config": {"moe_num_experts": 4, "moe_top_k": 1, "ffn_hidden_size": 64}})", 0},
      {"ffn_config", "dbrx", "{}", 0},
      {"no_bias", "mpt", R"({"no_bias": false})", 0},
      {"use_bias", "ernie4_5_moe", R"({"use_bias": true})", 0},
      {"num_experts", "hunyuan_v1_moe", R"({"num_experts": [16, 32], "head_dim": 128})", 0},
      {"num_experts", "hunyuan_v1_moe", R"({"num_experts": [], "head_dim": 128})", 0},
      {"moe_topk", "hunyuan_v1_moe", R"({"num_experts": 16, "moe_topk": ["a"], "head_dim": 128})", 0},
      {"num_shared_expert", "hunyuan_v1_moe", R"({"num_shared_expert": [2, 2], "head_dim": 128})", 0},
      {"moe_intermediate_size", "hunyuan_v1_moe", R"({"moe_intermediate_size": 3072, "head_dim": 128})", 0},
      {"attention_types", "gpt_neo", R"({"attention_types": [[["global", "local"], 11]]})", 0},
      {"attention_types", "gpt_neo", R"({"attention_types": [[["global", "other"], 12]]})", 0},
      {"attention_types", "gpt_neo", R"({"attention_types": [[["global"], -24]]})", 0},
      {"attention_types", "gpt_neo", R"({"attention_types": ["global"]})", 0},
      {"attention_bias", "phi3", R"({"attention_bias": true})", 0},
      {"no_rope_layers", "llama4_text", R"({"num_hidden_layers": 1, "no_rope_layers": [1, 1]})", 0},
      {"num_experts_per_tok", "dots1", R"({"n_routed_experts": 8, "n_shared_experts": 1, "head_dim": 128})", 0},
  };
  for (const shape& each : refused) {
    INFO(each.type << ": " << each.changes);
    const refusal got = refusal_of([&] { (void)read_hf_config(config_of(each.type, each.changes)); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, each.name));
  }
}

TEST_CASE("other names of a type read as that type", "[hf_language]") {
  CHECK(parameters(model_of("Yi", "{}")).total == parameters(model_of("llama", "{}")).total);
  CHECK(model_of("Dream", R"({"vocab_size": 152064})", "DreamModel").output_head);
  CHECK(parameters(model_of("aria_moe_lm", "{}")).total == parameters(model_of("aria_text", "{}")).total);
}

}  // namespace read_hf_language_tests
