// What an answer tells to do next gives what the answer says.
#include <algorithm>
#include <optional>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

/// The commands after "next:", without the words on what they are for.
std::vector<std::string> next_of(const std::string& text) {
  std::vector<std::string> commands;
  std::size_t at = text.find("next: ");
  for (at = at == std::string::npos ? at : at + 6; at != std::string::npos && at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size()), from = text.find_first_not_of(' ', at);
    if (from >= end) break;
    if (text.compare(from, 8, "tpuplan ") == 0)
      commands.push_back(text.substr(from, std::min(end, text.find("   ", from)) - from));
    at = end + 1;
  }
  return commands;
}

/// Whether it has a word in capitals that the user puts a name in for.
bool needs_users_file(const std::string& command) {
  for (const char* word : {" FILE", " IMAGE", " CONFIG", " config.json", "PLAN.json", "…", "..."}) {
    if (command.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string as_json(const std::string& command) {
  return "tpuplan --json" + command.substr(std::string("tpuplan").size());
}

const json* first_plan(const json& document) {
  return document.contains("plans") && !document["plans"].empty() ? &document["plans"][0] : nullptr;
}

/// The figures that a plan and the command under it share.
void same_next(relation& r, const std::string& name, const told& first, const json& a, const told& second,
               const json& b) {
  const json* const row = first_plan(a);
  if (name == "plan" && row != nullptr && b.contains("step_time_s")) {
    r.same("step of a plan and of train after it", first, (*row)["step_time_s"], second, b["step_time_s"]);
    r.same("memory of a plan and of train after it", first, (*row)["plan"]["memory"]["total_bytes"], second,
           b["memory"]["used_bytes"]);
    bool known = false;
    for (const json& cost : b["costs"])
      known = known || (relation::equal(cost["total_usd"], (*row)["total_usd"], 1e-12) &&
                        relation::equal(cost["wall_s"], (*row)["wall_s"], 1e-12));
    r.holds(known, "dollars and time of a plan are among those of train after it", first, (*row)["total_usd"].dump(),
            second, b["costs"].dump().substr(0, 300));
  } else if (name == "plan_serving" && row != nullptr && b.contains("estimate")) {
    for (const char* key : {"first_token_s", "capacity_per_s", "running"})
      r.same(std::string(key) + " of a plan and of serve after it", first, (*row)["plan"]["estimate"][key], second,
             b["estimate"][key], 1e-9);
  } else if (name == "fit" && b.contains("memory")) {
    r.same("memory of fit and of train after it", first, a["used_bytes"], second, b["memory"]["used_bytes"]);
  } else if (name == "train" && first_plan(b) != nullptr && a["memory"]["fits"] == "yes" && a["costs"].is_array()) {
    for (const json& cost : a["costs"]) {
      if (cost["kind"] == "on_demand")
        r.holds((*first_plan(b))["total_usd"].get<double>() <= cost["total_usd"].get<double>() * (1 + 1e-9),
                "plan after train is no dearer", first, cost["total_usd"].dump(), second,
                (*first_plan(b))["total_usd"].dump());
    }
  } else if (name == "serve" && first_plan(b) != nullptr) {
    r.compared();  // it answers: a plan for the same traffic
  }
}

}  // namespace

void next_lines(relation& r) {
  static const std::vector<std::string> names = {"plan",  "plan_serving", "fit",   "train",
                                                 "serve", "simulate",     "model", "batch"};
  std::size_t turn = 0;
  while (r.next()) {
    const std::string& name = names[turn++ % names.size()];
    const drawn_question drawn = draw(name, r.random);
    const told text = tell(drawn.command);
    const std::vector<std::string> commands = next_of(text.output);
    if (text.refused() || commands.empty() || needs_users_file(commands.front())) {
      r.skip(text.refused() ? "refused" : commands.empty() ? "no next command" : "needs a file of the user");
      continue;
    }
    for (std::size_t i = 1; i < commands.size(); ++i) {
      if (needs_users_file(commands[i])) continue;
      const told other = tell(as_json(commands[i]));
      r.holds(!other.refused(), "a further command of " + name + " is refused", text, commands[i], other, other.errors);
    }
    const std::string& next = commands.front();
    const told after = tell(as_json(next));
    if (!r.holds(!after.refused(), "the next command of " + name + " is refused", text, next, after, after.errors))
      continue;
    const told before = tell(as_json(drawn.command));
    if (after.output.empty() || before.output.empty()) continue;
    same_next(r, name, before, before.document(), after, after.document());
  }
}

// Commands within the sentences of the pages: tests/readme runs those in blocks.
void documented(relation& r) {
  static const std::vector<std::string> pages = {
      "README.md",          "docs/accuracy.md", "docs/ask.md",    "docs/change.md", "docs/embed.md",
      "docs/first_jobs.md", "docs/launch.md",   "docs/model.md",  "docs/models.md", "docs/page.md",
      "docs/prices.md",     "docs/python.md",   "docs/serving.md"};
  for (const std::string& page : pages) {
    const std::string text = file_text(page);
    for (std::size_t at = 0; (at = text.find("`tpuplan ", at)) != std::string::npos;) {
      const std::size_t end = text.find('`', at + 1);
      const std::string command = text.substr(at + 1, end - at - 1);
      at = end + 1;
      const bool whole = std::none_of(command.begin(), command.end(), [](char c) { return c == '\n' || c == '>'; });
      const bool has_words = command.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ…") != std::string::npos;
      if (!whole || has_words || command.find(' ', 9) == std::string::npos) {
        r.skip("no whole command, or with a name of the user's");
        continue;
      }
      const std::string name = command.substr(8, command.find(' ', 8) - 8);
      const bool of_none = name == "chips" || name == "slices" || name == "batch" || name == "spot" || name == "pay" ||
                           name == "doctor" || name == "pad";
      if (!of_none && command.find("data/") == std::string::npos) {
        r.skip("needs a file of the user");
        continue;
      }
      const told answer = tell(command);
      r.holds(!answer.refused(), "a command in " + page, answer, answer.errors);
    }
  }
}

// What is planned for an engine that a launch can start, a launch starts.
void launchable(relation& r) {
  static const std::vector<std::string> engines = {
      "vllm --prefill-chunk 512", "sglang-jax", "vllm --adapters 4 --adapter-rank 20",
      "sglang-jax --adapters 4 --adapter-rank 16", "vllm --adapters 2 --adapter-rank 600"};
  while (r.next()) {
    const std::string& engine = r.random.of(engines);
    const std::string file = scratch() + "/planned.json";
    const told planned = tell("tpuplan --json plan " + write_config(draw_decoder(r)) + " --serve --rate 5 --engine " +
                              engine + " >" + file);
    if (planned.status != 0) {
      r.skip(planned.refused() ? "plan refuses" : "no plan");
      continue;
    }
    const std::size_t rows = json::parse(file_text(file))["plans"].size();
    for (std::size_t rank = 1; rank <= std::min<std::size_t>(rows, r.sweep ? rows : 3); ++rank) {
      const told launched =
          tell("tpuplan launch " + file + " --target gke --rank " + std::to_string(rank) + " --engine " +
               engine.substr(0, engine.find(' ')) + " --image a/b:c --name j --model x/y");
      r.holds(!launched.refused(), "launch refuses what is planned for its engine", planned, std::to_string(rank),
              launched, launched.errors);
    }
  }
}

namespace {

/// Puts a limit where a relaxation says it has to be; false where it is no limit of the request.
bool relax(json& request, const json& row) {
  const std::string limit = row["limit"];
  const double needed = row["needed"].is_number() ? row["needed"].get<double>() : 0;
  const json& plan = row["plan"].contains("plan") ? row["plan"]["plan"] : row["plan"];
  const auto set = [&](const char* at, const json& value) {
    request[json::json_pointer(at)] = value;
    return true;
  };
  const auto chosen = [&] { return plan.contains("costs") ? plan["costs"][plan["chosen"].get<std::size_t>()] : plan; };
  if (limit == "deadline") return set("/deadline_s", needed);
  if (limit == "budget") return set(request.contains("budget_usd") ? "/budget_usd" : "/budget_usd_per_s", needed);
  if (limit == "chance") return set("/chance", needed);
  if (limit == "chips") return set("/largest_chips", static_cast<std::int64_t>(needed));
  if (limit == "slices") return set("/largest_slices", static_cast<std::int64_t>(needed));
  if (limit == "quotas") return request.erase("quotas") > 0;
  if (limit == "kinds") {
    request["kinds"].push_back(chosen()["kind"]);
    return true;
  }
  if (limit == "generation") return request.erase("generations") > 0;
  if (limit == "smallest_chips") return set("/smallest_chips", static_cast<std::int64_t>(needed));
  if (limit == "policies") return request.erase("policies") > 0;
  if (limit == "regions") {
    if (!request.contains("regions")) request["regions"] = json::array({"us"});
    request["regions"].push_back(plan.contains("costs") ? chosen()["price"]["region"] : plan["region"]);
    return true;
  }
  if (limit == "degrees") return request.erase("degrees") > 0;
  if (limit == "uncertain") return set("/accept_uncertain", true);
  if (limit == "batch")
    return request.erase("batch_tokens"), set("/job/global_batch", static_cast<std::int64_t>(needed));
  if (limit == "tpot") return set("/job/tpot_target_s", needed);
  if (limit == "ttft") return set("/job/ttft_target_s", needed);
  if (limit == "targets") return set("/job/tpot_target_s", needed) && set("/job/ttft_target_s", row["needed_ttft_s"]);
  if (limit == "first_token" || limit == "per_token" || limit == "end_to_end")
    return set(("/job/percentiles/" + limit + "/limit_s").c_str(), needed);
  return false;
}

/// The row with a limit that is a little tighter than it has to be; nothing of a limit that is no such number.
std::optional<json> tighter(json row) {
  const std::string limit = row["limit"];
  const double needed = row["needed"].is_number() ? row["needed"].get<double>() : 0;
  const bool is_whole = limit == "chips" || limit == "slices";
  if (is_whole && needed - 1 <= row["given"].get<double>()) return std::nullopt;
  if (limit == "chance" && needed > 0.98) return std::nullopt;
  if (limit == "deadline" || limit == "budget" || limit == "tpot" || limit == "ttft") {
    row["needed"] = 0.97 * needed;
    return row;
  }
  if (!is_whole && limit != "chance") return std::nullopt;
  row["needed"] = limit == "chance" ? needed + 0.01 : needed - 1;
  return row;
}

}  // namespace

void relaxations(relation& r) {
  while (r.next()) {
    const bool serving = r.random.chance(0.4);
    const std::string name = serving ? "plan_serving" : "plan";
    json request = draw(name, draw_decoder(r), r.random).request;
    if (serving) {
      request["budget_usd_per_s"] = r.random.between(1e-5, 1e-2);
      if (r.random.chance(0.5)) request["job"]["tpot_target_s"] = r.random.between(1e-3, 2e-2);
    } else {
      request["deadline_s"] = r.random.between(3600, 864000);
      if (r.random.chance(0.6)) request["budget_usd"] = r.random.between(100, 30000);
      if (r.random.chance(0.3)) request["chance"] = r.random.between(0.05, 0.99);
      if (r.random.chance(0.3)) request["smallest_chips"] = std::int64_t{1} << r.random.count_between(4, 12);
      if (r.random.chance(0.3))
        request["quotas"] =
            json::array({{{"generation", "v5e"}, {"region", "us"}, {"kind", "on_demand"}, {"chips", 4}}});
    }
    const reply refused = ask(name, request);
    if (refused.refused() || !refused.answer()["relax"].is_array() || refused.answer()["relax"].empty()) {
      r.skip(refused.refused() ? "refused" : "a plan, or nothing to relax");
      continue;
    }
    for (const json& row : refused.answer()["relax"]) {
      json relaxed = request;
      if (!relax(relaxed, row)) {
        r.skip("limit " + row["limit"].get<std::string>());
        continue;
      }
      const reply answer = ask(name, relaxed);
      if (!r.holds(!answer.refused(), "a limit as relaxed is refused", refused, row["limit"].dump(), answer,
                   answer.message()))
        continue;
      r.holds(!answer.answer()["plans"].empty(),
              "a limit as relaxed lets no plan in: " + row["limit"].get<std::string>(), refused,
              "needed " + row["needed"].dump() + " instead of " + row["given"].dump(), answer, "no plan");
      const std::optional<json> nearer = tighter(row);
      if (!nearer || !relax(relaxed, *nearer)) continue;
      const reply less = ask(name, relaxed);
      r.holds(less.refused() || less.answer()["plans"].empty(),
              "less than a limit as relaxed lets a plan in: " + row["limit"].get<std::string>(), answer,
              "needed " + row["needed"].dump(), less, (*nearer)["needed"].dump() + " is enough");
    }
  }
}

// A change that advice says takes so long, made, takes so long.
void advice(relation& r) {
  while (r.next()) {
    const drawn_question drawn = draw("train", draw_model(r), r.random);
    const reply one = ask("train", drawn.request);
    if (one.refused()) {
      r.skip("train refuses");
      continue;
    }
    for (const json& change : one.answer()["advice"]) {
      json request = drawn.request;
      request["job"] = one.answer()["memory"]["job"];
      request["mesh"] = one.answer()["memory"]["mesh"];
      request.erase("batch_tokens");
      const std::string kind = change["kind"], better = change["better"];
      if (kind == "remat") {
        request["job"]["remat"] = better;
      } else if (kind == "batch") {
        request["job"]["global_batch"] = std::stoll(better);
      } else if (kind == "microbatch") {
        request["job"]["gradient_accumulation"] = std::stoll(better);
      } else {
        r.skip("a change of " + kind + " is in words");
        continue;
      }
      const reply then = ask("train", request);
      if (!r.holds(!then.refused(), "advised and refused", one, change.dump(), then, then.message())) continue;
      r.same("step after the change of " + kind, one, change["step_time_then_s"], then, then.answer()["step_time_s"]);
      r.holds(then.answer()["memory"]["fits"] != "no", "what is advised fits", one, change.dump(), then,
              then.answer()["memory"]["fits"].dump());
    }
  }
}

void serving_advice(relation& r) {
  while (r.next()) {
    const drawn_question drawn = draw("serve", draw_decoder(r), r.random);
    const reply one = ask("serve", drawn.request);
    if (one.refused()) {
      r.skip("serve refuses");
      continue;
    }
    for (const json& change : one.answer()["advice"]) {
      json request = drawn.request;
      const std::string kind = change["kind"], better = change["better"], subject = change["subject"];
      if (subject == "serving_layout.tensor") {
        request["mesh"]["tensor"] = std::stoll(better);
      } else if (subject == "serving_job.cache") {
        request["job"]["cache"] = better;
      } else if (subject == "serving_job.weights") {
        request["job"]["weights"] = better;
      } else {
        r.skip("a change of " + subject);
        continue;
      }
      // One change at a time: drafts cost what they do, also where that follows from what a step reads.
      if (request.value("job", json::object()).contains("speculation"))
        request["job"]["speculation"]["draft_cost"] = one.answer()["job"]["speculation"]["draft_cost"];
      const reply then = ask("serve", request);
      if (!r.holds(!then.refused(), "advised and refused", one, change.dump(), then, then.message())) continue;
      // Where requests come at a rate, what counts is the capacity.
      const json& estimate = then.answer()["estimate"];
      const json job = request.value("job", json::object());
      const double output = job.contains("output") ? job["output"]["mean"].get<double>() : 256;
      const double now = job.contains("request_rate_per_s") ? estimate["capacity_per_s"].get<double>() * output
                                                            : estimate["output_tokens_per_s"].get<double>();
      r.same("output tokens/s after the change of " + kind, one, change["output_tokens_per_s_then"], then, now, 1e-9);
    }
  }
}

}  // namespace relations
