#ifndef TPUPLAN_SHOW_SVG_FRONTIER_HPP
#define TPUPLAN_SHOW_SVG_FRONTIER_HPP

#include <cmath>
#include <string>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/show/svg/plot.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <vector>

/// @file
/// Throughput against the time of a token: what more running sequences gain, and what they cost each user.

namespace tpuplan {
inline namespace abi_0 {

/// The frontier of one slice, layout or format.
struct frontier_line {
  std::string label{};          ///< what stands in the legend
  serving_frontier frontier{};  ///< its points, by rising batch
};
/// Frontiers on one pair of axes.
struct frontier_chart {
  std::string title{"Throughput and time per token"};  ///< above the picture
  std::vector<frontier_line> lines{};                  ///< in the order of the legend
};

namespace detail {

inline void draw_line(svg_canvas& canvas, label_layer& labels, const frontier_line& line, std::size_t index,
                      const chart_axis& x, const chart_axis& y) {
  std::vector<place> places;
  for (std::size_t i = 0; i < line.frontier.count; ++i) {
    const frontier_point& p = line.frontier.points[i];
    places.push_back({x.at(p.output_tokens.value()), y.at(p.per_token.value() * 1e3)});
    if (i > 0) canvas.line(places[i - 1], places[i], {chart_colour(index), 2, 0.8, {}});
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const frontier_point& p = line.frontier.points[i];
    const std::string running = std::to_string(std::llround(p.running));
    canvas.dot(places[i], chart_colour(index), index,
               line.label + ", " + running + " running: " + readable::duration(p.per_token) + ", " +
                   readable::count(p.output_tokens.value()) + " tokens/s");
    labels.put(canvas, places[i], running, false, 4);
  }
}

}  // namespace detail

/// Output tokens per second against the time of a token on logarithmic axes, the running sequences beside each dot.
/// Throws for a chart without points. Worked: the second of three points, 8 running sequences at 20 ms, is a dot at the
/// tick "20".
[[nodiscard]] inline std::string to_svg(const frontier_chart& chart) {
  using namespace detail;
  value_range rate, time;
  bool any = false;
  for (const frontier_line& line : chart.lines) {
    for (std::size_t i = 0; i < line.frontier.count; ++i) {
      rate.take("frontier_point.output_tokens", line.frontier.points[i].output_tokens.value());
      time.take("frontier_point.per_token", line.frontier.points[i].per_token.value() * 1e3);
      any = true;
    }
  }
  if (!any) fail(errc::missing_field, "frontier_chart.lines", "none", "a frontier with one point or more");
  rate.widen(1.3, 1.3);
  time.widen(1.15, 1.25);
  svg_canvas canvas(chart_width, chart.title);
  legend entries(canvas, 50);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) entries.add_dot(chart.lines[i].label, chart_colour(i), i);
  const plot_box box{84, entries.bottom(), chart_width - 24, entries.bottom() + 380};
  const chart_axis x = log_axis(rate.low, rate.high, box.left, box.right);
  const chart_axis y = log_axis(time.low, time.high, box.bottom, box.top);
  draw_x_axis(canvas, box, x, "output tokens per second; beside each dot the running sequences");
  draw_y_axis(canvas, box, y, "time per token (ms)");
  label_layer labels(box);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) draw_line(canvas, labels, chart.lines[i], i, x, y);
  return canvas.finish(box.bottom + 52);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
