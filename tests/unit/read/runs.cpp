// Files of the caller's own runs: what is read, what is listed, what is refused; calibration files and their constants.
#include <string>
#include <tpuplan/read/runs.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_runs_tests {
using nlohmann::json;

namespace {

json llama() {
  return {{"name", "llama-3-8b"}, {"params_total", 8030261248},
          {"layers", 32},         {"d_model", 4096},
          {"ffn", 14336},         {"heads", 32},
          {"kv_heads", 8},        {"head_dim", 128},
          {"vocab", 128256}};
}

/// As short as a user may write it.
json step(double time, std::int64_t batch = 128) {
  return {{"model", llama()},      {"hardware", "v6e"}, {"chips_total", 64},         {"fsdp", 64},
          {"global_batch", batch}, {"seq_len", 8192},   {"target_step_time_s", time}};
}

json token(double time) {
  return {{"kind", "decode"},   {"model", llama()},  {"hardware", "v6e"},         {"chips_total", 8},
          {"global_batch", 32}, {"input_len", 1024}, {"output_len", 256},         {"replicas", 2},
          {"hosts", 1},         {"engine", "vLLM"},  {"target_step_time_s", time}};
}

measured_runs read(std::vector<json> records) { return read_runs({{"records", std::move(records)}}, "mine.json"); }

}  // namespace

TEST_CASE("a short list of runs is read") {
  json both = step(2.4);
  both["hbm_used_bytes"] = 2.1e10;
  both["dcn_fsdp"] = 1;
  both["spread"] = 0.02;
  both["clock"] = "raised";
  both["model"]["color"] = "red";
  const measured_runs got = read({both, token(0.012), step(1.3, 64)});
  REQUIRE(got.runs.size() == 4);
  CHECK(got.runs[0].id == "run 1");
  CHECK(got.runs[0].kind == measured_kind::step);
  CHECK(got.runs[0].time == 2.4_s);
  CHECK(got.runs[0].spread == 0.02);
  CHECK(got.runs[1].kind == measured_kind::memory);
  CHECK(got.runs[1].peak == bytes{2.1e10});
  CHECK(got.runs[2].kind == measured_kind::token);
  CHECK(got.runs[2].sharding.tensor == 4);  // two replicas share eight devices and 32 sequences
  CHECK(got.runs[2].running == 16);
  CHECK(got.unknown == std::vector<std::string>{"records.clock", "records.model.color"});
  CHECK(got.skipped.empty());
  const measured_runs open = read({{{"model", llama()},
                                    {"hardware", "v6e"},
                                    {"chips_total", 64},
                                    {"fsdp", 64},
                                    {"global_batch", 64},
                                    {"seq_len", 8192}}});
  REQUIRE(open.skipped.size() == 1);
  CHECK(says(open.skipped[0].second, "neither target_step_time_s nor hbm_used_bytes"));
}

TEST_CASE("a run has the images, the source and the masked tokens that train has") {
  const auto record_of = [](json config) {
    json record = step(2.4);
    record.erase("model");
    record["config"] = std::move(config);
    return record;
  };
  const json bert = {{"model_type", "bert"}};
  const measured_runs encoder = read({record_of(bert)});
  REQUIRE(encoder.runs.size() == 1);
  CHECK(encoder.runs[0].job.logits_fraction == masked_share);
  CHECK(encoder.unknown.empty());

  json pictured = record_of({{"model_type", "paligemma"}});
  pictured["images"] = 2, pictured["freeze_vision"] = true;
  const measured_runs seen = read({pictured});
  REQUIRE(seen.runs.size() == 1);
  CHECK(seen.runs[0].job.images_per_sequence == 2);
  CHECK(seen.runs[0].job.freeze_vision);
  CHECK(seen.unknown.empty());

  json pair = record_of({{"model_type", "t5"}});
  pair["source_length"] = 512;
  CHECK(read({pair}).runs.at(0).job.source_length == 512);

  json text = step(2.4);
  text["images"] = 2;
  CHECK(says(read({text}).skipped.at(0).second, "records[0].images is 2; valid: 0 for a model without a vision tower"));
  text.erase("images");
  text["source_length"] = 512;
  CHECK(says(read({text}).skipped.at(0).second, "source_length is 512; valid: 0 but of an encoder and a decoder"));
}

TEST_CASE("a token and a first token of one job are what they were, in whatever order they stand") {
  json prefill = token(0.2);
  prefill["kind"] = "prefill", prefill["global_batch"] = 1;
  prefill.erase("replicas"), prefill.erase("hosts");
  json decode = token(0.03);
  decode.erase("replicas");
  const measured_runs both = read({decode, prefill}), turned = read({prefill, decode});
  REQUIRE(both.runs.size() == 2);
  const measured_run& run = both.runs[0];
  const seconds seen = token_of(run, constants_knowing(both.runs).serving).total;
  CHECK(close(seen.value(), 0.03, 0.02));
  CHECK(seen == token_of(run, constants_knowing(turned.runs).serving).total);
}

TEST_CASE("a token of requests whose answers have no length is left out, and said to be") {
  json open = token(0.012);
  open.erase("output_len");
  const measured_runs got = read({open, token(0.012)});
  REQUIRE(got.runs.size() == 1);
  REQUIRE(got.skipped.size() == 1);
  const own_constants known = constants_knowing(got);
  CHECK(known.serving.own_decode.count == 1);
  CHECK(known.left_out == "run 1 (mine.json.records[0].output_len is missing; valid: the output tokens of a request)");
  CHECK(constants_knowing(read({token(0.012)})).left_out.empty());
  CHECK(says(constants_knowing(read({open, open})).left_out, "run 1 and 1 more (mine.json.records[0]"));
}

TEST_CASE("a calibration has the spread of a run that scatters, and none of others") {
  json scattered = step(2.4);
  scattered["spread"] = 0.02;
  const json document = calibration_document(read({scattered, step(2.5)}).runs);
  CHECK(document["runs"][0]["spread"] == 0.02);
  CHECK_FALSE(document["runs"][1].contains("spread"));
}

TEST_CASE("kinds of measurements have names") {
  CHECK(name(measured_kind::first_token) == "first_token");
  CHECK(name(measured_kind::step) == "step");
}

TEST_CASE("a calibration file is the runs again, and makes the same constants") {
  json both = step(2.4);
  both["hbm_used_bytes"] = 2.1e10;
  const measured_runs got = read({both, token(0.012), step(1.3, 64)});
  const nlohmann::ordered_json file = calibration_document(got.runs);
  const measured_runs again = read_runs(json::parse(file.dump()), "mine.json");
  CHECK(calibration_document(again.runs) == file);
  const own_constants known = constants_knowing(again.runs);
  CHECK(known.training.own.count == 2);
  CHECK(known.serving.own_decode.count == 1);
  CHECK(known.serving.own_prefill.count == 0);
  CHECK(known.memory.count == 1);
  const measured_run& ran = got.runs[0];
  const seconds before = step_time(ran.model, ran.job, ran.mesh, ran.where).total;
  const seconds after = step_time(ran.model, ran.job, ran.mesh, ran.where, known.training).total;
  CHECK((before < 2.4_s ? after > before : after < before));
  const memory_breakdown plain = memory_use(ran.model, ran.job, ran.mesh, ran.where);
  const memory_breakdown drawn = memory_use(ran.model, ran.job, ran.mesh, ran.where, known.memory);
  const bytes peak{2.1e10};
  CHECK(std::abs((drawn.total - peak).value()) < std::abs((plain.total - peak).value()));
  CHECK(drawn.high / drawn.low < plain.high / plain.low);
  CHECK(close((drawn.parameters + drawn.optimizer + drawn.gradients + drawn.activations + drawn.logits +
               drawn.gathered_weights + drawn.workspace)
                  .value(),
              drawn.total.value(), 1e-9));
}

TEST_CASE("runs say what idles, what is drafted, and how their software is") {
  json half = token(0.012);
  half["idle_devices"] = 4, half["replicas"] = 1;
  half["draft_tokens"] = 4, half["accepted_length"] = 3.2, half["draft_cost"] = 0.1;
  json free_drafts = half;
  free_drafts.erase("draft_cost");
  CHECK(read({free_drafts}).runs[0].traffic.speculation.draft_cost == 0);
  json ported = step(2.4);
  ported["software_level"] = "first_port", ported["default_tiles"] = true, ported["attention_kernel"] = "tuned";
  ported["context_balanced"] = false, ported["ring_attention"] = false, ported["first_moment_dtype"] = "bf16";
  const measured_runs got = read({half, ported});
  CHECK(got.unknown.empty());
  CHECK(got.runs[0].sharding.tensor == 4);
  CHECK(got.runs[0].traffic.speculation.draft_tokens == 4);
  CHECK(got.runs[0].traffic.speculation.accepted_length == 3.2);
  CHECK(got.runs[0].traffic.speculation.draft_cost == 0.1);
  CHECK((got.runs[1].job.software == software_level::first_port && got.runs[1].job.default_tiles));
  CHECK((got.runs[1].job.attention == attention_kernel::tuned && got.runs[1].job.first_moment_bf16));
  half["replicas"] = 2;  // of the four that work
  CHECK(read({half}).runs[0].sharding.tensor == 2);
  CHECK(got.runs[0].traffic.prefill_chunk == 2048);  // what its engine takes, as in a question to serve
  CHECK(got.runs[0].traffic.block_tokens == 128);
  half.erase("accepted_length");
  REQUIRE(read({half}).skipped.size() == 1);
  CHECK(says(read({half}).skipped[0].second, "accepted_length"));
}

TEST_CASE("a run is of a config.json, or of the sizes of its model") {
  json by_config = token(0.012), by_sizes = token(0.012);
  by_config.erase("model");
  by_config["config"] = {{"model_type", "qwen3_moe"},    {"num_experts", 128},
                         {"num_experts_per_tok", 8},     {"hidden_size", 2048},
                         {"moe_intermediate_size", 768}, {"num_attention_heads", 32},
                         {"num_key_value_heads", 4},     {"head_dim", 128},
                         {"num_hidden_layers", 48},      {"vocab_size", 151936},
                         {"decoder_sparse_step", 1},     {"mlp_only_layers", json::array()},
                         {"tie_word_embeddings", false}};
  by_sizes["model"] = {{"name", "mine"},      {"params_total", 30.5e9}, {"layers", 48},    {"d_model", 2048},
                       {"heads", 32},         {"kv_heads", 4},          {"head_dim", 128}, {"experts", 128},
                       {"top_k", 8},          {"moe_ffn", 768},         {"vocab", 151936}, {"qk_norm", true},
                       {"norms_per_layer", 2}};
  by_sizes["model"]["params_total"] = 30532122624;
  const measured_runs got = read({by_config, by_sizes});
  REQUIRE(got.runs.size() == 2);
  CHECK(got.unknown.empty());
  CHECK(got.runs[0].model.moe.experts == 128);
  CHECK(got.runs[1].model.mlp.d_ff == 0);  // no layer is dense
  // They are one job: what was measured of one is known of the other.
  const own_constants known = constants_knowing({got.runs[0], got.runs[0], got.runs[0]});
  const measured_run& asked = got.runs[1];
  const token_time time = token_of(asked, known.serving);
  CHECK(close(time.total.value(), 0.012, 0.01));
  CHECK(time.high < 1.07 * time.total);
  by_sizes["model"]["qk_norm"] = false;  // fewer arrays that the host passes: another job
  const measured_run other = read({by_sizes}).runs[0];
  CHECK(token_of(other, known.serving).high > 1.2 * time.total);
  by_sizes["config"] = by_config["config"];
  CHECK(says(refusal_of([&] { (void)read({by_sizes}); }).message, "records[0].model is given beside config"));
}

TEST_CASE("a run of clients is what those of serve measure, of each engine, and saved as it was read") {
  for (const char* engine : {"jetstream", "vllm", "vllm-torchtpu", "sglang-jax", "example"}) {
    for (const std::int64_t clients : {1, 4, 32, 256}) {
      CAPTURE(engine, clients);
      json record = token(0.030);
      record["engine"] = engine, record["replicas"] = 1, record["global_batch"] = clients;
      serving_job job = read({record}).runs.at(0).traffic;
      job.concurrency = clients;
      const measured_run asked = read({record}).runs.at(0);
      const auto served = [&](const own_constants& known) {
        return serve(asked.model, job, asked.sharding, asked.where, known.serving);
      };
      const serving_estimate before = served({});
      record["target_step_time_s"] = before.per_token.total.value();
      const measured_run run = read({record}).runs.at(0);
      CHECK(close(token_of(run, default_serving_calibration).total.value(), before.per_token.total.value(), 1e-9));
      const own_constants known = constants_knowing({run, run, run});
      CHECK(close(served(known).per_token.total.value(), before.per_token.total.value(), 1e-6));
      record["mode"] = "saturated";  // a batch over a rate of tokens, all prompts in it
      record["target_step_time_s"] = 1.2 * static_cast<double>(clients) / before.output_tokens.value();
      const measured_run rate = read({record}).runs.at(0);
      const std::vector<measured_run> saved = read_runs(json(calibration_document({rate, rate, rate})), "saved").runs;
      CHECK(saved.at(0).of_rate);
      CHECK(close(served(constants_knowing(saved)).output_tokens.value(), before.output_tokens.value() / 1.2, 0.03));
    }
  }
}

TEST_CASE("a first token is known whatever is said of the outputs") {
  json record = token(0.1);
  record["kind"] = "prefill", record["global_batch"] = 1;
  for (const char* unused : {"replicas", "hosts", "output_len"}) record.erase(unused);
  measured_run run = read({record}).runs.at(0);
  const own_constants known = constants_knowing({run, run, run});
  const auto first = [&](const own_constants& by) {
    return engine_prefill_time(run.model, run.traffic, run.sharding, run.where, by.serving).value();
  };
  for (const std::int64_t outputs : {1, 256, 4096}) {
    run.traffic.output = fixed_length(outputs);
    CHECK(close(first(known), 0.1, 0.02));
  }
}

TEST_CASE("a run of a config.json has the formats of its checkpoint where it names none") {
  json record = token(0.012);
  record.erase("model");
  record["config"] = load_json(std::string(TPUPLAN_DATA_DIR) + "/models/gpt-oss-20b.json");
  const measured_run run = read({record}).runs.at(0);
  CHECK(run.traffic.weights_by_part.experts == 4.25);
  record["weight_dtype"] = "int8";
  CHECK(read({record}).runs.at(0).traffic.weights == dtype::int8);
  CHECK(read({record}).runs.at(0).traffic.weights_by_part.experts == 0);
}

TEST_CASE("degrees over slices are those of the slices that a run has") {
  json record = step(2.4);
  record["dcn_data"] = 2;
  const auto message = [&] { return refusal_of([&] { (void)read({record}); }).message; };
  CHECK(says(message(), "dcn_data is 2; valid: as many slices as num_slices says, 1"));
  record["num_slices"] = 2, record["chips_total"] = 128;
  CHECK(read({record}).runs.size() == 1);
  record.erase("dcn_data");
  CHECK(says(message(), "num_slices is 2; valid: dcn_data, dcn_fsdp or pipeline over as many slices"));
}

TEST_CASE("a refusal of a run is in the keys of its record") {
  json wrong = step(2.4);
  wrong["global_batch"] = 100;  // over 64 devices
  const refusal got = refusal_of([&] { (void)constants_knowing(read({wrong}).runs); });
  CHECK(says(got.message, "run 1: global_batch is 100"));
}

TEST_CASE("what a record says without effect is refused") {
  const auto refused = [](json record, const char* key, const json& value) {
    record[key] = value;
    return refusal_of([&] {
             const measured_runs got = read({record});
             if (!got.skipped.empty()) throw error(errc::missing_field, "skipped", "", got.skipped[0].second);
           })
        .message;
  };
  CHECK(says(refused(step(2.4), "replicas", 2), "records[0].replicas is given of training"));
  CHECK(says(refused(step(2.4), "idle_devices", 4), "records[0].idle_devices is given of training"));
  CHECK(says(refused(step(2.4), "lora_targets", json::array({"q"})), "records[0].lora_rank is missing"));
  CHECK(says(refused(step(2.4), "frozen_weights_dtype", "int8"), "records[0].lora_rank is missing"));
  CHECK(says(refused(step(2.4), "lora_rank", 16), "records[0].lora_targets is missing; valid: the matrices"));
  CHECK(says(refused(token(0.012), "accepted_length", 3), "records[0].draft_tokens is missing"));
  CHECK(says(refused(token(0.012), "tensor", 8), "records[0].tensor is 8; valid: 4, the devices of a replica"));
  CHECK(refused(token(0.012), "tensor", 4).empty());
  CHECK(says(refused(token(0.012), "engine", "trt-llm"), "records[0].engine is trt-llm; valid: unnamed, jetstream"));
  json other = token(0.012);
  other["engine"] = "torch_tpu";
  CHECK(read({other}).runs[0].traffic.engine == serving_engine::vllm_torch_tpu);
  other["engine"] = "vLLM 0.12 (tpu-inference)";
  CHECK(read({other}).runs[0].traffic.engine == serving_engine::vllm);
}

TEST_CASE("runs that cannot be right are refused by record and field") {
  struct wrong {
    json record;
    std::string_view part;
  };
  const auto changed = [](json record, const char* key, const json& value) {
    record[key] = value;
    return record;
  };
  const wrong cases[] = {
      {changed(step(2), "target_step_time_s", -1), "mine.json.records[0].target_step_time_s is -1"},
      {changed(step(2), "target_step_time_s", "2 s"), "target_step_time_s is \"2 s\""},
      {changed(step(2), "hardware", "v9"), "hardware is v9"},
      {changed(step(2), "chips_total", 63), "chips_total is 63"},
      {changed(step(2), "remat", "most"), "remat is most; valid: custom, partial, offload, full, save_context"},
      {changed(step(2), "kind", "guess"), "kind is guess; valid: training, memory, decode or prefill"},
      {changed(step(2), "spread", 7), "spread is 7; valid: 0 to 1"},
      {changed(step(2), "hosts", 3), "hosts is 3"},
      {changed(step(2), "model", 3), "model is number"},
      {changed(token(2), "replicas", 3), "replicas is 3; valid: a divisor of the devices"},
      {changed(token(2), "idle_devices", 3), "idle_devices is 3; valid: what a divisor of the 8 devices"},
      {changed(token(2), "idle_devices", 8), "idle_devices is 8; valid: what a divisor of the 8 devices"},
      {json(3), "records[0] is number; valid: an object"}};
  for (const wrong& one : cases) {
    const refusal got = refusal_of([&] { (void)read({one.record}); });
    INFO(one.record.dump() << " : " << got.message);
    CHECK(got.refused);
    CHECK(says(got.message, one.part));
  }
  CHECK(says(refusal_of([] { (void)read_runs(json{{"type", "plan"}}, "x"); }).message, "x.type is plan; valid: calib"));
  CHECK(says(refusal_of([] { (void)read_runs(json{{"runs", 1}}, "x"); }).message, "x.records is missing"));
  const refusal off = refusal_of([] { (void)constants_knowing(read({step(1e6)}).runs); });
  CHECK(says(off.message, "run 1: target_step_time_s is 1000000"));
  CHECK(says(off.message, "valid: within a factor of 148 of what is estimated, "));
  CHECK_FALSE(says(off.message, "run run 1"));
  const std::vector<json> many(21, step(2.4));
  const std::string too_many = refusal_of([&] { (void)constants_knowing(read(many).runs); }).message;
  CHECK(says(too_many, "tpuplan: runs is 21 or more of one kind, with "));
  CHECK(says(too_many, "; valid: at most 20 of a kind"));
}

}  // namespace read_runs_tests
