#ifndef TPUPLAN_ESTIMATE_TRAINING_NETWORK_HPP
#define TPUPLAN_ESTIMATE_TRAINING_NETWORK_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/training/input.hpp>
#include <tpuplan/estimate/training/largest_batch.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/handbook/network.hpp>

/// @file
/// Time and memory of a training step of any network of layers, data parallel or with sharded weights. The constants
/// are those of language models; none is fitted to networks, so every answer is marked extrapolated and has the wide
/// band of small models. Attention is not fused: frameworks write its scores to HBM. docs/model.md derives the terms,
/// docs/first_jobs.md compares them with published runs. Each step of a
/// recurrent layer reads its weights from HBM and takes the fixed time of a layer, which is slow rather than fast:
/// small ones may stay in VMEM.

namespace tpuplan {
inline namespace abi_0 {

/// One step of training a network.
struct network_job {
  std::int64_t global_batch = 0;                      ///< examples in one step, over all slices
  dtype compute = dtype::bf16;                        ///< bf16 or fp32, whose products are rounded to bf16
  dtype weights = dtype::fp32;                        ///< the master copy
  dtype moments = dtype::fp32;                        ///< optimizer state
  optimizer_kind optimizer = optimizer_kind::adamw;   ///< whose state is kept
  software_level software = software_level::general;  ///< how well the program is tuned
};

/// Time of a step of a network: products + vector + traffic + update + gradients.exposed + overhead + software +
/// waiting = total.
struct network_step {
  seconds products{};                           ///< arithmetic of products, padding included
  seconds vector{};                             ///< arithmetic of depthwise convolutions
  seconds traffic{};                            ///< HBM traffic of activations and weights
  seconds update{};                             ///< HBM traffic of optimizer and gradients
  collective_time gradients{};                  ///< all-reduce of gradients, or gathers and scatters of sharded weights
  seconds overhead{};                           ///< fixed time per layer and pass
  seconds software{};                           ///< what a general framework adds to a tuned recipe
  seconds waiting{};                            ///< for examples, which `fed_step` adds
  seconds total{};                              ///< of the step
  seconds low{};                                ///< the band: a factor of two, no faster than examples come
  seconds high{};                               ///< a factor of two, or what a host takes that starts each step
  bool extrapolated = true;                     ///< no published run of a network is in the calibration
  step_bound limited_by = step_bound::compute;  ///< the largest part
  double mfu = 0;                               ///< model FLOPs over the bf16 peak
  per_second examples_per_second{};             ///< over all slices
};

/// Throws, naming the field, unless the step is one that can be estimated: pipelines and sharded products are not.
constexpr void validate(const network_job& job, const layout& mesh, const slice& where) {
  validate(mesh, where);
  detail::positive_count("network_job.global_batch", job.global_batch);
  detail::check_part("network_job.global_batch", job.global_batch, std::int64_t{1} << 40, "1 to 2^40 examples");
  if (job.compute != dtype::bf16 && job.compute != dtype::fp32)
    detail::fail(errc::unsupported, "network_job.compute", name(job.compute), "bf16 or fp32");
  const std::int64_t sharded =
      checked_multiply(checked_multiply(mesh.tensor, mesh.expert), checked_multiply(mesh.context, mesh.pipeline));
  if (sharded != 1 || mesh.dcn_pipeline != 1 || mesh.dcn_fsdp != 1)
    detail::fail(errc::unsupported, "layout of a network", "tensor, expert, context or pipeline above 1",
                 "data and fsdp degrees, and data parallelism between slices");
  if (job.global_batch % batch_shards(mesh) != 0)
    detail::fail(errc::not_divisible, "network_job.global_batch", job.global_batch,
                 text<64>{"a multiple of the "}.append(batch_shards(mesh)).append(" shards of the batch").view());
}

/// The rate of multiply-adds on the vector unit over that of the MXUs: 1/32, for 8 x 128 lanes with four units each,
/// two operations per multiply-add, at the same clock. Worked: v5e does 197 TFLOP/s on its MXUs and 6.1 on its vector
/// unit. Source: scaling book, "TPUs" (2025-12-15).
inline constexpr double vector_rate_share = 1.0 / 32;

/// What the host that starts a step by itself may take for it, whatever the chips do: an upper bound on a step of a few
/// products. Many steps in one call do not have it (`steps_per_execution` in Keras, `lax.scan` in JAX).
inline constexpr seconds slowest_step_start{1e-3};

namespace detail {

/// How often each output of a layer is moved through HBM: written and read forward, read backward, its gradient written
/// once and read twice (for the gradients of inputs and of weights). As in language models, products do not hide it.
inline constexpr double network_passes = 6;

/// Steps of a layer that run one after the other.
constexpr double steps_of(const network_layer& layer, const layer_shape& shape) noexcept {
  return layer.kind == layer_kind::recurrent ? static_cast<double>(shape.height) : 1;
}

/// Adds arithmetic and traffic of all layers for that many examples on a chip.
constexpr void add_layers(network_step& step, const network& net, const network_job& job, const chip_spec& chip,
                          double examples, const calibration& constants) {
  const double peak = positive("chip.peak.bf16", peak_rate(chip, dtype::bf16).value());
  const double rate = positive("chip.hbm.bandwidth", chip.hbm.bandwidth.value());
  const double number = job.compute == dtype::fp32 ? 4 : 2;
  const auto copies = static_cast<double>(chip.jax_devices);  // each device reads the weights for its examples
  for_each_layer(net, [&](const network_layer& layer, const layer_shape& shape) {
    double mxu = 0, vector = 0;
    for_each_product(layer, shape, [&](const layer_product& product) {
      const double work = 6 * examples * multiply_adds(product);
      if (on_vector_unit(product)) {
        vector += work / (peak * vector_rate_share);
      } else {
        mxu += work / mxu_utilization(product, chip) / (peak * mxu_fraction(constants, chip));
      }
    });
    const double weights = 3 * static_cast<double>(layer.count) * weights_read(layer, shape);
    step.products += seconds{mxu};
    step.vector += seconds{vector};
    step.traffic += seconds{number * (examples * network_passes * saved_by(layer, shape) + copies * weights) / rate};
  });
}

/// The number of layers, and of steps of recurrent ones, that run one after the other, each of which takes a fixed
/// time.
constexpr double layers_of(const network& net) {
  double sum = 0;
  for_each_layer(net, [&sum](const network_layer& layer, const layer_shape& shape) {
    if (layer.kind != layer_kind::embedding) sum += static_cast<double>(layer.count) * steps_of(layer, shape);
  });
  return sum;
}

/// Fixed time of a layer of a network in each of three passes: XLA fuses norms and activation functions into it.
inline constexpr seconds per_network_layer_pass{5e-6};

constexpr void add_gradients(network_step& step, double trained, const network_job& job, const layout& mesh,
                             const slice& where, const calibration& constants) {
  const double number = job.compute == dtype::fp32 ? 4 : 2;
  const std::int64_t units = mesh_size(mesh);
  seconds whole{};
  if (mesh.data > 1)
    whole += collective_of(where, mesh.data, units, 8 * trained / static_cast<double>(mesh.fsdp), 1).whole;
  if (mesh.fsdp > 1) whole += collective_of(where, mesh.fsdp, units, (2 * number + 4) * trained, 1).whole;
  step.gradients.whole = whole;
  step.gradients.exposed = max(constants.exposed_fsdp * whole, whole - (step.products + step.vector + step.traffic));
  if (slices(mesh) == 1) return;
  const double reduced = all_reduce_share(static_cast<double>(mesh.dcn_data)) * 4 * trained;
  const seconds between = bytes{reduced / static_cast<double>(chips(where))} / dcn_rate(where);
  step.gradients.whole += between;
  step.gradients.exposed += constants.exposed_dcn * between;
}

}  // namespace detail

/// Whether one more example on a chip takes longer for its products than to move its activations, so that steps of
/// large batches are limited by arithmetic: by the traffic of a step, whose layers are fused. `critical_examples` asks
/// the same of each product by itself, forward. Worked: those of an MLP 784-128-10 are on v6e, those of ResNet-50 on
/// v5e are not.
[[nodiscard]] constexpr bool arithmetic_can_limit(const network& net, const network_job& job, const chip_spec& chip,
                                                  const calibration& constants = default_calibration) {
  network_step none, one;
  detail::add_layers(none, net, job, chip, 0, constants);
  detail::add_layers(one, net, job, chip, 1, constants);
  return one.products + one.vector >= one.traffic - none.traffic;
}

/// Time of one training step of a network, arithmetic and traffic of all layers one after the other, with a band of a
/// factor of two, as for all small models; the upper end is at least `slowest_step_start`. `fed_step_time` adds the
/// input pipeline. Throws for what `validate` of the job refuses. Worked: ResNet-50 on v2-8 with a batch of 1024 is
/// within the band of the 3186 images a second that were measured.
[[nodiscard]] constexpr network_step step_time(const network& net, const network_job& job, const layout& mesh,
                                               const slice& where, const calibration& constants = default_calibration) {
  validate(net);
  validate(job, mesh, where);
  validate(constants);
  const auto all_chips = static_cast<double>(checked_multiply(chips(where), slices(mesh)));
  const double examples = static_cast<double>(job.global_batch) / all_chips;
  const auto trained = static_cast<double>(parameters(net).trained);
  network_step step;
  detail::add_layers(step, net, job, where.chip, examples, constants);
  const double update =
      (2 * (size_of(job.weights) + optimizer_bytes_per_parameter(job.optimizer, job.moments)) + bytes{4}).value();
  const double shards =
      static_cast<double>(mesh.fsdp) * (static_cast<double>(chips(where)) / static_cast<double>(mesh_size(mesh)));
  step.update = seconds{update * trained / shards / where.chip.hbm.bandwidth.value()};  // of each device's copy
  detail::add_gradients(step, trained, job, mesh, where, constants);
  step.overhead = detail::per_network_layer_pass * (3 * detail::layers_of(net));
  const seconds layers = step.products + step.vector + step.traffic;
  const seconds tuned = layers + step.update + step.gradients.exposed + step.overhead;
  const double slower = detail::software_factor(job.software, constants);
  step.total = tuned * slower;
  step.software = step.total - tuned;
  const seconds floor = training_flops_per_example(net) * examples / peak_rate(where.chip, dtype::bf16);
  step.low = min(step.total, max(step.total / 2, floor));
  step.high = max(2 * step.total, slowest_step_start);
  const seconds arithmetic = step.products + step.vector;
  step.limited_by = step.overhead > layers            ? step_bound::overhead
                    : step.gradients.exposed > layers ? step_bound::ici
                    : arithmetic < step.traffic       ? step_bound::hbm
                                                      : step_bound::compute;
  step.examples_per_second = static_cast<double>(job.global_batch) / step.total;
  step.mfu = floor / step.total;
  return step;
}

/// The step whose examples come no faster than the hosts deliver them: `input` is the answer for its rate. Chips and
/// hosts work at the same time, so the slower of both counts. The band is no faster than hosts can be and has its
/// factor of two above. Everything that is made of a step (runs, dollars, plans) is made of this one. Worked: a step of
/// 1 s with 1024 examples, of which hosts deliver 512 a second, takes 2 s, of which 1 s is waiting.
[[nodiscard]] constexpr network_step fed_step(network_step step, const input_answer& input) {
  const double slower = step.examples_per_second / input.delivered, examples = step.examples_per_second * step.total;
  if (slower > 1) {
    step.waiting = (slower - 1) * step.total;
    step.total += step.waiting;
  }
  if (input.hosts_at_best) step.low = min(step.total, max(step.low, examples / *input.hosts_at_best));
  if (!(slower > 1)) return step;
  step.high = max(step.high, 2 * step.total);
  step.limited_by = step_bound::host;
  step.examples_per_second = input.delivered;
  step.mfu /= slower;
  return step;
}

/// What an example of a network costs a host unless it is known better: that of a JPEG for images of the size that data
/// sets of JPEGs are cropped to, from 128 x 128 on; nothing for smaller images, which data sets hold as plain numbers,
/// and for other examples. Worked: 12.8 ms for the images of ResNet-50, 0 for the 784 numbers of MNIST.
[[nodiscard]] constexpr example_cost usual_example(const network& net) noexcept {
  return net.height >= 128 && net.width >= 128 ? jpeg_image : example_cost{};
}

/// Whether the hosts of a slice can be said to keep up: what an example costs them is known, and so are their vCPUs.
/// Worked: those of v3-8 with `jpeg_image` can, those of no slice with an example of which nothing is known.
[[nodiscard]] constexpr bool input_is_known(const slice& where, const example_cost& one) {
  const maybe<machine_type> machine = machine_type_of(where);
  return machine && machine->vcpus.has_value() && (one.decode.value() > 0 || one.size.value() > 0);
}

/// The time of a step with its input pipeline, and what that can deliver.
struct fed_network_step {
  network_step step{};          ///< with its waiting
  maybe<input_answer> input{};  ///< nothing where it is not known: then no waiting is counted
};

/// The time of one training step of a network whose examples cost the hosts that much: `step_time` and `fed_step`.
/// Throws what these do. Worked: ResNet-50 on v5e-8 with a batch of 1024 takes 72 ms, with 100 ms of decoding for each
/// image 457 ms: its 224 vCPUs decode 2240 images a second.
[[nodiscard]] constexpr fed_network_step fed_step_time(const network& net, const network_job& job, const layout& mesh,
                                                       const slice& where, const example_cost& one,
                                                       const calibration& constants = {}) {
  fed_network_step fed;
  fed.step = step_time(net, job, mesh, where, constants);
  if (!input_is_known(where, one)) return fed;
  fed.input = input_limit(where, one, fed.step.examples_per_second, slices(mesh));
  fed.step = fed_step(fed.step, *fed.input);
  return fed;
}

/// HBM of one training step of a network on one JAX device: weights and optimizer state, gradients in fp32, and the
/// activations that the backward pass needs. At best XLA keeps half of the activations (it computes outputs of norms
/// and activation functions again), at worst one and a half times as many. Worked: ResNet-50 with 128 images on a core
/// of v3-8 keeps 5.78 GB of activations.
[[nodiscard]] constexpr memory_breakdown memory_use(const network& net, const network_job& job, const layout& mesh,
                                                    const slice& where) {
  validate(net);
  validate(job, mesh, where);
  const network_parameters count = parameters(net);
  const double shards =
      static_cast<double>(mesh.fsdp) * (static_cast<double>(devices(where)) / static_cast<double>(mesh_size(mesh)));
  const double kept = static_cast<double>(count.trained) / (mesh.fsdp > 1 ? shards : 1);
  const double number = job.compute == dtype::fp32 ? 4 : 2;
  const double examples =
      static_cast<double>(job.global_batch) / static_cast<double>(checked_multiply(devices(where), slices(mesh)));
  memory_breakdown memory;
  memory.parameters = size_of(job.weights) * kept + bytes{4.0 * static_cast<double>(count.statistics)};
  memory.optimizer = optimizer_bytes_per_parameter(job.optimizer, job.moments) * kept;
  memory.gradients = bytes{4 * kept};
  memory.activations = bytes{number * examples * saved_numbers_per_example(net)};
  const bytes state = memory.parameters + memory.optimizer + memory.gradients;
  memory.total = state + memory.activations;
  memory.low = state + 0.5 * memory.activations;
  memory.high = state + 1.5 * memory.activations;
  memory.usable = usable_hbm_per_device(where.chip);
  return memory;
}

/// The largest global batch of a network, in whole multiples of the layout's batch shards, whose verdict is yes;
/// nothing where not even the smallest fits; at most 2^39 examples. Worked: 1848 images of ResNet-50 on v3-8 with AdamW.
[[nodiscard]] constexpr maybe<std::int64_t> largest_batch(const network& net, network_job job, const layout& mesh,
                                                          const slice& where) {
  const std::int64_t unit = batch_shards(mesh);
  const auto fits_with = [&](std::int64_t units) {
    job.global_batch = checked_multiply(unit, units);
    return fits(memory_use(net, job, mesh, where)) == verdict::yes;
  };
  const std::int64_t most = detail::most_units((std::int64_t{1} << 39) / unit, fits_with);
  if (most == 0) return nothing;
  return checked_multiply(unit, most);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
