// Images and clips: laws of one answer, the doors, and rows of a plan.
#include <cctype>
#include <fstream>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

const std::vector<model>& pipelines() {
  static const std::vector<model> all = [] {
    std::vector<model> list;
    std::ifstream file(TPUPLAN_SOURCE_DIR "/data/measured/generation.json");
    const json document = json::parse(file);
    for (const auto& [name, config] : document.at("pipelines").items()) list.push_back({name, {}, config});
    std::ifstream counted(TPUPLAN_SOURCE_DIR "/data/checkpoints.json");
    const json checkpoints = json::parse(counted);  // which a loop over a part of it would not keep
    for (const json& one : checkpoints.at("diffusers")) {
      const std::string type = one.at("config").at("_class_name");
      if (type.find("Autoencoder") != std::string::npos) continue;
      std::string name = one.at("name");
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
      list.push_back({name, {}, one.at("config")});
    }
    return list;
  }();
  return all;
}

bool makes_clips(const model& of) { return of.config.dump().find("3DModel") != std::string::npos; }

namespace {

/// A question as a request and as words of the command line.
struct generation_question {
  json request{};
  std::string words{};
};

generation_question generation_of(relation& r, bool slice = true) {
  static const std::vector<std::string> slices = {"v6e-1", "v6e-4", "v6e-8", "v5p-8", "v4-8", "tpu7x-2", "tpu7x-8"};
  const model& of = r.random.of(pipelines());
  const bool clips = makes_clips(of);
  generation_question q;
  q.request = {{"config", of.config}, {"make", json::object()}};
  q.words = " " + write_config(of);
  const auto number = [&](const char* path, const char* option, const json& value) {
    q.request[json::json_pointer(path)] = value;
    q.words += std::string(" ") + option + " " + value.dump();
  };
  const std::int64_t unit = r.random.chance(0.7) ? 64 : 16;  // what all of them take, and some
  const auto side = [&](std::int64_t most) {
    return unit * r.random.count_between(static_cast<double>(256 / unit), static_cast<double>(most / unit));
  };
  const std::int64_t width = side(1440), height = side(960);
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  q.request["make"]["size"] = size, q.words += " --size " + size;
  if (clips)
    number("/make/frames", "--frames",
           1 + (r.random.chance(0.7) ? 24 * r.random.count_between(1, 4) : 4 * r.random.count_between(1, 25)));
  number("/make/steps", "--steps", r.random.count_between(1, 60));
  if (r.random.chance(0.4)) number("/make/guidance", "--guidance", r.random.chance(0.5) ? 1 : 5);
  if (r.random.chance(0.3)) number("/make/cache_speedup", "--cache-speedup", 1.75);
  if (slice) {
    const std::string where = r.random.of(slices);
    q.request["slice"] = where, q.words += " --slice " + where;
    if (r.random.chance(0.5)) number("/batch", "--batch", std::int64_t{1} << r.random.below(4));
  }
  return q;
}

double sum_of_keys(const json& of, std::initializer_list<const char*> keys) {
  double all = 0;
  for (const char* key : keys) all += of.at(key).get<double>();
  return all;
}
bool near_to(double a, double b) { return a <= b * (1 + 1e-9) && b <= a * (1 + 1e-9); }

}  // namespace

// Bands in order and above the floor, parts that add up, an item is a share of its batch, and both doors agree.
void generations(relation& r) {
  while (r.next()) {
    const generation_question q = generation_of(r);
    const reply asked = ask("generate", q.request);
    const told printed = tell("tpuplan --json generate" + q.words);
    if (!r.holds(asked.refused() == printed.refused(), "one door refuses what the other answers", asked,
                 asked.message(), printed, printed.errors))
      continue;
    if (asked.refused()) {
      r.skip("refused by both");
      continue;
    }
    const json& a = asked.answer();
    for (const std::string& one : differences(a, printed.document())) {
      if (one.find("/model") == std::string::npos)
        r.differ("a document of ask and of --json", asked.asked(), one, printed.asked(), {});
    }
    const double batch = a["batch_time_s"], low = a["batch_time_low_s"], high = a["batch_time_high_s"];
    r.holds(a["floor_s"] <= low && low <= batch && batch <= high, "floor, low, time, high in order", asked, a.dump());
    r.holds(near_to(sum_of_keys(a, {"text_s", "steps_s", "decode_s"}), batch), "text, steps and decode add up", asked,
            "no");
    const json& step = a["step"];
    r.holds(near_to(sum_of_keys(step, {"products_s", "attention_s", "elementwise_s", "collectives_s", "overhead_s",
                                       "software_s"}),
                    step["total_s"]),
            "parts of a step add up", asked, step.dump());
    r.holds(near_to(a["item_time_s"].get<double>() * a["job"]["batch"].get<double>(), batch), "items of a batch", asked,
            "no");
    r.holds(a["mfu"] > 0 && a["mfu"] <= 1, "MFU", asked, a["mfu"].dump());
    const json& m = a["memory"];
    r.holds(near_to(sum_of_keys(m, {"denoiser_bytes", "text_bytes", "autoencoder_bytes", "activations_bytes",
                                    "workspace_bytes"}),
                    m["total_bytes"]),
            "memory adds up", asked, m.dump());
    r.holds(m["low_bytes"] <= m["total_bytes"] && m["total_bytes"] <= m["high_bytes"], "band of memory", asked,
            m.dump());
  }
}

// The parameters of a pipeline by part and the FLOPs of a pass are one document by ask and the command line; parts add
// up.
void pipeline_counts(relation& r) {
  for (std::size_t i = r.random.below(pipelines().size()); r.next(); ++i) {
    const model& of = pipelines()[i % pipelines().size()];
    const reply asked = ask("model_generation", {{"config", of.config}});
    const told printed = tell("tpuplan --json model " + write_config(of));
    if (!r.holds(!asked.refused() && !printed.refused(), "a pipeline is refused", asked, asked.message(), printed,
                 printed.errors))
      continue;
    for (const std::string& one : differences(asked.answer(), printed.document()))
      r.differ("a document of ask and of --json", asked.asked(), one, printed.asked(), {});
    double sum = 0;
    for (const json& part : asked.answer()["components"]) sum += part["parameters"].get<double>();
    if (sum > 0) r.same("parts add up", asked, sum, asked, asked.answer()["parameters"]);
  }
}

// More pixels, frames, steps and items in one layout take no less time and memory.
void generations_monotone(relation& r) {
  while (r.next()) {
    const generation_question q = generation_of(r);
    const reply first = ask("generate", q.request);
    if (first.refused()) {
      r.skip("refused");
      continue;
    }
    json larger = first.question["request"];
    const json& mesh = first.answer()["mesh"];
    for (const char* degree : {"data", "fsdp", "tensor", "context"}) larger["mesh"][degree] = mesh[degree];
    larger["exchange"] = mesh["exchange"];
    const auto size = first.answer()["size"];
    const std::size_t which = r.random.below(4);
    if (which == 0)
      larger["make"]["size"] = std::to_string(size["width"].get<std::int64_t>() + 192) + "x" +
                               std::to_string(size["height"].get<std::int64_t>());
    if (which == 1) larger["make"]["steps"] = first.answer()["job"]["steps"].get<std::int64_t>() + 7;
    if (which == 2) larger["batch"] = 2 * first.answer()["job"]["batch"].get<std::int64_t>();
    if (which == 3) {
      if (size["frames"] == 1) continue;
      larger["make"]["frames"] = size["frames"].get<std::int64_t>() + 24;
    }
    const reply second = ask("generate", larger);
    if (!r.holds(!second.refused(), "more of the same is refused", first, "answers", second, second.message()))
      continue;
    const json &a = first.answer(), &b = second.answer();
    for (const char* key : {"batch_time_s", "steps_s", "decode_s", "used_bytes", "work_flops"})
      r.holds(b[key].get<double>() >= a[key].get<double>() * (1 - 1e-12), std::string("more takes no less: ") + key,
              first, a[key].dump(), second, b[key].dump());
  }
}

// Under seldom requests an item takes what generate says; Little's law holds; clients keep what is made busy; ask and
// the command line have one document; a plan's mean latency is about the simulated one.
void generation_traffic(relation& r) {
  while (r.next()) {
    generation_question q = generation_of(r);
    const reply made = ask("generate", q.request);
    if (made.refused()) {
      r.skip("refused");
      continue;
    }
    const double batch = made.answer()["batch_time_s"], items = made.answer()["job"]["batch"];
    json seldom = q.request;
    seldom["rate_per_s"] = std::max(1e-6, 1e-5 / batch), seldom["requests"] = 200, seldom["variation"] = 0;
    const reply alone = ask("simulate_generation", seldom);
    if (!r.holds(!alone.refused(), "simulate_generation refuses what generate answers", made, "answers", alone,
                 alone.message()))
      continue;
    const json& times = alone.answer()["report"]["latency"]["value"];
    r.same("latency of seldom requests", made, batch, alone, times["p50_s"], 1e-6);
    r.same("their p99", made, batch, alone, times["p99_s"], 1e-6);
    json busy = q.request;
    const std::int64_t slices = r.random.count_between(1, 3);
    busy["slices"] = slices, q.words += " --slices " + std::to_string(slices);
    const bool clients = r.random.chance(0.4);
    if (clients) {
      const std::int64_t flying = r.random.count_between(1, 40);
      busy["concurrency"] = flying, q.words += " --concurrency " + std::to_string(flying);
    } else {
      const double rate = r.random.between(0.1, 0.9) * items * static_cast<double>(slices) / batch;
      busy["rate_per_s"] = rate, q.words += " --rate " + json(rate).dump();
      if (items > 1 && r.random.chance(0.5))
        busy["fill_s"] = 2 * batch, q.words += " --fill " + json(2 * batch).dump() + "s";
    }
    const reply asked = ask("simulate_generation", busy);
    const told printed = tell("tpuplan --json simulate" + q.words);
    if (!r.holds(!asked.refused() && !printed.refused(), "traffic is refused", asked, asked.message(), printed,
                 printed.errors))
      continue;
    for (const std::string& one : differences(asked.answer(), printed.document())) {
      if (one.find("/model") == std::string::npos)
        r.differ("a document of ask and of --json", asked.asked(), one, printed.asked(), {});
    }
    const json& report = asked.answer()["report"];
    const double mean = report["latency"]["value"]["mean_s"];
    // Requests at the ends of the time that counts are in one count and not in the other.
    r.same("Little's law", asked, report["inside"], asked, report["arrivals_per_s"].get<double>() * mean, 0.05);
    r.holds(mean >= batch * (1 - 1e-9), "no item is there before its batch is made", asked, report.dump());
    r.holds(report["busy"].get<double>() <= 1 + 1e-9, "slices are taken all the time at most", asked, report.dump());
    r.holds(report["made_per_s"].get<double>() <= asked.answer()["capacity_per_s"].get<double>() * (1 + 1e-9),
            "no more is made than slices can", asked, report.dump());
    const json& document = asked.answer();
    for (const char* key : {"mean_s", "p50_s", "p99_s"})
      r.holds(document["latency_low"][key] <= report["latency"]["value"][key] &&
                  report["latency"]["value"][key] <= document["latency_high"][key],
              "band of the latency", asked, document.dump());
  }
}

// A row of plan_generation is what generate answers of its slice, batch and layout; the command line plans the same.
void generation_plan_rows(relation& r) {
  while (r.next()) {
    generation_question q = generation_of(r, false);
    const std::int64_t items = r.random.count_between(1, 2000);
    const std::string chip = r.random.chance(0.5) ? "v6e" : "v5p";
    q.request["items_per_hour"] = items, q.request["generations"] = {chip}, q.request["largest_slice"] = 8;
    q.words += " --items-per-hour " + std::to_string(items) + " --generation " + chip + " --max-slice 8";
    if (r.random.chance(0.5)) {
      const std::int64_t latency = r.random.count_between(5, 600);
      q.request["latency_s"] = latency, q.words += " --latency " + std::to_string(latency) + "s";
    }
    const reply planned = ask("plan_generation", q.request);
    const told printed = tell("tpuplan --json plan" + q.words);
    if (!r.holds(planned.refused() == printed.refused(), "one door refuses what the other answers", planned,
                 planned.message(), printed, printed.errors))
      continue;
    if (planned.refused()) {
      r.skip("refused by both");
      continue;
    }
    for (const std::string& one : differences(planned.answer(), printed.document())) {
      if (one.find("/model") == std::string::npos)
        r.differ("a document of ask and of --json", planned.asked(), one, printed.asked(), {});
    }
    if (planned.answer()["plans"].empty()) r.skip("no plan");
    std::size_t asked_rows = 0;
    for (const json& row : planned.answer()["plans"]) {
      if (++asked_rows > (r.sweep ? 8U : 2U)) break;
      json question = {{"config", q.request["config"]},
                       {"make", q.request["make"]},
                       {"slice", row["slice"]},
                       {"slices", row["slices"]},
                       {"batch", row["batch"]},
                       {"kind", row["kind"]},
                       {"exchange", row["mesh"]["exchange"]}};
      for (const char* degree : {"data", "fsdp", "tensor", "context"}) question["mesh"][degree] = row["mesh"][degree];
      const reply made = ask("generate", question);
      if (!r.holds(!made.refused(), "generate refuses a row of plan_generation", planned, row.dump(), made,
                   made.message()))
        continue;
      const json& a = made.answer();
      for (const char* key : {"batch_time_s", "batch_time_low_s", "batch_time_high_s", "item_time_s", "items_per_hour",
                              "fits", "used_bytes", "usable_bytes"})
        r.same(key, planned, row[key], made, a[key]);
      for (const json& cost : a["costs"]) {
        if (cost["kind"] == row["kind"])
          r.same("dollars an hour", planned, row["usd_per_hour"], made, cost["usd_per_hour"]);
      }
      r.holds(row["busy"] > 0 && row["busy"] < 1, "slices keep up", planned, row["busy"].dump());
      if (q.request.contains("latency_s"))
        r.holds(row["latency_s"].get<double>() <= q.request["latency_s"].get<double>() * (1 + 1e-9), "latency is kept",
                planned, row["latency_s"].dump());
      // 12 %: of 20,000 requests at loads of 0.85 the mean is off by up to 9 % by chance.
      question["rate_per_s"] = q.request["items_per_hour"].get<double>() / 3600, question["requests"] = 20000;
      if (row["batch"] > 1) question["fill_s"] = 1e6;
      if (row["busy"] > 0.85) continue;
      const reply simulated = ask("simulate_generation", question);
      if (r.holds(!simulated.refused(), "simulate_generation refuses a row of plan_generation", planned, row.dump(),
                  simulated, simulated.message()))
        r.same("mean latency as simulated", planned, row["latency_s"], simulated,
               simulated.answer()["report"]["latency"]["value"]["mean_s"], 0.12);
    }
  }
}

namespace {

/// A run of training a pipeline, as words of the command line without its slice.
std::string drawn_training(relation& r) {
  static const std::vector<std::string> jobs = {
      "", " --lora 16", " --keep-activations", " --optimizer lion", " --weights bf16", " --encode"};
  static const std::vector<std::string> runs = {" --examples 20000 --epochs 2", " --steps 3000",
                                                " --steps-per-epoch 400 --epochs 3"};
  const model& of = r.random.of(pipelines());
  const bool clips = makes_clips(of);
  std::string words = " " + write_config(of) + r.random.of(jobs) + r.random.of(runs);
  words += r.random.chance(0.5) ? " --size 512x512" : " --size 256x256,512x512";
  if (clips) words += " --frames 25";
  return words + " --batch " + std::to_string(std::int64_t{8} << r.random.below(4));
}

/// Whether launch starts what a document says, or refuses it in the words of the document.
void launches(relation& r, const told& planned, const std::string& file, std::size_t rank, const std::string& why,
              const std::string& options) {
  const told launched = tell("tpuplan launch " + file + " --rank " + std::to_string(rank) +
                             " --target gke --maxdiffusion --secret hf --image a/b:c" + options);
  r.holds(launched.refused() == !why.empty(), "launch starts what MaxDiffusion does, and nothing else", planned,
          std::to_string(rank) + " " + why, launched, launched.errors);
  if (!why.empty() && why.find("several sizes") == std::string::npos)
    r.holds(launched.errors.find(why) != std::string::npos, "launch refuses in the words of the plan", planned, why,
            launched, launched.errors);
}

}  // namespace

// Of what is made and trained, launch starts what the answer says that MaxDiffusion does.
void launchable_pictures(relation& r) {
  const std::string file = scratch() + "/pictures.json";
  while (r.next()) {
    const bool trains = r.random.chance(0.4), plans = r.random.chance(0.6);
    std::string line = "tpuplan --json ", options = " --checkpoint gs://bucket/f --set prompt=x";
    if (trains) {
      line += (plans ? "plan" : "train") + drawn_training(r) + (plans ? " --max-chips 16" : " --slice v5p-8");
      options = " --checkpoint gs://bucket/f --set train_data_dir=gs://bucket/d --set learning_rate=1e-5";
    } else {
      line += (plans ? "plan" : "generate") + generation_of(r, !plans).words;
      if (line.find("--cache-speedup") != std::string::npos) options += " --set use_cfg_cache=True";
      if (plans) line += " --items-per-hour 20 --max-slice 8 --generation v5e,v5p,v6e";
    }
    const told planned = tell(line + " >" + file);
    if (planned.status > 1) {
      r.skip("refused");
      continue;
    }
    const json document = json::parse(file_text(file));
    if (!document.contains("plans")) {
      launches(r, planned, file, 1, document["maxdiffusion_refuses"], options);
      continue;
    }
    for (const json& row : document["plans"]) {
      const std::size_t rank = row["rank"];
      if (rank > (r.sweep ? 20U : 3U)) break;
      launches(r, planned, file, rank, row["maxdiffusion_refuses"], options);
    }
  }
}

// A row of a plan of training images is what train, fit and risk answer of it, and a sweep of one trial.
void picture_rows_trained(relation& r) {
  while (r.next()) {
    const std::string run = drawn_training(r);
    const std::string chip = r.random.chance(0.5) ? "v6e" : "v5p";
    const told planned = tell("tpuplan --json plan" + run + " --max-chips 16 --generation " + chip);
    if (planned.status != 0) {
      r.skip(planned.refused() ? "plan refuses" : "no plan");
      continue;
    }
    const json plans = planned.document()["plans"];
    for (std::size_t i = 0; i < plans.size() && i < (r.sweep ? 8U : 2U); ++i) {
      const json& row = plans[i];
      const std::string words = run + " --slice " + row["slice"].get<std::string>();
      const told trained = tell("tpuplan --json train" + words);
      if (!r.holds(trained.status == 0, "train refuses a row of a plan", planned, row["slice"].dump(), trained,
                   trained.errors))
        continue;
      const json a = trained.document();
      for (const char* key : {"step_time_s", "step_time_low_s", "step_time_high_s", "used_bytes", "run_s", "mesh",
                              "checkpoints", "maxdiffusion_refuses"})
        r.same(key, planned, row[key], trained, a[key]);
      for (const json& cost : a["costs"]) {
        if (cost["kind"] == row["kind"]) r.same("dollars", planned, row["cost_usd"], trained, cost["total_usd"]);
        if (cost["kind"] == row["kind"]) r.same("start to end", planned, row["wall_s"], trained, cost["wall_s"]);
      }
      const told risk = tell("tpuplan --json risk" + words + " --deadline 1000d --runs 100 --provisioning on_demand");
      if (r.holds(risk.status == 0, "risk refuses a row of a plan", planned, "row", risk, risk.errors))
        r.same("run of risk", planned, row["run_s"], risk, risk.document()["run_s"]);
      if (words.find("--weights") != std::string::npos) continue;  // a sweep has no option for their format
      const told swept = tell("tpuplan --json sweep" + words + " --trials 1 --parallel 1 --provisioning on_demand");
      if (r.holds(swept.status == 0, "sweep refuses a row of a plan", planned, "row", swept, swept.errors) &&
          row["kind"] == "on_demand")
        r.same("a trial", planned, row["cost_usd"], swept, swept.document()["plans"][0]["total_usd"]);
    }
  }
}

}  // namespace relations
