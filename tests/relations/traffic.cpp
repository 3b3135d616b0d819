// The simulation of a fleet, and the closed form of serve.
#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

const std::vector<std::string>& serving_slices() {
  static const std::vector<std::string> names = {"v6e-1",    "v5p-8",        "v6e-8",   "tpu7x-8", "v5litepod-16",
                                                 "tpu7x-16", "v5litepod-64", "v5p-128", "v6e-64",  "tpu7x-128"};
  return names;
}

bool serves(const reply& served) {
  return !served.refused() && served.answer()["fits"] == "yes" && served.answer()["estimate"]["refusal"] == "none";
}

/// A slice on which the model serves requests that come one after the other: the answer of serve at a rate at which one
/// in a hundred thousand finds another still running. Refused where there is none.
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
    job["request_rate_per_s"] = 1e-5 * estimate["requests_per_s"].get<double>();
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
    if (!is_decoder(of)) {
      r.skip("no decoder");
      continue;
    }
    json job = random_job(r);
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
    r.same("time per token", served, each, simulated, report["per_token"]["value"]["mean_s"], tolerance);
    r.same("first token", served, first, simulated, report["first_token"]["value"]["mean_s"], tolerance);
  }
}

// At four fifths of the capacity the closed form of serve and the simulation differ by less than these factors in nine
// of ten questions (docs/model.md); and the simulation obeys Little's law, but for the requests at both ends of it.
void busy(relation& r) {
  constexpr double most_each = 1.5, most_first = 1.8;
  std::int64_t asked = 0, each_beyond = 0, first_beyond = 0;
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
    const auto beyond = [](double a, double b, double most) { return a > most * b || b > most * a; };
    ++asked;
    each_beyond += beyond(estimate["per_token"]["total_s"], report["per_token"]["value"]["mean_s"], most_each);
    first_beyond += beyond(estimate["first_token_s"], report["first_token"]["value"]["mean_s"], most_first);
    const double requests = report["running"].get<double>() + report["queue"]["value"]["mean"].get<double>();
    const double by_law = report["arrivals_per_s"].get<double>() *
                          report["end_to_end"]["value"]["mean_s"].get<double>() /
                          simulated.answer()["simulated_replicas"].get<double>();
    if (by_law < 30)  // of 1000: with more, the ends count
      r.holds(std::abs(requests - by_law) <= 0.1 * by_law + 0.1, "requests are arrivals times their time", simulated,
              std::to_string(requests) + " instead of " + std::to_string(by_law));
    last = simulated;
  }
  const auto in_nine_of_ten = [&](const char* what, std::int64_t count) {
    const double most = 0.1 * static_cast<double>(asked) + 0.6 * std::sqrt(static_cast<double>(asked));  // two sigma
    r.holds(static_cast<double>(count) <= most, std::string(what) + " of serve and simulate at 80 % load", last,
            std::to_string(count) + " of " + std::to_string(asked) + " are further apart");
  };
  in_nine_of_ten("time per token", each_beyond);
  in_nine_of_ten("first token", first_beyond);
}

}  // namespace relations
