#ifndef TPUPLAN_SHOW_SVG_CANVAS_HPP
#define TPUPLAN_SHOW_SVG_CANVAS_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/show/svg/picture.hpp>
#include <tpuplan/show/text/readable.hpp>

/// @file
/// Drawing for the charts: SVG elements in a string, with text escaped and numbers checked.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// Colours that the colour-blind can tell apart, in the middle between black and white, so that they show on both.
/// Source: Okabe and Ito, "Color Universal Design" (2008), without black and yellow, the blue lighter; grey, brown
/// and olive added.
inline constexpr std::string_view chart_colours[] = {"#1f7fc4", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
                                                     "#d55e00", "#888888", "#8c6d31", "#8aa31c"};
inline constexpr std::size_t chart_colour_count = sizeof(chart_colours) / sizeof(chart_colours[0]);

[[nodiscard]] constexpr std::string_view chart_colour(std::size_t i) noexcept {
  return chart_colours[i % chart_colour_count];
}

/// Bytes of the UTF-8 character at the beginning, 0 where there is none that XML allows.
[[nodiscard]] constexpr std::size_t utf8_length(std::string_view s) noexcept {
  const auto byte = [&s](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_large = first == 0xF4 && second >= 0x90;
  const bool not_a_character = first == 0xEF && second == 0xBF && byte(2) >= 0xBE;
  const bool control = first == 0xC2 && second < 0xA0;
  return overlong || surrogate || too_large || not_a_character || control ? 0 : length;
}

/// Text as content or attribute of an element; bytes that XML does not allow become question marks.
[[nodiscard]] inline std::string escaped(std::string_view words) {
  std::string result;
  while (!words.empty()) {
    const std::size_t length = utf8_length(words);
    switch (words.front()) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      case '\t':
      case '\n':
      case '\r': result += ' '; break;
      default: length == 0 ? result += '?' : result += words.substr(0, length);
    }
    words.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

/// An upper bound on the width of a character as a share of the font size; characters of three bytes and more are
/// wider.
inline constexpr double character_width = 0.6;

[[nodiscard]] inline double text_width(std::string_view words, double size) noexcept {
  double characters = 0;
  while (!words.empty()) {
    const std::size_t length = utf8_length(words);
    characters += length > 2 ? 1.7 : 1;
    words.remove_prefix(length == 0 ? 1 : length);
  }
  return characters * size * character_width;
}

/// The beginning that fits into a width, with dots where something is left out.
[[nodiscard]] inline std::string shortened(std::string_view words, double size, double width) {
  if (text_width(words, size) <= width) return std::string(words);
  std::size_t end = 0;
  while (end < words.size()) {
    const std::size_t length = utf8_length(words.substr(end));
    const std::size_t next = end + (length == 0 ? 1 : length);
    if (text_width(words.substr(0, next), size) > width - 3 * size * character_width) break;
    end = next;
  }
  return std::string(words.substr(0, end)) + "...";
}

/// A coordinate: two decimals at most. Refuses what is not finite.
[[nodiscard]] inline std::string coordinate(double value) {
  in_range("coordinate of a chart", value, -1e6, 1e6, "-1e6 to 1e6");
  std::string text = readable::fixed(value, 2);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

struct place {
  double x = 0;
  double y = 0;
};

/// How text stands beside its place.
enum class anchor : std::uint8_t { start, middle, end };

/// How a line or an outline is drawn.
struct stroke {
  std::string_view colour = "currentColor";
  double width = 1;
  double opacity = 1;
  std::string_view dashes{};
};

inline constexpr double text_size = 12;
inline constexpr double small_text_size = 11;

/// A picture under construction. Text takes the colour of the page around it; as a file of its own it is dark or light
/// after the reader's preference.
class svg_canvas {
 public:
  svg_canvas(double width, std::string_view title) : width_{width}, title_{escaped(title)} {
    write({16, 26}, shortened(title, 15, width - 32), anchor::start, 15);
  }

  void line(place from, place to, const stroke& with = {}) {
    body_ += "<line x1=\"" + coordinate(from.x) + "\" y1=\"" + coordinate(from.y) + "\" x2=\"" + coordinate(to.x) +
             "\" y2=\"" + coordinate(to.y) + "\"" + attributes(with) + "/>\n";
  }

  /// A line through several places: `shape` is "x,y x,y ..." of `point_list`.
  void polyline(const std::string& shape, const stroke& with) {
    body_ += "<polyline points=\"" + shape + "\" fill=\"none\"" + attributes(with) + "/>\n";
  }
  void polygon(const std::string& shape, std::string_view colour, double opacity) {
    body_ += "<polygon points=\"" + shape + "\" fill=\"" + std::string(colour) + "\" fill-opacity=\"" +
             coordinate(opacity) + "\"/>\n";
  }

  /// A box with words that show when the pointer is on it.
  void rectangle(place corner, double width, double height, std::string_view colour, std::string_view hint = {},
                 double opacity = 1) {
    body_ += "<rect x=\"" + coordinate(corner.x) + "\" y=\"" + coordinate(corner.y) + "\" width=\"" +
             coordinate(width) + "\" height=\"" + coordinate(height) + "\" fill=\"" + std::string(colour) + "\"";
    if (opacity != 1) body_ += " fill-opacity=\"" + coordinate(opacity) + "\"";
    body_ += hinted("rect", hint);
  }

  /// A dot in one of three shapes, so that colour alone need not tell groups apart.
  void dot(place at, std::string_view colour, std::size_t shape = 0, std::string_view hint = {}) {
    const std::string ink = "\" fill=\"" + std::string(colour) + "\" fill-opacity=\"0.85\"";
    if (shape % 3 == 0) {
      body_ += "<circle cx=\"" + coordinate(at.x) + "\" cy=\"" + coordinate(at.y) + "\" r=\"4.5" + ink +
               hinted("circle", hint);
      return;
    }
    const double r = shape % 3 == 1 ? 4 : 5.5;
    const std::string corners =
        shape % 3 == 1
            ? point_list({{at.x - r, at.y - r}, {at.x + r, at.y - r}, {at.x + r, at.y + r}, {at.x - r, at.y + r}})
            : point_list({{at.x, at.y - r}, {at.x + r, at.y}, {at.x, at.y + r}, {at.x - r, at.y}});
    body_ += "<polygon points=\"" + corners + ink + hinted("polygon", hint);
  }

  void write(place at, std::string_view words, anchor side = anchor::start, double size = text_size,
             bool upwards = false) {
    const std::string x = coordinate(at.x), y = coordinate(at.y);
    body_ += "<text x=\"" + x + "\" y=\"" + y + "\"";
    if (side != anchor::start) body_ += side == anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
    if (size != text_size) body_ += " font-size=\"" + coordinate(size) + "\"";
    if (upwards) body_ += " transform=\"rotate(-90 " + x + " " + y + ")\"";
    body_ += ">" + escaped(words) + "</text>\n";
  }

  [[nodiscard]] static std::string point_list(std::initializer_list<place> places) {
    std::string list;
    for (const place& p : places) list += (list.empty() ? "" : " ") + coordinate(p.x) + "," + coordinate(p.y);
    return list;
  }

  [[nodiscard]] double width() const noexcept { return width_; }

  /// The picture, of that height.
  [[nodiscard]] std::string finish(double height) const {
    const std::string size = coordinate(width_) + "\" height=\"" + coordinate(height);
    const std::string box = coordinate(width_) + " " + coordinate(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " + box +
           "\" role=\"img\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"" + coordinate(text_size) +
           "\" fill=\"currentColor\">\n<title>" + title_ + "</title>\n" + std::string(svg_style) + body_ + "</svg>\n";
  }

 private:
  static std::string attributes(const stroke& with) {
    std::string result = " stroke=\"" + std::string(with.colour) + "\"";
    if (with.width != 1) result += " stroke-width=\"" + coordinate(with.width) + "\"";
    if (with.opacity != 1) result += " stroke-opacity=\"" + coordinate(with.opacity) + "\"";
    if (!with.dashes.empty()) result += " stroke-dasharray=\"" + std::string(with.dashes) + "\"";
    return result;
  }
  static std::string hinted(const std::string& element, std::string_view hint) {
    return hint.empty() ? "/>\n" : "><title>" + escaped(hint) + "</title></" + element + ">\n";
  }

  double width_;
  std::string title_;
  std::string body_{};
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
