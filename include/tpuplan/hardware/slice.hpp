#ifndef TPUPLAN_HARDWARE_SLICE_HPP
#define TPUPLAN_HARDWARE_SLICE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/hardware/slice_shape.hpp>

/// @file
/// Finds slices by name (accelerator type, shape, machine type or GKE label) or by number of chips, and the valid names
/// nearest to a wrong one.

namespace tpuplan {
inline namespace abi_0 {

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

/// Whether Compute Engine offers the shape as one VM of one or two chips, though no slice name may stand for it: v5p
/// has both. Two chips are one link apart, whichever axis it lies on.
constexpr bool is_small_vm(const chip_spec& chip, const topology& shape) {
  const std::int64_t size = tpuplan::chips(shape);
  if (shape.axes != chip.ici.axes || size > 2) return false;
  for (const machine_row& type : machine_rows) {
    if (chip.name == type.chip && type.chips == size && type.makes_one_vm) return true;
  }
  return false;
}

/// The slice of a chip in a shape as people write it: lengths in any order, since a torus is the same in each.
constexpr maybe<slice> find_shape(const chip_spec& chip, const topology& given) {
  const topology ordered = ascending(given);
  if (is_small_vm(chip, given)) {
    return is_valid_shape(chip, given) ? slice_of(chip, given) : slice{chip, ordered, tpuplan::chips(given)};
  }
  if (is_valid_shape(chip, given)) return slice_of(chip, given);
  if (is_valid_shape(chip, ordered)) return slice_of(chip, ordered);
  return nothing;
}

/// Whether VMs of that type make up the slice. A type marked for slices of neither one nor several VMs counts as one
/// VM, as ct5l does.
constexpr bool makes_up(const machine_row& type, const slice& where) {
  const std::int64_t size = tpuplan::chips(where);
  if (size == type.chips) return type.makes_one_vm || !type.makes_several_vms;
  return type.makes_several_vms && size > type.chips && size % type.chips == 0;
}

/// The default slice of one VM of that machine type.
constexpr maybe<slice> find_machine_slice(std::string_view given) {
  for (const machine_row& type : machine_rows) {
    if (!same_name(type.name, given)) continue;
    const chip_spec chip = chip_for(type.chip);
    for (const slice_row& row : slices_of(type.chip)) {
      if (chips(row) == type.chips && row.chips_per_vm() == type.chips) return to_slice(chip, row);
    }
    if (type.chips == 1) return find_shape(chip, topology{{1, 1, 1}, chip.ici.axes});
    if (type.chips == 2) return find_shape(chip, topology{{1, 1, 2}, chip.ici.axes});
  }
  return nothing;
}

/// A machine type or a GKE label followed by a shape: "ct6e-standard-4t:4x4", "tpu-v5-lite-podslice, 4x4".
struct placed_shape {
  std::string_view owner{};  ///< the machine type or label
  maybe<topology> shape{};   ///< nothing where the text behind it is no shape
};

constexpr placed_shape split_shape(std::string_view given) noexcept {
  const std::size_t at = given.find_last_of("-:, ");
  if (at == std::string_view::npos) return {};
  std::string_view owner = given.substr(0, at);
  while (!owner.empty() && (owner.back() == ',' || owner.back() == ':' || owner.back() == ' ')) owner.remove_suffix(1);
  return {owner, parse_topology(given.substr(at + 1))};
}

/// The slice of a shape on VMs of a machine type, or of nodes with a GKE label in their default layout.
constexpr maybe<slice> find_placed_slice(std::string_view given) {
  const placed_shape placed = split_shape(given);
  if (!placed.shape) return nothing;
  for (const machine_row& type : machine_rows) {
    const bool by_label = same_name(type.gke_label, placed.owner);
    if (!by_label && !same_name(type.name, placed.owner)) continue;
    const maybe<slice> where = find_shape(chip_for(type.chip), *placed.shape);
    if (!where || !makes_up(type, *where)) continue;
    return slice{where->chip, where->shape, by_label ? where->chips_per_vm : type.chips};
  }
  return nothing;
}

}  // namespace detail

/// The slice of that name: an accelerator type ("v5p-128", "v5litepod-16", "v6e-64", "v3-8") under any alias of its
/// chip ("v5e-16", "v7x-128", "Trillium-64"), a chip and a shape with its lengths in any order ("v5p:4x4x12",
/// "v6e-8x16", "v6e:16x8"), a machine type ("ct6e-standard-8t", one VM), or a shape behind a machine type or a label of
/// GKE ("ct6e-standard-4t:2x4", two VMs; "tpu-v5-lite-podslice:4x4"). Nothing if there is none.
/// Worked: find_slice("v5e-32") has 32 chips, "v3-32" has 16; "ct6e-standard-4t:2x4" is v6e-8 on two VMs.
[[nodiscard]] constexpr maybe<slice> find_slice(std::string_view given) {
  if (const maybe<slice> one_vm = detail::find_machine_slice(given)) return one_vm;
  if (const maybe<slice> placed = detail::find_placed_slice(given)) return placed;
  const detail::slice_name_parts parts = detail::split_slice_name(given);
  if (!parts.found) return nothing;
  if (const maybe<topology> shape = parse_topology(parts.rest)) return detail::find_shape(parts.chip, *shape);
  const std::int64_t number = detail::parse_count(parts.rest);
  const std::int64_t per_chip = detail::name_number(parts.chip, 1);
  if (number < 1 || number % per_chip != 0) return nothing;
  const detail::slice_row* row = detail::named_row(parts.chip.name, number / per_chip);
  if (row == nullptr) return nothing;
  return detail::to_slice(parts.chip, *row);
}

/// The same slice in its other documented division into VMs; nothing where only one is documented. Worked: v6e-8 is one
/// VM of ct6e-standard-8t or two of ct6e-standard-4t.
[[nodiscard]] constexpr maybe<slice> other_vm_layout(const slice& where) noexcept {
  for (const detail::slice_row& row : detail::slices_of(where.chip.name)) {
    if (!detail::is_shape(row, where.shape) || row.chips_per_vm() == where.chips_per_vm) continue;
    return slice{where.chip, where.shape, row.chips_per_vm()};
  }
  return nothing;
}

/// The machine type and shape of a slice, which `find_slice` reads back with its division into VMs; empty where no
/// machine type is documented. Worked: "ct6e-standard-4t:2x4" of v6e-8 on two VMs.
[[nodiscard]] constexpr text<64> machine_name(const slice& where) {
  text<64> result;
  if (const maybe<machine_type> type = machine_type_of(where))
    result.append(type->name).append(":").append(name(where.shape));
  return result;
}

namespace detail {

/// Which of several shapes with the same number of chips is meant.
enum class shape_choice : std::uint8_t {
  most_even,       ///< the one whose longest side is shortest
  shortest_first,  ///< the first in ascending order with no side above 256, as XPK reads a number of chips
};

/// The valid shape with that many chips; a topology of no chips where there is none.
constexpr topology shape_of_size(const chip_spec& chip, std::int64_t chip_count, shape_choice choice) {
  const bool most_even = choice == shape_choice::most_even;
  topology best{};
  std::int64_t longest = chip_count + 1;
  const bool flat = chip.ici.axes == 2;
  for (std::int32_t a = 1; std::int64_t{a} * a <= chip_count; a = a < 4 ? a * 2 : a + 4) {
    for (std::int32_t b = a; std::int64_t{a} * b * (flat || b == 2 ? 1 : b) <= chip_count; b = b < 4 ? b * 2 : b + 4) {
      const std::int64_t c = chip_count / (std::int64_t{a} * b);
      if (c * a * b != chip_count || c > (most_even ? 16384 : 256) || (flat && c != 1)) continue;
      const topology shape{{a, b, static_cast<std::int32_t>(c)}, chip.ici.axes};
      if (shape.dims[2] >= longest || !is_valid_shape(chip, shape)) continue;
      best = shape;
      longest = shape.dims[2];
      if (!most_even) return best;
    }
  }
  return best;
}

}  // namespace detail

/// A slice of a chip with that many chips: the named one, else the most even valid shape; nothing where there is none.
/// Worked: find_slice_of_size(v5p, 64) is v5p-128; of v4 with 3072 chips it is 12x16x16.
[[nodiscard]] constexpr maybe<slice> find_slice_of_size(const chip_spec& chip, std::int64_t chip_count) {
  if (chip_count < 1 || chip_count > chip.pod.largest_slice) return nothing;
  if (const detail::slice_row* row = detail::named_row(chip.name, chip_count)) return detail::to_slice(chip, *row);
  const topology best = detail::shape_of_size(chip, chip_count, detail::shape_choice::most_even);
  if (chips(best) == 0) return nothing;
  return slice_of(chip, best);
}

/// Whether a slice is the one that `find_slice_of_size` finds for its chip and its number of chips, and may be
/// scheduled. The planner considers these slices alone. Worked: v5litepod-8 (one VM) is, 2x4 of v5e on two VMs is not.
[[nodiscard]] constexpr bool is_default(const slice& where) {
  const maybe<slice> usual = find_slice_of_size(where.chip, chips(where));
  return usual && usual->shape == where.shape && usual->chips_per_vm == where.chips_per_vm;
}

/// The named slices next to a size that has no name.
struct nearest_slices {
  maybe<slice> smaller{};  ///< at most that many chips
  maybe<slice> larger{};   ///< at least that many chips
};

/// The named slices of a chip next to a number of chips: the largest that has no more, and the smallest that has no
/// fewer.
/// Worked: nearest(v5e, 24) are v5litepod-16 and v5litepod-32.
[[nodiscard]] constexpr nearest_slices nearest(const chip_spec& chip, std::int64_t chip_count) {
  const detail::slice_row* smaller = nullptr;
  const detail::slice_row* larger = nullptr;
  for (const detail::slice_row& row : detail::slices_of(chip.name)) {
    const std::int64_t size = detail::chips(row);
    if (size > chip.pod.largest_slice) continue;
    if (size <= chip_count && (smaller == nullptr || detail::chips(*smaller) < size)) smaller = &row;
    if (size >= chip_count && (larger == nullptr || detail::chips(*larger) > size)) larger = &row;
  }
  const auto slice_from = [&chip](const detail::slice_row* row) {
    return row == nullptr ? maybe<slice>{} : maybe<slice>{detail::to_slice(chip, *row)};
  };
  return {slice_from(smaller), slice_from(larger)};
}

namespace detail {

/// Whether a machine type has the name that Compute Engine lists as well as the one of Google's pages.
constexpr bool is_compute_engine_name(std::string_view type) noexcept {
  return type.size() > 4 && same_name(type.substr(type.size() - 4), "-tpu");
}

/// The name of a machine type without its number of chips: "ct6e-standard-".
constexpr std::string_view machine_family(std::string_view type) noexcept {
  if (is_compute_engine_name(type)) type.remove_suffix(4);
  return type.substr(0, type.rfind('-') + 1);
}

/// The chips that a machine type has by its name: 32 of "ct5lp-hightpu-32t"; -1 where the name has none.
constexpr std::int64_t chips_in_machine_name(std::string_view type) noexcept {
  type.remove_prefix(machine_family(type).size());
  if (type.empty() || to_lower(type.back()) != 't') return -1;
  return parse_count(type.substr(0, type.size() - 1));
}

/// The valid names to suggest for a machine type that its family does not have; empty where there is no such family.
/// A larger slice is several VMs: the example is the slice with as many chips as the wrong name says, else the
/// smallest.
constexpr text<160> machine_hint(std::string_view given) {
  text<160> hint;
  std::string_view chip;
  for (const machine_row& type : machine_rows) {
    if (!same_name(machine_family(type.name), machine_family(given))) continue;
    if (same_name(type.name, given)) return "another of its family: no source states the shape of this one's chips";
    if (is_compute_engine_name(type.name)) continue;
    hint.append(hint.empty() ? "no such machine type; there is " : ", ").append(type.name);
    chip = type.chip;
  }
  const slice_row* meant = named_row(chip, chips_in_machine_name(given));
  for (const slice_row& row : slices_of(chip)) {
    if (meant != nullptr && &row != meant) continue;
    const slice larger = to_slice(chip_for(chip), row);
    const maybe<machine_type> type = machine_type_of(larger);
    if (!type || vms(larger) == 1 || !is_named(larger)) continue;
    hint.append("; ").append(tpuplan::name(larger)).append(" is ").append(vms(larger));
    return hint.append(" VMs of ").append(type->name);
  }
  return hint;
}

/// The valid shapes to suggest for a wrong shape behind a machine type or GKE label, or for a label alone. Empty where
/// the name is neither.
constexpr text<160> placed_hint(std::string_view given) {
  const placed_shape placed = split_shape(given);
  text<160> hint;
  std::int64_t most = 0;
  for (const machine_row& type : machine_rows) {
    const bool by_label = type.gke_label[0] != '\0' && !same_name(type.gke_label, type.chip) &&
                          (same_name(type.gke_label, placed.owner) || same_name(type.gke_label, given));
    if (!by_label && !(placed.shape && same_name(type.name, placed.owner))) continue;
    const chip_spec chip = chip_for(type.chip);
    if (hint.empty()) hint.append("behind ").append(by_label ? type.gke_label : type.name).append(" a shape: ");
    if (chip.ici.axes == 3 && type.makes_several_vms) return hint.append(shape_hint(chip));
    for (const slice_row& row : slices_of(type.chip)) {
      if (chips(row) <= most || !makes_up(type, to_slice(chip, row))) continue;
      hint.append(most == 0 ? "" : ", ").append(name(to_slice(chip, row).shape));
      most = chips(row);
    }
    if (chip.ici.axes == 3) hint.append(type.chips == 1 ? "1x1x1" : "1x1x2");
  }
  return hint;
}

/// "v6e-4 (4 chips, 2x2)".
constexpr void append_with_chips(text<160>& hint, const slice& one) {
  const std::int64_t count = tpuplan::chips(one);
  hint.append(name(one)).append(" (").append(count).append(count == 1 ? " chip, " : " chips, ");
  hint.append(name(one.shape)).append(")");
}

/// The TPUs of notebooks that people name by the service; empty for other names. Source: googlecolab/colabtools issue
/// 5566 (2025-08-30: v5e-1 instead of v2-8), googlecolab/colab-vscode PR 63 (2025-04-02: v6e-1), jax-ml/jax-ai-stack PR
/// 242 (2025-10-09: Kaggle).
constexpr text<160> notebook_hint(std::string_view given) {
  if (same_name(given, "colab"))
    return "v5e-1, which Colab has free of charge since September 2025 (v2-8 before), or v6e-1";
  if (same_name(given, "kaggle")) return "v5e-8, which Kaggle has since 2025";
  return {};
}

/// The valid names to suggest for a wrong slice name.
constexpr text<160> slice_hint(std::string_view given) {
  text<160> hint = placed_hint(given);
  if (hint.empty()) hint = notebook_hint(given);
  if (hint.empty()) hint = machine_hint(given);
  if (!hint.empty()) return hint;
  const slice_name_parts parts = split_slice_name(given);
  if (!parts.found) return hint.append(chip_names()).append(", a dash and a size or shape: v5e-16, v5p-4x4x4");
  std::int64_t wanted = parse_count(parts.rest);
  if (const maybe<topology> shape = parse_topology(parts.rest)) {
    wanted = tpuplan::chips(*shape);
  } else if (wanted > 0) {
    wanted = ceil_div(wanted, name_number(parts.chip, 1));
  } else if (parts.rest.size() > 9 && parts.rest.find_first_not_of("0123456789") == std::string_view::npos) {
    wanted = 999999999;  // too many digits to read: larger than any slice
  }
  if (parts.chip.announced_only) return shape_hint(parts.chip);
  const topology first = parse_topology(parts.rest) || wanted > parts.chip.pod.largest_slice
                             ? topology{}
                             : shape_of_size(parts.chip, wanted, shape_choice::shortest_first);
  if (tpuplan::chips(first) > 0 && named_row(parts.chip.name, wanted) == nullptr) {
    const topology even = shape_of_size(parts.chip, wanted, shape_choice::most_even);
    hint.append(name(slice{parts.chip, first, 4}));
    if (even != first) hint.append(" or ").append(name(slice{parts.chip, even, 4}));
    hint.append(" (no number stands for them), ");
  }
  const nearest_slices closest = nearest(parts.chip, wanted < 1 ? 1 : wanted);
  if (closest.smaller) append_with_chips(hint, *closest.smaller);
  if (closest.larger && !(closest.smaller && closest.larger->shape == closest.smaller->shape)) {
    if (closest.smaller) hint.append(" or ");
    append_with_chips(hint, *closest.larger);
  }
  for (const machine_row& type : machine_rows) {
    if (parts.chip.name != type.chip || type.chips != parse_count(parts.rest) || !type.makes_one_vm) continue;
    return hint.append("; counted in chips: ").append(type.name);
  }
  return hint;
}

}  // namespace detail

/// The slice of that name, as `find_slice`. A wrong one throws `errc::unknown_name`, whose message gives the sizes next
/// to it: "v5e-24" answers with v5litepod-16 and v5litepod-32. Worked: slice_for("v5p-128") has 64 chips.
[[nodiscard]] constexpr slice slice_for(std::string_view given) {
  if (const maybe<slice> found = find_slice(given)) return *found;
  detail::fail(errc::unknown_name, "slice", given, detail::slice_hint(given).view());
}

/// The slice of that name, as `slice_for`, if it is scheduled as a whole. Throws `errc::out_of_range` for one larger
/// than the chip's largest slice. Worked: "v5p-128" has 64 chips; "v5p-17920", a whole pod, is refused.
[[nodiscard]] constexpr slice scheduled_slice(std::string_view given) {
  if (given.empty()) detail::fail(errc::missing_field, "slice", "missing", "a slice: v5p-128");
  const slice where = slice_for(given);
  if (schedulable(where)) return where;
  text<96> taken{given.substr(0, 64)};
  taken.append(" (").append_grouped(chips(where)).append(" chips)");
  text<96> valid{"at most "};
  valid.append_grouped(where.chip.pod.largest_slice).append(" chips, the largest slice of ");
  detail::fail(errc::out_of_range, "slice", taken.view(),
               valid.append(where.chip.name.view()).append(" that is scheduled").view());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
