// Every row of the table is a slice of whole VMs. It compiles, so it passes.
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/hardware/slice_table.hpp>

using namespace tpuplan;

namespace {

constexpr bool vms_tile() {
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice s = slice_at(i);
    if (chips(s) % s.chips_per_vm != 0 || vms(s) * s.chips_per_vm != chips(s)) return false;
  }
  return true;
}
static_assert(slice_count > 200 && vms_tile());

}  // namespace
