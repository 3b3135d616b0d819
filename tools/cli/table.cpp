#include "cli/table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace cli {

namespace {

bool coloured() {
  static const bool yes = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return yes;
}

/// Characters that a terminal shows: bytes that do not continue a UTF-8 sequence.
std::size_t shown_width(std::string_view words) {
  return static_cast<std::size_t>(std::count_if(
      words.begin(), words.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& cell, std::size_t width, align side) {
  const std::string room(width - std::min(width, shown_width(cell)), ' ');
  return side == align::left ? cell + room : room + cell;
}

}  // namespace

std::string bold(std::string_view words) {
  return coloured() ? fmt::format("\x1b[1m{}\x1b[0m", words) : std::string(words);
}
std::string dim(std::string_view words) {
  return coloured() ? fmt::format("\x1b[2m{}\x1b[0m", words) : std::string(words);
}

table::table(std::vector<column> columns) : columns_(std::move(columns)) {}

void table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void table::print() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = shown_width(columns_[i].title);
    for (const std::vector<std::string>& row : rows_) width = std::max(width, shown_width(row[i]));
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string text = " ";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      text += " " + std::string(i == 0 ? 0 : 1, ' ') + padded(cell_of(i), widths[i], columns_[i].side);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  };
  fmt::print("{}\n", bold(line([&](std::size_t i) { return columns_[i].title; })));
  for (const std::vector<std::string>& row : rows_) {
    fmt::print("{}\n", line([&](std::size_t i) { return row[i]; }));
  }
}

void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::size_t width = 0;
  for (const auto& [label, value] : pairs) width = std::max(width, shown_width(label));
  for (const auto& [label, value] : pairs) fmt::print("  {}  {}\n", padded(label, width, align::left), value);
}

}  // namespace cli
