#ifndef TPUPLAN_TESTS_SUPPORT_SCHEMA_HPP
#define TPUPLAN_TESTS_SUPPORT_SCHEMA_HPP

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

/// How a document breaks a schema of data/launch.json: "" if it does not, else the first place that does, and why.
/// Objects have no keys but their `properties`, unless `values` is the schema of others; without
/// `properties` they have any keys. A list of types is any of them.
inline std::string schema_problem(const nlohmann::json& document, const nlohmann::json& schema,
                                  const std::string& place = "document") {
  if (schema.at("type").is_array()) {
    std::string problem;
    for (const nlohmann::json& type : schema.at("type")) {
      nlohmann::json one = schema;
      one["type"] = type;
      problem = schema_problem(document, one, place);
      if (problem.empty()) return "";
    }
    return problem;
  }
  const std::string type = schema.at("type");
  const bool right = (type == "object" && document.is_object()) || (type == "array" && document.is_array()) ||
                     (type == "string" && document.is_string()) || (type == "boolean" && document.is_boolean()) ||
                     (type == "integer" && document.is_number_integer());
  if (!right) return place + " is " + document.dump() + ", not " + type;
  if (schema.contains("enum")) {
    const nlohmann::json& allowed = schema.at("enum");
    if (std::find(allowed.begin(), allowed.end(), document) == allowed.end())
      return place + " is " + document.dump() + ", not one of " + allowed.dump();
  }
  if (type == "array") {
    if (document.size() < schema.value("least", std::size_t{0}) || document.size() > schema.value("most", SIZE_MAX))
      return place + " has " + std::to_string(document.size()) + " elements";
    for (std::size_t i = 0; schema.contains("items") && i < document.size(); ++i) {
      const std::string problem =
          schema_problem(document[i], schema.at("items"), place + "[" + std::to_string(i) + "]");
      if (!problem.empty()) return problem;
    }
  }
  if (type != "object" || !schema.contains("properties")) return "";
  for (const nlohmann::json& key : schema.value("required", nlohmann::json::array())) {
    if (!document.contains(key.get<std::string>())) return place + " has no " + key.get<std::string>();
  }
  for (const auto& [key, value] : document.items()) {
    const nlohmann::json& known = schema.at("properties");
    if (!known.contains(key) && !schema.contains("values")) return place + " has an unknown key " + key;
    const nlohmann::json& inner = known.contains(key) ? known.at(key) : schema.at("values");
    const std::string problem = schema_problem(value, inner, place + "." + key);
    if (!problem.empty()) return problem;
  }
  return "";
}

#endif
