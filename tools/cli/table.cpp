#include "cli/table.hpp"

#include <algorithm>

#include "cli/print.hpp"

namespace cli {

namespace {

/// Characters that a terminal shows: bytes that do not continue a UTF-8 sequence.
std::size_t shown_width(std::string_view words) {
  return static_cast<std::size_t>(std::count_if(
      words.begin(), words.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& cell, std::size_t width, bool at_end) {
  const std::string room(width - std::min(width, shown_width(cell)), ' ');
  return at_end ? room + cell : cell + room;
}

}  // namespace

table::table(std::string_view titles) {
  constexpr std::string_view between = " | ";
  for (std::size_t from = 0; from <= titles.size();) {
    const std::size_t to = std::min(titles.find(between, from), titles.size());
    std::string_view title = titles.substr(from, to - from);
    at_end_.push_back(!title.empty() && title.front() == '>');
    if (at_end_.back()) title.remove_prefix(1);
    titles_.emplace_back(title);
    from = to + between.size();
  }
}

void table::add(std::vector<std::string> cells) {
  cells.resize(titles_.size());
  rows_.push_back(std::move(cells));
}

void table::print() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    std::size_t width = shown_width(titles_[i]);
    for (const std::vector<std::string>& row : rows_) width = std::max(width, shown_width(row[i]));
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string text = " ";
    for (std::size_t i = 0; i < titles_.size(); ++i) {
      text += " " + std::string(i == 0 ? 0 : 1, ' ') + padded(cell_of(i), widths[i], at_end_[i]);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  };
  print_title("{}", line([&](std::size_t i) { return titles_[i]; }));
  for (const std::vector<std::string>& row : rows_) {
    fmt::print("{}\n", line([&](std::size_t i) { return row[i]; }));
  }
}

void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::size_t width = 0;
  for (const auto& [label, value] : pairs) width = std::max(width, shown_width(label));
  for (const auto& [label, value] : pairs) fmt::print("  {}  {}\n", padded(label, width, false), value);
}

}  // namespace cli
