#ifndef TPUPLAN_TESTS_SUPPORT_ROUNDED_HPP
#define TPUPLAN_TESTS_SUPPORT_ROUNDED_HPP

#include <cstdio>
#include <nlohmann/json.hpp>

/// A document whose figures have four digits, which compilers agree on; what is nothing but rounding is 0.
inline nlohmann::ordered_json rounded(const nlohmann::ordered_json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    char digits[40];
    std::snprintf(digits, sizeof(digits), "%.4g", number > -1e-15 && number < 1e-15 ? 0 : number);
    return digits;
  }
  if (!value.is_structured()) return value;
  nlohmann::ordered_json all = value.is_array() ? nlohmann::ordered_json::array() : nlohmann::ordered_json::object();
  for (const auto& [key, each] : value.items()) {
    if (value.is_array())
      all.push_back(rounded(each));
    else
      all[key] = rounded(each);
  }
  return all;
}

#endif
