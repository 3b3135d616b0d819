#ifndef TPUPLAN_ESTIMATE_GENERATION_CALIBRATION_HPP
#define TPUPLAN_ESTIMATE_GENERATION_CALIBRATION_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>

/// @file
/// What published generations of images and clips say of the estimate: one constant, and how wide its band is.

namespace tpuplan {
inline namespace abi_0 {

/// What is fitted to published generations. The rates of products, of attention and of links are those of training.
struct generation_calibration {
  double software = 1.046;   ///< time over that of the parts
  double low = 0.591;        ///< lower end of measured over estimated time
  double high = 2.11;        ///< upper end of measured over estimated time
  std::int64_t runs = 12;    ///< published generations behind it
  std::int64_t sources = 2;  ///< repositories and authors that published them
};

/// The constants that estimates take where none are given, of data/measured/generation.json. The factor is the median
/// of what runs take over the parts. The band is half as wide again, in logarithms, as what was seen with the source
/// left out, as for all kinds with fewer than nine sources. tests/oracle/generation_records.cpp finds both again.
inline constexpr generation_calibration default_generation{};

/// Throws, naming the constant, for factors that are not above 0.
constexpr void validate(const generation_calibration& constants) {
  detail::positive("generation_calibration.software", constants.software);
  detail::in_range("generation_calibration.low", constants.low, 1e-6, 1, "above 0, at most 1");
  detail::in_range("generation_calibration.high", constants.high, 1, 1e6, "1 or more");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
