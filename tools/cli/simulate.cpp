// tpuplan simulate
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/read/traces.hpp>
#include <vector>

#include "cli/calibration.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/percentiles.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "cli/traffic.hpp"

namespace cli {

using namespace tpuplan;

namespace {

struct simulate_options {
  std::string config, slice_name, trace, day, calibration;
  traffic_options traffic;
  price_options prices;
  scaling_rule scaling;
  seconds between = spot_terms{}.mean_time_between_preemptions;
  std::int64_t slices = 1, requests = 0, seed = 1;
  double variation = 1;
  bool alone = false;
};

std::string fleet_words(const serving_fleet& fleet) {
  return fmt::format("{}{}", fleet.slices > 1 ? fmt::format("{} x ", fleet.slices) : "", name(fleet.where).view());
}

std::string traffic_words(const simulate_options& given, const simulate_answer& a) {
  if (!given.trace.empty())
    return counted(fmt::format("{:.4g}", a.job.request_rate.value()), "request") + " a second of a trace";
  return fmt::format("{} a second {}", counted(fmt::format("{:.4g}", a.job.request_rate.value()), "request"),
                     given.variation == 0   ? "at a constant rate"
                     : given.variation == 1 ? "at random"
                                            : fmt::format("with a variation of {:g}", given.variation));
}

void print_answer(const model_config& config, const simulate_options& given, const simulate_answer& a) {
  print_title("{} on {}, {}, {:.0f} prompt tokens and {:.0f} output tokens", config.model.name.view(),
              fleet_words(a.fleet), traffic_words(given, a), a.job.prompt.mean, a.job.output.mean);
  print(
      "  {}, {}; {} counted, after the first tenth\n\n", counted(a.replicas, "replica"),
      a.simulated_replicas == a.replicas ? "to which requests go in turn" : "of which one is simulated with its share",
      counted(a.report.requests, "request"));
  print_report(a.report, a.targets);
  const simulation_report& r = a.report;
  const double all = static_cast<double>(a.replicas) / static_cast<double>(a.simulated_replicas);
  const double came = r.arrivals.value() * all, wanted = a.job.request_rate.value();
  print("\n  {} of the requests keep every limit: {:.4g} of {:.4g} requests/s\n", percent(r.good_share),
        r.goodput.value() * all, came);
  if (given.trace.empty() && std::abs(came / wanted - 1) > 0.01)
    print("  by chance {:.4g} requests/s came where {:.4g} were asked for; --requests draws more\n", came, wanted);
  print("  {} output tokens/s; {} of the {:.4g} requests/s that {} can serve\n", count(r.output_tokens.value() * all),
        percent(came / a.capacity.value()), a.capacity.value(), fleet_words(a.fleet));
  print("  a replica has some request {} of the time, runs {:.1f} sequences, fills {} of its cache\n", percent(r.busy),
        r.running, percent(r.cache));
  if (r.preemptions > 0)
    print("  {} lost their keys and values and were computed again\n", counted(r.preemptions, "sequence"));
  if (a.price) {
    const double hour = in_usd_per_hour(a.price->per_chip) * static_cast<double>(chips(a.fleet.where) * a.fleet.slices);
    print("  {} an hour on demand in {}, {} for a million output tokens (price of {})\n", money(usd{hour}),
          given.prices.region, money(usd{hour / 3600 / (r.output_tokens.value() * all) * 1e6}), dated(a.price->date));
    print_price_doubts({*a.price});
  }
  if (!meets(r) && given.trace.empty()) print_changes(a.changes, a.fleet.slices);
}

void simulate_traffic(const model_config& config, const simulate_options& given, const price_book& prices,
                      session& with) {
  const traffic_options& traffic = given.traffic;
  simulate_request asked;
  asked.slice = given.slice_name;
  asked.slices = given.slices;
  asked.job = traffic.job;
  asked.mesh = traffic.mesh;
  asked.constants = traffic.constants;
  asked.prefill = given.alone ? prefill_policy::alone : prefill_policy::mixed;
  asked.variation = given.variation;
  asked.requests = given.requests;
  asked.seed = given.seed;
  asked.region = given.prices.region;
  if (!given.trace.empty()) {
    asked.trace = load_trace(given.trace);
  } else {
    asked.prompts = traffic.prompt_lengths;
    asked.outputs = traffic.output_lengths;
    asked.load = is_drawn(with);
  }
  const simulate_answer a = answer_to_simulate(config, asked, prices);
  if (!a.meets_targets) with.status = 1;
  if (!a.load.empty())
    draw(with, "load",
         to_svg(latency_chart{fmt::format("{} on {}", config.model.name.view(), fleet_words(a.fleet)), a.load,
                              a.targets}));
  if (with.json || is_reported(with)) {
    const ordered_json document = a;
    write_report(with, report_title(config, fleet_words(a.fleet)), document);
    if (with.json) return print_json(document);
  }
  print_answer(config, given, a);
  print_assumed(a.assumed);
}

// A day of traffic.

/// Whether the targets are kept, and in how many parts of the day they are not.
std::string kept_words(const day_option& option, const latency_targets& targets) {
  if (!option.meets_targets) return "missed";
  const latency_target& first = targets.first_token;
  if (first.limit.value() <= 0 || first.share <= 0) return "kept";
  const auto reached = [&](const time_percentiles& t) {
    return first.share > 0.95 ? t.p99 : first.share > 0.9 ? t.p95 : first.share > 0.5 ? t.p90 : t.p50;
  };
  const auto missed = std::count_if(option.parts.begin(), option.parts.end(),
                                    [&](const day_part& part) { return reached(part.first) > first.limit; });
  return missed == 0 ? "kept" : fmt::format("kept over the day, missed in {}", counted(missed, "part"));
}

std::string mix_words(const payment_mix& mix) {
  const char* how = mix.follows ? ", following" : ", fixed";
  if (mix.base == 0) return fmt::format("{}{}", name(mix.kind), how);
  if (!mix.follows) return fmt::format("{}, fixed", name(mix.base_kind));
  return fmt::format("{} x {} + {}{}", mix.base, name(mix.base_kind), name(mix.kind), how);
}

day_request make_day(const model_config& config, const simulate_options& given, const price_book& prices) {
  day_request request;
  request.model = config.model;
  request.job = given.traffic.job;
  request.fleet = {given.traffic.mesh, scheduled_slice(given.slice_name), 1,
                   given.alone ? prefill_policy::alone : prefill_policy::mixed};
  request.day = load_day(given.day);
  request.scaling = given.scaling;
  request.variation = given.variation;
  request.prices = prices;
  request.region = text<32>{given.prices.region};
  request.between = given.between;
  request.seed = given.seed;
  request.constants = given.traffic.constants;
  return request;
}

void print_day(const model_config& config, const day_request& request, const day_answer& answer) {
  print_title("{} on slices of {}, {:.0f} requests in {}", config.model.name.view(), name(request.fleet.where).view(),
              requests_of(request.day), duration(request.day.part * static_cast<double>(request.day.rates.size())));
  print("  {}\n", words_of_targets(request.job.percentiles));
  if (answer.options.empty()) return print("  no rate keeps them on a slice, or the slice has no price\n");
  print("  a slice keeps them up to {:.4g} requests/s: {} for the busiest part\n\n", answer.slice_rate.value(),
        counted(answer.fixed, "slice"));
  table ways("paid for as | ~>at most | ~~>slice-hours | >first p99 | ~>worst part | ~~>token p95 | >cost | targets");
  for (const day_option& o : answer.options) {
    if (o.parts.empty()) {
      ways.add({mix_words(o.mix),
                number_cell("{}", o.most_slices),
                {count(o.slice_hours), o.slice_hours},
                "",
                "",
                "",
                o.cost,
                "not simulated"});
      continue;
    }
    seconds worst{0};
    for (const day_part& part : o.parts) worst = max(worst, part.first.p99);
    ways.add({mix_words(o.mix),
              number_cell("{}", o.most_slices),
              {count(o.slice_hours), o.slice_hours},
              o.first_token.p99,
              worst,
              o.per_token.p95,
              o.cost,
              kept_words(o, request.job.percentiles)});
  }
  ways.print();
  if (answer.options.back().parts.empty())
    print("  not simulated: the cheaper ones took as much time as one answer may\n");
  const day_option& best = answer.options.front();
  print("\n  {}\n\n", mix_words(best.mix));
  table parts("from | >requests/s | >slices | >first p50 | >first p99 | >token p95");
  for (const day_part& p : best.parts)
    parts.add({p.start,
               {fmt::format("{:.4g}", p.rate.value()), p.rate.value()},
               {fmt::format("{:.1f}", p.slices), p.slices},
               p.first.p50,
               p.first.p99,
               p.token.p95});
  parts.print();
}

void simulate_day(const model_config& config, const simulate_options& given, const price_book& prices, session& with) {
  need_targets(given.traffic.job.percentiles, "a target by percentile, which the slices of a day have to keep");
  const day_request request = make_day(config, given, prices);
  const day_answer answer = plan_day(request);
  if (answer.options.empty() || !answer.options.front().meets_targets) with.status = 1;
  if (with.is_given("--svg") || (is_reported(with) && !answer.options.empty())) {
    if (answer.options.empty()) refuse("--svg", "given for a day without an answer", "targets that a slice keeps");
    draw(with, "day",
         to_svg(day_chart{fmt::format("{} on {}, {}", config.model.name.view(), name(request.fleet.where).view(),
                                      mix_words(answer.options.front().mix)),
                          answer.options.front().parts, request.job.percentiles}));
  }
  if (with.json || is_reported(with)) {
    const ordered_json document = {
        {"schema", json_schema},
        {"answer", answer},
        {"assumed", all_assumed(config, assumed_engine(given.traffic.job.engine, config.model))}};
    write_report(with, report_title(config, name(request.fleet.where).view()), document);
    if (with.json) return print_json(document);
  }
  print_day(config, request, answer);
  print_assumed(all_assumed(config, assumed_engine(given.traffic.job.engine, config.model)));
}

void run_simulate(simulate_options given, session& with) {
  if (given.day.empty() && given.trace.empty() && !with.is_given("--rate"))
    refuse_missing("--rate", "requests a second, or --trace, or --day");
  model_config config = load_model(given.config);
  check_arithmetic(scheduled_slice(given.slice_name).chip, given.traffic.job.activations);
  use_stored_format(config, with.is_given("--weights"), given.traffic.job);
  const own_constants usual{{}, given.traffic.constants, {}};
  const own_constants known = load_calibration(given.calibration, calibrated_part::serving, usual);
  given.traffic.constants = known.serving;
  const loaded_prices prices(given.prices, with);
  check_region(prices.book(), given.prices.region);
  if (!given.day.empty()) return simulate_day(config, given, prices.book(), with);
  simulate_traffic(config, given, prices.book(), with);
}

void add_day_options(command& to, simulate_options& into) {
  to.add("--day", into.day, "a file hour,requests_per_s: slices over a day, fixed and following, and what they cost")
      .excludes({"--rate", "--trace", "--slices", "--requests"});
  to.add("--start-up", into.scaling.start_up, {0, 86400}, "from ordering a slice until it serves")
      .usually("10min")
      .needs({"--day"});
  to.add("--headroom", into.scaling.headroom, {0, 10}, "slices beyond those that the rate needs, as a share of them")
      .usually("0.25")
      .needs({"--day"});
  to.add("--floor", into.scaling.floor, {1, 1e6}, "slices that are always kept").usually("1").needs({"--day"});
  to.add("--mtbp", into.between, {60, 3.2e8}, "mean time between preemptions of one slice on spot")
      .usually("4h")
      .needs({"--day"});
}

}  // namespace

void add_simulate_command(session& with) {
  command& added =
      with.commands.emplace_back("simulate", "percentiles of a serving fleet under traffic, and a day of it");
  const auto options = std::make_shared<simulate_options>();
  add_config_option(added, options->config);
  added.add("--slice", options->slice_name, "v6e-8, v5e-16, v5p-8 …").required();
  added.add("--slices", options->slices, {1, 1e5}, "which share the traffic").usually("1");
  add_length_options(added, options->traffic);
  added.add("--rate", options->traffic.job.request_rate, "requests a second to all slices");
  added
      .add("--variation", options->variation, {0, 20},
           "standard deviation over mean of the time between arrivals: 0 constant, 1 Poisson, more bursts")
      .usually("1")
      .excludes({"--trace"});
  added.add("--trace", options->trace, "a CSV file TIMESTAMP,ContextTokens,GeneratedTokens, as Azure publishes them")
      .excludes({"--rate", "--input-len", "--output-len", "--svg"});
  added.add("--requests", options->requests, {200, 1e7}, "drawn for the replica that is simulated")
      .usually("2000, fewer of more than 4096 output tokens")
      .excludes({"--trace"});
  added.add("--seed", options->seed, {1, 9e15}, "of the random numbers").usually("1").excludes({"--trace"});
  added.flag("--alone", options->alone, "prompts are computed in steps of their own, in which nothing decodes");
  add_percentile_options(added, options->traffic.job.percentiles);
  add_day_options(added, *options);
  add_format_options(added, options->traffic);
  add_engine_options(added, options->traffic);
  add_calibration_option(added, options->calibration);
  add_price_options(added, options->prices);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [options, &with] { run_simulate(*options, with); };
}

}  // namespace cli
