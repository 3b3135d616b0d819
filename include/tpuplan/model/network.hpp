#ifndef TPUPLAN_MODEL_NETWORK_HPP
#define TPUPLAN_MODEL_NETWORK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/blocks/norm.hpp>
#include <tpuplan/model/vision.hpp>

/// @file
/// Any network as a list of layers, for models that `transformer` does not describe: an MLP, a convolutional network,
/// an encoder of one's own. Work is counted per example (an image, a sequence, a row), as such jobs do.

namespace tpuplan {
inline namespace abi_0 {

/// What a layer computes.
enum class layer_kind : std::uint8_t {
  dense,        ///< one matrix, applied at each position
  convolution,  ///< square, in two dimensions, in groups of channels
  depthwise,    ///< a convolution of each channel by itself
  attention,    ///< projections of queries, keys and values, full attention over all positions, output projection
  recurrent,    ///< LSTM (4 `gates`), GRU (3) or a simple one (1): one step after the other along the height
  norm,         ///< a normalisation that follows no other layer
  embedding,    ///< a table of `inputs` rows of `outputs` numbers: look-ups, no products
  pooling,      ///< in windows; over all positions with kernel 0
};
/// "dense" and so on.
[[nodiscard]] constexpr std::string_view name(layer_kind kind) noexcept {
  constexpr const char* names[] = {"dense",     "convolution", "depthwise", "attention",
                                   "recurrent", "norm",        "embedding", "pooling"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// The activation function that follows a layer. The gradient of ReLU needs only its output, that of a smooth one
/// (GELU, SiLU) its input too.
enum class activation_kind : std::uint8_t { none, relu, smooth };
/// "none" and so on.
[[nodiscard]] constexpr std::string_view name(activation_kind kind) noexcept {
  constexpr const char* names[] = {"none", "relu", "smooth"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// A layer, or several of one shape. A size of 0 is taken from the output of the layer before, in the first layer from
/// the example. A sequence has its positions as height, and width 1.
struct network_layer {
  text<24> name{};                      ///< for people
  layer_kind kind = layer_kind::dense;  ///< what it computes
  std::int64_t count = 1;               ///< layers of exactly this shape
  std::int64_t height = 0;              ///< positions that come in
  std::int64_t width = 0;               ///< positions that come in
  std::int64_t inputs = 0;              ///< channels that come in; of an embedding its rows
  std::int64_t outputs = 0;             ///< channels that go out; 0: as come in
  std::int64_t kernel = 1;              ///< side of a convolution's or a pool's window
  std::int64_t stride = 1;              ///< positions from one window to the next
  std::int64_t padding = -1;            ///< positions added at each side; -1: "same", ceil(size / stride) go out
  std::int64_t groups = 1;              ///< groups of channels of a convolution
  std::int64_t heads = 0;               ///< attention heads
  std::int64_t head_width = 0;          ///< of queries, keys and values; 0: outputs / heads
  std::int64_t gates = 0;               ///< of a recurrent layer
  bool bias = true;                     ///< in dense layers, convolutions and projections
  norm_kind norm = norm_kind::none;     ///< that follows the layer
  activation_kind activation = activation_kind::none;  ///< that follows the norm
  bool branch = false;                                 ///< its output is added or multiplied in: what follows is fed
                                                       ///< by the layer before it
};

/// At most 96 kinds of layers.
struct network_layers {
  std::array<network_layer, 96> items{};  ///< the first `size` are set
  std::size_t size = 0;                   ///< kinds

  /// @{
  /// The layers as a range.
  [[nodiscard]] constexpr const network_layer* begin() const noexcept { return items.data(); }
  [[nodiscard]] constexpr const network_layer* end() const noexcept { return items.data() + size; }
  /// @}
  /// Adds a layer at the end, and throws where there are 96 already. Worked: an MLP 784-128-10 has 2 after two calls.
  constexpr network_layers& add(const network_layer& one) {
    if (size == items.size()) detail::fail(errc::out_of_range, "network.layers", std::int64_t{97}, "at most 96 kinds");
    items[size++] = one;
    return *this;
  }
};

/// A network, and what one example of its input is.
struct network {
  text<64> name{};                    ///< for people
  std::int64_t height = 1;            ///< of an example: pixels, or tokens of a sequence
  std::int64_t width = 1;             ///< of an example
  std::int64_t channels = 1;          ///< of an example: colours, features
  network_layers layers{};            ///< in order
  std::int64_t other_statistics = 0;  ///< numbers kept but not trained, besides moving statistics
};

/// The sizes of a layer, with those left at 0 filled in.
struct layer_shape {
  /// @{
  /// Positions that come in.
  std::int64_t height = 0, width = 0;
  /// @}
  /// @{
  /// Channels.
  std::int64_t inputs = 0, outputs = 0;
  /// @}
  /// @{
  /// Positions that go out.
  std::int64_t out_height = 0, out_width = 0;
  /// @}
};

namespace detail {

/// Output positions along a side of `size` input positions: as many of a layer without windows, which has no stride.
constexpr std::int64_t positions_after(const network_layer& layer, std::int64_t size) {
  if (layer.padding < 0) return ceil_div(size, layer.stride);
  const std::int64_t padded = size + 2 * layer.padding;
  if (padded < layer.kernel)
    fail(errc::out_of_range, "layer.kernel", layer.kernel, "at most the side of what comes in, padding added");
  return (padded - layer.kernel) / layer.stride + 1;
}

constexpr bool is_windowed(layer_kind kind) noexcept {
  return kind == layer_kind::convolution || kind == layer_kind::depthwise || kind == layer_kind::pooling;
}

/// Refuses sizes out of range, and fields that the layer's kind does not use, so that no field is silently ignored.
constexpr void check_layer(const network_layer& layer) {
  check_dimension("layer.count", layer.count);
  check_size("layer.height", layer.height);
  check_size("layer.width", layer.width);
  check_size("layer.inputs", layer.inputs);
  check_size("layer.outputs", layer.outputs);
  check_part("layer.kernel", layer.kernel, most_size, "0 (a pool over everything) to 16777216");
  check_dimension("layer.stride", layer.stride);
  check_dimension("layer.groups", layer.groups);
  check_size("layer.heads", layer.heads);
  if (layer.padding < -1 || layer.padding > most_size)
    fail(errc::out_of_range, "layer.padding", layer.padding, "-1 (same) to 16777216");
  if (!is_windowed(layer.kind) && (layer.kernel != 1 || layer.stride != 1 || layer.padding != -1))
    fail(errc::invalid_argument, "layer.kernel, stride or padding", name(layer.kind), "a convolution or a pool");
  if (layer.kernel == 0 && layer.kind != layer_kind::pooling)
    fail(errc::out_of_range, "layer.kernel", layer.kernel, "1 or more");
  if (layer.groups != 1 && layer.kind != layer_kind::convolution)
    fail(errc::invalid_argument, "layer.groups", layer.groups, "1 but for a convolution");
  if (layer.heads != 0 && layer.kind != layer_kind::attention)
    fail(errc::invalid_argument, "layer.heads", layer.heads, "0 but for attention");
  check_size("layer.head_width", layer.head_width);
  if (layer.head_width != 0 && layer.kind != layer_kind::attention)
    fail(errc::invalid_argument, "layer.head_width", layer.head_width, "0 but for attention");
  if (layer.kind == layer_kind::recurrent ? layer.gates < 1 || layer.gates > 4 : layer.gates != 0)
    fail(errc::invalid_argument, "layer.gates", layer.gates, "4 of an LSTM, 3 of a GRU, 1 of a simple one; else 0");
  if (layer.kind == layer_kind::embedding && (layer.inputs == 0 || layer.outputs == 0))
    fail(errc::missing_field, "layer.inputs and outputs", "0", "rows of the table, and numbers in each");
  if (layer.kind == layer_kind::norm && layer.norm == norm_kind::none)
    fail(errc::missing_field, "layer.norm", "none", "batch, layer or rms");
}

constexpr layer_shape shape_behind(const network_layer& layer, std::int64_t height, std::int64_t width,
                                   std::int64_t channels) {
  check_layer(layer);
  layer_shape shape;
  shape.height = layer.height > 0 ? layer.height : height;
  shape.width = layer.width > 0 ? layer.width : width;
  shape.inputs = layer.inputs > 0 ? layer.inputs : channels;
  shape.outputs = layer.outputs > 0 ? layer.outputs : shape.inputs;
  const bool keeps =
      layer.kind == layer_kind::depthwise || layer.kind == layer_kind::norm || layer.kind == layer_kind::pooling;
  if (keeps && shape.outputs != shape.inputs)
    fail(errc::invalid_argument, "layer.outputs", shape.outputs, "0: as many channels as come in");
  if (shape.inputs % layer.groups != 0 || shape.outputs % layer.groups != 0)
    fail(errc::not_divisible, "layer.groups", layer.groups, "a divisor of the channels that come in and go out");
  if (layer.kind == layer_kind::attention) {
    check_dimension("layer.heads", layer.heads);
    if (layer.head_width == 0 && shape.outputs % layer.heads != 0)
      fail(errc::not_divisible, "layer.heads", layer.heads, "a divisor of the layer's outputs");
  }
  const bool over_all = layer.kind == layer_kind::pooling && layer.kernel == 0;
  shape.out_height = over_all ? 1 : positions_after(layer, shape.height);
  shape.out_width = over_all ? 1 : positions_after(layer, shape.width);
  return shape;
}

}  // namespace detail

/// Calls visit(layer, shape) for each entry of the list, its sizes filled in. Throws, naming the field, for invalid
/// ones. Worked: `shape.inputs` of the two layers of an MLP 784-128-10 are 784 and 128.
template <class Visit>
constexpr void for_each_layer(const network& net, const Visit& visit) {
  detail::check_dimension("network.height", net.height);
  detail::check_dimension("network.width", net.width);
  detail::check_dimension("network.channels", net.channels);
  detail::check_part("network.other_statistics", net.other_statistics, detail::most_parameters, "0 to 2^53");
  if (net.layers.size == 0) detail::fail(errc::missing_field, "network.layers", "none", "one or more");
  std::int64_t height = net.height, width = net.width, channels = net.channels;
  for (const network_layer& layer : net.layers) {
    const layer_shape shape = detail::shape_behind(layer, height, width, channels);
    visit(layer, shape);
    if (layer.branch) continue;
    height = shape.out_height, width = shape.out_width, channels = shape.outputs;
  }
}

/// Throws, naming the field, unless every layer can follow the one before it.
constexpr void validate(const network& net) {
  for_each_layer(net, [](const network_layer&, const layer_shape&) {});
}

/// Parameters of a network. torchvision and timm publish `trained`; Keras publishes `total`, moving statistics of batch
/// norms included.
struct network_parameters {
  std::int64_t products = 0;    ///< weights of matrix products and convolutions
  std::int64_t tables = 0;      ///< weights of embeddings
  std::int64_t others = 0;      ///< biases and norms
  std::int64_t trained = 0;     ///< the three above
  std::int64_t statistics = 0;  ///< moving means and variances, and other numbers kept but not trained
  std::int64_t total = 0;       ///< trained and statistics
};

namespace detail {

/// Numbers in the queries of one position.
constexpr std::int64_t query_width(const network_layer& layer, const layer_shape& shape) {
  return layer.head_width > 0 ? checked_multiply(layer.heads, layer.head_width) : shape.outputs;
}

/// Weights that every step of a recurrent layer multiplies, besides those of its input.
constexpr std::int64_t step_weights(const network_layer& layer, const layer_shape& shape) {
  return checked_multiply(layer.gates, shape.outputs, shape.outputs);
}

/// Weights in the matrix products of one layer of that shape.
constexpr std::int64_t product_weights(const network_layer& layer, const layer_shape& shape) {
  const std::int64_t window = checked_multiply(layer.kernel, layer.kernel);
  switch (layer.kind) {
    case layer_kind::dense: return checked_multiply(shape.inputs, shape.outputs);
    case layer_kind::convolution: return checked_multiply(window, shape.inputs / layer.groups, shape.outputs);
    case layer_kind::depthwise: return checked_multiply(window, shape.inputs);
    case layer_kind::attention:
      return checked_multiply(checked_add(3 * shape.inputs, shape.outputs), query_width(layer, shape));
    case layer_kind::recurrent:
      return checked_add(checked_multiply(layer.gates, shape.inputs, shape.outputs), step_weights(layer, shape));
    case layer_kind::norm:
    case layer_kind::embedding:
    case layer_kind::pooling: break;
  }
  return 0;
}

constexpr std::int64_t biases(const network_layer& layer, const layer_shape& shape) {
  if (!layer.bias || product_weights(layer, shape) == 0) return 0;
  if (layer.kind == layer_kind::attention) return checked_add(3 * query_width(layer, shape), shape.outputs);
  return (layer.kind == layer_kind::recurrent ? layer.gates : 1) * shape.outputs;
}

/// Weights that one pass over a layer reads: those of the steps of a recurrent layer in each of them.
constexpr double weights_read(const network_layer& layer, const layer_shape& shape) {
  const double again = layer.kind == layer_kind::recurrent ? static_cast<double>(shape.height - 1) : 0;
  return static_cast<double>(product_weights(layer, shape)) + again * static_cast<double>(step_weights(layer, shape));
}

}  // namespace detail

/// The parameters of a network, exactly. Worked: an MLP 784-128-10 has 784 x 128 + 128 + 128 x 10 + 10 = 101770.
[[nodiscard]] constexpr network_parameters parameters(const network& net) {
  network_parameters sum;
  sum.statistics = net.other_statistics;
  for_each_layer(net, [&sum](const network_layer& layer, const layer_shape& shape) {
    const auto times = [&](std::int64_t each) { return checked_multiply(layer.count, each); };
    sum.products = checked_add(sum.products, times(detail::product_weights(layer, shape)));
    if (layer.kind == layer_kind::embedding)
      sum.tables = checked_add(sum.tables, times(checked_multiply(shape.inputs, shape.outputs)));
    const std::int64_t norm = detail::norm_weights(layer.norm, shape.outputs);
    sum.others = checked_add(sum.others, times(detail::biases(layer, shape) + norm));
    if (layer.norm == norm_kind::batch) sum.statistics = checked_add(sum.statistics, times(norm));
  });
  sum.trained = checked_add(checked_add(sum.products, sum.tables), sum.others);
  sum.total = checked_add(sum.trained, sum.statistics);
  return sum;
}

/// A matrix product of a layer for one example: [rows, inner] x [inner, outer], `count` times. A convolution is the
/// product of its windows and its weights; a grouped convolution is one such product per group.
struct layer_product {
  text<24> name{};          ///< of the layer
  layer_kind kind{};        ///< of the layer
  std::int64_t rows = 0;    ///< of one example; a batch multiplies them
  std::int64_t inner = 0;   ///< what is summed over
  std::int64_t outer = 0;   ///< outputs
  std::int64_t count = 0;   ///< how many such products
  bool has_weights = true;  ///< false: both operands are activations, as in attention scores
};

/// Multiply-adds of a product for one example. Worked: 784 x 128 of the first layer of an MLP 784-128-10.
[[nodiscard]] constexpr double multiply_adds(const layer_product& product) noexcept {
  return static_cast<double>(product.rows) * static_cast<double>(product.inner) * static_cast<double>(product.outer) *
         static_cast<double>(product.count);
}

/// Calls visit(product) for each product of a layer. Worked: attention of 2 heads over 3 positions of 4 channels has
/// four products, the second of 2 x 3 x 2 x 3 multiply-adds.
template <class Visit>
constexpr void for_each_product(const network_layer& layer, const layer_shape& shape, const Visit& visit) {
  const std::int64_t rows = checked_multiply(shape.out_height, shape.out_width);
  const std::int64_t window = checked_multiply(layer.kernel, layer.kernel);
  switch (layer.kind) {
    case layer_kind::dense:
      return visit(layer_product{layer.name, layer.kind, rows, shape.inputs, shape.outputs, layer.count});
    case layer_kind::convolution:
      return visit(layer_product{layer.name, layer.kind, rows, checked_multiply(window, shape.inputs / layer.groups),
                                 shape.outputs / layer.groups, checked_multiply(layer.count, layer.groups)});
    case layer_kind::depthwise:
      return visit(layer_product{layer.name, layer.kind, rows, window, 1, checked_multiply(layer.count, shape.inputs)});
    case layer_kind::attention: {
      const std::int64_t queries = detail::query_width(layer, shape), head = queries / layer.heads;
      const std::int64_t heads = checked_multiply(layer.count, layer.heads);
      visit(layer_product{layer.name, layer.kind, rows, shape.inputs, 3 * queries, layer.count});
      visit(layer_product{layer.name, layer.kind, rows, head, rows, heads, false});
      visit(layer_product{layer.name, layer.kind, rows, rows, head, heads, false});
      return visit(layer_product{layer.name, layer.kind, rows, queries, shape.outputs, layer.count});
    }
    case layer_kind::recurrent: {
      const std::int64_t gates = checked_multiply(layer.gates, shape.outputs);
      visit(layer_product{layer.name, layer.kind, rows, shape.inputs, gates, layer.count});
      return visit(layer_product{layer.name, layer.kind, shape.width, shape.outputs, gates,
                                 checked_multiply(layer.count, shape.height)});
    }
    case layer_kind::norm:
    case layer_kind::embedding:
    case layer_kind::pooling: break;
  }
}

/// Calls visit(product) for each product of the network. Worked: the products of an MLP 784-128-10 have 784 x 128 and
/// 128 x 10 multiply-adds.
template <class Visit>
constexpr void for_each_product(const network& net, const Visit& visit) {
  for_each_layer(
      net, [&visit](const network_layer& layer, const layer_shape& shape) { for_each_product(layer, shape, visit); });
}

/// Forward FLOPs of one example, two per multiply-add, of products and convolutions; norms, activation functions and
/// pools do not count. Worked: 2 x 4089184256 for ResNet-50 at 224 x 224. Source: torchvision's GMAC table counts so.
[[nodiscard]] constexpr flops forward_flops_per_example(const network& net) {
  double sum = 0;
  for_each_product(net, [&sum](const layer_product& product) { sum += multiply_adds(product); });
  return flops{2 * sum};
}

/// Training FLOPs of one example: forward, and twice that backward. Worked: 6 x 4089184256 for ResNet-50.
[[nodiscard]] constexpr flops training_flops_per_example(const network& net) {
  return 3 * forward_flops_per_example(net);
}

namespace detail {

/// How many numbers per example layers of one shape keep for the backward pass: the output of each, its value after a
/// norm, and its value after a smooth activation function. Attention keeps queries, keys, values, their
/// result and the probabilities of all keys for each position, a recurrent layer its gates and the cells of an LSTM.
constexpr double saved_by(const network_layer& layer, const layer_shape& shape) {
  const double positions = static_cast<double>(shape.out_height) * static_cast<double>(shape.out_width);
  const double tensors = (layer.kind == layer_kind::norm ? 0 : 1) + (layer.norm != norm_kind::none ? 1 : 0) +
                         (layer.activation == activation_kind::smooth ? 1 : 0) + static_cast<double>(layer.gates) +
                         (layer.gates == 4 ? 1 : 0);
  const double probabilities = static_cast<double>(layer.heads) * positions * positions;
  const double queries =
      layer.kind == layer_kind::attention ? 4 * positions * static_cast<double>(query_width(layer, shape)) : 0;
  return static_cast<double>(layer.count) *
         (tensors * positions * static_cast<double>(shape.outputs) + queries + probabilities);
}

}  // namespace detail

/// How many numbers per example the backward pass needs: the input, and what each layer keeps for it; see
/// docs/model.md. Worked: 784 + 128 + 10 of an MLP 784-128-10, 22582248 of ResNet-50.
[[nodiscard]] constexpr double saved_numbers_per_example(const network& net) {
  double sum = static_cast<double>(net.height) * static_cast<double>(net.width) * static_cast<double>(net.channels);
  for_each_layer(
      net, [&sum](const network_layer& layer, const layer_shape& shape) { sum += detail::saved_by(layer, shape); });
  return sum;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
