// The worked numbers in the comments of model/serving_job.hpp. It compiles, so it passes.
#include <tpuplan/model/serving_job.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace {

static_assert(fixed_length(512).mean == 512 && fixed_length(512).mean_square == 262144);
constexpr length_quantile even[] = {{0, 0}, {1, 1000}};
static_assert(lengths_from(even).mean == 500 && near(lengths_from(even).mean_square, 333333, 0.5));

constexpr serving_job alike(cache_policy policy) {
  serving_job job;
  job.prompt = job.output = fixed_length(1024);
  job.policy = policy;
  return job;
}
static_assert(longest_context(alike(cache_policy::paged)) == 2048);
static_assert(running_context(alike(cache_policy::paged)) == 1536);
static_assert(running_context(alike(cache_policy::reserved)) == 2048);

static_assert(lengths_from({{0, 16}, {0.5, 400}, {1, 8192}}).mean == 2252);

}  // namespace
