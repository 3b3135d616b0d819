#ifndef TPUPLAN_READ_PRICES_HPP
#define TPUPLAN_READ_PRICES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/json/file.hpp>
#include <tuple>
#include <vector>

/// @file
/// Price files: in the format of data/prices.json, and two public catalogs: vms.csv of SkyPilot's catalog of Google
/// Cloud and the SKUs of Google's billing catalog. Also the comparison of two price books.

namespace tpuplan {
inline namespace abi_0 {

/// Prices that were read from a file, with their sources. `book()` is a view of them.
class owned_price_book {
 public:
  /// Rows, and the source of each in the same order. Worked: two rows and two sources are a book of size 2.
  owned_price_book(std::vector<price_row> rows, std::vector<std::string> sources)
      : rows_{std::move(rows)}, sources_{std::move(sources)} {}

  /// Valid as long as this object lives and is not assigned to; of an object without a name, which does not live on, it
  /// does not compile. Worked: a book of one row of v5p on spot at 1.10 USD an hour finds that price.
  [[nodiscard]] price_book book() const& noexcept {
    static constexpr price_row none{};  // no row at all is a book too, and not the built-in one
    return {rows_.empty() ? &none : rows_.data(), rows_.size()};
  }
  price_book book() && = delete;
  /// All rows, in the order of the file. Worked: rows()[0] is that of the first source.
  [[nodiscard]] const std::vector<price_row>& rows() const& noexcept { return rows_; }
  /// The rows of an object without a name, which gives them away. Worked: load_prices(path).rows().
  [[nodiscard]] std::vector<price_row> rows() && noexcept { return std::move(rows_); }
  /// Where the row's price comes from. Worked: "an invoice" where the row says so, else the name of the file.
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
  if (!found) fail(errc::unknown_name, from.path("provisioning"), kind, names_of<provisioning>().view());
  row.kind = *found;
  row.smallest_chips = positive_count(from.path("smallest_chips"), from.count_or("smallest_chips", 1));
  const std::string field = from.path("usd_per_chip_hour");
  row.per_chip = usd_per_hour(check_price(field, from.number("usd_per_chip_hour")));
  if (!is_iso_date(row.date))
    fail(errc::malformed_input, from.path("date"), row.date.view(), "an ISO date from 2000 on, such as 2026-09-17");
  const std::string qualifier = from.has("date_qualifier") ? from.string("date_qualifier") : "exact";
  const maybe<date_qualifier> how = enumerator_named<date_qualifier>(qualifier);
  if (!how) fail(errc::unknown_name, from.path("date_qualifier"), qualifier, names_of<date_qualifier>().view());
  row.qualifier = *how;
  const std::string grade = from.has("grade") ? from.string("grade") : "A";
  if (grade.size() != 1 || grade[0] < 'A' || grade[0] > 'D')
    fail(errc::unknown_name, from.path("grade"), grade, "A, B, C or D");
  row.grade = grade[0];
  return row;
}

/// What a price is for, in lower case: generation, region, kind and size.
inline std::string price_key(const price_row& row) {
  std::string key;
  for (const std::string_view part : {row.generation.view(), row.region.view(), name(row.kind)}) {
    for (const char c : part) key += to_lower(c);
    key += '\n';
  }
  return key + std::to_string(row.smallest_chips);
}

/// Refuses keys that a price file does not have, and another schema, currency or unit.
inline void check_price_file(const json_object& root) {
  root.only({"rows", "schema", "currency", "unit", "note", "date_qualifiers", "grades", "not_used"});
  const auto expect = [&root](std::string_view key, std::string_view wanted, std::string_view end) {
    if (!root.has(key)) return;
    const std::string given = root.string(key);
    if (given.substr(0, given.find_first_of(end)) != wanted) fail(errc::unsupported, root.path(key), given, wanted);
  };
  expect("schema", "tpuplan-prices/1", "");
  expect("currency", "USD", "");
  expect("unit", "per chip and hour", ";");  // text after a semicolon explains it
}

}  // namespace detail

/// The prices of a document: all of its `rows`, or an error that names the row and field. Unknown keys, another schema,
/// currency or unit, two rows for the same generation, region, kind and size, and rows of a generation that is neither
/// in the table nor one of the caller's chips are refused. Worked: a row that gives generation, region, way of paying,
/// price and date holds from 1 chip on, with grade A, that of a contract or an invoice.
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

/// The prices of a file, all of them. Throws as `read_prices` does, and for a file that cannot be read. Worked:
/// data/prices.json has 0.60 USD an hour for a chip of v3 on spot in us from 16 chips on.
[[nodiscard]] inline owned_price_book load_prices(const std::string& path,
                                                  const std::vector<chip_spec>& own_chips = {}) {
  return read_prices(load_json(path), path, own_chips);
}

/// Prices that were read from a public catalog, and its entries about TPUs that were not read, with the reason.
struct catalog_prices {
  owned_price_book prices;           ///< per chip; the smallest slice of a row is the first with its price
  std::vector<std::string> skipped;  ///< "row 7: tpu-v9-8: no slice of that name"
};

namespace detail {

/// Per chip and hour, by slice size, of one generation, region and way of paying. Where zones or sources differ, the
/// higher price counts.
class gathered_prices {
 public:
  void add(std::string_view generation, std::string_view region, provisioning kind, std::int64_t chips, double price) {
    std::map<std::int64_t, double>& sizes = prices_[{std::string(generation), std::string(region), kind}];
    const auto [place, is_new] = sizes.emplace(chips, price);
    if (!is_new) place->second = std::max(place->second, price);
  }

  /// The rows: one for each price, from the smallest slice that has it. A price within a thousandth (rounding) of that
  /// of a smaller slice has no row of its own.
  [[nodiscard]] owned_price_book book(std::string_view date, const std::string& source) const {
    if (prices_.empty()) fail(errc::malformed_input, source, "without prices of TPUs", "a catalog with prices of TPUs");
    std::vector<price_row> rows;
    for (const auto& [key, sizes] : prices_) {
      const auto& [generation, region, kind] = key;
      double last = 0;
      for (const auto& [chips, price] : sizes) {
        if (last > 0 && std::abs(price - last) <= 1e-3 * last) continue;
        rows.push_back({std::string_view(generation), std::string_view(region), kind, last > 0 ? chips : 1,
                        usd_per_hour(price), date, date_qualifier::exact, 'A'});
        last = price;
      }
    }
    const std::size_t count = rows.size();
    return {std::move(rows), std::vector<std::string>(count, source)};
  }

 private:
  std::map<std::tuple<std::string, std::string, provisioning>, std::map<std::int64_t, double>> prices_;
};

inline void check_catalog_date(std::string_view date) {
  if (!is_iso_date(date)) fail(errc::malformed_input, "date of the catalog", date, "the ISO date on which it was read");
}

/// Refuses a text that is not the name of a Google Cloud region.
inline void check_catalog_region(const std::string& field, const std::string& region) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (region.empty() || region.size() > 32 || region[0] < 'a' || region.find_first_not_of(plain) != std::string::npos) {
    fail(errc::malformed_input, field, region, "a region such as us-east5");
  }
}

/// The lines of a CSV file as cells; quotes hold commas, line feeds and doubled quotes. Source: RFC 4180.
inline std::vector<std::vector<std::string>> csv_rows(std::string_view characters, const std::string& source) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char c = characters[i];
    if (quoted && c == '"' && i + 1 < characters.size() && characters[i + 1] == '"') {
      row.back() += characters[i++];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back(std::move(row));
      row.assign(1, "");
    } else if (quoted || c != '\r') {
      row.back() += c;
    }
  }
  if (quoted) fail(errc::malformed_input, source, "an open quote", "quotes in pairs");
  if (row.size() > 1 || !row[0].empty()) rows.push_back(std::move(row));
  return rows;
}

/// The price in a cell; 0 if there is none, or if it is 700.0, by which SkyPilot's catalog says that a price is hidden.
inline double catalog_price(const std::string& field, const std::string& cell) {
  if (cell.empty()) return 0;
  // As a number of JSON: of double, from_chars is not in libc++ before 20, and strtod follows the locale.
  const nlohmann::json number = nlohmann::json::parse(cell, nullptr, false);
  const double price = number.is_number() ? number.get<double>() : -1;
  if (!is_finite(price) || price < 0 || price > 1e9) fail(errc::malformed_input, field, cell, "dollars per hour");
  return price == 700.0 ? 0 : price;
}

/// The slice that a row of SkyPilot's catalog prices: an accelerator such as tpu-v6e-16, or one VM of a machine type.
inline maybe<slice> catalog_slice(std::string_view accelerator, std::string_view machine) {
  return accelerator.empty() ? find_machine_slice(machine) : find_slice(accelerator.substr(4));
}

/// The indices of the columns that a catalog of SkyPilot must have.
struct sky_columns {
  std::size_t machine = 0, accelerator = 0, price = 0, spot = 0, region = 0;
};

inline sky_columns find_sky_columns(const std::vector<std::string>& head, const std::string& source) {
  const auto column = [&](const char* called) {
    const auto place = std::find(head.begin(), head.end(), called);
    if (place == head.end())
      fail(errc::missing_field, source, "without the column " + std::string(called), "vms.csv of SkyPilot");
    return static_cast<std::size_t>(place - head.begin());
  };
  return {column("InstanceType"), column("AcceleratorName"), column("Price"), column("SpotPrice"), column("Region")};
}

/// What the description of a SKU says: the chip and the way of paying; no chip if the wording is unknown.
struct sku_meaning {
  text<24> chip{};
  provisioning kind = provisioning::on_demand;
};

/// The chip of "TpuV6e", "TPU7x" or "V6e"; empty where there is none.
inline text<24> sku_chip(std::string_view word) {
  if (word.size() > 3 && same_name(word.substr(0, 3), "tpu")) word.remove_prefix(3);
  const bool bare = !word.empty() && word[0] >= '0' && word[0] <= '9';
  const std::string called = bare ? "tpu" + std::string(word) : std::string(word);
  const maybe<chip_spec> chip = called.size() < 24 ? find_chip(called) : nothing;
  return chip ? chip->name : text<24>{};
}

/// A wording of SKUs: the words before the chip, right after it, and somewhere later.
struct sku_wording {
  std::string_view before, behind, later;
  provisioning kind;
};

/// The wordings of Google's billing catalog as captured on 2026-06-14, 2026-08-07 and 2026-08-24.
inline constexpr sku_wording sku_wordings[] = {
    {"", " running in ", "", provisioning::on_demand},
    {"", " attached to Spot Preemptible VMs", "", provisioning::spot},
    {"DWS Defined Duration ", " running in ", "", provisioning::flex_start},
    {"Reserved ", " in ", " in Calendar Mode", provisioning::calendar},
    {"Reserved ", " TPU in ", " in Calendar Mode", provisioning::calendar},
    {"Commitment v1: ", " running in ", " for 1 Year", provisioning::commitment_1y},
    {"Commitment v1: ", " running in ", " for 3 Year", provisioning::commitment_3y},
};

/// What a description means, by its words. Worked: "Reserved V6e TPU in Columbus in Calendar Mode" is calendar of v6e.
inline sku_meaning sku_meaning_of(std::string_view description) {
  for (const sku_wording& wording : sku_wordings) {
    if (description.substr(0, wording.before.size()) != wording.before) continue;
    const std::string_view rest = description.substr(wording.before.size());
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(end, wording.behind.size()) != wording.behind) continue;
    if (rest.find(wording.later, end) == std::string_view::npos) continue;
    return {sku_chip(rest.substr(0, end)), wording.kind};
  }
  return {};
}

/// Dollars per hour of a SKU of the billing catalog; 0 where it has no price.
inline double sku_price(const json_object& sku) {
  const nlohmann::json& info = sku.at("pricingInfo");
  if (!info.is_array() || info.empty())
    fail(errc::malformed_input, sku.path("pricingInfo"), info.type_name(), "a list with a price");
  const json_object expression = json_object(info.back(), sku.path("pricingInfo")).object("pricingExpression");
  if (expression.string("usageUnit") != "h")
    fail(errc::unsupported, expression.path("usageUnit"), expression.string("usageUnit"), "h: prices of an hour");
  const nlohmann::json& rates = expression.at("tieredRates");
  if (!rates.is_array() || rates.size() != 1)
    fail(errc::unsupported, expression.path("tieredRates"),
         rates.is_array() ? std::to_string(rates.size()) + " rates" : rates.type_name(), "one rate");
  const json_object price = json_object(rates[0], expression.path("tieredRates[0]")).object("unitPrice");
  if (price.has("currencyCode") && price.string("currencyCode") != "USD")
    fail(errc::unsupported, price.path("currencyCode"), price.string("currencyCode"), "USD");
  // JSON of protocol buffers: 64-bit numbers are texts, and a field that is 0 is left out.
  std::int64_t units = 0;
  if (price.has("units")) {
    const nlohmann::json& given = price.at("units");
    const std::string digits = given.is_string() ? given.get<std::string>() : given.dump();
    units = parse_count(digits);
    if (units < 0 || units > 1000000) fail(errc::malformed_input, price.path("units"), digits, "whole dollars");
  }
  const std::int64_t nanos = price.count_or("nanos", 0);
  if (nanos < 0 || nanos > 999999999) fail(errc::out_of_range, price.path("nanos"), nanos, "0 to 999999999");
  return static_cast<double>(units) + static_cast<double>(nanos) * 1e-9;
}

}  // namespace detail
/// The prices of TPUs in vms.csv of SkyPilot's catalog of Google Cloud, read on the day `date`: the price of a slice
/// divided by its chips, on demand and spot. Rows of anything but TPUs are left out, and so are hidden prices (700.0);
/// TPUs of unknown names are listed in `skipped`. Refuses, by row and column: columns that are missing, rows with
/// another number of columns than the header, invalid prices and regions, and a file without TPUs. Worked: tpu-v6e-16
/// at 43.2 an hour is 2.7 a chip. Source: skypilot-org/skypilot-catalog @2c3d7ea catalogs/v9/gcp/vms.csv; its 700.0
/// stands for a price that is not shown.
[[nodiscard]] inline catalog_prices read_sky_catalog(std::string_view characters, std::string_view date,
                                                     const std::string& source = "vms.csv") {
  detail::check_catalog_date(date);
  if (characters.substr(0, 3) == "\xEF\xBB\xBF") characters.remove_prefix(3);  // a byte order mark, as of spreadsheets
  const std::vector<std::vector<std::string>> rows = detail::csv_rows(characters, source);
  if (rows.empty()) detail::fail(errc::malformed_input, source, "empty", "a head and rows");
  const detail::sky_columns columns = detail::find_sky_columns(rows[0], source);
  detail::gathered_prices prices;
  std::vector<std::string> skipped;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string place = source + " row " + std::to_string(i + 1);
    if (rows[i].size() != rows[0].size()) {
      detail::fail(errc::malformed_input, place, std::to_string(rows[i].size()) + " columns",
                   std::to_string(rows[0].size()) + ", as in the head");
    }
    const std::string& accelerator = rows[i][columns.accelerator];
    if (!accelerator.empty() && accelerator.substr(0, 4) != "tpu-") continue;
    const maybe<slice> where = detail::catalog_slice(accelerator, rows[i][columns.machine]);
    if (!where) {
      if (!accelerator.empty()) skipped.push_back(place + ": " + accelerator + ": no slice of that name");
      continue;
    }
    detail::check_catalog_region(place + " Region", rows[i][columns.region]);
    const auto add = [&](std::size_t column, provisioning kind) {
      const double price = detail::catalog_price(place + " " + rows[0][column], rows[i][column]);
      const std::int64_t size = chips(*where);
      if (price > 0)
        prices.add(where->chip.name, rows[i][columns.region], kind, size, price / static_cast<double>(size));
    };
    add(columns.price, provisioning::on_demand);
    add(columns.spot, provisioning::spot);
  }
  return {prices.book(date, source), std::move(skipped)};
}

/// The prices of TPUs in the SKUs of Google's billing catalog (`services/6F81-5844-456A/skus`), as a list or under
/// "skus", read on the day `date`. A SKU has the price of a chip and hour in its regions. SKUs of anything but TPUs are
/// left out; those of TPUs with another wording or without a price are in `skipped`. Refuses, by SKU and field: other
/// currencies and units, several rates, invalid prices and regions, and a file without TPUs. Worked: "TpuV6e running in
/// Dallas" with units "2" and nanos 700000000 is 2.7 on demand. Source: Cloud Billing API reference, services.skus;
/// wordings as captured in June and August 2026.
[[nodiscard]] inline catalog_prices read_billing_catalog(const nlohmann::json& document, std::string_view date,
                                                         const std::string& source = "skus") {
  detail::check_catalog_date(date);
  const nlohmann::json& list = document.is_object() ? json_object(document, source).at("skus") : document;
  if (!list.is_array() || list.empty())
    detail::fail(errc::malformed_input, source, list.is_array() ? "empty" : list.type_name(), "a list of SKUs");
  detail::gathered_prices prices;
  std::vector<std::string> skipped;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const json_object sku(list[i], source + "[" + std::to_string(i) + "]");
    const std::string description = sku.string("description");
    const detail::sku_meaning meaning = detail::sku_meaning_of(description);
    if (meaning.chip.empty()) {
      const bool is_tpu = sku.has("category") && sku.object("category").has("resourceGroup") &&
                          sku.object("category").string("resourceGroup") == "TPU";
      if (is_tpu) skipped.push_back(sku.path("description") + ": " + description + ": a wording that is not known");
      continue;
    }
    const double price = detail::sku_price(sku);
    if (!(price > 0)) {
      skipped.push_back(sku.path("description") + ": " + description + ": no price");
      continue;
    }
    const nlohmann::json& regions = sku.at("serviceRegions");
    if (!regions.is_array() || regions.empty())
      detail::fail(errc::malformed_input, sku.path("serviceRegions"), regions.type_name(), "a list of regions");
    for (const nlohmann::json& region : regions) {
      const std::string called = region.is_string() ? region.get<std::string>() : region.dump();
      detail::check_catalog_region(sku.path("serviceRegions"), called);
      prices.add(meaning.chip, called, meaning.kind, 1, price);
    }
  }
  return {prices.book(date, source), std::move(skipped)};
}

/// The prices of a public catalog, read on the day `date`: SkyPilot's if the path ends in .csv, else SKUs as JSON.
/// Worked: SkyPilot's row of tpu-v6e-256 at 691.2 USD an hour is 2.70 USD a chip and hour.
[[nodiscard]] inline catalog_prices load_price_catalog(const std::string& path, std::string_view date) {
  if (path.size() < 4 || path.substr(path.size() - 4) != ".csv")
    return read_billing_catalog(load_json(path), date, path);
  std::ifstream file(path, std::ios::binary);
  std::string characters;
  std::vector<char> block(1 << 16);
  while (file && characters.size() <= json_limits{}.bytes) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    characters.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (characters.empty() || characters.size() > json_limits{}.bytes)
    detail::fail(errc::malformed_input, "file", path, "a file of 1 byte to 64 MiB that can be read");
  return read_sky_catalog(characters, date, path);
}

/// A price that differs between two books.
struct price_change {
  price_row before;  ///< of the first book
  price_row after;   ///< of the second
};

/// The differences between a book and a newer one.
struct price_comparison {
  std::vector<price_change> changed;  ///< by more than a thousandth, which is rounding
  std::int64_t unchanged = 0;         ///< rows of the newer book whose price is that of the older one
  std::vector<price_row> added;       ///< rows of the newer book that the older one has no price for
  std::vector<price_row> missing;     ///< rows of the older book that the newer one has no price for
};

/// Compares a book with a newer one, row by row, at the smallest slice of each row. Regions are compared by name: "us"
/// in one matches only "us" in the other. Worked: v6e spot in us-east5 at 1.2758 and at 1.4033 is one changed row.
[[nodiscard]] inline price_comparison compare_prices(const price_book& before, const price_book& after) {
  price_comparison result;
  const auto counterpart = [](const price_book& book, const price_row& row) {
    return find_price(book, row.generation, row.region, row.kind, row.smallest_chips);
  };
  for (std::size_t i = 0; i < after.size(); ++i) {
    const price_row row = after.row(i);
    const maybe<price_row> old = counterpart(before, row);
    if (!old)
      result.added.push_back(row);
    else if (std::abs(row.per_chip / old->per_chip - 1) > 1e-3)
      result.changed.push_back({*old, row});
    else
      ++result.unchanged;
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const price_row row = before.row(i);
    if (!counterpart(after, row)) result.missing.push_back(row);
  }
  return result;
}

/// The rows of a book that are more than `days` days old on the day `on`. Worked: a row of 2026-08-24 is not older than
/// 90 days on 2026-11-22, and is a day later.
[[nodiscard]] inline std::vector<price_row> prices_older_than(const price_book& book, std::string_view on,
                                                              std::int64_t days = stale_after_days) {
  std::vector<price_row> rows;
  for (std::size_t i = 0; i < book.size(); ++i) {
    if (age_in_days(book.row(i), on) > days) rows.push_back(book.row(i));
  }
  return rows;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
