#ifndef TPUPLAN_ASK_RISK_CHANGES_HPP
#define TPUPLAN_ASK_RISK_CHANGES_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/risk_ways.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <tpuplan/read/zones.hpp>
#include <utility>
#include <vector>

/// @file
/// The changes that raise the chance of a run to be done in time and within its budget.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The same run on other chips of that generation, in their best layout, and its outlook; nothing where there are no
/// such slices.
struct other_run {
  placed_run on{};
  run_outlook seen{};
};
[[nodiscard]] inline std::optional<other_run> outlook_on(const risk_subject& about, provisioning kind,
                                                         const risk_policy& policy, std::int64_t chip_total) {
  if (!about.of.on_chips) return std::nullopt;
  const std::optional<placed_run> other = about.of.on_chips(kind, chip_total);
  if (!other) return std::nullopt;
  const risk_subject then{about.asked, *other, about.book, about.region, about.lifetime, about.limits, about.played};
  const auto seen = outlook_of_way(then, kind, policy, about.limits);
  if (!seen) return std::nullopt;
  return other_run{*other, *seen};
}

/// Other regions in which the chips are cheaper under a way of paying, or spot is believed to last longer: the two
/// cheapest, that everyone can order. A price that is far below those of others, or weak, is none to move for.
[[nodiscard]] inline std::vector<price_row> other_regions(const risk_subject& about, provisioning kind) {
  const maybe<price_row> here = find_price(about.book, about.of.where, about.region, kind);
  const std::vector<zone_row> rows = built_in_zones();
  std::vector<price_row> found;
  for (const std::string& region : all_regions(about.book)) {
    const maybe<price_row> there = find_price(about.book, about.of.where, region, kind);
    if (!here || !there || region == about.region || !is_for_everyone(rows, *there)) continue;
    if (is_far_below(about.book, *there) || is_weak(*there)) continue;
    const std::string_view chip = about.of.where.chip.name;
    const std::string_view place = about.asked.zone.empty() ? about.region : std::string_view(about.asked.zone);
    const bool lasts =
        kind == provisioning::spot && median_spot_lifetime(chip, region) > median_spot_lifetime(chip, place);
    if (there->per_chip < here->per_chip || lasts) found.push_back(*there);
  }
  sort_in_order(found, [](const price_row& a, const price_row& b) { return a.per_chip < b.per_chip; });
  if (found.size() > 2) found.resize(2);
  return found;
}
/// The outlook in another region: at its prices, and, where nothing is known of the user's own spot, with what is
/// published of spot there.
[[nodiscard]] inline std::optional<run_outlook> outlook_in(risk_subject about, std::string_view region,
                                                           provisioning kind, const risk_policy& policy) {
  about.region = region;
  if (!about.asked.mean_time_between_preemptions && about.asked.lifetimes.empty())
    about.lifetime = spot_lifetime(about.of.where.chip.name, region).mean;
  return outlook_of_way(about, kind, policy, about.limits);
}

/// The whole days, or hours of a deadline of few days, after which a run on spot best goes on on demand: with the
/// greatest chance of both limits, the latest of those. Few runs tell them apart. Nothing where no price is known.
[[nodiscard]] inline std::optional<seconds> best_time_on_spot(const risk_subject& about, const risk_policy& as_asked) {
  risk_request few = about.asked;
  few.runs = std::min<std::int64_t>(few.runs, 100);
  runs_of_a_question played;
  const risk_subject then{few, about.of, about.book, about.region, about.lifetime, about.limits, played};
  const seconds unit = *about.limits.deadline >= 4_days ? 1_days : 1_h;
  const auto most = static_cast<std::int64_t>(math::floor(*about.limits.deadline / unit));
  std::optional<seconds> best;
  double best_chance = 0;
  const auto look_at = [&](std::int64_t units) {
    risk_policy policy = as_asked;
    policy.on_demand_after = static_cast<double>(units) * unit;
    const auto seen = outlook_of_way(then, provisioning::spot, policy, then.limits);
    if (!seen || seen->chance_of_both < best_chance) return;
    if (best && seen->chance_of_both == best_chance && *policy.on_demand_after < *best) return;
    best = *policy.on_demand_after;
    best_chance = seen->chance_of_both;
  };
  std::int64_t step = most / 6 + 1;
  for (std::int64_t units = 0; units <= most; units += step) look_at(units);
  for (; best && step > 1;) {  // closer and closer about the best one
    step = ceil_div(step, 2);
    const auto middle = static_cast<std::int64_t>(*best / unit + 0.5);
    if (middle >= step) look_at(middle - step);
    if (middle + step <= most) look_at(middle + step);
  }
  return best;
}
/// That change in words. Worked: after 7 days "go on on demand from day 8 on (after 7 days)".
[[nodiscard]] inline std::string after_words(seconds after) {
  const bool whole_days = std::fmod(after.value(), (1_days).value()) == 0;
  const auto units = static_cast<std::int64_t>(after / (whole_days ? 1_days : 1_h) + 0.5);
  const std::string unit = whole_days ? "day" : "hour", count = std::to_string(units);
  return "go on on demand from " + unit + " " + std::to_string(units + 1) + " on (after " + count + " " + unit +
         (units == 1 ? ")" : "s)");
}

/// Changes to a way of paying that raise the chance of both limits.
[[nodiscard]] inline std::vector<risk_change> changes_of(const risk_subject& about, provisioning kind,
                                                         const run_outlook& now) {
  std::vector<risk_change> changes;
  const auto add = [&](std::string words, std::string laid_out, const std::optional<run_outlook>& then,
                       const maybe<price_row>& price) {
    if (!then || then->chance_of_both < now.chance_of_both + 0.005) return;
    changes.push_back({std::move(words), std::move(laid_out), then->chance_in_time, then->chance_in_budget,
                       then->chance_of_both, then->wall_p90, then->cost_p90, *price});
  };
  const auto consider = [&](std::string words, provisioning paid, const risk_policy& policy,
                            const risk_limits& limits) {
    add(std::move(words), {}, outlook_of_way(about, paid, policy, limits),
        find_price(about.book, about.of.where, about.region, paid));
  };
  const risk_policy as_asked = policy_for(about.asked, kind);
  const std::int64_t chip_total = checked_multiply(chips(about.of.where), about.of.slices);
  for (const std::int64_t chips_then : {chip_total / 2, chip_total * 2}) {
    const bool plain =
        !as_asked.elastic && as_asked.spare_slices == 0 && !as_asked.on_demand_in_time && !as_asked.on_demand_after;
    if (!plain || chips_then < 1) continue;
    const std::optional<other_run> then = outlook_on(about, kind, as_asked, chips_then);
    if (then)
      add(std::string(slices_name(then->on.where, then->on.slices).view()), then->on.laid_out, then->seen,
          find_price(about.book, then->on.where, about.region, kind));
  }
  for (const price_row& there : other_regions(about, kind)) {
    add("in " + std::string(there.region.view()) + ", where it can be had", {},
        outlook_in(about, there.region.view(), kind, as_asked), there);
  }
  const bool is_spot = kind == provisioning::spot;
  if (is_spot && about.limits.deadline && !as_asked.on_demand_in_time) {
    risk_policy policy = as_asked;
    policy.on_demand_in_time = true;
    consider("go on on demand at the last moment", kind, policy, about.limits);
    policy = as_asked;
    if (const auto after = best_time_on_spot(about, as_asked); after) {
      policy.on_demand_after = *after;
      consider(after_words(*after), kind, policy, about.limits);
    }
  }
  if (!as_asked.elastic && as_asked.spare_slices == 0) {
    risk_policy policy = as_asked;
    policy.spare_slices = 1;
    consider("one spare slice", kind, policy, about.limits);
    policy = as_asked;
    policy.elastic = true;
    if (about.of.slices > 1) consider("elastic: go on without a lost slice", kind, policy, about.limits);
  }
  if (kind != provisioning::on_demand)
    consider("on demand", provisioning::on_demand, policy_for(about.asked, provisioning::on_demand), about.limits);
  if (!about.asked.by.empty()) {  // a deadline that is a time from the start moves with it
    risk_limits later = about.limits;
    later.deadline = *about.limits.deadline + 7_days;
    consider("start 7 days earlier", kind, as_asked, later);
  }
  if (about.limits.budget) {
    risk_limits more = about.limits;
    more.budget = 1.2 * *about.limits.budget;
    consider("a budget of a fifth more", kind, as_asked, more);
  }
  std::sort(changes.begin(), changes.end(), [](const risk_change& a, const risk_change& b) {
    return std::make_pair(-a.chance_of_both, a.change) < std::make_pair(-b.chance_of_both, b.change);
  });
  return changes;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
