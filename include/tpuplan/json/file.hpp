#ifndef TPUPLAN_JSON_FILE_HPP
#define TPUPLAN_JSON_FILE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/json/number.hpp>
#include <utility>
#include <vector>

/// @file
/// Reading JSON that may be malformed or hostile: bounded in size and depth, and every refusal names the field.

namespace tpuplan {
inline namespace abi_0 {

/// How much of a file is read before it is refused.
struct json_limits {
  std::size_t bytes = std::size_t{64} << 20;  ///< of the file
  int depth = 64;                             ///< levels of lists and objects
};

namespace detail {

/// How deep lists and objects are nested, counted by brackets; text that is not JSON is left to the parser.
inline int bracket_depth(std::string_view characters) noexcept {
  int depth = 0, deepest = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char c = characters[i];
    if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_text && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return deepest;
}

/// The parser's error in plain words: "cut off at line 13, column 37", or "at line 1, column 1 no JSON: invalid
/// literal; last read: 'h'".
inline std::string words_of_problem(std::string_view problem) {
  const std::size_t line = problem.find("line "), place_end = problem.find(": ", line);
  if (line == std::string_view::npos || place_end == std::string_view::npos) return "no JSON";
  const std::string place(problem.substr(line, place_end - line));
  std::string_view what = problem.substr(place_end + 2);
  if (what.find("unexpected end of input") != std::string_view::npos) return "cut off at " + place;
  const std::size_t begin = what.find(" - ");
  if (begin != std::string_view::npos) what.remove_prefix(begin + 3);
  return "at " + place + " no JSON: " + std::string(what);
}

/// A list or an object that is open at some place of JSON.
struct json_level {
  std::size_t begin;     ///< where its bracket stands
  bool is_list;          ///< a list, or an object
  std::size_t index;     ///< of the element, in a list
  std::string_view key;  ///< of the value, in an object
};

/// "question.runs[3].tokens": where the innermost value of those levels stands.
inline std::string path_of(const std::vector<json_level>& open, std::string_view source) {
  std::string path(source);
  for (const json_level& one : open)
    path += one.is_list ? "[" + std::to_string(one.index) + "]" : "." + std::string(one.key.substr(0, 40));
  return path;
}

/// The path of the first key or number of JSON at which `found(open levels, text of the number; empty for a key)` is
/// true; empty where there is none.
template <class Found>
std::string path_where(std::string_view characters, std::string_view source, Found found) {
  std::vector<json_level> open;
  std::string_view words;  // the last text: a key, where a colon follows
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char c = characters[i];
    if (c == '"') {
      const std::size_t begin = ++i;
      while (i < characters.size() && characters[i] != '"') i += characters[i] == '\\' ? 2U : 1U;
      words = characters.substr(begin, i - begin);
    } else if (c == '[' || c == '{') {
      open.push_back({i, c == '[', 0, {}});
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      const std::size_t begin = i;
      i = std::min(characters.find_first_not_of("+-.0123456789eE", begin), characters.size());
      if (found(open, characters.substr(begin, i - begin))) return path_of(open, source);
      --i;
    } else if (open.empty()) {
      continue;
    } else if (c == ']' || c == '}') {
      open.pop_back();
    } else if (c == ',') {
      ++open.back().index;
    } else if (c == ':') {
      open.back().key = words;
      if (found(open, std::string_view())) return path_of(open, source);
    }
  }
  return {};
}

/// Where a number of JSON stands: "question.request.tokens". What stands before it is JSON.
inline std::string path_of_number(std::string_view characters, std::string_view number, std::string_view source) {
  const std::string path = path_where(
      characters, source, [&](const std::vector<json_level>& /*open*/, std::string_view one) { return one == number; });
  return path.empty() ? std::string(source) : path;
}

/// Where a key stands that its object has already; empty: there is none. The characters are JSON.
inline std::string place_of_repeated_key(std::string_view characters, std::string_view source) {
  std::set<std::pair<std::size_t, std::string_view>> keys;  // with the place of their object
  std::list<std::string> spelled;                           // those with escapes, as they are read
  return path_where(characters, source, [&](const std::vector<json_level>& open, std::string_view number) {
    if (!number.empty()) return false;
    std::string_view key = open.back().key;
    if (key.find('\\') != std::string_view::npos) {
      const std::string quoted = '"' + std::string(key) + '"';
      key = spelled.emplace_back(nlohmann::json::parse(quoted).get<std::string>());
    }
    return !keys.insert({open.back().begin, key}).second;
  });
}

/// Refuses what the parser refused: text that is no JSON, or a number that no double holds.
[[noreturn]] inline void refuse_json(std::string_view characters, std::string_view source,
                                     const nlohmann::json::exception& problem) {
  const std::string_view what = problem.what();
  if (problem.id == 406) {  // "number overflow parsing '1e400'"
    const std::size_t begin = what.find('\'') + 1;
    const std::string_view number = what.substr(begin, what.rfind('\'') - begin);
    fail(errc::malformed_input, path_of_number(characters, number, source), number, "a number of at most 1.8e308");
  }
  fail(errc::malformed_input, source, words_of_problem(what), "one whole JSON document");
}

/// Refuses bytes that are not text, naming the place of the first.
inline void check_text(std::string_view characters, std::string_view source) {
  if (characters.find_first_not_of(" \t\r\n") == std::string_view::npos)
    fail(errc::malformed_input, source, "empty", "a JSON document");
  const std::size_t nul = characters.find('\0');  // the parser would stop there
  if (nul != std::string_view::npos) {
    const std::string given = "binary, or in UTF-16: byte " + std::to_string(nul) + " is 0";
    fail(errc::malformed_input, source, given, "a JSON document in UTF-8");
  }
}

}  // namespace detail

/// Parses text. Throws `errc::malformed_input` for anything but one JSON value within the limits, with each key once;
/// `source` is its name in errors. Worked: 64 nested lists are read, 65 are not.
[[nodiscard]] inline nlohmann::json parse_json(std::string_view characters, std::string_view source,
                                               const json_limits& limits = {}) {
  if (characters.size() > limits.bytes) {
    detail::fail(errc::malformed_input, source, static_cast<std::int64_t>(characters.size()),
                 "a file of at most 64 MiB");
  }
  detail::check_text(characters, source);
  const int depth = detail::bracket_depth(characters);  // a callback of the parser takes quadratic time
  if (depth > limits.depth) {
    const std::string given = std::to_string(depth) + " lists and objects in each other";
    detail::fail(errc::malformed_input, source, given, "at most " + std::to_string(limits.depth));
  }
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(characters.begin(), characters.end());
  } catch (const nlohmann::json::exception& problem) {
    detail::refuse_json(characters, source, problem);
  }
  const std::string twice = detail::place_of_repeated_key(characters, source);
  if (!twice.empty()) detail::fail(errc::malformed_input, twice, "given twice", "each key once");
  return document;
}

namespace detail {

/// The characters of a file, within the limits.
inline std::string characters_of(const std::string& path, const json_limits& limits) {
  std::ifstream file(path, std::ios::binary);
  if (!file) detail::fail(errc::malformed_input, "file", path, "a file that can be read");
  std::string characters;
  for (char block[65536]; file;) {  // a pipe has no size before its end
    file.read(block, sizeof(block));
    characters.append(block, static_cast<std::size_t>(file.gcount()));
    if (characters.size() > limits.bytes)
      detail::fail(errc::malformed_input, path, "longer", "a file of at most 64 MiB");
  }
  if (file.bad()) detail::fail(errc::malformed_input, "file", path, "a file that can be read, not a folder");
  return characters;
}

}  // namespace detail

/// Reads and parses a file, under the same limits. A file that cannot be read is `errc::malformed_input` too. Worked:
/// data/prices.json has a list "rows".
[[nodiscard]] inline nlohmann::json load_json(const std::string& path, const json_limits& limits = {}) {
  return parse_json(detail::characters_of(path, limits), path, limits);
}

/// One object of a JSON document and its path, so that an error can name "runs.json.records[3].model.layers". A key
/// whose value is null counts as missing. It refers to the document, which must outlive it. The examples below are of
/// json_object one{{{"layers", 32}, {"rate", 0.5}, {"runs", {{{"id", "a"}}}}, {"note", nullptr}}, "a.json"}.
class json_object {
 public:
  /// `path` is the file, or the path of the value in the file. Throws `errc::malformed_input` for anything but an
  /// object. Worked: a list of numbers is refused as "a.json is array".
  json_object(const nlohmann::json& value, std::string path) : value_{&value}, path_{std::move(path)} {
    if (!value.is_object()) detail::fail(errc::malformed_input, path_, value.type_name(), "an object");
  }

  /// The object itself. Worked: one.value().size() is 4.
  [[nodiscard]] const nlohmann::json& value() const noexcept { return *value_; }
  /// The path of the value of a key. Worked: one.path("layers") is "a.json.layers".
  [[nodiscard]] std::string path(std::string_view key) const { return path_ + "." + std::string(key); }

  /// Throws `errc::unknown_name`, naming its path, for any other key. Worked: one.only({"layers"}) refuses
  /// "a.json.note", the first of the others.
  void only(std::initializer_list<std::string_view> keys) const {
    for (const auto& entry : value_->items()) {
      if (std::find(keys.begin(), keys.end(), entry.key()) != keys.end()) continue;
      std::string valid;
      for (const std::string_view key : keys) valid += (valid.empty() ? "" : ", ") + std::string(key);
      detail::fail(errc::unknown_name, path(entry.key()), "not a key", valid);
    }
  }

  /// Whether the key is there and not null. Worked: of one "layers" is, "note" is not.
  [[nodiscard]] bool has(std::string_view key) const {
    const auto found = value_->find(std::string(key));
    return found != value_->end() && !found->is_null();
  }
  /// Whether the key is there and null. Worked: of one "note" is, "layers" is not.
  [[nodiscard]] bool is_null(std::string_view key) const {
    const auto found = value_->find(std::string(key));
    return found != value_->end() && found->is_null();
  }
  /// The value of a key; throws `errc::missing_field` where it is missing. Worked: one.at("layers") is 32.
  [[nodiscard]] const nlohmann::json& at(std::string_view key) const {
    const auto found = value_->find(std::string(key));
    if (found == value_->end() || found->is_null()) detail::fail(errc::missing_field, path(key), "missing", "a value");
    return *found;
  }
  /// The object under a key; throws as `at` and the constructor do. Worked: one.object("layers") is refused as
  /// "a.json.layers is number".
  [[nodiscard]] json_object object(std::string_view key) const { return {at(key), path(key)}; }
  /// The list under a key; throws where it is missing or no list. Worked: one.list("runs").size() is 1.
  [[nodiscard]] const nlohmann::json& list(std::string_view key) const {
    if (!has(key)) detail::fail(errc::missing_field, path(key), "missing", "a list");
    const nlohmann::json& given = at(key);
    if (!given.is_array()) detail::fail(errc::malformed_input, path(key), given.type_name(), "an array");
    return given;
  }
  /// The objects of a list, each with its path; throws as `list` does, and for other values in it. Worked:
  /// one.objects("runs")[0].path("id") is "a.json.runs[0].id".
  [[nodiscard]] std::vector<json_object> objects(std::string_view key) const {
    std::vector<json_object> result;
    for (const nlohmann::json& one : list(key))
      result.emplace_back(one, path(key) + "[" + std::to_string(result.size()) + "]");
    return result;
  }

  /// A whole number, where 1e6 is a million; throws for other values. Worked: one.count("layers") is 32.
  [[nodiscard]] std::int64_t count(std::string_view key) const {
    return detail::whole_number(at(key), [&] { return path(key); });
  }
  /// A whole number from 1 on; throws for other values. Worked: of one "layers" is read, "rate" is refused.
  [[nodiscard]] std::int64_t positive_count(std::string_view key) const {
    const std::int64_t given = count(key);
    if (given < 1) detail::fail(errc::invalid_argument, path(key), given, "a whole number from 1 on");
    return given;
  }
  /// A number; throws for other values. Worked: one.number("rate") is 0.5.
  [[nodiscard]] double number(std::string_view key) const {
    const nlohmann::json& given = at(key);
    if (!given.is_number()) detail::fail(errc::malformed_input, path(key), detail::shown_json(given), "a number");
    return given.get<double>();
  }
  /// A finite number above 0; throws for other values. Worked: one.positive_number("rate") is 0.5.
  [[nodiscard]] double positive_number(std::string_view key) const {
    const double given = number(key);
    if (!detail::is_finite(given)) detail::fail(errc::not_finite, path(key), given, "a finite number above 0");
    if (given <= 0) detail::fail(errc::invalid_argument, path(key), given, "a number above 0");
    return given;
  }
  /// True or false; throws for other values. Worked: one.flag("rate") is refused.
  [[nodiscard]] bool flag(std::string_view key) const {
    const nlohmann::json& given = at(key);
    if (!given.is_boolean()) detail::fail(errc::malformed_input, path(key), detail::shown_json(given), "true or false");
    return given.get<bool>();
  }
  /// A text; throws for other values. Worked: one.objects("runs")[0].string("id") is "a".
  [[nodiscard]] std::string string(std::string_view key) const {
    const nlohmann::json& given = at(key);
    if (!given.is_string()) detail::fail(errc::malformed_input, path(key), detail::shown_json(given), "a text");
    return given.get<std::string>();
  }

  /// @{
  /// The value of a key, or `other` where the key is missing. Worked: one.count_or("note", 7) is 7.
  [[nodiscard]] std::int64_t count_or(std::string_view key, std::int64_t other) const {
    return has(key) ? count(key) : other;
  }
  [[nodiscard]] std::int64_t positive_count_or(std::string_view key, std::int64_t other) const {
    return has(key) ? positive_count(key) : other;
  }
  [[nodiscard]] double number_or(std::string_view key, double other) const { return has(key) ? number(key) : other; }
  [[nodiscard]] bool flag_or(std::string_view key, bool other) const { return has(key) ? flag(key) : other; }
  /// @}

 private:
  const nlohmann::json* value_;
  std::string path_;
};

}  // namespace abi_0
}  // namespace tpuplan

#endif
