#ifndef TPUPLAN_CLI_PARSE_HPP
#define TPUPLAN_CLI_PARSE_HPP

#include <string>

#include "cli/commands.hpp"

namespace cli {

/// Reads the command line, fills the fields of the command that was asked, and runs it. What --help and --version
/// answer is printed here. Throws tpuplan::error for what is wrong with the command line.
void parse_and_run(session& with, int argument_count, char** arguments);

/// The name of a shell: a script that completes commands and options there.
std::string completion_script(const session& with, const std::string& shell);

}  // namespace cli

#endif
