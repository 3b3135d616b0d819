#ifndef TPUPLAN_LAUNCH_YAML_HPP
#define TPUPLAN_LAUNCH_YAML_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>

/// @file
/// JSON values as YAML that people edit: a line for each key, and every text in the quotes and escapes of JSON, which
/// YAML reads as JSON does, so that no value can be taken for syntax.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The key as it is where it is a word of small letters that YAML takes for nothing else, else in quotes.
inline std::string yaml_key(const std::string& key) {
  bool plain = !key.empty() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
  for (const char* other : {"y", "n", "on", "no", "off", "yes", "true", "false", "null"}) plain = plain && key != other;
  return plain ? key : nlohmann::json(key).dump(-1, ' ', true);
}

inline void add_yaml(std::string& out, const nlohmann::ordered_json& value, std::size_t indent, bool in_list) {
  if (!value.is_structured() || value.empty()) {
    out += " " + value.dump(-1, ' ', true) + "\n";
    return;
  }
  if (!in_list) out += "\n";
  bool first = in_list;
  for (const auto& [key, each] : value.items()) {
    out += first ? " " : std::string(indent, ' ');
    first = false;
    out += value.is_object() ? yaml_key(key) + ":" : "-";
    add_yaml(out, each, indent + 2, value.is_array());
  }
}

/// Every line behind "# ": a comment for YAML and for a shell, also of words with line feeds in them.
inline std::string commented(std::string_view text) {
  std::string out = "# ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "# ";
  }
  return out + "\n";
}

}  // namespace detail

/// The object as a YAML document. Worked: {"name": "a: b", "list": [1]} is `name: "a: b"`, `list:`, `  - 1`.
/// Source: YAML 1.2.2, 1.2 "YAML Overview": JSON's flow style is valid YAML.
[[nodiscard]] inline std::string yaml_text(const nlohmann::ordered_json& document) {
  std::string out;
  detail::add_yaml(out, document, 0, false);
  return document.empty() ? "{}\n" : out.substr(1);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
