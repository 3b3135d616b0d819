// How the slices of a day are paid for: the mixes that have prices, and the least headroom of those that are tried.
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/plan/day_payment.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_day_payment_tests {

TEST_CASE("a fixed fleet for two hours costs what its chips do") {
  const traffic_day day{{per_second{10}, per_second{40}}, seconds{3600}};
  const scaling_rule scaling;
  const price_book book;
  const slice where = slice_for("v6e-8");
  const detail::day_terms terms{day, scaling, book, "us", where, 4_h, 1};
  struct paid {
    payment_mix mix;
    double slice_hours;
    usd cost;
  };
  paid fixed{{0, provisioning::on_demand, provisioning::on_demand, false}, 0, {}};
  detail::add_cost(fixed, terms, detail::slices_of(terms, fixed.mix, 3, per_second{15}));
  CHECK(close(fixed.slice_hours, 6));
  CHECK(close(fixed.cost.value(), 6 * 8 * 2.7));
  bool has_base = false;
  for (const payment_mix& mix : detail::mixes_of(terms, 3, per_second{15})) {
    CHECK((mix.base == 0 || is_commitment(mix.base_kind)));
    has_base = has_base || mix.base > 0;
    CHECK(detail::price_of(terms, mix.kind).has_value());
  }
  CHECK(has_base);
}

TEST_CASE("the least headroom that keeps a target is found by halving") {
  struct tried {
    double headroom;
    bool meets_targets;
  };
  const auto from = [](double least) {
    return detail::least_headroom([&](std::size_t place) {
      const double headroom = detail::tried_headrooms[place];
      return tried{headroom, headroom >= least};
    });
  };
  CHECK(from(0).headroom == 0);
  CHECK(from(0.3).headroom == 0.35);
  CHECK(from(5).headroom == 5);
  CHECK_FALSE(from(6).meets_targets);
}

}  // namespace plan_day_payment_tests
