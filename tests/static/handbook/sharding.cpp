// The worked numbers in the comments of handbook/sharding.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/sharding.hpp>

using namespace tpuplan;

namespace static_handbook_sharding_tests {

namespace {

static_assert(shard(128 * 2048, dtype::int8, 16, 32).per_device == 16384_B);
static_assert(shard(128 * 2048, dtype::int8, 16, 32).over_mesh == 524288_B);

static_assert(unsharded(4096, 8) == 32768);

}  // namespace

}  // namespace static_handbook_sharding_tests
