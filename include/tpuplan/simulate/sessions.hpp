#ifndef TPUPLAN_SIMULATE_SESSIONS_HPP
#define TPUPLAN_SIMULATE_SESSIONS_HPP

#include <cstddef>
#include <cstdint>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/random.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/arrivals.hpp>
#include <vector>

/// @file
/// Conversations: requests of which each begins with the ones before it and their answers, behind a prefix that many
/// conversations share.

namespace tpuplan {
inline namespace abi_0 {

/// How requests belong together.
struct session_traffic {
  std::int64_t turns = 1;          ///< requests of a conversation
  seconds think{};                 ///< mean time from an answer to the next request (exponential)
  length_distribution opening{};   ///< tokens that a conversation begins with, besides the first request; none: 0
  std::int64_t shared_prefix = 0;  ///< tokens of the prefix of all conversations of a group
  std::int64_t groups = 1;         ///< how many such prefixes there are; each conversation has one of them at random
};

/// A request of a conversation. Its prompt holds all that was said before.
struct session_request {
  simulated_request sized{};      ///< its arrival is known of the first of a conversation, and 0 of the others
  std::int64_t conversation = 0;  ///< from 0 on, in the order in which they begin
  std::int64_t turn = 0;          ///< from 0 on
  std::int64_t group = 0;         ///< whose prefix it has
  std::int64_t repeated = 0;      ///< first tokens of its prompt that were in a request before it, or its answer
  seconds think{};                ///< from the answer before it until it is sent
};

/// Whether there is anything that requests have in common. Worked: not of single requests without a shared prefix.
[[nodiscard]] inline bool have_prefixes(const session_traffic& sessions) {
  return sessions.turns > 1 || sessions.shared_prefix > 0;
}

namespace detail {

inline bool has_opening(const session_traffic& sessions) {
  return !sessions.opening.quantiles.empty() || sessions.opening.median != 0;  // below 0 or NaN it is refused
}

inline void validate(const session_traffic& sessions) {
  check_part("session_traffic.turns", positive_count("session_traffic.turns", sessions.turns), std::int64_t{10000},
             "1 to 10000");
  in_range("session_traffic.think", not_negative("session_traffic.think", sessions.think.value()), 0, 1e6,
           "0 to 1000000 s");
  if (has_opening(sessions)) check_distribution("session_traffic.opening", sessions.opening);
  if (sessions.turns == 1 && (sessions.think.value() > 0 || has_opening(sessions)))
    fail(errc::invalid_argument, "session_traffic.turns", sessions.turns,
         "2 or more, with an opening or a time to think");
  check_count("session_traffic.shared_prefix", sessions.shared_prefix, most_tokens, "0 to 2^40 tokens");
  check_part("session_traffic.groups", positive_count("session_traffic.groups", sessions.groups), std::int64_t{1000000},
             "1 to 1000000");
  if (sessions.groups > 1 && sessions.shared_prefix == 0)
    fail(errc::invalid_argument, "session_traffic.groups", sessions.groups, "1 without a shared prefix");
}

/// The requests of one conversation, whose first one comes then. The tokens of each request are those of `traffic`.
inline void add_conversation(std::vector<session_request>& to, const simulated_traffic& traffic,
                             const session_traffic& sessions, std::int64_t conversation, seconds arrival,
                             std::vector<bool>& seen) {
  const auto seed = static_cast<std::uint64_t>(traffic.seed), number = static_cast<std::uint64_t>(conversation);
  const auto groups = static_cast<double>(sessions.groups);
  const auto group = static_cast<std::int64_t>(random_numbers{seed, 11, number}.uniform() * groups);
  std::int64_t before = sessions.shared_prefix, known = 0;  // tokens before those of the request; of them, repeated
  if (has_opening(sessions)) before += draw(sessions.opening, {seed, 12, number});
  if (seen[static_cast<std::size_t>(group)]) known = sessions.shared_prefix;
  seen[static_cast<std::size_t>(group)] = true;
  for (std::int64_t turn = 0; turn < sessions.turns; ++turn) {
    session_request one;
    one.conversation = conversation, one.turn = turn, one.group = group, one.repeated = known;
    one.sized.arrival = turn == 0 ? arrival : seconds{0};
    one.sized.prompt = before + draw(traffic.prompt, {seed, 2, to.size()});
    one.sized.output = draw(traffic.output, {seed, 3, to.size()});
    one.sized.cached = static_cast<std::int64_t>(traffic.prefix_hit_rate * static_cast<double>(one.sized.prompt));
    one.sized.priority = drawn_priority(traffic, to.size());
    if (turn > 0) one.think = sessions.think * random_numbers{seed, 13, to.size()}.exponential();
    before = one.sized.prompt + one.sized.output;
    known = before - 1;  // of the last token of an answer nothing was computed
    to.push_back(one);
  }
}

}  // namespace detail

/// The requests of conversations, one conversation after the other: as many as hold the requests of `traffic`, which
/// begin at its rate over the requests of one. The tokens of `traffic.prompt` are those that each request adds. Throws,
/// naming the field, for what is out of its range. Worked: with a shared prefix of 1000 tokens, requests of 10 and
/// answers of 20, the prompts of a conversation have 1010, 1040 and 1070 tokens.
[[nodiscard]] inline std::vector<session_request> requests_of(const simulated_traffic& traffic,
                                                              const session_traffic& sessions) {
  detail::validate(traffic);
  detail::validate(sessions);
  if (have_prefixes(sessions) && traffic.prefix_hit_rate > 0)
    detail::fail(errc::invalid_argument, "simulated_traffic.prefix_hit_rate", traffic.prefix_hit_rate,
                 "0 beside conversations and shared prefixes, which have hit rates of their own");
  simulated_traffic starts = traffic;
  starts.requests = ceil_div(traffic.requests, sessions.turns);
  starts.rate = traffic.rate / static_cast<double>(sessions.turns);
  const std::vector<simulated_request> first = requests_of(starts);
  std::vector<session_request> requests;
  requests.reserve(first.size() * static_cast<std::size_t>(sessions.turns));
  std::vector<bool> seen(static_cast<std::size_t>(sessions.groups));
  for (std::size_t i = 0; i < first.size(); ++i)
    detail::add_conversation(requests, traffic, sessions, static_cast<std::int64_t>(i), first[i].arrival, seen);
  return requests;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
