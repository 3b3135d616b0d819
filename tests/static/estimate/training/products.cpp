// How often products are computed again. It compiles, so it passes.
#include <tpuplan/estimate/training/products.hpp>

using namespace tpuplan;

namespace static_estimate_training_products_tests {

namespace {

static_assert(detail::again(placement::recompute) == 1 && detail::again(placement::device) == 0);
static_assert(detail::again(placement::host) == 0);
static_assert(detail::products_again(remat::full) == 3 && detail::products_again(remat::minimal) == 0);
static_assert(detail::software_factor(software_level::tuned, {}) == 1);
static_assert(detail::software_factor(software_level::first_port, {}) == calibration{}.first_port);

}  // namespace

}  // namespace static_estimate_training_products_tests
