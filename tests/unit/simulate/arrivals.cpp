// Requests at random: the moments that are asked for, and the same ones again from the same seed.
#include <cmath>
#include <cstdint>
#include <tpuplan/simulate/arrivals.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_arrivals_tests {

namespace {

simulated_traffic chat(double variation) {
  simulated_traffic traffic;
  traffic.rate = per_second{4};
  traffic.variation = variation;
  traffic.prompt = lengths_by_quantiles({{0, 16}, {0.5, 400}, {1, 4096}});
  traffic.output = log_normal_lengths(200, 0.8, 2000);
  traffic.requests = 40000;
  return traffic;
}

struct moments {
  double mean = 0;
  double variation = 0;  // standard deviation over mean
};
moments moments_of(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value, squares += value * value;
  const double mean = sum / static_cast<double>(values.size());
  return {mean, std::sqrt(squares / static_cast<double>(values.size()) / (mean * mean) - 1)};
}

}  // namespace

TEST_CASE("arrivals have the rate and the variation that are asked for") {
  for (const double variation : {0.0, 0.5, 1.0, 2.0, 3.5}) {
    CAPTURE(variation);
    const std::vector<simulated_request> requests = requests_of(chat(variation));
    std::vector<double> gaps;
    double before = 0;
    for (const simulated_request& request : requests) {
      gaps.push_back(request.arrival.value() - before);
      CHECK(gaps.back() >= 0);
      before = request.arrival.value();
    }
    const moments found = moments_of(gaps);
    const double error = variation / std::sqrt(static_cast<double>(gaps.size()));
    CHECK(std::abs(found.mean - 0.25) <= 0.25 * 4 * error + 1e-12);
    CHECK(std::abs(found.variation - variation) <= 0.08 * variation + 1e-6);
  }
  simulated_traffic constant = chat(0);
  constant.requests = 3;
  CHECK(requests_of(constant)[2].arrival == seconds{0.75});
}

TEST_CASE("arrivals as asked are those at random, stretched until the counted ones have the rate") {
  simulated_traffic traffic = chat(2);
  traffic.requests = 1000;
  const std::vector<simulated_request> random = requests_of(traffic);
  traffic.as_asked = true;
  traffic.prompt_more = 512;
  const std::vector<simulated_request> asked = requests_of(traffic);
  const auto rate = [](const std::vector<simulated_request>& of) {
    return 900 / (of.back().arrival - of[100].arrival).value();
  };
  CHECK(std::abs(rate(random) - 4) > 0.01);
  CHECK(std::abs(rate(asked) - 4) < 1e-9);
  CHECK(std::abs(asked[500].arrival / random[500].arrival - rate(random) / 4) < 1e-9);
  CHECK(asked[500].prompt == random[500].prompt + 512);
  traffic.prompt_more = -1;
  CHECK(says(refusal_of([&] { (void)requests_of(traffic); }).message, "prompt_more is -1"));
}

TEST_CASE("lengths have the moments of their distribution") {
  simulated_traffic traffic = chat(1);
  traffic.prefix_hit_rate = 0.5;
  std::vector<double> prompts, outputs;
  for (const simulated_request& request : requests_of(traffic)) {
    prompts.push_back(static_cast<double>(request.prompt));
    outputs.push_back(static_cast<double>(request.output));
    CHECK(request.cached == request.prompt / 2);
  }
  for (const auto& [values, lengths] : {std::pair{prompts, traffic.prompt}, std::pair{outputs, traffic.output}}) {
    const token_lengths expected = lengths_of(lengths);
    const moments found = moments_of(values);
    CHECK(close(found.mean, expected.mean, 0.02));
    CHECK(close(found.variation * found.variation + 1, expected.mean_square / (expected.mean * expected.mean), 0.03));
    for (const double value : values) CHECK((value >= 1 && value <= static_cast<double>(expected.longest)));
  }
}

TEST_CASE("the moments of the requests themselves") {
  std::vector<simulated_request> requests(2);
  requests[0].prompt = 100, requests[1].prompt = 300;
  requests[0].output = 7, requests[1].output = 7;
  CHECK(says(refusal_of([] { (void)lengths_of(std::vector<simulated_request>{}, &simulated_request::prompt); }).message,
             "requests is 0"));
  const token_lengths prompts = lengths_of(requests, &simulated_request::prompt);
  CHECK(prompts.mean == 200);
  CHECK(prompts.mean_square == 50000);
  CHECK(prompts.longest == 300);
  CHECK(lengths_of(requests, &simulated_request::output).mean_square == 49);
}

TEST_CASE("closed forms of distributions") {
  CHECK(lengths_of(same_length(512)).mean == 512);
  CHECK(close(lengths_of(log_normal_lengths(100, 1, 1000000)).mean, 164.9, 1e-3));
  const length_distribution quantiles = lengths_by_quantiles({{0, 16}, {0.5, 400}, {1, 8192}});
  CHECK(lengths_of(quantiles).mean == 2252);
  CHECK(quantiles.longest == 8192);
  const token_lengths uncut = lengths_of(log_normal_lengths(100, 1, std::int64_t{1} << 38));
  CHECK(close(uncut.mean, 100 * std::exp(0.5), 1e-9));
  CHECK(close(uncut.mean_square, 1e4 * std::exp(2.0), 1e-6));
  const length_distribution back = distribution_of({100 * std::exp(0.5), 1e4 * std::exp(2.0), 100000});
  CHECK(close(back.median, 100));
  CHECK(close(back.spread, 1));
  CHECK(distribution_of(fixed_length(512)).spread == 0);
  CHECK(lengths_of(same_length(512)).mean_square == 512 * 512);
  CHECK(lengths_of(log_normal_lengths(800, 0, 512)).mean == 512);
  CHECK(lengths_by_quantiles({{0, 16}, {1, 40}}).longest == 40);
}

TEST_CASE("the same seed gives the same requests, another one others, and another rate only other times") {
  const std::vector<simulated_request> first = requests_of(chat(1)), again = requests_of(chat(1));
  simulated_traffic other = chat(1), faster = chat(1);
  other.seed = 2;
  faster.rate = per_second{8};
  const std::vector<simulated_request> others = requests_of(other), sooner = requests_of(faster);
  std::size_t different = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].arrival == again[i].arrival);
    CHECK((first[i].prompt == again[i].prompt && first[i].output == again[i].output));
    CHECK((first[i].prompt == sooner[i].prompt && first[i].output == sooner[i].output));
    CHECK(close(first[i].arrival.value(), 2 * sooner[i].arrival.value()));
    different += first[i].prompt != others[i].prompt;
  }
  CHECK(different > first.size() * 9 / 10);
}

TEST_CASE("traffic out of its range is refused by name") {
  const auto message = [](const simulated_traffic& traffic) {
    return refusal_of([&] { static_cast<void>(requests_of(traffic)); }).message;
  };
  simulated_traffic traffic = chat(1);
  traffic.requests = 10;
  CHECK(message(traffic).empty());
  simulated_traffic still = traffic, wild = traffic, none = traffic, hit = traffic, empty = traffic;
  still.rate = per_second{0};
  CHECK(says(message(still), "simulated_traffic.rate"));
  wild.variation = 21;
  CHECK(says(message(wild), "simulated_traffic.variation"));
  none.requests = 0;
  CHECK(says(message(none), "simulated_traffic.requests"));
  hit.prefix_hit_rate = 1;
  CHECK(says(message(hit), "simulated_traffic.prefix_hit_rate"));
  empty.output = {};
  CHECK(says(message(empty), "simulated_traffic.output"));
  CHECK(refusal_of([] { static_cast<void>(lengths_by_quantiles({{0, 5}})); }).refused);
  CHECK(refusal_of([] { static_cast<void>(log_normal_lengths(0, 1, 5)); }).refused);
  CHECK(refusal_of([] { static_cast<void>(same_length(0)); }).refused);
}

TEST_CASE("the mean of lengths that are all the same is that length, however many they are") {
  for (const std::int64_t length : {1, 44, 300, 374, 512, 1000, 99991}) {
    for (const std::size_t count : {1UL, 3UL, 300UL, 1000UL, 3000UL, 20000UL}) {
      const std::vector<simulated_request> requests(count, {seconds{0}, length, length, 0});
      const token_lengths moments = lengths_of(requests, &simulated_request::prompt);
      CAPTURE(length, count);
      CHECK(moments.mean == static_cast<double>(length));
      CHECK(moments.longest == length);
      CHECK_NOTHROW(detail::check_lengths("longest", "mean", "mean square", moments));
    }
  }
}

TEST_CASE("gamma numbers have their shape as mean and as variance") {
  for (const double shape : {0.4, 1.5, 4.0}) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < 100000; ++i) values.push_back(detail::random_numbers{7, 1, i}.gamma(shape));
    const moments of = moments_of(values);
    CHECK(std::abs(of.mean / shape - 1) < 0.01);
    CHECK(std::abs(of.variation * std::sqrt(shape) - 1) < 0.02);
  }
}

}  // namespace plan_arrivals_tests
