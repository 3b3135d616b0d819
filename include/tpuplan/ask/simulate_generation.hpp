#ifndef TPUPLAN_ASK_SIMULATE_GENERATION_HPP
#define TPUPLAN_ASK_SIMULATE_GENERATION_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/generate.hpp>
#include <tpuplan/ask/networks.hpp>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/simulate/batches.hpp>
#include <utility>
#include <vector>

/// @file
/// The question simulate_generation: slices that make images or clips, under traffic.

namespace tpuplan {
inline namespace abi_0 {

/// How long do requests for images or clips take under traffic?
struct simulate_generation_request {
  nlohmann::json config{};                      ///< a folder of diffusers as one document, or one of its files
  std::string slice{};                          ///< "v6e-8"
  picture_request make{};                       ///< what is made
  std::int64_t batch = 1;                       ///< images or clips that a slice makes together, at most
  std::int64_t slices = 1;                      ///< equal slices, which share one queue
  generation_degrees mesh{};                    ///< of the layout; 0: the fastest that fits
  std::optional<context_exchange> exchange{};   ///< between shards of context; nothing: the fastest that fits
  per_second rate{};                            ///< requests to all slices; 0: there are clients
  std::int64_t concurrency = 0;                 ///< clients, of which each has one request in flight
  seconds ramp{};                               ///< clients begin evenly over that time; 0: all at once
  std::int64_t warm_up = 0;                     ///< first requests of clients that are not counted
  double variation = 1;                         ///< standard deviation over mean of the time between requests
  std::int64_t requests = 0;                    ///< that are simulated; 0: 2000, and at least ten of a client
  std::int64_t seed = 1;                        ///< of the random numbers
  std::vector<simulated_request> trace{};       ///< requests at their times, whose lengths mean nothing, for the rate
  seconds fill{};                               ///< longest that a free slice waits for a batch to be full
  latency_target target{};                      ///< of the time from a request to its item
  std::optional<tpuplan::provisioning> kind{};  ///< whose price an item has; nothing: on demand
  std::string region = "us";                    ///< where it is paid for
  nlohmann::json prices{};                      ///< a price file; nothing: the built-in prices
};
/// The traffic.
inline constexpr question_row item_traffic_rows[] = {
    rows::rate("rate_per_s", "--rate", "Requests", "requests a second to all slices: 0.1"),
    rows::count("concurrency", "--concurrency", "Requests in flight", "requests",
                "in flight over all slices: each client sends its next request when its item is there")
        .within(1, 1e7)
        .not_with("--rate --trace --variation"),
    detail::row_named(fleet_rows, "--ramp"),
    detail::row_named(fleet_rows, "--warm-up"),
    detail::row_named(fleet_rows, "--variation"),
    detail::row_named(fleet_rows, "--trace").not_with("--rate"),
    rows::count("requests", "--requests", "Requests", "requests", "that are simulated")
        .within(200, 1e7)
        .usually("2000; at least 10 of a client")
        .not_with("--trace")
        .deciding("requests_that_are_counted"),
    detail::row_named(fleet_rows, "--seed"),
    detail::row_named(target_rows, "--e2e-p50").but(&question_row::path, "target"),
    detail::row_named(target_rows, "--e2e-p90").but(&question_row::path, "target"),
    detail::row_named(target_rows, "--e2e-p95").but(&question_row::path, "target"),
    detail::row_named(target_rows, "--e2e-p99").but(&question_row::path, "target"),
};
/// How batches are made.
inline constexpr question_row fill_rows[] = {
    rows::time("fill_s", "--fill", "Batches fill for", "longest that a free slice waits for a batch to be full: 10s")
        .within(1e-3, 1e6)
        .usually("not at all: it makes what waits"),
};

/// Slices that make images or clips under traffic, simulated.
struct simulate_generation_answer {
  /// @{
  /// The latency of requests: as simulated, and with the ends of the band of a batch.
  batch_report report{};
  time_percentiles latency_low{}, latency_high{};
  per_second capacity{};    ///< items a second that all slices can make, in full batches
  bool keeps_up = false;    ///< no more requests come than that
  latency_target target{};  ///< as asked
  /// Dollars an hour of all slices under the way of paying, and for each item: at the rate that is asked for, where it
  /// is made, else of those that were made; nothing: no price.
  std::optional<double> usd_per_hour{}, usd_per_item{};
  generate_answer made{};  ///< a batch on one of the slices, as `generate` answers
  /// The traffic, as asked.
  per_second rate{};
  closed_loop loop{};
  double variation = 1;
  bool traced = false;  ///< the requests are those of a trace, with its rate
  seconds fill{};
  std::vector<assumption> assumed{};
  std::string model{};
  /// @}
};

namespace detail {

/// The traffic of a question against slices that make a batch in that time.
[[nodiscard]] inline batch_report batches_under(const simulate_generation_request& asked, seconds batch_time) {
  const batch_service service{asked.slices, asked.batch, batch_time, asked.fill};
  if (!asked.trace.empty()) return report_of(service, simulate_batches(service, asked.trace), asked.target);
  const std::int64_t requests =
      asked.requests > 0 ? asked.requests : std::max<std::int64_t>(2000, 10 * asked.concurrency);
  if (asked.concurrency > 0)
    return report_of(service, simulate_batches(service, {asked.concurrency, asked.ramp, asked.warm_up}, requests),
                     asked.target);
  simulated_traffic traffic;
  traffic.rate = asked.rate, traffic.variation = asked.variation, traffic.requests = requests,
  traffic.seed = asked.seed;
  traffic.prompt = traffic.output = same_length(1);
  return report_of(service, simulate_batches(service, requests_of(traffic)), asked.target);
}

inline void check_item_traffic(const simulate_generation_request& asked) {
  if (!asked.trace.empty()) {
    if (asked.rate.value() > 0) fail(errc::invalid_argument, "rate_per_s", asked.rate.value(), "none beside a trace");
    if (asked.concurrency > 0) fail(errc::invalid_argument, "concurrency", asked.concurrency, "0 beside a trace");
    if (asked.requests > 0) fail(errc::invalid_argument, "requests", asked.requests, "none beside a trace");
    if (asked.variation != 1) fail(errc::invalid_argument, "variation", asked.variation, "none beside a trace");
    if (asked.seed != 1) fail(errc::invalid_argument, "seed", asked.seed, "none beside a trace");
    positive("trace.arrival_s", asked.trace.back().arrival.value());
  } else if (asked.rate.value() <= 0 && asked.concurrency <= 0) {
    fail(errc::missing_field, "rate_per_s", "missing", "requests a second, or requests in flight, or a trace");
  }
  if (asked.concurrency > 0 && asked.rate.value() > 0)
    fail(errc::invalid_argument, "concurrency", asked.concurrency, "0 beside a rate");
  if (asked.concurrency > 0 && asked.variation != 1)
    fail(errc::invalid_argument, "variation", asked.variation, "none beside requests in flight");
  if (asked.concurrency == 0 && asked.ramp.value() > 0)
    fail(errc::invalid_argument, "ramp_s", asked.ramp.value(), "0 without requests in flight");
  if (asked.concurrency == 0 && asked.warm_up > 0)
    fail(errc::invalid_argument, "warm_up", asked.warm_up, "0 without requests in flight");
  if (asked.requests > 0 && asked.requests < asked.concurrency)
    fail(errc::out_of_range, "requests", asked.requests, "at least as many as are in flight");
  if (asked.batch == 1 && asked.fill.value() > 0)
    fail(errc::invalid_argument, "fill_s", asked.fill.value(), "0 where a batch is one item");
  validate(latency_targets{{}, {}, asked.target});
}

}  // namespace detail

/// Requests for images or clips to slices that take them from one queue. Throws, naming the field, as `generate` does,
/// and without a rate, requests in flight or a trace. Worked: at a request in a million seconds each has its item after
/// the time that `generate` says.
[[nodiscard]] inline simulate_generation_answer answer_to_simulate_generation(const read_generation& made,
                                                                              const simulate_generation_request& asked,
                                                                              const price_book& book) {
  detail::check_item_traffic(asked);
  simulate_generation_answer answer;
  answer.made = answer_to_generate(made,
                                   {asked.config, asked.slice, asked.make, asked.batch, asked.slices, asked.mesh,
                                    asked.exchange, asked.kind, asked.region, asked.prices},
                                   book);
  answer.report = detail::batches_under(asked, answer.made.batch_time);
  answer.latency_low = detail::batches_under(asked, answer.made.batch_time_low).latency.value;
  answer.latency_high = detail::batches_under(asked, answer.made.batch_time_high).latency.value;
  answer.capacity = per_second{answer.made.items_per_hour / 3600};
  answer.rate = asked.rate, answer.traced = !asked.trace.empty();
  if (answer.traced) answer.rate = static_cast<double>(asked.trace.size() - 1) / asked.trace.back().arrival;
  answer.keeps_up = answer.rate < answer.capacity;
  answer.target = asked.target, answer.variation = asked.variation, answer.fill = asked.fill;
  answer.loop = {asked.concurrency, asked.ramp, asked.warm_up};
  answer.model = answer.made.model;
  for (const item_price& one : answer.made.costs) {
    if (one.kind != answer.made.kind) continue;
    answer.usd_per_hour = one.usd_per_hour;
    // At the rate that is asked for, where it is made: what comes in a run differs by chance.
    const per_second items = answer.keeps_up && asked.rate.value() > 0 ? asked.rate : answer.report.made;
    answer.usd_per_item = one.usd_per_hour / (3600 * items.value());
  }
  answer.assumed = std::exchange(answer.made.assumed, {});
  const auto assume = [&](const char* field, std::string value) {
    answer.assumed.push_back({field, std::move(value), std::string(not_given)});
  };
  if (asked.batch > 1) assume("batches", "one that is not full takes as long as a full one");
  if (asked.batch > 1 && asked.fill.value() == 0) assume("fill", "a free slice makes what waits, up to a batch");
  const double slower = answer.made.batch_time_high / answer.made.batch_time;
  if (!answer.keeps_up) {
    assume("load", "more requests come than are made: the queue grows for as long as they come, and so do these times");
  } else if (answer.rate * slower >= answer.capacity) {
    assume("band", "at its high end more requests come than are made: these times grow for as long as they come");
  }
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::simulate_generation_request, config, slice, make, batch, slices, mesh, exchange, rate,
               concurrency, ramp, warm_up, variation, requests, seed, trace, fill, target, kind, region, prices)
TPUPLAN_FIELDS(tpuplan::simulate_generation_answer, report, latency_low, latency_high, capacity, keeps_up, target,
               usd_per_hour, usd_per_item, made, rate, loop, variation, traced, fill, assumed, model)

#endif
