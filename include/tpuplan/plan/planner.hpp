#ifndef TPUPLAN_PLAN_PLANNER_HPP
#define TPUPLAN_PLAN_PLANNER_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/plan/candidate.hpp>
#include <tpuplan/plan/layouts.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/pricing.hpp>
#include <tpuplan/plan/search.hpp>
#include <utility>
#include <vector>

/// @file
/// The planner of training: of every slice that the request allows, and every number of them, the fastest layout,
/// batch, number of microbatches and remat policy; and what that costs in each region and under each way of paying.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The fastest candidate of a number of equal slices, or what came closest to one.
struct slice_search {
  rejected_slice closest{};
  double run = std::numeric_limits<double>::infinity();  ///< seconds of the whole run
  layout mesh{};
  std::int64_t batch = 0;
  std::int64_t accumulation = 0;
  std::size_t policy = 0;

  [[nodiscard]] bool found() const { return accumulation > 0; }
};

/// What the search of all slices shares.
struct search_space {
  const plan_request& request;
  std::vector<remat_policy> policies;
  std::vector<std::int64_t> batches;  ///< sequences in a step
  hoisted_job job{};
};

/// What is hoisted for one chip, by tensor degree, made when it is first asked for. What `at` returns lives until the
/// next call.
class hoisted_degrees {
 public:
  hoisted_degrees(const hoisted_job& job, const chip_spec& chip) : job_{&job}, chip_{chip} {}

  [[nodiscard]] const chip_spec& chip() const noexcept { return chip_; }

  const hoisted_tensor& at(std::int64_t tensor) {
    if (last_ != nullptr && last_->degree == tensor) return *last_;
    for (const hoisted_tensor& one : degrees_) {
      if (one.degree == tensor) return *(last_ = &one);
    }
    degrees_.push_back(hoist(*job_, chip_, tensor));
    return *(last_ = &degrees_.back());
  }

 private:
  const hoisted_job* job_;
  chip_spec chip_;
  std::vector<hoisted_tensor> degrees_;
  const hoisted_tensor* last_ = nullptr;
};

/// All policies that keep their tensors in HBM: the time of transfers to hosts is not estimated.
inline std::vector<remat_policy> policies_of(const plan_request& request) {
  if (!request.policies.empty()) return request.policies;
  std::vector<remat_policy> list;
  const layer_widths widths = widths_of(request.model);
  for (const named_remat_policy& candidate : remat_policies) {
    if (saved_width(widths, candidate.policy, placement::host) == 0) list.push_back(candidate.policy);
  }
  return list;
}

/// The batch as it is given, or every doubling from the smallest one of the range on.
inline std::vector<std::int64_t> batches_of(const plan_request& request) {
  if (request.largest_batch_tokens == 0) return {request.job.global_batch};
  const auto length = static_cast<double>(request.job.sequence_length);
  std::vector<std::int64_t> list;
  for (std::int64_t batch = ceil_to_count(request.smallest_batch_tokens / length);
       static_cast<double>(batch) * length <= request.largest_batch_tokens; batch = checked_multiply(batch, 2)) {
    list.push_back(batch);
  }
  if (list.empty())
    fail(errc::out_of_range, "plan.largest_batch_tokens", request.largest_batch_tokens, "one sequence or more");
  return list;
}

/// Tries every number of microbatches and every policy of a layout.
inline void search_layout(slice_search& search, const search_space& space, const hoisted_layout& at, const layout& mesh,
                          std::int64_t batch, double steps, double usable, search_counts& counts) {
  for_each_divisor(batch / batch_shards(mesh), [&](std::int64_t accumulation) {
    for (std::size_t policy = 0; policy < space.policies.size(); ++policy) {
      const candidate c = evaluate(at, accumulation, policy);
      ++counts.candidates;
      const double low = c.on_device.low.value(), high = c.on_device.high.value();
      if (low > (2 - safe_share) * usable) {
        come_closer(search.closest, rejection::does_not_fit, low - usable);
      } else if (!(high < safe_share * usable) && !space.request.accept_uncertain) {
        come_closer(search.closest, rejection::fit_uncertain, high - safe_share * usable);
      } else if (c.time.value() * steps < search.run) {
        search.run = c.time.value() * steps;
        search.mesh = mesh;
        search.batch = batch;
        search.accumulation = accumulation;
        search.policy = policy;
      }
    }
  });
}

/// The fastest candidate on that many equal slices. A layout whose bound is no faster than what was found is pruned:
/// that cannot change which is the fastest, nor the reason where there is none.
inline slice_search search_slices(const slice& where, std::int64_t slice_total, const search_space& space,
                                  hoisted_degrees& degrees, search_counts& counts) {
  const plan_request& request = space.request;
  slice_search search;
  const auto device_count = devices(where);
  search.closest = {where, slice_total, rejection::no_layout, static_cast<double>(device_count), {}};
  const double usable = usable_hbm_per_device(where.chip).value();
  const auto length = static_cast<double>(request.job.sequence_length);
  for_each_layout(device_count, slice_total, request.model, request.job, request.degrees, [&](const layout& mesh) {
    for (const std::int64_t batch : space.batches) {
      if (!batch_divides(mesh, batch)) {
        come_closer(search.closest, rejection::batch_does_not_divide, static_cast<double>(device_count));
        continue;
      }
      ++counts.layouts;
      const double steps = math::ceil(request.tokens / (static_cast<double>(batch) * length));
      const hoisted_layout at = hoist(degrees.at(mesh.tensor), where, mesh, batch);
      if (least_time(at).value() * steps >= search.run) {
        ++counts.pruned;
        continue;
      }
      search_layout(search, space, at, mesh, batch, steps, usable, counts);
    }
  });
  return search;
}

/// The plan that a search found, estimated by the public functions.
inline plan plan_of(const slice& where, const slice_search& search, const search_space& space) {
  plan found;
  found.where = where;
  found.mesh = search.mesh;
  found.job = space.request.job;
  found.job.global_batch = search.batch;
  found.job.gradient_accumulation = search.accumulation;
  found.job.remat = space.policies[search.policy];
  found.memory = memory_use(space.request.model, found.job, found.mesh, where);
  found.fit = fits(found.memory);
  found.step = step_time(space.request.model, found.job, found.mesh, where, space.request.constants);
  found.steps = math::ceil(space.request.tokens / static_cast<double>(tokens_per_step(found.job)));
  found.run = found.step.total * found.steps;
  return found;
}

/// Marks the plans that no other beats in time and money, by a sweep in the order of time.
inline void mark_front(std::vector<plan>& plans) {
  const auto before = [&](std::size_t a, std::size_t b) {
    const plan_cost &x = chosen_cost(plans[a]), &y = chosen_cost(plans[b]);
    return x.wall != y.wall ? x.wall < y.wall : x.total < y.total;
  };
  const plan_cost* cheapest = nullptr;
  for (const std::size_t place : order_of(plans.size(), before)) {
    const plan_cost& cost = chosen_cost(plans[place]);
    const bool equal = cheapest != nullptr && cost.wall == cheapest->wall && cost.total == cheapest->total;
    plans[place].on_front = cheapest == nullptr || equal || cost.total < cheapest->total;
    if (plans[place].on_front) cheapest = &cost;
  }
}

/// Keeps the plans of the front and the best ones; of every other plan it says which of those dominates it.
inline void keep_best(plan_answer& answer, std::size_t most) {
  for (const plan& planned : take_rest(answer.plans, most, [](const plan& other) { return other.on_front; })) {
    rejected_slice lost{planned.where, slices(planned.mesh), rejection::dominated, 0, {}};
    const plan* by = nullptr;
    for (const plan& other : answer.plans) {
      const bool no_worse = chosen_cost(other).wall <= chosen_cost(planned).wall && other.on_front;
      if (no_worse && (by == nullptr || chosen_cost(other).total < chosen_cost(*by).total)) by = &other;
    }
    if (by != nullptr) {
      lost.amount = (chosen_cost(planned).total - chosen_cost(*by).total).value();
      lost.by = plan_name(*by);
    }
    answer.rejected.push_back(lost);
  }
}

inline void check_range(const plan_request& request) {
  not_negative("plan.smallest_batch_tokens", request.smallest_batch_tokens);
  not_negative("plan.largest_batch_tokens", request.largest_batch_tokens);
  if ((request.smallest_batch_tokens > 0) != (request.largest_batch_tokens > 0))
    fail(errc::missing_field, "plan.largest_batch_tokens", request.largest_batch_tokens, "both ends of the range");
  if (request.smallest_batch_tokens > request.largest_batch_tokens) {
    fail(errc::invalid_argument, "plan.smallest_batch_tokens", request.smallest_batch_tokens,
         "at most plan.largest_batch_tokens");
  }
}

inline void check_degrees(const plan_request& request) {
  const fixed_degrees& d = request.degrees;
  for (const std::int64_t degree :
       {d.data, d.fsdp, d.tensor, d.expert, d.context, d.pipeline, d.dcn_data, d.dcn_fsdp, d.dcn_pipeline}) {
    count_from("plan.degrees", degree, 0);
  }
  if (d.expert > 1 && !has_experts(request.model))
    fail(errc::invalid_argument, "plan.degrees.expert", d.expert, "1 or 0 for a model without experts");
}

inline void check_quotas(const plan_request& request) {
  for (const quota_row& row : request.quotas) {
    (void)chip_named(request, "plan.quotas.generation", row.generation);
    count_from("plan.quotas.chips", row.chips, 0);
  }
}

inline void check_request(const plan_request& request) {
  training_job job = request.job;
  check_range(request);
  if (request.largest_batch_tokens > 0) job.global_batch = 1;
  job.gradient_accumulation = 1;
  validate(request.model);
  validate(job);
  if (request.model.kind == architecture::encoder_decoder || request.model.kind == architecture::vision) {
    fail(errc::unsupported, "training of an architecture", name(request.model.kind), "decoder or encoder");
  }
  in_range("plan.tokens", request.tokens, 1, 1e18, "1 to 1e18 tokens");
  if (request.deadline) positive("plan.deadline in seconds", request.deadline->value());
  check_slices("plan.largest_slices", request.largest_slices);
  if (request.policies.size() > 16)
    fail(errc::out_of_range, "plan.policies", static_cast<std::int64_t>(request.policies.size()), "at most 16");
  check_degrees(request);
  check_limits(request);
  check_quotas(request);
}

/// Whether the chip has the rates that the job needs: over several slices also that of the data-centre network.
inline bool has_rates(const chip_spec& chip, const training_job& job, std::int64_t slice_total) {
  if (!has_peak_rate(chip, job.compute)) return false;
  if (job.state_on_host != host_state::none && !chip.host.pcie.has_value()) return false;
  return slice_total == 1 || chip.host.dcn.has_value();
}

/// Plans for a slice, alone and in every number that is wanted.
inline void plan_shape(const slice& where, const search_space& space, hoisted_degrees& degrees,
                       const price_index& prices, plan_answer& answer) {
  const plan_request& request = space.request;
  for (std::int64_t slice_total = 1; slice_total <= request.largest_slices; ++slice_total) {
    const std::int64_t chip_count = checked_multiply(chips(where), slice_total);
    if (chip_count > request.largest_chips) break;
    if (chip_count < request.smallest_chips) continue;
    ++answer.counts.slices;
    if (!has_rates(where.chip, request.job, slice_total)) {
      answer.rejected.push_back({where, slice_total, rejection::no_such_rate, 0, {}});
      continue;
    }
    const slice_search search = search_slices(where, slice_total, space, degrees, answer.counts);
    if (!search.found()) {
      answer.rejected.push_back(search.closest);
      continue;
    }
    plan found = plan_of(where, search, space);
    add_costs(found, request, prices, answer.counts);
    if (const maybe<rejected_slice> missed = choose_cost(found, request)) {
      answer.rejected.push_back(*missed);
    } else {
      answer.plans.push_back(std::move(found));
    }
  }
}

}  // namespace detail

/// The best plans to train a model on that many tokens, best first, and one reason for every other slice. All plans of
/// the front of time and money are among them. The search is exact: no candidate of the space is faster on its slices
/// than the plan that is returned for them. Every returned plan re-evaluates to the same figures through `memory_use`
/// and `step_time`. Throws, naming the field, for requests that cannot be asked: no tokens, a negative deadline, a name
/// of no region or chip, a price of no chip. Worked: examples/first_plan.cpp.
[[nodiscard]] inline plan_answer make_plan(const plan_request& request) {
  detail::check_request(request);
  detail::search_space space{request, detail::policies_of(request), detail::batches_of(request), {}};
  space.job =
      detail::hoist(request.model, request.job, space.policies.data(), space.policies.size(), request.constants);
  const detail::price_index prices(request);
  plan_answer answer;
  detail::hoisted_degrees degrees(space.job, {});
  for (const slice& where : detail::slices_for(request)) {
    if (where.chip.name != degrees.chip().name) degrees = {space.job, where.chip};
    detail::plan_shape(where, space, degrees, prices, answer);
  }
  detail::rank(answer.plans, [&](const plan& planned) {
    const detail::merits of = detail::merits_of(planned, chosen_cost(planned));
    return detail::rank_key{detail::worth(of, request.best), of.chips, detail::plan_name(planned)};
  });
  detail::mark_front(answer.plans);
  detail::keep_best(answer, request.most_plans);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
