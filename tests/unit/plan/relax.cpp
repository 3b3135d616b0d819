// What to relax where nothing is feasible.
#include <algorithm>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_relax_tests {

namespace {

plan_request small_request() {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(256, 4096);
  request.tokens = 1e11;
  request.generations = {"v6e"};
  return request;
}

const relaxation* find(const std::vector<relaxation>& list, plan_limit limit) {
  for (const relaxation& r : list) {
    if (r.limit == limit) return &r;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the limits of a caller's own chip are relaxed like those of the table") {
  plan_request request = small_request();
  request.chips = {v6e};
  request.chips[0].name = "rumoured";
  request.generations = {"rumoured"};
  request.prices = price_book{}.with(request.chips[0], "us", provisioning::spot, usd_per_hour(1), "2026-11-21");
  REQUIRE(make_plan(request).plans.empty());
  const std::vector<relaxation> list = relaxations(request);
  REQUIRE(find(list, plan_limit::kinds) != nullptr);
  CHECK(find(list, plan_limit::kinds)->nearest.where.chip.name == "rumoured");
  REQUIRE(find(list, plan_limit::generation) != nullptr);
  CHECK(find(list, plan_limit::generation)->nearest.where.chip.name != "rumoured");
  request.kinds = {provisioning::spot};
  request.budget = 10_usd;
  const std::vector<relaxation> poor = relaxations(request);
  REQUIRE(find(poor, plan_limit::budget) != nullptr);
  request.budget = usd{find(poor, plan_limit::budget)->needed};
  CHECK(make_plan(request).plans.front().where.chip.name == "rumoured");
}

TEST_CASE("degrees that are fixed are a limit") {
  plan_request request = small_request();
  request.degrees.tensor = 3;
  REQUIRE(make_plan(request).plans.empty());
  const std::vector<relaxation> list = relaxations(request);
  REQUIRE(list.size() == 1);
  CHECK(list.front().limit == plan_limit::degrees);
  CHECK(list.front().nearest.mesh.tensor != 3);
  CHECK(name(plan_limit::degrees) == "degrees");
  request.degrees = {};
  request.deadline = 1_h;
  CHECK(find(relaxations(request), plan_limit::degrees) == nullptr);
}

TEST_CASE("generations are relaxed to those of a place alone") {
  plan_request fast = small_request();
  fast.generations = {"v5p"};
  fast.best = objective::fastest;
  plan_request request = small_request();
  request.generations = {"v5e"};
  request.deadline = 1.01 * chosen_cost(make_plan(fast).plans.front()).wall;
  REQUIRE(make_plan(request).plans.empty());
  const auto relaxed_to = [&](const std::vector<std::string>& there) {
    const relaxed_answer answer = plan_or_relax(request, there);
    const relaxation* found = find(answer.relaxations, plan_limit::generation);
    return found == nullptr ? std::string() : std::string(found->nearest.where.chip.name.view());
  };
  REQUIRE_FALSE(relaxed_to({}).empty());
  CHECK(relaxed_to({"v5e"}).empty());
  CHECK(relaxed_to({"v5e", "v5p"}) == "v5p");
}

TEST_CASE("a quota of a region that is not asked for is no price that is missing") {
  plan_request request = small_request();
  request.quotas = {{"v6e", "us-east5", provisioning::on_demand, 256}};
  const plan_answer answer = make_plan(request);
  REQUIRE(answer.plans.empty());
  for (const rejected_slice& one : answer.rejected) CHECK(one.why != rejection::no_price);
  request.regions = {"us", "us-central2"};  // which has a price of v4 alone
  request.quotas = {{"v6e", "us-central2", provisioning::on_demand, 1 << 20}};
  bool is_missing = false;
  for (const rejected_slice& one : make_plan(request).rejected)
    is_missing = is_missing || (one.why == rejection::no_price && one.by == "on_demand");
  CHECK(is_missing);
}

TEST_CASE("a deadline that cannot be kept says how late the fastest is") {
  plan_request request = small_request();
  request.deadline = 1_h;
  REQUIRE(make_plan(request).plans.empty());
  const std::vector<relaxation> list = relaxations(request);
  const relaxation* deadline = find(list, plan_limit::deadline);
  REQUIRE(deadline != nullptr);
  CHECK(deadline->given == 3600);
  plan_request open = small_request();
  open.best = objective::fastest;
  const plan_answer fastest = make_plan(open);
  CHECK(close(deadline->needed, chosen_cost(fastest.plans.front()).wall.value()));
  request.deadline = seconds{deadline->needed * 1.0000001};
  CHECK_FALSE(make_plan(request).plans.empty());
  // One limit at a time: with a budget that nothing keeps either, no single one is enough.
  request.deadline = 1_h;
  request.budget = 1_usd;
  CHECK(find(relaxations(request), plan_limit::deadline) == nullptr);
}

TEST_CASE("a deadline is relaxed to the fastest plan, which ranks behind one of a layout that has been run") {
  plan_request request;
  request.model = load_hf_config(TPUPLAN_DATA_DIR "/models/gemma-4-e4b.json").model;
  request.tokens = 300e9;
  request.job.global_batch = 16;
  request.job.sequence_length = 4096;
  request.best = objective::fastest;
  const plan_answer open = make_plan(request);
  double least = chosen_cost(open.plans.front()).wall.value();
  for (const plan& one : open.plans) least = std::min(least, chosen_cost(one).wall.value());
  CHECK(least < chosen_cost(open.plans.front()).wall.value());
  request.deadline = 2_days;
  const relaxed_answer none = plan_or_relax(request);
  const relaxation* deadline = find(none.relaxations, plan_limit::deadline);
  REQUIRE(deadline != nullptr);
  CHECK(deadline->needed == least);
}

TEST_CASE("slices are relaxed to the fewest that do, whatever chips they have") {
  plan_request request = small_request();
  request.smallest_chips = 512;
  request.generations = {"v6e"};  // of which a slice has at most 256 chips
  const relaxed_answer none = plan_or_relax(request);
  REQUIRE(none.answer.plans.empty());
  const relaxation* slices_needed = find(none.relaxations, plan_limit::slices);
  REQUIRE(slices_needed != nullptr);
  CHECK(slices_needed->needed == 2);
}

TEST_CASE("a budget, chips, quotas, kinds, generations and batches that leave nothing") {
  plan_request request = small_request();
  request.budget = 10_usd;
  const std::vector<relaxation> poor = relaxations(request);
  REQUIRE(find(poor, plan_limit::budget) != nullptr);
  CHECK(find(poor, plan_limit::budget)->needed > 1000);

  request = small_request();
  request.largest_chips = 4;
  const std::vector<relaxation> few = relaxations(request);
  REQUIRE(find(few, plan_limit::chips) != nullptr);
  CHECK(find(few, plan_limit::chips)->given == 4);
  request.largest_chips = static_cast<std::int64_t>(find(few, plan_limit::chips)->needed);
  CHECK_FALSE(make_plan(request).plans.empty());

  request = small_request();
  request.quotas = {{"v6e", "us", provisioning::on_demand, 2}};
  CHECK(find(relaxations(request), plan_limit::quotas) != nullptr);

  request = small_request();
  request.generations = {"tpu7x"};
  request.kinds = {provisioning::spot};
  const std::vector<relaxation> no_spot = relaxations(request);
  CHECK(find(no_spot, plan_limit::kinds) != nullptr);
  CHECK(find(no_spot, plan_limit::generation) != nullptr);

  request = small_request();
  request.job.global_batch = 24;
  request.smallest_chips = request.largest_chips = 8;
  request.job.sequence_length = 262144;
  for (const relaxation& r : relaxations(request)) CHECK(r.nearest.fit != verdict::no);
  CHECK(relaxations(request).size() <= 9);
}

TEST_CASE("an answer without plans comes with what to relax, one with plans alone", "[door]") {
  plan_request request = small_request();
  const relaxed_answer planned = plan_or_relax(request);
  CHECK(planned.answer.plans.size() == make_plan(request).plans.size());
  CHECK(planned.relaxations.empty());
  CHECK(planned.unsearched.empty());
  request.budget = 10_usd;
  const relaxed_answer poor = plan_or_relax(request);
  CHECK(poor.answer.plans.empty());
  CHECK(poor.answer.rejected.size() == make_plan(request).rejected.size());
  REQUIRE(find(poor.relaxations, plan_limit::budget) != nullptr);
  CHECK(find(poor.relaxations, plan_limit::chips) == nullptr);  // there is no limit of chips
}

TEST_CASE("what plans cost and take is relaxed without steps of a search, other limits are said to be left out",
          "[door]") {
  plan_request request = small_request();
  request.budget = 10_usd;
  request.largest_chips = 64;
  detail::searched_slices found;
  std::int64_t left = 16 * detail::most_search_steps;
  REQUIRE(detail::search_slices(request, found, left));
  CHECK(left < 16 * detail::most_search_steps);
  std::vector<relaxation> list;
  std::vector<plan_limit> unsearched;
  detail::relax_training(request, found, 0, {}, list, unsearched);
  REQUIRE(list.size() == 1);
  CHECK(list.front().limit == plan_limit::budget);
  CHECK(detail::contains(unsearched, plan_limit::chips));
  CHECK(detail::contains(unsearched, plan_limit::slices));
  CHECK_FALSE(detail::contains(unsearched, plan_limit::budget));
}

TEST_CASE("slices are relaxed to 4 times as many, and on to 64; a batch to smaller or larger ones") {
  const auto plans_of = [](std::int64_t slices_needed, std::int64_t batch_needed, std::vector<std::int64_t>& asked) {
    return [=, &asked](const plan_request& request, plan_limit limit) -> std::vector<plan> {
      asked.push_back(limit == plan_limit::slices ? request.largest_slices : request.job.global_batch);
      if (request.largest_slices < slices_needed || (batch_needed > 0 && request.job.global_batch != batch_needed))
        return {};
      plan found;
      found.mesh.dcn_data = slices_needed;
      return {found};
    };
  };
  plan_request request = small_request();
  request.largest_slices = 2;
  std::vector<std::int64_t> asked;
  const std::optional<relaxation> many = detail::relax_slices(request, plans_of(20, 0, asked));
  REQUIRE(many);
  CHECK(many->given == 2);
  CHECK(many->needed == 20);
  CHECK(asked == std::vector<std::int64_t>{8, 32});
  asked.clear();
  CHECK_FALSE(detail::relax_slices(request, plans_of(100, 0, asked)));
  CHECK(asked == std::vector<std::int64_t>{8, 32, 64});
  request.job.global_batch = 12;
  request.tokens = 1e9;
  asked.clear();
  const std::optional<relaxation> larger = detail::relax_batch(request, plans_of(1, 48, asked));
  REQUIRE(larger);
  CHECK(larger->needed == 48);
  CHECK(asked == std::vector<std::int64_t>{6, 3, 24, 48});
  CHECK(detail::relax_batch(request, plans_of(1, 6, asked))->needed == 6);
  request.tokens = 30.0 * static_cast<double>(request.job.sequence_length);  // of which 48 sequences are more
  CHECK_FALSE(detail::relax_batch(request, plans_of(1, 48, asked)));
}

TEST_CASE("fewest chips, regions and policies are limits too, and degrees keep the objective") {
  plan_request request = small_request();
  request.smallest_chips = 4096;
  const std::vector<relaxation> sized = relaxations(request);
  const relaxation* chips = find(sized, plan_limit::smallest_chips);
  REQUIRE(chips != nullptr);
  CHECK(chips->given == 4096);
  request.smallest_chips = static_cast<std::int64_t>(chips->needed);
  CHECK_FALSE(make_plan(request).plans.empty());
  request.smallest_chips = 2 * request.smallest_chips;
  CHECK(make_plan(request).plans.empty());

  plan_request placed = small_request();
  placed.generations = {"v6e"};
  placed.regions = {"us-central2"};
  REQUIRE(make_plan(placed).plans.empty());
  const std::vector<relaxation> elsewhere = relaxations(placed);
  const relaxation* regions = find(elsewhere, plan_limit::regions);
  REQUIRE(regions != nullptr);
  CHECK(find(plan_or_relax(placed, {"v6e"}).relaxations, plan_limit::regions) == nullptr);
  placed.regions.emplace_back(chosen_cost(regions->nearest).price.region.view());
  CHECK_FALSE(make_plan(placed).plans.empty());

  plan_request slow = small_request();
  slow.policies = {remat::full};
  const plan best = make_plan(small_request()).plans.front();
  slow.budget = chosen_cost(best).total * 1.01;
  REQUIRE(make_plan(slow).plans.empty());
  const std::vector<relaxation> freed = relaxations(slow);
  const relaxation* policies = find(freed, plan_limit::policies);
  REQUIRE(policies != nullptr);
  slow.policies = {policies->nearest.job.remat};
  CHECK_FALSE(make_plan(slow).plans.empty());

  plan_request odd = small_request();
  odd.degrees.tensor = 3;
  const std::vector<relaxation> open = relaxations(odd);
  const relaxation* degrees = find(open, plan_limit::degrees);
  REQUIRE(degrees != nullptr);
  CHECK(chosen_cost(degrees->nearest).total == chosen_cost(best).total);
}

}  // namespace plan_relax_tests
