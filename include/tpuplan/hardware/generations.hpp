#ifndef TPUPLAN_HARDWARE_GENERATIONS_HPP
#define TPUPLAN_HARDWARE_GENERATIONS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/hardware/chip.hpp>

/// @file
/// The generations of TPU, and a chip by any of its names. The tables between the marks are generated from
/// data/hardware.json by `cmake --build BUILD --target generate`, and are not edited here: every figure stands there
/// with its source, its confidence and the values of other sources.

namespace tpuplan {
inline namespace abi_0 {

// generated: chips from data/hardware.json
/// TPU v2.
inline constexpr chip_spec v2 = {
    "v2",
    /*announced_year*/ 2017,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {1, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {46_TFLOP_per_s, absent, absent, absent},
    /*clock*/ 700_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {16_GiB, 16_GiB, 8034189312_B, 700_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {16_MiB, unknown, 0_B, 16_KiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ unknown,
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 62_GB_per_s, 0.9, wraparound_rule::whole_pod, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {{16, 16}, 256},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v3.
inline constexpr chip_spec v3 = {
    "v3",
    /*announced_year*/ 2018,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {123_TFLOP_per_s, absent, absent, absent},
    /*clock*/ 940_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {32_GiB, 32_GiB, 16624123904_B, 900_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {16_MiB, unknown, 0_B, 16_KiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ unknown,
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 82_GB_per_s, 0.9, wraparound_rule::whole_pod, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {{32, 32}, 1024},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v4, also v4p.
inline constexpr chip_spec v4 = {
    "v4",
    /*announced_year*/ 2021,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 1,
    /*megacore*/ true,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {4, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {275_TFLOP_per_s, 275_TFLOP_per_s, absent, absent},
    /*clock*/ 1050_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {32_GiB, 32_GiB, 33017561088_B, 1200_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/
    {16_MiB, unknown, 128_MiB, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ std::int64_t{4},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 50_GB_per_s, 0.9, wraparound_rule::whole_cubes, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, 16_GB_per_s, 6.25_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 16, 16}, 4096},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v5e, also v5litepod, also TPU v5 lite.
inline constexpr chip_spec v5e = {
    "v5e",
    /*announced_year*/ 2023,
    /*announced_only*/ false,
    /*tensorcores*/ 1,
    /*jax_devices*/ 1,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {4, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {197_TFLOP_per_s, 393_TFLOP_per_s, 197_TFLOP_per_s, 788_TFLOP_per_s},
    /*clock*/ 1500_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {16_GiB, 16_GB, 16909332480_B, 819_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {128_MiB, 22.0, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ std::int64_t{0},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 50_GB_per_s, 0.9, wraparound_rule::axis_of_16, absent},
    /*host: chips, dram, pcie, dcn*/ {8, 512_GiB, 16_GB_per_s, 3.125_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 16}, 256},
    /*slice_name_counts*/ name_counts::chips};

/// TPU v5p.
inline constexpr chip_spec v5p = {
    "v5p",
    /*announced_year*/ 2023,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 1,
    /*megacore*/ true,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {4, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {459_TFLOP_per_s, 918_TFLOP_per_s, 459_TFLOP_per_s, 1840_TFLOP_per_s},
    /*clock*/ 1750_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {96_GiB, 95_GiB, 102803439616_B, 2765_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {64_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ std::int64_t{4},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 100_GB_per_s, 0.9, wraparound_rule::whole_cubes, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, 16_GB_per_s, 6.25_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 20, 28}, 6144},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v6e, also Trillium, also TPU v6 lite.
inline constexpr chip_spec v6e = {
    "v6e",
    /*announced_year*/ 2024,
    /*announced_only*/ false,
    /*tensorcores*/ 1,
    /*jax_devices*/ 1,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 2},
    /*peak: bf16, int8, fp8, int4*/ {918_TFLOP_per_s, 1836_TFLOP_per_s, 918_TFLOP_per_s, 3680_TFLOP_per_s},
    /*clock*/ 1750_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {32_GiB, 32_GiB, 33550237696_B, 1638_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {128_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ std::int64_t{2},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 100_GB_per_s, 0.9, wraparound_rule::axis_of_16, absent},
    /*host: chips, dram, pcie, dcn*/ {8, 1536_GiB, 32_GB_per_s, 12.5_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 16}, 256},
    /*slice_name_counts*/ name_counts::chips};

/// TPU7x, also Ironwood, also TPU v7.
inline constexpr chip_spec tpu7x = {
    "tpu7x",
    /*announced_year*/ 2025,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 2},
    /*peak: bf16, int8, fp8, int4*/ {2307_TFLOP_per_s, absent, 4614_TFLOP_per_s, absent},
    /*clock*/ unknown,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {192_GiB, 192_GiB, 101737037824_B, 7380_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {64_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, true},
    /*sparsecores*/ std::int64_t{4},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 100_GB_per_s, 0.9, wraparound_rule::whole_cubes, 6.0},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, unknown, 12.5_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 24, 24}, 9216},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU 8t.
inline constexpr chip_spec tpu8t = {
    "tpu8t",
    /*announced_year*/ 2026,
    /*announced_only*/ true,
    /*tensorcores*/ 1,
    /*jax_devices*/ 1,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 2},
    /*peak: bf16, int8, fp8, int4*/ {996.1_TFLOP_per_s, 996.1_TFLOP_per_s, 5976.9_TFLOP_per_s, 11953.8_TFLOP_per_s},
    /*clock*/ 1900_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {216_GiB, 216_GiB, unknown, 6528_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {128_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {16, 128, true},
    /*sparsecores*/ std::int64_t{2},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 200_GB_per_s, 0.9, wraparound_rule::whole_pod, absent},
    /*host: chips, dram, pcie, dcn*/ {0, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {{}, 9600},
    /*slice_name_counts*/ name_counts::chips};

/// TPU 8i.
inline constexpr chip_spec tpu8i = {
    "tpu8i",
    /*announced_year*/ 2026,
    /*announced_only*/ true,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 1},
    /*peak: bf16, int8, fp8, int4*/ {1101_TFLOP_per_s, absent, 8808_TFLOP_per_s, unknown},
    /*clock*/ 2100_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {288_GiB, 288_GiB, unknown, 8601_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {192_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, true},
    /*sparsecores*/ absent,
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {0, 0, 0_GB_per_s, 0.9, wraparound_rule::whole_pod, unknown},
    /*host: chips, dram, pcie, dcn*/ {0, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {{}, 1024},
    /*slice_name_counts*/ name_counts::chips};

/// All generations, oldest first.
inline constexpr std::array<chip_spec, 9> generations = {v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t, tpu8i};
// end of generated: chips

namespace detail {

/// A name that people or other tools give a chip, "TPU " in front of it left out, and the chip's name here.
struct chip_alias {
  const char* name;
  const char* chip;
};

// generated: chip_aliases from data/hardware.json
// clang-format off
inline constexpr chip_alias chip_aliases[] = {
    {"v2", "v2"}, {"v3", "v3"}, {"v4", "v4"}, {"v4p", "v4"}, {"v5e", "v5e"}, {"v5litepod", "v5e"}, {"v5 lite", "v5e"},
    {"v5lite", "v5e"}, {"v5lite_pod", "v5e"}, {"v5p", "v5p"}, {"v5", "v5p"}, {"v6e", "v6e"}, {"trillium", "v6e"},
    {"v6 lite", "v6e"}, {"v6", "v6e"}, {"tpu7x", "tpu7x"}, {"ironwood", "tpu7x"}, {"v7", "tpu7x"}, {"tpu7", "tpu7x"},
    {"v7x", "tpu7x"}, {"7x", "tpu7x"}, {"v7x-slice", "tpu7x"}, {"tpu8t", "tpu8t"}, {"8t", "tpu8t"}, {"tpu8i", "tpu8i"},
    {"8i", "tpu8i"}, {"v8i", "tpu8i"},
};
// clang-format on
// end of generated: chip_aliases

/// The names of the chips for which `wanted(name)` is true, as a message lists them: "v5e, v5p or v6e".
template <class Wanted>
constexpr text<160> chip_names_where(Wanted wanted) {
  text<160> list;
  std::string_view last;
  for (const chip_spec& chip : generations) {
    if (!wanted(chip.name.view())) continue;
    if (!last.empty()) list.append(list.empty() ? "" : ", ").append(last);
    last = chip.name.view();
  }
  return list.append(list.empty() ? "" : " or ").append(last);
}

}  // namespace detail

/// The names of all generations as a message lists them, announced ones included. Worked: the list begins "v2, v3, v4,
/// v5e".
[[nodiscard]] constexpr text<160> chip_names() {
  return detail::chip_names_where([](std::string_view) { return true; });
}

/// The chip of that name or alias, letter case ignored, "TPU " in front allowed; nothing if there is none.
/// Worked: find_chip("Ironwood") is tpu7x.
[[nodiscard]] constexpr maybe<chip_spec> find_chip(std::string_view given) noexcept {
  if (detail::starts_with_name(given, "tpu ") || detail::starts_with_name(given, "tpu-")) given.remove_prefix(4);
  std::string_view wanted;
  for (const detail::chip_alias& alias : detail::chip_aliases) {
    if (detail::same_name(given, alias.name)) wanted = alias.chip;
  }
  for (const chip_spec& chip : generations) {
    if (!wanted.empty() && chip.name == wanted) return chip;
  }
  return nothing;
}

/// The chip of that name; an unknown one throws `errc::unknown_name` and lists the valid ones. Worked:
/// chip_for("Ironwood") is tpu7x.
[[nodiscard]] constexpr chip_spec chip_for(std::string_view given) {
  if (const maybe<chip_spec> found = find_chip(given)) return *found;
  detail::fail(errc::unknown_name, "chip", given, chip_names().view());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
