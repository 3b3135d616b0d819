#include "cli/ways.hpp"

#include <algorithm>
#include <tpuplan/io/json.hpp>

#include "cli/prices.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

std::vector<cost_range> paid_ways(const slice& where, std::int64_t slices, const run_range& run, const price_book& book,
                                  const std::string& region, const payment_terms& terms) {
  std::vector<cost_range> list;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, where, region, kind);
    if (!price || !can_be_paid(kind, slices, run.expected, terms)) continue;
    const auto total = [&](seconds time) -> std::optional<usd> {
      if (!can_be_paid(kind, slices, time, terms)) return {};
      return pay_for(where, slices, time, *price, terms).total;
    };
    list.push_back({pay_for(where, slices, run.expected, *price, terms), total(run.low), total(run.high)});
  }
  std::sort(list.begin(), list.end(),
            [](const cost_range& x, const cost_range& y) { return x.run.total < y.run.total; });
  return list;
}

void print_ways(const std::vector<cost_range>& ways, const payment_terms& terms, const std::string& region) {
  table t("paid for as | >total | ~>between | >start to end | ~price of");
  std::vector<price_row> rows;
  for (const auto& [one, low, high] : ways) {
    const bool fixed = low && high && *low == *high;
    const std::string end = high ? money(*high) : "not to be had";
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
  for (const auto& [one, low, high] : ways) {
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

ordered_json json_of_ways(const std::vector<cost_range>& ways) {
  const auto dollars = [](const std::optional<usd>& amount) {
    return amount ? ordered_json(amount->value()) : ordered_json(nullptr);
  };
  ordered_json list = ordered_json::array();
  for (const auto& [one, low, high] : ways) {
    list.push_back({{"kind", name(one.kind)},
                    {"total_usd", one.total.value()},
                    {"total_low_usd", dollars(low)},
                    {"total_high_usd", dollars(high)},
                    {"wall_s", one.wall.value()},
                    {"price", one.price}});
  }
  return list;
}

}  // namespace cli
