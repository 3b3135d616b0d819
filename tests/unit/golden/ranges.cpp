// What questions answer where one field is another: for the fields of every question the least and the most that is
// valid, what lies just beyond, each name of a choice, and values of other kinds; a line for each question, as in
// files.cpp. ranges.json has further questions to start from, varied.json some hundred to answer as they are.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/digests.hpp"
#include "support/questions.hpp"
#include "support/rounded.hpp"

using namespace tpuplan;

namespace golden_ranges_tests {

namespace {

using nlohmann::json;

/// Numbers at the limits of a field of the schema, and just beyond.
std::vector<json> numbers_of(const json& field) {
  const double least = field.value("minimum", 0.0), most = field.value("maximum", 0.0);
  const bool whole = field["kind"] == "count";
  const double less = whole ? least - 1 : least - 1e-3 * std::fabs(least) - 1e-12,
               more = whole ? most + 1 : most * 1.001;
  std::vector<json> all;
  for (const double x : {less, least, std::fmin(least + 1, most), most, more})
    all.push_back(whole && std::fabs(x) < 9.1e15 ? json(static_cast<std::int64_t>(x)) : json(x));
  return all;
}

/// Values for a field: those at its limits and beyond, or the names that it may have.
std::vector<json> values_of(const json& field) {
  const std::string kind = field["kind"];
  if (kind == "choice") {
    std::vector<json> names{"other"};
    for (const json& one : field.value("enum", json::array())) names.push_back(one);
    return names;
  }
  if (kind == "flag") return {field["value"], "other"};
  if (kind == "lengths")
    return {{{"mean", 100}, {"mean_square", 20000}, {"longest", 400}}, {{"mean", 0}}, {{"mean", 1e9}}, 100};
  if (kind == "distribution")
    return {{{"quantiles", {{{"share", 0}, {"tokens", 16}}, {{"share", 1}, {"tokens", 512}}}}}, {{"quantiles", 1}}};
  if (kind == "words") return {"us", "v6e", "us-east5-b", "2026-12-01", "v6e-16", "16"};
  if (kind == "file") return {json::array(), json::object()};
  if (kind != "target") return numbers_of(field);
  std::vector<json> all;
  for (const json& limit : numbers_of(field)) all.push_back({{"share", field.value("share", 0.0)}, {"limit_s", limit}});
  all.push_back({{"share", 1.5}, {"limit_s", 1}});
  return all;
}

/// The place of a path in a request.
json& place_of(json& request, std::string_view path) {
  json* at = &request;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    at = &(*at)[std::string(path.substr(0, dot))];
    path.remove_prefix(dot + 1);
  }
  return (*at)[std::string(path)];
}

/// What would take seconds: many requests, runs or slices to play, and percentiles of a plan.
bool is_long(const json& base, const json& field, std::size_t place) {
  const std::string name = base.at("question"), path = field["path"];
  if (name == "plan_serving") return field["kind"] == "target" && place > 0;
  if (path == "traffic.scaling.floor") return place > 2;
  const bool plays = name == "risk" || name.rfind("simulate", 0) == 0;
  return plays && field["kind"] == "count" && (place > 2 || path == "job.prefill_chunk");
}

}  // namespace

TEST_CASE("answers at the limits of every field, as they were", "[golden]") {
  digests all;
  const json requests = ask_schema()["requests"];
  std::size_t turn = 0;
  // Every limit of every field, or of each field one in turn.
  const auto each_field = [&](const std::string& group, const json& base, bool every) {
    for (const json& field : requests[base.at("question").get<std::string>()]["fields"]) {
      const std::string path = field["path"];
      const std::vector<json> values = values_of(field);
      const std::size_t now = turn++ % values.size();
      for (std::size_t i = every ? 0 : now; i < (every ? values.size() : now + 1); ++i) {
        if (is_long(base, field, i)) continue;
        json changed = base;
        try {
          place_of(changed["request"], path) = field.value("list", false) ? json::array({values[i]}) : values[i];
        } catch (const json::exception&) {  // below a value that is none of an object
          continue;
        }
        all.add(group, path + '=' + values[i].dump(), [&] { return rounded(ask(changed)).dump(); });
      }
    }
  };
  const std::set<std::string> apart = {"plan", "plan_serving", "risk", "simulate", "simulate_generation", "heat"};
  std::set<std::string> seen;
  std::size_t others = 0;
  for (json question : load_json(TPUPLAN_TESTS_DIR "/ask/questions.json")) {
    const std::string name = question["question"].get<std::string>();
    if (apart.count(name) == 1) continue;
    question["form"] = "full";
    question["view"] = "text";
    question.erase("pictures");
    if (name == "launch" || name == "model_network") question.erase("view");
    const json whole = whole_question(question);
    if (ask(whole).contains("error")) continue;
    const bool is_slow =
        name == "sweep" || name == "train_network" || name.rfind("plan_", 0) == 0 || name.rfind("day", 0) == 0;
    const bool first = seen.insert(name).second;
    if (first || ++others % 6 == 0) each_field(name, whole, first && !is_slow);
  }
  std::size_t number = 0;
  for (const json& question : load_json(TPUPLAN_TESTS_DIR "/unit/golden/ranges.json")) {
    const json whole = whole_question(question);
    const std::string group = "own " + std::to_string(++number) + ' ' + question["question"].get<std::string>();
    all.add(group, "as it is", [&] { return rounded(ask(whole)).dump(); });
    CHECK_FALSE(ask(whole).contains("error"));
    each_field(group, whole, false);
  }
  CHECK(all.problem("ranges.txt") == "");
}

// Random questions of every kind, as a program drew them once from ranges that people ask in.
TEST_CASE("answers to questions of many kinds, as they were", "[golden]") {
  digests all;
  std::size_t number = 0;
  for (const json& question : load_json(TPUPLAN_TESTS_DIR "/unit/golden/varied.json"))
    all.add(question.at("question").get<std::string>(), std::to_string(++number),
            [&] { return rounded(ask(whole_question(question))).dump(); });
  CHECK(number >= 300);
  CHECK(all.problem("varied.txt") == "");
}

}  // namespace golden_ranges_tests
