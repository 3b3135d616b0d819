// What the library says of an engine that was added as docs/change.md says.
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/json.hpp>
#include <tpuplan/launch/serving.hpp>
#include <tpuplan/read/runs/serving.hpp>

#include "check.hpp"

using namespace tpuplan;

static_assert(parse_serving_engine("Made-Up") == serving_engine::made_up);
static_assert(parse_serving_engine("mu") == serving_engine::made_up);
static_assert(names_of<serving_engine>() ==
              "unnamed, jetstream, vllm, vllm-torch-xla, sglang-jax, example, "
              "vllm-torchtpu or made-up");
static_assert(runs_behind(serving_engine::made_up).runs == 0);

namespace {

serving_job job_of(serving_engine engine) {
  serving_job job;
  job.prompt = job.output = fixed_length(1024);
  job.engine = engine;
  job.max_running = 64;
  return job;
}

void check_estimate() {
  const auto step = [](serving_engine engine) {
    return decode_step(llama(), {64, 1536}, job_of(engine), {}, slice_for("v6e-4"));
  };
  const decode_breakdown usual = step(serving_engine::example), own = step(serving_engine::made_up);
  check(own.cache > 1.99 * usual.cache && own.cache < 2.01 * usual.cache, "its factor on the cache is 2");
  check(own.paging > 0_s && usual.paging == 0_s, "its cache is in pages, that of example code is not");
}

void check_record() {
  const nlohmann::json record = {{"id", "some-run"}, {"source", "somebody"}, {"engine", "made-up 1.2"}};
  check(detail::record_engine(json_object(record, "record")) == serving_engine::made_up, "records name it");
}

void check_names() {
  const nlohmann::json text = job_of(serving_engine::made_up);
  check(text.at("engine") == "made-up", "JSON names it");
  try {
    (void)read_json<serving_job>({{"engine", "other"}});
    check(false, "another name is refused");
  } catch (const error& refusal) {
    check(refusal.valid().find("vllm-torchtpu, made-up") != std::string::npos, "refusals list it");
  }
}

void check_launch() {
  check(startable_engines() == "vllm, sglang-jax or made-up", "help of launch lists it");
  serving_launch launch;
  launch.request.name = "chat";
  launch.request.image = "host/image:tag";
  launch.request.where = slice_for("v6e-4");
  launch.engine = serving_engine_for("mu");
  launch.model = "some/model";
  launch.job = job_of(launch.engine);
  const std::vector<std::string> words = {"serve-it", "--model=some/model", "--devices=4", "--batch=64"};
  check(engine_command(launch) == words, "its command is written, without a block that the job leaves open");
  check(layout_limit(launch.engine, {}, slice_for("v5e-4")).field == "slice", "it runs on its chips alone");
}

}  // namespace

int main() {
  check_estimate();
  check_record();
  check_names();
  check_launch();
  return failures == 0 ? 0 : 1;
}
