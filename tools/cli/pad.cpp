// tpuplan pad
#include <memory>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
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
  const dtype format = asked.format;
  const tile unit = layout_tile(chip, format);
  ordered_json list = ordered_json::array();
  table t(">dimension | >to the MXU | >wasted | >as lanes | >as sublanes");
  std::vector<std::int64_t> sizes;
  for (const std::string& given : asked.dims) {
    const std::int64_t size = dimension_of(given);
    sizes.push_back(size);
    const std::int64_t padded = round_up(size, chip.mxu.side);
    const double waste = 1 - static_cast<double>(size) / static_cast<double>(padded);
    list.push_back({{"given", size}, {"padded", padded}, {"wasted", waste}});
    t.add({count_cell(size), count_cell(padded), share_cell(waste), count_cell(round_up(size, unit.lanes)),
           count_cell(round_up(size, unit.sublanes))});
  }
  ordered_json document = {{"chip", chip.name.view()}, {"mxu_side", chip.mxu.side}, {"dimensions", list}};
  std::string matrix;
  if (sizes.size() == 2) {
    const padding_cost cost = padding(matrix_shape{sizes[0], sizes[1]}, chip, format);
    document["matrix"] = {{"flop_utilization", cost.flop_utilization},
                          {"stored_bytes", cost.stored.value()},
                          {"stored_waste_bytes", cost.stored_waste.value()}};
    matrix = fmt::format("\n  as a matrix: {} of the MXU's cells are useful; {} stored, of which {} padding\n",
                         percent(cost.flop_utilization), binary_bytes(cost.stored), binary_bytes(cost.stored_waste));
  }
  if (with.json) return print_json(document);
  print_title("{}: MXU {}x{}, {} tile {}x{}", chip.name.view(), chip.mxu.side, chip.mxu.side, name(format),
              unit.sublanes, unit.lanes);
  t.print();
  print("{}", matrix);
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
