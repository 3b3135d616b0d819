// Every kind of picture, drawn of figures by hand, against tests/golden/pictures.txt: places, colours and words.
#include <string>
#include <tpuplan/show/svg.hpp>
#include <tpuplan/tpuplan.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace tpuplan;

namespace golden_pictures_tests {

namespace {

memory_chart memory_by_hand() {
  memory_chart chart{"Memory of a few layouts", {}};
  for (const double more : {1.0, 2.5}) {
    memory_breakdown m;
    m.parameters = (more)*1_GiB;
    m.optimizer = (4 * more) * 1_GiB;
    m.activations = (3) * 1_GiB;
    m.workspace = (0.5) * 1_GiB;
    m.total = (5 * more + 3.5) * 1_GiB;
    m.low = 0.9 * m.total;
    m.high = 1.2 * m.total;
    m.usable = (14) * 1_GiB;
    chart.bars.push_back({"layout with a name that is rather long, " + std::to_string(more), m});
  }
  return chart;
}

step_chart step_by_hand() {
  step_chart chart{"Steps", {}};
  for (const double time : {2.0, 3.5}) {
    step_breakdown step;
    step.dense_products = seconds{0.5 * time};
    step.attention = seconds{0.3 * time};
    step.software = seconds{0.2 * time};
    step.total = seconds{time};
    step.low = 0.8 * step.total;
    step.high = 1.3 * step.total;
    step.extrapolated = time > 3;
    chart.bars.push_back({"step", step});
  }
  return chart;
}

roofline_chart roofline_by_hand() {
  roofline_chart chart;
  chart.peak = flops_per_second{197e12};
  chart.bandwidth = bytes_per_second{819e9};
  for (const double intensity : {2.0, 90.0, 240.0, 3000.0}) {
    const double rate = intensity * 819e9 < 197e12 ? intensity * 819e9 : 197e12;
    chart.points.push_back(
        {"product <" + std::to_string(intensity) + ">", flops_per_byte{intensity}, flops_per_second{0.8 * rate}});
  }
  return chart;
}

pareto_chart pareto_by_hand() {
  pareto_chart chart;
  const std::vector<std::vector<double>> plans = {{10, 90}, {12, 70}, {20, 60}, {21, 95},
                                                  {40, 33}, {11, 91}, {200, 32}};
  for (const std::vector<double>& plan : plans)
    chart.points.push_back({"v5e-" + std::to_string(static_cast<int>(plan[1])), seconds{3600 * plan[0]}, usd{plan[1]}});
  return chart;
}

accuracy_chart accuracy_by_hand() {
  accuracy_chart chart;
  int i = 0;
  for (const double error : {0.7, 0.9, 0.95, 1.0, 1.02, 1.05, 1.15, 1.19, 1.21, 1.5}) {
    const double measured = 0.5 * (1 + i * i);
    chart.points.push_back(
        {"run é " + std::to_string(i), "group " + std::to_string(i % 9), seconds{error * measured}, seconds{measured}});
    ++i;
  }
  return chart;
}

frontier_chart frontier_by_hand() {
  frontier_chart chart;
  for (const double faster : {1.0, 1.6}) {
    frontier_line line{"slice " + std::to_string(faster), {}};
    for (const double running : {1.0, 8.0, 64.0}) {
      const seconds token{(0.01 + 0.0002 * running) / faster};
      line.frontier.points[line.frontier.count++] = {running, token, running / token};
    }
    chart.lines.push_back(line);
  }
  return chart;
}

time_percentiles times(double p50) {
  return {seconds{1.1 * p50}, seconds{p50}, seconds{2 * p50}, seconds{3 * p50}, seconds{5 * p50}};
}

latency_chart latency_by_hand() {
  latency_chart chart;
  for (const double rate : {1.0, 2.0, 4.0, 5.0})
    chart.points.push_back({per_second{rate}, times(0.1 * rate), times(0.01 + 0.002 * rate)});
  chart.targets.first_token = {0.99, 2_s};
  chart.targets.per_token = {0.95, 40_ms};
  return chart;
}

day_chart day_by_hand() {
  day_chart chart;
  for (int hour = 0; hour < 6; ++hour) {
    day_part part;
    part.start = seconds{3600.0 * hour};
    part.rate = per_second{hour == 3 ? 0 : 10.0 + 5 * hour};
    part.slices = 2.5 + hour;
    if (hour != 3) part.first = part.token = times(0.2 + 0.1 * hour);
    chart.parts.push_back(part);
  }
  chart.targets.first_token = {0.99, 2_s};
  return chart;
}

}  // namespace

TEST_CASE("pictures are drawn as they were", "[golden]") {
  std::string got;
  for (const std::string& svg :
       {to_svg(memory_by_hand()), to_svg(step_by_hand()), to_svg(roofline_by_hand()), to_svg(pareto_by_hand()),
        to_svg(accuracy_by_hand()), to_svg(frontier_by_hand()), to_svg(latency_by_hand()), to_svg(day_by_hand())})
    got += svg + "\n";
  CHECK(golden_problem("pictures.txt", got) == "");
}

}  // namespace golden_pictures_tests
