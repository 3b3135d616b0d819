// Quantiles and chances of an estimate in a band: the worked numbers, and that one is the inverse of the other.
#include <tpuplan/estimate/quantiles.hpp>

namespace mine {

using namespace tpuplan;

struct estimate {
  seconds total{}, low{}, high{};
};
constexpr band_shape shape_of(const estimate&) {
  return {{{0.05, -1}, {0.1, -0.8}, {0.25, -0.5}, {0.5, 0.1}, {0.75, 0.6}, {0.9, 0.9}, {0.95, 1}}};
}

constexpr bool near(double a, double b) { return a - b < 1e-9 && b - a < 1e-9; }

constexpr estimate step{10_s, 8_s, 12_s};
static_assert(near(quantile(step, 0.95).value(), 12) && near(quantile(step, 0.05).value(), 8));
static_assert(near(quantile(step, 0.5).value(), 10 * math::exp(0.1 * math::log(1.2))));
static_assert(near(chance(step, 12_s), 0.95) && near(chance(step, 8_s), 0.05));
static_assert(chance(step, 13_s) == 0.95 && chance(step, 7_s) == 0.05);

constexpr bool inverse() {
  double before = 0;
  for (int i = 5; i <= 95; ++i) {
    const seconds at = quantile(step, i / 100.0);
    if (at.value() < before || !near(chance(step, at), i / 100.0)) return false;
    before = at.value();
  }
  return true;
}
static_assert(inverse());

// Of bytes, with a range that is not that of the members.
struct room {
  bytes total{}, low{}, high{};
};
constexpr band_shape shape_of(const room&) { return shape_of(estimate{}); }
constexpr estimated_range<bytes> range_of(const room& of) { return {of.low / 2, of.total, of.high}; }
constexpr room memory{bytes{10}, bytes{8}, bytes{12}};
static_assert(near(quantile(memory, 0.05).value(), 4) && near(quantile(memory, 0.95).value(), 12));
static_assert(near(chance(memory, bytes{4}), 0.05) && chance(memory, bytes{3}) == 0.05);
static_assert(tpuplan::range_of(step).low == 8_s && tpuplan::range_of(step).high == 12_s);

// A band that ends at the floor, where the estimate is the floor too: nothing is below it.
constexpr estimate floored{10_s, 10_s, 12_s};
static_assert(quantile(floored, 0.05) == 10_s && chance(floored, 9_s) == 0.05);
static_assert(chance(floored, 10_s) > 0.25 && near(chance(floored, quantile(floored, 0.7)), 0.7));

}  // namespace mine
