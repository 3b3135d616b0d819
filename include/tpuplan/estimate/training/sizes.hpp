#ifndef TPUPLAN_ESTIMATE_TRAINING_SIZES_HPP
#define TPUPLAN_ESTIMATE_TRAINING_SIZES_HPP

#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/pair_work.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// The numbers of a model and a training job from which the terms of time and of memory are made. Who asks often makes
/// them once and passes them on.

namespace tpuplan {
inline namespace abi_0 {

/// The numbers of a model and a job that every term needs.
struct training_sizes {
  parameter_count count{};   ///< of the model
  layer_widths width{};      ///< of a layer, per token
  layer_widths in_memory{};  ///< the same for memory, where layers that attend to everything always count apart
  forward_flops work{};      ///< of a token; of a pair, of both its sequences for each token of the target
  flops adapters{};          ///< forward, per token, of the products of LoRA adapters
  held_parameters held{};    ///< trained and frozen parameters
  double layers = 0;         ///< of the text stack, or of both
  double source = 0;         ///< tokens of the source of a pair for each of its target; 0: one stack
  double passes = 3;         ///< of a product: forward, gradients of its input, and of its weights unless frozen
  bytes exchanged{};         ///< by FSDP per microbatch: weights forward and backward, fp32 gradients
  double expert_share = 0;   ///< share of all parameters that are in routed experts
  flops tower{};             ///< forward, per token, of the vision tower and its projector
  double tower_inputs = 0;   ///< numbers per token that the tower keeps for its backward pass: its layers' inputs
  double tower_moved = 0;    ///< numbers per token that its layers move through HBM, in all passes
};

namespace detail {

/// The size of a weight as FSDP gathers it.
constexpr bytes gathered_bytes(const training_job& job) noexcept {
  return in_eight_bits(job) && job.gathers_quantised ? bytes{1} : number_bytes(job);
}

/// How often each output of a tower's layer is moved through HBM: as in a network of layers (written and read forward,
/// read backward, its gradient written once and read twice), and written and read once more, as only inputs of layers
/// are kept. A frozen tower runs only forward.
inline constexpr double trained_tower_moves = 8, frozen_tower_moves = 2;

/// Adds the vision tower to the sizes of a job. A frozen tower has no backward pass.
constexpr void add_tower(training_sizes& sizes, const transformer& model, const training_job& job) {
  check_images(model, job);
  if (job.images_per_sequence == 0) return;
  const vision_spec& vision = model.vision;
  const double images = static_cast<double>(job.images_per_sequence) / static_cast<double>(job.sequence_length);
  sizes.tower = images * vision_flops_per_image(vision);
  const bool frozen = sizes.held.frozen > 0;
  sizes.tower_moved = images * (frozen ? frozen_tower_moves : trained_tower_moves) * vision_numbers_per_image(vision);
  if (frozen) return;
  const double inputs = static_cast<double>(vision_tokens(vision)) * static_cast<double>(vision.d_model);
  sizes.tower_inputs = images * static_cast<double>(vision.layers) * inputs;
}

/// The sizes that memory depends on, of a model and a job that are known to be valid.
constexpr training_sizes held_sizes_of_valid(const transformer& model, const training_job& job,
                                             const calibration& constants) {
  training_sizes sizes;
  sizes.count = count_of_valid(model);
  sizes.layers = static_cast<double>(model.layers);
  if (job.images_per_sequence == 0) sizes.layers -= static_cast<double>(model.attention.cross_layers);
  if (has_two_stacks(model)) {
    const stack_widths stacks = stacks_of_valid(model, job);
    sizes.in_memory = sizes.width = stacks.mean;
    sizes.source = stacks.source;
    sizes.layers += static_cast<double>(model.encoder_layers);
  } else {
    sizes.in_memory = widths_of_valid(model);
    sizes.in_memory.scores = scores_width(model, job);
    sizes.width = sizes.in_memory;
    if (!constants.global_heads_apart) {
      sizes.width = widths_of_valid(model, false);
      sizes.width.scores = sizes.in_memory.scores;
    }
  }
  sizes.held = held_of(sizes.count, model, job);
  add_tower(sizes, model, job);
  return sizes;
}

/// FLOPs of the adapters' products, forward, for each token. Those of an encoder and its keys and values see the
/// source.
constexpr flops adapter_flops(const transformer& model, const training_job& job, const training_sizes& sizes) {
  if (!(sizes.source > 0)) return flops{2 * sizes.held.trained};
  const adapted_widths one = adapted_widths_of(model, job.lora);
  const auto layers = static_cast<double>(model.layers);
  const double encoder = sizes.source * static_cast<double>(model.encoder_layers);
  return flops{2 * static_cast<double>(job.lora_rank) *
               (static_cast<double>(one.queries) * (2 * layers + encoder) +
                static_cast<double>(one.keys) * (layers + sizes.source * layers + encoder) +
                static_cast<double>(one.mlp) * (layers + encoder))};
}

/// `sizes_of` for a model and a job that are known to be valid.
constexpr training_sizes sizes_of_valid(const transformer& model, const training_job& job,
                                        const calibration& constants) {
  training_sizes sizes = held_sizes_of_valid(model, job, constants);
  sizes.work = forward_flops_of_job(model, job);
  if (job.lora_rank > 0) sizes.adapters = adapter_flops(model, job, sizes), sizes.passes = 2;
  const double gathered = 2 * gathered_bytes(job).value();
  sizes.expert_share =
      has_experts(model) ? static_cast<double>(sizes.count.experts) / static_cast<double>(sizes.count.total) : 0;
  sizes.exchanged = bytes{(gathered + 4) * sizes.held.trained + gathered * sizes.held.frozen};
  return sizes;
}

}  // namespace detail

/// The sizes of a training job. Worked: FSDP of llama-3-8b exchanges 8 B for each of its 8030261248 parameters.
[[nodiscard]] constexpr training_sizes sizes_of(const transformer& model, const training_job& job,
                                                const calibration& constants = default_calibration) {
  validate_settings(job);
  validate(model);
  detail::positive_count("model.layers", model.layers);
  (void)source_length(model, job);
  has_two_stacks(model) ? detail::check_trained_model(model) : detail::check_flops_of(model, job.sequence_length);
  return detail::sizes_of_valid(model, job, constants);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
