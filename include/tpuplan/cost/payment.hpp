#ifndef TPUPLAN_COST_PAYMENT_HPP
#define TPUPLAN_COST_PAYMENT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/cost/timed_capacity.hpp>

/// @file
/// One run under every way of paying: what is billed, how long it takes, and what is paid for but unused.

namespace tpuplan {
inline namespace abi_0 {

/// How each way of paying is used.
struct payment_terms {
  spot_terms spot{};              ///< what is expected of spot capacity
  flex_start_terms flex_start{};  ///< whether and how a run is split into pieces
  double rest_of_term_used = 0;   ///< share of a commitment's other hours that other work uses and pays for
};

/// Throws, naming the field, for terms out of their range, whichever way of paying has them. Worked: a
/// `rest_of_term_used` of -5 is refused, though only commitments use it.
constexpr void validate(const payment_terms& terms) {
  validate(terms.spot);
  validate(terms.flex_start);
  detail::in_range("payment_terms.rest_of_term_used", terms.rest_of_term_used, 0, 1, "0 (idle) to 1 (used)");
}

/// A run under one way of paying. billed = run + overhead + unused, total = rate x billed.
struct paid_run {
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  price_row price{};                            ///< the row of the price book
  usd_per_second rate{};                        ///< of all chips
  seconds run{};                                ///< uninterrupted, as asked
  seconds overhead{};                           ///< billed too: checkpoints, repeated work, restarts
  seconds unused{};                             ///< billed but idle: the rest of a calendar day or a commitment
  seconds billed{};                             ///< run, overhead and what is unused
  seconds queue{};                              ///< waiting for capacity, not billed
  seconds wall{};                               ///< run + overhead + queue
  usd total{};                                  ///< rate x billed
  usd unused_cost{};                            ///< the part of `total` for unused time
  seconds checkpoint_interval{};                ///< spot: work between two checkpoints
  double preemptions = 0;                       ///< spot: how many are expected
  std::int64_t pieces = 1;                      ///< flex-start: pieces; commitments: terms
  bool superseded = false;                      ///< its price is older than an announced change
};

namespace detail {

constexpr void add_spot(paid_run& paid, std::int64_t slice_total, const spot_terms& terms) {
  const spot_run run = best_spot_run(paid.run, slice_total, terms);
  const expected_spot_run expected = expected_run(run);
  paid.overhead = expected.billed - expected.work;
  paid.queue = expected.queue + terms.queue_time;
  paid.checkpoint_interval = run.checkpoint_interval;
  paid.preemptions = expected.preemptions;
}

constexpr void add_timed(paid_run& paid, const timed_run& timed) {
  paid.overhead = timed.overhead;
  paid.unused = timed.unused;
  paid.queue = timed.queue;
  paid.pieces = timed.pieces;
}

constexpr void add_commitment(paid_run& paid, double rest_used) {
  const commitment_cost committed = cost_under_commitment(paid.rate, paid.kind, paid.run, rest_used);
  paid.unused = committed.unused;
  paid.pieces = committed.terms;
}

/// Whether a run on spot slices is expected to end, with a countable number of intervals.
constexpr bool can_be_spot(std::int64_t slice_total, seconds work, const spot_terms& terms) {
  const spot_run run = best_spot_run(work, slice_total, terms);
  return run.work / run.checkpoint_interval < 9e15 && can_finish(run);
}

}  // namespace detail

/// Whether a run on some slices is possible under a way of paying; `pay_for` throws where it is not.
///
/// Each way has its own reason: calendar windows end after 90 days; flex-start ends after its limit where the run may
/// not be split; spot slices may be preempted faster than they restart and get from one checkpoint to the next
/// (`can_finish`). No run longer than `longest_run` is possible. Throws for terms out of their range. Worked: 100 days
/// are not possible in calendar mode, nor on spot capacity that is preempted every 6 s.
[[nodiscard]] constexpr bool can_be_paid(provisioning kind, std::int64_t slice_total, seconds run,
                                         const payment_terms& terms = {}) {
  detail::positive("run time", run.value());
  detail::positive_count("slices", slice_total);
  if (run > longest_run) return false;
  switch (kind) {
    case provisioning::calendar: return run <= 90_days;
    case provisioning::flex_start:
      validate(terms.flex_start);
      return terms.flex_start.may_be_split || run <= terms.flex_start.limit;
    case provisioning::spot: return detail::can_be_spot(slice_total, run, terms.spot);
    case provisioning::on_demand:
    case provisioning::commitment_1y:
    case provisioning::commitment_3y: break;
  }
  return true;
}

/// What an uninterrupted run on some slices costs under the way of paying of a price row.
///
/// On demand it is billed for its own time. On spot it is preempted and writes checkpoints at the best interval; on
/// flex-start it may be split into pieces; a calendar window is billed in whole days; a commitment for its
/// whole term, less what other work uses of it (`rest_of_term_used`). The wait for the first capacity counts for
/// spot and flex-start. Throws where one of `best_spot_run`, `expected_run`, `flex_start_run`, `calendar_run` and
/// `cost_under_commitment` does. Worked: 10 days of two v5e-32 (64 chips): 18432 USD on demand at 1.20; 9222.56 on
/// flex-start at 0.60, of which 6.56 for a second piece.
[[nodiscard]] constexpr paid_run pay_for(const slice& where, std::int64_t slice_total, seconds run,
                                         const price_row& price, const payment_terms& terms = {}) {
  paid_run paid;
  paid.kind = price.kind;
  paid.price = price;
  paid.rate = rate(price.per_chip, detail::chips_of(where, slice_total));
  paid.run = seconds{detail::positive("run time", run.value())};
  switch (price.kind) {
    case provisioning::on_demand: break;
    case provisioning::spot: detail::add_spot(paid, slice_total, terms.spot); break;
    case provisioning::flex_start: detail::add_timed(paid, flex_start_run(run, terms.flex_start)); break;
    case provisioning::calendar: detail::add_timed(paid, calendar_run(run)); break;
    case provisioning::commitment_1y:
    case provisioning::commitment_3y: detail::add_commitment(paid, terms.rest_of_term_used); break;
  }
  paid.billed = paid.run + paid.overhead + paid.unused;
  paid.wall = paid.run + paid.overhead + paid.queue;
  paid.total = cost(paid.rate, paid.billed);
  paid.unused_cost = cost(paid.rate, paid.unused);
  paid.superseded = is_before_announced_change(price);
  return paid;
}

/// A run under all ways of paying, in the order of `provisioning`.
struct payment_options {
  std::array<paid_run, all_provisioning.size()> ways{};  ///< the first `count` are set
  std::size_t count = 0;                                 ///< ways that are set

  [[nodiscard]] constexpr const paid_run* begin() const noexcept { return ways.data(); }        ///< the first way
  [[nodiscard]] constexpr const paid_run* end() const noexcept { return ways.data() + count; }  ///< behind the last way
};

/// Every way of paying that the book has a price for and under which the run is possible (`can_be_paid`). Throws where
/// `pay_for` does. Worked: 10 days on v6e-32 in us have six ways, 100 days five: calendar windows are shorter.
[[nodiscard]] constexpr payment_options ways_to_pay(const price_book& book, const slice& where,
                                                    std::int64_t slice_total, std::string_view region, seconds run,
                                                    const payment_terms& terms = {}) {
  payment_options options;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, where, region, kind);
    if (price && can_be_paid(kind, slice_total, run, terms))
      options.ways[options.count++] = pay_for(where, slice_total, run, *price, terms);
  }
  return options;
}

/// The cheapest way of paying, the first if several cost the same; nothing where there are no options. One whose price
/// is older than an announced change (`superseded`) wins only over others of that kind. Worked: of the six ways of 10
/// days on two v6e-32 in us it is spot at 25007.56 USD, where on demand is 41472; flex-start at 20750.76 is superseded.
[[nodiscard]] constexpr maybe<paid_run> cheapest(const payment_options& options) noexcept {
  maybe<paid_run> best;
  for (const paid_run& way : options) {
    const bool surer = best && best->superseded && !way.superseded;
    if (!best || surer || (way.superseded == best->superseded && way.total < best->total)) best = way;
  }
  return best;
}

/// The run under that way of paying; nothing where it is not among the options. Worked: 10 days of
/// two v6e-32 on demand are 41472 USD.
[[nodiscard]] constexpr maybe<paid_run> find_way(const payment_options& options, provisioning kind) noexcept {
  for (const paid_run& way : options) {
    if (way.kind == kind) return way;
  }
  return nothing;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
