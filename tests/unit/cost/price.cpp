// Prices against data/prices.json, price files that are wrong, and the rules of billing.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/prices.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace cost_price_tests {
using nlohmann::json;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

const json& prices_file() {
  static const json file = load_json(TPUPLAN_DATA_DIR "/prices.json");
  return file;
}

// A row as one line, the price to the last bit.
std::string line_of(const price_row& row) {
  char price[64] = {};
  std::snprintf(price, sizeof(price), "%a", row.per_chip.value());
  std::string line{row.generation.view()};
  for (const std::string_view part : {row.region.view(), name(row.kind)}) line.append(" ").append(part);
  line.append(" from ").append(std::to_string(row.smallest_chips)).append(" at ").append(price);
  line.append(" of ").append(row.date.view()).append(" ").append(name(row.qualifier));
  return line.append(" ").append(1, row.grade);
}

std::string line_of(const json& row) {
  price_row typed;
  typed.generation = std::string_view{row.at("generation").get_ref<const std::string&>()};
  typed.region = std::string_view{row.at("region").get_ref<const std::string&>()};
  typed.smallest_chips = row.at("smallest_chips").get<std::int64_t>();
  typed.per_chip = usd_per_hour(row.at("usd_per_chip_hour").get<double>());
  typed.date = std::string_view{row.at("date").get_ref<const std::string&>()};
  typed.grade = row.at("grade").get<std::string>().at(0);
  std::string line = line_of(typed);
  // Kind and qualifier as the data spells them, not through the library.
  const auto put = [&](std::string_view placeholder, const std::string& word) {
    line.replace(line.find(placeholder), placeholder.size(), word);
  };
  put("on_demand", row.at("provisioning").get<std::string>());
  put("exact", row.at("date_qualifier").get<std::string>());
  return line;
}

bool is_us(const json& row) {
  const std::string region = row.at("region").get<std::string>();
  return region == "us" || region.rfind("us-", 0) == 0;
}

}  // namespace

// ---- the built-in table ---------------------------------------------------------------------------------------------

TEST_CASE("the built-in prices are exactly the US rows of data/prices.json") {
  std::multiset<std::string> in_data;
  for (const json& row : prices_file().at("rows")) {
    if (is_us(row)) in_data.insert(line_of(row));
  }
  std::multiset<std::string> built_in;
  constexpr price_book book{};
  for (std::size_t i = 0; i < book.size(); ++i) built_in.insert(line_of(book.row(i)));
  CHECK(in_data.size() == book.size());
  for (const std::string& line : in_data) {
    INFO(line);
    CHECK(built_in.count(line) == 1);
  }
  for (const std::string& line : built_in) {
    INFO(line);
    CHECK(in_data.count(line) == 1);
  }
  CHECK(refusal_of([&] { (void)book.row(book.size()); }).code == errc::out_of_range);
}

TEST_CASE("corrections of November 2026: rates of the billing catalog, and what they replace") {
  const owned_price_book owned = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  struct row {
    const char *chip, *region;
    provisioning kind;
    double usd;
    const char* date;
    char grade;
  };
  for (const row& r : {row{"tpu7x", "us-central1", provisioning::on_demand, 12.0, "2026-08-24", 'A'},
                       {"tpu7x", "us-east1", provisioning::on_demand, 12.0, "2026-08-24", 'A'},
                       {"tpu7x", "us-west1", provisioning::on_demand, 12.0, "2026-08-24", 'A'},
                       {"v6e", "us-east5", provisioning::spot, 1.4033, "2026-08-10", 'B'},
                       {"v6e", "us", provisioning::spot, 1.4033, "2026-08-10", 'B'},
                       {"v6e", "us-east5", provisioning::flex_start, 1.35, "2026-08-01", 'B'},
                       {"v6e", "us-east5", provisioning::calendar, 1.89, "2026-08-01", 'B'},
                       {"v6e", "europe-west4", provisioning::flex_start, 1.35, "2026-08-25", 'B'},
                       {"v6e", "europe-west4", provisioning::spot, 1.782, "2026-08-25", 'B'},
                       {"v5e", "us-west4", provisioning::spot, 0.607, "2026-08-11", 'B'},
                       {"v5e", "asia-south2", provisioning::on_demand, 1.44132, "2026-06-14", 'A'},
                       {"v5e", "asia-southeast1", provisioning::spot, 0.78, "2026-06-14", 'A'},
                       {"v5p", "asia-south2", provisioning::calendar, 2.94, "2026-06-14", 'A'},
                       {"v5p", "us", provisioning::calendar, 2.94, "2026-06-14", 'A'},
                       {"v5p", "southamerica-east1", provisioning::on_demand, 6.430995, "2026-06-14", 'A'},
                       {"v5p", "europe-west4", provisioning::commitment_3y, 1.911, "2026-06-14", 'A'}}) {
    INFO(r.chip << " " << r.region << " " << name(r.kind));
    const auto found = find_price(owned.book(), r.chip, r.region, r.kind, 4);
    REQUIRE(found.has_value());
    CHECK(in_usd_per_hour(found->per_chip) == r.usd);
    CHECK(found->date == r.date);
    CHECK(found->grade == r.grade);
  }
  // Calendar mode is not of v5e; spot of tpu7x has no published price, announced chips have none at all.
  CHECK_FALSE(find_price(owned.book(), "v5e", "us", provisioning::calendar, 4).has_value());
  CHECK_FALSE(find_price(owned.book(), "tpu7x", "us-central1", provisioning::spot, 4).has_value());
  for (const provisioning kind : all_provisioning)
    CHECK_FALSE(find_price(owned.book(), "tpu8t", "us", kind, 64).has_value());
  // What they replace is kept, with the reason.
  const auto replaced = [&](const char* chip, const char* region, double usd) {
    for (const json& row : prices_file().at("not_used"))
      if (row.at("generation") == chip && row.at("region") == region && row.at("usd_per_chip_hour") == usd) return true;
    return false;
  };
  CHECK(replaced("v6e", "us-east5", 1.27575));
  CHECK(replaced("v5e", "us-west4", 0.52536));
  CHECK(replaced("v5e", "us", 0.84));
}

TEST_CASE("every row of the data has a date, or says that it has none") {
  const auto is_date = [](const json& value) {
    if (!value.is_string()) return false;
    const std::string text = value.get<std::string>();
    return text.size() == 10 && text.find_first_not_of("0123456789-") == std::string::npos && text[4] == '-' &&
           text[7] == '-';
  };
  for (const json& row : prices_file().at("rows")) {
    INFO(row.dump());
    CHECK(is_date(row.at("date")));
    CHECK(prices_file().at("date_qualifiers").contains(row.at("date_qualifier").get<std::string>()));
    CHECK(prices_file().at("grades").contains(row.at("grade").get<std::string>()));
    CHECK_FALSE(row.at("source").get<std::string>().empty());
    CHECK(row.at("usd_per_chip_hour").get<double>() > 0);
    CHECK(find_chip(row.at("generation").get<std::string>()).has_value());
  }
  for (const json& row : prices_file().at("not_used")) {
    INFO(row.dump());
    CHECK((is_date(row.at("date")) || (row.at("date").is_null() && row.at("date_qualifier") == "undated")));
    CHECK_FALSE(row.at("why_not_used").get<std::string>().empty());
    CHECK_FALSE(row.at("source").get<std::string>().empty());
  }
}

TEST_CASE("the price file of the data loads whole, and every row is found") {
  const owned_price_book owned = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  const json& rows = prices_file().at("rows");
  REQUIRE(owned.rows().size() == rows.size());
  const price_book book = owned.book();
  REQUIRE(book.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const price_row& row = owned.rows()[i];
    INFO(line_of(row));
    CHECK(line_of(row) == line_of(rows[i]));
    CHECK(owned.source(i) == rows[i].at("source").get<std::string>());
    const maybe<price_row> found = find_price(book, row.generation, row.region, row.kind, row.smallest_chips);
    REQUIRE(found.has_value());
    CHECK(line_of(*found) == line_of(row));
  }
}

TEST_CASE("a missing price is an error that names generation, region and kind, and what there is") {
  struct row {
    const char* slice_name;
    const char* region;
    provisioning kind;
    std::vector<const char*> says;
  };
  for (const row& r :
       {row{"tpu7x-128", "us", provisioning::spot, {"spot of tpu7x in us", "on_demand", "flex_start"}},
        {"v4-32", "us", provisioning::flex_start, {"flex_start of v4 in us", "on_demand", "commitment_1y"}},
        {"v5p-8", "europe-west9", provisioning::on_demand, {"on_demand of v5p in europe-west9"}},
        {"v5p-8", "", provisioning::on_demand, {"on_demand of v5p in"}}}) {
    INFO(r.slice_name << " " << r.region);
    CHECK_FALSE(find_price(price_book{}, slice_for(r.slice_name), r.region, r.kind).has_value());
    const refusal got = refusal_of([&] { (void)price_for(price_book{}, slice_for(r.slice_name), r.region, r.kind); });
    INFO(got.message);
    CHECK(got.code == errc::no_price);
    for (const char* part : r.says) CHECK(says(got.message, part));
  }
  chip_spec own = v6e;
  own.name = "rumoured";
  const refusal unpriced =
      refusal_of([&] { (void)price_for(price_book{}, slice_of(own, v6e.pod.shape), "us", provisioning::spot); });
  CHECK(says(unpriced.message, "spot of rumoured in us; valid: another region, or a price of your own by price_book"));
  const refusal long_region = refusal_of(
      [] { (void)price_for(price_book{}, slice_for("v5p-8"), std::string(10000, 'r'), provisioning::spot); });
  CHECK(long_region.code == errc::no_price);
  slice mine = slice_for("v6e-8");
  mine.chip.name = "a name of 24 characters.";
  CHECK(refusal_of([&] { (void)price_for(price_book{}, mine, "us", provisioning::spot); }).code == errc::no_price);
}

TEST_CASE("a price depends on the size of the slice") {
  constexpr price_book book{};
  struct row {
    std::int64_t chips;
    double price;
  };
  for (const row& r : {row{1, 0.51}, {4, 0.51}, {15, 0.51}, {16, 0.60}, {1024, 0.60}}) {
    INFO(r.chips);
    CHECK(close(in_usd_per_hour(find_price(book, "v3", "us", provisioning::spot, r.chips)->per_chip), r.price));
  }
  CHECK_FALSE(find_price(book, "v3", "us", provisioning::commitment_1y, 4).has_value());  // only from 16 chips on
  CHECK(find_price(book, "v3", "us", provisioning::commitment_1y, 16).has_value());
  CHECK_FALSE(find_price(book, "v3", "us", provisioning::spot, 0).has_value());
  CHECK(find_price(book, "V3", "US", provisioning::spot, 4).has_value());
}

TEST_CASE("a caller's own price comes before those of the book") {
  constexpr price_book own = price_book{}.with("v5p", "us", provisioning::spot, usd_per_hour(0.7), "2026-11-21");
  STATIC_REQUIRE(own.size() == price_book{}.size() + 1);
  CHECK(close(in_usd_per_hour(price_for(own, slice_for("v5p-8"), "us", provisioning::spot).per_chip), 0.7));
  CHECK(price_for(own, slice_for("v5p-8"), "us", provisioning::spot).date == "2026-11-21");
  // Nothing else changed.
  CHECK(close(in_usd_per_hour(price_for(own, slice_for("v5p-8"), "us", provisioning::on_demand).per_chip), 4.2));
  CHECK(
      close(in_usd_per_hour(price_for(price_book{}, slice_for("v5p-8"), "us", provisioning::spot).per_chip), 1.299953));
  // The last word counts.
  const price_book again = own.with("V5P", "US", provisioning::spot, usd_per_hour(0.6), "2026-11-22");
  CHECK(close(in_usd_per_hour(price_for(again, slice_for("v5p-8"), "us", provisioning::spot).per_chip), 0.6));
  CHECK(again.size() == own.size());
  // For large slices only.
  const price_book large = own.with("v5p", "us", provisioning::spot, usd_per_hour(0.5), "2026-11-21", 64);
  CHECK(close(in_usd_per_hour(price_for(large, slice_for("v5p-64"), "us", provisioning::spot).per_chip), 0.7));
  CHECK(close(in_usd_per_hour(price_for(large, slice_for("v5p-128"), "us", provisioning::spot).per_chip), 0.5));
  // A price where there was none.
  const price_book added = price_book{}.with("tpu7x", "us", provisioning::spot, usd_per_hour(4), "2026-11-21");
  CHECK(close(in_usd_per_hour(price_for(added, slice_for("tpu7x-8"), "us", provisioning::spot).per_chip), 4));
  // And of a chip of one's own.
  slice mine = slice_for("v6e-8");
  mine.chip.name = "mine";
  const price_book for_mine =
      price_book{}.with(mine.chip, "attic", provisioning::on_demand, usd_per_hour(1), "2026-11-21");
  CHECK(close(in_usd_per_hour(price_for(for_mine, mine, "attic", provisioning::on_demand).per_chip), 1));
}

TEST_CASE("a price of a chip that nobody has is refused by its name") {
  const auto refused = [](const price_book& book, const std::vector<chip_spec>& own) {
    return refusal_of([&] { validate(book, own.data(), own.size()); });
  };
  chip_spec mine = v6e;
  mine.name = "mine";
  const price_book book = price_book{}.with(mine, "us", provisioning::spot, usd_per_hour(1), "2026-11-21");
  const refusal none =
      refusal_of([] { (void)price_book{}.with("v9", "us", provisioning::spot, usd_per_hour(1), "2026-11-21"); });
  CHECK(none.code == errc::unknown_name);
  CHECK(
      says(none.message, "price.generation is v9; valid: a chip of the table; with(chip, ...) prices one of your own"));
  CHECK_FALSE(refused(price_book{}, {}).refused);
  CHECK_FALSE(refused(book, {mine}).refused);
  CHECK(refused(book, {v6e}).code == errc::unknown_name);
  CHECK(
      says(refused(book, {}).message, "price.generation is mine; valid: a chip of the table, or one of the caller's"));
  // Rows that are looked at as they are: an alias would never be found.
  const price_row alias = {"Trillium",      "us",         provisioning::spot,    1,
                           usd_per_hour(1), "2026-11-21", date_qualifier::exact, 'C'};
  CHECK(says(refused(price_book{&alias, 1}, {}).message, "price.generation is Trillium; valid: v6e"));
}

TEST_CASE("own prices that cannot be are refused, and so is a ninth") {
  struct row {
    const char* what;
    plain_call<void(), 72> call;
    errc code;
    const char* field;
  };
  const auto with = [](std::string_view generation, std::string_view region, double price, std::string_view date,
                       std::int64_t smallest = 1) {
    return
        [=] { (void)price_book{}.with(generation, region, provisioning::spot, usd_per_hour(price), date, smallest); };
  };
  const std::vector<row> rows = {
      {"no generation", with("", "us", 1, "2026-11-21"), errc::missing_field, "price.generation"},
      {"no region", with("v5p", "", 1, "2026-11-21"), errc::missing_field, "price.region"},
      {"no date", with("v5p", "us", 1, ""), errc::missing_field, "price.date"},
      {"half a date", with("v5p", "us", 1, "2026-11"), errc::malformed_input, "price.date"},
      {"month 13", with("v5p", "us", 1, "2026-13-01"), errc::malformed_input, "price.date"},
      {"free", with("v5p", "us", 0, "2026-11-21"), errc::missing_field, "price.usd_per_chip_hour"},
      {"negative", with("v5p", "us", -1, "2026-11-21"), errc::invalid_argument, "price.usd_per_chip_hour"},
      {"NaN", with("v5p", "us", not_a_number, "2026-11-21"), errc::not_finite, "price.usd_per_chip_hour"},
      {"infinite", with("v5p", "us", infinity, "2026-11-21"), errc::not_finite, "price.usd_per_chip_hour"},
      {"for 0 chips", with("v5p", "us", 1, "2026-11-21", 0), errc::missing_field, "price.smallest_chips"},
      {"for -1 chips", with("v5p", "us", 1, "2026-11-21", -1), errc::invalid_argument, "price.smallest_chips"},
  };
  for (const row& r : rows) {
    INFO(r.what);
    const refusal got = refusal_of([&] { r.call(); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == r.code);
    CHECK(says(got.message, r.field));
  }
  price_book full;
  for (int i = 0; i < 8; ++i) {
    full = full.with("v5p", "region " + std::to_string(i), provisioning::spot, usd_per_hour(1), "2026-11-21");
  }
  CHECK(refusal_of([&] {
          (void)full.with("v5p", "region 8", provisioning::spot, usd_per_hour(1), "2026-11-21");
        }).code == errc::out_of_range);
  CHECK_FALSE(refusal_of([&] {  // one that is there already is changed, not added
                (void)full.with("v5p", "region 7", provisioning::spot, usd_per_hour(2), "2026-11-21");
              })
                  .refused);
}

TEST_CASE("ways of paying by name, both ways") {
  for (const provisioning kind : all_provisioning) {
    INFO(name(kind));
    CHECK(parse_provisioning(name(kind)) == kind);
  }
  STATIC_REQUIRE(parse_provisioning("On-Demand") == provisioning::on_demand);
  STATIC_REQUIRE(parse_provisioning("flex-start") == provisioning::flex_start);
  STATIC_REQUIRE(parse_provisioning("commitment_1y") == provisioning::commitment_1y);
  for (const char* wrong : {"", "ondemand", "on demand", "spot ", "preemptible", "commitment_2y"}) {
    INFO(wrong);
    CHECK_FALSE(parse_provisioning(wrong).has_value());
  }
}

// ---------------------------------------------------------------------------------------------------

TEST_CASE("what is billed follows from the way of paying") {
  struct row {
    provisioning kind;
    seconds run;
    seconds billed;
  };
  for (const row& r : {row{provisioning::on_demand, 90_s, 90_s},
                       {provisioning::spot, 25_h, 25_h},
                       {provisioning::flex_start, 7_days, 7_days},
                       {provisioning::calendar, 1_s, 1_days},
                       {provisioning::calendar, 24_h, 1_days},
                       {provisioning::calendar, 86401_s, 2_days},
                       {provisioning::calendar, 90_days, 90_days},
                       {provisioning::commitment_1y, 400_days, 730_days},
                       {provisioning::commitment_1y, 1_s, 365_days},
                       {provisioning::commitment_3y, 400_days, 1095_days},
                       {provisioning::on_demand, 400_days, 400_days}}) {
    INFO(name(r.kind) << " " << r.run.value());
    CHECK(billed_time(r.kind, r.run) == r.billed);
  }
  for (int days = 1; days <= 90; ++days) {
    CHECK(billed_time(provisioning::calendar, seconds{86400.0 * days}) == seconds{86400.0 * days});
  }
  CHECK(refusal_of([] { (void)billed_time(provisioning::flex_start, 604801_s); }).code == errc::out_of_range);
  CHECK(says(refusal_of([] { (void)billed_time(provisioning::flex_start, 8_days); }).message, "at most 7 days"));
  CHECK(refusal_of([] { (void)billed_time(provisioning::calendar, 7776001_s); }).code == errc::out_of_range);
  for (const provisioning kind : all_provisioning) {
    INFO(name(kind));
    CHECK(refusal_of([&] { (void)billed_time(kind, 0_s); }).code == errc::missing_field);
    CHECK(refusal_of([&] { (void)billed_time(kind, -(1_s)); }).code == errc::invalid_argument);
    CHECK(refusal_of([&] { (void)billed_time(kind, seconds{not_a_number}); }).code == errc::not_finite);
    CHECK(refusal_of([&] { (void)billed_time(kind, seconds{infinity}); }).code == errc::not_finite);
  }
}

TEST_CASE("the cost of a run") {
  constexpr price_book book{};
  const slice s = slice_for("v6e-32");
  const run_cost calendar = cost_of_run(s, 2, 25_h, price_for(book, s, "us", provisioning::calendar));
  CHECK(close(in_usd_per_hour(calendar.rate), 2 * 32 * 1.89));
  CHECK(calendar.billed == 2_days);
  CHECK(calendar.run == 25_h);
  CHECK(calendar.wall == 25_h);
  CHECK(close(calendar.total.value(), 48 * 2 * 32 * 1.89));
  CHECK(calendar.price.kind == provisioning::calendar);
  const price_row on_demand = price_for(book, s, "us", provisioning::on_demand);
  CHECK(refusal_of([&] { (void)cost_of_run(s, 0, 1_h, on_demand); }).code == errc::missing_field);
  CHECK(refusal_of([&] { (void)cost_of_run(s, -1, 1_h, on_demand); }).code == errc::invalid_argument);
  CHECK(refusal_of([&] { (void)cost_of_run(s, 1, 0_s, on_demand); }).code == errc::missing_field);
  CHECK(refusal_of([&] { (void)cost_of_run(s, 1, 1_h, price_row{}); }).code == errc::missing_field);
}

TEST_CASE("rates, costs, tokens and savings refuse what cannot be") {
  CHECK(close(cost_per_million_tokens(usd_per_hour(36), per_second{1000}).value(), 10));
  CHECK(close(cost_per_million_tokens(usd_per_hour(1.2), per_second{1}).value(), 1.2e6 / 3600));
  CHECK(cost(usd_per_hour(3600), 0_s) == 0_usd);
  struct row {
    const char* what;
    plain_call<void()> call;
    errc code;
  };
  const std::vector<row> rows = {
      {"free tokens", [] { (void)cost_per_million_tokens(usd_per_second{0}, per_second{1}); }, errc::missing_field},
      {"no tokens", [] { (void)cost_per_million_tokens(usd_per_hour(1), per_second{0}); }, errc::missing_field},
      {"negative tokens", [] { (void)cost_per_million_tokens(usd_per_hour(1), per_second{-1}); },
       errc::invalid_argument},
      {"free chips", [] { (void)rate(usd_per_second{0}, 4); }, errc::missing_field},
      {"no chips", [] { (void)rate(usd_per_hour(1), 0); }, errc::missing_field},
      {"negative chips", [] { (void)rate(usd_per_hour(1), -4); }, errc::invalid_argument},
      {"NaN price", [] { (void)cost(usd_per_second{not_a_number}, 1_s); }, errc::not_finite},
      {"negative time", [] { (void)cost(usd_per_hour(1), -(1_s)); }, errc::invalid_argument},
      {"overflow", [] { (void)cost(usd_per_second{1e200}, seconds{1e200}); }, errc::not_finite},
      {"against nothing", [] { (void)saving(0_usd, 1_usd); }, errc::missing_field},
      {"negative cost", [] { (void)saving(1_usd, -(1_usd)); }, errc::invalid_argument},
      {"FLOPs for nothing", [] { (void)flops_per_dollar(v5e, usd_per_second{0}); }, errc::missing_field},
      {"int8 of v3", [] { (void)flops_per_dollar(v3, usd_per_hour(1), dtype::int8); }, errc::unknown_figure},
  };
  for (const row& r : rows) {
    INFO(r.what);
    const refusal got = refusal_of(r.call);
    CHECK(got.refused);
    CHECK(got.code == r.code);
  }
  CHECK(saving(2_usd, 3_usd) == -0.5);  // costs more
  CHECK(saving(2_usd, 0_usd) == 1);
}

}  // namespace cost_price_tests
