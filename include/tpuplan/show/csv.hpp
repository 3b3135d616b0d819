#ifndef TPUPLAN_SHOW_CSV_HPP
#define TPUPLAN_SHOW_CSV_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <tpuplan/show/view.hpp>
#include <vector>

/// @file
/// The first table of a view as csv (RFC 4180): keys with their units, numbers in SI units.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The words without characters that no table has: controls, and those that turn the direction of text.
[[nodiscard]] inline std::string without_controls(std::string_view words) {
  std::string kept;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const bool turns = turns_text(words.substr(at));
    const auto c = static_cast<unsigned char>(words[at]);
    if (turns) at += 2;
    kept += turns || c < 0x20 || c == 0x7F ? '?' : words[at];
  }
  return kept;
}
/// Words as a field. Those that a spreadsheet would take for a formula begin with an apostrophe, as OWASP advises;
/// numbers stay as they are.
[[nodiscard]] inline std::string csv_field(std::string_view given) {
  std::string words = without_controls(given);
  const bool is_number = words.size() > 1 && words.find_first_not_of("0123456789.e+-") == std::string::npos;
  const bool is_formula = !words.empty() && std::string_view("=+-@").find(words.front()) != std::string_view::npos;
  if (is_formula && !is_number) words.insert(0, "'");
  if (words.find_first_of(",\"\n") == std::string::npos) return words;
  std::string field = "\"";
  for (const char c : words) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}
[[nodiscard]] inline std::string csv_number(double value) {
  char digits[40] = {};
  const bool is_count = value > -9007199254740992.0 && value < 9007199254740992.0 && value == std::floor(value);
  (void)__builtin_snprintf(digits, sizeof(digits), is_count ? "%.0f" : "%.10g", value);
  return readable::detail::pointed(digits);
}

}  // namespace detail

/// The first table of the view, a line of keys before its rows; nothing of a view without one. A range has two columns.
/// Worked: a column "run" in "s" with a cell of 90 s is "run_s\n90\n".
[[nodiscard]] inline std::string to_csv(const view& shown) {
  const auto table = std::find_if(shown.parts.begin(), shown.parts.end(),
                                  [](const view_part& one) { return !one.rows.empty() && !one.folded; });
  if (table == shown.parts.end()) return {};
  std::vector<std::string> lines(table->rows.size() + 1);
  const auto add = [&](std::size_t row, const std::string& field, bool first) {
    lines[row].append(first ? "" : ",").append(field);
  };
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    const view_column& column = table->columns[i];
    const auto is_range = [i](const auto& row) { return i < row.size() && row[i].low.has_value(); };
    const bool range = std::any_of(table->rows.begin(), table->rows.end(), is_range);
    const std::string unit = column.unit.empty() ? "" : "_" + column.unit;
    if (range) add(0, detail::csv_field(column.key + "_low" + unit), i == 0);
    add(0, detail::csv_field(column.key + (range ? "_high" : "") + unit), i == 0 && !range);
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
      const view_cell cell = i < table->rows[row].size() ? table->rows[row][i] : view_cell{};
      if (range) add(row + 1, cell.low ? detail::csv_number(*cell.low) : std::string(), i == 0);
      const std::string text = cell.low ? std::string() : detail::csv_field(cell.text);  // an end that cannot be had
      add(row + 1, cell.value ? detail::csv_number(*cell.value) : text, i == 0 && !range);
    }
  }
  return readable::listed(lines, "\n") + "\n";
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
