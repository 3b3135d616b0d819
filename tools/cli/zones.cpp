#include "cli/zones.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/option.hpp"

#include <tpuplan/ask/places.hpp>

namespace cli {

using namespace tpuplan;

std::vector<std::string> zones_named(const std::string& data_dir, const std::string& given) {
  const std::vector<std::string> own = zones_of_region(known_zones(data_dir), given);
  return own.empty() ? std::vector<std::string>{given} : own;
}

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& one : words) all += (all.empty() ? "" : ", ") + one;
  return all;
}

}  // namespace

std::vector<std::string> generations_of_zone(const std::string& data_dir, const std::string& zone) {
  const std::vector<zone_row> rows = known_zones(data_dir);
  std::vector<std::string> names = generations_in(rows, zone);
  if (!names.empty()) return names;
  const std::vector<std::string> own = zones_of_region(rows, zone);
  if (!own.empty()) refuse("--zone", zone, "a zone of this region: " + joined(own), errc::unknown_name);
  std::set<std::string> near, all;
  for (const zone_row& row : rows) {
    const std::string region = region_of_zone(row.zone);
    all.insert(region);
    if (region == region_of_zone(zone)) near.insert(row.zone);
  }
  if (!near.empty())
    refuse("--zone", zone, "a zone with TPUs: " + joined({near.begin(), near.end()}), errc::unknown_name);
  refuse("--zone", zone, "a zone with TPUs: " + joined({all.begin(), all.end()}) + ", each with its letter",
         errc::unknown_name);
}

void keep_to_zone(const std::string& zone, const std::string& slice_name, price_options& prices, const session& with) {
  if (zone.empty()) return;
  (void)generations_of_zone(with.data_dir, zone);
  if (!slice_name.empty())
    check_zone(known_zones(with.data_dir), zone, slice_for(slice_name).chip.name.view(), nothing);
  const std::string region = region_of_zone(zone);
  if (with.is_given("--region")) {
    if (prices.region != "us" && prices.region != region)
      refuse("--region", fmt::format("{} with --zone {}", prices.region, zone), region + ", or none");
    return;
  }
  try {
    check_region(loaded_prices(prices.file, {region}, with).book(), region);
    prices.region = region;
  } catch (const error& refusal) {
    if (refusal.code() != errc::unknown_name && refusal.code() != errc::no_price) throw;
  }
}

void check_place(const price_options& given, loaded_prices& prices, const std::vector<std::string>& chips,
                 session& with, const std::string& zone) {
  check_region(prices.book(), given.region);
  if (!given.file.empty()) return;
  asked_places asked{{given.region}, {}, {}, zone};
  for (const std::string& one : chips) {
    if (one.empty()) continue;
    const maybe<chip_spec> chip = find_chip(one);
    asked.generations.emplace_back(chip ? chip->name.view() : slice_for(one).chip.name.view());
  }
  const placed_prices placed = prices_in_region(asked, prices.book(), known_zones(with.data_dir));
  with.places = placed.said;
  prices.take(placed.prices);
}

}  // namespace cli
