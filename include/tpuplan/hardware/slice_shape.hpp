#ifndef TPUPLAN_HARDWARE_SLICE_SHAPE_HPP
#define TPUPLAN_HARDWARE_SLICE_SHAPE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/slice_table.hpp>

/// @file
/// Slices: what can be rented, what follows from a slice's shape, and which shapes are valid. `hardware/slice.hpp`
/// finds a slice by name.

namespace tpuplan {
inline namespace abi_0 {

/// A slice of a pod: one kind of chip in one shape, divided into VMs of equal size. It holds its chip by value, so that
/// a caller's own chip is treated like those of the table.
struct slice {
  chip_spec chip{};               ///< every chip of the slice
  topology shape{};               ///< chips along each ICI axis
  std::int64_t chips_per_vm = 0;  ///< chips of one VM
};

/// Chips in the slice. Worked: 64 in v5p-128, 8 in v5litepod-8, 4 in v3-8.
[[nodiscard]] constexpr std::int64_t chips(const slice& where) { return chips(where.shape); }

namespace detail {

/// Chips of that many equal slices; refuses more than a million slices.
constexpr std::int64_t chips_of(const slice& where, std::int64_t slice_total) {
  if (positive_count("slices", slice_total) > 1000000) fail(errc::out_of_range, "slices", slice_total, "1 to 1000000");
  return checked_multiply(chips(where), slice_total);
}

}  // namespace detail

/// TensorCores in the slice. Worked: 8 in v3-8.
[[nodiscard]] constexpr std::int64_t tensorcores(const slice& where) {
  return checked_multiply(chips(where), where.chip.tensorcores);
}
/// Devices that `jax.devices()` lists for the slice. Worked: 256 for tpu7x-256 (128 chips), 64 for v5p-128.
[[nodiscard]] constexpr std::int64_t devices(const slice& where) {
  return checked_multiply(chips(where), where.chip.jax_devices);
}
/// VMs in the slice; one process of the program runs on each. Worked: 16 in v5p-128, 4 in v5litepod-16.
[[nodiscard]] constexpr std::int64_t vms(const slice& where) {
  return ceil_div(chips(where), detail::positive_count("slice.chips_per_vm", where.chips_per_vm));
}
/// Physical hosts of the slice: a fraction where it shares a host with other slices. Worked: 16 for v5p-128; 2 for
/// v5litepod-16 (4 VMs); 0.125 for v5litepod-1.
[[nodiscard]] constexpr double hosts(const slice& where) {
  return static_cast<double>(chips(where)) /
         static_cast<double>(detail::positive_count("chip.host.chips", where.chip.host.chips));
}
/// For each axis, whether its links wrap around into a ring. Worked: all three axes of v5p-128 do.
[[nodiscard]] constexpr std::array<known<bool>, 3> wraparound(const slice& where) {
  return wraparound(where.shape, where.chip.ici.wraparound, where.chip.pod.shape);
}
/// Whether every axis wraps around; unknown where that of one axis is unknown. Worked: yes for v5p-128, no for
/// v5litepod-128.
[[nodiscard]] constexpr known<bool> fully_wrapped(const slice& where) {
  const std::array<known<bool>, 3> axes = wraparound(where);
  for (std::int32_t axis = 0; axis < where.shape.axes; ++axis) {
    const known<bool>& wraps = axes[static_cast<std::size_t>(axis)];
    if (!wraps.has_value()) return unknown;
    if (!wraps.value()) return false;
  }
  return true;
}
/// Whether Google Cloud schedules it as one slice: it has at most `pod.largest_slice` chips. Worked: v5p-17920 has
/// more.
[[nodiscard]] constexpr bool schedulable(const slice& where) { return chips(where) <= where.chip.pod.largest_slice; }
/// HBM of the whole slice that a program may use; all of it where the chip's XLA budget is not known.
/// Worked: 16 x 16909332480 B for v5litepod-16.
[[nodiscard]] constexpr bytes usable_hbm(const slice& where) {
  return usable_hbm_per_device(where.chip) * static_cast<double>(devices(where));
}
/// Physical HBM of the whole slice. Worked: 256 x 16 GiB for v5litepod-256.
[[nodiscard]] constexpr bytes hbm_capacity(const slice& where) {
  return where.chip.hbm.capacity * static_cast<double>(chips(where));
}
/// The peak rate of the whole slice, as `peak_rate` of a chip. Worked: 50.432 PFLOP/s for v5litepod-256 in bf16.
[[nodiscard]] constexpr flops_per_second peak_rate(const slice& where, dtype compute) {
  return peak_rate(where.chip, compute) * static_cast<double>(chips(where));
}
/// Nominal one-way bandwidth across the cut that halves the longest axis (twice the links where that axis wraps).
/// Throws where the wraparound is unknown. Worked: 32 links x 50 GB/s = 1.6 TB/s for v5litepod-256.
/// Source: Google Cloud "TPU v5e", pod bisection.
[[nodiscard]] constexpr bytes_per_second bisection_bandwidth(const slice& where) {
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (where.shape.dims[axis] > where.shape.dims[longest]) longest = axis;
  }
  if (where.shape.dims[longest] == 1) return bytes_per_second{0};
  const std::int64_t rows = chips(where) / where.shape.dims[longest];
  const double rings = wraparound(where)[longest].value("wraparound of the slice") ? 2 : 1;
  return where.chip.ici.nominal_one_way * (static_cast<double>(rows) * rings);
}

namespace detail {

constexpr slice to_slice(const chip_spec& chip, const slice_row& row) {
  return {chip, topology{{row.length(0), row.length(1), row.length(2)}, chip.ici.axes}, row.chips_per_vm()};
}

constexpr bool is_shape(const slice_row& row, const topology& shape) noexcept {
  return row.length(0) == shape.dims[0] && row.length(1) == shape.dims[1] && row.length(2) == shape.dims[2];
}

constexpr std::int64_t chips(const slice_row& row) noexcept {
  return std::int64_t{row.length(0)} * row.length(1) * row.length(2);
}

/// The row that a name with that many chips stands for; none for counts that no name has.
constexpr const slice_row* named_row(std::string_view chip, std::int64_t chip_count) noexcept {
  for (const slice_row& row : slices_of(chip)) {
    if (chips(row) == chip_count) return &row;
  }
  return nullptr;
}

/// Whether the slice is what a name such as "v5p-128" stands for, shape and VMs: v5litepod-8 is, the same shape on two
/// VMs is not.
constexpr bool is_named(const slice& where) {
  const slice_row* row = named_row(where.chip.name, tpuplan::chips(where));
  return row != nullptr && is_shape(*row, where.shape) && row->chips_per_vm() == where.chips_per_vm;
}

constexpr std::size_t count_slices() noexcept {
  std::size_t count = 0;
  for (const slice_block& block : slice_blocks) count += block.count;
  return count;
}

/// The number that stands in the name of a slice with that many chips.
constexpr std::int64_t name_number(const chip_spec& chip, std::int64_t chip_count) {
  return chip.slice_name_counts == name_counts::chips ? chip_count : checked_multiply(chip_count, chip.tensorcores);
}

}  // namespace detail

/// The number of documented slices, which are `slice_at(0)` to `slice_at(slice_count - 1)`.
inline constexpr std::size_t slice_count = detail::count_slices();
/// The documented slice of that index; a larger one is refused. Worked: slice_at(0) is v2-8, 4 chips.
[[nodiscard]] constexpr slice slice_at(std::size_t index) {
  std::size_t rest = index;
  for (const detail::slice_block& block : detail::slice_blocks) {
    if (rest < block.count) return detail::to_slice(chip_for(block.chip), block.rows[rest]);
    rest -= block.count;
  }
  detail::fail(errc::out_of_range, "slice_at: index", static_cast<std::int64_t>(index), "0 to slice_count - 1");
}

/// What the names of the chip's slices begin with: the chip's own name, but for v5e. Worked: "v5litepod" for v5e.
[[nodiscard]] constexpr std::string_view slice_prefix(const chip_spec& chip) noexcept {
  const std::string_view prefix = detail::slices_of(chip.name).prefix;
  return prefix.empty() ? chip.name.view() : prefix;
}

/// What the slice is called: its accelerator type where its shape is the one that the name stands for ("v5p-128",
/// "v5litepod-16"), else generation and shape ("v4-4x4x16"). `slice_for` reads both. Worked: a 4x4x4 of v5p is
/// "v5p-128".
[[nodiscard]] constexpr text<40> name(const slice& where) {
  text<40> result{slice_prefix(where.chip)};
  result.append("-");
  const detail::slice_row* row = detail::named_row(where.chip.name, chips(where));
  if (row != nullptr && detail::is_shape(*row, where.shape)) {
    return result.append(detail::name_number(where.chip, chips(where)));
  }
  return result.append(name(where.shape));
}

/// The name of that many equal slices; refuses a count below 1. Worked: "4 x v6e-256" for 4, "v6e-256" for one.
[[nodiscard]] constexpr text<64> name(const slice& where, std::int64_t count) {
  text<64> result;
  if (detail::positive_count("slices", count) > 1) result.append(count).append(" x ");
  return result.append(name(where).view());
}

/// Whether a chip has slices of that shape. Chips with three axes: 2x2x1, 2x2x2, 2x2x4, 2x4x4, and AxBxC of multiples
/// of 4 with A <= B <= C (one chip on tpu7x). Chips with two axes: the documented shapes of the generations;
/// for other chips sides that are powers of two, equal or one twice the other.  A shape that is not documented has at
/// most the chips of its generation's largest slice. A chip that is only announced has no valid shape; callers write a
/// slice of it as `slice{chip, shape, chips per VM}`. Worked: 4x4x12 of v5p is valid, 4x12x4 and 4x4x6 are not. Source:
/// KubeRay's copy of GKE "Plan TPUs", xpk.
[[nodiscard]] constexpr bool is_valid_shape(const chip_spec& chip, const topology& shape) {
  if (shape.axes != chip.ici.axes || chip.announced_only) return false;
  const detail::slice_block documented = detail::slices_of(chip.name);
  for (const detail::slice_row& row : documented) {
    if (detail::is_shape(row, shape)) return true;
  }
  const std::array<std::int32_t, 3>& d = shape.dims;
  if (chips(shape) > chip.pod.largest_slice || d[0] > d[1]) return false;
  if (shape.axes == 3) {
    const bool of_few =
        (d[0] == 2 && d[1] == 2 && (d[2] == 1 || d[2] == 2 || d[2] == 4)) || (d[0] == 2 && d[1] == 4 && d[2] == 4);
    return of_few || (d[0] % 4 == 0 && d[1] % 4 == 0 && d[2] % 4 == 0 && d[1] <= d[2]);
  }
  return documented.count == 0 && is_power_of_two(d[0]) && (d[1] == d[0] || (d[1] == 2 * d[0] && d[0] > 1));
}

namespace detail {

/// The shapes that a chip's slices have, as a message lists them.
constexpr text<160> shape_hint(const chip_spec& chip) {
  if (chip.announced_only) return "none yet: it is announced, and no slice of it is documented";
  if (chip.ici.axes == 3) return "2x2x1, 2x2x2, 2x2x4, 2x4x4, or AxBxC of multiples of 4 with A <= B <= C";
  const slice_block documented = slices_of(chip.name);
  if (documented.count == 0)
    return "AxB of powers of two, equal or the second twice the first, up to its largest slice";
  text<160> list;
  topology last{};
  for (const slice_row& row : documented) {
    const topology shape = to_slice(chip, row).shape;
    if (shape != last) list.append(list.empty() ? "" : ", ").append(tpuplan::name(shape));
    last = shape;
  }
  return list;
}

}  // namespace detail

/// The slice of that chip in that shape, with the default VM layout (or `chips_per_vm` where it is given). Throws
/// `errc::unknown_name` for shapes that the chip does not have, and `errc::not_divisible` for VMs that do not tile it.
/// Worked: slice_of(v5p, {4, 4, 12}) has 192 chips.
[[nodiscard]] constexpr slice slice_of(const chip_spec& chip, const topology& shape, std::int64_t chips_per_vm = 0) {
  if (!is_valid_shape(chip, shape)) {
    detail::fail(errc::unknown_name, "slice shape", name(shape).view(), detail::shape_hint(chip).view());
  }
  slice result{chip, shape, chips_per_vm};
  if (chips_per_vm == 0) {
    result.chips_per_vm = chips(shape) < 4 ? chips(shape) : 4;
    for (const detail::slice_row& row : detail::slices_of(chip.name)) {
      if (!detail::is_shape(row, shape)) continue;
      result.chips_per_vm = row.chips_per_vm();
      break;
    }
  }
  detail::positive_count("chips_per_vm", result.chips_per_vm);
  if (chips(shape) % result.chips_per_vm != 0) {
    detail::fail(errc::not_divisible, "chips_per_vm", result.chips_per_vm, "1, 4 or 8, dividing the slice");
  }
  return result;
}

/// The machine type whose VMs make up the slice; nothing where none is documented (v2, chips of the caller).
/// Worked: "ct5p-hightpu-4t" for v5p-128, "ct5lp-hightpu-8t" for v5litepod-8.
[[nodiscard]] constexpr maybe<machine_type> machine_type_of(const slice& where) {
  const bool one_vm = vms(where) == 1;
  for (const detail::machine_row& type : detail::machine_rows) {
    if (where.chip.name != type.chip || type.chips != where.chips_per_vm) continue;
    if (one_vm ? type.makes_one_vm : type.makes_several_vms) return detail::to_machine(type);
  }
  return nothing;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
