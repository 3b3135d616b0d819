// tpuplan batch
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/show/views/figures.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "cli/report.hpp"
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

void run_batch(const batch_options& given, const session& with) {
  if (!given.network.empty()) {
    const chip_spec chip = chip_for(given.chip);
    const any_model model = load_any(given.network, {});
    if (!model.net) refuse("--network", given.network, "a network of layers, or a vision transformer");
    return network_pad(*model.net, chip, with);
  }
  batch_request asked{given.chip, given.type, given.weights, {}};
  if (!given.shape.empty()) asked.shape = parse_shape(given.shape);
  const batch_answer said = answer_to(asked);
  view shown = view_of(said, view_options_of());
  shown.next.front().command = fmt::format("tpuplan batch {} --shape 512x4096x16384", said.chip);
  answer(with, shown, [&]() -> ordered_json { return said; });
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
