// What the library says of a price that was added to its data and nowhere else.
#include <tpuplan/cost/price.hpp>

using namespace tpuplan;

constexpr maybe<price_row> added = find_price(price_book{}, "v6e", "us", provisioning::spot, 128);
static_assert(added->per_chip == usd_per_hour(0.123) && added->date == "2031-01-01" && added->grade == 'C');
// Smaller slices keep the price that they had.
static_assert(find_price(price_book{}, "v6e", "us", provisioning::spot, 64)->date != "2031-01-01");
