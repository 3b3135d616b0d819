// tpuplan slices
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/show/views/figures.hpp>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/report.hpp"
#include "cli/zones.hpp"

namespace cli {

namespace {

using namespace tpuplan;

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

view one_slice_view(const slice_facts& facts, const slice& where, const std::string& wanted,
                    const std::string& data_dir) {
  const maybe<slice> other = other_vm_layout(where);
  std::vector<std::pair<std::string, std::string>> pairs{
      {"chip", facts.generation},
      {"topology", facts.topology},
      {"chips", fmt::format("{} ({}, {})", facts.chips, counted(facts.tensorcores, "TensorCore"),
                            counted(facts.jax_devices, "JAX device"))},
      {"VMs", fmt::format("{} of {}", facts.vms, counted(facts.chips_per_vm, "chip"))},
      {"physical hosts", fmt::format("{:g}", facts.hosts)},
      {"machine type", facts.machine_type.value_or("none documented")},
      {"rings per axis", readable::rings_words(facts)},
      {"usable HBM", binary_bytes(facts.usable_hbm)},
      {"one slice", facts.schedulable ? "yes" : "no: above the largest that is scheduled"}};
  for (const auto& [what, words] : machine_taken(wanted, where)) pairs.emplace_back("asked for", words);
  if (other)
    pairs.push_back({"in other VMs", fmt::format("{} ({} of {})", name_with_vms(*other), vms(*other),
                                                 counted(other->chips_per_vm, "chip"))});
  view shown;
  shown.title = facts.name;
  shown.sentences = pairs_part(pairs).sentences;
  if (shown.sentences.empty()) shown.parts = {pairs_part(pairs)};
  shown.next = {{"fit", "tpuplan fit " + example_model(data_dir) + " --slice " + name_with_vms(where), {}}};
  return shown;
}

/// What the sources say of a zone: each generation, by which service and under which way of paying.
ordered_json zone_document(const std::vector<zone_row>& rows) {
  ordered_json list = ordered_json::array();
  for (const zone_row& row : rows) {
    ordered_json only = ordered_json::array();
    for (const provisioning kind : row.only) only.push_back(name(kind));
    list.push_back({{"zone", row.zone},
                    {"generation", row.generation},
                    {"service", row.service},
                    {"provisioning", only},
                    {"single_tenant", row.single_tenant},
                    {"date", row.date},
                    {"confidence", row.confidence},
                    {"source", row.source}});
  }
  return list;
}

view_part zone_part(const std::string& zone, const std::vector<zone_row>& rows) {
  const bool of_region = !rows.empty() && rows.front().zone != zone;
  view_part part =
      readable::table_of(of_region ? "generation | service | zone | only as | as of | ~confidence | ~source"
                                   : "generation | service | only as | as of | ~confidence | ~source",
                         zone + ": what it has, as sources say; quota and capacity are other questions");
  for (const zone_row& row : rows) {
    std::string only;
    for (const provisioning kind : row.only) only += (only.empty() ? "" : ", ") + std::string(name(kind));
    if (row.single_tenant) only = "single tenants";
    std::vector<view_cell> cells =
        text_cells({row.generation, row.service, only, row.date, row.confidence, row.source});
    if (of_region) cells.insert(cells.begin() + 2, readable::cell(row.zone));
    part.rows.push_back(std::move(cells));
  }
  return part;
}

/// What sources say of a zone, or of the zones of a region.
std::vector<zone_row> rows_named(const std::string& zone, const session& with) {
  if (zone.empty()) return {};
  std::vector<zone_row> rows;
  for (const std::string& one : zones_named(with.data_dir, zone)) {
    for (const zone_row& row : rows_of_zone(known_zones(with.data_dir), one)) rows.push_back(row);
  }
  if (rows.empty()) (void)generations_of_zone(with.data_dir, zone);  // which says what there is
  return rows;
}

/// The generations that are asked for, of those that the zone or region has, where one is given.
std::vector<std::string> generations_asked(std::vector<std::string> asked, const std::string& zone,
                                           const std::vector<zone_row>& there, const session& with) {
  if (zone.empty()) return asked;
  if (asked.empty()) {
    for (const zone_row& row : there) {
      if (std::find(asked.begin(), asked.end(), row.generation) == asked.end()) asked.push_back(row.generation);
    }
    return asked;
  }
  const bool of_region = there.front().zone != zone;
  for (const std::string& one : asked) {
    const auto generation = chip_for(one).name;
    if (of_region)
      check_region_of_zones(known_zones(with.data_dir), zone, generation.view());
    else
      check_zone(known_zones(with.data_dir), zone, generation.view());
  }
  return asked;
}

void run_slices(const slices_request& asked, const std::string& zone, const session& with) {
  const std::string& wanted = asked.name;
  const std::vector<zone_row> there = rows_named(zone, with);
  const std::vector<std::string> generations = generations_asked(asked.generations, zone, there, with);
  const slices_answer said = answer_to(slices_request{wanted, generations});
  view shown =
      wanted.empty() ? view_of(said) : one_slice_view(said.slices.front(), slice_for(wanted), wanted, with.data_dir);
  if (!zone.empty()) shown.parts.insert(shown.parts.begin(), zone_part(zone, there));
  answer(with, shown, [&] {
    ordered_json document = said;
    if (!zone.empty()) document["zone"] = {{"name", zone}, {"has", zone_document(there)}};
    return document;
  });
}

}  // namespace

void add_slices_command(session& with) {
  command& added = with.commands.emplace_back("slices", "which slices exist; what is v5p-128");
  const auto request = std::make_shared<nlohmann::json>(nlohmann::json::object());
  added.ask(slice_rows, *request);
  added.of("--generation").decides("chip");
  added.of("name").help = "one slice: v5p-128, v5e-16, v5p:4x4x12, ct6e-standard-8t";
  const auto zone = std::make_shared<std::string>();
  added.add("--zone", *zone, "only what a zone or a region has, by data/zones.json: us-east5-b").excludes({"name"});
  add_table_options(added);
  added.run = [request, zone, &with] { run_slices(read_request<slices_request>(*request), *zone, with); };
}

}  // namespace cli
