// The worked numbers in the comments of hardware/topology.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/hardware/topology.hpp>

using namespace tpuplan;

namespace static_hardware_topology_tests {

namespace {

static_assert(chips(topology{{16, 20, 28}, 3}) == 8960);
static_assert(name(topology{{4, 4, 8}, 3}) == "4x4x8");
static_assert(wraparound(slice_for("v5e:8x16"))[0] == known<bool>{false});
static_assert(wraparound(slice_for("v5e:8x16"))[1] == known<bool>{true});
static_assert(fully_wrapped(slice_for("v5p:4x4x8")) == known<bool>{true});
static_assert(wraparound(slice_for("v5p:2x4x4"))[0] == known<bool>{false});
static_assert(wraparound(slice_for("v5p:2x4x4"))[1] == known<bool>{false});
static_assert(wraparound(slice_for("v5p:2x4x4"))[2] == known<bool>{false});
static_assert(may_be_twisted({{4, 4, 8}, 3}));
static_assert(!may_be_twisted({{4, 4, 4}, 3}));
static_assert(!may_be_twisted({{4, 4, 12}, 3}));
static_assert(!may_be_twisted({{4, 8, 1}, 2}));
static_assert(!may_be_twisted({{-2147483647 - 1, 4, 4}, 3}));  // whose double is no length

static_assert(topology{{4, 4, 4}, 3} != topology{{4, 4, 8}, 3} && !(topology{{4, 4, 4}, 3} != topology{{4, 4, 4}, 3}));
static_assert(may_be_twisted({{8, 8, 4}, 3}) && may_be_twisted({{4, 8, 8}, 3}) && !may_be_twisted({{8, 8, 8}, 3}));

static_assert(chips(*parse_topology("4x4x12")) == 192 && !parse_topology("4").has_value());
static_assert(chips(topology_for("4x4x12")) == 192);

}  // namespace

}  // namespace static_hardware_topology_tests
