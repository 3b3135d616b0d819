// Short texts.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tpuplan/base/text.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace text_tests {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

}  // namespace

TEST_CASE("short texts") {
  STATIC_REQUIRE(text<8>{"v5p"} == "v5p");
  STATIC_REQUIRE(text<8>{"v5p"} != "v5e");
  STATIC_REQUIRE("v5p" == text<8>{"v5p"});
  STATIC_REQUIRE(text<24>{"v5p"} == text<8>{"v5p"});
  STATIC_REQUIRE(text<24>{"v5e"} != text<8>{"v5p"});
  STATIC_REQUIRE("v5e" != text<8>{"v5p"});
  STATIC_REQUIRE(std::string_view{"v5p"} == text<8>{"v5p"});
  STATIC_REQUIRE(std::string_view{"v5e"} != text<8>{"v5p"});
  STATIC_REQUIRE(text<8>{"v5p"} == text<8>{std::string_view{"v5p"}});
  STATIC_REQUIRE(text<8>{"v5p"} != text<8>{"v5"});
  STATIC_REQUIRE(text<8>{}.empty());
  STATIC_REQUIRE(text<8>{"v5p"}.size() == 3);
  STATIC_REQUIRE(text<3>{"v5p"} == "v5p");  // full to the last character
  STATIC_REQUIRE(text<8>{"v5p"}.append("-").append(std::int64_t{128}) == "v5p-128");
  // A text with a NUL inside keeps it.
  const std::string with_nul{"a\0b", 3};
  CHECK(text<8>{std::string_view{with_nul}}.size() == 3);
}

TEST_CASE("whole numbers in texts") {
  struct number {
    std::int64_t value;
    const char* written;
  };
  for (const number& n : {number{0, "0"},
                          {7, "7"},
                          {-7, "-7"},
                          {10, "10"},
                          {1000000007, "1000000007"},
                          {most, "9223372036854775807"},
                          {least, "-9223372036854775808"}}) {
    INFO(n.written);
    CHECK(text<20>{}.append(n.value) == n.written);
  }
}

TEST_CASE("a text that does not fit is refused and names what was given") {
  const refusal constructed = refusal_of([] { (void)text<3>{"v5lite"}; });
  CHECK(constructed.code == errc::out_of_range);
  CHECK(says(refusal_of([] { (void)text<24>{"a-name-of-a-chip-that-is-too-long"}; }).message, "at most 24 characters"));
  CHECK(says(constructed.message, "v5lite"));
  text<6> value{"abc"};
  CHECK(refusal_of([&] { value.append("defg"); }).code == errc::out_of_range);
  CHECK(value == "abc");  // and nothing was changed
  value.append("def");
  CHECK(value == "abcdef");
  CHECK(refusal_of([&] { value.append("g"); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)text<19>{}.append(least); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)text<3>{std::string(10000, 'x')}; }).code == errc::out_of_range);
}

}  // namespace text_tests
