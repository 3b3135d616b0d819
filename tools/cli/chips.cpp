// tpuplan chips
#include <memory>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/json/file.hpp>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/table.hpp"

namespace cli {

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
  table t(
      "chip | ~~>year | ~~~>cores | >bf16 TFLOP/s | ~~>int8 TOP/s | ~~>fp8 TFLOP/s | >HBM | ~~>usable/device | >HBM "
      "GB/s | "
      "~>ICI links x GB/s | ~~>largest slice | ~>critical batch");
  for (const chip_spec& c : generations) {
    t.add({std::string(c.name.view()), fmt::format("{}", c.announced_year), fmt::format("{}", c.tensorcores),
           show(c.peak.bf16, tera), show(c.peak.int8, tera), show(c.peak.fp8, tera), c.hbm.capacity,
           c.hbm.usable_per_device.has_value() ? cell(c.hbm.usable_per_device.value()) : cell("unknown"),
           giga(c.hbm.bandwidth),
           c.ici.links == 0 ? "unknown" : fmt::format("{} x {}", c.ici.links, giga(c.ici.nominal_one_way)),
           fmt::format("{}", c.pod.largest_slice), fmt::format("{}", critical_batch(c))});
  }
  t.print();
  print("\n  per chip; ICI one-way, nominal; - the chip has no such mode\n  {}\n",
        dim("next: tpuplan chips v5e   every figure of one chip with its source"));
}

/// Every figure of one generation as data/hardware.json has it, with confidence and sources.
void print_sources(const chip_spec& chip, const std::string& data_dir) {
  const std::string path = data_dir + "/hardware.json";
  const nlohmann::json file = load_json(path);
  table t("figure | >value | ~unit | ~~confidence | ~~~sources");
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
      constexpr std::size_t widest = 32;
      const bool narrow = form().of == output_form::kind::text && !form().wide;
      if (narrow && shown.size() > widest) shown = shown.substr(0, widest - 3) + "...";
      t.add({field, shown, figure.at("unit").get<std::string>(), figure.at("confidence").get<std::string>(), sources});
    }
  }
  if (t.empty()) refuse(path, "a file without figures of " + std::string(chip.name.view()), "that of this tpuplan");
  t.print();
  print("\n  {}\n", dim("the keys of the sources, notes and rejected values: " + data_dir + "/hardware.json"));
}

void run_chips(const std::string& wanted, const session& with) {
  if (with.json) return print_json(answer_to(chips_request{wanted}));
  if (wanted.empty()) return print_all_chips();
  try {
    print_sources(chip_for(wanted), with.data_dir);
  } catch (const nlohmann::json::exception&) {  // a field that is missing, or of another type
    refuse(with.data_dir + "/hardware.json", "not of the form expected", "that of this tpuplan", errc::malformed_input);
  }
}

}  // namespace

void add_chips_command(session& with) {
  command& added = with.commands.emplace_back("chips", "what is in the chip table, with sources");
  const auto name = std::make_shared<std::string>();
  added.argument("name", *name, "one chip: " + std::string(chip_names().view()));
  add_table_options(added);
  added.run = [name, &with] { run_chips(*name, with); };
}

}  // namespace cli
