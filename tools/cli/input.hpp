#ifndef TPUPLAN_CLI_INPUT_HPP
#define TPUPLAN_CLI_INPUT_HPP

#include <optional>
#include <string>
#include <tpuplan/estimate/training/network.hpp>

#include "cli/commands.hpp"
#include "cli/config.hpp"

// What an example costs the hosts, and whether chips wait for it.
namespace cli {

/// The host's work for each example; that of a JPEG for large images unless given.
struct input_options {
  std::optional<tpuplan::seconds> decode;
  std::optional<double> bytes, cached;
};

/// --decode-time, --example-bytes and --cached.
void add_input_options(command& to, input_options& into);
/// Refuses these options for a language model.
void refuse_input(const session& with);

/// What an example of the network costs a host. Refuses a cached share of what is not known.
tpuplan::example_cost example_of(const tpuplan::network& net, const input_options& given);

}  // namespace cli

#endif
