#ifndef TPUPLAN_SHOW_TEXT_ONE_LINE_HPP
#define TPUPLAN_SHOW_TEXT_ONE_LINE_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/reflect/types.hpp>
#include <tpuplan/show/text/phrases.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <type_traits>
#include <vector>

/// @file
/// The one-line text of every public type, which show/ostream.hpp, show/fmt.hpp and show/notebook.hpp share.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// Types whose text is their name.
template <class T>
inline constexpr bool has_name = is_named_enum<T> || is_one_of<T, remat_policy, slice, topology>;

/// Types with a one-line text, amounts apart.
template <class T>
inline constexpr bool has_one_line =
    has_name<T> || has_trait<fields_of, T> || has_trait<list_of, T> || is_one_of<T, price_book, owned_price_book>;
template <std::size_t Capacity>
inline constexpr bool has_one_line<text<Capacity>> = true;
template <class T>
inline constexpr bool has_one_line<known<T>> = true;
template <class T>
inline constexpr bool has_one_line<maybe<T>> = true;

}  // namespace detail

/// An amount with three digits in a unit of a sensible size. Worked: 12.4 GiB, 197 TFLOP/s, $48.2k, 3.10 days.
template <class Dim>
[[nodiscard]] std::string one_line(quantity<Dim> amount) {
  return readable::text(readable::measure(amount));
}

/// The text of a public type in one line: the name of an enumerator, a slice, a shape or a policy; the figures of a
/// breakdown; "absent", "unknown" or "none" for a missing value; of any other struct its fields, without those that are
/// 0, false or empty. Worked: one_line(slice_for("v5p-128")) is "v5p-128".
template <class T, std::enable_if_t<detail::has_one_line<T>, int> = 0>
[[nodiscard]] std::string one_line(const T& value);

namespace detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T, std::size_t Count>
inline constexpr bool is_vector<std::array<T, Count>> = true;
template <class T>
inline constexpr bool is_quantity = false;
template <class Dim>
inline constexpr bool is_quantity<quantity<Dim>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_optional<maybe<T>> = true;
template <class T>
inline constexpr bool is_known = false;
template <class T>
inline constexpr bool is_known<known<T>> = true;

/// Whether a value is left out of the text of a struct: it is 0, false, empty or missing.
template <class T>
[[nodiscard]] bool is_blank(const T& value) {
  if constexpr (std::is_arithmetic<T>::value) {
    return value == T{};
  } else if constexpr (is_quantity<T>) {
    return value.value() == 0;
  } else if constexpr (is_optional<T>) {
    return !value.has_value();
  } else if constexpr (is_vector<T> || std::is_same<T, std::string>::value) {
    return value.empty();
  } else if constexpr (std::is_convertible<T, std::string_view>::value) {
    return std::string_view(value).empty();
  } else if constexpr (has_trait<fields_of, T> && !has_name<T>) {
    bool blank = true;
    fields_of<T>::each(value, [&blank](std::string_view, const auto& field) { blank = blank && is_blank(field); });
    return blank;
  } else {
    return false;
  }
}

/// Several values: "[1, 2, 3]", and nine or more as "12 of them".
template <class Values>
[[nodiscard]] std::string values_line(const Values& values, std::size_t count);

/// A value of any type that a public struct has for a field.
template <class T>
[[nodiscard]] std::string field_text(const T& value) {
  if constexpr (std::is_same<T, bool>::value) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same<T, char>::value) {
    return std::string(1, value);
  } else if constexpr (std::is_integral<T>::value) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point<T>::value) {
    return readable::number(value);
  } else if constexpr (std::is_same<T, std::string>::value) {
    return value;
  } else if constexpr (is_optional<T>) {
    return value.has_value() ? field_text(*value) : "none";
  } else if constexpr (is_known<T>) {
    return value.has_value() ? field_text(value.value()) : value.is_absent() ? "absent" : "unknown";
  } else if constexpr (is_vector<T>) {
    return values_line(value, value.size());
  } else {
    return one_line(value);
  }
}

template <class Values>
[[nodiscard]] std::string values_line(const Values& values, std::size_t count) {
  if (count > 8) return std::to_string(count) + " of them";
  std::string line = "[";
  for (std::size_t i = 0; i < count; ++i) line += (i == 0 ? "" : ", ") + field_text(values[i]);
  return line + "]";
}

/// A field as a row of a table: its text, or none where it is blank.
struct shown_field {
  template <class T>
  shown_field(const T& x) noexcept  // NOLINT(google-explicit-constructor)
      : value{&x},
        blank{[](const void* at) { return is_blank(*static_cast<const T*>(at)); }},
        text{[](const void* at) { return field_text(*static_cast<const T*>(at)); }} {}
  const void* value;
  bool (*blank)(const void*);
  std::string (*text)(const void*);
};

/// "sublanes 8, lanes 128": the fields that are not blank.
struct fields_line {
  std::string_view names;
  std::string& line;

  void operator()(const shown_field* fields, std::size_t size) const {
    std::string_view rest = names;
    for (std::size_t i = 0; i < size; ++i) {
      const std::string_view name = take_name(rest);
      if (fields[i].blank(fields[i].value)) continue;
      line.append(line.empty() ? "" : ", ").append(name).append(" ").append(fields[i].text(fields[i].value));
    }
  }
};

}  // namespace detail

template <class T, std::enable_if_t<detail::has_one_line<T>, int>>
std::string one_line(const T& value) {
  if constexpr (detail::has_name<T>) {
    return std::string(std::string_view(name(value)));
  } else if constexpr (detail::has_phrase<T>) {
    return detail::phrase(value);
  } else if constexpr (detail::has_trait<detail::fields_of, T>) {
    using fields = detail::fields_of<T>;
    std::string line;
    fields::template table<detail::shown_field>(value, detail::fields_line{fields::names, line});
    return std::string(fields::type_name).append("{").append(line).append("}");
  } else if constexpr (detail::has_trait<detail::list_of, T>) {
    return detail::values_line(detail::list_of<T>::values(value), detail::list_of<T>::count(value));
  } else if constexpr (std::is_same<T, owned_price_book>::value) {
    return std::to_string(value.rows().size()) + " prices";
  } else if constexpr (std::is_same<T, price_book>::value) {
    return std::to_string(value.size()) + " prices" +
           (value.own_size() > 0 ? ", " + std::to_string(value.own_size()) + " of them own" : "");
  } else if constexpr (detail::is_optional<T> || detail::is_known<T>) {
    return detail::field_text(value);
  } else {
    return std::string(value.view());
  }
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
