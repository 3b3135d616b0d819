#ifndef TPUPLAN_ESTIMATE_SERVING_TOKEN_TIME_HPP
#define TPUPLAN_ESTIMATE_SERVING_TOKEN_TIME_HPP

#include <cstdint>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/serving/prefill.hpp>
#include <tpuplan/estimate/serving/queueing.hpp>

/// @file
/// The time of an output token in an engine, from the decode step, the prompts in between, and the host.

namespace tpuplan {
inline namespace abi_0 {

/// Mean time of an output token in an engine: step.total + prompts + engine + speculation = total. The host prepares a
/// step while the device runs another, so that the engine adds time only where the host is slower; vLLM over several
/// hosts prepares each step after the one before has ended.
struct token_time {
  decode_breakdown step{};    ///< the decode step by itself
  seconds prompts{};          ///< prefill of new requests, as much per step as keeps the batch full
  seconds engine{};           ///< waiting for host and scheduler
  seconds speculation{};      ///< what drafts change, below 0 where they pay; 0: the engine does not speculate
  seconds total{};            ///< mean time of an output token
  seconds low{};              ///< lower end: nine of ten comparable published engines lie in between
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< no published decode run is on a chip of that name
};

namespace detail {

/// The terms of an engine's mean time per output token, in seconds, from which it follows for any running batch.
struct token_terms {
  decode_terms step{};
  double prompts = 0;     // prefill of new requests, for each sequence
  double prompt = 0;      // of one of them
  double host = 0;        // host and scheduler
  double host_each = 0;   // host and scheduler, for each sequence
  double request = 0;     // of that, a token's part of what a request takes once, however many a round keeps
  double known_host = 0;  // of a step, as the caller knows it; 0: nothing is known
  double paged = 0;       // share of `prompts` that engines with pages take
  double apart = 1;       // times as much a prompt adds in steps of its own, which read the weights again
  bool in_turn = false;   // the device idles while the host works
  bool hosts = false;     // a replica has several
  bool alone = false;     // a step computes prompts, or else decodes
  double verified = 1;    // tokens of a sequence in a step, its drafts included
  double round = 1;       // of them that it keeps, on average
  double draft = 0;       // time to draft them, as a share of a step without drafts
};

/// Prompt tokens of a request that are not in the prefix cache, at least one.
constexpr std::int64_t fresh_tokens(const serving_job& job) {
  return ceil_to_count(job.prompt.mean * (1 - job.prefix_hit_rate));
}

/// Tokens of a request after its first.
constexpr double later_tokens(const serving_job& job) noexcept { return larger(1e-6, job.output.mean - 1); }

/// Where all prompts that come before a step have steps of their own: the share of them that a request waits for after
/// its first token. Before the first of its later tokens half have been computed, and those without have no part in it.
constexpr double share_behind(const serving_job& job) noexcept {
  const double tokens = later_tokens(job);
  return tokens > 1 ? 1 - 0.5 / tokens : tokens / 2;
}

/// The mean square of lengths over the square of their mean.
constexpr double square_ratio(const token_lengths& lengths) {
  return lengths.mean_square / (lengths.mean * lengths.mean);
}

/// The mean prefill of a prompt, without the tokens in the prefix cache, which it attends to.
constexpr prefill_breakdown mean_prefill(const served_model& served, const transformer& model, double prompts,
                                         const serving_job& job, const serving_layout& mesh,
                                         const engine_constants& constants) {
  return prefill_parts(served, model, {prompts, fresh_tokens(job)}, job, mesh, constants,
                       {job.prompt.mean * job.prefix_hit_rate, square_ratio(job.prompt)});
}

/// Prompts that a step which has some computes together, where so many sequences run: under data-parallel attention
/// those that begin as others end, over the steps that a prompt is spread over, at random, but no more than there are
/// groups. Of fewer some groups wait. Worked: of one in the mean 1 / (1 - 1/e) = 1.58 in a step that has some.
constexpr double prompts_together(const served_model& served, const serving_job& job, double sequences) {
  if (served.groups == 1) return 1;
  const bool is_chunked = job.prefill_chunk > 0 && fresh_tokens(job) > job.prefill_chunk;
  const double steps = is_chunked ? static_cast<double>(fresh_tokens(job)) / static_cast<double>(job.prefill_chunk) : 1;
  const double begun = sequences / job.output.mean * steps;
  return smaller(served.groups, begun > 1e-6 ? begun / -math::expm1(-begun) : 1);
}

/// Prompts that are computed together, and their mean prefill.
struct prompts_taken {
  double count = 1;
  prefill_breakdown time{};
};
constexpr prompts_taken prompts_taken_of(const served_model& served, const transformer& model, double count,
                                         const serving_job& job, const serving_layout& mesh,
                                         const engine_constants& constants) {
  return {count, mean_prefill(served, model, count, job, mesh, constants)};
}

/// Seconds of prefill per output token, in steps that decode too.
constexpr double prompts_of(const prompts_taken& taken, const serving_job& job, const serving_layout& mesh,
                            const engine_constants& constants) {
  const double whole = job.prompt.mean * (1 - job.prefix_hit_rate) / static_cast<double>(fresh_tokens(job));
  return constants.engine_prefill * beside_decode(taken.time, mesh).value() / taken.count * whole / job.output.mean;
}

/// The number of arrays that the host passes to an engine's step, over all layers: the four matrices of attention,
/// those of the MLP or of the experts and their router, a scale beside each that has 8 bits or fewer, norms, and the
/// cache.
constexpr double arrays_of(const transformer& model, const serving_job& job) {
  const bool experts = has_experts(model);
  const std::int64_t attention = model.kind == architecture::encoder_decoder ? 8 : 4;
  const std::int64_t mlp = (model.mlp.gated ? 3 : 2) + (experts ? 1 : 0), matrices = attention + mlp;
  const auto has_scales = [&](double stored) { return stored > 0 ? stored < 10 : bits(job.weights) <= 8; };
  const weight_bits& by_part = job.weights_by_part;
  const std::int64_t scales =
      (has_scales(by_part.attention) ? attention : 0) + (has_scales(experts ? by_part.experts : by_part.mlp) ? mlp : 0);
  const std::int64_t norms = model.norms_per_layer + (model.attention.qk_norm ? 2 : 0);
  return static_cast<double>(model.layers) * static_cast<double>(matrices + scales + norms + 1);
}

/// The terms of an engine's token time. The host passes every array to each of its devices.
constexpr token_terms token_terms_of(const served_model& served, const transformer& model, double tokens,
                                     const prompts_taken& taken, const serving_job& job, const serving_layout& mesh,
                                     const engine_constants& constants) {
  token_terms terms{terms_of(served, tokens, job, mesh, constants)};
  terms.alone = row_of(job.engine).prompts_alone;
  const double whole = taken.time.total / beside_decode(taken.time, mesh);
  terms.apart = whole * share_behind(job) * job.output.mean / later_tokens(job);
  terms.prompts = prompts_of(taken, job, mesh, constants) * (terms.alone ? whole : 1);
  terms.prompt = terms.prompts * job.output.mean;
  const double passed = arrays_of(model, job) * served.on.devices / served.on.hosts;
  terms.host = host_of_step(constants.common, passed);
  terms.known_host = known_host(constants.common);
  terms.request = (constants.common.engine_request / job.output.mean).value();
  terms.host_each = constants.common.engine_sequence.value() + terms.request;
  terms.hosts = served.on.hosts > 1;
  terms.in_turn = terms.hosts && row_of(job.engine).hosts_in_turn;
  const double together = taken.count * static_cast<double>(fresh_tokens(job));
  terms.paged = paged_prefill(served, together, job, constants) /
                (terms.alone ? taken.time.total : beside_decode(taken.time, mesh));
  if (const speculation& by = job.speculation; by.draft_tokens > 0)
    terms.verified = static_cast<double>(by.draft_tokens + 1), terms.round = tokens_kept(by, job.output.mean),
    terms.draft = by.draft_cost;
  return terms;
}

/// Seconds of a step of device and host: the longer of the two or, `in_turn`, their sum.
constexpr double with_host(double device, double host, bool in_turn) noexcept {
  return in_turn ? device + host : device > host ? device : host;
}

/// A step in which some number of sequences decodes, in seconds, from which its time with prompts follows.
struct engine_step {
  double device = 0;     // without prompts
  double host = 0;       // which prepares the next step meanwhile
  double own = 1;        // factor of the caller's own runs
  bool in_turn = false;  // the device idles while the host works
  bool alone = false;    // prompts have steps of their own, behind which the host of the others does not hide
  /// With so many seconds of prompts.
  constexpr double with(double prompts) const noexcept {
    return alone ? with_host(device, host, in_turn) + own * prompts : with_host(device + own * prompts, host, in_turn);
  }
  /// On average over steps of which a share has prompts: the host hides only behind those.
  constexpr double mean_with(double prompts, double share) const noexcept {
    const double more = own * prompts, without = with(0);
    if (alone || in_turn || host <= device) return without + more;
    const double waits = share * (host - device);
    return more > waits ? without + more - waits : without;
  }
};

/// Seconds on the device to verify `each` tokens of every sequence: products, links and experts see all of them, keys
/// and values are read once for a sequence.
constexpr double verify_at(const decode_terms& terms, double sequences, double each) {
  const double tokens = sequences * each;
  const double weights = weights_at(terms, tokens), products = terms.products * tokens;
  return factor_at(terms.own, sequences) *
         ((weights > products ? weights : products) + (terms.cache + terms.paging) * read_at(terms, sequences) +
          (terms.dispatch + terms.collectives) * tokens + terms.latency);
}

/// A token of a round: its part of the drafts and of the step that verifies them.
constexpr engine_step token_of_round(const token_terms& terms, double sequences, engine_step one) {
  const double draft = terms.draft * one.with(0), once = one.own * terms.request * sequences;
  one.device = (draft + verify_at(terms.step, sequences, terms.verified)) / terms.round;
  one.host = once + (one.host - once + (one.in_turn ? 0 : draft)) / terms.round;
  return one;
}

constexpr engine_step engine_step_at(const token_terms& terms, double sequences) {
  const double own = factor_at(terms.step.own, sequences);
  const engine_step one{step_at(terms.step, sequences), own * (terms.host + terms.host_each * sequences), own,
                        terms.in_turn, terms.alone};
  return terms.verified > 1 ? token_of_round(terms, sequences, one) : one;
}

/// The same under an engine, from the step where none is named.
constexpr engine_step step_under(const token_terms& terms, double sequences, engine_step unnamed,
                                 const candidate_engine& engine) {
  unnamed.device = step_under(terms.step, sequences, unnamed.own, unnamed.device, engine);
  unnamed.in_turn = terms.hosts && engine.hosts_in_turn;
  unnamed.alone = engine.prompts_alone;
  return unnamed;
}
/// Seconds that prompts take under an engine, over those where none is named.
constexpr double prompts_under(const token_terms& terms, const candidate_engine& engine) {
  const double apart = engine.prompts_alone && !terms.alone ? terms.apart : 1;
  return engine.factors.prefill * apart * (engine.pages ? 1 : 1 - terms.paged);
}

/// The mean time of an output token, `total`, with its parts and its band. Steps have `sequences` that decode; what is
/// left of the total beside step and `prompts` is waiting for the host. With drafts the parts and the band are those of
/// a token without, and a further part is what the drafts change.
constexpr token_time token_of(const token_terms& terms, double sequences, double prompts, double total,
                              serving_engine engine) {
  if (terms.verified > 1) {
    token_terms plain = terms;
    plain.verified = plain.round = 1, plain.draft = 0;
    token_time token = token_of(plain, sequences, prompts, engine_step_at(plain, sequences).with(prompts), engine);
    const double share = total / token.total.value();
    token.speculation = seconds{total} - token.total;
    token.total = seconds{total}, token.low = share * token.low, token.high = share * token.high;
    return token;
  }
  token_time token;
  token.step = decode_of(terms.step, sequences, engine);
  token.prompts = seconds{factor_at(terms.step.own, sequences) * prompts};
  token.total = seconds{total};
  const seconds device = token.step.total + token.prompts;
  // What rounding leaves is nothing.
  token.engine = token.total > device * (1 + 1e-12) ? token.total - device : seconds{0};
  const seconds floor{floor_at(terms.step, sequences)};
  const engine_step unnamed = engine_step_at(terms, sequences);
  const double share = terms.prompt > 0 ? -math::expm1(-prompts / terms.prompt) : 1;  // of the steps, with prompts
  const seconds each = token.total / unnamed.mean_with(prompts, share);
  const auto time_under = [&](const candidate_engine& one) {
    return each * step_under(terms, sequences, unnamed, one).mean_with(prompts * prompts_under(terms, one), share);
  };
  add_range(token, {kind_of(terms.step), engine, terms.step.software}, terms.step.covered, floor, *terms.step.engines,
            time_under);
  narrow_by_own(token, terms.step.own, sequences, kind_of(terms.step), terms.step.software);
  raise_low(token, seconds{with_host(floor.value(), terms.known_host, terms.in_turn)});
  return token;
}

/// Where a rising function crosses 0 between 0 and `most`: 0 where it is positive from the start, `most` where it never
/// is. Exact to 1e-14 of the answer: what rests on it as a power is still exact to 1e-12. The method is regula falsi
/// with the Illinois rule, which halves the value at an end that has stayed twice, so that both ends converge.
template <class Function>
constexpr double crossing(const Function& function, double most) {
  double low = 0, high = most;
  double at_low = function(low), at_high = function(high);
  if (at_high <= 0) return most;
  if (at_low >= 0) return 0;
  int stayed = 0;  // rounds for which the low end has stayed; negative: the high end
  for (int round = 0; round < 200 && high - low > 1e-14 * high; ++round) {
    double middle = low - at_low * (high - low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = low + (high - low) / 2;
    const double value = function(middle);
    if (value == 0) return middle;
    if (value < 0) {
      low = middle, at_low = value;
      if (stayed < 0) at_high /= 2;
      stayed = -1;
    } else {
      high = middle, at_high = value;
      if (stayed > 0) at_low /= 2;
      stayed = 1;
    }
  }
  return low + (high - low) / 2;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
