#ifndef TPUPLAN_HANDBOOK_INFERENCE_HPP
#define TPUPLAN_HANDBOOK_INFERENCE_HPP

#include <cstdint>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/hardware/slice.hpp>

/// @file
/// Bounds of inference at peak rates: a decode step, what fits, tensor parallelism, servers for prefill and for decode.
/// What real engines reach is in estimate/serving/engine.hpp. Source of all: scaling book, "Inference" (2025-12-15).

namespace tpuplan {
inline namespace abi_0 {

/// HBM bandwidth of all chips of a slice together. Worked: 6.55 TB/s for v5litepod-8.
[[nodiscard]] constexpr bytes_per_second hbm_bandwidth(const slice& where) {
  return bandwidth(where.chip, memory_level::hbm) *
         static_cast<double>(detail::positive_count("slice.shape", chips(where)));
}

/// What a decode step reads and computes: the weights once, and the keys and values of each sequence.
struct decode_work {
  double batch = 0;               ///< sequences that decode
  bytes weights{};                ///< read in one step
  bytes cache_per_sequence{};     ///< keys and values
  flops products_per_sequence{};  ///< of one token, without attention; 0: not counted
};

/// The bound of a decode step: cache + max(weights, products) = total. Attention is limited by HBM and overlaps with
/// nothing.
struct decode_bound {
  bytes memory{};                  ///< weights, and keys and values of all sequences
  seconds cache{};                 ///< reading keys and values
  seconds weights{};               ///< reading weights
  seconds products{};              ///< matrix products
  seconds total{};                 ///< of the step
  per_second tokens_per_second{};  ///< batch / total
};

/// Time of a decode step at the peak rates of that many chips. Throws for a batch, weights or chips that are not above
/// 0, and for other figures below 0.
/// Worked: batch 4 of 30e9 int8 weights and 819 MB of cache on 16 chips of 810 GB/s takes 2.568 ms.
[[nodiscard]] constexpr decode_bound decode_bound_of(const decode_work& work, const chip_spec& chip,
                                                     std::int64_t chip_count, dtype compute = dtype::bf16) {
  detail::positive("batch", work.batch);
  detail::positive("weights", work.weights.value());
  detail::not_negative("cache_per_sequence", work.cache_per_sequence.value());
  detail::not_negative("products_per_sequence", work.products_per_sequence.value());
  const auto count = static_cast<double>(detail::positive_count("chips", chip_count));
  const bytes_per_second rate = bandwidth(chip, memory_level::hbm) * count;
  decode_bound result;
  result.memory = work.weights + work.batch * work.cache_per_sequence;
  result.cache = work.batch * work.cache_per_sequence / rate;
  result.weights = work.weights / rate;
  if (work.products_per_sequence > flops{0})
    result.products = work.batch * work.products_per_sequence / (detail::peak_above_0(chip, compute) * count);
  result.total = result.cache + max(result.weights, result.products);
  result.tokens_per_second = work.batch / result.total;
  return result;
}

/// Memory of a server and what it holds.
struct server_memory {
  bytes hbm{};                 ///< of all chips together
  bytes weights{};             ///< held once
  bytes cache_per_sequence{};  ///< keys and values
};

/// Sequences whose keys and values fit in HBM with the weights; 0 where none do. Sizes are exact: a decimal and a
/// binary gigabyte give different counts. Throws for memory or a cache that is not above 0, and for weights below 0.
/// Worked: 43 of 162000 x 8192 bytes with 70 GB of weights in 8 x 16 GB.
[[nodiscard]] constexpr std::int64_t caches_that_fit(const server_memory& memory) {
  detail::positive("hbm", memory.hbm.value());
  detail::not_negative("weights", memory.weights.value());
  detail::positive("cache_per_sequence", memory.cache_per_sequence.value());
  const double left = (memory.hbm - memory.weights) / memory.cache_per_sequence;
  return left < 1 ? 0 : floor_to_count(left);
}

/// Chips, not rounded, whose HBM holds that many bytes. Throws for an amount or a capacity that is not above 0. Worked:
/// 8.75 chips of 16 GB for 140 GB.
[[nodiscard]] constexpr double chips_to_hold(bytes amount, const chip_spec& chip) {
  detail::positive("amount", amount.value());
  detail::positive("chip.hbm.capacity", chip.hbm.capacity.value());
  return amount / chip.hbm.capacity;
}

/// The smallest power of two that is at least a number of chips: slices come in these sizes. Worked: 8 for 6.996 chips,
/// 16 for 8.55.
[[nodiscard]] constexpr std::int64_t power_of_two_from(double chip_count) {
  detail::in_range("chips", chip_count, 1e-9, 1e15, "above 0 and at most 1e15");
  std::int64_t result = 1;
  while (static_cast<double>(result) < chip_count) result *= 2;
  return result;
}

/// A server that decodes.
struct decode_server {
  double batch = 0;          ///< sequences that decode at once
  seconds step{};            ///< time of a decode step
  double output_tokens = 0;  ///< of a request
};

/// Requests that a server completes per second: batch / (step x output tokens). Throws for figures that are not above
/// 0. Worked: 43 sequences, steps of 19 ms, 512 output tokens: 4.42 per second.
[[nodiscard]] constexpr per_second requests_per_second(const decode_server& server) {
  detail::positive("batch", server.batch);
  detail::positive("step", server.step.value());
  detail::positive("output_tokens", server.output_tokens);
  return server.batch / (server.step * server.output_tokens);
}

/// Time to decode the output tokens of a request: one decode step for each token. Throws for figures that
/// are not above 0. Worked: 9.98 s for 512 tokens at steps of 19.5 ms.
[[nodiscard]] constexpr seconds output_time(seconds step, double output_tokens) {
  detail::positive("step", step.value());
  return step * detail::positive("output_tokens", output_tokens);
}

/// Tokens of a request.
struct request_tokens {
  double prompt = 0;  ///< input tokens
  double output = 0;  ///< output tokens
};

/// What leaves a server in each decode step where requests come and go evenly.
struct decode_turnover {
  double sequences = 0;  ///< requests that end: batch / output
  double tokens = 0;     ///< tokens that leave the cache with them: batch x (prompt + output) / output
};

/// The turnover of a batch of such requests. Throws for a batch or an output that is not above 0, and for a prompt
/// below 0. Worked: 32 sequences of 8192 + 4096 tokens: 0.0078 sequences and 96 tokens a step.
[[nodiscard]] constexpr decode_turnover turnover(double batch, const request_tokens& request) {
  detail::positive("batch", batch);
  detail::positive("output tokens", request.output);
  detail::not_negative("prompt tokens", request.prompt);
  return {batch / request.output, batch * (request.prompt + request.output) / request.output};
}

/// Prefill servers that keep one decode server busy, not rounded: the requests it completes per second x the time of a
/// prefill. Throws for figures that are not above 0. Worked: 4.02 for 43 sequences, a prefill of 0.91 s, steps of 19 ms
/// and 512 output tokens.
[[nodiscard]] constexpr double prefill_servers_per_decode_server(const decode_server& server, seconds prefill) {
  detail::positive("prefill", prefill.value());
  return requests_per_second(server) * prefill;
}

/// The ratio of HBM bandwidth to the achieved rate of one ICI axis, both directions. Worked: 9.1 on v5e.
[[nodiscard]] constexpr double hbm_over_ici(const chip_spec& chip) {
  return bandwidth(chip, memory_level::hbm) / bandwidth(chip, memory_level::ici);
}

/// The degree of tensor parallelism from which moving activations takes longer than reading weights in decode, not
/// rounded: F / (B x HBM bandwidth over ICI bandwidth). Throws for figures that are not above 0. Worked: 64 for F =
/// 16384, batch 32 and a ratio of 8.
[[nodiscard]] constexpr double decode_tensor_limit(std::int64_t d_ff, std::int64_t batch, double hbm_to_ici) {
  return static_cast<double>(detail::positive_count("d_ff", d_ff)) /
         (static_cast<double>(detail::positive_count("batch", batch)) * detail::positive("hbm_to_ici", hbm_to_ici));
}

/// Times on one device of a bf16 product [batch, D] x [D, F] whose F is sharded over one ICI axis.
struct sharded_product {
  seconds ici{};   ///< moving activations in or out: 2 B D / W
  seconds hbm{};   ///< reading the shard of the weights
  seconds math{};  ///< FLOPs of the shard
};

/// The times of a product that is sharded `ways` ways. Throws for a shape or ways that are not above 0.
/// Worked: 64 x 8192 x 28672, 32 ways on v5e with 90 GB/s over ICI, 810 GB/s and 197 TFLOP/s: 11.65, 18.1 and 4.77 us.
[[nodiscard]] constexpr sharded_product sharded_product_times(const product_shape& shape, std::int64_t ways,
                                                              const chip_spec& chip) {
  const flops work = flops_of(shape);
  const auto parts = static_cast<double>(detail::positive_count("ways", ways));
  const auto activations = static_cast<double>(checked_multiply(shape.batch, shape.inner));
  const auto weights = static_cast<double>(checked_multiply(shape.inner, shape.outer));
  return {bytes{2 * activations} / bandwidth(chip, memory_level::ici),
          bytes{2 * weights / parts} / bandwidth(chip, memory_level::hbm),
          work / parts / detail::peak_above_0(chip, dtype::bf16)};
}

/// Degrees of weights that are sharded over both of their dimensions, chosen to move the least activations; not
/// rounded.
struct weight_stationary_degrees {
  double d_model = 0;  ///< ways of the d_model dimension: X
  double d_ff = 0;     ///< ways of the d_ff dimension: Y Z
};

/// The best degrees on N chips: X = sqrt(N D / 2F), YZ = N / X. Throws for figures that are not above 0. Worked: 4 and
/// 32 for F = 4 D on 128 chips.
[[nodiscard]] constexpr weight_stationary_degrees two_dimensional_degrees(std::int64_t chip_count,
                                                                          double d_ff_over_d_model) {
  const auto count = static_cast<double>(detail::positive_count("chips", chip_count));
  const double x = math::sqrt(count / 2 / detail::positive("d_ff_over_d_model", d_ff_over_d_model));
  return {x, count / x};
}

/// Chips from which sharding both dimensions of the weights moves less than Megatron's sharding of one over all axes:
/// 2 axes^2 F / D. Throws for figures that are not above 0. Worked: 63 on three axes for F = 3.5 D.
[[nodiscard]] constexpr double two_dimensional_from_chips(double d_ff_over_d_model, std::int64_t axes = 3) {
  const auto count = static_cast<double>(detail::positive_count("axes", axes));
  return 2 * count * count * detail::positive("d_ff_over_d_model", d_ff_over_d_model);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
