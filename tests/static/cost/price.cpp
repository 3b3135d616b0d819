// The worked numbers in the comments of cost/price.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/price.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_price_tests {

namespace {

static_assert(same_price(
    price_book{}.with("v5p", "us-east5", provisioning::spot, usd_per_hour(1.10), "2026-11-21").row(0).per_chip, 1.10));
static_assert(same_price(find_price(price_book{}, "v3", "us", provisioning::spot, 16)->per_chip, 0.60));
static_assert(same_price(find_price(price_book{}, "v3", "us", provisioning::spot, 4)->per_chip, 0.51));
static_assert(same_price(price_for(price_book{}, slice_for("v5e-32"), "us", provisioning::on_demand).per_chip, 1.20));

static_assert(age_in_days({"v6e", "us", provisioning::spot, 1, usd_per_hour(1.28), "2026-08-24"}, "2026-11-22") ==
              stale_after_days);

static_assert(
    is_before_announced_change({"v6e", "us", provisioning::flex_start, 1, usd_per_hour(1.35), "2026-09-10"}) &&
    !is_before_announced_change({"v6e", "us", provisioning::flex_start, 1, usd_per_hour(1.35), "2026-11-21"}) &&
    !is_before_announced_change({"v6e", "us", provisioning::spot, 1, usd_per_hour(1.35), "2026-09-10"}));
static_assert(
    !is_weak(price_book{}.with("v5p", "us", provisioning::spot, usd_per_hour(1), "2026-11-21").row(0)) &&
    is_weak(price_book{}.with("v5p", "us", provisioning::spot, usd_per_hour(1), "2026-11-21", 1, 'C').row(0)));
static_assert(!is_weak({"v6e", "us", provisioning::spot, 1, usd_per_hour(1), "2026-09-10", date_qualifier::exact,
                        'B'}) &&
              is_weak({"v6e", "us", provisioning::spot, 1, usd_per_hour(1), "2026-09-10", date_qualifier::exact, 'C'}));

// What no row has is looked for in all of them, and no further.
static_assert(!find_price(price_book{}, slice_for("tpu7x-128"), "us", provisioning::spot).has_value());

// A price of one's own is for slices of one chip on unless it says otherwise.
static_assert(find_price(price_book{}.with("v5e", "here", provisioning::spot, usd_per_hour(1), "2026-11-21"),
                         slice_for("v5e-1"), "here", provisioning::spot)
                  .has_value());

// Rows of the caller's own, as a book of their own and beside the built-in ones.
constexpr price_row two_rows[] = {{"v5p", "us", provisioning::spot, 1, usd_per_hour(1.1), "2026-11-21"},
                                  {"v6e", "us", provisioning::spot, 1, usd_per_hour(0.7), "2026-11-21"}};
constexpr price_book kept{two_rows, 2};
static_assert(kept.size() == 2 && kept.row(1).generation == "v6e" && !kept.is_built_in() && kept.own_size() == 0);
constexpr price_book one_more = price_book{}.with(two_rows[0]);
static_assert(one_more.size() == price_book{}.size() + 1 && one_more.own_size() == 1 && one_more.is_built_in() &&
              price_book{}.own_size() == 0);
static_assert(same_price(one_more.row(0).per_chip, 1.10));
static_assert(one_more.with("v5p", "us", provisioning::spot, usd_per_hour(0.9), "2026-11-22").own_size() == 1);
constexpr chip_spec mine = [] {
  chip_spec chip = v6e;
  chip.name = "mine";
  return chip;
}();
constexpr price_book with_mine = price_book{}.with(mine, "us", provisioning::spot, usd_per_hour(0.9), "2026-11-21");
static_assert(same_price(find_price(with_mine, "mine", "us", provisioning::spot, 1)->per_chip, 0.90));
static_assert(same_price(
    find_price(price_book{}.with_any(with_mine.row(0)), "mine", "us", provisioning::spot, 1)->per_chip, 0.90));
static_assert(same_price(find_price(price_book{}, slice_for("v3-32"), "us", provisioning::spot)->per_chip, 0.60));

// The change of November 2026 holds from its first day: a price of that day is not from before it.
constexpr price_row flexible(std::string_view date) {
  return {"v6e", "us", provisioning::flex_start, 1, usd_per_hour(1), date, date_qualifier::exact, 'B'};
}
static_assert(is_before_announced_change(flexible("2026-10-31")));
static_assert(!is_before_announced_change(flexible("2026-11-01")));

// One row of a catalog, far below all others.
constexpr price_row spot_of(std::string_view region, double usd) {
  return {"v6e", region, provisioning::spot, 1, usd_per_hour(usd), "2026-06-03", date_qualifier::not_before, 'A'};
}
constexpr std::array<price_row, 5> spots = {spot_of("asia-southeast1", 0.27), spot_of("us-east4", 0.34),
                                            spot_of("us-south1", 1.22), spot_of("us-east5", 1.40),
                                            spot_of("asia-northeast1", 1.46)};
constexpr price_book of_spots{spots.data(), spots.size()};
static_assert(is_far_below(of_spots, spots[0]) && !is_far_below(of_spots, spot_of("us-central1", 0.60)));
static_assert(!is_far_below(of_spots, spots[2]));
// Two of four others above three times the price are not most of them.
constexpr std::array<price_row, 5> halves = {spot_of("asia-southeast1", 0.40), spot_of("us-east4", 0.50),
                                             spot_of("us-south1", 1.22), spot_of("us-east5", 1.40),
                                             spot_of("asia-northeast1", 1.00)};
static_assert(!is_far_below(price_book{halves.data(), halves.size()}, halves[0]));
constexpr price_row read_that_day = [] {
  price_row row = spots[0];
  row.qualifier = date_qualifier::exact;
  return row;
}();
static_assert(!is_far_below(of_spots, read_that_day));

// A catalog of June against sources of August: most of three have more than twice its price.
constexpr price_row later_spot_of(std::string_view region, double usd) {
  return {"v6e", region, provisioning::spot, 1, usd_per_hour(usd), "2026-08-10", date_qualifier::exact, 'B'};
}
constexpr std::array<price_row, 5> later = {spot_of("us-central1", 0.5927), spot_of("us-east1", 0.5927),
                                            later_spot_of("us", 1.4033), later_spot_of("us-east5", 1.4033),
                                            later_spot_of("europe-west4", 1.782)};
constexpr price_book of_later{later.data(), later.size()};
static_assert(is_far_below(of_later, later[0]) && !is_far_below(of_later, later[4]));
static_assert(far_below_words(of_later, later[0]) ==
              "less than half of what most newer sources have for other regions");
static_assert(!is_far_below(of_later, spot_of("us-central1", 0.71)));
static_assert(!is_far_below(price_book{later.data(), 4}, later[0]));  // two newer sources are too few

// A book over no rows has no prices.
static_assert(price_book{nullptr, 0}.size() == 0 && !price_book{nullptr, 0}.is_built_in());
static_assert(!find_price(price_book{nullptr, 0}, slice_for("v5e-8"), "us", provisioning::on_demand));

}  // namespace

}  // namespace static_cost_price_tests
