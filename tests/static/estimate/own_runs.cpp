// The worked numbers in the comments of estimate/own_runs.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/learned.hpp>
#include <tpuplan/estimate/own_runs.hpp>

using namespace tpuplan;

namespace static_estimate_own_runs_tests {

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

// What is left reaches 2.132 spreads of it, and a tail or wider errors count for what is open alone.
constexpr double spread_after = 0.13540064007726602;  // sqrt(0.06 - 0.05^2 / 0.06)
static_assert(near(own_reach(one, spreads, here), 2.132 * spread_after));
static_assert(near(own_reach(one, spreads, here), 0.2887, 1e-4));
static_assert(own_reach(one, spreads, here, 2) > own_reach(one, spreads, here));
static_assert(own_reach(one, spreads, here, 2) < 2 * own_reach(one, spreads, here));
// What is open, 0.00833 of 0.05, counts 1 + sqrt(0.00833 / 0.05) times.
static_assert(near(own_reach(one, spreads, here, 2), 0.347237030254));
constexpr own_spreads heavy{0.2, 0.1, 0.1, 1, 1, 1, 1, 0.5, 0.5, 0, 0, 2};
static_assert(near(own_reach(one, heavy, here), 2.132 * 0.20816659994661327));  // sqrt(0.01 + 4 * 0.00833)

// Runs of one recipe share an offset, those of one job a further one; another chip, version or layout does not.
constexpr own_spreads parts{0.2, 0.1, 0.02, 1, 1, 1, 1, 0.5, 0.5, 0.06, 0.03};
constexpr run_features ran{33, 14, 12, 6, 7, 0, 5, 9, 0};
constexpr double with_ran(std::uint32_t chip, std::uint32_t recipe, std::uint32_t layout, std::uint32_t version) {
  run_features about = ran;
  about.chip = chip, about.recipe = recipe, about.layout = layout, about.version = version;
  return detail::shared(ran, about, parts);
}
static_assert(near(with_ran(7, 5, 9, 0), 0.05 + 0.0036 + 0.0009) && near(with_ran(7, 5, 8, 0), 0.05 + 0.0036));
static_assert(near(with_ran(7, 4, 9, 0), 0.05) && near(with_ran(8, 5, 9, 0), 0.045));
static_assert(near(with_ran(7, 5, 9, 3), 0.045));
static_assert(near(detail::shared(here, here, parts), 0.05));  // no recipe is said
// Half the load is the same recipe, and hardly the same job: 36 times as far apart.
constexpr run_features half{33, 13, 12, 6, 7, 0, 5, 9, 0};
static_assert(near(detail::shared(ran, half, parts) - 0.04 - 0.0036 - 0.01 * 0.6242950769699741,
                   0.0009 * detail::likeness_at(36)));
// A question is of the version of the latest run.
constexpr run_features second{33, 14, 12, 6, 7, 0, 5, 9, 2};
constexpr own_runs renewed = with_run({}, parts, second, 0.3);
static_assert(near(own_factor(renewed, parts, ran), own_factor(renewed, parts, second)));
static_assert(own_factor(with_run(renewed, parts, ran, 0), parts, ran) < own_factor(renewed, parts, ran));

// Runs of one job that scatter more than published ones widen what is left: published ones count as four.
constexpr own_runs twice = with_run(with_run({}, parts, ran, 0.2), parts, ran, 0.0);
static_assert(near(detail::noise_of(twice, parts), (4 * 0.0004 + 0.02) / 5));
constexpr own_runs alike = with_run(with_run({}, parts, ran, 0.1), parts, ran, 0.1);
static_assert(near(detail::noise_of(alike, parts), 0.0004));
static_assert(own_reach(twice, parts, ran) > 2 * own_reach(alike, parts, ran));

// Marks tell numbers apart, and the order of them.
static_assert(detail::mark_of({1, 2}) != detail::mark_of({2, 1}) && detail::mark_of({0.5}) != detail::mark_of({0.0}));
static_assert(detail::mark_of({-1}) != detail::mark_of({1}) && detail::mark_of({1e30}) == detail::mark_of({1e31}));

static_assert(chip_mark("") == 2166136261U && chip_mark("v5e") != chip_mark("v6e"));

}  // namespace

}  // namespace static_estimate_own_runs_tests
