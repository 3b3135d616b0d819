#ifndef TPUPLAN_ASK_OUTAGE_HPP
#define TPUPLAN_ASK_OUTAGE_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/plan/autoscaling.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <tpuplan/simulate/outage.hpp>
#include <tpuplan/simulate/step_times.hpp>

/// @file
/// A fleet that loses a part of itself while it serves, or restarts slice by slice: what is asked, and what is taken
/// where it is left open.

namespace tpuplan {
inline namespace abi_0 {

/// What a fleet loses while it serves, and when.
struct fleet_outage {
  std::optional<lost_part> lose{};             ///< nothing: all stay
  seconds at{};                                ///< from the first request; 0: a minute, or as long as 400 requests take
  seconds start_up = scaling_rule{}.start_up;  ///< until slices in the place of others serve
  std::int64_t zones = 3;                      ///< over which the slices are spread evenly
};

namespace detail {
constexpr std::string_view lost_part_named(std::string_view given) { return name_or_none(parse_lost_part(given)); }
}  // namespace detail
/// What may be lost meanwhile.
inline constexpr row_choices lost_choices = detail::choices_of<lost_part>(detail::lost_part_named);

/// What a fleet loses while it serves.
inline constexpr question_row outage_rows[] = {
    rows::choice("outage.lose", "--lose", "Lost meanwhile", lost_choices,
                 "replica, slice or zone that is lost while the fleet serves; rollout: slices restart one by one")
        .not_with("--split-slices --prefill-slices --svg"),
    rows::time("outage.at_s", "--lose-at", "Lost at", "from the first request until it is lost")
        .within(1, 1e6)
        .with("--lose")
        .usually("1min, or as long as 400 requests take"),
    rows::time("outage.start_up_s", "--back-after", "Back after", "from the loss until a slice in its place serves")
        .within(1, 86400)
        .with("--lose")
        .usually("10min"),
    rows::count("outage.zones", "--zones", "Zones", "zones", "over which the slices are spread evenly: --lose zone")
        .within(2, 1000)
        .with("--lose")
        .usually("3"),
};

namespace detail {

/// The outage of a fleet under that rate: how many replicas go together, and when.
inline replica_outage outage_in(const fleet_outage& asked, const serving_fleet& fleet, per_second rate) {
  replica_outage outage;
  if (!asked.lose) return outage;
  const std::int64_t of_slice = replicas_of({fleet.mesh, fleet.where, 1});
  outage.at = asked.at.value() > 0 ? asked.at : max(seconds{60}, 400.0 / rate);
  outage.start_up = asked.start_up;
  outage.in_turn = *asked.lose == lost_part::rollout;
  outage.replicas = *asked.lose == lost_part::replica ? 1 : of_slice;
  if (*asked.lose == lost_part::zone) {
    if (asked.zones > fleet.slices)
      fail(errc::out_of_range, "outage.zones", asked.zones,
           text<64>{"at most the slices, which are "}.append(fleet.slices).view());
    outage.replicas = checked_multiply(of_slice, ceil_div(fleet.slices, asked.zones));
  } else if (asked.zones != fleet_outage{}.zones) {
    fail(errc::invalid_argument, "outage.zones", asked.zones, "not given but where a zone is lost");
  }
  return outage;
}
/// Refuses what is given of an outage where there is none.
inline void check_outage(const fleet_outage& asked) {
  if (asked.lose) return;
  const fleet_outage none;
  if (asked.at != none.at || asked.start_up != none.start_up || asked.zones != none.zones)
    fail(errc::missing_field, "outage.lose", "missing", lost_choices.valid);
}
/// Requests to all replicas in which an outage is seen whole: twice the time before it and, by the closed form of a
/// replica with its share, half as long again as all are back, and twice the time that the rest falls behind meanwhile.
/// Clients that wait for their answers fall behind by no more than they are.
inline std::int64_t requests_of_outage(const replica_outage& outage, const serving_fleet& fleet, per_second rate,
                                       const serving_estimate& each, double mean_output, bool are_clients) {
  const auto all = static_cast<double>(replicas_of(fleet));
  const double one = each.capacity.value() / static_cast<double>(each.replicas);
  const double over = std::max(0.05, 1 - rate.value() / (all * one));
  const double behind = are_clients ? 0 : rate.value() / one - (all - static_cast<double>(outage.replicas));
  const seconds whole = each.first_token + each.per_token.total * mean_output;
  const seconds back =
      outage.in_turn ? static_cast<double>(fleet.slices) * (outage.start_up + 3.0 * whole) : outage.start_up;
  return ceil_to_count((2.0 * outage.at + (1.5 + 2 * std::max(0.0, behind / (all * over))) * back) * rate);
}

/// What is taken of an outage.
inline assumed_values assumed_outage(const fleet_outage& asked, const replica_outage& outage) {
  assumed_values taken;
  if (!asked.lose) return taken;
  if (asked.at.value() == 0) taken.emplace_back("lost at", readable::duration(outage.at));
  if (asked.start_up == fleet_outage{}.start_up)
    taken.emplace_back("back after", readable::duration(outage.start_up) + " of a new slice");
  if (outage.in_turn)
    taken.emplace_back("restarts",
                       "a slice gets no more requests and ends those that it has, for which launch writes a "
                       "preStop hook and terminationGracePeriodSeconds; then it starts again");
  else
    taken.emplace_back("interrupted",
                       "what a lost replica had in flight begins again with its prompt at another, and its time counts "
                       "from its first arrival: no router hands over a sequence (llm-d/llm-d-router#2345 proposes it), "
                       "so that who was sent tokens already sends the request anew");
  if (*asked.lose == lost_part::zone && asked.zones == fleet_outage{}.zones)
    taken.emplace_back("zones", std::to_string(asked.zones));
  return taken;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::fleet_outage, lose, at, start_up, zones)

#endif
