#ifndef TPUPLAN_RISK_LIFETIMES_HPP
#define TPUPLAN_RISK_LIFETIMES_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/risk/belief.hpp>

/// @file
/// How long a spot slice lasts: what was published for its generation and place, and a wide belief where nothing was.

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

/// The median of `spot_lifetime` alone, which costs no more than a look-up: what plans count with. Worked: of v5p in
/// us-east5-a 1.47 h, of v6e 4 h.
[[nodiscard]] constexpr seconds median_spot_lifetime(std::string_view chip, std::string_view place = {}) {
  return detail::median_of(detail::count_of(chip, place));
}

/// What a spot slice is believed to last, and why.
struct lifetime_belief {
  mean_time_belief mean{};         ///< of one slice, whatever its size: no source finds that the size matters
  seconds median{};                ///< half of the belief lies below it
  double factor = 1;               ///< nine of ten lie within this factor of the median
  text<64> because{};              ///< "no source for v6e", "2022-12-13, v2 and v3"
  const published_lifetime* of{};  ///< the published count that it rests on; nullptr: none
};

/// @{
/// How far from a published mean the next slice's may lie, nine times of ten. In another zone or year: published means
/// of TPUs go from 17 minutes to 27 hours, within a factor of 16 of the 4 hours that `spot_market::cautious` stands
/// for. In the same zone: the one source of a zone has 1.5 h by its count and 10 to 25 minutes in its words.
inline constexpr double lifetime_factor_elsewhere = 16;
inline constexpr double lifetime_factor_of_a_zone = 5;
/// @}

/// What a spot slice of a generation lasts in a zone or region: the published count of that place, else one that names
/// no place, else `spot_market::cautious`; nine of ten within a factor of 5 of the count of that zone, of 16 elsewhere.
/// Sources: data/lifetimes.json. Worked: of v5p in us-east5-a 19 preemptions in 28 h, one in 1.47 h; of v6e 4 h, from
/// 15 min to 64 h.
[[nodiscard]] constexpr lifetime_belief spot_lifetime(std::string_view chip, std::string_view place = {}) {
  const published_lifetime* const found = detail::count_of(chip, place);
  lifetime_belief belief;
  belief.of = found;
  belief.factor = found != nullptr && !found->place.empty() ? lifetime_factor_of_a_zone : lifetime_factor_elsewhere;
  belief.median = detail::median_of(found);
  belief.mean = believed_within(belief.median, belief.factor);
  if (found == nullptr)
    belief.because.append("no count is published for ").append(chip).append(" there");
  else
    belief.because.append(found->place.empty() ? std::string_view("a count of ") : found->place.view())
        .append(found->place.empty() ? "" : ", a count of ")
        .append(found->date.view());
  return belief;
}

/// How long one spot slice of one's own lasted.
struct own_lifetime {
  seconds lasted{};       ///< with the slice; above 0
  bool preempted = true;  ///< false: it was given back, or is still there
};

/// The belief after slices of one's own: by Bayes' rule, as `knowing`. Worked: 19 of 20 slices that lasted 28 h in all
/// and were preempted give what 19 events in 28 h give.
template <class Lifetimes>
[[nodiscard]] constexpr mean_time_belief knowing(const mean_time_belief& before, const Lifetimes& own) {
  seconds observed{};
  std::int64_t preempted = 0;
  for (const own_lifetime& one : own) {
    observed += seconds{detail::positive("own_lifetime.lasted", one.lasted.value())};
    preempted += one.preempted ? 1 : 0;
  }
  return observed.value() > 0 ? knowing(before, observed, preempted) : before;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
