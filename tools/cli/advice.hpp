#ifndef TPUPLAN_CLI_ADVICE_HPP
#define TPUPLAN_CLI_ADVICE_HPP

#include <tpuplan/estimate/training/advice.hpp>

#include "cli/print.hpp"

namespace cli {

/// Prints the five findings that save most, one sentence each; prints nothing if there are none.
void print_advice(const tpuplan::findings& advice);

}  // namespace cli

#endif
