#ifndef TPUPLAN_CLI_TABLE_HPP
#define TPUPLAN_CLI_TABLE_HPP

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/base/units.hpp>
#include <utility>
#include <vector>

#include "cli/option.hpp"

namespace cli {

/// One cell of a table: its text for people, and its number in SI units for csv.
struct cell {
  cell(std::string words) : shown{std::move(words)}, raw{shown} {}  // NOLINT(google-explicit-constructor)
  cell(const char* words) : cell(std::string(words)) {}             // NOLINT(google-explicit-constructor)
  cell(tpuplan::seconds time);                                      // NOLINT(google-explicit-constructor)
  cell(tpuplan::usd amount);                                        // NOLINT(google-explicit-constructor)
  cell(tpuplan::bytes size);                                        // NOLINT(google-explicit-constructor)
  cell(std::string words, double number, std::string_view its_unit = "");
  /// A range, which is two columns of csv: _low and _high.
  cell(std::string words, double its_low, double high, std::string_view its_unit);
  std::string shown, raw;
  std::string low{};        // of a range
  std::string_view unit{};  // of `raw`, as a key of JSON has it: "_s"
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

/// A table for people: a header line, aligned columns, nothing drawn around it; or csv, or Markdown, as asked. Csv is
/// the first table of an answer alone, so that a file has one header line.
class table {
 public:
  /// The titles: "slice | ~topology | >chips". Columns of numbers, with > before their title, are aligned at their end.
  /// Those with ~ are left out where the table would be wider than the terminal: with ~~~ first, then ~~, the last
  /// first.
  explicit table(std::string_view titles);
  /// Adds a row; cells that are missing at its end are empty.
  void add(std::vector<cell> cells);
  /// Writes it, indented by two. Says how many columns were left out.
  void print() const;
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

 private:
  struct column {
    std::string title;
    bool at_end = false;     // aligned there
    int less_important = 0;  // number of ~
  };
  [[nodiscard]] std::vector<std::size_t> widths() const;
  [[nodiscard]] std::vector<std::size_t> columns_that_fit() const;
  [[nodiscard]] std::string left_out(const std::vector<std::size_t>& shown) const;
  void print_text() const;
  void print_csv() const;
  void print_markdown() const;

  std::vector<column> columns_;
  std::vector<std::vector<cell>> rows_;
};

/// "name  value" lines, aligned.
void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs);

/// --svg, for a command whose answer can be drawn.
void add_picture_option(command& to);
/// --wide, --csv and --markdown, for a command whose answer has tables.
void add_table_options(command& to);

}  // namespace cli

#endif
