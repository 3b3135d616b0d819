#ifndef TPUPLAN_CLI_COMMANDS_HPP
#define TPUPLAN_CLI_COMMANDS_HPP

#include <CLI/CLI.hpp>
#include <string>

// The commands, each in the file that has its name.
namespace cli {

/// What every command shares: the options before the command, and the exit status after it.
struct session {
  bool json = false;
  std::string data_dir;
  int status = 0;
};

void add_chips_command(CLI::App& app, session& with);
void add_slices_command(CLI::App& app, session& with);
void add_batch_command(CLI::App& app, session& with);
void add_pad_command(CLI::App& app, session& with);
void add_model_command(CLI::App& app, session& with);
void add_fit_command(CLI::App& app, session& with);
void add_train_command(CLI::App& app, session& with);
void add_spot_command(CLI::App& app, session& with);
void add_pay_command(CLI::App& app, session& with);
void add_serve_command(CLI::App& app, session& with);
void add_plan_command(CLI::App& app, session& with);
void add_launch_command(CLI::App& app, session& with);
void add_validate_command(CLI::App& app, session& with);

}  // namespace cli

#endif
