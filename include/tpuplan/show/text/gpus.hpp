#ifndef TPUPLAN_SHOW_TEXT_GPUS_HPP
#define TPUPLAN_SHOW_TEXT_GPUS_HPP

#include <string>
#include <string_view>
#include <tpuplan/hardware/gpus.hpp>

/// @file
/// Where the price of a GPU holds, in words.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// What a price of the table of GPUs, which are those of the US, leaves open in another region; "" in the US. Worked:
/// of H200 in europe-west4 "the price of H200 is that of the US; in Europe and Asia it costs more since 2026-05-01".
[[nodiscard]] inline std::string gpu_price_words(const gpu_offer& gpu, std::string_view region) {
  if (region == "us" || region.substr(0, 3) == "us-") return "";
  std::string words = "the price of " + std::string(gpu.name.view()) + " is that of the US; ";
  if (gpu.dearer_abroad.empty()) return words + "none of " + std::string(region) + " is in the table";
  return words + "in Europe and Asia it costs more since " + std::string(gpu.dearer_abroad.view());
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif
