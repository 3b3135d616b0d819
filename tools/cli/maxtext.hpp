#ifndef TPUPLAN_CLI_MAXTEXT_HPP
#define TPUPLAN_CLI_MAXTEXT_HPP

#include <string>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/maxtext.hpp>
#include <tpuplan/show/view.hpp>
#include <vector>

#include "cli/option.hpp"
#include "cli/print.hpp"

// A training job as a MaxText configuration describes it.
namespace cli {

struct maxtext_options {
  std::string file;
  std::vector<std::string> settings;  // key=value, above the file
  bool has_run = false;               // its `steps` are the run that is asked about
  [[nodiscard]] bool is_given() const noexcept { return !file.empty(); }
};

/// The options --maxtext and --set. They exclude the options that a configuration decides: all that the command has so
/// far except the slice, the number of slices and the state of tuning.
void add_maxtext_options(command& to, maxtext_options& into);

/// The question of the configuration on slices of that kind (empty: as its compile_topology says), over that many; a
/// config.json, if one is given, stands in for its model.
tpuplan::maxtext_question ask_maxtext(const maxtext_options& given, const std::string& slice_name, std::int64_t slices,
                                      const std::string& config);
/// The model of a question, with what MaxText's configuration leaves open.
tpuplan::model_config model_of(const tpuplan::maxtext_question& asked);

/// @{
/// The keys of the configuration that no estimate depends on.
ordered_json json_of_unused(const tpuplan::maxtext_question& asked);
tpuplan::view_part unused_part(const tpuplan::maxtext_question& asked);
/// @}

}  // namespace cli

#endif
