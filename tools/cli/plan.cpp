// tpuplan plan
#include "cli/plan.hpp"

#include <algorithm>
#include <memory>

namespace cli {

namespace {

using namespace tpuplan;

std::vector<provisioning> kinds_of(const std::vector<std::string>& given) {
  std::vector<provisioning> kinds;
  for (const std::string& one : given) {
    if (one == "all") return {all_provisioning.begin(), all_provisioning.end()};
    read("--provisioning", one, kinds.emplace_back());
  }
  return kinds;
}

/// The regions as given, or all that the prices have.
std::vector<std::string> regions_of(const std::vector<std::string>& given, const price_book& prices) {
  if (given.size() != 1 || given.front() != "all") return given;
  std::vector<std::string> regions;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const std::string region(prices.row(i).region.view());
    if (std::find(regions.begin(), regions.end(), region) == regions.end()) regions.push_back(region);
  }
  return regions;
}

void run_plan(plan_options given, session& with) {
  const model_config config = load_model(given.job.config);
  const loaded_prices prices(given.prices);
  given.regions = regions_of(given.regions, prices.book());
  if (!given.to_serve) return plan_training(config, given, prices.book(), with);
  if (given.tokens || given.deadline)
    refuse("--serve", "given", "without --tokens and --deadline, which are of training");
  plan_serving(config, given, prices.book(), with);
}

void add_limit_options(CLI::App& plan, plan_options& into) {
  add(plan, "--deadline", into.deadline, "30d");
  add(plan, "--budget", into.budget, "dollars: 1M; with --serve an hour");
  add(plan, "--objective", into.best, "cheapest, fastest, fewest_chips");
  plan.add_option_function<std::vector<std::string>>(
          "--provisioning", [&into](const std::vector<std::string>& given) { into.kinds = kinds_of(given); },
          "ways of paying that count: on_demand, spot … or all")
      ->default_str("on_demand");
  plan.add_option("--region", into.regions, "us is the default of the built-in prices; all")->capture_default_str();
  add_price_file_option(plan, into.prices);
  plan.add_option("--generation", into.generations, "only these chips");
  add(plan, "--min-chips", into.smallest_chips, "");
  add(plan, "--max-chips", into.largest_chips, "");
  plan.add_option("--rows", into.rows, "plans to show, beside those with a star")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  plan.add_flag("--accept-uncertain", into.accept_uncertain,
                "take slices on which the compiler decides whether it fits");
}

void add_training_options(CLI::App& plan, plan_options& into) {
  add_job_options(plan, into.job);
  add(plan, "--tokens", into.tokens, "to train on: 15T");
  plan.add_option("--quota", into.quotas, "a file with chips that may be had");
  plan.add_option("--max-slices", into.largest_slices, "slices over DCN")->capture_default_str();
  add(plan, "--min-batch-tokens", into.smallest_batch_tokens, "the batch is chosen too: from here by doubling …");
  add(plan, "--max-batch-tokens", into.largest_batch_tokens, "… to here");
  add(plan, "--mtbp", into.between, "mean time between preemptions on spot")->default_str("4h");
  plan.add_option("--data", into.degrees.data, "a degree that is fixed; 0: chosen");
  plan.add_option("--fsdp", into.degrees.fsdp);
  plan.add_option("--tensor", into.degrees.tensor);
  plan.add_option("--expert", into.degrees.expert);
  plan.add_option("--context", into.degrees.context, "1 unless given: no published run covers it; 0: chosen");
  plan.add_option("--pipeline", into.degrees.pipeline, "likewise");
  plan.add_flag("--explain", into.explain, "what the best plan depends on, and every way of paying for it");
  plan.add_flag("--pareto", into.front_only, "only plans that no other beats in time and money");
}

void add_serving_options(CLI::App& plan, plan_options& into) {
  plan.add_flag("--serve", into.to_serve, "plan for traffic instead of training");
  add_traffic_options(plan, into.traffic);
  add_engine_options(plan, into.traffic);
  add(plan, "--serving-weights", into.traffic.job.weights, "format of the weights that are served");
}

}  // namespace

void add_plan_command(CLI::App& app, session& with) {
  CLI::App* command = app.add_subcommand("plan", "the best slices to train or serve a model, and why the rest lost");
  const auto options = std::make_shared<plan_options>();
  add_training_options(*command, *options);
  add_limit_options(*command, *options);
  add_serving_options(*command, *options);
  command->callback([options, &with] { run_plan(*options, with); });
}

}  // namespace cli
