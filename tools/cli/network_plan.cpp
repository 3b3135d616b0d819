// What tpuplan plan answers for a network of layers.
#include <algorithm>
#include <tpuplan/show/views/networks.hpp>

#include "cli/launch_line.hpp"
#include "cli/network.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// The command that starts a plan, with what the user has for it in capitals; empty where no service does.
std::string launch_words(const plan_network_row& p) {
  to_start what;
  what.where = p.plan.where, what.kind = p.kind;
  what.program = "--command COMMAND";
  what.says_payment = true;
  return launch_line("tpuplan launch --slice " + p.slice, what);
}

/// Examples on each core as a batch, where all slices that are looked at have the same number of cores.
std::int64_t batch_of_cores(std::int64_t per_core, const plan_network_request& asked) {
  network_request limits;
  limits.generations = asked.generations.empty() ? usual_generations() : asked.generations;
  limits.smallest_chips = asked.smallest_chips;
  limits.largest_chips = asked.largest_chips;
  std::int64_t cores = 0;
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice where = slice_at(i);
    if (!is_considered(limits, where)) continue;
    if (cores != 0 && devices(where) != cores)
      refuse("--batch-per-core", std::to_string(per_core),
             "--batch, so that all slices do the same work: they have different numbers of cores", errc::unsupported);
    cores = devices(where);
  }
  return checked_multiply(per_core, std::max<std::int64_t>(1, cores));
}

/// The question as the options say it.
plan_network_request asked_of(const any_model& model, const plan_options& given) {
  if (!is_given(given.epochs))
    refuse_missing("--examples", "examples of the data set, or --steps-per-epoch, with --epochs; or --steps");
  plan_network_request asked = read_request<plan_network_request>(given.job.request);
  asked.generations = given.asked.generations;  // of which a zone may have fewer
  asked.regions = given.asked.regions;
  asked.input = input_of(*model.net, given.input);
  if (given.job.per_core) asked.job.global_batch = batch_of_cores(*given.job.per_core, asked);
  expect_batch(given.epochs, asked.job.global_batch);
  asked.data = data_of(given.epochs, asked.job.global_batch);
  if (!asked.by.empty() && asked.start.empty()) asked.start = today();
  return asked;
}

/// The commands that look at the best plan more closely, and that start it.
std::vector<next_step> next_of(const plan_network_row& best, const session& with) {
  return {{"train_network",
           follow_up(with, "train",
                     {{"--slice", best.slice},
                      {"--batch", std::to_string(best.batch)},
                      {"--data", std::to_string(best.mesh.data)},
                      {"--fsdp", std::to_string(best.mesh.fsdp)},
                      {"--region", std::string(best.price.region.view())}},
                     {"--batch-per-core"}),
           {}},
          {{}, launch_words(best), {}}};
}

}  // namespace

void expect_batch(const epoch_options& run, std::int64_t batch) {
  for (const auto& [option, steps] : {std::pair("--steps", run.steps), {"--steps-per-epoch", run.steps_per_epoch}}) {
    if (steps && batch == 0)
      refuse(option, std::to_string(*steps), "with --batch: without a batch, steps are no amount of work");
  }
}

void network_training_plan(const any_model& model, const plan_options& given, const price_book& prices, session& with) {
  keep_to_networks(
      with, {network_run_rows, preemption_rows, rest_rows, market_rows, wait_rows, phase_rows, budget_rows, limit_rows},
      {"--deadline", "--by", "--start", "--steps-per-epoch", "--steps", "--zone", "--rows"});
  for (const char* option : {"--data", "--fsdp"}) {
    if (with.is_given(option)) refuse(option, "given for a network of layers", "train, which takes a layout");
  }
  plan_network_answer said = answer_to(model, asked_of(model, given), prices);
  if (given.epochs.steps) said.epochs.steps_per_epoch = 0;  // of a run that has no epochs
  say_start(with, said.assumed);
  if (said.plans.empty()) with.status = 1;
  view_options options = view_options_of();
  options.rows = given.rows;
  view shown = view_of(said, options);
  if (!said.plans.empty()) shown.next = next_of(said.plans.front(), with);
  answer(with, shown, [&] {
    if (with.is_given("--rows")) said.plans.resize(std::min(said.plans.size(), static_cast<std::size_t>(*given.rows)));
    return ordered_json(said);
  });
}

}  // namespace cli
