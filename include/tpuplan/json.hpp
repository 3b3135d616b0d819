#ifndef TPUPLAN_JSON_HPP
#define TPUPLAN_JSON_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json/named.hpp>
#include <tpuplan/json/text.hpp>
#include <tpuplan/json/value.hpp>
#include <type_traits>

/// @file
/// Every public struct to JSON and back, exactly. Keys are the names of the fields followed by their SI unit:
/// `hbm.capacity_bytes`, `step.total_s`, `rate_usd_per_s`. Enumerators are their names; a missing figure is "absent" or
/// "unknown", an optional one null, infinity "infinity". A missing key leaves the default of its field; an unknown key
/// is refused. A chip, a shape, a slice or a remat policy may be given by name.

namespace tpuplan {
inline namespace abi_0 {

/// The layout of documents: it changes when a key is renamed, dropped or changes its meaning.
inline constexpr std::string_view json_schema = "tpuplan/1";

namespace detail {

/// Types that become JSON as a whole document.
template <class T>
inline constexpr bool is_json_document = has_trait<fields_of, T> || has_trait<list_of, T>;

/// Types that nlohmann_json converts by the functions below.
template <class T>
inline constexpr bool has_json = is_json_document<T> || is_named_enum<T> || std::is_same<T, price_book>::value;
template <class Dim>
inline constexpr bool has_json<quantity<Dim>> = true;
template <class T>
inline constexpr bool has_json<known<T>> = true;
template <class T>
inline constexpr bool has_json<maybe<T>> = true;

template <class T>
[[nodiscard]] constexpr std::string_view json_type_name() noexcept {
  if constexpr (has_trait<fields_of, T>) {
    return fields_of<T>::type_name;
  } else {
    return list_of<T>::type_name;
  }
}

/// The value inside a document, whose schema and type are checked.
[[nodiscard]] inline const nlohmann::json& value_of_document(const nlohmann::json& document, std::string_view type,
                                                             const json_reading& how, std::string_view source) {
  const json_place root{nullptr, source, 0};
  if (!document.is_object()) root.refuse(errc::malformed_input, document, "an object");
  const auto at = [&](const char* key, std::string_view wanted) -> const nlohmann::json& {
    const auto found = document.find(key);
    if (found == document.end()) fail(errc::missing_field, root.under(key).text(), "missing", wanted);
    return *found;
  };
  const auto expect = [&](const char* key, std::string_view wanted) {
    const nlohmann::json& given = at(key, wanted);
    if (!is_text(given, wanted)) root.under(key).refuse(errc::unsupported, given, wanted);
  };
  expect("schema", json_schema);
  expect("type", type);
  const nlohmann::json& value = at("value", type);
  if (document.size() != 3 && how.unknown == unknown_keys::refuse)
    refuse_key_not_of({"schema", "type", "value"}, document, root);
  return value;
}

/// Writes the document of a struct, step by step.
template <class T>
void write_document(const T& value, json_sink to) {
  constexpr std::string_view type = json_type_name<T>();
  to.begin_object();
  to.key("schema");
  to.text(json_schema);
  to.key("type");
  to.text(type);
  to.key("value");
  json_form<T>::write(value, {nullptr, type, 0}, to);
  to.end();
}

}  // namespace detail

/// @{
/// Conversions that nlohmann_json finds: `nlohmann::json j = plan` and `j.get<plan>()`. Throws `tpuplan::error`, which
/// names the key, for NaN and for values that cannot be read. Worked: nlohmann::json(16_GiB) is 17179869184.0.
template <class T, std::enable_if_t<detail::has_json<T>, int> = 0>
void to_json(nlohmann::json& into, const T& value) {
  into = detail::json_of<nlohmann::json>(value, {nullptr, "value", 0});
}
template <class T, std::enable_if_t<detail::has_json<T>, int> = 0>
void to_json(nlohmann::ordered_json& into, const T& value) {
  into = detail::json_of<nlohmann::ordered_json>(value, {nullptr, "value", 0});
}
template <class T, std::enable_if_t<detail::has_json<T>, int> = 0>
void from_json(const nlohmann::json& from, T& into) {
  T fresh{};
  detail::json_form<T>::read(from, {nullptr, "value", 0}, {}, fresh);
  into = fresh;
}
/// @}

/// A value of any type that JSON can hold, read as `how` says; `source` precedes the key in the text of an error.
/// Worked: read_json<slice>("v5p-128") is slice_for("v5p-128").
template <class T, std::size_t = sizeof(detail::json_form<T>)>
[[nodiscard]] T read_json(const nlohmann::json& from, const json_reading& how = {}, std::string_view source = "value") {
  T value{};
  detail::json_form<T>::read(from, {nullptr, source, 0}, how, value);
  return value;
}

/// A struct as a document that says what it is: {"schema": "tpuplan/1", "type": "plan", "value": {…}}, the keys in the
/// order of the fields. Worked: `json_document(slice_for("v5e-8"))` has the type "slice".
template <class T, std::enable_if_t<detail::is_json_document<T>, int> = 0>
[[nodiscard]] nlohmann::ordered_json json_document(const T& value) {
  nlohmann::ordered_json document;
  detail::json_builder<nlohmann::ordered_json> builder{document};
  detail::write_document(value, builder.sink());
  return document;
}

/// The same document as text, `indent` spaces for each level, or on one line if it is negative. The text is that of
/// `json_document(value).dump(indent)`, written without a tree of values between, which compiles in a quarter less
/// time. Throws as `json_document` does. Worked: `json_text(slice_for("v5e-8"), -1)` begins with
/// {"schema":"tpuplan/1","type":"slice".
template <class T, std::enable_if_t<detail::is_json_document<T>, int> = 0>
[[nodiscard]] std::string json_text(const T& value, int indent = 2) {
  detail::json_text_builder writer{indent};
  detail::write_document(value, writer.sink());
  return writer.text();
}

/// A struct read from a document that `json_document` wrote. Refuses another schema, another type and, unless `how`
/// says otherwise, unknown keys. Worked: the document of slice_for("v5e-8") is read as a slice of 8 chips.
template <class T, std::enable_if_t<detail::is_json_document<T>, int> = 0>
[[nodiscard]] T read_json_document(const nlohmann::json& document, const json_reading& how = {},
                                   std::string_view source = "document") {
  constexpr std::string_view type = detail::json_type_name<T>();
  return read_json<T>(detail::value_of_document(document, type, how, source), how, type);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
