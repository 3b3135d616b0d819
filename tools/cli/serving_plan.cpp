// What tpuplan plan --serve answers.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <tpuplan/plan/cheapest_fleets.hpp>
#include <tpuplan/plan/relax_serving.hpp>
#include <tpuplan/show/views/plan_day.hpp>
#include <tpuplan/show/views/plan_serving.hpp>
#include <utility>

#include "cli/calibration.hpp"
#include "cli/day.hpp"
#include "cli/percentiles.hpp"
#include "cli/plan.hpp"
#include "cli/report.hpp"

namespace cli {

using namespace tpuplan;

namespace {

asked_serving_plan read_asked(model_config& config, const plan_options& given, const session& with) {
  asked_serving_plan asked = read_request<asked_serving_plan>(given.standing);
  asked.job = given.traffic.job;
  asked.prompts = given.traffic.prompts, asked.outputs = given.traffic.outputs;
  learn(config, asked.constants,
        load_calibration(given.job.calibration, calibrated_part::serving, {{}, given.traffic.constants, {}}));
  use_stored_format(config, with.is_given("--weights") || with.is_given("--serving-weights"), asked.job);
  use_own_lengths(config.model, with.is_given("--input-len"), with.is_given("--output-len"), asked.job);
  if (with.is_given("--weights")) asked.job.weights = *given.job.weights;
  if (with.is_given("--software")) asked.job.software = *parse_software_level(name(given.job.job.software));
  if (with.is_given("--images")) asked.job.images = given.job.job.images_per_sequence;
  fill_limits(given.asked, with.is_given("--max-chips"), asked);
  if (given.asked.budget) asked.budget = usd_per_hour(given.asked.budget->value());
  asked.adapters = given.traffic.request.value("adapters", asked.adapters);
  asked.adapter_rank = given.traffic.request.value("adapter_rank", asked.adapter_rank);
  asked.most_plans = given.rows.value_or(asked.most_plans);
  return asked;
}

std::string words_of(const serving_plan& p) { return fmt::format("{} x {}", p.slices, name(p.where).view()); }

/// A slice and a layout as options of other commands.
std::vector<follow_up_option> placed(const std::string& slice, const serving_layout& mesh, const serving_job& job,
                                     const session& with) {
  std::vector<follow_up_option> own = {{"--slice", slice}, {"--tensor", std::to_string(mesh.tensor)}};
  if (mesh.cache == cache_sharding::batch) own.emplace_back("--kv-by-batch", "");
  if (mesh.attention > 0) own.emplace_back("--attention-group", std::to_string(mesh.attention));
  if (mesh.weights == weight_sharding::two_dimensions) own.emplace_back("--mlp-sharding", "2d");
  if (mesh.weights == weight_sharding::gathered) own.emplace_back("--mlp-sharding", "gathered");
  if (with.is_given("--serving-weights")) own.emplace_back("--weights", std::string(name(job.weights)));
  return own;
}

/// Those of a plan.
std::vector<follow_up_option> placed(const serving_plan& best, const serving_request& request, const session& with) {
  std::vector<follow_up_option> own = placed(std::string(name(best.where).view()), best.mesh, request.job, with);
  if (best.region != "us") own.emplace_back("--region", best.region);
  return own;
}

/// Options that a command about a slice does not repeat: the plan has its price, and what chips compute in that cannot
/// compute in what was asked for.
std::vector<std::string_view> not_repeated(const serving_plan& best, const serving_request& request) {
  std::vector<std::string_view> left_out = {"--region", "--routing"};
  if (!has_peak_rate(best.where.chip, request.job.activations)) left_out.push_back("--dtype");
  return left_out;
}

/// The command of a simulation with these options, at the price of the plan: its fleet has lost nothing.
std::string simulation_of(const serving_plan& best, std::vector<follow_up_option> own, const serving_request& request,
                          const session& with) {
  std::vector<std::string_view> left_out = not_repeated(best, request);
  left_out.insert(left_out.end(), {"--provisioning", "--zones"});
  if (best.kind != provisioning::on_demand) own.emplace_back("--provisioning", std::string(name(best.kind)));
  return follow_up(with, "simulate", own, left_out);
}

/// The command that looks at one slice of the plan more closely: with several slices each takes its part of the load.
std::string serve_command(const serving_plan& best, const serving_request& request, const session& with) {
  std::vector<follow_up_option> own = placed(best, request, with);
  if (best.share.request_rate.value() > 0)  // the fewest digits that are this rate: 0.005
    own.emplace_back("--rate", fmt::format("{}", best.share.request_rate.value()));
  if (best.share.concurrency > 0) own.emplace_back("--concurrency", std::to_string(best.share.concurrency));
  return follow_up(with, "serve", own, not_repeated(best, request));
}

/// The command that simulates the slices of the plan as two pools, as many as the plan has compared; none where it has
/// not: of one slice, without a rate or a published one at which caches are sent, or of more steps than one may take.
std::string split_command(const serving_plan_row& row, const serving_request& request, const session& with) {
  const serving_plan& best = row.plan;
  if (!row.split) return {};
  std::vector<follow_up_option> own = placed(best, request, with);
  own.emplace_back("--split-slices", std::to_string(row.split->slices));
  return simulation_of(best, std::move(own), request, with);
}

/// The command that simulates the replicas of the plan behind their router, as many as the plan has simulated.
std::string simulate_command(const serving_plan_row& row, const serving_request& request, const session& with) {
  const serving_plan& best = row.plan;
  std::vector<follow_up_option> own = placed(best, request, with);
  const std::int64_t part = row.routed->slices;
  own.emplace_back("--slices", std::to_string(part));
  if (part != best.slices) {
    const per_second rate = rate_of_part(request.job.request_rate, part, best.slices);
    own.emplace_back("--rate", fmt::format("{}", rate.value()));
  }
  if (part * best.estimate.replicas > 1) own.emplace_back("--routing", std::string(name(row.routed->routing)));
  return simulation_of(best, std::move(own), request, with);
}

std::vector<gpu_offer> gpus_of(const std::vector<std::string>& given) {
  std::vector<gpu_offer> offers;
  for (const std::string& one : given) {
    if (one == "all") return {std::begin(gpu_offers), std::end(gpu_offers)};
    offers.push_back(gpu_for(one));
  }
  return offers;
}

view fleets_view(const serving_request& request, const std::vector<fleet_offer>& fleets,
                 const std::vector<assumption>& assumed) {
  using namespace readable;
  const view_options options = view_options_of();
  const serving_job& job = request.job;
  const latency_targets& targets = job.percentiles;
  view shown;
  shown.title = joined({request.model.name.view(), ": the cheapest fleet of each kind for ",
                        counted(std::string_view(four_digits(job.request_rate.value())), "request"), " a second, ",
                        fixed(job.prompt.mean, 0), " tokens in",
                        job.output.mean > 0 ? " and " + fixed(job.output.mean, 0) + " out" : std::string()});
  if (any_target(targets)) shown.sentences = {targets_words(targets) + ", simulated"};
  add_means_held(shown.sentences, job, options);
  const bool writes = job.output.mean > 0;
  view_part part = table_of(
      joined({"fleet | ~>chips | ~~~replica | >", target_title(writes ? "first" : "answer", targets.first_token),
              " | >", writes ? target_title("token", targets.per_token) : std::string("in a step"),
              " | ~>up to | >spare", any_target(targets) ? " | >kept" : "", " | >an hour:usd | ",
              writes ? ">million out:usd | ~~~>in by time:usd | ~~~>out by time:usd"
                     : ">million in:usd | >million requests:usd",
              " | ~~rates | ~~~price of"}));
  std::vector<price_row> prices;
  std::vector<std::string> impossible;
  bool any_at_peak = false;
  for (const fleet_offer& one : fleets) {
    const serving_plan& p = one.planned;
    if (!one.is_possible) {
      impossible.push_back(joined({one.hardware.view(), ": ", reason(one.why)}));
      continue;
    }
    const bool simulated = any_target(targets);
    const std::string count = std::to_string(p.slices);
    std::vector<view_cell> cells{
        readable::cell(one.at_peak
                           ? joined({count, " x ", std::to_string(chips(p.where)), " ", one.hardware.view(), " *"})
                           : words_of(p)),
        readable::count_cell(chips(p.where) * p.slices),
        readable::cell(replica_words(p.mesh)),
        readable::cell(simulated ? reached_of(p.simulated.first_token.value, targets.first_token)
                                 : p.estimate.first_token),
        !writes     ? number_cell(p.estimate.running, 1)
        : simulated ? readable::cell(reached_of(p.simulated.per_token.value, targets.per_token))
                    : readable::cell(p.estimate.per_token.total),
        readable::cell(four_digits(one.capacity.value()) + "/s", one.capacity.value()),
        readable::share_cell(one.capacity / job.request_rate - 1)};
    if (simulated) cells.push_back(one.chance ? readable::share_cell(*one.chance) : readable::cell(""));
    cells.push_back(one.at_peak ? readable::cell(usd{in_usd_per_hour(p.rate)}) : hour_cell(p, options));
    const auto dollars = [&](usd of) { return one.at_peak ? readable::cell(of) : marked(of, p.price, options); };
    if (writes) cells.push_back(dollars(p.cost.all_on_output));
    cells.push_back(dollars(p.cost.input));
    cells.push_back(dollars(writes ? p.cost.output : p.cost.requests));
    cells.insert(cells.end(), {readable::cell(one.at_peak ? "peak" : "fitted"), readable::cell(p.price.date.view())});
    part.rows.push_back(std::move(cells));
    if (!one.at_peak) prices.push_back(p.price);
    any_at_peak = any_at_peak || one.at_peak;
  }
  add_doubts(part.notes, prices, options);
  if (any_at_peak)
    part.notes.emplace_back(
        "* at peak rates of arithmetic and memory, links for nothing: a bound that no run calibrates; GPUs on demand");
  shown.parts = {std::move(part)};
  if (!impossible.empty()) shown.parts.push_back({{}, impossible, {}, {}, {}, false});
  add_assumed(shown, assumed, options);
  return shown;
}

/// The table that compares the cheapest fleets.
void plan_fleets(const model_config& config, const plan_options& given, const serving_request& request, session& with) {
  for (const char* other :
       {"--rows", "--objective", "--svg", "--html", "--routing", "--turns", "--shared-prefix", "--host-cache"}) {
    if (with.is_given(other)) refuse(other, "given with --best-per-generation and --serve", "one of them");
  }
  if (!with.is_given("--rate")) refuse_missing("--rate", "requests a second, which every fleet serves");
  const std::vector<fleet_offer> fleets = cheapest_fleets(request, gpus_of(given.gpus));
  if (!std::any_of(fleets.begin(), fleets.end(), [](const fleet_offer& o) { return o.is_possible; })) with.status = 1;
  const std::vector<assumption> assumed = all_assumed(config, assumed_by(request, given.traffic.job));
  answer(with, fleets_view(request, fleets, assumed), [&]() -> ordered_json {
    return {{"schema", json_schema}, {"fleets", fleets}, {"assumed", assumed}};
  });
}

}  // namespace

namespace {

/// What a day of traffic takes of each slice.
void plan_day(model_config config, const plan_options& given, session& with) {
  const asked_serving_plan limits = read_asked(config, given, with);
  if (limits.regions.size() != 1) refuse("--region", "given with --day", "one region, in which the day is paid for");
  need_targets(limits.job.percentiles, "a target by percentile, which the slices of a day have to keep");
  asked_plan_day asked;
  asked.job = limits.job, asked.constants = limits.constants, asked.best = limits.best;
  asked.generations = limits.generations, asked.region = limits.regions.front();
  asked.smallest_chips = limits.smallest_chips, asked.largest_chips = limits.largest_chips;
  asked.accept_uncertain = limits.accept_uncertain, asked.most_plans = limits.most_plans;
  asked.prompts = limits.prompts, asked.outputs = limits.outputs;
  asked.traffic = read_day(given.day, given.of_day, 1000);
  refuse_lengths_of_trace(asked.traffic, asked.job, with);
  loaded_prices prices(given.prices, with);
  const plan_day_document document = answer_to_plan_day(config, asked, prices.book());
  if (document.plans.empty() || !document.plans.front().meets_targets) with.status = 1;
  view shown = view_of(document, view_options_of(with));
  if (!document.plans.empty()) {
    const day_plan_row& best = document.plans.front();
    shown.next.front().command = follow_up(with, "simulate", placed(best.slice, best.mesh, asked.job, with), {});
  }
  answer(with, shown, [&]() -> ordered_json { return document; });
}

}  // namespace

void plan_serving(model_config config, const plan_options& given, const price_book& prices, session& with) {
  if (!given.day.empty()) return plan_day(std::move(config), given, with);
  for (const char* other : {"--mtbp", "--start-up"})
    if (with.is_given(other)) refuse(other, "given with --serve", "one of them, or --day");
  if (any_target(given.traffic.job.percentiles) && !with.is_given("--rate"))
    refuse_missing("--rate",
                   "requests a second, for targets by percentile; simulate holds them for requests in flight");
  const asked_serving_plan asked = read_asked(config, given, with);
  if (given.best_per_chip) return plan_fleets(config, given, request_of(config, asked, prices), with);
  const serving_plan_document document = answer_to_plan_serving(config, asked, prices);
  const serving_request& request = document.request;
  if (!writes_tokens(config.model) && with.is_given("--svg"))
    refuse("--svg", "given for an encoder", "a model that writes tokens");
  if (document.plans.empty()) {
    with.status = 1;
    if (with.is_given("--svg")) refuse("--svg", "given for an answer without plans", "limits that let a plan in");
  }
  view shown = view_of(document, view_options_of(with));
  if (!document.plans.empty()) {
    const serving_plan_row& best = document.plans.front();
    const std::string apart = document.traffic ? std::string() : split_command(best, request, with);
    shown.next.front().command =
        document.traffic ? simulate_command(best, request, with) : serve_command(best.plan, request, with);
    if (!apart.empty())
      shown.next.push_back({"simulate", apart, "does it pay to compute prompts on slices of their own?"});
  }
  answer(with, shown, [&]() -> ordered_json { return document; });
}

}  // namespace cli
