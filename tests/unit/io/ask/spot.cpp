// The question about spot: usual times, and the figures of the functions.
#include <tpuplan/io/ask/spot.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace io_ask_spot_tests {

TEST_CASE("a run on spot, with what is given and with what is usual") {
  spot_request asked;
  asked.work = 10_h;
  assumed_values assumed;
  const spot_run usual = spot_run_of(asked, assumed);
  CHECK(usual.checkpoint_time == 15_s);
  CHECK(close(usual.checkpoint_interval.value(), 647, 1e-3));
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

}  // namespace io_ask_spot_tests
