#ifndef TPUPLAN_ESTIMATE_SERVING_DECODE_HPP
#define TPUPLAN_ESTIMATE_SERVING_DECODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/serving/calibration.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/math.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/serving_job.hpp>

/// @file
/// How a model is dealt over the devices that serve it, and the time of one decode step.

namespace tpuplan {
inline namespace abi_0 {

/// How weights are cut over the devices of a replica.
enum class weight_sharding : std::uint8_t {
  one_dimension,   ///< Megatron: two all-reduces a layer over all devices
  two_dimensions,  ///< both dimensions of each matrix: less traffic on many chips
  gathered,        ///< weights come to the tokens: for prefill of very many tokens
};

/// How keys and values are cut over the devices of a replica.
enum class cache_sharding : std::uint8_t {
  heads,  ///< by KV heads; where devices outnumber them, each head has copies
  batch,  ///< by sequences: every sequence lies on one device
};

/// The devices of a slice as replicas of the model, each of `tensor` devices.
struct serving_layout {
  std::int64_t tensor = 0;                                   ///< devices of a replica; 0: all of the slice
  weight_sharding weights = weight_sharding::one_dimension;  ///< how the weights are cut over the devices of a replica
  cache_sharding cache = cache_sharding::heads;              ///< how the cache is
};

/// Sequences that decode together and what they attend to, on average.
struct decode_batch {
  double sequences = 0;  ///< of one replica
  double context = 0;    ///< tokens
};

/// What takes most of a decode step.
enum class decode_limit : std::uint8_t { weights, products, cache, collectives, overhead };

/// "weights" and so on.
[[nodiscard]] constexpr std::string_view name(decode_limit what) noexcept {
  constexpr std::string_view names[] = {"weights", "products", "cache", "collectives", "overhead"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// One decode step of one replica: max(weights, products) + cache + latency + collectives = total.
struct decode_breakdown {
  seconds weights{};                                ///< reading those that are touched
  seconds products{};                               ///< matrix products
  seconds cache{};                                  ///< reading keys and values
  seconds latency{};                                ///< layers and their small collectives
  seconds collectives{};                            ///< between the devices of a replica
  seconds total{};                                  ///< of the step
  seconds low{};                                    ///< nine of ten comparable published steps lie between low and high
  seconds high{};                                   ///< the upper end of that
  double band = 0;                                  ///< relative error behind low and high
  bool extrapolated = false;                        ///< outside of what published runs cover
  decode_limit limited_by = decode_limit::weights;  ///< the largest part
};

namespace detail {

/// A replica in numbers.
struct replica {
  double devices = 1, chips = 1, count = 1;  // of one replica, of one replica, replicas in the slice
  double ici = 0;                            // bytes a second of a chip, all axes that it has neighbours on
};

constexpr void check_served(const transformer& model, const serving_layout& mesh, const slice& where) {
  const std::int64_t all = positive_count("devices of the slice", devices(where));
  const std::int64_t tensor = mesh.tensor == 0 ? all : mesh.tensor;
  positive_count("serving_layout.tensor", tensor);
  if (all % tensor != 0) {
    text<96> valid{"a divisor of the "};
    valid.append(all).append(" devices of ").append(name(where));
    fail(errc::not_divisible, "serving_layout.tensor", tensor, valid.view());
  }
  if (mesh.weights != weight_sharding::one_dimension || mesh.cache == cache_sharding::batch) return;
  const attention_spec& a = model.attention;
  if (a.heads % tensor != 0)
    fail(errc::not_divisible, "serving_layout.tensor", tensor, "a divisor of the number of heads");
  if (a.kv_heads % tensor != 0 && tensor % a.kv_heads != 0)
    fail(errc::not_divisible, "serving_layout.tensor", tensor, "a divisor or multiple of the number of KV heads");
}

/// Rings close in whole cubes of 64 chips, and in whole pods of 256 in two dimensions.
constexpr replica replica_of(const serving_layout& mesh, const slice& where) {
  replica r;
  const auto all = static_cast<double>(devices(where));
  r.devices = mesh.tensor == 0 ? all : static_cast<double>(mesh.tensor);
  r.count = all / r.devices;
  r.chips = r.devices * static_cast<double>(chips(where)) / all;
  const auto axes = static_cast<double>(where.chip.ici.axes);
  const double near = r.chips <= 2 ? 1 : r.chips < 64 ? 2 : axes;
  const bool rings = r.chips >= (axes == 2 ? 256 : 64);
  r.ici = ici_axis_both_ways(where.chip).value() * (rings ? 1 : 0.5) * (near < axes ? near : axes);
  return r;
}

/// Parameters that lie in routed experts.
constexpr double expert_parameters(const transformer& model) {
  if (!has_experts(model)) return 0;
  return static_cast<double>(
      checked_multiply(mlp_matrices(model, model.moe.expert_d_ff), model.moe.experts, moe_layers(model)));
}

/// A model on a replica, in the numbers that every estimate needs.
struct served_model {
  double held = 0, matrices = 0;               // parameters: all, and those in products of a token
  double dense = 0, experts = 0, missed = 0;   // read in a step; a token misses that share of the experts
  double layers = 0, d_model = 0, copies = 1;  // copies of each key and value in the replica
  replica on{};
  bytes_per_second hbm{};   // of the replica
  flops_per_second peak{};  // of the replica, in the format of its products
};

constexpr flops_per_second serving_peak(const serving_job& job, const chip_spec& chip) {
  return peak_rate(chip, has_peak_rate(chip, job.activations) ? job.activations : dtype::bf16);
}

/// Copies of each key and value in a replica.
constexpr double cache_copies(const transformer& model, const serving_layout& mesh, const replica& on) {
  if (mesh.weights == weight_sharding::two_dimensions || mesh.cache == cache_sharding::batch) return 1;
  const double heads = has_latent_attention(model) ? 1 : static_cast<double>(model.attention.kv_heads);
  return on.devices > heads ? on.devices / heads : 1;
}

constexpr served_model served_by(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                 const slice& where) {
  check_served(model, mesh, where);
  served_model v;
  const parameter_count count = parameters(model);
  v.held = static_cast<double>(count.total);
  v.matrices = static_cast<double>(count.matrices);
  v.experts = expert_parameters(model);
  // No input look-up: of an untied table one row a token is read.
  const double table = model.tied_embeddings ? 0 : static_cast<double>(checked_multiply(model.vocab, model.d_model));
  v.dense = v.held - table - v.experts;
  if (has_experts(model)) v.missed = 1 - static_cast<double>(model.moe.top_k) / static_cast<double>(model.moe.experts);
  v.layers = static_cast<double>(model.layers);
  v.d_model = static_cast<double>(model.d_model);
  v.on = replica_of(mesh, where);
  v.copies = cache_copies(model, mesh, v.on);
  v.hbm = bytes_per_second{positive("chip.hbm.bandwidth", where.chip.hbm.bandwidth.value()) * v.on.chips};
  v.peak = flops_per_second{positive("peak rate of the chip", serving_peak(job, where.chip).value()) * v.on.chips};
  return v;
}

/// Parameters that a step of so many sequences reads: of the experts those that one token or more is routed to, all
/// routes alike.
constexpr double touched_parameters(const served_model& served, double sequences) {
  if (served.experts <= 0) return served.dense;
  return served.dense + served.experts * (served.missed > 0 ? 1 - math::pow(served.missed, sequences) : 1);
}

/// Seconds per byte that a chip of the replica has to move in collectives; 0 where there is no other chip.
constexpr double collective_seconds_per_byte(const replica& on, double slowdown) {
  return on.chips <= 1 || slowdown <= 0 ? 0 : slowdown / positive("ICI rate of the chip", on.ici);
}

/// Bytes that two all-reduces a layer move for each token.
constexpr bytes all_reduced(const served_model& served, const serving_layout& mesh) {
  return bytes{8 * served.layers * served.d_model *
               (mesh.weights == weight_sharding::two_dimensions ? 2 / math::sqrt(served.on.chips) : 1)};
}

constexpr seconds layer_latency_of(const served_model& served, const serving_calibration& constants) {
  return constants.layer_latency * (served.layers * math::log2(served.on.devices < 2 ? 2 : served.on.devices));
}

/// Bytes of keys and values of a sequence of that many tokens, whole blocks, without copies.
constexpr bytes cache_of(const transformer& model, const serving_job& job, double context) {
  return kv_bytes_per_sequence(model, round_up(ceil_to_count(context), job.block_tokens), job.cache);
}

/// Half-widths that hold nine of ten errors with the model family left out: steps by themselves, engines (rates of
/// saturated ones among them), prefill; and what no record covers.
inline constexpr double step_band = 0.165;
inline constexpr double engine_band = 0.35;
inline constexpr double prefill_band = 0.30;
inline constexpr double wide_serving_band = 0.50;

constexpr bool serving_covered(const chip_spec& chip) {
  for (const std::string_view known_chip : {"v4", "v5e", "v5p", "v6e", "tpu7x"}) {
    if (chip.name == known_chip) return true;
  }
  return false;
}

constexpr decode_limit largest_of(const decode_breakdown& step) {
  decode_limit what = step.products > step.weights ? decode_limit::products : decode_limit::weights;
  seconds most = max(step.products, step.weights);
  if (step.cache > most) most = step.cache, what = decode_limit::cache;
  if (step.collectives > most) most = step.collectives, what = decode_limit::collectives;
  if (step.latency > most) what = decode_limit::overhead;
  return what;
}

/// A step of sequences whose caches take so many bytes each.
constexpr decode_breakdown decode_of(const served_model& served, double sequences, bytes cache, const serving_job& job,
                                     const serving_layout& mesh, const slice& where,
                                     const serving_calibration& constants) {
  positive("decode_batch.sequences", sequences);
  decode_breakdown t;
  t.weights = size_of(job.weights) * touched_parameters(served, sequences) / (served.hbm * constants.weight_stream);
  t.products = flops{2 * served.matrices * sequences} / (served.peak * constants.decode_mxu);
  t.cache = cache * (sequences * served.copies) / (served.hbm * constants.cache_stream);
  t.latency = layer_latency_of(served, constants);
  t.collectives = seconds{all_reduced(served, mesh).value() * sequences *
                          collective_seconds_per_byte(served.on, constants.decode_collectives)};
  t.total = max(t.weights, t.products) + t.cache + t.latency + t.collectives;
  positive("decode step", t.total.value());
  t.extrapolated = !serving_covered(where.chip);
  t.band = t.extrapolated ? wide_serving_band : step_band;
  t.low = t.total / (1 + t.band);
  t.high = t.total / (1 - t.band);
  t.limited_by = largest_of(t);
  return t;
}

}  // namespace detail

/// Time of one decode step of one replica, by itself: no engine, no prefill between steps. Throws for models that do
/// not decode, devices that do not divide, batches that are not above 0, and figures of the chip that are unknown.
/// Worked: PaLM 62B in int8 on 16 v4, 32 sequences of 2080 tokens: 11.1 ms, measured 11.4 ms (tests/unit/serving.cpp).
/// Source: closed form calibrated on published runs, after the scaling book's chapter "Inference" (2025-12-15).
[[nodiscard]] constexpr decode_breakdown decode_step(const transformer& model, const decode_batch& batch,
                                                     const serving_job& job, const serving_layout& mesh,
                                                     const slice& where, const serving_calibration& constants = {}) {
  validate(constants);
  const detail::served_model v = detail::served_by(model, job, mesh, where);
  const bytes cache = detail::cache_of(model, job, detail::positive("decode_batch.context", batch.context));
  return detail::decode_of(v, batch.sequences, cache, job, mesh, where, constants);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
