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

view example() {
  view shown;
  shown.title = "llama " + hostile;
  shown.sentences = {"step 2.50 s", hostile};
  shown.parts = {readable::table_of("part | >time:s"), readable::table_of("what"), {}};
  shown.parts[0].rows = {{readable::cell("compute"), readable::cell(2_s)}, {readable::cell(hostile)}};
  shown.parts[0].notes = {hostile};
  shown.parts[1].title = "prices";
  shown.parts[1].rows = {{readable::cell("2026-08-11")}};
  shown.parts[1].folded = true;
  shown.parts[2].title = "assumed";
  shown.parts[2].sentences = {"head_dim = 128 (class default)"};
  roofline_chart chart;
  chart.title = hostile;
  chart.peak = 197e12 * 1_FLOP_per_s;
  chart.bandwidth = 819e9 * 1_B_per_s;
  shown.pictures = {picture_of("roofline", chart)};
  return shown;
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

TEST_CASE("a report is well-formed and has question, answer, pictures and parts", "[html]") {
  const std::string html = to_html(example(), "tpuplan fit " + hostile);
  const xml_reader page = read(html);
  CHECK(page.elements().front().name == "html");
  for (const char* heading : {"Question", "Assumed", "Sources"}) {
    INFO(heading);
    CHECK(has(page, "h2", heading));
  }
  CHECK(has(page, "p", "step 2.50 s"));
  CHECK(has(page, "th", "time"));
  CHECK(has(page, "td", "2.00 s"));
  CHECK(has(page, "summary", "Prices"));
  CHECK(has(page, "p", "head_dim = 128 (class default)"));
  CHECK(std::count_if(page.elements().begin(), page.elements().end(),
                      [](const xml_element& e) { return e.name == "svg" && e.parent == "figure"; }) == 1);
}

TEST_CASE("a report runs and loads nothing, whatever names say", "[html]") {
  const std::string html = to_html(example(), hostile);
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

TEST_CASE("a view without anything is a report too", "[html]") {
  CHECK(has(read(to_html({}, "")), "h2", "Sources"));
  CHECK(html_parts({{}, {}, {"<b>"}, {}, {}, {}}) == "<p>&lt;b&gt;</p>\n");
}

}  // namespace show_html_tests
