#ifndef TPUPLAN_BASE_SPELLING_HPP
#define TPUPLAN_BASE_SPELLING_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/text.hpp>
#include <utility>
#include <vector>

/// @file
/// Which of several names was meant, for refusals that name the nearest valid one.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// How many letters must change to make one name of the other, capitals apart.
inline std::size_t edit_distance(std::string_view given, std::string_view name) {
  std::vector<std::size_t> row(name.size() + 1);
  for (std::size_t j = 0; j <= name.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < name.size(); ++j) {
      const std::size_t replaced = diagonal + (to_lower(given[i]) == to_lower(name[j]) ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

/// How far a name is from what was given: the letters that must change where it is a slip of the pen or of the same
/// family, which is to begin alike; else as far as any other.
inline std::size_t distance_of(std::string_view given, std::string_view name) {
  std::size_t alike = 0;
  while (alike < given.size() && alike < name.size() && to_lower(given[alike]) == to_lower(name[alike])) ++alike;
  const std::size_t distance = edit_distance(given.substr(0, 40), name);
  return alike >= 3 || distance <= name.size() / 3 ? distance : std::size_t{1000};
}

}  // namespace detail

/// The names, nearest to the beginning of `given` first; in their order where nothing is given or alike. Worked: of
/// --slice, --tokens and --steps for "--token": --tokens.
[[nodiscard]] inline std::vector<std::string_view> nearest_first(const std::vector<std::string_view>& names,
                                                                 std::string_view given) {
  std::vector<std::pair<std::size_t, std::size_t>> sorted;  // distances and places
  for (std::size_t i = 0; i < names.size(); ++i)
    sorted.emplace_back(given.empty() ? 0 : detail::distance_of(given, names[i]), i);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string_view> list;
  for (const auto& [distance, place] : sorted) list.push_back(names[place]);
  return list;
}

namespace detail {

/// The names as a list, nearest to the beginning of `given` first.
inline std::string listed_nearest(const std::vector<std::string_view>& names, std::string_view given) {
  std::string list;
  for (const std::string_view name : nearest_first(names, given)) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

/// Refuses a name that is none of `names`; of a long one the message shows the beginning.
[[noreturn]] inline void fail_unknown(const std::string& field, std::string given,
                                      const std::vector<std::string_view>& names) {
  if (given.size() > 40) given = given.substr(0, 37) + "...";
  fail(errc::unknown_name, field, given, listed_nearest(names, given));
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
