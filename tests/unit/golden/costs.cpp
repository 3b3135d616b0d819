// Ways of paying, spot runs, commitments and checkpoints for many runs, figure by figure, against
// tests/golden/costs.txt. Whether they are true is what the oracles ask; here no figure changes unnoticed.

#include <string>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/cost/preemption.hpp>

#include "support/catch.hpp"
#include "support/fields.hpp"
#include "support/golden.hpp"

using namespace tpuplan;

namespace {

template <class Ask>
void add_figure(std::string& lines, const std::string& what, const Ask& ask) {
  lines_of_fields one;
  try {
    one.add(what, ask());
    lines += one.lines;
  } catch (const error& refusal) {
    lines += what + ": " + refusal.what() + "\n";
  }
}

void add_spot(std::string& lines, const std::string& what, const spot_run& run) {
  const spot_prices prices{usd_per_hour(1.20), usd_per_hour(0.55)};
  add_answer(lines, what + ": run", [&] { return expected_run(run); });
  add_answer(lines, what + ": comparison", [&] { return compare_spot(prices, run); });
  add_figure(lines, what + ": break even", [&] { return break_even_mean_time_between_preemptions(prices, run); });
  add_figure(lines, what + ": first order", [&] { return first_order_overhead(run); });
}

}  // namespace

TEST_CASE("spot runs, figure by figure") {
  std::string lines;
  for (const double work : {3600.0, 36000.0, 864000.0}) {
    for (const double checkpoint : {0.0, 1e-9, 15.0, 300.0}) {
      for (const double mean : {300.0, 14400.0, 1e7}) {
        spot_run run;
        run.work = seconds{work};
        run.checkpoint_time = seconds{checkpoint};
        run.mean_time_between_preemptions = seconds{mean};
        run.restart_time = seconds{mean < 1000 ? 0.0 : 600.0};
        run.queue_time = seconds{checkpoint};
        run.checkpoint_interval = seconds{work == 36000 ? 1800.0 : 1700.0};
        run.restart_can_be_preempted = checkpoint != 15;
        run.final_checkpoint = work != 3600;
        const std::string what = std::to_string(work) + " " + std::to_string(checkpoint) + " " + std::to_string(mean);
        add_spot(lines, what, run);
        add_figure(lines, what + ": young", [&] { return young_interval(run.checkpoint_time, seconds{mean}); });
        add_figure(lines, what + ": daly",
                   [&] { return daly_interval(run.checkpoint_time, seconds{mean}, run.restart_time); });
        add_figure(lines, what + ": daly high",
                   [&] { return daly_interval_high_order(run.checkpoint_time, seconds{mean}); });
        add_figure(lines, what + ": exact", [&] { return optimal_interval(run.checkpoint_time, seconds{mean}); });
      }
    }
  }
  for (const double probability : {0.0, 1e-9, 0.1, 0.999999, 1.0}) {
    add_figure(lines, "mean of probability " + std::to_string(probability),
               [&] { return mean_time_between_preemptions_from_probability(probability, 24_h); });
  }
  add_figure(lines, "mean of count", [] { return mean_time_between_preemptions_from_count(100_h, 7); });
  add_figure(lines, "mean of slices", [] { return mean_time_between_preemptions_of_slices(9_h, 4); });
  add_figure(lines, "probability", [] { return preemption_probability(9_h, 1_h); });
  CHECK(golden_problem("spot.txt", lines) == "");
}

TEST_CASE("ways of paying, commitments and checkpoints, figure by figure") {
  std::string lines;
  for (const char* slice_name : {"v5litepod-16", "tpu7x-64", "v3-32"}) {
    const slice s = slice_for(slice_name);
    for (const seconds run : {20_h, 9_days, 400_days}) {
      for (const std::int64_t slice_total : {std::int64_t{1}, std::int64_t{4}}) {
        payment_terms terms;
        terms.spot.correlation = slice_total == 4 ? 0.5 : 0;
        terms.rest_of_term_used = slice_total == 4 ? 0.25 : 1;
        terms.flex_start.may_be_split = run != 9_days;
        const std::string what =
            std::string(slice_name) + " x" + std::to_string(slice_total) + " " + std::to_string(run.value());
        const payment_options ways = ways_to_pay(price_book{}, s, slice_total, "us", run, terms);
        for (const paid_run& way : ways)
          add_answer(lines, what + " " + std::string(name(way.kind)), [&] { return way; });
        for (const provisioning kind : {provisioning::commitment_1y, provisioning::commitment_3y}) {
          add_answer(lines, what + " under " + std::string(name(kind)),
                     [&] { return cost_under_commitment(usd_per_hour(7.5), kind, run, 0.4); });
        }
      }
    }
  }
  for (const double kept : {1.0, 5.0}) {
    checkpoint_store store;
    store.checkpoint = 480_GB;
    store.kept = static_cast<std::int64_t>(kept);
    store.held = 30_days;
    store.written = 700;
    store.restored = 13;
    store.objects = 64;
    add_answer(lines, "checkpoints " + std::to_string(kept),
               [&] { return cost_of_checkpoints(store, usd_per_gib_month(0.020)); });
  }
  CHECK(golden_problem("payment.txt", lines) == "");
}
