#ifndef TPUPLAN_ASK_PLAN_TRAIN_GENERATION_HPP
#define TPUPLAN_ASK_PLAN_TRAIN_GENERATION_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/plan_network.hpp>
#include <tpuplan/ask/train_generation.hpp>
#include <utility>
#include <vector>

/// @file
/// The question plan_train_generation: which slices train a denoiser of images or clips.

namespace tpuplan {
inline namespace abi_0 {

/// Which slices train a denoiser of images or clips best?
struct plan_train_generation_request {
  /// @{
  /// The pipeline, its job and run as in train_generation_request; limits as in plan_network_request.
  nlohmann::json config{};
  std::vector<std::string> sizes{};
  std::int64_t frames = 0, text_tokens = 0;
  diffusion_training_job job{};  ///< with its batch, which all slices take
  data_set data{};
  std::optional<seconds> deadline{};
  std::optional<usd> budget{};
  std::string by{}, start{};  ///< dates instead of the deadline: "2026-12-31", from "2026-12-01" on
  objective best = objective::cheapest;
  std::vector<provisioning> kinds{provisioning::on_demand};
  std::vector<std::string> regions{"us"}, generations{};
  std::string zone{};
  std::int64_t smallest_chips = 1, largest_chips = 1024;
  bool accept_uncertain = false;
  std::optional<seconds> mean_time_between_preemptions{};
  double rest_of_term_used = 0;
  std::optional<spot_market> market{};
  std::vector<own_lifetime> lifetimes{};  ///< of one's own spot slices, instead of what is published alone
  std::optional<seconds> queue_time{};
  std::optional<seconds> restart_time{};
  seconds chip_time_between_failures = published_chip_time_between_failures;
  asked_phases around{};
  nlohmann::json prices{};
  /// @}
};

/// A slice that trains the denoiser within the limits.
struct plan_train_generation_row {
  /// @{
  /// The slice, its step and its run, paid in the way that comes first; names as in train_generation_answer.
  std::int64_t rank = 0;  ///< 1 is the best plan
  std::string slice{};
  std::int64_t chips = 0, batch = 0;
  generation_layout mesh{};
  seconds step_time{}, step_time_low{}, step_time_high{};
  double mfu = 0;
  per_second examples{};
  diffusion_step breakdown{};
  verdict fits{};
  bytes used{}, usable{};
  std::int64_t steps = 0;
  seconds run{};
  usd cost{}, cost_low{};
  std::optional<usd> cost_high{};
  seconds wall{};
  provisioning kind{};
  std::string region{};
  price_row price{};
  bool superseded = false;  ///< that price is older than an announced change
  run_checkpoints checkpoints{};
  payment_terms terms{};
  std::string maxdiffusion_refuses{};
  /// Chances to be done by the deadline and within the budget; nothing: there is none.
  std::optional<double> chance_in_time{}, chance_in_budget{};
  /// @}
};
/// Plans, lost slices and the question.
struct plan_train_generation_answer {
  /// @{
  /// The plans, best first, and the question with nothing left open.
  std::string schema{json_schema};
  std::int64_t trained_parameters = 0;
  epoch_count epochs{};
  std::vector<plan_train_generation_row> plans{};
  lost_networks lost{};
  std::vector<assumption> assumed{};
  std::string model{};
  data_set data{};
  objective best{};
  std::vector<training_bucket> buckets{};  ///< sizes, with the step of the best plan
  diffusion_training_job job{};
  bool clips = false;
  std::vector<std::int64_t> denoiser_parameters{};  ///< of each denoiser
  std::int64_t text_tokens = 0;                     ///< of a prompt, padded; 0: the denoiser sees no text
  /// @}
};

namespace detail {

/// The search that a question asks for, and what was assumed of it.
[[nodiscard]] inline diffusion_request request_of(const training_subject& about,
                                                  const plan_train_generation_request& asked, const price_book& book,
                                                  assumed_values& assumed) {
  positive_count("data.examples", asked.data.examples);
  if (asked.job.global_batch == 0)
    fail(errc::missing_field, "job.global_batch", "missing",
         "examples in a step, the same on every slice: fine-tuning takes small batches, such as 16");
  check_moments(asked.job);
  check_ways(asked);
  diffusion_request request;
  request.sizes = about.works, request.job = asked.job, request.data = asked.data;
  request.deadline = deadline_of(asked), request.budget = asked.budget, request.best = asked.best;
  request.kinds = asked.kinds, request.regions = regions_named(book, asked.regions);
  request.regions_by_area = regions_by_area(request.regions, asked.regions);
  request.generations = asked.generations.empty() ? usual_generations() : asked.generations;
  request.smallest_chips = asked.smallest_chips, request.largest_chips = asked.largest_chips;
  request.accept_uncertain = asked.accept_uncertain, request.prices = book;
  fill_run(asked, contains(asked.kinds, provisioning::spot), request.generations, request.regions, request, assumed);
  add_left_out(request, assumed);
  return request;
}

[[nodiscard]] inline plan_train_generation_row row_of(const diffusion_request& request, const diffusion_plan& one,
                                                      std::int64_t rank, luck_of_runs& luck) {
  plan_train_generation_row row;
  row.rank = rank, row.slice = tpuplan::name(one.where).view(), row.chips = tpuplan::chips(one.where);
  row.batch = one.job.global_batch, row.mesh = one.mesh, row.breakdown = one.step;
  row.step_time = one.step.total, row.step_time_low = one.step.low, row.step_time_high = one.step.high;
  row.mfu = one.step.mfu, row.examples = one.step.examples_per_second;
  row.fits = tpuplan::fits(one.memory), row.used = one.memory.total, row.usable = one.memory.usable;
  row.steps = one.steps, row.run = one.run, row.wall = one.cost.wall;
  row.cost = one.cost.total, row.cost_low = one.low, row.cost_high = if_finite(one.high);
  row.kind = one.cost.kind, row.price = one.cost.price, row.superseded = is_before_announced_change(one.cost.price),
  row.region = one.cost.price.region.view();
  row.checkpoints = checkpoints_of(request, one);
  row.terms = payment_terms_of(request, one.where, 1, one.steps, one.step.total, row.region);
  set_chances(request, one, luck, row);
  return row;
}

}  // namespace detail

/// Every slice that trains the denoiser within the limits, each in its fastest layout, and why the others lost. Throws,
/// naming the field, for a question without examples or a batch. Worked: a row has the step that train_generation
/// answers of its slice and layout.
[[nodiscard]] inline plan_train_generation_answer answer_to_plan_train_generation(
    const diffusion_pipeline& pipeline, const std::vector<assumption>& read, const plan_train_generation_request& asked,
    const price_book& book) {
  detail::training_subject about = detail::subject_of(pipeline, asked);
  const diffusion_request request = detail::request_of(about, asked, book, about.assumed);
  const diffusion_answer found = plan_diffusion(request);
  plan_train_generation_answer answer;
  answer.denoiser_parameters = detail::denoiser_parameters_of(pipeline);
  answer.text_tokens = about.text_tokens;
  luck_of_runs luck(runs_of_a_plan);
  for (const diffusion_plan& one : found.plans) {
    answer.plans.push_back(detail::row_of(request, one, static_cast<std::int64_t>(answer.plans.size()) + 1, luck));
    answer.plans.back().maxdiffusion_refuses =
        detail::refusal_to_train(pipeline, answer.denoiser_parameters, about, one.job, one.mesh, one.where, 1);
  }
  for (std::size_t i = 0; i < about.works.size(); ++i) {
    training_bucket& bucket = answer.buckets.emplace_back();
    bucket.size = about.sizes[i];
    if (found.plans.empty()) continue;
    const diffusion_plan& best = found.plans.front();
    bucket.step_time = step_time(about.works[i], best.job, best.mesh, best.where).total;
  }
  answer.trained_parameters =
      static_cast<std::int64_t>(std::llround(trained_parameters(about.works.front().denoisers.items[0], asked.job)));
  answer.epochs = epochs_of(asked.data, asked.job.global_batch);
  answer.lost = detail::lost_of(found);
  detail::set_assumed(answer.assumed, read, about.assumed);
  answer.model = pipeline.name.view(), answer.data = asked.data, answer.best = asked.best, answer.job = asked.job;
  answer.clips = about.sizes.front().frames > 1;
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::plan_train_generation_request, config, sizes, frames, text_tokens, job, data, deadline, budget,
               by, start, best, kinds, regions, generations, zone, smallest_chips, largest_chips, accept_uncertain,
               mean_time_between_preemptions, rest_of_term_used, market, lifetimes, queue_time, restart_time,
               chip_time_between_failures, around, prices)
TPUPLAN_FIELDS(tpuplan::plan_train_generation_row, rank, slice, chips, batch, mesh, step_time, step_time_low,
               step_time_high, mfu, examples, breakdown, fits, used, usable, steps, run, cost, cost_low, cost_high,
               wall, kind, region, price, superseded, checkpoints, terms, maxdiffusion_refuses, chance_in_time,
               chance_in_budget)
TPUPLAN_FIELDS(tpuplan::plan_train_generation_answer, schema, trained_parameters, epochs, plans, lost, assumed, model,
               data, best, buckets, job, clips, denoiser_parameters, text_tokens)

#endif
