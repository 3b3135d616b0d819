#ifndef TPUPLAN_LAB_JUDGED_HPP
#define TPUPLAN_LAB_JUDGED_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <lab/validation.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Estimates held against what was measured: errors, bands that hold or not, and how wide these are, with each run
/// counted once and with each source counted once.

namespace tpuplan {
inline namespace abi_0 {

/// An estimate of a run whose source had no part in it, or in its band.
struct judged_run {
  std::string source;
  double error = 0;     ///< estimated / measured - 1
  bool inside = false;  ///< the band holds what was measured
  double width = 0;     ///< logarithm of the upper over the lower end of the band
};

/// A group of estimates.
struct judged_summary {
  error_summary runs{};     ///< each run counted once
  error_summary sources{};  ///< each source counted once, its runs share that; `records` are sources
  double width = 0;         ///< the median over sources of their median widths
  std::string worst{};      ///< the source with the largest median error
  double worst_median = 0;  ///< that error
  std::size_t outside = 0;  ///< runs that the band does not hold
};

/// The summary of a group. Worked: of the errors 0.1 and 0.3 of one source and 0.5 of another the median is 0.3, and
/// 0.3 too where each source counts once: half of the weight is at or below it.
[[nodiscard]] inline judged_summary summary_of(const std::vector<judged_run>& list) {
  judged_summary result;
  std::map<std::string, std::vector<judged_run>> by_source;
  std::vector<double> errors;
  for (const judged_run& one : list) by_source[one.source].push_back(one), errors.push_back(one.error);
  result.runs = summary_of(errors);
  const auto share = [](std::size_t of) { return 1 / static_cast<double>(of); };
  std::vector<std::pair<double, double>> sizes;  // of errors, with their weights
  std::vector<double> widths;
  for (const auto& [source, members] : by_source) {
    const double weight = share(by_source.size()) * share(members.size());
    std::vector<double> of_source, width;
    for (const judged_run& one : members) {
      of_source.push_back(std::abs(one.error)), width.push_back(one.width);
      sizes.emplace_back(std::abs(one.error), weight);
      result.sources.bias += weight * one.error;
      result.sources.inside += one.inside ? weight : 0;
      result.runs.inside += one.inside ? share(list.size()) : 0;
      result.outside += one.inside ? 0U : 1U;
    }
    widths.push_back(quantile(width, 0.5));
    const double median = quantile(of_source, 0.5);
    if (median >= result.worst_median) result.worst = source, result.worst_median = median;
  }
  std::sort(sizes.begin(), sizes.end());
  const auto at = [&sizes](double part) {
    double below = 0;
    for (const auto& [size, weight] : sizes) {
      below += weight;
      if (below >= part - 1e-9) return size;
    }
    return sizes.empty() ? 0 : sizes.back().first;
  };
  result.sources.records = by_source.size();
  result.sources.median = at(0.5), result.sources.p90 = at(0.9);
  if (!widths.empty()) result.width = quantile(widths, 0.5);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
