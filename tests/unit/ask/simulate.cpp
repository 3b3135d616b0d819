// Slices under traffic: the worked examples, and what is said of runs that are short, long or behind.
#include <algorithm>
#include <cstdint>
#include <string>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/show/views/simulate.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"
#include "support/stacks.hpp"

using namespace tpuplan;

namespace ask_simulate_tests {

TEST_CASE("a fleet is simulated by one replica with its share") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v5e-8";
  asked.mesh.tensor = 4;
  asked.slices = 2;
  asked.requests = 200;
  CHECK(says(refusal_of([&] { (void)answer_to_simulate(config, asked, price_book{}); }).message,
             "job.request_rate_per_s is missing"));
  asked.job.request_rate = per_second{4};
  for (const std::int64_t tensor : {-1, 3, 16}) {
    simulate_request none = asked;
    none.mesh.tensor = tensor;
    CHECK(says(refusal_of([&] { (void)answer_to_simulate(config, none, price_book{}); }).message,
               "serving_layout.tensor is " + std::to_string(tensor)));
  }
  simulate_request apart = asked;
  apart.slices = 1, apart.split.transfer = bytes_per_second{1e9};
  CHECK(says(refusal_of([&] { (void)answer_to_simulate(config, apart, price_book{}); }).message, "split.prefill is 0"));
  simulate_request traced = asked;
  traced.job.request_rate = {};
  traced.trace.assign(110, {1_s, 100, 20, 0, 0});
  CHECK(refusal_of([&] { (void)answer_to_simulate(config, traced, price_book{}); }).message ==
        "tpuplan: trace is 110; valid: 111 requests or more, of which the first tenth is not counted");
  simulate_request aimed = asked;
  aimed.job.ttft_target = 1_s;
  CHECK(says(refusal_of([&] { (void)answer_to_simulate(config, aimed, price_book{}); }).message,
             "job.ttft_target_s is 1; valid: 0: a simulation has targets by percentile"));
  const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
  CHECK(answer.replicas == 4);
  CHECK(answer.simulated_replicas == 1);
  CHECK(answer.meets_targets);
}

TEST_CASE("adapters lie beside the weights of a fleet, and slow it down as published") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4";
  asked.mesh.tensor = 4;
  asked.slices = 2;
  asked.requests = 300;
  asked.job.request_rate = per_second{4};
  const simulate_answer base = answer_to_simulate(config, asked, price_book{});
  CHECK_FALSE(base.adapters.has_value());
  asked.adapters = 32, asked.adapter_rank = 16;
  const simulate_answer with = answer_to_simulate(config, asked, price_book{});
  REQUIRE(with.adapters.has_value());
  // As serve has them: half of each on every device, half cut in four.
  CHECK(with.adapters->each_device == bytes{32 * 41943040.0 * 2 * 0.625});
  CHECK(close(with.adapters->capacity_low.value(), 0.761 * with.capacity.value()));
  CHECK(close(with.adapters->capacity_high.value(), 0.916 * with.capacity.value()));
  CHECK(with.report.cache > base.report.cache);  // fewer blocks are left
  CHECK(with.report.per_token.value.mean == base.report.per_token.value.mean);
  CHECK(says(view_of(with).parts.front().notes.front() + view_of(with).parts.front().notes.back(), "requests"));
  config.model = bert_base();
  asked.job.output = {}, asked.job.prompt = fixed_length(512);
  CHECK(says(refusal_of([&] { (void)answer_to_simulate(config, asked, price_book{}); }).message, "adapters is 32"));
}

TEST_CASE("what drafts rest on is said, of a single token too") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4";
  asked.requests = 200;
  asked.job.request_rate = per_second{1};
  const auto says_of_drafts = [&] {
    const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
    return std::any_of(answer.assumed.begin(), answer.assumed.end(),
                       [](const assumption& one) { return one.field == "luck of drafts"; });
  };
  CHECK_FALSE(says_of_drafts());
  asked.job.speculation.draft_tokens = 1, asked.job.speculation.acceptance = 0.8;
  asked.job.speculation.draft_cost = 0.1;
  CHECK(says_of_drafts());
}

TEST_CASE("an encoder under traffic answers requests, and has no sessions") {
  model_config config;
  config.model = bert_base();
  simulate_request asked;
  asked.slice = "v6e-1";
  asked.job.output = {}, asked.job.prompt = fixed_length(512);
  asked.job.request_rate = per_second{1000};
  asked.job.percentiles.first_token = {0.99, 20_ms};
  const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
  CHECK(answer.meets_targets);
  CHECK(answer.report.per_token.count == 0);
  REQUIRE(answer.chance.has_value());
  CHECK(*answer.chance > 0.5);
  CHECK(answer.report.first_token.value.mean == answer.report.end_to_end.value.mean);
  CHECK(says(view_of(answer).title, "512 prompt tokens"));
  CHECK_FALSE(says(view_of(answer).title, "output"));
  asked.sessions.turns = 3;
  CHECK(says(refusal_of([&] { (void)answer_to_simulate(config, asked, price_book{}); }).message, "sessions.turns"));
  asked.sessions = {};
  asked.split = {1, 1, {}};
  CHECK(says(refusal_of([&] { (void)answer_to_simulate(config, asked, price_book{}); }).message, "split.prefill"));
}

TEST_CASE("a run that is too short for a steady state says so, and one of too many steps is refused at once") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v5e-8";
  asked.requests = 200;
  asked.job.request_rate = per_second{9};
  const auto says_so = [](const simulate_answer& answer) {
    return std::any_of(answer.assumed.begin(), answer.assumed.end(), [](const assumption& one) {
      return one.field == "requests" && says(one.value, "too few for a steady state");
    });
  };
  const simulate_answer filling = answer_to_simulate(config, asked, price_book{});
  CHECK(filling.report.running > 10);
  CHECK(says_so(filling));
  CHECK(close(filling.capacity.value(), serve(config.model, asked.job, {}, slice_for("v5e-8")).capacity.value()));
  asked.job.request_rate = per_second{0.5};
  CHECK_FALSE(says_so(answer_to_simulate(config, asked, price_book{})));
  asked.requests = 10000000;
  const refusal refused = refusal_of([&] { (void)answer_to_simulate(config, asked, price_book{}); });
  CHECK(says(refused.message, "simulated_traffic.requests is 10000000; valid: at most about "));
}

TEST_CASE("a fleet that falls behind is said to") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v5e-4";
  asked.mesh.tensor = 4;
  asked.requests = 400;
  const auto has_load = [&](double rate) {
    asked.job.request_rate = per_second{rate};
    for (const auto& each : answer_to_simulate(config, asked, price_book{}).assumed)
      if (each.field == "load") return true;
    return false;
  };
  CHECK_FALSE(has_load(0.5));
  CHECK(has_load(400));
  // A long queue near the capacity is none that grows, whatever the luck of the last requests.
  const double capacity = serve(config.model, asked.job, asked.mesh, slice_for("v5e-4")).capacity.value();
  asked.requests = 2000;
  for (asked.seed = 1; asked.seed <= 8; ++asked.seed) {
    CAPTURE(asked.seed);
    CHECK_FALSE(has_load(0.8 * capacity));
    CHECK_FALSE(has_load(0.9 * capacity));
    CHECK(has_load(1.25 * capacity));
  }
}

TEST_CASE("requests in flight are shared out to the replicas, and counted until the last has ended") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v5e-8";
  asked.mesh.tensor = 4;
  asked.job.concurrency = 16;
  asked.requests = 200;
  const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
  CHECK(answer.loop.clients == 8);
  CHECK(answer.report.requests == 200);
  CHECK(close(answer.report.running, 8, 0.1));
  CHECK(says(view_of(answer).title, "16 requests in flight"));
  const auto refused = [&](void (*change)(simulate_request&)) {
    simulate_request other = asked;
    change(other);
    return refusal_of([&] { (void)answer_to_simulate(config, other, price_book{}); }).message;
  };
  CHECK(says(refused([](simulate_request& r) { r.job.concurrency = 15; }), "a multiple of the 2 replicas"));
  CHECK(says(refused([](simulate_request& r) { r.job.concurrency = 800; }), "at least the 400 clients"));
  CHECK(says(refused([](simulate_request& r) { r.trace = {{}, {seconds{1}, 9, 2, 0}}; }), "0 beside a trace"));
  CHECK(says(
      refused([](simulate_request& r) { r.job.concurrency = 0, r.job.request_rate = per_second{1}, r.warm_up = 9; }),
      "warm_up is 9; valid: 0 without requests in flight"));
  CHECK(says(refused([](simulate_request& r) {
               r.job.concurrency = 0, r.job.request_rate = per_second{1}, r.ramp = seconds{2};
             }),
             "ramp_s is 2; valid: 0 without requests in flight"));
}

TEST_CASE("a trace behind a router in turn is the trace by itself") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v5e-8";
  asked.mesh.tensor = 4;
  serving_job job = asked.job;
  job.request_rate = per_second{3};
  asked.trace = requests_of(traffic_of(job, 400));
  const simulation_report alone = answer_to_simulate(config, asked, price_book{}).report;
  asked.routing = request_routing::round_robin;
  const simulate_answer routed = answer_to_simulate(config, asked, price_book{});
  CHECK(routed.report.first_token.value.p99 == alone.first_token.value.p99);
  CHECK(routed.report.per_token.value.mean == alone.per_token.value.mean);
  CHECK(routed.report.requests == alone.requests);
  CHECK(close(routed.report.running, alone.running, 1e-9));
  CHECK(routed.served == std::vector<std::int64_t>{200, 200});
}

TEST_CASE("conversations say what was found, and their prompts are whole") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4";
  asked.slices = 2;
  asked.requests = 600;
  asked.job.request_rate = per_second{8};
  asked.job.block_tokens = 16;
  asked.sessions.turns = 3;
  asked.sessions.shared_prefix = 320;
  asked.routing = request_routing::prefix;
  const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
  REQUIRE(answer.prefixes);
  CHECK(close(answer.job.prompt.mean, 320 + 1024 + 1280));  // the mean of three turns is that of the second
  CHECK(answer.prefixes->on_chips > 0.95 * answer.prefixes->repeated);
  CHECK(close(answer.job.prefix_hit_rate, answer.prefixes->on_chips));
  CHECK(answer.simulated_replicas == 2);
  const std::vector<std::string> notes = view_of(answer).parts.front().notes;
  CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& one) { return says(one, "had come before"); }));
  const auto refused = [&](void (*change)(simulate_request&)) {
    simulate_request other = asked;
    change(other);
    return refusal_of([&] { (void)answer_to_simulate(config, other, price_book{}); }).message;
  };
  CHECK(says(refused([](simulate_request& r) { r.sessions = {}, r.routing = {}, r.host_cache_gib = 3; }),
             "host_cache_gib is 3; valid: 0 without"));
  CHECK(says(refused([](simulate_request& r) { r.sessions = {}, r.routing = {}, r.sessions.think = seconds{3}; }),
             "session_traffic.turns is 1"));
  CHECK(says(refused([](simulate_request& r) { r.sessions = {}, r.sessions.groups = 3; }),
             "session_traffic.groups is 3"));
  CHECK(says(refused([](simulate_request& r) { r.sessions = {}; }), "sessions.turns is missing"));
}

TEST_CASE("a split fleet stands beside as many slices that do both") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4";
  asked.requests = 300;
  asked.job.request_rate = per_second{8};
  asked.split = {1, 2, {}};
  const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
  REQUIRE(answer.split);
  CHECK(answer.split->pools.transfer == 8.86_GB_per_s);
  CHECK(answer.fleet.slices == 3);
  CHECK(answer.report.requests == answer.split->together.requests);
  CHECK(says(view_of(answer).parts[2].notes.back(), answer.split->pays ? "to split pays" : "do not split"));
  asked.job.percentiles.first_token = {0.99, seconds{10}};
  CHECK_FALSE(answer_to_simulate(config, asked, price_book{}).split->pays);  // together they keep it too
  asked.split = {0, 2, 1_GB_per_s};
  CHECK(says(refusal_of([&] { (void)answer_to_simulate(config, asked, price_book{}); }).message, "split.prefill is 0"));
}

TEST_CASE("one client waits as many times as long as the band of the estimate says, at every percentile") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4", asked.job.concurrency = 1, asked.requests = 200;
  asked.job.prompt = asked.job.output = fixed_length(256);
  const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
  const serving_estimate one = serve(config.model, answer.job, {}, slice_for("v6e-4"));
  REQUIRE(answer.latency_low.has_value());
  REQUIRE(answer.latency_high.has_value());
  const auto holds = [&](const latency_end& end, seconds first, seconds token) {
    const double prompts = first / one.first_token, tokens = token / one.per_token.total;
    for (seconds time_percentiles::*share : {&time_percentiles::mean, &time_percentiles::p50, &time_percentiles::p90,
                                             &time_percentiles::p95, &time_percentiles::p99}) {
      const seconds at_first = answer.report.first_token.value.*share, each = answer.report.per_token.value.*share;
      CHECK(close(end.first_token.*share / at_first, prompts, 1e-9));
      CHECK(close(end.per_token.*share / each, tokens, 1e-9));
      CHECK(close((end.end_to_end.*share).value(), (at_first * prompts + each * (255 * tokens)).value(), 1e-9));
    }
  };
  holds(*answer.latency_low, one.first_token_low, one.per_token.low);
  holds(*answer.latency_high, one.first_token_high, one.per_token.high);
  const view shown = view_of(answer);
  CHECK(shown.parts[1].columns[0].title == "between");
  REQUIRE(shown.parts[1].rows.size() == 3);
  CHECK(shown.parts[1].rows[1][4].low == answer.latency_low->per_token.p99.value());
  CHECK(shown.parts[1].rows[1][4].value == answer.latency_high->per_token.p99.value());
  view_options wide;
  wide.wide = true;
  CHECK(view_of(answer, wide).parts.size() == shown.parts.size() - 1);
  REQUIRE(view_of(answer, wide).parts[0].rows.size() == 10);
  CHECK(view_of(answer, wide).parts[0].rows[7][0].text == "each token, high end");
  CHECK(view_of(answer, wide).parts[0].rows[7][5].value == answer.latency_high->per_token.p99.value());
}

TEST_CASE("a band ends where more requests come than are served, and has none where one simulation is long") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4";
  const auto said = [](const simulate_answer& answer) {
    for (const assumption& one : answer.assumed)
      if (one.field == "band") return one.value;
    return std::string();
  };
  asked.job.request_rate = per_second{1};
  const simulate_answer idle = answer_to_simulate(config, asked, price_book{});
  CHECK(idle.latency_high.has_value());
  CHECK(said(idle).empty());
  asked.job.request_rate = idle.capacity * 0.9;  // and of steps as long as at the high end it serves half as many
  const simulate_answer busy = answer_to_simulate(config, asked, price_book{});
  CHECK(busy.latency_low.has_value());
  CHECK_FALSE(busy.latency_high.has_value());
  CHECK(says(said(busy), "at its high end more requests come than are served, about "));
  CHECK(says(view_of(busy).parts[1].rows[0][4].text, " or more"));
  asked.job.request_rate = idle.capacity * 1.5;
  const simulate_answer behind = answer_to_simulate(config, asked, price_book{});
  CHECK_FALSE(behind.latency_low.has_value());
  CHECK(says(said(behind), "none: more requests come than are served"));
  asked.job.request_rate = per_second{0.001};
  asked.job.output = fixed_length(4000);
  asked.requests = 1000;
  const simulate_answer lengthy = answer_to_simulate(config, asked, price_book{});
  CHECK_FALSE(lengthy.latency_low.has_value());
  CHECK(says(said(lengthy), "none: the requests take more than an eighth of the steps"));
}

TEST_CASE("clients that send as soon as they are answered keep a target with steps that take as much longer") {
  const std::vector<double> times{1, 2, 3, 4};
  detail::counted_times measured;
  measured.first = measured.each = measured.whole = times;
  latency_targets targets;
  CHECK(detail::slowdown_at_once(measured, targets).factor == 0);
  targets.first_token = {0.5, seconds{3}};
  CHECK(detail::slowdown_at_once(measured, targets).factor == 1.5);
  targets.end_to_end = {1, seconds{2}};
  CHECK(detail::slowdown_at_once(measured, targets).factor == 0.5);
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4", asked.job.concurrency = 16, asked.requests = 400;
  const simulate_answer open = answer_to_simulate(config, asked, price_book{});
  CHECK_FALSE(open.chance.has_value());
  asked.job.percentiles.end_to_end = {0.9, open.report.end_to_end.value.p90 * 1.25};
  const simulate_answer held = answer_to_simulate(config, asked, price_book{});
  REQUIRE(held.chance.has_value());
  CHECK(close(*held.slowdown, 1.25, 1e-6));
  CHECK(*held.chance > 0.5);
  asked.ramp = seconds{10};
  const simulate_answer ramped = answer_to_simulate(config, asked, price_book{});
  REQUIRE(ramped.chance.has_value());
  CHECK(*ramped.slowdown > 1);
}

// Steps that are longer by a factor are a slower clock, by which requests at random are judged; those of a trace and of
// a router are played with longer steps.
TEST_CASE("a slowdown is the same by a slower clock and by longer steps") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4", asked.job.request_rate = per_second{8}, asked.requests = 1200;
  asked.job.percentiles.per_token = {0.95, seconds{0.02}};
  const simulate_answer by_clock = answer_to_simulate(config, asked, price_book{});
  REQUIRE(by_clock.slowdown.has_value());
  CHECK(by_clock.meets_targets);
  simulate_request traced = asked;
  traced.requests = 0, traced.job.request_rate = {};
  traced.trace = detail::asked_traffic{config.model, asked}.drawn(asked.job, 1200);
  const simulate_answer by_steps = answer_to_simulate(config, traced, price_book{});
  REQUIRE(by_steps.slowdown.has_value());
  CHECK(by_steps.report.first_token.value.p99 == by_clock.report.first_token.value.p99);
  CHECK(close(*by_steps.slowdown, *by_clock.slowdown, 0.02));
  CHECK(close(*by_steps.chance, *by_clock.chance, 0.02));
  // Steps that take as long keep the target, and those that take 2 % longer miss it.
  const auto with = [&](double slower) {
    const simulation_run run =
        simulate_fleet(config.model, traced.job, {{}, slice_for("v6e-4")}, 1, traced.trace, {}, {slower, slower});
    return report_of(run, traced.job.percentiles).meets_per_token;
  };
  CHECK(with(*by_steps.slowdown));
  CHECK_FALSE(with(*by_steps.slowdown * 1.02));
  // A target that is missed as it is.
  traced.job.percentiles.per_token.limit = by_steps.report.per_token.value.p95 * 0.8;
  const simulate_answer missed = answer_to_simulate(config, traced, price_book{});
  CHECK_FALSE(missed.meets_targets);
  CHECK(*missed.slowdown < 1);
  CHECK(*missed.slowdown > 0.5);
  CHECK(*missed.chance < 0.5);
}

TEST_CASE("a fleet behind a router and a split one have the chance to keep their targets") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4", asked.slices = 2, asked.job.request_rate = per_second{8}, asked.requests = 400;
  asked.job.percentiles.per_token = {0.95, seconds{0.02}};
  asked.routing = request_routing::queue;
  const simulate_answer routed = answer_to_simulate(config, asked, price_book{});
  REQUIRE(routed.chance.has_value());
  CHECK(*routed.slowdown > 1);
  CHECK(*routed.chance > 0.5);
  asked.routing.reset();
  asked.slices = 1, asked.split_slices = 2, asked.split.transfer = bytes_per_second{1e10};
  const simulate_answer split = answer_to_simulate(config, asked, price_book{});
  REQUIRE(split.chance.has_value());
  CHECK(*split.slowdown > 1);
}

// Dollars of a million tokens are those of an hour over the tokens of an hour: of clients fewer where steps take
// longer.
TEST_CASE("dollars of a million tokens lie between those of the ends of the band") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v6e-4", asked.slices = 2, asked.job.concurrency = 32, asked.requests = 400;
  price_row price;
  price.generation = "v6e", price.region = "us", price.kind = provisioning::on_demand;
  price.per_chip = 3_usd_per_h;
  const std::vector<price_row> rows{price};
  const simulate_answer closed = answer_to_simulate(config, asked, price_book{rows.data(), rows.size()});
  REQUIRE(closed.cost.has_value());
  CHECK(close(closed.cost->hour.value(), 24));
  CHECK(close(closed.cost->million.value(), 24 / (closed.report.output_tokens.value() * 2 * 3600) * 1e6, 1e-9));
  REQUIRE(closed.cost->million_low.has_value());
  // Of clients that begin at once all times take as much longer, but for prompts alone.
  const double slower = closed.latency_high->end_to_end.mean / closed.report.end_to_end.value.mean;
  CHECK(close(*closed.cost->million_high / closed.cost->million, slower, 0.05));
  CHECK(*closed.cost->million_low < closed.cost->million);
  // Of requests that come whatever is served, these cost the same unless fewer are served.
  asked.job.concurrency = 0, asked.job.request_rate = per_second{2};
  const simulate_answer open = answer_to_simulate(config, asked, price_book{rows.data(), rows.size()});
  CHECK(close(*open.cost->million_high / open.cost->million, 1, 0.05));
  asked.job.request_rate = per_second{30};
  const simulate_answer busy = answer_to_simulate(config, asked, price_book{rows.data(), rows.size()});
  CHECK_FALSE(busy.latency_high.has_value());
  CHECK(*busy.cost->million_high > busy.cost->million * 1.1);
}

// 45 sequences of 16650 tokens fit, and 1150 that share 16000 of these: both say what clients without end are served.
TEST_CASE("a shared prefix is held once in the estimate as in the simulation") {
  model_config config;
  config.model = llama_3_8b();
  config.model.max_positions = 131072;
  simulate_request asked;
  asked.slice = "v6e-4", asked.sessions.shared_prefix = 16000, asked.requests = 3000;
  asked.job.concurrency = 2000, asked.job.prompt = fixed_length(500), asked.job.output = fixed_length(300);
  const simulate_answer played = answer_to_simulate(config, asked, price_book{});
  serving_job job = asked.job;
  job.prompt = fixed_length(16500), job.prefix_hit_rate = played.job.prefix_hit_rate, job.shared_prefix = 16000;
  const serving_estimate said = serve(config.model, job, {}, slice_for("v6e-4"));
  CHECK(said.largest_running == 1150);
  CHECK(close(played.report.goodput.value() / said.capacity.value(), 1, 0.03));
  job.shared_prefix = 0;
  const serving_estimate apart = serve(config.model, job, {}, slice_for("v6e-4"));
  CHECK(apart.largest_running == 45);
  CHECK(apart.capacity < 0.95 * said.capacity);
  // Eight such prefixes, in blocks of 16.
  asked.sessions.groups = 8, asked.job.block_tokens = 16;
  const simulate_answer groups = answer_to_simulate(config, asked, price_book{});
  CHECK(groups.job.shared_prefix == 16000);
  CHECK(groups.job.prefix_groups == 8);
  job = groups.job, job.request_rate = {}, job.concurrency = 2000;
  CHECK(close(groups.report.goodput.value() / serve(config.model, job, {}, slice_for("v6e-4")).capacity.value(), 1,
              0.03));
}

// What would count a shared prefix twice, or is none, is refused.
TEST_CASE("a shared prefix of the job is one of prompts in a paged cache") {
  const slice where = slice_for("v6e-4");
  const auto refused = [&](serving_job job, const transformer& model = llama_3_8b()) {
    return refusal_of([&] { static_cast<void>(serve(model, job, {}, where)); }).message;
  };
  serving_job job;
  job.prompt = fixed_length(500), job.output = fixed_length(300), job.shared_prefix = 200;
  CHECK(says(refused(job), "serving_job.prefix_hit_rate is 0; valid: above 0 beside a shared prefix"));
  job.prefix_hit_rate = 0.4;
  CHECK(serve(llama_3_8b(), job, {}, where).refusal == serving_refusal::none);
  serving_job other = job;
  other.shared_prefix = 500;
  CHECK(says(refused(other), "serving_job.shared_prefix is 500; valid: fewer tokens than a prompt"));
  other.shared_prefix = -1;
  CHECK(says(refused(other), "serving_job.shared_prefix is -1; valid: 0 (none) to 2^40 tokens"));
  other = job, other.prefix_groups = 0;
  CHECK(says(refused(other), "serving_job.prefix_groups is 0"));
  other = job, other.policy = cache_policy::reserved;
  CHECK(says(refused(other), "serving_job.policy is reserved; valid: paged"));
  simulate_request asked;
  model_config config;
  config.model = llama_3_8b();
  asked.slice = "v6e-4", asked.sessions.turns = 2, asked.job = job, asked.job.request_rate = per_second{2};
  asked.job.prefix_hit_rate = 0.4;
  CHECK(says(refusal_of([&] { static_cast<void>(answer_to_simulate(config, asked, price_book{})); }).message,
             "job.shared_prefix is 200; valid: 0 beside sessions"));
}

}  // namespace ask_simulate_tests
