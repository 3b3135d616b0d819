#ifndef TPUPLAN_LAUNCH_VERTEX_HPP
#define TPUPLAN_LAUNCH_VERTEX_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json/number.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>

/// @file
/// Vertex AI: the CustomJob that runs a launch request. Field names and what goes with what: data/launch.json,
/// "vertex".

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Refuses a TensorBoard without an account that writes to it, in no known place, or in another region than the job.
inline void check_tensorboard(const launch_request& request) {
  const std::string region = tensorboard_region(request.tensorboard);
  if (region.empty() && request.project.empty())
    refuse_name("project", request.project, "the project of the TensorBoard");
  if (region.empty() && request.location.empty())
    refuse_name("location", request.location, "the region of the TensorBoard");
  if (!region.empty() && !request.location.empty() && region != request.location)
    refuse_name("location", request.location, region + ", the region of the TensorBoard");
  if (request.service_account.empty())
    refuse_name("service_account", request.service_account, "the account that writes to the TensorBoard");
}

/// Refuses what training on Vertex AI is not documented to offer.
inline void check_vertex(const launch_request& request) {
  const service_chip* const offered = chip_of_service("vertex", request.where.chip.name);
  const bool legacy = offered != nullptr && !offered->called.empty();
  check_extras(request, "Vertex AI",
               {"args", "service_account", "location", "tensorboard", "output", "packages", "module", "boot_disk"});
  check_service_account(request, false);
  if (!request.tensorboard.empty()) check_tensorboard(request);
  if (!request.zone.empty() && !request.location.empty() && region_of(request.zone) != request.location) {
    fail(errc::invalid_argument, "location", request.location,
         joined({region_of(request.zone), ", the region of the zone ", request.zone}));
  }
  if (offered == nullptr) {
    fail(errc::unsupported, "slice", name(request.where).view(),
         "a slice of " + chips_of_service("vertex") + ": no page on training with Vertex AI has this chip");
  }
  if (legacy && vms(request.where) > 1) {
    fail(errc::unsupported, "slice", name(request.where).view(),
         "a slice of one VM: larger slices of this chip are not documented for Vertex AI");
  }
  if (request.slices != 1) {
    fail(errc::unsupported, "slices", request.slices, "1: a CustomJob has one pool of TPUs, of one slice");
  }
  if (request.image.empty())
    refuse_name("image", request.image,
                request.packages.empty() ? "a container image" : "the prebuilt container that runs the packages");
  if (!request.packages.empty() && !request.command.empty())
    fail(errc::invalid_argument, "command", request.command.front(), "none with packages, whose module is run");
  if (request.capacity == provisioning::flex_start) {
    fail(errc::unsupported, "provisioning", name(request.capacity),
         "on_demand, spot on one VM, or a reservation: flex-start of Vertex AI training is for GPUs only");
  }
  if (request.capacity == provisioning::spot && vms(request.where) > 1) {
    fail(errc::unsupported, "provisioning", name(request.capacity),
         "on_demand or a reservation: Vertex AI has no spot for slices of more than one VM");
  }
  if (legacy && !request.reservation.empty())
    fail(errc::unsupported, "reservation", request.reservation, "none: not documented for this chip on Vertex AI");
  if (request.max_run.value() == 0 && request.run.value() > 7 * 86400.0) {
    fail(errc::missing_field, "max_run", "missing",
         "a time: Vertex AI ends a job after 7 days by default, and this one takes longer");
  }
}

inline nlohmann::ordered_json vertex_machine(const launch_request& request) {
  const service_chip* const offered = chip_of_service("vertex", request.where.chip.name);
  if (offered != nullptr && !offered->called.empty()) {  // a chip from before machine types
    return {{"machineType", "cloud-tpu"},
            {"acceleratorType", offered->called},
            {"acceleratorCount", tensorcores(request.where)}};
  }
  nlohmann::ordered_json machine = {{"machineType", launched_machine(request)},
                                    {"tpuTopology", name(request.where.shape).view()}};
  if (!request.reservation.empty()) {
    machine["reservationAffinity"] = {{"reservationAffinityType", "SPECIFIC_RESERVATION"},
                                      {"key", "compute.googleapis.com/reservation-name"},
                                      {"values", nlohmann::ordered_json::array({reservation_path(request, "zones")})}};
  }
  return machine;
}

}  // namespace detail

/// The body of `projects.locations.customJobs.create` (POST https://REGION-aiplatform.googleapis.com/v1/projects/
/// PROJECT/locations/REGION/customJobs) that runs the request; its `jobSpec` is what `gcloud ai custom-jobs create
/// --config` reads. Refuses, by name of the field: several slices, chips and sizes that Vertex AI does not have, spot
/// on more than one VM, flex-start, no image, runs of more than 7 days without `max_run`, and a TensorBoard without
/// project, location and service account. Vertex AI does not count restarts: any `max_restarts` above 0 allows them.
/// Worked: v5litepod-16 is machineType ct5lp-hightpu-4t, tpuTopology 4x4, replicaCount 1 (the topology makes the four
/// VMs). Source: googleapis/python-aiplatform, custom_job.py and machine_resources.py (2026-06-11).
[[nodiscard]] inline nlohmann::ordered_json vertex_custom_job(const launch_request& request) {
  validate(request);
  detail::check_vertex(request);
  const bool packaged = !request.packages.empty();
  nlohmann::ordered_json container = {{packaged ? "executorImageUri" : "imageUri", request.image}};
  if (packaged) container["packageUris"] = request.packages;
  if (packaged) container["pythonModule"] = request.module;
  if (!request.command.empty()) container["command"] = request.command;
  if (!request.args.empty()) container["args"] = request.args;
  if (!request.checkpoint.empty())
    container["env"] = nlohmann::ordered_json::array({{{"name", "CHECKPOINT_DIR"}, {"value", request.checkpoint}}});
  nlohmann::ordered_json scheduling = {
      {"strategy", request.capacity == provisioning::spot ? "SPOT" : "STANDARD"},
      {"restartJobOnWorkerRestart", request.max_restarts > 0},
  };
  if (request.max_restarts == 0) scheduling["disableRetries"] = true;
  if (request.max_run.value() > 0) scheduling["timeout"] = detail::seconds_text(request.max_run);
  nlohmann::ordered_json pool = {{"machineSpec", detail::vertex_machine(request)},
                                 {"replicaCount", 1},
                                 {packaged ? "pythonPackageSpec" : "containerSpec", container}};
  if (request.boot_disk.value() > 0) pool["diskSpec"] = {{"bootDiskSizeGb", detail::boot_disk_gb(request)}};
  nlohmann::ordered_json job = {{"workerPoolSpecs", nlohmann::ordered_json::array({pool})}, {"scheduling", scheduling}};
  const std::string& output = request.output.empty() ? request.checkpoint : request.output;
  if (!output.empty()) job["baseOutputDirectory"] = {{"outputUriPrefix", output}};
  if (!request.service_account.empty()) job["serviceAccount"] = request.service_account;
  if (!request.tensorboard.empty()) {
    const bool is_path = !detail::tensorboard_region(request.tensorboard).empty();
    const std::string folder = "projects/" + request.project + "/locations/" + request.location + "/tensorboards/";
    job["tensorboard"] = is_path ? request.tensorboard : folder + request.tensorboard;
  }
  return {{"displayName", request.name}, {"jobSpec", job}};
}

/// The command that creates the job in the request's location from a file that holds the `jobSpec`.
/// Worked: gcloud ai custom-jobs create --region=us-central1 --display-name=tpuplan --config=job.json.
/// Source: gcloud reference, ai custom-jobs create.
[[nodiscard]] inline shell_words vertex_command(const launch_request& request, const std::string& file) {
  validate(request);
  detail::check_vertex(request);
  if (request.location.empty()) detail::refuse_name("location", request.location, "the region of the job");
  shell_words words = {"gcloud",
                       "ai",
                       "custom-jobs",
                       "create",
                       "--region=" + request.location,
                       "--display-name=" + request.name,
                       "--config=" + file};
  if (!request.project.empty()) words.insert(words.begin() + 4, "--project=" + request.project);
  return words;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
