#ifndef TPUPLAN_ESTIMATE_TRAINING_HPP
#define TPUPLAN_ESTIMATE_TRAINING_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/calibration.hpp>
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
enum class step_bound : std::uint8_t { compute, hbm, ici, dcn, overhead };

/// "compute" and so on.
[[nodiscard]] constexpr std::string_view name(step_bound what) noexcept {
  constexpr std::string_view names[] = {"compute", "hbm", "ici", "dcn", "overhead"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// A collective: how long it takes by itself, and how much of that the step waits for.
struct collective_time {
  seconds whole{};
  seconds exposed{};
};

/// Time of one step. compute + hbm + ici + overhead + bubble + jitter + dcn.exposed + software = total, and each of the
/// first three is the sum of its parts.
struct step_breakdown {
  seconds dense_products{};  ///< projections, dense MLPs, shared experts
  seconds expert_products{};
  seconds logits{};
  seconds attention{};
  seconds vision{};
  seconds compute{};        ///< the five above
  seconds elementwise{};    ///< HBM traffic of norms, activations, residuals
  seconds operands{};       ///< HBM traffic of the operands and results of dense products
  seconds weight_reads{};   ///< HBM traffic of gathered weights, once a pass
  seconds weight_update{};  ///< HBM traffic of optimizer and gradients
  seconds dispatch{};       ///< HBM traffic of routing tokens to experts
  seconds hbm{};            ///< the five above
  collective_time fsdp{};
  collective_time data{};
  collective_time tensor{};
  collective_time expert{};
  collective_time context{};
  seconds ici{};       ///< the exposed parts of the five above
  seconds overhead{};  ///< fixed time per layer and pass
  seconds bubble{};    ///< pipeline stages that wait
  seconds jitter{};    ///< stragglers among slices
  collective_time dcn{};
  seconds software{};  ///< what a general framework, or the caller's own measurement, adds to a tuned recipe
  seconds total{};
  seconds low{};  ///< nine of ten comparable published runs lie between low and high
  seconds high{};
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< outside of what published runs cover
  step_bound limited_by = step_bound::compute;
  double mfu = 0;  ///< model FLOPs (MaxText's convention) over the bf16 peak
  per_second tokens_per_second{};
};

namespace detail {

/// 1 where a product is done again in the backward pass.
constexpr double again(placement where) noexcept { return where == placement::recompute ? 1 : 0; }

/// Sizes that every term needs.
struct step_scale {
  double chips = 0;  ///< over all slices
  double slice_chips = 0;
  double slices = 0;
  double stages = 0;
  double tokens = 0;  ///< per chip
  double microbatches = 0;
  double layers = 0;
  double parameters = 0;
  double shards = 0;  ///< of the weights, counted in chips
  double peak = 0;
};

constexpr step_scale scale_of(const transformer& m, const training& job, const layout& l, const slice& s) {
  step_scale k;
  k.slice_chips = static_cast<double>(chips(s));
  k.slices = static_cast<double>(slices(l));
  k.chips = k.slice_chips * k.slices;
  k.stages = static_cast<double>(checked_multiply(l.pipeline, l.dcn_pipeline));
  k.tokens = static_cast<double>(tokens_per_step(job)) / k.chips;
  k.microbatches = static_cast<double>(job.gradient_accumulation);
  k.layers = static_cast<double>(m.layers);
  k.parameters = static_cast<double>(parameters(m).total);
  const double unit = k.slice_chips / static_cast<double>(mesh_size(l));
  const double cut = static_cast<double>(checked_multiply(l.fsdp, l.tensor, l.expert)) * k.stages * unit;
  const double most = k.slice_chips * k.stages;
  k.shards = cut < most ? cut : most;
  k.peak = peak_rate(s.chip, dtype::bf16).value();
  return k;
}

/// FLOPs of the attention core per token, head sizes padded to 128, keys in the blocks that the kernel takes at once:
/// half a block more than the causal half, a block more than a window.
constexpr double padded_attention(const transformer& m, std::int64_t sequence, const calibration& c) {
  const auto padded = [](std::int64_t head) { return static_cast<double>(round_up(head, 128)); };
  const double block = c.attention_block;
  const attention_spec& a = m.attention;
  const auto length = static_cast<double>(sequence);
  const double all = m.kind == architecture::encoder ? length : (length + (block < length ? block : length)) / 2;
  const double seen = static_cast<double>(a.window) + block;
  const double local = seen < all ? seen : all;
  const auto local_layers = static_cast<double>(a.local_layers);
  const auto heads = static_cast<double>(a.heads);
  if (has_latent_attention(m)) {
    const std::int64_t keys = a.latent.qk_nope_head_dim + a.latent.qk_rope_head_dim;
    const auto sizes = static_cast<double>(keys + a.latent.v_head_dim);
    const double width = c.latent_values_padded ? sizes * (padded(keys) / static_cast<double>(keys))
                                                : padded(keys) + padded(a.latent.v_head_dim);
    return 2 * static_cast<double>(m.layers) * heads * all * width;
  }
  const double global_head = padded(a.global_head_dim > 0 ? a.global_head_dim : a.head_dim);
  const double macs =
      local_layers * local * padded(a.head_dim) + (static_cast<double>(m.layers) - local_layers) * all * global_head;
  return 2 * 2 * heads * macs;
}

/// A product's dimensions on one device, contracted and outer.
struct device_product {
  double inner = 0;
  double outer = 0;
};

/// The dense products of a layer on one device, tensor parallelism applied; MLP widths averaged over the layers that
/// have one.
struct device_products {
  device_product qkv{}, attention_output{}, mlp_up{}, mlp_down{}, expert_up{}, logits{};
};

constexpr device_products products_on_device(const transformer& m, const layout& l, const forward_flops& f) {
  const layer_widths w = widths_of(m);
  const auto cut = static_cast<double>(l.tensor);
  const bool beside_experts = m.moe.shared_d_ff > 0 || m.moe.parallel_dense_d_ff > 0;
  const std::int64_t layers = beside_experts ? m.layers : m.layers - moe_layers(m);
  const double width = f.mlp_down.value() / 2 / w.d_model / static_cast<double>(layers > 0 ? layers : 1) / cut;
  return {{w.d_model, w.qkv / cut},
          {w.context / cut, w.d_model},
          {w.d_model, width},
          {width, w.d_model},
          {w.d_model, static_cast<double>(m.moe.expert_d_ff) / cut},
          {w.d_model, static_cast<double>(m.vocab) / cut}};
}

/// Work of a product over what was asked for, with both dimensions filled up to the side of the MXU.
constexpr double padding_factor(const device_product& p, const chip_spec& chip, const calibration& c) {
  if (!c.products_padded || p.inner <= 0 || p.outer <= 0) return 1;
  const auto filled = [&chip](double size) {
    return static_cast<double>(round_up(ceil_to_count(size), positive_count("chip.mxu.side", chip.mxu.side))) / size;
  };
  return filled(p.inner) * filled(p.outer);
}

/// Bytes per token that dense products read and write, their bf16 operands and results once per pass: a product of
/// m x k x n takes f (1/m + 1/k + 1/n) bytes for f FLOPs. Routed experts are not in it: dispatch stands for them.
constexpr double operand_bytes(const training& job, const forward_flops& f, const device_products& on, double rows) {
  const auto bytes_of_product = [rows](flops work, double passes, const device_product& p) {
    return work.value() > 0 ? work.value() * passes * (1 / rows + 1 / p.inner + 1 / p.outer) : 0;
  };
  const remat_policy& r = job.remat;
  return job.work_multiplier *
         (bytes_of_product(f.qkv, 3 + again(r.qkv), on.qkv) +
          bytes_of_product(f.attention_output, 3 + again(r.out_proj), on.attention_output) +
          bytes_of_product(f.mlp_up, 3 + again(r.mlp_up), on.mlp_up) + bytes_of_product(f.mlp_down, 3, on.mlp_down));
}

constexpr void add_compute(step_breakdown& t, const transformer& m, const training& job, const layout& l,
                           const slice& s, const step_scale& k, const calibration& c) {
  const forward_flops f = forward_flops_per_token(m, job.sequence_length);
  const remat_policy& r = job.remat;
  const double doubled = job.compute == dtype::int8 || job.compute == dtype::fp8
                             ? (peak_rate(s.chip, job.compute).value() > k.peak ? 1 - c.low_precision_share / 2 : 1)
                             : 1;
  const double per_flop = k.tokens * job.work_multiplier / (k.peak * mxu_fraction(c, s.chip));
  const double up = 3 + again(r.mlp_up);
  const device_products on = products_on_device(m, l, f);
  const auto work = [&](flops asked, double passes, const device_product& shape) {
    return asked.value() * passes * padding_factor(shape, s.chip, c);
  };
  t.dense_products = seconds{per_flop * doubled *
                             (work(f.qkv, 3 + again(r.qkv), on.qkv) +
                              work(f.attention_output, 3 + again(r.out_proj), on.attention_output) +
                              work(f.mlp_up, up, on.mlp_up) + work(f.mlp_down, 3, on.mlp_down))};
  t.expert_products = seconds{per_flop * doubled * job.capacity_factor *
                              (work(f.experts_up, up, on.expert_up) + work(f.experts_down, 3, on.expert_up))};
  t.logits = seconds{per_flop * work(f.logits, 3, on.logits) * job.logits_fraction};
  t.attention = seconds{per_flop * c.attention_slowdown * padded_attention(m, job.sequence_length, c) *
                        (3.5 + (r.attention_again ? 1 : 0))};
  if (job.images_per_sequence > 0) {
    const double per_token = vision_flops_per_image(m.vision).value() * static_cast<double>(job.images_per_sequence) /
                             static_cast<double>(job.sequence_length);
    t.vision = seconds{per_flop * 3 * per_token};
  }
  t.compute = t.dense_products + t.expert_products + t.logits + t.attention + t.vision;
}

constexpr void add_hbm(step_breakdown& t, const transformer& m, const training& job, const layout& l, const slice& s,
                       const step_scale& k, const calibration& c) {
  const layer_widths w = widths_of(m);
  const remat_policy& r = job.remat;
  const bool products_again = again(r.qkv) + again(r.out_proj) + again(r.mlp_up) > 0;
  const double rate = s.chip.hbm.bandwidth.value();
  const auto device_count = static_cast<double>(s.chip.jax_devices);
  const auto tensor = static_cast<double>(l.tensor);
  const double passes = products_again ? 4 : 3.3;
  const double numbers =
      passes * 2 * k.layers * (8 * w.d_model + 2 * w.qkv + w.mlp) + 16 * static_cast<double>(m.vocab);
  t.elementwise = seconds{c.hbm_passes * k.tokens * numbers / rate};
  const double rows = k.tokens * tensor / device_count / k.microbatches;
  const forward_flops f = forward_flops_per_token(m, job.sequence_length);
  const double operands = operand_bytes(job, f, products_on_device(m, l, f), rows);
  t.operands = seconds{c.hbm_passes * c.operand_reads * k.tokens * operands / rate};
  const double gathered = 2 * k.parameters / (tensor * static_cast<double>(l.expert) * k.stages) * device_count;
  t.weight_reads = seconds{c.hbm_passes * c.weight_reads * gathered * (3 + again(r.mlp_up)) * k.microbatches / rate};
  t.weight_update = seconds{28 * k.parameters / k.shards / rate};
  const double routed =
      k.tokens * static_cast<double>(m.moe.top_k) * w.d_model * 2 * static_cast<double>(moe_layers(m));
  t.dispatch = seconds{c.dispatch_passes * job.capacity_factor * routed * (3 + again(r.mlp_up)) *
                       (c.dispatch_on_every_shard ? tensor : 1) / rate};
  t.hbm = t.elementwise + t.operands + t.weight_reads + t.weight_update + t.dispatch;
}

/// Whether the slice's rings are closed; where that is not established (partial slices of v2 and v3) by size.
constexpr bool counts_as_wrapped(const slice& s) {
  const known<bool> wrapped = fully_wrapped(s);
  return wrapped.has_value() ? wrapped.value() : chips(s) >= 256;
}

/// Torus axes that a degree gets: dealt in proportion to the logarithm of the degree.
constexpr double axes_for(std::int64_t degree, const layout& l, const slice& s) {
  const auto all = static_cast<double>(s.chip.ici.axes);
  if (chips(s) <= 4) return 0.67 * all;
  const auto log2_of = [](std::int64_t n) { return math::log2(static_cast<double>(n < 2 ? 2 : n)); };
  const double dealt = all * log2_of(degree) / log2_of(mesh_size(l));
  return dealt < 0.34 ? 0.34 : dealt;
}

constexpr void add_ici(step_breakdown& t, const transformer& m, const training& job, const layout& l, const slice& s,
                       const step_scale& k, const calibration& c) {
  const double axis = ici_axis_both_ways(s.chip).value() * (counts_as_wrapped(s) ? 1 : 0.5);
  const auto d = static_cast<double>(m.d_model);
  const remat_policy& r = job.remat;
  const auto collective = [](double bytes_over_rate, double exposed) {
    return collective_time{seconds{bytes_over_rate}, seconds{bytes_over_rate * exposed}};
  };
  const double weights_exposed = job.synchronous_collectives ? 1 : c.exposed_fsdp;
  if (l.fsdp > 1) {
    const double kept = static_cast<double>(checked_multiply(l.tensor, l.expert)) * k.stages;
    t.fsdp = collective(8 * k.microbatches * k.parameters / kept / (axes_for(l.fsdp, l, s) * axis), weights_exposed);
  }
  // Chips that hold different parts of the same sequences hold the same weights: for gradients they are replicas.
  const std::int64_t replicas = checked_multiply(l.data, l.context);
  if (replicas > 1) {
    t.data = collective(8 * k.parameters / k.shards / (axes_for(replicas, l, s) * axis), weights_exposed);
  }
  if (l.context > 1) {
    // Keys and values of whole sequences, gathered forward and backward, and their gradients scattered.
    const layer_widths w = widths_of(m);
    const attention_spec& a = m.attention;
    const std::int64_t key =
        has_latent_attention(m) ? a.latent.qk_nope_head_dim + a.latent.qk_rope_head_dim : a.head_dim;
    const double keys_and_values = w.qkv - static_cast<double>(checked_multiply(a.heads, key));
    t.context = collective(3 * k.layers * k.tokens * static_cast<double>(l.context - 1) * keys_and_values * 2 /
                               (axes_for(l.context, l, s) * axis),
                           c.exposed_context);
  }
  if (l.tensor > 1) {
    const bool all_again = again(r.qkv) + again(r.out_proj) + again(r.mlp_up) == 3 && r.attention_again;
    const double passes = all_again ? 3 : 2.5;
    t.tensor = collective(
        k.tokens * static_cast<double>(l.tensor - 1) * d * 8 * k.layers * passes / (axes_for(l.tensor, l, s) * axis),
        c.exposed_tensor);
  }
  if (l.expert > 1) {
    const double ways = static_cast<double>(l.expert) / 4;
    t.expert = collective(k.tokens * static_cast<double>(m.moe.top_k) * d * 4 * static_cast<double>(moe_layers(m)) *
                              (3 + again(r.mlp_up)) * (ways > 1 ? ways : 1) / (axes_for(l.expert, l, s) * axis),
                          c.exposed_expert);
  }
  const seconds weights = t.fsdp.whole + t.data.whole;
  const seconds cannot_hide = weights - (t.compute + t.hbm);
  if (c.hidden_by_work_only && cannot_hide > t.fsdp.exposed + t.data.exposed) {
    t.fsdp.exposed = cannot_hide * (t.fsdp.whole / weights);
    t.data.exposed = cannot_hide * (t.data.whole / weights);
  }
  t.ici = t.fsdp.exposed + t.data.exposed + t.tensor.exposed + t.expert.exposed + t.context.exposed;
}

/// Between slices: the gradients of data parallelism are reduced once; weights that are cut over slices are gathered
/// forward and backward and their gradients scattered, in every microbatch, each chip its own shard.
constexpr void add_dcn(step_breakdown& t, const layout& l, const slice& s, const step_scale& k, seconds base,
                       const calibration& c) {
  if (l.dcn_data == 1 && l.dcn_fsdp == 1) return;
  const auto replicas = static_cast<double>(l.dcn_data);
  const auto cut = static_cast<double>(l.dcn_fsdp);
  const double rate = s.chip.host.dcn.value("DCN rate of the chip").value();
  const double reduced = 2 * (replicas - 1) / replicas * 4 * k.parameters / k.slice_chips / cut;
  const double gathered = 8 * k.microbatches * (cut - 1) / cut * k.parameters / k.shards;
  t.dcn.whole = seconds{(reduced + gathered) / rate};
  t.dcn.exposed = c.exposed_dcn * t.dcn.whole;
  if (c.hidden_by_work_only) {
    t.dcn.exposed = max(t.dcn.exposed, t.dcn.whole - base / 2);  // half of the work is backward
  }
}

/// Time in which stages wait for the first and last microbatches: (p-1) / (m v) of the work, for m microbatches and v
/// rounds of interleaved stages, in GPipe and in 1F1B alike. Source: Narayanan et al. 2021, arXiv 2104.04473.
constexpr double bubble_share(const training& job, double stages) {
  const double pieces = job.pipeline_microbatches > 0 ? static_cast<double>(job.pipeline_microbatches) : 4 * stages;
  return (stages - 1) / (pieces * static_cast<double>(job.pipeline_rounds));
}

/// Half-width that holds nine of ten errors with the model family left out of the calibration; one for all generations
/// and kinds, for widths of single cells did not generalise. Wider where no published run covers the case.
inline constexpr double usual_band = 0.20;
inline constexpr double wide_band = 0.35;

/// Kinds of runs that records of a generation cover.
struct covered_runs {
  std::string_view chip;
  bool experts;
  bool low_precision;
};
inline constexpr std::array<covered_runs, 7> covered = {{{"v2", false, false},
                                                         {"v3", false, false},
                                                         {"v4", false, false},
                                                         {"v5e", false, true},
                                                         {"v5p", true, true},
                                                         {"v6e", true, true},
                                                         {"tpu7x", true, true}}};

/// Whether published runs cover this chip with this kind of model and precision.
constexpr bool is_covered(const transformer& m, const training& job, const chip_spec& chip) {
  const bool low_precision = job.compute == dtype::int8 || job.compute == dtype::fp8;
  for (const covered_runs& row : covered) {
    if (row.chip != chip.name.view()) continue;
    return (!has_experts(m) || row.experts) && (!low_precision || row.low_precision);
  }
  return false;
}

constexpr void add_band(step_breakdown& t, const transformer& m, const training& job, const layout& l, const slice& s,
                        const step_scale& k) {
  // The domain of the records: 512 to 32768 tokens a sequence, 700 or more a chip and step, up to 32 slices.
  const bool unusual = job.sequence_length < 512 || job.sequence_length > 32768 || k.tokens < 700 || k.slices > 32;
  t.extrapolated = !is_covered(m, job, s.chip) || unusual || k.stages > 1 || job.images_per_sequence > 0 ||
                   l.context > 1 || l.dcn_fsdp > 1;
  double band = t.extrapolated ? wide_band : usual_band;
  if (slices(l) > 8) band += 0.05;
  t.band = band;
  t.low = t.total / (1 + band);
  t.high = t.total / (1 - band);
  if (k.parameters < 1.5e9) {  // below the domain: a factor of two either way
    t.extrapolated = true;
    t.band = 1;
    t.low = t.total / 2;
    t.high = t.total * 2;
  }
}

constexpr step_bound largest_part(const step_breakdown& t) {
  step_bound what = step_bound::compute;
  seconds most = t.compute;
  const auto consider = [&](step_bound candidate, seconds time) {
    if (time > most) {
      most = time;
      what = candidate;
    }
  };
  consider(step_bound::hbm, t.hbm);
  consider(step_bound::ici, t.ici);
  consider(step_bound::dcn, t.dcn.exposed);
  consider(step_bound::overhead, t.overhead + t.bubble + t.jitter + t.software);
  return what;
}

}  // namespace detail

/// Time of one training step of a text model. Throws for what `memory_use` throws for, for adapters and state on hosts
/// (only memory is estimated), and where a needed figure of the chip is unknown. It does not ask whether the job fits:
/// `fits(memory_use(...))` does. Worked: the 128B default model of MaxText on v5p-256, 10.69 s against 10.25 s measured
/// (tests/oracle). Source: closed form calibrated on published runs; constants and their meaning in `calibration`.
[[nodiscard]] constexpr step_breakdown step_time(const transformer& m, const training& job, const layout& l,
                                                 const slice& s, const calibration& constants = {}) {
  detail::check_trained(m, job, l, s);
  if (job.lora_rank > 0) detail::fail(errc::unsupported, "step time with training.lora_rank", job.lora_rank, "0");
  if (job.state_on_host != host_state::none)
    detail::fail(errc::unsupported, "step time with state on", "hosts", "none");
  const detail::step_scale k = detail::scale_of(m, job, l, s);
  step_breakdown t;
  detail::add_compute(t, m, job, l, s, k, constants);
  detail::add_hbm(t, m, job, l, s, k, constants);
  detail::add_ici(t, m, job, l, s, k, constants);
  t.overhead = constants.per_layer_pass * (4 * k.layers * k.microbatches);
  const seconds base = t.compute + t.hbm + t.ici + t.overhead;
  t.bubble = base * detail::bubble_share(job, k.stages);
  t.jitter = (base + t.bubble) * (constants.slowdown_per_doubling * math::log2(k.slices));
  detail::add_dcn(t, l, s, k, base + t.bubble, constants);
  const seconds tuned = base + t.bubble + t.jitter + t.dcn.exposed;
  const double level = job.software == software_level::general ? constants.general_software : 1;
  t.software = tuned * (level * detail::positive("calibration.own_factor", constants.own_factor) - 1);
  t.total = tuned + t.software;
  detail::positive("step time", t.total.value());
  detail::add_band(t, m, job, l, s, k);
  t.limited_by = detail::largest_part(t);
  t.tokens_per_second = k.tokens * k.chips / t.total;
  t.mfu = training_flops_per_token(m, job.sequence_length).value() * k.tokens / k.peak / t.total.value();
  return t;
}

/// Constants under which the estimate of a run of the caller's own equals what was measured, so that estimates for
/// other slices, batches and layouts start from it. Throws for a time that is not above 0. Worked: 9.1 s measured
/// where 8.0 s are estimated scale every estimate by 1.1375.
[[nodiscard]] constexpr calibration scaled_to(seconds measured, const transformer& m, const training& job,
                                              const layout& l, const slice& s, calibration constants = {}) {
  detail::positive("measured step time", measured.value());
  constants.own_factor *= measured / step_time(m, job, l, s, constants).total;
  return constants;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
