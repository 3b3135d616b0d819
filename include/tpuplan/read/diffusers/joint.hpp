#ifndef TPUPLAN_READ_DIFFUSERS_JOINT_HPP
#define TPUPLAN_READ_DIFFUSERS_JOINT_HPP

#include <algorithm>
#include <cstdint>
#include <tpuplan/model/model.hpp>
#include <tpuplan/read/diffusers/fields.hpp>
#include <vector>

/// @file
/// Transformers whose text and image attend to each other, each with weights of its own: Stable Diffusion 3, FLUX,
/// Qwen-Image, HunyuanVideo, Mochi.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The sizes and streams of such a transformer.
struct joint_streams {
  std::int64_t heads = 0, side = 0, width = 0, inputs = 0;
  blocks::place image{}, text{}, time{};
  bool bias = true, qk_norm = true, gated = false;
  std::int64_t inner = 0;  // width of the MLPs
};

inline joint_streams put_joint_streams(diffusers_fields& fields, std::int64_t heads, std::int64_t side,
                                       std::int64_t inputs, std::int64_t text_width, denoiser_reading& read) {
  joint_streams on;
  on.heads = fields.count("num_attention_heads", heads), on.side = fields.count("attention_head_dim", side);
  on.width = checked_multiply(on.heads, on.side), on.inner = 4 * on.width;
  on.inputs = fields.count("in_channels", inputs);
  on.text = diffusion_stream(read.to, "text", text_width, blocks::extent::text);
  on.time = diffusion_stream(read.to, "time", 256);
  return on;
}

/// The latent stream, from patches of so many latents.
inline void put_image(joint_streams& on, std::int64_t patch, blocks::model& to, bool bias = true) {
  on.image = diffusion_stream(to, "image", checked_multiply(on.inputs, patch), blocks::extent::latent);
  put(to, on.image, blocks::dense{0, on.width, bias});
}

/// Layers in which either stream has its own scales, projections and MLP; with `dual`, the image attends to itself
/// once more; with `ends`, the text goes no further. `scales` are of either stream in each layer: 0 where they are made
/// once.
inline void put_joint_layers(const joint_streams& on, std::int64_t layers, std::int64_t scales, blocks::model& to,
                             bool dual = false, bool ends = false) {
  if (layers == 0) return;
  const blocks::place image = in_layers(on.image, on.text.stream), text = in_layers(on.text, on.image.stream);
  blocks::joint_attention one{on.heads, on.side, on.bias, on.qk_norm, on.bias, true};
  const blocks::mlp inner{on.inner, 0, on.gated, on.bias};
  const blocks::place time = in_layers(on.time);
  const int s = scales > 0 ? put_scales(to, time, dual ? scales + 3 : scales, on.width) : -1;
  const int a = put(to, image, one);
  blocks::attention again{on.heads, on.heads, on.side};
  again.causal = false, again.qkv_bias = again.output_bias = on.bias, again.qk_norm = on.qk_norm;
  const int d = dual ? put(to, in_layers(on.image), again) : -1;
  const int m = put(to, in_layers(on.image), inner);
  const int t = scales > 0 ? put_scales(to, time, ends ? 2 : scales, on.width) : -1;
  one.output = !ends;
  const int b = put(to, text, one);
  repeat(to, layers, {s, a, d, m, t, b, ends ? -1 : put(to, in_layers(on.text), inner)});
}

/// Layers over text and image as one sequence. One product takes attention and MLP to the output, so that there is one
/// bias.
inline void put_single_layers(const joint_streams& on, std::int64_t layers, std::int64_t scales, blocks::model& to) {
  const blocks::place both = in_layers(diffusion_stream(to, "text and image", on.width, blocks::extent::both));
  blocks::attention self{on.heads, on.heads, on.side};
  self.causal = false, self.qkv_bias = on.bias, self.qk_norm = on.qk_norm;
  const int s = scales > 0 ? put_scales(to, in_layers(on.time), scales, on.width) : -1;
  const int a = put(to, both, self);
  repeat(to, layers, {s, a, put(to, both, blocks::mlp{on.inner, 0, on.gated, on.bias})});
}

/// FluxTransformer2DModel: joint layers, then layers over text and image as one sequence.
inline void read_flux(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  joint_streams on = put_joint_streams(fields, 24, 128, 64, fields.count("joint_attention_dim", 4096), read);
  put_embedder(to, on.time, on.width);
  const std::int64_t patch = fields.count("patch_size", 1), outputs = fields.outputs(on.inputs, on.inputs);
  put_embedder(to, diffusion_stream(to, "pooled text", fields.count("pooled_projection_dim", 768)), on.width);
  read.guidance_input = fields.flag("guidance_embeds", false);
  if (read.guidance_input) put_embedder(to, diffusion_stream(to, "guidance", 256), on.width);
  put(to, on.text, blocks::dense{0, on.width});
  put_image(on, 1, to);
  // The pipeline packs squares of 2 x 2 latents before it.
  read.patch = checked_multiply(2, patch), read.latent_channels = outputs / 4;
  put_joint_layers(on, fields.count("num_layers", 19), 6, to);
  put_single_layers(on, fields.count("num_single_layers", 38), 3, to);
  put_scales(to, on.time, 2, on.width);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, patch, outputs)});
}

/// Flux2Transformer2DModel: as FLUX, without biases and a pooled text, with gates, and with scales that all layers
/// share.
inline void read_flux2(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  joint_streams on = put_joint_streams(fields, 48, 128, 128, fields.count("joint_attention_dim", 15360), read);
  on.bias = false, on.gated = true, on.inner = fields.times("mlp_ratio", 3, on.width);
  const std::int64_t steps = fields.count("timestep_guidance_channels", 256);
  to.on.items[static_cast<std::size_t>(on.time.stream)].width = steps;
  put_embedder(to, on.time, on.width, false);
  read.guidance_input = fields.flag("guidance_embeds", true);
  if (read.guidance_input) put_embedder(to, diffusion_stream(to, "guidance", steps), on.width, false);
  for (const std::int64_t vectors : {6, 6, 3, 2}) put_scales(to, on.time, vectors, on.width, false);
  const std::int64_t patch = fields.count("patch_size", 1), outputs = fields.outputs(on.inputs, on.inputs);
  put(to, on.text, blocks::dense{0, on.width, false});
  put_image(on, 1, to, false);
  read.patch = checked_multiply(2, patch), read.latent_channels = outputs / 4;
  put_joint_layers(on, fields.count("num_layers", 8), 0, to);
  put_single_layers(on, fields.count("num_single_layers", 48), 0, to);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, patch, outputs), false});
}

/// QwenImageTransformer2DModel: joint layers alone.
inline void read_qwen_image(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  joint_streams on = put_joint_streams(fields, 24, 128, 64, fields.count("joint_attention_dim", 3584), read);
  put_embedder(to, on.time, on.width);
  if (fields.asks("use_additional_t_cond")) put(to, on.time, blocks::table{2});
  const std::int64_t patch = fields.count("patch_size", 2), outputs = fields.outputs(on.inputs, 16);
  read.patch = patch, read.latent_channels = outputs;
  put(to, on.text, blocks::norm{1, norm_kind::rms});
  put(to, on.text, blocks::dense{0, on.width});
  put_image(on, 1, to);
  put_joint_layers(on, fields.count("num_layers", 60), 6, to);
  put_scales(to, on.time, 2, on.width);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, patch, outputs)});
}

/// The layers of an SD3 transformer in which the image attends to itself once more, by number.
inline std::vector<std::int64_t> dual_layers(diffusers_fields& fields, std::int64_t layers) {
  std::vector<std::int64_t> found;
  if (!fields.has("dual_attention_layers")) return found;
  const std::string path = fields.object().path("dual_attention_layers");
  for (const nlohmann::json& each : fields.object().list("dual_attention_layers")) {
    const std::int64_t layer = each.is_number_integer() ? each.get<std::int64_t>() : -1;
    if (layer < 0 || layer >= layers || std::find(found.begin(), found.end(), layer) != found.end())
      fail(errc::invalid_argument, path, shown_json(each), "different layers, from 0 on");
    found.push_back(layer);
  }
  return found;
}

/// SD3Transformer2DModel: joint layers, the last of which ends the text.
inline void read_sd3(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  joint_streams on = put_joint_streams(fields, 18, 64, 16, fields.count("joint_attention_dim", 4096), read);
  on.qk_norm = !fields.word("qk_norm", "", {"", "rms_norm"}).empty();
  put_embedder(to, on.time, on.width);
  put_embedder(to, diffusion_stream(to, "pooled text", fields.count("pooled_projection_dim", 2048)), on.width);
  if (const std::int64_t wide = fields.count("caption_projection_dim", 1152); wide != on.width)
    fail(errc::unsupported, fields.object().path("caption_projection_dim"), wide, "heads x attention_head_dim");
  put(to, on.text, blocks::dense{0, on.width});
  const std::int64_t patch = fields.count("patch_size", 2), outputs = fields.outputs(on.inputs, 16);
  read.patch = patch, read.latent_channels = outputs, read.sample = fields.count("sample_size", 128);
  read.longest_side = fields.count("pos_embed_max_size", 96);
  put_image(on, checked_multiply(patch, patch), to);
  const std::int64_t layers = fields.count("num_layers", 18);
  const std::vector<std::int64_t> dual = dual_layers(fields, layers);
  const bool last = std::find(dual.begin(), dual.end(), layers - 1) != dual.end();
  const std::int64_t twice = static_cast<std::int64_t>(dual.size()) - (last ? 1 : 0);
  put_joint_layers(on, twice, 6, to, true);
  put_joint_layers(on, layers - 1 - twice, 6, to);
  put_joint_layers(on, 1, 6, to, last, true);
  put_scales(to, on.time, 2, on.width);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, patch, outputs)});
}

/// Layers that refine the text of HunyuanVideo before the others see it.
inline void put_refiner(const joint_streams& on, std::int64_t layers, std::int64_t text_width, blocks::model& to) {
  const blocks::place time = diffusion_stream(to, "refiner time", 256);
  put_embedder(to, time, on.width);
  put_embedder(to, diffusion_stream(to, "mean text", text_width), on.width);
  put(to, on.text, blocks::dense{0, on.width});
  blocks::attention self{on.heads, on.heads, on.side};
  self.causal = false, self.qkv_bias = self.output_bias = true;
  const blocks::place text = in_layers(on.text);
  const int norms = put(to, text, blocks::norm{2, norm_kind::layer}), a = put(to, text, self);
  const int m = put(to, text, blocks::mlp{4 * on.width, 0, false, true});
  repeat(to, layers, {norms, a, m, put_scales(to, in_layers(time), 2, on.width)});
}

/// HunyuanVideoTransformer3DModel: a refiner of text, joint layers, then layers over both as one sequence.
inline void read_hunyuan_video(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  const std::int64_t text_width = fields.count("text_embed_dim", 4096);
  joint_streams on = put_joint_streams(fields, 24, 128, 16, text_width, read);
  on.qk_norm = !fields.word("qk_norm", "rms_norm", {"", "rms_norm"}).empty();
  on.inner = fields.times("mlp_ratio", 4, on.width);
  (void)fields.word("image_condition_type", "", {"", "latent_concat", "token_replace"});
  read.patch = fields.count("patch_size", 2), read.patch_frames = fields.count("patch_size_t", 1);
  const std::int64_t patch = checked_multiply(read.patch, read.patch, read.patch_frames);
  read.latent_channels = fields.outputs(on.inputs, 16);
  put_image(on, patch, to);
  put_embedder(to, on.time, on.width);
  put_embedder(to, diffusion_stream(to, "pooled text", fields.count("pooled_projection_dim", 768)), on.width);
  read.guidance_input = fields.flag("guidance_embeds", true);
  if (read.guidance_input) put_embedder(to, diffusion_stream(to, "guidance", 256), on.width);
  put_refiner(on, fields.count("num_refiner_layers", 2), text_width, to);
  put_joint_layers(on, fields.count("num_layers", 20), 6, to);
  put_single_layers(on, fields.count("num_single_layers", 40), 3, to);
  put_scales(to, on.time, 2, on.width);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, read.latent_channels)});
}

/// One layer of Mochi: text is narrower than image, and its last layer ends it.
inline void put_mochi_layers(const joint_streams& on, std::int64_t layers, std::int64_t narrow, bool ends,
                             blocks::model& to) {
  if (layers == 0) return;
  const blocks::place image = in_layers(on.image, on.text.stream), text = in_layers(on.text, on.image.stream);
  blocks::joint_attention one{on.heads, on.side, false, true, true, true};
  blocks::place time = in_layers(on.time);
  time.branch = true;
  const int s = put(to, time, blocks::dense{on.width, 4 * on.width}), a = put(to, image, one);
  const int m = put(to, in_layers(on.image), blocks::mlp{on.inner, 0, true, false});
  const int t = put(to, time, blocks::dense{on.width, (ends ? 1 : 4) * narrow});
  one.output = !ends;
  const int b = put(to, text, one);
  const blocks::mlp of_text{4 * narrow * 2 / 3, 0, true, false};
  repeat(to, layers, {s, a, m, t, b, ends ? -1 : put(to, in_layers(on.text), of_text)});
}

/// MochiTransformer3DModel: joint layers, with a text that attention pools.
inline void read_mochi(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  const std::int64_t words = fields.count("text_embed_dim", 4096);
  joint_streams on = put_joint_streams(fields, 24, 128, 12, words, read);
  fields.only("qk_norm", "rms_norm"), fields.only("activation_fn", "swiglu");
  on.inner = 4 * on.width * 2 / 3;
  const std::int64_t patch = fields.count("patch_size", 2), narrow = fields.count("pooled_projection_dim", 1536);
  read.patch = patch, read.latent_channels = fields.outputs(on.inputs, on.inputs);
  put_image(on, checked_multiply(patch, patch), to);
  to.on.items[static_cast<std::size_t>(on.time.stream)].width = fields.count("time_embed_dim", 256);
  put_embedder(to, on.time, on.width);
  blocks::place branch = on.text;
  branch.branch = true;
  put(to, branch, blocks::dense{0, 2 * words});
  const blocks::place pooled = diffusion_stream(to, "pooled text", words);
  put(to, pooled, blocks::dense{0, words});
  put(to, pooled, blocks::dense{0, on.width});
  put(to, on.text, blocks::dense{0, narrow});
  put(to, on.time, blocks::remainder{0, checked_multiply(3, on.heads, on.side / 2)});
  const std::int64_t layers = fields.count("num_layers", 48);
  put_mochi_layers(on, layers - 1, narrow, false, to);
  put_mochi_layers(on, 1, narrow, true, to);
  put_scales(to, on.time, 2, on.width);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, patch, read.latent_channels)});
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
