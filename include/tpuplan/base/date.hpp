#ifndef TPUPLAN_BASE_DATE_HPP
#define TPUPLAN_BASE_DATE_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/text.hpp>

/// @file
/// Days, as ISO dates from the year 2000 on.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// Days from 0000-03-01 to an ISO date. Years are counted from March, so that a leap day is the last of its year.
constexpr std::int64_t day_number(std::string_view date) noexcept {
  const std::int64_t month = parse_count(date.substr(5, 2));
  const std::int64_t year = parse_count(date.substr(0, 4)) - (month < 3 ? 1 : 0);
  const std::int64_t day_of_year = (153 * (month + (month < 3 ? 9 : -3)) + 2) / 5 + parse_count(date.substr(8, 2)) - 1;
  return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year;
}

constexpr void append_two_digits(text<10>& to, std::int64_t number) {
  to.append(number < 10 ? "0" : "").append(number);
}

}  // namespace detail

/// Whether a text is an ISO date from the year 2000 on. Worked: "2026-09-17" is, "2026-02-29" is not.
[[nodiscard]] constexpr bool is_iso_date(std::string_view date) noexcept {
  if (date.size() != 10 || date[4] != '-' || date[7] != '-') return false;
  const std::int64_t year = detail::parse_count(date.substr(0, 4));
  const std::int64_t month = detail::parse_count(date.substr(5, 2));
  const std::int64_t day = detail::parse_count(date.substr(8, 2));
  if (year < 2000 || month < 1 || month > 12 || day < 1) return false;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const std::int64_t days = month == 2                                              ? (leap ? 29 : 28)
                            : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                                    : 31;
  return day <= days;
}

/// The whole days from one ISO date to another, negative where the second is the earlier one. Throws for a text that is
/// no date from 2000 on. Worked: from 2026-06-03 to 2026-11-22 are 172 days.
[[nodiscard]] constexpr std::int64_t days_between(std::string_view from, std::string_view to) {
  if (!is_iso_date(from) || !is_iso_date(to)) {
    detail::fail(errc::malformed_input, "date", is_iso_date(from) ? to : from,
                 "an ISO date from 2000 on, such as 2026-09-17");
  }
  return detail::day_number(to) - detail::day_number(from);
}

/// The date that many whole days after an ISO date. Throws for a text that is no date from 2000 on, and for a result
/// before 2000 or after 9999. Source: the inverse of the count above, as H. Hinnant derives it ("chrono-compatible
/// low-level date algorithms"). Worked: 40 days after 2026-12-01 is 2027-01-10.
[[nodiscard]] constexpr text<10> date_after(std::string_view from, std::int64_t days) {
  if (!is_iso_date(from))
    detail::fail(errc::malformed_input, "date", from, "an ISO date from 2000 on, such as 2026-09-17");
  if (days < -3000000 || days > 3000000) detail::fail(errc::out_of_range, "date: days", days, "-3000000 to 3000000");
  const std::int64_t number = detail::day_number(from) + days;
  const std::int64_t era = number / 146097, day_of_era = number % 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
  const std::int64_t year = era * 400 + year_of_era + (month < 3 ? 1 : 0);
  if (number < 0 || year < 2000 || year > 9999)
    detail::fail(errc::out_of_range, "date: days", days, "a date from 2000-01-01 to 9999-12-31");
  text<10> date;
  date.append(year).append("-");
  detail::append_two_digits(date, month);
  date.append("-");
  detail::append_two_digits(date, day_of_year - (153 * from_march + 2) / 5 + 1);
  return date;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
