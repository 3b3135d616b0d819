// Prefill and decode apart: what a request takes alone, what a slow link does, and what is refused.
#include <cstdint>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/split.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_split_tests {

namespace {

serving_job chat() {
  serving_job job;
  job.prompt = fixed_length(1000);
  job.output = fixed_length(100);
  job.prefill_chunk = 2048;
  return job;
}
serving_fleet fleet() { return {{4}, slice_for("v6e-4"), 1}; }
std::vector<simulated_request> requests_at(double rate, std::int64_t count) {
  serving_job job = chat();
  job.request_rate = per_second{rate};
  return requests_of(traffic_of(job, count));
}

}  // namespace

TEST_CASE("a request alone takes its prefill, the link, a step for its last token, and steps of decoding") {
  const std::vector<simulated_request> requests = requests_at(0.01, 200);
  const split_run all = simulate_split(llama_3_8b(), chat(), fleet(), {1, 1, 8.86_GB_per_s}, requests);
  CHECK(close(all.transfer.value(), 131.072e6 / 8.86e9, 1e-6));  // 14.8 ms
  const replica_step_times times{llama_3_8b(), chat(), {4}, slice_for("v6e-4"), 8};
  const double prefill = times.step({0, 0, 1000, times.attention(0, 1000), 0}).value();
  const double last = times.step({0, 0, 1, times.attention(999, 1000), 0}).value();
  const simulation_report report = report_of(all.run);
  CHECK(close(report.first_token.value.p50.value(), prefill + all.transfer.value() + last, 1e-6));
  const simulation_report together =
      report_of(simulate_fleet(llama_3_8b(), chat(), fleet(), 1, requests_at(0.01, 200)));
  CHECK(close(report.per_token.value.p50.value(), together.per_token.value.p50.value(), 1e-6));
  CHECK(report.first_token.value.p50 > together.first_token.value.p50);
}

TEST_CASE("a split fleet can serve what its prompts, its links and its decoding allow") {
  const serving_job job = chat();
  const auto capacity = [&](std::int64_t prefill, std::int64_t decode, double rate) {
    return split_capacity(llama_3_8b(), job, fleet(), {prefill, decode, rate * 1_GB_per_s}).value();
  };
  CHECK(close(capacity(4, 400, 0.886), 4 * 0.886e9 / 131.072e6));  // of the link: each replica sends one at a time
  CHECK(close(capacity(2, 400, 886), 2 * capacity(1, 400, 886)));  // of the prompts
  CHECK(close(capacity(400, 2, 886), 2 * capacity(400, 1, 886)));  // of decoding
  CHECK(capacity(1, 1, 886) < capacity(1, 400, 886) * (1 + 1e-9));
  serving_job both = job;
  both.concurrency = 1;
  CHECK(capacity(400, 1, 886) > serve(llama_3_8b(), both, {4}, slice_for("v6e-4")).capacity.value());
}

TEST_CASE("a pool of short prompts serves what the closed form says of its host") {
  serving_job job = chat();
  job.prompt = fixed_length(128), job.output = fixed_length(32);
  const split_pools pools{1, 8, 100_GB_per_s};
  const double capacity = split_capacity(llama_3_8b(), job, fleet(), pools).value();
  // Of the 16 prompts that a step takes the host's work for one is in its prefill.
  CHECK(capacity < 16.0 / 15 / default_serving_calibration.engine_request.value());
  job.request_rate = per_second{4 * capacity};
  const split_run all = simulate_split(llama_3_8b(), job, fleet(), pools, requests_of(traffic_of(job, 4000)));
  seconds last{0};
  for (const request_record& one : all.run.records) last = max(last, one.finished);
  CHECK(close(4000 / last.value(), capacity, 0.05));
}

TEST_CASE("records are in the order of arrivals, and nothing is lost") {
  const std::vector<simulated_request> requests = requests_at(20, 1000);
  const split_run all = simulate_split(llama_3_8b(), chat(), fleet(), {1, 2, 4.5_GB_per_s}, requests);
  REQUIRE(all.run.records.size() == requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const request_record& record = all.run.records[i];
    CHECK(record.arrival == requests[i].arrival);
    CHECK(record.output == requests[i].output);
    CHECK(record.first_token > record.admitted);
    CHECK(record.finished > record.first_token);
  }
  CHECK(all.run.output_tokens == 100 * 1000);
  CHECK(report_of(all.run).prompt_tokens.value() == Approx(20 * 1001).epsilon(0.05));  // the last is computed twice
  CHECK(all.run.blocks_taken == all.run.blocks_returned);
}

TEST_CASE("a slower link makes first tokens later, and one that is too slow a queue") {
  const std::vector<simulated_request> requests = requests_at(20, 1000);
  seconds before{0};
  for (const double rate : {100e9, 10e9, 4e9, 1e9}) {
    const split_run all = simulate_split(llama_3_8b(), chat(), fleet(), {1, 1, bytes_per_second{rate}}, requests);
    const seconds first = report_of(all.run).first_token.value.mean;
    CHECK(first > before);
    CHECK(all.transfer.value() >= 131.072e6 / rate * (1 - 1e-9));
    before = first;
  }
  CHECK(before > seconds{1});  // 2.6 GB arrive a second, where 1 can be sent
}

TEST_CASE("prompts do not hold up tokens that are decoded elsewhere") {
  const std::vector<simulated_request> requests = requests_at(15, 2000);  // which a host keeps up with
  const split_run all = simulate_split(llama_3_8b(), chat(), fleet(), {1, 1, 100_GB_per_s}, requests);
  serving_fleet both = fleet();
  both.slices = 2;
  const simulation_run together = simulate_fleet(llama_3_8b(), chat(), both, 2, requests);
  CHECK(all.run.inter_token.value.p99 < together.inter_token.value.p99);
  CHECK(all.prefill_busy < 1);
  CHECK(all.prefill_busy > 0.1);
}

TEST_CASE("the best split of slices is the ratio that can serve most") {
  serving_job job = chat();
  std::vector<std::int64_t> for_prompts;
  for (const std::int64_t output : {8, 128, 1000}) {
    job.output = fixed_length(output);
    for (const std::int64_t slices : {2, 3, 8}) {
      const split_pools best = best_split(llama_3_8b(), job, fleet(), slices, 8.86_GB_per_s);
      CHECK(best.prefill + best.decode == slices);
      CHECK(best.transfer == 8.86_GB_per_s);
      const auto capacity = [&](std::int64_t prefill) {
        return split_capacity(llama_3_8b(), job, fleet(), {prefill, slices - prefill, 8.86_GB_per_s});
      };
      for (std::int64_t prefill = 1; prefill < slices; ++prefill) CHECK(capacity(prefill) <= capacity(best.prefill));
      if (best.prefill > 1) CHECK(capacity(best.prefill - 1) < capacity(best.prefill));
      if (slices == 8) for_prompts.push_back(best.prefill);
    }
  }
  CHECK(for_prompts == std::vector<std::int64_t>{4, 4, 1});
  CHECK(says(refusal_of([&] { (void)best_split(llama_3_8b(), job, fleet(), 1, 1_GB_per_s); }).message,
             "split_slices is 1; valid: 2 to 1000000"));
}

TEST_CASE("published rates of caches, and what is refused by name") {
  CHECK(published_transfer(slice_for("v6e-8").chip)->rate == 8.86_GB_per_s);
  CHECK(published_transfer(slice_for("tpu7x-8").chip)->rate == 4.5_GB_per_s);
  CHECK_FALSE(published_transfer(slice_for("v5e-8").chip));
  const std::vector<simulated_request> requests = requests_at(1, 200);
  const auto refused = [&](const split_pools& pools) {
    return refusal_of([&] { static_cast<void>(simulate_split(llama_3_8b(), chat(), fleet(), pools, requests)); })
        .message;
  };
  CHECK(says(refused({0, 1, 1_GB_per_s}), "split_pools.prefill is 0"));
  CHECK(says(refused({1, 0, 1_GB_per_s}), "split_pools.decode is 0"));
  CHECK(says(refused({1, 1, {}}), "split_pools.transfer is 0"));
}

TEST_CASE("a cache is there when its prompt has ended, what is before it on the link has passed, and it has too") {
  std::vector<request_record> records(3);
  for (request_record& one : records) one.prompt = 1000;
  records[0].finished = seconds{1}, records[1].finished = seconds{1}, records[1].delay = seconds{0.5};
  records[2].finished = seconds{9};
  const split_pools pools{1, 1, bytes_per_second{131.072e6}};  // a cache a second
  const std::vector<seconds> there = detail::arrivals_of_caches(llama_3_8b(), chat(), pools, 1, records);
  CHECK(close(there[0].value(), 2, 1e-9));
  CHECK(close(there[1].value(), 3, 1e-9));
  CHECK(close(there[2].value(), 10, 1e-9));
  const std::vector<seconds> by_two = detail::arrivals_of_caches(llama_3_8b(), chat(), pools, 2, records);
  CHECK(close(by_two[1].value(), 2.5, 1e-9));
}

}  // namespace unit_split_tests
