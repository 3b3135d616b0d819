#ifndef TPUPLAN_ESTIMATE_MEMORY_HPP
#define TPUPLAN_ESTIMATE_MEMORY_HPP

#include <array>
#include <cstddef>
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
  constexpr std::string_view names[] = {"yes", "uncertain", "no"};
  return detail::name_of(names, static_cast<std::size_t>(v));
}

/// When a step needs most; what belongs to different stages is never live together. `logits`: end of the forward pass,
/// logits and output head beside all saved activations. `layer`: backward pass of a layer, its weights, what it does
/// again, gradients. `update`: all gradients and what the optimizer keeps.
enum class memory_stage : std::uint8_t { logits, layer, update };

/// "logits", "layer" or "update".
[[nodiscard]] constexpr std::string_view name(memory_stage stage) noexcept {
  constexpr std::string_view names[] = {"logits", "layer", "update"};
  return detail::name_of(names, static_cast<std::size_t>(stage));
}

/// Bytes on one device in the stage that needs most; the parts add up to `total`.
struct memory_breakdown {
  bytes parameters{};
  bytes optimizer{};
  bytes gradients{};         ///< accumulated ones in fp32, and those that the stage has made
  bytes activations{};       ///< saved between forward and backward pass
  bytes logits{};            ///< with their gradient
  bytes gathered_weights{};  ///< under FSDP: whole weights in flight, and gradients that wait to be reduced
  bytes workspace{};         ///< what a layer does again, gradients of activations, buffers of transfers
  bytes total{};
  bytes low{};     ///< the least that a good compiler needs
  bytes high{};    ///< nothing fused or reused
  bytes usable{};  ///< what XLA lets a program use on the device
  memory_stage stage = memory_stage::layer;
};

/// What is left: usable less total; negative where it does not fit.
[[nodiscard]] constexpr bytes headroom(const memory_breakdown& m) noexcept { return m.usable - m.total; }

/// Share of what is usable below which the high estimate is safe; as far above it the low one surely does not fit.
inline constexpr double safe_share = 0.97;

/// `yes` where even the high estimate is below 97 % of what is usable, `no` where the low one is above 103 %.
[[nodiscard]] constexpr verdict fits(const memory_breakdown& m) noexcept {
  if (m.high < safe_share * m.usable) return verdict::yes;
  return m.low > (2 - safe_share) * m.usable ? verdict::no : verdict::uncertain;
}

/// Why a verdict is not better: the largest part of the stage that needs most. Worked: "logits".
[[nodiscard]] constexpr std::string_view largest_part(const memory_breakdown& m) noexcept {
  constexpr std::string_view names[] = {"state", "gradients", "activations", "logits", "gathered weights", "workspace"};
  bytes most = m.parameters + m.optimizer;
  std::size_t place = 0, i = 0;
  for (const bytes part : {m.gradients, m.activations, m.logits, m.gathered_weights, m.workspace}) {
    if (++i; part > most) most = part, place = i;
  }
  return names[place];
}

namespace detail {

/// Ways in which weights are cut over the devices of all stages of the pipeline.
constexpr double weight_shards(const layout& l, const slice& s) {
  const double per_unit =
      l.unit == mesh_unit::chips ? static_cast<double>(devices(s)) / static_cast<double>(chips(s)) : 1;
  return static_cast<double>(checked_multiply(l.fsdp, l.tensor, l.expert)) * per_unit *
         static_cast<double>(checked_multiply(l.pipeline, l.dcn_pipeline, l.dcn_fsdp));
}

/// What the stages are made of, on one device.
struct memory_terms {
  layer_widths width{};
  double tokens = 0, element = 2;           // of a microbatch; bytes of a number in products
  double frozen = 0, trained = 0;           // parameters
  double layer = 0, experts = 0, head = 0;  // bytes of gathered weights: of a layer, of its experts, of the output head
};

constexpr memory_terms terms_of(const transformer& m, const training& job, const layout& l, const slice& s) {
  const parameter_count count = parameters(m);
  const double shards = weight_shards(l, s);
  const held_parameters held = held_by(m, job);
  memory_terms t{widths_of(m)};
  t.width.scores = scores_width(m, job);
  t.tokens = static_cast<double>(tokens_per_step(job)) / static_cast<double>(job.gradient_accumulation) /
             static_cast<double>(checked_multiply(devices(s), slices(l)));
  t.element = job.compute == dtype::fp32 ? 4 : 2;
  t.frozen = held.frozen / shards;
  t.trained = held.trained / shards;
  if (l.fsdp > 1 || l.dcn_fsdp > 1) {
    const auto tensor = static_cast<double>(l.tensor);
    const double body =
        static_cast<double>(count.total) - static_cast<double>(count.embedding + count.lm_head + count.experts +
                                                               count.vision + count.projector + count.head);
    t.layer = t.element * (body > 0 ? body : 0) / static_cast<double>(m.layers) / tensor;
    const double spread = static_cast<double>(checked_multiply(moe_layers(m), l.expert)) * tensor;
    if (moe_layers(m) > 0) t.experts = t.element * static_cast<double>(count.experts) / spread;
    t.head = t.element * static_cast<double>(m.vocab) * t.width.d_model / tensor;
  }
  return t;
}

/// One estimate: the three stages, in the order of the steps, each with its parts and their total.
constexpr std::array<memory_breakdown, 3> memory_stages(const memory_calibration& k, const memory_terms& t,
                                                        const transformer& m, const training& job, const layout& l) {
  double copies = in_eight_bits(job) ? k.quantised_bytes : 0;
  if (job.compute == dtype::fp8 && copies > 1) copies = 1;
  const double d = t.width.d_model;
  const auto layers = static_cast<double>(m.layers);
  const double number = t.element * t.tokens;
  const double saved = saved_width(t.width, job.remat);
  const double routed = 2 * static_cast<double>(m.moe.top_k) * (job.capacity_factor > 1 ? job.capacity_factor : 1);
  const double all = t.width.qkv + t.width.mlp + (4 + routed) * d;
  const double again = all > saved ? all - saved : 0;
  memory_breakdown b;
  b.parameters = size_of(job.frozen_weights) * t.frozen + size_of(job.weights) * t.trained;
  b.optimizer = optimizer_bytes_per_parameter(job.optimizer, job.moments) * t.trained;
  if (job.gradient_accumulation > 1) b.gradients = bytes{4 * t.trained};
  memory_breakdown update = b;
  update.stage = memory_stage::update;
  if (job.gradient_accumulation == 1) update.gradients = bytes{t.element * t.trained};
  if (job.state_on_host != host_state::none) b.optimizer = {};
  const double brought = k.host_layers * static_cast<double>(checked_multiply(l.pipeline, l.dcn_pipeline)) / layers;
  if (job.state_on_host == host_state::parameters_and_optimizer && brought < 1) b.parameters = brought * b.parameters;
  b.activations = bytes{number * layers * saved};
  memory_breakdown logits = b;
  logits.stage = memory_stage::logits;
  logits.logits = bytes{4 * k.logits_copies * t.tokens * static_cast<double>(m.vocab) * job.logits_fraction /
                        static_cast<double>(job.vocabulary_tiles)};
  logits.gathered_weights = bytes{t.head};
  logits.workspace = bytes{2 * number * d};
  b.gradients += bytes{k.kept_gradients * t.element * t.trained};
  b.gathered_weights = bytes{k.weight_layers * (t.layer + t.experts) +
                             k.gradient_layers * (job.lora_rank > 0 ? 0 : t.layer + t.experts / (m.mlp.gated ? 3 : 2))};
  const double tensor = l.tensor > 1 ? static_cast<double>(l.tensor) * d : 0;
  // Probabilities and their gradient, but for those that are saved.
  const double scores = t.width.scores * (2 * k.logits_copies - (job.remat.elementwise == placement::device ? 1 : 0));
  b.workspace = bytes{t.tokens * (t.element + copies) * (k.recomputed * again + k.activation_gradients * all) +
                      number * (tensor + scores + k.host_layers * saved_width(t.width, job.remat, placement::host))};
  std::array<memory_breakdown, 3> stages = {logits, b, update};
  for (memory_breakdown& x : stages)
    x.total = x.parameters + x.optimizer + x.gradients + x.activations + x.logits + x.gathered_weights + x.workspace;
  return stages;
}

/// The stage that needs most.
constexpr memory_breakdown memory_with(const memory_calibration& k, const memory_terms& t, const transformer& m,
                                       const training& job, const layout& l) {
  const std::array<memory_breakdown, 3> stages = memory_stages(k, t, m, job, l);
  const memory_breakdown& most = stages[1].total > stages[0].total ? stages[1] : stages[0];
  return stages[2].total > most.total ? stages[2] : most;
}

}  // namespace detail

/// HBM that one training step takes on one device: state, and the most that is live beside it in any stage. Tensor
/// parallelism leaves activations as they are: widths shrink and tokens per device grow alike. Adapters of LoRA train
/// on a frozen base; what lies in host memory is counted while it is brought to the device. Throws for invalid shapes,
/// meshes that do not fill the slice, batches that do not divide, and what is not modelled (encoder-decoders, LoRA on
/// experts or latent attention).
/// Source: physics, constants in `memory_calibration`; held against published runs and memory records
/// (tests/oracle/memory_records.cpp).
[[nodiscard]] constexpr memory_breakdown memory_use(const transformer& m, const training& job, const layout& l,
                                                    const slice& s) {
  detail::check_trained(m, job, l, s);
  const detail::memory_terms t = detail::terms_of(m, job, l, s);
  memory_breakdown result = detail::memory_with(memory_point, t, m, job, l);
  result.low = detail::memory_with(memory_low, t, m, job, l).total;
  result.high = detail::memory_with(memory_high, t, m, job, l).total;
  result.usable = usable_hbm_per_device(s.chip);
  return result;
}

/// The largest global batch, in whole multiples of the layout's batch shards and accumulation, whose verdict is yes;
/// nothing where not even the smallest fits. Worked: 1152 for llama-3-8b at 4096 tokens, FSDP over v5p-128.
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
