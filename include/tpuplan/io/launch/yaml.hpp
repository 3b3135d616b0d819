#ifndef TPUPLAN_IO_LAUNCH_YAML_HPP
#define TPUPLAN_IO_LAUNCH_YAML_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/error.hpp>
#include <tpuplan/text.hpp>

/// @file
/// A JSON document written as YAML, every string in double quotes, so that no value can become syntax or another type.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A string as YAML and JSON both read it: in double quotes, ASCII only. Characters beyond the basic plane would be two
/// escapes in JSON, which YAML does not join: they are refused, as is text that is not UTF-8.
inline std::string yaml_string(const std::string& given) {
  for (const char character : given) {
    if (static_cast<unsigned char>(character) >= 0xF0)
      fail(errc::unsupported, "YAML text", "a character above U+FFFF", "text of the basic plane");
    if (character == 0x7F) fail(errc::unsupported, "YAML text", "the character DEL", "printable text");
  }
  try {
    return nlohmann::json(given).dump(-1, ' ', true);
  } catch (const nlohmann::json::exception&) {
    fail(errc::malformed_input, "YAML text", "not UTF-8", "UTF-8");
  }
}

/// Keys of letters, digits and "./-_" that no YAML version takes for another type stand as they are.
inline std::string yaml_key(const std::string& key) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  bool plain = !key.empty() && is_letter(key[0]);
  for (const char c : key) plain = plain && (is_letter(c) || (c >= '-' && c <= '9') || c == '_');  // - . / digits
  for (const char* word : {"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
    plain = plain && !same_name(key, word);
  return plain ? key : yaml_string(key);
}

inline std::string yaml_scalar(const nlohmann::ordered_json& value) {
  if (value.is_string()) return yaml_string(value.get<std::string>());
  if (value.is_object()) return "{}";
  if (value.is_array()) return "[]";
  if (value.is_number_integer() || value.is_boolean() || value.is_null()) return value.dump();
  fail(errc::unsupported, "YAML value", value.type_name(), "texts, whole numbers, true, false, null, lists, objects");
}

/// The value at that depth. `in_line` says that the first line begins behind "- ".
// NOLINTNEXTLINE(misc-no-recursion): at most 64 deep
inline void append_yaml(std::string& out, const nlohmann::ordered_json& value, std::size_t depth, bool in_line) {
  if (depth > 64) fail(errc::out_of_range, "YAML document", "deeper", "at most 64 levels");
  for (const auto& item : value.items()) {
    if (!in_line) out.append(2 * depth, ' ');
    in_line = false;
    const nlohmann::ordered_json& inner = item.value();
    const bool nested = inner.is_structured() && !inner.empty();
    if (value.is_array()) {
      out += "- ";
      if (nested)
        append_yaml(out, inner, depth + 1, true);
      else
        out += yaml_scalar(inner) + "\n";
      continue;
    }
    out += yaml_key(item.key()) + ":";
    if (nested) {
      out += "\n";
      append_yaml(out, inner, depth + 1, false);
    } else {
      out += " " + yaml_scalar(inner) + "\n";
    }
  }
}

}  // namespace detail

/// The document as block YAML that ends with a line feed. Strings are quoted and escaped as in JSON, so what stands in
/// them is never syntax. Refuses numbers with a fraction (YAML and JSON write them differently), characters above
/// U+FFFF and more than 64 levels. Worked: {"name": "a: b", "list": [1]} is `name: "a: b"`, `list:` and `  - 1`.
[[nodiscard]] inline std::string to_yaml(const nlohmann::ordered_json& document) {
  if (!document.is_structured() || document.empty()) return detail::yaml_scalar(document) + "\n";
  std::string out;
  detail::append_yaml(out, document, 0, false);
  return out;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
