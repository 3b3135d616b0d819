// Price files of the caller: what is read, and what is refused by row and field.

#include <limits>
#include <string>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/prices.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_prices_tests {
using nlohmann::json;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

json good_row() {
  return {{"generation", "v5p"},      {"region", "us-east5"}, {"provisioning", "spot"},    {"smallest_chips", 1},
          {"usd_per_chip_hour", 1.1}, {"date", "2026-11-21"}, {"date_qualifier", "exact"}, {"grade", "B"},
          {"source", "an invoice"}};
}

json document_of(const std::vector<json>& rows) { return {{"rows", rows}}; }

json with_field(const char* key, const json& value) {
  json row = good_row();
  row[key] = value;
  return document_of({row});
}

json without_field(const char* key) {
  json row = good_row();
  row.erase(key);
  return document_of({row});
}

}  // namespace

TEST_CASE("a price file of the caller") {
  const owned_price_book owned = read_prices(document_of({good_row()}));
  const price_row& row = owned.rows().at(0);
  CHECK((row.generation == "v5p" && row.region == "us-east5" && row.kind == provisioning::spot));
  CHECK((row.smallest_chips == 1 && row.per_chip == usd_per_hour(1.1) && row.date == "2026-11-21"));
  CHECK((row.qualifier == date_qualifier::exact && row.grade == 'B'));
  CHECK(owned.source(0) == "an invoice");
  CHECK(find_price(owned.book(), "v5p", "us-east5", provisioning::spot, 4)->per_chip == usd_per_hour(1.10));
  const owned_price_book published = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  CHECK(find_price(published.book(), "v3", "us", provisioning::spot, 16)->per_chip == usd_per_hour(0.60));
  // What has a default may be left out.
  json least = good_row();
  for (const char* key : {"smallest_chips", "date_qualifier", "grade", "source"}) least.erase(key);
  const owned_price_book defaults = read_prices(document_of({least}), "mine.json");
  CHECK(defaults.rows()[0].smallest_chips == 1);
  CHECK(defaults.rows()[0].qualifier == date_qualifier::exact);
  CHECK(defaults.rows()[0].grade == 'A');
  CHECK(defaults.source(0) == "mine.json");
}

TEST_CASE("price documents that are wrong are refused with row and field") {
  struct row {
    const char* what;
    json document;
    errc code;
    const char* says;
  };
  json twice = good_row();
  json other_case = good_row();
  other_case["generation"] = "V5P";
  other_case["region"] = "US-EAST5";
  const std::vector<row> rows = {
      {"a list", json::array({good_row()}), errc::malformed_input, "prices is array"},
      {"null", json(nullptr), errc::malformed_input, "prices is null"},
      {"nothing in it", json::object(), errc::missing_field, "prices.rows"},
      {"no rows", document_of({}), errc::malformed_input, "prices.rows"},
      {"rows are an object", {{"rows", json::object()}}, errc::malformed_input, "prices.rows"},
      {"rows are null", {{"rows", nullptr}}, errc::missing_field, "prices.rows"},
      {"a row is a number", document_of({1}), errc::malformed_input, "prices.rows[0]"},
      {"the second row is text", document_of({good_row(), "v5p"}), errc::malformed_input, "prices.rows[1]"},
      {"no generation", without_field("generation"), errc::missing_field, "prices.rows[0].generation"},
      {"no region", without_field("region"), errc::missing_field, "prices.rows[0].region"},
      {"no kind", without_field("provisioning"), errc::missing_field, "prices.rows[0].provisioning"},
      {"a chip of nobody", with_field("generation", "v55p"), errc::unknown_name,
       "prices.rows[0].generation is v55p; valid: a chip of the table, or one of the caller's"},
      {"no price", without_field("usd_per_chip_hour"), errc::missing_field, "prices.rows[0].usd_per_chip_hour"},
      {"no date", without_field("date"), errc::missing_field, "prices.rows[0].date"},
      {"date is null", with_field("date", nullptr), errc::missing_field, "prices.rows[0].date"},
      {"date is empty", with_field("date", ""), errc::malformed_input, "prices.rows[0].date"},
      {"date is a number", with_field("date", 20261121), errc::malformed_input, "prices.rows[0].date"},
      {"date in words", with_field("date", "last week"), errc::malformed_input, "prices.rows[0].date"},
      {"date with slashes", with_field("date", "2026/11/21"), errc::malformed_input, "prices.rows[0].date"},
      {"date with signs", with_field("date", "+026-11-21"), errc::malformed_input, "prices.rows[0].date"},
      {"month 00", with_field("date", "2026-00-21"), errc::malformed_input, "prices.rows[0].date"},
      {"day 32", with_field("date", "2026-11-32"), errc::malformed_input, "prices.rows[0].date"},
      {"date and time", with_field("date", "2026-11-21T00:00"), errc::out_of_range, "prices.rows[0].date"},
      {"generation is a number", with_field("generation", 5), errc::malformed_input, "prices.rows[0].generation"},
      {"generation is too long", with_field("generation", std::string(25, 'v')), errc::out_of_range,
       "prices.rows[0].generation"},
      {"region of 33 characters", with_field("region", std::string(33, 'r')), errc::out_of_range,
       "prices.rows[0].region"},
      {"date with a digit more", with_field("date", "2026-11-210"), errc::out_of_range, "prices.rows[0].date"},
      {"region is too long", with_field("region", std::string(100000, 'r')), errc::out_of_range,
       "prices.rows[0].region"},
      {"empty generation", with_field("generation", ""), errc::missing_field, "prices.rows[0].generation"},
      {"empty region", with_field("region", ""), errc::missing_field, "prices.rows[0].region"},
      {"nothing a second", with_field("usd_per_chip_hour", 4.9e-324), errc::out_of_range,
       "prices.rows[0].usd_per_chip_hour"},
      {"price is text", with_field("usd_per_chip_hour", "1.1"), errc::malformed_input,
       "prices.rows[0].usd_per_chip_hour"},
      {"price is a list", with_field("usd_per_chip_hour", json::array({1})), errc::malformed_input,
       "prices.rows[0].usd_per_chip_hour"},
      {"price is true", with_field("usd_per_chip_hour", true), errc::malformed_input,
       "prices.rows[0].usd_per_chip_hour"},
      {"negative price", with_field("usd_per_chip_hour", -1.1), errc::invalid_argument,
       "prices.rows[0].usd_per_chip_hour"},
      {"free", with_field("usd_per_chip_hour", 0), errc::missing_field, "prices.rows[0].usd_per_chip_hour"},
      {"minus nothing", with_field("usd_per_chip_hour", -0.0), errc::missing_field, "prices.rows[0].usd_per_chip_hour"},
      {"infinite", with_field("usd_per_chip_hour", infinity), errc::not_finite, "prices.rows[0].usd_per_chip_hour"},
      {"unknown kind", with_field("provisioning", "preemptible"), errc::unknown_name, "prices.rows[0].provisioning"},
      {"kind is a number", with_field("provisioning", 1), errc::malformed_input, "prices.rows[0].provisioning"},
      {"for 0 chips", with_field("smallest_chips", 0), errc::missing_field, "prices.rows[0].smallest_chips"},
      {"for -4 chips", with_field("smallest_chips", -4), errc::invalid_argument, "prices.rows[0].smallest_chips"},
      {"for 1.5 chips", with_field("smallest_chips", 1.5), errc::malformed_input, "prices.rows[0].smallest_chips"},
      {"for 2^64 - 1 chips", with_field("smallest_chips", std::numeric_limits<std::uint64_t>::max()),
       errc::out_of_range, "prices.rows[0].smallest_chips"},
      {"unknown qualifier", with_field("date_qualifier", "perhaps"), errc::unknown_name,
       "prices.rows[0].date_qualifier"},
      {"undated", with_field("date_qualifier", "undated"), errc::unknown_name, "prices.rows[0].date_qualifier"},
      {"unknown grade", with_field("grade", "E"), errc::unknown_name, "prices.rows[0].grade"},
      {"long grade", with_field("grade", "AA"), errc::unknown_name, "prices.rows[0].grade"},
      {"source is a number", with_field("source", 7), errc::malformed_input, "prices.rows[0].source"},
      {"a misspelt key", with_field("smalest_chips", 256), errc::unknown_name,
       "prices.rows[0].smalest_chips is not a key; valid: generation, region, provisioning, smallest_chips"},
      {"an unknown key beside the rows", {{"rows", {good_row()}}, {"extra", 1}}, errc::unknown_name, "prices.extra"},
      {"another schema",
       {{"rows", {good_row()}}, {"schema", "prices/9"}},
       errc::unsupported,
       "prices.schema is prices/9; valid: tpuplan-prices/1"},
      {"another currency",
       {{"rows", {good_row()}}, {"currency", "EUR"}},
       errc::unsupported,
       "prices.currency is EUR; valid: USD"},
      {"a later schema", {{"rows", {good_row()}}, {"schema", "tpuplan-prices/10"}}, errc::unsupported, "prices.schema"},
      {"a longer currency", {{"rows", {good_row()}}, {"currency", "USDT"}}, errc::unsupported, "prices.currency"},
      {"a longer unit", {{"rows", {good_row()}}, {"unit", "per chip and hours"}}, errc::unsupported, "prices.unit"},
      {"a terminal's colours", with_field("region", "\x1b[31mred"), errc::malformed_input,
       "prices.rows[0].region is ?[31mred"},
      {"another unit",
       {{"rows", {good_row()}}, {"unit", "per slice and month"}},
       errc::unsupported,
       "prices.unit is per slice and month; valid: per chip and hour"},
      {"a number for a currency", {{"rows", {good_row()}}, {"currency", 1}}, errc::malformed_input, "prices.currency"},
      {"the same row twice", document_of({good_row(), twice}), errc::malformed_input, "prices.rows[1]"},
      {"the same row in capitals", document_of({good_row(), other_case}), errc::malformed_input, "prices.rows[1]"},
  };
  for (const row& r : rows) {
    INFO(r.what);
    const refusal got = refusal_of([&] { (void)read_prices(r.document); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == r.code);
    CHECK(says(got.message, r.says));
  }
}

TEST_CASE("text that is not one JSON document within the limits is refused") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const std::vector<std::string> wrong = {"",
                                          " ",
                                          "{",
                                          "}",
                                          "{\"rows\": [}",
                                          "[1,]",
                                          "nul",
                                          "1 2",
                                          "{} {}",
                                          "'a'",
                                          "NaN",
                                          "{\"a\": 1e999}",
                                          "\"\xff\"",
                                          "[1e99999]",
                                          nested(66),
                                          std::string(10000000, '['),
                                          std::string("{}\0", 3),
                                          std::string("{}\0 and more", 11)};
  for (const std::string& text : wrong) {
    INFO(text.substr(0, 20) << " (" << text.size() << " bytes)");
    const refusal got = refusal_of([&] { (void)parse_json(text, "prices.json"); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == errc::malformed_input);
    CHECK(says(got.message, "prices.json"));
  }
  CHECK_FALSE(refusal_of([&] { (void)parse_json(nested(64), "prices.json"); }).refused);
  json_limits small;
  small.bytes = 10;
  CHECK_FALSE(refusal_of([&] { (void)parse_json("[1,2,3,44]", "prices.json", small); }).refused);
  CHECK(refusal_of([&] { (void)parse_json("[1,2,3,444]", "prices.json", small); }).code == errc::malformed_input);
  // A price that does not fit a number is none, not infinity.
  CHECK(refusal_of([] { (void)read_prices(parse_json("{\"rows\":[{\"usd_per_chip_hour\":1e400}]}", "p")); }).refused);
}

TEST_CASE("files that cannot be read are refused by name") {
  for (const char* path : {"", "no such file.json", TPUPLAN_DATA_DIR, TPUPLAN_DATA_DIR "/", "/dev/null",
                           TPUPLAN_DATA_DIR "/prices.json/rows"}) {
    INFO(path);
    const refusal got = refusal_of([&] { (void)load_prices(path); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == errc::malformed_input);
  }
  CHECK(says(refusal_of([] { (void)load_prices("no such file.json"); }).message, "no such file.json"));
  json_limits small;
  small.bytes = 1000;
  CHECK(refusal_of([&] { (void)load_json(TPUPLAN_DATA_DIR "/prices.json", small); }).code == errc::malformed_input);
  // Another kind of file.
  CHECK(says(refusal_of([] { (void)load_prices(TPUPLAN_DATA_DIR "/hardware.json"); }).message, "rows"));
}

// ---- what a run costs

TEST_CASE("a file may have prices of the caller's chips where these are given") {
  chip_spec mine = v6e;
  mine.name = "mine";
  const json of_mine = with_field("generation", "Mine");
  CHECK(refusal_of([&] { (void)read_prices(of_mine); }).code == errc::unknown_name);
  CHECK(read_prices(of_mine, "prices", {v6e, mine}).rows().size() == 1);
}

TEST_CASE("a book without rows is not the built-in one") {
  const owned_price_book none({}, {});
  CHECK(none.book().size() == 0);
}

}  // namespace read_prices_tests
