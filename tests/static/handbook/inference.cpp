// The worked numbers in the comments of handbook/inference.hpp; its edges are in roofline.cpp. It compiles, so it
// passes.
#include <tpuplan/handbook/inference.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace {

static_assert(near(hbm_bandwidth(slice_for("v5litepod-8")).value(), 6.55e12, 0.005e12));
static_assert(power_of_two_from(6.996) == 8 && power_of_two_from(8.55) == 16);
static_assert(near(requests_per_second({43, 19_ms, 512}).value(), 4.42, 0.005));
static_assert(near(prefill_servers_per_decode_server({43, 19_ms, 512}, 0.91_s), 4.02, 0.005));
static_assert(near(hbm_over_ici(v5e), 9.1, 0.05));

}  // namespace
