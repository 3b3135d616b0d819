// The worked numbers in the comments of estimate/training/calibration.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/hardware/generations.hpp>

using namespace tpuplan;

namespace {

static_assert(mxu_fraction(calibration{}, v5p) == 0.773);

}  // namespace
