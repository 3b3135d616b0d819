#ifndef TPUPLAN_SHOW_TERMINAL_HPP
#define TPUPLAN_SHOW_TERMINAL_HPP

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <tpuplan/show/view.hpp>
#include <vector>

/// @file
/// A view as text for a terminal: aligned tables that are no wider than it.

namespace tpuplan {
inline namespace abi_0 {

/// The terminal that a view is for.
struct terminal_form {
  std::size_t columns = 80;                   ///< its width; tables leave out what they can spare to keep to it
  bool coloured = false;                      ///< titles are bold, what is aside is dim
  bool wide = false;                          ///< tables may be wider
  std::string_view left_out = "not shown: ";  ///< what stands before the titles of columns that were left out
};

/// The words as a terminal shows them: control characters, and those that turn the text around them, which names may
/// have, are "?". Worked: "a", a tab and "b"
/// are "a?b".
[[nodiscard]] inline std::string printable(std::string_view words) {
  std::string shown;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto c = static_cast<unsigned char>(words[at]);
    const bool c1 = c == 0xC2 && at + 1 < words.size() && static_cast<unsigned char>(words[at + 1]) < 0xA0;
    const bool turns = detail::turns_text(words.substr(at));
    if (c1) ++at;
    if (turns) at += 2;
    shown += c < 0x20 || c == 0x7F || c1 || turns ? '?' : words[at];
  }
  return shown;
}

namespace detail {

/// Characters that a terminal shows: bytes that do not continue a UTF-8 sequence.
[[nodiscard]] inline std::size_t shown_width(std::string_view words) {
  return static_cast<std::size_t>(std::count_if(
      words.begin(), words.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// The text of a view, line by line.
class terminal_text {
 public:
  explicit terminal_text(const terminal_form& form) : form_{form} {}
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  void bold(std::string_view words) { line(marked("\x1b[1m", words)); }
  void dim(std::string_view words) { line(marked("\x1b[2m", words)); }
  void sentences(const std::vector<std::string>& all) {
    for (const std::string& one : all) line("  " + printable(one));
  }
  void blank() {
    if (!text_.empty()) text_ += "\n";
  }
  void add(std::string_view lines) { text_ += lines; }
  void table(const view_part& part) {
    const std::vector<std::size_t> widest = widths(part), shown = columns_that_fit(part, widest);
    const auto row = [&](const auto& words_of) {
      std::string words = " ";
      for (const std::size_t i : shown) {
        const std::string one = printable(words_of(i));
        const std::string room(widest[i] - std::min(widest[i], shown_width(one)), ' ');
        words.append(i == shown.front() ? 1 : 2, ' ').append(part.columns[i].at_end ? room + one : one + room);
      }
      while (!words.empty() && words.back() == ' ') words.pop_back();
      return words;
    };
    bold(row([&](std::size_t i) { return part.columns[i].title; }));
    for (const std::vector<view_cell>& cells : part.rows)
      line(row([&](std::size_t i) { return i < cells.size() ? cells[i].text : std::string(); }));
    if (shown.size() == part.columns.size()) return;
    std::string titles;
    for (std::size_t i = 0; i < part.columns.size(); ++i) {
      if (std::find(shown.begin(), shown.end(), i) == shown.end())
        titles += (titles.empty() ? "" : ", ") + part.columns[i].title;
    }
    dim(readable::joined({"  ", form_.left_out, titles}));
  }

 private:
  void line(const std::string& words) { text_ += words + "\n"; }
  [[nodiscard]] std::string marked(std::string_view mark, std::string_view words) const {
    return form_.coloured ? readable::joined({mark, printable(words), "\x1b[0m"}) : printable(words);
  }
  [[nodiscard]] static std::vector<std::size_t> widths(const view_part& part) {
    std::vector<std::size_t> widest;
    for (std::size_t i = 0; i < part.columns.size(); ++i) {
      std::size_t width = shown_width(part.columns[i].title);
      for (const std::vector<view_cell>& cells : part.rows)
        if (i < cells.size()) width = std::max(width, shown_width(cells[i].text));
      widest.push_back(width);
    }
    return widest;
  }
  [[nodiscard]] std::vector<std::size_t> columns_that_fit(const view_part& part,
                                                          const std::vector<std::size_t>& widest) const {
    std::vector<std::size_t> kept(part.columns.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    const auto width = [&] {
      std::size_t all = 0;
      for (const std::size_t i : kept) all += widest[i] + 2;
      return all;
    };
    while (!form_.wide && width() > form_.columns) {
      const auto least = std::max_element(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
        return part.columns[a].spared <= part.columns[b].spared;
      });
      if (part.columns[*least].spared == 0) break;
      kept.erase(least);
    }
    return kept;
  }

  terminal_form form_;
  std::string text_{};
};

/// The view as text, its tables as `table` writes them.
template <class Table>
[[nodiscard]] std::string view_text(const view& shown, const terminal_form& form, const Table& table) {
  terminal_text text(form);
  if (!shown.title.empty()) text.bold(shown.title);
  text.sentences(shown.sentences);
  for (const view_part& part : shown.parts) {
    if (part.folded && !form.wide) continue;
    text.blank();
    if (!part.title.empty()) text.bold(part.title);
    text.sentences(part.sentences);
    if (!part.sentences.empty() && !part.rows.empty()) text.blank();
    if (!part.rows.empty()) table(text, part);
    if (!part.notes.empty() && !part.rows.empty()) text.blank();
    text.sentences(part.notes);
  }
  std::string_view before = "  next: ";
  for (const next_step& one : shown.next) {
    if (one.command.empty()) continue;
    if (before.find("next") < before.size()) text.blank();
    text.dim(readable::joined({before, one.command, one.words.empty() ? "" : "   ", one.words}));
    before = "        ";
  }
  return text.text();
}

}  // namespace detail

/// The view as text. Worked: a title "fits" over a table of one column "chips" with a cell "8" is "fits\n\n  chips\n
/// 8\n".
[[nodiscard]] inline std::string to_terminal(const view& shown, const terminal_form& form = {}) {
  return detail::view_text(shown, form, [](detail::terminal_text& text, const view_part& part) { text.table(part); });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
