#ifndef TPUPLAN_CLI_INPUT_HPP
#define TPUPLAN_CLI_INPUT_HPP

#include "cli/commands.hpp"

// What an example costs the hosts, and whether chips wait for it.
namespace cli {

/// --decode-time, --example-bytes and --cached, put into a request of their own.
void add_input_options(command& to, nlohmann::json& request);
/// Refuses these options for a language model.
void refuse_input(const session& with);

}  // namespace cli

#endif
