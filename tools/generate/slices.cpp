#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "generate/generate.hpp"

namespace generate {

namespace {

/// Chips along each axis and of a VM, two hexadecimal digits each.
std::string slice_row(const json& row, const std::string& chip) {
  const std::string shape = at(row, "topology", "a slice of " + chip);
  std::string digits;
  int axes = 0;
  const auto add = [&](std::int64_t length) {
    if (length < 1 || length > 255) throw std::runtime_error("slices.json: a length of " + shape + " is over 255");
    digits += fmt::format("{:02X}", length);
  };
  for (std::size_t at = 0; at <= shape.size(); at = std::min(shape.find('x', at), shape.size()) + 1, ++axes)
    add(std::stoi(shape.substr(at)));
  for (; axes < 3; ++axes) add(1);
  add(at(row, "chips_per_vm", "a slice of " + chip).get<std::int64_t>());
  return "{0x" + digits + "}";
}

/// Whether the machine type belongs to a chip of the table. Other machine types in the data are only for its readers.
bool is_of(const json& type, const std::vector<std::string>& chips) {
  return std::find(chips.begin(), chips.end(), at(type, "generation", "a machine type")) != chips.end();
}

std::string optional_count(const json& type, const char* key) {
  const json& given = at(type, key, type.at("name"));
  return given.is_null() ? "0" : std::to_string(given.get<std::int64_t>());
}

std::string label(const json& type) {
  const json& given = at(type, "gke_accelerator_label", type.at("name"));
  return in_quotes(given.is_null() ? std::string() : given.get<std::string>());
}

}  // namespace

std::string slice_table(data_folder& data) {
  std::string arrays;
  std::vector<std::string> blocks;
  for (const std::string& chip : data.chips()) {
    std::vector<std::string> rows;
    std::string prefix;
    for (const json& row : at(data["slices.json"], "slices", "slices.json")) {
      if (at(row, "generation", "a slice") != chip) continue;
      rows.push_back(slice_row(row, chip));
      const json& name = at(row, "accelerator_type", "a slice of " + chip);
      if (name.is_null()) continue;
      const std::string text = name;
      const std::string begins = text.substr(0, text.rfind('-'));
      if (!prefix.empty() && prefix != begins)
        throw std::runtime_error("slices.json: " + text + " does not begin with " + prefix);
      prefix = begins;
    }
    if (rows.empty()) continue;
    arrays += fmt::format("inline constexpr slice_row {}_slices[] = {{\n{}}};\n", chip, packed(rows));
    blocks.push_back(fmt::format("{{{}, {}, {}_slices, {}}}", in_quotes(chip), in_quotes(prefix), chip, rows.size()));
  }
  return unformatted(arrays + "inline constexpr slice_block slice_blocks[] = {\n" + listed(blocks) + "};\n");
}

std::string machine_table(data_folder& data) {
  const std::vector<std::string> chips = data.chips();
  std::vector<std::string> rows;
  for (const json& type : at(data["hardware.json"], "machine_types", "hardware.json")) {
    if (!is_of(type, chips)) continue;
    const std::string name = at(type, "name", "a machine type");
    rows.push_back(
        "{" +
        joined({in_quotes(name), in_quotes(type.at("generation")),
                std::to_string(at(type, "chips", name).get<std::int64_t>()), optional_count(type, "vcpus"),
                optional_count(type, "ram_gb_as_printed"), literal(at(type, "makes_one_vm", name).get<bool>()),
                literal(at(type, "makes_several_vms", name).get<bool>()), label(type),
                optional_count(type, "max_network_gbps")}) +
        "}");
  }
  return unformatted(fmt::format("inline constexpr machine_row machine_rows[] = {{\n{}}};\n", listed(rows)));
}

}  // namespace generate
