// The worked numbers in the comments of estimate/training/sizes.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/training/sizes.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_training_sizes_tests {

namespace {

constexpr training_sizes llama = sizes_of(llama_3_8b(), job_of(64, 4096));
static_assert(llama.exchanged.value() == 8 * 8030261248.0);
static_assert(llama.count.total == 8030261248 && llama.held.trained == 8030261248.0);
static_assert(llama.expert_share == 0 && llama.tower_inputs == 0);

/// Where a calibration does not count the widths of global heads apart, memory still does.
constexpr transformer with_wide_global_heads() {
  transformer model = llama_3_8b();
  model.attention.global_head_dim = 256;
  model.attention.window = 1024;
  model.attention.local_layers = 16;
  return model;
}
constexpr calibration together() {
  calibration constants;
  constants.global_heads_apart = false;
  return constants;
}
constexpr training_sizes wide = sizes_of(with_wide_global_heads(), job_of(64, 4096), together());
static_assert(wide.width.context == 4096 && wide.in_memory.context == 4096 * 1.5);

}  // namespace

}  // namespace static_estimate_training_sizes_tests
