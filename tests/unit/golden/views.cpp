// The words of the answers to the questions of tests/ask/questions.json, as a terminal, a page and a report show them:
// sentences, and of a table its titles, its first row and its last; each line once. Then digests of the whole answers,
// of their views in each form, and of their pictures. No word changes unnoticed.
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tpuplan/json/file.hpp>

#include "support/catch.hpp"
#include "support/digests.hpp"
#include "support/golden.hpp"
#include "support/questions.hpp"
#include "support/rounded.hpp"

using namespace tpuplan;

namespace golden_views_tests {

namespace {

using nlohmann::json;
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

/// The field of a refusal; "" of an answer.
std::string refused_field(const ordered_json& answer) {
  return answer.contains("error") ? answer["error"]["field"].get<std::string>() : "";
}

/// What is answered; a refusal is thrown, as the library does.
const ordered_json& answer_in(const ordered_json& answer) {
  if (!answer.contains("error")) return answer.at("answer");
  const auto part = [&](const char* key) { return answer["error"][key].get<std::string>(); };
  throw error(errc::invalid_argument, part("field"), part("value"), part("valid"));
}

/// The view of a question in another form.
ordered_json in_form(json question, const char* form) {
  question["view"]["form"] = form;
  return ask(question)["view"];
}

}  // namespace

TEST_CASE("views of answers as they were", "[golden]") {
  std::string lines;
  std::set<std::string> seen;
  digests forms;
  int number = 0, viewed = 0;
  for (const json& question : load_json(TPUPLAN_TESTS_DIR "/ask/questions.json")) {
    ++number;
    const std::string name = question["question"];
    const std::string group = std::to_string(number) + ' ' + name;
    json whole = whole_question(question);
    whole["form"] = "full";
    const auto told = [&](const char* what, const json& view) {
      whole["view"] = view;
      whole["pictures"] = true;
      ordered_json answer = ask(whole);
      for (const char* none : {"pictures", "view"})  // which not every question has
        if (refused_field(answer) == none) whole.erase(none), answer = ask(whole);
      forms.add(group, what, [&] { return rounded(answer_in(answer)).dump(); });
      if (!answer.contains("view")) return false;
      for (const char* form : {"text", "markdown", "html", "csv"})
        forms.add(group, form, [&] { return in_form(whole, form).get<std::string>(); });
      for (const ordered_json& drawn : answer.value("pictures", ordered_json::array()))
        forms.add(group, drawn["name"], [&] { return drawn["svg"].get<std::string>(); });
      return true;
    };
    if (!told("answer", json::object())) continue;
    ++viewed;
    std::string own;
    add_lines(in_form(whole, "json"), name, own);
    lines += new_lines(own, number, seen);
    const json more = {
        {"today", "2027-03-01"}, {"names_options", true}, {"wide", true}, {"explained", true}, {"drawn", true}};
    if (name.rfind("plan", 0) == 0 || number % 4 == 0) (void)told("more", more);
  }
  CHECK(viewed >= 80);
  CHECK(golden_problem("views.txt", lines) == "");
  CHECK(forms.problem("forms.txt") == "");
}

}  // namespace golden_views_tests
