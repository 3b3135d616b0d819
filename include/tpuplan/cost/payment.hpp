#ifndef TPUPLAN_COST_PAYMENT_HPP
#define TPUPLAN_COST_PAYMENT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/lifetimes.hpp>
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
  seconds start_up{};             ///< billed, from the first capacity to the first step
  seconds besides_steps{};        ///< billed, in which no step runs: evaluations, the export of the model
  seconds checkpoint_interval{};  ///< useful time between two checkpoints; 0: the best
  /// Between stops of the job by hardware, hosts and network, under every way of paying; 0: none are expected.
  seconds mean_time_between_failures{};
  /// That interval is of so many steps: it lasts as long as they do, and what comes besides them comes on top.
  bool interval_of_steps = false;
  /// Own spot slices, after which how long spot lasts is believed anew where `spot` leaves it open (0), as plans may.
  seen_lifetimes seen{};
};

namespace detail {

/// Throws for terms out of their range that every way of paying has; those of spot and flex-start are checked there.
constexpr void check_shared(const payment_terms& terms) {
  in_range("payment_terms.rest_of_term_used", terms.rest_of_term_used, 0, 1, "0 (idle) to 1 (used)");
  const auto check = [](detail::words field, seconds time, double most, detail::words valid) {
    in_range(field, not_negative(field, time.value()), 0, most, valid);
  };
  check("payment_terms.start_up", terms.start_up, 3e7, "0 to 3e7 s");  // three phases
  check("payment_terms.besides_steps", terms.besides_steps, 1e18, "0 to 1e18 s");
  check("payment_terms.checkpoint_interval", terms.checkpoint_interval, 1e18, "0 to 1e18 s");
  check("payment_terms.mean_time_between_failures", terms.mean_time_between_failures, 1e12, "0 to 1e12 s");
  check("payment_terms.seen.time", terms.seen.time, 1e18, "0 to 1e18 s");
  count_from("payment_terms.seen.preempted", terms.seen.preempted, 0);
}

}  // namespace detail

/// Throws, naming the field, for terms out of their range, whichever way of paying has them. Worked: a
/// `rest_of_term_used` of -5 is refused, though only commitments use it.
constexpr void validate(const payment_terms& terms) {
  validate(terms.spot);
  detail::check_times(terms.flex_start);
  detail::check_shared(terms);
}

/// The terms of the same run with steps that take `pace` times as long: checkpoints of so many steps come as much
/// later. Worked: 10 min of steps are 20 min at a pace of 2; 10 min without steps stay so.
[[nodiscard]] constexpr payment_terms at_pace(payment_terms terms, double pace) {
  if (terms.interval_of_steps) terms.checkpoint_interval *= pace;
  return terms;
}

/// A run under one way of paying. billed = run + overhead + unused, total = rate x billed.
struct paid_run {
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  price_row price{};                            ///< the row of the price book
  usd_per_second rate{};                        ///< of all chips
  seconds run{};                                ///< uninterrupted, as asked
  seconds overhead{};                           ///< billed too: start, checkpoints, repeated work, restarts
  seconds unused{};                             ///< billed but idle: the rest of a calendar day or a commitment
  seconds billed{};                             ///< run, overhead and what is unused
  seconds queue{};                              ///< waiting for capacity, not billed
  seconds wall{};                               ///< run + overhead + queue
  usd total{};                                  ///< rate x billed
  usd unused_cost{};                            ///< the part of `total` for unused time
  seconds checkpoint_interval{};                ///< work between two checkpoints; 0: none are written
  double preemptions = 0;                       ///< spot: how many are expected
  std::int64_t pieces = 1;                      ///< flex-start: pieces; commitments: terms
  bool superseded = false;                      ///< its price is older than an announced change
};

namespace detail {

/// The interval that the terms ask for, with its share of what the run does besides its steps.
constexpr seconds whole_interval(const payment_terms& terms, seconds run) {
  return terms.interval_of_steps ? terms.checkpoint_interval * ((run + terms.besides_steps) / run)
                                 : terms.checkpoint_interval;
}

}  // namespace detail

/// What stops a run under a way of paying: preemptions on spot, failures everywhere, with the best interval between
/// checkpoints, or that of the terms. A failure is not waited for in the queue: of the queue the run has the share of
/// its stops that are preemptions. Nothing where nothing stops it and no checkpoint is asked for. Throws where
/// `best_spot_run` does. Worked: of two slices preempted every 4 h, beside a failure every 2 h, a stop comes every
/// hour.
[[nodiscard]] constexpr maybe<spot_run> stopped_run(provisioning kind, std::int64_t slice_total, seconds run,
                                                    const payment_terms& terms) {
  const bool is_spot = kind == provisioning::spot;
  const seconds failing = terms.mean_time_between_failures;
  const bool fails = failing > seconds{};
  if (!is_spot && !fails && !(terms.checkpoint_interval > seconds{})) return nothing;
  spot_terms stops = terms.spot;
  if (!is_spot) stops.queue_time = {};
  if (!is_spot) stops.mean_time_between_preemptions = fails ? failing : 1e12_s;  // of all slices
  if (is_spot && fails) {
    const seconds taken =
        mean_time_between_preemptions_of_slices(stops.mean_time_between_preemptions, slice_total, stops.correlation);
    stops.mean_time_between_preemptions = 1 / (1 / taken + 1 / failing);
    stops.queue_time *= stops.mean_time_between_preemptions / taken;
    slice_total = 1;
  }
  spot_run result = best_spot_run(run + terms.besides_steps, is_spot ? slice_total : 1, stops);
  if (terms.checkpoint_interval > seconds{})
    result.checkpoint_interval = min(detail::whole_interval(terms, run), result.work);
  return result;
}

/// Time of steps between the checkpoints of a run under a way of paying, of what `stopped_run` has; the whole run where
/// nothing stops it. Throws where `stopped_run` does. Worked: of a run of 10 days that fails every 50 h, with
/// checkpoints of 15 s, 2316 s, and 2102 s where evaluations take another day; of one that nothing stops 10 days.
[[nodiscard]] constexpr seconds checkpoint_interval_of(provisioning kind, std::int64_t slice_total, seconds run,
                                                       const payment_terms& terms) {
  const maybe<spot_run> stops = stopped_run(kind, slice_total, run, terms);
  return stops ? stops->checkpoint_interval * (run / stops->work) : run;
}

namespace detail {

/// The time of a run with its start, checkpoints and stops, before what its way of paying adds.
struct held_run {
  seconds held{};   ///< with machines
  seconds queue{};  ///< of all preemptions
  seconds checkpoint_interval{};
  double preemptions = 0;
  bool ends = true;
};

constexpr held_run held_for(provisioning kind, std::int64_t slice_total, seconds run, const payment_terms& terms) {
  held_run result;
  result.held = run + terms.besides_steps;
  result.ends = result.held <= longest_run;
  if (!result.ends) return result;
  if (const maybe<spot_run> stops = stopped_run(kind, slice_total, run, terms)) {
    result.ends = stops->work / stops->checkpoint_interval < 9e15 && can_finish(*stops);
    if (!result.ends) return result;
    const expected_spot_run expected = expected_run(*stops);
    result.held = expected.billed;
    result.queue = expected.queue;
    result.checkpoint_interval = stops->checkpoint_interval;
    if (kind == provisioning::spot) {
      const seconds failing = terms.mean_time_between_failures;
      const double share = failing > seconds{} ? 1 - stops->mean_time_between_preemptions / failing : 1;
      result.preemptions = expected.preemptions * share;
    }
  }
  result.held += terms.start_up;
  return result;
}

constexpr void add_timed(paid_run& paid, const timed_run& timed) {
  paid.overhead += timed.overhead;
  paid.unused = timed.unused;
  paid.queue = timed.queue;
  paid.pieces = timed.pieces;
}

/// The time of a run under a way of paying, without its price and dollars; `held` is what it is held for.
constexpr paid_run timed_payment(provisioning kind, seconds run, const held_run& held, const payment_terms& terms) {
  paid_run paid;
  paid.kind = kind;
  paid.run = run;
  paid.overhead = held.held - run;
  paid.checkpoint_interval = held.checkpoint_interval;
  paid.preemptions = held.preemptions;
  switch (kind) {
    case provisioning::on_demand: break;
    case provisioning::spot: paid.queue = held.queue + terms.spot.queue_time; break;
    case provisioning::flex_start: add_timed(paid, flex_start_run(held.held, terms.flex_start)); break;
    case provisioning::calendar: add_timed(paid, calendar_run(held.held)); break;
    case provisioning::commitment_1y:
    case provisioning::commitment_3y:
      const commitment_cost committed = cost_under_commitment(1_usd_per_h, kind, held.held, terms.rest_of_term_used);
      paid.unused = committed.unused;
      paid.pieces = committed.terms;
  }
  paid.billed = paid.run + paid.overhead + paid.unused;
  paid.wall = paid.run + paid.overhead + paid.queue;
  return paid;
}

/// The same run at a price of all its chips.
constexpr paid_run at_price(paid_run paid, std::int64_t chip_total, const price_row& price) {
  paid.price = price;
  paid.rate = rate(price.per_chip, chip_total);
  paid.total = cost(paid.rate, paid.billed);
  paid.unused_cost = cost(paid.rate, paid.unused);
  paid.superseded = is_before_announced_change(price);
  return paid;
}

/// Whether a run that is held for so long can be had under a way of paying.
constexpr bool can_be_held(provisioning kind, const held_run& held, const payment_terms& terms) {
  if (!held.ends) return false;
  if (kind == provisioning::calendar) return held.held <= 90_days;
  if (kind != provisioning::flex_start) return true;
  if (!has_time_for_steps(terms.flex_start)) return false;
  return terms.flex_start.may_be_split || held.held <= terms.flex_start.limit;
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
  detail::check_shared(terms);
  if (run > longest_run) return false;
  return detail::can_be_held(kind, detail::held_for(kind, slice_total, run, terms), terms);
}

/// What an uninterrupted run on some slices costs under the way of paying of a price row.
///
/// It is billed from its start to its end, with what `start_up`, evaluations, failures and the checkpoints between them
/// take. On spot it is preempted besides, with checkpoints at the best interval; on flex-start it may be split into
/// pieces; a calendar window is billed in whole days; a commitment for its whole term, less what other work uses of it
/// (`rest_of_term_used`). The wait for the first capacity counts for spot and flex-start. Throws where one of
/// `best_spot_run`, `expected_run`, `flex_start_run`, `calendar_run` and `cost_under_commitment` does. Worked: 10 days
/// of two v5e-32 (64 chips): 18432 USD on demand at 1.20; 9222.56 on flex-start at 0.60, of which 6.56 for a second
/// piece.
[[nodiscard]] constexpr paid_run pay_for(const slice& where, std::int64_t slice_total, seconds run,
                                         const price_row& price, const payment_terms& terms = {}) {
  const std::int64_t chip_total = detail::chips_of(where, slice_total);
  (void)rate(price.per_chip, chip_total);
  detail::positive("run time", run.value());
  detail::check_shared(terms);
  const detail::held_run held = detail::held_for(price.kind, slice_total, run, terms);
  if (!held.ends) {  // says why
    (void)expected_run(*stopped_run(price.kind, slice_total, run, terms));
    detail::fail(errc::out_of_range, "run time", run.value(), "at most 1e18 s");
  }
  return detail::at_price(detail::timed_payment(price.kind, run, held, terms), chip_total, price);
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

/// The cheapest way of paying of a range, the first if several cost the same; nothing where there are no options. One
/// whose price is older than an announced change (`superseded`) wins only over others of that kind. Worked: of the six
/// ways of 10 days on two v6e-32 in us it is spot at 25007.56 USD, where on demand is 41472; flex-start at 20750.76 is
/// superseded.
template <class Options>
[[nodiscard]] constexpr maybe<paid_run> cheapest(const Options& options) noexcept {
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
