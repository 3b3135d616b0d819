#ifndef TPUPLAN_BASE_RANDOM_HPP
#define TPUPLAN_BASE_RANDOM_HPP

#include <cmath>
#include <cstdint>
#include <tpuplan/base/math.hpp>

/// @file
/// Random numbers that are the same on every machine. For use by the library.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Random numbers for one figure of one case, such as a request: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA
/// 2014), which starts where its own mixing function puts the seed, the figure and the case. The same three give the
/// same numbers.
class random_numbers {
 public:
  random_numbers(std::uint64_t seed, std::uint64_t figure, std::uint64_t nth)
      : state_{mixed(mixed(mixed(seed) + figure) + nth)} {}

  /// Above 0 and below 1.
  double uniform() {
    state_ += 0x9e3779b97f4a7c15;
    return (static_cast<double>(mixed(state_) >> 11) + 0.5) * 0x1p-53;
  }
  double exponential() { return -math::log(uniform()); }
  /// Mean 0, standard deviation 1 (G. E. P. Box, M. E. Muller, 1958).
  double normal() {
    const double radius = math::sqrt(2 * exponential());
    return radius * std::cos(6.283185307179586 * uniform());
  }
  /// Mean `shape`, variance `shape` (G. Marsaglia, W. W. Tsang, 2000); below 1 by a power of a uniform number.
  double gamma(double shape) {
    if (shape < 1) {
      const double more = gamma(shape + 1);
      return more * std::pow(uniform(), 1 / shape);
    }
    const double d = shape - 1.0 / 3, c = 1 / math::sqrt(9 * d);
    while (true) {
      const double x = normal(), root = 1 + c * x, v = root * root * root;
      if (v > 0 && math::log(uniform()) < x * x / 2 + d - d * v + d * math::log(v)) return d * v;
    }
  }

 private:
  static constexpr std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
