// Percentiles by nearest rank, and errors that hold what they promise.
#include <cmath>
#include <tpuplan/simulate/arrivals.hpp>
#include <tpuplan/simulate/percentiles.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_percentiles_tests {

TEST_CASE("of 1 to 100 the p99 is 99") {
  std::vector<double> values;
  for (int i = 100; i > 0; --i) values.push_back(i);
  const measured_percentiles all = percentiles_of(values);
  CHECK(all.count == 100);
  CHECK(close(all.value.mean, 50.5));
  CHECK(all.value.p50 == 50);
  CHECK(all.value.p90 == 90);
  CHECK(all.value.p95 == 95);
  CHECK(all.value.p99 == 99);
  CHECK(percentiles_of({3, 1, 2}).value.p50 == 2);
  CHECK(percentiles_of({3, 1, 2}).error.p99 == 2);
  CHECK(percentiles_of({7}).value.p50 == 7);
  CHECK(percentiles_of({}).count == 0);
  CHECK(percentiles_of(std::vector<double>(1000, 4.0)).error.mean == 0);
}

TEST_CASE("the error holds the true mean and percentiles of independent values 95 times of 100") {
  int mean = 0, p90 = 0;
  constexpr int rounds = 400;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    detail::random_numbers numbers{round, 0, 0};
    std::vector<double> values(2000);
    for (double& value : values) value = numbers.exponential();
    const measured_percentiles all = percentiles_of(values);
    mean += std::abs(all.value.mean - 1) <= all.error.mean;
    p90 += std::abs(all.value.p90 - std::log(10.0)) <= all.error.p90;
  }
  CHECK(mean >= 0.92 * rounds);  // 95 % less three standard deviations of 400 tries
  CHECK(mean <= 0.98 * rounds);
  CHECK(p90 >= 0.92 * rounds);
  CHECK(p90 <= 0.985 * rounds);
}

TEST_CASE("a histogram has the percentiles of its values within a bin, and exact ones where a bin has one value") {
  detail::weighted_histogram histogram, constant;
  std::vector<double> values;
  detail::random_numbers numbers{5, 0, 0};
  for (int i = 0; i < 5000; ++i) {
    values.push_back(0.02 * numbers.exponential());
    histogram.add(values.back(), 3);
    constant.add(0.0123, 2);
  }
  const percentiles exact = percentiles_of(values).value, found = histogram.figures();
  CHECK(close(found.mean, exact.mean, 1e-9));
  CHECK(close(found.p50, exact.p50, 1.0 / 64));
  CHECK(close(found.p99, exact.p99, 1.0 / 64));
  CHECK(histogram.total() == 15000);
  CHECK(close(constant.figures().p95, 0.0123));
  histogram.add(constant);
  CHECK(histogram.total() == 25000);
  constant.add(0, 1e9);
  constant.add(1e30, 1);
  CHECK(constant.figures().p99 == 0);
  CHECK(detail::weighted_histogram{}.figures().p50 == 0);
}

TEST_CASE("times between 60 ns and a microsecond have bins of their own") {
  detail::weighted_histogram histogram;
  histogram.add(0x1p-23, 90);
  histogram.add(0x1p-22, 5);
  histogram.add(0x1p-21, 5);
  CHECK(close(histogram.figures().p50, 0x1p-23));
  CHECK(close(histogram.figures().p95, 0x1p-22));
  CHECK(close(histogram.figures().p99, 0x1p-21));
}

}  // namespace plan_percentiles_tests
