// The question about spot: usual times, and the figures of the functions.
#include <tpuplan/ask/spot.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_spot_tests {

TEST_CASE("a run on spot, with what is given and with what is usual") {
  spot_request asked;
  asked.work = 10_h;
  assumed_values assumed;
  const spot_run usual = spot_run_of(asked, assumed);
  CHECK(usual.checkpoint_time == 15_s);
  CHECK(close(usual.checkpoint_interval.value(), 36000.0 / 56));
  CHECK(usual.mean_time_between_preemptions == 4_h);
  CHECK(usual.restart_time == 600_s);
  CHECK(assumed.size() == 3);
  asked.checkpoint_time = 60_s;
  asked.checkpoint_interval = 30_min;
  asked.mean_time_between_preemptions = 5_h;
  asked.restart_time = 300_s;
  const spot_answer answer = answer_to(asked);
  CHECK(close(answer.billed.value(), 39848.588, 1e-7));
  CHECK(close(answer.preemptions, 2.2138, 1e-4));
  CHECK(answer.assumed.empty());
}

TEST_CASE("the best interval bills no more than any other, as that of a plan does", "[door]") {
  spot_request asked;
  asked.work = seconds{5508.69};
  asked.mean_time_between_preemptions = seconds{201094};
  asked.checkpoint_time = seconds{16.927};
  const spot_answer best = answer_to(asked);
  spot_terms terms;
  terms.mean_time_between_preemptions = *asked.mean_time_between_preemptions;
  terms.checkpoint_time = *asked.checkpoint_time;
  CHECK(best.interval == best_spot_run(asked.work, 1, terms).checkpoint_interval);
  for (const double interval : {500.0, 1000.0, 2000.0, 2597.9, 5508.69}) {
    asked.checkpoint_interval = seconds{interval};
    CHECK(best.billed <= answer_to(asked).billed);
  }
}

TEST_CASE("times and prices beyond what the command line takes are refused here too", "[door]") {
  const auto refused = [](double work, double dollars, double restart = 600) {
    spot_request asked;
    asked.work = seconds{work};
    asked.restart_time = seconds{restart};
    asked.on_demand = usd_per_hour(2 * dollars);
    asked.spot = usd_per_hour(dollars);
    return refusal_of([&] { (void)answer_to(asked); }).message;
  };
  CHECK(refused(36000, 1).empty());
  CHECK(says(refused(1e-300, 1), "work_s is 1e-300"));
  CHECK(says(refused(36000, 1e30), "; valid: 1e-6 to 1e6 USD an hour"));
  CHECK(says(refused(36000, 1, 1e9), "spot_terms.restart_time is 1000000000"));
}

}  // namespace ask_spot_tests
