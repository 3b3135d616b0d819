#ifndef TPUPLAN_ESTIMATE_VERDICT_HPP
#define TPUPLAN_ESTIMATE_VERDICT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>

/// @file
/// The answer to "does it fit", for training and serving alike.

namespace tpuplan {
inline namespace abi_0 {

/// Whether a job fits into HBM; `uncertain` where it depends on what the compiler does.
enum class verdict : std::uint8_t { yes, uncertain, no };

/// "yes", "uncertain" or "no".
[[nodiscard]] constexpr std::string_view name(verdict answer) noexcept {
  constexpr const char* names[] = {"yes", "uncertain", "no"};
  return detail::name_of(names, static_cast<std::size_t>(answer));
}

/// A job surely fits where its high estimate is below this share of the usable HBM. A training job surely does not fit
/// where its low estimate is as far above the usable HBM: 103 % of it.
inline constexpr double safe_share = 0.97;

}  // namespace abi_0
}  // namespace tpuplan

#endif
