#ifndef TPUPLAN_MODEL_BLOCKS_RESAMPLE_HPP
#define TPUPLAN_MODEL_BLOCKS_RESAMPLE_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Positions that become more or fewer without arithmetic: neighbours copied, or channels turned into positions and
/// back.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// A change of positions. Worked: 64 x 64 in twos are 128 x 128; 21 frames in twos, the first alone, are 41.
struct resample {
  std::int64_t sides = 1;    ///< positions of a side that one becomes
  std::int64_t frames = 1;   ///< frames that one becomes
  std::int64_t outputs = 0;  ///< channels that it has afterwards; 0: as come in
  bool fewer = false;        ///< so many become one instead; the last may be padded
  bool first_alone = false;  ///< the first frame stays one
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const resample& r) {
  detail::check_part("resample.sides", detail::positive_count("resample.sides", r.sides), 64, "1 to 64");
  detail::check_part("resample.frames", detail::positive_count("resample.frames", r.frames), 64, "1 to 64");
  detail::check_size("resample.outputs", r.outputs);
}

[[nodiscard]] constexpr site after(const resample& r, site at) {
  const std::int64_t first = r.first_alone ? 1 : 0;
  if (r.fewer) {
    at.height = ceil_div(at.height, r.sides), at.columns = ceil_div(at.columns, r.sides);
    at.frames = first + ceil_div(at.frames - first, r.frames);
  } else {
    at.height = checked_multiply(at.height, r.sides), at.columns = checked_multiply(at.columns, r.sides);
    at.frames = first + checked_multiply(at.frames - first, r.frames);
  }
  if (r.outputs > 0) at.width = r.outputs;
  return at;
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
