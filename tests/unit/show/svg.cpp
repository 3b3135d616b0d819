// Charts: well-formed, labelled, to scale, and safe from what is in their words and numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/show/svg.hpp>
#include <tpuplan/tpuplan.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"
#include "support/xml.hpp"

using namespace tpuplan;

namespace show_svg_tests {

namespace {

using elements = std::vector<xml_element>;

double number(const xml_element& e, const std::string& key) { return std::stod(e.attributes.at(key)); }

/// Every number in the attributes that are numbers or lists of them is finite and on or near the picture.
void check_numbers(const elements& all) {
  const double width = number(all.front(), "width"), height = number(all.front(), "height");
  for (const xml_element& e : all) {
    for (const std::string key : {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "points"}) {
      const auto found = e.attributes.find(key);
      if (found == e.attributes.end()) continue;
      std::string list = found->second;
      std::replace(list.begin(), list.end(), ',', ' ');
      std::istringstream numbers(list);
      std::size_t count = 0;
      for (double value = 0; numbers >> value; ++count) {
        CAPTURE(e.name, key, value);
        CHECK((value >= -1 && value <= std::max(width, height) + 1));
      }
      CHECK(numbers.eof());
      CHECK(count > 0);
    }
  }
}

elements drawn(const std::string& svg) {
  const xml_reader reader(svg);
  const elements& all = reader.elements();
  CHECK(all.front().name == "svg");
  CHECK(all.front().attributes.at("xmlns") == "http://www.w3.org/2000/svg");
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  check_numbers(all);
  return all;
}

bool has_text(const elements& all, const std::string& words) {
  return std::any_of(all.begin(), all.end(), [&](const xml_element& e) { return e.name == "text" && e.text == words; });
}

const xml_element& text_element(const elements& all, const std::string& words) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const xml_element& e) { return e.name == "text" && e.text == words; });
  REQUIRE(found != all.end());
  return *found;
}

/// The dot whose hint begins so. Legends have dots without hints.
const xml_element& dot(const elements& all, const std::string& hint) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].name == "title" && all[i].parent == "circle" && all[i].text.rfind(hint, 0) == 0) return all[i - 1];
  }
  throw std::runtime_error("no dot " + hint);
}

/// Where the tick of an axis is: of the one below, whose label is centred on it; of the one at the left, 4 above.
double x_tick(const elements& all, const std::string& label) { return number(text_element(all, label), "x"); }
double y_tick(const elements& all, const std::string& label) { return number(text_element(all, label), "y") - 4; }

bool same(double a, double b) { return std::abs(a - b) < 0.02; }

/// Boxes of the small texts, as wide as the charts take them.
bool texts_overlap(const elements& all) {
  std::vector<detail::plot_box> boxes;
  for (const xml_element& e : all) {
    if (e.name != "text" || e.attributes.count("transform") != 0) continue;
    const double size = e.attributes.count("font-size") != 0 ? number(e, "font-size") : 12;
    const double width = 0.85 * detail::text_width(e.text, size);
    const auto side = e.attributes.find("text-anchor");
    const double shift = side == e.attributes.end() ? 0 : side->second == "end" ? 1 : 0.5;
    const double left = number(e, "x") - shift * width, y = number(e, "y");
    const detail::plot_box box{left, y - 0.7 * size, left + width, y};
    for (const detail::plot_box& other : boxes) {
      if (detail::overlap(box, other)) return true;
    }
    boxes.push_back(box);
  }
  return false;
}

/// Whether the dashed line of the ridge strikes through a text.
bool ridge_struck(const elements& all) {
  const auto ridge = std::find_if(all.begin(), all.end(),
                                  [](const xml_element& e) { return e.attributes.count("stroke-dasharray") != 0; });
  const double x = number(*ridge, "x1"), top = number(*ridge, "y1"), bottom = number(*ridge, "y2");
  return std::any_of(all.begin(), all.end(), [&](const xml_element& e) {
    if (e.name != "text" || e.attributes.count("transform") != 0) return false;
    const double size = e.attributes.count("font-size") != 0 ? number(e, "font-size") : 12;
    const double width = detail::text_width(e.text, size), y = number(e, "y");
    const auto side = e.attributes.find("text-anchor");
    const double left = number(e, "x") - (side == e.attributes.end() ? 0 : side->second == "end" ? width : width / 2);
    return y > top + 4 && y < bottom && left < x && left + width > x;
  });
}

serving_frontier frontier_of_llama() {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  return frontier(llama_3_8b(), job, {}, slice_for("v6e-8"));
}

pareto_chart four_points() {
  return {"four", {{"slow", 100_h, usd{1000}}, {"fast", 10_h, usd{10000}}, {"worse", 100_h, usd{10000}}}};
}

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("the reader of the tests refuses what is not well-formed", "[svg]") {
  CHECK_NOTHROW(xml_reader("<a b=\"1\"><c/>x &amp; y</a>\n"));
  for (const char* bad : {"<a>", "<a></b>", "<a b=1/>", "<a b=\"1\" b=\"2\"/>", "<a>&</a>", "<a>&nbsp;</a>", "<a/><b/>",
                          "<a>\x01</a>", "<a b=\"<\"/>", "text", "<a><</a>"}) {
    CAPTURE(bad);
    CHECK_THROWS(xml_reader(bad));
  }
}

TEST_CASE("roofline: units, ridge and products to scale", "[svg]") {
  const roofline_chart chart = roofline_of(v5e, llama_3_8b(), 512);
  REQUIRE(chart.points.size() == 4);
  CHECK(chart.points[0].label == "query, attention output");
  CHECK(chart.points[1].label == "key, value");
  CHECK(chart.points[2].label == "MLP gate, up, down");
  CHECK(chart.points[3].label == "output head");
  CHECK_THAT(chart.points[0].intensity.value(), Catch::Matchers::WithinRel(409.6, 1e-12));
  const elements all = drawn(to_svg(chart));
  CHECK(has_text(all, "llama-3-8b on v5e: 512 tokens, bf16"));
  CHECK(has_text(all, "arithmetic intensity (FLOP/byte)"));
  CHECK(has_text(all, "rate (TFLOP/s)"));
  CHECK(has_text(all, "ridge 241 FLOP/B"));
  CHECK(has_text(all, "peak 197 TFLOP/s"));
  CHECK(has_text(all, "HBM 819 GB/s"));
  for (const roofline_point& p : chart.points) CHECK(has_text(all, p.label));
  CHECK_FALSE(texts_overlap(all));
}

TEST_CASE("roofline: a known point is at the ticks of its values", "[svg]") {
  const roofline_chart chart{"t", 100_TFLOP_per_s, 1_TB_per_s, {{"p", flops_per_byte{50}, 50_TFLOP_per_s}}};
  const elements all = drawn(to_svg(chart));
  CHECK(same(number(dot(all, "p:"), "cx"), x_tick(all, "50")));
  // "50" is on both axes; the one at the left stands at the end of its line.
  double y = 0;
  for (const xml_element& e : all) {
    if (e.text == "50" && e.attributes.at("text-anchor") == "end") y = number(e, "y") - 4;
  }
  CHECK(same(number(dot(all, "p:"), "cy"), y));
  const auto ridge = std::find_if(all.begin(), all.end(),
                                  [](const xml_element& e) { return e.attributes.count("stroke-dasharray") != 0; });
  REQUIRE(ridge != all.end());
  CHECK(same(number(*ridge, "x1"), x_tick(all, "100")));
}

TEST_CASE("roofline: labels keep off one another and off the ridge, whatever the model and the chip", "[svg]") {
  for (const char* file : {"deepseek-v3", "mixtral-8x7b", "llama-3.1-8b", "gpt2", "qwen3-235b-a22b"}) {
    const transformer m = load_hf_config(std::string(TPUPLAN_DATA_DIR "/models/") + file + ".json").model;
    for (const chip_spec& chip : generations) {
      for (const std::int64_t tokens : {1, 64, 512, 8192}) {
        INFO(file << " on " << chip.name.view() << ", " << tokens << " tokens");
        const roofline_chart chart = roofline_of(chip, m, tokens);
        const elements all = drawn(to_svg(chart));
        for (const roofline_point& p : chart.points) {
          CAPTURE(p.label);
          CHECK(has_text(all, detail::shortened(p.label, 11, 220)));
        }
        CHECK_FALSE(texts_overlap(all));
        CHECK_FALSE(ridge_struck(all));
      }
    }
  }
  CHECK(roofline_of(v5e, llama_3_8b(), 1).title.find(": 1 token, ") != std::string::npos);
}

TEST_CASE("roofline: experts get their share of the tokens", "[svg]") {
  transformer m = llama_3_8b();
  m.moe.experts = 64;
  m.moe.top_k = 8;
  m.moe.expert_d_ff = 2048;
  const roofline_chart chart = roofline_of(v5p, m, 4096);
  const product_shape product{512, 4096, 2048};
  const double expected = (flops_of(product) / bytes_of(product, {})).value();
  const auto expert = std::find_if(chart.points.begin(), chart.points.end(),
                                   [](const roofline_point& p) { return p.label.rfind("expert up", 0) == 0; });
  REQUIRE(expert != chart.points.end());
  CHECK(close(expert->intensity.value(), expected));
  CHECK_FALSE(texts_overlap(drawn(to_svg(chart))));
}

TEST_CASE("memory: parts add up along the axis, usable HBM is marked", "[svg]") {
  memory_breakdown m;
  m.parameters = 4_GiB;
  m.activations = 6_GiB;
  m.total = 10_GiB;
  m.low = 8_GiB;
  m.high = 12_GiB;
  m.usable = 14_GiB;
  const elements all = drawn(to_svg(memory_chart{"memory", {{"v5p-128", m}}}));
  CHECK(has_text(all, "HBM of one device (GiB)"));
  CHECK(has_text(all, "v5p-128"));
  CHECK(has_text(all, "10.0 of 14.0 GiB (fits: yes)"));
  CHECK(has_text(all, "usable HBM"));
  CHECK(has_text(all, "activations"));
  CHECK_FALSE(has_text(all, "logits"));  // 0 everywhere: not in the legend
  std::vector<const xml_element*> bars;
  for (const xml_element& e : all) {
    if (e.name == "rect" && number(e, "height") == 18) bars.push_back(&e);
  }
  REQUIRE(bars.size() == 2);
  CHECK(same(number(*bars[0], "x"), x_tick(all, "0")));
  CHECK(same(number(*bars[1], "x"), x_tick(all, "4")));
  CHECK(same(number(*bars[1], "x") + number(*bars[1], "width"), x_tick(all, "10")));
  CHECK(std::any_of(all.begin(), all.end(), [&](const xml_element& e) {
    return e.name == "line" && e.attributes.count("stroke-width") != 0 && number(e, "stroke-width") == 3 &&
           same(number(e, "x1"), x_tick(all, "14"));
  }));
}

TEST_CASE("step time: unit of the longest, band, parts", "[svg]") {
  const slice where = slice_for("v5p-128");
  step_chart chart;
  for (const std::int64_t batch : {256, 512}) {
    const step_breakdown t = step_time(llama_3_8b(), job_of(batch, 4096), fsdp_layout(where), where);
    chart.bars.push_back({"batch " + std::to_string(batch), t});
  }
  const elements all = drawn(to_svg(chart));
  CHECK(has_text(all, "step time (s)"));
  CHECK(has_text(all, "compute"));
  CHECK(has_text(all, "band of nine in ten published runs"));
  CHECK(has_text(all, "batch 256"));
  CHECK(has_text(all, detail::step_head(chart.bars[0].step)));
  CHECK_FALSE(texts_overlap(all));
  chart.bars[0].step = {};
  chart.bars[0].step.compute = chart.bars[0].step.low = chart.bars[0].step.high = 5_ms;
  chart.bars.pop_back();
  CHECK(has_text(drawn(to_svg(chart)), "step time (ms)"));
}

TEST_CASE("time and cost: the front is joined, points are at their ticks", "[svg]") {
  const elements all = drawn(to_svg(four_points()));
  CHECK(has_text(all, "wall time (days)"));
  CHECK(has_text(all, "cost (USD)"));
  CHECK(same(number(dot(all, "slow"), "cy"), y_tick(all, "$1k")));
  CHECK(same(number(dot(all, "fast"), "cy"), y_tick(all, "$10k")));
  const auto joined = std::count_if(all.begin(), all.end(), [&](const xml_element& e) {
    return e.name == "line" && same(number(e, "x1"), number(dot(all, "fast"), "cx")) &&
           same(number(e, "x2"), number(dot(all, "slow"), "cx"));
  });
  CHECK(joined == 1);
  CHECK_THROWS(dot(all, "worse"));  // a square, not on the front
  for (const char* label : {"slow", "fast", "worse"}) CHECK(has_text(all, label));
  pareto_chart ten{"t", {{"p", 10_h, usd{5}}, {"q", 20_h, usd{50}}}};
  const elements hours = drawn(to_svg(ten));
  CHECK(has_text(hours, "wall time (hours)"));
  CHECK(same(number(dot(hours, "p"), "cx"), x_tick(hours, "10")));
}

TEST_CASE("time and cost of a plan: labels do not overlap", "[svg]") {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(1024, 4096);
  request.tokens = 1e12;
  request.most_plans = 0;
  const plan_answer answer = make_plan(request);
  for (const provisioning kind : {provisioning::on_demand, provisioning::spot}) {
    const pareto_chart chart = pareto_of(answer, kind);
    REQUIRE(chart.points.size() > 20);
    const elements all = drawn(to_svg(chart));
    CHECK_FALSE(texts_overlap(all));
    if (kind != provisioning::on_demand) continue;
    for (const plan& p : answer.plans) {
      if (p.on_front) CHECK_NOTHROW(dot(all, std::string(name(p.where).view()) + ":"));
    }
  }
}

TEST_CASE("throughput and time per token: points at their ticks, running sequences beside them", "[svg]") {
  serving_frontier frontier;
  frontier.count = 3;
  for (std::size_t i = 0; i < 3; ++i) {
    const double running = i == 0 ? 1 : i == 1 ? 8 : 64;
    frontier.points[i] = {running, seconds{0.01 * static_cast<double>(i + 1)}, per_second{running * 50}};
  }
  const elements all = drawn(to_svg(frontier_chart{"t", {{"v6e-8", frontier}}}));
  CHECK(has_text(all, "time per token (ms)"));
  for (const char* running : {"1", "8", "64"}) CHECK(has_text(all, running));
  CHECK(same(number(dot(all, "v6e-8, 8 running"), "cy"), y_tick(all, "20")));
  CHECK_FALSE(texts_overlap(all));
  const serving_frontier of_slice = frontier_of_llama();
  CHECK(of_slice.count > 5);
  CHECK_FALSE(texts_overlap(drawn(to_svg(frontier_chart{"t", {{"a", of_slice}, {"b", frontier}}}))));
  CHECK(says(refusal_of([] { (void)to_svg(frontier_chart{}); }).message, "frontier_chart.lines is none"));
}

TEST_CASE("accuracy: records with a prediction are points, by generation, small models apart", "[svg]") {
  struct record {
    std::string id, generation;
    bool in_domain = true;
    std::optional<seconds> predicted, measured;
  };
  const accuracy_chart chart = accuracy_of(std::vector<record>{{"a", "v4", true, 2_s, 3_s},
                                                               {"b", "v4", true, std::nullopt, 3_s},
                                                               {"c", "v4", true, 2_s, std::nullopt},
                                                               {"d", "v5e", false, 5_s, 4_s}});
  REQUIRE(chart.points.size() == 2);
  CHECK(chart.points[0].label == "a");
  CHECK(chart.points[0].group == "v4");
  CHECK(chart.points[0].predicted == 2_s);
  CHECK(chart.points[0].measured == 3_s);
  CHECK(chart.points[1].label == "d");
  CHECK(chart.points[1].group == "below 1.5 B parameters");
}

TEST_CASE("accuracy: diagonal, band, groups", "[svg]") {
  accuracy_chart chart;
  chart.points = {{"exact", "v4", 1_s, 1_s}, {"high", "v4", 15_s, 10_s}, {"low", "v5e", 9_s, 10_s}};
  const elements all = drawn(to_svg(chart));
  CHECK(has_text(all, "measured step time (s)"));
  CHECK(has_text(all, "predicted step time (s)"));
  CHECK(has_text(all, "2 of 3 within 20 %"));
  CHECK(has_text(all, "v4"));
  CHECK(has_text(all, "v5e"));
  CHECK(same(number(dot(all, "exact"), "cx"), x_tick(all, "1")));
  CHECK(same(number(dot(all, "high"), "cx"), x_tick(all, "10")));
  const auto diagonal = std::find_if(all.rbegin(), all.rend(), [](const xml_element& e) {
    return e.name == "line" && e.attributes.count("stroke-opacity") != 0 && number(e, "stroke-opacity") == 0.7;
  });
  REQUIRE(diagonal != all.rend());
  const xml_element& d = *diagonal;
  const double slope = (number(d, "y2") - number(d, "y1")) / (number(d, "x2") - number(d, "x1"));
  CHECK(same(number(d, "y1") + slope * (number(dot(all, "exact"), "cx") - number(d, "x1")),
             number(dot(all, "exact"), "cy")));
}

TEST_CASE("words are escaped, cut where they are long, and cannot break the picture", "[svg]") {
  const std::string hostile = "</title><script>alert(\"1\" & '2')</script>";
  pareto_chart chart = four_points();
  chart.title = hostile;
  chart.points[0].label = hostile;
  const std::string svg = to_svg(chart);
  CHECK(has_text(drawn(svg), hostile));
  CHECK(detail::escaped("a<b>&\"'\n") == "a&lt;b&gt;&amp;&quot;&#39; ");
  CHECK(detail::escaped(std::string("\0\x01\x7F", 3)) == "???");
  CHECK(detail::escaped("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  for (const char* broken : {"\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xEF\xBF\xBE",
                             "\xFF", "\xF0\x9F\x98", "\xC2\x85"}) {
    CAPTURE(broken);
    CHECK(detail::escaped(broken) == std::string(std::string(broken).size(), '?'));
  }
  const memory_chart wide{std::string(500, 'W'), {{std::string(500, '\xC3') + "x", {}}}};
  const elements all = drawn(to_svg(wide));
  CHECK(has_text(all, std::string(77, 'W') + "..."));
  CHECK(detail::shortened("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 10, 25) == "\xC3\xA9...");
}

TEST_CASE("ticks are 1, 2 and 5 times powers of ten", "[svg]") {
  CHECK_THAT(detail::round_step(0.13), Catch::Matchers::WithinRel(0.2, 1e-12));
  CHECK_THAT(detail::round_step(51), Catch::Matchers::WithinRel(100, 1e-12));
  CHECK(detail::log_ticks(0.9, 11) == std::vector<double>{1, 2, 5, 10});
  CHECK(detail::log_ticks(90, 210).size() >= 3);
  CHECK(detail::log_ticks(1e-30, 1e30).size() <= 9);
  CHECK(detail::linear_axis(14, 0, 100).high == 14);
  CHECK(detail::linear_axis(0, 0, 100).high > 0);
  CHECK(detail::number_label(0) == "0");
  CHECK(detail::number_label(0.1 + 0.2) == "0.3");
  CHECK(detail::number_label(20000) == "20000");
  CHECK(detail::number_label(2e6) == "2e6");
  CHECK(detail::number_label(1e-6) == "1e-6");
  CHECK(detail::number_label(0.0012345678) == "0.001235");
  CHECK(detail::dollar_label(1500) == "$1.5k");
}

TEST_CASE("charts of one point, of equal and of extreme values", "[svg]") {
  drawn(to_svg(pareto_chart{"t", {{"a", 1_h, usd{100}}}}));
  drawn(to_svg(pareto_chart{"t", {{"a", 1_h, usd{100}}, {"b", 1_h, usd{100}}}}));
  drawn(to_svg(pareto_chart{"t", {{"a", seconds{1e-90}, usd{1e-90}}, {"b", seconds{1e90}, usd{1e90}}}}));
  drawn(to_svg(accuracy_chart{"t", 0.9, {{"a", "", 1_s, 1_s}}}));
  drawn(to_svg(roofline_chart{"t", 1_FLOP_per_s, 1_B_per_s, {}}));
  drawn(to_svg(step_chart{"t", {{"nothing", {}}}}));
  memory_breakdown huge;
  huge.parameters = huge.total = huge.low = huge.high = huge.usable = bytes{1e99};
  drawn(to_svg(memory_chart{"t", {{"huge", huge}}}));
}

TEST_CASE("charts refuse what they cannot place", "[svg]") {
  for (const double bad : {0.0, -1.0, nan_value, infinite, 1e200}) {
    CAPTURE(bad);
    CHECK(says(refusal_of([&] {
                 (void)to_svg(pareto_chart{"t", {{"a", seconds{bad}, usd{1}}}});
               }).message,
               "pareto_point.wall"));
    CHECK(says(refusal_of([&] {
                 (void)to_svg(pareto_chart{"t", {{"a", 1_s, usd{bad}}}});
               }).message,
               "pareto_point.total"));
    CHECK(says(refusal_of([&] {
                 (void)to_svg(accuracy_chart{"t", 0.2, {{"a", "", seconds{bad}, 1_s}}});
               }).message,
               "accuracy_point.predicted"));
    CHECK(says(refusal_of([&] {
                 (void)to_svg(accuracy_chart{"t", 0.2, {{"a", "", 1_s, seconds{bad}}}});
               }).message,
               "accuracy_point.measured"));
    CHECK(says(refusal_of([&] {
                 (void)to_svg(roofline_chart{"t", flops_per_second{bad}, 1_B_per_s, {}});
               }).message,
               "roofline_chart.peak"));
    CHECK(says(refusal_of([&] {
                 (void)to_svg(roofline_chart{"t", 1_FLOP_per_s, bytes_per_second{bad}, {}});
               }).message,
               "roofline_chart.bandwidth"));
    roofline_chart roof{"t", 1_FLOP_per_s, 1_B_per_s, {{"a", flops_per_byte{bad}, 1_FLOP_per_s}}};
    CHECK(says(refusal_of([&] { (void)to_svg(roof); }).message, "roofline_point.intensity"));
    roof.points = {{"a", flops_per_byte{1}, flops_per_second{bad}}};
    CHECK(says(refusal_of([&] { (void)to_svg(roof); }).message, "roofline_point.rate"));
    if (bad == 0) continue;
    memory_breakdown m;
    m.logits = bytes{bad};
    CHECK(says(refusal_of([&] { (void)to_svg(memory_chart{"t", {{"a", m}}}); }).message, "logits"));
    step_breakdown t;
    t.high = seconds{bad};
    CHECK(says(refusal_of([&] { (void)to_svg(step_chart{"t", {{"a", t}}}); }).message, "step_breakdown.high"));
  }
  CHECK(refusal_of([] { (void)to_svg(pareto_chart{}); }).message ==
        "tpuplan: pareto_chart.points is none; valid: one point or more");
  CHECK(refusal_of([] { (void)to_svg(accuracy_chart{}); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)to_svg(memory_chart{}); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)to_svg(step_chart{}); }).code == errc::missing_field);
  CHECK(says(refusal_of([] {
               (void)to_svg(accuracy_chart{"t", 1, {{"a", "", 1_s, 1_s}}});
             }).message,
             "accuracy_chart.band"));
  CHECK(refusal_of([] { (void)roofline_of(v5e, llama_3_8b(), 0); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)roofline_of(v3, llama_3_8b(), 8, dtype::int8); }).code == errc::unknown_figure);
}

TEST_CASE("latency against load, and a day") {
  latency_chart latency{"v6e-8", {}, {}};
  latency.targets.first_token = {0.99, 900_ms};
  latency.targets.per_token = {0.95, 50_ms};
  day_chart day{"a day", {}, latency.targets};
  for (int i = 0; i < 5; ++i) {
    const seconds first{0.05 * (i + 1) * (i + 1)}, token{0.01 * (i + 1)};
    latency.points.push_back(
        {per_second{2.0 * (i + 1)}, {first, first / 2, first, first, first}, {token, token, token, token, token}});
    day.parts.push_back({seconds{3600.0 * i},
                         per_second{4.0 * i},
                         1.0 + i,
                         {first, first, first, first, i > 0 ? first : seconds{0}},
                         {}});
  }
  const elements load = drawn(to_svg(latency));
  CHECK(has_text(load, "requests a second"));
  CHECK(has_text(load, "limit of the first token"));
  CHECK(has_text(load, "each token, p95"));
  std::size_t dots = 0;
  for (const xml_element& e : load) dots += e.name == "circle";
  CHECK(dots == 6);  // p99 of the first token, and its entry in the legend
  const elements hours = drawn(to_svg(day));
  CHECK(has_text(hours, "slices that serve"));
  CHECK(has_text(hours, "limit"));
  day.parts[2].first.p99 = 160_s;  // slices that were lost: the other hours can be read all the same
  const elements lost = drawn(to_svg(day));
  CHECK((has_text(lost, "1000") && has_text(lost, "1e5")));
  day.targets = {};
  for (day_part& part : day.parts) part.first = {40_ms, 40_ms, 50_ms, 50_ms, 50_ms};
  CHECK_FALSE(has_text(drawn(to_svg(day)), "1000"));  // the axis is that of the hours
  for (day_part& part : day.parts) part.first = {};
  CHECK(has_text(drawn(to_svg(day)), "slices that serve"));
  CHECK(says(refusal_of([] { (void)to_svg(latency_chart{}); }).message, "latency_chart.points is none"));
  CHECK(says(refusal_of([] { (void)to_svg(day_chart{}); }).message, "day_chart.parts is none"));
  latency.points[0].first.p50 = seconds{0};
  CHECK(refusal_of([&] { (void)to_svg(latency); }).refused);
}

TEST_CASE("characters have their length in bytes, at both ends of each length") {
  CHECK(detail::utf8_length("\x7E") == 1);
  CHECK(detail::utf8_length("\xC2\xA0") == 2);
  CHECK(detail::utf8_length("\xDF\xBF") == 2);
  CHECK(detail::utf8_length("\xE0\xA0\x80") == 3);
  CHECK(detail::utf8_length("\xEF\xBF\xBD") == 3);
  CHECK(detail::utf8_length("\xF0\x90\x80\x80") == 4);
  CHECK(detail::utf8_length("\xF4\x8F\xBF\xBF") == 4);
  for (const char* none : {"\x7F", "\x1F", "\xC1\xBF", "\xC2\x9F", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xEF\xBF\xBE",
                           "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE0\xA0"})
    CHECK(detail::utf8_length(none) == 0);
}

TEST_CASE("a text that is too wide by its first character is dots alone") {
  CHECK(detail::shortened("abcdefgh", 12, 20) == "...");
  CHECK(detail::shortened("abcdefgh", 12, 4.5 * 12 * detail::character_width) == "a...");
}

}  // namespace show_svg_tests
