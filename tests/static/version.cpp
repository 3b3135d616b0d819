// The version can be asked by the preprocessor. It compiles, so it passes.
#include <tpuplan/version.hpp>

namespace static_version_tests {

#if TPUPLAN_VERSION_MAJOR < 0 || TPUPLAN_VERSION_MINOR < 0 || TPUPLAN_VERSION_PATCH < 0
#error "a version has three numbers"
#endif
static_assert(TPUPLAN_VERSION_MAJOR * 10000 + TPUPLAN_VERSION_MINOR * 100 + TPUPLAN_VERSION_PATCH >= 100, "0.1.0");

}  // namespace static_version_tests
