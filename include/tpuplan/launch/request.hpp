#ifndef TPUPLAN_LAUNCH_REQUEST_HPP
#define TPUPLAN_LAUNCH_REQUEST_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tpuplan/base/math.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/launch/names.hpp>
#include <tpuplan/launch/offers.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <vector>

/// @file
/// What is to be launched, and the checks that hold for every service: names that are not syntax in any output, a slice
/// that exists, capacity and limits that go together. data/launch.json has the rules with their sources.

namespace tpuplan {
inline namespace abi_0 {

/// A job on slices of one kind. Empty texts and 0 mean "not given"; each service refuses what it needs and is not
/// given.
struct launch_request {
  std::string name;                                 ///< of the job; its resources are named after it
  slice where{};                                    ///< each slice
  std::int64_t slices = 1;                          ///< how many, joined by DCN
  provisioning capacity = provisioning::on_demand;  ///< on_demand, spot, flex_start; calendar with its reservation
  std::string reservation;                          ///< the name of a reservation in `project` and `zone`
  std::string project;                              ///< the project ID
  std::string zone;                                 ///< "us-east5-b"
  std::string cluster;                              ///< of GKE
  std::string image;                                ///< container with the program
  std::string checkpoint;                           ///< gs://bucket/folder, which the program finds in CHECKPOINT_DIR
  std::vector<std::string> command;                 ///< the program and its arguments; empty: what the image starts
  std::int64_t max_restarts = 100;                  ///< after preemptions and failures
  seconds run{};                                    ///< the longest that it is expected to take; 0: unknown
  /// After which the service ends the job; 0: the service's own limit. A longer run on flex-start goes on from its last
  /// checkpoint: gcloud_script starts it again.
  seconds max_run{};
  seconds max_wait{};        ///< for capacity, after which the request for it ends; 0: as long as the service waits
  maybe<price_row> price{};  ///< of a chip of it, which what is written states; nothing: not known

  // What only some services have; the others refuse it.
  std::vector<std::string> args;  ///< arguments of what the image starts, or of `command`
  std::string service_account;    ///< an e-mail address; on GKE the name of a Kubernetes service account
  std::string queue;              ///< of Kueue: the name of a LocalQueue
  std::string location;           ///< of Vertex AI: a region such as us-central1
  std::string tensorboard;        ///< of Vertex AI: the number of one in `project` and `location`, or its full name
  std::string output;             ///< of Vertex AI: gs://bucket/folder; `checkpoint` where it is empty
  std::string secret;             ///< of Kubernetes, with the key hf_api_token: HF_TOKEN to the program

  // How the program gets to VMs that have none, and what it needs there; paths are of the machine that starts the job.
  std::string workdir;                ///< a folder, copied without .git; the command starts in its copy
  std::vector<std::string> copy;      ///< further files and folders, put beside what is in `workdir`
  std::string requirements;           ///< a file for pip: requirements.txt
  std::string framework;              ///< jax, torch_xla or tensorflow, installed in a version for the chip
  std::vector<std::string> packages;  ///< of Vertex AI: gs://bucket/trainer.tar.gz, for a prebuilt image
  std::string module;                 ///< of Vertex AI: the Python module of `packages` that is run: trainer.task
  bytes boot_disk{};                  ///< of each VM; 0: 100 GB on Compute Engine, elsewhere the service's own
};

/// @{
/// What a request may ask for: sizes of a boot disk, in GB, and times after which a job ends, in seconds.
inline constexpr double least_boot_disk = 10;
inline constexpr double most_boot_disk = 65536;
inline constexpr double least_max_run = 60;
inline constexpr double most_max_run = 3e8;
/// @}

namespace detail {

inline std::int64_t boot_disk_gb(const launch_request& request) {
  return static_cast<std::int64_t>(math::ceil(request.boot_disk.value() / 1e9));
}
inline std::string boot_disk_text(const launch_request& request) {
  return std::to_string(boot_disk_gb(request)) + " GB";
}

/// Paths, packages and the framework of the program. A framework without a package for the chip is refused: what it
/// does there is not documented.
inline void check_files(const launch_request& request) {
  constexpr std::string_view path = "a local path without any of :*?[]\\\"";
  if (!request.workdir.empty() && !is_local_path(request.workdir)) refuse_name("workdir", request.workdir, path);
  const auto file = [&](std::string_view field, const std::string& given) {
    if (!is_local_path(given)) refuse_name(field, given, path);
    if (last_part(given).empty()) refuse_name(field, given, "a path that ends in a name");
  };
  for (const std::string& one : request.copy) file("copy", one);
  if (!request.requirements.empty()) file("requirements", request.requirements);
  for (const std::string& one : request.packages) {
    if (!is_bucket_path(one))
      refuse_name("packages", one, "gs://BUCKET/PACKAGE.tar.gz, the bucket of 3 to 63 characters");
  }
  if (request.packages.empty() != request.module.empty())
    refuse_name(request.module.empty() ? "module" : "packages", "",
                "both: the module that is run, and the packages that have it");
  if (!request.module.empty() && !is_path_part(request.module, "._", true))
    refuse_name("module", request.module, "the name of a Python module: trainer.task");
  const double disk = not_negative("boot_disk", request.boot_disk.value()) / 1e9;
  if (disk > 0 && (disk < least_boot_disk || disk > most_boot_disk))
    fail(errc::out_of_range, "boot_disk", disk, "10 to 65536, in GB");
  if (request.framework.empty()) return;
  for (const std::string_view known : {"jax", "torch_xla", "tensorflow"}) {
    if (known != request.framework) continue;
    if (known == "tensorflow" && checked_multiply(vms(request.where), request.slices) > 1)
      fail(errc::unsupported, "framework", request.framework,
           "a slice of one VM: on several TensorFlow runs on one of them, with TPU_NAME and another runtime; use jax");
    if (chip_of_service(known, request.where.chip.name.view()) != nullptr) return;
    const std::string chip(request.where.chip.name.view());
    fail(errc::unsupported, "framework", request.framework,
         "of its own on " + chips_of_service(known) + ": " +
             (known == "tensorflow" && chip == "tpu7x" ? "TensorFlow does not run on tpu7x"
                                                       : "no source has a version for " + chip));
  }
  fail(errc::unknown_name, "framework", request.framework,
       request.framework == "keras" ? "jax, with keras in requirements and KERAS_BACKEND=jax in the command"
       : request.framework == "torchtitan"
           ? "none: its form for TPUs (google-pytorch/torchtitan, experiments/tpu) needs "
             "torch_tpu, which is built from source; run it by an image and a command"
           : "jax, torch_xla or tensorflow; torch_tpu comes in an image alone: no index "
             "of packages has it");
}

inline void check_names(const launch_request& request) {
  if (!is_label(request.name, 1, 32))
    refuse_name("name", request.name,
                "1 to 32 lower-case letters, digits and dashes, from a letter to a letter or digit");
  const auto given = [](const std::string& value, bool right, std::string_view field, std::string_view valid) {
    if (!value.empty() && !right) refuse_name(field, value, valid);
  };
  given(request.project, is_label(request.project, 6, 30), "project",
        "a project ID: 6 to 30 lower-case letters, digits and dashes, from a letter to a letter or digit");
  given(request.zone, is_zone(request.zone), "zone", "a zone such as us-east5-b");
  given(request.cluster, is_label(request.cluster, 1, 40), "cluster",
        "1 to 40 lower-case letters, digits and dashes, from a letter to a letter or digit");
  given(request.reservation, is_label(request.reservation, 1, 63), "reservation",
        "a name, not a path: 1 to 63 lower-case letters, digits and dashes");
  given(request.image, is_image(request.image), "image", "HOST/PATH:TAG or HOST/PATH@sha256:DIGEST in lower case");
  given(request.checkpoint, is_bucket_path(request.checkpoint), "checkpoint",
        "gs://BUCKET/FOLDER, the bucket of 3 to 63 characters, of letters, digits and ._=- without a slash at the end");
  given(request.output, is_bucket_path(request.output), "output",
        "gs://BUCKET/FOLDER, the bucket of 3 to 63 characters, of letters, digits and ._=- without a slash at the end");
  given(request.secret, is_label(request.secret, 1, 63), "secret",
        "the name of a Kubernetes secret: 1 to 63 lower-case letters, digits and dashes");
  given(request.queue, is_label(request.queue, 1, 63), "queue", "1 to 63 lower-case letters, digits and dashes");
  given(request.location, is_region(request.location), "location", "a region such as us-central1");
  given(request.tensorboard, is_number(request.tensorboard) || !tensorboard_region(request.tensorboard).empty(),
        "tensorboard", "the number of a TensorBoard, or projects/PROJECT/locations/REGION/tensorboards/NUMBER");
  given(request.service_account, is_email(request.service_account) || is_label(request.service_account, 1, 63),
        "service_account", "NAME@PROJECT.iam.gserviceaccount.com, on GKE the name of a Kubernetes service account");
}

/// The text of a count of seconds, rounded up: "86400s", as Vertex AI and gcloud write durations.
inline std::string seconds_text(seconds time) {
  return std::to_string(static_cast<std::int64_t>(math::ceil(time.value()))) + "s";
}

/// Refuses an option that the service cannot express: it is refused, not ignored.
inline void check_extras(const launch_request& request, std::string_view service,
                         std::initializer_list<std::string_view> takes) {
  const auto check = [&](std::string_view field, const std::string& value) {
    if (value.empty()) return;
    for (const std::string_view taken : takes) {
      if (taken == field) return;
    }
    fail(errc::unsupported, field, value, "none: " + std::string(service) + " has no option for it");
  };
  check("cluster", request.cluster);
  check("args", request.args.empty() ? std::string() : "given");
  check("service_account", request.service_account);
  check("queue", request.queue);
  check("location", request.location);
  check("tensorboard", request.tensorboard);
  check("output", request.output);
  check("secret", request.secret);
  check("workdir", request.workdir);
  check("copy", request.copy.empty() ? std::string() : request.copy.front());
  check("requirements", request.requirements);
  check("framework", request.framework);
  check("packages", request.packages.empty() ? std::string() : request.packages.front());
  check("module", request.module);
  check("max_wait", request.max_wait.value() == 0 ? std::string() : seconds_text(request.max_wait));
  check("boot_disk", boot_disk_gb(request) == 0 ? std::string() : boot_disk_text(request));
}

/// Refuses a name of the other kind: services of Google Cloud take e-mail addresses, Kubernetes takes names.
inline void check_service_account(const launch_request& request, bool kubernetes) {
  if (request.service_account.empty() || is_email(request.service_account) != kubernetes) return;
  fail(errc::invalid_argument, "service_account", request.service_account,
       kubernetes ? "the name of a Kubernetes service account" : "an e-mail address of a service account");
}

/// Refuses a request without a command, for services that do not run what the image starts.
inline void check_program(const launch_request& request, std::string_view service) {
  if (request.command.empty())
    fail(errc::missing_field, "command", "missing", "a program: " + std::string(service) + " runs no image by itself");
}

inline void check_command(const launch_request& request) {
  std::size_t total = 0;
  const auto check = [&total](std::string_view field, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      for (const char c : word) {
        if ((c < ' ' || c > '~') && c != '\n' && c != '\t')
          fail(errc::invalid_argument, field, word, "printable ASCII, line feeds and tabs");
      }
      total += word.size() + 1;
    }
  };
  check("command", request.command);
  check("args", request.args);
  if (total > 65536) fail(errc::out_of_range, "command", static_cast<std::int64_t>(total), "at most 65536 characters");
  if (!request.command.empty() && request.command.front().empty())
    fail(errc::missing_field, "command", "an empty word", "a program and its arguments");
}

inline void check_capacity(const launch_request& request) {
  switch (request.capacity) {
    case provisioning::on_demand: break;
    case provisioning::calendar:
      if (request.reservation.empty())
        fail(errc::missing_field, "reservation", "missing", "the name of what calendar mode reserved");
      if (chip_of_service("calendar", request.where.chip.name.view()) == nullptr) {
        fail(errc::unsupported, "provisioning", name(request.capacity),
             "on_demand with the reservation: calendar mode is of " + chips_of_service("calendar"));
      }
      break;
    case provisioning::spot:
    case provisioning::flex_start:
      if (!request.reservation.empty()) {
        fail(errc::invalid_argument, "reservation", request.reservation,
             "none: spot and flex-start take what is free, not what is reserved");
      }
      break;
    case provisioning::commitment_1y:
    case provisioning::commitment_3y:
      fail(errc::invalid_argument, "provisioning", name(request.capacity),
           "on_demand: a commitment is a discount on its use");
  }
  if (request.capacity == provisioning::spot && request.max_restarts > 0 && request.checkpoint.empty()) {
    fail(errc::missing_field, "checkpoint", "missing",
         "gs://BUCKET/FOLDER: a preempted job starts over without one (or max_restarts 0)");
  }
}

/// "7.29 days".
inline std::string days_text(double time) {
  std::array<char, 32> words{};
  std::snprintf(words.data(), words.size(), "%.3g days", time / 86400);
  return words.data();
}

inline void check_times(const launch_request& request) {
  const double expected = not_negative("run", request.run.value());
  const double limit = not_negative("max_run", request.max_run.value());
  if (limit > 0 && (limit < least_max_run || limit > most_max_run))
    fail(errc::out_of_range, "max_run", limit, "60 seconds to 3472 days");
  const double wait = not_negative("max_wait", request.max_wait.value());
  if (wait > 0 && (wait < 60 || wait > 3e7)) fail(errc::out_of_range, "max_wait", wait, "60 seconds to a year");
  const bool flex = request.capacity == provisioning::flex_start;
  if (limit > 0 && expected > limit && !(flex && !request.checkpoint.empty())) {
    fail(errc::out_of_range, "max_run", limit,
         "at least " + seconds_text(request.run) + ", which the run may take" +
             (flex ? ", or a checkpoint to go on from" : ""));
  }
  constexpr double week = 7 * 86400.0;
  if (flex && limit > week)
    fail(errc::out_of_range, "max_run", days_text(limit), "at most 7 days, for which flex-start capacity lasts");
  if (flex && limit == 0 && expected > week) {
    fail(errc::out_of_range, "run", days_text(expected) + " at the high end of its band",
         "at most 7 days, for which flex-start lasts; longer by gcloud with max_run 7d and a checkpoint to go on from");
  }
}

/// Where a request will be, if it says so: a region, or that of its zone.
inline std::string place_of(const launch_request& request) {
  if (!request.location.empty() || request.zone.empty()) return request.location;
  return std::string(region_of(request.zone));
}

}  // namespace detail

/// "$359.24 an hour, idle or not (spot in us-east5, price of 2026-08-10)", with what the price is not known of; empty
/// where none is known.
[[nodiscard]] inline std::string hourly_words(const launch_request& request) {
  if (!request.price) return {};
  const price_row& price = *request.price;
  std::array<char, 64> amount{};
  const double hourly = in_usd_per_hour(rate(price.per_chip, chips(request.where) * request.slices));
  std::snprintf(amount.data(), amount.size(), "$%.2f", hourly);
  const std::string place = detail::place_of(request), region(price.region.view());
  const bool elsewhere = !place.empty() && place != region && !(region == "us" && place.substr(0, 3) == "us-");
  return std::string(amount.data()) + " an hour, idle or not (" + std::string(name(price.kind)) + " in " + region +
         (elsewhere ? ": no price is known in " + place + ", that of " + region : std::string()) + ", price of " +
         std::string(price.date.view()) + (is_before_announced_change(price) ? ", before an announced change)" : ")");
}

namespace detail {

/// Refuses chips that no service is documented to offer.
inline void check_offered(const launch_request& request) {
  const auto somewhere = [](const launch_offer& offer) {
    return !offer.gke.one_vm.empty() || !offer.gcloud.runtime_version.empty() || !offer.gce.image_family.empty() ||
           chip_of_service("vertex", offer.chip) != nullptr;
  };
  if (!somewhere(offers_of(request.where.chip.name)))
    fail(errc::unsupported, "slice", request.where.chip.name.view(),
         "a chip that Google rents out: " + chips_with(somewhere));
}

/// Whether the slice is one VM that has no name as a slice: one chip of v5p, or two.
inline bool is_unnamed_vm(const slice& where) {
  return is_small_vm(where.chip, where.shape) && !is_valid_shape(where.chip, where.shape) &&
         where.chips_per_vm == chips(where);
}

/// Whether slices of that shape come on such VMs: as a row of the table has them, else on VMs of four chips.
inline bool has_documented_vms(const slice& where) {
  if (is_unnamed_vm(where)) return true;
  bool listed = false;
  for (const slice_row& row : slices_of(where.chip.name)) {
    if (!is_shape(row, where.shape)) continue;
    if (row.chips_per_vm() == where.chips_per_vm) return true;
    listed = true;
  }
  return !listed && where.chips_per_vm == 4;
}

/// The slice on VMs of that machine type; nothing where there is no such slice.
inline maybe<slice> find_on_machine(const slice& where, const machine_type& type) {
  if (type.chip != where.chip.name || chips(where.shape) % type.chips != 0) return nothing;
  if (is_unnamed_vm(where)) return type.chips == chips(where) ? maybe<slice>(where) : nothing;
  const slice result = slice_of(where.chip, where.shape, type.chips);
  const maybe<machine_type> is = machine_type_of(result);
  if (!is || is->name != type.name || !has_documented_vms(result)) return nothing;
  return result;
}

/// The machine type of the request's slice.
inline std::string launched_machine(const launch_request& request) {
  const maybe<machine_type> type = machine_type_of(request.where);
  if (!type) fail(errc::unsupported, "slice", name(request.where).view(), "a slice with a documented machine type");
  return std::string(type->name.view());
}

/// The path of the reservation; `collection` is "zones" or "locations".
inline std::string reservation_path(const launch_request& request, std::string_view collection) {
  if (request.project.empty()) refuse_name("project", request.project, "the project of the reservation");
  if (request.zone.empty()) refuse_name("zone", request.zone, "the zone of the reservation");
  return "projects/" + request.project + "/" + std::string(collection) + "/" + request.zone + "/reservations/" +
         request.reservation;
}

}  // namespace detail

/// Throws, naming the field, what was given and what is valid, unless the request makes sense on any service. Worked:
/// 0 slices are refused as "slices is 0".
inline void validate(const launch_request& request) {
  detail::check_names(request);
  detail::check_command(request);
  detail::check_offered(request);
  detail::check_files(request);
  if (!detail::is_unnamed_vm(request.where))
    (void)slice_of(request.where.chip, request.where.shape, request.where.chips_per_vm);
  if (!detail::has_documented_vms(request.where)) {
    detail::fail(errc::invalid_argument, "slice.chips_per_vm", request.where.chips_per_vm,
                 "the chips of a VM that such slices come on, as slice_for gives it");
  }
  if (!schedulable(request.where)) {
    detail::fail(errc::out_of_range, "slice", name(request.where).view(),
                 "at most the largest slice that is scheduled");
  }
  detail::check_slices("slices", request.slices);
  detail::count_from("max_restarts", request.max_restarts, 0);
  if (request.max_restarts > 1000000)
    detail::fail(errc::out_of_range, "max_restarts", request.max_restarts, "at most 1000000");
  detail::check_capacity(request);
  detail::check_times(request);
}

/// The chips of a slice on VMs of that machine type, for slices that come in two kinds: v6e-8 is one ct6e-standard-8t
/// or two ct6e-standard-4t. Refuses types that do not exist (ct5lp-hightpu-32t), belong to another chip, or do not make
/// up the slice. Worked: v5litepod-8 on ct5lp-hightpu-4t has 2 VMs.
[[nodiscard]] inline slice on_machine_type(const slice& where, std::string_view given) {
  text<160> valid{"for this slice "};
  bool exists = false;
  bool first = true;
  for (const machine_type& type : machine_types()) {
    const maybe<slice> found = detail::find_on_machine(where, type);
    if (type.name == given && found) return *found;
    exists = exists || type.name == given;
    if (!found) continue;
    valid.append(first ? "" : " or ").append(type.name);
    first = false;
  }
  if (first) valid = "none: this slice has no documented machine type";
  if (exists) detail::fail(errc::invalid_argument, "machine_type", given, valid.view());
  const text<160> family = detail::machine_hint(given);
  detail::fail(errc::unknown_name, "machine_type", given, family.empty() ? valid.view() : family.view());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
