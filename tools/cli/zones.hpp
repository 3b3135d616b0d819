#ifndef TPUPLAN_CLI_ZONES_HPP
#define TPUPLAN_CLI_ZONES_HPP

#include <string>
#include <tpuplan/ask/places.hpp>
#include <tpuplan/read/zones.hpp>
#include <vector>

#include "cli/prices.hpp"

// The zones of data/zones.json, which slices, plan and launch ask.
namespace cli {

inline std::vector<tpuplan::zone_row> known_zones(const std::string& data_dir) {
  return tpuplan::load_zones(data_dir + "/zones.json");
}

/// The options of places.
inline constexpr tpuplan::place_fields option_places{"--zone", "--region"};

/// The zones that are meant: those of a region, or the one that is named.
std::vector<std::string> zones_named(const std::string& data_dir, const std::string& given);

/// The generations of a zone; refuses one that has none, with all that have some.
std::vector<std::string> generations_of_zone(const std::string& data_dir, const std::string& zone);

/// What a zone has, of a question about one run: that slice, and the prices of its region where there are some.
void keep_to_zone(const std::string& zone, const std::string& slice_name, price_options& prices, const session& with);

/// Refuses a region of which the book has no row, takes its flat prices, and keeps what is to be said of the
/// generations or slices there.
void check_place(const price_options& given, loaded_prices& prices, const std::vector<std::string>& chips,
                 session& with, const std::string& zone = {});

}  // namespace cli

#endif
