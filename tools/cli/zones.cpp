#include "cli/zones.hpp"

#include "cli/option.hpp"

namespace cli {

using namespace tpuplan;

std::vector<std::string> zones_named(const std::string& data_dir, const std::string& given) {
  const std::vector<std::string> own = zones_of_region(known_zones(data_dir), given);
  return own.empty() ? std::vector<std::string>{given} : own;
}

std::vector<std::string> generations_of_zone(const std::string& data_dir, const std::string& zone) {
  return chips_of_zone(known_zones(data_dir), zone, option_places);
}

void keep_to_zone(const std::string& zone, const std::string& slice_name, price_options& prices, const session& with) {
  if (zone.empty()) return;
  (void)generations_of_zone(with.data_dir, zone);
  if (!slice_name.empty())
    check_zone(known_zones(with.data_dir), zone, slice_for(slice_name).chip.name.view(), nothing);
  const loaded_prices known(prices.file, with);
  prices.region =
      regions_of_zone({prices.region}, with.is_given("--region"), zone, known.book(), option_places).front();
}

void check_place(const price_options& given, loaded_prices& prices, const std::vector<std::string>& chips,
                 session& with, const std::string& zone) {
  check_region(prices.book(), given.region);
  if (!given.file.empty()) return;
  asked_places asked{{given.region}, {}, {}, zone};
  for (const std::string& one : chips) {
    const maybe<chip_spec> chip = find_chip(one);
    const maybe<slice> where = chip ? nothing : find_slice(one);  // what is neither the question refuses
    if (chip || where) asked.generations.emplace_back(chip ? chip->name.view() : where->chip.name.view());
  }
  const placed_prices placed = prices_in_region(asked, prices.book(), known_zones(with.data_dir));
  with.places = placed.said;
  prices.take(placed.prices);
}

}  // namespace cli
