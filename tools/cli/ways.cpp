#include "cli/ways.hpp"

#include "cli/prices.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

void print_ways(const std::vector<run_price>& ways, const payment_terms& terms, const std::string& region) {
  table t("paid for as | >total | ~>between | >start to end | ~price of");
  std::vector<price_row> rows;
  for (const run_price& one : ways) {
    const std::optional<usd>&low = one.total_low, &high = one.total_high;
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
  for (const run_price& one : ways) {
    if (one.checkpoint_interval)
      print("  spot: a preemption of a slice every {}, a checkpoint of {} every {}\n",
            duration(terms.spot.mean_time_between_preemptions), duration(terms.spot.checkpoint_time),
            duration(*one.checkpoint_interval));
    if (is_commitment(one.kind) && terms.rest_of_term_used == 0) {
      print("  a commitment is paid for its whole term: --rest-used says what part of the rest other work uses\n");
      break;
    }
  }
}

}  // namespace cli
