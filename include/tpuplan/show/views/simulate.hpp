#ifndef TPUPLAN_SHOW_VIEWS_SIMULATE_HPP
#define TPUPLAN_SHOW_VIEWS_SIMULATE_HPP

#include <algorithm>
#include <string>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/show/svg/traffic.hpp>
#include <tpuplan/show/views/serving.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to simulate, and of a day of traffic.

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
  const std::string busy = joined({"slices for prompts compute ", percent(split.prefill_busy),
                                   " of the time; a cache is sent in ", duration(split.transfer)});
  part.notes = {busy};
  const bool misses = any_target(answer.targets) && !meets(answer.report);
  part.notes.push_back(split.pays
                           ? std::string("to split pays: ") +
                                 (any_target(answer.targets) ? "together they miss a target" : "requests end earlier")
                           : std::string("do not split: ") +
                                 (misses                       ? "it misses a target"
                                  : any_target(answer.targets) ? "together they keep the targets too"
                                  : split.prefill_busy > 0.9   ? "prompts wait for the slices that compute them"
                                  : split.transfer > split.together.first_token.value.mean
                                      ? "sending caches takes longer than computing them"
                                      : "fewer slices decode, and requests end later"));
  return part;
}
/// How much of the prompts was in the caches.
[[nodiscard]] inline std::string prefix_words(const simulate_answer& answer) {
  const prefix_shares& shares = *answer.prefixes;
  std::string words =
      joined({percent(shares.on_chips), " of the tokens of prompts were in the cache of their replica"});
  if (shares.on_hosts > 0) words += joined({", ", percent(shares.on_hosts), " on its hosts"});
  words += joined({"; ", percent(shares.repeated), " had come before"});
  if (answer.served.size() < 2) return words;
  const auto most = std::max_element(answer.served.begin(), answer.served.end());
  double all = 0;
  for (const std::int64_t one : answer.served) all += static_cast<double>(one);
  return words + joined({"; the busiest replica had ", percent(static_cast<double>(*most) / all), " of the requests"});
}
/// Rates, loads and prices below the latencies.
[[nodiscard]] inline std::vector<std::string> fleet_sentences(const simulate_answer& answer,
                                                              const view_options& options) {
  const simulation_report& report = answer.report;
  const double all = static_cast<double>(answer.replicas) / static_cast<double>(answer.simulated_replicas);
  const double came = report.arrivals.value() * all, wanted = answer.job.request_rate.value();
  std::vector<std::string> words{joined(
      {percent(report.good_share), " of the requests keep every limit: ", four_digits(report.goodput.value() * all),
       " of ", four_digits(came), " requests/s"})};
  const bool is_late = answer.sessions.turns > 1 && came < wanted && wanted > answer.capacity.value();
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
  if (answer.adapters) words.push_back(adapter_words(*answer.adapters));
  if (answer.prefixes) words.push_back(prefix_words(answer));
  if (report.preemptions > 0)
    words.push_back(counted(report.preemptions, "sequence") + " lost their keys and values and were computed again");
  if (!answer.price) return words;
  const double hour =
      in_usd_per_hour(answer.price->per_chip) * static_cast<double>(chips(answer.fleet.where) * answer.fleet.slices);
  words.push_back(joined({money(usd{hour}), " an hour on demand in ", answer.price->region.view(), ", ",
                          money(usd{hour / 3600 / (report.output_tokens.value() * all) * 1e6}),
                          writes ? " for a million output tokens (price of " : " for a million requests (price of ",
                          dated(answer.price->date, options), ")"}));
  add_doubts(words, {*answer.price}, options);
  return words;
}

/// "kept over the day, missed in 2 parts".
[[nodiscard]] inline std::string kept_in_parts(std::int64_t missed) {
  return missed == 0 ? "kept" : joined({"kept over the day, missed in ", counted(missed, "part")});
}
/// Whether a day's targets are kept, and in how many parts of it they are not.
[[nodiscard]] inline std::string kept_words(const day_option& option, const latency_targets& targets) {
  if (!option.meets_targets) return "missed";
  return kept_in_parts(tpuplan::detail::missed_parts(option.parts, targets.first_token));
}
/// "2 x commitment_1y + spot, following".
[[nodiscard]] inline std::string mix_words(const payment_mix& mix) {
  if (mix.base == 0) return joined({name(mix.kind), mix.follows ? ", following" : ", fixed"});
  if (!mix.follows) return joined({name(mix.base_kind), ", fixed"});
  return joined({std::to_string(mix.base), " x ", name(mix.base_kind), " + ", name(mix.kind), ", following"});
}
/// How the slices of a day are paid for, and what that costs and keeps.
[[nodiscard]] inline view_part day_ways_part(const day_request& request, const day_answer& answer) {
  view_part part = table_of(
      "paid for as | ~>at most | ~~>slice-hours | >first p99:s | ~>worst part:s | ~~>token p95:s | >cost:usd | "
      "targets");
  for (const day_option& day : answer.options) {
    seconds worst{0};
    for (const day_part& one : day.parts) worst = max(worst, one.first.p99);
    const bool none = day.parts.empty();
    part.rows.push_back({cell(mix_words(day.mix)), count_cell(day.most_slices),
                         cell(count(day.slice_hours), day.slice_hours), none ? cell("") : cell(day.first_token.p99),
                         none ? cell("") : cell(worst), none ? cell("") : token_cell(day.per_token.p95), cell(day.cost),
                         cell(none ? "not simulated" : kept_words(day, request.job.percentiles))});
  }
  if (answer.options.back().parts.empty())
    part.notes = {"not simulated: the cheaper ones took as much time as one answer may"};
  return part;
}
/// What the rates need by themselves, and what following them takes beyond that.
[[nodiscard]] inline std::string ideal_words(const day_request& request, const day_answer& answer) {
  const auto hours = static_cast<double>(request.day.rates.size()) * request.day.part.value() / 3600;
  return joined({"the slices that each part needs in the long run are ", count(answer.ideal_slice_hours),
                 " slice-hours, a fixed fleet ", count(static_cast<double>(answer.fixed) * hours)});
}
/// The values of a HorizontalPodAutoscaler, one pod a slice. Its metric in the form of GKE "Serve an LLM using TPU
/// Trillium on GKE with vLLM": prometheus.googleapis.com|vllm:num_requests_running|gauge.
[[nodiscard]] inline view_part autoscaler_part(const day_request& request, const day_answer& answer) {
  const day_autoscaler& scaler = *answer.autoscaler;
  const std::string title = "HorizontalPodAutoscaler, one pod a slice";
  if (!scaler.meets_targets)
    return {title,
            {"no threshold down to a sixth of what a slice serves keeps the targets: they are missed while slices "
             "start; --start-up, --floor"},
            {},
            {},
            {},
            false};
  view_part part = table_of("field | value", title);
  const auto row = [&](const char* field, const std::string& value) {
    part.rows.push_back({cell(field), cell(value)});
  };
  row("metrics: requests a second, averageValue", four_digits(scaler.threshold.value()));
  const std::string_view own = tpuplan::detail::row_of(request.job.engine).running_metric;
  const std::size_t from = own.find('|') + 1;  // of "prometheus.googleapis.com|vllm:num_requests_running|gauge"
  if (!own.empty() && scaler.running >= 1)
    row(("or " + std::string(own.substr(from, own.rfind('|') - from)) + ", averageValue").c_str(),
        fixed(math::floor(scaler.running), 0));
  row("minReplicas", std::to_string(scaler.rule.floor));
  row("maxReplicas", std::to_string(scaler.most_slices));
  row("behavior.scaleDown.stabilizationWindowSeconds", fixed(scaler.rule.down_after.value(), 0));
  const double beyond = scaler.slice_hours / answer.ideal_slice_hours - 1;
  part.notes = {
      joined({"targets are ", kept_in_parts(scaler.missed_parts), " with slices that start in ",
              duration(request.scaling.start_up), "; takes ", count(scaler.slice_hours), " slice-hours, ",
              percent(std::abs(beyond)), beyond < 0 ? " less" : " more", " than each part needs in the long run"})};
  return part;
}
/// The table of the parts of a day.
[[nodiscard]] inline view_part day_parts_part(const day_option& best) {
  view_part part =
      table_of("from:s | >requests/s | >slices | >first p50:s | >first p99:s | >token p95:s", mix_words(best.mix));
  for (const day_part& span : best.parts)
    part.rows.push_back({cell(span.start), cell(four_digits(span.rate.value()), span.rate.value()),
                         number_cell(span.slices, 1), cell(span.first.p50), cell(span.first.p99),
                         token_cell(span.token.p95)});
  return part;
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
  shown.sentences = {joined(
      {counted(answer.replicas, "replica"), routing_words(answer), counted(answer.report.requests, "request"),
       answer.sessions.turns > 1 && answer.loop.clients == 0 ? " counted, once conversations end as often as they begin"
       : answer.loop.clients == 0                            ? " counted, after the first tenth"
       : answer.loop.warm_up == 0                            ? " counted, until the last has ended"
                                  : " counted, after the first " + std::to_string(answer.loop.warm_up)})};
  shown.parts = {report_part(answer.report, answer.targets, answer.job.output.mean > 0)};
  shown.parts.back().notes = fleet_sentences(answer, options);
  shown.summary = shown.parts.back().notes.front();
  if (!answer.priorities.empty()) shown.parts.push_back(priorities_part(answer));
  if (answer.split) shown.parts.push_back(split_part(answer));
  if (!meets(answer.report) && !answer.traced && !answer.routing && !answer.split)
    shown.parts.push_back(changes_part(answer.changes, answer.fleet.slices, options));
  if (options.drawn) shown.pictures = pictures_of(answer);
  add_assumed(shown, answer.assumed, options);
  if (answer.price) add_prices(shown, {*answer.price});
  return shown;
}

/// What a reader sees of a day of traffic. Worked: where no rate keeps the targets there is no table.
[[nodiscard]] inline view view_of(const day_request& request, const day_answer& answer,
                                  const std::vector<assumption>& assumed, const view_options& options = {}) {
  using namespace readable;
  const std::string where = joined({request.model.name.view(), " on ", name(request.fleet.where).view()});
  view shown;
  shown.title = joined({request.model.name.view(), " on slices of ", name(request.fleet.where).view(), ", ",
                        fixed(requests_of(request.day), 0), " requests in ",
                        duration(request.day.part * static_cast<double>(request.day.rates.size()))});
  shown.sentences = {targets_words(request.job.percentiles)};
  if (answer.options.empty()) {
    shown.sentences.emplace_back("no rate keeps them on a slice, or the slice has no price");
  } else {
    const day_option& best = answer.options.front();
    shown.sentences.push_back(joined({"a slice keeps them up to ", four_digits(answer.slice_rate.value()),
                                      " requests/s: ", counted(answer.fixed, "slice"), " for the busiest part"}));
    shown.parts = {day_ways_part(request, answer), day_parts_part(best)};
    shown.parts.front().notes.push_back(ideal_words(request, answer));
    if (answer.autoscaler) shown.parts.push_back(autoscaler_part(request, answer));
    if (options.drawn)
      shown.pictures = {
          picture_of("day", day_chart{where + ", " + mix_words(best.mix), best.parts, request.job.percentiles})};
  }
  shown.summary = shown.sentences.back();
  add_assumed(shown, assumed, options);
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
