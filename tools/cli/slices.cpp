// tpuplan slices
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <tpuplan/hardware/slice.hpp>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

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
          {"machine_type", machine ? ordered_json(machine->name) : nullptr},
          {"wraparound", rings},
          {"schedulable", schedulable(where)},
          {"usable_hbm_bytes", usable_hbm(where).value()}};
}

/// A name that means this slice in these VMs: its own, or its machine type and topology where its own means other VMs.
std::string name_with_vms(const slice& where) {
  const maybe<slice> by_name = find_slice(name(where));
  return std::string(by_name && vms(*by_name) == vms(where) ? name(where).view() : machine_name(where).view());
}

/// A model that comes with the program, as a path from here.
std::string example_model(const std::string& data_dir) {
  const std::string model = "models/llama-3.1-8b.json";
  return std::filesystem::exists("data/" + model) ? "data/" + model : shell_quoted(data_dir + "/" + model);
}

void print_one_slice(const slice& where, const std::string& data_dir) {
  const maybe<machine_type> machine = machine_type_of(where);
  const maybe<slice> other = other_vm_layout(where);
  print_title("{}", name(where).view());
  std::vector<std::pair<std::string, std::string>> pairs{
      {"chip", std::string(where.chip.name.view())},
      {"topology", std::string(name(where.shape).view())},
      {"chips", fmt::format("{} ({} TensorCores, {} JAX devices)", chips(where), tensorcores(where), devices(where))},
      {"VMs", fmt::format("{} of {} chips", vms(where), where.chips_per_vm)},
      {"physical hosts", fmt::format("{:g}", hosts(where))},
      {"machine type", machine ? std::string(machine->name) : "none documented"},
      {"rings per axis", wraps(where)},
      {"usable HBM", binary_bytes(usable_hbm(where))},
      {"one slice", schedulable(where) ? "yes" : "no: above the largest that is scheduled"}};
  if (other)
    pairs.push_back(
        {"in other VMs", fmt::format("{} ({} of {} chips)", name_with_vms(*other), vms(*other), other->chips_per_vm)});
  print_pairs(pairs);
  print_next("tpuplan fit {} --slice {}", example_model(data_dir), name_with_vms(where));
}

void run_slices(const std::string& wanted, const std::vector<std::string>& generations, const session& with) {
  if (!wanted.empty()) {
    const slice s = slice_for(wanted);
    return with.json ? print_json(json_of(s)) : print_one_slice(s, with.data_dir);
  }
  ordered_json list = ordered_json::array();
  table t("slice | ~topology | >chips | >devices | >VMs | ~~>hosts | machine type | ~~~rings");
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice s = slice_at(i);
    const auto is_of = [&](const std::string& one) { return chip_for(one).name == s.chip.name; };
    if (!generations.empty() && std::none_of(generations.begin(), generations.end(), is_of)) continue;
    list.push_back(json_of(s));
    const maybe<machine_type> machine = machine_type_of(s);
    t.add({std::string(name(s).view()), std::string(name(s.shape).view()), fmt::format("{}", chips(s)),
           fmt::format("{}", devices(s)), fmt::format("{}", vms(s)), fmt::format("{:g}", hosts(s)),
           machine ? std::string(machine->name) : "-", wraps(s)});
  }
  if (with.json) return print_json({{"slices", list}});
  t.print();
  print("\n  rings: per axis, Y wraps, N does not, ? not established\n");
}

}  // namespace

void add_slices_command(session& with) {
  command& added = with.commands.emplace_back("slices", "which slices exist; what is v5p-128");
  const auto name = std::make_shared<std::string>();
  const auto generations = std::make_shared<std::vector<std::string>>();
  added.argument("name", *name, "one slice: v5p-128, v5e-16, v5p:4x4x12, ct6e-standard-8t");
  added.add("--generation", *generations, "only slices of these chips: v5e,v6e").excludes({"name"});
  add_table_options(added);
  added.run = [name, generations, &with] { run_slices(*name, *generations, with); };
}

}  // namespace cli
