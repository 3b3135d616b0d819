#ifndef TPUPLAN_CLI_PRICES_HPP
#define TPUPLAN_CLI_PRICES_HPP

#include <initializer_list>
#include <string>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/read/prices.hpp>
#include <vector>

// The prices in use: the built-in ones or those of a file, and their region.
#include "cli/commands.hpp"
#include "cli/option.hpp"

namespace cli {

struct price_options {
  std::string file, region = "us";
};

void add_price_file_option(command& added, std::string& file);
/// --region and --prices, for commands that look at one region; beside one of `needed`, where there are some.
void add_price_options(command& added, price_options& into, std::initializer_list<const char*> needed = {});

/// Whether the prices come from --prices; the grades of such prices are not marked as doubtful.
bool prices_are_own();
/// The prices of a file of --prices; refuses one that is dated after today.
tpuplan::owned_price_book load_own_prices(const std::string& file);

/// The rows of a price file, if one was given, else those of --data-dir or the known ones of the world, and the book
/// that refers to them.
class loaded_prices {
 public:
  loaded_prices(const std::string& file, const session& with);
  loaded_prices(const price_options& given, const session& with) : loaded_prices(given.file, with) {}
  [[nodiscard]] tpuplan::price_book book() const { return own_.book(); }
  /// Takes other prices instead, where there are some.
  void take(const tpuplan::asked_prices& other) {
    if (other.own) own_ = *other.own;
  }

 private:
  tpuplan::owned_price_book own_;
};

/// The region of the prices of a command that follows; "us" too beside a zone, as else its region is taken.
void add_region(std::vector<follow_up_option>& own, std::string_view region, const session& with);

/// The day of today, by UTC; that of SOURCE_DATE_EPOCH where it is set, so that an answer can be had again.
std::string today();
/// Says that a deadline by a date counts from today, where no start is given.
void say_start(const session& with, std::vector<tpuplan::assumption>& assumed);
/// Refuses a region of which the book has no row, with those that it has, and with areas where they may be named.
void check_region(const tpuplan::price_book& book, const std::string& region, bool may_be_area = false);

}  // namespace cli

#endif
