// tpuplan plan
#include "cli/plan.hpp"

#include "cli/calibration.hpp"
#include "cli/network.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "cli/zones.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>

namespace cli {

using namespace tpuplan;

std::vector<provisioning> kinds_of(const std::vector<std::string>& given) {
  std::vector<provisioning> kinds;
  if (given.empty()) return {provisioning::on_demand};
  for (const std::string& one : given) {
    if (one == "all") return {all_provisioning.begin(), all_provisioning.end()};
    read("--provisioning", one, {}, kinds.emplace_back());
  }
  return kinds;
}

void keep_to_zone(plan_options& given, const session& with) {
  if (given.zone.empty()) return;
  const std::vector<std::string> there = generations_of_zone(with.data_dir, given.zone);
  const maybe<provisioning> kind = given.kinds.size() == 1 ? given.kinds.front() : maybe<provisioning>{};
  for (const std::string& one : given.generations)
    check_zone(known_zones(with.data_dir), given.zone, chip_for(one).name.view(), kind);
  if (given.generations.empty()) given.generations = there;
  const std::string region = region_of_zone(given.zone);
  if (with.is_given("--region")) {  // of which "us" and "all" are more than one
    for (const std::string& one : given.regions) {
      if (one != region && one != "us" && one != "all")
        refuse("--region", fmt::format("{} with --zone {}", one, given.zone), region + ", or none");
    }
    return;
  }
  try {
    check_region(loaded_prices(given.prices, {region}, with).book(), region);
    given.regions = {region};
  } catch (const error& refusal) {
    if (refusal.code() != errc::unknown_name && refusal.code() != errc::no_price) throw;
  }
}

namespace {

/// The regions as given, or all that the prices have.
std::vector<std::string> regions_of(const std::vector<std::string>& given, const price_book& prices) {
  if (given.size() != 1 || given.front() != "all") return given;
  return all_regions(prices);
}

/// Leaves out of all regions those whose zones are for single tenants, and records it, and where no zone is known.
void check_places(const plan_options& given, loaded_prices& prices, model_config& config, const session& with) {
  if (!given.prices.empty()) return;
  const std::vector<zone_row> zones = known_zones(with.data_dir);
  const bool everywhere = given.regions == std::vector<std::string>{"all"};
  const auto offer = [&](const price_row& price) {
    return offer_in_region(zones, price.region.view(), price.generation.view(), price.kind);
  };
  loaded_prices asked = prices;
  asked.keep([&](const price_row& price) {
    const auto is_named = [&](const std::vector<std::string>& names, std::string_view one) {
      return std::find(names.begin(), names.end(), one) != names.end();
    };
    std::vector<std::string> chips;
    for (const std::string& one : given.generations) chips.emplace_back(chip_for(one).name.view());
    return (everywhere || is_named(given.regions, price.region.view())) &&
           (chips.empty() || is_named(chips, price.generation.view())) &&
           std::find(given.kinds.begin(), given.kinds.end(), price.kind) != given.kinds.end();
  });
  const std::string closed = places_of(asked.book(), zones, region_offer::single_tenants);
  if (!closed.empty())
    config.assumed.push_back({everywhere ? "left out" : "single tenants", closed,
                              everywhere ? "zones for single tenants; --region takes one of them"
                                         : "its zones are for customers who have them for themselves"});
  const std::string unknown = places_of(asked.book(), zones, region_offer::no_zone);
  if (!unknown.empty())
    config.assumed.push_back({"no zone known", unknown, "there is a price, but no source names a zone"});
  for (const std::string& one : given.zone.empty() ? std::vector<std::string>{} : given.generations) {
    if (is_for_single_tenants(zones, given.zone, chip_for(one).name.view(), given.kinds.front()))
      config.assumed.push_back(
          {"single tenants", one + " in " + given.zone, "the zone is for customers who have it for themselves"});
  }
  if (everywhere) prices.keep([&](const price_row& price) { return offer(price) != region_offer::single_tenants; });
}

void run_plan(plan_options given, session& with) {
  keep_to_zone(given, with);
  any_model model = load_any(given.job.config, given.job.image_size);
  model_config& config = model.config;
  loaded_prices prices(given.prices, given.regions, with);
  check_places(given, prices, config, with);
  given.regions = regions_of(given.regions, prices.book());
  for (const std::string& region : given.regions) check_region(prices.book(), region);
  if (with.is_given("--gpu") && !with.is_given("--best-per-generation"))
    refuse("--gpu", "given without effect", "only with --best-per-generation");
  if (model.net) refuse_drawing(with, "given for a network of layers", "a language model");
  if (model.net) return network_training_plan(model, given, prices.book(), with);
  refuse_input(with);
  if (given.to_serve) return plan_serving(config, given, prices.book(), with);
  plan_training(config, given, prices.book(), with);
}

void add_limit_options(command& to, plan_options& into) {
  to.add("--budget", into.budget, "dollars: 1M; with --serve an hour");
  to.add("--objective", into.best, std::string(names_of<objective>()));
  to.add("--provisioning", into.kind_names, "ways of paying that count: on_demand, spot … or all").usually("on_demand");
  to.add("--region", into.regions, "us, or regions such as us-east5 of the prices; all").usually("us");
  add_price_file_option(to, into.prices);
  to.add("--generation", into.generations, "only these chips: v5e,v6e");
  to.add("--zone", into.zone, "only what a zone has, by data/zones.json, at the prices of its region: us-east5-b");
  to.add("--min-chips", into.smallest_chips, {1, 1 << 20}, "the fewest chips of a plan, all its slices counted");
  to.add("--max-chips", into.largest_chips, {1, 1 << 20}, "the most chips of a plan, all its slices counted");
  add_drawing_options(to);
  to.add("--rows", into.rows, {1, 1e6},
         "plans to show; 8, the best of each generation and those with a star, if not given");
  to.flag("--accept-uncertain", into.accept_uncertain,
          "also take slices that the job may not fit, as the compiler decides");
  add_table_options(to);
}

/// Options of which each belongs to training alone.
void add_training_options(command& to, plan_options& into) {
  constexpr limits degrees{0, 1 << 20};
  add_job_options(to, into.job);
  to.add("--tokens", into.tokens, {1, 1e18}, "to train on: 15T");
  add_epoch_options(to, into.epochs, {"--tokens"});
  add_input_options(to, into.input);
  to.add("--deadline", into.deadline, {1, 1e18}, "30d");
  to.add("--quota", into.quotas, "a file with chips that may be had; its form is in docs/prices.md");
  to.add("--max-slices", into.largest_slices, {1, 1024}, "slices over DCN").usually("1");
  to.add("--min-batch-tokens", into.smallest_batch_tokens, {1, 1e15}, "the batch is chosen too: from here …")
      .excludes({"--batch", "--batch-tokens"});
  to.add("--max-batch-tokens", into.largest_batch_tokens, {1, 1e15}, "… to here")
      .excludes({"--batch", "--batch-tokens"});
  to.add("--mtbp", into.between, {1e-3, 1e12}, "mean time between preemptions of one slice on spot").usually("4h");
  add_rest_option(to, into.rest_used);
  to.add("--data", into.degrees.data, degrees, "a degree that is fixed; 0: chosen");
  to.add("--fsdp", into.degrees.fsdp, degrees, "likewise");
  to.add("--tensor", into.degrees.tensor, degrees, "likewise");
  to.add("--expert", into.degrees.expert, degrees, "likewise");
  to.add("--context", into.degrees.context, degrees, "1 unless given: no published run covers it; 0: chosen");
  to.add("--pipeline", into.degrees.pipeline, degrees, "likewise");
  to.flag("--explain", into.explain, "what the best plan depends on, and every way of paying for it");
  to.flag("--pareto", into.front_only, "only plans that no other beats in time and money");
  to.flag("--best-per-generation", into.best_per_chip,
          "only the best plan of each generation; with --serve a table of the cheapest fleets")
      .excludes({"--pareto"});
  for (option& one : to.options) {
    const bool shared = one.form == option::shape::argument || one.name == "--weights" || one.name == "--dtype" ||
                        one.name == "--best-per-generation";
    if (!shared) one.excludes({"--serve"});
  }
}

/// Options of which each belongs to serving alone.
void add_serving_options(command& to, plan_options& into) {
  const std::size_t before = to.options.size();
  add_traffic_options(to, into.traffic);
  add_engine_options(to, into.traffic);
  to.add("--serving-weights", into.traffic.job.weights, "format of the weights that are served")
      .excludes({"--weights"});
  to.add("--gpu", into.gpus, "with --best-per-generation: GPU servers beside them, at peak rates: H100,B200 or all");
  auto one = to.options.begin();
  std::advance(one, before);
  for (; one != to.options.end(); ++one) one->needs({"--serve"});
  to.flag("--serve", into.to_serve, "plan for traffic instead of training");
}

}  // namespace

void add_plan_command(session& with) {
  command& added =
      with.commands.emplace_back("plan", "the best slices to train or serve a model, and why the rest lost");
  const auto options = std::make_shared<plan_options>();
  add_training_options(added, *options);
  add_limit_options(added, *options);
  add_serving_options(added, *options);
  add_calibration_option(added, options->job.calibration);
  added.run = [options, &with] {
    options->kinds = kinds_of(options->kind_names);
    run_plan(*options, with);
  };
}

}  // namespace cli
