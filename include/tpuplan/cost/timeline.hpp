#ifndef TPUPLAN_COST_TIMELINE_HPP
#define TPUPLAN_COST_TIMELINE_HPP

#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/known.hpp>
#include <tpuplan/cost/run_cost.hpp>

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
  seconds export_time{};         ///< at the end
  seconds billed{};              ///< sum of all phases but the queue
  seconds wall{};                ///< sum of all phases
  known<usd> total{};            ///< billed x price; unknown as the price is
  known<usd> overhead{};         ///< the part of `total` that is not for steps
  double goodput = 0;            ///< steps / wall
  double compilation_share = 0;  ///< compilation / billed
};

/// The timeline of a run at the price of all its chips; dollars are unknown where the price is. Throws for steps
/// below 1 and negative times. Worked: 1000 steps of 1 s, 90 s of compilation, 60 s of start and 10 evaluations of 30
/// s: 1450 s billed, 69 % goodput without a queue.
[[nodiscard]] constexpr run_timeline timeline_of(const run_phases& run, const known<usd_per_second>& price = {}) {
  detail::positive("run_phases.step", run.step.value());
  detail::positive_count("run_phases.steps", run.steps);
  detail::count_from("run_phases.evaluate_every", run.evaluate_every, 0);
  detail::count_from("run_phases.checkpoint_every", run.checkpoint_every, 0);
  for (const seconds time :
       {run.queue, run.start, run.compilation, run.restore, run.evaluation, run.checkpoint, run.export_time}) {
    detail::not_negative("a time of run_phases", time.value());
  }
  const auto all = [&](seconds one, std::int64_t every) {
    return every == 0 ? seconds{} : static_cast<double>(run.steps / every) * one;
  };
  run_timeline line;
  line.queue = run.queue;
  line.start = run.start;
  line.compilation = run.compilation;
  line.restore = run.restore;
  line.steps = static_cast<double>(run.steps) * run.step;
  line.evaluations = all(run.evaluation, run.evaluate_every);
  line.checkpoints = all(run.checkpoint, run.checkpoint_every);
  line.export_time = run.export_time;
  line.billed = line.start + line.compilation + line.restore + line.steps + line.evaluations + line.checkpoints +
                line.export_time;
  line.wall = line.queue + line.billed;
  if (price.has_value()) {
    line.total = cost(price.value(), line.billed);
    line.overhead = cost(price.value(), line.billed - line.steps);
  }
  line.goodput = line.steps / line.wall;
  line.compilation_share = line.compilation / line.billed;
  return line;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
