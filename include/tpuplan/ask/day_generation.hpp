#ifndef TPUPLAN_ASK_DAY_GENERATION_HPP
#define TPUPLAN_ASK_DAY_GENERATION_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/day.hpp>
#include <tpuplan/ask/simulate_generation.hpp>
#include <tpuplan/plan/item_day.hpp>
#include <utility>
#include <vector>

/// @file
/// The question of a day of requests for images or clips: day_generation.

namespace tpuplan {
inline namespace abi_0 {

/// How many slices make the images or clips of a day in time, and what do they cost?
struct asked_item_day {
  nlohmann::json config{};                     ///< a folder of diffusers as one document, or one of its files
  std::string slice{};                         ///< "v6e-8"
  picture_request make{};                      ///< what is made
  std::int64_t batch = 1;                      ///< images or clips that a slice makes together, at most
  generation_degrees mesh{};                   ///< of the layout; 0: the fastest that fits
  std::optional<context_exchange> exchange{};  ///< between shards of context; nothing: the fastest that fits
  seconds fill{};                              ///< longest that a free slice waits for a batch to be full
  latency_target target{};                     ///< of the time from a request to its item, by percentile
  traffic_over_day traffic{};                  ///< rates or a trace, and how slices follow them
  std::string region = "us";                   ///< where it is paid for
  nlohmann::json prices{};                     ///< a price file; nothing: the built-in prices
};
/// What is asked of one of the slices, and the target.
inline constexpr question_row item_day_rows[] = {
    detail::row_named(generate_rows, "--slice"),
    detail::row_named(generate_rows, "--batch"),
    detail::row_named(generate_rows, "--data"),
    detail::row_named(generate_rows, "--fsdp"),
    detail::row_named(generate_rows, "--tensor"),
    detail::row_named(generate_rows, "--context"),
    detail::row_named(generate_rows, "--context-exchange"),
    detail::row_named(item_traffic_rows, "--e2e-p50"),
    detail::row_named(item_traffic_rows, "--e2e-p90"),
    detail::row_named(item_traffic_rows, "--e2e-p95"),
    detail::row_named(item_traffic_rows, "--e2e-p99"),
};

/// A day of images or clips, and what is known of what was asked.
struct item_day_document {
  item_day_answer answer{};           ///< what the day takes and costs
  seconds batch_time{};               ///< of a batch on one of the slices
  std::int64_t batch = 1;             ///< images or clips of it
  latency_target target{};            ///< as asked
  traffic_day day{};                  ///< the traffic
  scaling_rule scaling{};             ///< how the number of slices follows it
  generate_answer made{};             ///< that batch, as `generate` answers
  std::vector<assumption> assumed{};  ///< what was taken for granted
};

/// The day of the question. Throws, naming the field, as `generate` does, and without a target by percentile or without
/// traffic. Worked: where a batch takes longer than the target no number of slices keeps it.
[[nodiscard]] inline item_day_document answer_to_day_generation(const read_generation& read,
                                                                const asked_item_day& asked, const price_book& book) {
  if (asked.target.limit.value() <= 0)
    detail::fail(errc::missing_field, "target", "missing",
                 "a target by percentile, which the slices of a day have to keep");
  if (asked.batch == 1 && asked.fill.value() > 0)
    detail::fail(errc::invalid_argument, "fill_s", asked.fill.value(), "0 where a batch is one item");
  item_day_document all;
  all.made = answer_to_generate(read,
                                {asked.config,
                                 asked.slice,
                                 asked.make,
                                 asked.batch,
                                 1,
                                 asked.mesh,
                                 asked.exchange,
                                 {},
                                 asked.region,
                                 asked.prices},
                                book);
  all.batch_time = all.made.batch_time, all.batch = asked.batch, all.target = asked.target;
  all.day = detail::rates_of(asked.traffic), all.scaling = asked.traffic.scaling;
  item_day_request request;
  request.where = scheduled_slice(asked.slice);
  request.service = {1, asked.batch, all.batch_time, asked.fill};
  request.target = asked.target, request.day = all.day, request.scaling = all.scaling;
  request.variation = asked.traffic.variation, request.prices = book, request.region = text<32>{asked.region};
  request.between = asked.traffic.between, request.seed = asked.traffic.seed;
  request.find_threshold = asked.traffic.for_hpa;
  all.answer = plan_day(request);
  all.assumed = std::exchange(all.made.assumed, {});
  all.assumed.erase(std::remove_if(all.assumed.begin(), all.assumed.end(),
                                   [](const assumption& one) { return one.field == "way of paying"; }),
                    all.assumed.end());
  assumed_values said;
  detail::assume_spot_of_day(request.where, book, asked.region, asked.traffic.between, said);
  detail::assume_part_of(asked.traffic, all.day, said);
  for (const auto& [field, value] : said) all.assumed.push_back({field, value, std::string(not_given)});
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::asked_item_day, config, slice, make, batch, mesh, exchange, fill, target, traffic, region,
               prices)
TPUPLAN_FIELDS(tpuplan::item_day_document, answer, batch_time, batch, target, day, scaling, made, assumed)

#endif
