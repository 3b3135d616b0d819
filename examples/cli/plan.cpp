// tpuplan plan
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tpuplan/io/price_file.hpp>
#include <tpuplan/plan/planner.hpp>

#include "cli/commands.hpp"
#include "cli/format.hpp"
#include "cli/job.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct plan_options {
  job_options job;
  std::string tokens, deadline, budget, best = "cheapest", ranked_by = "on_demand", region = "us", prices;
  std::string between = "4h";
  std::vector<std::string> generations;
  std::string smallest_chips, largest_chips;
  std::size_t rows = 8;
  bool accept_uncertain = false;
};

plan_request make_request(const plan_options& given, const transformer& model, assumed_values& assumed) {
  plan_request request;
  request.model = model;
  request.job = make_job(given.job, model, assumed);
  request.fixed_remat = !given.job.remat.empty();
  if (!request.fixed_remat) assumed.pop_back();  // the search chooses the policy
  job_options batch = given.job;
  if (batch.batch.empty() && batch.batch_tokens.empty()) {
    batch.batch_tokens = "4194304";
    const std::int64_t sequences = 4194304 / request.job.sequence_length;
    assumed.emplace_back("global batch", fmt::format("{} sequences, 4 Mi tokens a step", sequences));
  }
  fill_batch(batch, layout{}, request.job, assumed);
  request.tokens = parse_amount("--tokens", given.tokens);
  if (!given.deadline.empty()) request.deadline = parse_duration("--deadline", given.deadline);
  if (!given.budget.empty()) request.budget = usd{parse_amount("--budget", given.budget)};
  const maybe<objective> best = parse_objective(given.best);
  if (!best) detail::fail(errc::unknown_name, "--objective", given.best, "cheapest, fastest or fewest_chips");
  request.best = *best;
  const maybe<provisioning> kind = parse_provisioning(given.ranked_by);
  if (!kind) {
    detail::fail(errc::unknown_name, "--provisioning", given.ranked_by,
                 "on_demand, spot, flex_start, calendar, commitment_1y or commitment_3y");
  }
  request.ranked_by = *kind;
  request.region = given.region;
  request.generations = given.generations;
  if (!given.smallest_chips.empty()) request.smallest_chips = parse_count("--min-chips", given.smallest_chips);
  if (!given.largest_chips.empty()) request.largest_chips = parse_count("--max-chips", given.largest_chips);
  request.accept_uncertain = given.accept_uncertain;
  request.spot.mean_time_between_preemptions = parse_duration("--mtbp", given.between);
  return request;
}

ordered_json json_of(const plan_cost& c) {
  ordered_json document = {{"provisioning", name(c.kind)},   {"total_usd", c.total.value()},
                           {"total_low_usd", c.low.value()}, {"total_high_usd", c.high.value()},
                           {"billed_s", c.billed.value()},   {"wall_s", c.wall.value()},
                           {"price", cli::json_of(c.price)}};
  if (c.kind == provisioning::spot) {
    document["checkpoint_interval_s"] = c.checkpoint_interval.value();
    document["preemptions"] = c.preemptions;
  }
  return document;
}

ordered_json json_of(const plan& p) {
  ordered_json costs = ordered_json::array();
  for (const plan_cost& cost : p.costs) costs.push_back(json_of(cost));
  return {{"slice", name(p.where).view()},
          {"generation", p.where.chip.name.view()},
          {"topology", name(p.where.shape).view()},
          {"chips", chips(p.where)},
          {"slices", slices(p.mesh)},
          {"layout", cli::json_of(p.mesh)},
          {"global_batch", p.job.global_batch},
          {"sequence_length", p.job.sequence_length},
          {"gradient_accumulation", p.job.gradient_accumulation},
          {"remat", name(p.job.remat)},
          {"fits", name(p.fit)},
          {"used_bytes", p.memory.total.value()},
          {"usable_bytes", p.memory.usable.value()},
          {"memory_breakdown", cli::json_of(p.memory)},
          {"step_time_s", p.step.total.value()},
          {"step_time_low_s", p.step.low.value()},
          {"step_time_high_s", p.step.high.value()},
          {"extrapolated", p.step.extrapolated},
          {"step_breakdown", cli::json_of(p.step)},
          {"mfu", p.step.mfu},
          {"tokens_per_s", p.step.tokens_per_second.value()},
          {"steps", p.steps},
          {"run_s", p.run.value()},
          {"costs", costs},
          {"pareto", p.on_front}};
}

ordered_json document_of(const plan_request& request, const plan_answer& answer, const model_config& config,
                         const assumed_values& assumed) {
  ordered_json plans = ordered_json::array();
  for (const plan& p : answer.plans) plans.push_back(json_of(p));
  ordered_json rejected = ordered_json::array();
  for (const rejected_slice& r : answer.rejected) {
    rejected.push_back({{"slice", name(r.where).view()}, {"reason", name(r.why)}, {"amount", r.amount}});
  }
  return {{"model", config.model.name.view()},
          {"parameters", parameters(config.model).total},
          {"tokens", request.tokens},
          {"region", request.region},
          {"objective", name(request.best)},
          {"plans", plans},
          {"rejected", rejected},
          {"candidates", answer.candidates},
          {"assumed", json_of_assumed(config, assumed)}};
}

std::string dollars(const plan& p, provisioning kind) {
  const plan_cost* cost = find_cost(p, kind);
  return cost == nullptr ? "no price" : money(cost->total);
}

void print_plans(const plan_answer& answer, std::size_t rows) {
  table t({{"", align::right},
           {"slice"},
           {"chips", align::right},
           {"layout"},
           {"remat"},
           {"step", align::right},
           {"between", align::right},
           {"MFU", align::right},
           {"run", align::right},
           {"on demand", align::right},
           {"spot", align::right},
           {"HBM per device", align::right}});
  std::size_t rank = 0;
  bool outside = false;
  for (const plan& p : answer.plans) {
    if (++rank > rows && !p.on_front) continue;
    const std::string micro =
        p.job.gradient_accumulation > 1 ? fmt::format(", {} micro", p.job.gradient_accumulation) : "";
    outside = outside || p.step.extrapolated;
    t.add({fmt::format("{}{}", rank, p.on_front ? "*" : " "), std::string(name(p.where).view()),
           fmt::format("{}", chips(p.where)), layout_words(p.mesh) + micro, std::string(name(p.job.remat)),
           duration(p.step.total), duration_range(p.step.low, p.step.high) + (p.step.extrapolated ? "!" : " "),
           percent(p.step.mfu), duration(p.run), dollars(p, provisioning::on_demand), dollars(p, provisioning::spot),
           used_of(p.memory.total, p.memory.usable)});
  }
  t.print();
  fmt::print("\n  * no other plan is both faster and cheaper{}\n",
             outside ? "   ! outside of what published runs cover: a wider band" : "");
}

std::string amount_words(const rejected_slice& r) {
  switch (r.why) {
    case rejection::does_not_fit:
      return fmt::format("{} short on {}", binary_bytes(bytes{r.amount}), name(r.where).view());
    case rejection::fit_uncertain:
      return fmt::format("{} over the safe limit on {}", binary_bytes(bytes{r.amount}), name(r.where).view());
    case rejection::misses_deadline:
      return fmt::format("{} late on {}", duration(seconds{r.amount}), name(r.where).view());
    case rejection::over_budget: return fmt::format("{} over on {}", money(usd{r.amount}), name(r.where).view());
    case rejection::batch_does_not_divide: return fmt::format("{:.0f} devices in {}", r.amount, name(r.where).view());
    case rejection::no_such_rate:
    case rejection::no_price: break;
  }
  return fmt::format("{}", name(r.where).view());
}

std::string reason_words(rejection why) {
  switch (why) {
    case rejection::does_not_fit: return "does not fit";
    case rejection::fit_uncertain: return "may not fit";
    case rejection::misses_deadline: return "misses the deadline";
    case rejection::over_budget: return "over the budget";
    case rejection::batch_does_not_divide: return "batch does not divide over its devices";
    case rejection::no_price: return "no price in this region and kind";
    case rejection::no_such_rate: return "the chip has no known rate of this precision or of PCIe";
  }
  return "?";
}

void print_rejected(const plan_answer& answer) {
  std::map<rejection, std::vector<const rejected_slice*>> groups;
  for (const rejected_slice& r : answer.rejected) groups[r.why].push_back(&r);
  if (groups.empty()) return;
  fmt::print("\n{}\n", bold("why the other slices lost"));
  table t({{"slices", align::right}, {"reason"}, {"the closest"}});
  for (auto& [why, list] : groups) {
    const auto closest =
        std::min_element(list.begin(), list.end(), [](const auto* a, const auto* b) { return a->amount < b->amount; });
    t.add({fmt::format("{}", list.size()), reason_words(why), amount_words(**closest)});
  }
  t.print();
}

void print_price_dates(const plan_answer& answer, const plan_request& request) {
  std::set<std::string> dates;
  for (const plan& p : answer.plans) {
    for (const plan_cost& cost : p.costs) {
      if (cost.kind == provisioning::on_demand || cost.kind == provisioning::spot)
        dates.insert(std::string(cost.price.date.view()));
    }
  }
  if (dates.empty()) return;
  const std::string span = dates.size() == 1 ? *dates.begin() : *dates.begin() + " to " + *dates.rbegin();
  fmt::print("  prices of {}, region {}; spot with a preemption every {}, checkpoints at the best interval\n", span,
             request.region, duration(request.spot.mean_time_between_preemptions));
}

void print_answer(const plan_request& request, const plan_answer& answer, const model_config& config,
                  const assumed_values& assumed, const plan_options& given) {
  fmt::print("{}\n",
             bold(fmt::format("{} ({} parameters) on {} tokens, {} sequences of {} tokens a step",
                              config.model.name.view(), count(static_cast<double>(parameters(config.model).total)),
                              count(request.tokens), request.job.global_batch, request.job.sequence_length)));
  if (answer.plans.empty()) {
    fmt::print("  no slice does it within these limits\n");
  } else {
    fmt::print("  {} first, by its price {}{}\n\n", name(request.best), name(request.ranked_by),
               request.deadline ? fmt::format(", within {}", duration(*request.deadline)) : "");
    print_plans(answer, given.rows);
    print_price_dates(answer, request);
  }
  print_rejected(answer);
  print_assumed(config, assumed);
  if (answer.plans.empty()) {
    fmt::print("\n  {}\n",
               dim("next: a later --deadline, a larger --budget, --accept-uncertain, or another --batch-tokens"));
    return;
  }
  const plan& best = answer.plans.front();
  std::string command =
      fmt::format("tpuplan train {} --slice {} --batch {} --seq {} --tensor {} --accumulation {} --remat {}",
                  given.job.config, name(best.where).view(), best.job.global_batch, best.job.sequence_length,
                  best.mesh.tensor, best.job.gradient_accumulation, name(best.job.remat));
  fmt::print("\n  {}\n  {}\n", dim("next: " + command),
             dim("      --objective fastest, --provisioning spot, --generation v5p, --json"));
}

void run_plan(const plan_options& given, session& with) {
  const model_config config = load_hf_config(given.job.config);
  const std::optional<owned_price_book> own =
      given.prices.empty() ? std::nullopt : std::optional<owned_price_book>(load_prices(given.prices));
  assumed_values assumed;
  plan_request request = make_request(given, config.model, assumed);
  if (own) request.prices = own->book();
  const plan_answer answer = make_plan(request);
  if (answer.plans.empty()) with.status = 1;
  if (with.json) return print_json(document_of(request, answer, config, assumed));
  print_answer(request, answer, config, assumed, given);
}

}  // namespace

void add_plan_command(CLI::App& app, session& with) {
  CLI::App* plan = app.add_subcommand("plan", "the best slices to train a model, and why the rest lost");
  const auto options = std::make_shared<plan_options>();
  add_job_options(*plan, options->job);
  plan->add_option("--tokens", options->tokens, "to train on: 15T")->required();
  plan->add_option("--deadline", options->deadline, "30d");
  plan->add_option("--budget", options->budget, "dollars: 1M");
  plan->add_option("--objective", options->best, "cheapest, fastest, fewest_chips")->capture_default_str();
  plan->add_option("--provisioning", options->ranked_by, "the way of paying that counts")->capture_default_str();
  plan->add_option("--region", options->region, "us is the default of the built-in prices")->capture_default_str();
  plan->add_option("--prices", options->prices, "a price file like data/prices.json");
  plan->add_option("--generation", options->generations, "only these chips");
  plan->add_option("--min-chips", options->smallest_chips);
  plan->add_option("--max-chips", options->largest_chips);
  plan->add_option("--mtbp", options->between, "mean time between preemptions on spot")->capture_default_str();
  plan->add_option("--rows", options->rows, "plans to show")->capture_default_str();
  plan->add_flag("--accept-uncertain", options->accept_uncertain,
                 "take slices on which the compiler decides whether it fits");
  plan->callback([options, &with] { run_plan(*options, with); });
}

}  // namespace cli
