// What the readers of prices, zones, traces, days and logs make of files in which one value is another: a line for each
// kind of file, as in files.cpp.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/maxtext/log.hpp>
#include <tpuplan/read/prices.hpp>
#include <tpuplan/read/traces.hpp>
#include <tpuplan/read/zones.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/digests.hpp"
#include "support/told.hpp"

using namespace tpuplan;

namespace golden_catalogs_tests {

namespace {

using nlohmann::json;

constexpr std::string_view today = "2026-11-22";

std::string characters_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A document with its first rows alone, of which each is asked for with one value changed.
template <class Read>
void each_row(digests& all, const std::string& group, json document, const char* list, std::size_t most,
              const Read& read) {
  json& rows = document[list];
  if (rows.size() > most) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end());
  const json& file = document;
  const auto ask = [&](const std::string& change) { all.add(group, change, [&] { return read(file); }); };
  std::size_t turn = 0;
  ask("as it is");
  each_change(document, "", turn, ask);
  for (json& row : document[list]) each_change(row, "row.", turn, ask);
  for (json& row : document[list]) {
    for (const auto& entry : row.items()) {
      const json before = entry.value();
      for (const char* other : {"2026-02-30", "2026-13-01", "-1", "0", "1e-3", "1e9", "1e10", "A", "\"E\"", "\"D\"",
                                "[]", "\"us\"", "\"v6e\"", "\"spot\"", "\"2026-02-29\"", "true"}) {
        const json value = json::parse(other, nullptr, false);
        row[entry.key()] = value.is_discarded() ? json(other) : value;
        ask(entry.key() + '=' + other);
      }
      row[entry.key()] = before;
    }
  }
}

/// A table of text with each part of each line in turn replaced by others.
template <class Read>
void each_cell(digests& all, const std::string& group, const std::string& table, const Read& read) {
  const auto ask = [&](const std::string& text) { all.add(group, text, [&] { return read(text); }); };
  ask(table);
  const std::string_view ends = ",:-. \n";
  for (std::size_t from = 0, to = 0; from < table.size(); from = to + 1) {
    to = table.find_first_of(ends, from);
    if (to == std::string::npos) to = table.size();
    for (const char* other : {"",
                              "0",
                              "1",
                              "00",
                              "01",
                              "12",
                              "13",
                              "23",
                              "24",
                              "31",
                              "32",
                              "59",
                              "60",
                              "61",
                              "2100",
                              "2000",
                              "9999",
                              "10000",
                              "1e9",
                              "1e99",
                              "1e-7",
                              "x",
                              "\"",
                              "0.5",
                              "-3",
                              "700.0",
                              "100000000000",
                              "9000000000000001",
                              "99999999999999999999"})
      ask(table.substr(0, from) + other + table.substr(to));
    if (to < table.size()) ask(table.substr(0, to) + table.substr(to + 1));
  }
}

}  // namespace

TEST_CASE("books and catalogs of prices with one value changed, as they were", "[golden]") {
  digests all;
  each_row(all, "prices", load_json(TPUPLAN_DATA_DIR "/prices.json"), "rows", 4,
           [](const json& file) { return told_of(read_prices(file).rows()); });
  each_row(all, "skus", load_json(TPUPLAN_TESTS_DIR "/prices/skus.json"), "skus", 2, [](const json& file) {
    const catalog_prices read = read_billing_catalog(file, today);
    return told_of(read.prices.rows()) + told_of(read.skipped);
  });
  const json whole = load_json(TPUPLAN_TESTS_DIR "/prices/skus.json");
  for (const json& sku : whole.at("skus")) {
    each_row(all, "each sku", {{"skus", {sku}}}, "skus", 1, [](const json& file) {
      const catalog_prices read = read_billing_catalog(file, today);
      return told_of(read.prices.rows()) + told_of(read.skipped);
    });
  }
  each_cell(all, "sky",
            "InstanceType,AcceleratorName,Price,SpotPrice,Region\n,tpu-v6e-16,43.2,22.4528,us-east5\n"
            "ct6e-standard-8t,,21.6,,us-east5\n,tpu-v2-8,4.5,1.35,us-central1\n",
            [](const std::string& text) {
              const catalog_prices read = read_sky_catalog(text, today);
              return told_of(read.prices.rows()) + told_of(read.skipped);
            });
  const catalog_prices sky = read_sky_catalog(characters_of(TPUPLAN_TESTS_DIR "/prices/vms.csv"), today);
  all.add("sky", "whole", [&] { return told_of(sky.prices.rows()) + told_of(sky.skipped); });
  const price_comparison compared = compare_prices(price_book{}, sky.prices.book());
  all.add("compared", "sky", [&] { return told_of(compared); });
  for (const char* date : {"2026-01-31", "2026-08-24", "2026-11-22", "2027-03-01"}) {
    for (const int days : {1, 60, 90, 180}) {
      all.add("old", date, [&] { return told_of(prices_older_than(price_book{}, date, days)); });
    }
  }
  CHECK(all.problem("price_files.txt") == "");
}

TEST_CASE("zones, traces, days and logs with one value changed, as they were", "[golden]") {
  digests all;
  each_row(all, "zones", load_json(TPUPLAN_DATA_DIR "/zones.json"), "rows", 4, [](const json& file) {
    const std::vector<zone_row> rows = read_zones(file, "file");
    std::string said = told_of(rows);
    for (const char* chip : {"v2", "v6e"}) said += told_of(zones_with(rows, chip));
    return said;
  });
  const std::vector<zone_row> known = built_in_zones();
  for (const char* chip : {"v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x"}) {
    for (std::size_t kind = 0; kind < 8 && name(static_cast<provisioning>(kind)) != "?"; ++kind) {
      const provisioning paid = static_cast<provisioning>(kind);
      all.add("known zones", chip, [&] {
        std::string said = told_of(zones_with(known, chip, paid)) + told_of(open_zones_with(known, chip, paid));
        for (const char* region :
             {"us-east5", "us-central1", "us-central2", "europe-west4", "asia-northeast1", "us-east4"})
          said += told_of(offer_in_region(known, region, chip, paid)) + told_of(zones_of_region(known, region));
        return said;
      });
    }
  }
  each_cell(all, "trace",
            "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-29 "
            "23:59:46.680590,374,44\n2024-03-01 00:00:00Z,879,55\n",
            [](const std::string& text) { return told_of(read_trace(text)); });
  each_cell(all, "day", "hour,requests_per_s\n0,10\n1,2.5\n2,4\n",
            [](const std::string& text) { return told_of(read_day(text)); });
  const std::string log = characters_of(TPUPLAN_TESTS_DIR "/cli/plans/maxtext.log");
  each_cell(all, "log", log.substr(0, log.find("completed step: 3")),
            [](const std::string& text) { return told_of(read_maxtext_log(text, "log", {1})); });
  for (const std::size_t warm_up : std::vector<std::size_t>{0, 1, 2, 5, 9})
    all.add("log", "whole", [&] { return told_of(read_maxtext_log(log, "log", {warm_up})); });
  CHECK(all.problem("list_files.txt") == "");
}

}  // namespace golden_catalogs_tests
