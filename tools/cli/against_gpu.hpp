#ifndef TPUPLAN_CLI_AGAINST_GPU_HPP
#define TPUPLAN_CLI_AGAINST_GPU_HPP

#include <initializer_list>
#include <optional>
#include <string>
#include <tpuplan/cost/gpu_training.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/show/view.hpp>

#include "cli/option.hpp"
#include "cli/print.hpp"

// A training job on TPUs compared with GPUs; both sides are estimates.
namespace cli {

struct gpu_options {
  std::string gpu;
  std::optional<std::int64_t> gpus;
  std::optional<double> price;  // dollars per GPU and hour
  tpuplan::job_traits traits;
};

/// The options --gpu, --gpus, --gpu-usd, and those that name reasons against a TPU.
void add_gpu_training_options(command& to, gpu_options& into);
/// Those that name reasons against a TPU.
void add_trait_options(command& to, tpuplan::job_traits& into);

/// The comparison: the rate of the GPUs on the same work, and the cost of a unit of work on both sides.
struct training_against_gpu {
  tpuplan::gpu_offer gpu{};
  std::int64_t gpus = 0;
  tpuplan::achieved_fraction reached{};
  tpuplan::rate_band rate{};
  tpuplan::training_comparison costs{};
  std::string unit;                     // "image", "token"
  tpuplan::flops each{};                // that a unit takes
  tpuplan::usd tpu_peak{}, gpu_peak{};  // of a FLOP at peak rates
  std::string price_words;              // where the price of the GPUs does not hold
};

/// The chips of a job, all of them.
struct priced_chips {
  tpuplan::usd_per_second price{};
  tpuplan::flops_per_second peak{};
  std::string region{};  // of the price
};
priced_chips chips_of(const tpuplan::slice& where, std::int64_t slices, const tpuplan::price_row& price);

/// The job by its rates and the price of its chips; `each` is what a unit of its work takes. Refuses GPUs of which no
/// run or no price is known.
training_against_gpu compare_with_gpus(const gpu_options& given, const priced_chips& tpus,
                                       const tpuplan::rate_band& tpu, tpuplan::flops each, const std::string& unit);

tpuplan::view_part against_part(const training_against_gpu& c);
/// That the job, which does not fit, was compared with none.
tpuplan::view_part not_compared_part(const gpu_options& given);
ordered_json json_of(const training_against_gpu& c);

}  // namespace cli

#endif
