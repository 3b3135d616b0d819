// tpuplan simulate
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tpuplan/ask/day.hpp>
#include <tpuplan/ask/day_generation.hpp>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/ask/simulate_generation.hpp>
#include <tpuplan/read/traces.hpp>
#include <tpuplan/show/views/day.hpp>
#include <tpuplan/show/views/day_generation.hpp>
#include <tpuplan/show/views/simulate.hpp>
#include <tpuplan/show/views/simulate_generation.hpp>
#include <vector>

#include "cli/calibration.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/day.hpp"
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
  nlohmann::json of_day = nlohmann::json::object();  // what is asked of a day alone
  picture_options pictures;                          // of a pipeline of images or clips
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
  asked.region = given.prices.region, asked.kind = all.kind;
  if (!given.trace.empty()) asked.trace = load_trace(given.trace);
  return asked;
}

/// The traffic of a day. `least`: requests by which percentiles say something.
traffic_over_day day_asked(const simulate_options& given, double least) {
  traffic_over_day traffic = read_day(given.day, given.of_day, least);
  traffic.variation = given.asked.variation, traffic.seed = given.asked.seed;
  return traffic;
}

/// A day of images or clips: a batch as `generate` has it, and how many slices follow the traffic.
void simulate_item_day(const simulate_options& given, const read_generation& read, const price_book& prices,
                       session& with) {
  const simulate_generation_request asked = items_asked(given, with);
  if (asked.batch == 1 && asked.fill.value() > 0) refuse("--fill", "given without effect", "only with --batch");
  if (asked.target.limit.value() <= 0)
    refuse_missing("--e2e-p95", "a target by percentile, which the slices of a day have to keep");
  item_day_document day =
      answer_to_day_generation(read,
                               {asked.config, asked.slice, asked.make, asked.batch, asked.mesh, asked.exchange,
                                asked.fill, asked.target, day_asked(given, 100), asked.region, asked.prices},
                               prices);
  if (day.made.fits == verdict::no || day.answer.options.empty() || !day.answer.options.front().meets_targets)
    with.status = 1;
  for (const auto& [field, value] : machine_taken(asked.slice, scheduled_slice(asked.slice)))
    day.assumed.push_back({field, value, std::string(not_given)});
  answer(with, view_of(day, view_options_of(with)), [&]() -> ordered_json { return day; });
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

void simulate_day(const model_config& config, const simulate_options& given, const price_book& prices, session& with) {
  need_targets(given.traffic.job.percentiles, "a target by percentile, which the slices of a day have to keep");
  asked_day asked;
  asked.slice = given.asked.slice, asked.job = given.traffic.job, asked.mesh = given.traffic.mesh;
  asked.constants = given.traffic.constants, asked.prefill = given.asked.prefill;
  asked.traffic = day_asked(given, 1000), asked.region = given.prices.region;
  refuse_lengths_of_trace(asked.traffic, asked.job, with);
  if (asked.traffic.trace.empty()) asked.prompts = given.asked.prompts, asked.outputs = given.asked.outputs;
  const day_document day = answer_to_day(config, asked, prices);
  if (day.answer.options.empty() || !day.answer.options.front().meets_targets) with.status = 1;
  if (day.answer.options.empty() && with.is_given("--svg"))
    refuse("--svg", "given for a day without an answer", "targets that a slice keeps");
  answer(with, view_of(day, view_options_of(with)), [&]() -> ordered_json { return day; });
}

/// The request, whose lengths are drawn: of these the job has the moments.
void read_simulation(simulate_options& into) {
  into.asked = read_request<simulate_request>(into.traffic.request);
  if (into.asked.prompts) into.asked.job.prompt = lengths_of(*into.asked.prompts);
  if (into.asked.outputs) into.asked.job.output = lengths_of(*into.asked.outputs);
  if (into.trace.empty() && !into.asked.prompts) into.asked.prompts = same_length(into.asked.job.prompt.longest);
  if (into.trace.empty() && !into.asked.outputs) into.asked.outputs = same_length(into.asked.job.output.longest);
  nlohmann::json& request = into.traffic.request;
  for (const char* key :
       {"prompts", "outputs", "slices", "variation", "requests", "seed", "prefill", "ramp_s", "warm_up", "routing",
        "sessions", "host_cache_gib", "split", "split_slices", "urgent_share", "outage", "kind"})
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
  if (!given.day.empty() && given.asked.kind)
    refuse("--provisioning", "given with --day", "none: a day has all ways of paying");
  if (given.day.empty() && given.trace.empty() && !with.is_given("--rate") && !with.is_given("--concurrency"))
    refuse_missing("--rate", "requests a second, or --concurrency, or --trace, or --day");
  if (is_pipeline_file(given.config)) return simulate_items(given, with);
  model_config config = load_model(given.config, given.traffic.image_size);
  refuse_pictures(with, given.pictures, "given for a language model");
  use_stored_format(config, with.is_given("--weights"), given.traffic.job);
  use_drawn_lengths(config.model, given, with);
  const own_constants usual{{}, given.traffic.constants, {}};
  learn(config, given.traffic.constants, load_calibration(given.calibration, calibrated_part::serving, usual));
  loaded_prices prices(given.prices, with);
  check_place(given.prices, prices, {given.asked.slice}, with);
  if (!given.day.empty()) return simulate_day(config, given, prices.book(), with);
  simulate_traffic(config, given, prices.book(), with);
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
  added.ask(split_rows, request);
  added.ask(outage_rows, request);
  added.ask_file(fleet_rows, "--trace", options->trace);
  added.ask(target_rows, request);
  added.ask_file(day_rows, "--day", options->day);
  added.ask(day_rows, options->of_day);
  added.ask(format_rows, request);
  added.ask(served_engine_rows, request);
  added.ask(served_software_rows, request);
  add_image_options(added, options->traffic);
  added.ask(adapter_rows, request);
  added.ask(speculation_rows, request);
  added.ask(token_price_rows, request);
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
