// The command-line program: which TPU slice should run a model, does it fit, how long does it take, what does it cost?
// Tables for people, with --json one document for programs. Exit status 0, 1 where the question has no feasible answer,
// 2 for bad input, 3 where the answer cannot be written.
#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <tpuplan/base/error.hpp>

#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "cli/report.hpp"

#ifndef TPUPLAN_DATA_DIR
#define TPUPLAN_DATA_DIR "data"
#endif

namespace {

/// A file that the program opens must not take the place of a closed standard stream: what is written to it then fails.
void keep_places_of_closed_streams() {
#if defined(F_GETFD)  // POSIX
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) (void)open("/", O_RDONLY | O_DIRECTORY);
  }
#endif
}

/// The data of an installed program stand beside it, in ../share/tpuplan; those of one that was built, in its sources.
std::string default_data_dir() {
  std::error_code none;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::filesystem::path installed = program.parent_path().parent_path() / "share" / "tpuplan" / "data";
  return std::filesystem::exists(installed, none) ? installed.string() : TPUPLAN_DATA_DIR;
}

int status_of(const tpuplan::error& refusal) { return refusal.code() == tpuplan::errc::infeasible ? 1 : 2; }

void add_commands(cli::session& with) {
  cli::add_chips_command(with);
  cli::add_slices_command(with);
  cli::add_batch_command(with);
  cli::add_pad_command(with);
  cli::add_model_command(with);
  cli::add_fit_command(with);
  cli::add_train_command(with);
  cli::add_spot_command(with);
  cli::add_pay_command(with);
  cli::add_risk_command(with);
  cli::add_generate_command(with);
  cli::add_serve_command(with);
  cli::add_plan_command(with);
  cli::add_sweep_command(with);
  cli::add_simulate_command(with);
  cli::add_launch_command(with);
  cli::add_calibrate_command(with);
  cli::add_validate_command(with);
  cli::add_doctor_command(with);
  cli::add_ask_command(with);
  cli::add_completion_command(with);
}

}  // namespace

int main(int argument_count, char** arguments) {
  keep_places_of_closed_streams();
  cli::session with;
  with.data_dir = default_data_dir();
  try {
    add_commands(with);
    cli::keep_command_line(argument_count, arguments);
    cli::parse_and_run(with, argument_count, arguments);
  } catch (const tpuplan::error& refusal) {
    cli::write_error(refusal.what());
    return status_of(refusal);
  } catch (const std::exception& problem) {
    cli::write_error(problem.what());
    return 2;
  }
  if (cli::flush_answer()) return with.status;
  cli::write_error("tpuplan: the answer cannot be written to standard output");
  return 3;
}
