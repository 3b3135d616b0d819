#include "cli/zones.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/option.hpp"

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

/// Whether a price is of a region of Google Cloud, not of several, as those of "us" and "us-east" are.
bool is_of_one_region(const price_row& price) {
  const std::string_view region = price.region.view();
  return !region.empty() && region.back() >= '0' && region.back() <= '9';
}

}  // namespace

std::string places_of(const price_book& prices, const std::vector<zone_row>& rows, region_offer which) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const price_row price = prices.row(i);
    if (!is_of_one_region(price) ||
        offer_in_region(rows, price.region.view(), price.generation.view(), price.kind) != which)
      continue;
    const std::string one = fmt::format("{} in {}", price.generation.view(), price.region.view());
    if (std::find(places.begin(), places.end(), one) == places.end()) places.push_back(one);
  }
  return joined(places);
}

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

}  // namespace cli
