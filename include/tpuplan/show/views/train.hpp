#ifndef TPUPLAN_SHOW_VIEWS_TRAIN_HPP
#define TPUPLAN_SHOW_VIEWS_TRAIN_HPP

#include <string>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/show/views/common.hpp>
#include <tpuplan/show/views/fit.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to train.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// A step by part, in the order of a model's life: arithmetic, memory, collectives, waiting.
[[nodiscard]] inline view_part step_part(const step_breakdown& t, const training_job& job, std::int64_t own_runs) {
  view_part part = table_of("part of a step | >time:s | >share | of");
  const auto row = [&](std::string_view label, seconds time, std::string_view note) {
    if (time.value() != 0) part.rows.push_back({cell(label), cell(time), share_cell(time / t.total), cell(note)});
  };
  const auto shared = [&](std::string_view label, const collective_time& c) {
    row(label, c.exposed, "exposed of " + duration(c.whole));
  };
  row("dense products", t.dense_products, "compute");
  row("expert products", t.expert_products, "compute");
  row("attention", t.attention, "compute");
  row("logits", t.logits, "compute");
  row("vision", t.vision, "compute");
  row("elementwise", t.elementwise, "HBM");
  row("attention scores", t.scores, "HBM");
  row("operands", t.operands, "HBM");
  row("weight reads", t.weight_reads, "HBM");
  row("weight update", t.weight_update, "HBM");
  row("expert dispatch", t.dispatch, "HBM");
  shared("FSDP", t.fsdp);
  shared("data parallel", t.data);
  shared("tensor parallel", t.tensor);
  shared("expert parallel", t.expert);
  shared("context parallel", t.context);
  shared("between slices", t.dcn);
  shared(job.state_on_host == host_state::none ? "tensors on hosts" : "state on hosts", t.host);
  row("per layer", t.overhead, "fixed time");
  row("pipeline bubble", t.bubble, "waiting");
  row("stragglers", t.stragglers, "waiting");
  const bool untuned = t.software_taken != software_level::tuned;
  row("software", t.software,
      own_runs == 0 ? "not tuned"
      : untuned     ? "not tuned, and runs of your own"
                    : "runs of your own");
  row("total", t.total, "");
  return part;
}

/// How often a checkpoint is written on spot.
[[nodiscard]] inline std::string checkpoint_words(const run_price& spot, seconds run, const spot_terms& terms) {
  const std::string one = duration(terms.checkpoint_time);
  if (!(*spot.checkpoint_interval < run)) return joined({"no checkpoint but one of ", one, " at the end"});
  return joined({"a checkpoint of ", one, " every ", duration(*spot.checkpoint_interval)});
}
/// What a run costs under each way of paying. Commitments, whose whole term is paid for, only beside runs of a
/// hundredth of it or more, unless wide.
[[nodiscard]] inline view_part ways_part(const std::vector<run_price>& ways, seconds run, const payment_terms& terms,
                                         std::string_view region, const view_options& options) {
  view_part part = table_of("paid for as | >total:usd | ~>between:usd | >start to end:s | ~price of");
  std::vector<price_row> prices;
  std::vector<std::string> notes;
  bool commitment = false;
  for (const run_price& one : ways) {
    if (!options.wide && is_commitment(one.kind) && run < commitment_term(one.kind) / 100) continue;
    prices.push_back(one.price);
    const maybe<usd>&low = one.total_low, &high = one.total_high;
    part.rows.push_back({cell(name(one.kind)), marked(one.total, one.price, options),
                         !low || (high && *low == *high) ? cell("")
                         : high              ? range_cell(*low, *high)
                                             : cell(money(*low) + "-not available"),
                         cell(one.wall), cell(one.price.date.view())});
    if (one.checkpoint_interval)
      notes.push_back(
          joined({"spot: a preemption of a slice every ", duration(terms.spot.mean_time_between_preemptions), ", ",
                  checkpoint_words(one, run, terms.spot)}));
    commitment = commitment || is_commitment(one.kind);
  }
  part.notes.push_back(joined({"prices of ", dates_of(prices, options), ", region ", region}));
  add_doubts(part.notes, prices, options);
  part.notes.insert(part.notes.end(), notes.begin(), notes.end());
  if (commitment && terms.rest_of_term_used == 0)
    part.notes.push_back(
        joined({"a commitment is paid for its whole term",
                options.names_options ? ": --rest-used says what part of the rest other work uses" : ""}));
  if (part.rows.size() < ways.size())
    part.notes.push_back(joined(
        {options.names_options ? "with --wide also" : "not shown:", " commitments, whose whole term is paid for"}));
  return part;
}

}  // namespace readable

/// The title of the part about the whole run.
inline constexpr const char* run_title = "the run";

/// The step by part, and its memory.
[[nodiscard]] inline std::vector<picture> pictures_of(const train_answer& answer) {
  const memory_chart memory = readable::memory_chart_of(answer.memory);
  const step_chart steps{
      "Time of one step on " + readable::slices_words(answer.memory.slice, slices(answer.memory.mesh)),
      {{memory.bars.front().label, answer.breakdown}}};
  return {picture_of("steps", steps), picture_of("memory", memory)};
}

/// What a reader sees of a step, and of the run where tokens were given. Worked: of a step alone there is one table
/// before the advice.
[[nodiscard]] inline view view_of(const train_answer& all, const view_options& options = {}) {
  using namespace readable;
  const fit_answer& a = all.memory;
  const step_breakdown& t = all.breakdown;
  const std::string between = joined({duration(t.low), " and ", duration(t.high)});
  view shown;
  shown.title = joined({a.model, " on ", slices_words(a.slice, slices(a.mesh)), " (", one_line(a.mesh), "), ",
                        counted(a.job.global_batch, "sequence"), " of ", std::to_string(a.job.sequence_length),
                        " tokens, remat ", name(a.job.remat)});
  shown.sentences = {
      joined({"step ", duration(t.total), " (between ", between,
              t.extrapolated ? "; outside of what published runs cover" : "", "), MFU ", percent(t.mfu), ", ",
              count(t.tokens_per_second.value()), " tokens/s, limited by ", name(t.limited_by)}),
      joined({"memory ", used_of(a.used, a.usable), ": ", verdict_words(a.fits)}),
      joined({"for ", t.software_taken == software_level::first_port ? "untuned" : name(t.software_taken), " software",
              options.names_options ? ", see --software" : "", "; the band is of ", std::to_string(t.runs), " ",
              spaced(name(t.kind)), " runs from ", std::to_string(t.sources), " sources",
              all.own_runs > 0 ? ", narrowed by " + counted(all.own_runs, "run") + " of your own" : std::string()})};
  shown.summary =
      joined({"A step takes ", duration(t.total), ", nine of ten between ", between, ": ", percent(t.mfu), " MFU, ",
              count(t.tokens_per_second.value()), " tokens/s, limited by ", name(t.limited_by), "."});
  shown.parts = {step_part(t, a.job, all.own_runs), memory_part(a.breakdown)};
  shown.parts.back().title = "memory";
  shown.parts.back().folded = true;
  if (all.run) {
    const seconds run = *all.run;
    view_part part;
    if (all.costs && !all.costs->empty()) part = ways_part(*all.costs, run, all.terms, all.region, options);
    part.title = run_title;
    part.sentences = {joined({count(all.run_tokens), " tokens take ", duration(run), ", between ",
                              duration_range(run * (t.low / t.total), run * (t.high / t.total))})};
    if (!all.costs) part.sentences.emplace_back("no price: it does not fit");
    if (all.costs && all.costs->empty()) part.sentences.push_back(joined({"no price for it in ", all.region}));
    shown.summary += " The run takes " + duration(run);
    shown.summary +=
        all.costs && !all.costs->empty()
            ? joined({" and costs from ", money(all.costs->front().total), " (", name(all.costs->front().kind), ")."})
            : std::string("; there is no price for it.");
    shown.parts.push_back(std::move(part));
  }
  shown.summary += joined({" It ", a.fits == verdict::uncertain ? "may not fit" : verdict_words(a.fits), "."});
  if (options.drawn) shown.pictures = pictures_of(all);
  add_advice(shown, all.advice);
  add_assumed(shown, a.assumed, options);
  std::vector<price_row> prices;
  for (const run_price& one : all.costs.value_or(std::vector<run_price>{})) prices.push_back(one.price);
  add_prices(shown, prices);
  shown.next = {{"plan", {}, "is there a better slice?"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
