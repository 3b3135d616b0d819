// The worked numbers in the comments of estimate/training/input.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/training/input.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_estimate_training_input_tests {

namespace {

constexpr slice v3_8 = slice_for("v3-8");
constexpr input_answer kept_up = input_limit(v3_8, jpeg_image, per_second{5900});
static_assert(kept_up.vcpus == 96 && near(kept_up.decoding->value(), 7500, 1e-6));
static_assert(kept_up.limited_by == input_bound::chips && kept_up.waiting == 0 && kept_up.cache_needed == 0);
static_assert(near(input_limit(slice_for("v5e-8"), jpeg_image, per_second{14230}).decoding->value(), 17500, 1e-6));

constexpr input_answer waits = input_limit(v3_8, jpeg_image, per_second{15000});
static_assert(waits.limited_by == input_bound::decoding && near(waits.waiting, 0.5, 1e-12));
static_assert(near(waits.vms_needed, 2, 1e-12) && near(waits.cache_needed, 0.5, 1e-12));
constexpr example_cost cached() {
  example_cost half = jpeg_image;
  half.cached_share = waits.cache_needed;
  return half;
}
static_assert(near(input_limit(v3_8, cached(), per_second{15000}).waiting, 0, 1e-12));
// All of it cached: nothing is read or decoded, which is no rate; and what would have to be cached is said all the
// same.
constexpr example_cost all_cached() {
  example_cost all = jpeg_image;
  all.cached_share = 1;
  return all;
}
constexpr input_answer endless = input_limit(v3_8, all_cached(), per_second{15000});
static_assert(!endless.reading && !endless.decoding && endless.waiting == 0 && endless.vms_needed == 0);
static_assert(endless.limited_by == input_bound::chips && near(endless.cache_needed, 0.5, 1e-12));
// The cost of a JPEG is a bound: hosts may be twice as fast.
static_assert(near(waits.at_best.value(), 15000, 1e-9) && near(waits.delivered.value(), 7500, 1e-9));
// Slow storage: 10 MB a second of 107,700 B each.
static_assert(input_limit(v3_8, jpeg_image, per_second{100}, 1, bytes_per_second{1e7}).limited_by ==
              input_bound::reading);

static_assert(near(batch_without_waiting(1_ms, 0.1_ms, per_second{5000}), 10, 1e-9));
static_assert(batch_without_waiting(1_ms, 0.2_ms, per_second{6000}) == 1e18);
static_assert(name(input_bound::decoding) == "decoding");

}  // namespace

}  // namespace static_estimate_training_input_tests
