#include "cli/percentiles.hpp"

#include <algorithm>
#include <cmath>

#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

struct kind_of_time {
  const char* option;
  const char* words;
  const char* phrase;
  latency_target latency_targets::*target;
};
constexpr kind_of_time kinds_of_time[] = {
    {"--ttft", "first token", "to the first token", &latency_targets::first_token},
    {"--tpot", "each token", "for each token", &latency_targets::per_token},
    {"--e2e", "whole request", "for the whole request", &latency_targets::end_to_end},
};
constexpr int shares[] = {50, 90, 95, 99};

std::string target_words(const latency_target& target, bool met) {
  if (target.limit.value() <= 0) return "";
  return fmt::format("{} {}{}", words_of_share(target.share), duration(target.limit), met ? "" : ", missed");
}

void add_times(table& rows, const char* words, const measured_times& times, const std::string& target) {
  const time_percentiles& t = times.value;
  if (times.count > 0) rows.add({words, t.mean, t.p50, t.p90, t.p95, t.p99, times.error.p99, target});
}

}  // namespace

void add_percentile_options(command& to, latency_targets& into) {
  for (const kind_of_time& kind : kinds_of_time) {
    for (const int share : shares) {
      const std::string option = fmt::format("{}-p{}", kind.option, share);
      cli::option& added =
          to.add_read(option, fmt::format("time {1} that {0} of 100 requests keep", share, kind.phrase),
                      [option, share, &target = into.*kind.target](const std::string& given) {
                        target.share = share / 100.0;
                        read(option, given, usual_limits<seconds>, target.limit);
                      });
      for (const int other : shares) {
        if (other < share) added.excludes({fmt::format("{}-p{}", kind.option, other).c_str()});
      }
    }
  }
}

std::string words_of_share(double share) { return share <= 0 ? "mean" : fmt::format("p{:g}", 100 * share); }

std::string words_of_targets(const latency_targets& targets) {
  std::string words;
  for (const kind_of_time& kind : kinds_of_time) {
    const latency_target& target = targets.*kind.target;
    if (target.limit.value() > 0)
      words += fmt::format("{}{} {} {}", words.empty() ? "" : ", ", words_of_share(target.share), kind.phrase,
                           duration(target.limit));
  }
  return words;
}

void need_targets(const latency_targets& targets, std::string_view why) {
  if (!any_target(targets)) refuse_missing("--ttft-p99", why);
}

void print_that_means_are_held(const serving_job& job) {
  const bool ttft = job.ttft_target.value() > 0, tpot = job.tpot_target.value() > 0;
  if (ttft || tpot)
    print("  {} {} held against the mean; {} holds a percentile\n",
          ttft && tpot ? "--ttft and --tpot"
          : ttft       ? "--ttft"
                       : "--tpot",
          ttft && tpot ? "are" : "is", ttft ? "--ttft-p99" : "--tpot-p95");
}

void print_report(const simulation_report& report, const latency_targets& targets) {
  table rows("simulated | >mean | >p50 | ~>p90 | >p95 | >p99 | ~~>p99 +- | target");
  add_times(rows, "first token", report.first_token, target_words(targets.first_token, report.meets_first_token));
  add_times(rows, "each token", report.per_token, target_words(targets.per_token, report.meets_per_token));
  add_times(rows, "between tokens", report.inter_token, "");
  add_times(rows, "whole request", report.end_to_end, target_words(targets.end_to_end, report.meets_end_to_end));
  rows.print();
}

namespace {

std::string amount_words(const serving_change_row& change, double amount) {
  switch (change.change) {
    case serving_lever::rate: return fmt::format("{:.4g} requests/s", amount);
    case serving_lever::prompt: return fmt::format("{:.0f} tokens", std::floor(amount));
    case serving_lever::chunk: return amount > 0 ? fmt::format("{:.0f} tokens", amount) : "the whole prompt";
    case serving_lever::weights: return fmt::format("{:.0f} bits", amount);
  }
  return "";
}

}  // namespace

void print_changes(const std::vector<serving_change_row>& changes, std::int64_t slices) {
  if (changes.empty())
    return print("\n  no rate, prompt, chunk or format of weights, changed alone, keeps the targets\n");
  print("\n  what would keep the targets, one change at a time\n\n");
  table rows("change | is | would have to be | with");
  for (const serving_change_row& change : changes) {
    std::string with;
    if (change.change == serving_lever::rate && change.needed > 0 && slices > 0)
      with = counted(fmt::format("{:.0f}",
                                 std::ceil(static_cast<double>(slices) * change.given / change.needed * (1 - 1e-9))),
                     "slice") +
             " for all of it";
    if (change.change == serving_lever::chunk && change.needed > 0)
      with = fmt::format("--prefill-chunk {:.0f}", change.needed);
    if (change.weights) with = fmt::format("--weights {}", name(*change.weights));
    rows.add(
        {name(change.change).data(), amount_words(change, change.given), amount_words(change, change.needed), with});
  }
  rows.print();
}

}  // namespace cli
