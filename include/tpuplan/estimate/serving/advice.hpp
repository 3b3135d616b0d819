#ifndef TPUPLAN_ESTIMATE_SERVING_ADVICE_HPP
#define TPUPLAN_ESTIMATE_SERVING_ADVICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/findings.hpp>
#include <tpuplan/estimate/serving/engine.hpp>

/// @file
/// What in the setting of an engine wastes the slice, and what a change would gain. Both come from estimates of the
/// engine as it is and with the change, not from rules.

namespace tpuplan {
inline namespace abi_0 {

/// Kinds of waste. Enumerators and their names are stable.
enum class serving_finding_kind : std::uint8_t {
  batch,           ///< too few requests in flight for the weights that each step reads
  slots,           ///< a limit on running sequences leaves HBM unused
  cache_dtype,     ///< keys and values are in a larger format than they need
  cache_sharding,  ///< devices outnumber KV heads and hold copies of keys and values
  replicas,        ///< another number of devices for each replica is faster
};

/// "batch" and so on.
[[nodiscard]] constexpr std::string_view name(serving_finding_kind kind) noexcept {
  constexpr const char* names[] = {"batch", "slots", "cache_dtype", "cache_sharding", "replicas"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// One waste, and what a change gains: gain = 1 - rate_now / rate_then.
struct serving_finding {
  serving_finding_kind kind = serving_finding_kind::batch;  ///< what is wasted
  text<40> subject{};                                       ///< the field to change
  text<160> now{};                                          ///< its value
  text<160> better{};                                       ///< the value advised
  per_second rate_now{};     ///< output tokens per second, of an encoder requests; at capacity where these have a rate
  per_second rate_then{};    ///< with the change
  seconds per_token_now{};   ///< mean time of an output token as it is
  seconds per_token_then{};  ///< with the change
  double gain = 0;           ///< share of chip time saved per output token
  serving_job job_then{};    ///< with the change
  serving_layout mesh_then{};  ///< with the change
};

/// Findings, the largest gain first.
struct serving_findings {
  std::array<serving_finding, 5> items{};  ///< the first `count` are set
  std::size_t count = 0;                   ///< findings

  /// @{
  /// The findings as a range.
  [[nodiscard]] constexpr const serving_finding* begin() const noexcept { return items.data(); }
  [[nodiscard]] constexpr const serving_finding* end() const noexcept { return items.data() + count; }
  /// @}
};

/// Gains below this share are left out: one percent.
inline constexpr double smallest_serving_gain = 0.01;

namespace detail {

/// The engine as it is, which every change is compared with.
struct serving_base {
  transformer model{};
  serving_job job{};
  serving_layout mesh{};
  slice where{};
  serving_calibration constants{};
  serving_estimate now{};
  serving_estimate alike{};  // now, under the factors that own runs give it whatever changes
};

/// Runs that give every question the same factor: one that is like none, which moves all as its source does.
constexpr own_runs runs_of_factor(double factor, const own_spreads& spreads) {
  own_runs runs;
  runs.count = 1;
  runs.items[0].about.size = 1e9;
  runs.items[0].weight = math::log(factor) / squared(spreads.source);
  return runs;
}

/// The constants with the factors that own runs give the engine as it is, for whatever is compared with it: one change
/// has the software of what is measured, where the runs would draw a less alike engine less far.
constexpr serving_calibration with_factors_of(serving_calibration constants, const serving_base& base) {
  if (!has_own_runs(constants)) return constants;
  const served_model served = served_by(base.model, base.job, base.mesh, base.where);
  const auto fix = [&](own_runs& runs, const own_spreads& spreads, const run_features& about, double load) {
    if (runs.count > 0) runs = runs_of_factor(factor_at(own_question_of(runs, spreads, about), load), spreads);
  };
  const bool full = base.job.request_rate.value() > 0;  // what is compared then is capacity
  fix(constants.own_decode, decode_spreads, served.about,
      full ? static_cast<double>(base.now.largest_running) : base.now.running);
  fix(constants.own_prefill, prefill_spreads, served.about_prompts, static_cast<double>(fresh_tokens(base.job)));
  return constants;
}

/// Output tokens per second, or requests of an encoder; at full capacity where requests arrive at a rate.
constexpr per_second output_rate(const serving_estimate& estimate, const serving_job& job) {
  if (job.output.mean <= 0) return job.request_rate.value() > 0 ? estimate.capacity : estimate.requests;
  return job.request_rate.value() > 0 ? estimate.capacity * job.output.mean : estimate.output_tokens;
}

/// Makes the change the best finding where there is such a layout, and it gains more, fits no less surely, and meets
/// the targets that are met now.
constexpr void improve(serving_finding& best, const serving_base& base, const serving_job& job,
                       const serving_layout& mesh) {
  if (problem_of(base.model, mesh, base.where) != layout_problem::none) return;
  const serving_estimate then = serve(base.model, job, mesh, base.where, base.constants);
  if (then.refusal != serving_refusal::none || !fits_as_surely(then.fit, base.now.fit)) return;
  if ((base.alike.meets_ttft && !then.meets_ttft) || (base.alike.meets_tpot && !then.meets_tpot)) return;
  const double gain = 1 - output_rate(base.alike, base.job) / output_rate(then, job);
  if (!gains_more(best, gain, smallest_serving_gain)) return;
  best.rate_now = output_rate(base.now, base.job);
  best.rate_then = output_rate(then, job) * (best.rate_now / output_rate(base.alike, base.job));
  best.per_token_now = base.now.per_token.total;
  const bool slower = base.now.per_token.total != base.alike.per_token.total;
  best.per_token_then = then.per_token.total * (slower ? base.now.per_token.total / base.alike.per_token.total : 1);
  best.gain = gain;
  best.job_then = job;
  best.mesh_then = mesh;
}

/// Tries twice as many requests in flight, four times and so on, as far as they can run.
constexpr serving_finding flight_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::batch, "serving_job.concurrency");
  if (base.job.concurrency == 0) return best;
  const std::int64_t slots = checked_multiply(base.now.largest_running, base.now.replicas);
  serving_job job = base.job;
  for (std::int64_t clients = base.job.concurrency; clients <= slots / 2;) {
    job.concurrency = clients *= 2;
    improve(best, base, job, base.mesh);
  }
  best.now = words_of(base.job.concurrency);
  best.better = words_of(best.job_then.concurrency);
  return best;
}

/// Tries no limit on running sequences but memory.
constexpr serving_finding slots_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::slots, "serving_job.max_running");
  if (base.job.max_running == 0) return best;
  serving_job job = base.job;
  job.max_running = 0;
  improve(best, base, job, base.mesh);
  best.now = words_of(base.job.max_running);
  best.better = words_of(largest_running(base.model, job, base.mesh, base.where));
  return best;
}

/// Tries keys and values in 8 bits, in a format that the engine has: fp8 where the chip multiplies it, or int8.
constexpr serving_finding cache_dtype_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::cache_dtype, "serving_job.cache");
  const char* of_engine = row_of(base.job.engine).caches;
  const bool fp8 = has_peak_rate(base.where.chip, dtype::fp8) && is_listed(of_engine, "fp8");
  if (bits(base.job.cache) <= 8 || !(fp8 || is_listed(of_engine, "int8"))) return best;
  serving_job job = base.job;
  job.cache = fp8 ? dtype::fp8 : dtype::int8;
  improve(best, base, job, base.mesh);
  best.now = name(base.job.cache);
  best.better = name(job.cache);
  return best;
}

/// Where devices hold copies of KV heads: tries keys and values sharded by sequences.
constexpr serving_finding cache_sharding_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::cache_sharding, "serving_layout.cache");
  if (served_by(base.model, base.job, base.mesh, base.where).cache_copies <= 1) return best;
  serving_layout mesh = base.mesh;
  mesh.cache = cache_sharding::batch;
  improve(best, base, base.job, mesh);
  best.now = "heads";
  best.better = "batch";
  return best;
}

/// Tries every number of devices per replica that divides devices and heads.
constexpr serving_finding replicas_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::replicas, "serving_layout.tensor");
  const std::int64_t all = devices(base.where);
  serving_layout mesh = base.mesh;
  for_each_divisor(all, [&](std::int64_t tensor) {
    if (mesh.weights == weight_sharding::one_dimension && !heads_divide(base.model, tensor)) return;
    const bool shares = mesh.cache == cache_sharding::batch || mesh.weights != weight_sharding::one_dimension;
    if (tensor == 1 && shares) return;  // one device shares neither cache nor weights
    mesh.tensor = tensor;
    improve(best, base, base.job, mesh);
  });
  best.now = words_of(base.mesh.tensor == 0 ? all : base.mesh.tensor);
  best.better = words_of(best.mesh_then.tensor);
  return best;
}

}  // namespace detail

/// What in an engine's setting wastes the slice, the largest gain first. Each finding is one change alone, estimated by
/// `serve` with the same constants and the same factors of own runs, which gains one percent or more and meets the
/// targets that are met now. No findings where `serve` refuses. Throws where `serve` throws. Worked: Llama 3 8B on
/// v6e-8 reads its keys and values twice as fast in 8 bits.
[[nodiscard]] constexpr serving_findings serving_advice(
    const transformer& model, const serving_job& job, const serving_layout& mesh, const slice& where,
    const serving_calibration& constants = default_serving_calibration) {
  detail::serving_base base{model, job, mesh, where, constants, serve(model, job, mesh, where, constants), {}};
  serving_findings all;
  if (base.now.refusal != serving_refusal::none) return all;
  base.constants = detail::with_factors_of(constants, base);
  base.alike = detail::has_own_runs(constants) ? serve(model, job, mesh, where, base.constants) : base.now;
  detail::add(all, detail::flight_finding(base));
  detail::add(all, detail::slots_finding(base));
  if (writes_tokens(model) && !detail::keeps_states_alone(model)) {
    detail::add(all, detail::cache_dtype_finding(base));
    detail::add(all, detail::cache_sharding_finding(base));
  }
  detail::add(all, detail::replicas_finding(base));
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
