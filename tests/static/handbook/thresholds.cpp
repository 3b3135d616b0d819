// The worked numbers in the comments of handbook/thresholds.hpp. It compiles, so it passes.
#include <tpuplan/handbook/thresholds.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_handbook_thresholds_tests {

namespace {

static_assert(near(ici_intensity(v5p), 2550, 0.5) && near(ici_intensity(v5e), 2189, 0.5));
static_assert(near(data_parallel_tokens_per_chip(v5p, 3), 850, 0.5));
static_assert(near(tensor_parallel_limit(v5e, 16384), 7.5, 0.05));
static_assert(near(mixed_tokens_per_chip(v5p, 32768, 2, 1), 99.2, 0.05));
static_assert(near(dcn_tokens_per_slice(v5p), 73440, 0.5));

}  // namespace

}  // namespace static_handbook_thresholds_tests
