#ifndef TPUPLAN_JSON_KEY_HPP
#define TPUPLAN_JSON_KEY_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/base/known.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/json/number.hpp>
#include <vector>

/// @file
/// The key of a field: its name and its unit. Callers include json.hpp.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// What the unit adds to a key. SI, as all JSON of the library.
template <class T>
struct json_unit {
  static constexpr std::string_view suffix = "";
};
template <class Dim>
struct json_unit<quantity<Dim>>;  // a dimension without a suffix does not compile
#define TPUPLAN_DETAIL_UNIT(bytes, flops, seconds, usd, text)   \
  template <>                                                   \
  struct json_unit<quantity<dim<bytes, flops, seconds, usd>>> { \
    static constexpr std::string_view suffix = text;            \
  };
TPUPLAN_DETAIL_UNIT(1, 0, 0, 0, "_bytes")
TPUPLAN_DETAIL_UNIT(0, 1, 0, 0, "_flops")
TPUPLAN_DETAIL_UNIT(0, 0, 1, 0, "_s")
TPUPLAN_DETAIL_UNIT(0, 0, 0, 1, "_usd")
TPUPLAN_DETAIL_UNIT(1, 0, -1, 0, "_bytes_per_s")
TPUPLAN_DETAIL_UNIT(0, 1, -1, 0, "_flops_per_s")
TPUPLAN_DETAIL_UNIT(-1, 1, 0, 0, "_flops_per_byte")
TPUPLAN_DETAIL_UNIT(0, 0, -1, 0, "_per_s")
TPUPLAN_DETAIL_UNIT(0, 0, -1, 1, "_usd_per_s")
#undef TPUPLAN_DETAIL_UNIT
template <class T>
struct json_unit<known<T>> : json_unit<T> {};
template <class T>
struct json_unit<maybe<T>> : json_unit<T> {};
template <class T>
struct json_unit<std::optional<T>> : json_unit<T> {};
template <class T>
struct json_unit<std::vector<T>> : json_unit<T> {};
template <class T, std::size_t Count>
struct json_unit<std::array<T, Count>> : json_unit<T> {};

/// The field's name and its unit: "total" in seconds is total_s, tokens_per_second is tokens_per_s.
[[nodiscard]] inline std::string json_key(std::string_view field, std::string_view unit) {
  constexpr std::string_view spelled = "_per_second";
  if (unit == "_per_s" && field.size() > spelled.size() && field.substr(field.size() - spelled.size()) == spelled)
    field.remove_suffix(spelled.size());
  return joined({field, unit});
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
