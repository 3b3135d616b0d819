#ifndef TPUPLAN_RISK_FAILURES_HPP
#define TPUPLAN_RISK_FAILURES_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/risk/belief.hpp>

/// @file
/// What fails under every way of paying: chips, hosts and the network between them, more often the more there are.

namespace tpuplan {
inline namespace abi_0 {

/// How far a TPU's may lie from that, nine times of ten. No source; a guess that is meant to be wide.
inline constexpr double chip_failure_factor = 4;

/// Time that a stop takes where the job goes on in the same process with the slices that are left, until the lost one
/// is back. Source: MaxText pull request 4043 (2026), 3 slices of v5e.
inline constexpr seconds elastic_recovery{40};

/// What is believed of the time between failures that stop a job on that many chips: that of one chip over their
/// number. `chips` 1 or more. Worked: 256 chips stop once in 198 h, nine of ten from 49 to 792 h.
[[nodiscard]] constexpr mean_time_belief time_between_failures(std::int64_t chips) {
  detail::positive_count("time_between_failures: chips", chips);
  return believed_within(published_chip_time_between_failures / static_cast<double>(chips), chip_failure_factor);
}

/// The chance that at least `needed` of `all` parts work, each of them with the same chance and independently of the
/// others: a binomial sum. `all` from 1 to 1000000, `needed` from 0 to all, `each` from 0 to 1. Worked: of 144 cubes of
/// tpu7x of which each works with 0.934686, at least 130 work with 95 %, as Google Cloud states (2026-05-11).
[[nodiscard]] constexpr double chance_of_at_least(std::int64_t needed, std::int64_t all, double each) {
  detail::in_range("chance_of_at_least: each", each, 0, 1, "0 to 1");
  if (all < 1 || all > 1000000) detail::fail(errc::out_of_range, "chance_of_at_least: all", all, "1 to 1000000");
  if (needed < 0 || needed > all) detail::fail(errc::out_of_range, "chance_of_at_least: needed", needed, "0 to all");
  if (needed == 0 || each == 1) return 1;
  if (each == 0) return 0;
  double logarithm = static_cast<double>(all) * math::log(each), sum = 0;  // of all of them
  for (std::int64_t working = all; working >= needed; --working) {
    sum += math::exp(logarithm);
    logarithm += math::log(static_cast<double>(working) / static_cast<double>(all - working + 1) * (1 - each) / each);
  }
  return sum < 1 ? sum : 1;
}

/// The chance with which each part works where at least `needed` of `all` do with that confidence, to 1e-12: the
/// inverse of `chance_of_at_least`. `needed` from 1 to all, `confidence` above 0 and below 1. Worked: 130 of 144 with
/// 95 % are 0.934686 for a cube of 64 chips, and 0.995787 for one of its 16 hosts.
[[nodiscard]] constexpr double chance_of_each(std::int64_t needed, std::int64_t all, double confidence) {
  if (!(confidence > 0 && confidence < 1))
    detail::fail(errc::out_of_range, "chance_of_each: confidence", confidence, "above 0 and below 1");
  if (needed < 1) detail::fail(errc::out_of_range, "chance_of_each: needed", needed, "1 to all");
  double low = 0, high = 1;
  for (int i = 0; i < 42; ++i) {
    const double middle = low + (high - low) / 2;
    (chance_of_at_least(needed, all, middle) < confidence ? low : high) = middle;
  }
  return high;
}

/// How many parts to have so that at least `needed` work with that confidence, each with a chance of `each`; `needed`
/// and the spares. Refuses where a million do not suffice. Worked: 4 of slices that work with 0.95 are to be 6 for 99
/// %.
[[nodiscard]] constexpr std::int64_t parts_for(std::int64_t needed, double each, double confidence) {
  if (!(confidence > 0 && confidence < 1))
    detail::fail(errc::out_of_range, "parts_for: confidence", confidence, "above 0 and below 1");
  const auto suffice = [&](std::int64_t all) {
    return all >= needed && chance_of_at_least(needed, all, each) >= confidence;
  };
  std::int64_t few = detail::positive_count("parts_for: needed", needed) - 1, enough = needed;
  constexpr std::int64_t most = 1000000;
  for (; !suffice(enough); enough = enough < most / 2 ? 2 * enough : most) {  // more parts never lower the chance
    if (enough >= most)
      detail::fail(errc::infeasible, "parts_for: each", each, "a chance with which 1e6 parts suffice");
    few = enough;
  }
  while (enough - few > 1) {
    const std::int64_t middle = few + (enough - few) / 2;
    (suffice(middle) ? enough : few) = middle;
  }
  return enough;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
