// Images and clips: every pipeline has its answers, fronts and limits of plans, searches that know what is timed, keys
// that mean nothing, the next command, and a day of traffic.
#include <algorithm>
#include <fstream>
#include <limits>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

/// A plan of images or clips an hour, or of training on them.
std::pair<std::string, json> drawn_plan(relation& r) {
  const model& of = r.random.of(pipelines());
  const std::string chip = r.random.of(std::vector<std::string>{"v5e", "v5p", "v6e"});
  json request = {{"config", of.config}, {"generations", {chip}}, {"best", "cheapest"}};
  if (r.random.chance(0.5)) {
    request["make"] = {{"size", "512x512"}, {"steps", r.random.count_between(4, 50)}};
    if (makes_clips(of)) request["make"]["frames"] = 25;
    request["items_per_hour"] = r.random.count_between(1, 2000), request["largest_slice"] = 16;
    if (r.random.chance(0.6)) request["latency_s"] = r.random.between(1, 600);
    if (r.random.chance(0.4)) request["budget_usd_per_s"] = r.random.between(1e-3, 1e-1);
    return {"plan_generation", request};
  }
  request["sizes"] = {"512x512"}, request["largest_chips"] = 16;
  if (makes_clips(of)) request["frames"] = 25;
  request["job"] = {{"global_batch", std::int64_t{16} << r.random.below(3)}};
  request["data"] = {{"examples", 20000}, {"epochs", 2}};
  if (r.random.chance(0.6)) request["deadline_s"] = r.random.between(7200, 864000);
  if (r.random.chance(0.4)) request["budget_usd"] = r.random.between(5, 3000);
  return {"plan_train_generation", request};
}

const char* dollars_of(const std::string& name) { return name == "plan_generation" ? "usd_per_hour" : "cost_usd"; }
const char* time_of(const std::string& name) { return name == "plan_generation" ? "latency_s" : "wall_s"; }

double lowest(const reply& planned, const char* key) {
  double best = std::numeric_limits<double>::infinity();
  for (const json& row : planned.answer()["plans"]) best = std::min(best, row[key].get<double>());
  return best;
}

/// The sum of what these keys hold.
double sum_of(const json& all, std::initializer_list<const char*> keys) {
  double sum = 0;
  for (const char* key : keys) sum += all.at(key).get<double>();
  return sum;
}

/// The first command under an answer: "" where it needs words of the user.
std::string next_command(const std::string& text) {
  const std::size_t at = text.rfind("next: tpuplan ");
  if (at == std::string::npos) return "";
  const std::size_t from = at + 6, to = std::min(text.find("   ", from), text.find('\n', from));
  const std::string command = text.substr(from, to - from);
  for (const char* words : {"IMAGE", "COMMAND", "BUCKET", "PROMPT"}) {
    if (command.find(words) != std::string::npos) return "";
  }
  return command;
}

}  // namespace

// Every pipeline is made, planned for, put under traffic and trained, and no answer is without a figure.
void every_pipeline(relation& r) {
  std::size_t turn = r.sweep ? 0 : r.random.below(pipelines().size());
  for (std::size_t i = 0; i < pipelines().size() && r.next(); ++i, ++turn) {
    const model& of = pipelines()[turn % pipelines().size()];
    json make = {{"size", "512x512"}, {"steps", 10}},
         trained = {{"sizes", {"512x512"}}, {"job", {{"global_batch", 16}}}};
    if (makes_clips(of)) make["frames"] = 25, trained["frames"] = 25;
    const auto with = [&](json more, const json& extra) {
      more["config"] = of.config;
      more.update(extra);
      return more;
    };
    const json placed = {{"slice", "v5p-64"}}, run = {{"data", {{"examples", 20000}, {"epochs", 1}}}};
    const reply counted = ask("model_generation", {{"config", of.config}});
    r.holds(!counted.refused(), "a pipeline is not counted", counted, counted.message());
    const reply made = ask("generate", with({{"make", make}}, placed));
    if (r.holds(!made.refused(), "generate refuses a pipeline that is counted", made, made.message()))
      r.holds(made.answer()["item_time_s"] > 0 && made.answer()["fits"] == "yes", "it is made on 32 chips of v5p", made,
              made.answer()["fits"].dump());
    const reply simulated =
        ask("simulate_generation", with({{"make", make}, {"rate_per_s", 1e-3}, {"requests", 200}}, placed));
    r.holds(!simulated.refused(), "simulate refuses a pipeline that is made", simulated, simulated.message());
    const reply planned =
        ask("plan_generation", with({{"make", make}, {"items_per_hour", 1}}, {{"largest_slice", 32}}));
    if (r.holds(!planned.refused(), "plan refuses a pipeline that is made", planned, planned.message()))
      r.holds(!planned.answer()["plans"].empty(), "no slice makes one an hour", planned,
              planned.answer()["lost"].dump());
    const reply step = ask("train_generation", with(trained, placed));
    if (r.holds(!step.refused(), "train refuses a pipeline that is counted", step, step.message()))
      r.holds(step.answer()["step_time_s"] > 0, "a step takes time", step, step.answer()["step_time_s"].dump());
    const reply whole = ask("plan_train_generation", with(with(trained, run), {{"largest_chips", 64}}));
    if (r.holds(!whole.refused(), "plan refuses to train what train does", whole, whole.message()))
      r.holds(!whole.answer()["plans"].empty(), "no slice trains it", whole, whole.answer()["lost"].dump());
  }
}

// Plans keep their limits; what is on the front no other plan beats; a limit that is left out makes no plan worse.
void picture_limits(relation& r) {
  while (r.next()) {
    const auto [name, request] = drawn_plan(r);
    const reply strict = ask(name, request);
    if (strict.refused()) {
      r.skip("refused");
      continue;
    }
    const json& plans = strict.answer()["plans"];
    for (const json& row : plans) {
      if (request.contains("latency_s"))
        r.holds(row["latency_s"].get<double>() <= request["latency_s"].get<double>() * (1 + 1e-9), "latency is kept",
                strict, row["latency_s"].dump());
      if (request.contains("budget_usd_per_s"))
        r.holds(row["usd_per_hour"].get<double>() <= 3600 * request["budget_usd_per_s"].get<double>() * (1 + 1e-9),
                "the budget is kept", strict, row["usd_per_hour"].dump());
      if (request.contains("deadline_s"))
        r.holds(row["wall_s"].get<double>() <= request["deadline_s"].get<double>() * (1 + 1e-9), "the deadline is kept",
                strict, row["wall_s"].dump());
      if (request.contains("budget_usd"))
        r.holds(row["cost_usd"].get<double>() <= request["budget_usd"].get<double>() * (1 + 1e-9), "the budget is kept",
                strict, row["cost_usd"].dump());
      if (!row.contains("on_front")) continue;
      const bool beaten = std::any_of(plans.begin(), plans.end(), [&](const json& other) {
        const double a = other["usd_per_hour"], b = row["usd_per_hour"], c = other["latency_s"], d = row["latency_s"];
        return a <= b * (1 - 1e-12) && c <= d * (1 - 1e-12);
      });
      r.holds(!(row["on_front"] && beaten), "a plan on the front is both dearer and later than another", strict,
              row.dump());
    }
    for (const char* limit : {"latency_s", "budget_usd_per_s", "deadline_s", "budget_usd"}) {
      if (!request.contains(limit)) continue;
      json freed = request;
      freed.erase(limit);
      const reply free = ask(name, freed);
      if (!r.holds(!free.refused(), "a plan without a limit is refused", strict, limit, free, free.message())) continue;
      r.holds(lowest(free, dollars_of(name)) <= lowest(strict, dollars_of(name)) * (1 + 1e-9),
              std::string("without ") + limit + " the cheapest costs no more", strict, limit, free,
              std::to_string(lowest(free, dollars_of(name))));
    }
    json fastest = request;
    fastest["best"] = "fastest";
    const reply other = ask(name, fastest);
    if (!r.holds(!other.refused(), "the fastest plans are refused", strict, name, other, other.message())) continue;
    r.holds(lowest(other, time_of(name)) <= lowest(strict, time_of(name)) * (1 + 1e-9), "the fastest is no slower",
            strict, name, other, std::to_string(lowest(other, time_of(name))));
    r.holds(lowest(strict, dollars_of(name)) <= lowest(other, dollars_of(name)) * (1 + 1e-9),
            "the cheapest is no dearer", strict, name, other, std::to_string(lowest(other, dollars_of(name))));
  }
}

// A step of training: its band in order, parts that add up, a run of its steps, dollars in order.
void picture_training_bands(relation& r) {
  while (r.next()) {
    const model& of = r.random.of(pipelines());
    json request = {{"config", of.config},
                    {"slice", r.random.of(std::vector<std::string>{"v4-16", "v5p-8", "v5p-16", "v6e-8", "tpu7x-8"})},
                    {"sizes", {r.random.chance(0.5) ? "512x512" : "256x256"}},
                    {"job", {{"global_batch", std::int64_t{16} << r.random.below(3)}}},
                    {"data", {{"examples", 20000}, {"epochs", 2}}}};
    if (makes_clips(of)) request["frames"] = 25;
    if (r.random.chance(0.4)) request["job"]["lora_rank"] = 16;
    if (r.random.chance(0.4)) request["job"]["recompute"] = false;
    const reply asked = ask("train_generation", request);
    if (asked.refused()) {
      r.skip("refused");
      continue;
    }
    const json &a = asked.answer(), &step = a["breakdown"];
    const double time = a["step_time_s"], low = a["step_time_low_s"], high = a["step_time_high_s"];
    r.holds(step["floor_s"] <= low * (1 + 1e-12) && low <= time && time <= high, "floor, low, time, high in order",
            asked, step.dump());
    r.same("parts of a step", asked, step["total_s"], asked,
           sum_of(step, {"products_s", "attention_s", "elementwise_s", "collectives_s", "gradients_s", "update_s",
                         "encoding_s", "overhead_s"}),
           1e-9);
    r.holds(a["mfu"] > 0 && a["mfu"] <= 1, "MFU", asked, a["mfu"].dump());
    const json& m = a["memory"];
    r.same("parts of the memory", asked, m["total_bytes"], asked,
           sum_of(m, {"parameters_bytes", "optimizer_bytes", "gradients_bytes", "activations_bytes", "logits_bytes",
                      "gathered_weights_bytes", "workspace_bytes"}),
           1e-9);
    r.holds(m["low_bytes"] <= m["total_bytes"] && m["total_bytes"] <= m["high_bytes"], "band of the memory", asked,
            m.dump());
    const double batch = request["job"]["global_batch"];
    const double steps = 2 * std::floor(20000 / batch);
    r.same("the run", asked, a["run_s"], asked, steps * time, 1e-9);
    for (const json& cost : a["costs"])
      r.holds(cost["total_low_usd"] <= cost["total_usd"] && cost["total_usd"] <= cost["total_high_usd"],
              "band of the dollars", asked, cost.dump());
  }
}

// A layout that fits and is named is no faster than the one that is taken where none is named.
void picture_search(relation& r) {
  while (r.next()) {
    const model& of = r.random.of(pipelines());
    const bool trains = r.random.chance(0.4);
    json request = {{"config", of.config},
                    {"slice", r.random.of(std::vector<std::string>{"v5p-16", "v6e-8", "v6e-4", "tpu7x-8"})}};
    if (trains) {
      request["sizes"] = {"512x512"}, request["job"] = {{"global_batch", std::int64_t{8} << r.random.below(4)}};
      if (makes_clips(of)) request["frames"] = 25;
    } else {
      request["make"] = {{"size", "512x512"}, {"steps", 20}}, request["batch"] = std::int64_t{1} << r.random.below(4);
      if (makes_clips(of)) request["make"]["frames"] = 25;
    }
    json named = request;
    named["mesh"] = json::object();
    for (const char* degree : {"data", "tensor", "context", "fsdp"})
      if (r.random.chance(0.5)) named["mesh"][degree] = std::int64_t{1} << r.random.below(4);
    const char* name = trains ? "train_generation" : "generate";
    const reply fixed = ask(name, named);
    if (fixed.refused() || fixed.answer()["fits"] != "yes") {
      r.skip(fixed.refused() ? "refused" : "does not surely fit");
      continue;
    }
    const reply free = ask(name, request);
    if (!r.holds(!free.refused(), "no layout is found where one is named that fits", fixed,
                 fixed.answer()["mesh"].dump(), free, free.message()))
      continue;
    const char* key = trains ? "step_time_s" : "batch_time_s";
    r.holds(free.answer()[key].get<double>() <= fixed.answer()[key].get<double>() * (1 + 1e-9),
            "the layout that is found is slower than a named one", fixed,
            fixed.answer()["mesh"].dump() + " " + fixed.answer()[key].dump(), free,
            free.answer()["mesh"].dump() + " " + free.answer()[key].dump());
  }
}

// Keys of a file of diffusers that mean nothing change nothing, and the command under an answer runs.
void pictures_beside(relation& r) {
  static const std::vector<std::pair<const char*, json>> keys = {{"_diffusers_version", "0.36.0"},
                                                                 {"_name_or_path", "a/b"},
                                                                 {"my_note", "do not read"},
                                                                 {"_commit_hash", "0123abcd"}};
  static const std::vector<std::string> commands = {
      "generate MODEL --slice v6e-8 --size 512x512 --steps 20",
      "simulate MODEL --slice v6e-8 --size 512x512 --steps 20 --rate 0.01 --requests 500",
      "train MODEL --slice v5p-8 --batch 16 --size 512x512 --examples 20000",
      "fit MODEL --slice v5p-8 --batch 16 --size 512x512",
      "plan MODEL --items-per-hour 20 --size 512x512 --steps 20 --max-slice 8",
      "plan MODEL --batch 16 --size 512x512 --examples 20000 --max-chips 16",
      "model MODEL"};
  while (r.next()) {
    const model& of = r.random.of(pipelines());
    if (r.random.chance(0.5)) {
      json request = {{"config", of.config}, {"slice", "v6e-8"}, {"make", {{"size", "512x512"}, {"steps", 20}}}};
      json more = request;
      json& denoiser = more["config"].contains("transformer") ? more["config"]["transformer"]
                       : more["config"].contains("unet")      ? more["config"]["unet"]
                                                              : more["config"];
      const auto& [key, value] = r.random.of(keys);
      if (denoiser.contains(key)) {
        r.skip("has the key");
        continue;
      }
      denoiser[key] = value;
      const reply one = ask("generate", request), other = ask("generate", more);
      if (!r.same("refused", one, one.refused(), other, other.refused()) || one.refused()) continue;
      for (const char* figure : {"batch_time_s", "batch_time_low_s", "batch_time_high_s", "used_bytes", "mfu"})
        r.same(figure, one, one.answer()[figure], other, other.answer()[figure]);
      continue;
    }
    std::string words = "tpuplan " + r.random.of(commands);
    words.replace(words.find("MODEL"), 5, write_config(of));
    const told text = tell(words);
    const std::string next = next_command(text.output);
    if (text.refused() || next.empty()) {
      r.skip(text.refused() ? "refused" : "no next command without words of the user");
      continue;
    }
    const told after = tell(next);
    r.holds(!after.refused(), "the next command is refused", text, next, after, after.errors);
  }
}

// The slices of a day are the fewest that keep its target in the busiest hour, as simulate says.
void picture_days(relation& r) {
  const std::string file = scratch() + "/day_of_pictures.csv";
  while (r.next()) {
    const model& of = r.random.of(pipelines());
    std::string words = " " + write_config(of) + " --slice v6e-8 --size 512x512 --steps 20";
    if (makes_clips(of)) words += " --frames 25";
    if (r.random.chance(0.4)) words += " --batch 2";
    const told made = tell("tpuplan --json generate" + words);
    if (made.refused() || made.document()["fits"] == "no") {
      r.skip(made.refused() ? "refused" : "does not fit");
      continue;
    }
    const double batch = made.document()["batch_time_s"], items = made.document()["job"]["batch"];
    const double busiest = std::min(2.0, r.random.between(0.5, 6) * items / batch);
    if (busiest * 3600 < 100) {
      r.skip("too few in a day");
      continue;
    }
    std::ofstream(file) << "hour,requests_per_s\n0," << std::to_string(busiest / 4) << "\n1," << std::to_string(busiest)
                        << "\n";
    const std::string target = " --e2e-p95 " + std::to_string(batch * r.random.between(1.2, 4)) + "s";
    const told day = tell("tpuplan --json simulate" + words + target + " --day " + file);
    if (!r.holds(!day.refused(), "a day is refused", day, day.errors)) continue;
    const std::int64_t fixed = day.document()["answer"]["fixed"];
    for (const json& one : day.document()["answer"]["options"]) {
      r.holds(one["good_share"] >= 0 && one["good_share"] <= 1, "share of good requests", day, one["mix"].dump());
      r.holds(one["latency"]["p50_s"].get<double>() >= batch * (1 - 1e-9), "no item is there before its batch", day,
              one["latency"].dump());
    }
    const auto keeps = [&](std::int64_t slices) {
      const told busy = tell("tpuplan --json simulate" + words + target + " --requests 5000 --slices " +
                             std::to_string(slices) + " --rate " + std::to_string(busiest));
      r.holds(!busy.refused(), "the busiest hour is refused", day, "answers", busy, busy.errors);
      return !busy.refused() && busy.document()["report"]["meets_target"].get<bool>();
    };
    r.holds(keeps(fixed), "the slices of a day keep its target", day, std::to_string(fixed));
    if (fixed > 1) r.holds(!keeps(fixed - 1), "one slice less would keep it too", day, std::to_string(fixed - 1));
  }
}

}  // namespace relations
