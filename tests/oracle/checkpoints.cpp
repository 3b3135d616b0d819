// Published checkpoints of every type against data/checkpoints.json: how many parameters each has, and that
// docs/models.md says how many of them there are.

#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/model/parameters.hpp>

#include "support/catch.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif

using namespace tpuplan;
using nlohmann::json;

namespace {

const json& file() {
  static const json document = load_json(std::string(TPUPLAN_DATA_DIR) + "/checkpoints.json");
  return document;
}

std::string type_of(const json& checkpoint) { return checkpoint.at("config").at("model_type").get<std::string>(); }

}  // namespace

TEST_CASE("published checkpoints: parameters", "[checkpoints]") {
  for (const json& each : file().at("checkpoints")) {
    INFO(each.at("name"));
    CHECK(parameters(read_hf_config(each.at("config")).model).total == each.at("parameters").get<std::int64_t>());
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

TEST_CASE("published checkpoints: docs/models.md has their number for each type", "[checkpoints]") {
  std::map<std::string, int> number;
  for (const json& each : file().at("checkpoints"))
    number[type_of(each)] += each.at("source") == "class-defaults" ? 0 : 1;
  std::ifstream page(std::string(TPUPLAN_DATA_DIR) + "/../docs/models.md");
  std::stringstream read;
  read << page.rdbuf();
  std::string text = read.str();
  REQUIRE_FALSE(text.empty());
  for (char& letter : text)
    if (letter == '|' || letter == ',' || letter == ';') letter = ' ';
  for (const auto& [type, checkpoints] : number) {
    if (checkpoints == 0) continue;
    INFO(type << " has " << checkpoints);
    CHECK(text.find(" " + type + " " + std::to_string(checkpoints) + " ") != std::string::npos);
  }
}
