#include <fmt/format.h>

#include <stdexcept>

#include "generate/generate.hpp"

namespace generate {

namespace {

/// The expressions that say which layers have a sliding window, and how the table writes them.
struct layer_rule {
  const char* expression;
  const char* kind;
  const char* field;
};
constexpr layer_rule layer_rules[] = {
    {"layer i (from 0) is sliding_attention when i is even, full_attention when i is odd", "even_layers", ""},
    {"layer i (from 0) is full_attention when (i + 1) % sliding_window_pattern == 0, else sliding_attention",
     "periodic_layers", "sliding_window_pattern"},
    {"layer i (from 0) is full_attention when (i + 1) % no_rope_layer_interval == 0, else sliding_attention",
     "periodic_layers", "no_rope_layer_interval"},
    {"layer i (from 0) is full_attention when (i + 1) % global_attn_every_n_layers == 0, else sliding_attention",
     "periodic_layers", "global_attn_every_n_layers"},
    {"full_attention for every layer unless use_sliding_window and sliding_window != null; then layer i is "
     "sliding_attention when i >= max_window_layers, else full_attention",
     "upper_layers", "max_window_layers"},
    {"full_attention for every layer unless use_sliding_window; then layer i is sliding_attention when i is even and i "
     "< max_window_layers, else full_attention",
     "even_lower_layers", "max_window_layers"},
};

std::string row(const std::string& kind, const std::string& value = "", const std::string& text = "",
                const std::string& divisor = "") {
  std::string made = kind;
  if (!value.empty()) made += ", " + value;
  if (!text.empty()) made += ", " + in_quotes(text);
  if (!divisor.empty()) made += ", " + in_quotes(divisor);
  return made;
}

/// Whether the text is the name of a field, with dots between parts.
bool is_field(const std::string& text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string::npos;
}

/// A default that the file writes as an expression of other fields ("= hidden_size // num_attention_heads").
std::string rule(const std::string& field, const std::string& expression) {
  for (const layer_rule& known : layer_rules) {
    if (expression == known.expression) return *known.field == 0 ? row(known.kind) : row(known.kind, "0", known.field);
  }
  const auto between = [&](const std::string& mark) { return expression.find(mark); };
  if (const std::size_t slashes = between(" // "); slashes != std::string::npos) {
    const std::string left = expression.substr(0, slashes), right = expression.substr(slashes + 4);
    if (is_field(left) && is_field(right)) return row("quotient", "0", left, right);
  }
  if (const std::size_t star = between(" * "); star != std::string::npos) {
    const std::string factor = expression.substr(0, star), of = expression.substr(star + 3);
    if (is_field(of) && factor.find_first_not_of("0123456789") == std::string::npos) return row("multiple", factor, of);
  }
  const std::string alias_of = "alias of ";
  if (expression.rfind(alias_of, 0) == 0 && is_field(expression.substr(alias_of.size())))
    return row("alias", "0", expression.substr(alias_of.size()));
  const std::string number_of = "number of ";
  if (expression.rfind(number_of, 0) == 0 && is_field(expression.substr(number_of.size())))
    return row("list_length", "0", expression.substr(number_of.size()));
  if (is_field(expression)) return row(expression == field ? "same_as_outer" : "same_as", "0", expression);
  throw std::runtime_error("hf_defaults.json: " + field + " is \"= " + expression + "\", which no rule reads");
}

std::string default_row(const std::string& field, const json& value) {
  if (value.is_null()) return row("none");
  if (value.is_boolean()) return row("boolean", value.get<bool>() ? "1" : "0");
  if (value.is_number_integer()) return row("number", std::to_string(value.get<std::int64_t>()));
  if (value.is_array()) return row("list", "0", value.dump());
  if (!value.is_string()) throw std::runtime_error("hf_defaults.json: " + field + " is a " + value.type_name());
  const std::string text = value;
  return text.rfind("= ", 0) == 0 ? rule(field, text.substr(2)) : row("text", "0", text);
}

/// The rows, as many on each line as fit.
std::string filled(const std::vector<std::string>& rows) {
  constexpr std::size_t width = 120;
  std::string text, line = "   ";
  for (const std::string& each : rows) {
    if (line.size() > 3 && line.size() + each.size() + 2 > width) {
      text += line + "\n";
      line = "   ";
    }
    line += " " + each + ",";
  }
  return text + line + "\n";
}

/// The part of a type's JSON that has defaults, and the name of that part in the table.
struct group {
  const char* key;
  const char* suffix;
};
constexpr group groups[] = {{"defaults", ""},
                            {"text_config_when_absent", ".text_config"},
                            {"vision_config_when_absent", ".vision_config"},
                            {"vision_defaults", ".vision_config"}};

/// The table of a type.
std::string table_of(const std::string& type, const json& entry) {
  const std::string table = entry.value("table", "");
  std::vector<std::string> valid;
  for (const defaults_header& each : defaults_headers) {
    if (each.table == table) return table;
    valid.emplace_back(each.table);
  }
  throw std::runtime_error(fmt::format("hf_defaults.json: {}.table is \"{}\"; valid: {}", type, table, joined(valid)));
}

}  // namespace

std::string defaults_table(data_folder& data, const std::string& table) {
  const json& file = data["hf_defaults.json"];
  const json& not_read = at(at(file, "not_read", "hf_defaults.json"), "fields", "not_read");
  std::vector<std::string> rows;
  for (const auto& type : at(file, "model_types", "hf_defaults.json").items()) {
    if (table_of(type.key(), type.value()) != table) continue;
    for (const group& part : groups) {
      if (!type.value().contains(part.key)) continue;
      rows.push_back(fmt::format("{{{}, of_type}}", in_quotes(type.key() + part.suffix)));
      for (const auto& each : type.value().at(part.key).items()) {
        if (has(not_read, each.key())) continue;
        rows.push_back(fmt::format("{{{}, {}}}", in_quotes(each.key()), default_row(each.key(), each.value())));
      }
    }
  }
  return unformatted(fmt::format("inline constexpr std::array<hf_default, {}> {}_rows{{{{\n{}}}}};\n", rows.size(),
                                 table, filled(rows)));
}

}  // namespace generate
