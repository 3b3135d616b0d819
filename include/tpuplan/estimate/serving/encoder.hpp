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
  double idle = 0;          // of that, what is in the prefill of one that comes to an idle replica
  bool in_turn = false;     // the device idles while the host works
  bool by_tokens = false;   // the host takes longer for longer requests
  double varied = 1;        // mean square of their lengths over the square of the mean
  prefill_breakdown one{};  // of one request, on the device
  seconds floor{};          // that no engine can beat for one request
  decode_limit floored_by = decode_limit::products;
};

constexpr double device_at(const encoder_terms& terms, double requests) noexcept {
  return terms.fixed + terms.each * requests;
}
constexpr double step_at(const encoder_terms& terms, double requests, double unmet = 0) noexcept {
  return with_host(device_at(terms, requests), terms.host + terms.host_each * requests - unmet, terms.in_turn);
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
  terms.by_tokens = true, terms.varied = larger(1, square_ratio(job.prompt));
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

/// The mean of the longer of two times of which the first is `over` longer on average, with that deviation, less the
/// second, and how often the first is the longer: as of a logistic distribution.
struct longer_time {
  double more = 0, share = 0;
};
constexpr longer_time longer_of(double over, double deviation) {
  const double scale = 0.5513288954217921 * deviation;  // sqrt(3) / pi
  if (!(scale > 0)) return {larger(0, over), over > 0 ? 1.0 : 0.0};
  const double off = over / scale, beyond = math::exp(-smaller(off < 0 ? -off : off, 700));
  return {scale * (larger(0, off) + math::log(1 + beyond)), (off < 0 ? beyond : 1) / (1 + beyond)};
}

/// A mean step, by how much a further request makes it longer on average, and the mean square of that.
struct request_step {
  double time = 0, slope = 0, square = 0;
};

/// The mean of a step whose number of requests varies, and their lengths: of two times that grow with it the longer
/// counts, so that the mean is above the time at the mean number.
constexpr request_step step_of(const encoder_terms& terms, double requests, double variance) {
  const double host = terms.host + terms.host_each * requests, device = device_at(terms, requests);
  const double each = terms.each, other = terms.host_each, lengths = terms.varied - 1;
  if (terms.in_turn) return {host + device, each + other, (each + other) * (each + other) + lengths * each * each};
  const double apart = (each - other) * (each - other), of_lengths = terms.by_tokens ? apart : each * each;
  const longer_time on = longer_of(device - host, math::sqrt(apart * variance + of_lengths * lengths * requests));
  const double slope = other + (each - other) * on.share;
  const double hosted = terms.by_tokens ? other * other * terms.varied : other * other;
  return {host + on.more, slope, hosted + (each * each * terms.varied - hosted) * on.share};
}

/// The variance of the number of requests in a step: each is that of Poisson's distribution around a mean that grows by
/// `more` with each request of the step before. Numbers above 0 have a deviation of no more than half of their mean
/// then.
constexpr double variance_of(double requests, double more) {
  const double varied = requests / (1 - smaller(more * more, 0.999));
  return smaller(varied, larger(requests, requests * requests / 4));
}

/// The mean step that has so many requests.
constexpr request_step usual_step(const encoder_terms& terms, double rate, double requests) {
  const request_step even = step_of(terms, requests, requests);
  return step_of(terms, requests, variance_of(requests, rate * even.slope));
}

/// A step that has no room for more: its mean, and the mean square of the time that requests take of such steps over
/// the square of their mean.
struct filled_step {
  double time = 0, varied = 1;
};

/// Where the host works for each request, however long, their number in a full step is one of two that follow each
/// other, or varies as lengths do. The longer a request is, the longer the device works for it alone.
constexpr filled_step full_step(const encoder_terms& terms, double most) {
  if (terms.in_turn || terms.by_tokens) return {step_at(terms, most), terms.varied};
  const double device = device_at(terms, most), whole = math::floor(most), part = most - whole;
  const double deviation = terms.host_each * math::sqrt(most * (terms.varied - 1));
  const double over = terms.host + terms.host_each * whole - device;
  const longer_time less = longer_of(over, deviation), more = longer_of(over + terms.host_each, deviation);
  const double time = device + less.more + part * (more.more - less.more);
  const double of_device = device / time * (1 - less.share - part * (more.share - less.share));
  return {time, 1 + (terms.varied - 1) * of_device};
}

/// Steps for so much work, in requests of the mean length, where one takes `most` of them: the mean of a number of
/// steps that is whole, over work with a deviation. Requests of one length end with a step.
constexpr double steps_for(double work, double most, double deviation) {
  const longer_time on = longer_of(work - most, deviation);
  return 1 + on.more / most + on.share * (most < 1 ? 0.5 : 0.5 - 0.5 / most);
}

/// Steps of a replica to which requests come at random.
struct random_steps {
  double idle = 0;    // the chance that one begins as a request comes to an idle replica
  double time = 0;    // seconds of a mean one
  double square = 0;  // their mean square
  double left = 0;    // requests for which one has no room, on average
};

/// What a step has no room for is taken by the next. With X of V requests taken, and Y that came meanwhile, V - X is
/// left of the next one's V' = V - X + Y; that V' and V have the same mean square gives the mean of what is left.
constexpr random_steps steps_at(const encoder_terms& terms, const filled_step& full, double rate, double most,
                                double chunks, double came) {
  random_steps at;
  const double alone = smaller(1, most), lone = step_at(terms, alone, terms.idle);
  const double squared = lone * lone + terms.each * terms.each * (terms.varied - 1) * alone;
  double none = math::exp(-came) / chunks;  // the chance that no request comes during a step, and nothing is left
  for (int i = 0; i < 2; ++i) {
    at.idle = larger(0, smaller(none, most - came));
    const double busy = larger(1e-9, 1 - at.idle), mean = smaller(most, came + at.idle);
    const double requests = smaller(most, larger(alone, (mean - at.idle * alone) / busy));
    const request_step step = usual_step(terms, rate, requests);
    const double rest = step.time - step.slope * requests;
    at.time = at.idle * lone + busy * step.time;
    at.square = at.idle * squared + busy * (rest * rest + requests * (2 * rest * step.slope + step.square));
    const double varied =  // of steps without a limit
        larger(0, at.square / (1 - smaller(rate * rate * step.slope * step.slope, 0.999)) - at.time * at.time);
    const double drawn = larger(0, full.varied * mean + came * came - mean * mean);
    const double free = drawn + rate * rate * varied;  // the variance of what steps without a limit take
    const double limited = (most - mean) * math::sqrt(full.varied * rate * full.time);
    const double kept = free > 0 ? limited / (free + limited) : 1;
    at.square = at.time * at.time + kept * varied;
    at.left = (1 - kept) * drawn / (2 * (most - rate * full.time));
    const double expected = rate * at.time, spread = rate * rate * kept * varied / expected;
    none = spread > 1e-6 ? math::pow(1 + spread, -expected / spread) : math::exp(-expected);
    none *= smaller(1 / chunks, larger(0, 1 - (1 - kept) * drawn / (full.varied * most)));
  }
  return at;
}

/// Requests that come at random. One that comes while a step runs, as most do in long ones, waits for its end, and is
/// taken with all others that came then, behind what was left.
constexpr encoder_point encoder_at_random(const encoder_terms& terms, double rate, double most, double chunks,
                                          double prefill) {
  const filled_step filled = full_step(terms, most);
  const double full = filled.time;
  const double came = crossing([&](double m) { return m - rate * steps_at(terms, filled, rate, most, chunks, m).time; },
                               smaller(rate * full, most));
  const random_steps at = steps_at(terms, filled, rate, most, chunks, came);
  const double busy = at.time / (at.time + at.idle / rate);  // the chance that a step runs when a request comes
  const double met = at.square / at.time;                    // the step that a request comes into
  const double ahead = at.left * full / at.time, before = rate * met / 2, own = ahead + before + 1;
  const double count = steps_for(own, most, math::sqrt(terms.varied - 1 + terms.varied * before + ahead * ahead));
  const double last = smaller(most, larger(smaller(1, most), own - (count - 1) * most + before));
  encoder_point point;
  point.requests = smaller(most, came + at.idle);
  point.queue = busy * (met / 2 + larger(0, count - chunks) * full);
  point.first = busy * (met / 2 + (count - 1) * full + usual_step(terms, rate, last).time) + (1 - busy) * prefill;
  point.rate = rate;
  return point;
}

/// From so many clients of which each waits for its answer, at times none where they are fewer than replicas; all that
/// a step takes where there are 0. Of clients that are more than that, but not twice as many, a full step and one with
/// the others take turns, as answers send their next request while the step of those runs.
constexpr encoder_point encoder_in_turn(const encoder_terms& terms, double clients, double most) {
  const double full = full_step(terms, most).time;
  if (clients > most) {
    const double others = smaller(clients - most, most),
                 first = clients / (most + others) * (full + step_at(terms, others));
    return {(most * most + others * others) / (most + others), first, first - full, clients / first};
  }
  if (clients <= 0) return {most, full, 0, most / full};
  const double requests = larger(1, clients), step = step_at(terms, requests, terms.idle);
  return {requests, step, 0, clients / step};
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
