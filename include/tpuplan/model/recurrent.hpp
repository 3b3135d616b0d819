#ifndef TPUPLAN_MODEL_RECURRENT_HPP
#define TPUPLAN_MODEL_RECURRENT_HPP

#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/vision.hpp>

/// @file
/// Layers that keep a state of fixed size where attention keeps keys and values: state-space layers, linear attention,
/// recurrences and short convolutions. The shapes are those of the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {

/// How the layers without softmax attention mix tokens.
enum class recurrence : std::uint8_t {
  mamba,              ///< selective state space: steps, keys and values of each channel
  mamba2,             ///< state space with heads
  gated_delta,        ///< gated delta rule, one decay for each head (Qwen3-Next)
  key_gated_delta,    ///< gated delta rule, one decay for each key dimension (Kimi Linear)
  lightning,          ///< linear attention with fixed decays and a gate (MiniMax)
  rg_lru,             ///< gated linear recurrence (RecurrentGemma)
  rwkv,               ///< RWKV 4
  mlstm,              ///< matrix memory of xLSTM
  short_convolution,  ///< gated convolution over a few tokens (LFM2)
};

/// The recurrent layers of a model, all of one kind. `layers` is 0 where it has none.
struct recurrent_spec {
  recurrence kind = recurrence::mamba;  ///< how all of them mix tokens
  std::int64_t layers = 0;              ///< number of recurrent layers
  std::int64_t width = 0;               ///< of the values, all heads together
  std::int64_t heads = 1;               ///< heads of the values
  std::int64_t key_heads = 1;           ///< heads of the keys (groups of Mamba 2)
  std::int64_t key_dim = 1;             ///< width of a key; the state has width x key_dim numbers
  std::int64_t kernel = 0;              ///< tokens under the convolution before the recurrence; 0: none
  std::int64_t rank = 0;                ///< of Mamba's time-step projection or Kimi Linear's gates
  bool convolution_bias = false;        ///< a bias for each channel of the convolution
  bool projection_bias = false;         ///< biases of the projections in and out
  bool inner_norm = false;        ///< Mamba: norms of steps, keys and values (Jamba); Mamba 2: of the gated output
  bool beside_attention = false;  ///< the layers have attention too (Falcon-H1)
  std::int64_t idle_layers = 0;   ///< layers with neither attention nor a recurrence, but an MLP (Nemotron-H)
};

namespace detail {

/// The widths and weights of one recurrent layer.
struct recurrent_widths {
  std::int64_t in = 0;        // outputs of the projections from the residual stream
  std::int64_t inside = 0;    // weights of further products
  std::int64_t channels = 0;  // channels that the convolution covers
  std::int64_t vectors = 0;   // weights that are in no product: decays, biases of gates, norms
};

/// Products of two sizes are below 2^48; no more than three are multiplied here where one is of heads.
constexpr recurrent_widths widths_in(const recurrent_spec& r, std::int64_t d_model) {
  const std::int64_t w = r.width, keys = r.key_heads * r.key_dim, both = w + 2 * keys;
  const std::int64_t selected = r.rank + 2 * r.key_dim;
  switch (r.kind) {
    case recurrence::mamba:
      return {2 * w, w * (selected + r.rank), w, w * (r.key_dim + 2) + (r.inner_norm ? selected : 0)};
    case recurrence::mamba2: return {w + both + r.heads, 0, both, 3 * r.heads + (r.inner_norm ? w : 0)};
    case recurrence::gated_delta: return {both + w + 2 * r.heads, 0, both, 2 * r.heads + w / r.heads};
    case recurrence::key_gated_delta:
      return {both + r.heads + 2 * r.rank, checked_multiply(r.rank, keys + w), both, r.heads + keys + w / r.heads};
    case recurrence::lightning: return {both + w, 0, 0, w};
    case recurrence::rg_lru: return {2 * w, 2 * w * (w / r.heads), w, 3 * w};
    case recurrence::rwkv: return {3 * w + d_model, 0, 0, 2 * w + 5 * d_model};
    case recurrence::mlstm: return {both + w + 2 * r.heads, 0, 0, 2 * r.heads + w};
    case recurrence::short_convolution: break;
  }
  return {3 * w, 0, w, 0};
}

/// How many numbers the recurrent state of one layer holds for one sequence. RWKV keeps three per channel; mLSTM keeps,
/// for each head, a key and a maximum beside its matrix.
constexpr std::int64_t state_of(const recurrent_spec& r) {
  if (r.kind == recurrence::rwkv) return 3 * r.width;
  if (r.kind == recurrence::short_convolution) return 0;
  return r.width * r.key_dim + (r.kind == recurrence::mlstm ? r.key_heads * r.key_dim + r.heads : 0);
}

/// FLOPs of one layer for one token without its projections: two per weight of the convolution, and per number of the
/// state 8 for a delta rule (four products of key and value dimension, as MaxText and Megatron-LM count), 7 for Mamba
/// (Megatron-LM), otherwise 5: a decay, the addition of an outer product, and a product with the query.
constexpr flops core_flops(const recurrent_spec& r, std::int64_t d_model) {
  const bool delta = r.kind == recurrence::gated_delta || r.kind == recurrence::key_gated_delta;
  const double each = delta ? 8 : r.kind == recurrence::mamba || r.kind == recurrence::mamba2 ? 7 : 5;
  return flops{each * static_cast<double>(state_of(r)) +
               2 * static_cast<double>(r.kernel * widths_in(r, d_model).channels)};
}

constexpr void validate(const recurrent_spec& r, std::int64_t model_layers) {
  check_sizes("a size of model.recurrent", r.layers, r.idle_layers, r.width, r.heads, r.key_heads, r.key_dim, r.kernel,
              r.rank);
  check_part("model.recurrent.layers and idle_layers", r.layers + r.idle_layers, model_layers,
             "together at most the number of layers");
  const bool unset = r.width == 0;
  if (r.heads == 0 || r.key_heads == 0 || r.key_dim == 0 || (unset ? r.layers > 0 : r.width % r.heads != 0))
    fail(errc::not_divisible, "model.recurrent.width", r.width,
         "a multiple of its heads; key_heads and key_dim from 1 on");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
