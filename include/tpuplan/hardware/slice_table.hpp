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

/// One documented slice: the chips along each axis, and the chips of one VM, a byte each, which compiles fastest.
struct slice_row {
  std::uint32_t packed;

  [[nodiscard]] constexpr std::int32_t length(std::size_t axis) const noexcept {
    return static_cast<std::int32_t>(packed >> (24 - 8 * axis) & 0xFF);
  }
  [[nodiscard]] constexpr std::int64_t chips_per_vm() const noexcept { return packed & 0xFF; }
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
    {0x02020104}, {0x04040104}, {0x08080104}, {0x08100104}, {0x10100104},
};
inline constexpr slice_row v3_slices[] = {
    {0x02020104}, {0x04040104}, {0x04080104}, {0x08080104}, {0x08100104}, {0x10100104}, {0x10200104}, {0x20200104},
};
inline constexpr slice_row v4_slices[] = {
    {0x02020104}, {0x02020204}, {0x02020404}, {0x02040404}, {0x04040404}, {0x04040804}, {0x04040C04}, {0x04080804},
    {0x08080804}, {0x08080C04}, {0x08081004}, {0x08101004}, {0x10101004}, {0x04041004}, {0x04042004}, {0x04081004},
    {0x04101004}, {0x04048004}, {0x04084004}, {0x04102004},
};
inline constexpr slice_row v5e_slices[] = {
    {0x01010101}, {0x02020104}, {0x02040108}, {0x02040104}, {0x04040104}, {0x04080104}, {0x08080104}, {0x08100104},
    {0x10100104},
};
inline constexpr slice_row v5p_slices[] = {
    {0x02020104}, {0x02020204}, {0x02020404}, {0x02040404}, {0x04040404}, {0x04040804}, {0x04040C04}, {0x04080804},
    {0x04041404}, {0x04080C04}, {0x04041C04}, {0x08080804}, {0x040C0C04}, {0x04081404}, {0x04042C04}, {0x08080C04},
    {0x04043404}, {0x04081C04}, {0x040C1404}, {0x08081004}, {0x04044404}, {0x080C0C04}, {0x04044C04}, {0x08081404},
    {0x040C1C04}, {0x04082C04}, {0x04045C04}, {0x080C1004}, {0x04141404}, {0x04083404}, {0x0C0C0C04}, {0x08081C04},
    {0x04047404}, {0x080C1404}, {0x04047C04}, {0x08101004}, {0x040C2C04}, {0x04084404}, {0x04141C04}, {0x0C0C1004},
    {0x04049404}, {0x04084C04}, {0x040C3404}, {0x08101404}, {0x0404A404}, {0x080C1C04}, {0x0404AC04}, {0x08082C04},
    {0x0C0C1404}, {0x04085C04}, {0x0404BC04}, {0x0C101004}, {0x041C1C04}, {0x08141404}, {0x040C4404}, {0x08083404},
    {0x0404D404}, {0x0C0C1804}, {0x04142C04}, {0x08101C04}, {0x040C4C04}, {0x04087404}, {0x0404EC04}, {0x0C101404},
    {0x0404F404}, {0x04087C04}, {0x0C0C1C04}, {0x10101004}, {0x04143404}, {0x080C2C04}, {0x08084404}, {0x040C5C04},
    {0x08141C04}, {0x0C101804}, {0x04089404}, {0x0C141404}, {0x08084C04}, {0x041C2C04}, {0x080C3404}, {0x10101404},
    {0x0C0C2404}, {0x0408A404}, {0x0C101C04}, {0x04144404}, {0x0408AC04}, {0x040C7404}, {0x08102C04}, {0x0C141804},
    {0x041C3404}, {0x08085C04}, {0x040C7C04}, {0x0408BC04}, {0x04144C04}, {0x10101804}, {0x0C181804}, {0x10141C04},
};
inline constexpr slice_row v6e_slices[] = {
    {0x01010101}, {0x02020104}, {0x02040108}, {0x02040104}, {0x04040104}, {0x04080104}, {0x08080104}, {0x08100104},
    {0x10100104},
};
inline constexpr slice_row tpu7x_slices[] = {
    {0x01010101}, {0x02020104}, {0x02020204}, {0x02020404}, {0x02040404}, {0x04040404}, {0x04040804}, {0x04040C04},
    {0x04080804}, {0x04041404}, {0x04080C04}, {0x04041C04}, {0x08080804}, {0x040C0C04}, {0x04081404}, {0x04042C04},
    {0x08080C04}, {0x04043404}, {0x04081C04}, {0x040C1404}, {0x08081004}, {0x04044404}, {0x080C0C04}, {0x04044C04},
    {0x08081404}, {0x040C1C04}, {0x04082C04}, {0x04045C04}, {0x080C1004}, {0x04141404}, {0x04083404}, {0x0C0C0C04},
    {0x08081C04}, {0x04047404}, {0x080C1404}, {0x04047C04}, {0x08101004}, {0x040C2C04}, {0x04084404}, {0x04141C04},
    {0x0C0C1004}, {0x04049404}, {0x04084C04}, {0x040C3404}, {0x08101404}, {0x0404A404}, {0x080C1C04}, {0x0404AC04},
    {0x08082C04}, {0x0C0C1404}, {0x04085C04}, {0x0404BC04}, {0x0C101004}, {0x041C1C04}, {0x08141404}, {0x040C4404},
    {0x08083404}, {0x0404D404}, {0x0C0C1804}, {0x04142C04}, {0x08101C04}, {0x040C4C04}, {0x04087404}, {0x0404EC04},
    {0x0C101404}, {0x0404F404}, {0x04087C04}, {0x0C0C1C04}, {0x10101004}, {0x04143404}, {0x080C2C04}, {0x08084404},
    {0x040C5C04}, {0x08141C04}, {0x0C101804}, {0x04089404}, {0x0C141404}, {0x08084C04}, {0x041C2C04}, {0x080C3404},
    {0x10101404}, {0x0C0C2404}, {0x0408A404}, {0x0C101C04}, {0x04144404}, {0x0408AC04}, {0x040C7404}, {0x08102C04},
    {0x0C141804}, {0x041C3404}, {0x08085C04}, {0x040C7C04}, {0x0408BC04}, {0x04144C04}, {0x10101804}, {0x0C181804},
    {0x10102004}, {0x10141C04}, {0x10181804},
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
  std::int64_t vcpus, ram_gb;  ///< 0: unknown
  bool makes_one_vm, makes_several_vms;
  const char* gke_label;
  std::int64_t gigabits;  ///< 0: unknown
};

// generated: machine_types from data/hardware.json
// clang-format off
inline constexpr machine_row machine_rows[] = {
    {"ct3-hightpu-4t", "v3", 4, 96, 340, true, false, "tpu-v3-device", 0},
    {"ct3p-hightpu-4t", "v3", 4, 48, 340, false, true, "tpu-v3-slice", 0},
    {"ct4p-hightpu-4t", "v4", 4, 240, 407, true, true, "tpu-v4-podslice", 0},
    {"ct5l-hightpu-1t", "v5e", 1, 24, 48, false, false, "tpu-v5-lite-device", 0},
    {"ct5l-hightpu-4t", "v5e", 4, 112, 192, false, false, "tpu-v5-lite-device", 0},
    {"ct5l-hightpu-8t", "v5e", 8, 224, 384, false, false, "tpu-v5-lite-device", 0},
    {"ct5lp-hightpu-1t", "v5e", 1, 24, 48, true, false, "tpu-v5-lite-podslice", 0},
    {"ct5lp-hightpu-4t", "v5e", 4, 112, 192, true, true, "tpu-v5-lite-podslice", 0},
    {"ct5lp-hightpu-8t", "v5e", 8, 224, 384, true, false, "tpu-v5-lite-podslice", 0},
    {"ct5p-hightpu-4t", "v5p", 4, 208, 448, true, true, "tpu-v5p-slice", 200},
    {"ct5p-hightpu-1t", "v5p", 1, 52, 112, true, false, "tpu-v5p-slice", 0},
    {"ct5p-hightpu-2t", "v5p", 2, 104, 224, true, false, "tpu-v5p-slice", 0},
    {"ct5p-hightpu-1t-tpu", "v5p", 1, 52, 112, true, false, "", 0},
    {"ct5p-hightpu-2t-tpu", "v5p", 2, 104, 224, true, false, "", 0},
    {"ct5p-hightpu-4t-tpu", "v5p", 4, 208, 448, true, true, "", 0},
    {"ct6e-standard-1t", "v6e", 1, 44, 176, true, false, "tpu-v6e-slice", 50},
    {"ct6e-standard-4t", "v6e", 4, 180, 720, true, true, "tpu-v6e-slice", 400},
    {"ct6e-standard-8t", "v6e", 8, 180, 1440, true, false, "tpu-v6e-slice", 200},
    {"ct6e-standard-1t-tpu", "v6e", 1, 44, 176, true, false, "", 0},
    {"ct6e-standard-4t-tpu", "v6e", 4, 180, 720, true, true, "", 0},
    {"ct6e-standard-8t-tpu", "v6e", 8, 180, 1440, true, false, "", 0},
    {"tpu7x-standard-1t", "tpu7x", 1, 0, 0, true, false, "tpu7x", 0},
    {"tpu7x-standard-4t", "tpu7x", 4, 224, 960, true, true, "tpu7x", 400},
    {"tpu7x-ultranet-4t", "tpu7x", 4, 0, 0, true, true, "tpu7x", 0},
    {"tpu7x-standard-4t-tpu", "tpu7x", 4, 224, 960, true, true, "", 0},
    {"tpu7x-ultranet-4t-tpu", "tpu7x", 4, 0, 0, true, true, "", 0},
    {"tpu7-standard-1t", "tpu7x", 1, 0, 0, true, false, "tpu7", 0},
    {"tpu7-standard-4t", "tpu7x", 4, 0, 0, true, true, "tpu7", 0},
};
// clang-format on
// end of generated: machine_types

template <class T>
constexpr known<T> known_unless_0(std::int64_t figure) noexcept {
  return figure == 0 ? known<T>{} : known<T>{static_cast<T>(figure)};
}
constexpr machine_type to_machine(const machine_row& r) {
  return {r.name,
          r.chip,
          r.chips,
          known_unless_0<std::int64_t>(r.vcpus),
          known_unless_0<std::int64_t>(r.ram_gb),
          r.makes_one_vm,
          r.makes_several_vms,
          r.gke_label,
          known_unless_0<double>(r.gigabits)};
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
