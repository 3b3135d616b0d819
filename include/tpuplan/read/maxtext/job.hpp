#ifndef TPUPLAN_READ_MAXTEXT_JOB_HPP
#define TPUPLAN_READ_MAXTEXT_JOB_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/read/maxtext/keys.hpp>
#include <utility>
#include <vector>

/// @file
/// Formats, policy and mesh of a MaxText configuration. Names and defaults: AI-Hypercomputer/maxtext
/// src/maxtext/configs/base.yml and types.py (2026-08-22).

namespace tpuplan {
inline namespace abi_0 {

/// Keys that a file leaves out, and the values assumed for them.
using maxtext_assumptions = std::vector<std::pair<std::string, std::string>>;

namespace detail {

/// The index in `words` of the value of a key; `usual` if the key has no value. Refuses other values.
inline std::size_t maxtext_choice(maxtext_reader& keys, std::string_view key,
                                  std::initializer_list<std::string_view> words, std::size_t usual) {
  if (!keys.has(key)) return usual;
  const std::string given = keys.word_or(key, "");
  std::size_t place = 0;
  std::string valid;
  for (const std::string_view word : words) {
    if (word == given) return place;
    ++place;
    if (!word.empty()) valid += (valid.empty() ? "" : ", ") + std::string(word);
  }
  fail(errc::unknown_name, keys.place(key), given, valid);
}

inline dtype maxtext_format(maxtext_reader& keys, std::string_view key, dtype usual) {
  constexpr dtype formats[] = {dtype::fp32, dtype::bf16, dtype::fp16};
  const std::size_t place = maxtext_choice(keys, key, {"float32", "bfloat16", "float16"}, 3);
  return place == 3 ? usual : formats[place];
}

/// Where the tensors of one field of a policy are kept: where the first of them is. Others that differ are listed in
/// `assumed`.
inline placement maxtext_tensors(maxtext_reader& keys, std::initializer_list<std::string_view> names,
                                 maxtext_assumptions& assumed) {
  constexpr placement places[] = {placement::recompute, placement::device, placement::host};
  constexpr std::string_view words[] = {"remat", "device", "offload"};
  std::size_t first = 3;
  for (const std::string_view name : names) {
    const std::size_t place = maxtext_choice(keys, name, {words[0], words[1], words[2]}, 0);
    if (first == 3) first = place;
    if (place != first)
      assumed.emplace_back(name, "counted as " + std::string(*names.begin()) + ", " + std::string(words[first]));
  }
  return places[first];
}

/// The policy of the remat keys. In a custom policy each tensor has a key that says where it is kept.
inline remat_policy maxtext_remat_of(maxtext_reader& keys, const transformer& model, maxtext_assumptions& assumed) {
  const std::string given = keys.word_or("remat_policy", "full");
  if (!keys.has("remat_policy")) assumed.emplace_back("remat_policy", "full, MaxText's own");
  if (given != "custom") {
    std::string valid = "custom";
    for (const named_remat_policy& one : remat_policies) {
      if (one.in_maxtext && one.name == given) return one.policy;
      if (one.in_maxtext) valid += ", " + std::string(one.name.view());
    }
    fail(errc::unknown_name, keys.place("remat_policy"), given, valid);
  }
  remat_policy policy;
  const std::size_t input = maxtext_choice(keys, "decoder_layer_input", {"device", "offload"}, 0);
  policy.layer_input = input == 0 ? placement::device : placement::host;
  policy.qkv = keys.flag_or("fused_qkv", false)
                   ? maxtext_tensors(keys, {"qkv_proj"}, assumed)
                   : maxtext_tensors(keys, {"query_proj", "key_proj", "value_proj"}, assumed);
  policy.context = maxtext_tensors(keys, {"context"}, assumed);
  policy.out_proj = maxtext_tensors(keys, {"out_proj"}, assumed);
  const bool fused = keys.flag_or("fused_mlp", false) || !model.mlp.gated;
  const bool also_dense = model.moe.shared_d_ff > 0 || model.moe.dense_layers > 0;
  if (has_experts(model) && also_dense) {
    policy.mlp_up = maxtext_tensors(keys, {"moe_mlpwi_0", "moe_mlpwi_1", "mlpwi_0", "mlpwi_1"}, assumed);
    policy.mlp_down = maxtext_tensors(keys, {"moe_mlpwo", "mlpwo"}, assumed);
  } else if (has_experts(model)) {
    policy.mlp_up = maxtext_tensors(keys, {"moe_mlpwi_0", "moe_mlpwi_1"}, assumed);
    policy.mlp_down = maxtext_tensors(keys, {"moe_mlpwo"}, assumed);
  } else {
    policy.mlp_up =
        fused ? maxtext_tensors(keys, {"mlpwi"}, assumed) : maxtext_tensors(keys, {"mlpwi_0", "mlpwi_1"}, assumed);
    policy.mlp_down = maxtext_tensors(keys, {"mlpwo"}, assumed);
  }
  policy.attention_again = policy.context == placement::recompute;
  return policy;
}

/// The optimizer whose row has the word of opt_type.
inline optimizer_kind maxtext_optimizer(maxtext_reader& keys, maxtext_assumptions& assumed) {
  const std::string given = keys.word_or("opt_type", "adamw");
  std::string valid;
  for (const optimizer_row& row : optimizers) {
    std::string_view words = row.maxtext;
    for (std::string_view word = take_word(words); !word.empty(); word = take_word(words)) {
      valid.append(valid.empty() ? "" : ", ").append(word);
      if (word != given) continue;
      if (word != row.name)
        assumed.emplace_back("opt_type", given + " is counted as " + std::string(row.name) + ", whose state it has");
      return row.kind;
    }
  }
  fail(errc::unknown_name, keys.place("opt_type"), given, valid);
}

/// Formats of products, weights and optimizer state.
inline void fill_maxtext_formats(training_job& job, maxtext_reader& keys, maxtext_assumptions& assumed) {
  constexpr dtype quantised[] = {dtype::int8, dtype::fp8, dtype::fp8};
  job.compute = maxtext_format(keys, "dtype", dtype::bf16);
  const std::size_t eight_bit = maxtext_choice(keys, "quantization", {"int8", "fp8", "fp8_full"}, 3);
  if (eight_bit < 3) job.compute = quantised[eight_bit];
  job.weights = maxtext_format(keys, "weight_dtype", dtype::fp32);
  const dtype first = maxtext_format(keys, "mu_dtype", job.weights);
  job.moments = size_of(first) > size_of(job.weights) ? first : job.weights;
  job.optimizer = maxtext_optimizer(keys, assumed);
  job.first_moment_bf16 =
      first == dtype::bf16 && first != job.weights && row_at(optimizers, job.optimizer).first_in_bf16;
  if (first != job.weights && !job.first_moment_bf16)
    assumed.emplace_back("mu_dtype", "both moments are counted in " + std::string(name(job.moments)) +
                                         ": the second is in the format of the weights");
  const bool state = keys.flag_or("optimizer_memory_host_offload", false);
  const bool parameters = keys.flag_or("parameter_memory_host_offload", false);
  if (parameters && !state)
    fail(errc::unsupported, keys.place("parameter_memory_host_offload"), "true",
         "with optimizer_memory_host_offload=true");
  if (state) job.state_on_host = parameters ? host_state::parameters_and_optimizer : host_state::optimizer;
  job.attention = maxtext_choice(keys, "attention", {"autoselected", "flash", "dot_product"}, 0) == 2
                      ? attention_kernel::unfused
                      : attention_kernel::flash;
  job.context_balanced = keys.flag_or("context_parallel_load_balance", true);
  job.ring_attention = maxtext_choice(keys, "context_parallel_strategy", {"all_gather", "ring"}, 0) == 1;
}

/// Sets the axis that is -1 to `all` over the product of the others, and refuses axes whose product is not `all`.
inline void fill_maxtext_axes(maxtext_reader& keys, std::initializer_list<std::pair<const char*, std::int64_t*>> axes,
                              std::int64_t all, const std::string& of_what) {
  std::int64_t product = 1;
  const char* open = nullptr;
  std::int64_t* rest = nullptr;
  for (const auto& [key, degree] : axes) {
    const std::int64_t given = keys.count_or(key, *degree, -1);
    if (given == 0) fail(errc::invalid_argument, keys.place(key), given, "-1, or a degree from 1 on");
    if (given > 0) {
      *degree = given;
      product = checked_multiply(product, given);
      continue;
    }
    if (open != nullptr)
      fail(errc::invalid_argument, keys.place(key), given, "a degree: " + std::string(open) + " is -1 already");
    open = key;
    rest = degree;
  }
  if (rest == nullptr ? product != all : all % product != 0)
    fail(errc::invalid_argument, "product of the axes of " + of_what, product,
         (rest == nullptr ? "" : "a divisor of ") + std::to_string(all));
  if (rest != nullptr) *rest = all / product;
}

/// Refuses axes that are not modelled, unless they are 1.
inline void refuse_maxtext_axes(maxtext_reader& keys) {
  for (const char* side : {"ici_", "dcn_"}) {
    for (const char* axis : {"diloco", "sequence", "tensor_transpose", "context_usp_ulysses", "context_autoregressive",
                             "autoregressive"}) {
      const std::string key = side + std::string(axis) + "_parallelism";
      if (keys.count_or(key, 1, -1) != 1)
        fail(errc::unsupported, keys.place(key), keys.word_or(key, ""), "1: the estimates have no such axis");
    }
  }
  for (const char* axis : {"context", "tensor", "tensor_sequence", "expert"}) {
    const std::string key = "dcn_" + std::string(axis) + "_parallelism";
    if (keys.count_or(key, 1, -1) != 1)
      fail(errc::unsupported, keys.place(key), keys.word_or(key, ""), "1: only batch, weights and stages over DCN");
  }
}

/// Refuses keys by which a step does other work than training on text.
inline void refuse_maxtext_work(maxtext_reader& keys) {
  for (const char* key : {"use_dpo", "use_distillation", "use_multimodal"}) {
    if (keys.flag_or(key, false))
      fail(errc::unsupported, keys.place(key), "true", "false: a step that trains all weights on text is estimated");
  }
  if (keys.count_or("lora_rank", 0, 0) > 0)
    fail(errc::unsupported, keys.place("lora_rank"), keys.word_or("lora_rank", ""),
         "0: all weights are trained here; adapters by --lora beside a config.json");
}

/// The layout on `slice_total` slices; 0: as many as the file says.
inline layout maxtext_mesh(maxtext_reader& keys, const slice& where, std::int64_t slice_total) {
  refuse_maxtext_axes(keys);
  layout mesh;
  std::int64_t transposed = 1, sequence = 1, dcn_transposed = 1;
  mesh.fsdp = -1;
  fill_maxtext_axes(keys,
                    {{"ici_data_parallelism", &mesh.data},
                     {"ici_fsdp_parallelism", &mesh.fsdp},
                     {"ici_fsdp_transpose_parallelism", &transposed},
                     {"ici_tensor_parallelism", &mesh.tensor},
                     {"ici_tensor_sequence_parallelism", &sequence},
                     {"ici_expert_parallelism", &mesh.expert},
                     {"ici_context_parallelism", &mesh.context},
                     {"ici_pipeline_parallelism", &mesh.pipeline}},
                    devices(where), "a slice, whose devices they share");
  mesh.fsdp = checked_multiply(mesh.fsdp, transposed);
  mesh.tensor = checked_multiply(mesh.tensor, sequence);
  const std::int64_t compiled = keys.count_or("compile_topology_num_slices", -1, -1);
  const std::int64_t run = keys.count_or("num_slices", -1, -1), named = run > 0 ? run : compiled;
  if (slice_total == 0) slice_total = named;
  if (slice_total < 1) {
    slice_total = 1;  // the given degrees say how many slices there are
    for (const char* key : {"dcn_data_parallelism", "dcn_fsdp_parallelism", "dcn_fsdp_transpose_parallelism",
                            "dcn_pipeline_parallelism"}) {
      const std::int64_t degree = keys.count_or(key, 1, -1);
      slice_total = checked_multiply(slice_total, degree < 1 ? 1 : degree);
    }
  }
  check_slices("slices", slice_total);
  mesh.dcn_data = -1;
  fill_maxtext_axes(keys,
                    {{"dcn_data_parallelism", &mesh.dcn_data},
                     {"dcn_fsdp_parallelism", &mesh.dcn_fsdp},
                     {"dcn_fsdp_transpose_parallelism", &dcn_transposed},
                     {"dcn_pipeline_parallelism", &mesh.dcn_pipeline}},
                    slice_total, "the slices");
  mesh.dcn_fsdp = checked_multiply(mesh.dcn_fsdp, dcn_transposed);
  validate(mesh, where);
  return mesh;
}

/// Stages and their microbatches. MaxText takes as many microbatches as stages where none are given.
inline void fill_maxtext_pipeline(training_job& job, maxtext_reader& keys, const transformer& model,
                                  const layout& mesh) {
  const std::int64_t stages = checked_multiply(mesh.pipeline, mesh.dcn_pipeline);
  if (stages == 1) return;
  const std::int64_t pieces = keys.count_or("num_pipeline_microbatches", -1, -1);
  job.pipeline_microbatches = pieces < 1 ? stages : pieces;
  const std::int64_t each = keys.count_or("num_layers_per_pipeline_stage", 1, 1);
  const std::int64_t repeats = keys.count_or("num_pipeline_repeats", -1, -1);
  job.pipeline_rounds = repeats < 1 ? model.layers / checked_multiply(stages, each) : repeats;
  if (job.pipeline_rounds < 1 || checked_multiply(checked_multiply(stages, each), job.pipeline_rounds) != model.layers)
    fail(errc::not_divisible, keys.place("num_layers_per_pipeline_stage"), each,
         "stages x layers of a stage x repeats = " + std::to_string(model.layers) + " layers");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
