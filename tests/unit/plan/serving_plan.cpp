// Plans for serving: each holds when it is asked again, keeps its targets, and one slice fewer would not.
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tpuplan/plan/relax_serving.hpp>
#include <tpuplan/plan/serving_plan.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace plan_serving_plan_tests {

namespace {

serving_request chat_request() {
  serving_request r;
  r.model = llama_3_8b();
  r.job.prompt = fixed_length(1024);
  r.job.output = fixed_length(256);
  r.job.request_rate = per_second{40};
  r.job.tpot_target = 40_ms;
  r.job.ttft_target = 1_s;
  r.generations = {"v5e", "v6e"};
  r.most_plans = 0;
  return r;
}

}  // namespace

TEST_CASE("every serving plan holds, keeps its targets, and has no slice too many") {
  const serving_request r = chat_request();
  const serving_plan_answer answer = plan_serving(r);
  REQUIRE(answer.plans.size() > 3);
  CHECK(answer.candidates > 20);
  for (const serving_plan& p : answer.plans) {
    INFO(p.slices << " x " << name(p.where).view() << " tensor " << p.mesh.tensor);
    const serving_estimate again = serve(r.model, p.share, p.mesh, p.where, r.constants);
    CHECK(again.per_token.total == p.estimate.per_token.total);
    CHECK(again.meets_tpot);
    CHECK(again.meets_ttft);
    CHECK(p.estimate.fit == verdict::yes);
    CHECK(close(p.share.request_rate.value() * static_cast<double>(p.slices), 40));
    const double hourly = in_usd_per_hour(p.price.per_chip) * static_cast<double>(chips(p.where) * p.slices);
    CHECK(close(in_usd_per_hour(p.rate), hourly));
    if (p.slices == 1) continue;
    serving_job fewer = r.job;
    fewer.request_rate = r.job.request_rate / static_cast<double>(p.slices - 1);
    const serving_estimate e = serve(r.model, fewer, p.mesh, p.where, r.constants);
    CHECK((e.refusal != serving_refusal::none || !e.meets_tpot || !e.meets_ttft));
  }
  for (std::size_t i = 1; i < answer.plans.size(); ++i)
    CHECK(answer.plans[i - 1].cost.all_on_output <= answer.plans[i].cost.all_on_output * (1 + 1e-9));
}

TEST_CASE("targets by percentile: each plan keeps them in a simulation, and one slice fewer would not") {
  serving_request r = chat_request();
  r.job.ttft_target = r.job.tpot_target = seconds{0};
  const serving_plan_answer means = plan_serving(r);
  r.job.percentiles.first_token = {0.99, 400_ms};
  r.job.percentiles.per_token = {0.95, 40_ms};
  const serving_plan_answer answer = plan_serving(r);
  REQUIRE(answer.plans.size() > 3);
  CHECK(answer.plans.front().rate >= means.plans.front().rate);
  serving_job job = r.job;
  job.percentiles = {};
  const auto report_for = [&](const serving_plan& p, std::int64_t slices, std::int64_t seed) {
    simulated_engine engine = engine_of(r.model, job, p.mesh, p.where);
    engine.replicas = 1;
    const replica_step_times times{r.model, job, p.mesh, p.where, engine.max_running};
    simulated_traffic traffic = traffic_of(job, 2000, seed);
    traffic.rate = job.request_rate / static_cast<double>(slices * p.estimate.replicas);
    return report_of(simulate(engine, requests_of(traffic), times), r.job.percentiles);
  };
  for (const serving_plan& p : answer.plans) {
    INFO(p.slices << " x " << name(p.where).view() << " tensor " << p.mesh.tensor);
    CHECK(meets(p.simulated));
    CHECK(p.simulated.first_token.value.p99 <= 400_ms);
    CHECK(p.simulated.per_token.value.p95 <= 40_ms);
    CHECK(p.simulated.first_token.value.p99 == report_for(p, p.slices, 1).first_token.value.p99);
    CHECK(p.estimate.refusal == serving_refusal::none);
    if (p.slices == 1) continue;
    // Within the 1 % to which the largest rate is known, and the noise of one simulation.
    const simulation_report fewer = report_for(p, p.slices - 1, 1);
    const double rates = static_cast<double>(p.slices) / static_cast<double>(p.slices - 1);
    CHECK((!meets(fewer) || rates < 1.011));
  }
  r.job.percentiles.first_token.limit = 1_ms;
  CHECK(plan_serving(r).plans.empty());
  r.job.request_rate = per_second{0};
  CHECK(says(refusal_of([&] { static_cast<void>(plan_serving(r)); }).message, "serving_job.request_rate"));
  const slice where = slice_for("v6e-8");
  CHECK(says(refusal_of([&] { static_cast<void>(serve(r.model, r.job, {}, where)); }).message, "percentiles"));
  r.job.percentiles.first_token.share = 1.5;
  CHECK(says(refusal_of([&] { static_cast<void>(plan_serving(r)); }).message,
             "percentiles.first_token is 1.5; valid: a share"));
}

TEST_CASE("plans that are asked for are the first of all plans: what is not simulated is none of them", "[slow]") {
  serving_request r = chat_request();
  r.job.ttft_target = r.job.tpot_target = seconds{0};
  std::size_t pruned = 0;
  for (const double rate : {20.0, 200.0}) {
    for (const double tpot : {0.025, 0.06}) {
      for (const objective best : {objective::cheapest, objective::fewest_chips, objective::fastest}) {
        if ((best == objective::cheapest) != (rate > 20)) continue;
        r.best = best;
        r.job.request_rate = per_second{rate};
        r.job.percentiles = {{0.99, 600_ms}, {0.95, seconds{tpot}}, {}};
        r.most_plans = 0;
        const serving_plan_answer all = plan_serving(r);
        REQUIRE(all.plans.size() > 4);
        for (const std::size_t most : {std::size_t{1}, std::size_t{4}}) {
          CAPTURE(rate, tpot, name(best), most);
          r.most_plans = most;
          const serving_plan_answer some = plan_serving(r);
          REQUIRE(some.plans.size() == most);
          CHECK(some.candidates <= all.candidates);
          pruned += some.candidates < all.candidates;
          for (std::size_t i = 0; i < most; ++i) {
            CHECK(name(some.plans[i].where) == name(all.plans[i].where));
            CHECK(some.plans[i].slices == all.plans[i].slices);
            CHECK(some.plans[i].mesh.tensor == all.plans[i].mesh.tensor);
            CHECK(some.plans[i].simulated.first_token.value.p99 == all.plans[i].simulated.first_token.value.p99);
          }
          CHECK(some.plans.size() + some.rejected.size() == all.plans.size() + all.rejected.size());
          for (const rejected_server& lost : some.rejected) {
            for (const serving_plan& p : all.plans) {
              if (name(p.where) != name(lost.where) || vms(p.where) != vms(lost.where)) continue;
              CHECK(lost.why == serving_rejection::dominated);
              const serving_plan& first = all.plans.front();
              const double behind =
                  best == objective::fastest ? (p.estimate.per_token.total - first.estimate.per_token.total).value()
                  : best == objective::fewest_chips
                      ? static_cast<double>(chips(p.where) * p.slices - chips(first.where) * first.slices)
                      : in_usd_per_hour(p.rate - first.rate);
              CHECK(lost.amount <= behind * (1 + 1e-9) + 1e-9);
              CHECK(lost.amount >= -1e-9);
            }
          }
        }
      }
    }
  }
  CHECK(pruned >= 4);
}

TEST_CASE("with more chips a plan by percentiles costs no more") {
  serving_request r = chat_request();
  r.model.mlp.d_ff = 14336;
  r.job.request_rate = per_second{50};
  r.job.ttft_target = r.job.tpot_target = seconds{0};
  r.job.percentiles.first_token = {0.99, 20.1_ms};
  r.generations = {"v6e"};
  r.most_plans = 1;
  double least = math::detail::infinity;
  for (std::int64_t most = 64; most <= 288; most += 16) {
    r.largest_chips = most;
    const serving_plan_answer answer = plan_serving(r);
    const double rate = answer.plans.empty() ? math::detail::infinity : answer.plans.front().rate.value();
    CAPTURE(most);
    CHECK(rate <= least * (1 + 1e-12));
    least = rate;
  }
  CHECK(least < math::detail::infinity);
}

TEST_CASE("a slice that may have too little memory may not fit, and is taken where that is accepted") {
  serving_request r = chat_request();
  r.job.ttft_target = r.job.tpot_target = seconds{0};
  r.job.request_rate = per_second{0.5};
  r.generations = {"v6e"};
  r.largest_chips = 1;
  r.job.memory_fraction = 1;
  std::size_t uncertain = 0;
  for (std::int64_t layers = 32; layers < 80; ++layers) {
    r.model.layers = layers;
    r.accept_uncertain = false;
    const serving_plan_answer sure = plan_serving(r);
    r.accept_uncertain = true;
    const serving_plan_answer accepted = plan_serving(r);
    for (const rejected_server& lost : sure.rejected) {
      if (lost.why != serving_rejection::fit_uncertain) continue;
      ++uncertain;
      CHECK((sure.plans.empty() && accepted.plans.size() == 1));
      CHECK(lost.unit == "bytes");
      CHECK(lost.amount > 0);
    }
    if (sure.plans.empty() && !accepted.plans.empty())
      CHECK(sure.rejected.front().why == serving_rejection::fit_uncertain);
  }
  CHECK(uncertain > 0);
}

TEST_CASE("data-parallel attention is chosen where every device would hold the cache of latent attention") {
  serving_request r;
  r.model = deepseek_v3();
  r.job.prompt = fixed_length(4096);
  r.job.output = fixed_length(1024);
  r.job.weights = dtype::fp8;
  r.job.request_rate = per_second{20};
  r.generations = {"tpu7x"};
  r.largest_chips = 128;
  r.most_plans = 0;
  const serving_plan_answer answer = plan_serving(r);
  REQUIRE_FALSE(answer.plans.empty());
  for (const serving_plan& p : answer.plans) {
    INFO(name(p.where).view() << " tensor " << p.mesh.tensor << " attention " << p.mesh.attention);
    CHECK(serve(r.model, p.share, p.mesh, p.where, r.constants).capacity == p.estimate.capacity);
    if (p.mesh.attention == 0) continue;
    CHECK(r.model.moe.experts % p.mesh.tensor == 0);
    CHECK(p.estimate.per_token.extrapolated);
    serving_layout whole = p.mesh;
    whole.attention = 0;
    const serving_estimate tensor = serve(r.model, p.share, whole, p.where, r.constants);
    CHECK(tensor.capacity < p.estimate.capacity);
  }
  const serving_layout& first = answer.plans.front().mesh;
  CHECK((first.cache == cache_sharding::batch || first.attention > 0));
}

TEST_CASE("one plan or one reason for every slice") {
  serving_request r = chat_request();
  r.generations.clear();
  const serving_plan_answer all = plan_serving(r);
  std::map<std::string, int> seen;
  for (const serving_plan& p : all.plans) ++seen[std::string(name(p.where).view())];
  for (const rejected_server& l : all.rejected) {
    ++seen[std::string(name(l.where).view())];
    CHECK_FALSE(name(l.why).empty());
  }
  for (const auto& [slice_name, times] : seen) {
    INFO(slice_name);
    CHECK(times == 1);
  }
  r.most_plans = 2;
  const serving_plan_answer two = plan_serving(r);
  CHECK(two.plans.size() == 2);
  CHECK(two.plans.size() + two.rejected.size() == all.plans.size() + all.rejected.size());
}

TEST_CASE("tighter targets take no fewer chips, more traffic no less money") {
  serving_request r = chat_request();
  double before = 0;
  for (const double rate : {5.0, 40.0, 300.0}) {
    r.job.request_rate = per_second{rate};
    const serving_plan_answer answer = plan_serving(r);
    REQUIRE_FALSE(answer.plans.empty());
    CHECK(answer.plans.front().rate.value() >= before);
    before = answer.plans.front().rate.value();
  }
  r = chat_request();
  r.best = objective::fewest_chips;
  std::int64_t least = 0;
  for (const double ms : {200.0, 40.0, 15.0, 10.0}) {
    r.job.tpot_target = seconds{ms / 1000};
    const serving_plan_answer answer = plan_serving(r);
    REQUIRE_FALSE(answer.plans.empty());
    const std::int64_t now = chips(answer.plans.front().where) * answer.plans.front().slices;
    CHECK(now >= least);
    least = now;
  }
}

TEST_CASE("why slices lose") {
  serving_request r = chat_request();
  r.job.tpot_target = 2_ms;  // below what the host of an engine takes
  for (const rejected_server& l : plan_serving(r).rejected) {
    INFO(name(l.where).view() << " " << name(l.why));
    CHECK((l.why == serving_rejection::misses_target || l.why == serving_rejection::does_not_fit ||
           l.why == serving_rejection::no_layout));
  }
  CHECK(plan_serving(r).plans.empty());
  r = chat_request();
  r.budget = usd_per_hour(0.5);
  const serving_plan_answer poor = plan_serving(r);
  CHECK(poor.plans.empty());
  bool over = false;
  for (const rejected_server& l : poor.rejected) over = over || l.why == serving_rejection::over_budget;
  CHECK(over);
  r = chat_request();
  r.kinds = {provisioning::spot};
  r.generations = {"tpu7x"};
  for (const rejected_server& l : plan_serving(r).rejected) CHECK(l.why == serving_rejection::no_price);
}

TEST_CASE("what to relax where no slice serves, and how far", "[slow]") {
  const auto only = [](const serving_request& r, plan_limit limit) {
    for (serving_relaxation& one : relaxations(r)) {
      if (one.limit == limit) return std::optional<serving_relaxation>(std::move(one));
    }
    return std::optional<serving_relaxation>{};
  };
  const auto has_plan = [](const serving_request& r) { return !plan_serving(r).plans.empty(); };

  serving_request slow = chat_request();
  slow.job.tpot_target = 1_ms;
  REQUIRE_FALSE(has_plan(slow));
  const std::optional<serving_relaxation> tpot = only(slow, plan_limit::tpot);
  REQUIRE(tpot);
  CHECK(tpot->given == 0.001);
  slow.job.tpot_target = seconds{tpot->needed};
  CHECK(has_plan(slow));
  slow.job.tpot_target = seconds{tpot->needed / 1.02};
  CHECK_FALSE(has_plan(slow));
  CHECK_FALSE(only(slow, plan_limit::chips));

  serving_request both = chat_request();
  both.job.tpot_target = 1_ms, both.job.ttft_target = 1_ms;
  CHECK_FALSE(only(both, plan_limit::tpot));
  CHECK_FALSE(only(both, plan_limit::ttft));
  const std::optional<serving_relaxation> targets = only(both, plan_limit::targets);
  REQUIRE(targets);
  both.job.tpot_target = seconds{targets->needed}, both.job.ttft_target = seconds{targets->needed_ttft};
  CHECK(has_plan(both));

  serving_request poor = chat_request();
  poor.budget = usd_per_hour(0.5);
  REQUIRE_FALSE(has_plan(poor));
  const std::optional<serving_relaxation> budget = only(poor, plan_limit::budget);
  REQUIRE(budget);
  poor.budget = usd_per_second{budget->needed};
  CHECK(has_plan(poor));
  poor.budget = usd_per_second{budget->needed * (1 - 1e-8)};
  CHECK_FALSE(has_plan(poor));

  serving_request many = chat_request();
  many.job.request_rate = per_second{4000};
  many.largest_chips = 8;
  REQUIRE_FALSE(has_plan(many));
  const std::optional<serving_relaxation> chips_needed = only(many, plan_limit::chips);
  REQUIRE(chips_needed);
  CHECK(chips_needed->given == 8);
  many.largest_chips = static_cast<std::int64_t>(chips_needed->needed);
  CHECK(has_plan(many));
  many.largest_chips -= 1;
  CHECK_FALSE(has_plan(many));

  serving_request spot = chat_request();
  spot.kinds = {provisioning::spot};
  spot.generations = {"tpu7x"};
  REQUIRE_FALSE(has_plan(spot));
  CHECK(only(spot, plan_limit::kinds));
  CHECK(only(spot, plan_limit::generation));
}

TEST_CASE("what to relax where no slice keeps its targets by percentile") {
  serving_request r = chat_request();
  r.job.ttft_target = r.job.tpot_target = seconds{0};
  r.generations = {"v6e"};
  r.largest_chips = 32;
  r.job.percentiles.per_token = {0.95, 40_ms};
  const auto limits_of = [](const serving_request& asked) {
    std::map<plan_limit, double> needed;
    for (const serving_relaxation& one : relaxations(asked)) needed[one.limit] = one.needed;
    return needed;
  };
  const auto has_plan = [](const serving_request& asked) { return !plan_serving(asked).plans.empty(); };
  r.job.percentiles.first_token = {0.99, 10_ms};
  REQUIRE_FALSE(has_plan(r));
  const std::map<plan_limit, double> needed = limits_of(r);
  REQUIRE(needed.count(plan_limit::first_token) == 1);
  CHECK(needed.count(plan_limit::per_token) == 0);
  CHECK(name(plan_limit::first_token) == "first_token");
  serving_request asked = r;
  asked.job.percentiles.first_token.limit = seconds{needed.at(plan_limit::first_token)};
  CHECK(has_plan(asked));
  asked.job.percentiles.first_token.limit = seconds{needed.at(plan_limit::first_token) * 0.998 - 1e-4};
  CHECK_FALSE(has_plan(asked));
  r.job.percentiles.first_token = {};
  r.job.percentiles.end_to_end = {0.9, 100_ms};
  r.job.percentiles.per_token = {0.95, 1_ms};
  CHECK(limits_of(r).empty());  // both are missed
  r.job.percentiles.per_token = {};
  const std::map<plan_limit, double> whole = limits_of(r);
  REQUIRE(whole.count(plan_limit::end_to_end) == 1);
  r.job.percentiles.end_to_end.limit = seconds{whole.at(plan_limit::end_to_end)};
  CHECK(has_plan(r));
}

TEST_CASE("a caller's own chip serves like those of the table") {
  serving_request r = chat_request();
  const std::size_t of_table = plan_serving(r).plans.size() + plan_serving(r).rejected.size();
  r.chips = {v6e};
  r.chips[0].name = "mine";
  r.generations.push_back("Mine");
  std::size_t unpriced = 0;
  for (const rejected_server& l : plan_serving(r).rejected) unpriced += l.why == serving_rejection::no_price ? 1 : 0;
  CHECK(unpriced > 3);
  r.prices = price_book{}.with(r.chips[0], "us", provisioning::on_demand, usd_per_hour(0.01), "2026-11-21");
  const serving_plan_answer answer = plan_serving(r);
  CHECK(answer.plans.size() + answer.rejected.size() == of_table + 8);  // 1 to 256 chips, but for 2
  std::size_t mine = 0;
  for (const serving_plan& p : answer.plans) {
    if (p.where.chip.name != "mine") continue;
    ++mine;
    CHECK(close(in_usd_per_hour(p.rate), 0.01 * static_cast<double>(chips(p.where) * p.slices)));
  }
  CHECK(mine == unpriced);
  CHECK(answer.plans.front().where.chip.name == "mine");
}

TEST_CASE("a commitment serves where commitments alone are allowed, and its term is said", "[door]") {
  serving_request request = chat_request();
  request.kinds.assign(all_provisioning.begin(), all_provisioning.end());
  for (const serving_plan& p : plan_serving(request).plans) {
    CHECK_FALSE(is_commitment(p.kind));
    CHECK(p.term.value() == 0);
  }
  request.kinds = {provisioning::commitment_1y, provisioning::commitment_3y};
  const serving_plan_answer committed = plan_serving(request);
  REQUIRE_FALSE(committed.plans.empty());
  for (const serving_plan& p : committed.plans) CHECK(p.term == commitment_term(p.kind));
}

TEST_CASE("of layouts that cost the same the one with the shorter time per token is chosen") {
  serving_request r = chat_request();
  r.model.moe.experts = 8;  // so that there is data-parallel attention
  r.model.moe.top_k = 2;
  r.model.moe.expert_d_ff = r.model.mlp.d_ff;
  r.job.tpot_target = r.job.ttft_target = seconds{0};
  int equals = 0;
  for (const double rate : {1.0, 5.0, 20.0}) {
    r.job.request_rate = per_second{rate};
    for (const serving_plan& p : plan_serving(r).plans) {
      CAPTURE(rate, name(p.where).view(), p.slices, p.mesh.tensor, p.mesh.attention);
      for (const std::int64_t tensor : {1, 2, 4, 8, 16, 32}) {
        for (const std::int64_t group : {0, 1, 2, 4, 8}) {
          for (const cache_sharding cache : {cache_sharding::heads, cache_sharding::batch}) {
            const serving_layout mesh{tensor, weight_sharding::one_dimension, cache, group};
            if (group >= tensor || !heads_divide(r.model, tensor)) continue;
            if (problem_of(r.model, mesh, p.where) != layout_problem::none) continue;
            // Not searched where no device holds a copy of another's keys and values.
            if (cache == cache_sharding::batch && tensor <= r.model.attention.kv_heads) continue;
            const serving_estimate other = serve(r.model, p.share, mesh, p.where, r.constants);
            if (other.refusal != serving_refusal::none || other.fit != verdict::yes) continue;
            ++equals;
            CHECK(other.per_token.total >= p.estimate.per_token.total * (1 - 1e-9));
            if (other.per_token.total <= p.estimate.per_token.total * (1 + 1e-9))
              CHECK(other.first_token >= p.estimate.first_token * (1 - 1e-9));
          }
        }
      }
    }
  }
  CHECK(equals > 200);
}

TEST_CASE("replicas that are no whole chips are no layouts, and end no search") {
  serving_request r = chat_request();
  r.model = gpt2();  // 12 heads, which divide over 3 and 6 devices: 1.5 and 3 chips of tpu7x
  r.job.request_rate = per_second{1};
  r.job.prompt = fixed_length(512);
  r.generations = {"tpu7x", "v2", "v3"};
  const serving_plan_answer answer = plan_serving(r);
  CHECK(answer.plans.size() > 10);
  for (const serving_plan& p : answer.plans) CHECK((p.mesh.tensor == 1 || p.mesh.tensor % 2 == 0));
}

TEST_CASE("what misses a target misses it by what one request at a time takes") {
  serving_request r = chat_request();
  r.generations = {"v6e"};
  r.smallest_chips = r.largest_chips = 8;
  const seconds target{1e-4};  // below the floor of every layout
  r.job.tpot_target = target;
  const serving_plan_answer never = plan_serving(r);
  r.job.tpot_target = {};
  REQUIRE_FALSE(never.rejected.empty());
  for (const rejected_server& lost : never.rejected) {
    REQUIRE(lost.why == serving_rejection::misses_target);
    seconds least{1};
    for (const std::int64_t tensor : {1, 2, 4, 8}) {
      if (tensor > chips(lost.where)) continue;
      serving_layout mesh;
      mesh.tensor = tensor;
      least = min(least, time_per_token(r.model, 1, r.job, mesh, lost.where).total);
    }
    CHECK(lost.amount == Approx((least - target).value()).epsilon(0.02));
  }
}

TEST_CASE("every reason has a finite amount in a unit, or none") {
  serving_request r = chat_request();
  r.job.tpot_target = seconds{1e-5};
  for (const rejected_server& lost : plan_serving(r).rejected) {
    INFO(name(lost.where).view() << " " << name(lost.why));
    CHECK(std::isfinite(lost.amount));
    if (lost.why != serving_rejection::misses_target) continue;
    CHECK(lost.unit == "s");
    CHECK(lost.amount > 1e-4);
    CHECK(lost.amount < 1);
  }
  r = chat_request();
  r.job.percentiles.per_token = {0.95, 10_us};
  for (const rejected_server& lost : plan_serving(r).rejected) CHECK((lost.amount >= 0 && lost.amount < 1e12));
}

TEST_CASE("what is dominated is behind the best plan, and says in what") {
  for (const objective best : {objective::cheapest, objective::fastest, objective::fewest_chips}) {
    for (const double rate : {0.0, 40.0}) {
      serving_request r = chat_request();
      r.job.request_rate = per_second{rate};
      r.best = best;
      const serving_plan_answer all = plan_serving(r);
      r.most_plans = 2;
      const serving_plan_answer two = plan_serving(r);
      CAPTURE(name(best), rate);
      REQUIRE(two.plans.size() == 2);
      std::size_t dominated = 0;
      for (const rejected_server& lost : two.rejected) {
        if (lost.why != serving_rejection::dominated) continue;
        ++dominated;
        CHECK(lost.amount >= -1e-9);
        CHECK(lost.unit == (best == objective::fastest        ? "s"
                            : best == objective::fewest_chips ? "chips"
                            : rate > 0                        ? "USD/h"
                                                              : "USD/million output tokens"));
      }
      CHECK(dominated == all.plans.size() - 2);
    }
  }
}

TEST_CASE("what an engine does not run is not planned for it") {
  serving_request r = chat_request();
  r.model = deepseek_v3();
  r.job.prefill_chunk = 2048;
  r.job.weights = r.job.activations = dtype::fp8;
  r.job.tpot_target = r.job.ttft_target = seconds{0};
  r.job.request_rate = per_second{1};
  r.generations.clear();
  r.accept_uncertain = true;
  r.job.engine = serving_engine::vllm;
  const serving_plan_answer answer = plan_serving(r);
  for (const serving_plan& p : answer.plans) {
    CHECK(layout_limit(r.job.engine, p.mesh, p.where, true).field.empty());
    CHECK(p.mesh.attention > 0);  // as vLLM demands for latent attention
  }
  std::size_t not_run = 0;
  for (const rejected_server& lost : answer.rejected) not_run += lost.why == serving_rejection::not_of_engine;
  CHECK(not_run > 20);
  r.model = llama_3_8b();
  r.job.weights = r.job.activations = dtype::bf16;
  const serving_plan_answer dense = plan_serving(r);
  REQUIRE_FALSE(dense.plans.empty());
  for (const serving_plan& p : dense.plans) {
    CHECK(p.mesh.cache == cache_sharding::heads);
    CHECK((vms(p.where) == 1 || detail::replica_of(p.mesh, p.where).count == 1));
    CHECK(p.where.chip.name != "v5p");
  }
  r.job.cache = dtype::int8;
  CHECK(says(refusal_of([&] { (void)plan_serving(r); }).message, "serving_job.cache is int8; valid: bf16 or fp8"));
}

TEST_CASE("the ways of paying that are compared for a service") {
  serving_request r;
  r.kinds = {provisioning::on_demand, provisioning::flex_start, provisioning::commitment_1y};
  CHECK(is_compared(r, provisioning::on_demand));
  CHECK_FALSE(is_compared(r, provisioning::flex_start));  // ends after 7 days
  CHECK_FALSE(is_compared(r, provisioning::commitment_1y));
  CHECK_FALSE(is_compared(r, provisioning::spot));
  r.kinds = {provisioning::flex_start, provisioning::calendar};
  CHECK(is_compared(r, provisioning::flex_start));
  r.kinds = {provisioning::commitment_1y, provisioning::commitment_3y};
  CHECK(is_compared(r, provisioning::commitment_1y));
}

TEST_CASE("plans of fewer chips than are asked for say so") {
  serving_request r = chat_request();
  r.smallest_chips = 64;
  const serving_plan_answer answer = plan_serving(r);
  std::size_t few = 0;
  for (const rejected_server& lost : answer.rejected) {
    if (lost.why != serving_rejection::too_few_chips) continue;
    ++few;
    CHECK((lost.amount >= 1 && lost.amount < 64));
    CHECK(lost.unit == "chips");
  }
  CHECK(few > 3);
  for (const serving_plan& p : answer.plans) CHECK(chips(p.where) * p.slices >= 64);
  r.smallest_chips = 1;
  const serving_plan_answer all = plan_serving(r);
  CHECK(all.plans.size() + all.rejected.size() == answer.plans.size() + answer.rejected.size());
}

TEST_CASE("where the steps of a question are used up, the other layouts are said to be not simulated") {
  serving_request r = chat_request();
  r.job.percentiles.first_token = {0.99, 2_s};
  std::int64_t steps = 1;
  const serving_plan_answer answer = detail::plan_within(r, steps);
  CHECK(steps <= 0);
  std::size_t open = 0;
  for (const rejected_server& lost : answer.rejected) open += lost.why == serving_rejection::not_simulated;
  CHECK(open > 3);
}

TEST_CASE("serving requests that cannot be asked") {
  const auto refused = [](auto change, const char* field) {
    serving_request r = chat_request();
    const refusal got = refusal_of([&] {
      change(r);
      (void)plan_serving(r);
    });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, field));
  };
  refused([](serving_request& r) { r.regions.clear(); }, "plan.regions");
  refused([](serving_request& r) { r.kinds.clear(); }, "plan.kinds");
  refused([](serving_request& r) { r.largest_chips = 0; }, "plan.largest_chips");
  refused([](serving_request& r) { r.smallest_chips = 2000; }, "plan.smallest_chips");
  refused([](serving_request& r) { r.budget = usd_per_second{-1}; }, "plan.budget");
  refused([](serving_request& r) { r.generations = {"v9"}; }, "v9");
  refused([](serving_request& r) { r.regions = {"mars"}; }, "plan.region is mars");
  refused([](serving_request& r) { r.chips = {v6e}; }, "plan.chips.name is v6e");
  refused(
      [](serving_request& r) {
        r.prices = price_book{}.with("v66", "us", provisioning::spot, usd_per_hour(1), "2026-11-21");
      },
      "price.generation is v66");
  refused([](serving_request& r) { r.job.prompt = {}; }, "serving_job.prompt.mean");
  refused([](serving_request& r) { r.job.concurrency = 4; }, "serving_job.request_rate");
  refused([](serving_request& r) { r.job.tpot_target = seconds{std::numeric_limits<double>::quiet_NaN()}; },
          "serving_job.tpot_target");
  for (const double taken : {-1.0, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
    refused([&](serving_request& r) { r.capacity_taken = taken; }, "; valid: 0 to below 1");
}

TEST_CASE("with spare slices the targets hold for those that are left, and with one fewer of them they do not") {
  serving_request plain = chat_request();
  for (const bool by_percentile : {false, true}) {
    if (by_percentile) {
      plain.job.ttft_target = plain.job.tpot_target = seconds{0};
      plain.job.percentiles = {{0.99, 1_s}, {0.95, 40_ms}, {}};
    }
    std::map<std::string, std::int64_t> needed;
    for (const serving_plan& p : plan_serving(plain).plans)
      needed[std::string(name(p.where).view()) + std::to_string(p.mesh.tensor)] = p.slices;
    for (const std::int64_t zones : {0, 3}) {
      serving_request r = plain;
      r.spare = zones == 0 ? 2 : 0;
      r.zones = zones;
      const serving_plan_answer answer = plan_serving(r);
      REQUIRE(answer.plans.size() > 3);
      for (const serving_plan& p : answer.plans) {
        INFO(p.slices << " x " << name(p.where).view() << " tensor " << p.mesh.tensor);
        const std::int64_t left = p.slices - p.spare;
        CHECK(p.spare == (zones == 0 ? 2 : ceil_div(p.slices, zones)));
        const auto same = needed.find(std::string(name(p.where).view()) + std::to_string(p.mesh.tensor));
        if (same != needed.end() && !by_percentile) CHECK(left == same->second);
        CHECK(close(p.share.request_rate.value() * static_cast<double>(p.slices), 40));
        CHECK(p.without_spare.per_token.total >= p.estimate.per_token.total);
        if (by_percentile) CHECK(meets(p.simulated_without_spare));
        if (by_percentile) CHECK(p.simulated_without_spare.first_token.count > 0);
        if (!by_percentile) CHECK((p.without_spare.meets_tpot && p.without_spare.meets_ttft));
        CHECK(chips(p.where) * p.slices <= r.largest_chips);
      }
    }
  }
}

TEST_CASE("slices in all, with spare ones and over zones") {
  serving_request r;
  CHECK(slices_with_spare(r, 4) == 4);
  r.spare = 1;
  CHECK(slices_with_spare(r, 4) == 5);
  r.spare = 0;
  r.zones = 3;
  CHECK(slices_with_spare(r, 4) == 6);
  for (std::int64_t zones = 2; zones < 6; ++zones) {
    for (std::int64_t serving = 1; serving < 40; ++serving) {
      r.zones = zones;
      const std::int64_t all = slices_with_spare(r, serving);
      CHECK(all - ceil_div(all, zones) >= serving);
      CHECK(all - 1 - ceil_div(all - 1, zones) < serving);
      CHECK(detail::most_serving(r, all) == serving);
    }
  }
}

TEST_CASE("spare slices that mean nothing are refused") {
  serving_request r = chat_request();
  r.zones = 1;
  CHECK(says(refusal_of([&] { static_cast<void>(plan_serving(r)); }).message, "serving_request.zones is 1"));
  r.zones = 0;
  r.spare = -1;
  CHECK(says(refusal_of([&] { static_cast<void>(plan_serving(r)); }).message, "serving_request.spare is -1"));
  r.spare = 1000001;
  CHECK(says(refusal_of([&] { static_cast<void>(plan_serving(r)); }).message, "valid: 0 to 1000000"));
  r.spare = 1;
  r.job.request_rate = per_second{0};
  CHECK(says(refusal_of([&] { static_cast<void>(plan_serving(r)); }).message, "for spare slices"));
}

TEST_CASE("slices share requests that run at once, one of them too") {
  serving_job job;
  job.concurrency = 1;
  CHECK(detail::share_of(job, 1, v6e).concurrency == 1);
  job.activations = dtype::int8;  // of which v3 has no products
  CHECK(detail::share_of(job, 1, v6e).activations == dtype::int8);
  CHECK(detail::share_of(job, 1, v3).activations == dtype::bf16);
  CHECK(detail::share_of(job, 3, v6e).concurrency == 1);
  job.concurrency = 10;
  CHECK(detail::share_of(job, 3, v6e).concurrency == 4);
  job.concurrency = 0;
  CHECK(detail::share_of(job, 3, v6e).concurrency == 0);
}

}  // namespace plan_serving_plan_tests
