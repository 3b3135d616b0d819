#ifndef TPUPLAN_CLI_OWN_WORDS_HPP
#define TPUPLAN_CLI_OWN_WORDS_HPP

#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>

#include "cli/option.hpp"

namespace cli {

/// A refusal of the library in the words of the command line: the option that was typed and its value in place of the
/// field that it filled. Worked: "training_job.global_batch is 17" is "--batch is 17".
tpuplan::error in_own_words(const command& asked, const tpuplan::error& refusal);

/// A field set to one value in place of another, as it is typed: "--tensor 1 instead of 8"; of a flag "--kv-by-batch"
/// or "no --kv-by-batch". The field itself where the command has no option for it.
std::string change_in_own_words(const command& asked, std::string_view field, std::string_view value,
                                std::string_view before);

}  // namespace cli

#endif
