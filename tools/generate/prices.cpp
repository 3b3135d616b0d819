#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "generate/generate.hpp"

namespace generate {

namespace {

/// The index of a word in a list; refuses a word that is not in the list.
std::size_t place(const std::vector<std::string>& list, const std::string& word) {
  const auto found = std::find(list.begin(), list.end(), word);
  if (found == list.end()) throw std::runtime_error(word + " is none of " + joined(list));
  return static_cast<std::size_t>(found - list.begin());
}

std::string price_row(const json& row) {
  const std::string owner = "prices.json: a price of " + at(row, "generation", "a price").get<std::string>();
  const auto word = [&](const char* key) { return at(row, key, owner).get<std::string>(); };
  return "{" +
         joined({in_quotes(word("generation")), in_quotes(word("region")), "provisioning::" + word("provisioning"),
                 std::to_string(at(row, "smallest_chips", owner).get<std::int64_t>()),
                 literal(at(row, "usd_per_chip_hour", owner).get<double>()), in_quotes(word("date")),
                 "date_qualifier::" + word("date_qualifier"), "'" + word("grade") + "'"}) +
         "}";
}

std::string hourly(const json& row, const char* key) {
  const json price = row.contains(key) ? row.at(key) : json{};
  return price.is_null() ? "unknown" : scaled(price.get<double>(), 1, "_usd_per_h");
}

/// The rows of data/prices.json in the US, or those elsewhere, as a table of that name.
std::string price_table(data_folder& data, const char* name, bool of_us) {
  const std::vector<std::string> chips = data.chips();
  const std::vector<std::string> kinds = {"on_demand", "spot",          "flex_start",
                                          "calendar",  "commitment_1y", "commitment_3y"};
  using key = std::tuple<std::size_t, std::string, std::int64_t, std::size_t>;
  std::vector<std::pair<key, std::string>> rows;
  for (const json& row : at(data["prices.json"], "rows", "prices.json")) {
    const std::string region = at(row, "region", "prices.json: a price");
    if ((region.rfind("us", 0) == 0) != of_us) continue;
    rows.push_back({{place(chips, row.at("generation")), region, row.at("smallest_chips").get<std::int64_t>(),
                     place(kinds, row.at("provisioning"))},
                    price_row(row)});
  }
  std::sort(rows.begin(), rows.end());
  std::vector<std::string> text;
  for (const auto& row : rows) text.push_back(row.second);
  return unformatted(fmt::format("inline constexpr std::array<packed_price, {}> {} = {{{{\n{}}}}};\n", text.size(),
                                 name, listed(text)));
}

}  // namespace

std::string price_table(data_folder& data) { return price_table(data, "us_prices", true); }

std::string other_price_table(data_folder& data) { return price_table(data, "other_prices", false); }

std::string gpu_table(data_folder& data) {
  std::vector<std::string> rows;
  for (const json& row : at(data["gpus.json"], "rows", "gpus.json")) {
    const std::string name = at(row, "name", "gpus.json: a row");
    rows.push_back("{" +
                   joined({in_quotes(name), in_quotes(at(row, "machine", name)),
                           std::to_string(at(row, "gpus_in_the_largest_machine", name).get<std::int64_t>()),
                           scaled(at(row, "bf16_flop_per_s", name).get<double>(), 1e12, "_TFLOP_per_s"),
                           literal_bytes(at(row, "hbm_bytes", name).get<std::int64_t>()),
                           scaled(at(row, "hbm_bytes_per_s", name).get<double>(), 1e9, "_GB_per_s"),
                           hourly(row, "on_demand_usd_per_hour"), hourly(row, "spot_usd_per_hour"),
                           hourly(row, "flex_start_usd_per_hour"), hourly(row, "calendar_usd_per_hour"),
                           in_quotes(at(row, "date", name))}) +
                   (row.contains("dearer_abroad")       ? ", false, " + in_quotes(row.at("dearer_abroad")) + "}"
                    : row.value("price_derived", false) ? ", true}"
                                                        : "}"));
  }
  return "/// GPUs to compare a TPU with.\n" +
         unformatted("inline constexpr gpu_offer gpu_offers[] = {\n" + listed(rows) + "};\n");
}

std::string lifetime_table(data_folder& data) {
  std::vector<std::string> rows;
  for (const json& row : at(data["lifetimes.json"], "spot", "lifetimes.json")) {
    const std::string source = at(row, "source", "lifetimes.json: a row of spot");
    if (!at(row, "used", source).get<bool>()) continue;
    for (const json& chip : at(row, "generations", source))
      rows.push_back("{" +
                     joined({in_quotes(chip), in_quotes(at(row, "place", source)),
                             std::to_string(at(row, "events", source).get<std::int64_t>()),
                             scaled(at(row, "observed_h", source).get<double>(), 1, "_h"),
                             in_quotes(at(row, "date", source)), in_quotes(source.substr(0, source.find(':')))}) +
                     "}");
  }
  return "/// Counts of preemptions, those without a place first.\n" +
         unformatted("inline constexpr published_lifetime spot_lifetimes[] = {\n" + listed(rows) + "};\n");
}

std::string zone_table(data_folder& data) {
  std::vector<std::string> rows;
  for (const json& row : at(data["zones.json"], "rows", "zones.json")) {
    const std::string zone = at(row, "zone", "zones.json: a row");
    std::vector<std::string> kinds;
    for (const json& kind : row.value("provisioning", json::array()))
      kinds.push_back("provisioning::" + kind.get<std::string>());
    if (kinds.size() > 1) throw std::runtime_error("zones.json: " + zone + ": more than one way of paying in a row");
    const std::string one =
        "{" +
        joined({in_quotes(zone), in_quotes(at(row, "generation", zone)), kinds.empty() ? "nothing" : kinds.front(),
                row.value("single_tenant", false) ? "true" : "false"}) +
        "}";
    if (std::find(rows.begin(), rows.end(), one) == rows.end()) rows.push_back(one);  // several sources say the same
  }
  return "/// Which zone has which generation, each once.\n" +
         unformatted("inline constexpr known_zone zones[] = {\n" + listed(rows) + "};\n");
}

std::string transfer_table(data_folder& data) {
  std::vector<std::string> rows;
  for (const json& row : at(data["transfers.json"], "cache", "transfers.json")) {
    const std::string source = at(row, "source", "transfers.json: a row of cache");
    if (!at(row, "used", source).get<bool>()) continue;
    rows.push_back("{" +
                   joined({in_quotes(at(row, "generation", source)),
                           scaled(at(row, "gb_per_s", source).get<double>(), 1, "_GB_per_s"),
                           in_quotes(at(row, "over", source)), in_quotes(source.substr(0, source.find(':')))}) +
                   "}");
  }
  return "/// Rates at which caches are sent.\n" +
         unformatted("inline constexpr published_rate cache_transfers[] = {\n" + listed(rows) + "};\n");
}

}  // namespace generate
