#include "cli/zones.hpp"

#include <set>

#include "cli/option.hpp"

namespace cli {

using namespace tpuplan;

std::vector<std::string> generations_of_zone(const std::string& data_dir, const std::string& zone) {
  const std::vector<zone_row> rows = known_zones(data_dir);
  std::vector<std::string> names = generations_in(rows, zone);
  if (!names.empty()) return names;
  std::set<std::string> all;
  for (const zone_row& row : rows) all.insert(row.zone);
  std::string valid;
  for (const std::string& one : all) valid += (valid.empty() ? "" : ", ") + one;
  refuse("--zone", zone, "a zone with TPUs: " + valid, errc::unknown_name);
}

}  // namespace cli
