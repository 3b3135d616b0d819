// The simulation of a fleet, and the closed form of serve.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

const std::vector<std::string>& serving_slices() {
  static const std::vector<std::string> names = {"v6e-1",    "v5p-8",        "v6e-8",   "tpu7x-8", "v5litepod-16",
                                                 "tpu7x-16", "v5litepod-64", "v5p-128", "v6e-64",  "tpu7x-128"};
  return names;
}

/// A slice on which the model serves requests that come one after the other: the answer of serve at a rate at which one
/// in a hundred thousand finds another still running. Fewer where the prompt of that one, which the tokens of the other
/// wait for, makes the mean time of all tokens longer by a thousandth. Refused where there is none.
reply serve_one(const model& of, json& job, relation& r) {
  reply served;
  std::size_t at = r.random.below(serving_slices().size());
  for (std::size_t tries = 0; tries < serving_slices().size(); ++tries, ++at) {
    job.erase("request_rate_per_s");
    job["concurrency"] = 1;
    json question = {{"config", of.config}, {"slice", serving_slices()[at % serving_slices().size()]}, {"job", job}};
    served = ask("serve", question);
    if (!serves(served)) continue;
    const json& estimate = served.answer()["estimate"];
    const double first = estimate["first_token_s"], each = estimate["per_token"]["total_s"];
    const double rate = 1e-5 * estimate["requests_per_s"].get<double>();
    job["request_rate_per_s"] = each > 0 ? std::min(rate, 1e-3 * each / (first * first)) : rate;
    job.erase("concurrency");
    question["job"] = job;
    return ask("serve", question);
  }
  return served;
}

json random_job(relation& r) {
  static const std::vector<std::int64_t> prompts = {16, 128, 1000, 2048, 8192, 30000, 65536, 128000};
  static const std::vector<std::int64_t> outputs = {2, 17, 100, 256};
  json job = {{"prompt", tokens(r.random.of(prompts))},
              {"output", tokens(r.random.of(outputs))},
              {"beyond_max_positions", true}};
  static const std::vector<json> changes = {
      {{"cache", "int8"}},        {{"weights", "int8"}},     {{"engine", "vllm"}},       {{"engine", "jetstream"}},
      {{"prefix_hit_rate", 0.5}}, {{"prefill_chunk", 1024}}, {{"engine", "sglang-jax"}}, {{"block_tokens", 16}}};
  for (int i = 0; i < 2; ++i) {
    if (r.random.chance(0.3)) job.update(r.random.of(changes));
  }
  // Of drafts the last round is thrown away in part, which is little of a long output alone.
  if (r.random.chance(0.15))
    job["output"] = tokens(256),
    job["speculation"] = {{"draft_tokens", 2}, {"acceptance", 0.6}, {"draft_cost", r.random.between(0.05, 0.6)}};
  return job;
}

/// Texts for an encoder, which writes nothing.
json random_texts(relation& r) {
  json job = {{"prompt", tokens(r.random.count_between(8, 512))}};
  if (r.random.chance(0.3)) job["weights"] = "int8";
  if (r.random.chance(0.3)) job["max_running"] = 4;
  if (r.random.chance(0.3)) job["engine"] = "vllm";
  return job;
}

}  // namespace

// Requests that come so seldom that each runs alone take what serve says of one that runs alone. 2 %: serve counts the
// mean context of a request, the simulation the context of each of its tokens.
void low_load(relation& r) {
  constexpr double tolerance = 0.02;
  std::size_t turn = r.random.below(models().size());
  while (r.next()) {
    const model& of = r.sweep ? draw_decoder(r) : models()[turn++ % models().size()];
    const bool encodes = architecture_of(of) == "encoder";
    if (architecture_of(of) == "vision") {
      r.skip("no texts");
      continue;
    }
    json job = encodes ? random_texts(r) : random_job(r);
    const reply served = serve_one(of, job, r);
    if (!serves(served)) {
      r.skip(served.refused() ? "serve refuses" : "fits none of the slices");
      continue;
    }
    const json& estimate = served.answer()["estimate"];
    const double first = estimate["first_token_s"], each = estimate["per_token"]["total_s"];
    const reply simulated = ask("simulate", {{"config", of.config},
                                             {"slice", served.answer()["slice"]},
                                             {"job", job},
                                             {"requests", 120},
                                             {"variation", 0}});
    if (!r.holds(!simulated.refused(), "simulate refuses what serve answers", served, "answers", simulated,
                 simulated.message()))
      continue;
    const json& report = simulated.answer()["report"];
    if (!encodes) r.same("time per token", served, each, simulated, report["per_token"]["value"]["mean_s"], tolerance);
    r.same("first token", served, first, simulated, report["first_token"]["value"]["mean_s"], tolerance);
  }
}

namespace {

/// By how much two figures differ, 1 or more.
double factor_between(double a, double b) { return a < b ? b / a : a / b; }

/// What a share of questions stays within.
double quantile(std::vector<double> factors, double share) {
  if (factors.empty()) return 1;
  std::sort(factors.begin(), factors.end());
  return factors[std::min(factors.size() - 1, static_cast<std::size_t>(share * static_cast<double>(factors.size())))];
}

/// That no more questions are beyond a factor than a share of them, and two standard deviations of such a count.
void within(relation& r, const char* what, const std::vector<double>& factors, double most, double share,
            const reply& last) {
  const auto asked = static_cast<double>(factors.size());
  const auto beyond =
      static_cast<double>(std::count_if(factors.begin(), factors.end(), [&](double factor) { return factor > most; }));
  const double allowed = (1 - share) * asked + 2 * std::sqrt(share * (1 - share) * asked);
  std::printf("  %s: %.3f in %g of 100\n", what, quantile(factors, share), 100 * share);
  r.holds(beyond <= allowed, std::string(what) + " of serve and simulate at 80 % load", last,
          std::to_string(beyond) + " of " + std::to_string(asked) + " are further apart than " + std::to_string(most));
}

/// Little's law over the time that is counted: requests are arrivals times their time, but for those that are there at
/// its start and at its end, which are as many on average. Those that wait are counted when a request comes, which is
/// as often as at any time but for chance, whose part falls with the root of the number of requests.
void obeys_littles_law(relation& r, const reply& simulated) {
  const json& report = simulated.answer()["report"];
  const double waiting = report["queue"]["value"]["mean"];
  const double requests = report["running"].get<double>() + waiting;
  const double by_law = report["arrivals_per_s"].get<double>() * report["end_to_end"]["value"]["mean_s"].get<double>() /
                        simulated.answer()["simulated_replicas"].get<double>();
  const double ends = by_law * by_law / report["requests"].get<double>();
  const double chance = 3 / std::sqrt(report["requests"].get<double>());
  r.holds(std::abs(requests - by_law) <= 0.01 * by_law + chance * waiting + 2 * ends,
          "requests are arrivals times their time", simulated,
          std::to_string(requests) + " instead of " + std::to_string(by_law));
}

}  // namespace

// At four fifths of the capacity the closed form of serve and the simulation differ by less than these factors in nine
// of ten questions, and in 98 of 100 (docs/model.md); and the simulation obeys Little's law.
void busy(relation& r) {
  std::vector<double> each, first;
  reply last;
  while (r.next()) {
    const model& of = draw_decoder(r);
    json job = random_job(r);
    job["prompt"] = tokens(r.random.count_between(16, 8192));
    job["output"] = tokens(r.random.count_between(16, 1024));
    const std::string& slice = r.random.of(serving_slices());
    const reply idle = ask("serve", {{"config", of.config}, {"slice", slice}, {"job", job}});
    if (!serves(idle)) {
      r.skip(idle.refused() ? "serve refuses" : "does not fit");
      continue;
    }
    job["request_rate_per_s"] = 0.8 * idle.answer()["estimate"]["capacity_per_s"].get<double>();
    const reply served = ask("serve", {{"config", of.config}, {"slice", slice}, {"job", job}});
    const reply simulated =
        ask("simulate", {{"config", of.config}, {"slice", slice}, {"job", job}, {"requests", 1000}});
    if (!r.holds(!simulated.refused() && serves(served), "a rate below the capacity is refused", served,
                 served.message(), simulated, simulated.message()))
      continue;
    const json &estimate = served.answer()["estimate"], &report = simulated.answer()["report"];
    each.push_back(factor_between(estimate["per_token"]["total_s"], report["per_token"]["value"]["mean_s"]));
    first.push_back(factor_between(estimate["first_token_s"], report["first_token"]["value"]["mean_s"]));
    obeys_littles_law(r, simulated);
    last = simulated;
  }
  within(r, "time per token", each, 1.4, 0.9, last);
  within(r, "first token", first, 1.6, 0.9, last);
  within(r, "time per token", each, 1.9, 0.98, last);
  within(r, "first token", first, 2.3, 0.98, last);
}

namespace {

/// A simulation of the slices of a plan at some rate, with the requests that decide a plan.
reply simulate_plan(const json& request, const json& row, double rate) {
  json job = row["plan"]["share"];
  job["request_rate_per_s"] = rate;
  job["percentiles"] = request["job"]["percentiles"];
  for (const char* key : {"ttft_target_s", "tpot_target_s"}) job[key] = 0;
  json question = {{"config", request["config"]}, {"slice", row["slice"]},           {"slices", row["slices"]},
                   {"mesh", row["plan"]["mesh"]}, {"region", row["plan"]["region"]}, {"job", job}};
  return ask("simulate", question);
}

bool keeps_limits(const reply& simulated) {
  const json& report = simulated.answer()["report"];
  return report["meets_first_token"].get<bool>() && report["meets_per_token"].get<bool>() &&
         report["meets_end_to_end"].get<bool>();
}

// Whether fewer requests were served than came, so that the queue grows past any limit: the good ones are counted at
// the rate that was served.
bool falls_behind(const reply& simulated) {
  const json& report = simulated.answer()["report"];
  const double came = report["arrivals_per_s"], good = report["good_share"], kept = report["goodput_per_s"];
  return kept < 0.999 * good * came;
}

}  // namespace

// The rate up to which a plan keeps its percentiles, which is known to 1 %, is that at which a simulation does.
void targets(relation& r) {
  while (r.next()) {
    const model& of = draw_decoder(r);
    json job = {{"request_rate_per_s", r.random.between(0.5, 30)},
                {"prompt", tokens(r.random.count_between(64, 4096))},
                {"output", tokens(r.random.count_between(16, 400))},
                {"beyond_max_positions", true}};
    if (r.random.chance(0.6))
      job["percentiles"]["first_token"] = {{"share", 0.99}, {"limit_s", r.random.between(0.3, 10)}};
    if (r.random.chance(0.6) || !job.contains("percentiles"))
      job["percentiles"]["per_token"] = {{"share", 0.95}, {"limit_s", r.random.between(0.01, 0.2)}};
    static const std::vector<std::string> chips = {"v6e", "v5e", "v5p", "tpu7x"};
    const json request = {
        {"config", of.config}, {"generations", {r.random.of(chips)}}, {"largest_chips", 32}, {"job", job}};
    const reply planned = ask("plan_serving", request);
    if (planned.refused() || planned.answer()["plans"].empty()) {
      r.skip(planned.refused() ? "plan_serving refuses" : "no plan");
      continue;
    }
    const json& row = planned.answer()["plans"][0];
    const double most = row["capacity_at_targets_per_s"], asked = job["request_rate_per_s"];
    const reply at = simulate_plan(request, row, asked);
    if (r.holds(!at.refused(), "simulate refuses a row of plan_serving", planned, row["slice"].dump(), at,
                at.message()))
      r.holds(keeps_limits(at), "a plan keeps its percentiles in a simulation", planned, row["slice"].dump(), at,
              at.answer()["report"].dump().substr(0, 300));
    if (most > 0.99 * row["capacity_requests_per_s"].get<double>()) {
      r.skip("the capacity is the limit");
      continue;
    }
    const reply above = simulate_plan(request, row, 1.02 * most);
    if (above.refused()) {
      r.skip("above the capacity");
      continue;
    }
    r.holds(!keeps_limits(above) || falls_behind(above), "no limit is kept beyond the rate that a plan keeps them to",
            planned, std::to_string(most), above, above.answer()["report"].dump().substr(0, 300));
  }
}

}  // namespace relations
