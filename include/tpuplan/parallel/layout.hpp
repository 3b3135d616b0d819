#ifndef TPUPLAN_PARALLEL_LAYOUT_HPP
#define TPUPLAN_PARALLEL_LAYOUT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/pair_work.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// The mesh: how a model and its batch are sharded over the devices of a slice, and over slices.

namespace tpuplan {
inline namespace abi_0 {

/// What the degrees of a layout count. JAX counts devices; published layouts of chips with two devices often count
/// chips.
enum class mesh_unit : std::uint8_t { devices, chips };

/// Degrees of parallelism. The product of those inside a slice is its number of devices (or chips, see `unit`); that of
/// the dcn_ ones is the number of slices. Names are MaxText's.
struct layout {
  std::int64_t data = 1;                ///< copies of the model, inside a slice
  std::int64_t fsdp = 1;                ///< shards of weights, gradients and optimizer state, inside a slice
  std::int64_t tensor = 1;              ///< shards of each layer's matrix products
  std::int64_t expert = 1;              ///< shards of the experts
  std::int64_t context = 1;             ///< shards of each sequence
  std::int64_t pipeline = 1;            ///< stages inside a slice
  std::int64_t dcn_data = 1;            ///< copies of the model over slices
  std::int64_t dcn_fsdp = 1;            ///< shards of weights, gradients and optimizer state, over slices
  std::int64_t dcn_pipeline = 1;        ///< stages over slices
  mesh_unit unit = mesh_unit::devices;  ///< what the degrees inside a slice count
};

/// The most slices that one job may take, in an estimate, a plan or a launch file.
inline constexpr std::int64_t most_slices = 1024;

namespace detail {

/// The most devices of one slice: a hundred times the largest pod.
inline constexpr std::int64_t most_devices = 1048576;

/// The number of slices; throws, naming the field, unless it is 1 to `most_slices`.
constexpr std::int64_t check_slices(words field, std::int64_t count) {
  if (positive_count(field, count) > most_slices) fail(errc::out_of_range, field, count, "1 to 1024 slices");
  return count;
}

/// The number of devices of a slice; throws for a chip or a shape that no slice has.
constexpr std::int64_t check_devices(const slice& where) {
  validate(where.chip);
  const std::int64_t count = positive_count("slice.shape: chips", chips(where));
  if (count * where.chip.jax_devices > most_devices)
    fail(errc::out_of_range, "slice.shape: chips", count, "at most 1048576 devices");
  return count * where.chip.jax_devices;
}

}  // namespace detail

/// The layout that most jobs start with: fully sharded (FSDP) inside each slice, data parallel over slices.
/// Worked: fsdp_layout(slice_for("v5p-128")) has fsdp 64.
[[nodiscard]] constexpr layout fsdp_layout(const slice& where, std::int64_t slices = 1) {
  layout result;
  result.fsdp = detail::check_devices(where);
  result.dcn_data = detail::check_slices("slices", slices);
  return result;
}

namespace detail {

/// The names of a layout's degrees, in the order of the fields.
inline constexpr const char* degree_names[] = {"layout.data",     "layout.fsdp",     "layout.tensor",
                                               "layout.expert",   "layout.context",  "layout.pipeline",
                                               "layout.dcn_data", "layout.dcn_fsdp", "layout.dcn_pipeline"};

/// Refuses, by name, a degree below 1.
constexpr void check_degrees(const layout& mesh) {
  positive_count(degree_names[0], mesh.data);
  positive_count(degree_names[1], mesh.fsdp);
  positive_count(degree_names[2], mesh.tensor);
  positive_count(degree_names[3], mesh.expert);
  positive_count(degree_names[4], mesh.context);
  positive_count(degree_names[5], mesh.pipeline);
  positive_count(degree_names[6], mesh.dcn_data);
  positive_count(degree_names[7], mesh.dcn_fsdp);
  positive_count(degree_names[8], mesh.dcn_pipeline);
}

/// Refuses a degree inside a slice above the slice's devices.
constexpr void check_inside(words field, std::int64_t degree, std::int64_t devices) {
  if (degree > devices) fail(errc::out_of_range, field, degree, "at most the devices of the slice");
}

}  // namespace detail

/// Devices (or chips) that the mesh fills in each slice: the product of its degrees inside a slice. Throws for a degree
/// below 1. Worked: 64 for data 2, FSDP 16 and tensor 2.
[[nodiscard]] constexpr std::int64_t mesh_size(const layout& mesh) {
  detail::check_degrees(mesh);
  return checked_multiply(checked_multiply(mesh.data, mesh.fsdp, mesh.tensor),
                          checked_multiply(mesh.expert, mesh.context, mesh.pipeline));
}

/// Slices that the mesh spans: the product of its dcn degrees. Throws for a degree below 1. Worked: 6 for
/// dcn_data 2 and dcn_fsdp 3.
[[nodiscard]] constexpr std::int64_t slices(const layout& mesh) {
  detail::check_degrees(mesh);
  return checked_multiply(mesh.dcn_data, mesh.dcn_fsdp, mesh.dcn_pipeline);
}

/// Shards of a step's batch: groups of devices that work on different sequences. Throws for a degree below 1.
/// Worked: 64 for data 2, FSDP 16, tensor 2 and dcn_data 2.
[[nodiscard]] constexpr std::int64_t batch_shards(const layout& mesh) {
  detail::check_degrees(mesh);
  return checked_multiply(checked_multiply(mesh.data, mesh.fsdp, mesh.expert), mesh.dcn_data, mesh.dcn_fsdp);
}

/// Throws, naming the degree, unless the mesh fills the slice and spans at most `most_slices` slices.
constexpr void validate(const layout& mesh, const slice& where) {
  const std::int64_t all = detail::check_devices(where);
  detail::check_degrees(mesh);
  detail::check_inside(detail::degree_names[0], mesh.data, all);
  detail::check_inside(detail::degree_names[1], mesh.fsdp, all);
  detail::check_inside(detail::degree_names[2], mesh.tensor, all);
  detail::check_inside(detail::degree_names[3], mesh.expert, all);
  detail::check_inside(detail::degree_names[4], mesh.context, all);
  detail::check_inside(detail::degree_names[5], mesh.pipeline, all);
  detail::check_slices(detail::degree_names[6], mesh.dcn_data);
  detail::check_slices(detail::degree_names[7], mesh.dcn_fsdp);
  detail::check_slices(detail::degree_names[8], mesh.dcn_pipeline);
  detail::check_slices("product of the layout's dcn degrees", slices(mesh));
  const std::int64_t room = mesh.unit == mesh_unit::devices ? all : chips(where);
  if (mesh_size(mesh) != room) {
    text<96> valid{"the "};
    valid.append(room).append(mesh.unit == mesh_unit::devices ? " devices of " : " chips of ").append(name(where));
    detail::fail(errc::invalid_argument, "product of the layout's degrees", mesh_size(mesh), valid.view());
  }
}

/// Whether attention can be sharded that many ways: query heads divide evenly, and KV heads divide too, or each
/// is copied whole to several devices. Worked: 32 heads with 8 KV heads divide 4 and 16 ways, not 3 or 64.
[[nodiscard]] constexpr bool heads_divide(const transformer& model, std::int64_t ways) noexcept {
  const attention_spec& attention = model.attention;
  if (!has_text(model)) return true;
  return ways > 0 && attention.heads % ways == 0 && (attention.kv_heads % ways == 0 || ways % attention.kv_heads == 0);
}

/// Whether a step's sequences divide evenly over the batch shards of a layout and over its microbatches.
/// Worked: 1024 sequences over FSDP 64 in 4 microbatches do, 1000 do not.
[[nodiscard]] constexpr bool batch_divides(const layout& mesh, std::int64_t global_batch,
                                           std::int64_t gradient_accumulation = 1) {
  const std::int64_t shards = checked_multiply(batch_shards(mesh), gradient_accumulation);
  return shards > 0 && global_batch % shards == 0;
}

namespace detail {

/// Refuses a batch that does not divide over its shards and microbatches.
constexpr void check_batch(const layout& mesh, const training_job& job) {
  if (batch_divides(mesh, job.global_batch, job.gradient_accumulation)) return;
  text<96> valid{"a multiple of "};
  valid.append(checked_multiply(batch_shards(mesh), job.gradient_accumulation));
  valid.append(" (data x fsdp x expert x slices x accumulation)");
  fail(errc::not_divisible, "training_job.global_batch", job.global_batch, valid.view());
}

/// Refuses a degree that does not divide the heads.
constexpr void check_heads(words field, const transformer& model, std::int64_t ways) {
  if (heads_divide(model, ways)) return;
  const bool query_heads = ways < 1 || model.attention.heads % ways != 0;
  fail(errc::not_divisible, field, ways,
       query_heads ? "a divisor of the number of heads" : "a divisor or multiple of the number of KV heads");
}

}  // namespace detail

namespace detail {
/// Stages that the layers of a model can be put into at most: nobody models those of two stacks.
constexpr std::int64_t most_stages(const transformer& model) noexcept {
  return has_two_stacks(model) ? 1 : model.layers;
}
}  // namespace detail

/// Throws, naming the degree, unless the model's heads, experts and layers and the step's batch can be sharded that
/// way. An encoder and a decoder have neither stages nor shards of a sequence.
constexpr void validate(const layout& mesh, const transformer& model, const training_job& job) {
  detail::check_degrees(mesh);
  detail::check_heads("layout.tensor", model, mesh.tensor);
  if (mesh.expert > 1 && !has_experts(model)) {
    detail::fail(errc::invalid_argument, "layout.expert", mesh.expert, "1 for a model without experts");
  }
  if (has_experts(model) && model.moe.experts % mesh.expert != 0) {
    detail::fail(errc::not_divisible, "layout.expert", mesh.expert, "a divisor of the number of experts");
  }
  if (job.sequence_length % mesh.context != 0) {
    detail::fail(errc::not_divisible, "layout.context", mesh.context, "a divisor of the sequence length");
  }
  if (has_two_stacks(model) && mesh.context > 1)
    detail::fail(errc::unsupported, "layout.context", mesh.context, "1 for a model with an encoder and a decoder");
  const std::int64_t stages = checked_multiply(mesh.pipeline, mesh.dcn_pipeline);
  if (stages > detail::most_stages(model))
    detail::fail(
        errc::out_of_range, "layout.pipeline", stages,
        has_two_stacks(model) ? "1 for a model with an encoder and a decoder" : "at most the number of layers");
  detail::check_batch(mesh, job);
}

namespace detail {

/// Refuses images for a model without vision, and more images than the sequence has tokens for. Where cross-attention
/// layers attend to images, image tokens take no place in the sequence.
constexpr void check_images(const transformer& model, const training_job& job) {
  constexpr const char* field = "training_job.images_per_sequence";
  if (job.images_per_sequence == 0) return;
  if (!has_vision(model)) fail(errc::invalid_argument, field, job.images_per_sequence, "0 for a model without vision");
  if (model.attention.cross_layers > 0) return;
  const std::int64_t most = job.sequence_length / image_tokens(model.vision);
  if (job.images_per_sequence <= most) return;
  text<96> valid{"at most "};
  valid.append(most).append(": an image is ").append(image_tokens(model.vision)).append(" tokens of the sequence");
  fail(errc::out_of_range, field, job.images_per_sequence, valid.view());
}

/// Whether encoder and decoder are made of attention to all positions and dense MLPs, with sizes that both share.
constexpr bool has_plain_stacks(const transformer& model) noexcept {
  const attention_spec& a = model.attention;
  const std::int64_t others = a.local_layers | a.kv_shared_layers | a.cross_layers | a.value_dim | a.output_rank |
                              a.global_head_dim | a.global_kv_heads | a.chosen_layers | a.merged_layers |
                              a.latent.q_lora_rank | a.indexer.heads | model.mlp.absent | model.layer_sets |
                              model.prediction_layers;
  return others == 0 && !a.single_kv && !a.output_gate && !has_experts(model) && !has_recurrence(model) &&
         !has_latent_attention(model) && !has_vision(model);
}

/// Refuses a model whose training step the estimates do not cover.
constexpr void check_trained_model(const transformer& model) {
  if (!has_text(model)) {
    fail(errc::unsupported, "training of an architecture", name(model.kind),
         "a model of text (a tower by itself is a network of layers)");
  }
  if (has_two_stacks(model) && !has_plain_stacks(model)) {
    fail(errc::unsupported, "training of an architecture", "encoder_decoder of other layers",
         "attention to all positions and dense MLPs in encoder and decoder");
  }
  if (has_two_towers(model)) {
    fail(
        errc::unsupported, "training of an architecture", "a tower for images beside one for text",
        "one tower: its vision_config (as clip_vision_model, siglip_vision_model) or text_config in a file of its own");
  }
}

/// Refuses a training job that the estimates do not cover: model, job, mesh and slice are checked each by itself and
/// together.
constexpr void check_trained(const transformer& model, const training_job& job, const layout& mesh,
                             const slice& where) {
  validate(model);
  check_trained_model(model);
  validate(job);
  validate(mesh, where);
  validate(mesh, model, job);
  (void)source_length(model, job);
  check_images(model, job);
}

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif
