#ifndef TPUPLAN_RISK_PLAYED_RUN_HPP
#define TPUPLAN_RISK_PLAYED_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/normal.hpp>
#include <tpuplan/base/random.hpp>
#include <tpuplan/cost/run_prices.hpp>
#include <tpuplan/risk/failures.hpp>
#include <tpuplan/risk/lifetimes.hpp>
#include <tpuplan/risk/slices_at_work.hpp>
#include <vector>

/// @file
/// One run, played to its end: its step is faster or slower than estimated, capacity is waited for, spot slices are
/// taken away, machines fail, and how often they do is drawn too.

namespace tpuplan {
inline namespace abi_0 {

/// A run with all that may happen to it.
struct run_at_risk {
  run_range run{};                     ///< its useful time; nine of ten runs lie between its ends
  std::int64_t slices = 1;             ///< that compute together; a stop of one stops all
  seconds start_up{};                  ///< paid, before the first step
  seconds restart_time{};              ///< paid, from new capacity to the next step after a stop
  seconds checkpoint_time{};           ///< for which one checkpoint stops the step
  seconds checkpoint_interval{};       ///< useful time between two; above 0
  seconds queue_time{};                ///< mean of each wait for capacity: exponential; 0: none
  bool waits_after_failures = false;   ///< whether the place of a machine that fails is waited for in that queue
  maybe<mean_time_belief> lifetime{};  ///< between preemptions of the job; nothing: capacity is not taken away
  maybe<mean_time_belief> failures{};  ///< between failures of the job; nothing: none are expected
  maybe<seconds> longest_piece{};      ///< after which capacity ends, as flex-start does; nothing: it does not
  bool interval_of_steps = false;      ///< checkpoints come every so many steps: later where steps are slower
};

/// What is done about stops.
struct risk_policy {
  bool on_demand_in_time = false;    ///< goes on on demand at the last moment from which it is done in time
  maybe<seconds> on_demand_after{};  ///< goes on on demand at the first stop after that long; nothing: never
  std::int64_t spare_slices = 0;     ///< paid for too; each takes the place of a lost one without a wait
  bool elastic = false;              ///< goes on in the process, on the slices that are left; only they are paid
};

/// By when, and for how much; nothing: no limit.
struct risk_limits {
  maybe<seconds> deadline{};  ///< from when capacity is asked for
  maybe<usd> budget{};        ///< for all that is billed
};

/// One run as it went.
struct played_run {
  seconds wall{};          ///< from when capacity is asked for to the end
  seconds billed{};        ///< with machines
  seconds on_demand{};     ///< the part of `billed` that is on demand after a switch
  std::int64_t stops = 0;  ///< preemptions and failures
  bool ended = true;       ///< false: given up, see `stops_of_a_block`
};

/// Which of many runs is played. Run n of a seed has the same luck under every policy.
struct played_number {
  std::int64_t seed = 1;  ///< of all runs
  std::int64_t nth = 1;   ///< from 1 on
  std::int64_t of = 1;    ///< how many are played
  /// @{
  /// Given up when it has taken and been billed for longer than that, where only what ends before counts; nothing: see
  /// stops_of_a_block.
  maybe<seconds> until{}, until_billed{};
  /// @}
};

/// Of a run that is stopped more often, what so many stops brought is repeated as often as it goes into the rest: its
/// pace is then known to a twentieth. A run that gets no further, or takes a hundred times its useful time and its
/// wait, is given up.
inline constexpr std::int64_t stops_of_a_block = 500;
/// The same of an elastic run, whose other slices go on at each stop.
inline constexpr std::int64_t stops_of_an_elastic_block = 250;

namespace detail {

/// `run_at` of times that are known to be valid.
constexpr seconds run_time_at(const run_range& run, double share) {
  const double z = math::normal_quantile(share) / math::normal_quantile(0.95);
  return run.expected * math::exp(z * math::log(z < 0 ? run.expected / run.low : run.high / run.expected));
}

}  // namespace detail

/// The useful time that a share of runs stays below: log-normal on either side of what is expected, with nine of ten
/// between the ends. Throws for times that do not rise from above 0, and a share not above 0 and below 1. Worked: of 8
/// to 12 days, expected 10, 95 % take at most 12.
[[nodiscard]] constexpr seconds run_at(const run_range& run, double share) {
  const double low = detail::positive("run_range.low", run.low.value()), expected = run.expected.value();
  detail::in_range("run_range.expected", expected, low, detail::most_finite, "low or more");
  detail::in_range("run_range.high", run.high.value(), expected, detail::most_finite, "expected or more");
  if (!(share > 0 && share < 1)) detail::fail_range("share", share, "above 0 and below 1");
  return detail::run_time_at(run, share);
}

/// Throws, naming the field, for times out of their range. Worked: an interval of 0 is refused.
inline void validate(const run_at_risk& job) {
  const auto check = [](detail::words field, seconds time, double least, double most, detail::words valid) {
    detail::in_range(field, time.value(), least, most, valid);
  };
  check("run_at_risk.run.low", job.run.low, 1e-6, 1e18, "1e-6 to 1e18 s");
  check("run_at_risk.run.expected", job.run.expected, job.run.low.value(), 1e18, "run.low to 1e18 s");
  check("run_at_risk.run.high", job.run.high, job.run.expected.value(), 1e18, "run.expected to 1e18 s");
  check("run_at_risk.checkpoint_interval", job.checkpoint_interval, 1e-6, 1e18, "1e-6 to 1e18 s");
  check("run_at_risk.checkpoint_time", job.checkpoint_time, 0, 1e7, "0 to 1e7 s");
  check("run_at_risk.start_up", job.start_up, 0, 3e7, "0 to 3e7 s");
  check("run_at_risk.restart_time", job.restart_time, 0, 1e7, "0 to 1e7 s");
  check("run_at_risk.queue_time", job.queue_time, 0, 1e9, "0 to 1e9 s");
  detail::check_dimension("run_at_risk.slices", job.slices);
  const seconds lost = job.restart_time + job.start_up + job.checkpoint_time;
  if (job.longest_piece && *job.longest_piece <= lost)
    detail::fail(errc::out_of_range, "run_at_risk.longest_piece", job.longest_piece->value(),
                 "more than start_up, restart_time and checkpoint_time");
}
/// Throws for a policy that has no effect on that run. Worked: an elastic run on one slice is refused.
inline void validate(const risk_policy& policy, const run_at_risk& job, const risk_limits& limits) {
  if (policy.elastic && job.slices < 2)
    detail::fail(errc::invalid_argument, "risk_policy.elastic", "given without effect", "a run on 2 slices or more");
  if (policy.elastic && policy.spare_slices > 0)
    detail::fail(errc::invalid_argument, "risk_policy.spare_slices", "given without effect", "0 where it is elastic");
  if (policy.spare_slices < 0 || policy.spare_slices > 1024)
    detail::fail(errc::out_of_range, "risk_policy.spare_slices", policy.spare_slices, "0 to 1024");
  if (policy.on_demand_in_time && !limits.deadline)
    detail::fail(errc::invalid_argument, "risk_policy.on_demand_in_time", "given without effect", "a deadline");
  if (limits.deadline) detail::positive("risk_limits.deadline", limits.deadline->value());
  if (policy.on_demand_after) detail::not_negative("risk_policy.on_demand_after", policy.on_demand_after->value());
}

namespace detail {

/// The luck of one run, drawn once for all jobs that are played with it: exponential numbers of mean 1.
class luck_of_a_run {
 public:
  explicit luck_of_a_run(const random_numbers& numbers) : numbers_{numbers} {}
  /// From 0 on.
  [[nodiscard]] double nth(std::size_t n) {
    while (drawn_.size() <= n) drawn_.push_back(numbers_.exponential());
    return drawn_[n];
  }
  /// The largest of those that come up to the end of the first block of stops: a wait, a preemption and a failure each.
  [[nodiscard]] double largest_of_a_block() {
    constexpr std::size_t most = 3 * stops_of_a_block + 1;
    if (largest_ == 0) (void)nth(most - 1), largest_ = *std::max_element(drawn_.begin(), drawn_.begin() + most);
    return largest_;
  }

 private:
  random_numbers numbers_;
  std::vector<double> drawn_{};
  double largest_ = 0;
};
/// The random numbers of a run.
[[nodiscard]] inline random_numbers numbers_of(const played_number& which) {
  return {static_cast<std::uint64_t>(which.seed), 0, static_cast<std::uint64_t>(which.nth)};
}

/// The mean time of a belief below which that share lies.
[[nodiscard]] inline double drawn_mean(const mean_time_belief& belief, double share) {
  double below = 0;
  for (const believed_time& one : belief) {
    below += one.share;
    if (share <= below) return one.mean.value();
  }
  return belief.values.back().mean.value();
}

/// The n-th number of the sequence of J. G. van der Corput (1935) in a base: evenly spread over 0 to 1, in no order.
[[nodiscard]] inline double spread_evenly(std::int64_t n, std::int64_t base) {
  double share = 0, digit = 1;
  for (std::int64_t rest = n; rest > 0; rest /= base) {
    digit /= static_cast<double>(base);
    share += static_cast<double>(rest % base) * digit;
  }
  return share;
}

/// A run in the course of being played. Times are in seconds.
class running {
 public:
  running(const run_at_risk& job, const risk_limits& limits, const risk_policy& policy, const played_number& which,
          luck_of_a_run* luck)
      : job_{job},
        policy_{policy},
        deadline_{limits.deadline ? limits.deadline->value() : never},
        numbers_{numbers_of(which)},
        luck_{luck},
        left_{run_time_at(job.run, (static_cast<double>(which.nth) - 0.5) / static_cast<double>(which.of)).value()},
        given_up_{100 * (left_ + job.queue_time.value())},
        interval_{job.checkpoint_interval.value() * (job.interval_of_steps ? left_ / job.run.expected.value() : 1)} {
    if (which.until || which.until_billed) {
      until_ = which.until ? which.until->value() : 0;
      until_billed_ = which.until_billed ? which.until_billed->value() : 0;
    }
    if (job.lifetime) lifetime_ = drawn_mean(*job.lifetime, spread_evenly(which.nth, 2));
    if (job.failures) failures_ = drawn_mean(*job.failures, spread_evenly(which.nth, 3));
    if (policy.elastic) {
      block_ = stops_of_an_elastic_block, since_.stops = -stops_to_settle();
      const auto slices = static_cast<double>(job.slices), queue = job.queue_time.value();
      of_a_slice_ = {lifetime_ > 0 ? 1 / (lifetime_ * slices) : 0, failures_ > 0 ? 1 / (failures_ * slices) : 0,
                     queue > 0 ? 1 / queue : 0};
    }
  }

  [[nodiscard]] played_run to_the_end() {
    played_run run;
    run.ended = luck_ == nullptr || !gets_nowhere();
    if (!run.ended) return run;
    wait();
    for (double start = job_.start_up.value(); !(policy_.elastic ? goes_on(start) : computes_to_the_end(start));) {
      start = job_.restart_time.value();
      ++run.stops;
      if (++since_.stops == 0) since_ = {0, left_, wall_, billed_};  // not all slices are there now, as at first
      const bool is_block = since_.stops == block_;
      if (is_block) run.stops += block_ * repeated_blocks();
      if (wall_ > given_up_ || is_beyond_limits() || (is_block && !is_getting_on_)) {
        run.ended = false;
        break;
      }
    }
    run.wall = seconds{wall_};
    run.billed = seconds{billed_};
    run.on_demand = seconds{on_demand_};
    return run;
  }

 private:
  static constexpr double never = 1e300;

  /// Whether no life of a block of stops reaches the first checkpoint: the run is then given up, see
  /// `stops_of_a_block`.
  [[nodiscard]] bool gets_nowhere() const {
    const double least = std::min(job_.start_up, job_.restart_time).value() + std::min(left_, cycle());
    return lifetime_ > 0 && !job_.longest_piece && lifetime_ * luck_->largest_of_a_block() < least;
  }
  [[nodiscard]] double exponential() { return luck_ != nullptr ? luck_->nth(drawn_++) : numbers_.exponential(); }
  [[nodiscard]] double drawn(double mean) { return mean > 0 ? mean * exponential() : 0; }
  /// Whether the rest, where nothing stops it, ends beyond all limits.
  [[nodiscard]] bool is_beyond_limits() const {
    const double rest = left_ * (1 - 1e-12);
    return wall_ + rest > until_ && billed_ + rest > until_billed_;
  }
  [[nodiscard]] double cycle() const { return interval_ + job_.checkpoint_time.value(); }

  /// Stops of an elastic run, which has all slices at first, until as many have machines as later: those of four times
  /// in which that goes away by a factor of e, and no more than four of each slice.
  [[nodiscard]] std::int64_t stops_to_settle() const {
    const double slices = static_cast<double>(job_.slices), queue = job_.queue_time.value();
    const double losses = (lifetime_ > 0 ? 1 / lifetime_ : 0) + (failures_ > 0 ? 1 / failures_ : 0);
    const double settles = queue / (1 + queue * losses / slices) + job_.restart_time.value();
    return static_cast<std::int64_t>(math::ceil(std::min(4 * settles * losses, 4 * slices) + 1));
  }
  /// Time with machines for the rest, where nothing stops it: each interval ends with a checkpoint.
  [[nodiscard]] double time_left() const {
    return left_ + math::ceil(left_ / interval_ * (1 - 1e-12)) * job_.checkpoint_time.value();
  }
  /// The time from which the rest is just done by the deadline on demand, with one failure where there may be some.
  [[nodiscard]] double last_moment() const {
    const double restart = std::max(job_.restart_time.value(), job_.start_up.value());
    return deadline_ * (1 - 1e-9) - time_left() - restart - (job_.failures ? cycle() + job_.restart_time.value() : 0);
  }
  /// Time that may pass before another stop on this capacity would be one too many.
  [[nodiscard]] double room() const { return last_moment() - cycle() - job_.restart_time.value() - wall_; }
  /// Goes over the blocks of stops that bring as much as the last one did, up to the last of the work and to the moment
  /// at which a policy is heard: how many there are.
  [[nodiscard]] std::int64_t repeated_blocks() {
    const double brought = since_.left - left_, took = std::max(wall_ - since_.wall, 1e-9);
    const double cost = billed_ - since_.billed;
    const bool is_policy_ahead = !switched_ && (policy_.on_demand_in_time || policy_.on_demand_after);
    is_getting_on_ = brought > 0 || is_policy_ahead;
    double times = brought > 0 ? left_ / brought - 1 : 1e15;
    if (!switched_ && policy_.on_demand_after)
      times = std::min(times, (policy_.on_demand_after->value() - wall_) / took);
    if (!switched_ && policy_.on_demand_in_time) {
      const double done = std::max(brought, 0.0) / interval_ * cycle();  // by which the last moment moves away
      if (took > done) times = std::min(times, room() / (took - done) - 1);
    }
    times = std::max(math::floor(std::min(times, given_up_ / took + 1)), 0.0);
    left_ -= times * brought, wall_ += times * took, billed_ += times * cost;
    if (switched_) on_demand_ += times * cost;
    for (double& there_at : spares_) there_at += times * took;
    at_work_.put_off(times * took), goes_on_at_ += times * took, piece_ends_ += times * took;
    since_ = {0, left_, wall_, billed_};
    return static_cast<std::int64_t>(times);
  }
  /// Waits for capacity; with a policy to be in time no longer than there is room.
  void wait() {
    if (switched_) return;
    const double wanted = drawn(job_.queue_time.value());
    if (policy_.on_demand_in_time && room() < wanted) switched_ = true;
    wall_ += switched_ ? std::max(room(), 0.0) : wanted;
  }
  void consider_on_demand() {
    if (policy_.on_demand_after && wall_ >= policy_.on_demand_after->value()) switched_ = true;
    if (policy_.on_demand_in_time && room() <= 0) switched_ = true;
  }

  /// Computes to the end of the work, or until a stop; true at the end.
  [[nodiscard]] bool computes_to_the_end(double start) {
    const double taken = !switched_ && lifetime_ > 0 ? drawn(lifetime_) : never;
    const double failed = failures_ > 0 ? drawn(failures_) : never;
    const double piece = !switched_ && job_.longest_piece ? job_.longest_piece->value() : never;
    const double life = std::min(std::min(taken, failed), piece);
    const double needed = life < start + left_ ? never : start + time_left();
    const double spent = std::min(life, needed);
    wall_ += spent;
    billed_ += spent;
    if (switched_) on_demand_ += spent;
    if (life >= needed) return true;
    starts_again(std::max(life - start, 0.0), life == piece, life == failed);
    return false;
  }
  /// What is kept: whole intervals; at an end that is known before all but the time of a last checkpoint.
  void starts_again(double computed, bool at_an_end, bool by_failure) {
    const double saved = at_an_end            ? std::max(computed - job_.checkpoint_time.value(), 0.0) / cycle()
                         : computed < cycle() ? 0
                                              : math::floor(computed / cycle());
    left_ = std::max(left_ - saved * interval_, 0.0);
    consider_on_demand();
    if (!at_an_end && spare_takes_over()) return;
    if (!by_failure || job_.waits_after_failures) wait();
  }
  /// An elastic run to the end of its work, or until it loses a slice or all at the end of a piece; true at the end.
  /// What computes, starts or waits is the same from one event to the next.
  [[nodiscard]] bool goes_on(double start) {
    if (at_work_.machines() + at_work_.waiting() == 0) {
      at_work_.start_all(job_.slices, wall_ + start);
      piece_ends_ = job_.longest_piece ? wall_ + job_.longest_piece->value() : never;
    }
    const auto all = static_cast<double>(job_.slices);
    while (true) {
      const auto machines = static_cast<double>(at_work_.machines());
      const bool recovers = wall_ < goes_on_at_;
      const double pace = recovers ? 0 : static_cast<double>(at_work_.computing()) / all;
      const double failing = machines * of_a_slice_.failing;
      const double coming = static_cast<double>(at_work_.waiting()) * of_a_slice_.coming;
      const double rate = (switched_ ? 0 : machines * of_a_slice_.taken) + failing + coming;
      const double event = rate > 0 ? exponential() / rate : never;
      const double ready = at_work_.next_ready(never) - wall_;
      const double again = recovers ? goes_on_at_ - wall_ : never;
      const double ends = switched_ ? never : piece_ends_ - wall_;
      const bool may_switch = policy_.on_demand_in_time && !switched_ && pace < 1;
      const double last = may_switch ? std::max(room(), 0.0) / (1 - pace) : never;
      const double next = std::min(std::min(std::min(event, ready), std::min(again, ends)), last);
      const double done =
          pace > 0 && left_ <= next * pace ? time_left() / pace : never;  // else it is later than what is next
      const double spent = std::max(std::min(next, done), 0.0);
      pass(spent, machines / all, pace);
      if (spent >= done) return true;
      if (spent >= ends) {
        ends_a_piece(pace);
        return false;
      }
      if (spent >= ready) {
        at_work_.join();
      } else if (spent >= again) {
        goes_on_at_ = 0;
      } else if (spent >= last) {
        go_on_demand();
      } else if (const double which = rate * numbers_.uniform(); which < coming) {
        at_work_.start_one_that_waits(restarted());
      } else {
        loses_one(which < coming + failing);
        return false;
      }
    }
  }
  /// When capacity that comes now computes.
  [[nodiscard]] double restarted() const { return wall_ + job_.restart_time.value(); }
  /// Time in which that share of the slices has machines, and the run that share of its pace.
  void pass(double spent, double there, double pace) {
    wall_ += spent;
    billed_ += spent * there;
    if (switched_) on_demand_ += spent * there;
    if (pace == 0) return;
    const double since = since_checkpoint_ + spent, work = pace * share_computing_;  // of a second
    left_ = std::max(left_ - spent * work, 0.0);
    since_checkpoint_ = since < cycle() ? since : since - math::floor(since / cycle()) * cycle();
    unsaved_ = since < cycle() ? unsaved_ + spent * work : since_checkpoint_ * work;
  }
  /// Computes again from a checkpoint, once there are slices.
  void repeat(double work) {
    left_ += work;
    unsaved_ = since_checkpoint_ = 0;
  }
  void go_on_demand() {
    switched_ = true;
    at_work_.start_those_that_wait(restarted());
  }
  /// All capacity ends at a time that is known before: all is kept but what the time of a last checkpoint brings.
  void ends_a_piece(double pace) {
    repeat(std::min(unsaved_, pace * job_.checkpoint_time.value() * share_computing_));
    at_work_.end_all();
    consider_on_demand();
    wait();
  }
  /// Nothing is repeated, as long as another slice computes.
  void loses_one(bool by_failure) {
    if (at_work_.lose(numbers_.uniform())) {
      goes_on_at_ = wall_ + std::min(elastic_recovery.value(), job_.restart_time.value());
      if (at_work_.computing() == 0) repeat(unsaved_);
    }
    const bool waits = (!by_failure || job_.waits_after_failures) && job_.queue_time.value() > 0;
    if (waits && !switched_)
      at_work_.wait_for_one();
    else
      at_work_.start_one(restarted());
    consider_on_demand();
    if (switched_) go_on_demand();
  }
  /// Whether a spare is there; it is replaced after a wait.
  [[nodiscard]] bool spare_takes_over() {
    if (policy_.spare_slices == 0) return false;
    if (spares_.empty()) spares_.assign(static_cast<std::size_t>(policy_.spare_slices), 0.0);
    for (double& there_at : spares_) {
      if (there_at > wall_) continue;
      there_at = wall_ + drawn(job_.queue_time.value()) + job_.restart_time.value();
      return true;
    }
    return false;
  }

  const run_at_risk& job_;
  const risk_policy& policy_;
  double deadline_;
  random_numbers numbers_;
  luck_of_a_run* luck_;    // instead of them, where it is not null
  std::size_t drawn_ = 0;  // of it
  double left_, given_up_, interval_, lifetime_ = 0, failures_ = 0;
  double share_computing_ = interval_ / (interval_ + job_.checkpoint_time.value());  // the rest writes checkpoints
  /// How often a second each thing happens to one slice of an elastic run.
  struct rates_of_a_slice {
    double taken = 0, failing = 0, coming = 0;
  } of_a_slice_{};
  double until_ = never, until_billed_ = never;
  double wall_ = 0, billed_ = 0, on_demand_ = 0;
  bool switched_ = false, is_getting_on_ = true;
  slices_at_work at_work_{};  // of an elastic run
  double goes_on_at_ = 0, piece_ends_ = never, since_checkpoint_ = 0, unsaved_ = 0;
  std::int64_t block_ = stops_of_a_block;
  /// Where the last block of stops began.
  struct block_start {
    std::int64_t stops = 0;
    double left = 0, wall = 0, billed = 0;
  } since_{0, left_, 0, 0};
  std::vector<double> spares_{};  // from when each is there
};

/// `play` of what is known to be valid.
[[nodiscard]] inline played_run play_valid(const run_at_risk& job, const risk_limits& limits, const risk_policy& policy,
                                           const played_number& which) {
  return running(job, limits, policy, which, nullptr).to_the_end();
}

}  // namespace detail

/// One of many runs, played to its end: its useful time, the mean times and each stop are drawn. Throws for times out
/// of their range, a policy without effect and a number that is none of the runs. Worked: 10 h in intervals of 30 min
/// with checkpoints of 60 s and no stops take 10 h 20 min.
[[nodiscard]] inline played_run play(const run_at_risk& job, const risk_limits& limits, const risk_policy& policy,
                                     const played_number& which) {
  validate(job);
  validate(policy, job, limits);
  if (which.nth < 1 || which.nth > which.of)
    detail::fail(errc::out_of_range, "played_number.nth", which.nth, "1 to played_number.of");
  if (which.until) detail::not_negative("played_number.until", which.until->value());
  if (which.until_billed) detail::not_negative("played_number.until_billed", which.until_billed->value());
  return detail::play_valid(job, limits, policy, which);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
