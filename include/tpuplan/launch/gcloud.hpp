#ifndef TPUPLAN_LAUNCH_GCLOUD_HPP
#define TPUPLAN_LAUNCH_GCLOUD_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/launch/program.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>
#include <vector>

/// @file
/// The Cloud TPU API by gcloud: the commands that create TPU VMs for a launch request, run its program on them, and
/// start again after a preemption. Names of flags and versions: data/launch.json, "gcloud".

namespace tpuplan {
inline namespace abi_0 {

/// Which command of gcloud creates the VMs.
enum class tpu_creation : std::uint8_t {
  queued_resource,  ///< waits for capacity; the only one with several slices, flex-start and named reservations
  tpu_vm,           ///< creates the VMs at once or fails
};

/// The commands of one launch. `run` is empty where the request has no program and no image.
struct gcloud_launch {
  shell_words create;  ///< makes the TPUs
  shell_words state;   ///< prints ACTIVE (queued resource) or READY (TPU VM) once the VMs are there
  shell_words copy;    ///< brings the files of the program to every VM; empty: there are none
  shell_words run;     ///< starts the program on every VM
  shell_words remove;  ///< deletes the TPUs
};

namespace detail {

/// Refuses what the Cloud TPU API is not documented to offer.
inline void check_gcloud(const launch_request& request, tpu_creation how) {
  check_extras(request, "the Cloud TPU API",
               {"service_account", "workdir", "copy", "requirements", "framework", "max_wait"});
  check_delivery(request);
  check_service_account(request, false);
  const cloud_tpu_offer offer = offers_of(request.where.chip.name).gcloud;
  const std::string_view kind = name(request.capacity);
  if (offer.runtime_version.empty()) {
    fail(errc::unsupported, "slice", name(request.where).view(), "a slice of " + chips_with([](const launch_offer& o) {
                                                                   return !o.gcloud.runtime_version.empty();
                                                                 }) + ": the Cloud TPU API has no others");
  }
  if (offer.most_chips > 0 && chips(request.where) > offer.most_chips)
    fail(errc::unsupported, "slice", name(request.where).view(),
         "at most " + std::to_string(offer.most_chips) + " chips, the largest accelerator type of the chip");
  if (request.where.chips_per_vm != slice_of(request.where.chip, request.where.shape).chips_per_vm) {
    fail(errc::unsupported, "slice.chips_per_vm", request.where.chips_per_vm,
         "what the accelerator type has: the Cloud TPU API does not let VMs be chosen");
  }
  if (request.project.empty()) refuse_name("project", request.project, "a project ID");
  if (request.zone.empty()) refuse_name("zone", request.zone, "the zone of the TPU VMs");
  if (request.slices > 1 && !offer.multislice) {
    fail(errc::unsupported, "slices", request.slices,
         "1: multislice of Cloud TPU is for " + chips_with([](const launch_offer& o) { return o.gcloud.multislice; }));
  }
  if (request.capacity == provisioning::flex_start && !offer.flex_start) {
    fail(errc::unsupported, "provisioning", kind,
         "on_demand, spot or a reservation: flex-start is for " +
             chips_with([](const launch_offer& o) { return o.gcloud.flex_start; }));
  }
  if (request.capacity != provisioning::flex_start && request.max_run.value() > 0)
    fail(errc::unsupported, "max_run", request.max_run.value(),
         "none: only flex-start has a limit; gce has one with max_restarts 0");
  if (request.max_run.value() > 0 && request.run / request.max_run > static_cast<double>(request.max_restarts) + 1)
    fail(errc::out_of_range, "max_restarts", request.max_restarts,
         "at least one for each max_run of the run but the first");
  if (how == tpu_creation::queued_resource) return;
  if (request.max_wait.value() > 0)
    fail(errc::unsupported, "max_wait", seconds_text(request.max_wait), "none for a TPU VM, which is there or not");
  if (request.slices > 1)
    fail(errc::unsupported, "slices", request.slices, "1 for a TPU VM: several slices need a queued resource");
  if (request.capacity == provisioning::flex_start)
    fail(errc::unsupported, "provisioning", kind, "on_demand or spot for a TPU VM: flex-start needs a queued resource");
  if (!request.reservation.empty())
    fail(errc::unsupported, "reservation", request.reservation,
         "none for a TPU VM: a reservation needs a queued resource");
}

/// "--accelerator-type=v6e-256", or type and topology of shapes that no name stands for.
inline void add_accelerator(shell_words& words, const slice& where) {
  const std::string called(name(where).view());
  if (called.find('x', called.find('-')) == std::string::npos) {
    words.push_back("--accelerator-type=" + called);
    return;
  }
  words.push_back("--type=" + std::string(slice_prefix(where.chip)));
  words.push_back("--topology=" + std::string(name(where.shape).view()));
}

/// The flags that a queued resource takes for its capacity.
inline void add_queued_capacity(shell_words& words, const launch_request& request) {
  if (request.capacity == provisioning::spot) words.push_back("--spot");
  if (request.max_wait.value() > 0) words.push_back("--valid-until-duration=" + seconds_text(request.max_wait));
  if (request.capacity == provisioning::flex_start) {
    words.push_back("--provisioning-model=flex-start");
    words.push_back("--max-run-duration=" +
                    seconds_text(request.max_run.value() > 0 ? request.max_run : seconds{7 * 86400.0}));
  }
  if (request.reservation.empty()) return;
  words.push_back("--reservation=" + reservation_path(request, "locations"));
  if (request.capacity == provisioning::calendar) words.push_back("--provisioning-model=reservation-bound");
}

/// `ending` deletes the VMs; empty where no program is to come.
inline shell_words gcloud_create(const launch_request& request, tpu_creation how, const std::string& ending) {
  const bool queued = how == tpu_creation::queued_resource;
  shell_words words = {"gcloud"};
  if (request.capacity == provisioning::flex_start || !request.reservation.empty()) words.push_back("alpha");
  for (const char* word : {"compute", "tpus", queued ? "queued-resources" : "tpu-vm", "create"}) words.push_back(word);
  words.push_back(request.name);
  words.push_back("--project=" + request.project);
  words.push_back("--zone=" + request.zone);
  if (queued && request.slices > 1) {
    words.push_back("--node-count=" + std::to_string(request.slices));
    words.push_back("--node-prefix=" + request.name);
  } else if (queued) {
    words.push_back("--node-id=" + request.name);
  }
  add_accelerator(words, request.where);
  words.push_back((queued ? "--runtime-version=" : "--version=") +
                  std::string(offers_of(request.where.chip.name).gcloud.runtime_version));
  if (std::string metadata = metadata_flag(request, ending); !metadata.empty()) words.push_back(std::move(metadata));
  if (!request.service_account.empty()) words.push_back("--service-account=" + request.service_account);
  if (queued)
    add_queued_capacity(words, request);
  else if (request.capacity == provisioning::spot)
    words.push_back("--spot");
  return words;
}

}  // namespace detail

/// The commands that create the request's slices by the Cloud TPU API, tell whether they are there, run the program on
/// every VM, and delete them. Refuses, by name of the field: chips that the API does not have, no project, no zone, VMs
/// other than the accelerator type has, several slices or flex-start of chips without it, `max_run` without flex-start;
/// for a TPU VM also several slices, flex-start and reservations.
/// Worked: two spot slices of v6e-256 are --node-count=2 --accelerator-type=v6e-256 --runtime-version=v2-alpha-tpuv6e
/// --spot. Source: gcloud reference (2025), "TPU software versions" (2026), "Request Cloud TPUs using Flex-start" and
/// "Consume a reservation" (2025-09-04).
[[nodiscard]] inline gcloud_launch gcloud_commands(const launch_request& request,
                                                   tpu_creation how = tpu_creation::queued_resource) {
  validate(request);
  detail::check_gcloud(request, how);
  const bool queued = how == tpu_creation::queued_resource;
  const std::string project = "--project=" + request.project;
  const std::string zone = "--zone=" + request.zone;
  const shell_words tpus = {"gcloud", "compute", "tpus", queued ? "queued-resources" : "tpu-vm"};
  const auto command = [&](const char* verb, const shell_words& flags) {
    shell_words words = tpus;
    words.insert(words.end(), {verb, request.name, project, zone});
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
  };
  gcloud_launch result;
  result.state = command("describe", {queued ? "--format=value(state.state)" : "--format=value(state)"});
  result.remove = queued ? command("delete", {"--force", "--quiet"}) : command("delete", {"--quiet"});
  const std::string line = detail::worker_line(request);
  const std::string ending = "case $(hostname) in *-w-0) " + shell_line(result.remove) + " ;; esac";
  result.create = detail::gcloud_create(request, how, line.empty() ? "" : ending);
  if (line.empty()) return result;
  if (detail::has_files(request)) {
    result.copy = tpus;
    result.copy.push_back("scp");
    for (std::string& one : detail::copied_files(request)) result.copy.push_back(std::move(one));
    result.copy.insert(result.copy.end(), {request.name + ":", project, zone, "--recurse", "--worker=all"});
    if (queued) result.copy.insert(result.copy.end(), {"--node=all", "--batch-size=all"});
  }
  shell_words flags = {"--worker=all", "--ssh-flag=-oServerAliveInterval=30",
                       "--command=" + detail::watched(request, line, ending)};
  if (queued) flags.insert(flags.begin(), {"--node=all", "--batch-size=all"});  // of itself it runs on 64 VMs at a time
  result.run = command("ssh", flags);
  return result;
}

namespace detail {

/// The first lines of a script: its interpreter, and what it starts.
inline std::string script_head(const launch_request& request) {
  return "#!/usr/bin/env bash\n# " + request.name + ": " + std::to_string(request.slices) + " x " +
         std::string(name(request.where).view()) + ", " + std::string(name(request.capacity)) + "\n";
}

/// The function that says how the VMs are: what `describe` prints, asked again where it fails; NOT_FOUND where it says
/// that there are none, UNKNOWN where it does not answer.
inline std::string state_function(const launch_request& request, const shell_words& describe) {
  const std::string errors = "/tmp/" + request.name + ".error";
  return "state() {\n  for _ in 1 2 3 4 5 6 7 8 9 10; do\n    if answer=$(" + shell_line(describe) + " 2>" + errors +
         "); then\n      echo \"$answer\"\n      return\n    fi\n    if grep -q -e NOT_FOUND -e 'was not found' " +
         errors + "; then\n      echo NOT_FOUND\n      return\n    fi\n    sleep 30\n  done\n  echo UNKNOWN\n}\n";
}

/// The loop that creates the VMs, waits for them, runs the program and starts again after a preemption; create, state,
/// run and delete are functions above it. `ready` is the state of VMs that can be used, `gone` has the shell patterns
/// of states that never become ready, and `end` says how the VMs end where nobody deletes them.
inline std::string restart_loop(const launch_request& request, std::string_view ready, std::string_view gone,
                                std::string_view end) {
  std::string loop = R"sh(
trap 'delete; exit 1' HUP INT TERM
restarts=0
while true; do
  create || exit 1
@BEFORE@  now=$(state)
  while [ "$now" != READY ]; do
    case "$now" in
      GONE) break ;;
    esac
    sleep 60
@WAIT@    now=$(state)
  done
@LATE@  if [ "$now" = READY ]; then
    run
    status=$?
    if [ "$status" -eq 0 ]; then
      delete
      exit 0
    fi
    sleep 120  # until a preemption shows in the state
    now=$(state)
    if [ "$now" = READY ] || [ "$now" = UNKNOWN ]; then
      echo "NAME: the program failed, or the connection to it was lost; its TPUs are still there, and billed@HOURLY@" >&2
      echo "@END@; a file /tmp/NAME.keep on them keeps them; @LOG@" >&2
      exit "$status"
    fi
  fi
  delete
  [ "$restarts" -lt LIMIT ] || exit 1
  restarts=$((restarts + 1))
done
)sh";
  const auto put = [&loop](std::string_view mark, std::string_view value) {
    for (std::size_t at = loop.find(mark); at != std::string::npos; at = loop.find(mark, at + value.size()))
      loop.replace(at, mark.size(), value);
  };
  const auto minutes = static_cast<std::int64_t>(math::ceil(request.max_wait.value() / 60));
  put("@BEFORE@", minutes > 0 ? "  waited=0\n" : "");
  put("@WAIT@", minutes == 0 ? std::string()
                             : "    waited=$((waited + 1))\n    [ \"$waited\" -lt " + std::to_string(minutes) +
                                   " ] || { echo \"NAME: no capacity within " + std::to_string(minutes) +
                                   " minutes\" >&2; delete; exit 1; }\n");
  put("@LATE@", minutes == 0
                    ? std::string()
                    : "  if [ \"$now\" != READY ]; then\n    echo \"NAME: no capacity: the request ended\" >&2\n"
                      "    delete\n    exit 1\n  fi\n");
  put("READY", ready);
  put("GONE", gone);
  put("LIMIT", std::to_string(request.max_restarts));
  const std::string hourly = hourly_words(request);
  put("@HOURLY@", hourly.empty() ? std::string(" until they are deleted") : ", \\" + hourly);  // an escaped dollar sign
  put("@END@", end);
  put("@LOG@", log_words(request));
  put("NAME", request.name);
  return loop;
}

}  // namespace detail

/// A bash script of `gcloud_commands`: it creates the TPUs and, where there is a program, waits for them, runs it, and
/// deletes them when it ends. The checkpoint folder is in the metadata of the VMs, for startup scripts of your own, and
/// in CHECKPOINT_DIR of the program. After a preemption it deletes what is left and creates it again, as the
/// documentation of spot asks, at most `max_restarts` times. A program that fails while its TPUs are there is not run
/// again, and its exit status is that of the script. Files of the program are packed before there are chips, and copied
/// to every VM. Where the script is interrupted it deletes the TPUs; where the connection is lost the program goes on,
/// and the first VM deletes all half an hour after it has ended, or an hour after its start if no program came, for
/// which its service account needs the role TPU Admin. Source: "Request TPU Spot VMs"
/// (docs.cloud.google.com/tpu/docs/spot-compute, 2026), states of "Manage queued resources" and "Preemptible TPUs".
/// Throws as `gcloud_commands` does. Worked: without a program it is the head and the command that creates.
[[nodiscard]] inline std::string gcloud_script(const launch_request& request,
                                               tpu_creation how = tpu_creation::queued_resource) {
  const gcloud_launch commands = gcloud_commands(request, how);
  std::string out = detail::script_head(request);
  if (commands.run.empty()) return out + shell_lines(commands.create) + "\n";
  const auto function = [&out](const char* called, const shell_words& words) {
    out += std::string(called) + "() {\n  " + shell_lines(words) + "\n}\n";
  };
  out += "set -u\n";
  out += detail::packing(request);
  function("create", commands.create);
  out += detail::state_function(request, commands.state);
  if (commands.copy.empty()) {
    function("run", commands.run);
  } else {
    out += "run() {\n  for _ in 1 2 3 4 5 6 7 8 9 10; do\n    " + shell_line(commands.copy) +
           " && break\n    sleep 30\n  done\n  " + shell_lines(commands.run) + "\n}\n";
  }
  function("delete", commands.remove);
  return out + detail::restart_loop(request, how == tpu_creation::queued_resource ? "ACTIVE" : "READY",
                                    "FAILED | SUSPENDING | SUSPENDED | PREEMPTED | NOT_FOUND",
                                    "half an hour after the program they are deleted, if the service account of the "
                                    "VMs has the role TPU Admin");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
