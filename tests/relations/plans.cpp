// A row of a plan is the answer to fit, train, pay, spot or serve about its layout.
#include <tpuplan/cost/timeline.hpp>
#include <tpuplan/hardware/slice_table.hpp>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

/// Some rows of a list: all in a sweep, else the first and others at random.
std::vector<json> some_rows(const json& rows, relation& r, std::size_t most) {
  std::vector<json> some;
  for (std::size_t i = 0; i < rows.size() && (r.sweep || i < most); ++i)
    some.push_back(rows.size() <= most || r.sweep || i == 0 ? rows[i] : rows[r.random.below(rows.size())]);
  return some;
}

/// Copies what a question has beside its own keys.
void copy(const json& from, json& to, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (from.contains(key)) to[key] = from[key];
  }
}

const json* row_of_kind(const json& rows, const json& kind, const json& region) {
  for (const json& one : rows) {
    if (one["kind"] == kind && one["price"]["region"] == region) return &one;
  }
  return nullptr;
}

bool same_memory(relation& r, const reply& planned, const json& plan, const reply& other, const json& memory) {
  return r.same("verdict of memory", planned, plan["fit"], other, memory["fits"]) &&
         r.same("memory", planned, plan["memory"]["total_bytes"], other, memory["used_bytes"]) &&
         r.same("low end of memory", planned, plan["memory"]["low_bytes"], other, memory["used_low_bytes"]) &&
         r.same("high end of memory", planned, plan["memory"]["high_bytes"], other, memory["used_high_bytes"]);
}

void same_train(relation& r, const reply& planned, const json& request, const json& row) {
  const json& plan = row["plan"];
  json question = {{"config", request["config"]},
                   {"slice", row["slice"]},
                   {"mesh", plan["mesh"]},
                   {"job", plan["job"]},
                   {"tokens", planned.answer()["request"]["tokens"]}};
  copy(request, question,
       {"mean_time_between_preemptions_s", "rest_of_term_used", "prices", "market", "lifetimes", "zone", "queue_time_s",
        "restart_time_s", "chip_time_between_failures_s", "around", "noise_scale"});
  const json& chosen = plan["costs"][plan["chosen"].get<std::size_t>()];
  if (chosen["price"]["region"] != "us") question["region"] = chosen["price"]["region"];
  const reply trained = ask("train", question);
  if (!r.holds(!trained.refused(), "train refuses a row of plan", planned, row["slice"].dump(), trained,
               trained.message()))
    return;
  const json& answer = trained.answer();
  r.same("step", planned, row["step_time_s"], trained, answer["step_time_s"]);
  r.same("low end of the step", planned, plan["step"]["low_s"], trained, answer["step_time_low_s"]);
  r.same("high end of the step", planned, plan["step"]["high_s"], trained, answer["step_time_high_s"]);
  r.same("MFU", planned, row["mfu"], trained, answer["mfu"]);
  r.same("run", planned, row["run_s"], trained, answer["run_s"]);
  for (const char* end : {"critical_batch_tokens_low", "critical_batch_tokens_high"})
    r.holds(planned.answer()[end] == answer[end], "the critical batch of a plan is that of train", planned,
            planned.answer()[end].dump(), trained, answer[end].dump());
  for (const std::string words : {"batch beyond", "steps in all", "no published run has"}) {
    const auto says = [&](const json& remarks) { return remarks.get<std::string>().find(words) != std::string::npos; };
    r.holds(says(row["remarks"]) == says(answer["remarks"]), "a plan and train have the same remarks", planned,
            row["remarks"].dump(), trained, answer["remarks"].dump());
  }
  same_memory(r, planned, plan, trained, answer["memory"]);
  for (const json& cost : plan["costs"]) {
    if (cost["price"]["region"] != chosen["price"]["region"]) continue;
    const json* const paid = row_of_kind(answer["costs"], cost["kind"], cost["price"]["region"]);
    if (!r.holds(paid != nullptr, "train has no such way of paying", planned, cost["kind"].dump(), trained,
                 "not among its costs"))
      continue;
    r.same("dollars", planned, cost["total_usd"], trained, (*paid)["total_usd"]);
    r.same("start to end", planned, cost["wall_s"], trained, (*paid)["wall_s"]);
    if (!(*paid)["total_low_usd"].is_null())
      r.same("low end of dollars", planned, cost["low_usd"], trained, (*paid)["total_low_usd"]);
    if (!(*paid)["total_high_usd"].is_null())
      r.same("high end of dollars", planned, cost["high_usd"], trained, (*paid)["total_high_usd"]);
  }
  if (!r.random.chance(0.3)) return;
  for (const char* key :
       {"tokens", "mean_time_between_preemptions_s", "rest_of_term_used", "prices", "region", "market", "lifetimes",
        "zone", "queue_time_s", "restart_time_s", "chip_time_between_failures_s", "around", "noise_scale"})
    question.erase(key);
  const reply fitted = ask("fit", question);
  if (r.holds(!fitted.refused(), "fit refuses a row of plan", planned, row["slice"].dump(), fitted, fitted.message()))
    same_memory(r, planned, plan, fitted, fitted.answer());
}

/// What a start or a restart takes more on the VMs of a row's slice than on few.
double more_of_size(bool by_size, const json& row) {
  const tpuplan::slice where = tpuplan::slice_for(row["slice"].get<std::string>());
  return by_size ? (tpuplan::usual_start(tpuplan::vms(where)) - tpuplan::usual_start()).value() : 0;
}

/// A run on spot with the checkpoints of the plan, stopped by preemptions and failures. What a checkpoint takes is
/// among what pay assumes, in three digits: the run lies between those with the ends of what they may be.
void same_spot(relation& r, const reply& planned, const json& cost, const json& row, const json& asked,
               const reply& paid) {
  const double goodput = cost["goodput"], wall = cost["wall_s"], run = row["run_s"];
  r.same("goodput of a run on spot", planned, goodput, planned, run / wall, 1e-9);
  printed_figure checkpoint;
  if (asked.contains("checkpoint_time_s")) checkpoint = parse_figure(asked["checkpoint_time_s"].dump() + " s");
  for (const json& one : paid.answer()["assumed"]) {
    if (one["field"] == "a checkpoint stops the step for") checkpoint = parse_figure(one["value"].get<std::string>());
  }
  if (!r.holds(checkpoint.is_number, "pay says what a checkpoint takes", paid, paid.answer()["assumed"].dump())) return;
  const double failures = asked["chip_time_between_failures_s"].get<double>() / row["chips"].get<double>();
  const double held = cost["billed_s"].get<double>() - asked["start_up_s"].get<double>();
  for (const double end : {-1.0, 1.0}) {
    const reply spot =
        ask("spot",
            {{"work_s", run},
             {"mean_time_between_preemptions_s", 1 / (1 / paid.answer()["job_mtbp_s"].get<double>() + 1 / failures)},
             {"restart_time_s", asked.value("restart_time_s", 600 + more_of_size(true, row))},
             {"checkpoint_time_s", checkpoint.value + end * checkpoint.rounding},
             {"checkpoint_interval_s", cost["checkpoint_interval_s"]}});
    if (spot.refused()) return r.skip("spot refuses");
    const double other = spot.answer()["billed_s"];
    r.holds(end * (other - held) >= -1e-12 * held,
            end < 0 ? "a run on spot is billed for no less than by spot"
                    : "a run on spot is billed for no more than by spot",
            planned, cost["billed_s"].dump(), spot, spot.answer()["billed_s"].dump());
  }
}

/// The ways of paying in the region of the plan: pay, and of spot also spot. Flex-start and spot may have waits of
/// their own, which pay is asked for one after the other.
void same_pay(relation& r, const reply& planned, const json& request, const json& row) {
  const json& plan = row["plan"];
  const json& chosen = plan["costs"][plan["chosen"].get<std::size_t>()];
  const json &terms = planned.answer()["request"]["terms"], &around = planned.answer()["request"]["around"];
  if (around["evaluate_every"] > 0 || around["checkpoint_every"] > 0 || around["export_time_s"] > 0)
    return r.skip("pay has no steps");
  json question = {{"slice", row["slice"]}, {"slices", row["slices"]}, {"run_s", row["run_s"]}};
  copy(request, question,
       {"rest_of_term_used", "prices", "zone", "market", "lifetimes", "mean_time_between_preemptions_s"});
  question["region"] = chosen["price"]["region"];
  copy(request, question, {"restart_time_s"});
  question["start_up_s"] = around["start_s"].get<double>() + around["compilation_s"].get<double>() +
                           around["restore_s"].get<double>() + more_of_size(around["start_by_size"], row);
  question["chip_time_between_failures_s"] = planned.answer()["request"]["chip_time_between_failures_s"];
  const bool as_fp32 = plan["job"]["weights"] == "fp32" && plan["job"]["moments"] == "fp32" &&
                       plan["job"]["optimizer"] == "adamw" && plan["job"]["lora_rank"] == 0;
  if (!as_fp32) return r.skip("a checkpoint that pay does not know");
  if (around["checkpoint_s"] > 0)
    question["checkpoint_time_s"] = around["checkpoint_s"];
  else
    question["parameters"] = planned.answer()["parameters"];
  for (const bool flex : {false, true}) {
    question["queue_time_s"] = terms[flex ? "flex_start" : "spot"]["queue_time_s"];
    const reply paid = ask("pay", question);
    if (!r.holds(!paid.refused(), "pay refuses a row of plan", planned, row["slice"].dump(), paid, paid.message()))
      return;
    for (const json& cost : plan["costs"]) {
      if (cost["price"]["region"] != chosen["price"]["region"] || (cost["kind"] == "flex_start") != flex) continue;
      const json* const way = row_of_kind(paid.answer()["ways"], cost["kind"], cost["price"]["region"]);
      if (!r.holds(way != nullptr, "pay has no such way of paying", planned, cost["kind"].dump(), paid, "not a way"))
        continue;
      r.same("dollars by pay", planned, cost["total_usd"], paid, (*way)["total_usd"]);
      r.same("start to end by pay", planned, cost["wall_s"], paid, (*way)["wall_s"]);
      r.same("billed by pay", planned, cost["billed_s"], paid, (*way)["billed_s"]);
      if (cost["kind"] == "spot") same_spot(r, planned, cost, row, question, paid);
    }
  }
}

json plan_question(relation& r) {
  drawn_question drawn = draw("plan", draw_model(r), r.random);
  return drawn.request;
}

}  // namespace

void plan_rows(relation& r) {
  while (r.next()) {
    const json request = plan_question(r);
    const reply planned = ask("plan", request);
    if (planned.refused()) {
      r.skip("plan refuses");
      continue;
    }
    if (planned.answer()["plans"].empty()) r.skip("no plan");
    for (const json& row : some_rows(planned.answer()["plans"], r, 3)) {
      same_train(r, planned, request, row);
      same_pay(r, planned, request, row);
    }
  }
}

// Equal, not near: the same runs are played with the same luck.
void plan_chances(relation& r) {
  while (r.next()) {
    json request = plan_question(r);
    for (const char* key : {"objective", "chance", "quotas"}) request.erase(key);
    if (!request.contains("deadline_s")) request["deadline_s"] = r.random.between(1e5, 5e6);
    if (!request.contains("budget_usd")) request["budget_usd"] = r.random.between(1e3, 1e6);
    request["kinds"] = json::array({r.random.chance(0.5) ? "spot" : "on_demand"});
    request.erase("rest_of_term_used");
    const reply planned = ask("plan", request);
    if (planned.refused() || planned.answer()["plans"].empty()) {
      r.skip(planned.refused() ? "plan refuses" : "no plan");
      continue;
    }
    for (const json& row : some_rows(planned.answer()["plans"], r, 2)) {
      const json& plan = row["plan"];
      const json& chosen = plan["costs"][plan["chosen"].get<std::size_t>()];
      json question = {{"config", request["config"]},
                       {"slice", row["slice"]},
                       {"mesh", plan["mesh"]},
                       {"job", plan["job"]},
                       {"tokens", planned.answer()["request"]["tokens"]},
                       {"kind", chosen["kind"]},
                       {"runs", 500},
                       {"region", chosen["price"]["region"]}};
      copy(request, question,
           {"prices", "restart_time_s", "chip_time_between_failures_s", "around", "deadline_s", "budget_usd"});
      if (chosen["kind"] == "spot") copy(request, question, {"queue_time_s"});
      const json& spot = planned.answer()["request"]["terms"]["spot"];
      const bool as_published = spot["mean_time_between_preemptions_s"] == 0;
      if (chosen["kind"] == "spot" && as_published) copy(request, question, {"zone"});
      if (chosen["kind"] == "spot" && !as_published)
        question["mean_time_between_preemptions_s"] = spot["mean_time_between_preemptions_s"];
      const reply risky = ask("risk", question);
      if (!r.holds(!risky.refused(), "risk refuses a row of plan", planned, row["slice"].dump(), risky,
                   risky.message()))
        continue;
      r.same("chance in time", planned, row["chance_in_time"], risky, risky.answer()["chance_in_time"]);
      r.same("chance in budget", planned, row["chance_in_budget"], risky, risky.answer()["chance_in_budget"]);
    }
  }
}

void serving_plan_rows(relation& r) {
  while (r.next()) {
    drawn_question drawn = draw("plan_serving", draw_decoder(r), r.random);
    if (!r.sweep && drawn.request.contains("job")) drawn.request["job"].erase("percentiles");  // simulated: seconds
    const reply planned = ask("plan_serving", drawn.request);
    if (planned.refused()) {
      r.skip("plan_serving refuses");
      continue;
    }
    if (planned.answer()["plans"].empty()) r.skip("no plan");
    for (const json& row : some_rows(planned.answer()["plans"], r, 3)) {
      const json& plan = row["plan"];
      json question = {{"config", drawn.request["config"]},
                       {"slice", row["slice"]},
                       {"mesh", plan["mesh"]},
                       {"job", plan["share"]},
                       {"region", plan["region"]}};
      copy(drawn.request, question, {"constants", "prices"});
      const reply served = ask("serve", question);
      if (!r.holds(!served.refused(), "serve refuses a row of plan_serving", planned, row["slice"].dump(), served,
                   served.message()))
        continue;
      for (const std::string& one : differences(plan["estimate"], served.answer()["estimate"]))
        r.differ("estimate of a row of plan_serving", planned.asked(), row["slice"].dump(), served.asked(), one);
      r.compared(static_cast<std::int64_t>(plan["estimate"].size()));
      if (!served.answer()["meets_targets"].is_null())
        r.same("targets are met", planned, true, served, served.answer()["meets_targets"]);
      const json* price = nullptr;
      for (const json& one : served.answer()["costs"]) {
        if (one["provisioning"] == plan["kind"]) price = &one;
      }
      if (!r.holds(price != nullptr, "serve has no such way of paying", planned, plan["kind"].dump(), served, "none"))
        continue;
      r.same("dollars of a million output tokens", planned, plan["cost"]["all_on_output_usd"], served,
             (*price)["all_on_output_usd_per_million"]);
      r.same("dollars an hour of a slice", planned, plan["cost"]["rate_usd_per_s"].get<double>() * 3600, served,
             (*price)["usd_per_hour"]);
      r.same("dollars an hour of all slices", planned, plan["rate_usd_per_s"].get<double>() * 3600, served,
             (*price)["usd_per_hour"].get<double>() * row["slices"].get<double>());
    }
  }
}

}  // namespace relations
