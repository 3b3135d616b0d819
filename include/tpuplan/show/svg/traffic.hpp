#ifndef TPUPLAN_SHOW_SVG_TRAFFIC_HPP
#define TPUPLAN_SHOW_SVG_TRAFFIC_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/show/svg/plot.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <vector>

/// @file
/// Latency against load, and a day of traffic with the slices that serve it.

namespace tpuplan {
inline namespace abi_0 {

/// Latencies of a fleet at one rate of requests.
struct latency_point {
  per_second rate{};         ///< requests a second
  time_percentiles first{};  ///< time to the first output token
  time_percentiles token{};  ///< time for each token after the first
};
/// Latency against load: p50 and p99 of the first token, p95 of each token, and the limits that they are held against.
struct latency_chart {
  std::string title{"Latency and load"};  ///< above the picture
  std::vector<latency_point> points{};    ///< by rising rate
  latency_targets targets{};              ///< drawn as lines, where there are some
};
/// A day: requests a second and slices that serve in one plot, p99 of the first token in another below.
struct day_chart {
  std::string title{"A day of traffic"};  ///< above the picture
  std::vector<day_part> parts{};          ///< in their order
  latency_targets targets{};              ///< that of the first token is drawn as a line, where there is one
};

namespace detail {

/// A line through places, with a dot at each that says what it is.
struct chart_series {
  std::string label{};
  std::vector<place> places{};
  std::vector<std::string> hints{};
};

inline void draw_series(svg_canvas& canvas, const chart_series& series, std::size_t index) {
  for (std::size_t i = 0; i < series.places.size(); ++i) {
    if (i > 0) canvas.line(series.places[i - 1], series.places[i], {chart_colour(index), 2, 0.8, {}});
    canvas.dot(series.places[i], chart_colour(index), index, series.hints[i]);
  }
}

inline void draw_limit(svg_canvas& canvas, const plot_box& box, const chart_axis& y, const latency_target& target,
                       const std::string& words) {
  const double limit = target.limit.value() * 1e3;
  if (limit < y.low || limit > y.high) return;
  canvas.line({box.left, y.at(limit)}, {box.right, y.at(limit)}, {"currentColor", 1.5, 0.7, "6 4"});
  canvas.write({box.right - 4, y.at(limit) - 4}, words, anchor::end, small_text_size);
}

}  // namespace detail

/// Times by the requests a second that a fleet is given, on a logarithmic axis of milliseconds. Throws for a chart
/// without points, and for times that are not above 0. Worked: five rates are five dots of the p99 of the first token.
[[nodiscard]] inline std::string to_svg(const latency_chart& chart) {
  using namespace detail;
  if (chart.points.empty()) fail(errc::missing_field, "latency_chart.points", "none", "one point or more");
  value_range time;
  double most = 0;
  for (const latency_point& p : chart.points) {
    for (const seconds one : {p.first.p50, p.first.p99, p.token.p95}) time.take("latency_point", one.value() * 1e3);
    most = std::max(most, on_linear_axis("latency_point.rate", p.rate.value()));
  }
  for (const latency_target& target : {chart.targets.first_token, chart.targets.per_token}) {
    if (target.limit.value() > 0) time.take("latency_target.limit", target.limit.value() * 1e3);
  }
  time.widen(1.15, 1.25);
  svg_canvas canvas(chart_width, chart.title);
  legend entries(canvas, 50);
  const plot_box box{84, 70, chart_width - 24, 450};
  const chart_axis x = linear_axis(most, box.left, box.right), y = log_axis(time.low, time.high, box.bottom, box.top);
  draw_x_axis(canvas, box, x, "requests a second");
  draw_y_axis(canvas, box, y, "time (ms)");
  draw_limit(canvas, box, y, chart.targets.first_token, "limit of the first token");
  draw_limit(canvas, box, y, chart.targets.per_token, "limit of each token");
  struct drawn_time {
    const char* label;
    time_percentiles latency_point::*times;
    seconds time_percentiles::*share;
  };
  constexpr drawn_time drawn[] = {{"first token, p99", &latency_point::first, &time_percentiles::p99},
                                  {"first token, p50", &latency_point::first, &time_percentiles::p50},
                                  {"each token, p95", &latency_point::token, &time_percentiles::p95}};
  for (std::size_t i = 0; i < 3; ++i) {
    chart_series series{drawn[i].label};
    for (const latency_point& p : chart.points) {
      const seconds value = p.*drawn[i].times.*drawn[i].share;
      series.places.push_back({x.at(p.rate.value()), y.at(value.value() * 1e3)});
      series.hints.push_back(series.label + ": " + readable::duration(value));
    }
    entries.add_dot(series.label, chart_colour(i), i);
    draw_series(canvas, series, i);
  }
  return canvas.finish(box.bottom + 52);
}

/// Requests a second and slices over the hours of a day, and below the p99 of the first token on a logarithmic axis:
/// where slices are lost at night it is a hundred times that of the day. Parts without requests have no dot there.
/// Throws for a chart without parts. Worked: a p99 of 160 s has ticks up to 1e5 ms.
[[nodiscard]] inline std::string to_svg(const day_chart& chart) {
  using namespace detail;
  if (chart.parts.empty()) fail(errc::missing_field, "day_chart.parts", "none", "one part or more");
  double rate = 0, slices = 0, last = 0;
  value_range time;
  for (const day_part& p : chart.parts) {
    rate = std::max(rate, on_linear_axis("day_part.rate", p.rate.value()));
    slices = std::max(slices, on_linear_axis("day_part.slices", p.slices));
    if (p.first.p99.value() != 0) time.take("day_part.first", p.first.p99.value() * 1e3);
    last = std::max(last, on_linear_axis("day_part.start", p.start.value() / 3600));
  }
  const double limit = chart.targets.first_token.limit.value() * 1e3;
  if (limit > 0) time.take("latency_target.limit", limit);
  if (!(time.low <= time.high)) time.take("day_part.first", 1000);  // a day without requests
  time.widen(1.15, 1.25);
  svg_canvas canvas(chart_width, chart.title);
  legend entries(canvas, 50);
  const plot_box above{84, 70, chart_width - 24, 270}, below{84, 330, chart_width - 24, 490};
  const chart_axis hours = linear_axis(last > 0 ? last : 1, above.left, above.right);
  const chart_axis load = linear_axis(std::max(rate, slices), above.bottom, above.top);
  const chart_axis first = log_axis(time.low, time.high, below.bottom, below.top);
  draw_x_axis(canvas, above, hours, "hours");
  draw_y_axis(canvas, above, load, "requests/s, slices");
  draw_x_axis(canvas, below, hours, "hours");
  draw_y_axis(canvas, below, first, "first token, p99 (ms)");
  draw_limit(canvas, below, first, chart.targets.first_token, "limit");
  chart_series requests{"requests a second"}, serving{"slices that serve"}, p99{"first token, p99"};
  for (const day_part& p : chart.parts) {
    const double at = hours.at(p.start.value() / 3600);
    requests.places.push_back({at, load.at(p.rate.value())});
    requests.hints.push_back(readable::fixed(p.rate.value(), 2) + " requests/s");
    serving.places.push_back({at, load.at(p.slices)});
    serving.hints.push_back(readable::fixed(p.slices, 1) + " slices");
    if (p.first.p99.value() <= 0) continue;
    p99.places.push_back({at, first.at(p.first.p99.value() * 1e3)});
    p99.hints.push_back(readable::duration(p.first.p99));
  }
  std::size_t index = 0;
  for (const chart_series* series : {&requests, &serving, &p99}) {
    entries.add_dot(series->label, chart_colour(index), index);
    draw_series(canvas, *series, index++);
  }
  return canvas.finish(below.bottom + 52);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
