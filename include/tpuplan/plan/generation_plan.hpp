#ifndef TPUPLAN_PLAN_GENERATION_PLAN_HPP
#define TPUPLAN_PLAN_GENERATION_PLAN_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/estimate/generation.hpp>
#include <tpuplan/estimate/serving/queueing.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/plan/serving_request.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <vector>

/// @file
/// Which slices make so many images or clips an hour within a latency.

namespace tpuplan {
inline namespace abi_0 {

/// What is to be made, how often, and within which limits.
struct generation_request {
  generation_work work{};                                    ///< of an item
  generation_job job{};                                      ///< steps and passes; a batch of 0: chosen
  double items_per_hour = 0;                                 ///< of all slices
  maybe<seconds> latency{};                                  ///< most mean time from a request to its item
  objective best = objective::cheapest;                      ///< fastest: the shortest latency
  std::vector<provisioning> kinds{provisioning::on_demand};  ///< ways of paying, see `is_compared`
  std::vector<std::string> regions{"us"};                    ///< regions of the price book that may be chosen
  std::vector<std::string> regions_by_area{};                ///< of them those that an area named, as in plan_request
  maybe<usd_per_second> budget{};                            ///< most dollars per second, of all slices
  std::vector<std::string> generations{};                    ///< names of chips that may be chosen; empty: all
  std::int64_t smallest_chips = 1;                           ///< fewest chips over all slices
  std::int64_t largest_chips = 1024;                         ///< most chips over all slices
  std::int64_t largest_slice = 64;                           ///< most chips of a slice
  bool accept_uncertain = false;                             ///< accept slices whose memory fit is uncertain
  std::size_t most_plans = 8;                                ///< plans returned
  price_book prices{};                                       ///< the built-in ones unless given
};

/// A number of equal slices that make the items.
struct generation_plan {
  slice where{};                                ///< each of the slices
  std::int64_t slices = 0;                      ///< how many of them
  std::int64_t batch = 0;                       ///< items that a slice makes together
  laid_out_generation made{};                   ///< a batch on one of them
  double busy = 0;                              ///< share of the time that slices are taken, 0 to 1
  seconds waiting{};                            ///< mean time in which a batch fills and a slice gets free
  seconds latency{};                            ///< mean time from a request to its item
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  std::string region{};                         ///< of the price
  price_row price{};                            ///< the row that holds, with its date
  usd_per_second rate{};                        ///< of all slices
  bool on_front = false;                        ///< no other is both cheaper and faster
};

/// Plans from best to worst, and one reason for every other slice.
struct generation_plan_answer {
  std::vector<generation_plan> plans{};     ///< best first
  std::vector<rejected_server> rejected{};  ///< everything else
};

/// Mean time that a request waits where requests come at random, `arrivals` of them, to slices that make batches of
/// that time: until its batch is full, and until a slice is free. Source: Sakasegawa, as for engines (see
/// `estimate/serving/queueing.hpp`). Worked: one image of 10 s on one slice at a request each 20 s waits 5 s.
[[nodiscard]] constexpr seconds generation_wait(double arrivals, std::int64_t batch, std::int64_t slices,
                                                seconds batch_time) {
  const auto items = static_cast<double>(detail::positive_count("batch", batch));
  const auto servers = static_cast<double>(detail::positive_count("slices", slices));
  const double batches = detail::positive("arrivals", arrivals) / items;
  const double load = batches * detail::positive("batch_time", batch_time.value()) / servers;
  if (load >= 1) detail::fail(errc::infeasible, "slices", slices, "more: they make fewer items than are asked for");
  // Batches come more evenly than requests do: of `items` requests the variation is the square root of 1 / items.
  const double waiting = detail::mean_queue(load, servers, 1 / items) / batches;
  return seconds{(items - 1) / (2 * arrivals) + waiting};
}

namespace detail {

/// Batches that are tried where none is asked for.
inline constexpr std::int64_t tried_batches[] = {1, 2, 4, 8, 16, 32};

/// What comes of a slice: its best plan, or the reason that is closest to one.
struct generation_outcome {
  maybe<generation_plan> best{};
  rejected_server lost{};
};

inline void lose(generation_outcome& to, serving_rejection why, double amount, const char* unit) {
  const bool closer = why > to.lost.why || (why == to.lost.why && amount < to.lost.amount) || to.lost.unit.empty();
  if (why < to.lost.why || !closer) return;
  to.lost.why = why, to.lost.amount = amount, to.lost.unit = unit;
}

/// The fewest slices of which a batch keeps up with the requests and their latency; 0: none do, and why.
inline std::int64_t slices_needed(const generation_request& request, const generation_plan& one,
                                  generation_outcome& to) {
  const double arrivals = request.items_per_hour / 3600, items = static_cast<double>(one.batch);
  const double needed = arrivals * one.made.time.total.value() / items;
  const std::int64_t most = request.largest_chips / chips(one.where);
  std::int64_t count = ceil_to_count(needed * (1 + 1e-9));
  if (count < 1) count = 1;
  if (static_cast<double>(count) <= needed) ++count;
  const std::int64_t fewest = ceil_div(request.smallest_chips, chips(one.where));
  if (count < fewest) count = fewest;
  for (; count <= most; ++count) {
    const seconds latency = one.made.time.total + generation_wait(arrivals, one.batch, count, one.made.time.total);
    if (!request.latency || latency <= *request.latency) return count;
    const seconds least = one.made.time.total + seconds{(items - 1) / (2 * arrivals)};
    if (least > *request.latency)
      return lose(to, serving_rejection::misses_target, (least - *request.latency).value(), "s"), 0;
  }
  lose(to, serving_rejection::too_many_chips, static_cast<double>(count) * static_cast<double>(chips(one.where)),
       "chips");
  return 0;
}

/// The time from a request to its item with so many slices, and what it is made of.
inline void set_latency(generation_plan& one, std::int64_t slice_total, double arrivals) {
  const seconds made = one.made.time.total;
  one.slices = slice_total;
  one.busy = arrivals / static_cast<double>(one.batch * one.slices) * made.value();
  one.waiting = generation_wait(arrivals, one.batch, one.slices, made);
  one.latency = made + one.waiting;
}

/// Adds slices up to `most` where these shorten the wait: the fewest whose latency is that of all of them.
inline void add_slices(generation_plan& one, std::int64_t most, double arrivals) {
  generation_plan all = one;
  std::int64_t few = one.slices, many = most;
  if (many <= few) return;
  set_latency(all, many, arrivals);
  while (few < many) {
    const std::int64_t middle = few + (many - few) / 2;
    set_latency(one, middle, arrivals);
    if (one.latency.value() > all.latency.value() * (1 + 1e-9)) {
      few = middle + 1;
    } else {
      many = middle;
    }
  }
  set_latency(one, many, arrivals);
}

inline bool is_before(const generation_plan& a, const generation_plan& b, objective best) {
  if (best == objective::fastest && a.latency != b.latency) return a.latency < b.latency;
  const std::int64_t ours = chips(a.where) * a.slices, theirs = chips(b.where) * b.slices;
  if (best == objective::fewest_chips && ours != theirs) return ours < theirs;
  if (a.rate != b.rate) return a.rate < b.rate;
  if (ours != theirs) return ours < theirs;
  return a.latency < b.latency;
}

/// The cheapest way of paying for that many slices, or why there is none.
inline void price_plan(const generation_request& request, const generation_plan& least, generation_outcome& to) {
  serving_request ways;
  ways.kinds = request.kinds;
  for (const std::string& region : request.regions) {
    for (const provisioning kind : request.kinds) {
      if (!is_compared(ways, kind)) continue;
      const maybe<price_row> found = find_price(request.prices, least.where, region, kind);
      if (!found || is_left_out(request, *found)) {
        lose(to, serving_rejection::no_price, 0, "");
        continue;
      }
      generation_plan one = least;
      one.kind = kind, one.region = region, one.price = *found;
      const usd_per_second of_slice = rate(found->per_chip, chips(one.where));
      if (request.best == objective::fastest) {
        std::int64_t most = request.largest_chips / chips(one.where);
        while (request.budget && most > one.slices && is_over(static_cast<double>(most) * of_slice, *request.budget))
          --most;
        add_slices(one, most, request.items_per_hour / 3600);
      }
      one.rate = rate(found->per_chip, checked_multiply(chips(one.where), one.slices));
      if (request.budget && is_over(one.rate, *request.budget)) {
        lose(to, serving_rejection::over_budget, in_usd_per_hour(one.rate - *request.budget), "USD/h");
      } else if (!to.best || is_before(one, *to.best, request.best)) {
        to.best = one;
      }
    }
  }
}

/// A batch of that size on a slice.
inline void try_batch(const generation_request& request, const slice& where, std::int64_t batch,
                      generation_outcome& to) {
  generation_job job = request.job;
  job.batch = batch;
  const maybe<laid_out_generation> laid = best_generation(request.work, job, where);
  if (!laid) return lose(to, serving_rejection::no_layout, 0, "");
  const verdict fit = fits(laid->memory);
  if (fit == verdict::no || (fit == verdict::uncertain && !request.accept_uncertain)) {
    const auto why = fit == verdict::no ? serving_rejection::does_not_fit : serving_rejection::fit_uncertain;
    const bytes over = laid->memory.high - laid->memory.usable;
    return lose(to, why, over.value() > 0 ? over.value() : 0, "bytes");
  }
  generation_plan one;
  one.where = where, one.batch = batch, one.made = *laid;
  one.slices = slices_needed(request, one, to);
  if (one.slices == 0) return;
  set_latency(one, one.slices, request.items_per_hour / 3600);
  price_plan(request, one, to);
}

inline void mark_front(std::vector<generation_plan>& plans) {
  for (generation_plan& one : plans)
    one.on_front = std::none_of(plans.begin(), plans.end(), [&](const generation_plan& other) {
      return other.rate <= one.rate && other.latency <= one.latency &&
             (other.rate < one.rate || other.latency < one.latency);
    });
}

inline void check_request(const generation_request& request) {
  positive("items_per_hour", request.items_per_hour);
  in_range("items_per_hour", request.items_per_hour, 1e-6, 1e9, "1e-6 to 1e9");
  positive_count("largest_chips", request.largest_chips);
  if (request.smallest_chips > request.largest_chips)
    fail(errc::out_of_range, "smallest_chips", request.smallest_chips, "at most largest_chips");
  generation_job one = request.job;
  if (one.batch == 0) one.batch = 1;
  validate(one);
}

inline double behind(const generation_plan& lost, const generation_plan& best, objective by) {
  if (by == objective::fastest) return (lost.latency - best.latency).value();
  if (by == objective::fewest_chips)
    return static_cast<double>(chips(lost.where) * lost.slices - chips(best.where) * best.slices);
  return in_usd_per_hour(lost.rate - best.rate);
}

}  // namespace detail

/// Numbers of equal slices that make the items within the limits, best first: of each slice the best batch, layout and
/// way of paying. Requests come at random, and a latency is the mean of waiting and making. Throws, naming the field,
/// for an invalid request. Worked: twice the rate of requests takes no fewer dollars.
[[nodiscard]] inline generation_plan_answer plan_generation(const generation_request& request) {
  detail::check_request(request);
  generation_plan_answer answer;
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice where = slice_at(i);
    const auto is_of = [&](const std::string& one) { return chip_for(one).name == where.chip.name; };
    const bool wanted =
        request.generations.empty() || std::any_of(request.generations.begin(), request.generations.end(), is_of);
    if (!wanted || !is_default(where) || !schedulable(where) || chips(where) > request.largest_slice ||
        chips(where) > request.largest_chips)
      continue;
    detail::generation_outcome found;
    found.lost.where = where;
    if (request.job.batch > 0) {
      detail::try_batch(request, where, request.job.batch, found);
    } else {
      for (const std::int64_t batch : detail::tried_batches) detail::try_batch(request, where, batch, found);
    }
    if (found.best) {
      answer.plans.push_back(*found.best);
    } else {
      answer.rejected.push_back(found.lost);
    }
  }
  detail::sort_in_order(answer.plans, [&](const generation_plan& a, const generation_plan& b) {
    return detail::is_before(a, b, request.best);
  });
  detail::mark_front(answer.plans);
  const std::size_t kept = std::max<std::size_t>(1, request.most_plans);
  for (std::size_t i = kept; i < answer.plans.size(); ++i) {
    const char* unit = request.best == objective::fastest        ? "s of latency"
                       : request.best == objective::fewest_chips ? "chips"
                                                                 : "USD/h";
    answer.rejected.push_back({answer.plans[i].where, serving_rejection::dominated,
                               detail::behind(answer.plans[i], answer.plans.front(), request.best), unit});
  }
  if (answer.plans.size() > kept) answer.plans.resize(kept);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
