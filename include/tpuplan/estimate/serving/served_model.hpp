#ifndef TPUPLAN_ESTIMATE_SERVING_SERVED_MODEL_HPP
#define TPUPLAN_ESTIMATE_SERVING_SERVED_MODEL_HPP

#include <cstdint>
#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/calibration.hpp>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/handbook/collective.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/parallel/collective_group.hpp>

/// @file
/// How a model is sharded over the devices that serve it: what each step reads, multiplies and sends. Of a pair of
/// stacks it is the decoder, and the encoder apart.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

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
  double streamed = 0;      // of those, what the prompts of a step read
  double matrices = 0;      // parameters that multiply a token
  double dense = 0;         // of those, what every decode step reads
  double experts = 0;       // of those, routed experts: a step reads those that some token is routed to
  double missed = 0;        // share of the experts that one token is not routed to
  double imbalance = 0;     // of the experts that a step reads over the devices that hold them
  bytes routed{};           // bytes of a token's copies on their way to experts, all layers
  double layers = 0;        // of the language model, by their pairs of all-reduces
  double ported = 0;        // layers of experts that run in the kernels of a first port
  double passes = 0;        // kernels of a decode step that go over the sequences: attention and recurrences
  double rows = 0;          // of a token's query heads on a device, over layers with keys and values, in whole tiles
  double d_model = 0;       // width of its residual stream
  double cache_copies = 1;  // copies of each key and value in the replica
  double state_copies = 1;  // and of each number of a recurrent state, which is sharded by its own heads
  bytes state{};            // of a sequence, copies aside
  double groups = 1;        // groups of devices, each with its own attention weights and sequences
  double holders = 1;       // devices, or groups of them, of which each keeps whole sequences
  seconds all_to_all{};     // time of a token to its experts' devices and back, all layers, nominal rate
  double summed = 0;        // numbers of a token that are summed over devices, in all layers
  cache_reads reads{};      // bytes that a step moves of a sequence
  bool covered = true;      // published runs are of models like it
  serving_coverage ran{};   // published runs on its chip
  double doublings = 0;     // of the devices of a replica from one on
  replica on{};
  bytes_per_second hbm{};        // of the replica
  flops_per_second peak{};       // of the replica, in the format of its products
  flops_per_second peak_bf16{};  // of the replica
  run_features about{};          // the question's features of a token; the load is not set
  run_features about_prompts{};  // of a first token, which has nothing of the outputs
};

/// The properties of a serving question as bits: experts, weights below 16 bits, and one bit for each named engine. Two
/// named engines differ in two bits, a named and an unnamed one in one.
constexpr std::uint32_t serving_kinds(const transformer& model, const serving_job& job) noexcept {
  const std::uint32_t engine = job.engine == serving_engine::unnamed ? 0 : 2U << static_cast<std::uint32_t>(job.engine);
  return (has_experts(model) ? 1U : 0U) | (size_of(job.weights) < bytes{2} ? 2U : 0U) | engine;
}

/// The features by which serving questions are compared: parameters, the tokens that a sequence attends to, the chips
/// of the replica, the kind of chip, `serving_kinds`, and marks of the recipe (model, engine and its settings, and
/// norms, which are arrays that the host passes) and of how it is sharded, with the lengths of requests.
constexpr void compare_serving(served_model& served, const transformer& model, const serving_job& job,
                               const serving_layout& mesh, const slice& where) {
  run_features& about = served.about_prompts;
  about.size = math::log2(served.held);
  if (job.prompt.mean > 0) about.length = math::log2(job.prompt.mean);
  about.chips = math::log2(served.on.chips);
  about.chip = chip_mark(where.chip.name);
  about.kind = serving_kinds(model, job);
  const std::int64_t chunk = job.prefill_chunk > 0 ? job.prefill_chunk : row_of(job.engine).step_tokens;
  about.recipe =
      mark_of({number(job.engine), number(job.weights), number(job.cache), number(job.activations), number(job.policy),
               number(chunk), job.prefix_hit_rate, number(model.norms_per_layer), number(model.attention.qk_norm)},
              model_mark(model));
  const auto layout_of = [&](double outputs) {
    return mark_of({served.on.devices, number(mesh.weights), number(mesh.cache), number(mesh.attention),
                    job.prompt.mean, outputs});
  };
  about.layout = layout_of(0);
  about.level = static_cast<std::uint32_t>(job.software);
  served.about = about;
  if (job.prompt.mean > 0 && job.output.mean > 0) served.about.length = math::log2(context_of_valid(job));
  served.about.layout = layout_of(job.output.mean);
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

/// Copies of each number of a recurrent state: its heads, or its channels where it has none, are shared by the devices
/// that attend together.
constexpr double state_copies(const transformer& model, const serving_layout& mesh, const replica& on) {
  if (!has_recurrence(model) || mesh.weights == weight_sharding::two_dimensions || mesh.cache == cache_sharding::batch)
    return 1;
  const auto shards = static_cast<double>(model.recurrent.heads > 1 ? model.recurrent.heads : model.recurrent.width);
  const double sharing = mesh.attention > 0 ? static_cast<double>(mesh.attention) : on.devices;
  return sharing > shards ? sharing / shards : 1;
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

/// Rows of the vector units that the query heads of a token fill on a device, in all layers with keys and values of
/// their own: heads come in whole tiles of sublanes.
constexpr double rows_of(const served_model& served, const transformer& model, const serving_layout& mesh,
                         const chip_spec& chip) {
  const cached_layers kept = layers_with_cache(model);
  const double over = mesh.cache == cache_sharding::batch ? 1 : served.on.devices / served.groups;
  const double tile = chip.tiling.sublanes > 1 ? static_cast<double>(chip.tiling.sublanes) : 1;
  return static_cast<double>(kept.global + kept.local) * tile *
         math::ceil(static_cast<double>(model.attention.heads) / (over * tile));
}

/// What one stack of layers does.
constexpr served_model served_stack(const transformer& model, const serving_job& job, const serving_layout& mesh,
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
  served.passes = static_cast<double>(checked_add(attention_layers(model), model.recurrent.layers));
  served.d_model = static_cast<double>(model.d_model);
  served.on = replica_of(mesh, where);
  if (has_experts(model)) add_experts(served, model);
  if (job.software == software_level::first_port) served.ported = static_cast<double>(moe_layers(model));
  served.cache_copies = cache_copies(model, mesh, served.on);
  served.state_copies = state_copies(model, mesh, served.on);
  served.state = state_of_valid(model);
  served.reads = cache_reads_of(model, job.cache);
  served.covered = !has_recurrence(model) && model.attention.indexer.heads == 0;
  served.streamed = served.held;
  if (model.kind == architecture::encoder) {  // it keeps no pages, and reads what it multiplies
    served.covered = false;
    if (!has_experts(model)) served.streamed = served.matrices;
  }
  served.hbm = bytes_per_second{positive("chip.hbm.bandwidth", where.chip.hbm.bandwidth.value()) * served.on.chips};
  served.peak =
      flops_per_second{positive("peak rate of the chip", serving_peak(job, where.chip).value()) * served.on.chips};
  served.peak_bf16 =
      flops_per_second{positive("peak rate of the chip", peak_rate(where.chip, dtype::bf16).value()) * served.on.chips};
  served.ran = serving_runs_on(where.chip);
  served.doublings = math::log2(served.on.devices);
  if (compared) compare_serving(served, model, job, mesh, where);
  served.summed = 2 * served.layers * served.d_model;
  if (mesh.attention > 0) divide_attention(served, model, count, mesh, where);
  served.holders = mesh.cache == cache_sharding::batch ? served.on.devices : served.groups;
  if (model.kind == architecture::decoder) served.rows = rows_of(served, model, mesh, where.chip);
  return served;
}

/// What decodes of a pair of stacks. A layer of a decoder with cross-attention has three all-reduces instead of two,
/// and two attention kernels. No run of one that serves is published.
constexpr served_model served_pair(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                   const slice& where, bool compared) {
  served_model served = served_stack(decoder_of(model), job, mesh, where, compared);
  served.held = served.streamed =
      stored_bytes(count_of_valid(model), job.weights, job.weights_by_part) / size_of(job.weights);
  served.layers *= 1.5;
  served.summed *= 1.5;
  served.passes *= 2;
  served.rows = 0;
  served.covered = false;
  return served;
}

/// `served_by` for a model and a job that are known to be valid, and a layout that is not. `compared`: with the
/// features of the question, by which it is compared with runs of the caller's own.
constexpr served_model served_by_valid(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                       const slice& where, bool compared) {
  if (model.kind == architecture::encoder_decoder) return served_pair(model, job, mesh, where, compared);
  if (model.attention.cross_layers == 0) return served_stack(model, job, mesh, where, compared);
  served_model served = served_stack(text_alone(model), job, mesh, where, compared);  // images are refused
  served.held = stored_bytes(count_of_valid(model), job.weights, job.weights_by_part) / size_of(job.weights);
  return served;
}

/// Refuses what no step takes, whatever the layout, which `served_by_valid` checks.
constexpr void check_served(const transformer& model, const serving_job& job) {
  validate_engine(job);
  check_served_kind(model);
  validate(model);
  if (job.prompt.mean > 0 && job.output.mean > 0) check_lengths(job);
  check_software(model, job.software);
}

/// The figures of a model on a replica. Throws for what no step takes.
constexpr served_model served_by(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                 const slice& where, bool compared = true) {
  check_served(model, job);
  return served_by_valid(model, job, mesh, where, compared);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
