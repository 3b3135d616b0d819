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

/// Lengths of requests that came, such as those of a trace: long prompts with the outputs that they had.
struct observed_lengths {
  std::vector<simulated_request> requests{};  ///< each as likely as any other; at most `most_observed`
  token_lengths prompt{};                     ///< of all that came
  token_lengths output{};                     ///< likewise
};

/// Requests of which lengths are drawn at most: of a longer trace as many, evenly over it.
inline constexpr std::size_t most_observed = 10000;

/// The distributions from which simulations of a job draw lengths; none: those that `distribution_of` makes of its
/// moments.
struct drawn_lengths {
  std::optional<length_distribution> prompts{};  ///< input tokens
  std::optional<length_distribution> outputs{};  ///< output tokens
  std::int64_t prompt_more = 0;  ///< tokens that each prompt has beside the drawn ones, such as those of images
  observed_lengths observed{};   ///< of a trace, instead of distributions: prompt and output of one of its requests
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
  std::vector<simulated_request> observed{};  ///< each has the lengths of one of these, where there are any
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
  for (const simulated_request& one : traffic.observed) {
    positive_count("simulated_traffic.observed.prompt", one.prompt);
    positive_count("simulated_traffic.observed.output", one.output);
  }
}

/// Prompt and output of the nth request: numbers of its own for each, or one for both of a request that came.
inline void draw_lengths(const simulated_traffic& traffic, std::uint64_t nth, simulated_request& request) {
  const auto seed = static_cast<std::uint64_t>(traffic.seed);
  random_numbers prompt{seed, 2, nth};
  if (!traffic.observed.empty()) {
    const auto count = static_cast<double>(traffic.observed.size());
    const simulated_request& like = traffic.observed[static_cast<std::size_t>(prompt.uniform() * count)];
    request.prompt = like.prompt, request.output = like.output;
    return;
  }
  request.prompt = draw(traffic.prompt, prompt) + traffic.prompt_more;
  request.output = draw(traffic.output, {seed, 3, nth});
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

/// The lengths of the prompts or outputs of some requests: their moments. Throws for no requests. Worked: prompts of
/// 100 and 300 tokens have a mean of 200, a mean square of 50000, and a longest of 300.
[[nodiscard]] inline token_lengths lengths_of(const std::vector<simulated_request>& requests,
                                              std::int64_t simulated_request::*length) {
  detail::positive_count("requests", static_cast<std::int64_t>(requests.size()));
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

/// The lengths of these requests as simulations draw them. Worked: of 30000 requests every third is drawn from.
[[nodiscard]] inline observed_lengths observed_of(const std::vector<simulated_request>& requests) {
  observed_lengths observed;
  if (requests.empty()) return observed;
  observed.prompt = lengths_of(requests, &simulated_request::prompt);
  observed.output = lengths_of(requests, &simulated_request::output);
  const std::size_t count = std::min(requests.size(), most_observed);
  for (std::size_t i = 0; i < count; ++i) observed.requests.push_back(requests[i * requests.size() / count]);
  return observed;
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
/// How many times as long the lengths of a job are as others: 1 for the same mean; 0 where they are no multiple.
/// Worked: advice of prompts half as long has half the mean and a quarter of the mean square.
inline double multiple_of(const token_lengths& of, const token_lengths& lengths) {
  const double factor = lengths.mean / of.mean, square = factor * factor * of.mean_square;
  if (math::abs(factor - 1) <= 1e-9) return 1;
  return math::abs(lengths.mean_square - square) <= 1e-9 * square ? factor : 0;
}
/// The same of a distribution with so many more tokens each, which are in the lengths of a job and do not change.
inline double multiple_of(const std::optional<length_distribution>& drawn, std::int64_t more,
                          const token_lengths& lengths) {
  if (!drawn) return 0;
  token_lengths own = lengths_of(*drawn);
  own.mean += static_cast<double>(more);
  const double factor = multiple_of(own, lengths);
  return more > 0 && factor != 1 ? 0 : factor;
}
/// The same of requests that came, by their prompts: their outputs have to be those of the job.
inline double multiple_of(const observed_lengths& observed, const serving_job& job) {
  if (observed.requests.empty() || multiple_of(observed.output, job.output) != 1) return 0;
  return multiple_of(observed.prompt, job.prompt);
}

/// Whole tokens, at least 1, that are so many times as long.
inline std::int64_t times_as_long(std::int64_t tokens, double factor) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(tokens) * factor + 0.5));
}
/// A distribution of lengths that are all so many times as long.
inline length_distribution times_as_long(length_distribution lengths, double factor) {
  if (factor == 1) return lengths;
  for (length_quantile& one : lengths.quantiles) one.tokens = times_as_long(one.tokens, factor);
  lengths.median *= factor, lengths.longest = times_as_long(lengths.longest, factor);
  return lengths;
}
}  // namespace detail

namespace detail {
/// Whether gaps that vary so are as good as constant.
inline bool is_constant(double variation) noexcept { return variation < 1e-9; }
/// A time between arrivals over its mean: constant, exponential, or gamma with that coefficient of variation.
inline double draw_gap(random_numbers from, double variation) {
  if (is_constant(variation)) return 1;
  if (variation == 1) return from.exponential();
  const double shape = 1 / (variation * variation);
  return from.gamma(shape) / shape;
}
}  // namespace detail

/// The requests of some traffic, by rising arrival. Throws, naming the field, for what is out of its range.
/// Worked: at a constant rate of 4 a second the third request arrives after 0.75 s.
[[nodiscard]] inline std::vector<simulated_request> requests_of(const simulated_traffic& traffic) {
  detail::validate(traffic);
  const double mean = 1 / traffic.rate.value();
  const bool constant = detail::is_constant(traffic.variation);
  std::vector<simulated_request> requests(static_cast<std::size_t>(traffic.requests));
  const auto seed = static_cast<std::uint64_t>(traffic.seed);
  double now = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    now += mean * detail::draw_gap({seed, 1, i}, traffic.variation);
    simulated_request& request = requests[i];
    request.arrival = seconds{constant ? mean * static_cast<double>(i + 1) : now};
    detail::draw_lengths(traffic, i, request);
    request.cached = static_cast<std::int64_t>(traffic.prefix_hit_rate * static_cast<double>(request.prompt));
    request.priority = detail::drawn_priority(traffic, i);
  }
  if (traffic.as_asked && !constant) detail::stretch(requests, traffic.rate);
  return requests;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
