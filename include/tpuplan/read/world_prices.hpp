#ifndef TPUPLAN_READ_WORLD_PRICES_HPP
#define TPUPLAN_READ_WORLD_PRICES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <tpuplan/read/prices.hpp>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// The prices of all regions: those of the built-in book, which are of the US, and the rows of data/prices.json that
/// are of elsewhere. The table between the marks is generated from it by `cmake --build BUILD --target generate`, and
/// is not edited here.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

// generated: other_prices from data/prices.json
// clang-format off
inline constexpr std::array<packed_price, 61> other_prices = {{
    {"v2", "asia-east1", provisioning::on_demand, 1, 1.305, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "asia-east1", provisioning::spot, 1, 0.3915, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "europe-west4", provisioning::on_demand, 1, 1.2375, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "europe-west4", provisioning::spot, 1, 0.315563, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "europe-west4", provisioning::on_demand, 16, 1.5, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "europe-west4", provisioning::spot, 16, 0.3825, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "europe-west4", provisioning::on_demand, 1, 2.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "europe-west4", provisioning::spot, 1, 0.561, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "europe-west4", provisioning::on_demand, 16, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "europe-west4", provisioning::spot, 16, 0.66, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "europe-west4", provisioning::commitment_1y, 16, 1.26, "2019-08-31", date_qualifier::exact, 'B'},
    {"v3", "europe-west4", provisioning::commitment_3y, 16, 0.9, "2019-08-31", date_qualifier::exact, 'B'},
    {"v5e", "asia-east1", provisioning::on_demand, 1, 1.38948, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "asia-east1", provisioning::spot, 1, 0.47652, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "asia-northeast1", provisioning::on_demand, 1, 1.54104, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "asia-northeast1", provisioning::spot, 1, 0.2534, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "asia-south2", provisioning::on_demand, 1, 1.44132, "2026-06-14", date_qualifier::exact, 'A'},
    {"v5e", "asia-southeast1", provisioning::on_demand, 1, 1.56, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "asia-southeast1", provisioning::spot, 1, 0.78, "2026-06-14", date_qualifier::exact, 'A'},
    {"v5e", "asia-southeast1", provisioning::commitment_1y, 1, 1.09, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "asia-southeast1", provisioning::commitment_3y, 1, 0.7, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "europe-north1", provisioning::on_demand, 1, 1.32132, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "europe-north1", provisioning::spot, 1, 0.66066, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "europe-west1", provisioning::on_demand, 1, 1.32132, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "europe-west1", provisioning::spot, 1, 0.52853, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "europe-west1", provisioning::commitment_1y, 1, 0.92, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "europe-west1", provisioning::commitment_3y, 1, 0.59, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "europe-west3", provisioning::on_demand, 1, 1.416, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "europe-west3", provisioning::spot, 1, 0.23284, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "europe-west4", provisioning::on_demand, 1, 1.56, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "europe-west4", provisioning::spot, 1, 0.51011, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "europe-west4", provisioning::commitment_1y, 1, 1.09, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "europe-west4", provisioning::commitment_3y, 1, 0.7, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "northamerica-northeast1", provisioning::on_demand, 1, 1.32132, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "northamerica-northeast1", provisioning::spot, 1, 0.21727, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "southamerica-west1", provisioning::on_demand, 1, 1.716, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "southamerica-west1", provisioning::spot, 1, 0.28217, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "asia-south2", provisioning::calendar, 1, 2.94, "2026-06-14", date_qualifier::exact, 'A'},
    {"v5p", "europe-west1", provisioning::on_demand, 1, 4.459455, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "europe-west1", provisioning::spot, 1, 1.609862, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "europe-west4", provisioning::on_demand, 1, 4.2525, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "europe-west4", provisioning::spot, 1, 1.043435, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "europe-west4", provisioning::commitment_3y, 1, 1.911, "2026-06-14", date_qualifier::exact, 'A'},
    {"v5p", "southamerica-east1", provisioning::on_demand, 1, 6.430995, "2026-06-14", date_qualifier::exact, 'A'},
    {"v6e", "asia-northeast1", provisioning::on_demand, 1, 3.24, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "asia-northeast1", provisioning::spot, 1, 1.457074, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "asia-northeast1", provisioning::commitment_1y, 1, 2.27, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "asia-northeast1", provisioning::commitment_3y, 1, 1.46, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "asia-south1", provisioning::on_demand, 1, 3.24, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "asia-south1", provisioning::spot, 1, 1.388948, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "asia-southeast1", provisioning::on_demand, 1, 2.97, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "asia-southeast1", provisioning::spot, 1, 0.2673, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "europe-west4", provisioning::on_demand, 1, 2.97, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "europe-west4", provisioning::spot, 1, 1.782, "2026-08-25", date_qualifier::exact, 'B'},
    {"v6e", "europe-west4", provisioning::flex_start, 1, 1.35, "2026-08-25", date_qualifier::exact, 'B'},
    {"v6e", "europe-west4", provisioning::commitment_1y, 1, 2.08, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "europe-west4", provisioning::commitment_3y, 1, 1.34, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "southamerica-west1", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"tpu7x", "europe-west2", provisioning::on_demand, 1, 13.2, "2026-09-01", date_qualifier::month, 'B'},
    {"tpu7x", "europe-west2", provisioning::commitment_1y, 1, 9.24, "2026-09-01", date_qualifier::month, 'B'},
    {"tpu7x", "europe-west2", provisioning::commitment_3y, 1, 5.94, "2026-09-01", date_qualifier::month, 'B'},
}};
// clang-format on
// end of generated: other_prices

/// Where a row stands: by generation, the prices for all of the US first, then by region.
inline auto place_in_world(const price_row& row) {
  std::size_t generation = 0;
  while (generation < generations.size() && generations[generation].name != row.generation) ++generation;
  return std::make_tuple(generation, row.region != std::string_view("us"), std::string(row.region.view()),
                         row.smallest_chips, row.kind);
}

}  // namespace detail

/// All rows of data/prices.json, by generation and region. Worked: of v5p in europe-west4 they have a price, the
/// built-in book has none.
[[nodiscard]] inline owned_price_book world_prices() {
  std::vector<price_row> rows;
  for (const detail::packed_price& one : detail::us_prices) rows.push_back(detail::to_price(one));
  for (const detail::packed_price& one : detail::other_prices) rows.push_back(detail::to_price(one));
  std::sort(rows.begin(), rows.end(), [](const price_row& a, const price_row& b) {
    return detail::place_in_world(a) < detail::place_in_world(b);
  });
  std::vector<std::string> sources(rows.size(), "data/prices.json");
  return {std::move(rows), std::move(sources)};
}

/// How a known price is far below those of other regions of the world, in words (`far_below_words`), whatever book it
/// is taken from; empty where it is not, and for a price that the world's rows do not have, which is the reader's own.
/// Worked: of spot of v6e in asia-southeast1, 0.27 USD, "less than a third of what most other regions charge".
[[nodiscard]] inline std::string_view far_below_world(const price_row& price) {
  static const owned_price_book world = world_prices();
  const maybe<price_row> known =
      find_price(world.book(), price.generation, price.region, price.kind, price.smallest_chips);
  if (!known || known->per_chip != price.per_chip || known->date != price.date) return {};
  return far_below_words(world.book(), price);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
