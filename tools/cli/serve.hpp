#ifndef TPUPLAN_CLI_SERVE_HPP
#define TPUPLAN_CLI_SERVE_HPP

#include <string>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/show/view.hpp>

#include "cli/config.hpp"
#include "cli/prices.hpp"
#include "cli/traffic.hpp"

// The question and the answer of serve, and the comparison with GPUs.
namespace cli {

struct serve_options {
  std::string config, slice_name, gpu, calibration;
  traffic_options traffic;
  price_options prices;
  std::int64_t gpus = 0;  // 0: all of one machine
};

/// The question with its formats filled in, and its answer.
struct served {
  tpuplan::serve_request asked;
  tpuplan::slice where;
  tpuplan::serve_answer answer;
};

/// What a million output tokens cost on the slice and on GPUs at the same load: the slice as calibrated and at peak
/// rates, the GPUs at peak rates, since no run calibrates them, and as far from peak as the slice is.
struct gpu_comparison {
  tpuplan::gpu_offer offer{};
  std::int64_t gpus = 0, tensor = 0;  // of them to a replica
  std::string load;
  tpuplan::serving_estimate at_peak{};
  double slice_busy = 0;  // share of what it could serve at most
  tpuplan::usd slice{}, slice_low{}, slice_high{}, gpus_at_peak{}, gpus_like_slice{};
  [[nodiscard]] bool priced() const noexcept { return slice.value() > 0 && gpus_at_peak.value() > 0; }
};

gpu_comparison compare_with_gpu(const tpuplan::model_config& config, const served& a, const serve_options& given,
                                const tpuplan::price_book& prices);
ordered_json gpu_document(const gpu_comparison& g);
tpuplan::view_part gpu_part(const gpu_comparison& g, const served& a);

}  // namespace cli

#endif
