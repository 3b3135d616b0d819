#ifndef TPUPLAN_CLI_ZONES_HPP
#define TPUPLAN_CLI_ZONES_HPP

#include <string>
#include <tpuplan/read/zones.hpp>
#include <vector>

// The zones of data/zones.json, which slices, plan and launch ask.
namespace cli {

inline std::vector<tpuplan::zone_row> known_zones(const std::string& data_dir) {
  return tpuplan::load_zones(data_dir + "/zones.json");
}

/// The zones that are meant: those of a region, or the one that is named.
std::vector<std::string> zones_named(const std::string& data_dir, const std::string& given);

/// The regions in which a price is not for everyone, in words: "v6e in us-east4"; `which` says for whom else.
std::string places_of(const tpuplan::price_book& prices, const std::vector<tpuplan::zone_row>& rows,
                      tpuplan::region_offer which);

/// The generations of a zone; refuses one that has none, with all that have some.
std::vector<std::string> generations_of_zone(const std::string& data_dir, const std::string& zone);

}  // namespace cli

#endif
