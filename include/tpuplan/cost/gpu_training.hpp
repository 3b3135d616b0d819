#ifndef TPUPLAN_COST_GPU_TRAINING_HPP
#define TPUPLAN_COST_GPU_TRAINING_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/known.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/cost/migration.hpp>
#include <tpuplan/cost/offer.hpp>
#include <tpuplan/hardware/gpus.hpp>

/// @file
/// TPU or GPU for training: both sides with achieved rates, because peak rates alone are no comparison.

namespace tpuplan {
inline namespace abi_0 {

/// The share of a GPU's peak that published training runs reach: a band, not a prediction of one run. FLOPs are model
/// FLOPs, without recomputation.
struct achieved_fraction {
  std::string_view gpu{};     ///< its name in `gpu_offers`
  double low = 0;             ///< the least of the runs
  double high = 0;            ///< the most
  std::string_view source{};  ///< where both were published
};

/// The GPUs of which training runs are published, with the convolutions of ResNet-50 and mixtures of experts at the low
/// end and dense language models at the high one. 24.5 GFLOP an image of ResNet-50. T4 and L4 have none here, and use
/// no other GPU's; for B200 only mixtures of experts are published (GPT-OSS 120B in bf16, 10 %:
/// NVIDIA-NeMo/Megatron-Bridge@00b7660, docs/performance-summary.md), which is no band.
inline constexpr achieved_fraction achieved_fractions[] = {
    {"V100", 0.15, 0.48,
     "low: ResNet-50 at 782 images/s on each of 4 GPUs (RiseML, 2018-04) and 827 on each of 8 "
     "(NVIDIA/DeepLearningExamples@3bbe228, PyTorch/Classification/ConvNets/resnet50v1.5); high: Megatron-LM 1.0, 62.4 "
     "TFLOP/s on a DGX-2H (nv-adlr.github.io/MegatronLMV1, read 2026-11-22); between: ResNet-50 at 1205 images/s "
     "(MLPerf training v0.7, 2020-06, Google, gpu-v100-8-TF2.0) and 1492 on one "
     "(NVIDIA/DeepLearningExamples@134510b, MxNet/Classification/RN50v1.5)"},
    {"A100-40", 0.35, 0.60,
     "MPT 125M to 70B on 8 to 128 GPUs: 35.9 to 59.5 % (mosaicml/llm-foundry@061f2c7, scripts/train/benchmarking)"},
    {"A100-80", 0.16, 0.65,
     "low: ResNet-50 at 2078 images/s on each of 8 GPUs, 2470 on one (NVIDIA/DeepLearningExamples@291f0d0, "
     "PyTorch/Classification/ConvNets/resnet50v1.5); high: MPT 7B on 8 GPUs, 64.2 % (mosaicml/llm-foundry@061f2c7, "
     "scripts/train/benchmarking)"},
    {"H100", 0.15, 0.47,
     "low: GPT-OSS 120B in bf16 on 64 GPUs, 153 TFLOP/s (NVIDIA-NeMo/Megatron-Bridge@00b7660, "
     "docs/performance-summary.md); high: MPT 760M to 70B on 8 to 64 GPUs in bf16, 26.3 to 46.4 % "
     "(mosaicml/llm-foundry@061f2c7, scripts/train/benchmarking); between: ResNet-50 at 7160 images/s on each of 8 "
     "GPUs, 17.8 % (mlcommons/training_results_v4.0@62f111b, NVIDIA/results/eos_ngc24.04_mxnet), Llama 3 405B on "
     "8192 to 16384 GPUs, 38 to 43 % (arXiv 2407.21783, table 4)"},
    {"H200", 0.19, 0.52,
     "low: ResNet-50 at 7950 images/s on each of 8 GPUs, 19.7 % (mlcommons/training_results_v4.0@62f111b, "
     "NVIDIA/results/h200_ngc24.04_mxnet); high: Llama 3.1 70B in bf16, 508 TFLOP/s, 51.4 % "
     "(AI-Hypercomputer/gpu-recipes@0355c38, training/a3ultra/llama3-1-70b); between: Mixtral 8x7B, 49.9 % (@611d8ff)"},
};

/// The band of a GPU; nothing where no run is published. Worked: H100 15 to 47 %.
[[nodiscard]] constexpr maybe<achieved_fraction> find_achieved_fraction(std::string_view gpu) noexcept {
  for (const achieved_fraction& one : achieved_fractions) {
    if (detail::same_name(one.gpu, gpu)) return one;
  }
  return nothing;
}

/// The band of a job's rate, in units of work per second; both sides of a comparison use the same unit.
struct rate_band {
  per_second low{};   ///< the slow end
  per_second high{};  ///< the fast end
};

/// The rate of a job whose unit takes that many FLOPs on some GPUs. Throws `errc::unknown_figure` where no run of the
/// GPU is published: give a `rate_band` that you measured. Worked: ResNet-50 (24.5 GFLOP an image) on one V100: 764 to
/// 2445 images a second.
[[nodiscard]] constexpr rate_band gpu_rate(const gpu_offer& gpu, std::int64_t gpus, flops each) {
  const maybe<achieved_fraction> band = find_achieved_fraction(gpu.name);
  if (!band)
    detail::fail(errc::unknown_figure, "gpu", gpu.name.view(),
                 "one of which training runs are published: V100, A100-40, A100-80, H100 or H200; or your own rate");
  const flops_per_second peak = gpu.bf16 * static_cast<double>(detail::positive_count("GPUs", gpus));
  return {throughput_at(peak, band->low, each), throughput_at(peak, band->high, each)};
}

/// Traits of a job that speak against a TPU at any price.
struct job_traits {
  bool small_batch = false;     ///< below the critical batch: chips are limited by memory
  bool dynamic_shapes = false;  ///< each new shape is compiled when it first occurs
  bool custom_kernels = false;  ///< in CUDA, to be rewritten in Pallas
  bool fixed_time = false;      ///< most of a step is fixed time of programs, or waiting for hosts
};

/// The side that a comparison favours.
enum class side : std::uint8_t {
  tpu,        ///< cheaper even at its slow end against the fast end of the GPUs
  gpu,        ///< cheaper even at their slow end against the fast end of the TPU
  undecided,  ///< the bands overlap: measure both
};
/// "tpu", "gpu" or "undecided".
[[nodiscard]] constexpr std::string_view name(side which) noexcept {
  constexpr const char* names[] = {"tpu", "gpu", "undecided"};
  return detail::name_of(names, static_cast<std::size_t>(which));
}

/// Dollars for a unit of work on both sides, as a band each, and the decision.
struct training_comparison {
  usd tpu_low{};                    ///< at the fast end
  usd tpu_high{};                   ///< at the slow end
  usd gpu_low{};                    ///< at the fast end
  usd gpu_high{};                   ///< at the slow end
  side cheaper = side::undecided;   ///< by dollars alone
  side decision = side::undecided;  ///< `cheaper`, unless a trait of the job speaks against a TPU
  std::string_view reason{};        ///< of the decision, in words
};

/// The comparison of both sides, each at the price of all its machines. Traits do not turn a decision for the TPU into
/// one for the GPU: they make it undecided, because their cost is not known before a trial. Nothing is decided where
/// most of a step is fixed time, which FLOPs say nothing of. Worked: 6 USD an hour at 7000 to 28000 images a second
/// against 2.48 at 764 to 2445: the TPU; at 14.00 undecided.
[[nodiscard]] constexpr training_comparison compare_training(usd_per_second tpu_price, const rate_band& tpu,
                                                             usd_per_second gpu_price, const rate_band& gpu,
                                                             const job_traits& traits = {}) {
  training_comparison result;
  result.tpu_low = cost_of_work({tpu_price, tpu.high});
  result.tpu_high = cost_of_work({tpu_price, tpu.low});
  result.gpu_low = cost_of_work({gpu_price, gpu.high});
  result.gpu_high = cost_of_work({gpu_price, gpu.low});
  result.cheaper = result.tpu_high < result.gpu_low   ? side::tpu
                   : result.gpu_high < result.tpu_low ? side::gpu
                                                      : side::undecided;
  result.decision = result.cheaper;
  result.reason = result.cheaper == side::undecided ? "the bands overlap: measure both"
                  : result.cheaper == side::tpu     ? "cheaper at its slow end than the GPUs at their fast end"
                                                    : "the GPUs are cheaper at their slow end";
  if (traits.fixed_time) {
    result.decision = side::undecided;
    result.reason =
        "most of a step is fixed time of programs or hosts, and that of the GPUs is not known: measure both";
    return result;
  }
  const int trait = traits.custom_kernels ? 0 : traits.dynamic_shapes ? 1 : traits.small_batch ? 2 : 3;
  if (trait == 3) return result;
  constexpr std::string_view reasons[3][3] = {
      {"cheaper, but custom kernels have to be written again in Pallas",
       "the GPUs are cheaper at their slow end, and custom kernels would have to be written again in Pallas",
       "the bands overlap, and custom kernels have to be written again in Pallas"},
      {"cheaper, but each new shape is compiled when it first occurs: pad to a few shapes first",
       "the GPUs are cheaper at their slow end, and each new shape would be compiled when it first occurs",
       "the bands overlap, and each new shape is compiled when it first occurs: pad to a few shapes first"},
      {"cheaper at a full batch, but a small one waits for memory",
       "the GPUs are cheaper at their slow end, and a small batch would wait for memory",
       "the bands overlap, and a small batch waits for memory"}};
  result.reason = reasons[trait][static_cast<std::size_t>(result.cheaper)];
  if (result.decision == side::tpu) result.decision = side::undecided;
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
