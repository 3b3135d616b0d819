// The user's own runs in a question.
#include <tpuplan/ask/own_runs.hpp>
#include <tpuplan/json/file.hpp>

#include "support/ask.hpp"
#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_own_runs_tests {

namespace {
/// Two training steps, of which one has its peak of memory, and a token time.
nlohmann::json runs() { return load_json(TPUPLAN_TESTS_DIR "/cli/plans/runs.json"); }
}  // namespace

TEST_CASE("own runs in words, one of a kind and several") {
  CHECK(words_of({{2, "step", "steps"}, {0, "token time", "token times"}, {1, "peak of memory", "peaks of memory"}}) ==
        "2 steps, 1 peak of memory of your own");
  CHECK(assumed_runs(std::vector<counted_runs>{{0, "step", "steps"}}).empty());
  CHECK(assumed_runs({{1, "step", "steps"}}).front() ==
        std::pair<std::string, std::string>("estimates",
                                            "corrected by 1 step of your own, the more the more alike they are"));
}

TEST_CASE("a question learns what its calibration says of it, and refuses one that says nothing") {
  const own_constants known = constants_of(runs(), calibrated_part::steps_and_memory);
  CHECK(known.training.own.count == 2);
  CHECK(known.memory.count == 1);
  CHECK(known.serving.own_decode.count == 1);
  CHECK(words_of(counts_of(known)) == "2 steps, 1 peak of memory, 1 token time of your own");
  nlohmann::json steps = runs();
  steps["records"].erase(2);
  for (nlohmann::json& record : steps["records"]) record.erase("hbm_used_bytes");
  CHECK(knows(constants_of(steps, calibrated_part::steps), calibrated_part::steps_and_memory));
  CHECK(refusal_of([&] { (void)constants_of(steps, calibrated_part::serving); }).message ==
        "tpuplan: calibration is given without effect; valid: one with token times or first tokens");
  nlohmann::json tokens = runs();
  tokens["records"].erase(1), tokens["records"].erase(0);
  CHECK(refusal_of([&] { (void)constants_of(tokens, calibrated_part::steps_and_memory); }).message ==
        "tpuplan: calibration is given without effect; valid: one with training steps or peaks of memory");
  CHECK(constants_of({}, calibrated_part::serving).serving.own_decode.count == 0);
}

TEST_CASE("a job that knows runs says so, and has their level of software") {
  placed_job all;
  all.assumed = {{"software", "unnamed"}};
  own_constants known = constants_of(runs(), calibrated_part::steps);
  known.training.own.items[known.training.own.count - 1].about.level =
      static_cast<std::uint32_t>(software_level::general);
  learn(all, known);
  CHECK(all.constants.own.count == 2);
  CHECK(all.known_memory.count == 1);
  CHECK(all.job.software == software_level::general);
  REQUIRE(all.assumed.size() == 2);
  CHECK(all.assumed[0].second == "general, as in your latest run");
  CHECK(all.assumed[1].second.find("corrected by 2 steps, 1 peak of memory of your own") == 0);
  plan_request request;
  assumed_values assumed;
  learn(request, known, assumed);
  CHECK(request.constants.own.count == 2);
  REQUIRE(assumed.size() == 3);  // of the steps, of layouts without any, and that peaks say nothing to a plan
  CHECK(assumed[1].first == "layouts");
}

// Of which the estimate of memory leaves more than half open: a step that was measured says it, in every question.
TEST_CASE("a job of which a step was measured fits, whoever asks") {
  const nlohmann::json config = load_json(TPUPLAN_DATA_DIR "/models/llama-3.1-8b.json");
  nlohmann::json request = {{"config", config},
                            {"slice", "v6e-64"},
                            {"job", {{"global_batch", 512}, {"sequence_length", 4096}, {"remat", "full"}}}};
  const auto answer = [](const std::string& question, const nlohmann::json& asked) {
    const nlohmann::ordered_json whole = ask({{"schema", "tpuplan/1"}, {"question", question}, {"request", asked}});
    INFO(whole.dump().substr(0, 500));
    REQUIRE(whole.contains("answer"));
    return nlohmann::json(whole["answer"]);
  };
  CHECK(answer("fit", request)["fits"] == "uncertain");
  nlohmann::json record = runs()["records"][0];
  record.erase("hbm_used_bytes");
  record["hardware"] = "v6e", record["global_batch"] = 512, record["target_step_time_s"] = 10;
  request["calibration"] = {{"records", {record}}};
  const nlohmann::json fit = answer("fit", request);
  CHECK(fit["fits"] == "yes");
  CHECK(fit["chance_to_fit"] == 0.95);
  CHECK(fit["breakdown"]["ran"] == true);
  CHECK(fit["largest_batch"] >= 512);
  CHECK(fit["assumed"].back()["value"] == "fits");
  request["tokens"] = 1e11;
  CHECK(answer("train", request)["memory"]["fits"] == "yes");
  request["deadline_s"] = 30 * 86400;
  const nlohmann::json risk = answer("risk", request);
  CHECK(risk["fits"] == "yes");
  CHECK(risk["chance_to_fit"] == 0.95);
  plan_request plan;
  plan.model = read_hf_config(config).model;
  plan.job = job_of(512, 4096);
  plan.tokens = 1e11;
  plan.generations = {"v6e"};
  plan.smallest_chips = plan.largest_chips = 64;
  plan.policies = {remat::full};
  plan.degrees.fsdp = 64;
  plan.accept_uncertain = true;
  CHECK(make_plan(plan).plans.front().fit == verdict::uncertain);
  plan.constants = constants_of(request["calibration"], calibrated_part::steps).training;
  CHECK(make_plan(plan).plans.front().fit == verdict::yes);
  request["job"]["global_batch"] = 576;  // which did not run
  request.erase("tokens"), request.erase("deadline_s");
  CHECK(answer("fit", request)["fits"] == "uncertain");
}

}  // namespace ask_own_runs_tests
