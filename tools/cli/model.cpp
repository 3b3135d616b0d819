// tpuplan model
#include <algorithm>
#include <memory>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/read/hf_network.hpp>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/job.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
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

/// The fields of a file that nothing depends on, in one line: names of any length and of any characters may come.
void print_not_read(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  if (names.empty()) return;
  std::string line;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) {
    std::string name = names[i].size() > 48 ? names[i].substr(0, 45) + "..." : names[i];
    name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }),
               name.end());
    line += (i == 0 ? "" : ", ") + name;
  }
  if (names.size() > most) line += " and " + std::to_string(names.size() - most) + " more";
  print("\n{} {}\n", dim("without effect"), line);
}

void print_parameters(const parameter_count& n) {
  table t("part | >parameters | >share");
  const auto row = [&](const char* label, std::int64_t part) {
    if (part != 0)
      t.add({label, count_cell(part), share_cell(static_cast<double>(part) / static_cast<double>(n.total))});
  };
  row("embedding", n.embedding);
  row("attention", n.attention);
  row("recurrent layers", n.recurrent);
  row("MLP", n.mlp);
  row("experts", n.experts);
  row("router", n.router);
  row("norms", n.norms);
  row("further tokens", n.prediction);
  row("other", n.other);
  row("output head", n.lm_head);
  row("vision tower", n.vision);
  row("projector", n.projector);
  row("pooler or classifier", n.head);
  row("total", n.total);
  if (n.active != n.total) row("active per token", n.active);
  t.print();
}

void print_model(const model_config& config, const std::string& path, std::int64_t sequence, dtype cache) {
  const transformer& m = config.model;
  const parameter_count n = parameters(m);
  print_title("{}: {} parameters", m.name.view(), count(static_cast<double>(n.total)));
  print_parameters(n);
  print("\n");
  std::vector<std::pair<std::string, std::string>> facts;
  if (m.kind == architecture::decoder) {
    facts.emplace_back("KV cache per token",
                       fmt::format("{} ({})", binary_bytes(kv_bytes_per_token(m, cache)), name(cache)));
  }
  if (has_recurrence(m)) facts.emplace_back("state per sequence", binary_bytes(state_bytes_per_sequence(m)));
  if (has_flops_per_token(m)) {
    facts.emplace_back(fmt::format("FLOPs per token, forward, {} tokens", sequence),
                       fmt::format("{:.4g}", forward_flops_per_token(m, sequence).total.value()));
    facts.emplace_back("FLOPs per token, training",
                       fmt::format("{:.4g}", training_flops_per_token(m, sequence).value()));
  }
  if (m.kind == architecture::encoder_decoder) {
    const pair_flops work = forward_flops_per_pair(m, source_length(m, sequence), sequence);
    facts.emplace_back(fmt::format("FLOPs of {} source tokens, forward", source_length(m, sequence)),
                       fmt::format("{:.4g} in the encoder", work.encoder.value()));
    facts.emplace_back(fmt::format("FLOPs of {} target tokens, forward", sequence),
                       fmt::format("{:.4g} in the decoder", work.decoder.value()));
    facts.emplace_back("cache per source or target token",
                       fmt::format("{} ({})", binary_bytes(kv_bytes_per_pair(m, 1, 1, cache).self), name(cache)));
  }
  if (has_vision(m)) {
    facts.emplace_back("tokens per image", fmt::format("{}", image_tokens(m.vision)));
    facts.emplace_back("FLOPs per image, forward", fmt::format("{:.4g}", vision_flops_per_image(m.vision).value()));
  }
  print_pairs(facts);
  print_assumed(config.assumed);
  print_not_read(config.not_read);
  if (has_flops_per_token(m)) print_next("tpuplan plan {} --tokens 1T   where to train it", shell_quoted(path));
  if (!has_text(m))
    print_next("tpuplan plan {} --examples 1281167 --epochs 90   where to train it", shell_quoted(path));
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

void run_model(const model_options& given, const session& with) {
  if (given.types) return print_types(with);
  if (given.config.empty()) refuse_missing("config", "a Hugging Face config.json; --types lists what is read");
  const any_model model = load_any(given.config, given.image_size);
  const model_config& config = model.config;
  if (model.net && config.model_type.empty()) return network_model(*model.net, with);
  const bool is_pair = config.model.kind == architecture::encoder_decoder;
  if (with.is_given("--seq") && !has_flops_per_token(config.model) && !is_pair)
    refuse("--seq", "given without effect", "a model that takes tokens");
  if (with.is_given("--kv-dtype") && config.model.kind != architecture::decoder && !is_pair)
    refuse("--kv-dtype", "given without effect", "a decoder, which has a KV cache");
  const std::int64_t length = given.sequence > 0 ? given.sequence : usual_sequence(config.model);
  if (with.json) return print_json(answer_to(config, length, given.cache));
  print_model(config, given.config, length, given.cache);
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
