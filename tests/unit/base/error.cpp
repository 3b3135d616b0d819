// The one exception, and what it says.

#include <limits>
#include <string>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/text.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace error_tests {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("an error reads: field, value, what is valid") {
  const error whole{errc::no_price, "price", "spot of v5p", "another region"};
  CHECK(std::string{whole.what()} == "tpuplan: price is spot of v5p; valid: another region");
  CHECK(whole.code() == errc::no_price);
  CHECK(std::string{error{errc::infeasible, "field", "", ""}.what()} == "tpuplan: field");
  CHECK(std::string{error{errc::infeasible, "field", "3", ""}.what()} == "tpuplan: field is 3");
  CHECK(std::string{error{errc::infeasible, "field", "", "4"}.what()} == "tpuplan: field; valid: 4");
  const std::exception& base = whole;
  CHECK(std::string{base.what()} == whole.what());
}

TEST_CASE("names and counts are read letter by letter") {
  using detail::parse_count;
  CHECK(parse_count("0") == 0);
  CHECK(parse_count("907") == 907);
  CHECK(parse_count("999999999") == 999999999);
  for (const char* wrong : {"", "1000000000", "-1", "1/", "1:", "/1", " 1", "0x1", "1.0"}) {
    CAPTURE(wrong);
    CHECK(parse_count(wrong) == -1);
  }
  CHECK(detail::to_lower('A') == 'a');
  CHECK(detail::to_lower('Z') == 'z');
  CHECK(detail::to_lower('@') == '@');
  CHECK(detail::to_lower('[') == '[');
  CHECK(detail::to_lower('m') == 'm');
  CHECK(detail::same_name("V5P", "v5p"));
  CHECK_FALSE(detail::same_name("v5p", "v5"));
  CHECK(detail::starts_with_name("V5P-8", "v5p"));
  CHECK_FALSE(detail::starts_with_name("v5p", "v5p-8"));
  CHECK_FALSE(detail::starts_with_name("v6e-8", "v5p"));
  const text<8> a{"a"}, b{"b"};
  CHECK(a != b.view());
  CHECK_FALSE(a != a.view());
  CHECK(a < b);
  CHECK_FALSE(a < a);
  CHECK(std::string{text<8>{}.append(0).append("|").append(-9).view()} == "0|-9");
}

TEST_CASE("a message is printable ASCII, whatever was given") {
  CHECK(std::string{error{errc::unknown_name, "a\nb", "\x1b[31m\x7f caf\xc3\xa9 ~", "\xff !"}.what()} ==
        "tpuplan: a?b is ?[31m? caf?? ~; valid: ? !");
}

TEST_CASE("a long value is cut so that what is valid keeps its place") {
  const std::string valid(20, 'y');
  CHECK(std::string{error{errc::unknown_name, "f", std::string(1000, 'x'), valid}.what()} ==
        "tpuplan: f is " + std::string(273, 'x') + "...; valid: " + valid);
  CHECK(std::string{error{errc::unknown_name, "f", std::string(276, 'x'), valid}.what()} ==
        "tpuplan: f is " + std::string(276, 'x') + "; valid: " + valid);
  CHECK(std::string{error{errc::unknown_name, "f", std::string(1000, 'x'), ""}.what()} ==
        "tpuplan: f is " + std::string(302, 'x') + "...");
  const std::string long_valid = error{errc::unknown_name, "f", std::string(1000, 'x'), std::string(400, 'y')}.what();
  CHECK(long_valid == "tpuplan: f is " + std::string(13, 'x') + "...; valid: " + std::string(277, 'y') + "...");
}

TEST_CASE("a count that is too small is refused with what would do") {
  CHECK(says(refusal_of([] { detail::count_from("steps", -1, 0); }).message, "steps is -1; valid: 0 or more"));
  CHECK(
      says(refusal_of([] { detail::count_from("steps", 1, 2); }).message, "steps is 1; valid: a larger whole number"));
  CHECK(detail::count_from("steps", 2, 2) == 2);
}

TEST_CASE("the message is cut at 319 characters and says so") {
  const std::string prefix = "tpuplan: ";
  for (const std::size_t length : {std::size_t{309}, std::size_t{310}, std::size_t{311}, std::size_t{10000}}) {
    INFO(length);
    const std::string message = error{errc::invalid_argument, std::string(length, 'x'), "", ""}.what();
    if (prefix.size() + length <= 319) {
      CHECK(message == prefix + std::string(length, 'x'));
    } else {
      CHECK(message == prefix + std::string(307, 'x') + "...");
      CHECK(message.size() == 319);
    }
  }
  const error cut{errc::invalid_argument, "field", std::string(400, 'y'), "what is valid"};
  CHECK(std::string{cut.what()}.size() == 319);
  CHECK(says(cut.what(), "field is yyy"));
  const error copy = cut;  // it owns its text
  CHECK(std::string{copy.what()} == cut.what());
  CHECK(copy.what() != cut.what());
}

TEST_CASE("reasons have stable names and numbers") {
  const std::vector<std::string> names = {"invalid_argument", "out_of_range",  "not_finite",     "unknown_name",
                                          "not_divisible",    "missing_field", "unknown_figure", "no_price",
                                          "malformed_input",  "unsupported",   "infeasible"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(name(static_cast<errc>(i)) == names[i]);
  }
}

TEST_CASE("checks of real numbers tell 0, negative and not finite apart") {
  struct bad_number {
    double value;
    errc positive;
    errc in_range;
  };
  for (const bad_number& bad : {bad_number{0, errc::missing_field, errc::out_of_range},
                                {-1, errc::invalid_argument, errc::out_of_range},
                                {not_a_number, errc::not_finite, errc::not_finite},
                                {infinity, errc::not_finite, errc::not_finite},
                                {-infinity, errc::not_finite, errc::not_finite}}) {
    INFO(bad.value);
    CHECK(refusal_of([&] { (void)detail::positive("field", bad.value); }).code == bad.positive);
    CHECK(refusal_of([&] { (void)detail::in_range("field", bad.value, 1, 2, "1 to 2"); }).code == bad.in_range);
  }
  CHECK(detail::not_negative("field", 0) == 0);
  CHECK(refusal_of([] { (void)detail::not_negative("field", -1e-300); }).code == errc::invalid_argument);
  CHECK(refusal_of([] { (void)detail::not_negative("field", not_a_number); }).code == errc::not_finite);
  CHECK(detail::in_range("field", 1, 1, 2, "1 to 2") == 1);
  CHECK(detail::in_range("field", 2, 1, 2, "1 to 2") == 2);
  CHECK(says(refusal_of([] { (void)detail::positive("deadline", -2.5); }).message, "deadline is -2.5; valid:"));
}

}  // namespace error_tests
