// What readers make of files in which one value is another: of a configuration of every type of model, of MaxText's,
// and of the records of runs that were measured. Each group is one line: how many files were read and how many refused,
// and a digest of all they say (every field of a model, answers to six digits, assumptions, messages). Where a line
// changes without being meant to, FILE.whole of two builds shows which answer did.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/maxtext.hpp>
#include <tpuplan/read/runs.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/digests.hpp"
#include "support/golden.hpp"
#include "support/told.hpp"

using namespace tpuplan;

namespace golden_files_tests {

namespace {

using nlohmann::json;

std::string cache_of(const transformer& m) {
  if (m.kind != architecture::decoder) return "no cache";
  return golden_number(kv_bytes_per_sequence(m, 1).value()) + ' ' +
         golden_number(kv_bytes_per_sequence(m, 40000).value());
}

std::string answers_for(const model_config& read) {
  const transformer& m = read.model;
  return told_of(m) + std::to_string(parameters(m).total) + ' ' + cache_of(m) + ' ' +
         golden_number(forward_flops_per_token(m, 4096).total.value()) + ' ' + told_of(read.stored) +
         told_of(read.assumed) + told_of(read.not_read);
}

}  // namespace

TEST_CASE("configurations of every type with one value changed, as they were", "[golden]") {
  std::map<std::string, json> longest;  // of each type
  const json published = load_json(TPUPLAN_DATA_DIR "/checkpoints.json");
  for (const json& each : published.at("checkpoints")) {
    json& of = longest[each.at("config").at("model_type").get<std::string>()];
    if (of.size() < each.at("config").size()) of = each.at("config");
  }
  digests all;
  std::size_t turn = 0;
  for (auto& [type, config] : longest) {
    const json& file = config;
    const auto ask = [&, &group = type](const std::string& change) {
      all.add(group, change, [&] { return answers_for(read_hf_config(file)); });
    };
    ask("as it is");
    each_change(config, "", turn, ask);
  }
  CHECK(all.problem("hf_files.txt") == "");
}

TEST_CASE("configurations of MaxText with one value changed, as they were", "[golden]") {
  digests all;
  const auto ask = [&](const std::string& group, const std::string& text) {
    all.add(group, text, [&] {
      const maxtext_question q = read_maxtext(read_maxtext_keys(text, "config.yml"), slice_for("v5p-128"));
      std::string said = std::to_string(parameters(q.model).total) + ' ' + cache_of(q.model) + ' ' + told_of(q.model) +
                         told_of(q.job) + told_of(q.mesh) + std::to_string(q.steps);
      for (const auto& [key, value] : q.assumed) said += "; " + key + ": " + value;
      for (const std::string& one : q.unused) said += "; " + one;
      return said;
    });
  };
  for (const char* unknown : {"llama9", "gem", "q", "deepseek4-1t", "zzz", "mixtral-8x", "qwen3-235b-a22b-x"})
    ask("unknown", std::string("model_name: ") + unknown + "\nper_device_batch_size: 1\n");
  for (const detail::maxtext_model& one : detail::maxtext_models)
    ask(std::string(one.name), "model_name: " + std::string(one.name) + "\nper_device_batch_size: 1\n");
  const std::vector<std::string> keys = {"base_num_decoder_layers",
                                         "base_emb_dim",
                                         "base_num_query_heads",
                                         "base_num_kv_heads",
                                         "head_dim",
                                         "base_mlp_dim",
                                         "vocab_size",
                                         "num_experts",
                                         "num_experts_per_tok",
                                         "base_moe_mlp_dim",
                                         "shared_experts",
                                         "first_num_dense_layers",
                                         "sliding_window_size",
                                         "q_lora_rank",
                                         "kv_lora_rank",
                                         "qk_nope_head_dim",
                                         "qk_rope_head_dim",
                                         "v_head_dim",
                                         "trainable_position_size",
                                         "per_device_batch_size",
                                         "max_target_length",
                                         "gradient_accumulation_steps",
                                         "num_vocab_tiling",
                                         "capacity_factor",
                                         "steps",
                                         "ici_fsdp_parallelism",
                                         "ici_tensor_parallelism",
                                         "ici_data_parallelism",
                                         "ici_expert_parallelism",
                                         "ici_pipeline_parallelism",
                                         "ici_context_parallelism",
                                         "dcn_data_parallelism",
                                         "num_pipeline_microbatches",
                                         "remat_policy",
                                         "dtype",
                                         "weight_dtype",
                                         "quantization",
                                         "opt_type",
                                         "global_parameter_scale",
                                         "logits_via_embedding",
                                         "fused_qkv",
                                         "scan_layers",
                                         "use_iota_embed",
                                         "mlp_activations",
                                         "inhomogeneous_layer_cycle_interval",
                                         "attention",
                                         "attention_bias",
                                         "attention_sink",
                                         "attention_type",
                                         "base_config",
                                         "compile_topology_num_slices",
                                         "dcn_fsdp_parallelism",
                                         "dcn_pipeline_parallelism",
                                         "dcn_fsdp_transpose_parallelism",
                                         "decoder_layer_input",
                                         "context",
                                         "mlpwi_0",
                                         "mlpwo",
                                         "out_proj",
                                         "qkv_proj",
                                         "query_proj",
                                         "float32_logits",
                                         "ici_context_autoregressive_parallelism",
                                         "ici_fsdp_transpose_parallelism",
                                         "ici_tensor_sequence_parallelism",
                                         "ici_sequence_parallelism",
                                         "interleave_moe_layer_step",
                                         "mlp_bias",
                                         "mtp_num_layers",
                                         "mu_dtype",
                                         "num_layers_per_pipeline_stage",
                                         "num_pipeline_repeats",
                                         "num_slices",
                                         "optimizer_memory_host_offload",
                                         "override_model_config",
                                         "parameter_memory_host_offload",
                                         "partial_rotary_factor",
                                         "routed_bias",
                                         "use_post_attn_norm",
                                         "use_post_ffw_norm",
                                         "use_qk_norm",
                                         "qk_norm"};
  for (const char* block : {"llama2", "mixtral", "deepseek", "gemma", "gemma2", "gemma3", "gpt3", "gpt_oss", "qwen3",
                            "qwen3_moe", "llama4", "olmo3", "mistral", "other"}) {
    std::vector<std::pair<std::string, std::string>> usual = {{"decoder_block", block},
                                                              {"per_device_batch_size", "2"},
                                                              {"base_emb_dim", "1024"},
                                                              {"base_num_decoder_layers", "12"}};
    const std::string_view of = block;
    if (of == "mixtral" || of == "deepseek" || of == "gpt_oss" || of == "qwen3_moe" || of == "llama4")
      usual.insert(usual.end(), {{"num_experts", "8"}, {"num_experts_per_tok", "2"}});
    if (of == "gemma2" || of == "gemma3" || of == "gpt_oss" || of == "olmo3")
      usual.push_back({"sliding_window_size", "512"});
    const auto with = [&](const std::string& other, const std::string& value) {
      std::string file;
      for (const auto& [key, own] : usual)
        if (key != other) file += key + ": " + own + '\n';
      return file + (other.empty() ? "" : other + ": " + value + '\n');
    };
    ask(block, with("", ""));
    for (const std::string& key : keys) {
      for (const char* value : {"0", "1", "2", "-1", "7", "64", "true", "full", "minimal", "int8", "bf16", "float32",
                                "adamw", "16777217", "9e15", "9000000000000001", "offload", "0.25"})
        ask(block, with(key, value));
    }
  }
  CHECK(all.problem("maxtext_files.txt") == "");
}

TEST_CASE("records of runs with one value changed, as they were", "[golden]") {
  digests all;
  std::size_t turn = 0;
  std::map<std::string, int> seen;
  for (const char* file : {"/measured/measured.json", "/measured/measured_2.json"}) {
    const json measured = load_json(std::string(TPUPLAN_DATA_DIR) + file);
    for (const json& record : measured.at("records")) {
      json spelled = record;
      if (record.contains("spelled")) spelled.update(record.at("spelled"));
      const std::string kind = record.value("kind", "none"), id = record.value("id", "none");
      const auto ask = [&](const std::string& change) {
        all.add(kind, id + ' ' + change, [&]() -> std::string {
          if (kind == "training") {
            const training_record run = read_training_record(spelled, "record");
            const step_breakdown step = step_time(run.model, run.job, run.mesh, run.where);
            return golden_number(run.measured.value()) + ' ' + golden_number(step.total.value());
          }
          if (kind == "memory") {
            const serving_memory_record run = read_serving_memory(spelled, "record");
            return golden_number(run.held.value()) + ' ' + golden_number(run.use.high.value());
          }
          const serving_record run = read_serving_record(spelled, "record");
          const serving_prediction time = predict(run);
          return golden_number(run.measured.value()) + ' ' + golden_number(time.time.value());
        });
      };
      ask("as it is");
      if (seen[kind]++ % 16 == 0) each_change(spelled, "", turn, ask);
    }
  }
  CHECK(all.problem("records.txt") == "");
}

}  // namespace golden_files_tests
