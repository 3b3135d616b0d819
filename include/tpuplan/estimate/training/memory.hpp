#ifndef TPUPLAN_ESTIMATE_TRAINING_MEMORY_HPP
#define TPUPLAN_ESTIMATE_TRAINING_MEMORY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/estimate/verdict.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/maybe.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// HBM that training takes on one JAX device, part by part, against what XLA lets a program use.

namespace tpuplan {
inline namespace abi_0 {

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
  bytes parameters{};        ///< as they are kept between steps
  bytes optimizer{};         ///< its state
  bytes gradients{};         ///< accumulated ones in fp32, and those that the stage has made
  bytes activations{};       ///< saved between forward and backward pass
  bytes logits{};            ///< with their gradient
  bytes gathered_weights{};  ///< under FSDP: whole weights in flight, and gradients that wait to be reduced
  bytes workspace{};         ///< what a layer does again, gradients of activations, buffers of transfers
  bytes total{};             ///< in the stage that needs most
  bytes low{};               ///< the least that a good compiler needs
  bytes high{};              ///< nothing fused or reused
  bytes usable{};            ///< what XLA lets a program use on the device
  memory_stage stage = memory_stage::layer;  ///< the stage that needs most
};

/// What is left: usable less total; negative where it does not fit.
[[nodiscard]] constexpr bytes headroom(const memory_breakdown& memory) noexcept { return memory.usable - memory.total; }

/// `yes` where even the high estimate is below 97 % of what is usable, `no` where the low one is above 103 %.
[[nodiscard]] constexpr verdict fits(const memory_breakdown& memory) noexcept {
  if (memory.high < safe_share * memory.usable) return verdict::yes;
  return memory.low > (2 - safe_share) * memory.usable ? verdict::no : verdict::uncertain;
}

/// Why a verdict is not better: the largest part of the stage that needs most. Worked: "logits".
[[nodiscard]] constexpr std::string_view largest_part(const memory_breakdown& memory) noexcept {
  constexpr std::string_view names[] = {"state", "gradients", "activations", "logits", "gathered weights", "workspace"};
  bytes most = memory.parameters + memory.optimizer;
  std::size_t place = 0, i = 0;
  for (const bytes part :
       {memory.gradients, memory.activations, memory.logits, memory.gathered_weights, memory.workspace}) {
    if (++i; part > most) most = part, place = i;
  }
  return names[place];
}

namespace detail {

/// Ways in which weights are cut over the devices of all stages of the pipeline.
constexpr double weight_shards(const layout& mesh, const slice& where) {
  const double per_unit =
      mesh.unit == mesh_unit::chips ? static_cast<double>(devices(where)) / static_cast<double>(chips(where)) : 1;
  return static_cast<double>(checked_multiply(mesh.fsdp, mesh.tensor, mesh.expert)) * per_unit *
         static_cast<double>(checked_multiply(mesh.pipeline, mesh.dcn_pipeline, mesh.dcn_fsdp));
}

/// What the stages are made of, on one device.
struct memory_terms {
  layer_widths width{};
  double tokens = 0, element = 2;           // of a microbatch; bytes of a number in products
  double frozen = 0, trained = 0;           // parameters
  double layer = 0, experts = 0, head = 0;  // bytes of gathered weights: of a layer, of its experts, of the output head
};

constexpr memory_terms terms_of(const transformer& model, const training_job& job, const layout& mesh,
                                const slice& where) {
  const parameter_count count = parameters(model);
  const double shards = weight_shards(mesh, where);
  const held_parameters held = held_by(model, job);
  memory_terms t{widths_of(model)};
  t.width.scores = scores_width(model, job);
  t.tokens = static_cast<double>(tokens_per_step(job)) / static_cast<double>(job.gradient_accumulation) /
             static_cast<double>(checked_multiply(devices(where), slices(mesh)));
  t.element = job.compute == dtype::fp32 ? 4 : 2;
  t.frozen = held.frozen / shards;
  t.trained = held.trained / shards;
  if (mesh.fsdp > 1 || mesh.dcn_fsdp > 1) {
    const auto tensor = static_cast<double>(mesh.tensor);
    const double body =
        static_cast<double>(count.total) - static_cast<double>(count.embedding + count.lm_head + count.experts +
                                                               count.vision + count.projector + count.head);
    t.layer = t.element * (body > 0 ? body : 0) / static_cast<double>(model.layers) / tensor;
    const double spread = static_cast<double>(checked_multiply(moe_layers(model), mesh.expert)) * tensor;
    if (moe_layers(model) > 0) t.experts = t.element * static_cast<double>(count.experts) / spread;
    t.head = t.element * static_cast<double>(model.vocab) * t.width.d_model / tensor;
  }
  return t;
}

/// One estimate: the three stages, in the order of the steps, each with its parts and their total.
constexpr std::array<memory_breakdown, 3> memory_stages(const memory_calibration& constants, const memory_terms& t,
                                                        const transformer& model, const training_job& job,
                                                        const layout& mesh) {
  double copies = in_eight_bits(job) ? constants.quantised_bytes : 0;
  if (job.compute == dtype::fp8 && copies > 1) copies = 1;
  const double d = t.width.d_model;
  const auto layers = static_cast<double>(model.layers);
  const double number = t.element * t.tokens;
  const double saved = saved_width(t.width, job.remat);
  const double routed = 2 * static_cast<double>(model.moe.top_k) * (job.capacity_factor > 1 ? job.capacity_factor : 1);
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
  const double brought =
      constants.host_layers * static_cast<double>(checked_multiply(mesh.pipeline, mesh.dcn_pipeline)) / layers;
  if (job.state_on_host == host_state::parameters_and_optimizer && brought < 1) b.parameters = brought * b.parameters;
  b.activations = bytes{number * layers * saved};
  memory_breakdown logits = b;
  logits.stage = memory_stage::logits;
  logits.logits = bytes{4 * constants.logits_copies * t.tokens * static_cast<double>(model.vocab) *
                        job.logits_fraction / static_cast<double>(job.vocabulary_tiles)};
  logits.gathered_weights = bytes{t.head};
  logits.workspace = bytes{2 * number * d};
  b.gradients += bytes{constants.kept_gradients * t.element * t.trained};
  b.gathered_weights =
      bytes{constants.weight_layers * (t.layer + t.experts) +
            constants.gradient_layers * (job.lora_rank > 0 ? 0 : t.layer + t.experts / (model.mlp.gated ? 3 : 2))};
  const double tensor = mesh.tensor > 1 ? static_cast<double>(mesh.tensor) * d : 0;
  // Probabilities and their gradient, but for those that are saved.
  const double scores =
      t.width.scores * (2 * constants.logits_copies - (job.remat.elementwise == placement::device ? 1 : 0));
  b.workspace =
      bytes{t.tokens * (t.element + copies) * (constants.recomputed * again + constants.activation_gradients * all) +
            number * (tensor + scores + constants.host_layers * saved_width(t.width, job.remat, placement::host))};
  std::array<memory_breakdown, 3> stages = {logits, b, update};
  for (memory_breakdown& x : stages)
    x.total = x.parameters + x.optimizer + x.gradients + x.activations + x.logits + x.gathered_weights + x.workspace;
  return stages;
}

/// The stage that needs most.
constexpr memory_breakdown memory_with(const memory_calibration& constants, const memory_terms& t,
                                       const transformer& model, const training_job& job, const layout& mesh) {
  const std::array<memory_breakdown, 3> stages = memory_stages(constants, t, model, job, mesh);
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
[[nodiscard]] constexpr memory_breakdown memory_use(const transformer& model, const training_job& job,
                                                    const layout& mesh, const slice& where) {
  detail::check_trained(model, job, mesh, where);
  const detail::memory_terms t = detail::terms_of(model, job, mesh, where);
  memory_breakdown result = detail::memory_with(memory_point, t, model, job, mesh);
  result.low = detail::memory_with(memory_low, t, model, job, mesh).total;
  result.high = detail::memory_with(memory_high, t, model, job, mesh).total;
  result.usable = usable_hbm_per_device(where.chip);
  return result;
}

/// The largest global batch, in whole multiples of the layout's batch shards and accumulation, whose verdict is yes;
/// nothing where not even the smallest fits. Worked: 1152 for llama-3-8b at 4096 tokens, FSDP over v5p-128.
[[nodiscard]] constexpr maybe<std::int64_t> largest_batch(const transformer& model, training_job job,
                                                          const layout& mesh, const slice& where) {
  detail::positive_count("training_job.gradient_accumulation", job.gradient_accumulation);
  const std::int64_t unit = checked_multiply(batch_shards(mesh), job.gradient_accumulation);
  const auto fits_with = [&](std::int64_t units) {
    job.global_batch = checked_multiply(unit, units);
    return fits(memory_use(model, job, mesh, where)) == verdict::yes;
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
