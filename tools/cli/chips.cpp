// tpuplan chips, tpuplan slices
#include <fmt/format.h>

#include <memory>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/io/json/file.hpp>

#include "cli/commands.hpp"
#include "cli/format.hpp"
#include "cli/table.hpp"

namespace cli {

void print_json(const ordered_json& document) { fmt::print("{}\n", document.dump(2)); }

namespace {

using namespace tpuplan;

template <class T, class Show>
std::string show(const known<T>& figure, const Show& how) {
  if (figure.is_absent()) return "-";
  return figure.has_value() ? how(figure.value()) : "unknown";
}

std::string tera(flops_per_second rate) { return fmt::format("{:g}", in_tflop_per_s(rate)); }
std::string giga(bytes_per_second rate) { return fmt::format("{:g}", in_gb_per_s(rate)); }

void print_all_chips() {
  table t({{"chip"},
           {"year", align::right},
           {"cores", align::right},
           {"bf16 TFLOP/s", align::right},
           {"int8 TOP/s", align::right},
           {"fp8 TFLOP/s", align::right},
           {"HBM", align::right},
           {"usable/device", align::right},
           {"HBM GB/s", align::right},
           {"ICI links x GB/s", align::right},
           {"largest slice", align::right},
           {"critical batch", align::right}});
  for (const chip_spec& c : generations) {
    t.add({std::string(c.name.view()), fmt::format("{}", c.announced_year), fmt::format("{}", c.tensorcores),
           show(c.peak.bf16, tera), show(c.peak.int8, tera), show(c.peak.fp8, tera), binary_bytes(c.hbm.capacity),
           show(c.hbm.usable_per_device, binary_bytes), giga(c.hbm.bandwidth),
           fmt::format("{} x {}", c.ici.links, giga(c.ici.link_one_way)), fmt::format("{}", c.pod.largest_slice),
           fmt::format("{}", critical_batch(c))});
  }
  t.print();
  fmt::print("\n  per chip; ICI one-way, nominal; - the chip has no such mode\n  {}\n",
             dim("next: tpuplan chips v5e   every figure of one chip with its source"));
}

/// Every figure of one generation as data/hardware.json has it, with confidence and sources.
void print_sources(const chip_spec& chip, const std::string& data_dir) {
  const nlohmann::json file = load_json(data_dir + "/hardware.json");
  table t({{"figure"}, {"value", align::right}, {"unit"}, {"confidence"}, {"sources"}});
  for (const nlohmann::json& generation : file.at("generations")) {
    if (generation.at("id").get<std::string>() != chip.name.view()) continue;
    for (const auto& [field, figure] : generation.at("fields").items()) {
      std::string sources;
      for (const nlohmann::json& source : figure.at("source")) {
        sources += (sources.empty() ? "" : ", ") + source.get<std::string>();
      }
      const nlohmann::json& value = figure.at("value");
      std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
      if (value.is_null()) shown = figure.value("state", "unknown");
      if (value.is_array()) shown = fmt::format("{} zones", value.size());
      t.add({field, shown, figure.at("unit").get<std::string>(), figure.at("confidence").get<std::string>(), sources});
    }
  }
  t.print();
  fmt::print("\n  {}\n", dim("the keys of the sources, notes and rejected values: " + data_dir + "/hardware.json"));
}

void run_chips(const std::string& wanted, const session& with) {
  if (with.json) {
    ordered_json list = ordered_json::array();
    for (const chip_spec& c : generations) {
      if (wanted.empty() || chip_for(wanted).name == c.name) list.push_back(c);
    }
    return print_json({{"chips", list}});
  }
  if (wanted.empty()) return print_all_chips();
  print_sources(chip_for(wanted), with.data_dir);
}

std::string wraps(const slice& where) {
  std::string text;
  const std::array<known<bool>, 3> axes = wraparound(where);
  for (std::int32_t axis = 0; axis < where.shape.axes; ++axis) {
    const known<bool>& one = axes[static_cast<std::size_t>(axis)];
    text += one.has_value() ? (one.value() ? 'Y' : 'N') : '?';
  }
  return text;
}

ordered_json json_of(const slice& where) {
  const maybe<machine_type> machine = machine_type_of(where);
  ordered_json rings = ordered_json::array();
  for (std::int32_t axis = 0; axis < where.shape.axes; ++axis) {
    const known<bool> wrap = wraparound(where)[static_cast<std::size_t>(axis)];
    rings.push_back(wrap.has_value() ? ordered_json(wrap.value()) : ordered_json(nullptr));
  }
  return {{"name", name(where).view()},
          {"generation", where.chip.name.view()},
          {"topology", name(where.shape).view()},
          {"chips", chips(where)},
          {"tensorcores", tensorcores(where)},
          {"jax_devices", devices(where)},
          {"vms", vms(where)},
          {"hosts", hosts(where)},
          {"chips_per_vm", where.chips_per_vm},
          {"machine_type", machine ? ordered_json(machine->name) : ordered_json(nullptr)},
          {"wraparound", rings},
          {"schedulable", schedulable(where)},
          {"usable_hbm_bytes", usable_hbm(where).value()}};
}

void print_one_slice(const slice& where) {
  const maybe<machine_type> machine = machine_type_of(where);
  fmt::print("{}\n", bold(name(where).view()));
  print_pairs(
      {{"chip", std::string(where.chip.name.view())},
       {"topology", std::string(name(where.shape).view())},
       {"chips", fmt::format("{} ({} TensorCores, {} JAX devices)", chips(where), tensorcores(where), devices(where))},
       {"VMs", fmt::format("{} of {} chips", vms(where), where.chips_per_vm)},
       {"physical hosts", fmt::format("{:g}", hosts(where))},
       {"machine type", machine ? std::string(machine->name) : "none documented"},
       {"rings per axis", wraps(where)},
       {"usable HBM", binary_bytes(usable_hbm(where))},
       {"one slice", schedulable(where) ? "yes" : "no: above the largest that is scheduled"}});
  fmt::print("\n  {}\n",
             dim(fmt::format("next: tpuplan fit data/models/llama-3.1-8b.json --slice {}", name(where).view())));
}

void run_slices(const std::string& wanted, const std::string& generation, const session& with) {
  if (!wanted.empty()) {
    const slice s = slice_for(wanted);
    return with.json ? print_json(json_of(s)) : print_one_slice(s);
  }
  ordered_json list = ordered_json::array();
  table t({{"slice"},
           {"topology"},
           {"chips", align::right},
           {"devices", align::right},
           {"VMs", align::right},
           {"hosts", align::right},
           {"machine type"},
           {"rings"}});
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice s = slice_at(i);
    if (!generation.empty() && chip_for(generation).name != s.chip.name) continue;
    list.push_back(json_of(s));
    const maybe<machine_type> machine = machine_type_of(s);
    t.add({std::string(name(s).view()), std::string(name(s.shape).view()), fmt::format("{}", chips(s)),
           fmt::format("{}", devices(s)), fmt::format("{}", vms(s)), fmt::format("{:g}", hosts(s)),
           machine ? std::string(machine->name) : "-", wraps(s)});
  }
  if (with.json) return print_json({{"slices", list}});
  t.print();
  fmt::print("\n  rings: per axis, Y wraps, N does not, ? not established\n");
}

}  // namespace

void add_chip_commands(CLI::App& app, session& with) {
  CLI::App* chips_command = app.add_subcommand("chips", "what is in the chip table, with sources");
  const auto chip_name = std::make_shared<std::string>();
  chips_command->add_option("name", *chip_name, "one chip: " + std::string(chip_names().view()));
  chips_command->callback([chip_name, &with] { run_chips(*chip_name, with); });

  CLI::App* slices_command = app.add_subcommand("slices", "which slices exist; what is v5p-128");
  const auto slice_name = std::make_shared<std::string>();
  const auto generation = std::make_shared<std::string>();
  slices_command->add_option("name", *slice_name, "one slice: v5p-128, v5e-16, v5p:4x4x12, ct6e-standard-8t");
  slices_command->add_option("--generation", *generation, "only slices of this chip");
  slices_command->callback([slice_name, generation, &with] { run_slices(*slice_name, *generation, with); });
}

}  // namespace cli
