#ifndef TPUPLAN_MODEL_SUMS_HPP
#define TPUPLAN_MODEL_SUMS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/model.hpp>
#include <tpuplan/model/parameters.hpp>

/// @file
/// Parameters, FLOPs and caches of a model that is a list of blocks.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The parts of a count and their sums.
constexpr parameter_count count_of(const blocks::sums& sum) {
  const auto& of = sum.weights;
  parameter_count count{of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8], of[9], of[10], of[11], of[12]};
  for (const std::int64_t part : of) count.total = checked_add(count.total, part);
  if (count.total <= 0)
    fail(errc::out_of_range, "model.other_weights", count.other, "more than the other parts take away");
  count.active = count.total - sum.unrouted;
  count.matrices = sum.matrices();
  return count;
}

/// Keys that a position sees on average: those of a window, those that an indexer chooses, or all.
constexpr double keys_seen(const blocks::core& c, double sequence, const flop_convention& how) {
  const double all = average_context(c.causal, sequence, 0, how);
  if (c.ratio > 0) {
    const double keys = all / static_cast<double>(c.ratio), most = static_cast<double>(c.chosen);
    return c.chosen > 0 && most < keys ? most : keys;
  }
  if (c.window > 0) return average_context(c.causal, sequence, static_cast<double>(c.window), how);
  const double chosen = average_context(c.causal, sequence, static_cast<double>(c.chosen), how);
  return chosen < all ? chosen : all;
}

/// FLOPs of a position that do not depend on the keys that it sees: of a recurrence, and of an indexer, which scores
/// all keys, provided there are more than it chooses.
constexpr flops beside_keys(const blocks::core& c, double sequence, const flop_convention& how) {
  const double ratio = c.ratio > 0 ? static_cast<double>(c.ratio) : 1;
  if (c.index_heads == 0 || sequence <= ratio * static_cast<double>(c.chosen)) return c.fixed;
  const double all = average_context(c.causal, sequence, 0, how) / ratio;
  return c.fixed + flops{2 * all * static_cast<double>(checked_multiply(c.index_heads, c.index_width + 1))};
}

/// FLOPs of a position besides products.
constexpr flops core_flops(const blocks::core& c, double sequence, const flop_convention& how) {
  const auto heads = static_cast<double>(c.heads), width = static_cast<double>(c.key_width + c.value_width);
  return flops{2 * heads * keys_seen(c, sequence, how) * width} + beside_keys(c, sequence, how);
}

/// The work of a token besides products, each core as `of(core)` has it.
template <class Of>
constexpr double sum_of_cores(const blocks::cores& cores, const Of& of) {
  double work = 0;
  for (std::size_t i = 0; i < cores.size; ++i) {
    const blocks::core_of_layers& each = cores.of[i];
    if (each.on == blocks::flow::tokens) work += each.layers * of(each.one);
  }
  return work;
}

constexpr flops attention_core(const blocks::cores& cores, double sequence, const flop_convention& how) {
  if (how.attention == attention_flops::none) return flops{0};
  return flops{sum_of_cores(cores, [&](const blocks::core& one) { return core_flops(one, sequence, how).value(); })};
}

/// The parts of the work and their sum.
constexpr forward_flops work_of(const blocks::sums& sum, double sequence, const flop_convention& how) {
  const auto of = [](blocks::role what) { return static_cast<std::size_t>(what); };
  const auto& dense = sum.dense;
  const std::int64_t others = checked_add(dense[of(blocks::role::other)], how.latent_norms ? sum.latent_norms : 0);
  forward_flops result;
  result.qkv = two_per(checked_add(dense[of(blocks::role::qkv)], others));
  result.attention_output = two_per(dense[of(blocks::role::output)]);
  result.attention = attention_core(sum.attention, sequence, how);
  result.mlp_up = two_per(dense[of(blocks::role::up)]);
  result.mlp_down = two_per(dense[of(blocks::role::down)]);
  result.experts_up = two_per(sum.routed[of(blocks::role::up)]);
  result.experts_down = two_per(sum.routed[of(blocks::role::down)]);
  if (how.router) result.router = two_per(dense[of(blocks::role::router)]);
  result.logits = two_per(dense[of(blocks::role::logits)]);
  result.total = result.qkv + result.attention_output + result.attention + result.mlp_up + result.mlp_down +
                 result.experts_up + result.experts_down + result.router + result.logits;
  return result;
}

/// The work of a source and a target sequence.
constexpr pair_flops pair_of(const blocks::sums& sum, double source, double target) {
  pair_flops result;
  result.encoder = flops{2 * source * static_cast<double>(sum.of_source)};
  result.decoder = flops{2 * source * static_cast<double>(sum.of_attended)};
  for (const std::int64_t each : sum.dense) result.decoder += flops{2 * target * static_cast<double>(each)};
  for (const std::int64_t each : sum.routed) result.decoder += flops{2 * target * static_cast<double>(each)};
  for (std::size_t i = 0; i < sum.attention.size; ++i) {
    const blocks::core_of_layers& each = sum.attention.of[i];
    const bool to_source = each.on == blocks::flow::source || each.one.from_other;
    const flops one = each.layers * core_flops(each.one, to_source ? source : target, maxtext_flops);
    if (each.on == blocks::flow::source) result.encoder += source * one;
    if (each.on == blocks::flow::tokens) result.decoder += target * one;
  }
  result.total = result.encoder + result.decoder;
  return result;
}

constexpr bool has_tokens(const blocks::model& model) noexcept {
  for (const blocks::stream& each : model.on) {
    if (each.what == blocks::flow::tokens) return true;
  }
  return false;
}

constexpr void check_tokens(const blocks::model& model, std::string_view asked) {
  if (!has_tokens(model)) fail(errc::unsupported, asked, "no stream of tokens", "a model with a stream of tokens");
}

}  // namespace detail

/// The parameters of a model, by part. Worked: 8030261248 of llama-3-8b; 25557032 of ResNet-50, whose 53120 moving
/// statistics do not count.
[[nodiscard]] constexpr parameter_count parameters(const blocks::model& model) {
  parameter_count count = detail::count_of(blocks::sums_of(model));
  if (model.published_parameters > 0)
    count.total = detail::published("model.published_parameters", model.published_parameters, count.total);
  if (model.published_active_parameters > 0)
    count.matrices =
        detail::published("model.published_active_parameters", model.published_active_parameters, count.matrices);
  return count;
}

/// Forward FLOPs of a token at a sequence length, under a convention. Throws for a model without tokens. Worked:
/// llama-3-8b at 4096 tokens: 16083058688.
[[nodiscard]] constexpr forward_flops forward_flops_per_token(const blocks::model& model, std::int64_t sequence_length,
                                                              const flop_convention& how = maxtext_flops) {
  detail::check_tokens(model, "FLOPs per token");
  detail::check_part("sequence_length", detail::positive_count("sequence_length", sequence_length), detail::most_tokens,
                     "1 to 2^40 tokens");
  const blocks::sums sum = blocks::sums_of(model);
  const auto sequence = static_cast<double>(sequence_length);
  if (!how.all_parameters) return detail::work_of(sum, sequence, how);
  forward_flops result;
  result.attention = detail::attention_core(sum.attention, sequence, how);
  result.weights = flops{2 * static_cast<double>(parameters(model).total)};
  result.total = result.attention + result.weights;
  return result;
}

/// Forward FLOPs of one source and one target sequence of those lengths in tokens: attention is full over the source
/// and causal (half) over the target. Throws for a model without tokens. Worked: t5-small with 512 tokens on either
/// side: 22.5 GFLOP in the encoder and 47.4 in the decoder.
[[nodiscard]] constexpr pair_flops forward_flops_per_pair(const blocks::model& model, std::int64_t source_length,
                                                          std::int64_t target_length) {
  detail::check_tokens(model, "FLOPs of a pair");
  detail::check_part("source_length", detail::positive_count("source_length", source_length), detail::most_tokens,
                     "1 to 2^40 tokens");
  detail::check_part("target_length", detail::positive_count("target_length", target_length), detail::most_tokens,
                     "1 to 2^40 tokens");
  return detail::pair_of(blocks::sums_of(model), static_cast<double>(source_length),
                         static_cast<double>(target_length));
}

/// Forward FLOPs of an example of the streams that say how many positions they have: an image, a clip. Norms,
/// activation functions and pools do not count. Worked: 2 x 4089184256 for ResNet-50 at 224 x 224.
[[nodiscard]] constexpr flops forward_flops_per_example(const blocks::model& model) {
  return flops{2 * blocks::sums_of(model).of_example};
}

/// Bytes of keys and values that one token adds in all layers. Throws for a model without tokens. Worked: 131072 B for
/// llama-3-8b in bf16; 70272 B for DeepSeek-V3.
[[nodiscard]] constexpr bytes kv_bytes_per_token(const blocks::model& model, dtype cache = dtype::bf16) {
  detail::check_tokens(model, "KV cache");
  const blocks::cache_numbers kept = blocks::sums_of(model).cache;
  return size_of(cache) * (kept.held + kept.bounded);
}

/// Bytes of the states of recurrent layers for one sequence. Throws for a model without tokens. Worked: 77 266 944 B
/// for Qwen3-Next 80B.
[[nodiscard]] constexpr bytes state_bytes_per_sequence(const blocks::model& model) {
  detail::check_tokens(model, "state of a sequence");
  return blocks::sums_of(model).cache.state;
}

/// Bytes of keys and values of one sequence of that length, in tokens, and of its recurrent states. With eviction,
/// layers with a window hold at most the window. Worked: gemma2-9b, 8192 tokens, bf16, evicting: 2113929216 B.
[[nodiscard]] constexpr bytes kv_bytes_per_sequence(const blocks::model& model, std::int64_t sequence_length,
                                                    dtype cache = dtype::bf16,
                                                    window_eviction windows = window_eviction::evict) {
  detail::check_tokens(model, "KV cache");
  const auto length = static_cast<double>(detail::positive_count("sequence_length", sequence_length));
  const blocks::cache_numbers kept = blocks::sums_of(model).cache;
  const bool evicts = windows == window_eviction::evict && kept.most > 0 && kept.most < length;
  return size_of(cache) * (kept.held * length + kept.bounded * (evicts ? kept.most : length)) + kept.state;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
