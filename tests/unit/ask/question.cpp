// The rows of questions: each stands at a place of its request, and no option of a question stands twice.
#include <set>
#include <tpuplan/ask/schema.hpp>
#include <tpuplan/ask/serving_rows.hpp>

#include "support/ask.hpp"
#include "support/catch.hpp"

using namespace tpuplan;
using nlohmann::json;

namespace ask_question_tests {

/// The struct among the alternatives of a schema.
const json& plain(const json& schema, const json& one) {
  if (one.contains("$ref"))
    return plain(schema, schema["$defs"][one["$ref"].get<std::string>().substr(std::string("#/$defs/").size())]);
  return one.contains("anyOf") ? plain(schema, one["anyOf"][0]) : one;
}

TEST_CASE("each row stands at a place of its request", "[ask]") {
  const json schema = ask_schema();
  for (const auto& [question, request] : schema["requests"].items()) {
    std::set<std::string> options;
    CHECK(!request["description"].get<std::string>().empty());
    for (const json& field : request["fields"]) {
      const std::string path = field["path"];
      INFO(question << " " << path);
      const json* at = &request;
      for (std::size_t from = 0; from <= path.size();) {
        const std::size_t end = std::min(path.find('.', from), path.size());
        at = &plain(schema, *at);
        REQUIRE(at->value("properties", json::object()).contains(path.substr(from, end - from)));
        at = &(*at)["properties"][path.substr(from, end - from)];
        from = end + 1;
      }
      CHECK(options.insert(field["option"]).second);
      CHECK(!field["description"].get<std::string>().empty());
    }
    CHECK(!options.empty());
  }
}

TEST_CASE("numbers and times have limits where a row says none", "[ask]") {
  CHECK(rows::number("a", "--a", "", "", "").most == 1e18);
  CHECK(rows::time("a", "--a", "", "").most == 3.2e9);
}

TEST_CASE("a row reads names as people write them", "[ask]") {
  CHECK(format_choices.read("bfloat16") == "bf16");
  CHECK(payment_choices.read("commitment-1y") == "commitment_1y");
  CHECK(payment_choices.read("preemptible") == "spot");
  CHECK(policy_choices.read("FULL") == "full");
  CHECK(sharding_choices.read("2d") == "two_dimensions");
  CHECK(objective_choices.read("quickest").empty());
}

TEST_CASE("what stands for all names of a choice has them", "[ask]") {
  for (const row_choices* one :
       {&format_choices, &optimizer_choices, &kernel_choices, &software_choices, &policy_choices, &objective_choices,
        &engine_choices, &market_choices, &payment_choices}) {
    for (std::size_t i = 0; one->at(i) != "?"; ++i) {
      INFO(one->at(i));
      CHECK(one->valid.find(one->at(i)) != std::string_view::npos);
      CHECK(one->read(one->at(i)) == one->at(i));
    }
  }
}

TEST_CASE("the schema of a choice has all of its names", "[ask]") {
  for (const question_row& row : format_rows) {
    if (row.choices == nullptr) continue;
    const nlohmann::ordered_json names = detail::field_schema(row)["enum"];
    std::size_t count = 0;
    while (row.choices->at(count) != "?") ++count;
    CHECK(names.size() == count);
    CHECK(names[0] == row.choices->at(0));
  }
}

TEST_CASE("the schema of a share says of what, and that of other fields does not", "[ask]") {
  question_row row = format_rows[0];
  CHECK_FALSE(detail::field_schema(row).contains("share"));
  row.part = 0.99;  // of the requests keep a target
  CHECK(detail::field_schema(row).at("share") == 0.99);
}

TEST_CASE("a kind of field has limits", "[ask]") {
  const struct {
    question_row row;
    double least, most;
  } kinds[] = {
      {rows::count("at", "--option", "label", "chips", "help"), 1, 9e15},
      {rows::number("at", "--option", "label", "chips", "help"), 1e-9, 1e18},
      {rows::share("at", "--option", "label", "help"), 0, 1},
      {rows::time("at", "--option", "label", "help"), 1e-6, 3.2e9},
      {rows::target("at", "--option", "label", 0.99, "help"), 1e-6, 3.2e9},
      {rows::dollars("at", "--option", "label", "help"), 1e-6, 1e12},
      {rows::dollars_an_hour("at", "--option", "label", "help"), 1e-6, 1e6},
      {rows::rate("at", "--option", "label", "help"), 1e-6, 1e9},
      {rows::lengths("at", "--option", "label", "help"), 1, 1e9},
  };
  for (const auto& [row, least, most] : kinds) {
    INFO(static_cast<int>(row.kind));
    CHECK(row.least == least);
    CHECK(row.most == most);
  }
  CHECK(rows::target("at", "--option", "label", 0.99, "help").part == 0.99);
  // Dollars are typed for an hour, and stand in the request for a second.
  CHECK(detail::field_schema(rows::dollars_an_hour("at", "--option", "label", "help")).at("maximum") == 1e6 / 3600);
  CHECK(detail::field_schema(rows::dollars("at", "--option", "label", "help")).at("maximum") == 1e12);
}

}  // namespace ask_question_tests
