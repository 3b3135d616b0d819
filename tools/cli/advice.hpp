#ifndef TPUPLAN_CLI_ADVICE_HPP
#define TPUPLAN_CLI_ADVICE_HPP

#include <tpuplan/estimate/training/advice.hpp>

#include "cli/print.hpp"

namespace cli {

/// The five findings that gain most, a sentence each; nothing where there is none.
void print_advice(const tpuplan::findings& advice);

}  // namespace cli

#endif
