// Who can order chips in the places of a question.
#include <algorithm>
#include <string>
#include <tpuplan/ask/places.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/world_prices.hpp>

#include "support/ask.hpp"
#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_places_tests {

namespace {

price_row spot_of(std::string_view generation, std::string_view region, double usd = 1) {
  return {generation, region, provisioning::spot, 1, usd_per_hour(usd), "2026-08-10", date_qualifier::exact, 'B'};
}
const price_row rows[] = {spot_of("v6e", "us-east4"),     spot_of("v6e", "us-east5"), spot_of("v5e", "europe-west3"),
                          spot_of("v5e", "europe-west4"), spot_of("v6e", "us"),       spot_of("tpu7x", "us-east1")};
const price_book book(rows, 6);

using nlohmann::json;

json reply_to(const char* question, const json& request) {
  return json::parse(ask({{"schema", json_schema}, {"question", question}, {"request", request}}).dump());
}
json answered(const char* question, const json& request) {
  const json all = reply_to(question, request);
  INFO(all.dump().substr(0, 300));
  REQUIRE(all.contains("answer"));
  return all["answer"];
}

}  // namespace

TEST_CASE("everyone can order where a zone is not for single tenants") {
  const std::vector<zone_row> zones = built_in_zones();
  CHECK_FALSE(is_for_everyone(zones, rows[0]));
  CHECK(is_for_everyone(zones, rows[1]));
  CHECK_FALSE(is_for_everyone(zones, rows[2]));  // no source names a zone
  CHECK(is_for_everyone(zones, rows[4]));        // of several regions
}

TEST_CASE("areas leave out what not everyone can order, and names take it") {
  const std::vector<zone_row> zones = built_in_zones();
  asked_places asked{{"europe"}, {"v5e"}, {provisioning::spot}, {}};
  CHECK(counts_in(asked, book, zones, rows[3]));
  CHECK_FALSE(counts_in(asked, book, zones, rows[2]));
  const asked_places other{{"europe"}, {"v6e"}, {provisioning::on_demand}, {}};  // which may be relaxed
  CHECK_FALSE(counts_in(other, book, zones, rows[2]));
  const std::vector<assumption> left = said_of_places(asked, book, zones);
  REQUIRE(left.size() == 1);
  CHECK(left[0].field == "left out");
  CHECK(left[0].value == "v5e in europe-west3");
  asked.regions = {"europe-west3"};
  CHECK(counts_in(asked, book, zones, rows[2]));
  CHECK(said_of_places(asked, book, zones).front().field == "no zone known");
  asked = {{"all"}, {}, {}, {}};
  CHECK(counts_in(asked, book, zones, rows[5]));  // no other place of the question has tpu7x on spot
  CHECK_FALSE(counts_in(asked, book, zones, rows[0]));
  asked.regions = {"us-east4"};
  CHECK(said_of_places(asked, book, zones).front().value == "v6e in us-east4");
  CHECK(said_of_places(asked, book, zones).front().field == "single tenants");
}

TEST_CASE("flex-start and calendar mode have a flat price in the US") {
  const auto flat = [](std::string_view region, const std::vector<provisioning>& kinds) {
    return flat_prices_for(price_book{}, std::string(region), {"tpu7x"}, kinds);
  };
  const std::vector<flat_price> there = flat("us-central1", {provisioning::flex_start});
  REQUIRE(there.size() == 1);
  CHECK(there[0].words == "tpu7x on flex_start in us-central1 at $6.00, as in us");
  REQUIRE(there[0].row);
  CHECK(there[0].row->region == "us-central1");
  CHECK(is_weak(*there[0].row));
  const std::vector<flat_price> elsewhere = flat("europe-west4", {provisioning::flex_start});
  REQUIRE(elsewhere.size() == 1);
  CHECK_FALSE(elsewhere[0].row);
  CHECK(says(elsewhere[0].words, "none in europe-west4; us has $6.00"));
  CHECK(flat("us-central1", {provisioning::spot}).empty());
  CHECK(flat("us", {provisioning::flex_start}).empty());
  CHECK(flat("us-central1", {provisioning::calendar}).size() == 1);
}

TEST_CASE("a region has its flat prices in every question, and us what everyone can order") {
  const std::vector<zone_row> zones = built_in_zones();
  const asked_places us{{"us"}, {}, {}, {}};
  const placed_prices of_us = prices_in_places(us, price_book{}, zones);
  CHECK_FALSE(find_price(of_us.prices.book(), "v6e", "us-east4", provisioning::spot, 1));  // for single tenants
  CHECK(find_price(of_us.prices.book(), "v6e", "us", provisioning::spot, 1));
  CHECK_FALSE(prices_in_region(us, price_book{}, zones).prices.own);
  const asked_places there{{"us-central1"}, {"v6e"}, {provisioning::flex_start}, {}};
  for (const placed_prices& placed :
       {prices_in_places(there, price_book{}, zones), prices_in_region(there, price_book{}, zones)}) {
    REQUIRE(placed.prices.own);
    CHECK(find_price(placed.prices.book(), "tpu7x", "us-central1", provisioning::calendar, 1));  // may be what to relax
    CHECK(find_price(placed.prices.book(), "v6e", "us-central1", provisioning::flex_start, 1)->per_chip ==
          find_price(price_book{}, "v6e", "us", provisioning::flex_start, 1)->per_chip);
    CHECK(says(placed.said.back().value, "v6e on flex_start in us-central1 at $1.35, as in us"));
  }
  CHECK(flat_prices_for(price_book{}, "us-foo1", {"v6e"}, {provisioning::flex_start}).empty());
  // No plan is sent where no source names a zone and another region has the chip, unless it is asked for.
  const owned_price_book world = world_prices();
  const placed_prices sent = prices_in_places({{"us"}, {}, {}, {}}, world.book(), zones);
  CHECK_FALSE(find_price(sent.prices.book(), "v5e", "northamerica-northeast1", provisioning::spot, 1));
  const placed_prices named = prices_in_places({{"northamerica-northeast1"}, {}, {}, {}}, world.book(), zones);
  CHECK(find_price(named.prices.book(), "v5e", "northamerica-northeast1", provisioning::spot, 1));
  // An area leaves out what single tenants alone can order; a question about that region has it.
  const asked_places area{{"all"}, {"v6e"}, {provisioning::spot}, {}};
  const placed_prices all = prices_in_places(area, book, zones);
  REQUIRE(all.prices.own);
  CHECK(all.prices.book().size() < book.size());
  CHECK_FALSE(prices_in_region({{"us-east4"}, {"v6e"}, {}, {}}, book, zones).said.empty());
}

TEST_CASE("a question about the US advises what one with the prices of the world does", "[ask]") {
  const json prices = load_json(TPUPLAN_DATA_DIR "/prices.json");
  json asked = {{"config", json_document(llama_3_8b())},
                {"slice", "v6e-256"},
                {"tokens", 2e12},
                {"kind", "spot"},
                {"budget_usd", 150e3},
                {"runs", 100}};
  const json known = answered("risk", asked);
  asked["prices"] = prices;
  CHECK(known["changes"] == answered("risk", asked)["changes"]);
  for (const json& one : known["changes"]) CHECK_FALSE(says(one["change"].get<std::string>(), "us-central1"));
  json plan = {{"config", json_document(llama_3_8b())},
               {"tokens", 1e12},
               {"generations", {"v6e"}},
               {"kinds", {"spot"}},
               {"budget_usd", 45e3}};
  const json relaxed = answered("plan", plan)["relax"];
  plan["prices"] = prices;
  CHECK(relaxed == answered("plan", plan)["relax"]);
  for (const json& one : relaxed) CHECK(one["limit"] != "regions");
}

TEST_CASE("a row of a plan in a region with a flat price is what train, risk and pay answer there", "[ask]") {
  const json config = json_document(llama_3_8b());
  const json planned = answered("plan", {{"config", config},
                                         {"tokens", 1e11},
                                         {"regions", {"us-central1"}},
                                         {"kinds", {"flex_start"}},
                                         {"generations", {"v6e"}},
                                         {"largest_chips", 64}});
  REQUIRE_FALSE(planned["plans"].empty());
  const json& row = planned["plans"][0];
  json one = {{"config", config}, {"slice", row["slice"]},  {"job", row["plan"]["job"]}, {"mesh", row["plan"]["mesh"]},
              {"tokens", 1e11},   {"region", "us-central1"}};
  bool found = false;
  const json trained = answered("train", one);
  for (const json& way : trained["costs"]) {
    if (way["kind"] != "flex_start") continue;
    found = true;
    CHECK(way["total_usd"] == row["total_usd"]);
  }
  CHECK(found);
  one["kind"] = "flex_start", one["deadline_s"] = 1e7, one["runs"] = 100;
  CHECK(answered("risk", one)["kind"] == "flex_start");
  const json paid = answered("pay", {{"slice", row["slice"]}, {"run_s", 86400}, {"region", "us-central1"}});
  CHECK(paid.dump().find("v6e on flex_start in us-central1 at $1.35, as in us") != std::string::npos);
}

TEST_CASE("of an area a zone takes the region that it is in, and us where it is in the US") {
  const price_book book{};
  const auto kept = [&](const std::vector<std::string>& regions, const std::string& zone) {
    return regions_of_zone(regions, true, zone, book);
  };
  CHECK(kept({"all"}, "us-east5-b") == std::vector<std::string>{"us-east5"});
  CHECK(kept({"us", "us-east5", "all"}, "us-east5-b") == std::vector<std::string>{"us", "us-east5"});
  CHECK(kept({"europe"}, "europe-west4-a") == std::vector<std::string>{"europe-west4"});
  const auto refused = [&](const std::vector<std::string>& regions, bool are_given, const std::string& zone) {
    return refusal_of([&] { (void)regions_of_zone(regions, are_given, zone, book); }).message;
  };
  CHECK(says(refused({"us"}, true, "europe-west4-a"), "region is us with zone europe-west4-a; valid: europe-west4"));
  // The book of the headers has no prices in Europe: those of the US were taken without a word.
  CHECK(
      says(refused({"us"}, false, "europe-west4-a"), "zone is europe-west4-a; valid: a zone in the US, or prices of"));
  CHECK(regions_of_zone({"us"}, false, "us-east5-b", book) == std::vector<std::string>{"us-east5"});
}

TEST_CASE("a question names regions of the world, areas and zones in them, and has their prices", "[door]") {
  const owned_price_book world = world_prices();
  const maybe<price_row> there = find_price(world.book(), slice_for("v6e-16"), "europe-west4", provisioning::on_demand);
  REQUIRE(there);
  const json of_slice = {{"slice", "v6e-16"}, {"run_s", 3600}, {"region", "europe-west4"}};
  const json paid = answered("pay", of_slice);
  const auto& ways = paid["ways"];
  const auto is_on_demand = [](const json& way) { return way["kind"] == "on_demand"; };
  const auto found = std::find_if(ways.begin(), ways.end(), is_on_demand);
  REQUIRE(found != ways.end());
  INFO(found->dump());
  CHECK((*found)["total_usd"].get<double>() == Approx(16 * in_usd_per_hour(there->per_chip)));

  json plan = {{"config", json_document(llama_3_8b())}, {"tokens", 1e10}};
  for (const char* area : {"europe", "europe-west4", "all"}) {
    INFO(area);
    plan["regions"] = {area};
    const std::string best = answered("plan", plan)["plans"][0]["region"];
    CHECK((std::string(area) == "all" || best.rfind("europe-", 0) == 0));
  }
  plan.erase("regions");
  plan["zone"] = "europe-west4-a";
  CHECK(answered("plan", plan)["plans"][0]["region"] == "europe-west4");
  for (const json& row : answered("plan", plan)["plans"]) CHECK(row["slice"].get<std::string>().rfind("v3", 0) != 0);
  plan["zone"] = "europe-west9-a";
  CHECK(says(reply_to("plan", plan)["error"].dump(), "a zone with TPUs"));
}

}  // namespace ask_places_tests
