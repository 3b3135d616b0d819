#ifndef TPUPLAN_SHOW_VIEWS_DAY_HPP
#define TPUPLAN_SHOW_VIEWS_DAY_HPP

#include <algorithm>
#include <string>
#include <tpuplan/ask/day.hpp>
#include <tpuplan/show/svg/traffic.hpp>
#include <tpuplan/show/views/serving.hpp>
#include <vector>

/// @file
/// What a reader sees of a day of traffic.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

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
[[nodiscard]] inline view_part day_ways_part(const day_document& asked) {
  view_part part = table_of(
      "paid for as | ~>at most | ~~>slice-hours | >first p99:s | ~>worst part:s | ~~>token p95:s | >cost:usd | "
      "targets");
  for (const day_option& day : asked.answer.options) {
    seconds worst{0};
    for (const day_part& one : day.parts) worst = max(worst, one.first.p99);
    const bool none = day.parts.empty();
    part.rows.push_back({cell(mix_words(day.mix)), count_cell(day.most_slices),
                         cell(count(day.slice_hours), day.slice_hours), none ? cell("") : cell(day.first_token.p99),
                         none ? cell("") : cell(worst), none ? cell("") : token_cell(day.per_token.p95), cell(day.cost),
                         cell(none ? "not simulated" : kept_words(day, asked.targets))});
  }
  if (asked.answer.options.back().parts.empty())
    part.notes = {"not simulated: the cheaper ones took as much time as one answer may"};
  return part;
}
/// What the rates need by themselves, and what following them takes beyond that.
[[nodiscard]] inline std::string ideal_words(const day_document& asked) {
  const auto hours = static_cast<double>(asked.day.rates.size()) * asked.day.part.value() / 3600;
  return joined({"the slices that each part needs in the long run are ", count(asked.answer.ideal_slice_hours),
                 " slice-hours, a fixed fleet ", count(static_cast<double>(asked.answer.fixed) * hours)});
}
/// That a fleet which does not follow the traffic keeps the targets in fewer slice-hours, where it does. Worked:
/// nothing where each costs more than the autoscaler.
template <class Answer>
void add_fixed_fleet(view_part& part, const Answer& answer, const day_autoscaler& scaler) {
  for (const auto& option : answer.options) {
    if (option.mix.follows || !option.meets_targets || option.slice_hours >= scaler.slice_hours * (1 - 1e-9)) continue;
    part.notes.push_back(
        joined({counted(answer.fixed, "slice"), " all the time keep them too, in ", count(option.slice_hours),
                " slice-hours: a ", scaler.rule.floor > answer.fixed ? "lower" : "higher", " --floor may take fewer"}));
    return;
  }
}
/// The values of a HorizontalPodAutoscaler, one pod a slice. Its metric in the form of GKE "Serve an LLM using TPU
/// Trillium on GKE with vLLM": prometheus.googleapis.com|vllm:num_requests_running|gauge.
[[nodiscard]] inline view_part autoscaler_part(const day_document& asked) {
  const day_autoscaler& scaler = *asked.answer.autoscaler;
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
  const std::string_view own = tpuplan::detail::row_of(asked.job.engine).running_metric;
  const std::size_t from = own.find('|') + 1;  // of "prometheus.googleapis.com|vllm:num_requests_running|gauge"
  if (!own.empty() && scaler.running >= 1)
    row(("or " + std::string(own.substr(from, own.rfind('|') - from)) + ", averageValue").c_str(),
        fixed(math::floor(scaler.running), 0));
  else if (asked.job.engine == serving_engine::unnamed && scaler.running >= 1)
    row("or sequences that a slice runs, as launch --hpa takes them", fixed(math::floor(scaler.running), 0));
  row("minReplicas", std::to_string(scaler.rule.floor));
  row("maxReplicas", std::to_string(scaler.most_slices));
  row("behavior.scaleDown.stabilizationWindowSeconds", fixed(scaler.rule.down_after.value(), 0));
  const double beyond = scaler.slice_hours / asked.answer.ideal_slice_hours - 1;
  part.notes = {joined({"targets are ", kept_in_parts(scaler.missed_parts), " with slices that start in ",
                        duration(asked.scaling.start_up), "; takes ", count(scaler.slice_hours), " slice-hours, ",
                        std::abs(beyond) < 5e-4 ? std::string("what each part needs in the long run")
                                                : joined({percent(std::abs(beyond)), beyond < 0 ? " less" : " more",
                                                          " than each part needs in the long run"})})};
  add_fixed_fleet(part, asked.answer, scaler);
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

/// Slices and latencies over the day, under the first way of paying; none: nothing keeps the targets.
[[nodiscard]] inline std::vector<picture> pictures_of(const day_document& asked) {
  if (asked.answer.options.empty()) return {};
  const day_option& best = asked.answer.options.front();
  const std::string title =
      readable::joined({asked.model, " on ", name(asked.fleet.where).view(), ", ", readable::mix_words(best.mix)});
  return {picture_of("day", day_chart{title, best.parts, asked.targets})};
}
/// What a reader sees of a day of traffic. Worked: where no rate keeps the targets there is no table.
[[nodiscard]] inline view view_of(const day_document& asked, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title =
      joined({asked.model, " on slices of ", name(asked.fleet.where).view(), ", ", fixed(requests_of(asked.day), 0),
              " requests in ", duration(asked.day.part * static_cast<double>(asked.day.rates.size()))});
  shown.sentences = {targets_words(asked.targets)};
  if (asked.answer.options.empty()) {
    shown.sentences.emplace_back(asked.answer.slice_rate.value() > 0
                                     ? "the slice has no price under these ways of paying"
                                     : "no rate keeps them on a slice");
  } else {
    shown.sentences.push_back(joined({"a slice keeps them up to ", four_digits(asked.answer.slice_rate.value()),
                                      " requests/s: ", counted(asked.answer.fixed, "slice"), " for the busiest part"}));
    shown.parts = {day_ways_part(asked), day_parts_part(asked.answer.options.front())};
    shown.parts.front().notes.push_back(ideal_words(asked));
    if (asked.answer.autoscaler) shown.parts.push_back(autoscaler_part(asked));
    if (options.drawn) shown.pictures = pictures_of(asked);
  }
  shown.summary = shown.sentences.back();
  add_assumed(shown, asked.assumed, options);
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
