#include "cli/report.hpp"

#include <fstream>
#include <tpuplan/show/html.hpp>
#include <utility>
#include <vector>

#include "cli/option.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

/// The parts of a report, collected while the command runs.
struct kept_report {
  std::string command_line, file;
  std::vector<tpuplan::picture> pictures;
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

void draw(const session& with, std::string name, const std::string& svg) {
  if (with.is_given("--svg")) write_picture(svg);
  if (is_reported(with)) kept().pictures.push_back({std::move(name), {}, tpuplan::without_style(svg)});
}

std::string report_title(const tpuplan::model_config& config, std::string_view where) {
  return std::string(config.model.name.view()) + " on " + std::string(where);
}

void write_report(const session& with, std::string title, const ordered_json& document) {
  if (!is_reported(with)) return;
  const kept_report& all = kept();
  std::ofstream file(all.file, std::ios::binary);
  if (!(file << tpuplan::to_html({std::move(title), all.command_line, document, all.pictures})) || !file.flush())
    throw tpuplan::error{tpuplan::errc::invalid_argument, "--html", all.file, "a file that can be written"};
}

}  // namespace cli
