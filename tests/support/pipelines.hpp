#ifndef TPUPLAN_TESTS_SUPPORT_PIPELINES_HPP
#define TPUPLAN_TESTS_SUPPORT_PIPELINES_HPP

#include <tpuplan/model/pipeline.hpp>

/// A small pipeline of clips: two layers of attention and an MLP over latent patches, and a decoder of two
/// convolutions.
constexpr tpuplan::diffusion_pipeline small_pipeline() {
  using namespace tpuplan;
  diffusion_pipeline p;
  p.name = "small";
  denoiser d;
  blocks::place clip;
  clip.stream = put(d.model, blocks::stream{"clip", blocks::flow::example, 64, 1, 1, 1, blocks::extent::latent});
  put(d.model, clip, blocks::dense{0, 512});
  blocks::place layer = clip;
  layer.count = 0;
  blocks::attention self{8, 8, 64};
  self.causal = false;
  const int first = put(d.model, layer, self), second = put(d.model, layer, blocks::mlp{2048, 0, false, true});
  repeat(d.model, 2, {first, second});
  p.denoisers.add(d, "denoisers");
  blocks::place at;
  at.stream = put(p.decoder, blocks::stream{"latent", blocks::flow::example, 16, 1, 1, 1, blocks::extent::latent});
  blocks::convolution one;
  one.outputs = 128, one.kernel = 3;
  put(p.decoder, at, one);
  one.outputs = 3;
  put(p.decoder, at, one);
  p.latent_channels = 16, p.spatial = 8, p.temporal = 4, p.patch = 2;
  p.usual_forwards = 2, p.usual_steps = 20, p.usual = {256, 256, 9};
  return p;
}

#endif
