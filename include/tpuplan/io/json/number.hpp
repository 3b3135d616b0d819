#ifndef TPUPLAN_IO_JSON_NUMBER_HPP
#define TPUPLAN_IO_JSON_NUMBER_HPP

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/error.hpp>

/// @file
/// What io/json/file.hpp and io/json.hpp share: a whole number of a document, and how a refusal quotes a value.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether some character could speak to a terminal.
[[nodiscard]] constexpr bool has_control(std::string_view words) noexcept {
  for (const char c : words) {
    if ((c >= 0 && c < ' ') || c == 127) return true;
  }
  return false;
}

/// A value as a refusal quotes it: 40 characters of it, of a list or an object what it is.
template <class Json>
[[nodiscard]] std::string shown_json(const Json& given) {
  if (given.is_structured()) return given.type_name();
  const std::string text = given.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

/// A whole number, which may be written as 1e6; `path()` names it.
template <class Json, class Path>
[[nodiscard]] std::int64_t whole_number(const Json& given, const Path& path) {
  if (given.is_number_unsigned() && given.template get<std::uint64_t>() > std::uint64_t{9223372036854775807}) {
    fail(errc::out_of_range, path(), given.dump(), "a whole number below 2^63");
  }
  if (given.is_number_integer()) return given.template get<std::int64_t>();
  if (given.is_number_float()) {
    const double number = given.template get<double>();
    if (std::abs(number) < 9e15 && number == std::floor(number)) return static_cast<std::int64_t>(number);
  }
  fail(errc::malformed_input, path(), shown_json(given), "a whole number");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
