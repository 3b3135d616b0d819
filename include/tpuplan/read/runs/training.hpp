#ifndef TPUPLAN_READ_RUNS_TRAINING_HPP
#define TPUPLAN_READ_RUNS_TRAINING_HPP

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/math.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/model/usual_job.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/runs/source.hpp>

/// @file
/// Training runs that were measured, spelled out as data/measured/measured.json does under `spelled`, as questions that
/// the estimates can answer.

namespace tpuplan {
inline namespace abi_0 {

/// A run and what was measured.
struct training_record {
  std::string id;          ///< of the record
  std::string family;      ///< of models, as the record names it
  std::string source;      ///< the repository or author: see team_of
  std::string quality;     ///< of the source: A, B or C
  transformer model{};     ///< its shape
  training_job job{};      ///< one step
  layout mesh{};           ///< how it was sharded
  slice where{};           ///< one of the slices
  seconds measured{};      ///< per step
  bool in_domain = false;  ///< a transformer of at least 1.5e9 parameters with a token count
  std::string version;     ///< of the software, where the record tells it from others of its source
};

namespace detail {

/// A measured time. Refuses times of 0, so that errors relative to it are finite.
inline seconds measured_time(const std::string& field, double time) {
  return seconds{in_range(field, time, 1e-12, 1e12, "a time from 1e-12 to 1e12 seconds")};
}

/// The number under a key, in the given unit, as a measured time.
inline seconds measured_time(const json_object& from, std::string_view key, seconds unit = seconds{1}) {
  return measured_time(from.path(key), unit.value() * from.positive_number(key));
}

/// The shape of a model that is known by its size alone: width 128 L, 12 L D^2 parameters, as the calibration assumes.
inline void fill_nominal_shape(transformer& model, double parameter_total) {
  const double layers = math::floor(math::pow(parameter_total / (12.0 * 128 * 128), 1.0 / 3) + 0.5);
  model.layers = static_cast<std::int64_t>(layers < 1 ? 1 : layers);
  model.d_model = floor_to_count(math::sqrt(parameter_total / (12 * static_cast<double>(model.layers))) + 0.5);
  model.attention.head_dim = 128;
  model.attention.heads = model.attention.kv_heads = ceil_div(model.d_model, 128);
  model.mlp.d_ff = 4 * model.d_model;
}

inline void fill_attention(transformer& model, const json_object& shape) {
  model.attention.heads = shape.positive_count("heads");
  model.attention.kv_heads = shape.positive_count("kv_heads");
  model.attention.head_dim = shape.count_or("head_dim", 0);
  model.attention.global_head_dim = shape.count_or("global_head_dim", 0);
  model.attention.global_kv_heads = shape.count_or("global_kv_heads", 0);
  model.attention.global_kv_shared = shape.flag_or("global_kv_shared", false);
  model.attention.kv_shared_layers = shape.count_or("kv_shared_layers", 0);
  model.attention.window = shape.count_or("window", 0);
  if (model.attention.window > 0) {
    const double share = shape.number_or("local_ratio", 1);
    model.attention.local_layers = floor_to_count(share * static_cast<double>(model.layers) + 0.5);
  }
  if (shape.has("mla")) {
    const json_object mla = shape.object("mla");
    model.attention.latent = {mla.count_or("q_lora", 0), mla.count("kv_lora"), mla.count("nope"), mla.count("rope"),
                              mla.count("v")};
  }
}

/// Layers of the gated delta rule, each in place of an attention.
inline void fill_gated_delta(transformer& model, const json_object& shape) {
  if (!shape.has("gated_delta")) return;
  const json_object delta = shape.object("gated_delta");
  delta.only({"layers", "value_heads", "key_heads", "value_dim", "key_dim", "kernel"});
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::gated_delta;
  r.layers = delta.positive_count("layers");
  r.heads = delta.positive_count("value_heads");
  r.key_heads = delta.positive_count("key_heads");
  r.width = checked_multiply(r.heads, delta.positive_count("value_dim"));
  r.key_dim = delta.positive_count("key_dim");
  r.kernel = delta.count("kernel");
}

inline void fill_experts(transformer& model, const json_object& shape) {
  model.moe.experts = shape.count_or("experts", 0);
  if (model.moe.experts == 0) return;
  model.moe.top_k = shape.positive_count("top_k");
  model.moe.expert_d_ff = shape.positive_count("moe_ffn");
  model.moe.shared_d_ff = checked_multiply(model.moe.expert_d_ff, shape.count_or("shared_experts", 0));
  model.moe.parallel_dense_d_ff = shape.count_or("dense_ffn_parallel", 0);
  const std::int64_t every = shape.positive_count_or("moe_every", 1);
  model.moe.dense_layers = every > 1 ? model.layers - model.layers / every : shape.count_or("first_dense", 0);
}

inline transformer record_model(const json_object& shape) {
  transformer m;
  const std::string full_name = shape.string("name");
  m.name = std::string_view{full_name}.substr(0, 64);
  m.published_parameters = shape.positive_count("params_total");
  m.published_active_parameters = shape.count_or("params_active_matmul", 0);
  m.vocab = shape.positive_count("vocab");
  m.mlp.gated = shape.count_or("ffn_matrices", 3) == 3;
  m.tied_embeddings = shape.flag_or("tied_embeddings", false);
  if (shape.flag_or("encoder", false)) m.kind = architecture::encoder;
  if (!shape.has("layers")) {
    fill_nominal_shape(m, shape.number("params_total"));
    return m;
  }
  m.layers = shape.positive_count("layers");
  m.d_model = shape.positive_count("d_model");
  m.norms_per_layer = shape.count_or("norms_per_layer", m.norms_per_layer);
  m.attention.qk_norm = shape.flag_or("qk_norm", false);
  m.mlp.double_wide_in_shared = shape.flag_or("double_wide_mlp", false);
  m.other_weights = checked_multiply(m.vocab, m.layers, shape.count_or("per_layer_embedding", 0));
  fill_attention(m, shape);
  fill_gated_delta(m, shape);
  fill_experts(m, shape);
  m.mlp.d_ff = dense_layers(m) > 0 ? shape.positive_count("ffn") : shape.count_or("ffn", 0);
  return m;
}

/// The model of a record: that of its `config`, a document of Hugging Face, or of the sizes under `model`.
inline model_config config_of_record(const json_object& record) {
  if (record.has("config")) {
    if (record.has("model"))
      fail(errc::invalid_argument, record.path("model"), "given beside config", "one of the two");
    return read_hf_file(record.value().at("config"), record.path("config"));
  }
  model_config config;
  config.model = record_model(record.object("model"));
  return config;
}
inline transformer model_of_record(const json_object& record) { return config_of_record(record).model; }

inline dtype record_dtype(const json_object& record, std::string_view key) {
  const std::string format = record.string(key);
  const maybe<dtype> type = parse_dtype(format);
  if (!type) fail(errc::unknown_name, record.path(key), format, names_of<dtype>().view());
  return *type;
}

inline optimizer_kind record_optimizer(const json_object& record) {
  if (!record.has("optimizer")) return optimizer_kind::adamw;
  const std::string given = record.string("optimizer");
  const maybe<optimizer_kind> optimizer = parse_optimizer(given);
  if (!optimizer) fail(errc::unknown_name, record.path("optimizer"), given, names_of<optimizer_kind>().view());
  return *optimizer;
}

/// Where a custom policy keeps a tensor: "remat", the default, "device" or "offload".
inline placement record_placement(const json_object& tensors, std::string_view name) {
  const std::string where = tensors.has(name) ? tensors.string(name) : "remat";
  if (where == "remat") return placement::recompute;
  if (where == "device") return placement::device;
  if (where == "offload") return placement::host;
  fail(errc::unknown_name, tensors.path(name), where, "remat, device or offload");
}

/// The policy of the field remat_tensors: MaxText's names of tensors, queries, keys and values as one, and where they
/// are kept. The input of a layer is on the device unless it is named.
inline remat_policy record_custom_remat(const json_object& record) {
  const json_object tensors = record.object("remat_tensors");
  tensors.only({"decoder_layer_input", "qkv_proj", "context", "out_proj", "mlpwi", "mlpwo"});
  remat_policy policy;
  if (tensors.has("decoder_layer_input")) policy.layer_input = record_placement(tensors, "decoder_layer_input");
  if (policy.layer_input == placement::recompute)
    fail(errc::unknown_name, tensors.path("decoder_layer_input"), "remat", "device or offload");
  policy.qkv = record_placement(tensors, "qkv_proj");
  policy.context = record_placement(tensors, "context");
  policy.out_proj = record_placement(tensors, "out_proj");
  policy.mlp_up = record_placement(tensors, "mlpwi");
  policy.mlp_down = record_placement(tensors, "mlpwo");
  policy.attention_again = policy.context == placement::recompute;
  return policy;
}

/// The policy of the fields remat, which is also the name of any policy, remat_detail and offload_inputs, or of
/// remat_tensors.
inline remat_policy record_remat(const json_object& record) {
  const std::string policy = record.string("remat");
  if (policy == "custom") return record_custom_remat(record);
  const std::string kept = record.has("remat_detail") ? record.string("remat_detail") : std::string{};
  maybe<remat_policy> found;
  if (policy == "full") found = remat::full;
  if (policy == "none") found = remat::none;
  if (policy == "minimal") found = remat::minimal;
  if (policy == "offload" && kept == "dots") found = remat::minimal_offloaded;
  if (policy == "partial" && kept == "qkv") found = remat::qkv_proj_offloaded;
  if (policy == "partial" && kept == "nowi") found = remat::save_dot_except_mlpwi;
  if (policy == "partial" && kept == "attn") found = remat::save_dot_with_context_except_mlp;
  if (policy == "partial" && kept == "ctx") found = remat::save_context;
  if (!found) found = parse_remat_policy(policy);
  if (!found) {
    std::string valid = "custom, partial, offload";
    for (const named_remat_policy& one : remat_policies) valid.append(", ").append(one.name.view());
    fail(errc::unknown_name, record.path("remat"), policy, valid);
  }
  remat_policy result = *found;
  if (record.flag_or("offload_inputs", false)) result.layer_input = placement::host;
  return result;
}

/// Whether one of these stands in the words of a record.
template <std::size_t N>
bool names_one_of(const std::string& words, const char* const (&names)[N]) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* one) { return words.find(one) != std::string::npos; });
}

/// The level of the software: as the record says under `software_level`, else that of the frameworks and recipes which
/// record, source or software name; unnamed where they name none.
inline software_level record_software(const json_object& record) {
  if (record.has("software_level")) {
    const std::string given = record.string("software_level");
    if (const maybe<software_level> level = parse_software_level(given)) return *level;
    fail(errc::unknown_name, record.path("software_level"), given, names_of<software_level>().view());
  }
  std::string words = record.string("id");
  for (const char* key : {"source", "software"}) {
    if (record.has(key)) words += " " + record.string(key);
  }
  for (char& letter : words) letter = to_lower(letter);
  if (names_one_of(words, {"axlearn", "ptxla", "pytorch", "torch", "levanter", "marin", "shmap", "easydel", "easylm",
                           "transformers", "own trainer"}))
    return software_level::general;
  const bool tuned = names_one_of(words, {"maxtext", "mlperf", "mlcommons", "paxml", "recipe", "tuning"});
  return tuned ? software_level::tuned : software_level::unnamed;
}

/// The attention kernel: flash, unfused or tuned, or words that say what was done to it.
inline attention_kernel record_kernel(const json_object& record) {
  if (!record.has("attention_kernel")) return attention_kernel::flash;
  const std::string given = record.string("attention_kernel");
  if (const maybe<attention_kernel> kernel = parse_attention_kernel(given)) return *kernel;
  if (given.rfind("none", 0) == 0) return attention_kernel::unfused;
  const bool tuned = given.find("autotuned") != std::string::npos || given.find("base-2 exponent") != std::string::npos;
  return tuned ? attention_kernel::tuned : attention_kernel::flash;
}

/// Adds the formats of the state and the options of the software that the record states.
inline void add_told(training_job& job, const json_object& record) {
  if (record.has("weights_dtype")) job.weights = record_dtype(record, "weights_dtype");
  if (record.has("moments_dtype")) job.moments = record_dtype(record, "moments_dtype");
  if (record.has("first_moment_dtype")) job.first_moment_bf16 = record.string("first_moment_dtype") == "bf16";
  std::string words;
  for (const char* key : {"id", "moe_kernel", "weight_gather", "loss_chunking", "notes"}) {
    if (record.has(key)) words += record.string(key) + "; ";
  }
  for (char& letter : words) letter = to_lower(letter);
  const auto says = [&](std::string_view what) { return words.find(what) != std::string::npos; };
  if (says("default tiles") || says("without tuned tiles") || says("untiled") || says("megablox kernel") ||
      says("scheduler flags;") || says("scheduler flags.;") || says("compiler flags only") ||
      record.flag_or("default_tiles", false))
    job.default_tiles = true;
  if (says("compiler flags only")) job.software = software_level::general;
  if (says("flags, untuned")) job.software = software_level::first_port;
  if (says("bf16 first moment")) job.first_moment_bf16 = true;
  job.ring_attention = record.flag_or("ring_attention", says("-ring;"));
  job.context_balanced = record.flag_or("context_balanced", !says("no load balancing"));
  job.attention = record_kernel(record);
  if (says("-qag") || says("weights gathered in fp8") ||
      (record.has("weight_gather") && record.string("weight_gather") == "fp8"))
    job.gathers_quantised = true;
  if (!record.has("vocabulary_tiles") && (says("vocabulary blocks,") || says("streamed over the vocabulary") ||
                                          says("chunked cross entropy") || says("chunked loss")))
    job.vocabulary_tiles = 64;
}

/// Low-rank adapters on a frozen base: their rank, the layers that have them, and the format of the base.
inline void add_adapters(training_job& job, const json_object& record) {
  job.lora_rank = record.count_or("lora_rank", 0);
  for (const char* of_adapters : {"lora_targets", "frozen_weights_dtype"}) {
    if (job.lora_rank == 0 && record.has(of_adapters))
      fail(errc::missing_field, record.path("lora_rank"), "missing", "the rank of the adapters");
  }
  if (job.lora_rank > 0 && !record.has("lora_targets"))
    fail(errc::missing_field, record.path("lora_targets"), "missing", "the matrices with adapters: [\"q\", \"v\"]");
  if (record.has("frozen_weights_dtype")) job.frozen_weights = record_dtype(record, "frozen_weights_dtype");
  struct target {
    std::string_view name;
    bool lora_targets::*on;
  };
  constexpr target targets[] = {{"q", &lora_targets::q},      {"k", &lora_targets::k},       {"v", &lora_targets::v},
                                {"o", &lora_targets::o},      {"gate", &lora_targets::gate}, {"up", &lora_targets::up},
                                {"down", &lora_targets::down}};
  if (!record.has("lora_targets")) return;
  for (const nlohmann::json& word : record.list("lora_targets")) {
    bool known = false;
    for (const target& one : targets) {
      if (word.is_string() && word.get<std::string>() == one.name) job.lora.*one.on = known = true;
    }
    if (!known) fail(errc::unknown_name, record.path("lora_targets"), word.dump(), "q, k, v, o, gate, up or down");
  }
}

/// The windows of a step: `global_batch`, which counts examples where `examples_per_window` of them, in the mean, are
/// packed into one of `seq_len` tokens. Worked: 3072 examples, 2 in each, are 1536 windows.
inline std::int64_t record_windows(const json_object& record) {
  const std::int64_t batch = record.positive_count("global_batch");
  if (!record.has("examples_per_window")) return batch;
  const auto examples = static_cast<double>(batch);
  const double each = in_range(record.path("examples_per_window"), record.positive_number("examples_per_window"), 1,
                               examples, "1 to the examples of a step");
  return floor_to_count(examples / each + 0.5);
}

/// What a step takes beside the tokens of its sequences, and which of them it predicts: images, the source of a pair,
/// the masked tokens of an encoder.
inline void add_inputs(training_job& job, const json_object& record, const transformer& model) {
  job.images_per_sequence = record.count_or("images", 0);
  if (job.images_per_sequence > 0 && !has_vision(model))
    fail(errc::unsupported, record.path("images"), job.images_per_sequence, "0 for a model without a vision tower");
  job.freeze_vision = record.flag_or("freeze_vision", false);
  job.source_length = record.count_or("source_length", 0);
  if (job.source_length > 0 && !has_two_stacks(model))
    fail(errc::unsupported, record.path("source_length"), job.source_length, "0 but of an encoder and a decoder");
  const bool both_ways = record.has("attention") && record.string("attention") == "bidirectional";
  if (both_ways || model.kind == architecture::encoder) job.logits_fraction = masked_share;
}

inline training_job record_job(const json_object& record, const transformer& model) {
  training_job job;
  job.global_batch = record_windows(record);
  job.sequence_length = record.positive_count("seq_len");
  job.compute = record_dtype(record, "compute_dtype");
  job.gradient_accumulation = record.positive_count_or("grad_accumulation", 1);
  job.capacity_factor = record.number_or("capacity_factor", 1);
  job.vocabulary_tiles = record.positive_count_or("vocabulary_tiles", 1);
  job.software = record_software(record);
  add_told(job, record);
  job.synchronous_collectives = record.flag_or("synchronous_collectives", false);
  job.work_multiplier = record.number_or("flop_multiplier", 1);
  job.optimizer = record_optimizer(record);
  job.remat = record_remat(record);
  add_adapters(job, record);
  add_inputs(job, record, model);
  return job;
}

/// Refuses degrees over slices that are not those of the record.
inline void check_slices(const json_object& record, const layout& mesh, std::int64_t slice_total) {
  const std::int64_t over = slices(mesh);
  if (over == slice_total) return;
  const char* key = mesh.dcn_fsdp > 1 ? "dcn_fsdp" : mesh.dcn_data > 1 ? "dcn_data" : "num_slices";
  fail(errc::invalid_argument, record.path(key), key == std::string_view("num_slices") ? slice_total : over,
       over > 1 ? "as many slices as num_slices says, " + std::to_string(slice_total)
                : std::string("dcn_data, dcn_fsdp or pipeline over as many slices"));
}

inline layout record_layout(const json_object& record, std::int64_t slice_total) {
  layout mesh;
  mesh.data = record.positive_count("data");
  mesh.fsdp = record.positive_count("fsdp");
  mesh.tensor = record.positive_count("tensor");
  mesh.expert = record.positive_count("expert");
  mesh.context = record.positive_count_or("context", 1);
  mesh.pipeline = record.positive_count_or("pipeline", 1);
  mesh.dcn_data = record.positive_count_or("dcn_data", 1);
  mesh.dcn_fsdp = record.positive_count_or("dcn_fsdp", 1);
  if (mesh.pipeline > 1 && slice_total > 1 && mesh.dcn_data == 1) {  // one stage in each slice
    mesh.dcn_pipeline = mesh.pipeline;
    mesh.pipeline = 1;
  }
  if (record.has("degrees_count") && record.string("degrees_count") == "chips") mesh.unit = mesh_unit::chips;
  check_slices(record, mesh, slice_total);
  return mesh;
}

/// The slice of a record, one of `num_slices` alike.
inline slice record_slice(const json_object& record) {
  const std::int64_t slice_total = record.positive_count_or("num_slices", 1);
  const std::int64_t chip_count = record.positive_count("chips_total");
  if (chip_count % slice_total != 0) {
    fail(errc::not_divisible, record.path("chips_total"), chip_count, "a multiple of num_slices");
  }
  const std::string hardware = record.string("hardware");
  const maybe<chip_spec> chip = find_chip(hardware);
  if (!chip) {
    fail(errc::unknown_name, record.path("hardware"), hardware, chip_names().view());
  }
  const maybe<slice> where = find_slice_of_size(*chip, chip_count / slice_total);
  if (!where) fail(errc::unknown_name, record.path("chips_total"), chip_count, "the chips of a slice that exists");
  return *where;
}

}  // namespace detail

/// A spelled-out training run as a question and the time of a step that was measured. Throws,
/// naming `path` and the field, for invalid or missing values. Memory records of training have no time: they are read
/// with `timed` false. Worked: {"hardware": "v5p", "chips_total": 64, ...} is on v5p-128.
[[nodiscard]] inline training_record read_training_record(const nlohmann::json& value, const std::string& path,
                                                          bool timed = true) {
  const json_object record(value, path);
  training_record result;
  result.id = record.string("id");
  result.family = record.string("family");
  result.source = record.has("source") ? team_of(record.string("source")) : std::string{};
  if (record.has("version")) result.version = record.string("version");
  result.quality = record.string("quality");
  result.model = detail::model_of_record(record);
  result.job = detail::record_job(record, result.model);
  result.where = detail::record_slice(record);
  result.mesh = detail::record_layout(record, record.positive_count_or("num_slices", 1));
  if (timed) result.measured = detail::measured_time(record, "target_step_time_s");
  result.in_domain = record.flag_or("in_domain", false);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
