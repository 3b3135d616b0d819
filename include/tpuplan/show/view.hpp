#ifndef TPUPLAN_SHOW_VIEW_HPP
#define TPUPLAN_SHOW_VIEW_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/base/joined.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/reflect/fields.hpp>
#include <tpuplan/show/svg/picture.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of an answer, before it has a form: titles, sentences and tables. show/views/ makes the view of
/// each answer; show/terminal.hpp, csv.hpp, markdown.hpp, html.hpp and notebook.hpp print any view.

namespace tpuplan {
inline namespace abi_0 {

/// One cell of a table.
struct view_cell {
  std::string text{};             ///< for people: "15.5 of 31.2 GiB"
  std::optional<double> value{};  ///< the exact figure in the unit of its column; of a range the upper end
  std::optional<double> low{};    ///< the lower end of a range
};
/// One column of a table.
struct view_column {
  std::string title{};      ///< "HBM per device"
  std::string key{};        ///< "HBM_per_device": what a file calls it, before its unit
  std::string unit{};       ///< of the values: "s", "usd", "bytes"; empty: counts, shares and words
  bool at_end = false;      ///< aligned at its end, as numbers are
  std::int64_t spared = 0;  ///< 0: always shown; columns of the most are the first that a narrow terminal leaves out
};
/// A table with what is said above and below it; without columns only what is said.
struct view_part {
  std::string title{};                         ///< "why the other slices lost"
  std::vector<std::string> sentences{};        ///< above the table
  std::vector<view_column> columns{};          ///< of the table
  std::vector<std::vector<view_cell>> rows{};  ///< each of as many cells as columns, or fewer
  std::vector<std::string> notes{};            ///< below the table
  bool folded = false;  ///< for readers who look closer: a page folds it, a terminal has it if wide
};
/// What to ask next about the same.
struct next_step {
  std::string question{};  ///< "train"
  std::string command{};   ///< the command line, where the view is made for one
  std::string words{};     ///< "its time and cost"
};
/// All that a reader sees of an answer.
struct view {
  std::string title{};                   ///< what was asked
  std::string summary{};                 ///< the answer in a sentence, for where the tables are not seen
  std::vector<std::string> sentences{};  ///< below the title
  std::vector<view_part> parts{};        ///< in their order
  std::vector<picture> pictures{};       ///< where the view is made with pictures
  std::vector<next_step> next{};         ///< what to ask next
};

/// How much a view shows.
struct view_options {
  std::string today{};                 ///< "2026-11-21": then prices of more than 90 days say their age
  bool own_prices = false;             ///< the prices are the reader's own: their source is not doubted
  bool names_options = false;          ///< sentences may name options of the command line
  bool drawn = false;                  ///< with pictures
  bool wide = false;                   ///< rows that few readers want are shown too
  std::optional<std::int64_t> rows{};  ///< of a plan: that many; else the first and the best of each kind
  bool only_front = false;             ///< of a plan: only those that no other beats in time and money
  bool only_best_chips = false;        ///< of a plan: only the best of each generation
  bool explained = false;              ///< of a plan: what the first one depends on
  bool searched = false;               ///< what takes further searches: a batch that divides better
};

namespace detail {

/// Whether the words begin with a character that has no shape or turns the text around it: U+200B to 200F, U+2028 to
/// 202E, U+2060 to 206F.
[[nodiscard]] inline bool turns_text(std::string_view words) noexcept {
  if (words.size() < 3) return false;
  const auto last = static_cast<unsigned char>(words[2]);
  if (words.substr(0, 2) == "\xE2\x80") return (last >= 0x8B && last <= 0x8F) || (last >= 0xA8 && last <= 0xAE);
  return words.substr(0, 2) == "\xE2\x81" && last >= 0xA0 && last <= 0xAF;
}

}  // namespace detail

namespace readable {

using tpuplan::detail::joined;
/// Words with a comma between them. Worked: listed({"us", "asia"}) is "us, asia".
template <class Words>
[[nodiscard]] std::string listed(const Words& words, std::string_view between = ", ") {
  std::string all;
  for (const auto& one : words) all.append(all.empty() ? "" : between).append(one);
  return all;
}
/// A number and its noun. Worked: counted(1, "slice") is "1 slice", counted(8, "slice") "8 slices".
[[nodiscard]] inline std::string counted(std::string_view number, std::string_view noun) {
  return joined({number, " ", noun, number == "1" ? "" : "s"});
}
/// The same of a number.
[[nodiscard]] inline std::string counted(std::int64_t number, std::string_view noun) {
  return counted(std::string_view(std::to_string(number)), noun);
}
/// A count with its digits in groups. Worked: 8030261248 is "8,030,261,248".
[[nodiscard]] inline std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3 + (number < 0 ? 1U : 0U);) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}
/// A number of four digits, and of as many as it has before the point up to a million. Worked: 12.3456 is "12.35",
/// 12345 is "12345", 1234567 is "1.235e+06".
[[nodiscard]] inline std::string four_digits(double value) {
  char digits[40] = {};
  const bool is_plain = value > -999999.5 && value < 999999.5 && !(value > -9999.5 && value < 9999.5);
  (void)__builtin_snprintf(digits, sizeof(digits), is_plain ? "%.0f" : "%.4g", value);
  return detail::pointed(digits);
}
/// An enumerator's name in words. Worked: "dense_eight_bit" is "dense eight bit".
[[nodiscard]] inline std::string spaced(std::string_view name) {
  std::string words(name);
  for (char& c : words) c = c == '_' ? ' ' : c;
  return words;
}

/// @{
/// A cell: its words for people, and its exact figure. Worked: cell(seconds{90}) is "90.0 s" and 90.
[[nodiscard]] inline view_cell cell(std::string_view words) { return {std::string(words), {}, {}}; }
[[nodiscard]] inline view_cell cell(std::string_view words, double value) { return {std::string(words), value, {}}; }
[[nodiscard]] inline view_cell cell(seconds time) { return cell(duration(time), time.value()); }
[[nodiscard]] inline view_cell cell(usd amount) { return cell(money(amount), amount.value()); }
[[nodiscard]] inline view_cell cell(bytes size) { return cell(binary_bytes(size), size.value()); }
/// @}
/// A count. Worked: 1024 is "1024", and in groups "1,024".
[[nodiscard]] inline view_cell count_cell(std::int64_t number, bool in_groups = false) {
  return cell(in_groups ? grouped(number) : std::to_string(number), static_cast<double>(number));
}
/// "38.2 %".
[[nodiscard]] inline view_cell share_cell(double share) { return cell(percent(share), share); }
/// A number of so many decimals.
[[nodiscard]] inline view_cell number_cell(double value, int decimals) { return cell(fixed(value, decimals), value); }
/// The high end of dollars where it cannot be had.
inline constexpr usd not_available{math::detail::infinity};
/// "26.7-69.8 ms"; of an end that is infinite, which cannot be had, "71.2 days-not available".
[[nodiscard]] inline view_cell range_cell(seconds low, seconds high) {
  if (!math::is_finite(high.value())) return {duration(low) + "-not available", {}, low.value()};
  return {duration_range(low, high), high.value(), low.value()};
}
/// "$66.7k-$119k", and what stands behind it; "$91.9k-not available" likewise.
[[nodiscard]] inline view_cell range_cell(usd low, usd high, std::string_view mark = "") {
  if (!math::is_finite(high.value())) return {joined({money(low), "-not available", mark}), {}, low.value()};
  return {joined({money(low), "-", money(high), mark}), high.value(), low.value()};
}
/// "15.5 of 31.2 GiB", of which the bytes in use are the figure.
[[nodiscard]] inline view_cell used_cell(bytes used, bytes usable) { return cell(used_of(used, usable), used.value()); }

namespace detail {
/// A title as a key. Worked: "GiB" is "size", "chip-hours" is "chip_hours", "tokens/s" is "tokens_per_s", no title is
/// "rank".
[[nodiscard]] inline std::string key_of(std::string_view title) {
  if (title == "GiB") return "size";
  std::string key;
  for (const char c : title) {
    if (c == '/') {
      key += "_per_";
    } else if (c == '+' && !key.empty()) {
      key += "plus_";
    } else if (c == '-' && !key.empty() && key.back() == '_') {
      key += "minus";
    } else if (c != '\'' && c != ',') {
      key += c == ' ' || c == '-' ? '_' : c;
    }
  }
  return key.empty() ? "rank" : key;
}
}  // namespace detail

/// Columns by their titles: "slice | ~topology | >run:s" has three. With > before its title a column is aligned at its
/// end; each ~ lets a narrow terminal leave it out earlier; behind a colon is the unit of its values. Worked:
/// columns_of("a | ~>run:s")[1] is {"run", "run", "s", true, 1}.
[[nodiscard]] inline std::vector<view_column> columns_of(std::string_view titles) {
  constexpr std::string_view between = " | ";
  std::vector<view_column> columns;
  for (std::size_t from = 0; from <= titles.size();) {
    const std::size_t to = titles.find(between, from) < titles.size() ? titles.find(between, from) : titles.size();
    std::string_view title = titles.substr(from, to - from);
    view_column& added = columns.emplace_back();
    for (; !title.empty() && title.front() == '~'; title.remove_prefix(1)) ++added.spared;
    added.at_end = !title.empty() && title.front() == '>';
    if (added.at_end) title.remove_prefix(1);
    if (const std::size_t colon = title.find(':'); colon < title.size()) {
      added.unit = title.substr(colon + 1);
      title = title.substr(0, colon);
    }
    added.title = title;
    added.key = detail::key_of(title);
    from = to + between.size();
  }
  return columns;
}
/// A part with a table of these columns and no rows yet.
[[nodiscard]] inline view_part table_of(std::string_view columns, std::string title = {}) {
  return {std::move(title), {}, columns_of(columns), {}, {}, false};
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::view_cell, text, value, low)
TPUPLAN_FIELDS(tpuplan::view_column, title, key, unit, at_end, spared)
TPUPLAN_FIELDS(tpuplan::view_part, title, sentences, columns, rows, notes, folded)
TPUPLAN_FIELDS(tpuplan::next_step, question, command, words)
TPUPLAN_FIELDS(tpuplan::view, title, summary, sentences, parts, pictures, next)
TPUPLAN_FIELDS(tpuplan::view_options, today, own_prices, names_options, drawn, wide, rows, only_front, only_best_chips,
               explained, searched)

#endif
