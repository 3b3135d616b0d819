// A price file, or a catalog of others: every row validates, is found again in its book, and survives a round trip
// through JSON.
#include <optional>
#include <tpuplan/read/prices.hpp>

#include "json_mutator.hpp"
#include "support.hpp"

using namespace tpuplan;

namespace {

nlohmann::json written(const owned_price_book& prices) {
  nlohmann::json rows = nlohmann::json::array();
  for (const price_row& row : prices.rows()) {
    rows.push_back({{"generation", row.generation.view()},
                    {"region", row.region.view()},
                    {"provisioning", name(row.kind)},
                    {"smallest_chips", row.smallest_chips},
                    {"usd_per_chip_hour", in_usd_per_hour(row.per_chip)},
                    {"date", row.date.view()},
                    {"date_qualifier", name(row.qualifier)},
                    {"grade", std::string(1, row.grade)}});
  }
  return {{"rows", rows}};
}

bool same(const price_row& a, const price_row& b) {
  return a.generation == b.generation && a.region == b.region && a.kind == b.kind &&
         a.smallest_chips == b.smallest_chips && a.date == b.date && a.qualifier == b.qualifier && a.grade == b.grade &&
         std::abs(a.per_chip.value() - b.per_chip.value()) <= 1e-12 * a.per_chip.value();
}

void check_rows(const owned_price_book& prices) {
  for (const price_row& row : prices.rows()) {
    require(!refused([&] { validate(row); }), "every row validates");
    const maybe<price_row> found = find_price(prices.book(), row.generation, row.region, row.kind, row.smallest_chips);
    require(found.has_value() && same(*found, row), "a row is found again");
    require(sound((row.per_chip * seconds{3600}).value()), "an hour has a finite price");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  refused([&] { check_rows(read_sky_catalog(characters_of(data, size), "2026-11-22").prices); });
  refused(
      [&] { check_rows(read_billing_catalog(parse_json(characters_of(data, size), "input"), "2026-11-22").prices); });
  std::optional<owned_price_book> read;
  if (refused([&] { read = read_prices(parse_json(characters_of(data, size), "input")); })) return 0;
  check_rows(*read);
  try {
    const owned_price_book again = read_prices(written(*read));
    require(again.rows().size() == read->rows().size(), "as many rows after a round trip");
    for (std::size_t i = 0; i < again.rows().size(); ++i)
      require(same(again.rows()[i], read->rows()[i]), "the same rows after a round trip");
  } catch (const nlohmann::json::exception&) {
    // Names that are not UTF-8 cannot be written.
  }
  return 0;
}
