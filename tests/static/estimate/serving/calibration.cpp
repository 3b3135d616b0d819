// The worked numbers in the comments of estimate/serving/calibration.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/serving/calibration.hpp>

using namespace tpuplan;

namespace {

// What bounds take for granted: every rate at its peak, nothing beside it.
static_assert(peak_only.weight_stream == 1 && peak_only.cache_stream == 1 && peak_only.decode_mxu == 1 &&
              peak_only.decode_collectives == 0 && peak_only.layer_latency == 0_s && peak_only.engine_step == 0_s &&
              peak_only.engine_sequence == 0_s && peak_only.prefill_between_steps == 1 && peak_only.prefill_mxu == 1 &&
              peak_only.prefill_attention == 1 && peak_only.prefill_hbm_passes == 0 &&
              peak_only.prefill_collectives == 0 && peak_only.engine_prefill == 1);

}  // namespace
