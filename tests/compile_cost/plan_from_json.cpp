// A program that reads a question as JSON and writes the answer: what it costs to compile is measured by functions.sh,
// and it compiles without a warning as C++20 at -O3 (ctest -L compile_cost).
#include <cstdio>
#include <string>
#include <tpuplan/json.hpp>
#include <tpuplan/plan/planner.hpp>

int main() {
  std::string characters;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) characters += static_cast<char>(c);
  const auto request = tpuplan::read_json<tpuplan::plan_request>(nlohmann::json::parse(characters));
  std::puts(tpuplan::json_text(tpuplan::make_plan(request)).c_str());
}
