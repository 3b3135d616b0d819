// Simulations beside theory: queues with known waiting times, the closed forms at low load, and common random numbers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"
#include "support/servers.hpp"

using namespace tpuplan;

namespace plan_simulation_tests {

namespace {

/// Time that requests wait for their service, with what chance may make of it.
measured_percentiles waits_of(const simulation_run& run) {
  std::vector<double> waits;
  for (const request_record& record : run.records) {
    if (record.arrival >= run.warm_until) waits.push_back((record.admitted - record.arrival).value());
  }
  return percentiles_of(waits);
}

/// Poisson arrivals of services with a mean of 1 s.
std::vector<simulated_request> services(double load, std::int64_t seed, double (*service)(detail::random_numbers&)) {
  simulated_traffic traffic;
  traffic.rate = per_second{load};
  traffic.prompt = traffic.output = same_length(1);
  traffic.requests = 60000;
  traffic.seed = seed;
  std::vector<simulated_request> requests = requests_of(traffic);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    detail::random_numbers numbers{static_cast<std::uint64_t>(seed), 77, i};
    requests[i].prompt = 1 + static_cast<std::int64_t>(1e6 * service(numbers));
  }
  return requests;
}

double constant(detail::random_numbers&) { return 1; }
double exponential(detail::random_numbers& numbers) { return numbers.exponential(); }
/// A tenth of the requests takes 5 s, the others 5/9 s: mean 1, mean square 2.5 + 0.9 x 25 / 81.
double two_kinds(detail::random_numbers& numbers) { return numbers.uniform() < 0.1 ? 5 : 5.0 / 9; }

serving_job chat_job(double rate) {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  job.block_tokens = 16;
  job.request_rate = per_second{rate};
  return job;
}

}  // namespace

TEST_CASE("a simulation of too many steps is refused, with how many requests it could have had", "[door][slow]") {
  struct one_second {
    seconds attention(std::int64_t, std::int64_t) const { return {}; }
    seconds step(const step_work&) const { return seconds{1}; }
  };
  simulated_traffic traffic;
  traffic.rate = per_second{1e-9};  // each request is alone
  traffic.variation = 0;
  traffic.prompt = same_length(1);
  traffic.output = same_length(6000004);
  traffic.requests = 4;  // of 4 + 6000002 + 4 steps each, as they are counted
  simulation_run run;
  CHECK_NOTHROW(run = simulate(one_server(), requests_of(traffic), one_second{}));
  CHECK(run.output_tokens == 4 * 6000004);
  traffic.requests = 7;
  const std::string message =
      refusal_of([&] { (void)simulate(one_server(), requests_of(traffic), one_second{}); }).message;
  CHECK(says(message, "simulated_traffic.requests is 7; valid: at most 4, or shorter outputs"));
  traffic.requests = 10000001;
  CHECK(says(refusal_of([&] { (void)requests_of(traffic); }).message, "is 10000001; valid: 1 to 10000000"));
}

TEST_CASE("waiting times of M/D/1, M/M/1 and M/G/1 are those of Pollaczek and Khinchine") {
  struct queue {
    double (*service)(detail::random_numbers&);
    double mean_square;
  };
  int outside = 0, tried = 0;
  for (const queue& one : {queue{constant, 1}, queue{exponential, 2}, queue{two_kinds, 2.5 + 0.9 * 25 / 81}}) {
    for (const double load : {0.3, 0.6, 0.8}) {
      for (std::int64_t seed = 1; seed <= 3; ++seed) {
        CAPTURE(load, one.mean_square, seed);
        const simulation_run run = simulate(one_server(), services(load, seed, one.service), service_times{});
        const measured_percentiles waits = waits_of(run);
        const double expected = load * one.mean_square / (2 * (1 - load));
        CHECK(waits.error.mean < 0.25 * expected);
        CHECK(std::abs(waits.value.mean - expected) < 2 * waits.error.mean);
        outside += std::abs(waits.value.mean - expected) > waits.error.mean;
        ++tried;
        CHECK(std::abs(run.busy - load) < 0.03);
      }
    }
  }
  CHECK(outside <= 5);  // of 27, where 95 % are to be inside: more in 1 % of all seeds
  CHECK(tried == 27);
}

TEST_CASE("of more requests than a server can take it serves as many as it can, and no more are good") {
  const simulation_report over = report_of(simulate(one_server(), services(1.5, 2, constant), service_times{}));
  CHECK(over.arrivals.value() == Approx(1.5).epsilon(0.02));
  CHECK(over.good_share == 1);  // there is no limit
  CHECK(over.goodput.value() == Approx(1).epsilon(0.03));
  const simulation_report under = report_of(simulate(one_server(), services(0.8, 2, constant), service_times{}));
  CHECK(under.goodput == under.arrivals);
}

TEST_CASE("percentiles of the time in an M/M/1 queue are those of its exponential distribution") {
  const double load = 0.5;
  const simulation_report report = report_of(simulate(one_server(), services(load, 4, exponential), service_times{}));
  // The time in the system is exponential with mean 1 / (1 - load); a request finds k others with load^k (1 - load).
  CHECK(std::abs(report.end_to_end.value.mean.value() - 2) < 2 * report.end_to_end.error.mean.value());
  CHECK(std::abs(report.end_to_end.value.p50.value() - 2 * std::log(2.0)) < 2 * report.end_to_end.error.p50.value());
  CHECK(std::abs(report.end_to_end.value.p99.value() - 2 * std::log(100.0)) < 2 * report.end_to_end.error.p99.value());
  CHECK(std::abs(report.queue.value.mean - load * load / (1 - load)) < 2 * report.queue.error.mean);
  CHECK(report.per_token.count == 0);  // one output token each
  CHECK(report.first_token.value.p99.value() == report.end_to_end.value.p99.value());
  CHECK(close(report.goodput.value(), report.arrivals.value()));
}

TEST_CASE("bursts wait longer than a Poisson process, and a constant rate below the capacity does not wait") {
  double before = -1;
  for (const double variation : {0.0, 0.5, 1.0, 2.0}) {
    simulated_traffic traffic;
    traffic.rate = per_second{0.7};
    traffic.variation = variation;
    traffic.prompt = same_length(1000000);
    traffic.output = same_length(1);
    traffic.requests = 20000;
    const double wait = waits_of(simulate(one_server(), requests_of(traffic), service_times{})).value.mean;
    CHECK(wait > before);
    if (variation == 0) CHECK(wait < 1e-9);
    before = wait;
  }
}

TEST_CASE("lengths are drawn from the distribution that is given, where it is that of the job") {
  serving_job job = chat_job(1);
  const length_distribution prompts = lengths_by_quantiles({{0, 16}, {0.5, 400}, {1, 8192}});
  job.prompt = lengths_of(prompts);
  drawn_lengths drawn;
  drawn.prompts = prompts;
  CHECK(traffic_of(job, 100, 1, drawn).prompt.quantiles.size() == 3);
  CHECK(traffic_of(job, 100, 1, drawn).output.quantiles.empty());
  CHECK(traffic_of(job, 100).prompt.quantiles.empty());
  // Half of the prompts have at most 400 tokens; by the moments alone half have at most 1323.
  const auto short_ones = [](const simulated_traffic& traffic) {
    const std::vector<simulated_request> requests = requests_of(traffic);
    return std::count_if(requests.begin(), requests.end(), [](const auto& one) { return one.prompt <= 400; });
  };
  CHECK(std::abs(static_cast<double>(short_ones(traffic_of(job, 4000, 1, drawn))) - 2000) < 100);
  CHECK(short_ones(traffic_of(job, 4000)) < 800);
  // Prompts half as long, as advice tries them, are those of the distribution by half; others are not of it.
  serving_job half = job;
  half.prompt.mean /= 2, half.prompt.mean_square /= 4, half.prompt.longest /= 2;
  CHECK(traffic_of(half, 100, 1, drawn).prompt.quantiles[1].tokens == 200);
  CHECK(traffic_of(half, 100, 1, drawn).prompt.quantiles[2].tokens == 4096);
  half.prompt.mean_square *= 1.1;
  CHECK(traffic_of(half, 100, 1, drawn).prompt.quantiles.empty());
  drawn.prompts = log_normal_lengths(100, 1, 1000000), drawn.outputs = same_length(300);
  half.prompt = lengths_of(*drawn.prompts);
  half.prompt.mean *= 3, half.prompt.mean_square *= 9, half.prompt.longest *= 3;
  CHECK(close(traffic_of(half, 100, 1, drawn).prompt.median, 300, 1e-12));
  CHECK(traffic_of(half, 100, 1, drawn).prompt.longest == 3000000);
  drawn.prompts = prompts, drawn.outputs = {};
  // Images add their tokens to each, and stay as they are.
  drawn.prompt_more = 576;
  CHECK(traffic_of(job, 100, 1, drawn).prompt.quantiles.empty());
  job.prompt.mean += 576, job.prompt.longest += 576;
  job.prompt.mean_square += 2 * 576 * (job.prompt.mean - 576) + 576 * 576;
  CHECK(traffic_of(job, 100, 1, drawn).prompt_more == 576);
  for (const simulated_request& one : requests_of(traffic_of(job, 100, 1, drawn))) CHECK(one.prompt >= 16 + 576);
}

TEST_CASE("requests that came are drawn whole, prompts with the outputs that they had") {
  std::vector<simulated_request> came;
  for (int i = 0; i < 30000; ++i) came.push_back({seconds{1.0 * i}, i % 10 == 0 ? 4000 : 100, i % 10 == 0 ? 30 : 300});
  drawn_lengths drawn;
  drawn.observed = observed_of(came);
  CHECK(drawn.observed.requests.size() == 10000);
  CHECK(drawn.observed.requests[9999].arrival == seconds{29997});
  CHECK(drawn.observed.prompt.mean == 490);
  serving_job job = chat_job(1);
  CHECK(traffic_of(job, 100, 1, drawn).observed.empty());  // other lengths
  job.prompt = drawn.observed.prompt, job.output = drawn.observed.output;
  const std::vector<simulated_request> requests = requests_of(traffic_of(job, 4000, 1, drawn));
  const auto long_ones =
      std::count_if(requests.begin(), requests.end(), [](const auto& one) { return one.prompt == 4000; });
  CHECK(std::abs(static_cast<double>(long_ones) - 400) < 60);
  for (const simulated_request& one : requests) CHECK(one.output == (one.prompt == 4000 ? 30 : 300));
  serving_job shorter = job;
  shorter.prompt.mean /= 4, shorter.prompt.mean_square /= 16;
  CHECK(traffic_of(shorter, 100, 1, drawn).observed[0].prompt == 1000);
  CHECK(traffic_of(shorter, 100, 1, drawn).observed[0].output == 30);
  job.output = fixed_length(200);
  CHECK(traffic_of(job, 100, 1, drawn).observed.empty());
  CHECK(observed_of({}).requests.empty());
  simulated_traffic wrong = traffic_of(job, 100);
  wrong.observed = {{0_s, 0, 10}};
  CHECK(says(refusal_of([&] { (void)requests_of(wrong); }).message, "simulated_traffic.observed.prompt is 0"));
}

TEST_CASE("at low load the simulation is the closed form") {
  const slice where = slice_for("v6e-8");
  for (const std::int64_t chunk : {0, 256}) {
    serving_job job = chat_job(0.02);
    job.prefill_chunk = chunk;
    const serving_estimate closed = serve(llama_3_8b(), job, {}, where);
    const simulated_engine engine = engine_of(llama_3_8b(), job, {}, where);
    const replica_step_times times{llama_3_8b(), job, {}, where, engine.max_running};
    const simulation_report report = report_of(simulate(engine, requests_of(traffic_of(job, 500)), times));
    CHECK(close(report.first_token.value.p50.value(), closed.prefill.value(), 1e-9));
    CHECK(close(report.first_token.value.mean.value(), closed.first_token.value(), 0.01));
    const double one = time_per_token(llama_3_8b(), 1, job, {}, where).step.total.value();
    CHECK(close(closed.per_token.step.total.value(), one, 0.002));
    CHECK(close(report.per_token.value.mean.value(), closed.per_token.total.value(), 0.01));
    CHECK(report.queue.value.p99 <= 1);
    CHECK(close(report.running, closed.running, 0.15));
  }
}

TEST_CASE("capacity and first token of prompts taken in by chunks are those of the simulation", "[door]") {
  const slice where = slice_for("v6e-8");
  struct row {
    std::int64_t prompt, output, chunk;
  };
  for (const row& r : {row{8192, 32, 64},
                       {8192, 32, 512},
                       {100000, 32, 64},
                       {2048, 256, 64},
                       {2048, 64, 256},
                       {11509, 4, 1155},
                       {2000, 10, 160}}) {
    INFO(r.prompt << " + " << r.output << " by chunks of " << r.chunk);
    serving_job job;
    job.prompt = fixed_length(r.prompt);
    job.output = fixed_length(r.output);
    job.prefill_chunk = r.chunk;
    job.beyond_max_positions = true;
    const per_second capacity = serve(llama_3_8b(), job, {}, where).capacity;
    const auto simulated = [&](double load) {
      job.request_rate = capacity * load;
      const simulated_engine engine = engine_of(llama_3_8b(), job, {}, where);
      const replica_step_times times{llama_3_8b(), job, {}, where, engine.max_running};
      return report_of(simulate(engine, requests_of(traffic_of(job, 2000)), times));
    };
    // More than the capacity: requests end as fast as they can.
    CHECK(close(simulated(1.5).output_tokens.value() / static_cast<double>(r.output), capacity.value(), 0.15));
    const simulation_report nearly = simulated(0.9);  // what is below the capacity is served
    CHECK(close(nearly.output_tokens.value() / static_cast<double>(r.output), nearly.arrivals.value(), 0.05));
    CHECK(close(serve(llama_3_8b(), job, {}, where).requests.value(), 0.9 * capacity.value(), 1e-9));
    const simulation_report half = simulated(0.5);
    const serving_estimate closed = serve(llama_3_8b(), job, {}, where);
    CHECK(close(half.first_token.value.mean.value(), closed.first_token.value(), 0.25));
  }
}

TEST_CASE("under load the mean time of a token and the sequences that run stay near the closed form") {
  const slice where = slice_for("v6e-8");
  serving_job job = chat_job(1);
  const simulated_engine engine = engine_of(llama_3_8b(), job, {}, where);
  const replica_step_times times{llama_3_8b(), job, {}, where, engine.max_running};
  for (const double rate : {5.0, 15.0}) {
    job.request_rate = per_second{rate};
    const serving_estimate closed = serve(llama_3_8b(), job, {}, where);
    REQUIRE(closed.refusal == serving_refusal::none);
    const simulation_report report = report_of(simulate(engine, requests_of(traffic_of(job, 3000)), times));
    CHECK(close(report.per_token.value.mean.value(), closed.per_token.total.value(), 0.15));
    CHECK(close(report.running, closed.running, 0.2));
    CHECK(close(report.output_tokens.value(), 256 * report.arrivals.value(), 0.03));
    CHECK(report.first_token.value.p99.value() > report.first_token.value.p50.value());
  }
}

TEST_CASE("the engine of a job has the room of the closed form") {
  const slice where = slice_for("v6e-8");
  serving_job job = chat_job(1);
  const simulated_engine engine = engine_of(llama_3_8b(), job, {}, where);
  const std::int64_t slots = largest_running(llama_3_8b(), job, {}, where);
  const std::int64_t each = ceil_div(1024 + 128, 16);
  CHECK(engine.blocks == 103278);
  CHECK(engine.blocks / each == slots);
  CHECK(engine.replicas == 1);
  CHECK(engine.step_tokens == 0);
  job.max_running = 12;
  job.policy = cache_policy::reserved;
  CHECK(engine_of(llama_3_8b(), job, {}, where).max_running == 12);
  CHECK(engine_of(llama_3_8b(), job, {}, where).reserved_tokens == 1280);
  CHECK(engine_of(llama_3_8b(), job, {8}, slice_for("v6e-16")).replicas == 2);
  job.memory_fraction = 0.06;
  CHECK(refusal_of([&] { static_cast<void>(engine_of(llama_3_8b(), job, {}, where)); }).code == errc::infeasible);
}

TEST_CASE("targets by percentile, and requests within all limits") {
  const std::vector<simulated_request> requests = services(0.5, 9, exponential);
  const simulation_run run = simulate(one_server(), requests, service_times{});
  const simulation_report plain = report_of(run);
  latency_targets targets;
  targets.first_token = {0.99, plain.first_token.value.p99};
  targets.end_to_end = {0, plain.end_to_end.value.mean};
  const simulation_report met = report_of(run, targets);
  CHECK(meets(met));
  CHECK(close(met.good_share, 1 - std::exp(-1.0), 0.03));  // an exponential time is below its mean
  CHECK(close(met.goodput.value(), met.good_share * met.arrivals.value()));
  targets.first_token.limit = seconds{plain.first_token.value.p99.value() * 0.999};
  CHECK_FALSE(report_of(run, targets).meets_first_token);
  CHECK(report_of(run, targets).meets_per_token);
  CHECK_FALSE(meets(report_of(run, targets)));
  targets.first_token.share = 2;
  CHECK(refusal_of([&] { static_cast<void>(report_of(run, targets)); }).refused);
  const simulation_run few =
      simulate(one_server(), std::vector<simulated_request>(requests.begin(), requests.begin() + 50), service_times{});
  CHECK(says(refusal_of([&] { static_cast<void>(report_of(few)); }).message, "requests that are counted"));
}

TEST_CASE("requests with many output tokens are planned by fewer of them") {
  serving_job job;
  const auto with = [&](double mean) {
    job.output.mean = mean;
    return planning_requests_of(job);
  };
  CHECK(with(0) == 2000);
  CHECK(with(300) == 2000);
  CHECK(with(4096) == 2000);
  CHECK(with(8192) == 1000);
  CHECK(with(16384) == 500);
  CHECK(with(1e300) == 500);
}

TEST_CASE("the scheduler of an engine decides whether prompts share steps") {
  const slice where = slice_for("v6e-8");
  serving_job job = chat_job(1);
  const auto policy_of = [&](prefill_policy asked) {
    return detail::engine_of(llama_3_8b(), job, {{}, where, 1, asked}, 1, 100).prefill;
  };
  CHECK(policy_of(prefill_policy::mixed) == prefill_policy::mixed);
  CHECK(policy_of(prefill_policy::alone) == prefill_policy::alone);
  job.engine = serving_engine::jetstream;
  CHECK(policy_of(prefill_policy::mixed) == prefill_policy::alone);
}

TEST_CASE("the largest rate of a server of 1 s at a constant rate is 1 a second") {
  simulated_traffic traffic;
  traffic.variation = 0;
  traffic.rate = per_second{1};
  traffic.prompt = same_length(1000000);
  traffic.output = same_length(1);
  traffic.requests = 2000;
  latency_targets targets;
  targets.end_to_end = {1, seconds{1.0001}};
  const double found = largest_rate(one_server(), traffic, service_times{}, targets).value();
  CHECK(found <= 1.0001);
  CHECK(found >= 0.99);
  targets.end_to_end.limit = seconds{0.5};
  CHECK(largest_rate(one_server(), traffic, service_times{}, targets).value() == 0);
  CHECK(refusal_of([&] { static_cast<void>(largest_rate(one_server(), traffic, service_times{}, {})); }).refused);
}

TEST_CASE("with the same requests, looser targets, more memory and more replicas take no lower a rate") {
  const slice where = slice_for("v6e-4");
  const serving_job job = chat_job(1);
  const simulated_engine base = engine_of(llama_3_8b(), job, {}, where);
  const replica_step_times times{llama_3_8b(), job, {}, where, base.max_running};
  double sums[3][3] = {};
  int falls = 0;
  for (std::int64_t seed = 1; seed <= 4; ++seed) {
    simulated_traffic traffic = traffic_of(job, 600, seed);
    traffic.output = log_normal_lengths(200, 0.7, 900);
    double before[3] = {};
    for (int step = 0; step < 3; ++step) {
      latency_targets targets, loose;
      targets.first_token = {0.95, seconds{1}};
      targets.per_token = {0.95, seconds{0.05}};
      loose = targets;
      loose.first_token.limit = seconds{0.25 * std::pow(2, step)};
      simulated_engine larger = base, more = base;
      larger.blocks = 2500 * (step + 1);
      more.replicas = step + 1;
      const double rates[3] = {largest_rate(base, traffic, times, loose).value(),
                               largest_rate(larger, traffic, times, targets).value(),
                               largest_rate(more, traffic, times, targets).value()};
      for (int kind = 0; kind < 3; ++kind) {
        sums[kind][step] += rates[kind];
        falls += rates[kind] < before[kind] * 0.99;
        before[kind] = rates[kind];
      }
    }
  }
  for (int kind = 0; kind < 3; ++kind) {
    CAPTURE(kind, sums[kind][0], sums[kind][1], sums[kind][2]);
    CHECK(sums[kind][0] > 0);
    CHECK(sums[kind][1] >= sums[kind][0]);
    CHECK(sums[kind][2] >= sums[kind][1]);
  }
  CHECK(falls == 0);
  CHECK(sums[2][2] > 2.5 * sums[2][0]);
}

TEST_CASE("a target is met where there is none, and where nothing is counted") {
  CHECK(detail::is_met({}, {0.95, 1_s}));
  CHECK(detail::is_met({}, {0, 1_s}));
  CHECK(detail::is_met({5, 6}, {0.95, 0_s}));
  CHECK_FALSE(detail::is_met({5, 6}, {0.95, 1_s}));
}

TEST_CASE("misses of each target count by themselves") {
  detail::miss_counter counter;
  counter.targets.per_token = {0.5, 10_ms};
  counter.targets.end_to_end = {0.5, 1_s};
  counter.counted = 10;
  request_record late;  // by both
  late.output = 11;
  late.first_token = 1_s;
  late.finished = 2_s;
  int seen = 0;
  while (!counter(late)) ++seen;
  CHECK(seen == 6);  // of ten half may miss, and one
}

TEST_CASE("a model that does not fit is refused with what it takes") {
  const serving_job job = chat_job(1);
  const std::string message =
      refusal_of([&] { static_cast<void>(engine_of(llama_3_8b(), job, {1}, slice_for("v5e-8"))); }).message;
  CHECK(says(message, "GiB, which does not fit on v5litepod-8; valid: at most 14.2 GiB: "));
  CHECK(says(message, "weights take 15.3 GiB, programs 1.0 GiB, a sequence of 1280 tokens 0.2 GiB"));
}

TEST_CASE("an engine runs at most 65536 sequences, a fleet has at most a million slices") {
  CHECK(engine_of(llama_3_8b(), chat_job(1), {}, slice_for("v6e-8")).max_running == 65536);
  const slice one = slice_for("v6e-1");
  CHECK(replicas_of({{}, one, 1000000}) == 1000000);
  CHECK(says(refusal_of([&] {
               (void)replicas_of({{}, one, 1000001});
             }).message,
             "serving_fleet.slices is 1000001; valid: 1 to 1000000"));
  for (const std::int64_t tensor : {-1, 2}) {
    serving_fleet fleet{{}, one, 1};
    fleet.mesh.tensor = tensor;
    CHECK(says(refusal_of([&] { (void)replicas_of(fleet); }).message, "serving_layout.tensor is "));
  }
}

}  // namespace plan_simulation_tests
