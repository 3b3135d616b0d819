#ifndef TPUPLAN_ESTIMATE_TRAINING_STEP_TIME_HPP
#define TPUPLAN_ESTIMATE_TRAINING_STEP_TIME_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/estimate/training/bands.hpp>
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/estimate/training/sums.hpp>
#include <tpuplan/estimate/training/terms.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// Time of one training step, part by part, with a band that comes from the validation against published runs.

namespace tpuplan {
inline namespace abi_0 {

/// What takes most of a step.
enum class step_bound : std::uint8_t { compute, hbm, ici, dcn, overhead, host };

/// "compute" and so on.
[[nodiscard]] constexpr std::string_view name(step_bound what) noexcept {
  constexpr const char* names[] = {"compute", "hbm", "ici", "dcn", "overhead", "host"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// Assumptions that a reader of an estimate should know.
struct step_remarks {
  bool text_alone = false;        ///< the model has a vision tower, the job no images: the tower does not run
  bool beyond_positions = false;  ///< sequences are longer than those that the model is made for
  bool products_in_bf16 = false;  ///< fp32 is rounded to bf16 in products, as XLA does by default: see number_bytes
  bool host_untimed = false;      ///< tensors go to the host and back in no time: see host_rate
};

/// The remarks on a job. Worked: `beyond_positions` for llama-3-8b, made for 8192 tokens, in sequences of 16384.
[[nodiscard]] constexpr step_remarks remarks_on(const transformer& model, const training_job& job) noexcept {
  const bool longer =
      job.sequence_length > model.max_positions || (model.encoder_stem == 0 && job.source_length > model.max_positions);
  return {has_text(model) && has_vision(model) && job.images_per_sequence == 0, model.max_positions > 0 && longer,
          job.compute == dtype::fp32, false};
}

/// Training FLOPs per token that MFU counts: those of MaxText's convention, with the output head only for predicted
/// positions (`training_job.logits_fraction`: 15 % in masked language models), and those of the vision tower; without
/// gradients of frozen weights and without recomputation; what a capacity factor below 1 drops is not computed.
/// `sizes` are those of the job.
/// Worked: 197.62862515814402e12 / 4096 FLOP for llama-3-8b at 4096 tokens.
[[nodiscard]] constexpr flops model_flops_per_token(const training_sizes& sizes, const training_job& job) {
  const forward_flops& work = sizes.work;
  const double dropped = job.capacity_factor < 1 ? 1 - job.capacity_factor : 0;
  const flops products = work.total - work.attention - (1 - job.logits_fraction) * work.logits -
                         dropped * (work.experts_up + work.experts_down);
  return sizes.passes * products + 3 * (work.attention + sizes.adapters) + detail::tower_passes(sizes) * sizes.tower;
}

/// Time of one step. compute + hbm + ici + overhead + bubble + stragglers + dcn.exposed + host.exposed + software =
/// total, and each of the first three is the sum of its parts.
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
  seconds stragglers{};       ///< slices wait for the slowest of them
  collective_time dcn{};      ///< gradients and activations between slices
  collective_time host{};     ///< state and tensors that lie in host memory, both ways
  seconds software{};         ///< what untuned software, or the caller's own runs, add; below 0 where they are faster
  seconds total{};            ///< of the step
  seconds floor{};            ///< what peak rates, HBM and links leave at least: no program is faster
  seconds low{};              ///< lower end: nine of ten comparable published runs lie between low and high
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< how far low or high are from total, whichever is further, as a share of it
  step_kind kind = step_kind::dense;                        ///< the kind of job whose errors give the band
  software_level software_taken = software_level::unnamed;  ///< how well the program is said to be tuned
  std::int64_t runs = 0;                                    ///< published runs of that kind
  std::int64_t sources = 0;                                 ///< repositories and authors that published them
  bool extrapolated = false;                                ///< outside of what published runs cover
  step_remarks remarks{};                                   ///< its assumptions
  step_bound limited_by = step_bound::compute;              ///< the largest part
  double mfu = 0;                  ///< model FLOPs (see model_flops_per_token) over the bf16 peak
  per_second tokens_per_second{};  ///< over all slices
};

namespace detail {

/// Adds the parts of the work of one chip.
constexpr void add_work(step_breakdown& step, const work_terms& work, const layout_terms& at, double microbatches) {
  step.dense_products = at.tokens * work.dense_products;
  step.expert_products = at.tokens * work.expert_products;
  step.logits = at.tokens * work.logits;
  step.attention = at.tokens * (1 + at.imbalance) * work.attention;
  step.vision = at.tokens * work.vision;
  step.compute = step.dense_products + step.expert_products + step.logits + step.attention + step.vision;
  step.elementwise = at.tokens * work.elementwise;
  step.scores = at.tokens * work.scores;
  step.operands = at.tokens * work.operands + microbatches * work.operand_weights;
  step.weight_reads = microbatches * at.gathered_share * work.weight_reads;
  step.weight_update = work.weight_update / at.weight_shards;
  step.dispatch = at.tokens * at.routed * work.dispatch;
  step.hbm = step.elementwise + step.scores + step.operands + step.weight_reads + step.weight_update + step.dispatch;
}

/// The time of a collective that runs `count` times.
constexpr collective_time times(double count, const collective_time& once) noexcept {
  return {count * once.whole, count * once.exposed};
}

/// Adds the collectives inside a slice. Gathers of weights cannot be hidden for longer than the work takes.
constexpr void add_collectives(step_breakdown& step, const work_terms& work, const layout_terms& at,
                               double microbatches) {
  step.fsdp = times(microbatches, at.fsdp);
  step.data = at.data;
  step.tensor = times(work.tensor_passes, at.tensor);
  step.expert = times(work.expert_passes, at.expert);
  step.context = at.context;
  const seconds weights = step.fsdp.whole + step.data.whole;
  const seconds cannot_hide = weights - (step.compute + step.hbm);
  if (at.hidden_by_work && cannot_hide > step.fsdp.exposed + step.data.exposed) {
    step.fsdp.exposed = cannot_hide * (step.fsdp.whole / weights);
    step.data.exposed = cannot_hide * (step.data.whole / weights);
  }
  step.ici = step.fsdp.exposed + step.data.exposed + step.tensor.exposed + step.expert.exposed + step.context.exposed;
}

/// Adds the overhead, the bubble, the stragglers and the exposed traffic beyond the slice, the floor, and the total,
/// which nothing brings below the floor: not own runs that are faster than the estimate, nor a share of the collectives
/// within layers that is said to be hidden, where the work is too short to hide it.
constexpr void add_waits(step_breakdown& step, const work_terms& work, const layout_terms& at, double microbatches) {
  step.overhead = microbatches * at.overhead;
  const seconds base = step.compute + step.hbm + step.ici + step.overhead;
  step.bubble = base * bubble_of(at, microbatches);
  const seconds run = base + step.bubble;
  step.stragglers = run * at.stragglers;
  step.dcn.whole = at.dcn_once + microbatches * at.dcn_each;
  step.dcn.exposed = at.dcn_exposed * step.dcn.whole;
  if (at.hidden_by_work) step.dcn.exposed = max(step.dcn.exposed, step.dcn.whole - run / 2);  // half is backward
  step.host.whole = at.host_once + microbatches * at.host_each;
  step.host.exposed = at.host_exposed * step.host.whole;
  const seconds to_host = at.tokens * work.to_host;
  step.host.whole += 2 * to_host;
  step.host.exposed += exposed_to_host(run, to_host, work.forward);
  const seconds tuned = run + step.stragglers + step.dcn.exposed + step.host.exposed;
  step.floor = floor_of(sum_of(work), at, microbatches);
  step.total = max(tuned * at.software, step.floor);
  const seconds waits = at.software < 1 ? seconds{0} : step.total - tuned * at.software;
  (step.tensor.whole < step.expert.whole ? step.expert : step.tensor).exposed += waits;
  step.ici += waits;
  step.software = step.total - tuned - waits;
}

/// Whether published runs cover this chip with this kind of model and precision.
constexpr bool is_covered(const transformer& model, const training_job& job, const chip_spec& chip) noexcept {
  if (has_recurrence(model) || model.attention.indexer.heads > 0 || has_two_stacks(model)) return false;
  const training_coverage runs = runs_behind(chip);
  return (has_experts(model) ? runs.experts : in_eight_bits(job) ? runs.eight_bit : runs.dense) > 0;
}

/// Whether the job is within the range of the published runs: 512 to 32768 tokens per sequence (131072 under context
/// parallelism), 700 or more per chip and step, up to 32 slices, no option that no run has.
constexpr bool is_usual(const training_job& job, const layout& mesh, const layout_terms& at) {
  const std::int64_t length = job.sequence_length;
  const std::int64_t longest = mesh.context > 1 ? 131072 : 32768;
  if (length < 512 || length > longest || at.tokens < 700 || slices(mesh) > 32) return false;
  if (checked_multiply(mesh.pipeline, mesh.dcn_pipeline) > 1 || mesh.dcn_fsdp > 1) return false;
  return job.images_per_sequence == 0 && job.attention != attention_kernel::unfused && job.lora_rank == 0 &&
         job.state_on_host == host_state::none;
}

/// Whether tensors go to the host at a rate that is not known.
constexpr bool is_untimed(const training_sizes& sizes, const training_job& job, const chip_spec& chip) noexcept {
  return !host_rate(chip).has_value() && saved_width(sizes.width, job.remat, placement::host) > 0;
}

/// Whether the step waits for tensors that lie on the host, for a hundredth of it or more. In all published runs the
/// work hides them.
constexpr bool waits_for_host(const step_breakdown& step, const layout_terms& at, double microbatches) noexcept {
  return step.host.exposed - at.host_exposed * (at.host_once + microbatches * at.host_each) > 0.01 * step.total;
}

/// Adds the band of the estimate. Beyond eight slices it is 5 % wider: stragglers differ. See end_at_floor.
constexpr void add_band(step_breakdown& step, const training_band& band, std::int64_t slice_total) {
  const double many = slice_total > 8 ? 1.05 : 1;
  step.low = step.total * (band.low / many);
  step.high = step.total * (band.high * many);
  step.runs = band.runs;
  step.sources = band.sources;
}

/// How far up a band reaches at least, where nobody says how well a program is tuned, as a factor on the total; 0
/// elsewhere. The band of a kind is of all its layouts, of which two tell programs further apart: where experts are
/// sharded a first port sorts buffers that have room for the worst routing, and may take `extrapolated_factor` times
/// its estimate; where tensors alone are, programs without tuning hide little of the all-reduces, and reach the high
/// end of their own band.
constexpr double reach_of_others(const training_sizes& sizes, const work_terms& work, const transformer& model,
                                 training_job job, const layout& mesh, const slice& where, const calibration& constants,
                                 const step_breakdown& unnamed) {
  const bool ported = has_experts(model) && mesh.expert > 1;
  if (!ported && mesh.tensor == 1) return 0;
  job.software = ported ? software_level::first_port : software_level::general;
  const layout_terms at = terms_of_valid(sizes, model, job, mesh, where, constants);
  const auto microbatches = static_cast<double>(job.gradient_accumulation);
  step_breakdown step;
  add_work(step, work, at, microbatches);
  add_collectives(step, work, at, microbatches);
  add_waits(step, work, at, microbatches);
  const double most = ported ? extrapolated_factor : band_of(unnamed.kind, unnamed.extrapolated, job.software).high;
  return most * (step.total / unnamed.total);
}

/// How much wider a band is than that of dense models, in logarithms.
constexpr double wider_than_dense(const training_band& band) {
  const training_band& dense = training_bands[static_cast<std::size_t>(step_kind::dense)];
  return math::log(band.high / band.low) / math::log(dense.high / dense.low);
}

/// Ends the band at the floor, and says how far its ends are from the total.
constexpr void end_at_floor(step_breakdown& step) {
  step.low = min(step.total, max(step.low, step.floor));
  const double below = 1 - step.low / step.total, above = step.high / step.total - 1;
  step.band = below > above ? below : above;
}

constexpr step_bound largest_part(const step_breakdown& step) {
  const seconds parts[] = {step.compute,
                           step.hbm,
                           step.ici,
                           step.dcn.exposed,
                           step.overhead + step.bubble + step.stragglers + step.software,
                           step.host.exposed};
  std::size_t most = 0, i = 0;
  for (const seconds part : parts) {
    if (++i; part > parts[most]) most = i - 1;
  }
  return static_cast<step_bound>(most);
}

}  // namespace detail

/// Time of one training step of a text model. Throws for what `memory_use` throws for, and where a needed figure of the
/// chip is unknown. Whether the job fits is another question: `fits(memory_use(...))`. Worked: the 128B default model
/// of MaxText on v5p-256, 10.60 s against 10.25 s measured (tests/oracle). Source: closed form calibrated on published
/// runs; its terms are in terms.hpp, its constants and their meaning in `calibration`.
[[nodiscard]] constexpr step_breakdown step_time(const transformer& model, const training_job& job, const layout& mesh,
                                                 const slice& where,
                                                 const calibration& constants = default_calibration) {
  detail::check_trained(model, job, mesh, where);
  validate(constants);
  const training_sizes sizes = detail::sizes_of_valid(model, job, constants);
  const auto tensor = static_cast<double>(mesh.tensor);
  const work_terms work =
      detail::work_terms_of_valid(detail::products_of(sizes, model, job, where.chip, tensor, constants), sizes, model,
                                  job, where.chip, tensor, constants);
  const layout_terms at = detail::terms_of_valid(sizes, model, job, mesh, where, constants);
  const auto microbatches = static_cast<double>(job.gradient_accumulation);
  step_breakdown step;
  detail::add_work(step, work, at, microbatches);
  detail::add_collectives(step, work, at, microbatches);
  detail::add_waits(step, work, at, microbatches);
  detail::positive("step time", step.total.value());
  step.kind = kind_of(model, job, mesh, sizes.held.trained + sizes.held.frozen);
  step.software_taken = job.software;
  step.remarks = remarks_on(model, job);
  step.remarks.host_untimed = detail::is_untimed(sizes, job, where.chip);
  const bool covered = detail::is_covered(model, job, where.chip) && detail::is_usual(job, mesh, at) &&
                       !detail::waits_for_host(step, at, microbatches);
  step.extrapolated = step.kind == step_kind::small_model || !covered;
  training_band band = band_of(step.kind, step.extrapolated, job.software);
  if (job.software == software_level::unnamed) {
    const double reach = detail::reach_of_others(sizes, work, model, job, mesh, where, constants, step);
    if (band.high < reach) band.high = reach;
  }
  detail::add_band(step, band, slices(mesh));
  if (constants.own.count > 0) {
    const run_features about = detail::training_features(sizes, model, job, mesh, where);
    detail::narrow_band(step, own_spread_left(constants.own, training_spreads, about),
                        own_reach(constants.own, training_spreads, about,
                                  detail::wider_than_dense(widened(training_bands[static_cast<std::size_t>(step.kind)],
                                                                   step.extrapolated, job.software))));
  }
  detail::end_at_floor(step);
  step.limited_by = detail::largest_part(step);
  step.tokens_per_second = static_cast<double>(tokens_per_step(job)) / step.total;
  step.mfu = model_flops_per_token(sizes, job) * at.tokens / peak_rate(where.chip, dtype::bf16) / step.total;
  return step;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
