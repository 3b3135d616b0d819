// Values that are sorted or offered: figures that differ by rounding alone are equal, and the next figure decides.
#include <tpuplan/plan/sorting.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace plan_sorting_tests {

namespace {

struct offer {
  detail::rank_figures figures{};
  int place = 0;  // in the canonical order
};

int best(const std::vector<offer>& offers) {
  detail::best_of_equals<int> found;
  for (const offer& one : offers) found.offer(one.figures, one.place);
  return found.best([](int a, int b) { return a < b; }).second;
}

}  // namespace

TEST_CASE("the best of those that are equal but for rounding is kept, in whatever order they come") {
  const std::vector<offer> offers = {{{1, 30}, 1}, {{1 + 1e-12, 20}, 2}, {{1 + 2e-9, 10}, 3}, {{0.9, 40}, 4}};
  CHECK(best(offers) == 4);
  CHECK(best({offers[0], offers[1], offers[2]}) == 2);
  CHECK(best({offers[2], offers[1], offers[0]}) == 2);
  // A chain of steps of 0.6e-9: the third is 1.2e-9 above the first, and a group of its own.
  CHECK(best({{{1 + 1.2e-9, 1}, 3}, {{1 + 0.6e-9, 2}, 2}, {{1, 3}, 1}}) == 2);
  const std::vector<offer> times = {{{5, 2 + 1e-11, 7}, 9}, {{5 - 1e-11, 2, 7}, 8}, {{5, 2, 6}, 10}};
  CHECK(best(times) == 10);
  CHECK(best({times[0], times[1]}) == 8);
}

TEST_CASE("values are sorted by what comes before, and ranked by figures, equal ones as they stood") {
  std::vector<std::pair<int, int>> values = {{3, 0}, {1, 1}, {3, 2}, {2, 3}};
  detail::sort_in_order(values, [](const auto& a, const auto& b) { return a.first < b.first; });
  CHECK(values == std::vector<std::pair<int, int>>{{1, 1}, {2, 3}, {3, 0}, {3, 2}});
  std::vector<double> costs = {2, 1 + 1e-12, 1, 0.5};
  detail::rank_in_order(costs, [](double cost) { return detail::rank_figures{cost}; });
  CHECK(costs == std::vector<double>{0.5, 1 + 1e-12, 1, 2});
}

}  // namespace plan_sorting_tests
