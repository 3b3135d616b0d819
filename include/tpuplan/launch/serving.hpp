#ifndef TPUPLAN_LAUNCH_SERVING_HPP
#define TPUPLAN_LAUNCH_SERVING_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/estimate/serving/engines.hpp>
#include <tpuplan/launch/gke.hpp>
#include <tpuplan/launch/plan.hpp>
#include <tpuplan/launch/shell.hpp>
#include <tpuplan/launch/yaml.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <vector>

/// @file
/// Serving on GKE: a Deployment with a pod for each slice, which runs an engine with its own flags, and a Service.

namespace tpuplan {
inline namespace abi_0 {

/// The names of the engines that a launch can start, as a message lists them. Worked: "vllm or sglang-jax".
[[nodiscard]] constexpr text<240> startable_engines() { return names_where<serving_engine>(detail::can_start); }

/// The engine of that name that a launch can start. Others throw `errc::unsupported`: JetStream is archived since
/// 2026-02-01 in favour of tpu-inference, as its README says (AI-Hypercomputer/JetStream at acd4f5a, read 2026-11-22).
/// vLLM on TorchTPU (vllm-project/vllm-torchtpu at 9c8d9b0: tpu7x, v6e, v5e experimental) throws too: vllm is the one
/// of tpu-inference. Worked: serving_engine_for("tpu-inference") is serving_engine::vllm.
[[nodiscard]] inline serving_engine serving_engine_for(std::string_view given) {
  std::string valid(startable_engines());
  for (const char* torch : {"vllm-torchtpu", "torchtpu", "torch_tpu"}) {
    if (detail::same_name(given, torch)) {
      valid.append(": no run of vLLM on TorchTPU is in the calibration, and its flags are not known");
      detail::fail(errc::unsupported, "engine", given, valid);
    }
  }
  const maybe<serving_engine> named = parse_serving_engine(given);
  if (!named) detail::fail(errc::unknown_name, "engine", given, valid);
  if (detail::can_start(*named)) return *named;
  const std::string_view ended = detail::row_of(*named).ended;
  if (!ended.empty()) valid.append(": ").append(ended);
  detail::fail(errc::unsupported, "engine", given, valid);
}

/// The model and engine to serve, and where. Capacity, names, image, service account and so on are in `request`.
struct serving_launch {
  launch_request request{};                      ///< its slices each run one pod
  serving_engine engine = serving_engine::vllm;  ///< which the image has
  std::string model;                             ///< Hugging Face's name: "meta-llama/Llama-3.1-70B-Instruct"
  serving_layout mesh{};                         ///< replicas on each slice
  bool latent = false;                           ///< the model has multi-head latent attention
  serving_job job{};                             ///< lengths, formats, cache and engine
  std::string secret{"hf-secret"};               ///< a Kubernetes secret with the key hf_api_token; empty: none
};

namespace detail {

inline void check_serving(const serving_launch& launch) {
  if (!launch.request.checkpoint.empty())
    refuse_name("checkpoint", launch.request.checkpoint, "none: a service keeps no checkpoint");
  launch_request pod = launch.request;
  pod.slices = 1;  // each slice is a pod of its own
  pod.max_restarts = 0;
  validate(pod);
  check_part("slices", positive_count("slices", launch.request.slices), std::int64_t{100000}, "1 to 100000");
  check_gke(pod);
  if (!launch.request.command.empty() || !launch.request.args.empty())
    refuse_name("command", "given", "none: the engine is started with its flags");
  if (!launch.request.queue.empty() || launch.request.capacity == provisioning::flex_start)
    fail(errc::unsupported, "provisioning", "queued or flex_start", "on_demand, spot or a reservation for a service");
  if (launch.model.empty())
    refuse_name("model", launch.model, "a name of Hugging Face: meta-llama/Llama-3.1-70B-Instruct");
  for (const char c : launch.model) {
    if (!is_lower_or_digit(c) && !(c >= 'A' && c <= 'Z') && c != '-' && c != '_' && c != '.' && c != '/')
      refuse_name("model", launch.model, "letters, digits and - _ . /");
  }
  if (!launch.secret.empty() && !is_label(launch.secret, 1, 63))
    refuse_name("secret", launch.secret, "a name of Kubernetes");
  refuse(layout_limit(launch.engine, launch.mesh, launch.request.where, launch.latent));
  refuse(job_limit(launch.engine, launch.job));
  positive_count("serving_job.max_running", launch.job.max_running);
}

/// How weights, and activations where they are quantised too, become int8 or fp8 as they are loaded. Source: the
/// configs of vllm-project/tpu-inference tpu_inference/models/jax/utils/qwix/configs, and tpu-recipes as below.
inline nlohmann::ordered_json qwix_rules(const serving_job& job) {
  const char* format = job.weights == dtype::int8 ? "int8" : "float8_e4m3fn";
  nlohmann::ordered_json rule = {{"module_path", ".*"}, {"weight_qtype", format}};
  if (job.activations == job.weights) rule["act_qtype"] = format;
  return {{"quantization", {{"qwix", {{"rules", nlohmann::ordered_json::array({rule})}}}}}};
}

/// The settings of vLLM on TPU for which it has no flag: formats, and the groups of data-parallel attention. Of these
/// experts lie over all devices of --tensor-parallel-size, and attention is shared by those of one group. Source:
/// vllm-project/tpu-inference tpu_inference/layers/common/sharding.py (@011b7db, read 2026-11-22). The recipes for
/// DeepSeek and Qwen3.5 there pass --enable-expert-parallel (scripts/multihost/benchmarks, @b8692ff01).
inline nlohmann::ordered_json additional_config(const serving_launch& launch) {
  nlohmann::ordered_json config = nlohmann::ordered_json::object();
  if (launch.job.weights != dtype::bf16) config = qwix_rules(launch.job);
  if (launch.mesh.attention == 0) return config;
  const std::int64_t devices = floor_to_count(replica_of(launch.mesh, launch.request.where).devices);
  config["sharding"]["sharding_strategy"] = {{"enable_dp_attention", true},
                                             {"attn_dp_size", devices / launch.mesh.attention}};
  return config;
}

/// The value of what stands in braces in a row's command: "if_…" has an empty one. Nothing: the word is left out.
inline std::optional<std::string> flag_value(std::string_view of, const serving_launch& launch) {
  const serving_job& job = launch.job;
  const replica on = replica_of(launch.mesh, launch.request.where);
  const std::int64_t copies = floor_to_count(on.count);
  // A group is a replica or, of data-parallel attention, some of its devices.
  const std::int64_t groups = launch.mesh.attention > 0 ? floor_to_count(on.devices) / launch.mesh.attention : 1;
  const auto count = [](std::int64_t number) { return std::optional<std::string>(std::to_string(number)); };
  const auto where = [](bool holds, const char* value) {
    return holds ? std::optional<std::string>(value) : std::nullopt;
  };
  if (of == "model") return launch.model;
  if (of == "context") return count(longest_context(job));
  if (of == "slice_devices") return count(devices(launch.request.where));
  if (of == "replica_devices") return count(floor_to_count(on.devices));
  if (of == "replicas") return count(copies);
  if (of == "running_of_slice") return count(checked_multiply(job.max_running, copies));
  if (of == "running_of_group") return count(ceil_div(job.max_running, groups));
  if (of == "memory_fraction") return nlohmann::json(job.memory_fraction).dump();
  if (of == "block") return job.block_tokens > 1 ? count(job.block_tokens) : std::nullopt;
  if (of == "chunk") return count(job.prefill_chunk);
  if (of == "chunk_or_-1") return count(job.prefill_chunk > 0 ? job.prefill_chunk : -1);
  if (of == "fp8_cache") return where(job.cache == dtype::fp8, "fp8");
  if (of == "if_chunked") return where(job.prefill_chunk > 0, "");
  if (of == "if_int8") return where(job.weights == dtype::int8, "");
  if (of == "if_groups") return where(launch.mesh.attention > 0, "");
  if (of == "tpu_inference_config") {
    const nlohmann::ordered_json config = additional_config(launch);
    return config.empty() ? std::nullopt : std::optional<std::string>(config.dump());
  }
  fail(errc::unknown_name, "value of a flag", of, "one that flag_value of launch/serving.hpp has");
}

}  // namespace detail

/// The command that starts the engine with what the estimate took for granted: sharding, replicas, longest context,
/// sequences at once, chunks, formats and share of the memory. The longest context is that of the job, longer requests
/// are refused by the engine. Throws, naming the field, for what no flag of the engine says. Worked: Llama 3.1 70B on a
/// v6e-8 with a replica of 8 has --tensor-parallel-size=8 and --data-parallel-size=1; SGLang-JAX, which counts all
/// devices and sequences of the slice, has --tp-size=8 and --data-parallel-size=2 for two replicas of 4. Sources:
/// with the rows of model/engines.hpp.
[[nodiscard]] inline std::vector<std::string> engine_command(const serving_launch& launch) {
  detail::check_serving(launch);
  std::vector<std::string> words;
  std::string_view list = detail::row_of(launch.engine).command;
  for (std::string_view word = detail::take_word(list); !word.empty(); word = detail::take_word(list)) {
    const std::size_t open = word.find('{');
    if (open == std::string_view::npos) {
      words.emplace_back(word);
      continue;
    }
    const std::string_view of = word.substr(open + 1, word.find('}') - open - 1);
    if (const auto value = detail::flag_value(of, launch)) words.push_back(std::string(word.substr(0, open)) + *value);
  }
  return words;
}

/// The Deployment, a pod for each slice, and the Service before it, as a list that `kubectl apply -f -` takes. Throws
/// as `engine_command` does, and for slices of several VMs, which are no pods of a Deployment. Worked: 19 slices of
/// v6e-8 are replicas 19 with google.com/tpu 8 each. Source: as of `engine_command`, and GKE "Deploy TPU workloads in
/// GKE Standard".
[[nodiscard]] inline nlohmann::ordered_json gke_serving_manifest(const serving_launch& launch) {
  using nlohmann::ordered_json;
  const std::vector<std::string> words = engine_command(launch);
  const launch_request& request = launch.request;
  const ordered_json labels = {{"app", request.name}};
  launch_request pod_request = request;
  pod_request.slices = 1;
  pod_request.command = words;
  ordered_json pod = detail::gke_pod(pod_request)["spec"];
  pod.erase("restartPolicy");  // a Deployment has none but Always
  ordered_json& container = pod["containers"][0];
  container["name"] = "engine";
  container["ports"] = ordered_json::array({{{"containerPort", 8000}}});
  container["readinessProbe"] = {{"tcpSocket", {{"port", 8000}}}, {"periodSeconds", 15}};
  container["volumeMounts"] = ordered_json::array({{{"mountPath", "/dev/shm"}, {"name", "dshm"}}});
  if (!launch.secret.empty()) {
    const ordered_json key = {{"secretKeyRef", {{"name", launch.secret}, {"key", "hf_api_token"}}}};
    container["env"].push_back({{"name", "HF_TOKEN"}, {"valueFrom", key}});
  }
  const std::string_view set = detail::row_of(launch.engine).group_environment;
  if (launch.mesh.attention > 0 && !set.empty())
    container["env"].push_back({{"name", set.substr(0, set.find('='))}, {"value", set.substr(set.find('=') + 1)}});
  pod["volumes"] = ordered_json::array({{{"name", "dshm"}, {"emptyDir", {{"medium", "Memory"}}}}});
  const ordered_json deployment = {{"apiVersion", "apps/v1"},
                                   {"kind", "Deployment"},
                                   {"metadata", {{"name", request.name}}},
                                   {"spec",
                                    {{"replicas", request.slices},
                                     {"selector", {{"matchLabels", labels}}},
                                     {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod}}}}}};
  const ordered_json service = {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", {{"name", request.name}}},
      {"spec",
       {{"selector", labels},
        {"ports", ordered_json::array({{{"name", "http"}, {"port", 8000}, {"targetPort", 8000}}})}}}};
  return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", ordered_json::array({deployment, service})}};
}

/// The manifest as a file for `kubectl apply -f -`; where the request has a cluster, behind comments with the command
/// that makes a node pool of one slice. Throws as `gke_serving_manifest` and `gke_node_pools` do. Worked: it ends in a
/// line feed.
[[nodiscard]] inline std::string gke_serving_file(const serving_launch& launch) {
  const std::string manifest = gke_serving_manifest(launch).dump(2) + "\n";
  if (launch.request.cluster.empty()) return manifest;
  launch_request pool = launch.request;
  pool.slices = 1;
  pool.max_restarts = 0;
  std::string text;
  for (const shell_words& words : gke_node_pools(pool)) text += detail::commented(shell_line(words));
  if (launch.request.slices > 1)
    text +=
        detail::commented("for each of the " + std::to_string(launch.request.slices) + " slices, under another name");
  return text + manifest;
}

/// The plan for serving of that rank in a document of `tpuplan plan --serve --json`, the best first. Throws for other
/// documents. Worked: rank 1 of a document is its first plan.
[[nodiscard]] inline serving_plan read_serving_plan(const nlohmann::json& document, std::int64_t rank = 1,
                                                    const std::string& source = "plan") {
  const json_object row = detail::row_of_plan(document, rank, source);
  if (!row.object("plan").has("estimate"))
    detail::fail(errc::unsupported, row.path("plan"), "for training", "a plan for serving");
  return read_json<serving_plan>(row.at("plan"), {}, row.path("plan"));
}

/// Whether the model of a document of `tpuplan plan --serve --json` has multi-head latent attention; false where the
/// document has no question. Worked: it is true for DeepSeek-V3.
[[nodiscard]] inline bool is_latent_plan(const nlohmann::json& document) {
  const nlohmann::json::json_pointer place("/request/model");
  return document.contains(place) && has_latent_attention(read_json<transformer>(document[place], {}, "request.model"));
}

/// The request that launches a plan for serving: its slices, replicas and job. A limit of sequences that the job leaves
/// open is set to what memory allows. Worked: a plan of 3 slices is a request of 3 slices.
[[nodiscard]] inline serving_launch launch_of(const serving_plan& planned, serving_engine engine,
                                              launch_request request = {}) {
  serving_launch launch;
  request.where = planned.where;
  request.slices = planned.slices;
  request.capacity = is_commitment(planned.kind) ? provisioning::on_demand : planned.kind;
  launch.request = std::move(request);
  launch.engine = engine;
  launch.mesh = planned.mesh;
  launch.job = planned.share;
  if (launch.job.max_running == 0) launch.job.max_running = planned.estimate.largest_running;
  return launch;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
