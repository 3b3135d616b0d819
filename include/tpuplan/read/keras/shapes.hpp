#ifndef TPUPLAN_READ_KERAS_SHAPES_HPP
#define TPUPLAN_READ_KERAS_SHAPES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/read/keras/layers.hpp>
#include <vector>

/// @file
/// Layers of Keras without weights: they change shapes, or make one tensor of several.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

inline keras_tensors keras_flatten(const keras_layer& layer, const keras_tensors& inputs) {
  return {{{product_of(layer.only(inputs).shape)}, -1}};
}

inline keras_tensors keras_reshape(const keras_layer& layer, const keras_tensors& inputs) {
  const std::int64_t numbers = product_of(layer.only(inputs).shape);
  std::vector<std::int64_t> shape;
  std::int64_t known = 1;
  for (const nlohmann::json& each : layer.config.list("target_shape")) {
    shape.push_back(each.is_number_integer() ? each.get<std::int64_t>() : 0);
    if (shape.back() > 0) known = checked_multiply(known, shape.back());
  }
  if (shape.empty() || numbers % known != 0) layer.refuse("target_shape", "as many numbers as come in");
  for (std::int64_t& each : shape)
    if (each == -1) each = numbers / known;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t each) { return each < 1; }) ||
      product_of(shape) != numbers)
    layer.refuse("target_shape", "as many numbers as come in");
  return {{shape, -1}};
}

inline keras_tensors keras_permute(const keras_layer& layer, const keras_tensors& inputs) {
  const std::vector<std::int64_t>& before = layer.only(inputs).shape;
  const std::vector<std::int64_t> order = layer.sizes("dims", before.size(), 1);
  std::vector<std::int64_t> shape;
  for (const std::int64_t each : order) {
    if (each > static_cast<std::int64_t>(before.size())) layer.refuse("dims", "an order of the dimensions");
    shape.push_back(before[static_cast<std::size_t>(each - 1)]);
  }
  if (product_of(shape) != product_of(before)) layer.refuse("dims", "an order of the dimensions");
  return {{shape, -1}};
}

inline keras_tensors keras_repeated(const keras_layer& layer, const keras_tensors& inputs) {
  return {{{layer.size("n"), layer.only(inputs, 1).shape.front()}, -1}};
}

/// The numbers of ZeroPadding and Cropping at both ends of each dimension together.
inline std::vector<std::int64_t> keras_margins(const keras_layer& layer, std::string_view field,
                                               std::size_t dimensions) {
  if (!layer.config.has(field)) layer.refuse(field, "numbers");
  const nlohmann::json& given = layer.config.at(field);
  const auto number = [&](const nlohmann::json& one) {
    const std::int64_t size = one.is_number_integer() ? one.get<std::int64_t>() : -1;
    if (size < 0 || size > most_size) layer.refuse(field, "numbers from 0 on");
    return size;
  };
  if (given.is_number()) return std::vector<std::int64_t>(dimensions, 2 * number(given));
  std::vector<std::int64_t> margins;
  const bool flat = dimensions == 1 && given.is_array() && given.size() == 2;
  if (flat) return {number(given[0]) + number(given[1])};
  if (!given.is_array() || given.size() != dimensions)
    layer.refuse(field, "a number, or one or two for each dimension");
  for (const nlohmann::json& each : given) {
    const bool pair = each.is_array() && each.size() == 2;
    margins.push_back(pair ? number(each[0]) + number(each[1]) : 2 * number(each));
  }
  return margins;
}

inline keras_tensors keras_resized(const keras_layer& layer, const keras_tensors& inputs) {
  const std::size_t dimensions = layer.type == "Resizing" || layer.type == "CenterCrop" || layer.type == "RandomCrop"
                                     ? 2
                                     : keras_dimensions(layer);
  keras_tensor out{layer.only(inputs, dimensions + 1).shape, -1};
  if (layer.type.find("UpSampling") == 0) {
    const std::vector<std::int64_t> times = layer.sizes("size", dimensions, 2);
    for (std::size_t i = 0; i < dimensions; ++i) out.shape[i] = checked_multiply(out.shape[i], times[i]);
  } else if (layer.type.find("ZeroPadding") == 0 || layer.type.find("Cropping") == 0) {
    const bool adds = layer.type.front() == 'Z';
    const char* field = adds ? "padding" : "cropping";
    const std::vector<std::int64_t> margins = keras_margins(layer, field, dimensions);
    for (std::size_t i = 0; i < dimensions; ++i) {
      out.shape[i] = adds ? checked_add(out.shape[i], margins[i]) : out.shape[i] - margins[i];
      if (out.shape[i] < 1) layer.refuse(field, "less than the side of what comes in");
    }
  } else {
    out.shape[0] = layer.size("height");
    out.shape[1] = layer.size("width");
  }
  return {out};
}

/// Add and its like: the larger size of each dimension.
inline keras_tensors keras_merged(const keras_layer& layer, const keras_tensors& inputs) {
  std::vector<std::int64_t> shape = layer.only(inputs).shape;
  for (const keras_tensor& other : inputs) {
    std::vector<std::int64_t> sizes = other.shape;
    if (sizes.size() > shape.size()) sizes.swap(shape);
    const std::size_t before = shape.size() - sizes.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] != shape[before + i] && sizes[i] != 1 && shape[before + i] != 1)
        fail(errc::invalid_argument, "inputs of " + layer.name + " (" + layer.type + ")", "of different sizes",
             "of the same, or of 1");
      shape[before + i] = std::max(shape[before + i], sizes[i]);
    }
  }
  return {{shape, -1}};
}

inline keras_tensors keras_concatenated(const keras_layer& layer, const keras_tensors& inputs) {
  keras_tensor out{layer.only(inputs).shape, -1};
  const auto ranks = static_cast<std::int64_t>(out.shape.size());
  std::int64_t axis = layer.config.has("axis") ? layer.config.count("axis") : -1;
  if (axis < 0) axis += ranks + 1;
  if (axis < 1 || axis > ranks) layer.refuse("axis", "a dimension but the batch");
  std::int64_t sum = 0;
  for (const keras_tensor& each : inputs) {
    if (each.shape.size() != out.shape.size())
      fail(errc::invalid_argument, layer.object.path("inbound_nodes"), "of different dimensions", "of as many");
    sum = checked_add(sum, each.shape[static_cast<std::size_t>(axis - 1)]);
  }
  out.shape[static_cast<std::size_t>(axis - 1)] = sum;
  layer.walk.assume("concatenation", "kept as its parts", "XLA need not keep a copy for the backward pass");
  return {out};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
