#ifndef TPUPLAN_BASE_CHECKS_HPP
#define TPUPLAN_BASE_CHECKS_HPP

#include <cstdint>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>

/// @file
/// The bounds of sizes and counts, and the checks that refuse what lies beyond them. For use by the library.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The largest size of anything in a model, number of tokens, and number of parameters: small enough that products of
/// two sizes stay below 2^48, and a double holds each count of parameters.
inline constexpr std::int64_t most_size = 16777216;
inline constexpr std::int64_t most_tokens = std::int64_t{1} << 40;
inline constexpr std::int64_t most_parameters = std::int64_t{1} << 53;

[[noreturn, gnu::cold]] inline void fail_part(words field, std::int64_t value, words valid) {
  fail(errc::out_of_range, field, value, valid);
}

/// Refuses a part of a count unless it is 0 to `most`.
[[gnu::always_inline]] constexpr void check_part(words field, std::int64_t value, std::int64_t most, words valid) {
  if (value < 0 || value > most) fail_part(field, value, valid);
}

[[noreturn, gnu::cold]] inline void fail_job_count(words field, std::int64_t value, words valid) {
  fail(value < 0 ? errc::invalid_argument : errc::out_of_range, field, value, valid);
}

/// Refuses a count of a job below 0 as negative and above `most` as out of range.
[[gnu::always_inline]] constexpr void check_count(words field, std::int64_t value, std::int64_t most, words valid) {
  if (value < 0 || value > most) fail_job_count(field, value, valid);
}

[[noreturn, gnu::cold]] inline void fail_size(words field, std::int64_t value, bool needed) {
  if (needed && value <= 0) fail_positive_count(field, value);
  fail_part(field, value, needed ? "1 to 16777216" : "0 to 16777216");
}

/// Refuses a size unless it is 0 to `most_size`, or 1 to `most_size` where it is needed.
[[gnu::always_inline]] constexpr void check_size(words field, std::int64_t value, bool needed = false) {
  if (value < (needed ? 1 : 0) || value > most_size) fail_size(field, value, needed);
}

/// Refuses sizes that have one name together unless each is 0 to `most_size`.
template <class... Sizes>
constexpr void check_sizes(words field, Sizes... sizes) {
  (check_size(field, sizes), ...);
}

/// Whether all sizes are 0 to less than `most_size`: a quick way past checks one by one, which name what they refuse.
template <class... Sizes>
constexpr bool are_sizes(Sizes... sizes) noexcept {
  return ((sizes | ...) & ~(most_size - 1)) == 0;
}

/// Refuses a size unless it is 1 to `most_size`.
[[gnu::always_inline]] constexpr void check_dimension(words field, std::int64_t value) {
  check_size(field, value, true);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
