// Plans of training and serving for many questions against tests/golden/plans.txt: which slices, how, at what cost, why
// the rest lost, what the best depends on and what to relax. Whether that is the best is what brute force asks
// (planner_brute_force.cpp); here no answer changes unnoticed.

#include <cstdio>
#include <string>
#include <tpuplan/io/text/one_line.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace {

void add_cost(std::string& lines, const std::string& what, const plan_cost& c) {
  lines += what + " " + std::string(name(c.kind)) + " in " + std::string(c.price.region.view()) + "\n";
  lines += what + " total " + golden_number(c.total.value()) + "\n";
  lines += what + " high " + golden_number(c.high.value()) + "\n";
  lines += what + " low " + golden_number(c.low.value()) + "\n";
  lines += what + " wall " + golden_number(c.wall.value()) + "\n";
  lines += what + " preemptions " + golden_number(c.preemptions) + "\n";
  lines += what + " goodput " + golden_number(c.goodput) + "\n";
}

void add_plan(std::string& lines, const std::string& what, const plan& p) {
  lines += what + ": " + one_line(p.where) + ", " + one_line(p.mesh) + ", " + one_line(p.job) + ", " +
           std::to_string(p.job.gradient_accumulation) + " parts, fits " + std::string(name(p.fit)) +
           (p.on_front ? ", front" : "") + "\n";
  lines += what + " step " + golden_number(p.step.total.value()) + "\n";
  lines += what + " memory " + golden_number(p.memory.total.value()) + "\n";
  lines += what + " steps " + golden_number(p.steps) + "\n";
  add_cost(lines, what + " chosen of " + std::to_string(p.costs.size()), chosen_cost(p));
}

void add_sensitivity(std::string& lines, const std::string& what, const plan_sensitivity& s) {
  lines += what + " price down " + golden_number(s.price_down.value()) + "\n";
  lines += what + " price up " + golden_number(s.price_up.value()) + "\n";
  if (s.step_low) add_cost(lines, what + " step low", *s.step_low);
  if (s.step_high) add_cost(lines, what + " step high", *s.step_high);
  if (s.twice_preempted) add_cost(lines, what + " twice preempted", *s.twice_preempted);
  if (s.twice_the_batch) add_plan(lines, what + " twice the batch", *s.twice_the_batch);
}

template <class Ask>
void add(std::string& lines, const std::string& what, const Ask& ask) {
  try {
    ask();
  } catch (const error& refusal) {
    lines += what + ": " + refusal.what() + "\n";
  }
}

void add_training(std::string& lines, const std::string& what, const plan_request& asked) {
  const plan_answer answer = make_plan(asked);
  const search_counts& c = answer.counts;
  lines += what + ": " + one_line(c) + "\n";
  for (std::size_t i = 0; i < answer.plans.size(); ++i)
    add_plan(lines, what + " plan " + std::to_string(i), answer.plans[i]);
  for (std::size_t i = 0; i < answer.rejected.size(); i += 5) {
    const rejected_slice& r = answer.rejected[i];
    lines += what + " lost " + std::to_string(r.slices) + " x " + one_line(r.where) + " " + std::string(name(r.why)) +
             " " + std::string(r.by.view()) + " " + golden_number(r.amount) + "\n";
  }
  if (!answer.plans.empty()) add_sensitivity(lines, what, sensitivity_of(answer.plans.front(), asked));
  for (const relaxation& r : relaxations(asked)) {
    const std::string limit = what + " relax " + std::string(name(r.limit));
    lines += limit + " given " + golden_number(r.given) + "\n" + limit + " needed " + golden_number(r.needed) + "\n";
    add_plan(lines, limit, r.nearest);
  }
}

void add_serving(std::string& lines, const std::string& what, const serving_request& asked) {
  const serving_plan_answer answer = plan_serving(asked);
  lines += what + " candidates " + std::to_string(answer.candidates) + "\n";
  const auto add_one = [&lines](const std::string& start, const serving_plan& p) {
    lines += start + ": " + std::to_string(p.slices) + " x " + one_line(p.where) + ", " + one_line(p.mesh) + ", " +
             std::string(name(p.kind)) + " in " + p.region + "\n";
    lines += start + " share " + one_line(p.share) + "\n" + start + " rate " + golden_number(p.rate.value()) + "\n";
    lines += start + " runs " + golden_number(p.estimate.running) + "\n";
    lines += start + " output " + golden_number(p.cost.output.value()) + "\n";
  };
  for (std::size_t i = 0; i < answer.plans.size(); ++i) add_one(what + " plan " + std::to_string(i), answer.plans[i]);
  for (std::size_t i = 0; i < answer.rejected.size(); i += 5) {
    const rejected_server& r = answer.rejected[i];
    lines +=
        what + " lost " + one_line(r.where) + " " + std::string(name(r.why)) + " " + golden_number(r.amount) + "\n";
  }
  for (const serving_relaxation& r : relaxations(asked)) {
    const std::string limit = what + " relax " + std::string(name(r.limit));
    lines += limit + " given " + golden_number(r.given) + "\n" + limit + " needed " + golden_number(r.needed) + "\n";
    add_one(limit, r.nearest);
  }
}

using training_question = void (*)(plan_request&);
constexpr training_question trainings[] = {
    [](plan_request&) {},
    [](plan_request& r) {
      r.deadline = 20_days, r.kinds = {provisioning::on_demand, provisioning::spot};
    },
    [](plan_request& r) { r.deadline = 1_h; },
    [](plan_request& r) { r.budget = 100_usd; },
    [](plan_request& r) {
      r.largest_chips = 4, r.generations = {"v5e", "v2"};
    },
    [](plan_request& r) {
      r.largest_slices = 4, r.best = objective::fastest, r.generations = {"v6e", "v5p"};
    },
    [](plan_request& r) { r.best = objective::fewest_chips, r.accept_uncertain = true; },
    [](plan_request& r) {
      r.quotas = {{"v6e", "us", provisioning::spot, 64}, {"v5p", "us", provisioning::on_demand, 8}};
    },
    [](plan_request& r) {
      r.kinds = {provisioning::flex_start, provisioning::commitment_1y, provisioning::calendar};
    },
    [](plan_request& r) {
      r.smallest_batch_tokens = 262144, r.largest_batch_tokens = 4194304, r.generations = {"v5p"};
    },
    [](plan_request& r) {
      r.degrees.tensor = 4, r.degrees.pipeline = 2, r.generations = {"v4", "v5p"};
    },
    [](plan_request& r) {
      r.policies = {remat::full, remat::none}, r.smallest_chips = 64, r.most_plans = 3;
    },
    [](plan_request& r) { r.job.global_batch = 7, r.generations = {"v5e"}; },
    [](plan_request& r) {
      r.job.compute = dtype::int8, r.regions = {"us", "nowhere"}, r.generations = {"v6e", "v4"};
    },
    [](plan_request& r) { r.terms.spot.mean_time_between_preemptions = 1_h, r.kinds = {provisioning::spot}; },
    [](plan_request& r) {
      r.deadline = 2_h, r.budget = 10_usd, r.quotas = {{"v5e", "us", provisioning::on_demand, 16}};
      r.generations = {"v5e"};
    },
};

using serving_question_asked = void (*)(serving_request&);
constexpr serving_question_asked servings[] = {
    [](serving_request&) {},
    [](serving_request& r) { r.job.request_rate = per_second{40}, r.job.tpot_target = 40_ms; },
    [](serving_request& r) { r.job.request_rate = per_second{40}, r.job.tpot_target = 1_ms; },
    [](serving_request& r) {
      r.job.concurrency = 64, r.generations = {"v6e", "v5e"}, r.largest_chips = 16;
    },
    [](serving_request& r) { r.job.request_rate = per_second{5}, r.budget = usd_per_hour(1); },
    [](serving_request& r) { r.job.request_rate = per_second{5}, r.largest_chips = 1, r.generations = {"v5e"}; },
    [](serving_request& r) {
      r.best = objective::fastest, r.kinds = {provisioning::spot, provisioning::on_demand};
    },
    [](serving_request& r) { r.best = objective::fewest_chips, r.job.weights = dtype::int8, r.most_plans = 4; },
    [](serving_request& r) { r.job.ttft_target = 1_ms, r.job.request_rate = per_second{1}, r.generations = {"v6e"}; },
};

}  // namespace

TEST_CASE("plans for many questions, figure by figure") {
  std::string lines;
  transformer experts = llama_3_8b();
  experts.name = "experts";
  experts.moe.experts = 16;
  experts.moe.top_k = 2;
  experts.moe.expert_d_ff = 4096;
  for (std::size_t i = 0; i < std::size(trainings); ++i) {
    for (const bool dense : {true, false}) {
      if (!dense && i % 3 != 0) continue;
      plan_request asked;
      asked.model = dense ? llama_3_8b() : experts;
      asked.job = job_of(256, 4096);
      asked.tokens = 1e11;
      asked.most_plans = 4;
      if (i > 0) asked.generations = {"v5e", "v6e"};
      trainings[i](asked);
      const std::string what = "training " + std::to_string(i) + (dense ? "" : " experts");
      add(lines, what, [&] { add_training(lines, what, asked); });
    }
  }
  for (std::size_t i = 0; i < std::size(servings); ++i) {
    serving_request asked;
    asked.model = llama_3_8b();
    asked.job.prompt = fixed_length(1024);
    asked.job.answer = fixed_length(256);
    asked.most_plans = 4;
    servings[i](asked);
    const std::string what = "serving " + std::to_string(i);
    add(lines, what, [&] { add_serving(lines, what, asked); });
  }
  CHECK(golden_problem("plans.txt", lines) == "");
}
