// The questions of a network of layers: what is left open, what is answered, what is refused.
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/ask.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_networks_tests {
using nlohmann::json;

namespace {

json resnet_question(const char* question, json request) {
  request["config"] = {{"model_type", "resnet"}, {"num_labels", 1000}};
  if (!request.contains("slice")) request["slice"] = "v5e-8";
  return json::parse(
      ask({{"schema", json_schema}, {"question", question}, {"request", request}, {"view", "text"}}).dump());
}
std::string refused(const char* question, const json& request) {
  const json answer = resnet_question(question, request);
  return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
}

}  // namespace

TEST_CASE("an open layout has a replica on each device, and an open batch 128 examples on each", "[ask]") {
  CHECK(network_layout(open_layout(), slice_for("v5e-8")).data == 8);
  layout mesh = open_layout();
  mesh.data = 2;
  CHECK(network_layout(mesh, slice_for("v5e-8")).fsdp == 4);
  mesh.data = 1, mesh.fsdp = 8;
  CHECK(network_layout(mesh, slice_for("v5e-8")).data == 1);
  const json fit = resnet_question("fit_network", {})["answer"];
  CHECK(fit["job"]["global_batch"] == 1024);
  CHECK(fit["fits"] == "yes");
  CHECK(fit["example"] == "image");
}

TEST_CASE("a step of a network, and its run where examples are given", "[ask]") {
  const json job = {{"global_batch", 1024}, {"optimizer", "sgd_momentum"}};
  const json step = resnet_question("train_network", {{"job", job}});
  CHECK(step["answer"]["step_time_s"].get<double>() == Approx(0.0706).epsilon(0.001));
  CHECK(step["answer"]["run_s"].is_null());
  CHECK(step["view"].get<std::string>().find("no published run of a network") != std::string::npos);
  const json run = resnet_question("train_network", {{"job", job}, {"data", {{"examples", 1281167}, {"epochs", 90}}}});
  CHECK(run["answer"]["epochs"]["steps"] == 112590);
  CHECK(run["answer"]["costs"].size() > 2);
  CHECK(run["answer"]["not_in_run"].is_null());
  CHECK(compilation_matters(seconds{120}));
  CHECK_FALSE(compilation_matters(seconds{86400}));
}

TEST_CASE("what a network has no use for is refused", "[ask]") {
  CHECK(says(refused("train_network", {{"job", {{"sequence_length", 512}}}}), "request.job.sequence_length"));
  CHECK(says(refused("train_network", {{"mesh", {{"data", 4}, {"fsdp", 1}, {"tensor", 2}}}}), "data and fsdp degrees"));
  CHECK(says(refused("train_network", {{"region", "us"}}), "none without data.examples"));
  CHECK(says(refused("train_network", {{"input", {{"cached_share", 1}}}}), "input.cached_share"));
  CHECK(says(refused("fit_network", {{"slice", "v5e-7"}}), "slice"));
  CHECK(says(refused("fit", json::object()), "fit_network and train_network take it"));
  const json language = ask({{"schema", json_schema},
                             {"question", "fit_network"},
                             {"request", {{"config", {{"model_type", "gpt2"}}}, {"slice", "v5e-8"}}}});
  CHECK(says(language["error"]["message"].get<std::string>(), "fit and train take others"));
}

}  // namespace ask_networks_tests
