#ifndef TPUPLAN_COST_TIMED_CAPACITY_HPP
#define TPUPLAN_COST_TIMED_CAPACITY_HPP

#include <cstdint>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>

/// @file
/// Capacity for a limited time: flex-start, at most 7 days at once, and calendar windows of whole days. How many pieces
/// a run takes, what is billed, and how much of that is unused.

namespace tpuplan {
inline namespace abi_0 {

/// A run on capacity for a limited time. billed = run + overhead + unused; wall = run + overhead + queue.
struct timed_run {
  seconds run{};            ///< useful time, as asked
  seconds overhead{};       ///< checkpoints at the end of pieces and restarts at the beginning of the next
  seconds unused{};         ///< paid for after the run has ended
  seconds queue{};          ///< waiting for capacity, not billed
  seconds billed{};         ///< time for which machines are held, used or not
  seconds wall{};           ///< from asking for capacity to the end of the run
  std::int64_t pieces = 1;  ///< pieces into which the run is split, one after the other
};

/// How flex-start is used. The defaults are those of `spot_terms`.
struct flex_start_terms {
  seconds limit{7 * 86400.0};  ///< longest piece; above 0, at most 7 days
  seconds checkpoint_time =
      checkpoint_start;       ///< time for which the checkpoint at the end of a piece stops the compute
  seconds restart_time{600};  ///< billed, at the beginning of every piece but the first
  seconds queue_time{};       ///< not billed, the wait for each piece, the first included
  bool may_be_split = true;   ///< false: a run longer than the limit is refused
};

namespace detail {

/// Throws, naming the field, for times that none of it can have.
constexpr void check_times(const flex_start_terms& terms) {
  (void)detail::positive("flex_start_terms.limit", terms.limit.value());
  if (terms.limit > 7_days) {
    detail::fail(errc::out_of_range, "flex_start_terms.limit in days", in_days(terms.limit), "at most 7 days");
  }
  detail::in_range("flex_start_terms.queue_time",
                   detail::not_negative("flex_start_terms.queue_time", terms.queue_time.value()), 0, 1e9, "0 to 1e9 s");
  (void)detail::not_negative("flex_start_terms.checkpoint_time", terms.checkpoint_time.value());
  (void)detail::not_negative("flex_start_terms.restart_time", terms.restart_time.value());
}

/// Whether a piece has time for steps beside its restart and its checkpoint.
constexpr bool has_time_for_steps(const flex_start_terms& terms) noexcept {
  return terms.checkpoint_time + terms.restart_time < terms.limit;
}

}  // namespace detail

/// Throws, naming the field, for times out of the range that `flex_start_terms` gives.
constexpr void validate(const flex_start_terms& terms) {
  detail::check_times(terms);
  if (!detail::has_time_for_steps(terms)) {
    detail::fail(errc::out_of_range, "flex_start_terms.restart_time", terms.restart_time.value(),
                 "less than the limit, checkpoint_time included");
  }
}

/// A run on flex-start capacity: one piece up to the limit; beyond it the fewest pieces one after the other, of which
/// each but the last ends with a checkpoint and each but the first begins with a restart.
///
/// No piece is interrupted, and the machines are given back when the run ends: nothing is left unused. Throws
/// where the run is longer than the limit and may not be split (`errc::out_of_range`), and where `validate` does.
/// Source: Google Cloud TPU flex-start documentation (copies of 2026): queued without charge, then up to 7 days,
/// stopped at the requested end. Worked: 20 days are 3 pieces and 1230 s more; 14 days are 3 pieces too, as restarts
/// need time.
[[nodiscard]] constexpr timed_run flex_start_run(seconds run, const flex_start_terms& terms = {}) {
  const double useful = detail::positive("run time", run.value());
  validate(terms);
  timed_run result;
  result.run = run;
  if (run > terms.limit) {
    if (!terms.may_be_split) {
      detail::fail(errc::out_of_range, "flex-start run in days", in_days(run),
                   "at most the limit, 7 days or less, where the run may not be split");
    }
    const seconds lost = terms.checkpoint_time + terms.restart_time;
    const double pieces = math::ceil((run - lost) / (terms.limit - lost));
    if (!(pieces < 9e15)) {
      detail::fail(errc::out_of_range, "run time", useful, "a time of fewer than 9e15 pieces");
    }
    result.pieces = static_cast<std::int64_t>(pieces);
    result.overhead = lost * (pieces - 1);
  }
  result.queue = terms.queue_time * static_cast<double>(result.pieces);
  result.billed = result.run + result.overhead;
  result.wall = result.billed + result.queue;
  return result;
}

/// A run in a calendar window of as many whole days as it needs; the rest of the last day is paid for and unused.
///
/// Throws beyond 90 days. A window cannot be changed or cancelled, and its first day is agreed: there is no queue.
/// Source: Google Cloud TPU calendar mode documentation (copies of 2026). Worked: 25 h are 2 days, of which 23 h are
/// unused.
[[nodiscard]] constexpr timed_run calendar_run(seconds run) {
  timed_run result;
  result.run = run;
  result.billed = billed_time(provisioning::calendar, run);
  result.unused = result.billed - run;
  result.wall = run;
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
