#ifndef TPUPLAN_LAUNCH_TARGETS_HPP
#define TPUPLAN_LAUNCH_TARGETS_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/launch/gce.hpp>
#include <tpuplan/launch/gcloud.hpp>
#include <tpuplan/launch/gcluster.hpp>
#include <tpuplan/launch/gke.hpp>
#include <tpuplan/launch/ray.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>
#include <tpuplan/launch/skypilot.hpp>
#include <tpuplan/launch/vertex.hpp>
#include <tpuplan/launch/xpk.hpp>
#include <tpuplan/launch/yaml.hpp>

/// @file
/// The launch targets by name. The command line, the documentation and the tests all use this list.

namespace tpuplan {
inline namespace abi_0 {

/// What a target writes for a request: text for a file or a shell, and the same as JSON.
struct launch_output {
  std::string text;             ///< ends in a line feed
  nlohmann::ordered_json json;  ///< the document, or the commands by what they do
};

/// A service or a tool that starts jobs.
struct launch_target {
  std::string_view name;                          ///< "gke"
  std::string_view writes;                        ///< "manifest"
  launch_output (*write)(const launch_request&);  ///< refuses what the target does not have
  bool ends_with_flex_start;                      ///< a job on flex-start takes no restarts
};

namespace detail {

inline launch_output write_vertex(const launch_request& request) {
  const nlohmann::ordered_json job = vertex_custom_job(request);
  if (request.location.empty()) return {job.dump(2) + "\n", job};
  const std::string command = shell_lines(vertex_command(request, "/dev/stdin"));
  return {"#!/usr/bin/env bash\n" + command + " <<'JOB'\n" + job["jobSpec"].dump(2) + "\nJOB\n", job};
}

inline launch_output write_gke(const launch_request& request) {
  const nlohmann::ordered_json manifest = gke_manifest(request);
  std::string text;
  if (!request.cluster.empty()) {  // as comments: kubectl reads YAML, of which JSON is a part
    for (const shell_words& words : gke_node_pools(request)) text += commented(shell_line(words));
    if (request.capacity != provisioning::flex_start) {  // whose nodes go with the job
      text += commented("node pools are billed until they are deleted, with a job or without:");
      for (const shell_words& words : gke_pool_deletions(request)) text += commented(shell_line(words));
    }
  }
  return {text + manifest.dump(2) + "\n", manifest};
}

/// The commands by what they do, with what copies files where there is something to copy.
inline launch_output with_copy(launch_output output, const shell_words& copy) {
  if (!copy.empty()) output.json["copy"] = copy;
  return output;
}

inline launch_output write_gcloud(const launch_request& request) {
  const gcloud_launch commands = gcloud_commands(request);
  return with_copy({gcloud_script(request),
                    {{"create", commands.create},
                     {"state", commands.state},
                     {"run", commands.run},
                     {"delete", commands.remove},
                     {"max_restarts", request.max_restarts}}},
                   commands.copy);
}

inline launch_output write_gce(const launch_request& request) {
  const gce_launch commands = gce_commands(request);
  return with_copy({gce_script(request),
                    {{"create", commands.create},
                     {"state", commands.state},
                     {"ready", commands.ready},
                     {"members", commands.members},
                     {"command", commands.command},
                     {"delete", commands.remove},
                     {"max_restarts", request.max_restarts}}},
                   commands.copy);
}

inline launch_output write_gcluster(const launch_request& request) {
  const shell_words words = gcluster_command(request);
  // The newest version that is known not to have the flag: data/launch.json, gcluster.newer_than.
  const std::string needs = request.checkpoint.empty() ? "" : commented("--env needs a gcluster newer than v1.95.0");
  return {needs + shell_lines(words) + "\n", {{"submit", words}}};
}

inline launch_output write_xpk(const launch_request& request) {
  const xpk_launch commands = xpk_commands(request);
  return {commented("XPK is deprecated, new generations come to Cluster Toolkit alone: --target gcluster") +
              commented(shell_line(commands.cluster)) + shell_lines(commands.workload) + "\n",
          {{"cluster", commands.cluster}, {"workload", commands.workload}}};
}

inline launch_output write_skypilot(const launch_request& request) {
  const nlohmann::ordered_json task = skypilot_task(request);
  return {commented("sky jobs launch " + request.name + ".yaml") + yaml_text(task), task};
}

inline launch_output write_ray(const launch_request& request) {
  const nlohmann::ordered_json cluster = ray_cluster(request);
  const ray_launch commands = ray_commands(request, request.name + ".yaml");
  return {
      commented(shell_line(commands.up)) + commented(shell_line(commands.run)) +
          commented("the cluster is billed, with a job or without, until it is deleted: " + shell_line(commands.down)) +
          yaml_text(cluster),
      {{"cluster", cluster}, {"up", commands.up}, {"run", commands.run}, {"down", commands.down}}};
}

}  // namespace detail

/// The targets, in the order in which help lists them.
inline constexpr launch_target launch_targets[] = {
    {"vertex", "CustomJob of Vertex AI", detail::write_vertex, false},
    {"gke", "manifest and node pools of GKE", detail::write_gke, true},
    {"gcloud", "script for the Cloud TPU API", detail::write_gcloud, false},
    {"gce", "script for Compute Engine", detail::write_gce, false},
    {"gcluster", "command of Cluster Toolkit", detail::write_gcluster, true},
    {"skypilot", "task of SkyPilot", detail::write_skypilot, false},
    {"ray", "cluster of Ray", detail::write_ray, false},
    {"xpk", "command of XPK, which is deprecated", detail::write_xpk, true},  // last: never the first suggestion
};

/// The target of that name, or nothing. Worked: "gce" is one, "aws" is none.
[[nodiscard]] constexpr maybe<launch_target> find_launch_target(std::string_view name) noexcept {
  for (const launch_target& target : launch_targets) {
    if (target.name == name) return target;
  }
  return nothing;
}

#if defined(__cpp_exceptions)
namespace detail {

/// The request with all names that any target needs filled in and without those that only some targets take, so that
/// only its slices, capacity and program are checked, and the refused field.
inline launch_request named_request(launch_request request, const launch_target& target,
                                    std::string_view refused = {}) {
  const auto drop = [&](std::string& value, std::string_view field) {
    if (field != refused) value.clear();
  };
  drop(request.service_account, "service_account");
  drop(request.queue, "queue");
  drop(request.location, "location");
  drop(request.tensorboard, "tensorboard");
  drop(request.output, "output");
  drop(request.workdir, "workdir");
  drop(request.requirements, "requirements");
  drop(request.framework, "framework");
  if (refused != "copy") request.copy.clear();
  if (refused != "packages") request.packages.clear(), request.module.clear();
  if (refused != "boot_disk") request.boot_disk = {};
  if (refused != "max_wait") request.max_wait = {};
  const auto need = [](std::string& value, const char* any) {
    if (value.empty()) value = any;
  };
  const bool of_a_cluster = target.name == "gke" || target.name == "gcluster" || target.name == "xpk";
  need(request.project, "some-project");
  if (target.name != "skypilot") need(request.zone, "us-central1-a");  // it finds one itself, of those with flex-start
  if (!has_files(request) && request.framework.empty()) need(request.image, "image");
  request.cluster = of_a_cluster ? "cluster" : "";
  if (target.name == "skypilot") request.project.clear();
  if (request.command.empty() && request.packages.empty()) request.command = {"true"};
  if (target.ends_with_flex_start && request.capacity == provisioning::flex_start) request.max_restarts = 0;
  return request;
}

/// The output with the price of its chips as a comment, behind the first line where that names the interpreter. JSON
/// takes no comments.
inline launch_output with_price(launch_output output, const launch_request& request) {
  const std::string hourly = hourly_words(request);
  if (hourly.empty() || output.text[0] == '{') return output;
  const std::size_t line = output.text.rfind("#!", 0) == 0 ? output.text.find('\n') + 1 : 0;
  output.text.insert(line, commented(hourly));
  return output;
}

inline bool can_write(const launch_target& target, const launch_request& request) {
  try {
    (void)target.write(request);
    return true;
  } catch (const error&) {
    return false;
  }
}

}  // namespace detail

/// Whether the target starts such slices on such capacity, whatever the names in the request. Flex-start is judged
/// without restarts where the target takes none. Worked: flex-start of v6e-16 is in gke, not in ray.
[[nodiscard]] inline bool can_launch(const launch_target& target, const launch_request& request) {
  return detail::can_write(target, detail::named_request(request, target));
}

/// What the target writes for the request, with what an hour of its chips costs where their price is given and the text
/// takes comments. Throws as `validate` does, and for what the target does not offer; that
/// refusal ends with the targets that do. Worked: for v5p-128 that of Vertex AI ends with "; use gke, gcloud, gce,
/// gcluster, skypilot, ray, xpk".
[[nodiscard]] inline launch_output launch(const launch_target& target, const launch_request& request) {
  try {
    return detail::with_price(target.write(request), request);
  } catch (const error& refusal) {
    if (refusal.code() != errc::unsupported) throw;
    std::string valid(refusal.valid());
    const char* before = "; use ";
    for (const launch_target& other : launch_targets) {
      if (other.name == target.name ||
          !detail::can_write(other, detail::named_request(request, other, refusal.field())))
        continue;
      valid += before + std::string(other.name);
      before = ", ";
    }
    throw error{errc::unsupported, refusal.field(), refusal.given(), valid};
  }
}
#endif

}  // namespace abi_0
}  // namespace tpuplan

#endif
