#ifndef TPUPLAN_MODEL_SPECULATION_HPP
#define TPUPLAN_MODEL_SPECULATION_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// How an engine speculates: a round drafts some tokens, verifies all of them in one step of the model, and keeps those
/// that it accepts and one more.

namespace tpuplan {
inline namespace abi_0 {

/// How an engine speculates. Of `acceptance` and `accepted_length` one is given.
struct speculation {
  std::int64_t draft_tokens = 0;  ///< drafted in a round; 0: the engine does not speculate
  double acceptance = 0;          ///< chance that a draft token is accepted where those before it were, below 1
  double accepted_length = 0;     ///< mean tokens of a round, the one of the model itself included
  double draft_cost = 0;          ///< time to draft the tokens of a round, as a share of a step without speculation
  std::int64_t parameters = 0;    ///< of a model beside the served one that drafts, two bytes each; 0: there is none
  bytes cache_per_token{};        ///< that this model keeps of each token
};

namespace detail {

/// 1 + a + a^2 + … + a^drafted.
constexpr double tokens_at(double acceptance, std::int64_t drafted) {
  return (1 - math::pow(acceptance, static_cast<double>(drafted + 1))) / (1 - acceptance);
}

}  // namespace detail

/// Mean tokens of a round. Throws, naming the field, where neither or both of acceptance and length are given, or one
/// is out of its range. Worked: with an acceptance of 0.8 and 4 draft tokens, 3.3616. Source: Y. Leviathan, M. Kalman,
/// Y. Matias, "Fast Inference from Transformers via Speculative Decoding" (2023), equation 1.
[[nodiscard]] constexpr double tokens_of_round(const speculation& by) {
  detail::check_part("speculation.draft_tokens", detail::positive_count("speculation.draft_tokens", by.draft_tokens),
                     std::int64_t{4096}, "1 to 4096");
  const auto most = static_cast<double>(by.draft_tokens + 1);
  detail::in_range("speculation.acceptance", by.acceptance, 0, 0.9999, "0 to 0.9999");
  if (by.accepted_length != 0) {
    detail::in_range("speculation.accepted_length", by.accepted_length, 1, most, "1 to one more than the draft tokens");
    if (by.acceptance > 0)
      detail::fail(errc::invalid_argument, "speculation.acceptance", by.acceptance, "0 beside an accepted length");
    return by.accepted_length;
  }
  if (!(by.acceptance > 0))
    detail::fail(errc::missing_field, "speculation.acceptance", "missing", "above 0, or an accepted length");
  return detail::tokens_at(by.acceptance, by.draft_tokens);
}

/// The chance that a draft token is accepted where those before it were: as given, or the one whose rounds have that
/// many tokens in the mean, at most 1. Throws as `tokens_of_round` does. Worked: rounds of 1.5 tokens with one draft
/// token accept half of them.
[[nodiscard]] constexpr double acceptance_of(const speculation& by) {
  const double tokens = tokens_of_round(by);
  if (by.acceptance > 0) return by.acceptance;
  if (tokens >= static_cast<double>(by.draft_tokens + 1)) return 1;
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = low + (high - low) / 2;
    (detail::tokens_at(middle, by.draft_tokens) < tokens ? low : high) = middle;
  }
  return low;
}

/// Mean number of rounds in which a sequence gets so many further tokens: what its last round has beyond them is thrown
/// away. Exact up to 32 whole tokens, and along a line between and beyond them. Throws as `tokens_of_round` does, and
/// for fewer than 0 tokens. Worked: 0 for none, 1 for one token whatever is drafted, and 1.25 for two with an
/// acceptance of 0.75.
[[nodiscard]] constexpr double rounds_for(const speculation& by, double tokens) {
  constexpr int exact = 32;
  detail::in_range("tokens", tokens, 0, 1e15, "0 to 1e15");
  const double accepted = acceptance_of(by), each = tokens_of_round(by);
  const auto drafted = static_cast<double>(by.draft_tokens);
  double rounds[exact + 1] = {};
  for (int needed = 1; needed <= exact; ++needed) {
    double chance = 1;
    rounds[needed] = 1;
    for (int got = 1; got < needed && got <= drafted + 1; ++got) {
      const double ends = got <= drafted ? chance * (1 - accepted) : chance;  // that a round has just so many
      rounds[needed] += ends * rounds[needed - got];
      chance *= accepted;
    }
  }
  if (tokens >= exact) return rounds[exact] + (tokens - exact) / each;
  const int below = static_cast<int>(tokens);
  return rounds[below] + (tokens - below) * (rounds[below + 1] - rounds[below]);
}

/// Mean tokens that a sequence keeps of a round until its answer of so many tokens has ended, the first of which is
/// that of its prompt. Throws as `rounds_for` does. Worked: of answers of two tokens one, of very long ones those of a
/// round.
[[nodiscard]] constexpr double tokens_kept(const speculation& by, double output) {
  return output > 1 ? (output - 1) / rounds_for(by, output - 1) : tokens_of_round(by);
}

/// Throws, naming the field, for drafts without a cost or a length, for a cost, a length or a model without drafts, and
/// for a cache without a model. Worked:
/// an acceptance of 0.8 and no draft tokens is refused.
constexpr void validate(const speculation& by) {
  if (by.draft_tokens == 0) {
    if (by.acceptance != 0 || by.accepted_length != 0 || by.draft_cost != 0 || by.parameters != 0 ||
        by.cache_per_token.value() != 0)
      detail::fail(errc::missing_field, "speculation.draft_tokens", "missing", "the tokens that a round drafts");
    return;
  }
  static_cast<void>(tokens_of_round(by));
  detail::in_range("speculation.draft_cost", detail::positive("speculation.draft_cost", by.draft_cost), 0, 100,
                   "above 0, at most 100");
  detail::check_count("speculation.parameters", by.parameters, std::int64_t{10000000000000}, "0 (none) to 10^13");
  detail::in_range("speculation.cache_per_token",
                   detail::not_negative("speculation.cache_per_token", by.cache_per_token.value()), 0, 1e9,
                   "0 to 1e9 B");
  if (by.parameters == 0 && by.cache_per_token.value() > 0)
    detail::fail(errc::missing_field, "speculation.parameters", "missing", "those of the model that keeps the cache");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
