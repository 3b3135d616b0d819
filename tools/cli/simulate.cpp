// tpuplan simulate
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/ask/simulate_generation.hpp>
#include <tpuplan/plan/item_day.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/read/traces.hpp>
#include <tpuplan/show/views/item_day.hpp>
#include <tpuplan/show/views/simulate.hpp>
#include <tpuplan/show/views/simulate_generation.hpp>
#include <vector>

#include "cli/calibration.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/network.hpp"
#include "cli/percentiles.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/traffic.hpp"
#include "cli/train_generation.hpp"
#include "cli/zones.hpp"

namespace cli {

using namespace tpuplan;

namespace {

struct simulate_options {
  simulate_request asked;
  std::string config, trace, day, calibration;
  traffic_options traffic;
  price_options prices;
  scaling_rule scaling;
  seconds part{0};           // of a day from a trace; 0: a 24th of it
  bool for_hpa = false;      // what autoscaler of Kubernetes keeps the targets
  seconds between{};         // of a day: preemptions of one spot slice; 0: what is published
  picture_options pictures;  // of a pipeline of images or clips
};

// Images and clips under traffic.

simulate_generation_request items_asked(const simulate_options& given, const session& with) {
  simulate_generation_request asked = read_request<simulate_generation_request>(given.pictures.request);
  const simulate_request& all = given.asked;
  asked.slice = all.slice, asked.slices = all.slices;
  if (with.is_given("--weights")) asked.make.weights = all.job.weights;
  if (with.is_given("--tensor")) asked.mesh.tensor = all.mesh.tensor;
  asked.rate = all.job.request_rate, asked.concurrency = all.job.concurrency;
  asked.ramp = all.ramp, asked.warm_up = all.warm_up, asked.variation = all.variation;
  asked.requests = all.requests, asked.seed = all.seed, asked.target = all.job.percentiles.end_to_end;
  asked.region = given.prices.region;
  if (!given.trace.empty()) asked.trace = load_trace(given.trace);
  return asked;
}

/// Whether a file begins as traces do; a pipe is a day of rates.
bool is_trace(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  std::string first;
  std::ifstream file(path);
  return std::getline(file, first) && first.rfind("TIMESTAMP", 0) == 0;
}

/// The rates of a trace in parts.
traffic_day traced_day(const std::vector<simulated_request>& trace, const simulate_options& given) {
  const seconds length = trace.back().arrival;
  return day_of(trace, given.part.value() > 0 ? given.part : max(seconds{60}, length / 24.0));
}

/// How long spot is taken to last in a day, where there is a price of it and nobody says.
void add_lifetime(assumed_values& said, const slice& where, const price_book& prices, const simulate_options& given,
                  const session& with) {
  if (with.is_given("--mtbp") || !find_price(prices, where, given.prices.region, provisioning::spot)) return;
  assume_lifetimes({std::string(where.chip.name.view())}, {given.prices.region}, said);
}

item_day_request item_day_of(const simulate_options& given, const generate_answer& made, const price_book& prices,
                             const session& with) {
  item_day_request day;
  day.where = scheduled_slice(given.asked.slice);
  const simulate_generation_request asked = items_asked(given, with);
  day.service = {1, asked.batch, made.batch_time, asked.fill};
  day.target = asked.target;
  if (is_trace(given.day)) {
    day.day = traced_day(load_trace(given.day), given);
  } else {
    if (with.is_given("--part")) refuse("--part", "given without effect", "only with a trace");
    day.day = load_day(given.day, 100);
  }
  day.scaling = given.scaling, day.variation = asked.variation;
  day.prices = prices, day.region = text<32>{given.prices.region};
  day.between = given.between, day.seed = asked.seed, day.find_threshold = given.for_hpa;
  return day;
}

/// A day of images or clips: a batch as `generate` has it, and how many slices follow the traffic.
void simulate_item_day(const simulate_options& given, const read_generation& read, const price_book& prices,
                       session& with) {
  const simulate_generation_request asked = items_asked(given, with);
  generate_answer made = answer_to_generate(read,
                                            {asked.config, asked.slice, asked.make, asked.batch, 1, asked.mesh,
                                             asked.exchange, asked.kind, asked.region, asked.prices},
                                            prices);
  if (with.is_given("--provisioning"))
    refuse("--provisioning", "given with --day", "none: a day has all ways of paying");
  if (asked.batch == 1 && asked.fill.value() > 0) refuse("--fill", "given without effect", "only with --batch");
  if (asked.target.limit.value() <= 0)
    refuse_missing("--e2e-p95", "a target by percentile, which the slices of a day have to keep");
  const item_day_request request = item_day_of(given, made, prices, with);
  const item_day_answer day = plan_day(request);
  if (made.fits == verdict::no || day.options.empty() || !day.options.front().meets_targets) with.status = 1;
  std::vector<assumption> assumed = std::move(made.assumed);
  assumed.erase(std::remove_if(assumed.begin(), assumed.end(),
                               [](const assumption& one) { return one.field == "way of paying"; }),
                assumed.end());
  assumed_values said = machine_taken(asked.slice, scheduled_slice(asked.slice));
  add_lifetime(said, request.where, prices, given, with);
  for (const auto& [field, value] : said) assumed.push_back({field, value, std::string(not_given)});
  answer(with, view_of(request, day, made, assumed, view_options_of(with)), [&]() -> ordered_json {
    return {{"schema", json_schema}, {"answer", day}, {"batch_time_s", made.batch_time.value()}, {"assumed", assumed}};
  });
}

void simulate_items(const simulate_options& given, session& with) {
  keep_to(with, {picture_rows, generate_rows, fill_rows, item_traffic_rows},
          {"--e2e-p50", "--e2e-p90", "--e2e-p95", "--e2e-p99", "--region", "--prices", "--day", "--start-up",
           "--headroom", "--part", "--hpa", "--floor", "--mtbp"},
          "given for a pipeline of images or clips");
  const simulate_generation_request asked = items_asked(given, with);
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = load_pipeline(given.config, read);
  loaded_prices prices(given.prices, with);
  check_place(given.prices, prices, {asked.slice}, with);
  if (!given.day.empty())
    return simulate_item_day(given, filled(pipeline, std::move(read), asked.make, asked.batch), prices.book(), with);
  simulate_generation_answer a =
      answer_to_simulate_generation(filled(pipeline, std::move(read), asked.make, asked.batch), asked, prices.book());
  if (a.made.fits == verdict::no || !a.report.meets_target) with.status = 1;
  for (const auto& [field, value] : machine_taken(asked.slice, scheduled_slice(asked.slice)))
    a.assumed.push_back({field, value, std::string(not_given)});
  view shown = view_of(a, view_options_of(with));
  shown.next.front().command = follow_up(with, "generate", {}, {});
  answer(with, shown, [&]() -> ordered_json { return a; });
}

void simulate_traffic(const model_config& config, const simulate_options& given, const price_book& prices,
                      session& with) {
  simulate_request asked = given.asked;
  asked.job = given.traffic.job;
  asked.constants = given.traffic.constants;
  asked.region = given.prices.region;
  if (!given.trace.empty()) {
    asked.trace = load_trace(given.trace);
  } else {
    asked.load = is_drawn(with);
  }
  const simulate_answer a = answer_to_simulate(config, asked, prices);
  if (!a.meets_targets) with.status = 1;
  answer(with, view_of(a, view_options_of(with)), [&]() -> ordered_json { return a; });
}

// A day of traffic.

/// A day from a trace: its rates by parts, and the lengths of its requests.
void read_traced_day(const simulate_options& given, const session& with, day_request& into) {
  for (const char* other : {"--input-len", "--output-len"}) {
    if (with.is_given(other)) refuse(other, "given with a trace", "a trace, which has lengths, or a day of rates");
  }
  if (given.traffic.job.images > 0) refuse("--images", "given with a trace", "a day of rates: a trace has all tokens");
  const std::vector<simulated_request> trace = load_trace(given.day);
  into.day = traced_day(trace, given);
  into.job.prompt = lengths_of(trace, &simulated_request::prompt);
  into.job.output = lengths_of(trace, &simulated_request::output);
}

day_request make_day(const model_config& config, const simulate_options& given, const price_book& prices,
                     const session& with) {
  day_request request;
  request.model = config.model;
  request.job = given.traffic.job;
  request.fleet = {given.traffic.mesh, scheduled_slice(given.asked.slice), 1, given.asked.prefill};
  if (is_trace(given.day)) {
    read_traced_day(given, with, request);
  } else {
    if (with.is_given("--part")) refuse("--part", "given without effect", "only with a trace");
    request.day = load_day(given.day);
  }
  request.job = as_engine_runs(with_image_tokens(request.job, config.model), config.model);
  request.find_threshold = given.for_hpa;
  request.scaling = given.scaling;
  request.variation = given.asked.variation;
  request.prices = prices;
  request.region = text<32>{given.prices.region};
  request.between = given.between;
  request.seed = given.asked.seed;
  request.constants = given.traffic.constants;
  return request;
}

void simulate_day(const model_config& config, const simulate_options& given, const price_book& prices, session& with) {
  need_targets(given.traffic.job.percentiles, "a target by percentile, which the slices of a day have to keep");
  const day_request request = make_day(config, given, prices, with);
  tpuplan::check_sharding(config.model, request.fleet.mesh, request.fleet.where);
  const day_answer day = plan_day(request);
  if (day.options.empty() || !day.options.front().meets_targets) with.status = 1;
  if (day.options.empty() && with.is_given("--svg"))
    refuse("--svg", "given for a day without an answer", "targets that a slice keeps");
  assumed_values said = assumed_engine(given.traffic.job.engine, config.model);
  for (assumed_values& more :
       std::array<assumed_values, 3>{assumed_kind(given.traffic.job, config.model),
                                     assumed_schedule(given.traffic.job, config.model), assumed_lengths(request.job)})
    said.insert(said.end(), more.begin(), more.end());
  add_lifetime(said, request.fleet.where, prices, given, with);
  const std::vector<assumption> assumed = all_assumed(config, said);
  answer(with, view_of(request, day, assumed, view_options_of(with)), [&]() -> ordered_json {
    return {{"schema", json_schema}, {"answer", day}, {"assumed", assumed}};
  });
}

/// The request, whose lengths are drawn: of these the job has the moments.
void read_simulation(simulate_options& into) {
  into.asked = read_request<simulate_request>(into.traffic.request);
  if (into.asked.prompts) into.asked.job.prompt = lengths_of(*into.asked.prompts);
  if (into.asked.outputs) into.asked.job.output = lengths_of(*into.asked.outputs);
  if (into.trace.empty() && !into.asked.prompts) into.asked.prompts = same_length(into.asked.job.prompt.longest);
  if (into.trace.empty() && !into.asked.outputs) into.asked.outputs = same_length(into.asked.job.output.longest);
  nlohmann::json& request = into.traffic.request;
  for (const char* key : {"prompts", "outputs", "slices", "variation", "requests", "seed", "prefill", "ramp_s",
                          "warm_up", "routing", "sessions", "host_cache_gib", "split", "split_slices", "urgent_share"})
    request.erase(key);
  read_traffic(into.traffic);
  into.traffic.job = into.asked.job;
}

/// The lengths that are left open, as the model has them.
void use_drawn_lengths(const transformer& model, simulate_options& given, const session& with) {
  const bool prompts = with.is_given("--input-len"), outputs = with.is_given("--output-len");
  if (model.kind == architecture::decoder || !given.trace.empty()) return;
  use_own_lengths(model, prompts, outputs, given.traffic.job);
  if (!prompts) given.asked.prompts = same_length(given.traffic.job.prompt.longest);
  if (!outputs && !writes_tokens(model)) given.asked.outputs.reset();
}

void run_simulate(simulate_options given, session& with) {
  if (given.day.empty() && given.trace.empty() && !with.is_given("--rate") && !with.is_given("--concurrency"))
    refuse_missing("--rate", "requests a second, or --concurrency, or --trace, or --day");
  if (is_pipeline_file(given.config)) return simulate_items(given, with);
  model_config config = load_model(given.config);
  refuse_pictures(with, given.pictures, "given for a language model");
  use_stored_format(config, with.is_given("--weights"), given.traffic.job);
  use_drawn_lengths(config.model, given, with);
  const own_constants usual{{}, given.traffic.constants, {}};
  const own_constants known = load_calibration(given.calibration, calibrated_part::serving, usual);
  given.traffic.constants = known.serving;
  loaded_prices prices(given.prices, with);
  check_place(given.prices, prices, {given.asked.slice}, with);
  if (!given.day.empty()) return simulate_day(config, given, prices.book(), with);
  simulate_traffic(config, given, prices.book(), with);
}

void add_day_options(command& to, simulate_options& into) {
  to.add("--day", into.day,
         "a file hour,requests_per_s, or a trace: slices over that time, fixed and following, and what they cost")
      .decides("requests requests_of_a_replica")
      .excludes({"--rate", "--concurrency", "--trace", "--slices", "--requests", "--routing", "--turns",
                 "--shared-prefix", "--adapters", "--split-slices", "--prefill-slices", "--decode-slices",
                 "--transfer-rate", "--urgent"});
  to.add("--start-up", into.scaling.start_up, {0, 86400}, "from ordering a slice until it serves")
      .usually("10min")
      .needs({"--day"});
  to.add("--headroom", into.scaling.headroom, {0, 10}, "slices beyond those that the rate needs, as a share of them")
      .usually("0.25")
      .needs({"--day"});
  to.add("--part", into.part, {1, 1e6}, "of a trace: the time of a part, which has one rate")
      .usually("a 24th of the trace, at least 1min")
      .needs({"--day"});
  to.flag("--hpa", into.for_hpa, "also the autoscaler of Kubernetes that keeps the targets with the fewest slice-hours")
      .needs({"--day"});
  to.add("--floor", into.scaling.floor, {1, 1e6}, "slices that a fleet always keeps which follows the traffic")
      .usually("1")
      .needs({"--day"});
  to.add("--mtbp", into.between, {60, 3.2e8}, "mean time between preemptions of one slice on spot")
      .usually("as published of the chip there, else 4h")
      .needs({"--day"});
}

}  // namespace

void add_simulate_command(session& with) {
  command& added =
      with.commands.emplace_back("simulate", "percentiles of a serving fleet under traffic, and a day of it");
  const auto options = std::make_shared<simulate_options>();
  add_config_option(added, options->config).required();
  nlohmann::json& request = options->traffic.request;
  added.ask(engine_slice_rows, request);
  added.ask(drawn_length_rows, request);
  added.ask(fleet_rows, request);
  added.ask(routing_rows, request);
  option& trace = added.add("--trace", options->trace,
                            "a CSV file TIMESTAMP,ContextTokens,GeneratedTokens, as Azure publishes them");
  trace.decides("requests").excludes({"--rate", "--input-len", "--output-len", "--svg"});
  added.ask(target_rows, request);
  add_day_options(added, *options);
  added.ask(format_rows, request);
  added.ask(served_engine_rows, request);
  added.ask(image_rows, request);
  added.ask(adapter_rows, request);
  added.ask(speculation_rows, request);
  add_calibration_option(added, options->calibration);
  add_price_options(added, options->prices);
  add_drawing_options(added);
  add_table_options(added);
  add_rows_of_pictures(added, options->pictures, {picture_rows, generate_rows, fill_rows});
  added.run = [options, &with] {
    read_simulation(*options);
    run_simulate(*options, with);
  };
}

}  // namespace cli
