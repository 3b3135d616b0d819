// Catalogs of prices that others keep: what is read of SkyPilot's vms.csv and of Google's SKUs, what is refused by row
// and field, and what changed against another book. The catalogs are made up.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/prices.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_prices_catalog_tests {
using nlohmann::json;

namespace {

constexpr std::string_view today = "2026-11-22";

double hourly(const price_book& book, std::string_view chip, std::string_view region, provisioning kind,
              std::int64_t chips = 1) {
  const maybe<price_row> row = find_price(book, chip, region, kind, chips);
  return row ? in_usd_per_hour(row->per_chip) : 0;
}

std::string replaced(std::string text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  return text.replace(at, before.size(), after);
}

std::string sky_text() {
  std::ifstream in(TPUPLAN_TESTS_DIR "/prices/vms.csv", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("cells in quotes hold commas, line feeds and doubled quotes") {
  using rows = std::vector<std::vector<std::string>>;
  CHECK(detail::csv_rows("a,\"b,\"\"c\"\"\nd\"\n", "file") == rows{{"a", "b,\"c\"\nd"}});
  const std::string_view cut = "\"a\"\"b";  // ends behind the second quote
  CHECK(detail::csv_rows(cut.substr(0, 3), "file") == rows{{"a"}});
}

TEST_CASE("SkyPilot's catalog: slices become chips, sizes become rows") {
  const catalog_prices catalog = load_price_catalog(TPUPLAN_TESTS_DIR "/prices/vms.csv", today);
  const price_book book = catalog.prices.book();
  CHECK(hourly(book, "v6e", "us-east5", provisioning::on_demand, 256) == Approx(2.7));
  CHECK(hourly(book, "v6e", "us-east5", provisioning::spot, 256) == Approx(1.4033));
  CHECK(hourly(book, "v2", "us-central1", provisioning::on_demand) == Approx(1.125));
  CHECK(hourly(book, "v2", "us-central1", provisioning::on_demand, 16) == Approx(1.5));
  CHECK(hourly(book, "tpu7x", "us-central1", provisioning::on_demand) == Approx(12));
  CHECK(hourly(book, "v5p", "us-east5", provisioning::spot) == 0);         // an empty cell
  CHECK(hourly(book, "v6e", "asia-east1", provisioning::on_demand) == 0);  // a hidden price
  CHECK(book.size() == 9);  // two of v6e in us-east5, one in us-west8, v5p, tpu7x, and four of v2
  CHECK(book.row(0).date == today);
  REQUIRE(catalog.skipped.size() == 1);
  CHECK(says(catalog.skipped[0], "row 12: tpu-v9-8: no slice of that name"));
}

TEST_CASE("Google's SKUs: wordings become ways of paying") {
  const catalog_prices catalog = load_price_catalog(TPUPLAN_TESTS_DIR "/prices/skus.json", today);
  const price_book book = catalog.prices.book();
  CHECK(hourly(book, "v6e", "us-east5", provisioning::on_demand) == Approx(2.7));
  CHECK(hourly(book, "v6e", "us-east5", provisioning::spot) == Approx(1.4033));
  CHECK(hourly(book, "v6e", "us-east5", provisioning::flex_start) == Approx(1.35));
  CHECK(hourly(book, "v6e", "us-east5", provisioning::calendar) == Approx(1.89));
  CHECK(hourly(book, "v5p", "europe-west4", provisioning::commitment_3y) == Approx(1.911));
  for (const char* region : {"us-central1", "us-east1", "us-west1"})
    CHECK(hourly(book, "tpu7x", region, provisioning::on_demand) == Approx(12));
  CHECK(book.size() == 8);
  REQUIRE(catalog.skipped.size() == 1);
  CHECK(says(catalog.skipped[0], "Capacity Optimized TpuV6e"));
  // The list alone is read as the document is.
  const json list = load_json(TPUPLAN_TESTS_DIR "/prices/skus.json").at("skus");
  CHECK(read_billing_catalog(list, today).prices.rows().size() == 8);
}

TEST_CASE("prices of a catalog go to a billion dollars an hour, and chips have names of their own") {
  CHECK(detail::catalog_price("Price", "1e9") == 1e9);
  CHECK(refusal_of([] { (void)detail::catalog_price("Price", "1.001e9"); }).code == errc::malformed_input);
  CHECK(refusal_of([] { (void)detail::catalog_price("Price", "-0.1"); }).code == errc::malformed_input);
  CHECK(detail::catalog_price("Price", "0") == 0);
  CHECK(detail::catalog_price("Price", "700.0") == 0);  // hidden
  CHECK(detail::sku_chip("TpuV6e").view() == "v6e");
  CHECK(detail::sku_chip("7x").view() == "tpu7x");
  CHECK(detail::sku_chip("").view().empty());
  CHECK(detail::sku_chip("/7x").view().empty());
  CHECK(detail::sku_chip("Tpu").view().empty());
}

TEST_CASE("a catalog that a spreadsheet wrote is the same catalog") {
  const catalog_prices marked = read_sky_catalog("\xEF\xBB\xBF" + sky_text(), today);
  CHECK(marked.prices.rows().size() == read_sky_catalog(sky_text(), today).prices.rows().size());
  const refusal got = refusal_of([] { (void)read_billing_catalog(json::array(), today); });
  CHECK(says(got.message, "is empty; valid: a list of SKUs"));
}

TEST_CASE("a malformed catalog of SkyPilot is refused by row and column") {
  struct row {
    const char* before;
    const char* after;
    errc code;
    const char* says;
  };
  for (const row& one : {
           row{"SpotPrice", "Spot", errc::missing_field, "without the column SpotPrice"},
           row{"Region", "Place", errc::missing_field, "without the column Region"},
           row{"43.2,22.4528,us-east5,us-east5-a", "43.2,22.4528,us-east5", errc::malformed_input,
               "row 4 is 9 columns"},
           row{"43.2,", "dear,", errc::malformed_input, "row 4 Price is dear"},
           row{"43.2,", "-43.2,", errc::malformed_input, "row 4 Price is -43.2"},
           row{"43.2,", "nan,", errc::malformed_input, "row 4 Price is nan"},
           row{"43.2,", "1e99,", errc::malformed_input, "row 4 Price is 1e99"},
           row{"43.2,", "0x2,", errc::malformed_input, "row 4 Price is 0x2"},
           row{"22.4528,", "22.4528$,", errc::malformed_input, "row 4 SpotPrice"},
           row{"us-east5,us-east5-b", "$(id),us-east5-b", errc::malformed_input, "row 5 Region is $(id)"},
           row{"us-east5,us-east5-b", ",us-east5-b", errc::malformed_input, "row 5 Region"},
           row{"tpu-v6e-16,43.2", "\"tpu-v6e-16,43.2", errc::malformed_input, "an open quote"},
       }) {
    INFO(one.after);
    const std::string text = replaced(sky_text(), one.before, one.after);
    const refusal got = refusal_of([&] { (void)read_sky_catalog(text, today); });
    INFO(got.message);
    CHECK(got.code == one.code);
    CHECK(says(got.message, one.says));
  }
  CHECK(refusal_of([] { (void)read_sky_catalog("", today); }).code == errc::malformed_input);
  const std::string head = sky_text().substr(0, sky_text().find('\n') + 1);
  CHECK(says(refusal_of([&] { (void)read_sky_catalog(head, today); }).message, "without prices of TPUs"));
  CHECK(says(refusal_of([] { (void)read_sky_catalog(sky_text(), "yesterday"); }).message, "date of the catalog"));
  CHECK(says(refusal_of([] { (void)load_price_catalog("nowhere.csv", today); }).message, "nowhere.csv"));
}

TEST_CASE("malformed SKUs are refused by place and field") {
  const json good = load_json(TPUPLAN_TESTS_DIR "/prices/skus.json");
  struct row {
    plain_call<void(json&)> change;
    errc code;
    const char* says;
  };
  const auto price = [](json& d) -> json& { return d["skus"][0]["pricingInfo"][0]["pricingExpression"]; };
  const auto unit = [&](json& d) -> json& { return price(d)["tieredRates"][0]["unitPrice"]; };
  const std::vector<row> rows = {
      {[](json& d) { d = 1; }, errc::malformed_input, "skus is number"},
      {[](json& d) { d["skus"] = json::array(); }, errc::malformed_input, "a list of SKUs"},
      {[](json& d) { d.erase("skus"); }, errc::missing_field, "skus.skus"},
      {[](json& d) { d["skus"][1] = "TPU7x"; }, errc::malformed_input, "skus[1]"},
      {[](json& d) { d["skus"][0].erase("description"); }, errc::missing_field, "skus[0].description"},
      {[](json& d) { d["skus"][0]["description"] = 7; }, errc::malformed_input, "skus[0].description"},
      {[](json& d) { d["skus"][0].erase("pricingInfo"); }, errc::missing_field, "skus[0].pricingInfo"},
      {[](json& d) { d["skus"][0]["pricingInfo"] = json::array(); }, errc::malformed_input, "skus[0].pricingInfo"},
      {[&](json& d) { price(d)["usageUnit"] = "mo"; }, errc::unsupported, "usageUnit is mo"},
      {[&](json& d) { price(d)["tieredRates"].push_back(price(d)["tieredRates"][0]); }, errc::unsupported, "2 rates"},
      {[&](json& d) { unit(d)["currencyCode"] = "EUR"; }, errc::unsupported, "currencyCode is EUR"},
      {[&](json& d) { unit(d)["units"] = "-2"; }, errc::malformed_input, "units is -2"},
      {[&](json& d) { unit(d)["units"] = "two"; }, errc::malformed_input, "units is two"},
      {[&](json& d) { unit(d)["nanos"] = 1000000000; }, errc::out_of_range, "nanos"},
      {[](json& d) { d["skus"][0]["serviceRegions"] = json::array(); }, errc::malformed_input, "serviceRegions"},
      {[](json& d) { d["skus"][0]["serviceRegions"][0] = "US EAST"; }, errc::malformed_input, "US EAST"},
      {[](json& d) { d["skus"][0]["serviceRegions"][0] = 5; }, errc::malformed_input, "serviceRegions is 5"},
  };
  for (const row& one : rows) {
    json document = good;
    one.change(document);
    const refusal got = refusal_of([&] { (void)read_billing_catalog(document, today); });
    INFO(one.says << " / " << got.message);
    CHECK(got.code == one.code);
    CHECK(says(got.message, one.says));
  }
  json free = good;
  free["skus"][0]["pricingInfo"][0]["pricingExpression"]["tieredRates"][0]["unitPrice"] = {{"units", "0"}};
  CHECK(says(read_billing_catalog(free, today).skipped.at(0), "no price"));
}

TEST_CASE("a price of a SKU is that of any slice of its chip") {
  const catalog_prices catalog = load_price_catalog(TPUPLAN_TESTS_DIR "/prices/skus.json", today);
  REQUIRE_FALSE(catalog.prices.rows().empty());
  for (const price_row& row : catalog.prices.rows()) CHECK(row.smallest_chips == 1);
}

TEST_CASE("a newer book is compared with an older one") {
  const owned_price_book ours = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  const price_book before = ours.book();
  const price_comparison none = compare_prices(before, before);
  CHECK((none.changed.empty() && none.added.empty() && none.missing.empty()));
  CHECK(none.unchanged == static_cast<std::int64_t>(before.size()));
  const price_book after = before.with("v6e", "us", provisioning::on_demand, usd_per_hour(3), today);
  const price_comparison one = compare_prices(before, after);
  bool found = false;
  for (const price_change& change : one.changed)
    found = found || (change.before.region == "us" && in_usd_per_hour(change.after.per_chip) == Approx(3));
  CHECK(found);
  const catalog_prices catalog = load_price_catalog(TPUPLAN_TESTS_DIR "/prices/skus.json", today);
  const price_comparison other = compare_prices(before, catalog.prices.book());
  CHECK(other.added.size() + other.changed.size() + static_cast<std::size_t>(other.unchanged) == 8);
  CHECK(other.missing.size() > 100);  // a made-up catalog has few of them
}

TEST_CASE("a made-up catalog beside our prices") {
  const owned_price_book ours = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  const catalog_prices catalog = load_price_catalog(TPUPLAN_TESTS_DIR "/prices/vms.csv", today);
  const price_comparison between = compare_prices(ours.book(), catalog.prices.book());
  REQUIRE(between.changed.size() == 1);
  CHECK((between.changed[0].after.generation == "v5p" && between.changed[0].after.region == "us-east5"));
  CHECK(in_usd_per_hour(between.changed[0].before.per_chip) == Approx(4.2));
  CHECK(in_usd_per_hour(between.changed[0].after.per_chip) == Approx(4.5));
  REQUIRE(between.added.size() == 1);
  CHECK((between.added[0].region == "us-west8" && in_usd_per_hour(between.added[0].per_chip) == Approx(3)));
  CHECK(between.unchanged == 7);
}

TEST_CASE("old prices are found by their age") {
  const price_book book = price_book{}.with("v6e", "us-east5", provisioning::spot, usd_per_hour(1.4), "2026-08-24");
  const auto is_it = [](const price_row& row) { return row.region == "us-east5" && row.date == "2026-08-24"; };
  const std::vector<price_row> at_90 = prices_older_than(book, today, 89);
  const std::vector<price_row> at_91 = prices_older_than(book, today);
  CHECK(std::count_if(at_90.begin(), at_90.end(), is_it) == 1);
  CHECK(std::count_if(at_91.begin(), at_91.end(), is_it) == 0);
  CHECK(refusal_of([&] { (void)prices_older_than(book, "today"); }).code == errc::malformed_input);
}

TEST_CASE("an empty file is no catalog") {
  const std::string path = (std::filesystem::temp_directory_path() / "tpuplan_empty_catalog.csv").string();
  std::ofstream{path} << "";
  CHECK(says(refusal_of([&] { (void)load_price_catalog(path, today); }).message, "a file of 1 byte to 64 MiB"));
  std::filesystem::remove(path);
}

}  // namespace read_prices_catalog_tests
