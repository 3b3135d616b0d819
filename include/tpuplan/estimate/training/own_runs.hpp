#ifndef TPUPLAN_ESTIMATE_TRAINING_OWN_RUNS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_OWN_RUNS_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/estimate/learned.hpp>
#include <tpuplan/estimate/training/largest_batch.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>

/// @file
/// Measured steps and memory of the caller's own training runs, which correct estimates for other slices, batches and
/// layouts.

namespace tpuplan {
inline namespace abi_0 {

/// The features by which training steps are compared: parameters, tokens per chip, sequence length, chips, the chip,
/// whether there are experts, 8-bit products and each kind of parallelism, and marks of the recipe (all of model and
/// job but its batch and how well its program is tuned), of the layout and of that level. Throws where `step_time`
/// does. Worked: 64 sequences of 4096 tokens of llama-3-8b on the 64 chips of v5p-128 have size log2(8030261248)
/// = 32.9, load and length log2(4096) = 12, and chips log2(64) = 6.
[[nodiscard]] constexpr run_features features_of(const transformer& model, const training_job& job, const layout& mesh,
                                                 const slice& where) {
  detail::check_trained(model, job, mesh, where);
  return detail::training_features(sizes_of(model, job), model, job, mesh, where);
}

/// The constants with one more measured step of the caller's own. Estimates of all jobs move towards it, the more alike
/// the more, and their bands narrow. `spread` is the relative standard deviation of the measurement where it is known
/// to be more than usual, `version` names the software where it changed between runs: a question is taken to be of the
/// version of the latest run. Throws for a time that is below the step's floor (see floor_of), not above 0 or off the
/// estimate by a factor of more than 148, and for more than 20 runs. Worked: a step measured at 1.3 times its estimate
/// is kept as ln 1.3 = 0.262.
[[nodiscard]] constexpr calibration with_own_run(calibration constants, seconds measured, const transformer& model,
                                                 const training_job& job, const layout& mesh, const slice& where,
                                                 double spread = 0, std::string_view version = {}) {
  detail::positive("measured step time", measured.value());
  calibration before = constants;
  before.own.count = 0;
  const step_breakdown step = step_time(model, job, mesh, where, before);
  const seconds estimated = step.total;
  if (measured < step.floor) {
    detail::fail(errc::out_of_range, "measured step time", measured.value(),
                 "a time that the chips' peak rates, HBM and links allow: batch, slice and policy as they ran");
  }
  constants.own =
      with_run(constants.own, training_spreads, detail::of_version(features_of(model, job, mesh, where), version),
               math::log(measured / estimated), spread);
  return constants;
}

/// How HBM peaks of one source differ from the estimates. What unlike jobs share is set to a third of what
/// benchmarks/accuracy finds: over the two sources with six peaks or more, peaks of other jobs raised errors. What jobs
/// of one recipe share, and a job has alone, is as it finds.
inline constexpr own_spreads memory_spreads{0.01, 0.02, 0.02, 2.94, 1.93, 3, 3, 0.5, 0.5, 0.1, 0.0355};

namespace detail {

/// The features by which peaks are compared: a job of other microbatches is another one.
constexpr run_features of_memory(run_features about) noexcept {
  about.layout = (about.layout ^ about.microbatches) * 16777619U;
  return about;
}

/// All parts by a factor, and what they add up to.
constexpr void scale(memory_breakdown& memory, double factor) {
  for (bytes* part : {&memory.parameters, &memory.optimizer, &memory.gradients, &memory.activations, &memory.logits,
                      &memory.gathered_weights, &memory.workspace, &memory.total, &memory.low, &memory.high})
    *part = factor * *part;
}

/// An estimate of memory, moved by the caller's own peaks as they move that of a job with these features.
constexpr memory_breakdown corrected(memory_breakdown memory, const own_runs& known, run_features about) {
  if (known.count == 0) return memory;
  about = of_memory(about);
  scale(memory, own_factor(known, memory_spreads, about));
  const double left = (1 + own_spread_left(known, memory_spreads, about)) / 2;
  // What a job that was measured takes again is within a few percent of it, whatever the range of the model is.
  const double reach = left < 0.7 ? own_reach(known, memory_spreads, about) : math::detail::infinity;
  const double low = left * math::log(memory.low / memory.total), high = left * math::log(memory.high / memory.total);
  memory.low = memory.total * math::exp(low > -reach ? low : -reach);
  memory.high = memory.total * math::exp(high < reach ? high : reach);
  return memory;
}

/// The same of a job that ran: it took no more than its device has, and each part as much less.
constexpr memory_breakdown as_it_ran(memory_breakdown memory) {
  const bytes high = min(memory.high, memory.usable);
  if (memory.total > memory.usable) scale(memory, memory.usable / memory.total);
  memory.low = min(memory.low, memory.total), memory.high = high, memory.ran = true;
  return memory;
}

/// Refuses a peak that no such step has: less than its parameters and optimizer state, which a device holds for
/// certain, or more than the HBM of a device. Peaks are printed in three figures, so that the lower end is 1 % less.
constexpr void check_peak(bytes measured, const memory_breakdown& estimated, const chip_spec& chip) {
  const bytes held = estimated.parameters + estimated.optimizer;
  const bytes most = chip.hbm.capacity / static_cast<double>(chip.jax_devices);
  if (measured >= 0.99 * held && measured <= most) return;
  text<160> valid;
  valid.append(static_cast<std::int64_t>(held.value())).append(" bytes, its parameters and optimizer state, to ");
  valid.append(static_cast<std::int64_t>(most.value())).append(", the HBM of a device");
  fail(errc::out_of_range, "measured HBM", measured.value(), valid.view());
}

}  // namespace detail

/// The known HBM peaks with one more of the caller's own: the most bytes that a step took on a device. Throws where
/// `with_own_run` does, and for a peak below the parameters and optimizer state of a device or above its HBM. Worked: a
/// peak of twice the estimate is kept as ln 2 = 0.693.
[[nodiscard]] constexpr own_runs with_own_peak(const own_runs& known, bytes measured, const transformer& model,
                                               const training_job& job, const layout& mesh, const slice& where,
                                               double spread = 0, std::string_view version = {}) {
  detail::positive("measured HBM", measured.value());
  const memory_breakdown estimated = memory_use(model, job, mesh, where);
  detail::check_peak(measured, estimated, where.chip);
  return with_run(known, memory_spreads,
                  detail::of_version(detail::of_memory(features_of(model, job, mesh, where)), version),
                  math::log(measured / estimated.total), spread);
}

/// The memory of a step as `memory_use` estimates it, moved towards the caller's own peaks: every part by the same
/// factor, and the ends of the range closer by the share of the spread that is left. Worked: after a peak of twice the
/// estimate, the same step is estimated 2^(0.01176 / (0.01176 + 0.02^2)) = 1.955 times as large.
[[nodiscard]] constexpr memory_breakdown memory_use(const transformer& model, const training_job& job,
                                                    const layout& mesh, const slice& where, const own_runs& known) {
  const memory_breakdown memory = memory_use(model, job, mesh, where);
  if (known.count == 0) return memory;
  return detail::corrected(memory, known, features_of(model, job, mesh, where));
}

/// Whether one of the runs was of that very question: the recipe on that chip, in that layout, of those sizes and
/// microbatches, and of the version of the latest run. Worked: a run of 4096 sequences says so of 4096 sequences, and
/// not of 4160.
[[nodiscard]] constexpr bool has_run(const own_runs& runs, const run_features& about) {
  const run_features asked = detail::of_latest(runs, about);
  own_spreads even;
  for (std::size_t i = 0; i < runs.count; ++i) {
    const run_features& ran = runs.items[i].about;
    if (detail::same_recipe(asked, ran) && asked.layout == ran.layout && asked.microbatches == ran.microbatches &&
        detail::apart(asked, ran, even) < 1e-18)
      return true;
  }
  return false;
}

/// The same where steps were measured too: a job that ran fits. Worked: Llama 3 8B with 4096 sequences of 4096 tokens
/// on v6e-64 does not, unless a step of it was measured.
[[nodiscard]] constexpr memory_breakdown memory_use(const transformer& model, const training_job& job,
                                                    const layout& mesh, const slice& where, const own_runs& known,
                                                    const own_runs& steps) {
  if (known.count + steps.count == 0) return memory_use(model, job, mesh, where);
  const run_features about = features_of(model, job, mesh, where);
  const memory_breakdown memory = detail::corrected(memory_use(model, job, mesh, where), known, about);
  return has_run(known, detail::of_memory(about)) || has_run(steps, about) ? detail::as_it_ran(memory) : memory;
}

/// `largest_batch` with the memory of each batch moved towards the caller's own peaks; a batch that ran, as one of
/// those or of the measured steps, fits. Worked: after a peak of 33 GB of llama-3.1-8b with 256 sequences of 4096
/// tokens on v6e-64, 256 sequences surely fit, where 320 do by estimate alone.
[[nodiscard]] constexpr maybe<std::int64_t> largest_batch(const transformer& model, training_job job,
                                                          const layout& mesh, const slice& where, const own_runs& known,
                                                          const own_runs& steps = {}) {
  maybe<std::int64_t> most = detail::largest_batch_by(
      job, mesh, [&](const training_job& larger) { return memory_use(model, larger, mesh, where, known); });
  const auto total = static_cast<double>(checked_multiply(chips(where), slices(mesh)));
  const std::int64_t unit = checked_multiply(batch_shards(mesh), job.gradient_accumulation);
  for (const own_runs* runs : {&known, &steps}) {
    for (std::size_t i = 0; i < runs->count; ++i) {
      const double tokens = math::exp(math::log(2) * runs->items[i].about.load) * total;
      job.global_batch = floor_to_count(tokens / static_cast<double>(job.sequence_length) + 0.5);
      if (job.global_batch <= (most ? *most : 0) || job.global_batch % unit != 0) continue;
      if (memory_use(model, job, mesh, where, known, steps).ran) most = job.global_batch;
    }
  }
  return most;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
