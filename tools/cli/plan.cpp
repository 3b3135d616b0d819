// tpuplan plan
#include "cli/plan.hpp"

#include <tpuplan/ask/day.hpp>
#include <tpuplan/ask/places.hpp>
#include <tpuplan/ask/plan_generation.hpp>

#include "cli/calibration.hpp"
#include "cli/lifetimes.hpp"
#include "cli/network.hpp"
#include "cli/report.hpp"
#include "cli/train_generation.hpp"
#include "cli/zones.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>

namespace cli {

using namespace tpuplan;

void read_plan(plan_options& into) {
  const nlohmann::json& request = into.job.request;
  read_job(into.job);
  into.asked = read_request<asked_plan>(request);
  if (request.contains("largest_chips") && into.asked.smallest_chips > into.asked.largest_chips)
    refuse("--min-chips", std::to_string(into.asked.smallest_chips), "at most --max-chips");
  if (into.to_serve) read_traffic(into.traffic);
}

void keep_to_zone(plan_options& given, const session& with) {
  if (given.zone.empty()) return;
  const loaded_prices known(given.prices, with);
  tpuplan::keep_to_zone(given.asked, given.zone, with.is_given("--region"), known_zones(with.data_dir), known.book(),
                        option_places);
}

namespace {

/// Takes the prices that count in the places of the question, and records what is to be said of them.
void take_places(const plan_options& given, loaded_prices& prices, session& with) {
  if (!given.prices.empty()) return;
  const placed_prices placed =
      prices_in_places({given.asked.regions, given.asked.generations, given.asked.kinds, given.zone}, prices.book(),
                       known_zones(with.data_dir));
  with.places = placed.said;
  prices.take(placed.prices);
}

void run_plan(plan_options given, session& with) {
  keep_to_zone(given, with);
  const bool makes_items = with.is_given("--items-per-hour");
  if (!given.zone.empty() && !given.to_serve && !makes_items) given.job.request["zone"] = given.asked.zone = given.zone;
  if (makes_items || is_pipeline_file(given.job.config)) {
    refuse_drawing(with, "given for images or clips", "a language model");
    loaded_prices prices(given.prices, with);
    take_places(given, prices, with);
    return makes_items ? plan_of_items(given, prices.book(), with) : denoiser_plan(given, prices.book(), with);
  }
  any_model model = load_any(given.job.config, given.job.image_size);
  check_image_size(model, given.job.image_size, given.job.job.images_per_sequence);
  for (const char* option : {"--size", "--frames", "--text-tokens", "--encode", "--keep-activations"}) {
    if (with.is_given(option)) refuse(option, "given for another model", "a pipeline of images or clips");
  }
  model_config& config = model.config;
  loaded_prices prices(given.prices, with);
  take_places(given, prices, with);
  const std::vector<std::string> known = all_regions(prices.book());
  for (const std::string& name : given.asked.regions) {
    if (std::none_of(known.begin(), known.end(), [&](const std::string& one) { return is_in_area(one, name); }))
      check_region(prices.book(), name, true);
  }
  if (with.is_given("--gpu") && !with.is_given("--best-per-generation"))
    refuse("--gpu", "given without effect", "only with --best-per-generation");
  if (model.net) refuse_drawing(with, "given for a network of layers", "a language model");
  if (model.net) return network_training_plan(model, given, prices.book(), with);
  refuse_input(with);
  if (given.to_serve) return plan_serving(config, given, prices.book(), with);
  plan_training(config, given, prices.book(), with);
}

void add_limit_options(command& to, plan_options& into) {
  nlohmann::json& request = into.job.request;
  to.ask(budget_rows, request);
  to.ask(limit_rows, request);
  add_price_file_option(to, into.prices);
  to.add("--zone", into.zone, "only what a zone has, by data/zones.json, at the prices of its region: us-east5-b");
  add_drawing_options(to);
  to.add("--rows", into.rows, {1, 1e6},
         "plans to show; 8, the best of each generation and those with a star, if not given");
  add_table_options(to);
}

/// Options of which each belongs to training alone.
void add_training_options(command& to, plan_options& into) {
  nlohmann::json& request = into.job.request;
  add_job_options(to, into.job);
  to.ask(tuning_rows, request);
  to.ask(plan_rows, request);
  add_epoch_options(to, into.epochs, {"--tokens"});
  add_input_options(to, into.input);
  to.add("--quota", into.quotas, "a file with chips that may be had; its form is in docs/prices.md").decides("quotas");
  to.ask(preemption_rows, "--mtbp", request);
  to.ask(rest_rows, request);
  to.ask(market_rows, request);
  add_lifetimes_option(to, into.lifetimes).excludes({"--mtbp", "--market"});
  to.ask(wait_rows, request);
  to.ask(phase_rows, request);
  to.ask(degree_rows, request);
  to.ask(noise_rows, request);
  to.flag("--explain", into.explain, "what the best plan depends on, and every way of paying for it");
  to.flag("--pareto", into.front_only, "only plans that no other beats in time and money");
  to.flag("--best-per-generation", into.best_per_chip,
          "only the best plan of each generation; with --serve a table of the cheapest fleets")
      .excludes({"--pareto"});
  for (option& one : to.options) {
    const bool shared = one.form == option::shape::argument || one.name == "--weights" || one.name == "--dtype" ||
                        one.name == "--images" || one.name == "--image-size" || one.name == "--software" ||
                        one.name == "--best-per-generation" || one.name == "--mtbp" || one.name == "--start-up";
    if (!shared) one.excludes({"--serve"});
    const bool of_items = one.form == option::shape::argument || one.name == "--weights" || one.name == "--batch" ||
                          one.name == "--steps";
    if (!of_items) one.excludes({"--items-per-hour"});
  }
}

/// Options of which each belongs to images and clips alone.
void add_item_options(command& to, plan_options& into) {
  const std::size_t before = to.options.size();
  for (const question_row& row : picture_rows) {
    if (row.option != "--steps" && row.option != "--weights") to.ask(row, into.generation);
  }
  for (const question_row& row : generation_plan_rows) {
    if (row.option == "--latency" || row.option == "--max-slice") to.ask(row, into.generation);
  }
  auto one = to.options.begin();
  std::advance(one, before);
  for (; one != to.options.end(); ++one) {
    const bool of_training = one->name == "--size" || one->name == "--frames" || one->name == "--text-tokens";
    if (of_training) one->needs({"--items-per-hour", "--examples", "--steps-per-epoch", "--steps"});
    if (!of_training) one->needs({"--items-per-hour"});
  }
  to.ask(generation_plan_rows, "--items-per-hour", into.generation).optional().excludes({"--serve"});
  for (const question_row& row : diffusion_step_rows)
    to.ask(row, into.pictures).needs({"--examples", "--steps-per-epoch", "--steps"});
  to.of("--size").fills += " sizes";  // of training
}

/// Options of which each belongs to serving alone.
void add_serving_options(command& to, plan_options& into) {
  const std::size_t before = to.options.size();
  nlohmann::json& request = into.traffic.request;
  add_traffic_options(to, request);
  to.ask(served_engine_rows, request);
  to.ask(served_rows, "--serving-weights", request);
  to.ask(adapter_rows, request);
  to.ask(speculation_rows, request);
  to.ask(standing_rows, into.standing);
  to.ask(routing_rows, into.standing);
  to.add("--gpu", into.gpus, "with --best-per-generation: GPU servers beside them, at peak rates: H100,B200 or all");
  auto one = to.options.begin();
  std::advance(one, before);
  for (; one != to.options.end(); ++one) one->needs({"--serve"});
  for (const char* routed : {"--think", "--opening-len", "--prefix-groups", "--host-cache"})
    to.of(routed).excludes({"--day"});
  to.flag("--serve", into.to_serve, "plan for traffic instead of training");
  for (const tpuplan::question_row& row : served_rows) {
    if (row.option == "--dtype") to.ask_beside("--serve", row, request);
  }
  to.of("--images").fills += " job.images";  // which the option of training is of a fleet that serves
  to.ask_file(day_rows, "--day", into.day)
      .needs({"--serve"})
      .excludes({"--provisioning", "--budget", "--spare", "--zones", "--survive", "--best-per-generation", "--zone",
                 "--ttft", "--tpot", "--svg"});
  for (const question_row& row : day_rows) {
    if (to.find(row.option) == nullptr) to.ask(row, into.of_day);
    if (row.option == "--mtbp" || row.option == "--start-up") to.ask_beside("--day", row, into.of_day);
  }
  for (const question_row& row : day_chance_rows) to.ask(row, into.of_day).needs({"--day"});
}

}  // namespace

void add_plan_command(session& with) {
  command& added =
      with.commands.emplace_back("plan", "the best slices to train or serve a model, and why the rest lost");
  const auto options = std::make_shared<plan_options>();
  add_training_options(added, *options);
  add_limit_options(added, *options);
  add_serving_options(added, *options);
  add_item_options(added, *options);
  add_calibration_option(added, options->job.calibration).excludes({"--items-per-hour"});
  added.run = [options, &with] {
    take_lifetimes(options->lifetimes, options->job.request);
    read_plan(*options);
    run_plan(*options, with);
  };
}

}  // namespace cli
