#ifndef TPUPLAN_ESTIMATE_TRAINING_MEMORY_HPP
#define TPUPLAN_ESTIMATE_TRAINING_MEMORY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/estimate/training/terms.hpp>
#include <tpuplan/estimate/verdict.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// HBM that training takes on one JAX device, part by part, and whether XLA lets a program use that much.

namespace tpuplan {
inline namespace abi_0 {

/// The stages of a step, one of which needs the most memory; tensors of different stages are never live together.
/// `logits`: the end of the forward pass, with logits and output head beside all saved activations. `layer`: the
/// backward pass of one layer, with its weights, what it computes again, and gradients. `update`: all gradients and
/// what the optimizer keeps.
enum class memory_stage : std::uint8_t { logits, layer, update };

/// "logits", "layer" or "update".
[[nodiscard]] constexpr std::string_view name(memory_stage stage) noexcept {
  constexpr const char* names[] = {"logits", "layer", "update"};
  return detail::name_of(names, static_cast<std::size_t>(stage));
}

/// Bytes on one device in the stage that needs most; the parts add up to `total`.
struct memory_breakdown {
  bytes parameters{};         ///< the form that is kept between steps
  bytes optimizer{};          ///< the optimizer's state
  bytes gradients{};          ///< accumulated in fp32, and those that the stage has made
  bytes activations{};        ///< saved between forward and backward pass
  bytes logits{};             ///< logits and their gradient
  bytes gathered_weights{};   ///< under FSDP: whole weights in flight, and gradients that wait to be reduced
  bytes workspace{};          ///< what a layer computes again, gradients of activations, buffers of transfers
  bytes total{};              ///< in the stage that needs most
  bytes low{};                ///< low end: what a good compiler needs, and no less than what published runs support
  bytes high{};               ///< high end: nothing is fused or reused
  bytes usable{};             ///< what XLA lets a program use on the device
  bytes on_host{};            ///< tensors of the remat policy and state that are kept on the host, for each device
  known<bytes> host_share{};  ///< of the host's DRAM, what a device has for them
  memory_stage stage = memory_stage::layer;  ///< the stage that needs most
  bool ran = false;  ///< a run of the caller's own was of this very job: it fits, whatever is estimated
};

/// How far the estimate of a job that ran may be above what is usable: see most_over_dense. Worked: 1.35 for
/// llama-3-8b.
[[nodiscard]] constexpr double most_over(const transformer& model) noexcept {
  return has_experts(model) ? most_over_experts : most_over_dense;
}

/// HBM that is left: usable less total; negative where the job does not fit. Worked: 15.5 of 31.25 GiB in use leave
/// 15.75 GiB.
[[nodiscard]] constexpr bytes headroom(const memory_breakdown& memory) noexcept { return memory.usable - memory.total; }

/// `yes` where the job ran, or even the high estimate is below 97 % of what is usable, `no` where the low one is above
/// 103 %, or where the host has no room for what is kept there. Worked: `yes` for a high estimate of 25.24 GiB of 31.25
/// (docs/model.md).
[[nodiscard]] constexpr verdict fits(const memory_breakdown& memory) noexcept {
  if (memory.ran) return verdict::yes;
  if (memory.host_share.has_value() && memory.on_host > memory.host_share.value_or({})) return verdict::no;
  if (memory.high < safe_share * memory.usable) return verdict::yes;
  return memory.low > (2 - safe_share) * memory.usable ? verdict::no : verdict::uncertain;
}

/// The name of the largest part of the stage that needs most: why a job does not fit. Worked: "logits" for 128
/// sequences of 4096 tokens of llama-3-8b on v5p-128 under FSDP.
[[nodiscard]] constexpr std::string_view largest_part(const memory_breakdown& memory) noexcept {
  constexpr const char* names[] = {"state", "gradients", "activations", "logits", "gathered weights", "workspace"};
  bytes most = memory.parameters + memory.optimizer;
  std::size_t largest = 0, i = 0;
  for (const bytes part :
       {memory.gradients, memory.activations, memory.logits, memory.gathered_weights, memory.workspace}) {
    if (++i; part > most) most = part, largest = i;
  }
  return names[largest];
}

/// The memory of one stage. State is sharded with the weights; gathered weights are sharded by tensor parallelism
/// alone; the rest grows with the tokens of a microbatch.
struct stage_terms {
  /// @{
  /// Bytes of all weights, before they are sharded. `accumulated_gradients` replaces `gradients` where several
  /// microbatches add to them.
  bytes parameters{}, optimizer{}, gradients{}, accumulated_gradients{};
  /// @}
  double brought = 1;        ///< share of the parameters in HBM; multiplied by the stages, at most 1
  bytes gathered{};          ///< whole weights on a device under FSDP
  bytes gathered_experts{};  ///< whole weights of experts under FSDP, before expert parallelism
  /// @{
  /// Bytes for each token of a microbatch on a device.
  bytes activations{}, logits{}, workspace{};
  double worst = 0;  ///< share of the buffers for the worst routing that is taken: 0 or 1
  bytes routed{};    ///< workspace of tokens routed to experts, if each shard gets as many as it sends
  /// @}
};

/// The stages of a step by `memory_stage`, under one estimate of what the compiler does.
using memory_terms = std::array<stage_terms, 3>;

/// What the memory of a device depends on in a layout.
struct memory_layout {
  double weight_shards = 1;    ///< devices over which weights are sharded, all pipeline stages and slices counted
  double stages = 1;           ///< pipeline stages
  double gathers = 0;          ///< 1 where weights are gathered, as FSDP does, else 0
  double gathers_experts = 0;  ///< the part of routed experts, which lie on shards of their own, that is gathered
  double tokens = 0;           ///< tokens of a step on a device
  double worst_routed = 1;     ///< routed tokens a shard has buffers for, over those it sends
};

namespace detail {

/// `memory_layout_of` for a layout that is known to be valid on these slices.
constexpr memory_layout memory_layout_of_valid(const transformer& model, const training_job& job, const layout& mesh,
                                               const slice& where) {
  const double devices_per_unit =
      mesh.unit == mesh_unit::chips ? static_cast<double>(devices(where)) / static_cast<double>(chips(where)) : 1;
  memory_layout at;
  at.stages = static_cast<double>(checked_multiply(mesh.pipeline, mesh.dcn_pipeline));
  at.weight_shards =
      static_cast<double>(checked_multiply(checked_multiply(mesh.fsdp, mesh.context), mesh.tensor, mesh.expert)) *
      devices_per_unit * static_cast<double>(mesh.dcn_fsdp) * at.stages;
  const bool gathers = mesh.fsdp > 1 || mesh.dcn_fsdp > 1 || mesh.context > 1;
  at.gathers = gathers || mesh.expert > 1 ? 1 : 0;
  at.gathers_experts = gathers ? 1 / static_cast<double>(mesh.expert) : 0;
  at.worst_routed = worst_routed(model, job, mesh);
  at.tokens =
      static_cast<double>(tokens_per_step(job)) / static_cast<double>(checked_multiply(devices(where), slices(mesh)));
  return at;
}

}  // namespace detail

/// The figures of a layout that memory depends on. Worked: FSDP over v5p-128 shards weights over 64 devices.
[[nodiscard]] constexpr memory_layout memory_layout_of(const transformer& model, const training_job& job,
                                                       const layout& mesh, const slice& where) {
  validate(mesh, where);
  return detail::memory_layout_of_valid(model, job, mesh, where);
}

namespace detail {

/// Bytes of gathered weights on a device after tensor parallelism: of a layer without experts, of a layer's experts, of
/// the output head.
struct gathered_weights {
  double layer = 0, experts = 0, head = 0;
};
/// Parameters of a layer of the decoder of a pair, the larger one: two attentions, an MLP and the norms.
constexpr double decoder_layer_weights(const transformer& model) {
  const projection_weights one = head_projections(model, model.attention.head_dim, model.attention.kv_heads, 2);
  const std::int64_t norms = checked_multiply(model.norms_per_layer + 1, model.d_model * (model.norm_bias ? 2 : 1));
  return static_cast<double>(2 * (one.qkv + one.output + one.extra) + norms + mlp_matrices(model, model.mlp.d_ff) +
                             mlp_biases(model, model.mlp.d_ff, model.mlp.bias));
}
constexpr gathered_weights gathered_of(const parameter_count& count, const transformer& model, double element,
                                       double tensor) {
  const std::int64_t elsewhere =
      count.embedding + count.lm_head + count.experts + count.vision + count.projector + count.head;
  const auto body = static_cast<double>(count.total > elsewhere ? count.total - elsewhere : 0);
  gathered_weights result;
  result.layer = element * body / static_cast<double>(model.layers) / tensor;
  if (has_two_stacks(model)) result.layer = element * decoder_layer_weights(model) / tensor;
  if (const auto layers = static_cast<double>(moe_layers(model)); layers > 0)
    result.experts = element * static_cast<double>(count.experts) / layers / tensor;
  result.head = element * static_cast<double>(checked_multiply(logit_width(model), model.d_model)) / tensor;
  return result;
}

/// The share of a host's DRAM that a device has for tensors, where it is known.
constexpr known<bytes> host_share_of(const chip_spec& chip) noexcept {
  if (!chip.host.dram.has_value() || chip.host.chips <= 0 || chip.jax_devices <= 0) return unknown;
  return chip.host.dram.value_or({}) / (static_cast<double>(chip.host.chips) * static_cast<double>(chip.jax_devices));
}

/// Bytes for each token of a microbatch that a policy keeps on the host.
constexpr bytes host_bytes_per_token(const training_sizes& sizes, const training_job& job) noexcept {
  return number_bytes(job) * (sizes.layers * saved_width(sizes.in_memory, job.remat, placement::host));
}

/// Bytes of weights and optimizer state that are kept in host memory, over all devices.
constexpr bytes host_state_bytes(const training_sizes& sizes, const training_job& job) {
  if (job.state_on_host == host_state::none) return {};
  const bytes each = optimizer_bytes_per_parameter(job);
  if (job.state_on_host == host_state::optimizer) return sizes.held.trained * each;
  return sizes.held.trained * (each + size_of(job.weights)) + sizes.held.frozen_bytes;
}

/// Layers whose parameters are in HBM when they are kept in host memory: the one in use and the next.
inline constexpr double host_layers_of_state = 2;

/// What every stage holds beside activations: weights and optimizer state.
constexpr stage_terms state_terms(const training_job& job, const training_sizes& sizes) {
  stage_terms kept;
  kept.parameters = sizes.held.frozen_bytes + size_of(job.weights) * sizes.held.trained;
  kept.accumulated_gradients = bytes{4 * sizes.held.trained};
  if (job.state_on_host == host_state::none) kept.optimizer = optimizer_bytes_per_parameter(job) * sizes.held.trained;
  if (job.state_on_host == host_state::parameters_and_optimizer) kept.brought = host_layers_of_state / sizes.layers;
  return kept;
}

/// Width of the MLPs of the experts that a token is routed to, averaged over the layers.
constexpr double routed_mlp_width(const transformer& model, const layer_widths& width) noexcept {
  const double matrices = model.mlp.gated ? 3 : 2;
  const double routed = static_cast<double>(model.moe.expert_d_ff) * static_cast<double>(model.moe.top_k) *
                        static_cast<double>(moe_layers(model)) / static_cast<double>(model.layers) * matrices;
  return routed < width.mlp ? routed : width.mlp;
}

/// What a policy keeps of that width.
constexpr double saved_routed_width(const transformer& model, const layer_widths& width, const remat_policy& policy) {
  layer_widths routed;
  routed.mlp = routed_mlp_width(model, width);
  const double matrices = model.mlp.gated ? 3 : 2;
  routed.mlp_up = routed.mlp * ((matrices - 1) / matrices);
  return saved_width(routed, policy);
}

/// Numbers per token and layer that a remat policy keeps.
struct policy_widths {
  double products = 0;        // in HBM, without elementwise tensors; with probabilities that are kept
  double elementwise = 0;     // in HBM, of elementwise tensors
  double without_routed = 0;  // in HBM, all but those of routed experts
  double on_host = 0;         // in host memory
  double scores = 0;          // 1 where probabilities are kept in HBM
};
constexpr policy_widths policy_widths_of(const transformer& model, const layer_widths& width,
                                         const remat_policy& policy) {
  remat_policy fused = policy;
  fused.elementwise = placement::recompute;
  policy_widths kept;
  kept.products = saved_width(width, fused);
  const double all = saved_width(width, policy);
  kept.scores = policy.elementwise == placement::device ? 1 : 0;
  kept.products += kept.scores * width.scores;  // which no fusion removes
  kept.elementwise = all - kept.products;
  kept.without_routed = all - saved_routed_width(model, width, policy);
  kept.on_host = saved_width(width, policy, placement::host);
  return kept;
}

/// What all estimates of a job's memory share under a tensor degree.
struct memory_basis {
  double element = 2;        // bytes of a number
  gathered_weights whole{};  // bytes of gathered weights
  double quantised = 1;      // bytes of a gathered weight over those of a number
  stage_terms state{};       // weights and optimizer state
};

constexpr memory_basis memory_basis_of(const training_sizes& sizes, const transformer& model, const training_job& job,
                                       std::int64_t tensor) {
  const double element = number_bytes(job).value();
  return {element, gathered_of(sizes.count, model, element, static_cast<double>(tensor)),
          gathered_bytes(job).value() / element, state_terms(job, sizes)};
}

/// Bytes for each token of a microbatch that depend on the remat policy: activations saved for the backward pass, those
/// of them that are still there in the layer that needs most, and the workspace of that layer.
struct policy_bytes {
  bytes activations{}, in_layer{}, workspace{};
};

/// Workspace per token for routing, in a layer with experts: copies of the token on the way to its experts and back,
/// which every tensor shard makes of all tokens, and the activations of the experts, computed again, with gradients.
constexpr bytes routed_workspace(const transformer& model, const training_job& job, std::int64_t tensor,
                                 const memory_calibration& k) {
  if (moe_layers(model) == 0) return {};
  const double copies = k.routed_copies * static_cast<double>(model.d_model) * static_cast<double>(tensor);
  const double inner = (model.mlp.gated ? 3 : 2) * static_cast<double>(model.moe.expert_d_ff);
  const double chosen = static_cast<double>(model.moe.top_k) * job.capacity_factor;
  return number_bytes(job) * (chosen * (copies + inner) * (k.recomputed + k.routed_gradients));
}

/// The workspace of a layer of those widths, for each token: what is computed again, gradients of activations, 8-bit
/// copies of operands, buffers of transfers, and scores where attention is not fused.
constexpr bytes layer_workspace(const policy_widths& kept, const layer_widths& width, const training_sizes& sizes,
                                const transformer& model, const training_job& job, std::int64_t tensor,
                                const memory_calibration& constants) {
  const double element = number_bytes(job).value();
  double copies = in_eight_bits(job) ? constants.quantised_bytes_per_element : 0;
  if (job.compute == dtype::fp8 && copies > 1) copies = 1;
  const double all = width.qkv + width.mlp - routed_mlp_width(model, width) + 4 * width.d_model + 2 * width.cross;
  const double again = all > kept.without_routed ? all - kept.without_routed : 0;
  const double sharded = tensor > 1 ? static_cast<double>(tensor) * width.d_model : 0;
  // Probabilities and their gradient, but for those that are saved.
  const double scores = width.scores * (2 * constants.scores_copies - kept.scores);
  const double host_layers = constants.host_layers < sizes.layers ? constants.host_layers : sizes.layers;
  const double on_the_way = host_layers * kept.on_host;
  return bytes{(element + copies) * (constants.recomputed * again + constants.activation_gradients * all) +
               element * (sharded + scores + on_the_way)};
}

/// Numbers of a layer that are saved in HBM.
constexpr double saved_in_hbm(const policy_widths& kept, const memory_calibration& constants) noexcept {
  return kept.products + constants.kept_elementwise * kept.elementwise;
}

/// Those bytes of an encoder and a decoder. The encoder's output is kept for the decoder, whose backward pass sums up
/// its gradient. When the encoder's layers have their backward pass, the activations of the decoder are gone.
constexpr policy_bytes policy_bytes_of_pair(const training_sizes& sizes, const transformer& model,
                                            const training_job& job, const remat_policy& policy, std::int64_t tensor,
                                            const memory_calibration& constants) {
  const stack_widths stacks = stacks_of_valid(model, job);
  const policy_widths before = policy_widths_of(model, stacks.encoder, policy);
  const policy_widths after = policy_widths_of(model, stacks.decoder, policy);
  const bytes output = number_bytes(job) * stacks.encoder.d_model;
  const bytes encoder =
      number_bytes(job) * (static_cast<double>(model.encoder_layers) * saved_in_hbm(before, constants));
  const bytes both =
      encoder + output + number_bytes(job) * (static_cast<double>(model.layers) * saved_in_hbm(after, constants));
  const bytes in_decoder = layer_workspace(after, stacks.decoder, sizes, model, job, tensor, constants) + output;
  const bytes in_encoder = layer_workspace(before, stacks.encoder, sizes, model, job, tensor, constants) + output;
  if (encoder + in_encoder > both + in_decoder) return {both, encoder, in_encoder};
  return {both, both, in_decoder};
}

/// Those bytes under one estimate.
constexpr policy_bytes policy_bytes_of(const policy_widths& kept, const training_sizes& sizes, const transformer& model,
                                       const training_job& job, const remat_policy& policy, std::int64_t tensor,
                                       const memory_calibration& constants) {
  if (sizes.source > 0) return policy_bytes_of_pair(sizes, model, job, policy, tensor, constants);
  const bytes saved = number_bytes(job) * (sizes.layers * saved_in_hbm(kept, constants) + sizes.tower_inputs);
  return {saved, saved, layer_workspace(kept, sizes.in_memory, sizes, model, job, tensor, constants)};
}

/// `memory_terms_of` for a job that is known to be valid, with what its estimates and policies share.
constexpr memory_terms memory_terms_of_valid(const memory_basis& basis, const policy_widths& policy,
                                             const training_sizes& sizes, const transformer& model,
                                             const training_job& job, std::int64_t tensor,
                                             const memory_calibration& constants) {
  const double element = basis.element;
  const policy_bytes of_policy = policy_bytes_of(policy, sizes, model, job, job.remat, tensor, constants);
  memory_terms stages{basis.state, basis.state, basis.state};
  stage_terms &logits = stages[0], &layer = stages[1], &update = stages[2];
  logits.activations = of_policy.activations;
  layer.activations = of_policy.in_layer;
  const double copies = taken_as_tuned(job.software) ? constants.logits_copies : constants.general_logits_copies;
  logits.logits = bytes{4 * copies * static_cast<double>(logit_width(model)) * job.logits_fraction /
                        static_cast<double>(job.vocabulary_tiles)};
  logits.gathered = bytes{basis.whole.head};
  logits.workspace = bytes{2 * element * static_cast<double>(model.d_model)};
  const bytes reduced{constants.kept_gradients * element * sizes.held.trained};
  layer.gradients += reduced;
  layer.accumulated_gradients += reduced;
  const double gradient_layers = job.lora_rank > 0 ? 0 : constants.gradient_layers;
  const double expert_matrices = model.mlp.gated ? 3 : 2;
  layer.gathered = bytes{(basis.quantised * constants.weight_layers + gradient_layers) * basis.whole.layer};
  layer.gathered_experts =
      bytes{(basis.quantised * constants.expert_layers + gradient_layers / expert_matrices) * basis.whole.experts};
  layer.worst = constants.worst_routing;
  layer.routed = routed_workspace(model, job, tensor, constants);
  layer.workspace = of_policy.workspace;
  update.gradients = bytes{element * sizes.held.trained};
  update.optimizer = optimizer_bytes_per_parameter(job) * sizes.held.trained;
  if (job.state_on_host == host_state::parameters_and_optimizer) update.brought = 1;
  return stages;
}

}  // namespace detail

/// The terms of a step's memory under one estimate of what the compiler does: `memory_low`, `memory_point` or
/// `memory_high`. The batch and microbatches of the job have no influence. Source: docs/model.md. Worked: for
/// llama-3-8b a token adds 4 x 128256 = 513024 B of logits in `memory_point`, and the state of AdamW in fp32 is 8 x
/// 8030261248 B in the stage `update`, before it is sharded.
[[nodiscard]] constexpr memory_terms memory_terms_of(const training_sizes& sizes, const transformer& model,
                                                     const training_job& job, std::int64_t tensor,
                                                     const memory_calibration& constants) {
  validate_settings(job);
  detail::positive_count("layout.tensor", tensor);
  return detail::memory_terms_of_valid(detail::memory_basis_of(sizes, model, job, tensor),
                                       detail::policy_widths_of(model, sizes.in_memory, job.remat), sizes, model, job,
                                       tensor, constants);
}

/// Bytes of a stage on a device that do not depend on its tokens. `several`: the step has more than one microbatch.
/// Worked: parameters, optimizer and gradients of 400, 800 and 200 B over 10 shards, and 50 B of gathered weights, are
/// 140 + 50 = 190 B.
[[nodiscard]] constexpr bytes fixed_bytes(const stage_terms& stage, const memory_layout& at, bool several) noexcept {
  const double brought = stage.brought * at.stages;
  return ((brought < 1 ? brought : 1) * stage.parameters + stage.optimizer +
          (several ? stage.accumulated_gradients : stage.gradients)) /
             at.weight_shards +
         at.gathers * stage.gathered + at.gathers_experts * stage.gathered_experts;
}

/// Bytes of a stage for each token of a microbatch on a device, without those of routing to experts. Worked: 3 B of
/// activations, 4 B of logits and 5 B of workspace are 12 B.
[[nodiscard]] constexpr bytes bytes_per_token(const stage_terms& stage) noexcept {
  return stage.activations + stage.logits + stage.workspace;
}

/// Bytes of routed tokens for each token of a microbatch on a device, which depend on the layout. Worked: 10 B under
/// even routing are 40 B where buffers are made for a chip that is sent 4 times the mean.
[[nodiscard]] constexpr bytes routed_bytes_per_token(const stage_terms& stage, const memory_layout& at) noexcept {
  return stage.routed * (1 + stage.worst * (at.worst_routed - 1));
}

namespace detail {

/// The parts of a stage in bytes.
constexpr memory_breakdown parts_of(const stage_terms& terms, memory_stage stage, const memory_layout& at,
                                    double microbatches) {
  const double tokens = at.tokens / microbatches;
  const double brought = terms.brought * at.stages;
  memory_breakdown memory;
  memory.stage = stage;
  memory.parameters = (brought < 1 ? brought : 1) * terms.parameters / at.weight_shards;
  memory.optimizer = terms.optimizer / at.weight_shards;
  memory.gradients = (microbatches > 1 ? terms.accumulated_gradients : terms.gradients) / at.weight_shards;
  memory.activations = tokens * terms.activations;
  memory.logits = tokens * terms.logits;
  memory.gathered_weights = at.gathers * terms.gathered + at.gathers_experts * terms.gathered_experts;
  memory.workspace = tokens * (terms.workspace + routed_bytes_per_token(terms, at));
  memory.total = memory.parameters + memory.optimizer + memory.gradients + memory.activations + memory.logits +
                 memory.gathered_weights + memory.workspace;
  return memory;
}

/// The stage that needs most, the earlier one if two are equal.
constexpr memory_breakdown largest_stage(const memory_terms& terms, const memory_layout& at, double microbatches) {
  memory_breakdown most = parts_of(terms[0], memory_stage::logits, at, microbatches);
  for (std::size_t i = 1; i < 3; ++i) {
    const memory_breakdown next = parts_of(terms[i], static_cast<memory_stage>(i), at, microbatches);
    if (next.total > most.total) most = next;
  }
  return most;
}

/// The bytes of that stage alone.
constexpr bytes largest_bytes(const memory_terms& terms, const memory_layout& at, double microbatches) {
  bytes most = parts_of(terms[0], memory_stage::logits, at, microbatches).total;
  most = max(most, parts_of(terms[1], memory_stage::layer, at, microbatches).total);
  return max(most, parts_of(terms[2], memory_stage::update, at, microbatches).total);
}

}  // namespace detail

/// HBM that one training step takes on one device: its state, and the most that is live beside it in any stage. Tensor
/// parallelism does not change activations, because widths shrink as tokens per device grow. LoRA adapters train on
/// a frozen base; state in host memory counts while it is on the device. Throws for invalid shapes, meshes that do not
/// fill the slice, batches that do not divide, and what is not modelled (LoRA on experts or latent attention).
/// Source: physics, constants in `memory_calibration`; compared with published runs and memory records
/// (tests/oracle/memory_records.cpp). Worked: 17.41 GiB of
/// 31.25 for Llama 3.1 8B on v6e-256 (docs/model.md).
[[nodiscard]] constexpr memory_breakdown memory_use(const transformer& model, const training_job& job,
                                                    const layout& mesh, const slice& where) {
  detail::check_trained(model, job, mesh, where);
  const training_sizes sizes = detail::held_sizes_of_valid(model, job, default_calibration);
  const memory_layout at = detail::memory_layout_of_valid(model, job, mesh, where);
  const detail::memory_basis basis = detail::memory_basis_of(sizes, model, job, mesh.tensor);
  const detail::policy_widths policy = detail::policy_widths_of(model, sizes.in_memory, job.remat);
  const auto microbatches = static_cast<double>(job.gradient_accumulation);
  const auto terms = [&](const memory_calibration& constants) {
    return detail::memory_terms_of_valid(basis, policy, sizes, model, job, mesh.tensor, constants);
  };
  memory_breakdown result = detail::largest_stage(terms(memory_point), at, microbatches);
  result.low = max(detail::largest_bytes(terms(memory_low), at, microbatches), result.total / most_over(model));
  result.high = detail::largest_bytes(terms(memory_high), at, microbatches);
  result.usable = usable_hbm_per_device(where.chip);
  result.on_host = (at.tokens / microbatches) * detail::host_bytes_per_token(sizes, job) +
                   detail::host_state_bytes(sizes, job) / at.weight_shards;
  result.host_share = detail::host_share_of(where.chip);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
