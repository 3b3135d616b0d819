// The worked numbers in the comments of handbook/network.hpp. It compiles, so it passes.
#include <tpuplan/handbook/network.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/near.hpp"
#include "support/networks.hpp"

using namespace tpuplan;

namespace static_handbook_network_tests {

namespace {

constexpr layer_product product(std::int64_t rows, std::int64_t inner, std::int64_t outer) {
  return {"product", layer_kind::dense, rows, inner, outer, 1};
}
static_assert(mxu_utilization(product(1, 128, 10), v5e) == 10.0 / 128);
static_assert(near(mxu_utilization(product(12544, 147, 64), v5e), 0.287, 5e-4));
static_assert(near(padding(mlp(784, {128, 10}), v5e).flop_utilization, 0.775, 5e-4));
static_assert(padding(mlp(784, {128, 10}), v5e).vector_share == 0);
static_assert(near(critical_examples(product(1, 4096, 4096), v5e).value(), 272.5, 0.05));
static_assert(!critical_examples(product(1, 784, 128), v5e));
static_assert(near(critical_examples(mlp(4096, {4096}), v5e).value(), 272.5, 0.05));
static_assert(!critical_examples(mlp(784, {128, 10}), v5e));

constexpr layer_product of_channels() { return {"depthwise", layer_kind::depthwise, 49, 9, 1, 32}; }
static_assert(on_vector_unit(of_channels()) && !on_vector_unit(product(1, 2, 3)));

static_assert(largest_product_of(mlp(784, {128, 10})).rows == row_kind::example);
static_assert(largest_product_of(mlp(784, {128, 10})).product.inner == 784);
constexpr network of_image() {
  network net = mlp(8, {4});
  net.height = net.width = 8;
  net.layers.items[0] = convolution(16, 3);
  return net;
}
static_assert(largest_product_of(of_image()).rows == row_kind::position);

}  // namespace

}  // namespace static_handbook_network_tests
