// The worked numbers in the comments of dtype.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/base/dtype.hpp>

using namespace tpuplan;

namespace static_base_dtype_tests {

namespace {

static_assert(bits(dtype::int4) == 4);
static_assert(size_of(dtype::bf16) == 2_B);
static_assert(size_of(dtype::int4) == 0.5_B);

static_assert(bits(*parse_dtype("float8_e4m3fn")) == 8 && size_of(dtype_for("float32")) == 4_B);

}  // namespace

}  // namespace static_base_dtype_tests
