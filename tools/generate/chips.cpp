#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "generate/generate.hpp"

namespace generate {

namespace {

/// The figures of one chip. It records which figures were read, so that a figure that no table uses is reported.
class figures {
 public:
  explicit figures(const json& chip) : chip_{at(chip, "id", "a generation")}, fields_{at(chip, "fields", chip_)} {}

  const json& value(const char* key) {
    asked_.insert(key);
    return at(at(fields_, key, chip_), "value", chip_ + "." + key);
  }
  std::string count(const char* key) { return std::to_string(number<std::int64_t>(key)); }
  std::string ratio(const char* key) { return literal(number<double>(key)); }
  std::string amount(const char* key, double scale, const char* suffix) {
    return scaled(number<double>(key), scale, suffix);
  }
  std::string size(const char* key) { return literal_bytes(number<std::int64_t>(key)); }
  std::string word(const char* key) {
    const json& given = value(key);
    if (!given.is_string()) throw std::runtime_error(chip_ + "." + key + " is no text");
    return given;
  }
  bool flag(const char* key) {
    const json& given = value(key);
    if (!given.is_boolean()) throw std::runtime_error(chip_ + "." + key + " is neither true nor false");
    return given;
  }
  /// The figure as `write` formats it, or `absent` or `unknown` where it has no value.
  template <class Write>
  std::string known(const char* key, Write write) {
    if (!value(key).is_null()) return write(key);
    const std::string state = at(fields_.at(key), "state", chip_ + "." + key);
    if (state != "absent" && state != "unknown")
      throw std::runtime_error(chip_ + "." + key + ".state is " + state + "; valid: absent or unknown");
    return state;
  }
  /// The figure, or `unset` where no source states it: fields that are not of type known<T> are then refused by name.
  template <class Write>
  std::string or_unset(const char* key, const char* unset, Write write) {
    return known(key, write) == "unknown" ? unset : write(key);
  }
  /// Refuses figures that were not read, unless they are meant for readers of the file only.
  void check_all_asked() {
    for (const auto& field : fields_.items()) {
      static const std::set<std::string> for_people = {
          "cloud_availability", "hbm_type", "hbm_documented", "interconnect", "gce_pci_device_id", "die_to_die_bw",
          "vmem_bandwidth_estimate",
          // These follow from others.
          "hbm_usable_bytes_per_chip", "vmem_bytes_per_chip", "ici_total_bw_oneway", "pod_chips"};
      if (asked_.count(field.key()) == 0 && for_people.count(field.key()) == 0)
        throw std::runtime_error(chip_ + "." + field.key() + " is a figure that no table has");
    }
  }

 private:
  template <class Number>
  Number number(const char* key) {
    const json& given = value(key);
    if (!given.is_number()) throw std::runtime_error(chip_ + "." + key + " is no number");
    return given.get<Number>();
  }

  std::string chip_;
  const json& fields_;
  std::set<std::string> asked_;
};

/// The line of one field: its comment and its value, on one line where both fit in 120 columns.
std::string line(const std::string& what, const std::string& value, const char* end = ",") {
  const std::string comment = "    /*" + what + "*/";
  const bool fits = comment.size() + 1 + value.size() + std::string(end).size() <= 120;
  return comment + (fits ? " " : "\n    ") + value + end + "\n";
}

std::string braced(const std::vector<std::string>& parts) { return "{" + joined(parts) + "}"; }

/// "16x20x28" as {16, 20, 28}.
std::string shape(std::string text) {
  for (std::size_t at = text.find('x'); at != std::string::npos; at = text.find('x', at)) text.replace(at, 1, ", ");
  return "{" + text + "}";
}

/// "TPU v6e, also Trillium", of what vendors call it.
std::string title(const json& chip) {
  std::string text;
  for (const json& name : at(chip, "marketing_names", "a generation"))
    text += (text.empty() ? "" : ", also ") + name.get<std::string>();
  return text;
}

std::string chip_definition(const json& chip) {
  figures f(chip);
  const auto rate = [&](const char* key) { return f.amount(key, 1e12, "_TFLOP_per_s"); };
  const auto bandwidth = [&](const char* key) { return f.amount(key, 1e9, "_GB_per_s"); };
  const auto size = [&](const char* key) { return f.size(key); };
  const auto ratio = [&](const char* key) { return f.ratio(key); };
  const auto count = [&](const char* key) { return f.count(key); };
  const auto outline = [&](const char* key) { return shape(f.word(key)); };
  const std::string id = at(chip, "id", "a generation");
  std::string text =
      "/// " + title(chip) + ".\ninline constexpr chip_spec " + id + " = {\n    " + in_quotes(id) + ",\n";
  text += line("announced_year", f.count("announced_year"));
  text += line("announced_only", literal(f.flag("announced_only")));
  text += line("tensorcores", f.count("tensorcores_per_chip"));
  text += line("jax_devices", f.count("jax_devices_per_chip"));
  text += line("megacore", literal(f.flag("megacore")));
  text +=
      line("mxu: per_tensorcore, side, macs_per_cell_cycle",
           braced({f.count("mxus_per_tensorcore"), f.count("mxu_dim"), f.count("macs_per_mxu_cell_per_cycle_bf16")}));
  text +=
      line("peak: bf16, int8, fp8, int4", braced({f.known("peak_bf16_flops", rate), f.known("peak_int8_ops", rate),
                                                  f.known("peak_fp8_flops", rate), f.known("peak_int4_ops", rate)}));
  text += line("clock", f.known("clock_hz", [&](const char* key) { return f.amount(key, 1e6, "_MHz"); }));
  text += line("hbm: capacity, documented, usable_per_device, bandwidth",
               braced({f.size("hbm_capacity_bytes"), f.size("hbm_documented_bytes"),
                       f.known("hbm_usable_bytes_per_device", size), bandwidth("hbm_bandwidth")}));
  text += line("on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore",
               braced({f.size("vmem_bytes_per_tensorcore"), f.known("vmem_bandwidth_over_hbm", ratio),
                       f.size("cmem_bytes_per_chip"), f.known("smem_bytes_per_tensorcore", size)}));
  text += line(
      "tiling: sublanes, lanes, large_tiles_of_16_bits",
      braced({f.count("register_sublanes"), f.count("register_lanes"), literal(f.flag("large_tiles_of_16_bits"))}));
  text += line("sparsecores",
               f.known("sparsecores_per_chip", [&](const char* key) { return "std::int64_t{" + f.count(key) + "}"; }));
  text += line("ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link",
               braced({f.or_unset("ici_links_per_chip", "0", count), f.or_unset("ici_axes", "0", count),
                       f.or_unset("ici_link_bw_oneway", "0_GB_per_s", bandwidth), f.ratio("ici_achievable_fraction"),
                       "wraparound_rule::" + f.word("wraparound_rule"), f.known("die_to_die_over_link", ratio)}));
  text += line("host: chips, dram, pcie, dcn",
               braced({f.or_unset("chips_per_host", "0", count), f.known("host_dram_bytes", size),
                       f.known("pcie_bw_per_chip_oneway", bandwidth), f.known("dcn_bw_per_chip", bandwidth)}));
  text += line("pod: shape, largest_slice",
               braced({f.or_unset("pod_shape", "{}", outline), f.count("max_single_slice_chips")}));
  text += line("slice_name_counts", "name_counts::" + f.word("name_counts"), "};");
  f.check_all_asked();
  return text + "\n";
}

}  // namespace

std::string chip_table(data_folder& data) {
  std::string text;
  for (const json& chip : data["hardware.json"].at("generations")) text += chip_definition(chip);
  const std::vector<std::string> chips = data.chips();
  return text +
         fmt::format(
             "/// All generations, oldest first.\ninline constexpr std::array<chip_spec, {}> generations = {{{}}};\n",
             chips.size(), joined(chips));
}

std::string alias_table(data_folder& data) {
  std::vector<std::string> rows;
  std::set<std::string> taken;
  for (const json& chip : data["hardware.json"].at("generations")) {
    const std::string id = chip.at("id");
    std::vector<std::string> names = {id};
    for (const char* key : {"marketing_names", "jax_device_kinds", "other_names"}) {
      for (std::string name : at(chip, key, id)) {
        std::transform(name.begin(), name.end(), name.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        if (name.rfind("tpu ", 0) == 0) name.erase(0, 4);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    for (const std::string& name : names) {
      if (!taken.insert(name).second) throw std::runtime_error(id + ": another chip is called " + name + " too");
      rows.push_back("{" + in_quotes(name) + ", " + in_quotes(id) + "}");
    }
  }
  return unformatted(fmt::format("inline constexpr chip_alias chip_aliases[] = {{\n{}}};\n", packed(rows)));
}

}  // namespace generate
