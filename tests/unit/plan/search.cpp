// What both planners share: the slices that they consider, prices by chip, reasons and ranks.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/read/prices.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace plan_search_tests {

TEST_CASE("the slices that plans consider", "[plan]") {
  STATIC_REQUIRE(is_default(slice_for("v5e-8")));
  STATIC_REQUIRE_FALSE(is_default(slice_of(v5e, slice_for("v5e-8").shape, 4)));
  STATIC_REQUIRE_FALSE(is_default(slice_for("v4:4x4x128")));
  CHECK_FALSE(is_default(slice_for("v5p-17920")));  // larger than what is scheduled
  // Of a chip of three axes: 4, 8, 16 and 32 chips, and whole cubes.
  plan_request request;
  request.chips = {v5p};
  request.chips[0].name = "mine";
  request.chips[0].pod.largest_slice = 300;
  request.generations = {"Mine"};
  const auto sizes = [&] {
    std::set<std::int64_t> found;
    detail::for_each_slice(request, [&](const slice& where) {
      CHECK(where.chip.name == "mine");
      CHECK(is_default(where));
      found.insert(chips(where));
    });
    return found;
  };
  CHECK(sizes() == std::set<std::int64_t>{4, 8, 16, 32, 64, 128, 192, 256});
  request.largest_chips = 128;
  CHECK(sizes() == std::set<std::int64_t>{4, 8, 16, 32, 64, 128});
  request.chips[0].ici.axes = 2;
  CHECK(sizes() == std::set<std::int64_t>{1, 4, 8, 16, 32, 64, 128});
}

TEST_CASE("prices by chip are those that find_price finds", "[plan]") {
  const owned_price_book owned = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  plan_request request;
  request.regions.clear();
  for (const price_row& row : owned.rows()) {
    const std::string region(row.region.view());
    if (std::find(request.regions.begin(), request.regions.end(), region) == request.regions.end())
      request.regions.push_back(region);
  }
  request.chips = {v6e};
  request.chips[0].name = "mine";
  // Prices of the caller's own before, behind and between those of the book.
  request.prices = owned.book()
                       .with("v3", "us", provisioning::spot, usd_per_hour(0.4), "2026-11-21", 8)
                       .with("v5p", "us", provisioning::on_demand, usd_per_hour(3), "2026-11-21")
                       .with(request.chips[0], "us", provisioning::on_demand, usd_per_hour(2), "2026-11-21", 16);
  const detail::price_index prices(request);
  std::size_t seen = 0;
  for (const char* chip : {"v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x", "mine"}) {
    for (const std::int64_t chip_count : {1, 4, 8, 15, 16, 64, 4096}) {
      INFO(chip_count << " chips of " << chip);
      std::size_t expected = 0, found = 0;
      for (const std::string& region : request.regions) {
        for (const provisioning kind : all_provisioning)
          expected += find_price(request.prices, chip, region, kind, chip_count) ? 1U : 0U;
      }
      prices.each(chip, chip_count, [&](const price_row& row) {
        ++found;
        const maybe<price_row> same = find_price(request.prices, chip, row.region, row.kind, chip_count);
        REQUIRE(same);
        CHECK(same->per_chip == row.per_chip);
      });
      CHECK(found == expected);
      seen += found;
    }
  }
  CHECK(seen > 500);
}

TEST_CASE("later reasons are closer to a plan, and of the same the smaller amount", "[plan]") {
  rejected_slice closest{{}, 1, rejection::no_layout, 8, {}};
  const auto after = [&](rejection why, double amount) {
    detail::come_closer(closest, why, amount);
    return std::pair{closest.why, closest.amount};
  };
  CHECK(after(rejection::no_layout, 9) == std::pair{rejection::no_layout, 8.0});
  CHECK(after(rejection::does_not_fit, 100) == std::pair{rejection::does_not_fit, 100.0});
  CHECK(after(rejection::no_layout, 1) == std::pair{rejection::does_not_fit, 100.0});
  CHECK(after(rejection::does_not_fit, 50) == std::pair{rejection::does_not_fit, 50.0});
}

TEST_CASE("ranks, and what is behind the first", "[plan]") {
  const detail::merits cheap{1, 9, 8}, quick{2, 3, 4}, small{9, 9, 1};
  const auto first = [&](objective best) {
    std::vector<detail::merits> list = {quick, small, cheap};
    detail::rank(list, [&](const detail::merits& m) { return detail::rank_key{detail::worth(m, best), m.chips, ""}; });
    return list.front().chips;
  };
  CHECK(first(objective::cheapest) == cheap.chips);
  CHECK(first(objective::fastest) == quick.chips);
  CHECK(first(objective::fewest_chips) == small.chips);
  std::vector<int> plans = {1, 2, 3, 4, 5};
  const auto is_four = [](int plan) { return plan == 4; };
  CHECK(detail::take_rest(plans, 0, is_four).empty());
  CHECK(detail::take_rest(plans, 2, is_four) == std::vector<int>{3, 5});
  CHECK(plans == std::vector<int>{1, 2, 4});
}

}  // namespace plan_search_tests
