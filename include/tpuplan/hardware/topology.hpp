#ifndef TPUPLAN_HARDWARE_TOPOLOGY_HPP
#define TPUPLAN_HARDWARE_TOPOLOGY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/known.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>

/// @file
/// Shapes of slices: a grid or torus of chips in two or three dimensions, and which of its axes close into rings.

namespace tpuplan {
inline namespace abi_0 {

/// How many chips along each ICI axis: {4, 8} on a chip with two axes, {4, 4, 8} on one with three.
struct topology {
  std::array<std::int32_t, 3> dims{0, 0, 1};  ///< chips along each axis
  std::int32_t axes = 2;                      ///< 2 or 3; with 2 axes the third dimension is 1

  /// A shape that is not set: no chips.
  constexpr topology() noexcept = default;
  /// Two axes of those lengths, in chips.
  constexpr topology(std::int32_t first, std::int32_t second) noexcept : dims{first, second, 1} {}
  /// Three axes of those lengths, in chips. Worked: {2, 2, 1} has three axes, {2, 2} two.
  constexpr topology(std::int32_t first, std::int32_t second, std::int32_t third) noexcept
      : dims{first, second, third}, axes{3} {}
  /// All three lengths, and how many of them are axes.
  constexpr topology(const std::array<std::int32_t, 3>& lengths, std::int32_t axis_count) noexcept
      : dims{lengths}, axes{axis_count} {}
};

/// @{
/// Whether two shapes are the same, dimensions and axes.
[[nodiscard]] constexpr bool operator==(const topology& a, const topology& b) noexcept {
  return a.axes == b.axes && a.dims[0] == b.dims[0] && a.dims[1] == b.dims[1] && a.dims[2] == b.dims[2];
}
[[nodiscard]] constexpr bool operator!=(const topology& a, const topology& b) noexcept { return !(a == b); }
/// @}

namespace detail {
constexpr void check_length(std::int32_t length) {
  if (length < 0 || length > 9999) fail(errc::out_of_range, "topology.dims", std::int64_t{length}, "1 to 9999 chips");
}

/// Refuses a topology that is no shape. A shape that is not set passes: its lengths are 0.
constexpr void check_shape(const topology& shape) {
  if (shape.axes < 2 || shape.axes > 3) fail(errc::out_of_range, "topology.axes", std::int64_t{shape.axes}, "2 or 3");
  check_length(shape.dims[0]);
  check_length(shape.dims[1]);
  check_length(shape.dims[2]);
  if (shape.axes == 2 && shape.dims[2] != 1)
    fail(errc::invalid_argument, "topology.dims", std::int64_t{shape.dims[2]},
         "1 along a third axis that is not there");
}
}  // namespace detail

/// Chips in the shape. Throws unless it has two or three axes of at most 9999 chips. Worked: 16x20x28 has 8960.
[[nodiscard]] constexpr std::int64_t chips(const topology& shape) {
  detail::check_shape(shape);
  return checked_multiply(shape.dims[0], shape.dims[1], shape.dims[2]);
}

/// The shape written as "4x4x8", as in `gcloud --topology` and in GKE's node labels. Worked: 4 by 4 by 8 chips are
/// "4x4x8".
[[nodiscard]] constexpr text<24> name(const topology& shape) {
  detail::check_shape(shape);
  text<24> result;
  for (std::int32_t axis = 0; axis < shape.axes; ++axis) {
    if (axis != 0) result.append("x");
    result.append(std::int64_t{shape.dims[static_cast<std::size_t>(axis)]});
  }
  return result;
}

namespace detail {
/// The shape with its lengths in the order in which slices are documented: ascending, lengths of one last. 8x4 is 4x8,
/// 1x2x2 is 2x2x1.
constexpr topology ascending(topology shape) noexcept {
  for (std::int32_t pass = 1; pass < shape.axes; ++pass) {
    for (std::size_t axis = 0; axis + 1 < static_cast<std::size_t>(shape.axes); ++axis) {
      const std::int32_t length = shape.dims[axis], next = shape.dims[axis + 1];
      if (next == 1 || (length != 1 && length <= next)) continue;
      shape.dims[axis] = next;
      shape.dims[axis + 1] = length;
    }
  }
  return shape;
}
}  // namespace detail

/// The shape written as "4x8" or "4x4x8": two or three whole numbers from 1 to 9999. Nothing if it is not of that form.
/// Worked: "4x4x12" has 192 chips, "4" is of another form.
[[nodiscard]] constexpr maybe<topology> parse_topology(std::string_view given) noexcept {
  topology shape{};
  std::size_t axis = 0;
  while (true) {
    const std::size_t separator = given.find_first_of("xX");
    const std::int64_t length = detail::parse_count(given.substr(0, separator));
    if (length < 1 || length > 9999 || axis == 3) return nothing;
    shape.dims[axis++] = static_cast<std::int32_t>(length);
    if (separator == std::string_view::npos) break;
    given.remove_prefix(separator + 1);
  }
  if (axis < 2) return nothing;
  shape.axes = static_cast<std::int32_t>(axis);
  return shape;
}

/// The shape written as "4x8" or "4x4x8"; text of another form throws `errc::malformed_input`. Worked:
/// chips(topology_for("4x4x12")) is 192.
[[nodiscard]] constexpr topology topology_for(std::string_view given) {
  if (const maybe<topology> shape = parse_topology(given)) return *shape;
  detail::fail(errc::malformed_input, "topology", given, "AxB or AxBxC, each length from 1 to 9999: 4x8, 4x4x12");
}

/// Which axes of a slice close into rings.
enum class wraparound_rule : std::uint8_t {
  whole_pod,    ///< v2, v3, announced chips: all axes of a full pod wrap, none of one host; otherwise unknown
  axis_of_16,   ///< v5e, v6e: an axis wraps where its length is 16
  whole_cubes,  ///< v4, v5p, tpu7x: all axes wrap where all are multiples of 4, otherwise none
};

/// For each axis, whether it wraps around into a ring: yes, no, or unknown (partial slices of v2, v3 and announced
/// chips). Worked: 8x16 of v5e wraps on its second axis only; 4x4x8 of v5p on all three; 2x4x4 of v5p on none. Source:
/// GKE DRA driver util.go, MaxText accelerator_to_spec_map.py, scaling book "TPU networking".
[[nodiscard]] constexpr std::array<known<bool>, 3> wraparound(const topology& shape, wraparound_rule rule,
                                                              const topology& pod) {
  detail::check_shape(shape);
  const std::array<std::int32_t, 3>& d = shape.dims;
  std::array<known<bool>, 3> wraps{};
  switch (rule) {
    case wraparound_rule::axis_of_16:
      for (std::size_t axis = 0; axis < 3; ++axis) wraps[axis] = axis < 2 && d[axis] == 16;
      return wraps;
    case wraparound_rule::whole_cubes:
      for (known<bool>& one : wraps) one = d[0] % 4 == 0 && d[1] % 4 == 0 && d[2] % 4 == 0;
      return wraps;
    case wraparound_rule::whole_pod: break;
  }
  const bool whole = shape == pod;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (whole || axis >= static_cast<std::size_t>(shape.axes) || chips(shape) <= 4)
      wraps[axis] = whole && axis < static_cast<std::size_t>(shape.axes);
  }
  return wraps;
}

/// Whether the three-dimensional shape may be twisted for more bisection: multiples of 4, each dimension equal to or
/// twice the smallest, not all equal. Worked: 4x4x8 may, 4x4x4 and 4x4x12 may not.
/// Source: Google Cloud "TPU v4" and "TPU v5p" (2026-08-26); the Cloud TPU API only.
[[nodiscard]] constexpr bool may_be_twisted(const topology& shape) noexcept {
  if (shape.axes != 3) return false;
  const std::array<std::int32_t, 3>& d = shape.dims;
  std::int32_t least = d[0] < d[1] ? d[0] : d[1];
  if (d[2] < least) least = d[2];
  for (const std::int32_t length : d) {
    if (length % 4 != 0 || (length != least && length / 2 != least)) return false;
  }
  return d[0] != d[1] || d[1] != d[2];
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
