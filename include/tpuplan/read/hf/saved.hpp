#ifndef TPUPLAN_READ_HF_SAVED_HPP
#define TPUPLAN_READ_HF_SAVED_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>

/// @file
/// Fields that say again what others do, as configurations are saved: each is put in the place of the other.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Whether a value of `per_layer_config` is of exactly the layers that attend to everything.
inline bool is_of_full_layers(const nlohmann::json& each, const nlohmann::json& object) {
  if (!object.contains("layer_types") || !object.at("layer_types").is_array()) return false;
  const nlohmann::json& types = object.at("layer_types");
  std::size_t full = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string key = std::to_string(i), padded = i < 10 ? "0" + key : key;
    const bool listed = each.contains(key) || each.contains(padded);
    if (listed != (types[i] == "full_attention")) return false;
    full += listed;
  }
  return full > 0 && full == each.size();
}

/// `per_layer_config` of Gemma 4: heads of another width, and others for keys and values, in the layers that attend to
/// everything. Source: Gemma4TextConfig of transformers (2026-08), which saves global_head_dim and
/// num_global_key_value_heads so. Anything else in that field is refused: it makes layers that differ.
inline void put_layer_config(nlohmann::json& object, const std::string& path) {
  const nlohmann::json each = object.at("per_layer_config");
  object.erase("per_layer_config");
  if (!each.is_object()) fail(errc::malformed_input, path, each.type_name(), "an object");
  if (each.empty()) return;
  const nlohmann::json& first = *each.begin();
  bool alike = first.is_object() && first.contains("head_dim") && first.size() <= 2 && is_of_full_layers(each, object);
  for (const nlohmann::json& one : each) alike = alike && one == first;
  for (const auto& field : first.items())
    alike = alike && (field.key() == "head_dim" || field.key() == "num_key_value_heads");
  const nlohmann::json type = object.value("model_type", nlohmann::json());
  if (!alike || !type.is_string() || type.get<std::string>().rfind("gemma4", 0) != 0)
    fail(errc::unsupported, path, std::to_string(each.size()) + " layers",
         "absent, or one head_dim and num_key_value_heads for all full_attention layers of Gemma 4");
  object["global_head_dim"] = first.at("head_dim");
  if (first.contains("num_key_value_heads")) object["num_global_key_value_heads"] = first.at("num_key_value_heads");
}

/// A configuration with one name for each thing. `path` is its name in messages.
inline void put_one_name(nlohmann::json& object, const std::string& path) {
  const auto put = [&](const char* from, const char* to) {
    if (!object.contains(from)) return;
    if (!object.at(from).is_null()) object[to] = object.at(from);
    object.erase(from);
  };
  if (object.contains("per_layer_config")) put_layer_config(object, path + ".per_layer_config");
  if (object.contains("compression_config") && !object.contains("quantization_config"))
    put("compression_config", "quantization_config");                      // of older compressed-tensors
  if (object.contains("model_type") && object.at("model_type") == "clip")  // whose class overwrites one by the other
    put("text_config_dict", "text_config"), put("vision_config_dict", "vision_config");
  if (object.contains("model_type") && object.at("model_type") == "xlstm")
    put("num_blocks", "num_hidden_layers"), put("embedding_dim", "hidden_size");  // which its layers are made from
  for (const char* part : {"text_config", "llm_config", "language_config", "thinker_config"})
    if (object.contains(part) && object.at(part).is_object()) put_one_name(object.at(part), path + "." + part);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
