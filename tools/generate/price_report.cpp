// tpuplan_price_report ROOT CATALOG DATE: what a catalog of prices says beside data/prices.json, without a network:
// what changed, what is old on that day, and what has no counterpart. It changes nothing: who edits data/prices.json
// decides which source a row keeps.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <tpuplan/read/prices.hpp>
#include <vector>

namespace {

using namespace tpuplan;

std::string described(const price_row& row) {
  return fmt::format("{} {} {}{}", row.generation.view(), row.region.view(), name(row.kind),
                     row.smallest_chips > 1 ? fmt::format(" from {} chips", row.smallest_chips) : "");
}

void print_rows(const char* title, const std::vector<price_row>& rows, const std::string& on) {
  fmt::print("\n{}: {}\n", title, rows.size());
  for (const price_row& row : rows)
    fmt::print("  {}  ${:.4f}/h  {} ({} days)\n", described(row), in_usd_per_hour(row.per_chip), row.date.view(),
               age_in_days(row, on));
}

void report(const std::string& root, const std::string& path, const std::string& on) {
  const owned_price_book ours = load_prices(root + "/data/prices.json");
  const catalog_prices catalog = load_price_catalog(path, on);
  const price_comparison between = compare_prices(ours.book(), catalog.prices.book());
  fmt::print("{} against data/prices.json, {}\nunchanged: {}\n\nchanged: {}\n", path, on, between.unchanged,
             between.changed.size());
  for (const price_change& change : between.changed)
    fmt::print("  {}  ${:.4f}/h of {} is ${:.4f}/h\n", described(change.after), in_usd_per_hour(change.before.per_chip),
               change.before.date.view(), in_usd_per_hour(change.after.per_chip));
  print_rows("only in the catalog", between.added, on);
  print_rows("only in data/prices.json", between.missing, on);
  print_rows(fmt::format("older than {} days in data/prices.json", stale_after_days).c_str(),
             prices_older_than(ours.book(), on), on);
  fmt::print("\nnot read in the catalog: {}\n", catalog.skipped.size());
  for (const std::string& line : catalog.skipped) fmt::print("  {}\n", line);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    fmt::print(
        stderr,
        "usage: tpuplan_price_report ROOT CATALOG DATE\n"
        "  ROOT: the folder with data/; CATALOG: vms.csv of SkyPilot or SKUs of Google as JSON; DATE: 2026-11-22\n");
    return 2;
  }
  try {
    report(arguments[1], arguments[2], arguments[3]);
    return 0;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 2;
  }
}
