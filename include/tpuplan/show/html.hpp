#ifndef TPUPLAN_SHOW_HTML_HPP
#define TPUPLAN_SHOW_HTML_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/base/units.hpp>
#include <tpuplan/show/svg/canvas.hpp>
#include <tpuplan/show/svg/picture.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <tpuplan/version.hpp>
#include <vector>

/// @file
/// An answer as one HTML file: the question, the answer, its pictures, what was assumed, and the prices it rests on.
/// There is no script and no link in it, all words are escaped, and it is well-formed XML.

namespace tpuplan {
inline namespace abi_0 {

/// The contents of a report.
struct html_report {
  std::string title{};              ///< "Llama 3.1 8B on v6e-256"
  std::string question{};           ///< as it was asked: a command line, or JSON
  nlohmann::ordered_json answer{};  ///< the document of the answer, as `ask` and the command line's --json have it
  std::vector<picture> pictures{};  ///< in their order
};

namespace detail {

/// The most rows of a list, and the most levels of objects, that are shown.
inline constexpr std::size_t html_rows_shown = 40;
inline constexpr int html_depth = 3;

[[nodiscard]] inline bool ends_with(std::string_view words, std::string_view end) {
  return words.size() >= end.size() && words.substr(words.size() - end.size()) == end;
}

/// The unit at the end of a key, which `html_value` writes beside the number: "_usd_per_s", "_bytes", "_usd", "_s" or
/// nothing.
[[nodiscard]] inline std::string_view unit_behind(std::string_view key) {
  for (const std::string_view unit : {"_usd_per_s", "_bytes", "_usd", "_s"}) {
    if (ends_with(key, unit) && !(unit == "_s" && ends_with(key, "_per_s"))) return unit;
  }
  return {};
}

/// A key as words, without its unit. Worked: "step_time_s" is "step time", "tokens_per_s" is "tokens per s".
[[nodiscard]] inline std::string html_label(std::string_view key) {
  std::string label(key.substr(0, key.size() - unit_behind(key).size()));
  std::replace(label.begin(), label.end(), '_', ' ');
  return escaped(label);
}

/// Whether the texts of a key are names of enumerators, in which underscores stand for spaces.
[[nodiscard]] inline bool is_enumerated(std::string_view key) {
  for (const std::string_view one : {"reason", "kind", "paid_as", "limit", "qualifier", "limited_by"}) {
    if (key == one) return true;
  }
  return false;
}

/// A number, a text or a truth value, with the unit of its key. Worked: 2.5 under "step_time_s" is "2.50 s", 0.443
/// under "mfu" is "44.3 %".
[[nodiscard]] inline std::string html_value(std::string_view key, const nlohmann::ordered_json& value) {
  if (value.is_string()) {
    std::string words = value.get<std::string>();
    if (is_enumerated(key)) std::replace(words.begin(), words.end(), '_', ' ');
    return escaped(words);
  }
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_null()) return "-";
  const double number = value.get<double>();
  if (key == "mfu" || key == "goodput") return readable::percent(number);
  const std::string_view unit = unit_behind(key);
  if (unit == "_usd_per_s") return readable::money(usd{number * 3600}) + " an hour";
  if (unit == "_bytes") return readable::binary_bytes(bytes{number});
  if (unit == "_usd") return readable::money(usd{number});
  if (unit == "_s") return readable::duration(seconds{number});
  return value.is_number_integer() ? value.dump() : readable::number(number);
}

/// The values of a list that has no objects in it: "1, 2, 3".
[[nodiscard]] inline std::string html_values(std::string_view key, const nlohmann::ordered_json& list) {
  std::string line;
  for (const nlohmann::ordered_json& one : list) {
    line += line.empty() ? "" : ", ";
    line += one.is_array() ? html_values(key, one) : html_value(key, one);
  }
  return line;
}

/// Whether an object stands in a line: a few values, none of which is a list or an object.
[[nodiscard]] inline bool in_a_line(const nlohmann::ordered_json& value) {
  constexpr std::size_t most = 3;
  return value.is_object() && value.size() <= most &&
         std::all_of(value.begin(), value.end(), [](const auto& one) { return one.is_primitive() && !one.is_null(); });
}

/// Whether a part takes no time and no memory, or is a line of such parts.
[[nodiscard]] inline bool takes_nothing(std::string_view key, const nlohmann::ordered_json& value) {
  if (value.is_number()) return value == 0 && (ends_with(key, "_s") || ends_with(key, "_bytes"));
  if (!in_a_line(value)) return false;
  for (const auto& [part, amount] : value.items()) {
    if (!takes_nothing(part, amount)) return false;
  }
  return true;
}

/// "whole 178 ms, exposed 50.1 ms".
[[nodiscard]] inline std::string html_line(const nlohmann::ordered_json& object) {
  std::string line;
  for (const auto& [key, value] : object.items())
    line += (line.empty() ? "" : ", ") + html_label(key) + " " + html_value(key, value);
  return line;
}

/// Keys and values as rows, without what is null, takes nothing, or does not stand in a line.
[[nodiscard]] inline std::string html_pairs(const nlohmann::ordered_json& object) {
  std::string rows;
  for (const auto& [key, value] : object.items()) {
    const bool is_list = value.is_array() && !value.empty() && !value.front().is_object();
    const bool is_line = in_a_line(value);
    const bool is_elsewhere = value.is_null() || key == "request" || key == "schema" || takes_nothing(key, value);
    if (is_elsewhere || (value.is_structured() && !is_list && !is_line)) continue;
    rows += "<tr><th scope=\"row\">" + html_label(key) + "</th><td>" +
            (is_list   ? html_values(key, value)
             : is_line ? html_line(value)
                       : html_value(key, value)) +
            "</td></tr>\n";
  }
  return rows.empty() ? rows : "<table>\n" + rows + "</table>\n";
}

/// A list of objects as a table of their figures, with a column for each key that any of them has.
[[nodiscard]] inline std::string html_table_of(const nlohmann::ordered_json& list) {
  std::vector<std::string> keys;
  for (const nlohmann::ordered_json& one : list) {
    for (const auto& [key, value] : one.items()) {
      if (value.is_primitive() && !value.is_null() && std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
    }
  }
  std::string html = "<table>\n<tr>";
  // A run is what it takes from start to end, as in the tables of the command line.
  const bool has_wall = std::find(keys.begin(), keys.end(), "wall_s") != keys.end();
  const auto title = [&](const std::string& key) -> std::string {
    if (has_wall && key == "run_s") return "without interruptions";
    return has_wall && key.substr(0, 4) == "wall" ? "run" + html_label(key).substr(4) : html_label(key);
  };
  for (const std::string& key : keys) html += "<th scope=\"col\">" + title(key) + "</th>";
  html += "</tr>\n";
  std::size_t shown = 0;
  for (const nlohmann::ordered_json& one : list) {
    if (shown++ == html_rows_shown) break;
    html += "<tr>";
    for (const std::string& key : keys) {
      const auto found = one.find(key);
      const bool is_there = found != one.end() && found->is_primitive();
      const char* kind = is_there && found->is_number() ? "<td class=\"number\">" : "<td>";
      html += kind + (is_there ? html_value(key, *found) : std::string("-")) + "</td>";
    }
    html += "</tr>\n";
  }
  html += "</table>\n";
  if (list.size() > html_rows_shown)
    html += "<p>" + std::to_string(list.size() - html_rows_shown) + " more are not shown.</p>\n";
  return html;
}

/// The objects and lists within an object, each under a heading; deeper levels are folded until the reader opens them.
[[nodiscard]] inline std::string html_sections(const nlohmann::ordered_json& object, int depth) {
  std::string html;
  for (const auto& [key, value] : object.items()) {
    const bool is_list = value.is_array() && !value.empty() && value.front().is_object();
    const bool is_counted = key == "rejected" && object.contains("lost");  // by their reasons
    const bool is_elsewhere = key == "assumed" || key == "request" || is_counted;
    if (is_elsewhere || in_a_line(value) || !(is_list || value.is_object())) continue;
    const std::string inside =
        is_list ? html_table_of(value)
                : html_pairs(value) + (depth < html_depth ? html_sections(value, depth + 1) : std::string());
    if (inside.empty()) continue;
    const std::string label = html_label(key);
    html += depth == 1 ? "<h2>" + label + "</h2>\n" + inside
                       : "<details>\n<summary>" + label + "</summary>\n" + inside + "</details>\n";
  }
  return html;
}

/// What was assumed: a list of the answer, or of an object in it, as of the memory of a step; null where there is none.
[[nodiscard]] inline nlohmann::ordered_json assumed_in(const nlohmann::ordered_json& answer) {
  if (const auto list = answer.find("assumed"); list != answer.end()) return *list;
  for (const auto& [key, value] : answer.items()) {
    if (value.is_object() && value.contains("assumed")) return value["assumed"];
  }
  return nullptr;
}

/// The prices anywhere in an answer, each once; of a plan the one that it is paid with.
inline void take_prices(const nlohmann::ordered_json& value, std::set<std::string>& seen,
                        nlohmann::ordered_json& prices) {
  if (value.is_object() && value.contains("generation") && value.contains("region") && value.contains("date")) {
    if (seen.insert(value.dump()).second) prices.push_back(value);
    return;
  }
  if (!value.is_structured()) return;
  if (value.is_object() && value.contains("costs") && value.contains("chosen")) {
    const std::size_t chosen = value["chosen"].get<std::size_t>();
    if (chosen < value["costs"].size()) take_prices(value["costs"][chosen], seen, prices);
    return;
  }
  for (const nlohmann::ordered_json& one : value) take_prices(one, seen, prices);
}

inline constexpr std::string_view html_style =
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;"
    "padding:0 1rem}table{border-collapse:collapse;display:block;overflow-x:auto;margin:1rem 0}"
    "th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid "
    "#8886}.number{text-align:right;white-space:nowrap}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.7rem;background:#8882}figure{margin:1.5rem 0}"
    "svg{max-width:100%;height:auto}h2{margin:2rem 0 .5rem}h2::first-letter{text-transform:uppercase}"
    "details{margin:.5rem 0 .5rem 1rem}summary{cursor:pointer}";

}  // namespace detail

/// The report as the text of an HTML file, which needs no network. Its content policy allows no script and loads
/// nothing. Worked: a title "<b>" is written as &lt;b&gt;.
[[nodiscard]] inline std::string to_html(const html_report& report) {
  using namespace detail;
  const std::string title = escaped(report.title);
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
      title + "</title>\n<style>" + std::string(html_style) + "</style>\n</head>\n<body>\n<main>\n<h1>" + title +
      "</h1>\n<h2>Question</h2>\n<pre>" + escaped(report.question) + "</pre>\n<h2>Answer</h2>\n" +
      html_pairs(report.answer);
  for (const picture& one : report.pictures) html += "<figure>\n" + one.svg + "</figure>\n";
  html += html_sections(report.answer, 1);
  if (const nlohmann::ordered_json assumed = assumed_in(report.answer); !assumed.empty())
    html += "<h2>Assumed</h2>\n" + html_table_of(assumed);
  nlohmann::ordered_json prices = nlohmann::ordered_json::array();
  std::set<std::string> seen;
  take_prices(report.answer, seen, prices);
  html += "<h2>Sources</h2>\n<p>tpuplan " + std::to_string(TPUPLAN_VERSION_MAJOR) + "." +
          std::to_string(TPUPLAN_VERSION_MINOR) + "." + std::to_string(TPUPLAN_VERSION_PATCH) +
          ". Figures of chips: data/hardware.json, each with its source. Estimates: fitted to published runs; "
          "docs/accuracy.md has their errors and what their bands mean. Amounts are as of their dates.</p>\n";
  if (!prices.empty()) html += html_table_of(prices);
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
