#ifndef TPUPLAN_ESTIMATE_MEMORY_HPP
#define TPUPLAN_ESTIMATE_MEMORY_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/calibration.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/maybe.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// HBM that training takes on one JAX device, part by part, against what XLA lets a program use.

namespace tpuplan {
inline namespace abi_0 {

/// Does it fit? `uncertain` where the compiler's choices decide.
enum class verdict : std::uint8_t { yes, uncertain, no };

/// "yes", "uncertain" or "no".
[[nodiscard]] constexpr std::string_view name(verdict v) noexcept {
  switch (v) {
    case verdict::yes: return "yes";
    case verdict::uncertain: return "uncertain";
    case verdict::no: return "no";
  }
  return "?";
}

/// Bytes on one device; the parts add up to `total`.
struct memory_breakdown {
  bytes parameters{};
  bytes optimizer{};
  bytes gradients{};         ///< kept only with gradient accumulation; otherwise consumed layer by layer
  bytes activations{};       ///< saved between forward and backward pass
  bytes logits{};            ///< with their gradient
  bytes gathered_weights{};  ///< whole layers in flight under FSDP
  bytes workspace{};         ///< elementwise buffers of one layer
  bytes total{};
  bytes low{};     ///< the least that a good compiler needs
  bytes high{};    ///< nothing fused or reused
  bytes usable{};  ///< what XLA lets a program use on the device
};

/// What is left: usable less total; negative where it does not fit.
[[nodiscard]] constexpr bytes headroom(const memory_breakdown& m) noexcept { return m.usable - m.total; }

/// `yes` where even the high estimate is below 97 % of what is usable, `no` where the low one is above 103 %.
[[nodiscard]] constexpr verdict fits(const memory_breakdown& m) noexcept {
  if (m.high < 0.97 * m.usable) return verdict::yes;
  return m.low > 1.03 * m.usable ? verdict::no : verdict::uncertain;
}

namespace detail {

constexpr void check_trained(const transformer& m, const training& job, const layout& l, const slice& s) {
  validate(m);
  validate(job);
  validate(l, s);
  validate(l, m, job);
  if (m.kind == architecture::encoder_decoder || m.kind == architecture::vision) {
    fail(errc::unsupported, "training of an architecture", name(m.kind), "decoder or encoder");
  }
  if (l.context > 1) fail(errc::unsupported, "layout.context", l.context, "1: context parallelism is not modelled");
  if (l.dcn_fsdp > 1) fail(errc::unsupported, "layout.dcn_fsdp", l.dcn_fsdp, "1: FSDP between slices is not modelled");
  if (job.images_per_sequence > 0 && !has_vision(m)) {
    fail(errc::invalid_argument, "training.images_per_sequence", job.images_per_sequence,
         "0 for a model without vision");
  }
}

/// Ways in which weights are cut over the devices of all stages of the pipeline.
constexpr double weight_shards(const layout& l, const slice& s) {
  const double per_unit =
      l.unit == mesh_unit::chips ? static_cast<double>(devices(s)) / static_cast<double>(chips(s)) : 1;
  return static_cast<double>(checked_multiply(l.fsdp, l.tensor, l.expert)) * per_unit *
         static_cast<double>(checked_multiply(l.pipeline, l.dcn_pipeline));
}

/// What the compiler decides: logits, gathered weights, workspace.
struct memory_choices {
  bytes logits{};
  bytes gathered_weights{};
  bytes workspace{};
};

constexpr memory_choices choices(const transformer& m, const training& job, const layout& l, const layer_widths& w,
                                 std::int64_t parameter_total, double tokens, const memory_calibration& k) {
  memory_choices c;
  const auto vocab = static_cast<double>(m.vocab);
  const double element = job.compute == dtype::fp32 ? 4 : 2;
  c.logits =
      bytes{4 * k.logits_copies * tokens * vocab * job.logits_fraction / static_cast<double>(job.vocabulary_tiles)};
  const double body = static_cast<double>(parameter_total) - vocab * w.d_model;
  if (l.fsdp > 1) {
    c.gathered_weights = bytes{2 * k.gathered_layers * body / static_cast<double>(m.layers) /
                               static_cast<double>(checked_multiply(l.tensor, l.expert))};
  }
  const auto routed = static_cast<double>(m.moe.top_k);
  c.workspace = bytes{element * k.workspace_copies * tokens * (w.qkv + w.mlp + (4 + 2 * routed) * w.d_model)};
  return c;
}

}  // namespace detail

/// HBM that one training step takes on one device. Tensor parallelism leaves activations as they are: widths shrink and
/// tokens per device grow alike. Throws for invalid shapes, meshes that do not fill the slice, batches that do not
/// divide, and what is not modelled (encoder-decoders, context parallelism).
/// Source: calibrated on 49 published memory records; constants in `memory_calibration`.
[[nodiscard]] constexpr memory_breakdown memory_use(const transformer& m, const training& job, const layout& l,
                                                    const slice& s) {
  detail::check_trained(m, job, l, s);
  const parameter_count count = parameters(m);
  const layer_widths w = widths_of(m);
  const double shards = detail::weight_shards(l, s);
  const double per_device = static_cast<double>(count.total) / shards;
  const double all_devices = static_cast<double>(checked_multiply(devices(s), slices(l)));
  const double tokens =
      static_cast<double>(tokens_per_step(job)) / all_devices / static_cast<double>(job.gradient_accumulation);
  const double element = job.compute == dtype::fp32 ? 4 : 2;
  memory_breakdown result;
  result.parameters = size_of(job.weights) * per_device;
  result.optimizer = optimizer_bytes_per_parameter(job.optimizer, job.moments) * per_device;
  if (job.gradient_accumulation > 1) result.gradients = bytes{4 * per_device};
  result.activations = bytes{element * tokens * static_cast<double>(m.layers) * saved_width(w, job.remat)};
  const auto with = [&](const memory_calibration& k) { return detail::choices(m, job, l, w, count.total, tokens, k); };
  const detail::memory_choices point = with(memory_point);
  result.logits = point.logits;
  result.gathered_weights = point.gathered_weights;
  result.workspace = point.workspace;
  const bytes fixed = result.parameters + result.optimizer + result.gradients + result.activations;
  result.total = fixed + point.logits + point.gathered_weights + point.workspace;
  const detail::memory_choices low = with(memory_low);
  const detail::memory_choices high = with(memory_high);
  result.low = fixed + low.logits + low.gathered_weights + low.workspace;
  result.high = fixed + high.logits + high.gathered_weights + high.workspace;
  result.usable = usable_hbm_per_device(s.chip);
  return result;
}

/// The largest global batch, in whole multiples of the layout's batch shards and accumulation, whose verdict is yes;
/// nothing where not even the smallest fits. Worked: 960 for llama-3-8b at 4096 tokens, FSDP over v5p-128.
[[nodiscard]] constexpr maybe<std::int64_t> largest_batch(const transformer& m, training job, const layout& l,
                                                          const slice& s) {
  detail::positive_count("training.gradient_accumulation", job.gradient_accumulation);
  const std::int64_t unit = checked_multiply(batch_shards(l), job.gradient_accumulation);
  const auto fits_with = [&](std::int64_t units) {
    job.global_batch = checked_multiply(unit, units);
    return fits(memory_use(m, job, l, s)) == verdict::yes;
  };
  if (!fits_with(1)) return nothing;
  std::int64_t good = 1;
  std::int64_t bad = 2;
  while (bad < (std::int64_t{1} << 30) && fits_with(bad)) {
    good = bad;
    bad *= 2;
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits_with(middle) ? good : bad) = middle;
  }
  return checked_multiply(unit, good);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
