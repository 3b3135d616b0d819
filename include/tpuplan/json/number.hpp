#ifndef TPUPLAN_JSON_NUMBER_HPP
#define TPUPLAN_JSON_NUMBER_HPP

#if !defined(__cpp_exceptions)
#error "the headers of tpuplan that read or write JSON need exceptions; docs/embed.md says which do not"
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/joined.hpp>

/// @file
/// What json/file.hpp and json.hpp share: reading a whole number, and quoting a value in an error.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether some character could control a terminal.
[[nodiscard]] constexpr bool has_control(std::string_view words) noexcept {
  for (const char c : words) {
    if ((c >= 0 && c < ' ') || c == 127) return true;
  }
  return false;
}

/// A value as an error quotes it: its first 40 characters, or "a list" and the like.
[[nodiscard]] inline std::string shown_json(const nlohmann::json& given) {
  if (const auto* const words = given.get_ptr<const std::string*>()) {
    std::string quoted = "\"";
    for (const char c : *words) {
      if (quoted.size() > 40) break;
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    quoted += '"';
    return quoted.size() <= 40 ? quoted : quoted.substr(0, 37).append("...");
  }
  char number[40] = {};
  if (const auto* const count = given.get_ptr<const nlohmann::json::number_unsigned_t*>()) {
    (void)__builtin_snprintf(number, sizeof(number), "%llu", static_cast<unsigned long long>(*count));
  } else if (const auto* const whole = given.get_ptr<const nlohmann::json::number_integer_t*>()) {
    (void)__builtin_snprintf(number, sizeof(number), "%lld", static_cast<long long>(*whole));
  } else if (const auto* const real = given.get_ptr<const nlohmann::json::number_float_t*>()) {
    (void)__builtin_snprintf(number, sizeof(number), "%.10g", *real);
  } else if (const auto* const flag = given.get_ptr<const bool*>()) {
    return *flag ? "true" : "false";
  } else {
    return given.type_name();
  }
  return number;
}

/// A whole number, which may be written as 1e6; `path()` names it.
template <class Path>
[[nodiscard]] std::int64_t whole_number(const nlohmann::json& given, const Path& path) {
  if (const auto* const count = given.get_ptr<const nlohmann::json::number_unsigned_t*>()) {
    if (*count > std::uint64_t{9223372036854775807})
      fail(errc::out_of_range, path(), shown_json(given), "a whole number below 2^63");
    return static_cast<std::int64_t>(*count);
  }
  if (const auto* const whole = given.get_ptr<const nlohmann::json::number_integer_t*>()) return *whole;
  if (const auto* const real = given.get_ptr<const nlohmann::json::number_float_t*>()) {
    if (std::abs(*real) < 9e15 && *real == std::floor(*real)) return static_cast<std::int64_t>(*real);
    if (std::abs(*real) >= 9e15) fail(errc::out_of_range, path(), shown_json(given), "a whole number below 9e15");
  }
  fail(errc::malformed_input, path(), shown_json(given), "a whole number");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
