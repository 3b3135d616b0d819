#ifndef TPUPLAN_COST_TIMELINE_HPP
#define TPUPLAN_COST_TIMELINE_HPP

#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/known.hpp>
#include <tpuplan/cost/payment.hpp>

/// @file
/// A run from start to end: the waits and costs around its steps. Times that depend on the day and the program (queue,
/// container, compilation, export) are given by the caller, not guessed.

namespace tpuplan {
inline namespace abi_0 {

/// @{
/// First compilations in published logs of ResNet-50: in JAX on v3-8192 from the optimizer's settings to the end of the
/// initialisation; in TensorFlow 2 on v3-32 what the first three epochs take more than later ones. A compilation cache
/// makes it shorter, a large model longer. Source: MLPerf training v0.7 (2020-07), mlcommons/training_results_v0.7,
/// Google/results, tpu-v3-8192-JAX and tpu-v3-32-TF2.0, resnet/result_0.txt.
inline constexpr seconds shortest_first_compilation{112};
inline constexpr seconds longest_first_compilation{149};
/// @}

/// What a first compilation is taken to be where it is not given: the middle of both. Worked: 130.5 s.
[[nodiscard]] constexpr seconds usual_first_compilation() noexcept {
  return (shortest_first_compilation + longest_first_compilation) / 2;
}

/// @{
/// After which time one operator gives up a slice whose VMs are not all there: of 64 VMs or more, and of 256 or more.
/// No start of so many is published; a slice of a job on several took 12 minutes. Source: marin pull requests 4792 and
/// 7030 (2026).
inline constexpr seconds start_given_up_of_64_vms{900};
inline constexpr seconds start_given_up_of_256_vms{1800};
/// @}

/// What VMs and container are taken to need before a first compilation, where it is not given: on few VMs what a
/// restart takes, to the next step, less a first compilation, as was seen on 1 and 4 (`spot_terms`); from 64 on the
/// middle between that, as if their number did not matter, and the time after which one operator gives up. `vms` of a
/// slice, 1 or more. Worked: 469.5 s of 1 VM, 684.75 s of 64, 1134.75 s of 256.
[[nodiscard]] constexpr seconds usual_start(std::int64_t vms = 1) {
  detail::positive_count("usual_start: vms", vms);
  const seconds few = spot_terms{}.restart_time - usual_first_compilation();
  if (vms < 64) return few;
  return (few + (vms < 256 ? start_given_up_of_64_vms : start_given_up_of_256_vms)) / 2;
}

/// The phases of a run.
struct run_phases {
  seconds queue{};                    ///< wait for capacity; not paid
  seconds start{};                    ///< of VMs and container, from when they are paid to the program's first line
  seconds compilation{};              ///< of the first step
  seconds restore{};                  ///< of a checkpoint; 0 for a new run
  seconds step{};                     ///< one training step
  std::int64_t steps = 0;             ///< of the run
  seconds evaluation{};               ///< one evaluation
  std::int64_t evaluate_every = 0;    ///< steps; 0: never
  seconds checkpoint{};               ///< time for which a checkpoint stops the step
  std::int64_t checkpoint_every = 0;  ///< steps; 0: never
  seconds export_time{};              ///< of the trained model, at the end
  bool start_by_size = false;         ///< `start` is of few VMs, and longer on many: see `usual_start`
  bool restart_by_size = false;       ///< so is the restart after a stop, which payment terms have
};

/// What each phase takes in all, and dollars for it; the parts add up.
struct run_timeline {
  seconds queue{};               ///< wait for capacity, not paid
  seconds start{};               ///< VMs and container
  seconds compilation{};         ///< of the first step
  seconds restore{};             ///< of a checkpoint
  seconds steps{};               ///< useful time: all steps
  seconds evaluations{};         ///< all of them
  seconds checkpoints{};         ///< all of them
  seconds stops{};               ///< lost to stops by preemptions and failures: repeated work and restarts
  seconds export_time{};         ///< at the end
  seconds billed{};              ///< sum of all phases but the queue
  seconds wall{};                ///< sum of all phases
  known<usd> total{};            ///< billed x price; unknown as the price is
  known<usd> overhead{};         ///< the part of `total` that is not for steps
  double goodput = 0;            ///< steps / wall
  double compilation_share = 0;  ///< compilation / billed
};

namespace detail {

/// Refuses times and numbers of steps of a phase that cannot be.
constexpr void check_around_steps(const run_phases& run) {
  count_from("run_phases.evaluate_every", run.evaluate_every, 0);
  count_from("run_phases.checkpoint_every", run.checkpoint_every, 0);
  not_negative("run_phases.queue", run.queue.value());
  not_negative("run_phases.start", run.start.value());
  not_negative("run_phases.compilation", run.compilation.value());
  not_negative("run_phases.restore", run.restore.value());
  not_negative("run_phases.evaluation", run.evaluation.value());
  not_negative("run_phases.checkpoint", run.checkpoint.value());
  not_negative("run_phases.export_time", run.export_time.value());
}

constexpr void check_phases(const run_phases& run) {
  positive("run_phases.step", run.step.value());
  positive_count("run_phases.steps", run.steps);
  check_around_steps(run);
}

/// A time that comes every so many steps, in all; 0: never.
constexpr seconds in_all(seconds one, std::int64_t every, std::int64_t steps) {
  return every == 0 ? seconds{} : static_cast<double>(steps / every) * one;
}

/// The parts of a timeline, without its sums.
constexpr run_timeline phases_in_all(const run_phases& run) {
  check_phases(run);
  run_timeline line;
  line.queue = run.queue;
  line.start = run.start;
  line.compilation = run.compilation;
  line.restore = run.restore;
  line.steps = static_cast<double>(run.steps) * run.step;
  line.evaluations = in_all(run.evaluation, run.evaluate_every, run.steps);
  if (run.checkpoint_every > 0)  // the last at the end
    line.checkpoints = static_cast<double>(ceil_div(run.steps, run.checkpoint_every)) * run.checkpoint;
  line.export_time = run.export_time;
  return line;
}

/// The sums of a timeline whose parts are there.
constexpr run_timeline summed(run_timeline line, const known<usd_per_second>& price) {
  line.billed = line.start + line.compilation + line.restore + line.steps + line.evaluations + line.checkpoints +
                line.stops + line.export_time;
  line.wall = line.queue + line.billed;
  if (price.has_value()) {
    line.total = cost(price.value(), line.billed);
    line.overhead = cost(price.value(), line.billed - line.steps);
  }
  line.goodput = line.steps / line.wall;
  line.compilation_share = line.compilation / line.billed;
  return line;
}

}  // namespace detail

/// The timeline of a run at the price of all its chips; dollars are unknown where the price is. Throws for steps
/// below 1 and negative times. Worked: 1000 steps of 1 s, 90 s of compilation, 60 s of start and 10 evaluations of 30
/// s: 1450 s billed, 69 % goodput without a queue.
[[nodiscard]] constexpr run_timeline timeline_of(const run_phases& run, const known<usd_per_second>& price = {}) {
  return detail::summed(detail::phases_in_all(run), price);
}

/// The terms with the phases of a run: its start, what it does besides its steps, and its checkpoints where they come
/// every so many steps, or take a time that is given. Throws for negative times and steps. Worked: with the phases
/// above 150 s of start and 300 s besides.
[[nodiscard]] constexpr payment_terms with_phases(payment_terms terms, const run_phases& run) {
  detail::check_around_steps(run);
  detail::not_negative("run_phases.step", run.step.value());
  detail::count_from("run_phases.steps", run.steps, 0);
  terms.start_up = run.start + run.compilation + run.restore;
  terms.besides_steps = detail::in_all(run.evaluation, run.evaluate_every, run.steps) + run.export_time;
  if (run.checkpoint_every > 0) {
    terms.checkpoint_interval = static_cast<double>(run.checkpoint_every) * run.step;
    terms.interval_of_steps = true;
  }
  if (run.checkpoint.value() > 0) terms.spot.checkpoint_time = terms.flex_start.checkpoint_time = run.checkpoint;
  return terms;
}

/// The timeline of a run that fails as its terms say, on demand, with the checkpoints that this needs: what `pay_for`
/// bills. Throws where it or `timeline_of` does. Worked: with a failure every 1e6 s and checkpoints of 5 s the run
/// above takes 6.64 s more.
[[nodiscard]] constexpr run_timeline timeline_of(const run_phases& run, const payment_terms& terms,
                                                 const known<usd_per_second>& price = {}) {
  run_timeline line = detail::phases_in_all(run);
  const maybe<spot_run> stops = stopped_run(provisioning::on_demand, 1, line.steps, with_phases(terms, run));
  if (stops) {
    const expected_spot_run expected = expected_run(*stops);
    line.checkpoints = expected.checkpoints;
    line.stops = expected.lost_work + expected.restarts;
  }
  return detail::summed(line, price);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
