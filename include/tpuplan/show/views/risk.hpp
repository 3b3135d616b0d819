#ifndef TPUPLAN_SHOW_VIEWS_RISK_HPP
#define TPUPLAN_SHOW_VIEWS_RISK_HPP

#include <algorithm>
#include <string>
#include <tpuplan/ask/risk.hpp>
#include <tpuplan/show/svg/chances.hpp>
#include <tpuplan/show/views/common.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to risk.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// An amount that fewer runs may reach than were asked about.
template <class Amount>
[[nodiscard]] view_cell reached(const std::optional<Amount>& amount) {
  return amount ? cell(*amount) : cell("never");
}
/// The limits in words. Worked: " by 2026-12-31 for $500k".
[[nodiscard]] inline std::string limit_words(const risk_answer& a) {
  std::string words;
  if (!a.by.empty()) words += joined({" by ", a.by});
  if (a.by.empty() && a.deadline) words += joined({" within ", duration(*a.deadline)});
  if (a.budget) words += joined({" for at most ", money(*a.budget)});
  return words;
}
/// The columns of the chances of a question: of the limits that it has, and of both where there are two.
[[nodiscard]] inline std::string chance_columns(const risk_answer& a) {
  return joined({a.deadline ? " | >in time" : "", a.budget ? " | >in budget" : "",
                 a.deadline && a.budget ? " | >both" : "", a.deadline || a.budget ? "" : " | >done"});
}
/// Their cells of a way of paying or a change.
template <class Row>
void add_chances(std::vector<view_cell>& to, const risk_answer& a, const Row& row) {
  if (a.deadline) to.push_back(chance_cell(row.chance_in_time));
  if (a.budget) to.push_back(chance_cell(row.chance_in_budget));
  if (static_cast<bool>(a.deadline) == static_cast<bool>(a.budget)) to.push_back(chance_cell(row.chance_of_both));
}
/// The ways of paying, the best chance first.
[[nodiscard]] inline view_part risk_ways_part(const risk_answer& a, const view_options& options) {
  view_part part = table_of("way of paying" + chance_columns(a) +
                            " | >half done in:s | >nine of ten in:s | ~>half cost:usd | >nine of ten cost:usd | "
                            "~~>stops in the mean");
  bool superseded = false;
  std::vector<price_row> prices;
  for (const risk_way& way : a.ways) {
    std::vector<view_cell> row = {cell(name(way.kind))};
    add_chances(row, a, way);
    for (const view_cell& one :
         {reached(way.wall_p50), reached(way.wall_p90), marked(reached(way.cost_p50), is_doubtful(way.price, options)),
          marked(reached(way.cost_p90), is_doubtful(way.price, options)), cell(fixed(way.stops, 1), way.stops)})
      row.push_back(one);
    part.rows.push_back(std::move(row));
    superseded = superseded || way.superseded;
    prices.push_back(way.price);
  }
  for (const risk_change& one : a.changes) prices.push_back(one.price);
  add_doubts(part.notes, prices, options);
  if (superseded)
    part.notes.emplace_back("what is from before an announced change is ranked as if its chance were 5 points less");
  return part;
}
/// What changes would bring.
[[nodiscard]] inline view_part risk_changes_part(const risk_answer& a, const view_options& options) {
  view_part part = table_of("change" + chance_columns(a) + " | >nine of ten in:s | >nine of ten cost:usd",
                            "what raises the chance, one change at a time");
  for (const risk_change& one : a.changes) {
    std::vector<view_cell> row = {cell(joined({one.change, one.laid_out.empty() ? "" : ", ", one.laid_out}))};
    add_chances(row, a, one);
    row.push_back(reached(one.wall_p90));
    row.push_back(marked(reached(one.cost_p90), is_doubtful(one.price, options)));
    part.rows.push_back(std::move(row));
  }
  return part;
}
/// What stops the run, and how often.
[[nodiscard]] inline view_part risk_stops_part(const risk_answer& a) {
  view_part part;
  part.title = "what stops it";
  const auto range = [](seconds middle, seconds low, seconds high) {
    return low == high ? duration(middle)
                       : joined({duration(middle), " (", duration(low), " to ", duration(high), ")"});
  };
  if (a.preempted_every)
    part.sentences.push_back(joined(
        {"a slice is preempted every ", range(*a.preempted_every, *a.preempted_every_low, *a.preempted_every_high)}));
  part.sentences.push_back(
      joined({"a machine fails every ", range(a.fails_every, a.fails_every_low, a.fails_every_high)}));
  part.sentences.push_back(
      joined({"a checkpoint is written every ", duration(a.checkpoint_interval), "; after a stop: ", a.policy}));
  return part;
}

}  // namespace readable

/// The distributions of time and dollars. Worked: a run that ends has two pictures, "time" and "cost".
[[nodiscard]] inline std::vector<picture> pictures_of(const risk_answer& a) {
  std::vector<picture> pictures;
  if (a.walls.empty()) return pictures;
  chance_chart time{"runs that are done, by the time they take", "days from the start", {}, {}};
  for (const seconds one : a.walls) time.values.push_back(in_days(one));
  if (a.deadline) time.limit = in_days(*a.deadline);
  chance_chart cost{"runs that are done, by what they cost", "thousands of dollars", {}, {}};
  for (const usd one : a.costs) cost.values.push_back(one.value() / 1e3);
  if (a.budget) cost.limit = a.budget->value() / 1e3;
  pictures.push_back(picture_of("time", time));
  pictures.push_back(picture_of("cost", cost));
  return pictures;
}

namespace readable {
/// That the job may not fit, which no chance counts; empty where it surely does. Worked: "memory 35.6 of 31.2 GiB:
/// uncertain, with a chance of 32 % to fit; the chances are those of a run that fits".
[[nodiscard]] inline std::string risk_memory_words(const risk_answer& a) {
  if (a.fits == verdict::yes) return {};
  return joined({"memory ", used_of(a.used, a.usable), ": ",
                 a.chance_to_fit ? verdict_words(a.fits, *a.chance_to_fit) : std::string(verdict_words(a.fits)),
                 "; the chances are those of a run that fits"});
}
/// Dollars of the way of paying that was asked for, marked where its price is doubtful.
[[nodiscard]] inline std::string risk_money(const risk_answer& a, usd amount, const view_options& options) {
  const auto asked = [&](const risk_way& way) { return way.kind == a.kind && is_doubtful(way.price, options); };
  return joined({std::any_of(a.ways.begin(), a.ways.end(), asked) ? "~" : "", money(amount)});
}
}  // namespace readable

/// What a reader sees of the chances of a run. Worked: the first table has a row for each way of paying.
[[nodiscard]] inline view view_of(const risk_answer& a, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({a.model, " on ", slices_words(a.slice, a.slices), " (", counted(a.chips, "chip"), "), ",
                        duration(a.run), " of steps, ", name(a.kind), ", region ", a.region});
  shown.summary = joined({chance_words(a.chance_of_both), " to be done", limit_words(a)});
  shown.sentences = {shown.summary};
  if (const std::string memory = risk_memory_words(a); !memory.empty()) {
    shown.sentences.push_back(memory);
    shown.summary += "; " + memory;
  }
  if (a.deadline && a.budget)
    shown.sentences.push_back(
        joined({chance_words(a.chance_in_time), " in time, ", chance_words(a.chance_in_budget), " within the budget"}));
  if (a.wall_p50 && a.cost_p50)
    shown.sentences.push_back(
        joined({"half of all runs are done in ", duration(*a.wall_p50), a.done_p50.empty() ? "" : ", on " + a.done_p50,
                ", for ", risk_money(a, *a.cost_p50, options)}));
  shown.sentences.push_back(
      a.wall_p90 && a.cost_p90
          ? joined({"nine of ten in ", duration(*a.wall_p90), a.done_p90.empty() ? "" : ", by " + a.done_p90, ", for ",
                    risk_money(a, *a.cost_p90, options)})
          : joined({"fewer than nine of ten end: ", chance_words(a.chance_to_end)}));
  shown.parts = {risk_ways_part(a, options)};
  if (!a.changes.empty()) shown.parts.push_back(risk_changes_part(a, options));
  shown.parts.push_back(risk_stops_part(a));
  add_assumed(shown, a.assumed, options);
  if (options.drawn) shown.pictures = pictures_of(a);
  shown.next = {{"train", {}, "the step, its memory and what to change"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
