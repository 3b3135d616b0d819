#ifndef TPUPLAN_ESTIMATE_TRAINING_BANDS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_BANDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/model/software.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// How far measured steps lie from estimates, by kind of job. tools/calibrate finds it with the source of each run
/// left out of the fit: all that one repository or author published.

namespace tpuplan {
inline namespace abi_0 {

/// Kinds of jobs whose estimates err by different amounts. A job belongs to the last kind of this list that fits it.
enum class step_kind : std::uint8_t {
  dense,              ///< models without experts, products in bf16 or fp32
  dense_eight_bit,    ///< the same, products in int8 or fp8
  experts,            ///< mixtures of experts
  experts_eight_bit,  ///< the same, products in int8 or fp8
  expert_parallel,    ///< experts sharded over chips
  context_parallel,   ///< sequences sharded over chips
  small_model,        ///< models below 1.5e9 parameters
};

/// "dense" and so on.
[[nodiscard]] constexpr std::string_view name(step_kind kind) noexcept {
  constexpr const char* names[] = {"dense",           "dense_eight_bit",  "experts", "experts_eight_bit",
                                   "expert_parallel", "context_parallel", "small"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// The kind of a job on a layout, for a model with that many parameters. Worked: llama-3-8b in int8 is
/// `dense_eight_bit`.
[[nodiscard]] constexpr step_kind kind_of(const transformer& model, const training_job& job, const layout& mesh,
                                          double parameter_total) noexcept {
  if (parameter_total < 1.5e9) return step_kind::small_model;
  if (mesh.context > 1) return step_kind::context_parallel;
  const bool experts = has_experts(model);
  if (experts && mesh.expert > 1) return step_kind::expert_parallel;
  if (detail::in_eight_bits(job)) return experts ? step_kind::experts_eight_bit : step_kind::dense_eight_bit;
  return experts ? step_kind::experts : step_kind::dense;
}

/// How far measured times of a kind lie from estimates, and the number of runs and sources behind that.
struct training_band {
  double low = 1;            ///< lower end of measured over estimated time
  double high = 1;           ///< upper end of measured over estimated time
  std::int64_t runs = 0;     ///< published runs of the kind
  std::int64_t sources = 0;  ///< repositories and authors that published them
};

/// The bands by `step_kind`. For dense models a measured step of a new source lies in the band with probability 0.9:
/// split conformal prediction in which sources, not runs, are exchangeable. For kinds with fewer than nine sources
/// no such statement is possible: their bands are half as wide again, in logarithms, as what was seen, and no narrower
/// than that of dense models. docs/model.md has the rule.
// generated: training_bands from data/measured
// clang-format off
inline constexpr training_band training_bands[] = {
    {0.71, 1.28, 110, 11}, {0.71, 1.28, 14, 2}, {0.71, 1.61, 41, 2}, {0.71, 1.61, 20, 2}, {0.71, 2.50, 17, 4},
    {0.67, 1.70, 14, 1}, {0.50, 2.50, 21, 6},
};
// clang-format on
// end of generated: training_bands

/// The same where nobody says how well the program is tuned: of the errors of estimates that did not know it either.
// generated: untold_training_bands from data/measured
// clang-format off
inline constexpr training_band untold_training_bands[] = {
    {0.80, 1.55, 110, 11}, {0.80, 1.55, 14, 2}, {0.80, 1.61, 41, 2}, {0.80, 1.61, 20, 2}, {0.80, 2.50, 17, 4},
    {0.67, 1.70, 14, 1}, {0.50, 2.50, 21, 6},
};
// clang-format on
// end of generated: untold_training_bands

/// Software of that level among those that ran.
struct software_share {
  software_level level{};  ///< of a program
  double share = 0;        ///< of the sources, each counted once, its runs sharing that
};

/// How well tuned the programs of the published runs are, most first.
// generated: training_software from data/measured
// clang-format off
inline constexpr software_share training_software[] = {
    {software_level::general, 0.582}, {software_level::tuned, 0.318}, {software_level::first_port, 0.1},
};
// clang-format on
// end of generated: training_software

/// Where no published run is near, the band is at least this factor either way; under software that nobody tuned its
/// upper end is at least the square of this factor. Set by hand.
inline constexpr double extrapolated_factor = 1.5;

/// The band widened to at least `extrapolated_factor` either way beyond the published runs, and for a first port.
/// Worked: 0.8 to 1.2 becomes 0.67 to 1.5 beyond the runs, and 0.8 to 2.25 for a first port near them.
[[nodiscard]] constexpr training_band widened(training_band band, bool extrapolated, software_level software) noexcept {
  if (extrapolated && band.low > 1 / extrapolated_factor) band.low = 1 / extrapolated_factor;
  if (extrapolated && band.high < extrapolated_factor) band.high = extrapolated_factor;
  constexpr double untuned = extrapolated_factor * extrapolated_factor;
  if (software == software_level::first_port && band.high < untuned) band.high = untuned;
  return band;
}

/// The band of a kind by how well tuned the program is said to be, widened where extrapolated and for a first port.
/// Beyond the runs a name is worth as much of the upper end as near them. Worked: at least 1.5 either way for dense
/// models that no run is near.
[[nodiscard]] constexpr training_band band_of(step_kind kind, bool extrapolated, software_level software) noexcept {
  const auto row = static_cast<std::size_t>(kind);
  const training_band told = widened(training_bands[row], extrapolated, software);
  if (software != software_level::unnamed) return told;
  training_band band = widened(untold_training_bands[row], extrapolated, software);
  const double named = untold_training_bands[row].high / training_bands[row].high;
  if (extrapolated && band.high < named * told.high) band.high = named * told.high;
  return band;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
