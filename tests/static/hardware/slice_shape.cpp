// What follows from the shape of a slice, without look-ups by name. It compiles, so it passes.
#include <tpuplan/hardware/slice_shape.hpp>

using namespace tpuplan;

namespace static_hardware_slice_shape_tests {

namespace {

constexpr slice cube = slice_of(v5p, {4, 4, 4});
static_assert(chips(cube) == 64 && tensorcores(cube) == 128 && vms(cube) == 16 && hosts(cube) == 16);
static_assert(name(cube) == "v5p-128" && name(cube, 4) == "4 x v5p-128");
static_assert(machine_type_of(cube)->name == "ct5p-hightpu-4t" && machine_type_of(cube)->gke_label == "tpu-v5p-slice");
static_assert(bisection_bandwidth(cube) == 3.2_TB_per_s);
static_assert(!is_valid_shape(tpu8t, {4, 4, 4}) && !is_valid_shape(v5p, {4, 8, 4}) && is_valid_shape(v5p, {4, 4, 8}));

// A chip that is announced alone has no slices; under its own name, as a chip that can be had, it has those of the
// rule.
static_assert([] {
  chip_spec mine = tpu8t;
  mine.name = "mine";
  mine.announced_only = false;
  return is_valid_shape(mine, {4, 4, 4}) && !is_valid_shape(mine, {4, 8, 4}) && chips(slice_of(mine, {8, 8, 8})) == 512;
}());

static_assert(usable_hbm(slice_of(v5e, {4, 4})).value() == 16 * 16909332480.0);

static_assert(name(slice_at(0)) == "v2-8" && chips(slice_at(0)) == 4);
static_assert(slice_prefix(v5e) == "v5litepod" && slice_prefix(v5p) == "v5p");

}  // namespace

}  // namespace static_hardware_slice_shape_tests
