#ifndef TPUPLAN_LAUNCH_PROGRAM_HPP
#define TPUPLAN_LAUNCH_PROGRAM_HPP

#include <algorithm>
#include <string>
#include <string_view>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>
#include <utility>

/// @file
/// How a program gets to VMs that have none, what each VM runs, and what ends a VM that nobody watches. A TPU that
/// starts without a program is billed like one that works.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether files are copied to the VMs.
inline bool has_files(const launch_request& request) {
  return !request.workdir.empty() || !request.copy.empty() || !request.requirements.empty();
}

/// The files that are copied by their names.
inline std::vector<const std::string*> delivered_files(const launch_request& request) {
  std::vector<const std::string*> all;
  for (const std::string& one : request.copy) all.push_back(&one);
  if (!request.requirements.empty()) all.push_back(&request.requirements);
  return all;
}

/// Refuses files and packages beside an image, and without a command that would use them.
inline void check_delivery(const launch_request& request) {
  const std::string_view field = !request.workdir.empty()        ? "workdir"
                                 : !request.copy.empty()         ? "copy"
                                 : !request.requirements.empty() ? "requirements"
                                 : !request.framework.empty()    ? "framework"
                                                                 : "";
  if (field.empty()) return;
  if (!request.image.empty())
    fail(errc::invalid_argument, field, "given with an image", "either: an image has its program and its packages");
  if (request.command.empty()) fail(errc::missing_field, "command", "missing", "the program that uses what is copied");
  std::vector<std::string> names = {request.name, request.name + ".tgz"};  // the folder they go to, and the archive
  for (const std::string* one : delivered_files(request)) {
    const std::string called(last_part(*one));
    if (std::find(names.begin(), names.end(), called) != names.end())
      fail(errc::invalid_argument, one == &request.requirements ? "requirements" : "copy", *one,
           called == request.name ? "a file of another name than the job's, which is that of their folder"
                                  : "files of different names: they go to one folder");
    names.push_back(called);
  }
}

/// What pip installs: the framework in the version for the chip, and the requirements.
inline shell_words pip_words(const launch_request& request) {
  shell_words words;
  if (const service_chip* packages = chip_of_service(request.framework, request.where.chip.name.view())) {
    for (std::string_view rest = packages->called; !rest.empty();) {
      words.emplace_back(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(words.back().size() + 1, rest.size()));
    }
  }
  if (!request.requirements.empty()) words.push_back("--requirement=" + std::string(last_part(request.requirements)));
  return words;
}

/// The sources of one copy to a VM: the folder as an archive, and the other files by their names.
inline shell_words copied_files(const launch_request& request) {
  shell_words words;
  if (!request.workdir.empty()) words.push_back("/tmp/" + request.name + ".tgz");
  words.insert(words.end(), request.copy.begin(), request.copy.end());
  if (!request.requirements.empty()) words.push_back(request.requirements);
  return words;
}

/// The lines of a script that pack the folder and look for the other files: before there are chips to pay for.
inline std::string packing(const launch_request& request) {
  std::string out;
  if (!request.workdir.empty())
    out += shell_line({"tar", "-czf", "/tmp/" + request.name + ".tgz", "--exclude=.git", "-C", request.workdir, "."}) +
           " || exit 1\n";
  launch_request others = request;
  others.workdir.clear();
  for (const std::string& one : copied_files(others)) out += shell_line({"ls", "-d", one}) + " >/dev/null || exit 1\n";
  return out;
}

/// What a VM does before the program: files into a folder of the job's name, which it enters, and packages into an
/// environment of their own. Ubuntu 22.04 on TPU VMs may lack the module venv; Ubuntu 24.04 lets pip install nowhere
/// else (PEP 668).
inline std::string arrival(const launch_request& request) {
  std::string out;
  if (has_files(request)) {
    launch_request others = request;
    others.workdir.clear();
    out += shell_line({"mkdir", "-p", request.name}) + " && ";
    if (!request.workdir.empty())
      out += shell_line({"tar", "-xzf", request.name + ".tgz", "-C", request.name}) + " && ";
    shell_words beside = {"cp", "-rf"};
    for (const std::string& one : copied_files(others)) beside.emplace_back(last_part(one));
    beside.push_back(request.name + "/");
    if (beside.size() > 3) out += shell_line(beside) + " && ";
    out += shell_line({"cd", request.name}) + " && ";
  }
  shell_words pip = {"python3", "-m", "pip", "install"};
  for (std::string& word : pip_words(request)) pip.push_back(std::move(word));
  if (pip.size() == 4) return out;
  const std::string venv = "~/" + request.name + ".venv";
  return out + "{ python3 -m venv " + venv +
         " || { sudo apt-get update; sudo apt-get -o DPkg::Lock::Timeout=600 --yes install python3-venv && "
         "python3 -m venv --clear " +
         venv + "; }; } && . " + venv + "/bin/activate && " + shell_line(pip) + " && ";
}

/// What gives the Docker of root the account of the VM at Google's registries, where an image may be private; nothing
/// for an image elsewhere. Source: "Configure authentication to Artifact Registry for Docker" (2026).
inline std::string registry_login(std::string_view image) {
  const std::string_view host = image.substr(0, image.find('/'));
  const auto ends = [&](std::string_view with) {
    return host.size() >= with.size() && host.substr(host.size() - with.size()) == with;
  };
  if (!ends("gcr.io") && !ends("-docker.pkg.dev")) return {};
  return shell_line({"sudo", "gcloud", "auth", "configure-docker", std::string(host), "--quiet"}) + "; ";
}

/// The program of each VM with what comes before it, in its container where there is an image; empty where there is
/// neither.
inline std::string worker_line(const launch_request& request) {
  const std::string folder = "CHECKPOINT_DIR=" + request.checkpoint;
  shell_words words;
  if (!request.image.empty()) {
    words = {"sudo", "docker", "run", "--rm", "--privileged", "--net=host"};
    if (!request.checkpoint.empty()) words.push_back("--env=" + folder);
    words.push_back(request.image);
  } else if (!request.checkpoint.empty() && !request.command.empty()) {
    words = {"env", folder};
  }
  words.insert(words.end(), request.command.begin(), request.command.end());
  return words.empty() ? std::string() : registry_login(request.image) + arrival(request) + shell_line(words);
}

/// Where somebody finds what the program printed.
inline std::string log_words(const launch_request& request) {
  return "what it printed and its exit status are in " + request.name + ".log and " + request.name +
         ".status on each VM" + (request.checkpoint.empty() ? "" : ", and in " + request.checkpoint + "/logs");
}

/// The line so run that it does not need the connection over which it is started: what it prints goes to a file, which
/// the connection follows, and the status of the line is that of the program. Where the program runs already it is
/// followed alone: gcloud starts the line again where its connection is lost. With a checkpoint folder the file is kept
/// there. Beside it a watchdog: `ending` runs half an hour after the program has ended, however it ended, unless
/// somebody has made a file on the VM that keeps it.
inline std::string watched(const launch_request& request, const std::string& line, const std::string& ending) {
  const std::string& name = request.name;
  std::string program = "(" + line + "\n); status=$?; echo \"$status\" >" + name + ".status; ";
  if (!request.checkpoint.empty())
    program += "gcloud storage cp " + name + ".log \"" + request.checkpoint + "/logs/$(hostname)-$(date +%s).log\"; ";
  program += "exit \"$status\"";
  const std::string watch =
      "while kill -0 \"$1\" 2>/dev/null; do sleep 10; done; sleep 1800; [ -e /tmp/" + name + ".keep ] || " + ending;
  return "program=$(cat " + name +
         ".pid 2>/dev/null); if ! kill -0 \"${program:-none}\" 2>/dev/null; then touch /tmp/" + name +
         ".started; rm -f " + name + ".status; : >" + name + ".log; " + shell_line({"nohup", "bash", "-c", program}) +
         " >>" + name + ".log 2>&1 </dev/null & program=$!; echo \"$program\" >" + name + ".pid; (" +
         shell_line({"setsid", "sh", "-c", watch, "watch"}) +
         " \"$program\" </dev/null >/dev/null 2>&1 &); fi; tail --pid=\"$program\" -n +1 -f " + name +
         ".log; exit \"$(cat " + name + ".status 2>/dev/null || echo 1)\"";
}

/// What a VM is given when it is created: the folder of checkpoints, for startup scripts of one's own, and where a
/// program is to come, a script that runs `ending` an hour after the VM has started if none has come. A request for
/// capacity may be granted when nobody waits for it any more.
inline std::string metadata_flag(const launch_request& request, const std::string& ending) {
  const std::string folder = request.checkpoint.empty() ? "" : "checkpoint-dir=" + request.checkpoint;
  if (ending.empty()) return folder.empty() ? "" : "--metadata=" + folder;
  return "--metadata=" + folder + (folder.empty() ? "" : ",") + "startup-script=#!/bin/sh\n(sleep 3600; [ -e /tmp/" +
         request.name + ".started ] || [ -e /tmp/" + request.name + ".keep ] || " + ending + ") &";
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
