// tpuplan model
#include <algorithm>
#include <memory>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/model/sums.hpp>
#include <tpuplan/read/diffusers.hpp>
#include <tpuplan/read/hf_network.hpp>
#include <tpuplan/show/views/figures.hpp>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/job.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct model_options {
  std::string config;
  bool types = false;
  std::optional<std::int64_t> image_size;
  std::int64_t sequence = 0;  // 0: the usual one
  dtype cache = dtype::bf16;
};

bool has_flops_per_token(const transformer& model) {
  return model.kind == architecture::decoder || model.kind == architecture::encoder;
}

/// The model types that are read.
void print_types(const session& with) {
  std::vector<std::string_view> types = known_model_types();
  for (const std::string_view type : known_network_types()) types.push_back(type);
  if (with.json) return print_json({{"model_types", types}});
  print_title("{} model types of config.json are read", types.size());
  for (const std::string_view type : types) print("  {}\n", type);
  print_next("tpuplan model config.json   its parameters; data/models has examples");
}

bool is_diffusion(const nlohmann::json& document) {
  const std::vector<std::string_view> known = known_diffusers_classes();
  const auto type = document.is_object() ? document.find("_class_name") : document.end();
  return type != document.end() && type->is_string() &&
         std::find(known.begin(), known.end(), type->get<std::string>()) != known.end();
}

/// A diffusion transformer: its parameters, which do not depend on the size of an image or a clip.
void diffusion_model(const nlohmann::json& document, const std::string& path, const session& with) {
  for (const char* each : {"--seq", "--kv-dtype", "--image-size"})
    if (with.is_given(each)) refuse(each, "given without effect", "a model that takes tokens or images of one size");
  std::vector<assumption> assumed;
  const blocks::model model = read_diffusers(document, {}, 1, assumed, path);
  const parameter_count n = parameters(model);
  view shown;
  shown.title = fmt::format("{}: {} parameters", model.name.view(), cli::count(static_cast<double>(n.total)));
  shown.summary = shown.title;
  shown.parts = {readable::parameters_part(n)};
  readable::add_assumed(shown, assumed, view_options_of());
  ordered_json breakdown = n;
  breakdown.erase("matrices");  // those that a token multiplies: there are none
  answer(with, shown, [&]() -> ordered_json {
    return {{"name", model.name.view()},
            {"architecture", "diffusion"},
            {"parameters", n.total},
            {"active_parameters", n.active},
            {"breakdown", breakdown},
            {"assumed", assumed}};
  });
}

void run_model(const model_options& given, const session& with) {
  if (given.types) return print_types(with);
  if (given.config.empty()) refuse_missing("config", "a Hugging Face config.json; --types lists what is read");
  const std::string from = given.config == "-" ? "/dev/stdin" : given.config;
  const nlohmann::json document = load_hf_document(from);
  if (is_diffusion(document)) return diffusion_model(document, from, with);
  const any_model model = any_of_document(document, from, given.image_size);
  const model_config& config = model.config;
  if (model.net && config.model_type.empty()) return network_model(*model.net, with);
  const bool is_pair = config.model.kind == architecture::encoder_decoder;
  if (with.is_given("--seq") && !has_flops_per_token(config.model) && !is_pair)
    refuse("--seq", "given without effect", "a model that takes tokens");
  if (with.is_given("--kv-dtype") && config.model.kind != architecture::decoder && !is_pair)
    refuse("--kv-dtype", "given without effect", "a decoder, which has a KV cache");
  const std::int64_t length = given.sequence > 0 ? given.sequence : usual_sequence(config.model);
  const model_answer said = answer_to(config, length, given.cache);
  view shown = view_of(said, view_options_of());
  const std::string path = shell_quoted(given.config);
  if (has_flops_per_token(config.model))
    shown.next = {{"plan", "tpuplan plan " + path + " --tokens 1T", "where to train it"}};
  if (!has_text(config.model))
    shown.next = {{"plan", "tpuplan plan " + path + " --examples 1281167 --epochs 90", "where to train it"}};
  answer(with, shown, [&]() -> ordered_json { return said; });
}

}  // namespace

void add_model_command(session& with) {
  command& added = with.commands.emplace_back("model", "parameters, FLOPs and KV bytes per token of a config.json");
  const auto options = std::make_shared<model_options>();
  add_config_option(added, options->config, false);
  added.flag("--types", options->types, "the model types that are read")
      .excludes({"config", "--seq", "--kv-dtype", "--image-size"});
  added.add("--seq", options->sequence, {1, 1e9}, "sequence length at which FLOPs are counted");
  added.add("--image-size", options->image_size, {1, 65536}, "side of the images in pixels");
  added.add("--kv-dtype", options->cache, "format of the KV cache");
  add_table_options(added);
  added.run = [options, &with] { run_model(*options, with); };
}

}  // namespace cli
