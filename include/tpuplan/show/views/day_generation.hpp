#ifndef TPUPLAN_SHOW_VIEWS_DAY_GENERATION_HPP
#define TPUPLAN_SHOW_VIEWS_DAY_GENERATION_HPP

#include <string>
#include <tpuplan/ask/day_generation.hpp>
#include <tpuplan/show/views/day.hpp>
#include <tpuplan/show/views/generate.hpp>
#include <vector>

/// @file
/// What a reader sees of a day of images or clips.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// How the slices of a day are paid for, and what that costs and keeps.
[[nodiscard]] inline view_part item_day_ways_part(const item_day_document& asked) {
  view_part part = table_of(
      "paid for as | ~>at most | ~~>slice-hours | >latency p99:s | ~>worst part:s | >cost:usd | >an item:usd | target");
  for (const item_day_option& day : asked.answer.options) {
    seconds worst{0};
    std::int64_t missed = 0;
    for (const item_day_part& one : day.parts) {
      worst = max(worst, one.latency.p99);
      missed += reached_of(one.latency, asked.target) > asked.target.limit ? 1 : 0;
    }
    part.rows.push_back(
        {cell(mix_words(day.mix)), count_cell(day.most_slices), cell(count(day.slice_hours), day.slice_hours),
         cell(day.latency.p99), cell(worst), cell(day.cost),
         cell(item_money(day.per_item.value()), day.per_item.value()),
         cell(day.meets_targets ? kept_in_parts(missed) : joined({"missed by ", percent(1 - day.good_share)}))});
  }
  const auto hours = static_cast<double>(asked.day.rates.size()) * asked.day.part.value() / 3600;
  part.notes = {joined({"the slices that each part needs in the long run are ", count(asked.answer.ideal_slice_hours),
                        " slice-hours, a fixed fleet ", count(static_cast<double>(asked.answer.fixed) * hours)})};
  return part;
}
/// The parts of a day under one mix.
[[nodiscard]] inline view_part item_day_parts_part(const item_day_option& best) {
  view_part part = table_of("from:s | >requests/h | >slices | >latency p50:s | >latency p99:s", mix_words(best.mix));
  for (const item_day_part& span : best.parts)
    part.rows.push_back({cell(span.start), cell(count(3600 * span.rate.value()), 3600 * span.rate.value()),
                         number_cell(span.slices, 1), cell(span.latency.p50), cell(span.latency.p99)});
  return part;
}
/// The values of a HorizontalPodAutoscaler, one pod a slice.
[[nodiscard]] inline view_part item_autoscaler_part(const item_day_document& asked) {
  const day_autoscaler& scaler = *asked.answer.autoscaler;
  view_part part = table_of("field | value", "HorizontalPodAutoscaler, one pod a slice");
  if (!scaler.meets_targets) {
    part.columns.clear();
    part.sentences = {
        "no threshold down to a sixth of what a slice makes keeps the target: it is missed while slices "
        "start; --start-up, --floor"};
    return part;
  }
  const auto row = [&](const char* field, const std::string& value) {
    part.rows.push_back({cell(field), cell(value)});
  };
  row("metrics: requests a second, averageValue", four_digits(scaler.threshold.value()));
  row("minReplicas", std::to_string(scaler.rule.floor));
  row("maxReplicas", std::to_string(scaler.most_slices));
  row("behavior.scaleDown.stabilizationWindowSeconds", fixed(scaler.rule.down_after.value(), 0));
  part.notes = {joined({"the target is ", kept_in_parts(scaler.missed_parts), " with slices that start in ",
                        duration(asked.scaling.start_up), "; takes ", count(scaler.slice_hours), " slice-hours"})};
  add_fixed_fleet(part, asked.answer, scaler);
  return part;
}

}  // namespace readable

/// What a reader sees of a day of images or clips. Worked: where a batch takes longer than the target there is no
/// table.
[[nodiscard]] inline view view_of(const item_day_document& asked, const view_options& options = {}) {
  using namespace readable;
  const generate_answer& made = asked.made;
  const item_day_answer& answer = asked.answer;
  view shown;
  shown.title =
      joined({made.model, ", ", picture_words(made.size), ", ", steps_words(made.job), ", on slices of ", made.slice,
              " (", tpuplan::detail::layout_words(made.mesh), "), ", fixed(requests_of(asked.day), 0), " requests in ",
              duration(asked.day.part * static_cast<double>(asked.day.rates.size()))});
  const std::string item(item_word(made.clips));
  shown.sentences = {
      joined({"a batch of ", std::to_string(asked.batch), " takes ", duration(made.batch_time), " (between ",
              duration_range(made.batch_time_low, made.batch_time_high), "), and ", percent(asked.target.share),
              " of the requests should have their ", item, " within ", duration(asked.target.limit)})};
  if (answer.fixed == 0) {
    shown.sentences.emplace_back("no number of slices keeps that");
  } else if (answer.options.empty()) {
    shown.sentences.emplace_back("the slice has no price");
  } else {
    shown.sentences.push_back(joined({counted(answer.fixed, "slice"), " for the busiest part, up to ",
                                      count(3600 * answer.slice_rate.value()), " requests an hour each"}));
    shown.parts = {item_day_ways_part(asked), item_day_parts_part(answer.options.front())};
    if (answer.autoscaler) shown.parts.push_back(item_autoscaler_part(asked));
  }
  shown.summary = shown.sentences.back();
  shown.sentences.push_back(joined({"memory ", used_of(made.used, made.usable), ": ", verdict_words(made.fits)}));
  shown.sentences.push_back(generation_band_words(made));
  add_assumed(shown, asked.assumed, options);
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
