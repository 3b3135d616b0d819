#ifndef TPUPLAN_CLI_CONFIG_HPP
#define TPUPLAN_CLI_CONFIG_HPP

#include <string>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <vector>

#include "cli/print.hpp"

// The model that a question is about, and what was assumed of it and of the question.
#include "cli/option.hpp"

namespace cli {

void add_config_option(command& to, std::string& path, bool required = true);

/// A config.json of Hugging Face, or a `transformer` as json.hpp writes it with its schema; "-" is standard input.
tpuplan::model_config load_model(const std::string& path);
/// The same of a document that was read from a file of that name.
tpuplan::model_config model_of(const nlohmann::json& document, const std::string& path);

using tpuplan::assumed_values;

/// A note that says which slice is used if a machine type was given and names another one; else nothing.
assumed_values machine_taken(const std::string& given, const tpuplan::slice& where);

/// Refuses arithmetic of --dtype that the chip has no rate for.
void check_arithmetic(const tpuplan::chip_spec& chip, tpuplan::dtype given);
/// "bf16, fp8": the formats that the chip multiplies.
std::string arithmetic_of(const tpuplan::chip_spec& chip);

/// What was assumed of the question, then of the model.
void print_assumed(const std::vector<tpuplan::assumption>& list);

}  // namespace cli

#endif
