#ifndef TPUPLAN_HANDBOOK_NETWORK_HPP
#define TPUPLAN_HANDBOOK_NETWORK_HPP

#include <cstdint>
#include <tpuplan/handbook/epochs.hpp>
#include <tpuplan/handbook/intensity.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/model/network.hpp>

/// @file
/// What padding to the MXU wastes in the layers of a network, and the batch above which they are limited by arithmetic.

namespace tpuplan {
inline namespace abi_0 {

/// Whether a product runs on the vector unit: only that of a depthwise convolution, which has one output per channel.
/// Worked: 9 x 1 weights per channel do, a dense layer's do not.
[[nodiscard]] constexpr bool on_vector_unit(const layer_product& product) noexcept {
  return product.kind == layer_kind::depthwise;
}

/// The useful share of the MXU's cells in a product of a layer: the product's weights over those that whole arrays hold
/// (in attention, the operand that stays in the array). Throws for a product that runs on the vector unit.
/// Worked: a classifier of 128 inputs and 10 outputs uses 10 / 128 = 7.8 % on v5e; the first convolution of ResNet-50
/// (7 x 7 x 3 = 147 inputs, 64 outputs) 28.7 %.
[[nodiscard]] constexpr double mxu_utilization(const layer_product& product, const chip_spec& chip) {
  if (on_vector_unit(product))
    detail::fail(errc::unsupported, "MXU utilization of", product.name.view(), "a layer that runs on the MXU");
  return padding(matrix_shape{product.inner, product.outer}, chip).flop_utilization;
}

/// What padding to the MXU wastes over all layers of a network.
struct network_padding {
  double flop_utilization = 1;  ///< multiply-adds of the products over those of the padded products
  double vector_share = 0;      ///< share of all multiply-adds that run on the vector unit
};

/// The padding of a network's products; products on the vector unit are counted apart. Worked: an MLP 784-128-10
/// uses 77.5 % on v5e: 784 is padded to 896 and 10 to 128.
[[nodiscard]] constexpr network_padding padding(const network& net, const chip_spec& chip) {
  double asked = 0, padded = 0, vector = 0;
  for_each_product(net, [&](const layer_product& product) {
    const double work = multiply_adds(product);
    if (on_vector_unit(product)) {
      vector += work;
    } else {
      asked += work;
      padded += work / mxu_utilization(product, chip);
    }
  });
  network_padding result;
  if (padded > 0) result.flop_utilization = asked / padded;
  if (asked + vector > 0) result.vector_share = vector / (asked + vector);
  return result;
}

/// Examples, not rounded, at which the forward arithmetic of a product takes as long as its traffic, where weights move
/// once for a batch and inputs and outputs for each example. Nothing where no batch suffices: the product does too
/// little for each number that it moves. Worked: 272.5 for a dense layer of 4096 x 4096 in bf16 on v5e, nothing for one
/// of 784 x 128.
[[nodiscard]] constexpr maybe<double> critical_examples(const layer_product& product, const chip_spec& chip,
                                                        const product_dtypes& types = {}) {
  const auto rows = static_cast<double>(detail::positive_count("layer_product.rows", product.rows));
  const auto inner = static_cast<double>(detail::positive_count("layer_product.inner", product.inner));
  const auto outer = static_cast<double>(detail::positive_count("layer_product.outer", product.outer));
  const growing_work work{size_of(types.weights) * (product.has_weights ? inner * outer : 1e-9),
                          flops{2 * rows * inner * outer},
                          size_of(types.activations) * (rows * inner) + size_of(types.output) * (rows * outer) +
                              size_of(types.activations) * (product.has_weights ? 0 : inner * outer)};
  return critical_count(chip, work, types.compute);
}

/// Examples, not rounded, at which the forward arithmetic of a whole network takes as long as its traffic: its weights
/// once, the input of each product, and its output. Nothing where no batch suffices, as for small MLPs: moving
/// their activations alone takes longer than their products.
/// Worked: nothing for an MLP 784-128-10 on v5e; 272.5 for one dense layer of 4096 x 4096.
[[nodiscard]] constexpr maybe<double> critical_examples(const network& net, const chip_spec& chip,
                                                        const product_dtypes& types = {}) {
  growing_work sum;
  for_each_layer(net, [&](const network_layer& layer, const layer_shape& shape) {
    const auto count = static_cast<double>(layer.count);
    const double in = static_cast<double>(shape.height) * static_cast<double>(shape.width) *
                      static_cast<double>(layer.kind == layer_kind::embedding ? 1 : shape.inputs);
    const double out = static_cast<double>(shape.out_height) * static_cast<double>(shape.out_width) *
                       static_cast<double>(shape.outputs);
    sum.once += size_of(types.weights) * (count * detail::weights_read(layer, shape));
    sum.bytes_per_element += size_of(types.activations) * (count * in) + size_of(types.output) * (count * out);
  });
  sum.flops_per_element = forward_flops_per_example(net);
  return critical_count(chip, sum, types.compute);
}

/// The product of a network that takes the most multiply-adds, and what a row of it is.
struct largest_product {
  layer_product product{};            ///< of all layers of its shape
  row_kind rows = row_kind::example;  ///< what one row of it is
};

/// The largest product. Worked: a row of it is an example in an MLP, a position of the image in ResNet-50, a patch in
/// ViT-B/16.
[[nodiscard]] constexpr largest_product largest_product_of(const network& net) {
  largest_product found;
  bool tokens = false;
  for_each_layer(net, [&](const network_layer& layer, const layer_shape& shape) {
    if (layer.kind == layer_kind::embedding && !layer.branch) tokens = true;
    for_each_product(layer, shape, [&](const layer_product& product) {
      if (!(multiply_adds(product) > multiply_adds(found.product)) || !product.has_weights) return;
      const bool of_image = product.kind == layer_kind::convolution || on_vector_unit(product);
      found.product = product;
      found.rows = product.rows == 1 ? row_kind::example
                   : tokens          ? row_kind::token
                   : of_image        ? row_kind::position
                                     : row_kind::patch;
    });
  });
  return found;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
