#ifndef TPUPLAN_TESTS_SUPPORT_QUESTIONS_HPP
#define TPUPLAN_TESTS_SUPPORT_QUESTIONS_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>

#include "support/ask.hpp"

/// A question as it is asked: with the file that "config" names, and with the answer to the plan of a launch.
inline nlohmann::json whole_question(nlohmann::json question) {
  question["schema"] = tpuplan::json_schema;
  nlohmann::json& request = question["request"];
  if (request.contains("config") && request["config"].is_string())
    request["config"] = tpuplan::load_json(TPUPLAN_DATA_DIR "/models/" + request["config"].get<std::string>());
  if (request.contains("plan")) request["plan"] = nlohmann::json::parse(ask(whole_question(request["plan"])).dump());
  return question;
}

#endif
