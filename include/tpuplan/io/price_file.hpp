#ifndef TPUPLAN_IO_PRICE_FILE_HPP
#define TPUPLAN_IO_PRICE_FILE_HPP

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/io/json/file.hpp>
#include <vector>

/// @file
/// Price files in the format of data/prices.json.

namespace tpuplan {
inline namespace abi_0 {

/// Prices that were read from a file, with their sources. `book()` is a view of them.
class owned_price_book {
 public:
  /// Rows and the source of each.
  owned_price_book(std::vector<price_row> rows, std::vector<std::string> sources)
      : rows_{std::move(rows)}, sources_{std::move(sources)} {}

  /// Valid as long as this object lives and is not assigned to.
  [[nodiscard]] price_book book() const noexcept { return {rows_.data(), rows_.size()}; }
  /// All rows, in the order of the file.
  [[nodiscard]] const std::vector<price_row>& rows() const noexcept { return rows_; }
  /// Where the row's price comes from.
  [[nodiscard]] const std::string& source(std::size_t row) const { return sources_.at(row); }

 private:
  std::vector<price_row> rows_;
  std::vector<std::string> sources_;
};

namespace detail {

template <std::size_t Capacity>
void read_text(const json_object& from, std::string_view key, text<Capacity>& into) {
  const std::string given = from.string(key);
  if (given.size() > Capacity) {
    fail(errc::out_of_range, from.path(key), given, "at most " + std::to_string(Capacity) + " characters");
  }
  if (has_control(given)) fail(errc::malformed_input, from.path(key), given, "a text without control characters");
  into = std::string_view{given};
}

inline price_row read_price(const json_object& from) {
  from.only({"generation", "region", "provisioning", "smallest_chips", "usd_per_chip_hour", "date", "date_qualifier",
             "grade", "source", "derived"});
  price_row row;
  for (const char* key : {"generation", "region"}) {
    if (from.string(key).empty()) fail(errc::missing_field, from.path(key), "an empty text", "a name");
  }
  read_text(from, "generation", row.generation);
  if (const maybe<chip_spec> chip = find_chip(row.generation)) row.generation = chip->name;
  read_text(from, "region", row.region);
  read_text(from, "date", row.date);
  const std::string kind = from.string("provisioning");
  const maybe<provisioning> found = parse_provisioning(kind);
  if (!found) {
    fail(errc::unknown_name, from.path("provisioning"), kind,
         "on_demand, spot, flex_start, calendar, commitment_1y or commitment_3y");
  }
  row.kind = *found;
  row.smallest_chips = positive_count(from.path("smallest_chips"), from.count_or("smallest_chips", 1));
  const std::string field = from.path("usd_per_chip_hour");
  row.per_chip = usd_per_hour(check_price(field, from.number("usd_per_chip_hour")));
  if (!is_iso_date(row.date))
    fail(errc::malformed_input, from.path("date"), row.date.view(), "an ISO date such as 2026-09-17");
  const std::string qualifier = from.has("date_qualifier") ? from.string("date_qualifier") : "exact";
  row.qualifier = qualifier == "exact"        ? date_qualifier::exact
                  : qualifier == "not_before" ? date_qualifier::not_before
                                              : date_qualifier::month;
  if (qualifier != name(row.qualifier)) {
    fail(errc::unknown_name, from.path("date_qualifier"), qualifier, "exact, not_before or month");
  }
  const std::string grade = from.has("grade") ? from.string("grade") : "C";
  if (grade.size() != 1 || grade[0] < 'A' || grade[0] > 'D')
    fail(errc::unknown_name, from.path("grade"), grade, "A, B, C or D");
  row.grade = grade[0];
  return row;
}

/// What a price is for, capitals apart.
inline std::string price_key(const price_row& row) {
  std::string key;
  for (const std::string_view part : {row.generation.view(), row.region.view(), name(row.kind)}) {
    for (const char c : part) key += to_lower(c);
    key += '\n';
  }
  return key + std::to_string(row.smallest_chips);
}

/// Refuses keys that a price file does not have, and what would give its numbers another meaning.
inline void check_price_file(const json_object& root) {
  root.only({"rows", "schema", "currency", "unit", "note", "date_qualifiers", "grades", "not_used"});
  const auto expect = [&root](std::string_view key, std::string_view wanted, std::string_view end) {
    if (!root.has(key)) return;
    const std::string given = root.string(key);
    if (given.substr(0, given.find_first_of(end)) != wanted) fail(errc::unsupported, root.path(key), given, wanted);
  };
  expect("schema", "tpuplan-prices/1", "");
  expect("currency", "USD", "");
  expect("unit", "per chip and hour", ";");  // what comes after it explains
}

}  // namespace detail

/// The prices of a document: all of its `rows`, or an error that names the row and field. Unknown keys, another schema,
/// currency or unit, two rows for the same generation, region, kind and size, and rows of a generation that is neither
/// in the table nor one of the caller's chips are refused.
[[nodiscard]] inline owned_price_book read_prices(const nlohmann::json& document, const std::string& source = "prices",
                                                  const std::vector<chip_spec>& own_chips = {}) {
  const json_object root(document, source);
  detail::check_price_file(root);
  const nlohmann::json& list = root.at("rows");
  if (!list.is_array() || list.empty()) {
    detail::fail(errc::malformed_input, root.path("rows"), list.type_name(), "an array of at least one price");
  }
  std::vector<price_row> rows;
  std::vector<std::string> sources;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const json_object from(list[i], root.path("rows") + "[" + std::to_string(i) + "]");
    const price_row row = detail::read_price(from);
    const auto is_its_chip = [&](const chip_spec& chip) { return detail::same_name(chip.name, row.generation); };
    if (!find_chip(row.generation) && std::none_of(own_chips.begin(), own_chips.end(), is_its_chip)) {
      detail::fail(errc::unknown_name, from.path("generation"), row.generation.view(),
                   "a chip of the table, or one of the caller's");
    }
    if (!seen.insert(detail::price_key(row)).second) {
      detail::fail(errc::malformed_input, from.path("generation"), row.generation.view(),
                   "one price for a generation, region, kind and size");
    }
    rows.push_back(row);
    sources.push_back(from.has("source") ? from.string("source") : source);
  }
  return {std::move(rows), std::move(sources)};
}

/// The prices of a file. It loads whole, or throws and nothing is changed.
[[nodiscard]] inline owned_price_book load_prices(const std::string& path,
                                                  const std::vector<chip_spec>& own_chips = {}) {
  return read_prices(load_json(path), path, own_chips);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
