#ifndef TPUPLAN_SHOW_VIEWS_NETWORKS_HPP
#define TPUPLAN_SHOW_VIEWS_NETWORKS_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/ask/plan_network.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/show/text/lost.hpp>
#include <tpuplan/show/views/common.hpp>
#include <tpuplan/show/views/train.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answers about a network of layers.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// How sure the time of a network's step is.
inline constexpr std::string_view network_band_words =
    "no published run of a network of layers is in the calibration: half or twice the time is possible";

/// What a core (JAX device) of a chip is called where rows are counted: "chip" where it is all of one.
[[nodiscard]] constexpr std::string_view core_word(const chip_spec& chip) noexcept {
  return chip.jax_devices > 1 ? "core" : "chip";
}
/// Whether the rows of a core's examples fill the MXU. Worked: 128 examples of one row are "128 examples on a core are
/// 128 rows on a core, below the 137 from which on a core of v3 is limited by arithmetic".
[[nodiscard]] inline std::string rows_sentence(const chip_spec& chip, std::int64_t examples, std::int64_t rows,
                                               std::string_view example, std::string_view row) {
  const batch_fill fill = batch_fill_of(chip, examples, rows);
  return joined(
      {counted(grouped(examples), example),
       rows > 1 ? joined({" of ", grouped(rows), " ", row, row == "patch" ? "es" : "s", " each"}) : std::string(),
       " on a core are ", grouped(fill.rows_per_core), " rows on a ", core_word(chip), ", ",
       fill.limited_by_compute ? "above" : "below", " the ", grouped(fill.critical_rows), " from which on ",
       chip.jax_devices > 1 ? "a core of " : "", chip.name.view(), " is limited by arithmetic",
       fill.padding_waste > 0.005
           ? joined({"; ", percent(fill.padding_waste), " of the rows are padding to a multiple of 8"})
           : std::string()});
}
/// The steps of a run. Worked: "58 steps an epoch (608 of 60,000 examples dropped), 5 epochs: 290 steps", or "10,000
/// steps" of a run that has no epochs.
[[nodiscard]] inline std::string epochs_words(const data_set& data, const epoch_count& epochs) {
  const std::string steps = counted(grouped(epochs.steps), "step");
  if (epochs.steps_per_epoch == 0) return steps;
  const std::string dropped =
      epochs.dropped > 0
          ? joined({" (", grouped(epochs.dropped), " of ", counted(grouped(data.examples), "example"), " dropped)"})
          : std::string();
  return joined({counted(grouped(epochs.steps_per_epoch), "step"), " an epoch", dropped, ", ",
                 counted(number(data.epochs), "epoch"), ": ", steps});
}
/// Whether the hosts keep up with the chips, and what would make them.
[[nodiscard]] inline std::string input_words(const maybe<input_answer>& input, std::string_view example,
                                             const view_options& options) {
  if (!input)
    return joined({"input: what an example costs a host, or its vCPUs, is not known, and no waiting is counted",
                   options.names_options ? ": see --decode-time, --example-bytes" : ""});
  const auto rate = [&](per_second of) { return joined({count(of.value()), " ", example, "s/s"}); };
  std::string words = "input: ";
  words += input->decoding ? joined({std::to_string(input->vcpus), " vCPUs decode ", rate(*input->decoding)})
                           : std::string("nothing is decoded");
  if (input->reading && (!input->decoding || input->limited_by == input_bound::reading))
    words += ", storage gives " + rate(*input->reading);
  if (input->limited_by == input_bound::chips) return words + ", the chips do not wait";
  const std::string vms =
      input->limited_by == input_bound::reading ? "" : joined({"with ", fixed(input->vms_needed, 1), " such VMs, or "});
  return joined({words, ": limited by ", name(input->limited_by), ", the chips wait ", percent(input->waiting),
                 " of the time, which the step has in it; they would not ", vms, "with ", percent(input->cache_needed),
                 " of the data cached"});
}
/// "resnet-50 on v5litepod-8 (data 8), 1,024 images a step".
[[nodiscard]] inline std::string network_title(const fit_network_answer& answer) {
  return joined({answer.model, " on ", slices_words(answer.slice, slices(answer.mesh)), " (", one_line(answer.mesh),
                 "), ", counted(grouped(answer.job.global_batch), answer.example), " a step"});
}
/// A step of a network by part.
[[nodiscard]] inline view_part step_part(const network_step& step) {
  view_part part = table_of("part of a step | >time:s | >share | of");
  const auto row = [&](std::string_view label, seconds time, std::string_view note) {
    if (time.value() > 0) part.rows.push_back({cell(label), cell(time), share_cell(time / step.total), cell(note)});
  };
  row("products", step.products, "compute, padding included");
  row("depthwise", step.vector, "vector unit");
  row("activations", step.traffic, "HBM");
  row("weight update", step.update, "HBM");
  row("gradients", step.gradients.exposed, "exposed part of the all-reduce");
  row("per layer", step.overhead, "fixed time");
  row("framework", step.software, "over a tuned recipe");
  row("waiting", step.waiting, "for examples from the hosts");
  row("total", step.total, "");
  return part;
}
/// The rows that a core has, and whether they are enough.
[[nodiscard]] inline std::string batch_words(const train_network_answer& answer) {
  const fit_network_answer& placed = answer.memory;
  const std::int64_t each = placed.job.global_batch / batch_shards(placed.mesh);
  const std::string words = rows_sentence(slice_for(placed.slice).chip, each > 1 ? each : 1, answer.widest.product.rows,
                                          placed.example, name(answer.widest.rows));
  return answer.arithmetic_can_limit
             ? words
             : words + "; with activations counted no batch is: moving them takes longer than the products";
}
/// The run: its steps, what an epoch takes and costs, what is not in it, and the ways of paying.
[[nodiscard]] inline view_part network_run_part(const train_network_answer& answer, const view_options& options) {
  const seconds run = *answer.run;
  const network_step& step = answer.breakdown;
  view_part part;
  const run_price* on_demand = nullptr;
  for (const run_price& one : *answer.costs) on_demand = one.kind == provisioning::on_demand ? &one : on_demand;
  const auto dollars = [&](seconds time, std::string_view before) {
    return on_demand == nullptr ? std::string()
                                : joined({before,
                                          money(cost_of_run(slice_for(answer.memory.slice), slices(answer.memory.mesh),
                                                            time, on_demand->price)
                                                    .total),
                                          " on demand"});
  };
  if (!answer.costs->empty()) part = ways_part(*answer.costs, run, answer.terms, answer.region, options);
  part.title = run_title;
  part.sentences = {joined({epochs_words(answer.data, *answer.epochs), ", ", duration(run), " (between ",
                            duration_range(run * (step.low / step.total), run * (step.high / step.total)), ")"})};
  if (const std::int64_t steps = answer.epochs->steps_per_epoch; steps > 0) {
    const seconds epoch = static_cast<double>(steps) * step.total;
    part.sentences.push_back(joined({"an epoch takes ", duration(epoch), dollars(epoch, " and costs ")}));
  }
  if (answer.checkpoints) part.notes.push_back("on demand " + words_of_checkpoints(*answer.checkpoints));
  if (answer.costs->empty()) part.sentences.push_back(no_way_words(answer.region));
  return part;
}

}  // namespace readable

/// What a reader sees of whether a network's step fits. Worked: of ResNet-50 on "v5e-8" the title begins with "fits: ".
[[nodiscard]] inline view view_of(const fit_network_answer& answer, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({verdict_words(answer.fits), ": ", network_title(answer)});
  shown.parts = {memory_part(answer.breakdown)};
  shown.parts.back().notes = {
      joined({"between ", fixed(in_gib(answer.used_low), 2), " and ", fixed(in_gib(answer.used_high), 2),
              " GiB as the compiler decides; largest batch that surely fits: ",
              answer.largest_batch ? grouped(*answer.largest_batch) : std::string("none with this layout")})};
  shown.summary = joined({verdict_words(answer.fits), ": ", used_of(answer.used, answer.usable), " on each device of ",
                          answer.slice, "; ", shown.parts.back().notes.front()});
  add_assumed(shown, answer.assumed, options);
  shown.next = {{"train_network", {}, "its time and cost"}};
  return shown;
}

/// What a reader sees of a network's step, and of the run where examples were given. Worked: of a step alone the first
/// sentence says that no published run of a network is in the calibration.
[[nodiscard]] inline view view_of(const train_network_answer& answer, const view_options& options = {}) {
  using namespace readable;
  const network_step& step = answer.breakdown;
  const fit_network_answer& placed = answer.memory;
  const std::string rate = joined({count(answer.examples.value()), " ", placed.example, "s/s"});
  view shown;
  shown.title = network_title(placed);
  shown.sentences = {joined({"step ", duration(step.total), " (between ", duration(step.low), " and ",
                             duration(step.high), "; extrapolated: ", network_band_words, "), MFU ", percent(step.mfu),
                             ", ", rate, ", limited by ", name(step.limited_by)}),
                     joined({"memory ", used_of(placed.used, placed.usable), ", of which activations ",
                             fixed(in_gib(placed.breakdown.activations), 2), " GiB: ", verdict_words(placed.fits)}),
                     batch_words(answer), input_words(answer.input, placed.example, options)};
  if (step.total < slowest_step_start)
    shown.sentences.push_back(
        joined({"a step this short waits for the host that starts it, ", duration(slowest_step_start),
                " or less: run many in one call (steps_per_execution of Keras)"}));
  shown.summary =
      joined({"A step takes ", duration(step.total), ", between ", duration(step.low), " and ", duration(step.high),
              ": ", percent(step.mfu), " MFU, ", rate, ", limited by ", name(step.limited_by), "."});
  shown.parts = {step_part(step)};
  if (answer.run) shown.parts.push_back(network_run_part(answer, options));
  if (answer.timeline) shown.parts.push_back(timeline_part(*answer.timeline));
  add_assumed(shown, placed.assumed, options);
  std::vector<price_row> prices;
  for (const run_price& one : answer.costs.value_or(std::vector<run_price>{})) prices.push_back(one.price);
  add_prices(shown, prices);
  return shown;
}

namespace readable {
/// The first plans of a network, and what is said of the others.
[[nodiscard]] inline view_part network_plans_part(const plan_network_answer& answer, const view_options& options) {
  view_part part = table_of(
      "> | slice | ~>chips | >batch | >examples/s | >run:s | >cost:usd | >between:usd | ~>waits | ~layout | ~HBM per "
      "device | " +
      paid_column("~~", answer.plans, [](const plan_network_row& row) { return row.price; }) +
      chance_columns(answer.plans.front()));
  key_runs_as_wall(part);
  const auto most = static_cast<std::size_t>(options.rows.value_or(8));
  bool waits = false;
  std::vector<price_row> prices;
  for (const plan_network_row& one : answer.plans) {
    if (part.rows.size() == most) break;
    prices.push_back(one.price);
    const network_step& step = one.step;
    waits = waits || step.waiting.value() > 0;
    part.rows.push_back(
        {count_cell(one.rank), cell(one.slice), count_cell(one.chips, true), count_cell(one.batch, true),
         cell(count(step.examples_per_second.value()), step.examples_per_second.value()), cell(one.wall),
         marked(one.cost, one.price, options),
         marked(range_cell(one.cost_low, one.cost_high.value_or(not_available)), is_doubtful(one.price, options)),
         one.input ? share_cell(step.waiting / step.total) : cell(""), cell(one_line(one.mesh)),
         used_cell(one.memory.total, one.memory.usable),
         cell(joined({name(one.kind), " in ", one.price.region.view()}))});
    add_chances(part.rows.back(), answer.plans.front(), one);
  }
  part.notes.push_back("the first plan: " + words_of_checkpoints(answer.plans.front().checkpoints));
  part.notes.push_back("prices of " + dates_of(prices, options));
  add_doubts(part.notes, prices, options);
  const auto option = [&](const std::string& words) { return options.names_options ? ": " + words : std::string(); };
  if (waits)
    part.notes.push_back("in some of these the chips wait for examples from the hosts" +
                         option("see --decode-time, --wide"));
  if (answer.plans.size() > most)
    part.notes.push_back(joined({std::to_string(answer.plans.size() - most), " more",
                                 option("--rows " + std::to_string(answer.plans.size()))}));
  return part;
}
/// What a run that is nearest to a limit takes, rounded so that what is printed is enough. Worked: "v5litepod-8 takes
/// 2.39 hours and $22.93".
[[nodiscard]] inline std::string nearest_words(const nearest_run_row& one) {
  return joined(
      {one.slice, " takes ", text(rounded_up(measure(one.wall))), " and ", text(rounded_up(measure(one.total)))});
}
/// A row for each reason for which slices lost.
inline void add_lost(view& to, const lost_networks& lost, const view_options& options) {
  view_part part = table_of(">slices | why they lost | ~what would do");
  const auto row = [&](std::size_t number, const std::string& why, const std::string& instead = "") {
    if (number > 0) part.rows.push_back({count_cell(static_cast<std::int64_t>(number)), cell(why), cell(instead)});
  };
  const auto within = [](const std::optional<nearest_run_row>& one) {
    return one ? nearest_words(*one) : std::string();
  };
  row(lost.batch_does_not_divide, reason(rejection::batch_does_not_divide));
  row(lost.does_not_fit, reason(rejection::does_not_fit));
  row(lost.may_not_fit, reason(rejection::fit_uncertain) + (options.names_options ? ": --accept-uncertain" : ""));
  row(lost.no_price, reason(rejection::no_price));
  row(lost.misses_deadline, reason(rejection::misses_deadline), within(lost.in_time));
  row(lost.over_budget, reason(rejection::over_budget), within(lost.in_cost));
  if (!part.rows.empty()) to.parts.push_back(std::move(part));
}
}  // namespace readable

/// What a reader sees of a plan of a network. Worked: where no slice trains it within the limits, the first sentences
/// are the steps and "no slice does it within these limits".
[[nodiscard]] inline view view_of(const plan_network_answer& answer, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({answer.model, " (", count(static_cast<double>(answer.parameters)), " parameters) on ",
                        count(static_cast<double>(answer.examples)), " examples"});
  shown.sentences = {epochs_words(answer.data, answer.epochs)};
  if (answer.plans.empty()) {
    shown.sentences.emplace_back("no slice does it within these limits");
    shown.summary = "No slice does it within these limits.";
    if (answer.lost.in_time)
      shown.sentences.push_back("a later deadline would do: " + nearest_words(*answer.lost.in_time));
    if (answer.lost.in_cost) shown.sentences.push_back("more dollars would do: " + nearest_words(*answer.lost.in_cost));
  } else {
    shown.sentences.push_back(joined({name(answer.best), " first; extrapolated: ", network_band_words}));
    const plan_network_row& first = answer.plans.front();
    const auto is_known = [](const plan_network_row& row) { return row.input.has_value(); };
    if (std::none_of(answer.plans.begin(), answer.plans.end(), is_known))
      shown.sentences.push_back(input_words(nothing, "example", options));
    else if (!first.input)
      shown.sentences.push_back(
          joined({"input: the vCPUs of hosts of ", first.slice, " are not known, and no waiting is counted there"}));
    shown.summary = joined({first.slice, " is the ", spaced(name(answer.best)), ": ",
                            marked(first.cost, first.price, options).text, " in ", duration(first.wall), "."});
    shown.parts = {network_plans_part(answer, options)};
  }
  add_lost(shown, answer.lost, options);
  add_assumed(shown, answer.assumed, options);
  std::vector<price_row> prices;
  for (const plan_network_row& one : answer.plans) prices.push_back(one.price);
  add_prices(shown, prices);
  if (!answer.plans.empty()) shown.next = {{"train_network", {}, {}}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
