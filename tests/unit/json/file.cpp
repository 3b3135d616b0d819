// json_object: what reads the fields of a document, and how a refusal names the place.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace json_file_tests {
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

TEST_CASE("a key that comes twice in an object is refused by its place", "[json][door]") {
  const auto refused = [](const char* text) { return ::refusal_of([&] { (void)parse_json(text, "a.json"); }).message; };
  CHECK(says(refused(R"({"a": 1, "b": [{"c": 1}, {"c": 2, "d": "x", "c": 3}]})"), "a.json.b[1].c is given twice"));
  CHECK(says(refused(R"({"a": {"a": 1}, "a": 2})"), "a.json.a is given twice; valid: each key once"));
  CHECK(says(refused(R"({"ab": 1, "a\u0062": 2})"), "a.json.a\\u0062 is given twice"));  // in another spelling
  CHECK_FALSE(says(refused(R"({"a\\u0062": 1, "a\u0062": 2})"), "twice"));
  CHECK(parse_json("17", "a.json") == 17);  // in no object
  CHECK_FALSE(
      ::refusal_of([] { (void)parse_json(R"({"a": "a", "b": ["a", {"a": "\"a"}], "c:": ":"})", "a.json"); }).refused);
}

TEST_CASE("a number that no double holds is refused by its own path", "[json][door]") {
  const auto refused = [](const char* text) {
    try {
      (void)parse_json(text, "a.json");
    } catch (const error& refusal) {
      return std::string(refusal.what());
    }
    return std::string("read");
  };
  CHECK(refused(R"({"a,{": "1e400", "list": [1, {"x\"y": 2, "z": -1e400}]})") ==
        "tpuplan: a.json.list[1].z is -1e400; valid: a number of at most 1.8e308");
  CHECK(refused("1e400") == "tpuplan: a.json is 1e400; valid: a number of at most 1.8e308");
  for (const char* text : {"1e400", "[1e999]", "{", "\xff", "nul", "[1,]", "{\"a\" 1}"}) {
    const std::string message = refused(text);
    CAPTURE(text, message);
    CHECK(message != "read");
    CHECK(message.find("json.exception") == std::string::npos);
  }
}

TEST_CASE("json_object reads the objects of a list with their places", "[json]") {
  const json document = {{"runs", {{{"chips", 4}}, {{"chips", 1e3}}}}};
  const std::vector<json_object> runs = json_object(document, "a.json").objects("runs");
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].positive_count("chips") == 4);
  CHECK(runs[1].positive_count("chips") == 1000);
  CHECK(runs[1].path("chips") == "a.json.runs[1].chips");
  CHECK(runs[0].count_or("slices", 1) == 1);
}

TEST_CASE("json_object by its worked examples", "[json]") {
  const json document = {{"layers", 32}, {"rate", 0.5}, {"runs", {{{"id", "a"}}}}, {"note", nullptr}};
  const json_object one{document, "a.json"};
  const auto refuses = [](const plain_call<void()>& call, const char* words) {
    return refusal_of(call).find(words) != std::string::npos;
  };
  CHECK(refuses([] { (void)json_object{json{1, 2}, "a.json"}; }, "a.json is array"));
  CHECK(one.value().size() == 4);
  CHECK(one.path("layers") == "a.json.layers");
  CHECK(refuses([&] { one.only({"layers"}); }, "a.json.note is not a key"));
  CHECK(refusal_of([&] { one.only({"layers", "rate", "runs", "note"}); }).empty());
  CHECK(one.has("layers"));
  CHECK_FALSE(one.has("note"));
  CHECK(one.is_null("note"));
  CHECK_FALSE(one.is_null("layers"));
  CHECK(one.at("layers") == 32);
  CHECK(refuses([&] { (void)one.at("note"); }, "a.json.note is missing"));
  CHECK(refuses([&] { (void)one.object("layers"); }, "a.json.layers is number"));
  CHECK(one.list("runs").size() == 1);
  CHECK(one.objects("runs")[0].path("id") == "a.json.runs[0].id");
  CHECK(one.objects("runs")[0].string("id") == "a");
  CHECK(one.count("layers") == 32);
  CHECK(one.positive_count("layers") == 32);
  CHECK(refuses([&] { (void)one.positive_count("rate"); }, "a.json.rate"));
  CHECK(one.number("rate") == 0.5);
  CHECK(one.positive_number("rate") == 0.5);
  CHECK(refuses([&] { (void)one.flag("rate"); }, "true or false"));
  CHECK(one.count_or("note", 7) == 7);
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

TEST_CASE("a file may be as long as its limit") {
  const std::string path = (std::filesystem::temp_directory_path() / "tpuplan_limit_test.json").string();
  std::ofstream{path, std::ios::binary} << "[1,\n 2]";
  CHECK(load_json(path, {7, 64}).size() == 2);
  CHECK(refusal_of([&] { (void)load_json(path, {6, 64}); }).find("longer") != std::string::npos);
  std::filesystem::remove(path);
}

TEST_CASE("a parser's error in plain words") {
  CHECK(detail::words_of_problem("x at line 1, column 2: syntax error - strange") ==
        "at line 1, column 2 no JSON: strange");
  CHECK(detail::words_of_problem("x at line 1, column 2: strange") == "at line 1, column 2 no JSON: strange");
  CHECK(detail::words_of_problem("x at line 3, column 4: unexpected end of input") == "cut off at line 3, column 4");
  CHECK(detail::words_of_problem("strange") == "no JSON");
}

TEST_CASE("what could control a terminal is known, the first and the last of it too") {
  using std::string_view_literals::operator""sv;
  for (const std::string_view words : {"a\0b"sv, "\x1f"sv, "\x7f"sv, "\n"sv}) CHECK(detail::has_control(words));
  for (const std::string_view words : {" ~"sv, ""sv, "\xc3\xa9"sv}) CHECK_FALSE(detail::has_control(words));
}

}  // namespace json_file_tests
