// The worked numbers in the comments of handbook/placement.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/placement.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/parallel/layout.hpp>

using namespace tpuplan;

namespace static_handbook_placement_tests {

namespace {

// A degree takes the whole axis that it fills, rather than a part of a longer one.
static_assert([] {
  layout l;
  l.tensor = 4, l.fsdp = 32;
  const torus_placement placed = place_on_torus(l, slice_of(v5p, *parse_topology("4x4x8")));
  return placed.degrees[0].lengths[0] * placed.degrees[0].lengths[1] == 4 && placed.degrees[0].lengths[2] == 1;
}());

}  // namespace

}  // namespace static_handbook_placement_tests
