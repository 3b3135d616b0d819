#ifndef TPUPLAN_ESTIMATE_TRAINING_TARGETS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_TARGETS_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/training/step_time.hpp>

/// @file
/// The rules of thumb that articles give for a training job ("80 % utilization, 70 % of the bandwidth, compilation
/// below 10 %"), answered with an estimate of the job itself.

namespace tpuplan {
inline namespace abi_0 {

/// Utilisation targets for a job.
struct utilization_targets {
  double mfu = 0.8;                ///< model FLOPs over the peak
  double bandwidth = 0.7;          ///< share of the step in which HBM traffic takes the time
  double compilation_share = 0.1;  ///< of the whole time, at most
};

/// Which targets a job reaches, and the best it could reach.
struct targets_answer {
  double mfu = 0;                ///< estimated
  double best_mfu = 0;           ///< of the products alone, with nothing recomputed and no waits
  bool mfu_possible = false;     ///< the target is not above best_mfu
  bool reaches_mfu = false;      ///< the estimate is at the target or above
  double bandwidth = 0;          ///< the estimated share of HBM traffic
  bool bandwidth_helps = false;  ///< false: the job is limited by arithmetic, and a high share would only slow it down
  double compilation = 0;        ///< share of compilation in the whole time
  seconds shortest_run{};        ///< least useful time at which compilation is within its share
  std::int64_t shortest_steps = 0;  ///< that time in steps
};

/// The answer for an estimated step on the chip, a run of `steps` such steps, and the time that compilation takes.
/// Throws for a run or a compilation that takes no time. Worked: compilation of 90 s is below 10 % from 810 s of steps
/// on; an MFU of 80 % is out of reach of v4, whose products sustain 72.7 % of the peak.
[[nodiscard]] constexpr targets_answer answer_targets(const step_breakdown& step, const chip_spec& chip, double steps,
                                                      seconds compilation, const utilization_targets& wanted = {},
                                                      const calibration& constants = default_calibration) {
  detail::positive("steps", steps);
  detail::positive("compilation", compilation.value());
  detail::in_range("utilization_targets.mfu", wanted.mfu, 0, 1, "0 to 1");
  detail::in_range("utilization_targets.bandwidth", wanted.bandwidth, 0, 1, "0 to 1");
  detail::in_range("utilization_targets.compilation_share",
                   detail::positive("utilization_targets.compilation_share", wanted.compilation_share), 0, 1,
                   "above 0, at most 1");
  detail::positive("step time", step.total.value());
  targets_answer answer;
  answer.mfu = step.mfu;
  answer.best_mfu = mxu_fraction(constants, chip);
  answer.mfu_possible = wanted.mfu <= answer.best_mfu;
  answer.reaches_mfu = step.mfu >= wanted.mfu;
  answer.bandwidth = step.hbm / step.total;
  answer.bandwidth_helps = step.limited_by == step_bound::hbm;
  const seconds run = steps * step.total;
  answer.compilation = compilation / (compilation + run);
  answer.shortest_run = compilation * ((1 - wanted.compilation_share) / wanted.compilation_share);
  answer.shortest_steps = ceil_to_count(answer.shortest_run / step.total);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
