#ifndef TPUPLAN_PLAN_DIFFUSION_PLAN_HPP
#define TPUPLAN_PLAN_DIFFUSION_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/estimate/generation/layouts.hpp>
#include <tpuplan/estimate/generation/training.hpp>
#include <tpuplan/plan/network_plan.hpp>
#include <vector>

/// @file
/// Which slice trains a denoiser of images or clips, and in which layout.

namespace tpuplan {
inline namespace abi_0 {

/// A step of training a denoiser in a layout, the mean over the sizes that are trained on.
struct laid_out_training {
  generation_layout mesh{};   ///< of a slice
  diffusion_step step{};      ///< its mean time
  memory_breakdown memory{};  ///< of a device, at the size that needs most
};

/// The mean step over sizes of which each has as many steps; what limits it is of the first. Throws as `step_time`
/// does. Worked: of one size it is its step.
[[nodiscard]] inline diffusion_step mean_step(const std::vector<generation_work>& sizes,
                                              const diffusion_training_job& job, const generation_layout& mesh,
                                              const slice& where, std::int64_t slice_total = 1) {
  const double share = 1 / static_cast<double>(sizes.size());
  diffusion_step to;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const diffusion_step one = step_time(sizes[i], job, mesh, where, slice_total);
    if (i == 0) to.limited_by = one.limited_by;
    for (seconds diffusion_step::*part :
         {&diffusion_step::products, &diffusion_step::attention, &diffusion_step::elementwise,
          &diffusion_step::collectives, &diffusion_step::gradients, &diffusion_step::update, &diffusion_step::encoding,
          &diffusion_step::overhead, &diffusion_step::total, &diffusion_step::low, &diffusion_step::high,
          &diffusion_step::floor})
      to.*part += share * one.*part;
  }
  to.mfu = to.floor / to.total;
  to.examples_per_second = static_cast<double>(job.global_batch) / to.total;
  return to;
}

/// The memory of the size that needs most. Throws as `memory_use` does. Worked: of 256 x 256 and 512 x 512 that of the
/// second.
[[nodiscard]] inline memory_breakdown largest_memory(const std::vector<generation_work>& sizes,
                                                     const diffusion_training_job& job, const generation_layout& mesh,
                                                     const slice& where, std::int64_t slice_total = 1) {
  memory_breakdown most;
  for (const generation_work& work : sizes) {
    const memory_breakdown one = memory_use(work, job, mesh, where, slice_total);
    if (one.total >= most.total) most = one;
  }
  return most;
}

/// The fastest layout that surely fits; else, of those that may, the fastest whose estimate fits, and where that of
/// none does the fastest; else that which needs least; nothing where the batch cannot be shared by the devices. Worked:
/// a single device has one layout.
[[nodiscard]] inline maybe<laid_out_training> best_training(const std::vector<generation_work>& sizes,
                                                            const diffusion_training_job& job, const slice& where,
                                                            std::int64_t slice_total = 1,
                                                            const generation_freedom& free = {}) {
  maybe<laid_out_training> best;
  int rank = 3;
  const auto rank_of = [](const memory_breakdown& memory) {
    const verdict fit = fits(memory);
    return fit == verdict::yes ? 0 : fit == verdict::no ? 3 : memory.total <= memory.usable ? 1 : 2;
  };
  detail::for_each_generation_layout(free, devices(where), [&](const generation_layout& mesh) {
    if (job.global_batch % checked_multiply(mesh.data, slice_total) != 0) return;
    if (!refusal_of(sizes.front(), {mesh.data, 1, 1}, mesh, where).field.empty()) return;
    laid_out_training one{mesh, {}, largest_memory(sizes, job, mesh, where, slice_total)};
    const int now = rank_of(one.memory);
    if (best && now > rank) return;
    if (best && now == rank && now == 3 && one.memory.low >= best->memory.low) return;
    one.step = mean_step(sizes, job, mesh, where, slice_total);
    if (best && now == rank && now < 3 && one.step.total >= best->step.total) return;
    best = one, rank = now;
  });
  return best;
}

/// A run of training a denoiser, and its limits; fields that `network_request` has too mean the same.
struct diffusion_request {
  /// @{
  /// What is trained at each size, the step with its batch, the run, and its limits.
  std::vector<generation_work> sizes{};
  diffusion_training_job job{};
  data_set data{};
  std::optional<seconds> deadline{};
  std::optional<usd> budget{};
  objective best = objective::cheapest;
  std::vector<std::string> generations{}, regions{"us"}, regions_by_area{};
  std::string zone{};
  std::vector<provisioning> kinds{provisioning::on_demand};
  std::int64_t smallest_chips = 1, largest_chips = 1024;
  bool accept_uncertain = false;
  price_book prices{};
  payment_terms terms = detail::planned_terms();
  run_phases around = detail::planned_phases();
  seconds chip_time_between_failures = published_chip_time_between_failures;
  /// @}
};

/// A slice that trains the denoiser within the limits; fields that `network_plan` has too mean the same.
struct diffusion_plan {
  /// @{
  /// The slice, its layout and step, and the run, paid in the way that comes first.
  slice where{};
  generation_layout mesh{};
  diffusion_training_job job{};
  diffusion_step step{};
  memory_breakdown memory{};
  std::int64_t steps = 0;
  seconds run{};
  paid_run cost{};
  usd low{}, high{};
  seconds wall_low{}, wall_high{};
  /// @}
};

/// The plans, best first, and how many slices lost for each reason.
struct diffusion_answer {
  /// @{
  /// As in `network_answer`.
  std::vector<diffusion_plan> plans{};
  std::size_t does_not_fit = 0, may_not_fit = 0, does_not_divide = 0, no_price = 0, misses_deadline = 0,
              over_budget = 0;
  maybe<nearest_run> in_time{}, in_cost{};
  /// @}
};

/// What a checkpoint of such a training holds: the weights that are trained, and the optimizer's state. Worked: of Wan
/// 2.1 14B in fp32 under AdamW 14288491584 x 12 bytes.
[[nodiscard]] inline bytes checkpoint_of(const generation_part& denoiser, const diffusion_training_job& job) {
  return training_state_of(static_cast<std::int64_t>(trained_parameters(denoiser, job) + 0.5), trained_format(job),
                           job.optimizer, job.moments)
      .total;
}

/// The same of what a request trains. Worked: as its first size and job have it.
[[nodiscard]] inline bytes checkpoint_of(const diffusion_request& request) {
  return checkpoint_of(request.sizes.front().denoisers.items[0], request.job);
}

/// The terms under which such a run of so many steps is paid for in a region, as a plan of a language model has them.
/// Worked: a checkpoint of adapters holds what is trained alone.
[[nodiscard]] inline payment_terms payment_terms_of(const diffusion_request& request, const slice& where,
                                                    std::int64_t slice_total, std::int64_t steps, seconds step,
                                                    std::string_view region = {}) {
  run_phases run = request.around;
  run.steps = steps;
  run.step = step;
  return detail::terms_of_run(request.terms, checkpoint_of(request), request.chip_time_between_failures, run, where,
                              slice_total, detail::place_of(request, region));
}

/// All slices that train the denoiser within the limits, best first, each in the fastest layout that fits. All do the
/// same work. Throws, naming the field, for an invalid request: no sizes, no examples, no batch. Worked: twice the
/// epochs take no fewer dollars.
[[nodiscard]] inline diffusion_answer plan_diffusion(const diffusion_request& request) {
  if (request.sizes.empty()) detail::fail(errc::missing_field, "diffusion_request.sizes", "none", "one or more");
  detail::positive_count("diffusion_request.data.examples", request.data.examples);
  detail::positive_count("diffusion_request.job.global_batch", request.job.global_batch);
  const std::int64_t steps = epochs_of(request.data, request.job.global_batch).steps;
  diffusion_answer answer;
  detail::plan_slices(request, steps, answer, [&](const slice& where) {
    maybe<diffusion_plan> planned;
    const maybe<laid_out_training> laid = best_training(request.sizes, request.job, where);
    if (!laid) return ++answer.does_not_divide, planned;
    const verdict fit = fits(laid->memory);
    if (fit == verdict::no) return ++answer.does_not_fit, planned;
    if (fit == verdict::uncertain && !request.accept_uncertain) return ++answer.may_not_fit, planned;
    planned = diffusion_plan{where, laid->mesh, request.job, laid->step, laid->memory, 0, {}, {}, {}, {}};
    return planned;
  });
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
