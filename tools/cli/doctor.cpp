// tpuplan doctor
#include <algorithm>
#include <array>
#include <lab/data_health.hpp>
#include <memory>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/prices.hpp>

#include "cli/commands.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct doctor_options {
  std::string on, prices;
};

/// The files whose facts have dates.
constexpr std::array<const char*, 5> data_files = {"hardware.json", "prices.json", "gpus.json", "zones.json",
                                                   "launch.json"};

/// Differences up to this are rounding of one figure.
constexpr double rounding = 0.01;

struct data_file {
  std::string name;
  date_range dates;
};

struct findings_of_data {
  std::vector<data_file> files;
  std::vector<price_group> prices;
  std::vector<unknown_figure> unknowns;
  std::vector<figure_conflict> conflicts;
};

findings_of_data examine(const std::string& folder, const std::string& prices, const std::string& on) {
  findings_of_data found;
  for (const char* name : data_files) found.files.push_back({name, dates_in(load_json(folder + "/" + name))});
  const nlohmann::json hardware = load_json(folder + "/hardware.json");
  try {
    found.unknowns = unknown_figures(hardware);
    found.conflicts = figure_conflicts(hardware);
  } catch (const nlohmann::json::exception&) {  // a field that is missing, or of another type
    refuse(folder + "/hardware.json", "not of the form expected", "that of this tpuplan", errc::malformed_input);
  }
  const owned_price_book known = prices.empty() ? load_prices(folder + "/prices.json") : load_own_prices(prices);
  found.prices = price_groups(known.book(), on);
  return found;
}

ordered_json to_json(const findings_of_data& found, const std::string& on) {
  ordered_json files = ordered_json::array(), prices = files, unknowns = files, conflicts = files;
  for (const data_file& file : found.files) {
    files.push_back({{"file", file.name},
                     {"oldest", file.dates.oldest},
                     {"newest", file.dates.newest},
                     {"newest_days", days_between(file.dates.newest, on)}});
  }
  for (const price_group& group : found.prices) {
    prices.push_back({{"chip", group.generation.view()},
                      {"provisioning", name(group.kind)},
                      {"rows", group.rows},
                      {"stale_rows", group.stale},
                      {"youngest_days", group.youngest_days},
                      {"oldest_days", group.oldest_days}});
  }
  for (const unknown_figure& figure : found.unknowns)
    unknowns.push_back({{"chip", figure.chip}, {"figure", figure.figure}});
  for (const figure_conflict& one : found.conflicts) {
    ordered_json others = ordered_json::array();
    for (const other_value& other : one.others) {
      others.push_back({{"value", other.value}, {"source", other.source}});
      if (other.difference >= 0) others.back()["difference"] = other.difference;
    }
    conflicts.push_back({{"chip", one.chip}, {"figure", one.figure}, {"used", one.used}, {"others", others}});
  }
  return {{"on", on}, {"files", files}, {"prices", prices}, {"unknown", unknowns}, {"conflicts", conflicts}};
}

view_part files_part(const findings_of_data& found, const std::string& on) {
  view_part part =
      readable::table_of("file | oldest date | newest date | >days since", "how old the facts are on " + on);
  for (const data_file& file : found.files)
    part.rows.push_back(text_cells(
        {file.name, file.dates.oldest, file.dates.newest, std::to_string(days_between(file.dates.newest, on))}));
  return part;
}

view_part prices_part(const findings_of_data& found) {
  view_part part = readable::table_of("chip | way of paying | >rows | >old | >youngest | >oldest",
                                      fmt::format("prices; read them again after {} days", stale_after_days));
  std::string missing;
  for (const price_group& group : found.prices) {
    if (group.rows == 0) {
      missing += fmt::format("{}{} {}", missing.empty() ? "" : ", ", group.generation.view(), name(group.kind));
      continue;
    }
    part.rows.push_back(
        text_cells({std::string(group.generation.view()), std::string(name(group.kind)), std::to_string(group.rows),
                    std::to_string(group.stale), fmt::format("{} days", group.youngest_days),
                    fmt::format("{} days", group.oldest_days)}));
  }
  if (!missing.empty()) part.notes = {"no price: " + missing};
  return part;
}

view_part unread_part(const findings_of_data& found) {
  view_part part = readable::table_of("chip | figures", "unknown figures");
  for (const chip_spec& chip : generations) {
    std::string label(chip.name.view()), figures;
    const auto add_row = [&] {
      if (!figures.empty()) part.rows.push_back(text_cells({label, figures}));
      label.clear();
      figures.clear();
    };
    for (const unknown_figure& one : found.unknowns) {
      if (one.chip != chip.name.view()) continue;
      if (form().of == output_form::kind::text && figures.size() + one.figure.size() > columns() - 20) add_row();
      figures += (figures.empty() ? "" : ", ") + one.figure;
    }
    add_row();
  }
  return part;
}

view_part conflicts_part(const findings_of_data& found) {
  view_part part =
      readable::table_of("chip | figure | >in use | >other | >differs by | ~source",
                         fmt::format("figures on which sources differ by more than {:g} %", rounding * 100));
  const auto short_one = [](const std::string& words) {
    return words.size() <= 20 || form().wide || form().of != output_form::kind::text ? words
                                                                                     : words.substr(0, 17) + "...";
  };
  std::size_t rounded = 0;
  for (const figure_conflict& one : found.conflicts) {
    for (const other_value& other : one.others) {
      if (other.difference >= 0 && other.difference <= rounding) {
        ++rounded;
        continue;
      }
      part.rows.push_back(
          text_cells({one.chip, one.figure, short_one(one.used), short_one(other.value),
                      other.difference < 0 ? "" : fmt::format("{:.1f} %", other.difference * 100), other.source}));
    }
  }
  part.notes = {fmt::format("{} more differ by less", rounded)};
  return part;
}

void run_doctor(const doctor_options& given, const session& with) {
  const std::string on = given.on.empty() ? today() : given.on;
  if (!is_iso_date(on)) refuse("--on", on, "an ISO date from 2000 on, such as 2026-11-22");
  const findings_of_data found = examine(with.data_dir, given.prices, on);
  view shown;
  shown.parts = {files_part(found, on), prices_part(found), unread_part(found), conflicts_part(found)};
  shown.next = {{"chips", "tpuplan chips v5e", "every figure with its sources"}};
  answer(with, shown, [&] { return to_json(found, on); });
}

}  // namespace

void add_doctor_command(session& with) {
  command& added = with.commands.emplace_back("doctor", "ages of data, what is unknown, which figures conflict");
  const auto options = std::make_shared<doctor_options>();
  added.add("--on", options->on, "the day whose ages are asked: 2026-11-22").usually("today");
  added.add("--prices", options->prices, "a price file as of the other commands: docs/prices.md");
  add_table_options(added);
  added.run = [options, &with] { run_doctor(*options, with); };
}

}  // namespace cli
