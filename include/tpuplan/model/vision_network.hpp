#ifndef TPUPLAN_MODEL_VISION_NETWORK_HPP
#define TPUPLAN_MODEL_VISION_NETWORK_HPP

#include <cstdint>
#include <tpuplan/model/network.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// A vision transformer without text as a list of layers, so that its work is estimated per image.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// `count` layers of that kind on that many tokens.
constexpr network_layer tower_layer(const char* name, layer_kind kind, std::int64_t tokens, std::int64_t count) {
  network_layer layer;
  layer.name = name;
  layer.kind = kind;
  layer.height = tokens;
  layer.width = 1;
  layer.count = count;
  return layer;
}

/// A table of learned rows, which is added to the output of the layer before it.
constexpr network_layer tower_table(const char* name, std::int64_t rows, std::int64_t width) {
  network_layer layer = tower_layer(name, layer_kind::embedding, rows, 1);
  layer.inputs = rows;
  layer.outputs = width;
  layer.branch = true;
  return layer;
}

/// Biases of attention where only some of its four projections have one: a layer of a network has all or none.
constexpr std::int64_t lone_biases(const vision_spec& v) {
  if (v.qkv_bias == v.output_bias) return 0;
  return checked_multiply(v.qkv_bias ? 3 * v.d_model : v.d_model, v.layers);
}

/// The way out of a tower by itself is one matrix, as CLIP's towers with a projection have it.
constexpr network_layer projector_layer(const vision_spec& v) {
  const projector_spec& p = v.projector;
  network_layer out = tower_layer("projector", layer_kind::dense, image_tokens(v), 1);
  out.inputs = p.input;
  out.outputs = p.output;
  out.bias = p.bias;
  if (projector_parameters(v) != checked_multiply(p.input, p.output) + (p.bias ? p.output : 0))
    fail(errc::unsupported, "model.vision.projector", "several matrices", "one, of a model without text");
  return out;
}

/// The layers of the transformer itself.
constexpr void add_tower_layers(network& net, const vision_spec& v, std::int64_t tokens) {
  const norm_kind norm = v.norm_bias ? norm_kind::layer : norm_kind::rms;
  network_layer before = tower_layer("norms before", layer_kind::norm, tokens, v.layers);
  before.inputs = v.d_model;
  before.norm = norm;
  network_layer attention = tower_layer("attention", layer_kind::attention, tokens, v.layers);
  attention.heads = v.heads;
  attention.bias = v.qkv_bias && v.output_bias;
  network_layer between = before;
  between.name = "norms between";
  network_layer up = tower_layer("MLP up", layer_kind::dense, tokens, v.gated ? 2 * v.layers : v.layers);
  up.inputs = v.d_model;
  up.outputs = v.d_ff;
  up.bias = v.mlp_bias;
  up.activation = activation_kind::smooth;
  network_layer down = tower_layer("MLP down", layer_kind::dense, tokens, v.layers);
  down.outputs = v.d_model;
  down.bias = v.mlp_bias;
  net.layers.add(before).add(attention).add(between).add(up).add(down);
  if (v.extra_norms == 0) return;
  network_layer last = tower_layer("other norms", layer_kind::norm, tokens, v.extra_norms);
  last.norm = norm;
  net.layers.add(last);
}

}  // namespace detail

/// The layers of a vision transformer: patches, tables, layers, pooler and classifier. Where only some projections of
/// attention have biases, these are among the other weights. Throws for a model with text, and for a projector of
/// several matrices. Worked: ViT-B/16 with 1000 classes has 86567656 parameters.
[[nodiscard]] constexpr network network_of(const transformer& model) {
  validate(model);
  if (has_text(model)) detail::fail(errc::unsupported, "layers of an architecture", name(model.kind), "vision");
  const vision_spec& v = model.vision;
  network net;
  net.name = model.name;
  net.height = net.width = v.image_size;
  net.channels = checked_multiply(v.channels, v.temporal_patch);
  network_layer patch;
  patch.name = "patches";
  patch.kind = layer_kind::convolution;
  patch.outputs = v.d_model;
  patch.kernel = patch.stride = v.patch_size;
  patch.padding = 0;
  patch.bias = v.patch_bias;
  net.layers.add(patch);
  const std::int64_t tokens = vision_tokens(v);
  if (v.class_token) net.layers.add(detail::tower_table("class token", 1, v.d_model));
  if (v.learned_positions > 0) net.layers.add(detail::tower_table("positions", v.learned_positions, v.d_model));
  detail::add_tower_layers(net, v, tokens);
  if (const std::int64_t weights = checked_add(v.other_weights, detail::lone_biases(v)); weights > 0) {
    network_layer other = detail::tower_table("other weights", weights, 1);
    other.height = 1;
    net.layers.add(other);
  }
  if (v.projector.input > 0) net.layers.add(detail::projector_layer(v));
  network_layer head = detail::tower_layer("pooler", layer_kind::dense, 1, 1);
  head.inputs = head.outputs = v.d_model;
  if (model.pooler) net.layers.add(head);
  head.name = "classifier";
  head.outputs = model.classes;
  if (model.classes > 0) net.layers.add(head);
  return net;
}

/// The model with square images of another size: a table with a row for each token of an image, and rows of its own,
/// gets a row for each token of the new size, as interpolation makes it; any other stays as it is. Throws for a model
/// without a tower, and where patches do not divide the image. Worked: ViT-B/16 at 384 has 577 tokens.
[[nodiscard]] constexpr transformer with_image_size(transformer model, std::int64_t side) {
  if (!has_vision(model)) detail::fail(errc::unsupported, "image size", side, "a model with a vision tower");
  vision_spec& v = model.vision;
  const std::int64_t own_rows = v.learned_positions - patches(v.image_size, v.patch_size);
  v.image_size = side;
  validate(v);
  if (v.learned_positions > 0 && own_rows >= 0 && own_rows <= 2)
    v.learned_positions = patches(side, v.patch_size) + own_rows;
  return model;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
