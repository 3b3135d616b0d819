#ifndef TPUPLAN_HARDWARE_GPUS_HPP
#define TPUPLAN_HARDWARE_GPUS_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/known.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/hardware/slice.hpp>

/// @file
/// GPU servers to compare a TPU slice with: peak rates, memory and Google Cloud's prices, nothing calibrated. They are
/// estimated like a caller's own chips. The table between the marks is generated from data/gpus.json, which has the
/// sources, by `cmake --build BUILD --target generate`, and is not edited here.

namespace tpuplan {
inline namespace abi_0 {

/// A GPU of Google Cloud and what an hour of it costs, its share of the machine included.
struct gpu_offer {
  text<24> name{};                     ///< "H100"; "A100-40" where a kind comes with 40 and 80 GB
  text<24> machine{};                  ///< machine type whose price is given
  std::int64_t per_machine = 0;        ///< GPUs in the largest machine
  flops_per_second bf16{};             ///< dense; of fp16 where a GPU has no bf16 (V100, T4)
  bytes hbm{};                         ///< of one GPU
  bytes_per_second bandwidth{};        ///< of its HBM
  known<usd_per_second> on_demand{};   ///< of one GPU
  known<usd_per_second> spot{};        ///< of one GPU
  known<usd_per_second> flex_start{};  ///< of one GPU
  known<usd_per_second> calendar{};    ///< of one GPU
  text<10> date{};                     ///< of the prices; "unknown" where there are none
  bool derived = false;                ///< its price is that of the GPU alone and that of a machine, of two sources
  text<10> dearer_abroad{};            ///< since when it costs more in Europe and Asia; empty: no source says so
};

// generated: gpu_offers from data/gpus.json
/// GPUs to compare a TPU with.
// clang-format off
inline constexpr gpu_offer gpu_offers[] = {
    {"A100-40", "a2-highgpu-1g", 16, 312_TFLOP_per_s, 40_GB, 1555_GB_per_s, 3.6734_usd_per_h, 2.204_usd_per_h, unknown, unknown, "2025-03-06"},
    {"A100-80", "a2-ultragpu-8g", 8, 312_TFLOP_per_s, 80_GB, 2039_GB_per_s, 5.0688_usd_per_h, 3.041_usd_per_h, 2.4_usd_per_h, unknown, "2026-09-17"},
    {"H100", "a3-highgpu-8g", 8, 989_TFLOP_per_s, 80_GB, 3350_GB_per_s, 11.0613_usd_per_h, 6.62_usd_per_h, 4.79_usd_per_h, unknown, "2026-09-17"},
    {"H200", "a3-ultragpu-8g", 8, 989_TFLOP_per_s, 141_GB, 4800_GB_per_s, 10.6009_usd_per_h, 6.3593_usd_per_h, unknown, unknown, "2026-09-17", false, "2026-05-01"},
    {"B200", "a4-highgpu-8g", 8, 2250_TFLOP_per_s, 180_GB, 8000_GB_per_s, 16.11_usd_per_h, 4.954_usd_per_h, 8.055_usd_per_h, 11.2775_usd_per_h, "2026-07-30"},
    {"RTX-PRO-6000", "g4-standard-48", 8, 467.8_TFLOP_per_s, 96_GB, 1597_GB_per_s, 4.49993_usd_per_h, 1.77164_usd_per_h, 2.25_usd_per_h, unknown, "2026-09-25"},
    {"L4", "g2-standard-4", 8, 121_TFLOP_per_s, 24_GB, 300_GB_per_s, 0.707_usd_per_h, 0.424056_usd_per_h, unknown, unknown, "2026-06-03"},
    {"V100", "n1-standard-8", 8, 125_TFLOP_per_s, 16_GB, 900_GB_per_s, 2.86_usd_per_h, unknown, unknown, unknown, "2026-09-01", true},
    {"T4", "n1-standard-8", 4, 65_TFLOP_per_s, 16_GB, 320_GB_per_s, 0.73_usd_per_h, unknown, unknown, unknown, "2026-09-01", true},
};
// clang-format on
// end of generated: gpu_offers

/// The GPU of that name, in any case; nothing if there is none. Worked: find_gpu("h100")->per_machine is 8.
[[nodiscard]] constexpr maybe<gpu_offer> find_gpu(std::string_view given) noexcept {
  for (const gpu_offer& offer : gpu_offers) {
    if (detail::same_name(given, offer.name)) return offer;
  }
  return nothing;
}

/// The GPU of that name, in any case; an unknown name throws `errc::unknown_name` and lists the known ones: of "A100",
/// which comes with two memories, these two. Worked: gpu_for("H100").bandwidth is 3350 GB/s.
[[nodiscard]] constexpr gpu_offer gpu_for(std::string_view given) {
  if (const maybe<gpu_offer> found = find_gpu(given)) return *found;
  text<160> valid;
  for (const gpu_offer& offer : gpu_offers) {  // A100, which comes with two memories
    const std::string_view name = offer.name.view();
    if (given.empty() || name.size() <= given.size() || name[given.size()] != '-' ||
        !detail::same_name(name.substr(0, given.size()), given))
      continue;
    valid.append(valid.empty() ? "" : " or ").append(name);
  }
  if (!valid.empty()) detail::fail(errc::unknown_name, "gpu", given, valid.append(", by its memory in GB").view());
  for (const gpu_offer& offer : gpu_offers) valid.append(valid.empty() ? "" : ", ").append(offer.name);
  detail::fail(errc::unknown_name, "gpu", given, valid.view());
}

/// That many GPUs of one machine as a slice, for estimates with `peak_only`, which need no link rates. Throws for more
/// GPUs than a machine has.
/// Worked: hbm_bandwidth(gpu_server(gpu_for("H100"), 8)) is 26.8 TB/s.
[[nodiscard]] constexpr slice gpu_server(const gpu_offer& offer, std::int64_t gpus) {
  if (gpus < 1 || gpus > offer.per_machine)
    detail::fail(errc::out_of_range, "GPUs of one machine", gpus, "1 to what a machine has");
  chip_spec chip;
  chip.name = offer.name;
  chip.tensorcores = chip.jax_devices = 1;
  chip.peak.bf16 = offer.bf16;
  chip.hbm.capacity = chip.hbm.documented = offer.hbm;
  chip.hbm.bandwidth = offer.bandwidth;
  chip.ici.axes = 1;
  return slice{chip, topology{static_cast<std::int32_t>(gpus), 1}, gpus};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
