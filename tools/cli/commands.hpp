#ifndef TPUPLAN_CLI_COMMANDS_HPP
#define TPUPLAN_CLI_COMMANDS_HPP

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/io/json.hpp>

namespace cli {

using ordered_json = nlohmann::ordered_json;

/// What every command shares: the options before the command, and the exit status after it.
struct session {
  bool json = false;
  std::string data_dir;
  int status = 0;
};

void add_chip_commands(CLI::App& app, session& with);    // chips, slices
void add_matrix_commands(CLI::App& app, session& with);  // batch, pad
void add_model_commands(CLI::App& app, session& with);   // model, fit, train
void add_spot_command(CLI::App& app, session& with);
void add_pay_command(CLI::App& app, session& with);
void add_serve_command(CLI::App& app, session& with);
void add_plan_command(CLI::App& app, session& with);
void add_launch_command(CLI::App& app, session& with);
void add_validate_command(CLI::App& app, session& with);

/// One document on standard output.
void print_json(const ordered_json& document);

}  // namespace cli

#endif
