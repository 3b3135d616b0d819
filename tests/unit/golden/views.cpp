// The words of the answers to the questions of tests/ask/questions.json, as a terminal, a page and a report show them:
// sentences, and of a table its titles, its first row and its last; each line once. No word changes unnoticed.
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tpuplan/ask.hpp>
#include <tpuplan/json/file.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/questions.hpp"

using namespace tpuplan;

namespace golden_views_tests {

namespace {

using nlohmann::ordered_json;

std::string cells(const ordered_json& row, const char* key) {
  std::string line;
  for (const ordered_json& cell : row) line += (line.empty() ? "" : " | ") + cell[key].get<std::string>();
  return line;
}

void add_lines(const ordered_json& value, const std::string& at, std::string& lines) {
  for (const auto& [key, each] : value.items()) {
    const std::string path = value.is_object() ? at + ' ' + key : at;
    if (key == "columns" && !each.empty()) {
      lines += at + " | " + cells(each, "title") + '\n';
    } else if (key == "rows") {
      for (std::size_t i = 0; i < each.size(); ++i)
        if (i == 0 || i + 1 == each.size()) lines += at + " | " + cells(each[i], "text") + '\n';
    } else if (each.is_string() && !each.get<std::string>().empty()) {
      lines += path + ": " + each.get<std::string>() + '\n';
    } else if (each.is_structured()) {
      add_lines(each, path, lines);
    }
  }
}

/// The lines that are not in `seen` yet, with a number in front.
std::string new_lines(const std::string& lines, int number, std::set<std::string>& seen) {
  std::istringstream all(lines);
  std::string kept;
  for (std::string line; std::getline(all, line);)
    if (seen.insert(line).second) kept += std::to_string(number) + ' ' + line + '\n';
  return kept;
}

}  // namespace

TEST_CASE("views of answers as they were", "[golden]") {
  std::string lines;
  std::set<std::string> seen;
  int number = 0, viewed = 0;
  for (nlohmann::json question : load_json(TPUPLAN_TESTS_DIR "/ask/questions.json")) {
    ++number;
    question["view"] = true;
    question.erase("pictures");
    question.erase("form");
    const ordered_json answer = ask(whole_question(question));
    if (!answer.contains("view")) continue;
    ++viewed;
    std::string own;
    add_lines(answer["view"], question["question"].get<std::string>(), own);
    lines += new_lines(own, number, seen);
  }
  CHECK(viewed >= 80);
  CHECK(golden_problem("views.txt", lines) == "");
}

}  // namespace golden_views_tests
