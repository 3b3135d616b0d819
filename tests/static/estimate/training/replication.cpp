// The worked numbers in the comments of estimate/training/replication.hpp. It compiles, so it passes.
#include <tpuplan/estimate/training/replication.hpp>
#include <tpuplan/hardware/generations.hpp>

using namespace tpuplan;

namespace static_estimate_training_replication_tests {

namespace {

constexpr replication of(std::int64_t parameters) { return replication_of(parameters, v5e); }
static_assert(of(350000000).total == 5.6_GB && of(350000000).whole && of(350000000).shards == 1);
static_assert(of(1300000000).total == 20.8_GB && !of(1300000000).whole && of(1300000000).shards == 2);
static_assert(of(70000000000).total == 1120_GB && of(70000000000).shards == 128);
static_assert(of(70000000000).total == of(70000000000).weights + of(70000000000).optimizer + of(70000000000).gradients);

// A shard of 16 B a parameter fills three quarters of the HBM of v5e: 2^20 of them are the most.
static_assert(of(800000000000000).shards == 1048576);

}  // namespace

}  // namespace static_estimate_training_replication_tests
