#ifndef TPUPLAN_LAUNCH_RAY_HPP
#define TPUPLAN_LAUNCH_RAY_HPP

#include <cctype>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>

/// @file
/// Ray: the file of a cluster whose worker is a slice, and the commands that start it and run a program on it. Names of
/// fields: data/launch.json, "ray".

namespace tpuplan {
inline namespace abi_0 {

/// The commands of one launch by Ray, on the file of `ray_cluster`.
struct ray_launch {
  shell_words up;    ///< makes the cluster
  shell_words run;   ///< submits the program to it
  shell_words down;  ///< deletes it
};

namespace detail {

/// Whether a word of a command arrives as it is: `ray job submit` joins the words to a line of a shell, those with a
/// space or a tab in double quotes and the others as they are. Source: ray-project/ray dashboard/modules/job/cli.py,
/// list2cmdline of Python.
inline bool arrives_by_ray(std::string_view word) {
  if (word.empty() || shell_quoted(word) == word) return true;
  return word.find_first_of(" \t") != std::string_view::npos && word.find_first_of("$`\"\\") == std::string_view::npos;
}

/// Refuses what the cluster launcher of Ray does not have: it makes TPUs by the Cloud TPU API.
inline void check_ray(const launch_request& request) {
  const auto offered = [](const launch_offer& o) { return !o.gcloud.runtime_version.empty(); };
  const slice& where = request.where;
  if (!offered(offers_of(where.chip.name))) {
    fail(errc::unsupported, "slice", name(where).view(),
         "a slice of " + chips_with(offered) + ": Ray makes TPUs by the Cloud TPU API, which has no others");
  }
  if (where.chips_per_vm != slice_of(where.chip, where.shape).chips_per_vm) {
    fail(errc::unsupported, "slice.chips_per_vm", where.chips_per_vm,
         "what the accelerator type has: the Cloud TPU API does not let VMs be chosen");
  }
  check_extras(request, "Ray", {});
  check_program(request, "Ray");
  for (const std::string& word : request.command) {
    if (!arrives_by_ray(word))
      fail(errc::unsupported, "command", word,
           "words that ray job submit passes on: letters and digits, or with a space and without $, `, \" and \\; put "
           "others in a script");
  }
  if (request.project.empty()) refuse_name("project", request.project, "a project ID");
  if (request.zone.empty()) refuse_name("zone", request.zone, "the zone of the cluster");
  if (request.slices > 1)
    fail(errc::unsupported, "slices", request.slices, "1: Ray's cluster launcher does not join slices over DCN");
  if (request.capacity != provisioning::on_demand && request.capacity != provisioning::spot)
    fail(errc::unsupported, "provisioning", name(request.capacity),
         "on_demand or spot: Ray's cluster file has no other");
  if (!request.reservation.empty())
    fail(errc::unsupported, "reservation", request.reservation, "none: Ray's cluster file has no reservation of TPUs");
  if (request.max_run.value() > 0)
    fail(errc::unsupported, "max_run", request.max_run.value(), "none: Ray ends no cluster after a time");
}

/// The slice as the Cloud TPU API has it: an accelerator type, or type and topology of shapes that no name stands for.
inline void add_ray_accelerator(nlohmann::ordered_json& node, const slice& where) {
  const std::string called(name(where).view());
  if (called.find('x', called.find('-')) == std::string::npos) {
    node["acceleratorType"] = called;
    return;
  }
  std::string type(slice_prefix(where.chip));
  for (char& c : type) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  node["acceleratorConfig"] = {{"type", type == "V5LITEPOD" ? "V5LITE_POD" : type},
                               {"topology", name(where.shape).view()}};
}

}  // namespace detail

/// The cluster of Ray that runs the request: a head without TPUs and one worker, which is the slice; `yaml_text` writes
/// it as the file that `ray up` takes. Ray replaces a lost worker without counting; it starts no program again.
/// Refuses, by name of the field: chips that the Cloud TPU API does not have (tpu7x), no project, zone or command,
/// several slices, flex-start, reservations, and `max_run`. Worked: v6e-16 on spot is acceleratorType v6e-16,
/// runtimeVersion v2-alpha-tpuv6e and schedulingConfig.preemptible. Source: ray-project/ray python/ray/autoscaler/gcp/
/// example-tpu-pod.yaml, example-tpu-pod-topology.yaml, tpu.yaml, ray-schema.json.
[[nodiscard]] inline nlohmann::ordered_json ray_cluster(const launch_request& request) {
  using nlohmann::ordered_json;
  validate(request);
  detail::check_ray(request);
  ordered_json node;
  detail::add_ray_accelerator(node, request.where);
  node["runtimeVersion"] = detail::offers_of(request.where.chip.name).gcloud.runtime_version;
  if (request.capacity == provisioning::spot) node["schedulingConfig"] = {{"preemptible", true}};
  const ordered_json boot = {
      {"boot", true},
      {"autoDelete", true},
      {"type", "PERSISTENT"},
      {"initializeParams",
       {{"diskSizeGb", 50}, {"sourceImage", "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts"}}}};
  const ordered_json head = {
      {"min_workers", 0},
      {"max_workers", 0},
      {"resources", {{"CPU", 0}}},
      {"node_config", {{"machineType", "n1-standard-4"}, {"disks", ordered_json::array({boot})}}}};
  const ordered_json worker = {{"min_workers", 1},
                               {"max_workers", 1},
                               {"resources", {{"TPU", request.where.chips_per_vm}}},
                               {"node_config", node}};
  ordered_json cluster = {{"cluster_name", request.name},
                          {"max_workers", 1},
                          {"provider",
                           {{"type", "gcp"},
                            {"region", detail::region_of(request.zone)},
                            {"availability_zone", request.zone},
                            {"project_id", request.project}}},
                          {"available_node_types", {{"ray_head", head}, {"ray_tpu", worker}}},
                          {"head_node_type", "ray_head"}};
  if (!request.image.empty()) {
    cluster["docker"] = {
        {"image", request.image}, {"container_name", "ray"}, {"run_options", ordered_json::array({"--privileged"})}};
  } else {
    cluster["initialization_commands"] = {"sudo apt-get update", "sudo apt-get install -y python3-pip"};
    cluster["setup_commands"] = {"python3 -m pip install 'ray[default]'"};
  }
  cluster["head_setup_commands"] = {"python3 -m pip install google-api-python-client"};
  return cluster;
}

/// The commands that make the cluster of that file, submit the program as a job, and delete it. On a slice of
/// one VM it runs there; of several VMs it is a driver of Ray, which runs on the head and starts tasks on the VMs.
/// Workers find CHECKPOINT_DIR in the environment of the job. Worked: ray up --yes ray.yaml. Source: Ray, "Cluster
/// launcher commands" and "Ray Jobs CLI".
[[nodiscard]] inline ray_launch ray_commands(const launch_request& request, const std::string& file) {
  validate(request);
  detail::check_ray(request);
  shell_words job = {"ray", "job", "submit"};
  if (!request.checkpoint.empty()) {
    const nlohmann::ordered_json environment = {{"env_vars", {{"CHECKPOINT_DIR", request.checkpoint}}}};
    job.push_back("--runtime-env-json=" + environment.dump());
  }
  if (vms(request.where) == 1)  // else the program is a driver of Ray, on the head
    job.push_back("--entrypoint-resources={\"TPU\":" + std::to_string(request.where.chips_per_vm) + "}");
  job.push_back("--");
  job.insert(job.end(), request.command.begin(), request.command.end());
  return {{"ray", "up", "--yes", file}, {"ray", "exec", file, shell_line(job)}, {"ray", "down", "--yes", file}};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
