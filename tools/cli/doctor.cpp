// tpuplan doctor
#include <algorithm>
#include <array>
#include <lab/data_health.hpp>
#include <memory>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/prices.hpp>

#include "cli/commands.hpp"
#include "cli/prices.hpp"
#include "cli/print.hpp"
#include "cli/table.hpp"

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

void print_files(const findings_of_data& found, const std::string& on) {
  print("how old the facts are on {}\n", on);
  table t("file | oldest date | newest date | >days since");
  for (const data_file& file : found.files) {
    t.add({file.name, file.dates.oldest, file.dates.newest, fmt::format("{}", days_between(file.dates.newest, on))});
  }
  t.print();
}

void print_prices(const findings_of_data& found) {
  print("\nprices; read them again after {} days\n", stale_after_days);
  table t("chip | way of paying | >rows | >old | >youngest | >oldest");
  std::string missing;
  for (const price_group& group : found.prices) {
    if (group.rows == 0) {
      missing += fmt::format("{}{} {}", missing.empty() ? "" : ", ", group.generation.view(), name(group.kind));
      continue;
    }
    t.add({std::string(group.generation.view()), std::string(name(group.kind)), fmt::format("{}", group.rows),
           fmt::format("{}", group.stale), fmt::format("{} days", group.youngest_days),
           fmt::format("{} days", group.oldest_days)});
  }
  t.print();
  if (!missing.empty()) print("  no price: {}\n", missing);
}

void print_unknown(const findings_of_data& found) {
  print("\nunknown figures\n");
  table t("chip | figures");
  for (const chip_spec& chip : generations) {
    std::string label(chip.name.view()), figures;
    const auto add_row = [&] {
      if (!figures.empty()) t.add({label, figures});
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
  t.print();
}

void print_conflicts(const findings_of_data& found) {
  print("\nfigures on which sources differ by more than {:g} %\n", rounding * 100);
  table t("chip | figure | >in use | >other | >differs by | ~source");
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
      t.add({one.chip, one.figure, cell(short_one(one.used)), cell(short_one(other.value)),
             other.difference < 0 ? std::string() : fmt::format("{:.1f} %", other.difference * 100), other.source});
    }
  }
  t.print();
  print("  {} more differ by less\n\n  {}\n", rounded, dim("next: tpuplan chips v5e   every figure with its sources"));
}

void run_doctor(const doctor_options& given, const session& with) {
  const std::string on = given.on.empty() ? today() : given.on;
  if (!is_iso_date(on)) refuse("--on", on, "an ISO date such as 2026-11-22");
  const findings_of_data found = examine(with.data_dir, given.prices, on);
  if (with.json) return print_json(to_json(found, on));
  print_files(found, on);
  print_prices(found);
  print_unknown(found);
  print_conflicts(found);
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
