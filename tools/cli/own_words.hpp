#ifndef TPUPLAN_CLI_OWN_WORDS_HPP
#define TPUPLAN_CLI_OWN_WORDS_HPP

#include <tpuplan/error.hpp>

#include "cli/option.hpp"

namespace cli {

/// A refusal of the library in the words of the command line: the option that was typed and its value in place of the
/// field that it filled. Worked: "training_job.global_batch is 17" is "--batch is 17".
tpuplan::error in_own_words(const command& asked, const tpuplan::error& refusal);

}  // namespace cli

#endif
