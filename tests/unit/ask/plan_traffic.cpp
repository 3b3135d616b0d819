// Plans for conversations and routers, and whether their slices pay as two pools.
#include <algorithm>
#include <string>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/plan_traffic.hpp>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/show/views/plan_serving.hpp>
#include <tpuplan/show/views/simulate.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_plan_traffic_tests {

namespace {

model_config llama() {
  model_config config;
  config.model = llama_3_8b();
  return config;
}
/// Requests of 500 tokens behind a system prompt of 3000, of which there are twelve: a cache holds few of them.
asked_serving_plan behind_prompts() {
  asked_serving_plan asked;
  asked.job.request_rate = per_second{14};
  asked.job.prompt = fixed_length(500), asked.job.output = fixed_length(60);
  asked.job.block_tokens = 16;
  asked.job.percentiles.first_token = {0.99, seconds{0.6}};
  asked.sessions.shared_prefix = 3000, asked.sessions.groups = 12;
  asked.generations = {"v6e"};
  asked.largest_chips = 8, asked.most_plans = 2;
  return asked;
}
serving_plan_document planned(const asked_serving_plan& asked) {
  return answer_to_plan_serving(llama(), asked, price_book{});
}
std::string refused(const asked_serving_plan& asked) {
  return refusal_of([&] { (void)planned(asked); }).message;
}

}  // namespace

TEST_CASE("a plan is for a router where one is asked for, or requests have something in common") {
  planned_traffic traffic;
  CHECK_FALSE(is_routed(traffic));
  traffic.routing = request_routing::queue;
  CHECK(is_routed(traffic));
  traffic = {};
  traffic.sessions.turns = 3;
  CHECK(is_routed(traffic));
}

TEST_CASE("conversations are planned and said with the block that they are simulated with") {
  asked_serving_plan asked = behind_prompts();
  asked.job.engine = serving_engine::vllm;
  asked.job.block_tokens = 0;
  const serving_plan_document found = planned(asked);
  REQUIRE_FALSE(found.plans.empty());
  const std::int64_t block = detail::own_block(detail::row_of(serving_engine::vllm), 3560);
  CHECK(found.plans.front().plan.share.block_tokens == block);
  CHECK(found.request.job.block_tokens == block);
  const auto is_it = [&](const assumption& one) {
    return one.field == "block of the cache" && one.value == std::to_string(block) + " tokens, as vLLM chooses";
  };
  CHECK(std::any_of(found.assumed.begin(), found.assumed.end(), is_it));
}

TEST_CASE("the first plan behind a router is the same however few are shown", "[slow]") {
  for (const double rate : {6.0, 25.0}) {
    asked_serving_plan asked = behind_prompts();
    asked.job.request_rate = per_second{rate};
    asked.most_plans = 8;
    const serving_plan_document all = planned(asked);
    asked.most_plans = 1;
    const serving_plan_document one = planned(asked);
    REQUIRE(one.plans.size() == 1);
    CHECK(one.plans.front().slice == all.plans.front().slice);
    CHECK(one.plans.front().slices == all.plans.front().slices);
    CHECK(one.plans.front().rate == all.plans.front().rate);
    CHECK(one.candidates == all.candidates);
  }
}

TEST_CASE("a plan for a shared prefix is what simulate answers of its slices") {
  const asked_serving_plan asked = behind_prompts();
  const serving_plan_document document = planned(asked);
  REQUIRE_FALSE(document.plans.empty());
  for (const serving_plan_row& row : document.plans) {
    REQUIRE(row.routed.has_value());
    simulate_request one;
    one.slice = row.slice, one.slices = row.slices, one.mesh = row.plan.mesh, one.job = asked.job;
    one.sessions = asked.sessions;
    if (row.slices * row.plan.estimate.replicas > 1) one.routing = row.routed->routing;
    const simulate_answer simulated = answer_to_simulate(llama(), one, price_book{});
    CHECK(simulated.meets_targets);
    CHECK(simulated.report.first_token.value.p99 == row.plan.simulated.first_token.value.p99);
    CHECK(simulated.report.first_token.value.p99 == *row.simulated_first_token);
    CHECK(simulated.prefixes->on_chips == row.routed->prefixes.on_chips);
    CHECK(simulated.capacity == row.capacity_requests);
    CHECK(row.plan.share.prefix_hit_rate == row.routed->prefixes.on_chips);
    CHECK(row.plan.share.prompt.mean == 3500);
    REQUIRE(row.chance_at_targets.has_value());
    CHECK(row.chance_at_targets == simulated.chance);
    CHECK_FALSE(row.split.has_value());
  }
  CHECK(document.traffic->routing == document.plans.front().routed->routing);
  CHECK(document.request.job.prompt.longest == 3500);
}

TEST_CASE("the routing of a plan is the one with which requests end earliest") {
  asked_serving_plan asked = behind_prompts();
  asked.job.request_rate = per_second{40};
  asked.largest_chips = 32;
  const serving_plan_document open = planned(asked);
  REQUIRE(open.routers.size() == 4);
  for (const planned_router& other : open.routers) {
    CHECK((open.routers.front().keeps_targets || !other.keeps_targets));
    if (other.keeps_targets)
      CHECK(open.routers.front().report.end_to_end.value.mean <= other.report.end_to_end.value.mean);
  }
  CHECK(open.plans.front().routed->routing == open.routers.front().routing);
  asked.routing = request_routing::random;
  const serving_plan_document random = planned(asked);
  CHECK(random.routers.empty());
  REQUIRE_FALSE(random.plans.empty());
  CHECK(random.plans.front().routed->routing == request_routing::random);
  CHECK(random.plans.front().rate >= open.plans.front().rate);
}

TEST_CASE("a plan with a spare slice keeps its targets behind a router without it") {
  asked_serving_plan asked = behind_prompts();
  asked.largest_chips = 16;
  const serving_plan_document bare = planned(asked);
  asked.spare = 1;
  const serving_plan_document more = planned(asked);
  REQUIRE_FALSE(more.plans.empty());
  const serving_plan_row& row = more.plans.front();
  CHECK(row.spare == 1);
  CHECK(*row.first_token_without_spare <= asked.job.percentiles.first_token.limit);
  CHECK(row.rate > bare.plans.front().rate);
}

TEST_CASE("the part of a large fleet that is simulated depends on what a router does with conversations") {
  planned_traffic traffic;
  traffic.sessions.turns = 6;
  CHECK(slices_simulated(traffic, request_routing::prefix, 15, 4) == 3);
  CHECK(slices_simulated(traffic, request_routing::queue, 15, 4) == 15);
  CHECK(slices_simulated(traffic, request_routing::prefix, 2, 4) == 2);
  CHECK(slices_simulated(traffic, request_routing::prefix, 3, 128) == 1);
  traffic.sessions.shared_prefix = 1000;
  CHECK(slices_simulated(traffic, request_routing::prefix, 15, 4) == 15);
  traffic.sessions.turns = 1;
  CHECK(slices_simulated(traffic, request_routing::prefix, 15, 4) == 15);
  CHECK(slices_simulated(traffic, request_routing::queue, 15, 4) == 3);
  CHECK(rate_of_part(per_second{200}, 3, 15) == per_second{40});
  CHECK(rate_of_part(per_second{0.3}, 7, 7) == per_second{0.3});
}

TEST_CASE("all slices take the steps and requests of all, each of which looks over more replicas") {
  const double part = detail::routed_work(100, 10, 12), all = detail::routed_work(500, 50, 60);
  CHECK(detail::routed_work_of_all(part, 3, 15, 4) == Approx(all));
  CHECK(detail::routed_work_of_all(part, 3, 3, 4) == 0);
}

TEST_CASE("a plan of a fleet that is large is what simulate answers of all its slices where there is time for it",
          "[slow]") {
  asked_serving_plan asked = behind_prompts();
  asked.job.request_rate = per_second{400};
  asked.job.prompt = fixed_length(600), asked.job.output = fixed_length(16);
  asked.sessions = {};
  asked.sessions.turns = 3, asked.sessions.think = 1_s;
  asked.routing = request_routing::prefix;
  asked.largest_chips = 64, asked.most_plans = 1;
  const serving_plan_document document = planned(asked);
  REQUIRE(document.plans.size() == 1);
  const serving_plan_row& row = document.plans.front();
  CHECK(row.slices * row.plan.estimate.replicas > planned_replicas);
  simulate_request one;
  one.slice = row.slice, one.slices = row.routed->slices, one.mesh = row.plan.mesh, one.job = asked.job;
  one.job.request_rate = rate_of_part(asked.job.request_rate, row.routed->slices, row.slices);
  one.sessions = asked.sessions, one.routing = request_routing::prefix;
  const simulate_answer simulated = answer_to_simulate(llama(), one, price_book{});
  CHECK(row.routed->slices == row.slices);
  CHECK(simulated.meets_targets);
  CHECK(simulated.report.first_token.value.p99 == row.plan.simulated.first_token.value.p99);
  CHECK(simulated.prefixes->on_chips == row.routed->prefixes.on_chips);
  CHECK(simulated.capacity == row.capacity_requests);
}

TEST_CASE("what a plan behind a router cannot hold is refused by name") {
  asked_serving_plan asked = behind_prompts();
  asked.job.percentiles = {};
  asked.job.ttft_target = seconds{1};
  CHECK(says(refused(asked), "job.ttft_target_s is "));
  asked.job.ttft_target = {}, asked.job.tpot_target = seconds{1};
  CHECK(says(refused(asked), "job.tpot_target_s is "));
  asked.job.tpot_target = {}, asked.job.request_rate = {};
  CHECK(says(refused(asked), "job.request_rate_per_s is "));
  asked = behind_prompts();
  asked.adapters = 4, asked.adapter_rank = 8;
  CHECK(says(refused(asked), "adapters is "));
  asked = behind_prompts();
  asked.sessions = {}, asked.host_cache_gib = 10;
  CHECK(says(refused(asked), "host_cache_gib is "));
  asked.host_cache_gib = 0, asked.routing = request_routing::prefix;
  CHECK(says(refused(asked), "sessions.turns is "));
}

TEST_CASE("every row of a plan by percentiles has its chance, and the first its slices as two pools") {
  asked_serving_plan asked;
  asked.job.request_rate = per_second{40};
  asked.job.percentiles.per_token = {0.95, seconds{0.04}};
  asked.generations = {"v6e"};
  asked.largest_chips = 16, asked.most_plans = 3;
  const serving_plan_document document = planned(asked);
  REQUIRE(document.plans.size() > 1);
  for (const serving_plan_row& row : document.plans) {
    REQUIRE(row.chance_at_targets.has_value());
    CHECK(*row.chance_at_targets == chance_at_targets(document.request, row.plan));
    CHECK(*row.chance_at_targets >= 0.4);
  }
  const serving_plan_row& first = document.plans.front();
  REQUIRE(first.slices > 1);
  REQUIRE(first.split.has_value());
  CHECK(first.split->slices <= first.slices);
  simulate_request one;
  one.slice = first.slice, one.mesh = first.plan.mesh, one.job = asked.job, one.split_slices = first.split->slices;
  const simulate_answer apart = answer_to_simulate(llama(), one, price_book{});
  CHECK(apart.split->pays == first.split->split.pays);
  CHECK(apart.split->pools.prefill == first.split->split.pools.prefill);
  CHECK(apart.report.per_token.value.p95 == first.split->report.per_token.value.p95);
  CHECK_FALSE(document.plans[1].split.has_value());
  if (first.split->slices > 2 && first.split->keeps_targets) {
    one.split_slices = first.split->slices - 1;
    const simulate_answer fewer = answer_to_simulate(llama(), one, price_book{});
    CHECK((!fewer.meets_targets || fewer.capacity < asked.job.request_rate));
  }
}

TEST_CASE("pools that miss a mean, or serve fewer than come, do not pay") {
  asked_serving_plan asked;
  asked.job.request_rate = per_second{50};
  asked.job.prompt = fixed_length(3000), asked.job.output = fixed_length(100);
  asked.job.ttft_target = 0.2_s;
  asked.generations = {"v6e"};
  asked.most_plans = 1;
  serving_plan_document document = planned(asked);
  const std::optional<planned_split>& split = document.plans.front().split;
  REQUIRE(split.has_value());
  CHECK(split->split.keeps_up);
  REQUIRE(split->report.first_token.value.mean > 1_s);
  CHECK_FALSE(split->keeps_targets);
  CHECK_FALSE(split->split.pays);
  const std::vector<std::string> notes = view_of(document).parts.front().notes;
  CHECK(std::any_of(notes.begin(), notes.end(),
                    [](const std::string& one) { return says(one, "do not split: it misses the target of a mean"); }));
  asked.spare = 1;  // of which each pool would need its own
  CHECK_FALSE(planned(asked).plans.front().split.has_value());
  simulate_request one;
  one.slice = "v6e-1", one.split_slices = 4, one.job = asked.job;
  one.job.ttft_target = {};
  const simulate_answer busy = answer_to_simulate(llama(), one, price_book{});
  CHECK_FALSE(busy.split->keeps_up);
  CHECK_FALSE(busy.split->pays);
  const std::vector<view_part> parts = view_of(busy).parts;
  const auto apart = std::find_if(parts.begin(), parts.end(),
                                  [](const view_part& part) { return part.title == "apart and together"; });
  REQUIRE(apart != parts.end());
  CHECK(says(apart->notes.back(), "do not split: it serves fewer requests than come"));
}

TEST_CASE("the table of routers says of which slices it is", "[slow]") {
  asked_serving_plan asked;
  asked.job.request_rate = per_second{20};
  asked.job.percentiles.first_token = {0.99, 1_s};
  asked.job.speculation.draft_tokens = 4, asked.job.speculation.acceptance = 0.7,
  asked.job.speculation.draft_cost = 0.1;
  asked.sessions.turns = 4, asked.sessions.think = 5_s;
  asked.generations = {"v6e"};
  asked.most_plans = 2;
  const serving_plan_document document = planned(asked);
  REQUIRE(document.routers.size() > 1);
  const serving_plan_row& first = document.plans.front();
  const view shown = view_of(document);
  const auto table = std::find_if(shown.parts.begin(), shown.parts.end(),
                                  [](const view_part& one) { return says(one.title, "behind each router"); });
  REQUIRE(table != shown.parts.end());
  std::int64_t most = 0;
  for (const planned_router& one : document.routers) {
    CHECK(one.slice == document.routers.front().slice);
    most = std::max(most, one.slices);
  }
  const bool are_its = document.routers.front().slice == first.slice && most == first.slices;
  CHECK(says(table->title, "the slices of the first plan") == are_its);
  if (!are_its)
    CHECK(says(table->title, std::to_string(most) + " x " + document.routers.front().slice + " behind each router"));
}

// A quarter of the rate was simulated, as the run ended before conversations did, and the fleet sized on it.
TEST_CASE("conversations that take longer than what is simulated are refused", "[ask]") {
  asked_serving_plan asked;
  asked.job.request_rate = per_second{20};
  asked.job.prompt = fixed_length(1024), asked.job.output = fixed_length(256);
  asked.job.percentiles.first_token = {0.99, 1_s};
  asked.sessions.turns = 6, asked.sessions.think = 3_h;
  asked.generations = {"v6e"}, asked.largest_chips = 16, asked.most_plans = 1;
  CHECK(says(refused(asked), "sessions.think_s is 10800; valid: about "));
  simulate_request one;
  one.slice = "v6e-4", one.slices = 3, one.job = asked.job, one.sessions = asked.sessions;
  one.routing = request_routing::prefix;
  const auto simulated = [&] { return answer_to_simulate(llama(), one, price_book{}); };
  CHECK(says(refusal_of([&] { (void)simulated(); }).message, "so that conversations end while others begin"));
  one.requests = 1000;  // as many as are asked for are simulated, and it is said what of
  const view shown = view_of(simulated());
  CHECK(says(shown.sentences.front(), " counted, while more conversations begin than end"));
}

}  // namespace ask_plan_traffic_tests
