// Every row of the table is a slice of whole VMs. It compiles, so it passes.
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/hardware/slice_table.hpp>

using namespace tpuplan;

namespace static_hardware_slice_table_tests {

namespace {

constexpr bool vms_tile() {
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice s = slice_at(i);
    if (chips(s) % s.chips_per_vm != 0 || vms(s) * s.chips_per_vm != chips(s)) return false;
  }
  return true;
}
static_assert(slice_count > 200 && vms_tile());

constexpr bool has_v5p_machine() {
  for (const machine_type& type : machine_types())
    if (type.name == "ct5p-hightpu-4t") return type.chips == 4 && type.vcpus == 208 && type.ram_gb == 448;
  return false;
}
static_assert(has_v5p_machine());

}  // namespace

}  // namespace static_hardware_slice_table_tests
