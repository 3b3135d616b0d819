#ifndef TPUPLAN_READ_DIFFUSERS_HPP
#define TPUPLAN_READ_DIFFUSERS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/model.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <utility>
#include <vector>

/// @file
/// Diffusion transformers from the transformer/config.json of a diffusers folder, as lists of blocks. Source: the
/// classes under src/diffusers/models/transformers of huggingface/diffusers at 58eb52c080.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The fields of one such file. A field that it does not state takes the default of the class, which goes on record.
class diffusers_fields {
 public:
  diffusers_fields(json_object object, std::vector<assumption>& assumed)
      : object_{std::move(object)}, type_{object_.string("_class_name")}, assumed_{&assumed} {}

  /// A size from 1 to 2^24.
  [[nodiscard]] std::int64_t count(std::string_view field, std::int64_t otherwise) {
    const std::int64_t value = object_.has(field) ? object_.count(field) : assume(field, otherwise);
    check_dimension(object_.path(field), value);
    return value;
  }
  [[nodiscard]] bool flag(std::string_view field, bool otherwise) {
    if (object_.has(field)) return object_.flag(field);
    assumed_->push_back({std::string(field), otherwise ? "true" : "false", why()});
    return otherwise;
  }
  /// The output channels, which are the input's where they are null or, in some classes, by default.
  [[nodiscard]] std::int64_t outputs(std::int64_t inputs, std::int64_t otherwise) {
    return object_.is_null("out_channels") ? inputs : count("out_channels", otherwise);
  }
  /// Latent positions that one position of the transformer stands for.
  [[nodiscard]] std::int64_t patch(std::int64_t frames, std::int64_t rows, std::int64_t columns) {
    if (!object_.has("patch_size")) {
      const std::array<std::int64_t, 3> sides{frames, rows, columns};
      assumed_->push_back({"patch_size", nlohmann::json(sides).dump(), why()});
      return frames * rows * columns;
    }
    const nlohmann::json& given = object_.list("patch_size");
    if (given.size() != 3) fail(errc::invalid_argument, object_.path("patch_size"), given.dump(), "three sides");
    std::int64_t all = 1;
    for (const nlohmann::json& side : given) {
      const std::int64_t one = side.is_number_integer() ? side.get<std::int64_t>() : 0;
      check_dimension(object_.path("patch_size"), one);
      all = checked_multiply(all, one);
    }
    return all;
  }
  /// Refuses a field that asks for what these blocks do not describe.
  void refuse(std::string_view field) const {
    if (object_.has(field) && object_.at(field) != false)
      fail(errc::unsupported, object_.path(field), object_.at(field).dump(), "null, false or absent");
  }
  /// Refuses any other value of a field that decides which weights there are.
  void only(std::string_view field, const nlohmann::json& value) const {
    const bool other = object_.is_null(field) || (object_.has(field) && object_.at(field) != value);
    if (other) fail(errc::unsupported, object_.path(field), object_.value()[std::string(field)].dump(), value.dump());
  }

 private:
  [[nodiscard]] std::string why() const { return "class default of " + type_; }
  std::int64_t assume(std::string_view field, std::int64_t value) {
    assumed_->push_back({std::string(field), std::to_string(value), why()});
    return value;
  }

  json_object object_;
  std::string type_;
  std::vector<assumption>* assumed_;
};

/// A stream of an example that starts with that width.
inline blocks::place diffusion_stream(blocks::model& to, const char* name, std::int64_t width, std::int64_t positions) {
  blocks::place at;
  at.stream = put(to, blocks::stream{name, blocks::flow::example, width, positions});
  return at;
}

/// The same place in layers, which `repeat` counts.
inline blocks::place in_layers(blocks::place at, std::int8_t other = -1) {
  at.count = 0, at.other = other;
  return at;
}

/// Two products: of the time step, of a pooled text, of guidance.
inline void put_embedder(blocks::model& to, const blocks::place& at, std::int64_t width) {
  put(to, at, blocks::dense{0, width});
  put(to, at, blocks::dense{0, width});
}

/// Scales, shifts and gates that a layer or the output makes from the time step: `vectors` of the width.
inline int put_scales(blocks::model& to, blocks::place at, std::int64_t vectors, std::int64_t width) {
  at.branch = true;
  return put(to, at, blocks::dense{width, vectors * width});
}

/// WanTransformer3DModel: self-attention over the clip, cross-attention to text, an MLP; scales made once.
inline void read_wan(diffusers_fields& fields, std::int64_t positions, std::int64_t text_positions, blocks::model& to) {
  for (const char* each : {"image_dim", "added_kv_proj_dim", "pos_embed_seq_len"}) fields.refuse(each);
  fields.only("qk_norm", "rms_norm_across_heads");
  const std::int64_t heads = fields.count("num_attention_heads", 40), side = fields.count("attention_head_dim", 128);
  const std::int64_t width = checked_multiply(heads, side), patch = fields.patch(1, 2, 2);
  const std::int64_t inputs = fields.count("in_channels", 16), outputs = fields.outputs(inputs, 16);
  const blocks::place clip = diffusion_stream(to, "clip", checked_multiply(inputs, patch), positions);
  const blocks::place text = diffusion_stream(to, "text", fields.count("text_dim", 4096), text_positions);
  const blocks::place time = diffusion_stream(to, "time", fields.count("freq_dim", 256), 1);
  put_embedder(to, text, width);
  put_embedder(to, time, width);
  put_scales(to, time, 6, width);
  put(to, clip, blocks::dense{0, width});
  blocks::attention self{heads, heads, side};
  self.causal = false, self.qkv_bias = self.output_bias = self.wide_qk_norm = true;
  blocks::attention cross = self;
  cross.from_other = true;
  const blocks::place layer = in_layers(clip);
  const int scales = put(to, layer, blocks::modulation{6}), first = put(to, layer, self);
  const bool normed = fields.flag("cross_attn_norm", true);
  const int norm = normed ? put(to, layer, blocks::norm{1, norm_kind::layer}) : -1;
  const int second = put(to, in_layers(clip, text.stream), cross);
  const int mlp = put(to, layer, blocks::mlp{fields.count("ffn_dim", 13824), 0, false, true});
  repeat(to, fields.count("num_layers", 40), {scales, first, norm, second, mlp});
  put(to, clip, blocks::modulation{2});
  put(to, clip, blocks::dense{0, checked_multiply(outputs, patch)});
}

/// The sizes and streams of transformers whose text and image attend to each other.
struct joint_streams {
  std::int64_t heads = 0, side = 0, width = 0, inputs = 0;
  blocks::place image{}, text{}, time{};
};

inline joint_streams put_joint_streams(diffusers_fields& fields, std::int64_t text_width, std::int64_t positions,
                                       std::int64_t text_positions, blocks::model& to) {
  joint_streams on;
  on.heads = fields.count("num_attention_heads", 24), on.side = fields.count("attention_head_dim", 128);
  on.width = checked_multiply(on.heads, on.side);
  on.inputs = fields.count("in_channels", 64);
  on.image = diffusion_stream(to, "image", on.inputs, positions);
  on.text = diffusion_stream(to, "text", fields.count("joint_attention_dim", text_width), text_positions);
  on.time = diffusion_stream(to, "time", 256, 1);
  put_embedder(to, on.time, on.width);
  return on;
}

/// Layers in which either stream has its own scales, projections and MLP.
inline void put_joint_layers(const joint_streams& on, std::int64_t layers, blocks::model& to) {
  std::array<int, 6> parts{};
  std::size_t size = 0;
  for (const bool of_text : {false, true}) {
    const blocks::place& own = of_text ? on.text : on.image;
    const blocks::place& other = of_text ? on.image : on.text;
    parts[size++] = put_scales(to, in_layers(on.time), 6, on.width);
    parts[size++] = put(to, in_layers(own, other.stream), blocks::joint_attention{on.heads, on.side});
    parts[size++] = put(to, in_layers(own), blocks::mlp{4 * on.width, 0, false, true});
  }
  repeat(to, layers, {parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]});
}

/// FluxTransformer2DModel: joint layers, then layers over text and image as one sequence.
inline void read_flux(diffusers_fields& fields, std::int64_t positions, std::int64_t text_positions,
                      blocks::model& to) {
  const joint_streams on = put_joint_streams(fields, 4096, positions, text_positions, to);
  const std::int64_t patch = fields.count("patch_size", 1);
  const std::int64_t pooled = fields.count("pooled_projection_dim", 768);
  put_embedder(to, diffusion_stream(to, "pooled text", pooled, 1), on.width);
  if (fields.flag("guidance_embeds", false)) put_embedder(to, diffusion_stream(to, "guidance", 256, 1), on.width);
  put(to, on.text, blocks::dense{0, on.width});
  put(to, on.image, blocks::dense{0, on.width});
  put_joint_layers(on, fields.count("num_layers", 19), to);
  const blocks::place both =
      in_layers(diffusion_stream(to, "text and image", on.width, checked_add(positions, text_positions)));
  blocks::attention self{on.heads, on.heads, on.side};
  self.causal = false, self.qkv_bias = self.qk_norm = true;
  const int scales = put_scales(to, in_layers(on.time), 3, on.width), first = put(to, both, self);
  // One product takes attention and MLP to the output, so that there is one bias.
  const int mlp = put(to, both, blocks::mlp{4 * on.width, 0, false, true});
  repeat(to, fields.count("num_single_layers", 38), {scales, first, mlp});
  put_scales(to, on.time, 2, on.width);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, patch, fields.outputs(on.inputs, on.inputs))});
}

/// QwenImageTransformer2DModel: joint layers alone.
inline void read_qwen_image(diffusers_fields& fields, std::int64_t positions, std::int64_t text_positions,
                            blocks::model& to) {
  fields.refuse("use_additional_t_cond");
  const joint_streams on = put_joint_streams(fields, 3584, positions, text_positions, to);
  const std::int64_t patch = fields.count("patch_size", 2);
  put(to, on.text, blocks::norm{1, norm_kind::rms});
  put(to, on.text, blocks::dense{0, on.width});
  put(to, on.image, blocks::dense{0, on.width});
  put_joint_layers(on, fields.count("num_layers", 60), to);
  put_scales(to, on.time, 2, on.width);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, patch, fields.outputs(on.inputs, 16))});
}

/// A class and its reader: a further one is a row.
struct diffusers_class {
  std::string_view name;
  void (*read)(diffusers_fields&, std::int64_t, std::int64_t, blocks::model&);
};
inline constexpr std::array<diffusers_class, 3> diffusers_classes{{
    {"FluxTransformer2DModel", read_flux},
    {"QwenImageTransformer2DModel", read_qwen_image},
    {"WanTransformer3DModel", read_wan},
}};

}  // namespace detail

/// The values of `_class_name` that are read. Worked: "WanTransformer3DModel" is among them.
[[nodiscard]] inline std::vector<std::string_view> known_diffusers_classes() {
  std::vector<std::string_view> names;
  for (const detail::diffusers_class& each : detail::diffusers_classes) names.push_back(each.name);
  return names;
}

/// A diffusion transformer of a transformer/config.json for examples of so many positions: patches of the latent image
/// or clip, and tokens of text. What the file leaves open goes to `assumed`; `source` is its name in messages. Worked:
/// {"_class_name": "WanTransformer3DModel"} has 14288491584 parameters, and with 75600 positions (81 frames at 1280 x
/// 720) and 512 tokens its forward pass is 6.52 PFLOP.
/// @throws error naming the field for a class or a part that is not supported, and for sizes out of range.
[[nodiscard]] inline blocks::model read_diffusers(const nlohmann::json& document, std::int64_t positions,
                                                  std::int64_t text_positions, std::vector<assumption>& assumed,
                                                  const std::string& source = "config") {
  const json_object object{document, source};
  const std::string type = object.string("_class_name");
  detail::check_dimension("positions", positions);
  detail::check_dimension("text_positions", text_positions);
  for (const detail::diffusers_class& each : detail::diffusers_classes) {
    if (each.name != type) continue;
    std::vector<assumption> found;
    detail::diffusers_fields fields{object, found};
    blocks::model result;
    result.name = std::string_view{type};
    each.read(fields, positions, text_positions, result);
    assumed.insert(assumed.end(), found.begin(), found.end());
    return result;
  }
  detail::fail_unknown(object.path("_class_name"), type, known_diffusers_classes());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
