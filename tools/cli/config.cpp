#include "cli/config.hpp"

#include <fmt/format.h>

#include <tpuplan/io/json.hpp>
#include <tpuplan/io/json/file.hpp>

namespace cli {

using namespace tpuplan;

void add_config_option(command& to, std::string& path, bool required) {
  option& added =
      to.argument("config", path,
                  "a Hugging Face config.json, a transformer or a network of layers of your own as JSON; - reads it");
  if (required) added.required();
}

model_config load_model(const std::string& given) {
  const std::string path = given == "-" ? "/dev/stdin" : given;
  return model_of(load_json(path), path);
}

model_config model_of(const nlohmann::json& document, const std::string& path) {
  if (!document.is_object() || !document.contains("schema")) return read_hf_file(document, path);
  model_config own;
  own.model_type = "transformer";
  own.model = read_json_document<transformer>(document, {}, path);
  validate(own.model);
  return own;
}

ordered_json json_of_assumed(const model_config& config, const assumed_values& assumed) {
  ordered_json list = ordered_json::array();
  for (const assumption& one : config.assumed) {
    list.push_back({{"field", one.field}, {"value", one.value}, {"why", one.why}});
  }
  for (const auto& [field, value] : assumed) {
    list.push_back({{"field", field}, {"value", value}, {"why", "not given on the command line"}});
  }
  return list;
}

void print_assumed(const model_config& config, const assumed_values& assumed) {
  if (config.assumed.empty() && assumed.empty()) return;
  print("\n{}\n", dim("assumed"));
  for (const auto& [field, value] : assumed) print("  {}: {}\n", field, value);
  for (const assumption& one : config.assumed) {
    print("  {} = {} {}\n", one.field, one.value, dim("(" + one.why + ")"));
  }
}

}  // namespace cli
