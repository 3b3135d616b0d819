#ifndef TPUPLAN_COST_PRICE_TABLE_HPP
#define TPUPLAN_COST_PRICE_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// The built-in prices: the US rows of data/prices.json, which names the source of each. The table between the marks is
/// generated from it by `cmake --build BUILD --target generate`, and is not edited here.

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
  constexpr const char* names[] = {"on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// The kind of that name, dashes for underscores allowed; nothing if there is none. Worked: "flex-start" is
/// `flex_start`, the third of the six.
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
  constexpr const char* names[] = {"exact", "not_before", "month"};
  return detail::name_of(names, static_cast<std::size_t>(how));
}

/// The price of one chip, its host included, for slices of at least `smallest_chips`.
struct price_row {
  text<24> generation{};                             ///< the chip: "v5p"
  text<32> region{};                                 ///< "us-east5", or "us" for all regions of the US
  provisioning kind = provisioning::on_demand;       ///< the way of paying
  std::int64_t smallest_chips = 1;                   ///< chips of the smallest slice for which the price holds
  usd_per_second per_chip{};                         ///< of one chip
  text<10> date{};                                   ///< ISO: 2026-09-17
  date_qualifier qualifier = date_qualifier::exact;  ///< how well the date is known
  char grade = 'B';  ///< A vendor data, B dated transcription, C press or notes, D derived
};

namespace detail {

/// A price of the built-in table, in dollars per hour.
struct packed_price {
  const char* chip;
  const char* region;
  provisioning kind;
  std::int64_t smallest_chips;
  double usd_per_chip_hour;
  const char* date;
  date_qualifier qualifier;
  char grade;
};

// generated: us_prices from data/prices.json
// clang-format off
inline constexpr std::array<packed_price, 105> us_prices = {{
    {"v2", "us", provisioning::on_demand, 1, 1.125, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us", provisioning::spot, 1, 0.3375, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us", provisioning::on_demand, 16, 1.5, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us", provisioning::spot, 16, 0.3825, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us-central1", provisioning::on_demand, 1, 1.125, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us-central1", provisioning::spot, 1, 0.3375, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us-central1", provisioning::on_demand, 16, 1.5, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us-central1", provisioning::spot, 16, 0.3825, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::on_demand, 1, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::spot, 1, 0.51, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::on_demand, 16, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::spot, 16, 0.6, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::commitment_1y, 16, 1.26, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us", provisioning::commitment_3y, 16, 0.9, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us-central1", provisioning::on_demand, 1, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us-central1", provisioning::spot, 1, 0.51, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us-central1", provisioning::on_demand, 16, 2.0, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us-central1", provisioning::commitment_1y, 16, 1.26, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us-central1", provisioning::commitment_3y, 16, 0.9, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us-east1", provisioning::on_demand, 1, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us-east1", provisioning::on_demand, 16, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us-east1", provisioning::spot, 16, 0.6, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us", provisioning::on_demand, 1, 3.22, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us", provisioning::spot, 1, 0.9215, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us", provisioning::commitment_1y, 1, 2.03, "2025-03-03", date_qualifier::exact, 'B'},
    {"v4", "us", provisioning::commitment_3y, 1, 1.45, "2025-03-03", date_qualifier::exact, 'B'},
    {"v4", "us-central2", provisioning::on_demand, 1, 3.22, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us-central2", provisioning::spot, 1, 0.9215, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us-central2", provisioning::commitment_1y, 1, 2.03, "2025-03-03", date_qualifier::exact, 'B'},
    {"v4", "us-central2", provisioning::commitment_3y, 1, 1.45, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us", provisioning::on_demand, 1, 1.2, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5e", "us", provisioning::spot, 1, 0.6, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us", provisioning::flex_start, 1, 0.6, "2026-08-11", date_qualifier::exact, 'B'},
    {"v5e", "us", provisioning::commitment_1y, 1, 0.84, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5e", "us", provisioning::commitment_3y, 1, 0.54, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5e", "us-central1", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-central1", provisioning::spot, 1, 0.29771, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-central1", provisioning::commitment_1y, 1, 0.84, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-central1", provisioning::commitment_3y, 1, 0.54, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-east", provisioning::on_demand, 1, 1.2, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-east", provisioning::commitment_1y, 1, 0.84, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-east", provisioning::commitment_3y, 1, 0.54, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-east1", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-east1", provisioning::spot, 1, 0.29771, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-east5", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-east5", provisioning::spot, 1, 0.6, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-south1", provisioning::on_demand, 1, 1.416, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-south1", provisioning::spot, 1, 0.65419, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-west1", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-west1", provisioning::spot, 1, 0.29771, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-west1", provisioning::commitment_1y, 1, 0.84, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-west1", provisioning::commitment_3y, 1, 0.54, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-west4", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-west4", provisioning::spot, 1, 0.607, "2026-08-11", date_qualifier::exact, 'B'},
    {"v5p", "us", provisioning::on_demand, 1, 4.2, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5p", "us", provisioning::spot, 1, 1.299953, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us", provisioning::flex_start, 1, 2.1, "2026-09-17", date_qualifier::not_before, 'C'},
    {"v5p", "us", provisioning::calendar, 1, 2.94, "2026-06-14", date_qualifier::exact, 'A'},
    {"v5p", "us", provisioning::commitment_1y, 1, 2.94, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5p", "us", provisioning::commitment_3y, 1, 1.89, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5p", "us-central1", provisioning::on_demand, 1, 4.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-central1", provisioning::spot, 1, 0.78049, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-east1", provisioning::on_demand, 1, 4.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-east1", provisioning::spot, 1, 0.78049, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-east5", provisioning::on_demand, 1, 4.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-east5", provisioning::spot, 1, 1.299953, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-south1", provisioning::on_demand, 1, 4.779, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-south1", provisioning::spot, 1, 0.785835, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us", provisioning::spot, 1, 1.4033, "2026-08-10", date_qualifier::exact, 'B'},
    {"v6e", "us", provisioning::flex_start, 1, 1.35, "2026-09-10", date_qualifier::exact, 'B'},
    {"v6e", "us", provisioning::calendar, 1, 1.89, "2026-08-01", date_qualifier::month, 'B'},
    {"v6e", "us", provisioning::commitment_1y, 1, 1.89, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us", provisioning::commitment_3y, 1, 1.22, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-central1", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-central1", provisioning::spot, 1, 0.592665, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east", provisioning::on_demand, 1, 2.7, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "us-east", provisioning::commitment_1y, 1, 1.89, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "us-east", provisioning::commitment_3y, 1, 1.22, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "us-east1", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east1", provisioning::spot, 1, 0.592665, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east1", provisioning::commitment_1y, 1, 1.89, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-east1", provisioning::commitment_3y, 1, 1.22, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-east4", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east4", provisioning::spot, 1, 0.344911, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east5", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east5", provisioning::spot, 1, 1.4033, "2026-08-10", date_qualifier::exact, 'B'},
    {"v6e", "us-east5", provisioning::flex_start, 1, 1.35, "2026-08-01", date_qualifier::month, 'B'},
    {"v6e", "us-east5", provisioning::calendar, 1, 1.89, "2026-08-01", date_qualifier::month, 'B'},
    {"v6e", "us-east5", provisioning::commitment_1y, 1, 1.89, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-east5", provisioning::commitment_3y, 1, 1.22, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-south1", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-south1", provisioning::spot, 1, 1.218375, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-west1", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-west1", provisioning::spot, 1, 0.592665, "2026-06-03", date_qualifier::not_before, 'A'},
    {"tpu7x", "us", provisioning::on_demand, 1, 12.0, "2026-08-24", date_qualifier::exact, 'A'},
    {"tpu7x", "us", provisioning::flex_start, 1, 6.0, "2026-09-17", date_qualifier::not_before, 'C'},
    {"tpu7x", "us", provisioning::calendar, 1, 8.4, "2026-09-17", date_qualifier::not_before, 'D'},
    {"tpu7x", "us", provisioning::commitment_1y, 1, 8.4, "2026-09-17", date_qualifier::exact, 'B'},
    {"tpu7x", "us", provisioning::commitment_3y, 1, 5.4, "2026-09-17", date_qualifier::exact, 'B'},
    {"tpu7x", "us-central1", provisioning::on_demand, 1, 12.0, "2026-08-24", date_qualifier::exact, 'A'},
    {"tpu7x", "us-central1", provisioning::commitment_1y, 1, 8.4, "2026-09-17", date_qualifier::exact, 'B'},
    {"tpu7x", "us-central1", provisioning::commitment_3y, 1, 5.4, "2026-09-17", date_qualifier::exact, 'B'},
    {"tpu7x", "us-east1", provisioning::on_demand, 1, 12.0, "2026-08-24", date_qualifier::exact, 'A'},
    {"tpu7x", "us-west1", provisioning::on_demand, 1, 12.0, "2026-08-24", date_qualifier::exact, 'A'},
}};
// clang-format on
// end of generated: us_prices

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif
