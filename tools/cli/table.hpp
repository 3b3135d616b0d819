#ifndef TPUPLAN_CLI_TABLE_HPP
#define TPUPLAN_CLI_TABLE_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

/// A table for people: a header line, aligned columns, nothing drawn around it.
class table {
 public:
  /// The titles: "slice | topology | >chips". Columns of numbers, with > before their title, are aligned at their end.
  explicit table(std::string_view titles);
  /// Adds a row; cells that are missing at its end are empty.
  void add(std::vector<std::string> cells);
  /// Prints to standard output, indented by two.
  void print() const;
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }

 private:
  std::vector<std::string> titles_;
  std::vector<bool> at_end_;  // of each column: aligned there
  std::vector<std::vector<std::string>> rows_;
};

/// "name  value" lines, aligned.
void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace cli

#endif
