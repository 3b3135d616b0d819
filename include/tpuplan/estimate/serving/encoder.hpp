#ifndef TPUPLAN_ESTIMATE_SERVING_ENCODER_HPP
#define TPUPLAN_ESTIMATE_SERVING_ENCODER_HPP

#include <cstdint>
#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/estimate/serving/token_time.hpp>

/// @file
/// Encoders that embed and rank texts: each request is one pass, no token is decoded, and nothing is kept. A step takes
/// all requests that wait, whole, up to a number of tokens or requests; those that come meanwhile wait for the next
/// one.

namespace tpuplan {
inline namespace abi_0 {

/// One step of a replica that embeds or ranks texts. The parts on the device add up to `device.total`; the host
/// prepares the next step meanwhile.
struct encoder_step {
  prefill_breakdown device{};  ///< its parts on the device
  seconds host{};              ///< host and scheduler
  seconds total{};             ///< of the step: the longer of the two
  seconds low{};               ///< lower end: nine of ten steps are expected in between, and no run of any is published
  seconds high{};              ///< the upper end of that range
  decode_limit limited_by = decode_limit::products;  ///< the largest part: weights are all bytes of HBM
};

namespace detail {

/// The terms of a step in seconds, from which its time follows for any number of requests of the mean length.
struct encoder_terms {
  double fixed = 0;         // on the device, whatever the step takes
  double each = 0;          // on the device, for each request
  double host = 0;          // host and scheduler
  double host_each = 0;     // host and scheduler, for each request
  bool in_turn = false;     // the device idles while the host works
  prefill_breakdown one{};  // of one request, on the device
  seconds floor{};          // that no engine can beat for one request
  decode_limit floored_by = decode_limit::products;
};

constexpr double device_at(const encoder_terms& terms, double requests) noexcept {
  return terms.fixed + terms.each * requests;
}
constexpr double step_at(const encoder_terms& terms, double requests) noexcept {
  return with_host(device_at(terms, requests), terms.host + terms.host_each * requests, terms.in_turn);
}

/// The parts of a prefill that each request adds; the others are there once a step.
inline constexpr seconds prefill_breakdown::*parts_of_each[] = {
    &prefill_breakdown::products, &prefill_breakdown::attention, &prefill_breakdown::elementwise,
    &prefill_breakdown::dispatch, &prefill_breakdown::images,    &prefill_breakdown::collectives};

/// The host takes for a step what it takes for one of an engine that decodes, and for a request what it takes for a
/// sequence in one.
constexpr encoder_terms encoder_terms_of(const served_stacks& of, serving_job job, const serving_layout& mesh,
                                         const engine_constants& constants) {
  job.prefill_chunk = 0;
  const served_model& served = of.prompts;
  encoder_terms terms;
  terms.one = mean_prefill(served, of.takes_in, 1, job, mesh, constants);
  const auto tokens = static_cast<double>(fresh_tokens(job));
  const prefill_floor least = floor_of(served, terms.one, tokens, job, mesh, constants);
  terms.floor = least.total(), terms.floored_by = least.limited_by();
  for (seconds prefill_breakdown::*part :
       {&prefill_breakdown::products, &prefill_breakdown::attention, &prefill_breakdown::elementwise,
        &prefill_breakdown::dispatch, &prefill_breakdown::weights, &prefill_breakdown::collectives,
        &prefill_breakdown::latency, &prefill_breakdown::total})
    terms.one.*part = constants.engine_prefill * (terms.one.*part);
  const double whole = job.prompt.mean / tokens;
  terms.each = whole * beside_decode(terms.one, mesh).value();
  terms.fixed = (terms.one.total - beside_decode(terms.one, mesh)).value();
  const double passed = arrays_of(of.takes_in, job) * served.on.devices / served.on.hosts;
  terms.host = host_of_step(constants.common, passed);
  terms.host_each = constants.common.engine_sequence.value();
  terms.in_turn = served.on.hosts > 1 && row_of(job.engine).hosts_in_turn;
  return terms;
}

/// What requests meet in a replica.
struct encoder_point {
  double requests = 0;  // in a step, on average
  double first = 0;     // seconds from arrival to the answer
  double queue = 0;     // of these, until the step begins
  double rate = 0;      // requests a second
};

/// The mean number of requests in a step where they come at random: those that came during the one before, of Poisson's
/// distribution with mean m, or the one that comes next where none did, m + exp(-m) in all.
constexpr double taken_together(double came) { return came + math::exp(-came); }

/// A mean step, and by how much a further request makes it longer on average.
struct request_step {
  double time = 0, slope = 0;
};

/// The mean of a step whose number of requests varies: of two times that grow with it the longer counts, so that the
/// mean is above the time at the mean number; what lies between them is taken as of a logistic distribution.
constexpr request_step step_of(const encoder_terms& terms, double requests, double variance) {
  const double host = terms.host + terms.host_each * requests, over = device_at(terms, requests) - host;
  constexpr double scale = 0.5513288954217921;  // of a logistic distribution with a deviation of 1: sqrt(3) / pi
  const double spread = scale * math::sqrt(variance) * (terms.each - terms.host_each);
  if (terms.in_turn) return {host + device_at(terms, requests), terms.host_each + terms.each};
  if (!(spread > 0)) return {step_at(terms, requests), over > 0 ? terms.each : terms.host_each};
  const double off = over / spread, away = off < 0 ? -off : off, beyond = math::exp(-smaller(away, 700));
  const double share = off < 0 ? beyond / (1 + beyond) : 1 / (1 + beyond);
  return {host + spread * (larger(0, off) + math::log(1 + beyond)),
          terms.host_each + (terms.each - terms.host_each) * share};
}

/// The variance of the number of requests in a step: each is that of Poisson's distribution around a mean that grows by
/// `more` with each request of the step before. Numbers above 0 have a deviation of no more than half of their mean
/// then.
constexpr double variance_of(double requests, double more) {
  const double varied = requests / (1 - smaller(more * more, 0.999));
  return smaller(varied, larger(requests, requests * requests / 4));
}

/// The mean step that takes what came during the one before it.
constexpr request_step usual_step(const encoder_terms& terms, double rate, double requests) {
  const request_step even = step_of(terms, requests, requests);
  return step_of(terms, requests, variance_of(requests, rate * even.slope));
}

/// Requests that come at random. One that comes while a step runs, as most do in long ones, waits for its end, and is
/// taken with all others that came then. Where steps are full, those that are left over wait for further ones, as in a
/// queue of one server that takes `most` at a time.
constexpr encoder_point encoder_at_random(const encoder_terms& terms, double rate, double most) {
  const auto step = [&](double requests) { return usual_step(terms, rate, smaller(larger(1, requests), most)); };
  const double full = step_at(terms, most);
  const double came = crossing([&](double m) { return m - rate * step(taken_together(m)).time; }, rate * full);
  const request_step usual = step(taken_together(came));
  const double idle = math::exp(-came) / rate;           // after each step, on average, until the next request comes
  const double busy = usual.time / (usual.time + idle);  // the chance that a step runs when a request comes
  const double varied = most > 1 ? variance_of(came, rate * usual.slope) : 0;
  const double met =
      usual.time + usual.slope * usual.slope * varied / usual.time;  // the step that a request comes into
  const double own = busy * step(1 + rate * met).time + (1 - busy) * step_at(terms, 1);
  const double used = rate * full / most;
  encoder_point at;
  at.requests = smaller(taken_together(came), most);
  at.queue = busy * met / 2 + used * used * full / (2 * most * (1 - used)) * (at.requests / most);
  at.first = at.queue + own;
  at.rate = rate;
  return at;
}

/// From so many clients of which each waits for its answer, at times none where they are fewer than replicas; all that
/// a step takes where there are 0. Of clients that are more than that, but not twice as many, a full step and one with
/// the others take turns, as answers send their next request while the step of those runs.
constexpr encoder_point encoder_in_turn(const encoder_terms& terms, double clients, double most) {
  const double full = step_at(terms, most);
  if (clients > most) {
    const double others = smaller(clients - most, most),
                 first = clients / (most + others) * (full + step_at(terms, others));
    return {(most * most + others * others) / (most + others), first, first - full, clients / first};
  }
  const double requests = clients > 0 ? larger(1, clients) : most, step = step_at(terms, requests);
  return {requests, step, 0, (clients > 0 ? clients : requests) / step};
}

/// Fills in the range of a time that has `requests` in each step: that of a prefill on a chip without runs, because
/// none of an encoder that serves is published. A faster host may hide behind the device, which takes no less than the
/// floor, and a host that is known no less than that; at the high end the host's work for a request, as engines that
/// decode have it, comes on top.
template <class Estimate>
constexpr void add_encoder_range(Estimate& low, Estimate& high, Estimate total, const encoder_terms& terms,
                                 double requests, const engine_constants& constants) {
  const serving_band band = band_of(serving_kind::prefill, false, software_level::unnamed);
  const double of_device = device_at(terms, requests) / step_at(terms, requests);
  low = total * (of_device / (1 + band.over));
  const Estimate least{with_host(terms.floor.value(), known_host(constants.common), terms.in_turn)};
  low = low < least ? min(least, total) : low;
  high = total / (1 - band.under) + constants.common.engine_request;
}

/// What takes most of a step.
constexpr decode_limit limit_of(const encoder_step& step) {
  const prefill_breakdown& on = step.device;
  if (step.host > on.total) return decode_limit::overhead;
  const seconds products = on.products + on.attention, memory = on.weights + on.elementwise;
  const seconds most = max(max(products, memory), max(on.collectives, max(on.latency, on.dispatch)));
  return most == products         ? decode_limit::products
         : most == memory         ? decode_limit::weights
         : most == on.collectives ? decode_limit::collectives
         : most == on.latency     ? decode_limit::overhead
                                  : decode_limit::dispatch;
}

constexpr encoder_step encoder_step_of(const encoder_terms& terms, double requests, const serving_job& job,
                                       const serving_layout& mesh, const engine_constants& constants) {
  encoder_step step;
  step.device = terms.one;
  const double more = requests * job.prompt.mean / static_cast<double>(fresh_tokens(job));
  for (seconds prefill_breakdown::*part : parts_of_each) {
    if (part == &prefill_breakdown::collectives && mesh.weights == weight_sharding::gathered) continue;
    step.device.*part = more * (terms.one.*part);
  }
  step.device.total = seconds{device_at(terms, requests)};
  step.host = seconds{terms.host + terms.host_each * requests};
  step.total = seconds{step_at(terms, requests)};
  add_encoder_range(step.low, step.high, step.total, terms, requests, constants);
  step.device.low = step.low, step.device.high = step.high, step.device.extrapolated = true;
  step.limited_by = limit_of(step);
  return step;
}

}  // namespace detail

/// One step of an encoder that takes so many requests of the mean length together. Throws for other architectures, for
/// a count that is not above 0, and where `serve` does. Worked: BERT base, 32 texts of 512 tokens on v6e-1: see
/// docs/model.md. Source: the closed form of prefill, with attention to the whole text; no run of an encoder that
/// serves on a TPU is published.
[[nodiscard]] constexpr encoder_step encoder_step_time(
    const transformer& model, double requests, const serving_job& job, const serving_layout& mesh, const slice& where,
    const serving_calibration& constants = default_serving_calibration) {
  validate(job, model);
  if (model.kind != architecture::encoder)
    detail::fail(errc::unsupported, "step of an architecture", name(model.kind), "encoder");
  detail::in_range("requests", detail::positive("requests", requests), 0, static_cast<double>(detail::most_requests),
                   "above 0, at most 1e9");
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  return detail::with_stacks(model, job, mesh, where, detail::has_own_runs(constants), [&](const auto& of) {
    return detail::encoder_step_of(detail::encoder_terms_of(of, job, mesh, own), requests, job, mesh, own);
  });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
