#ifndef TPUPLAN_SHOW_SVG_PICTURE_HPP
#define TPUPLAN_SHOW_SVG_PICTURE_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <tpuplan/reflect/fields.hpp>
#include <utility>

/// @file
/// A chart as a part of a page, beside the text that it belongs to.

namespace tpuplan {
inline namespace abi_0 {

/// One picture of an answer.
struct picture {
  std::string name{};   ///< which of the answer's pictures: "front", "load", "memory", "roofline", "steps"
  std::string title{};  ///< what stands above it
  std::string svg{};    ///< an svg element without style, script or links: it takes the colour of the text around it
};

/// What `to_svg` drew, without the style that it has as a file of its own: a page under a strict
/// Content-Security-Policy takes it in. Worked: "<svg><style>a</style>\n<g/></svg>" becomes "<svg><g/></svg>".
[[nodiscard]] inline std::string without_style(std::string svg) {
  constexpr std::string_view end = "</style>\n";
  const std::size_t from = svg.find("<style>"), to = svg.find(end);  // words are escaped, so these are the canvas's own
  if (from != std::string::npos && to != std::string::npos) svg.erase(from, to + end.size() - from);
  return svg;
}
/// The colours of a picture that is a file of its own.
inline constexpr std::string_view svg_style =
    "<style>svg:root{color:#333;background:#fff}"
    "@media(prefers-color-scheme:dark){svg:root{color:#ddd;background:#1e1e1e}}</style>\n";
/// A picture of a page as a file of its own: what without_style took away is in its place again.
[[nodiscard]] inline std::string with_style(std::string svg) {
  constexpr std::string_view end = "</title>\n";
  if (const std::size_t at = svg.find(end); at < svg.size()) svg.insert(at + end.size(), svg_style);
  return svg;
}
/// A chart as a picture of a page. Worked: picture_of("memory", chart).svg is without_style(to_svg(chart)).
template <class Chart>
[[nodiscard]] picture picture_of(std::string name, const Chart& chart) {
  return {std::move(name), chart.title, without_style(to_svg(chart))};
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::picture, name, title, svg)

#endif
