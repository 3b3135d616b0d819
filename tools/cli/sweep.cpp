// tpuplan sweep
#include <memory>
#include <tpuplan/ask/sweep.hpp>
#include <tpuplan/show/views/sweep.hpp>

#include "cli/lifetimes.hpp"
#include "cli/network.hpp"
#include "cli/report.hpp"
#include "cli/train_generation.hpp"
#include "cli/zones.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct sweep_options {
  plan_options trial;  // whose request is that of the sweep
  picture_options pictures;
  price_options prices;
  std::int64_t rows = 8;
};

/// Examples on each core as a batch: the slices that are named have one number of cores, so that all trials are equal.
std::int64_t batch_of_cores(std::int64_t per_core, const std::vector<std::string>& named) {
  std::int64_t cores = 0;
  for (const std::string& one : named) {
    const std::int64_t there = devices(scheduled_slice(one));
    if (cores != 0 && there != cores)
      refuse("--batch-per-core", std::to_string(per_core), "--batch: these slices have different numbers of cores");
    cores = there;
  }
  if (cores == 0)
    refuse("--batch-per-core", std::to_string(per_core), "--batch, or with --slice: cores differ from slice to slice");
  return checked_multiply(per_core, cores);
}

/// The question as the options say it.
plan_sweep_request asked_of(sweep_options& given, const any_model& model) {
  nlohmann::json& request = given.trial.job.request;
  const epoch_options& run = given.trial.epochs;
  plan_sweep_request asked = read_request<plan_sweep_request>(request);
  if (given.trial.job.per_core)
    request["job"]["global_batch"] = batch_of_cores(*given.trial.job.per_core, asked.slices);
  const std::int64_t batch = request.value("/job/global_batch"_json_pointer, std::int64_t{0});
  if (model.net) expect_batch(run, batch);
  if (run.examples) asked.data = data_of(run, batch);
  if (run.steps || run.steps_per_epoch) asked.steps = epochs_asked(run, 1).steps;
  if (model.net) asked.input = input_of(*model.net, given.trial.input);
  asked.generations = given.trial.asked.generations;  // of which a zone may have fewer
  asked.region = given.trial.asked.regions.front();
  return asked;
}

/// The command that looks at one trial of the best way more closely.
next_step next_of(const sweep_row& best, bool is_network, const session& with) {
  const slice where = slice_for(best.slice);
  const std::string many = std::to_string(chips(where));
  const std::string batch = std::to_string(best.batch);
  return {is_network ? "train_network" : "plan",
          is_network ? follow_up(with, "train",
                                 {{"--slice", best.slice},
                                  {"--batch", batch},
                                  {"--data", std::to_string(best.mesh->data)},
                                  {"--fsdp", std::to_string(best.mesh->fsdp)}},
                                 {"--batch-per-core"})
                     : follow_up(with, "plan",
                                 {{"--batch", batch},
                                  {"--generation", std::string(where.chip.name.view())},
                                  {"--min-chips", many},
                                  {"--max-chips", many},
                                  {"--provisioning", std::string(name(best.kind))}},
                                 {"--deadline", "--rows", "--quota", "--batch-per-core"}),
          "one trial of it"};
}

/// Prints an answer, and what looks at one trial of the best way more closely.
void print_sweep(const plan_sweep_answer& said, std::int64_t rows, const std::optional<next_step>& next,
                 session& with) {
  if (said.plans.empty()) with.status = 1;
  view_options options = view_options_of();
  options.rows = rows;
  view shown = view_of(said, options);
  if (next) shown.next = {*next};
  answer(with, shown, [&]() -> ordered_json { return said; });
}

/// The sweep of a pipeline of images or clips.
void sweep_of_pictures(const sweep_options& given, session& with) {
  keep_to_pipelines(with, {sweep_rows, sweep_limit_rows, preemption_rows, market_rows, wait_rows, price_rows},
                    {"--examples", "--epochs", "--steps-per-epoch", "--keep-remainder", "--steps", "--zone", "--rows"});
  const plan_options& trial = given.trial;
  nlohmann::json request = denoiser_request(trial.job.request, given.pictures.request);
  const nlohmann::json job = request.value("job", nlohmann::json::object());
  if (!job.contains("global_batch")) refuse_missing("--batch", "images or clips in a step, the same on every slice");
  request.erase("job");
  auto asked = read_request<plan_sweep_request>(request);
  request["job"] = job;
  if (is_given(trial.epochs)) asked.data = data_of(trial.epochs, job["global_batch"].get<std::int64_t>());
  asked.steps = {};
  asked.generations = trial.asked.generations;  // of which a zone may have fewer
  asked.region = trial.asked.regions.front();
  loaded_prices prices(trial.prices, with);
  check_place({given.prices.file, asked.region}, prices, asked.generations, with, trial.zone);
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = load_pipeline(trial.job.config, read);
  const plan_sweep_answer said = answer_to(pipeline, read, asked, request, prices.book());
  std::optional<next_step> next;
  if (!said.plans.empty())
    next = {"train_generation", follow_up(with, "train", {{"--slice", said.plans.front().slice}}), "one trial of it"};
  print_sweep(said, given.rows, next, with);
}

void run_sweep(sweep_options given, session& with) {
  plan_options& trial = given.trial;
  nlohmann::json& request = trial.job.request;
  if (!request.contains("quota") && !request.contains("parallel"))
    refuse_missing("--quota", "chips that may be had at once; or --parallel");
  trial.asked.kinds = read_request<plan_sweep_request>(request).kinds;
  trial.asked.generations = read_request<plan_sweep_request>(request).generations;
  trial.prices = given.prices.file;
  trial.asked.regions = {given.prices.region};
  keep_to_zone(trial, with);
  if (!trial.zone.empty()) request["zone"] = trial.zone;
  if (is_pipeline_file(trial.job.config)) return sweep_of_pictures(given, with);
  const any_model model = load_any(trial.job.config, {});
  refuse_pictures(with, given.pictures, model.net ? "given for a network of layers" : "given for a language model");
  if (model.net)
    keep_to_networks(
        with, {network_run_rows, preemption_rows, market_rows, wait_rows, price_rows, sweep_rows, sweep_limit_rows},
        {"--steps-per-epoch", "--steps", "--zone", "--rows"});
  if (!model.net) refuse_input(with);
  loaded_prices prices(trial.prices, with);
  check_place({trial.prices, trial.asked.regions.front()}, prices, trial.asked.generations, with, trial.zone);
  const plan_sweep_request asked = asked_of(given, model);
  const plan_sweep_answer said = answer_to(model, asked, request, prices.book());
  std::optional<next_step> next;
  if (!said.plans.empty()) next = next_of(said.plans.front(), model.net.has_value(), with);
  print_sweep(said, given.rows, next, with);
}

}  // namespace

void add_sweep_command(session& with) {
  command& added = with.commands.emplace_back("sweep", "many trials of a job: how many at once, where, for how much");
  const auto options = std::make_shared<sweep_options>();
  plan_options& trial = options->trial;
  nlohmann::json& request = trial.job.request;
  add_config_option(added, trial.job.config).required();
  added.ask(sweep_rows, request);
  added.ask(trial_rows, request);
  added.of("--batch").excludes({"--batch-per-core"});
  added.add("--batch-per-core", trial.job.per_core, {1, 1e9}, "examples on each core (JAX device)");
  added.ask(trial_run_rows, "--tokens", request);
  add_epoch_options(added, trial.epochs, {"--tokens"});
  add_input_options(added, trial.input);
  add_picture_options(added, options->pictures, false);
  added.ask(sweep_limit_rows, request);
  add_price_options(added, options->prices);
  added.add("--zone", trial.zone, "only what a zone has, by data/zones.json: us-east5-b");
  added.ask(preemption_rows, "--mtbp", request);
  added.ask(market_rows, request);
  add_lifetimes_option(added, trial.lifetimes).excludes({"--mtbp", "--market"});
  added.ask(wait_rows, request);
  added.add("--rows", options->rows, {1, 1e6}, "ways to show").usually("8");
  add_table_options(added);
  added.run = [options, &with] {
    take_lifetimes(options->trial.lifetimes, options->trial.job.request);
    run_sweep(*options, with);
  };
}

}  // namespace cli
