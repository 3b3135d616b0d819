#ifndef TPUPLAN_COST_LIFETIMES_HPP
#define TPUPLAN_COST_LIFETIMES_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/cost/spot.hpp>

/// @file
/// How long spot slices lasted, as was published for generations and places.

namespace tpuplan {
inline namespace abi_0 {

/// Published preemptions of spot slices.
struct published_lifetime {
  text<8> chip{};             ///< the generation
  text<24> place{};           ///< a zone; empty: the source does not state one
  std::int64_t events = 0;    ///< preemptions that were counted
  seconds observed{};         ///< in that much time with a slice
  text<12> date{};            ///< of the source: "2022-12-13", "2026"
  std::string_view source{};  ///< who counted
};

namespace detail {

// generated: spot_lifetimes from data/lifetimes.json
/// Counts of preemptions, those without a place first.
// clang-format off
inline constexpr published_lifetime spot_lifetimes[] = {
    {"v2", "", 42, 676.9_h, "2022-12-13", "SkyPilot pull request 1500"},
    {"v3", "", 42, 676.9_h, "2022-12-13", "SkyPilot pull request 1500"},
    {"v5p", "us-east5-a", 19, 28_h, "2026", "marin issue 5976"},
};
// clang-format on
// end of generated: spot_lifetimes

/// The published count of that place, else one that names no place; nullptr: there is none.
constexpr const published_lifetime* count_of(std::string_view chip, std::string_view place) {
  const published_lifetime* found = nullptr;
  for (const published_lifetime& one : spot_lifetimes) {
    if (one.chip != chip) continue;
    const bool there = !one.place.empty() &&
                       (place == one.place.view() ||
                        (place.size() + 2 == one.place.size() && one.place.view().substr(0, place.size()) == place));
    if (there || (one.place.empty() && found == nullptr)) found = &one;
  }
  return found;
}
constexpr seconds median_of(const published_lifetime* count) {
  return count != nullptr ? count->observed / static_cast<double>(count->events)
                          : typical_mean_time_between_preemptions(spot_market::cautious);
}

}  // namespace detail

/// What was seen of one's own spot slices.
struct seen_lifetimes {
  seconds time{};              ///< with slices, all of them together; 0: none was seen
  std::int64_t preempted = 0;  ///< how many of them were taken away
};

/// The median of `spot_lifetime` alone, which costs no more than a look-up: what plans count with. Worked: of v5p in
/// us-east5-a 1.47 h, of v6e 4 h.
[[nodiscard]] constexpr seconds median_spot_lifetime(std::string_view chip, std::string_view place = {}) {
  return detail::median_of(detail::count_of(chip, place));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
