// tpuplan model
#include <algorithm>
#include <memory>
#include <string>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/model/sums.hpp>
#include <tpuplan/read/diffusers.hpp>
#include <tpuplan/read/hf_network.hpp>
#include <tpuplan/show/views/figures.hpp>
#include <utility>
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

/// What a reader sees of a part of a pipeline, and its place in JSON.
struct component {
  std::string_view part;
  std::string_view model;
  std::int64_t parameters;
};

std::vector<component> components_of(const diffusion_pipeline& p) {
  std::vector<component> all;
  const auto add = [&](std::string_view part, const blocks::model& one) {
    if (is_present(one)) all.push_back({part, one.name.view(), parameters(one).total});
  };
  for (const text_encoder& each : p.encoders) add(each.part.view(), each.model);
  add("image_encoder", p.image_encoder);
  for (const denoiser& each : p.denoisers) add(each.part.view(), each.model);
  if (is_present(p.decoder))
    all.push_back({"vae", p.decoder.name.view(), parameters(p.decoder).total + parameters(p.encoder).total});
  return all;
}

view_part components_part(const std::vector<component>& all, std::int64_t total) {
  view_part part = readable::table_of("part | model | >parameters | >share");
  const auto row = [&](std::string_view name, std::string_view model, std::int64_t n) {
    part.rows.push_back({readable::cell(name), readable::cell(model), readable::count_cell(n, true),
                         readable::share_cell(static_cast<double>(n) / static_cast<double>(total))});
  };
  for (const component& each : all) row(each.part, each.model, each.parameters);
  row("total", "", total);
  return part;
}

/// The size at which work is counted: what is usual for the class.
std::string words_of(const picture_size& size, std::int64_t text_tokens) {
  std::string words = fmt::format("{} x {}", size.width, size.height);
  if (size.frames > 1) words += fmt::format(", {} frames", size.frames);
  if (text_tokens > 0) words += fmt::format(", {} tokens", text_tokens);
  return words;
}

/// The work of each part at the size that is usual for the class.
struct usual_work {
  std::vector<std::pair<std::string, double>> forward;  // one denoiser after the other
  double decoder = 0;
};

usual_work usual_work_of(const diffusion_pipeline& p) {
  usual_work work;
  if (p.usual.width == 0) return work;
  for (std::size_t i = 0; i < p.denoisers.size; ++i) {
    const blocks::model one = denoiser_for(p, i, p.usual, std::max<std::int64_t>(p.text_tokens, 1));
    work.forward.emplace_back(p.denoisers.items[i].part.view(), forward_flops_per_example(one).value());
  }
  if (is_present(p.decoder)) work.decoder = forward_flops_per_example(decoder_for(p, p.usual)).value();
  return work;
}

view_part work_part(const diffusion_pipeline& p, const usual_work& work) {
  view_part part = readable::table_of("figure | >value");
  const auto row = [&](const std::string& label, double flops) {
    part.rows.push_back({readable::cell(label), readable::cell(readable::four_digits(flops), flops)});
  };
  part.rows.push_back({readable::cell("usual size"), readable::cell(words_of(p.usual, p.text_tokens))});
  for (const auto& [name, flops] : work.forward) row("FLOPs of a forward pass, " + name, flops);
  if (work.decoder > 0) row("FLOPs of decoding, vae", work.decoder);
  return part;
}

/// A model of images or clips: its parameters, and its work at the size that is usual for it.
void diffusion_model(const nlohmann::json& document, const std::string& path, const session& with) {
  for (const char* each : {"--seq", "--kv-dtype", "--image-size"})
    if (with.is_given(each)) refuse(each, "given without effect", "a model that takes tokens or images of one size");
  std::vector<assumption> assumed;
  const diffusion_pipeline p = read_pipeline(document, assumed, path);
  const std::int64_t total = total_parameters(p);
  const std::vector<component> parts = components_of(p);
  const bool alone = parts.size() == 1 && p.denoisers.size == 1;
  const usual_work work = usual_work_of(p);
  view shown;
  shown.title = fmt::format("{}: {} parameters", p.name.view(), cli::count(static_cast<double>(total)));
  shown.summary = shown.title;
  if (!alone) shown.parts.push_back(components_part(parts, total));
  if (alone) shown.parts.push_back(readable::parameters_part(parameters(p.denoisers.items[0].model)));
  if (!work.forward.empty()) shown.parts.push_back(work_part(p, work));
  readable::add_assumed(shown, assumed, view_options_of());
  answer(with, shown, [&]() -> ordered_json {
    ordered_json said{{"name", p.name.view()}, {"architecture", "diffusion"}, {"parameters", total}};
    if (alone) {
      ordered_json breakdown = parameters(p.denoisers.items[0].model);
      breakdown.erase("matrices");  // those that a token multiplies: there are none
      said["active_parameters"] = total, said["breakdown"] = breakdown;
    } else {
      for (const component& each : parts)
        said["components"][std::string(each.part)] = {{"model", each.model}, {"parameters", each.parameters}};
    }
    if (!work.forward.empty()) {
      said["usual_size"] = {{"width", p.usual.width},
                            {"height", p.usual.height},
                            {"frames", p.usual.frames},
                            {"text_tokens", p.text_tokens}};
      for (const auto& [name, flops] : work.forward) said["forward_flops"][name] = flops;
      if (work.decoder > 0) said["decoder_flops"] = work.decoder;
    }
    said["assumed"] = assumed;
    return said;
  });
}

void run_model(const model_options& given, const session& with) {
  if (given.types) return print_types(with);
  if (given.config.empty()) refuse_missing("config", "a Hugging Face config.json; --types lists what is read");
  const std::string from = given.config == "-" ? "/dev/stdin" : given.config;
  const nlohmann::json document = load_pipeline_document(from);
  if (is_pipeline(document)) return diffusion_model(document, from, with);
  const any_model model = any_of_document(document, from, given.image_size);
  const model_config& config = model.config;
  if (model.net && config.model_type.empty()) return network_model(*model.net, with);
  const bool is_pair = config.model.kind == architecture::encoder_decoder;
  if (with.is_given("--seq") && !has_flops_per_token(config.model) && !is_pair)
    refuse("--seq", "given without effect", "a model that takes tokens");
  if (with.is_given("--kv-dtype") && config.model.kind != architecture::decoder && !is_pair)
    refuse("--kv-dtype", "given without effect", "a decoder, which has a KV cache");
  const model_request asked = read_request<model_request>(given.request);
  const model_answer said = answer_to(config, asked.sequence_length, asked.kv_dtype);
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
  add_config_option(added, options->config);
  added.flag("--types", options->types, "the model types that are read")
      .excludes({"config", "--seq", "--kv-dtype", "--image-size"});
  added.ask(count_rows, options->request);
  added.add("--image-size", options->image_size, {1, 65536}, "side of the images in pixels");
  add_table_options(added);
  added.run = [options, &with] { run_model(*options, with); };
}

}  // namespace cli
