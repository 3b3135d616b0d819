#ifndef TPUPLAN_SHOW_VIEWS_PAY_HPP
#define TPUPLAN_SHOW_VIEWS_PAY_HPP

#include <algorithm>
#include <string>
#include <tpuplan/ask/payment.hpp>
#include <tpuplan/show/text/gpus.hpp>
#include <tpuplan/show/views/common.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to pay.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// "flex_start, 3 pieces", "commitment_1y, whole term".
[[nodiscard]] inline std::string way_words(const paid_run& way, double rest_used) {
  const std::string kind(name(way.kind));
  if (way.kind == provisioning::flex_start && way.pieces > 1)
    return joined({kind, ", ", std::to_string(way.pieces), " pieces"});
  if (!is_commitment(way.kind)) return kind;
  if (rest_used == 1) return kind + ", rest used";
  return kind + (rest_used == 0 ? ", whole term" : ", rest " + percent(rest_used) + " used");
}
/// The run under each way of paying, and the ways under which it cannot be had.
[[nodiscard]] inline view_part paid_part(const pay_answer& answer, const view_options& options) {
  view_part part = table_of(
      "way of paying | >a chip:usd_per_hour | >billed:s | ~~~>overhead:s | ~~~>unused:s | ~>start to end:s | ~~>paid "
      "unused:usd | >total:usd | ~~~price of");
  const auto some = [](auto amount) { return amount.value() > 0 ? cell(amount) : cell(""); };
  std::vector<price_row> prices;
  for (const paid_run& run : answer.ways) {
    const double per_hour = in_usd_per_hour(run.price.per_chip);
    part.rows.push_back({cell(way_words(run, answer.rest_of_term_used)),
                         cell(joined({"$", fixed(per_hour, 3), "/h"}), per_hour), cell(run.billed), some(run.overhead),
                         some(run.unused), cell(run.wall), some(run.unused_cost), marked(run.total, run.price, options),
                         cell(run.price.date.view())});
    prices.push_back(run.price);
  }
  if (!prices.empty()) part.notes.push_back("prices of " + dates_of(prices, options));
  add_doubts(part.notes, prices, options);
  for (const missing_payment& missing : answer.missing)
    part.notes.push_back(joined({name(missing.provisioning), ": ", missing.reason}));
  const auto runs_on = [](const paid_run& run) { return run.kind != provisioning::spot && run.overhead.value() == 0; };
  if (std::any_of(answer.ways.begin(), answer.ways.end(), runs_on))
    part.notes.push_back(std::string("no start-up and no failures of machines are counted") +
                         (options.names_options ? ": see --start-up and --chip-mtbf" : ""));
  return part;
}
/// What spot rests on.
inline void add_spot_notes(std::vector<std::string>& to, const pay_answer& answer, const view_options& options) {
  const paid_run* const spot = tpuplan::detail::way_of(answer.ways, provisioning::spot);
  if (spot == nullptr) return;
  const auto option = [&](const char* words) { return std::string(options.names_options ? words : ""); };
  to.push_back(joined({"spot: a preemption every ", duration(answer.job_mtbp), ", ", fixed(spot->preemptions, 1),
                       " in all; a checkpoint every ", duration(spot->checkpoint_interval)}));
  for (const assumption& one : answer.assumed) {
    if (one.field == assumed_checkpoint_time)
      to.push_back(joined(
          {"a checkpoint is taken to stop the step for ", one.value, option(": see --parameters and --checkpoint")}));
    if (one.field == assumed_preemptions)
      to.push_back(joined({"assumed: ", one.field, " ", one.value, option("; see --market and --mtbp")}));
  }
  if (answer.queue_time.value() > 0)
    to.push_back(joined({"each wait for a spot slice takes ", duration(answer.queue_time), option(": see --queue")}));
  else
    to.push_back("waits for capacity are not counted" + option(": see --queue"));
}
/// The way of paying that costs least, and what only an older price makes cheaper.
[[nodiscard]] inline std::string least_words(const pay_answer& answer, const view_options& options) {
  const paid_run best = *cheapest(answer.ways);
  const paid_run& first = answer.ways.front();
  const std::string words = joined({name(best.kind), " costs least: ", marked(best.total, best.price, options).text});
  if (first.kind == best.kind) return words;
  return joined({words, "; ", name(first.kind), " took ", marked(first.total, first.price, options).text,
                 " before an announced change of its price"});
}
/// Where one way of paying begins to cost less than another.
inline void add_break_even(std::vector<std::string>& to, const pay_answer& answer) {
  const pay_break_even& lines = answer.break_even;
  const bool on_demand = tpuplan::detail::way_of(answer.ways, provisioning::on_demand) != nullptr;
  const bool spot = tpuplan::detail::way_of(answer.ways, provisioning::spot) != nullptr;
  if (on_demand && spot)
    to.push_back(lines.spot_mtbp_against_on_demand
                     ? joined({"spot costs less than on demand where a slice lasts more than ",
                               duration(*lines.spot_mtbp_against_on_demand), " on average"})
                     : std::string("spot never costs less than on demand"));
  const auto add = [&](provisioning kind, std::string_view other, const std::optional<double>& share) {
    to.push_back(share ? joined({name(kind), " costs less than ", other, " where more than ", percent(*share), " of ",
                                 kind == provisioning::calendar ? "the window is used" : "its hours are used"})
                       : joined({name(kind), " never costs less than ", other}));
  };
  const auto add_both = [&](provisioning kind, const std::optional<double>& to_on_demand,
                            const std::optional<double>& to_spot) {
    if (tpuplan::detail::way_of(answer.ways, kind) == nullptr) return;
    if (on_demand) add(kind, "on demand", to_on_demand);
    if (spot) add(kind, "spot with its preemptions", to_spot);
  };
  add_both(provisioning::calendar, lines.calendar_utilization_against_on_demand,
           lines.calendar_utilization_against_spot);
  add_both(provisioning::commitment_1y, lines.commitment_1y_utilization_against_on_demand,
           lines.commitment_1y_utilization_against_spot);
  add_both(provisioning::commitment_3y, lines.commitment_3y_utilization_against_on_demand,
           lines.commitment_3y_utilization_against_spot);
}
/// When the engineering pays back that moving from GPUs takes.
[[nodiscard]] inline std::string pay_back_words(const gpu_comparison_row& gpus, const view_options& options) {
  const std::string engineering = money(gpus.engineering.value_or(usd{})), saved = money(*gpus.saving_per_job);
  const std::string month = number(gpus.jobs_per_month);
  if (gpus.jobs_per_month == 0 && gpus.jobs_to_pay_back)
    return joined({engineering, " of engineering pays back after ", fixed(math::ceil(*gpus.jobs_to_pay_back), 0),
                   " jobs, ", saved, " saved with each", options.names_options ? "; see --jobs" : ""});
  if (gpus.jobs_per_month == 0)
    return joined({engineering, " of engineering never pays back: ", saved, " saved with each job"});
  if (gpus.months_to_pay_back)
    return joined({engineering, " of engineering pays back in ", fixed(*gpus.months_to_pay_back, 1), " months at ",
                   month, " jobs a month, ", saved, " saved with each"});
  return joined(
      {engineering, " of engineering never pays back: ", saved, " saved with each of ", month, " jobs a month"});
}
/// The same job on GPUs.
[[nodiscard]] inline view_part gpus_part(const pay_answer& answer, const view_options& options) {
  const gpu_comparison_row& gpus = *answer.against_gpu;
  const auto saves = [](double share) {
    return joined({share >= 0 ? "saves " : "costs more by ", percent(share < 0 ? -share : share)});
  };
  view_part part;
  part.sentences = {
      joined({std::to_string(gpus.gpus), " x ", gpus.gpu, " for ", duration(gpus.run),
              gpus.price_derived ? ": ~" : ": ", money(gpus.total), " on demand; ", name(gpus.against), " ",
              saves(gpus.saving), "; billed for ", duration(tpuplan::detail::way_of(answer.ways, gpus.against)->billed),
              ", a chip breaks even at $", fixed(gpus.break_even_usd_per_chip_hour, 3), "/h"})};
  if (gpus.price_derived)
    part.sentences.push_back(joined({"~ no price of a machine with ", gpus.gpu,
                                     " is published: that of the GPU alone and of a small machine for each is taken"}));
  if (const std::string where = gpu_price_words(gpu_for(gpus.gpu), answer.region); !gpus.own_price && !where.empty())
    part.sentences.push_back(where);
  const auto is_old_flex = [](const auto& way) { return way.kind == provisioning::flex_start && way.superseded; };
  if (gpus.saving_on_flex_start) {
    const bool old = std::any_of(answer.ways.begin(), answer.ways.end(), is_old_flex);
    part.sentences.push_back(joined({"both on flex-start", old ? ", at prices from before the announced change" : "",
                                     ": the slice ", saves(*gpus.saving_on_flex_start)}));
  }
  if (gpus.total_on_spot)
    part.sentences.push_back(joined(
        {"on spot these GPUs take ", money(*gpus.total_on_spot),
         " and more: how often they are preempted is not published, so that none is counted",
         gpus.saving_on_spot ? joined({"; the slice, with those of its own, ", saves(*gpus.saving_on_spot)}) : ""}));
  const paid_run best = *cheapest(answer.ways);
  const bool compared = (best.kind == provisioning::spot && gpus.saving_on_spot) ||
                        (best.kind == provisioning::flex_start && gpus.saving_on_flex_start);
  if (best.kind != gpus.against && !compared)
    part.sentences.push_back(joined({name(best.kind), " would take ", marked(best.total, best.price, options).text,
                                     ", where the GPUs too may be had for less than on demand"}));
  if (gpus.saving_per_job) part.sentences.push_back(pay_back_words(gpus, options));
  return part;
}

}  // namespace readable

/// What a reader sees of a run under every way of paying. Worked: the first table has a row for each way with a price.
[[nodiscard]] inline view view_of(const pay_answer& answer, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({duration(answer.run), " on ", slices_words(answer.slice, answer.slices), " (",
                        counted(answer.chips, "chip"), "), region ", answer.region, ", cheapest first"});
  shown.summary =
      answer.ways.empty() ? std::string("no way of paying has a price for it") : least_words(answer, options);
  shown.parts = {paid_part(answer, options)};
  view_part notes;
  add_spot_notes(notes.sentences, answer, options);
  if (answer.rest_of_term_used == 0 && (tpuplan::detail::way_of(answer.ways, provisioning::commitment_1y) ||
                                        tpuplan::detail::way_of(answer.ways, provisioning::commitment_3y)))
    notes.sentences.push_back(
        joined({"a commitment is paid for its whole term",
                options.names_options ? ": say with --rest-used what part of the rest other work uses" : ""}));
  add_break_even(notes.sentences, answer);
  if (answer.rest_of_term_used > 0 && answer.rest_of_term_used < 1)
    notes.sentences.push_back("the table has this run pay for all hours of a commitment that nobody uses");
  if (!notes.sentences.empty()) shown.parts.push_back(std::move(notes));
  if (answer.against_gpu) shown.parts.push_back(gpus_part(answer, options));
  if (answer.checkpoints)
    shown.parts.push_back(
        {{},
         {joined({counted(answer.checkpoints->count, "checkpoint"), " take ", binary_bytes(answer.checkpoints->kept),
                  " and cost ", money(answer.checkpoints->total), " while it runs, operations not counted"})},
         {},
         {},
         {},
         false});
  std::vector<price_row> prices;
  for (const paid_run& one : answer.ways) prices.push_back(one.price);
  add_prices(shown, prices);
  if (!answer.against_gpu && !answer.ways.empty())
    shown.next = {{"pay", {}, "against GPUs, with your own figures for these"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
