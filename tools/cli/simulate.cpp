// tpuplan simulate
#include <memory>
#include <optional>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/read/traces.hpp>
#include <tpuplan/show/views/simulate.hpp>
#include <vector>

#include "cli/calibration.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/percentiles.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "cli/traffic.hpp"

namespace cli {

using namespace tpuplan;

namespace {

struct simulate_options {
  std::string config, slice_name, trace, day, calibration;
  traffic_options traffic;
  price_options prices;
  scaling_rule scaling;
  seconds between = spot_terms{}.mean_time_between_preemptions;
  std::int64_t slices = 1, requests = 0, seed = 1;
  double variation = 1;
  bool alone = false;
};

void simulate_traffic(const model_config& config, const simulate_options& given, const price_book& prices,
                      session& with) {
  const traffic_options& traffic = given.traffic;
  simulate_request asked;
  asked.slice = given.slice_name;
  asked.slices = given.slices;
  asked.job = traffic.job;
  asked.mesh = traffic.mesh;
  asked.constants = traffic.constants;
  asked.prefill = given.alone ? prefill_policy::alone : prefill_policy::mixed;
  asked.variation = given.variation;
  asked.requests = given.requests;
  asked.seed = given.seed;
  asked.region = given.prices.region;
  if (!given.trace.empty()) {
    asked.trace = load_trace(given.trace);
  } else {
    asked.prompts = traffic.prompt_lengths;
    asked.outputs = traffic.output_lengths;
    asked.load = is_drawn(with);
  }
  const simulate_answer a = answer_to_simulate(config, asked, prices);
  if (!a.meets_targets) with.status = 1;
  answer(with, view_of(a, view_options_of(with)), [&]() -> ordered_json { return a; });
}

// A day of traffic.

day_request make_day(const model_config& config, const simulate_options& given, const price_book& prices) {
  day_request request;
  request.model = config.model;
  request.job = given.traffic.job;
  request.fleet = {given.traffic.mesh, scheduled_slice(given.slice_name), 1,
                   given.alone ? prefill_policy::alone : prefill_policy::mixed};
  request.day = load_day(given.day);
  request.scaling = given.scaling;
  request.variation = given.variation;
  request.prices = prices;
  request.region = text<32>{given.prices.region};
  request.between = given.between;
  request.seed = given.seed;
  request.constants = given.traffic.constants;
  return request;
}

void simulate_day(const model_config& config, const simulate_options& given, const price_book& prices, session& with) {
  need_targets(given.traffic.job.percentiles, "a target by percentile, which the slices of a day have to keep");
  const day_request request = make_day(config, given, prices);
  const day_answer day = plan_day(request);
  if (day.options.empty() || !day.options.front().meets_targets) with.status = 1;
  if (day.options.empty() && with.is_given("--svg"))
    refuse("--svg", "given for a day without an answer", "targets that a slice keeps");
  const std::vector<assumption> assumed = all_assumed(config, assumed_engine(given.traffic.job.engine, config.model));
  answer(with, view_of(request, day, assumed, view_options_of(with)), [&]() -> ordered_json {
    return {{"schema", json_schema}, {"answer", day}, {"assumed", assumed}};
  });
}

void run_simulate(simulate_options given, session& with) {
  if (given.day.empty() && given.trace.empty() && !with.is_given("--rate"))
    refuse_missing("--rate", "requests a second, or --trace, or --day");
  model_config config = load_model(given.config);
  check_arithmetic(scheduled_slice(given.slice_name).chip, given.traffic.job.activations);
  use_stored_format(config, with.is_given("--weights"), given.traffic.job);
  const own_constants usual{{}, given.traffic.constants, {}};
  const own_constants known = load_calibration(given.calibration, calibrated_part::serving, usual);
  given.traffic.constants = known.serving;
  const loaded_prices prices(given.prices, with);
  check_region(prices.book(), given.prices.region);
  if (!given.day.empty()) return simulate_day(config, given, prices.book(), with);
  simulate_traffic(config, given, prices.book(), with);
}

void add_day_options(command& to, simulate_options& into) {
  to.add("--day", into.day, "a file hour,requests_per_s: slices over a day, fixed and following, and what they cost")
      .excludes({"--rate", "--trace", "--slices", "--requests"});
  to.add("--start-up", into.scaling.start_up, {0, 86400}, "from ordering a slice until it serves")
      .usually("10min")
      .needs({"--day"});
  to.add("--headroom", into.scaling.headroom, {0, 10}, "slices beyond those that the rate needs, as a share of them")
      .usually("0.25")
      .needs({"--day"});
  to.add("--floor", into.scaling.floor, {1, 1e6}, "slices that are always kept").usually("1").needs({"--day"});
  to.add("--mtbp", into.between, {60, 3.2e8}, "mean time between preemptions of one slice on spot")
      .usually("4h")
      .needs({"--day"});
}

}  // namespace

void add_simulate_command(session& with) {
  command& added =
      with.commands.emplace_back("simulate", "percentiles of a serving fleet under traffic, and a day of it");
  const auto options = std::make_shared<simulate_options>();
  add_config_option(added, options->config);
  added.add("--slice", options->slice_name, "v6e-8, v5e-16, v5p-8 …").required();
  added.add("--slices", options->slices, {1, 1e5}, "which share the traffic").usually("1");
  add_length_options(added, options->traffic);
  added.add("--rate", options->traffic.job.request_rate, "requests a second to all slices");
  added
      .add("--variation", options->variation, {0, 20},
           "standard deviation over mean of the time between arrivals: 0 constant, 1 Poisson, more bursts")
      .usually("1")
      .excludes({"--trace"});
  added.add("--trace", options->trace, "a CSV file TIMESTAMP,ContextTokens,GeneratedTokens, as Azure publishes them")
      .excludes({"--rate", "--input-len", "--output-len", "--svg"});
  added.add("--requests", options->requests, {200, 1e7}, "drawn for the replica that is simulated")
      .usually("2000, fewer of more than 4096 output tokens")
      .excludes({"--trace"});
  added.add("--seed", options->seed, {1, 9e15}, "of the random numbers").usually("1").excludes({"--trace"});
  added.flag("--alone", options->alone, "prompts are computed in steps of their own, in which nothing decodes");
  add_percentile_options(added, options->traffic.job.percentiles);
  add_day_options(added, *options);
  add_format_options(added, options->traffic);
  add_engine_options(added, options->traffic);
  add_calibration_option(added, options->calibration);
  add_price_options(added, options->prices);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [options, &with] { run_simulate(*options, with); };
}

}  // namespace cli
