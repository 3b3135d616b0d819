// What the reader of config.json says of a type that was added as docs/change.md says.
#include <nlohmann/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>

#include "check.hpp"

using namespace tpuplan;

int main(int, char** arguments) {
  const auto count = [](const nlohmann::json& config) { return parameters(read_hf_config(config).model).total; };
  nlohmann::json llama = {{"model_type", "llama"}, {"vocab_size", 1000}};
  check(count({{"model_type", "made_up"}}) == count(llama), "a type like Llama counts as Llama does");
  int seen = 0;
  const nlohmann::json document = load_json(arguments[1]);
  for (const nlohmann::json& each : document.at("checkpoints")) {
    if (each.at("config").value("model_type", "") != "made_up") continue;
    ++seen;
    check(count(each.at("config")) == each.at("parameters"), "its checkpoint is exact");
  }
  check(seen == 1, "the checkpoint is in the data");
  return failures == 0 ? 0 : 1;
}
