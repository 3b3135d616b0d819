#ifndef TPUPLAN_LAB_DATA_HEALTH_HPP
#define TPUPLAN_LAB_DATA_HEALTH_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <vector>

/// @file
/// The state of the files in data/: how old their sources are, which figures are unknown, and where sources differ.

namespace tpuplan {
inline namespace abi_0 {

/// The dates in a document; empty where it has none.
struct date_range {
  std::string oldest;  ///< ISO
  std::string newest;  ///< ISO
};

/// The earliest and the latest ISO date in any text of a document: in its rows, sources and notes. Worked:
/// {"read": "2026-11-21", "of": ["page, copy of 2025-09-04"]} is from 2025-09-04 to 2026-11-21.
[[nodiscard]] inline date_range dates_in(const nlohmann::json& document) {
  date_range dates;
  const auto add = [&dates](const std::string& date) {
    if (date.empty()) return;
    if (dates.oldest.empty() || date < dates.oldest) dates.oldest = date;
    if (date > dates.newest) dates.newest = date;
  };
  if (document.is_string()) {
    const std::string& words = document.get_ref<const std::string&>();
    for (std::size_t i = 0; i + 10 <= words.size(); ++i) {
      const std::string ten = words.substr(i, 10);
      if (is_iso_date(ten)) add(ten);
    }
  }
  if (document.is_structured()) {
    for (const nlohmann::json& each : document) {
      const date_range inner = dates_in(each);
      add(inner.oldest);
      add(inner.newest);
    }
  }
  return dates;
}

/// A figure of a chip that no source gives, though the chip may have it.
struct unknown_figure {
  std::string chip;    ///< "v6e"
  std::string figure;  ///< "host_dram_bytes"
};

/// A value of a figure from a source that the table does not use.
struct other_value {
  std::string value;       ///< as the file has it
  std::string source;      ///< its key in the file
  double difference = -1;  ///< from the value that is used, as a share of it; -1 where a value is not a number
};

/// A figure of a chip on which sources differ.
struct figure_conflict {
  std::string chip;                 ///< "v6e"
  std::string figure;               ///< "hbm_bandwidth"
  std::string used;                 ///< the value of the table
  std::vector<other_value> others;  ///< of other sources
  double largest = -1;              ///< of the differences
};

namespace detail {

/// A value as text: a text unchanged, a number with a point in six digits, a missing value as "absent" or "unknown".
inline std::string shown_value(const nlohmann::json& value, const std::string& state = "unknown") {
  if (value.is_null()) return state;
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float()) return value.dump();
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.6g", value.get<double>());
  return digits.data();
}

/// Calls a function with the name of each chip, the name of each of its figures, and the figure, for a document like
/// data/hardware.json.
template <class Use>
inline void for_each_figure(const nlohmann::json& hardware, const Use& use) {
  for (const nlohmann::json& chip : hardware.at("generations")) {
    for (const auto& [name, figure] : chip.at("fields").items()) use(chip.at("id").get<std::string>(), name, figure);
  }
}

}  // namespace detail

/// The figures that are unknown in a document like data/hardware.json. Figures that a chip does not have are left out.
[[nodiscard]] inline std::vector<unknown_figure> unknown_figures(const nlohmann::json& hardware) {
  std::vector<unknown_figure> figures;
  detail::for_each_figure(hardware,
                          [&](const std::string& chip, const std::string& name, const nlohmann::json& figure) {
                            if (figure.at("value").is_null() && figure.value("state", "unknown") != "absent")
                              figures.push_back({chip, name});
                          });
  return figures;
}

/// The figures of a document like data/hardware.json for which other sources give something else, the largest
/// difference first. Worked: 9.18e14 in use and 9.2e14 is a difference of 0.22 %.
[[nodiscard]] inline std::vector<figure_conflict> figure_conflicts(const nlohmann::json& hardware) {
  std::vector<figure_conflict> conflicts;
  detail::for_each_figure(
      hardware, [&](const std::string& chip, const std::string& name, const nlohmann::json& figure) {
        if (!figure.contains("alternatives")) return;
        const nlohmann::json& used = figure.at("value");
        figure_conflict one{chip, name, detail::shown_value(used, figure.value("state", "unknown")), {}, -1};
        for (const nlohmann::json& other : figure.at("alternatives")) {
          const nlohmann::json& value = other.at("value");
          if (value == used) continue;
          other_value each{detail::shown_value(value), other.at("source").get<std::string>(), -1};
          if (value.is_number() && used.is_number() && std::abs(used.get<double>()) > 0)
            each.difference = std::abs(value.get<double>() / used.get<double>() - 1);
          one.largest = std::max(one.largest, each.difference);
          one.others.push_back(std::move(each));
        }
        if (!one.others.empty()) conflicts.push_back(std::move(one));
      });
  std::stable_sort(conflicts.begin(), conflicts.end(),
                   [](const figure_conflict& a, const figure_conflict& b) { return a.largest > b.largest; });
  return conflicts;
}

/// The prices of one chip and way of paying.
struct price_group {
  text<24> generation{};
  provisioning kind = provisioning::on_demand;
  std::int64_t rows = 0;
  std::int64_t stale = 0;          ///< rows older than `stale_after_days`
  std::int64_t youngest_days = 0;  ///< age of the youngest row
  std::int64_t oldest_days = 0;    ///< age of the oldest row
};

/// The prices of a book by chip and way of paying with their ages on a day, for every chip of the table that may be
/// rented; a group without rows has no price.
[[nodiscard]] inline std::vector<price_group> price_groups(const price_book& book, std::string_view on) {
  std::vector<price_group> groups;
  for (const chip_spec& chip : generations) {
    if (chip.announced_only) continue;
    for (const provisioning kind : all_provisioning) {
      price_group group{chip.name, kind, 0, 0, 0, 0};
      for (std::size_t i = 0; i < book.size(); ++i) {
        const price_row row = book.row(i);
        if (row.generation != chip.name || row.kind != kind) continue;
        const std::int64_t days = age_in_days(row, on);
        group.youngest_days = group.rows == 0 ? days : std::min(group.youngest_days, days);
        group.oldest_days = group.rows == 0 ? days : std::max(group.oldest_days, days);
        ++group.rows;
        group.stale += days > stale_after_days;
      }
      groups.push_back(group);
    }
  }
  return groups;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
