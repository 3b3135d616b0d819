#ifndef TPUPLAN_LAUNCH_GCLUSTER_HPP
#define TPUPLAN_LAUNCH_GCLUSTER_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/launch/gke.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>

/// @file
/// Cluster Toolkit: the command that submits a launch request to a GKE cluster. Names of flags: data/launch.json,
/// "gcluster".

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether Cluster Toolkit takes the shape: a shape of 2-D chips, one of the small 3-D shapes, or multiples of 4 that
/// do not get smaller.
inline bool is_toolkit_shape(const topology& shape) {
  if (shape.axes == 2) return true;
  const std::string called(name(shape).view());
  for (const char* smaller : {"2x2x1", "2x2x2", "2x2x4", "2x4x4"}) {
    if (called == smaller) return true;
  }
  std::int64_t before = 4;
  for (const std::int64_t size : shape.dims) {
    if (size < before || size % 4 != 0) return false;
    before = size;
  }
  return true;
}

/// Refuses options that a submission to an existing GKE cluster cannot express.
inline void check_submission(const launch_request& request, std::string_view tool) {
  if (request.cluster.empty()) refuse_name("cluster", request.cluster, "the name of a GKE cluster");
  if (request.project.empty()) refuse_name("project", request.project, "the project of the cluster");
  if (request.zone.empty()) refuse_name("zone", request.zone, "the zone of the nodes");
  if (request.image.empty()) refuse_name("image", request.image, "a container image");
  check_program(request, tool);
  check_gke_flex_start(request);
  if (request.max_run.value() > 0)
    fail(errc::unsupported, "max_run", request.max_run.value(),
         "none: " + std::string(tool) + " ends no job after a time");
}

/// Refuses what Cluster Toolkit does not have.
inline void check_gcluster(const launch_request& request) {
  if (chip_of_service("gcluster", request.where.chip.name) == nullptr || !is_toolkit_shape(request.where.shape)) {
    fail(errc::unsupported, "slice", name(request.where).view(),
         "a slice of " + chips_of_service("gcluster") + " with a topology that Cluster Toolkit takes");
  }
  check_extras(request, "Cluster Toolkit", {"cluster", "service_account", "queue"});
  check_service_account(request, true);
  check_submission(request, "Cluster Toolkit");
}

}  // namespace detail

/// The `gcluster job submit` that runs the request on a cluster of Cluster Toolkit, whose node pools are there already:
/// spot, flex-start and a reservation pick theirs by the label of the nodes. The machine type and the topology are
/// given, not a short name, whose number counts chips of one chip and cores of another. Cluster Toolkit runs two
/// containers on a VM of tpu7x. Refuses, by name of the field: no cluster, project, zone, image or command, chips and
/// shapes that it does not have, `max_run`, and restarts on flex-start. Worked: v5p-128 is
/// --compute-type=ct5p-hightpu-4t --topology=4x4x4. Source: GoogleCloudPlatform/cluster-toolkit @1047080
/// cmd/job/submit.go, pkg/config/hardware.go (2026-06-25); "gcluster job submit",
/// docs.cloud.google.com/cluster-toolkit.
[[nodiscard]] inline shell_words gcluster_command(const launch_request& request) {
  validate(request);
  detail::check_gcluster(request);
  shell_words words = {"gcluster", "job", "submit"};
  const auto add = [&words](const char* flag, const std::string& value) { words.push_back(flag + value); };
  add("--name=", request.name);
  add("--cluster=", request.cluster);
  add("--project=", request.project);
  add("--location=", std::string(detail::region_of(request.zone)));
  add("--compute-type=", detail::launched_machine(request));
  add("--topology=", std::string(name(request.where.shape).view()));
  add("--num-slices=", std::to_string(request.slices));
  add("--restarts=", std::to_string(request.max_restarts));
  if (request.capacity == provisioning::spot) add("--node-constraint=", "cloud.google.com/gke-spot=true");
  if (request.capacity == provisioning::flex_start) add("--node-constraint=", "cloud.google.com/gke-flex-start=true");
  if (!request.reservation.empty())
    add("--node-constraint=", "cloud.google.com/reservation-name=" + request.reservation);
  if (!request.queue.empty()) add("--queue=", request.queue);
  if (!request.service_account.empty()) add("--service-account=", request.service_account);
  if (!request.checkpoint.empty()) add("--env=", "CHECKPOINT_DIR=" + request.checkpoint);
  add("--image=", request.image);
  add("--command=", detail::gke_literal(shell_line(request.command)));
  return words;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
