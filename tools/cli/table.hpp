#ifndef TPUPLAN_CLI_TABLE_HPP
#define TPUPLAN_CLI_TABLE_HPP

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/base/units.hpp>
#include <tpuplan/show/view.hpp>
#include <utility>
#include <vector>

#include "cli/option.hpp"

namespace cli {

/// One cell of a table, and the unit of its figure as a key of JSON has it: "_s".
struct cell : tpuplan::view_cell {
  cell(std::string words) : view_cell{std::move(words), {}, {}} {}  // NOLINT(google-explicit-constructor)
  cell(const char* words) : cell(std::string(words)) {}             // NOLINT(google-explicit-constructor)
  cell(tpuplan::seconds time);                                      // NOLINT(google-explicit-constructor)
  cell(tpuplan::usd amount);                                        // NOLINT(google-explicit-constructor)
  cell(tpuplan::bytes size);                                        // NOLINT(google-explicit-constructor)
  cell(std::string words, double number, std::string_view its_unit = "");
  /// A range, which is two columns of csv: _low and _high.
  cell(std::string words, double its_low, double high, std::string_view its_unit);
  std::string_view unit{};
};
/// "26.7-69.8 ms".
cell range_cell(tpuplan::seconds low, tpuplan::seconds high);
/// "15.5 of 31.2 GiB", the bytes in use in csv.
cell used_cell(tpuplan::bytes used, tpuplan::bytes usable);
/// A number as a format has it, itself in csv: number_cell("{:.1f}", 3.14159).
template <class Number>
cell number_cell(fmt::format_string<Number&> shown, Number number, std::string_view unit = "") {
  return {fmt::format(shown, number), static_cast<double>(number), unit};
}
/// "38.2 %", 0.382 in csv.
cell share_cell(double share);
/// "8,030,261,248", without the commas in csv.
cell count_cell(std::int64_t number);

/// A table that a command makes row by row, of the columns that `columns_of` reads.
class table {
 public:
  explicit table(std::string_view titles);
  /// Adds a row; cells that are missing at its end are empty.
  void add(std::vector<cell> cells);
  /// Writes it in the form that was asked for.
  void print() const;
  [[nodiscard]] bool empty() const noexcept { return part_.rows.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return part_.rows.size(); }
  [[nodiscard]] const tpuplan::view_part& part() const noexcept { return part_; }

 private:
  tpuplan::view_part part_;
};

/// Writes a view in the form that was asked for.
void print_view(const tpuplan::view& shown);
/// Writes a part by itself, behind an empty line.
void print_part(const tpuplan::view_part& part);
/// What a view shows, as the command line was asked.
tpuplan::view_options view_options_of();

/// "name  value" lines, aligned.
void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs);

/// --svg, for a command whose answer can be drawn.
void add_picture_option(command& to);
/// --wide, --csv and --markdown, for a command whose answer has tables.
void add_table_options(command& to);

}  // namespace cli

#endif
