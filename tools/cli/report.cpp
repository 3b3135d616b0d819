#include "cli/report.hpp"

#include <fstream>
#include <tpuplan/show/html.hpp>
#include <tpuplan/show/svg/canvas.hpp>

#include "cli/option.hpp"
#include "cli/table.hpp"

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

}  // namespace cli
