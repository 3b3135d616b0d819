#ifndef TPUPLAN_CLI_AGAINST_GPU_HPP
#define TPUPLAN_CLI_AGAINST_GPU_HPP

#include <initializer_list>
#include <optional>
#include <string>
#include <tpuplan/cost/gpu_training.hpp>

#include "cli/option.hpp"
#include "cli/print.hpp"

// A training job on TPUs held against GPUs, both sides estimated.
namespace cli {

struct gpu_options {
  std::string gpu;
  std::optional<std::int64_t> gpus;
  std::optional<double> price;  // dollars per GPU and hour
  tpuplan::job_traits traits;
};

/// --gpu, --gpus, --gpu-usd, and what of a job speaks against a TPU.
void add_gpu_training_options(command& to, gpu_options& into);

/// Both sides: what the GPUs do of the same work, and what a unit of it costs.
struct training_against_gpu {
  tpuplan::gpu_offer gpu{};
  std::int64_t gpus = 0;
  tpuplan::achieved_fraction reached{};
  tpuplan::rate_band rate{};
  tpuplan::training_comparison costs{};
  std::string unit;  // "image", "token"
};

/// The job by its rates and the price of all its chips; `each` is what a unit of its work takes. Refuses GPUs of which
/// no run or no price is known.
training_against_gpu compare_with_gpus(const gpu_options& given, tpuplan::usd_per_second tpu_price,
                                       const tpuplan::rate_band& tpu, tpuplan::flops each, const std::string& unit);

void print_against(const training_against_gpu& c);
ordered_json json_of(const training_against_gpu& c);

}  // namespace cli

#endif
