#ifndef TPUPLAN_CLI_VALIDATE_HPP
#define TPUPLAN_CLI_VALIDATE_HPP

#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"

// The parts of the command validate.
namespace cli {

/// A share with its sign. Worked: "+21.3 %".
tpuplan::view_cell signed_cell(double share);
/// Whether a file has records of images and clips, with the files of their pipelines.
bool is_generation_records(const nlohmann::json& document);
/// Its predictions beside what was published, each source left out of its own.
void validate_generations(const nlohmann::json& document, const std::string& path, bool by_family, const session& with);

}  // namespace cli

#endif
