// tpuplan batch
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tpuplan/ask/figures.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct batch_options {
  std::string chip, shape, network;
  dtype type = dtype::bf16;
  std::optional<dtype> weights;
};

product_shape parse_shape(const std::string& given) {
  if (std::count(given.begin(), given.end(), 'x') != 2)
    refuse("--shape", given, "BxDxF, such as 512x4096x16384", errc::malformed_input);
  std::vector<std::int64_t> sides;
  std::size_t from = 0;
  while (from <= given.size()) {
    const std::size_t to = std::min(given.find('x', from), given.size());
    read("--shape", given.substr(from, to - from), {1, 1e12}, sides.emplace_back());
    from = to + 1;
  }
  return {sides[0], sides[1], sides[2]};
}

/// The levels of memory that operands may come from, each with its ridge point.
table ridge_points(const batch_answer& answer) {
  const bool of_cores = chip_for(answer.chip).jax_devices > 1;  // each with its part of the HBM
  table shown("operands from | >bandwidth | >ridge FLOP/B | >critical batch | ~unit");
  for (const batch_level& level : answer.levels) {
    const std::string from(name(level.from));
    if (!level.bandwidth) {
      shown.add({from, "unknown"});
      continue;
    }
    const double rate = level.bandwidth->value(), ridge = level.ridge_point->value();
    shown.add({from, cell(fmt::format("{:g} GB/s", rate / 1e9), rate, "_bytes_per_s"),
               cell(fmt::format("{:.1f}", ridge), ridge), count_cell(*level.critical_batch_tokens),
               level.from == memory_level::ici   ? "tokens per chip and axis"
               : level.from == memory_level::dcn ? "tokens per slice"
               : of_cores                        ? "tokens on a core"
                                                 : "tokens"});
  }
  return shown;
}

/// One line that says what limits one matrix product.
std::string bound_line(const product_bound& b, const std::string& chip) {
  const std::optional<double>& exact = b.critical_batch_with_activations;
  return fmt::format("{} x {} x {} on {}: limited by {} ({} of arithmetic, {} of HBM traffic); compute-bound {}",
                     b.batch, b.inner, b.outer, chip, name(b.limited_by), duration(b.math), duration(b.memory),
                     exact ? fmt::format("from batch {:.2f}", *exact) : "at no batch");
}

void run_batch(const batch_options& given, const session& with) {
  if (!given.network.empty()) {
    const chip_spec chip = chip_for(given.chip);
    const any_model model = load_any(given.network, {});
    if (!model.net) refuse("--network", given.network, "a network of layers, or a vision transformer");
    return network_pad(*model.net, chip, with);
  }
  batch_request asked{given.chip, given.type, given.weights, {}};
  if (!given.shape.empty()) asked.shape = parse_shape(given.shape);
  const batch_answer answer = answer_to(asked);
  if (with.json) return print_json(answer);
  if (answer.shape) print("{}\n\n", bound_line(*answer.shape, answer.chip));
  print_title("{}: {} products, {} weights", answer.chip, name(answer.compute), name(answer.weights));
  ridge_points(answer).print();
  print("\n  recommended batch: {} tokens, twice the critical one\n  {}\n", grouped(answer.recommended_batch),
        dim(fmt::format("next: tpuplan batch {} --shape 512x4096x16384   one product's bound", answer.chip)));
}

}  // namespace

void add_batch_command(session& with) {
  command& added =
      with.commands.emplace_back("batch", "ridge point and critical batch of a chip; the bound of one product");
  const auto options = std::make_shared<batch_options>();
  added.argument("chip", options->chip, "v5e, v5p, v6e …").required();
  added.add("--dtype", options->type, "activations and arithmetic");
  added.add("--weights", options->weights, "weights, if they are in another format");
  added.add("--shape", options->shape, "BxDxF: the product [B,D] x [D,F]");
  added.add("--network", options->network, "a file: from which batch on each of its layers is limited by arithmetic")
      .excludes({"--dtype", "--weights", "--shape"});
  add_table_options(added);
  added.run = [options, &with] { run_batch(*options, with); };
}

}  // namespace cli
