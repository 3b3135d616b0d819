#ifndef TPUPLAN_CLI_CONFIG_HPP
#define TPUPLAN_CLI_CONFIG_HPP

#include <string>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/model/training_job.hpp>
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

/// The slice of --slice; refuses one above the largest that is scheduled.
tpuplan::slice scheduled_slice(const std::string& given);
/// What a slice that is asked for by a machine type is taken for, where that is another one; else nothing.
assumed_values machine_taken(const std::string& given, const tpuplan::slice& where);

/// Refuses arithmetic of --dtype that the chip has no rate for.
void check_arithmetic(const tpuplan::chip_spec& chip, tpuplan::dtype given);
/// "bf16, fp8": the formats that the chip multiplies.
std::string arithmetic_of(const tpuplan::chip_spec& chip);

/// The weights as the checkpoint has them, unless their format was given; fp32 is served and frozen in bf16.
void use_stored_format(tpuplan::model_config& config, bool weights_given, tpuplan::serving_job& job);
/// The same of a frozen base under adapters.
void use_stored_format(const tpuplan::model_config& config, tpuplan::training_job& job);

ordered_json json_of_assumed(const tpuplan::model_config& config, const assumed_values& assumed);
void print_assumed(const tpuplan::model_config& config, const assumed_values& assumed);

}  // namespace cli

#endif
