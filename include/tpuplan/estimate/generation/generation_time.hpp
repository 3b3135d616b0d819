#ifndef TPUPLAN_ESTIMATE_GENERATION_GENERATION_TIME_HPP
#define TPUPLAN_ESTIMATE_GENERATION_GENERATION_TIME_HPP

#include <cstddef>
#include <cstdint>
#include <tpuplan/estimate/generation/calibration.hpp>
#include <tpuplan/estimate/generation/forward.hpp>

/// @file
/// The time of a batch of images or clips, from prompts to pixels.

namespace tpuplan {
inline namespace abi_0 {

/// Time of a batch: text + steps + decode = total.
struct generation_time {
  seconds text{};    ///< encoders of text, for prompts and, under guidance, what they are held against
  seconds steps{};   ///< all denoising steps
  seconds decode{};  ///< from latents to pixels
  seconds total{};   ///< of the batch
  seconds low{};     ///< lower end of the band, never below `floor`
  seconds high{};    ///< upper end
  seconds floor{};   ///< all FLOPs at the peak rate, or the weights of each step through HBM: no program is faster
  pass_time step{};  ///< one step by part, all its forward passes, before caching
  flops work{};      ///< of the models, nothing padded, for the whole batch
  double mfu = 0;    ///< `work` over the bf16 peak
  generation_bound limited_by = generation_bound::products;  ///< the largest part of a step
  bool extrapolated = false;                                 ///< no published generation is on a chip of that name
};

namespace detail {

/// The chips that published generations in the records are on.
inline constexpr std::string_view generation_chips[] = {"v4", "v6e", "tpu7x"};

constexpr bool has_generation_runs(const chip_spec& chip) noexcept {
  for (const std::string_view each : generation_chips) {
    if (chip.name == each) return true;
  }
  return false;
}

/// Whether convolutions do a quarter or more of a denoiser's products: published generations are of transformers.
constexpr bool is_convolutional(const generation_work& work) {
  double all = 0, others = 0;
  for (const generation_part& part : work.denoisers) {
    for (std::size_t i = 0; i < part.work.product_count; ++i) {
      const blocks::listed_product& p = part.work.products[i];
      const double macs = p.times * p.rows * static_cast<double>(p.one.used) * static_cast<double>(p.one.inner) *
                          static_cast<double>(p.one.outer);
      all += macs;
      if (p.one.what == blocks::role::other) others += macs;
    }
  }
  return others >= 0.25 * all;
}

/// The ends of the band over the estimate: half as wide again, in logarithms, beyond the published runs.
constexpr double widened_end(double end, bool extrapolated) { return extrapolated ? end * math::sqrt(end) : end; }

constexpr device_share share_of(const generation_layout& mesh, double examples, const slice& where,
                                const calibration& constants, dtype weights = dtype::bf16) {
  device_share share = share_on(where, constants);
  share.weight_bytes = size_of(weights).value();
  share.examples = examples;
  share.tensor = static_cast<double>(mesh.tensor), share.context = static_cast<double>(mesh.context);
  share.fsdp = static_cast<double>(mesh.fsdp), share.exchange = mesh.exchange;
  return share;
}

/// A sum of passes, of which `share` is added.
constexpr void add_pass(pass_time& to, const pass_time& pass, double share) {
  to.products += share * pass.products, to.attention += share * pass.attention;
  to.elementwise += share * pass.elementwise, to.collectives += share * pass.collectives;
  to.overhead += share * pass.overhead, to.total += share * pass.total;
}

/// The encoders of text: groups of devices share the prompts.
constexpr seconds text_time(const generation_work& work, const generation_job& job, const generation_layout& mesh,
                            const slice& where, const calibration& constants) {
  if (!(work.text.weights > 0)) return {};
  const std::int64_t groups = checked_multiply(mesh.data, mesh.context);
  device_share share = share_of(mesh, static_cast<double>(ceil_div(checked_multiply(job.batch, job.forwards), groups)),
                                where, constants, job.weights);
  share.context = 1;
  return pass_of(work.text, share, where, constants).total;
}

/// The decoder: each device has whole images or clips.
constexpr seconds decode_time(const generation_work& work, const generation_job& job, const slice& where,
                              const calibration& constants) {
  if (!(work.decoder.weights > 0)) return {};
  const auto examples = static_cast<double>(ceil_div(job.batch, devices(where)));
  return pass_of(work.decoder, share_of({}, examples, where, constants, job.weights), where, constants).total;
}

/// The least time in which the denoisers' weights move through the HBM of their devices, once in each step.
constexpr seconds weights_floor(const generation_work& work, const generation_job& job, const generation_layout& mesh,
                                const slice& where) {
  double weights = 0;
  for (std::size_t i = 0; i < work.denoisers.size; ++i) weights += work.shares[i] * work.denoisers.items[i].weights;
  const auto shards = static_cast<double>(checked_multiply(mesh.tensor, mesh.fsdp));
  const bytes each{size_of(job.weights).value() * weights / shards};
  const bytes_per_second rate = where.chip.hbm.bandwidth / static_cast<double>(where.chip.jax_devices);
  return (static_cast<double>(job.steps) / job.cache_speedup) * (each / rate);
}

/// FLOPs of the models for a batch.
constexpr flops work_of_batch(const generation_work& work, const generation_job& job) {
  flops step{};
  for (std::size_t i = 0; i < work.denoisers.size; ++i) step += work.shares[i] * work.denoisers.items[i].model_flops;
  const auto passes = static_cast<double>(job.forwards);
  const flops one = passes * (static_cast<double>(job.steps) / job.cache_speedup * step + work.text.model_flops) +
                    work.decoder.model_flops;
  return static_cast<double>(job.batch) * one;
}

}  // namespace detail

/// The time of a batch on a slice, with its band. Slices do not work together: several make as many batches at once.
/// Throws, naming the field, for a job or a layout that is none. Worked: a clip of Wan 2.1 14B, 81 frames of 1280 x 720
/// in 50 steps with guidance, on tpu7x-8: docs/accuracy.md. Source: closed form; one constant fitted.
[[nodiscard]] constexpr generation_time generation_time_of(const generation_work& work, const generation_job& job,
                                                           const generation_layout& mesh, const slice& where,
                                                           const generation_calibration& fitted = default_generation,
                                                           const calibration& constants = default_calibration) {
  validate(work, job, mesh, where);
  validate(fitted);
  generation_time time;
  const auto share = detail::share_of(mesh, static_cast<double>(examples_of(job, mesh)), where, constants, job.weights);
  for (std::size_t i = 0; i < work.denoisers.size; ++i)
    detail::add_pass(time.step, detail::pass_of(work.denoisers.items[i], share, where, constants), work.shares[i]);
  time.step.software = (fitted.software - 1) * time.step.total;
  time.step.total += time.step.software;
  time.steps = static_cast<double>(job.steps) / job.cache_speedup * time.step.total;
  time.text = fitted.software * detail::text_time(work, job, mesh, where, constants);
  time.decode = fitted.software * detail::decode_time(work, job, where, constants);
  time.total = time.text + time.steps + time.decode;
  time.work = detail::work_of_batch(work, job);
  const seconds at_peak = time.work / peak_rate(where, dtype::bf16);
  time.floor = max(at_peak, detail::weights_floor(work, job, mesh, where));
  time.mfu = at_peak / time.total;
  time.extrapolated = !detail::has_generation_runs(where.chip) || detail::is_convolutional(work);
  time.low = max(detail::widened_end(fitted.low, time.extrapolated) * time.total, min(time.floor, time.total));
  time.high = detail::widened_end(fitted.high, time.extrapolated) * time.total;
  time.limited_by = bound_of(time.step);
  return time;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
