#ifndef TPUPLAN_READ_KERAS_HPP
#define TPUPLAN_READ_KERAS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/read/hf/files.hpp>
#include <tpuplan/read/hf_network.hpp>
#include <tpuplan/read/keras/layers.hpp>
#include <tpuplan/read/keras/shapes.hpp>
#include <tpuplan/read/keras/walk.hpp>
#include <utility>
#include <vector>

/// @file
/// A model of Keras as `keras.Model.to_json` writes it, of Keras 3 or of Keras 2, as a list of layers. Keras is not
/// needed. The form: keras-team/keras, keras/src/saving/serialization_lib.py and keras/src/models/functional.py (2026).

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A class of Keras and what it adds.
struct keras_class {
  std::string_view type;
  keras_tensors (*read)(const keras_layer&, const keras_tensors&);
};
inline constexpr std::array<keras_class, 84> keras_classes{{
    {"Dense", keras_dense},
    {"Conv1D", keras_convolution},
    {"Conv2D", keras_convolution},
    {"Conv3D", keras_convolution},
    {"DepthwiseConv2D", keras_depthwise},
    {"SeparableConv2D", keras_depthwise},
    {"Conv1DTranspose", keras_transposed},
    {"Conv2DTranspose", keras_transposed},
    {"Conv3DTranspose", keras_transposed},
    {"MaxPooling1D", keras_pool},
    {"MaxPooling2D", keras_pool},
    {"MaxPooling3D", keras_pool},
    {"AveragePooling1D", keras_pool},
    {"AveragePooling2D", keras_pool},
    {"AveragePooling3D", keras_pool},
    {"GlobalMaxPooling1D", keras_pool},
    {"GlobalMaxPooling2D", keras_pool},
    {"GlobalMaxPooling3D", keras_pool},
    {"GlobalAveragePooling1D", keras_pool},
    {"GlobalAveragePooling2D", keras_pool},
    {"GlobalAveragePooling3D", keras_pool},
    {"BatchNormalization", keras_norm},
    {"LayerNormalization", keras_norm},
    {"GroupNormalization", keras_norm},
    {"RMSNormalization", keras_norm},
    {"Normalization", keras_normalization},
    {"Embedding", keras_embedding},
    {"LSTM", keras_recurrent},
    {"GRU", keras_recurrent},
    {"SimpleRNN", keras_recurrent},
    {"MultiHeadAttention", keras_attention},
    {"Activation", keras_activation_layer},
    {"ReLU", keras_activation_layer},
    {"LeakyReLU", keras_activation_layer},
    {"ELU", keras_activation_layer},
    {"Softmax", keras_activation_layer},
    {"PReLU", keras_prelu},
    {"Flatten", keras_flatten},
    {"Reshape", keras_reshape},
    {"Permute", keras_permute},
    {"RepeatVector", keras_repeated},
    {"UpSampling1D", keras_resized},
    {"UpSampling2D", keras_resized},
    {"UpSampling3D", keras_resized},
    {"ZeroPadding1D", keras_resized},
    {"ZeroPadding2D", keras_resized},
    {"ZeroPadding3D", keras_resized},
    {"Cropping1D", keras_resized},
    {"Cropping2D", keras_resized},
    {"Cropping3D", keras_resized},
    {"Resizing", keras_resized},
    {"CenterCrop", keras_resized},
    {"RandomCrop", keras_resized},
    {"LayerScale", keras_layer_scale},
    {"Add", keras_merged},
    {"CustomScaleLayer", keras_merged},  // of keras.applications.InceptionResNetV2: a + 0.17 b
    {"Subtract", keras_merged},
    {"Multiply", keras_merged},
    {"Divide", keras_merged},
    {"TrueDivide", keras_merged},
    {"Average", keras_merged},
    {"Maximum", keras_merged},
    {"Minimum", keras_merged},
    {"Concatenate", keras_concatenated},
    {"Dropout", keras_unchanged},
    {"SpatialDropout1D", keras_unchanged},
    {"SpatialDropout2D", keras_unchanged},
    {"SpatialDropout3D", keras_unchanged},
    {"AlphaDropout", keras_unchanged},
    {"GaussianDropout", keras_unchanged},
    {"GaussianNoise", keras_unchanged},
    {"ActivityRegularization", keras_unchanged},
    {"Identity", keras_unchanged},
    {"StochasticDepth", keras_unchanged},  // of keras.applications.ConvNeXt
    {"UnitNormalization", keras_unchanged},
    {"Masking", keras_unchanged},
    {"Rescaling", keras_unchanged},
    {"Cast", keras_unchanged},
    {"RandomFlip", keras_unchanged},
    {"RandomRotation", keras_unchanged},
    {"RandomZoom", keras_unchanged},
    {"RandomTranslation", keras_unchanged},
    {"RandomContrast", keras_unchanged},
    {"RandomBrightness", keras_unchanged},
}};

inline keras_tensors read_keras_graph(const json_object& model, const keras_tensors& inputs, keras_walk& walk);

inline bool is_keras_graph(std::string_view type) noexcept {
  return type == "Functional" || type == "Model" || type == "Sequential";
}

inline keras_tensors read_keras_layer(const json_object& object, const keras_tensors& inputs, keras_walk& walk);

/// Bidirectional: the layer once in each direction.
inline keras_tensors keras_both_ways(const keras_layer& layer, const keras_tensors& inputs) {
  const json_object one = layer.config.object("layer");
  const std::string type = one.string("class_name");
  if (type != "LSTM" && type != "GRU" && type != "SimpleRNN")
    fail(errc::unsupported, layer.config.path("layer"), type, "LSTM, GRU or SimpleRNN");
  keras_tensors out = read_keras_layer(one, inputs, layer.walk);
  const keras_tensors back = read_keras_layer(one, inputs, layer.walk);
  const std::string mode = layer.word("merge_mode", "none");
  if (mode == "concat")
    out.front().shape.back() = checked_multiply(2, out.front().shape.back());
  else if (mode != "sum" && mode != "mul" && mode != "ave")
    layer.refuse("merge_mode", "concat, sum, mul or ave");
  out.insert(out.end(), back.begin() + 1, back.end());
  return out;
}

/// TimeDistributed: a layer that works on each position anyway.
inline keras_tensors keras_each_time(const keras_layer& layer, const keras_tensors& inputs) {
  const json_object one = layer.config.object("layer");
  const std::string type = one.string("class_name");
  constexpr std::array<std::string_view, 5> pointwise{"Dense", "LayerNormalization", "Activation", "Dropout", "ReLU"};
  if (std::find(pointwise.begin(), pointwise.end(), type) == pointwise.end())
    fail(errc::unsupported, layer.config.path("layer"), type, "Dense, LayerNormalization, Activation, Dropout or ReLU");
  return read_keras_layer(one, inputs, layer.walk);
}

inline keras_tensors read_keras_layer(const json_object& object, const keras_tensors& inputs, keras_walk& walk) {
  const std::string type = object.string("class_name");
  if (is_keras_graph(type)) return read_keras_graph(object, inputs, walk);
  const json_object config = object.object("config");
  const keras_layer layer{object, config, type, config.has("name") ? config.string("name") : type, walk};
  if (inputs.empty()) fail(errc::missing_field, object.path("inbound_nodes"), "none", "a tensor that comes in");
  if (!layer.flag("trainable", true))
    walk.assume("trainable", "all layers",
                "frozen ones have no gradients and no moments, which is less than is counted");
  if (type == "Bidirectional") return keras_both_ways(layer, inputs);
  if (type == "TimeDistributed") return keras_each_time(layer, inputs);
  for (const keras_class& known : keras_classes) {
    if (known.type == type) return known.read(layer, inputs);
  }
  std::vector<std::string_view> names;
  for (const keras_class& known : keras_classes) names.push_back(known.type);
  const std::string why = listed_nearest(names, type);
  fail(errc::unsupported, object.path("class_name") + " of " + layer.name, type,
       why + "; a layer of your own is written as a layer of a network, see docs/models.md");
}

/// The shape that an input states, without its batch; 3 may state a side of images.
inline std::vector<std::int64_t> keras_input_shape(const json_object& config) {
  const char* key = config.has("batch_shape") ? "batch_shape" : "batch_input_shape";
  const nlohmann::json& given = config.list(key);
  std::vector<std::int64_t> shape;
  for (std::size_t i = 1; i < given.size(); ++i) {
    if (!given[i].is_number_integer())
      fail(errc::missing_field, config.path(key), shown_json(given),
           "sizes for all but the batch: keras.Input with them, or `python3 -m tpuplan.export MODEL --input SIZES`");
    shape.push_back(given[i].get<std::int64_t>());
    check_dimension(config.path(key), shape.back());
  }
  return shape.empty() ? std::vector<std::int64_t>{1} : shape;
}

/// The names of tensors in a value, as [layer, node, tensor]: those of Keras 3 are objects, those of Keras 2 lists.
struct keras_place {
  std::string layer;
  std::size_t node = 0, tensor = 0;
};
inline void find_keras_places(const nlohmann::json& value, std::vector<keras_place>& found) {
  const auto is_place = [](const nlohmann::json& list) {
    return list.is_array() && list.size() >= 3 && list[0].is_string() && list[1].is_number_unsigned() &&
           list[2].is_number_unsigned();
  };
  if (is_place(value)) {
    found.push_back({value[0].get<std::string>(), value[1].get<std::size_t>(), value[2].get<std::size_t>()});
  } else if (value.is_object() && value.contains("keras_history")) {
    find_keras_places(value["keras_history"], found);
  } else if (value.is_structured()) {
    for (const nlohmann::json& each : value) find_keras_places(each, found);
  }
}

/// One call of a layer in a graph.
struct keras_call {
  json_object layer;
  std::size_t node = 0;
  std::vector<keras_place> from{};
};
using keras_key = std::pair<std::string, std::size_t>;

/// A graph: its calls, and how many read what each of them makes.
struct keras_graph {
  std::vector<keras_call> calls{};
  std::map<keras_key, int> readers{};
  std::map<keras_key, keras_tensors> made{};
  std::vector<keras_place> ends{};
};

/// The layers of a model, as many as the largest of keras.applications has four times over.
inline std::vector<json_object> keras_layers(const json_object& config) {
  std::vector<json_object> layers = config.objects("layers");
  if (layers.size() > 4096)
    fail(errc::out_of_range, config.path("layers"), static_cast<std::int64_t>(layers.size()), "at most 4096");
  return layers;
}

inline keras_graph keras_graph_of(const json_object& config) {
  keras_graph graph;
  for (const json_object& layer : keras_layers(config)) {
    if (!layer.has("inbound_nodes") || layer.list("inbound_nodes").empty()) {
      graph.calls.push_back({layer});
      continue;
    }
    std::size_t node = 0;
    for (const nlohmann::json& each : layer.list("inbound_nodes")) {
      keras_call call{layer, node++};
      find_keras_places(each, call.from);
      for (const keras_place& place : call.from) ++graph.readers[{place.layer, place.node}];
      graph.calls.push_back(std::move(call));
    }
  }
  find_keras_places(config.at("output_layers"), graph.ends);
  for (const keras_place& place : graph.ends) ++graph.readers[{place.layer, place.node}];
  return graph;
}

/// The tensors at the places; nothing while one of them is not made yet.
inline std::optional<keras_tensors> keras_tensors_at(const keras_graph& graph, const std::vector<keras_place>& places) {
  keras_tensors found;
  for (const keras_place& place : places) {
    const auto at = graph.made.find({place.layer, place.node});
    if (at == graph.made.end() || place.tensor >= at->second.size()) return {};
    found.push_back(at->second[place.tensor]);
    if (graph.readers.at(at->first) > 1) found.back().made = -1;
  }
  return found;
}

/// One call, whose inputs are made.
inline keras_tensors keras_called(const keras_call& call, const keras_tensors& from, const keras_tensors& inputs,
                                  std::size_t& next_input, keras_walk& walk) {
  if (call.layer.string("class_name") == "InputLayer") {
    if (inputs.empty()) return {{keras_input_shape(call.layer.object("config")), -1}};
    if (next_input >= inputs.size())
      fail(errc::invalid_argument, call.layer.path("name"), "another input", "as many as the model is called with");
    return {inputs[next_input++]};
  }
  const std::size_t before = walk.layers.size();
  keras_tensors made = read_keras_layer(call.layer, from, walk);
  const bool weights = std::any_of(walk.layers.begin() + static_cast<std::ptrdiff_t>(before), walk.layers.end(),
                                   [](const network_layer& each) { return each.kind != layer_kind::pooling; });
  if (call.node > 0 && weights)
    fail(errc::unsupported, call.layer.path("inbound_nodes"), "several calls of a layer with weights", "one");
  return made;
}

inline keras_tensors read_keras_functional(const json_object& config, const keras_tensors& inputs, keras_walk& walk) {
  keras_graph graph = keras_graph_of(config);
  std::vector<keras_call> left = graph.calls;
  std::size_t next_input = 0;
  while (!left.empty()) {
    std::vector<keras_call> later;
    for (const keras_call& call : left) {
      const std::optional<keras_tensors> from = keras_tensors_at(graph, call.from);
      if (!from) {
        later.push_back(call);
        continue;
      }
      const std::string name =
          call.layer.has("name") ? call.layer.string("name") : call.layer.object("config").string("name");
      graph.made[{name, call.node}] = keras_called(call, *from, inputs, next_input, walk);
    }
    if (later.size() == left.size())
      fail(errc::malformed_input, later.front().layer.path("inbound_nodes"), "a tensor that nothing makes",
           "tensors of layers in this file");
    left = std::move(later);
  }
  const std::optional<keras_tensors> ends = keras_tensors_at(graph, graph.ends);
  if (!ends || ends->empty())
    fail(errc::malformed_input, config.path("output_layers"), "not made", "tensors of layers in this file");
  return *ends;
}

inline keras_tensors read_keras_sequence(const json_object& config, keras_tensors now, keras_walk& walk) {
  for (const json_object& layer : keras_layers(config)) {
    const bool input = layer.string("class_name") == "InputLayer";
    const json_object settings = layer.object("config");
    if (now.empty() && (input || settings.has("batch_input_shape") || settings.has("batch_shape")))
      now = {{keras_input_shape(settings), -1}};
    if (now.empty() && config.has("build_input_shape"))
      now = {{keras_input_shape(
                  {nlohmann::json{{"batch_shape", config.at("build_input_shape")}}, config.path("build_input_shape")}),
              -1}};
    if (now.empty())
      fail(errc::missing_field, settings.path("batch_shape"), "missing",
           "the shape of what comes in: begin with keras.Input");
    if (!input) now = read_keras_layer(layer, now, walk);
  }
  return now;
}

inline keras_tensors read_keras_graph(const json_object& model, const keras_tensors& inputs, keras_walk& walk) {
  const json_object config = model.object("config");
  if (model.string("class_name") == "Sequential") return read_keras_sequence(config, inputs, walk);
  return read_keras_functional(config, inputs, walk);
}

/// The shape of the first input of a model.
inline std::vector<std::int64_t> keras_first_input(const json_object& model) {
  const json_object config = model.object("config");
  const std::vector<json_object> layers = config.objects("layers");
  for (const json_object& layer : layers) {
    const json_object settings = layer.object("config");
    if (settings.has("batch_shape") || settings.has("batch_input_shape")) return keras_input_shape(settings);
    if (is_keras_graph(layer.string("class_name"))) return keras_first_input(layer);
  }
  if (config.has("build_input_shape"))
    return keras_input_shape(
        {nlohmann::json{{"batch_shape", config.at("build_input_shape")}}, config.path("build_input_shape")});
  fail(errc::missing_field, config.path("layers"), "no InputLayer", "one, which states the shape of an example");
}

/// The model in a document: TensorFlow.js has it under two keys.
inline const nlohmann::json& keras_model_in(const nlohmann::json& document) {
  for (const char* key : {"modelTopology", "model_config"}) {
    if (document.is_object() && document.contains(key)) return keras_model_in(document.at(key));
  }
  return document;
}

}  // namespace detail

/// Whether a document is a model as `keras.Model.to_json` writes it. Worked: {"class_name": "Sequential", "config": {}}
/// is, {"model_type": "llama"} is not.
[[nodiscard]] inline bool is_keras_model(const nlohmann::json& document) {
  const nlohmann::json& model = detail::keras_model_in(document);
  return model.is_object() && model.contains("config") && model.contains("class_name") &&
         model.at("class_name").is_string() && !model.contains("model_type");
}

/// Reads what `keras.Model.to_json` writes as a network of layers; `source` is its name in messages. Layers of one
/// shape become one with a count. Worked: an MNIST model of Flatten, Dense(128) and Dense(10) has 101770 parameters.
/// @throws error naming the layer and the setting for classes that are not read (own layers, Lambda, cross-attention),
/// inputs without sizes, and graphs that use weights twice.
[[nodiscard]] inline network_config read_keras(const nlohmann::json& document, std::string_view source = "model") {
  const json_object model{detail::keras_model_in(document), std::string(source)};
  const std::string type = model.string("class_name");
  if (!detail::is_keras_graph(type))
    detail::fail(
        errc::unsupported, model.path("class_name"), type,
        "Sequential or Functional: a class of one's own does not write its layers; build it with the functional "
        "interface, or give its layers as in docs/models.md");
  network_config result;
  const json_object config = model.object("config");
  result.net.name = std::string_view(detail::short_name(config.has("name") ? config.string("name") : type));
  const std::vector<std::int64_t> input = detail::keras_first_input(model);
  result.net.channels = input.back();
  detail::keras_walk walk;
  (void)detail::read_keras_graph(model, {}, walk);
  if (walk.layers.empty()) detail::fail(errc::missing_field, config.path("layers"), "none with weights", "one or more");
  if (input.size() > 1) {
    result.net.height = input.front();
    result.net.width = detail::product_of({input.begin() + 1, input.end() - 1});
  }
  // Numbers of a look-up are positions, not features.
  if (walk.layers.front().kind == layer_kind::embedding && input.size() == 1) {
    result.net.height = input.back();
    result.net.channels = 1;
  }
  result.net.layers = detail::counted_layers(walk.layers);
  result.net.other_statistics = walk.statistics;
  result.assumed = walk.assumed;
  validate(result.net);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
