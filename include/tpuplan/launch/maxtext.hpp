#ifndef TPUPLAN_LAUNCH_MAXTEXT_HPP
#define TPUPLAN_LAUNCH_MAXTEXT_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/launch/maxtext_model.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <utility>
#include <vector>

/// @file
/// A layout as the arguments of MaxText. Names: AI-Hypercomputer/maxtext src/maxtext/configs/base.yml (2026-08-22);
/// also in data/launch.json, "maxtext".

namespace tpuplan {
inline namespace abi_0 {

/// A training job as MaxText is asked to run it.
struct maxtext_run {
  layout mesh{};                                        ///< in devices
  training_job job{};                                   ///< batch, length, formats, optimizer, policy
  transformer model{};                                  ///< which MaxText is told, where `extra` does not
  std::int64_t layers = 0;                              ///< of the model; a pipeline needs them
  std::int64_t steps = 0;                               ///< 0: MaxText's default
  std::int64_t checkpoint_period = 0;                   ///< steps; 0: MaxText's default of 10000; an extra goes first
  std::int64_t checkpoints_kept = 3;                    ///< the last ones; MaxText keeps all; an extra goes first
  std::string config = "src/maxtext/configs/base.yml";  ///< the file that MaxText reads first
  std::vector<std::string> extra;                       ///< more arguments, key=value: model_name=llama3.1-8b
  std::string compiler_flags;                           ///< "recipe": `recipe_flags`; else flags of XLA; empty: none
};

namespace detail {

/// The flags of XLA of a service's row for the chip; empty where no source has any.
inline std::string flags_of_service(std::string_view service, const chip_spec& chip) {
  const service_chip* const found = chip_of_service(service, chip.name.view());
  return found == nullptr ? std::string() : std::string(found->called);
}

/// The environment in which libtpu has these flags: those of a recipe, flags of one's own, or none. `valid` is what
/// there is where no recipe has any.
inline std::vector<std::string> flags_in_environment(const std::string& given, const std::string& recipe,
                                                     std::string_view valid) {
  if (given.empty()) return {};
  if (given == "recipe") {
    if (recipe.empty()) fail(errc::unsupported, "compiler_flags", given, valid);
    return {"env", "LIBTPU_INIT_ARGS=" + recipe};
  }
  const bool usual = given.rfind("--", 0) == 0 && given.size() <= 4096 &&
                     given.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_-=.,: ") == std::string::npos;
  if (!usual)
    fail(errc::invalid_argument, "compiler_flags", given,
         "recipe, or flags such as --xla_tpu_scoped_vmem_limit_kib=98304");
  return {"env", "LIBTPU_INIT_ARGS=" + given};
}

}  // namespace detail

/// The flags of XLA with which published recipes of MaxText train dense models, or experts, on the chip, and those that
/// they add where activations or state are offloaded to hosts; empty where no recipe with flags was read. Worked: those
/// of a dense model on v6e begin with --xla_tpu_scoped_vmem_limit_kib=98304, for v5e there are none. Source:
/// data/launch.json, maxtext_dense, maxtext_experts and maxtext_offload.
[[nodiscard]] inline std::string recipe_flags(const chip_spec& chip, const maxtext_run& run) {
  const auto row = [&](std::string_view service) { return detail::flags_of_service(service, chip); };
  std::string flags = row(has_experts(run.model) ? "maxtext_experts" : "maxtext_dense");
  const remat_policy& r = run.job.remat;
  bool offloads = run.job.state_on_host != host_state::none;
  for (const placement each : {r.layer_input, r.qkv, r.context, r.out_proj, r.mlp_up, r.mlp_down})
    offloads = offloads || each == placement::host;
  if (!flags.empty() && offloads && !row("maxtext_offload").empty()) flags += " " + row("maxtext_offload");
  return flags;
}

namespace detail {

/// The least double whose product with `devices`, truncated to a whole number as MaxText does it, is `sequences`.
inline double per_device_batch(std::int64_t sequences, std::int64_t devices) {
  const auto count = static_cast<double>(devices);
  double each = static_cast<double>(sequences) / count;
  while (std::floor(each * count) < static_cast<double>(sequences)) each = std::nextafter(each, each + 1);
  return each;
}

/// remat_policy, and for a policy without a name in MaxText where each tensor is.
inline std::vector<std::string> maxtext_remat(const remat_policy& policy) {
  for (const named_remat_policy& one : remat_policies) {
    if (one.policy == policy && one.in_maxtext) return {"remat_policy=" + std::string(one.name.view())};
  }
  const bool again = policy.context == placement::recompute;
  if (policy.elementwise != placement::recompute || policy.attention_again != again) {
    fail(errc::unsupported, "remat", "custom",
         "a policy that recomputes elementwise work, and the attention kernel unless its output is kept");
  }
  std::vector<std::string> arguments = {"remat_policy=custom"};
  const auto add = [&arguments](placement where, std::string_view keys) {
    const std::string_view word = where == placement::device ? "device"
                                  : where == placement::host ? "offload"
                                                             : "remat";
    while (!keys.empty()) {
      const std::size_t end = keys.find(' ');
      arguments.push_back(std::string(keys.substr(0, end)) + "=" + std::string(word));
      keys = end == std::string_view::npos ? std::string_view{} : keys.substr(end + 1);
    }
  };
  add(policy.layer_input, "decoder_layer_input");
  add(policy.qkv, "query_proj key_proj value_proj");
  add(policy.context, "context");
  add(policy.out_proj, "out_proj");
  add(policy.mlp_up, "mlpwi mlpwi_0 mlpwi_1 moe_mlpwi_0 moe_mlpwi_1");
  add(policy.mlp_down, "mlpwo moe_mlpwo");
  return arguments;
}

inline std::string maxtext_dtype(const char* field, dtype type) {
  switch (type) {
    case dtype::fp32: return "float32";
    case dtype::bf16: return "bfloat16";
    case dtype::fp16: return "float16";
    default: break;
  }
  fail(errc::unsupported, field, name(type), "fp32, bf16 or fp16 in MaxText");
}

/// The layers of a pipeline: MaxText wants stages x layers of a stage x repeats to be the layers of the model.
inline std::vector<std::string> maxtext_pipeline(const maxtext_run& run) {
  const std::int64_t stages = checked_multiply(run.mesh.pipeline, run.mesh.dcn_pipeline);
  const std::int64_t rounds = positive_count("pipeline_rounds", run.job.pipeline_rounds);
  if (stages == 1) return {};
  const std::int64_t pieces = checked_multiply(stages, rounds);
  if (positive_count("layers", run.layers) % pieces != 0)
    fail(errc::not_divisible, "layers", run.layers, "a multiple of stages and rounds in MaxText");
  return {"num_layers_per_pipeline_stage=" + std::to_string(run.layers / pieces),
          "num_pipeline_repeats=" + std::to_string(rounds)};
}

/// Formats, optimizer, attention and what hosts keep, where they differ from MaxText's defaults. MaxText keeps the
/// second moments in the format of the weights, and documents 8-bit floats for GPUs alone.
inline std::vector<std::string> maxtext_types(const training_job& job) {
  std::vector<std::string> arguments;
  std::string_view optimizer = row_at(optimizers, job.optimizer).maxtext;
  if (optimizer.empty()) {
    const auto known = [](optimizer_kind kind) { return !is_empty(row_at(optimizers, kind).maxtext); };
    fail(errc::unsupported, "training_job.optimizer", name(job.optimizer),
         names_where<optimizer_kind>(known).append(" in MaxText").view());
  }
  if (job.optimizer != optimizer_kind::adamw) arguments.push_back("opt_type=" + std::string(take_word(optimizer)));
  if (job.moments != job.weights)
    fail(errc::unsupported, "training_job.moments", name(job.moments), "the format of the weights in MaxText");
  if (job.work_multiplier != 1)
    fail(errc::unsupported, "training_job.work_multiplier", job.work_multiplier, "1: MaxText does the work once");
  if (job.images_per_sequence != 0)
    fail(errc::unsupported, "training_job.images_per_sequence", job.images_per_sequence, "0: this writes text alone");
  if (job.lora_rank != 0)
    fail(errc::unsupported, "training_job.lora_rank", job.lora_rank,
         "0: MaxText's pre-training has no adapters; run its maxtext.trainers.post_train.sft.train_sft as a command");
  if (job.compute == dtype::fp8 || job.compute == dtype::int4)
    fail(errc::unsupported, "training_job.compute", name(job.compute), "bf16, fp32, fp16 or int8 in MaxText on TPUs");
  if (job.compute == dtype::int8)
    arguments.push_back("quantization=int8");
  else if (job.compute != dtype::bf16)
    arguments.push_back("dtype=" + maxtext_dtype("training_job.compute", job.compute));
  if (job.weights != dtype::fp32)
    arguments.push_back("weight_dtype=" + maxtext_dtype("training_job.weights", job.weights));
  if (job.first_moment_bf16) arguments.push_back("mu_dtype=bfloat16");
  if (job.attention == attention_kernel::unfused) arguments.push_back("attention=dot_product");
  if (job.ring_attention) arguments.push_back("context_parallel_strategy=ring");
  if (!job.context_balanced) arguments.push_back("context_parallel_load_balance=false");
  if (job.capacity_factor != 1) {
    arguments.push_back("capacity_factor=" + nlohmann::json(positive("capacity_factor", job.capacity_factor)).dump());
    arguments.emplace_back("sparse_matmul=false");  // with it, as by default, no token is dropped
  }
  if (job.state_on_host != host_state::none) arguments.push_back("optimizer_memory_host_offload=true");
  if (job.state_on_host == host_state::parameters_and_optimizer)
    arguments.push_back("parameter_memory_host_offload=true");
  return arguments;
}

/// Keys that a layout, a job and a launch decide, whether they are written or left to MaxText's default.
inline constexpr std::string_view decided_keys[] = {"run_name",
                                                    "base_output_directory",
                                                    "enable_checkpointing",
                                                    "num_slices",
                                                    "per_device_batch_size",
                                                    "gradient_accumulation_steps",
                                                    "max_target_length",
                                                    "steps",
                                                    "num_pipeline_microbatches",
                                                    "num_pipeline_repeats",
                                                    "num_layers_per_pipeline_stage",
                                                    "num_vocab_tiling",
                                                    "capacity_factor",
                                                    "sparse_matmul",
                                                    "dtype",
                                                    "weight_dtype",
                                                    "quantization",
                                                    "opt_type",
                                                    "mu_dtype",
                                                    "context_parallel_load_balance",
                                                    "context_parallel_strategy",
                                                    "attention",
                                                    "optimizer_memory_host_offload",
                                                    "parameter_memory_host_offload",
                                                    "remat_policy",
                                                    "decoder_layer_input",
                                                    "context",
                                                    "mlpwi",
                                                    "mlpwi_0",
                                                    "mlpwi_1",
                                                    "mlpwo",
                                                    "moe_mlpwi_0",
                                                    "moe_mlpwi_1",
                                                    "moe_mlpwo",
                                                    "query_proj",
                                                    "key_proj",
                                                    "value_proj",
                                                    "out_proj",
                                                    "hardware",
                                                    "custom_mesh",
                                                    "custom_mesh_and_rule"};

constexpr bool is_decided(std::string_view key) noexcept {
  if (key.substr(0, 4) == "ici_" || key.substr(0, 4) == "dcn_") return true;
  for (const std::string_view decided : decided_keys) {
    if (key == decided) return true;
  }
  return false;
}

/// Whether one of the arguments has that key.
inline bool gives(const std::vector<std::string>& arguments, std::string_view key) {
  for (const std::string& given : arguments) {
    if (given.size() > key.size() && given[key.size()] == '=' && given.compare(0, key.size(), key) == 0) return true;
  }
  return false;
}

/// Adds the caller's own arguments: key=value, each key once and none that the plan decides. `what` names one.
template <class Decided>
void add_extra(std::vector<std::string>& arguments, const std::vector<std::string>& extra, std::string_view what,
               const Decided& decided) {
  for (const std::string& given : extra) {
    const std::size_t equal = given.find('=');
    const std::string key = given.substr(0, equal);
    if (equal == std::string::npos || key.empty() || !is_lower(key[0]) || key.size() > 80 ||
        key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos) {
      fail(errc::invalid_argument, what, given, "key=value with a key such as model_name");
    }
    if (decided(key)) fail(errc::invalid_argument, what, given, "a key that the plan does not decide");
    if (gives(arguments, key)) fail(errc::invalid_argument, what, given, "a key that is given once");
    arguments.push_back(given);
  }
}

}  // namespace detail

/// The arguments that make MaxText run this training on the request's slices: the mesh (`ici_` inside of a slice,
/// `dcn_` over slices), the batch of each device in one microbatch, length, formats, policy, and the folder and name
/// under which it finds its last checkpoint again (without a folder it writes none). Throws where the mesh does not
/// fill the slices, the batch does not divide, or MaxText has no such optimizer or format. A job that leaves the
/// microbatches of its pipeline open has four for each stage, where MaxText would take one. Worked: 1024 sequences on
/// v6e-256 with fsdp 256 and no accumulation are ici_fsdp_parallelism=256 and per_device_batch_size=4.0. Source:
/// MaxText base.yml, types.py: global batch = per_device_batch_size x devices x gradient_accumulation_steps.
[[nodiscard]] inline std::vector<std::string> maxtext_arguments(const launch_request& request, const maxtext_run& run) {
  validate(request);
  if (run.mesh.unit != mesh_unit::devices)
    detail::fail(errc::unsupported, "layout.unit", "chips", "devices: MaxText counts JAX devices");
  validate(run.mesh, request.where);
  if (slices(run.mesh) != request.slices)
    detail::fail(errc::invalid_argument, "slices", request.slices, "the product of the layout's dcn degrees");
  const training_job& job = run.job;
  if (job.global_batch > std::int64_t{1} << 53)
    detail::fail(errc::out_of_range, "global_batch", job.global_batch, "at most 2^53");
  const std::int64_t micro = detail::positive_count("gradient_accumulation", job.gradient_accumulation);
  detail::positive_count("global_batch", job.global_batch);
  detail::check_batch(run.mesh, job);
  std::vector<std::string> arguments = {"run_name=" + request.name};
  const auto add = [&arguments](const char* key, std::int64_t value, std::int64_t without) {
    if (value != without) arguments.push_back(std::string(key) + "=" + std::to_string(value));
  };
  arguments.push_back(request.checkpoint.empty() ? "enable_checkpointing=false"
                                                 : "base_output_directory=" + request.checkpoint);
  add("ici_data_parallelism", run.mesh.data, 1);
  add("ici_fsdp_parallelism", run.mesh.fsdp, 0);
  add("ici_tensor_parallelism", run.mesh.tensor, 1);
  add("ici_expert_parallelism", run.mesh.expert, 1);
  add("ici_context_parallelism", run.mesh.context, 1);
  add("ici_pipeline_parallelism", run.mesh.pipeline, 1);
  add("dcn_data_parallelism", run.mesh.dcn_data, 0);
  add("dcn_fsdp_parallelism", run.mesh.dcn_fsdp, 1);
  add("dcn_pipeline_parallelism", run.mesh.dcn_pipeline, 1);
  const double each =
      detail::per_device_batch(job.global_batch / micro, checked_multiply(devices(request.where), request.slices));
  arguments.push_back("per_device_batch_size=" + nlohmann::json(each).dump());
  add("gradient_accumulation_steps", micro, 1);
  add("max_target_length", detail::positive_count("sequence_length", job.sequence_length), 0);
  const std::int64_t stages = checked_multiply(run.mesh.pipeline, run.mesh.dcn_pipeline);
  const std::int64_t pieces = detail::count_from("pipeline_microbatches", job.pipeline_microbatches, 0);
  add("num_pipeline_microbatches", pieces == 0 && stages > 1 ? checked_multiply(4, stages) : pieces, 0);
  add("num_vocab_tiling", detail::positive_count("vocabulary_tiles", job.vocabulary_tiles), 1);
  for (std::string& one : detail::maxtext_pipeline(run)) arguments.push_back(std::move(one));
  for (std::string& one : detail::maxtext_types(job)) arguments.push_back(std::move(one));
  for (std::string& one : detail::maxtext_remat(job.remat)) arguments.push_back(std::move(one));
  add("steps", detail::count_from("steps", run.steps, 0), 0);
  const std::int64_t period = detail::count_from("checkpoint_period", run.checkpoint_period, 0);
  if (!request.checkpoint.empty() && !detail::gives(run.extra, "checkpoint_period"))
    add("checkpoint_period", period, 0);
  if (!request.checkpoint.empty() && period > 0 && !detail::gives(run.extra, "max_num_checkpoints_to_keep"))
    add("max_num_checkpoints_to_keep", detail::positive_count("checkpoints_kept", run.checkpoints_kept), 0);
  detail::add_extra(arguments, run.extra, "MaxText argument", detail::is_decided);
  return arguments;
}

namespace detail {

/// Refuses a model_name that MaxText does not have or that is another model than the plan's: what was planned would not
/// be what runs.
inline void check_model_name(const maxtext_run& run) {
  for (const std::string& one : run.extra) {
    if (one.compare(0, 11, "model_name=") != 0 || one == "model_name=default") continue;
    if (run.model.layers == 0) continue;
    (void)maxtext_model_from({one});  // which refuses names that MaxText does not have
    if (const maxtext_match match = match_of({one}, run.model, run.job.sequence_length); !is_same(match))
      fail(errc::invalid_argument, "MaxText argument", one,
           "the plan's model, " + std::string(run.model.name.view()) + ", in which " + words_of(match));
  }
}

/// Refuses a run for which MaxText would take its own defaults where these decide what is learned.
inline void check_told(const maxtext_run& run) {
  const auto given = [&run](std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (gives(run.extra, key)) return true;
    }
    return false;
  };
  if (!given({"dataset_type", "dataset_path", "hf_path", "grain_train_files"}))
    fail(errc::missing_field, "dataset", "missing",
         "arguments such as dataset_path=gs://BUCKET/FOLDER, hf_path=NAME with dataset_type=hf, or "
         "dataset_type=synthetic to time it: a plan does not know what is learned");
  if (!given({"learning_rate"}))
    fail(errc::missing_field, "learning_rate", "missing",
         "an argument such as learning_rate=3e-4: MaxText's own is 3e-5, with a cosine schedule over the steps");
}

/// The environment of the program: flags of XLA for libtpu; nothing where none are given.
inline std::vector<std::string> maxtext_environment(const launch_request& request, const maxtext_run& run) {
  return flags_in_environment(run.compiler_flags, recipe_flags(request.where.chip, run),
                              "flags of your own: no recipe for such a model on " +
                                  std::string(request.where.chip.name.view()) + " was read, but on " +
                                  chips_of_service(has_experts(run.model) ? "maxtext_experts" : "maxtext_dense"));
}

}  // namespace detail

/// The whole command: python3 -m maxtext.trainers.pre_train.train CONFIG and the arguments. With the CONFIG that
/// MaxText has for all models they say which one: `extra` by its model_name or base_emb_dim, else that of the run, by
/// the name that MaxText has for it or by its dimensions; and `extra` must say the dataset and the learning rate, which
/// a plan does not know. Flags of the compiler stand before it, in LIBTPU_INIT_ARGS. Worked: llama-3.1-8b is
/// model_name=llama3.1-8b, one of 30 such layers is decoder_block=llama2 base_num_decoder_layers=30 and so on. Source:
/// MaxText base.yml (learning_rate 3.e-5, dataset_path "", max_num_checkpoints_to_keep None).
[[nodiscard]] inline std::vector<std::string> maxtext_command(const launch_request& request, const maxtext_run& run) {
  std::vector<std::string> words = detail::maxtext_environment(request, run);
  for (const char* word : {"python3", "-m", "maxtext.trainers.pre_train.train"}) words.emplace_back(word);
  words.push_back(run.config);
  for (std::string& argument : maxtext_arguments(request, run)) words.push_back(std::move(argument));
  if (run.config != maxtext_run{}.config) return words;
  if (detail::gives(run.extra, "model_name") || detail::gives(run.extra, "base_emb_dim")) {
    detail::check_model_name(run);
  } else {
    if (run.model.layers == 0)
      detail::fail(errc::missing_field, "model_name", "missing",
                   "an argument such as model_name=llama3.1-8b, or a plan that has its model");
    for (std::string& one : detail::maxtext_model_arguments(run.model, run.job.sequence_length)) {
      const std::string_view key = std::string_view(one).substr(0, one.find('='));
      if (detail::gives(run.extra, key))
        detail::fail(errc::invalid_argument, "MaxText argument", key, "a key that the plan does not decide");
      words.push_back(std::move(one));
    }
  }
  detail::check_told(run);
  return words;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
