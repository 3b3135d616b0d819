// A report of an answer: well-formed, escaped, with everything that was asked and answered.
#include <algorithm>
#include <string>
#include <tpuplan/json.hpp>
#include <tpuplan/show/html.hpp>
#include <tpuplan/show/svg.hpp>

#include "support/catch.hpp"
#include "support/xml.hpp"

using namespace tpuplan;

namespace show_html_tests {

namespace {

const std::string hostile = "</td><script>alert('1')</script> & \"\x01\xFF";

html_report example() {
  html_report report;
  report.title = "llama " + hostile;
  report.question = "tpuplan fit " + hostile;
  report.answer = {{"schema", "tpuplan/1"},
                   {"step_time_s", 2.5},
                   {"used_bytes", 17179869184.0},
                   {"total_usd", 48200.0},
                   {"rate_usd_per_s", 0.01},
                   {"tokens_per_s", 1.5e6},
                   {"fits", true},
                   {"none", nullptr},
                   {"regions", {"us", hostile}},
                   {hostile, hostile},
                   {"breakdown",
                    {{"compute_s", 2.0},
                     {"idle_s", 0.0},
                     {"fsdp", {{"whole_s", 1.5}, {"exposed_s", 0.5}}},
                     {"waiting", {{"whole_s", 0.0}}},
                     {"inner", {{"count", 1}, {"deep", {{"deeper", {{"deepest", 7}}}}}}}}},
                   {"costs",
                    {{{"kind", "spot"},
                      {"total_usd", 10.0},
                      {"price", {{"generation", "v6e"}, {"region", "us"}, {"date", "2026-08-11"}}}},
                     {{"kind", hostile},
                      {"wall_s", 60.0},
                      {"price", {{"generation", "v6e"}, {"region", "us"}, {"date", "2026-08-11"}}}}}},
                   {"empty", nlohmann::ordered_json::array()},
                   {"request", {{"secret", 1}}},
                   {"assumed", {{{"field", hostile}, {"value", "128"}, {"why", "class default"}}}}};
  roofline_chart chart;
  chart.title = hostile;
  chart.peak = 197e12 * 1_FLOP_per_s;
  chart.bandwidth = 819e9 * 1_B_per_s;
  report.pictures = {picture_of("roofline", chart)};
  return report;
}

/// The elements of a report, behind its document type.
xml_reader read(const std::string& html) {
  const std::string type = "<!DOCTYPE html>\n";
  REQUIRE(html.rfind(type, 0) == 0);
  return xml_reader(std::string_view(html).substr(type.size()));
}
bool has(const xml_reader& page, const std::string& name, const std::string& text) {
  return std::any_of(page.elements().begin(), page.elements().end(),
                     [&](const xml_element& e) { return e.name == name && e.text == text; });
}

}  // namespace

TEST_CASE("a report is well-formed and has question, answer, pictures, assumptions and prices", "[html]") {
  const std::string html = to_html(example());
  const xml_reader page = read(html);
  CHECK(page.elements().front().name == "html");
  for (const char* heading : {"Question", "Answer", "breakdown", "costs", "Assumed", "Sources"}) {
    INFO(heading);
    CHECK(has(page, "h2", heading));
  }
  CHECK(has(page, "th", "step time"));
  CHECK(has(page, "td", "2.50 s"));
  CHECK(has(page, "td", "16.0 GiB"));
  CHECK(has(page, "td", "$48.2k"));
  CHECK(has(page, "td", "$36.00 an hour"));
  CHECK(has(page, "th", "tokens per s"));
  CHECK(has(page, "td", "1500000"));
  CHECK(has(page, "td", "yes"));
  CHECK(has(page, "td", "60.0 s"));
  CHECK(has(page, "td", "class default"));
  CHECK(has(page, "summary", "inner"));
  CHECK(has(page, "td", "whole 1.50 s, exposed 500 ms"));
  CHECK_FALSE(has(page, "th", "idle"));
  CHECK_FALSE(has(page, "th", "waiting"));
  CHECK(html.find("secret") == std::string::npos);
  CHECK(html.find("none") != std::string::npos);  // of the policy alone
  CHECK(std::count_if(page.elements().begin(), page.elements().end(),
                      [](const xml_element& e) { return e.name == "svg" && e.parent == "figure"; }) == 1);
  CHECK(std::count_if(page.elements().begin(), page.elements().end(),
                      [](const xml_element& e) { return e.name == "td" && e.text == "2026-08-11"; }) == 1);
}

TEST_CASE("a report of plans has words, percentages and the prices that are paid", "[html]") {
  html_report report;
  report.answer = {{"schema", "tpuplan/1"},
                   {"parameters", 8030261248},
                   {"plans",
                    {{{"slice", "v6e-256"},
                      {"layout", "fsdp 256"},
                      {"mfu", 0.4432},
                      {"paid_as", "on_demand"},
                      {"run_s", 762048.0},
                      {"wall_s", 836352.0},
                      {"remarks", "may miss the deadline"},
                      {"plan",
                       {{"chosen", 1},
                        {"costs",
                         {{{"price", {{"generation", "v6e"}, {"region", "mars"}, {"date", "2026-08-11"}}}},
                          {{"price", {{"generation", "v6e"}, {"region", "us"}, {"date", "2026-08-11"}}}}}}}}}}},
                   {"lost", {{{"reason", "batch_does_not_divide"}, {"slices", 3}}}}};
  const std::string html = to_html(report);
  const xml_reader page = read(html);
  for (const char* words :
       {"44.3 %", "on demand", "9.68 days", "fsdp 256", "may miss the deadline", "batch does not divide"}) {
    INFO(words);
    CHECK(has(page, "td", words));
  }
  CHECK(html.find("tpuplan/1") == std::string::npos);
  for (const char* title : {"run", "without interruptions"}) CHECK(has(page, "th", title));
  CHECK(html.find("8.82 days") < html.find("9.68 days"));
  CHECK(html.find("mars") == std::string::npos);
}

TEST_CASE("what was assumed of a part of the answer is shown once", "[html]") {
  html_report report;
  report.answer["memory"] = {{"used_bytes", 1.0}, {"assumed", {{{"field", "head_dim"}, {"value", "128"}}}}};
  const xml_reader page = read(to_html(report));
  CHECK(has(page, "h2", "Assumed"));
  CHECK_FALSE(has(page, "summary", "assumed"));
  CHECK(std::count_if(page.elements().begin(), page.elements().end(),
                      [](const xml_element& e) { return e.text == "head_dim"; }) == 1);
}

TEST_CASE("a report runs and loads nothing, whatever names say", "[html]") {
  const std::string html = to_html(example());
  const xml_reader page = read(html);
  for (const xml_element& e : page.elements()) {
    INFO(e.name);
    CHECK(e.name != "script");
    CHECK(e.name != "a");
    for (const auto& [key, value] : e.attributes) {
      INFO(key << " " << value);
      CHECK((key.rfind("on", 0) != 0 && key != "style" && key != "href" && key != "src"));
    }
  }
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("a long list is cut and says so; an answer without anything is a report too", "[html]") {
  html_report report;
  report.answer["rows"] = nlohmann::ordered_json::array();
  for (int i = 0; i < 45; ++i) report.answer["rows"].push_back({{"rank", i}});
  const xml_reader page = read(to_html(report));
  CHECK(has(page, "p", "5 more are not shown."));
  CHECK(has(page, "td", "39"));
  CHECK_FALSE(has(page, "td", "40"));
  html_report empty;
  empty.answer = nlohmann::ordered_json::object();
  CHECK(has(read(to_html(empty)), "h2", "Sources"));
}

}  // namespace show_html_tests
