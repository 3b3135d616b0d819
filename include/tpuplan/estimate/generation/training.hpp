#ifndef TPUPLAN_ESTIMATE_GENERATION_TRAINING_HPP
#define TPUPLAN_ESTIMATE_GENERATION_TRAINING_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/generation/generation_time.hpp>
#include <tpuplan/estimate/generation/layouts.hpp>
#include <tpuplan/estimate/generation/memory.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/model/optimizers.hpp>

/// @file
/// Time and memory of a training step of a denoiser. The passes are those of generation and the constants those of
/// language models; none is fitted to such runs, of which five are published (docs/accuracy.md).

namespace tpuplan {
inline namespace abi_0 {

/// One step of training a denoiser, fully or by adapters.
struct diffusion_training_job {
  std::int64_t global_batch = 0;                     ///< examples in one step, over all slices
  dtype weights = dtype::fp32;                       ///< the master copy, or of a frozen base, which is bf16 at most
  dtype moments = dtype::fp32;                       ///< optimizer state
  optimizer_kind optimizer = optimizer_kind::adamw;  ///< whose state is kept
  std::int64_t lora_rank = 0;                        ///< of adapters on every product; 0: all is trained
  bool recompute = true;                             ///< layers are computed again in the backward pass
  bool encode = false;                               ///< pixels and prompts are encoded in each step; else cached
};

/// Time of a step; the parts add up to `total`.
struct diffusion_step {
  seconds products{};     ///< matrix products, padding included
  seconds attention{};    ///< scores, softmax and their sum over values
  seconds elementwise{};  ///< HBM traffic of norms, activations and residuals
  seconds collectives{};  ///< what devices that share products or positions wait for
  seconds gradients{};    ///< exposed part of gathers of weights and reductions of gradients, slices included
  seconds update{};       ///< HBM traffic of optimizer and gradients
  seconds encoding{};     ///< pixels to latents and prompts, where they are not cached
  seconds overhead{};     ///< fixed time of each product and pass
  seconds total{};        ///< of the step
  seconds low{};          ///< a factor of two, and no faster than `floor`
  seconds high{};         ///< a factor of two
  seconds floor{};        ///< model FLOPs at the peak rate
  double mfu = 0;         ///< model FLOPs over the bf16 peak
  generation_bound limited_by = generation_bound::products;  ///< the largest part
  per_second examples_per_second{};                          ///< over all slices
};

/// The format of what is trained: of adapters fp32. Worked: of a base in int8 it is fp32.
[[nodiscard]] constexpr dtype trained_format(const diffusion_training_job& job) noexcept {
  return job.lora_rank > 0 ? dtype::fp32 : job.weights;
}

/// The format of what is frozen beside adapters. Worked: of fp32 it is bf16, of int8 it is int8.
[[nodiscard]] constexpr dtype frozen_format(const diffusion_training_job& job) noexcept {
  return size_of(job.weights) > size_of(dtype::bf16) ? dtype::bf16 : job.weights;
}

/// The parameters that are trained: all, or those of adapters. Worked: of a product of 64 x 512 rank 8 has 4608.
[[nodiscard]] constexpr double trained_parameters(const generation_part& denoiser, const diffusion_training_job& job) {
  if (job.lora_rank == 0) return denoiser.weights;
  double sum = 0;
  for (std::size_t i = 0; i < denoiser.work.product_count; ++i) {
    const blocks::listed_product& p = denoiser.work.products[i];
    sum +=
        p.times * static_cast<double>(job.lora_rank) * static_cast<double>(p.one.matrices * p.one.inner + p.one.outer);
  }
  return sum;
}

/// Throws, naming the field, for a job or a layout that is none.
constexpr void validate(const generation_work& work, const diffusion_training_job& job, const generation_layout& mesh,
                        const slice& where, std::int64_t slice_total) {
  detail::positive_count("job.global_batch", job.global_batch);
  detail::check_part("job.global_batch", job.global_batch, std::int64_t{1} << 40, "1 to 2^40 examples");
  detail::check_part("job.lora_rank", job.lora_rank, 1 << 20, "0 to 1048576");
  const std::int64_t groups = checked_multiply(mesh.data, detail::check_slices("slices", slice_total));
  if (groups < 1 || job.global_batch % groups != 0)
    detail::fail(errc::not_divisible, "job.global_batch", job.global_batch,
                 text<64>{"a multiple of the "}.append(groups).append(" shards of the batch").view());
  validate(work, generation_job{checked_multiply(mesh.data, std::int64_t{1}), 1, 1}, mesh, where);
}

namespace detail {

/// Weights gathered, gradients reduced over the groups of a slice and between slices.
constexpr seconds exposed_gradients(double all, double trained, const generation_layout& mesh, const slice& where,
                                    std::int64_t slice_total, seconds work, const calibration& constants) {
  const std::int64_t units = devices(where), copies = checked_multiply(mesh.data, mesh.context) / mesh.fsdp;
  const auto shards = static_cast<double>(checked_multiply(mesh.tensor, mesh.fsdp));
  seconds whole{};
  if (mesh.fsdp > 1)
    whole +=
        collective_of(where, mesh.fsdp, units, (4 * all + 4 * trained) / static_cast<double>(mesh.tensor), 1).whole;
  if (copies > 1) whole += collective_of(where, copies, units, 8 * trained / shards, 1).whole;
  seconds exposed = max(constants.exposed_fsdp * whole, whole - work);
  if (slice_total == 1) return exposed;
  const double reduced = all_reduce_share(static_cast<double>(slice_total)) * 4 * trained;
  return exposed + constants.exposed_dcn * (bytes{reduced / static_cast<double>(chips(where))} / dcn_rate(where));
}

/// One pass of the products of adapters, whose rank fills the side of the MXU.
constexpr seconds adapter_products(const blocks::work_list& work, std::int64_t rank, const device_share& on) {
  double macs = 0;
  for (std::size_t i = 0; i < work.product_count; ++i) {
    const blocks::listed_product& p = work.products[i];
    const bool reduced = is_reduced(p.one.what);
    const double inner = static_cast<double>(p.one.inner) / (reduced ? on.tensor : 1);
    const double outer = static_cast<double>(p.one.outer) / (reduced ? 1 : on.tensor);
    const double sides = static_cast<double>(p.one.matrices) * filled(inner, on.side) + filled(outer, on.side);
    macs += p.times * on.examples * up(p.rows / on.context) * sides;
  }
  return seconds{2 * macs * filled(static_cast<double>(rank), on.side) / (on.peak * on.mxu)};
}

/// Encoders of pixels and prompts, forward alone: of pixels as long as decoding takes, which does the same. A device
/// encodes whole examples.
constexpr seconds encoding_time(const generation_work& work, double examples, const generation_layout& mesh,
                                const slice& where, const calibration& constants) {
  const device_share share =
      share_of({}, math::ceil(examples / static_cast<double>(mesh.tensor * mesh.context)), where, constants);
  seconds sum{};
  if (work.decoder.weights > 0) sum += pass_of(work.decoder, share, where, constants).total;
  if (work.text.weights > 0) sum += pass_of(work.text, share, where, constants).total;
  return sum;
}

}  // namespace detail

/// Time of one training step of the first denoiser, with a band of a factor of two. Adapters spare the gradients of the
/// frozen weights. Throws, naming the field, for a job or a layout that is none. Worked: the published step of Wan 2.1
/// 14B on v5p-8 takes 36.01 s (tests/oracle/generation_records.cpp).
[[nodiscard]] constexpr diffusion_step step_time(const generation_work& work, const diffusion_training_job& job,
                                                 const generation_layout& mesh, const slice& where,
                                                 std::int64_t slice_total = 1,
                                                 const calibration& constants = default_calibration) {
  validate(work, job, mesh, where, slice_total);
  const generation_part& denoiser = work.denoisers.items[0];
  const double examples =
      static_cast<double>(job.global_batch) / static_cast<double>(checked_multiply(mesh.data, slice_total));
  detail::device_share share = detail::share_of(mesh, examples, where, constants);
  share.fsdp = 1;
  const pass_time pass = detail::pass_of(denoiser, share, where, constants);
  const double again = job.recompute ? 1 : 0, trained = trained_parameters(denoiser, job);
  diffusion_step step;
  step.products = (job.lora_rank > 0 ? 2 + again : 3 + again) * pass.products;
  if (job.lora_rank > 0) step.products += (3 + again) * detail::adapter_products(denoiser.work, job.lora_rank, share);
  step.attention = (3.5 + again) * pass.attention;
  step.elementwise = (job.recompute ? elementwise_passes_with_remat : elementwise_passes) * pass.elementwise;
  step.collectives = (3 + again) * pass.collectives;
  step.overhead = (3 + again) * pass.overhead;
  step.gradients = detail::exposed_gradients(denoiser.weights, trained, mesh, where, slice_total,
                                             step.products + step.attention + step.elementwise, constants);
  const double kept =
      (2 * (size_of(trained_format(job)) + optimizer_bytes_per_parameter(job.optimizer, job.moments)) + bytes{4})
          .value();
  step.update = seconds{kept * trained / static_cast<double>(checked_multiply(mesh.tensor, mesh.fsdp)) / share.hbm};
  if (job.encode) step.encoding = detail::encoding_time(work, examples, mesh, where, constants);
  step.total = step.products + step.attention + step.elementwise + step.collectives + step.gradients + step.update +
               step.encoding + step.overhead;
  const double passes = job.lora_rank > 0 ? 2 : 3;
  const flops all = static_cast<double>(job.global_batch) * passes * denoiser.model_flops;
  step.floor = all / (peak_rate(where, dtype::bf16) * static_cast<double>(slice_total));
  step.mfu = step.floor / step.total;
  step.low = max(step.total / 2, min(step.floor, step.total));
  step.high = 2 * step.total;
  step.limited_by = bound_of({step.products, step.attention, step.elementwise + step.update,
                              step.collectives + step.gradients, step.overhead});
  step.examples_per_second = static_cast<double>(job.global_batch) / step.total;
  return step;
}

/// HBM of one training step of the first denoiser on one JAX device. With layers computed again the inputs of each are
/// kept, else every result; at best the compiler keeps half of these, at worst one and a half times as many. Throws as
/// `step_time` does. Worked: the optimizer's state of a denoiser under AdamW is 8 bytes a parameter.
[[nodiscard]] constexpr memory_breakdown memory_use(const generation_work& work, const diffusion_training_job& job,
                                                    const generation_layout& mesh, const slice& where,
                                                    std::int64_t slice_total = 1) {
  validate(work, job, mesh, where, slice_total);
  const generation_part& denoiser = work.denoisers.items[0];
  const auto shards = static_cast<double>(checked_multiply(mesh.tensor, mesh.fsdp));
  const double trained = trained_parameters(denoiser, job) / shards;
  const double examples =
      static_cast<double>(job.global_batch) / static_cast<double>(checked_multiply(mesh.data, slice_total));
  double saved = 0, layers = 1;
  for (std::size_t i = 0; i < denoiser.work.product_count; ++i) {
    const blocks::listed_product& p = denoiser.work.products[i];
    const bool reduced = detail::is_reduced(p.one.what);
    if (job.recompute && !reduced && p.one.what != blocks::role::other) continue;
    const double cut = reduced || job.recompute ? 1 : static_cast<double>(mesh.tensor);
    saved += p.times * math::ceil(p.rows / static_cast<double>(mesh.context)) * static_cast<double>(p.one.outer) / cut;
  }
  for (std::size_t i = 0; i < denoiser.work.core_count; ++i) layers += denoiser.work.cores[i].times;
  memory_breakdown memory;
  memory.parameters = trained * size_of(trained_format(job));
  if (job.lora_rank > 0) memory.parameters += denoiser.weights / shards * size_of(frozen_format(job));
  memory.optimizer = trained * optimizer_bytes_per_parameter(job.optimizer, job.moments);
  memory.gradients = bytes{4 * trained};
  memory.activations = bytes{2 * examples * saved};
  if (mesh.fsdp > 1)
    memory.gathered_weights = bytes{2 * 2 * denoiser.weights / static_cast<double>(mesh.tensor) / layers};
  memory.workspace =
      bytes{2 * examples * detail::live_results *
            detail::widest_result(denoiser.work, static_cast<double>(mesh.tensor), static_cast<double>(mesh.context))};
  if (job.encode) {  // before the step, whose results are not yet there
    memory.parameters += bytes{2 * (work.text.weights / shards + work.decoder.weights)};
    memory.workspace = max(
        memory.workspace,
        detail::decoding_memory(work, examples / static_cast<double>(mesh.tensor * mesh.context)) - memory.activations);
  }
  memory.total = memory.parameters + memory.optimizer + memory.gradients + memory.activations +
                 memory.gathered_weights + memory.workspace;
  memory.low = memory.total - memory.activations / 2 - memory.gradients - memory.workspace / 2;
  memory.high = memory.total + memory.activations / 2 + memory.workspace;
  memory.usable = usable_hbm_per_device(where.chip);
  return memory;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
