// tpuplan sweep
#include <algorithm>
#include <memory>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/sweep.hpp>

#include "cli/calibration.hpp"
#include "cli/network.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct sweep_options {
  plan_options trial;
  price_options prices;
  std::vector<std::string> slices;
  std::int64_t trials = 0;
  double stopped = 0, stopped_after = 0.25;
  std::optional<std::int64_t> parallel, quota;
  std::int64_t rows = 8;
};

/// Whether a slice is one of those that were named, or any is allowed.
bool is_wanted(const sweep_options& given, const slice& where) {
  const auto is = [&](const std::string& one) { return name(slice_for(one)) == name(where); };
  return given.slices.empty() || std::any_of(given.slices.begin(), given.slices.end(), is);
}

/// Examples on each core as a batch: the slices that are named have one number of cores, so that all trials are equal.
void fill_batch(sweep_options& given) {
  std::optional<std::int64_t>& per_core = given.trial.job.per_core;
  if (!per_core) return;
  std::int64_t cores = 0;
  for (const std::string& one : given.slices) {
    const std::int64_t there = devices(scheduled_slice(one));
    if (cores != 0 && there != cores)
      refuse("--batch-per-core", std::to_string(*per_core), "--batch: these slices have different numbers of cores");
    cores = there;
  }
  if (cores == 0)
    refuse("--batch-per-core", std::to_string(*per_core), "--batch, or with --slice: cores differ from slice to slice");
  given.trial.job.job.global_batch = checked_multiply(*per_core, cores);
  per_core.reset();
}

/// The time of a whole trial on each slice that trains the model: its start, its first compilation and its steps.
std::vector<trial_slice> trials_on(const any_model& model, sweep_options& given, const price_book& prices,
                                   assumed_values& assumed) {
  std::vector<trial_slice> found;
  const auto add = [&](const slice& where, seconds step, double steps, const payment_terms& terms) {
    if (is_wanted(given, where)) found.push_back({where, step * steps, terms});
  };
  if (model.net) {
    const network_request trial = network_request_of(model, given.trial, prices, assumed);
    given.trial.job.job.global_batch = trial.job.global_batch;
    bool waits = false;
    run_phases run = phases_of(given.trial.asked.around, given.trial.asked.restart_time, assumed);
    for (const network_plan& p : plan_network(trial).plans) {
      run.step = p.step.total;
      run.steps = p.steps;
      add(p.where, p.step.total, static_cast<double>(p.steps), with_phases(trial.terms, run));
      waits = waits || p.step.waiting.value() > 0;
    }
    if (waits) assume_input(trial.input, assumed);
  } else {
    const plan_request trial = training_request_of(given.trial, model.config, prices, assumed);
    for (const plan& p : make_plan(trial).plans)
      add(p.where, p.step.total, p.steps, payment_terms_of(trial, p.where, slices(p.mesh), p.steps, p.step.total));
  }
  return found;
}

sweep_request request_of(const sweep_options& given, const price_book& prices) {
  sweep_request request;
  request.trials = given.trials;
  request.stopped = given.stopped;
  request.stopped_after = given.stopped > 0 ? given.stopped_after : 1;
  request.quota = given.quota.value_or(1 << 20);
  request.parallel = given.parallel;
  request.deadline = given.trial.asked.deadline;
  request.kinds = given.trial.asked.kinds;
  request.region = given.trial.asked.regions.front();
  request.prices = prices;
  return request;
}

ordered_json json_of(const sweep_plan& p) {
  return {{"slice", name(p.trial.where).view()},
          {"kind", name(p.kind)},
          {"parallel", p.parallel},
          {"chips", chips(p.trial.where) * p.parallel},
          {"rounds", p.rounds},
          {"whole_trial_s", p.whole_trial.value()},
          {"mean_trial_s", p.mean_trial.value()},
          {"wall_s", p.wall.value()},
          {"total_usd", p.total.value()},
          {"per_trial_usd", p.per_trial.value()},
          {"preemptions", p.preemptions}};
}

void print_plans(const std::vector<sweep_plan>& plans, const sweep_options& given) {
  table t("slice | paid for as | >at once | ~>rounds | ~>whole trial | >sweep | >cost | >a trial | ~~>preemptions");
  for (std::size_t i = 0; i < std::min(plans.size(), static_cast<std::size_t>(given.rows)); ++i) {
    const sweep_plan& p = plans[i];
    t.add({std::string(name(p.trial.where).view()), std::string(name(p.kind)), grouped(p.parallel), grouped(p.rounds),
           p.whole_trial, p.wall, p.total, p.per_trial, number_cell("{:.1f}", p.preemptions)});
  }
  t.print();
  if (plans.size() > t.size()) print("  {} more: --rows {}\n", plans.size() - t.size(), plans.size());
  const sweep_plan& fastest = *std::min_element(plans.begin(), plans.end(), [](const auto& a, const auto& b) {
    return a.wall != b.wall ? a.wall < b.wall : a.total < b.total;
  });
  if (fastest.wall < plans.front().wall)
    print("\n  the fastest: {} at once on {}, {}: {} for {}\n", fastest.parallel, name(fastest.trial.where).view(),
          name(fastest.kind), duration(fastest.wall), money(fastest.total));
}

/// Slices that were named and are in no plan.
void print_left_out(const sweep_options& given, const sweep_request& request, const std::vector<sweep_plan>& plans) {
  for (const std::string& one : given.slices) {
    const auto wanted = name(slice_for(one));
    const auto is = [&](const trial_slice& trial) { return name(trial.where) == wanted; };
    if (std::any_of(plans.begin(), plans.end(), [&](const sweep_plan& p) { return is(p.trial); })) continue;
    const bool runs = std::any_of(request.slices.begin(), request.slices.end(), is);
    print("  {}: {}\n", wanted.view(),
          runs ? "no price of these ways of paying, or beyond --deadline or --quota"
               : "a trial does not run on it: tpuplan train --slice says why");
  }
}

void run_sweep(sweep_options given, session& with) {
  plan_options& trial = given.trial;
  if (!given.quota && !given.parallel) refuse_missing("--quota", "chips that may be had at once; or --parallel");
  read_plan(trial);
  if (!with.is_given("--provisioning")) trial.asked.kinds = {provisioning::on_demand, provisioning::spot};
  trial.prices = given.prices.file;
  trial.asked.regions = {given.prices.region};
  keep_to_zone(trial, with);
  const any_model model = load_any(trial.job.config, {});
  if (model.net)
    keep_to_networks(
        with, {"--examples", "--epochs",      "--keep-remainder", "--steps-per-epoch", "--steps",         "--region",
               "--prices",   "--mtbp",        "--deadline",       "--provisioning",    "--generation",    "--zone",
               "--rows",     "--trials",      "--parallel",       "--stopped",         "--stopped-after", "--quota",
               "--start-up", "--compilation", "--decode-time",    "--example-bytes",   "--cached"});
  if (!model.net) refuse_input(with);
  fill_batch(given);
  const loaded_prices prices(trial.prices, trial.asked.regions, with);
  check_region(prices.book(), trial.asked.regions.front());
  sweep_request request = request_of(given, prices.book());
  plan_options one = trial;  // whose deadline is not that of the sweep
  one.asked.deadline.reset();
  if (given.quota) one.asked.largest_chips = *given.quota;
  sweep_options of_one = given;
  of_one.trial = one;
  assumed_values assumed;
  request.slices = trials_on(model, of_one, prices.book(), assumed);
  const std::vector<sweep_plan> plans = request.slices.empty() ? std::vector<sweep_plan>{} : plan_sweep(request);
  if (plans.empty()) with.status = 1;
  if (with.json) {
    ordered_json list = ordered_json::array();
    for (const sweep_plan& p : plans) list.push_back(json_of(p));
    return print_json({{"trials", given.trials}, {"plans", list}, {"assumed", all_assumed(model.config, assumed)}});
  }
  print_title("{}: {}{}", model.config.model.name.view(), counted(grouped(given.trials), "trial"),
              given.stopped > 0 ? fmt::format(", {} of them stopped after {} of a whole one", percent(given.stopped),
                                              percent(given.stopped_after))
                                : std::string());
  if (plans.empty()) {
    print("  no slice does it within these limits\n");
  } else {
    print("  cheapest first{}\n\n",
          given.quota ? fmt::format("; at most {} at once", counted(*given.quota, "chip")) : "");
    print_plans(plans, given);
  }
  print_left_out(given, request, plans);
  print_assumed(all_assumed(model.config, assumed));
  if (plans.empty()) return;
  const sweep_plan& best = plans.front();
  const std::string many = std::to_string(chips(best.trial.where));
  const std::vector<follow_up_option> there = {{"--generation", std::string(best.trial.where.chip.name.view())},
                                               {"--min-chips", many},
                                               {"--max-chips", many},
                                               {"--provisioning", std::string(name(best.kind))}};
  print_next("{}   one trial of it", model.net
                                         ? follow_up(with, "train",
                                                     {{"--slice", std::string(name(best.trial.where).view())},
                                                      {"--batch", std::to_string(of_one.trial.job.job.global_batch)}},
                                                     {"--batch-per-core"})
                                         : follow_up(with, "plan", there, {"--deadline", "--rows", "--quota"}));
}

}  // namespace

void add_sweep_command(session& with) {
  command& added = with.commands.emplace_back("sweep", "many trials of a job: how many at once, where, for how much");
  const auto options = std::make_shared<sweep_options>();
  plan_options& trial = options->trial;
  nlohmann::json& request = trial.job.request;
  add_config_option(added, trial.job.config, true);
  added.add("--trials", options->trials, {1, 1e9}, "how many").required();
  added.add("--parallel", options->parallel, {1, 1e6}, "trials at once; as many as --quota allows, if not given");
  added.add("--quota", options->quota, {1, 1 << 20}, "chips of all trials at once");
  added.add("--stopped", options->stopped, {0, 1}, "share of the trials that is stopped early: 50%").usually("0");
  added.add("--stopped-after", options->stopped_after, {1e-6, 1}, "share of a whole trial that these run for")
      .usually("25%")
      .needs({"--stopped"});
  added.ask(plan_rows, "--deadline", request).help = "of the whole sweep: 8h";
  added.add("--slice", options->slices, "only these: v5e-8,v5e-4");
  added.ask(job_rows, "--batch", request).excludes({"--batch-per-core"});
  added.add("--batch-per-core", trial.job.per_core, {1, 1e9}, "examples on each core (JAX device)");
  for (const char* one : {"--seq", "--optimizer", "--lora"}) added.ask(job_rows, one, request);
  added.ask(plan_rows, "--tokens", request).help = "of a trial: 1B";
  add_epoch_options(added, trial.epochs, {"--tokens"});
  add_input_options(added, trial.input);
  added.ask(phase_rows, "--start-up", request).help = "of VMs and container of a trial, paid: 3min";
  added.ask(phase_rows, "--compilation", request).help = "of the first step of a trial";
  added.ask(limit_rows, "--provisioning", request).usually("on_demand,spot");
  add_price_options(added, options->prices);
  added.ask(limit_rows, "--generation", request);
  added.add("--zone", trial.zone, "only what a zone has, by data/zones.json: us-east5-b");
  added.ask(preemption_rows, "--mtbp", request);
  added.add("--rows", options->rows, {1, 1e6}, "ways to show").usually("8");
  add_table_options(added);
  added.run = [options, &with] { run_sweep(*options, with); };
}

}  // namespace cli
