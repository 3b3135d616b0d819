#ifndef TPUPLAN_ESTIMATE_SERVING_ADVICE_HPP
#define TPUPLAN_ESTIMATE_SERVING_ADVICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/maybe.hpp>
#include <tpuplan/text.hpp>

/// @file
/// What in the setting of an engine wastes the slice, and the gain of mending it: both are estimated, none is a rule.

namespace tpuplan {
inline namespace abi_0 {

/// What is wasteful. Enumerators and their names are stable; each has one function in `detail` that looks for it.
enum class serving_finding_kind : std::uint8_t {
  batch,           ///< fewer requests in flight than decode needs to be worth its weights
  places,          ///< HBM is left unused by a limit on running sequences
  cache_dtype,     ///< keys and values in a larger format than is needed
  cache_sharding,  ///< copies of keys and values where devices outnumber their heads
  replicas,        ///< another number of devices for each replica
};

/// "batch" and so on.
[[nodiscard]] constexpr std::string_view name(serving_finding_kind kind) noexcept {
  constexpr std::string_view names[] = {"batch", "places", "cache_dtype", "cache_cut", "replicas"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// One waste, and what mending it brings: gain = 1 - rate_now / rate_then.
struct serving_finding {
  serving_finding_kind kind = serving_finding_kind::batch;  ///< what is wasted
  text<40> subject{};                                       ///< the field to change
  text<40> now{};                                           ///< its value
  text<40> better{};                                        ///< the value that mends it
  per_second rate_now{};       ///< output tokens; where requests arrive at a rate, those of the capacity
  per_second rate_then{};      ///< with the change applied
  seconds per_token_now{};     ///< as the traffic is served
  seconds per_token_then{};    ///< with the change applied
  double gain = 0;             ///< share of chip time saved for each output token
  serving_job job_then{};      ///< with the change applied
  serving_layout mesh_then{};  ///< with the change applied
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

/// The finding of that kind; nothing where there is none.
[[nodiscard]] constexpr maybe<serving_finding> find_finding(const serving_findings& all, serving_finding_kind kind) {
  for (const serving_finding& one : all) {
    if (one.kind == kind) return one;
  }
  return nothing;
}

namespace detail {

/// The engine as it is, which every change is compared with.
struct serving_base {
  transformer model{};
  serving_job job{};
  serving_layout mesh{};
  slice where{};
  serving_calibration constants{};
  serving_estimate now{};
};

/// What the slice gives: output tokens a second, or those that it could give where arrivals set the pace.
constexpr per_second output_rate(const serving_estimate& estimate, const serving_job& job) {
  return job.request_rate.value() > 0 ? estimate.capacity * job.answer.mean : estimate.output_tokens;
}

/// Whether `serve` would answer: targets that physics allows, a rate below the capacity.
constexpr bool can_be_asked(const serving_base& base, const serving_job& job, const serving_layout& mesh) {
  const target_floors floors = floors_of(base.model, job, mesh, base.where);
  if (job.tpot_target < floors.tpot.total || job.ttft_target < floors.ttft.total) return false;
  if (job.request_rate.value() == 0) return true;
  serving_job open = job;
  open.request_rate = {};
  return job.request_rate < serve(base.model, open, mesh, base.where, base.constants).capacity;
}

/// Takes the change into `best` if it gains more, fits, and keeps the promises that are kept now.
constexpr void improve(serving_finding& best, const serving_base& base, const serving_job& job,
                       const serving_layout& mesh) {
  if (!can_be_asked(base, job, mesh)) return;
  const serving_estimate then = serve(base.model, job, mesh, base.where, base.constants);
  if (then.fit == verdict::no || (then.fit == verdict::uncertain && base.now.fit == verdict::yes)) return;
  if ((base.now.meets_ttft && !then.meets_ttft) || (base.now.meets_tpot && !then.meets_tpot)) return;
  const double gain = 1 - output_rate(base.now, base.job) / output_rate(then, job);
  if (gain < smallest_serving_gain || gain <= best.gain) return;
  best.rate_now = output_rate(base.now, base.job);
  best.rate_then = output_rate(then, job);
  best.per_token_now = base.now.per_token.total;
  best.per_token_then = then.per_token.total;
  best.gain = gain;
  best.job_then = job;
  best.mesh_then = mesh;
}

constexpr serving_finding serving_finding_of(serving_finding_kind kind, std::string_view subject) {
  serving_finding f;
  f.kind = kind;
  f.subject = subject;
  return f;
}

/// Twice and more the requests in flight, as far as they have places and targets hold.
constexpr serving_finding flight_finding(const serving_base& base) {
  serving_finding best = serving_finding_of(serving_finding_kind::batch, "serving_job.concurrency");
  if (base.job.concurrency == 0) return best;
  const std::int64_t places = checked_multiply(base.now.largest_running, base.now.replicas);
  serving_job job = base.job;
  for (std::int64_t clients = 2 * base.job.concurrency; clients <= places; clients *= 2) {
    job.concurrency = clients;
    improve(best, base, job, base.mesh);
  }
  best.now.append(base.job.concurrency);
  best.better.append(best.job_then.concurrency);
  return best;
}

/// No limit on running sequences but memory.
constexpr serving_finding places_finding(const serving_base& base) {
  serving_finding best = serving_finding_of(serving_finding_kind::places, "serving_job.max_running");
  if (base.job.max_running == 0) return best;
  serving_job job = base.job;
  job.max_running = 0;
  improve(best, base, job, base.mesh);
  best.now.append(base.job.max_running);
  best.better.append(largest_running(base.model, job, base.mesh, base.where));
  return best;
}

/// Keys and values in 8 bits.
constexpr serving_finding cache_dtype_finding(const serving_base& base) {
  serving_finding best = serving_finding_of(serving_finding_kind::cache_dtype, "serving_job.cache");
  if (bits(base.job.cache) <= 8) return best;
  serving_job job = base.job;
  job.cache = has_peak_rate(base.where.chip, dtype::fp8) ? dtype::fp8 : dtype::int8;
  improve(best, base, job, base.mesh);
  best.now = name(base.job.cache);
  best.better = name(job.cache);
  return best;
}

/// Sequences instead of heads over the devices.
constexpr serving_finding cache_cut_finding(const serving_base& base) {
  serving_finding best = serving_finding_of(serving_finding_kind::cache_sharding, "serving_layout.cache");
  if (served_by(base.model, base.job, base.mesh, base.where).copies <= 1) return best;
  serving_layout mesh = base.mesh;
  mesh.cache = cache_sharding::batch;
  improve(best, base, base.job, mesh);
  best.now = "heads";
  best.better = "batch";
  return best;
}

/// Every number of devices for a replica that heads and devices allow.
constexpr serving_finding replicas_finding(const serving_base& base) {
  serving_finding best = serving_finding_of(serving_finding_kind::replicas, "serving_layout.tensor");
  const std::int64_t all = devices(base.where);
  serving_layout mesh = base.mesh;
  const attention_spec& a = base.model.attention;
  for (std::int64_t tensor = 1; tensor <= all; ++tensor) {
    const bool dealt = a.heads % tensor == 0 && (a.kv_heads % tensor == 0 || tensor % a.kv_heads == 0);
    if (all % tensor != 0 || (mesh.weights == weight_sharding::one_dimension && !dealt)) continue;
    mesh.tensor = tensor;
    if (largest_running(base.model, base.job, mesh, base.where) > 0) improve(best, base, base.job, mesh);
  }
  best.now.append(base.mesh.tensor == 0 ? all : base.mesh.tensor);
  best.better.append(best.mesh_then.tensor);
  return best;
}

/// Puts a finding in its place.
constexpr void add(serving_findings& all, const serving_finding& one) {
  if (one.gain < smallest_serving_gain) return;
  std::size_t place = all.count++;
  for (; place > 0 && all.items[place - 1].gain < one.gain; --place) all.items[place] = all.items[place - 1];
  all.items[place] = one;
}

}  // namespace detail

/// What of an engine's setting wastes the slice, the largest gain first; one change at a time, each estimated by
/// `serve` with the same constants, none that breaks a promise which is kept now. Nothing where the model does not fit.
/// Throws for what `serve` throws for. Worked: Llama 3 8B on v6e-8 reads its cache twice as fast in 8 bits
/// (tests/unit/serving_advice.cpp).
[[nodiscard]] constexpr serving_findings serving_advice(const transformer& model, const serving_job& job,
                                                        const serving_layout& mesh, const slice& where,
                                                        const serving_calibration& constants = {}) {
  const detail::serving_base base{model, job, mesh, where, constants, serve(model, job, mesh, where, constants)};
  serving_findings all;
  if (base.now.fit == verdict::no) return all;
  detail::add(all, detail::flight_finding(base));
  detail::add(all, detail::places_finding(base));
  detail::add(all, detail::cache_dtype_finding(base));
  detail::add(all, detail::cache_cut_finding(base));
  detail::add(all, detail::replicas_finding(base));
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
