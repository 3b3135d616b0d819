#ifndef TPUPLAN_TESTS_FUZZ_SUPPORT_HPP
#define TPUPLAN_TESTS_FUZZ_SUPPORT_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <tpuplan/base/error.hpp>

/// What the fuzz targets share. A property that does not hold ends the process, which libFuzzer reports with its input.

inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "property does not hold: %s\n", property);
  std::abort();
}

/// Whether the call was refused, which is right only with a message of its own. Any other exception goes on, and ends
/// the process.
template <class Call>
bool refused(const Call& call) {
  try {
    call();
    return false;
  } catch (const tpuplan::error& problem) {
    const std::string_view message = problem.what();
    require(message.substr(0, 9) == "tpuplan: " && message.size() > 9, "a refusal says what is wrong");
    require(name(problem.code()) != "?", "a refusal has a code with a name");
    return true;
  }
}

inline std::string_view characters_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A number that an answer may hold: not NaN, not infinite, not negative.
inline bool sound(double number) { return tpuplan::detail::is_finite(number) && number >= 0; }

#endif
