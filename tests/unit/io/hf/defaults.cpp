// The table of class defaults against data/hf_defaults.json, both ways.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/io/hf/defaults.hpp>
#include <tpuplan/io/json/file.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif

using namespace tpuplan;
using nlohmann::json;

namespace {

const json& document() {
  static const json parsed = load_json(std::string{TPUPLAN_DATA_DIR} + "/hf_defaults.json");
  return parsed.at("model_types");
}

struct group {
  std::string model_type;
  json defaults;
};

// The groups of defaults in the file under the names of the table.
std::vector<group> groups() {
  const std::vector<std::pair<std::string, std::string>> names = {{"defaults", ""},
                                                                  {"text_config_when_absent", ".text_config"},
                                                                  {"vision_config_when_absent", ".vision_config"},
                                                                  {"vision_defaults", ".vision_config"}};
  std::vector<group> all;
  for (const auto& [type, entry] : document().items()) {
    for (const auto& [key, suffix] : names) {
      if (entry.contains(key)) all.push_back({type + suffix, entry.at(key)});
    }
  }
  return all;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Whether a row says what an expression of the file ("= ...") says.
bool same_rule(const hf_default& row, const std::string& rule) {
  const std::string text{row.text};
  switch (row.kind) {
    case default_kind::same_as:
    case default_kind::same_as_outer: return rule == "= " + text;
    case default_kind::quotient: return rule == "= " + text + " // " + std::string{row.divisor};
    case default_kind::multiple: return rule == "= " + std::to_string(row.value) + " * " + text;
    case default_kind::list_length: return rule == "= number of " + text;
    case default_kind::even_layers: return contains(rule, "is sliding_attention when i is even, full_attention when");
    case default_kind::periodic_layers: return contains(rule, "full_attention when (i + 1) % " + text + " == 0");
    case default_kind::upper_layers: return contains(rule, "sliding_attention when i >= " + text);
    case default_kind::even_lower_layers: return contains(rule, "when i is even and i < " + text);
    default: return false;
  }
}

bool same_default(const hf_default& row, const json& value) {
  switch (row.kind) {
    case default_kind::none: return value.is_null();
    case default_kind::number: return value.is_number_integer() && value.get<std::int64_t>() == row.value;
    case default_kind::boolean: return value.is_boolean() && value.get<bool>() == (row.value != 0);
    case default_kind::text: return value.is_string() && value.get<std::string>() == row.text;
    case default_kind::list: return value.is_array() && value == json::parse(row.text);
    default: return value.is_string() && same_rule(row, value.get<std::string>());
  }
}

std::set<std::string> fields_read() {
  std::set<std::string> fields;
  for (const hf_default& row : hf_defaults) fields.emplace(row.field);
  return fields;
}

}  // namespace

static_assert(hf_default_for("gemma", "head_dim")->value == 256);
static_assert(hf_default_for("llama", "sliding_window")->kind == default_kind::none);
static_assert(hf_default_for("llama", "no_such_field") == nullptr);
static_assert(hf_default_for("no_such_type", "hidden_size") == nullptr);

TEST_CASE("every row of the table stands in the file", "[hf_defaults]") {
  const std::vector<group> all = groups();
  for (const hf_default& row : hf_defaults) {
    INFO(row.model_type << "." << row.field);
    bool found = false;
    for (const group& each : all) {
      if (each.model_type != row.model_type || !each.defaults.contains(row.field)) continue;
      found = true;
      CHECK(same_default(row, each.defaults.at(std::string{row.field})));
    }
    CHECK(found);
  }
}

TEST_CASE("every default of the file for a field that is read has one row", "[hf_defaults]") {
  const std::set<std::string> fields = fields_read();
  for (const group& each : groups()) {
    for (const auto& [field, value] : each.defaults.items()) {
      if (fields.count(field) == 0) continue;
      INFO(each.model_type << "." << field);
      int found = 0;
      for (const hf_default& row : hf_defaults)
        found += row.model_type == each.model_type && row.field == field ? 1 : 0;
      CHECK(found == 1);
    }
  }
}

TEST_CASE("the names and parts of multimodal models are those of the file", "[hf_defaults]") {
  for (const std::string_view type : detail::known_model_types()) {
    INFO(type);
    CHECK(document().contains(std::string{type}));
  }
  for (const detail::multimodal_family& family : detail::multimodal_families) {
    INFO(family.type);
    const json& entry = document().at(std::string{family.type});
    CHECK(entry.at("text_model_type").get<std::string>() == family.text_type);
    CHECK(entry.value("vision_model_type", "") == family.vision_type);
    CHECK(entry.contains("vision_defaults") == family.vision_type.empty());
  }
}

TEST_CASE("a configuration of defaults alone is a model, or says what does not fit", "[hf_defaults]") {
  // Class defaults that are no model: the parts have sizes that do not go together.
  const std::map<std::string_view, std::string> refused = {
      {"deepseek_v2", "config.num_experts_per_tok"},        {"gemma3", "config.mm_tokens_per_image"},
      {"qwen2_vl", "config.vision_config.hidden_size"},     {"qwen2_5_vl", "config.vision_config.out_hidden_size"},
      {"qwen3_vl", "config.vision_config.out_hidden_size"}, {"qwen3_vl_moe", "config.vision_config.out_hidden_size"},
  };
  for (const std::string_view type : detail::known_model_types()) {
    INFO(type);
    const auto expected = refused.find(type);
    try {
      const model_config read = read_hf_config({{"model_type", type}});
      CHECK(!read.assumed.empty());
      CHECK(expected == refused.end());
    } catch (const error& refusal) {
      INFO(refusal.what());
      REQUIRE(expected != refused.end());
      CHECK(contains(refusal.what(), expected->second));
    }
  }
}
