// tpuplan plan
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tpuplan/io/price_file.hpp>
#include <tpuplan/io/text/one_line.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/relax.hpp>

#include "cli/commands.hpp"
#include "cli/format.hpp"
#include "cli/job.hpp"
#include "cli/serving_plan.hpp"
#include "cli/table.hpp"
#include "cli/traffic.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct plan_options {
  job_options job;
  serve_options traffic;
  fixed_degrees degrees;
  std::string tokens, deadline, budget, best = "cheapest", prices, quotas, largest_batch, smallest_batch;
  std::string between = "4h", smallest_chips, largest_chips;
  std::vector<std::string> generations, kinds{"on_demand"}, regions{"us"}, policies;
  std::int64_t largest_slices = 1;
  std::int64_t rows = 8;
  bool accept_uncertain = false, explain = false, front_only = false, to_serve = false;
};

std::vector<provisioning> kinds_of(const std::vector<std::string>& given) {
  std::vector<provisioning> kinds;
  for (const std::string& one : given) {
    if (one == "all") return {all_provisioning.begin(), all_provisioning.end()};
    const maybe<provisioning> kind = parse_provisioning(one);
    if (!kind) {
      detail::fail(errc::unknown_name, "--provisioning", one,
                   "all, on_demand, spot, flex_start, calendar, commitment_1y or commitment_3y");
    }
    kinds.push_back(*kind);
  }
  return kinds;
}

/// The regions as given, or all that the prices have.
std::vector<std::string> regions_of(const std::vector<std::string>& given, const price_book& prices) {
  if (given.size() != 1 || given.front() != "all") return given;
  std::vector<std::string> regions;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const std::string region(prices.row(i).region.view());
    if (std::find(regions.begin(), regions.end(), region) == regions.end()) regions.push_back(region);
  }
  return regions;
}

/// [{"generation": "v5p", "region": "us", "provisioning": "spot", "chips": 256}, …]
std::vector<quota_row> load_quotas(const std::string& path) {
  std::vector<quota_row> quotas;
  if (path.empty()) return quotas;
  const nlohmann::json document = load_json(path);
  const detail::json_object root(document, path);
  root.only({"quotas"});
  const nlohmann::json& list = root.at("quotas");
  if (!list.is_array()) detail::fail(errc::malformed_input, path + ": quotas", list.type_name(), "an array");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const detail::json_object row(list[i], path + ": quotas[" + std::to_string(i) + "]");
    row.only({"generation", "region", "provisioning", "chips"});
    const std::string kind = row.string("provisioning");
    const maybe<provisioning> known_kind = parse_provisioning(kind);
    if (!known_kind)
      detail::fail(errc::unknown_name, row.path("provisioning"), kind, "on_demand, spot, flex_start ...");
    quotas.push_back({row.string("generation"), row.string("region"), *known_kind, row.count("chips")});
  }
  return quotas;
}

objective objective_of(const std::string& given) {
  const maybe<objective> best = parse_objective(given);
  if (!best) detail::fail(errc::unknown_name, "--objective", given, "cheapest, fastest or fewest_chips");
  return *best;
}

void fill_batches(const plan_options& given, plan_request& request, assumed_values& assumed) {
  if (!given.smallest_batch.empty() || !given.largest_batch.empty()) {
    request.smallest_batch_tokens = parse_amount("--min-batch-tokens", given.smallest_batch);
    request.largest_batch_tokens = parse_amount("--max-batch-tokens", given.largest_batch);
    return;
  }
  job_options batch = given.job;
  if (batch.batch.empty() && batch.batch_tokens.empty()) {
    batch.batch_tokens = "4194304";
    const std::int64_t sequences = 4194304 / request.job.sequence_length;
    assumed.emplace_back("global batch", fmt::format("{} sequences, 4 Mi tokens a step", sequences));
  }
  fill_batch(batch, layout{}, request.job, assumed);
}

plan_request make_request(const plan_options& given, const transformer& model, const price_book& prices,
                          assumed_values& assumed) {
  plan_request request;
  request.model = model;
  request.job = make_job(given.job, model, assumed);
  if (!given.job.remat.empty()) {
    request.policies = {request.job.remat};
  } else {
    const auto guessed =
        std::find_if(assumed.begin(), assumed.end(), [](const auto& a) { return a.first == "remat policy"; });
    if (guessed != assumed.end()) assumed.erase(guessed);  // the search chooses the policy
  }
  fill_batches(given, request, assumed);
  if (given.tokens.empty()) detail::fail(errc::missing_field, "--tokens", "not given", "tokens to train on: 15T");
  request.tokens = parse_amount("--tokens", given.tokens);
  if (!given.deadline.empty()) request.deadline = parse_duration("--deadline", given.deadline);
  if (!given.budget.empty()) request.budget = usd{parse_amount("--budget", given.budget)};
  request.best = objective_of(given.best);
  request.kinds = kinds_of(given.kinds);
  request.regions = regions_of(given.regions, prices);
  request.generations = given.generations;
  if (!given.smallest_chips.empty()) request.smallest_chips = parse_count("--min-chips", given.smallest_chips);
  if (!given.largest_chips.empty()) request.largest_chips = parse_count("--max-chips", given.largest_chips);
  if (request.smallest_chips > request.largest_chips)
    detail::fail(errc::invalid_argument, "--min-chips", request.smallest_chips, "at most --max-chips");
  request.largest_slices = given.largest_slices;
  request.degrees = given.degrees;
  request.quotas = load_quotas(given.quotas);
  request.accept_uncertain = given.accept_uncertain;
  request.most_plans = 0;  // ranks do not depend on what is shown
  request.terms.spot.mean_time_between_preemptions = parse_duration("--mtbp", given.between);
  request.prices = prices;
  return request;
}

ordered_json json_of(const plan_sensitivity& s) {
  ordered_json document = {{"price_down_usd", s.price_down.value()}, {"price_up_usd", s.price_up.value()}};
  const auto add = [&](const std::string& what, const std::optional<plan_cost>& cost) {
    if (!cost) return;
    document[what + "_usd"] = cost->total.value();
    document[what + "_wall_s"] = cost->wall.value();
  };
  add("step_low", s.step_low);
  add("step_high", s.step_high);
  add("twice_preempted", s.twice_preempted);
  if (s.twice_the_batch) {
    document["twice_the_batch_usd"] = chosen_cost(*s.twice_the_batch).total.value();
    document["twice_the_batch_wall_s"] = chosen_cost(*s.twice_the_batch).wall.value();
  }
  return document;
}

ordered_json rejected_document(const plan_answer& answer) {
  ordered_json rejected = ordered_json::array();
  for (const rejected_slice& r : answer.rejected) {
    ordered_json row = {
        {"slice", name(r.where).view()}, {"slices", r.slices}, {"reason", name(r.why)}, {"amount", r.amount}};
    if (!r.by.empty()) row["by"] = r.by.view();
    rejected.push_back(row);
  }
  return rejected;
}

ordered_json relaxed_document(const std::vector<relaxation>& list) {
  ordered_json document = ordered_json::array();
  for (const relaxation& r : list) {
    document.push_back({{"limit", name(r.limit)}, {"given", r.given}, {"needed", r.needed}, {"plan", r.nearest}});
  }
  return document;
}

/// The question and its answer, so that `launch` and `read_plan` have a plan whole.
ordered_json document_of(const plan_request& request, const plan_answer& answer, const model_config& config,
                         const assumed_values& assumed) {
  ordered_json plans = ordered_json::array();
  for (const plan& p : answer.plans) {
    plans.push_back({{"rank", plans.size() + 1},
                     {"slice", name(p.where).view()},
                     {"slices", slices(p.mesh)},
                     {"chips", checked_multiply(chips(p.where), slices(p.mesh))},
                     {"remat", name(p.job.remat)},
                     {"plan", p},
                     {"sensitivity", json_of(sensitivity_of(p, request))}});
  }
  ordered_json document = {{"schema", json_schema},   {"parameters", parameters(config.model).total},
                           {"plans", plans},          {"rejected", rejected_document(answer)},
                           {"counts", answer.counts}, {"assumed", json_of_assumed(config, assumed)},
                           {"request", request}};
  if (answer.plans.empty()) document["relax"] = relaxed_document(relaxations(request));
  return document;
}

std::string dollars(const plan& p, provisioning kind) {
  const plan_cost* cost = find_cost(p, kind);
  return cost == nullptr ? "no price" : money(cost->total);
}

bool is_shown(const plan& p, std::size_t rank, const plan_options& given) {
  return p.on_front || (!given.front_only && rank <= static_cast<std::size_t>(given.rows));
}

/// "spot, us-east5", where there was a choice.
std::string payment_words(const plan& p, const plan_options& given) {
  if (given.kinds.size() == 1 && given.kinds.front() != "all" && given.regions.size() == 1 &&
      given.regions.front() != "all")
    return {};
  const plan_cost& cost = chosen_cost(p);
  return fmt::format("{} {} in {}", money(cost.total), name(cost.kind), cost.price.region.view());
}

void print_plans(const plan_answer& answer, const plan_options& given) {
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
           {"HBM per device", align::right},
           {""}});
  std::size_t rank = 0, hidden = 0;
  bool outside = false;
  for (const plan& p : answer.plans) {
    ++rank;
    if (!is_shown(p, rank, given)) {
      ++hidden;
      continue;
    }
    const std::string micro =
        p.job.gradient_accumulation > 1 ? fmt::format(", {} micro", p.job.gradient_accumulation) : "";
    outside = outside || p.step.extrapolated;
    t.add({fmt::format("{}{}", rank, p.on_front ? "*" : " "), detail::slices_line(p),
           fmt::format("{}", chips(p.where) * slices(p.mesh)), layout_words(p.mesh) + micro,
           std::string(name(p.job.remat)), duration(p.step.total),
           duration_range(p.step.low, p.step.high) + (p.step.extrapolated ? "!" : " "), percent(p.step.mfu),
           duration(p.run), dollars(p, provisioning::on_demand), dollars(p, provisioning::spot),
           used_of(p.memory.total, p.memory.usable), payment_words(p, given)});
  }
  t.print();
  if (hidden > 0) fmt::print("\n  {} more are slower or dearer than those with a star: --rows {}\n", hidden, rank);
  fmt::print("\n  * no other plan is both faster and cheaper{}\n",
             outside ? "   ! outside of what published runs cover: a wider band" : "");
}

std::string amount_words(const rejected_slice& r) {
  const std::string where = detail::slices_line(r.where, r.slices);
  switch (r.why) {
    case rejection::does_not_fit: return fmt::format("{} short on {}", binary_bytes(bytes{r.amount}), where);
    case rejection::fit_uncertain:
      return fmt::format("{} over the safe limit on {}", binary_bytes(bytes{r.amount}), where);
    case rejection::misses_deadline: return fmt::format("{} late on {}", duration(seconds{r.amount}), where);
    case rejection::over_budget: return fmt::format("{} over on {}", money(usd{r.amount}), where);
    case rejection::over_quota: return fmt::format("{:.0f} chips over on {}", r.amount, where);
    case rejection::dominated: return fmt::format("{} dearer: {}, by {}", money(usd{r.amount}), where, r.by.view());
    case rejection::no_layout:
    case rejection::batch_does_not_divide: return fmt::format("{:.0f} devices in {}", r.amount, where);
    case rejection::no_such_rate:
    case rejection::no_price: break;
  }
  return where;
}

std::string reason_words(rejection why) {
  switch (why) {
    case rejection::does_not_fit: return "does not fit";
    case rejection::fit_uncertain: return "may not fit";
    case rejection::misses_deadline: return "misses the deadline";
    case rejection::over_budget: return "over the budget";
    case rejection::over_quota: return "over the quota";
    case rejection::dominated: return "another is no slower and cheaper";
    case rejection::no_layout: return "heads, experts or layers do not divide over its devices";
    case rejection::batch_does_not_divide: return "batch does not divide over its devices";
    case rejection::no_price: return "no price in these regions and kinds, or not for so long";
    case rejection::no_such_rate: return "a rate that is needed is not known of the chip";
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

void print_explained(const plan& p, const plan_request& request) {
  const plan_sensitivity s = sensitivity_of(p, request);
  const plan_cost& now = chosen_cost(p);
  const std::string chosen = fmt::format("{} in {}", name(now.kind), now.price.region.view());
  fmt::print("\n{}\n", bold(fmt::format("{}, {}: {} in {}", detail::slices_line(p), chosen, money(now.total),
                                        duration(now.wall))));
  table t({{"if"}, {"total", align::right}, {"wall time", align::right}});
  const auto row = [&](const std::string& label, const std::optional<plan_cost>& cost) {
    if (cost) t.add({label, money(cost->total), duration(cost->wall)});
  };
  t.add({"the price falls by a tenth", money(s.price_down), duration(now.wall)});
  t.add({"the price rises by a tenth", money(s.price_up), duration(now.wall)});
  row(fmt::format("a step takes {}", duration(p.step.low)), s.step_low);
  row(fmt::format("a step takes {}", duration(p.step.high)), s.step_high);
  row("it is preempted twice as often", s.twice_preempted);
  if (s.twice_the_batch)
    row(fmt::format("the batch is {}", s.twice_the_batch->job.global_batch), chosen_cost(*s.twice_the_batch));
  t.print();
  table costs({{"paid for as"},
               {"region"},
               {"total", align::right},
               {"wall time", align::right},
               {"goodput", align::right},
               {"price of"}});
  for (const plan_cost& cost : p.costs) {
    costs.add({std::string(name(cost.kind)), std::string(cost.price.region.view()), money(cost.total),
               duration(cost.wall), percent(cost.goodput), std::string(cost.price.date.view())});
  }
  fmt::print("\n");
  costs.print();
}

/// How far one limit would have to go, and with which plan.
void print_relaxed(const std::vector<relaxation>& list) {
  if (list.empty()) {
    fmt::print("  no single limit, relaxed by itself, lets a plan in\n");
    return;
  }
  fmt::print("  what to relax, one limit at a time\n\n");
  table t({{"limit"}, {"is"}, {"would have to be"}, {"for"}});
  for (const relaxation& r : list) {
    const auto words = [&](double amount) -> std::string {
      switch (r.limit) {
        case plan_limit::deadline: return duration(seconds{amount});
        case plan_limit::budget: return money(usd{amount});
        case plan_limit::chips:
        case plan_limit::slices:
        case plan_limit::batch: return fmt::format("{:.0f}", amount);
        default: break;
      }
      return amount > 0 ? fmt::format("{:.0f} chips", amount) : "";
    };
    const plan_cost& cost = chosen_cost(r.nearest);
    t.add({std::string(name(r.limit)), words(r.given), words(r.needed),
           fmt::format("{}, {} in {} ({})", detail::slices_line(r.nearest), money(cost.total), duration(cost.wall),
                       name(cost.kind))});
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
             fmt::join(request.regions, ", "), duration(request.terms.spot.mean_time_between_preemptions));
}

std::string kind_words(const plan_request& request) {
  std::string words;
  for (const provisioning kind : request.kinds) words += (words.empty() ? "" : ", ") + std::string(name(kind));
  return words;
}

std::string batch_words(const plan_request& request) {
  const std::int64_t length = request.job.sequence_length;
  if (request.largest_batch_tokens == 0)
    return fmt::format("{} sequences of {} tokens a step", request.job.global_batch, length);
  return fmt::format("{} to {} tokens a step in sequences of {}", count(request.smallest_batch_tokens),
                     count(request.largest_batch_tokens), length);
}

/// The command that looks at the best plan more closely.
std::string train_command(const plan& best, const plan_options& given) {
  std::string command = fmt::format("tpuplan train {} --slice {}", given.job.config, name(best.where).view());
  if (slices(best.mesh) > 1) command += fmt::format(" --slices {}", slices(best.mesh));
  command += fmt::format(" --batch {} --seq {} --tensor {}", best.job.global_batch, best.job.sequence_length,
                         best.mesh.tensor);
  if (best.mesh.data > 1) command += fmt::format(" --data {}", best.mesh.data);
  if (best.mesh.expert > 1) command += fmt::format(" --expert {}", best.mesh.expert);
  return command + fmt::format(" --accumulation {} --remat {}", best.job.gradient_accumulation, name(best.job.remat));
}

void print_answer(const plan_request& request, const plan_answer& answer, const model_config& config,
                  const assumed_values& assumed, const plan_options& given) {
  fmt::print("{}\n", bold(fmt::format("{} ({} parameters) on {} tokens, {}", config.model.name.view(),
                                      count(static_cast<double>(parameters(config.model).total)), count(request.tokens),
                                      batch_words(request))));
  if (answer.plans.empty()) {
    fmt::print("  no slice does it within these limits\n");
    print_relaxed(relaxations(request));
  } else {
    fmt::print("  {} first, by its price {}{}\n\n", name(request.best), kind_words(request),
               request.deadline ? fmt::format(", within {}", duration(*request.deadline)) : "");
    print_plans(answer, given);
    print_price_dates(answer, request);
    if (given.explain) print_explained(answer.plans.front(), request);
  }
  print_rejected(answer);
  print_assumed(config, assumed);
  if (answer.plans.empty()) return;
  fmt::print("\n  {}\n  {}\n", dim("next: " + train_command(answer.plans.front(), given)),
             dim("      --explain, --objective fastest, --provisioning spot, --max-slices 4, --json | tpuplan launch - "
                 "--target gke"));
}

void run_plan(const plan_options& given, session& with) {
  const model_config config = load_model(given.job.config);
  const std::optional<owned_price_book> own =
      given.prices.empty() ? std::nullopt : std::optional<owned_price_book>(load_prices(given.prices));
  const price_book prices = own ? own->book() : price_book{};
  if (given.to_serve) {
    if (!given.tokens.empty() || !given.deadline.empty())
      detail::fail(errc::invalid_argument, "--serve", "given",
                   "without --tokens and --deadline, which are of training");
    serving_limits limits{given.best,
                          given.budget,
                          given.smallest_chips,
                          given.largest_chips,
                          given.generations,
                          {},
                          {},
                          static_cast<std::size_t>(given.rows),
                          given.accept_uncertain};
    limits.kinds = kinds_of(given.kinds);
    limits.regions = regions_of(given.regions, prices);
    return run_serving_plan(config, given.traffic, limits, prices, with);
  }
  assumed_values assumed;
  const plan_request request = make_request(given, config.model, prices, assumed);
  const plan_answer answer = make_plan(request);
  if (answer.plans.empty()) with.status = 1;
  if (with.json) return print_json(document_of(request, answer, config, assumed));
  print_answer(request, answer, config, assumed, given);
}

void add_limit_options(CLI::App& plan, plan_options& into) {
  plan.add_option("--deadline", into.deadline, "30d");
  plan.add_option("--budget", into.budget, "dollars: 1M; with --serve an hour");
  plan.add_option("--objective", into.best, "cheapest, fastest, fewest_chips")->capture_default_str();
  plan.add_option("--provisioning", into.kinds, "ways of paying that count: on_demand, spot … or all")
      ->capture_default_str();
  plan.add_option("--region", into.regions, "us is the default of the built-in prices; all")->capture_default_str();
  plan.add_option("--prices", into.prices, "a price file like data/prices.json");
  plan.add_option("--quota", into.quotas, "a file with chips that may be had");
  plan.add_option("--generation", into.generations, "only these chips");
  plan.add_option("--min-chips", into.smallest_chips);
  plan.add_option("--max-chips", into.largest_chips);
  plan.add_option("--max-slices", into.largest_slices, "slices over DCN")->capture_default_str();
  plan.add_option("--min-batch-tokens", into.smallest_batch, "the batch is chosen too: from here by doubling …");
  plan.add_option("--max-batch-tokens", into.largest_batch, "… to here");
  plan.add_option("--mtbp", into.between, "mean time between preemptions on spot")->capture_default_str();
  plan.add_option("--data", into.degrees.data, "a degree that is fixed; 0: chosen");
  plan.add_option("--fsdp", into.degrees.fsdp);
  plan.add_option("--tensor", into.degrees.tensor);
  plan.add_option("--expert", into.degrees.expert);
  plan.add_option("--context", into.degrees.context, "1 unless given: no published run covers it; 0: chosen");
  plan.add_option("--pipeline", into.degrees.pipeline, "likewise");
}

}  // namespace

void add_plan_command(CLI::App& app, session& with) {
  CLI::App* plan = app.add_subcommand("plan", "the best slices to train a model, and why the rest lost");
  const auto options = std::make_shared<plan_options>();
  add_job_options(*plan, options->job);
  plan->add_option("--tokens", options->tokens, "to train on: 15T");
  add_limit_options(*plan, *options);
  plan->add_option("--rows", options->rows, "plans to show, beside those with a star")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  plan->add_flag("--accept-uncertain", options->accept_uncertain,
                 "take slices on which the compiler decides whether it fits");
  plan->add_flag("--explain", options->explain, "what the best plan depends on, and every way of paying for it");
  plan->add_flag("--pareto", options->front_only, "only plans that no other beats in time and money");
  plan->add_flag("--serve", options->to_serve, "plan for traffic instead of training");
  add_traffic_options(*plan, options->traffic);
  add_engine_options(*plan, options->traffic);
  plan->add_option("--serving-weights", options->traffic.weights, "format of the weights that are served")
      ->capture_default_str();
  plan->callback([options, &with] { run_plan(*options, with); });
}

}  // namespace cli
