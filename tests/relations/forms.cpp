// One answer in all its forms: ask, --json, text, --wide, --csv, --markdown, --html.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

using lines = std::vector<std::string>;

lines lines_of(const std::string& text) {
  lines list;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) list.push_back(line);
  return list;
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

lines markdown_fields(const std::string& line) {
  lines fields;
  std::size_t from = 1;
  for (std::size_t to = 0; (to = line.find(" |", from)) != std::string::npos; from = to + 2)
    fields.push_back(trimmed(line.substr(from, to - from)));
  return fields;
}

/// The first table of an answer in Markdown: titles, then rows.
std::vector<lines> markdown_table(const std::string& text) {
  std::vector<lines> rows;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("| ", 0) == 0) {
      rows.push_back(markdown_fields(line));
    } else if (line.rfind("|-", 0) != 0 && !rows.empty()) {
      break;
    }
  }
  return rows;
}

std::string without_spaces(const std::string& text) {
  std::string kept;
  for (const char c : text) {
    if (c != ' ') kept += c;
  }
  return kept;
}

/// Whether a printed figure is a number in SI units, but for its rounding and the 10 digits of csv.
bool is_rounded(const printed_figure& printed, double exact) {
  return std::abs(printed.value - exact) <= printed.rounding + 1e-9 * std::abs(exact);
}

/// "492-878 ms", "$67.1k-$120k": both ends; the unit of the first is that of the second where it has none.
std::pair<printed_figure, printed_figure> parse_range(const std::string& cell) {
  const std::size_t dash = cell.find('-', 1);
  if (dash == std::string::npos) return {parse_figure(cell), parse_figure(cell)};
  std::string low = cell.substr(0, dash);
  const std::string high = cell.substr(dash + 1);
  const bool has_unit = low.find_first_not_of("~0123456789.,") != std::string::npos;  // "$" among them
  if (!has_unit) {
    const std::size_t unit = high.find_first_not_of("~0123456789.,");
    if (unit != std::string::npos) low += high.substr(unit);
  }
  return {parse_figure(low), parse_figure(high)};
}

/// A figure such as "5.40 of 31.2 GiB" has its unit behind the second.
printed_figure parse_cell(const std::string& cell) {
  const std::size_t of = cell.find(" of ");
  if (of == std::string::npos) return parse_figure(cell);
  const std::size_t unit = cell.find(' ', of + 4);
  return parse_figure(cell.substr(0, of) + (unit == std::string::npos ? "" : cell.substr(unit)));
}

/// A cell without spaces, and without the option that the command line names before a value.
std::string compared_cell(const std::string& cell) {
  const std::size_t value = cell.rfind("--", 0) == 0 ? cell.find(' ') : std::string::npos;
  return without_spaces(value == std::string::npos ? cell : cell.substr(value));
}

/// The rows of a report's tables, each cell behind a bar.
std::string rows_of(const std::string& page) {
  std::string rows, cell;
  for (std::size_t at = 0; at < page.size(); ++at) {
    if (page[at] != '<') {
      cell += page[at];
      continue;
    }
    const std::size_t end = page.find('>', at);
    const std::string tag = page.substr(at, end - at);
    if (tag == "</td") rows += "|" + compared_cell(cell);
    if (tag == "</tr") rows += "\n";
    cell.clear();
    at = end;
  }
  return rows;
}

/// A report of a plan has columns of its own: each figure in the row of a slice is one of the view's rows of that
/// slice.
void same_plan_report(relation& r, const std::string& rows, const json& view, const reply& asked, const told& written) {
  std::map<std::string, std::set<std::string>> known;
  const auto plain = [](std::string cell) {
    while (!cell.empty() && (cell.back() == '^' || cell.back() == '!')) cell.pop_back();  // marks of a row
    return cell;
  };
  for (const json& part : view.at("parts")) {
    for (const json& row : part.at("rows")) {
      if (row.size() < 4) continue;
      std::set<std::string>& cells = known[compared_cell(row[1].at("text").get<std::string>())];
      for (const json& cell : row) cells.insert(plain(compared_cell(cell.at("text").get<std::string>())));
    }
  }
  std::istringstream page(rows);
  for (std::string line; std::getline(page, line);) {
    std::istringstream cells(line.substr(std::min<std::size_t>(1, line.size())));
    std::string slice;
    std::getline(cells, slice, '|');
    const auto of = known.find(slice);
    if (of == known.end()) continue;
    for (std::string cell; std::getline(cells, cell, '|');) {
      if (parse_figure(cell).is_number && cell.find('<') == std::string::npos)
        r.holds(of->second.count(plain(cell)) == 1, "a figure of --html is in the row of its slice", asked,
                slice + " " + cell, written, line);
    }
  }
}

/// The report has each row of the view that ask gives, but for the age of prices, which only the command line says.
void same_report(relation& r, const std::string& command, const json& view, const reply& asked) {
  const std::string file = scratch() + "/report.html";
  const told written = tell(command + " --html " + file);
  if (!r.holds(!written.refused(), "--html refuses", written, written.errors)) return;
  const std::string rows = rows_of(file_text(file));
  if (command.find("tpuplan plan ") == 0 && command.find(" --serve") == std::string::npos)
    return same_plan_report(r, rows, view, asked, written);
  for (const json& part : view.at("parts")) {
    for (const json& row : part.at("rows")) {
      std::string cells;
      for (const json& cell : row) cells += "|" + compared_cell(cell.at("text").get<std::string>());
      if (cells.find("<") != std::string::npos || cells.find("202") != std::string::npos)
        continue;  // escaped, or a date
      r.holds(rows.find(cells) != std::string::npos, "a row of the view of ask is one of --html", asked, cells, written,
              "not among its rows");
    }
  }
}

}  // namespace

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        fields.back() += line[++i];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

namespace {
/// The name of a model is `_name_or_path` in a question, and on the command line that of the file: there the key is not
/// read.
json less_name(json document) {
  if (document.contains("not_read")) {
    json& keys = document["not_read"];
    keys.erase(std::remove(keys.begin(), keys.end(), "_name_or_path"), keys.end());
  }
  return document;
}
}  // namespace

// The command line answers and refuses what ask does, with the same document.
void doors(relation& r) {
  while (r.next()) {
    const drawn_question drawn = draw(r.random.of(drawn_names()), r.random);
    const reply asked = ask(drawn.name, drawn.request);
    if (asked.refused() && asked.message().find("architecture is vision") != std::string::npos) {
      r.skip("a network of layers, of which ask has questions of its own");
      continue;
    }
    const told printed = tell(drawn.command + " --json");
    if (!r.holds(asked.refused() == printed.refused(), "one door refuses what the other answers", asked,
                 asked.refused() ? asked.message() : "answers", printed,
                 printed.refused() ? printed.errors : "answers"))
      continue;
    if (asked.refused()) {
      r.skip("refused by both");
      continue;
    }
    r.compared(static_cast<std::int64_t>(asked.answer().size()));
    for (const std::string& one : differences(less_name(asked.answer()), less_name(printed.document()))) {
      r.differ("a document of ask and of --json", asked.asked(), one, printed.asked(), {});
      break;
    }
  }
}

void same_tables(relation& r, const std::string& command) {
  const told csv = tell(command + " --csv"), markdown = tell(command + " --markdown"), wide = tell(command + " --wide");
  if (!r.same("status of --csv", csv, csv.status, markdown, markdown.status)) return;
  if (!r.same("status of --wide", wide, wide.status, markdown, markdown.status)) return;
  if (csv.refused()) return r.skip("refused");
  const lines records = lines_of(csv.output);
  const std::vector<lines> table = markdown_table(markdown.output);
  if (records.empty() || table.empty()) {
    r.holds(records.empty() == table.empty(), "one form has no table", csv, std::to_string(records.size()), markdown,
            std::to_string(table.size()));
    return;
  }
  if (!r.same("rows of --csv", csv, records.size(), markdown, table.size())) return;
  const lines titles = csv_fields(records[0]);
  for (std::size_t row = 1; row < records.size(); ++row) {
    const lines exact = csv_fields(records[row]);
    std::size_t column = 0;
    for (std::size_t i = 0; i < table[row].size() && column < exact.size(); ++i) {
      const std::string& cell = table[row][i];
      const std::string& title = titles[column];
      const bool is_range = title.find("_low") != std::string::npos && column + 1 < titles.size();
      const auto compare = [&](const printed_figure& printed, const std::string& value) {
        char* end = nullptr;
        const double number = std::strtod(value.c_str(), &end);
        const bool is_number = end != value.c_str() && *end == '\0';
        if (!printed.is_number || !is_number) return;  // words
        r.holds(is_rounded(printed, number), "a cell of --markdown is the rounded one of --csv", csv,
                title + " " + value, markdown, cell);
      };
      if (is_range) {
        const auto [low, high] = parse_range(cell);
        compare(low, exact[column]);
        compare(high, exact[column + 1]);
        column += 2;
      } else {
        const bool in_title = title == "size_bytes";  // a column in GiB, which csv has in bytes
        compare(parse_cell(in_title ? cell + " GiB" : cell), exact[column]);
        ++column;
      }
    }
  }
  std::string text;
  for (const std::string& line : lines_of(wide.output)) text += without_spaces(line) + "\n";
  for (const lines& row : table) {
    std::string joined;
    for (const std::string& cell : row) joined += without_spaces(cell);
    r.holds(text.find(joined) != std::string::npos, "a row of --markdown is one of --wide", markdown, joined, wide,
            "not among its rows");
  }
}

void tables(relation& r) {
  while (r.next()) same_tables(r, draw(r.random.of(drawn_names()), r.random).command);
}

void reports(relation& r) {
  static const std::vector<std::string> names = {"fit", "train", "serve", "simulate", "plan", "plan_serving"};
  while (r.next()) {
    const drawn_question drawn = draw(r.random.of(names), r.random);
    const reply asked = ask(drawn.name, drawn.request, true);
    if (asked.refused()) {
      r.skip("refused");
      continue;
    }
    same_report(r, drawn.command, asked.view(), asked);
  }
}

}  // namespace relations
