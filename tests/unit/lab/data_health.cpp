// What data/ says of its own age, gaps and conflicts: on documents that are made up, and on the files themselves.

#include <algorithm>
#include <lab/data_health.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/prices.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace lab_data_health_tests {
using nlohmann::json;

namespace {

json made_up_chip() {
  return {{"generations",
           {{{"id", "v9"},
             {"fields",
              {{"peak",
                {{"value", 100.0},
                 {"alternatives", {{{"value", 99.0}, {"source", "a page"}}, {{"value", 150}, {"source", "a note"}}}}}},
               {"same", {{"value", 4}, {"alternatives", {{{"value", 4}, {"source", "a page"}}}}}},
               {"shape", {{"value", "2x2"}, {"alternatives", {{{"value", "4x1"}, {"source", "a note"}}}}}},
               {"clock", {{"value", nullptr}, {"state", "unknown"}}},
               {"dram", {{"value", nullptr}}},
               {"cmem", {{"value", nullptr}, {"state", "absent"}}}}}}}}};
}

}  // namespace

TEST_CASE("dates are found wherever they stand") {
  const date_range dates = dates_in({{"read", "2026-11-21"}, {"of", {"page, copy of 2025-09-04", "2025-13-40", 7}}});
  CHECK(dates.oldest == "2025-09-04");
  CHECK(dates.newest == "2026-11-21");
  CHECK(dates_in({{"none", "yesterday"}}).oldest.empty());
}

TEST_CASE("unknown is not absent, and a conflict is another value") {
  const std::vector<unknown_figure> gaps = unknown_figures(made_up_chip());
  REQUIRE(gaps.size() == 2);
  CHECK((gaps[0].chip == "v9" && gaps[0].figure == "clock" && gaps[1].figure == "dram"));
  const std::vector<figure_conflict> conflicts = figure_conflicts(made_up_chip());
  REQUIRE(conflicts.size() == 2);
  CHECK((conflicts[0].figure == "peak" && conflicts[0].used == "100" && conflicts[0].others.size() == 2));
  CHECK(conflicts[0].others[0].difference == Approx(0.01));
  CHECK(conflicts[0].largest == Approx(0.5));
  CHECK((conflicts[1].figure == "shape" && conflicts[1].others[0].difference < 0));
}

TEST_CASE("prices by chip and way of paying, with their ages") {
  const price_row old{"v6e", "us", provisioning::spot, 1, usd_per_hour(1), "2026-06-03"};
  const price_row young{"v6e", "us-east5", provisioning::spot, 1, usd_per_hour(1), "2026-11-12"};
  const std::vector<price_row> rows = {old, young};
  const std::vector<price_group> groups = price_groups({rows.data(), rows.size()}, "2026-11-22");
  CHECK(groups.size() % all_provisioning.size() == 0);
  for (const price_group& group : groups) {
    const bool is_it = group.generation == "v6e" && group.kind == provisioning::spot;
    CHECK(group.rows == (is_it ? 2 : 0));
    if (is_it) CHECK((group.stale == 1 && group.youngest_days == 10 && group.oldest_days == 172));
  }
}

TEST_CASE("the files of data say what they are") {
  const json hardware = load_json(TPUPLAN_DATA_DIR "/hardware.json");
  const std::vector<figure_conflict> conflicts = figure_conflicts(hardware);
  const auto is_known = [](const figure_conflict& one) { return one.chip == "tpu7x" && one.figure == "hbm_bandwidth"; };
  CHECK(std::count_if(conflicts.begin(), conflicts.end(), is_known) == 1);
  CHECK_FALSE(unknown_figures(hardware).empty());
  for (const char* file : {"hardware.json", "prices.json", "gpus.json", "zones.json", "launch.json"}) {
    INFO(file);
    CHECK_FALSE(dates_in(load_json(std::string(TPUPLAN_DATA_DIR "/") + file)).newest.empty());
  }
  const owned_price_book prices = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  std::int64_t rows = 0;
  for (const price_group& group : price_groups(prices.book(), "2026-11-22")) rows += group.rows;
  CHECK(rows == static_cast<std::int64_t>(prices.rows().size()));
}

}  // namespace lab_data_health_tests
