// What a fleet loses while it serves: which replicas go, how long is simulated, and what is refused.
#include <string>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/hardware/slice_table.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_ask_outage_tests {

namespace {

simulate_request some_request() {
  simulate_request request;
  request.slice = "v6e-8", request.slices = 4, request.mesh.tensor = 4;  // two replicas a slice
  request.job.request_rate = per_second{30};
  request.outage.lose = lost_part::slice, request.outage.start_up = seconds{60};
  return request;
}
simulate_answer answer_of(const simulate_request& request) {
  return answer_to_simulate({llama_3_8b(), {}, {}}, request, price_book{});
}
std::string refused(const simulate_request& request) {
  return refusal_of([&] { static_cast<void>(answer_of(request)); }).message;
}
bool is_assumed(const simulate_answer& answer, const std::string& field) {
  for (const assumption& one : answer.assumed)
    if (one.field == field) return true;
  return false;
}

}  // namespace

TEST_CASE("a replica, a slice and a zone have so many replicas, and a rollout has those of a slice at a time") {
  const serving_fleet fleet{{4}, slice_for("v6e-8"), 5};
  const auto lost = [&](lost_part part, std::int64_t zones = 3) {
    return detail::outage_in({part, {}, seconds{60}, zones}, fleet, per_second{2});
  };
  CHECK(lost(lost_part::replica).replicas == 1);
  CHECK(lost(lost_part::slice).replicas == 2);
  CHECK(lost(lost_part::zone).replicas == 4);
  CHECK(lost(lost_part::zone, 5).replicas == 2);
  CHECK(lost(lost_part::rollout).replicas == 2);
  CHECK(lost(lost_part::rollout).in_turn);
  CHECK(lost(lost_part::slice).at == seconds{200});
  CHECK(detail::outage_in({lost_part::slice}, fleet, per_second{100}).at == seconds{60});
}

TEST_CASE("a fleet that loses a slice waits longer meanwhile, and says what was interrupted") {
  simulate_request request = some_request();
  request.job.request_rate = per_second{110};  // of the 135 or so that eight replicas serve
  const simulate_answer lost = answer_of(request);
  REQUIRE(lost.outage);
  CHECK(lost.routing == request_routing::random);
  CHECK(lost.outage->replicas == 2);
  CHECK(lost.outage->interrupted > 10);
  CHECK(lost.outage->restored == seconds{120});
  CHECK(lost.outage->drained);
  CHECK(lost.outage->during.per_token.value.p50 > lost.outage->before.per_token.value.p50 * 1.2);
  CHECK(lost.outage->after.requests > 500);
  CHECK(is_assumed(lost, "interrupted"));
  CHECK(is_assumed(lost, "lost at"));
  CHECK_FALSE(is_assumed(lost, "back after"));
  request.outage.lose = lost_part::rollout, request.outage.start_up = seconds{20};
  const simulate_answer restarted = answer_of(request);
  REQUIRE(restarted.outage);
  CHECK(restarted.outage->interrupted == 0);
  CHECK(restarted.outage->restored > seconds{140});
  CHECK(is_assumed(restarted, "restarts"));
  CHECK_FALSE(is_assumed(restarted, "interrupted"));
}

TEST_CASE("clients whose requests are lost begin them again") {
  simulate_request request = some_request();
  request.job.request_rate = {}, request.job.concurrency = 160;
  request.routing = request_routing::queue;
  const simulate_answer lost = answer_of(request);
  REQUIRE(lost.outage);
  CHECK(lost.loop.clients == 160);
  CHECK(lost.outage->replicas == 2);
  // Each of eight replicas has 20 of the clients; a quarter of them go, and six have them meanwhile.
  CHECK(lost.outage->interrupted >= 38);
  CHECK(lost.outage->interrupted <= 42);
  CHECK(lost.outage->during.per_token.value.p50 > lost.outage->before.per_token.value.p50 * 1.1);
  CHECK(close(lost.outage->after.end_to_end.value.p50 / lost.outage->before.end_to_end.value.p50, 1, 0.02));
  CHECK(lost.outage->after.requests > 500);
  request.outage.lose = lost_part::rollout, request.outage.start_up = seconds{20};
  const simulate_answer restarted = answer_of(request);
  CHECK(restarted.outage->interrupted == 0);
  request.outage.lose = lost_part::replica, request.sessions.turns = 3, request.sessions.think = seconds{5};
  request.requests = 3000;
  CHECK(answer_of(request).outage->interrupted > 0);
}

TEST_CASE("what no outage has is refused by name") {
  simulate_request request = some_request();
  request.outage.zones = 2;
  CHECK(says(refused(request), "outage.zones is 2; valid: not given but where a zone is lost"));
  request.outage.lose = lost_part::zone, request.outage.zones = 5;
  CHECK(says(refused(request), "outage.zones is 5; valid: at most the slices, which are 4"));
  request.outage.lose.reset();
  CHECK(says(refused(request), "outage.lose is missing; valid: replica, slice, zone or rollout"));
  request = some_request();
  request.slices = 1, request.split_slices = 4;
  CHECK(says(refused(request), "outage.lose is slice; valid: none where prefill and decode are apart"));
  request = some_request();
  request.requests = 300;
  CHECK(says(refused(request), "replica_outage.at is 60; valid: a time so early that all are back"));
}

}  // namespace unit_ask_outage_tests
