#ifndef TPUPLAN_ESTIMATE_SERVING_DECODE_HPP
#define TPUPLAN_ESTIMATE_SERVING_DECODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/calibration.hpp>
#include <tpuplan/estimate/serving/mixture.hpp>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/handbook/collective.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/parallel/collective_group.hpp>

/// @file
/// How a model is sharded over the devices that serve it, and the time of one decode step.

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
  seconds latency{};          ///< fixed time of the two small all-reduces of each layer
  seconds collectives{};      ///< bytes moved between the chips of a replica
  seconds total{};            ///< of the step
  seconds low{};              ///< lower end: nine of ten comparable published steps lie in between
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< no published decode run is on that chip, or of a model like it
  decode_limit limited_by = decode_limit::weights;  ///< the largest part
};

namespace detail {

/// The features of a question whose load is not set yet, and the caller's own runs; `runs` is null where there are
/// none.
struct own_question {
  const own_runs* runs = nullptr;
  const own_spreads* spreads = nullptr;
  run_features about{};

  /// The features with a load.
  constexpr run_features at(double load) const {
    run_features all = about;
    all.load = math::log2(load);
    return all;
  }
};

constexpr own_question own_question_of(const own_runs& runs, const own_spreads& spreads, const run_features& about) {
  return {runs.count > 0 ? &runs : nullptr, &spreads, about};
}

/// The factor of the caller's own runs at a load.
constexpr double factor_at(const own_question& q, double load) {
  if (q.runs == nullptr || !(load > 0)) return 1;
  return own_factor(*q.runs, *q.spreads, q.at(load));
}

/// How much wider the band of a kind is than that of dense decode, in logarithms; of prefill, whose spreads are its
/// own, 1.
constexpr double wider_than_most(serving_kind kind) {
  const auto width = [](serving_kind of) {
    const serving_band& band = bands_by_kind[static_cast<std::size_t>(of)].band;
    return math::log((1 + band.over) / (1 - band.under));
  };
  return kind == serving_kind::expert_decode ? width(kind) / width(serving_kind::decode) : 1;
}

/// Narrows the band of an estimate of a kind by the caller's own runs, at a load.
template <class Estimate>
constexpr void narrow_by_own(Estimate& estimate, const own_question& q, double load, serving_kind kind) {
  if (q.runs == nullptr || !(load > 0)) return;
  const run_features about = q.at(load);
  const double wider = wider_than_most(kind) * (estimate.extrapolated ? uncovered_width : 1);
  narrow_band(estimate, own_spread_left(*q.runs, *q.spreads, about), own_reach(*q.runs, *q.spreads, about, wider));
}

/// The number of parameters in routed experts.
constexpr double expert_parameters(const transformer& model) {
  if (!has_experts(model)) return 0;
  return static_cast<double>(
      checked_multiply(mlp_matrices(model, model.moe.expert_d_ff), model.moe.experts, moe_layers(model)));
}

/// What a decode step reads and writes of one sequence, by the tokens that it holds: in bytes, or in the seconds that
/// these take.
struct cache_reads {
  double fixed = 0;    // recurrent states, read and written
  double each = 0;     // for each token
  double bounded = 0;  // for each token too, but for `most` of them at most: of a window, or chosen by an indexer
  double most = 0;     // tokens
};

constexpr double read_of(const cache_reads& reads, double tokens) noexcept {
  return reads.fixed + reads.each * tokens + reads.bounded * (tokens < reads.most ? tokens : reads.most);
}

constexpr cache_reads in_seconds(const cache_reads& moved, double per_byte) noexcept {
  return {moved.fixed * per_byte, moved.each * per_byte, moved.bounded * per_byte, moved.most};
}

/// Layers with a window hold and read at most the window. An indexer's keys are read for all tokens, and the other keys
/// and values for those that it chooses.
constexpr cache_reads cache_reads_of(const transformer& model, dtype format) {
  const cached_widths width = cached(model);
  const cached_layers layers = layers_with_cache(model);
  const double size = size_of(format).value();
  cache_reads reads;
  reads.fixed = 2 * state_of_valid(model).value();
  reads.each = size * (static_cast<double>(checked_multiply(layers.global, width.global)) + merged_numbers(model));
  reads.bounded = size * static_cast<double>(checked_multiply(layers.local, width.local));
  reads.most = static_cast<double>(model.attention.window);
  if (indexer_layers(model) == 0) return reads;
  const indexer_spec& indexer = model.attention.indexer;
  const double keys = size * static_cast<double>(checked_multiply(indexer_layers(model), indexer.head_dim));
  return {reads.fixed, keys, reads.each + reads.bounded - keys, static_cast<double>(indexer.top_k)};
}

/// The figures of a model on a replica that every estimate needs.
struct served_model {
  double held = 0;          // all weights, counted in numbers of the job's format
  double matrices = 0;      // parameters that multiply a token
  double dense = 0;         // of those, what every decode step reads
  double experts = 0;       // of those, routed experts: a step reads those that some token is routed to
  double missed = 0;        // share of the experts that one token is not routed to
  double imbalance = 0;     // of the experts that a step reads over the devices that hold them
  bytes routed{};           // bytes of a token's copies on their way to experts, all layers
  double layers = 0;        // of the language model
  double passed = 0;        // of those, the ones with keys and values, by the area of the matrix unit over 256 x 256
  double d_model = 0;       // width of its residual stream
  double cache_copies = 1;  // copies of each key and value in the replica
  double groups = 1;        // groups of devices, each with its own attention weights and sequences
  seconds all_to_all{};     // time of a token to its experts' devices and back, all layers, nominal rate
  double summed = 0;        // numbers of a token that are summed over devices, in all layers
  cache_reads reads{};      // bytes that a step moves of a sequence
  bool covered = true;      // published runs are of models like it
  replica on{};
  bytes_per_second hbm{};        // of the replica
  flops_per_second peak{};       // of the replica, in the format of its products
  flops_per_second peak_bf16{};  // of the replica
  run_features about{};          // the question's features; the load is not set
};

/// The properties of a serving question as bits: experts, weights below 16 bits, and one bit for each named engine. Two
/// named engines differ in two bits, a named and an unnamed one in one.
constexpr std::uint32_t serving_kinds(const transformer& model, const serving_job& job) noexcept {
  const std::uint32_t engine = job.engine == serving_engine::unnamed ? 0 : 2U << static_cast<std::uint32_t>(job.engine);
  return (has_experts(model) ? 1U : 0U) | (size_of(job.weights) < bytes{2} ? 2U : 0U) | engine;
}

/// The features by which serving questions are compared: parameters, the tokens that a sequence attends to, the chips
/// of the replica, the kind of chip, `serving_kinds`, and marks of the recipe (model, engine and its settings) and of
/// how it is sharded, with the lengths of requests.
constexpr run_features serving_features(const served_model& served, const transformer& model, const serving_job& job,
                                        const serving_layout& mesh, const slice& where) {
  run_features about;
  about.size = math::log2(served.held);
  if (job.prompt.mean > 0 && job.output.mean > 0) about.length = math::log2(running_context(job));
  about.chips = math::log2(served.on.chips);
  about.chip = chip_mark(where.chip.name);
  about.kind = serving_kinds(model, job);
  const auto number = [](auto value) { return static_cast<double>(value); };
  about.recipe = mark_of({number(job.engine), number(job.weights), number(job.cache), number(job.activations),
                          number(job.policy), number(job.prefill_chunk), job.prefix_hit_rate},
                         model_mark(model, served.matrices));
  about.layout = mark_of({number(mesh.tensor), number(mesh.weights), number(mesh.cache), number(mesh.attention),
                          job.prompt.mean, job.output.mean});
  return about;
}

constexpr flops_per_second serving_peak(const serving_job& job, const chip_spec& chip) {
  return peak_rate(chip, has_peak_rate(chip, job.activations) ? job.activations : dtype::bf16);
}

/// Copies of each key and value in a replica.
constexpr double cache_copies(const transformer& model, const serving_layout& mesh, const replica& on) {
  if (mesh.weights == weight_sharding::two_dimensions || mesh.cache == cache_sharding::batch) return 1;
  const double heads = has_latent_attention(model) ? 1 : static_cast<double>(model.attention.kv_heads);
  const double sharing = mesh.attention > 0 ? static_cast<double>(mesh.attention) : on.devices;
  return sharing > heads ? sharing / heads : 1;
}

/// Parameters that no decode step reads: input embeddings, those of each layer (`other_weights`) among them, of which a
/// token needs one row, and the vision tower with its projector, which run in prefill.
constexpr double unread_parameters(const transformer& model, const parameter_count& count) {
  const std::int64_t table = model.tied_embeddings ? 0 : checked_multiply(model.vocab, model.d_model);
  const std::int64_t looked_up = model.other_weights > 0 ? checked_add(table, model.other_weights) : table;
  return static_cast<double>(checked_add(looked_up, checked_add(count.vision, count.projector)));
}

/// Experts lie whole on as many devices as divide both, so that a step waits for the device with most of those that its
/// tokens are routed to: of n experts of which each is read with probability p, sqrt(2 ln(groups) n p (1 - p)) more
/// than n p, the expected maximum of normal numbers.
constexpr void add_experts(served_model& served, const transformer& model) {
  const auto experts = static_cast<double>(model.moe.experts);
  const auto groups = static_cast<double>(common_divisor(model.moe.experts, floor_to_count(served.on.devices)));
  served.missed = 1 - static_cast<double>(model.moe.top_k) / experts;
  served.imbalance = math::sqrt(2 * math::log(groups) * groups / experts);
  served.routed =
      bytes{2 * static_cast<double>(model.moe.top_k) * served.d_model * static_cast<double>(moe_layers(model))};
}

/// To how many devices other than its own a layer sends a token, if experts are equally likely: k experts lie on
/// D (1 - (1 - 1/D)^k) of D devices, and one in D of these is the token's own.
constexpr double other_devices(const transformer& model, double devices) {
  return (devices - 1) * (1 - math::pow(1 - 1 / devices, static_cast<double>(model.moe.top_k)));
}

/// Data-parallel attention with expert-parallel MLPs: each group has its own copy of attention, norms and router; a
/// token is sent as d_model numbers in bf16 to each device that has one of its experts, and back; all-reduces are over
/// a group after attention, and over the replica for dense and shared MLPs.
constexpr void divide_attention(served_model& served, const transformer& model, const parameter_count& count,
                                const serving_layout& mesh, const slice& where) {
  const auto attention = static_cast<double>(mesh.attention);
  served.groups = served.on.devices / attention;
  const double copied = static_cast<double>(checked_add(count.attention, checked_add(count.norms, count.router)));
  served.held += copied * (served.groups - 1);
  served.dense += copied * (served.groups - 1);
  const double of_group = attention > 1 ? served.layers / served.groups : 0;
  served.summed = served.d_model * (of_group + (count.mlp == 0 ? 0 : served.layers));
  if (served.on.chips <= 1 || where.chip.ici.axes == 1) return;
  const bytes sent{2 * served.d_model * other_devices(model, served.on.devices)};
  const collective_group block = block_of(where, floor_to_count(served.on.chips));
  served.all_to_all = 2 * static_cast<double>(moe_layers(model)) * all_to_all(sent, block).bandwidth;
}

/// `served_by` for a model and a job that are known to be valid, and a layout that is not. `compared`: with the
/// features of the question, by which it is compared with runs of the caller's own.
constexpr served_model served_by_valid(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                       const slice& where, bool compared) {
  check_served(model, mesh, where);
  served_model served;
  const parameter_count count = count_of_valid(model);
  served.held = stored_bytes(count, job.weights, job.weights_by_part) / size_of(job.weights);
  served.matrices = static_cast<double>(count.matrices);
  served.experts =
      expert_parameters(model) * (part_size(job.weights_by_part.experts, job.weights) / size_of(job.weights));
  served.dense = served.held - unread_parameters(model, count) - served.experts;
  served.layers = static_cast<double>(model.layers);
  const cached_layers kept = layers_with_cache(model);
  const double side = static_cast<double>(where.chip.mxu.side) / 256;
  served.passed = static_cast<double>(kept.global + kept.local) * side * side;
  served.d_model = static_cast<double>(model.d_model);
  served.on = replica_of(mesh, where);
  if (has_experts(model)) add_experts(served, model);
  served.cache_copies = cache_copies(model, mesh, served.on);
  served.reads = cache_reads_of(model, job.cache);
  served.covered = !has_recurrence(model) && model.attention.indexer.heads == 0;
  served.hbm = bytes_per_second{positive("chip.hbm.bandwidth", where.chip.hbm.bandwidth.value()) * served.on.chips};
  served.peak =
      flops_per_second{positive("peak rate of the chip", serving_peak(job, where.chip).value()) * served.on.chips};
  served.peak_bf16 =
      flops_per_second{positive("peak rate of the chip", peak_rate(where.chip, dtype::bf16).value()) * served.on.chips};
  if (compared) served.about = serving_features(served, model, job, mesh, where);
  served.summed = 2 * served.layers * served.d_model;
  if (mesh.attention > 0) divide_attention(served, model, count, mesh, where);
  return served;
}

/// The figures of a model on a replica. Throws for what no decode step takes.
constexpr served_model served_by(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                 const slice& where, bool compared = true) {
  validate_engine(job);
  check_decoder(model);
  check_served(model, mesh, where);
  validate(model);
  if (job.prompt.mean > 0 && job.output.mean > 0) check_lengths(job);
  return served_by_valid(model, job, mesh, where, compared);
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
  return constants.common.layer_latency * (served.layers * math::log2(served.on.devices));
}

/// Time per token of dispatch to experts: every device of a replica sorts, gathers and scatters the copies of every
/// token, as a tensor shard does in training.
constexpr seconds dispatch_of(const served_model& served, const engine_constants& constants) {
  return served.routed * (constants.common.dispatch_passes * served.on.devices) / served.hbm;
}

/// The share of sequences whose pages a device has; 0 where the engine has no pages.
constexpr double paged_share(const served_model& served, const serving_job& job, const serving_layout& mesh) {
  if (job.policy != cache_policy::paged || !row_of(job.engine).pages) return 0;
  return mesh.cache == cache_sharding::batch ? 1 / served.on.devices : 1 / served.groups;
}

/// Seconds of attention per sequence that do not depend on its length: a paged engine moves whole blocks of keys.
constexpr double paging_of(const served_model& served, const serving_job& job, const serving_layout& mesh,
                           const engine_constants& constants) {
  const double sequences = paged_share(served, job, mesh);
  return served.layers * sequences * constants.sequence_bytes.value() * served.on.devices / served.hbm.value();
}

/// Tokens of a sequence of `context` tokens, rounded up to whole blocks.
constexpr std::int64_t held_tokens(const serving_job& job, double context) {
  return round_up(ceil_to_count(context), job.block_tokens);
}

/// Bytes of keys and values of a sequence of `context` tokens, rounded up to whole blocks; copies do not count.
constexpr bytes cache_of_valid(const transformer& model, const serving_job& job, double context) {
  return kv_sequence_of_valid(model, held_tokens(job, context), job.cache);
}

/// The same, for any model.
constexpr bytes cache_of(const transformer& model, const serving_job& job, double context) {
  check_cached(model);
  return cache_of_valid(model, job, context);
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
  double links = 0;        // the bytes that have to pass the links of a chip at their rate, for each sequence
  double weight_stream = 1, cache_stream = 1, decode_mxu = 1;  // the shares of peak rates behind these times
  bool covered = true;                                         // published runs are of models like it
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
  terms.covered = served.covered;
  terms.imbalance = served.imbalance;
  terms.products = 2 * served.matrices / (served.peak.value() * constants.common.decode_mxu);
  terms.reads = in_seconds(served.reads, served.cache_copies / (served.hbm.value() * constants.cache_stream));
  terms.cache = read_of(terms.reads, tokens);
  terms.paging = paging_of(served, job, mesh, constants);
  terms.dispatch = dispatch_of(served, constants).value();
  terms.collectives = collectives_of(served, mesh, constants.common.decode_collectives);
  terms.latency = layer_latency_of(served, constants).value();
  terms.links = needed_links(served, mesh, constants.common.decode_collectives);
  terms.weight_stream = constants.common.weight_stream;
  terms.cache_stream = constants.cache_stream;
  terms.decode_mxu = constants.common.decode_mxu;
  terms.own = own_question_of(constants.common.own_decode, decode_spreads, served.about);
  terms.engines = &constants.common.engines;
  return terms;
}

/// The terms of an engine from those where none is named: its attention kernel, and whether it has pages.
constexpr decode_terms terms_under(decode_terms terms, serving_engine engine) {
  const engine_factors own = factors_of(*terms.engines, engine);
  terms.cache *= own.cache;
  terms.paging *= row_of(engine).pages ? own.paging : 0;
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

/// Seconds of a decode step with that many sequences.
constexpr double step_at(const decode_terms& terms, double sequences) {
  const double weights = weights_at(terms, sequences), products = terms.products * sequences;
  const double each = terms.cache + terms.paging + terms.dispatch + terms.collectives;
  return factor_at(terms.own, sequences) *
         ((weights > products ? weights : products) + each * sequences + terms.latency);
}

/// Seconds that no engine can beat at the peak rates of the chip: of HBM, of matrix products, or of links.
constexpr double floor_at(const decode_terms& terms, double sequences) {
  const double hbm = weights_at(terms, sequences) * terms.weight_stream + terms.cache * sequences * terms.cache_stream;
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
constexpr decode_breakdown decode_of(const decode_terms& terms, double sequences, serving_engine engine,
                                     const chip_spec& chip) {
  positive("decode_batch.sequences", sequences);
  in_range("decode_batch.sequences", sequences, 0, static_cast<double>(most_requests), "above 0, at most 1e9");
  decode_breakdown step;
  const double own = factor_at(terms.own, sequences);
  step.weights = seconds{own * weights_at(terms, sequences)};
  step.products = seconds{own * terms.products * sequences};
  step.cache = seconds{own * terms.cache * sequences};
  step.paging = seconds{own * terms.paging * sequences};
  step.dispatch = seconds{own * terms.dispatch * sequences};
  step.latency = seconds{own * terms.latency};
  step.collectives = seconds{own * terms.collectives * sequences};
  step.total = seconds{positive("decode step", step_at(terms, sequences))};
  const seconds floor{floor_at(terms, sequences)};
  const auto time_under = [&](serving_engine one) {
    return one == engine ? step.total : seconds{step_at(terms_under(terms, one), sequences)};
  };
  add_range(step, kind_of(terms), engine, terms.covered && has_serving_runs(chip, &serving_coverage::decode_runs),
            floor, time_under);
  narrow_by_own(step, terms.own, sequences, kind_of(terms));
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
  const detail::served_model served = detail::served_by(model, job, mesh, where, detail::has_own_runs(constants));
  detail::positive("decode_batch.context", batch.context);
  detail::in_range("decode_batch.context", batch.context, 0, static_cast<double>(detail::most_tokens),
                   "above 0, at most 2^40 tokens");
  const auto tokens = static_cast<double>(detail::held_tokens(job, batch.context));
  return detail::decode_of(detail::terms_of(served, tokens, job, mesh, own), batch.sequences, job.engine, where.chip);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
