#ifndef TPUPLAN_ESTIMATE_SERVING_EXPERT_PARALLEL_HPP
#define TPUPLAN_ESTIMATE_SERVING_EXPERT_PARALLEL_HPP

#include <cstdint>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/handbook/collective.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/parallel/collective_group.hpp>

/// @file
/// Data-parallel attention with expert-parallel MLPs: how engines serve a mixture of experts on many devices. Each
/// group of devices has its own copy of the attention weights and its own sequences, whose keys and values lie there
/// once. The experts lie whole on the devices, spread over all of them, so that a replica is all of the slice: every
/// layer sends each token to the devices of its experts and back, and all groups keep step. No published run that this
/// repository has is of that kind: the bands are wide.

namespace tpuplan {
inline namespace abi_0 {

/// How a slice is divided for it.
struct expert_parallel_layout {
  std::int64_t attention = 1;  ///< devices that share one copy of the attention weights, and a sequence's cache
};

/// One decode step of the replica: max(weights, products) + cache + all_to_all + all_reduce + latency = total.
struct expert_parallel_step {
  seconds weights{};         ///< reading the weights that the step uses, on each device
  seconds products{};        ///< matrix products
  seconds cache{};           ///< reading keys and values
  seconds all_to_all{};      ///< tokens to the devices of their experts, and back
  seconds all_reduce{};      ///< within a group after attention, and over all devices for dense and shared MLPs
  seconds latency{};         ///< fixed time of each layer
  seconds total{};           ///< of the step
  seconds low{};             ///< the total at one end of its band
  seconds high{};            ///< the total at the other end of its band
  double band = 0;           ///< relative error behind the wider of both
  bool extrapolated = true;  ///< no published run is of this kind
  std::int64_t groups = 0;   ///< copies of the attention weights
  double cache_copies = 0;   ///< copies of each key and value
};

namespace detail {

/// A model so divided, in numbers.
struct expert_parallel_model {
  served_model served{};  // on all devices
  double copied = 0;      // parameters of which each group has a copy: attention, norms, router
  double shared_mlp = 0;  // layers with a dense or shared MLP
  double moe_layers = 0;
  double groups = 1;
  double attention = 1;  // devices of a group
  double copies = 1;     // of each key and value, within a group
};

constexpr expert_parallel_model expert_parallel_of(const transformer& model, const serving_job& job,
                                                   const expert_parallel_layout& mesh, const slice& where) {
  validate_engine(job);
  check_decoder(model);
  const std::int64_t all = check_devices(where);
  positive_count("expert_parallel_layout.attention", mesh.attention);
  if (all % mesh.attention != 0)
    fail(errc::not_divisible, "expert_parallel_layout.attention", mesh.attention, "a divisor of the slice's devices");
  check_heads("expert_parallel_layout.attention", model, mesh.attention);
  if (!has_experts(model)) fail(errc::unsupported, "experts of the model", std::int64_t{0}, "a mixture of experts");
  if (model.moe.experts % all != 0)
    fail(errc::not_divisible, "devices of the slice", all, "a divisor of the experts, each of which lies on one");
  expert_parallel_model result;
  // By sequences, so that heads have to divide over a group alone; copies within a group are counted below.
  result.served = served_by(model, job, {0, weight_sharding::one_dimension, cache_sharding::batch}, where);
  const parameter_count count = parameters(model);
  result.copied = static_cast<double>(checked_add(count.attention, checked_add(count.norms, count.router)));
  result.moe_layers = static_cast<double>(tpuplan::moe_layers(model));
  result.shared_mlp = count.mlp == 0 ? 0 : result.served.layers;
  result.attention = static_cast<double>(mesh.attention);
  result.groups = result.served.on.devices / result.attention;
  const double heads = has_latent_attention(model) ? 1 : static_cast<double>(model.attention.kv_heads);
  result.copies = result.attention > heads ? result.attention / heads : 1;
  return result;
}

/// Parameters of which a device has a share or a copy.
constexpr double held_by_device(const expert_parallel_model& of) {
  return of.copied / of.attention + (of.served.held - of.copied) / of.served.on.devices;
}

/// Devices other than its own to which a token is sent in a layer, where experts are equally likely: of D devices k
/// experts hit D (1 - (1 - 1/D)^k), and 1/D of these is the one that it is on.
constexpr double other_devices(const transformer& model, double devices) {
  const double missed = math::pow(1 - 1 / devices, static_cast<double>(model.moe.top_k));
  return (devices - 1) * (1 - missed);
}

}  // namespace detail

/// HBM on one device while `running` sequences run over all of the slice. Throws as `expert_parallel_decode` does.
/// Worked: on 64 devices a device holds 1/64 of the experts and, in groups of one, all of the attention weights.
[[nodiscard]] constexpr serving_memory expert_parallel_memory(const transformer& model, double running,
                                                              const serving_job& job,
                                                              const expert_parallel_layout& mesh, const slice& where) {
  detail::not_negative("running", running);
  detail::expert_parallel_model of = detail::expert_parallel_of(model, job, mesh, where);
  of.served.held = detail::held_by_device(of) * of.served.on.devices;
  of.served.cache_copies = of.copies;
  return detail::memory_of(of.served, running, detail::cache_of(model, job, running_context(job)), job, where);
}

/// Time of one decode step over all of the slice, with `batch.sequences` over all groups. The all-to-all sends a vector
/// of d_model in bf16 to each device that has an expert of the token, and as much back; the constants are those of
/// tensor parallelism, which no run of this kind has confirmed. Throws, naming the field, for models without experts,
/// and for devices over which heads or experts do not divide.
/// Worked: DeepSeek V3 in fp8 on tpu7x-64 with 1024 sequences of 4096 tokens (tests/static).
/// Source: docs/model.md, "Data-parallel attention"; scaling book, "Sharded matrices" (all-to-all).
[[nodiscard]] constexpr expert_parallel_step expert_parallel_decode(const transformer& model, const decode_batch& batch,
                                                                    const serving_job& job,
                                                                    const expert_parallel_layout& mesh,
                                                                    const slice& where,
                                                                    const serving_calibration& constants = {}) {
  validate(constants);
  const detail::expert_parallel_model of = detail::expert_parallel_of(model, job, mesh, where);
  const detail::served_model& served = of.served;
  const double devices = served.on.devices;
  const double sequences = detail::positive("decode_batch.sequences", batch.sequences);
  detail::positive("decode_batch.context", batch.context);
  const double hbm = served.hbm.value() / devices;
  const double routed = served.missed > 0 ? 1 - math::pow(served.missed, sequences) : 1;
  const double read = of.copied / of.attention + (served.dense - of.copied + served.experts * routed) / devices;
  const bytes cache = detail::cache_of(model, job, batch.context);
  expert_parallel_step step;
  step.weights = seconds{read * size_of(job.weights).value() / (hbm * constants.weight_stream)};
  step.products = seconds{2 * served.matrices * sequences / (served.peak.value() * constants.decode_mxu)};
  step.cache = seconds{cache.value() * of.copies * sequences / (served.hbm.value() * constants.cache_stream)};
  step.latency = detail::layer_latency_of(served, constants);
  if (served.on.chips > 1 && where.chip.ici.axes != 1 && constants.decode_collectives > 0) {
    const collective_group all = block_of(where, chips(where));
    const bytes moved{2 * served.d_model * sequences * detail::other_devices(model, devices)};
    step.all_to_all = constants.decode_collectives * 2 * of.moe_layers * all_to_all(moved, all).bandwidth;
    const double per_byte = detail::collective_seconds_per_byte(served.on, constants.decode_collectives);
    const double in_group = of.attention > 1 ? 4 * served.layers * served.d_model * sequences / of.groups : 0;
    const double over_all = 4 * of.shared_mlp * served.d_model * sequences;
    step.all_reduce = seconds{(in_group + over_all) * per_byte};
  }
  step.total = max(step.weights, step.products) + step.cache + step.all_to_all + step.all_reduce + step.latency;
  detail::add_band(step, detail::serving_kind::expert_decode, job.engine, false);
  step.groups = floor_to_count(of.groups);
  step.cache_copies = of.copies;
  return step;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
