#include "cli/table.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "cli/print.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// Characters that a terminal shows: bytes that do not continue a UTF-8 sequence.
std::size_t shown_width(std::string_view words) {
  return static_cast<std::size_t>(std::count_if(
      words.begin(), words.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& words, std::size_t width, bool at_end) {
  const std::string room(width - std::min(width, shown_width(words)), ' ');
  return at_end ? room + words : words + room;
}

/// Whether a field is a number as this program writes it.
bool is_number(const std::string& words) {
  double number = 0;
  const char* const end = words.data() + words.size();
  const std::from_chars_result read = std::from_chars(words.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end;
}

/// The words without characters that no table has: controls, and those that turn the direction of text.
std::string without_controls(const std::string& words) {
  std::string kept;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view three = std::string_view(words).substr(at, 3);
    const auto last = static_cast<unsigned char>(three.back());
    const bool turns =
        three.size() == 3 &&
        ((three.substr(0, 2) == "\xE2\x80" && ((last >= 0x8B && last <= 0x8F) || (last >= 0xA8 && last <= 0xAE))) ||
         (three.substr(0, 2) == "\xE2\x81" && last >= 0xA0 && last <= 0xAF));
    const auto c = static_cast<unsigned char>(words[at]);
    if (turns) at += 2;
    kept += turns || c < 0x20 || c == 0x7F ? '?' : words[at];
  }
  return kept;
}

/// A field of csv as RFC 4180 has it. Words that a spreadsheet would take for a formula begin with an apostrophe, as
/// OWASP advises (CSV injection); numbers stay as they are.
std::string csv_field(const std::string& given) {
  std::string words = without_controls(given);
  const bool is_formula = !words.empty() && std::string_view("=+-@").find(words.front()) != std::string_view::npos;
  if (is_formula && !is_number(words)) words.insert(0, "'");
  if (words.find_first_of(",\"\n") == std::string::npos) return words;
  std::string field = "\"";
  for (const char c : words) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

/// A title as a key: "million out" in dollars is million_out_usd, "tokens/s" is tokens_per_s, "GiB" is size_bytes.
std::string csv_title(const std::string& title, std::string_view unit) {
  if (title.empty()) return "rank";
  if (title == "GiB") return "size_bytes";
  std::string key;
  for (const char c : title) {
    if (c == '/') {
      key += "_per_";
    } else if ((c == '+' || c == '-') && !key.empty()) {
      key += c == '+' ? "plus_" : "minus";
    } else if (c != '\'' && c != ',') {
      key += c == ' ' ? '_' : c;
    }
  }
  return key + std::string(unit);
}

std::string markdown_cell(const std::string& words) {
  std::string text;
  for (const char c : words) text += c == '|' ? std::string("\\|") : std::string(1, c);
  return text;
}

}  // namespace

cell::cell(seconds time) : cell(duration(time), time.value(), "_s") {}
cell::cell(usd amount) : cell(money(amount), amount.value(), "_usd") {}
cell::cell(bytes size) : cell(binary_bytes(size), size.value(), "_bytes") {}
cell::cell(std::string words, double number, std::string_view its_unit)
    : shown{std::move(words)}, raw{fmt::format("{:.10g}", number)}, unit{its_unit} {}
cell::cell(std::string words, double its_low, double high, std::string_view its_unit)
    : cell(std::move(words), high, its_unit) {
  low = fmt::format("{:.10g}", its_low);
}
cell range_cell(seconds low, seconds high) { return {duration_range(low, high), low.value(), high.value(), "_s"}; }
cell used_cell(bytes used, bytes usable) { return {used_of(used, usable), used.value(), "_bytes"}; }
cell share_cell(double share) { return {percent(share), share}; }
cell count_cell(std::int64_t number) { return {grouped(number), static_cast<double>(number)}; }

table::table(std::string_view titles) {
  constexpr std::string_view between = " | ";
  for (std::size_t from = 0; from <= titles.size();) {
    const std::size_t to = std::min(titles.find(between, from), titles.size());
    std::string_view title = titles.substr(from, to - from);
    column& added = columns_.emplace_back();
    for (; !title.empty() && title.front() == '~'; title.remove_prefix(1)) ++added.less_important;
    added.at_end = !title.empty() && title.front() == '>';
    if (added.at_end) title.remove_prefix(1);
    added.title = title;
    from = to + between.size();
  }
}

void table::add(std::vector<cell> cells) {
  cells.resize(columns_.size(), cell(""));
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> table::widths() const {
  std::vector<std::size_t> widest;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = shown_width(columns_[i].title);
    for (const std::vector<cell>& row : rows_) width = std::max(width, shown_width(row[i].shown));
    widest.push_back(width);
  }
  return widest;
}

std::vector<std::size_t> table::columns_that_fit() const {
  std::vector<std::size_t> kept(columns_.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  if (form().wide) return kept;
  const std::vector<std::size_t> widest = widths();
  const auto width = [&] {
    std::size_t all = 0;
    for (const std::size_t i : kept) all += widest[i] + 2;
    return all;
  };
  while (width() > columns()) {
    const auto least = std::max_element(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
      return columns_[a].less_important <= columns_[b].less_important;
    });
    if (columns_[*least].less_important == 0) break;
    kept.erase(least);
  }
  return kept;
}

void table::print() const {
  switch (form().of) {
    case output_form::kind::text: return print_text();
    case output_form::kind::csv: return print_csv();
    case output_form::kind::markdown: return print_markdown();
  }
}

std::string table::left_out(const std::vector<std::size_t>& shown) const {
  std::string titles;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (std::find(shown.begin(), shown.end(), i) == shown.end())
      titles += (titles.empty() ? "" : ", ") + columns_[i].title;
  }
  return titles;
}

void table::print_text() const {
  const std::vector<std::size_t> widest = widths(), shown = columns_that_fit();
  const auto line = [&](const auto& words_of) {
    std::string text = " ";
    for (const std::size_t i : shown)
      text += " " + std::string(i == shown.front() ? 0 : 1, ' ') + padded(words_of(i), widest[i], columns_[i].at_end);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  };
  print_title("{}", line([&](std::size_t i) { return columns_[i].title; }));
  for (const std::vector<cell>& row : rows_) write_table(line([&](std::size_t i) { return row[i].shown; }) + "\n");
  if (shown.size() < columns_.size())
    write_words("  " + dim(fmt::format("with --wide also {}", left_out(shown))) + "\n");
}

void table::print_csv() const {
  if (std::exchange(form().has_csv, true)) return;
  std::string lines;
  const auto add = [&](const std::string& field) { lines += (lines.empty() ? "" : ",") + csv_field(field); };
  std::vector<bool> is_range;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::string_view unit;
    bool range = false;
    for (const std::vector<cell>& row : rows_) {
      unit = unit.empty() ? row[i].unit : unit;
      range = range || !row[i].low.empty();
    }
    is_range.push_back(range);
    if (range) add(csv_title(columns_[i].title + " low", unit));
    add(csv_title(columns_[i].title + (range ? " high" : ""), unit));
  }
  for (const std::vector<cell>& row : rows_) {
    lines += "\n";
    bool first = true;  // whose field may be empty
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (is_range[i]) lines += (std::exchange(first, false) ? "" : ",") + csv_field(row[i].low);
      lines += (std::exchange(first, false) ? "" : ",") + csv_field(row[i].raw);
    }
  }
  write_table(lines + "\n");
}

void table::print_markdown() const {
  std::string lines = "\n|", rule = "\n|";
  for (const column& one : columns_) {
    lines += " " + markdown_cell(one.title) + " |";
    rule += one.at_end ? "---:|" : "---|";
  }
  lines += rule;
  for (const std::vector<cell>& row : rows_) {
    lines += "\n|";
    for (const cell& one : row) lines += " " + markdown_cell(one.shown) + " |";
  }
  write_table(lines + "\n");
}

void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  if (form().of != output_form::kind::text) {
    table t("figure | value");
    for (const auto& [label, value] : pairs) t.add({label, value});
    return t.print();
  }
  std::size_t width = 0;
  for (const auto& [label, value] : pairs) width = std::max(width, shown_width(label));
  for (const auto& [label, value] : pairs) print("  {}  {}\n", padded(label, width, false), value);
}

void add_picture_option(command& to) { to.add("--svg", form().picture, "a file for the picture of the answer"); }

void add_table_options(command& to) {
  to.flag("--wide", "all columns, also where they are wider than the terminal", [] {
      form().wide = true;
    }).excludes({"--csv", "--markdown"});
  to.flag("--csv", "only the first table, as csv: numbers in SI units", [] {
      form().of = output_form::kind::csv;
    }).excludes({"--markdown"});
  to.flag("--markdown", "tables as Markdown", [] { form().of = output_form::kind::markdown; });
}

}  // namespace cli
