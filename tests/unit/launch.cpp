// What is written for each service: against the schemas of data/launch.json, against golden files that were read beside
// the documentation, and what each service refuses.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/read/hf.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/commands.hpp"
#include "support/golden.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"
#include "support/schema.hpp"

using namespace tpuplan;

namespace launch_tests {
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

const json& documented() {
  static const json file = load_json(TPUPLAN_DATA_DIR "/launch.json");
  return file;
}

launch_request request_for(std::string_view slice_name, std::int64_t slices = 1) {
  launch_request r;
  r.name = "llama-8b";
  r.where = slice_for(slice_name);
  r.slices = slices;
  r.project = "my-project";
  r.zone = "us-east5-b";
  r.image = "us-docker.pkg.dev/my-project/train/maxtext:v1";
  r.checkpoint = "gs://my-bucket/llama";
  return r;
}

launch_request spot_request(std::string_view slice_name, std::int64_t slices = 1) {
  launch_request r = request_for(slice_name, slices);
  r.capacity = provisioning::spot;
  return r;
}

maxtext_run fsdp_run(const launch_request& r, std::int64_t batch) {
  maxtext_run run;
  run.mesh = fsdp_layout(r.where, r.slices);
  run.job.global_batch = batch;
  run.job.sequence_length = 8192;
  return run;
}

// The rules of training with TPUs on Vertex AI that a schema cannot say, independent of what writes the job.
std::string vertex_problem(const json& job) {
  const std::string problem = schema_problem(job, documented().at("vertex").at("schema"));
  if (!problem.empty()) return problem;
  const json& pool = job.at("jobSpec").at("workerPoolSpecs").at(0);
  const json& machine = pool.at("machineSpec");
  const std::string type = machine.at("machineType");
  if (pool.at("replicaCount") != 1) return "replicaCount";
  if (type == "cloud-tpu") {
    const bool pair = machine.contains("acceleratorType") && machine.value("acceleratorCount", 0) == 8;
    return pair && !machine.contains("tpuTopology") ? "" : "accelerator of cloud-tpu";
  }
  if (machine.contains("acceleratorType") || machine.contains("acceleratorCount")) return "accelerator beside topology";
  const topology shape = parse_topology(machine.at("tpuTopology").get<std::string>()).value();
  const std::int64_t per_vm = type.back() == 't' ? type[type.size() - 2] - '0' : 0;
  if (per_vm == 1 && chips(shape) != 1) return "1t with more than 1x1";
  if (per_vm == 8 && chips(shape) != 8) return "8t with another shape than 2x4";
  if (per_vm == 4 && chips(shape) % 4 != 0) return "4t that does not tile";
  const std::string strategy = job.at("jobSpec").at("scheduling").at("strategy");
  if (strategy == "SPOT" && chips(shape) != per_vm) return "spot on several VMs";
  return strategy == "FLEX_START" ? "flex-start" : "";
}

std::string gke_problem(const json& manifest) {
  const json& schemas = documented().at("gke").at("schemas");
  const std::string kind = manifest.at("kind");
  if (!schemas.contains(kind)) return "kind " + kind;
  return schema_problem(manifest, schemas.at(kind));
}

std::string gcloud_problem(const shell_words& words) {
  return command_problem(words, "gcloud", documented().at("gcloud").at("commands"));
}

bool has(const shell_words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const std::vector<provisioning> launched = {provisioning::on_demand, provisioning::spot, provisioning::flex_start,
                                            provisioning::calendar};

// Every documented slice on every VM layout, in every number and kind of capacity.
void for_each_request(const plain_call<void(const launch_request&)>& use) {
  for (std::size_t i = 0; i < slice_count; ++i) {
    for (const std::int64_t slices : {1, 3}) {
      for (const provisioning kind : launched) {
        launch_request r = request_for("v6e-8", slices);
        r.where = slice_at(i);
        r.capacity = kind;
        if (kind == provisioning::calendar && detail::chip_of_service("calendar", r.where.chip.name.view()) == nullptr)
          continue;
        if (kind == provisioning::flex_start) r.max_restarts = 0;
        if (kind == provisioning::calendar) r.reservation = "my-reservation";
        use(r);
      }
    }
  }
}

}  // namespace

// ---- Vertex AI

TEST_CASE("a CustomJob of Vertex AI", "[golden]") {
  launch_request r = request_for("v5e-16");
  r.command = {"python3", "train.py"};
  r.max_run = 20_days;
  const json job = vertex_custom_job(r);
  CHECK(vertex_problem(job) == "");
  CHECK(job.at("displayName") == "llama-8b");
  const json& spec = job.at("jobSpec");
  CHECK(spec.at("workerPoolSpecs")[0].at("machineSpec") ==
        json({{"machineType", "ct5lp-hightpu-4t"}, {"tpuTopology", "4x4"}}));
  CHECK(spec.at("workerPoolSpecs")[0].at("replicaCount") == 1);
  CHECK(spec.at("scheduling") ==
        json({{"strategy", "STANDARD"}, {"restartJobOnWorkerRestart", true}, {"timeout", "1728000s"}}));
  CHECK(spec.at("baseOutputDirectory").at("outputUriPrefix") == "gs://my-bucket/llama");
  CHECK(golden_problem("launch/vertex.json", vertex_custom_job(spot_request("v5e-8")).dump(2) + "\n") == "");
}

TEST_CASE("a CustomJob for a reservation, for v3, and without restarts") {
  launch_request r = request_for("v6e-256");
  r.reservation = "my-reservation";
  const json affinity = vertex_custom_job(r)["jobSpec"]["workerPoolSpecs"][0]["machineSpec"]["reservationAffinity"];
  CHECK(affinity == json({{"reservationAffinityType", "SPECIFIC_RESERVATION"},
                          {"key", "compute.googleapis.com/reservation-name"},
                          {"values", {"projects/my-project/zones/us-east5-b/reservations/my-reservation"}}}));
  launch_request v3_job = request_for("v3-8");
  v3_job.max_restarts = 0;
  const json job = vertex_custom_job(v3_job);
  CHECK(vertex_problem(job) == "");
  CHECK(job["jobSpec"]["workerPoolSpecs"][0]["machineSpec"] ==
        json({{"machineType", "cloud-tpu"}, {"acceleratorType", "TPU_V3"}, {"acceleratorCount", 8}}));
  CHECK(job["jobSpec"]["scheduling"]["restartJobOnWorkerRestart"] == false);
  CHECK(job["jobSpec"]["scheduling"]["disableRetries"] == true);
}

TEST_CASE("every slice is written for Vertex AI as documented, or refused") {
  std::int64_t written = 0;
  for_each_request([&](const launch_request& r) {
    INFO(name(r.where).view() << " x " << r.slices << " " << name(r.capacity));
    const bool offered = documented()["vertex"]["generations"].dump().find('"' + std::string(r.where.chip.name.view()) +
                                                                           '"') != std::string::npos;
    const refusal got = refusal_of([&] { (void)vertex_custom_job(r); });
    if (!got.refused) {
      CHECK(offered);
      CHECK(vertex_problem(vertex_custom_job(r)) == "");
      ++written;
    } else {
      CHECK(got.code != errc::malformed_input);
    }
  });
  // v2-8, v3-8 on demand and spot; v5e and v6e: 8 shapes, 2x4 twice, on demand, v6e in calendar mode too; spot on one
  // VM: 3 each
  CHECK(written == 2 * 2 + 2 * (9 + 3) + 9);
}

// ---- GKE

TEST_CASE("a JobSet of GKE", "[golden]") {
  launch_request r = spot_request("v6e-256", 2);
  maxtext_run run = fsdp_run(r, 1024);
  run.extra = {"model_name=llama3.1-8b", "dataset_type=synthetic", "learning_rate=3e-4"};
  r.command = maxtext_command(r, run);
  const ordered_json manifest = gke_manifest(r);
  CHECK(gke_problem(manifest) == "");
  CHECK(golden_problem("launch/gke_jobset.json", manifest.dump(2) + "\n") == "");
  const json& spec = manifest["spec"];
  CHECK(spec["failurePolicy"]["maxRestarts"] == 100);
  const json& group = spec["replicatedJobs"][0];
  CHECK(group["replicas"] == 2);
  CHECK(group["template"]["spec"]["parallelism"] == 64);
  CHECK(group["template"]["spec"]["completions"] == 64);
  CHECK(group["template"]["spec"]["backoffLimit"] == 0);
}

TEST_CASE("a Job of GKE where one VM is the slice", "[golden]") {
  launch_request r = request_for("v5e-8");
  r.capacity = provisioning::flex_start;
  r.max_restarts = 0;
  r.command = {"bash", "-c", "echo $(hostname) $$ \"a: b\" # c"};
  const ordered_json manifest = gke_manifest(r);
  CHECK(gke_problem(manifest) == "");
  CHECK(golden_problem("launch/gke_job.json", manifest.dump(2) + "\n") == "");
  CHECK(manifest["spec"]["backoffLimit"] == 0);
  CHECK(gke_manifest(request_for("v5e-8"))["spec"]["backoffLimit"] == 100);
  const launch_request two = [] {
    launch_request on_two = request_for("v5e-8");
    on_two.where = on_machine_type(on_two.where, "ct5lp-hightpu-4t");
    return on_two;
  }();
  CHECK(gke_manifest(two)["kind"] == "JobSet");
  CHECK(gke_manifest(two)["spec"]["replicatedJobs"][0]["template"]["spec"]["parallelism"] == 2);
}

TEST_CASE("every slice is written for GKE as documented, or refused") {
  const json& table = documented().at("gke").at("accelerators");
  std::int64_t written = 0;
  for_each_request([&](const launch_request& r) {
    INFO(name(r.where).view() << " x " << r.slices << " " << name(r.capacity));
    const std::string chip(r.where.chip.name.view());
    const refusal got = refusal_of([&] { (void)gke_manifest(r); });
    if (got.refused) return;
    ++written;
    const ordered_json manifest = gke_manifest(r);
    CHECK(gke_problem(manifest) == "");
    const bool one = vms(r.where) == 1;
    const json& job = one ? manifest["spec"] : manifest["spec"]["replicatedJobs"][0]["template"]["spec"];
    const json& pod = job["template"]["spec"];
    REQUIRE(table.contains(chip));
    CHECK(pod["nodeSelector"]["cloud.google.com/gke-tpu-accelerator"] == table[chip][one ? "one_vm" : "more"]);
    CHECK(pod["nodeSelector"]["cloud.google.com/gke-tpu-topology"] == std::string(name(r.where.shape).view()));
    CHECK(pod["nodeSelector"].contains("cloud.google.com/gke-spot") == (r.capacity == provisioning::spot));
    CHECK(job["parallelism"].get<std::int64_t>() * r.where.chips_per_vm == chips(r.where));
    const auto& documented_flex = documented().at("gke").at("flex_start");
    if (r.capacity == provisioning::flex_start)
      CHECK(std::find(documented_flex.begin(), documented_flex.end(), chip) != documented_flex.end());
  });
  CHECK(written > 1000);
  for (const char* slice_name : {"v3-8", "v4-8", "v5e-1", "v5e-256", "v5p-128", "v6e-8", "tpu7x-2", "tpu7x-256"})
    CHECK_FALSE(refusal_of([&] { (void)gke_manifest(request_for(slice_name)); }).refused);
}

TEST_CASE("the node pools of GKE") {
  launch_request r = request_for("v5p-128", 2);
  r.cluster = "tpus";
  std::vector<shell_words> pools = gke_node_pools(r);
  REQUIRE(pools.size() == 2);
  CHECK(shell_line(pools[1]) ==
        "gcloud container node-pools create llama-8b-1 --cluster=tpus --project=my-project --location=us-east5 "
        "--node-locations=us-east5-b --machine-type=ct5p-hightpu-4t --tpu-topology=4x4x4 --num-nodes=16");
  r = spot_request("tpu7x-128");
  r.cluster = "tpus";
  r.zone = "us-central1-ai1a";
  pools = gke_node_pools(r);
  REQUIRE(pools.size() == 2);
  CHECK(shell_line(pools[0]) ==
        "gcloud compute resource-policies create workload-policy llama-8b-policy --project=my-project "
        "--region=us-central1 --type=HIGH_THROUGHPUT --accelerator-topology=4x4x4");
  CHECK(has(pools[1], "--placement-policy=llama-8b-policy"));
  CHECK(has(pools[1], "--spot"));
  std::int64_t made = 0;
  for_each_request([&](launch_request one) {
    one.cluster = "tpus";
    if (refusal_of([&] { (void)gke_node_pools(one); }).refused) return;
    INFO(name(one.where).view() << " x " << one.slices << " " << name(one.capacity));
    for (const shell_words& words : gke_node_pools(one)) CHECK(gcloud_problem(words) == "");
    ++made;
  });
  CHECK(made > 1000);
}

// ---- gcloud

TEST_CASE("commands of gcloud", "[golden]") {
  launch_request r = spot_request("v6e-256", 2);
  r.command = {"bash", "-c", "echo \"$(hostname)\" 'it'"};
  const gcloud_launch commands = gcloud_commands(r);
  const std::string create = shell_line(commands.create);
  CHECK(says(create,
             "gcloud compute tpus queued-resources create llama-8b --project=my-project --zone=us-east5-b "
             "--node-count=2 --node-prefix=llama-8b --accelerator-type=v6e-256 --runtime-version=v2-alpha-tpuv6e "
             "'--metadata=checkpoint-dir=gs://my-bucket/llama,startup-script=#!/bin/sh\n(sleep 3600; "));
  CHECK(says(create, ") &' --spot"));
  CHECK(golden_problem("launch/gcloud.sh", gcloud_script(r)) == "");
  r = request_for("v4-4x4x16");
  r.capacity = provisioning::spot;
  r.image.clear();
  CHECK(shell_line(gcloud_commands(r, tpu_creation::tpu_vm).create) ==
        "gcloud compute tpus tpu-vm create llama-8b --project=my-project --zone=us-east5-b --type=v4 --topology=4x4x16 "
        "--version=tpu-ubuntu2204-base --metadata=checkpoint-dir=gs://my-bucket/llama --spot");
}

TEST_CASE("a run on flex-start goes on in pieces where restarts suffice") {
  launch_request r = request_for("v6e-8");
  r.capacity = provisioning::flex_start;
  r.run = 200_days;
  r.max_run = 1_days;
  r.max_restarts = 198;
  CHECK(
      says(refusal_of([&] { (void)gcloud_commands(r); }).message, "max_restarts is 198; valid: at least one for each"));
  r.max_restarts = 199;
  CHECK(has(gcloud_commands(r).create, "--max-run-duration=86400s"));
}

TEST_CASE("flex-start and reservations by gcloud") {
  launch_request r = request_for("v5e-64");
  r.capacity = provisioning::flex_start;
  CHECK(has(gcloud_commands(r).create, "alpha"));
  CHECK(has(gcloud_commands(r).create, "--provisioning-model=flex-start"));
  CHECK(has(gcloud_commands(r).create, "--max-run-duration=604800s"));
  r.max_run = 90_s * 40;
  CHECK(has(gcloud_commands(r).create, "--max-run-duration=3600s"));
  r = request_for("v5p-128");
  r.reservation = "my-reservation";
  CHECK(has(gcloud_commands(r).create,
            "--reservation=projects/my-project/locations/us-east5-b/reservations/my-reservation"));
  CHECK_FALSE(has(gcloud_commands(r).create, "--provisioning-model=reservation-bound"));
  r.capacity = provisioning::calendar;
  CHECK(has(gcloud_commands(r).create, "--provisioning-model=reservation-bound"));
}

TEST_CASE("without a program the script only creates") {
  launch_request r = request_for("v6e-8");
  r.image.clear();
  CHECK(gcloud_commands(r).run.empty());
  CHECK(gcloud_script(r) == detail::script_head(r) + shell_lines(gcloud_commands(r).create) + "\n");
  r.command = {"true"};
  const auto runs = [&r](std::string_view line) { return says(gcloud_commands(r).run.back(), line); };
  CHECK(runs("nohup bash -c '(env CHECKPOINT_DIR=gs://my-bucket/llama true\n); status=$?;"));
  CHECK(runs("; exit \"$(cat "));
  r.checkpoint.clear();
  CHECK(runs("nohup bash -c '(true\n); status=$?;"));
  // What ends the TPUs where nobody does: the first VM, half an hour after the program.
  CHECK(says(gcloud_commands(r).run.back(), "sleep 1800; [ -e /tmp/llama-8b.keep ] || case $(hostname) in *-w-0)"));
  CHECK(says(gcloud_commands(r).run.back(), "queued-resources delete llama-8b"));
}

TEST_CASE("every slice is written for gcloud as documented, or refused") {
  const json& versions = documented().at("gcloud").at("runtime_versions");
  std::int64_t written = 0;
  for (const tpu_creation how : {tpu_creation::queued_resource, tpu_creation::tpu_vm}) {
    for_each_request([&](const launch_request& r) {
      if (refusal_of([&] { (void)gcloud_commands(r, how); }).refused) return;
      INFO(name(r.where).view() << " x " << r.slices << " " << name(r.capacity));
      ++written;
      const gcloud_launch commands = gcloud_commands(r, how);
      for (const shell_words* words : {&commands.create, &commands.state, &commands.run, &commands.remove})
        CHECK(gcloud_problem(*words) == "");
      const std::string version = versions.at(std::string(r.where.chip.name.view()));
      const bool queued = how == tpu_creation::queued_resource;
      CHECK(has(commands.create, (queued ? "--runtime-version=" : "--version=") + version));
      CHECK(has(commands.create, "--spot") == (r.capacity == provisioning::spot));
      const json& flex = documented().at("gcloud").at("flex_start");
      if (r.capacity == provisioning::flex_start)
        CHECK(std::count(flex.begin(), flex.end(), std::string(r.where.chip.name.view())) == 1);
    });
  }
  CHECK(written > 500);
}

// ---- what services do not have

TEST_CASE("what a service does not have is refused by the name of the field, with the reason") {
  struct row {
    const char* what;
    std::function<void()> call;
    errc code;
    std::vector<const char*> says;
  };
  const auto vertex = [](const launch_request& r) { return [r] { (void)vertex_custom_job(r); }; };
  const auto gke = [](const launch_request& r) { return [r] { (void)gke_manifest(r); }; };
  const auto pools = [](const launch_request& r) { return [r] { (void)gke_node_pools(r); }; };
  const auto queued = [](const launch_request& r) { return [r] { (void)gcloud_commands(r); }; };
  const auto tpu_vm = [](const launch_request& r) { return [r] { (void)gcloud_commands(r, tpu_creation::tpu_vm); }; };
  const auto with = [](launch_request r, const plain_call<void(launch_request&)>& change) {
    change(r);
    return r;
  };
  const auto flex = [&](std::string_view slice_name, std::int64_t slices = 1) {
    return with(request_for(slice_name, slices), [](launch_request& r) { r.capacity = provisioning::flex_start; });
  };
  const auto for_3h = [](launch_request& r) { r.max_run = 3_h; };
  const auto reserved = [](launch_request& r) { r.reservation = "mine"; };
  const std::vector<row> rows = {
      {"spot pods on Vertex AI", vertex(spot_request("v5e-16")), errc::unsupported, {"provisioning is spot", "one VM"}},
      {"flex-start on Vertex AI", vertex(flex("v5e-8")), errc::unsupported, {"flex_start", "GPUs only"}},
      {"slices on Vertex AI", vertex(request_for("v6e-16", 2)), errc::unsupported, {"slices is 2", "one slice"}},
      {"v4 on Vertex AI", vertex(request_for("v4-8")), errc::unsupported, {"slice is v4-8", "v2, v3, v5e or v6e"}},
      {"v5p on Vertex AI", vertex(request_for("v5p-8")), errc::unsupported, {"slice is v5p-8"}},
      {"tpu7x on Vertex AI", vertex(request_for("tpu7x-8")), errc::unsupported, {"slice is tpu7x-8"}},
      {"v3 pod on Vertex AI", vertex(request_for("v3-32")), errc::unsupported, {"slice is v3-32", "one VM"}},
      {"reserved v3 on Vertex AI", vertex(with(request_for("v3-8"), reserved)), errc::unsupported, {"reservation"}},
      {"no image on Vertex AI",
       vertex(with(request_for("v6e-8"), [](launch_request& r) { r.image.clear(); })),
       errc::missing_field,
       {"image is missing"}},
      {"longer than a week on Vertex AI",
       vertex(with(request_for("v6e-8"), [](launch_request& r) { r.run = 8_days; })),
       errc::missing_field,
       {"max_run is missing", "7 days"}},
      {"reservation without a project",
       vertex(with(request_for("v6e-8"),
                   [](launch_request& r) {
                     r.reservation = "mine";
                     r.project.clear();
                   })),
       errc::missing_field,
       {"project is missing"}},
      {"v2 on GKE", gke(request_for("v2-8")), errc::unsupported, {"slice is v2-8", "v3, v4, v5e, v5p, v6e or tpu7x"}},
      {"slices of v3 on GKE",
       gke(request_for("v3-32", 2)),
       errc::unsupported,
       {"slices is 2", "v4, v5e, v5p, v6e or tpu7x"}},
      {"slices of one VM on GKE", gke(request_for("v6e-8", 2)), errc::unsupported, {"slices is 2", "one VM"}},
      {"flex-start of v4 on GKE", gke(flex("v4-8")), errc::unsupported, {"documented for v5e, v5p, v6e or tpu7x"}},
      {"flex-start of several VMs on GKE",
       gke(flex("v5e-16")),
       errc::unsupported,
       {"several VMs is documented for v6e or tpu7x"}},
      {"restarts of flex-start on GKE", gke(flex("v6e-16")), errc::invalid_argument, {"max_restarts is 100"}},
      {"limit on GKE", gke(with(request_for("v6e-16"), for_3h)), errc::unsupported, {"max_run is 10800"}},
      {"no cluster", pools(request_for("v6e-16")), errc::missing_field, {"cluster is missing"}},
      {"pool of v3 on several VMs",
       pools(with(request_for("v3-32"), [](launch_request& r) { r.cluster = "tpus"; })),
       errc::unsupported,
       {"slice is v3-32", "one VM"}},
      {"manifest of v3 on several VMs", gke(request_for("v3-32")), errc::unsupported, {"slice is v3-32", "one VM"}},
      {"tpu7x by gcloud", queued(request_for("tpu7x-128")), errc::unsupported, {"slice is tpu7x-128", "has no others"}},
      {"v4-8192 by gcloud", queued(request_for("v4-8192")), errc::unsupported, {"slice is v4-8192", "2048 chips"}},
      {"slices of v3 by gcloud", queued(request_for("v3-32", 2)), errc::unsupported, {"slices is 2", "v4"}},
      {"flex-start of v5p by gcloud", queued(flex("v5p-8")), errc::unsupported, {"flex-start is for v5e or v6e"}},
      {"limit by gcloud", queued(with(request_for("v6e-8"), for_3h)), errc::unsupported, {"max_run", "flex-start"}},
      {"VMs by gcloud",
       queued(with(request_for("v6e-8"),
                   [](launch_request& r) { r.where = on_machine_type(r.where, "ct6e-standard-4t"); })),
       errc::unsupported,
       {"chips_per_vm is 4"}},
      {"no zone by gcloud",
       queued(with(request_for("v6e-8"), [](launch_request& r) { r.zone.clear(); })),
       errc::missing_field,
       {"zone is missing"}},
      {"no project by gcloud",
       queued(with(request_for("v6e-8"), [](launch_request& r) { r.project.clear(); })),
       errc::missing_field,
       {"project is missing"}},
      {"slices as a TPU VM", tpu_vm(request_for("v6e-16", 2)), errc::unsupported, {"slices is 2", "queued resource"}},
      {"flex-start as a TPU VM", tpu_vm(flex("v6e-16")), errc::unsupported, {"flex_start", "queued resource"}},
      {"reservation as a TPU VM", tpu_vm(with(request_for("v6e-8"), reserved)), errc::unsupported, {"queued resource"}},
  };
  for (const row& one : rows) {
    INFO(one.what);
    const refusal got = refusal_of([&] { one.call(); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == one.code);
    for (const char* part : one.says) CHECK(says(got.message, part));
  }
}

TEST_CASE("a chip under another name is offered nowhere") {
  launch_request r = request_for("v6e-256");
  r.where.chip.name = "mine";
  for (const auto& call :
       std::vector<plain_call<void()>>{[&] { (void)vertex_custom_job(r); }, [&] { (void)gke_manifest(r); },
                                       [&] { (void)gke_node_pools(r); }, [&] { (void)gcloud_commands(r); }}) {
    const refusal got = refusal_of(call);
    INFO(got.message);
    CHECK(got.code == errc::unsupported);
    CHECK(says(got.message, "slice is mine; valid: a chip that Google rents out: v2, v3, v4, v5e, v5p, v6e or tpu7x"));
  }
  CHECK(says(refusal_of([&] { (void)on_machine_type(r.where, "ct6e-standard-4t"); }).message, "no documented machine"));
}

TEST_CASE("machine types that do not exist or do not fit are refused") {
  const slice s = slice_for("v5e-8");
  CHECK(vms(on_machine_type(s, "ct5lp-hightpu-4t")) == 2);
  CHECK(vms(on_machine_type(s, "ct5lp-hightpu-8t")) == 1);
  CHECK(vms(on_machine_type(slice_for("v5p-4x4x12"), "ct5p-hightpu-4t")) == 48);
  struct row {
    const char* slice_name;
    const char* type;
    errc code;
    const char* says;
  };
  for (const row& r : {row{"v5e-32", "ct5lp-hightpu-32t", errc::unknown_name, "no such machine type"},
                       row{"v5e-256", "ct5lp-hightpu-256t", errc::unknown_name, "ct5lp-hightpu-4t"},
                       row{"v6e-32", "ct6e-standard-16t", errc::unknown_name, "ct6e-standard-4t"},
                       row{"v6e-8", "n1-standard-8", errc::unknown_name, "ct6e-standard-4t or ct6e-standard-8t"},
                       row{"v5e-8", "ct5lp-hightpu-1t", errc::invalid_argument, "ct5lp-hightpu-8t"},
                       row{"v6e-16", "ct6e-standard-8t", errc::invalid_argument, "ct6e-standard-4t"},
                       row{"v5e-8", "ct5l-hightpu-8t", errc::invalid_argument, "ct5lp-hightpu-8t"},
                       row{"tpu7x-8", "tpu7x-ultranet-4t", errc::invalid_argument, "tpu7x-standard-4t"},
                       row{"v2-8", "ct3-hightpu-4t", errc::invalid_argument, "no documented machine type"},
                       row{"v2-8", "n1-standard-8", errc::unknown_name, "no documented machine type"},
                       row{"v5e-8", "ct5lp-hightpu-32t\n$(id)", errc::unknown_name, "32t?$(id)"},
                       row{"v5e-8", "", errc::unknown_name, "valid"}}) {
    INFO(r.slice_name << " on " << r.type);
    const refusal got = refusal_of([&] { (void)on_machine_type(slice_for(r.slice_name), r.type); });
    INFO(got.message);
    CHECK(got.code == r.code);
    CHECK(says(got.message, r.says));
  }
}

// ---- MaxText

TEST_CASE("a layout as arguments of MaxText") {
  const launch_request r = request_for("v6e-256", 2);
  maxtext_run run = fsdp_run(r, 1024);
  run.steps = 1000;
  run.checkpoint_period = 300;
  run.extra = {"model_name=llama3.1-8b", "dataset_type=synthetic", "learning_rate=3e-4"};
  CHECK(maxtext_arguments(r, run) ==
        std::vector<std::string>{"run_name=llama-8b", "base_output_directory=gs://my-bucket/llama",
                                 "ici_fsdp_parallelism=256", "dcn_data_parallelism=2", "per_device_batch_size=2.0",
                                 "max_target_length=8192", "remat_policy=full", "steps=1000", "checkpoint_period=300",
                                 "max_num_checkpoints_to_keep=3", "model_name=llama3.1-8b", "dataset_type=synthetic",
                                 "learning_rate=3e-4"});
  const std::vector<std::string> words = maxtext_command(r, run);
  CHECK(words[1] == "-m");
  CHECK(words[2] == documented()["maxtext"]["entry"].get<std::string>());
  launch_request nowhere = r;
  nowhere.checkpoint.clear();
  CHECK(has(maxtext_arguments(nowhere, run), "enable_checkpointing=false"));
  // 64 chips of tpu7x are 128 devices; half of a sequence for each.
  const launch_request wide = request_for("tpu7x-128");
  maxtext_run split = fsdp_run(wide, 256);
  split.mesh.fsdp = 32;
  split.mesh.tensor = 4;
  split.job.gradient_accumulation = 4;
  const std::vector<std::string> arguments = maxtext_arguments(wide, split);
  CHECK(has(arguments, "ici_fsdp_parallelism=32"));
  CHECK(has(arguments, "ici_tensor_parallelism=4"));
  CHECK(has(arguments, "per_device_batch_size=0.5"));
  CHECK(has(arguments, "gradient_accumulation_steps=4"));
}

TEST_CASE("a model of one's own is its dimensions to MaxText, one that it knows its name") {
  const json& keys = documented().at("maxtext").at("optional_keys");
  const json& all = documented().at("maxtext").at("all_keys");
  for (const char* list : {"keys", "optional_keys"}) {
    for (const json& key : documented().at("maxtext").at(list))
      CHECK(std::find(all.begin(), all.end(), key) != all.end());
  }
  std::int64_t named = 0, written = 0;
  for (const detail::maxtext_model& one : detail::maxtext_models) {
    transformer model = detail::maxtext_model_from({"model_name=" + std::string(one.name)});
    INFO(one.name);
    CHECK(detail::maxtext_model_arguments(model) == std::vector<std::string>{"model_name=" + std::string(one.name)});
    ++named;
    model.name = "mine";
    if (refusal_of([&] { (void)detail::maxtext_model_arguments(model); }).refused) continue;
    const std::vector<std::string> arguments = detail::maxtext_model_arguments(model);
    CHECK(detail::built_model(detail::maxtext_model_from(arguments)) == detail::built_model(model));
    for (const std::string& argument : arguments)
      CHECK(std::find(keys.begin(), keys.end(), argument.substr(0, argument.find('='))) != keys.end());
    ++written;
  }
  CHECK(named > 40);
  CHECK(written > 30);
  const launch_request r = request_for("v6e-256");
  maxtext_run run = fsdp_run(r, 1024);
  run.model = detail::maxtext_model_from({"model_name=llama3.1-8b"});
  run.model.name = "my7b";
  run.model.layers = 30;
  run.extra = {"dataset_path=gs://my-bucket/text", "learning_rate=3e-4"};
  const std::vector<std::string> words = maxtext_command(r, run);
  for (const char* word :
       {"decoder_block=llama2", "base_num_decoder_layers=30", "base_emb_dim=4096", "base_num_query_heads=32",
        "base_num_kv_heads=8", "head_dim=128", "base_mlp_dim=14336", "vocab_size=128256"})
    CHECK(has(words, word));
  const auto refused = [&](const std::vector<std::string>& extra) {
    run.extra = extra;
    return refusal_of([&] { (void)maxtext_command(r, run); }).message;
  };
  CHECK(says(refused({"learning_rate=3e-4"}), "dataset is missing; valid: arguments such as dataset_path="));
  CHECK(says(refused({"dataset_type=synthetic"}), "learning_rate is missing; valid: an argument"));
  CHECK(
      says(refused({"model_name=llama3.1-8b"}), "MaxText argument is model_name=llama3.1-8b; valid: the plan's model"));
  CHECK(says(refused({"model_name=lama"}), "model_name is lama"));
  CHECK(says(refused({"vocab_size=32000"}),
             "MaxText argument is vocab_size; valid: a key that the plan does not decide"));
  run.model.attention.sinks = true;
  CHECK(says(refused({}), "model is my7b; valid: a model that MaxText builds, or base_emb_dim"));
  CHECK(says(refused({}), "nearest is decoder_block=llama2, but here attention.sinks is true, not false"));
}

TEST_CASE("MaxText gets a block that routes where there are experts, and one that norms where there are such norms") {
  const auto written = [](transformer model, std::int64_t tokens = 0) {
    return detail::maxtext_model_arguments(model, tokens);
  };
  const auto model_of = [](const char* file) {
    return load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/" + file).model;
  };
  using words = std::vector<std::string>;
  transformer coder = model_of("qwen3-coder-480b-a35b.json");
  CHECK(written(coder) == words{"model_name=qwen3-480b-a35b"});
  coder.name = "mine";
  CHECK(written(coder).front() == "decoder_block=qwen3_moe");
  CHECK(has(written(coder), "use_qk_norm=true"));
  coder.attention.qk_norm = false;
  CHECK(written(coder).front() == "decoder_block=mixtral");
  transformer dense = model_of("qwen3-32b.json");
  dense.name = "mine";
  CHECK(has(written(dense), "use_qk_norm=true"));
  for (const char* const no_key : {"decoder_block=llama2", "decoder_block=mixtral"})
    CHECK_FALSE(has(written(dense), no_key));
  // What MaxText calls otherwise: by name, with its rows of padding, and windows that the text does not fill.
  CHECK(written(model_of("deepseek-v3.json")) == words{"model_name=deepseek3-671b"});
  CHECK(written(model_of("gemma-2-9b.json")) == words{"model_name=gemma2-9b"});
  CHECK(written(model_of("olmo-3-7b.json")) == words{"model_name=olmo3-7b"});
  CHECK(written(model_of("mistral-7b-v0.1.json"), 4096) == words{"model_name=mistral-7b"});
  const auto refused = [&](const char* file) {
    return refusal_of([&] { (void)written(model_of(file), 8192); }).message;
  };
  CHECK(
      says(refused("mistral-7b-v0.1.json"), "but here attention.local_layers is 32, not 0; attention.window is 4096"));
  CHECK(says(refused("smollm3-3b.json"), "in this one every fourth layer has no RoPE"));
  CHECK(says(refused("phi-4-mini.json"), "in this one RoPE rotates three quarters of each head"));
  CHECK(says(refused("minimax-m2.json"), "attention.wide_qk_norm is true, not false"));
}

TEST_CASE("MaxText is compiled with the flags of its recipes, with one's own, or refused") {
  const launch_request v6e = request_for("v6e-256");
  maxtext_run run = fsdp_run(v6e, 1024);
  run.model = llama_3_8b();
  run.extra = {"dataset_type=synthetic", "learning_rate=3e-4"};
  CHECK(maxtext_command(v6e, run).front() == "python3");
  run.compiler_flags = "recipe";
  std::vector<std::string> words = maxtext_command(v6e, run);
  CHECK(words[0] == "env");
  CHECK(words[1].rfind("LIBTPU_INIT_ARGS=--xla_tpu_scoped_vmem_limit_kib=98304 --xla_tpu_enable_async", 0) == 0);
  CHECK(words[2] == "python3");
  CHECK_FALSE(says(words[1], "host_transfer"));
  run.job.remat = remat::minimal_offloaded;
  CHECK(says(maxtext_command(v6e, run)[1], "--xla_tpu_host_transfer_overlap_limit=24"));
  run.model.moe.experts = 8, run.model.moe.top_k = 2, run.model.moe.expert_d_ff = 14336;
  CHECK(says(recipe_flags(v6e.where.chip, run), "--xla_tpu_scoped_vmem_limit_kib=81920"));
  // Every flag is one of the files that the data names, and reads as one for the shell.
  for (const char* kind : {"maxtext_dense", "maxtext_experts", "maxtext_offload"}) {
    for (const auto& [chip, flags] : documented().at(kind).at("generations").items()) {
      run.compiler_flags = flags.get<std::string>();
      INFO(kind << " " << chip);
      CHECK(detail::maxtext_environment(v6e, run)[1] == "LIBTPU_INIT_ARGS=" + run.compiler_flags);
    }
  }
  run.model = llama_3_8b();
  run.compiler_flags = "recipe";
  const auto refused = [&] {
    return refusal_of([&] { (void)detail::maxtext_environment(request_for("v5e-16"), run); });
  };
  CHECK(says(refused().message, "on v5e was read, but on v6e or tpu7x"));
  for (const std::string& other : {std::string("abc"), std::string("-x"), "--" + std::string(4095, 'x')}) {
    run.compiler_flags = other;
    CHECK(says(refused().message, "recipe, or flags such as"));
  }
  run.compiler_flags = "--" + std::string(4094, 'x');
  CHECK(detail::maxtext_environment(request_for("v5e-16"), run).size() == 2);
  run.compiler_flags = "--x=$(reboot)";
  CHECK(says(refused().message, "compiler_flags is --x=$(reboot); valid: recipe, or flags such as"));
}

TEST_CASE("MaxText finds the batch again from the part of a device") {
  for (std::int64_t devices = 1; devices <= 600; ++devices) {
    for (const std::int64_t batch : {std::int64_t{1}, devices - 1, devices, 3 * devices + 1, std::int64_t{4099}}) {
      const double each = detail::per_device_batch(batch, devices);
      INFO(batch << " on " << devices);
      CHECK(static_cast<std::int64_t>(static_cast<double>(devices) * json::parse(json(each).dump()).get<double>()) ==
            batch);
    }
  }
}

TEST_CASE("keys and policies are ones that MaxText has") {
  const json& maxtext = documented().at("maxtext");
  const auto known = [&](const std::string& key) {
    const json& keys = maxtext.at("keys");
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  launch_request r = request_for("v5p-1024", 4);
  maxtext_run run = fsdp_run(r, 4096);
  run.mesh = {2, 4, 2, 2, 2, 8, 2, 2, 1, mesh_unit::devices};
  run.layers = 32;
  run.job.gradient_accumulation = 2;
  std::vector<remat_policy> policies;
  for (const named_remat_policy& named : remat_policies) policies.push_back(named.policy);
  policies.push_back(detail::policy("H..DHD.."));
  for (const remat_policy& policy : policies) {
    run.job.remat = policy;
    for (const std::string& argument : maxtext_arguments(r, run)) {
      INFO(name(policy) << ": " << argument);
      const std::string key = argument.substr(0, argument.find('='));
      CHECK(known(key));
      const json& valid = maxtext.at("remat_policies");
      if (key == "remat_policy") CHECK(std::find(valid.begin(), valid.end(), argument.substr(13)) != valid.end());
    }
  }
  const std::vector<std::string> arguments = maxtext_arguments(r, run);
  for (const char* word : {"remat_policy=custom", "decoder_layer_input=offload", "context=remat", "out_proj=device",
                           "mlpwi_0=offload", "mlpwo=device", "ici_pipeline_parallelism=8", "dcn_fsdp_parallelism=2"})
    CHECK(has(arguments, word));
  run.job.remat = remat::save_context;
  CHECK(has(maxtext_arguments(r, run), "context=device"));

  // Formats and what is not MaxText's own default.
  const auto with = [&](auto change) {
    maxtext_run other = run;
    change(other.job);
    const std::vector<std::string> got = maxtext_arguments(r, other);
    for (const std::string& argument : got) CHECK(known(argument.substr(0, argument.find('='))));
    return got;
  };
  CHECK(has(with([](training_job& j) { j.weights = j.moments = dtype::bf16; }), "weight_dtype=bfloat16"));
  CHECK(has(with([](training_job& j) { j.compute = dtype::fp32; }), "dtype=float32"));
  CHECK(has(with([](training_job& j) { j.compute = dtype::fp16; }), "dtype=float16"));
  CHECK(has(with([](training_job& j) { j.compute = dtype::int8; }), "quantization=int8"));
  CHECK(has(with([](training_job& j) { j.attention = attention_kernel::unfused; }), "attention=dot_product"));
  CHECK(has(with([](training_job& j) { j.vocabulary_tiles = 4; }), "num_vocab_tiling=4"));
  CHECK(has(with([](training_job& j) { j.pipeline_microbatches = 0; }), "num_pipeline_microbatches=32"));  // 4 x 8
  CHECK(has(with([](training_job& j) { j.pipeline_microbatches = 1; }), "num_pipeline_microbatches=1"));
  CHECK(has(with([](training_job& j) { j.pipeline_microbatches = 16; }), "num_pipeline_microbatches=16"));
  CHECK(has(with([](training_job& j) { j.capacity_factor = 1.25; }), "capacity_factor=1.25"));
  CHECK(has(with([](training_job& j) { j.capacity_factor = 1.25; }), "sparse_matmul=false"));
  const std::vector<std::string> rounds = with([](training_job& j) { j.pipeline_rounds = 2; });
  CHECK(has(rounds, "num_pipeline_repeats=2"));
  CHECK(has(rounds, "num_layers_per_pipeline_stage=2"));
  CHECK(has(arguments, "num_layers_per_pipeline_stage=4"));
  const std::vector<std::string> offloaded = with([](training_job& j) { j.state_on_host = host_state::optimizer; });
  CHECK(has(offloaded, "optimizer_memory_host_offload=true"));
  CHECK_FALSE(has(offloaded, "parameter_memory_host_offload=true"));
  CHECK(has(with([](training_job& j) { j.state_on_host = host_state::parameters_and_optimizer; }),
            "parameter_memory_host_offload=true"));
}

TEST_CASE("what MaxText cannot do is refused") {
  const launch_request r = request_for("v6e-16", 2);
  struct row {
    plain_call<void(maxtext_run&)> change;
    errc code;
    const char* says;
  };
  const std::vector<row> rows = {
      {[](maxtext_run& m) { m.mesh.fsdp = 8; }, errc::invalid_argument, "the 16 devices of v6e-16"},
      {[](maxtext_run& m) { m.mesh.dcn_data = 1; }, errc::invalid_argument, "slices is 2"},
      {[](maxtext_run& m) { m.mesh.unit = mesh_unit::chips; }, errc::unsupported, "layout.unit"},
      {[](maxtext_run& m) { m.job.global_batch = 0; }, errc::missing_field, "global_batch is 0"},
      {[](maxtext_run& m) { m.job.global_batch = (std::int64_t{1} << 53) + 1; }, errc::out_of_range, "at most 2^53"},
      {[](maxtext_run& m) { m.job.sequence_length = -1; }, errc::invalid_argument, "sequence_length is -1"},
      {[](maxtext_run& m) { m.job.gradient_accumulation = 3; }, errc::not_divisible,
       "training_job.global_batch is 256"},
      {[](maxtext_run& m) { m.job.global_batch = 17; }, errc::not_divisible,
       "training_job.global_batch is 17; valid: a multiple of"},
      {[](maxtext_run& m) { m.steps = -1; }, errc::invalid_argument, "steps is -1"},
      {[](maxtext_run& m) { m.job.remat = detail::policy("D.....D."); }, errc::unsupported, "remat is custom"},
      {[](maxtext_run& m) { m.job.optimizer = optimizer_kind::lion; }, errc::unsupported,
       "training_job.optimizer is lion"},
      {[](maxtext_run& m) { m.job.moments = dtype::bf16; }, errc::unsupported, "training_job.moments is bf16"},
      {[](maxtext_run& m) { m.job.weights = m.job.moments = dtype::int8; }, errc::unsupported, "training_job.weights"},
      {[](maxtext_run& m) { m.job.compute = dtype::fp8; }, errc::unsupported, "training_job.compute is fp8"},
      {[](maxtext_run& m) { m.mesh.fsdp = 8, m.mesh.pipeline = 2; }, errc::missing_field, "layers is 0"},
      {[](maxtext_run& m) { m.mesh.fsdp = 8, m.mesh.pipeline = 2, m.layers = 31; }, errc::not_divisible,
       "layers is 31"},
      {[](maxtext_run& m) { m.job.pipeline_rounds = 0; }, errc::missing_field, "pipeline_rounds"},
      {[](maxtext_run& m) { m.job.work_multiplier = 2; }, errc::unsupported, "training_job.work_multiplier is 2"},
      {[](maxtext_run& m) { m.job.images_per_sequence = 1; }, errc::unsupported,
       "training_job.images_per_sequence is 1"},
      {[](maxtext_run& m) { m.job.lora_rank = 8; }, errc::unsupported, "training_job.lora_rank is 8"},
      {[](maxtext_run& m) { m.job.vocabulary_tiles = 0; }, errc::missing_field, "vocabulary_tiles"},
      {[](maxtext_run& m) { m.job.capacity_factor = -1; }, errc::invalid_argument, "capacity_factor"},
      {[](maxtext_run& m) { m.extra = {"steps"}; }, errc::invalid_argument, "key=value"},
      {[](maxtext_run& m) { m.extra = {"--x=1"}; }, errc::invalid_argument, "key=value"},
      {[](maxtext_run& m) { m.extra = {"a b=1"}; }, errc::invalid_argument, "key=value"},
      {[](maxtext_run& m) { m.extra = {"=1"}; }, errc::invalid_argument, "key=value"},
      {[](maxtext_run& m) { m.extra = {"ici_fsdp_parallelism=4"}; }, errc::invalid_argument, "does not decide"},
      {[](maxtext_run& m) {
         m.extra = {"a=1", "a=2"};
       },
       errc::invalid_argument, "given once"},
  };
  for (const row& one : rows) {
    maxtext_run run = fsdp_run(r, 256);
    one.change(run);
    const refusal got = refusal_of([&] { (void)maxtext_arguments(r, run); });
    INFO(one.says << " / " << got.message);
    CHECK(got.code == one.code);
    CHECK(got.refused);
    CHECK(says(got.message, one.says));
  }
}

// ---- plans

namespace {

plan_request small_question() {
  plan_request question;
  question.model.kind = architecture::decoder;
  question.model.layers = 32;
  question.model.d_model = 4096;
  question.model.vocab = 32000;
  question.model.attention.heads = question.model.attention.kv_heads = 32;
  question.model.attention.head_dim = 128;
  question.model.mlp.d_ff = 11008;
  question.job.global_batch = 256;
  question.job.sequence_length = 4096;
  question.tokens = 1e11;
  question.generations = {"v6e"};
  return question;
}

plan small_plan() { return make_plan(small_question()).plans.at(0); }

json plan_file() { return load_json(TPUPLAN_TESTS_DIR "/cli/plans/llama.json"); }

}  // namespace

TEST_CASE("a plan is launched as it was planned") {
  plan_request asked = small_question();
  asked.terms.spot.checkpoint_time = 15_s;
  asked.terms.spot.queue_time = {};
  plan best = small_plan();
  launch_request names;
  names.name = "run";
  const launch_request on_demand = launch_of(best, asked, names);
  CHECK(on_demand.name == "run");
  CHECK(json(on_demand.where) == json(best.where));
  CHECK(on_demand.slices == slices(best.mesh));
  CHECK(on_demand.capacity == provisioning::on_demand);
  CHECK(on_demand.max_restarts == 100);
  CHECK(on_demand.run / best.run == Approx(best.step.high / best.step.total));
  best.costs.at(best.chosen).kind = provisioning::commitment_1y;
  CHECK(launch_of(best, asked).capacity == provisioning::on_demand);
  best.costs.at(best.chosen).kind = provisioning::flex_start;
  CHECK(launch_of(best, asked).capacity == provisioning::flex_start);
  best.costs.clear();
  CHECK(launch_of(best, asked).capacity == provisioning::on_demand);

  // The ten days of `tpuplan pay --slice v5e-32 --slices 2 --run 10d`, which needs no price here.
  best.where = slice_for("v5e-32");
  best.mesh = layout{};
  best.mesh.fsdp = 32;
  best.mesh.dcn_data = 2;
  best.run = 10_days;
  best.step.total = best.step.high = 2.14_s;
  best.steps = best.run / best.step.total;
  const launch_request spot = launch_of(best, asked, provisioning::spot, names);
  CHECK(spot.max_restarts == 279);  // of 139.2 preemptions
  CHECK(spot.slices == 2);
  CHECK(spot.run.value() == Approx(1002405.4));
  best.run = 100000_days;
  CHECK(launch_of(best, asked, provisioning::spot).max_restarts == 1000000);
  best.run = 10_days;
  names.max_restarts = 500000;
  CHECK(launch_of(best, asked, provisioning::spot, names).max_restarts == 500000);
}

TEST_CASE("MaxText trains a plan and writes checkpoints") {
  plan_request asked = small_question();
  asked.terms.spot.checkpoint_time = 15_s;
  asked.terms.spot.queue_time = {};
  plan best = small_plan();
  best.step.total = 2.14_s;
  best.steps = 95367.4;
  const maxtext_run run = maxtext_of(best, asked);
  CHECK(json(run.mesh) == json(best.mesh));
  CHECK(json(run.job) == json(best.job));
  CHECK(run.layers == 32);
  CHECK(run.steps == 95368);
  const payment_terms terms = payment_terms_of(asked, best.where, 1, best.steps, 2.14_s);
  const auto interval = [&](provisioning kind) { return checkpoint_interval_of(kind, 1, best.steps * 2.14_s, terms); };
  CHECK(run.checkpoint_period == steps_between_checkpoints(interval(provisioning::on_demand), 2.14_s));
  plan larger = best;
  larger.where = slice_for("v6e-256");  // which fails more often
  CHECK(maxtext_of(larger, asked).checkpoint_period == 2168);
  CHECK(maxtext_of(larger, asked, provisioning::spot).checkpoint_period == 299);
  CHECK(maxtext_of(best, asked, provisioning::spot).checkpoint_period ==
        steps_between_checkpoints(interval(provisioning::spot), 2.14_s));
  asked.around.checkpoint_every = 500;  // as it was asked for
  CHECK(maxtext_of(best, asked).checkpoint_period == 500);
  plan endless = best;
  endless.steps = 1.05e12;
  CHECK(says(refusal_of([&] { (void)maxtext_of(endless, asked); }).message, "steps is 1.05e+12; valid: at most 1e12"));
  CHECK(maxtext_of(best, asked, provisioning::spot).checkpoint_period == 500);
  asked.around.checkpoint_every = 0;
  best.step.total = 2000000_s;
  CHECK(maxtext_of(best, asked).checkpoint_period == 1);
  best.step.total = seconds{1e-300};
  CHECK(refusal_of([&] { (void)maxtext_of(best, asked); }).refused);
  best.step.total = seconds{};
  best.run = best.steps * 2.14_s;
  CHECK(maxtext_of(best, asked).checkpoint_period == run.checkpoint_period);  // of the run and its steps
  best.run = seconds{};
  CHECK(maxtext_of(best, asked).checkpoint_period == 0);
  CHECK(refusal_of([&] { (void)maxtext_of(best, asked, provisioning::spot); }).refused);

  launch_request r = request_for("v6e-16");
  maxtext_run by_hand = fsdp_run(r, 256);
  by_hand.checkpoint_period = 700;
  CHECK(has(maxtext_arguments(r, by_hand), "checkpoint_period=700"));
  by_hand.extra = {"checkpoint_period=50"};
  CHECK(has(maxtext_arguments(r, by_hand), "checkpoint_period=50"));
  CHECK_FALSE(has(maxtext_arguments(r, by_hand), "checkpoint_period=700"));
  r.checkpoint.clear();
  by_hand.extra.clear();
  CHECK_FALSE(has(maxtext_arguments(r, by_hand), "checkpoint_period=700"));
  CHECK(says(refusal_of([&] { (void)maxtext_command(r, by_hand); }).message, "model_name is missing"));
  by_hand.extra = {"dataset_type=synthetic", "learning_rate=3e-4", "model_name=llama3.1-8b"};
  CHECK(maxtext_command(r, by_hand).back() == "model_name=llama3.1-8b");
  by_hand.extra.clear();
  by_hand.config = "my.yml";
  CHECK(maxtext_command(r, by_hand).at(3) == "my.yml");
}

TEST_CASE("no argument contradicts the plan") {
  const launch_request r = request_for("v6e-16");
  std::vector<std::string> keys = {"ici_tensor_sequence_parallelism", "dcn_expert_parallelism", "num_slices"};
  for (const json& key : documented().at("maxtext").at("keys")) keys.push_back(key.get<std::string>());
  for (const std::string& key : keys) {
    if (key == "checkpoint_period") continue;
    maxtext_run run = fsdp_run(r, 256);
    run.extra = {key + "=1"};
    INFO(key);
    CHECK(says(refusal_of([&] { (void)maxtext_arguments(r, run); }).message, "the plan does not decide"));
  }
}

TEST_CASE("a plan that makes no sense is not launched") {
  const plan good = small_plan();
  const plan_request question = small_question();
  const auto refused = [&](const plain_call<void(plan&, plan_request&)>& change) {
    plan changed = good;
    plan_request asked = question;
    change(changed, asked);
    return refusal_of([&] {
      (void)launch_of(changed, asked, provisioning::spot);
      (void)maxtext_of(changed, asked);
    });
  };
  CHECK_FALSE(refused([](plan&, plan_request&) {}).refused);
  CHECK(says(refused([](plan& p, plan_request&) { p.mesh.fsdp *= 2; }).message, "devices of"));
  CHECK(says(refused([](plan& p, plan_request&) { p.mesh.dcn_data = 0; }).message, "layout.dcn_data is 0"));
  CHECK(refused([](plan& p, plan_request&) { p.where = slice{}; }).refused);
  CHECK(refused([](plan& p, plan_request&) { p.chosen = p.costs.size(); }).code == errc::out_of_range);
  CHECK(says(refused([](plan& p, plan_request&) { p.step.total = -(1_s); }).message, "step.total is -1"));
  CHECK(says(refused([](plan& p, plan_request&) { p.run = -(1_s); }).message, "run is -1"));
  for (const double bad : {-5.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const auto change = [bad](plan&, plan_request& q) { q.terms.spot.checkpoint_time = seconds{bad}; };
    CHECK(says(refused(change).message, "checkpoint_time"));
    plan_request asked = question;
    asked.terms.spot.checkpoint_time = seconds{bad};
    CHECK(says(refusal_of([&] { (void)maxtext_of(good, asked); }).message, "checkpoint_time"));
  }
  CHECK(says(refused([](plan& p, plan_request&) { p.steps = 0; }).message, "steps is 0"));
  CHECK(refused([](plan& p, plan_request&) { p.steps = 1e300; }).code == errc::out_of_range);
  CHECK(says(refused([](plan&, plan_request& q) { q.model.kind = architecture::encoder; }).message,
             "model.kind is encoder"));
  CHECK(says(refused([](plan&, plan_request& q) { q.terms.spot.mean_time_between_preemptions = -1_s; }).message,
             "spot_terms.mean_time_between_preemptions is -1"));
}

TEST_CASE("a job of one VM ends after its time, pools of all slices are deleted, and private images are pulled") {
  launch_request r;
  r.where = slice_for("v6e-8"), r.name = "job", r.image = "us-docker.pkg.dev/p/i:1", r.max_run = 3_h;
  CHECK(gke_manifest(r)["spec"]["activeDeadlineSeconds"] == 10800);
  r.max_run = {};
  CHECK_FALSE(gke_manifest(r)["spec"].contains("activeDeadlineSeconds"));
  r.where = slice_for("v6e-16"), r.slices = 2, r.cluster = "tpus", r.project = "my-project", r.zone = "us-east5-b";
  const std::vector<shell_words> deletions = gke_pool_deletions(r);
  REQUIRE(deletions.size() == gke_node_pools(r).size());
  CHECK(shell_line(deletions[1]) ==
        "gcloud container node-pools delete job-1 --project=my-project --cluster=tpus --location=us-east5 --quiet");
  CHECK(says(detail::worker_line(r), "sudo gcloud auth configure-docker us-docker.pkg.dev --quiet; sudo docker run"));
  r.image = "docker.io/library/python:3";
  CHECK(detail::worker_line(r).find("auth") == std::string::npos);
}

TEST_CASE("a plan is read out of a document") {
  const json document = plan_file();
  const plan first = read_plan(document);
  CHECK(name(first.where) == "v6e-256");
  CHECK(first.mesh.fsdp == 256);
  CHECK(first.job.remat == remat::save_qkv_proj);
  CHECK(first.steps == 238419);
  CHECK(first.run > 5_days);
  CHECK(find_cost(first, provisioning::spot)->preemptions > 30);
  CHECK(json(first) == document["plans"][0]["plan"]);
  CHECK(name(read_plan(document, 2).where) == "v6e-128");
  CHECK(read_plan(document, 2).job.gradient_accumulation == 2);
  CHECK(read_plan_request(document).model.layers == 32);
  CHECK(read_plan_request(document).deadline == 30_days);
  CHECK(read_plan_request(json{{"plans", json::array()}}).model.layers == 0);
  CHECK(read_plan_request(json{{"request", {{"prices", {{"built_in", false}}}}}}).prices.is_built_in());
  CHECK(says(refusal_of([] {
               (void)read_plan_request(json{{"request", {{"model", 7}}}});
             }).message,
             "plan.request.model is 7"));
  CHECK(says(refusal_of([] { (void)read_plan_request(json{{"request", 7}}); }).message, "plan.request is 7"));

  const plan by_hand = read_plan(json::parse(R"({"plans": [{"plan": {
      "where": "v6e-16", "mesh": {"fsdp": 16}, "steps": 1000,
      "job": {"global_batch": 64, "sequence_length": 4096, "weights": "bf16", "remat": "full"}}}]})"));
  CHECK(name(by_hand.where) == "v6e-16");
  CHECK(by_hand.job.weights == dtype::bf16);
  CHECK(launch_of(by_hand, {}).slices == 1);
  CHECK(maxtext_of(by_hand, {}).steps == 1000);
}

TEST_CASE("a document that is no plan is refused by its key") {
  const json good = plan_file();
  const auto refused = [](const json& document, std::int64_t rank = 1) {
    return refusal_of([&] { (void)read_plan(document, rank, "plan.json"); });
  };
  CHECK_FALSE(refused(good).refused);
  json of_a_day = good;
  of_a_day["day"] = json::object();
  CHECK(says(refused(of_a_day).message, "plan.json is a plan of a day; valid: a plan of the rate of its busiest part"));
  const auto changed = [&](const char* key, const json& value) {
    json document = good;
    document["plans"][0]["plan"][json::json_pointer(key)] = value;
    return refused(document);
  };
  CHECK(says(changed("/where", "v6e-24").message, "plans[0].plan.where is v6e-24; valid: v6e-16"));
  CHECK(says(changed("/where", "v6e-256\n$(id)").message, "v6e-256?$(id)"));
  CHECK(says(changed("/job/remat", "some").message, "plans[0].plan.job.remat is some"));
  CHECK(says(changed("/job/weights", "bf17").message, "plans[0].plan.job.weights is \"bf17\""));
  CHECK(
      says(changed("/job/global_batc", 7).message, "plans[0].plan.job.global_batc is not a key; valid: global_batch"));
  CHECK(changed("/costs", 7).code == errc::malformed_input);
  CHECK(changed("/costs", json::array({7})).code == errc::malformed_input);
  CHECK(says(changed("/estimate", json::object()).message, "plans[0].plan is for serving"));
  json other = good;
  other["schema"] = "tpuplan/2";
  CHECK(says(refused(other).message, "plan.json.schema is tpuplan/2; valid: tpuplan/1"));
  other = good;
  other["plans"][0].erase("plan");
  CHECK(says(refused(other).message, "plan.json.plans[0].plan is missing"));
  CHECK(refused(json::object()).code == errc::missing_field);
  CHECK(refused(json::array()).code == errc::malformed_input);
  CHECK(refused(json{{"plans", json::array()}}).code == errc::infeasible);
  CHECK(refused(json{{"plans", 1}}).code == errc::malformed_input);
  for (const std::int64_t rank : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{3}, INT64_MAX})
    CHECK(says(refused(good, rank).message, "valid: 1, 2"));
}

// ---- the documentation, and what checks against it

TEST_CASE("what was read of the documentation says where and when") {
  CHECK(is_iso_date(documented().at("read").get<std::string>()));
  for (const char* service : {"vertex", "gke", "gcloud", "maxtext"}) {
    INFO(service);
    CHECK(documented().at(service).at("sources").size() >= 1);
  }
  for (const auto& [field, rule] : documented().at("names").items()) {
    INFO(field);
    CHECK_FALSE(rule.at("rule").get<std::string>().empty());
    CHECK_FALSE(rule.at("source").get<std::string>().empty());
  }
}

TEST_CASE("the schema checker finds what is wrong") {
  const json& schema = documented().at("vertex").at("schema");
  const json good = vertex_custom_job(request_for("v5e-16"));
  REQUIRE(schema_problem(good, schema) == "");
  const auto problem = [&](const char* pointer, const json& value) {
    json document = good;
    document[json::json_pointer(pointer)] = value;
    return schema_problem(document, schema);
  };
  CHECK(problem("/jobSpec/unknown", 1) == "document.jobSpec has an unknown key unknown");
  CHECK(problem("/displayName", 1) == "document.displayName is 1, not string");
  CHECK(says(problem("/jobSpec/workerPoolSpecs/0/machineSpec/tpuTopology", "3x3"), "not one of"));
  CHECK(says(problem("/jobSpec/workerPoolSpecs", json::array()), "has 0 elements"));
  CHECK(says(problem("/jobSpec/workerPoolSpecs/0/containerSpec", json::object()), "has no imageUri"));
  CHECK(says(problem("/labels", {{"a", 1}}), "not string"));
  CHECK(vertex_problem(good) == "");
  json spot = good;
  spot["jobSpec"]["scheduling"]["strategy"] = "SPOT";
  CHECK(vertex_problem(spot) == "spot on several VMs");
  CHECK(gcloud_problem({"gcloud", "compute", "tpus", "tpu-vm", "create", "a", "--nonsense"}) != "");
}

}  // namespace launch_tests
