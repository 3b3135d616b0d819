// How long spot lasts is one figure for all questions about the same slices in the same place.
#include <algorithm>
#include <tpuplan/ask/phases.hpp>
#include <tpuplan/ask/plan.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_lifetimes_tests {

namespace {

asked_plan on_spot(const char* zone) {
  asked_plan asked;
  asked.config = json_document(llama_3_8b());
  asked.tokens = 1e10;
  asked.generations = {"v5p"};
  asked.smallest_chips = asked.largest_chips = 16;
  asked.kinds = {provisioning::spot};
  asked.zone = zone;
  asked.deadline = 60_days;
  return asked;
}
price_book prices() { return price_book{}.with("v5p", "us", provisioning::spot, usd_per_hour(2), "2026-11-21"); }
const run_price& spot_of(const std::vector<run_price>& ways) {
  return *std::find_if(ways.begin(), ways.end(), [](const auto& one) { return one.kind == provisioning::spot; });
}
std::string said_of_spot(const std::vector<assumption>& assumed) {
  for (const assumption& one : assumed) {
    if (one.field == assumed_preemptions) return one.value;
  }
  return {};
}

}  // namespace

TEST_CASE("plan, train, pay and risk have the published count of a zone, or own slices, and the same dollars") {
  const price_book book = prices();
  const std::vector<own_lifetime> five = {{90_min, true}, {3_h, true}, {30_min, true}, {10_h, false}, {45_min, true}};
  for (const auto& [zone, own] :
       {std::make_pair("us-east5-a", std::vector<own_lifetime>{}),
        std::make_pair("us-east5-b", std::vector<own_lifetime>{}), std::make_pair("", std::vector<own_lifetime>{}),
        std::make_pair("us-east5-a", five), std::make_pair("", five)}) {
    INFO(zone << ", own slices: " << own.size());
    const seconds lasts = quantile(knowing(spot_lifetime("v5p", zone).mean, seen_in(own)), 0.5);
    asked_plan asked = on_spot(zone);
    asked.lifetimes = own;
    asked_job tuned;  // whose band has its middle near the estimate
    tuned.job.software = software_level::tuned;
    const plan_document planned = detail::answer_to_plan(asked, tuned, book);
    REQUIRE_FALSE(planned.plans.empty());
    const plan_row& row = planned.plans.front();
    const plan_cost& cost = chosen_cost(row.plan);

    train_request train;
    train.tokens = 1e10;
    train.zone = zone;
    train.lifetimes = own;
    model_config config;
    config.model = llama_3_8b();
    asked_job job;
    job.job = row.plan.job;
    job.remat = row.plan.job.remat;
    const placed_job all = placed(config, row.slice, row.plan.mesh, job);
    const train_answer trained = answer_to_train(all, train, book);
    CHECK(close(trained.terms.spot.mean_time_between_preemptions.value(), lasts.value(), 1e-9));
    REQUIRE(trained.costs);
    CHECK(close(spot_of(*trained.costs).total.value(), cost.total.value(), 1e-12));
    CHECK(close(spot_of(*trained.costs).wall.value(), cost.wall.value(), 1e-12));

    pay_request pay;
    pay.slice = row.slice;
    pay.run = row.run;
    pay.zone = zone;
    pay.lifetimes = own;
    pay.start_up = trained.terms.start_up;
    pay.checkpoint_time = trained.terms.spot.checkpoint_time;
    pay.chip_time_between_failures = published_chip_time_between_failures;
    const pay_answer paid = answer_to(pay, book);
    CHECK(close(paid.slice_mtbp.value(), lasts.value(), 1e-9));
    const paid_run* const way = detail::way_of(paid.ways, provisioning::spot);
    REQUIRE(way != nullptr);
    CHECK(close(way->total.value(), cost.total.value(), 1e-12));
    CHECK(close(way->wall.value(), cost.wall.value(), 1e-12));

    risk_request risk;
    risk.tokens = 1e10;
    risk.kind = provisioning::spot;
    risk.zone = zone;
    risk.lifetimes = own;
    risk.deadline = 60_days;
    risk.runs = 500;
    const risk_answer at_risk = answer_to_risk(all, risk, book);
    REQUIRE(at_risk.preempted_every);
    CHECK(close(at_risk.preempted_every->value(), lasts.value(), 1e-9));
    CHECK(at_risk.chance_in_time == *row.chance_in_time);
    const std::string words = said_of_spot(planned.assumed);
    CHECK(says(words, said_of_spot(at_risk.assumed).substr(0, 10)));
    CHECK(said_of_spot(trained.memory.assumed) == words);
    CHECK(said_of_spot(paid.assumed) == words);

    // The mean over runs that are played is what is expected: with a lifetime that is known, within its own error.
    risk.zone.clear();
    risk.lifetimes.clear();
    risk.mean_time_between_preemptions = lasts;
    risk.runs = 4000;
    const risk_answer known = answer_to_risk(all, risk, book);
    REQUIRE(known.costs.size() == 99);
    double sum = 0, time = 0;
    for (const usd one : known.costs) sum += one.value() / 99;
    for (const seconds one : known.walls) time += one.value() / 99;
    CHECK(close(sum, cost.total.value(), 0.03));
    CHECK(close(time, cost.wall.value(), 0.03));
  }
}

TEST_CASE("own slices that were soon taken away cost more, and are refused where they have no effect") {
  const price_book book = prices();
  asked_plan asked = on_spot("");
  const auto total = [&] {
    return chosen_cost(detail::answer_to_plan(asked, {}, book).plans.front().plan).total.value();
  };
  const double published = total();
  asked.lifetimes.assign(20, own_lifetime{30_min, true});
  CHECK(total() > 1.05 * published);
  asked.lifetimes.assign(20, own_lifetime{30_h, false});
  CHECK(total() < published);
  const auto refused = [&] { return refusal_of([&] { (void)total(); }).message; };
  asked.market = spot_market::calm;
  CHECK(says(refused(),
             "lifetimes is given without effect; valid: none beside mean_time_between_preemptions_s or market"));
}

TEST_CASE("of several beliefs after own slices it is said which chips and places they are of") {
  assumed_values assumed;
  const std::vector<own_lifetime> one = {{90_min, true}};
  assume_lifetimes_after(one, {"v6e", "tpu7x"}, {"us", "us-east5"}, assumed);
  REQUIRE(assumed.size() == 1);
  CHECK(says(assumed[0].second, ": 1 slice of your own"));
  CHECK_FALSE(says(assumed[0].second, "v6e"));
  assumed.clear();
  assume_lifetimes_after(one, {"v6e", "v5p"}, {"us", "us-east5"}, assumed);
  REQUIRE(assumed.size() == 2);
  CHECK(says(assumed[0].second, "slice of your own, of v6e, v5p"));
  CHECK(says(assumed[1].second, "slice of your own, of v5p in us-east5"));
}

TEST_CASE("slices that are soon taken away cost more, and one's own figure counts before the published one") {
  const price_book book = prices();
  const auto total = [&](const asked_plan& asked) {
    return chosen_cost(detail::answer_to_plan(asked, {}, book).plans.front().plan).total.value();
  };
  const double there = total(on_spot("us-east5-a")), elsewhere = total(on_spot("us-east5-b"));
  CHECK(there > 1.01 * elsewhere);
  asked_plan own = on_spot("us-east5-a");
  own.mean_time_between_preemptions = 4_h;
  CHECK(close(total(own), elsewhere, 1e-12));
  own.zone = "us-east5";
  CHECK(says(refusal_of([&] { (void)total(own); }).message, "a zone such as us-east5-b"));
}

TEST_CASE("networks, denoisers and sweeps have it too") {
  const price_book book = prices();
  network_request net;
  net.zone = "us-east5-a";
  diffusion_request pictures;
  pictures.zone = "us-east5-a";
  CHECK(detail::place_of(net, "us") == "us-east5-a");
  CHECK(detail::place_of(pictures, "us") == "us-east5-a");
  const nlohmann::json asked = {{"config", json_document(llama_3_8b())},
                                {"trials", 4},
                                {"quota", 16},
                                {"tokens", 1e9},
                                {"kinds", {"spot"}},
                                {"generations", {"v5p"}}};
  const auto preemptions = [&](const char* zone) {
    nlohmann::json request = asked;
    request["zone"] = zone;
    const auto read = read_json<plan_sweep_request>(request, {}, "request");
    any_model model;
    model.config.model = llama_3_8b();
    return answer_to(model, read, request, book).plans.front().preemptions;
  };
  CHECK(preemptions("us-east5-a") > 2 * preemptions("us-east5-b"));
}

}  // namespace ask_lifetimes_tests
