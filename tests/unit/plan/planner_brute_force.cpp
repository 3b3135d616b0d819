// The planner against an enumerator that knows nothing of it: every candidate by the public functions, nothing hoisted,
// nothing pruned, on random small spaces with three values or more in every dimension.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tpuplan/plan/planner.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_planner_brute_force_tests {

namespace {

struct random_source {
  std::mt19937_64 engine;
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine() % count); }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + static_cast<std::ptrdiff_t>(below(list.size())));
  }
  double between(double low, double high) {
    return low * std::pow(high / low, static_cast<double>(engine() % 1000000) / 1e6);
  }
};

transformer random_model(random_source& random) {
  transformer m;
  m.layers = random.one_of<std::int64_t>({8, 16, 24});
  m.d_model = random.one_of<std::int64_t>({2048, 4096, 5120});
  m.vocab = random.one_of<std::int64_t>({32000, 50257, 128256});
  m.mlp.d_ff = random.one_of<std::int64_t>({8192, 11008, 14336});
  m.attention.heads = random.one_of<std::int64_t>({8, 16, 20});
  m.attention.kv_heads = random.one_of<std::int64_t>({4, m.attention.heads});
  m.attention.head_dim = random.one_of<std::int64_t>({64, 128});
  if (random.below(3) == 0) {
    m.moe.experts = 8;
    m.moe.top_k = 2;
    m.moe.expert_d_ff = 4096;
    m.moe.dense_layers = random.one_of<std::int64_t>({0, 1});
  }
  return m;
}

// Three regions, three kinds; the book keeps a view of the rows.
std::vector<price_row> random_prices(random_source& random, const std::string& generation) {
  std::vector<price_row> rows;
  const bool none = random.below(20) == 0;
  for (const char* region : {"us", "eu", "asia"}) {
    for (const provisioning kind : {provisioning::on_demand, provisioning::spot, provisioning::commitment_1y}) {
      if (none || random.below(8) == 0) continue;  // some have no price
      rows.push_back({std::string_view{generation}, region, kind, 1, usd_per_hour(random.between(0.5, 5)), "2026-11-21",
                      date_qualifier::exact, 'C'});
      if (random.below(3) == 0)
        rows.push_back({std::string_view{generation}, region, kind, 8, usd_per_hour(random.between(0.5, 5)),
                        "2026-11-21", date_qualifier::exact, 'C'});
    }
  }
  for (const char* region : {"us", "eu", "asia"})  // every region is known
    rows.push_back(
        {"v2", region, provisioning::on_demand, 1, usd_per_hour(1), "2026-11-21", date_qualifier::exact, 'C'});
  return rows;
}

plan_request random_request(random_source& random, const std::vector<price_row>& rows, const std::string& generation) {
  plan_request r;
  r.model = random_model(random);
  r.job.sequence_length = random.one_of<std::int64_t>({1024, 2048});
  r.job.global_batch = random.one_of<std::int64_t>({8, 12, 24});
  if (random.below(2) == 0) {
    const auto length = static_cast<double>(r.job.sequence_length);
    r.smallest_batch_tokens = length * random.one_of({0.1, 1.0, 3.5, 8.0});
    r.largest_batch_tokens = r.smallest_batch_tokens + length * random.one_of({1.0, 2.0, 9.3, 21.0});
    if (r.largest_batch_tokens < length) r.largest_batch_tokens = length;
    r.job.global_batch = 0;
  }
  r.job.optimizer = random.one_of({optimizer_kind::adamw, optimizer_kind::adafactor, optimizer_kind::lion});
  r.job.weights = random.one_of({dtype::fp32, dtype::bf16});
  r.tokens = random.between(1e8, 1e11);
  if (r.largest_batch_tokens > 0 && random.below(2) == 0) r.tokens = random.between(r.smallest_batch_tokens, 1e6);
  r.generations = {generation};
  r.regions = {"us", "eu", "asia"};
  r.kinds = {provisioning::on_demand, provisioning::spot, provisioning::commitment_1y};
  r.largest_chips = 24;
  r.smallest_chips = random.one_of<std::int64_t>({1, 2});
  r.largest_slices = 3;
  r.degrees = {0,
               0,
               0,
               0,
               random.one_of<std::int64_t>({0, 1}),
               random.one_of<std::int64_t>({0, 1}),
               0,
               random.one_of<std::int64_t>({0, 1}),
               1};
  if (random.below(10) == 0) r.degrees.tensor = random.one_of<std::int64_t>({2, 3});
  r.policies = {remat::full, remat::minimal, remat::save_out_proj};
  r.best = random.one_of({objective::cheapest, objective::fastest, objective::fewest_chips});
  r.accept_uncertain = random.below(3) == 0;
  r.most_plans = random.one_of<std::size_t>({0, 2, 5});
  r.prices = price_book(rows.data(), rows.size());
  if (random.below(2) == 0) r.deadline = seconds{random.between(3600, 86400.0 * 60)};
  if (random.below(2) == 0) r.budget = usd{random.between(100, 1e6)};
  if (random.below(4) == 0) {
    r.quotas = {{generation, "us", provisioning::on_demand, 8},
                {generation, "eu", provisioning::spot, 16},
                {generation, "asia", provisioning::commitment_1y, 4}};
  }
  return r;
}

bool is_valid(const layout& l, const plan_request& r, const training_job& job, const slice& s) {
  return !refusal_of([&] {
            validate(l, s);
            validate(l, r.model, job);
          }).refused;
}

// What enumeration finds on one slice shape and number.
struct enumerated {
  bool found = false;
  bool batch_divides = false;
  bool can_be_cut = false;
  double run = std::numeric_limits<double>::infinity();
  std::int64_t batch = 0;
  std::map<std::int64_t, double> runs;                         // the fastest of each batch
  double missing = std::numeric_limits<double>::infinity();    // bytes, where nothing may fit
  double uncertain = std::numeric_limits<double>::infinity();  // bytes above what is safe
};

void take(enumerated& e, const plan_request& r, training_job job, const layout& l, const slice& s) {
  const std::int64_t per_shard = job.global_batch / batch_shards(l);
  for (job.gradient_accumulation = 1; job.gradient_accumulation <= per_shard; ++job.gradient_accumulation) {
    if (per_shard % job.gradient_accumulation != 0) continue;
    for (const remat_policy& policy : r.policies) {
      job.remat = policy;
      const memory_breakdown memory = memory_use(r.model, job, l, s);
      const verdict fit = fits(memory);
      if (fit == verdict::no) {
        e.missing = std::min(e.missing, (memory.low - memory.usable).value());
      } else if (fit == verdict::uncertain && !r.accept_uncertain) {
        e.uncertain = std::min(e.uncertain, (memory.high - 0.97 * memory.usable).value());
      } else {
        const double steps = std::ceil(r.tokens / static_cast<double>(tokens_per_step(job)));
        const double run = step_time(r.model, job, l, s, r.constants).total.value() * steps;
        e.found = true;
        e.run = std::min(e.run, run);
        const auto [place, is_new] = e.runs.emplace(job.global_batch, run);
        if (!is_new) place->second = std::min(place->second, run);
      }
    }
  }
}

enumerated enumerate(const plan_request& r, const slice& s, std::int64_t slice_total) {
  enumerated e;
  std::vector<std::int64_t> batches = {r.job.global_batch};
  if (r.job.global_batch == 0) {
    batches.clear();
    const auto length = static_cast<double>(r.job.sequence_length);
    for (std::int64_t batch = 1; batch <= 64; ++batch) {
      const double tokens = static_cast<double>(batch) * length;
      if (tokens < r.smallest_batch_tokens || tokens > r.largest_batch_tokens) continue;
      if (tokens < r.tokens + length) batches.push_back(batch);
    }
  }
  const std::int64_t all = devices(s);
  layout l;
  const auto wanted = [](std::int64_t fixed, std::int64_t degree) { return fixed == 0 || fixed == degree; };
  for (l.data = 1; l.data <= all; ++l.data)
    for (l.fsdp = 1; l.fsdp <= all / l.data; ++l.fsdp)
      for (l.tensor = 1; l.tensor <= all / l.data / l.fsdp; ++l.tensor)
        for (l.expert = 1; l.expert <= all / l.data / l.fsdp / l.tensor; ++l.expert)
          for (l.context = 1; l.context <= all / l.data / l.fsdp / l.tensor / l.expert; ++l.context)
            for (l.pipeline = 1; l.pipeline <= all; ++l.pipeline)
              for (l.dcn_data = 1; l.dcn_data <= slice_total; ++l.dcn_data)
                for (l.dcn_fsdp = 1; l.dcn_fsdp <= slice_total; ++l.dcn_fsdp) {
                  if (mesh_size(l) != all || l.dcn_data * l.dcn_fsdp != slice_total) continue;
                  if (!wanted(r.degrees.context, l.context) || !wanted(r.degrees.pipeline, l.pipeline) ||
                      !wanted(r.degrees.dcn_fsdp, l.dcn_fsdp) || !wanted(r.degrees.tensor, l.tensor))
                    continue;
                  for (const std::int64_t batch : batches) {
                    training_job job = r.job;
                    job.global_batch = batch;
                    training_job whole = job;
                    whole.global_batch = batch * batch_shards(l);
                    e.can_be_cut = e.can_be_cut || is_valid(l, r, whole, s);
                    if (!is_valid(l, r, job, s)) continue;
                    e.batch_divides = true;
                    take(e, r, job, l, s);
                  }
                }
  const double fastest = e.run;  // of the batches that are about as fast the smallest is the answer
  for (auto one = e.runs.rbegin(); one != e.runs.rend(); ++one) {
    if (one->second <= fastest * 1.005) e.run = one->second, e.batch = one->first;
  }
  return e;
}

// The batch of the fastest candidate: the smallest of several.
std::int64_t fastest_batch(const enumerated& e) {
  return std::min_element(e.runs.begin(), e.runs.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// The best way of paying for a run of that length, as the planner prices it: the prices are tested elsewhere.
struct paid {
  bool allowed = false;
  double wall = 0, total = 0;
};

std::optional<paid> pay(const plan_request& r, const slice& s, std::int64_t slice_total, double run,
                        std::vector<paid>& allowed_ways) {
  std::optional<paid> best;
  plan p;
  p.where = s;
  p.mesh.dcn_data = slice_total;
  p.run = seconds{run};
  p.step.total = p.step.low = p.step.high = 1_s;
  for (const std::string& region : r.regions) {
    for (const provisioning kind : r.kinds) {
      const maybe<price_row> price = find_price(r.prices, s, region, kind);
      if (!price) continue;
      const paid_run cost = pay_for(s, slice_total, p.run, *price, payment_terms_of(r, s, slice_total, 0, {}, region));
      std::int64_t allowed = r.quotas.empty() ? 1 << 30 : 0;
      for (const quota_row& q : r.quotas)
        if (q.kind == kind && q.region == region) allowed = q.chips;
      const bool within = chips(s) * slice_total <= allowed && (!r.deadline || cost.wall <= *r.deadline) &&
                          (!r.budget || cost.total <= *r.budget);
      if (!within) continue;
      const paid one{true, cost.wall.value(), cost.total.value()};
      allowed_ways.push_back(one);
      const bool better =
          !best || (r.best == objective::fastest ? std::pair(one.wall, one.total) < std::pair(best->wall, best->total)
                                                 : std::pair(one.total, one.wall) < std::pair(best->total, best->wall));
      if (better) best = one;
    }
  }
  return best;
}

using place = std::pair<std::string, std::int64_t>;

#if defined(TPUPLAN_FULL)
constexpr int spaces = 1000;
#else
constexpr int spaces = 150;  // enough to reach every outcome
#endif

// Asks so many random spaces, and counts the outcomes.
void ask_spaces(std::uint64_t seed, int count, std::map<std::string, int>& outcomes) {
  random_source random{std::mt19937_64{seed}};
  for (int round = 0; round < count; ++round) {
    const std::string generation = random.one_of<std::string>({"v5e", "v6e", "v5p", "tpu7x"});
    const std::vector<price_row> rows = random_prices(random, generation);
    const plan_request r = random_request(random, rows, generation);
    INFO("round " << round << ", " << generation);
    const plan_answer answer = make_plan(r);
    std::map<place, const plan*> plans;
    std::map<place, const rejected_slice*> rejected;
    for (const plan& p : answer.plans) plans[{std::string(name(p.where).view()), slices(p.mesh)}] = &p;
    for (const rejected_slice& l : answer.rejected) rejected[{std::string(name(l.where).view()), l.slices}] = &l;
    REQUIRE(plans.size() + rejected.size() == answer.plans.size() + answer.rejected.size());
    std::vector<paid> feasible;
    std::size_t seen = 0;
    for (const std::int64_t size : {1, 4, 8, 16}) {
      const maybe<slice> s = find_slice_of_size(chip_for(generation), size);
      if (!s || !schedulable(*s)) continue;
      for (std::int64_t slice_total = 1; slice_total <= 3; ++slice_total) {
        if (size * slice_total < r.smallest_chips || size * slice_total > r.largest_chips) continue;
        const place where{std::string(name(*s).view()), slice_total};
        INFO(slice_total << " x " << where.first);
        ++seen;
        const enumerated e = enumerate(r, *s, slice_total);
        const plan* p = plans.count(where) > 0 ? plans[where] : nullptr;
        const rejected_slice* l = rejected.count(where) > 0 ? rejected[where] : nullptr;
        REQUIRE((p == nullptr) != (l == nullptr));
        if (!e.found) {
          REQUIRE(l != nullptr);
          ++outcomes[std::string(name(l->why))];
          if (e.uncertain < 1e30) {
            CHECK(l->why == rejection::fit_uncertain);
            CHECK(close(l->amount, e.uncertain, 1e-6));
          } else if (e.missing < 1e30) {
            CHECK(l->why == rejection::does_not_fit);
            CHECK(close(l->amount, e.missing, 1e-6));
          } else {
            CHECK(l->why == (e.can_be_cut ? rejection::batch_does_not_divide : rejection::no_layout));
          }
          continue;
        }
        const std::optional<paid> best = pay(r, *s, slice_total, e.run, feasible);
        if (!best) {
          REQUIRE(l != nullptr);
          ++outcomes[std::string(name(l->why))];
          CHECK((l->why == rejection::no_price || l->why == rejection::over_quota ||
                 l->why == rejection::misses_deadline || l->why == rejection::over_budget));
          continue;
        }
        if (p == nullptr) {
          ++outcomes[std::string(name(l->why))];
          CHECK(l->why == rejection::dominated);
          CHECK(r.most_plans > 0);
          continue;
        }
        ++outcomes["plan"];
        CHECK(close(p->run.value(), e.run, 1e-9));
        CHECK(p->job.global_batch == e.batch);
        outcomes["not the fastest batch"] += e.batch != fastest_batch(e) ? 1 : 0;
        CHECK(close(chosen_cost(*p).total.value(), best->total, 1e-9));
        CHECK(close(chosen_cost(*p).wall.value(), best->wall, 1e-9));
      }
    }
    CHECK(seen == plans.size() + rejected.size());
    for (const plan& p : answer.plans) {
      bool beaten = false;
      const plan_cost& c = chosen_cost(p);
      for (const paid& other : feasible) {
        beaten = beaten || (other.total < c.total.value() * (1 - 1e-9) && other.wall <= c.wall.value() * (1 + 1e-9)) ||
                 (other.wall < c.wall.value() * (1 - 1e-9) && other.total <= c.total.value() * (1 + 1e-9));
      }
      CHECK(p.on_front == !beaten);
    }
  }
}

}  // namespace

TEST_CASE("the planner finds what enumeration finds, on random spaces", "[door][slow]") {
  std::map<std::string, int> outcomes;
  ask_spaces(20261121, spaces, outcomes);
  // The spaces reach every outcome.
  for (const char* outcome : {"plan", "dominated", "does_not_fit", "batch_does_not_divide", "no_layout", "no_price",
                              "over_quota", "misses_deadline", "over_budget", "not the fastest batch"}) {
    INFO(outcome);
    CHECK(outcomes[outcome] > 0);
  }
}

TEST_CASE("the planner finds what enumeration finds, on a few random spaces", "[door]") {
  std::map<std::string, int> outcomes;
  ask_spaces(20261123, 8, outcomes);
  CHECK(outcomes["plan"] > 0);
}

}  // namespace plan_planner_brute_force_tests
