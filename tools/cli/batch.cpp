// tpuplan batch
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <tpuplan/handbook/intensity.hpp>
#include <tpuplan/handbook/roofline.hpp>
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

struct batch_options {
  std::string chip, shape, network;
  dtype type = dtype::bf16;
  std::optional<dtype> weights;
};

product_shape parse_shape(const std::string& given) {
  std::vector<std::int64_t> sides;
  std::size_t from = 0;
  while (from <= given.size()) {
    const std::size_t to = std::min(given.find('x', from), given.size());
    read("--shape", given.substr(from, to - from), {1, 1e12}, sides.emplace_back());
    from = to + 1;
  }
  if (sides.size() != 3) refuse("--shape", given, "BxDxF, such as 512x4096x16384", errc::malformed_input);
  return {sides[0], sides[1], sides[2]};
}

bool is_known(const chip_spec& chip, memory_level level) {
  switch (level) {
    case memory_level::vmem: return chip.on_chip.vmem_bandwidth_over_hbm.has_value();
    case memory_level::pcie: return chip.host.pcie.has_value();
    case memory_level::dcn: return chip.host.dcn.has_value();
    case memory_level::ici: return chip.ici.nominal_one_way.value() > 0;
    case memory_level::hbm: break;
  }
  return true;
}

/// The levels of memory that operands may come from, each with its ridge point; as JSON and as a table.
struct ridge_points {
  ordered_json document = ordered_json::array();
  table shown{"operands from | >bandwidth | >ridge FLOP/B | >critical batch | ~unit"};
};

ridge_points ridge_points_of(const chip_spec& chip, const product_dtypes& types) {
  ridge_points points;
  for (const memory_level level :
       {memory_level::hbm, memory_level::vmem, memory_level::ici, memory_level::pcie, memory_level::dcn}) {
    if (!is_known(chip, level)) {
      points.document.push_back({{"from", name(level)}, {"bandwidth_bytes_per_s", nullptr}});
      points.shown.add({std::string(name(level)), "unknown"});
      continue;
    }
    const double rate = bandwidth(chip, level).value();
    const double ridge = ridge_point(chip, types.compute, level).value();
    const std::int64_t critical = critical_batch(chip, types, level);
    points.document.push_back({{"from", name(level)},
                               {"bandwidth_bytes_per_s", rate},
                               {"ridge_point_flops_per_byte", ridge},
                               {"critical_batch_tokens", critical}});
    points.shown.add({std::string(name(level)), cell(fmt::format("{:g} GB/s", rate / 1e9), rate, "_bytes_per_s"),
                      cell(fmt::format("{:.1f}", ridge), ridge), count_cell(critical),
                      level == memory_level::ici   ? "tokens per chip and axis"
                      : level == memory_level::dcn ? "tokens per slice"
                                                   : "tokens"});
  }
  return points;
}

/// The bound of one product: as JSON, and as the line that stands above the table.
struct shape_bound {
  ordered_json document;
  std::string line;
};

shape_bound bound_of(const chip_spec& chip, const product_shape& shape, const product_dtypes& types) {
  const product_time time = roofline(chip, shape, types);
  const maybe<double> exact = critical_batch_with_activations(chip, shape.inner, shape.outer, types);
  return {
      {{"batch", shape.batch},
       {"inner", shape.inner},
       {"outer", shape.outer},
       {"math_s", time.math.value()},
       {"memory_s", time.memory.value()},
       {"limited_by", name(time.limited_by)},
       {"critical_batch_with_activations", or_null(exact)}},
      fmt::format("{} x {} x {} on {}: limited by {} ({} of arithmetic, {} of HBM traffic); compute-bound {}",
                  shape.batch, shape.inner, shape.outer, chip.name.view(), name(time.limited_by), duration(time.math),
                  duration(time.memory), exact ? fmt::format("from batch {:.2f}", *exact) : "at no batch")};
}

void run_batch(const batch_options& given, const session& with) {
  const chip_spec chip = chip_for(given.chip);
  if (!given.network.empty()) {
    const any_model model = load_any(given.network, {});
    if (!model.net) refuse("--network", given.network, "a network of layers, or a vision transformer");
    return network_pad(*model.net, chip, with);
  }
  product_dtypes types = uniform(given.type);
  if (given.weights) types.weights = *given.weights;
  const ridge_points points = ridge_points_of(chip, types);
  const std::int64_t critical = critical_batch(chip, types);
  std::optional<shape_bound> bound;
  if (!given.shape.empty()) bound = bound_of(chip, parse_shape(given.shape), types);
  if (with.json) {
    ordered_json document = {{"chip", chip.name.view()},          {"compute", name(types.compute)},
                             {"weights", name(types.weights)},    {"critical_batch", critical},
                             {"recommended_batch", 2 * critical}, {"levels", points.document}};
    if (bound) document["shape"] = bound->document;
    return print_json(document);
  }
  if (bound) print("{}\n\n", bound->line);
  print_title("{}: {} products, {} weights", chip.name.view(), name(types.compute), name(types.weights));
  points.shown.print();
  print("\n  recommended batch: {} tokens, twice the critical one\n  {}\n", grouped(2 * critical),
        dim(fmt::format("next: tpuplan batch {} --shape 512x4096x16384   one product's bound", chip.name.view())));
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
