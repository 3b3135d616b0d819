#ifndef TPUPLAN_CLI_ADVICE_HPP
#define TPUPLAN_CLI_ADVICE_HPP

#include <tpuplan/estimate/training/advice.hpp>

#include "cli/print.hpp"

namespace cli {

/// An array of {kind, subject, now, better, step_time_s, step_time_then_s, work, gain}.
ordered_json json_of(const tpuplan::findings& advice);
/// The five findings that gain most, a sentence each; nothing where there is none.
void print_advice(const tpuplan::findings& advice);

}  // namespace cli

#endif
