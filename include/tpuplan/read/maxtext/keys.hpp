#ifndef TPUPLAN_READ_MAXTEXT_KEYS_HPP
#define TPUPLAN_READ_MAXTEXT_KEYS_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/text.hpp>
#include <vector>

/// @file
/// The keys of a MaxText configuration: flat `key: value` lines of YAML and `key=value` arguments. Other structure is
/// skipped and listed.

namespace tpuplan {
inline namespace abi_0 {

/// A value as written, and its place in the file.
struct maxtext_value {
  std::string value;          ///< without quotes
  std::string where;          ///< "config.yml line 12", or "argument"
  bool is_asked_for = false;  ///< something has read it
};

/// The keys and values of a configuration.
struct maxtext_keys {
  std::map<std::string, maxtext_value> values;  ///< by key
  std::vector<std::string> skipped;             ///< keys of lists and maps over several lines, with their places
};

namespace detail {

/// The largest configuration that is read, in bytes; MaxText's own has 80 kB.
inline constexpr std::size_t most_maxtext_bytes = std::size_t{4} << 20;

inline bool is_maxtext_key(std::string_view key) noexcept {
  if (key.empty() || key.size() > 80) return false;
  for (const char c : key) {
    if (!((to_lower(c) >= 'a' && to_lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return key[0] < '0' || key[0] > '9';
}

inline std::string_view trimmed(std::string_view words) noexcept {
  while (!words.empty() && (words.front() == ' ' || words.front() == '\t')) words.remove_prefix(1);
  while (!words.empty() && (words.back() == ' ' || words.back() == '\t' || words.back() == '\r'))
    words.remove_suffix(1);
  return words;
}

/// The part of a line before a comment, which is a '#' at the start or after a space, outside quotes. `depth` counts
/// the brackets that are left open.
inline std::string_view without_comment(std::string_view line, int& depth) noexcept {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      const char before = i == 0 ? ' ' : line[i - 1];
      if (before == ' ' || before == '[' || before == ',' || before == '{' || before == ':' || before == '(') quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return line;
}

/// The text inside of quotes that open and close it, or the text as it is.
inline std::string_view unquoted(const std::string& where, std::string_view value) {
  if (value.empty() || (value[0] != '"' && value[0] != '\'')) return value;
  if (value.size() < 2 || value.back() != value[0])
    fail(errc::malformed_input, where, value, "a quoted text that ends with its quote");
  value = value.substr(1, value.size() - 2);
  if (value.find_first_of("\"'\\") != std::string_view::npos)
    fail(errc::malformed_input, where, value, "a quoted text without quotes and backslashes in it");
  return value;
}

inline maxtext_value maxtext_value_of(std::string_view key, std::string_view value, const std::string& where) {
  return {std::string(unquoted(where + ": " + std::string(key), value)), where, false};
}

inline std::string_view next_line(std::string_view& text) noexcept {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

}  // namespace detail

/// The flat keys of a YAML file; `source` is its name in errors. A list in one line is a value; what spans several
/// lines (lists, maps, blocks) is skipped, and its key listed. Throws, naming the line, for invalid files: a line
/// without a key, a key given twice, quotes that do not close, control characters, more than 4 MiB. Worked: "a: 1" is
/// one key with the value "1".
[[nodiscard]] inline maxtext_keys read_maxtext_keys(std::string_view text, std::string_view source) {
  if (text.size() > detail::most_maxtext_bytes)
    detail::fail(errc::malformed_input, source, static_cast<std::int64_t>(text.size()), "a file of at most 4 MiB");
  maxtext_keys keys;
  std::set<std::string, std::less<>> seen;
  int depth = 0;           // of brackets left open by lines above
  std::string above;       // the key of the line above, whose value may follow indented
  bool has_value = false;  // behind that key
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = detail::next_line(text);
    const std::string where = std::string(source) + " line " + std::to_string(number);
    for (const char c : line) {
      if ((c >= 0 && c < ' ' && c != '\t' && c != '\r') || c == 127)
        detail::fail(errc::malformed_input, where, "a control character", "text");
    }
    const bool inside = depth > 0;
    const std::string_view written = detail::without_comment(line, depth);
    const std::string_view words = detail::trimmed(written);
    if (words.empty() || inside) continue;
    if (written[0] == ' ' || written[0] == '\t' || words == "-" || words.substr(0, 2) == "- ") {
      if (above.empty()) detail::fail(errc::malformed_input, where, words, "a line that starts with a key");
      if (has_value && words.find(": ") != std::string_view::npos)
        detail::fail(errc::malformed_input, where, words, "no key behind one that has a value");
      if (keys.values.erase(above) == 1) keys.skipped.push_back(above);
      continue;
    }
    if (words == "---" && keys.values.empty()) continue;
    const std::size_t colon = words.find(':');
    const std::string_view key = words.substr(0, colon);
    if (colon == std::string_view::npos || !detail::is_maxtext_key(key) ||
        (colon + 1 < words.size() && words[colon + 1] != ' ' && words[colon + 1] != '\t')) {
      detail::fail(errc::malformed_input, where, words, "key: value");
    }
    const std::string_view value = detail::trimmed(words.substr(colon + 1));
    above = std::string(key);
    const bool is_open = depth > 0 || value == "|" || value == ">" || value == "|-" || value == ">-";
    has_value = depth == 0 && !is_open && !value.empty();
    if (!seen.insert(above).second) detail::fail(errc::invalid_argument, where, key, "each key once");
    if (depth > 0) {
      keys.skipped.push_back(above);
    } else {
      keys.values[above] = detail::maxtext_value_of(key, is_open ? std::string_view{} : value, where);
    }
  }
  if (depth > 0) detail::fail(errc::malformed_input, source, "a bracket that stays open", "lists and maps that close");
  return keys;
}

/// Adds an argument, `key=value`, which overrides the file as it does in MaxText. Throws for anything else, and for a
/// key that was an argument before. Worked: a=2 after the file above makes it "2".
inline void add_maxtext_argument(maxtext_keys& keys, std::string_view argument) {
  const std::size_t equal = argument.find('=');
  const std::string_view key = argument.substr(0, equal);
  if (equal == std::string_view::npos || !detail::is_maxtext_key(key))
    detail::fail(errc::invalid_argument, "MaxText argument", argument, "key=value with a key such as remat_policy");
  for (const char c : argument) {
    if ((c >= 0 && c < ' ') || c == 127)
      detail::fail(errc::malformed_input, "MaxText argument", argument, "text without control characters");
  }
  const auto found = keys.values.find(std::string(key));
  if (found != keys.values.end() && found->second.where == "argument")
    detail::fail(errc::invalid_argument, "MaxText argument", argument, "each key once");
  keys.values[std::string(key)] = detail::maxtext_value_of(key, argument.substr(equal + 1), "argument");
}

namespace detail {

/// Reads keys and records which were read.
class maxtext_reader {
 public:
  explicit maxtext_reader(maxtext_keys& keys) : keys_{&keys} {}

  /// Whether the key has a value. An empty one, and null, count as none, as they do for MaxText.
  [[nodiscard]] bool has(std::string_view key) {
    const std::string* value = find(key);
    return value != nullptr && !value->empty() && *value != "null" && *value != "~";
  }
  /// Whether it was an argument, not in a file.
  [[nodiscard]] bool is_argument(std::string_view key) const {
    const auto found = keys_->values.find(std::string(key));
    return found != keys_->values.end() && found->second.where == "argument";
  }
  /// "config.yml line 12: key".
  [[nodiscard]] std::string place(std::string_view key) const {
    const auto found = keys_->values.find(std::string(key));
    return (found == keys_->values.end() ? "MaxText" : found->second.where) + ": " + std::string(key);
  }
  [[nodiscard]] std::string word_or(std::string_view key, std::string_view other) {
    return has(key) ? *find(key) : std::string(other);
  }
  [[nodiscard]] double number_or(std::string_view key, double other) {
    if (!has(key)) return other;
    const std::string& given = *find(key);
    std::string digits;
    bool plain = true;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const char c = given[i];
      if (c == '_' && i > 0 && i + 1 < given.size()) continue;
      plain = plain && ((c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E');
      digits += c;
    }
    char* end = nullptr;
    const double value = plain && digits.size() < 40 ? std::strtod(digits.c_str(), &end) : 0;
    if (end == nullptr || end == digits.c_str() || *end != '\0' || !is_finite(value))
      fail(errc::malformed_input, place(key), given, "a finite number");
    return value;
  }
  /// A whole number of at least `least`, which may be written 12.0 or 10_000.
  [[nodiscard]] std::int64_t count_or(std::string_view key, std::int64_t other, std::int64_t least) {
    if (!has(key)) return other;
    const double value = number_or(key, 0);
    const bool is_whole =
        value > -9e15 && value < 9e15 && value == static_cast<double>(static_cast<std::int64_t>(value));
    const std::string valid = "a whole number from " + std::to_string(least) + " on";
    if (!is_whole) fail(errc::malformed_input, place(key), *find(key), valid);
    if (value < static_cast<double>(least)) fail(errc::invalid_argument, place(key), *find(key), valid);
    return static_cast<std::int64_t>(value);
  }
  [[nodiscard]] bool flag_or(std::string_view key, bool other) {
    if (!has(key)) return other;
    const std::string& given = *find(key);
    if (same_name(given, "true")) return true;
    if (!same_name(given, "false")) fail(errc::malformed_input, place(key), given, "true or false");
    return false;
  }

  /// The keys that were not read, as written, with "?" for every character that is not ASCII.
  [[nodiscard]] std::vector<std::string> unread() const {
    std::vector<std::string> list;
    for (const auto& [key, value] : keys_->values) {
      if (value.is_asked_for) continue;
      std::string& written = list.emplace_back(key + "=" + value.value);
      for (char& c : written) c = c < ' ' ? '?' : c;
    }
    return list;
  }

 private:
  [[nodiscard]] const std::string* find(std::string_view key) {
    const auto found = keys_->values.find(std::string(key));
    if (found == keys_->values.end()) return nullptr;
    found->second.is_asked_for = true;
    return &found->second.value;
  }

  maxtext_keys* keys_;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
