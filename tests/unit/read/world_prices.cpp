// The prices of all regions in the headers are those of data/prices.json.
#include <algorithm>
#include <tpuplan/read/world_prices.hpp>
#include <tpuplan/read/zones.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

TEST_CASE("the prices of the world are the rows of data/prices.json") {
  const owned_price_book world = world_prices();
  const owned_price_book file = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  REQUIRE(world.rows().size() == file.rows().size());
  for (const price_row& row : file.rows()) {
    INFO(row.generation.view() << " in " << row.region.view());
    CHECK(std::count(world.rows().begin(), world.rows().end(), row) == 1);
  }
  const slice where = slice_for("v5p-128");
  CHECK(find_price(world.book(), where, "europe-west4", provisioning::on_demand).has_value());
  CHECK_FALSE(find_price(price_book{}, where, "europe-west4", provisioning::on_demand).has_value());
}

TEST_CASE("a known price is far below those of the world whatever book it is taken from, one of one's own is not") {
  const owned_price_book world = world_prices();
  price_row price = *find_price(world.book(), "v6e", "asia-southeast1", provisioning::spot, 1);
  CHECK(far_below_world(price) == "less than a third of what most other regions charge");
  price.per_chip = price.per_chip * 0.9;  // somebody's contract
  CHECK(far_below_world(price).empty());
  CHECK(far_below_world(*find_price(world.book(), "v6e", "us-east5", provisioning::on_demand, 1)).empty());
}
