#ifndef TPUPLAN_LAUNCH_SKYPILOT_HPP
#define TPUPLAN_LAUNCH_SKYPILOT_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/rows.hpp>
#include <tpuplan/json/number.hpp>
#include <tpuplan/launch/program.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>

/// @file
/// SkyPilot: the task that runs a launch request, as a managed job. Names of fields: data/launch.json, "skypilot".

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether SkyPilot makes the VMs by Compute Engine, where the machine type is asked for, not an accelerator.
inline bool is_sky_machine(const launch_request& request) {
  const tool_offer offer = offers_of(request.where.chip.name).tools;
  return !offer.accelerators || request.capacity == provisioning::flex_start;
}

/// Refuses what SkyPilot has no accelerator for.
inline void check_sky_accelerator(const launch_request& request) {
  const slice& where = request.where;
  if (where.chips_per_vm != slice_of(where.chip, where.shape).chips_per_vm) {
    fail(errc::unsupported, "slice.chips_per_vm", where.chips_per_vm,
         "what the accelerator has: the Cloud TPU API does not let VMs be chosen");
  }
  const text<40> called = name(where);
  if (called.view().find('x', called.view().find('-')) != std::string_view::npos)
    fail(errc::unsupported, "slice", called.view(), "a slice with a number in its name: SkyPilot takes no topology");
}

/// Refuses what SkyPilot does not make of machine types.
inline void check_sky_machine(const launch_request& request) {
  const tool_offer offer = offers_of(request.where.chip.name).tools;
  const slice& where = request.where;
  const std::string_view kind = name(request.capacity);
  if (request.capacity != provisioning::flex_start) {
    if (request.capacity == provisioning::spot)
      fail(errc::unsupported, "provisioning", kind, "on_demand or flex_start: SkyPilot has no spot of machine types");
    if (vms(where) > 1)
      fail(errc::unsupported, "slice", name(where).view(), "a slice of one VM: on demand, SkyPilot does not join VMs");
    return;
  }
  if (offer.flex_zones.empty()) {
    fail(errc::unsupported, "provisioning", kind,
         "on_demand or spot: SkyPilot has flex-start of " +
             chips_with([](const launch_offer& o) { return !o.tools.flex_zones.empty(); }));
  }
  if (!request.zone.empty() && !is_listed(offer.flex_zones, request.zone))
    fail(errc::unsupported, "zone", request.zone,
         "a zone with flex-start in SkyPilot: " + std::string(offer.flex_zones));
  if (where.chips_per_vm != 4 || !is_listed(offer.flex_shapes, name(where.shape).view()))
    fail(errc::unsupported, "slice", machine_name(where).view(),
         "VMs of four chips in one of these shapes: " + std::string(offer.flex_shapes));
}

/// Refuses what SkyPilot does not have.
inline void check_skypilot(const launch_request& request) {
  const auto offered = [](const launch_offer& o) { return o.tools.accelerators || o.tools.machine_types; };
  const slice& where = request.where;
  if (!offered(offers_of(where.chip.name)))
    fail(errc::unsupported, "slice", name(where).view(), "a slice of " + chips_with(offered));
  check_extras(request, "SkyPilot", {"workdir", "copy", "requirements", "framework", "boot_disk"});
  if (!request.project.empty())
    fail(errc::unsupported, "project", request.project, "none: SkyPilot uses the project that it is configured with");
  check_program(request, "SkyPilot");
  if (request.slices > 1)
    fail(errc::unsupported, "slices", request.slices, "1: SkyPilot does not join slices over DCN");
  if (!request.reservation.empty())
    fail(errc::unsupported, "reservation", request.reservation,
         "none: a task of SkyPilot names no reservation of TPUs");
  if (request.max_run.value() > 0 && request.capacity != provisioning::flex_start)
    fail(errc::unsupported, "max_run", request.max_run.value(), "none: only flex-start has a limit");
  if (request.boot_disk.value() > 0 && !is_sky_machine(request))
    fail(errc::unsupported, "boot_disk", boot_disk_text(request),
         "none: VMs of the Cloud TPU API have a disk of a fixed size (skypilot-org/skypilot#4964); use gce");
  if (is_sky_machine(request))
    check_sky_machine(request);
  else
    check_sky_accelerator(request);
}

}  // namespace detail

/// The task of SkyPilot that runs the request; `yaml_text` writes it as the file that `sky jobs launch` takes. A
/// managed job is recovered after every preemption, without counting, and a program that fails is not run again; 0 for
/// `max_restarts` turns recovery off. Refuses, by name of the field: no command, several slices, reservations, shapes
/// without a name, spot of tpu7x, tpu7x on several VMs but by flex-start, flex-start of chips, shapes and in zones
/// without it, and `max_run` without it. Worked: v6e-256 is accelerators tpu-v6e-256; tpu7x-16 on flex-start is
/// instance_type tpu7x-standard-4t, num_nodes 2 and accelerator_topology 2x2x2. Source: skypilot-org/skypilot
/// docs/source/reference/tpu.rst @01e8777, yaml-spec.rst
/// @0048bbf, sky/clouds/gcp.py (2026), tests of managed instance groups (2026-07).
[[nodiscard]] inline nlohmann::ordered_json skypilot_task(const launch_request& request) {
  using nlohmann::ordered_json;
  validate(request);
  detail::check_skypilot(request);
  const bool machine = detail::is_sky_machine(request);
  const bool flex = request.capacity == provisioning::flex_start;
  ordered_json resources;
  resources["infra"] =
      request.zone.empty() ? "gcp" : "gcp/" + std::string(detail::region_of(request.zone)) + "/" + request.zone;
  if (machine) {
    resources["instance_type"] = detail::launched_machine(request);
  } else {
    resources["accelerators"] = "tpu-" + std::string(name(request.where).view());
    resources["accelerator_args"] = {
        {"runtime_version", detail::offers_of(request.where.chip.name).gcloud.runtime_version}};
  }
  if (request.capacity == provisioning::spot) resources["use_spot"] = true;
  if (!request.image.empty()) resources["image_id"] = "docker:" + request.image;
  if (request.max_restarts > 0)
    resources["job_recovery"] = {{"max_restarts_on_errors", 0}};
  else
    resources["job_recovery"] = "none";
  ordered_json task = {{"name", request.name}};
  if (flex) task["num_nodes"] = vms(request.where);
  if (request.boot_disk.value() > 0) resources["disk_size"] = detail::boot_disk_gb(request);
  task["resources"] = resources;
  if (!request.workdir.empty()) task["workdir"] = request.workdir;
  launch_request others = request;
  others.workdir.clear();
  for (const std::string& one :
       detail::copied_files(others))  // beside what is in the workdir, which SkyPilot puts there
    task["file_mounts"]["~/sky_workdir/" + std::string(detail::last_part(one))] = one;
  if (const shell_words packages = detail::pip_words(request); !packages.empty())
    task["setup"] = "cd ~/sky_workdir && python3 -m pip install " + shell_line(packages);
  if (!request.checkpoint.empty()) task["envs"] = {{"CHECKPOINT_DIR", request.checkpoint}};
  task["run"] = shell_line(request.command);
  if (flex) {
    const seconds limit = request.max_run.value() > 0 ? request.max_run : seconds{7 * 86400.0};
    task["config"] = {{"gcp",
                       {{"managed_instance_group",
                         {{"run_duration", static_cast<std::int64_t>(math::ceil(limit.value()))},
                          {"accelerator_topology", name(request.where.shape).view()}}}}}};
  }
  return task;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
