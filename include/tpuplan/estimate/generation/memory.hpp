#ifndef TPUPLAN_ESTIMATE_GENERATION_MEMORY_HPP
#define TPUPLAN_ESTIMATE_GENERATION_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <tpuplan/estimate/generation/job.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/estimate/verdict.hpp>

/// @file
/// HBM that generation takes on one JAX device, and whether it fits.

namespace tpuplan {
inline namespace abi_0 {

/// Bytes on one device; the parts add up to `total`. Denoising and decoding are never live together.
struct generation_memory {
  bytes denoiser{};       ///< weights of all denoisers
  bytes text{};           ///< weights of the encoders of text
  bytes autoencoder{};    ///< weights of the decoder, and of parts that were loaded with it
  bytes activations{};    ///< of a denoising step, or of decoding where that needs more
  bytes workspace{};      ///< compiled programs and their buffers
  bytes total{};          ///< of all parts
  bytes low{};            ///< low end: encoders of text on the host, half of the activations
  bytes high{};           ///< high end: twice the activations and the workspace
  bytes usable{};         ///< what XLA lets a program use on the device
  bool decoding = false;  ///< decoding needs more than denoising
};

/// `yes` where even the high estimate is below 97 % of what is usable; `no` where the low one is above all of it.
/// Worked: of 100 B that are usable, a high estimate of 96.9 B is `yes`, one of 97 B `uncertain`, and a low one of
/// 100.1 B `no`.
[[nodiscard]] constexpr verdict fits(const generation_memory& memory) noexcept {
  if (memory.high < safe_share * memory.usable) return verdict::yes;
  return memory.low > memory.usable ? verdict::no : verdict::uncertain;
}

namespace detail {

/// Copies of the widest result of a product that are live at once: it, what it was made of, the stream it is added to,
/// and what the compiler has not yet dropped.
inline constexpr double live_results = 4;

/// Numbers of the widest result of a product for an example on a device.
constexpr double widest_result(const blocks::work_list& work, double tensor, double context) {
  double most = 0;
  for (std::size_t i = 0; i < work.product_count; ++i) {
    const blocks::listed_product& p = work.products[i];
    const bool cut = p.one.what != blocks::role::output && p.one.what != blocks::role::down;
    const double copies = p.one.copies > 1 && p.one.outer < 64 ? static_cast<double>(p.one.used) : 1;
    const double width = static_cast<double>(p.one.outer) * copies / (cut ? tensor : 1);
    const double numbers = math::ceil(p.rows / context) * width;
    if (numbers > most) most = numbers;
  }
  return most;
}

/// Numbers of keys and values of one layer of an example that a device has at once.
constexpr double live_keys(const blocks::work_list& work, const generation_layout& mesh) {
  double most = 0;
  for (std::size_t i = 0; i < work.core_count; ++i) {
    const blocks::listed_core& c = work.cores[i];
    const double numbers = c.keys * static_cast<double>(c.one.heads) / static_cast<double>(mesh.tensor) *
                           static_cast<double>(c.one.key_width + c.one.value_width);
    if (numbers > most) most = numbers;
  }
  return mesh.exchange == context_exchange::gather ? most : 2 * most / static_cast<double>(mesh.context);
}

/// Results of the autoencoder that are live at once, for so many examples on a device.
constexpr bytes decoding_memory(const generation_work& work, double examples) {
  return bytes{2 * live_results * work.decoded_at_once * widest_result(work.decoder.work, 1, 1) * math::ceil(examples)};
}

}  // namespace detail

/// HBM on one device. Weights are cut by tensor and weight shards, the autoencoder's not; all parts stay loaded. The
/// decoder of clips holds a latent frame at a time, as causal autoencoders do. Throws as `generation_time_of` does.
/// Worked: the denoiser of Wan 2.1 14B takes 28.6 GB in bf16 on a device of its own.
[[nodiscard]] constexpr generation_memory generation_memory_use(const generation_work& work, const generation_job& job,
                                                                const generation_layout& mesh, const slice& where) {
  validate(work, job, mesh, where);
  const double number = size_of(job.weights).value();
  const auto shards = static_cast<double>(checked_multiply(mesh.tensor, mesh.fsdp));
  generation_memory use;
  double live = 0;
  for (const generation_part& each : work.denoisers) {
    use.denoiser += bytes{number * each.weights / shards};
    const double one = detail::live_results * detail::widest_result(each.work, static_cast<double>(mesh.tensor),
                                                                    static_cast<double>(mesh.context)) +
                       detail::live_keys(each.work, mesh);
    if (one > live) live = one;
  }
  use.text = bytes{number * work.text.weights / shards};
  use.autoencoder = bytes{number * (work.decoder.weights + work.other_weights)};
  const bytes steps{2 * live * static_cast<double>(examples_of(job, mesh))};
  const bytes decode =
      detail::decoding_memory(work, static_cast<double>(job.batch) / static_cast<double>(devices(where)));
  use.decoding = decode > steps;
  use.activations = max(steps, decode);
  use.workspace = detail::program_memory;
  use.total = use.denoiser + use.text + use.autoencoder + use.activations + use.workspace;
  use.low = use.total - use.text - 0.5 * use.activations;
  use.high = use.total + use.activations + use.workspace;
  use.usable = usable_hbm_per_device(where.chip);
  return use;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
