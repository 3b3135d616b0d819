// The worked numbers in the comments of estimate/training/calibration.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/hardware/generations.hpp>

using namespace tpuplan;

namespace static_estimate_training_calibration_tests {

namespace {

constexpr calibration own() {
  calibration constants;
  constants.chips = {{{{"v5p", 0.75}}}, 1};
  constants.other_mxu_fraction = 0.8;
  return constants;
}
static_assert(mxu_fraction(own(), v5p) == 0.75 && mxu_fraction(own(), v6e) == 0.8);
static_assert(runs_behind(chip_spec{}).dense == 0 && runs_behind(v5p).experts >= 5);

static_assert(find_chip_constants(own(), v5p)->mxu_fraction == 0.75 && !find_chip_constants(own(), v6e));

// As many chips as there are places for.
static_assert([] {
  calibration constants = own();
  for (auto& chip : constants.chips.items) chip = {"v5p", 0.75};
  constants.chips.count = constants.chips.items.size();
  validate(constants);
  return true;
}());

}  // namespace

}  // namespace static_estimate_training_calibration_tests
