// The worked numbers in the comments of handbook/link.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/link.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_handbook_link_tests {

namespace {

static_assert(near(in_gb_per_s(ici_link_rate(v5e)), 45, 1e-9));
static_assert(hops(slice_for("v5litepod-256"), {{0, 0, 0}}, {{13, 5, 0}}) == 8);
static_assert(shortest_ports(slice_for("v5litepod-16"), {{0, 0, 0}}, {{3, 3, 0}}) == 2);
static_assert(shortest_ports(slice_for("v5litepod-256"), {{0, 0, 0}}, {{8, 8, 0}}) == 4);
static_assert(farthest_hops(slice_for("v5litepod-256")) == 16);
static_assert(farthest_hops(slice_for("v5litepod-16")) == 6);
static_assert(near(in_us(first_byte_time(6)), 6, 1e-9));
constexpr send_breakdown corner_to_corner =
    send_time(bytes{2.0 * 8 * 128 * 8192}, slice_for("v5litepod-16"), {{0, 0, 0}}, {{3, 3, 0}});
static_assert(near(in_us(corner_to_corner.first_byte), 6, 1e-9));
static_assert(near(in_us(corner_to_corner.streaming), 186.4, 0.05));
static_assert(near(latency_bound_bytes(v5e).value(), 45e3, 1e-6));
static_assert(in_gb_per_s(network_share_of(200, 4).host) == 25);
static_assert(in_gb_per_s(network_share_of(200, 4).chip) == 6.25);

// Two ways are as short only from a place to the one across.
static_assert(shortest_ports(slice_for("v5litepod-256"), {{0, 0, 0}}, {{13, 5, 0}}) == 2);
static_assert(shortest_ports(slice_for("v5litepod-256"), {{0, 0, 0}}, {{8, 5, 0}}) == 3);

}  // namespace

}  // namespace static_handbook_link_tests
