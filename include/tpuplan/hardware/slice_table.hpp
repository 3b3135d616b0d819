#ifndef TPUPLAN_HARDWARE_SLICE_TABLE_HPP
#define TPUPLAN_HARDWARE_SLICE_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/known.hpp>
#include <tpuplan/base/text.hpp>

/// @file
/// The documented slices and machine types, each under the name of its chip. The tables between the marks are generated
/// from data/slices.json and data/hardware.json by `cmake --build BUILD --target generate`, and are not edited here;
/// everything else about a slice follows from its row and its chip.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// One documented slice: the chips along each axis, and the chips of one VM.
struct slice_row {
  std::int16_t a, b, c;
  std::int16_t chips_per_vm;
};

/// The slices of one chip. The first row with a given number of chips is the one that a name with that number
/// stands for, with its default VM layout; further rows are other VM layouts, and shapes that no name stands for.
struct slice_block {
  std::string_view chip{};    ///< the name of the chip
  std::string_view prefix{};  ///< what the names of its slices begin with: "v5litepod"
  const slice_row* rows = nullptr;
  std::size_t count = 0;

  [[nodiscard]] constexpr const slice_row* begin() const noexcept { return rows; }
  [[nodiscard]] constexpr const slice_row* end() const noexcept { return rows + count; }
};

// generated: slices from data/slices.json
// clang-format off
inline constexpr slice_row v2_slices[] = {
    {2, 2, 1, 4}, {4, 4, 1, 4}, {8, 8, 1, 4}, {8, 16, 1, 4}, {16, 16, 1, 4},
};
inline constexpr slice_row v3_slices[] = {
    {2, 2, 1, 4}, {4, 4, 1, 4}, {4, 8, 1, 4}, {8, 8, 1, 4}, {8, 16, 1, 4}, {16, 16, 1, 4}, {16, 32, 1, 4},
    {32, 32, 1, 4},
};
inline constexpr slice_row v4_slices[] = {
    {2, 2, 1, 4}, {2, 2, 2, 4}, {2, 2, 4, 4}, {2, 4, 4, 4}, {4, 4, 4, 4}, {4, 4, 8, 4}, {4, 4, 12, 4}, {4, 8, 8, 4},
    {8, 8, 8, 4}, {8, 8, 12, 4}, {8, 8, 16, 4}, {8, 16, 16, 4}, {16, 16, 16, 4}, {4, 4, 16, 4}, {4, 4, 32, 4},
    {4, 8, 16, 4}, {4, 16, 16, 4}, {4, 4, 128, 4}, {4, 8, 64, 4}, {4, 16, 32, 4},
};
inline constexpr slice_row v5e_slices[] = {
    {1, 1, 1, 1}, {2, 2, 1, 4}, {2, 4, 1, 8}, {2, 4, 1, 4}, {4, 4, 1, 4}, {4, 8, 1, 4}, {8, 8, 1, 4}, {8, 16, 1, 4},
    {16, 16, 1, 4},
};
inline constexpr slice_row v5p_slices[] = {
    {2, 2, 1, 4}, {2, 2, 2, 4}, {2, 2, 4, 4}, {2, 4, 4, 4}, {4, 4, 4, 4}, {4, 4, 8, 4}, {4, 4, 12, 4}, {4, 8, 8, 4},
    {4, 4, 20, 4}, {4, 8, 12, 4}, {4, 4, 28, 4}, {8, 8, 8, 4}, {4, 12, 12, 4}, {4, 8, 20, 4}, {4, 4, 44, 4},
    {8, 8, 12, 4}, {4, 4, 52, 4}, {4, 8, 28, 4}, {4, 12, 20, 4}, {8, 8, 16, 4}, {4, 4, 68, 4}, {8, 12, 12, 4},
    {4, 4, 76, 4}, {8, 8, 20, 4}, {4, 12, 28, 4}, {4, 8, 44, 4}, {4, 4, 92, 4}, {8, 12, 16, 4}, {4, 20, 20, 4},
    {4, 8, 52, 4}, {12, 12, 12, 4}, {8, 8, 28, 4}, {4, 4, 116, 4}, {8, 12, 20, 4}, {4, 4, 124, 4}, {8, 16, 16, 4},
    {4, 12, 44, 4}, {4, 8, 68, 4}, {4, 20, 28, 4}, {12, 12, 16, 4}, {4, 4, 148, 4}, {4, 8, 76, 4}, {4, 12, 52, 4},
    {8, 16, 20, 4}, {4, 4, 164, 4}, {8, 12, 28, 4}, {4, 4, 172, 4}, {8, 8, 44, 4}, {12, 12, 20, 4}, {4, 8, 92, 4},
    {4, 4, 188, 4}, {12, 16, 16, 4}, {4, 28, 28, 4}, {8, 20, 20, 4}, {4, 12, 68, 4}, {8, 8, 52, 4}, {4, 4, 212, 4},
    {12, 12, 24, 4}, {4, 20, 44, 4}, {8, 16, 28, 4}, {4, 12, 76, 4}, {4, 8, 116, 4}, {4, 4, 236, 4}, {12, 16, 20, 4},
    {4, 4, 244, 4}, {4, 8, 124, 4}, {12, 12, 28, 4}, {16, 16, 16, 4}, {4, 20, 52, 4}, {8, 12, 44, 4}, {8, 8, 68, 4},
    {4, 12, 92, 4}, {8, 20, 28, 4}, {12, 16, 24, 4}, {4, 8, 148, 4}, {12, 20, 20, 4}, {8, 8, 76, 4}, {4, 28, 44, 4},
    {8, 12, 52, 4}, {16, 16, 20, 4}, {12, 12, 36, 4}, {4, 8, 164, 4}, {12, 16, 28, 4}, {4, 20, 68, 4}, {4, 8, 172, 4},
    {4, 12, 116, 4}, {8, 16, 44, 4}, {12, 20, 24, 4}, {4, 28, 52, 4}, {8, 8, 92, 4}, {4, 12, 124, 4}, {4, 8, 188, 4},
    {4, 20, 76, 4}, {16, 16, 24, 4}, {12, 24, 24, 4}, {16, 20, 28, 4},
};
inline constexpr slice_row v6e_slices[] = {
    {1, 1, 1, 1}, {2, 2, 1, 4}, {2, 4, 1, 8}, {2, 4, 1, 4}, {4, 4, 1, 4}, {4, 8, 1, 4}, {8, 8, 1, 4}, {8, 16, 1, 4},
    {16, 16, 1, 4},
};
inline constexpr slice_row tpu7x_slices[] = {
    {1, 1, 1, 1}, {2, 2, 1, 4}, {2, 2, 2, 4}, {2, 2, 4, 4}, {2, 4, 4, 4}, {4, 4, 4, 4}, {4, 4, 8, 4}, {4, 4, 12, 4},
    {4, 8, 8, 4}, {4, 4, 20, 4}, {4, 8, 12, 4}, {4, 4, 28, 4}, {8, 8, 8, 4}, {4, 12, 12, 4}, {4, 8, 20, 4},
    {4, 4, 44, 4}, {8, 8, 12, 4}, {4, 4, 52, 4}, {4, 8, 28, 4}, {4, 12, 20, 4}, {8, 8, 16, 4}, {4, 4, 68, 4},
    {8, 12, 12, 4}, {4, 4, 76, 4}, {8, 8, 20, 4}, {4, 12, 28, 4}, {4, 8, 44, 4}, {4, 4, 92, 4}, {8, 12, 16, 4},
    {4, 20, 20, 4}, {4, 8, 52, 4}, {12, 12, 12, 4}, {8, 8, 28, 4}, {4, 4, 116, 4}, {8, 12, 20, 4}, {4, 4, 124, 4},
    {8, 16, 16, 4}, {4, 12, 44, 4}, {4, 8, 68, 4}, {4, 20, 28, 4}, {12, 12, 16, 4}, {4, 4, 148, 4}, {4, 8, 76, 4},
    {4, 12, 52, 4}, {8, 16, 20, 4}, {4, 4, 164, 4}, {8, 12, 28, 4}, {4, 4, 172, 4}, {8, 8, 44, 4}, {12, 12, 20, 4},
    {4, 8, 92, 4}, {4, 4, 188, 4}, {12, 16, 16, 4}, {4, 28, 28, 4}, {8, 20, 20, 4}, {4, 12, 68, 4}, {8, 8, 52, 4},
    {4, 4, 212, 4}, {12, 12, 24, 4}, {4, 20, 44, 4}, {8, 16, 28, 4}, {4, 12, 76, 4}, {4, 8, 116, 4}, {4, 4, 236, 4},
    {12, 16, 20, 4}, {4, 4, 244, 4}, {4, 8, 124, 4}, {12, 12, 28, 4}, {16, 16, 16, 4}, {4, 20, 52, 4}, {8, 12, 44, 4},
    {8, 8, 68, 4}, {4, 12, 92, 4}, {8, 20, 28, 4}, {12, 16, 24, 4}, {4, 8, 148, 4}, {12, 20, 20, 4}, {8, 8, 76, 4},
    {4, 28, 44, 4}, {8, 12, 52, 4}, {16, 16, 20, 4}, {12, 12, 36, 4}, {4, 8, 164, 4}, {12, 16, 28, 4}, {4, 20, 68, 4},
    {4, 8, 172, 4}, {4, 12, 116, 4}, {8, 16, 44, 4}, {12, 20, 24, 4}, {4, 28, 52, 4}, {8, 8, 92, 4}, {4, 12, 124, 4},
    {4, 8, 188, 4}, {4, 20, 76, 4}, {16, 16, 24, 4}, {12, 24, 24, 4}, {16, 16, 32, 4}, {16, 20, 28, 4}, {16, 24, 24, 4},
};
inline constexpr slice_block slice_blocks[] = {
    {"v2", "v2", v2_slices, 5},
    {"v3", "v3", v3_slices, 8},
    {"v4", "v4", v4_slices, 20},
    {"v5e", "v5litepod", v5e_slices, 9},
    {"v5p", "v5p", v5p_slices, 96},
    {"v6e", "v6e", v6e_slices, 9},
    {"tpu7x", "tpu7x", tpu7x_slices, 99},
};
// clang-format on
// end of generated: slices

/// The documented slices of the chip of exactly that name; no slices for a chip that is not in the table.
constexpr slice_block slices_of(std::string_view chip) noexcept {
  for (const slice_block& block : slice_blocks) {
    if (block.chip == chip) return block;
  }
  return {};
}

}  // namespace detail

/// A machine type of Compute Engine or GKE: one VM with some chips.
struct machine_type {
  text<24> name{};                 ///< such as "ct5p-hightpu-4t"
  text<24> chip{};                 ///< the name of its chip
  std::int64_t chips = 0;          ///< per VM
  known<std::int64_t> vcpus{};     ///< of the VM
  known<std::int64_t> ram_gb{};    ///< as printed by the source
  bool makes_one_vm = false;       ///< whether one VM of it is a slice
  bool makes_several_vms = false;  ///< whether several VMs of it make a slice
  text<24> gke_label{};            ///< GKE's label of its nodes, "tpu-v5p-slice"; empty where GKE has no such name
  known<double> gigabits{};        ///< per second of the VM's network, as it is sold
};

namespace detail {

/// A machine type as the table holds it, with plain C strings, which compile fastest.
struct machine_row {
  const char* name;
  const char* chip;
  std::int64_t chips;
  known<std::int64_t> vcpus, ram_gb;
  bool makes_one_vm, makes_several_vms;
  const char* gke_label;
  known<double> gigabits;
};

// generated: machine_types from data/hardware.json
// clang-format off
inline constexpr machine_row machine_rows[] = {
    {"ct3-hightpu-4t", "v3", 4, 96, 340, true, false, "tpu-v3-device", unknown},
    {"ct3p-hightpu-4t", "v3", 4, 48, 340, false, true, "tpu-v3-slice", unknown},
    {"ct4p-hightpu-4t", "v4", 4, 240, 407, true, true, "tpu-v4-podslice", unknown},
    {"ct5l-hightpu-1t", "v5e", 1, 24, 48, false, false, "tpu-v5-lite-device", unknown},
    {"ct5l-hightpu-4t", "v5e", 4, 112, 192, false, false, "tpu-v5-lite-device", unknown},
    {"ct5l-hightpu-8t", "v5e", 8, 224, 384, false, false, "tpu-v5-lite-device", unknown},
    {"ct5lp-hightpu-1t", "v5e", 1, 24, 48, true, false, "tpu-v5-lite-podslice", unknown},
    {"ct5lp-hightpu-4t", "v5e", 4, 112, 192, true, true, "tpu-v5-lite-podslice", unknown},
    {"ct5lp-hightpu-8t", "v5e", 8, 224, 384, true, false, "tpu-v5-lite-podslice", unknown},
    {"ct5p-hightpu-4t", "v5p", 4, 208, 448, true, true, "tpu-v5p-slice", 200},
    {"ct5p-hightpu-1t", "v5p", 1, 52, 112, true, false, "tpu-v5p-slice", unknown},
    {"ct5p-hightpu-2t", "v5p", 2, 104, 224, true, false, "tpu-v5p-slice", unknown},
    {"ct5p-hightpu-1t-tpu", "v5p", 1, 52, 112, true, false, "", unknown},
    {"ct5p-hightpu-2t-tpu", "v5p", 2, 104, 224, true, false, "", unknown},
    {"ct5p-hightpu-4t-tpu", "v5p", 4, 208, 448, true, true, "", unknown},
    {"ct6e-standard-1t", "v6e", 1, 44, 176, true, false, "tpu-v6e-slice", 50},
    {"ct6e-standard-4t", "v6e", 4, 180, 720, true, true, "tpu-v6e-slice", 400},
    {"ct6e-standard-8t", "v6e", 8, 180, 1440, true, false, "tpu-v6e-slice", 200},
    {"ct6e-standard-1t-tpu", "v6e", 1, 44, 176, true, false, "", unknown},
    {"ct6e-standard-4t-tpu", "v6e", 4, 180, 720, true, true, "", unknown},
    {"ct6e-standard-8t-tpu", "v6e", 8, 180, 1440, true, false, "", unknown},
    {"tpu7x-standard-1t", "tpu7x", 1, unknown, unknown, true, false, "tpu7x", unknown},
    {"tpu7x-standard-4t", "tpu7x", 4, 224, 960, true, true, "tpu7x", 400},
    {"tpu7x-ultranet-4t", "tpu7x", 4, unknown, unknown, true, true, "tpu7x", unknown},
    {"tpu7x-standard-4t-tpu", "tpu7x", 4, 224, 960, true, true, "", unknown},
    {"tpu7x-ultranet-4t-tpu", "tpu7x", 4, unknown, unknown, true, true, "", unknown},
    {"tpu7-standard-1t", "tpu7x", 1, unknown, unknown, true, false, "tpu7", unknown},
    {"tpu7-standard-4t", "tpu7x", 4, unknown, unknown, true, true, "tpu7", unknown},
};
// clang-format on
// end of generated: machine_types

constexpr machine_type to_machine(const machine_row& r) {
  return {r.name, r.chip, r.chips, r.vcpus, r.ram_gb, r.makes_one_vm, r.makes_several_vms, r.gke_label, r.gigabits};
}

inline constexpr std::size_t machine_type_count = sizeof(machine_rows) / sizeof(machine_rows[0]);

}  // namespace detail

/// All documented machine types. Where several fit a slice, the first is the usual one. Worked: ct5p-hightpu-4t has 4
/// chips, 208 vCPUs and 448 GB.
[[nodiscard]] constexpr std::array<machine_type, detail::machine_type_count> machine_types() {
  std::array<machine_type, detail::machine_type_count> types{};
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = detail::to_machine(detail::machine_rows[i]);
  return types;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
