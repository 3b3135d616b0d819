#ifndef TPUPLAN_SHOW_VIEWS_PLAN_TRAIN_GENERATION_HPP
#define TPUPLAN_SHOW_VIEWS_PLAN_TRAIN_GENERATION_HPP

#include <cstddef>
#include <string>
#include <tpuplan/ask/plan_train_generation.hpp>
#include <tpuplan/show/views/train_generation.hpp>
#include <vector>

/// @file
/// What a reader sees of the answer to plan_train_generation.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// The first plans, and what is said of the others.
[[nodiscard]] inline view_part denoiser_plans_part(const plan_train_generation_answer& a, const view_options& options) {
  view_part part = table_of(
      joined({"> | slice | ~>chips | ~~layout | >step:s | >", item_word(a.clips),
              "s/s | >run:s | >cost:usd | >between:usd | ~HBM per device | ",
              paid_column("~~", a.plans, [](const auto& row) { return row.price; }), chance_columns(a.plans.front())}));
  key_runs_as_wall(part);
  const auto most = static_cast<std::size_t>(options.rows.value_or(8));
  std::vector<price_row> prices;
  for (const plan_train_generation_row& one : a.plans) {
    if (part.rows.size() == most) break;
    part.rows.push_back({count_cell(one.rank), cell(one.slice), count_cell(one.chips, true),
                         cell(tpuplan::detail::layout_words(one.mesh)), cell(one.step_time),
                         cell(count(one.examples.value()), one.examples.value()), cell(one.wall),
                         marked(one.cost, one.price, options),
                         range_cell(one.cost_low, one.cost_high.value_or(not_available)),
                         used_cell(one.used, one.usable), cell(joined({name(one.kind), " in ", one.region}))});
    add_chances(part.rows.back(), a.plans.front(), one);
    prices.push_back(one.price);
  }
  part.notes = {"the first plan: " + words_of_checkpoints(a.plans.front().checkpoints)};
  part.notes.push_back("prices of " + dates_of(prices, options));
  add_doubts(part.notes, prices, options);
  add_refusal(part.notes, a.plans.front().maxdiffusion_refuses);
  if (a.plans.size() > most)
    part.notes.push_back(
        joined({std::to_string(a.plans.size() - most), " more",
                options.names_options ? joined({": --rows ", std::to_string(a.plans.size())}) : std::string()}));
  return part;
}

}  // namespace readable

/// What a reader sees of a plan of training a denoiser. Worked: where no slice does it, that is the last sentence.
[[nodiscard]] inline view view_of(const plan_train_generation_answer& a, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({denoiser_words(a.model, a.job, a.buckets.front().size, a.buckets.size()), ", ",
                        counted(a.job.global_batch, std::string(item_word(a.clips))), " a step, ",
                        grouped(a.trained_parameters), " trained parameters"});
  shown.sentences = {epochs_words(a.data, a.epochs)};
  if (a.plans.empty()) {
    shown.sentences.emplace_back("no slice does it within these limits");
    shown.summary = "No slice does it within these limits.";
  } else {
    shown.sentences.push_back(joined({name(a.best), " first; ", denoiser_band_words}));
    const plan_train_generation_row& first = a.plans.front();
    shown.summary = joined(
        {first.slice, " is the ", spaced(name(a.best)), ": ", money(first.cost), " in ", duration(first.wall), "."});
    shown.parts = {denoiser_plans_part(a, options)};
  }
  add_lost(shown, a.lost, options);
  add_assumed(shown, a.assumed, options);
  std::vector<price_row> prices;
  for (const plan_train_generation_row& one : a.plans) prices.push_back(one.price);
  add_prices(shown, prices);
  if (!a.plans.empty()) shown.next = {{"train_generation", {}, "its time by part"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
