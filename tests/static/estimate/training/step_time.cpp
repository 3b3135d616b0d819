// The worked numbers in the comments of estimate/training/step_time.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"
#include "support/near.hpp"

using namespace tpuplan;

namespace static_estimate_training_step_time_tests {

namespace {

// MaxText's default model
// of 128 billion parameters: one slice of 128 chips, FSDP 16, tensor 8.
constexpr transformer maxtext_128b() {
  transformer m;
  m.name = "maxtext-default-128B";
  m.layers = 64;
  m.d_model = 10240;
  m.vocab = 32768;
  m.tied_embeddings = true;
  m.attention.heads = 64;
  m.attention.kv_heads = 64;
  m.attention.head_dim = 256;
  m.mlp.d_ff = 65536;
  m.mlp.gated = false;
  m.published_parameters = 129184563200;
  m.published_active_parameters = 129184563200;
  return m;
}
// The constants that the worked figures were computed with: a refit does not move them.
constexpr calibration worked_with() {
  calibration constants;
  constants.chips = {{{{"v5p", 0.773}}}, 1};
  constants.hbm_passes = 1.31;
  constants.exposed_fsdp = 0.279;
  return constants;
}
constexpr seconds maxtext_128b_step() {
  training_job job = job_of(256, 2048);
  job.remat = remat::minimal;
  layout mesh;
  mesh.fsdp = 16;
  mesh.tensor = 8;
  return step_time(maxtext_128b(), job, mesh, slice_for("v5p-256"), worked_with()).total;
}
static_assert(near(maxtext_128b_step().value(), 10.60, 0.005));

constexpr training_job at_4096 = job_of(64, 4096);
static_assert(near_relative(model_flops_per_token(sizes_of(llama_3_8b(), at_4096), at_4096).value(),
                            197.62862515814402e12 / 4096));

constexpr bool is_beyond_positions(std::int64_t length) {
  transformer m = llama_3_8b();
  m.max_positions = 8192;
  return remarks_on(m, job_of(64, length)).beyond_positions;
}
static_assert(is_beyond_positions(16384) && !is_beyond_positions(8192));

}  // namespace

}  // namespace static_estimate_training_step_time_tests
