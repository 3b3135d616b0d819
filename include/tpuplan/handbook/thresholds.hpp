#ifndef TPUPLAN_HANDBOOK_THRESHOLDS_HPP
#define TPUPLAN_HANDBOOK_THRESHOLDS_HPP

#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/parallel/interconnect.hpp>

/// @file
/// When does a way of sharding stop being limited by arithmetic? Rules for a layer of two matrices [D,F] and [F,D] in
/// bf16, at peak rates and with perfect overlap. Source: scaling book, "Training" and "Sharded matrices" (2025-12-15).

namespace tpuplan {
inline namespace abi_0 {

/// ICI intensity: FLOPs that a chip can do while one byte arrives over one axis, both directions in use. In bf16 it is
/// also a number of tokens per chip, because the two bytes of a weight cancel the two FLOPs of its multiply-add.
/// Worked: 2550 on v5p, 2189 on v5e.
[[nodiscard]] constexpr double ici_intensity(const chip_spec& chip, dtype compute = dtype::bf16) {
  return ridge_point(chip, compute, memory_level::ici).value();
}

/// Tokens per chip above which data parallelism or FSDP over that many ICI axes is limited by arithmetic.
/// `experts_per_active` is E/k of a mixture of experts. Worked: 850 on three axes of v5p.
[[nodiscard]] constexpr double data_parallel_tokens_per_chip(const chip_spec& chip, std::int64_t axes,
                                                             double experts_per_active = 1) {
  detail::positive_count("axes", axes);
  detail::in_range("experts_per_active", experts_per_active, 1, 1e9, "1 (dense) or more");
  return ici_intensity(chip) / static_cast<double>(axes) * experts_per_active;
}

/// Degree below which tensor parallelism over that many axes is limited by arithmetic: (2 / bytes) F axes / intensity.
/// It does not depend on the format as long as activations have it too. Worked: 7.5 for F = 16384 on one axis of v5e.
[[nodiscard]] constexpr double tensor_parallel_limit(const chip_spec& chip, std::int64_t d_ff, std::int64_t axes = 1,
                                                     dtype type = dtype::bf16) {
  const double widths =
      static_cast<double>(checked_multiply(detail::positive_count("d_ff", d_ff), detail::positive_count("axes", axes)));
  return 2 / size_of(type).value() * widths / ici_intensity(chip, type);
}

/// Tokens per chip above which FSDP and tensor parallelism together are limited by arithmetic, at the best split of the
/// chips between them: intensity^2 / (fsdp axes x tensor axes x F). Worked: 99.2 on v5p for F = 32768, two axes and
/// one.
[[nodiscard]] constexpr double mixed_tokens_per_chip(const chip_spec& chip, std::int64_t d_ff, std::int64_t fsdp_axes,
                                                     std::int64_t tensor_axes) {
  const double intensity = ici_intensity(chip);
  const std::int64_t axes = checked_multiply(detail::positive_count("fsdp_axes", fsdp_axes),
                                             detail::positive_count("tensor_axes", tensor_axes));
  return intensity * intensity / static_cast<double>(checked_multiply(axes, detail::positive_count("d_ff", d_ff)));
}

/// A batch through a layer of that width on chips whose ICI axes FSDP and tensor parallelism share.
struct mixed_sharding {
  std::int64_t batch_tokens = 0;  ///< of a step, over all chips
  std::int64_t d_ff = 0;          ///< inner width of the layer
  std::int64_t chips = 0;         ///< the product of both degrees
  std::int64_t fsdp_axes = 0;     ///< ICI axes that FSDP spans
  std::int64_t tensor_axes = 0;   ///< ICI axes that tensor parallelism spans
};

/// The FSDP degree at which FSDP and tensor traffic take the same time: sqrt(B/F x fsdp axes / tensor axes x chips).
/// Worked: 13.7 for 48000 tokens, F = 32768, 64 chips, two axes and one.
[[nodiscard]] constexpr double optimal_fsdp(const mixed_sharding& how) {
  const auto tokens = static_cast<double>(detail::positive_count("batch_tokens", how.batch_tokens));
  const auto width = static_cast<double>(detail::positive_count("d_ff", how.d_ff));
  const auto count = static_cast<double>(detail::positive_count("chips", how.chips));
  const auto fsdp_axes = static_cast<double>(detail::positive_count("fsdp_axes", how.fsdp_axes));
  const auto tensor_axes = static_cast<double>(detail::positive_count("tensor_axes", how.tensor_axes));
  return math::sqrt(tokens / width * fsdp_axes / tensor_axes * count);
}

/// Tokens per slice above which data parallelism between slices is limited by arithmetic. Worked: 73440 on v5p.
[[nodiscard]] constexpr double dcn_tokens_per_slice(const chip_spec& chip) {
  return ridge_point(chip, dtype::bf16, memory_level::dcn).value();
}

/// A product X[B,D] Y[D,F] whose Y is sharded along D can gather Y first, or multiply its shards and reduce the results
/// afterwards. These limits say which is faster, and when either is limited by arithmetic.
struct contraction_limits {
  double gather_first_batch = 0;   ///< tokens above which gathering first is limited by arithmetic
  double reduce_after_inner = 0;   ///< D above which reducing afterwards beats the repeated FLOPs of gathering
  double reduce_after_degree = 0;  ///< most ways for which reducing afterwards is limited by arithmetic
  double equal_traffic_batch = 0;  ///< tokens at which both move the same bytes; fewer favour reducing
};

/// The limits of a contraction over D = `inner`. Worked: on v5p 2550 tokens, D above 5100, 1.6 ways for D = 8192, and
/// equal traffic at 4096 tokens.
[[nodiscard]] constexpr contraction_limits sharded_contraction(const chip_spec& chip, std::int64_t inner) {
  const double intensity = ici_intensity(chip);
  const auto d = static_cast<double>(detail::positive_count("inner", inner));
  return {intensity, 2 * intensity, d / (2 * intensity), d / 2};
}

/// A layer of two matrices [D,F] and [F,D] and the tokens that go through it in a step.
struct mlp_layer {
  std::int64_t batch_tokens = 0;  ///< over all chips
  std::int64_t d_model = 0;       ///< D
  std::int64_t d_ff = 0;          ///< F
};

/// How a layer of two matrices is sharded: ways and ICI axes of FSDP and of tensor parallelism.
struct layer_sharding {
  std::int64_t fsdp = 1;         ///< ways
  std::int64_t fsdp_axes = 0;    ///< ICI axes that it spans
  std::int64_t tensor = 1;       ///< ways
  std::int64_t tensor_axes = 0;  ///< ICI axes that it spans
};

/// Forward time of one layer of two bf16 matrices: arithmetic, FSDP gathers, tensor gathers and scatters.
struct layer_times {
  seconds math{};              ///< arithmetic at the bf16 peak
  seconds fsdp{};              ///< gathers of weights
  seconds tensor{};            ///< gathers and scatters of activations
  bool compute_bound = false;  ///< arithmetic takes longer than either kind of traffic
};

/// The forward times of a layer under a way of sharding it. Worked: 4 Mi tokens, D 8192, F 28672, FSDP 2048 on two axes
/// and tensor 4 on one, v5p: 1.048 ms of arithmetic, 0.652 ms and 0.373 ms of traffic.
[[nodiscard]] constexpr layer_times layer_forward(const chip_spec& chip, const mlp_layer& layer,
                                                  const layer_sharding& how) {
  const flops work = 2 * flops_of({layer.batch_tokens, layer.d_model, layer.d_ff});
  const auto fsdp = static_cast<double>(detail::positive_count("fsdp", how.fsdp));
  const auto tensor = static_cast<double>(detail::positive_count("tensor", how.tensor));
  layer_times times;
  times.math = work / (detail::peak_above_0(chip, dtype::bf16) * (fsdp * tensor));
  const auto d = static_cast<double>(layer.d_model);
  if (how.fsdp > 1) {
    const auto axes = static_cast<double>(detail::positive_count("fsdp_axes", how.fsdp_axes));
    times.fsdp = bytes{4 * d * static_cast<double>(layer.d_ff) / tensor} / (bandwidth(chip, memory_level::ici) * axes);
  }
  if (how.tensor > 1) {
    const auto axes = static_cast<double>(detail::positive_count("tensor_axes", how.tensor_axes));
    times.tensor =
        bytes{4 * static_cast<double>(layer.batch_tokens) * d / fsdp} / (bandwidth(chip, memory_level::ici) * axes);
  }
  times.compute_bound = times.math > times.fsdp && times.math > times.tensor;
  return times;
}

/// Backward pass of one layer under data parallelism between slices: arithmetic, and the all-reduce of its gradients,
/// which a single slice does not need.
struct layer_backward_times {
  seconds math{};  ///< arithmetic at the bf16 peak
  seconds dcn{};   ///< the all-reduce between slices
};

/// Slices of equal size.
struct equal_slices {
  std::int64_t chips = 0;   ///< of each slice
  std::int64_t slices = 0;  ///< number of slices
};

/// The backward times of a layer whose batch is sharded over slices. Worked: 2e6 tokens, D 8192, F 28672 on two v5p
/// slices of 8960 chips: 0.457 ms of arithmetic, 0.0336 ms between slices.
[[nodiscard]] constexpr layer_backward_times layer_backward_between_slices(const chip_spec& chip,
                                                                           const mlp_layer& layer,
                                                                           const equal_slices& over) {
  const auto tokens = static_cast<double>(detail::positive_count("batch_tokens", layer.batch_tokens));
  const double weights = static_cast<double>(
      checked_multiply(detail::positive_count("d_model", layer.d_model), detail::positive_count("d_ff", layer.d_ff)));
  const auto per_slice = static_cast<double>(detail::positive_count("equal_slices.chips", over.chips));
  const auto total = static_cast<double>(detail::positive_count("equal_slices.slices", over.slices));
  layer_backward_times times;
  times.math = flops{8 * tokens * weights} / (detail::peak_above_0(chip, dtype::bf16) * (per_slice * total));
  if (over.slices > 1)
    times.dcn = bytes{4 * weights} * all_reduce_share(total, member_share::whole) / (dcn_rate(chip) * per_slice);
  return times;
}

/// Bytes that a layer of two bf16 matrices moves forward and backward, an all-reduce counted twice.
struct layer_traffic {
  bytes data{};    ///< gradients reduced
  bytes fsdp{};    ///< weights gathered forward, gathered and scattered backward
  bytes tensor{};  ///< activations gathered and scattered both ways
};

/// The bytes of a layer under data parallelism, FSDP and tensor parallelism. Worked: D 8192, F 28672, 2^20 tokens:
/// 1879048192, 2818572288 and 68719476736 B.
[[nodiscard]] constexpr layer_traffic traffic_of_layer(const mlp_layer& layer) {
  const double weights = static_cast<double>(
      checked_multiply(detail::positive_count("d_model", layer.d_model), detail::positive_count("d_ff", layer.d_ff)));
  const double activations =
      static_cast<double>(checked_multiply(detail::positive_count("batch_tokens", layer.batch_tokens), layer.d_model));
  return {bytes{8 * weights}, bytes{12 * weights}, bytes{8 * activations}};
}

/// The time that pipeline stages take to pass on the activations of a step.
struct pipeline_transfer {
  seconds per_hop{};  ///< one microbatch from one stage to the next
  seconds total{};    ///< all hops on the critical path
};

/// A pipeline's microbatches in one step and its stages.
struct pipeline_shape {
  std::int64_t microbatches = 0;  ///< of a step
  std::int64_t stages = 0;        ///< 2 or more
};

/// The transfer time of a step whose stages are joined at that bandwidth. Worked: 2 Mi tokens, D 8192, 400 GB/s, 32
/// microbatches, 8 stages: 2.68 ms a hop, 102 ms in all.
[[nodiscard]] constexpr pipeline_transfer pipeline_transfer_time(std::int64_t batch_tokens, std::int64_t d_model,
                                                                 bytes_per_second between_stages,
                                                                 const pipeline_shape& pipeline) {
  detail::positive("between_stages", between_stages.value());
  const auto pieces = static_cast<double>(detail::positive_count("microbatches", pipeline.microbatches));
  if (pipeline.stages < 2) detail::fail(errc::invalid_argument, "stages", pipeline.stages, "2 or more");
  const double activations = static_cast<double>(checked_multiply(detail::positive_count("batch_tokens", batch_tokens),
                                                                  detail::positive_count("d_model", d_model)));
  const seconds hop = bytes{2 * activations / pieces} / between_stages;
  return {hop, hop * (pieces + static_cast<double>(pipeline.stages) - 2)};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
