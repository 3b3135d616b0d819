// The same run by two commands: a network, a trial of a sweep, a run on spot, a plan as csv.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

namespace {

const std::vector<std::string>& networks() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TPUPLAN_SOURCE_DIR) + "/data/networks"))
      list.push_back("data/networks/" + entry.path().filename().string());
    std::sort(list.begin(), list.end());
    return list;
  }();
  return all;
}

/// A passage through a data set, its input, and how it is paid for, each option now and then.
std::string network_run(random_numbers& random) {
  static const std::vector<std::string> lengths = {" --examples 1281167 --epochs 90", " --examples 50000 --epochs 3.5",
                                                   " --examples 1M --keep-remainder", " --steps 20k",
                                                   " --steps-per-epoch 312 --epochs 5"};
  static const std::vector<std::string> inputs = {" --decode-time 8ms", " --decode-time 200us", " --example-bytes 1M",
                                                  " --cached 40%", " --cached 1"};
  static const std::vector<std::string> paid = {" --mtbp 2h", " --region us-east5", " --optimizer lars",
                                                " --weights bf16", " --dtype fp32"};
  std::string words = random.of(lengths);
  if (random.chance(0.5)) words += random.of(inputs);
  if (random.chance(0.4)) words += random.of(paid);
  return words;
}

const json* cost_of(const json& costs, const json& plan) {
  for (const json& one : costs) {
    if (one["kind"] == plan["kind"] && one["price"] == plan["price"]) return &one;
  }
  return nullptr;
}

void same_network(relation& r, const told& planned, const json& row, const told& trained) {
  const json answer = trained.document();
  for (const char* end : {"low_s", "high_s"})
    r.same("an end of a network's step", planned, row["step"][end], trained, answer["breakdown"][end]);
  r.same("step of a network", planned, row["step"]["total_s"], trained, answer["step_time_s"]);
  r.same("memory of a network", planned, row["memory"]["total_bytes"], trained, answer["memory"]["used_bytes"]);
  r.same("input of a network", planned, row["input"], trained, answer["input"]);
  r.same("steps of a network", planned, row["steps"], trained, answer["epochs"]["steps"]);
  r.same("run of a network", planned, row["run_s"], trained, answer["run_s"]);
  const json* const cost = cost_of(answer["costs"], row);
  if (!r.holds(cost != nullptr, "train has no such way of paying", planned, row["kind"].dump(), trained, "none"))
    return;
  r.same("dollars of a network", planned, row["cost_usd"], trained, (*cost)["total_usd"]);
  r.same("start to end of a network", planned, row["wall_s"], trained, (*cost)["wall_s"]);
}

}  // namespace

void network_rows(relation& r) {
  while (r.next()) {
    const std::string network = " " + r.random.of(networks()) + network_run(r.random);
    const std::string batch = std::to_string(64 << r.random.below(8));
    const std::string kinds = r.random.chance(0.3) ? " --provisioning on_demand,spot,commitment_1y" : "";
    const told planned = tell("tpuplan --json plan" + network + " --batch " + batch + kinds);
    if (planned.status != 0) {
      r.skip(planned.refused() ? "plan refuses: " + planned.errors.substr(0, 60) : "no plan");
      continue;
    }
    const json plans = planned.document()["plans"];
    for (std::size_t i = 0; i < plans.size() && i < (r.sweep ? 8U : 2U); ++i) {
      const json& mesh = plans[i]["mesh"];
      const told trained = tell("tpuplan --json train" + network + " --batch " + batch + " --slice " +
                                plans[i]["slice"].get<std::string>() + " --data " + mesh["data"].dump() + " --fsdp " +
                                mesh["fsdp"].dump());
      if (r.holds(trained.status == 0, "train refuses a row of plan of a network", planned, plans[i]["slice"].dump(),
                  trained, trained.errors))
        same_network(r, planned, plans[i], trained);
    }
  }
}

// A sweep of one trial is what train answers of it, with its start.
void one_trial(relation& r) {
  static const std::vector<std::string> slices = {"v6e-8", "v5litepod-16", "v6e-16", "v5p-16"};
  while (r.next()) {
    const std::string network = " " + r.random.of(networks()), slice = " --slice " + r.random.of(slices);
    std::string options = network + slice + " --batch " + std::to_string(256 << r.random.below(4)) + " --examples 2M";
    if (r.random.chance(0.5)) options += " --start-up 3min";
    if (r.random.chance(0.5)) options += " --compilation 50s";
    const told swept = tell("tpuplan --json sweep" + options + " --trials 1 --parallel 1 --provisioning on_demand");
    const json plans = swept.status == 0 ? swept.document()["plans"] : json::array();
    if (!plans.empty())
      options += " --data " + plans[0]["mesh"]["data"].dump() + " --fsdp " + plans[0]["mesh"]["fsdp"].dump();
    const told trained = tell("tpuplan --json train" + options + " --timeline");
    if (swept.status != 0 || trained.status != 0) {
      r.holds(swept.refused() == trained.refused(), "a trial is refused where its run is not", swept, swept.errors,
              trained, trained.errors);
      r.skip("refused, or does not fit");
      continue;
    }
    const json answer = trained.document();
    if (plans.empty()) {
      r.skip("no plan");
      continue;
    }
    r.same("start to end of a trial", swept, plans[0]["wall_s"], trained, answer["timeline"]["wall_s"], 1e-9);
    r.same("dollars of a trial", swept, plans[0]["total_usd"], trained, answer["timeline"]["total_usd"], 1e-9);
  }
}

// The spot row of pay is what spot answers of the same times.
void spot_rows(relation& r) {
  while (r.next()) {
    const std::int64_t slices = 1 + static_cast<std::int64_t>(r.random.below(4));
    json times = {{"checkpoint_time_s", r.random.between(0.1, 600)},
                  {"restart_time_s", r.random.between(1, 3600)},
                  {"queue_time_s", r.random.chance(0.5) ? 0 : r.random.between(1, 7200)}};
    json question = times;
    question.update({{"slice", r.random.of(slice_names())},
                     {"slices", slices},
                     {"run_s", r.random.between(3600, 5e6)},
                     {"mean_time_between_preemptions_s", r.random.between(1800, 2e5)},
                     {"correlation", r.random.chance(0.5) ? 0 : r.random.share()}});
    const reply paid = ask("pay", question);
    const auto is_spot = [](const json& way) { return way["kind"] == "spot"; };
    const json ways = paid.refused() ? json::array() : paid.answer()["ways"];
    const auto way = std::find_if(ways.begin(), ways.end(), is_spot);
    if (way == ways.end()) {
      r.skip(paid.refused() ? "pay refuses" : "not sold on spot, or never ends");
      continue;
    }
    times["work_s"] = question["run_s"];
    times["mean_time_between_preemptions_s"] = paid.answer()["job_mtbp_s"];
    const reply spot = ask("spot", times);
    if (!r.holds(!spot.refused(), "spot refuses what pay answers", paid, "answers", spot, spot.message())) continue;
    // pay counts the wait for the first capacity too.
    r.same("start to end on spot", paid, (*way)["wall_s"], spot,
           spot.answer()["wall_s"].get<double>() + times["queue_time_s"].get<double>());
    r.same("billed on spot", paid, (*way)["billed_s"], spot, spot.answer()["billed_s"]);
    r.same("checkpoints on spot", paid, (*way)["checkpoint_interval_s"], spot, spot.answer()["interval_s"]);
    r.same("preemptions", paid, (*way)["preemptions"], spot, spot.answer()["preemptions"]);
  }
}

namespace {

/// The row of json that a line is about: "3", or "4 x tpu7x-16 or 2 x tpu7x-32"; null where there is none.
const json* row_of(const json& plans, const std::string& first) {
  for (const json& one : plans) {
    const std::string fleet = one["slices"].dump() + " x " + one["slice"].get<std::string>();
    if (first == one["rank"].dump() || first == fleet || first.rfind(fleet + " or ", 0) == 0) return &one;
  }
  return nullptr;
}

}  // namespace

// A column of --csv that is named as a figure of --json is that figure.
void csv_columns(relation& r) {
  static const std::vector<std::string> names = {"plan", "plan_serving"};
  while (r.next()) {
    const drawn_question drawn = draw(r.random.of(names), r.random);
    const told csv = tell(drawn.command + " --csv"), answered = tell(drawn.command + " --json");
    if (csv.status != 0) {
      r.skip(csv.refused() ? "refused" : "no plan");
      continue;
    }
    const json plans = answered.document()["plans"];
    std::istringstream lines(csv.output);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> titles = csv_fields(line);
    while (std::getline(lines, line)) {
      const std::vector<std::string> fields = csv_fields(line);
      const json* const row = row_of(plans, fields[0]);
      if (!r.holds(row != nullptr, "csv has a row that json has not", csv, line)) continue;
      for (std::size_t i = 0; i < fields.size() && i < titles.size(); ++i) {
        const auto figure = row->find(titles[i]);
        if (figure == row->end() || !figure->is_number() || fields[i].empty()) continue;
        r.same("a column " + titles[i], csv, std::atof(fields[i].c_str()), answered, *figure, 1e-9);
      }
    }
  }
}

}  // namespace relations
