#ifndef TPUPLAN_MODEL_BLOCKS_WORK_LIST_HPP
#define TPUPLAN_MODEL_BLOCKS_WORK_LIST_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/error.hpp>
#include <tpuplan/model/blocks/shapes.hpp>

/// @file
/// The work of a model product by product, for estimates that pad shapes and cut them among devices.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// Products of that shape: `times` of them, each over `rows` positions of an example.
struct listed_product {
  product one{};     ///< its shape
  double times = 0;  ///< layers that have it
  double rows = 0;   ///< positions of an example
};

/// Attention of that kind: `times` of it, `rows` positions that see `keys` each.
struct listed_core {
  core one{};        ///< its heads and widths
  double times = 0;  ///< layers that have it
  double rows = 0;   ///< positions of an example that ask
  double keys = 0;   ///< positions that they see, masks aside
};

/// All products and attention of an example; of each the first ones are set.
struct work_list {
  std::array<listed_product, 320> products{};  ///< different ones
  std::size_t product_count = 0;               ///< of these
  std::array<listed_core, 48> cores{};         ///< different ones
  std::size_t core_count = 0;                  ///< of these
  double tokens = 0;                           ///< positions of streams that do not say how many they have

  /// @{
  /// Adds work, to other work of the same shape where there is any.
  constexpr void add(const product& p, double times, double rows) {
    for (std::size_t i = 0; i < product_count; ++i) {
      listed_product& l = products[i];
      const bool same = l.one.inner == p.inner && l.one.outer == p.outer && l.one.copies == p.copies &&
                        l.one.used == p.used && l.one.what == p.what && l.one.matrices == p.matrices &&
                        l.rows >= rows && l.rows <= rows;
      if (!same) continue;
      l.times += times;
      return;
    }
    if (product_count == products.size())
      detail::fail(errc::out_of_range, "different products in a model", std::int64_t{321}, "at most 320");
    products[product_count++] = {p, times, rows};
  }
  constexpr void add(const core& c, double times, double rows, double keys) {
    for (std::size_t i = 0; i < core_count; ++i) {
      listed_core& l = cores[i];
      if (!is_same(l.one, c) || l.rows < rows || l.rows > rows || l.keys < keys || l.keys > keys) continue;
      l.times += times;
      return;
    }
    if (core_count == cores.size())
      detail::fail(errc::out_of_range, "different attention in a model", std::int64_t{49}, "at most 48 kinds");
    cores[core_count++] = {c, times, rows, keys};
  }
  /// @}
};

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
