#ifndef TPUPLAN_ESTIMATE_TRAINING_OWN_RUNS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_OWN_RUNS_HPP

#include <cstdint>
#include <tpuplan/estimate/learned.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>

/// @file
/// Training runs of the caller's own: estimates of other slices, batches and layouts start from them.

namespace tpuplan {
inline namespace abi_0 {

/// What makes training steps alike: parameters, tokens a chip, sequence length, chips, the chip, and whether there are
/// experts, 8-bit products, each kind of parallelism, and software that is not tuned. Throws as `step_time`.
[[nodiscard]] constexpr run_features features_of(const transformer& model, const training_job& job, const layout& mesh,
                                                 const slice& where) {
  detail::check_trained(model, job, mesh, where);
  return detail::training_features(sizes_of(model, job), model, job, mesh, where);
}

/// Constants that know one more step of the caller's own: estimates of all questions are drawn towards it, the more the
/// more alike they are, and their bands narrow to what is left. `spread` is the relative standard deviation of the
/// measurement where it is known to be more than the usual. Throws for a time that is not above 0 or off the estimate
/// by a factor of more than 148, and for more than 20 runs. Worked: tests/unit/estimate/training/own_runs.cpp.
[[nodiscard]] constexpr calibration with_own_run(calibration constants, seconds measured, const transformer& model,
                                                 const training_job& job, const layout& mesh, const slice& where,
                                                 double spread = 0) {
  detail::positive("measured step time", measured.value());
  calibration before = constants;
  before.own.count = 0;
  const seconds estimated = step_time(model, job, mesh, where, before).total;
  constants.own = with_run(constants.own, training_spreads, features_of(model, job, mesh, where),
                           math::log(measured / estimated), spread);
  return constants;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
