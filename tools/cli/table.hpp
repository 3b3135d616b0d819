#ifndef TPUPLAN_CLI_TABLE_HPP
#define TPUPLAN_CLI_TABLE_HPP

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Colour and weight on a terminal, plain text elsewhere (and where NO_COLOR is set).
std::string bold(std::string_view words);
std::string dim(std::string_view words);

enum class align { left, right };

/// A table for people: a header line, aligned columns, nothing drawn around it.
class table {
 public:
  struct column {
    std::string title;
    align side = align::left;
  };

  explicit table(std::vector<column> columns);
  /// Adds a row of as many cells as there are columns.
  void add(std::vector<std::string> cells);
  /// Prints to standard output, indented by two.
  void print() const;
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "name  value" lines, aligned.
void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace cli

#endif
