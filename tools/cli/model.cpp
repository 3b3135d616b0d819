// tpuplan model
#include <algorithm>
#include <memory>
#include <string>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/read/hf_network.hpp>
#include <tpuplan/show/views/figures.hpp>
#include <tpuplan/show/views/model_generation.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/job.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/report.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct model_options {
  std::string config;
  bool types = false;
  std::optional<std::int64_t> image_size;
  nlohmann::json request = nlohmann::json::object();
};

bool has_flops_per_token(const transformer& model) {
  return model.kind == architecture::decoder || model.kind == architecture::encoder;
}

/// The model types that are read.
void print_types(const session& with) {
  std::vector<std::string_view> types = known_model_types();
  for (const std::string_view type : known_network_types()) types.push_back(type);
  for (const std::string_view type : known_diffusers_classes()) types.push_back(type);
  view shown;
  shown.title = fmt::format("{} model types of config.json are read", types.size());
  shown.sentences.assign(types.begin(), types.end());
  shown.next = {{"model", "tpuplan model config.json", "its parameters; data/models has examples"}};
  answer(with, shown, [&]() -> ordered_json { return {{"model_types", types}}; });
}

void run_model(const model_options& given, const session& with) {
  if (given.types) return print_types(with);
  if (given.config.empty()) refuse_missing("config", "a Hugging Face config.json; --types lists what is read");
  const std::string from = given.config == "-" ? "/dev/stdin" : given.config;
  const nlohmann::json document = load_pipeline_document(from);
  if (is_pipeline(document)) {
    for (const char* each : {"--seq", "--kv-dtype", "--image-size"})
      if (with.is_given(each)) refuse(each, "given without effect", "a model that takes tokens or images of one size");
    std::vector<assumption> assumed;
    const diffusion_pipeline pipeline = read_pipeline(document, assumed, from);
    const model_generation_answer said = answer_to_model_generation(pipeline, assumed);
    return answer(with, view_of(said, view_options_of()), [&]() -> ordered_json { return said; });
  }
  const any_model model = any_of_document(document, from, given.image_size);
  const model_config& config = model.config;
  if (model.net && config.model_type.empty()) return network_model(*model.net, config.assumed, with);
  const bool is_pair = config.model.kind == architecture::encoder_decoder;
  if (with.is_given("--seq") && !has_flops_per_token(config.model) && !is_pair)
    refuse("--seq", "given without effect", "a model that takes tokens");
  if (with.is_given("--kv-dtype") && config.model.kind != architecture::decoder && !is_pair)
    refuse("--kv-dtype", "given without effect", "a decoder, which has a KV cache");
  const model_request asked = read_request<model_request>(given.request);
  const model_answer said = answer_to(config, asked.sequence_length, asked.kv_dtype);
  view shown = view_of(said, view_options_of());
  std::string path = shell_quoted(given.config);
  const bool is_pictured = !has_text(config.model) || has_two_towers(config.model);  // without --images
  if (given.image_size && is_pictured) path += fmt::format(" --image-size {}", *given.image_size);
  const std::string length = with.is_given("--seq") ? fmt::format(" --seq {}", asked.sequence_length) : std::string();
  if (has_flops_per_token(config.model) && !has_two_towers(config.model))
    shown.next = {{"plan", "tpuplan plan " + path + length + " --tokens 1T", "where to train it"}};
  if (!has_text(config.model))
    shown.next = {{"plan", "tpuplan plan " + path + " --examples 1281167 --epochs 90", "where to train it"}};
  answer(with, shown, [&]() -> ordered_json { return said; });
}

}  // namespace

void add_model_command(session& with) {
  command& added = with.commands.emplace_back("model", "parameters, FLOPs and KV bytes per token of a config.json");
  const auto options = std::make_shared<model_options>();
  add_config_option(added, options->config);
  added.flag("--types", options->types, "the model types that are read")
      .excludes({"config", "--seq", "--kv-dtype", "--image-size"});
  added.ask(count_rows, options->request);
  added.add("--image-size", options->image_size, {1, 65536}, "side of the images in pixels");
  add_table_options(added);
  added.run = [options, &with] { run_model(*options, with); };
}

}  // namespace cli
