// Ways of paying for a run, commitments, storage of checkpoints, offers held against each other, migration: figures
// derived by hand, and what each of them refuses. The worked figures of the comments are in tests/static/economics.cpp.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/migration.hpp>
#include <tpuplan/cost/offer.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/cost/timed_capacity.hpp>
#include <tpuplan/model/usual_job.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace cost_payment_tests {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct bad_case {
  std::string what;
  std::function<void()> call;
  errc code;
  std::string message;
};

void check_refused(const std::vector<bad_case>& cases) {
  for (const bad_case& one : cases) {
    INFO(one.what);
    const refusal r = refusal_of([&] { one.call(); });
    CHECK(r.refused);
    CHECK(r.code == one.code);
    INFO(r.message);
    CHECK(says(r.message, one.message));
  }
}

const slice two_hosts = slice_for("v5e-32");

price_row price_of(provisioning kind, double usd_an_hour) {
  return {"v5e", "us", kind, 1, usd_per_hour(usd_an_hour), "2026-11-21", date_qualifier::exact, 'C'};
}

}  // namespace

// ---- spot.hpp

TEST_CASE("markets have names that are read back", "[economics]") {
  for (const spot_market market : all_spot_markets) CHECK(parse_spot_market(name(market)) == market);
  CHECK(parse_spot_market("CALM") == spot_market::calm);
  CHECK_FALSE(parse_spot_market("rough"));
}

TEST_CASE("several slices last between M / n and M, at both ends exactly", "[economics]") {
  for (const double hours : {0.1, 4.0, 16.1}) {
    const seconds one = 1_h * hours;
    for (const std::int64_t n : {1, 2, 3, 7, 48}) {
      CHECK(mean_time_between_preemptions_of_slices(one, n, 0) == mean_time_between_preemptions_of_slices(one, n));
      CHECK(mean_time_between_preemptions_of_slices(one, n, 1) == one);
      seconds last{};
      for (const double c : {0.0, 0.1, 0.5, 0.9, 1.0}) {
        const seconds now = mean_time_between_preemptions_of_slices(one, n, c);
        CHECK((n == 1 ? close(now.value(), one.value()) : now > last));
        last = now;
      }
    }
  }
  // 3 slices, a quarter together: 3 x 3/4 + 1/4 = 2.5 preemptions of the job in the time of one of a slice.
  CHECK(mean_time_between_preemptions_of_slices(10_h, 3, 0.25) == 4_h);
}

TEST_CASE("the best spot run is no more expensive than any other number of intervals", "[economics]") {
  for (const double work_hours : {0.01, 0.3, 1.0, 9.7, 240.0}) {
    for (const double mean_hours : {0.2, 1.0, 5.0, 100.0}) {
      for (const double delta : {1.0, 60.0, 900.0}) {
        const spot_terms terms = {1_h * mean_hours, 0, seconds{delta}, 300_s, seconds{}};
        const spot_run best = best_spot_run(1_h * work_hours, 1, terms);
        const double billed = expected_run(best).billed.value();
        const double intervals = std::round(best.work / best.checkpoint_interval);
        CHECK(close(intervals, best.work / best.checkpoint_interval, 1e-12));
        CHECK(expected_run(best).segments == static_cast<std::int64_t>(intervals));
        bool least = true;
        for (double n = std::ceil(intervals / 4); n <= 2 * intervals + 3; ++n) {
          spot_run other = best;
          other.checkpoint_interval = best.work / n;
          least = least && expected_run(other).billed.value() >= billed * (1 - 1e-12);
        }
        CHECK(least);
      }
    }
  }
}

TEST_CASE("a spot run of several slices is preempted as often as the job is", "[economics]") {
  spot_terms terms;
  terms.mean_time_between_preemptions = 8_h;
  CHECK(best_spot_run(100_h, 4, terms).mean_time_between_preemptions == 2_h);
  terms.correlation = 1;
  CHECK(best_spot_run(100_h, 4, terms).mean_time_between_preemptions == 8_h);
  CHECK(best_spot_run(100_h, 4, terms).restart_time == 600_s);
}

TEST_CASE("at its break-even time between preemptions spot costs what on demand costs", "[economics]") {
  for (const double ratio : {1.05, 2.0, 3.9, 40.0}) {
    for (const std::int64_t n : {1, 4}) {
      for (const double correlation : {0.0, 0.3, 1.0}) {
        spot_terms terms;
        terms.correlation = correlation;
        const spot_prices prices = {usd_per_hour(ratio), usd_per_hour(1)};
        terms.mean_time_between_preemptions = break_even_mean_time_between_preemptions(prices, 50_h, n, terms);
        CHECK(close(expected_run(best_spot_run(50_h, n, terms)).billed_factor, ratio, 1e-9));
      }
    }
  }
  // No better with the interval that is best for it than with another: that one needs a longer time.
  const spot_prices prices = {usd_per_hour(1.2), usd_per_hour(0.6)};
  const spot_terms terms = {5_h, 0, 60_s, 300_s, seconds{}};
  const spot_run best = best_spot_run(10_h, 1, terms);
  CHECK(break_even_mean_time_between_preemptions(prices, best) >
        break_even_mean_time_between_preemptions(prices, 10_h, 1, terms));
}

TEST_CASE("what spot terms refuse", "[economics]") {
  const auto with = [](auto change) {
    return [change] {
      spot_terms terms;
      change(terms);
      (void)best_spot_run(10_h, 2, terms);
    };
  };
  check_refused({
      {"no work", [] { (void)best_spot_run(seconds{}, 1, {}); }, errc::missing_field, "spot run: work is 0"},
      {"endless work", [] { (void)best_spot_run(seconds{infinity}, 1, {}); }, errc::not_finite, "spot run: work"},
      {"no slices", [] { (void)best_spot_run(1_h, 0, {}); }, errc::missing_field, "slices is 0"},
      {"free checkpoints", with([](spot_terms& t) { t.checkpoint_time = seconds{}; }), errc::missing_field,
       "spot_terms.checkpoint_time is 0"},
      {"negative mean", with([](spot_terms& t) { t.mean_time_between_preemptions = -1_h; }), errc::invalid_argument,
       "spot_terms.mean_time_between_preemptions is -3600"},
      {"negative restart", with([](spot_terms& t) { t.restart_time = -1_s; }), errc::invalid_argument,
       "spot_terms.restart_time is -1"},
      {"NaN queue", with([](spot_terms& t) { t.queue_time = seconds{not_a_number}; }), errc::not_finite,
       "spot_terms.queue_time"},
      {"correlation below 0", with([](spot_terms& t) { t.correlation = -0.1; }), errc::out_of_range,
       "correlation is -0.1; valid: 0 (independent) to 1"},
      {"correlation above 1", with([](spot_terms& t) { t.correlation = 1.1; }), errc::out_of_range, "correlation"},
      {"NaN correlation", with([](spot_terms& t) { t.correlation = not_a_number; }), errc::not_finite, "correlation"},
      {"spot as expensive as on demand",
       [] {
         (void)break_even_mean_time_between_preemptions({usd_per_hour(1), usd_per_hour(1)}, 1_h, 1, {});
       },
       errc::infeasible, "spot_prices: spot"},
      {"a saving of half a checkpoint",
       [] {
         const double half = 1 + 7.5 / 3600;
         (void)break_even_mean_time_between_preemptions({usd_per_hour(half), usd_per_hour(1)}, 1_h, 1, {});
       },
       errc::infeasible, "below on_demand x work / (work + one checkpoint)"},
      {"free spot",
       [] {
         (void)break_even_mean_time_between_preemptions({usd_per_hour(1), {}}, 1_h, 1, {});
       },
       errc::missing_field, "spot_prices: spot is 0"},
      {"break-even of no work",
       [] {
         (void)break_even_mean_time_between_preemptions({usd_per_hour(2), usd_per_hour(1)}, 0_s, 1, {});
       },
       errc::missing_field, "spot run: work is 0"},
      {"unknown market", [] { (void)typical_mean_time_between_preemptions(static_cast<spot_market>(9)); },
       errc::invalid_argument, "spot_market is 9; valid: calm, cautious or scarce"},
  });
}

// ---- timed_capacity.hpp

TEST_CASE("flex-start has the fewest pieces that hold the run and its restarts", "[economics]") {
  flex_start_terms terms;
  terms.limit = 10_h;
  terms.checkpoint_time = 10_min;
  terms.restart_time = 50_min;
  terms.queue_time = 2_h;
  // n pieces hold 10 n - (n - 1) = 9 n + 1 hours.
  for (const std::int64_t n : {1, 2, 3, 10}) {
    const seconds most = 1_h * static_cast<double>(9 * n + 1);
    const timed_run full = flex_start_run(most, terms);
    CHECK(full.pieces == n);
    CHECK(full.billed == 10_h * static_cast<double>(n));
    CHECK(full.wall == 12_h * static_cast<double>(n));
    CHECK(full.queue == 2_h * static_cast<double>(n));
    CHECK(full.unused == seconds{});
    CHECK(flex_start_run(most + 1_s, terms).pieces == n + 1);
    CHECK(flex_start_run(most + 1_s, terms).overhead == 1_h * static_cast<double>(n));
  }
}

TEST_CASE("a calendar window is whole days", "[economics]") {
  CHECK(calendar_run(1_s).billed == 1_days);
  CHECK(calendar_run(3_days).unused == seconds{});
  CHECK(calendar_run(90_days).billed == 90_days);
  CHECK(calendar_run(3_days + 1_s).billed == 4_days);
  CHECK(calendar_run(3_days + 1_s).unused == 86399_s);
  CHECK(calendar_run(3_days + 1_s).wall == 3_days + 1_s);
}

TEST_CASE("what windows refuse", "[economics]") {
  const auto flex = [](auto change) {
    return [change] {
      flex_start_terms terms;
      change(terms);
      (void)flex_start_run(8_days, terms);
    };
  };
  check_refused({
      {"not split", flex([](flex_start_terms& t) { t.may_be_split = false; }), errc::out_of_range,
       "flex-start run in days is 8; valid: at most the limit"},
      {"longer pieces", flex([](flex_start_terms& t) { t.limit = 8_days; }), errc::out_of_range,
       "flex_start_terms.limit in days is 8; valid: at most 7 days"},
      {"no limit", flex([](flex_start_terms& t) { t.limit = seconds{}; }), errc::missing_field,
       "flex_start_terms.limit is 0"},
      {"restart as long as a piece", flex([](flex_start_terms& t) { t.restart_time = 7_days; }), errc::out_of_range,
       "flex_start_terms.restart_time is 604800; valid: less than the limit"},
      {"negative checkpoint", flex([](flex_start_terms& t) { t.checkpoint_time = -1_s; }), errc::invalid_argument,
       "flex_start_terms.checkpoint_time is -1"},
      {"negative queue", flex([](flex_start_terms& t) { t.queue_time = -1_s; }), errc::invalid_argument,
       "flex_start_terms.queue_time is -1"},
      {"NaN restart", flex([](flex_start_terms& t) { t.restart_time = seconds{not_a_number}; }), errc::not_finite,
       "flex_start_terms.restart_time"},
      {"no run", [] { (void)flex_start_run(seconds{}); }, errc::missing_field, "run time is 0"},
      {"endless run", [] { (void)flex_start_run(seconds{1e300}); }, errc::out_of_range, "fewer than 9e15 pieces"},
      {"91 days of calendar", [] { (void)calendar_run(91_days); }, errc::out_of_range,
       "calendar run in days is 91; valid: 1 to 90 days"},
      {"no calendar run", [] { (void)calendar_run(seconds{}); }, errc::missing_field, "run time is 0"},
  });
}

// ---- commitment.hpp

TEST_CASE("at the break-even utilization a commitment costs what the hours cost on demand", "[economics]") {
  const usd_per_second committed = usd_per_hour(0.84 * 32), on_demand = usd_per_hour(1.20 * 32);
  const double share = break_even_utilization(committed, on_demand);
  const seconds used = commitment_term(provisioning::commitment_1y) * share;
  const commitment_cost c = cost_under_commitment(committed, provisioning::commitment_1y, used, 0);
  CHECK(close(c.total.value(), cost(on_demand, used).value()));
  CHECK(close(c.utilization, share));
  // Against spot at 0.30 with a fifth more billed: 0.84 / 0.36.
  CHECK(close(break_even_utilization(committed, usd_per_hour(0.30 * 32), 1.2), 0.84 / 0.36));
}

TEST_CASE("a run pays for its hours and for those that nobody uses", "[economics]") {
  const usd_per_second price = usd_per_hour(10);
  const commitment_cost half = cost_under_commitment(price, provisioning::commitment_1y, 760_h, 0.5);
  CHECK(close(half.run.value(), 7600));
  CHECK(close(half.idle.value(), 40000));
  CHECK(close(half.total.value(), 47600));
  CHECK(close(half.whole.value(), 87600));
  CHECK(close(half.utilization, 4760.0 / 8760));
  const commitment_cost shared = cost_under_commitment(price, provisioning::commitment_3y, 760_h, 1);
  CHECK(close(shared.total.value(), 7600));
  CHECK(shared.unused == seconds{});
  CHECK(shared.utilization == 1);
  const commitment_cost longer = cost_under_commitment(price, provisioning::commitment_1y, 400_days, 0);
  CHECK(longer.terms == 2);
  CHECK(close(longer.total.value(), 2 * 87600));
  CHECK(cost_under_commitment(price, provisioning::commitment_1y, 365_days, 0).terms == 1);
}

TEST_CASE("what commitments refuse", "[economics]") {
  const usd_per_second price = usd_per_hour(1);
  constexpr provisioning year = provisioning::commitment_1y;
  check_refused({
      {"spot has no term", [] { (void)commitment_term(provisioning::spot); }, errc::invalid_argument,
       "commitment is spot; valid: commitment_1y or commitment_3y"},
      {"free", [=] { (void)cost_under_commitment(usd_per_second{}, year, 1_h, 0); }, errc::missing_field, "price is 0"},
      {"no run", [=] { (void)cost_under_commitment(price, year, seconds{}, 0); }, errc::missing_field, "run time is 0"},
      {"more than the rest", [=] { (void)cost_under_commitment(price, year, 1_h, 1.5); }, errc::out_of_range,
       "rest of the term in use is 1.5; valid: 0 (idle) to 1 (used)"},
      {"NaN rest", [=] { (void)cost_under_commitment(price, year, 1_h, not_a_number); }, errc::not_finite, "rest of"},
      {"endless run", [=] { (void)cost_under_commitment(price, year, seconds{1e300}, 0); }, errc::out_of_range,
       "fewer than 9e15 terms"},
      {"free commitment", [=] { (void)break_even_utilization(usd_per_second{}, price); }, errc::missing_field,
       "break_even_utilization: committed is 0"},
      {"free otherwise", [=] { (void)break_even_utilization(price, usd_per_second{}); }, errc::missing_field,
       "break_even_utilization: otherwise is 0"},
      {"less billed than used", [=] { (void)break_even_utilization(price, price, 0.9); }, errc::out_of_range,
       "billed_factor is 0.9"},
  });
}

// ---- checkpoint_storage.hpp

TEST_CASE("checkpoints are paid by the byte, the second and the request", "[economics]") {
  CHECK(close(in_usd_per_gib_month(usd_per_gib_month(0.026)), 0.026));
  checkpoint_store store;
  store.checkpoint = 100_GiB;
  store.kept = 5;
  store.held = 365_h;  // half a month
  const storage_cost stored = cost_of_checkpoints(store, usd_per_gib_month(0.02));
  CHECK(stored.kept == 500_GiB);
  CHECK(close(stored.storage.value(), 5));
  CHECK(stored.operations == usd{});
  CHECK(close(stored.total.value(), 5));
  store.written = 200;
  store.restored = 10;
  store.objects = 50;
  const storage_cost used = cost_of_checkpoints(store, usd_per_gib_month(0.02));
  CHECK(close(used.operations.value(), 200 * 50 * 0.005 / 1000 + 10 * 50 * 0.0004 / 1000));
  CHECK(close(used.total.value(), 5 + 0.05 + 0.0002));
  // Google's own example: 50 GB for a month, 10,000 writes and 50,000 reads are 1.00 + 0.05 + 0.02 dollars.
  const storage_cost example =
      cost_of_checkpoints({50_GiB, 1, 730_h, 10000, 50000, 1}, *find_storage_price("us-east1"));
  CHECK(close(example.storage.value(), 1.00));
  CHECK(close(example.operations.value(), 0.07));
}

TEST_CASE("the checkpoints of a run", "[economics]") {
  CHECK(steps_between_checkpoints(1500_s, seconds{2.14}) == 701);
  CHECK(steps_between_checkpoints(1_s, 2_s) == 1);
  const run_checkpoints run = checkpoints_of(96_GB, 95368, seconds{2.14}, 1500_s, "us-east5");
  CHECK(run.period == 701);
  CHECK(run.written == 137);
  CHECK(run.kept == 3);
  CHECK(run.stored == 288_GB);
  CHECK(close(run.month.value(), 5.364, 0.001));
  CHECK(run.stored_in.view() == "us-east5");
  const run_checkpoints short_run = checkpoints_of(96_GB, 700, seconds{2.14}, 1500_s, "europe-west4", 5);
  CHECK(short_run.written == 1);
  CHECK(short_run.kept == 1);
  CHECK(short_run.stored_in.view() == "us-central1");
  check_refused(
      {{"no steps", [] { (void)checkpoints_of(1_GB, 0, 1_s, 1_s, "us-east5"); }, errc::missing_field, "steps"},
       {"no time", [] { (void)steps_between_checkpoints(1_s, 0_s); }, errc::missing_field, "step"}});
}

TEST_CASE("storage prices are known where a source was read", "[economics]") {
  CHECK(find_storage_price("US-Central1"));
  CHECK_FALSE(find_storage_price("us"));
  CHECK_FALSE(find_storage_price("europe-west4"));
  CHECK_FALSE(find_storage_price(""));
}

TEST_CASE("what storage refuses", "[economics]") {
  const auto with = [](auto change) {
    return [change] {
      checkpoint_store store = {1_GB, 1, 1_h, 0, 0, 0};
      change(store);
      (void)cost_of_checkpoints(store, usd_per_gib_month(0.02));
    };
  };
  const checkpoint_store good = {1_GB, 1, 1_h, 1, 0, 1};
  check_refused({
      {"nothing to store", with([](checkpoint_store& s) { s.checkpoint = bytes{}; }), errc::missing_field,
       "checkpoint_store.checkpoint is 0"},
      {"none kept", with([](checkpoint_store& s) { s.kept = 0; }), errc::missing_field, "checkpoint_store.kept is 0"},
      {"no time", with([](checkpoint_store& s) { s.held = seconds{}; }), errc::missing_field, "checkpoint_store.held"},
      {"negative writes", with([](checkpoint_store& s) { s.written = -1; }), errc::invalid_argument,
       "checkpoint_store.written is -1"},
      {"negative reads", with([](checkpoint_store& s) { s.restored = -1; }), errc::invalid_argument,
       "checkpoint_store.restored is -1"},
      {"writes of no objects", with([](checkpoint_store& s) { s.written = 1; }), errc::missing_field,
       "checkpoint_store.objects is 0"},
      {"negative objects", with([](checkpoint_store& s) { s.objects = -1; }), errc::invalid_argument,
       "checkpoint_store.objects is -1"},
      {"free storage", [=] { (void)cost_of_checkpoints(good, usd_per_byte_second{}); }, errc::missing_field,
       "storage price is 0"},
      {"negative request",
       [=] {
         (void)cost_of_checkpoints(good, usd_per_gib_month(1), {-1_usd, 0_usd});
       },
       errc::invalid_argument, "operation_prices.write is -1"},
      {"no parameters", [] { (void)cost_of_checkpoints(training_state_of(0), 1, 1_h, usd_per_gib_month(0.02)); },
       errc::missing_field, "parameters is 0"},
      {"more than dollars can be", with([](checkpoint_store& s) { s.checkpoint = bytes{1e308}, s.held = 1e308_s; }),
       errc::not_finite, "storage cost"},
  });
}

// ---- offer.hpp

TEST_CASE("two offers break even where they say", "[economics]") {
  const offer tpu = {usd_per_hour(100), 40_Hz}, gpu = {usd_per_hour(300), 60_Hz};
  const offer_comparison c = compare_offers(tpu, gpu);
  CHECK(close(c.cost.value(), 100.0 / 3600 / 40));
  CHECK(close(c.other_cost.value(), 300.0 / 3600 / 60));
  CHECK(close(c.saving_fraction, 0.5));
  CHECK(close(in_usd_per_hour(c.break_even_price), 200));
  CHECK(close(in_usd_per_hour(c.other_break_even_price), 150));
  CHECK(close(c.break_even_throughput.value(), 20));
  CHECK(close(compare_offers({c.break_even_price, tpu.throughput}, gpu).saving_fraction + 1, 1));
  CHECK(close(compare_offers(tpu, {c.other_break_even_price, gpu.throughput}).saving_fraction + 1, 1));
  CHECK(close(compare_offers({tpu.price, c.break_even_throughput}, gpu).saving_fraction + 1, 1));
  CHECK(close(compare_offers(gpu, tpu).saving_fraction, -1));
}

TEST_CASE("what offers refuse", "[economics]") {
  const offer good = {usd_per_hour(1), 1_Hz};
  const gpu_offer h100 = gpu_for("H100");
  check_refused({
      {"free",
       [=] {
         (void)compare_offers({usd_per_second{}, 1_Hz}, good);
       },
       errc::missing_field, "offer.price is 0"},
      {"idle",
       [=] {
         (void)compare_offers(good, {usd_per_hour(1), per_second{}});
       },
       errc::missing_field, "offer.throughput is 0"},
      {"no work", [=] { (void)cost_of_work(good, 0); }, errc::missing_field, "units of work is 0"},
      {"endless work",
       [=] {
         (void)cost_of_work({usd_per_hour(1e300), 1e-300_Hz});
       },
       errc::out_of_range, "units of"},
      {"committed GPUs", [=] { (void)offer_of(h100, 8, 1_Hz, provisioning::commitment_1y); }, errc::no_price,
       "price of a GPU is commitment_1y; valid: on_demand, spot, flex_start or calendar"},
      {"T4 in a calendar", [] { (void)offer_of(gpu_for("T4"), 8, 1_Hz, provisioning::calendar); }, errc::unknown_figure,
       "calendar price of the GPU is unknown"},
      {"no GPUs", [=] { (void)offer_of(h100, 0, 1_Hz); }, errc::missing_field, "chips is 0"},
      {"no slices", [] { (void)offer_of(two_hosts, 0, price_of(provisioning::on_demand, 1), 1_Hz); },
       errc::missing_field, "slices is 0"},
      {"no MFU", [] { (void)throughput_at(1_TFLOP_per_s, 0, 1_FLOP); }, errc::missing_field, "mfu is 0"},
      {"an MFU of 40", [] { (void)throughput_at(1_TFLOP_per_s, 40, 1_FLOP); }, errc::out_of_range,
       "mfu is 40; valid: above 0, at most 1"},
      {"no peak", [] { (void)throughput_at(0_TFLOP_per_s, 0.4, 1_FLOP); }, errc::missing_field, "peak rate is 0"},
      {"no FLOPs", [] { (void)throughput_at(1_TFLOP_per_s, 0.4, 0_FLOP); }, errc::missing_field, "work of a unit is 0"},
  });
}

// ---- migration.hpp

TEST_CASE("a migration has paid back when it is worth nothing", "[economics]") {
  for (const double discount : {0.0, 1e-9, 0.05, 0.5}) {
    const migration m = {100000_usd, 1500_usd, 8.5, discount};
    const maybe<double> months = months_to_pay_back(m);
    REQUIRE(months);
    CHECK(std::abs(value_of_migration(m, *months).value()) < 1e-6);
    CHECK(close(break_even_saving_per_job(m, *months).value(), 1500, 1e-9));
  }
  // Without a discount 100000 / 12750 months; a discount of next to nothing is the same.
  CHECK(close(*months_to_pay_back({100000_usd, 1500_usd, 8.5, 0}), 100000.0 / 12750));
  CHECK(close(*months_to_pay_back({100000_usd, 1500_usd, 8.5, 1e-12}), 100000.0 / 12750, 1e-9));
  // 12 months at 100 % a year, month by month.
  double worth = -5000;
  for (int month = 1; month <= 12; ++month) worth += 1000 / std::pow(2, month / 12.0);
  CHECK(close(value_of_migration({5000_usd, 1000_usd, 1, 1}, 12).value(), worth, 1e-10));
}

TEST_CASE("a migration may never pay back", "[economics]") {
  CHECK_FALSE(months_to_pay_back({1000_usd, 0_usd, 4, 0}));
  CHECK_FALSE(months_to_pay_back({1000_usd, -5_usd, 4, 0}));
  CHECK_FALSE(months_to_pay_back({1000_usd, 5_usd, 0, 0}));
  CHECK_FALSE(months_to_pay_back({0_usd, 0_usd, 4, 0}));
  CHECK(months_to_pay_back({0_usd, 5_usd, 4, 0}) == 0.0);
  // At 21 % a year a month costs 1.6 %: a saving of 1 a month is never worth more than 1 / 0.016 = 62.5.
  const double most = 1 / (std::pow(1.21, 1.0 / 12) - 1);
  CHECK_FALSE(months_to_pay_back({usd{most * 1.001}, 1_usd, 1, 0.21}));
  CHECK(months_to_pay_back({usd{most * 0.999}, 1_usd, 1, 0.21}));
}

TEST_CASE("the ends of what is taken", "[economics]") {
  const auto refused = [](const auto& ask) { return refusal_of(ask).code; };
  const usd_per_second price = usd_per_hour(1);
  const auto terms = [&](double count) {
    return refused([&] { (void)cost_under_commitment(price, provisioning::commitment_1y, 365_days * count, 1); });
  };
  CHECK(terms(9e15) == errc::out_of_range);
  flex_start_terms flex;
  flex.checkpoint_time = flex.restart_time = seconds{};
  CHECK(refused([&] { (void)flex_start_run(7_days * 9e15, flex); }) == errc::out_of_range);
  flex.limit = 600_s;
  flex.checkpoint_time = flex.restart_time = 300_s;
  CHECK(refused([&] { validate(flex); }) == errc::out_of_range);
  flex.restart_time = 299_s;
  CHECK_NOTHROW(validate(flex));
  CHECK(refused([] { (void)throughput_at(1_TFLOP_per_s, 1.5, flops{1e9}); }) == errc::out_of_range);
  CHECK(throughput_at(1_TFLOP_per_s, 1, flops{1e9}).value() == 1000);
  checkpoint_store store;
  store.checkpoint = 1_GiB;
  store.kept = 1;
  store.held = 1_h;
  for (double checkpoint_store::*times : {&checkpoint_store::written, &checkpoint_store::restored}) {
    checkpoint_store without = store;
    without.*times = 0.5;
    CHECK(refused([&] { (void)cost_of_checkpoints(without, usd_per_gib_month(0.02)); }) == errc::missing_field);
  }
  const auto moved = [&](const migration& m) { return refused([&] { (void)months_to_pay_back(m); }); };
  CHECK(moved({1_usd, 1_usd, 1, 10.5}) == errc::out_of_range);
  CHECK(moved({1_usd, 1_usd, 1.1e6, 0}) == errc::out_of_range);
  CHECK(moved({1_usd, usd{1.1e300}, 1, 0}) == errc::out_of_range);
  CHECK(moved({1_usd, usd{-1.1e300}, 1, 0}) == errc::out_of_range);
}

TEST_CASE("what migrations refuse", "[economics]") {
  check_refused({
      {"negative engineering",
       [] {
         (void)months_to_pay_back({-1_usd, 1_usd, 1, 0});
       },
       errc::invalid_argument, "migration.engineering is -1"},
      {"NaN saving",
       [] {
         (void)months_to_pay_back({1_usd, usd{not_a_number}, 1, 0});
       },
       errc::not_finite, "migration.saving_per_job"},
      {"negative jobs",
       [] {
         (void)months_to_pay_back({1_usd, 1_usd, -1, 0});
       },
       errc::out_of_range, "migration.jobs_per_month is -1"},
      {"negative discount",
       [] {
         (void)months_to_pay_back({1_usd, 1_usd, 1, -0.1});
       },
       errc::out_of_range, "migration.discount is -0.1; valid: 0 to 10, where 0.08 is 8 % a year"},
      {"per cent for a share",
       [] {
         (void)months_to_pay_back({1_usd, 1_usd, 1, 12});
       },
       errc::out_of_range, "migration.discount is 12"},
      {"negative months",
       [] {
         (void)value_of_migration({1_usd, 1_usd, 1, 0}, -1);
       },
       errc::invalid_argument, "months is -1"},
      {"endless months",
       [] {
         (void)value_of_migration({1_usd, 1_usd, 1, 0}, infinity);
       },
       errc::not_finite, "months"},
      {"no months",
       [] {
         (void)break_even_saving_per_job({1_usd, 1_usd, 1, 0}, 0);
       },
       errc::missing_field, "months is 0"},
      {"no jobs",
       [] {
         (void)break_even_saving_per_job({1_usd, 1_usd, 0, 0}, 1);
       },
       errc::missing_field, "migration.jobs_per_month is 0"},
  });
}

// ---- payment.hpp

TEST_CASE("every way of paying adds up", "[economics]") {
  const slice where = slice_for("v6e-32");
  payment_terms terms;
  terms.spot.queue_time = 30_min;
  terms.flex_start.queue_time = 5_min;
  terms.rest_of_term_used = 0.25;
  const payment_options all = ways_to_pay(price_book{}, where, 3, "us", 17.3_days, terms);
  REQUIRE(all.count == 6);
  for (const paid_run& way : all) {
    INFO(name(way.kind));
    CHECK(close(way.rate.value(), 96 * way.price.per_chip.value()));
    CHECK(close(way.billed.value(), (way.run + way.overhead + way.unused).value()));
    CHECK(close(way.wall.value(), (way.run + way.overhead + way.queue).value()));
    CHECK(close(way.total.value(), (way.rate * way.billed).value()));
    CHECK(close(way.unused_cost.value() + 1, (way.rate * way.unused).value() + 1));
    CHECK(way.wall >= way.run);
    CHECK((way.superseded || cheapest(all)->total <= way.total));
    CHECK(find_way(all, way.kind)->total == way.total);
  }
}

TEST_CASE("ways of paying agree with the functions that they are made of", "[economics]") {
  payment_terms terms;
  terms.spot.queue_time = 30_min;
  terms.spot.correlation = 0.5;
  const paid_run spot = pay_for(two_hosts, 2, 9_days, price_of(provisioning::spot, 0.5), terms);
  const expected_spot_run expected = expected_run(best_spot_run(9_days, 2, terms.spot));
  CHECK(close(spot.billed.value(), expected.billed.value()));
  CHECK(close(spot.wall.value(), (expected.wall + 30_min).value()));
  CHECK(spot.preemptions == expected.preemptions);
  CHECK(close(spot.total.value(), 0.5 * 64 * in_hours(expected.billed)));

  const paid_run plain = pay_for(two_hosts, 1, 36_h, price_of(provisioning::on_demand, 1));
  CHECK(close(plain.total.value(), 32 * 36));
  CHECK(plain.wall == 36_h);
  const paid_run days = pay_for(two_hosts, 1, 36_h, price_of(provisioning::calendar, 1));
  CHECK(close(days.total.value(), 32 * 48));
  CHECK(close(days.unused_cost.value(), 32 * 12));
  const paid_run year = pay_for(two_hosts, 1, 36_h, price_of(provisioning::commitment_1y, 1));
  CHECK(close(year.total.value(), 32 * 8760));
  CHECK(close(year.unused_cost.value(), 32 * (8760 - 36)));
  terms.rest_of_term_used = 1;
  const paid_run used = pay_for(two_hosts, 1, 36_h, price_of(provisioning::commitment_1y, 1), terms);
  CHECK(close(used.total.value(), 32 * 36));
}

TEST_CASE("ways without a price, or too short, are left out", "[economics]") {
  CHECK_FALSE(find_way(ways_to_pay(price_book{}, slice_for("tpu7x-256"), 1, "us", 1_days), provisioning::spot));
  CHECK_FALSE(find_way(ways_to_pay(price_book{}, two_hosts, 1, "us", 91_days), provisioning::calendar));
  payment_terms terms;
  CHECK(find_way(ways_to_pay(price_book{}, two_hosts, 1, "us", 8_days, terms), provisioning::flex_start)->pieces == 2);
  terms.flex_start.may_be_split = false;
  CHECK_FALSE(find_way(ways_to_pay(price_book{}, two_hosts, 1, "us", 8_days, terms), provisioning::flex_start));
  CHECK(find_way(ways_to_pay(price_book{}, two_hosts, 1, "us", 7_days, terms), provisioning::flex_start)->pieces == 1);
  CHECK(ways_to_pay(price_book{}, two_hosts, 1, "nowhere", 1_days).count == 0);
  CHECK_FALSE(cheapest(ways_to_pay(price_book{}, two_hosts, 1, "nowhere", 1_days)));
}

TEST_CASE("whether a run can be had is known before it is paid for", "[economics]") {
  const auto of_spot = [](seconds mean, std::int64_t slices, seconds run) {
    payment_terms terms;
    terms.spot.mean_time_between_preemptions = mean;
    return can_be_paid(provisioning::spot, slices, run, terms);
  };
  CHECK(of_spot(4_h, 1, 30_days));
  CHECK_FALSE(of_spot(6_s, 1, 100_days));
  CHECK_FALSE(of_spot(1e-3_s, 1, 1_h));
  // 600 s of restart: 16 slices of 4 min are preempted every 15 s, and e^40 preemptions later they may have restarted.
  CHECK(of_spot(4_min, 1, 1_h));
  CHECK_FALSE(of_spot(4_min, 16, 1_h));
  for (const provisioning kind : all_provisioning) {
    INFO(name(kind));
    CHECK(can_be_paid(kind, 1, 7_days));
    CHECK(can_be_paid(kind, 1, longest_run) ==
          (kind != provisioning::calendar && kind != provisioning::spot));  // 1e18 s of spot have overhead
    CHECK_FALSE(can_be_paid(kind, 1, longest_run * 1.0001));
  }
  payment_terms terms;
  terms.flex_start.may_be_split = false;
  CHECK(can_be_paid(provisioning::flex_start, 1, 7_days, terms));
  CHECK_FALSE(can_be_paid(provisioning::flex_start, 1, 7_days + 1_s, terms));
  // Whatever can be had is not refused.
  for (const double mean : {0.01, 1.0, 14.0, 15.0, 16.0, 20.0, 1e3, 1e9}) {
    for (const double run : {1.0, 1e4, 1e9, 1e17}) {
      INFO(run << " s preempted every " << mean << " s");
      terms.spot.mean_time_between_preemptions = seconds{mean};
      if (!can_be_paid(provisioning::spot, 1, seconds{run}, terms)) continue;
      CHECK(pay_for(two_hosts, 1, seconds{run}, price_of(provisioning::spot, 1), terms).total > usd{});
    }
  }
}

TEST_CASE("what ways of paying refuse", "[economics]") {
  const auto pay = [](provisioning kind, seconds run, auto change) {
    return [=] {
      payment_terms terms;
      change(terms);
      (void)pay_for(two_hosts, 1, run, price_of(kind, 1), terms);
    };
  };
  const auto as_is = [](payment_terms&) {};
  check_refused({
      {"no run", pay(provisioning::on_demand, seconds{}, as_is), errc::missing_field, "run time is 0"},
      {"negative run", pay(provisioning::spot, -1_h, as_is), errc::invalid_argument, "run time is -3600"},
      {"91 days", pay(provisioning::calendar, 91_days, as_is), errc::out_of_range, "calendar run in days is 91"},
      {"8 days", pay(provisioning::flex_start, 8_days, [](payment_terms& t) { t.flex_start.may_be_split = false; }),
       errc::out_of_range, "flex-start run in days is 8"},
      {"a rest of 2", pay(provisioning::commitment_3y, 1_h, [](payment_terms& t) { t.rest_of_term_used = 2; }),
       errc::out_of_range, "payment_terms.rest_of_term_used is 2; valid: 0 (idle) to 1"},
      {"never ends",
       pay(provisioning::spot, 1_h, [](payment_terms& t) { t.spot.mean_time_between_preemptions = 1e-3_s; }),
       errc::out_of_range, "mean_time_between_preemptions"},
      {"no slices", [] { (void)pay_for(two_hosts, 0, 1_h, price_of(provisioning::on_demand, 1)); }, errc::missing_field,
       "slices is 0"},
      {"no price", [] { (void)pay_for(two_hosts, 1, 1_h, price_of(provisioning::on_demand, 0)); }, errc::missing_field,
       "price per chip is 0"},
      {"can it, for no time", [] { (void)can_be_paid(provisioning::spot, 1, seconds{}); }, errc::missing_field,
       "run time is 0"},
      {"can it, on no slices", [] { (void)can_be_paid(provisioning::on_demand, 0, 1_h); }, errc::missing_field,
       "slices is 0"},
  });
}

TEST_CASE("a commitment costs its term, unless other work is said to use the rest", "[door][economics]") {
  const slice where = slice_for("v6e-256");
  const payment_options ways = ways_to_pay(price_book{}, where, 1, "us", 4.9_days);
  const maybe<paid_run> three_years = find_way(ways, provisioning::commitment_3y);
  REQUIRE(three_years);
  CHECK(three_years->billed == 1095_days);
  CHECK(close(three_years->total.value(), (three_years->rate * 1095_days).value()));
  CHECK(close((three_years->unused + 4.9_days).value(), (1095_days).value()));
  CHECK_FALSE(is_commitment(cheapest(ways)->kind));
  const price_row price = three_years->price;
  CHECK(close(cost_of_run(where, 1, 4.9_days, price).total.value(), three_years->total.value()));
  payment_terms shared;
  shared.rest_of_term_used = 1;
  CHECK(close(pay_for(where, 1, 4.9_days, price, shared).total.value(), (three_years->rate * 4.9_days).value()));
}

TEST_CASE("a checkpoint takes what its bytes take", "[door][economics]") {
  CHECK(close(checkpoint_time(96_GB).value(), 15 + 3.84));
  CHECK(close(checkpoint_time(4.8_TB).value(), 15 + 192));
  CHECK(checkpoint_rate(slice_for("v5litepod-1")) == 3.125_GB_per_s);
  const auto refuses = [](const plain_call<void()>& call, const char* field) {
    CHECK(says(refusal_of(call).message, field));
  };
  refuses([] { (void)checkpoint_time(-1_GB); }, "checkpoint is -1");
  refuses([] { (void)checkpoint_time(1_GB, bytes_per_second{}); }, "storage rate is 0");
  refuses([] { (void)checkpoint_time(1_GB, bytes_per_second{1e-300}); }, "storage rate is 1e-300");
  refuses([] { (void)checkpoint_rate(slice_for("v6e-8"), 0); }, "slices is 0");
}

TEST_CASE("no price, time or rate gives dollars that are not a number", "[door][economics]") {
  const auto refuses = [](const plain_call<void()>& call, const char* field) {
    const refusal got = refusal_of(call);
    INFO(got.message);
    CHECK((got.code == errc::out_of_range || got.code == errc::not_finite));
    CHECK(says(got.message, field));
  };
  const usd_per_second tiny{1e-320}, huge{1e308};
  refuses([=] { (void)rate(huge, 256); }, "price per chip is 1e+308");
  refuses([=] { (void)cost_per_million_tokens(huge, 1_Hz / 1e10); }, "price is 1e+308");
  refuses([=] { (void)flops_per_dollar(v5e, tiny); }, "price per chip is 9.9");
  refuses([] { (void)saving(usd{1e-320}, usd{1e300}); }, "cost compared with");
  refuses([] { (void)compare_offers({1_usd / 1_s, 1_Hz * 1e300}, {1_usd / 1_s, 1_Hz / 1e10}); }, "offer.throughput");
  refuses([] { (void)break_even_saving_per_job({usd{1e300}, 1_usd, 1e-300, 0}, 12); }, "saving per job");
  const slice one = slice_for("v5e-8");
  const price_row price = price_for({}, one, "us", provisioning::on_demand);
  refuses([&] { (void)cost_of_run(one, 1000001, 1_h, price); }, "slices is 1000001");
  refuses([&] { (void)pay_for(one, 1000001, 1_h, price); }, "slices is 1000001");
  refuses([&] { (void)offer_of(one, 1000001, price, 1_Hz); }, "slices is 1000001");
  flex_start_terms waiting;
  waiting.queue_time = seconds{1e308};
  refuses([&] { (void)flex_start_run(20_days, waiting); }, "flex_start_terms.queue_time is 1e+308");
  for (const double dollars : {1e-320, 1e-7, 1e7, 1e300}) {
    refuses([=] { (void)price_book{}.with("v5e", "us", provisioning::spot, usd_per_hour(dollars), "2026-11-21"); },
            "price.usd_per_chip_hour");
  }
}

TEST_CASE("terms that no run has are refused under every way of paying") {
  const slice where = slice_for("v5e-32");
  const price_row price = *find_price(price_book{}, where, "us", provisioning::on_demand);
  const auto refused = [&](const payment_terms& terms) {
    const std::string asked = refusal_of([&] { (void)can_be_paid(price.kind, 1, 10_h, terms); }).message;
    CHECK(asked == refusal_of([&] { (void)pay_for(where, 1, 10_h, price, terms); }).message);
    return asked;
  };
  payment_terms terms;
  CHECK(refused(terms).empty());
  terms.start_up = seconds{-1e4};
  CHECK(says(refused(terms), "payment_terms.start_up is -10000"));
  terms = {}, terms.besides_steps = seconds{-18000};
  CHECK(says(refused(terms), "payment_terms.besides_steps is -18000"));
  terms = {}, terms.mean_time_between_failures = seconds{not_a_number};
  CHECK(says(refused(terms), "payment_terms.mean_time_between_failures is nan"));
  terms = {}, terms.checkpoint_interval = seconds{-3};
  CHECK(says(refused(terms), "payment_terms.checkpoint_interval is -3"));
  terms = {}, terms.rest_of_term_used = -5;
  CHECK(says(refused(terms), "payment_terms.rest_of_term_used is -5"));
}

TEST_CASE("checkpoints have an interval") {
  for (const double interval : {0.0, -1500.0, not_a_number}) {
    CHECK(says(refusal_of([&] { (void)steps_between_checkpoints(seconds{interval}, 2.14_s); }).message, "interval is"));
    CHECK(refusal_of([&] { (void)checkpoints_of(96_GB, 95368, 2.14_s, seconds{interval}, "us-east5"); }).refused);
  }
}

TEST_CASE("a batch is rounded from a number") {
  for (const double sequences : {1e30, -1.0, not_a_number})
    CHECK(says(refusal_of([&] { (void)round_batch(sequences, 1); }).message, "sequences is"));
  CHECK(says(refusal_of([&] { (void)round_batch(100, 0); }).message, "unit of the batch is 0"));
}

}  // namespace cost_payment_tests
