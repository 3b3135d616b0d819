#include "cli/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tpuplan/io/json.hpp>
#include <tpuplan/io/json/file.hpp>

namespace cli {

using namespace tpuplan;

void add_config_option(command& to, std::string& path, bool required) {
  option& added =
      to.argument("config", path,
                  "a Hugging Face config.json or its folder, a transformer or a network of layers of your own "
                  "as JSON; - reads it");
  if (required) added.required();
}

model_config load_model(const std::string& given) {
  const std::string path = given == "-" ? "/dev/stdin" : given;
  return model_of(load_hf_document(path), path);
}

model_config model_of(const nlohmann::json& document, const std::string& path) {
  if (!document.is_object() || !document.contains("schema")) return read_hf_document(document, path);
  model_config own;
  own.model_type = "transformer";
  own.model = read_json_document<transformer>(document, {}, path);
  validate(own.model);
  return own;
}

namespace {

dtype usual_format(const model_config& config) {
  return config.stored.weights == dtype::fp32 ? dtype::bf16 : config.stored.weights;
}

}  // namespace

slice scheduled_slice(const std::string& given) {
  const slice where = slice_for(given);
  if (!schedulable(where)) {
    refuse("--slice", fmt::format("{} ({} chips)", given, grouped(chips(where))),
           fmt::format("at most {} chips, the largest slice of {} that is scheduled; several with --slices",
                       grouped(where.chip.pod.largest_slice), where.chip.name.view()),
           errc::out_of_range);
  }
  return where;
}

assumed_values machine_taken(const std::string& given, const slice& where) {
  const std::string asked = given.substr(0, given.find_first_of(":, "));
  const maybe<machine_type> taken = machine_type_of(where);
  const std::string prefix = "tpu7x-ultranet";
  if (!taken || asked.size() < prefix.size() || !same_name(asked.substr(0, prefix.size()), prefix)) return {};
  return {{"machine type", fmt::format("{}: its chips are those of {}, and no source states what its network adds",
                                       asked, taken->name.view())}};
}

std::string arithmetic_of(const chip_spec& chip) {
  std::string formats;
  for (const dtype one : {dtype::bf16, dtype::fp8, dtype::int8, dtype::int4}) {
    if (has_peak_rate(chip, one)) formats += (formats.empty() ? "" : ", ") + std::string(name(one));
  }
  return formats;
}

void check_arithmetic(const chip_spec& chip, dtype given) {
  if (!has_peak_rate(chip, given))
    refuse("--dtype", name(given), fmt::format("what {} multiplies: {}", chip.name.view(), arithmetic_of(chip)),
           errc::unknown_figure);
}

void use_stored_format(model_config& config, bool weights_given, serving_job& job) {
  if (!weights_given) {
    job.weights = usual_format(config);
    job.weights_by_part = config.stored.parts;
    return;
  }
  const auto is_overruled = [](const assumption& each) { return each.field == "quantization_config"; };
  config.assumed.erase(std::remove_if(config.assumed.begin(), config.assumed.end(), is_overruled),
                       config.assumed.end());
}

void use_stored_format(const model_config& config, training_job& job) {
  if (job.lora_rank == 0) return;
  job.frozen_weights = usual_format(config);
  job.frozen_by_part = config.stored.parts;
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
