#ifndef TPUPLAN_ESTIMATE_TRAINING_PUBLISHED_LAYOUTS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_PUBLISHED_LAYOUTS_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// Which layouts published training runs have, generation by generation. A search may choose degrees that are possible
/// and that nobody is known to have run.

namespace tpuplan {
inline namespace abi_0 {

/// Degrees that a published training run of a generation had together, in a slice: runs with fewer are not listed
/// beside it.
struct published_degrees {
  std::string_view chip{};    ///< of the chip table
  std::int64_t tensor = 1;    ///< shards of each matrix product
  std::int64_t expert = 1;    ///< shards of the experts
  std::int64_t context = 1;   ///< shards of each sequence
  std::int64_t pipeline = 1;  ///< stages, over slices too
};

/// The largest degrees of the runs of quality A and B in data/measured that say theirs, whatever their models: tensor
/// parallelism over 2 counts as run on v6e because Llama 3 8B and Qwen3 8B were trained so on v6e-8 (torchax, Qwen3
/// over 4 too), over 16 because of a dense model of 900B.
inline constexpr published_degrees published_layouts[] = {
    {"v2", 8, 1, 1, 1},   {"v3", 8, 1, 1, 1},    {"v4", 16, 1, 1, 1},   {"v5e", 16, 1, 1, 1},
    {"v5e", 1, 8, 1, 1},  {"v5p", 8, 1, 1, 1},   {"v5p", 1, 64, 1, 1},  {"v5p", 1, 1, 64, 1},
    {"v6e", 16, 1, 1, 1}, {"v6e", 4, 64, 1, 16}, {"tpu7x", 4, 1, 1, 1}, {"tpu7x", 1, 4, 1, 1}};

/// The most slices of such a run.
struct published_slices {
  std::string_view chip{};  ///< of the chip table
  std::int64_t slices = 1;  ///< alike, over DCN
};
/// The most slices of the same runs, generation by generation.
inline constexpr published_slices most_published_slices[] = {{"v2", 1},  {"v3", 1},   {"v4", 2},   {"v5e", 32},
                                                             {"v5p", 2}, {"v6e", 16}, {"tpu7x", 1}};

/// Whether a published training run of that generation had at least these degrees of tensor, expert, context and
/// pipeline together, and one at least as many slices; FSDP and data parallelism, which grow with the slice, do not
/// count, and FSDP over slices has no run. A chip without any run is not judged: true. Worked: FSDP with tensor
/// parallelism over 4 has been run on tpu7x, over 8 it has not; nor have two slices of tpu7x.
[[nodiscard]] constexpr bool has_been_run(const layout& mesh, const chip_spec& chip) noexcept {
  bool is_judged = false, some = false, enough_slices = false;
  const std::int64_t stages = mesh.pipeline * mesh.dcn_pipeline;
  for (const published_degrees& run : published_layouts) {
    if (run.chip != chip.name.view()) continue;
    is_judged = true;
    some = some || (mesh.tensor <= run.tensor && mesh.expert <= run.expert && mesh.context <= run.context &&
                    stages <= run.pipeline);
  }
  for (const published_slices& run : most_published_slices) {
    if (run.chip == chip.name.view())
      enough_slices = mesh.dcn_data <= run.slices && mesh.dcn_pipeline <= run.slices && mesh.dcn_fsdp == 1;
  }
  return !is_judged || (some && enough_slices);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
