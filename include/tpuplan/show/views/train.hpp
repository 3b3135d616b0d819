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
[[nodiscard]] inline view_part step_part(const step_breakdown& step, const training_job& job, std::int64_t own_runs) {
  view_part part = table_of("part of a step | >time:s | >share | of");
  const auto row = [&](std::string_view label, seconds time, std::string_view note) {
    if (time.value() != 0) part.rows.push_back({cell(label), cell(time), share_cell(time / step.total), cell(note)});
  };
  const auto shared = [&](std::string_view label, const collective_time& collective) {
    row(label, collective.exposed, "exposed of " + duration(collective.whole));
  };
  row("dense products", step.dense_products, "compute");
  row("expert products", step.expert_products, "compute");
  row("attention", step.attention, "compute");
  row("logits", step.logits, "compute");
  row("vision", step.vision, "compute");
  row("elementwise", step.elementwise, "HBM");
  row("attention scores", step.scores, "HBM");
  row("operands", step.operands, "HBM");
  row("weight reads", step.weight_reads, "HBM");
  row("weight update", step.weight_update, "HBM");
  row("expert dispatch", step.dispatch, "HBM");
  shared("FSDP", step.fsdp);
  shared("data parallel", step.data);
  shared("tensor parallel", step.tensor);
  shared("expert parallel", step.expert);
  shared("context parallel", step.context);
  shared("between slices", step.dcn);
  shared(job.state_on_host == host_state::none ? "tensors on hosts" : "state on hosts", step.host);
  row("per layer", step.overhead, "fixed time");
  row("pipeline bubble", step.bubble, "waiting");
  row("stragglers", step.stragglers, "waiting");
  const bool untuned = !taken_as_tuned(step.software_taken);
  row("software", step.software,
      own_runs == 0 ? "not tuned"
      : untuned     ? "not tuned, and runs of your own"
                    : "runs of your own");
  row("total", step.total, "");
  return part;
}

/// What is known of the software, and by how much the name of its level narrows the band of a step.
[[nodiscard]] inline std::string software_words(const train_answer& answer, const view_options& options) {
  const software_level named = answer.breakdown.software_taken;
  if (answer.untold_low)
    return narrowed_words(joined({options.names_options ? "--software " : "the level ", name(named)}), "a step",
                          *answer.untold_low, *answer.untold_high, answer.step_time_low, answer.step_time_high);
  if (named != software_level::unnamed) return joined({"the software is ", name(named), ", as in your latest run"});
  std::vector<std::string> ran;
  for (const trained_software& one : answer.software)
    ran.push_back(joined({name(one.level), " ", fixed(100 * one.share, 0), " %"}));
  return joined({"no software is named", options.names_options ? " (--software)" : "", "; sources of such runs have ",
                 listed(ran)});
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
  std::vector<std::string_view> left_out;
  bool commitment = false;
  for (const run_price& one : ways) {
    if (!options.wide && is_commitment(one.kind) && run < commitment_term(one.kind) / 100) {
      left_out.push_back(name(one.kind));
      continue;
    }
    prices.push_back(one.price);
    const maybe<usd>&low = one.total_low, &high = one.total_high;
    part.rows.push_back({cell(name(one.kind)), marked(one.total, one.price, options),
                         !low || (high && *low == *high) ? cell("") : range_cell(*low, high.value_or(not_available)),
                         cell(one.wall), cell(one.price.date.view())});
    if (one.kind == provisioning::spot && one.checkpoint_interval)
      notes.push_back(
          joined({"spot: a preemption of a slice every ", duration(terms.spot.mean_time_between_preemptions), ", ",
                  checkpoint_words(one, run + terms.besides_steps, terms.spot)}));
    commitment = commitment || is_commitment(one.kind);
  }
  part.notes.push_back(joined({"prices of ", dates_of(prices, options), ", region ", region}));
  add_doubts(part.notes, prices, options);
  part.notes.insert(part.notes.end(), notes.begin(), notes.end());
  if (commitment && terms.rest_of_term_used == 0)
    part.notes.push_back(
        joined({"a commitment is paid for its whole term",
                options.names_options ? ": --rest-used says what part of the rest other work uses" : ""}));
  if (!left_out.empty())
    part.notes.push_back(joined({options.names_options ? "with --wide also " : "not shown: ", listed(left_out),
                                 ", whose whole term is paid for"}));
  return part;
}
/// The phases with the time and the dollars of each, and the goodput; dollars where there is a price.
[[nodiscard]] inline view_part timeline_part(const run_timeline& line) {
  const bool priced = line.total.has_value();
  view_part part =
      table_of(priced ? "from start to end | >time:s | >share | >cost:usd" : "from start to end | >time:s | >share");
  const auto row = [&](const char* label, seconds time, bool paid) {
    if (!(time.value() > 0)) return;
    part.rows.push_back({cell(label), cell(time), share_cell(time / line.wall)});
    if (priced && paid) part.rows.back().push_back(cell(line.total.value() * (time / line.billed)));
  };
  row("waiting for capacity", line.queue, false);
  row("start of VMs and container", line.start, true);
  row("first compilation", line.compilation, true);
  row("restoring a checkpoint", line.restore, true);
  row("steps", line.steps, true);
  row("evaluations", line.evaluations, true);
  row("checkpoints", line.checkpoints, true);
  row("failures", line.stops, true);
  row("export", line.export_time, true);
  part.rows.push_back({cell("total"), cell(line.wall), share_cell(1)});
  if (priced) part.rows.back().push_back(cell(line.total.value()));
  part.notes = {
      joined({"goodput ", percent(line.goodput), ", compilation ", percent(line.compilation_share), " of what is paid",
              line.compilation_share > 0.1 ? ": above a tenth, see jax_compilation_cache_dir" : ""})};
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
  const fit_answer& answer = all.memory;
  const step_breakdown& step = all.breakdown;
  const std::string between = joined({duration(step.low), " and ", duration(step.high)});
  view shown;
  shown.title = joined({answer.model, " on ", slices_words(answer.slice, slices(answer.mesh)), " (",
                        one_line(answer.mesh), "), ", counted(answer.job.global_batch, "sequence"), " of ",
                        tpuplan::detail::lengths_of(answer.job), ", remat ", name(answer.job.remat)});
  shown.sentences = {
      joined({"step ", duration(step.total), " (between ", between,
              step.extrapolated ? "; outside of what published runs cover" : "", "), MFU ", percent(step.mfu), ", ",
              count(step.tokens_per_second.value()), " tokens/s, limited by ", name(step.limited_by)}),
      joined({"memory ", used_of(answer.used, answer.usable), ": ", verdict_words(answer.fits, answer.chance_to_fit)}),
      joined({software_words(all, options), "; the band is of ",
              counted(step.runs, joined({spaced(name(step.kind)), " run"})), " from ", counted(step.sources, "source"),
              all.own_runs > 0 ? ", narrowed by " + counted(all.own_runs, "run") + " of your own" : std::string()})};
  if (!all.remarks.empty()) shown.sentences.push_back("note: " + all.remarks);
  shown.summary =
      joined({"A step takes ", duration(step.total), ", nine of ten between ", between, ": ", percent(step.mfu),
              " MFU, ", count(step.tokens_per_second.value()), " tokens/s, limited by ", name(step.limited_by), "."});
  shown.parts = {step_part(step, answer.job, all.own_runs), memory_part(answer.breakdown)};
  shown.parts.back().title = "memory";
  shown.parts.back().folded = true;
  if (all.run) {
    const seconds run = *all.run;
    view_part part;
    if (all.costs && !all.costs->empty()) part = ways_part(*all.costs, run, all.terms, all.region, options);
    part.title = run_title;
    part.sentences = {joined({count(all.run_tokens), " tokens take ", duration(run), ", between ",
                              duration_range(run * (step.low / step.total), run * (step.high / step.total))})};
    if (all.checkpoints) part.notes.push_back("on demand " + words_of_checkpoints(*all.checkpoints));
    if (!all.costs) part.sentences.emplace_back("no price: it does not fit");
    if (all.costs && all.costs->empty()) part.sentences.push_back(no_way_words(all.region));
    shown.summary += joined({" The run takes ", duration(run), " of steps"});
    shown.summary +=
        all.costs && !all.costs->empty()
            ? joined({" and costs from ", money(all.costs->front().total), " (", name(all.costs->front().kind), ", ",
                      duration(all.costs->front().wall), " from start to end)."})
            : std::string("; no way of paying gets it done.");
    shown.parts.push_back(std::move(part));
  }
  if (all.timeline) shown.parts.push_back(timeline_part(*all.timeline));
  shown.summary +=
      joined({" It ", answer.fits == verdict::uncertain ? "may not fit" : verdict_words(answer.fits), "."});
  if (options.drawn) shown.pictures = pictures_of(all);
  add_advice(shown, all.advice, all.own_runs + answer.own_peaks);
  add_assumed(shown, answer.assumed, options);
  std::vector<price_row> prices;
  for (const run_price& one : all.costs.value_or(std::vector<run_price>{})) prices.push_back(one.price);
  add_prices(shown, prices);
  shown.next = {{"plan", {}, "is there a better slice?"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
