#ifndef TPUPLAN_READ_ZONES_HPP
#define TPUPLAN_READ_ZONES_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/json/file.hpp>
#include <vector>

/// @file
/// Which zone has which generation, by data/zones.json: a dated snapshot of what sources say. A zone in it may still
/// lack quota or capacity.

namespace tpuplan {
inline namespace abi_0 {

/// A row that says that a service offers a generation in a zone.
struct zone_row {
  std::string zone{};                ///< "us-east5-b"
  std::string generation{};          ///< "v6e"
  std::string service{};             ///< "cloud_tpu", "compute_engine" or "gke"
  std::string date{};                ///< of the source
  std::string confidence{};          ///< "high", "medium" or "low"
  std::string source{};              ///< its key in the file
  std::vector<provisioning> only{};  ///< the only ways of paying it is offered under; empty: not stated
};

/// The rows of a document in the form of data/zones.json. Refuses unknown generations and ways of paying. Worked:
/// {"rows": []} has 0 rows.
[[nodiscard]] inline std::vector<zone_row> read_zones(const nlohmann::json& document, std::string_view source) {
  const json_object root(document, std::string(source));
  std::vector<zone_row> rows;
  for (const json_object& one : root.objects("rows")) {
    zone_row& row = rows.emplace_back();
    row.zone = one.string("zone");
    row.generation = std::string(chip_for(one.string("generation")).name.view());
    row.service = one.string("service");
    row.date = one.string("date");
    row.confidence = one.string("confidence");
    row.source = one.string("source");
    if (!one.has("provisioning")) continue;
    for (const nlohmann::json& kind : one.list("provisioning")) {
      const std::string given = kind.is_string() ? kind.get<std::string>() : kind.dump();
      const maybe<provisioning> found = parse_provisioning(given);
      if (!found) detail::fail(errc::unknown_name, one.path("provisioning"), given, "a way of paying");
      row.only.push_back(*found);
    }
  }
  return rows;
}

/// The rows of a file. Throws as `read_zones` does, and for a file that cannot be read. Worked: of the rows of
/// data/zones.json, 2 are of us-central2-b.
[[nodiscard]] inline std::vector<zone_row> load_zones(const std::string& path) {
  return read_zones(load_json(path), path);
}

/// The region of a zone. Worked: region_of_zone("us-east5-b") is "us-east5".
[[nodiscard]] inline std::string region_of_zone(std::string_view zone) {
  return std::string(zone.substr(0, zone.rfind('-')));
}

/// The zones of a region in the rows, each once. Worked: us-central2 has us-central2-b.
[[nodiscard]] inline std::vector<std::string> zones_of_region(const std::vector<zone_row>& rows,
                                                              std::string_view region) {
  std::vector<std::string> names;
  for (const zone_row& row : rows) {
    if (region_of_zone(row.zone) == region && std::find(names.begin(), names.end(), row.zone) == names.end())
      names.push_back(row.zone);
  }
  return names;
}

/// The rows of a zone. Worked: us-central2-b has 2 in data/zones.json.
[[nodiscard]] inline std::vector<zone_row> rows_of_zone(const std::vector<zone_row>& rows, std::string_view zone) {
  std::vector<zone_row> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [zone](const zone_row& row) { return row.zone == zone; });
  return found;
}

/// The generations that any service offers in a zone, in the order of the chip table. Worked: in us-east5-b v5e, v5p
/// and v6e.
[[nodiscard]] inline std::vector<std::string> generations_in(const std::vector<zone_row>& rows, std::string_view zone) {
  std::vector<std::string> names;
  for (const zone_row& row : rows_of_zone(rows, zone)) {
    if (std::find(names.begin(), names.end(), row.generation) == names.end()) names.push_back(row.generation);
  }
  return names;
}

/// The zones in which any service offers a generation, each once. Worked: v4 is in one, us-central2-b.
[[nodiscard]] inline std::vector<std::string> zones_with(const std::vector<zone_row>& rows,
                                                         std::string_view generation) {
  std::vector<std::string> names;
  for (const zone_row& row : rows) {
    if (row.generation == generation && std::find(names.begin(), names.end(), row.zone) == names.end())
      names.push_back(row.zone);
  }
  return names;
}

/// Throws `errc::unsupported`, listing the zones that offer the generation, unless some service offers it in the zone.
/// A generation without any row, such as a renamed copy, is not refused. Worked: v4 is in us-central2-b alone.
inline void check_zone(const std::vector<zone_row>& rows, std::string_view zone, std::string_view generation) {
  const std::vector<std::string> there = zones_with(rows, generation);
  if (there.empty() || std::find(there.begin(), there.end(), zone) != there.end()) return;
  std::string valid, newest;
  for (const std::string& one : there) valid += (valid.empty() ? "" : ", ") + one;
  for (const zone_row& row : rows) newest = std::max(newest, row.date);
  detail::fail(errc::unsupported, "zone of " + std::string(generation), zone,
               valid + " (as sources of " + newest + " and before say)");
}

/// Throws `errc::unsupported`, listing the regions that offer the generation, unless a zone of the region does. A
/// generation without any row is not refused. Worked: of us-central2 v5e is refused, v4 is not.
inline void check_region_of_zones(const std::vector<zone_row>& rows, std::string_view region,
                                  std::string_view generation) {
  std::string valid, newest;
  for (const std::string& zone : zones_with(rows, generation)) {
    const std::string one = region_of_zone(zone);
    if (one == region) return;
    if ((", " + valid + ",").find(", " + one + ",") == std::string::npos) valid += (valid.empty() ? "" : ", ") + one;
  }
  if (valid.empty()) return;
  for (const zone_row& row : rows) newest = std::max(newest, row.date);
  detail::fail(errc::unsupported, "region of " + std::string(generation), region,
               valid + " (as sources of " + newest + " and before say)");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
