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
                                             {"requests", 200},
                                             {"variation", 0}});
    if (!r.holds(!simulated.refused(), "simulate refuses what serve answers", served, "answers", simulated,
                 simulated.message()))
      continue;
    const json& report = simulated.answer()["report"];
    if (!encodes) r.same("time per token", served, each, simulated, report["per_token"]["value"]["mean_s"], tolerance);
    r.same("first token", served, first, simulated, report["first_token"]["value"]["mean_s"], tolerance);
  }
}

// Clients that want one token each: nothing decodes, and steps take prompts together. 2 %: the end of a run counts the
// requests that are under way in part.
void one_token(relation& r) {
  constexpr double tolerance = 0.02;
  while (r.next()) {
    const model& of = draw_decoder(r);
    // A step takes whole prompts: the host's work for one that two steps share is counted in both when simulated.
    const std::int64_t prompt = r.random.count_between(16, 4000), together = r.random.count_between(1, 16);
    json job = {{"prompt", tokens(prompt)}, {"output", tokens(1)}, {"prefill_chunk", prompt * together}};
    if (r.random.chance(0.5)) job["engine"] = "vllm";
    job["concurrency"] = 1;
    json request = {{"config", of.config}, {"slice", r.random.of(serving_slices())}, {"job", job}};
    const reply one = ask("serve", request);
    if (!serves(one)) {
      r.skip(one.refused() ? "serve refuses" : "does not fit");
      continue;
    }
    const json& alone = one.answer()["estimate"];
    const std::int64_t replicas = alone["replicas"], most = alone["largest_running"];
    const std::int64_t each = std::min<std::int64_t>(most, r.random.count_between(1, 64));
    request["job"]["concurrency"] = replicas * each;
    const reply served = ask("serve", request);
    request["requests"] = 2000;
    const reply simulated = ask("simulate", request);
    if (!r.holds(!simulated.refused() && serves(served), "clients are refused", served, served.message(), simulated,
                 simulated.message()))
      continue;
    const json &estimate = served.answer()["estimate"], &report = simulated.answer()["report"];
    r.same("first token", served, estimate["first_token_s"], simulated, report["first_token"]["value"]["mean_s"],
           tolerance);
    const double rate = estimate["requests_per_s"], first = estimate["first_token_s"];
    r.same("requests in flight", served, rate * first, served, static_cast<double>(replicas * each));
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
  r.holds(beyond <= allowed, std::string(what) + " of serve and simulate under load", last,
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

// The ends of the band of requests at a rate, where it has them, and the chance that they keep a time of a token: the
// closed form is of means, and a simulation of a thousand requests that came by chance.
void at_rate(relation& r) {
  std::vector<double> low, high, chances, first_chances;
  reply last;
  while (r.next()) {
    const model& of = draw_decoder(r);
    json job = random_job(r);
    job["prompt"] = tokens(r.random.count_between(16, 8192));
    job["output"] = tokens(r.random.count_between(16, 1024));
    const std::string& slice = r.random.of(serving_slices());
    json request = {{"config", of.config}, {"slice", slice}, {"job", job}};
    const reply idle = ask("serve", request);
    if (!serves(idle)) {
      r.skip(idle.refused() ? "serve refuses" : "does not fit");
      continue;
    }
    request["job"]["request_rate_per_s"] =
        r.random.between(0.05, 0.6) * idle.answer()["estimate"]["capacity_per_s"].get<double>();
    const double token = ask("serve", request).answer()["estimate"]["per_token"]["total_s"];
    json targeted = request;
    const double limit = r.random.between(1.05, 2) * token;
    targeted["job"]["tpot_target_s"] = limit;
    const reply served = ask("serve", targeted);
    request["job"]["percentiles"]["per_token"] = {{"share", 0.5}, {"limit_s", limit}};
    request["requests"] = 1000;
    const reply simulated = ask("simulate", request);
    if (!r.holds(!simulated.refused() && serves(served), "a rate below the capacity is refused", served,
                 served.message(), simulated, simulated.message()))
      continue;
    const json &closed = served.answer(), &open = simulated.answer(), &ends = closed["at_rate"];
    ordered(r, "time per token at a rate", served, ends["per_token_low_s"], closed["estimate"]["per_token"]["total_s"],
            ends["per_token_high_s"].is_null() ? closed["estimate"]["per_token"]["total_s"] : ends["per_token_high_s"]);
    r.holds(
        ends["per_token_high_s"].is_null() == (ends["served_at_most_per_s"] <= request["job"]["request_rate_per_s"]),
        "a band without an upper end is of fewer requests than come", served, ends.dump());
    if (!open["latency_low"].is_null())
      low.push_back(factor_between(ends["per_token_low_s"], open["latency_low"]["per_token"]["mean_s"]));
    if (!open["latency_high"].is_null() && !ends["per_token_high_s"].is_null())
      high.push_back(factor_between(ends["per_token_high_s"], open["latency_high"]["per_token"]["mean_s"]));
    if (!open["chance"].is_null())
      chances.push_back(1 + std::abs(closed["chance_to_keep_tpot"].get<double>() - open["chance"].get<double>()));
    last = simulated;
    // The mean time to the first token likewise, whose band is another one.
    const double first = r.random.between(1.05, 2) * closed["estimate"]["first_token_s"].get<double>();
    targeted["job"].erase("tpot_target_s");
    targeted["job"]["ttft_target_s"] = first;
    request["job"]["percentiles"] = {{"first_token", {{"share", 0}, {"limit_s", first}}}};
    const reply closed_first = ask("serve", targeted), open_first = ask("simulate", request);
    if (open_first.refused() || open_first.answer()["chance"].is_null()) continue;
    first_chances.push_back(1 + std::abs(closed_first.answer()["chance_to_keep_ttft"].get<double>() -
                                         open_first.answer()["chance"].get<double>()));
  }
  within(r, "low end of a token", low, 1.25, 0.9, last);
  within(r, "high end of a token", high, 1.5, 0.9, last);
  within(r, "one and what chances differ by", chances, 1.15, 0.9, last);
  within(r, "one and what chances of a first token differ by", first_chances, 1.15, 0.9, last);
}

// A point of the frontier is what serve answers where so many slots are all taken, as by so many clients, and so is
// what drafts do there.
void frontiers(relation& r) {
  while (r.next()) {
    json request = draw("serve", draw_decoder(r), r.random).request;
    json& job = request["job"];
    if (job.is_null()) job = json::object();
    for (const char* other : {"request_rate_per_s", "concurrency", "percentiles", "ttft_target_s", "tpot_target_s"})
      job.erase(other);
    if (r.random.chance(0.3))
      job["speculation"] = {{"draft_tokens", 4}, {"acceptance", r.random.between(0.1, 0.95)}, {"draft_cost", 0.1}};
    const reply all = ask("serve", request);
    if (!serves(all)) {
      r.skip(all.refused() ? "serve refuses" : "does not fit");
      continue;
    }
    const json& answer = all.answer();
    const auto place =
        static_cast<std::size_t>(r.random.count_between(0, static_cast<double>(answer["frontier"].size()) - 1));
    const json& point = answer["frontier"][place];
    job["max_running"] = static_cast<std::int64_t>(point["running"].get<double>());
    const reply one = ask("serve", request);
    const json& estimate = one.answer()["estimate"];
    r.same("time per token at a point", all, point["per_token_s"], one, estimate["per_token"]["total_s"]);
    r.same("tokens a second at a point", all, point["output_tokens_per_s"], one, estimate["output_tokens_per_s"]);
    if (answer["speculation"].empty()) {  // and as many clients as there are slots take them
      json clients = request;
      clients["job"].erase("max_running");
      clients["job"]["concurrency"] = job["max_running"].get<std::int64_t>() * estimate["replicas"].get<std::int64_t>();
      const reply sent = ask("serve", clients);
      const double token = sent.answer()["estimate"]["per_token"]["total_s"], slots = estimate["per_token"]["total_s"];
      r.holds(factor_between(token, slots) < 1.02, "clients take other steps than slots that are all taken", one,
              std::to_string(slots), sent, std::to_string(token));
      continue;
    }
    const json& drafts = answer["speculation"][place];
    r.same("time per token with drafts", all, drafts["per_token_s"], one, estimate["per_token"]["total_s"]);
    job.erase("speculation");
    const reply plain = ask("serve", request);
    r.same("time per token without", all, drafts["without_s"], plain,
           plain.answer()["estimate"]["per_token"]["total_s"]);
  }
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
    // Near the capacity 1800 requests say little of two percent more: five.
    const reply above = simulate_plan(request, row, 1.05 * most);
    if (above.refused()) {
      r.skip("above the capacity");
      continue;
    }
    r.holds(!keeps_limits(above) || falls_behind(above), "no limit is kept beyond the rate that a plan keeps them to",
            planned, std::to_string(most), above, above.answer()["report"].dump().substr(0, 300));
  }
}

namespace {

/// What two reports have in common, compared.
void same_report(relation& r, const char* what, const reply& planned, const json& report, const reply& other,
                 const json& expected) {
  for (const std::string& one : differences(report, expected)) r.differ(what, planned.asked(), "", other.asked(), one);
  r.compared(static_cast<std::int64_t>(report.size()));
}

/// simulate of a row of a plan, of its slices and for the traffic of all of them.
json simulation_of(const json& request, const json& row) {
  json question = {{"config", request["config"]},
                   {"slice", row["slice"]},
                   {"mesh", row["plan"]["mesh"]},
                   {"region", row["plan"]["region"]},
                   {"job", request["job"]}};
  question["job"]["activations"] = row["plan"]["share"]["activations"];
  for (const char* drawn : {"prompts", "outputs"})
    if (request.contains(drawn)) question[drawn] = request[drawn];
  return question;
}

/// Lengths that vary, as a distribution.
json random_lengths(relation& r, int longest) {
  const std::int64_t middle = r.random.count_between(8, longest / 4);
  if (r.random.chance(0.4)) return {{"median", middle}, {"spread", r.random.between(0.2, 1)}, {"longest", longest}};
  return {{"quantiles",
           {{{"share", 0}, {"tokens", 4}}, {{"share", 0.6}, {"tokens", middle}}, {{"share", 1}, {"tokens", longest}}}}};
}

/// Gives a question distributions instead of lengths, now and then.
void vary_lengths(relation& r, json& request) {
  if (r.random.chance(0.4)) request["job"].erase("prompt"), request["prompts"] = random_lengths(r, 1500);
  if (r.random.chance(0.4)) request["job"].erase("output"), request["outputs"] = random_lengths(r, 120);
}

json random_targets(relation& r) {
  json targets = json::object();
  if (r.random.chance(0.7)) targets["first_token"] = {{"share", 0.99}, {"limit_s", r.random.between(0.3, 5)}};
  if (r.random.chance(0.7)) targets["per_token"] = {{"share", 0.95}, {"limit_s", r.random.between(0.02, 0.2)}};
  return targets;
}

json random_sessions(relation& r) {
  json sessions = json::object();
  const bool turns = r.random.chance(0.6);
  if (turns) sessions = {{"turns", r.random.count_between(2, 5)}, {"think_s", r.random.between(0.5, 4)}};
  if (!turns || r.random.chance(0.5))
    sessions["shared_prefix"] = r.random.count_between(100, 3000), sessions["groups"] = r.random.count_between(1, 6);
  return sessions;
}

json random_plan(relation& r, const model& of) {
  static const std::vector<std::string> chips = {"v6e", "tpu7x"};
  json request = {{"config", of.config},
                  {"generations", {r.random.of(chips)}},
                  {"largest_chips", 16},
                  {"most_plans", 3},
                  {"job",
                   {{"request_rate_per_s", r.random.between(0.5, 6)},
                    {"prompt", tokens(r.random.count_between(64, 1500))},
                    {"output", tokens(r.random.count_between(16, 120))},
                    {"block_tokens", 16},
                    {"beyond_max_positions", true},
                    {"percentiles", random_targets(r)}}}};
  vary_lengths(r, request);
  return request;
}

}  // namespace

// Every shown row of a plan by percentiles has the chance that serve has of one of its slices and simulate of all; the
// split fleet beside the first plan is that of simulate.
void simulated_plan_rows(relation& r) {
  while (r.next()) {
    json request = random_plan(r, draw_decoder(r));
    if (request["job"]["percentiles"].empty())
      request["job"]["percentiles"]["per_token"] = {{"share", 0.95}, {"limit_s", 0.1}};
    const reply planned = ask("plan_serving", request);
    if (planned.refused() || planned.answer()["plans"].empty()) {
      r.skip(planned.refused() ? "plan_serving refuses" : "no plan");
      continue;
    }
    for (const json& row : planned.answer()["plans"]) {
      json question = simulation_of(request, row);
      question["slices"] = row["slices"];
      const reply simulated = ask("simulate", question);
      question.erase("slices");
      question["job"]["request_rate_per_s"] = row["plan"]["share"]["request_rate_per_s"];
      const reply served = ask("serve", question);
      if (!r.holds(!simulated.refused() && !served.refused(), "simulate or serve refuses a row of plan_serving",
                   planned, row["slice"].dump(), simulated, simulated.message() + served.message()))
        continue;
      const json& chance = row["chance_at_targets"];
      if (!r.holds(chance.is_number(), "each row has its chance", planned, row["slice"].dump())) continue;
      r.same("chance of a row and of serve", planned, chance, served, served.answer()["chance_at_targets"]);
      r.same("chance of a row and of simulate", planned, chance, simulated, simulated.answer()["chance"]);
    }
    const json& first = planned.answer()["plans"][0];
    if (first["split"].is_null()) {
      r.holds(first["slices"] == 1, "the first plan says what its slices do apart", planned, first["slice"].dump());
      continue;
    }
    json question = simulation_of(request, first);
    question["split_slices"] = first["split"]["slices"];
    const reply apart = ask("simulate", question);
    if (!r.holds(!apart.refused(), "simulate refuses the slices of a plan, split", planned, "", apart, apart.message()))
      continue;
    same_report(r, "the split fleet of a plan", planned, first["split"]["report"], apart, apart.answer()["report"]);
    same_report(r, "the pools of a plan", planned, first["split"]["split"], apart, apart.answer()["split"]);
  }
}

// A row of a plan behind a router is what simulate answers of its slices, and its estimate what serve does.
void routed_plan_rows(relation& r) {
  while (r.next()) {
    json request = random_plan(r, draw_decoder(r));
    static const std::vector<std::string> ways = {"round_robin", "random", "queue"};
    const bool prefixes = r.random.chance(0.8);
    if (prefixes) request["sessions"] = random_sessions(r);
    if (!prefixes || r.random.chance(0.3)) request["routing"] = r.random.of(ways);
    const reply planned = ask("plan_serving", request);
    if (planned.refused() || planned.answer()["plans"].empty()) {
      r.skip(planned.refused() ? "plan_serving refuses" : "no plan");
      continue;
    }
    for (const json& row : planned.answer()["plans"]) {
      json question = simulation_of(request, row);
      const double part = row["routed"]["slices"], whole = row["slices"];
      question["slices"] = row["routed"]["slices"];
      if (part < whole)
        question["job"]["request_rate_per_s"] = request["job"]["request_rate_per_s"].get<double>() * part / whole;
      if (prefixes) question["sessions"] = request["sessions"];
      const bool is_only = part * row["plan"]["estimate"]["replicas"].get<double>() == 1;
      if (!is_only) question["routing"] = row["routed"]["routing"];
      const reply simulated = ask("simulate", question);
      if (!r.holds(!simulated.refused(), "simulate refuses a row of plan_serving", planned, row["slice"].dump(),
                   simulated, simulated.message()))
        continue;
      const json& answer = simulated.answer();
      same_report(r, "the fleet of a plan", planned, row["routed"]["report"], simulated, answer["report"]);
      r.same("targets are kept", planned, true, simulated, answer["meets_targets"]);
      if (!row["chance_at_targets"].is_null())
        r.same("the chance that they are", planned, row["chance_at_targets"], simulated, answer["chance"]);
      if (prefixes)
        same_report(r, "what a plan finds of prompts", planned, row["routed"]["prefixes"], simulated,
                    answer["prefixes"]);
      r.same("requests a second that all slices serve", planned, row["capacity_requests_per_s"], simulated,
             answer["capacity_per_s"].get<double>() / part * whole);
      const double made = answer["report"]["output_tokens_per_s"].get<double>() / part * whole;
      r.same("output tokens a second of all slices", planned, row["output_tokens_per_s"], simulated, made);
      r.same("dollars of a million output tokens", planned, row["million_all_on_output_usd"], simulated,
             row["rate_usd_per_s"].get<double>() / made * 1e6);
    }
  }
}

// The first plan of a day is what day says of its slice, and each has the figures of that which need no simulation.
void planned_days(relation& r) {
  while (r.next()) {
    const json targets = {{"first_token", {{"share", 0.99}, {"limit_s", r.random.between(0.3, 4)}}}};
    const double rate = r.random.between(1, 8);
    json question = {{"config", draw_decoder(r).config},
                     {"job", {{"percentiles", targets}, {"output", tokens(64)}, {"beyond_max_positions", true}}},
                     {"traffic",
                      {{"day", {{"rates_per_s", {rate, 3 * rate, 2 * rate}}, {"part_s", 600}}},
                       {"scaling", {{"start_up_s", 60}}},
                       {"for_hpa", r.random.chance(0.3)}}}};
    vary_lengths(r, question);
    json plan = question;
    plan["most_plans"] = 2;
    if (r.random.chance(0.4)) plan["best"] = "fewest_chips";
    const reply planned = ask("plan_day", plan);
    if (planned.refused() || planned.answer()["plans"].empty()) {
      r.skip(planned.refused() ? "plan_day refuses" : "no plan");
      continue;
    }
    for (const json& row : planned.answer()["plans"]) {
      question["slice"] = row["slice"], question["mesh"] = row["mesh"];
      const reply day = ask("day", question);
      if (!r.holds(!day.refused(), "day refuses a row of plan_day", planned, row["slice"].dump(), day, day.message()))
        continue;
      const json& answer = day.answer()["answer"];
      r.same("slices of the busiest part", planned, row["slices"], day, answer["fixed"]);
      r.same("requests a second of a slice", planned, row["slice_rate_per_s"], day, answer["slice_rate_per_s"]);
      if (!row["is_simulated"].get<bool>()) continue;
      r.same("dollars of a day", planned, row["cost_usd"], day, answer["options"][0]["cost_usd"]);
      r.same("targets of a day are kept", planned, row["meets_targets"], day, answer["options"][0]["meets_targets"]);
      same_report(r, "the first tokens of a day", planned, row["first_token"], day,
                  answer["options"][0]["first_token"]);
      if (row["rank"] != 1) continue;
      const json& first = planned.answer()["first"]["answer"];
      same_report(r, "the parts of a day", planned, first["options"][0], day, answer["options"][0]);
      r.holds(first["autoscaler"] == answer["autoscaler"], "the autoscaler of a day", planned, row["slice"].dump(), day,
              answer["autoscaler"].dump());
    }
  }
}

}  // namespace relations
