// Published times of making images and clips against the estimate: each row with its source left out of the one
// constant that is fitted, what that constant and its band are, and what of the rows is in no fit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tpuplan/ask/generate.hpp>
#include <tpuplan/estimate/generation/training.hpp>
#include <tpuplan/json/file.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace oracle_generation_records_tests {

namespace {

const nlohmann::json& document() {
  static const nlohmann::json all = load_json(TPUPLAN_DATA_DIR "/measured/generation.json");
  return all;
}

struct row {
  std::string id, source;
  double measured = 0, parts = 0;  // seconds: as published, and the parts of the estimate without a fitted factor
  double floor = 0;
};

/// The repository of a source: "owner/name#12" and "owner/name README" are one.
std::string repository(const std::string& source) { return source.substr(0, source.find_first_of("# ")); }

generation_layout layout_in(const nlohmann::json& record) {
  const nlohmann::json given = record.at("layout");
  generation_layout mesh;
  mesh.data = given.value("data", std::int64_t{1}), mesh.fsdp = given.value("fsdp", std::int64_t{1});
  mesh.tensor = given.value("tensor", std::int64_t{1}), mesh.context = given.value("context", std::int64_t{1});
  if (given.contains("exchange")) mesh.exchange = *parse_context_exchange(given.at("exchange").get<std::string>());
  return mesh;
}

row predicted(const nlohmann::json& record) {
  std::vector<assumption> read;
  const diffusion_pipeline pipeline =
      read_pipeline(document().at("pipelines").at(record.at("pipeline").get<std::string>()), read);
  picture_size size = detail::size_of_words(record.at("size").get<std::string>(), "size");
  size.frames = record.at("frames").get<std::int64_t>();
  generation_job job;
  job.batch = record.at("batch").get<std::int64_t>(), job.steps = record.at("steps").get<std::int64_t>();
  job.forwards = record.at("forwards").get<std::int64_t>();
  generation_calibration none;
  none.software = 1;
  const generation_time time = generation_time_of(work_of(pipeline, size), job, layout_in(record),
                                                  slice_for(record.at("slice").get<std::string>()), none);
  return {record.at("id").get<std::string>(), repository(record.at("source").get<std::string>()),
          record.at("time_s").get<double>(), time.total.value(), time.floor.value()};
}

std::vector<row> usable_rows() {
  std::vector<row> rows;
  for (const nlohmann::json& record : document().at("records")) {
    if (!record.contains("unusable") && record.at("kind") == "generation") rows.push_back(predicted(record));
  }
  return rows;
}

/// The median of measured over estimated times, in logarithms, of rows that do not come from that source.
double fitted_without(const std::vector<row>& rows, const std::string& source) {
  std::vector<double> logs;
  for (const row& one : rows) {
    if (one.source != source) logs.push_back(std::log(one.measured / one.parts));
  }
  std::sort(logs.begin(), logs.end());
  const std::size_t half = logs.size() / 2;
  return std::exp(logs.size() % 2 == 1 ? logs[half] : (logs[half - 1] + logs[half]) / 2);
}

bool near_to(double value, double expected, double tolerance) { return std::abs(value / expected - 1) <= tolerance; }

}  // namespace

TEST_CASE("published generations: the constant, its band, and each row with its source left out") {
  const std::vector<row> rows = usable_rows();
  std::set<std::string> sources;
  double low = 1, high = 1;
  std::string table;
  for (const row& one : rows) {
    INFO(one.id);
    sources.insert(one.source);
    const double left_out = fitted_without(rows, one.source) * one.parts, ratio = one.measured / left_out;
    low = std::min(low, ratio), high = std::max(high, ratio);
    table += fmt::format("| {} | {:.4g} s | {:.4g} s | {:.4g} to {:.4g} s | {:+.1f} % | {:+.1f} % |\n", one.id,
                         one.measured, left_out, default_generation.low * left_out, default_generation.high * left_out,
                         100 * (1 / ratio - 1), 100 * (default_generation.software * one.parts / one.measured - 1));
    CHECK(one.floor < one.measured);
    CHECK(default_generation.low * left_out <= one.measured);
    CHECK(one.measured <= default_generation.high * left_out);
  }
  fmt::print("| run | measured | predicted, source left out | band | error | error with the shipped constant |\n{}",
             table);
  fmt::print("software {:.3f}, seen {:.3f} to {:.3f}\n", fitted_without(rows, ""), low, high);
  CHECK(near_to(default_generation.software, fitted_without(rows, ""), 0.005));
  CHECK(default_generation.runs == static_cast<std::int64_t>(rows.size()));
  CHECK(default_generation.sources == static_cast<std::int64_t>(sources.size()));
  // Half as wide again, in logarithms, as what was seen, as for all kinds with fewer than nine sources.
  CHECK(near_to(default_generation.low, std::pow(low, 1.5), 0.02));
  CHECK(near_to(default_generation.high, std::pow(high, 1.5), 0.02));
}

TEST_CASE("published training steps of denoisers lie in a band of a factor of two, with nothing fitted") {
  std::size_t rows = 0;
  for (const nlohmann::json& record : document().at("records")) {
    if (record.contains("unusable") || record.at("kind") != "training") continue;
    INFO(record.at("id").get<std::string>());
    std::vector<assumption> read;
    const diffusion_pipeline pipeline =
        read_pipeline(document().at("pipelines").at(record.at("pipeline").get<std::string>()), read);
    picture_size size = detail::size_of_words(record.at("size").get<std::string>(), "size");
    size.frames = record.at("frames").get<std::int64_t>();
    diffusion_training_job job;
    job.global_batch = record.at("batch").get<std::int64_t>();
    job.recompute = record.at("layout").value("recompute", true);
    const diffusion_step step =
        step_time(work_of(pipeline, size), job, layout_in(record), slice_for(record.at("slice").get<std::string>()));
    const double measured = record.at("time_s").get<double>();
    fmt::print("| {} | {:.4g} s | {:.4g} s | {:.4g} to {:.4g} s | {:+.1f} % |\n", record.at("id").get<std::string>(),
               measured, step.total.value(), step.low.value(), step.high.value(),
               100 * (step.total.value() / measured - 1));
    CHECK(step.low.value() <= measured);
    CHECK(measured <= step.high.value());
    ++rows;
  }
  CHECK(rows == 5);
}

TEST_CASE("a record of generation that is in no fit says why, and each has a source") {
  std::size_t unusable = 0;
  std::set<std::string> ids, chips;
  for (const nlohmann::json& record : document().at("records")) {
    INFO(record.at("id").get<std::string>());
    CHECK(ids.insert(record.at("id").get<std::string>()).second);
    CHECK(record.at("time_s").get<double>() > 0);
    CHECK(record.at("source").get<std::string>().find('/') != std::string::npos);
    CHECK_FALSE(record.at("published").get<std::string>().empty());
    if (record.contains("unusable")) {
      ++unusable;
      CHECK_FALSE(record.at("unusable").get<std::string>().empty());
    } else if (record.at("kind") == "generation") {
      chips.insert(std::string(slice_for(record.at("slice").get<std::string>()).chip.name.view()));
    }
  }
  CHECK(ids.size() == 25);
  CHECK(unusable == 8);
  for (const chip_spec& chip : generations)
    CHECK(detail::has_generation_runs(chip) == (chips.count(std::string(chip.name.view())) == 1));
}

}  // namespace oracle_generation_records_tests
