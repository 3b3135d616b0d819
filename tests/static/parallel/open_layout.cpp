// The worked numbers in the comments of parallel/open_layout.hpp. It compiles, so it passes.
#include <tpuplan/parallel/open_layout.hpp>

using namespace tpuplan;

namespace static_parallel_open_layout_tests {

namespace {

// FSDP that is open takes what the other degrees leave.
static_assert(filled_layout(open_layout(), slice_for("v5p-128")).fsdp == 64);
static_assert(filled_layout(open_layout(), slice_for("v5e-1")).fsdp == 1);
static_assert(filled_layout(
                  [] {
                    layout mesh = open_layout();
                    mesh.tensor = 2;
                    return mesh;
                  }(),
                  slice_for("v5p-128"))
                  .fsdp == 32);

}  // namespace

}  // namespace static_parallel_open_layout_tests
