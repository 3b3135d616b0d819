// What is written to start jobs where one value of the request is another: for each launch target, each engine and
// MaxText a line, as in files.cpp.
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json.hpp>
#include <tpuplan/launch.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/digests.hpp"
#include "support/models.hpp"
#include "support/told.hpp"

using namespace tpuplan;

namespace golden_launches_tests {

namespace {

using nlohmann::json;

std::string written(const launch_target& by, json request, const slice& where) {
  request["where"] = where;
  const launch_output output = launch(by, read_json<launch_request>(request));
  return output.text + output.json.dump();
}

/// A request as JSON, but for its slice, with as many of the fields that only some services have as the target takes.
json full_request(const launch_target& by, const launch_request& start) {
  json all = start;
  all.erase("where");
  all.erase("price");
  const json more = json::parse(R"({"project":"my-project","zone":"us-east5-b","cluster":"tpus","image":"gcr.io/p/i:1",
      "checkpoint":"gs://bucket/run","command":["python","train.py","--size=8 b"],"max_restarts":3,"max_run_s":86400,
      "run_s":7200,"max_wait_s":3600,"args":["--a","b"],"service_account":"runner@my-project.iam.gserviceaccount.com",
      "queue":"research","location":"us-east5","tensorboard":"1234","output":"gs://bucket/out","secret":"hf-secret",
      "workdir":"work","copy":["more.txt"],"requirements":"requirements.txt","framework":"jax",
      "packages":["gs://bucket/trainer.tar.gz"],"module":"trainer.task","boot_disk_bytes":200000000000,
      "reservation":"mine"})");
  for (const auto& [key, value] : more.items()) {
    json tried = all;
    tried[key] = value;
    try {
      (void)written(by, tried, start.where);
      all = tried;
    } catch (const error&) {
    }
  }
  return all;
}

std::string lines_of(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word + '\n';
  return all;
}

}  // namespace

TEST_CASE("what launch targets write with one value changed, as it was", "[golden]") {
  digests all;
  std::size_t turn = 0;
  for (const launch_target& by : launch_targets) {
    for (const char* where : {"v6e-1", "v6e-8", "v6e-16", "v5p-8", "v5p-128", "v4-16", "v5litepod-4", "tpu7x-32"}) {
      for (const provisioning capacity :
           {provisioning::on_demand, provisioning::spot, provisioning::flex_start, provisioning::calendar}) {
        launch_request start;
        start.name = "job", start.where = slice_for(where), start.capacity = capacity;
        if (capacity == provisioning::calendar) start.reservation = "mine";
        start = detail::named_request(start, by);
        for (const std::int64_t slices : {1, 2}) {
          start.slices = slices;
          const std::string what =
              std::string(where) + ' ' + std::string(name(capacity)) + ' ' + std::to_string(slices);
          all.add(std::string(by.name), what, [&] { return written(by, start, start.where); });
        }
        if (std::string_view(where) != "v6e-8" && std::string_view(where) != "v6e-16") continue;
        start.slices = capacity == provisioning::spot ? 2 : 1;
        if (!can_launch(by, start)) start.slices = 1;
        if (!can_launch(by, start)) continue;
        json request = full_request(by, start);
        const json& file = request;
        const auto ask = [&](const std::string& change) {
          all.add(std::string(by.name), change, [&] { return written(by, file, start.where); });
        };
        ask("as it is");
        each_change(request, "", turn, ask);
      }
    }
  }
  CHECK(all.problem("launches.txt") == "");
}

TEST_CASE("commands of engines and of MaxText with one value changed, as they were", "[golden]") {
  digests all;
  std::size_t turn = 0;
  for (std::size_t i = 0; i < std::size(detail::engines); ++i) {
    for (const char* where : {"v6e-4", "v6e-16"}) {
      if (std::string_view(where) == "v6e-16" && static_cast<serving_engine>(i) != serving_engine::vllm) continue;
      serving_launch launch;
      launch.engine = static_cast<serving_engine>(i);
      launch.request.name = "chat", launch.request.where = slice_for(where), launch.request.slices = 3;
      launch.request.image = "vllm/vllm-tpu:nightly", launch.model = "meta-llama/Llama-3.1-8B-Instruct";
      launch.job.prompt = fixed_length(2000), launch.job.output = fixed_length(300);
      launch.job.max_running = 64, launch.job.prefill_chunk = 2048, launch.job.block_tokens = 32;
      launch.experts = 8, launch.weights = 16_GB;
      if (launch.engine == serving_engine::vllm) launch.scaler = {2, 9, 4};
      const slice on = launch.request.where;
      json request = launch;
      request["request"].erase("where");
      const json& file = request;
      const auto ask = [&](const std::string& change) {
        all.add(std::string(name(launch.engine)), change, [&] {
          json whole = file;
          whole["request"]["where"] = on;
          const auto read = read_json<serving_launch>(whole);
          return gke_serving_file(read) + lines_of(engine_command(read)) + told_of(start_limit(read));
        });
      };
      ask("as it is");
      each_change(request, "", turn, ask);
    }
  }
  for (const char* where : {"v5p-128", "v6e-64"}) {
    launch_request job;
    job.name = "job", job.where = slice_for(where), job.slices = 2, job.checkpoint = "gs://bucket/run";
    job.project = "my-project", job.zone = "us-east5-b", job.image = "gcr.io/p/i";
    maxtext_run run;
    run.model = llama_3_8b(), run.layers = 32, run.steps = 1000, run.checkpoint_period = 100;
    run.job.global_batch = 512, run.job.sequence_length = 4096;
    if (job.where.chip.name == "v6e") run.compiler_flags = "recipe";
    run.mesh.fsdp = devices(job.where), run.mesh.dcn_data = 2;
    run.extra = {"model_name=llama3.1-8b", "dataset_type=synthetic"};
    json request = run;
    request.erase("model");
    const json& file = request;
    const auto ask = [&](const std::string& change) {
      all.add("maxtext", change, [&] {
        auto read = read_json<maxtext_run>(file);
        read.model = run.model;
        return lines_of(maxtext_command(job, read)) + recipe_flags(job.where.chip, read);
      });
    };
    for (const char* policy : {"full", "minimal", "save_qkv_proj", "minimal_offloaded", "save_out_proj"}) {
      request["job"]["remat"] = policy;
      ask(policy);
    }
    each_change(request, "", turn, ask);
  }
  CHECK(all.problem("launch_commands.txt") == "");
}

}  // namespace golden_launches_tests
