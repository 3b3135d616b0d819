#ifndef TPUPLAN_SHOW_OSTREAM_HPP
#define TPUPLAN_SHOW_OSTREAM_HPP

#include <optional>
#include <ostream>
#include <tpuplan/show/text/one_line.hpp>

/// @file
/// Streaming of the public types: `std::cout << usable_hbm(s)` prints "2.02 TiB". The text is that of `one_line`.

namespace tpuplan {
inline namespace abi_0 {

/// Writes the one-line text; width, fill and alignment of the stream apply to the whole text, its precision has no
/// effect. Worked: 16_GiB is written as "16.0 GiB".
template <class Dim>
std::ostream& operator<<(std::ostream& out, quantity<Dim> amount) {
  return out << one_line(amount);
}

namespace detail {

/// A text is written as it is, by the operator of its own header.
template <class T>
inline constexpr bool is_text_by_value = false;
template <std::size_t Capacity>
inline constexpr bool is_text_by_value<text<Capacity>> = true;

}  // namespace detail

/// Writes the one-line text of any public type that has one. Worked: slice_for("v5p-128") is written as "v5p-128".
template <class T, std::enable_if_t<detail::has_one_line<T> && !detail::is_text_by_value<T>, int> = 0>
std::ostream& operator<<(std::ostream& out, const T& value) {
  return out << one_line(value);
}

/// Writes the value of an optional, or "none". Worked: std::optional<seconds>{} is written as "none".
template <class T, std::enable_if_t<detail::has_one_line<T>, int> = 0>
std::ostream& operator<<(std::ostream& out, const std::optional<T>& value) {
  return out << detail::field_text(value);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
