#ifndef TPUPLAN_HARDWARE_GENERATIONS_HPP
#define TPUPLAN_HARDWARE_GENERATIONS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/maybe.hpp>

/// @file
/// The table of TPU generations. Every figure stands in data/hardware.json with its source, its confidence and the
/// values of other sources; a test holds the two together, field by field.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {
/// A shape of the table: axes beyond the second are given for three-dimensional networks only.
constexpr topology grid(std::int32_t a, std::int32_t b) noexcept { return topology{{a, b, 1}, 2}; }
constexpr topology torus(std::int32_t a, std::int32_t b, std::int32_t c) noexcept { return topology{{a, b, c}, 3}; }
}  // namespace detail

/// TPU v2.
inline constexpr chip_spec v2 = {
    "v2",
    /*announced_year*/ 2017,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {1, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {46_TFLOP_per_s, absent, absent, absent},
    /*clock*/ 700_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {16_GiB, 16_GiB, 8034189312_B, 700_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {16_MiB, unknown, 0_B, 16_KiB},
    /*sparsecores*/ unknown,
    /*ici: links, axes, link_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 62_GB_per_s, 0.9, wraparound_rule::whole_pod, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {detail::grid(16, 16), 256},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v3.
inline constexpr chip_spec v3 = {
    "v3",
    /*announced_year*/ 2018,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {123_TFLOP_per_s, absent, absent, absent},
    /*clock*/ 940_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {32_GiB, 32_GiB, 16624123904_B, 900_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {16_MiB, unknown, 0_B, 16_KiB},
    /*sparsecores*/ unknown,
    /*ici: links, axes, link_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 82_GB_per_s, 0.9, wraparound_rule::whole_pod, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {detail::grid(32, 32), 1024},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v4.
inline constexpr chip_spec v4 = {
    "v4",
    /*announced_year*/ 2021,
    /*tensorcores*/ 2,
    /*jax_devices*/ 1,
    /*megacore*/ true,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {4, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {275_TFLOP_per_s, 275_TFLOP_per_s, unknown, unknown},
    /*clock*/ 1050_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {32_GiB, 32_GiB, 33017561088_B, 1200_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/
    {16_MiB, unknown, 128_MiB, 1_MiB},
    /*sparsecores*/ std::int64_t{4},
    /*ici: links, axes, link_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 50_GB_per_s, 0.9, wraparound_rule::whole_cubes, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, 16_GB_per_s, 6.25_GB_per_s},
    /*pod: shape, largest_slice*/ {detail::torus(16, 16, 16), 4096},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v5e, in slice names v5litepod.
inline constexpr chip_spec v5e = {
    "v5e",
    /*announced_year*/ 2023,
    /*tensorcores*/ 1,
    /*jax_devices*/ 1,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {4, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {197_TFLOP_per_s, 393_TFLOP_per_s, unknown, 788_TFLOP_per_s},
    /*clock*/ 1500_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {16_GiB, 16_GB, 16909332480_B, 819_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {128_MiB, 22.0, 0_B, 1_MiB},
    /*sparsecores*/ std::int64_t{0},
    /*ici: links, axes, link_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 50_GB_per_s, 0.9, wraparound_rule::axis_of_16, absent},
    /*host: chips, dram, pcie, dcn*/ {8, 512_GiB, 16_GB_per_s, 3.125_GB_per_s},
    /*pod: shape, largest_slice*/ {detail::grid(16, 16), 256},
    /*slice_name_counts*/ name_counts::chips};

/// TPU v5p.
inline constexpr chip_spec v5p = {
    "v5p",
    /*announced_year*/ 2023,
    /*tensorcores*/ 2,
    /*jax_devices*/ 1,
    /*megacore*/ true,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {4, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {459_TFLOP_per_s, 918_TFLOP_per_s, 459_TFLOP_per_s, 1840_TFLOP_per_s},
    /*clock*/ 1750_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {96_GiB, 95_GiB, 102803439616_B, 2765_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {64_MiB, unknown, 0_B, 1_MiB},
    /*sparsecores*/ std::int64_t{4},
    /*ici: links, axes, link_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 100_GB_per_s, 0.9, wraparound_rule::whole_cubes, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, 16_GB_per_s, 6.25_GB_per_s},
    /*pod: shape, largest_slice*/ {detail::torus(16, 20, 28), 6144},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v6e, Trillium.
inline constexpr chip_spec v6e = {
    "v6e",
    /*announced_year*/ 2024,
    /*tensorcores*/ 1,
    /*jax_devices*/ 1,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 2},
    /*peak: bf16, int8, fp8, int4*/ {918_TFLOP_per_s, 1836_TFLOP_per_s, 918_TFLOP_per_s, 3680_TFLOP_per_s},
    /*clock*/ 1750_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {32_GiB, 32_GiB, 33550237696_B, 1638_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {128_MiB, unknown, 0_B, 1_MiB},
    /*sparsecores*/ std::int64_t{2},
    /*ici: links, axes, link_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 100_GB_per_s, 0.9, wraparound_rule::axis_of_16, absent},
    /*host: chips, dram, pcie, dcn*/ {8, 1536_GiB, 32_GB_per_s, 12.5_GB_per_s},
    /*pod: shape, largest_slice*/ {detail::grid(16, 16), 256},
    /*slice_name_counts*/ name_counts::chips};

/// TPU7x, Ironwood.
inline constexpr chip_spec tpu7x = {
    "tpu7x",
    /*announced_year*/ 2025,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 2},
    /*peak: bf16, int8, fp8, int4*/ {2307_TFLOP_per_s, unknown, 4614_TFLOP_per_s, unknown},
    /*clock*/ unknown,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {192_GiB, 192_GiB, 101737037824_B, 7380_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {64_MiB, unknown, 0_B, 1_MiB},
    /*sparsecores*/ std::int64_t{4},
    /*ici: links, axes, link_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 100_GB_per_s, 0.9, wraparound_rule::whole_cubes, 6.0},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, unknown, 12.5_GB_per_s},
    /*pod: shape, largest_slice*/ {detail::torus(16, 24, 24), 9216},
    /*slice_name_counts*/ name_counts::tensorcores};

/// All generations, oldest first.
inline constexpr std::array<chip_spec, 7> generations = {v2, v3, v4, v5e, v5p, v6e, tpu7x};

namespace detail {
struct chip_alias {
  std::string_view name;
  std::size_t generation;
};
/// What people and other tools call them. JAX prints device kinds such as "TPU v5 lite" and "TPU v6 lite".
inline constexpr std::array<chip_alias, 20> chip_aliases = {{
    {"v2", 0},      {"v3", 1},  {"v4", 2}, {"v4p", 2}, {"v5e", 3},      {"v5litepod", 3}, {"v5lite", 3},
    {"v5 lite", 3}, {"v5p", 4}, {"v5", 4}, {"v6e", 5}, {"v6", 5},       {"v6 lite", 5},   {"trillium", 5},
    {"tpu7x", 6},   {"v7x", 6}, {"7x", 6}, {"v7", 6},  {"ironwood", 6}, {"tpu7", 6},
}};
}  // namespace detail

/// The chip of that name or alias, letter case ignored, "TPU " in front allowed; nothing if there is none.
/// Worked: find_chip("Ironwood") is tpu7x.
[[nodiscard]] constexpr maybe<chip_spec> find_chip(std::string_view given) noexcept {
  if (detail::starts_with_name(given, "tpu ") || detail::starts_with_name(given, "tpu-")) given.remove_prefix(4);
  for (const detail::chip_alias& alias : detail::chip_aliases) {
    if (detail::same_name(given, alias.name)) return generations[alias.generation];
  }
  return nothing;
}

/// The chip of that name; an unknown one throws `errc::unknown_name` and lists the valid ones.
[[nodiscard]] constexpr chip_spec chip_for(std::string_view given) {
  if (const maybe<chip_spec> found = find_chip(given)) return *found;
  detail::fail(errc::unknown_name, "chip", given, "v2, v3, v4, v5e, v5p, v6e or tpu7x");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
