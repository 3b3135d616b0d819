#include <fmt/format.h>

#include <stdexcept>

#include "generate/generate.hpp"

namespace generate {

namespace {

/// The expressions that say which layers have a sliding window, and how the table writes them.
struct layer_rule {
  const char* expression;
  const char* written;
};
constexpr layer_rule layer_rules[] = {
    {"layer i (from 0) is sliding_attention when i is even, full_attention when i is odd", "even()"},
    {"layer i (from 0) is full_attention when (i + 1) % sliding_window_pattern == 0, else sliding_attention",
     "every(sliding_window_pattern)"},
    {"layer i (from 0) is full_attention when (i + 1) % no_rope_layer_interval == 0, else sliding_attention",
     "every(no_rope_layer_interval)"},
    {"layer i (from 0) is full_attention when (i + 1) % global_attn_every_n_layers == 0, else sliding_attention",
     "every(global_attn_every_n_layers)"},
    {"full_attention for every layer unless use_sliding_window and sliding_window != null; then layer i is "
     "sliding_attention when i >= max_window_layers, else full_attention",
     "from(max_window_layers)"},
    {"full_attention for every layer unless use_sliding_window; then layer i is sliding_attention when i is even and i "
     "< max_window_layers, else full_attention",
     "even_before(max_window_layers)"},
};

/// Whether the text is the name of a field, with dots between parts.
bool is_field(const std::string& text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string::npos;
}

/// A default that the file writes as an expression of other fields ("= hidden_size // num_attention_heads").
std::string rule(const std::string& field, const std::string& expression) {
  for (const layer_rule& known : layer_rules) {
    if (expression == known.expression) return known.written;
  }
  const auto between = [&](const std::string& mark) { return expression.find(mark); };
  if (const std::size_t slashes = between(" // "); slashes != std::string::npos) {
    const std::string left = expression.substr(0, slashes), right = expression.substr(slashes + 4);
    if (is_field(left) && is_field(right)) return left + "/" + right;
  }
  if (const std::size_t star = between(" * "); star != std::string::npos) {
    const std::string factor = expression.substr(0, star), of = expression.substr(star + 3);
    if (is_field(of) && factor.find_first_not_of("0123456789") == std::string::npos) return factor + "*" + of;
  }
  const std::string alias_of = "alias of ";
  if (expression.rfind(alias_of, 0) == 0 && is_field(expression.substr(alias_of.size())))
    return "named(" + expression.substr(alias_of.size()) + ")";
  const std::string number_of = "number of ";
  if (expression.rfind(number_of, 0) == 0 && is_field(expression.substr(number_of.size())))
    return "length(" + expression.substr(number_of.size()) + ")";
  if (is_field(expression)) return expression == field ? "outer(" + expression + ")" : expression;
  throw std::runtime_error("hf_defaults.json: " + field + " is \"= " + expression + "\", which no rule reads");
}

std::string written(const std::string& field, const json& value) {
  if (value.is_null() || value.is_boolean() || value.is_number_integer() || value.is_array()) return value.dump();
  if (!value.is_string()) throw std::runtime_error("hf_defaults.json: " + field + " is a " + value.type_name());
  const std::string text = value;
  return text.rfind("= ", 0) == 0 ? rule(field, text.substr(2)) : "'" + text + "'";
}

/// A part of a type's JSON that has defaults, and what the table adds to the type's name for it.
struct group {
  const char* key;
  const char* suffix;
};
constexpr group groups[] = {{"defaults", ""},
                            {"text_config_when_absent", ".text_config"},
                            {"vision_config_when_absent", ".vision_config"},
                            {"vision_defaults", ".vision_config"}};

/// The defaults of a part in one line. A value with a space could not be told from the next field.
std::string defaults_of(const std::string& type, const json& part, const json& not_read) {
  std::string line;
  for (const auto& each : part.items()) {
    if (has(not_read, each.key())) continue;
    const std::string value = written(each.key(), each.value());
    if (value.empty() || value.find(' ') != std::string::npos)
      throw std::runtime_error(
          fmt::format("hf_defaults.json: {}.{} is \"{}\"; valid: a value without spaces", type, each.key(), value));
    line += (line.empty() ? "" : " ") + each.key() + "=" + value;
  }
  return line;
}

}  // namespace

std::string defaults_table(data_folder& data) {
  const json& file = data["hf_defaults.json"];
  const json& not_read = at(at(file, "not_read", "hf_defaults.json"), "fields", "not_read");
  std::string rows;
  for (const auto& type : at(file, "model_types", "hf_defaults.json").items()) {
    for (const group& part : groups) {
      if (!type.value().contains(part.key)) continue;
      const std::string name = type.key() + part.suffix;
      rows += fmt::format("    {{{}, {}}},\n", in_quotes(name),
                          in_quotes(defaults_of(name, type.value().at(part.key), not_read)));
    }
  }
  return unformatted("inline constexpr hf_class_row hf_class_rows[] = {\n" + rows + "};\n");
}

}  // namespace generate
