#ifndef TPUPLAN_HARDWARE_SLICE_HPP
#define TPUPLAN_HARDWARE_SLICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/maybe.hpp>

/// @file
/// Slices: what can be rented. Find one by name, machine type or shape; list them; and say what is next to a wrong
/// name.

namespace tpuplan {
inline namespace abi_0 {

/// A slice of a pod: one kind of chip in one shape, cut into VMs of equal size. It holds its chip by value, so that a
/// chip of the caller's own is treated like those of the table.
struct slice {
  chip_spec chip{};               ///< every chip of the slice
  topology shape{};               ///< chips along each ICI axis
  std::int64_t chips_per_vm = 0;  ///< chips of one VM
};

/// Chips in the slice. Worked: 64 in v5p-128, 8 in v5litepod-8, 4 in v3-8.
[[nodiscard]] constexpr std::int64_t chips(const slice& where) { return chips(where.shape); }
/// TensorCores in the slice. Worked: 8 in v3-8.
[[nodiscard]] constexpr std::int64_t tensorcores(const slice& where) {
  return checked_multiply(chips(where), where.chip.tensorcores);
}
/// What `jax.devices()` lists for the slice. Worked: 256 for tpu7x-256 (128 chips), 64 for v5p-128.
[[nodiscard]] constexpr std::int64_t devices(const slice& where) {
  return checked_multiply(chips(where), where.chip.jax_devices);
}
/// VMs in the slice; one process of the program runs on each. Worked: 16 in v5p-128, 4 in v5litepod-16.
[[nodiscard]] constexpr std::int64_t vms(const slice& where) {
  return ceil_div(chips(where), detail::positive_count("slice.chips_per_vm", where.chips_per_vm));
}
/// Physical hosts, in eighths and quarters where one is shared with other slices. Worked: 16 for v5p-128; 2 for
/// v5litepod-16 (4 VMs); 0.125 for v5litepod-1.
[[nodiscard]] constexpr double hosts(const slice& where) {
  return static_cast<double>(chips(where)) /
         static_cast<double>(detail::positive_count("chip.host.chips", where.chip.host.chips));
}
/// Per axis, whether it wraps. Worked: v5p-128 on all three axes.
[[nodiscard]] constexpr std::array<known<bool>, 3> wraparound(const slice& where) {
  return wraparound(where.shape, where.chip.ici.wraparound, where.chip.pod.shape);
}
/// Whether every axis wraps; unknown where that of an axis is. Worked: yes for v5p-128, no for v5litepod-128.
[[nodiscard]] constexpr known<bool> fully_wrapped(const slice& where) {
  const std::array<known<bool>, 3> axes = wraparound(where);
  for (std::int32_t axis = 0; axis < where.shape.axes; ++axis) {
    const known<bool>& wraps = axes[static_cast<std::size_t>(axis)];
    if (!wraps.has_value()) return unknown;
    if (!wraps.value()) return false;
  }
  return true;
}
/// Whether the service runs it as one slice: not above the largest that is scheduled. Worked: v5p-17920 is not.
[[nodiscard]] constexpr bool schedulable(const slice& where) { return chips(where) <= where.chip.pod.largest_slice; }
/// HBM of the whole slice that a program may use, where the chip's budget is known, else all of it.
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
  return where.chip.ici.link_one_way * (static_cast<double>(rows) * rings);
}

namespace detail {

constexpr slice to_slice(const slice_row& row) noexcept {
  const chip_spec& chip = generations[static_cast<std::size_t>(row.generation)];
  return {chip, topology{{row.a, row.b, row.c}, chip.ici.axes}, row.chips_per_vm};
}

constexpr bool is_shape(const slice_row& row, const topology& shape) noexcept {
  return row.a == shape.dims[0] && row.b == shape.dims[1] && row.c == shape.dims[2];
}

constexpr std::int64_t chips(const slice_row& row) noexcept { return std::int64_t{row.a} * row.b * row.c; }

constexpr std::int64_t generation_index(const chip_spec& chip) noexcept {
  for (std::size_t i = 0; i < generations.size(); ++i) {
    if (generations[i].name == chip.name) return static_cast<std::int64_t>(i);
  }
  return -1;
}

/// The row that a name with that many chips stands for; none for counts that no name has.
constexpr const slice_row* named_row(std::int64_t generation, std::int64_t chip_count) noexcept {
  for (const slice_row& row : slice_rows) {
    if (row.generation == generation && chips(row) == chip_count) return &row;
  }
  return nullptr;
}

/// The number that stands in the name of a slice with that many chips.
constexpr std::int64_t name_number(const chip_spec& chip, std::int64_t chip_count) {
  return chip.slice_name_counts == name_counts::chips ? chip_count : checked_multiply(chip_count, chip.tensorcores);
}

}  // namespace detail

/// The documented slices, by index: `slice_at(0)` … `slice_at(slice_count - 1)`.
inline constexpr std::size_t slice_count = detail::slice_rows.size();
/// The documented slice of that index; a larger one is refused.
[[nodiscard]] constexpr slice slice_at(std::size_t index) {
  if (index >= slice_count) {
    detail::fail(errc::out_of_range, "slice_at: index", static_cast<std::int64_t>(index), "0 to slice_count - 1");
  }
  return detail::to_slice(detail::slice_rows[index]);
}

/// What the slice is called: its accelerator type where its shape is the one that the name stands for ("v5p-128",
/// "v5litepod-16"), else generation and shape ("v4-4x4x16"). `slice_for` reads both.
[[nodiscard]] constexpr text<40> name(const slice& where) {
  text<40> result{slice_prefix(where.chip)};
  result.append("-");
  const detail::slice_row* row = detail::named_row(detail::generation_index(where.chip), chips(where));
  if (row != nullptr && detail::is_shape(*row, where.shape)) {
    return result.append(detail::name_number(where.chip, chips(where)));
  }
  return result.append(name(where.shape));
}

/// Several slices alike; refuses a count below 1. Worked: "4 x v6e-256" for 4, "v6e-256" for one.
[[nodiscard]] constexpr text<64> name(const slice& where, std::int64_t count) {
  text<64> result;
  if (detail::positive_count("slices", count) > 1) result.append(count).append(" x ");
  return result.append(name(where).view());
}

/// Whether a chip can be cut into that shape. Three dimensions: 2x2x1, 2x2x2, 2x2x4, 2x4x4, and AxBxC of multiples of 4
/// with A <= B <= C (one chip on tpu7x). Two dimensions: the documented shapes of the generations; for other chips
/// sides that are powers of two, equal or one twice the other. Up to the largest slice, or a documented name above it.
/// Worked: 4x4x12 of v5p is valid, 4x12x4 and 4x4x6 are not. Source: KubeRay's copy of GKE "Plan TPUs", xpk.
[[nodiscard]] constexpr bool is_valid_shape(const chip_spec& chip, const topology& shape) {
  if (shape.axes != chip.ici.axes) return false;
  const std::int64_t generation = detail::generation_index(chip);
  for (const detail::slice_row& row : detail::slice_rows) {
    if (row.generation == generation && detail::is_shape(row, shape)) return true;
  }
  const std::array<std::int32_t, 3>& d = shape.dims;
  if (chips(shape) > chip.pod.largest_slice || d[0] > d[1]) return false;
  if (shape.axes == 3) {
    const bool small =
        (d[0] == 2 && d[1] == 2 && (d[2] == 1 || d[2] == 2 || d[2] == 4)) || (d[0] == 2 && d[1] == 4 && d[2] == 4);
    return small || (d[0] % 4 == 0 && d[1] % 4 == 0 && d[2] % 4 == 0 && d[1] <= d[2]);
  }
  return generation < 0 && is_power_of_two(d[0]) && (d[1] == d[0] || (d[1] == 2 * d[0] && d[0] > 1));
}

/// The slice of that chip in that shape, with the default VM layout (or `chips_per_vm` where it is given). Throws
/// `errc::unknown_name` for shapes that cannot be cut, and `errc::not_divisible` for VMs that do not tile it.
/// Worked: slice_of(v5p, {4, 4, 12}) has 192 chips.
[[nodiscard]] constexpr slice slice_of(const chip_spec& chip, const topology& shape, std::int64_t chips_per_vm = 0) {
  if (!is_valid_shape(chip, shape)) {
    detail::fail(errc::unknown_name, "slice shape", name(shape).view(),
                 chip.ici.axes == 3 ? "2x2x1, 2x2x2, 2x2x4, 2x4x4, or AxBxC of multiples of 4 with A <= B <= C"
                                    : "1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16 as far as the generation has them");
  }
  slice result{chip, shape, chips_per_vm};
  if (chips_per_vm == 0) {
    result.chips_per_vm = chips(shape) < 4 ? chips(shape) : 4;
    for (const detail::slice_row& row : detail::slice_rows) {
      if (row.generation == detail::generation_index(chip) && detail::is_shape(row, shape)) {
        result.chips_per_vm = row.chips_per_vm;
        break;
      }
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
  const std::int64_t generation = detail::generation_index(where.chip);
  for (const machine_type& candidate : machine_types) {
    if (candidate.generation != generation || candidate.chips != where.chips_per_vm) continue;
    if (detail::starts_with_name(candidate.name, "ct5l-")) continue;  // the older single-host product of v5e
    const bool single_host_only = candidate.name == "ct3-hightpu-4t";
    const bool multi_host_only = candidate.name == "ct3p-hightpu-4t";
    if ((single_host_only && vms(where) > 1) || (multi_host_only && vms(where) == 1)) continue;
    return candidate;
  }
  return nothing;
}

namespace detail {

/// A name split at its separator: "v5p-128" is the chip v5p and the rest "128".
struct slice_name_parts {
  bool found = false;
  chip_spec chip{};
  std::string_view rest{};
};

constexpr slice_name_parts split_slice_name(std::string_view given) noexcept {
  for (std::size_t i = given.size(); i-- > 1;) {
    if (given[i] != '-' && given[i] != ':' && given[i] != ' ') continue;
    if (const maybe<chip_spec> chip = find_chip(given.substr(0, i))) return {true, *chip, given.substr(i + 1)};
  }
  return {};
}

/// The default slice of one VM of that machine type.
constexpr maybe<slice> find_machine_slice(std::string_view given) {
  for (const machine_type& type : machine_types) {
    if (!same_name(type.name, given)) continue;
    for (const slice_row& row : slice_rows) {
      if (row.generation == type.generation && chips(row) == type.chips && row.chips_per_vm == type.chips) {
        return to_slice(row);
      }
    }
  }
  return nothing;
}

}  // namespace detail

/// The slice of that name: an accelerator type ("v5p-128", "v5litepod-16", "v6e-64", "v3-8") under any alias of its
/// chip ("v5e-16", "v7x-128", "Trillium-64"), a chip and a shape ("v5p:4x4x12", "v6e-8x16"), or a machine type
/// ("ct6e-standard-8t", one VM). Nothing if there is none. Worked: find_slice("v5e-32") has 32 chips, "v3-32" has 16.
[[nodiscard]] constexpr maybe<slice> find_slice(std::string_view given) {
  if (const maybe<slice> one_vm = detail::find_machine_slice(given)) return one_vm;
  const detail::slice_name_parts parts = detail::split_slice_name(given);
  if (!parts.found) return nothing;
  if (const maybe<topology> shape = parse_topology(parts.rest)) {
    if (!is_valid_shape(parts.chip, *shape)) return nothing;
    return slice_of(parts.chip, *shape);
  }
  const std::int64_t number = detail::parse_count(parts.rest);
  const std::int64_t per_chip = detail::name_number(parts.chip, 1);
  if (number < 1 || number % per_chip != 0) return nothing;
  const detail::slice_row* row = detail::named_row(detail::generation_index(parts.chip), number / per_chip);
  if (row == nullptr) return nothing;
  return detail::to_slice(*row);
}

/// A slice of a chip with that many chips: the named one, else the most even valid shape; nothing where there is none.
/// Worked: find_slice_of_size(v5p, 64) is v5p-128; of v4 with 3072 chips it is 12x16x16.
[[nodiscard]] constexpr maybe<slice> find_slice_of_size(const chip_spec& chip, std::int64_t chip_count) {
  if (chip_count < 1 || chip_count > chip.pod.largest_slice) return nothing;
  if (const detail::slice_row* row = detail::named_row(detail::generation_index(chip), chip_count)) {
    return slice_of(chip, detail::to_slice(*row).shape, row->chips_per_vm);
  }
  topology best{};
  std::int64_t longest = chip_count + 1;
  for (std::int32_t a = 1; std::int64_t{a} * a <= chip_count; a = a < 4 ? a * 2 : a + 4) {
    const bool flat = chip.ici.axes == 2;
    for (std::int32_t b = a; std::int64_t{a} * b * (flat ? 1 : b) <= chip_count; b = b < 4 ? b * 2 : b + 4) {
      const std::int64_t c = chip_count / (std::int64_t{a} * b);
      if (c * a * b != chip_count || c > 16384 || (flat && c != 1)) continue;
      const topology shape{{a, b, static_cast<std::int32_t>(c)}, chip.ici.axes};
      if (shape.dims[2] >= longest || !is_valid_shape(chip, shape)) continue;
      best = shape;
      longest = shape.dims[2];
    }
  }
  if (longest > chip_count) return nothing;
  return slice_of(chip, best);
}

/// The sizes next to a wrong name of a known chip.
struct nearest_slices {
  maybe<slice> smaller{};  ///< at most that many chips
  maybe<slice> larger{};   ///< at least that many chips
};

/// The named slices of a chip just below and just above that many chips, or exactly so in both places.
/// Worked: nearest(v5e, 24) are v5litepod-16 and v5litepod-32.
[[nodiscard]] constexpr nearest_slices nearest(const chip_spec& chip, std::int64_t chip_count) {
  const detail::slice_row* smaller = nullptr;
  const detail::slice_row* larger = nullptr;
  const std::int64_t generation = detail::generation_index(chip);
  for (const detail::slice_row& row : detail::slice_rows) {
    const std::int64_t size = detail::chips(row);
    if (row.generation != generation || size > chip.pod.largest_slice) continue;
    if (size <= chip_count && (smaller == nullptr || detail::chips(*smaller) < size)) smaller = &row;
    if (size >= chip_count && (larger == nullptr || detail::chips(*larger) > size)) larger = &row;
  }
  const auto slice_from = [](const detail::slice_row* row) {
    return row == nullptr ? maybe<slice>{} : maybe<slice>{detail::to_slice(*row)};
  };
  return {slice_from(smaller), slice_from(larger)};
}

namespace detail {

/// What would have been valid instead of a wrong slice name.
constexpr text<160> slice_hint(std::string_view given) {
  if (starts_with_name(given, "ct5lp-hightpu-") || starts_with_name(given, "ct6e-standard-")) {
    const bool v5e_machine = starts_with_name(given, "ct5lp");
    return v5e_machine ? "no such machine type; ct5lp-hightpu-1t, -4t and -8t are all there are; a larger slice is "
                         "several ct5lp-hightpu-4t: v5litepod-32 is 8 of them"
                       : "no such machine type; ct6e-standard-1t, -4t and -8t are all there are; a larger slice is "
                         "several ct6e-standard-4t: v6e-32 is 8 of them";
  }
  const slice_name_parts parts = split_slice_name(given);
  if (!parts.found) return "a chip (v2, v3, v4, v5e, v5p, v6e, tpu7x), a dash and a size or shape: v5e-16, v5p-4x4x4";
  std::int64_t wanted = parse_count(parts.rest);
  if (const maybe<topology> shape = parse_topology(parts.rest)) {
    wanted = tpuplan::chips(*shape);
  } else if (wanted > 0) {
    wanted = ceil_div(wanted, name_number(parts.chip, 1));
  } else if (parts.rest.size() > 9 && parts.rest.find_first_not_of("0123456789") == std::string_view::npos) {
    wanted = 999999999;  // more digits than are read: larger than any
  }
  text<160> hint;
  const nearest_slices near = nearest(parts.chip, wanted < 1 ? 1 : wanted);
  if (near.smaller) {
    hint.append(name(*near.smaller)).append(" (").append(tpuplan::chips(*near.smaller)).append(" chips, ");
    hint.append(name(near.smaller->shape)).append(")");
  }
  if (near.larger && !(near.smaller && near.larger->shape == near.smaller->shape)) {
    if (near.smaller) hint.append(" or ");
    hint.append(name(*near.larger)).append(" (").append(tpuplan::chips(*near.larger)).append(" chips, ");
    hint.append(name(near.larger->shape)).append(")");
  }
  return hint;
}

}  // namespace detail

/// The slice of that name, as `find_slice`. A wrong one throws `errc::unknown_name`, whose message gives the sizes next
/// to it: "v5e-24" answers with v5litepod-16 and v5litepod-32.
[[nodiscard]] constexpr slice slice_for(std::string_view given) {
  if (const maybe<slice> found = find_slice(given)) return *found;
  detail::fail(errc::unknown_name, "slice", given, detail::slice_hint(given).view());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
