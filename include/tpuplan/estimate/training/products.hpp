#ifndef TPUPLAN_ESTIMATE_TRAINING_PRODUCTS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_PRODUCTS_HPP

#include <array>
#include <cstdint>
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/estimate/training/sizes.hpp>
#include <tpuplan/model/flops.hpp>

/// @file
/// The products of a step on one chip, and how often a remat policy computes each of them.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The factor over the time of a tuned recipe for software of that level; 1 where nobody says it.
constexpr double software_factor(software_level level, const calibration& constants) noexcept {
  const double slower = level == software_level::general      ? constants.general_software
                        : level == software_level::first_port ? constants.first_port
                                                              : 1;
  return slower * constants.own_factor;
}

/// 1 where a product is computed again in the backward pass.
constexpr double again(placement where) noexcept { return where == placement::recompute ? 1 : 0; }

/// How many of the three kinds of products (qkv, out_proj, mlp_up) are computed again.
constexpr double products_again(const remat_policy& policy) noexcept {
  return again(policy.qkv) + again(policy.out_proj) + again(policy.mlp_up);
}

/// FLOPs of the attention core per token, with keys in the kernel's blocks: half a block more than the causal half, one
/// block more than a window. The heads of a fused kernel fill the side of the MXU, and the softmax of a score takes as
/// long as products of `softmax_width` more. An unfused kernel computes all keys, of heads padded to 128 lanes.
constexpr double padded_attention(const transformer& model, const training_job& job, const chip_spec& chip,
                                  const calibration& constants) {
  const bool fills = constants.heads_fill_mxu && job.attention != attention_kernel::unfused;
  const std::int64_t side = fills ? positive_count("chip.mxu.side", chip.mxu.side) : 128;
  const double softmax = fills ? constants.softmax_width : 0;
  const auto padded = [=](std::int64_t head) { return static_cast<double>(round_up(head, side)) + softmax; };
  const double block = constants.attention_block;
  const attention_spec& attention = model.attention;
  const auto length = static_cast<double>(job.sequence_length);
  const bool unfused = job.attention == attention_kernel::unfused;
  const bool whole = model.kind == architecture::encoder || unfused;
  const double all = whole ? length : (length + (block < length ? block : length)) / 2;
  const double seen = unfused ? all : static_cast<double>(attention.window) + block;
  const double local = seen < all ? seen : all;
  const auto layers = static_cast<double>(attention_layers(model));
  const auto local_layers = static_cast<double>(attention.local_layers);
  const auto heads = static_cast<double>(attention.heads);
  if (has_two_stacks(model)) {
    const auto source = static_cast<double>(source_length(model, job));
    const double encoder = static_cast<double>(model.encoder_layers) * (source / length) * source;
    return 2 * 2 * heads * padded(attention.head_dim) * (encoder + layers * (all + source));
  }
  if (has_latent_attention(model)) {
    const std::int64_t keys = attention.latent.qk_nope_head_dim + attention.latent.qk_rope_head_dim;
    const auto sizes = static_cast<double>(keys + attention.latent.v_head_dim);
    const double width = constants.latent_values_padded ? sizes * (padded(keys) / static_cast<double>(keys))
                                                        : padded(keys) + padded(attention.latent.v_head_dim);
    const double chosen = attention.indexer.heads > 0 ? chosen_keys(model, length, maxtext_flops) + block / 2 : all;
    return 2 * layers * heads * (chosen < all ? chosen : all) * width + beside_scores(model, length, all).value();
  }
  const std::int64_t head = attention.head_dim, wide = attention.global_head_dim > 0 ? attention.global_head_dim : head;
  const std::int64_t value = attention.value_dim;
  const double local_widths = padded(head) + padded(value > 0 ? value : head);
  const double global_widths = padded(wide) + padded(value > 0 ? value : wide);
  const auto crossing = static_cast<double>(attention.cross_layers);  // which see images, not the text
  const auto pictured = static_cast<double>(checked_multiply(model.vision.tokens_per_image, job.images_per_sequence));
  return 2 * heads *
             (local_layers * local * local_widths +
              ((layers - local_layers - crossing) * all + crossing * pictured) * global_widths) +
         beside_scores(model, length, all).value();
}

/// Passes of the attention core in units of its forward pass, at the rate of products, which is `mxu` of the peak. The
/// fused kernel takes 3.5, because the backward pass computes the scores a second time; a tuned one runs at the peak.
/// Unfused products take 3, and more for what was not kept: the scores, and their product with the values where its
/// result is needed.
constexpr double attention_passes(const training_job& job, double mxu, const calibration& constants) {
  const remat_policy& policy = job.remat;
  if (job.attention != attention_kernel::unfused) {
    const double slower = job.attention == attention_kernel::tuned ? 1 : constants.attention_slowdown;
    return slower * (constants.heads_fill_mxu ? mxu : 1) * (policy.attention_again ? 4.5 : 3.5);
  }
  return 3 + again(policy.elementwise) * (1 + again(policy.context)) / 2;
}

/// A product of a layer: FLOPs per token of its forward pass, and its contracted and outer dimensions on one device
/// after tensor parallelism, as they are and over what the MXU fills.
struct product_on_device {
  double work = 0;
  double inner_filled = 1, outer_filled = 1;  // dimensions padded to the side of the MXU, over those asked for
  double moved = 0;                           // 1 / inner + 1 / outer
  double per_row = 0;  // FLOPs of its weights for one row; `work`, unless a token has more or fewer rows than one
};

constexpr product_on_device on_device(flops work, double inner, double outer, const chip_spec& chip,
                                      const calibration& constants) {
  product_on_device product{work.value(), 1, 1, 0, work.value()};
  if (inner <= 0 || outer <= 0) return product;
  product.moved = 1 / inner + 1 / outer;
  if (!constants.products_padded) return product;
  const std::int64_t side = positive_count("chip.mxu.side", chip.mxu.side);
  product.inner_filled = static_cast<double>(round_up(ceil_to_count(inner), side)) / inner;
  product.outer_filled = static_cast<double>(round_up(ceil_to_count(outer), side)) / outer;
  return product;
}

/// Two products as one: their work adds up, and what each fills and moves counts by its work.
constexpr product_on_device joined(const product_on_device& a, const product_on_device& b) noexcept {
  const double work = a.work + b.work, of_a = work > 0 ? a.work / work : 0, of_b = work > 0 ? b.work / work : 0;
  return {work, of_a * (a.inner_filled * a.outer_filled) + of_b * (b.inner_filled * b.outer_filled), 1,
          of_a * a.moved + of_b * b.moved, a.per_row + b.per_row};
}

/// FLOPs of that many passes of a product, with both dimensions padded.
constexpr double filled_work(const product_on_device& product, double passes) noexcept {
  return product.work * passes * product.inner_filled * product.outer_filled;
}

/// The products of a model on one chip under one tensor degree, which remat policies compute more or less often: dense
/// ones of all layers, with MLP widths averaged over the layers that have an MLP, those of adapters, of experts, and of
/// the output head. `attention` are FLOPs of the attention core.
struct products_on_device {
  product_on_device qkv{}, output{}, mlp_up{}, mlp_down{}, adapters{};
  product_on_device experts_up{}, experts_down{}, logits{};
  double attention = 0;
};

/// Those of an encoder and a decoder. Products that differ in shape, or in the rows that a token of the target has, are
/// joined by what they do in their layer.
constexpr products_on_device products_of_pair(const training_sizes& sizes, const transformer& model,
                                              const training_job& job, const chip_spec& chip, double tensor,
                                              const calibration& constants) {
  const stack_weights one = stack_weights_of(model);
  const auto d = static_cast<double>(model.d_model), before = static_cast<double>(model.encoder_layers);
  const auto after = static_cast<double>(model.layers), head = static_cast<double>(model.attention.head_dim) / tensor;
  const double queries = head * static_cast<double>(model.attention.heads);
  const double keys = 2 * head * static_cast<double>(model.attention.kv_heads);
  const double mlp = static_cast<double>(model.mlp.d_ff) / tensor;
  // Of weights that the target meets and of weights that the source meets.
  const auto product = [&](double target, double source, double inner, double outer) {
    product_on_device p = on_device(flops{2 * (target + sizes.source * source)}, inner, outer, chip, constants);
    p.per_row = 2 * (target + source);
    return p;
  };
  const double self = one.queries + one.keys;
  products_on_device all;
  all.qkv = joined(
      joined(product(after * self, before * self, d, queries + keys), product(after * one.queries, 0, d, queries)),
      joined(product(0, after * one.keys, d, keys),
             product(beside_layers(model), static_cast<double>(model.encoder_stem), d, d)));
  all.output = product(2 * after * one.output, before * one.output, queries, d);
  all.mlp_up = product(after * one.up, before * one.up, d, mlp);
  all.mlp_down = product(after * one.down, before * one.down, mlp, d);
  all.adapters = on_device(sizes.adapters, static_cast<double>(job.lora_rank), d, chip, constants);
  if (job.lora_rank > 0) all.adapters.per_row = 2 * sizes.held.trained;
  all.logits = on_device(sizes.work.logits, d, static_cast<double>(model.vocab) / tensor, chip, constants);
  all.attention = padded_attention(model, job, chip, constants);
  return all;
}

constexpr products_on_device products_of(const training_sizes& sizes, const transformer& model, const training_job& job,
                                         const chip_spec& chip, double tensor, const calibration& constants) {
  const forward_flops& f = sizes.work;
  const layer_widths& w = sizes.width;
  const auto d = static_cast<double>(model.d_model);
  const auto product = [&](flops work, double inner, double outer) {
    return on_device(work, inner, outer, chip, constants);
  };
  if (sizes.source > 0) return products_of_pair(sizes, model, job, chip, tensor, constants);
  const bool beside_experts = model.moe.shared_d_ff > 0 || model.moe.parallel_dense_d_ff > 0;
  const std::int64_t layers = beside_experts ? model.layers - model.mlp.absent : dense_layers(model);
  const double matrices = (model.mlp.gated ? 3 : 2) * d * static_cast<double>(layers > 0 ? layers : 1);
  const double mlp = static_cast<double>(dense_mlp_matrices(model)) / matrices / tensor;
  const double expert = static_cast<double>(model.moe.expert_d_ff) / tensor;
  return {product(f.qkv, d, w.qkv / tensor),
          product(f.attention_output, w.context / tensor, d),
          product(f.mlp_up, d, mlp),
          product(f.mlp_down, mlp, d),
          product(sizes.adapters, static_cast<double>(job.lora_rank), d),
          product(f.experts_up, d, expert),
          product(f.experts_down, d, expert),
          product(f.logits, d, static_cast<double>(model.vocab) / tensor),
          padded_attention(model, job, chip, constants)};
}

/// A dense product and how often a step computes it.
struct product_passes {
  const product_on_device* product = nullptr;
  double passes = 0;
};

/// The dense products under a remat policy. Adapters are always trained.
constexpr std::array<product_passes, 5> dense_passes(const products_on_device& products, double passes,
                                                     const remat_policy& policy) noexcept {
  return {{{&products.qkv, passes + again(policy.qkv)},
           {&products.output, passes + again(policy.out_proj)},
           {&products.mlp_up, passes + again(policy.mlp_up)},
           {&products.mlp_down, passes},
           {&products.adapters, 3.0 + (products_again(policy) > 0 ? 1 : 0)}}};
}

/// Passes of the vision tower that model FLOPs count. It has no adapters: a frozen tower runs only forward.
constexpr double tower_passes(const training_sizes& sizes) noexcept { return sizes.held.frozen > 0 ? 1 : 3; }
/// Passes that it takes: of a trained tower only the inputs of its layers are kept, so each runs forward twice.
constexpr double tower_passes_taken(const training_sizes& sizes) noexcept { return sizes.held.frozen > 0 ? 1 : 4; }

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
