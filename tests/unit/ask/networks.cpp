// The questions of a network of layers: what is left open, what is answered, what is refused.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/ask/networks.hpp>

#include "support/ask.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_networks_tests {
using nlohmann::json;

namespace {

json resnet_question(const char* question, json request) {
  request["config"] = {{"model_type", "resnet"}, {"num_labels", 1000}};
  if (!request.contains("slice") && std::string_view(question) != "plan_network") request["slice"] = "v5e-8";
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

TEST_CASE("an example of two columns or more is an image") {
  network net;
  net.height = 784;
  CHECK(example_word(net) == "example");
  net.width = 2;
  CHECK(example_word(net) == "image");
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
  CHECK(run["answer"]["terms"]["start_up_s"] == 600);
  CHECK(run["answer"]["timeline"].is_null());
  const json whole = resnet_question("train_network", {{"job", job},
                                                       {"data", {{"examples", 1281167}, {"epochs", 90}}},
                                                       {"around", {{"start_up_s", 100}, {"compilation_s", 20}}}});
  const json& line = whole["answer"]["timeline"];
  CHECK(line["start_s"] == 100);
  CHECK(line["compilation_s"] == 20);
  CHECK(line["steps_s"] == run["answer"]["run_s"]);
  for (const json& way : whole["answer"]["costs"])
    if (way["kind"] == "on_demand") CHECK(way["wall_s"].get<double>() == Approx(line["wall_s"].get<double>()));
  CHECK(says(whole["view"].get<std::string>(), "first compilation"));
  CHECK(says(refused("train_network", {{"around", {{"start_up_s", 100}}}}), "none without data.examples"));
}

TEST_CASE("the plan of a network is that of plan_network", "[ask]") {
  const json request = {{"job", {{"global_batch", 1024}, {"optimizer", "sgd_momentum"}}},
                        {"data", {{"examples", 1281167}, {"epochs", 90}}}};
  const json plan = resnet_question("plan_network", request);
  const json& best = plan["answer"]["plans"][0];
  CHECK(best["slice"] == "v5litepod-8");
  CHECK(best["rank"] == 1);
  CHECK(best["steps"] == 112590);
  CHECK(best["plan"]["run_s"] == best["run_s"]);
  CHECK(best["wall_s"].get<double>() > best["run_s"].get<double>() + 600);
  CHECK(best["cost_low_usd"] < best["cost_usd"]);
  CHECK(says(plan["view"].get<std::string>(), "  1  v5litepod-8 "));
  json placed = request;
  placed["slice"] = "v5e-8";
  const json train = resnet_question("train_network", placed)["answer"];
  CHECK(best["step"] == train["breakdown"]);
  CHECK(best["memory"] == train["memory"]["breakdown"]);
  for (const json& way : train["costs"]) {
    if (way["kind"] != "on_demand") continue;
    CHECK(best["cost_usd"] == way["total_usd"]);
    CHECK(best["cost_low_usd"] == way["total_low_usd"]);
    CHECK(best["cost_high_usd"] == way["total_high_usd"]);
    const json& cost = best["plan"]["costs"][0];  // of the plan that launch takes
    CHECK(cost["low_usd"] == best["cost_low_usd"]);
    CHECK(cost["high_usd"] == best["cost_high_usd"]);
    CHECK(cost["wall_s"] == way["wall_s"]);
    CHECK(cost["wall_low_s"] < cost["wall_s"]);
    CHECK(cost["wall_s"] < cost["wall_high_s"]);
    CHECK(cost["goodput"] == best["run_s"].get<double>() / best["wall_s"].get<double>());
  }
  CHECK(says(plan["view"].get<std::string>(), "layout"));
  const json cheap = resnet_question(
      "plan_network", {{"data", {{"examples", 1281167}, {"epochs", 90}}}, {"budget_usd", 1}, {"deadline_s", 1e6}});
  CHECK(says(cheap["view"].get<std::string>(), "more dollars would do: v5litepod-"));
  const json none = resnet_question("plan_network", {{"data", {{"examples", 50000}}}, {"budget_usd", 1e-6}});
  CHECK(none["answer"]["plans"].empty());
  CHECK(none["answer"]["lost"]["over_budget"].get<int>() > 0);
  CHECK(says(none["view"].get<std::string>(), "no slice does it within these limits"));
  CHECK(says(none["view"].get<std::string>(), "global batch: 1,024 examples on every slice"));
  CHECK(says(refused("plan_network", json::object()), "data.examples is 0"));
  CHECK(says(refused("plan_network", {{"tokens", 1e9}}), "request.tokens"));
}

TEST_CASE("what the input of an example leaves open is as usual", "[ask]") {
  const auto input = [](const json& given) {
    return resnet_question("train_network", {{"input", given}})["answer"]["input"];
  };
  CHECK(input(json::object()) == resnet_question("train_network", json::object())["answer"]["input"]);
  CHECK(input({{"cached_share", 1}})["decoding_per_s"].is_null());
  const double half = input({{"cached_share", 0.5}})["decoding_per_s"];
  CHECK(half == Approx(2 * input(json::object())["decoding_per_s"].get<double>()));
  const network net = *read_any_model({{"model_type", "resnet"}}).net;
  CHECK(input_of(net, {{"input", {{"cached_share", 0.5}}}}).decode.value() == 0.0128);
  CHECK_FALSE(input_of(net, {{"input", {{"decode_s", 0.02}}}}).upper_bound);
}

TEST_CASE("what a network has no use for is refused", "[ask]") {
  CHECK(says(refused("train_network", {{"job", {{"sequence_length", 512}}}}), "request.job.sequence_length"));
  CHECK(says(refused("train_network", {{"mesh", {{"data", 4}, {"fsdp", 1}, {"tensor", 2}}}}), "data and fsdp degrees"));
  CHECK(says(refused("train_network", {{"region", "us"}}), "none without data.examples"));
  const json small = ask({{"schema", json_schema},
                          {"question", "train_network"},
                          {"request",
                           {{"config", {{"model_type", "vit"}, {"image_size", 32}, {"patch_size", 4}}},
                            {"slice", "v5e-8"},
                            {"input", {{"cached_share", 1}}}}}});
  CHECK(says(small["error"]["message"].get<std::string>(), "input.cached_share"));
  CHECK(says(refused("fit_network", {{"slice", "v5e-7"}}), "slice"));
  CHECK(says(refused("fit", json::object()), "fit_network, train_network and plan_network take it"));
  const json language = ask({{"schema", json_schema},
                             {"question", "fit_network"},
                             {"request", {{"config", {{"model_type", "gpt2"}}}, {"slice", "v5e-8"}}}});
  CHECK(says(language["error"]["message"].get<std::string>(), "fit and train take others"));
}

}  // namespace ask_networks_tests
