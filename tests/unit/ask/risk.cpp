// The question risk: the chances of a run, and what they agree with.
#include <algorithm>
#include <optional>
#include <tpuplan/ask/risk.hpp>
#include <utility>

#include "support/ask.hpp"
#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_risk_tests {

placed_job job_on(const std::string& slice, std::int64_t slices = 1) {
  model_config config;
  config.model = llama_3_8b();
  asked_job asked;
  asked.job = job_of(256, 4096);
  layout mesh = open_layout();
  mesh.dcn_data = slices;
  return placed(config, slice, mesh, asked);
}
risk_request ten_billion_tokens() {
  risk_request asked;
  asked.slice = "v5p-128";
  asked.tokens = 1e10;
  asked.runs = 1000;
  return asked;
}

TEST_CASE("a short run on demand is done in time") {
  risk_request asked = ten_billion_tokens();
  asked.deadline = 3_days;
  asked.kind = provisioning::on_demand;
  const risk_answer answer = answer_to_risk(job_on("v5p-128"), asked, {});
  CHECK(answer.chance_in_time == 1);
  CHECK(answer.chance_in_budget == 1);
  CHECK(*answer.wall_p50 > answer.run);
  CHECK(*answer.wall_p90 < 3_days);
  CHECK(answer.ways.size() >= 4);
  CHECK(answer.done_p50.empty());
  CHECK_FALSE(answer.preempted_every);
}

TEST_CASE("where nothing goes wrong a run costs what train says") {
  const placed_job all = job_on("v5p-128");
  train_request plain;
  plain.tokens = 1e10;
  const train_answer trained = answer_to_train(all, plain, {});
  risk_request asked = ten_billion_tokens();
  asked.deadline = 30_days;
  asked.restart_time = seconds{};
  asked.kind = provisioning::on_demand;
  const risk_answer answer = answer_to_risk(all, asked, {});
  CHECK(answer.run == *trained.run);
  for (const run_price& one : *trained.costs) {
    if (one.kind == provisioning::on_demand)
      CHECK(close(answer.cost_p50->value(), one.total.value(), 0.02));  // checkpoints and a rare failure
  }
}

TEST_CASE("the spot row is the expected run of pay where the mean time is known") {
  const placed_job all = job_on("v5p-128");
  risk_request asked = ten_billion_tokens();
  asked.tokens = 1e11;
  asked.kind = provisioning::spot;
  asked.mean_time_between_preemptions = 4_h;
  asked.queue_time = seconds{};
  asked.around.start_up = asked.around.compilation = seconds{};
  asked.deadline = 60_days;
  const risk_answer answer = answer_to_risk(all, asked, {});
  train_request plain;
  plain.tokens = asked.tokens;
  plain.around = asked.around;
  plain.queue_time = asked.queue_time;
  const train_answer trained = answer_to_train(all, plain, {});
  for (const run_price& one : *trained.costs) {
    if (one.kind != provisioning::spot) continue;
    CHECK(close(answer.wall_p50->value(), one.wall.value(), 0.05));  // failures of machines are beside it
    CHECK(close(answer.cost_p50->value(), one.total.value(), 0.05));
  }
  CHECK(*answer.preempted_every == 4_h);
  CHECK(*answer.preempted_every_high == 4_h);
}

TEST_CASE("runs that end before they would go on on demand are not played again, and are the same") {
  run_at_risk job;
  job.run = {10_days, 8_days, 12_days};
  job.slices = 4;
  job.restart_time = job.start_up = 10_min;
  job.checkpoint_time = 20_s;
  job.checkpoint_interval = 20_min;
  job.queue_time = 18_min;
  job.lifetime = believed_within(2_h, 8);
  job.failures = believed_within(3_days, 2);
  risk_request asked;
  asked.runs = 300;
  risk_limits limits;
  limits.deadline = 20_days;
  for (const bool elastic : {false, true}) {
    for (const bool in_time : {false, true}) {
      risk_policy policy;
      policy.elastic = elastic;
      policy.on_demand_in_time = in_time;
      policy.on_demand_after = 14_days;
      detail::runs_of_a_question played;
      const std::vector<played_run>& shared = played.of(job, policy, limits, asked);
      const std::vector<played_run> own = detail::played_runs(job, limits, policy, 300, 1);
      std::int64_t switched = 0;
      for (std::size_t n = 0; n < own.size(); ++n) {
        switched += own[n].on_demand.value() > 0 ? 1 : 0;
        CHECK(shared[n].wall == own[n].wall);
        CHECK(shared[n].billed == own[n].billed);
        CHECK(shared[n].on_demand == own[n].on_demand);
        CHECK(shared[n].ended == own[n].ended);
      }
      CHECK(switched > 10);
      CHECK(switched < 290);
    }
  }
}

TEST_CASE("on other chips checkpoints come after as many steps") {
  const placed_job all = job_on("v5p-128");
  const risk_request asked = ten_billion_tokens();
  placed_run from;
  from.where = all.where, from.slices = 1;
  from.run = {10_days, 8_days, 12_days};
  from.terms.checkpoint_interval = 1_h;
  from.terms.interval_of_steps = true;
  const std::optional<placed_run> twice =
      detail::run_on_chips(from, all, asked, {}, provisioning::on_demand, 2 * chips(all.where));
  REQUIRE(twice);
  CHECK(twice->run.expected < 10_days);
  CHECK(close((from.run.expected / from.terms.checkpoint_interval),
              twice->run.expected / twice->terms.checkpoint_interval));
  from.terms.interval_of_steps = false;
  const std::optional<placed_run> by_time =
      detail::run_on_chips(from, all, asked, {}, provisioning::on_demand, 2 * chips(all.where));
  REQUIRE(by_time);
  CHECK(by_time->terms.checkpoint_interval == 1_h);
}

TEST_CASE("dates are those of the calendar") {
  risk_request asked = ten_billion_tokens();
  asked.start = "2026-12-30";
  asked.by = "2027-01-02";
  asked.kind = provisioning::on_demand;
  const risk_answer answer = answer_to_risk(job_on("v5p-128"), asked, {});
  CHECK(*answer.deadline == 4_days);
  CHECK(answer.done_p50 >= "2026-12-30");
  CHECK(answer.done_p90 <= "2027-01-02");
}

TEST_CASE("own slices that lasted raise the chance, and a zone that takes them lowers it") {
  risk_request asked = ten_billion_tokens();
  asked.tokens = 1e11;
  asked.kind = provisioning::spot;
  asked.region = "us-east5";
  asked.deadline = 4_days;
  const placed_job all = job_on("v5p-128");
  const double there = answer_to_risk(all, asked, {}).chance_in_time;
  asked.lifetimes.assign(20, own_lifetime{30_h, false});
  CHECK(answer_to_risk(all, asked, {}).chance_in_time > there);
  asked.lifetimes.assign(20, own_lifetime{15_min, true});
  CHECK(answer_to_risk(all, asked, {}).chance_in_time < there);
}

TEST_CASE("calendar mode is there for risk as for train, and for runs that its longest window holds") {
  const placed_job all = job_on("v6e-128");
  risk_request asked = ten_billion_tokens();
  asked.slice = "v6e-128";
  asked.deadline = 200_days;
  asked.runs = 500;
  train_request plain;
  const auto has_calendar = [](const auto& ways) {
    return std::any_of(ways.begin(), ways.end(), [](const auto& one) { return one.kind == provisioning::calendar; });
  };
  const auto left_out = [](const std::vector<assumption>& said) {
    return std::any_of(said.begin(), said.end(), [](const assumption& one) {
      return one.field == "left out" && one.value == "calendar" && one.why == "the run is longer than 90 days";
    });
  };
  const double a_day = 1e10 / in_days(answer_to_risk(all, asked, {}).run);  // tokens
  for (const double days : {10.0, 85.0, 95.0}) {
    asked.tokens = plain.tokens = days * a_day;
    const train_answer trained = answer_to_train(all, plain, {});
    const risk_answer answer = answer_to_risk(all, asked, {});
    INFO(days << " days");
    CHECK(has_calendar(*trained.costs) == (days < 90));
    CHECK(has_calendar(answer.ways) == (days < 90));
    CHECK(left_out(trained.memory.assumed) == (days > 90));
    CHECK(left_out(answer.assumed) == (days > 90));
  }
  asked.kind = provisioning::calendar;
  CHECK(says(refusal_of([&] { (void)answer_to_risk(all, asked, {}); }).message,
             "kind is calendar; valid: a run of at most 90 days, the longest window"));
  asked.tokens = 85 * a_day;
  const risk_answer close_to_it = answer_to_risk(all, asked, {});
  CHECK(close_to_it.chance_in_time > 0.3);  // runs with slower steps outlast the window
  CHECK(close_to_it.chance_in_time < 0.9);
  CHECK(close_to_it.chance_to_end == close_to_it.chance_in_time);
}

TEST_CASE("what a question about risk refuses") {
  const placed_job all = job_on("v5p-128");
  const auto refused = [&](const risk_request& asked) {
    return refusal_of([&] { (void)answer_to_risk(all, asked, {}); }).message;
  };
  risk_request asked = ten_billion_tokens();
  CHECK(says(refused(asked), "by is missing; valid: a date, a deadline_s or a budget_usd"));
  asked.by = "2026-12-31";
  CHECK(says(refused(asked), "start is missing"));
  asked.start = "2027-01-01";
  CHECK(says(refused(asked), "by is 2026-12-31; valid: a date not before start"));
  asked.start = "2026-11-31";
  CHECK(says(refused(asked), "start is 2026-11-31"));
  asked.start = "2026-12-01";
  asked.deadline = 3_days;
  CHECK(says(refused(asked), "deadline_s is given without effect"));
  asked = ten_billion_tokens();
  asked.deadline = 3_days;
  asked.tokens = 0;
  CHECK(says(refused(asked), "tokens is missing"));
  asked.tokens = 1;
  CHECK_FALSE(says(refused(asked), "tokens is missing"));
  asked.tokens = 1e10;
  asked.spare_slices = 1025;
  CHECK(says(refused(asked), "spare_slices is 1025; valid: 0 to 1024"));
  asked.spare_slices = 0;
  asked.elastic = true;
  CHECK(says(refused(asked), "elastic is given without effect"));
  asked = ten_billion_tokens();
  asked.deadline = 3_days;
  asked.kind = provisioning::on_demand;
  asked.queue_time = 1_h;  // of the other ways, which stand beside it
  CHECK(refused(asked).empty());
  asked.queue_time.reset();
  asked.mean_time_between_preemptions = 1_h;
  CHECK(refused(asked).empty());
  asked.mean_time_between_preemptions.reset();
  asked.zone = "us-east5-a";  // whose region has prices
  CHECK(refused(asked).empty());
  asked.kind = provisioning::spot;
  asked.zone = "mars";
  CHECK(says(refused(asked), "zone is mars; valid: a zone such as us-east5-b"));
  asked.zone = "us-east5-a";
  asked.mean_time_between_preemptions = 1_h;
  CHECK(refused(asked).empty());
  asked.zone.clear();
  asked.lifetimes = {{seconds{}, true}};
  CHECK(says(refused(asked), "lifetimes is given without effect"));
  asked.mean_time_between_preemptions.reset();
  CHECK(says(refused(asked), "lifetimes.lasted is 0"));
}

TEST_CASE("an older price counts five points less, then dollars decide") {
  const auto way = [](double chance, double dollars, bool superseded) {
    risk_way one;
    one.chance_of_both = chance;
    one.cost_p50 = usd{dollars};
    one.superseded = superseded;
    return one;
  };
  using detail::is_surer;
  CHECK(is_surer(way(0.9, 100, false), way(0.94, 100, true)));
  CHECK(is_surer(way(0.96, 100, true), way(0.9, 100, false)));
  CHECK(is_surer(way(0.9, 99, false), way(0.9, 100, false)));
  CHECK_FALSE(is_surer(way(0.9, 100, false), way(0.9, 99, false)));
  risk_way unpriced = way(0.9, 1, false);
  unpriced.cost_p50.reset();
  CHECK(is_surer(way(0.9, 100, false), unpriced));
  CHECK_FALSE(is_surer(unpriced, way(0.9, 100, false)));
}

TEST_CASE("networks and images have the chances of the run that their training has", "[ask]") {
  using nlohmann::json;
  const auto answered = [](const char* question, const json& request) {
    return json::parse(ask({{"schema", json_schema}, {"question", question}, {"request", request}}).dump());
  };
  const json data = {{"examples", 1281167}, {"epochs", 9}};
  const json resnet = {{"config", {{"model_type", "resnet"}}}, {"slice", "v5e-8"}, {"job", {{"global_batch", 1024}}}};
  const json flux = {{"config", {{"_class_name", "FluxTransformer2DModel"}}},
                     {"slice", "v5p-16"},
                     {"sizes", {"512x512"}},
                     {"job", {{"global_batch", 64}, {"lora_rank", 16}, {"recompute", false}}}};
  const std::pair<const char*, json> both[] = {{"train_network", resnet}, {"train_generation", flux}};
  for (const auto& [question, asked] : both) {
    json request = asked;
    request["data"] = data;
    const json trained = answered(question, request);
    const double run = trained["answer"]["run_s"];
    request["deadline_s"] = 20 * run, request["runs"] = 200, request["kind"] = "on_demand";
    const json risk = answered("risk", request);
    INFO(risk.dump().substr(0, 300));
    CHECK(risk["answer"]["run_s"] == run);
    CHECK(risk["answer"]["chance_in_time"] == 1);
    CHECK(risk["answer"]["wall_p50_s"] > run);
    request["deadline_s"] = run / 3;  // below the low end of the band
    CHECK(answered("risk", request)["answer"]["chance_in_time"] < 0.01);
    const auto refused = [&](const char* key, const json& value) {
      json wrong = request;
      wrong[key] = value;
      return answered("risk", wrong)["error"]["message"].get<std::string>();
    };
    CHECK(says(refused("tokens", 1e9), "tokens is 1000000000"));
    CHECK(says(refused("data", json::object()), "data.examples is missing"));
  }
  json waits = resnet;  // for hosts, so that no end of the band is below the estimate
  waits["data"] = data, waits["input"] = {{"decode_s", 0.1}}, waits["deadline_s"] = 1e6, waits["runs"] = 100;
  CHECK(answered("risk", waits)["answer"]["run_low_s"] <= answered("risk", waits)["answer"]["run_s"]);
  const json llama = {{"config", {{"model_type", "llama"}}}, {"slice", "v5p-16"}, {"tokens", 1e9}, {"data", data}};
  CHECK(says(answered("risk", llama)["error"]["message"].get<std::string>(), "request.data is given without effect"));
}

TEST_CASE("a policy in words", "[ask]") {
  risk_policy policy;
  CHECK(detail::policy_words(policy) == "starts again");
  policy.spare_slices = 1;
  CHECK(detail::policy_words(policy) == "starts again, 1 spare slice");
  policy.elastic = true, policy.spare_slices = 2, policy.on_demand_in_time = true;
  CHECK(detail::policy_words(policy) == "elastic, 2 spare slices, on demand at the last moment");
  policy.spare_slices = 0, policy.on_demand_in_time = false, policy.on_demand_after = seconds{2 * 86400.0};
  CHECK(detail::policy_words(policy) == "elastic, on demand after 2.00 days");
}

}  // namespace ask_risk_tests
