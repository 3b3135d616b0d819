// tpuplan spot
#include <cmath>
#include <memory>
#include <optional>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/io/json.hpp>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct spot_options {
  std::string checkpoint, between, restart;  // as typed, because what is assumed is shown so
  seconds work{}, queue{};
  std::optional<seconds> interval;
  std::optional<double> on_demand, spot;  // dollars per chip and hour
  std::int64_t chips = 1;
};

spot_run make_run(const spot_options& given, assumed_values& assumed) {
  const auto time = [&](const char* option, const std::string& value, const char* usual, const char* what) {
    if (value.empty()) assumed.emplace_back(what, usual);
    return parse_duration(option, value.empty() ? usual : value);
  };
  spot_run run;
  run.work = given.work;
  run.checkpoint_time = time("--checkpoint", given.checkpoint, "60s", "a checkpoint stops the step for");
  run.mean_time_between_preemptions = time("--mtbp", given.between, "4h", "a preemption comes every");
  run.restart_time = time("--restart", given.restart, "10min", "the first step comes after");
  run.queue_time = given.queue;
  run.checkpoint_interval =
      min(run.work,
          given.interval ? *given.interval : optimal_interval(run.checkpoint_time, run.mean_time_between_preemptions));
  return run;
}

std::optional<spot_comparison> compare_prices(const spot_options& given, const spot_run& run) {
  if (!given.on_demand && !given.spot) return std::nullopt;
  const auto price = [&](const char* option, const std::optional<double>& dollars) {
    if (!dollars) refuse_missing(option, "dollars per chip and hour, as for the other");
    return usd_per_hour(positive(option, *dollars)) * static_cast<double>(positive_count("--chips", given.chips));
  };
  return compare_spot({price("--on-demand", given.on_demand), price("--spot", given.spot)}, run);
}

void print_expected(const spot_run& run, const expected_spot_run& e) {
  print_title("checkpoint every {}, {} billed for {} of work", duration(run.checkpoint_interval), duration(e.billed),
              duration(e.work));
  table t("expected | >time | >of the work");
  const auto row = [&](const char* label, seconds time) { t.add({label, duration(time), percent(time / e.work)}); };
  row("work", e.work);
  row("checkpoints", e.checkpoints);
  row("lost work", e.lost_work);
  row("restarts", e.restarts);
  row("billed", e.billed);
  row("waiting for capacity", e.queue);
  row("from start to end", e.wall);
  t.print();
}

void run_spot(const spot_options& given, session& with) {
  assumed_values assumed;
  const spot_run run = make_run(given, assumed);
  const expected_spot_run e = expected_run(run);
  const seconds young = young_interval(run.checkpoint_time, run.mean_time_between_preemptions);
  const seconds exact = optimal_interval(run.checkpoint_time, run.mean_time_between_preemptions);
  const std::optional<spot_comparison> money_of = compare_prices(given, run);
  if (with.json) {
    return print_json({{"interval_s", run.checkpoint_interval.value()},
                       {"billed_s", e.billed.value()},
                       {"wall_s", e.wall.value()},
                       {"preemptions", e.preemptions},
                       {"run", run},
                       {"expected", e},
                       {"young_interval_s", young.value()},
                       {"optimal_interval_s", exact.value()},
                       {"prices", or_null(money_of)},
                       {"assumed", json_of_assumed({}, assumed)}});
  }
  print_expected(run, e);
  fmt::print("\n  {:.1f} preemptions expected; intervals: Young {}, exact {}\n", e.preemptions, duration(young),
             duration(exact));
  if (money_of) {
    fmt::print("  {} on spot against {} on demand: {} {}\n", money(money_of->spot_cost),
               money(money_of->on_demand_cost), money_of->spot_is_cheaper ? "saves" : "costs more by",
               percent(std::abs(money_of->saving_fraction)));
  }
  print_assumed({}, assumed);
  if (!money_of) print_next("--on-demand 1.20 --spot 0.60 --chips 32   what it saves");
}

}  // namespace

void add_spot_command(CLI::App& app, session& with) {
  CLI::App* command = app.add_subcommand("spot", "checkpoint interval, expected time and cost under preemption");
  const auto options = std::make_shared<spot_options>();
  add(*command, "--work", options->work, "useful time of the run: 10h")->required();
  command->add_option("--checkpoint", options->checkpoint, "time for which one checkpoint stops the step (60s)");
  command->add_option("--mtbp", options->between, "mean time between preemptions of the whole job (4h)");
  command->add_option("--restart", options->restart, "billed time from capacity to the next step (10min)");
  add(*command, "--queue", options->queue, "unbilled wait for capacity after a preemption");
  add(*command, "--interval", options->interval, "work between checkpoints; the best one if not given");
  command->add_option("--on-demand", options->on_demand, "dollars per chip and hour");
  command->add_option("--spot", options->spot, "dollars per chip and hour");
  command->add_option("--chips", options->chips)->capture_default_str();
  command->callback([options, &with] { run_spot(*options, with); });
}

}  // namespace cli
