#include "cli/report.hpp"

#include <algorithm>
#include <fstream>
#include <tpuplan/show/csv.hpp>
#include <tpuplan/show/html.hpp>
#include <tpuplan/show/markdown.hpp>
#include <tpuplan/show/svg/canvas.hpp>

#include "cli/option.hpp"
#include "cli/prices.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// The parts of a report, collected while the command runs.
struct kept_report {
  std::string command_line, file;
};
kept_report& kept() {
  static kept_report report;
  return report;
}

}  // namespace

void add_drawing_options(command& to) {
  add_picture_option(to);
  to.add("--html", kept().file, "a file for the answer with its question, pictures, assumptions and sources");
}

void keep_command_line(int argument_count, char** arguments) {
  std::string& line = kept().command_line;
  line = "tpuplan";
  for (int i = 1; i < argument_count; ++i) line += " " + shell_quoted(arguments[i]);
}

bool is_reported(const session& with) { return with.is_given("--html"); }
bool is_drawn(const session& with) { return with.is_given("--svg") || is_reported(with); }

void refuse_drawing(const session& with, std::string_view given, std::string_view valid) {
  for (const char* option : {"--svg", "--html"}) {
    if (with.is_given(option)) refuse(option, std::string(given), std::string(valid));
  }
}

void write_files(const session& with, const view& shown) {
  if (with.is_given("--svg") && shown.pictures.empty())
    refuse("--svg", "given for an answer without a picture", "none");
  if (with.is_given("--svg")) write_picture(with_style(shown.pictures.front().svg));
  if (!is_reported(with)) return;
  std::ofstream file(kept().file, std::ios::binary);
  if (!(file << to_html(shown, kept().command_line)) || !file.flush())
    throw error{errc::invalid_argument, "--html", kept().file, "a file that can be written"};
}

view_options view_options_of(const session& with) {
  view_options options = view_options_of();
  options.drawn = is_drawn(with);
  return options;
}

void print_view(const view& shown) {
  switch (form().of) {
    case output_form::kind::text:
      return write_form(to_terminal(shown, {columns(), coloured(), form().wide, "with --wide also "}));
    case output_form::kind::markdown: return write_form(to_markdown(shown));
    case output_form::kind::csv:
      if (const std::string lines = to_csv(shown); !lines.empty() && !std::exchange(form().has_csv, true))
        write_form(lines);
  }
}

view_options view_options_of() {
  view_options options;
  options.today = today();
  options.own_prices = prices_are_own();
  options.names_options = options.searched = true;
  options.wide = form().wide || form().of != output_form::kind::text;
  return options;
}

std::vector<view_cell> text_cells(std::initializer_list<std::string_view> words) {
  std::vector<view_cell> cells;
  for (const std::string_view one : words) cells.push_back(readable::cell(one));
  return cells;
}

view_part pairs_part(const std::vector<std::pair<std::string, std::string>>& pairs) {
  view_part part = readable::table_of("figure | value");
  std::size_t width = 0;
  for (const auto& [label, value] : pairs) width = std::max(width, label.size());
  for (const auto& [label, value] : pairs) {
    if (form().of != output_form::kind::text)
      part.rows.push_back(text_cells({label, value}));
    else
      part.sentences.push_back(fmt::format("{:<{}}  {}", label, width, value));
  }
  return part;
}

void add_places(const session& with, view& shown) {
  if (with.places.empty()) return;
  view own;
  readable::add_assumed(own, with.places);
  std::vector<view_part>& parts = shown.parts;
  const auto is_of_it = [&](const view_part& one) { return one.title == own.parts.front().title; };
  const auto found = std::find_if(parts.begin(), parts.end(), is_of_it);
  if (found == parts.end()) return parts.push_back(std::move(own.parts.front()));
  const std::vector<std::string>& words = own.parts.front().sentences;
  found->sentences.insert(found->sentences.end(), words.begin(), words.end());
}

void add_places(const session& with, ordered_json& document) {
  if (with.places.empty()) return;
  const bool is_of_memory = !document.contains("assumed") && document.contains("memory");
  ordered_json& assumed = is_of_memory ? document["memory"]["assumed"] : document["assumed"];
  for (const assumption& one : with.places) assumed.push_back(one);
}

view_part unknown_part(const std::vector<std::string>& keys) {
  view_part part;
  if (keys.empty()) return part;
  part.title = "keys that mean nothing here";
  part.sentences = {readable::listed(keys, " ")};
  return part;
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
