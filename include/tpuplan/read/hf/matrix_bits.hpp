#ifndef TPUPLAN_READ_HF_MATRIX_BITS_HPP
#define TPUPLAN_READ_HF_MATRIX_BITS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/base/text.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/layer_places.hpp>
#include <tpuplan/read/hf/module_names.hpp>
#include <vector>

/// @file
/// Bits of the matrices of a model, layer by layer, and their mean over each part. Sizes of matrices are from the
/// modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Places of matrices in a part, as many as there are bits: attention before recurrences, MLPs before shared experts.
inline constexpr std::size_t most_matrices = 21, first_of_recurrence = 9, first_shared = 3;
using matrix_sizes = std::array<double, most_matrices>;

/// The place of a matrix that a bit stands for.
constexpr std::size_t bit_place(std::uint32_t which) {
  std::size_t place = 0;
  while (which >> place > 1) ++place;
  return place;
}

/// Weights of the matrices of one layer with attention.
inline void put_attention(const transformer& model, matrix_sizes& sizes) {
  using m = matrices_of;
  const attention_spec& a = model.attention;
  const latent_attention_spec& l = a.latent;
  const auto put = [&](std::uint32_t which, std::int64_t in, std::int64_t out) {
    sizes[bit_place(which)] += static_cast<double>(in) * static_cast<double>(out);
  };
  const std::int64_t d = model.d_model, rank = l.q_lora_rank, latent = l.kv_lora_rank;
  const bool is_latent = has_latent_attention(model);
  const std::int64_t key = is_latent ? l.qk_nope_head_dim + l.qk_rope_head_dim : a.head_dim;
  const std::int64_t value = is_latent ? l.v_head_dim : value_width(model);
  if (rank > 0)
    put(m::query_down, d, rank), put(m::query_up, rank, a.heads * key);
  else
    put(m::query, d, a.heads * key);
  if (is_latent) {
    put(m::latent_down, d, latent + l.qk_rope_head_dim);
    put(m::latent_up, latent, a.heads * (l.qk_nope_head_dim + value));
  } else {
    put(m::key, d, a.kv_heads * key), put(m::value, d, a.single_kv ? 0 : a.kv_heads * value);
  }
  if (a.output_rank > 0)
    put(m::out, a.output_rank, a.heads * value + a.output_groups * d);
  else
    put(m::out, a.heads * value, d);
  const bool in_queries = model.recurrent.kind == recurrence::gated_delta && has_recurrence(model);  // of Qwen3-Next
  if (a.output_gate) put(in_queries ? m::query : m::output_gate, d, a.heads * key);
}

/// Weights of the matrices of one recurrent layer.
inline void put_recurrence(const transformer& model, matrix_sizes& sizes) {
  using m = matrices_of;
  const recurrent_spec& r = model.recurrent;
  const auto put = [&](std::uint32_t which, std::int64_t in, std::int64_t out) {
    sizes[first_of_recurrence + bit_place(which)] += static_cast<double>(in) * static_cast<double>(out);
  };
  const std::int64_t d = model.d_model, w = r.width, keys = r.key_heads * r.key_dim, n = r.key_dim;
  put(r.kind == recurrence::key_gated_delta ? m::o_proj : m::out_proj, w, d);
  const auto put_heads = [&](std::int64_t of_keys) {
    put(m::in_query, d, of_keys), put(m::in_key, d, of_keys), put(m::in_value, d, w);
  };
  switch (r.kind) {
    case recurrence::mamba:
      return put(m::all_in, d, 2 * w), put(m::inner, w, r.rank + 2 * n), put(m::decay_up, r.rank, w);
    case recurrence::mamba2: return put(m::all_in, d, 2 * w + 2 * keys + r.heads);
    case recurrence::key_gated_delta:
      put(m::gate_up, r.rank, w), put(m::decay_up, r.rank, keys), put(m::step, d, r.heads);
      return put_heads(keys), put(m::in_gate, d, r.rank), put(m::decay, d, r.rank);
    case recurrence::gated_delta:
    case recurrence::mlstm: put(m::decay, d, r.heads), put(m::step, d, r.heads); [[fallthrough]];
    case recurrence::lightning: return put_heads(keys), put(m::in_gate, d, w);
    case recurrence::rg_lru: return put(m::in_value, d, w), put(m::in_gate, d, w), put(m::inner, 2 * w, w / r.heads);
    case recurrence::rwkv: return put_heads(w), put(m::inner, d, d);
    case recurrence::short_convolution: break;
  }
  put(m::all_in, d, 3 * w);
}

/// Whether recurrences have the name of attention in the names of their modules.
inline bool recurs_as_attention(const transformer& model) {
  const recurrence kind = model.recurrent.kind;
  return kind == recurrence::key_gated_delta || kind == recurrence::lightning || kind == recurrence::rwkv ||
         kind == recurrence::rg_lru;
}

/// Weights of the matrices of a part, were a layer to have all of it once; of MLPs and experts in units of the width of
/// the model. A matrix that the part does not have has none.
inline matrix_sizes sizes_of_part(const transformer& model, model_part part) {
  matrix_sizes sizes{};
  if (part == model_part::attention) {
    put_attention(model, sizes);
    if (has_recurrence(model)) put_recurrence(model, sizes);
    return sizes;
  }
  const auto put = [&](std::size_t first, std::int64_t width) {
    sizes[first] = model.mlp.gated ? static_cast<double>(width) : 0;
    sizes[first + 1] = sizes[first + 2] = static_cast<double>(width);
  };
  put(0, part == model_part::mlp ? model.mlp.d_ff : model.moe.expert_d_ff);
  if (part == model_part::mlp) put(first_shared, model.moe.shared_d_ff);
  return sizes;
}

/// Of the same, the weights of one layer.
inline matrix_sizes sizes_in_layer(const transformer& model, model_part part, const layer_parts& has) {
  matrix_sizes sizes = sizes_of_part(model, part);
  const auto beside = part == model_part::mlp ? static_cast<double>(model.moe.parallel_dense_d_ff) * has.sparse : 0;
  const std::size_t second = part == model_part::attention ? first_of_recurrence : first_shared;
  const double first_times = part == model_part::attention ? has.attention
                             : part == model_part::mlp     ? has.dense
                                                           : has.sparse;
  const double second_times = part == model_part::attention ? has.recurrence : has.sparse;
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] *= i < second ? first_times : second_times;
  for (std::size_t i = model.mlp.gated ? 0 : 1; i < first_shared; ++i) sizes[i] += beside;
  return sizes;
}

/// The matrices of a part that a name stands for, a bit for each place.
inline std::uint32_t places_named(const transformer& model, model_part part, const named_modules& named) {
  const std::uint32_t own = named.parts[static_cast<std::size_t>(part)];
  if (part == model_part::experts) return own;
  if (part == model_part::mlp) return (own & 7) | (named.shared & 7) << first_shared;
  const bool is_other_kind = (named.as_attention && !recurs_as_attention(model)) ||
                             (named.as_convolution && model.recurrent.kind != recurrence::short_convolution);
  return own | (is_other_kind ? 0 : named.recurrence << first_of_recurrence);
}

/// Layers that are told apart by name: of a deeper model, which is not published, the others are as these.
inline constexpr std::int64_t most_named_layers = 4096;

/// Bits of each matrix of a part in each layer.
class matrix_bits {
 public:
  matrix_bits(const transformer& model, model_part part, double usual, const layer_places& places = {})
      : model_{&model},
        places_{places},
        part_{part},
        usual_{usual},
        bits_(static_cast<std::size_t>(std::clamp<std::int64_t>(model.layers, 0, most_named_layers))) {
    for (auto& layer : bits_) layer.fill(usual);
  }
  /// Whether the model, or a module of it that predicts further tokens, has a layer of that name.
  [[nodiscard]] bool has_layer(const named_modules& named) const {
    if (named.layer.empty() || named.is_layer_prefix) return true;
    const std::int64_t layer = parse_count(named.layer);
    return layer >= 0 && layer < model_->layers + model_->encoder_layers + model_->prediction_layers;
  }
  /// Gives the matrices that a name stands for that many bits.
  void set(const named_modules& named, double bits) {
    const std::uint32_t matrices = places_named(*model_, part_, named);
    if (matrices == 0) return;
    const bool is_one = !named.layer.empty() && !named.is_layer_prefix;
    const std::int64_t only = is_one ? parse_count(named.layer) : 0;
    if (only < 0) return;  // of more digits than any layer has
    for (auto layer = static_cast<std::size_t>(only); layer < bits_.size(); ++layer) {
      if (named.is_layer_prefix && std::to_string(layer).compare(0, named.layer.size(), named.layer) != 0) continue;
      for (std::size_t i = 0; i < most_matrices; ++i)
        if ((matrices >> i & 1) != 0) bits_[layer][i] = bits;
      if (is_one) return;
    }
  }
  /// The mean over all weights of the part; 0 where all have the usual format, or there are none.
  [[nodiscard]] double mean() const {
    double sum = 0, weights = 0;
    bool is_usual = true;
    for (std::size_t layer = 0; layer < bits_.size(); ++layer) {
      const layer_parts has = parts_of_layer(*model_, places_, static_cast<std::int64_t>(layer));
      const matrix_sizes sizes = sizes_in_layer(*model_, part_, has);
      for (std::size_t i = 0; i < most_matrices; ++i) {
        const double own = bits_[layer][i], count = sizes[i];
        sum += own * count, weights += count;
        is_usual = is_usual && (count == 0 || own == usual_);
      }
    }
    return is_usual || weights == 0 ? 0 : sum / weights;
  }

 private:
  const transformer* model_;
  layer_places places_;
  model_part part_;
  double usual_;
  std::vector<matrix_sizes> bits_;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
