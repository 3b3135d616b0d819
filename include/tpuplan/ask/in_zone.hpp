#ifndef TPUPLAN_ASK_IN_ZONE_HPP
#define TPUPLAN_ASK_IN_ZONE_HPP

#include <string>
#include <string_view>
#include <tpuplan/ask/places.hpp>
#include <tpuplan/ask/regions.hpp>
#include <tpuplan/ask/reply.hpp>
#include <tpuplan/read/world_prices.hpp>
#include <tpuplan/read/zones.hpp>
#include <vector>

/// @file
/// A question that names a zone, of the chips and the prices there.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether one of these rows is of that field.
[[nodiscard]] inline bool have_row(const question_rows& tables, std::string_view path) {
  for (const row_list& table : tables) {
    for (const question_row& row : table) {
      if (row.path == path) return true;
    }
  }
  return false;
}
/// The texts of a list; none where it is something else, which its reader refuses.
[[nodiscard]] inline std::vector<std::string> texts_of(const nlohmann::json& request, const char* field) {
  std::vector<std::string> texts;
  for (const nlohmann::json& one : request.value(field, nlohmann::json::array())) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

/// The request with what follows from its zone, as the command line has it: of a plan the chips that the zone has and
/// the prices of its region, of a run on one slice the region. Throws, naming the field, for what is no zone with TPUs,
/// for chips that it has not, and for a region that it is not in. Worked: a plan in us-central2-b is one of v4 and v6e.
[[nodiscard]] inline nlohmann::json in_its_zone(nlohmann::json request, const question_rows& tables) {
  const nlohmann::json named = request.is_object() ? request.value("zone", nlohmann::json()) : nlohmann::json();
  const bool of_plan = have_row(tables, "regions"), of_run = have_row(tables, "region");
  if (!named.is_string() || named == "" || !have_row(tables, "zone") || !(of_plan || of_run)) return request;
  const std::string zone = named.get<std::string>();
  const std::vector<zone_row> rows = built_in_zones();
  const nlohmann::json own = request.value("prices", nlohmann::json());
  const asked_prices known = own.is_null() ? asked_prices{world_prices()} : prices_of(own);
  if (const nlohmann::json slice = request.value("slice", nlohmann::json()); slice.is_string()) {
    (void)chips_of_zone(rows, zone);
    if (const maybe<tpuplan::slice> where = find_slice(slice.get<std::string>()))
      check_zone(rows, zone, where->chip.name.view());
  }
  asked_places places{texts_of(request, "regions"), texts_of(request, "generations"), {}, zone};
  if (const nlohmann::json region = request.value("region", nlohmann::json()); of_run)
    places.regions = {region.is_string() ? region.get<std::string>() : std::string("us")};
  if (of_plan && places.regions.empty()) places.regions = {"us"};
  for (const std::string& kind : texts_of(request, "kinds"))
    if (const maybe<provisioning> one = parse_provisioning(kind)) places.kinds.push_back(*one);
  if (!request.contains("kinds")) places.kinds = {provisioning::on_demand};
  keep_to_zone(places, zone, request.contains(of_plan ? "regions" : "region"), rows, known.book());
  const auto fill = [&](const char* field, const nlohmann::json& value) {  // what is given stays, for its reader
    const nlohmann::json given = request.value(field, nlohmann::json());
    if (have_row(tables, field) && (given.is_null() || (given.is_array() && given.empty()))) request[field] = value;
  };
  const nlohmann::json given = request.value("regions", nlohmann::json());
  if (of_plan && given.is_array() && texts_of(request, "regions").size() == given.size())
    request["regions"] = places.regions;
  fill("regions", places.regions);
  fill("region", places.regions.front());
  fill("generations", places.generations);
  return request;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
