// Dates that are refused, and those just before.
#include <tpuplan/base/date.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace base_date_tests {

TEST_CASE("every day of four years is as many days after the first", "[date]") {
  for (std::int64_t i = 0; i <= 1461; ++i) {
    INFO(i);
    CHECK(days_between("2000-01-01", date_after("2000-01-01", i).view()) == i);
  }
  CHECK(date_after("2400-02-29", 0) == "2400-02-29");
  CHECK(date_after("2000-01-01", 146097) == "2400-01-01");
  CHECK(date_after("9999-12-31", -2921939) == "2000-01-01");
  CHECK(date_after("9999-12-30", 1) == "9999-12-31");
}

TEST_CASE("dates beyond those with four digits are refused", "[date]") {
  const struct {
    const char* from;
    std::int64_t days;
    const char* said;
  } rows[] = {{"2026-13-01", 1, "date is 2026-13-01; valid: an ISO date from 2000 on, such as 2026-09-17"},
              {"9999-12-31", 1, "date: days is 1; valid: a date from 2000-01-01 to 9999-12-31"},
              {"2000-01-01", -1, "date: days is -1; valid: a date from 2000-01-01"},
              {"2000-01-01", 3000000, "date: days is 3000000; valid: a date from 2000-01-01"},
              {"2000-01-01", 3000001, "date: days is 3000001; valid: -3000000 to 3000000"},
              {"2000-01-01", -3000000, "date: days is -3000000; valid: a date from 2000-01-01"},
              {"2000-01-01", -3000001, "date: days is -3000001; valid: -3000000 to 3000000"}};
  for (const auto& [from, days, said] : rows) {
    const refusal found = refusal_of([from = from, days = days] { (void)date_after(from, days); });
    INFO(found.message);
    CHECK(says(found.message, said));
  }
}

}  // namespace base_date_tests
