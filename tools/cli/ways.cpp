#include "cli/ways.hpp"

#include <algorithm>
#include <tpuplan/io/json.hpp>

#include "cli/prices.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

std::vector<paid_run> paid_ways(const slice& where, std::int64_t slices, seconds run, const price_book& book,
                                const std::string& region, const payment_terms& terms) {
  std::vector<paid_run> list;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, where, region, kind);
    if (price && can_be_paid(kind, slices, run, terms)) list.push_back(pay_for(where, slices, run, *price, terms));
  }
  std::sort(list.begin(), list.end(), [](const paid_run& x, const paid_run& y) { return x.total < y.total; });
  return list;
}

void print_ways(const std::vector<paid_run>& ways, const payment_terms& terms, double low, double high) {
  table t("paid for as | >total | ~>between | >start to end | ~price of");
  for (const paid_run& one : ways) {
    const bool by_the_hour = one.unused_cost.value() == 0;
    t.add({std::string(name(one.kind)), one.total,
           by_the_hour ? cell(fmt::format("{}-{}", money(one.total * low), money(one.total * high)),
                              (one.total * high).value(), "_usd")
                       : "",
           one.wall, date_cell(one.price)});
  }
  t.print();
  for (const paid_run& one : ways) {
    if (one.kind == provisioning::spot)
      print("  spot: a preemption of a slice every {}, a checkpoint of {} every {}\n",
            duration(terms.spot.mean_time_between_preemptions), duration(terms.spot.checkpoint_time),
            duration(one.checkpoint_interval));
    if (is_commitment(one.kind) && terms.rest_of_term_used == 0) {
      print("  a commitment is paid for its whole term: --rest-used says what part of the rest other work uses\n");
      break;
    }
  }
}

ordered_json json_of_ways(const std::vector<paid_run>& ways) {
  ordered_json list = ordered_json::array();
  for (const paid_run& one : ways) {
    list.push_back({{"kind", name(one.kind)},
                    {"total_usd", one.total.value()},
                    {"wall_s", one.wall.value()},
                    {"price", one.price}});
  }
  return list;
}

}  // namespace cli
