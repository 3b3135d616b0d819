#ifndef TPUPLAN_TOOLS_CLI_LAUNCH_LINE_HPP
#define TPUPLAN_TOOLS_CLI_LAUNCH_LINE_HPP

#include <string>
#include <tpuplan/plan/planner.hpp>

namespace cli {

/// What is to be started: its slices, how they are paid, and the options of its program.
struct to_start {
  tpuplan::slice where{};
  std::int64_t slices = 1;
  tpuplan::provisioning kind = tpuplan::provisioning::on_demand;
  tpuplan::seconds run{};     ///< 0: not known
  std::string program{};      ///< "--command COMMAND"
  bool in_image = false;      ///< the program needs a container on every target
  bool says_payment = false;  ///< the line says the way of paying: no document does
};

/// The command that starts it, after its beginning ("tpuplan launch -"), on a service that has the chip, with what the
/// user has for it in capitals; empty where no service starts it.
std::string launch_line(const std::string& start, const to_start& what);

/// The same of a plan of a language model: by MaxText where it builds the model, else by a command of one's own.
std::string launch_line(const tpuplan::plan& best, const tpuplan::plan_request& asked);

}  // namespace cli

#endif
