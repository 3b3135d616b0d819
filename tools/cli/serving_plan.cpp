// What tpuplan plan --serve answers.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <tpuplan/plan/cheapest_fleets.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/show/svg/frontier.hpp>
#include <tpuplan/show/text/lost_servers.hpp>
#include <utility>

#include "cli/calibration.hpp"
#include "cli/percentiles.hpp"
#include "cli/plan.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

serving_request make_request(model_config& config, const plan_options& given, const price_book& prices,
                             const session& with) {
  asked_serving_plan asked;
  asked.job = given.traffic.job;
  asked.constants =
      load_calibration(given.job.calibration, calibrated_part::serving, {{}, given.traffic.constants, {}}).serving;
  use_stored_format(config, with.is_given("--weights") || with.is_given("--serving-weights"), asked.job);
  if (with.is_given("--weights")) asked.job.weights = *given.job.weights;
  if (with.is_given("--dtype")) asked.job.activations = given.job.job.compute;
  fill_limits(given, asked);
  if (given.budget) asked.budget = usd_per_hour(given.budget->value());
  asked.most_plans = given.rows.value_or(asked.most_plans);
  return request_of(config, asked, prices);
}

std::string words_of(const serving_plan& p) { return fmt::format("{} x {}", p.slices, name(p.where).view()); }

/// Whether two plans are the same offer under different slice names: equal replicas, chips and price.
bool is_same_offer(const serving_plan& a, const serving_plan& b) {
  return a.where.chip.name == b.where.chip.name && chips(a.where) * a.slices == chips(b.where) * b.slices &&
         a.mesh.tensor == b.mesh.tensor && a.mesh.cache == b.mesh.cache && a.mesh.attention == b.mesh.attention &&
         a.kind == b.kind && a.region == b.region && a.rate == b.rate &&
         a.estimate.per_token.total == b.estimate.per_token.total && a.estimate.first_token == b.estimate.first_token;
}

/// The plans without repetitions of an offer under another slice name, each with all names of its offer.
std::vector<std::pair<std::string, const serving_plan*>> offers_of(const serving_plan_answer& answer) {
  std::vector<std::pair<std::string, const serving_plan*>> offers;
  for (const serving_plan& p : answer.plans) {
    const auto same =
        std::find_if(offers.begin(), offers.end(), [&](const auto& o) { return is_same_offer(*o.second, p); });
    if (same == offers.end()) {
      offers.emplace_back(words_of(p), &p);
    } else {
      same->first += " or " + words_of(p);
    }
  }
  return offers;
}

/// The frontier of each offer, for as many offers as there are distinct colours.
void draw_plans(const serving_request& request, const serving_plan_answer& answer, const session& with) {
  if (answer.plans.empty()) refuse("--svg", "given for an answer without plans", "limits that let a plan in");
  frontier_chart chart;
  chart.title = std::string(request.model.name.view()) + ", throughput and time per token of one slice";
  for (const auto& [words, p] : offers_of(answer)) {
    if (chart.lines.size() == 6) break;
    chart.lines.push_back({fmt::format("{}, tensor {}", name(p->where).view(), p->mesh.tensor),
                           frontier(request.model, request.job, p->mesh, p->where, request.constants)});
  }
  draw(with, "front", to_svg(chart));
}

double tokens_of(const serving_plan& p) { return p.estimate.output_tokens.value() * static_cast<double>(p.slices); }

/// Dollars an hour of all its slices.
cell an_hour(const serving_plan& p) { return marked(cell(usd{in_usd_per_hour(p.rate)}), p.price); }

/// Plans that were simulated show the percentiles that they were asked for.
void print_simulated(const serving_plan_answer& answer, const latency_targets& targets) {
  const auto title = [](const char* words, const latency_target& target) {
    return fmt::format("{} {}", words, words_of_share(target.limit.value() > 0 ? target.share : 0));
  };
  table t("slices | ~~>chips | ~~~replica | >" + title("first", targets.first_token) + " | >" +
          title("token", targets.per_token) + " | " + (targets.end_to_end.limit.value() > 0 ? "" : "~~~") + ">" +
          title("request", targets.end_to_end) +
          " | ~~~>running | ~>busy | >an hour | >million out | ~~~>HBM per device | ~~~paid for as");
  for (const auto& [words, offered] : offers_of(answer)) {
    const serving_plan& p = *offered;
    const simulation_report& r = p.simulated;
    t.add({words, number_cell("{}", chips(p.where) * p.slices), replica_words(p.mesh),
           reached_of(r.first_token.value, targets.first_token), reached_of(r.per_token.value, targets.per_token),
           reached_of(r.end_to_end.value, targets.end_to_end), number_cell("{:.1f}", r.running), share_cell(r.busy),
           an_hour(p), marked(p.cost.all_on_output, p.price),
           used_cell(p.estimate.memory.total, p.estimate.memory.usable),
           fmt::format("{}, {}, {}", name(p.kind), p.region, dated(p.price.date))});
  }
  t.print();
}

/// On how many requests the percentiles of the first plan rest, and at which rate these came.
void print_sample(const serving_plan& best) {
  const double asked = best.share.request_rate.value() / static_cast<double>(best.estimate.replicas);
  print(
      "  each rests on one replica: of the first plan {} requests, which came at {:.4g} a second of {:.4g} asked for\n",
      best.simulated.requests, best.simulated.arrivals.value(), asked);
}

void print_plans(const serving_plan_answer& answer, const latency_targets& targets) {
  if (any_target(targets)) return print_simulated(answer, targets);
  table t(
      "slices | ~~>chips | ~~~replica | ~~~>running | ~>first token | >each token | ~~~>between | ~>tokens/s | >an "
      "hour "
      "| "
      ">million out | ~>HBM per device | ~~paid for as");
  for (const auto& [words, offered] : offers_of(answer)) {
    const serving_plan& p = *offered;
    const serving_estimate& e = p.estimate;
    t.add({words, number_cell("{}", chips(p.where) * p.slices), replica_words(p.mesh), number_cell("{:.1f}", e.running),
           e.first_token, e.per_token.total, range_cell(e.per_token.low, e.per_token.high),
           cell(count(tokens_of(p)), tokens_of(p)), an_hour(p), marked(p.cost.all_on_output, p.price),
           used_cell(e.memory.total, e.memory.usable),
           fmt::format("{}, {}, {}", name(p.kind), p.region, dated(p.price.date))});
  }
  t.print();
}

/// Needed amounts are rounded up, so that the printed amount is enough.
std::string amount_words(const serving_relaxation& r, double amount, bool up) {
  const auto rounded = [&](double unit) { return up ? std::ceil(amount / unit) * unit : amount; };
  switch (r.limit) {
    case plan_limit::tpot:
    case plan_limit::ttft:
    case plan_limit::targets:
    case plan_limit::first_token:
    case plan_limit::per_token:
    case plan_limit::end_to_end: return fmt::format("{:.4g} ms", rounded(1e-4) * 1e3);
    case plan_limit::budget: return fmt::format("${:.2f}/h", rounded(0.01 / 3600) * 3600);
    case plan_limit::chips: return fmt::format("{:.0f}", amount);
    default: break;
  }
  return "";
}

std::string target_words(plan_limit limit, const serving_request& request) {
  const latency_targets& targets = request.job.percentiles;
  switch (limit) {
    case plan_limit::targets: return "both targets, tpot";
    case plan_limit::first_token: return "ttft-" + words_of_share(targets.first_token.share);
    case plan_limit::per_token: return "tpot-" + words_of_share(targets.per_token.share);
    case plan_limit::end_to_end: return "e2e-" + words_of_share(targets.end_to_end.share);
    default: return limit_words(limit, request);
  }
}

void print_relaxed(const serving_request& request, const std::vector<serving_relaxation>& list) {
  if (list.empty()) {
    print("  no single limit, relaxed by itself, lets a plan in: {}\n",
          dim("--serving-weights int8, --kv-dtype fp8, shorter --input-len and --output-len"));
    return;
  }
  print("  what to relax, one limit at a time\n\n");
  table t("limit | is | would have to be | for");
  for (const serving_relaxation& r : list) {
    const serving_plan& p = r.nearest;
    const std::string given = given_words(r.limit, request), needed = needed_words(r.limit, p.kind, p.where);
    t.add({target_words(r.limit, request), given.empty() ? amount_words(r, r.given, false) : given,
           needed.empty() ? amount_words(r, r.needed, true) : needed,
           fmt::format("{}{}, {} a token, {}/h ({})", p.slices > 1 ? fmt::format("{} x ", p.slices) : "",
                       name(p.where).view(), duration(p.estimate.per_token.total), money(usd{in_usd_per_hour(p.rate)}),
                       name(p.kind))});
  }
  t.print();
}

void print_rejected(const serving_request& request, const serving_plan_answer& answer) {
  if (answer.rejected.empty()) return;
  print("\n{}\n", bold("why the other slices lost"));
  table t(">slices | reason | ~the closest");
  for (const readable::lost_servers& lost : readable::by_reason(answer.rejected))
    t.add({number_cell("{}", lost.count), readable::reason(lost.why, request.best), readable::amount(lost.closest)});
  t.print();
}

/// The command that looks at one slice of the plan more closely: with several slices each takes its part of the load.
std::string serve_command(const serving_plan& best, const serving_request& request, const session& with) {
  std::vector<follow_up_option> own = {{"--slice", std::string(name(best.where).view())},
                                       {"--tensor", std::to_string(best.mesh.tensor)}};
  if (best.mesh.cache == cache_sharding::batch) own.emplace_back("--kv-by-batch", "");
  if (best.mesh.attention > 0) own.emplace_back("--attention-group", std::to_string(best.mesh.attention));
  if (best.mesh.weights == weight_sharding::two_dimensions) own.emplace_back("--mlp-sharding", "2d");
  if (best.mesh.weights == weight_sharding::gathered) own.emplace_back("--mlp-sharding", "gathered");
  if (best.share.request_rate.value() > 0)  // the fewest digits that are this rate: 0.005
    own.emplace_back("--rate", fmt::format("{}", best.share.request_rate.value()));
  if (best.share.concurrency > 0) own.emplace_back("--concurrency", std::to_string(best.share.concurrency));
  if (with.is_given("--serving-weights")) own.emplace_back("--weights", std::string(name(request.job.weights)));
  if (best.region != "us") own.emplace_back("--region", best.region);
  return follow_up(with, "serve", own, {"--region"});
}

void print_answer(const serving_request& request, const serving_plan_answer& answer, const model_config& config,
                  const session& with) {
  const serving_job& job = request.job;
  print_title("{}: prompts of {:.0f} and outputs of {:.0f} tokens{}{}", config.model.name.view(), job.prompt.mean,
              job.output.mean,
              job.request_rate.value() > 0
                  ? ", " + counted(fmt::format("{}", job.request_rate.value()), "request") + " a second"
                  : "",
              job.concurrency > 0 ? fmt::format(", {} at once", job.concurrency) : "");
  if (answer.plans.empty()) {
    print("  no slice does it within these limits\n");
    print_relaxed(request, relaxations(request));
    if (any_target(request.job.percentiles)) print_changes(rows_of(changes_that_help(request)), 0);
  } else {
    print_that_means_are_held(job);
    const std::string targets = words_of_targets(job.percentiles);
    print("  {} first{}\n\n", name(request.best), targets.empty() ? "" : "; " + targets + ", simulated");
    print_plans(answer, job.percentiles);
    if (!targets.empty()) print_sample(answer.plans.front());
    std::vector<price_row> prices;
    std::vector<provisioning> kinds;
    for (const serving_plan& p : answer.plans) {
      prices.push_back(p.price);
      kinds.push_back(p.kind);
    }
    print("  prices of {}\n", dates_of(prices));
    print_price_doubts(prices);
    print_price_terms(kinds);
  }
  print_rejected(request, answer);
  print_assumed(all_assumed(config, assumed_by(request)));
  if (answer.plans.empty()) return;
  const serving_plan& best = answer.plans.front();
  if (best.slices > 1) print("\n  each of the {} slices takes its part of the requests\n", best.slices);
  print_next("{}   its breakdown and frontier", serve_command(best, request, with));
}

std::vector<gpu_offer> gpus_of(const std::vector<std::string>& given) {
  std::vector<gpu_offer> offers;
  for (const std::string& one : given) {
    if (one == "all") return {std::begin(gpu_offers), std::end(gpu_offers)};
    offers.push_back(gpu_for(one));
  }
  return offers;
}

void print_fleets(const serving_request& request, const std::vector<fleet_offer>& fleets, const model_config& config) {
  const serving_job& job = request.job;
  const latency_targets& targets = job.percentiles;
  print_title("{}: the cheapest fleet of each kind for {} a second, {:.0f} tokens in and {:.0f} out",
              config.model.name.view(), counted(fmt::format("{:g}", job.request_rate.value()), "request"),
              job.prompt.mean, job.output.mean);
  if (any_target(targets)) print("  {}, simulated\n", words_of_targets(targets));
  print_that_means_are_held(job);
  const auto title = [&](const char* words, const latency_target& target) {
    return fmt::format("{} {}", words, words_of_share(target.limit.value() > 0 ? target.share : 0));
  };
  print("\n");
  table t("fleet | ~~>chips | ~~~replica | >" + title("first", targets.first_token) + " | >" +
          title("token", targets.per_token) +
          " | ~>up to | >spare | >an hour | >M in | >M out | ~~rates | ~~~price of");
  std::vector<price_row> prices;
  for (const fleet_offer& one : fleets) {
    if (!one.is_possible) continue;
    const serving_plan& p = one.planned;
    const seconds first =
        any_target(targets) ? reached_of(p.simulated.first_token.value, targets.first_token) : p.estimate.first_token;
    const seconds token =
        any_target(targets) ? reached_of(p.simulated.per_token.value, targets.per_token) : p.estimate.per_token.total;
    const double spare = one.capacity / job.request_rate - 1;
    const auto chip_count = chips(p.where) * p.slices;
    t.add({one.at_peak ? fmt::format("{} x {} {} *", p.slices, chips(p.where), one.hardware.view()) : words_of(p),
           number_cell("{}", chip_count),
           replica_words(p.mesh),
           first,
           token,
           {fmt::format("{:.4g}/s", one.capacity.value()), one.capacity.value()},
           share_cell(spare),
           one.at_peak ? cell(usd{in_usd_per_hour(p.rate)}) : an_hour(p),
           p.cost.input,
           p.cost.output,
           one.at_peak ? "peak" : "fitted",
           date_cell(p.price)});
    if (!one.at_peak) prices.push_back(p.price);
  }
  if (!t.empty()) t.print();
  print_price_doubts(prices);
  if (std::any_of(fleets.begin(), fleets.end(), [](const fleet_offer& o) { return o.at_peak && o.is_possible; }))
    print("  * at peak rates of arithmetic and memory, links for nothing: a bound that no run calibrates\n");
  bool any = false;
  for (const fleet_offer& one : fleets) {
    if (one.is_possible) continue;
    print("{}  {}: {}\n", std::exchange(any, true) ? "" : "\n", one.hardware.view(), readable::reason(one.why));
  }
}

/// The table that compares the cheapest fleets.
void plan_fleets(const model_config& config, const plan_options& given, const serving_request& request, session& with) {
  for (const char* other : {"--rows", "--objective", "--svg", "--html"}) {
    if (with.is_given(other)) refuse(other, "given with --best-per-generation and --serve", "one of them");
  }
  if (!with.is_given("--rate")) refuse_missing("--rate", "requests a second, which every fleet serves");
  const std::vector<fleet_offer> fleets = cheapest_fleets(request, gpus_of(given.gpus));
  if (!std::any_of(fleets.begin(), fleets.end(), [](const fleet_offer& o) { return o.is_possible; })) with.status = 1;
  if (with.json)
    return print_json(
        {{"schema", json_schema}, {"fleets", fleets}, {"assumed", all_assumed(config, assumed_by(request))}});
  print_fleets(request, fleets, config);
  print_assumed(all_assumed(config, assumed_by(request)));
}

}  // namespace

void plan_serving(model_config config, const plan_options& given, const price_book& prices, session& with) {
  if (any_target(given.traffic.job.percentiles) && !with.is_given("--rate"))
    refuse_missing("--rate", "requests a second, for targets by percentile");
  const serving_request request = make_request(config, given, prices, with);
  if (given.best_per_chip) return plan_fleets(config, given, request, with);
  const serving_plan_answer answer = plan_serving(request);
  if (answer.plans.empty()) with.status = 1;
  if (with.is_given("--svg") || (is_reported(with) && !answer.plans.empty())) draw_plans(request, answer, with);
  if (with.json || is_reported(with)) {
    const ordered_json document = document_of(request, answer, all_assumed(config, assumed_by(request)));
    write_report(with, "where to serve " + std::string(config.model.name.view()), document);
    if (with.json) return print_json(document);
  }
  print_answer(request, answer, config, with);
}

}  // namespace cli
