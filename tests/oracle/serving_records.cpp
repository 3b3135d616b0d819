// The serving estimates against published runs, and against the reference implementation of the model.
#include <cmath>
#include <lab/serving_fit.hpp>
#include <lab/validation.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace {

const nlohmann::json& records() {
  static const nlohmann::json document = load_json(TPUPLAN_DATA_DIR "/measured/measured.json");
  return document;
}

// The published constants of the reference implementation.
serving_calibration reference_constants() {
  serving_calibration c;
  c.weight_stream = 0.83;
  c.cache_stream = 0.50;
  c.decode_mxu = 0.56;
  c.decode_collectives = 1.15;
  c.layer_latency = 2.4e-5_s;
  c.prefill_mxu = 0.735;
  c.prefill_collectives = 0.75;
  c.engine_prefill = 2.25;
  return c;
}

/// The rate into a chip of a replica in the reference: one axis up to two chips, two below 64, then all; rings close in
/// cubes of 64 chips, and in pods of 256 where there are two axes.
bytes_per_second reference_links(const slice& where, double replica_chips) {
  const auto axes = static_cast<double>(where.chip.ici.axes);
  const double spanned = replica_chips <= 2 ? 1 : replica_chips < 64 ? 2 : axes;
  const bool rings = replica_chips >= (where.chip.ici.axes == 2 ? 256 : 64);
  return ici_axis_both_ways(where.chip) * (rings ? 1 : 0.5) * (spanned < axes ? spanned : axes);
}

struct left_out_summary {
  error_summary errors;
  double inside = 0;
};

// What is left out is predicted by constants that were fitted without its family; the rates of saturated engines are
// predicted so too, but never fitted.
left_out_summary left_out(const char* kind) {
  const std::vector<serving_record> runs = serving_runs(records(), kind);
  std::vector<double> errors;
  double inside = 0;
  const std::vector<left_out_run> list = leave_families_out(runs);
  for (std::size_t i = 0; i < list.size(); ++i) {
    errors.push_back(list[i].error);
    for (const serving_record& run : runs) {
      if (run.id != list[i].id) continue;
      const double band = predict(run).band;
      if (1 / (1 + band) <= run.measured / list[i].predicted && run.measured / list[i].predicted <= 1 / (1 - band))
        inside += 1;
    }
  }
  left_out_summary result{summary_of(errors), 0};
  result.inside = inside / static_cast<double>(errors.size());
  return result;
}

}  // namespace

TEST_CASE("decode steps and prefills of the reference implementation") {
  std::map<std::string, nlohmann::json> by_id;
  for (const nlohmann::json& record : records().at("records")) by_id[record.at("id").get<std::string>()] = record;
  const nlohmann::json reference = load_json(TPUPLAN_DATA_DIR "/oracles/reference_serving.json");
  REQUIRE(reference.at("rows").size() == 23);
  for (const nlohmann::json& row : reference.at("rows")) {
    const std::string id = row.at("id").get<std::string>();
    INFO(id);
    const serving_record run = read_serving_record(by_id.at(id), id);
    serving_calibration constants = reference_constants();
    const detail::replica one = detail::replica_of(run.mesh, run.where);
    if (one.chips > 1) {  // the reference has links by the number of chips; the time of a collective is in proportion
      const double other_links = one.links / reference_links(run.where, one.chips);
      constants.decode_collectives *= other_links;
      constants.prefill_collectives *= other_links;
    }
    const double said = predict(run, constants).time.value();
    CHECK(std::abs(said / row.at("seconds").get<double>() - 1) < 1e-3);
  }
}

TEST_CASE("serving families that were left out are predicted within 10 % median in decode and 17 % in prefill") {
  const left_out_summary decode = left_out("decode");
  CHECK(decode.errors.records >= 22);
  CHECK(decode.errors.median < 0.10);
  CHECK(decode.errors.p90 < 0.15);
  CHECK(decode.inside >= 0.9);
  const left_out_summary prefill = left_out("prefill");
  CHECK(prefill.errors.records >= 14);
  CHECK(prefill.errors.median < 0.17);
  CHECK(prefill.errors.p90 < 0.27);
  CHECK(prefill.inside >= 0.9);
  CHECK(detail::prefill_band <= 1.25 * prefill.errors.p90);
}

TEST_CASE("the rates of saturated engines, which are in no fit") {
  std::vector<double> errors;
  double inside = 0;
  for (const record_check& check : check_records(records(), "measured.json")) {
    if (check.type != "saturated" || check.quality == "C" || check.skipped) continue;
    INFO(check.id);
    errors.push_back(*check.error);
    if (*check.low <= *check.measured && *check.measured <= *check.high) inside += 1;
  }
  REQUIRE(errors.size() >= 11);
  const error_summary summary = summary_of(errors);
  CHECK(summary.median < 0.25);
  CHECK(inside / static_cast<double>(errors.size()) >= 0.7);
}

TEST_CASE("batches from the first prompt to the last token, which are in no fit") {
  std::size_t seen = 0;
  for (const record_check& check : check_records(records(), "measured.json")) {
    if (check.type != "end to end" || check.skipped) continue;
    INFO(check.id << " " << *check.error);
    ++seen;
    CHECK(std::abs(*check.error) < 0.35);
  }
  CHECK(seen >= 5);
}

TEST_CASE("at most a tenth of the training and memory records of quality A and B are skipped") {
  double all = 0, skipped = 0;
  for (const record_check& check : check_records(records(), "measured.json")) {
    if (check.quality == "C" || (check.kind != "training" && check.kind != "memory")) continue;
    all += 1;
    skipped += check.skipped ? 1 : 0;
  }
  CHECK(all >= 170);
  CHECK(skipped <= 0.1 * all);
}

TEST_CASE("verdicts and bytes of serving records") {
  std::size_t judged = 0, skipped = 0;
  for (const record_check& check : check_records(records(), "measured.json")) {
    if (check.kind != "memory" || check.type.rfind("serving", 0) != 0) continue;
    INFO(check.id);
    if (check.skipped) {
      ++skipped;
      continue;
    }
    if (check.type != "serving weights" && check.type != "serving weights+kv") {
      CHECK(check.memory_skipped);  // a pool that the engine sized
      continue;
    }
    ++judged;
    REQUIRE(check.fit);
    REQUIRE(check.fitted);
    // None is wrong; "uncertain" is left only where the batch fills the memory.
    CHECK((*check.fit == verdict::yes) <= *check.fitted);
    CHECK((*check.fit == verdict::no) <= !*check.fitted);
    if (check.measured_used) CHECK(std::abs(*check.used / *check.measured_used - 1) < 0.03);
  }
  CHECK(judged >= 13);
  CHECK(skipped == 0);
}

TEST_CASE("the largest contexts of Pope et al. fill the 30 % of HBM that they reserved") {
  std::size_t seen = 0;
  for (const record_check& check : check_records(records(), "measured.json")) {
    if (check.type != "kv cache capacity" || check.skipped) continue;
    INFO(check.id);
    ++seen;
    CHECK(std::abs(in_gib(*check.used) / (0.3 * 32) - 1) < 0.02);
  }
  CHECK(seen >= 4);
}

TEST_CASE("both formats of the records give the same") {
  const nlohmann::json spelled = load_json(TPUPLAN_DATA_DIR "/measured/structured.json");
  std::map<std::string, double> said;
  for (const record_check& check : check_records(spelled, "structured.json")) {
    if (check.error && check.kind != "training") said[check.id] = check.predicted->value();
  }
  CHECK(said.size() == 35);
  for (const record_check& check : check_records(records(), "measured.json")) {
    if (said.count(check.id) == 0) continue;
    INFO(check.id);
    CHECK(std::abs(check.predicted->value() / said.at(check.id) - 1) < 1e-9);
  }
}

TEST_CASE("serving records that cannot be right are errors with their id") {
  nlohmann::json record;
  for (const nlohmann::json& one : records().at("records")) {
    if (one.at("id") == "sgl-qwen3-32b-v6e-4-c16") record = one;
  }
  const auto refused = [&](const char* pointer, const nlohmann::json& value, const char* says) {
    nlohmann::json broken = record;
    broken[nlohmann::json::json_pointer(pointer)] = value;
    try {
      (void)check_records({{"records", nlohmann::json::array({broken})}}, "file");
      FAIL_CHECK("accepted " << pointer);
    } catch (const error& problem) {
      INFO(problem.what());
      CHECK(std::string(problem.what()).find(says) != std::string::npos);
      CHECK(std::string(problem.what()).find("sgl-qwen3-32b-v6e-4-c16") != std::string::npos);
    }
  };
  refused("/measured/decode_step_ms", -1, "decode_step_ms");
  refused("/measured/decode_step_ms", 1e-320, "decode_step_ms");
  refused("/chips_total", 0, "chips_total");
  refused("/chips_total", -4, "chips_total");
  refused("/input_len", -1, "input_len");
  refused("/input_len", "many", "input_len");
  refused("/model/layers", -3, "layers");
  refused("/measured", 7, "measured");
}
