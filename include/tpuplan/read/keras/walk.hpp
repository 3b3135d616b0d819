#ifndef TPUPLAN_READ_KERAS_WALK_HPP
#define TPUPLAN_READ_KERAS_WALK_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/network.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <vector>

/// @file
/// What reading a model of Keras needs of its layers: their settings, what flows between them, and the list that grows.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A tensor without its batch, and the layer of the list whose output it is: a norm or an activation function that is
/// alone in reading it becomes part of that layer.
struct keras_tensor {
  std::vector<std::int64_t> shape{};
  std::ptrdiff_t made = -1;  ///< -1: by no layer of the list, or read by several
};
using keras_tensors = std::vector<keras_tensor>;

inline std::int64_t product_of(const std::vector<std::int64_t>& sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) product = checked_multiply(product, size);
  return product;
}

/// The list that grows while the layers of a model are read.
struct keras_walk {
  std::vector<network_layer> layers{};
  std::int64_t statistics = 0;  ///< numbers kept but not trained, besides those of whole batch norms
  std::vector<assumption> assumed{};

  void assume(std::string field, std::string value, std::string why) {
    const auto same = [&](const assumption& each) { return each.value == value && each.why == why; };
    if (std::none_of(assumed.begin(), assumed.end(), same)) assumed.push_back({field, value, why});
  }
};

/// One layer of a file: its class, settings and place.
struct keras_layer {
  const json_object& object;  ///< with "class_name" and "config"
  json_object config;
  std::string type;
  std::string name;
  keras_walk& walk;

  [[nodiscard]] bool flag(std::string_view field, bool otherwise) const {
    if (!config.has(field)) return otherwise;
    if (!config.at(field).is_boolean()) refuse(field, "true or false");
    return config.at(field).get<bool>();
  }
  [[nodiscard]] std::int64_t size(std::string_view field) const {
    const std::int64_t given = config.positive_count(field);
    check_dimension(config.path(field), given);
    return given;
  }
  [[nodiscard]] std::string word(std::string_view field, std::string_view otherwise) const {
    return config.has(field) ? config.string(field) : std::string(otherwise);
  }
  /// A number for each dimension; one number stands for all of them.
  [[nodiscard]] std::vector<std::int64_t> sizes(std::string_view field, std::size_t dimensions,
                                                std::int64_t otherwise) const {
    if (!config.has(field)) return std::vector<std::int64_t>(dimensions, otherwise);
    const nlohmann::json& given = config.at(field);
    std::vector<std::int64_t> result;
    if (given.is_number_integer()) result.assign(dimensions, given.get<std::int64_t>());
    if (given.is_array()) {
      for (const nlohmann::json& each : given)
        result.push_back(each.is_number_integer() ? each.get<std::int64_t>() : 0);
    }
    if (result.size() != dimensions) refuse(field, "a number, or one for each of " + std::to_string(dimensions));
    for (const std::int64_t each : result) check_dimension(config.path(field), each);
    return result;
  }
  [[noreturn]] void refuse(std::string_view field, const std::string& valid) const {
    fail(errc::unsupported, config.path(field), config.has(field) ? shown_json(config.at(field)) : "missing", valid);
  }
  /// The only input, of that many dimensions (0: any).
  [[nodiscard]] const keras_tensor& only(const keras_tensors& inputs, std::size_t dimensions = 0) const {
    if (inputs.empty()) fail(errc::missing_field, object.path("inbound_nodes"), "none", "a tensor that comes in");
    const std::size_t given = inputs.front().shape.size();
    if (given == 0 || (dimensions != 0 && given != dimensions))
      fail(errc::unsupported, "input of " + name + " (" + type + ")", std::to_string(given) + " dimensions",
           (dimensions == 0 ? std::string("1 or more") : std::to_string(dimensions)) + ", without the batch");
    return inputs.front();
  }
};

/// Where the gradient of a function needs its input, the input is kept too; names of Keras.
inline activation_kind keras_activation(const keras_layer& layer, std::string_view field) {
  if (!layer.config.has(field)) return activation_kind::none;
  const nlohmann::json& given = layer.config.at(field);
  const auto named = given.is_object() ? given.find("class_name") : given.end();
  const std::string name = given.is_string()                            ? given.get<std::string>()
                           : named != given.end() && named->is_string() ? named->get<std::string>()
                                                                        : "";
  if (name.empty()) layer.refuse(field, "the name of a function");
  constexpr std::array<std::string_view, 15> by_output{"relu",      "relu6",   "leaky_relu",   "elu",         "sigmoid",
                                                       "tanh",      "softmax", "hard_sigmoid", "exponential", "ReLU",
                                                       "LeakyReLU", "ELU",     "Softmax",      "log_softmax", "selu"};
  if (name == "linear") return activation_kind::none;
  const bool output = std::find(by_output.begin(), by_output.end(), name) != by_output.end();
  return output ? activation_kind::relu : activation_kind::smooth;
}

/// A layer of the list on the positions of a tensor: all dimensions but the last, which has its channels.
inline network_layer keras_made(const keras_layer& from, layer_kind kind, const std::vector<std::int64_t>& shape,
                                std::int64_t outputs) {
  network_layer made;
  made.name = std::string_view(from.name).substr(0, 24);
  made.kind = kind;
  made.height = shape.size() > 1 ? shape.front() : 1;
  made.width = shape.size() > 2 ? product_of({shape.begin() + 1, shape.end() - 1}) : 1;
  made.inputs = shape.back();
  made.outputs = outputs;
  check_size(from.config.path("shape"), made.width);
  return made;
}

inline std::ptrdiff_t keras_add(const keras_layer& from, const network_layer& made) {
  from.walk.layers.push_back(made);
  return static_cast<std::ptrdiff_t>(from.walk.layers.size()) - 1;
}

/// Weights that multiply nothing, beside a layer.
inline void keras_add_weights(const keras_layer& from, std::int64_t numbers) {
  network_layer table = keras_made(from, layer_kind::embedding, {1}, numbers);
  table.branch = true;
  keras_add(from, table);
}

/// The layer that a norm or a function behind a tensor becomes part of; null: none.
inline network_layer* keras_maker(keras_walk& walk, const keras_tensor& input) {
  return input.made < 0 ? nullptr : &walk.layers[static_cast<std::size_t>(input.made)];
}

/// A function behind a tensor. By itself it moves what its layer wrote, so it is counted there alone.
inline keras_tensor keras_activated(keras_walk& walk, keras_tensor input, activation_kind kind) {
  network_layer* const maker = keras_maker(walk, input);
  if (maker != nullptr && maker->activation == activation_kind::none) maker->activation = kind;
  return input;
}

/// Whether two layers differ in name and count alone.
inline bool same_layer(const network_layer& a, const network_layer& b) noexcept {
  return a.kind == b.kind && a.height == b.height && a.width == b.width && a.inputs == b.inputs &&
         a.outputs == b.outputs && a.kernel == b.kernel && a.stride == b.stride && a.padding == b.padding &&
         a.groups == b.groups && a.heads == b.heads && a.head_width == b.head_width && a.gates == b.gates &&
         a.bias == b.bias && a.norm == b.norm && a.activation == b.activation && a.branch == b.branch;
}

/// The layers with those of one shape as one with a count.
inline network_layers counted_layers(const std::vector<network_layer>& layers) {
  std::vector<network_layer> counted;
  for (const network_layer& each : layers) {
    const auto found = std::find_if(counted.begin(), counted.end(),
                                    [&](const network_layer& other) { return same_layer(each, other); });
    if (found != counted.end()) {
      ++found->count;
      continue;
    }
    if (counted.size() == network_layers{}.items.size())
      fail(errc::out_of_range, "layers of different shapes", "more than 96", "at most 96");
    counted.push_back(each);
  }
  network_layers result;
  for (const network_layer& each : counted) result.add(each);
  return result;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
