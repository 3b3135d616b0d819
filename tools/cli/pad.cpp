// tpuplan pad
#include <memory>
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

struct pad_options {
  std::string chip, network;
  std::vector<std::string> dims;
  dtype format = dtype::bf16;
};

std::int64_t dimension_of(const std::string& given) {
  std::int64_t size = 0;
  read("DIM", given, {1, 1e15}, size);
  return size;
}

void run_pad(const pad_options& asked, const session& with) {
  const chip_spec chip = chip_for(asked.chip);
  if (!asked.network.empty()) {
    const any_model model = load_any(asked.network, {});
    if (!model.net) refuse("--network", asked.network, "a network of layers, or a vision transformer");
    return network_pad(*model.net, chip, with);
  }
  if (asked.dims.empty()) refuse_missing("DIM", "one or more dimensions, or --network FILE");
  pad_request request{asked.chip, {}, asked.format};
  for (const std::string& given : asked.dims) request.dimensions.push_back(dimension_of(given));
  const pad_answer said = answer_to(request);
  answer(with, view_of(said), [&]() -> ordered_json { return said; });
}

}  // namespace

void add_pad_command(session& with) {
  command& added = with.commands.emplace_back("pad", "dimensions padded to the MXU, and what that wastes");
  const auto options = std::make_shared<pad_options>();
  added.argument("chip", options->chip, "v5e, v5p, v6e …").required();
  added.arguments("dims", options->dims, "one or more dimensions; two are a matrix");
  added.add("--network", options->network, "a file: each of its layers, and from which batch on arithmetic limits it")
      .excludes({"dims", "--dtype"});
  added.add("--dtype", options->format, "of the matrix in memory");
  add_table_options(added);
  added.run = [options, &with] { run_pad(*options, with); };
}

}  // namespace cli
