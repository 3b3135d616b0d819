#ifndef TPUPLAN_HANDBOOK_PADDING_HPP
#define TPUPLAN_HANDBOOK_PADDING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// Padding to the side of the MXU and to the tiles in which arrays lie in memory, and what it wastes.

namespace tpuplan {
inline namespace abi_0 {

/// The tile in which the last two dimensions of an array are laid out: sublanes x lanes.
struct tile {
  std::int64_t sublanes = 0;  ///< rows, of the last dimension but one
  std::int64_t lanes = 0;     ///< columns, of the last dimension
};

/// The tile in which XLA lays a format out by default. A tile of a 32-bit type has the rows of a vector register; 8-bit
/// types have four times and 4-bit types eight times as many rows. 16-bit types have twice as many from tpu7x on, and
/// as many as 32-bit types before. The flag xla_tpu_enable_large_2nd_minor_layout_for_x16 changes that: set the chip's
/// `tiling.large_tiles_of_16_bits`.
/// Worked: bf16 has 8 x 128 on v5e, 16 x 128 on tpu7x and 32 x 128 on tpu8t; int8 has 32 x 128 on v5e.
/// Source: jax-ml/jax, tpu_info.py, get_sublane_tiling (2026-08-08).
[[nodiscard]] constexpr tile layout_tile(const chip_spec& chip, dtype type) {
  const std::int64_t sublanes = detail::positive_count("chip.tiling.sublanes", chip.tiling.sublanes);
  const bool halved = bits(type) == 16 && !chip.tiling.large_tiles_of_16_bits;
  return {checked_multiply(sublanes, halved ? 1 : 32 / bits(type)),
          detail::positive_count("chip.tiling.lanes", chip.tiling.lanes)};
}

/// Bytes of one layout tile. Worked: 4096 of int8 on v5e, 2048 of bf16; 4096 of both on tpu7x.
[[nodiscard]] constexpr bytes tile_bytes(const chip_spec& chip, dtype type) {
  const tile unit = layout_tile(chip, type);
  return size_of(type) * static_cast<double>(checked_multiply(unit.sublanes, unit.lanes));
}

/// Bytes of one vector register: its rows and columns of 32-bit words.
/// Worked: 4096, so the 64 registers of a v5p TensorCore hold 262144 B. Source: scaling book, "TPUs" (2025-12-15).
[[nodiscard]] constexpr bytes vector_register_bytes(const chip_spec& chip) { return tile_bytes(chip, dtype::fp32); }

/// The shape of a weight matrix: rows are inputs (contracted), columns are outputs.
struct matrix_shape {
  std::int64_t rows = 0;     ///< inputs
  std::int64_t columns = 0;  ///< outputs
};

/// What padding a matrix costs.
struct padding_cost {
  matrix_shape shape{};         ///< as asked for
  matrix_shape padded{};        ///< to the side of the MXU in both dimensions
  double flop_utilization = 1;  ///< useful share of the MXU's cells
  bytes stored{};               ///< as laid out in tiles
  bytes stored_waste{};         ///< the part that is padding
};

/// Both dimensions rounded up to the side of the chip's MXU. Worked: 100 x 300 becomes 128 x 384 on v5e.
[[nodiscard]] constexpr matrix_shape padded_to_mxu(matrix_shape shape, const chip_spec& chip) {
  const std::int64_t side = detail::positive_count("chip.mxu.side", chip.mxu.side);
  return {round_up(detail::positive_count("rows", shape.rows), side),
          round_up(detail::positive_count("columns", shape.columns), side)};
}

/// Bytes of a matrix as it lies in memory: both dimensions rounded up to the layout tile of its format.
/// Worked: 8 x 1024 in bf16 takes 16384 B on v5e and 32768 B on tpu7x; 100 x 300 lies in 104 x 384 on v5e: 79872 B.
[[nodiscard]] constexpr bytes tiled_bytes(matrix_shape shape, const chip_spec& chip, dtype type) {
  const tile unit = layout_tile(chip, type);
  return size_of(type) *
         static_cast<double>(checked_multiply(round_up(detail::positive_count("rows", shape.rows), unit.sublanes),
                                              round_up(detail::positive_count("columns", shape.columns), unit.lanes)));
}

/// What padding wastes in FLOPs (on the MXU) and in bytes (in memory) for one weight matrix.
/// Worked: 100 x 300 on v5e uses 61 % of the cells, on v6e (256 x 512) 23 %.
[[nodiscard]] constexpr padding_cost padding(matrix_shape shape, const chip_spec& chip, dtype type = dtype::bf16) {
  padding_cost cost{shape, padded_to_mxu(shape, chip), 1, tiled_bytes(shape, chip, type), bytes{}};
  const auto elements = static_cast<double>(checked_multiply(shape.rows, shape.columns));
  cost.flop_utilization = elements / static_cast<double>(checked_multiply(cost.padded.rows, cost.padded.columns));
  cost.stored_waste = cost.stored - size_of(type) * elements;
  return cost;
}

/// A kind of weight matrix of a model, how often it occurs, and how many of those multiply each token.
struct weight_matrix {
  text<24> name{};                  ///< "query", "expert up"
  matrix_shape shape{};             ///< of one such matrix
  std::int64_t count = 0;           ///< such matrices in the model
  std::int64_t used_per_token = 0;  ///< of those, the ones that multiply a token
};

/// At most 24 kinds of weight matrices.
struct weight_matrices {
  std::array<weight_matrix, 24> items{};  ///< the first `size` are set
  std::size_t size = 0;                   ///< kinds

  /// @{
  /// The kinds as a range.
  [[nodiscard]] constexpr const weight_matrix* begin() const noexcept { return items.data(); }
  [[nodiscard]] constexpr const weight_matrix* end() const noexcept { return items.data() + size; }
  /// @}
};

namespace detail {

constexpr void add_matrix(weight_matrices& list, std::string_view name, std::int64_t rows, std::int64_t columns,
                          std::int64_t count, std::int64_t used) {
  if (rows > 0 && columns > 0 && count > 0) list.items[list.size++] = {name, {rows, columns}, count, used};
}

/// Layers of the encoder of an encoder-decoder.
constexpr std::int64_t encoder_layers(const transformer& model) noexcept {
  return model.kind == architecture::encoder_decoder ? model.encoder_layers : 0;
}

/// Adds the matrices of an MLP: up and down. The gate of a gated MLP counts as a second matrix up.
constexpr void add_mlp(weight_matrices& list, const transformer& model, std::string_view up, std::string_view down,
                       std::int64_t d_ff, std::int64_t layers) {
  const std::int64_t ups = (model.mlp.gated ? 2 : 1) * layers;
  add_matrix(list, up, model.d_model, d_ff, ups, ups);
  add_matrix(list, down, d_ff, model.d_model, layers, layers);
}

constexpr void add_attention_matrices(const transformer& model, weight_matrices& list) {
  const attention_spec& attention = model.attention;
  const std::int64_t d = model.d_model;
  const std::int64_t encoders =
      encoder_layers(model);  // cross-attention is in every layer of a decoder with an encoder
  const std::int64_t n = (encoders > 0 ? 2 : 1) * attention_layers(model) + encoders;
  if (has_latent_attention(model)) {
    const latent_attention_spec& latent = attention.latent;
    const std::int64_t q = attention.heads * (latent.qk_nope_head_dim + latent.qk_rope_head_dim);
    if (latent.q_lora_rank > 0) {
      add_matrix(list, "query down", d, latent.q_lora_rank, n, n);
      add_matrix(list, "query up", latent.q_lora_rank, q, n, n);
    } else {
      add_matrix(list, "query", d, q, n, n);
    }
    add_matrix(list, "key and value down", d, latent.kv_lora_rank + latent.qk_rope_head_dim, n, n);
    add_matrix(list, "key and value up", latent.kv_lora_rank,
               attention.heads * (latent.qk_nope_head_dim + latent.v_head_dim), n, n);
    add_matrix(list, "attention output", attention.heads * latent.v_head_dim, d, n, n);
    const indexer_spec& indexer = attention.indexer;
    const std::int64_t indexed = indexer_layers(model);
    add_matrix(list, "index query", latent.q_lora_rank, indexer.heads * indexer.head_dim, indexed, indexed);
    add_matrix(list, "index key and weights", d, indexer.head_dim + indexer.heads, indexed, indexed);
    return;
  }
  const std::int64_t queries = attention.heads * attention.head_dim, rank = attention.latent.q_lora_rank;
  if (rank > 0) add_matrix(list, "query down", d, rank, n, n);
  add_matrix(list, rank > 0 ? "query up" : "query", rank > 0 ? rank : d, queries, n, n);
  const std::int64_t own = n - attention.kv_shared_layers;  // others read the keys and values of an earlier layer
  add_matrix(list, "key", d, attention.kv_heads * attention.head_dim, own, own);
  if (!attention.single_kv) add_matrix(list, "value", d, attention.kv_heads * value_width(model), own, own);
  if (attention.output_gate) add_matrix(list, "attention gate", d, queries, n, n);
  const std::int64_t values = attention.heads * value_width(model), groups = attention.output_groups;
  if (attention.output_rank == 0) return add_matrix(list, "attention output", values, d, n, n);
  add_matrix(list, "attention output down", groups > 0 ? values / groups : 0, attention.output_rank, n * groups,
             n * groups);
  add_matrix(list, "attention output up", attention.output_rank * groups, d, n, n);
}

}  // namespace detail

/// The kinds of weight matrices in the text stack of a model, an encoder and cross-attention included. Layers with
/// other head sizes are listed with the usual size.
/// Worked: llama-3-8b has seven kinds in its layers and the output head.
[[nodiscard]] constexpr weight_matrices matrices_of(const transformer& model) {
  validate(model);
  weight_matrices list;
  if (!has_text(model)) return list;
  const std::int64_t d = model.d_model;
  const std::int64_t sparse = moe_layers(model);
  const moe_spec& moe = model.moe;
  const std::int64_t dense = dense_layers(model);
  const std::int64_t wide = model.mlp.double_wide_in_shared ? model.attention.kv_shared_layers : 0;
  const std::int64_t usual = dense - wide + detail::encoder_layers(model);
  detail::add_attention_matrices(model, list);
  const std::int64_t recurrent = model.recurrent.layers;
  detail::add_matrix(list, "recurrence in", d, detail::widths_in(model.recurrent, d).in, recurrent, recurrent);
  detail::add_matrix(list, "recurrence out", model.recurrent.width, d, recurrent, recurrent);
  if (model.mlp.gated) detail::add_matrix(list, "MLP gate", d, model.mlp.d_ff, usual, usual);
  detail::add_matrix(list, "MLP up", d, model.mlp.d_ff, usual, usual);
  detail::add_matrix(list, "MLP down", model.mlp.d_ff, d, usual, usual);
  detail::add_mlp(list, model, "wide MLP up", "wide MLP down", 2 * model.mlp.d_ff, wide);
  detail::add_matrix(list, "router", d, router_width(model), sparse, sparse);
  const std::int64_t up = (model.mlp.gated ? 2 : 1) * sparse;
  detail::add_matrix(list, "expert up", d, moe.expert_d_ff, up * moe.experts, up * moe.top_k);
  detail::add_matrix(list, "expert down", moe.expert_d_ff, d, sparse * moe.experts, sparse * moe.top_k);
  detail::add_mlp(list, model, "shared expert up", "shared expert down", moe.shared_d_ff, sparse);
  detail::add_mlp(list, model, "parallel MLP up", "parallel MLP down", moe.parallel_dense_d_ff, sparse);
  const std::int64_t width = table_width(model);
  if (model.head_transform) detail::add_matrix(list, "head transform", d, width, 1, 1);
  const bool head = model.head_transform || (model.output_head && model.kind != architecture::encoder);
  if (head) detail::add_matrix(list, "output head", width, model.vocab, 1, 1);
  return list;
}

/// What padding wastes over all weight matrices of a model: useful share of the FLOPs of one token, and stored bytes.
struct model_padding {
  double flop_utilization = 1;  ///< useful share of the MXU's cells
  bytes stored{};               ///< as laid out in tiles
  bytes stored_waste{};         ///< the part that is padding
};

/// Padding summed over `matrices_of` a model. Worked: gpt2 (768 wide, vocabulary 50257) uses 99.97 % on v5e.
[[nodiscard]] constexpr model_padding padding(const transformer& model, const chip_spec& chip,
                                              dtype type = dtype::bf16) {
  model_padding sum;
  double useful = 0;
  double spent = 0;
  for (const weight_matrix& matrix : matrices_of(model)) {
    const padding_cost one = padding(matrix.shape, chip, type);
    const auto used = static_cast<double>(matrix.used_per_token);
    useful += used * static_cast<double>(matrix.shape.rows) * static_cast<double>(matrix.shape.columns);
    spent += used * static_cast<double>(one.padded.rows) * static_cast<double>(one.padded.columns);
    sum.stored += one.stored * static_cast<double>(matrix.count);
    sum.stored_waste += one.stored_waste * static_cast<double>(matrix.count);
  }
  if (spent > 0) sum.flop_utilization = useful / spent;
  return sum;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
