// What a search returns, and what it leaves out.
#include <algorithm>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

struct point {
  double time = 0, dollars = 0;
  bool on_front = false;
  std::string name{};
};
/// Both not worse, and one better, by more than rounding.
bool beats(const point& a, const point& b) {
  constexpr double much = 1e-9;
  return a.time <= b.time && a.dollars <= b.dollars &&
         (a.time < b.time * (1 - much) || a.dollars < b.dollars * (1 - much));
}

/// Every way of paying that the request allows, of every plan.
std::vector<point> points_of(const json& plans, const json& request) {
  const json kinds = request.value("kinds", json::array({"on_demand"}));
  const double deadline = request.value("deadline_s", 1e300), budget = request.value("budget_usd", 1e300);
  std::vector<point> list;
  for (const json& row : plans) {
    for (const json& cost : row["plan"]["costs"]) {
      const point one = {
          cost["wall_s"], cost["total_usd"], cost["on_front"],
          row["slices"].dump() + " x " + row["slice"].get<std::string>() + " " + cost["kind"].get<std::string>()};
      if (std::find(kinds.begin(), kinds.end(), cost["kind"]) != kinds.end() && one.time <= deadline &&
          one.dollars <= budget)
        list.push_back(one);
    }
  }
  return list;
}

const point* beater_of(const point& one, const std::vector<point>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const point& other) { return beats(other, one); });
  return found == all.end() ? nullptr : &*found;
}

std::string words(const point& p) {
  return p.name + ": " + std::to_string(p.time) + " s, " + std::to_string(p.dollars) + " USD";
}

}  // namespace

void front(relation& r) {
  static const std::vector<std::string> objectives = {"cheapest", "fastest", "fewest_chips"};
  while (r.next()) {
    json request = draw("plan", draw_model(r), r.random).request;
    request["best"] = r.random.of(objectives);
    const reply planned = ask("plan", request);
    if (planned.refused() || planned.answer()["plans"].empty()) {
      r.skip(planned.refused() ? "plan refuses" : "no plan");
      continue;
    }
    const std::vector<point> ways = points_of(planned.answer()["plans"], request);
    for (const point& one : ways) {
      const point* const better = beater_of(one, ways);
      r.holds(one.on_front == (better == nullptr), "a way of paying is on the front where no other beats it", planned,
              words(one) + (one.on_front ? " on the front" : " not on the front") +
                  (better != nullptr ? ", beaten by " + words(*better) : ""));
    }
    for (const json& row : planned.answer()["plans"])
      r.same("a plan is on the front as it is paid for", planned, row["on_front"], planned,
             row["plan"]["costs"][row["plan"]["chosen"].get<std::size_t>()]["on_front"]);
    for (const json& lost : planned.answer()["rejected"]) {
      if (lost["reason"] != "dominated") continue;
      r.holds(!lost["by"].is_null(), "what is dominated names what beats it", planned, lost.dump());
      r.holds(lost["amount"].is_number() && lost["amount"].get<double>() > 0, "what is dominated costs or takes more",
              planned, lost.dump());
    }
    for (const json& row : planned.answer()["plans"]) {
      const json& cost = row["plan"]["costs"][row["plan"]["chosen"].get<std::size_t>()];
      if (request.contains("deadline_s"))
        r.holds(row["wall_s"].get<double>() <= request["deadline_s"].get<double>() * (1 + 1e-9),
                "a plan keeps the deadline", planned, row["wall_s"].dump());
      if (request.contains("budget_usd"))
        r.holds(cost["total_usd"].get<double>() <= request["budget_usd"].get<double>() * (1 + 1e-9),
                "a plan keeps the budget", planned, cost["total_usd"].dump());
    }
  }
}

// One layout, slice or model that cannot be timed never ends a search.
void every_model(relation& r) {
  std::vector<const model*> all;
  for (const model& one : models()) all.push_back(&one);
  if (r.sweep) {
    for (const model& one : checkpoints()) all.push_back(&one);
  }
  std::size_t turn = r.sweep ? 0 : r.random.below(all.size());
  for (std::size_t i = 0; i < all.size() && r.next(); ++i, ++turn) {
    const model& one = *all[turn % all.size()];
    const reply counts = ask("model", {{"config", one.config}});
    if (counts.refused()) {
      r.skip("model refuses");
      continue;
    }
    const std::string kind = counts.answer()["architecture"];
    if (kind == "vision") {  // a network of layers
      const told planned = tell("tpuplan --json plan " + write_config(one) + " --examples 1M --batch 1024");
      const reply asked =
          ask("plan_network",
              {{"config", one.config}, {"data", {{"examples", 1000000}}}, {"job", {{"global_batch", 1024}}}});
      if (r.holds(!planned.refused() && !asked.refused(), "plan refuses a model that is counted", planned,
                  planned.errors, asked, asked.refused() ? asked.message() : "answers"))
        r.same("plans of a network", planned, planned.document()["plans"], asked, asked.answer()["plans"]);
    } else {
      const reply planned = ask("plan", {{"config", one.config}, {"tokens", 1e10}});
      // A tower for images beside one for text is not modelled.
      const bool towers = kind == "encoder" && counts.answer()["breakdown"]["vision"] > 0;
      r.holds(planned.refused() == towers,
              towers ? "plan answers a pair of towers" : "plan refuses a model that is counted", planned,
              planned.message());
    }
    const reply served = ask(
        "plan_serving", {{"config", one.config}, {"job", {{"request_rate_per_s", 1}, {"beyond_max_positions", true}}}});
    if (kind == "decoder" || kind == "encoder_decoder" ||
        (kind == "encoder" && counts.answer()["breakdown"]["vision"] == 0)) {
      if (!r.holds(!served.refused(), "plan_serving refuses a model of texts", served, served.message())) continue;
      r.holds(!served.answer()["plans"].empty(), "plan_serving has no plan for a model of texts", served,
              served.answer()["rejected"].dump().substr(0, 300));
    } else {
      r.holds(served.refused(), "plan_serving answers a model that sees", served, kind);
    }
  }
}

}  // namespace relations
