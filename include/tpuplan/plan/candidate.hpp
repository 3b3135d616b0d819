#ifndef TPUPLAN_PLAN_CANDIDATE_HPP
#define TPUPLAN_PLAN_CANDIDATE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>

/// @file
/// The time of a step and its memory for very many candidates: what `step_time(...).total` and `memory_use(...)` say,
/// with what stays the same taken out of the inner loop.
///
/// Every part of a step is a sum of at most three terms: one for each token of a chip, one for each microbatch, one for
/// the step. So is every stage of the memory in the tokens of a microbatch. The coefficients come from the functions of
/// training.hpp and memory.hpp themselves, asked about one token or one microbatch; here is only how they add up.
///
///   level           once for each                    holds
///   hoisted_job     model, job, policies, constants  the question
///   hoisted_tensor  chip, tensor degree              seconds and bytes of a token, for each policy
///   hoisted_layout  slice, layout, batch             tokens, collectives, state and gathered weights
///   evaluate        microbatches, policy             forty operations, no call

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Policies that a job is hoisted with, at most.
inline constexpr std::size_t most_policies = 16;

/// Model, job and policies. Of the job `remat`, `gradient_accumulation` and `global_batch` are not used.
struct hoisted_job {
  transformer m{};
  training_job job{};
  std::array<remat_policy, most_policies> policies{};
  std::size_t count = 0;
  calibration c{};
};

/// A number for each of memory_low, memory_point and memory_high.
using each_estimate = std::array<double, 3>;

/// What a policy costs on one chip under one tensor degree.
struct hoisted_policy {
  double per_token = 0;       ///< seconds of compute and HBM for each token of a chip
  double per_microbatch = 0;  ///< seconds in which products read and write their weights
  double weight_reads = 0;    ///< seconds for each microbatch in which gathered weights are read, not cut further
  double tensor = 1;          ///< time of tensor-parallel collectives over that under remat::none
  double expert = 1;          ///< the same of all-to-alls of experts
  each_estimate logits{};     ///< bytes for each token of a microbatch at the end of the forward pass
  each_estimate layer{};      ///< the same in the backward pass of a layer
};

/// Bytes of the stages that do not depend on the tokens of a microbatch.
struct hoisted_stages {
  each_estimate logits{};
  each_estimate layer{};
  double update = 0;
};

/// Those of a step of one microbatch, and of one of more, whose gradients are accumulated.
using each_accumulation = std::array<hoisted_stages, 2>;

/// A chip under a tensor degree. It refers to its job, which has to live as long.
struct hoisted_tensor {
  const hoisted_job* from = nullptr;
  std::int64_t degree = 1;
  std::array<hoisted_policy, most_policies> policies{};
  hoisted_policy least{};  ///< the least of each number over the policies
  layer_widths width{};
  held_parameters held{};
  double exchanged = 0;
  double update = 0;          ///< seconds of the update of all weights by one chip
  memory_terms whole{};       ///< all weights on one device, none gathered
  each_accumulation state{};  ///< bytes of those
  hoisted_stages gathered{};  ///< of weights gathered over FSDP, but for experts
  hoisted_stages experts{};   ///< of experts gathered over FSDP, not dealt out
};

/// A collective: seconds, and those that the step waits for.
struct hoisted_collective {
  double whole = 0, exposed = 0;
};

/// A layout on a slice with a batch. It refers to its hoisted_tensor, which has to live as long.
struct hoisted_layout {
  const hoisted_tensor* from = nullptr;
  double tokens = 0;                           ///< of a step on a chip
  double update = 0;                           ///< seconds of the update
  double weights_cut = 1;                      ///< part of gathered weights that is here, experts and stages dealt out
  double overhead = 0;                         ///< seconds for each microbatch
  hoisted_collective data{}, fsdp{};           ///< of a step; of a microbatch
  double tensor = 0, expert = 0, context = 0;  ///< seconds that a step waits under remat::none
  double with_bubble = 1;                      ///< time with pipeline bubbles over time without
  double with_jitter = 1;                      ///< time with stragglers over time without
  double dcn_once = 0, dcn_each = 0;           ///< seconds between slices, of a step and of a microbatch
  double exposed_dcn = 0;
  double hidden = 1;                    ///< 1 where traffic is hidden by no more than the work there is, else 0
  double host_once = 0, host_each = 0;  ///< seconds between host and chip, of a step and of a microbatch
  double software = 1;                  ///< time over that of a tuned recipe
  double tokens_on_device = 0;          ///< of a step
  double largest_accumulation = 1;      ///< one sequence on each shard
  each_accumulation memory{};
};

/// Bytes on a device: `memory_use(...).low`, `.total` and `.high`.
struct candidate_bytes {
  double low = 0, total = 0, high = 0;
};

/// A candidate: `step_time(...).total`, and its bytes.
struct candidate {
  double seconds = 0, low = 0, total = 0, high = 0;
};

constexpr double larger(double a, double b) noexcept { return a < b ? b : a; }
constexpr double smaller(double a, double b) noexcept { return b < a ? b : a; }

/// The job with policies to choose from, 1 to 16. Throws for invalid models and for what `step_time` cannot train.
constexpr hoisted_job hoist(const transformer& model, const training_job& job, const remat_policy* policies,
                            std::size_t count, const calibration& constants = {}) {
  if (count < 1 || count > most_policies)
    fail(errc::out_of_range, "number of policies", static_cast<std::int64_t>(count), "1 to 16");
  hoisted_job j{model, job, {}, count, constants};
  for (std::size_t i = 0; i < count; ++i) j.policies[i] = policies[i];
  j.job.global_batch = 1;
  j.job.gradient_accumulation = 1;
  validate(j.m);
  validate(j.job);
  validate(constants);
  return j;
}

/// So many that what does not grow with them is below the last digit, and so few.
inline constexpr double nearly_all = 0x1p200, nearly_none = 0x1p-200;

/// Seconds of compute and HBM. One token in one of many microbatches that are not there, then one microbatch without
/// tokens: both traffics of `operands` are of the same function that way.
constexpr void add_seconds(hoisted_policy& p, asked_step k) {
  step_breakdown token, microbatch;
  k.tokens = 1;
  k.microbatches = nearly_none;
  add_compute(token, k);
  add_hbm(token, k);
  k.tokens = nearly_none;
  k.microbatches = 1;
  add_hbm(microbatch, k);
  p.per_token = (token.compute + token.elementwise + token.scores + token.operands + token.dispatch).value();
  p.per_microbatch = microbatch.operands.value();
  p.weight_reads = microbatch.weight_reads.value();
}

/// Tensor-parallel collectives and all-to-alls, which some policies do in part again.
constexpr void add_again(hoisted_policy& p, const asked_step& k, const step_breakdown& once) {
  step_breakdown t;
  add_ici(t, k);
  p.tensor = t.tensor.whole / once.tensor.whole;
  p.expert = once.expert.whole.value() > 0 ? t.expert.whole / once.expert.whole : 1;
}

/// Each stage under each estimate.
constexpr hoisted_stages stages_of(const memory_terms& t, const transformer& model, const training_job& job,
                                   const layout& mesh) {
  hoisted_stages result;
  std::size_t i = 0;
  for (const memory_calibration& k : {memory_low, memory_point, memory_high}) {
    const std::array<memory_breakdown, 3> stages = memory_stages(k, t, model, job, mesh);
    result.logits[i] = stages[0].total.value();
    result.layer[i] = stages[1].total.value();
    result.update = stages[2].total.value();
    ++i;
  }
  return result;
}

constexpr each_accumulation stages_of_both(const memory_terms& t, const transformer& model, training_job job,
                                           const layout& mesh) {
  job.gradient_accumulation = 2;
  const hoisted_stages more = stages_of(t, model, job, mesh);
  job.gradient_accumulation = 1;
  return {stages_of(t, model, job, mesh), more};
}

/// State, and gathered weights apart: without tokens every stage is a sum of the two.
constexpr void add_weights(hoisted_tensor& of, const memory_terms& t, const training_job& job, const layout& mesh) {
  const transformer& m = of.from->m;
  of.whole = {t.width, 0, t.element, of.held.frozen, of.held.trained};
  of.state = stages_of_both(of.whole, m, job, mesh);
  of.gathered = stages_of({t.width, 0, t.element, 0, 0, t.layer, 0, t.head}, m, job, mesh);
  of.experts = stages_of({t.width, 0, t.element, 0, 0, 0, t.experts, 0}, m, job, mesh);
}

constexpr void keep_least(hoisted_policy& least, const hoisted_policy& p) noexcept {
  least.per_token = smaller(least.per_token, p.per_token);
  least.per_microbatch = smaller(least.per_microbatch, p.per_microbatch);
  least.weight_reads = smaller(least.weight_reads, p.weight_reads);
  least.tensor = smaller(least.tensor, p.tensor);
  least.expert = smaller(least.expert, p.expert);
  for (std::size_t i = 0; i < 3; ++i) {
    least.logits[i] = smaller(least.logits[i], p.logits[i]);
    least.layer[i] = smaller(least.layer[i], p.layer[i]);
  }
}

/// The job on a chip under a tensor degree. Throws where a rate that the job needs is unknown.
constexpr hoisted_tensor hoist(const hoisted_job& j, const chip_spec& chip, std::int64_t tensor) {
  const slice one{chip, topology{{1, 1, 1}, chip.ici.axes}, 1};
  training_job job = j.job;
  job.remat = remat::none;
  layout l;
  l.tensor = tensor;
  l.fsdp = 2;  // so that weights are gathered
  asked_step k = asked(j.m, job, l, one, j.c);
  k.shards = 1;
  layout dealt;
  dealt.tensor = dealt.expert = 2;  // so that there are collectives
  asked_step moved{j.m, job, dealt, one, j.c, k.width};
  moved.tokens = moved.shards = moved.stages = 1;
  moved.layers = k.layers;
  step_breakdown once;
  add_hbm(once, k);
  add_ici(once, moved);
  hoisted_tensor result;
  result.from = &j;
  result.degree = tensor;
  result.width = k.width;
  result.held = k.held;
  result.exchanged = k.exchanged;
  result.update = once.weight_update.value();
  add_weights(result, terms_of(j.m, job, l, one), job, l);
  for (std::size_t i = 0; i < j.count; ++i) {
    hoisted_policy& p = result.policies[i];
    job.remat = j.policies[i];
    add_seconds(p, k);
    add_again(p, moved, once);
    const hoisted_stages token = stages_of({result.whole.width, 1, result.whole.element}, j.m, job, l);
    p.logits = token.logits;
    p.layer = token.layer;
    if (i == 0) result.least = p;
    keep_least(result.least, p);
  }
  return result;
}
hoisted_tensor hoist(const hoisted_job&&, const chip_spec&, std::int64_t) = delete;

/// Collectives inside the slice, behind more work than any can take, so that each is exposed as far as its constant
/// says.
constexpr void add_collectives(hoisted_layout& of, const asked_step& k) {
  step_breakdown t;
  t.compute = seconds{nearly_all};
  add_ici(t, k);
  of.tensor = t.tensor.exposed.value();
  of.expert = t.expert.exposed.value();
  of.context = t.context.exposed.value();
  of.data = {t.data.whole.value(), t.data.exposed.value()};
  of.fsdp = {t.fsdp.whole.value(), t.fsdp.exposed.value()};
}

/// Between slices and between host and chip: of a step without microbatches, and what the first one adds.
constexpr void add_far_transfers(hoisted_layout& of, asked_step k) {
  if (k.slices == 1 && k.job.state_on_host == host_state::none) return;
  step_breakdown none, one;
  k.microbatches = 0;
  add_dcn(none, k, seconds{0});
  add_host(none, k);
  k.microbatches = 1;
  add_dcn(one, k, seconds{0});
  add_host(one, k);
  of.dcn_once = none.dcn.whole.value();
  of.dcn_each = (one.dcn.whole - none.dcn.whole).value();
  of.host_once = none.host.exposed.value();
  of.host_each = (one.host.exposed - none.host.exposed).value();
}

/// State and gathered weights: the stages without any tokens. Parameters that come from the host layer by layer depend
/// on the stages of the pipeline in their own way: they are asked anew.
constexpr void add_state(hoisted_layout& h, const hoisted_tensor& of, const asked_step& k) {
  const bool anew = k.stages > 1 && k.job.state_on_host != host_state::none;
  const each_accumulation& state = anew ? stages_of_both(of.whole, k.m, k.job, k.l) : of.state;
  const double held = 1 / weight_shards(k.l, k.s);
  const double gathered = k.l.fsdp > 1 || k.l.dcn_fsdp > 1 ? 1 : 0;
  const double experts = gathered / static_cast<double>(k.l.expert);
  const auto sum = [&](double of_state, double of_layers, double of_experts) {
    return held * of_state + gathered * of_layers + experts * of_experts;
  };
  for (std::size_t more = 0; more < 2; ++more) {
    hoisted_stages& stages = h.memory[more];
    for (std::size_t i = 0; i < 3; ++i) {
      stages.logits[i] = sum(state[more].logits[i], of.gathered.logits[i], of.experts.logits[i]);
      stages.layer[i] = sum(state[more].layer[i], of.gathered.layer[i], of.experts.layer[i]);
    }
    stages.update = held * state[more].update;
  }
}

/// A layout whose tensor degree and chip are those of `of`, and which is valid for model, slice and batch. Throws where
/// a rate that it needs is unknown.
constexpr hoisted_layout hoist(const hoisted_tensor& of, const slice& where, const layout& mesh,
                               std::int64_t global_batch) {
  const hoisted_job& j = *of.from;
  training_job job = j.job;
  job.global_batch = global_batch;
  job.remat = remat::none;
  asked_step k{j.m, job, mesh, where, j.c};
  k.width = of.width;
  k.held = of.held;
  k.exchanged = of.exchanged;
  k.layers = static_cast<double>(j.m.layers);
  k.microbatches = 1;
  deal(k);
  hoisted_layout h;
  h.from = &of;
  h.tokens = k.tokens;
  h.update = of.update / k.shards;
  h.weights_cut = 1 / (static_cast<double>(mesh.expert) * k.stages);
  h.overhead = (j.c.per_layer_pass * (4 * k.layers)).value();
  h.with_bubble = 1 + bubble_share(job, k.stages);
  h.with_jitter = 1 + j.c.slowdown_per_doubling * math::log2(k.slices);
  h.exposed_dcn = j.c.exposed_dcn;
  h.hidden = j.c.hidden_by_work_only ? 1 : 0;
  h.software = software_factor(job, j.c);
  h.tokens_on_device = k.tokens / static_cast<double>(where.chip.jax_devices);
  h.largest_accumulation = static_cast<double>(global_batch / batch_shards(mesh));
  add_collectives(h, k);
  add_far_transfers(h, k);
  add_state(h, of, k);
  return h;
}
hoisted_layout hoist(const hoisted_tensor&&, const slice&, const layout&, std::int64_t) = delete;

/// Seconds of a step, term by term as `step_time` adds them. Each maximum is written so that it grows with all of its
/// terms: "exposed, or what the work cannot hide" is work + max(exposed, whole - work) = max(work + exposed, whole).
constexpr double seconds_with(const hoisted_layout& of, const hoisted_policy& p, double microbatches) noexcept {
  const double work = of.tokens * p.per_token + of.update +
                      microbatches * (p.per_microbatch + of.weights_cut * p.weight_reads);  // compute and HBM
  const double whole = of.data.whole + microbatches * of.fsdp.whole;
  const double exposed = of.data.exposed + microbatches * of.fsdp.exposed;
  const double base = larger(work + exposed, of.hidden * whole) + of.tensor * p.tensor + of.expert * p.expert +
                      of.context + microbatches * of.overhead;
  const double run = base * of.with_bubble;
  const double dcn = of.dcn_once + microbatches * of.dcn_each;
  const double waited =
      larger(run * of.with_jitter + of.exposed_dcn * dcn, of.hidden * (run * (of.with_jitter - 0.5) + dcn));
  return (waited + of.host_once + microbatches * of.host_each) * of.software;
}

/// One of the three estimates: the stage that needs most.
constexpr double bytes_with(const hoisted_stages& fixed, const hoisted_policy& p, double tokens,
                            std::size_t estimate) noexcept {
  const double logits = fixed.logits[estimate] + tokens * p.logits[estimate];
  const double layer = fixed.layer[estimate] + tokens * p.layer[estimate];
  return larger(larger(logits, layer), fixed.update);
}

/// `step_time(...).total` in seconds.
constexpr double seconds_of(const hoisted_layout& of, std::int64_t accumulation, std::size_t policy) noexcept {
  return seconds_with(of, of.from->policies[policy], static_cast<double>(accumulation));
}

/// `memory_use(...).low`, `.total` and `.high`.
constexpr candidate_bytes bytes_of(const hoisted_layout& of, std::int64_t accumulation, std::size_t policy) noexcept {
  const hoisted_policy& p = of.from->policies[policy];
  const hoisted_stages& fixed = of.memory[accumulation > 1 ? 1 : 0];
  const double tokens = of.tokens_on_device / static_cast<double>(accumulation);
  return {bytes_with(fixed, p, tokens, 0), bytes_with(fixed, p, tokens, 1), bytes_with(fixed, p, tokens, 2)};
}

/// Both. Precondition: a policy below the job's count, and an accumulation of at least 1 that divides the batch.
constexpr candidate evaluate(const hoisted_layout& of, std::int64_t accumulation, std::size_t policy) noexcept {
  const candidate_bytes on_device = bytes_of(of, accumulation, policy);
  return {seconds_of(of, accumulation, policy), on_device.low, on_device.total, on_device.high};
}

/// At most the seconds of any accumulation and policy: those of one microbatch under the least of all policies.
constexpr double least_seconds(const hoisted_layout& of) noexcept { return seconds_with(of, of.from->least, 1); }

/// At most the low estimate of any accumulation and policy: of one microbatch, or of as many as there can be.
constexpr double least_bytes(const hoisted_layout& of) noexcept {
  const double whole = bytes_with(of.memory[0], of.from->least, of.tokens_on_device, 0);
  if (of.largest_accumulation <= 1) return whole;
  return smaller(whole, bytes_with(of.memory[1], of.from->least, of.tokens_on_device / of.largest_accumulation, 0));
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
