// json_object: what reads the fields of a document, and how a refusal names the place.

#include <string>
#include <string_view>
#include <tpuplan/io/json/file.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace io_json_file_tests {
using nlohmann::json;

namespace {

/// The message of what `ask` throws; empty where it throws nothing.
template <class Ask>
std::string refusal_of(const Ask& ask) {
  try {
    ask();
  } catch (const error& refusal) {
    return refusal.what();
  }
  return {};
}

}  // namespace

TEST_CASE("json_object reads the objects of a list with their places", "[json]") {
  const json document = {{"runs", {{{"chips", 4}}, {{"chips", 1e3}}}}};
  const std::vector<json_object> runs = json_object(document, "a.json").objects("runs");
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].positive_count("chips") == 4);
  CHECK(runs[1].positive_count("chips") == 1000);
  CHECK(runs[1].path("chips") == "a.json.runs[1].chips");
  CHECK(runs[0].count_or("slices", 1) == 1);
}

TEST_CASE("json_object names the place of what it refuses", "[json]") {
  const json document = {{"runs", 3}, {"list", {1, 2}}, {"name", nullptr}, {"zero", 0}, {"half", 0.5}};
  const json_object root(document, "a.json");
  CHECK(refusal_of([&] { (void)root.list("runs"); }) == "tpuplan: a.json.runs is number; valid: an array");
  CHECK(refusal_of([&] { (void)root.objects("list"); }) == "tpuplan: a.json.list[0] is number; valid: an object");
  CHECK(refusal_of([&] { (void)root.at("name"); }) == "tpuplan: a.json.name is missing; valid: a value");
  CHECK(refusal_of([&] { (void)root.positive_count("zero"); }) ==
        "tpuplan: a.json.zero is 0; valid: a whole number from 1 on");
  CHECK(refusal_of([&] { (void)root.count("half"); }) == "tpuplan: a.json.half is 0.5; valid: a whole number");
  CHECK(refusal_of([&] { root.only({"runs", "list"}); }) == "tpuplan: a.json.half is not a key; valid: runs, list");
  CHECK_FALSE(root.has("name"));
  CHECK(root.is_null("name"));
}

}  // namespace io_json_file_tests
