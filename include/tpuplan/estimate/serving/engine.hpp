#ifndef TPUPLAN_ESTIMATE_SERVING_ENGINE_HPP
#define TPUPLAN_ESTIMATE_SERVING_ENGINE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/estimate/serving/prefill.hpp>
#include <tpuplan/handbook/inference.hpp>

/// @file
/// A serving engine in its steady state: continuous batching, prompts taken in between decode steps.

namespace tpuplan {
inline namespace abi_0 {

/// Mean time of an output token in an engine: step.total + prompts + engine = total. The host prepares a step while the
/// device runs another: it shows only where it is the slower of the two.
struct token_time {
  decode_breakdown step{};    ///< the decode step by itself
  seconds prompts{};          ///< prefill of new requests, as much a step as keeps the batch full
  seconds engine{};           ///< waiting for host and scheduler
  seconds total{};            ///< mean time of an output token
  seconds low{};              ///< nine of ten comparable published engines lie between low and high
  seconds high{};             ///< the upper end of that
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< outside of what published runs cover
};

/// A slice under some traffic. Rates are over all replicas; `running` and times are of one.
struct serving_estimate {
  serving_memory memory{};    ///< of one device
  verdict fit = verdict::no;  ///< `no`: nothing below is estimated; `largest_serving_context` says what would fit
  std::int64_t replicas = 0;  ///< of the model in the slice
  std::int64_t largest_running = 0;  ///< sequences that the cache and the engine allow at once, per replica
  double running = 0;                ///< sequences that decode at once, on average, per replica
  token_time per_token{};            ///< TPOT
  seconds prefill{};                 ///< of one prompt in the engine, undisturbed
  seconds queue{};                   ///< waiting for a place
  seconds first_token{};             ///< TTFT: queue, half a step, prefill
  per_second requests{};             ///< that end in a second
  per_second input_tokens{};         ///< prompt tokens, cached ones included
  per_second output_tokens{};        ///< tokens of answers
  per_second capacity{};             ///< requests a second with every place taken
  double prefill_servers = 0;        ///< for each decode server, were they apart
  bool meets_ttft = true;            ///< TTFT is within its target, or there is none
  bool meets_tpot = true;            ///< TPOT is within its target, or there is none
};

namespace detail {

/// The mean time of a token as a function of the running batch B:
/// max(max(dense + experts (1 - missed^B), products B) + each B + fixed, host + host_each B).
struct token_line {
  double dense = 0, experts = 0, missed = 0, products = 0, each = 0, fixed = 0, host = 0, host_each = 0;
};
constexpr double time_at(const token_line& line, double running) {
  double weights = line.dense;
  if (line.experts > 0) weights += line.experts * (line.missed > 0 ? 1 - math::pow(line.missed, running) : 1);
  const double products = line.products * running;
  const double device = (weights > products ? weights : products) + line.each * running + line.fixed;
  const double host = line.host + line.host_each * running;
  return device > host ? device : host;
}

/// Prompt tokens that have to be computed for each token of an answer.
constexpr double prompt_share(const serving_job& job) {
  return job.prompt.mean * (1 - job.prefix_hit_rate) / job.answer.mean;
}

constexpr seconds prompt_time(const served_model& served, const serving_job& job,
                              const serving_calibration& constants) {
  return flops{2 * served.matrices * prompt_share(job)} / (served.peak * constants.prefill_between_steps);
}

constexpr token_line line_of(const served_model& served, bytes cache, const serving_job& job,
                             const serving_layout& mesh, const serving_calibration& constants) {
  const double weight_seconds = size_of(job.weights).value() / (served.hbm.value() * constants.weight_stream);
  token_line line;
  line.dense = served.dense * weight_seconds;
  line.experts = served.experts * weight_seconds;
  line.missed = served.missed;
  line.products = 2 * served.matrices / (served.peak.value() * constants.decode_mxu);
  line.each = cache.value() * served.copies / (served.hbm.value() * constants.cache_stream) +
              all_reduced(served, mesh).value() * collective_seconds_per_byte(served.on, constants.decode_collectives) +
              prompt_time(served, job, constants).value();
  line.fixed = layer_latency_of(served, constants).value();
  line.host = constants.engine_step.value();
  line.host_each = constants.engine_sequence.value();
  return line;
}

/// The time of a token of sequences whose caches take so many bytes each.
constexpr token_time token_of(const served_model& served, double running, bytes cache, const serving_job& job,
                              const serving_layout& mesh, const slice& where, const serving_calibration& constants) {
  token_time t;
  t.step = decode_of(served, running, cache, job, mesh, where, constants);
  t.prompts = running * prompt_time(served, job, constants);
  const seconds device = t.step.total + t.prompts;
  t.total = max(device, constants.engine_step + running * constants.engine_sequence);
  t.engine = t.total - device;
  t.extrapolated = t.step.extrapolated;
  t.band = t.extrapolated ? wide_serving_band : engine_band;
  t.low = t.total / (1 + t.band);
  t.high = t.total / (1 - t.band);
  return t;
}

/// The batch at which a rising function crosses 0 between 0 and `most`, by halving and secants; `most` if it does not.
template <class Function>
constexpr double crossing(const Function& function, double most) {
  double low = 0, high = most;
  double at_low = function(low), at_high = function(high);
  if (at_high <= 0) return most;
  for (int round = 0; round < 60 && high - low > 1e-9 * most; ++round) {
    double middle = round % 3 == 2 ? low + (high - low) / 2 : low - at_low * (high - low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = low + (high - low) / 2;
    const double value = function(middle);
    if (value == 0) return middle;
    (value < 0 ? low : high) = middle;
    (value < 0 ? at_low : at_high) = value;
  }
  return low + (high - low) / 2;
}

/// Prompt tokens of a request that are new to the engine, at least one.
constexpr std::int64_t fresh_tokens(const serving_job& job) {
  return ceil_to_count(job.prompt.mean * (1 - job.prefix_hit_rate));
}

/// "from 5140 us on: weights at peak rates".
constexpr text<96> bound_text(seconds bound, std::string_view term) {
  return text<96>{"from "}.append(ceil_to_count(in_us(bound))).append(" us on: ").append(term).append(" at peak rates");
}

/// "below 8.930 a second, the capacity".
constexpr text<96> below_capacity(double requests) {
  const std::int64_t thousandths = floor_to_count(requests * 1000);
  text<96> result{"below "};
  result.append(thousandths / 1000).append(".");
  for (const std::int64_t digit : {thousandths / 100 % 10, thousandths / 10 % 10, thousandths % 10})
    result.append(digit);
  return result.append(" a second, the capacity");
}

/// What no engine can beat.
struct target_floors {
  decode_breakdown tpot{};
  prefill_breakdown ttft{};
};
constexpr target_floors floors_of(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                  const slice& where) {
  target_floors floors;
  if (job.tpot_target.value() > 0)
    floors.tpot = decode_step(model, {1, running_context(job)}, job, mesh, where, peak_only);
  if (job.ttft_target.value() > 0)
    floors.ttft = prefill_time(model, {1, fresh_tokens(job)}, job, mesh, where, peak_only);
  return floors;
}

/// Refuses targets below them, with the term that binds.
constexpr void check_targets(const serving_job& job, const target_floors& floors) {
  if (job.tpot_target < floors.tpot.total) {
    fail(errc::infeasible, "serving_job.tpot_target in us", in_us(job.tpot_target),
         bound_text(floors.tpot.total, name(floors.tpot.limited_by)).view());
  }
  if (job.ttft_target < floors.ttft.total) {
    const bool by_products = floors.ttft.products + floors.ttft.attention > floors.ttft.weights;
    fail(errc::infeasible, "serving_job.ttft_target in us", in_us(job.ttft_target),
         bound_text(floors.ttft.total, by_products ? "products" : "weights").view());
  }
}

}  // namespace detail

/// Mean time of an output token where so many sequences run in one replica of an engine, prompts taken in as answers
/// end. Throws as `decode_step` does. Worked: Qwen3 8B on v6e-4, 58.9 sequences of 1024 + 1024 tokens: 12.0 ms against
/// 11.1 ms measured (tests/unit/serving.cpp). Source: closed form calibrated on published runs.
[[nodiscard]] constexpr token_time time_per_token(const transformer& model, double running, const serving_job& job,
                                                  const serving_layout& mesh, const slice& where,
                                                  const serving_calibration& constants = {}) {
  validate(constants);
  return detail::token_of(detail::served_by(model, job, mesh, where), running,
                          detail::cache_of(model, job, running_context(job)), job, mesh, where, constants);
}

/// One prompt of mean length in an engine, undisturbed; what the prefix cache has is not computed again.
[[nodiscard]] constexpr seconds engine_prefill_time(const transformer& model, const serving_job& job,
                                                    const serving_layout& mesh, const slice& where,
                                                    const serving_calibration& constants = {}) {
  return constants.engine_prefill *
         prefill_time(model, {1, detail::fresh_tokens(job)}, job, mesh, where, constants).total;
}

namespace detail {

/// Running batch per replica under the traffic, at most `most`: by Little's law, N = B + rate x time to first token
/// for N requests in flight, B = rate x answer x time per token for arrivals.
constexpr double running_batch(const serving_job& job, const token_line& line, double most, double replicas,
                               double prefill) {
  const double answer = job.answer.mean;
  if (job.request_rate.value() > 0) {
    const double rate = job.request_rate.value() / replicas;
    return crossing([&](double b) { return b - rate * answer * time_at(line, b); }, most);
  }
  if (job.concurrency > 0) {
    const double clients = static_cast<double>(job.concurrency) / replicas;
    return crossing(
        [&](double b) {
          const double token = time_at(line, b);
          return b + b / (answer * token) * (prefill + token / 2) - clients;
        },
        most);
  }
  if (job.tpot_target.value() == 0) return most;
  const double target = job.tpot_target.value();
  const double within = crossing([&](double b) { return time_at(line, b) - target; }, most);
  return within < 1 ? 1 : within;
}

/// Waiting for a place. Closed: those whom the running batch leaves over. Open: a queue of one server that takes a
/// request at a time, at the rate of a full batch, arrivals at random and service alike (M/D/1); near capacity it is
/// long.
constexpr seconds queue_time(const serving_job& job, per_second requests, per_second capacity, seconds in_service,
                             double replicas) {
  if (job.request_rate.value() > 0) {
    const double load = requests / capacity;
    return load / (2 * (1 - load)) / capacity;
  }
  const double left = static_cast<double>(job.concurrency) / replicas - requests * in_service;
  return left > 1e-6 * (in_service * requests) ? left / requests : seconds{0};
}

/// Fills in what follows from the running batch.
constexpr void add_rates(serving_estimate& estimate, const serving_job& job, double replicas,
                         const serving_calibration& constants) {
  const double answer = job.answer.mean;
  const double token = estimate.per_token.total.value();
  const double each = estimate.running / (answer * token);
  const double chunks =
      job.prefill_chunk > 0
          ? math::ceil(static_cast<double>(fresh_tokens(job)) / static_cast<double>(job.prefill_chunk))
          : 1;
  const double own = estimate.prefill.value() + (chunks - 0.5) * token;
  const bool waits = job.request_rate.value() > 0 || job.concurrency > 0;
  if (waits)
    estimate.queue =
        queue_time(job, per_second{each}, estimate.capacity / replicas, seconds{own + answer * token}, replicas);
  estimate.first_token = estimate.queue + seconds{own};
  estimate.requests = per_second{each * replicas};
  estimate.output_tokens = estimate.requests * answer;
  estimate.input_tokens = estimate.requests * job.prompt.mean;
  estimate.prefill_servers = prefill_servers_per_decode_server(
      estimate.running, estimate.prefill / constants.engine_prefill, estimate.per_token.step.total, answer);
  estimate.meets_ttft = job.ttft_target.value() == 0 || estimate.first_token <= job.ttft_target;
  estimate.meets_tpot = job.tpot_target.value() == 0 || estimate.per_token.total <= job.tpot_target * (1 + 1e-9);
}

}  // namespace detail

/// What a slice does under some traffic: whether it fits, how many sequences run at once, times and rates. Where
/// neither a rate nor a concurrency is given, every place is taken, or as many as the TPOT target allows. Throws for
/// what `decode_step` throws for, rates at or above the capacity (it says the capacity), and targets that no engine can
/// reach (it says the bound). Worked: Llama 2 70B in int8 on v6e-8 (examples/serving_cases.cpp).
/// Source: scaling book, "Inference" (2025-12-15); Little's law; constants in `serving_calibration`.
[[nodiscard]] constexpr serving_estimate serve(const transformer& model, const serving_job& job,
                                               const serving_layout& mesh, const slice& where,
                                               const serving_calibration& constants = {}) {
  validate(job, model);
  validate(constants);
  const detail::served_model v = detail::served_by(model, job, mesh, where);
  detail::check_targets(job, detail::floors_of(model, job, mesh, where));
  const bytes cache = detail::cache_of(model, job, running_context(job));
  const bytes longest = detail::cache_of(model, job, static_cast<double>(longest_context(job)));
  const double replicas = v.on.count;
  serving_estimate e;
  e.replicas = floor_to_count(replicas);
  e.largest_running = detail::places_for(v, cache, longest, job, where);
  e.memory = detail::memory_of(v, 1, cache, job, where);
  if (e.largest_running == 0) return e;
  const detail::token_line line = detail::line_of(v, cache, job, mesh, constants);
  const auto most = static_cast<double>(e.largest_running);
  e.capacity = per_second{replicas * most / (job.answer.mean * detail::time_at(line, most))};
  if (job.request_rate.value() > 0 && job.request_rate >= e.capacity) {
    detail::fail(errc::infeasible, "serving_job.request_rate", job.request_rate.value(),
                 detail::below_capacity(e.capacity.value()).view());
  }
  e.prefill = constants.engine_prefill *
              detail::prefill_of(v, model, {1, detail::fresh_tokens(job)}, job, mesh, where, constants).total;
  e.running = detail::running_batch(job, line, most, replicas, e.prefill.value());
  e.per_token = detail::token_of(v, e.running, cache, job, mesh, where, constants);
  e.memory = detail::memory_of(v, e.running, cache, job, where);
  e.fit = fits(e.memory);
  detail::add_rates(e, job, replicas, constants);
  return e;
}

/// A point of the frontier of throughput against latency.
struct frontier_point {
  double running = 0;          ///< per replica
  seconds per_token{};         ///< mean time of an output token
  per_second output_tokens{};  ///< over all replicas
};
/// Points by rising batch.
struct serving_frontier {
  std::array<frontier_point, 24> points{};  ///< the first `count` are set
  std::size_t count = 0;                    ///< points
};

/// Time per token and throughput for running batches 1, 2, 4 … and the largest that fits; no points where none does.
[[nodiscard]] constexpr serving_frontier frontier(const transformer& model, const serving_job& job,
                                                  const serving_layout& mesh, const slice& where,
                                                  const serving_calibration& constants = {}) {
  validate(job, model);
  validate(constants);
  serving_frontier result;
  const std::int64_t most = largest_running(model, job, mesh, where);
  const detail::served_model v = detail::served_by(model, job, mesh, where);
  const bytes cache = detail::cache_of(model, job, running_context(job));
  for (std::int64_t batch = 1; batch <= most && result.count < result.points.size();) {
    const auto running = static_cast<double>(batch);
    const seconds token = detail::token_of(v, running, cache, job, mesh, where, constants).total;
    result.points[result.count++] = {running, token, v.on.count * running / token};
    if (batch == most) break;
    batch = 2 * batch < most ? 2 * batch : most;
  }
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
