#ifndef TPUPLAN_ASK_DAY_HPP
#define TPUPLAN_ASK_DAY_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tpuplan/ask/phases.hpp>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <vector>

/// @file
/// The question of a day of traffic: day.

namespace tpuplan {
inline namespace abi_0 {

/// The traffic of a day, and how the number of slices follows it.
struct traffic_over_day {
  traffic_day day{};                       ///< requests a second in each part of the day
  std::vector<simulated_request> trace{};  ///< requests at their times, instead of rates
  seconds part{};                          ///< of a trace: the time of a part; 0: a 24th of it, at least a minute
  scaling_rule scaling{};                  ///< how the number of slices follows the traffic
  bool for_hpa = false;                    ///< also the autoscaler of Kubernetes with the least headroom
  double variation = 1;                    ///< standard deviation over mean of the time between requests
  seconds between{};                       ///< mean time between preemptions of a spot slice; 0: as published
  std::int64_t seed = 1;                   ///< of the random numbers
};
/// The traffic of a day.
inline constexpr question_row day_rows[] = {
    rows::file("traffic.day", "--day",
               "a file hour,requests_per_s, or a trace: slices over that time, fixed and following, and what they cost")
        .deciding("requests requests_of_a_replica")
        .not_with("--rate --concurrency --trace --slices --requests --routing --turns --shared-prefix --adapters "
                  "--split-slices --prefill-slices --decode-slices --transfer-rate --urgent --lose"),
    rows::time("traffic.scaling.start_up_s", "--start-up", "Start-up", "from ordering a slice until it serves")
        .within(0, 86400)
        .usually("10min")
        .with("--day"),
    rows::number("traffic.scaling.headroom", "--headroom", "Headroom", "",
                 "slices beyond those that the rate needs, as a share of them")
        .within(0, 10)
        .usually("0.25")
        .with("--day"),
    rows::time("traffic.part_s", "--part", "Part", "of a trace: the time of a part, which has one rate")
        .within(1, 1e6)
        .usually("a 24th of the trace, at least 1min")
        .with("--day"),
    rows::flag("traffic.for_hpa", "--hpa", "true",
               "also the autoscaler of Kubernetes that keeps the targets from --floor slices on")
        .with("--day"),
    rows::count("traffic.scaling.floor", "--floor", "Floor", "slices",
                "slices that a fleet always keeps which follows the traffic")
        .within(1, 1e6)
        .usually("1")
        .with("--day"),
    rows::time("traffic.between_s", "--mtbp", "Lasts on spot", "mean time between preemptions of one slice on spot")
        .within(60, 3.2e8)
        .usually("as published of the chip there, else 4h")
        .with("--day"),
};
/// What is random in it.
inline constexpr question_row day_chance_rows[] = {
    detail::row_named(fleet_rows, "--variation").but(&question_row::path, "traffic.variation"),
    detail::row_named(fleet_rows, "--seed").but(&question_row::path, "traffic.seed"),
};

/// How many slices follow the traffic of a day, and what do they cost?
struct asked_day {
  nlohmann::json config{};            ///< of the model
  std::string slice{};                ///< "v6e-8"
  serving_job job = usual_traffic();  ///< lengths, engine, and targets by percentile; the rate is that of the day
  /// @{
  /// Distributions of lengths, instead of the lengths of the job.
  std::optional<length_distribution> prompts{}, outputs{};
  /// @}
  serving_layout mesh{};            ///< devices of a replica; tensor 0: the whole slice is one replica
  serving_calibration constants{};  ///< of the serving estimates
  nlohmann::json calibration{};     ///< runs of the user's own, as tpuplan calibrate writes them; nothing: none
  prefill_policy prefill = prefill_policy::mixed;  ///< where prompts are computed
  traffic_over_day traffic{};                      ///< rates or a trace, and how slices follow them
  std::string region = "us";                       ///< where it is paid for
  nlohmann::json prices{};                         ///< a price file; nothing: the built-in prices
};

/// A day of traffic, and what is known of what was asked.
struct day_document {
  day_answer answer{};                ///< what the day takes and costs
  std::string model{};                ///< its name
  serving_fleet fleet{};              ///< one of the slices
  serving_job job{};                  ///< as simulated; a trace determines its lengths
  traffic_day day{};                  ///< the traffic
  scaling_rule scaling{};             ///< how the number of slices follows it
  latency_targets targets{};          ///< by percentile
  std::vector<assumption> assumed{};  ///< what was taken for granted
};

namespace detail {

/// Refuses a job without targets by percentile, and one with a rate beside that of the day.
inline void check_job_of_day(const serving_job& job) {
  if (!any_target(job.percentiles))
    fail(errc::missing_field, "job.percentiles", "missing",
         "a target by percentile, which the slices of a day have to keep");
  if (job.request_rate.value() > 0 || job.concurrency > 0)
    fail(errc::invalid_argument, job.concurrency > 0 ? "job.concurrency" : "job.request_rate_per_s",
         "given without effect", "none: a day has its own rates");
}

/// The time of a part of a trace that is so long: as it was asked for, or where the last part would be filled by less
/// than nine tenths, that of as many equal parts. Worked: parts of 3 hours of a trace of 4 are two of 2 hours.
[[nodiscard]] inline seconds part_of_trace(seconds length, seconds asked) {
  const double filled = length / asked, parts = std::max(1.0, std::ceil(filled - 0.1));
  return length.value() == 0 || (parts >= filled && parts - filled < 0.1) ? asked : length / parts;
}

/// The rates of a day, or of a trace in parts.
[[nodiscard]] inline traffic_day rates_of(const traffic_over_day& asked) {
  if (asked.trace.empty()) {
    if (asked.day.rates.empty())
      fail(errc::missing_field, "traffic.day", "missing", "rates of the parts of a day, or a trace");
    if (asked.part.value() > 0)
      fail(errc::invalid_argument, "traffic.part_s", "given without effect", "only with a trace");
    return asked.day;
  }
  if (!asked.day.rates.empty())
    fail(errc::invalid_argument, "traffic.day", "given without effect", "none beside a trace");
  const seconds length = asked.trace.back().arrival;
  if (asked.part.value() <= 0) return day_of(asked.trace, max(seconds{60}, length / 24.0));
  in_range("traffic.part_s", asked.part.value(), 1, 1e7, "1 s to 1e7 s");
  return day_of(asked.trace, max(seconds{1}, part_of_trace(length, asked.part)));
}

/// That the parts of a trace are others than were asked for, where they are.
inline void assume_part_of(const traffic_over_day& asked, const traffic_day& day, assumed_values& said) {
  if (asked.trace.empty() || asked.part.value() <= 0 || asked.part == day.part) return;
  said.emplace_back("part", std::string(readable::duration(day.part)) + ": " + std::to_string(day.rates.size()) +
                                " of them are the trace");
}

/// How long spot is taken to last, where there is a price of it and nobody says.
inline void assume_spot_of_day(const slice& where, const price_book& prices, const std::string& region, seconds between,
                               assumed_values& said) {
  if (between.value() > 0 || !find_price(prices, where, region, provisioning::spot)) return;
  assume_lifetimes({std::string(where.chip.name.view())}, {region}, said);
}

/// The job with the lengths of a trace, or of the distributions that are given.
template <class Asked>
[[nodiscard]] serving_job job_over(const Asked& asked) {
  const traffic_over_day& traffic = asked.traffic;
  serving_job job = asked.job;
  use_moments(asked, job);
  if (traffic.trace.empty()) return job;
  if (job.images > 0) fail(errc::invalid_argument, "job.images", job.images, "0 beside a trace, which has all tokens");
  job.prompt = lengths_of(traffic.trace, &simulated_request::prompt);
  job.output = lengths_of(traffic.trace, &simulated_request::output);
  return job;
}

[[nodiscard]] inline day_request request_of(const model_config& config, const asked_day& asked,
                                            const price_book& book) {
  day_request request;
  request.model = config.model;
  check_prompts_alone(config.model, asked.job, asked.prefill);
  request.fleet = {asked.mesh, scheduled_slice(asked.slice), 1, asked.prefill};
  request.day = rates_of(asked.traffic);
  request.job = as_engine_runs(with_image_tokens(job_over(asked), config.model), config.model);
  request.drawn = drawn_of(asked, config.model);
  request.drawn.observed = observed_of(asked.traffic.trace);
  use_draft_cost(config.model, request.job);
  request.scaling = asked.traffic.scaling, request.variation = asked.traffic.variation;
  request.prices = book, request.region = text<32>{asked.region};
  request.between = asked.traffic.between, request.seed = asked.traffic.seed;
  request.constants = asked.constants, request.find_threshold = asked.traffic.for_hpa;
  return request;
}

/// What is said of the answer to a request.
[[nodiscard]] inline day_document document_of_day(const model_config& config, const asked_day& asked,
                                                  const day_request& request, day_answer answer) {
  day_document all{std::move(answer),     std::string(config.model.name.view()),
                   request.fleet,         request.job,
                   request.day,           request.scaling,
                   asked.job.percentiles, {}};
  assumed_values said = assumed_engine(asked.job.engine, config.model);
  for (const assumed_values& more :
       {assumed_runs(request.constants), assumed_kind(asked.job, config.model),
        assumed_schedule(job_over(asked), config.model), assumed_lengths(request.job, request.drawn),
        assumed_drafts(asked.job.speculation, request.job.speculation)})
    said.insert(said.end(), more.begin(), more.end());
  assume_spot_of_day(request.fleet.where, request.prices, asked.region, asked.traffic.between, said);
  assume_part_of(asked.traffic, request.day, said);
  all.assumed = all_assumed(config, said);
  return all;
}

}  // namespace detail

/// The day of the question. Throws, naming the field, without targets by percentile or without traffic, for a rate
/// beside that of the day, and for an unknown slice or region. Worked: at one request a second for a day Llama 3.1 8B
/// on slices of v6e-8 takes one slice.
[[nodiscard]] inline day_document answer_to_day(const model_config& config, const asked_day& asked,
                                                const price_book& book) {
  detail::check_job_of_day(asked.job);
  const day_request request = detail::request_of(config, asked, book);
  detail::check_arithmetic(request.fleet.where.chip, asked.job.activations);
  check_sharding(config.model, request.fleet.mesh, request.fleet.where);
  expect_region(book, asked.region);
  return detail::document_of_day(config, asked, request, plan_day(request));
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::traffic_over_day, day, trace, part, scaling, for_hpa, variation, between, seed)
TPUPLAN_FIELDS(tpuplan::asked_day, config, slice, job, prompts, outputs, mesh, constants, calibration, prefill, traffic,
               region, prices)
TPUPLAN_FIELDS(tpuplan::day_document, answer, model, fleet, job, day, scaling, targets, assumed)

#endif
