#ifndef TPUPLAN_MODEL_BLOCKS_TABLE_HPP
#define TPUPLAN_MODEL_BLOCKS_TABLE_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Tables of learned rows: tokens, positions, segments, class tokens, relative positions.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// A table from which rows are looked up: no product. Worked: 128256 rows of 4096 are 525336576 weights.
struct table {
  std::int64_t rows = 0;            ///< of the table
  std::int64_t width = 0;           ///< of a row; 0: as the stream
  std::int64_t more_positions = 0;  ///< positions that it adds to the stream (a class token: 1)
  part of = part::embedding;        ///< of the count
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const table& t) {
  detail::check_part("table.rows", t.rows, detail::most_tokens, "0 to 2^40");
  detail::check_size("table.width", t.width);
  detail::check_size("table.more_positions", t.more_positions);
}

constexpr void weigh(const table& t, const site& at, sums& to) {
  to.vectors(t.of, checked_multiply(t.rows, t.width > 0 ? t.width : at.width));
}

// Further positions stand in one row.
[[nodiscard]] constexpr site after(const table& t, site at) {
  if (t.more_positions > 0) at.height = positions(at) + t.more_positions, at.columns = 1;
  return at;
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
