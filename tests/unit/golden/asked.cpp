// The short answers to the questions of tests/ask/questions.json, but chips and slices, which data/ holds,
// figure by figure: of a list its length, its first and its last. Whether they are true is asked elsewhere; here none
// changes unnoticed.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/json/file.hpp>

#include "support/catch.hpp"
#include "support/digests.hpp"
#include "support/golden.hpp"
#include "support/questions.hpp"

using namespace tpuplan;

namespace golden_asked_tests {

namespace {

using nlohmann::ordered_json;

std::string shown(const ordered_json& value) {
  return value.is_number_float() ? golden_number(value.get<double>()) : value.dump();
}

/// A line for each object, with its figures and texts; then those of what is in it.
void add_lines(const std::string& path, const ordered_json& value, std::string& lines) {
  std::string line = path;
  if (value.is_array()) line += " has " + std::to_string(value.size());
  if (value.is_primitive()) line += ' ' + shown(value);
  for (const auto& [key, each] : value.items())
    if (value.is_object() && each.is_primitive()) line += ' ' + key + '=' + shown(each);
  if (line != path) lines += line + '\n';
  if (value.is_primitive()) return;
  std::size_t place = 0;
  for (const auto& [key, each] : value.items()) {
    ++place;
    if (value.is_object() && !each.is_primitive()) add_lines(path + '.' + key, each, lines);
    if (value.is_array() && (place == 1 || place == value.size())) add_lines(path + '[' + key + ']', each, lines);
  }
}

}  // namespace

TEST_CASE("answers to questions as they were", "[golden]") {
  std::string lines;
  int number = 0;
  for (nlohmann::json question : load_json(TPUPLAN_TESTS_DIR "/ask/questions.json")) {
    if (question["question"] == "chips" || question["question"] == "slices") continue;
    question["form"] = "short";
    ordered_json answer = ask(whole_question(question));
    if (answer.contains("pictures"))
      for (ordered_json& picture : answer["pictures"]) picture.erase("svg");  // golden/pictures.txt has them
    const std::string name = std::to_string(++number) + ' ' + question["question"].get<std::string>();
    add_lines(name, answer.contains("answer") ? answer["answer"] : answer, lines);
    if (answer.contains("pictures")) add_lines(name + " pictures", answer["pictures"], lines);
  }
  CHECK(golden_problem("asked.txt", lines) == "");
}

TEST_CASE("the schema of each question as it was", "[golden]") {
  digests all;
  const ordered_json schema = ask_schema();
  for (const char* part : {"requests", "answers", "$defs"})
    for (const auto& [name, one] : schema.at(part).items()) all.add(part, name, [&one = one] { return one.dump(); });
  CHECK(all.problem("schema.txt") == "");
}

}  // namespace golden_asked_tests
