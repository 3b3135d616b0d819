// What tpuplan plan answers for training.
#include <algorithm>
#include <numeric>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/show/views/plan_report.hpp>

#include "cli/calibration.hpp"
#include "cli/launch_line.hpp"
#include "cli/option.hpp"
#include "cli/plan.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"

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

/// Refuses a batch for cores, and one end of a range without the other.
void check_batches(const plan_options& given) {
  const asked_plan& asked = given.asked;
  if (given.job.per_core)
    refuse("--batch-per-core", "given for a plan", "--batch: cores differ from slice to slice", errc::unsupported);
  if (asked.smallest_batch_tokens > 0 && asked.largest_batch_tokens == 0)
    refuse_missing("--max-batch-tokens", "the largest batch, as the smallest is given");
  if (asked.largest_batch_tokens > 0 && asked.smallest_batch_tokens == 0)
    refuse_missing("--min-batch-tokens", "the smallest batch, as the largest is given");
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
  asked_plan asked = given.asked;
  const bool has_tokens = asked.tokens > 0;
  if (!has_tokens && !is_given(given.epochs))
    refuse("--tokens", "not given", "tokens to train on: 15T; or --examples and --epochs, or --steps",
           errc::missing_field);
  check_batches(given);
  if (!has_tokens) asked.tokens = most_tokens_of_a_batch(given, config.model);
  asked.quotas = load_quotas(given.quotas);
  const bool has_examples = !has_tokens && given.epochs.examples;
  const data_set data = has_examples ? data_of(given.epochs, 1) : data_set{};
  plan_request request = request_of(config, asked, given.job, prices, assumed, has_examples ? &data : nullptr);
  if (!has_tokens) request.tokens = tokens_of(given.epochs, request.job);
  if (!given.job.calibration.empty())
    learn(request, load_calibration(given.job.calibration, calibrated_part::steps), assumed);
  if (given.rows && static_cast<std::size_t>(*given.rows) > request.most_plans)
    request.most_plans = static_cast<std::size_t>(*given.rows);
  return request;
}

namespace {

/// The command that looks at the best plan more closely, and answers with the same figures: train, or risk with as many
/// runs as a row of plans has.
std::string command_of(const char* name_of_it, const plan& best, const asked_plan& asked, double tokens,
                       const session& with) {
  const bool of_risk = std::string_view(name_of_it) == "risk";
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
  add_region(own, region, with);
  std::vector<std::string_view> dropped = {"--batch-tokens", "--region"};
  if (best.mesh.context == 1) dropped.insert(dropped.end(), {"--ring-attention", "--context-unbalanced"});
  const auto says_how_long = [&](const char* option) { return with.is_given(option); };
  const char* const lengths[] = {"--tokens", "--examples", "--steps", "--steps-per-epoch"};
  if (of_risk && std::none_of(std::begin(lengths), std::end(lengths), says_how_long))
    own.emplace_back("--tokens", fmt::format("{:.0f}", tokens));
  if (of_risk) {  // which names one way of paying, and refuses what has no effect on it
    const provisioning kind = chosen_cost(best).kind;
    own.emplace_back("--provisioning", std::string(name(kind)));
    own.emplace_back("--runs", number(runs_of_a_plan));
    if (kind == provisioning::spot && asked.market)
      own.emplace_back("--mtbp", fmt::format("{}s", spot_lasts(asked)->value()));
    if (asked.market || asked.mean_time_between_preemptions) dropped.push_back("--zone");  // whose count is not used
    if (kind != provisioning::spot) dropped.insert(dropped.end(), {"--mtbp", "--lifetimes"});
    if (kind != provisioning::spot) dropped.push_back("--zone");  // its region is named above
    if (kind != provisioning::spot && kind != provisioning::flex_start) dropped.push_back("--queue");
  }
  return follow_up(with, name_of_it, own, dropped);
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
  return words;
}

}  // namespace

void plan_training(const model_config& config, plan_options given, const price_book& prices, session& with) {
  assumed_values assumed;
  if (!given.asked.by.empty() && given.asked.start.empty()) {
    given.asked.start = today();
    assumed.emplace_back("start", given.asked.start + ", today: see --start");
  }
  const plan_request request = training_request_of(given, config, prices, assumed);
  if (with.is_given("--rest-used") && std::none_of(request.kinds.begin(), request.kinds.end(), is_commitment))
    refuse("--rest-used", "given without a commitment", "with --provisioning commitment_1y, commitment_3y or all");
  relaxed_answer whole = plan_or_relax(
      request, given.zone.empty() ? std::vector<std::string>{} : generations_of_zone(with.data_dir, given.zone));
  whole.answer.plans = given.front_only ? front_plans(whole.answer, request) : plans_and_front(whole.answer, request);
  std::vector<std::size_t> all(whole.answer.plans.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  plan_document document = document_of(request, whole, all, all_assumed(config, assumed));
  set_dates(document, given.asked.by, given.asked.start);
  if (document.plans.empty()) {
    with.status = 1;
    if (with.is_given("--svg")) refuse("--svg", "given for an answer without plans", "limits that let a plan in");
  }
  view_options options = view_options_of(with);
  options.rows = given.rows;
  options.only_front = given.front_only;
  options.only_best_chips = given.best_per_chip;
  options.explained = given.explain;
  const std::vector<std::size_t> kept = plans_to_show(document.plans, options).indices;
  const bool is_whole = !with.is_given("--rows") && !given.front_only && !given.best_per_chip;
  set_chances(document, with.json && is_whole ? all : kept);
  view shown = view_of(document, options);
  if (!document.plans.empty()) {
    const plan& best = document.plans.front().plan;
    shown.next = {{"train", command_of("train", best, given.asked, request.tokens, with), {}}};
    if (document.plans.front().chance_in_time || document.plans.front().chance_in_budget)
      shown.next.push_back({"risk", command_of("risk", best, given.asked, request.tokens, with), "its chances"});
    for (const std::string& words : {further(with), launch_line(best, request)}) {
      if (!words.empty()) shown.next.push_back({{}, words, {}});
    }
  }
  const view report = is_reported(with) ? report_of(document, options) : view{};
  answer(
      with, shown,
      [&]() -> ordered_json {
        if (!is_whole) {
          std::vector<plan_row> rows;
          for (const std::size_t index : kept) rows.push_back(std::move(document.plans[index]));
          document.plans = std::move(rows);
        }
        return document;
      },
      &report);
}

}  // namespace cli
