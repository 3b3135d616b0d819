#ifndef TPUPLAN_ESTIMATE_TRAINING_ADVICE_HPP
#define TPUPLAN_ESTIMATE_TRAINING_ADVICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/estimate/findings.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/own_runs.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/handbook/thresholds.hpp>

/// @file
/// What in a model, batch or layout wastes chip time, and what a change would gain. Both come from estimates of the
/// step as it is and with the change, not from rules.

namespace tpuplan {
inline namespace abi_0 {

/// Kinds of waste. Enumerators and their names are stable.
enum class finding_kind : std::uint8_t {
  batch,       ///< a chip has fewer tokens than its arithmetic or its collectives need
  dimension,   ///< a width does not fill the MXU, or heads do not fill its lanes
  heads,       ///< heads do not divide by a tensor degree that would be faster
  vocabulary,  ///< the vocabulary does not fill the MXU
  layout,      ///< another data x FSDP x tensor layout of the same devices is faster
  remat,       ///< a remat policy that recomputes less fits and is faster
  wraparound,  ///< some axes are not rings; a larger slice of the generation has only rings
  slices,      ///< traffic between slices is exposed
  microbatch,  ///< HBM has room for fewer microbatches, which take less time
};

/// "batch" and so on.
[[nodiscard]] constexpr std::string_view name(finding_kind kind) noexcept {
  constexpr const char* names[] = {"batch", "dimension",  "heads",  "vocabulary", "layout",
                                   "remat", "wraparound", "slices", "microbatch"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// A model, the step that trains it, its layout and the slice: what an estimate of a training step takes.
struct training_case {
  transformer model{};  ///< what is trained
  training_job job{};   ///< one step of the training
  layout mesh{};        ///< how model and batch are sharded
  slice where{};        ///< each of the slices
};

/// One waste, and what a change gains: gain = 1 - step_time_then / (work x step_time_now).
struct finding {
  finding_kind kind = finding_kind::batch;  ///< what is wasted
  text<40> subject{};                       ///< the field to change
  text<160> now{};                          ///< its value
  text<160> better{};                       ///< the value advised
  seconds step_time_now{};                  ///< of the job as it is
  seconds step_time_then{};                 ///< of the job with the change
  double work = 1;                          ///< ratio of useful FLOPs per step and chip, then over now
  double gain = 0;                          ///< share of chip time that is saved for the same useful FLOPs
  training_case then{};                     ///< of the job with the change
};

/// Findings, the largest gain first.
struct findings {
  std::array<finding, 16> items{};  ///< the first `count` are set
  std::size_t count = 0;            ///< findings

  /// @{
  /// The findings as a range.
  [[nodiscard]] constexpr const finding* begin() const noexcept { return items.data(); }
  [[nodiscard]] constexpr const finding* end() const noexcept { return items.data() + count; }
  /// @}
};

/// Gains below this share are left out: half a percent.
inline constexpr double smallest_gain = 0.005;

/// Tokens of a step per chip below which a layout is not limited by arithmetic, at peak rates and with perfect overlap.
/// It is the larger of `critical_batch` (weights from HBM) and, where weights or gradients go over ICI, of
/// `data_parallel_tokens_per_chip` over all axes, doubled where axes are not rings. Tensor parallelism divides both.
/// Throws for a model or a layout that `validate` refuses. Worked: 850 for a dense model with FSDP over v5p-128, 5100
/// over v6e-64, whose axes are not rings. Source: scaling book, "Training".
[[nodiscard]] constexpr double critical_tokens_per_chip(const transformer& model, const layout& mesh,
                                                        const slice& where) {
  validate(model);
  validate(mesh, where);
  const double routed = has_experts(model) ? static_cast<double>(model.moe.experts) /
                                                 static_cast<double>(checked_multiply(model.moe.top_k, mesh.expert))
                                           : 1;
  const double spread = routed > 1 ? routed : 1;
  const double arithmetic =
      static_cast<double>(checked_multiply(critical_batch(where.chip), where.chip.jax_devices)) * spread;
  double traffic = 0;
  if (checked_multiply(mesh.fsdp, mesh.data) > 1) {
    const double open = fully_wrapped(where).value_or(true) ? 1 : 2;
    traffic = open * data_parallel_tokens_per_chip(where.chip, where.chip.ici.axes, spread);
  }
  return (traffic > arithmetic ? traffic : arithmetic) / static_cast<double>(mesh.tensor);
}

namespace detail {

/// The job as it is, which every change is compared with.
struct advice_base {
  training_case now{};
  calibration constants{};
  seconds step{};
  own_runs peaks{};
  verdict fit = verdict::no;
};

/// The memory of a case as own peaks move that of the present job: one change has the compiler of what is measured,
/// where the peaks would move a less alike case less far.
constexpr memory_breakdown memory_beside(const training_case& now, const own_runs& peaks, const training_case& then) {
  const memory_breakdown memory = memory_use(then.model, then.job, then.mesh, then.where);
  return peaks.count == 0 ? memory : corrected(memory, peaks, features_of(now.model, now.job, now.mesh, now.where));
}
constexpr verdict fits_beside(const advice_base& base, const training_case& then) {
  return fits(memory_beside(base.now, base.peaks, then));
}

/// Model FLOPs per step and chip, with logits for predicted tokens only, of the model `counted`, which has no padding.
constexpr double useful_work(const transformer& counted, const training_case& asked) {
  const forward_flops forward = forward_flops_of_job(counted, asked.job);
  const flops per_token = forward.total - (1 - asked.job.logits_fraction) * forward.logits;
  return 3 * per_token.value() * static_cast<double>(tokens_per_step(asked.job)) /
         static_cast<double>(checked_multiply(chips(asked.where), slices(asked.mesh)));
}

/// Whether heads and batch divide over the layout, the two things that `validate` may refuse in the cases tried here.
constexpr bool divides(const training_case& asked) {
  return heads_divide(asked.model, asked.mesh.tensor) &&
         batch_divides(asked.mesh, asked.job.global_batch, asked.job.gradient_accumulation);
}

/// Makes the case the best finding where it gains more and fits no less surely than the present job. Useful FLOPs are
/// those of the model `counted`, which has no padding.
constexpr void improve(finding& best, const advice_base& base, const training_case& then, const transformer& counted) {
  if (!divides(then)) return;
  const seconds step = step_time(then.model, then.job, then.mesh, then.where, base.constants).total;
  const double work = useful_work(counted, then) / useful_work(base.now.model, base.now);
  const double gain = 1 - step / base.step / work;
  if (!gains_more(best, gain, smallest_gain)) return;
  if (!fits_as_surely(fits_beside(base, then), base.fit)) return;
  best.step_time_now = base.step;
  best.step_time_then = step;
  best.work = work;
  best.gain = gain;
  best.then = then;
}

constexpr void improve(finding& best, const advice_base& base, const training_case& then) {
  improve(best, base, then, then.model);
}

/// The degrees inside a slice, as "data 2 x fsdp 16 x tensor 4".
constexpr text<160> words_of(const layout& mesh) {
  text<160> words;
  const auto append = [&words](std::string_view label, std::int64_t degree) {
    if (degree > 1) words.append(words.empty() ? "" : " x ").append(label).append(degree);
  };
  append("data ", mesh.data);
  append("fsdp ", mesh.fsdp);
  append("tensor ", mesh.tensor);
  append("expert ", mesh.expert);
  append("context ", mesh.context);
  append("pipeline ", mesh.pipeline);
  return words.empty() ? text<160>{"one device"} : words;
}

/// Where a chip has fewer than the critical number of tokens: tries doubling the batch until it has as many, as far as
/// that fits.
constexpr finding batch_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::batch, "training_job.global_batch");
  training_case then = base.now;
  const double critical = critical_tokens_per_chip(then.model, then.mesh, then.where);
  const auto all_chips = static_cast<double>(checked_multiply(chips(then.where), slices(then.mesh)));
  while (static_cast<double>(tokens_per_step(then.job)) / all_chips < critical) {
    then.job.global_batch = checked_multiply(then.job.global_batch, 2);
    if (fits_beside(base, then) == verdict::no) break;
    improve(best, base, then);
  }
  best.now = words_of(base.now.job.global_batch);
  best.better = words_of(best.then.job.global_batch);
  return best;
}

/// How many widths of a model should fill the MXU.
inline constexpr std::int32_t width_count = 4;
constexpr std::string_view width_name(std::int32_t which) noexcept {
  constexpr const char* names[] = {"model.d_model", "model.mlp.d_ff", "model.moe.expert_d_ff", "model.moe.shared_d_ff"};
  return name_of(names, static_cast<std::size_t>(which));
}
constexpr std::int64_t& width_at(transformer& model, std::int32_t which) noexcept {
  return which == 0   ? model.d_model
         : which == 1 ? model.mlp.d_ff
         : which == 2 ? model.moe.expert_d_ff
                      : model.moe.shared_d_ff;
}

/// For a width that is not a multiple of the MXU's side on each tensor shard: tries the multiples below and above that
/// are within a quarter of it. The model changes, so gains are for the same model FLOPs.
constexpr finding width_finding(const advice_base& base, std::int32_t which) {
  auto best = finding_of<finding>(finding_kind::dimension, width_name(which));
  training_case then = base.now;
  const std::int64_t width = width_at(then.model, which);
  const std::int64_t side = positive_count("chip.mxu.side", then.where.chip.mxu.side);
  const std::int64_t unit = which == 0 ? side : checked_multiply(side, then.mesh.tensor);
  if (width % unit == 0) return best;
  for (const std::int64_t multiple : {width / unit * unit, round_up(width, unit)}) {
    const std::int64_t change = multiple > width ? multiple - width : width - multiple;
    if (multiple == 0 || change > width / 4) continue;
    width_at(then.model, which) = multiple;
    improve(best, base, then);
  }
  best.now = words_of(width);
  best.better = words_of(width_at(best.then.model, which));
  return best;
}

/// For heads whose size is not a multiple of the 128 lanes: tries fewer and larger heads of the same total width, KV
/// heads likewise. Skips latent attention and models with heads of two sizes.
constexpr finding head_size_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::dimension, "model.attention.head_dim");
  training_case then = base.now;
  attention_spec& attention = then.model.attention;
  if (has_latent_attention(then.model) || attention.global_head_dim > 0 || attention.head_dim % 128 == 0) return best;
  const std::int64_t size = round_up(attention.head_dim, 128);
  const std::int64_t width = checked_multiply(attention.heads, attention.head_dim);
  const std::int64_t kv_width = checked_multiply(attention.kv_heads, attention.head_dim);
  if (width % size != 0 || kv_width % size != 0 || width / size % (kv_width / size) != 0) return best;
  const auto words = [](const attention_spec& of) {
    return text<160>{}.append(of.heads).append(" heads of ").append(of.head_dim);
  };
  best.now = words(attention);
  attention.head_dim = size;
  attention.heads = width / size;
  attention.kv_heads = kv_width / size;
  if (attention.global_kv_heads <= attention.heads) improve(best, base, then);
  best.better = words(attention);
  return best;
}

/// A number of KV heads for that many heads that divides over the tensor degree, or is copied evenly.
constexpr std::int64_t kv_heads_for(const attention_spec& attention, std::int64_t heads, std::int64_t tensor) {
  if (attention.kv_heads == attention.heads) return heads;
  const std::int64_t wanted = attention.kv_heads < tensor ? attention.kv_heads : round_up(attention.kv_heads, tensor);
  return tensor % wanted == 0 || wanted % tensor == 0 ? wanted : tensor;
}

/// For tensor degrees that do not divide the heads: tries heads of zeros added until they do. Their FLOPs are not
/// useful.
constexpr finding heads_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::heads, "model.attention.heads");
  const layout& given = base.now.mesh;
  const std::int64_t shards = checked_multiply(given.data, given.fsdp, given.tensor);
  const attention_spec& given_heads = base.now.model.attention;
  for (std::int64_t tensor = 2; tensor < 2 * given_heads.heads && shards % tensor == 0; tensor *= 2) {
    training_case then = base.now;
    then.mesh.tensor = tensor;
    then.mesh.data = shards / tensor % given.data == 0 ? given.data : 1;
    then.mesh.fsdp = shards / tensor / then.mesh.data;
    if (divides(then)) continue;
    attention_spec& heads = then.model.attention;
    heads.heads = round_up(given_heads.heads, tensor);
    heads.kv_heads = kv_heads_for(given_heads, heads.heads, tensor);
    if (heads.heads == given_heads.heads || heads.heads % heads.kv_heads != 0) continue;
    improve(best, base, then, base.now.model);
  }
  const auto words = [](const training_case& of) {
    return text<160>{}.append(of.model.attention.heads).append(" heads, tensor ").append(of.mesh.tensor);
  };
  best.now = words(base.now);
  best.better = words(best.then);
  return best;
}

/// For a vocabulary that is not a multiple of the MXU's side on each tensor shard: the multiple above takes nearly the
/// same time. The gain is per model FLOP, because the padded rows, which are computed anyway, can hold tokens.
constexpr finding vocabulary_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::vocabulary, "model.vocab");
  training_case then = base.now;
  const std::int64_t unit =
      checked_multiply(positive_count("chip.mxu.side", then.where.chip.mxu.side), then.mesh.tensor);
  then.model.vocab = round_up(then.model.vocab, unit);
  improve(best, base, then);
  best.now = words_of(base.now.model.vocab);
  best.better = words_of(then.model.vocab);
  return best;
}

/// Tries every data x FSDP x tensor layout of the same devices; expert, context and pipeline degrees and slices stay.
constexpr finding layout_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::layout, "layout");
  training_case then = base.now;
  const std::int64_t shards = checked_multiply(then.mesh.data, then.mesh.fsdp, then.mesh.tensor);
  for_each_divisor(shards, [&](std::int64_t tensor) {
    if (tensor > then.model.attention.heads) return;
    for_each_divisor(shards / tensor, [&](std::int64_t data) {
      then.mesh.tensor = tensor;
      then.mesh.data = data;
      then.mesh.fsdp = shards / tensor / data;
      improve(best, base, then);
    });
  });
  best.now = words_of(base.now.mesh);
  best.better = words_of(best.then.mesh);
  return best;
}

/// Tries every named policy; one that moves tensors to the host only where that rate is known.
constexpr finding remat_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::remat, "training_job.remat");
  training_case then = base.now;
  const layer_widths widths = widths_of(then.model);
  for (const named_remat_policy& candidate : remat_policies) {
    if (!host_rate(then.where.chip).has_value() && saved_width(widths, candidate.policy, placement::host) > 0) continue;
    then.job.remat = candidate.policy;
    improve(best, base, then);
  }
  best.now = name(base.now.job.remat);
  best.better = name(best.then.job.remat);
  return best;
}

/// The smallest slice of the same generation that is a multiple of this one and has only rings; nothing where this one
/// has only rings, where that is unknown, or where the chip is not in the table.
constexpr maybe<slice> nearest_wrapped(const slice& where) {
  if (chips(where) == 1 || fully_wrapped(where).value_or(true)) return nothing;
  maybe<slice> best = nothing;
  for (const slice_row& row : slices_of(where.chip.name)) {
    if (chips(row) <= chips(where) || chips(row) % chips(where) != 0) continue;
    if (best.has_value() && chips(row) >= chips(*best)) continue;
    const slice candidate = to_slice(where.chip, row);
    if (schedulable(candidate) && fully_wrapped(candidate).value_or(false)) best = candidate;
  }
  return best;
}

/// Tries the nearest slice that has only rings, with a batch that grows with the chips. Jobs on several slices are left
/// to `slices_finding`.
constexpr finding wraparound_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::wraparound, "slice");
  const maybe<slice> wrapped = nearest_wrapped(base.now.where);
  if (!wrapped || slices(base.now.mesh) > 1) return best;
  training_case then = base.now;
  then.where = *wrapped;
  const std::int64_t times = chips(then.where) / chips(base.now.where);
  std::int64_t& degree = then.mesh.fsdp == 1 && then.mesh.data > 1 ? then.mesh.data : then.mesh.fsdp;
  degree = checked_multiply(degree, times);
  if (then.job.global_batch > most_step_tokens / then.job.sequence_length / times) return best;
  then.job.global_batch = checked_multiply(then.job.global_batch, times);
  improve(best, base, then);
  best.now = name(base.now.where).view();
  best.better = name(then.where).view();
  return best;
}

/// Where traffic between slices is exposed: tries as many chips in fewer, larger slices, with weights or batch sharded
/// over them; and, where a slice has too few tokens to hide that traffic, fewer slices of the same size.
constexpr finding slices_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::slices, "slices");
  const layout& given = base.now.mesh;
  if (given.dcn_data == 1) return best;
  const auto tokens = static_cast<double>(tokens_per_step(base.now.job));
  const bool too_few = tokens / static_cast<double>(slices(given)) < dcn_tokens_per_slice(base.now.where.chip);
  for_each_divisor(given.dcn_data, [&](std::int64_t times) {
    if (times == 1) return;
    training_case then = base.now;
    then.mesh.dcn_data = given.dcn_data / times;
    if (too_few) improve(best, base, then);
    const maybe<slice> larger = find_slice_of_size(then.where.chip, checked_multiply(chips(then.where), times));
    if (!larger) return;
    then.where = *larger;
    then.mesh.fsdp = checked_multiply(given.fsdp, times);
    improve(best, base, then);
    then.mesh.fsdp = given.fsdp;
    then.mesh.data = checked_multiply(given.data, times);
    improve(best, base, then);
  });
  const auto words = [](const training_case& of) {
    return text<160>{}.append(slices(of.mesh)).append(" x ").append(name(of.where).view());
  };
  best.now = words(base.now);
  best.better = words(best.then);
  return best;
}

/// Tries every smaller number of microbatches that divides the given one.
constexpr finding microbatch_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::microbatch, "training_job.gradient_accumulation");
  training_case then = base.now;
  const std::int64_t given = base.now.job.gradient_accumulation;
  for_each_divisor(given, [&](std::int64_t pieces) {
    then.job.gradient_accumulation = pieces;
    if (pieces < given) improve(best, base, then);
  });
  best.now = words_of(given);
  best.better = words_of(best.then.job.gradient_accumulation);
  return best;
}

/// The constants with the factor that own runs give the case, for whatever is compared with it: one change has the
/// software of what is measured, where the runs would draw a less alike case less far.
constexpr calibration with_factor_of(calibration constants, const training_case& now) {
  if (constants.own.count == 0) return constants;
  const run_features about = training_features(sizes_of(now.model, now.job), now.model, now.job, now.mesh, now.where);
  constants.own_factor *= own_factor(constants.own, training_spreads, about);
  constants.own = {};
  return constants;
}

}  // namespace detail

/// What in a training job wastes chip time, the largest gain first. Each finding is one change alone, estimated by
/// `step_time` with the same constants and the same factor of own runs, which gains half a percent or more and fits no
/// less surely than the present job, by memory that own peaks correct as they correct its own. Throws where `step_time`
/// throws. Worked: llama-3-8b on v5p-128, 64 sequences of 4096 tokens under `full`, has HBM for a lighter policy; its
/// 4096 tokens per chip are above the critical 850.
[[nodiscard]] constexpr findings training_advice(const transformer& model, const training_job& job, const layout& mesh,
                                                 const slice& where, const calibration& constants = default_calibration,
                                                 const own_runs& peaks = {}) {
  detail::advice_base base;
  base.now = {model, job, mesh, where};
  base.step = step_time(model, job, mesh, where, constants).total;
  base.constants = detail::with_factor_of(constants, base.now);
  base.peaks = peaks;
  base.fit = detail::fits_beside(base, base.now);
  findings all;
  detail::add(all, detail::batch_finding(base));
  for (std::int32_t which = 0; which < detail::width_count; ++which)
    detail::add(all, detail::width_finding(base, which));
  detail::add(all, detail::head_size_finding(base));
  detail::add(all, detail::vocabulary_finding(base));
  const finding other_layout = detail::layout_finding(base);
  detail::add(all, other_layout);
  const finding more_heads = detail::heads_finding(base);
  if (more_heads.gain > other_layout.gain) detail::add(all, more_heads);
  detail::add(all, detail::remat_finding(base));
  detail::add(all, detail::wraparound_finding(base));
  detail::add(all, detail::slices_finding(base));
  detail::add(all, detail::microbatch_finding(base));
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
