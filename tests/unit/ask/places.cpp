// Who can order chips in the places of a question.
#include <tpuplan/ask/places.hpp>

#include "support/catch.hpp"
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

}  // namespace ask_places_tests
