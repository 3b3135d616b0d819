#ifndef TPUPLAN_RISK_LIFETIMES_HPP
#define TPUPLAN_RISK_LIFETIMES_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/cost/lifetimes.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/risk/belief.hpp>

/// @file
/// How long a spot slice is believed to last, by what was published for its generation and place.

namespace tpuplan {
inline namespace abi_0 {

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

/// What slices of one's own say together. Throws for a time of 0. Worked: 90 min that ended in a preemption and 10 h
/// that did not are 11.5 h with one preemption.
template <class Lifetimes>
[[nodiscard]] constexpr seen_lifetimes seen_in(const Lifetimes& own) {
  seen_lifetimes seen;
  for (const own_lifetime& one : own) {
    const double lasted = detail::positive("lifetimes.lasted", one.lasted.value());
    seen.time += seconds{detail::in_range("lifetimes.lasted", lasted, 0, 3.2e9, "above 0, to 3.2e9 s")};
    seen.preempted += one.preempted ? 1 : 0;
  }
  return seen;
}

/// The belief after slices of one's own: by Bayes' rule, as `knowing`. Worked: 19 of 20 slices that lasted 28 h in all
/// and were preempted give what 19 events in 28 h give.
[[nodiscard]] constexpr mean_time_belief knowing(const mean_time_belief& before, const seen_lifetimes& seen) {
  return seen.time.value() > 0 ? knowing(before, seen.time, seen.preempted) : before;
}

/// How long a spot slice of a generation is believed to last in a place under the terms of a run: exactly as long as
/// they say; where they say nothing (0), what is published, after the slices of one's own that they hold. Worked: with
/// nothing said v6e lasts 4 h; after 19 preemptions in 28 h of one's own 1.53 h.
[[nodiscard]] constexpr mean_time_belief spot_lifetime_under(const payment_terms& terms, std::string_view chip,
                                                             std::string_view place) {
  const seconds said = terms.spot.mean_time_between_preemptions;
  return said.value() != 0 ? believed_within(said, 1) : knowing(spot_lifetime(chip, place).mean, terms.seen);
}

/// The median of that, which is a look-up where nothing of one's own was seen: what times and dollars are counted with.
/// Worked: 1.53 h of v6e after 19 preemptions in 28 h of one's own.
[[nodiscard]] constexpr seconds median_spot_lifetime_under(const payment_terms& terms, std::string_view chip,
                                                           std::string_view place) {
  if (terms.spot.mean_time_between_preemptions.value() != 0) return terms.spot.mean_time_between_preemptions;
  if (!(terms.seen.time.value() > 0)) return median_spot_lifetime(chip, place);
  return quantile(spot_lifetime_under(terms, chip, place), 0.5);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
