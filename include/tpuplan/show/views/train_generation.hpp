#ifndef TPUPLAN_SHOW_VIEWS_TRAIN_GENERATION_HPP
#define TPUPLAN_SHOW_VIEWS_TRAIN_GENERATION_HPP

#include <string>
#include <string_view>
#include <tpuplan/ask/train_generation.hpp>
#include <tpuplan/show/views/generate.hpp>
#include <tpuplan/show/views/networks.hpp>
#include <vector>

/// @file
/// What a reader sees of the answers to fit_generation and train_generation.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// A step of a denoiser by part.
[[nodiscard]] inline view_part denoiser_step_part(const diffusion_step& step) {
  return timed_parts("part of a step", step.total,
                     {{"products", step.products, "padding included"},
                      {"attention", step.attention, "scores, softmax, values"},
                      {"elementwise", step.elementwise, "HBM"},
                      {"collectives", step.collectives, "what devices wait for one another"},
                      {"gradients", step.gradients, "exposed part of gathers and reductions"},
                      {"weight update", step.update, "HBM"},
                      {"encoding", step.encoding, "pixels and prompts"},
                      {"per product", step.overhead, "fixed time"}});
}
/// The run: its steps, and the ways of paying.
[[nodiscard]] inline view_part denoiser_run_part(const train_generation_answer& a, const view_options& options) {
  view_part part;
  if (!a.costs->empty()) part = ways_part(*a.costs, *a.run, a.terms, a.region, options);
  part.title = run_title;
  part.sentences = {joined(
      {epochs_words(a.data, *a.epochs), ", ", duration(*a.run), " (between ",
       duration_range(*a.run * (a.step_time_low / a.step_time), *a.run * (a.step_time_high / a.step_time)), ")"})};
  if (a.checkpoints) part.notes.push_back("on demand " + words_of_checkpoints(*a.checkpoints));
  if (a.costs->empty()) part.sentences.push_back(no_way_words(a.region));
  return part;
}
/// "FluxPipeline, adapters of rank 16, 1,024 x 1,024 and 1 other size".
[[nodiscard]] inline std::string denoiser_words(std::string_view model, const diffusion_training_job& job,
                                                const picture_size& first, std::size_t sizes) {
  return joined(
      {model, ", ", job.lora_rank > 0 ? joined({"adapters of rank ", grouped(job.lora_rank), ", "}) : std::string(),
       picture_words(first),
       sizes > 1 ? joined({" and ", counted(static_cast<std::int64_t>(sizes) - 1, "other size")}) : std::string()});
}
/// The band of a step, which no run narrows.
inline constexpr std::string_view denoiser_band_words =
    "no constant is fitted to such training: half or twice the time is possible";

}  // namespace readable

/// What a reader sees of whether a step of training a denoiser fits. Worked: the title of one that does begins with
/// "fits: ".
[[nodiscard]] inline view view_of(const fit_generation_answer& a, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({verdict_words(a.fits), ": ", denoiser_words(a.model, a.job, a.sizes.front(), a.sizes.size()),
                        ", on ", slices_words(a.slice, a.slices), " (", tpuplan::detail::layout_words(a.mesh), "), ",
                        counted(a.job.global_batch, std::string(item_word(a.clips))), " a step"});
  shown.parts = {memory_part(a.memory)};
  shown.parts.back().notes = {joined({"between ", fixed(in_gib(a.used_low), 2), " and ", fixed(in_gib(a.used_high), 2),
                                      " GiB as the compiler decides; largest batch that surely fits with this layout: ",
                                      a.largest_batch ? grouped(*a.largest_batch) : std::string("none")})};
  shown.summary = joined({verdict_words(a.fits), ": ", used_of(a.used, a.usable), " on each device of ", a.slice, "; ",
                          shown.parts.back().notes.front()});
  add_assumed(shown, a.assumed, options);
  if (a.fits != verdict::no) shown.next = {{"train_generation", {}, "its time and cost"}};
  return shown;
}

/// What a reader sees of a step of training a denoiser, and of the run where examples were given. Worked: of a step
/// alone there are two tables before what was assumed.
[[nodiscard]] inline view view_of(const train_generation_answer& a, const view_options& options = {}) {
  using namespace readable;
  const std::string item(item_word(a.clips));
  view shown;
  shown.title = joined({denoiser_words(a.model, a.job, a.buckets.front().size, a.buckets.size()), ", on ",
                        slices_words(a.slice, a.slices), " (", tpuplan::detail::layout_words(a.mesh), "), ",
                        counted(a.job.global_batch, item), " a step"});
  shown.summary = joined({"step ", duration(a.step_time), " (between ",
                          duration_range(a.step_time_low, a.step_time_high), "), MFU ", percent(a.mfu), ", ",
                          count(a.examples.value()), " ", item, "s/s, limited by ", name(a.breakdown.limited_by)});
  shown.sentences = {shown.summary, joined({"memory ", used_of(a.used, a.usable), ": ", verdict_words(a.fits)}),
                     joined({grouped(a.trained_parameters), " parameters are trained"}),
                     std::string(denoiser_band_words)};
  shown.parts = {denoiser_step_part(a.breakdown), memory_part(a.memory)};
  if (a.buckets.size() > 1) {
    view_part& part = shown.parts.emplace_back(table_of("size | >step:s", "buckets, each for as many steps"));
    for (const training_bucket& one : a.buckets)
      part.rows.push_back({cell(picture_words(one.size)), cell(one.step_time)});
  }
  add_refusal(shown.parts.front().notes, a.maxdiffusion_refuses);
  if (a.run) shown.parts.push_back(denoiser_run_part(a, options));
  if (a.timeline) shown.parts.push_back(timeline_part(*a.timeline));
  add_assumed(shown, a.assumed, options);
  std::vector<price_row> prices;
  for (const run_price& one : a.costs.value_or(std::vector<run_price>{})) prices.push_back(one.price);
  add_prices(shown, prices);
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
