#ifndef TPUPLAN_SHOW_VIEWS_SERVING_HPP
#define TPUPLAN_SHOW_VIEWS_SERVING_HPP

#include <string>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/show/text/served.hpp>
#include <tpuplan/show/views/common.hpp>
#include <utility>
#include <vector>

/// @file
/// Parts that the views of served models have: targets, simulated latencies, and what would keep the targets.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

namespace detail {
struct kind_of_time {
  const char* option;
  const char* phrase;
  latency_target latency_targets::*target;
};
inline constexpr kind_of_time kinds_of_time[] = {
    {"ttft", "to the first token", &latency_targets::first_token},
    {"tpot", "for each token", &latency_targets::per_token},
    {"e2e", "for the whole request", &latency_targets::end_to_end},
};
}  // namespace detail

/// Worked: share_words(0.99) is "p99", of 0 it is "mean".
[[nodiscard]] inline std::string share_words(double share) {
  return share <= 0 ? "mean" : "p" + four_digits(100 * share);
}
/// "p99 to the first token 1.00 s, p95 for each token 50.0 ms".
[[nodiscard]] inline std::string targets_words(const latency_targets& targets) {
  std::vector<std::string> words;
  for (const detail::kind_of_time& kind : detail::kinds_of_time) {
    const latency_target& target = targets.*kind.target;
    if (target.limit.value() > 0)
      words.push_back(joined({share_words(target.share), " ", kind.phrase, " ", duration(target.limit)}));
  }
  return listed(words);
}
/// The title of a column of times: which of them its target is about. Worked: "first p99", "first mean" without one.
[[nodiscard]] inline std::string target_title(std::string_view words, const latency_target& target) {
  return joined({words, " ", share_words(target.limit.value() > 0 ? target.share : 0), ":s"});
}
/// That targets which are no percentiles are held against means.
inline void add_means_held(std::vector<std::string>& to, const serving_job& job, const view_options& options) {
  const bool ttft = job.ttft_target.value() > 0, tpot = job.tpot_target.value() > 0;
  if (!ttft && !tpot) return;
  if (!options.names_options) return to.emplace_back("targets without a percentile are held against the mean"), void();
  to.push_back(joined({ttft && tpot ? "--ttft and --tpot are"
                       : ttft       ? "--ttft is"
                                    : "--tpot is",
                       " held against the mean; ", ttft ? "--ttft-p99" : "--tpot-p95", " holds a percentile"}));
}

/// Requests a second, without a power of ten. Worked: "11946", "3.5".
[[nodiscard]] inline std::string rate_words(per_second rate) {
  return rate.value() < 1000 ? four_digits(rate.value()) : count(rate.value());
}

/// By how much steps may take longer than estimated, where that was found. Worked: "steps may take 1.03 times as long
/// as estimated before a target is missed: …".
inline void add_slowdown(std::vector<std::string>& words, const std::optional<double>& slowdown,
                         const std::optional<double>& chance) {
  if (!chance || *slowdown <= 0) return;
  words.push_back(joined({"steps may take ", fixed(*slowdown, 2),
                          " times as long as estimated before a target is missed: within the band of the estimate the "
                          "chance that all are kept is ",
                          percent(*chance)}));
}
/// What was published of how much adapters slow an engine down. Worked: "8.4 to 23.9 % fewer were published of
/// Llama 3.1 8B on v6e-1 alone".
[[nodiscard]] inline std::string slowed_words() {
  return joined({fixed(100 * ::tpuplan::detail::least_slowed, 1), " to ",
                 fixed(100 * ::tpuplan::detail::most_slowed, 1),
                 " % fewer were published of Llama 3.1 8B on v6e-1 alone"});
}
/// What adapters take of each device, and the requests a second of all slices with them.
[[nodiscard]] inline std::string adapter_words(const adapter_answer& held, bool keeps_targets = true) {
  return joined({"adapters take ", fixed(in_gib(held.each_device), 2), " GiB of each device; with them at most ",
                 four_digits(held.capacity_low.value()), " to ", four_digits(held.capacity_high.value()),
                 " requests/s are served: ", slowed_words(),
                 keeps_targets ? "" : "; where they take the most of that, a target is missed"});
}

/// What is to be known of requests that come near to what can be served; nothing further away.
[[nodiscard]] inline std::string load_words(per_second requests, per_second capacity) {
  const double load = requests / capacity;
  if (!(load > 0.9)) return {};
  return joined({"it takes ", percent(load),
                 " of the requests that it can serve at most: steps a little longer than estimated, or sequences that "
                 "are computed again for want of cache, make the wait many times as long, as a simulation shows"});
}

/// Simulated latencies and their targets.
inline constexpr std::string_view percentile_columns =
    "simulated | >mean:s | >p50:s | ~>p90:s | >p95:s | >p99:s | ~~>p99 +-:s | target";
/// A row of these columns.
[[nodiscard]] inline std::vector<view_cell> percentile_row(std::string_view words, const measured_times& times,
                                                           const latency_target& target, bool met) {
  const time_percentiles& percentiles = times.value;
  return {cell(words),
          cell(percentiles.mean),
          cell(percentiles.p50),
          cell(percentiles.p90),
          cell(percentiles.p95),
          cell(percentiles.p99),
          cell(times.error.p99),
          cell(target.limit.value() <= 0
                   ? std::string()
                   : joined({share_words(target.share), " ", duration(target.limit), met ? "" : ", missed"}))};
}
/// The percentiles of simulated times beside their targets.
[[nodiscard]] inline view_part report_part(const simulation_report& report, const latency_targets& targets,
                                           bool writes_tokens = true) {
  view_part part = table_of(percentile_columns);
  const auto row = [&](std::string_view words, const measured_times& times, const latency_target& target, bool met) {
    if (times.count > 0) part.rows.push_back(percentile_row(words, times, target, met));
  };
  row(writes_tokens ? "first token" : "answer", report.first_token, targets.first_token, report.meets_first_token);
  row("each token", report.per_token, targets.per_token, report.meets_per_token);
  row("between tokens", report.inter_token, {}, true);
  row("whole request", report.end_to_end, targets.end_to_end, report.meets_end_to_end);
  return part;
}
/// The changes that would keep the targets, each made alone.
[[nodiscard]] inline view_part changes_part(const std::vector<serving_change_row>& changes, std::int64_t slices,
                                            const view_options& options) {
  if (changes.empty())
    return {{}, {"no rate, prompt, chunk or format of weights, changed alone, keeps the targets"}, {}, {}, {}, false};
  view_part part =
      table_of("change | is | would have to be | with", "what would keep the targets, one change at a time");
  for (const serving_change_row& change : changes) {
    const auto words = [&](double amount) -> std::string {
      switch (change.change) {
        case serving_lever::rate: return four_digits(amount) + " requests/s";
        case serving_lever::prompt: return fixed(math::floor(amount), 0) + " tokens";
        case serving_lever::chunk: return amount > 0 ? fixed(amount, 0) + " tokens" : "the whole prompt";
        case serving_lever::weights: return fixed(amount, 0) + " bits";
      }
      return "";
    };
    std::string with;
    if (change.change == serving_lever::rate && change.needed > 0 && slices > 0) {
      const double most = math::ceil(static_cast<double>(slices) * change.given / change.needed * (1 - 1e-9));
      with = counted(std::string_view(fixed(most, 0)), "slice") + " for all of it";
    }
    if (change.change == serving_lever::chunk && change.needed > 0 && options.names_options)
      with = "--prefill-chunk " + fixed(change.needed, 0);
    if (change.weights) with = joined({options.names_options ? "--weights " : "", name(*change.weights)});
    part.rows.push_back({cell(name(change.change)), cell(words(change.given)), cell(words(change.needed)), cell(with)});
  }
  return part;
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif
