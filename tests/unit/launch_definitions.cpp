// What is written for Kubernetes against the definitions of its kinds: the engines of serving over every slice, and
// that the definitions in data/launch.json refuse what is no field of them.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/launch.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/schema.hpp"

using namespace tpuplan;

namespace launch_definitions_tests {
using nlohmann::json;

namespace {

const json& launch_data() {
  static const json data = load_json(TPUPLAN_DATA_DIR "/launch.json");
  return data;
}

/// How a manifest breaks the definition of its kind: "" if it does not. A List is its items.
std::string problem_of(const json& manifest) {
  const json& kinds = launch_data().at("gke").at("schemas");
  const std::string kind = manifest.at("kind");
  if (kind == "List") {
    for (const json& one : manifest.at("items")) {
      if (const std::string problem = problem_of(one); !problem.empty()) return problem;
    }
    return "";
  }
  return kinds.contains(kind) ? schema_problem(manifest, kinds.at(kind)) : "no definition of " + kind;
}

serving_launch chat_on(const slice& where, serving_engine engine) {
  serving_launch launch;
  launch.request.name = "chat";
  launch.request.where = where;
  launch.request.max_restarts = 0;
  launch.request.image = "vllm/vllm-tpu:nightly-20260330";
  launch.engine = engine;
  launch.model = "meta-llama/Llama-3.1-70B-Instruct";
  launch.secret = "hf-secret";
  launch.job.prompt = fixed_length(2000);
  launch.job.output = fixed_length(300);
  launch.job.max_running = 64;
  launch.job.prefill_chunk = 2048;
  return launch;
}

}  // namespace

TEST_CASE("what serves is written by the definitions of its kinds, over every slice") {
  std::int64_t written = 0, groups = 0;
  for (std::size_t i = 0; i < slice_count; ++i) {
    for (const serving_engine engine : {serving_engine::vllm, serving_engine::sglang_jax}) {
      for (const provisioning kind : {provisioning::on_demand, provisioning::spot, provisioning::flex_start}) {
        serving_launch launch = chat_on(slice_at(i), engine);
        launch.request.capacity = kind;
        if (engine == serving_engine::vllm) launch.scaler = {1, 4, 20};
        json manifest;
        if (refusal_of([&] { manifest = gke_serving_manifest(launch); }).refused) continue;
        INFO(name(launch.request.where).view() << " " << name(kind));
        CHECK(problem_of(manifest) == "");
        ++written;
        if (manifest["items"][0]["kind"] == "LeaderWorkerSet") ++groups;
      }
    }
  }
  CHECK(written >= 40);
  CHECK(groups >= 20);
}

TEST_CASE("every flag and variable that an engine gets has its source") {
  for (const serving_engine engine : {serving_engine::vllm, serving_engine::sglang_jax}) {
    const json& sources = launch_data().at("serving").at("engines").at(std::string(name(engine)));
    for (const char* where : {"v6e-8", "v6e-16"}) {
      serving_launch launch = chat_on(slice_for(where), engine);
      launch.job.block_tokens = 128;
      launch.job.prefix_hit_rate = 0.5;
      launch.job.weights = dtype::int8;
      if (engine == serving_engine::vllm) launch.mesh.attention = 2, launch.job.cache = dtype::fp8;
      for (const std::string& word : engine_command(launch)) {
        INFO(word);
        if (word.rfind("--", 0) == 0) CHECK(sources.contains(word.substr(0, word.find('='))));
      }
      const json manifest = gke_serving_manifest(launch);
      const json::json_pointer alone("/items/0/spec/template/spec/containers/0/env"),
          first("/items/0/spec/leaderWorkerTemplate/leaderTemplate/spec/containers/0/env");
      const json& variables = manifest.at(manifest.contains(alone) ? alone : first);
      CHECK(variables.size() >= 2);
      for (const json& one : variables) {
        const std::string given = one.at("name");
        INFO(given);
        CHECK((given == "HF_TOKEN" || sources.contains(given)));
      }
    }
  }
}

TEST_CASE("a start may take twice what a published one took") {
  const json& start = launch_data().at("serving").at("start");
  CHECK(detail::start_compilation.value() == start.at("compile_s").get<double>());
  CHECK(detail::start_loading.value() == start.at("load_bytes_per_s").get<double>());
  CHECK(detail::start_margin == start.at("margin").get<double>());
  CHECK(detail::start_period == start.at("period_s").get<std::int64_t>());
  serving_launch launch = chat_on(slice_for("v6e-8"), serving_engine::vllm);
  launch.weights = 16.06_GB;
  CHECK(start_limit(launch).value() > 3745.5);
  CHECK(start_limit(launch).value() < 3745.7);
  const json pod = gke_serving_manifest(launch)["items"][0]["spec"]["template"]["spec"]["containers"][0];
  CHECK(pod["startupProbe"]["failureThreshold"] == 250);
  CHECK(pod["env"].back()["value"] == "3746");
}

TEST_CASE("a service refuses what its manifest has no place for") {
  const auto message = [](const plain_call<void(serving_launch&)>& change) {
    serving_launch launch = chat_on(slice_for("v6e-8"), serving_engine::vllm);
    change(launch);
    return refusal_of([&] { (void)gke_serving_manifest(launch); }).message;
  };
  CHECK(message([](serving_launch&) {}).empty());
  CHECK(says(message([](serving_launch& l) { l.request.boot_disk = 50_GB; }),
             "boot_disk is 50 GB; valid: none: GKE has"));
  CHECK(says(message([](serving_launch& l) { l.request.queue = "mine"; }), "queue is mine; valid: none: a service"));
  CHECK(says(message([](serving_launch& l) { l.request.capacity = provisioning::flex_start; }),
             "provisioning is flex_start; valid: on_demand, spot or a reservation for a service"));
}

TEST_CASE("definitions refuse what is no field of them") {
  json group = json::parse(R"({"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet",
    "metadata": {"name": "vllm"}, "spec": {"replicas": 1, "leaderWorkerTemplate": {"size": 4,
      "restartPolicy": "RecreateGroupOnPodRestart", "workerTemplate": {"spec": {"containers": [
        {"name": "worker", "image": "a/b:c", "resources": {"limits": {"google.com/tpu": 4}}}],
        "nodeSelector": {"cloud.google.com/gke-tpu-topology": "4x4"}}}}}})");
  CHECK(problem_of(group) == "");
  const auto changed = [&](const char* place, const json& value) {
    json other = group;
    other[json::json_pointer(place)] = value;
    return problem_of(other);
  };
  CHECK(says(changed("/spec/leaderWorkerTemplate/restartPolicy", "Always"), "not one of"));
  CHECK(says(changed("/spec/leaderWorkerTemplate/workers", 3), "unknown key workers"));
  CHECK(says(changed("/spec/leaderWorkerTemplate/size", "4"), "not integer"));
  CHECK(says(changed("/spec/leaderWorkerTemplate/workerTemplate/spec/nodeSelectors", json::object()), "nodeSelectors"));
  CHECK(says(changed("/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0/cmd", "x"), "unknown key cmd"));
  CHECK(says(changed("/apiVersion", "leaderworkerset.x-k8s.io/v2"), "not one of"));
  group["spec"].erase("leaderWorkerTemplate");
  CHECK(says(problem_of(group), "has no leaderWorkerTemplate"));
}

}  // namespace launch_definitions_tests
