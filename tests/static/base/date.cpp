// The worked numbers in the comments of base/date.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/base/date.hpp>

using namespace tpuplan;

namespace static_base_date_tests {

namespace {

static_assert(is_iso_date("2026-09-17") && !is_iso_date("2026-02-29") && !is_iso_date("1999-12-31"));
static_assert(days_between("2026-06-03", "2026-11-22") == 172 && days_between("2026-11-22", "2026-06-03") == -172 &&
              days_between("2000-02-28", "2000-03-01") == 2 && days_between("2023-02-28", "2023-03-01") == 1 &&
              days_between("2000-01-01", "2400-01-01") == 146097 && days_between("2026-12-31", "2027-01-01") == 1);
static_assert(is_iso_date("2024-02-29") && is_iso_date("2000-02-29") && !is_iso_date("2023-02-29") &&
              !is_iso_date("2100-02-29") && !is_iso_date("1900-02-29") && !is_iso_date("2024/02-01") &&
              !is_iso_date("2024-02/01") && !is_iso_date("2024-02-1") && !is_iso_date("2024-11-31") &&
              is_iso_date("2024-12-31") && is_iso_date("2024-11-30"));
static_assert(date_after("2026-12-01", 40) == "2027-01-10" && date_after("2026-12-01", 0) == "2026-12-01");
static_assert(date_after("2028-02-28", 1) == "2028-02-29" && date_after("2028-03-01", -1) == "2028-02-29");
static_assert(date_after("2026-01-01", -1) == "2025-12-31" && date_after("2000-01-01", 365242 / 10) == "2099-12-31");

constexpr bool counts_every_day(std::string_view from, std::int64_t days) {
  for (std::int64_t i = 0; i <= days; ++i)
    if (days_between(from, date_after(from, i).view()) != i) return false;
  return true;
}
static_assert(counts_every_day("2027-01-01", 800));

}  // namespace

}  // namespace static_base_date_tests
