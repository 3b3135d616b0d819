// The table of layouts that have been run is what the published records say, no more and no less.
#include <algorithm>
#include <array>
#include <lab/sources.hpp>
#include <map>
#include <set>
#include <string>
#include <tpuplan/estimate/training/published_layouts.hpp>
#include <tpuplan/read/runs/training.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace estimate_training_published_layouts_tests {

using degrees = std::array<std::int64_t, 4>;

bool covers(const degrees& a, const degrees& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](std::int64_t x, std::int64_t y) { return x >= y; });
}

TEST_CASE("the layouts that have been run are those of the records") {
  std::map<std::string, std::set<degrees>> run, listed;
  std::map<std::string, std::int64_t> most, most_listed;
  int records = 0;
  const nlohmann::json published = open_records(TPUPLAN_DATA_DIR "/measured");
  for (const nlohmann::json& record : published.at("records")) {
    const std::string quality = record.at("quality");
    if (record.at("kind") != "training" || quality > "B") continue;
    const json_object one(record, record.at("id").get<std::string>());
    const layout mesh = detail::record_layout(one, one.positive_count_or("num_slices", 1));
    const chip_spec of = chip_for(one.string("hardware"));
    const std::string chip(of.name.view());
    INFO(record.at("id").get<std::string>());
    CHECK(has_been_run(mesh, of));
    run[chip].insert({mesh.tensor, mesh.expert, mesh.context, mesh.pipeline * mesh.dcn_pipeline});
    most[chip] = std::max(most[chip], slices(mesh));
    ++records;
  }
  CHECK(records > 200);
  for (auto& [chip, all] : run) {
    for (auto one = all.begin(); one != all.end();) {
      const bool is_covered = std::any_of(all.begin(), all.end(),
                                          [&](const degrees& other) { return other != *one && covers(other, *one); });
      one = is_covered ? all.erase(one) : std::next(one);
    }
  }
  for (const published_degrees& one : published_layouts)
    listed[std::string(one.chip)].insert({one.tensor, one.expert, one.context, one.pipeline});
  for (const published_slices& one : most_published_slices) most_listed[std::string(one.chip)] = one.slices;
  CHECK(listed == run);
  CHECK(most_listed == most);
}

// A plan of an 8B may have tensor parallelism over 2 on v6e without a mark: models of that size were trained so.
TEST_CASE("models of 8B were trained with tensor parallelism over 2 on v6e") {
  int runs = 0;
  const nlohmann::json published = open_records(TPUPLAN_DATA_DIR "/measured");
  for (const nlohmann::json& record : published.at("records")) {
    if (record.at("kind") != "training" || record.at("quality").get<std::string>() > "B") continue;
    if (record.at("hardware") != "v6e") continue;
    const training_record one = read_training_record(record, record.at("id").get<std::string>(), false);
    const std::int64_t size = parameters(one.model).total;
    if (one.mesh.tensor == 2 && size > 7000000000 && size < 9000000000) ++runs;
  }
  CHECK(runs >= 4);
}

}  // namespace estimate_training_published_layouts_tests
