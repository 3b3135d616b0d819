#ifndef TPUPLAN_READ_KERAS_LAYERS_HPP
#define TPUPLAN_READ_KERAS_LAYERS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/read/keras/walk.hpp>
#include <utility>
#include <vector>

/// @file
/// The layers of Keras: what each adds to the list, and the shape behind it. Names and defaults of settings: Keras 3,
/// keras/src/layers (2026).

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

inline keras_tensors keras_unchanged(const keras_layer&, const keras_tensors& inputs) { return {inputs.front()}; }

inline keras_tensors keras_activation_layer(const keras_layer& layer, const keras_tensors& inputs) {
  const activation_kind kind =
      layer.type == "Activation" ? keras_activation(layer, "activation") : activation_kind::relu;
  return {keras_activated(layer.walk, layer.only(inputs), kind)};
}

inline keras_tensors keras_prelu(const keras_layer& layer, const keras_tensors& inputs) {
  keras_tensor out = layer.only(inputs);
  std::vector<std::int64_t> slopes = out.shape;
  if (layer.config.has("shared_axes")) {
    for (const nlohmann::json& axis : layer.config.list("shared_axes")) {
      const std::int64_t at = axis.is_number_integer() ? axis.get<std::int64_t>() : 0;
      if (at < 1 || at > static_cast<std::int64_t>(slopes.size())) layer.refuse("shared_axes", "axes of the input");
      slopes[static_cast<std::size_t>(at - 1)] = 1;
    }
  }
  out = keras_activated(layer.walk, out, activation_kind::smooth);
  keras_add_weights(layer, product_of(slopes));
  return {out};
}

/// ConvNeXt's factor of each channel (keras/src/applications/convnext.py).
inline keras_tensors keras_layer_scale(const keras_layer& layer, const keras_tensors& inputs) {
  const keras_tensor& out = layer.only(inputs);
  keras_add_weights(layer, layer.size("projection_dim"));
  return {out};
}

inline keras_tensors keras_dense(const keras_layer& layer, const keras_tensors& inputs) {
  const std::vector<std::int64_t>& shape = layer.only(inputs).shape;
  network_layer made = keras_made(layer, layer_kind::dense, shape, layer.size("units"));
  made.bias = layer.flag("use_bias", true);
  made.activation = keras_activation(layer, "activation");
  keras_tensor out{shape, keras_add(layer, made)};
  out.shape.back() = made.outputs;
  return {out};
}

/// The dimensions of a layer by its name: 2 of Conv2D.
inline std::size_t keras_dimensions(const keras_layer& layer) {
  const std::size_t digit = layer.type.find_first_of("123");
  return digit == std::string::npos ? 0 : static_cast<std::size_t>(layer.type[digit] - '0');
}

/// The window of a convolution or a pool, and what comes out of it.
struct keras_window {
  std::vector<std::int64_t> kernel{}, stride{}, dilation{};
  bool same = false;
  std::vector<std::int64_t> out{};

  [[nodiscard]] bool square() const {
    const auto one = [](const std::vector<std::int64_t>& sizes) {
      return std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t each) { return each == sizes.front(); });
    };
    return kernel.size() == 2 && one(kernel) && one(stride) && (same || (dilation[0] == 1 && dilation[1] == 1));
  }
};

inline keras_window keras_window_of(const keras_layer& layer, const std::vector<std::int64_t>& shape,
                                    std::string_view kernel, std::int64_t otherwise) {
  const std::size_t dimensions = keras_dimensions(layer);
  if (layer.word("data_format", "channels_last") != "channels_last") layer.refuse("data_format", "channels_last");
  const std::string padding = layer.word("padding", "valid");
  if (padding != "valid" && padding != "same" && padding != "causal") layer.refuse("padding", "valid, same or causal");
  keras_window window{layer.sizes(kernel, dimensions, otherwise),
                      {},
                      layer.sizes("dilation_rate", dimensions, 1),
                      padding != "valid",
                      shape};
  const bool pool = kernel == "pool_size";
  window.stride = pool && !layer.config.has("strides") ? window.kernel : layer.sizes("strides", dimensions, 1);
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::int64_t reach = checked_multiply(window.dilation[i], window.kernel[i] - 1);
    if (!window.same && shape[i] <= reach)
      fail(errc::out_of_range, layer.config.path(kernel), window.kernel[i], "at most the side of what comes in");
    window.out[i] = window.same ? ceil_div(shape[i], window.stride[i]) : (shape[i] - reach - 1) / window.stride[i] + 1;
  }
  return window;
}

inline network_layer keras_windowed(const keras_layer& layer, layer_kind kind, const keras_window& window,
                                    const std::vector<std::int64_t>& shape, std::int64_t outputs) {
  network_layer made = keras_made(layer, kind, shape, outputs);
  made.kernel = window.kernel.front();
  made.stride = window.stride.front();
  made.padding = window.same ? -1 : 0;
  return made;
}

/// A window that is not square, or in one or three dimensions, is one product of all its numbers at each position.
inline keras_tensors keras_convolution(const keras_layer& layer, const keras_tensors& inputs) {
  const keras_tensor& input = layer.only(inputs, keras_dimensions(layer) + 1);
  keras_window window = keras_window_of(layer, input.shape, "kernel_size", 1);
  const std::int64_t outputs = layer.size("filters");
  const std::int64_t groups = layer.config.has("groups") ? layer.size("groups") : 1;
  window.out.back() = outputs;
  network_layer made;
  if (window.square()) {
    made = keras_windowed(layer, layer_kind::convolution, window, input.shape, outputs);
    made.groups = groups;
  } else {
    if (groups != 1) layer.refuse("groups", "1 where windows are not square");
    made = keras_made(layer, layer_kind::dense, window.out, outputs);
    made.inputs = checked_multiply(product_of(window.kernel), input.shape.back());
  }
  made.bias = layer.flag("use_bias", true);
  made.activation = keras_activation(layer, "activation");
  return {{window.out, keras_add(layer, made)}};
}

inline keras_tensors keras_depthwise(const keras_layer& layer, const keras_tensors& inputs) {
  const keras_tensor& input = layer.only(inputs, keras_dimensions(layer) + 1);
  keras_window window = keras_window_of(layer, input.shape, "kernel_size", 1);
  if (!window.square()) layer.refuse("kernel_size", "square windows in two dimensions");
  std::vector<std::int64_t> shape = input.shape;
  if (layer.config.has("depth_multiplier"))
    shape.back() = checked_multiply(shape.back(), layer.size("depth_multiplier"));
  network_layer made = keras_windowed(layer, layer_kind::depthwise, window, shape, shape.back());
  window.out.back() = shape.back();
  const bool separable = layer.type == "SeparableConv2D";
  made.bias = !separable && layer.flag("use_bias", true);
  if (!separable) made.activation = keras_activation(layer, "activation");
  keras_tensor out{window.out, keras_add(layer, made)};
  if (!separable) return {out};
  network_layer mixed = keras_made(layer, layer_kind::convolution, window.out, layer.size("filters"));
  mixed.bias = layer.flag("use_bias", true);
  mixed.activation = keras_activation(layer, "activation");
  out.shape.back() = mixed.outputs;
  out.made = keras_add(layer, mixed);
  return {out};
}

/// Each position that comes in makes a window of outputs; where windows overlap, their sums are kept as if they did
/// not.
inline keras_tensors keras_transposed(const keras_layer& layer, const keras_tensors& inputs) {
  const std::size_t dimensions = keras_dimensions(layer);
  const keras_tensor& input = layer.only(inputs, dimensions + 1);
  const keras_window window = keras_window_of(layer, input.shape, "kernel_size", 1);
  if (layer.config.has("output_padding")) layer.refuse("output_padding", "null");
  const std::int64_t outputs = layer.size("filters");
  network_layer made =
      keras_made(layer, layer_kind::dense, input.shape, checked_multiply(product_of(window.kernel), outputs));
  made.bias = false;
  made.activation = keras_activation(layer, "activation");
  keras_add(layer, made);
  if (layer.flag("use_bias", true)) keras_add_weights(layer, outputs);
  keras_tensor out{input.shape, -1};
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::int64_t reach = checked_add(checked_multiply(window.kernel[i] - 1, window.dilation[i]), 1);
    const std::int64_t over = window.same ? 0 : std::max<std::int64_t>(0, reach - window.stride[i]);
    out.shape[i] = checked_add(checked_multiply(out.shape[i], window.stride[i]), over);
  }
  out.shape.back() = outputs;
  return {out};
}

inline keras_tensors keras_pool(const keras_layer& layer, const keras_tensors& inputs) {
  const std::size_t dimensions = keras_dimensions(layer);
  const keras_tensor& input = layer.only(inputs, dimensions + 1);
  network_layer made;
  if (layer.type.find("Global") == 0) {
    made = keras_made(layer, layer_kind::pooling, input.shape, input.shape.back());
    made.kernel = 0;
    keras_add(layer, made);
    if (!layer.flag("keepdims", false)) return {{{input.shape.back()}, -1}};
    std::vector<std::int64_t> kept(dimensions + 1, 1);
    kept.back() = input.shape.back();
    return {{kept, -1}};
  }
  const keras_window window = keras_window_of(layer, input.shape, "pool_size", 2);
  if (window.square()) {
    made = keras_windowed(layer, layer_kind::pooling, window, input.shape, input.shape.back());
  } else {  // what it writes is what counts
    made = keras_made(layer, layer_kind::pooling, window.out, input.shape.back());
  }
  keras_add(layer, made);
  return {{window.out, -1}};
}

/// A norm alone in reading the output of a product is part of its layer. Where it has only a scale or only a shift, it
/// is counted as an RMSNorm, which has as many weights.
inline keras_tensors keras_norm(const keras_layer& layer, const keras_tensors& inputs) {
  const keras_tensor& input = layer.only(inputs);
  const bool batch = layer.type == "BatchNormalization", rms = layer.type == "RMSNormalization";
  const std::int64_t channels = input.shape.back();
  if (layer.config.has("axis")) {
    const nlohmann::json& axis = layer.config.at("axis");
    const nlohmann::json& one = axis.is_array() && axis.size() == 1 ? axis.front() : axis;
    const auto last = static_cast<std::int64_t>(input.shape.size());
    if (!one.is_number_integer() || (one.get<std::int64_t>() != -1 && one.get<std::int64_t>() != last))
      layer.refuse("axis", "-1, the channels");
  }
  const bool scale = rms || layer.flag("scale", true), shift = !rms && layer.flag("center", true);
  const norm_kind whole = batch ? norm_kind::batch : norm_kind::layer;
  const norm_kind kind = scale && shift ? whole : scale || shift ? norm_kind::rms : norm_kind::none;
  if (batch && kind != norm_kind::batch) layer.walk.statistics = checked_add(layer.walk.statistics, 2 * channels);
  network_layer* const maker = keras_maker(layer.walk, input);
  if (maker != nullptr && maker->norm == norm_kind::none && maker->activation == activation_kind::none &&
      maker->kind != layer_kind::pooling && maker->outputs == channels) {
    maker->norm = kind;
    return {input};
  }
  if (kind == norm_kind::none) return {{input.shape, -1}};
  network_layer made = keras_made(layer, layer_kind::norm, input.shape, channels);
  made.norm = kind;
  return {{input.shape, keras_add(layer, made)}};
}

/// Normalization and its kind: means, variances and a count, which training does not change.
inline keras_tensors keras_normalization(const keras_layer& layer, const keras_tensors& inputs) {
  const keras_tensor& input = layer.only(inputs);
  if (!layer.config.has("mean")) layer.walk.statistics = checked_add(layer.walk.statistics, 2 * input.shape.back() + 1);
  return {input};
}

inline keras_tensors keras_embedding(const keras_layer& layer, const keras_tensors& inputs) {
  keras_tensor out = layer.only(inputs);
  out.shape.push_back(layer.size("output_dim"));
  network_layer made = keras_made(layer, layer_kind::embedding, out.shape, out.shape.back());
  made.inputs = layer.size("input_dim");
  out.made = -1;
  keras_add(layer, made);
  return {out};
}

inline keras_tensors keras_recurrent(const keras_layer& layer, const keras_tensors& inputs) {
  const keras_tensor& input = layer.only(inputs, 2);
  const std::int64_t units = layer.size("units");
  network_layer made = keras_made(layer, layer_kind::recurrent, input.shape, units);
  made.gates = layer.type == "LSTM" ? 4 : layer.type == "GRU" ? 3 : 1;
  made.bias = layer.flag("use_bias", true);
  keras_add(layer, made);
  if (layer.type == "GRU" && made.bias && layer.flag("reset_after", true)) keras_add_weights(layer, 3 * units);
  layer.walk.assume("recurrent layers", "weights read in each step",
                    "from HBM: small ones may stay in VMEM and are then faster");
  keras_tensors out{{{units}, -1}};
  if (layer.flag("return_sequences", false)) out.front().shape = {input.shape.front(), units};
  if (layer.flag("return_state", false)) out.insert(out.end(), layer.type == "LSTM" ? 2 : 1, {{units}, -1});
  return out;
}

inline keras_tensors keras_attention(const keras_layer& layer, const keras_tensors& inputs) {
  const keras_tensor& input = layer.only(inputs, 2);
  for (const keras_tensor& other : inputs) {
    if (other.shape != input.shape)
      fail(errc::unsupported, "inputs of " + layer.name + " (MultiHeadAttention)", "of two shapes",
           "one sequence: attention between two is no layer of a network");
  }
  if (layer.config.has("value_dim") && layer.size("value_dim") != layer.size("key_dim"))
    layer.refuse("value_dim", "key_dim");
  if (layer.config.has("output_shape")) layer.refuse("output_shape", "null");
  network_layer made = keras_made(layer, layer_kind::attention, input.shape, input.shape.back());
  made.heads = layer.size("num_heads");
  made.head_width = layer.size("key_dim");
  made.bias = layer.flag("use_bias", true);
  keras_add(layer, made);
  return {{input.shape, -1}};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
