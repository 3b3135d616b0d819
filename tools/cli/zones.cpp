#include "cli/zones.hpp"

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

}  // namespace cli
