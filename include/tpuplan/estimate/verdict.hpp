#ifndef TPUPLAN_ESTIMATE_VERDICT_HPP
#define TPUPLAN_ESTIMATE_VERDICT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/text.hpp>

/// @file
/// The answer to "does it fit", for training and serving alike.

namespace tpuplan {
inline namespace abi_0 {

/// Does it fit? `uncertain` where the compiler's choices decide.
enum class verdict : std::uint8_t { yes, uncertain, no };

/// "yes", "uncertain" or "no".
[[nodiscard]] constexpr std::string_view name(verdict answer) noexcept {
  constexpr std::string_view names[] = {"yes", "uncertain", "no"};
  return detail::name_of(names, static_cast<std::size_t>(answer));
}

/// Share of what is usable below which the high estimate is safe; as far above it the low one surely does not fit.
inline constexpr double safe_share = 0.97;

}  // namespace abi_0
}  // namespace tpuplan

#endif
