// Counts at their edges.

#include <cstdint>
#include <limits>
#include <tpuplan/base/integer.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace integer_tests {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("counts at their edges") {
  STATIC_REQUIRE(checked_multiply(most, 1) == most);
  STATIC_REQUIRE(checked_multiply(most, -1) == -most);
  STATIC_REQUIRE(checked_multiply(least, 1) == least);
  STATIC_REQUIRE(checked_multiply(most, 0) == 0);
  STATIC_REQUIRE(checked_multiply(std::int64_t{1} << 31, std::int64_t{1} << 31) == std::int64_t{1} << 62);
  STATIC_REQUIRE(checked_multiply(most, 1, 1) == most);
  STATIC_REQUIRE(checked_add(most, 0) == most);
  STATIC_REQUIRE(checked_add(most, least) == -1);
  STATIC_REQUIRE(checked_add(most - 1, 1) == most);
  STATIC_REQUIRE(ceil_div(0, 7) == 0);
  STATIC_REQUIRE(ceil_div(1, 7) == 1);
  STATIC_REQUIRE(ceil_div(7, 7) == 1);
  STATIC_REQUIRE(ceil_div(8, 7) == 2);
  STATIC_REQUIRE(ceil_div(most, 1) == most);
  STATIC_REQUIRE(ceil_div(most, most) == 1);
  STATIC_REQUIRE(ceil_div(most, 2) == most / 2 + 1);
  STATIC_REQUIRE(round_up(0, 128) == 0);
  STATIC_REQUIRE(round_up(1, 128) == 128);
  STATIC_REQUIRE(round_up(128, 128) == 128);
  STATIC_REQUIRE(round_up(129, 128) == 256);
  STATIC_REQUIRE(round_up(most, 1) == most);
  STATIC_REQUIRE(is_power_of_two(1));
  STATIC_REQUIRE(is_power_of_two(std::int64_t{1} << 62));
  STATIC_REQUIRE_FALSE(is_power_of_two(0));
  STATIC_REQUIRE_FALSE(is_power_of_two(-4));
  STATIC_REQUIRE_FALSE(is_power_of_two(least));
  STATIC_REQUIRE_FALSE(is_power_of_two(6));
  STATIC_REQUIRE(floor_to_count(0) == 0);
  STATIC_REQUIRE(floor_to_count(-0.5) == -1);
  STATIC_REQUIRE(floor_to_count(-1.0) == -1);
  STATIC_REQUIRE(floor_to_count(0.9999) == 0);
  STATIC_REQUIRE(floor_to_count(4503599627370495.5) == 4503599627370495);
  STATIC_REQUIRE(ceil_to_count(0.25) == 1);
  STATIC_REQUIRE(ceil_to_count(-0.5) == 0);
  STATIC_REQUIRE(ceil_to_count(-1.5) == -1);
  STATIC_REQUIRE(ceil_to_count(3.0) == 3);
}

TEST_CASE("counts that cannot be are refused with the field") {
  struct bad_call {
    const char* what;
    plain_call<void()> call;
    errc code;
    const char* names;
  };
  const std::vector<bad_call> calls = {
      {"most * 2", [] { (void)checked_multiply(most, 2); }, errc::out_of_range, "product of counts"},
      {"least * -1", [] { (void)checked_multiply(least, -1); }, errc::out_of_range, "product of counts"},
      {"2^21 cubed times 2",
       [] { (void)checked_multiply(std::int64_t{1} << 21, std::int64_t{1} << 21, std::int64_t{1} << 21); },
       errc::out_of_range, "product of counts"},
      {"most + 1", [] { (void)checked_add(most, 1); }, errc::out_of_range, "sum of counts"},
      {"least - 1", [] { (void)checked_add(least, -1); }, errc::out_of_range, "sum of counts"},
      {"ceil_div of -1", [] { (void)ceil_div(-1, 2); }, errc::invalid_argument, "ceil_div: count"},
      {"ceil_div by 0", [] { (void)ceil_div(1, 0); }, errc::missing_field, "ceil_div: divisor"},
      {"ceil_div by -1", [] { (void)ceil_div(1, -1); }, errc::invalid_argument, "ceil_div: divisor"},
      {"round_up of -1", [] { (void)round_up(-1, 128); }, errc::invalid_argument, "round_up: count"},
      {"round_up to 0", [] { (void)round_up(1, 0); }, errc::missing_field, "round_up: multiple"},
      {"round_up to -8", [] { (void)round_up(1, -8); }, errc::invalid_argument, "round_up: multiple"},
      {"round_up past the end", [] { (void)round_up(most, 2); }, errc::out_of_range, "product of counts"},
      {"floor of NaN", [] { (void)floor_to_count(not_a_number); }, errc::not_finite, "count"},
      {"floor of infinity", [] { (void)floor_to_count(infinity); }, errc::not_finite, "count"},
      {"floor of 1e19", [] { (void)floor_to_count(1e19); }, errc::out_of_range, "count"},
      {"floor of -1e19", [] { (void)floor_to_count(-1e19); }, errc::out_of_range, "count"},
      {"ceil of NaN", [] { (void)ceil_to_count(not_a_number); }, errc::not_finite, "count"},
      {"ceil of 1e300", [] { (void)ceil_to_count(1e300); }, errc::out_of_range, "count"},
  };
  for (const bad_call& bad : calls) {
    INFO(bad.what);
    const refusal got = refusal_of(bad.call);
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == bad.code);
    CHECK(says(got.message, bad.names));
  }
}

TEST_CASE("a count that overflows names both that made it", "[door]") {
  CHECK(says(refusal_of([] { (void)checked_multiply(9000000000000000, 2000); }).message,
             "product of counts is 9000000000000000 x 2000"));
  CHECK(says(refusal_of([] { (void)checked_add(most, 7); }).message, "sum of counts is 9223372036854775807 + 7"));
}

TEST_CASE("divisors in rising order, in few steps", "[door]") {
  const auto list = [](std::int64_t whole) {
    std::vector<std::int64_t> found;
    detail::for_each_divisor(whole, [&](std::int64_t divisor) { found.push_back(divisor); });
    return found;
  };
  CHECK(list(1) == std::vector<std::int64_t>{1});
  CHECK(list(36) == std::vector<std::int64_t>{1, 2, 3, 4, 6, 9, 12, 18, 36});
  CHECK(list(97) == std::vector<std::int64_t>{1, 97});
  CHECK(list(0).empty());
  CHECK(list(std::int64_t{1} << 40).size() == 41);
}

}  // namespace integer_tests
