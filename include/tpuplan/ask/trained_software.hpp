#ifndef TPUPLAN_ASK_TRAINED_SOFTWARE_HPP
#define TPUPLAN_ASK_TRAINED_SOFTWARE_HPP

#include <tpuplan/estimate/training/bands.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/reflect/fields.hpp>
#include <vector>

/// @file
/// How well tuned the program that trains may be, and what a step then takes.

namespace tpuplan {
inline namespace abi_0 {

/// A level of software that may run, and what is then expected.
struct trained_software {
  /// @{
  /// The level, its share of the published sources, each counted once, and what a step takes under it.
  software_level level{};
  double share = 0;
  seconds step_time{}, step_time_low{}, step_time_high{};
  /// @}
};

/// The step of a job if its software had that level. Worked: of Llama 3 8B 1.3 times as long for a first port as for
/// tuned software.
[[nodiscard]] constexpr step_breakdown step_under(software_level level, const transformer& model, training_job job,
                                                  const layout& mesh, const slice& where,
                                                  const calibration& constants = default_calibration) {
  job.software = level;
  return step_time(model, job, mesh, where, constants);
}

/// The level that is named or, where none is, those of the published sources, most first, with what a step takes under
/// each. Worked: three where none is named, of which the first is `general`.
[[nodiscard]] inline std::vector<trained_software> levels_of(const transformer& model, const training_job& job,
                                                             const layout& mesh, const slice& where,
                                                             const calibration& constants = default_calibration) {
  std::vector<trained_software> levels;
  for (const software_share& one : training_software) {
    if (job.software != software_level::unnamed && job.software != one.level) continue;
    const step_breakdown step = step_under(one.level, model, job, mesh, where, constants);
    levels.push_back({one.level, one.share, step.total, step.low, step.high});
  }
  return levels;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::trained_software, level, share, step_time, step_time_low, step_time_high)

#endif
