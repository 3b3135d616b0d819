#ifndef TPUPLAN_SHOW_SVG_CHANCES_HPP
#define TPUPLAN_SHOW_SVG_CHANCES_HPP

#include <cstddef>
#include <string>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/show/svg/plot.hpp>
#include <vector>

/// @file
/// The share of runs that are done by a time, or for an amount.

namespace tpuplan {
inline namespace abi_0 {

/// A distribution by its quantiles.
struct chance_chart {
  std::string title{};           ///< above the picture
  std::string axis{};            ///< of the values: "days from the start"
  std::vector<double> values{};  ///< at 1 %, 2 % … of the runs, rising; fewer than 99 where not all end
  maybe<double> limit{};         ///< a deadline or a budget
};

/// A rising line from 0 to 100 % of the runs, and the limit as a dashed line. Long tails beyond three times the median
/// are cut. Throws for a chart without values and for values that are not above 0. Worked: a chart of 99 values has a
/// line of 98 pieces.
[[nodiscard]] inline std::string to_svg(const chance_chart& chart) {
  using namespace detail;
  if (chart.values.empty()) fail(errc::missing_field, "chance_chart.values", "none", "one value or more");
  for (const double one : chart.values) on_linear_axis("chance_chart.values", positive("chance_chart.values", one));
  const double middle = chart.values[chart.values.size() / 2];
  const double last = std::min(std::max(chart.values.back(), (chart.limit ? *chart.limit : 0) * 1.05), 3 * middle);
  svg_canvas canvas(chart_width, chart.title);
  const plot_box box{84, 50, chart_width - 24, 330};
  const chart_axis x = linear_axis(last, box.left, box.right);
  chart_axis y{false, 0, 100, box.bottom, box.top, {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}};
  draw_x_axis(canvas, box, x, chart.axis);
  draw_y_axis(canvas, box, y, "runs (%)");
  for (std::size_t i = 1; i < chart.values.size() && chart.values[i] <= x.high; ++i)
    canvas.line({x.at(chart.values[i - 1]), y.at(static_cast<double>(i))},
                {x.at(chart.values[i]), y.at(static_cast<double>(i + 1))}, {chart_colour(0), 2, 0.9, {}});
  if (chart.limit && *chart.limit <= x.high)
    canvas.line({x.at(*chart.limit), box.top}, {x.at(*chart.limit), box.bottom}, {"currentColor", 1.5, 0.7, "6 4"});
  return canvas.finish(box.bottom + 52);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
