#ifndef TPUPLAN_CLI_COMMANDS_HPP
#define TPUPLAN_CLI_COMMANDS_HPP

#include <list>
#include <string>
#include <string_view>
#include <tpuplan/read/hf/fields.hpp>
#include <utility>
#include <vector>

#include "cli/option.hpp"

// The commands, each in the file that has its name.
namespace cli {

/// State that all commands share: the options of the program itself, and the exit status.
struct session {
  std::string data_dir;
  int status = 0;
  bool json = false;
  bool own_data = false;                    // --data-dir is given
  std::list<command> commands;              // all there are
  const command* asked = nullptr;           // the one that was asked
  std::vector<tpuplan::assumption> places;  // said of where it looks, beside what is assumed of the question
  [[nodiscard]] bool is_given(std::string_view option) const noexcept { return asked->is_given(option); }
};

/// Each function adds one command to the session.
void add_chips_command(session& with);
void add_doctor_command(session& with);
void add_slices_command(session& with);
void add_batch_command(session& with);
void add_pad_command(session& with);
void add_model_command(session& with);
void add_fit_command(session& with);
void add_train_command(session& with);
void add_spot_command(session& with);
void add_pay_command(session& with);
void add_risk_command(session& with);
void add_generate_command(session& with);
void add_serve_command(session& with);
void add_plan_command(session& with);
void add_sweep_command(session& with);
void add_simulate_command(session& with);
void add_launch_command(session& with);
void add_calibrate_command(session& with);
void add_validate_command(session& with);
void add_ask_command(session& with);
void add_completion_command(session& with);

/// An option of a follow-up command, and the value that it has there; empty: it is a flag.
using follow_up_option = std::pair<std::string, std::string>;

/// The command line that asks another command about the same question: its own options as given here, and of the
/// options that this command was given those that the other one has too. All quoted for a shell.
std::string follow_up(const session& with, std::string_view other, const std::vector<follow_up_option>& own,
                      const std::vector<std::string_view>& dropped = {});

}  // namespace cli

#endif
