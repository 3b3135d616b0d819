#ifndef TPUPLAN_CLI_CONFIG_HPP
#define TPUPLAN_CLI_CONFIG_HPP

#include <string>
#include <tpuplan/io/hf_config.hpp>
#include <utility>
#include <vector>

#include "cli/print.hpp"

// The model that a question is about, and what was assumed of it and of the question.
#include "cli/option.hpp"

namespace cli {

void add_config_option(command& to, std::string& path, bool required = true);

/// A config.json of Hugging Face, or a `transformer` as io/json.hpp writes it with its schema; "-" is standard input.
tpuplan::model_config load_model(const std::string& path);
/// The same of a document that was read from a file of that name.
tpuplan::model_config model_of(const nlohmann::json& document, const std::string& path);

/// Something that was not given, and what was taken for it.
using assumed_values = std::vector<std::pair<std::string, std::string>>;

ordered_json json_of_assumed(const tpuplan::model_config& config, const assumed_values& assumed);
void print_assumed(const tpuplan::model_config& config, const assumed_values& assumed);

}  // namespace cli

#endif
