// The worked numbers in the comments of hardware/slice.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <string_view>
#include <tpuplan/hardware/slice.hpp>

using namespace tpuplan;

namespace static_hardware_slice_tests {

namespace {

constexpr bool is_shape(const slice& s, std::string_view shape) { return name(s.shape) == shape; }

static_assert(chips(slice_for("v3-8")) == 4);
static_assert(tensorcores(slice_for("v3-8")) == 8);
static_assert(chips(slice_for("v3-32")) == 16);
static_assert(chips(slice_for("v5litepod-8")) == 8);
static_assert(chips(slice_for("v5p-8")) == 4);

static_assert(chips(slice_for("v5p-128")) == 64);
static_assert(devices(slice_for("tpu7x-256")) == 256);
static_assert(chips(slice_for("tpu7x-256")) == 128);
static_assert(devices(slice_for("v5p-128")) == 64);
static_assert(vms(slice_for("v5p-128")) == 16);
static_assert(vms(slice_for("v5litepod-16")) == 4);
static_assert(hosts(slice_for("v5p-128")) == 16);
static_assert(hosts(slice_for("v5litepod-16")) == 2);
static_assert(hosts(slice_for("v5litepod-1")) == 0.125);
static_assert(wraparound(slice_for("v5p-128"))[0].value() && wraparound(slice_for("v5p-128"))[1].value() &&
              wraparound(slice_for("v5p-128"))[2].value());
static_assert(fully_wrapped(slice_for("v5p-128")) == known<bool>{true});
static_assert(fully_wrapped(slice_for("v5litepod-128")) == known<bool>{false});
static_assert(!schedulable(slice_for("v5p-17920")));
static_assert(bisection_bandwidth(slice_for("v5litepod-256")) == 1.6_TB_per_s);
static_assert(is_valid_shape(v5p, {{4, 4, 12}, 3}));
static_assert(!is_valid_shape(v5p, {{4, 12, 4}, 3}));
static_assert(!is_valid_shape(v5p, {{4, 4, 6}, 3}));
static_assert(chips(slice_of(v5p, {{4, 4, 12}, 3})) == 192);
static_assert(machine_type_of(slice_for("v5p-128"))->name == "ct5p-hightpu-4t");
static_assert(machine_type_of(slice_for("v5litepod-8"))->name == "ct5lp-hightpu-8t");
static_assert(chips(*find_slice("v5e-32")) == 32);
static_assert(chips(*find_slice("v3-32")) == 16);
static_assert(hbm_capacity(slice_for("v5litepod-256")).value() == 256 * 16 * 1073741824.0);
static_assert(peak_rate(slice_for("v5litepod-256"), dtype::bf16) == 50.432_PFLOP_per_s);
static_assert(name(slice_for("v5p-128")) == "v5p-128");
static_assert(name(slice_for("v5e-16")) == "v5litepod-16");
static_assert(name(slice_for("v4:4x4x16")) == "v4-4x4x16");
static_assert(name(*find_slice_of_size(v5p, 64)) == "v5p-128");
static_assert(is_shape(*find_slice_of_size(v4, 3072), "12x16x16"));
static_assert(name(*nearest(v5e, 24).smaller) == "v5litepod-16");
static_assert(name(*nearest(v5e, 24).larger) == "v5litepod-32");

constexpr chip_spec own_chip(std::int32_t axes) {
  chip_spec c = axes == 3 ? v5p : v6e;
  c.name = "own";
  return c;
}

// Shapes of a chip that is not in the table.
static_assert(is_valid_shape(own_chip(3), {{2, 2, 1}, 3}) && is_valid_shape(own_chip(3), {{2, 2, 2}, 3}) &&
              is_valid_shape(own_chip(3), {{2, 2, 4}, 3}) && is_valid_shape(own_chip(3), {{2, 4, 4}, 3}) &&
              is_valid_shape(own_chip(3), {{4, 4, 4}, 3}));
static_assert(!is_valid_shape(own_chip(3), {{2, 2, 3}, 3}) && !is_valid_shape(own_chip(3), {{2, 4, 2}, 3}) &&
              !is_valid_shape(own_chip(3), {{2, 4, 8}, 3}) && !is_valid_shape(own_chip(3), {{4, 8, 4}, 3}));
static_assert(is_valid_shape(own_chip(2), {{1, 1, 1}, 2}) && !is_valid_shape(own_chip(2), {{1, 2, 1}, 2}) &&
              is_valid_shape(own_chip(2), {{2, 4, 1}, 2}) && !is_valid_shape(own_chip(2), {{2, 8, 1}, 2}));

// Lengths in any order, machine types and labels with a shape, and the two divisions of a slice into VMs.
static_assert(is_shape(slice_for("v6e:16x8"), "8x16") && is_shape(slice_for("v5p:1x2x2"), "2x2x1"));
static_assert(vms(slice_for("ct6e-standard-4t:2x4")) == 2 && name(slice_for("ct6e-standard-4t:2x4")) == "v6e-8");
static_assert(name(slice_for("tpu-v5-lite-podslice:4x4")) == "v5litepod-16");
static_assert(vms(*other_vm_layout(slice_for("v6e-8"))) == 2 && !other_vm_layout(slice_for("v6e-4")));
static_assert(machine_name(*other_vm_layout(slice_for("v6e-8"))) == "ct6e-standard-4t:2x4");

// Slices that are scheduled as a whole; a count in words has its thousands apart.
static_assert(chips(scheduled_slice("v5p-128")) == 64);
static_assert(text<32>{}.append_grouped(8960).view() == "8,960" &&
              text<32>{}.append_grouped(1000007).view() == "1,000,007");

}  // namespace

}  // namespace static_hardware_slice_tests
