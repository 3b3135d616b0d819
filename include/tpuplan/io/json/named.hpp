#ifndef TPUPLAN_IO_JSON_NAMED_HPP
#define TPUPLAN_IO_JSON_NAMED_HPP

#include <cstddef>
#include <string_view>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/io/json/value.hpp>
#include <tpuplan/io/reflect/enumerators.hpp>
#include <tpuplan/io/reflect/fields.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// What stands in JSON otherwise than by its fields: chips, slices and policies by name, and price books.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// A chip of the table, a shape, a slice or a policy may be given by its name.
template <>
struct named_value<chip_spec> {
  template <class T>
  static T of(given_name<T> name, const json_place& at) {
    if (const auto found = find_chip(name)) return *found;
    fail(errc::unknown_name, at.text(), name, chip_names().append(", or the figures of a chip").view());
  }
};
template <>
struct named_value<topology> {
  template <class T>
  static T of(given_name<T> name, const json_place& at) {
    if (const auto found = parse_topology(name)) return *found;
    fail(errc::unknown_name, at.text(), name, "a shape such as 4x8 or 4x4x8");
  }
};
template <>
struct named_value<slice> {
  template <class T>
  static T of(given_name<T> name, const json_place& at) {
    if (const auto found = find_slice(name)) return *found;
    fail(errc::unknown_name, at.text(), name, slice_hint(name).view());
  }
};
template <>
struct named_value<remat_policy> {
  template <class T>
  static T of(given_name<T> name, const json_place& at) {
    if (const auto found = parse_remat_policy(name)) return *found;
    fail(errc::unknown_name, at.text(), name, "full, minimal, save_qkv_proj or another policy, or its placements");
  }
};

/// The caller's own prices, and the rows that the book looks at unless they are the built-in ones.
template <>
struct json_form<price_book> {
  template <class Json, class Book>
  static Json write(const Book& x, const json_place& at) {
    Json own = Json::array(), rows = Json::array();
    const std::size_t count = x.is_built_in() ? x.own_size() : x.size();
    for (std::size_t i = 0; i < count; ++i)
      (i < x.own_size() ? own : rows).push_back(json_of<Json>(x.row(i), at.under("rows").under(i)));
    return {{"built_in", x.is_built_in()}, {"own", std::move(own)}, {"rows", std::move(rows)}};
  }

  template <class Book>
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, Book& into) {
    if (!given.is_object()) at.refuse(errc::malformed_input, given, "an object");
    bool built_in = true;
    std::vector<std::decay_t<decltype(into.row(0))>> own, rows;
    std::size_t found = 0;
    const auto read_key = [&](std::string_view key, auto& value) {
      const auto entry = given.find(std::string(key));
      if (entry == given.end()) return;
      ++found;
      read_json_into(*entry, at.under(key), how, value);
    };
    read_key("built_in", built_in);
    read_key("own", own);
    read_key("rows", rows);
    if (found != given.size() && how.unknown == unknown_keys::refuse)
      refuse_key_not_of({"built_in", "own", "rows"}, given, at);
    if (built_in && !rows.empty())
      at.under("rows").refuse(errc::invalid_argument, given["rows"], "no rows where built_in is true");
    if (!built_in && how.prices == nullptr) {
      fail(errc::unsupported, at.under("built_in").text(), "false",
           "true, or rows kept elsewhere: read_json with json_reading.prices");
    }
    into = Book{};
    if (!built_in) {
      if (!how.prices->empty()) {
        fail(errc::invalid_argument, at.under("rows").text(), "a second book for the same json_reading.prices",
             "an empty list of rows for each book");
      }
      check_rows(rows, at.under("rows"));
      auto& kept = static_cast<decltype(rows)&>(*how.prices);
      kept = std::move(rows);
      kept.reserve(1);  // a book of no rows looks at them, too
      into = Book{kept.data(), kept.size()};
    }
    check_rows(own, at.under("own"));
    for (const auto& row : own) into = into.with(row);
  }

 private:
  /// Refuses a row that is no price, by its place; aliases of a chip become its name.
  template <class Rows>
  static void check_rows(Rows& rows, const json_place& at) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      try {
        validate(rows[i]);
      } catch (const error& refusal) {
        fail(refusal.code(), at.under(i).text(), "refused", refusal.what());
      }
      if (const auto chip = find_chip(given_name<typename Rows::value_type>{rows[i].generation.view()}))
        rows[i].generation = chip->name;
    }
  }
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
