// tpuplan chips
#include <memory>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/show/views/figures.hpp>

#include "cli/commands.hpp"
#include "cli/report.hpp"

namespace cli {

namespace {

using namespace tpuplan;

/// Every figure of one generation as data/hardware.json has it, with confidence and sources.
view sources_view(const chip_spec& chip, const std::string& data_dir) {
  const std::string path = data_dir + "/hardware.json";
  const nlohmann::json file = load_json(path);
  view_part part = readable::table_of("figure | >value | ~unit | ~~confidence | ~~~sources");
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
      part.rows.push_back(text_cells(
          {field, shown, figure.at("unit").get<std::string>(), figure.at("confidence").get<std::string>(), sources}));
    }
  }
  if (part.rows.empty())
    refuse(path, "a file without figures of " + std::string(chip.name.view()), "that of this tpuplan");
  part.notes = {"the keys of the sources, notes and rejected values: " + path};
  return {{}, {}, {}, {std::move(part)}, {}, {}};
}

void run_chips(const std::string& wanted, const session& with) {
  const chips_answer said = answer_to(chips_request{wanted});
  if (with.json || wanted.empty()) {
    view shown = view_of(said);
    shown.next.front().command = "tpuplan chips v5e";
    return answer(with, shown, [&]() -> ordered_json { return said; });
  }
  try {
    print_view(sources_view(chip_for(wanted), with.data_dir));
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
