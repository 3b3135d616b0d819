#ifndef TPUPLAN_SHOW_FMT_HPP
#define TPUPLAN_SHOW_FMT_HPP

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <tpuplan/show/text/one_line.hpp>
#include <type_traits>

/// @file
/// fmt formatters of the public types, fmt 8 to 12: `fmt::format("{:>10}", 16_GiB)`. The text is that of `one_line`.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether a format specification says how to write a number, rather than fill, side and width alone.
constexpr bool says_number(const char* at, const char* end) noexcept {
  const auto is_side = [](char c) { return c == '<' || c == '>' || c == '^'; };
  for (const char* c = at; c != end && c - at < 5 && *c != '}'; ++c) {
    if (is_side(*c)) {  // what is before it is the fill, at most four bytes
      at = c + 1;
      break;
    }
  }
  if (at != end && *at == '0') return true;
  for (int depth = 0; at != end; ++at) {
    if (*at == '{') ++depth;
    if (*at == '}' && depth-- == 0) return false;
    if (depth == 0 && *at != '}' && (*at < '0' || *at > '9')) return true;
  }
  return false;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

/// Every type with a one-line text takes the specification of a string.
template <class T>
struct fmt::formatter<T, char, std::enable_if_t<tpuplan::detail::has_one_line<T>>> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const T& value, Context& context) const -> decltype(context.out()) {
    const std::string line = tpuplan::one_line(value);
    return fmt::formatter<std::string_view>::format(std::string_view{line}, context);
  }
};

/// A quantity takes the specification of a string, which holds for number and unit together, or that of a double, which
/// holds for the number in its unit. Worked: of 16_GiB, "{:>10}" gives "  16.0 GiB" and "{:.2f}" gives "16.00 GiB".
template <class Dim>
struct fmt::formatter<tpuplan::quantity<Dim>, char> {
  /// Reads the specification: that of a number if it has a precision or a number type, else that of a string.
  template <class ParseContext>
  constexpr auto parse(ParseContext& context) -> decltype(context.begin()) {
    const auto begin = context.begin();
    const auto size = context.end() - begin;
    as_number_ = size > 0 && tpuplan::detail::says_number(&*begin, &*begin + size);
    return as_number_ ? number_.parse(context) : text_.parse(context);
  }

  /// Writes the amount.
  template <class Context>
  auto format(tpuplan::quantity<Dim> amount, Context& context) const -> decltype(context.out()) {
    const tpuplan::readable::measured m = tpuplan::readable::measure(amount);
    if (!as_number_) {
      const std::string line = tpuplan::readable::text(m);
      return text_.format(std::string_view{line}, context);
    }
    context.advance_to(fmt::format_to(context.out(), "{}", m.before));
    context.advance_to(number_.format(m.number, context));
    return fmt::format_to(context.out(), "{}", m.after);
  }

 private:
  fmt::formatter<std::string_view> text_;
  fmt::formatter<double> number_;
  bool as_number_ = false;
};

#endif
