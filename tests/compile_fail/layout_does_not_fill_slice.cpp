// expect: non-'?constexpr'? function
// expect: fail
// expect: product of the layout
#include <tpuplan/parallel/layout.hpp>

using namespace tpuplan;

constexpr layout mesh(std::int64_t fsdp) {
  layout l;
  l.fsdp = fsdp;
  validate(l, slice_for("v5p-128"));
  return l;
}

#ifdef TPUPLAN_MISUSE
constexpr layout l = mesh(63);
#else
constexpr layout l = mesh(64);
#endif
static_assert(mesh_size(l) == 64);
