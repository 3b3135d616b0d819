#ifndef TPUPLAN_PLAN_REGIONS_HPP
#define TPUPLAN_PLAN_REGIONS_HPP

#include <cstddef>
#include <string>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/plan/search.hpp>
#include <vector>

/// @file
/// The regions of a price book.

namespace tpuplan {
inline namespace abi_0 {

/// The regions of a book, each once, in its order. Worked: "us" is one of those of the built-in book.
[[nodiscard]] inline std::vector<std::string> all_regions(const price_book& book) {
  std::vector<std::string> regions;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const std::string region(book.row(i).region.view());
    if (!detail::contains(regions, region)) regions.push_back(region);
  }
  return regions;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
