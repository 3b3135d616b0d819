#ifndef TPUPLAN_SHOW_SVG_POINTS_HPP
#define TPUPLAN_SHOW_SVG_POINTS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/show/svg/plot.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <vector>

/// @file
/// Dots on logarithmic axes: a roofline, time against cost, and predicted against measured.

namespace tpuplan {
inline namespace abi_0 {

/// A product or a kernel: its arithmetic intensity, and the rate that it reaches or may reach.
struct roofline_point {
  std::string label{};         ///< what stands beside the dot
  flops_per_byte intensity{};  ///< FLOPs over bytes moved
  flops_per_second rate{};     ///< of arithmetic
};
/// A roof and the dots under it.
struct roofline_chart {
  std::string title{"Roofline"};         ///< above the picture
  flops_per_second peak{};               ///< the flat part of the roof
  bytes_per_second bandwidth{};          ///< the slope of the roof
  std::vector<roofline_point> points{};  ///< may be empty
  std::string memory{"HBM"};             ///< the memory whose bandwidth it is
};

/// A way to run a job.
struct pareto_point {
  std::string label{};  ///< what stands beside the dot
  seconds wall{};       ///< from start to end
  usd total{};          ///< of the whole job
};
/// Dots of time and cost; those that no other beats in both are joined.
struct pareto_chart {
  std::string title{"Time and cost"};  ///< above the picture
  std::vector<pareto_point> points{};  ///< in any order
};

/// A run: what was predicted and what was measured.
struct accuracy_point {
  std::string label{};  ///< what stands beside the dot
  std::string group{};  ///< such as a family or a generation: one colour and shape each
  seconds predicted{};  ///< time of a step
  seconds measured{};   ///< time of a step
};
/// Dots around the line on which both are equal.
struct accuracy_chart {
  std::string title{"Predicted against measured"};  ///< above the picture
  double band = 0.2;                                ///< relative error that is shaded
  std::vector<accuracy_point> points{};             ///< in any order
};

namespace detail {

/// "MLP gate" and "MLP up" make "MLP gate, up".
inline void add_name(std::string& list, std::string_view name) {
  const std::size_t last = name.rfind(' ') + 1;  // 0 where there is one word
  const bool same_beginning = last > 0 && list.compare(0, last, name.substr(0, last)) == 0;
  list += ", " + std::string(name.substr(same_beginning ? last : 0));
}

}  // namespace detail

/// The weight matrices of a model, multiplied by that many tokens at once on one chip, on the chip's roof. Matrices of
/// experts get their share of the tokens; matrices of the same shape are one dot.
/// Worked: 512 tokens times the 4096 x 4096 query matrix of llama-3-8b have 410 FLOP/B.
[[nodiscard]] inline roofline_chart roofline_of(const chip_spec& chip, const transformer& model, std::int64_t tokens,
                                                dtype type = dtype::bf16) {
  detail::positive_count("tokens", tokens);
  roofline_chart chart;
  chart.title = std::string(model.name.view()) + " on " + std::string(chip.name.view()) + ": " +
                std::to_string(tokens) + (tokens == 1 ? " token, " : " tokens, ") + std::string(name(type));
  chart.peak = peak_rate(chip, type);
  chart.bandwidth = bandwidth(chip, memory_level::hbm);
  for (const weight_matrix& matrix : matrices_of(model)) {
    const std::int64_t share = tokens * matrix.used_per_token / matrix.count;
    const product_shape product{share > 0 ? share : 1, matrix.shape.rows, matrix.shape.columns};
    const flops_per_byte intensity = flops_of(product) / bytes_of(product, uniform(type));
    const auto same = std::find_if(chart.points.begin(), chart.points.end(),
                                   [&](const roofline_point& p) { return p.intensity == intensity; });
    if (same != chart.points.end()) {
      detail::add_name(same->label, matrix.name);
    } else {
      const flops_per_second rate = flops_of(product) / roofline(chip, product, uniform(type)).lower;
      chart.points.push_back({std::string(matrix.name), intensity, rate});
    }
  }
  return chart;
}

/// The plans of an answer that have a price of that kind, by wall time and cost. Worked: for spot each point has the
/// dollars of that plan on spot, and a plan without that price is no point.
[[nodiscard]] inline pareto_chart pareto_of(const plan_answer& answer, provisioning kind = provisioning::on_demand) {
  pareto_chart chart;
  chart.title += ", " + std::string(name(kind));
  for (const plan& p : answer.plans) {
    if (const plan_cost* cost = find_cost(p, kind)) {
      chart.points.push_back({detail::slices_line(p), cost->wall, cost->total});
    }
  }
  return chart;
}

/// Records of `check_records` (tools/lab/validation.hpp) that have a prediction, by generation, small models apart.
/// Worked: a record without a prediction is no point.
template <class Records>
[[nodiscard]] accuracy_chart accuracy_of(const Records& checks) {
  accuracy_chart chart;
  for (const auto& check : checks) {
    if (check.predicted && check.measured) {
      const std::string group = check.in_domain ? check.generation : "below 1.5 B parameters";
      chart.points.push_back({check.id, group, *check.predicted, *check.measured});
    }
  }
  return chart;
}

namespace detail {

inline void draw_roof(svg_canvas& canvas, const roofline_chart& chart, const plot_box& box, const chart_axis& x,
                      const chart_axis& y, label_layer& labels) {
  const double ridge = (chart.peak / chart.bandwidth).value();
  const place start{x.at(x.low), y.at(x.low * chart.bandwidth.value())};
  const place top{x.at(ridge), y.at(chart.peak.value())};
  canvas.polyline(svg_canvas::point_list({start, top, {box.right, top.y}}), {chart_colour(0), 2.5, 1, {}});
  canvas.line(top, {top.x, box.bottom}, {chart_colour(5), 1.5, 0.7, "5 4"});
  labels.keep_off(start, top);
  labels.keep_off(top, {box.right, top.y});
  labels.keep_off(top, {top.x, box.bottom});
  const bool left = top.x - box.left > box.right - top.x;
  labels.write(canvas, {left ? top.x - 7 : top.x + 7, box.bottom - 9},
               "ridge " + one_line(chart.peak / chart.bandwidth), left ? anchor::end : anchor::start);
  labels.write(canvas, {box.right - 4, top.y - 9}, "peak " + one_line(chart.peak), anchor::end);
  labels.write(canvas, {(start.x + top.x) / 2 - 10, (start.y + top.y) / 2 - 6},
               chart.memory + " " + one_line(chart.bandwidth), anchor::end);
}

}  // namespace detail

/// The roof of a chip with some products below or on it: FLOP/s against FLOP/B, the ridge marked. Throws for rates and
/// intensities that are not above 0. Worked: a roof of 100 TFLOP/s and 1 TB/s has its ridge at 100 FLOP/B.
[[nodiscard]] inline std::string to_svg(const roofline_chart& chart) {
  using namespace detail;
  value_range intensity, rate;
  const double peak = on_log_axis("roofline_chart.peak", chart.peak.value());
  const double bandwidth = on_log_axis("roofline_chart.bandwidth", chart.bandwidth.value());
  intensity.take("ridge point", peak / bandwidth);
  rate.take("roofline_chart.peak", peak);
  for (const roofline_point& p : chart.points) {
    intensity.take("roofline_point.intensity", p.intensity.value());
    rate.take("roofline_point.rate", p.rate.value());
  }
  intensity.widen(8, 12);
  rate.low = std::min(rate.low, intensity.low * bandwidth);
  rate.widen(1.2, 2);
  const plot_box box{76, 50, chart_width - 24, 430};
  const chart_axis x = log_axis(intensity.low, intensity.high, box.left, box.right);
  const chart_axis y = log_axis(rate.low / 1e12, rate.high / 1e12, box.bottom, box.top);
  chart_axis in_flops = y;
  in_flops.low = rate.low;
  in_flops.high = rate.high;
  svg_canvas canvas(chart_width, chart.title);
  draw_x_axis(canvas, box, x, "arithmetic intensity (FLOP/byte)");
  draw_y_axis(canvas, box, y, "rate (TFLOP/s)");
  label_layer labels(box);
  draw_roof(canvas, chart, box, x, in_flops, labels);
  const auto at = [&](const roofline_point& p) {
    return place{x.at(p.intensity.value()), in_flops.at(p.rate.value())};
  };
  std::vector<roofline_point> points = chart.points;
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.intensity > b.intensity; });
  for (const roofline_point& p : points) labels.keep_off(at(p));
  for (const roofline_point& p : points) {
    labels.put(canvas, at(p), shortened(p.label, small_text_size, 220), true, 30);
    canvas.dot(at(p), chart_colour(2), 0, p.label + ": " + one_line(p.intensity) + ", " + one_line(p.rate));
  }
  return canvas.finish(box.bottom + 52);
}

/// Time against cost on logarithmic axes: the points that no other beats in both are joined. Their labels are written
/// first, then those of other points where they fit; every label shows when the pointer is on its dot. Throws for a
/// chart without points and for times and amounts that are not above 0. Worked: two plans of 10 and 20 hours have an
/// axis in hours, and the first is a dot at the tick "10".
[[nodiscard]] inline std::string to_svg(const pareto_chart& chart) {
  using namespace detail;
  if (chart.points.empty()) fail(errc::missing_field, "pareto_chart.points", "none", "one point or more");
  value_range time, cost;
  for (const pareto_point& p : chart.points) {
    time.take("pareto_point.wall", p.wall.value());
    cost.take("pareto_point.total", p.total.value());
  }
  time.widen(1.25, 1.6);
  cost.widen(1.15, 1.25);
  const readable::unit in = readable::unit_for(time.high, readable::time_units);
  const plot_box box{84, 70, chart_width - 24, 450};
  const chart_axis x = log_axis(time.low / in.size, time.high / in.size, box.left, box.right);
  const chart_axis y = log_axis(cost.low, cost.high, box.bottom, box.top);
  svg_canvas canvas(chart_width, chart.title);
  legend entries(canvas, 50);
  entries.add_dot("no other is both faster and cheaper", chart_colour(0));
  entries.add_dot("others", chart_colour(6), 1);
  draw_x_axis(canvas, box, x, "wall time (" + std::string(in.name.substr(1)) + ")");
  draw_y_axis(canvas, box, y, "cost (USD)", dollar_label);
  const auto at = [&](const pareto_point& p) { return place{x.at(p.wall.value() / in.size), y.at(p.total.value())}; };

  std::vector<pareto_point> front, others;
  std::vector<pareto_point> points = chart.points;
  std::sort(points.begin(), points.end(),
            [](const auto& a, const auto& b) { return a.wall < b.wall || (a.wall == b.wall && a.total < b.total); });
  for (const pareto_point& p : points) (front.empty() || p.total < front.back().total ? front : others).push_back(p);

  label_layer labels(box);
  for (const pareto_point& p : points) labels.keep_off(at(p));
  for (std::size_t i = 1; i < front.size(); ++i) {
    canvas.line(at(front[i - 1]), at(front[i]), {chart_colour(0), 2, 0.8, {}});
    labels.keep_off(at(front[i - 1]), at(front[i]));
  }
  for (const auto* group : {&front, &others}) {
    const bool first = group == &front;
    for (const pareto_point& p : *group) {
      const std::string words = p.label + ": " + readable::duration(p.wall) + ", " + readable::money(p.total);
      canvas.dot(at(p), chart_colour(first ? 0 : 6), first ? 0 : 1, words);
      labels.put(canvas, at(p), shortened(p.label, small_text_size, 220), false, first ? 10 : 2);
    }
  }
  return canvas.finish(box.bottom + 52);
}

namespace detail {

/// The diagonal and the band beside it, clipped at the box.
inline void draw_diagonal(svg_canvas& canvas, const chart_axis& x, const chart_axis& y, double band) {
  const double low = x.low, high = x.high;
  const auto at = [&](double measured, double predicted) { return place{x.at(measured), y.at(predicted)}; };
  canvas.polygon(svg_canvas::point_list({at(low, low), at(low, low * (1 + band)), at(high / (1 + band), high),
                                         at(high, high), at(high, high * (1 - band)), at(low / (1 - band), low)}),
                 chart_colour(0), 0.25);
  canvas.line(at(low, low), at(high, high), {"currentColor", 1.5, 0.7, {}});
}

[[nodiscard]] inline std::vector<std::string_view> groups_of(const accuracy_chart& chart) {
  std::vector<std::string_view> groups;
  for (const accuracy_point& p : chart.points) {
    if (std::find(groups.begin(), groups.end(), p.group) == groups.end()) groups.push_back(p.group);
  }
  return groups;
}

/// Neighbours differ in shape, and so do groups of the same colour.
[[nodiscard]] constexpr std::size_t shape_of(std::size_t group) noexcept { return group + group / chart_colour_count; }

/// "93 of 99 within 20 %".
[[nodiscard]] inline std::string inside_words(const accuracy_chart& chart) {
  const auto inside = std::count_if(chart.points.begin(), chart.points.end(), [&](const accuracy_point& p) {
    return std::abs(p.predicted / p.measured - 1) <= chart.band;
  });
  return std::to_string(inside) + " of " + std::to_string(chart.points.size()) + " within " +
         number_label(std::round(chart.band * 1000) / 10) + " %";
}

}  // namespace detail

/// Predicted against measured step times on logarithmic axes, with the diagonal and a band of relative error. Throws
/// for a chart without points, times that are not above 0, and a band outside of 0.001 to 0.9. Worked: 1, 15 and 9 s
/// predicted for 1, 10 and 10 s measured are "2 of 3 within 20 %".
[[nodiscard]] inline std::string to_svg(const accuracy_chart& chart) {
  using namespace detail;
  if (chart.points.empty()) fail(errc::missing_field, "accuracy_chart.points", "none", "one point or more");
  in_range("accuracy_chart.band", chart.band, 0.001, 0.9, "0.001 to 0.9");
  value_range times;
  for (const accuracy_point& p : chart.points) {
    times.take("accuracy_point.predicted", p.predicted.value());
    times.take("accuracy_point.measured", p.measured.value());
  }
  const double room = std::max(1.5, 1 / (1 - chart.band));  // the band ends inside of the box
  times.widen(room, room);
  const std::vector<std::string_view> groups = groups_of(chart);
  svg_canvas canvas(chart_width, chart.title);
  legend entries(canvas, 50);
  entries.add(inside_words(chart), chart_colour(0), 0.25);
  entries.add_line("predicted = measured", {"currentColor", 1.5, 0.7, {}});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    entries.add_dot(groups[i].empty() ? "runs" : groups[i], chart_colour(i + 1), shape_of(i));
  }
  const plot_box box{76, entries.bottom(), chart_width - 24, entries.bottom() + 440};
  const chart_axis x = log_axis(times.low, times.high, box.left, box.right);
  const chart_axis y = log_axis(times.low, times.high, box.bottom, box.top);
  draw_x_axis(canvas, box, x, "measured step time (s)");
  draw_y_axis(canvas, box, y, "predicted step time (s)");
  draw_diagonal(canvas, x, y, chart.band);
  for (const accuracy_point& p : chart.points) {
    const std::string words =
        p.label + ": predicted " + readable::duration(p.predicted) + ", measured " + readable::duration(p.measured);
    const auto group = static_cast<std::size_t>(std::find(groups.begin(), groups.end(), p.group) - groups.begin());
    canvas.dot({x.at(p.measured.value()), y.at(p.predicted.value())}, chart_colour(group + 1), shape_of(group), words);
  }
  return canvas.finish(box.bottom + 52);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
