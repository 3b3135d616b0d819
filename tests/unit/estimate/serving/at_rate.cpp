// Requests that come at a rate where steps are longer or shorter than estimated.
#include <algorithm>
#include <cmath>
#include <tpuplan/estimate/serving/at_rate.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/near.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace at_rate_tests {

namespace {

serving_job chat_at(double rate) {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  job.request_rate = per_second{rate};
  return job;
}

const serving_layout whole{};

}  // namespace

TEST_CASE("steps of the estimated length are what serve says, and others those of a clock that is slower") {
  const slice s = slice_for("v6e-8");
  const serving_job job = chat_at(6);
  const serving_estimate found = serve(llama_3_8b(), job, whole, s);
  const maybe<request_times> same = times_with_steps(1, llama_3_8b(), job, whole, s);
  REQUIRE(same);
  CHECK((same->first_token == found.first_token && same->per_token == found.per_token.total));
  // Steps of half the length serve twice the rate in half the time.
  const maybe<request_times> half = times_with_steps(0.5, llama_3_8b(), chat_at(12), whole, s);
  REQUIRE(half);
  CHECK(close(half->first_token.value(), 0.5 * found.first_token.value(), 1e-9));
  CHECK(close(half->per_token.value(), 0.5 * found.per_token.total.value(), 1e-9));
  // They serve as many times fewer requests as they are longer.
  const double most = found.capacity.value() / 6;
  CHECK(times_with_steps(0.99 * most, llama_3_8b(), job, whole, s));
  CHECK_FALSE(times_with_steps(1.01 * most, llama_3_8b(), job, whole, s));
  CHECK(says(refusal_of([&] { (void)times_with_steps(0, llama_3_8b(), job, whole, s); }).message, "slower is 0"));
}

TEST_CASE("times of requests at a rate range further than the steps do, without end where fewer are served") {
  const slice s = slice_for("v6e-8");
  const auto range = [&](const serving_job& job) {
    return range_of_requests(serve(llama_3_8b(), job, whole, s), llama_3_8b(), job, whole, s);
  };
  const serving_estimate rare = serve(llama_3_8b(), chat_at(0.001), whole, s);
  const request_range seldom = range(chat_at(0.001));
  REQUIRE(seldom.high);
  CHECK(close(seldom.low.per_token.value(), rare.per_token.low.value(), 0.01));
  CHECK(close(seldom.high->per_token.value(), rare.per_token.high.value(), 0.01));
  const serving_job busy = chat_at(0.3 * rare.capacity.value());
  const serving_estimate often = serve(llama_3_8b(), busy, whole, s);
  CHECK(range(busy).low.per_token < often.per_token.low);
  CHECK_FALSE(range(chat_at(0.9 * rare.capacity.value())).high);
  // Clients send no more than are answered: theirs are the ends of the estimate.
  serving_job clients = chat_at(0);
  clients.concurrency = 16;
  const serving_estimate closed = serve(llama_3_8b(), clients, whole, s);
  const request_range of_clients = range(clients);
  REQUIRE(of_clients.high);
  CHECK(of_clients.low.per_token == closed.per_token.low);
  CHECK((of_clients.high->per_token == closed.per_token.high && of_clients.low.first_token == closed.first_token_low));
}

TEST_CASE("seldom requests keep a first token as surely as those of one client") {
  const slice s = slice_for("v6e-8");
  serving_job one = chat_at(0);
  one.concurrency = 1;
  const serving_job seldom = chat_at(1e-6);
  const serving_estimate of_one = serve(llama_3_8b(), one, whole, s), found = serve(llama_3_8b(), seldom, whole, s);
  for (const double times : {0.8, 0.95, 1.1, 1.5}) {
    const seconds limit = times * of_one.first_token;
    CAPTURE(times);
    CHECK(std::abs(chance_of_requests({limit, seconds{0}}, found, llama_3_8b(), seldom, whole, s) -
                   chance(first_token_of(of_one), limit)) < 0.001);
  }
  const request_range range = range_of_requests(found, llama_3_8b(), seldom, whole, s);
  REQUIRE(range.high);
  CHECK(std::abs(range.low.first_token / of_one.first_token_low - 1) < 0.001);
  CHECK(std::abs(range.high->first_token / of_one.first_token_high - 1) < 0.001);
}

TEST_CASE("the chance of requests is that of the longest steps with which they keep their limits") {
  const slice s = slice_for("v6e-8");
  const serving_job job = chat_at(6);
  const serving_estimate found = serve(llama_3_8b(), job, whole, s);
  const auto kept = [&](seconds first, seconds each) {
    return chance_of_requests({first, each}, found, llama_3_8b(), job, whole, s);
  };
  CHECK(std::abs(kept(seconds{0}, found.per_token.total) - 0.5) < 0.001);
  CHECK(std::abs(kept(found.first_token, seconds{0}) - 0.5) < 0.001);
  // With steps 1.3 times as long the times are those of 1.3 times the rate, 1.3 times as long.
  const request_times longer = *times_with_steps(1.3, llama_3_8b(), job, whole, s);
  const double of_steps = chance(found.per_token, 1.3 * found.per_token.total);
  const double of_first = chance(first_token_of(found), 1.3 * found.first_token);
  CHECK(std::abs(of_steps - of_first) > 0.02);
  CHECK(std::abs(kept(seconds{0}, longer.per_token) - of_steps) < 0.001);
  CHECK(std::abs(kept(longer.first_token, seconds{0}) - of_first) < 0.001);
  CHECK(std::abs(kept(longer.first_token, longer.per_token) - std::min(of_steps, of_first)) < 0.001);
  CHECK(std::abs(kept(10 * longer.first_token, longer.per_token) - of_steps) < 0.001);
  CHECK((kept(1e-6_s, seconds{0}) == 0.05 && kept(1000_s, 1000_s) <= 0.95));
}

}  // namespace at_rate_tests
