#ifndef TPUPLAN_CLI_PRICES_HPP
#define TPUPLAN_CLI_PRICES_HPP

#include <optional>
#include <string>
#include <tpuplan/io/price_file.hpp>

// Which prices count: the built-in ones or those of a file, and of which region.
#include "cli/option.hpp"

namespace cli {

struct price_options {
  std::string file, region = "us";
};

void add_price_file_option(command& added, std::string& file);
/// --region and --prices, for commands that look at one region.
void add_price_options(command& added, price_options& into);

/// The rows of a price file, if one was given, and the book that looks at them.
class loaded_prices {
 public:
  explicit loaded_prices(const std::string& file);
  [[nodiscard]] tpuplan::price_book book() const;

 private:
  std::optional<tpuplan::owned_price_book> own_;
};

/// The regions that the book has rows of.
std::vector<std::string> all_regions(const tpuplan::price_book& book);
/// Refuses a region of which the book has no row.
void check_region(const tpuplan::price_book& book, const std::string& region);

}  // namespace cli

#endif
