// The question of a sweep, of a network of layers and of a language model; what it refuses.
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/json.hpp>

#include "support/ask.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_sweep_tests {
using nlohmann::json;

namespace {

const json resnet = {{"model_type", "resnet"}, {"num_labels", 1000}};
const json llama = {{"model_type", "llama"}, {"hidden_size", 2048}, {"num_hidden_layers", 16}};

json sweep_of(const json& config, json request, const char* question = "sweep") {
  request["config"] = config;
  return json::parse(
      ask({{"schema", json_schema}, {"question", question}, {"request", request}, {"view", "text"}}).dump());
}
std::string refused(const json& config, json request) {
  if (!request.contains("quota")) request["quota"] = 8;
  if (!request.contains("trials")) request["trials"] = 4;
  const json answer = sweep_of(config, request);
  return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
}

}  // namespace

TEST_CASE("a trial of a sweep takes what a run of its plan does, its start and its compilation", "[ask]") {
  const json job = {{"global_batch", 1024}}, data = {{"examples", 50000}, {"epochs", 10}};
  const json sweep = sweep_of(resnet, {{"trials", 40},
                                       {"parallel", 8},
                                       {"job", job},
                                       {"data", data},
                                       {"slices", {"v5e-8", "v5e-4"}},
                                       {"around", {{"start_up_s", 180}, {"compilation_s", 60}}}});
  const json around = {{"start_up_s", 180}, {"compilation_s", 60}};
  const json& best = sweep["answer"]["plans"][0];
  CHECK(best["kind"] == "spot");
  CHECK(best["chips"] == 64);
  CHECK(best["rounds"] == 5);
  const json plan =
      sweep_of(resnet, {{"job", job}, {"data", data}, {"around", around}, {"generations", {"v5e"}}}, "plan_network");
  double wall = 0;
  for (const json& one : plan["answer"]["plans"])
    wall = one["slice"] == "v5litepod-8" ? one["wall_s"].get<double>() : wall;
  const json& on_demand = sweep["answer"]["plans"][1];
  CHECK(on_demand["kind"] == "on_demand");
  CHECK(on_demand["whole_trial_s"].get<double>() == Approx(wall));
  CHECK(sweep["answer"]["left_out"][0]["slice"] == "v5litepod-4");
  CHECK(sweep["answer"]["left_out"][0]["why"] == no_trial_runs);
  CHECK(says(sweep["view"].get<std::string>(), "40 trials"));
  CHECK(says(sweep["view"].get<std::string>(), "v5litepod-4: a trial does not run on it"));
}

TEST_CASE("a trial of a language model is given in tokens, in sequences or in steps", "[ask]") {
  const json job = {{"global_batch", 64}, {"sequence_length", 1024}};
  const auto plans = [&](const json& run) {
    json request = {{"trials", 4}, {"quota", 16}, {"job", job}, {"generations", {"v6e"}}};
    request.update(run);
    return sweep_of(llama, request)["answer"]["plans"];
  };
  const json by_steps = plans({{"steps", 100}});
  CHECK(by_steps.size() > 2);
  CHECK(by_steps == plans({{"tokens", 64 * 1024 * 100}}));
  CHECK(by_steps == plans({{"data", {{"examples", 3200}, {"epochs", 2}}}}));
}

TEST_CASE("trials of adapters of images take what a run of their plan does", "[ask]") {
  const json flux = {{"_class_name", "FluxTransformer2DModel"}};
  const json job = {{"global_batch", 16}, {"lora_rank", 16}}, data = {{"examples", 20000}};
  json request = {
      {"job", job}, {"data", data}, {"sizes", {"512x512"}}, {"generations", {"v6e"}}, {"largest_chips", 16}};
  const json plan = sweep_of(flux, request, "plan_train_generation")["answer"]["plans"];
  REQUIRE(plan.size() > 2);
  request.erase("largest_chips");
  request["quota"] = 16, request["trials"] = 1, request["kinds"] = {"on_demand"};
  const json sweep = sweep_of(flux, request)["answer"]["plans"];
  REQUIRE(sweep.size() == plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    CHECK(sweep[i]["slice"] == plan[i]["slice"]);
    CHECK(sweep[i]["total_usd"] == plan[i]["cost_usd"]);
    CHECK(sweep[i]["wall_s"] == plan[i]["wall_s"]);
  }
  CHECK(says(refused(flux, {{"tokens", 1e9}}), "tokens"));
  CHECK(says(refused(resnet, {{"data", data}, {"sizes", {"512x512"}}}), "sizes is given for another model"));
}

TEST_CASE("whole trials are stopped, and a deadline is kept by nearly all orders of them", "[ask]") {
  json request = {{"trials", 7}, {"quota", 16}, {"stopped", 0.5}, {"tokens", 1e8}, {"generations", {"v6e"}}};
  const json answer = sweep_of(llama, request)["answer"];
  CHECK(answer["stopped"].get<double>() == Approx(3.0 / 7));
  CHECK(says(answer["assumed"].dump(), "3 of 7"));
  for (const json& one : answer["plans"]) CHECK(one["wall_high_s"] >= one["wall_s"]);
  request["deadline_s"] = answer["plans"][0]["wall_s"];
  const json in_time = sweep_of(llama, request)["answer"];
  for (const json& one : in_time["plans"]) CHECK(one["wall_high_s"] <= request["deadline_s"]);
  request["trials"] = 8;
  CHECK_FALSE(says(sweep_of(llama, request)["answer"]["assumed"].dump(), "of 8"));
}

TEST_CASE("what is at fault where no slice does a sweep", "[ask]") {
  json request = {{"trials", 4}, {"quota", 16}, {"tokens", 1e8}, {"generations", {"v6e"}}};
  const auto why = [&] {
    const json answer = sweep_of(llama, request);
    CHECK(answer["answer"]["plans"].empty());
    return answer["answer"]["left_out"].at(0)["why"].get<std::string>();
  };
  request["deadline_s"] = 60;
  CHECK(says(why(), "beyond the deadline of 60.0 s"));
  CHECK_FALSE(says(why(), "price"));
  request["slices"] = {"v6e-8"};
  CHECK(says(why(), "beyond the deadline of 60.0 s"));
  request.erase("deadline_s");
  request["kinds"] = {"commitment_1y"}, request["region"] = "us-south1";
  CHECK(says(why(), "no price of commitment_1y in us-south1"));
  request["kinds"] = {"calendar"};  // at the flat price of the US
  const json flat = sweep_of(llama, request);
  CHECK_FALSE(flat["answer"]["plans"].empty());
  CHECK(says(flat["answer"]["assumed"].dump(), "v6e on calendar in us-south1 at $1.89, as in us"));
  request = {{"trials", 4}, {"quota", 1}, {"tokens", 1e8}, {"generations", {"v5e"}}};  // 16 GB of HBM
  CHECK(says(why(), "a trial runs on none"));
}

TEST_CASE("v2 and v3 have trials where they are named", "[ask]") {
  const auto has_old = [](json request) {
    request["trials"] = 4, request["quota"] = 16, request["data"] = {{"examples", 50000}};
    const json answer = sweep_of(resnet, request)["answer"];
    bool found = false;
    for (const json& one : answer["plans"]) found = found || one["slice"].get<std::string>().substr(0, 3) == "v3-";
    return std::make_pair(found, says(answer["assumed"].dump(), "v2 and v3"));
  };
  CHECK(has_old({}) == std::make_pair(false, true));
  CHECK(has_old({{"generations", {"v3"}}}) == std::make_pair(true, false));
  CHECK(has_old({{"slices", {"v3-8"}}}) == std::make_pair(true, false));
}

TEST_CASE("what a sweep cannot answer is refused by its field", "[ask]") {
  const json data = {{"examples", 50000}};
  CHECK(
      says(sweep_of(resnet, {{"trials", 4}, {"data", data}})["error"]["message"].get<std::string>(), "quota is miss"));
  CHECK(says(refused(resnet, json::object()), "data.examples is not given"));
  CHECK(says(refused(llama, json::object()), "tokens is not given"));
  CHECK(says(refused(resnet, {{"tokens", 1e9}}), "tokens"));
  CHECK(says(refused(llama, {{"tokens", 1e9}, {"input", {{"decode_s", 1}}}}), "input is given for a language model"));
  CHECK(says(refused(llama, {{"tokens", 1e9}, {"steps", 100}}), "steps is given without effect"));
  CHECK(says(refused(llama, {{"tokens", 1e9}, {"data", {{"epochs", 2}}}}), "request.data is given without effect"));
  CHECK(says(refused(resnet, {{"steps", 100}}), "job.global_batch"));
  CHECK(says(refused(resnet, {{"data", data}, {"stopped_after", 0.5}}), "request.stopped_after"));
  CHECK(says(refused(resnet, {{"data", data}, {"job", {{"sequence_length", 512}}}}), "request.job.sequence_length"));
  CHECK(says(refused(resnet, {{"data", data}, {"region", "mars"}}), "region is mars"));
  CHECK(says(refused(resnet, {{"data", data}, {"trials", 0}}), "trials"));
}

}  // namespace ask_sweep_tests
