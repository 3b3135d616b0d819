#ifndef TPUPLAN_PARALLEL_OPEN_LAYOUT_HPP
#define TPUPLAN_PARALLEL_OPEN_LAYOUT_HPP

#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// Layouts whose FSDP is left open, and what the slice makes of it.

namespace tpuplan {
inline namespace abi_0 {

/// A layout whose FSDP is open. Worked: on v5p-128 it becomes FSDP over 64.
[[nodiscard]] constexpr layout open_layout() {
  layout mesh;
  mesh.fsdp = 0;
  return mesh;
}

/// The layout on a slice; of FSDP that is 0, what the other degrees leave of the slice. Throws for a layout that is not
/// of it. Worked: with 2 ways of tensor parallelism on v5p-128, FSDP over 32.
[[nodiscard]] constexpr layout filled_layout(layout mesh, const slice& where) {
  const std::int64_t most = devices(where);
  detail::check_inside("layout.data", mesh.data, most);
  detail::check_inside("layout.tensor", mesh.tensor, most);
  detail::check_inside("layout.expert", mesh.expert, most);
  detail::check_inside("layout.context", mesh.context, most);
  detail::check_inside("layout.pipeline", mesh.pipeline, most);
  const std::int64_t others = checked_multiply(
      mesh.data, mesh.tensor, checked_multiply(mesh.expert, checked_multiply(mesh.context, mesh.pipeline)));
  if (mesh.fsdp == 0) mesh.fsdp = others > 0 && most / others > 1 ? most / others : 1;
  validate(mesh, where);
  return mesh;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
