#ifndef TPUPLAN_SHOW_VIEWS_COMMON_HPP
#define TPUPLAN_SHOW_VIEWS_COMMON_HPP

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/read/world_prices.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <tpuplan/show/view.hpp>
#include <utility>
#include <vector>

/// @file
/// Parts that the views of several answers have: memory, advice, what was assumed, what is said of prices.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// That no way of paying gets a run done.
[[nodiscard]] inline std::string no_way_words(const std::string& region) {
  return joined(
      {"no way of paying for it in ", region, ": none has a price there, or stops come too often for it to end"});
}
/// What "^" means beside a time or an amount.
inline constexpr std::string_view at_risk_words = "^ within the limit as estimated; not at the far end of its band";
/// A chance in percent, never 0 or 100 of what was only not seen. Worked: "93 %", and "over 99.9 %" of 1.
[[nodiscard]] inline std::string chance_words(double chance) {
  if (chance > 0.9994999) return "over 99.9 %";
  if (chance < 0.0005) return "under 0.1 %";
  return chance > 0.99 || chance < 0.01 ? fixed(100 * chance, 1) + " %" : fixed(100 * chance, 0) + " %";
}
/// A time of a token; an empty cell where requests have no token after the first.
[[nodiscard]] inline view_cell token_cell(seconds one) { return one.value() > 0 ? cell(one) : cell(""); }
/// A chance in words, with its figure.
[[nodiscard]] inline view_cell chance_cell(double chance) { return cell(chance_words(chance), chance); }
/// @{
/// The columns of the chances of plans, where the first of them has one, and their cells.
template <class Row>
[[nodiscard]] std::string chance_columns(const Row& first) {
  return std::string(first.chance_in_time ? " | >in time" : "") + (first.chance_in_budget ? " | >in budget" : "");
}
template <class Row>
void add_chances(std::vector<view_cell>& to, const Row& first, const Row& row) {
  const auto add = [&](const std::optional<double>& shown, const std::optional<double>& one) {
    if (shown) to.push_back(one ? chance_cell(*one) : cell(""));
  };
  add(first.chance_in_time, row.chance_in_time);
  add(first.chance_in_budget, row.chance_in_budget);
}
/// @}
/// A verdict in words. Worked: verdict_words(verdict::no) is "does not fit".
[[nodiscard]] inline std::string_view verdict_words(verdict fit) {
  return fit == verdict::yes ? "fits" : fit == verdict::no ? "does not fit" : "uncertain";
}
/// A verdict in words, with its chance where it is uncertain. Worked: "uncertain, with a chance of 60 % to fit".
[[nodiscard]] inline std::string verdict_words(verdict fit, double chance) {
  return std::string(verdict_words(fit)) +
         (fit == verdict::uncertain ? ", with a chance of " + chance_words(chance) + " to fit" : std::string());
}
/// So many slices. Worked: slices_words("v6e-256", 4) is "4 x v6e-256".
[[nodiscard]] inline std::string slices_words(std::string_view slice, std::int64_t count) {
  return count > 1 ? joined({std::to_string(count), " x ", slice}) : std::string(slice);
}
/// ", my-model" behind the title of a picture; nothing where the config.json has no name of its own.
[[nodiscard]] inline std::string of_model(const transformer& model) {
  const std::string name(model.name.view());
  return name.empty() || name == "config" ? std::string() : ", " + name;
}
/// Keys of columns "run", which is from start to end with preemptions, as the answer has it: "wall_s".
inline void key_runs_as_wall(view_part& table) {
  for (view_column& column : table.columns) {
    if (column.key.substr(0, 3) == "run") column.key.replace(0, 3, "wall");
  }
}
/// Memory by part: the parts that are not 0, their sum, and what may be used.
[[nodiscard]] inline view_part memory_part(const memory_breakdown& memory) {
  view_part part = table_of("on each device | >GiB:bytes | >share");
  const auto add = [&](std::string_view label, double amount) {
    if (amount > 0)
      part.rows.push_back(
          {cell(label), cell(fixed(in_gib(bytes{amount}), 2), amount), share_cell(amount / memory.usable.value())});
  };
  for (const tpuplan::detail::part& one : tpuplan::detail::memory_parts(memory)) add(one.name, one.value);
  add("total", memory.total.value());
  add("usable", memory.usable.value());
  return part;
}

/// The first five changes, a sentence each; nothing where there is none. With runs of one's own it says how they count.
inline void add_advice(view& to, const std::vector<advised_change>& advice, std::int64_t own_runs = 0) {
  if (advice.empty()) return;
  view_part& part = to.parts.emplace_back();
  part.title = "advice, one change at a time";
  for (const advised_change& one : advice) {
    if (part.sentences.size() < 5) part.sentences.push_back(one.words);
  }
  if (own_runs > 0)
    part.notes.emplace_back(
        "each change is corrected by runs of your own as the job is: asked by itself, a job that is less like them is "
        "corrected less, which is no gain of the change");
}
/// What the question left open, then what the model's file did. Fields of the question are called as the reader calls
/// them.
inline void add_assumed(view& to, const std::vector<assumption>& assumed, const view_options& options = {}) {
  if (assumed.empty()) return;
  const auto called = [&](std::string words) {
    for (const auto& [field, option] : {std::pair("job.engine", "--engine"),
                                        {"job.software", "--software"},
                                        {"job.images", "--images"},
                                        {"images_per_sequence", "--images"}}) {
      const std::size_t at = options.names_options ? words.find(field) : std::string::npos;
      if (at != std::string::npos) words.replace(at, std::string_view(field).size(), option);
    }
    return words;
  };
  view_part& part = to.parts.emplace_back();
  part.title = "assumed";
  for (const bool open : {true, false}) {
    for (const assumption& one : assumed) {
      if ((one.why == not_given) != open) continue;
      part.sentences.push_back(open ? joined({one.field, ": ", called(one.value)})
                                    : joined({one.field, " = ", one.value, " (", one.why, ")"}));
    }
  }
}

/// The prices that an answer rests on, each once, for readers who look closer.
inline void add_prices(view& to, const std::vector<price_row>& prices) {
  view_part part = table_of("generation | region | paid for as | >a chip and hour:usd | of | grade", "prices");
  std::set<std::string> seen;
  for (const price_row& one : prices) {
    if (!seen.insert(one_line(one)).second) continue;
    part.rows.push_back({cell(one.generation.view()), cell(one.region.view()), cell(name(one.kind)),
                         cell(usd{in_usd_per_hour(one.per_chip)}), cell(one.date.view()),
                         cell(std::string(1, one.grade))});
  }
  part.folded = true;
  if (!part.rows.empty()) to.parts.push_back(std::move(part));
}

/// The date of a price, with its age where that is over 90 days. Worked: "2026-06-03" on 2026-11-22 is "2026-06-03 (172
/// days old)".
[[nodiscard]] inline std::string dated(std::string_view date, const view_options& options) {
  const std::int64_t age = options.today.empty() ? 0 : days_between(date, options.today);
  return age > stale_after_days ? joined({date, " (", std::to_string(age), " days old)"}) : std::string(date);
}
/// The dates of prices. Worked: "2026-06-03 (172 days old) to 2026-09-17".
[[nodiscard]] inline std::string dates_of(const std::vector<price_row>& prices, const view_options& options) {
  std::set<std::string> dates;
  for (const price_row& price : prices) dates.insert(std::string(price.date.view()));
  if (dates.empty()) return "no date";
  return dated(*dates.begin(), options) + (dates.size() == 1 ? "" : " to " + dated(*dates.rbegin(), options));
}
/// Whether a price is from the press or a note, derived, older than an announced change, or far below those of other
/// regions.
[[nodiscard]] inline bool is_doubtful(const price_row& price, const view_options& options) {
  return (is_weak(price) && !options.own_prices) || is_before_announced_change(price) ||
         !far_below_world(price).empty();
}
/// An amount of dollars, with "~" before it where its price is doubtful. Worked: "~$95.4k".
[[nodiscard]] inline view_cell marked(view_cell amount, bool doubtful) {
  if (doubtful && !amount.text.empty()) amount.text.insert(0, "~");
  return amount;
}
/// Dollars, with a mark where their price is doubtful.
[[nodiscard]] inline view_cell marked(usd amount, const price_row& price, const view_options& options) {
  return marked(cell(amount), is_doubtful(price, options));
}
/// The column that says how rows are paid for, with those tildes where all are on demand in the same region. Worked: of
/// rows on spot it is in every width. `price_of(row)` is the price of a row.
template <class Rows, class PriceOf>
[[nodiscard]] std::string paid_column(std::string_view tildes, const Rows& rows, const PriceOf& price_of) {
  const auto is_usual = [&](const auto& row) {
    return price_of(row).kind == provisioning::on_demand && price_of(row).region == price_of(rows.front()).region;
  };
  return joined({std::all_of(rows.begin(), rows.end(), is_usual) ? tildes : std::string_view{}, "paid for as"});
}
/// What "~" means for these prices, a sentence for each reason.
inline void add_doubts(std::vector<std::string>& to, const std::vector<price_row>& prices,
                       const view_options& options) {
  std::set<std::string> noted, derived, due;
  for (const price_row& price : prices) {
    const std::string words = joined({name(price.kind), " of ", price.generation.view()});
    if (price.grade == 'C' && !options.own_prices) noted.insert(words);
    if (price.grade > 'C' && !options.own_prices) derived.insert(words);
    if (is_before_announced_change(price)) due.insert(std::string(name(price.kind)));
  }
  const auto add = [&](const std::set<std::string>& which, std::string_view why) {
    if (!which.empty()) to.push_back(joined({"~ ", listed(which), ": ", why}));
  };
  add(noted, "from press or notes (grade C)");
  add(derived, "derived from other prices (grade D)");
  add(due, options.names_options
               ? "a change was announced for November 2026, and this is from before it; --prices takes newer ones"
               : "a change was announced for November 2026, and this is from before it");
  std::set<std::string> said;
  for (const price_row& price : prices) {
    const std::string_view how = far_below_world(price);
    const std::string one = joined({name(price.kind), " of ", price.generation.view(), " in ", price.region.view()});
    if (how.empty() || !said.insert(one).second) continue;
    to.push_back(joined({"~ ", one, ": ", money(usd{in_usd_per_hour(price.per_chip)}), " a chip and hour, ", how,
                         ", from one catalog of ", dated(price.date, options)}));
  }
}
/// What is not in an hourly price: for how long a commitment is paid, and for how long other capacity lasts.
inline void add_terms(std::vector<std::string>& to, const std::vector<provisioning>& kinds) {
  const auto has = [&](provisioning kind) { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); };
  if (has(provisioning::commitment_1y) || has(provisioning::commitment_3y))
    to.emplace_back("a commitment is paid for its whole term, whatever is served in it");
  if (has(provisioning::calendar)) to.emplace_back("calendar capacity lasts for 90 days at most");
  if (has(provisioning::flex_start)) to.emplace_back("flex-start capacity lasts for 7 days at most");
  if (has(provisioning::spot)) to.emplace_back("spot capacity may be taken away at any time");
}

/// How many checkpoints a run writes, how large they are, and what a month of those that are kept costs.
[[nodiscard]] inline std::string words_of_checkpoints(const run_checkpoints& of) {
  const auto size = [](bytes amount) {
    return amount.value() < 1e12 ? number(amount.value() / 1e9) + " GB" : number(amount.value() / 1e12) + " TB";
  };
  const std::string last = of.written > of.kept ? joined({", the last ", std::to_string(of.kept), " kept are "}) : ", ";
  return joined({"a checkpoint every ", counted(of.period, "step"), ": ", std::to_string(of.written), " of ",
                 size(of.each), last, size(of.stored), " and ", money(of.month), " a month in ", of.stored_in.view(),
                 of.written > of.kept ? joined({"; all would be ", size(of.each * static_cast<double>(of.written))})
                                      : std::string()});
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif
