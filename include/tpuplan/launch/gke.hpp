#ifndef TPUPLAN_LAUNCH_GKE_HPP
#define TPUPLAN_LAUNCH_GKE_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>
#include <vector>

/// @file
/// GKE: the manifest that runs a launch request, and the commands that make its node pools. Names of labels and flags:
/// data/launch.json, "gke".

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether Kueue asks for the capacity before the pods are there: queued provisioning of flex-start.
inline bool is_queued(const launch_request& request) {
  return request.capacity == provisioning::flex_start && !request.queue.empty() &&
         offers_of(request.where.chip.name).gke.queued;
}

/// Refuses flex-start of chips and sizes for which GKE does not document it, and restarts on it: Google's recipe
/// submits with none, since the nodes go when the job has ended. Source: AI-Hypercomputer/tpu-recipes, flex-start with
/// Cluster Toolkit (2026).
inline void check_gke_flex_start(const launch_request& request) {
  if (request.capacity != provisioning::flex_start) return;
  const gke_offer offer = offers_of(request.where.chip.name).gke;
  const bool several = vms(request.where) > 1;
  const auto offered = [several](const launch_offer& o) {
    return several ? o.gke.flex_start_several_vms : o.gke.flex_start;
  };
  if (!(several ? offer.flex_start_several_vms : offer.flex_start)) {
    fail(errc::unsupported, "provisioning", name(request.capacity),
         std::string("on_demand, spot or a reservation: on GKE flex-start of ") + (several ? "several VMs" : "one VM") +
             " is documented for " + chips_with(offered));
  }
  if (request.max_restarts > 0)
    fail(errc::invalid_argument, "max_restarts", request.max_restarts, "0: flex-start on GKE ends with the first try");
}

/// Refuses what GKE is not documented to offer.
inline void check_gke(const launch_request& request) {
  const gke_offer offer = offers_of(request.where.chip.name).gke;
  if (offer.one_vm.empty()) {
    fail(errc::unsupported, "slice", name(request.where).view(), "a slice of " + chips_with([](const launch_offer& o) {
                                                                   return !o.gke.one_vm.empty();
                                                                 }) + ": GKE has no others");
  }
  if (request.image.empty()) refuse_name("image", request.image, "a container image");
  if (request.slices > 1 && !offer.multislice) {
    fail(errc::unsupported, "slices", request.slices,
         "1: multislice on GKE is for " + chips_with([](const launch_offer& o) { return o.gke.multislice; }));
  }
  if (vms(request.where) > 1 && !offer.pools_of_several_vms) {
    fail(errc::unsupported, "slice", name(request.where).view(),
         "a slice of one VM: how GKE makes a pool of several of " + std::string(request.where.chip.name.view()) +
             " is not documented");
  }
  if (request.slices > 1 && vms(request.where) == 1)
    fail(errc::unsupported, "slices", request.slices, "1: multislice on GKE needs slices of more than one VM");
  if (is_unnamed_vm(request.where) && chips(request.where) == 2) {
    fail(errc::unsupported, "slice", name(request.where).view(),
         "another size, or gce: no page states the topology by which GKE labels these nodes");
  }
  check_extras(request, "GKE", {"cluster", "args", "service_account", "queue", "secret"});
  check_service_account(request, true);
  check_gke_flex_start(request);
  if (request.max_run.value() > 0 && !is_queued(request) && vms(request.where) > 1)
    fail(errc::unsupported, "max_run", request.max_run.value(), "none: a JobSet has no limit over its restarts");
}

inline nlohmann::ordered_json gke_node_selector(const launch_request& request) {
  const gke_offer offer = offers_of(request.where.chip.name).gke;
  nlohmann::ordered_json selector = {
      {"cloud.google.com/gke-tpu-accelerator", vms(request.where) == 1 ? offer.one_vm : offer.several_vms},
      {"cloud.google.com/gke-tpu-topology", name(request.where.shape).view()}};
  if (request.capacity == provisioning::spot) selector["cloud.google.com/gke-spot"] = "true";
  if (request.capacity == provisioning::flex_start)
    selector[is_queued(request) ? "cloud.google.com/gke-queued" : "cloud.google.com/gke-flex-start"] = "true";
  if (!request.reservation.empty()) selector["cloud.google.com/reservation-name"] = request.reservation;
  return selector;
}

/// Text that Kubernetes takes as it is: it replaces $(NAME) in commands, and $$ stands for a dollar sign.
inline std::string gke_literal(const std::string& given) {
  std::string out;
  for (const char c : given) out += c == '$' ? std::string("$$") : std::string(1, c);
  return out;
}

/// The token for Hugging Face, from the key of a secret; nothing without one.
inline void add_token(nlohmann::ordered_json& container, const std::string& secret) {
  if (secret.empty()) return;
  const nlohmann::ordered_json key = {{"secretKeyRef", {{"name", secret}, {"key", "hf_api_token"}}}};
  container["env"].push_back({{"name", "HF_TOKEN"}, {"valueFrom", key}});
}

inline nlohmann::ordered_json gke_container(const launch_request& request) {
  using nlohmann::ordered_json;
  ordered_json container = {{"name", "tpu"}, {"image", request.image}};
  for (const std::string& word : request.command) container["command"].push_back(gke_literal(word));
  for (const std::string& word : request.args) container["args"].push_back(gke_literal(word));
  if (!request.checkpoint.empty())
    container["env"] = ordered_json::array({{{"name", "CHECKPOINT_DIR"}, {"value", request.checkpoint}}});
  add_token(container, request.secret);
  container["ports"] = ordered_json::array({{{"containerPort", 8471}}, {{"containerPort", 8080}}});
  const ordered_json whole_vm = {{"google.com/tpu", request.where.chips_per_vm}};
  container["resources"] = {{"requests", whole_vm}, {"limits", whole_vm}};
  return container;
}

inline nlohmann::ordered_json gke_pod(const launch_request& request) {
  using nlohmann::ordered_json;
  const auto tolerate = [](const char* key) {
    return ordered_json{{"key", key}, {"operator", "Exists"}, {"effect", "NoSchedule"}};
  };
  ordered_json tolerations = ordered_json::array({tolerate("google.com/tpu")});
  if (request.capacity == provisioning::spot) tolerations.push_back(tolerate("cloud.google.com/gke-spot"));
  if (is_queued(request)) tolerations.push_back(tolerate("cloud.google.com/gke-queued"));
  ordered_json pod = {{"restartPolicy", "Never"}};
  if (vms(request.where) > 1) {
    pod["hostNetwork"] = true;
    pod["dnsPolicy"] = "ClusterFirstWithHostNet";
  }
  if (!request.service_account.empty()) pod["serviceAccountName"] = request.service_account;
  pod["nodeSelector"] = gke_node_selector(request);
  pod["tolerations"] = tolerations;
  pod["containers"] = ordered_json::array({gke_container(request)});
  return {{"spec", pod}};
}

/// The name of the job, its queue of Kueue, and how long queued capacity is to last. Source: GoogleCloudPlatform/
/// cluster-toolkit @1047080 examples/gke-consumption-options/dws-flex-start-queued-provisioning (2026-06-25).
inline nlohmann::ordered_json gke_metadata(const launch_request& request) {
  nlohmann::ordered_json metadata = {{"name", request.name}};
  if (!request.queue.empty()) metadata["labels"] = {{"kueue.x-k8s.io/queue-name", request.queue}};
  if (vms(request.where) > 1)
    metadata["annotations"]["alpha.jobset.sigs.k8s.io/exclusive-topology"] = "cloud.google.com/gke-nodepool";
  if (is_queued(request)) {
    std::string time = seconds_text(request.max_run.value() > 0 ? request.max_run : seconds{7 * 86400.0});
    time.pop_back();  // the unit
    metadata["annotations"]["provreq.kueue.x-k8s.io/maxRunDurationSeconds"] = time;
  }
  return metadata;
}

}  // namespace detail

/// The manifest that runs the request: a Job where the slice is one VM, else a JobSet with a job for each slice and a
/// pod for each VM. `kubectl apply -f -` takes it as JSON. The cluster needs node pools (`gke_node_pools`) and, for a
/// JobSet, its controller. Refuses, by name of the field: chips that GKE does not have, no image, several slices of one
/// VM each or of a chip without multislice, flex-start of a chip without it or with restarts, and `max_run` of a
/// JobSet but with a queue on flex-start, whose capacity it then limits.
/// Worked: two slices of v6e-16 are replicas 2, parallelism 4 and google.com/tpu 4.
/// Source: GoogleCloudPlatform/ai-on-gke best-practices/hotswap.md (2025-03-27); GKE "Deploy TPU Multislices".
[[nodiscard]] inline nlohmann::ordered_json gke_manifest(const launch_request& request) {
  using nlohmann::ordered_json;
  validate(request);
  detail::check_gke(request);
  const std::int64_t pods = vms(request.where);
  ordered_json job = {{"parallelism", pods},
                      {"completions", pods},
                      {"backoffLimit", pods == 1 ? request.max_restarts : 0},
                      {"template", detail::gke_pod(request)}};
  if (pods == 1 && request.max_run.value() > 0 && !detail::is_queued(request))
    job["activeDeadlineSeconds"] = static_cast<std::int64_t>(math::ceil(request.max_run.value()));
  if (pods == 1)
    return {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", detail::gke_metadata(request)}, {"spec", job}};
  const ordered_json replicated = {{"name", "slice"}, {"replicas", request.slices}, {"template", {{"spec", job}}}};
  return {{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
          {"kind", "JobSet"},
          {"metadata", detail::gke_metadata(request)},
          {"spec",
           {{"failurePolicy", {{"maxRestarts", request.max_restarts}}},
            {"replicatedJobs", ordered_json::array({replicated})}}}};
}

namespace detail {

inline shell_words gke_node_pool(const launch_request& request, const std::string& pool, const std::string& policy) {
  const std::string count = std::to_string(vms(request.where));
  shell_words words = {"gcloud", "container", "node-pools", "create", pool, "--cluster=" + request.cluster};
  const auto add = [&words](const std::string& word) { words.push_back(word); };
  if (!request.project.empty()) add("--project=" + request.project);
  add("--location=" + std::string(region_of(request.zone)));
  add("--node-locations=" + request.zone);
  add("--machine-type=" + launched_machine(request));
  if (offers_of(request.where.chip.name).gke.hyperdisk) add("--disk-type=hyperdisk-balanced");
  if (!policy.empty())
    add("--placement-policy=" + policy);
  else if (vms(request.where) > 1)
    add("--tpu-topology=" + std::string(name(request.where.shape).view()));
  if (request.capacity == provisioning::flex_start) {
    for (const char* word : {"--flex-start", "--enable-autoscaling", "--num-nodes=0"}) add(word);
    add("--max-nodes=" + count);
    for (const char* word : {"--location-policy=ANY", "--reservation-affinity=none", "--no-enable-autorepair"})
      add(word);
    if (is_queued(request)) add("--enable-queued-provisioning");
    return words;
  }
  add("--num-nodes=" + count);
  if (request.capacity == provisioning::spot) add("--spot");
  if (!request.reservation.empty()) {
    add("--reservation-affinity=specific");
    add("--reservation=" + request.reservation);
  }
  return words;
}

}  // namespace detail

/// The commands that make the node pools of `gke_manifest` in a regional cluster, one for each slice, with the
/// workload policy that tpu7x needs before them. Refuses what `gke_manifest` refuses, no cluster and no zone. Worked:
/// v5p-128 takes --machine-type=ct5p-hightpu-4t --tpu-topology=4x4x4 --num-nodes=16. Source: AI-Hypercomputer/xpk
/// src/xpk/core/nodepool.py, capacity.py (2026-06-11).
[[nodiscard]] inline std::vector<shell_words> gke_node_pools(const launch_request& request) {
  validate(request);
  detail::check_gke(request);
  if (request.cluster.empty()) detail::refuse_name("cluster", request.cluster, "the name of a GKE cluster");
  if (request.zone.empty()) detail::refuse_name("zone", request.zone, "the zone of the nodes");
  const detail::gke_offer offer = detail::offers_of(request.where.chip.name).gke;
  const bool several = vms(request.where) > 1;
  std::vector<shell_words> commands;
  std::string policy;
  if (offer.workload_policy && several) {
    policy = request.name + "-policy";
    shell_words words = {"gcloud", "compute", "resource-policies", "create", "workload-policy", policy};
    if (!request.project.empty()) words.push_back("--project=" + request.project);
    words.push_back("--region=" + std::string(detail::region_of(request.zone)));
    words.push_back("--type=HIGH_THROUGHPUT");
    words.push_back("--accelerator-topology=" + std::string(name(request.where.shape).view()));
    commands.push_back(words);
  }
  for (std::int64_t i = 0; i < request.slices; ++i)
    commands.push_back(detail::gke_node_pool(request, request.name + "-" + std::to_string(i), policy));
  return commands;
}

/// The commands that delete these node pools, which are billed with a job or without. Worked: two slices have two.
[[nodiscard]] inline std::vector<shell_words> gke_pool_deletions(const launch_request& request) {
  std::vector<shell_words> commands;
  for (std::int64_t i = 0; i < request.slices; ++i) {
    shell_words words = {"gcloud", "container", "node-pools", "delete", request.name + "-" + std::to_string(i)};
    if (!request.project.empty()) words.push_back("--project=" + request.project);
    words.push_back("--cluster=" + request.cluster);
    words.push_back("--location=" + std::string(detail::region_of(request.zone)));
    words.push_back("--quiet");
    commands.push_back(std::move(words));
  }
  return commands;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
