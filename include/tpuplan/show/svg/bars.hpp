#ifndef TPUPLAN_SHOW_SVG_BARS_HPP
#define TPUPLAN_SHOW_SVG_BARS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/show/svg/plot.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <vector>

/// @file
/// Bars of parts that add up: memory by part against usable HBM, and step time by what it waits for.

namespace tpuplan {
inline namespace abi_0 {

/// HBM of one device, for one slice, layout or policy.
struct memory_bar {
  std::string label{};        ///< what stands beside the bar
  memory_breakdown memory{};  ///< its parts
};
/// Bars of memory on one scale.
struct memory_chart {
  std::string title{"HBM of one device"};  ///< above the picture
  std::vector<memory_bar> bars{};          ///< from top to bottom
};

/// One step, for one slice, layout or policy.
struct step_bar {
  std::string label{};    ///< what stands beside the bar
  step_breakdown step{};  ///< its parts
};
/// Bars of time on one scale.
struct step_chart {
  std::string title{"Time of one step"};  ///< above the picture
  std::vector<step_bar> bars{};           ///< from top to bottom
};

namespace detail {

/// One bar, in the unit of the axis.
struct stacked_bar {
  std::string label{};
  std::string note{};
  std::vector<part> parts{};
  double low = 0;
  double high = 0;
  double limit = 0;  ///< 0: none
};

struct stacked_chart {
  std::string title{};
  std::string quantity{};
  std::string unit{};
  std::string band{};   ///< words for the range from low to high
  std::string limit{};  ///< words for the limit
  std::vector<stacked_bar> bars{};
};

[[nodiscard]] inline double longest(const stacked_bar& bar) {
  double total = 0;
  for (const part& p : bar.parts) total += p.value;
  return std::max({total, bar.high, bar.limit});
}

/// The indices of the parts that any bar has: only these are in the legend.
[[nodiscard]] inline std::vector<std::size_t> parts_seen(const std::vector<stacked_bar>& bars) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < bars.front().parts.size(); ++i) {
    const auto has_it = [i](const stacked_bar& bar) { return bar.parts[i].value > 0; };
    if (std::any_of(bars.begin(), bars.end(), has_it)) indices.push_back(i);
  }
  return indices;
}

inline void draw_bar(svg_canvas& canvas, const stacked_bar& bar, const std::string& unit, const chart_axis& axis,
                     double top) {
  const double note_width = text_width(bar.note, small_text_size);
  canvas.write({axis.from, top + 11}, shortened(bar.label, text_size, axis.to - axis.from - note_width - 20));
  canvas.write({axis.to, top + 11}, bar.note, anchor::end, small_text_size);
  double from = 0;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    const part& p = bar.parts[i];
    if (p.value == 0) continue;
    const double left = axis.at(from);
    from += p.value;
    canvas.rectangle({left, top + 18}, axis.at(from) - left, 18, chart_colour(i),
                     std::string(p.name) + " " + readable::three_digits(p.value) + " " + unit);
  }
  const double middle = top + 27;
  canvas.line({axis.at(bar.low), middle}, {axis.at(bar.high), middle}, {"currentColor", 1.5, 1, {}});
  for (const double end : {bar.low, bar.high}) {
    canvas.line({axis.at(end), middle - 5}, {axis.at(end), middle + 5}, {"currentColor", 1.5, 1, {}});
  }
  if (bar.limit > 0) {
    canvas.line({axis.at(bar.limit), top + 15}, {axis.at(bar.limit), top + 39}, {"currentColor", 3, 1, {}});
  }
}

[[nodiscard]] inline std::string to_svg(const stacked_chart& chart, std::string_view field) {
  if (chart.bars.empty()) fail(errc::missing_field, field, "none", "one bar or more");
  double largest = 0;
  for (const stacked_bar& bar : chart.bars) largest = std::max(largest, longest(bar));
  svg_canvas canvas(chart_width, chart.title);
  legend entries(canvas, 50);
  for (const std::size_t i : parts_seen(chart.bars)) entries.add(chart.bars.front().parts[i].name, chart_colour(i));
  entries.add_line(chart.band, {"currentColor", 1.5, 1, {}});
  if (!chart.limit.empty()) entries.add_line(chart.limit, {"currentColor", 3, 1, {}});
  const double row = 46;
  const double top = entries.bottom();
  const double bottom = top + row * static_cast<double>(chart.bars.size()) + 4;
  const chart_axis axis = linear_axis(largest, 24, chart_width - 24);
  draw_x_axis(canvas, {axis.from, top, axis.to, bottom}, axis, chart.quantity + " (" + chart.unit + ")");
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    draw_bar(canvas, chart.bars[i], chart.unit, axis, top + row * static_cast<double>(i));
  }
  return canvas.finish(bottom + 52);
}

/// Parts in another unit, each checked.
template <std::size_t Count>
[[nodiscard]] std::vector<part> parts_in(const std::array<part, Count>& parts, double unit) {
  std::vector<part> result;
  result.reserve(Count);
  for (const part& p : parts) result.push_back({p.name, on_linear_axis(p.name, p.value) / unit});
  return result;
}

}  // namespace detail

/// Memory by part, with the low and high estimate, against what XLA lets a program use. Throws for a chart without bars
/// and for negative or infinite amounts. Worked: parts of 4 and 6 GiB on a device with 14 GiB usable are two bars and
/// the words "10.0 of 14.0 GiB (fits: yes)".
[[nodiscard]] inline std::string to_svg(const memory_chart& chart) {
  const double gib = (1_GiB).value();
  detail::stacked_chart bars{chart.title, "HBM of one device", "GiB", "low to high estimate", "usable HBM", {}};
  for (const memory_bar& b : chart.bars) {
    const memory_breakdown& m = b.memory;
    bars.bars.push_back({b.label, detail::memory_head(m), detail::parts_in(detail::memory_parts(m), gib),
                         detail::on_linear_axis("memory_breakdown.low", m.low.value()) / gib,
                         detail::on_linear_axis("memory_breakdown.high", m.high.value()) / gib,
                         detail::on_linear_axis("memory_breakdown.usable", m.usable.value()) / gib});
  }
  return detail::to_svg(bars, "memory_chart.bars");
}

/// Step time by part, of collectives what the step waits for, with the band. Throws for a chart without bars and for
/// negative or infinite times. Worked: a step of 5 ms has an axis in ms, one of 2 s an axis in s.
[[nodiscard]] inline std::string to_svg(const step_chart& chart) {
  seconds largest{};
  for (const step_bar& b : chart.bars) largest = max(largest, b.step.high);
  const readable::unit in =
      readable::unit_for(detail::on_linear_axis("step_breakdown.high", largest.value()), readable::time_units);
  detail::stacked_chart bars{
      chart.title, "step time", std::string(in.name.substr(1)), "band of nine in ten published runs", "", {}};
  for (const step_bar& b : chart.bars) {
    const step_breakdown& t = b.step;
    const std::string note = detail::step_head(t) + (t.extrapolated ? ", extrapolated" : "");
    bars.bars.push_back({b.label, note, detail::parts_in(detail::step_parts(t), in.size),
                         detail::on_linear_axis("step_breakdown.low", t.low.value()) / in.size,
                         detail::on_linear_axis("step_breakdown.high", t.high.value()) / in.size, 0});
  }
  return detail::to_svg(bars, "step_chart.bars");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
