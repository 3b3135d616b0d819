#ifndef TPUPLAN_ESTIMATE_TRAINING_TERMS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_TERMS_HPP

#include <cstddef>
#include <cstdint>
#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/estimate/training/products.hpp>
#include <tpuplan/estimate/training/sizes.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/parallel/interconnect.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// The time of a step as terms. Every part of a step takes a time per token of a chip, a time per
/// microbatch, or a time once per step. `work_terms` are those of one chip: products and HBM traffic. `layout_terms`
/// are those of a layout on its slices: collectives, network, hosts. `step_time` evaluates both and names the parts;
/// the planner adds them up once (sums.hpp) and evaluates them for every candidate. docs/model.md derives each term.

namespace tpuplan {
inline namespace abi_0 {

/// A collective: how long it takes alone, and how much of that is exposed.
struct collective_time {
  seconds whole{};    ///< if nothing else ran
  seconds exposed{};  ///< what the step waits for
};

/// What products and HBM traffic take on one chip under one tensor degree and one remat policy.
struct work_terms {
  /// @{
  /// Per token of a chip.
  seconds dense_products{}, expert_products{}, logits{}, attention{}, vision{};
  seconds elementwise{}, scores{}, operands{}, dispatch{};
  seconds least{};  ///< all products at the peak rate of their format, without padding: no program is faster
  seconds kept{};   ///< HBM traffic of what the policy keeps in HBM, written once and read once
  seconds
      to_host{};  ///< what the policy keeps on the host, one way; 0 also where that rate is not known: see host_rate
  /// @}
  double forward = 1.0 / 3;   ///< share of the work that is in the forward pass
  double least_reads = 1;     ///< share of `weight_reads` that no program can do without
  seconds operand_weights{};  ///< per microbatch: weights that products read, gradients they write
  seconds weight_reads{};     ///< per microbatch: gathered weights, of all experts and pipeline stages
  seconds weight_update{};    ///< once per step: optimizer and gradients of all weights, not sharded
  double tensor_passes = 1;   ///< times that a token's activations pass tensor-parallel collectives
  double expert_passes = 1;   ///< times that a token goes to its experts and back
};

/// What a layout on its slices adds to the work, and which part of the work is on one chip.
struct layout_terms {
  double tokens = 0;          ///< of a step on a chip
  double weight_shards = 1;   ///< chips over which weights are sharded, within a slice
  double gathered_share = 1;  ///< of the gathered weights that are on one chip: experts and pipeline stages divide them
  collective_time fsdp{};     ///< per microbatch
  collective_time data{};     ///< once per step
  collective_time tensor{};   ///< per pass
  collective_time expert{};   ///< per pass
  collective_time context{};  ///< once per step
  seconds wires_each{};       ///< per microbatch: the least of gathers and scatters, over all links at nominal rates
  seconds wires_once{};       ///< once per step: likewise, of the other collectives
  seconds overhead{};         ///< per microbatch: fixed time of layers and passes
  double imbalance = 0;       ///< extra attention of the chip with a sequence's last shard, over the mean
  double routed = 1;          ///< times the copies of a token that a chip sorts: see `dispatch` in docs/model.md
  double bubble = 0;          ///< share of the work in which pipeline stages wait, with sequences enough
  double uneven = 0;          ///< what of it is for stages that hold a layer more
  double bubble_each = 0;     ///< per microbatch of accumulation, where a shard's sequences are fewer than pieces
  double stragglers = 0;      ///< share of the work in which slices wait for the slowest
  seconds dcn_once{};         ///< between slices, once per step, alone
  seconds dcn_each{};         ///< between slices, per microbatch, alone
  double dcn_exposed = 0;     ///< part of that traffic that the step waits for
  seconds host_once{};        ///< between hosts and chips, once per step, alone
  seconds host_each{};        ///< between hosts and chips, per microbatch, alone
  double host_exposed = 0;    ///< part of that traffic that the step waits for
  bool hidden_by_work = false;  ///< traffic cannot be hidden for longer than the work takes
  double software = 1;          ///< factor over the time of a tuned recipe
};

namespace detail {

/// The time of all products of a token at the peak rate, nothing padded: those of the policy's recomputation included,
/// attention with the keys that the mask leaves. 8-bit products run at their own peak.
constexpr seconds least_compute(const products_on_device& all, const training_sizes& sizes, const training_job& job,
                                const chip_spec& chip) {
  const double peak = peak_rate(chip, dtype::bf16).value();
  const double eight_bit = in_eight_bits(job) ? peak_rate(chip, job.compute).value() : peak;
  const forward_flops& f = sizes.work;
  double products = sizes.passes * f.router.value();
  for (const product_passes& each : dense_passes(all, sizes.passes, job.remat))
    products += each.product->work * each.passes;
  products += job.capacity_factor *
              ((sizes.passes + again(job.remat.mlp_up)) * f.experts_up.value() + sizes.passes * f.experts_down.value());
  const double others = job.logits_fraction * sizes.passes * f.logits.value() + 3 * f.attention.value() +
                        tower_passes(sizes) * sizes.tower.value();
  return seconds{job.work_multiplier * (products / (peak > eight_bit ? peak : eight_bit) + others / peak)};
}

/// Adds what a policy moves to the host and back, and the least of the traffic to HBM.
constexpr void add_kept(work_terms& terms, const training_sizes& sizes, const training_job& job, const chip_spec& chip,
                        const calibration& constants) {
  const double number = number_bytes(job).value() * sizes.layers;
  remat_policy fused = job.remat;  // a compiler need not keep what it can fuse
  fused.elementwise = placement::recompute;
  terms.kept = seconds{2 * number * saved_width(sizes.width, fused) / chip.hbm.bandwidth.value()};
  if (const known<bytes_per_second> rate = host_rate(chip); rate.has_value())
    terms.to_host = bytes{number * saved_width(sizes.width, job.remat, placement::host)} / rate.value();
  terms.forward = 1 / (3 + products_again(job.remat) / 3);
  const double reads = constants.hbm_passes * constants.weight_reads * (sizes.passes + again(job.remat.mlp_up));
  terms.least_reads = reads > 2 ? 2 / reads : 1;
}

constexpr void add_compute(work_terms& terms, const products_on_device& products, const training_sizes& sizes,
                           const training_job& job, const chip_spec& chip, const calibration& constants) {
  const double peak = positive("chip.peak.bf16", peak_rate(chip, dtype::bf16).value());
  const bool doubled = in_eight_bits(job) && peak_rate(chip, job.compute).value() > peak;
  const double in_8_bits = doubled ? 1 - constants.low_precision_share / 2 : 1;
  const double per_flop = job.work_multiplier / (peak * mxu_fraction(constants, chip));
  double dense = 0;
  for (const product_passes& each : dense_passes(products, sizes.passes, job.remat))
    dense += filled_work(*each.product, each.passes);
  const double experts = filled_work(products.experts_up, sizes.passes + again(job.remat.mlp_up)) +
                         filled_work(products.experts_down, sizes.passes);
  terms.dense_products = seconds{per_flop * in_8_bits * dense};
  const double tiles = job.default_tiles ? constants.default_tiles : 1;
  terms.expert_products = seconds{per_flop * in_8_bits * job.capacity_factor * tiles * experts};
  terms.logits = seconds{per_flop * job.logits_fraction * filled_work(products.logits, sizes.passes)};
  terms.attention =
      seconds{per_flop * products.attention * attention_passes(job, mxu_fraction(constants, chip), constants)};
  terms.vision = seconds{per_flop * tower_passes_taken(sizes) * sizes.tower.value()};
  terms.least = least_compute(products, sizes, job, chip);
  const seconds all = terms.dense_products + terms.expert_products + terms.logits + terms.attention + terms.vision;
  if (terms.least > all) terms.dense_products += terms.least - all;  // mostly routers, which have no term of their own
}

constexpr void add_hbm(work_terms& terms, const products_on_device& products, const training_sizes& sizes,
                       const transformer& model, const training_job& job, const chip_spec& chip, double tensor,
                       const calibration& constants) {
  const layer_widths& w = sizes.width;
  const remat_policy& policy = job.remat;
  const double rate = positive("chip.hbm.bandwidth", chip.hbm.bandwidth.value());
  const double per_byte = constants.hbm_passes / rate;
  const auto devices_per_chip = static_cast<double>(chip.jax_devices);
  const double passes = products_again(policy) > 0 ? elementwise_passes_with_remat : elementwise_passes;
  const double number = number_bytes(job).value();
  const double numbers = passes * number * sizes.layers * (8 * w.d_model + 4 * w.cross + 2 * w.qkv + w.mlp);
  terms.elementwise =
      seconds{per_byte * (numbers + 16 * job.logits_fraction * static_cast<double>(logit_width(model))) +
              number * sizes.tower_moved / rate};
  // Forward: scores and probabilities, each written and read. Backward: probabilities read for the gradient of the
  // values; their gradient written, read beside them by the softmax, and that of the scores written and read twice.
  const double moves = 4 + 7 + again(policy.elementwise) * (3 + again(policy.context));
  terms.scores = seconds{per_byte * sizes.layers * w.scores * number * moves};
  // A product of m x k x n takes f (1/m + 1/k + 1/n) / 2 numbers for f FLOPs. The rows m are the tokens of a
  // microbatch on a device, so that the first part does not depend on the tokens.
  double of_tokens = 0, of_weights = 0;
  for (const product_passes& each : dense_passes(products, sizes.passes, policy)) {
    if (!(each.product->work > 0)) continue;
    of_tokens += each.product->work * each.passes * each.product->moved;
    of_weights += each.product->per_row * each.passes;
  }
  const double per_operand = per_byte * constants.operand_reads * job.work_multiplier * number / 2;
  terms.operands = seconds{per_operand * of_tokens};
  terms.operand_weights = seconds{per_operand * of_weights * devices_per_chip / tensor};
  const double gathered =
      gathered_bytes(job).value() * (sizes.held.trained + sizes.held.frozen) / tensor * devices_per_chip;
  terms.weight_reads = seconds{per_byte * constants.weight_reads * gathered * (sizes.passes + again(policy.mlp_up))};
  const double updated = constants.fixed_update > 0 ? constants.fixed_update : update_bytes_per_parameter(job).value();
  terms.weight_update = seconds{updated * sizes.held.trained / rate};
  const double routed =
      static_cast<double>(model.moe.top_k) * w.d_model * number * static_cast<double>(moe_layers(model));
  terms.dispatch = seconds{constants.dispatch_passes * job.capacity_factor * routed * (3 + again(policy.mlp_up)) *
                           (constants.dispatch_on_every_shard ? tensor : 1) / rate};
}

/// The time of a collective that moves `moved` bytes into each chip of a group of `group` of the slice's `units`.
constexpr collective_time collective_of(const slice& where, std::int64_t group, std::int64_t units, double moved,
                                        double exposed) {
  const bytes_per_second rate = group_bandwidth(where, static_cast<double>(group), static_cast<double>(units));
  const seconds whole = bytes{moved} / rate;
  return {whole, whole * exposed};
}

/// Adds the collectives inside a slice.
constexpr void add_ici(layout_terms& terms, const training_sizes& sizes, const transformer& model,
                       const training_job& job, const layout& mesh, const slice& where, double stages,
                       const calibration& constants) {
  const std::int64_t units = mesh_size(mesh);
  const double d = sizes.width.d_model;
  const double number = number_bytes(job).value();
  const double weights_exposed = job.synchronous_collectives ? 1 : constants.exposed_fsdp;
  const double links = links_into_chip(where);
  const double wires = (links < 1 ? 1 : links) * where.chip.ici.nominal_one_way.value();
  // Weights are also sharded over the context degree and, except those of experts, over the expert degree.
  if (const std::int64_t shards = checked_multiply(mesh.fsdp, mesh.context); shards > 1) {
    const double experts = sizes.expert_share / static_cast<double>(mesh.expert);
    const double others = 1 - sizes.expert_share;
    const double moved = sizes.exchanged.value() * (experts + others) / (static_cast<double>(mesh.tensor) * stages);
    terms.fsdp = collective_of(where, shards, units, moved, weights_exposed);
    terms.wires_each =
        seconds{moved / 2 * (1 - 1 / static_cast<double>(shards)) / wires};  // gathered once, gradients in bf16
  } else if (mesh.expert > 1) {
    const double moved =
        sizes.exchanged.value() * (1 - sizes.expert_share) / (static_cast<double>(mesh.tensor) * stages);
    terms.fsdp = collective_of(where, mesh.expert, units, moved, weights_exposed);
    terms.wires_each = seconds{moved / 2 * (1 - 1 / static_cast<double>(mesh.expert)) / wires};
  }
  if (mesh.data > 1) {
    const double moved = 8 * sizes.held.trained / terms.weight_shards;
    terms.data = collective_of(where, mesh.data, units, moved, weights_exposed);
    terms.wires_once += seconds{moved / 2 * (1 - 1 / static_cast<double>(mesh.data)) / wires};
  }
  if (mesh.context > 1) {
    // Keys and values of whole sequences, gathered forward and backward, and their gradients scattered; the state of
    // each sequence passed on, and its gradient back.
    const double others = terms.tokens * static_cast<double>(mesh.context - 1);
    const double states = static_cast<double>(checked_multiply(model.recurrent.layers, state_of(model.recurrent))) /
                          static_cast<double>(job.sequence_length);
    terms.context =
        collective_of(where, mesh.context, units, others * (3 * sizes.layers * sizes.width.keys + 2 * states) * number,
                      constants.exposed_context);
  }
  if (mesh.tensor > 1) {
    const double others = terms.tokens * static_cast<double>(mesh.tensor - 1);
    const double exposed = taken_as_tuned(job.software) ? constants.exposed_tensor : constants.general_exposed_tensor;
    const double moved = others * (4 * d + 2 * sizes.width.cross) * number * sizes.layers;
    terms.tensor = collective_of(where, mesh.tensor, units, moved, exposed);
    terms.wires_once += seconds{2 * moved / wires};  // forward and backward
  }
  if (mesh.expert > 1) {
    const double ways = static_cast<double>(mesh.expert) / 4;
    const double routed =
        static_cast<double>(model.moe.top_k) * d * 2 * number * static_cast<double>(moe_layers(model));
    terms.expert = collective_of(where, mesh.expert, units, terms.tokens * routed * (ways > 1 ? ways : 1),
                                 constants.exposed_expert);
  }
}

/// Adds the traffic between slices. Data parallelism reduces gradients once per step, each slice those of its pipeline
/// stages. Weights sharded over slices are gathered forward and backward and their gradients scattered in every
/// microbatch, each chip its own shard. A pipeline over slices passes on the activations of every token, and their
/// gradients.
constexpr void add_dcn(layout_terms& terms, const training_sizes& sizes, const training_job& job, const layout& mesh,
                       const slice& where, const calibration& constants) {
  if (slices(mesh) == 1) return;
  const bytes_per_second rate = dcn_rate(where);
  const auto ways = static_cast<double>(mesh.dcn_fsdp);
  const auto stages = static_cast<double>(mesh.dcn_pipeline);
  const double reduced = all_reduce_share(static_cast<double>(mesh.dcn_data)) * 4 * sizes.held.trained;
  terms.dcn_once = bytes{reduced / static_cast<double>(chips(where)) / (ways * stages)} / rate;
  if (stages > 1) terms.dcn_once += number_bytes(job) * (2 * sizes.width.d_model * terms.tokens * stages) / rate;
  terms.dcn_each = sizes.exchanged * ((ways - 1) / ways / terms.weight_shards) / rate;
  terms.dcn_exposed = constants.exposed_dcn;
}

/// Adds the traffic between host memory and chip: optimizer state in and out once per step, parameters in for every
/// forward and backward pass, trained ones in and out for the update. It is exposed: HBM has no room for the state
/// before the backward pass ends, so it cannot come earlier. Both directions are added.
constexpr void add_host(layout_terms& terms, const training_sizes& sizes, const training_job& job, const slice& where,
                        const calibration& constants) {
  if (job.state_on_host == host_state::none) return;
  const double rate = positive("PCIe rate of the chip", host_rate(where.chip).value("PCIe rate of the chip").value());
  const double weights = sizes.held.trained * size_of(job.weights).value();
  const double frozen = sizes.held.frozen_bytes.value();
  double once = 2 * sizes.held.trained * optimizer_bytes_per_parameter(job).value();
  if (job.state_on_host == host_state::parameters_and_optimizer) {
    once += 2 * weights;
    terms.host_each = seconds{2 * (weights + frozen) / terms.weight_shards / rate};
  }
  terms.host_once = seconds{once / terms.weight_shards / rate};
  terms.host_exposed = constants.exposed_host;
}

/// The bubble: share of the work in which stages wait for the first and last microbatches: (p-1) / (m v), for m
/// microbatches and v rounds of interleaved stages, in GPipe and in 1F1B alike. Source: Narayanan et al. 2021, arXiv
/// 2104.04473. A shard's sequences of a step of accumulation are the most microbatches that it has, and all stages wait
/// for those that hold a layer more than others.
constexpr void add_bubble(layout_terms& terms, const training_job& job, double stages, double sequences,
                          double layers) {
  if (stages <= 1) return;
  const auto wanted = static_cast<double>(job.pipeline_microbatches), rounds = static_cast<double>(job.pipeline_rounds);
  const double pieces = stages * rounds, most = math::ceil(layers / pieces) * pieces / layers;
  const double waiting = (stages - 1) / rounds * most;
  terms.uneven = most - 1;
  terms.bubble = terms.uneven + waiting / (wanted > 0 ? wanted : 4 * stages);
  terms.bubble_each = waiting / sequences;
}

/// The bubble in steps of so many microbatches of accumulation.
constexpr double bubble_of(const layout_terms& terms, double microbatches) noexcept {
  const double few = terms.uneven + microbatches * terms.bubble_each;
  return terms.bubble > few ? terms.bubble : few;
}

/// `work_terms_of` for a job that is known to be valid, with the products of its model on the chip.
constexpr work_terms work_terms_of_valid(const products_on_device& products, const training_sizes& sizes,
                                         const transformer& model, const training_job& job, const chip_spec& chip,
                                         double tensor, const calibration& constants) {
  work_terms terms;
  add_compute(terms, products, sizes, job, chip, constants);
  add_hbm(terms, products, sizes, model, job, chip, tensor, constants);
  add_kept(terms, sizes, job, chip, constants);
  const bool all_again = products_again(job.remat) == 3 && job.remat.attention_again;
  terms.tensor_passes = all_again ? tensor_passes_with_remat : tensor_passes;
  terms.expert_passes = 3 + again(job.remat.mlp_up);
  return terms;
}

}  // namespace detail

/// The terms of one chip, with activations sharded over `tensor` devices. The batch and the microbatches of the job
/// have no influence. Throws where a rate that the job needs is unknown. Worked: dense products of llama-3-8b on v5p
/// under `full` take 148 us per token.
[[nodiscard]] constexpr work_terms work_terms_of(const training_sizes& sizes, const transformer& model,
                                                 const training_job& job, const chip_spec& chip, std::int64_t tensor,
                                                 const calibration& constants = default_calibration) {
  validate_settings(job);
  const auto ways = static_cast<double>(detail::positive_count("layout.tensor", tensor));
  return detail::work_terms_of_valid(detail::products_of(sizes, model, job, chip, ways, constants), sizes, model, job,
                                     chip, ways, constants);
}

namespace detail {

/// Stands for all of a job but its batch; `source` as in training_sizes, `in_parts` where chips share a sequence.
constexpr std::uint32_t recipe_mark(std::uint32_t model, const training_job& job, double source,
                                    bool in_parts) noexcept {
  const remat_policy& r = job.remat;
  const lora_targets& on = job.lora;
  return mark_of({number(job.sequence_length),
                  source,
                  number(job.compute),
                  number(job.weights),
                  number(job.moments),
                  number(job.first_moment_bf16),
                  number(job.optimizer),
                  number(r.layer_input),
                  number(r.qkv),
                  number(r.context),
                  number(r.out_proj),
                  number(r.mlp_up),
                  number(r.mlp_down),
                  number(r.elementwise),
                  number(r.attention_again),
                  job.capacity_factor,
                  number(job.vocabulary_tiles),
                  job.logits_fraction,
                  number(job.synchronous_collectives),
                  job.work_multiplier,
                  number(job.images_per_sequence),
                  number(job.freeze_vision),
                  number(job.attention),
                  number(job.default_tiles),
                  number(in_parts && job.ring_attention),
                  number(in_parts && job.context_balanced),
                  number(job.gathers_quantised),
                  number(job.state_on_host),
                  number(job.lora_rank),
                  number(on.q + 2 * on.k + 4 * on.v + 8 * on.o + 16 * on.gate + 32 * on.up + 64 * on.down),
                  number(job.frozen_weights)},
                 model);
}

/// Stands for the degrees of a layout; whether they count chips where a chip is one device says nothing.
constexpr std::uint32_t layout_mark(const layout& m, const chip_spec& chip) noexcept {
  return mark_of({number(m.data), number(m.fsdp), number(m.tensor), number(m.expert), number(m.context),
                  number(m.pipeline), number(m.dcn_data), number(m.dcn_fsdp), number(m.dcn_pipeline),
                  chip.jax_devices == 1 ? 0 : number(m.unit)});
}

/// The features by which training steps are compared: see `features_of`.
constexpr run_features training_features(const training_sizes& sizes, const transformer& model, const training_job& job,
                                         const layout& mesh, const slice& where) {
  const auto chip_total = static_cast<double>(checked_multiply(chips(where), slices(mesh)));
  run_features about;
  about.size = math::log2(sizes.held.trained + sizes.held.frozen);
  about.load = math::log2(static_cast<double>(tokens_per_step(job)) / chip_total);
  about.length = math::log2(static_cast<double>(job.sequence_length));
  about.chips = math::log2(chip_total);
  about.chip = chip_mark(where.chip.name);
  const bool kinds[] = {has_experts(model), in_eight_bits(job), mesh.tensor > 1,
                        mesh.expert > 1,    mesh.context > 1,   checked_multiply(mesh.pipeline, mesh.dcn_pipeline) > 1};
  std::uint32_t bit = 1;
  for (const bool is : kinds) {
    if (is) about.kind |= bit;
    bit *= 2;
  }
  about.recipe = recipe_mark(model_mark(model), job, sizes.source, mesh.context > 1);
  about.layout = layout_mark(mesh, where.chip);
  const auto microbatches = static_cast<std::uint32_t>(job.gradient_accumulation);
  const auto in_flight = static_cast<std::uint32_t>(job.pipeline_microbatches);
  about.microbatches = (microbatches * 8191U + in_flight) * 8191U + static_cast<std::uint32_t>(job.pipeline_rounds);
  about.level = static_cast<std::uint32_t>(job.software);
  return about;
}

/// Buffers for routed tokens on a shard of experts, as a multiple of the tokens it sends. Where none is dropped, all
/// tokens of all e shards may be routed here, each to as many of its k experts as lie here: e x min(E / e, k) / k. With
/// a capacity factor it is 1.
constexpr double worst_routed(const transformer& model, const training_job& job, const layout& mesh) noexcept {
  if (!has_experts(model) || mesh.expert == 1 || job.capacity_factor > 1 || job.capacity_factor < 1) return 1;
  const auto shards = static_cast<double>(mesh.expert), chosen = static_cast<double>(model.moe.top_k);
  const double here = static_cast<double>(model.moe.experts) / shards;
  return shards * (here < chosen ? here : chosen) / chosen;
}

/// `layout_terms_of` for a layout that is known to be valid on these slices, as the planner's are.
constexpr layout_terms terms_of_valid(const training_sizes& sizes, const transformer& model, const training_job& job,
                                      const layout& mesh, const slice& where, const calibration& constants) {
  const auto slice_chips = static_cast<double>(chips(where));
  const auto slice_total = static_cast<double>(slices(mesh));
  const auto stages = static_cast<double>(checked_multiply(mesh.pipeline, mesh.dcn_pipeline));
  layout_terms terms;
  terms.tokens = static_cast<double>(tokens_per_step(job)) / (slice_chips * slice_total);
  const double chips_per_unit = slice_chips / static_cast<double>(mesh_size(mesh));
  const auto ways =
      static_cast<double>(checked_multiply(checked_multiply(mesh.fsdp, mesh.context), mesh.tensor, mesh.expert));
  terms.weight_shards = ways * stages * chips_per_unit;
  if (const double most = slice_chips * stages; terms.weight_shards > most) terms.weight_shards = most;
  terms.gathered_share = (sizes.expert_share / static_cast<double>(mesh.expert) + 1 - sizes.expert_share) / stages;
  terms.overhead = constants.per_layer_pass * (4 * sizes.layers);
  if (mesh.context > 1) {
    // The last of c equal shards of a causal sequence sees 2 - 1 / c times the mean number of keys.
    const auto parts = static_cast<double>(mesh.context);
    if (!job.context_balanced && model.kind != architecture::encoder) terms.imbalance = (parts - 1) / parts;
    if (job.ring_attention) terms.overhead += constants.ring_step * (4 * sizes.layers * parts);
  }
  // A program that nobody tuned sorts its buffers whole, which have room for the worst routing.
  if (job.software == software_level::first_port) terms.routed = worst_routed(model, job, mesh);
  const double sequences = static_cast<double>(job.global_batch) / static_cast<double>(batch_shards(mesh));
  add_bubble(terms, job, stages, sequences, static_cast<double>(model.layers));
  terms.stragglers = constants.slowdown_per_doubling * math::log2(slice_total);
  terms.hidden_by_work = constants.hidden_by_work_only;
  terms.software = software_factor(job.software, constants);
  if (constants.own.count > 0)
    terms.software *= own_factor(constants.own, training_spreads, training_features(sizes, model, job, mesh, where));
  add_ici(terms, sizes, model, job, mesh, where, stages, constants);
  add_dcn(terms, sizes, job, mesh, where, constants);
  add_host(terms, sizes, job, where, constants);
  return terms;
}

}  // namespace detail

/// The terms of a layout on its slices, for the batch of the job. Its remat policy has no influence, unless there are
/// runs of the caller's own, and its microbatches have none.
/// Throws where a rate that the layout needs is unknown. Source: docs/model.md. Worked: 64 sequences of 4096 tokens on
/// the 64 chips of v5p-128 under FSDP are 4096 tokens a chip, with weights in 64 shards and no bubble.
[[nodiscard]] constexpr layout_terms layout_terms_of(const training_sizes& sizes, const transformer& model,
                                                     const training_job& job, const layout& mesh, const slice& where,
                                                     const calibration& constants = default_calibration) {
  validate(mesh, where);
  validate_settings(job);
  return detail::terms_of_valid(sizes, model, job, mesh, where, constants);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
