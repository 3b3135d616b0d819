#ifndef TPUPLAN_HANDBOOK_ROOFLINE_HPP
#define TPUPLAN_HANDBOOK_ROOFLINE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/hardware/chip.hpp>

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
  // FLOPs while a byte is read x bytes of a weight / 2 FLOPs for a weight and a token
  return ridge_point(chip, types.compute, from).value() * size_of(types.weights).value() / 2 * experts_per_active;
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

/// Twice the critical batch, in tokens, which is well limited by arithmetic. Worked: 482 on v5e in bf16.
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

/// FLOPs of a product per byte that it moves. Worked: about the batch, for a bf16 batch that is small against both
/// other dimensions.
[[nodiscard]] constexpr flops_per_byte arithmetic_intensity(const product_shape& product,
                                                            const product_dtypes& types = {}) {
  return flops_of(product) / bytes_of(product, types);
}

/// What limits a product.
enum class bound : std::uint8_t { compute, memory };

/// "compute" or "memory".
[[nodiscard]] constexpr std::string_view name(bound what) noexcept {
  constexpr const char* names[] = {"compute", "memory"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// Time of one product on one chip at peak rates: between `lower`, where arithmetic and traffic overlap fully, and
/// `upper`, where they do not overlap.
struct product_time {
  seconds math{};                    ///< arithmetic at the peak rate
  seconds memory{};                  ///< traffic at the bandwidth of the memory
  seconds lower{};                   ///< max(math, memory)
  seconds upper{};                   ///< math + memory
  bound limited_by = bound::memory;  ///< the larger of both
};

namespace detail {
/// The peak rate of a chip, which is refused unless it is above 0.
constexpr flops_per_second peak_above_0(const chip_spec& chip, dtype compute) {
  const flops_per_second peak = peak_rate(chip, compute);
  positive("peak rate", peak.value());
  return peak;
}
}  // namespace detail

/// Roofline of one product. Worked: [512,4096]x[4096,16384] in bf16 on v5e takes 0.349 ms of arithmetic and 0.189 ms of
/// traffic, so it is limited by compute.
[[nodiscard]] constexpr product_time roofline(const chip_spec& chip, const product_shape& product,
                                              const product_dtypes& types = {}, memory_level from = memory_level::hbm) {
  product_time t;
  t.math = flops_of(product) / detail::peak_above_0(chip, types.compute);
  t.memory = bytes_of(product, types) / bandwidth(chip, from);
  t.lower = max(t.math, t.memory);
  t.upper = t.math + t.memory;
  t.limited_by = t.memory < t.math ? bound::compute : bound::memory;
  return t;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
