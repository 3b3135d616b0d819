#ifndef TPUPLAN_ASK_PLAN_HPP
#define TPUPLAN_ASK_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/phases.hpp>
#include <tpuplan/ask/usual_batch.hpp>
#include <tpuplan/estimate/training/critical_batch.hpp>
#include <tpuplan/estimate/training/published_layouts.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/show/text/lost.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <vector>

/// @file
/// The questions plan (of training) and launch.

namespace tpuplan {
inline namespace abi_0 {

/// Which slices train the model best?
struct asked_plan {
  /// @{
  /// The model and the limits of the search; fields that plan_request has too mean the same.
  nlohmann::json config{};
  double tokens = 0;   ///< tokens to train on
  training_job job{};  ///< what is not given is filled in; a remat policy that is not given is searched for
  /// Tokens of a step instead of job.global_batch; if neither is given, 4 Mi tokens, or fewer where the run has fewer
  /// or published laws of the critical batch say less.
  std::int64_t batch_tokens = 0;
  /// Bounds of the batch in tokens, if the batch is to be chosen too.
  double smallest_batch_tokens = 0, largest_batch_tokens = 0;
  std::optional<seconds> deadline{};
  std::optional<usd> budget{};
  std::string by{}, start{};       ///< dates instead of the deadline: "2026-12-31", from "2026-12-01" on
  std::optional<double> chance{};  ///< the least chance to keep deadline and budget: 0.9
  objective best = objective::cheapest;
  std::vector<provisioning> kinds{provisioning::on_demand};
  std::vector<std::string> regions{"us"};
  std::string zone{};                                        ///< of spot, where a count of preemptions is published
  std::vector<std::string> generations{};                    ///< names of the chips to consider; none: all chips
  std::int64_t smallest_chips = 1, largest_chips = 1 << 20;  ///< bounds of the chips over all slices
  std::int64_t largest_slices = 1;
  fixed_degrees degrees{};
  std::vector<quota_row> quotas{};
  bool accept_uncertain = false;
  std::optional<seconds> mean_time_between_preemptions{};
  double rest_of_term_used = 0;
  std::optional<spot_market> market{};    ///< how often spot is preempted, instead of the time between
  std::vector<own_lifetime> lifetimes{};  ///< of one's own spot slices, instead of what is published alone
  std::optional<seconds> queue_time{};    ///< unbilled wait for spot and flex-start, each time; nothing: 18 min on spot
  std::optional<seconds> restart_time{};  ///< billed time from new capacity to the next step
  seconds chip_time_between_failures = published_chip_time_between_failures;  ///< of one chip, in all ways of paying
  asked_phases around{};                                                      ///< of the run, besides its steps
  double noise_scale = 0;  ///< of the gradient, in tokens; 0: published laws of the critical batch
  nlohmann::json prices{};
  /// @}
};
/// The rows of the limits in time and dollars.
inline constexpr question_row budget_rows[] = {
    rows::dollars("budget_usd", "--budget", "Budget", "dollars: 1M; with --serve an hour"),
};
/// What a plan of training is asked besides its job and its limits.
inline constexpr question_row plan_rows[] = {
    rows::number("tokens", "--tokens", "Training tokens", "tokens", "to train on: 15T").within(1, 1e18),
    rows::time("deadline_s", "--deadline", "Deadline", "30d").within(1, 1e18),
    rows::words("by", "--by", "By", "date by whose end it is to be done: 2026-12-31; needs a start")
        .not_with("--deadline")
        .deciding("deadline"),
    rows::words("start", "--start", "Start", "date on which capacity is asked for: 2026-12-01").with("--by"),
    rows::share("chance", "--chance", "Chance", "the least chance to keep deadline and budget: 90%")
        .within(0.01, 0.999)
        .with("--deadline --by --budget"),
    rows::file("quotas", "--quota", "a file with chips that may be had; its form is in docs/prices.md"),
    rows::count("largest_slices", "--max-slices", "Slices over DCN, at most", "slices", "slices over DCN")
        .within(1, 1024)
        .usually("1"),
    rows::number("smallest_batch_tokens", "--min-batch-tokens", "Smallest batch", "tokens a step",
                 "the batch is chosen too: from here …")
        .within(1, 1e15)
        .not_with("--batch --batch-tokens"),
    rows::number("largest_batch_tokens", "--max-batch-tokens", "Largest batch", "tokens a step", "… to here")
        .within(1, 1e15)
        .not_with("--batch --batch-tokens"),
};
/// Degrees of the layout that a search keeps to.
inline constexpr question_row degree_rows[] = {
    rows::count("degrees.data", "--data", "Sharding: data", "shards", "a degree that is fixed; 0: chosen")
        .within(0, 1 << 20),
    rows::count("degrees.fsdp", "--fsdp", "Sharding: fsdp", "shards", "likewise").within(0, 1 << 20),
    rows::count("degrees.tensor", "--tensor", "Sharding: tensor", "shards", "likewise").within(0, 1 << 20),
    rows::count("degrees.expert", "--expert", "Sharding: expert", "shards", "likewise").within(0, 1 << 20),
    rows::count("degrees.context", "--context", "Sharding: context", "shards", "1 unless given; 0: chosen")
        .within(0, 1 << 20),
    rows::count("degrees.pipeline", "--pipeline", "Sharding: pipeline", "shards", "likewise").within(0, 1 << 20),
};
/// What the best plan would cost and take if one assumption changed; nothing where the plan is then impossible.
struct sensitivity_row {
  /// @{
  /// Dollars of the run, and its seconds from start to end.
  usd price_down{}, price_up{};  ///< if the price were 10 % lower or higher
  /// Step at either end of its band, twice the preemptions, twice the batch.
  std::optional<usd> step_low{}, step_high{}, twice_preempted{}, twice_the_batch{};
  std::optional<double> step_low_wall_s{}, step_high_wall_s{}, twice_preempted_wall_s{}, twice_the_batch_wall_s{};
  /// @}
};
/// One plan, its main figures first.
struct plan_row {
  /// @{
  /// The slice, the layout's main figures, and the whole plan.
  std::int64_t rank = 0;  ///< position in the list; 1 is the best plan
  std::string slice{};
  std::int64_t slices = 1, chips = 0;        ///< number of slices, and chips of all of them
  std::string layout{};                      ///< "fsdp 256"
  std::string remat{};                       ///< name of the remat policy
  std::int64_t batch = 0, microbatches = 1;  ///< sequences of a step, and into how many parts they are cut
  verdict fits{};                            ///< whether the job fits
  seconds step_time{}, step_time_low{}, step_time_high{};  ///< time of one step, and the ends of its band
  seconds run{};                                           ///< time of all steps without interruption
  double mfu = 0;                                          ///< model FLOPs over peak FLOPs, 0 to 1
  std::optional<provisioning> paid_as{};                   ///< the way of paying that the plan chose; nothing: no price
  std::optional<std::string> region{}, price_date{};       ///< where, and of which day the price is
  bool superseded = false;                                 ///< it is older than an announced change
  std::optional<usd> total{}, total_low{}, total_high{};   ///< dollars in that way, and the ends of their band
  std::optional<seconds> wall{}, wall_low{}, wall_high{};  ///< time from start to end in that way, and the same
  /// Chances to be done by the deadline and within the budget; nothing: there is none, or the row is beyond the 200th.
  std::optional<double> chance_in_time{}, chance_in_budget{};
  std::optional<run_checkpoints> checkpoints{};  ///< of the run as it is paid for, which launch asks for
  bool on_front = false;                         ///< no other plan or way of paying is both faster and cheaper
  std::string remarks{};                         ///< what to know of it: see remarks_of
  tpuplan::plan plan{};
  sensitivity_row sensitivity{};
  /// @}
};
/// A slice that is not among the plans.
struct rejected_row {
  /// @{
  /// The slice, how many of it, and why it is not among the plans.
  std::string slice{};
  std::int64_t slices = 1;
  rejection reason{};
  /// How far the limit is missed, in the base unit of the reason (bytes, seconds, dollars, chips).
  double amount = 0;
  /// The plan that is both faster and cheaper, or the way of paying that has a quota and no price, where that is the
  /// reason.
  std::optional<std::string> by{};
  /// @}
};
/// The slices that lost for one reason.
struct lost_row {
  /// @{
  /// The reason, and the number of slices that it applies to.
  rejection reason{};
  std::int64_t slices = 0;
  std::string closest{};  ///< the slice that misses the limit by least, in words
  /// @}
};
/// A limit that, relaxed alone, lets a plan in.
struct relaxed_row {
  /// @{
  /// The limit as given and as it would have to be, in its base unit (seconds, dollars, chips), and the plan it allows.
  plan_limit limit{};
  double given = 0, needed = 0;
  tpuplan::plan plan{};
  /// @}
};
/// Plans, lost slices and the question, as one document.
struct plan_document {
  /// @{
  /// The plans and the slices without a plan, one row each.
  std::string schema{json_schema};
  std::int64_t parameters = 0;  ///< of the model
  std::vector<plan_row> plans{};
  std::vector<lost_row> lost{};          ///< the same slices by reason
  std::vector<rejected_row> rejected{};  ///< one row for each slice that is not among the plans
  search_counts counts{};                ///< how many slices and layouts the search looked at
  /// Tokens a step of the run, beyond which more of them stop helping: the ends of what published laws say, or the
  /// noise scale of the question. Nothing: no law speaks of the run.
  std::optional<double> critical_batch_tokens_low{}, critical_batch_tokens_high{};
  std::vector<assumption> assumed{};  ///< values that the question left open, and why they were assumed
  plan_request request{};             ///< the question with nothing left open
  /// Where there is no plan: each limit that, relaxed alone, would allow one.
  std::optional<std::vector<relaxed_row>> relax{};
  /// @}
};

namespace detail {
/// What changes the plan's dollars and time, each figure under its key.
[[nodiscard]] inline sensitivity_row row_of(const plan_sensitivity& sensitivity) {
  sensitivity_row row;
  row.price_down = sensitivity.price_down;
  row.price_up = sensitivity.price_up;
  const auto add = [](const maybe<plan_cost>& cost, std::optional<usd>& total, std::optional<double>& wall) {
    if (!cost) return;
    total = cost->total;
    wall = cost->wall.value();
  };
  add(sensitivity.step_low, row.step_low, row.step_low_wall_s);
  add(sensitivity.step_high, row.step_high, row.step_high_wall_s);
  add(sensitivity.twice_preempted, row.twice_preempted, row.twice_preempted_wall_s);
  if (sensitivity.twice_the_batch)
    add(chosen_cost(*sensitivity.twice_the_batch), row.twice_the_batch, row.twice_the_batch_wall_s);
  return row;
}

}  // namespace detail

/// The critical batch of the run of a request, under that job: see `critical_batch_of`. Worked: of adapters there is
/// none.
[[nodiscard]] inline maybe<critical_batch_band> critical_batch_of(const plan_request& request,
                                                                  const training_job& job) {
  return critical_batch_of(request.model, job, request.tokens, request.noise_scale);
}

/// What to know of a plan, in words: limits that it keeps as estimated but not to the end of its band, few steps, a
/// batch beyond the critical one, a layout that nobody has published a run of, doubtful prices.
/// Worked: "may miss the deadline" where the run takes 40 days of 41, and 51 at the high end of its band.
[[nodiscard]] inline std::string remarks_of(const plan& offer, const plan_request& request) {
  std::string words;
  const auto add = [&words](bool holds, std::string_view what) {
    if (holds) words.append(words.empty() ? "" : "; ").append(what);
  };
  add(offer.fit == verdict::uncertain, "may not fit");
  add(offer.step.extrapolated, "outside of what published runs cover");
  add(offer.deadline_at_risk, "may miss the deadline");
  add(offer.budget_at_risk, "may cost more than the budget");
  const bool few = offer.steps > 0 && offer.steps < static_cast<double>(few_steps);
  add(few, std::to_string(static_cast<std::int64_t>(math::ceil(offer.steps))) + " steps in all");
  if (const maybe<critical_batch_band> band = critical_batch_of(request, offer.job))
    add(static_cast<double>(tokens_per_step(offer.job)) > band->high, critical_words(*band));
  add(!has_been_run(offer.mesh, offer.where.chip), "a layout that no published run has");
  if (offer.costs.empty()) return words;
  const price_row& price = chosen_cost(offer).price;
  add(is_far_below(request.prices, price), "price far below other regions");
  add(is_weak(price), "price of a weak source");
  add(is_before_announced_change(price), "price from before an announced change");
  return words;
}

namespace detail {
/// A plan as the document lists it.
[[nodiscard]] inline plan_row row_of(const plan& offer, std::int64_t rank, const plan_request& request) {
  plan_row row;
  row.rank = rank;
  row.slice = name(offer.where).view();
  row.slices = slices(offer.mesh);
  row.chips = checked_multiply(chips(offer.where), row.slices);
  row.layout = phrase(offer.mesh);
  row.remat = std::string(name(offer.job.remat));
  row.batch = offer.job.global_batch;
  row.microbatches = offer.job.gradient_accumulation;
  row.fits = offer.fit;
  row.step_time = offer.step.total;
  row.step_time_low = offer.step.low;
  row.step_time_high = offer.step.high;
  row.run = offer.run;
  row.mfu = offer.step.mfu;
  if (!offer.costs.empty()) {
    const plan_cost& cost = chosen_cost(offer);
    row.paid_as = cost.kind;
    row.region = std::string(cost.price.region.view());
    row.price_date = std::string(cost.price.date.view());
    row.superseded = is_before_announced_change(cost.price);
    row.total = cost.total;
    row.total_low = cost.low;
    row.total_high = cost.high;
    row.wall = cost.wall;
    row.wall_low = cost.wall_low;
    row.wall_high = cost.wall_high;
    const maybe<run_chances> chances = rank > 200 ? maybe<run_chances>{} : chances_of(offer, cost, request);
    if (chances && request.deadline) row.chance_in_time = chances->in_time;
    if (chances && request.budget) row.chance_in_budget = chances->in_budget;
  }
  if (request.model.layers > 0 && offer.steps > 0 && offer.step.total.value() > 0) {
    const provisioning kind = row.paid_as.value_or(provisioning::on_demand);
    row.checkpoints = checkpoints_of(training_state_of(request.model, offer.job).total, offer.steps, offer.step.total,
                                     checkpoint_interval_of(kind, row.slices, offer.step.total * offer.steps,
                                                            terms_of(offer, request, row.region.value_or("us"))),
                                     row.region.value_or(""));
  }
  row.remarks = remarks_of(offer, request);
  row.on_front = offer.on_front;
  row.plan = offer;
  row.sensitivity = row_of(sensitivity_of(offer, request));
  return row;
}
}  // namespace detail

/// The answer as a document: the plans at these indices of the answer, from 0, all lost slices, and the question, so
/// that `launch` and `read_plan` have it whole. Worked: the plan at index 1 is a row of rank 2.
[[nodiscard]] inline plan_document document_of(const plan_request& request, const relaxed_answer& whole,
                                               const std::vector<std::size_t>& indices,
                                               std::vector<assumption> assumed) {
  const plan_answer& answer = whole.answer;
  plan_document document;
  document.parameters = parameters(request.model).total;
  for (const std::size_t index : indices)
    document.plans.push_back(detail::row_of(answer.plans[index], static_cast<std::int64_t>(index) + 1, request));
  for (const auto& one : readable::by_reason(answer.rejected))
    document.lost.push_back({one.why, static_cast<std::int64_t>(one.count), readable::amount(one.closest)});
  for (const rejected_slice& rejected : answer.rejected) {
    rejected_row& row = document.rejected.emplace_back();
    row = {std::string(name(rejected.where).view()), rejected.slices, rejected.why, rejected.amount, {}};
    if (!rejected.by.empty()) row.by = std::string(rejected.by.view());
  }
  document.counts = answer.counts;
  if (const maybe<critical_batch_band> band = critical_batch_of(request, request.job))
    document.critical_batch_tokens_low = band->low, document.critical_batch_tokens_high = band->high;
  document.assumed = std::move(assumed);
  document.request = request;
  if (!answer.plans.empty()) return document;
  std::vector<relaxed_row>& relaxed = document.relax.emplace();
  for (const relaxation& change : whole.relaxations)
    relaxed.push_back({change.limit, change.given, change.needed, change.nearest});
  for (const plan_limit limit : whole.unsearched)
    document.assumed.push_back({"relaxing " + std::string(name(limit)), "not tried", "its search takes too long"});
  return document;
}

/// Sets the batch of the request in sequences, or the range of tokens from which a search chooses it. Throws for a
/// batch that is given in two ways, for a run shorter than a sequence, and for a run that needs a batch. Worked:
/// without a batch, steps of Llama 3 8B on 1e12 tokens have 1024 sequences of 4096 tokens; on 1e8 tokens 64.
inline void fill_batches(const asked_plan& asked, plan_request& request, assumed_values& assumed,
                         const data_set* data = nullptr) {
  if (asked.smallest_batch_tokens > 0 || asked.largest_batch_tokens > 0) {
    if (request.job.global_batch != 0 || asked.batch_tokens != 0)
      detail::fail(errc::invalid_argument, "smallest_batch_tokens", "given without effect", "none beside a batch");
    request.smallest_batch_tokens = detail::positive("smallest_batch_tokens", asked.smallest_batch_tokens);
    request.largest_batch_tokens = detail::positive("largest_batch_tokens", asked.largest_batch_tokens);
    return;
  }
  if (request.job.global_batch != 0) {
    if (asked.batch_tokens != 0)
      detail::fail(errc::invalid_argument, "batch_tokens", "given without effect", "none beside job.global_batch");
    return;
  }
  if (asked.batch_tokens != 0) return fill_batch(asked.batch_tokens, 1, request.job, assumed);
  take_usual_batch(asked.tokens, asked.noise_scale, request.model, request.job, assumed, data);
}

/// Plans that an answer lists, and all others on the front; the rest are among the slices that lost.
inline constexpr std::size_t most_listed_plans = 1000;

/// The question as make_plan has it, of that job, with what was left open filled in and added to `assumed`. It has a
/// view of the book, whose rows have to outlive it. Throws, naming the field, for what is invalid and for a region
/// without prices. `data` is what a run in epochs is trained on, whose tokens in one of them `asked.tokens` are then.
/// Worked: a question that says nothing of a batch has 1024 sequences of 4096 tokens, and at most 1000 plans.
[[nodiscard]] inline plan_request request_of(const model_config& config, const asked_plan& asked, const asked_job& job,
                                             const price_book& book, assumed_values& assumed,
                                             const data_set* data = nullptr) {
  plan_request request;
  request.model = config.model;
  request.job = filled_job(job, config.model, assumed);
  use_stored_format(config, request.job, job.base);
  if (job.remat) request.policies = {*job.remat};
  if (!job.remat) {  // which the search chooses
    const auto is_policy = [](const auto& one) { return one.first == "remat policy"; };
    assumed.erase(std::remove_if(assumed.begin(), assumed.end(), is_policy), assumed.end());
  }
  request.tokens = detail::positive("tokens", asked.tokens);
  fill_batches(asked, request, assumed, data);
  if (const std::optional<seconds> deadline = deadline_of(asked)) request.deadline = *deadline;
  if (asked.chance) request.chance = *asked.chance;
  if (asked.budget) request.budget = *asked.budget;
  request.best = asked.best;
  request.kinds = asked.kinds;
  request.regions = regions_named(book, asked.regions);
  request.regions_by_area = regions_by_area(request.regions, asked.regions);
  request.generations = asked.generations;
  request.smallest_chips = asked.smallest_chips;
  request.largest_chips = asked.largest_chips;
  request.largest_slices = asked.largest_slices;
  request.degrees = asked.degrees;
  request.quotas = asked.quotas;
  request.accept_uncertain = asked.accept_uncertain;
  request.most_plans = most_listed_plans;
  request.around = phases_of(asked.around, asked.restart_time, assumed);
  request.chip_time_between_failures = asked.chip_time_between_failures;
  request.noise_scale = asked.noise_scale;
  request.prices = book;
  if (request.generations.empty()) request.generations = usual_generations();
  for (const quota_row& row : asked.generations.empty() ? asked.quotas : std::vector<quota_row>{}) {
    if (const maybe<chip_spec> chip = find_chip(row.generation);
        chip && !detail::contains(request.generations, std::string(chip->name.view())))
      request.generations.emplace_back(chip->name.view());
  }
  request.zone = asked.zone;
  fill_capacity(asked, detail::contains(asked.kinds, provisioning::spot), request.generations, request.regions,
                request.terms, assumed);
  add_left_out(request, assumed);
  return request;
}
namespace detail {
/// Every plan within the limits, and why the other slices lost. The document has the book, whose rows must outlive it.
[[nodiscard]] inline plan_document answer_to_plan(const asked_plan& asked, const asked_job& job,
                                                  const price_book& book) {
  if (asked.rest_of_term_used > 0 && std::none_of(asked.kinds.begin(), asked.kinds.end(), is_commitment))
    fail(errc::unsupported, "rest_of_term_used", asked.rest_of_term_used, "0 where no way of paying is a commitment");
  const model_config config = model_of(asked.config);
  assumed_values assumed;
  const plan_request request = request_of(config, asked, job, book, assumed);
  relaxed_answer answer = plan_or_relax(request);
  answer.answer.plans = plans_and_front(answer.answer, request);
  std::vector<std::size_t> indices(answer.answer.plans.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return document_of(request, answer, indices, all_assumed(config, assumed));
}

/// The names of the targets in the order of their table, as a message lists them.
constexpr text<240> target_names() {
  text<240> names;
  std::string_view last;
  for (const launch_target& one : launch_targets) {
    if (!last.empty()) names.append(names.empty() ? "" : ", ").append(last);
    last = one.name;
  }
  return names.append(" or ").append(last);
}
inline constexpr text<240> all_targets = target_names();
}  // namespace detail

/// Which file or commands start a plan?
struct asked_launch {
  nlohmann::json plan{};     ///< full answer of the question plan
  std::int64_t rank = 1;     ///< which plan of the answer; 1 is the best one
  std::string target{};      ///< name of the launch target, such as "gke"
  launch_request request{};  ///< name, zone, image and so on; slices, capacity and times are taken from the plan
};
/// The rows of the question launch.
inline constexpr question_row launch_rows[] = {
    rows::file("plan", "plan", "the answer of tpuplan plan --json; - reads it"),
    rows::count("rank", "--rank", "Plan", "", "which of the plans").within(1, 1e6).usually("1"),
    rows::words("target", "--target", "For", detail::all_targets.view()),
    rows::words("request.reservation", "--reservation", "Reservation", "its name"),
    rows::words("request.name", "--name", "Name of the job", "of the job").usually("tpuplan"),
    rows::words("request.project", "--project", "Project", "of Google Cloud"),
    rows::words("request.zone", "--zone", "Zone", "us-east5-b"),
    rows::words("request.cluster", "--cluster", "Cluster",
                "of gcluster and xpk; gke: write the commands for its node pools too"),
    rows::words("request.image", "--image", "Container image", "container with the program"),
    rows::words("request.checkpoint", "--checkpoint", "Checkpoints in",
                "gs://BUCKET/FOLDER, CHECKPOINT_DIR to the program"),
};
/// What starts a plan.
struct launch_text {
  std::string text{};                 ///< the file, or the commands as a script
  nlohmann::ordered_json document{};  ///< the same as JSON
};
/// The file or the commands that start the plan of that rank, as text and as JSON. Throws for an unknown target, a rank
/// that the document does not have, and what the target does not offer. Worked: target "gk" is refused with the names
/// of all targets.
[[nodiscard]] inline launch_text answer_to(const asked_launch& asked) {
  const maybe<launch_target> target = find_launch_target(asked.target);
  if (!target) {
    std::string names;
    for (const launch_target& one : launch_targets) names.append(names.empty() ? "" : ", ").append(one.name);
    detail::fail(errc::unknown_name, "target", asked.target, names);
  }
  const launch_request request =
      launch_of(read_plan(asked.plan, asked.rank, "plan"), read_plan_request(asked.plan, "plan"), asked.request);
  const launch_output output = launch(*target, request);
  return {output.text, output.json};
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::asked_plan, config, tokens, job, batch_tokens, smallest_batch_tokens, largest_batch_tokens,
               deadline, budget, by, start, chance, best, kinds, regions, zone, generations, smallest_chips,
               largest_chips, largest_slices, degrees, quotas, accept_uncertain, mean_time_between_preemptions,
               rest_of_term_used, market, lifetimes, queue_time, restart_time, chip_time_between_failures, around,
               noise_scale, prices)
TPUPLAN_FIELDS(tpuplan::sensitivity_row, price_down, price_up, step_low, step_high, twice_preempted, twice_the_batch,
               step_low_wall_s, step_high_wall_s, twice_preempted_wall_s, twice_the_batch_wall_s)
TPUPLAN_FIELDS(tpuplan::plan_row, rank, slice, slices, chips, layout, remat, batch, microbatches, fits, step_time,
               step_time_low, step_time_high, run, mfu, paid_as, region, price_date, superseded, total, total_low,
               total_high, wall, wall_low, wall_high, chance_in_time, chance_in_budget, checkpoints, on_front, remarks,
               plan, sensitivity)
TPUPLAN_FIELDS(tpuplan::rejected_row, slice, slices, reason, amount, by)
TPUPLAN_FIELDS(tpuplan::lost_row, reason, slices, closest)
TPUPLAN_FIELDS(tpuplan::relaxed_row, limit, given, needed, plan)
TPUPLAN_FIELDS(tpuplan::plan_document, schema, parameters, plans, lost, rejected, counts, critical_batch_tokens_low,
               critical_batch_tokens_high, assumed, request, relax)
TPUPLAN_FIELDS(tpuplan::asked_launch, plan, rank, target, request)

#endif
