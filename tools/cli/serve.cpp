// tpuplan serve
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/io/json.hpp>
#include <tpuplan/io/svg/frontier.hpp>
#include <tpuplan/io/text/one_line.hpp>
#include <vector>

#include "cli/calibration.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/percentiles.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/serve.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// Simulates a replica with its share of the requests. Where it misses targets, so that the slice cannot do what was
/// asked: what would keep them.
void hold_percentiles(serve_answer& a, const model_config& config) {
  const serving_fleet fleet{a.mesh, a.where};
  const auto report = [&](const serving_job& job) -> std::optional<simulation_report> {
    if (serve(config.model, job, a.mesh, a.where, a.constants).refusal != serving_refusal::none) return {};
    simulated_traffic traffic = traffic_of(job, planning_requests);
    traffic.rate = traffic.rate / static_cast<double>(replicas_of(fleet));
    return report_of(simulate_fleet(config.model, job, fleet, 1, requests_of(traffic), a.constants), a.targets);
  };
  a.simulated = report(a.job);
  if (a.simulated ? meets(*a.simulated) : a.estimate.refusal != serving_refusal::rate_above_capacity) return;
  a.changes = changes_that_help(a.job, [&](const serving_job& job) {
    const std::optional<simulation_report> changed = report(job);
    return changed && meets(*changed);
  });
}

serve_answer ask_serve(model_config& config, const serve_options& given, bool weights_given) {
  const traffic_options& asked = given.traffic;
  const own_constants known = load_calibration(given.calibration, calibrated_part::serving, {{}, asked.constants, {}});
  serve_answer a{scheduled_slice(given.slice_name), asked.job, asked.mesh, known.serving, {}, asked.job.percentiles};
  check_arithmetic(a.where.chip, a.job.activations);
  use_stored_format(config, weights_given, a.job);
  a.job.percentiles = {};
  a.estimate = serve(config.model, a.job, a.mesh, a.where, a.constants);
  if (any_target(a.targets)) hold_percentiles(a, config);
  return a;
}

/// Tokens at a price.
struct priced_tokens {
  provisioning kind = provisioning::on_demand;
  serving_cost cost;
  price_row price;
};

std::vector<priced_tokens> priced(const serve_answer& a, const price_book& book, const std::string& region) {
  std::vector<priced_tokens> list;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, a.where, region, kind);
    if (!price || a.estimate.running <= 0) continue;
    list.push_back({kind, cost_of_tokens(a.estimate, a.where, *price), *price});
  }
  return list;
}

ordered_json json_of(const std::vector<priced_tokens>& costs) {
  ordered_json list = ordered_json::array();
  for (const priced_tokens& one : costs) {
    list.push_back({{"provisioning", name(one.kind)},
                    {"price_date", one.price.date.view()},
                    {"price_grade", std::string(1, one.price.grade)},
                    {"usd_per_hour", one.cost.rate.value() * 3600},
                    {"input_usd_per_million", one.cost.input.value()},
                    {"output_usd_per_million", one.cost.output.value()},
                    {"all_on_output_usd_per_million", one.cost.all_on_output.value()}});
  }
  return list;
}

ordered_json json_of(const serving_findings& advice) {
  ordered_json list = ordered_json::array();
  for (const serving_finding& f : advice) {
    list.push_back({{"kind", name(f.kind)},
                    {"subject", f.subject.view()},
                    {"now", f.now.view()},
                    {"better", f.better.view()},
                    {"output_tokens_per_s", f.rate_now.value()},
                    {"output_tokens_per_s_then", f.rate_then.value()},
                    {"gain", f.gain}});
  }
  return list;
}

ordered_json serve_document(const serve_answer& a, const model_config& config, const std::vector<priced_tokens>& costs,
                            const assumed_values& assumed) {
  ordered_json document = {{"fits", name(a.estimate.fit)},
                           {"estimate", a.estimate},
                           {"slice", name(a.where).view()},
                           {"chips", chips(a.where)}};
  document["largest_context"] = largest_serving_context(config.model, a.job, a.mesh, a.where);
  if (a.estimate.running > 0)
    document["output_tokens_per_s_per_chip"] = a.estimate.output_tokens.value() / static_cast<double>(chips(a.where));
  document["costs"] = json_of(costs);
  document["frontier"] = frontier(config.model, a.job, a.mesh, a.where, a.constants);
  document["advice"] = json_of(serving_advice(config.model, a.job, a.mesh, a.where, a.constants));
  if (any_target(a.targets)) {
    document["targets"] = a.targets;
    document["simulated"] = or_null(a.simulated);
    document["meets_targets"] = a.simulated && meets(*a.simulated);
    document["changes"] = json_of_changes(a.changes);
  }
  document["assumed"] = json_of_assumed(config, assumed);
  return document;
}

/// The command that plans for the same traffic.
std::string plan_command(const session& with, const std::vector<follow_up_option>& further = {}) {
  std::vector<follow_up_option> own = {{"--serve", ""}};
  own.insert(own.end(), further.begin(), further.end());
  return follow_up(with, "plan", own, {"--tensor"});
}

void print_too_large(const serve_answer& a, const model_config& config, const session& with) {
  const std::int64_t longest = largest_serving_context(config.model, a.job, a.mesh, a.where);
  print_title("does not fit: {} on {}", config.model.name.view(), name(a.where).view());
  const serving_memory& m = a.estimate.memory;
  print("  weights take {:.1f} of {:.1f} GiB on each device; ", in_gib(m.weights), in_gib(m.usable));
  if (longest == 0) {
    print("no cache fits beside them\n");
  } else {
    print("the longest context that fits is {} tokens, {} were asked for\n", longest, longest_context(a.job));
  }
  print_next("{}   on which slices it fits", plan_command(with));
}

void print_above_capacity(const serve_answer& a, const model_config& config, const session& with) {
  const double rate = a.job.request_rate.value(), capacity = a.estimate.capacity.value();
  print_title("too many requests: {} on {} serves below {:.4g} a second, {:.4g} were asked for",
              config.model.name.view(), name(a.where).view(), capacity, rate);
  print("  {:.0f} such slices can serve them\n", std::floor(rate / capacity) + 1);
  if (any_target(a.targets)) print_changes(a.changes, 1);
  print_next("{}   how many of which slices serve it for least", plan_command(with));
}

void print_below_floor(const serve_answer& a, const model_config& config, const session& with) {
  const bool tpot = a.estimate.refusal == serving_refusal::tpot_below_floor;
  print_title("no engine is that fast: {} on {} takes {} {} or more, {} was asked for", config.model.name.view(),
              name(a.where).view(), duration(a.estimate.floor), tpot ? "for each token" : "to the first token",
              duration(tpot ? a.job.tpot_target : a.job.ttft_target));
  print("  most of it goes to {} at peak rates\n", name(a.estimate.floor_limited_by));
  print_next("{}   which slices are fast enough", plan_command(with));
}

void print_refusal(const serve_answer& a, const model_config& config, const session& with) {
  switch (a.estimate.refusal) {
    case serving_refusal::none: return;
    case serving_refusal::does_not_fit: return print_too_large(a, config, with);
    case serving_refusal::rate_above_capacity: return print_above_capacity(a, config, with);
    case serving_refusal::tpot_below_floor:
    case serving_refusal::ttft_below_floor: return print_below_floor(a, config, with);
  }
}

void print_token(const token_time& t) {
  table rows("part of a token's time | >time | >share");
  const auto row = [&](const char* label, seconds time) {
    if (time.value() > 0) rows.add({label, time, share_cell(time / t.total)});
  };
  const bool by_products = t.step.products > t.step.weights;
  row(by_products ? "products" : "reading weights", max(t.step.products, t.step.weights));
  row("reading keys and values", t.step.cache);
  row("sequences in pages", t.step.paging);
  row("dispatch to experts", t.step.dispatch);
  row("collectives", t.step.collectives);
  row("per layer", t.step.latency);
  row("prompts in between", t.prompts);
  row("waiting for the host", t.engine);
  row("total", t.total);
  rows.print();
}

void print_frontier(const serve_answer& a, const model_config& config) {
  const serving_frontier points = frontier(config.model, a.job, a.mesh, a.where, a.constants);
  print("\n");
  table rows(">running | >per token | >tokens/s | >per chip");
  for (std::size_t i = 0; i < points.count; ++i) {
    const frontier_point& p = points.points[i];
    const double rate = p.output_tokens.value(), each = rate / static_cast<double>(chips(a.where));
    rows.add({number_cell("{:.0f}", p.running), p.per_token, cell(count(rate), rate), cell(count(each), each)});
  }
  rows.print();
}

void print_serve(const serve_answer& a, const model_config& config) {
  const serving_estimate& e = a.estimate;
  print_title("{} on {}{}, {:.0f} prompt tokens and {:.0f} output tokens", config.model.name.view(),
              e.replicas > 1 ? fmt::format("{} replicas on ", e.replicas) : "", name(a.where).view(), a.job.prompt.mean,
              a.job.output.mean);
  print("  memory {}: {}; {} sequences can run at once{}, {:.1f} do\n", used_of(e.memory.total, e.memory.usable),
        e.fit == verdict::yes ? "fits" : "uncertain", e.largest_running, e.replicas > 1 ? " in each" : "", e.running);
  print("  first token {}{}{}\n", duration(e.first_token),
        e.queue.value() > 0 ? fmt::format(" ({} of it waiting)", duration(e.queue)) : "",
        e.meets_ttft ? "" : ", later than the target");
  print("  each token  {} (between {} and {}{}){}\n", duration(e.per_token.total), duration(e.per_token.low),
        duration(e.per_token.high), e.per_token.extrapolated ? "; no published run is on such a chip" : "",
        e.meets_tpot ? "" : ", slower than the target");
  print(
      "  {} output tokens/s, {} per chip; {:.2f} requests/s of at most {:.2f}; {:.2f} prefill servers for each "
      "decode server\n\n",
      count(e.output_tokens.value()), count(e.output_tokens.value() / static_cast<double>(chips(a.where))),
      e.requests.value(), e.capacity.value(), e.prefill_servers);
  print_that_means_are_held(a.job);
  if (a.job.ttft_target.value() > 0 || a.job.tpot_target.value() > 0) print("\n");
  print_token(e.per_token);
  if (a.simulated) {
    print("\n");
    print_report(*a.simulated, a.targets);
    if (!meets(*a.simulated)) print_changes(a.changes, 1);
  }
  print_frontier(a, config);
}

void print_costs(const serve_answer& a, const std::vector<priced_tokens>& costs) {
  print("\n");
  table dollars("a million tokens | >input | >output | >all on output | price of");
  std::vector<provisioning> kinds;
  std::vector<price_row> prices;
  for (const priced_tokens& one : costs) {
    kinds.push_back(one.kind);
    prices.push_back(one.price);
    dollars.add({std::string(name(one.kind)), one.cost.input, one.cost.output,
                 marked(one.cost.all_on_output, one.price), date_cell(one.price)});
  }
  if (dollars.empty()) return print("  no price for {}\n", a.where.chip.name.view());
  dollars.print();
  print_price_doubts(prices);
  print_price_terms(kinds);
}

void print_serving_advice(const serve_answer& a, const model_config& config) {
  const serving_findings advice = serving_advice(config.model, a.job, a.mesh, a.where, a.constants);
  if (advice.count == 0) return;
  print("\n{}\n", dim("advice, one change at a time"));
  for (const serving_finding& f : advice) {
    print("  {} {} instead of {}: {} instead of {} output tokens/s{}, {} per token; {} less chip time a token\n",
          f.subject.view(), f.better.view(), f.now.view(), count(f.rate_then.value()), count(f.rate_now.value()),
          a.job.request_rate.value() > 0 ? " of capacity" : "", duration(f.per_token_then), percent(f.gain));
  }
}

void run_serve(const serve_options& given, session& with) {
  if (any_target(given.traffic.job.percentiles) && !with.is_given("--rate"))
    refuse_missing("--rate", "requests a second, for targets by percentile");
  model_config config = load_model(given.config);
  const serve_answer a = ask_serve(config, given, with.is_given("--weights"));
  const bool misses = !a.estimate.meets_ttft || !a.estimate.meets_tpot;
  if (a.estimate.refusal != serving_refusal::none || misses || (a.simulated && !meets(*a.simulated))) with.status = 1;
  const loaded_prices prices(given.prices, with);
  check_region(prices.book(), given.prices.region);
  const std::vector<priced_tokens> costs = priced(a, prices.book(), given.prices.region);
  std::optional<gpu_comparison> gpu;
  if (!given.gpu.empty()) gpu = compare_with_gpu(config, a, given, prices.book());
  if (with.is_given("--svg") || (is_reported(with) && a.estimate.running > 0)) {
    if (a.estimate.running <= 0)
      refuse("--svg", "given for a slice that serves nothing", "a slice on which the model fits");
    frontier_chart chart;
    chart.title = std::string(config.model.name.view()) + ", throughput and time per token";
    chart.lines.push_back({std::string(name(a.where).view()) + fmt::format(", tensor {}", a.mesh.tensor),
                           frontier(config.model, a.job, a.mesh, a.where, a.constants)});
    draw(with, "front", to_svg(chart));
  }
  assumed_values assumed = assumed_of(a.job);
  for (const auto& each : machine_taken(given.slice_name, a.where)) assumed.push_back(each);
  if (with.json || is_reported(with)) {
    ordered_json document = serve_document(a, config, costs, assumed);
    if (gpu) document["gpu"] = gpu_document(*gpu);
    write_report(with, report_title(config, name(a.where).view()), document);
    if (with.json) return print_json(document);
  }
  if (a.estimate.refusal != serving_refusal::none) return print_refusal(a, config, with);
  print_serve(a, config);
  print_costs(a, costs);
  print_serving_advice(a, config);
  if (gpu) print_gpu(*gpu, a);
  print_assumed(config, assumed);
  print_next("{}   which slices serve it for less?", plan_command(with));
}

}  // namespace

void add_serve_command(session& with) {
  command& added =
      with.commands.emplace_back("serve", "first token, each token, throughput, dollars per million tokens");
  const auto options = std::make_shared<serve_options>();
  add_config_option(added, options->config);
  added.add("--slice", options->slice_name, "v6e-8, v5e-16, v5p-8 …").required();
  add_traffic_options(added, options->traffic);
  add_format_options(added, options->traffic);
  add_engine_options(added, options->traffic);
  add_price_options(added, options->prices);
  added.add("--gpu", options->gpu, "hold it against A100-40, A100-80, H100, H200, B200, RTX-PRO-6000 or L4, at peak");
  added.add("--gpus", options->gpus, {1, 1024}, "the fewest of one machine that serve it, if not given")
      .needs({"--gpu"});
  add_calibration_option(added, options->calibration);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [options, &with] { run_serve(*options, with); };
}

}  // namespace cli
