#ifndef TPUPLAN_READ_HF_FILES_HPP
#define TPUPLAN_READ_HF_FILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/json/file.hpp>
#include <utility>

/// @file
/// Configurations of Hugging Face as they lie on disk: as Python writes them, in a folder beside the index of the
/// weights.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Python writes Infinity, -Infinity and NaN for numbers that JSON does not have. Outside of texts they become null.
inline std::string without_python_numbers(std::string_view characters) {
  constexpr std::string_view words[] = {"-Infinity", "Infinity", "NaN"};
  std::string result;
  result.reserve(characters.size());
  bool in_text = false;
  for (std::size_t i = 0; i < characters.size();) {
    std::size_t length = 1;
    if (in_text && characters[i] == '\\') {
      length = i + 1 < characters.size() ? 2 : 1;
    } else if (characters[i] == '"') {
      in_text = !in_text;
    } else if (!in_text) {
      for (const std::string_view word : words) {
        if (characters.substr(i, word.size()) == word) length = word.size();
      }
    }
    if (!in_text && length > 2) {
      result.append("null");
    } else {
      result.append(characters.substr(i, length));
    }
    i += length;
  }
  return result;
}

inline bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

/// A path without slashes at its end.
inline std::string without_last_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// The path of another file beside a configuration, or in the folder that stands for it.
inline std::string beside(const std::string& config, const char* file) {
  return (is_folder(config) ? without_last_slash(config) + "/" : config.substr(0, config.find_last_of('/') + 1)) + file;
}

/// A configuration with what ModelOpt says of its weights in a file beside it (hf_quant_config.json), where it has no
/// quantization_config of its own.
inline nlohmann::json with_quantization_beside(const nlohmann::json& config, const std::string& path) {
  const auto has_own = [](const nlohmann::json& object) {
    return object.contains("quantization_config") && !object.at("quantization_config").is_null();
  };
  const std::string file = beside(path, "hf_quant_config.json");
  std::error_code ignored;
  if (!config.is_object() || has_own(config) || !std::filesystem::is_regular_file(file, ignored)) return config;
  if (config.contains("text_config") && config.at("text_config").is_object() && has_own(config.at("text_config")))
    return config;
  const nlohmann::json document = load_json(file);
  nlohmann::json how = json_object{document, file}.object("quantization").value();
  how["quant_method"] = "modelopt";
  nlohmann::json result = config;
  result["quantization_config"] = std::move(how);
  return result;
}

/// What the index of the weights beside a configuration says of all of them; 0 where it does not say.
struct weight_index {
  std::int64_t bytes = 0;
  std::int64_t parameters = 0;
};
inline weight_index load_weight_index(const std::string& config) {
  const std::string file = beside(config, "model.safetensors.index.json");
  std::error_code ignored;
  weight_index result;
  if (!std::filesystem::is_regular_file(file, ignored)) return result;
  const nlohmann::json document = load_json(file);
  const json_object index{document, file};
  if (!index.has("metadata")) return result;
  const json_object metadata = index.object("metadata");
  const auto read = [&](const char* key, std::int64_t most, const char* valid) {
    if (!metadata.has(key)) return std::int64_t{0};
    const std::int64_t given = metadata.positive_count(key);
    check_part(metadata.path(key), given, most, valid);
    return given;
  };
  result.bytes = read("total_size", 4 * most_parameters, "1 to 2^55 bytes");
  result.parameters = read("total_parameters", most_parameters, "1 to 2^53 parameters");
  return result;
}

/// The words without control characters, the first 64 of them.
inline std::string short_name(std::string name) {
  const auto is_control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; };
  name.erase(std::remove_if(name.begin(), name.end(), is_control), name.end());
  return name.substr(0, 64);
}
/// The name of a file or folder without those before it and .json.
inline std::string name_of_file(const std::string& given) {
  const std::string path = without_last_slash(given);
  std::string name = path.substr(path.find_last_of('/') + 1);
  constexpr std::string_view extension = ".json";
  if (name.size() > extension.size() && name.compare(name.size() - extension.size(), extension.size(), extension) == 0)
    name.resize(name.size() - extension.size());
  return short_name(name);
}
/// The last part of a config.json's "_name_or_path", which is the place that its model was loaded from, without .json;
/// empty: none.
inline std::string own_name(const nlohmann::json& config) {
  const auto place = config.find("_name_or_path");
  return place == config.end() || !place->is_string() ? std::string() : name_of_file(place->get<std::string>());
}

}  // namespace detail

/// The document of a config.json, or of the one in a folder, with null for Infinity and NaN, which Python writes. In a
/// document of this library (it has a schema) they are refused. Where the configuration does not say how the weights
/// are quantised, hf_quant_config.json beside it does. Worked: data/models/llama-3.1-8b.json has 32
/// `num_hidden_layers`.
[[nodiscard]] inline nlohmann::json load_hf_document(const std::string& path, const json_limits& limits = {}) {
  const std::string file = detail::is_folder(path) ? detail::without_last_slash(path) + "/config.json" : path;
  const std::string characters = detail::characters_of(file, limits);
  nlohmann::json document = parse_json(detail::without_python_numbers(characters), file, limits);
  if (document.is_object() && document.contains("schema")) return parse_json(characters, file, limits);
  return detail::with_quantization_beside(document, path);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
