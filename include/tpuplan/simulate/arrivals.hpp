#ifndef TPUPLAN_SIMULATE_ARRIVALS_HPP
#define TPUPLAN_SIMULATE_ARRIVALS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/random.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <utility>
#include <vector>

/// @file
/// Requests as they arrive at a serving engine: when, with how long a prompt, and how many output tokens they will
/// want. The same seed gives the same requests. Each figure of each request has random numbers of its own: another rate
/// moves the arrivals and leaves the lengths as they are.

namespace tpuplan {
inline namespace abi_0 {

/// A request of a simulation, drawn by `requests_of` or taken from a trace.
struct simulated_request {
  seconds arrival{};          ///< since the start
  std::int64_t prompt = 0;    ///< input tokens, at least 1
  std::int64_t output = 0;    ///< output tokens, at least 1
  std::int64_t cached = 0;    ///< first tokens of the prompt that are in the prefix cache; fewer than the prompt
  std::int64_t priority = 0;  ///< of an engine that goes by them: lower ones first
};

/// How lengths are distributed: by quantiles with straight lines between them, or log-normally where there are none.
struct length_distribution {
  std::vector<length_quantile> quantiles;  ///< rising from a share of 0 to one of 1
  double median = 0;                       ///< without quantiles: half of the lengths are at most that
  double spread = 0;                       ///< without quantiles: standard deviation of the logarithm of the length
  std::int64_t longest = 0;                ///< without quantiles: longer lengths become this
};

/// The distributions from which simulations of a job draw lengths; none: those that `distribution_of` makes of its
/// moments.
struct drawn_lengths {
  std::optional<length_distribution> prompts{};  ///< input tokens
  std::optional<length_distribution> outputs{};  ///< output tokens
  std::int64_t prompt_more = 0;  ///< tokens that each prompt has beside the drawn ones, such as those of images
};

/// Requests that come at random.
struct simulated_traffic {
  per_second rate{};             ///< requests a second
  double variation = 1;          ///< standard deviation over mean of the time between two arrivals: 0 for a constant
                                 ///< rate, 1 for a Poisson process, more for bursts (Gamma distribution)
  length_distribution prompt{};  ///< input tokens
  length_distribution output{};  ///< output tokens
  double prefix_hit_rate = 0;    ///< share of each prompt that is in the prefix cache
  std::int64_t requests = 0;     ///< how many
  std::int64_t seed = 1;         ///< of the random numbers
  std::int64_t prompt_more = 0;  ///< tokens that each prompt has beside the drawn ones, such as those of images
  bool as_asked = false;         ///< arrivals are stretched until those that are counted come at exactly the rate
  double urgent_share = 0;  ///< of the requests, at random, which have priority 0; the others have 1; 0: all have 0
};

/// Requests that one run simulates at most: ten million. Longer lists are refused.
inline constexpr std::int64_t most_simulated_requests = 10000000;

namespace detail {

/// The share of requests, the first to come, that percentiles and rates leave out: the engine is still filling.
inline constexpr double warm_up_share = 0.1;

/// Stretches arrivals until the requests that are counted come at that rate.
inline void stretch(std::vector<simulated_request>& requests, per_second rate) {
  const auto warm = static_cast<std::size_t>(warm_up_share * static_cast<double>(requests.size()));
  const seconds counted = requests.back().arrival - requests[warm].arrival;
  if (counted.value() <= 0) return;
  const double longer = static_cast<double>(requests.size() - warm) / (rate * counted);
  for (simulated_request& one : requests) one.arrival = one.arrival * longer;
}

inline void check_distribution(words field, const length_distribution& lengths) {
  if (!lengths.quantiles.empty()) {
    static_cast<void>(lengths_from(lengths.quantiles.data(), lengths.quantiles.size()));
    return;
  }
  positive(field, lengths.median);
  in_range(field, lengths.spread, 0, 10, "a spread of 0 to 10");
  check_part(field, positive_count(field, lengths.longest), most_tokens, "1 to 2^40 tokens");
}

/// Tokens, a whole number from 1 on.
inline std::int64_t draw(const length_distribution& lengths, random_numbers numbers) {
  double tokens = 0;
  if (lengths.quantiles.empty()) {
    tokens = lengths.spread > 0 ? lengths.median * math::exp(lengths.spread * numbers.normal()) : lengths.median;
    tokens = std::min(tokens, static_cast<double>(lengths.longest));
  } else {
    const double share = numbers.uniform();
    std::size_t upper = 1;
    while (lengths.quantiles[upper].share < share) ++upper;
    const length_quantile &from = lengths.quantiles[upper - 1], &to = lengths.quantiles[upper];
    const auto least = static_cast<double>(from.tokens);
    tokens = least + (share - from.share) / (to.share - from.share) * (static_cast<double>(to.tokens) - least);
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(tokens + 0.5));
}

/// Of the two priorities that of a request.
inline std::int64_t drawn_priority(const simulated_traffic& traffic, std::uint64_t nth) {
  if (traffic.urgent_share == 0) return 0;
  return random_numbers{static_cast<std::uint64_t>(traffic.seed), 4, nth}.uniform() < traffic.urgent_share ? 0 : 1;
}

/// Whether requests differ in priority.
inline bool have_priorities(const std::vector<simulated_request>& requests) {
  return std::any_of(requests.begin(), requests.end(),
                     [&](const simulated_request& one) { return one.priority != requests.front().priority; });
}

/// Share of a normal distribution that is below x.
inline double normal_share_below(double x) { return 0.5 * std::erfc(-x / 1.4142135623730951); }

/// Mean of log-normal lengths, none above the longest, to the power 1 or 2.
inline double cut_moment(const length_distribution& lengths, double power) {
  const auto longest = static_cast<double>(lengths.longest);
  if (lengths.spread <= 0) return std::pow(std::min(lengths.median, longest), power);
  const double spread = lengths.spread, cut = math::log(longest / lengths.median) / spread;
  return std::pow(lengths.median, power) * math::exp(power * power * spread * spread / 2) *
             normal_share_below(cut - power * spread) +
         std::pow(longest, power) * normal_share_below(-cut);
}

inline void validate(const simulated_traffic& traffic) {
  in_range("simulated_traffic.rate", positive("simulated_traffic.rate", traffic.rate.value()), 1e-12, 1e9,
           "1e-12 to 1e9 requests a second");
  in_range("simulated_traffic.variation", traffic.variation, 0, 20, "0 (constant) to 20");
  check_distribution("simulated_traffic.prompt", traffic.prompt);
  check_distribution("simulated_traffic.output", traffic.output);
  in_range("simulated_traffic.prefix_hit_rate", traffic.prefix_hit_rate, 0, 0.999, "0 to 0.999");
  check_count("simulated_traffic.prompt_more", traffic.prompt_more, most_tokens, "0 to 2^40");
  in_range("simulated_traffic.urgent_share", traffic.urgent_share, 0, 0.999, "0 (no priorities) to 0.999");
  check_part("simulated_traffic.requests", positive_count("simulated_traffic.requests", traffic.requests),
             most_simulated_requests, "1 to 10000000");
}

}  // namespace detail

/// Lengths that are all the same, in tokens. Throws for a length below 1. Worked: the mean of same_length(512) is 512
/// tokens.
[[nodiscard]] inline length_distribution same_length(std::int64_t tokens) {
  const auto length = static_cast<double>(detail::positive_count("tokens", tokens));
  return {{}, length, 0, tokens};
}

/// Lengths in tokens whose logarithms are normal; longer ones than `longest` become that. Throws for a median or a
/// longest below 1. Worked: log_normal_lengths(100, 1, 1000000) has a mean of 100 sqrt(e) = 164.9 tokens.
[[nodiscard]] inline length_distribution log_normal_lengths(double median, double spread, std::int64_t longest) {
  length_distribution lengths{{}, median, spread, longest};
  detail::check_distribution("log_normal_lengths", lengths);
  return lengths;
}

/// Lengths in tokens by quantiles, each a share and the length that this share does not exceed:
/// lengths_by_quantiles({{0, 16}, {0.5, 400}, {1, 8192}}). Throws as `lengths_from` does. Worked: these have a mean of
/// 2252 tokens, and the longest has 8192.
[[nodiscard]] inline length_distribution lengths_by_quantiles(std::vector<length_quantile> quantiles) {
  length_distribution lengths{std::move(quantiles), 0, 0, 0};
  lengths.longest = lengths_from(lengths.quantiles.data(), lengths.quantiles.size()).longest;
  return lengths;
}

/// Mean and mean square of a distribution, as the closed forms take them; lengths are not rounded to whole tokens here.
/// Worked: log-normal with a median of 100 and a spread of 1, of which practically none is above the longest, has mean
/// 100 sqrt(e) = 164.9.
[[nodiscard]] inline token_lengths lengths_of(const length_distribution& lengths) {
  detail::check_distribution("length_distribution", lengths);
  if (!lengths.quantiles.empty()) return lengths_from(lengths.quantiles.data(), lengths.quantiles.size());
  return {detail::cut_moment(lengths, 1), detail::cut_moment(lengths, 2), lengths.longest};
}

/// The lengths of the prompts or outputs of some requests: their moments. Worked: prompts of 100 and 300 tokens have a
/// mean of 200, a mean square of 50000, and a longest of 300.
[[nodiscard]] inline token_lengths lengths_of(const std::vector<simulated_request>& requests,
                                              std::int64_t simulated_request::*length) {
  token_lengths moments;
  double sum = 0, squares = 0;  // of whole numbers: exact up to 2^53
  for (const simulated_request& one : requests) {
    const auto tokens = static_cast<double>(one.*length);
    sum += tokens;
    squares += tokens * tokens;
    if (one.*length > moments.longest) moments.longest = one.*length;
  }
  const auto count = static_cast<double>(requests.size()), longest = static_cast<double>(moments.longest);
  moments.mean = std::min(sum / count, longest);
  moments.mean_square = std::min(squares / count, moments.mean * longest);
  return moments;
}

/// A distribution with the mean and mean square that a job gives: constant where the mean square is that of the mean,
/// otherwise log-normal with no length above the longest, which makes its mean a little shorter. Throws as `validate`
/// of a job does. Worked: a mean of 164.87 and a mean square of 73891 come back as a median of 100 and a spread of 1.
[[nodiscard]] inline length_distribution distribution_of(const token_lengths& lengths) {
  detail::check_lengths("longest", "mean", "mean square", lengths);
  const double ratio = lengths.mean_square / (lengths.mean * lengths.mean);
  if (ratio <= 1 + 1e-9) return {{}, lengths.mean, 0, lengths.longest};
  return {{}, lengths.mean / math::sqrt(ratio), math::sqrt(math::log(ratio)), lengths.longest};
}

namespace detail {
/// Whether a job has lengths of a distribution, each with that many more tokens: of the same mean.
inline bool are_lengths_of(const std::optional<length_distribution>& drawn, std::int64_t more,
                           const token_lengths& lengths) {
  return drawn && math::abs(lengths_of(*drawn).mean + static_cast<double>(more) - lengths.mean) <= 1e-9 * lengths.mean;
}
}  // namespace detail

/// The requests of some traffic, by rising arrival. Throws, naming the field, for what is out of its range.
/// Worked: at a constant rate of 4 a second the third request arrives after 0.75 s.
[[nodiscard]] inline std::vector<simulated_request> requests_of(const simulated_traffic& traffic) {
  detail::validate(traffic);
  const double mean = 1 / traffic.rate.value();
  const bool constant = traffic.variation == 0, poisson = traffic.variation == 1;
  const double shape = constant ? 1 : 1 / (traffic.variation * traffic.variation);
  std::vector<simulated_request> requests(static_cast<std::size_t>(traffic.requests));
  const auto seed = static_cast<std::uint64_t>(traffic.seed);
  double now = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    detail::random_numbers gap{seed, 1, i};
    now += mean * (constant ? 1 : poisson ? gap.exponential() : gap.gamma(shape) / shape);
    simulated_request& request = requests[i];
    request.arrival = seconds{constant ? mean * static_cast<double>(i + 1) : now};
    request.prompt = detail::draw(traffic.prompt, {seed, 2, i}) + traffic.prompt_more;
    request.output = detail::draw(traffic.output, {seed, 3, i});
    request.cached = static_cast<std::int64_t>(traffic.prefix_hit_rate * static_cast<double>(request.prompt));
    request.priority = detail::drawn_priority(traffic, i);
  }
  if (traffic.as_asked && !constant) detail::stretch(requests, traffic.rate);
  return requests;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
