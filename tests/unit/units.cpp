// Units, counts, short texts, figures that may be missing, formats, and the one exception.

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/dtype.hpp>
#include <tpuplan/error.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/integer.hpp>
#include <tpuplan/known.hpp>
#include <tpuplan/maybe.hpp>
#include <tpuplan/text.hpp>
#include <tpuplan/units.hpp>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// What a call is refused with, "" where it is not.
}  // namespace

// ---- units
// ------------------------------------------------------------------------------------------------------------

TEST_CASE("literals are exact amounts of the base unit") {
  STATIC_REQUIRE((16_GiB).value() == 17179869184.0);
  STATIC_REQUIRE((16_GB).value() == 16e9);
  STATIC_REQUIRE(1_KiB == 1024_B);
  STATIC_REQUIRE(1_MiB == 1024_KiB);
  STATIC_REQUIRE(1_GiB == 1024_MiB);
  STATIC_REQUIRE(1_TiB == 1024_GiB);
  STATIC_REQUIRE(1_kB == 1000_B);
  STATIC_REQUIRE(1_MB == 1000_kB);
  STATIC_REQUIRE(1_GB == 1000_MB);
  STATIC_REQUIRE(1_TB == 1000_GB);
  STATIC_REQUIRE(1_GiB > 1_GB);
  STATIC_REQUIRE((1.5_GiB).value() == 1610612736.0);
  STATIC_REQUIRE((2_GFLOP).value() == 2e9);
  STATIC_REQUIRE((2_TFLOP).value() == 2e12);
  STATIC_REQUIRE((2_PFLOP).value() == 2e15);
  STATIC_REQUIRE((7_FLOP).value() == 7);
  STATIC_REQUIRE(197_TFLOP_per_s == 197000_GFLOP_per_s);
  STATIC_REQUIRE(2_PFLOP_per_s == 2000_TFLOP_per_s);
  STATIC_REQUIRE((3_FLOP_per_s).value() == 3);
  STATIC_REQUIRE((819_GB_per_s).value() == 8.19e11);
  STATIC_REQUIRE(1_TB_per_s == 1000_GB_per_s);
  STATIC_REQUIRE((5_B_per_s).value() == 5);
  STATIC_REQUIRE((2.5_min).value() == 150);
  STATIC_REQUIRE(1_h == 60_min);
  STATIC_REQUIRE(1_days == 24_h);
  STATIC_REQUIRE((3_ms).value() == 3e-3);
  STATIC_REQUIRE((3_us).value() == 3e-6);
  STATIC_REQUIRE((940_MHz).value() == 9.4e8);
  STATIC_REQUIRE((50_Hz).value() == 50);
  STATIC_REQUIRE((3.67_usd).value() == 3.67);
  STATIC_REQUIRE((3600_usd_per_h).value() == 1);
  STATIC_REQUIRE(1.20_usd_per_h == usd_per_hour(1.20));
  // An amount of FLOPs and a rate of them are different types.
  STATIC_REQUIRE(!std::is_same_v<decltype(1_TFLOP), decltype(1_TFLOP_per_s)>);
}

TEST_CASE("readers give the number in the unit of their name") {
  STATIC_REQUIRE(in_gib(bytes{17179869184.0}) == 16);
  STATIC_REQUIRE(in_gb(bytes{16e9}) == 16);
  STATIC_REQUIRE(in_tflop(flops{3e12}) == 3);
  STATIC_REQUIRE(in_tflop_per_s(flops_per_second{1.97e14}) == 197);
  STATIC_REQUIRE(in_gb_per_s(bytes_per_second{8.19e11}) == 819);
  STATIC_REQUIRE(in_ms(seconds{0.25}) == 250);
  STATIC_REQUIRE(in_us(seconds{0.25}) == 250000);
  STATIC_REQUIRE(in_hours(seconds{5400}) == 1.5);
  STATIC_REQUIRE(in_days(seconds{129600}) == 1.5);
  STATIC_REQUIRE(in_usd_per_hour(usd_per_second{0.5}) == 1800);
}

TEST_CASE("arithmetic of quantities") {
  STATIC_REQUIRE(3_s + 4_s == 7_s);
  STATIC_REQUIRE(3_s - 4_s == -(1_s));
  STATIC_REQUIRE(3_s * 2.0 == 6_s);
  STATIC_REQUIRE(2.0 * 3_s == 6_s);
  STATIC_REQUIRE(3_s / 2.0 == 1.5_s);
  STATIC_REQUIRE(12_B / 3_B == 4.0);
  STATIC_REQUIRE((10_FLOP / 4_B).value() == 2.5);
  STATIC_REQUIRE(10_B / 5_B_per_s == 2_s);
  STATIC_REQUIRE((1.0 / 4_s).value() == 0.25);
  STATIC_REQUIRE(max(3_s, 4_s) == 4_s);
  STATIC_REQUIRE(max(4_s, 3_s) == 4_s);
  STATIC_REQUIRE(min(3_s, 4_s) == 3_s);
  STATIC_REQUIRE(min(4_s, 3_s) == 3_s);
  STATIC_REQUIRE(seconds{} == 0_s);
  STATIC_REQUIRE((3_s < 4_s && 3_s <= 4_s && 4_s > 3_s && 4_s >= 3_s && 3_s <= 3_s && 3_s >= 3_s));
  STATIC_REQUIRE_FALSE((3_s < 3_s || 3_s > 3_s || 3_s == 4_s || 3_s != 3_s));
  bytes sum = 1_B;
  sum += 4_B;
  sum -= 2_B;
  sum *= 6;
  sum /= 9;
  CHECK(sum == 2_B);
}

TEST_CASE("capacities of the table are whole bytes that a double holds exactly") {
  for (const chip_spec& chip : generations) {
    INFO(chip.name.view());
    const std::vector<bytes> exact = {chip.hbm.capacity,
                                      chip.hbm.documented,
                                      chip.hbm.usable_per_device.value(),
                                      chip.on_chip.vmem_per_tensorcore,
                                      chip.on_chip.cmem,
                                      chip.on_chip.smem_per_tensorcore.value()};
    for (const bytes amount : exact) {
      INFO(amount.value());
      CHECK(amount.value() == std::floor(amount.value()));
      CHECK(amount.value() < 9007199254740992.0);
    }
    CHECK(std::fmod(chip.hbm.capacity.value(), 1073741824.0) == 0);
    CHECK(chip.hbm.usable_per_device.value() * static_cast<double>(chip.jax_devices) < chip.hbm.capacity);
    CHECK(chip.hbm.usable_per_device.value() * static_cast<double>(chip.jax_devices) > 0.9 * chip.hbm.capacity);
  }
}

// ---- integer
// ----------------------------------------------------------------------------------------------------------

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
    std::function<void()> call;
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

// ---- text
// -------------------------------------------------------------------------------------------------------------

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

// ---- known
// ------------------------------------------------------------------------------------------------------------

TEST_CASE("a figure is a value, absent or unknown") {
  constexpr known<double> value{2.0};
  constexpr known<double> missing{absent};
  constexpr known<double> open{unknown};
  STATIC_REQUIRE((value.has_value() && !value.is_absent() && !value.is_unknown()));
  STATIC_REQUIRE((!missing.has_value() && missing.is_absent() && !missing.is_unknown()));
  STATIC_REQUIRE((!open.has_value() && !open.is_absent() && open.is_unknown()));
  STATIC_REQUIRE(known<double>{}.is_unknown());
  STATIC_REQUIRE(value.value() == 2.0);
  STATIC_REQUIRE(value.value_or(3.0) == 2.0);
  STATIC_REQUIRE(missing.value_or(3.0) == 3.0);
  STATIC_REQUIRE(open.value_or(3.0) == 3.0);
  STATIC_REQUIRE(missing == known<double>{absent});
  STATIC_REQUIRE(missing != open);
  STATIC_REQUIRE(value != missing);
  STATIC_REQUIRE(value == known<double>{2.0});
  STATIC_REQUIRE(value != known<double>{2.5});
  STATIC_REQUIRE(known<double>{0.0} != open);  // neither is ever 0
  STATIC_REQUIRE(known<double>{0.0} != missing);
  STATIC_REQUIRE(known<bool>{false} != known<bool>{true});

  const refusal of_absent = refusal_of([&] { (void)missing.value("int8 peak"); });
  CHECK(of_absent.code == errc::unknown_figure);
  CHECK(says(of_absent.message, "int8 peak is absent"));
  const refusal of_unknown = refusal_of([&] { (void)open.value("clock"); });
  CHECK(of_unknown.code == errc::unknown_figure);
  CHECK(says(of_unknown.message, "clock is unknown"));
}

TEST_CASE("a look-up finds a value or nothing") {
  constexpr maybe<std::int64_t> found{7};
  constexpr maybe<std::int64_t> none{nothing};
  STATIC_REQUIRE((found.has_value() && found && *found == 7 && found.value() == 7));
  STATIC_REQUIRE((!none.has_value() && !none && none == nothing && found != nothing));
  STATIC_REQUIRE((found == 7 && found != 8 && none != 7));
  STATIC_REQUIRE((found.value_or(3) == 7 && none.value_or(3) == 3));
  STATIC_REQUIRE(maybe<std::int64_t>{0} != nothing);  // nothing is not 0
  STATIC_REQUIRE(maybe<std::int64_t>{} == nothing);
  CHECK(refusal_of([&] { (void)none.value(); }).refused);
  CHECK(refusal_of([&] { (void)*none; }).refused);
  const std::optional<std::int64_t> as_optional = found;
  CHECK(as_optional == 7);
  const std::optional<std::int64_t> as_empty = none;
  CHECK_FALSE(as_empty.has_value());
}

// ---- dtype
// ------------------------------------------------------------------------------------------------------------

TEST_CASE("formats: sizes and names both ways") {
  struct row {
    dtype type;
    std::int64_t width;
    double size;
    std::vector<std::string> names;
  };
  const std::vector<row> rows = {
      {dtype::fp32, 32, 4, {"fp32", "float32", "f32", "FP32"}},
      {dtype::bf16, 16, 2, {"bf16", "bfloat16", "BF16", "BFloat16"}},
      {dtype::fp16, 16, 2, {"fp16", "float16", "f16"}},
      {dtype::fp8, 8, 1, {"fp8", "float8_e4m3fn", "float8_e5m2", "f8e4m3", "f8e5m2"}},
      {dtype::int8, 8, 1, {"int8", "s8", "INT8"}},
      {dtype::int4, 4, 0.5, {"int4", "s4"}},
  };
  for (const row& r : rows) {
    INFO(r.names.front());
    CHECK(bits(r.type) == r.width);
    CHECK(size_of(r.type).value() == r.size);
    CHECK(name(r.type) == r.names.front());
    for (const std::string& alias : r.names) {
      INFO(alias);
      CHECK(parse_dtype(alias) == r.type);
      CHECK(dtype_for(alias) == r.type);
    }
  }
  const std::vector<std::string> wrong = {"",
                                          "bf",
                                          "bf16 ",
                                          " bf16",
                                          "float",
                                          "int",
                                          "int16",
                                          "fp64",
                                          "uint8",
                                          "fp4",
                                          std::string(10000, 'f'),
                                          std::string{"bf16\0", 5}};
  for (const std::string& bad : wrong) {
    INFO(bad.substr(0, 40));
    CHECK_FALSE(parse_dtype(bad).has_value());
    const refusal got = refusal_of([&] { (void)dtype_for(bad); });
    CHECK(got.code == errc::unknown_name);
    CHECK(says(got.message, "dtype"));
  }
  CHECK(says(refusal_of([] { (void)dtype_for("fp64"); }).message, "fp64; valid: fp32, bf16, fp16, fp8, int8 or int4"));
  CHECK(refusal_of([] { (void)bits(static_cast<dtype>(99)); }).code == errc::unknown_name);
}

// ---- error
// ------------------------------------------------------------------------------------------------------------

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
