#ifndef TPUPLAN_CLI_CONFIG_HPP
#define TPUPLAN_CLI_CONFIG_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <vector>

#include "cli/print.hpp"

// The model that a question is about, and what was assumed of it and of the question.
#include "cli/option.hpp"

namespace cli {

/// The argument that names a model.
option& add_config_option(command& to, std::string& path);

/// A config.json of Hugging Face, or a `transformer` as json.hpp writes it with its schema; "-" is standard input. With
/// square images of another size where one is given.
tpuplan::model_config load_model(const std::string& path, const std::optional<std::int64_t>& image_size = {});

using tpuplan::assumed_values;

/// A note that says which slice is used if a machine type was given and names another one; else nothing.
assumed_values machine_taken(const std::string& given, const tpuplan::slice& where);

}  // namespace cli

#endif
