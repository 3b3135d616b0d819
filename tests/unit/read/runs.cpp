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

TEST_CASE("kinds of measurements have names, and keys without meaning are listed") {
  CHECK(name(measured_kind::first_token) == "first_token");
  CHECK(name(measured_kind::step) == "step");
  json record = step(2.4);
  record["clock"] = "raised";
  record["model"]["color"] = "red";
  CHECK(unknown_record_keys({{"records", {record, record}}}) ==
        std::vector<std::string>{"records.clock", "records.model.color"});
  CHECK(refusal_of([] { (void)unknown_record_keys({{"records", 1}}); }).refused);
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
  half.erase("accepted_length");
  REQUIRE(read({half}).skipped.size() == 1);
  CHECK(says(read({half}).skipped[0].second, "accepted_length"));
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
