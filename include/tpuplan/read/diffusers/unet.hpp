#ifndef TPUPLAN_READ_DIFFUSERS_UNET_HPP
#define TPUPLAN_READ_DIFFUSERS_UNET_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/model/model.hpp>
#include <tpuplan/read/diffusers/fields.hpp>
#include <vector>

/// @file
/// UNet2DConditionModel: Stable Diffusion 1, 2, XL and those that share its class.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The sizes of its stages, and its streams.
struct unet_sizes {
  std::vector<std::int64_t> widths, layers, heads, depths, seen;
  std::vector<bool> down_attends, up_attends;
  std::int64_t scales = 1;  // vectors that the time step makes in a residual block
  blocks::place image{}, text{}, time{};
};

/// Residual blocks, one after the other.
inline void put_residuals(const unet_sizes& u, std::int64_t count, std::int64_t outputs, std::int64_t skip,
                          blocks::model& to) {
  if (count == 0) return;
  blocks::place at = u.image;
  at.count = count, at.other = u.time.stream;
  blocks::residual one;
  one.outputs = outputs, one.skip = skip, one.scales = u.scales;
  put(to, at, one);
}

/// `count` transformers of so many layers: projections in and out around self-attention, cross-attention to text and a
/// gated MLP.
inline void put_unet_transformers(const unet_sizes& u, std::size_t stage, std::int64_t count, blocks::model& to) {
  const std::int64_t width = u.widths[stage], heads = u.heads[stage];
  blocks::place at = u.image;
  at.count = count;
  put(to, at, blocks::norm{1, norm_kind::layer});
  put(to, at, blocks::dense{0, width});
  blocks::attention self{heads, heads, width / heads};
  self.causal = false, self.output_bias = true;
  const blocks::place layer = in_layers(u.image);
  const int norms = put(to, layer, blocks::norm{3, norm_kind::layer}), first = put(to, layer, self);
  self.from_other = true;
  const int second = put(to, in_layers(u.image, u.text.stream), self);
  const int mlp = put(to, layer, blocks::mlp{4 * width, 0, true, true});
  repeat(to, checked_multiply(count, u.depths[stage]), {norms, first, second, mlp});
  put(to, at, blocks::dense{0, width});
}

/// The way down, each stage of which ends at half the positions but the last.
inline void put_way_down(const unet_sizes& u, blocks::model& to) {
  for (std::size_t i = 0; i < u.widths.size(); ++i) {
    put_residuals(u, 1, u.widths[i], 0, to);
    put_residuals(u, u.layers[i] - 1, 0, 0, to);
    if (u.down_attends[i]) put_unet_transformers(u, i, u.layers[i], to);
    if (i + 1 == u.widths.size()) continue;
    blocks::convolution half;
    half.kernel = 3, half.stride = 2;
    put(to, u.image, half);
  }
}

/// The way up: a residual block more than down in each stage, with channels of the way down beside its own.
inline void put_way_up(const unet_sizes& u, blocks::model& to) {
  for (std::size_t i = u.widths.size(); i-- > 0;) {
    // Those of the stage's last block are of the stage before, whose end it was.
    const std::int64_t width = u.widths[i], last = i > 0 ? u.widths[i - 1] : u.widths[0];
    put_residuals(u, 1, width, u.layers[i] > 0 ? width : last, to);
    put_residuals(u, u.layers[i] - 1, width, width, to);
    put_residuals(u, 1, width, last, to);
    if (u.up_attends[i]) put_unet_transformers(u, i, u.layers[i] + 1, to);
    if (i == 0) continue;
    put(to, u.image, blocks::resample{2});
    blocks::convolution same;
    same.kernel = 3;
    put(to, u.image, same);
  }
}

/// What the class may have and these blocks do not describe.
inline void check_unet(diffusers_fields& fields) {
  for (const char* each :
       {"only_cross_attention", "dual_cross_attention", "encoder_hid_dim", "encoder_hid_dim_type", "class_embed_type",
        "class_embeddings_concat", "num_attention_heads", "cross_attention_norm",
        "reverse_transformer_layers_per_block", "mid_block_only_cross_attention", "time_embedding_dim"})
    fields.refuse(each);
  for (const char* each : {"conv_in_kernel", "conv_out_kernel"}) fields.only(each, 3);
  fields.only("attention_type", "default"), fields.only("time_embedding_type", "positional");
}

/// Embeddings of the time step, of sizes and a pooled text (XL), of a class and of guidance (LCM).
inline void put_unet_time(diffusers_fields& fields, unet_sizes& u, denoiser_reading& read) {
  blocks::model& to = read.to;
  const std::int64_t first = u.widths[0], width = checked_multiply(4, first);
  u.time = diffusion_stream(to, "time", first);
  read.guidance_input = fields.has("time_cond_proj_dim");
  if (read.guidance_input)
    put(to, diffusion_stream(to, "guidance", fields.count("time_cond_proj_dim", 256)), blocks::dense{0, first, false});
  put_embedder(to, u.time, width);
  if (fields.has("num_class_embeds")) put(to, u.time, blocks::table{fields.count("num_class_embeds", 1000)});
  if (fields.word("addition_embed_type", "", {"", "text_time"}).empty()) return;
  const std::int64_t more = fields.count("projection_class_embeddings_input_dim", 2816);
  put_embedder(to, diffusion_stream(to, "sizes and text", more), width);
}

inline std::vector<bool> which_attend(const std::vector<std::string>& types) {
  std::vector<bool> attend;
  for (const std::string& each : types) attend.push_back(each.rfind("CrossAttn", 0) == 0);
  return attend;
}

/// The stages of the file.
inline unet_sizes read_unet_sizes(diffusers_fields& fields) {
  unet_sizes u;
  u.widths = fields.counts("block_out_channels", {320, 640, 1280, 1280}, true);
  const std::size_t stages = u.widths.size();
  const std::string down = "CrossAttnDownBlock2D", up = "CrossAttnUpBlock2D";
  u.down_attends = which_attend(
      fields.words("down_block_types", {down, down, down, "DownBlock2D"}, {"CrossAttnDownBlock2D", "DownBlock2D"}));
  u.up_attends =
      which_attend(fields.words("up_block_types", {"UpBlock2D", up, up, up}, {"CrossAttnUpBlock2D", "UpBlock2D"}));
  if (u.down_attends.size() != stages || u.up_attends.size() != stages)
    fail(errc::invalid_argument, fields.object().path("block_out_channels"), static_cast<std::int64_t>(stages),
         "as many stages as down_block_types and up_block_types have");
  for (std::size_t i = 0; i < stages / 2; ++i) {
    const bool swapped = u.up_attends[i];
    u.up_attends[i] = u.up_attends[stages - 1 - i], u.up_attends[stages - 1 - i] = swapped;
  }
  u.layers = fields.each_stage("layers_per_block", 2, stages),
  u.seen = fields.each_stage("cross_attention_dim", 1280, stages);
  u.heads = fields.each_stage("attention_head_dim", 8, stages);  // the class takes it as the number of heads
  u.depths = fields.each_stage("transformer_layers_per_block", 1, stages);
  for (std::size_t i = 0; i < stages; ++i) {
    if (u.widths[i] % u.heads[i] != 0)
      fail(errc::not_divisible, fields.object().path("block_out_channels"), u.widths[i], "a multiple of its heads");
    if (u.seen[i] != u.seen[0])
      fail(errc::unsupported, fields.object().path("cross_attention_dim"), u.seen[i], "the same in every stage");
  }
  return u;
}

/// UNet2DConditionModel.
inline void read_unet(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  check_unet(fields);
  unet_sizes u = read_unet_sizes(fields);
  const std::int64_t inputs = fields.count("in_channels", 4), outputs = fields.count("out_channels", 4);
  u.scales = fields.word("resnet_time_scale_shift", "default", {"default", "scale_shift"}) == "default" ? 1 : 2;
  const std::string mid = fields.word("mid_block_type", "UNetMidBlock2DCrossAttn", {"UNetMidBlock2DCrossAttn", ""});
  read.latent_channels = outputs;
  if (fields.has("sample_size") && !fields.object().at("sample_size").is_array())
    read.sample = fields.count("sample_size", 64);
  u.image = diffusion_stream(to, "image", inputs, blocks::extent::latent);
  u.text = diffusion_stream(to, "text", u.seen[0], blocks::extent::text);
  put_unet_time(fields, u, read);
  blocks::convolution side;
  side.kernel = 3, side.outputs = u.widths[0];
  put(to, u.image, side);
  put_way_down(u, to);
  if (!mid.empty()) {
    put_residuals(u, 2, 0, 0, to);
    put_unet_transformers(u, u.widths.size() - 1, 1, to);
  }
  put_way_up(u, to);
  put(to, u.image, blocks::norm{1, norm_kind::layer});
  side.outputs = outputs;
  put(to, u.image, side);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
