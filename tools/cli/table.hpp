#ifndef TPUPLAN_CLI_TABLE_HPP
#define TPUPLAN_CLI_TABLE_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/units.hpp>
#include <utility>
#include <vector>

#include "cli/option.hpp"

namespace cli {

/// What stands in a table: for people, and as a number in SI units for csv.
struct cell {
  cell(std::string words) : shown{std::move(words)}, raw{shown} {}  // NOLINT(google-explicit-constructor)
  cell(const char* words) : cell(std::string(words)) {}             // NOLINT(google-explicit-constructor)
  cell(tpuplan::seconds time);                                      // NOLINT(google-explicit-constructor)
  cell(tpuplan::usd amount);                                        // NOLINT(google-explicit-constructor)
  cell(tpuplan::bytes size);                                        // NOLINT(google-explicit-constructor)
  cell(std::string words, double number, std::string_view its_unit = "");
  std::string shown, raw;
  std::string_view unit{};  // of `raw`, as a key of JSON has it: "_s"
};
/// "38.2 %", 0.382 in csv.
cell share_cell(double share);
/// "8,030,261,248", without the commas in csv.
cell count_cell(std::int64_t number);

/// A table for people: a header line, aligned columns, nothing drawn around it; or csv, or Markdown, as asked.
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
