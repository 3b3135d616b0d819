#ifndef TPUPLAN_READ_HF_NETWORK_HPP
#define TPUPLAN_READ_HF_NETWORK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/model/network.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/heads.hpp>
#include <tpuplan/read/hf/vision.hpp>
#include <vector>

/// @file
/// Vision networks made of stages, from a Hugging Face config.json: ConvNeXt, ResNet and Swin as lists of layers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Sizes of the stages of a network: as many numbers as it has stages.
inline std::vector<std::int64_t> stage_sizes(config_fields& fields, std::string_view field, std::size_t stages) {
  std::vector<std::int64_t> sizes;
  for (const nlohmann::json& each : fields.list(field)) {
    const std::int64_t size = each.is_number_integer() ? each.get<std::int64_t>() : 0;
    check_dimension(fields.path(field), size);
    sizes.push_back(size);
  }
  const bool usable = stages == 0 ? !sizes.empty() && sizes.size() <= 8 : sizes.size() == stages;
  if (!usable) {
    fail(errc::invalid_argument, fields.path(field), static_cast<std::int64_t>(sizes.size()),
         stages == 0 ? "1 to 8 stages" : "one number for each of the stages, " + std::to_string(stages));
  }
  return sizes;
}

inline network_layer stage_layer(std::string_view name, layer_kind kind, std::int64_t count, std::int64_t outputs = 0) {
  network_layer layer;
  layer.name = name;
  layer.kind = kind;
  layer.count = count;
  layer.outputs = outputs;
  return layer;
}

/// A convolution with `side` pixels of kernel and stride.
inline network_layer patch_layer(std::string_view name, std::int64_t outputs, std::int64_t side) {
  network_layer layer = stage_layer(name, layer_kind::convolution, 1, outputs);
  layer.kernel = layer.stride = side;
  layer.padding = 0;
  return layer;
}

/// Weights that are in no matrix product, as a table beside the layers.
inline network_layer weights_beside(std::string_view name, std::int64_t count, std::int64_t rows, std::int64_t width) {
  network_layer layer = stage_layer(name, layer_kind::embedding, count, width);
  layer.height = layer.width = 1;
  layer.inputs = rows;
  layer.branch = true;
  return layer;
}

inline network_layer norm_layer(std::string_view name, std::int64_t count) {
  network_layer layer = stage_layer(name, layer_kind::norm, count);
  layer.norm = norm_kind::layer;
  return layer;
}

/// The name of a layer: "stage 1 " and what it is.
inline std::string in_stage(std::size_t stage, std::string_view what) {
  return "stage " + std::to_string(stage + 1) + " " + std::string(what);
}

/// Two products with a smooth activation between them.
inline void add_stage_mlp(network& net, std::size_t stage, std::int64_t count, std::int64_t width, std::int64_t inner) {
  network_layer up = stage_layer(in_stage(stage, "MLP up"), layer_kind::dense, count, inner);
  up.activation = activation_kind::smooth;
  net.layers.add(up).add(stage_layer(in_stage(stage, "MLP down"), layer_kind::dense, count, width));
}

/// The classifier where the class has one. A class without one ends in a pool.
inline void add_classifier(config_fields& fields, network& net) {
  const std::string name = class_of(fields);
  if (!name.empty() && !ends_in(name, "ForImageClassification")) {
    if (!ends_in(name, "Model"))
      fail(errc::unsupported, fields.path("architectures"), name,
           "a class that ends in Model or ForImageClassification");
    return;
  }
  net.layers.add(stage_layer("classifier", layer_kind::dense, 1, label_count(fields)));
}

inline network_layer pool_layer() {
  network_layer layer = stage_layer("pool", layer_kind::pooling, 1);
  layer.kernel = 0;
  return layer;
}

/// ConvNeXt: in each layer a convolution of 7 x 7 for each channel, a norm, an MLP and a scale on each channel.
inline void read_convnext(config_fields& fields, network& net) {
  const std::vector<std::int64_t> widths = stage_sizes(fields, "hidden_sizes", 0);
  const std::vector<std::int64_t> depths = stage_sizes(fields, "depths", widths.size());
  for (std::size_t stage = 0; stage < widths.size(); ++stage) {
    const std::int64_t width = widths[stage], count = depths[stage];
    if (stage == 0) {
      network_layer patch = patch_layer("patches", width, square_side(fields, "patch_size"));
      patch.norm = norm_kind::layer;
      net.layers.add(patch);
    } else {
      net.layers.add(norm_layer(in_stage(stage, "first norm"), 1)).add(patch_layer(in_stage(stage, "first"), width, 2));
    }
    network_layer depthwise = stage_layer(in_stage(stage, "7x7"), layer_kind::depthwise, count);
    depthwise.kernel = 7;
    depthwise.norm = norm_kind::layer;
    net.layers.add(depthwise);
    add_stage_mlp(net, stage, count, width, checked_multiply(4, width));
    net.layers.add(weights_beside(in_stage(stage, "scale"), count, 1, width));
  }
  net.layers.add(pool_layer()).add(norm_layer("norm", 1));
  add_classifier(fields, net);
}

/// FLOPs of the scores and sums inside of windows of a layer, and of projections of the positions that fill the last
/// windows of a row and of a column.
inline double flops_of_windows(double positions, double side, double width) {
  if (positions < 1) return 0;
  const double window = positions < side ? positions : side, all = math::ceil(positions / window) * window;
  return 4 * window * window * width * all * all + 8 * width * width * (all * all - positions * positions);
}

/// Swin: attention within windows, with a table of relative positions in each layer; four positions of a stage make one
/// of the next. The FLOPs of the attention scores within windows are not counted; their share is on record.
inline void read_swin(config_fields& fields, network& net) {
  const std::vector<std::int64_t> depths = stage_sizes(fields, "depths", 0);
  const std::vector<std::int64_t> heads = stage_sizes(fields, "num_heads", depths.size());
  const std::int64_t side = fields.count("window_size"), ratio = fields.count("mlp_ratio");
  fields.refuse_true("use_absolute_embeddings");
  check_part(fields.path("window_size"), side, 1024, "1 to 1024");
  std::int64_t width = fields.count("embed_dim");
  network_layer patch = patch_layer("patches", width, square_side(fields, "patch_size"));
  patch.norm = norm_kind::layer;
  net.layers.add(patch);
  const double pixels = static_cast<double>(net.height) / static_cast<double>(patch.kernel);
  double positions = math::floor(pixels), left_out = 0;  // of a side; FLOPs of windows and of what fills them
  for (std::size_t stage = 0; stage < depths.size(); ++stage, positions = math::floor(positions / 2)) {
    const std::int64_t count = depths[stage];
    left_out +=
        static_cast<double>(count) * flops_of_windows(positions, static_cast<double>(side), static_cast<double>(width));
    net.layers.add(norm_layer(in_stage(stage, "norms before"), count));
    network_layer qkv = stage_layer(in_stage(stage, "qkv"), layer_kind::dense, count, 3 * width);
    qkv.bias = fields.flag("qkv_bias");
    qkv.branch = true;
    net.layers.add(qkv).add(stage_layer(in_stage(stage, "output"), layer_kind::dense, count, width));
    net.layers.add(weights_beside(in_stage(stage, "positions"), count, (2 * side - 1) * (2 * side - 1), heads[stage]));
    net.layers.add(norm_layer(in_stage(stage, "norms between"), count));
    add_stage_mlp(net, stage, count, width, checked_multiply(ratio, width));
    if (stage + 1 == depths.size()) break;
    // Two by two positions side by side, a norm over all four, and a product without a bias.
    network_layer merge = patch_layer(in_stage(stage, "merge"), 2 * width, 2);
    merge.bias = false;
    net.layers.add(weights_beside(in_stage(stage, "merge norm"), 1, 8, width)).add(merge);
    width = checked_multiply(2, width);
  }
  net.layers.add(norm_layer("norm", 1)).add(pool_layer());
  add_classifier(fields, net);
  const double share = left_out / (left_out + forward_flops_per_example(net).value());
  fields.assume("attention", "projections alone",
                "scores and sums inside of windows, and positions that fill them, are in no FLOPs: " +
                    std::to_string(static_cast<int>(100 * share + 0.5)) + " % less");
}

/// ResNet: bottlenecks of 1x1, 3x3 and 1x1, or two of 3x3; the first of a stage has a shortcut where a size changes.
inline void read_resnet(config_fields& fields, network& net) {
  const std::vector<std::int64_t> widths = stage_sizes(fields, "hidden_sizes", 0);
  const std::vector<std::int64_t> depths = stage_sizes(fields, "depths", widths.size());
  const std::string type = fields.string("layer_type");
  if (type != "bottleneck" && type != "basic") fail_unknown(fields.path("layer_type"), type, {"bottleneck", "basic"});
  for (const std::string_view field : {"downsample_in_first_stage", "downsample_in_bottleneck"})
    fields.refuse_true(field);
  const auto convolution = [&](const std::string& name, std::int64_t count, std::int64_t outputs, std::int64_t kernel,
                               std::int64_t stride, bool activated, bool branch = false) {
    network_layer layer = stage_layer(name, layer_kind::convolution, count, outputs);
    layer.kernel = kernel;
    layer.stride = stride;
    layer.padding = kernel / 2;
    layer.bias = false;
    layer.branch = branch;
    layer.norm = norm_kind::batch;
    if (activated) layer.activation = activation_kind::relu;
    net.layers.add(layer);
  };
  std::int64_t before = fields.count("embedding_size");
  convolution("stem", 1, before, 7, 2, true);
  network_layer pool = stage_layer("stem pool", layer_kind::pooling, 1);
  pool.kernel = 3;
  pool.stride = 2;
  pool.padding = 1;
  net.layers.add(pool);
  for (std::size_t stage = 0; stage < widths.size(); ++stage) {
    const std::int64_t width = widths[stage], more = depths[stage] - 1, stride = stage == 0 ? 1 : 2;
    if (stride != 1 || before != width) convolution(in_stage(stage, "shortcut"), 1, width, 1, stride, false, true);
    if (type == "bottleneck") {
      const std::int64_t inner = width / 4;
      convolution(in_stage(stage, "first 1x1"), 1, inner, 1, 1, true);
      convolution(in_stage(stage, "first 3x3"), 1, inner, 3, stride, true);
      convolution(in_stage(stage, "first out"), 1, width, 1, 1, true);
      if (more > 0) {
        convolution(in_stage(stage, "1x1"), more, inner, 1, 1, true);
        convolution(in_stage(stage, "3x3"), more, inner, 3, 1, true);
        convolution(in_stage(stage, "out"), more, width, 1, 1, true);
      }
    } else {
      convolution(in_stage(stage, "first 3x3"), 1, width, 3, stride, true);
      convolution(in_stage(stage, "3x3"), 2 * more + 1, width, 3, 1, true);
    }
    before = width;
  }
  net.layers.add(pool_layer());
  add_classifier(fields, net);
}

/// A value of `model_type` and the function that reads such a network.
struct network_family {
  std::string_view type;
  void (*read)(config_fields&, network&);
};
inline constexpr std::array<network_family, 3> network_families{
    {{"convnext", read_convnext}, {"swin", read_swin}, {"resnet", read_resnet}}};

inline const network_family* find_network_family(const nlohmann::json& config) {
  if (!config.is_object() || !config.contains("model_type")) return nullptr;
  for (const network_family& family : network_families) {
    if (config.at("model_type") == family.type) return &family;
  }
  return nullptr;
}

}  // namespace detail

/// A network that was read from a config.json, and what the file did not say about it.
struct network_config {
  network net;                      ///< what the file describes
  std::vector<assumption> assumed;  ///< fields that took a default
};

/// Whether a parsed config.json is of a type that is read as a network of layers (ConvNeXt, Swin, ResNet). Worked: yes
/// for "swin", no for "llama".
[[nodiscard]] inline bool is_hf_network(const nlohmann::json& config) {
  return detail::find_network_family(config) != nullptr;
}

/// The values of `model_type` that are read as a network of layers. Worked: "convnext" is among them.
[[nodiscard]] inline std::vector<std::string_view> known_network_types() {
  std::vector<std::string_view> names;
  for (const detail::network_family& family : detail::network_families) names.push_back(family.type);
  return names;
}

/// Reads a config.json as a network of layers; `source` is its name in messages. Worked: {"model_type": "resnet"} with
/// 1000 labels has 25557032 parameters.
/// @throws error naming the field for what is missing, contradictory, or no network of layers.
[[nodiscard]] inline network_config read_hf_network(const nlohmann::json& config, std::string_view source = "config") {
  const json_object object{config, std::string(source)};
  const detail::network_family* family = detail::find_network_family(config);
  if (family == nullptr)
    detail::fail_unknown(object.path("model_type"), object.string("model_type"), known_network_types());
  detail::config_record record;
  detail::config_fields fields{object, "", family->type, record};
  network_config result;
  result.net.name = family->type;
  result.net.channels = fields.count("num_channels");
  result.net.height = result.net.width = fields.has("image_size") ? detail::square_side(fields, "image_size") : 224;
  if (!fields.has("image_size")) fields.assume("image_size", "224", "not stated");
  family->read(fields, result.net);
  validate(result.net);
  result.assumed = record.assumed;
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
