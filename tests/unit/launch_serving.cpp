// Serving plans as Deployments of GKE: the engine's own flags, and what no flag says is refused.
#include <algorithm>
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/plan/serving_plan.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace launch_serving_tests {

namespace {

serving_launch chat_launch() {
  serving_launch launch;
  launch.request.name = "chat";
  launch.request.where = slice_for("v6e-8");
  launch.request.slices = 3;
  launch.request.image = "vllm/vllm-tpu:nightly-20260330";
  launch.model = "meta-llama/Llama-3.1-70B-Instruct";
  launch.job.prompt = fixed_length(2000);
  launch.job.output = fixed_length(300);
  launch.job.max_running = 64;
  launch.job.prefill_chunk = 2048;
  return launch;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("vLLM on TPU gets what the estimate took for granted") {
  serving_launch launch = chat_launch();
  const std::vector<std::string> words = engine_command(launch);
  for (const char* word : {"vllm.entrypoints.openai.api_server", "--model=meta-llama/Llama-3.1-70B-Instruct",
                           "--tensor-parallel-size=8", "--data-parallel-size=1", "--max-model-len=2300",
                           "--max-num-batched-tokens=2048", "--max-num-seqs=64", "--gpu-memory-utilization=0.9"}) {
    INFO(word);
    CHECK(has(words, word));
  }
  launch.mesh.tensor = 4;
  launch.job.block_tokens = 32;
  launch.job.cache = launch.job.weights = launch.job.activations = dtype::fp8;
  const std::vector<std::string> other = engine_command(launch);
  CHECK(has(other, "--data-parallel-size=2"));
  CHECK(has(other, "--block-size=32"));
  CHECK(has(other, "--kv-cache-dtype=fp8"));
  CHECK(has(other, R"(--additional_config={"quantization":{"qwix":{"rules":[{"module_path":".*",)"
                   R"("weight_qtype":"float8_e4m3fn","act_qtype":"float8_e4m3fn"}]}}})"));
  launch.job.weights = dtype::int8, launch.job.activations = dtype::bf16;
  CHECK(has(engine_command(launch), R"(--additional_config={"quantization":{"qwix":{"rules":[{"module_path":".*",)"
                                    R"("weight_qtype":"int8"}]}}})"));
}

TEST_CASE("what ends vLLM when it starts is not written") {
  serving_launch launch = chat_launch();
  launch.job.max_running = 5949;  // more than a step has tokens
  CHECK(has(engine_command(launch), "--max-num-seqs=2048"));
  launch.job.prefill_chunk = 512;
  CHECK(has(engine_command(launch), "--max-num-seqs=512"));
  launch.engine = serving_engine::sglang_jax;  // whose chunks are of prompts alone
  CHECK(has(engine_command(launch), "--max-running-requests=5949"));
  launch = chat_launch();
  CHECK(longest_request_tokens(launch) == 2300);
  const auto allows_longer = [&] {
    return gke_serving_manifest(launch).dump().find("VLLM_ALLOW_LONG_MAX_MODEL_LEN") != std::string::npos;
  };
  CHECK_FALSE(allows_longer());
  launch.max_positions = 2300;
  CHECK_FALSE(allows_longer());
  launch.max_positions = 2048;
  CHECK(allows_longer());
}

TEST_CASE("vLLM makes room for the adapters of a plan") {
  serving_launch launch = chat_launch();
  CHECK_FALSE(has(engine_command(launch), "--enable-lora"));
  launch.job.beside = launch.job.shared_beside = 100_MB;
  const auto refused = [&] { return refusal_of([&] { (void)engine_command(launch); }).message; };
  CHECK(says(refused(), "serving_launch.adapters is missing"));
  launch.adapters = 8, launch.adapter_rank = 24;
  const std::vector<std::string> words = engine_command(launch);
  for (const char* word : {"--enable-lora", "--max-loras=8", "--max-lora-rank=32"}) CHECK(has(words, word));
  STATIC_REQUIRE(room_for_rank(serving_engine::vllm, 24) == 32);
  STATIC_REQUIRE(adapter_limit(serving_engine::vllm, 8, 512).field.empty());
  STATIC_REQUIRE(adapter_limit(serving_engine::jetstream, 8, 16).field.empty());  // which nothing starts
  launch.adapter_rank = 1000;
  CHECK(says(refused(), "adapter_rank is 1000; valid: vLLM takes ranks of 1 8 16 32 64 128 256 320 512"));
  launch.engine = serving_engine::sglang_jax, launch.adapter_rank = 16;
  CHECK(says(refused(), "adapters is 8; valid: 0: no flag of SGLang-JAX is known for them"));
  serving_request question;
  question.adapters = 4, question.adapter_rank = 16;
  serving_launch known;
  use_model_of({{"request", {{"model", question.model}, {"adapters", 4}, {"adapter_rank", 16}}}}, known);
  CHECK(known.adapters == 4);
  CHECK(known.adapter_rank == 16);
  question.model = llama_3_8b(), question.job = launch.job, question.job.engine = serving_engine::sglang_jax;
  CHECK(says(refusal_of([&] { (void)plan_serving(question); }).message, "adapters is 4; valid: 0: no flag of"));
}

TEST_CASE("encoders are started by vLLM alone, and pairs of stacks by none") {
  serving_launch launch = chat_launch();
  launch.kind = architecture::encoder;
  launch.job.prompt = fixed_length(512);
  launch.job.output = {};
  launch.job.prefill_chunk = 16384;
  const std::vector<std::string> words = engine_command(launch);
  for (const char* word : {"--runner=pooling", "--max-model-len=512", "--max-num-batched-tokens=16384"}) {
    INFO(word);
    CHECK(has(words, word));
  }
  CHECK_FALSE(has(words, "--async-scheduling"));
  CHECK(longest_request_tokens(launch) == 512);
  CHECK_FALSE(has(engine_command(chat_launch()), "--runner=pooling"));
  launch.engine = serving_engine::sglang_jax;
  CHECK(says(refusal_of([&] { (void)engine_command(launch); }).message,
             "engine is sglang-jax; valid: vllm, for an encoder on a TPU"));
  launch.engine = serving_engine::vllm, launch.kind = architecture::encoder_decoder;
  CHECK(says(refusal_of([&] { (void)gke_serving_manifest(launch); }).message,
             "engine is vllm; valid: none that is started here, for an encoder_decoder on a TPU"));
  serving_request question;
  question.model.kind = architecture::encoder;
  question.model.moe.experts = 60;
  serving_launch known;
  use_model_of(nlohmann::json::object(), known);
  CHECK(known.kind == architecture::decoder);
  use_model_of({{"request", {{"model", question.model}}}}, known);
  CHECK(known.kind == architecture::encoder);
  CHECK(known.experts == 60);
  CHECK_FALSE(known.latent);
}

TEST_CASE("data-parallel attention is said to vLLM on TPU in its settings, and refused for SGLang-JAX") {
  serving_launch launch = chat_launch();
  launch.mesh.attention = 2;
  CHECK(has(engine_command(launch),
            R"(--additional_config={"sharding":{"sharding_strategy":{"enable_dp_attention":true,"attn_dp_size":4}}})"));
  CHECK(has(engine_command(launch), "--tensor-parallel-size=8"));
  CHECK(has(engine_command(launch), "--enable-expert-parallel"));
  CHECK(has(engine_command(launch), "--max-num-seqs=16"));  // of each of four groups
  CHECK(says(gke_serving_manifest(launch).dump(), R"({"name":"NEW_MODEL_DESIGN","value":"True"})"));
  launch.engine = serving_engine::sglang_jax;
  CHECK(says(refusal_of([&] { static_cast<void>(engine_command(launch)); }).message, "serving_layout.attention"));
}

TEST_CASE("SGLang-JAX gets the blocks of its recipes, and experts whole on devices") {
  serving_launch launch = chat_launch();
  launch.engine = serving_engine::sglang_jax;
  CHECK(has(engine_command(launch), "--page-size=128"));
  CHECK_FALSE(says(gke_serving_manifest(launch).dump(), "--ep-size"));
  launch.job.block_tokens = 64;
  CHECK(has(engine_command(launch), "--page-size=64"));
  launch.experts = 128;
  CHECK(has(engine_command(launch), "--ep-size=8"));
  launch.experts = 60;  // 15 of them on each of four devices
  CHECK(has(engine_command(launch), "--ep-size=4"));
  launch.mesh.tensor = 4;  // two replicas
  CHECK_FALSE(says(gke_serving_manifest(launch).dump(), "--ep-size"));
  launch.engine = serving_engine::vllm;
  launch.job.block_tokens = 1;
  CHECK_FALSE(says(gke_serving_manifest(launch).dump(), "--block-size"));
}

TEST_CASE("SGLang-JAX gets its own flags") {
  serving_launch launch = chat_launch();
  launch.engine = serving_engine::sglang_jax;
  launch.job.block_tokens = 128;
  const std::vector<std::string> words = engine_command(launch);
  for (const char* word : {"sgl_jax.launch_server", "--model-path=meta-llama/Llama-3.1-70B-Instruct", "--tp-size=8",
                           "--context-length=2300", "--max-running-requests=64", "--mem-fraction-static=0.9",
                           "--chunked-prefill-size=2048", "--enable-mixed-chunk", "--page-size=128"}) {
    INFO(word);
    CHECK(has(words, word));
  }
  launch.mesh.tensor = 4;  // two replicas: all devices and sequences of the slice are counted
  CHECK(has(engine_command(launch), "--tp-size=8"));
  CHECK(has(engine_command(launch), "--data-parallel-size=2"));
  CHECK(has(engine_command(launch), "--max-running-requests=128"));
  launch.job.prefill_chunk = 0;
  launch.job.weights = dtype::int8;
  CHECK(has(engine_command(launch), "--chunked-prefill-size=-1"));
  CHECK_FALSE(has(engine_command(launch), "--enable-mixed-chunk"));
  CHECK(has(engine_command(launch), "--quantization-config-path=int8_all_modules_w_only.yaml"));
}

TEST_CASE("the Deployment has a pod for each slice on nodes of the slice, and a Service before it") {
  serving_launch launch = chat_launch();
  launch.request.capacity = provisioning::spot;
  const nlohmann::ordered_json manifest = gke_serving_manifest(launch);
  REQUIRE(manifest["items"].size() == 2);
  const nlohmann::ordered_json& deployment = manifest["items"][0];
  CHECK(deployment["kind"] == "Deployment");
  CHECK(deployment["apiVersion"] == "apps/v1");
  CHECK(deployment["spec"]["replicas"] == 3);
  // A new version takes slices one by one: there is none for a pod more.
  CHECK(deployment["spec"]["strategy"].dump() ==
        R"({"type":"RollingUpdate","rollingUpdate":{"maxSurge":0,"maxUnavailable":1}})");
  const nlohmann::ordered_json& pod = deployment["spec"]["template"]["spec"];
  CHECK(deployment["spec"]["selector"]["matchLabels"] == deployment["spec"]["template"]["metadata"]["labels"]);
  CHECK(pod["nodeSelector"]["cloud.google.com/gke-tpu-accelerator"] == "tpu-v6e-slice");
  CHECK(pod["nodeSelector"]["cloud.google.com/gke-tpu-topology"] == "2x4");
  CHECK(pod["nodeSelector"]["cloud.google.com/gke-spot"] == "true");
  CHECK_FALSE(pod.contains("restartPolicy"));
  const nlohmann::ordered_json& container = pod["containers"][0];
  CHECK(container["resources"]["limits"]["google.com/tpu"] == 8);
  CHECK(container["command"].size() == engine_command(launch).size());
  CHECK(container["env"][0]["valueFrom"]["secretKeyRef"]["name"] == "hf-secret");
  CHECK(container["ports"][0]["containerPort"] == 8000);
  CHECK(manifest["items"][1]["kind"] == "Service");
  CHECK(manifest["items"][1]["spec"]["selector"] == deployment["spec"]["selector"]["matchLabels"]);
  CHECK(gke_serving_file(launch) == manifest.dump(2) + "\n");
  launch.request.cluster = "tpus", launch.request.zone = "us-east5-b";
  const std::string file = gke_serving_file(launch);
  CHECK(file.rfind("# gcloud container node-pools create chat-0 ", 0) == 0);
  CHECK(file.find("# for each of the 3 slices") != std::string::npos);
  launch.secret.clear();
  CHECK_FALSE(says(gke_serving_manifest(launch).dump(), "HF_TOKEN"));
}

TEST_CASE("a slice of several VMs is a group of pods, which starts again as a whole") {
  serving_launch launch = chat_launch();
  launch.request.where = slice_for("v6e-16");
  const nlohmann::ordered_json manifest = gke_serving_manifest(launch);
  const nlohmann::ordered_json& set = manifest["items"][0];
  CHECK(set["kind"] == "LeaderWorkerSet");
  CHECK(set["spec"]["replicas"] == 3);
  const nlohmann::ordered_json& group = set["spec"]["leaderWorkerTemplate"];
  CHECK(group["size"] == 4);
  CHECK(group["restartPolicy"] == "RecreateGroupOnPodRestart");
  const nlohmann::ordered_json& leader = group["leaderTemplate"]["spec"]["containers"][0];
  const nlohmann::ordered_json& worker = group["workerTemplate"]["spec"]["containers"][0];
  CHECK(leader["resources"]["limits"]["google.com/tpu"] == 4);
  CHECK(worker["resources"]["limits"]["google.com/tpu"] == 4);
  CHECK(says(leader["command"][2].get<std::string>(), "--tensor-parallel-size=16"));
  CHECK(says(leader["command"][2].get<std::string>(), "< '$$LWS_GROUP_SIZE')'; do sleep 5; done && exec python3"));
  // As the manifests of tpu-inference for several hosts have it (@b8692ff01): it was left out here.
  CHECK(says(leader["command"][2].get<std::string>(), "--async-scheduling"));
  CHECK(worker["command"][2] == "exec ray start --block --address=$$LWS_LEADER_ADDRESS:6379");
  CHECK(leader.contains("startupProbe"));
  CHECK_FALSE(worker.contains("readinessProbe"));
  CHECK_FALSE(group["leaderTemplate"]["spec"].contains("hostNetwork"));
  CHECK(manifest["items"][1]["spec"]["selector"] == group["leaderTemplate"]["metadata"]["labels"]);
  launch.engine = serving_engine::sglang_jax;
  launch.mesh.tensor = 8;  // two replicas over four VMs
  const nlohmann::ordered_json alike = gke_serving_manifest(launch)["items"][0]["spec"]["leaderWorkerTemplate"];
  const std::string line = alike["workerTemplate"]["spec"]["containers"][0]["command"][2];
  CHECK(alike["leaderTemplate"]["spec"]["containers"][0]["command"][2] == line);
  for (const char* words : {"--tp-size=16 --data-parallel-size=2", "--nnodes=$$LWS_GROUP_SIZE",
                            "--node-rank=$$LWS_WORKER_INDEX", "--dist-init-addr=$$LWS_LEADER_ADDRESS:20000"})
    CHECK(says(line, words));
}

// 15 s until no router sends (kserve/kserve pull request 5485), the longest request, and the 30 s of Kubernetes.
TEST_CASE("a pod that ends answers what it has, and the other VMs of its group stay for as long") {
  serving_launch launch = chat_launch();
  const auto spec_of = [](const nlohmann::ordered_json& manifest) {
    return manifest["items"][0]["spec"]["template"]["spec"];
  };
  CHECK_FALSE(spec_of(gke_serving_manifest(launch)).contains("terminationGracePeriodSeconds"));
  CHECK_FALSE(says(gke_serving_manifest(launch).dump(), "--shutdown-timeout"));
  launch.longest_request = seconds{40.2};
  const nlohmann::ordered_json pod = spec_of(gke_serving_manifest(launch));
  CHECK(pod["containers"][0]["lifecycle"].dump() == R"({"preStop":{"exec":{"command":["/bin/sleep","15"]}}})");
  CHECK(pod["terminationGracePeriodSeconds"] == 15 + 41 + 30);
  CHECK(has(engine_command(launch), "--shutdown-timeout=41"));
  launch.request.where = slice_for("v6e-16");
  const nlohmann::ordered_json group = gke_serving_manifest(launch)["items"][0]["spec"]["leaderWorkerTemplate"];
  const nlohmann::ordered_json &leader = group["leaderTemplate"]["spec"], &worker = group["workerTemplate"]["spec"];
  CHECK(leader["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1] == "15");
  CHECK(worker["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1] == "56");
  CHECK(worker["terminationGracePeriodSeconds"] == leader["terminationGracePeriodSeconds"]);
  launch.engine = serving_engine::sglang_jax, launch.request.where = slice_for("v6e-8");
  CHECK_FALSE(says(gke_serving_manifest(launch).dump(), "--shutdown-timeout"));  // it ends what it has by itself
  CHECK(spec_of(gke_serving_manifest(launch))["terminationGracePeriodSeconds"] == 86);
  // Of a plan: the longest request at the high end of the range, or the p99 of the simulation.
  serving_plan planned;
  planned.where = slice_for("v6e-8"), planned.share.output = fixed_length(101);
  planned.estimate.first_token_high = seconds{2}, planned.estimate.per_token.high = seconds{0.1};
  CHECK(close(launch_of(planned, serving_engine::vllm).longest_request.value(), 12));
  planned.simulated.end_to_end.value.p99 = seconds{30};
  CHECK(launch_of(planned, serving_engine::vllm).longest_request == seconds{30});
}

TEST_CASE("an autoscaler follows what it is given, and the plan where it is given nothing") {
  serving_launch launch = chat_launch();
  CHECK(gke_serving_manifest(launch)["items"].size() == 2);
  launch.scaler = {2, 12, 41.7};
  const nlohmann::ordered_json items = gke_serving_manifest(launch)["items"];
  REQUIRE(items.size() == 4);
  const nlohmann::ordered_json& spec = items[2]["spec"];
  CHECK(spec["scaleTargetRef"]["kind"] == "Deployment");
  CHECK(spec["minReplicas"] == 2);
  CHECK(spec["maxReplicas"] == 12);
  CHECK(spec["metrics"][0]["pods"]["metric"]["name"] == "prometheus.googleapis.com|vllm:num_requests_running|gauge");
  CHECK(spec["metrics"][0]["pods"]["target"]["averageValue"] == "41");
  CHECK(items[3]["spec"]["selector"] == items[0]["spec"]["selector"]);
  serving_plan planned;
  planned.estimate.running = 16.3;
  planned.estimate.replicas = 2;
  CHECK(scaler_of(planned, 2, 12).running == 32);
  planned.estimate.running = 0.4;
  CHECK(scaler_of(planned, 2, 12).running == 1);
  launch.request.where = slice_for("v6e-16");
  CHECK(gke_serving_manifest(launch)["items"][2]["spec"]["scaleTargetRef"]["kind"] == "LeaderWorkerSet");
}

TEST_CASE("a plan for serving is launched with its slices and the sequences that memory allows") {
  serving_request request;
  request.model = llama_3_8b();
  request.job = chat_launch().job;
  request.job.max_running = 0;
  request.job.request_rate = per_second{60};
  request.generations = {"v6e"};
  const serving_plan planned = plan_serving(request).plans.front();
  launch_request named = chat_launch().request;
  const serving_launch launch = launch_of(planned, serving_engine::vllm, named);
  CHECK(launch.request.slices == planned.slices);
  CHECK(launch.request.where.chip.name == "v6e");
  CHECK(launch.request.name == "chat");
  CHECK(launch.job.max_running == planned.estimate.largest_running);
  CHECK(launch.mesh.tensor == planned.mesh.tensor);
  CHECK(launch.weights == planned.estimate.memory.weights * static_cast<double>(planned.mesh.tensor));
  nlohmann::json document = {{"plans", nlohmann::json::array({{{"plan", planned}}})}};
  const serving_plan read = read_serving_plan(document);
  CHECK(read.slices == planned.slices);
  CHECK(read.share.prompt.longest == 2000);
  CHECK(says(refusal_of([&] { static_cast<void>(read_serving_plan(document, 2)); }).message, "rank is 2"));
  CHECK(says(refusal_of([&] { static_cast<void>(read_plan(document)); }).message, "a plan of training"));
  document["plans"][0]["plan"].erase("estimate");
  CHECK(says(refusal_of([&] { static_cast<void>(read_serving_plan(document)); }).message, "a plan for serving"));
}

TEST_CASE("what is refused, and why") {
  const auto refused = [](auto change, const char* words) {
    serving_launch launch = chat_launch();
    change(launch);
    const refusal got = refusal_of([&] { static_cast<void>(gke_serving_manifest(launch)); });
    INFO(got.message);
    CHECK(says(got.message, words));
  };
  using launched = serving_launch;
  refused([](launched& l) { l.request.where = slice_for("v6e-16"), l.mesh.tensor = 8; },
          "vLLM runs one replica over several VMs");
  refused([](launched& l) { l.scaler = {3, 2, 40}; }, "service_scaler.least is 3");
  refused([](launched& l) { l.scaler = {1, 2, 0.5}; }, "service_scaler.running");
  refused(
      [](launched& l) {
        l.scaler = {1, 2, 40};
      },
      "service_scaler.most is 2; valid: the slices of the plan or more: 3");
  refused(
      [](launched& l) {
        l.scaler = {1, 2, 40}, l.engine = serving_engine::sglang_jax;
      },
      "none for SGLang-JAX: no number that it says of itself is known");
  refused([](launched& l) { l.weights = bytes{-1}; }, "serving_launch.weights");
  refused([](launched& l) { l.request.where = slice_for("v5p-8"); }, "v5e, v6e or tpu7x");
  refused([](launched& l) { l.request.where = slice_for("v5e-4"), l.engine = serving_engine::sglang_jax; },
          "v6e or tpu7x, on which SGLang-JAX");
  refused([](launched& l) { l.request.image.clear(); }, "image");
  refused([](launched& l) { l.model.clear(); }, "model is missing");
  refused([](launched& l) { l.model = "a b; rm"; }, "model");
  refused([](launched& l) { l.secret = "No Secret"; }, "secret");
  refused([](launched& l) { l.secret = std::string(64, 'a'); }, "secret");
  refused([](launched& l) { l.mesh.weights = weight_sharding::gathered; }, "serving_layout.weights");
  refused([](launched& l) { l.mesh.cache = cache_sharding::batch; }, "serving_layout.cache");
  refused([](launched& l) { l.latent = true; }, "without which vLLM refuses latent attention");
  refused([](launched& l) { l.job.policy = cache_policy::reserved; }, "serving_job.policy");
  refused([](launched& l) { l.job.weights = dtype::int4; }, "serving_job.weights");
  refused([](launched& l) { l.job.cache = dtype::int8; }, "serving_job.cache");
  refused([](launched& l) { l.job.cache = dtype::fp8, l.engine = serving_engine::sglang_jax; }, "CUDA");
  refused([](launched& l) { l.job.max_running = 0; }, "serving_job.max_running");
  refused([](launched& l) { l.job.prefill_chunk = 0; }, "--max-num-batched-tokens");
  refused([](launched& l) { l.job.block_tokens = 24; }, "a multiple of 16");
  refused([](launched& l) { l.job.prefill_chunk = 2000, l.engine = serving_engine::sglang_jax; },
          "serving_job.prefill_chunk is 2000; valid: a multiple of the 128 tokens of a block of SGLang-JAX");
  refused(
      [](launched& l) {
        l.job.prefill_chunk = 4096, l.job.block_tokens = 48, l.job.engine = l.engine = serving_engine::sglang_jax;
      },
      "a multiple of the 48 tokens of a block");
  refused([](launched& l) { l.request.capacity = provisioning::flex_start, l.request.max_restarts = 0; },
          "provisioning");
  refused([](launched& l) { l.request.checkpoint = "gs://a/b"; }, "checkpoint");
  refused([](launched& l) { l.request.args = {"--x"}; }, "command");
  CHECK(serving_engine_for("SGLang") == serving_engine::sglang_jax);
  CHECK(name(serving_engine_for("vllm")) == "vllm");
  CHECK(says(refusal_of([] { static_cast<void>(serving_engine_for("JetStream")); }).message, "archived since 2026"));
  CHECK(says(refusal_of([] { static_cast<void>(serving_engine_for("tgi")); }).message, "vllm or sglang-jax"));
}

}  // namespace launch_serving_tests
