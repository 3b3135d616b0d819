#ifndef TPUPLAN_SHOW_MARKDOWN_HPP
#define TPUPLAN_SHOW_MARKDOWN_HPP

#include <string>
#include <string_view>
#include <tpuplan/show/terminal.hpp>
#include <tpuplan/show/view.hpp>

/// @file
/// A view as text whose tables are Markdown.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

[[nodiscard]] inline std::string markdown_cell(std::string_view words) {
  std::string text = " ";
  for (const char c : printable(words)) text += c == '|' ? std::string("\\|") : std::string(1, c);
  return text + " |";
}

}  // namespace detail

/// A part's table in Markdown. Worked: a column "run" aligned at its end with a cell "1 s" is
/// "| run |\n|---:|\n| 1 s |\n".
[[nodiscard]] inline std::string to_markdown(const view_part& part) {
  std::string lines = "|", rule = "|";
  for (const view_column& one : part.columns) {
    lines += detail::markdown_cell(one.title);
    rule += one.at_end ? "---:|" : "---|";
  }
  lines += "\n" + rule + "\n";
  for (const std::vector<view_cell>& row : part.rows) {
    lines += "|";
    for (const view_cell& one : row) lines += detail::markdown_cell(one.text);
    lines += "\n";
  }
  return lines;
}
/// The view as text with such tables. Worked: a view of a title alone is its title and the end of a line.
[[nodiscard]] inline std::string to_markdown(const view& shown) {
  return detail::view_text(shown, {},
                           [](detail::terminal_text& text, const view_part& part) { text.add(to_markdown(part)); });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
