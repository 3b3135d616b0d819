// Published checkpoints of every type against data/checkpoints.json: how many parameters each has, and that
// docs/models.md says how many of them there are.

#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tpuplan/ask/any_model.hpp>

#include "support/catch.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif

using namespace tpuplan;

namespace oracle_checkpoints_tests {
using nlohmann::json;

namespace {

const json& file() {
  static const json document = load_json(std::string(TPUPLAN_DATA_DIR) + "/checkpoints.json");
  return document;
}

std::string type_of(const json& checkpoint) { return checkpoint.at("config").at("model_type").get<std::string>(); }

// The page with these numbers in its table of types: each in place of the one that it has, else behind the name of the
// type, else as that of a new type like Llama.
std::string renewed(const std::string& page, const std::map<std::string, int>& number) {
  const std::size_t from = page.find("| like |"), to = page.find("\n\n", from);
  std::string table = page.substr(from, to - from);
  for (const auto& [type, checkpoints] : number) {
    if (checkpoints == 0) continue;
    // Behind the beginning of a row and its first column, in the second one.
    const std::string now = type + " " + std::to_string(checkpoints), before =
                                                                          "(\\n\\| [^|]*\\| (?:[^|]*?[ (])?"
                                                                          "?)";
    const std::regex listed(before + type + "(?: [0-9]+)?(?=[ ,;|)])"), others("(\\| Llama with other switches \\| )");
    const bool is_there = std::regex_search(table, listed);
    table = std::regex_replace(table, is_there ? listed : others, "$1" + now + (is_there ? "" : ", "),
                               std::regex_constants::format_first_only);
  }
  return page.substr(0, from) + table + page.substr(to);
}

}  // namespace

TEST_CASE("published checkpoints: parameters", "[checkpoints]") {
  for (const json& each : file().at("checkpoints")) {
    INFO(each.at("name"));
    // As the command line reads a file, and as a question to the library does.
    CHECK(trained_parameters(read_any_model(each.at("config"))) == each.at("parameters").get<std::int64_t>());
    CHECK(parameters(model_of(each.at("config")).model).total == each.at("parameters").get<std::int64_t>());
  }
}

TEST_CASE("published checkpoints: each has a source and a way in which it was counted, and is there once",
          "[checkpoints]") {
  std::set<std::string> seen;
  for (const json& each : file().at("checkpoints")) {
    INFO(each.at("name"));
    CHECK(file().at("sources").contains(each.at("source").get<std::string>()));
    CHECK(file().at("counted").contains(each.at("counted").get<std::string>()));
    CHECK(seen.insert(each.at("config").dump()).second);
  }
}

TEST_CASE("published checkpoints: docs/models.md has their number for each type", "[checkpoints][golden]") {
  std::map<std::string, int> number;
  for (const json& each : file().at("checkpoints"))
    number[type_of(each)] += each.at("source") == "class-defaults" ? 0 : 1;
  const std::string path = std::string(TPUPLAN_DATA_DIR) + "/../docs/models.md";
  std::ifstream page(path);
  std::stringstream read;
  read << page.rdbuf();
  std::string text = read.str();
  REQUIRE_FALSE(text.empty());
  if (std::getenv("TPUPLAN_RENEW_GOLDEN") != nullptr) std::ofstream(path) << (text = renewed(text, number));
  for (char& letter : text)
    if (letter == '|' || letter == ',' || letter == ';') letter = ' ';
  for (const auto& [type, checkpoints] : number) {
    if (checkpoints == 0) continue;
    INFO(type << " has " << checkpoints);
    CHECK(text.find(" " + type + " " + std::to_string(checkpoints) + " ") != std::string::npos);
  }
}

}  // namespace oracle_checkpoints_tests
