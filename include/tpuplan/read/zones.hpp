#ifndef TPUPLAN_READ_ZONES_HPP
#define TPUPLAN_READ_ZONES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  std::vector<provisioning> only{};  ///< ways of paying it speaks of; empty: all but flex-start and calendar mode
  bool single_tenant = false;        ///< the zone is for customers who have it for themselves
};

namespace detail {

/// What a zone has, as far as who can order it goes.
struct known_zone {
  std::string_view zone{}, generation{};
  maybe<provisioning> only{};
  bool single_tenant = false;
};

// generated: zones from data/zones.json
/// Which zone has which generation, each once.
// clang-format off
inline constexpr known_zone zones[] = {
    {"asia-east1-c", "v2", nothing, false},
    {"europe-west4-a", "v2", nothing, false},
    {"us-central1-a", "v2", nothing, false},
    {"us-central1-b", "v2", nothing, false},
    {"us-central1-c", "v2", nothing, false},
    {"us-central1-f", "v2", nothing, false},
    {"europe-west4-a", "v3", nothing, false},
    {"us-central1-a", "v3", nothing, false},
    {"us-central1-b", "v3", nothing, false},
    {"us-central1-f", "v3", nothing, false},
    {"us-east1-d", "v3", nothing, false},
    {"us-central2-b", "v4", nothing, false},
    {"europe-west4-b", "v5e", nothing, false},
    {"us-central1-a", "v5e", nothing, false},
    {"us-east5-a", "v5e", nothing, true},
    {"us-east5-b", "v5e", nothing, true},
    {"us-east5-c", "v5e", nothing, true},
    {"us-south1-a", "v5e", nothing, false},
    {"us-west1-c", "v5e", nothing, false},
    {"us-west4-a", "v5e", nothing, false},
    {"europe-west1-b", "v5p", nothing, false},
    {"europe-west1-d", "v5p", nothing, false},
    {"europe-west4-b", "v5p", nothing, false},
    {"us-central1-a", "v5p", nothing, false},
    {"us-east1-d", "v5p", nothing, false},
    {"us-east5-a", "v5p", nothing, false},
    {"us-east5-b", "v5p", nothing, true},
    {"us-east5-c", "v5p", nothing, true},
    {"us-south1-a", "v5p", nothing, true},
    {"us-south1-b", "v5p", nothing, false},
    {"us-south1-c", "v5p", nothing, false},
    {"us-east5-a", "v5p", provisioning::calendar, false},
    {"europe-west1-c", "v5p", nothing, false},
    {"asia-east1-c", "v6e", nothing, false},
    {"asia-northeast1-b", "v6e", nothing, false},
    {"asia-south1-b", "v6e", nothing, false},
    {"asia-south1-c", "v6e", nothing, false},
    {"asia-southeast1-b", "v6e", nothing, false},
    {"europe-west4-a", "v6e", nothing, false},
    {"southamerica-east1-c", "v6e", nothing, false},
    {"southamerica-west1-a", "v6e", nothing, false},
    {"us-central1-a", "v6e", nothing, false},
    {"us-central1-b", "v6e", nothing, false},
    {"us-central1-c", "v6e", nothing, false},
    {"us-central2-b", "v6e", nothing, false},
    {"us-east1-d", "v6e", nothing, false},
    {"us-east4-a", "v6e", nothing, true},
    {"us-east4-b", "v6e", nothing, true},
    {"us-east5-a", "v6e", nothing, false},
    {"us-east5-b", "v6e", nothing, false},
    {"us-east5-c", "v6e", nothing, true},
    {"us-south1-a", "v6e", nothing, false},
    {"us-south1-c", "v6e", nothing, false},
    {"us-west1-c", "v6e", nothing, true},
    {"asia-northeast1-b", "v6e", provisioning::calendar, false},
    {"europe-west4-a", "v6e", provisioning::calendar, false},
    {"us-east5-a", "v6e", provisioning::calendar, false},
    {"us-east5-b", "v6e", provisioning::calendar, false},
    {"us-south1-ai1b", "v6e", nothing, false},
    {"asia-northeast1-b", "v6e", provisioning::flex_start, false},
    {"us-east5-a", "v6e", provisioning::flex_start, false},
    {"us-south1-ai1b", "v6e", provisioning::flex_start, false},
    {"us-central1-ai1a", "tpu7x", nothing, false},
    {"us-central1-c", "tpu7x", nothing, false},
    {"us-central1-c", "tpu7x", provisioning::flex_start, false},
    {"us-west4-a", "v5e", provisioning::flex_start, false},
    {"europe-west4-b", "v5e", provisioning::flex_start, false},
    {"us-central1-a", "v5e", provisioning::flex_start, false},
    {"us-east5-a", "v5p", provisioning::flex_start, false},
    {"us-central1-a", "v5p", provisioning::flex_start, false},
    {"us-east5-b", "v6e", provisioning::flex_start, false},
    {"us-central1-a", "v6e", provisioning::flex_start, false},
    {"europe-west4-a", "v6e", provisioning::flex_start, false},
    {"southamerica-west1-a", "v6e", provisioning::flex_start, false},
    {"us-west1-c", "v6e", provisioning::spot, false},
    {"us-central1-c", "tpu7x", provisioning::calendar, false},
};
// clang-format on
// end of generated: zones

}  // namespace detail

/// The rows of data/zones.json that differ in zone, generation, ways of paying or whether the zone is for single
/// tenants, as the headers have them. Worked: us-east4-a has v6e for single tenants.
[[nodiscard]] inline std::vector<zone_row> built_in_zones() {
  std::vector<zone_row> rows;
  for (const detail::known_zone& one : detail::zones) {
    zone_row& row = rows.emplace_back();
    row.zone = one.zone, row.generation = one.generation;
    if (one.only) row.only = {*one.only};
    row.single_tenant = one.single_tenant;
  }
  return rows;
}

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
    row.single_tenant = one.has("single_tenant") && one.flag("single_tenant");
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

namespace detail {

/// Whether a row says that its generation can be had under a way of paying. Of flex-start and calendar mode only rows
/// that name them speak; a row without ways of paying speaks of all others.
inline bool speaks_of(const zone_row& row, maybe<provisioning> kind) {
  if (!kind) return true;
  if (row.only.empty()) return *kind != provisioning::flex_start && *kind != provisioning::calendar;
  return std::find(row.only.begin(), row.only.end(), *kind) != row.only.end();
}

/// "a, b (as sources of 2026-09-17 and before say)".
inline std::string valid_places(const std::vector<std::string>& places, const std::vector<zone_row>& rows) {
  std::string valid, newest;
  for (const std::string& one : places) valid += (valid.empty() ? "" : ", ") + one;
  for (const zone_row& row : rows) newest = std::max(newest, row.date);
  return newest.empty() ? valid : valid + " (as sources of " + newest + " and before say)";
}

/// "zone of v6e on flex_start"; "zone of v4" where only the generation matters.
inline std::string place_of(std::string_view what, std::string_view generation, maybe<provisioning> kind) {
  std::string words = std::string(what) + " of " + std::string(generation);
  if (kind && (*kind == provisioning::flex_start || *kind == provisioning::calendar))
    words += " on " + std::string(name(*kind));
  return words;
}

}  // namespace detail

/// The zones in which any service offers a generation under a way of paying, or under any where none is given, each
/// once; where no row speaks of the generation under that way, all its zones. Worked: v4 is in one, us-central2-b; v5p
/// on flex-start in us-east5-a and us-central1-a.
[[nodiscard]] inline std::vector<std::string> zones_with(const std::vector<zone_row>& rows, std::string_view generation,
                                                         maybe<provisioning> kind = nothing) {
  std::vector<std::string> names;
  for (const zone_row& row : rows) {
    if (row.generation == generation && detail::speaks_of(row, kind) &&
        std::find(names.begin(), names.end(), row.zone) == names.end())
      names.push_back(row.zone);
  }
  return names.empty() && kind ? zones_with(rows, generation) : names;
}

/// Whether a zone has a generation under a way of paying for single tenants alone: customers who have the zone for
/// themselves. Worked: v6e in us-east4-a; v6e in us-west1-c on demand, but not on spot.
[[nodiscard]] inline bool is_for_single_tenants(const std::vector<zone_row>& rows, std::string_view zone,
                                                std::string_view generation, provisioning kind) {
  bool found = false;
  for (const zone_row& row : rows) {
    if (row.zone != zone || row.generation != generation || !detail::speaks_of(row, kind)) continue;
    if (!row.single_tenant) return false;
    found = true;
  }
  return found;
}

/// Who can order a generation in a region.
enum class region_offer : std::uint8_t {
  no_zone,         ///< no row has a zone of the region with the generation: a price may be all there is of it
  single_tenants,  ///< only customers who have the zones for themselves
  everyone,        ///< there is a zone for others too
};

/// Who can order a generation in a region under a way of paying, by the rows. Worked: v6e on spot is for single tenants
/// in us-east4, for everyone in us-east5; of tpu7x in europe-west2 no zone is known.
[[nodiscard]] inline region_offer offer_in_region(const std::vector<zone_row>& rows, std::string_view region,
                                                  std::string_view generation, provisioning kind) {
  region_offer found = region_offer::no_zone;
  for (const std::string& zone : zones_with(rows, generation, kind)) {
    if (region_of_zone(zone) != region) continue;
    if (!is_for_single_tenants(rows, zone, generation, kind)) return region_offer::everyone;
    found = region_offer::single_tenants;
  }
  return found;
}

/// The zones that offer a generation under a way of paying to everyone. Worked: v5p on spot is in us-east5-a, not in
/// us-east5-b, which is for single tenants.
[[nodiscard]] inline std::vector<std::string> open_zones_with(const std::vector<zone_row>& rows,
                                                              std::string_view generation,
                                                              provisioning kind = provisioning::on_demand) {
  std::vector<std::string> there = zones_with(rows, generation, kind);
  const auto is_closed = [&](const std::string& one) { return is_for_single_tenants(rows, one, generation, kind); };
  there.erase(std::remove_if(there.begin(), there.end(), is_closed), there.end());
  return there;
}

/// Throws `errc::unsupported`, listing the zones that offer the generation to everyone, unless some service offers it
/// in the zone under that way of paying. A zone for single tenants is not refused: who names it may have it. A
/// generation without any row, such as a renamed copy, is not refused. Worked: v4 is in us-central2-b alone; flex-start
/// of v6e is refused in us-east1-d.
inline void check_zone(const std::vector<zone_row>& rows, std::string_view zone, std::string_view generation,
                       maybe<provisioning> kind = nothing) {
  const std::vector<std::string> there = zones_with(rows, generation, kind);
  if (there.empty() || std::find(there.begin(), there.end(), zone) != there.end()) return;
  const std::vector<std::string> open = kind ? open_zones_with(rows, generation, *kind) : there;
  detail::fail(errc::unsupported, detail::place_of("zone", generation, kind), zone, detail::valid_places(open, rows));
}

/// Throws `errc::unsupported`, listing the regions that offer the generation, unless a zone of the region does, under
/// that way of paying. A generation without any row is not refused. Worked: of us-central2 v5e is refused, v4 is not.
inline void check_region_of_zones(const std::vector<zone_row>& rows, std::string_view region,
                                  std::string_view generation, maybe<provisioning> kind = nothing) {
  std::vector<std::string> regions;
  for (const std::string& zone : zones_with(rows, generation, kind)) {
    const std::string one = region_of_zone(zone);
    if (one == region) return;
    if (std::find(regions.begin(), regions.end(), one) == regions.end()) regions.push_back(one);
  }
  if (regions.empty()) return;
  detail::fail(errc::unsupported, detail::place_of("region", generation, kind), region,
               detail::valid_places(regions, rows));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
