#ifndef TPUPLAN_TESTS_SUPPORT_NETWORKS_HPP
#define TPUPLAN_TESTS_SUPPORT_NETWORKS_HPP

#include <cstdint>
#include <initializer_list>
#include <tpuplan/model/network.hpp>

/// Dense layers of those widths, ReLU between them.
constexpr tpuplan::network mlp(std::int64_t inputs, std::initializer_list<std::int64_t> widths) {
  tpuplan::network net;
  net.channels = inputs;
  for (const std::int64_t width : widths) {
    tpuplan::network_layer layer;
    layer.outputs = width;
    layer.activation = tpuplan::activation_kind::relu;
    net.layers.add(layer);
  }
  return net;
}

/// A square convolution without bias.
constexpr tpuplan::network_layer convolution(std::int64_t outputs, std::int64_t kernel, std::int64_t stride = 1) {
  tpuplan::network_layer layer;
  layer.kind = tpuplan::layer_kind::convolution;
  layer.outputs = outputs;
  layer.kernel = kernel;
  layer.stride = stride;
  layer.bias = false;
  return layer;
}

#endif
