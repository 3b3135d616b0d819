#ifndef TPUPLAN_SHOW_VIEWS_SIMULATE_HPP
#define TPUPLAN_SHOW_VIEWS_SIMULATE_HPP

#include <algorithm>
#include <optional>
#include <string>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/show/svg/traffic.hpp>
#include <tpuplan/show/views/plan_traffic.hpp>
#include <tpuplan/show/views/serving.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to simulate.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// How many replicas there are, and how requests are shared out.
[[nodiscard]] inline std::string fleet_words(const serving_fleet& fleet) {
  return slices_words(name(fleet.where).view(), fleet.slices);
}
/// "20 requests a second at random", or how many are in flight.
[[nodiscard]] inline std::string arrival_words(per_second rate, const closed_loop& loop, double variation,
                                               std::string_view sent) {
  if (loop.clients > 0)
    return joined({counted(loop.clients, sent), " in flight",
                   loop.ramp.value() > 0 ? " after a ramp of " + duration(loop.ramp) : std::string()});
  return joined({counted(std::string_view(four_digits(rate.value())), sent), " a second ",
                 variation == 0   ? "at a constant rate"
                 : variation == 1 ? std::string("at random")
                                  : "with a variation of " + four_digits(variation)});
}
/// The same of a trace: "0.5 requests a second of a trace".
[[nodiscard]] inline std::string trace_words(per_second rate) {
  return counted(std::string_view(four_digits(rate.value())), "request") + " a second of a trace";
}
/// The same as requests came to a fleet.
[[nodiscard]] inline std::string traffic_words(const simulate_answer& answer) {
  if (answer.traced) return trace_words(answer.job.request_rate);
  return arrival_words(answer.job.request_rate,
                       {answer.loop.clients > 0 ? answer.job.concurrency : 0, answer.loop.ramp, 0}, answer.variation,
                       answer.sessions.turns > 1 && answer.loop.clients > 0 ? "conversation" : "request");
}
/// Where requests go.
[[nodiscard]] inline std::string routing_words(const simulate_answer& answer) {
  if (answer.split) return ", some for prompts and some that decode, each in turn; ";
  if (!answer.routing) {
    return answer.simulated_replicas == answer.replicas ? ", to which requests go in turn; "
                                                        : ", of which one is simulated with its share; ";
  }
  switch (*answer.routing) {
    case request_routing::round_robin: return ", to which a router sends requests in turn; ";
    case request_routing::random: return ", to which a router sends requests at random; ";
    case request_routing::queue: return ", each request to that with the fewest in flight; ";
    case request_routing::prefix: break;
  }
  return ", each request to one that has its prefix, unless it is too busy; ";
}
/// Calls `show` with the words for each kind of latency that was measured, and where an end of the band has it.
template <class Show>
void each_latency(const simulate_answer& answer, const Show& show) {
  const simulation_report& report = answer.report;
  show(answer.job.output.mean > 0 ? "first token" : "answer", &latency_end::first_token);
  if (report.per_token.count > 0) show("each token", &latency_end::per_token);
  show("whole request", &latency_end::end_to_end);
}
/// Percentiles between the ends of the band, of which the high one may be left out.
[[nodiscard]] inline view_part band_part(const simulate_answer& answer) {
  view_part part = table_of("between | >p50 | >p90 | >p95 | >p99");
  each_latency(answer, [&](std::string_view words, time_percentiles latency_end::*times) {
    std::vector<view_cell> row = {cell(words)};
    for (seconds time_percentiles::*share :
         {&time_percentiles::p50, &time_percentiles::p90, &time_percentiles::p95, &time_percentiles::p99}) {
      const seconds low = (*answer.latency_low).*times.*share;
      row.push_back(answer.latency_high ? range_cell(low, (*answer.latency_high).*times.*share)
                                        : cell(joined({duration(low), " or more"})));
    }
    part.rows.push_back(std::move(row));
  });
  part.notes = {"the same requests, with all steps as short and as long as the band of the estimate has them"};
  return part;
}
/// The ends of the band as rows of the percentiles.
inline void add_ends(view_part& part, const simulate_answer& answer) {
  each_latency(answer, [&](std::string_view words, time_percentiles latency_end::*times) {
    const auto add = [&](const std::optional<latency_end>& end, std::string_view which) {
      if (!end) return;
      part.rows.push_back(percentile_row(joined({words, which}), {(*end).*times, {}, 1}, {}, true));
      part.rows.back()[6] = cell("");
    };
    add(answer.latency_low, ", low end"), add(answer.latency_high, ", high end");
  });
}
/// What requests of each priority take.
[[nodiscard]] inline view_part priorities_part(const simulate_answer& answer) {
  view_part part =
      table_of("priority | >requests | >first p50:s | >first p99:s | >token p50:s | >token p95:s | >whole request:s");
  for (const priority_times& one : answer.priorities)
    part.rows.push_back({cell(one.priority == 0 ? std::string("0, first") : std::to_string(one.priority)),
                         cell(std::to_string(one.requests), static_cast<double>(one.requests)),
                         cell(one.first_token.value.p50), cell(one.first_token.value.p99),
                         token_cell(one.per_token.value.p50), token_cell(one.per_token.value.p95),
                         cell(one.end_to_end.value.mean)});
  return part;
}
/// The split fleet beside as many slices that do both, and whether it pays.
[[nodiscard]] inline view_part split_part(const simulate_answer& answer) {
  const split_answer& split = *answer.split;
  view_part part = table_of(
      "slices | >first p50:s | >first p99:s | >token p50:s | >token p95:s | >whole request:s | "
      "targets",
      "apart and together");
  const auto row = [&](const std::string& words, const simulation_report& report) {
    part.rows.push_back({cell(words), cell(report.first_token.value.p50), cell(report.first_token.value.p99),
                         token_cell(report.per_token.value.p50), token_cell(report.per_token.value.p95),
                         cell(report.end_to_end.value.mean),
                         cell(!any_target(answer.targets) ? "none"
                              : meets(report)             ? "kept"
                                                          : "missed")});
  };
  row(joined({std::to_string(split.pools.prefill), " for prompts, ", std::to_string(split.pools.decode), " decode"}),
      answer.report);
  row(joined({std::to_string(split.pools.prefill + split.pools.decode), " do both"}), split.together);
  const std::string busy =
      joined({"slices for prompts compute ", percent(split.prefill_busy), " of the time; a cache is there ",
              duration(split.transfer), " behind its last prompt token"});
  part.notes = {busy};
  part.notes.push_back(split_verdict(split, answer.report, answer.targets));
  return part;
}
/// What requests took before, during and after an outage.
[[nodiscard]] inline view_part outage_part(const simulate_answer& answer) {
  const outage_report& seen = *answer.outage;
  view_part part =
      table_of("requests | that came | >requests | >p50:s | >p90:s | >p95:s | >p99:s", "what they saw of the outage");
  const auto row = [&](const char* what, const char* when, const outage_times& of, const measured_times& times) {
    if (times.count == 0) return;
    part.rows.push_back({cell(std::string(what)), cell(std::string(when)),
                         cell(std::to_string(of.requests), static_cast<double>(of.requests)), cell(times.value.p50),
                         cell(times.value.p90), cell(times.value.p95), cell(times.value.p99)});
  };
  const auto rows = [&](const char* what, measured_times outage_times::*times) {
    row(what, "before", seen.before, seen.before.*times);
    row(what, "during", seen.during, seen.during.*times);
    row(what, "after", seen.after, seen.after.*times);
  };
  rows(answer.job.output.mean > 0 ? "first token" : "answer", &outage_times::first_token);
  rows("each token", &outage_times::per_token);
  rows("whole request", &outage_times::end_to_end);
  part.notes.push_back(joined({counted(seen.replicas, "replica"), seen.in_turn ? " at a time" : "", " of ",
                               std::to_string(answer.replicas), " gone from ", duration(seen.at), " on, all back at ",
                               duration(seen.restored), "; ", counted(seen.interrupted, "request"), " began again"}));
  part.notes.push_back(joined({"without a first token: ", fixed(seen.waiting, 1), " in the mean before, at most ",
                               counted(seen.most, "request"), " until all were back; ",
                               seen.drained ? "the queue was drained at " + duration(*seen.drained)
                                            : std::string("the queue was not drained while requests came")}));
  if (any_target(answer.targets))
    part.notes.push_back(
        joined({"targets were missed for ", duration(seen.missed), " of the ", duration(seen.watched),
                " from then on, and ", percent(seen.missed_before), " of the time before (by each hundred requests)"}));
  return part;
}
/// How much of the prompts was in the caches.
[[nodiscard]] inline std::string prefix_words(const simulate_answer& answer) {
  return found_words(*answer.prefixes) +
         (answer.served.size() < 2 ? std::string() : busiest_words(busiest_share(answer.served)));
}
/// Whether fewer turns come than are asked for because answers take a good part of the time between two turns.
[[nodiscard]] inline bool are_turns_late(const simulate_answer& answer, double came) {
  const double wanted = answer.job.request_rate.value();
  return answer.sessions.turns > 1 && came < wanted && wanted > answer.capacity.value() &&
         10 * answer.report.end_to_end.value.mean > answer.sessions.think;
}
/// Which requests of conversations are counted.
[[nodiscard]] inline std::string counted_conversations(const simulate_answer& answer) {
  const double all = static_cast<double>(answer.replicas) / static_cast<double>(answer.simulated_replicas);
  const double came = answer.report.arrivals.value() * all;
  const bool begins = came < 0.9 * answer.job.request_rate.value() && !are_turns_late(answer, came);
  return begins ? " counted, while more conversations begin than end"
                : " counted, once conversations end as often as they begin";
}
/// Rates, loads and prices below the latencies.
[[nodiscard]] inline std::vector<std::string> fleet_sentences(const simulate_answer& answer,
                                                              const view_options& options) {
  const simulation_report& report = answer.report;
  const double all = static_cast<double>(answer.replicas) / static_cast<double>(answer.simulated_replicas);
  const double came = report.arrivals.value() * all, wanted = answer.job.request_rate.value();
  std::vector<std::string> words{
      any_target(answer.targets)
          ? joined({percent(report.good_share), " of the requests keep every limit: ",
                    four_digits(report.goodput.value() * all), " of ", four_digits(came), " requests/s"})
          : joined({four_digits(report.goodput.value() * all), " requests/s are answered"})};
  const bool is_late = are_turns_late(answer, came);
  if (!answer.traced && answer.loop.clients == 0 && math::abs(came / wanted - 1) > 0.01)
    words.push_back(joined({is_late                     ? "as late answers delay the turns behind them "
                            : answer.sessions.turns > 1 ? "by chance and while conversations begin "
                                                        : "by chance ",
                            four_digits(came), " requests/s came where ", four_digits(wanted), " were asked for",
                            options.names_options && !is_late ? "; --requests draws more" : ""}));
  add_slowdown(words, answer.slowdown, answer.chance);
  const bool writes = answer.job.output.mean > 0;
  const std::string made = writes ? count(report.output_tokens.value() * all) + " output tokens/s; " : std::string();
  words.push_back(
      joined({made, percent(came / answer.capacity.value()), " of the ", four_digits(answer.capacity.value()),
              " requests/s that ", fleet_words(answer.fleet), " can serve"}));
  words.push_back(joined({"a replica has some request ", percent(report.busy), " of the time, runs ",
                          fixed(report.running, 1), writes ? " sequences, fills " : " requests in a step",
                          writes ? percent(report.cache) + " of its cache" : std::string()}));
  if (answer.adapters) words.push_back(adapter_words(*answer.adapters, answer.meets_targets || !meets(report)));
  if (answer.prefixes) words.push_back(prefix_words(answer));
  if (report.preemptions > 0)
    words.push_back(counted(report.preemptions, "sequence") + " lost their keys and values and were computed again");
  if (!answer.cost) return words;
  const simulated_cost& cost = *answer.cost;
  const std::string low = cost.million_low ? money(*cost.million_low) : "";
  const std::string high = cost.million_high ? money(*cost.million_high) : "";
  words.push_back(
      joined({money(cost.hour), " an hour ", spaced(name(answer.price->kind)), " in ", answer.price->region.view(),
              ", ", money(cost.million), writes ? " for a million output tokens" : " for a million requests",
              low == high ? std::string() : " (between " + low + " and " + high + ")", ", price of ",
              dated(answer.price->date, options)}));
  add_doubts(words, {*answer.price}, options);
  return words;
}

}  // namespace readable

/// Latency against load, where other rates were asked for.
[[nodiscard]] inline std::vector<picture> pictures_of(const simulate_answer& answer) {
  if (answer.load.empty()) return {};
  return {picture_of("load", latency_chart{"Latency and load of " + readable::fleet_words(answer.fleet), answer.load,
                                           answer.targets})};
}
/// What a reader sees of a fleet under traffic. Worked: the first part has a row for the first token.
[[nodiscard]] inline view view_of(const simulate_answer& answer, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title =
      joined({answer.model, " on ", fleet_words(answer.fleet), ", ", traffic_words(answer), ", ",
              fixed(answer.job.prompt.mean, 0), " prompt tokens",
              answer.job.output.mean > 0 ? " and " + fixed(answer.job.output.mean, 0) + " output tokens" : ""});
  shown.sentences = {
      joined({counted(answer.replicas, "replica"), routing_words(answer), counted(answer.report.requests, "request"),
              answer.sessions.turns > 1 && answer.loop.clients == 0 ? counted_conversations(answer)
              : answer.loop.clients == 0                            ? " counted, after the first tenth"
              : answer.loop.warm_up == 0                            ? " counted, until the last has ended"
                                         : " counted, after the first " + std::to_string(answer.loop.warm_up)})};
  shown.parts = {report_part(answer.report, answer.targets, answer.job.output.mean > 0)};
  if (options.wide) add_ends(shown.parts.back(), answer);
  shown.parts.back().notes = fleet_sentences(answer, options);
  shown.summary = shown.parts.back().notes.front();
  if (answer.latency_low && !options.wide) shown.parts.push_back(band_part(answer));
  if (!answer.priorities.empty()) shown.parts.push_back(priorities_part(answer));
  if (answer.split) shown.parts.push_back(split_part(answer));
  if (answer.outage) shown.parts.push_back(outage_part(answer));
  if (!meets(answer.report) && !answer.traced && !answer.routing && !answer.split)
    shown.parts.push_back(changes_part(answer.changes, answer.fleet.slices, options));
  if (options.drawn) shown.pictures = pictures_of(answer);
  add_assumed(shown, answer.assumed, options);
  if (answer.price) add_prices(shown, {*answer.price});
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
