// What must grow with what, and by how much.
#include <algorithm>
#include <iterator>
#include <limits>
#include <tpuplan/model/remat.hpp>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

using tpuplan::remat_policies;

namespace {

/// The least of a figure over the plans of an answer: infinite where there is none.
double least(const reply& planned, const char* key) {
  double best = std::numeric_limits<double>::infinity();
  for (const json& row : planned.answer()["plans"]) best = std::min(best, row[key].get<double>());
  return best;
}

/// That one answer's best is no worse than the other's.
void no_worse(relation& r, const std::string& what, const reply& freer, const reply& stricter, const char* key) {
  const double free_one = least(freer, key), strict_one = least(stricter, key);
  const bool has_range = stricter.question["request"].contains("largest_batch_tokens");  // the smallest of equal ones
  r.holds(free_one <= strict_one * (1 + (has_range ? 0.005 : 1e-9)), what, freer,
          std::string(key) + " " + std::to_string(free_one), stricter, std::to_string(strict_one));
}

}  // namespace

const json& price_file() {
  static const json prices = json::parse(file_text("data/prices.json"));
  return prices;
}
json times_two(const json& prices) {
  json twice = prices;
  for (json& row : twice["rows"]) row["usd_per_chip_hour"] = 2 * row["usd_per_chip_hour"].get<double>();
  return twice;
}

void twice_the_price(relation& r) {
  static const std::vector<std::string> names = {"train", "plan", "pay", "serve", "plan_serving"};
  while (r.next()) {
    const drawn_question drawn = draw(r.random.of(names), draw_decoder(r), r.random);
    json request = drawn.request, dear = drawn.request;
    request.erase("budget_usd");
    dear.erase("budget_usd");
    request.erase("budget_usd_per_s");
    dear.erase("budget_usd_per_s");
    request["prices"] = price_file();
    dear["prices"] = times_two(price_file());
    reply one = ask(drawn.name, request), other = ask(drawn.name, dear);
    one.question["request"]["prices"] = "data/prices.json";
    other.question["request"]["prices"] = "data/prices.json, all prices twice";
    if (!r.same("refused", one, one.refused(), other, other.refused())) continue;
    if (one.refused()) {
      r.skip("refused");
      continue;
    }
    const json &a = one.answer(), &b = other.answer();
    if (drawn.name == "train" && a["costs"].is_array()) {
      for (std::size_t i = 0; i < a["costs"].size(); ++i)
        r.same("dollars of train", one, 2 * a["costs"][i]["total_usd"].get<double>(), other,
               b["costs"][i]["total_usd"]);
    } else if (drawn.name == "pay") {
      for (std::size_t i = 0; i < a["ways"].size(); ++i)
        r.same("dollars of pay", one, 2 * a["ways"][i]["total_usd"].get<double>(), other, b["ways"][i]["total_usd"]);
    } else if (drawn.name == "serve") {
      for (std::size_t i = 0; i < a["costs"].size(); ++i)
        r.same("dollars of serve", one, 2 * a["costs"][i]["all_on_output_usd_per_million"].get<double>(), other,
               b["costs"][i]["all_on_output_usd_per_million"], 1e-9);
    } else if (drawn.name == "plan" || drawn.name == "plan_serving") {
      if (!r.same("plans", one, a["plans"].size(), other, b["plans"].size())) continue;
      for (std::size_t i = 0; i < a["plans"].size(); ++i) {
        const json &first = a["plans"][i], &second = b["plans"][i];
        if (!r.same("slice of a rank", one, first["slice"], other, second["slice"])) break;
        if (drawn.name == "plan")
          r.same("dollars of plan", one, 2 * first["total_usd"].get<double>(), other, second["total_usd"], 1e-9);
        else
          r.same("dollars of plan_serving", one, 2 * first["plan"]["rate_usd_per_s"].get<double>(), other,
                 second["plan"]["rate_usd_per_s"], 1e-9);
      }
    }
  }
}

// A limit that is relaxed, or a degree that is free, never makes the best plan worse.
void freedom(relation& r) {
  struct freeing {
    const char* what;
    std::initializer_list<const char*> keys;  // that are left out
  };
  static const freeing kinds[] = {{"without a deadline", {"deadline_s"}},
                                  {"without a budget", {"budget_usd"}},
                                  {"with every chip", {"generations"}},
                                  {"without a bound of chips", {"largest_chips", "smallest_chips"}},
                                  {"without fixed degrees", {"degrees"}}};
  while (r.next()) {
    json request = draw("plan", draw_model(r), r.random).request;
    request["best"] = "cheapest";
    if (!r.sweep) {  // few chips, so that it takes less than a second
      request["generations"] = {"v6e"};
      request.erase("largest_slices");
      request.erase("smallest_batch_tokens");
      request.erase("largest_batch_tokens");
    }
    if (r.random.chance(0.5)) request["deadline_s"] = r.random.between(86400, 8640000);
    if (r.random.chance(0.5)) request["largest_chips"] = r.random.count_between(16, 4096);
    const reply strict = ask("plan", request);
    if (strict.refused() || strict.answer()["plans"].empty()) {
      r.skip(strict.refused() ? "plan refuses" : "no plan");
      continue;
    }
    for (const freeing& one : kinds) {
      json freed = request;
      for (const char* key : one.keys) freed.erase(key);
      if (!r.sweep) freed["generations"] = request["generations"];
      if (!freed.contains("generations")) freed["generations"] = {"v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x"};
      if (freed == request) continue;
      // Context and pipelines are 1 unless they are given.
      const bool is_free = request.contains("degrees") && !freed.contains("degrees");
      for (const char* degree : {"context", "pipeline"}) {
        if (is_free && request["degrees"].contains(degree)) freed["degrees"][degree] = 0;
      }
      const reply free_answer = ask("plan", freed);
      if (free_answer.refused()) {
        r.skip("plan refuses with fewer limits");
        continue;
      }
      no_worse(r, std::string("a plan ") + one.what + " costs no more", free_answer, strict, "total_usd");
    }
    json more = request;
    more["kinds"] = {"on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"};
    const reply any_payment = ask("plan", more);
    if (!any_payment.refused())
      no_worse(r, "a plan with every way of paying costs no more", any_payment, strict, "total_usd");
    more = request;
    more["largest_slices"] = 2 * request.value("largest_slices", 1);
    const reply more_slices = ask("plan", more);
    if (!more_slices.refused()) no_worse(r, "a plan with more slices costs no more", more_slices, strict, "total_usd");
  }
}

// What train can time and says fits is known to the search: the best plan of that slice is no slower a step of that
// batch, whatever the policy.
void search_knows(relation& r) {
  while (r.next()) {
    const model& of = draw_model(r);
    const std::string& slice = r.random.of(slice_names());
    if (slice.find('x', slice.find('-')) != std::string::npos) {
      r.skip("a shape that plan does not look at");
      continue;
    }
    const std::int64_t devices = devices_of(slice);
    json job = {{"remat", remat_policies[r.random.below(std::size(remat_policies))].name.view()},
                {"sequence_length", 1 << (9 + r.random.below(5))},
                {"global_batch", devices << r.random.below(6)}};
    json mesh = json::object();
    if (r.random.chance(0.3)) mesh["tensor"] = 1 << r.random.below(4);
    if (r.random.chance(0.2)) mesh["data"] = 2;
    if (r.random.chance(0.2)) mesh["expert"] = 4;
    if (r.random.chance(0.3)) job["gradient_accumulation"] = 1 << r.random.below(4);
    const reply trained =
        ask("train", {{"config", of.config}, {"slice", slice}, {"job", job}, {"mesh", mesh}, {"tokens", 1e10}});
    if (trained.refused() || trained.answer()["memory"]["fits"] != "yes" || trained.answer()["costs"].empty()) {
      r.skip(trained.refused() ? "train refuses" : "does not surely fit, or no price");
      continue;
    }
    const json* on_demand = nullptr;
    for (const json& cost : trained.answer()["costs"]) {
      if (cost["kind"] == "on_demand") on_demand = &cost;
    }
    if (on_demand == nullptr) {
      r.skip("not sold on demand");
      continue;
    }
    json free_job = job;
    free_job.erase("remat");
    free_job.erase("gradient_accumulation");
    const reply planned = ask("plan", {{"config", of.config},
                                       {"tokens", 1e10},
                                       {"job", free_job},
                                       {"generations", {slice.substr(0, slice.find('-'))}},
                                       {"smallest_chips", chips_of(slice)},
                                       {"largest_chips", chips_of(slice)}});
    if (!r.holds(!planned.refused(), "plan refuses what train answers", trained, slice, planned, planned.message()))
      continue;
    double best = std::numeric_limits<double>::infinity();
    for (const json& row : planned.answer()["plans"]) {
      if (row["slice"] == trained.answer()["memory"]["slice"]) best = std::min(best, row["total_usd"].get<double>());
    }
    if (best == std::numeric_limits<double>::infinity()) {  // beaten by another slice of as many chips
      bool dominated = false;
      for (const json& lost : planned.answer()["rejected"])
        dominated =
            dominated || (lost["slice"] == trained.answer()["memory"]["slice"] && lost["reason"] == "dominated");
      if (dominated) {
        r.skip("another slice of as many chips is better");
        continue;
      }
    }
    r.holds(best <= (*on_demand)["total_usd"].get<double>() * (1 + 1e-9),
            "what train answers with remat " + job["remat"].get<std::string>() + " the search betters", trained,
            (*on_demand)["total_usd"].dump(), planned, std::to_string(best));
  }
}

void monotone(relation& r) {
  while (r.next()) {
    json request = draw("train", draw_model(r), r.random).request;
    request["job"]["global_batch"] = 4 * devices_of(request["slice"]);
    request.erase("batch_tokens");
    request["tokens"] = 1e10;
    const reply one = ask("train", request);
    if (one.refused()) {
      r.skip("train refuses");
      continue;
    }
    const auto grown = [&](const char* what, const json& larger) {
      const reply other = ask("train", larger);
      if (other.refused()) return r.skip(std::string("train refuses with ") + what);
      const json &a = one.answer(), &b = other.answer();
      r.holds(b["memory"]["used_bytes"].get<double>() >= a["memory"]["used_bytes"].get<double>() * (1 - 1e-12),
              std::string("memory does not fall with ") + what, one, a["memory"]["used_bytes"].dump(), other,
              b["memory"]["used_bytes"].dump());
      r.holds(b["step_time_s"].get<double>() >= a["step_time_s"].get<double>() * (1 - 1e-12),
              std::string("a step does not get shorter with ") + what, one, a["step_time_s"].dump(), other,
              b["step_time_s"].dump());
    };
    json larger = request;
    larger["job"]["global_batch"] = 8 * devices_of(request["slice"]);
    grown("a larger batch", larger);
    larger = request;
    larger["job"]["sequence_length"] = 2 * one.answer()["memory"]["job"]["sequence_length"].get<std::int64_t>();
    grown("longer sequences", larger);
    if (const json& source = one.answer()["memory"]["job"]["source_length"]; source != 0) {
      larger = request;
      larger["job"]["source_length"] = 2 * source.get<std::int64_t>();
      grown("a longer source", larger);
    }
    larger = request;
    larger["tokens"] = 2e10;
    const reply twice = ask("train", larger);
    r.holds(twice.answer()["run_s"].get<double>() >= one.answer()["run_s"].get<double>(),
            "a run does not get shorter with more tokens", one, one.answer()["run_s"].dump(), twice,
            twice.answer()["run_s"].dump());
  }
}

namespace {

/// That more of something makes a figure of serve no less.
void grows(relation& r, const std::string& what, const reply& one, const reply& other, const char* at,
           double least = 1 - 1e-9) {
  const json::json_pointer where(at);
  const double a = one.answer()["estimate"][where], b = other.answer()["estimate"][where];
  r.holds(b >= a * least, std::string(at) + " does not fall with " + what, one, std::to_string(a), other,
          std::to_string(b));
}

}  // namespace

// More requests and longer ones take no less time, and leave no more room.
void serving_monotone(relation& r) {
  while (r.next()) {
    json request = draw("serve", draw_decoder(r), r.random).request;
    for (const char* key : {"tpot_target_s", "ttft_target_s", "percentiles", "concurrency", "request_rate_per_s"}) {
      if (request.contains("job")) request["job"].erase(key);
    }
    const reply idle = ask("serve", request);
    if (!serves(idle)) {
      r.skip(idle.refused() ? "serve refuses" : "does not fit");
      continue;
    }
    const json& drafts = idle.answer()["job"]["speculation"];
    if (drafts["draft_cost"] > drafts["draft_tokens"]) {  // a share of a step, which the host fills, falls with context
      r.skip("the draft is larger than the model");
      continue;
    }
    const double capacity = idle.answer()["estimate"]["capacity_per_s"];
    request["job"]["request_rate_per_s"] = capacity * 0.9 * r.random.share();
    const reply one = ask("serve", request);
    if (!r.holds(serves(one), "serve refuses a rate below the capacity", one, one.message())) continue;
    json larger = request;
    larger["job"]["request_rate_per_s"] = 1.1 * request["job"]["request_rate_per_s"].get<double>();
    const reply more = ask("serve", larger);
    if (r.holds(serves(more), "serve refuses a rate below the capacity", more, more.message())) {
      for (const char* at : {"/running", "/per_token/total_s", "/queue_s", "/first_token_s", "/memory/total_bytes"})
        grows(r, "the rate", one, more, at);
    }
    larger = request;
    const json& job = request["job"];
    const std::int64_t prompt = job.contains("prompt") ? job["prompt"]["longest"].get<std::int64_t>() : 1024;
    const std::int64_t output = job.contains("output") ? job["output"]["longest"].get<std::int64_t>() : 256;
    larger["job"]["prompt"] = tokens(2 * prompt);
    const reply longer = ask("serve", larger);
    if (serves(longer)) {
      for (const char* at : {"/prefill_s", "/first_token_s"}) grows(r, "the prompt", one, longer, at);
      // With one place left a request has the replica to itself, and its tokens wait for no prompts. A host that is
      // slower than the device hides behind prompts, in more steps where a prompt takes more chunks: 0.9 % of a token.
      if (longer.answer()["estimate"]["largest_running"] > 1)
        grows(r, "the prompt", one, longer, "/per_token/total_s", 0.98);
      grows(r, "a shorter prompt", longer, one, "/capacity_per_s");
    }
    larger = request;
    larger["job"]["output"] = tokens(2 * output);
    const reply further = ask("serve", larger);
    if (serves(further)) grows(r, "a shorter output", further, one, "/capacity_per_s");
  }
}

}  // namespace relations
