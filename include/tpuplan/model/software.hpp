#ifndef TPUPLAN_MODEL_SOFTWARE_HPP
#define TPUPLAN_MODEL_SOFTWARE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>

/// @file
/// How well the program that trains or serves is tuned, as far as somebody says it.

namespace tpuplan {
inline namespace abi_0 {

/// How well the program is tuned to the machine. Where nobody says it, a time is that of tuned software and its range
/// that of all software that ran.
enum class software_level : std::uint8_t {
  unnamed,     ///< nobody says
  tuned,       ///< a recipe tuned for this model and slice: MaxText, MLPerf, vendor recipes, the best loops
  general,     ///< a general framework without tuning: axlearn, Levanter, torch-XLA, the kernels an engine always has
  first_port,  ///< a program that runs for the first time on this kind of slice: no kernel is fused or tuned to it
};

/// "unnamed", "tuned", "general" or "first_port".
[[nodiscard]] constexpr std::string_view name(software_level level) noexcept {
  constexpr const char* names[] = {"unnamed", "tuned", "general", "first_port"};
  return detail::name_of(names, static_cast<std::size_t>(level));
}

/// The level of that name; nothing if there is none. Worked: "first_port" is the fourth level.
[[nodiscard]] constexpr maybe<software_level> parse_software_level(std::string_view given) noexcept {
  return detail::enumerator_named<software_level>(given);
}

/// Whether an estimate takes software of that level as tuned: also where nobody says it. Worked: no for `general`.
[[nodiscard]] constexpr bool taken_as_tuned(software_level level) noexcept {
  return level == software_level::unnamed || level == software_level::tuned;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
