// Asks the question that question.sh adds: its answer, its refusal, and its rows in the schema.
#include <cstdio>
#include <tpuplan/ask.hpp>

int main() {
  using nlohmann::json;
  const auto asked = [](json request) {
    return tpuplan::ask(json{{"schema", "tpuplan/1"}, {"question", "replicas"}, {"request", std::move(request)}});
  };
  const json answer = asked({{"slice", "v5e-16"}, {"devices", 3}}),
             refused = asked({{"slice", "v5e-16"}, {"device", 3}});
  const json request = tpuplan::ask_schema()["requests"]["replicas"];
  const bool right = answer["answer"]["replicas"] == 5 && answer["answer"]["left"] == 1 &&
                     refused["error"]["field"] == "request.device" && request["fields"].size() == 2 &&
                     request["fields"][1]["option"] == "--devices" && request["properties"].contains("devices");
  if (!right) std::printf("%s\n%s\n%s\n", answer.dump().c_str(), refused.dump().c_str(), request.dump().c_str());
  return right ? 0 : 1;
}
