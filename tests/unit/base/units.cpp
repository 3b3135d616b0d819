// Literals, readers and arithmetic of quantities.

#include <cmath>
#include <tpuplan/base/units.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace units_tests {

TEST_CASE("literals are exact amounts of the base unit") {
  STATIC_REQUIRE((16_GiB).value() == 17179869184.0);
  STATIC_REQUIRE((16_GB).value() == 16e9);
  STATIC_REQUIRE(1_KiB == 1024_B);
  STATIC_REQUIRE(1_MiB == 1024_KiB);
  STATIC_REQUIRE(1_GiB == 1024_MiB);
  STATIC_REQUIRE(1_TiB == 1024_GiB);
  STATIC_REQUIRE(1_kB == 1000_B);
  STATIC_REQUIRE(1_MB == 1000_kB);
  STATIC_REQUIRE(1_GB == 1000_MB);
  STATIC_REQUIRE(1_TB == 1000_GB);
  STATIC_REQUIRE(1_GiB > 1_GB);
  STATIC_REQUIRE((1.5_GiB).value() == 1610612736.0);
  STATIC_REQUIRE((2_GFLOP).value() == 2e9);
  STATIC_REQUIRE((2_TFLOP).value() == 2e12);
  STATIC_REQUIRE((2_PFLOP).value() == 2e15);
  STATIC_REQUIRE((7_FLOP).value() == 7);
  STATIC_REQUIRE(197_TFLOP_per_s == 197000_GFLOP_per_s);
  STATIC_REQUIRE(2_PFLOP_per_s == 2000_TFLOP_per_s);
  STATIC_REQUIRE((3_FLOP_per_s).value() == 3);
  STATIC_REQUIRE((819_GB_per_s).value() == 8.19e11);
  STATIC_REQUIRE(1_TB_per_s == 1000_GB_per_s);
  STATIC_REQUIRE((5_B_per_s).value() == 5);
  STATIC_REQUIRE((2.5_min).value() == 150);
  STATIC_REQUIRE(1_h == 60_min);
  STATIC_REQUIRE(1_days == 24_h);
  STATIC_REQUIRE((3_ms).value() == 3e-3);
  STATIC_REQUIRE((3_us).value() == 3e-6);
  STATIC_REQUIRE((940_MHz).value() == 9.4e8);
  STATIC_REQUIRE((50_Hz).value() == 50);
  STATIC_REQUIRE((3.67_usd).value() == 3.67);
  STATIC_REQUIRE((3600_usd_per_h).value() == 1);
  STATIC_REQUIRE(1.20_usd_per_h == usd_per_hour(1.20));
  // An amount of FLOPs and a rate of them are different types.
  STATIC_REQUIRE(!std::is_same_v<decltype(1_TFLOP), decltype(1_TFLOP_per_s)>);
}

TEST_CASE("readers give the number in the unit of their name") {
  STATIC_REQUIRE(in_gib(bytes{17179869184.0}) == 16);
  STATIC_REQUIRE(in_ms(seconds{0.25}) == 250);
  STATIC_REQUIRE(max(1_GiB, 1_GB) == 1_GiB);
  STATIC_REQUIRE(in_gb(bytes{16e9}) == 16);
  STATIC_REQUIRE(in_tflop(flops{3e12}) == 3);
  STATIC_REQUIRE(in_tflop_per_s(flops_per_second{1.97e14}) == 197);
  STATIC_REQUIRE(in_gb_per_s(bytes_per_second{8.19e11}) == 819);
  STATIC_REQUIRE(in_ms(seconds{0.25}) == 250);
  STATIC_REQUIRE(in_us(seconds{0.25}) == 250000);
  STATIC_REQUIRE(in_hours(seconds{5400}) == 1.5);
  STATIC_REQUIRE(in_days(seconds{129600}) == 1.5);
  STATIC_REQUIRE(in_usd_per_hour(usd_per_second{0.5}) == 1800);
}

TEST_CASE("arithmetic of quantities") {
  STATIC_REQUIRE(3_s + 4_s == 7_s);
  STATIC_REQUIRE(3_s - 4_s == -(1_s));
  STATIC_REQUIRE(3_s * 2.0 == 6_s);
  STATIC_REQUIRE(2.0 * 3_s == 6_s);
  STATIC_REQUIRE(3_s / 2.0 == 1.5_s);
  STATIC_REQUIRE(12_B / 3_B == 4.0);
  STATIC_REQUIRE((10_FLOP / 4_B).value() == 2.5);
  STATIC_REQUIRE(10_B / 5_B_per_s == 2_s);
  STATIC_REQUIRE((1.0 / 4_s).value() == 0.25);
  STATIC_REQUIRE(max(3_s, 4_s) == 4_s);
  STATIC_REQUIRE(max(4_s, 3_s) == 4_s);
  STATIC_REQUIRE(min(3_s, 4_s) == 3_s);
  STATIC_REQUIRE(min(4_s, 3_s) == 3_s);
  STATIC_REQUIRE(seconds{} == 0_s);
  STATIC_REQUIRE((3_s < 4_s && 3_s <= 4_s && 4_s > 3_s && 4_s >= 3_s && 3_s <= 3_s && 3_s >= 3_s));
  STATIC_REQUIRE_FALSE((3_s < 3_s || 3_s > 3_s || 3_s == 4_s || 3_s != 3_s));
  bytes sum = 1_B;
  sum += 4_B;
  sum -= 2_B;
  sum *= 6;
  sum /= 9;
  CHECK(sum == 2_B);
}

TEST_CASE("capacities of the table are whole bytes that a double holds exactly") {
  for (const chip_spec& chip : generations) {
    INFO(chip.name.view());
    const std::vector<bytes> exact = {chip.hbm.capacity,           chip.hbm.documented,
                                      usable_hbm_per_device(chip), chip.on_chip.vmem_per_tensorcore,
                                      chip.on_chip.cmem,           chip.on_chip.smem_per_tensorcore.value()};
    for (const bytes amount : exact) {
      INFO(amount.value());
      CHECK(amount.value() == std::floor(amount.value()));
      CHECK(amount.value() < 9007199254740992.0);
    }
    CHECK(std::fmod(chip.hbm.capacity.value(), 1073741824.0) == 0);
    // XLA keeps a part of it, where a run has said which.
    const bytes usable = usable_hbm_per_device(chip) * static_cast<double>(chip.jax_devices);
    CHECK((chip.announced_only ? usable == chip.hbm.capacity : usable < chip.hbm.capacity));
    CHECK(usable > 0.9 * chip.hbm.capacity);
  }
}

}  // namespace units_tests
