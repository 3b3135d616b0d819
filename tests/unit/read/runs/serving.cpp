// Published runs of serving: a record becomes a question, and the estimate for it is that of the functions.
#include <lab/sources.hpp>
#include <string>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/runs/serving.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_runs_serving_tests {
using nlohmann::json;

TEST_CASE("a number is read behind a whole label") {
  CHECK(detail::number_behind("dp8 x tp4", "tp") == 4);
  CHECK(detail::number_behind("tp 16", "tp") == 16);
  CHECK(detail::number_behind("ftp4", "tp") == 0);
  CHECK(detail::number_behind("tp", "tp") == 0);
}

namespace {

json record_named(const std::string& id) {
  static const json document = spelled_records(load_json(TPUPLAN_DATA_DIR "/measured/measured.json"));
  for (const json& each : document.at("records"))
    if (each.at("id") == id) return each;
  return {};
}

}  // namespace

TEST_CASE("cached prompts of a decode record are not computed again, and of a prefill are refused") {
  json record = record_named("sgl-qwen3-32b-v6e-4-c16");
  const seconds whole = predict(read_serving_record(record, "record")).time;
  record["prefix_hit_rate"] = 0.9;
  const serving_record read = read_serving_record(record, "record");
  CHECK(read.job.prefix_hit_rate == 0.9);
  CHECK(predict(read).time < whole);
  record["kind"] = "prefill";
  CHECK(says(refusal_of([&] { (void)read_serving_record(record, "record"); }).message, "record.prefix_hit_rate"));
}

TEST_CASE("a decode record is a question and a time, and its estimate that of the functions") {
  json record = record_named("ptxla-llama-65b-v4-32");
  const serving_record read = read_serving_record(record, "records[0]");
  CHECK(read.question == serving_question::decode_step);
  CHECK(read.batch == 1);
  CHECK(name(read.where) == "v4-32");
  CHECK(close(read.measured.value(), 0.0145));
  const serving_prediction said = predict(read);
  const decode_breakdown step =
      decode_step(read.model, {read.batch, running_context(read.job)}, read.job, read.mesh, read.where);
  CHECK(said.time == step.total);
  CHECK(said.low == step.low);
  CHECK(said.high == step.high);
  record["task"] = "decode plus prefill";
  CHECK(says(refusal_of([&] { (void)read_serving_record(record, "records[0]"); }).message, "records[0].task"));
}

TEST_CASE("an end-to-end record is its prompts and a step for each output token, at the ends of the band too") {
  json record = record_named("ptxla-llama-65b-v4-32");
  record["task"] = "end-to-end";
  record["global_batch"] = 4;
  record["measured"] = {{"latency_s", 20}};
  const serving_record read = read_serving_record(record, "record");
  REQUIRE(read.question == serving_question::end_to_end);
  CHECK(read.measured == 20_s);
  const prefill_breakdown prompts =
      prefill_time(read.model, {4, read.job.prompt.longest}, read.job, read.mesh, read.where);
  const decode_breakdown step =
      decode_step(read.model, {4, running_context(read.job)}, read.job, read.mesh, read.where);
  REQUIRE(read.job.output.mean > 1);
  const serving_prediction said = predict(read);
  CHECK(close(said.time.value(), (prompts.total + read.job.output.mean * step.total).value()));
  CHECK(close(said.low.value(), (prompts.low + read.job.output.mean * step.low).value()));
  CHECK(close(said.high.value(), (prompts.high + read.job.output.mean * step.high).value()));
}

TEST_CASE("a record says how well the program is tuned, or its words and its engine do") {
  const auto read = [](const json& record) { return read_serving_record(record, "record").job.software; };
  CHECK(read(record_named("ptxla-llama-65b-v4-32")) == software_level::general);
  CHECK(read(record_named("pope-62b-decode-b32")) == software_level::tuned);
  json record = record_named("sgl-deepseek2-16b-v6e-4-c8");
  CHECK(read(record) == software_level::general);
  record["notes"] = "TP4, EPMoE backend";
  CHECK(read(record) == software_level::first_port);
  record["software_level"] = "tuned";
  CHECK(read(record) == software_level::tuned);
  record["software_level"] = "quick";
  CHECK(says(refusal_of([&] { (void)read(record); }).message,
             "record.software_level is quick; valid: unnamed, tuned, general or first_port"));
}

TEST_CASE("a memory record of serving says which bytes were measured") {
  json record = record_named("mem-llama-65b-v4-16");
  const serving_memory_record read = read_serving_memory(record, "records[0]");
  CHECK(read.held == read.use.weights);
  CHECK(close(read.held.value(), 1.02 * 65284341760.0 * 2 / 8));
  CHECK(read.whole);
  record["task"] = "weights of something";
  CHECK(says(refusal_of([&] { (void)read_serving_memory(record, "records[0]"); }).message, "records[0].task"));
}

}  // namespace read_runs_serving_tests
