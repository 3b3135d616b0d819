#ifndef TPUPLAN_CLI_LIFETIMES_HPP
#define TPUPLAN_CLI_LIFETIMES_HPP

#include <string>
#include <tpuplan/ask/phases.hpp>

#include "cli/option.hpp"

namespace cli {

/// Adds --lifetimes, a file with how long one's own spot slices lasted.
option& add_lifetimes_option(command& to, std::string& file);

/// Puts what the file says into a request; nothing where none is given.
void take_lifetimes(const std::string& file, nlohmann::json& request);

}  // namespace cli

#endif
