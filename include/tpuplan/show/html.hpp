#ifndef TPUPLAN_SHOW_HTML_HPP
#define TPUPLAN_SHOW_HTML_HPP

#include <string>
#include <string_view>
#include <tpuplan/show/svg/canvas.hpp>
#include <tpuplan/show/svg/picture.hpp>
#include <tpuplan/show/view.hpp>
#include <tpuplan/version.hpp>
#include <vector>

/// @file
/// A view as elements of a page, and as one HTML file with its question. There is no script and no link in it, all
/// words are escaped, and it is well-formed XML.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

inline constexpr std::string_view html_style =
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;"
    "padding:0 1rem}table{border-collapse:collapse;display:block;overflow-x:auto;margin:1rem 0}"
    "th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid "
    "#8886}.number{text-align:right;white-space:nowrap}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.7rem;background:#8882}figure{margin:1.5rem 0}"
    "svg{max-width:100%;height:auto}h2{margin:2rem 0 .5rem}"
    "details{margin:.5rem 0 .5rem 1rem}summary{cursor:pointer}"
    "@page{size:A4;margin:13mm 15mm}@media print{:root{color-scheme:light}body{font-size:9pt;line-height:1.35;"
    "max-width:none;margin:0;padding:0}h1{font-size:15pt;margin:0 0 .5rem}h2{font-size:11pt;margin:.8rem 0 .2rem;"
    "break-after:avoid}p{margin:.2rem 0}table{display:table;margin:.3rem 0;break-inside:avoid}th,td{padding:.1rem "
    ".5rem}pre{padding:.3rem;margin:.2rem 0}figure{margin:.5rem 0;break-inside:avoid}svg{max-height:72mm}}";

/// Sentences as paragraphs.
[[nodiscard]] inline std::string html_paragraphs(const std::vector<std::string>& sentences) {
  std::string html;
  for (const std::string& one : sentences) html += "<p>" + escaped(one) + "</p>\n";
  return html;
}
/// Words as a heading. Worked: "assumed" is "Assumed".
[[nodiscard]] inline std::string html_heading(std::string_view words) {
  std::string heading = escaped(words);
  if (!heading.empty() && heading[0] >= 'a' && heading[0] <= 'z')
    heading[0] = static_cast<char>(heading[0] - 'a' + 'A');
  return heading;
}
/// A table; cells of numbers are of the class "number".
[[nodiscard]] inline std::string html_table_of(const view_part& part) {
  std::string html = "<table>\n<tr>";
  const auto side = [&](std::size_t i) { return part.columns[i].at_end ? " class=\"number\">" : ">"; };
  for (std::size_t i = 0; i < part.columns.size(); ++i)
    html += "<th scope=\"col\"" + std::string(side(i)) + escaped(part.columns[i].title) + "</th>";
  html += "</tr>\n";
  for (const std::vector<view_cell>& row : part.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < part.columns.size(); ++i)
      html += "<td" + std::string(side(i)) + (i < row.size() ? escaped(row[i].text) : std::string()) + "</td>";
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

}  // namespace detail

/// A view as elements of a page, without its title: sentences, pictures, and parts under headings; folded parts open
/// when the reader asks. Worked: a sentence "<b>" is "<p>&lt;b&gt;</p>\n".
[[nodiscard]] inline std::string html_parts(const view& shown) {
  std::string html = detail::html_paragraphs(shown.sentences);
  bool pictured = false;
  const auto pictures = [&] {
    if (pictured) return;
    pictured = true;
    for (const picture& one : shown.pictures) html += "<figure>\n" + one.svg + "</figure>\n";
  };
  for (const view_part& part : shown.parts) {
    if (&part != &shown.parts.front()) pictures();
    const std::string title = detail::html_heading(part.title);
    if (part.folded) html += "<details>\n<summary>" + title + "</summary>\n";
    if (!part.folded && !title.empty()) html += "<h2>" + title + "</h2>\n";
    html += detail::html_paragraphs(part.sentences);
    if (!part.rows.empty()) html += detail::html_table_of(part);
    html += detail::html_paragraphs(part.notes);
    if (part.folded) html += "</details>\n";
  }
  pictures();
  return html;
}

/// A view as the text of an HTML file, which needs no network: the answer, then the question as it was asked. Its
/// content policy allows no script and loads nothing; it is well-formed XML. Worked: a title "<b>" is written as
/// &lt;b&gt;.
[[nodiscard]] inline std::string to_html(const view& shown, std::string_view question) {
  const std::string title = detail::escaped(shown.title);
  return "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta "
         "charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
         title + "</title>\n<style>" + std::string(detail::html_style) + "</style>\n</head>\n<body>\n<main>\n<h1>" +
         title + "</h1>\n" + html_parts(shown) + "<h2>Question</h2>\n<pre>" + detail::escaped(question) +
         "</pre>\n<h2>Sources</h2>\n<p>tpuplan " + std::to_string(TPUPLAN_VERSION_MAJOR) + "." +
         std::to_string(TPUPLAN_VERSION_MINOR) + "." + std::to_string(TPUPLAN_VERSION_PATCH) +
         ". Figures of chips: data/hardware.json, each with its source. Estimates: fitted to published runs; "
         "docs/accuracy.md has their errors and what their bands mean. Amounts are as of their dates.</p>\n</main>\n"
         "</body>\n</html>\n";
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
