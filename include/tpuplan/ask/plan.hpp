#ifndef TPUPLAN_ASK_PLAN_HPP
#define TPUPLAN_ASK_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/own_runs.hpp>
#include <tpuplan/ask/phases.hpp>
#include <tpuplan/ask/plan_document.hpp>
#include <tpuplan/ask/usual_batch.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/read/world_prices.hpp>
#include <tpuplan/read/zones.hpp>
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
  nlohmann::json calibration{};  ///< runs of the user's own, as tpuplan calibrate writes them; nothing: none
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

namespace detail {
/// Says which rows of quotas are of no region of the question, where they allow nothing, and leaves out those of known
/// regions, of which the prices of the question may have none; an unknown region stays, to be refused. Where none is
/// left, a row of no chips stands for them: without rows any number of chips could be had.
inline void assume_quotas(plan_request& request, assumed_values& assumed) {
  if (request.quotas.empty()) return;
  const owned_price_book world = world_prices();
  const std::vector<std::string> known = all_regions(world.book());
  std::vector<quota_row> kept;
  for (const quota_row& row : request.quotas) {
    const bool is_asked = is_asked_for(request.regions, row.region);
    if (is_asked || !contains(known, row.region)) kept.push_back(row);
    if (is_asked) continue;
    assumed.emplace_back("quota", grouped(row.chips) + " chips of " + row.generation + " on " +
                                      std::string(name(row.kind)) + " in " + row.region +
                                      ": not used, that region is not asked for");
  }
  if (kept.empty()) {
    kept.push_back(request.quotas.front());
    kept.front().region = request.regions.front(), kept.front().chips = 0;
  }
  request.quotas = std::move(kept);
}
}  // namespace detail

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
  check_sharing(request.job, asked.degrees.context);
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
  detail::assume_quotas(request, assumed);
  add_left_out(request, assumed);
  if (!asked.calibration.is_null()) learn(request, constants_of(asked.calibration, calibrated_part::steps), assumed);
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
  relaxed_answer answer = plan_or_relax(
      request, asked.zone.empty() ? std::vector<std::string>{} : generations_in(built_in_zones(), asked.zone));
  answer.answer.plans = plans_and_front(answer.answer, request);
  std::vector<std::size_t> indices(answer.answer.plans.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  plan_document document = document_of(request, answer, indices, all_assumed(config, assumed));
  set_dates(document, asked.by, asked.start);
  set_chances(document, indices);
  return document;
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
               noise_scale, prices, calibration)
TPUPLAN_FIELDS(tpuplan::asked_launch, plan, rank, target, request)

#endif
