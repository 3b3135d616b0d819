// tpuplan serve
#include <cmath>
#include <memory>
#include <optional>
#include <tpuplan/show/svg/frontier.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <vector>

#include "cli/calibration.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/own_words.hpp"
#include "cli/percentiles.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/serve.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

served ask_serve(model_config& config, const serve_options& given, const price_book& prices, bool weights_given) {
  const traffic_options& traffic = given.traffic;
  const own_constants known =
      load_calibration(given.calibration, calibrated_part::serving, {{}, traffic.constants, {}});
  served a;
  a.asked = {nullptr, given.slice_name, traffic.job, traffic.mesh, known.serving, given.prices.region, nullptr};
  a.where = scheduled_slice(given.slice_name);
  check_arithmetic(a.where.chip, a.asked.job.activations);
  use_stored_format(config, weights_given, a.asked.job);
  a.answer = answer_to_serve(config, a.asked, prices);
  for (const auto& [field, value] : machine_taken(given.slice_name, a.where))
    a.answer.assumed.push_back({field, value, std::string(not_given)});
  return a;
}

/// Prints the command that plans for the same traffic, and what for. What an engine does not run is not planned for it.
void print_plan_next(const served& a, const session& with, std::string_view what_for) {
  if (!job_limit(a.asked.job.engine, a.asked.job).field.empty()) return;
  print_next("{}   {}", follow_up(with, "plan", {{"--serve", ""}}, {"--tensor"}), what_for);
}

void print_too_large(const served& a, const model_config& config, const session& with) {
  const std::int64_t longest = a.answer.largest_context;
  print_title("does not fit: {} on {}", config.model.name.view(), name(a.where).view());
  const serving_memory& m = a.answer.estimate.memory;
  print("  weights take {:.1f} of {:.1f} GiB on each device; ", in_gib(m.weights), in_gib(m.usable));
  if (longest == 0) {
    print("no cache fits beside them\n");
  } else {
    print("the longest context that fits is {} tokens, {} were asked for\n", longest, longest_context(a.asked.job));
  }
  print_plan_next(a, with, "on which slices it fits");
}

void print_above_capacity(const served& a, const model_config& config, const session& with) {
  const double rate = a.asked.job.request_rate.value(), capacity = a.answer.estimate.capacity.value();
  print_title("too many requests: {} on {} serves below {:.4g} a second, {:.4g} were asked for",
              config.model.name.view(), name(a.where).view(), capacity, rate);
  print("  {:.0f} such slices can serve them\n", std::floor(rate / capacity) + 1);
  if (any_target(a.asked.job.percentiles)) print_changes(a.answer.changes, 1);
  print_plan_next(a, with, "how many of which slices serve it for least");
}

void print_below_floor(const served& a, const model_config& config, const session& with) {
  const bool tpot = a.answer.estimate.refusal == serving_refusal::tpot_below_floor;
  print_title("no engine is that fast: {} on {} takes {} {} or more, {} was asked for", config.model.name.view(),
              name(a.where).view(), duration(a.answer.estimate.floor), tpot ? "for each token" : "to the first token",
              duration(tpot ? a.asked.job.tpot_target : a.asked.job.ttft_target));
  print("  most of it goes to {} at peak rates\n", name(a.answer.estimate.floor_limited_by));
  print_plan_next(a, with, "which slices are fast enough");
}

void print_refusal(const served& a, const model_config& config, const session& with) {
  switch (a.answer.estimate.refusal) {
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
  row("pages of the cache", t.step.paging);
  row("dispatch to experts", t.step.dispatch);
  row("collectives", t.step.collectives);
  row("per layer", t.step.latency);
  row("prefill in between", t.prompts);
  row("waiting for the host", t.engine);
  row("total", t.total);
  rows.print();
}

void print_frontier(const served& a) {
  const serving_frontier& points = a.answer.frontier;
  print("\n");
  table rows(">running | >per token | >tokens/s | >per chip");
  for (std::size_t i = 0; i < points.count; ++i) {
    const frontier_point& p = points.points[i];
    const double rate = p.output_tokens.value(), each = rate / static_cast<double>(a.answer.chips);
    rows.add({number_cell("{:.0f}", p.running), p.per_token, cell(count(rate), rate), cell(count(each), each)});
  }
  rows.print();
}

void print_serve(const served& a, const model_config& config) {
  const serving_estimate& e = a.answer.estimate;
  print_title("{} on {}{}, {:.0f} prompt tokens and {:.0f} output tokens", config.model.name.view(),
              e.replicas > 1 ? fmt::format("{} replicas on ", e.replicas) : "", name(a.where).view(),
              a.asked.job.prompt.mean, a.asked.job.output.mean);
  print("  memory {}: {}; {} sequences can run at once{}, {:.1f} do\n", used_of(e.memory.total, e.memory.usable),
        e.fit == verdict::yes ? "fits" : "uncertain", e.largest_running, e.replicas > 1 ? " in each" : "", e.running);
  print("  first token {}{}{}\n", duration(e.first_token),
        e.queue > 1e-3 * e.first_token ? fmt::format(" ({} of it waiting)", duration(e.queue)) : "",
        e.meets_ttft ? "" : ", longer than the target");
  print("  each token  {} (between {} and {}{}){}\n", duration(e.per_token.total), duration(e.per_token.low),
        duration(e.per_token.high), e.per_token.extrapolated ? "; no published run is on such a chip" : "",
        e.meets_tpot ? "" : ", longer than the target");
  print(
      "  {} output tokens/s, {} per chip; {:.2f} requests/s of at most {:.2f}; {:.2f} prefill servers for each "
      "decode server\n\n",
      count(e.output_tokens.value()), count(e.output_tokens.value() / static_cast<double>(chips(a.where))),
      e.requests.value(), e.capacity.value(), e.prefill_servers);
  print_that_means_are_held(a.asked.job);
  if (a.asked.job.ttft_target.value() > 0 || a.asked.job.tpot_target.value() > 0) print("\n");
  print_token(e.per_token);
  if (a.answer.simulated) {
    print("\n");
    print_report(*a.answer.simulated, a.asked.job.percentiles);
    if (!meets(*a.answer.simulated)) print_changes(a.answer.changes, 1);
  }
  print_frontier(a);
}

void print_costs(const served& a, const price_book& book) {
  print("\n");
  table dollars("a million tokens | >input | >output | >all on output | price of");
  std::vector<provisioning> kinds;
  std::vector<price_row> prices;
  for (const token_price& one : a.answer.costs) {
    kinds.push_back(one.provisioning);
    prices.push_back(*find_price(book, a.where, a.asked.region, one.provisioning));
    dollars.add({std::string(name(one.provisioning)), usd{one.input_usd_per_million}, usd{one.output_usd_per_million},
                 marked(usd{one.all_on_output_usd_per_million}, prices.back()), date_cell(prices.back())});
  }
  if (dollars.empty()) return print("  no price for {}\n", a.where.chip.name.view());
  dollars.print();
  print_price_doubts(prices);
  print_price_terms(kinds);
}

void print_serving_advice(const served& a, const session& with) {
  if (a.answer.advice.empty()) return;
  print("\n{}\n", dim("advice, one change at a time"));
  for (const served_change& f : a.answer.advice) {
    print("  {}: {} instead of {} output tokens/s{}, {} per token; {} less chip time a token\n",
          change_in_own_words(*with.asked, f.subject, f.better, f.now), count(f.output_tokens_per_s_then),
          count(f.output_tokens.value()), a.asked.job.request_rate.value() > 0 ? " of capacity" : "",
          duration(f.per_token_then), percent(f.gain));
  }
}

void run_serve(const serve_options& given, session& with) {
  if (any_target(given.traffic.job.percentiles) && !with.is_given("--rate"))
    refuse_missing("--rate", "requests a second, for targets by percentile");
  model_config config = load_model(given.config);
  const loaded_prices prices(given.prices, with);
  check_region(prices.book(), given.prices.region);
  const served a = ask_serve(config, given, prices.book(), with.is_given("--weights"));
  const serving_estimate& e = a.answer.estimate;
  if (e.refusal != serving_refusal::none || !e.meets_ttft || !e.meets_tpot || !a.answer.meets_targets.value_or(true))
    with.status = 1;
  std::optional<gpu_comparison> gpu;
  if (!given.gpu.empty()) gpu = compare_with_gpu(config, a, given, prices.book());
  if (with.is_given("--svg") || (is_reported(with) && e.running > 0)) {
    if (e.running <= 0) refuse("--svg", "given for a slice that serves nothing", "a slice on which the model fits");
    frontier_chart chart;
    chart.title = std::string(config.model.name.view()) + ", throughput and time per token";
    chart.lines.push_back({a.answer.slice + fmt::format(", tensor {}", a.asked.mesh.tensor), a.answer.frontier});
    draw(with, "front", to_svg(chart));
  }
  if (with.json || is_reported(with)) {
    ordered_json document = a.answer;
    if (gpu) document["gpu"] = gpu_document(*gpu);
    write_report(with, report_title(config, a.answer.slice), document);
    if (with.json) return print_json(document);
  }
  if (e.refusal != serving_refusal::none) return print_refusal(a, config, with);
  print_serve(a, config);
  print_costs(a, prices.book());
  print_serving_advice(a, with);
  if (gpu) print_gpu(*gpu, a);
  print_assumed(a.answer.assumed);
  print_plan_next(a, with, "which slices serve it for less?");
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
  added.add("--gpu", options->gpu, "compare with A100-40, A100-80, H100, H200, B200, RTX-PRO-6000 or L4, at peak");
  added.add("--gpus", options->gpus, {1, 1024}, "the fewest of one machine that serve it, if not given")
      .needs({"--gpu"});
  add_calibration_option(added, options->calibration);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [options, &with] { run_serve(*options, with); };
}

}  // namespace cli
