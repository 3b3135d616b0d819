// What tpuplan plan answers for training.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/show/svg/points.hpp>
#include <tpuplan/show/text/lost.hpp>
#include <tpuplan/show/text/one_line.hpp>

#include "cli/calibration.hpp"
#include "cli/option.hpp"
#include "cli/plan.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// [{"generation": "v5p", "region": "us", "kind": "spot", "chips": 256}, …]
std::vector<quota_row> load_quotas(const std::string& path) {
  std::vector<quota_row> quotas;
  if (path.empty()) return quotas;
  const nlohmann::json document = load_json(path);
  const json_object root(document, path);
  root.only({"quotas"});
  for (const json_object& row : root.objects("quotas")) {
    row.only({"generation", "region", "kind", "provisioning", "chips"});
    const char* const kind = row.has("provisioning") ? "provisioning" : "kind";
    if (row.has("provisioning") && row.has("kind"))
      refuse(row.path("provisioning"), row.string("provisioning"), "none beside kind, which says the same");
    quota_row& quota = quotas.emplace_back();
    quota.generation = row.string("generation");
    quota.region = row.string("region");
    read(row.path(kind), row.string(kind), {}, quota.kind);
    quota.chips = row.count("chips");
  }
  if (quotas.empty()) refuse(root.path("quotas"), "empty", "a row or more: what no row allows may not be had");
  return quotas;
}

/// The batch in sequences, or the range from which one is chosen.
void fill_batches(const plan_options& given, asked_plan& asked) {
  if (given.job.per_core)
    refuse("--batch-per-core", "given for a plan", "--batch: cores differ from slice to slice", errc::unsupported);
  if (given.smallest_batch_tokens && !given.largest_batch_tokens)
    refuse_missing("--max-batch-tokens", "the largest batch, as the smallest is given");
  if (given.largest_batch_tokens && !given.smallest_batch_tokens)
    refuse_missing("--min-batch-tokens", "the smallest batch, as the largest is given");
  asked.batch_tokens = given.job.batch_tokens;
  asked.smallest_batch_tokens = given.smallest_batch_tokens.value_or(0);
  asked.largest_batch_tokens = given.largest_batch_tokens.value_or(0);
}

/// What a batch may have at most where the tokens of the run are known only once the batch is: every example, or in a
/// run of steps any number.
double most_tokens_of_a_batch(const plan_options& given, const transformer& model) {
  if (!given.epochs.examples) return 1e18;
  const std::int64_t asked = given.job.job.sequence_length;
  return static_cast<double>(*given.epochs.examples) * static_cast<double>(asked > 0 ? asked : usual_sequence(model));
}

/// The tokens of a run that is given in sequences and epochs, or in steps.
double tokens_of(const epoch_options& given, const training_job& job) {
  if (job.global_batch == 0)
    refuse(given.steps ? "--steps" : "--examples", "given", "a batch that is given, not one that is chosen");
  const epoch_count count = epochs_asked(given, job.global_batch);
  return static_cast<double>(count.steps) * static_cast<double>(tokens_per_step(job));
}

}  // namespace

plan_request training_request_of(const plan_options& given, const model_config& config, const price_book& prices,
                                 assumed_values& assumed) {
  if (!given.tokens && !is_given(given.epochs))
    refuse("--tokens", "not given", "tokens to train on: 15T; or --examples and --epochs, or --steps",
           errc::missing_field);
  asked_plan asked;
  fill_batches(given, asked);
  asked.tokens = given.tokens ? *given.tokens : most_tokens_of_a_batch(given, config.model);
  asked.deadline = given.deadline;
  asked.budget = given.budget;
  fill_limits(given, asked);
  asked.largest_slices = given.largest_slices;
  asked.degrees = given.degrees;
  asked.quotas = load_quotas(given.quotas);
  asked.mean_time_between_preemptions = given.between;
  asked.rest_of_term_used = given.rest_used;
  plan_request request = request_of(config, asked, with_weights(given.job), prices, assumed);
  if (!given.tokens) request.tokens = tokens_of(given.epochs, request.job);
  request.constants = load_calibration(given.job.calibration, calibrated_part::steps).training;
  if (given.rows && static_cast<std::size_t>(*given.rows) > request.most_plans)
    request.most_plans = static_cast<std::size_t>(*given.rows);
  return request;
}

namespace {

/// "4 x v6e-256".
std::string words_of(const plan& p) { return std::string(name(p.where, slices(p.mesh)).view()); }

/// A cost in dollars, with "~" where its price is doubtful by itself or beside those of other regions.
cell dollars(const plan_cost& cost, const plan_request& request) {
  cell shown = marked(cost.total, cost.price);
  if (is_far_below(request.prices, cost.price) && shown.shown.front() != '~') shown.shown.insert(0, "~");
  return shown;
}

/// The cheapest cost on spot that the quotas allow, and why there is none.
cell on_spot(const plan& p, const plan_request& request) {
  const plan_cost* found = nullptr;
  bool has_price = false;
  for (const plan_cost& cost : p.costs) {
    if (cost.kind != provisioning::spot) continue;
    has_price = true;
    if (!is_within_quota(p, cost, request)) continue;
    if (found == nullptr || cost.total < found->total) found = &cost;
  }
  if (found != nullptr) return dollars(*found, request);
  return cell(has_price ? "over quota" : "no price");
}

/// What is shown of an answer: the first rows, the best plan of each generation, and plans of the front that cost at
/// most three times the cheapest; how many are left out, and why.
struct shown_plans {
  std::vector<std::size_t> indices;  // in the answer
  std::size_t beaten = 0, expensive = 0;
};

constexpr std::size_t usual_rows = 8;

shown_plans choose_rows(const plan_answer& answer, const plan_options& given) {
  shown_plans shown;
  std::set<std::string> generations;
  usd cheapest = chosen_cost(answer.plans.front()).total;
  for (const plan& p : answer.plans) cheapest = min(cheapest, chosen_cost(p).total);
  for (std::size_t i = 0; i < answer.plans.size(); ++i) {
    const plan& p = answer.plans[i];
    const bool best_of_chip = generations.insert(std::string(p.where.chip.name.view())).second;
    const bool costs_thrice = chosen_cost(p).total > 3 * cheapest;
    const bool among_rows = i < static_cast<std::size_t>(given.rows.value_or(0));
    const bool wanted = given.front_only      ? p.on_front
                        : given.best_per_chip ? best_of_chip
                        : given.rows          ? among_rows
                                              : i < usual_rows || best_of_chip || (p.on_front && !costs_thrice);
    if (wanted) {
      shown.indices.push_back(i);
    } else {
      ++(p.on_front ? shown.expensive : shown.beaten);
    }
  }
  return shown;
}

/// "spot, us-east5", where there was a choice.
std::string payment_words(const plan& p, const plan_request& request) {
  if (request.kinds.size() == 1 && request.regions.size() == 1) return {};
  const plan_cost& cost = chosen_cost(p);
  const double weeks = std::ceil(p.run / 7_days);  // for which flex-start lasts
  const std::string pieces =
      cost.kind == provisioning::flex_start && weeks > 1 ? fmt::format(", {:.0f} times 7 days", weeks) : "";
  return fmt::format("{} in {}{}", name(cost.kind), cost.price.region.view(), pieces);
}

/// A time, with "^" where it may pass the deadline.
cell marked_time(seconds time, bool at_risk) {
  cell shown(time);
  if (at_risk) shown.shown += '^';
  return shown;
}

void add_row(table& t, const plan_answer& answer, std::size_t index, const plan_request& request) {
  const plan& p = answer.plans[index];
  const plan_cost& cost = chosen_cost(p);
  const std::string micro =
      p.job.gradient_accumulation > 1 ? fmt::format(", {} micro", p.job.gradient_accumulation) : "";
  const std::int64_t all_chips = chips(p.where) * slices(p.mesh);
  t.add({cell(fmt::format("{}{}{}", index + 1, fits(p.memory) == verdict::yes ? "" : "?", p.on_front ? "*" : " "),
              static_cast<double>(index + 1)),
         words_of(p), cell(fmt::format("{}", all_chips), static_cast<double>(all_chips)), one_line(p.mesh) + micro,
         std::string(name(p.job.remat)),
         cell(fmt::format("{}", p.job.global_batch), static_cast<double>(p.job.global_batch)), p.step.total,
         range_cell(p.step.low, p.step.high), share_cell(p.step.mfu), marked_time(cost.wall, p.deadline_at_risk),
         range_cell(cost.wall_low, cost.wall_high), dollars(cost, request),
         cell(fmt::format("{}-{}{}{}", money(cost.low), money(cost.high), p.budget_at_risk ? "^" : "",
                          p.step.extrapolated ? "!" : ""),
              cost.low.value(), cost.high.value(), "_usd"),
         on_spot(p, request), used_cell(p.memory.total, p.memory.usable), remarks_of(p, request),
         payment_words(p, request)});
}

void print_plans(const plan_answer& answer, const plan_options& given, const plan_request& request) {
  const bool choice = request.kinds.size() > 1 || request.regions.size() > 1;
  table t(fmt::format(
      "> | slice | ~>chips | ~~layout | ~~~~remat | ~~~>batch | ~~>step | ~~~~>step between | ~~~>MFU | >run | "
      "~~~>run between | >cost | ~>between | ~~>on spot | ~>HBM per device | ~~~~~remarks{}",
      choice ? " | paid for as" : ""));
  const shown_plans shown = choose_rows(answer, given);
  for (const std::size_t index : shown.indices) add_row(t, answer, index, request);
  t.print();
  print("\n  * no other plan is both faster and cheaper\n");
  if (std::any_of(shown.indices.begin(), shown.indices.end(),
                  [&](std::size_t i) { return answer.plans[i].step.extrapolated; }))
    print("  ! outside of what published runs cover: a wider band\n");
  if (std::any_of(shown.indices.begin(), shown.indices.end(),
                  [&](std::size_t i) { return fits(answer.plans[i].memory) != verdict::yes; }))
    print("  ? may not fit: the compiler decides\n");
  if (std::any_of(shown.indices.begin(), shown.indices.end(),
                  [&](std::size_t i) { return answer.plans[i].deadline_at_risk || answer.plans[i].budget_at_risk; }))
    print("  ^ within the limit as estimated; not at the far end of its band\n");
  if (shown.beaten > 0)
    print("  {} more {} slower or more expensive: --rows {}\n", shown.beaten, shown.beaten == 1 ? "is" : "are",
          answer.plans.size());
  if (shown.expensive > 0)
    print("  {} {}: --pareto\n", shown.expensive,
          given.rows || given.best_per_chip ? "more plans that no other beats"
          : shown.expensive == 1            ? "faster one costs over three times the cheapest"
                                            : "faster ones cost over three times the cheapest");
}

void print_rejected(const plan_answer& answer) {
  if (answer.rejected.empty()) return;
  print("\n{}\n", bold("why the other slices lost"));
  table t(">slices | reason | ~the closest");
  for (const readable::lost_slices& lost : readable::by_reason(answer.rejected))
    t.add({number_cell("{}", lost.count), readable::reason(lost.why), readable::amount(lost.closest)});
  t.print();
}

void print_explained(const plan& p, const plan_request& request) {
  const plan_sensitivity s = sensitivity_of(p, request);
  const plan_cost& now = chosen_cost(p);
  print("\n");
  print_title("{}, {} in {}: {} in {}", words_of(p), name(now.kind), now.price.region.view(), money(now.total),
              duration(now.wall));
  table t("if | >total | >wall time");
  const auto row = [&](const std::string& label, const maybe<plan_cost>& cost) {
    if (cost) t.add({label, cost->total, cost->wall});
  };
  t.add({"the price falls by a tenth", s.price_down, now.wall});
  t.add({"the price rises by a tenth", s.price_up, now.wall});
  row(fmt::format("a step takes {}", duration(p.step.low)), s.step_low);
  row(fmt::format("a step takes {}", duration(p.step.high)), s.step_high);
  row("it is preempted twice as often", s.twice_preempted);
  if (s.twice_the_batch)
    row(fmt::format("the batch is {}", s.twice_the_batch->job.global_batch), chosen_cost(*s.twice_the_batch));
  t.print();
  table costs("paid for as | region | >total | >wall time | ~>goodput | ~price of");
  for (const plan_cost& cost : p.costs) {
    costs.add({std::string(name(cost.kind)), std::string(cost.price.region.view()), dollars(cost, request), cost.wall,
               share_cell(cost.goodput), date_cell(cost.price)});
  }
  print("\n");
  costs.print();
}

/// How far one limit would have to go, and with which plan.
void print_relaxed(const plan_request& request, const relaxed_answer& whole) {
  for (const plan_limit limit : whole.unsearched)
    print("  {} was not tried: the search would take too long\n", limit_words(limit, request));
  const std::vector<relaxation>& list = whole.relaxations;
  if (list.empty())
    return print("  no {}limit, relaxed by itself, lets a plan in\n", whole.unsearched.empty() ? "single " : "other ");
  print("  what to relax, one limit at a time\n\n");
  table t("limit | is | would have to be | for");
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
      return amount > 0 ? counted(fmt::format("{:.0f}", amount), "chip") : "";
    };
    const plan_cost& cost = chosen_cost(r.nearest);
    const std::string given = given_words(r.limit, request);
    const std::string needed = needed_words(r.limit, cost.kind, r.nearest.where);
    t.add({limit_words(r.limit, request), given.empty() ? words(r.given) : given,
           needed.empty() ? words(r.needed) : needed,
           fmt::format("{}, {} in {} ({})", words_of(r.nearest), money(cost.total), duration(cost.wall),
                       name(cost.kind))});
  }
  t.print();
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& one : words) text += (text.empty() ? "" : ", ") + one;
  return text;
}

/// Where a price is far below those of other regions: which, and how far.
void print_far_below(const std::vector<price_row>& prices, const plan_request& request) {
  std::set<std::string> said;
  for (const price_row& price : prices) {
    const std::string one =
        fmt::format("{} of {} in {}", name(price.kind), price.generation.view(), price.region.view());
    if (!is_far_below(request.prices, price) || !said.insert(one).second) continue;
    print("  ~ {}: {} a chip and hour, less than a third of what most other regions charge, from one catalog of {}\n",
          one, money(usd{price.per_chip.value() * 3600}), dated(price.date));
  }
}

void print_price_dates(const plan_answer& answer, const plan_options& given, const plan_request& request) {
  std::vector<price_row> prices;
  for (const std::size_t index : choose_rows(answer, given).indices) {
    const plan& p = answer.plans[index];
    for (const plan_cost& cost : p.costs) {
      if (cost.kind == provisioning::spot || cost.kind == chosen_cost(p).kind) prices.push_back(cost.price);
    }
  }
  if (prices.empty()) return;
  const std::size_t regions = request.regions.size();
  print("  prices of {}, {}; spot with a preemption every {}, checkpoints at the best interval\n", dates_of(prices),
        regions > 3 ? fmt::format("{} regions", regions) : "region " + joined_words(request.regions),
        duration(request.terms.spot.mean_time_between_preemptions));
  print_price_doubts(prices);
  print_far_below(prices, request);
}

std::string kind_words(const plan_request& request) {
  std::string words;
  for (const provisioning kind : request.kinds) words += (words.empty() ? "" : ", ") + std::string(name(kind));
  return words;
}

std::string batch_words(const plan_request& request) {
  const std::int64_t length = request.job.sequence_length;
  if (request.largest_batch_tokens == 0)
    return fmt::format("{} of {} tokens a step", counted(request.job.global_batch, "sequence"), length);
  return fmt::format("{} to {} tokens a step in sequences of {}", count(request.smallest_batch_tokens),
                     count(request.largest_batch_tokens), length);
}

/// The command that looks at the best plan more closely, and answers with the same figures.
std::string train_command(const plan& best, const session& with) {
  const auto number = [](std::int64_t x) { return std::to_string(x); };
  std::vector<follow_up_option> own = {
      {"--slice", std::string(name(best.where).view())}, {"--batch", number(best.job.global_batch)},
      {"--seq", number(best.job.sequence_length)},       {"--accumulation", number(best.job.gradient_accumulation)},
      {"--remat", std::string(name(best.job.remat))},    {"--fsdp", number(best.mesh.fsdp)}};
  const auto degree = [&](const char* option, std::int64_t x) {
    if (x > 1 || with.is_given(option)) own.emplace_back(option, number(x));
  };
  degree("--slices", slices(best.mesh));
  degree("--data", best.mesh.data);
  degree("--tensor", best.mesh.tensor);
  degree("--expert", best.mesh.expert);
  degree("--context", best.mesh.context);
  degree("--pipeline", best.mesh.pipeline);
  const std::string region(chosen_cost(best).price.region.view());
  if (region != "us") own.emplace_back("--region", region);
  return follow_up(with, "train", own, {"--batch-tokens", "--region"});
}

/// Where a batch near the one asked for has more factors of two: what it would cost. Nothing is said where the search
/// for it takes too many steps.
void print_better_batch(const plan_request& request, const plan& best) {
  if (request.largest_batch_tokens > 0 || request.job.global_batch == 0) return;
  plan_request other = request;
  other.job.global_batch = round_batch(static_cast<double>(request.job.global_batch), 1);
  if (other.job.global_batch == request.job.global_batch) return;
  plan_answer answer;
  try {
    answer = make_plan(other);
  } catch (const tpuplan::error& refusal) {
    if (refusal.code() != errc::out_of_range) throw;
    return;
  }
  if (answer.plans.empty()) return;
  const plan_cost &now = chosen_cost(best), &then = chosen_cost(answer.plans.front());
  if (then.total > 0.97 * now.total) return;
  print("  a batch of {} divides better than {}: {} instead of {}, on {}: --batch {}\n", other.job.global_batch,
        request.job.global_batch, money(then.total), money(now.total), words_of(answer.plans.front()),
        other.job.global_batch);
}

/// Where the price of the first plan is doubtful, the first that rests on another.
void print_doubtful_first(const plan_request& request, const plan_answer& answer) {
  const auto is_doubted = [&](const plan& p) { return is_far_below(request.prices, chosen_cost(p).price); };
  if (!is_doubted(answer.plans.front())) return;
  const plan* sure = nullptr;  // the cheapest of all that rest on other prices, and its cost
  const plan_cost* sure_cost = nullptr;
  for (const plan& p : answer.plans) {
    for (const plan_cost& one : p.costs) {
      if (!is_allowed(p, one, request) || is_far_below(request.prices, one.price)) continue;
      if (sure_cost == nullptr || one.total < sure_cost->total) sure = &p, sure_cost = &one;
    }
  }
  const plan_cost& cost = chosen_cost(answer.plans.front());
  print("  the first plan rests on a doubtful price: check that {} has it{}\n", cost.price.region.view(),
        sure == nullptr ? std::string()
                        : fmt::format("; without such prices the cheapest is {}, {} in {} ({})", words_of(*sure),
                                      money(sure_cost->total), sure_cost->price.region.view(), name(sure_cost->kind)));
}

/// Where the band of the best plan passes the deadline or the budget.
void print_risks(const plan_request& request, const plan& best) {
  const plan_cost& cost = chosen_cost(best);
  if (best.deadline_at_risk)
    print("  the first plan may miss the deadline: at the slow end of its band it takes {} of {}\n",
          duration(cost.wall_high), duration(*request.deadline));
  if (best.budget_at_risk)
    print("  the first plan may cost more than the budget: at the high end of its band it costs {} of {}\n",
          money(cost.high), money(*request.budget));
}

/// Options that have not been tried yet.
std::string further(const session& with) {
  std::string words;
  const auto hint = [&](const char* option, const char* text) {
    if (!with.is_given(option)) words += (words.empty() ? "" : ", ") + std::string(text);
  };
  hint("--explain", "--explain");
  hint("--objective", "--objective fastest");
  hint("--provisioning", "--provisioning spot");
  hint("--max-slices", "--max-slices 4");
  return words + (words.empty() ? "" : ", ") + "--json | tpuplan launch - --target gke";
}

/// Says of a batch that nobody asked for how few steps it leaves.
void print_few_steps(const plan_request& request) {
  const double steps = std::ceil(request.tokens / static_cast<double>(tokens_per_step(request.job)));
  if (steps < static_cast<double>(few_steps))
    print("  {:.0f} steps in all, of a batch that is assumed: give --batch where these are too few\n", steps);
}

void print_answer(const plan_request& request, const relaxed_answer& whole, const model_config& config,
                  const assumed_values& assumed, const plan_options& given, const session& with) {
  const plan_answer& answer = whole.answer;
  print_title("{} ({} parameters) on {} tokens, {}", config.model.name.view(),
              count(static_cast<double>(parameters(config.model).total)), count(request.tokens), batch_words(request));
  const bool asked_batch = given.job.job.global_batch > 0 || given.job.batch_tokens > 0 || given.largest_batch_tokens;
  if (!asked_batch) print_few_steps(request);
  if (answer.plans.empty()) {
    print("  no slice does it within these limits\n");
    print_relaxed(request, whole);
  } else {
    print("  {} first, at {} prices{}\n\n", name(request.best), kind_words(request),
          request.deadline ? fmt::format(", within {}", duration(*request.deadline)) : "");
    print_plans(answer, given, request);
    print_price_dates(answer, given, request);
    print_doubtful_first(request, answer);
    print_risks(request, answer.plans.front());
    print_better_batch(request, answer.plans.front());
    if (given.explain) print_explained(answer.plans.front(), request);
  }
  print_rejected(answer);
  print_assumed(all_assumed(config, assumed));
  if (answer.plans.empty()) return;
  print("\n  {}\n  {}\n", dim("next: " + train_command(answer.plans.front(), with)), dim("      " + further(with)));
}

/// Time and cost of each plan as it is paid for.
void draw_plans(const plan_answer& answer, const model_config& config, const session& with) {
  if (answer.plans.empty()) refuse("--svg", "given for an answer without plans", "limits that let a plan in");
  pareto_chart chart;
  chart.title = std::string(config.model.name.view()) + ", time and cost";
  for (const plan& p : answer.plans) chart.points.push_back({words_of(p), chosen_cost(p).wall, chosen_cost(p).total});
  draw(with, "front", to_svg(chart));
}

}  // namespace

/// All plans, or those that the options choose.
static std::vector<std::size_t> indices_in_json(const plan_answer& answer, const plan_options& given,
                                                const session& with) {
  if (!answer.plans.empty() && (with.is_given("--rows") || given.front_only || given.best_per_chip))
    return choose_rows(answer, given).indices;
  std::vector<std::size_t> indices(answer.plans.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return indices;
}

void plan_training(const model_config& config, const plan_options& given, const price_book& prices, session& with) {
  assumed_values assumed;
  const plan_request request = training_request_of(given, config, prices, assumed);
  if (with.is_given("--rest-used") && std::none_of(request.kinds.begin(), request.kinds.end(), is_commitment))
    refuse("--rest-used", "given without a commitment", "with --provisioning commitment_1y, commitment_3y or all");
  relaxed_answer whole = plan_or_relax(request);
  whole.answer.plans = given.front_only ? front_plans(whole.answer, request) : plans_and_front(whole.answer, request);
  const plan_answer& answer = whole.answer;
  if (answer.plans.empty()) with.status = 1;
  if (with.is_given("--svg") || (is_reported(with) && !answer.plans.empty())) draw_plans(answer, config, with);
  if (with.json || is_reported(with)) {
    const ordered_json document =
        document_of(request, whole, indices_in_json(answer, given, with), all_assumed(config, assumed));
    write_report(with, "where to train " + std::string(config.model.name.view()), document);
    if (with.json) return print_json(document);
  }
  print_answer(request, whole, config, assumed, given, with);
}

}  // namespace cli
