#include "cli/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tpuplan/ask/any_model.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/show/views/common.hpp>

namespace cli {

using namespace tpuplan;

option& add_config_option(command& to, std::string& path) {
  return to.argument("config", path, std::string(model_rows[0].help));
}

model_config load_model(const std::string& given, const std::optional<std::int64_t>& image_size) {
  const std::string path = given == "-" ? "/dev/stdin" : given;
  const nlohmann::json document = load_hf_document(path);
  model_config read = image_size ? read_any_model(document, path, image_size, "--image-size").config
                                 : tpuplan::model_of(document, path);
  compare_with_index(path, read);
  return read;
}

assumed_values machine_taken(const std::string& given, const slice& where) {
  const std::string asked = given.substr(0, given.find_first_of(":, "));
  const maybe<machine_type> taken = machine_type_of(where);
  const std::string prefix = "tpu7x-ultranet";
  if (!taken || asked.size() < prefix.size() || !same_name(asked.substr(0, prefix.size()), prefix)) return {};
  return {{"machine type", fmt::format("{}: its chips are those of {}, and no source states what its network adds",
                                       asked, taken->name.view())}};
}

}  // namespace cli
