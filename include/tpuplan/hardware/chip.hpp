#ifndef TPUPLAN_HARDWARE_CHIP_HPP
#define TPUPLAN_HARDWARE_CHIP_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/known.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/hardware/topology.hpp>

/// @file
/// The figures of one chip. The table of generations is made of these; a chip of your own is a copy with changed
/// fields.

namespace tpuplan {
inline namespace abi_0 {

/// The systolic arrays of one TensorCore.
struct mxu_spec {
  std::int64_t per_tensorcore = 0;       ///< arrays of one TensorCore
  std::int64_t side = 0;                 ///< rows and columns: 128, or 256 from v6e on
  std::int64_t macs_per_cell_cycle = 0;  ///< bf16 multiply-adds of one cell in one cycle
};

/// Peak rates of one chip. `absent`: the chip has no such mode. `unknown`: no source states the rate.
struct peak_rates {
  /// @{
  /// Dense matrix products with operands of that format.
  known<flops_per_second> bf16{};
  known<flops_per_second> int8{};
  known<flops_per_second> fp8{};
  known<flops_per_second> int4{};
  /// @}
};

/// High-bandwidth memory. Capacities are exact bytes.
struct hbm_spec {
  bytes capacity{};                  ///< physical, per chip
  bytes documented{};                ///< per chip, as the vendor's page prints it (v5e: 16 GB, decimal)
  known<bytes> usable_per_device{};  ///< what XLA lets a program use, per JAX device; not poolable across devices
  bytes_per_second bandwidth{};      ///< per chip
};

/// On-chip memories.
struct on_chip_spec {
  bytes vmem_per_tensorcore{};              ///< vector memory
  known<double> vmem_bandwidth_over_hbm{};  ///< the scaling book's estimate for v5e: about 22
  bytes cmem{};                             ///< per chip; only v4 has it
  known<bytes> smem_per_tensorcore{};       ///< scalar memory
};

/// How XLA lays arrays out in memory by default: in tiles of one vector register.
struct tiling_spec {
  std::int64_t sublanes = 8;            ///< rows of a vector register of 32-bit values
  std::int64_t lanes = 128;             ///< columns of a vector register
  bool large_tiles_of_16_bits = false;  ///< tiles of 16-bit types have twice the rows (tpu7x and later)
};

/// The interconnect inside a slice. Rates are one-way, of one link.
struct ici_spec {
  std::int64_t links = 0;              ///< per chip: 4 in two dimensions, 6 in three; 0: unknown
  std::int32_t axes = 0;               ///< 2 or 3
  bytes_per_second nominal_one_way{};  ///< of one link; collectives achieve achievable_fraction of it
  double achievable_fraction = 0;      ///< of nominal; the scaling book and MaxText use 0.9; see with_achieved_links
  wraparound_rule wraparound = wraparound_rule::whole_cubes;  ///< which axes close into rings
  known<double> die_to_die_over_link{};  ///< bandwidth between the two dies of a chip, in nominal links
};

/// What a chip shares with the machine around it.
struct host_spec {
  std::int64_t chips = 0;          ///< per physical host
  known<bytes> dram{};             ///< per physical host
  known<bytes_per_second> pcie{};  ///< per chip, one-way
  known<bytes_per_second> dcn{};   ///< per chip, egress to the data-centre network
};

/// How large slices of a generation get.
struct pod_spec {
  topology shape{};                ///< the full pod; not set where no source states it
  std::int64_t largest_slice = 0;  ///< chips in the largest single slice that is scheduled
};

/// What the number in a slice's name counts: v5p-128 is 128 TensorCores (64 chips), v6e-64 is 64 chips.
enum class name_counts : std::uint8_t { tensorcores, chips };

/// Everything tpuplan knows of one kind of chip.
struct chip_spec {
  text<24> name{};                    ///< "v5e"; `find_chip` reads it
  std::int64_t announced_year = 0;    ///< year
  bool announced_only = false;        ///< it cannot be rented yet: no slice, price or service is documented
  std::int64_t tensorcores = 0;       ///< per chip
  std::int64_t jax_devices = 0;       ///< devices that JAX shows per chip: 2 on v2, v3 and tpu7x
  bool megacore = false;              ///< two TensorCores shown as one device
  mxu_spec mxu{};                     ///< systolic arrays of one TensorCore
  peak_rates peak{};                  ///< of the chip
  known<per_second> clock{};          ///< of the TensorCores
  hbm_spec hbm{};                     ///< of the chip
  on_chip_spec on_chip{};             ///< of the chip
  tiling_spec tiling{};               ///< of arrays in its memories
  known<std::int64_t> sparsecores{};  ///< per chip
  ici_spec ici{};                     ///< of the chip
  host_spec host{};                   ///< of the machine that it is in
  pod_spec pod{};                     ///< of the generation
  tpuplan::name_counts slice_name_counts = name_counts::tensorcores;  ///< in names such as v5p-128
};

/// The peak rate of matrix products whose operands are of that format, per chip. bf16 stands for fp16 and, as XLA
/// computes it by default, for fp32 inputs. Throws `errc::unknown_figure` where the chip has none or none is
/// documented. Worked: peak_rate(v5e, dtype::int8) is 393 TOP/s; of v3 and tpu7x it is absent.
[[nodiscard]] constexpr flops_per_second peak_rate(const chip_spec& chip, dtype compute = dtype::bf16) {
  switch (compute) {
    case dtype::int8: return chip.peak.int8.value("int8 peak of the chip");
    case dtype::fp8: return chip.peak.fp8.value("fp8 peak of the chip");
    case dtype::int4: return chip.peak.int4.value("int4 peak of the chip");
    case dtype::fp32:
    case dtype::bf16:
    case dtype::fp16: break;
  }
  return chip.peak.bf16.value("bf16 peak of the chip");
}

/// Whether `peak_rate` knows the rate of that format. Worked: it knows fp8 on v5e, not on v4.
[[nodiscard]] constexpr bool has_peak_rate(const chip_spec& chip, dtype compute) noexcept {
  switch (compute) {
    case dtype::int8: return chip.peak.int8.has_value();
    case dtype::fp8: return chip.peak.fp8.has_value();
    case dtype::int4: return chip.peak.int4.has_value();
    case dtype::fp32:
    case dtype::bf16:
    case dtype::fp16: break;
  }
  return chip.peak.bf16.has_value();
}

/// VMEM of one chip: that of a TensorCore times their number. Worked: 128 MiB on v5p.
[[nodiscard]] constexpr bytes vmem(const chip_spec& chip) noexcept {
  return chip.on_chip.vmem_per_tensorcore * static_cast<double>(chip.tensorcores);
}

/// VMEM bandwidth of one chip, estimated as a multiple of HBM bandwidth. Throws where no estimate is known.
/// Worked: 22 x 819 GB/s = 18.018 TB/s on v5e. Source: scaling book, "TPUs" (2025-12-15).
[[nodiscard]] constexpr bytes_per_second vmem_bandwidth(const chip_spec& chip) {
  return chip.hbm.bandwidth * chip.on_chip.vmem_bandwidth_over_hbm.value("VMEM bandwidth of the chip");
}

/// Nominal bandwidth out of one chip over all its links, one way. Refuses a chip whose links are not documented.
/// Worked: 600 GB/s on v5p; tpu8i is refused.
[[nodiscard]] constexpr bytes_per_second ici_one_way(const chip_spec& chip) {
  detail::positive("chip.ici.nominal_one_way", chip.ici.nominal_one_way.value());
  return chip.ici.nominal_one_way * static_cast<double>(detail::positive_count("chip.ici.links", chip.ici.links));
}

/// Achieved bandwidth of one chip along one axis, both directions together: two links times the achievable fraction.
/// This is the bandwidth of the scaling book's collectives. Throws for a chip without that fraction or a link rate.
/// Worked: 2 x 100 GB/s x 0.9 = 180 GB/s on v5p; tpu8i is refused.
[[nodiscard]] constexpr bytes_per_second ici_axis_both_ways(const chip_spec& chip) {
  detail::positive("chip.ici.nominal_one_way", chip.ici.nominal_one_way.value());
  return chip.ici.nominal_one_way *
         (2 * detail::positive("chip.ici.achievable_fraction", chip.ici.achievable_fraction));
}

namespace detail {

/// The least share of its HBM that XLA leaves to programs on any chip of the table: 93.5 % on v2.
inline constexpr double least_usable_share = 0.93;

}  // namespace detail

/// Throws, naming the field, for counts that no chip has. Figures are checked where they are used.
constexpr void validate(const chip_spec& chip) {
  const auto check = [](detail::words field, std::int64_t count, std::int64_t least, std::int64_t most,
                        detail::words valid) {
    if (count == 0 && least > 0) detail::fail(errc::missing_field, field, count, valid);
    if (count < least || count > most) detail::fail(errc::out_of_range, field, count, valid);
  };
  check("chip.jax_devices", chip.jax_devices, 1, 64, "1 to 64");
  check("chip.tensorcores", chip.tensorcores, 0, 64, "0 to 64");
  check("chip.mxu.side", chip.mxu.side, 0, 65536, "0 to 65536");
  check("chip.mxu.per_tensorcore", chip.mxu.per_tensorcore, 0, 1024, "0 to 1024");
  check("chip.ici.links", chip.ici.links, 0, 64, "0 to 64");
}

/// HBM that a program may use on one JAX device: XLA's budget where it is known, else the physical share. Throws for a
/// budget that is more than the device has, or less than 93 % of it: that of another capacity, as in a copy of a chip
/// whose capacity alone was changed. Worked: 16909332480 B on v5e.
[[nodiscard]] constexpr bytes usable_hbm_per_device(const chip_spec& chip) {
  validate(chip);
  const bytes physical = chip.hbm.capacity / static_cast<double>(chip.jax_devices);
  detail::positive("chip.hbm.capacity: HBM of a device", physical.value());
  if (!chip.hbm.usable_per_device.has_value()) return physical;
  const bytes usable = chip.hbm.usable_per_device.value();
  detail::in_range("chip.hbm.usable_per_device", usable.value(), detail::least_usable_share * physical.value(),
                   physical.value(), "93 to 100 % of chip.hbm.capacity / chip.jax_devices, or unknown; see with_hbm");
  return usable;
}

/// The chip with another HBM capacity, of which XLA leaves the same share to programs. Worked: of v6e with 48 GiB a
/// program may use 46.87 GiB.
[[nodiscard]] constexpr chip_spec with_hbm(chip_spec chip, bytes capacity) {
  detail::positive("capacity", capacity.value());
  if (chip.hbm.usable_per_device.has_value())
    chip.hbm.usable_per_device = usable_hbm_per_device(chip) * (capacity / chip.hbm.capacity);
  chip.hbm.capacity = chip.hbm.documented = capacity;
  return chip;
}

/// The chip with links of a measured one-way rate, which is used in full. (A nominal rate is set as the field
/// `ici.nominal_one_way`, of which only `ici.achievable_fraction` is used.) Worked: links of v5p at 85 GB/s give
/// `ici_axis_both_ways` of 170 GB/s, where the field set to 85 GB/s gives 153.
[[nodiscard]] constexpr chip_spec with_achieved_links(chip_spec chip, bytes_per_second one_way) {
  chip.ici.nominal_one_way = bytes_per_second{detail::positive("one_way", one_way.value())};
  chip.ici.achievable_fraction = 1;
  return chip;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
