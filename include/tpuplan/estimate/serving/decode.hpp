#ifndef TPUPLAN_ESTIMATE_SERVING_DECODE_HPP
#define TPUPLAN_ESTIMATE_SERVING_DECODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/calibration.hpp>
#include <tpuplan/estimate/serving/mixture.hpp>
#include <tpuplan/estimate/serving/served_model.hpp>
#include <tpuplan/handbook/collective.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/parallel/collective_group.hpp>

/// @file
/// The time of one decode step.

namespace tpuplan {
inline namespace abi_0 {

/// Sequences that decode together, and how many tokens each attends to.
struct decode_batch {
  double sequences = 0;  ///< sequences that decode in one replica
  double context = 0;    ///< tokens that a sequence attends to, on average
};

/// What takes most of a decode step.
enum class decode_limit : std::uint8_t { weights, products, cache, collectives, overhead, paging, dispatch };

/// "weights" and so on.
[[nodiscard]] constexpr std::string_view name(decode_limit what) noexcept {
  constexpr const char* names[] = {"weights", "products", "cache", "collectives", "overhead", "paging", "dispatch"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// One decode step of one replica: max(weights, products) + cache + paging + dispatch + latency + collectives = total.
struct decode_breakdown {
  seconds weights{};          ///< reading the weights that the step uses
  seconds products{};         ///< matrix products
  seconds cache{};            ///< reading keys and values
  seconds paging{};           ///< attention time of each sequence in a paged cache, whatever its length
  seconds dispatch{};         ///< sorting, gathering and scattering tokens for experts
  seconds latency{};          ///< fixed time of each layer: two small all-reduces, and a first port's experts
  seconds collectives{};      ///< bytes moved between the chips of a replica
  seconds total{};            ///< of the step
  seconds low{};              ///< lower end: nine of ten comparable published steps lie in between
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< no published decode run is on that chip, or of a model like it
  decode_limit limited_by = decode_limit::weights;  ///< the largest part
};

namespace detail {

/// The features of a question whose load is not set yet, and the caller's own runs, to all of which it refers; `runs`
/// is null where there are none.
struct own_question {
  const own_runs* runs = nullptr;
  const own_spreads* spreads = nullptr;
  const run_features* about = nullptr;

  /// The features with a load.
  constexpr run_features at(double load) const {
    run_features all = *about;
    all.load = math::log2(load);
    return all;
  }
};

constexpr own_question own_question_of(const own_runs& runs, const own_spreads& spreads, const run_features& about) {
  return {runs.count > 0 ? &runs : nullptr, &spreads, &about};
}

constexpr double factor_of_runs(const own_question& q, double load) {
  return own_factor(*q.runs, *q.spreads, q.at(load));
}
/// The factor of the caller's own runs at a load; 1 where there are none.
constexpr double factor_at(const own_question& q, double load) {
  return q.runs == nullptr || !(load > 0) ? 1 : factor_of_runs(q, load);
}

/// How much wider the band of a kind is than that of dense decode, in logarithms; of prefill, whose spreads are its
/// own, 1.
constexpr double wider_than_most(serving_kind kind, software_level software) {
  const auto width = [software](serving_kind of) {
    const serving_band& band = bands_of(of, software).band;
    return math::log((1 + band.over) / (1 - band.under));
  };
  return kind == serving_kind::expert_decode ? width(kind) / width(serving_kind::decode) : 1;
}

/// Narrows the band of an estimate of a kind by the caller's own runs, at a load.
template <class Estimate>
constexpr void narrow_by_own(Estimate& estimate, const own_question& q, double load, serving_kind kind,
                             software_level software) {
  if (q.runs == nullptr || !(load > 0)) return;
  const run_features about = q.at(load);
  const double wider = wider_than_most(kind, software) * (estimate.extrapolated ? uncovered_width : 1);
  narrow_band(estimate, own_spread_left(*q.runs, *q.spreads, about), own_reach(*q.runs, *q.spreads, about, wider));
}

/// Seconds per byte that a chip of the replica moves in collectives; 0 for a replica of one chip.
constexpr double collective_seconds_per_byte(const replica& on, double slowdown) {
  return on.chips <= 1 || slowdown <= 0 ? 0 : slowdown / positive("ICI rate of the chip", on.links.value());
}

/// Seconds per token of the all-reduces of every layer and, where experts have their own devices, of the all-to-alls to
/// them and back.
constexpr double collectives_of(const served_model& served, const serving_layout& mesh, double slowdown) {
  const bool both = mesh.weights == weight_sharding::two_dimensions;
  const double moved = 4 * served.summed * (both ? 2 / math::sqrt(served.on.chips) : 1);
  return moved * collective_seconds_per_byte(served.on, slowdown) + slowdown * served.all_to_all.value();
}

/// Seconds per token that no schedule of collectives avoids: of n chips each has a share of 1/n already. Where
/// published runs move bytes faster than the rule for links says, `slowdown` is below 1 and corrects it.
constexpr double needed_links(const served_model& served, const serving_layout& mesh, double slowdown) {
  if (served.on.chips <= 1 || slowdown <= 0) return 0;
  return collectives_of(served, mesh, slowdown < 1 ? slowdown : 1) * (1 - 1 / served.on.chips);
}

constexpr seconds layer_latency_of(const served_model& served, const engine_constants& constants) {
  return constants.common.layer_latency * (served.layers * served.doublings);
}

/// Time of a decode step in the kernels of experts that a first port has: in each layer programs that sort, gather,
/// multiply and scatter run one after another, however few tokens there are.
constexpr seconds ported_latency_of(const served_model& served, const engine_constants& constants) {
  return constants.common.ported_layer * served.ported;
}

/// Time per token of dispatch to experts: every device of a replica sorts, gathers and scatters the copies of every
/// token, as a tensor shard does in training.
constexpr seconds dispatch_of(const served_model& served, const engine_constants& constants) {
  return served.routed * (constants.common.dispatch_passes * served.on.devices) / served.hbm;
}

/// The share of sequences whose pages a device has; 0 where the engine has no pages.
constexpr double paged_share(const served_model& served, const serving_job& job) {
  if (job.policy != cache_policy::paged || !row_of(job.engine).pages) return 0;
  return 1 / served.holders;
}

/// Seconds of attention per sequence that do not depend on its length: a paged engine moves whole blocks of keys.
constexpr double paging_of(const served_model& served, const serving_job& job, const engine_constants& constants) {
  const double sequences = paged_share(served, job);
  return served.passes * sequences * constants.sequence_bytes.value() * served.on.devices / served.hbm.value();
}

/// Tokens of a sequence of `context` tokens, rounded up to whole blocks.
constexpr std::int64_t held_tokens(const serving_job& job, double context) {
  return round_up(ceil_to_count(context), block_of(job));
}

/// Bytes of keys and values of a sequence of `context` tokens, rounded up to whole blocks, and of what a draft keeps of
/// them; copies do not count.
constexpr bytes cache_of_valid(const kept_numbers& kept, const serving_job& job, double context) {
  const std::int64_t held = positive_count("sequence_length", held_tokens(job, context));
  return bytes_kept(kept, held, job.cache) + static_cast<double>(held) * job.speculation.cache_per_token;
}

/// The same, for any model.
constexpr bytes cache_of(const transformer& model, const serving_job& job, double context) {
  validate(model);
  check_decoder(model);
  return cache_of_valid(kept_of_valid(model), job, context);
}

/// The terms of one replica's decode step, in seconds, from which its time follows for any number of sequences.
struct decode_terms {
  double dense = 0;        // reading the parameters that every step reads
  double experts = 0;      // reading all routed experts
  double missed = 0;       // share of the experts that one token is not routed to
  double imbalance = 0;    // of the experts that are read over the devices that hold them
  double products = 0;     // matrix products, for each sequence
  cache_reads reads{};     // reading keys and values, by the tokens of a sequence
  double cache = 0;        // reading keys and values, for each sequence
  double paging = 0;       // attention, for each sequence, whatever it holds
  double dispatch = 0;     // of experts, for each sequence
  double collectives = 0;  // moving activations, for each sequence
  double latency = 0;      // layers
  double holders = 0;      // devices, or groups of them, of which each keeps whole sequences; 0: there is one
  double links = 0;        // the bytes that have to pass the links of a chip at their rate, for each sequence
  double weight_stream = 1, cache_stream = 1, decode_mxu = 1;  // the shares of peak rates behind these times
  bool covered = true;                                         // published runs are on such chips, of such models
  software_level software{};                                   // how well the program is tuned
  own_question own{};                                          // runs of the caller's own
  const fitted_engines* engines = nullptr;                     // factors of single engines
};

/// The terms of a decode step for sequences that hold `tokens` tokens each.
constexpr decode_terms terms_of(const served_model& served, double tokens, const serving_job& job,
                                const serving_layout& mesh, const engine_constants& constants) {
  const seconds of_weight = size_of(job.weights) / (served.hbm * constants.common.weight_stream);  // to read one
  decode_terms terms;
  terms.dense = served.dense * of_weight.value();
  terms.experts = served.experts * of_weight.value();
  terms.missed = served.missed;
  terms.covered = served.covered && served.ran.decode_runs > 0;
  terms.software = job.software;
  terms.imbalance = served.imbalance;
  terms.products = 2 * served.matrices / (served.peak.value() * constants.common.decode_mxu);
  terms.reads = in_seconds(served.reads, served.cache_copies / (served.hbm.value() * constants.cache_stream));
  terms.reads.fixed *= served.state_copies / served.cache_copies;
  terms.cache = read_of(terms.reads, tokens);
  terms.paging = paging_of(served, job, constants);
  terms.dispatch = dispatch_of(served, constants).value();
  terms.collectives = collectives_of(served, mesh, constants.common.decode_collectives);
  terms.latency = (layer_latency_of(served, constants) + ported_latency_of(served, constants)).value();
  terms.holders = served.holders > 1 ? served.holders : 0;
  terms.links = needed_links(served, mesh, constants.common.decode_collectives);
  terms.weight_stream = constants.common.weight_stream;
  terms.cache_stream = constants.cache_stream;
  terms.decode_mxu = constants.common.decode_mxu;
  terms.own = own_question_of(constants.common.own_decode, decode_spreads, served.about);
  terms.engines = &constants.common.engines;
  return terms;
}

/// Seconds to read the weights that a step uses. Of the experts, only those are read to which some token is routed,
/// each equally likely; the device that reads most of them counts.
constexpr double weights_at(const decode_terms& terms, double sequences) {
  if (terms.experts <= 0) return terms.dense;
  const double missed = terms.missed > 0 ? math::pow(terms.missed, sequences) : 0;
  const double read = 1 - missed + terms.imbalance * math::sqrt(missed * (1 - missed));
  return terms.dense + terms.experts * (read < 1 ? read : 1);
}

/// Sequences whose keys and values a step takes as long to read as those of that many: where each is on one device, or
/// group of them, the others wait for it.
constexpr double read_at(const decode_terms& terms, double sequences) {
  return sequences > terms.holders ? sequences : terms.holders;
}

/// Seconds of a decode step with that many sequences.
constexpr double step_at(const decode_terms& terms, double sequences) {
  const double weights = weights_at(terms, sequences), products = terms.products * sequences;
  return factor_at(terms.own, sequences) *
         ((weights > products ? weights : products) + (terms.cache + terms.paging) * read_at(terms, sequences) +
          (terms.dispatch + terms.collectives) * sequences + terms.latency);
}

/// The same under an engine, from the seconds where none is named: its own cache and pages. `own` is the factor of the
/// caller's own runs.
constexpr double step_under(const decode_terms& terms, double sequences, double own, double unnamed,
                            const candidate_engine& engine) {
  const double paging = engine.pages ? engine.factors.paging : 0;
  const double more = terms.cache * (engine.factors.cache - 1) + terms.paging * (paging - 1);
  return unnamed + own * more * read_at(terms, sequences);
}

/// Seconds that no engine can beat at the peak rates of the chip: of HBM, of matrix products, or of links.
constexpr double floor_at(const decode_terms& terms, double sequences) {
  const double hbm =
      weights_at(terms, sequences) * terms.weight_stream + terms.cache * read_at(terms, sequences) * terms.cache_stream;
  const double products = terms.products * sequences * terms.decode_mxu, links = terms.links * sequences;
  const double device = hbm > products ? hbm : products;
  return device > links ? device : links;
}

/// Raises the low end of a range to what physics allows, where the estimate itself is above that.
template <class Estimate>
constexpr void raise_low(Estimate& estimate, seconds floor) {
  if (estimate.low < floor) estimate.low = floor < estimate.total ? floor : estimate.total;
}

constexpr serving_kind kind_of(const decode_terms& terms) noexcept {
  return terms.experts > 0 ? serving_kind::expert_decode : serving_kind::decode;
}

constexpr decode_limit largest_of(const decode_breakdown& step) {
  const seconds parts[] = {step.weights, step.products, step.cache,   step.collectives,
                           step.latency, step.paging,   step.dispatch};
  std::size_t most = 0;
  for (std::size_t i = 1; i < 7; ++i) most = parts[i] > parts[most] ? i : most;
  return static_cast<decode_limit>(most);
}

/// A decode step with its parts and its band.
constexpr decode_breakdown decode_of(const decode_terms& terms, double sequences, serving_engine engine) {
  positive("decode_batch.sequences", sequences);
  in_range("decode_batch.sequences", sequences, 0, static_cast<double>(most_requests), "above 0, at most 1e9");
  decode_breakdown step;
  const double own = factor_at(terms.own, sequences);
  step.weights = seconds{own * weights_at(terms, sequences)};
  step.products = seconds{own * terms.products * sequences};
  step.cache = seconds{own * terms.cache * read_at(terms, sequences)};
  step.paging = seconds{own * terms.paging * read_at(terms, sequences)};
  step.dispatch = seconds{own * terms.dispatch * sequences};
  step.latency = seconds{own * terms.latency};
  step.collectives = seconds{own * terms.collectives * sequences};
  step.total = seconds{positive("decode step", step_at(terms, sequences))};
  const seconds floor{floor_at(terms, sequences)};
  const auto time_under = [&](const candidate_engine& one) {
    return seconds{step_under(terms, sequences, own, step.total.value(), one)};
  };
  add_range(step, {kind_of(terms), engine, terms.software}, terms.covered, floor, *terms.engines, time_under);
  narrow_by_own(step, terms.own, sequences, kind_of(terms), terms.software);
  raise_low(step, floor);
  step.limited_by = largest_of(step);
  return step;
}

}  // namespace detail

/// Time of one decode step of one replica alone, without engine overhead and without prefill between steps. Throws for
/// models that do not decode, devices or heads that do not divide, batches that are not above 0, engine settings out of
/// range, and unknown figures of the chip.
/// Worked: PaLM 62B in int8 on 16 v4, 32 sequences of 2080 tokens: 10.5 ms, measured 11.4 ms.
/// Source: closed form calibrated on published runs, after the scaling book's chapter "Inference" (2025-12-15).
[[nodiscard]] constexpr decode_breakdown decode_step(
    const transformer& model, const decode_batch& batch, const serving_job& job, const serving_layout& mesh,
    const slice& where, const serving_calibration& constants = default_serving_calibration) {
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  detail::check_decoder(model);
  const detail::served_model served = detail::served_by(model, job, mesh, where, detail::has_own_runs(constants));
  detail::positive("decode_batch.context", batch.context);
  detail::in_range("decode_batch.context", batch.context, 0, static_cast<double>(detail::most_tokens),
                   "above 0, at most 2^40 tokens");
  const auto tokens = static_cast<double>(detail::held_tokens(job, batch.context));
  return detail::decode_of(detail::terms_of(served, tokens, job, mesh, own), batch.sequences, job.engine);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
