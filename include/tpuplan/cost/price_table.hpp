#ifndef TPUPLAN_COST_PRICE_TABLE_HPP
#define TPUPLAN_COST_PRICE_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/maybe.hpp>
#include <tpuplan/text.hpp>
#include <tpuplan/units.hpp>

/// @file
/// The built-in prices: the US rows of data/prices.json, which names the source of each.

namespace tpuplan {
inline namespace abi_0 {

/// How capacity is paid for.
enum class provisioning : std::uint8_t {
  on_demand,
  spot,           ///< may be reclaimed at any time
  flex_start,     ///< queued, then up to 7 days uninterrupted
  calendar,       ///< reserved for whole days, 1 to 90
  commitment_1y,  ///< committed use, billed whether used or not
  commitment_3y,
};

/// Every way of paying, in the order of the enumerators.
inline constexpr std::array<provisioning, 6> all_provisioning = {
    provisioning::on_demand, provisioning::spot,          provisioning::flex_start,
    provisioning::calendar,  provisioning::commitment_1y, provisioning::commitment_3y};

/// "on_demand" and so on, as in data/prices.json.
[[nodiscard]] constexpr std::string_view name(provisioning kind) noexcept {
  constexpr std::string_view names[] = {"on_demand", "spot",          "flex_start",
                                        "calendar",  "commitment_1y", "commitment_3y"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// The kind of that name, dashes for underscores allowed; nothing if there is none.
[[nodiscard]] constexpr maybe<provisioning> parse_provisioning(std::string_view given) noexcept {
  for (const provisioning kind : all_provisioning) {
    const std::string_view wanted = name(kind);
    bool same = given.size() == wanted.size();
    for (std::size_t i = 0; same && i < given.size(); ++i) {
      same = detail::to_lower(given[i] == '-' ? '_' : given[i]) == wanted[i];
    }
    if (same) return kind;
  }
  return nothing;
}

/// How well the date of a price is known.
enum class date_qualifier : std::uint8_t {
  exact,       ///< read that day
  not_before,  ///< the source is of that day or younger
  month,       ///< of that month
};

/// "exact" and so on.
[[nodiscard]] constexpr std::string_view name(date_qualifier how) noexcept {
  constexpr std::string_view names[] = {"exact", "not_before", "month"};
  return detail::name_of(names, static_cast<std::size_t>(how));
}

/// The price of one chip, its host included, for slices of at least `smallest_chips`.
struct price_row {
  text<24> generation{};                             ///< the chip: "v5p"
  text<32> region{};                                 ///< "us-east5", or "us" for all regions of the US
  provisioning kind = provisioning::on_demand;       ///< the way of paying
  std::int64_t smallest_chips = 1;                   ///< chips of the smallest slice that it holds for
  usd_per_second per_chip{};                         ///< of one chip
  text<10> date{};                                   ///< ISO: 2026-09-17
  date_qualifier qualifier = date_qualifier::exact;  ///< how well the date is known
  char grade = 'B';  ///< A vendor data, B dated transcription, C press or notes, D derived
};

namespace detail {

/// A price of the built-in table, packed: places in the lists below, the smallest slice in chips, dollars per hour.
struct packed_price {
  std::int8_t generation, region, kind, smallest_chips, date, qualifier;
  char grade;
  double usd_per_chip_hour;
};
inline constexpr std::array<std::string_view, 10> price_regions = {
    "us",       "us-central1", "us-central2", "us-east",  "us-east1",
    "us-east4", "us-east5",    "us-south1",   "us-west1", "us-west4"};
inline constexpr std::array<std::string_view, 7> price_dates = {"2021-11-17", "2025-03-03", "2026-06-03", "2026-08-01",
                                                                "2026-08-11", "2026-09-10", "2026-09-17"};
// clang-format off
inline constexpr std::array<packed_price, 102> us_prices = {{
    {0, 0, 0, 1, 2, 1, 'A', 1.125}, {0, 0, 1, 1, 2, 1, 'A', 0.3375}, {0, 0, 0, 16, 2, 1, 'A', 1.5},
    {0, 0, 1, 16, 2, 1, 'A', 0.3825}, {0, 1, 0, 1, 2, 1, 'A', 1.125}, {0, 1, 1, 1, 2, 1, 'A', 0.3375},
    {0, 1, 0, 16, 2, 1, 'A', 1.5}, {0, 1, 1, 16, 2, 1, 'A', 0.3825}, {1, 0, 0, 1, 2, 1, 'A', 2.0},
    {1, 0, 1, 1, 2, 1, 'A', 0.51}, {1, 0, 0, 16, 2, 1, 'A', 2.0}, {1, 0, 1, 16, 2, 1, 'A', 0.6},
    {1, 0, 4, 16, 0, 0, 'B', 1.26}, {1, 0, 5, 16, 0, 0, 'B', 0.9}, {1, 1, 0, 1, 2, 1, 'A', 2.0},
    {1, 1, 1, 1, 2, 1, 'A', 0.51}, {1, 1, 0, 16, 0, 0, 'B', 2.0}, {1, 1, 4, 16, 0, 0, 'B', 1.26},
    {1, 1, 5, 16, 0, 0, 'B', 0.9}, {1, 4, 0, 1, 2, 1, 'A', 2.0}, {1, 4, 0, 16, 2, 1, 'A', 2.0},
    {1, 4, 1, 16, 2, 1, 'A', 0.6}, {2, 0, 0, 1, 2, 1, 'A', 3.22}, {2, 0, 1, 1, 2, 1, 'A', 0.9215},
    {2, 0, 4, 1, 1, 0, 'B', 2.03}, {2, 0, 5, 1, 1, 0, 'B', 1.45}, {2, 2, 0, 1, 2, 1, 'A', 3.22},
    {2, 2, 1, 1, 2, 1, 'A', 0.9215}, {2, 2, 4, 1, 1, 0, 'B', 2.03}, {2, 2, 5, 1, 1, 0, 'B', 1.45},
    {3, 0, 0, 1, 6, 0, 'B', 1.2}, {3, 0, 1, 1, 2, 1, 'A', 0.6}, {3, 0, 2, 1, 4, 0, 'B', 0.6},
    {3, 0, 3, 1, 6, 1, 'D', 0.84}, {3, 0, 4, 1, 6, 0, 'B', 0.84}, {3, 0, 5, 1, 6, 0, 'B', 0.54},
    {3, 1, 0, 1, 2, 1, 'A', 1.2}, {3, 1, 1, 1, 2, 1, 'A', 0.29771}, {3, 1, 4, 1, 1, 0, 'B', 0.84},
    {3, 1, 5, 1, 1, 0, 'B', 0.54}, {3, 3, 0, 1, 1, 0, 'B', 1.2}, {3, 3, 4, 1, 1, 0, 'B', 0.84},
    {3, 3, 5, 1, 1, 0, 'B', 0.54}, {3, 4, 0, 1, 2, 1, 'A', 1.2}, {3, 4, 1, 1, 2, 1, 'A', 0.29771},
    {3, 6, 0, 1, 2, 1, 'A', 1.2}, {3, 6, 1, 1, 2, 1, 'A', 0.6}, {3, 7, 0, 1, 2, 1, 'A', 1.416},
    {3, 7, 1, 1, 2, 1, 'A', 0.65419}, {3, 8, 0, 1, 2, 1, 'A', 1.2}, {3, 8, 1, 1, 2, 1, 'A', 0.29771},
    {3, 8, 4, 1, 1, 0, 'B', 0.84}, {3, 8, 5, 1, 1, 0, 'B', 0.54}, {3, 9, 0, 1, 2, 1, 'A', 1.2},
    {3, 9, 1, 1, 2, 1, 'A', 0.52536}, {4, 0, 0, 1, 6, 0, 'B', 4.2}, {4, 0, 1, 1, 2, 1, 'A', 1.299953},
    {4, 0, 2, 1, 6, 1, 'C', 2.1}, {4, 0, 3, 1, 6, 1, 'D', 2.94}, {4, 0, 4, 1, 6, 0, 'B', 2.94},
    {4, 0, 5, 1, 6, 0, 'B', 1.89}, {4, 1, 0, 1, 2, 1, 'A', 4.2}, {4, 1, 1, 1, 2, 1, 'A', 0.78049},
    {4, 4, 0, 1, 2, 1, 'A', 4.2}, {4, 4, 1, 1, 2, 1, 'A', 0.78049}, {4, 6, 0, 1, 2, 1, 'A', 4.2},
    {4, 6, 1, 1, 2, 1, 'A', 1.299953}, {4, 7, 0, 1, 2, 1, 'A', 4.779}, {4, 7, 1, 1, 2, 1, 'A', 0.785835},
    {5, 0, 0, 1, 2, 1, 'A', 2.7}, {5, 0, 1, 1, 2, 1, 'A', 1.27575}, {5, 0, 2, 1, 5, 0, 'B', 1.35},
    {5, 0, 3, 1, 3, 2, 'C', 1.89}, {5, 0, 4, 1, 6, 0, 'B', 1.89}, {5, 0, 5, 1, 6, 0, 'B', 1.22},
    {5, 1, 0, 1, 2, 1, 'A', 2.7}, {5, 1, 1, 1, 2, 1, 'A', 0.592665}, {5, 3, 0, 1, 1, 0, 'B', 2.7},
    {5, 3, 4, 1, 1, 0, 'B', 1.89}, {5, 3, 5, 1, 1, 0, 'B', 1.22}, {5, 4, 0, 1, 2, 1, 'A', 2.7},
    {5, 4, 1, 1, 2, 1, 'A', 0.592665}, {5, 4, 4, 1, 6, 0, 'B', 1.89}, {5, 4, 5, 1, 6, 0, 'B', 1.22},
    {5, 5, 0, 1, 2, 1, 'A', 2.7}, {5, 5, 1, 1, 2, 1, 'A', 0.344911}, {5, 6, 0, 1, 2, 1, 'A', 2.7},
    {5, 6, 1, 1, 2, 1, 'A', 1.27575}, {5, 6, 4, 1, 6, 0, 'B', 1.89}, {5, 6, 5, 1, 6, 0, 'B', 1.22},
    {5, 7, 0, 1, 2, 1, 'A', 2.7}, {5, 7, 1, 1, 2, 1, 'A', 1.218375}, {5, 8, 0, 1, 2, 1, 'A', 2.7},
    {5, 8, 1, 1, 2, 1, 'A', 0.592665}, {6, 0, 0, 1, 6, 0, 'B', 12.0}, {6, 0, 2, 1, 6, 1, 'C', 6.0},
    {6, 0, 3, 1, 6, 1, 'D', 8.4}, {6, 0, 4, 1, 6, 0, 'B', 8.4}, {6, 0, 5, 1, 6, 0, 'B', 5.4},
    {6, 1, 0, 1, 6, 0, 'B', 12.0}, {6, 1, 4, 1, 6, 0, 'B', 8.4}, {6, 1, 5, 1, 6, 0, 'B', 5.4},
}};
// clang-format on

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif
