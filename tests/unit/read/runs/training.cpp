// Published runs: every record of the data is read, and wrong ones are refused with the record's path and the field.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <lab/exceptions.hpp>
#include <lab/sources.hpp>
#include <limits>
#include <string>
#include <string_view>
#include <tpuplan/base/equal.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/runs/training.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_runs_training_tests {
using nlohmann::json;

namespace {

json good_record() {
  return {{"id", "a-run"},
          {"family", "tests"},
          {"quality", "B"},
          {"hardware", "v5p"},
          {"chips_total", 64},
          {"num_slices", 1},
          {"global_batch", 128},
          {"seq_len", 4096},
          {"data", 1},
          {"fsdp", 64},
          {"tensor", 1},
          {"expert", 1},
          {"pipeline", 1},
          {"context", 1},
          {"dcn_data", 1},
          {"degrees_count", "chips"},
          {"remat", "full"},
          {"remat_detail", ""},
          {"offload_inputs", false},
          {"compute_dtype", "bf16"},
          {"grad_accumulation", 1},
          {"capacity_factor", 1.0},
          {"synchronous_collectives", false},
          {"flop_multiplier", 1},
          {"optimizer", "adamw"},
          {"attention", "causal"},
          {"target_step_time_s", 2.5},
          {"in_domain", true},
          {"model",
           {{"name", "llama-3-8b"},
            {"layers", 32},
            {"d_model", 4096},
            {"heads", 32},
            {"kv_heads", 8},
            {"head_dim", 128},
            {"ffn", 14336},
            {"ffn_matrices", 3},
            {"vocab", 128256},
            {"tied_embeddings", false},
            {"params_total", 8030261248},
            {"params_active_matmul", 7504924672}}}};
}

json changed(const char* pointer, const json& value) {
  json record = good_record();
  record[json::json_pointer(pointer)] = value;
  return record;
}

json without(const char* object, const char* key) {
  json record = good_record();
  (*object == '\0' ? record : record[object]).erase(key);
  return record;
}

}  // namespace

TEST_CASE("adapters of a record train on its frozen base") {
  json record = good_record();
  record["lora_rank"] = 16;
  record["lora_targets"] = {"q", "v"};
  record["frozen_weights_dtype"] = "int8";
  record["optimizer"] = "adamh";
  const training_record run = read_training_record(record, "record");
  CHECK(run.job.lora_rank == 16);
  CHECK((run.job.lora.q && run.job.lora.v && !run.job.lora.k && !run.job.lora.down));
  CHECK(run.job.frozen_weights == dtype::int8);
  CHECK(run.job.optimizer == optimizer_kind::adamh);
  record["lora_targets"] = {"q", "router"};
  CHECK(says(refusal_of([&] { (void)read_training_record(record, "record"); }).message, "record.lora_targets"));
}

TEST_CASE("examples of a record that are packed into windows make as many sequences as there are windows") {
  json record = good_record();
  record["global_batch"] = 3072;
  record["examples_per_window"] = 2;
  CHECK(read_training_record(record, "record").job.global_batch == 1536);
  record["examples_per_window"] = 2.4;
  CHECK(read_training_record(record, "record").job.global_batch == 1280);
  CHECK(read_training_record(record, "record").job.sequence_length == 4096);
  record["examples_per_window"] = 0.5;
  const std::string message = refusal_of([&] { (void)read_training_record(record, "record"); }).message;
  CHECK(says(message, "record.examples_per_window"));
  CHECK(says(message, "1 to the examples of a step"));
}

TEST_CASE("a record becomes a question") {
  const training_record r = read_training_record(good_record(), "records[3]");
  CHECK(r.id == "a-run");
  CHECK(r.family == "tests");
  CHECK(r.quality == "B");
  CHECK(r.in_domain);
  CHECK(r.measured == 2.5_s);
  CHECK(name(r.where) == "v5p-128");
  CHECK(r.model.name == "llama-3-8b");
  CHECK(r.model.layers == 32);
  CHECK(r.model.attention.kv_heads == 8);
  CHECK(r.model.mlp.gated);
  CHECK(parameters(r.model).total == 8030261248);
  CHECK(r.job.global_batch == 128);
  CHECK(r.job.sequence_length == 4096);
  CHECK(r.job.remat == remat::full);
  CHECK(r.job.logits_fraction == 1);
  CHECK(r.mesh.fsdp == 64);
  CHECK(r.mesh.unit == mesh_unit::chips);
  CHECK(step_time(r.model, r.job, r.mesh, r.where).total > 0_s);
}

TEST_CASE("fields that a record may leave out have defaults") {
  json least = good_record();
  for (const char* key : {"num_slices", "pipeline", "context", "dcn_data", "degrees_count", "remat_detail",
                          "offload_inputs", "grad_accumulation", "capacity_factor", "synchronous_collectives",
                          "flop_multiplier", "optimizer", "attention", "in_domain"}) {
    least.erase(key);
  }
  const training_record r = read_training_record(least, "r");
  CHECK_FALSE(r.in_domain);
  CHECK(r.mesh.unit == mesh_unit::devices);
  CHECK(slices(r.mesh) == 1);
  CHECK(r.job.gradient_accumulation == 1);
  CHECK(r.job.optimizer == optimizer_kind::adamw);
}

TEST_CASE("what the words of a record mean") {
  struct row {
    const char* remat;
    const char* detail;
    bool offload;
    remat_policy expected;
  };
  remat_policy inputs_on_host = remat::full;
  inputs_on_host.layer_input = placement::host;
  for (const row& r : {row{"full", "", false, remat::full},
                       {"none", "", false, remat::none},
                       {"minimal", "", false, remat::minimal},
                       {"offload", "dots", false, remat::minimal_offloaded},
                       {"partial", "qkv", false, remat::qkv_proj_offloaded},
                       {"partial", "nowi", false, remat::save_dot_except_mlpwi},
                       {"partial", "attn", false, remat::save_dot_with_context_except_mlp},
                       {"partial", "ctx", false, remat::save_context},
                       {"full", "", true, inputs_on_host}}) {
    INFO(r.remat << " " << r.detail);
    json record = good_record();
    record["remat"] = r.remat;
    record["remat_detail"] = r.detail;
    record["offload_inputs"] = r.offload;
    CHECK(read_training_record(record, "r").job.remat == r.expected);
  }
  CHECK(read_training_record(changed("/attention", "bidirectional"), "r").job.logits_fraction == 0.15);
  // Pipelines over slices: one stage a slice.
  json stages = good_record();
  stages["chips_total"] = 256;
  stages["num_slices"] = 4;
  stages["pipeline"] = 4;
  const training_record r = read_training_record(stages, "r");
  CHECK(r.mesh.pipeline == 1);
  CHECK(r.mesh.dcn_pipeline == 4);
  CHECK(chips(r.where) == 64);
  // A model that is known by its size alone.
  json nominal = good_record();
  nominal["model"] = {{"name", "unknown"}, {"vocab", 32000}, {"params_total", 20e9}};
  const transformer m = read_training_record(nominal, "r").model;
  CHECK(m.layers == 47);  // cube root of 20e9 / (12 x 128^2) is 46.67
  CHECK(std::abs(12.0 * static_cast<double>(m.layers * m.d_model * m.d_model) / 20e9 - 1) < 0.001);
}

TEST_CASE("a record says how its sequences are shared, which kernel ran and how well the program was tuned") {
  json record = good_record();
  const auto job_with = [&record](const char* key, const json& value) {
    json with = record;
    with[key] = value;
    return read_training_record(with, "r").job;
  };
  record["context"] = 4;
  CHECK(read_training_record(record, "r").job.context_balanced);  // the default of the framework
  CHECK_FALSE(job_with("notes", "One sequence, no load balancing.").context_balanced);
  CHECK_FALSE(job_with("context_balanced", false).context_balanced);
  CHECK(job_with("ring_attention", true).ring_attention);
  CHECK(job_with("default_tiles", true).default_tiles);
  CHECK(job_with("attention_kernel", "tuned").attention == attention_kernel::tuned);
  CHECK(job_with("attention_kernel", "jax splash, autotuned blocks").attention == attention_kernel::tuned);
  CHECK(job_with("attention_kernel", "jax splash").attention == attention_kernel::flash);
  CHECK(job_with("attention_kernel", "none: scores in HBM").attention == attention_kernel::unfused);
  CHECK(job_with("software", "jax 0.9 (own trainer)").software == software_level::general);
  CHECK(job_with("software_level", "first_port").software == software_level::first_port);
  CHECK(job_with("source", "a blog").software == software_level::unnamed);
  CHECK(job_with("source", "MLPerf Training 4.0").software == software_level::tuned);
  CHECK(job_with("source", "a blog, after tuning of MaxText").software == software_level::tuned);
  const refusal got = refusal_of([&] { (void)job_with("software_level", "old"); });
  CHECK(says(got.message, "software_level is old; valid: unnamed, tuned, general or first_port"));
}

TEST_CASE("a custom policy says where each tensor is") {
  json record = good_record();
  record["remat"] = "custom";
  record["remat_tensors"] = {{"decoder_layer_input", "offload"}, {"out_proj", "device"}, {"qkv_proj", "offload"}};
  const remat_policy read = read_training_record(record, "r").job.remat;
  CHECK(read.layer_input == placement::host);
  CHECK(read.qkv == placement::host);
  CHECK(read.out_proj == placement::device);
  CHECK(read.context == placement::recompute);
  CHECK(read.mlp_up == placement::recompute);
  CHECK(read.attention_again);
  record["remat_tensors"] = json::object();
  CHECK(read_training_record(record, "r").job.remat == remat::full);
  record["remat_tensors"] = {{"context", "device"}};
  CHECK(read_training_record(record, "r").job.remat == remat::save_context);
  for (const auto& [tensors, place] : {std::pair{json{{"out_proj", "disk"}}, "remat_tensors.out_proj"},
                                       std::pair{json{{"decoder_layer_input", "remat"}}, "decoder_layer_input"},
                                       std::pair{json{{"embedding", "device"}}, "remat_tensors.embedding"}}) {
    record["remat_tensors"] = tensors;
    INFO(place);
    CHECK(says(refusal_of([&] { (void)read_training_record(record, "r"); }).message, place));
  }
}

TEST_CASE("wrong records are refused with path and field") {
  struct row {
    const char* what;
    json record;
    errc code;
    const char* field;
  };
  const auto number_limit = std::numeric_limits<std::uint64_t>::max();
  std::vector<row> rows = {
      {"not an object", json::array(), errc::malformed_input, "records[3]"},
      {"null", json(nullptr), errc::malformed_input, "records[3]"},
      {"negative time", changed("/target_step_time_s", -2.5), errc::invalid_argument, "records[3].target_step_time_s"},
      {"no time at all", changed("/target_step_time_s", 0), errc::invalid_argument, "records[3].target_step_time_s"},
      {"hardly a time", changed("/target_step_time_s", 4.9e-324), errc::out_of_range, "records[3].target_step_time_s"},
      {"time without end", changed("/target_step_time_s", 1.7e308), errc::out_of_range,
       "records[3].target_step_time_s"},
      {"null time", changed("/target_step_time_s", nullptr), errc::missing_field, "records[3].target_step_time_s"},
      {"NaN time", changed("/target_step_time_s", std::numeric_limits<double>::quiet_NaN()), errc::not_finite,
       "records[3].target_step_time_s"},
      {"time in words", changed("/target_step_time_s", "2.5 s"), errc::malformed_input,
       "records[3].target_step_time_s"},
      {"0 chips", changed("/chips_total", 0), errc::invalid_argument, "records[3].chips_total"},
      {"-64 chips", changed("/chips_total", -64), errc::invalid_argument, "records[3].chips_total"},
      {"65 chips", changed("/chips_total", 65), errc::unknown_name, "records[3].chips_total"},
      {"10^12 chips", changed("/chips_total", 1000000000000), errc::unknown_name, "records[3].chips_total"},
      {"2^64 - 1 chips", changed("/chips_total", number_limit), errc::out_of_range, "records[3].chips_total"},
      {"half a chip", changed("/chips_total", 0.5), errc::malformed_input, "records[3].chips_total"},
      {"chips in words", changed("/chips_total", "64"), errc::malformed_input, "records[3].chips_total"},
      {"0 slices", changed("/num_slices", 0), errc::invalid_argument, "records[3].num_slices"},
      {"-1 slices", changed("/num_slices", -1), errc::invalid_argument, "records[3].num_slices"},
      {"3 slices of 64 chips", changed("/num_slices", 3), errc::not_divisible, "records[3].chips_total"},
      {"unknown chip", changed("/hardware", "v9"), errc::unknown_name, "records[3].hardware is v9"},
      {"hardware is a number", changed("/hardware", 5), errc::malformed_input, "records[3].hardware"},
      {"unknown format", changed("/compute_dtype", "bf15"), errc::unknown_name, "records[3].compute_dtype is bf15"},
      {"unknown policy", changed("/remat", "some"), errc::unknown_name, "records[3].remat"},
      {"unknown detail", changed("/remat", "partial"), errc::unknown_name, "records[3].remat"},
      {"unknown optimizer", changed("/optimizer", "adamax"), errc::unknown_name, "records[3].optimizer"},
      {"optimizer is a list", changed("/optimizer", json::array()), errc::malformed_input, "records[3].optimizer"},
      {"a flag in words", changed("/in_domain", "yes"), errc::malformed_input, "records[3].in_domain"},
      {"a flag as number", changed("/synchronous_collectives", 1), errc::malformed_input,
       "records[3].synchronous_collectives"},
      {"batch of 1.5", changed("/global_batch", 1.5), errc::malformed_input, "records[3].global_batch"},
      {"batch is true", changed("/global_batch", true), errc::malformed_input, "records[3].global_batch"},
      {"degree in words", changed("/fsdp", "all"), errc::malformed_input, "records[3].fsdp"},
      {"model is text", changed("/model", "llama-3-8b"), errc::malformed_input, "records[3].model"},
      {"layers in words", changed("/model/layers", "many"), errc::malformed_input, "records[3].model.layers"},
      {"vocabulary is a list", changed("/model/vocab", json::array({1})), errc::malformed_input,
       "records[3].model.vocab"},
      {"name is a number", changed("/model/name", 8), errc::malformed_input, "records[3].model.name"},
      {"mla is a number", changed("/model/mla", 8), errc::malformed_input, "records[3].model.mla"},
      {"half of mla", changed("/model/mla", {{"q_lora", 1536}}), errc::missing_field, "records[3].model.mla.kv_lora"},
      {"half of gated_delta", changed("/model/gated_delta", {{"layers", 3}}), errc::missing_field,
       "records[3].model.gated_delta.value_heads"},
      {"another key of gated_delta", changed("/model/gated_delta", {{"heads", 3}}), errc::unknown_name,
       "records[3].model.gated_delta.heads"},
      {"experts without number", changed("/model/experts", 8), errc::missing_field, "records[3].model.top_k"},
  };
  for (const char* key : {"id", "family", "quality", "hardware", "chips_total", "global_batch", "seq_len", "data",
                          "fsdp", "tensor", "expert", "remat", "compute_dtype", "target_step_time_s", "model"}) {
    rows.push_back({"missing", without("", key), errc::missing_field, key});
  }
  for (const char* key : {"name", "d_model", "heads", "kv_heads", "ffn", "vocab", "params_total"}) {
    rows.push_back({"missing", without("model", key), errc::missing_field, key});
  }
  json experts = changed("/model/experts", 8);
  experts["model"]["top_k"] = 2;
  experts["model"]["moe_ffn"] = 14336;
  experts["model"]["moe_every"] = 0;
  rows.push_back({"experts in every 0th layer", experts, errc::invalid_argument, "records[3].model.moe_every"});
  for (const row& r : rows) {
    INFO(r.field << ": " << r.what);
    const refusal got = refusal_of([&] { (void)read_training_record(r.record, "records[3]"); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == r.code);
    CHECK(says(got.message, r.field));
    CHECK(says(got.message, "records[3]"));
  }
}

TEST_CASE("records whose mesh is impossible are refused when they are asked for a time") {
  struct row {
    const char* what;
    json record;
    const char* field;
  };
  for (const row& r : {row{"mesh of 32 on 64 chips", changed("/fsdp", 32), "product of the layout's degrees"},
                       {"0-way FSDP", changed("/fsdp", 0), "records[3].fsdp"},
                       {"-1-way tensor", changed("/tensor", -1), "records[3].tensor"},
                       {"batch of 100", changed("/global_batch", 100), "training_job.global_batch"},
                       {"no batch", changed("/global_batch", 0), "records[3].global_batch"},
                       {"negative sequence", changed("/seq_len", -1), "records[3].seq_len"},
                       {"3 KV heads of 32", changed("/model/kv_heads", 3), "model.attention.kv_heads"},
                       {"no layers", changed("/model/layers", 0), "records[3].model.layers"},
                       {"negative parameters", changed("/model/params_total", -1), "records[3].model.params_total"},
                       {"no accumulation", changed("/grad_accumulation", 0), "records[3].grad_accumulation"},
                       {"negative capacity", changed("/capacity_factor", -1), "training_job.capacity_factor"}}) {
    INFO(r.what);
    const refusal got = refusal_of([&] {
      const training_record record = read_training_record(r.record, "records[3]");
      (void)step_time(record.model, record.job, record.mesh, record.where);
    });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, r.field));
  }
}

TEST_CASE("a model known by its size alone is refused where the size cannot be") {
  for (const double size : {0.0, -1e9, 1e300}) {
    INFO(size);
    json record = good_record();
    record["model"] = {{"name", "unknown"}, {"vocab", 32000}, {"params_total", size}};
    const refusal got = refusal_of([&] {
      const training_record read = read_training_record(record, "records[3]");
      (void)step_time(read.model, read.job, read.mesh, read.where);
    });
    INFO(got.message);
    CHECK(got.refused);
  }
}

TEST_CASE("every record of the data that is a training run is read or says why not") {
  const json file = spelled_records(load_json(TPUPLAN_DATA_DIR "/measured/measured.json"));
  std::size_t read = 0;
  std::size_t in_domain = 0;
  for (const json& record : file.at("records")) {
    if (record.at("kind") != "training") continue;
    const std::string id = record.at("id").get<std::string>();
    INFO(id);
    training_record result;
    const refusal got = refusal_of([&] { result = read_training_record(record, id); });
    if (got.refused) {
      INFO(got.message);
      CHECK_FALSE(record.at("in_domain").get<bool>());
      CHECK(says(got.message, "tpuplan: "));
      continue;
    }
    ++read;
    CHECK(result.id == id);
    if (!result.in_domain) continue;
    ++in_domain;
    CHECK(chips(result.where) * record.at("num_slices").get<std::int64_t>() ==
          record.at("chips_total").get<std::int64_t>());
    CHECK(tokens_per_step(result.job) == record.at("tokens_per_step").get<std::int64_t>());
  }
  CHECK(in_domain >= 99);
  CHECK(read >= in_domain);
}

TEST_CASE("exceptions are read whole or refused by field") {
  const json good = {{"id", "a-run"}, {"not_judged", "used_bytes"}, {"reason", "a sum"}, {"source", "its log"}};
  const auto listed = [](const json& entries) { return json{{"exceptions", entries}}; };
  const std::vector<record_exception> list = read_exceptions(listed(json::array({good})), "list");
  REQUIRE(list.size() == 1);
  CHECK(list[0].id == "a-run");
  CHECK(list[0].what == not_judged::used_bytes);
  CHECK(list[0].reason == "a sum");
  CHECK(list[0].source == "its log");
  struct row {
    json document;
    errc code;
    const char* says;
  };
  std::vector<row> rows = {
      {json::array(), errc::malformed_input, "list is array"},
      {json::object(), errc::missing_field, "list.exceptions is missing"},
      {listed("all"), errc::malformed_input, "list.exceptions is string"},
      {listed(json::array({"a-run"})), errc::malformed_input, "list.exceptions[0] is string"},
      {listed(json::array({good, good})), errc::invalid_argument, "list.exceptions[1].id is a-run"}};
  for (const char* key : {"id", "not_judged", "reason", "source"}) {
    json entry = good;
    entry.erase(key);
    rows.push_back({listed(json::array({entry})), errc::missing_field, key});
    entry[key] = 5;
    rows.push_back({listed(json::array({entry})), errc::malformed_input, key});
  }
  json other = good;
  other["not_judged"] = "time";
  rows.push_back({listed(json::array({other})), errc::unknown_name, "verdict, used_bytes or all_but_state"});
  for (const row& r : rows) {
    const refusal got = refusal_of([&] { (void)read_exceptions(r.document, "list"); });
    INFO(got.message);
    CHECK(got.code == r.code);
    CHECK(says(got.message, r.says));
  }
}

TEST_CASE("a shape with a window has it in all layers unless it says in which share of them") {
  transformer model;
  model.layers = 32;
  json shape = {{"heads", 32}, {"kv_heads", 8}, {"window", 4096}};
  detail::fill_attention(model, json_object{shape, "shape"});
  CHECK(model.attention.local_layers == 32);
  shape["local_ratio"] = 0.8;
  detail::fill_attention(model, json_object{shape, "shape"});
  CHECK(model.attention.local_layers == 26);
}

TEST_CASE("a record of Qwen3.5 has the layers of linear attention that its published file has") {
  const json records = load_json(TPUPLAN_DATA_DIR "/measured/measured_3.json").at("records");
  const auto qwen = std::find_if(records.begin(), records.end(), [](const json& one) {
    return one.at("family") == "qwen3.5-hybrid" && one.value("structured", false);
  });
  REQUIRE(qwen != records.end());
  const recurrent_spec read = detail::record_model(json_object{qwen->at("model"), "model"}).recurrent;
  const json file = load_json(TPUPLAN_DATA_DIR "/models/qwen3.5-397b-a17b.json");
  CHECK(read == read_hf_config(file, "qwen3.5").model.recurrent);
  CHECK(read.layers == 45);
}

}  // namespace read_runs_training_tests
