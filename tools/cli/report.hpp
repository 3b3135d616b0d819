#ifndef TPUPLAN_CLI_REPORT_HPP
#define TPUPLAN_CLI_REPORT_HPP

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <tpuplan/show/view.hpp>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/print.hpp"

// An answer in the form that was asked for, its picture (--svg FILE), and the answer as one HTML file (--html FILE).
namespace cli {

/// --svg and --html.
void add_drawing_options(command& to);

/// The command line, which a report repeats.
void keep_command_line(int argument_count, char** arguments);

/// Whether a picture is drawn, for --svg or for --html.
bool is_drawn(const session& with);
/// Whether --html is given: then the document of the answer is made beside the text.
bool is_reported(const session& with);
/// Refuses --svg and --html for an answer without a picture.
void refuse_drawing(const session& with, std::string_view given, std::string_view valid);

/// Writes the pictures of a view, and the view as a report, where they are asked for.
void write_files(const session& with, const tpuplan::view& shown);
/// @{
/// What a view shows, as the command line was asked.
tpuplan::view_options view_options_of();
tpuplan::view_options view_options_of(const session& with);
/// @}
/// Writes a view in the form that was asked for.
void print_view(const tpuplan::view& shown);
/// Cells that are words.
std::vector<tpuplan::view_cell> text_cells(std::initializer_list<std::string_view> words);
/// "name  value" lines, aligned; a table in other forms than text.
tpuplan::view_part pairs_part(const std::vector<std::pair<std::string, std::string>>& pairs);
/// Keys of a file that mean nothing here.
tpuplan::view_part unknown_part(const std::vector<std::string>& keys);
/// --svg, for a command whose answer can be drawn.
void add_picture_option(command& to);
/// --wide, --csv and --markdown, for a command whose answer has tables.
void add_table_options(command& to);
/// Adds what is said of the places of a question to what was assumed of it.
void add_places(const session& with, tpuplan::view& shown);
void add_places(const session& with, nlohmann::ordered_json& document);
/// Writes an answer: its pictures and its report, where they are asked for, and its document or its view. The report is
/// the view, where it is not another one.
template <class Document>
void answer(const session& with, tpuplan::view shown, const Document& document_of,
            const tpuplan::view* report = nullptr) {
  add_places(with, shown);
  write_files(with, report != nullptr && is_reported(with) ? *report : shown);
  if (!with.json) return print_view(shown);
  nlohmann::ordered_json document = document_of();
  add_places(with, document);
  print_json(document);
}
}  // namespace cli

#endif
