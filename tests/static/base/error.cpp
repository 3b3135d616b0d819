// The worked numbers in the comments of error.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/base/error.hpp>

using namespace tpuplan;

namespace static_base_error_tests {

namespace {

static_assert(name(errc::no_price) == "no_price");

}  // namespace

}  // namespace static_base_error_tests
