#ifndef TPUPLAN_TESTS_SUPPORT_REFUSAL_HPP
#define TPUPLAN_TESTS_SUPPORT_REFUSAL_HPP

#include <cmath>
#include <string>
#include <string_view>
#include <support/call.hpp>
#include <tpuplan/base/error.hpp>

/// What a call refused, if it did.
struct refusal {
  bool refused = false;
  tpuplan::errc code{};
  std::string message;
};

inline refusal refusal_of(const plain_call<void()>& call) {
  try {
    call();
  } catch (const tpuplan::error& e) {
    return {true, e.code(), e.what()};
  }
  return {};
}

inline bool says(const std::string& message, std::string_view part) { return message.find(part) != std::string::npos; }

inline bool close(double value, double expected, double relative = 1e-12) {
  return std::abs(value - expected) <= relative * std::abs(expected);
}

#endif
