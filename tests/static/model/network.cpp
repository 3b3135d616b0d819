// The worked numbers in the comments of model/network.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <tpuplan/model/network.hpp>

#include "support/networks.hpp"

using namespace tpuplan;

namespace static_model_network_tests {

namespace {

constexpr network small = mlp(784, {128, 10});
static_assert(parameters(small).trained == 101770 && parameters(small).total == 101770);
static_assert(parameters(small).products == 784 * 128 + 128 * 10 && parameters(small).others == 138);
static_assert(parameters(mlp(512, {1024, 512, 256, 10})).trained == 1184010);
static_assert(forward_flops_per_example(small).value() == 2 * (784 * 128 + 128 * 10));
static_assert(training_flops_per_example(small) == 3 * forward_flops_per_example(small));
static_assert(saved_numbers_per_example(small) == 784 + 128 + 10);

// A 3 x 3 convolution of 8 channels to 16 on 6 x 6, in two groups, with batch norm: counted on paper.
constexpr network grouped() {
  network net;
  net.height = net.width = 6, net.channels = 8;
  network_layer one = convolution(16, 3, 2);
  one.groups = 2;
  one.norm = norm_kind::batch;
  net.layers.add(one);
  return net;
}
static_assert(parameters(grouped()).products == 3 * 3 * 4 * 16);
static_assert(parameters(grouped()).others == 2 * 16 && parameters(grouped()).statistics == 2 * 16);
static_assert(forward_flops_per_example(grouped()).value() == 2 * 9 * 9 * 4 * 16);  // 3 x 3 positions go out

constexpr layer_shape shape_of_first(network_layer layer, std::int64_t side, std::int64_t channels) {
  network net;
  net.height = net.width = side, net.channels = channels;
  net.layers.add(layer);
  layer_shape found;
  for_each_layer(net, [&found](const network_layer&, const layer_shape& shape) { found = shape; });
  return found;
}
constexpr network_layer padded(network_layer layer, std::int64_t padding) { return layer.padding = padding, layer; }
static_assert(shape_of_first(convolution(4, 7, 2), 224, 3).out_height == 112);             // same
static_assert(shape_of_first(padded(convolution(4, 7, 2), 3), 224, 3).out_width == 112);   // (224 + 6 - 7) / 2 + 1
static_assert(shape_of_first(padded(convolution(4, 7, 2), 0), 224, 3).out_height == 109);  // valid
constexpr network_layer pool(std::int64_t kernel, std::int64_t stride) {
  network_layer layer;
  layer.kind = layer_kind::pooling, layer.kernel = kernel, layer.stride = stride;
  return layer;
}
static_assert(shape_of_first(pool(0, 1), 7, 5).out_height == 1 && shape_of_first(pool(0, 1), 7, 5).outputs == 5);
static_assert(shape_of_first(pool(2, 2), 7, 5).out_height == 4);

// Attention of 2 heads over 3 positions of 4 channels: four projections with biases, scores and values of each head.
constexpr network attended() {
  network net;
  net.height = 3, net.channels = 4;
  network_layer layer;
  layer.kind = layer_kind::attention, layer.heads = 2, layer.norm = norm_kind::layer;
  net.layers.add(layer);
  return net;
}
static_assert(parameters(attended()).products == 4 * 4 * 4 && parameters(attended()).others == 4 * 4 + 2 * 4);
static_assert(forward_flops_per_example(attended()).value() == 2 * (3 * 4 * 12 + 2 * (3 * 2 * 3) * 2 + 3 * 4 * 4));
static_assert(saved_numbers_per_example(attended()) == 12 + 6 * 12 + 2 * 9);

// A branch does not feed what follows it.
constexpr network branched() {
  network net = mlp(8, {4});
  net.layers.items[0].branch = true;
  network_layer next;
  next.outputs = 2;
  net.layers.add(next);
  return net;
}
static_assert(parameters(branched()).products == 8 * 4 + 8 * 2);

static_assert(name(layer_kind::depthwise) == "depthwise" && name(norm_kind::rms) == "rms");
static_assert(name(activation_kind::smooth) == "smooth");

static_assert(small.layers.size == 2);
constexpr bool visits_in_order() {
  std::int64_t inputs[2] = {}, layers = 0;
  for_each_layer(small, [&](const network_layer&, const layer_shape& shape) { inputs[layers++] = shape.inputs; });
  double work[2] = {};
  std::int64_t products = 0;
  for_each_product(small, [&](const layer_product& product) { work[products++] = multiply_adds(product); });
  return layers == 2 && inputs[0] == 784 && inputs[1] == 128 && products == 2 && work[0] == 784 * 128 &&
         work[1] == 128 * 10;
}
static_assert(visits_in_order());
constexpr bool attention_has_four_products() {
  double work[4] = {};
  std::int64_t products = 0;
  for_each_layer(attended(), [&](const network_layer& layer, const layer_shape& shape) {
    for_each_product(layer, shape, [&](const layer_product& product) { work[products++] = multiply_adds(product); });
  });
  return products == 4 && work[1] == 2 * 3 * 2 * 3;
}
static_assert(attention_has_four_products());

}  // namespace

}  // namespace static_model_network_tests
