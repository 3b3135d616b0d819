#ifndef TPUPLAN_ESTIMATE_TRAINING_STEP_TIME_HPP
#define TPUPLAN_ESTIMATE_TRAINING_STEP_TIME_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/math.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/text.hpp>

/// @file
/// Time of one training step, part by part, with a band that comes from the validation against published runs.

namespace tpuplan {
inline namespace abi_0 {

/// What takes most of a step.
enum class step_bound : std::uint8_t { compute, hbm, ici, dcn, overhead, host };

/// "compute" and so on.
[[nodiscard]] constexpr std::string_view name(step_bound what) noexcept {
  constexpr std::string_view names[] = {"compute", "hbm", "ici", "dcn", "overhead", "host"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// A collective: how long it takes by itself, and how much of that the step waits for.
struct collective_time {
  seconds whole{};    ///< by itself
  seconds exposed{};  ///< what the step waits for
};

/// Time of one step. compute + hbm + ici + overhead + bubble + jitter + dcn.exposed + host.exposed + software = total,
/// and each of the first three is the sum of its parts.
struct step_breakdown {
  seconds dense_products{};   ///< projections, dense MLPs, shared experts
  seconds expert_products{};  ///< routed experts
  seconds logits{};           ///< the output head
  seconds attention{};        ///< scores and their sum over values
  seconds vision{};           ///< the vision tower and its projector
  seconds compute{};          ///< the five above
  seconds elementwise{};      ///< HBM traffic of norms, activations, residuals
  seconds scores{};           ///< HBM traffic of scores and probabilities, where attention is not fused
  seconds operands{};         ///< HBM traffic of the operands and results of dense products
  seconds weight_reads{};     ///< HBM traffic of gathered weights, once a pass
  seconds weight_update{};    ///< HBM traffic of optimizer and gradients
  seconds dispatch{};         ///< HBM traffic of routing tokens to experts
  seconds hbm{};              ///< the six above
  collective_time fsdp{};     ///< gathers of weights, scatters of gradients
  collective_time data{};     ///< all-reduce of gradients
  collective_time tensor{};   ///< of activations
  collective_time expert{};   ///< tokens to their experts and back
  collective_time context{};  ///< keys and values around the sequence
  seconds ici{};              ///< the exposed parts of the five above
  seconds overhead{};         ///< fixed time per layer and pass
  seconds bubble{};           ///< pipeline stages that wait
  seconds jitter{};           ///< stragglers among slices
  collective_time dcn{};      ///< gradients and activations between slices
  collective_time host{};     ///< state that lies in host memory, both ways
  seconds software{};         ///< what a general framework, or the caller's own measurement, adds to a tuned recipe
  seconds total{};            ///< of the step
  seconds low{};              ///< nine of ten comparable published runs lie between low and high
  seconds high{};             ///< the upper end of that
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< outside of what published runs cover
  step_bound limited_by = step_bound::compute;  ///< the largest part
  double mfu = 0;                  ///< model FLOPs (MaxText's; no gradients of frozen weights) over the bf16 peak
  per_second tokens_per_second{};  ///< over all slices
};

namespace detail {

/// 1 where a product is done again in the backward pass.
constexpr double again(placement where) noexcept { return where == placement::recompute ? 1 : 0; }

/// How many of the three kinds of products that can be kept are done again.
constexpr double products_again(const remat_policy& policy) noexcept {
  return again(policy.qkv) + again(policy.out_proj) + again(policy.mlp_up);
}

/// The question, and the sizes that every term needs.
struct asked_step {
  const transformer& m;
  const training_job& job;
  const layout& l;
  const slice& s;
  const calibration& c;
  layer_widths width{};
  forward_flops work{};  ///< per token
  double slice_chips = 0, slices = 0, stages = 0, layers = 0, microbatches = 0, peak = 0;
  double tokens = 0;  ///< per chip
  held_parameters held{};
  flops adapters{};      ///< of their products, forward, per token
  double passes = 3;     ///< of a product: forward, gradients of its input, and of its weights unless they are frozen
  double exchanged = 0;  ///< bytes in a microbatch: bf16 weights forward and backward, fp32 gradients of the trained
  double shards = 0;     ///< of the weights, counted in chips
};

/// How layout and slice deal the step out.
constexpr void deal(asked_step& k) {
  k.slice_chips = static_cast<double>(chips(k.s));
  k.slices = static_cast<double>(slices(k.l));
  k.stages = static_cast<double>(checked_multiply(k.l.pipeline, k.l.dcn_pipeline));
  k.tokens = static_cast<double>(tokens_per_step(k.job)) / (k.slice_chips * k.slices);
  const double unit = k.slice_chips / static_cast<double>(mesh_size(k.l));
  k.shards = static_cast<double>(checked_multiply(k.l.fsdp, k.l.tensor, k.l.expert)) * k.stages * unit;
  if (const double most = k.slice_chips * k.stages; k.shards > most) k.shards = most;
}

constexpr asked_step asked(const transformer& model, const training_job& job, const layout& mesh, const slice& where,
                           const calibration& constants) {
  asked_step k{model, job, mesh, where, constants, widths_of(model, constants.global_heads_apart)};
  k.width.scores = scores_width(model, job);
  k.work = forward_flops_per_token(model, job.sequence_length);
  k.microbatches = static_cast<double>(job.gradient_accumulation);
  k.layers = static_cast<double>(model.layers);
  k.held = held_by(model, job);
  if (k.held.frozen > 0) k.adapters = flops{2 * k.held.trained}, k.passes = 2;
  k.exchanged = 8 * k.held.trained + 4 * k.held.frozen;
  k.peak = positive("chip.peak.bf16", peak_rate(where.chip, dtype::bf16).value());
  deal(k);
  return k;
}

/// FLOPs of the attention core per token, head sizes padded to 128, keys in the blocks that the kernel takes at once:
/// half a block more than the causal half, a block more than a window. Without a fused kernel all keys are taken.
constexpr double padded_attention(const asked_step& k) {
  const auto padded = [](std::int64_t head) { return static_cast<double>(round_up(head, 128)); };
  const double block = k.c.attention_block;
  const attention_spec& a = k.m.attention;
  const auto length = static_cast<double>(k.job.sequence_length);
  const bool whole = k.m.kind == architecture::encoder || k.job.attention == attention_kernel::unfused;
  const double all = whole ? length : (length + (block < length ? block : length)) / 2;
  const double seen = k.job.attention == attention_kernel::unfused ? all : static_cast<double>(a.window) + block;
  const double local = seen < all ? seen : all;
  const auto local_layers = static_cast<double>(a.local_layers);
  const auto heads = static_cast<double>(a.heads);
  if (has_latent_attention(k.m)) {
    const std::int64_t keys = a.latent.qk_nope_head_dim + a.latent.qk_rope_head_dim;
    const auto sizes = static_cast<double>(keys + a.latent.v_head_dim);
    const double width = k.c.latent_values_padded ? sizes * (padded(keys) / static_cast<double>(keys))
                                                  : padded(keys) + padded(a.latent.v_head_dim);
    return 2 * k.layers * heads * all * width;
  }
  const double global_head = padded(a.global_head_dim > 0 ? a.global_head_dim : a.head_dim);
  return 2 * 2 * heads * (local_layers * local * padded(a.head_dim) + (k.layers - local_layers) * all * global_head);
}

/// A product per token: what is asked for, how often it is done in a step, and its dimensions on one device,
/// contracted and outer, tensor parallelism applied.
struct product_on_device {
  flops work{};
  double passes = 0, inner = 0, outer = 0;
};

/// The dense products of all layers, MLP widths averaged over the layers that have one, and those of adapters, which
/// are trained whatever the base is.
constexpr std::array<product_on_device, 5> dense_products(const asked_step& k) {
  const forward_flops& f = k.work;
  const remat_policy& r = k.job.remat;
  const auto cut = static_cast<double>(k.l.tensor);
  const double d = k.width.d_model;
  const bool beside_experts = k.m.moe.shared_d_ff > 0 || k.m.moe.parallel_dense_d_ff > 0;
  const std::int64_t layers = beside_experts ? k.m.layers : k.m.layers - moe_layers(k.m);
  const double matrices = (k.m.mlp.gated ? 3 : 2) * d * static_cast<double>(layers > 0 ? layers : 1);
  const double mlp = static_cast<double>(dense_mlp_matrices(k.m)) / matrices / cut;
  return {{{f.qkv, k.passes + again(r.qkv), d, k.width.qkv / cut},
           {f.attention_output, k.passes + again(r.out_proj), k.width.context / cut, d},
           {f.mlp_up, k.passes + again(r.mlp_up), d, mlp},
           {f.mlp_down, k.passes, mlp, d},
           {k.adapters, 3.0 + (products_again(r) > 0 ? 1 : 0), static_cast<double>(k.job.lora_rank), d}}};
}

/// FLOPs of all passes of a product, with both dimensions filled up to the side of the MXU.
constexpr double filled_work(const asked_step& k, const product_on_device& p) {
  const double asked_for = p.work.value() * p.passes;
  if (!k.c.products_padded || p.inner <= 0 || p.outer <= 0) return asked_for;
  const std::int64_t side = positive_count("chip.mxu.side", k.s.chip.mxu.side);
  const auto filled = [side](double size) { return static_cast<double>(round_up(ceil_to_count(size), side)) / size; };
  return asked_for * filled(p.inner) * filled(p.outer);
}

/// Bytes per token that a product reads and writes, its bf16 operands and results once per pass: a product of
/// m x k x n takes f (1/m + 1/k + 1/n) bytes for f FLOPs. Routed experts have dispatch instead.
constexpr bytes operands_of(const product_on_device& p, double rows) {
  return bytes{p.work.value() > 0 ? p.work.value() * p.passes * (1 / rows + 1 / p.inner + 1 / p.outer) : 0};
}

/// Passes of the attention core in units of its forward pass. The fused kernel takes 3.5, the scores a second time in
/// the backward pass, at its own rate; plain products take 3, and what was not kept again: scores, and their product
/// with the values where its result is needed and not kept.
constexpr double attention_passes(const asked_step& k) {
  const remat_policy& r = k.job.remat;
  if (k.job.attention == attention_kernel::flash) return k.c.attention_slowdown * (r.attention_again ? 4.5 : 3.5);
  return 3 + again(r.elementwise) * (1 + again(r.context)) / 2;
}

constexpr void add_compute(step_breakdown& t, const asked_step& k) {
  const training_job& job = k.job;
  const double doubled =
      in_eight_bits(job) && peak_rate(k.s.chip, job.compute).value() > k.peak ? 1 - k.c.low_precision_share / 2 : 1;
  const double per_flop = k.tokens * job.work_multiplier / (k.peak * mxu_fraction(k.c, k.s.chip));
  const double d = k.width.d_model;
  const auto cut = static_cast<double>(k.l.tensor);
  double dense = 0;
  for (const product_on_device& p : dense_products(k)) dense += filled_work(k, p);
  const double expert = static_cast<double>(k.m.moe.expert_d_ff) / cut;
  const double experts = filled_work(k, {k.work.experts_up, k.passes + again(job.remat.mlp_up), d, expert}) +
                         filled_work(k, {k.work.experts_down, k.passes, d, expert});
  t.dense_products = seconds{per_flop * doubled * dense};
  t.expert_products = seconds{per_flop * doubled * job.capacity_factor * experts};
  t.logits = seconds{per_flop * job.logits_fraction *
                     filled_work(k, {k.work.logits, k.passes, d, static_cast<double>(k.m.vocab) / cut})};
  t.attention = seconds{per_flop * padded_attention(k) * attention_passes(k)};
  if (job.images_per_sequence > 0) {
    const double per_token = vision_flops_per_image(k.m.vision).value() * static_cast<double>(job.images_per_sequence) /
                             static_cast<double>(job.sequence_length);
    t.vision = seconds{per_flop * (k.held.frozen > 0 ? 1 : 3) * per_token};
  }
  t.compute = t.dense_products + t.expert_products + t.logits + t.attention + t.vision;
}

constexpr void add_hbm(step_breakdown& t, const asked_step& k) {
  const layer_widths& w = k.width;
  const remat_policy& r = k.job.remat;
  const double rate = positive("chip.hbm.bandwidth", k.s.chip.hbm.bandwidth.value());
  const double exposed = k.c.hbm_passes / rate;
  const auto device_count = static_cast<double>(k.s.chip.jax_devices);
  const auto tensor = static_cast<double>(k.l.tensor);
  const double passes = products_again(r) > 0 ? 4 : 3.3;
  const double numbers =
      passes * 2 * k.layers * (8 * w.d_model + 2 * w.qkv + w.mlp) + 16 * static_cast<double>(k.m.vocab);
  t.elementwise = seconds{exposed * k.tokens * numbers};
  // Forward: scores and probabilities, each written and read. Backward: probabilities read for the gradient of the
  // values; their gradient written, read beside them by the softmax, and that of the scores written and read twice.
  const double moves = 4 + 7 + again(r.elementwise) * (3 + again(r.context));
  const double bytes_each = k.job.compute == dtype::fp32 ? 4 : 2;
  t.scores = seconds{exposed * k.tokens * k.layers * w.scores * bytes_each * moves};
  const double rows = k.tokens * tensor / device_count / k.microbatches;
  bytes operands{};
  for (const product_on_device& p : dense_products(k)) operands += operands_of(p, rows);
  t.operands = seconds{exposed * k.c.operand_reads * k.tokens * k.job.work_multiplier * operands.value()};
  const double gathered =
      2 * (k.held.trained + k.held.frozen) / (tensor * static_cast<double>(k.l.expert) * k.stages) * device_count;
  t.weight_reads = seconds{exposed * k.c.weight_reads * gathered * (k.passes + again(r.mlp_up)) * k.microbatches};
  const double updated = k.c.fixed_update > 0 ? k.c.fixed_update : update_bytes_per_parameter(k.job).value();
  t.weight_update = seconds{updated * k.held.trained / k.shards / rate};
  const double routed =
      k.tokens * static_cast<double>(k.m.moe.top_k) * w.d_model * 2 * static_cast<double>(moe_layers(k.m));
  t.dispatch = seconds{k.c.dispatch_passes * k.job.capacity_factor * routed * (3 + again(r.mlp_up)) *
                       (k.c.dispatch_on_every_shard ? tensor : 1) / rate};
  t.hbm = t.elementwise + t.scores + t.operands + t.weight_reads + t.weight_update + t.dispatch;
}

/// Whether the slice's rings are closed; where that is not established (partial slices of v2 and v3) by size.
constexpr bool counts_as_wrapped(const slice& where) { return fully_wrapped(where).value_or(chips(where) >= 256); }

/// Torus axes that a degree gets: dealt in proportion to the logarithm of the degree.
constexpr double axes_for(std::int64_t degree, const layout& mesh, const slice& where) {
  const auto all = static_cast<double>(positive_count("chip.ici.axes", where.chip.ici.axes));
  if (chips(where) <= 4) return 0.67 * all;
  const auto log2_of = [](std::int64_t n) { return math::log2(static_cast<double>(n < 2 ? 2 : n)); };
  const double dealt = all * log2_of(degree) / log2_of(mesh_size(mesh));
  return dealt < 0.34 ? 0.34 : dealt;
}

constexpr void add_ici(step_breakdown& t, const asked_step& k) {
  const layout& l = k.l;
  const double d = k.width.d_model;
  const double axis = ici_axis_both_ways(k.s.chip).value() * (counts_as_wrapped(k.s) ? 1 : 0.5);
  const auto collective = [&](std::int64_t degree, double bytes_moved, double exposed) {
    const double whole = bytes_moved / positive("ICI rate of the chip", axes_for(degree, l, k.s) * axis);
    return collective_time{seconds{whole}, seconds{whole * exposed}};
  };
  const double weights_exposed = k.job.synchronous_collectives ? 1 : k.c.exposed_fsdp;
  if (l.fsdp > 1) {
    const double kept = static_cast<double>(checked_multiply(l.tensor, l.expert)) * k.stages;
    t.fsdp = collective(l.fsdp, k.microbatches * k.exchanged / kept, weights_exposed);
  }
  // Chips that hold different parts of the same sequences hold the same weights: for gradients they are replicas.
  const std::int64_t replicas = checked_multiply(l.data, l.context);
  if (replicas > 1) t.data = collective(replicas, 8 * k.held.trained / k.shards, weights_exposed);
  if (l.context > 1) {
    // Keys and values of whole sequences, gathered forward and backward, and their gradients scattered.
    const attention_spec& a = k.m.attention;
    const std::int64_t key = a.latent.qk_nope_head_dim + a.latent.qk_rope_head_dim;
    const double latent_queries = static_cast<double>(checked_multiply(a.heads, key));
    const double keys_and_values = k.width.qkv - (has_latent_attention(k.m) ? latent_queries : k.width.context);
    t.context =
        collective(l.context, 3 * k.layers * k.tokens * static_cast<double>(l.context - 1) * keys_and_values * 2,
                   k.c.exposed_context);
  }
  if (l.tensor > 1) {
    const bool all_again = products_again(k.job.remat) == 3 && k.job.remat.attention_again;
    const double others = static_cast<double>(l.tensor - 1) * (all_again ? 3 : 2.5);
    t.tensor = collective(l.tensor, k.tokens * others * d * 8 * k.layers, k.c.exposed_tensor);
  }
  if (l.expert > 1) {
    const double ways = static_cast<double>(l.expert) / 4;
    t.expert = collective(l.expert,
                          k.tokens * static_cast<double>(k.m.moe.top_k) * d * 4 * static_cast<double>(moe_layers(k.m)) *
                              (3 + again(k.job.remat.mlp_up)) * (ways > 1 ? ways : 1),
                          k.c.exposed_expert);
  }
  const seconds weights = t.fsdp.whole + t.data.whole;
  const seconds cannot_hide = weights - (t.compute + t.hbm);
  if (k.c.hidden_by_work_only && cannot_hide > t.fsdp.exposed + t.data.exposed) {
    t.fsdp.exposed = cannot_hide * (t.fsdp.whole / weights);
    t.data.exposed = cannot_hide * (t.data.whole / weights);
  }
  t.ici = t.fsdp.exposed + t.data.exposed + t.tensor.exposed + t.expert.exposed + t.context.exposed;
}

/// Between slices: the gradients of data parallelism are reduced once; weights that are cut over slices are gathered
/// forward and backward and their gradients scattered, in every microbatch, each chip its own shard.
constexpr void add_dcn(step_breakdown& t, const asked_step& k, seconds base) {
  if (k.l.dcn_data == 1 && k.l.dcn_fsdp == 1) return;
  const auto replicas = static_cast<double>(k.l.dcn_data);
  const auto cut = static_cast<double>(k.l.dcn_fsdp);
  const bytes_per_second rate = k.s.chip.host.dcn.value("DCN rate of the chip");
  const double reduced = 2 * (replicas - 1) / replicas * 4 * k.held.trained / k.slice_chips / cut;
  const double gathered = k.microbatches * k.exchanged * (cut - 1) / cut / k.shards;
  t.dcn.whole = seconds{(reduced + gathered) / positive("DCN rate of the chip", rate.value())};
  t.dcn.exposed = k.c.exposed_dcn * t.dcn.whole;
  if (k.c.hidden_by_work_only) t.dcn.exposed = max(t.dcn.exposed, t.dcn.whole - base / 2);  // half is backward
}

/// Between host memory and chip: the optimizer's state in and out once; parameters in for every forward and backward
/// pass, those that are trained in and out for the update. Nothing hides it: `memory_use` has no room for the state
/// before the backward pass is over, so it cannot come earlier, and both ways are added.
constexpr void add_host(step_breakdown& t, const asked_step& k) {
  if (k.job.state_on_host == host_state::none) return;
  const double weights = k.held.trained * size_of(k.job.weights).value();
  const double frozen = k.held.frozen * size_of(k.job.frozen_weights).value();
  double moved = 2 * k.held.trained * optimizer_bytes_per_parameter(k.job.optimizer, k.job.moments).value();
  if (k.job.state_on_host == host_state::parameters_and_optimizer)
    moved += 2 * weights + 2 * k.microbatches * (weights + frozen);
  const double rate = k.s.chip.host.pcie.value("PCIe rate of the chip").value();
  t.host.whole = seconds{moved / k.shards / positive("PCIe rate of the chip", rate)};
  t.host.exposed = k.c.exposed_host * t.host.whole;
}

/// Time in which stages wait for the first and last microbatches: (p-1) / (m v) of the work, for m microbatches and v
/// rounds of interleaved stages, in GPipe and in 1F1B alike. Source: Narayanan et al. 2021, arXiv 2104.04473.
constexpr double bubble_share(const training_job& job, double stages) {
  const double pieces = job.pipeline_microbatches > 0 ? static_cast<double>(job.pipeline_microbatches) : 4 * stages;
  return (stages - 1) / (pieces * static_cast<double>(job.pipeline_rounds));
}

/// Time over that of a tuned recipe.
constexpr double software_factor(const training_job& job, const calibration& constants) {
  const double level = job.software == software_level::general ? constants.general_software : 1;
  return level * constants.own_factor;
}

/// Half-width that holds nine of ten errors with the model family left out of the calibration; one for all generations
/// and kinds, for widths of single cells did not generalise. Wider where no published run covers the case.
inline constexpr double usual_band = 0.20;
inline constexpr double wide_band = 0.35;

/// Whether published runs cover this chip with this kind of model and precision: dense models on every generation, int8
/// from v5e on, experts from v5p on.
constexpr bool is_covered(const transformer& model, const training_job& job, const chip_spec& chip) {
  return generation_index(chip) >= (has_experts(model) ? 4 : in_eight_bits(job) ? 3 : 0);
}

constexpr void add_band(step_breakdown& t, const asked_step& k) {
  // The domain of the records: 512 to 32768 tokens a sequence, 700 or more a chip and step, up to 32 slices.
  // Below 1.5e9 parameters a factor of two either way.
  const std::int64_t length = k.job.sequence_length;
  const bool unusual = length < 512 || length > 32768 || k.tokens < 700 || k.slices > 32;
  const bool small = k.held.trained + k.held.frozen < 1.5e9;
  t.extrapolated = small || unusual || !is_covered(k.m, k.job, k.s.chip) || k.stages > 1 || k.l.context > 1 ||
                   k.l.dcn_fsdp > 1 || k.job.images_per_sequence > 0 || k.job.attention != attention_kernel::flash ||
                   k.job.lora_rank > 0 || k.job.state_on_host != host_state::none;
  t.band = small ? 1 : (t.extrapolated ? wide_band : usual_band) + (k.slices > 8 ? 0.05 : 0);
  t.low = t.total / (1 + t.band);
  t.high = small ? 2 * t.total : t.total / (1 - t.band);
}

constexpr step_bound largest_part(const step_breakdown& t) {
  const seconds parts[] = {t.compute,     t.hbm, t.ici, t.dcn.exposed, t.overhead + t.bubble + t.jitter + t.software,
                           t.host.exposed};
  std::size_t most = 0, i = 0;
  for (const seconds part : parts) {
    if (++i; part > parts[most]) most = i - 1;
  }
  return static_cast<step_bound>(most);
}

}  // namespace detail

/// Time of one training step of a text model. Throws for what `memory_use` throws for, and where a needed figure of the
/// chip is unknown. It does not ask whether the job fits:
/// `fits(memory_use(...))` does. Worked: the 128B default model of MaxText on v5p-256, 10.71 s against 10.25 s measured
/// (tests/oracle). Source: closed form calibrated on published runs; constants and their meaning in `calibration`.
[[nodiscard]] constexpr step_breakdown step_time(const transformer& model, const training_job& job, const layout& mesh,
                                                 const slice& where, const calibration& constants = {}) {
  detail::check_trained(model, job, mesh, where);
  validate(constants);
  const detail::asked_step k = detail::asked(model, job, mesh, where, constants);
  step_breakdown t;
  detail::add_compute(t, k);
  detail::add_hbm(t, k);
  detail::add_ici(t, k);
  t.overhead = constants.per_layer_pass * (4 * k.layers * k.microbatches);
  const seconds base = t.compute + t.hbm + t.ici + t.overhead;
  t.bubble = base * detail::bubble_share(job, k.stages);
  t.jitter = (base + t.bubble) * (constants.slowdown_per_doubling * math::log2(k.slices));
  detail::add_dcn(t, k, base + t.bubble);
  detail::add_host(t, k);
  const seconds tuned = base + t.bubble + t.jitter + t.dcn.exposed + t.host.exposed;
  t.software = tuned * (detail::software_factor(job, constants) - 1);
  t.total = tuned + t.software;
  detail::positive("step time", t.total.value());
  detail::add_band(t, k);
  t.limited_by = detail::largest_part(t);
  t.tokens_per_second = static_cast<double>(tokens_per_step(job)) / t.total;
  const flops work = k.passes * (k.work.total - k.work.attention) + 3 * (k.work.attention + k.adapters);
  t.mfu = work.value() * k.tokens / k.peak / t.total.value();
  return t;
}

/// Constants under which the estimate of a run of the caller's own equals what was measured, so that estimates for
/// other slices, batches and layouts start from it. Throws for a time that is not above 0. Worked: 9.1 s measured
/// where 8.0 s are estimated scale every estimate by 1.1375.
[[nodiscard]] constexpr calibration scaled_to(seconds measured, const transformer& model, const training_job& job,
                                              const layout& mesh, const slice& where, calibration constants = {}) {
  detail::positive("measured step time", measured.value());
  constants.own_factor *= measured / step_time(model, job, mesh, where, constants).total;
  return constants;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
