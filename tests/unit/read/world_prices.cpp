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
