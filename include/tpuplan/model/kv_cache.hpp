#ifndef TPUPLAN_MODEL_KV_CACHE_HPP
#define TPUPLAN_MODEL_KV_CACHE_HPP

#include <cstdint>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// Bytes of keys, values and recurrent states that decoding keeps.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

constexpr void check_cached(const transformer& model) {
  validate(model);
  if (model.kind != architecture::decoder) {
    fail(errc::unsupported, "KV cache of an architecture", name(model.kind), "decoder");
  }
}

/// Numbers that one layer caches for each token: a global layer attends to the whole context, a local one to a window.
struct cached_widths {
  std::int64_t global = 0;
  std::int64_t local = 0;
};
constexpr cached_widths cached(const transformer& model) {
  const attention_spec& attention = model.attention;
  if (has_latent_attention(model)) {
    const std::int64_t width = attention.latent.kv_lora_rank + attention.latent.qk_rope_head_dim;
    return {width, width};
  }
  const std::int64_t heads = attention.global_kv_heads > 0 ? attention.global_kv_heads : attention.kv_heads;
  const std::int64_t size = attention.global_head_dim > 0 ? attention.global_head_dim : attention.head_dim;
  const std::int64_t values = attention.single_kv ? 0 : attention.value_dim > 0 ? attention.value_dim : size;
  const std::int64_t local_values = attention.single_kv ? 0 : value_width(model);
  return {checked_multiply(heads, size + values),
          checked_multiply(attention.kv_heads, attention.head_dim + local_values)};
}

/// Numbers that one token adds to the cache beside its own keys and values: the key of each indexer, and its share of
/// keys that stand for several tokens. In half of DeepSeek-V4's layers such a key and its indexer's stand for 4 tokens,
/// in the others a key stands for 128.
constexpr double merged_numbers(const transformer& model) {
  const attention_spec& attention = model.attention;
  const auto key = static_cast<double>(checked_multiply(attention.kv_heads, attention.head_dim));
  double sum = static_cast<double>(checked_multiply(indexer_layers(model), attention.indexer.head_dim));
  if (attention.chosen_layers > 0)
    sum += static_cast<double>(attention.chosen_layers) * (key + static_cast<double>(attention.indexer.head_dim)) /
           static_cast<double>(attention.chosen_ratio);
  if (attention.merged_layers > 0)
    sum += static_cast<double>(attention.merged_layers) * key / static_cast<double>(attention.merged_ratio);
  return sum;
}

/// The number of layers of each kind with a cache of their own. Layers that share another's cache or attend to an image
/// have none.
struct cached_layers {
  std::int64_t global = 0;
  std::int64_t local = 0;
};
constexpr cached_layers layers_with_cache(const transformer& model) {
  const attention_spec& attention = model.attention;
  const std::int64_t to_text = attention_layers(model) - attention.cross_layers;
  const std::int64_t own = to_text - attention.kv_shared_layers;
  const std::int64_t local = attention.local_layers - local_shared_layers(model);
  return {own - local, local};
}

/// @{
/// `kv_bytes_per_token` and `state_bytes_per_sequence` of a decoder that is known to be valid.
constexpr bytes kv_token_of_valid(const transformer& model, dtype cache) {
  const cached_widths width = cached(model);
  const cached_layers layers = layers_with_cache(model);
  const auto own = static_cast<double>(
      checked_add(checked_multiply(layers.global, width.global), checked_multiply(layers.local, width.local)));
  return size_of(cache) * (own + merged_numbers(model));
}
constexpr bytes state_of_valid(const transformer& model) {
  if (!has_recurrence(model)) return bytes{0};
  const recurrent_spec& r = model.recurrent;
  const std::int64_t last = r.kind == recurrence::rwkv ? 2 * model.d_model : r.kernel > 0 ? r.kernel - 1 : 0;
  const std::int64_t kept = r.kind == recurrence::rwkv ? last : last * widths_in(r, model.d_model).channels;
  return bytes{static_cast<double>(r.layers) * (4 * static_cast<double>(state_of(r)) + 2 * static_cast<double>(kept))};
}
/// @}

}  // namespace detail

/// Bytes of keys and values that one token adds in all layers: 2 x layers x kv_heads x head_dim elements, or layers x
/// (kv_lora_rank + qk_rope_head_dim) with latent attention. A window does not change this figure but
/// the total of a sequence, see `kv_bytes_per_sequence`. Throws unless the model is a decoder. Worked: 131072 B for
/// llama-3-8b in bf16; 70272 B for DeepSeek-V3.
[[nodiscard]] constexpr bytes kv_bytes_per_token(const transformer& model, dtype cache = dtype::bf16) {
  detail::check_cached(model);
  return detail::kv_token_of_valid(model, cache);
}

/// Bytes of the states of recurrent layers for one sequence, however long it is: the recurrence in fp32, the inputs of
/// its convolution in bf16. 0 for a model without recurrent layers. Worked: 77 266 944 B for Qwen3-Next 80B, as much as
/// 3144 tokens of its 12 layers of attention.
[[nodiscard]] constexpr bytes state_bytes_per_sequence(const transformer& model) {
  detail::check_cached(model);
  return detail::state_of_valid(model);
}

/// Whether the cache of layers with a window drops tokens that have left the window (`evict`).
enum class window_eviction : std::uint8_t { keep_all, evict };

namespace detail {

/// What a decoder keeps of a sequence: numbers for each token, those of layers with a window for at most `window` of
/// them where that is above 0, and states.
struct kept_numbers {
  std::int64_t global = 0, local = 0;
  double merged = 0;
  std::int64_t window = 0;
  bytes states{};
};
constexpr kept_numbers kept_of_valid(const transformer& model) {
  const cached_widths width = cached(model);
  const cached_layers layers = layers_with_cache(model);
  return {checked_multiply(layers.global, width.global), checked_multiply(layers.local, width.local),
          merged_numbers(model), model.attention.window, state_of_valid(model)};
}
constexpr bytes bytes_kept(const kept_numbers& kept, std::int64_t sequence_length, dtype cache) {
  const bool bounded = kept.window > 0 && kept.window < sequence_length;
  const std::int64_t global = checked_multiply(kept.global, sequence_length);
  const std::int64_t local = checked_multiply(kept.local, bounded ? kept.window : sequence_length);
  const double merged = kept.merged * static_cast<double>(sequence_length);
  return size_of(cache) * (static_cast<double>(checked_add(global, local)) + merged) + kept.states;
}

/// `kv_bytes_per_sequence` of a decoder that is known to be valid.
constexpr bytes kv_sequence_of_valid(const transformer& model, std::int64_t sequence_length, dtype cache,
                                     window_eviction windows = window_eviction::evict) {
  positive_count("sequence_length", sequence_length);
  kept_numbers kept = kept_of_valid(model);
  if (windows == window_eviction::keep_all) kept.window = 0;
  return bytes_kept(kept, sequence_length, cache);
}

}  // namespace detail

/// Bytes of keys and values of one sequence of that length, in tokens, and of its recurrent states. With eviction,
/// layers with a window hold at most the window. Throws unless the model is a decoder and the length at least 1.
/// Worked: gemma2-9b, 8192 tokens, bf16, evicting: 2113929216 B.
[[nodiscard]] constexpr bytes kv_bytes_per_sequence(const transformer& model, std::int64_t sequence_length,
                                                    dtype cache = dtype::bf16,
                                                    window_eviction windows = window_eviction::evict) {
  detail::check_cached(model);
  return detail::kv_sequence_of_valid(model, sequence_length, cache, windows);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
