// The command-line program: which TPU slice should run a model, does it fit, how long does it take, what does it cost?
// Tables for people, with --json one document for programs. Exit status 0, 1 where the question has no feasible answer,
// 2 for bad input.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <tpuplan/error.hpp>
#include <tpuplan/version.hpp>

#include "cli/commands.hpp"
#include "cli/option.hpp"

#ifndef TPUPLAN_DATA_DIR
#define TPUPLAN_DATA_DIR "data"
#endif

namespace {

/// Refuses a first word after the options that is no command: CLI11 would only ask for one.
void check_command(const CLI::App& app, int argument_count, char** arguments) {
  int first = 1;
  while (first < argument_count && arguments[first][0] == '-')
    first += std::string_view(arguments[first]) == "--data" ? 2 : 1;
  if (first >= argument_count) return;
  std::string valid;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == arguments[first]) return;
    valid += (valid.empty() ? "" : ", ") + command->get_name();
  }
  cli::refuse("command", arguments[first], valid, tpuplan::errc::unknown_name);
}

}  // namespace

int main(int argument_count, char** arguments) {
  cli::session with;
  with.data_dir = TPUPLAN_DATA_DIR;
  CLI::App app{"Which TPU slice should run this model, will it fit, how long will it take, and what will it cost?",
               "tpuplan"};
  app.set_version_flag("--version", fmt::format("tpuplan {}.{}.{}", TPUPLAN_VERSION_MAJOR, TPUPLAN_VERSION_MINOR,
                                                TPUPLAN_VERSION_PATCH));
  app.add_flag("--json", with.json, "one JSON document instead of tables; SI units, the unit in the key");
  app.add_option("--data", with.data_dir, "folder with hardware.json, for sources")->capture_default_str();
  app.require_subcommand(1);
  app.fallthrough();
  cli::add_chips_command(app, with);
  cli::add_slices_command(app, with);
  cli::add_batch_command(app, with);
  cli::add_pad_command(app, with);
  cli::add_model_command(app, with);
  cli::add_fit_command(app, with);
  cli::add_train_command(app, with);
  cli::add_spot_command(app, with);
  cli::add_pay_command(app, with);
  cli::add_serve_command(app, with);
  cli::add_plan_command(app, with);
  cli::add_launch_command(app, with);
  cli::add_validate_command(app, with);
  try {
    check_command(app, argument_count, arguments);
    app.parse(argument_count, arguments);
    return with.status;
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  } catch (const tpuplan::error& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return problem.code() == tpuplan::errc::infeasible ? 1 : 2;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 2;
  }
}
