#include "cli/calibration.hpp"

#include "cli/config.hpp"

namespace cli {

using namespace tpuplan;

option& add_calibration_option(command& to, std::string& path) {
  return to.ask_file(own_run_rows, "--calibration", path);
}

nlohmann::json load_runs(const std::string& path) {
  nlohmann::json document = load_json(path == "-" ? "/dev/stdin" : path);
  if (!document.is_object() || !document.contains("records") || !document["records"].is_array()) return document;
  for (nlohmann::json& record : document["records"]) {
    if (!record.is_object() || !record.contains("config") || !record["config"].is_string()) continue;
    const std::string file = record["config"];
    nlohmann::json& config = record["config"] = load_hf_document(file);
    if (config.is_object() && (!config.contains("_name_or_path") || config["_name_or_path"] == ""))
      config["_name_or_path"] = file;
  }
  return document;
}

own_constants load_calibration(const std::string& path, calibrated_part part, const own_constants& usual) {
  if (path.empty()) return usual;
  const measured_runs read = read_runs(load_runs(path), path);
  const own_constants known = constants_knowing(read, usual);
  if (!knows(known, part)) refuse("--calibration", path, "a file with " + needed_runs(known, part));
  return known;
}

}  // namespace cli
