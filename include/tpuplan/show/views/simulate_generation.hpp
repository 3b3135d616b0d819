#ifndef TPUPLAN_SHOW_VIEWS_SIMULATE_GENERATION_HPP
#define TPUPLAN_SHOW_VIEWS_SIMULATE_GENERATION_HPP

#include <string>
#include <tpuplan/ask/simulate_generation.hpp>
#include <tpuplan/show/views/generate.hpp>
#include <tpuplan/show/views/serving.hpp>
#include <tpuplan/show/views/simulate.hpp>
#include <utility>

/// @file
/// What a reader sees of the answer to simulate_generation.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// Percentiles of the latency, of the part of it that is waiting, and with the ends of the band.
[[nodiscard]] inline view_part latencies_part(const simulate_generation_answer& a) {
  view_part part = table_of(percentile_columns);
  const batch_report& report = a.report;
  const auto end = [&](std::string_view words, const time_percentiles& times) {
    part.rows.push_back(percentile_row(words, {times, {}, report.requests}, {}, true));
    part.rows.back()[6] = cell("");
  };
  part.rows = {percentile_row("latency", report.latency, a.target, report.meets_target),
               percentile_row("of it waiting", report.waiting, {}, true)};
  end("at the low end of the band", a.latency_low);
  end("at the high end", a.latency_high);
  part.notes = {
      joined({a.target.limit.value() > 0 ? joined({percent(report.good_share), " of the requests keep the limit; "})
                                         : std::string(),
              "slices are taken ", percent(report.busy), " of the time, ",
              a.made.job.batch > 1 ? joined({fixed(report.together, 1), " items a batch, "}) : std::string(),
              fixed(report.inside, 1), " requests wait or are made at a time"})};
  part.notes.push_back(joined({count(3600 * report.made.value()), " ", item_word(a.made.clips), "s an hour of the ",
                               count(3600 * a.capacity.value()), " that the slices can make",
                               a.usd_per_item ? joined({", ", item_money(*a.usd_per_item), " each, ",
                                                        money(usd{*a.usd_per_hour}), " an hour, ", name(*a.made.kind)})
                                              : std::string()}));
  const double made = a.report.made.value(), asked = a.rate.value();
  if (!a.traced && a.loop.clients == 0 && a.keeps_up && math::abs(made / asked - 1) > 0.01)
    part.notes.push_back(joined({"by chance ", count(3600 * made), " an hour came where ", count(3600 * asked),
                                 " were asked for, at which one is priced"}));
  return part;
}

}  // namespace readable

/// What a reader sees of images or clips under traffic. Worked: the first part has a row for the latency.
[[nodiscard]] inline view view_of(const simulate_generation_answer& a, const view_options& options = {}) {
  using namespace readable;
  const generate_answer& made = a.made;
  view shown;
  shown.title = joined({a.model, ", ", picture_words(made.size), ", ", steps_words(made.job), ", on ",
                        slices_words(made.slice, made.slices), " (", tpuplan::detail::layout_words(made.mesh), "), ",
                        a.traced ? trace_words(a.rate) : arrival_words(a.rate, a.loop, a.variation, "request")});
  shown.summary = joined({"half of the requests have their ", item_word(made.clips), " within ",
                          duration(a.report.latency.value.p50), ", 99 of 100 within ",
                          duration(a.report.latency.value.p99), "; a batch takes ", duration(made.batch_time),
                          " (between ", duration_range(made.batch_time_low, made.batch_time_high), ")"});
  shown.sentences = {shown.summary,
                     joined({counted(a.report.requests, "request"), " counted, ",
                             a.loop.clients == 0   ? std::string("after the first tenth")
                             : a.loop.warm_up == 0 ? std::string("until the last has ended")
                                                   : "after the first " + std::to_string(a.loop.warm_up)}),
                     joined({"memory ", used_of(made.used, made.usable), ": ", verdict_words(made.fits)}),
                     generation_band_words(made)};
  if (made.fits == verdict::no) {
    std::swap(shown.sentences.front(), shown.sentences[2]);
    shown.summary = joined({"does not fit: ", used_of(made.used, made.usable), " on each device"});
  }
  shown.parts = {latencies_part(a)};
  add_assumed(shown, a.assumed, options);
  std::vector<price_row> prices;
  for (const item_price& one : made.costs) {
    if (one.kind == made.kind) prices.push_back(one.price);
  }
  if (!prices.empty()) add_doubts(shown.parts.front().notes, prices, options);
  add_prices(shown, prices);
  shown.next = {{"generate", {}, "a batch by part, and its memory"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
