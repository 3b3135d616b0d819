// The worked numbers in the comments of risk/lifetimes.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/risk/lifetimes.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_risk_lifetimes_tests {

namespace {

constexpr lifetime_belief contended = spot_lifetime("v5p", "us-east5-a");
static_assert(near_relative(contended.median.value(), 28 * 3600.0 / 19) && contended.factor == 5);
static_assert(contended.of->events == 19 && contended.because == "us-east5-a, a count of 2026");
static_assert(median_spot_lifetime("v5p", "us-east5-a") == contended.median && median_spot_lifetime("v6e") == 4_h);
static_assert(spot_lifetime("v5p", "us-east5").median == contended.median);  // the region of that zone

constexpr lifetime_belief unknown_place = spot_lifetime("v6e");
static_assert(unknown_place.median == 4_h && unknown_place.factor == 16 && unknown_place.of == nullptr);
static_assert(unknown_place.because == "no count is published for v6e there");
static_assert(near_relative(quantile(unknown_place.mean, 0.05).value(), 15 * 60.0, 0.01));
static_assert(spot_lifetime("v5p", "europe-west4").median == 4_h);
static_assert(spot_lifetime("v5p").median == 4_h && spot_lifetime("v5p", "us").median == 4_h);

static_assert(near_relative(spot_lifetime("v3").median.value(), 676.9 * 3600 / 42));
static_assert(spot_lifetime("v3", "europe-west4").factor == 16);

constexpr own_lifetime slices_seen[] = {{90_min, true}, {10_h, false}};
static_assert(seen_in(slices_seen).time == 11.5_h && seen_in(slices_seen).preempted == 1);
constexpr payment_terms after_nineteen = [] {
  payment_terms terms;
  terms.spot.mean_time_between_preemptions = {};
  terms.seen = {28_h, 19};
  return terms;
}();
static_assert(near_relative(median_spot_lifetime_under(after_nineteen, "v6e", "us").value(), 1.52744 * 3600, 1e-5));
static_assert(quantile(spot_lifetime_under(after_nineteen, "v6e", "us"), 0.5) ==
              median_spot_lifetime_under(after_nineteen, "v6e", "us"));
constexpr payment_terms nothing_said = [] {
  payment_terms terms;
  terms.spot.mean_time_between_preemptions = {};
  return terms;
}();
static_assert(median_spot_lifetime_under(nothing_said, "v6e", "us") == 4_h);
static_assert(median_spot_lifetime_under(payment_terms{}, "v5p", "us-east5") == 4_h);  // as the terms say
static_assert(chance_of_none(spot_lifetime_under(payment_terms{}, "v5p", "us-east5"), 4_h) < 0.3679);

}  // namespace

}  // namespace static_risk_lifetimes_tests
