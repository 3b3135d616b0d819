#ifndef TPUPLAN_HANDBOOK_ROOFLINE_HPP
#define TPUPLAN_HANDBOOK_ROOFLINE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/integer.hpp>
#include <tpuplan/maybe.hpp>
#include <tpuplan/text.hpp>

/// @file
/// One chip and one matrix product: does arithmetic take longer than moving the operands? In the formulas C is the peak
/// rate in FLOP/s and W the bandwidth of the memory.

namespace tpuplan {
inline namespace abi_0 {

/// Where operands come from.
enum class memory_level : std::uint8_t {
  hbm,
  vmem,
  pcie,  ///< host memory
  ici,   ///< other chips of the slice, over one ICI axis in both directions
  dcn,   ///< other slices
};

/// "hbm" and so on.
[[nodiscard]] constexpr std::string_view name(memory_level level) noexcept {
  constexpr const char* names[] = {"hbm", "vmem", "pcie", "ici", "dcn"};
  return detail::name_of(names, static_cast<std::size_t>(level));
}

/// The bandwidth at which one chip reads from a memory. Throws where the figure is not known.
/// Worked: 819 GB/s from the HBM of v5e; 90 GB/s over one of its ICI axes, both directions, as achieved.
[[nodiscard]] constexpr bytes_per_second bandwidth(const chip_spec& chip, memory_level level) {
  bytes_per_second rate{};
  switch (level) {
    case memory_level::hbm: rate = chip.hbm.bandwidth; break;
    case memory_level::vmem: rate = vmem_bandwidth(chip); break;
    case memory_level::pcie: rate = chip.host.pcie.value("PCIe rate of the chip"); break;
    case memory_level::ici: rate = ici_axis_both_ways(chip); break;
    case memory_level::dcn: rate = chip.host.dcn.value("DCN rate of the chip"); break;
  }
  detail::positive("bandwidth", rate.value());
  return rate;
}

/// Formats of the operands and the result of a product, and of the arithmetic.
struct product_dtypes {
  dtype weights = dtype::bf16;      ///< as read from memory
  dtype activations = dtype::bf16;  ///< as read from memory
  dtype output = dtype::bf16;       ///< as written to memory
  dtype compute = dtype::bf16;      ///< of the multiply-adds
};

/// One format throughout. Worked: uniform(dtype::int8) reads, computes and writes int8.
[[nodiscard]] constexpr product_dtypes uniform(dtype type) noexcept { return {type, type, type, type}; }

/// Arithmetic intensity above which a chip is limited by its FLOP/s: peak over bandwidth.
/// Worked: 197e12 / 819e9 = 240.5 FLOP/B on v5e in bf16 from HBM. Source: scaling book, "Rooflines" (2025-12-15).
[[nodiscard]] constexpr flops_per_byte ridge_point(const chip_spec& chip, dtype compute = dtype::bf16,
                                                   memory_level from = memory_level::hbm) {
  const flops_per_second peak = peak_rate(chip, compute);
  detail::positive("peak rate", peak.value());
  return peak / bandwidth(chip, from);
}

/// The batch in tokens, not rounded, above which a product [B,D] x [D,F] is limited by arithmetic, where only its
/// weights count as traffic (B far below D and F): C s / (2 W) for weights of s bytes each. `experts_per_active` is E/k
/// for a mixture of E experts of which k are active.
/// From ICI it is the tokens per chip of FSDP over one axis, from DCN the tokens per slice of data parallelism.
/// Worked: 240.5 on v5e in bf16; 60.1 with int4 weights and 197e12/820e9. Source: scaling book, "Rooflines".
[[nodiscard]] constexpr double unrounded_critical_batch(const chip_spec& chip, const product_dtypes& types,
                                                        memory_level from = memory_level::hbm,
                                                        double experts_per_active = 1) {
  detail::in_range("experts_per_active", experts_per_active, 1, 1e9, "1 (dense) or more");
  const double weight_bytes = size_of(types.weights).value();
  return ridge_point(chip, types.compute, from).value() * weight_bytes / 2 * experts_per_active;
}

/// The smallest batch in whole tokens that is above `unrounded_critical_batch`. Throws where the rate or the bandwidth
/// is unknown.
/// Worked: 241 on v5e, 167 on v5p, 561 on v6e in bf16 from HBM.
[[nodiscard]] constexpr std::int64_t critical_batch(const chip_spec& chip, const product_dtypes& types,
                                                    memory_level from = memory_level::hbm,
                                                    double experts_per_active = 1) {
  return floor_to_count(unrounded_critical_batch(chip, types, from, experts_per_active)) + 1;
}

/// The critical batch in whole tokens of a product with one format throughout. Worked: critical_batch(v5e, dtype::int8)
/// = 240.
[[nodiscard]] constexpr std::int64_t critical_batch(const chip_spec& chip, dtype type = dtype::bf16,
                                                    memory_level from = memory_level::hbm) {
  return critical_batch(chip, uniform(type), from);
}

/// Twice the critical batch: comfortably limited by arithmetic. Worked: 482 on v5e in bf16.
[[nodiscard]] constexpr std::int64_t recommended_batch(const chip_spec& chip, dtype type = dtype::bf16) {
  return checked_multiply(2, critical_batch(chip, type));
}

/// A product [batch, inner] x [inner, outer].
struct product_shape {
  std::int64_t batch = 0;  ///< rows of the left operand
  std::int64_t inner = 0;  ///< the dimension that is summed over
  std::int64_t outer = 0;  ///< columns of the right operand
};

/// FLOPs of a product, two per multiply-add. Worked: 2 x 32 x 4096 x 16384.
[[nodiscard]] constexpr flops flops_of(const product_shape& product) {
  return flops{2 * static_cast<double>(detail::positive_count("batch", product.batch)) *
               static_cast<double>(detail::positive_count("inner", product.inner)) *
               static_cast<double>(detail::positive_count("outer", product.outer))};
}

/// Bytes that a product reads and writes once. Worked: [64,4096]x[4096,4096] in bf16 moves 34603008 B.
[[nodiscard]] constexpr bytes bytes_of(const product_shape& product, const product_dtypes& types) {
  const auto batch = static_cast<double>(detail::positive_count("batch", product.batch));
  const auto inner = static_cast<double>(detail::positive_count("inner", product.inner));
  const auto outer = static_cast<double>(detail::positive_count("outer", product.outer));
  return size_of(types.activations) * (batch * inner) + size_of(types.weights) * (inner * outer) +
         size_of(types.output) * (batch * outer);
}

/// FLOPs per byte moved. Worked: about the batch, for a bf16 batch that is small against both other dimensions.
[[nodiscard]] constexpr flops_per_byte arithmetic_intensity(const product_shape& product,
                                                            const product_dtypes& types = {}) {
  return flops_of(product) / bytes_of(product, types);
}

/// FLOPs per byte of a product with weights of its own for every batch element: never above 2 / bytes of a weight.
/// Worked: 1.999 for [64, 4096, 4096] in int8. Source: scaling book, "Rooflines", exercise.
[[nodiscard]] constexpr flops_per_byte batched_weights_intensity(const product_shape& product,
                                                                 const product_dtypes& types) {
  const auto batch = static_cast<double>(detail::positive_count("batch", product.batch));
  const product_shape one{1, product.inner, product.outer};
  return flops_of(one) * batch / (bytes_of(one, types) * batch);
}

/// FLOPs per byte of a product that is done in tiles of m x n results, whose operands stream from memory while the
/// results stay: m n / (m + n) in bf16, whatever the inner dimension. Worked: 256 for tiles of 512 x 512.
[[nodiscard]] constexpr flops_per_byte tiled_intensity(std::int64_t tile_rows, std::int64_t tile_columns,
                                                       dtype type = dtype::bf16) {
  const auto rows = static_cast<double>(detail::positive_count("tile_rows", tile_rows));
  const auto columns = static_cast<double>(detail::positive_count("tile_columns", tile_columns));
  return flops{2 * rows * columns} / (size_of(type) * (rows + columns));
}

/// Work that grows with a count, of tokens or of sequences, on top of bytes that move once for all of them.
struct growing_work {
  bytes once{};               ///< such as the weights
  flops flops_per_element{};  ///< arithmetic
  bytes bytes_per_element{};  ///< such as activations, or the cache of a sequence
};

/// The count, not rounded, at which the arithmetic of such work takes as long as its traffic: (once / W) / (flops / C -
/// bytes / W). Nothing where no count suffices, which happens on slow links and with large caches.
/// Worked: 270.97 for 67 MB once, 130 MFLOP and 20 kB each at 394e12 and 810e9. Source: scaling book, "TPUs".
[[nodiscard]] constexpr maybe<double> critical_count(const chip_spec& chip, const growing_work& work,
                                                     dtype compute = dtype::bf16,
                                                     memory_level from = memory_level::hbm) {
  detail::positive("once", work.once.value());
  detail::positive("flops_per_element", work.flops_per_element.value());
  detail::not_negative("bytes_per_element", work.bytes_per_element.value());
  const bytes_per_second rate = bandwidth(chip, from);
  const flops_per_second peak = peak_rate(chip, compute);
  detail::positive("peak rate", peak.value());
  const seconds gain = work.flops_per_element / peak - work.bytes_per_element / rate;
  if (gain <= seconds{0}) return nothing;
  return work.once / rate / gain;
}

/// The batch in tokens, not rounded, at which arithmetic and traffic of [B,D] x [D,F] take the same time, where
/// weights, activations and results all count as traffic: (s_w D F / W) / (2 D F / C - (s_a D + s_o F) / W). Nothing
/// where no batch suffices, which happens on slow links. Worked: 262.71 for int8 [B,4096]x[4096,16384] at 394e12 and
/// 810e9; 258.88 with the table's v5e.
[[nodiscard]] constexpr maybe<double> critical_batch_with_activations(const chip_spec& chip, std::int64_t inner,
                                                                      std::int64_t outer, const product_dtypes& types,
                                                                      memory_level from = memory_level::hbm) {
  const auto d = static_cast<double>(detail::positive_count("inner", inner));
  const auto f = static_cast<double>(detail::positive_count("outer", outer));
  const growing_work work{size_of(types.weights) * (d * f), flops{2 * d * f},
                          size_of(types.activations) * d + size_of(types.output) * f};
  return critical_count(chip, work, types.compute, from);
}

/// What limits a product.
enum class bound : std::uint8_t { compute, memory };

/// "compute" or "memory".
[[nodiscard]] constexpr std::string_view name(bound what) noexcept {
  constexpr const char* names[] = {"compute", "memory"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// Time of one product on one chip at peak rates: between `lower`, where arithmetic and traffic overlap perfectly, and
/// `upper`, where they do not at all.
struct product_time {
  seconds math{};                    ///< arithmetic at the peak rate
  seconds memory{};                  ///< traffic at the bandwidth of the memory
  seconds lower{};                   ///< max(math, memory)
  seconds upper{};                   ///< math + memory
  bound limited_by = bound::memory;  ///< the larger of both
};

/// Roofline of one product. Worked: [512,4096]x[4096,16384] in bf16 on v5e takes 0.349 ms of arithmetic and 0.189 ms of
/// traffic, so it is limited by compute.
[[nodiscard]] constexpr product_time roofline(const chip_spec& chip, const product_shape& product,
                                              const product_dtypes& types = {}, memory_level from = memory_level::hbm) {
  product_time t;
  t.math = flops_of(product) / peak_rate(chip, types.compute);
  t.memory = bytes_of(product, types) / bandwidth(chip, from);
  t.lower = max(t.math, t.memory);
  t.upper = t.math + t.memory;
  t.limited_by = t.memory < t.math ? bound::compute : bound::memory;
  return t;
}

/// Time of some work on a number of chips that reach a given model FLOP utilisation (MFU) of their bf16 peak.
/// Worked: 6.3e24 FLOP on 8960 v5p at 40 % take 44.3 days. Source: scaling book, "Applied training".
[[nodiscard]] constexpr seconds time_at_mfu(flops work, const chip_spec& chip, std::int64_t chip_count, double mfu) {
  detail::positive("work", work.value());
  detail::in_range("mfu", mfu, 1e-9, 1, "above 0, at most 1");
  const auto count = static_cast<double>(detail::positive_count("chips", chip_count));
  return work / (peak_rate(chip, dtype::bf16) * (count * mfu));
}

/// FLOPs that a number of chips can do in some time at peak: what is paid for.
/// Worked: 2.79 million chip-hours at 1513 TFLOP/s are 1.52e25 FLOP. Source: scaling book, "Transformers", exercise.
[[nodiscard]] constexpr flops available_work(const chip_spec& chip, std::int64_t chip_count, seconds time,
                                             dtype compute = dtype::bf16) {
  detail::positive("time", time.value());
  return peak_rate(chip, compute) * time * static_cast<double>(detail::positive_count("chips", chip_count));
}

/// What part of the available FLOPs some work is: the MFU of a run, where the work is its model FLOPs. Above 1 it shows
/// that a claim cannot be.
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
  seconds upper{};  ///< the sum of all
};

/// The bounds for stages that take these times by themselves. Worked: 66.7, 166.7, 19.8 and 1.4 ms take 166.7 to 254.6.
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

/// Global batch of synchronous data parallelism: what one replica takes, times the replicas.
/// Worked: 128 per core on the 8 cores of v3-8 is 1024.
[[nodiscard]] constexpr std::int64_t global_batch(std::int64_t per_replica, std::int64_t replicas) {
  return checked_multiply(detail::positive_count("per_replica batch", per_replica),
                          detail::positive_count("replicas", replicas));
}

/// What one replica takes of a global batch. Throws `errc::not_divisible` where it does not divide.
/// Worked: 1024 over 8 replicas is 128.
[[nodiscard]] constexpr std::int64_t batch_per_replica(std::int64_t global, std::int64_t replicas) {
  detail::positive_count("global batch", global);
  detail::positive_count("replicas", replicas);
  if (global % replicas != 0) {
    detail::fail(errc::not_divisible, "global batch", global, "a multiple of the number of replicas");
  }
  return global / replicas;
}

/// The next multiple of 128, which fills sublanes and lanes. Worked: recommended_multiple(1000) = 1024.
/// Source: Google Cloud "Cloud TPU performance guide" (batch sizes in multiples of 128).
[[nodiscard]] constexpr std::int64_t recommended_multiple(std::int64_t batch) {
  return round_up(detail::positive_count("batch", batch), 128);
}

/// What happens to the examples that do not fill a last batch.
enum class remainder : std::uint8_t { drop, keep };

/// Steps in one pass over a data set. Worked: 60000 examples in batches of 1024 are 58 steps, 59 if the rest is kept.
[[nodiscard]] constexpr std::int64_t steps_per_epoch(std::int64_t examples, std::int64_t batch,
                                                     remainder last = remainder::drop) {
  detail::positive_count("examples", examples);
  detail::positive_count("global batch", batch);
  return last == remainder::drop ? examples / batch : ceil_div(examples, batch);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
