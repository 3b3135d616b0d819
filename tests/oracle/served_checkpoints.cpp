// Every decoder of data/checkpoints.json is answered by the planner of serving: no layout, slice or chip ends a search.
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace oracle_served_checkpoints_tests {

TEST_CASE("published checkpoints: every decoder has an answer from the planner of serving", "[checkpoints][slow]") {
  const nlohmann::json file = load_json(std::string(TPUPLAN_DATA_DIR) + "/checkpoints.json");
  int decoders = 0, planned = 0;
  for (const nlohmann::json& each : file.at("checkpoints")) {
    const model_config config = read_hf_config(each.at("config"));
    if (config.model.kind != architecture::decoder || !has_text(config.model)) continue;
    CAPTURE(each.at("name"));
    serving_request request;
    request.model = config.model;
    request.job.prompt = fixed_length(1024);
    request.job.output = fixed_length(256);
    request.job.request_rate = per_second{1};
    request.job.beyond_max_positions = true;
    request.most_plans = 0;
    const serving_plan_answer answer = plan_serving(request);
    ++decoders;
    planned += answer.plans.empty() ? 0 : 1;
    std::set<std::string> seen;
    for (const serving_plan& p : answer.plans) {
      CHECK(problem_of(config.model, p.mesh, p.where) == layout_problem::none);
      seen.insert(std::string(name(p.where).view()));
    }
    for (const rejected_server& lost : answer.rejected) {
      CHECK((lost.amount >= 0 && lost.amount < 1e15));
      seen.insert(std::string(name(lost.where).view()));
    }
    CHECK(seen.size() > 60);
  }
  CHECK(decoders >= 460);
  CHECK(planned > decoders * 9 / 10);
}

}  // namespace oracle_served_checkpoints_tests
