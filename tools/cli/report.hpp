#ifndef TPUPLAN_CLI_REPORT_HPP
#define TPUPLAN_CLI_REPORT_HPP

#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/print.hpp"

// The picture of an answer (--svg FILE), and the answer as one HTML file (--html FILE).
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

/// Takes a picture of the answer for the files that are asked for.
void draw(const session& with, std::string name, const std::string& svg);
/// "llama-3.1-8b on v6e-256".
std::string report_title(const tpuplan::model_config& config, std::string_view where);
/// Writes the report, where one is asked for.
void write_report(const session& with, std::string title, const ordered_json& document);

}  // namespace cli

#endif
