#ifndef TPUPLAN_PLAN_SEARCH_HPP
#define TPUPLAN_PLAN_SEARCH_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/parallel/interconnect.hpp>
#include <tpuplan/plan/order.hpp>
#include <tpuplan/plan/plan.hpp>
#include <utility>
#include <vector>

/// @file
/// What the planners of training and of serving share: the limits that both requests have (chips, regions, ways of
/// paying, budget), the slices to consider, prices, the reason that comes closest to a plan, and ranks.
///
/// A `Request` is a `plan_request` or a `serving_request`.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether a list has that value. (std::find costs a compiler all of <algorithm>; tests/compile_cost counts it.)
template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  for (const T& one : list) {
    if (one == value) return true;
  }
  return false;
}

/// The name of the chip that `given`, a name or an alias, means: in the table or among the request's chips.
template <class Request>
text<24> chip_named(const Request& request, std::string_view field, std::string_view given) {
  if (const maybe<chip_spec> found = find_chip(given)) return found->name;
  for (const chip_spec& chip : request.chips) {
    if (same_name(chip.name, given)) return chip.name;
  }
  fail(errc::unknown_name, field, given, chip_names().append(", or one of plan.chips").view());
}

/// Refuses chips of the caller that share a name with another chip, or lack a figure that every estimate needs.
inline void check_chips(const std::vector<chip_spec>& chips) {
  for (std::size_t i = 0; i < chips.size(); ++i) {
    const chip_spec& chip = chips[i];
    if (chip.name.empty()) fail(errc::missing_field, "plan.chips.name", "empty", "a name of its own");
    bool taken = find_chip(chip.name).has_value();
    for (std::size_t other = 0; other < i; ++other) taken = taken || same_name(chips[other].name, chip.name);
    if (taken) fail(errc::invalid_argument, "plan.chips.name", chip.name.view(), "a name that no other chip has");
    validate(chip);
    positive_count("plan.chips.tensorcores", chip.tensorcores);
    positive_count("plan.chips.jax_devices", chip.jax_devices);
    positive_count("plan.chips.mxu.side", chip.mxu.side);
    positive("plan.chips.peak.bf16", chip.peak.bf16.value("plan.chips.peak.bf16").value());
    positive("plan.chips.hbm.capacity", chip.hbm.capacity.value());
    (void)usable_hbm_per_device(chip);
    positive("plan.chips.hbm.bandwidth", chip.hbm.bandwidth.value());
    positive("plan.chips.ici.nominal_one_way", ici_link_rate(chip).value());
    if (chip.ici.axes != 2 && chip.ici.axes != 3)
      fail(errc::invalid_argument, "plan.chips.ici.axes", std::int64_t{chip.ici.axes}, "2 or 3");
    if (positive_count("plan.chips.pod.largest_slice", chip.pod.largest_slice) > 65536)
      fail(errc::out_of_range, "plan.chips.pod.largest_slice", chip.pod.largest_slice, "1 to 65536");
  }
}

inline void check_region(std::string_view field, const price_book& prices, const std::string& region) {
  for (std::size_t i = 0; i < prices.size(); ++i) {
    if (same_name(prices.row(i).region, region)) return;
  }
  fail(errc::unknown_name, field, region, "a region of the price book, or us for its US default");
}

/// Throws, naming the field, for limits that are invalid.
template <class Request>
void check_limits(const Request& request) {
  check_chips(request.chips);
  validate(request.prices, request.chips.data(), request.chips.size());
  if (request.regions.empty()) fail(errc::missing_field, "plan.regions", "none", "one region or more");
  for (const std::string& region : request.regions) check_region("plan.region", request.prices, region);
  if (request.kinds.empty()) fail(errc::missing_field, "plan.kinds", "none", "one way of paying or more");
  if (request.budget) positive("plan.budget", request.budget->value());
  positive_count("plan.smallest_chips", request.smallest_chips);
  positive_count("plan.largest_chips", request.largest_chips);
  if (request.smallest_chips > request.largest_chips)
    fail(errc::invalid_argument, "plan.smallest_chips", request.smallest_chips, "at most plan.largest_chips");
  for (const std::string& generation : request.generations) (void)chip_named(request, "plan.generations", generation);
}

/// Refuses phases around the steps of a plan that no terms of payment have.
inline void check_around(const run_phases& around) {
  const auto check = [](words field, seconds time, double least = 0, words valid = "0 to 1e7 s") {
    if (time.value() != 0) in_range(field, time.value(), least, 1e7, valid);
  };
  check("plan.around.start", around.start);
  check("plan.around.compilation", around.compilation);
  check("plan.around.restore", around.restore);
  check("plan.around.evaluation", around.evaluation);
  check("plan.around.checkpoint", around.checkpoint, 1e-6, "0 (that of its bytes), or 1e-6 to 1e7 s");
  check("plan.around.export_time", around.export_time);
  check_around_steps(around);
}

/// Refuses terms of payment, of which no time of a checkpoint, and of spot, is that of a plan.
inline void check_terms(payment_terms terms) {
  if (terms.spot.checkpoint_time.value() == 0) terms.spot.checkpoint_time = checkpoint_start;
  if (terms.spot.mean_time_between_preemptions.value() == 0) terms.spot.mean_time_between_preemptions = 1_h;
  validate(terms);
}

/// Refuses terms of payment, phases and failures of which no run has its price.
template <class Request>
void check_payment(const Request& request) {
  check_terms(request.terms);
  check_around(request.around);
  if (request.chip_time_between_failures.value() != 0)
    in_range("plan.chip_time_between_failures", request.chip_time_between_failures.value(), 1, 1e12,
             "0 (none are expected), or 1 to 1e12 s");
}

/// Calls `visit(slice)` for the default slice of every size of a chip that is not in the table. Sizes are powers of
/// two, and beyond 64 chips every whole number of 4x4x4 cubes where the chip has three axes.
template <class Visit>
void for_each_slice_of(const chip_spec& chip, std::int64_t most, const Visit& visit) {
  if (most > chip.pod.largest_slice) most = chip.pod.largest_slice;
  for (std::int64_t size = 1; size <= most; size += size < 64 || chip.ici.axes == 2 ? size : 64) {
    if (const maybe<slice> found = find_slice_of_size(chip, size)) visit(*found);
  }
}

/// Calls `visit(slice)` for the slices that a request chooses among, chip by chip: the default ones of the table and of
/// the request's own chips that are neither larger than the request allows nor of another generation than it asks for.
template <class Request, class Visit>
void for_each_slice(const Request& request, const Visit& visit) {
  const auto is_wanted = [&](const chip_spec& chip) {
    bool wanted = request.generations.empty();
    for (const std::string& generation : request.generations)
      wanted = wanted || chip_named(request, "plan.generations", generation) == chip.name;
    return wanted;
  };
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice where = slice_at(i);
    if (chips(where) <= request.largest_chips && is_default(where) && is_wanted(where.chip)) visit(where);
  }
  for (const chip_spec& chip : request.chips) {
    if (is_wanted(chip)) for_each_slice_of(chip, request.largest_chips, visit);
  }
}

/// Keeps the reason that is closest to a plan: a later reason is closer than an earlier one, and of equal reasons the
/// one with the smaller amount is.
template <class Rejected>
void come_closer(Rejected& closest, decltype(Rejected::why) why, double amount) {
  if (why > closest.why || (why == closest.why && amount < closest.amount)) closest.why = why, closest.amount = amount;
}

/// What plans are compared by.
struct merits {
  double cost = 0;
  double time = 0;
  std::int64_t chips = 0;  ///< of all slices
};

/// The figures that an objective ranks by, smallest first; the second decides between equals.
inline rank_figures worth(const merits& of, objective best) {
  switch (best) {
    case objective::fastest: return {of.time, of.cost};
    case objective::fewest_chips: return {static_cast<double>(of.chips), of.cost};
    case objective::cheapest: break;
  }
  return {of.cost, of.time};
}

/// "2 x v5litepod-256", and one slice by its name alone.
inline text<48> slices_name(const slice& where, std::int64_t slice_total) {
  text<48> result;
  if (slice_total > 1) result.append(slice_total).append(" x ");
  return result.append(name(where).view());
}

/// What plans are ranked by: worth, and between equals chips and name, so that the order does not depend on the search.
struct rank_key {
  rank_figures worth{};
  std::int64_t chips = 0;
  text<48> name{};
};

/// Ranks plans by `key(plan)`, which is asked once for each.
template <class Plan, class Key>
void rank(std::vector<Plan>& plans, const Key& key) {
  std::vector<rank_key> keys(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) keys[i] = key(plans[i]);
  std::vector<Plan> ranked;
  const auto figures = [&](std::size_t i) -> const rank_figures& { return keys[i].worth; };
  const auto before = [&](std::size_t a, std::size_t b) {
    return keys[a].chips != keys[b].chips ? keys[a].chips < keys[b].chips : keys[a].name.view() < keys[b].name.view();
  };
  for (const std::size_t place : ranked_order(plans.size(), figures, before)) ranked.push_back(std::move(plans[place]));
  plans.swap(ranked);
}

/// Keeps the first `most` plans (0: all) and those for which `keep_anyway` is true; removes and returns the rest.
template <class Plan, class Keep>
std::vector<Plan> take_rest(std::vector<Plan>& plans, std::size_t most, const Keep& keep_anyway) {
  std::vector<Plan> kept, rest;
  for (Plan& p : plans) {
    const bool keep = most == 0 || kept.size() + rest.size() < most || keep_anyway(p);
    (keep ? kept : rest).push_back(std::move(p));
  }
  plans.swap(kept);
  return rest;
}

/// Whether a price is left out: its region is one of an area that the request names, not one that it names itself, the
/// price is far below those of other regions (`is_far_below`), and another region of the request has one that is not.
template <class Request>
bool is_left_out(const Request& request, const price_row& price) {
  const auto has = [](const std::vector<std::string>& regions, const price_row& row) {
    for (const std::string& one : regions) {
      if (same_name(row.region, one)) return true;
    }
    return false;
  };
  const price_book& book = request.prices;
  if (!has(request.regions_by_area, price) || !is_far_below(book, price)) return false;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const price_row other = book.row(i);
    if (other.kind == price.kind && other.generation == price.generation && has(request.regions, other) &&
        !is_far_below(book, other))
      return true;
  }
  return false;
}

/// The prices of a request by chip, region and way of paying, so that a plan does not search all rows of the book.
class price_index {
 public:
  template <class Request>
  explicit price_index(const Request& request) {
    const price_book& book = request.prices;
    for (std::size_t i = 0; i < book.size(); ++i) {
      const price_row row = book.row(i);
      for (std::size_t region = 0; region < request.regions.size(); ++region) {
        if (!same_name(row.region, request.regions[region]) || is_left_out(request, row)) continue;
        const maybe<price_row> holds = find_price(book, row.generation, row.region, row.kind, row.smallest_chips);
        if (!holds || holds->smallest_chips != row.smallest_chips) continue;  // a price of the caller replaces this row
        add({chip_named(request, "price.generation", row.generation), region, *holds});
      }
    }
  }

  /// Calls `visit(row)` for the row that holds for that many chips, of every region and way of paying that has one.
  template <class Visit>
  void each(const text<24>& chip, std::int64_t chip_count, const Visit& visit) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].chip != chip || rows_[i].row.smallest_chips > chip_count) continue;
      const bool replaced =
          i + 1 < rows_.size() && same_offer(rows_[i], rows_[i + 1]) && rows_[i + 1].row.smallest_chips <= chip_count;
      if (!replaced) visit(rows_[i].row);
    }
  }

 private:
  struct regional_price {
    text<24> chip{};
    std::size_t region = 0;
    price_row row{};
  };

  static bool same_offer(const regional_price& a, const regional_price& b) {
    return a.chip == b.chip && a.region == b.region && a.row.kind == b.row.kind;
  }
  static bool comes_before(const regional_price& a, const regional_price& b) {
    if (a.chip != b.chip) return a.chip < b.chip;
    if (a.region != b.region) return a.region < b.region;
    return a.row.kind != b.row.kind ? a.row.kind < b.row.kind : a.row.smallest_chips < b.row.smallest_chips;
  }
  /// Inserts a price in order; of two for the same offer and size the first one is kept.
  void add(const regional_price& price) {
    std::size_t at = rows_.size();
    while (at > 0 && comes_before(price, rows_[at - 1])) --at;
    if (at > 0 && !comes_before(rows_[at - 1], price)) return;
    rows_.push_back(price);
    for (std::size_t i = rows_.size() - 1; i > at; --i) rows_[i] = rows_[i - 1];
    rows_[at] = price;
  }

  std::vector<regional_price> rows_{};  // sorted by chip, region, way of paying and smallest slice
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
