#ifndef TPUPLAN_JSON_NAMED_HPP
#define TPUPLAN_JSON_NAMED_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/json/value.hpp>
#include <tpuplan/model/remat.hpp>
#include <utility>
#include <vector>

/// @file
/// Types that JSON does not hold field by field: chips, slices and policies by name, and price books.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// A chip of the table, a shape, a slice or a policy may be given by its name.
template <>
struct named_value<chip_spec> {
  static chip_spec of(std::string_view name, const json_place& at) {
    if (const auto found = find_chip(name)) return *found;
    fail(errc::unknown_name, at.text(), name, chip_names().append(", or the figures of a chip").view());
  }
};
template <>
struct named_value<topology> {
  static topology of(std::string_view name, const json_place& at) {
    if (const auto found = parse_topology(name)) return *found;
    fail(errc::unknown_name, at.text(), name, "a shape such as 4x8 or 4x4x8");
  }
};
template <>
struct named_value<slice> {
  static slice of(std::string_view name, const json_place& at) {
    if (const auto found = find_slice(name)) return *found;
    fail(errc::unknown_name, at.text(), name, slice_hint(name).view());
  }
};
template <>
struct named_value<remat_policy> {
  static remat_policy of(std::string_view name, const json_place& at) {
    if (const auto found = parse_remat_policy(name)) return *found;
    std::string valid;
    for (const named_remat_policy& one : remat_policies) valid.append(one.name.view()).append(", ");
    fail(errc::unknown_name, at.text(), name, valid + "or its placements");
  }
};

/// Documents that were written before 2026-11-23 say "jitter_s".
template <>
struct other_key<step_breakdown> {
  static constexpr std::string_view also = "jitter_s", key = "stragglers_s";
};

/// Quota files say "provisioning", as price files do.
template <>
struct other_key<quota_row> {
  static constexpr std::string_view also = "provisioning", key = "kind";
};

/// A price book in JSON: the caller's own prices, and the rows that these replace unless they are the built-in ones.
struct price_book_document {
  bool built_in = true;
  std::vector<price_row> own{};
  std::vector<price_row> rows{};
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan
TPUPLAN_FIELDS(tpuplan::detail::price_book_document, built_in, own, rows)
namespace tpuplan {
inline namespace abi_0 {
namespace detail {

template <>
struct json_form<price_book> {
  static void write(const price_book& x, const json_place& at, json_sink& to) {
    price_book_document document{x.is_built_in(), {}, {}};
    const std::size_t count = x.is_built_in() ? x.own_size() : x.size();
    for (std::size_t i = 0; i < count; ++i) (i < x.own_size() ? document.own : document.rows).push_back(x.row(i));
    json_form<price_book_document>::write(document, at, to);
  }

  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, price_book& into) {
    price_book_document document;
    json_form<price_book_document>::read(given, at, how, document);
    if (document.built_in && !document.rows.empty())
      at.under("rows").refuse(errc::invalid_argument, given["rows"], "no rows where built_in is true");
    if (!document.built_in && how.prices == nullptr) {
      fail(errc::unsupported, at.under("built_in").text(), "false",
           "true, or rows kept elsewhere: read_json with json_reading.prices");
    }
    into = price_book{};
    if (!document.built_in) {
      if (!how.prices->empty()) {
        fail(errc::invalid_argument, at.under("rows").text(), "a second book for the same json_reading.prices",
             "an empty list of rows for each book");
      }
      check_rows(document.rows, at.under("rows"));
      *how.prices = std::move(document.rows);
      how.prices->reserve(1);  // so that the address is valid for a book of no rows too
      into = price_book{how.prices->data(), how.prices->size()};
    }
    check_rows(document.own, at.under("own"));
    for (const price_row& row : document.own) into = into.with_any(row);
  }

 private:
  /// Refuses an invalid row, naming it; an alias of a chip becomes the chip's name.
  static void check_rows(std::vector<price_row>& rows, const json_place& at) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      try {
        validate(rows[i]);
      } catch (const error& refusal) {
        fail(refusal.code(), at.under(i).text(), "refused", refusal.what());
      }
      if (const auto chip = find_chip(rows[i].generation.view())) rows[i].generation = chip->name;
    }
  }
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
