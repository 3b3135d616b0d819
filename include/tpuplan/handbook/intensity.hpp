#ifndef TPUPLAN_HANDBOOK_INTENSITY_HPP
#define TPUPLAN_HANDBOOK_INTENSITY_HPP

#include <cstdint>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/handbook/roofline.hpp>

/// @file
/// Arithmetic intensity where more than the weights of one product counts as traffic: tiles, batched weights,
/// activations, work that grows with a count.

namespace tpuplan {
inline namespace abi_0 {

/// FLOPs per byte of a product in which every batch element has its own weights: never above 2 / bytes of a weight.
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
  bytes once{};               ///< moved once, such as the weights
  flops flops_per_element{};  ///< arithmetic for each
  bytes bytes_per_element{};  ///< moved for each, such as activations or a sequence's cache
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

}  // namespace abi_0
}  // namespace tpuplan

#endif
