#ifndef TPUPLAN_SHOW_VIEWS_GENERATE_HPP
#define TPUPLAN_SHOW_VIEWS_GENERATE_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/ask/generate.hpp>
#include <tpuplan/show/views/common.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to generate.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// "image" or "clip".
[[nodiscard]] constexpr std::string_view item_word(bool clips) noexcept { return clips ? "clip" : "image"; }
/// "1,280 x 720" of an image, "81 frames of 1,280 x 720" of a clip.
[[nodiscard]] inline std::string picture_words(const picture_size& size) {
  return joined({size.frames > 1 ? joined({grouped(size.frames), " frames of "}) : std::string(), grouped(size.width),
                 " x ", grouped(size.height)});
}
/// An amount of dollars of which several figures matter. Worked: "$0.0042".
[[nodiscard]] inline std::string item_money(double dollars) {
  return dollars < 1 ? joined({"$", four_digits(dollars)}) : money(usd{dollars});
}
/// "50 steps of 2 passes".
[[nodiscard]] inline std::string steps_words(const generation_job& job) {
  return joined({counted(job.steps, "step"), job.forwards > 1 ? " of 2 passes" : " of 1 pass"});
}
/// Says why MaxDiffusion does not do what was answered.
inline void add_refusal(std::vector<std::string>& to, const std::string& why) {
  if (!why.empty()) to.push_back(joined({"launch does not start it by MaxDiffusion: ", why}));
}
/// How sure the time is.
[[nodiscard]] inline std::string generation_band_words(const generate_answer& a) {
  return joined({"the band is of ", counted(a.runs, "published run"), " by ", counted(a.sources, "source"),
                 a.extrapolated ? ", none of them of such a denoiser on this chip" : ""});
}
/// A part of a time, and what it is.
struct timed_part {
  std::string_view label{};  ///< of its row
  seconds time{};            ///< that it takes
  std::string note{};        ///< beside it
};
/// The parts of a time that take any, and their share of all of it.
[[nodiscard]] inline view_part timed_parts(std::string_view of, seconds whole, const std::vector<timed_part>& parts) {
  view_part part = table_of(joined({of, " | >time:s | >share | of"}));
  for (const auto& [label, time, note] : parts)
    if (time.value() > 0) part.rows.push_back({cell(label), cell(time), share_cell(time / whole), cell(note)});
  part.rows.push_back({cell("total"), cell(whole), share_cell(1), cell("")});
  return part;
}
/// The batch by part.
[[nodiscard]] inline view_part batch_part(const generate_answer& a) {
  const std::string faster = a.job.cache_speedup > 1
                                 ? joined({", ", four_digits(a.job.cache_speedup), " times as fast by caching"})
                                 : std::string();
  return timed_parts("part of a batch", a.batch_time,
                     {{"text", a.text, "encoders of the prompts"},
                      {"steps", a.steps, steps_words(a.job) + faster},
                      {"decode", a.decode, "from latents to pixels"}});
}
/// One step by part.
[[nodiscard]] inline view_part generation_step_part(const pass_time& step) {
  return timed_parts("part of a step", step.total,
                     {{"products", step.products, "padding included"},
                      {"attention", step.attention, "scores, softmax, values"},
                      {"elementwise", step.elementwise, "HBM"},
                      {"collectives", step.collectives, "what devices wait for one another"},
                      {"per product", step.overhead, "fixed time"},
                      {"software", step.software, "over the parts, as published programs take"}});
}
/// Memory of a device by part.
[[nodiscard]] inline view_part generation_memory_part(const generation_memory& memory) {
  view_part part = table_of("on each device | >GiB:bytes | >share");
  const auto row = [&](std::string_view label, bytes amount) {
    if (amount.value() > 0)
      part.rows.push_back(
          {cell(label), cell(fixed(in_gib(amount), 2), amount.value()), share_cell(amount / memory.usable)});
  };
  row("denoiser", memory.denoiser);
  row("encoders of text", memory.text);
  row("autoencoder", memory.autoencoder);
  row(memory.decoding ? "activations of decoding" : "activations of a step", memory.activations);
  row("workspace", memory.workspace);
  row("total", memory.total);
  row("usable", memory.usable);
  part.notes = {joined({"between ", fixed(in_gib(memory.low), 2), " and ", fixed(in_gib(memory.high), 2), " GiB",
                        memory.text.value() > 0 ? ": at best encoders of text are on the host" : ""})};
  return part;
}
/// Dollars of an image or clip, marked where their price is doubtful.
[[nodiscard]] inline std::string item_price_words(const generate_answer& a, const view_options& options) {
  const auto taken =
      std::find_if(a.costs.begin(), a.costs.end(), [&](const item_price& p) { return p.kind == *a.kind; });
  const bool doubtful = taken != a.costs.end() && is_doubtful(taken->price, options);
  return joined({doubtful ? "~" : "", item_money(*a.usd_per_item), " each, ", name(*a.kind)});
}
/// The ways of paying, cheapest first.
[[nodiscard]] inline view_part item_costs_part(const generate_answer& a, const view_options& options) {
  view_part part =
      table_of(joined({"way of paying | >an hour:usd | >1,000 ", item_word(a.clips), "s:usd | >between:usd"}),
               joined({"what it costs, region ", a.region}));
  std::vector<price_row> prices;
  for (const item_price& one : a.costs) {
    prices.push_back(one.price);
    part.rows.push_back({cell(name(one.kind)), marked(usd{one.usd_per_hour}, one.price, options),
                         marked(usd{1000 * one.usd_per_item}, one.price, options),
                         range_cell(usd{1000 * one.usd_per_item_low}, usd{1000 * one.usd_per_item_high})});
  }
  add_doubts(part.notes, prices, options);
  std::vector<provisioning> kinds;
  for (const item_price& one : a.costs) kinds.push_back(one.kind);
  add_terms(part.notes, kinds);
  return part;
}

}  // namespace readable

/// What a reader sees of a batch of images or clips. Worked: the first table has its parts, the second those of a step.
[[nodiscard]] inline view view_of(const generate_answer& a, const view_options& options = {}) {
  using namespace readable;
  const std::string item(item_word(a.clips));
  view shown;
  shown.title = joined({a.model, ", ", picture_words(a.size), ", ", steps_words(a.job), ", on ",
                        slices_words(a.slice, a.slices), " (", tpuplan::detail::layout_words(a.mesh), ")"});
  const std::string made =
      a.job.batch > 1 ? joined({"a batch of ", counted(a.job.batch, item)}) : joined({a.clips ? "a " : "an ", item});
  shown.summary = joined({made, " takes ", duration(a.batch_time), " (between ",
                          duration_range(a.batch_time_low, a.batch_time_high), "), limited by ", name(a.limited_by)});
  shown.sentences = {shown.summary,
                     joined({count(a.items_per_hour), " ", item, "s an hour", a.usd_per_item ? ", " : "",
                             a.usd_per_item ? item_price_words(a, options) : std::string(), ", MFU ", percent(a.mfu)}),
                     joined({"memory ", used_of(a.used, a.usable), ": ", verdict_words(a.fits)}),
                     generation_band_words(a)};
  if (a.fits == verdict::no) {
    std::swap(shown.sentences.front(), shown.sentences[2]);
    shown.summary = joined({"does not fit: ", used_of(a.used, a.usable), " on each device"});
  }
  if (a.job.batch > 1)
    shown.sentences.push_back(
        joined({"that is ", duration(a.item_time), " for each ", item, "; the first is there when all of them are"}));
  shown.parts = {batch_part(a), generation_step_part(a.step), generation_memory_part(a.memory)};
  add_refusal(shown.parts.front().notes, a.maxdiffusion_refuses);
  if (!a.costs.empty()) shown.parts.push_back(item_costs_part(a, options));
  add_assumed(shown, a.assumed, options);
  std::vector<price_row> prices;
  for (const item_price& one : a.costs) prices.push_back(one.price);
  add_prices(shown, prices);
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
