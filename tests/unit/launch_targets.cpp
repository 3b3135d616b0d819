// Every launch target by its name: what it writes against the fields and flags of data/launch.json, no value as syntax,
// the table of docs/launch.md, and refusals that name the targets that can.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <tpuplan/launch.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/commands.hpp"
#include "support/refusal.hpp"
#include "support/schema.hpp"

using namespace tpuplan;

namespace launch_targets_tests {
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

const json& documented() {
  static const json file = load_json(TPUPLAN_DATA_DIR "/launch.json");
  return file;
}

/// A request that the target takes names of.
launch_request request_for(const launch_target& target, std::string_view slice_name,
                           provisioning capacity = provisioning::on_demand) {
  launch_request r;
  r.name = "job";
  r.where = slice_for(slice_name);
  r.capacity = capacity;
  r.zone = capacity == provisioning::flex_start && r.where.chip.name == "v6e" ? "us-east5-a" : "us-central1-c";
  r.checkpoint = "gs://my-bucket/run";
  if (capacity == provisioning::calendar) r.reservation = "mine";
  return detail::named_request(r, target);
}

const launch_target& target(std::string_view name) {
  for (const launch_target& one : launch_targets) {
    if (one.name == name) return one;
  }
  throw std::string(name);
}

std::string written_problem(const launch_target& by, const json& output) {
  const auto commands = [&](const char* program, const char* key, std::size_t names) {
    const json& known = documented().at(key).at("commands");
    for (const auto& [called, words] : output.items()) {
      if (!words.is_array()) continue;
      const json all = words.at(0).is_array() ? words : json::array({words});
      for (const json& one : all) {
        const std::string problem = command_problem(one.get<shell_words>(), program, known, names);
        if (!problem.empty()) return called + ": " + problem;
      }
    }
    return std::string();
  };
  const bool by_gcloud = by.name == "gcloud" || by.name == "gce";
  const std::string program{by_gcloud ? "gcloud" : by.name};
  const json& service = documented().at(program);
  if (service.contains("schemas")) return schema_problem(output, service["schemas"].at(output.at("kind")));
  if (service.contains("schema"))
    return schema_problem(by.name == "ray" ? output.at("cluster") : output, service["schema"]);
  if (service.contains("commands")) return commands(program.c_str(), program.c_str(), by_gcloud ? 1 : 0);
  return "no schema and no commands to hold it to";
}

/// The document that a text of `yaml_text` is: keys, lists and scalars of JSON by their indentation. Throws on any line
/// that is something else.
class yaml_reader {
 public:
  explicit yaml_reader(const std::string& text) {
    std::istringstream in(text);
    for (std::string each; std::getline(in, each);) {
      if (each.empty() || each[0] == '#') continue;
      const std::size_t start = each.find_first_not_of(' ');
      lines_.push_back({start, each.substr(start)});
    }
  }
  ordered_json read() {
    ordered_json result = block(0);
    if (at_ != lines_.size()) throw std::string("a line too many");
    return result;
  }

 private:
  struct line {
    std::size_t indent;
    std::string text;
  };

  ordered_json value(std::size_t indent, const std::string& rest) {
    if (!rest.empty()) return ordered_json::parse(rest);
    return block(indent + 2);
  }
  ordered_json block(std::size_t indent) {
    ordered_json result;
    while (at_ < lines_.size() && lines_[at_].indent == indent) {
      std::string text = lines_[at_].text;
      if (text.substr(0, 2) == "- ") {
        const std::string rest = text.substr(2);
        const bool nested = rest.find(": ") != std::string::npos && rest[0] != '"';
        if (nested || rest.back() == ':') {
          lines_[at_] = {indent + 2, rest};
          result.push_back(block(indent + 2));
        } else {
          ++at_;
          result.push_back(ordered_json::parse(rest));
        }
        continue;
      }
      const bool quoted = text[0] == '"';
      const std::size_t end = quoted ? text.find('"', 1) + 1 : text.find(':');
      if (text.at(end) != ':') throw "no key: " + text;
      const std::string key =
          quoted ? ordered_json::parse(text.substr(0, end)).get<std::string>() : text.substr(0, end);
      ++at_;
      const std::string rest = text.substr(end + 1);
      result[key] = value(indent, rest.empty() ? rest : rest.substr(1));
    }
    return result;
  }

  std::vector<line> lines_;
  std::size_t at_ = 0;
};

std::string bash_output(const std::string& script) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(script.c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe.get())) out.append(block.data(), got);
  return out;
}

}  // namespace

TEST_CASE("what each target writes has the fields and flags that are documented") {
  for (const launch_target& by : launch_targets) {
    std::int64_t written = 0;
    for (std::size_t i = 0; i < slice_count; ++i) {
      for (const provisioning kind :
           {provisioning::on_demand, provisioning::spot, provisioning::flex_start, provisioning::calendar}) {
        launch_request r = request_for(by, "v6e-8", kind);
        r.where = slice_at(i);
        if (!can_launch(by, r)) continue;
        INFO(by.name << " " << name(r.where).view() << " " << name(kind));
        CHECK(written_problem(by, launch(by, r).json) == "");
        ++written;
      }
    }
    INFO(by.name);
    CHECK(written > 20);
  }
}

TEST_CASE("the name of a target finds it") {
  CHECK(find_launch_target("gce")->name == "gce");
  CHECK_FALSE(find_launch_target("aws"));
  for (const launch_target& by : launch_targets) {
    const json& sources = documented().at(std::string(by.name)).at("sources");
    CHECK(sources.size() > 0);
  }
}

// ---- one by one

TEST_CASE("Compute Engine: an instance, or a group in bulk mode") {
  launch_request r = request_for(target("gce"), "v6e-4", provisioning::flex_start);
  r.project = "my-project";
  r.image.clear();
  r.command.clear();
  CHECK(gce_script(r) ==
        "#!/usr/bin/env bash\n# job: 1 x v6e-4, flex_start\nset -e\n"
        "gcloud compute instances create job \\\n    --project=my-project \\\n    --zone=us-east5-a \\\n"
        "    --machine-type=ct6e-standard-4t \\\n    --image-project=ubuntu-os-accelerator-images \\\n"
        "    --image-family=ubuntu-accel-2204-amd64-tpu-v5e-v5p-v6e \\\n    --boot-disk-size=100GB \\\n"
        "    --maintenance-policy=TERMINATE \\\n"
        "    --scopes=cloud-platform \\\n    --metadata=checkpoint-dir=gs://my-bucket/run \\\n"
        "    --provisioning-model=FLEX_START \\\n    --max-run-duration=604800s \\\n"
        "    --instance-termination-action=DELETE \\\n    --request-valid-for-duration=7200s\n");
  // It never came where it was tried: two VMs of four chips do.
  const launch_request eight = request_for(target("gce"), "v6e-8", provisioning::flex_start);
  const refusal refused = refusal_of([&] { (void)gce_script(eight); });
  CHECK(says(refused.message, "slice is ct6e-standard-8t:2x4; valid: ct6e-standard-4t:2x4"));
  r.where = slice_for("ct6e-standard-4t:2x4");
  CHECK(gce_commands(r).create.size() == 4);
  r = request_for(target("gce"), "tpu7x-16", provisioning::calendar);
  r.project = "my-project";
  const gce_launch group = gce_commands(r);
  REQUIRE(group.create.size() == 4);
  CHECK(shell_line(group.create[0]) ==
        "gcloud compute resource-policies create workload-policy job-policy --project=my-project --region=us-central1 "
        "--type=HIGH_THROUGHPUT --accelerator-topology=2x2x2");
  const std::string instance = shell_line(group.create[1]);
  CHECK(says(instance, "--machine-type=tpu7x-standard-4t"));
  CHECK(says(instance, "ubuntu-accel-2404-amd64-tpu-tpu7x --boot-disk-type=hyperdisk-balanced --boot-disk-size=100GB"));
  CHECK(says(instance,
             "--provisioning-model=RESERVATION_BOUND --instance-termination-action=DELETE "
             "--reservation-affinity=specific --reservation=mine"));
  CHECK(says(shell_line(group.create[2]), "--size=0 --target-size-policy-mode=bulk"));
  CHECK(says(shell_line(group.create[3]), "managed resize job --project=my-project --zone=us-central1-c --size=2"));
  CHECK(group.ready == "2");
  CHECK(says(group.command, "sudo docker run"));
  r = request_for(target("gce"), "v6e-16");
  r.max_run = 3_h;
  CHECK(says(refusal_of([&] { (void)gce_commands(r); }).message, "max_restarts is 100; valid: 0 with max_run"));
  r.max_restarts = 0;
  CHECK(says(shell_line(gce_commands(r).create[1]), "--max-run-duration=10800s --instance-termination-action=DELETE"));
}

TEST_CASE("Cluster Toolkit and XPK submit by topology") {
  launch_request r = request_for(target("gcluster"), "v5p-128", provisioning::spot);
  r.queue = "user-queue";
  r.service_account = "trainer";
  CHECK(shell_line(gcluster_command(r)) ==
        "gcluster job submit --name=job --cluster=cluster --project=some-project --location=us-central1 "
        "--compute-type=ct5p-hightpu-4t --topology=4x4x4 --num-slices=1 --restarts=100 "
        "--node-constraint=cloud.google.com/gke-spot=true --queue=user-queue --service-account=trainer "
        "--env=CHECKPOINT_DIR=gs://my-bucket/run --image=image --command=true");
  r = request_for(target("xpk"), "v6e-256", provisioning::flex_start);
  r.slices = 2;
  r.command = {"python3", "train.py", "a b"};
  CHECK(shell_line(xpk_commands(r).workload) ==
        "xpk workload create --workload=job --cluster=cluster --project=some-project --zone=us-east5-a "
        "--tpu-type=v6e-16x16 --num-slices=2 --flex --max-restarts=0 --env=CHECKPOINT_DIR=gs://my-bucket/run "
        "--docker-image=image '--command=python3 train.py '\\''a b'\\'''");
  CHECK(shell_line(xpk_commands(r).cluster) ==
        "xpk cluster create --cluster=cluster --project=some-project --zone=us-east5-a --tpu-type=v6e-16x16 "
        "--num-slices=2 --flex");
}

TEST_CASE("a program arrives with its files and packages where the target can bring them") {
  const auto files = [](launch_request& r) {
    r.image.clear();
    r.command = {"python3", "train.py"};
    r.workdir = "my src";
    r.copy = {"/data/labels.csv"};
    r.requirements = "etc/requirements.txt";
    r.framework = "jax";
  };
  launch_request r = request_for(target("gcloud"), "v6e-16");
  files(r);
  const gcloud_launch by_api = gcloud_commands(r);
  CHECK(shell_line(by_api.copy) ==
        "gcloud compute tpus queued-resources scp /tmp/job.tgz /data/labels.csv etc/requirements.txt job: "
        "--project=some-project --zone=us-central1-c --recurse --worker=all --node=all --batch-size=all");
  CHECK(says(detail::worker_line(r),
             "mkdir -p job && tar -xzf job.tgz -C job && cp -rf labels.csv requirements.txt job/ && cd job && "));
  CHECK(says(detail::worker_line(r), "python3 -m pip install 'jax[tpu]==0.6.2' --requirement=requirements.txt && env"));
  CHECK(says(gcloud_script(r), "tar -czf /tmp/job.tgz --exclude=.git -C 'my src' . || exit 1\n"));
  CHECK(written_problem(target("gcloud"), launch(target("gcloud"), r).json) == "");
  r = request_for(target("gce"), "v6e-16");
  files(r);
  r.boot_disk = 250.5_GB;
  CHECK(says(shell_line(gce_commands(r).create[1]), "--boot-disk-size=251GB"));
  CHECK(says(gce_script(r), "gcloud compute scp /tmp/job.tgz /data/labels.csv etc/requirements.txt \"$1:\" "));
  CHECK(written_problem(target("gce"), launch(target("gce"), r).json) == "");
  r = request_for(target("skypilot"), "v5e-16");
  files(r);
  const ordered_json task = launch(target("skypilot"), r).json;
  CHECK(task["workdir"] == "my src");
  CHECK(task["file_mounts"]["~/sky_workdir/labels.csv"] == "/data/labels.csv");
  CHECK(task["setup"] == "cd ~/sky_workdir && python3 -m pip install 'jax[tpu]==0.6.2' --requirement=requirements.txt");
  CHECK(written_problem(target("skypilot"), task) == "");
  r = request_for(target("vertex"), "v3-8");
  r.command.clear();
  r.image = "us-docker.pkg.dev/vertex-ai/training/tf-tpu.2-13:latest";
  r.packages = {"gs://my-bucket/trainer-0.1.tar.gz"};
  r.module = "trainer.task";
  r.boot_disk = 200_GB;
  const ordered_json pool = launch(target("vertex"), r).json["jobSpec"]["workerPoolSpecs"][0];
  CHECK(pool["pythonPackageSpec"]["pythonModule"] == "trainer.task");
  CHECK(pool["diskSpec"]["bootDiskSizeGb"] == 200);
  CHECK(written_problem(target("vertex"), launch(target("vertex"), r).json) == "");
}

TEST_CASE("what a program cannot be brought with is refused by the name of the field") {
  struct row {
    const char* target;
    plain_call<void(launch_request&)> change;
    const char* says;
  };
  const std::vector<row> rows = {
      {"gke", [](launch_request& r) { r.workdir = "src"; },
       "workdir is src; valid: none: GKE has no option for it; use"},
      {"gcloud", [](launch_request& r) { r.workdir = "src"; }, "workdir is given with an image; valid: either"},
      {"gcloud", [](launch_request& r) { r.boot_disk = 100_GB; }, "boot_disk is 100 GB; valid: none"},
      {"gce", [](launch_request& r) { r.copy = {"host:file"}; }, "copy is host:file; valid: a local path"},
      {"gce", [](launch_request& r) { r.copy = {"-rf"}; }, "copy is -rf; valid: a local path"},
      {"gce", [](launch_request& r) { r.copy = {"data/"}; }, "copy is data/; valid: a path that ends in a name"},
      {"gce", [](launch_request& r) { r.requirements = "."; }, "requirements is .; valid: a path that ends in a name"},
      {"gce", [](launch_request& r) { r.framework = "caffe"; },
       "framework is caffe; valid: jax, torch_xla or tensorflow"},
      {"gce",
       [](launch_request& r) {
         r.where = slice_for("tpu7x-8");
         r.framework = "tensorflow";
       },
       "framework is tensorflow; valid: of its own on v5e, v5p or v6e: TensorFlow does not run on tpu7x"},
      {"gce",
       [](launch_request& r) {
         r.where = slice_for("v5p-16");  // of two VMs
         r.framework = "tensorflow";
       },
       "framework is tensorflow; valid: a slice of one VM"},
      {"gce", [](launch_request& r) { r.boot_disk = -1_GB; }, "boot_disk is"},
      {"gce", [](launch_request& r) { r.boot_disk = 9_GB; }, "boot_disk is 9; valid: 10 to 65536, in GB"},
      {"vertex", [](launch_request& r) { r.module = "trainer.task"; }, "packages is missing; valid: both"},
      {"vertex",
       [](launch_request& r) {
         r.packages = {"trainer.tar.gz"};
         r.module = "trainer.task";
       },
       "packages is trainer.tar.gz; valid: gs://BUCKET/PACKAGE.tar.gz"},
  };
  for (const row& one : rows) {
    launch_request r = request_for(target(one.target), "v6e-8");
    one.change(r);
    const refusal got = refusal_of([&] { (void)launch(target(one.target), r); });
    INFO(got.message << "; " << one.says);
    CHECK(says(got.message, one.says));
  }
  launch_request r = request_for(target("gce"), "v6e-8");
  r.image.clear();
  r.command.clear();
  r.framework = "jax";
  CHECK(says(refusal_of([&] { (void)gce_commands(r); }).message, "command is missing; valid: the program"));
}

TEST_CASE("the page on launching has each quota and each version of a framework") {
  const std::string page = bash_output("cat " TPUPLAN_DATA_DIR "/../docs/launch.md");
  for (const json& row : documented().at("quotas").at("rows")) CHECK(says(page, row.at("quota").get<std::string>()));
  for (const char* framework : {"jax", "torch_xla", "tensorflow"}) {
    for (const auto& [chip, packages] : documented().at(framework).at("generations").items()) {
      const std::string all = packages;
      INFO(framework << " on " << chip);
      CHECK(says(page, all.substr(0, all.find(" --"))));
    }
  }
}

TEST_CASE("SkyPilot takes accelerators, and machine types of what the Cloud TPU API does not have") {
  const ordered_json pod = skypilot_task(request_for(target("skypilot"), "v5e-16", provisioning::spot));
  CHECK(pod["resources"]["accelerators"] == "tpu-v5litepod-16");
  CHECK(pod["resources"]["use_spot"] == true);
  CHECK(pod["resources"]["infra"] == "gcp/us-central1/us-central1-c");
  CHECK(pod["resources"]["job_recovery"]["max_restarts_on_errors"] == 0);
  const ordered_json group = skypilot_task(request_for(target("skypilot"), "tpu7x-16", provisioning::flex_start));
  CHECK(group["num_nodes"] == 2);
  CHECK(group["resources"]["instance_type"] == "tpu7x-standard-4t");
  CHECK(group["config"]["gcp"]["managed_instance_group"] ==
        ordered_json({{"run_duration", 604800}, {"accelerator_topology", "2x2x2"}}));
  launch_request r = request_for(target("skypilot"), "v5e-8");
  r.max_restarts = 0;
  CHECK(skypilot_task(r)["resources"]["job_recovery"] == "none");
}

TEST_CASE("Ray has a head without TPUs and a worker that is the slice") {
  const launch_request r = request_for(target("ray"), "v6e-16", provisioning::spot);
  const ordered_json cluster = ray_cluster(r);
  CHECK(cluster["available_node_types"]["ray_tpu"]["node_config"] ==
        ordered_json({{"acceleratorType", "v6e-16"},
                      {"runtimeVersion", "v2-alpha-tpuv6e"},
                      {"schedulingConfig", {{"preemptible", true}}}}));
  CHECK(ray_cluster(request_for(target("ray"),
                                "v4-4x4x16"))["available_node_types"]["ray_tpu"]["node_config"]["acceleratorConfig"] ==
        ordered_json({{"type", "V4"}, {"topology", "4x4x16"}}));
  CHECK(shell_line(ray_commands(r, "job.yaml").up) == "ray up --yes job.yaml");
  CHECK(ray_commands(r, "job.yaml").run.back() ==
        "ray job submit '--runtime-env-json={\"env_vars\":{\"CHECKPOINT_DIR\":\"gs://my-bucket/run\"}}' -- true");
}

TEST_CASE("GKE: a queue of Kueue asks for flex-start before the pods are there") {
  launch_request r = request_for(target("gke"), "tpu7x-16", provisioning::flex_start);
  r.queue = "dws-local-queue";
  r.max_run = 3_h;
  const ordered_json manifest = gke_manifest(r);
  CHECK(manifest["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "dws-local-queue");
  const json schemas = load_json(TPUPLAN_DATA_DIR "/launch.json").at("gke").at("schemas");
  const std::string kind = manifest["kind"];
  CHECK(schema_problem(manifest, schemas.at(kind)) == "");
  json other = manifest;
  other["metadata"]["labels"] = {{"kueue.x-k8s.io/queue", "dws-local-queue"}};
  CHECK(schema_problem(other, schemas.at(kind)) != "");
  CHECK(manifest["metadata"]["annotations"]["provreq.kueue.x-k8s.io/maxRunDurationSeconds"] == "10800");
  CHECK(manifest["spec"]["failurePolicy"]["maxRestarts"] == 0);
  const ordered_json& pod = manifest["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"];
  CHECK(pod["nodeSelector"]["cloud.google.com/gke-queued"] == "true");
  CHECK_FALSE(pod["nodeSelector"].contains("cloud.google.com/gke-flex-start"));
  CHECK(pod["tolerations"].back()["key"] == "cloud.google.com/gke-queued");
  CHECK(says(shell_line(gke_node_pools(r).back()), "--enable-queued-provisioning"));
  CHECK(says(shell_line(gke_node_pools(r).back()), "--disk-type=hyperdisk-balanced"));
  CHECK(written_problem(target("gke"), manifest) == "");
  r.queue.clear();
  CHECK(says(refusal_of([&] { (void)gke_manifest(r); }).message, "max_run is 10800"));
}

TEST_CASE("Vertex AI: args, service account, TensorBoard and the place of the output") {
  launch_request r = request_for(target("vertex"), "v6e-16");
  r.project = "my-project";
  r.args = {"--steps", "10"};
  r.service_account = "me@my-project.iam.gserviceaccount.com";
  r.location = "us-central1";
  r.tensorboard = "123";
  r.output = "gs://my-bucket/out";
  const launch_output output = launch(target("vertex"), r);
  CHECK(written_problem(target("vertex"), output.json) == "");
  const json spec = output.json["jobSpec"];
  CHECK(spec["workerPoolSpecs"][0]["containerSpec"]["args"] == json({"--steps", "10"}));
  CHECK(spec["serviceAccount"] == "me@my-project.iam.gserviceaccount.com");
  CHECK(spec["tensorboard"] == "projects/my-project/locations/us-central1/tensorboards/123");
  CHECK(spec["baseOutputDirectory"]["outputUriPrefix"] == "gs://my-bucket/out");
  CHECK(command_problem(vertex_command(r, "job.json"), "gcloud", documented()["gcloud"]["commands"], 0) == "");
  // The script hands gcloud the inside of the job.
  const std::size_t from = output.text.find("<<'JOB'\n") + 8;
  CHECK(json::parse(output.text.substr(from, output.text.rfind("JOB\n") - from)) == spec);
  r.service_account.clear();
  CHECK(says(refusal_of([&] { (void)vertex_custom_job(r); }).message, "service_account is missing"));
}

// ---- what a target does not have

TEST_CASE("an option without effect is refused by every target that has no option for it") {
  struct extra {
    const char* field;
    plain_call<void(launch_request&)> give;
    std::vector<std::string_view> taken;
  };
  const std::vector<extra> extras = {
      {"args", [](launch_request& r) { r.args = {"a"}; }, {"vertex", "gke"}},
      {"service_account",
       [](launch_request& r) { r.service_account = "me@my-project.iam.gserviceaccount.com"; },
       {"vertex", "gcloud", "gce"}},
      {"service_account", [](launch_request& r) { r.service_account = "me"; }, {"gke", "gcluster"}},
      {"queue", [](launch_request& r) { r.queue = "queue"; }, {"gke", "gcluster"}},
      {"location", [](launch_request& r) { r.location = "us-central1"; }, {"vertex"}},
      {"output", [](launch_request& r) { r.output = "gs://abc"; }, {"vertex"}},
      {"secret", [](launch_request& r) { r.secret = "hf-secret"; }, {"gke"}},
      {"cluster", [](launch_request& r) { r.cluster = "cluster"; }, {"gke", "gcluster", "xpk"}},
  };
  for (const launch_target& by : launch_targets) {
    for (const extra& one : extras) {
      launch_request r = request_for(by, "v6e-16");
      one.give(r);
      const bool taken = std::count(one.taken.begin(), one.taken.end(), by.name) == 1;
      const refusal got = refusal_of([&] { (void)launch(by, r); });
      INFO(by.name << " " << one.field << ": " << got.message);
      CHECK(got.refused != taken);
      if (!taken) CHECK(says(got.message, one.field));
    }
  }
}

TEST_CASE("a refusal ends with the targets that can, and they can") {
  std::int64_t named = 0;
  for (const launch_target& by : launch_targets) {
    for (const char* slice_name :
         {"v2-8", "v3-32", "v4-16", "v5e-1", "v5e-16", "v5p-8", "v6e-8", "v6e-16", "tpu7x-16"}) {
      for (const provisioning kind :
           {provisioning::on_demand, provisioning::spot, provisioning::flex_start, provisioning::calendar}) {
        launch_request r = request_for(by, slice_name, kind);
        const refusal got = refusal_of([&] { (void)launch(by, r); });
        if (!got.refused || got.code != errc::unsupported) continue;
        INFO(by.name << " " << slice_name << " " << name(kind) << ": " << got.message);
        for (const launch_target& other : launch_targets) {
          const std::size_t use = std::string(got.message).rfind("; use ");
          const std::string list = use == std::string::npos ? "" : " " + std::string(got.message).substr(use + 6) + ",";
          const bool is_named = list.find(" " + std::string(other.name) + ",") != std::string::npos;
          CHECK(is_named == (other.name != by.name && can_launch(other, r)));
          named += is_named;
        }
      }
    }
  }
  CHECK(named > 100);
}

TEST_CASE("names that only the refusing target takes do not keep others from being named") {
  launch_request r = request_for(target("vertex"), "v5p-128");
  r.location = "us-central1";
  r.tensorboard = "7";
  r.service_account = "me@my-project.iam.gserviceaccount.com";
  r.project = "my-project";
  const refusal got = refusal_of([&] { (void)launch(target("vertex"), r); });
  INFO(got.message);
  CHECK(says(got.message, "; use gke, gcloud, gce, gcluster, skypilot, ray, xpk"));
}

TEST_CASE("a reservation for Vertex AI has a zone, which is in the region of the job") {
  launch_request r = request_for(target("vertex"), "v6e-16", provisioning::calendar);
  r.reservation = "mine";
  r.project = "my-project";
  r.zone = "us-east5-b";
  r.location = "us-east5";
  CHECK(says(launch(target("vertex"), r).text, "projects/my-project/zones/us-east5-b/reservations/mine"));
  r.location = "us-east1";
  CHECK(says(refusal_of([&] { (void)launch(target("vertex"), r); }).message, "location is us-east1"));
}

TEST_CASE("what each new target does not have") {
  struct row {
    const char* by;
    const char* slice_name;
    plain_call<void(launch_request&)> change;
    errc code;
    const char* says;
  };
  const auto as_is = [](launch_request&) {};
  const auto flex = [](launch_request& r) {
    r.capacity = provisioning::flex_start;
    r.max_restarts = 0;
  };
  const auto on_4t = [](launch_request& r) { r.where = on_machine_type(r.where, "ct6e-standard-4t"); };
  const auto two = [](launch_request& r) { r.slices = 2; };
  const auto limit = [](launch_request& r) { r.max_run = 3_h; };
  const auto no_command = [](launch_request& r) { r.command.clear(); };
  const auto no_cluster = [](launch_request& r) { r.cluster.clear(); };
  const auto no_image = [](launch_request& r) { r.image.clear(); };
  const auto reserved = [](launch_request& r) { r.reservation = "mine"; };
  for (const row& one : {
           row{"gce", "v5e-16", as_is, errc::unsupported, "v5p, v6e or tpu7x"},
           row{"gce", "v6e-16", two, errc::unsupported, "one slice"},
           row{"gce", "v6e-16", [](launch_request& r) { r.zone.clear(); }, errc::missing_field, "zone is missing"},
           row{"gce", "v6e-16", [](launch_request& r) { r.project.clear(); }, errc::missing_field,
               "project is missing"},
           row{"gcluster", "v3-8", as_is, errc::unsupported, "v4, v5e, v5p, v6e or tpu7x"},
           row{"gcluster", "tpu7x-2", as_is, errc::unsupported, "with a topology that Cluster Toolkit takes"},
           row{"gcluster", "v5e-16", flex, errc::unsupported, "v6e or tpu7x"},
           row{"gcluster", "v6e-16", no_command, errc::missing_field, "command is missing"},
           row{"gcluster", "v6e-16", no_cluster, errc::missing_field, "cluster is missing"},
           row{"gcluster", "v6e-16", limit, errc::unsupported, "max_run is 10800"},
           row{"xpk", "v2-8", as_is, errc::unsupported, "XPK has no others"},
           row{"xpk", "v6e-8", as_is, errc::unsupported, "VMs of four chips"},
           row{"xpk", "v5e-4", as_is, errc::unsupported, "8 chips or more"},
           row{"xpk", "v6e-16", no_image, errc::missing_field, "image is missing"},
           row{"xpk", "v6e-16", [](launch_request& r) { r.command = {"a\nb"}; }, errc::unsupported, "line feeds"},
           row{"skypilot", "v6e-16", two, errc::unsupported, "slices is 2"},
           row{"skypilot", "v6e-16", reserved, errc::unsupported, "reservation is mine"},
           row{"skypilot", "v6e-16", limit, errc::unsupported, "max_run"},
           row{"skypilot", "v6e-16", flex, errc::unsupported, "us-east5-a"},
           row{"skypilot", "v6e-8", on_4t, errc::unsupported, "chips_per_vm is 4"},
           row{"skypilot", "v5p-8", flex, errc::unsupported, "v6e or tpu7x"},
           row{"skypilot", "v4-4x4x16", as_is, errc::unsupported, "number in its name"},
           row{"skypilot", "tpu7x-16", as_is, errc::unsupported, "one VM"},
           row{"skypilot", "v6e-16", [](launch_request& r) { r.project = "my-project"; }, errc::unsupported,
               "configured"},
           row{"skypilot", "v6e-16", no_command, errc::missing_field, "command is missing"},
           row{"ray", "tpu7x-16", as_is, errc::unsupported, "Cloud TPU API"},
           row{"ray", "v6e-16", two, errc::unsupported, "slices is 2"},
           row{"ray", "v6e-16", flex, errc::unsupported, "on_demand or spot"},
           row{"ray", "v6e-16", reserved, errc::unsupported, "reservation is mine"},
           row{"ray", "v6e-16", limit, errc::unsupported, "max_run"},
           row{"ray", "v6e-8", on_4t, errc::unsupported, "chips_per_vm"},
           row{"ray", "v6e-16", no_command, errc::missing_field, "command is missing"},
       }) {
    launch_request r = request_for(target(one.by), one.slice_name);
    one.change(r);
    const refusal got = refusal_of([&] { (void)launch(target(one.by), r); });
    INFO(one.by << " " << one.slice_name << ": " << got.message);
    CHECK(got.code == one.code);
    CHECK(says(got.message, one.says));
  }
}

// ---- no value becomes syntax

TEST_CASE("words of the program arrive through every target as they are") {
  for (const char* word :
       {"'",    "\"",   "a'; id; '", "$(id)",   "`id`", "$$",   "${A}",      "a: b",  "a #b",    "- a", "{{ a }}",
        "&a",   "*a",   "!!str",     "\\",      "\\n",  "",     "~",         "*",     "|",       ">",   "%",
        "null", "true", "JOB",       "<<'JOB'", "a\tb", "a\nb", "a\nJOB\nb", "\n# b", "\n  c: d"}) {
    for (const launch_target& by : launch_targets) {
      launch_request r = request_for(by, "v6e-16");
      r.command = {"printf", "<%s>", word, "end"};
      INFO(by.name << ": " << word);
      if (by.name == "xpk" && std::string_view(word).find('\n') != std::string_view::npos) {
        CHECK(refusal_of([&] { (void)launch(by, r); }).code == errc::unsupported);
        continue;
      }
      if (by.name == "ray") {
        r.command[1] = "%s:";
        if (!detail::arrives_by_ray(word)) {
          CHECK(refusal_of([&] { (void)launch(by, r); }).code == errc::unsupported);
          continue;
        }
      }
      const launch_output output = launch(by, r);
      CHECK(written_problem(by, output.json) == "");
      for (const char c : output.text) CHECK((c == '\n' || c == '\t' || (c >= ' ' && c <= '~')));
      const std::string printed = "<" + std::string(word) + "><end>";
      if (by.name == "gcluster" || by.name == "xpk") {
        // A shell that reads the text hands the program its flags; Kubernetes makes one dollar sign of two.
        std::string line = output.json[by.name == "xpk" ? "workload" : "submit"].back().get<std::string>();
        const std::string program = by.name == "xpk" ? "xpk" : "gcluster";
        CHECK(bash_output(program + "() { for last; do :; done; printf %s \"$last\"; }; " + output.text) == line);
        std::string arrived;
        for (std::size_t i = 10; i < line.size(); ++i) {
          arrived += line[i];
          i += line[i] == '$';
        }
        CHECK(bash_output("bash -c " + shell_quoted(arrived)) == printed);
      }
      if (by.name == "skypilot") {
        CHECK(yaml_reader(output.text).read() == output.json);
        CHECK(bash_output(output.json["run"].get<std::string>()) == printed);
      }
      if (by.name == "ray") {
        CHECK(yaml_reader(output.text).read() == output.json["cluster"]);
        const std::string job = output.json["run"].back().get<std::string>();
        const std::string joined =  // as it joins them
            "ray() { while [ \"$1\" != -- ]; do shift; done; shift; line=; for word; do case \"$word\" in *[\" \t\"]* "
            "| '')"
            " line=\"$line \\\"$word\\\"\" ;; *) line=\"$line $word\" ;; esac; done; eval \"$line\"; }; ";
        CHECK(bash_output(joined + job) == std::string(word) + ":end:");
      }
      if (by.name == "gce") {
        const gce_launch commands = gce_commands(r);
        CHECK(bash_output("sudo() { shift 7; \"$@\"; }; " + detail::worker_line(r)) == printed);
        CHECK(says(output.text, shell_quoted(commands.command)));
      }
    }
  }
}

TEST_CASE("text of YAML is the value that it was made of") {
  const ordered_json value = {{"name", "a: b\n- c"},
                              {"on", "no"},
                              {"a key", {{"list", {1, "two", true, nullptr}}, {"empty", ordered_json::array()}}},
                              {"nested", ordered_json::array({{{"first", 1}, {"second", {{"third", "#"}}}}})}};
  const std::string text = yaml_text(value);
  CHECK(text ==
        "name: \"a: b\\n- c\"\n\"on\": \"no\"\n\"a key\":\n  list:\n    - 1\n    - \"two\"\n    - true\n    - null\n"
        "  empty: []\nnested:\n  - first: 1\n    second:\n      third: \"#\"\n");
  CHECK(yaml_reader(text).read() == value);
  CHECK(yaml_text(ordered_json::object()) == "{}\n");
}

// ---- the table of the documentation

TEST_CASE("the tables of docs/launch.md are what the targets do", "[golden]") {
  struct column {
    const char* chip;
    const char* one_vm;
    const char* several_vms;
  };
  constexpr std::array<column, 7> columns = {{{"v2", "v2-8", "v2-32"},
                                              {"v3", "v3-8", "v3-32"},
                                              {"v4", "v4-8", "v4-16"},
                                              {"v5e", "v5e-8", "v5e-16"},
                                              {"v5p", "v5p-8", "v5p-16"},
                                              {"v6e", "v6e-4", "v6e-16"},
                                              {"tpu7x", "tpu7x-8", "tpu7x-16"}}};
  constexpr std::array<std::pair<provisioning, const char*>, 4> kinds = {{{provisioning::on_demand, "on demand"},
                                                                          {provisioning::spot, "spot"},
                                                                          {provisioning::flex_start, "flex-start"},
                                                                          {provisioning::calendar, "calendar"}}};
  std::string table =
      "| target | capacity | v2 | v3 | v4 | v5e | v5p | v6e | tpu7x |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const launch_target& by : launch_targets) {
    for (const auto& kind : kinds) {
      table += "| " + std::string(by.name) + " | " + kind.second + " |";
      for (const column& one : columns) {
        const auto can = [&](const char* slice_name, std::int64_t slices) {
          launch_request r = request_for(by, slice_name, kind.first);
          r.slices = slices;
          return can_launch(by, r);
        };
        table += can(one.several_vms, 2)   ? " slices |"
                 : can(one.several_vms, 1) ? " slice |"
                 : can(one.one_vm, 1)      ? " VM |"
                                           : " |";
      }
      table += "\n";
    }
  }
  std::string names = "| `--target` | writes |\n|---|---|\n";
  for (const launch_target& by : launch_targets)
    names += "| `" + std::string(by.name) + "` | " + std::string(by.writes) + " |\n";
  const std::string path = TPUPLAN_TESTS_DIR "/../docs/launch.md";
  std::ifstream in(path);
  std::ostringstream read;
  read << in.rdbuf();
  std::string text = read.str();
  for (const std::string& rows : {names, table}) {
    const std::size_t from = text.find(rows.substr(0, rows.find('\n')));
    REQUIRE(from != std::string::npos);
    const std::size_t size = text.find("\n\n", from) + 1 - from;
    if (std::getenv("TPUPLAN_RENEW_GOLDEN") != nullptr) text.replace(from, size, rows);
    INFO(rows);
    CHECK((text.compare(from, rows.size(), rows) == 0 && text[from + rows.size()] == '\n'));
  }
  if (std::getenv("TPUPLAN_RENEW_GOLDEN") != nullptr) std::ofstream(path) << text;
}

TEST_CASE("queued capacity lasts seven days unless it is said how long, and an end of a job is refused where none is") {
  launch_request queued = request_for(target("gke"), "v6e-16", provisioning::flex_start);
  queued.queue = "queue";
  if (detail::is_queued(queued)) {
    const char* key = "provreq.kueue.x-k8s.io/maxRunDurationSeconds";
    CHECK(detail::gke_metadata(queued)["annotations"][key] == "604800");
    queued.max_run = 2_h;
    CHECK(detail::gke_metadata(queued)["annotations"][key] == "7200");
  }
  launch_request submitted = request_for(target("gcluster"), "v6e-16");
  CHECK_FALSE(refusal_of([&] { detail::check_submission(submitted, "gcluster"); }).refused);
  submitted.max_run = 1_s;
  CHECK(says(refusal_of([&] { detail::check_submission(submitted, "gcluster"); }).message, "max_run"));
}

TEST_CASE("Compute Engine waits two hours at most, and for flex-start alone") {
  const auto refused = [](provisioning capacity, seconds wait) {
    launch_request r = request_for(target("gce"), "v6e-16", capacity);
    r.max_restarts = 0, r.max_wait = wait;
    return refusal_of([&] { (void)gce_script(r); }).message;
  };
  CHECK(refused(provisioning::flex_start, 7200_s).empty());
  CHECK(says(refused(provisioning::flex_start, 7201_s), "at most 7200s"));
  CHECK(says(refused(provisioning::on_demand, 600_s), "max_wait"));
}

TEST_CASE("Compute Engine: instances that run a program power off by themselves") {
  const auto powers_off = [](bool with_image, bool with_command) {
    launch_request r = request_for(target("gce"), "v6e-16");
    if (!with_image) r.image.clear();
    if (!with_command) r.command.clear();
    return says(gce_script(r), "poweroff");
  };
  CHECK(powers_off(true, true));
  CHECK(powers_off(true, false));
  CHECK(powers_off(false, true));
  CHECK_FALSE(powers_off(false, false));
}

TEST_CASE("what an idle hour costs, and how old that price is") {
  launch_request r = request_for(target("gce"), "v6e-16");
  r.zone = "us-east5-b";
  CHECK(hourly_words(r).empty());
  const auto priced = [](provisioning kind) {
    price_row row;
    row.region = "us-east5";
    row.kind = kind;
    row.per_chip = usd_per_hour(1.35);
    row.date = "2026-08-10";
    return row;
  };
  r.price = priced(provisioning::flex_start);
  CHECK(hourly_words(r) ==
        "$21.60 an hour, idle or not (flex_start in us-east5, price of 2026-08-10, before an announced change)");
  r.slices = 2;
  r.price = priced(provisioning::spot);
  CHECK(hourly_words(r) == "$43.20 an hour, idle or not (spot in us-east5, price of 2026-08-10)");
  r.zone = "europe-west4-a";
  CHECK(says(hourly_words(r), "(spot in us-east5: no price is known in europe-west4, that of us-east5, price"));
  r.zone = "us-central1-a";
  price_row of_us = priced(provisioning::spot);
  of_us.region = "us";
  r.price = of_us;
  CHECK(says(hourly_words(r), "(spot in us, price of"));
}

}  // namespace launch_targets_tests
