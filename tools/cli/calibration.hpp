#ifndef TPUPLAN_CLI_CALIBRATION_HPP
#define TPUPLAN_CLI_CALIBRATION_HPP

#include <string>
#include <tpuplan/ask/own_runs.hpp>

#include "cli/option.hpp"

// The runs of the user's own that an answer knows.
namespace cli {

/// --calibration FILE
option& add_calibration_option(command& to, std::string& path);

/// The document of a file of runs, or of standard input for "-". A `config` that is a path is read: the config.json of
/// a record's model.
nlohmann::json load_runs(const std::string& path);

/// The constants of a calibration file, or of none where no path is given. Refuses a file that says nothing to the
/// command.
tpuplan::own_constants load_calibration(const std::string& path, tpuplan::calibrated_part part,
                                        const tpuplan::own_constants& usual = {});

}  // namespace cli

#endif
