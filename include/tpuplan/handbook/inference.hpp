#ifndef TPUPLAN_HANDBOOK_INFERENCE_HPP
#define TPUPLAN_HANDBOOK_INFERENCE_HPP

#include <cstdint>
#include <tpuplan/error.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/integer.hpp>
#include <tpuplan/math.hpp>
#include <tpuplan/maybe.hpp>
#include <tpuplan/units.hpp>

/// @file
/// Bounds of inference at peak rates: a decode step, what fits, tensor parallelism, servers for prefill and for decode.
/// estimate/serving/engine.hpp says what published runs reach. Source of all: scaling book, "Inference" (2025-12-15).

namespace tpuplan {
inline namespace abi_0 {

/// What all chips of a slice read from HBM. Worked: 6.55 TB/s for v5litepod-8.
[[nodiscard]] constexpr bytes_per_second hbm_bandwidth(const slice& where) {
  return where.chip.hbm.bandwidth * static_cast<double>(chips(where));
}

/// What a decode step moves and computes. Keys and values are read sequence by sequence, weights once a step.
struct decode_work {
  double batch = 0;               ///< sequences that decode
  bytes weights{};                ///< read in one step
  bytes cache_per_sequence{};     ///< keys and values
  flops products_per_sequence{};  ///< of one token, without attention: 0 where they are not to be counted
};

/// The bound of a step: cache + max(weights, products) = total. Attention is always limited by HBM, and not overlapped.
struct decode_bound {
  bytes memory{};                  ///< weights and all caches
  seconds cache{};                 ///< reading keys and values
  seconds weights{};               ///< reading weights
  seconds products{};              ///< matrix products
  seconds total{};                 ///< of the step
  per_second tokens_per_second{};  ///< batch / total
};

/// Time of a decode step at peak rates of some chips. Throws for a batch, bytes or rates that are not above 0.
/// Worked: batch 4 of 30e9 int8 weights and 819 MB of cache on 16 chips of 810 GB/s takes 2.568 ms.
[[nodiscard]] constexpr decode_bound decode_bound_of(const decode_work& work, const chip_spec& chip,
                                                     std::int64_t chip_count, dtype compute = dtype::bf16) {
  detail::positive("batch", work.batch);
  detail::positive("weights", work.weights.value());
  detail::not_negative("cache_per_sequence", work.cache_per_sequence.value());
  detail::not_negative("products_per_sequence", work.products_per_sequence.value());
  const auto count = static_cast<double>(detail::positive_count("chips", chip_count));
  const bytes_per_second rate = chip.hbm.bandwidth * count;
  decode_bound result;
  result.memory = work.weights + work.batch * work.cache_per_sequence;
  result.cache = work.batch * work.cache_per_sequence / rate;
  result.weights = work.weights / rate;
  if (work.products_per_sequence > flops{0})
    result.products = work.batch * work.products_per_sequence / (peak_rate(chip, compute) * count);
  result.total = result.cache + max(result.weights, result.products);
  result.tokens_per_second = work.batch / result.total;
  return result;
}

/// Sequences whose caches fit beside the weights; 0 where one does not. Sizes are exact: a decimal and a binary
/// gigabyte give different counts. Worked: 43 of 162000 x 8192 bytes beside 70 GB in 8 x 16 GB.
[[nodiscard]] constexpr std::int64_t caches_that_fit(bytes memory, bytes weights, bytes cache_per_sequence) {
  detail::positive("memory", memory.value());
  detail::not_negative("weights", weights.value());
  detail::positive("cache_per_sequence", cache_per_sequence.value());
  const double left = (memory - weights) / cache_per_sequence;
  return left < 1 ? 0 : floor_to_count(left);
}

/// Chips whose HBM holds that much, not rounded: 8.75 of 16 GB for 140 GB.
[[nodiscard]] constexpr double chips_to_hold(bytes amount, bytes hbm_per_chip) {
  detail::positive("amount", amount.value());
  detail::positive("hbm_per_chip", hbm_per_chip.value());
  return amount / hbm_per_chip;
}

/// The next power of two from that number of chips on: slices come in these. Worked: 8 for 6.996, 16 for 8.55.
[[nodiscard]] constexpr std::int64_t power_of_two_from(double chip_count) {
  detail::in_range("chips", chip_count, 1e-9, 1e15, "above 0 and at most 1e15");
  std::int64_t result = 1;
  while (static_cast<double>(result) < chip_count) result *= 2;
  return result;
}

/// Requests a second of servers that decode `batch` sequences at once: batch / (step x tokens).
/// Worked: 43 sequences, steps of 19 ms, answers of 512 tokens: 4.42 a second.
[[nodiscard]] constexpr per_second requests_per_second(double batch, seconds step, double answer_tokens) {
  detail::positive("batch", batch);
  detail::positive("step", step.value());
  detail::positive("answer_tokens", answer_tokens);
  return batch / (step * answer_tokens);
}

/// Time of an answer: a step for each token. Worked: 9.99 s for 512 tokens of 19.5 ms.
[[nodiscard]] constexpr seconds answer_time(seconds step, double answer_tokens) {
  detail::positive("step", step.value());
  return step * detail::positive("answer_tokens", answer_tokens);
}

/// What leaves a server in a step once sequences come and go evenly.
struct decode_turnover {
  double sequences = 0;  ///< that end: batch / answer
  double tokens = 0;     ///< that leave the cache with them: batch x (prompt + answer) / answer
};

/// Worked: 32 sequences of 8192 and 4096 tokens: 0.0078 sequences and 96 tokens a step.
[[nodiscard]] constexpr decode_turnover turnover(double batch, double prompt_tokens, double answer_tokens) {
  detail::positive("batch", batch);
  detail::positive("answer_tokens", answer_tokens);
  detail::not_negative("prompt_tokens", prompt_tokens);
  return {batch / answer_tokens, batch * (prompt_tokens + answer_tokens) / answer_tokens};
}

/// Prefill servers for each decode server, not rounded: batch x prefill / (step x answer).
/// Worked: 4.02 for 43 sequences, 0.91 s, 19 ms and 512 tokens.
[[nodiscard]] constexpr double prefill_servers_per_decode_server(double batch, seconds prefill, seconds step,
                                                                 double answer_tokens) {
  detail::positive("prefill", prefill.value());
  return requests_per_second(batch, step, answer_tokens) * prefill;
}

/// HBM bandwidth over the two-way rate of one ICI axis, as achieved. Worked: 9.1 on v5e.
[[nodiscard]] constexpr double hbm_over_ici(const chip_spec& chip) {
  return chip.hbm.bandwidth / ici_axis_both_ways(chip);
}

/// The degree of tensor parallelism from which moving activations takes longer than loading weights in decode, not
/// rounded: F / (B x HBM over ICI bandwidth). Worked: 64 for F = 16384, batch 32 and a ratio of 8.
[[nodiscard]] constexpr double decode_tensor_limit(std::int64_t d_ff, std::int64_t batch, double hbm_to_ici) {
  return static_cast<double>(detail::positive_count("d_ff", d_ff)) /
         (static_cast<double>(detail::positive_count("batch", batch)) * detail::positive("hbm_to_ici", hbm_to_ici));
}

/// Times of one bf16 product [batch, D] x [D, F] whose F is cut `ways` ways, over one ICI axis.
struct sharded_product {
  seconds ici{};   ///< activations in or out: 2 B D / W
  seconds hbm{};   ///< the device's part of the weights
  seconds math{};  ///< its FLOPs
};

/// Worked: 64 x 8192 x 28672, 32 ways on v5e of 90, 810 GB/s and 197 TFLOP/s: 11.65, 18.1 and 4.77 us.
[[nodiscard]] constexpr sharded_product cut_product_times(const product_shape& p, std::int64_t ways,
                                                          const chip_spec& chip) {
  const flops work = flops_of(p);
  const auto parts = static_cast<double>(detail::positive_count("ways", ways));
  const auto activations = static_cast<double>(checked_multiply(p.batch, p.inner));
  const auto weights = static_cast<double>(checked_multiply(p.inner, p.outer));
  return {bytes{2 * activations} / ici_axis_both_ways(chip), bytes{2 * weights / parts} / chip.hbm.bandwidth,
          work / parts / peak_rate(chip, dtype::bf16)};
}

/// Weights cut over both of their dimensions: degrees that move least activations, not rounded.
struct weight_stationary_degrees {
  double d_model = 0;  ///< X
  double d_ff = 0;     ///< Y Z
};

/// X = sqrt(N D / 2F), YZ = N / X. Worked: 4 and 32 for F = 4 D on 128 chips.
[[nodiscard]] constexpr weight_stationary_degrees two_dimensional_degrees(std::int64_t chip_count,
                                                                          double d_ff_over_d_model) {
  const auto count = static_cast<double>(detail::positive_count("chips", chip_count));
  const double x = math::sqrt(count / (2 * detail::positive("d_ff_over_d_model", d_ff_over_d_model)));
  return {x, count / x};
}

/// Chips from which cutting both dimensions moves less than Megatron's cut over all axes: 2 axes² F / D.
/// Worked: 63 on three axes for F = 3.5 D.
[[nodiscard]] constexpr double two_dimensional_from_chips(double d_ff_over_d_model, std::int64_t axes = 3) {
  const auto a = static_cast<double>(detail::positive_count("axes", axes));
  return 2 * a * a * detail::positive("d_ff_over_d_model", d_ff_over_d_model);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
