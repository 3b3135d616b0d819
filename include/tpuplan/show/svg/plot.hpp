#ifndef TPUPLAN_SHOW_SVG_PLOT_HPP
#define TPUPLAN_SHOW_SVG_PLOT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <tpuplan/show/svg/canvas.hpp>
#include <vector>

/// @file
/// What the charts have in common: axes with ticks, a frame, a legend, and labels that do not overlap.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

inline constexpr double chart_width = 760;

/// Refuses what cannot be placed on a logarithmic axis.
inline double on_log_axis(std::string_view field, double value) {
  positive(field, value);
  return in_range(field, value, 1e-100, 1e100, "1e-100 to 1e100");
}
/// Refuses what cannot be the length of a bar.
inline double on_linear_axis(std::string_view field, double value) {
  return in_range(field, not_negative(field, value), 0, 1e100, "0 to 1e100");
}

/// From values to coordinates.
struct chart_axis {
  bool logarithmic = false;
  double low = 0;  ///< value at `from`
  double high = 1;
  double from = 0;  ///< coordinate
  double to = 1;
  std::vector<double> ticks{};

  [[nodiscard]] double at(double value) const {
    const auto scaled = [this](double x) { return logarithmic ? std::log10(x) : x; };
    return from + (to - from) * (scaled(value) - scaled(low)) / (scaled(high) - scaled(low));
  }
};

/// 1, 2 or 5 times a power of ten: the first that is not below. Worked: 0.2 for 0.13.
[[nodiscard]] inline double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1, 2, 5}) {
    if (factor * power >= least * 0.999999) return factor * power;
  }
  return 10 * power;
}

/// From 0 to the tick at or above the largest value; what is below 1e-100 lies at 0.
[[nodiscard]] inline chart_axis linear_axis(double largest, double from, double to) {
  const double step = round_step((largest > 1e-100 ? largest : 1) / 8);
  const double steps = std::max(1.0, std::ceil(largest / step * 0.999999));
  chart_axis axis{false, 0, steps * step, from, to, {}};
  for (double i = 0; i <= steps; ++i) axis.ticks.push_back(i * step);
  return axis;
}

/// Ticks between two values of a logarithmic axis: decades where there are more than three, else 1, 2 and 5 of each, or
/// even steps where not even a factor of eight is between them.
[[nodiscard]] inline std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  const double decades = std::log10(high / low);
  if (decades < 0.9) {
    const double step = round_step((high - low) / 6);
    for (double i = std::ceil(low / step); i * step <= high; ++i) ticks.push_back(i * step);
    return ticks;
  }
  const double every = std::ceil(decades / 8);
  for (double power = std::floor(std::log10(low)); power <= std::log10(high); ++power) {
    if (std::fmod(power, every) != 0) continue;
    for (const double factor : {1, 2, 5}) {
      const double tick = factor * std::pow(10, power);
      if ((factor < 2 || decades <= 3) && tick >= low && tick <= high) ticks.push_back(tick);
    }
  }
  return ticks;
}

[[nodiscard]] inline chart_axis log_axis(double low, double high, double from, double to) {
  return {true, low, high, from, to, log_ticks(low, high)};
}

/// "0.5", "200", "1e6".
[[nodiscard]] inline std::string number_label(double value) {
  const auto short_form = [](double x) {
    std::string text = readable::fixed(x, 6);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
  };
  if (value == 0 || (value >= 0.0009999 && value < 99999.5)) return short_form(value);
  const double power = std::floor(std::log10(value) + 1e-9);
  return short_form(value / std::pow(10, power)) + "e" + readable::fixed(power, 0);
}

/// "$500", "$1.5k", "$20M".
[[nodiscard]] inline std::string dollar_label(double value) {
  const readable::measured m = readable::measure(usd{value});
  return std::string(m.before) + number_label(m.number) + std::string(m.after);
}

/// The box between the axes.
struct plot_box {
  double left = 0, top = 0, right = 0, bottom = 0;
};

[[nodiscard]] inline bool overlap(const plot_box& a, const plot_box& b) noexcept {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/// Grid, ticks and the title of the axis below.
inline void draw_x_axis(svg_canvas& canvas, const plot_box& box, const chart_axis& axis, std::string_view title,
                        std::string (*label)(double) = number_label) {
  for (const double tick : axis.ticks) {
    const double x = axis.at(tick);
    canvas.line({x, box.top}, {x, box.bottom}, {"currentColor", 1, 0.15, {}});
    canvas.line({x, box.bottom}, {x, box.bottom + 5});
    canvas.write({x, box.bottom + 19}, label(tick), anchor::middle, small_text_size);
  }
  canvas.line({box.left, box.bottom}, {box.right, box.bottom});
  canvas.write({(box.left + box.right) / 2, box.bottom + 39}, title, anchor::middle);
}

/// Grid, ticks and the title of the axis at the left.
inline void draw_y_axis(svg_canvas& canvas, const plot_box& box, const chart_axis& axis, std::string_view title,
                        std::string (*label)(double) = number_label) {
  for (const double tick : axis.ticks) {
    const double y = axis.at(tick);
    canvas.line({box.left, y}, {box.right, y}, {"currentColor", 1, 0.15, {}});
    canvas.line({box.left - 5, y}, {box.left, y});
    canvas.write({box.left - 9, y + 4}, label(tick), anchor::end, small_text_size);
  }
  canvas.line({box.left, box.top}, {box.left, box.bottom});
  canvas.write({20, (box.top + box.bottom) / 2}, title, anchor::middle, text_size, true);
}

/// The least and the most of some values, each checked.
struct value_range {
  double low = 1e300;
  double high = 0;

  void take(std::string_view field, double value) {
    on_log_axis(field, value);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Room at both ends: these factors, and a twentieth of what is between.
  void widen(double below, double above) {
    const double more = std::pow(high / low, 0.05);
    low /= below * more;
    high *= above * more;
  }
};

/// Labels of dots. Each is put beside its dot, or as near as is free, with a line to it from farther away.
class label_layer {
 public:
  explicit label_layer(const plot_box& box) : box_{box} {}

  /// Keeps labels off a dot.
  void keep_off(place dot) { taken_.push_back({dot.x - 6, dot.y - 6, dot.x + 6, dot.y + 6}); }
  /// Keeps labels off a line.
  void keep_off(place a, place b) {
    const double pieces = std::ceil(std::hypot(b.x - a.x, b.y - a.y) / 5) + 1;
    for (double i = 0; i <= pieces; ++i) {
      const place p{a.x + (b.x - a.x) * i / pieces, a.y + (b.y - a.y) * i / pieces};
      taken_.push_back({p.x - 2, p.y - 2, p.x + 2, p.y + 2});
    }
  }

  /// Writes words at a given place, which labels then keep off.
  void write(svg_canvas& canvas, place at, std::string_view words, anchor side = anchor::start) {
    const double width = text_width(words, text_size);
    const double left = side == anchor::start ? at.x : at.x - width;
    taken_.push_back({left, at.y - 12, left + width, at.y + 4});
    canvas.write(at, words, side);
  }

  /// Writes the label of a dot, at the right if it can, and `below` its height or above, at most `farthest` rows away
  /// but nearer where that is free. False where nothing is free.
  bool put(svg_canvas& canvas, place dot, std::string_view words, bool below, int farthest) {
    const double width = text_width(words, small_text_size);
    for (const int rows : {farthest / 5, farthest / 2, farthest}) {
      for (const bool as_wished : {true, false}) {
        for (const bool right : {true, false}) {
          for (int row = 0; row <= rows; ++row) {
            const double gap = 9 + 4 * row;
            const double left = right ? dot.x + gap : dot.x - gap - width;
            const double middle = dot.y + (below == as_wished ? 13 : -13) * row;
            const plot_box room{left - 3, middle - 6, left + width + 3, middle + 6};
            if (!is_free(room)) continue;
            taken_.push_back(room);
            if (row > 1) canvas.line(dot, {right ? left - 2 : left + width + 2, middle}, {"currentColor", 1, 0.4, {}});
            canvas.write({right ? left : left + width, middle + 4}, words, right ? anchor::start : anchor::end,
                         small_text_size);
            return true;
          }
        }
      }
    }
    return false;
  }

 private:
  [[nodiscard]] bool is_free(const plot_box& b) const {
    if (b.left < box_.left || b.right > box_.right || b.top < box_.top || b.bottom > box_.bottom) return false;
    return std::none_of(taken_.begin(), taken_.end(), [&b](const plot_box& other) { return overlap(b, other); });
  }

  plot_box box_;
  std::vector<plot_box> taken_{};
};

/// Entries of a legend in lines from the left.
class legend {
 public:
  legend(svg_canvas& canvas, double top) : canvas_{canvas}, at_{16, top} {}

  /// A coloured box or, with a shape, a dot.
  void add(std::string_view words, std::string_view colour, double opacity = 1) {
    const place p = next(words);
    canvas_.rectangle({p.x, p.y - 10}, 12, 12, colour, {}, opacity);
  }
  void add_dot(std::string_view words, std::string_view colour, std::size_t shape = 0) {
    const place p = next(words);
    canvas_.dot({p.x + 6, p.y - 4}, colour, shape);
  }
  void add_line(std::string_view words, const stroke& with) {
    const place p = next(words);
    canvas_.line({p.x, p.y - 4}, {p.x + 14, p.y - 4}, with);
  }
  /// The line below the last entry.
  [[nodiscard]] double bottom() const noexcept { return at_.y + 20; }

 private:
  place next(std::string_view words) {
    const double width = 18 + text_width(words, small_text_size) + 14;
    if (at_.x > 16 && at_.x + width > canvas_.width()) at_ = {16, at_.y + 20};
    const place here = at_;
    at_.x += width;
    canvas_.write({here.x + 18, here.y}, words, anchor::start, small_text_size);
    return here;
  }

  svg_canvas& canvas_;
  place at_;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
