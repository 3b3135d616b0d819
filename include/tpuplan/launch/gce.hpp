#ifndef TPUPLAN_LAUNCH_GCE_HPP
#define TPUPLAN_LAUNCH_GCE_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/launch/gcloud.hpp>
#include <tpuplan/launch/program.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>
#include <vector>

/// @file
/// Compute Engine: one TPU VM, or the managed instance group that is a slice of several. Names of flags and images:
/// data/launch.json, "gce" and "gcloud".

namespace tpuplan {
inline namespace abi_0 {

/// The commands of one launch on Compute Engine.
struct gce_launch {
  std::vector<shell_words> create;  ///< make the VM, or workload policy, template and group
  shell_words state;                ///< prints `ready` once every VM is there
  std::string ready;                ///< RUNNING, or the number of VMs that run
  shell_words members;              ///< prints the names of the VMs, a line each
  shell_words copy;     ///< brings the files of the program to the VM of the job's name; empty: there are none
  std::string command;  ///< the line that each VM runs; empty where the request has no program
  std::vector<shell_words> remove;  ///< delete what `create` made
};

namespace detail {

[[nodiscard]] inline bool runs_a_program(const launch_request& request) {
  return !request.command.empty() || !request.image.empty();
}

/// Refuses what Compute Engine is not documented to offer.
inline void check_gce(const launch_request& request) {
  const auto offered = [](const launch_offer& o) { return !o.gce.image_family.empty(); };
  if (!offered(offers_of(request.where.chip.name))) {
    fail(errc::unsupported, "slice", name(request.where).view(),
         "a slice of " + chips_with(offered) + ": Compute Engine has no instances of others");
  }
  check_extras(request, "Compute Engine",
               {"service_account", "workdir", "copy", "requirements", "framework", "boot_disk", "max_wait"});
  check_delivery(request);
  check_service_account(request, false);
  if (request.project.empty()) refuse_name("project", request.project, "a project ID");
  if (request.zone.empty()) refuse_name("zone", request.zone, "the zone of the VMs");
  if (request.capacity == provisioning::flex_start &&
      offers_of(request.where.chip.name).gce.flex_fails == launched_machine(request)) {
    const maybe<slice> other = other_vm_layout(request.where);
    fail(errc::unsupported, "slice", machine_name(request.where).view(),
         (other ? std::string(machine_name(*other).view()) + ": " : std::string()) +
             "flex-start of this machine type failed three times of three (field note of 2026-06-12)");
  }
  if (request.max_wait.value() > 0 && (request.capacity != provisioning::flex_start || request.max_wait > 7200_s))
    fail(errc::unsupported, "max_wait", seconds_text(request.max_wait),
         "at most 7200s, of flex-start: Compute Engine gives others at once or not");
  if (request.max_wait.value() > 0 && vms(request.where) > 1 && !runs_a_program(request))
    fail(errc::unsupported, "max_wait", seconds_text(request.max_wait),
         "none without a program: the script of one counts the wait for a group of VMs");
  if (request.slices > 1) fail(errc::unsupported, "slices", request.slices, "1: a managed instance group is one slice");
  if (request.capacity != provisioning::flex_start && request.max_run.value() > 0 && runs_a_program(request) &&
      request.max_restarts > 0)
    fail(errc::invalid_argument, "max_restarts", request.max_restarts,
         "0 with max_run: a job that has used its time is not started again");
  if (request.max_run.value() > 0 && request.run / request.max_run > static_cast<double>(request.max_restarts) + 1)
    fail(errc::out_of_range, "max_restarts", request.max_restarts,
         "at least one for each max_run of the run but the first");
}

/// What a VM and a template of VMs have in common.
inline void add_instance(shell_words& words, const launch_request& request) {
  const compute_offer offer = offers_of(request.where.chip.name).gce;
  const auto add = [&words](std::string word) { words.push_back(std::move(word)); };
  // Compute Engine lists the VMs of v5p with one chip and two under this name alone.
  add("--machine-type=" + launched_machine(request) + (is_unnamed_vm(request.where) ? "-tpu" : ""));
  add("--image-project=ubuntu-os-accelerator-images");
  add("--image-family=" + std::string(offer.image_family));
  if (offer.hyperdisk) add("--boot-disk-type=hyperdisk-balanced");
  // Of itself it has 10 GB, which the layers of an image of TPU programs overflow (field note of 2026).
  add("--boot-disk-size=" + std::to_string(boot_disk_gb(request) > 0 ? boot_disk_gb(request) : 100) + "GB");
  add("--maintenance-policy=TERMINATE");
  add("--scopes=cloud-platform");
  if (!request.service_account.empty()) add("--service-account=" + request.service_account);
  if (std::string metadata = metadata_flag(request, runs_a_program(request) ? "poweroff" : ""); !metadata.empty())
    add(std::move(metadata));
  const bool flex = request.capacity == provisioning::flex_start;
  const seconds limit = flex && request.max_run.value() == 0 ? seconds{7 * 86400.0} : request.max_run;
  add(std::string("--provisioning-model=") + (flex                                         ? "FLEX_START"
                                              : request.capacity == provisioning::spot     ? "SPOT"
                                              : request.capacity == provisioning::calendar ? "RESERVATION_BOUND"
                                                                                           : "STANDARD"));
  if (limit.value() > 0) add("--max-run-duration=" + seconds_text(limit));
  if (limit.value() > 0 || request.capacity != provisioning::on_demand) add("--instance-termination-action=DELETE");
  if (request.reservation.empty()) return;
  add("--reservation-affinity=specific");
  add("--reservation=" + request.reservation);
}

inline gce_launch gce_instance(const launch_request& request) {
  const std::string project = "--project=" + request.project;
  const std::string zone = "--zone=" + request.zone;
  const auto instances = [&](const char* verb) {
    return shell_words{"gcloud", "compute", "instances", verb, request.name, project, zone};
  };
  gce_launch result;
  result.create = {instances("create")};
  add_instance(result.create.back(), request);
  if (request.capacity == provisioning::flex_start)
    result.create.back().push_back(  // the longest that a request may wait
        "--request-valid-for-duration=" + seconds_text(request.max_wait.value() > 0 ? request.max_wait : 7200_s));
  result.state = result.members = instances("describe");
  result.state.push_back("--format=value(status)");
  result.members.push_back("--format=value(name)");
  result.ready = "RUNNING";
  result.remove = {instances("delete")};
  result.remove.back().push_back("--quiet");
  return result;
}

/// A group in bulk mode: all of its VMs or none. It is made empty and then resized, as flex-start asks.
inline gce_launch gce_group(const launch_request& request) {
  const std::string project = "--project=" + request.project;
  const std::string zone = "--zone=" + request.zone;
  const std::string region(region_of(request.zone));
  const std::string owner = "projects/" + request.project + "/regions/" + region;
  const std::string policy = request.name + "-policy";
  const auto group = [&](const char* verb, const shell_words& flags) {
    shell_words words = {"gcloud", "compute", "instance-groups", "managed", verb, request.name, project, zone};
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
  };
  const std::string hosts = std::to_string(vms(request.where));
  gce_launch result;
  result.create = {
      {"gcloud", "compute", "resource-policies", "create", "workload-policy", policy, project, "--region=" + region,
       "--type=HIGH_THROUGHPUT", "--accelerator-topology=" + std::string(name(request.where.shape).view())},
      {"gcloud", "compute", "instance-templates", "create", request.name, project,
       "--instance-template-region=" + region}};
  add_instance(result.create.back(), request);
  result.create.push_back(
      group("create", {"--size=0", "--target-size-policy-mode=bulk", "--default-action-on-vm-failure=do-nothing",
                       "--template=" + owner + "/instanceTemplates/" + request.name,
                       "--workload-policy=" + owner + "/resourcePolicies/" + policy}));
  result.create.push_back(group("resize", {"--size=" + hosts}));
  result.state = group("describe", {"--format=value(status.currentInstanceStatuses.running)"});
  result.ready = hosts;
  result.members = group("list-instances", {"--format=value(name)"});
  result.remove = {
      group("delete", {"--quiet"}),
      {"gcloud", "compute", "instance-templates", "delete", request.name, project, "--region=" + region, "--quiet"},
      {"gcloud", "compute", "resource-policies", "delete", policy, project, "--region=" + region, "--quiet"}};
  return result;
}

}  // namespace detail

/// The commands that make the request's slice on Compute Engine, tell whether it is there, name its VMs and delete it:
/// an instance where the slice is one VM, else a workload policy with the topology, an instance template and a managed
/// instance group. The images have no Docker: with a container image the command installs it. Refuses, by name of the
/// field: chips without instances (v5e and older), no project or zone, several slices, and `max_run` with restarts but
/// on flex-start. Worked: v6e-8 on ct6e-standard-4t is a group of 2 with --accelerator-topology=2x4; v6e-8 of its own
/// is one ct6e-standard-8t. Source: "Create a MIG with multi-host TPU slice" (docs.cloud.google.com/compute/docs/tpus,
/// 2026), field notes of 2026-07-20 and 2026-08-10.
[[nodiscard]] inline gce_launch gce_commands(const launch_request& request) {
  validate(request);
  detail::check_gce(request);
  gce_launch result = vms(request.where) == 1 ? detail::gce_instance(request) : detail::gce_group(request);
  result.command = detail::worker_line(request);
  if (detail::has_files(request)) {
    result.copy = {"gcloud", "compute", "scp"};
    for (std::string& one : detail::copied_files(request)) result.copy.push_back(std::move(one));
    result.copy.insert(result.copy.end(),
                       {request.name + ":", "--project=" + request.project, "--zone=" + request.zone, "--recurse"});
  }
  if (!result.command.empty() && !request.image.empty()) {
    result.command =
        "command -v docker >/dev/null || { sudo apt-get update && sudo apt-get install --yes docker.io; } && " +
        result.command;
  }
  if (!result.command.empty()) result.command = detail::watched(request, result.command, "sudo poweroff");
  return result;
}

/// A bash script of `gce_commands`, as `gcloud_script` is one of `gcloud_commands`: it creates the VMs and, where there
/// is a program, waits for them, runs it on every VM by ssh, deletes them when it ends, and after a preemption creates
/// them again, at most `max_restarts` times. Where it is interrupted it deletes them; where the connection is lost,
/// each VM stops half an hour after its program has ended, or an hour after its start if no program came: a stopped VM
/// is not billed, its disk is. Source: "VM
/// instance pricing", instance uptime (cloud.google.com/compute/vm-instance-pricing). Throws as `gce_commands` does.
/// Worked: without a program, one v6e-8 on flex-start is `set -e` and one `gcloud compute instances create`.
[[nodiscard]] inline std::string gce_script(const launch_request& request) {
  const gce_launch commands = gce_commands(request);
  std::string out = detail::script_head(request);
  const auto lines = [](const std::vector<shell_words>& all, const char* between) {
    std::string text;
    for (const shell_words& words : all) text += (text.empty() ? "" : between) + shell_lines(words);
    return text;
  };
  if (commands.command.empty()) return out + "set -e\n" + lines(commands.create, "\n") + "\n";
  out += "set -u\n" + detail::packing(request) + "create() {\n  " + shell_lines(commands.create.front());
  if (commands.create.size() > 1) {  // what is there of a group that cannot be made is deleted
    const std::vector<shell_words> others(commands.create.begin() + 1, commands.create.end());
    out += " || return 1\n  if ! {\n    " + lines(others, " &&\n    ") + "\n  }; then\n    delete\n    return 1\n  fi";
  }
  out += "\n}\n" + detail::state_function(request, commands.state);
  out += "members() {\n  " + shell_lines(commands.members) + "\n}\n";
  out += "delete() {\n  " + lines(commands.remove, "\n  ") + "\n}\n";
  out += "on_vm() {\n  gcloud compute ssh \"$1\" " +
         shell_line({"--project=" + request.project, "--zone=" + request.zone, "--ssh-flag=-oServerAliveInterval=30"}) +
         " --command=\"$2\"\n}\n";
  std::string copy;
  for (const std::string& word : commands.copy)
    copy += (word == request.name + ":" ? "\"$1:\"" : shell_quoted(word)) +
            (&word == &commands.copy.back() ? " || return\n  " : " ");
  out += "run_on() {\n  for _ in 1 2 3 4 5 6 7 8 9 10; do\n    on_vm \"$1\" true && break\n    sleep 30\n  done\n  " +
         copy + "on_vm \"$1\" " + shell_quoted(commands.command) + "\n}\n";
  out += R"sh(run() {
  vms=$(members) && [ -n "$vms" ] || return 1
  started=""
  for vm in $vms; do
    run_on "$vm" &
    started="$started $!"
  done
  result=0
  for each in $started; do wait "$each" || result=$?; done
  return "$result"
}
)sh";
  const bool one = vms(request.where) == 1;
  launch_request waiting = request;
  if (!one && request.capacity == provisioning::flex_start && request.max_wait.value() == 0)
    waiting.max_wait = 7200_s;  // as long as the request of one VM may wait
  return out +
         detail::restart_loop(waiting, commands.ready,
                              one ? "STOPPING | STOPPED | SUSPENDED | TERMINATED | NOT_FOUND" : "NOT_FOUND",
                              "half an hour after the program they stop, which ends what they cost but for disks");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
