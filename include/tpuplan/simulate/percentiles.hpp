#ifndef TPUPLAN_SIMULATE_PERCENTILES_HPP
#define TPUPLAN_SIMULATE_PERCENTILES_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <vector>

/// @file
/// Percentiles of what a simulation measured, and how far they may be off by chance.

namespace tpuplan {
inline namespace abi_0 {

/// The mean and four percentiles of plain numbers.
struct percentiles {
  double mean = 0;  ///< of all values
  double p50 = 0;   ///< half of the values are at most that
  double p90 = 0;   ///< nine of ten values are at most that
  double p95 = 0;   ///< 95 of 100 values are at most that
  double p99 = 0;   ///< 99 of 100 values are at most that
};

/// Percentiles with the half-widths of their 95 % confidence intervals.
struct measured_percentiles {
  percentiles value{};     ///< of all values
  percentiles error{};     ///< by chance: the true figure lies within value +- error in 95 of 100 simulations
  std::int64_t count = 0;  ///< values
};

/// The mean and four percentiles of times.
struct time_percentiles {
  seconds mean{};  ///< of all times
  seconds p50{};   ///< half of the times are at most that
  seconds p90{};   ///< nine of ten times are at most that
  seconds p95{};   ///< 95 of 100 times are at most that
  seconds p99{};   ///< 99 of 100 times are at most that
};

/// The simulated latency that is compared with a target: the percentile of the target, or the mean without one. Worked:
/// for a target of share 0.95 it is the p95.
[[nodiscard]] inline seconds reached_of(const time_percentiles& times, const latency_target& target) {
  const double share = target.limit.value() > 0 ? target.share : 0;
  return share >= 0.99   ? times.p99
         : share >= 0.95 ? times.p95
         : share >= 0.9  ? times.p90
         : share > 0     ? times.p50
                         : times.mean;
}

/// Percentiles of times with the half-widths of their 95 % confidence intervals.
struct measured_times {
  time_percentiles value{};  ///< of all times
  time_percentiles error{};  ///< by chance: the true figure lies within value +- error in 95 of 100 simulations
  std::int64_t count = 0;    ///< times
};

namespace detail {

constexpr time_percentiles in_seconds(const percentiles& of) {
  return {seconds{of.mean}, seconds{of.p50}, seconds{of.p90}, seconds{of.p95}, seconds{of.p99}};
}
constexpr measured_times in_seconds(const measured_percentiles& of) {
  return {in_seconds(of.value), in_seconds(of.error), of.count};
}

inline constexpr double percentile_shares[] = {0.50, 0.90, 0.95, 0.99};
inline constexpr double percentiles::*percentile_fields[] = {&percentiles::p50, &percentiles::p90, &percentiles::p95,
                                                             &percentiles::p99};
inline constexpr std::size_t error_batches = 10;
/// The 97.5 % point of Student's t with nine degrees of freedom: 95 % of it lies between -2.262 and 2.262.
inline constexpr double student_975 = 2.262;

/// Percentiles of the values from first to last, which it reorders.
inline percentiles percentiles_of_range(double* first, double* last) {
  percentiles result;
  if (first == last) return result;
  const auto count = static_cast<double>(last - first);
  for (const double* value = first; value != last; ++value) result.mean += *value / count;
  double* from = first;
  for (std::size_t i = 0; i < 4; ++i) {
    double* at = first + static_cast<std::ptrdiff_t>(math::ceil(percentile_shares[i] * count - 1e-9)) - 1;
    std::nth_element(from, at, last);
    result.*percentile_fields[i] = *at;
    from = at;
  }
  return result;
}

/// The half-widths of the 95 % confidence intervals from the figures of ten batches.
inline percentiles error_of(const std::array<percentiles, error_batches>& batches) {
  percentiles error;
  for (double percentiles::*field :
       {&percentiles::mean, percentile_fields[0], percentile_fields[1], percentile_fields[2], percentile_fields[3]}) {
    constexpr auto count = static_cast<double>(error_batches);
    double mean = 0, squares = 0;
    for (const percentiles& batch : batches) mean += batch.*field / count;
    for (const percentiles& batch : batches) squares += (batch.*field - mean) * (batch.*field - mean);
    error.*field = student_975 * math::sqrt(squares / (count - 1) / count);
  }
  return error;
}

/// Values with weights, in bins that are 1/64 to 1/128 of their value wide. A bin knows the mean of its values, so that
/// a percentile is exact where all values of its bin are the same.
class weighted_histogram {
 public:
  /// Adds a value of 0 or more with its weight.
  void add(double value, double weight) {
    bin& at = bins_[bin_of(value)];
    at.weight += weight;
    at.sum += weight * value;
  }
  void add(const weighted_histogram& other) {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      bins_[i].weight += other.bins_[i].weight;
      bins_[i].sum += other.bins_[i].sum;
    }
  }
  void clear() { std::fill(bins_.begin(), bins_.end(), bin{}); }
  double total() const {
    double all = 0;
    for (const bin& one : bins_) all += one.weight;
    return all;
  }
  percentiles figures() const {
    percentiles result;
    const double all = total();
    if (all <= 0) return result;
    double below = 0, sum = 0;
    std::size_t next = 0;
    for (const bin& one : bins_) {
      below += one.weight;
      sum += one.sum;
      for (; next < 4 && one.weight > 0 && below >= percentile_shares[next] * all * (1 - 1e-12); ++next)
        result.*percentile_fields[next] = one.sum / one.weight;
    }
    result.mean = sum / all;
    return result;
  }

 private:
  struct bin {
    double weight = 0;
    double sum = 0;
  };
  /// The exponent and six bits of the fraction: from 2^-24 (60 ns) to 2^20 (12 days).
  static std::uint64_t bin_of(double value) {
    constexpr std::uint64_t last = 64 * 44 - 1;
    constexpr std::uint64_t first = (1023 - 24) * 64;
    if (!(value >= 0x1p-24)) return 0;
    return std::min((math::detail::bits_of(value) >> 46) - first, last);
  }
  std::vector<bin> bins_ = std::vector<bin>(64 * 44);
};

}  // namespace detail

/// Percentiles of values in the order in which they were measured, by nearest rank: p99 is the smallest value that 99
/// of 100 values do not exceed. Their errors come from ten batches of values that follow each other (batch means: A. M.
/// Law, "Simulation Modeling and Analysis", 5th ed., section 9.5.3); fewer than 20 values may be off by their whole
/// range. Worked: of 1 to 100 the p99 is 99 and the mean 50.5.
[[nodiscard]] inline measured_percentiles percentiles_of(std::vector<double> values) {
  measured_percentiles result;
  result.count = static_cast<std::int64_t>(values.size());
  double* const data = values.data();
  if (values.size() >= 2 * detail::error_batches) {
    std::array<percentiles, detail::error_batches> batches;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      batches[i] = detail::percentiles_of_range(data + i * values.size() / batches.size(),
                                                data + (i + 1) * values.size() / batches.size());
    }
    result.error = detail::error_of(batches);
  } else if (!values.empty()) {
    const auto range = std::minmax_element(values.begin(), values.end());
    const double width = *range.second - *range.first;
    result.error = {width, width, width, width, width};
  }
  result.value = detail::percentiles_of_range(data, data + values.size());
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
