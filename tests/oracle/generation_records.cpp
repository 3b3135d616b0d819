// Published times of making images and clips against the estimate: each row with its source left out of the one
// constant that is fitted, what that constant and its band are, and what of the rows is in no fit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lab/generation_records.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace oracle_generation_records_tests {

namespace {

const nlohmann::json& document() {
  static const nlohmann::json all = load_json(TPUPLAN_DATA_DIR "/measured/generation.json");
  return all;
}

std::vector<generation_check> rows_of(generation_role role) {
  std::vector<generation_check> rows = check_generations(document(), "generation.json");
  rows.erase(std::remove_if(rows.begin(), rows.end(), [&](const generation_check& one) { return one.role != role; }),
             rows.end());
  return rows;
}

/// A row of the tables of docs/accuracy.md.
std::string row_of(const generation_check& one) {
  return fmt::format("| {} | {:.4g} s | {:.4g} s | {:.4g} to {:.4g} s | {:+.1f} % |", one.id, one.measured.value(),
                     one.predicted.value(), one.low.value(), one.high.value(),
                     100 * (one.predicted / one.measured - 1));
}

bool near_to(double value, double expected, double tolerance) { return std::abs(value / expected - 1) <= tolerance; }

}  // namespace

TEST_CASE("published generations: the constant, its band, and each row with its source left out") {
  const std::vector<generation_check> rows = rows_of(generation_role::fitted);
  std::set<std::string> sources;
  double low = 1, high = 1;
  fmt::print("| run | measured | predicted, source left out | band | error | error with the shipped constant |\n");
  for (const generation_check& one : rows) {
    INFO(one.id);
    sources.insert(one.source);
    const double ratio = one.measured / one.predicted;
    low = std::min(low, ratio), high = std::max(high, ratio);
    fmt::print("{} {:+.1f} % |\n", row_of(one), 100 * (default_generation.software * one.parts / one.measured - 1));
    CHECK(one.floor < one.measured);
    CHECK(is_inside(one));
  }
  fmt::print("software {:.3f}, seen {:.3f} to {:.3f}\n", software_without(rows, ""), low, high);
  CHECK(near_to(default_generation.software, software_without(rows, ""), 0.005));
  CHECK(default_generation.runs == static_cast<std::int64_t>(rows.size()));
  CHECK(default_generation.sources == static_cast<std::int64_t>(sources.size()));
  // Half as wide again, in logarithms, as what was seen, as for all kinds with fewer than nine sources.
  CHECK(near_to(default_generation.low, std::pow(low, 1.5), 0.02));
  CHECK(near_to(default_generation.high, std::pow(high, 1.5), 0.02));
}

TEST_CASE("published training steps of denoisers lie in a band of a factor of two, with nothing fitted") {
  const std::vector<generation_check> rows = rows_of(generation_role::trained);
  for (const generation_check& one : rows) {
    INFO(one.id);
    fmt::print("{}\n", row_of(one));
    CHECK(is_inside(one));
  }
  CHECK(rows.size() == 5);
}

// docs/accuracy.md, third table: what is in no fit, taken as the record says. Encoders of text and decoders are
// published apart by one source alone, and take longer than the band of a batch.
TEST_CASE("published times whose sources leave something out: as they are taken, in no fit") {
  const std::vector<generation_check> rows = rows_of(generation_role::assumed);
  for (const generation_check& one : rows) {
    INFO(one.id);
    fmt::print("{}\n", row_of(one));
    CHECK_FALSE(one.taken_as.empty());
    const bool apart = one.measures == "text" || one.measures == "decode";
    CHECK(is_inside(one) != apart);
    if (apart) CHECK(near_to(one.measured / one.predicted, one.measures == "text" ? 6.4 : 2.9, 0.02));
  }
  CHECK(rows.size() == 8);
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
