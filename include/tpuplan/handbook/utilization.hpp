#ifndef TPUPLAN_HANDBOOK_UTILIZATION_HPP
#define TPUPLAN_HANDBOOK_UTILIZATION_HPP

#include <cstddef>
#include <cstdint>
#include <tpuplan/handbook/roofline.hpp>

/// @file
/// What chips can do in a given time: the peaks of their units, work at a share of the peak, loads from memory, stages
/// that overlap.

namespace tpuplan {
inline namespace abi_0 {

/// Time of some work on a number of chips at a given model FLOP utilisation (MFU), a share of their bf16 peak.
/// Worked: 6.3e24 FLOP on 8960 v5p at 40 % take 44.3 days. Source: scaling book, "Applied training".
[[nodiscard]] constexpr seconds time_at_mfu(flops work, const chip_spec& chip, std::int64_t chip_count, double mfu) {
  detail::positive("work", work.value());
  detail::in_range("mfu", mfu, 1e-9, 1, "above 0, at most 1");
  const auto count = static_cast<double>(detail::positive_count("chips", chip_count));
  return work / (detail::peak_above_0(chip, dtype::bf16) * (count * mfu));
}

/// FLOPs that a number of chips can do in that time at peak.
/// Worked: 2.79 million chip-hours at 1513 TFLOP/s are 1.52e25 FLOP. Source: scaling book, "Transformers", exercise.
[[nodiscard]] constexpr flops available_work(const chip_spec& chip, std::int64_t chip_count, seconds time,
                                             dtype compute = dtype::bf16) {
  detail::positive("time", time.value());
  return detail::peak_above_0(chip, compute) * time * static_cast<double>(detail::positive_count("chips", chip_count));
}

/// The share of the available FLOPs that some work takes: the MFU of a run, if the work is its model FLOPs. A result
/// above 1 shows that a claim is impossible.
/// Worked: 3.2856e24 FLOP in 2.79 million chip-hours at 1513 TFLOP/s are 21.6 %. Source: scaling book, "Transformers",
/// exercise.
[[nodiscard]] constexpr double utilization(flops work, const chip_spec& chip, std::int64_t chip_count, seconds time,
                                           dtype compute = dtype::bf16) {
  detail::positive("work", work.value());
  const flops available = available_work(chip, chip_count, time, compute);
  detail::positive("peak rate", available.value());
  return work / available;
}

/// Time to stream that many bytes, spread evenly over chips, once from a memory. Worked: 16 GB from one v5e: 19.5 ms.
[[nodiscard]] constexpr seconds load_time(bytes amount, const chip_spec& chip, std::int64_t chip_count = 1,
                                          memory_level from = memory_level::hbm) {
  detail::positive("amount", amount.value());
  return amount / (bandwidth(chip, from) * static_cast<double>(detail::positive_count("chips", chip_count)));
}

/// Peak of one systolic array: two FLOPs for each multiply-add of its cells in each cycle.
/// Worked: 2 x 128 x 128 x 1.5 GHz = 49.152 TFLOP/s on v5e. Do not derive a chip's peak from it: on v6e and tpu7x the
/// documented peaks need the factor `macs_per_cell_cycle`. Source: scaling book, "TPUs".
[[nodiscard]] constexpr flops_per_second mxu_peak(const chip_spec& chip) {
  const auto cells = static_cast<double>(checked_multiply(chip.mxu.side, chip.mxu.side, chip.mxu.macs_per_cell_cycle));
  return flops{2 * cells} * chip.clock.value("clock of the chip");
}

/// Peak of all systolic arrays of one TensorCore. Worked: 4 x 49.152 = 196.608 TFLOP/s on v5e, rounded to 197 in the
/// table. Source: scaling book, "TPUs".
[[nodiscard]] constexpr flops_per_second tensorcore_peak(const chip_spec& chip) {
  const std::int64_t arrays = detail::positive_count("chip.mxu.per_tensorcore", chip.mxu.per_tensorcore);
  return mxu_peak(chip) * static_cast<double>(arrays);
}

/// Peak of a vector unit that does one operation per lane and cycle, multiply-adds not counted as two.
/// Worked: 8 sublanes x 128 lanes x 4 units x 2 TensorCores at 1.75 GHz are 14.3 TFLOP/s on v5p; the 16896 cores of
/// H100 at 1.59 GHz 26.9. Source: scaling book, "TPUs" and "GPUs".
[[nodiscard]] constexpr flops_per_second vector_peak(std::int64_t lanes, per_second clock) {
  detail::positive("clock", clock.value());
  return flops{static_cast<double>(detail::positive_count("lanes", lanes))} * clock;
}

/// Bounds on the time of stages that work at once: at best the slowest alone, at worst all of them one after the other.
struct time_bounds {
  seconds lower{};  ///< the slowest stage
  seconds upper{};  ///< the sum of all stages
};

/// The bounds for stages that take these times alone. Worked: 66.7, 166.7, 19.8 and 1.4 ms take 166.7 to 254.6.
/// Source: scaling book, "Rooflines".
template <std::size_t Count>
[[nodiscard]] constexpr time_bounds overlap_bounds(const seconds (&stages)[Count]) {
  time_bounds bounds;
  for (const seconds stage : stages) {
    detail::not_negative("stage", stage.value());
    bounds.lower = max(bounds.lower, stage);
    bounds.upper += stage;
  }
  return bounds;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
