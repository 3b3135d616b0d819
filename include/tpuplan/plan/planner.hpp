#ifndef TPUPLAN_PLAN_PLANNER_HPP
#define TPUPLAN_PLAN_PLANNER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/estimate/training/own_runs.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/plan/batches.hpp>
#include <tpuplan/plan/candidate.hpp>
#include <tpuplan/plan/front.hpp>
#include <tpuplan/plan/layouts.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/pricing.hpp>
#include <tpuplan/plan/request_checks.hpp>
#include <tpuplan/plan/search.hpp>
#include <utility>
#include <vector>

/// @file
/// The planner of training: for every slice that the request allows, and every number of such slices, the fastest
/// layout, batch, number of microbatches and remat policy; and what that costs in each region and under each way of
/// paying.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The most sequences in a step of any batch that the search tries.
inline constexpr std::int64_t most_batches = 1048576;

/// Remat policies to choose from.
struct policy_list {
  std::array<remat_policy, most_policies> items{};  ///< the first `count` are set
  static_assert(std::size(remat_policies) <= most_policies, "all named policies are searched: raise most_policies");
  std::size_t count = 0;
  std::size_t in_hbm = 0;  ///< the first of them, whose tensors all stay in HBM

  void add(const remat_policy& policy) { items[count++] = policy; }
};

/// What the search of all slices shares.
struct search_space {
  const plan_request& request;
  policy_list policies;
  batch_range batches{};
  hoisted_job job{};
  hoisted_job without_host{};  ///< for chips whose rate to the host is not known: with the policies `in_hbm` alone

  [[nodiscard]] const hoisted_job& job_on(const chip_spec& chip) const {
    return host_rate(chip).has_value() ? job : without_host;
  }
};

/// The hoisted terms of one chip for each tensor degree, computed when first asked for. The reference that `at` returns
/// is valid until the next call.
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

  /// The least of each sum of the work under any tensor degree over which the heads divide, and any policy.
  const work_sums& least() {
    if (has_least_) return least_.work;
    least_ = at(1).least;
    for_each_divisor(job_->model.attention.heads, [&](std::int64_t tensor) {
      if (heads_divide(job_->model, tensor)) keep_least(least_, at(tensor).least);
    });
    has_least_ = true;
    return least_.work;
  }

 private:
  const hoisted_job* job_;
  chip_spec chip_;
  std::vector<hoisted_tensor> degrees_;
  const hoisted_tensor* last_ = nullptr;
  hoisted_policy least_{};
  bool has_least_ = false;
};

/// The policies of the request, or all named ones, those that move nothing to the host first.
inline policy_list policies_of(const plan_request& request) {
  policy_list list;
  const layer_widths widths = widths_of(request.model);
  for (const bool on_host : {false, true}) {
    const auto add = [&](const remat_policy& policy) {
      if ((saved_width(widths, policy, placement::host) > 0) == on_host) list.add(policy);
    };
    for (const remat_policy& policy : request.policies) add(policy);
    if (request.policies.empty()) {
      for (const named_remat_policy& one : remat_policies) add(one.policy);
    }
    if (!on_host) list.in_hbm = list.count;
  }
  return list;
}

/// The given batch, or every whole number of sequences within the range, at most those of the run.
inline batch_range batches_of(const plan_request& request) {
  const auto length = static_cast<double>(request.job.sequence_length);
  batch_range range{request.job.global_batch, request.job.global_batch, request.tokens / length, 0};
  const std::int64_t all = ceil_to_count(range.sequences);
  if (request.largest_batch_tokens == 0) {
    if (range.largest > all)
      fail(errc::out_of_range, "plan.job.global_batch", range.largest, "at most the sequences of the run");
    return range;
  }
  range.smallest = ceil_to_count(request.smallest_batch_tokens / length);
  range.largest = floor_to_count(request.largest_batch_tokens / length);
  if (range.largest > all) range.largest = all;
  if (range.smallest > range.largest)
    fail(errc::out_of_range, "plan.largest_batch_tokens", request.largest_batch_tokens,
         "one sequence or more, whole ones, of those of the run");
  if (range.largest > most_batches)
    fail(errc::out_of_range, "plan.largest_batch_tokens", request.largest_batch_tokens, "at most 1048576 sequences");
  return range;
}

/// The search of layouts on a number of equal slices: see `for_each_layout`.
class layout_search {
 public:
  layout_search(const slice& where, const search_space& space, const batch_range& batches, hoisted_degrees& degrees,
                search_meter& meter)
      : where_{where}, space_{space}, batches_{batches}, degrees_{degrees}, meter_{meter} {}

  /// The fastest candidate, or what came closest to one; of a range of batches that of the smallest batch whose run is
  /// no more than `equal_runs_within` longer. A layout whose lower bound on time is not below the best time found is
  /// pruned, which changes neither that candidate nor the reason where there is none.
  slice_search of(std::int64_t slice_total) {
    const plan_request& request = space_.request;
    const std::int64_t device_count = devices(where_);
    found_.closest = {where_, slice_total, rejection::no_layout, static_cast<double>(device_count), {}};
    for_each_layout(device_count, slice_total, request.model, request.job, request.degrees, *this);
    if (!found_.found() || batches_.smallest >= found_.batch) return found_;
    batches_.largest = found_.batch;
    bound_.run = found_.run * (1 + equal_runs_within);
    bound_.accumulation = 1;
    take_smaller(found_.mesh);
    for_each_layout(device_count, slice_total, request.model, request.job, request.degrees, *this);
    return found_;
  }

  /// Whether any layout with these stages may have a batch, and be faster than what was found. The bound is that of the
  /// least work of any tensor degree, and of no traffic in the slice but that of keys and values.
  bool enter_stages(const layout& mesh) {
    meter_.small_step();
    if (meter_.is_spent()) return false;
    const plan_request& request = space_.request;
    if (!are_defaults(request.degrees) || !has_text(request.model)) return true;
    const std::int64_t shards = checked_multiply(mesh.fsdp, mesh.dcn_data);
    if (shards / request.model.attention.heads > batches_.largest) {
      come_closer(found_.closest, rejection::batch_does_not_divide, static_cast<double>(devices(where_)));
      return false;
    }
    if (!found_.found() || request.constants.own.count > 0) return true;
    meter_.step();
    training_job job = request.job;
    job.global_batch = batches_.largest;
    layout_terms at = terms_of_valid(space_.job.sizes, request.model, job, mesh, where_, request.constants);
    at.fsdp = at.data = {};
    at.gathered_share = at.bubble_each = 0;
    const double step = time_of(degrees_.least(), at, 1).value() * (1 - 1e-12) + batches_.beside;
    if (step / static_cast<double>(batches_.largest) * batches_.sequences < bound().run) return true;
    return prune();
  }

  /// Whether any layout of a group has a batch, and may be faster than what was found. One that moves no weights, where
  /// each device has all of them, is not under the bound of the others.
  bool enter_group(const layout& group) {
    meter_.small_step();
    if (meter_.is_spent()) return false;
    batch_search batches = on(group);
    if (!batches.any()) {
      come_closer(found_.closest, rejection::batch_does_not_divide, static_cast<double>(devices(where_)));
      return false;
    }
    if (!found_.found()) return true;
    meter_.step();
    if (!batches.none_is_faster()) return true;
    if (group.fsdp == 1 || group.context > 1) return prune();
    layout replicas = group;
    replicas.data = group.fsdp;
    replicas.fsdp = 1;
    const fixed_degrees& wanted = space_.request.degrees;
    const bool in_space = (wanted.data == 0 || wanted.data == replicas.data) && wanted.fsdp <= 1;
    if (in_space) visit(replicas);
    return prune();
  }

  void visit(const layout& mesh) {
    meter_.step();
    if (meter_.is_spent()) return;
    if (is_second()) return take_smaller(mesh);
    ++meter_.counts.layouts;
    if (!on(mesh).search()) ++meter_.counts.pruned;
  }

 private:
  /// Whether all but stages and shards of sequences is chosen by the search, in a slice.
  static bool are_defaults(const fixed_degrees& d) {
    return d.data == 0 && d.fsdp == 0 && d.tensor == 0 && d.expert == 0 && d.dcn_data == 0 && d.dcn_fsdp == 1 &&
           d.dcn_pipeline == 1;
  }
  bool prune() {
    if (is_second()) return false;
    ++meter_.counts.layouts;
    ++meter_.counts.pruned;
    return false;
  }
  /// Whether the fastest candidate is known, and one of a smaller batch is searched for that is about as fast.
  [[nodiscard]] bool is_second() const { return bound_.found(); }
  [[nodiscard]] slice_search& bound() { return is_second() ? bound_ : found_; }
  batch_search on(const layout& mesh) {
    return {bound(), degrees_.at(mesh.tensor), where_, mesh, batches_, space_.request.accept_uncertain, meter_};
  }
  void take_smaller(layout mesh) {
    const slice_search bound = bound_;
    on(mesh).search_smallest(found_, bound.run);
    bound_ = bound;
    batches_.largest = found_.batch;
  }

  const slice& where_;
  const search_space& space_;
  batch_range batches_;
  hoisted_degrees& degrees_;
  search_meter& meter_;
  slice_search found_{};
  slice_search bound_{};  ///< of the second search: what its runs take at most
};

/// The plan that a search found, estimated by the public functions.
inline plan plan_of(const slice& where, const slice_search& search, const search_space& space) {
  plan found;
  found.where = where;
  found.mesh = search.mesh;
  found.job = space.request.job;
  found.job.global_batch = search.batch;
  found.job.gradient_accumulation = search.accumulation;
  found.job.remat = space.policies.items[search.policy];
  found.memory = memory_use(space.request.model, found.job, found.mesh, where, {}, space.request.constants.own);
  found.fit = fits(found.memory);
  found.step = step_time(space.request.model, found.job, found.mesh, where, space.request.constants);
  found.steps = math::ceil(space.request.tokens / static_cast<double>(tokens_per_step(found.job)));
  found.run = found.step.total * found.steps;
  return found;
}

/// Whether all policies that the request names move tensors to the host.
inline bool needs_host(const plan_request& request) {
  bool all = !request.policies.empty();
  for (const remat_policy& policy : request.policies)
    all = all && saved_width(widths_of(request.model), policy, placement::host) > 0;
  return all;
}

/// Whether the chip has the rates that the job needs: over several slices also that of the data-centre network.
inline bool has_rates(const chip_spec& chip, const plan_request& request, std::int64_t slice_total) {
  const training_job& job = request.job;
  if (!has_peak_rate(chip, job.compute)) return false;
  if (needs_host(request) && !host_rate(chip).has_value()) return false;
  if (job.state_on_host != host_state::none && !host_rate(chip).has_value()) return false;
  return slice_total == 1 || chip.host.dcn.has_value();
}

/// The fastest plans of the slices that a request allows, without costs, and the slices that have none. Other
/// deadlines, budgets, quotas, regions and ways of paying need no other search.
struct searched_slices {
  std::vector<plan> plans{};
  std::vector<rejected_slice> rejected{};
  std::vector<std::size_t> rejected_before{};  ///< each plan
  search_counts counts{};
};

/// The batches of a request on so many slices: what comes every so many steps, as evaluations and checkpoints may, is
/// less of a run of fewer steps.
inline batch_range batches_on(const slice& where, std::int64_t slice_total, const search_space& space) {
  batch_range batches = space.batches;
  if (batches.smallest == batches.largest) return batches;
  const run_phases& around = space.request.around;
  if (around.evaluate_every > 0)
    batches.beside = around.evaluation.value() / static_cast<double>(around.evaluate_every);
  if (around.checkpoint_every > 0) {
    const payment_terms terms = payment_terms_of(space.request, where, slice_total, 1, 1_s);
    batches.beside += terms.spot.checkpoint_time.value() / static_cast<double>(around.checkpoint_every);
  }
  return batches;
}

/// Seconds from the start of what a search found to its end on spot, in the first region of the request.
inline double wall_on_spot(const slice& where, const slice_search& search, const search_space& space) {
  const plan found = plan_of(where, search, space);
  const payment_terms terms = terms_of(found, space.request, space.request.regions.front());
  const paid_times times = times_of(found, provisioning::spot, terms);
  return times.is_possible ? times.expected.wall.value() : math::detail::infinity;
}

/// The fastest candidate on so many slices. Where a run is on spot, or the cheapest that may be, with checkpoints every
/// so many steps, each stop costs half of these: smaller batches are tried too, by halves of the range, and the run
/// that is over first wins.
inline slice_search search_on(const slice& where, std::int64_t slice_total, const search_space& space,
                              hoisted_degrees& degrees, search_meter& meter) {
  const plan_request& request = space.request;
  batch_range batches = batches_on(where, slice_total, space);
  slice_search best = layout_search(where, space, batches, degrees, meter).of(slice_total);
  const bool on_spot =
      contains(request.kinds, provisioning::spot) && (request.kinds.size() == 1 || request.best == objective::cheapest);
  if (request.around.checkpoint_every == 0 || !on_spot || request.regions.empty()) return best;
  double least = best.found() ? wall_on_spot(where, best, space) : 0;
  while (best.found() && batches.smallest < batches.largest && !meter.is_spent()) {
    batches.largest = batches.largest / 2 < batches.smallest ? batches.smallest : batches.largest / 2;
    const slice_search smaller = layout_search(where, space, batches, degrees, meter).of(slice_total);
    if (!smaller.found()) break;
    if (const double wall = wall_on_spot(where, smaller, space); wall < least) best = smaller, least = wall;
  }
  return best;
}

/// Searches one slice and every number of such slices that the request allows.
inline void search_shape(const slice& where, const search_space& space, hoisted_degrees& degrees, search_meter& meter,
                         searched_slices& found) {
  const plan_request& request = space.request;
  for (std::int64_t slice_total = 1; slice_total <= request.largest_slices; ++slice_total) {
    const std::int64_t chip_count = checked_multiply(chips(where), slice_total);
    if (chip_count > request.largest_chips) break;
    if (chip_count < request.smallest_chips) continue;
    ++found.counts.slices;
    if (!has_rates(where.chip, request, slice_total)) {
      const rejected_slice unrated{where, slice_total, rejection::no_such_rate, 0, {}};
      found.rejected.push_back(unrated);
      continue;
    }
    const slice_search search = search_on(where, slice_total, space, degrees, meter);
    if (meter.is_spent()) return;
    if (!search.found()) {
      found.rejected.push_back(search.closest);
      continue;
    }
    meter.step(4);
    const std::size_t before = found.rejected.size();
    found.rejected_before.push_back(before);
    found.plans.push_back(plan_of(where, search, space));
  }
}

/// Searches all slices of a request; false where that takes more steps than are left, in sixteenths of a step.
inline bool search_slices(const plan_request& request, searched_slices& found, std::int64_t& left) {
  check_request(request);
  search_space space{request, policies_of(request), batches_of(request), {}, {}};
  space.job = hoist(request.model, request.job, space.policies.items.data(), space.policies.count, request.constants);
  space.without_host = space.job;
  space.without_host.count = space.policies.in_hbm;
  search_meter meter{found.counts, left};
  hoisted_degrees degrees(space.job, {});
  for_each_slice(request, [&](const slice& where) {
    if (meter.is_spent()) return;
    if (where.chip.name != degrees.chip().name) degrees = {space.job_on(where.chip), where.chip};
    search_shape(where, space, degrees, meter, found);
  });
  left = meter.left;
  return !meter.is_spent();
}

/// The answer for the deadline, budget, quotas, regions and ways of paying of the request. Where it asks for a chance
/// `judge(plan)` counts that of each cost.
template <class Judge>
plan_answer priced_answer(searched_slices found, const plan_request& request, Judge judge) {
  plan_answer answer;
  answer.counts = found.counts;
  const price_index prices(request);
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < found.plans.size(); ++i) {
    while (rejected < found.rejected_before[i]) answer.rejected.push_back(found.rejected[rejected++]);
    plan& planned = found.plans[i];
    add_costs(planned, request, prices, answer.counts);
    if (request.chance) judge(planned);
    if (const maybe<rejected_slice> missed = choose_cost(planned, request)) {
      answer.rejected.push_back(*missed);
    } else {
      answer.plans.push_back(std::move(planned));
    }
  }
  while (rejected < found.rejected.size()) answer.rejected.push_back(found.rejected[rejected++]);
  rank_plans(answer.plans, request);
  mark_front(answer.plans, request);
  keep_best(answer, request);
  return answer;
}

/// Refuses a question whose search takes more than `most_search_steps`.
[[noreturn]] inline void refuse_search() {
  fail(errc::out_of_range, "steps of the search", most_search_steps + 1,
       "at most 5000000: fewer slices or chips, one generation, a range of fewer batches, or fixed degrees");
}

}  // namespace detail

/// The best plans to train `request.model` on `request.tokens` tokens, best first, and one reason for every other
/// slice. All plans on the front of time and dollars are among them: no other slices, batch, layout, policy, region or
/// way of paying that the request allows is both faster and cheaper. The search is exact: no candidate of the space is
/// faster on its slices than the plan that is returned for them. Of a range of batches, in which the space has every
/// whole number of sequences, the plan has the smallest batch of those whose run is within half a percent of the
/// fastest (`equal_runs_within`), and the fastest candidate of that batch. Every returned plan re-evaluates to the same
/// figures through `memory_use` and `step_time`. Throws, naming the field, for an invalid request: no tokens, a
/// negative deadline, an unknown region or chip, a price of an unknown chip, and a search of more than 5 million steps,
/// some seconds: the message says what makes it shorter. Worked: Llama 3.1 8B on 10^12 tokens within 30 days is
/// cheapest on v6e-256 (examples/first_plan.cpp).
[[nodiscard]] inline plan_answer make_plan(const plan_request& request) {
  detail::searched_slices found;
  std::int64_t left = 16 * detail::most_search_steps;
  if (request.chance)
    detail::fail(errc::unsupported, "plan.chance", *request.chance, "none: plan_or_relax counts chances");
  if (!detail::search_slices(request, found, left)) detail::refuse_search();
  return detail::priced_answer(std::move(found), request, [](plan&) {});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
