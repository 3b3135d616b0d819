// The order of plans: figures that differ by rounding alone are equal, and the next figure decides.
#include <tpuplan/plan/order.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace plan_order_tests {

namespace {

struct offer {
  detail::rank_figures figures{};
  int place = 0;  // in the canonical order
};

std::vector<int> ranked(const std::vector<offer>& offers) {
  const auto figures = [&](std::size_t i) -> const detail::rank_figures& { return offers[i].figures; };
  const auto before = [&](std::size_t a, std::size_t b) { return offers[a].place < offers[b].place; };
  std::vector<int> places;
  for (const std::size_t i : detail::ranked_order(offers.size(), figures, before)) places.push_back(offers[i].place);
  return places;
}

}  // namespace

TEST_CASE("costs that differ by rounding are equal, and the time of a token decides") {
  const std::vector<offer> offers = {{{1, 30}, 1}, {{1 + 1e-12, 20}, 2}, {{1 + 2e-9, 10}, 3}, {{0.9, 40}, 4}};
  CHECK(ranked(offers) == std::vector<int>{4, 2, 1, 3});
}

TEST_CASE("a group is what lies within 1e-9 of its first") {
  // A chain of steps of 0.6e-9: the third is 1.2e-9 above the first, and a group of its own.
  const std::vector<offer> chain = {{{1 + 1.2e-9, 1}, 3}, {{1 + 0.6e-9, 2}, 2}, {{1, 3}, 1}};
  CHECK(ranked(chain) == std::vector<int>{2, 1, 3});
}

TEST_CASE("times that differ by rounding are equal too; in the end a canonical order decides") {
  const std::vector<offer> offers = {{{5, 2 + 1e-11, 7}, 9}, {{5 - 1e-11, 2, 7}, 8}, {{5, 2, 6}, 10}};
  CHECK(ranked(offers) == std::vector<int>{10, 8, 9});
  CHECK(ranked({{{0, 0}, 2}, {{0, 0}, 1}}) == std::vector<int>{1, 2});
}

TEST_CASE("one plan surely comes before another where a figure is smaller beyond rounding") {
  CHECK(detail::surely_before({1, 2}, {1, 3}));
  CHECK(detail::surely_before({1 + 1e-12, 2}, {1, 3}));
  CHECK_FALSE(detail::surely_before({1, 3}, {1 + 1e-12, 2}));
  CHECK_FALSE(detail::surely_before({1, 2}, {1, 2}));
  CHECK(detail::surely_before({1, 9}, {2, 3}));
}

}  // namespace plan_order_tests
