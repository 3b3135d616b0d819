#ifndef TPUPLAN_PLAN_PRICING_HPP
#define TPUPLAN_PLAN_PRICING_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/plan/plan.hpp>
#include <vector>

/// @file
/// What a plan costs in every region and under every way of paying, and which of them a request allows.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The prices of a book by generation, region and kind, so that a plan does not search all of its rows. Between the
/// sizes at which rows begin, `find_price` answers the same.
class price_index {
 public:
  price_index(const price_book& book, const std::vector<std::string>& regions) : regions_{regions.size()} {
    cells_.resize(generations.size() * regions_ * all_provisioning.size());
    for (std::size_t i = 0; i < book.size(); ++i) {
      const price_row row = book.row(i);
      const std::int64_t generation = row_generation(row);
      if (generation < 0) continue;
      for (std::size_t region = 0; region < regions_; ++region) {
        if (!same_name(row.region, regions[region])) continue;
        add(book, static_cast<std::size_t>(generation), region, regions[region], row);
      }
    }
  }

  /// The row that holds for that many chips; nothing where there is no price.
  [[nodiscard]] const price_row* find(std::size_t generation, std::size_t region, provisioning kind,
                                      std::int64_t chip_count) const {
    const price_row* found = nullptr;
    for (const auto& [from, row] : cells_[cell(generation, region, kind)]) {
      if (from > chip_count) break;
      found = &row;
    }
    return found;
  }

 private:
  using priced_from = std::pair<std::int64_t, price_row>;

  [[nodiscard]] std::size_t cell(std::size_t generation, std::size_t region, provisioning kind) const {
    return (generation * regions_ + region) * all_provisioning.size() + static_cast<std::size_t>(kind);
  }
  static std::int64_t row_generation(const price_row& row) {
    const maybe<chip_spec> chip = find_chip(row.generation);
    return chip ? generation_index(*chip) : -1;
  }
  void add(const price_book& book, std::size_t generation, std::size_t region, const std::string& region_name,
           const price_row& row) {
    std::vector<priced_from>& list = cells_[cell(generation, region, row.kind)];
    const auto place = std::lower_bound(list.begin(), list.end(), row.smallest_chips,
                                        [](const priced_from& a, std::int64_t size) { return a.first < size; });
    if (place != list.end() && place->first == row.smallest_chips) return;
    const maybe<price_row> holds =
        find_price(book, generations[generation].name, region_name, row.kind, row.smallest_chips);
    if (holds) list.insert(place, {row.smallest_chips, *holds});
  }

  std::size_t regions_;
  std::vector<std::vector<priced_from>> cells_;
};

/// What a plan costs under the way of paying of a price row.
inline plan_cost cost_of(const plan& p, const price_row& price, const payment_terms& terms) {
  const paid_run paid = pay_for(p.where, slices(p.mesh), p.run, price, terms);
  plan_cost result;
  result.kind = price.kind;
  result.price = price;
  result.billed = paid.billed;
  result.wall = paid.wall;
  result.preemptions = paid.preemptions;
  result.checkpoint_interval = paid.checkpoint_interval;
  result.goodput = p.run / result.wall;
  result.total = paid.total;
  result.low = result.total * (p.step.low / p.step.total);
  result.high = result.total * (p.step.high / p.step.total);
  return result;
}

/// The same; nothing where the run cannot be had that way: a calendar window is too short, or slices are preempted
/// faster than they start again.
inline std::optional<plan_cost> possible_cost(const plan& p, const price_row& price, const payment_terms& terms) {
  if (!can_be_paid(price.kind, p.run, terms)) return std::nullopt;
  try {
    return cost_of(p, price, terms);
  } catch (const error& problem) {
    if (problem.code() != errc::out_of_range && problem.code() != errc::not_finite) throw;
    return std::nullopt;
  }
}

/// All kinds that have a price, in all regions, and under which the run can be had.
inline void add_costs(plan& p, const plan_request& request, const price_index& prices, search_counts& counts) {
  const std::int64_t generation = generation_index(p.where.chip);
  if (generation < 0) return;
  const std::int64_t chip_count = chips(p.where);
  for (std::size_t region = 0; region < request.regions.size(); ++region) {
    for (const provisioning kind : all_provisioning) {
      const price_row* price = prices.find(static_cast<std::size_t>(generation), region, kind, chip_count);
      if (price == nullptr) continue;
      if (std::optional<plan_cost> cost = possible_cost(p, *price, request.terms)) p.costs.push_back(*cost);
      ++counts.priced;
    }
  }
}

/// Chips that a quota allows; all where there are no quotas.
inline std::int64_t quota_for(const plan_request& request, const chip_spec& chip, const plan_cost& cost) {
  if (request.quotas.empty()) return std::int64_t{1} << 40;
  std::int64_t allowed = 0;
  for (const quota_row& row : request.quotas) {
    if (row.kind == cost.kind && same_name(row.region, cost.price.region) && chip_for(row.generation).name == chip.name)
      allowed = std::max(allowed, row.chips);
  }
  return allowed;
}

/// The first limit that a way of paying misses, and by how much.
inline std::optional<rejected_slice> limit_missed(const plan& p, const plan_cost& cost, const plan_request& request) {
  rejected_slice missed{p.where, slices(p.mesh), rejection::over_quota, 0, {}};
  const std::int64_t chip_count = checked_multiply(chips(p.where), slices(p.mesh));
  const std::int64_t allowed = quota_for(request, p.where.chip, cost);
  if (chip_count > allowed) {
    missed.amount = static_cast<double>(chip_count - allowed);
    return missed;
  }
  if (request.deadline && cost.wall > *request.deadline) {
    missed.why = rejection::misses_deadline;
    missed.amount = (cost.wall - *request.deadline).value();
    return missed;
  }
  if (request.budget && cost.total > *request.budget) {
    missed.why = rejection::over_budget;
    missed.amount = (cost.total - *request.budget).value();
    return missed;
  }
  return std::nullopt;
}

/// What comes first under an objective, and second.
inline std::array<double, 2> worth(const plan& p, const plan_cost& cost, objective best) {
  const double money = cost.total.value();
  const double time = cost.wall.value();
  switch (best) {
    case objective::fastest: return {time, money};
    case objective::fewest_chips: return {static_cast<double>(checked_multiply(chips(p.where), slices(p.mesh))), money};
    case objective::cheapest: break;
  }
  return {money, time};
}

/// Chooses the best way of paying that is allowed and within the limits; the reason that comes closest if none is.
inline std::optional<rejected_slice> choose_cost(plan& p, const plan_request& request) {
  std::optional<rejected_slice> closest = rejected_slice{p.where, slices(p.mesh), rejection::no_price, 0, {}};
  std::optional<std::array<double, 2>> least;
  for (std::size_t i = 0; i < p.costs.size(); ++i) {
    const plan_cost& cost = p.costs[i];
    if (std::find(request.kinds.begin(), request.kinds.end(), cost.kind) == request.kinds.end()) continue;
    if (const std::optional<rejected_slice> missed = limit_missed(p, cost, request)) {
      const bool closer = static_cast<int>(missed->why) > static_cast<int>(closest->why);
      const bool same = missed->why == closest->why && missed->amount < closest->amount;
      if (closer || same) closest = missed;
      continue;
    }
    const std::array<double, 2> value = worth(p, cost, request.best);
    if (least && *least <= value) continue;
    least = value;
    p.chosen = i;
  }
  return least ? std::nullopt : closest;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
