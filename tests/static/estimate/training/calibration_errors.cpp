// How well each constant is known: an error of none, or a share of it. It compiles, so it passes.
#include <tpuplan/estimate/training/calibration_errors.hpp>

using namespace tpuplan;

static_assert(calibration_log_errors.hbm_passes > 0 && calibration_log_errors.hbm_passes < 1);
static_assert(calibration_log_errors.exposed_fsdp > 0 && calibration_log_errors.exposed_fsdp < 1);
