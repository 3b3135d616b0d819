// tpuplan batch, tpuplan pad
#include <fmt/format.h>

#include <memory>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/format.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct batch_options {
  std::string chip, type = "bf16", weights, shape;
};

product_shape parse_shape(const std::string& given) {
  std::vector<std::int64_t> sides;
  std::size_t from = 0;
  while (from <= given.size()) {
    const std::size_t to = std::min(given.find('x', from), given.size());
    sides.push_back(parse_count("--shape", given.substr(from, to - from)));
    from = to + 1;
  }
  if (sides.size() != 3) detail::fail(errc::malformed_input, "--shape", given, "BxDxF, such as 512x4096x16384");
  return {sides[0], sides[1], sides[2]};
}

bool is_known(const chip_spec& chip, memory_level level) {
  switch (level) {
    case memory_level::vmem: return chip.on_chip.vmem_bandwidth_over_hbm.has_value();
    case memory_level::pcie: return chip.host.pcie.has_value();
    case memory_level::dcn: return chip.host.dcn.has_value();
    case memory_level::hbm:
    case memory_level::ici: break;
  }
  return true;
}

void run_batch(const batch_options& given, const session& with) {
  const chip_spec chip = chip_for(given.chip);
  product_dtypes types = uniform(dtype_for(given.type));
  if (!given.weights.empty()) types.weights = dtype_for(given.weights);
  ordered_json levels = ordered_json::array();
  table t({{"operands from"},
           {"bandwidth", align::right},
           {"ridge FLOP/B", align::right},
           {"critical batch", align::right},
           {"unit"}});
  for (const memory_level level :
       {memory_level::hbm, memory_level::vmem, memory_level::ici, memory_level::pcie, memory_level::dcn}) {
    if (!is_known(chip, level)) {
      levels.push_back({{"from", name(level)}, {"bandwidth_bytes_per_s", nullptr}});
      t.add({std::string(name(level)), "unknown"});
      continue;
    }
    const double rate = bandwidth(chip, level).value();
    const double ridge = ridge_point(chip, types.compute, level).value();
    const std::int64_t critical = critical_batch(chip, types, level);
    levels.push_back({{"from", name(level)},
                      {"bandwidth_bytes_per_s", rate},
                      {"ridge_point_flops_per_byte", ridge},
                      {"critical_batch_tokens", critical}});
    t.add({std::string(name(level)), fmt::format("{:g} GB/s", rate / 1e9), fmt::format("{:.1f}", ridge),
           grouped(critical),
           level == memory_level::ici   ? "tokens per chip and axis"
           : level == memory_level::dcn ? "tokens per slice"
                                        : "tokens"});
  }
  ordered_json document = {{"chip", chip.name.view()},
                           {"compute", name(types.compute)},
                           {"weights", name(types.weights)},
                           {"critical_batch", critical_batch(chip, types)},
                           {"recommended_batch", 2 * critical_batch(chip, types)},
                           {"levels", levels}};
  if (!given.shape.empty()) {
    const product_shape shape = parse_shape(given.shape);
    const product_time time = roofline(chip, shape, types);
    const maybe<double> exact = critical_batch_with_activations(chip, shape.inner, shape.outer, types);
    document["shape"] = {{"batch", shape.batch},
                         {"inner", shape.inner},
                         {"outer", shape.outer},
                         {"math_s", time.math.value()},
                         {"memory_s", time.memory.value()},
                         {"limited_by", name(time.limited_by)},
                         {"critical_batch_with_activations", exact ? ordered_json(*exact) : ordered_json(nullptr)}};
    if (!with.json) {
      fmt::print("{} x {} x {} on {}: limited by {} ({} of arithmetic, {} of HBM traffic); compute-bound {}\n\n",
                 shape.batch, shape.inner, shape.outer, chip.name.view(), name(time.limited_by), duration(time.math),
                 duration(time.memory), exact ? fmt::format("from batch {:.2f}", *exact) : "at no batch");
    }
  }
  if (with.json) return print_json(document);
  fmt::print("{}\n", bold(fmt::format("{}: {} products, {} weights", chip.name.view(), name(types.compute),
                                      name(types.weights))));
  t.print();
  fmt::print("\n  recommended batch: {} tokens, twice the critical one\n  {}\n",
             grouped(2 * critical_batch(chip, types)),
             dim(fmt::format("next: tpuplan batch {} --shape 512x4096x16384   one product's bound", chip.name.view())));
}

void run_pad(const std::string& chip_name, const std::vector<std::string>& dims, const std::string& type,
             const session& with) {
  const chip_spec chip = chip_for(chip_name);
  const dtype format = dtype_for(type);
  const tile unit = layout_tile(format);
  ordered_json list = ordered_json::array();
  table t({{"dimension", align::right},
           {"to the MXU", align::right},
           {"wasted", align::right},
           {"as lanes", align::right},
           {"as sublanes", align::right}});
  std::vector<std::int64_t> sizes;
  for (const std::string& given : dims) {
    const std::int64_t size = parse_count("DIM", given);
    sizes.push_back(size);
    const std::int64_t padded = round_up(size, chip.mxu.side);
    const double waste = 1 - static_cast<double>(size) / static_cast<double>(padded);
    list.push_back({{"given", size}, {"padded", padded}, {"wasted", waste}});
    t.add({grouped(size), grouped(padded), percent(waste), grouped(round_up(size, unit.lanes)),
           grouped(round_up(size, unit.sublanes))});
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
  fmt::print("{}\n", bold(fmt::format("{}: MXU {}x{}, {} tile {}x{}", chip.name.view(), chip.mxu.side, chip.mxu.side,
                                      name(format), unit.sublanes, unit.lanes)));
  t.print();
  fmt::print("{}", matrix);
}

}  // namespace

void add_matrix_commands(CLI::App& app, session& with) {
  CLI::App* batch = app.add_subcommand("batch", "ridge point and critical batch of a chip; the bound of one product");
  const auto options = std::make_shared<batch_options>();
  batch->add_option("chip", options->chip)->required();
  batch->add_option("--dtype", options->type, "activations and arithmetic")->capture_default_str();
  batch->add_option("--weights", options->weights, "weights, if they are in another format");
  batch->add_option("--shape", options->shape, "BxDxF: the product [B,D] x [D,F]");
  batch->callback([options, &with] { run_batch(*options, with); });

  CLI::App* pad = app.add_subcommand("pad", "dimensions padded to the MXU, and what that wastes");
  const auto chip = std::make_shared<std::string>();
  const auto dims = std::make_shared<std::vector<std::string>>();
  const auto type = std::make_shared<std::string>("bf16");
  pad->add_option("chip", *chip)->required();
  pad->add_option("dims", *dims, "one or more dimensions; two are a matrix")->required();
  pad->add_option("--dtype", *type)->capture_default_str();
  pad->callback([chip, dims, type, &with] { run_pad(*chip, *dims, *type, with); });
}

}  // namespace cli
