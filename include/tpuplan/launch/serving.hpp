#ifndef TPUPLAN_LAUNCH_SERVING_HPP
#define TPUPLAN_LAUNCH_SERVING_HPP

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/estimate/serving/engines.hpp>
#include <tpuplan/launch/drafts.hpp>
#include <tpuplan/launch/gke.hpp>
#include <tpuplan/launch/shell.hpp>
#include <tpuplan/launch/yaml.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <vector>

/// @file
/// Serving on GKE: a Deployment with a pod for each slice, or a LeaderWorkerSet with one for each VM, which run an
/// engine with its own flags, a Service, and an autoscaler.

namespace tpuplan {
inline namespace abi_0 {

/// The names of the engines that a launch can start, as a message lists them. Worked: "vllm or sglang-jax".
[[nodiscard]] constexpr text<240> startable_engines() { return names_where<serving_engine>(detail::can_start); }

/// The engine of that name that a launch can start. Others throw `errc::unsupported`: JetStream is archived since
/// 2026-02-01 in favour of tpu-inference, as its README says (AI-Hypercomputer/JetStream at acd4f5a, read 2026-11-22).
/// vLLM on TorchTPU throws too: vllm is the one of tpu-inference. Worked: serving_engine_for("tpu-inference") is
/// serving_engine::vllm.
[[nodiscard]] inline serving_engine serving_engine_for(std::string_view given) {
  std::string valid(startable_engines());
  const maybe<serving_engine> named = parse_serving_engine(given);
  if (!named) detail::fail(errc::unknown_name, "engine", given, valid);
  if (detail::can_start(*named)) return *named;
  const std::string_view ended = detail::row_of(*named).ended;
  if (!ended.empty()) valid.append(": ").append(ended);
  detail::fail(errc::unsupported, "engine", given, valid);
}

/// An autoscaler of Kubernetes that counts the sequences of a slice. Its values for a day: `day_autoscaler`.
struct service_scaler {
  std::int64_t least = 0;  ///< slices
  std::int64_t most = 0;   ///< slices; 0: there is none
  double running = 0;      ///< sequences that a slice runs on average
};

/// The model and engine to serve, and where. Capacity, names, image, service account and so on are in `request`.
struct serving_launch {
  launch_request request{};                      ///< its slices each run one pod
  serving_engine engine = serving_engine::vllm;  ///< which the image has
  std::string model;                             ///< Hugging Face's name: "meta-llama/Llama-3.1-70B-Instruct"
  serving_layout mesh{};                         ///< replicas on each slice
  bool latent = false;                           ///< the model has multi-head latent attention
  architecture kind = architecture::decoder;     ///< of the model
  std::int64_t experts = 0;                      ///< of a layer of the model
  serving_job job{};                             ///< lengths, formats, cache and engine
  std::string secret{"hf-secret"};               ///< a Kubernetes secret with the key hf_api_token; empty: none
  bytes weights{};                               ///< of one copy, which a start loads; 0: as many as the slice holds
  seconds longest_request{};                     ///< for which a pod that ends waits; 0: it does not
  service_scaler scaler{};                       ///< follows the traffic, where there is one
  std::string drafts;                            ///< what drafts, in the words of vLLM: "mtp" or "eagle3:NAME"
  std::int64_t max_positions = 0;                ///< longest sequence that the model is made for; 0: not stated
  std::int64_t adapters = 0;                     ///< low-rank adapters that it has room for at once
  std::int64_t adapter_rank = 0;                 ///< of each
};

/// Tokens of the longest request that the engine is started for: prompt and answer, of an encoder the prompt. Worked:
/// of prompts of up to 1024 tokens and outputs of up to 256, 1280.
[[nodiscard]] inline std::int64_t longest_request_tokens(const serving_launch& launch) {
  return launch.kind == architecture::encoder ? launch.job.prompt.longest : longest_context(launch.job);
}

namespace detail {

/// The start of Qwen3.5 397B in fp8 with vLLM on a tpu7x-8: "about an hour" without a cache of compiled programs, half
/// an hour with one, as vllm-project/tpu-inference scripts/benchmarking/qwen35/run_server.sh says (@4c0dc1c). The first
/// half is taken for compilation, the second for loading. Twice the sum is allowed: an assumption.
inline constexpr seconds start_compilation{1800};
inline constexpr bytes_per_second start_loading = 397_GB / 1800_s;
inline constexpr double start_margin = 2;
/// Between two looks at whether it has started.
inline constexpr std::int64_t start_period = 15;

/// Seconds from the end of a pod's readiness until no router sends to it, and of the exit itself: the preStop hook of
/// KServe (kserve/kserve pull request 5485), and what Kubernetes gives by itself.
inline constexpr std::int64_t routed_away = 15, exit_period = 30;
/// Seconds that requests in flight get.
inline std::int64_t drain_of(const serving_launch& launch) {
  return ceil_to_count(not_negative("serving_launch.longest_request", launch.longest_request.value()));
}

inline void check_scaler(const serving_launch& launch) {
  const service_scaler& scaler = launch.scaler;
  if (scaler.most == 0) return;
  const engine_row& row = row_of(launch.engine);
  if (is_empty(row.running_metric)) {
    std::string valid("none for ");
    valid.append(row.title).append(": no number that it says of itself is known");
    fail(errc::unsupported, "service_scaler.most", scaler.most, valid);
  }
  check_part("service_scaler.least", positive_count("service_scaler.least", scaler.least), scaler.most,
             "1 to the most slices");
  check_part("service_scaler.most", scaler.most, std::int64_t{100000}, "1 to 100000");
  in_range("service_scaler.running", positive("service_scaler.running", scaler.running), 1, 1e9, "1 to 1e9");
  if (scaler.most < launch.request.slices) {
    text<64> valid{"the slices of the plan or more: "};
    fail(errc::out_of_range, "service_scaler.most", scaler.most, valid.append(launch.request.slices).view());
  }
}

/// Refuses an engine that does not run models of that architecture on a TPU.
inline void check_runs(const serving_launch& launch) {
  if (is_listed(row_of(launch.engine).kinds, name(launch.kind))) return;
  text<128> valid;
  const auto runs = [&launch](serving_engine one) {
    return can_start(one) && is_listed(row_of(one).kinds, name(launch.kind));
  };
  valid.append(names_where<serving_engine>(runs).view());
  if (valid.empty()) valid.append("none that is started here");
  valid.append(", for an ").append(name(launch.kind)).append(" on a TPU");
  fail(errc::unsupported, "engine", row_of(launch.engine).name, valid.view());
}

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
  check_extras(launch.request, "GKE", {"cluster", "args", "service_account", "queue", "secret"});
  if (!launch.request.queue.empty()) refuse_name("queue", launch.request.queue, "none: a service does not wait");
  if (launch.request.capacity == provisioning::flex_start)
    fail(errc::unsupported, "provisioning", "flex_start", "on_demand, spot or a reservation for a service");
  if (launch.model.empty())
    refuse_name("model", launch.model, "a name of Hugging Face: meta-llama/Llama-3.1-70B-Instruct");
  check_model_name("model", launch.model);
  if (!launch.secret.empty() && !is_label(launch.secret, 1, 63))
    refuse_name("secret", launch.secret, "a name of Kubernetes");
  check_runs(launch);
  refuse(layout_limit(launch.engine, launch.mesh, launch.request.where, launch.latent));
  refuse(job_limit(launch.engine, launch.job));
  check_count("serving_launch.adapters", launch.adapters, 100000, "0 to 100000");
  check_count("serving_launch.adapter_rank", launch.adapter_rank, 4096, "0 to 4096");
  refuse(adapter_limit(launch.engine, launch.adapters, launch.adapter_rank));
  if (launch.job.shared_beside.value() > 0 && launch.adapters == 0)
    fail(errc::missing_field, "serving_launch.adapters", "missing", "how many there are beside the weights");
  check_drafts(launch.engine, launch.job.speculation, launch.drafts);
  positive_count("serving_job.max_running", launch.job.max_running);
  not_negative("serving_launch.weights", launch.weights.value());
  check_scaler(launch);
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
  const bool pools = launch.kind == architecture::encoder;
  if (of == "context") return count(longest_request_tokens(launch));
  if (of == "pooling") return where(pools, "pooling");
  if (of == "slice_devices") return count(devices(launch.request.where));
  if (of == "replica_devices") return count(floor_to_count(on.devices));
  if (of == "replicas") return count(copies);
  if (of == "running_of_slice") return count(checked_multiply(job.max_running, copies));
  if (of == "running_of_group") {  // each takes a token of a step or more, of which an engine with a flag knows
    const std::int64_t running = ceil_div(job.max_running, groups);
    const bool by_step = !is_empty(row_of(launch.engine).chunk_flag) && job.prefill_chunk > 0;
    return count(by_step ? std::min(running, job.prefill_chunk) : running);
  }
  if (of == "memory_fraction") return nlohmann::json(job.memory_fraction).dump();
  if (of == "block") {  // an engine that chooses one is left to it
    const engine_row& row = row_of(launch.engine);
    if (!leaves_block(launch.engine, job)) return count(job.block_tokens);
    return row.chooses_block || row.block_tokens == 1 ? std::nullopt : count(row.block_tokens);
  }
  if (of == "expert_devices")  // experts lie whole on them, as the estimate has them; replicas would share theirs
    return launch.experts > 0 && copies == 1 ? count(common_divisor(launch.experts, devices(launch.request.where)))
                                             : std::nullopt;
  if (of == "chunk") return count(job.prefill_chunk);
  if (of == "drain") return drain_of(launch) > 0 ? count(drain_of(launch)) : std::nullopt;
  if (of == "chunk_or_-1") return count(job.prefill_chunk > 0 ? job.prefill_chunk : -1);
  if (of == "fp8_cache") return where(job.cache == dtype::fp8, "fp8");
  if (of == "if_chunked") return where(job.prefill_chunk > 0, "");
  if (of == "if_int8") return where(job.weights == dtype::int8, "");
  if (of == "if_groups") return where(launch.mesh.attention > 0, "");
  if (of == "if_prefixes") return where(job.prefix_hit_rate > 0, "");
  if (of == "if_adapters") return where(launch.adapters > 0, "");
  if (of == "adapters") return launch.adapters > 0 ? count(launch.adapters) : std::nullopt;
  if (of == "adapter_rank")
    return launch.adapters > 0 ? count(*room_for_rank(launch.engine, launch.adapter_rank)) : std::nullopt;
  const bool on_host = launch.drafts == "ngram";  // which drafts between two steps
  if (of == "if_ahead") return where(!pools && !on_host, "");
  if (of == "tpu_inference_config") {
    const nlohmann::ordered_json config = additional_config(launch);
    return config.empty() ? std::nullopt : std::optional<std::string>(config.dump());
  }
  return draft_flag_value(of, launch.job.speculation, launch.drafts);
}

}  // namespace detail

/// The command that starts the engine with what the estimate took for granted: sharding, replicas, longest context,
/// sequences at once, chunks, formats, drafts and share of the memory. The longest context is that of the job, longer
/// requests are refused by the engine. Throws, naming the field, for what no flag of the engine says. Worked: Llama 3.1
/// 70B on a v6e-8 with a replica of 8 has --tensor-parallel-size=8 and --data-parallel-size=1; SGLang-JAX, which counts
/// all devices and sequences of the slice, has --tp-size=8 and --data-parallel-size=2 for two replicas of 4. Sources:
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

/// How long the engine may take to start before its pod is given up: twice the time to compile and to load the weights,
/// by a published start (`detail::start_loading`). Worked: with weights of 16.06 GB, 2 x (1800 + 72.8) = 3745.6 s.
[[nodiscard]] inline seconds start_limit(const serving_launch& launch) {
  const slice& where = launch.request.where;
  const bytes held = where.chip.hbm.capacity * static_cast<double>(chips(where));
  const bytes loaded = launch.weights.value() > 0 ? launch.weights : held;
  return (detail::start_compilation + loaded / detail::start_loading) * detail::start_margin;
}

namespace detail {

/// A variable "NAME=value" of a container.
inline void add_variable(nlohmann::ordered_json& container, std::string_view setting) {
  const std::size_t equal = setting.find('=');
  container["env"].push_back({{"name", setting.substr(0, equal)}, {"value", setting.substr(equal + 1)}});
}

/// The variables of a pod of the engine.
inline void add_environment(nlohmann::ordered_json& container, const serving_launch& launch) {
  const engine_row& row = row_of(launch.engine);
  add_token(container, launch.secret);
  if (launch.mesh.attention > 0 && !is_empty(row.group_environment)) add_variable(container, row.group_environment);
  if (launch.max_positions > 0 && longest_request_tokens(launch) > launch.max_positions && !is_empty(row.long_contexts))
    add_variable(container, row.long_contexts);
  std::string_view caches = row.compile_caches;
  for (std::string_view one = take_word(caches); !one.empty(); one = take_word(caches))
    add_variable(container, std::string(one) + "=/cache");
  if (!is_empty(row.start_limit))
    add_variable(container, row.start_limit + ("=" + std::to_string(ceil_to_count(start_limit(launch).value()))));
  if (vms(launch.request.where) == 1) return;
  std::string_view settings = row.host_environment;
  for (std::string_view one = take_word(settings); !one.empty(); one = take_word(settings))
    add_variable(container, one);
}

/// A pod that ends first leaves routers the time to see it, then ends what it has: vLLM as long as --shutdown-timeout
/// says, SGLang-JAX until nothing is left. The other VMs of a group stay for as long.
inline void add_drain(nlohmann::ordered_json& pod, const serving_launch& launch, bool answers) {
  const std::int64_t drain = drain_of(launch), before = answers ? routed_away : routed_away + drain;
  if (drain == 0) return;
  pod["containers"][0]["lifecycle"] = {{"preStop", {{"exec", {{"command", {"/bin/sleep", std::to_string(before)}}}}}}};
  pod["terminationGracePeriodSeconds"] = routed_away + drain + exit_period;
}

/// The pod of a VM with that command; one that answers requests is watched. The cache of compiled programs lasts as
/// long as the pod does: a folder that several share fails when they write it at the same time (GKE "Serve an LLM using
/// TPU Trillium on GKE with vLLM", 2026-04-10).
inline nlohmann::ordered_json serving_pod(const serving_launch& launch, const std::vector<std::string>& command,
                                          bool answers) {
  using nlohmann::ordered_json;
  launch_request request = launch.request;
  request.slices = 1;
  request.command = command;
  ordered_json pod = gke_pod(request)["spec"];
  for (const char* of_a_job : {"restartPolicy", "hostNetwork", "dnsPolicy"}) pod.erase(of_a_job);
  ordered_json& container = pod["containers"][0];
  container["name"] = answers ? "engine" : "worker";
  container.erase("ports");
  if (answers) {
    const std::int64_t looks =
        ceil_div(ceil_to_count(start_limit(launch).value()), start_period);  // all of which may fail
    container["ports"] = ordered_json::array({{{"containerPort", 8000}}});
    container["startupProbe"] = {
        {"tcpSocket", {{"port", 8000}}}, {"periodSeconds", start_period}, {"failureThreshold", looks}};
    container["readinessProbe"] = {{"tcpSocket", {{"port", 8000}}}, {"periodSeconds", 15}};
  }
  container["volumeMounts"] = ordered_json::array({{{"mountPath", "/dev/shm"}, {"name", "dshm"}}});
  pod["volumes"] = ordered_json::array({{{"name", "dshm"}, {"emptyDir", {{"medium", "Memory"}}}}});
  if (!is_empty(row_of(launch.engine).compile_caches)) {
    container["volumeMounts"].push_back({{"mountPath", "/cache"}, {"name", "compiled"}});
    pod["volumes"].push_back({{"name", "compiled"}, {"emptyDir", ordered_json::object()}});
  }
  add_environment(container, launch);
  add_drain(pod, launch, answers);
  return pod;
}

/// A Deployment: each slice is a VM and a pod. A new version takes them one by one: by itself a Deployment starts a
/// quarter more pods first, which would wait for slices that there are not (Kubernetes, Deployments, "Max Surge").
inline nlohmann::ordered_json serving_deployment(const serving_launch& launch) {
  const nlohmann::ordered_json labels = {{"app", launch.request.name}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", launch.request.name}}},
          {"spec",
           {{"replicas", launch.request.slices},
            {"selector", {{"matchLabels", labels}}},
            {"strategy", {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxSurge", 0}, {"maxUnavailable", 1}}}}},
            {"template",
             {{"metadata", {{"labels", labels}}}, {"spec", serving_pod(launch, engine_command(launch), true)}}}}}};
}

/// A LeaderWorkerSet: each slice is a group of pods, one a VM, on one node pool. The group starts again as a whole: the
/// program of a slice does not go on without one of its VMs.
inline nlohmann::ordered_json serving_group(const serving_launch& launch) {
  const engine_row& row = row_of(launch.engine);
  const auto in_shell = [](const std::string& line) { return std::vector<std::string>{"bash", "-c", line}; };
  std::string line = "exec " + shell_line(engine_command(launch));
  if (!is_empty(row.of_each_host)) line.append(" ").append(row.of_each_host);
  const std::string before = is_empty(row.before_leader) ? "" : std::string(row.before_leader) + " ";
  const std::string others = is_empty(row.other_hosts) ? line : row.other_hosts;
  const nlohmann::ordered_json labels = {{"app", launch.request.name}, {"role", "leader"}};
  return {{"apiVersion", "leaderworkerset.x-k8s.io/v1"},
          {"kind", "LeaderWorkerSet"},
          {"metadata",
           {{"name", launch.request.name},
            {"annotations", {{"leaderworkerset.sigs.k8s.io/exclusive-topology", "cloud.google.com/gke-nodepool"}}}}},
          {"spec",
           {{"replicas", launch.request.slices},
            {"leaderWorkerTemplate",
             {{"size", vms(launch.request.where)},
              {"restartPolicy", "RecreateGroupOnPodRestart"},
              {"leaderTemplate",
               {{"metadata", {{"labels", labels}}}, {"spec", serving_pod(launch, in_shell(before + line), true)}}},
              {"workerTemplate", {{"spec", serving_pod(launch, in_shell(others), false)}}}}}}}};
}

/// The autoscaler of what is served, and what brings it its metric.
inline void add_scaler(nlohmann::ordered_json& items, const serving_launch& launch) {
  using nlohmann::ordered_json;
  const std::string& name = launch.request.name;
  const ordered_json served = items[0];
  const ordered_json running = {
      {"type", "Pods"},
      {"pods",
       {{"metric", {{"name", row_of(launch.engine).running_metric}}},
        {"target",
         {{"type", "AverageValue"}, {"averageValue", std::to_string(floor_to_count(launch.scaler.running))}}}}}};
  items.push_back(
      {{"apiVersion", "autoscaling/v2"},
       {"kind", "HorizontalPodAutoscaler"},
       {"metadata", {{"name", name}}},
       {"spec",
        {{"scaleTargetRef", {{"apiVersion", served["apiVersion"]}, {"kind", served["kind"]}, {"name", name}}},
         {"minReplicas", launch.scaler.least},
         {"maxReplicas", launch.scaler.most},
         {"metrics", ordered_json::array({running})},
         {"behavior", {{"scaleDown", {{"stabilizationWindowSeconds", 300}}}}}}}});
  items.push_back(
      {{"apiVersion", "monitoring.googleapis.com/v1"},
       {"kind", "PodMonitoring"},
       {"metadata", {{"name", name}}},
       {"spec",
        {{"selector", {{"matchLabels", {{"app", name}}}}},
         {"endpoints", ordered_json::array({{{"path", "/metrics"}, {"port", 8000}, {"interval", "15s"}}})}}}});
}

}  // namespace detail

/// The Deployment, a pod for each slice, and the Service before it, as a list that `kubectl apply -f -` takes; of
/// slices of several VMs a LeaderWorkerSet, whose controller the cluster needs (0.6 or later). With a scaler also a
/// HorizontalPodAutoscaler and the PodMonitoring of its metric. Throws as `engine_command` does. Worked: 19 slices of
/// v6e-8 are replicas 19 with google.com/tpu 8 each; of v6e-16, 19 groups of size 4 with google.com/tpu 4 each.
/// Sources: data/launch.json, serving.
[[nodiscard]] inline nlohmann::ordered_json gke_serving_manifest(const serving_launch& launch) {
  using nlohmann::ordered_json;
  detail::check_serving(launch);
  const bool grouped = vms(launch.request.where) > 1;
  ordered_json labels = {{"app", launch.request.name}};
  if (grouped) labels["role"] = "leader";
  ordered_json items = ordered_json::array(
      {grouped ? detail::serving_group(launch) : detail::serving_deployment(launch),
       {{"apiVersion", "v1"},
        {"kind", "Service"},
        {"metadata", {{"name", launch.request.name}}},
        {"spec",
         {{"selector", labels},
          {"ports", ordered_json::array({{{"name", "http"}, {"port", 8000}, {"targetPort", 8000}}})}}}}});
  if (launch.scaler.most > 0) detail::add_scaler(items, launch);
  return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}};
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

}  // namespace abi_0
}  // namespace tpuplan

#endif
