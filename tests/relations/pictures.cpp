// Images and clips in other words and forms: training that grows, units, keys in another order, tables, prices.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

/// A step of training with all that the layout needs to be asked again.
json with_layout_of(json request, const json& answer) {
  for (const char* degree : {"data", "fsdp", "tensor", "context"}) request["mesh"][degree] = answer["mesh"][degree];
  request["exchange"] = answer["mesh"]["exchange"];
  return request;
}

/// A question about a pipeline by the name that ask has for it; `train_generation` has a run.
std::pair<std::string, json> drawn_pictures(relation& r) {
  static const std::vector<std::string> names = {"generate",         "simulate_generation",   "plan_generation",
                                                 "train_generation", "plan_train_generation", "model_generation"};
  const std::string name = r.random.of(names);
  const bool trains = name.find("train") != std::string::npos;
  const bool placed = name == "generate" || name == "simulate_generation" || name == "train_generation";
  json request = {{"config", r.random.of(pipelines()).config}};
  if (placed) request["slice"] = r.random.of(std::vector<std::string>{"v6e-8", "v5p-8", "tpu7x-8"});
  if (trains) {
    request["sizes"] = {"512x512"}, request["data"] = {{"examples", 20000}, {"epochs", 2}};
    request["job"] = {{"global_batch", std::int64_t{16} << r.random.below(3)}};
    if (r.random.chance(0.4)) request["job"]["lora_rank"] = 16;
  } else if (name != "model_generation") {
    request["make"] = {{"size", "512x512"}, {"steps", 20}};
  }
  if (name == "simulate_generation") request["rate_per_s"] = 0.01, request["requests"] = 500;
  if (name == "plan_generation") request["items_per_hour"] = 40, request["largest_slice"] = 8;
  if (name == "plan_train_generation") request["largest_chips"] = 16, request["generations"] = {"v6e"};
  return {name, request};
}

}  // namespace

// In one layout a larger batch, size and rank take no less time and memory, and train no fewer parameters.
void pictures_trained_more(relation& r) {
  while (r.next()) {
    json request = {{"config", r.random.of(pipelines()).config},
                    {"slice", r.random.of(std::vector<std::string>{"v6e-8", "v5p-8", "v5p-16"})},
                    {"sizes", {"256x256"}},
                    {"job", {{"global_batch", std::int64_t{16} << r.random.below(3)}}}};
    if (r.random.chance(0.6)) request["job"]["lora_rank"] = 8;
    if (r.random.chance(0.3)) request["job"]["recompute"] = false;
    const reply first = ask("train_generation", request);
    if (first.refused()) {
      r.skip("refused");
      continue;
    }
    json larger = with_layout_of(first.question["request"], first.answer());
    const std::size_t which = r.random.below(3);
    const bool ranked = request["job"].contains("lora_rank");
    if (which == 0) larger["job"]["global_batch"] = 2 * request["job"]["global_batch"].get<std::int64_t>();
    if (which == 1) larger["sizes"] = {"512x256"};
    if (which == 2) larger["job"]["lora_rank"] = ranked ? 32 : 0;
    const reply second = ask("train_generation", larger);
    if (!r.holds(!second.refused(), "more of the same is refused", first, "answers", second, second.message()))
      continue;
    const json &a = first.answer(), &b = second.answer();
    for (const char* key : {"step_time_s", "step_time_low_s", "step_time_high_s", "used_bytes", "trained_parameters"})
      r.holds(b[key].get<double>() >= a[key].get<double>() * (1 - 1e-12), std::string("more takes no less: ") + key,
              first, a[key].dump(), second, b[key].dump());
  }
}

// Values in other units, and keys in another order, ask the same.
void pictures_in_other_words(relation& r) {
  static const std::vector<std::vector<std::string>> spelled = {
      {"generate MODEL --slice v6e-8 --size 512x512 --steps 20", "--cache-speedup 1.75", "--cache-speedup 1.750"},
      {"generate MODEL --slice v6e-8 --steps 20", "--size 512x512", "--size 512X512"},
      {"simulate MODEL --slice v6e-8 --size 512x512 --steps 20 --rate 0.01 --batch 2", "--fill 60s", "--fill 1min"},
      {"simulate MODEL --slice v6e-8 --size 512x512 --steps 20", "--rate 0.01", "--rate 1e-2"},
      {"plan MODEL --items-per-hour 20 --size 512x512 --steps 20 --max-slice 8", "--latency 5min", "--latency 300s"},
      {"plan MODEL --items-per-hour 20 --size 512x512 --steps 20 --max-slice 8", "--latency 1h", "--latency 60min"},
      {"train MODEL --slice v5p-8 --batch 16 --size 512x512", "--examples 20k", "--examples 20000"},
      {"train MODEL --slice v5p-8 --batch 16 --size 512x512 --examples 20000", "--mtbp 4.5h", "--mtbp 270min"},
      {"plan MODEL --batch 16 --size 512x512 --examples 20000 --max-chips 16", "--deadline 2d", "--deadline 48h"},
  };
  while (r.next()) {
    if (r.random.chance(0.5)) {
      const std::vector<std::string>& one = r.random.of(spelled);
      std::string line = "tpuplan --json " + one[0] + " ";
      line.replace(line.find("MODEL"), 5, write_config(r.random.of(pipelines())));
      const told first = tell(line + one[1]), second = tell(line + one[2]);
      if (!r.same("status", first, first.status, second, second.status)) continue;
      if (first.refused()) {
        r.skip("refused");
        continue;
      }
      r.compared();
      for (const std::string& each : differences(first.document(), second.document()))
        r.differ("a value in other units", first.asked(), each, second.asked(), {});
      continue;
    }
    const auto [name, request] = drawn_pictures(r);
    const reply one = ask(name, request);
    reply other = ask_text(shuffled(one.question, r.random));
    other.question = one.question;
    if (one.refused()) r.skip("refused");
    r.compared();
    for (const std::string& each : differences(one.document, other.document))
      r.differ("a question with its keys in another order", one.asked(), each, other.asked(), {});
  }
}

// The tables of an answer are one, and a column of csv that is named as a figure of a plan is that figure.
void picture_tables(relation& r) {
  static const std::vector<std::string> commands = {
      "generate MODEL --slice v6e-8 --size 512x512 --steps 20",
      "simulate MODEL --slice v6e-8 --size 512x512 --steps 20 --rate 0.01 --requests 500",
      "train MODEL --slice v5p-8 --batch 16 --size 512x512 --examples 20000",
      "fit MODEL --slice v5p-8 --batch 16 --size 512x512",
      "plan MODEL --items-per-hour 20 --size 512x512 --steps 20 --max-slice 8",
      "plan MODEL --batch 16 --size 512x512 --examples 20000 --max-chips 16",
      "model MODEL"};
  while (r.next()) {
    std::string words = "tpuplan " + r.random.of(commands);
    words.replace(words.find("MODEL"), 5, write_config(r.random.of(pipelines())));
    same_tables(r, words);
    const told csv = tell(words + " --csv"), answered = tell(words + " --json");
    if (csv.status != 0 || csv.output.rfind("rank,", 0) != 0) continue;
    const json plans = answered.document()["plans"];
    std::istringstream lines(csv.output);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> titles = csv_fields(line);
    for (std::size_t row = 0; std::getline(lines, line) && row < plans.size(); ++row) {
      const std::vector<std::string> fields = csv_fields(line);
      for (std::size_t i = 0; i < fields.size() && i < titles.size(); ++i) {
        const auto figure = plans[row].find(titles[i]);
        if (figure == plans[row].end() || !figure->is_number() || fields[i].empty()) continue;
        r.same("a column " + titles[i], csv, std::atof(fields[i].c_str()), answered, *figure, 1e-9);
      }
    }
  }
}

// Twice the prices are twice the dollars, of an item, an hour and a run.
void pictures_at_twice_the_price(relation& r) {
  while (r.next()) {
    const auto [name, asked] = drawn_pictures(r);
    json request = asked, dear = asked;
    if (name == "model_generation") continue;
    request["prices"] = price_file(), dear["prices"] = times_two(price_file());
    reply one = ask(name, request), other = ask(name, dear);
    one.question["request"]["prices"] = "data/prices.json";
    other.question["request"]["prices"] = "data/prices.json, all prices twice";
    if (!r.same("refused", one, one.refused(), other, other.refused())) continue;
    if (one.refused()) {
      r.skip("refused");
      continue;
    }
    const bool plans = name.rfind("plan_", 0) == 0;
    const json made = plans                           ? one.answer()["plans"]
                      : name == "simulate_generation" ? json::array({one.answer()})
                                                      : one.answer()["costs"];
    const json twice = plans                           ? other.answer()["plans"]
                       : name == "simulate_generation" ? json::array({other.answer()})
                                                       : other.answer()["costs"];
    if (!r.same("rows", one, made.size(), other, twice.size())) continue;
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (const char* key : {"usd_per_hour", "usd_per_item", "usd_per_item_low", "usd_per_item_high", "total_usd",
                              "cost_usd", "cost_low_usd", "cost_high_usd"})
        if (made[i].contains(key) && made[i][key].is_number())
          r.same(std::string("dollars: ") + key, one, 2 * made[i][key].get<double>(), other, twice[i][key], 1e-9);
    }
  }
}

}  // namespace relations
