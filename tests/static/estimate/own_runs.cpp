// The worked numbers in the comments of estimate/own_runs.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/learned.hpp>
#include <tpuplan/estimate/own_runs.hpp>

using namespace tpuplan;

namespace {

constexpr bool near(double a, double b, double by = 1e-9) { return a - b < by && b - a < by; }

constexpr own_spreads spreads{0.2, 0.1, 0.1, 1, 1, 1, 1, 0.5, 0.5};
constexpr run_features here{33, 14, 12, 6, 7, 0};
constexpr own_runs one = with_run({}, spreads, here, 0.3);
static_assert(one.count == 1 && near(one.items[0].weight, 5));
static_assert(near(own_factor(one, spreads, here), 1.2840254166877414));
constexpr run_features far{1e2, -1e2, 0, 0, 8, 255};
static_assert(near(own_factor(one, spreads, far), 1.2214027581601699, 1e-4));
static_assert(near(own_spread_left(one, spreads, here), 0.5527707983925667));

// Without runs nothing changes.
static_assert(own_factor({}, spreads, here) == 1 && own_spread_left({}, spreads, here) == 1);

// Another chip is half as like, and so is a difference of kind; two of them a quarter.
constexpr double like(run_features about, std::uint32_t chip, std::uint32_t kind) {
  about.chip = chip, about.kind = kind;
  return detail::shared(here, about, spreads) - 0.04;
}
static_assert(near(like(here, 7, 0), 0.01) && near(like(here, 9, 0), 0.005) && near(like(here, 7, 4), 0.005));
static_assert(near(like(here, 7, 5), 0.0025) && near(like(here, 9, 5), 0.00125));
// One doubling away likeness is (1 + 1/8)^-4.
constexpr run_features beside{34, 14, 12, 6, 7, 0};
static_assert(near(detail::shared(here, beside, spreads), 0.04 + 0.01 * 0.6242950769699741));

// More runs that agree draw more, and leave less; a run whose spread is large says little.
constexpr own_runs two = with_run(one, spreads, here, 0.3);
static_assert(own_factor(two, spreads, here) > own_factor(one, spreads, here));
static_assert(own_spread_left(two, spreads, here) < own_spread_left(one, spreads, here));
static_assert(near(own_factor(with_run({}, spreads, here, 0.3, 5), spreads, here), 1, 1e-3));
// Runs that contradict each other cancel.
static_assert(near(own_factor(with_run(one, spreads, here, -0.3), spreads, here), 1));

static_assert(chip_mark("") == 2166136261U && chip_mark("v5e") != chip_mark("v6e"));

}  // namespace
