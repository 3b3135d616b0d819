// What tpuplan plan answers for a network of layers.
#include <algorithm>
#include <tpuplan/json.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/plan/network_plan.hpp>

#include <tpuplan/show/views/networks.hpp>

#include "cli/network.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// A plan of a network as `launch` reads it: where, for how long and how it is paid for.
plan launched_plan(const network_plan& from) {
  plan to;
  to.where = from.where;
  to.mesh = from.mesh;
  to.job.global_batch = from.job.global_batch;
  to.memory = from.memory;
  to.fit = fits(from.memory);
  to.step.total = from.step.total;
  to.step.low = from.step.low;
  to.step.high = from.step.high;
  to.steps = static_cast<double>(from.steps);
  to.run = from.run;
  plan_cost& cost = to.costs.emplace_back();
  cost.kind = from.cost.kind;
  cost.price = from.cost.price;
  cost.billed = from.cost.billed;
  cost.wall = from.cost.wall;
  cost.total = from.cost.total;
  return to;
}

/// What the run costs at the ends of its step's band.
std::string cost_range(const network_plan& p) {
  return fmt::format("{}-{}", money(p.cost.total * (p.step.low / p.step.total)),
                     money(p.cost.total * (p.step.high / p.step.total)));
}

/// Whether a service starts the slices of a plan, asked with words in the place of the user's.
bool is_started_by(const char* target, const network_plan& p) {
  launch_request request;
  request.name = "tpuplan";
  request.where = p.where;
  request.slices = 1;
  const provisioning kind = p.cost.kind;
  request.capacity = is_commitment(kind) ? provisioning::on_demand : kind;
  if (is_commitment(kind) || kind == provisioning::calendar) request.reservation = "reservation";
  request.image = "host/image:1";
  request.project = "my-project";
  request.zone = "us-central1-a";
  request.command = {"true"};
  request.checkpoint = "gs://bucket/folder";
  try {
    return !launch(*find_launch_target(target), request).text.empty();
  } catch (const error&) {
    return false;
  }
}

/// The command that starts a plan, with what the user has for it in capitals; empty where no service does.
std::string launch_words(const network_plan& p) {
  const provisioning kind = p.cost.kind;
  std::string line = fmt::format("tpuplan launch --slice {}", name(p.where).view());
  if (is_commitment(kind))
    line += " --reservation RESERVATION";
  else if (kind == provisioning::calendar)
    line += " --provisioning calendar --reservation RESERVATION";
  else if (kind != provisioning::on_demand)
    line += fmt::format(" --provisioning {} --checkpoint gs://BUCKET/FOLDER", name(kind));
  if (is_started_by("gke", p))
    return line + " --target gke --image IMAGE --command COMMAND   with your own for the words in capitals";
  if (is_started_by("gcloud", p))
    return line +
           " --target gcloud --project PROJECT --zone ZONE --command COMMAND   with your own for the words in capitals";
  return {};
}

/// Examples on each core as a batch, where all slices that are looked at have the same number of cores.
std::int64_t batch_of_cores(std::int64_t per_core, const network_request& request) {
  std::int64_t cores = 0;
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice where = slice_at(i);
    if (!is_considered(request, where)) continue;
    if (cores != 0 && devices(where) != cores)
      refuse("--batch-per-core", std::to_string(per_core),
             "--batch, so that all slices do the same work: they have different numbers of cores", errc::unsupported);
    cores = devices(where);
  }
  return checked_multiply(per_core, std::max<std::int64_t>(1, cores));
}

/// The batch that all slices take, so that they do the same work.
std::int64_t batch_of(const plan_options& given, const network_request& request, assumed_values& assumed) {
  if (given.job.job.global_batch > 0) return given.job.job.global_batch;
  if (given.job.per_core) return batch_of_cores(*given.job.per_core, request);
  const epoch_options& run = given.epochs;
  for (const auto& [option, steps] : {std::pair("--steps", run.steps), {"--steps-per-epoch", run.steps_per_epoch}}) {
    if (steps) refuse(option, std::to_string(*steps), "with --batch: without a batch, steps are no amount of work");
  }
  const std::int64_t usual = usual_batch(data_of(run, 0));
  assumed.emplace_back("global batch",
                       fmt::format("{} on every slice; see --batch", counted(grouped(usual), "example")));
  return usual;
}

}  // namespace

network_request network_request_of(const any_model& model, const plan_options& given, const price_book& prices,
                                   assumed_values& assumed) {
  if (!is_given(given.epochs))
    refuse_missing("--examples", "examples of the data set, or --steps-per-epoch, with --epochs; or --steps");
  network_request request;
  request.net = *model.net;
  request.job = job_of(given.job);
  request.input = example_of(request.net, given.input);
  request.deadline = given.asked.deadline;
  request.budget = given.asked.budget;
  request.best = given.asked.best;
  request.generations = given.asked.generations;
  request.regions = given.asked.regions;
  request.kinds = given.asked.kinds;
  request.smallest_chips = given.asked.smallest_chips;
  request.largest_chips = given.asked.largest_chips;
  request.accept_uncertain = given.asked.accept_uncertain;
  request.job.global_batch = batch_of(given, request, assumed);
  request.data = data_of(given.epochs, request.job.global_batch);
  request.prices = prices;
  request.terms =
      terms_of(request.net, request.job, given.asked.mean_time_between_preemptions, given.asked.rest_of_term_used);
  return request;
}

void network_training_plan(const any_model& model, const plan_options& given, const price_book& prices, session& with) {
  keep_to_networks(
      with, {"--examples",      "--epochs",    "--keep-remainder", "--steps-per-epoch", "--steps",      "--decode-time",
             "--example-bytes", "--cached",    "--region",         "--prices",          "--mtbp",       "--rest-used",
             "--deadline",      "--budget",    "--objective",      "--provisioning",    "--generation", "--zone",
             "--min-chips",     "--max-chips", "--rows",           "--accept-uncertain"});
  for (const char* option : {"--data", "--fsdp"}) {
    if (with.is_given(option)) refuse(option, "given for a network of layers", "train, which takes a layout");
  }
  assumed_values assumed;
  const network_request request = network_request_of(model, given, prices, assumed);
  const network_answer answer = plan_network(request);
  const epoch_count work = epochs_asked(given.epochs, request.job.global_batch);
  if (answer.plans.empty()) with.status = 1;
  const std::size_t shown = std::min(answer.plans.size(), static_cast<std::size_t>(given.rows.value_or(8)));
  const auto waits = [](const network_plan& p) { return p.step.waiting.value() > 0; };
  const bool any_waits = std::any_of(answer.plans.begin(), answer.plans.end(), waits);
  if (any_waits) assume_input(request.input, assumed);
  const bool short_runs = !answer.plans.empty() && compilation_matters(answer.plans.front().run);
  if (with.json) {
    ordered_json plans = ordered_json::array();
    for (std::size_t i = 0; i < (with.is_given("--rows") ? shown : answer.plans.size()); ++i) {
      const network_plan& p = answer.plans[i];
      plans.push_back({{"rank", i + 1},
                       {"slice", name(p.where).view()},
                       {"chips", chips(p.where)},
                       {"batch", p.job.global_batch},
                       {"mesh", p.mesh},
                       {"step", p.step},
                       {"input", or_null(p.input)},
                       {"memory", p.memory},
                       {"steps", p.steps},
                       {"run_s", p.run.value()},
                       {"cost_usd", p.cost.total.value()},
                       {"wall_s", p.cost.wall.value()},
                       {"kind", name(p.cost.kind)},
                       {"price", p.cost.price},
                       {"plan", launched_plan(p)}});
    }
    ordered_json document = {{"schema", json_schema},
                             {"parameters", parameters(request.net).trained},
                             {"examples", work.examples},
                             {"epochs", cli::json_of(given.epochs, work)},
                             {"plans", plans},
                             {"lost",
                              {{"does_not_fit", answer.does_not_fit},
                               {"may_not_fit", answer.may_not_fit},
                               {"batch_does_not_divide", answer.does_not_divide},
                               {"no_price", answer.no_price},
                               {"misses_deadline", answer.misses_deadline},
                               {"over_budget", answer.over_budget}}},
                             {"assumed", all_assumed(model.config, assumed)}};
    if (short_runs) document["not_in_run"] = {{"first_compilation_s", usual_first_compilation().value()}};
    return print_json(document);
  }
  print_title("{} ({} parameters) on {} examples", request.net.name.view(),
              cli::count(static_cast<double>(parameters(request.net).trained)),
              cli::count(static_cast<double>(work.examples)));
  print("  {}\n", readable::epochs_words(request.data, work));
  if (answer.plans.empty()) {
    print("  no slice does it within these limits\n");
  } else {
    print("  {} first; extrapolated: {}\n", name(request.best), readable::network_band_words);
    if (short_runs)
      print(
          "  runs are the steps alone: a first compilation of {} and start-up come on top and are most of what such a "
          "run costs; see --timeline of train\n",
          duration(usual_first_compilation()));
    print("\n");
    table t(
        "> | slice | ~>chips | >batch | >examples/s | >run | >cost | >between | ~>waits | ~HBM per device | ~~paid for "
        "as");
    for (std::size_t i = 0; i < shown; ++i) {
      const network_plan& p = answer.plans[i];
      t.add({fmt::format("{}", i + 1), std::string(name(p.where).view()), grouped(chips(p.where)),
             grouped(p.job.global_batch), cli::count(p.step.examples_per_second.value()), p.run, p.cost.total,
             cost_range(p), share_cell(p.step.waiting / p.step.total), used_of(p.memory.total, p.memory.usable),
             fmt::format("{} in {}", name(p.cost.kind), p.cost.price.region.view())});
    }
    t.print();
    if (std::any_of(answer.plans.begin(), answer.plans.begin() + static_cast<std::ptrdiff_t>(shown), waits))
      print("  in some of these the chips wait for examples from the hosts: see --decode-time, --wide\n");
    if (answer.plans.size() > shown) print("  {} more: --rows {}\n", answer.plans.size() - shown, answer.plans.size());
  }
  table lost(">slices | why they lost");
  const auto row = [&](std::size_t number, const char* why) {
    if (number > 0) lost.add({std::to_string(number), why});
  };
  row(answer.does_not_divide, "the batch does not divide");
  row(answer.does_not_fit, "does not fit");
  row(answer.may_not_fit, "may not fit: --accept-uncertain");
  row(answer.no_price, "no price, or none for a run this long");
  row(answer.misses_deadline, "misses the deadline");
  row(answer.over_budget, "over the budget");
  if (!lost.empty()) print("\n"), lost.print();
  print_assumed(all_assumed(model.config, assumed));
  if (answer.plans.empty()) return;
  const network_plan& best = answer.plans.front();
  const std::string where(name(best.where).view());
  print_next("{}", follow_up(with, "train",
                             {{"--slice", where},
                              {"--batch", std::to_string(best.job.global_batch)},
                              {"--data", std::to_string(best.mesh.data)},
                              {"--fsdp", std::to_string(best.mesh.fsdp)},
                              {"--region", std::string(best.cost.price.region.view())}},
                             {"--batch-per-core"}));
  const std::string start = launch_words(best);
  if (!start.empty()) print("        {}\n", start);
}

}  // namespace cli
