#include "cli/ways.hpp"

#include "cli/prices.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// The ways that a reader compares: commitments, whose whole term is paid for, only beside runs of a hundredth of it or
/// more, with --wide, and in tables for programs.
std::vector<run_price> compared(const std::vector<run_price>& ways, seconds run) {
  if (form().wide || form().of != output_form::kind::text) return ways;
  std::vector<run_price> shown;
  for (const run_price& one : ways) {
    if (!is_commitment(one.kind) || run >= commitment_term(one.kind) / 100) shown.push_back(one);
  }
  return shown;
}

std::string checkpoints_of(const run_price& spot, seconds run, const payment_terms& terms) {
  const std::string one = duration(terms.spot.checkpoint_time);
  if (!(*spot.checkpoint_interval < run)) return fmt::format("no checkpoint but one of {} at the end", one);
  return fmt::format("a checkpoint of {} every {}", one, duration(*spot.checkpoint_interval));
}

}  // namespace

void print_ways(const std::vector<run_price>& ways, seconds run, const payment_terms& terms,
                const std::string& region) {
  table t("paid for as | >total | ~>between | >start to end | ~price of");
  const std::vector<run_price> shown = compared(ways, run);
  std::vector<price_row> rows;
  for (const run_price& one : shown) {
    const maybe<usd>&low = one.total_low, &high = one.total_high;
    const bool fixed = low && high && *low == *high;
    const std::string end = high ? money(*high) : "not available";
    t.add({std::string(name(one.kind)), marked(one.total, one.price),
           fixed || !low ? cell("")
           : high        ? cell(fmt::format("{}-{}", money(*low), end), low->value(), high->value(), "_usd")
                         : cell(fmt::format("{}-{}", money(*low), end)),
           one.wall, date_cell(one.price)});
    rows.push_back(one.price);
  }
  t.print();
  print("  prices of {}, region {}\n", dates_of(rows), region);
  print_price_doubts(rows);
  for (const run_price& one : shown) {
    if (one.checkpoint_interval)
      print("  spot: a preemption of a slice every {}, {}\n", duration(terms.spot.mean_time_between_preemptions),
            checkpoints_of(one, run, terms));
    if (is_commitment(one.kind) && terms.rest_of_term_used == 0) {
      print("  a commitment is paid for its whole term: --rest-used says what part of the rest other work uses\n");
      break;
    }
  }
  if (shown.size() < ways.size()) print("  with --wide also commitments, whose whole term is paid for\n");
}

}  // namespace cli
