#ifndef TPUPLAN_READ_HF_QUANTIZATION_HPP
#define TPUPLAN_READ_HF_QUANTIZATION_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/model/weight_bits.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/matrix_bits.hpp>
#include <tpuplan/read/hf/module_names.hpp>
#include <tpuplan/read/hf/quantization_methods.hpp>
#include <vector>

/// @file
/// In which format the weights beside a Hugging Face configuration are stored: `dtype` (`torch_dtype` in older files)
/// and `quantization_config`.

namespace tpuplan {
inline namespace abi_0 {

/// How the weights of a checkpoint are stored.
struct stored_format {
  dtype weights = dtype::bf16;  ///< of what is not quantised
  weight_bits parts{};          ///< of what is
};

namespace detail {

/// What `quantization_config` does to linear layers, and which of them it leaves as they are.
struct quantization {
  std::string method;
  std::vector<quantised_group> groups{};  // the last that names a matrix counts; none: the method is not known
  std::vector<std::string> kept{};        // names or patterns of modules that are not quantised
};

/// The format that `expert_dtype` of DeepSeek-V4 gives experts beside fp8 for the rest: fp4 with a scale of 8 bits for
/// each 32 weights. Source: DeepseekV4FP8Config of vLLM.
inline double bits_of_experts(const config_fields& fields) {
  if (fields.type() != "deepseek_v4" || !fields.has("expert_dtype")) return 0;
  const std::string format = fields.object().string("expert_dtype");
  if (format == "fp4") return bits_in_group(4, 32, 8);
  if (format != "fp8") fail(errc::unsupported, fields.path("expert_dtype"), format.substr(0, 40), "fp4, fp8");
  return 0;
}

inline quantization read_quantization(const json_object& from) {
  quantization result;
  // The first of bitsandbytes had no name, and those of MLX have none.
  const char* unnamed = from.has("bits") && from.has("group_size") ? "mlx" : "bitsandbytes";
  const bool is_known = from.has("quant_method") || from.has("load_in_8bit") || from.has("load_in_4bit");
  if (!is_known && unnamed != std::string_view("mlx"))
    fail(errc::missing_field, from.path("quant_method"), "missing", "the format of the weights, such as fp8 or awq");
  result.method = method_named(from.has("quant_method") ? from.string("quant_method") : unnamed);
  result.groups = groups_of_method(result.method, from, result.kept);
  for (const std::string_view field : {"modules_to_not_convert", "ignore", "ignored_layers", "llm_int8_skip_modules",
                                       "exclude_modules", "skip_modules", "exclude"}) {
    if (!from.has(field)) continue;
    const std::vector<std::string> names = texts_in(from.list(field));
    result.kept.insert(result.kept.end(), names.begin(), names.end());
  }
  return result;
}

/// A number of bits as people write it: "4.25".
inline std::string shown_bits(double bits) { return nlohmann::json(std::round(bits * 1000) / 1000).dump(); }

/// Gives the matrices that a name stands for that many bits; whether it stands for anything that there is.
inline bool set_named(std::array<matrix_bits, part_count>& parts, const std::string& name, double bits) {
  bool is_known = false;
  for (const named_modules& one : modules_named(name)) {
    is_known = is_known || one.is_other || (one.any() && parts[0].has_layer(one));
    for (matrix_bits& part : parts) part.set(one, bits);
  }
  return is_known;
}

/// Says which names stand for no module that is known.
inline void say_unknown(config_fields& fields, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const std::string more = names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "";
  fields.assume("quantization_config: modules", names.front().substr(0, 60) + more,
                "names of no module that is known: what they say of formats is left out");
}

/// Whether some formats of a method are known.
inline bool is_method(std::string_view method) {
  constexpr std::string_view methods[] = {
      "compressed-tensors", "modelopt", "quark", "mlx", "hqq", "torchao", "quanto", "eetq", "fp_quant"};
  return std::find(std::begin(methods), std::end(methods), method) != std::end(methods);
}

/// The formats of the parts, and what is said about them.
inline void apply_quantization(config_fields& fields, const quantization& how, const transformer& model,
                               stored_format& into) {
  if (how.groups.empty()) {
    fields.assume("quantization_config", std::string(name(into.weights)),
                  how.method +
                      (is_method(how.method) ? ": no group of it has a format of weights that is known"
                                             : " is not a method whose widths are known") +
                      ": weights count as if not quantised");
    return;
  }
  const auto usual = static_cast<double>(bits(into.weights));
  const layer_places& places = fields.record().places;
  std::array<matrix_bits, part_count> parts{matrix_bits{model, model_part::attention, usual, places},
                                            matrix_bits{model, model_part::mlp, usual, places},
                                            matrix_bits{model, model_part::experts, usual, places}};
  std::vector<std::string> unknown;
  const auto set = [&](const std::vector<std::string>& names, double bits) {
    for (const std::string& one : names)
      if (!set_named(parts, one, bits)) unknown.push_back(one);
  };
  for (const quantised_group& group : how.groups) set(group.names, group.bits);
  set(how.kept, usual);
  std::string said;
  const auto width = [&](model_part part, const char* what) {
    const double mean = parts[static_cast<std::size_t>(part)].mean();
    if (mean > 0) said.append(said.empty() ? "" : ", ").append(what).append(" ").append(shown_bits(mean));
    return mean;
  };
  into.parts.attention = width(model_part::attention, "attention");
  into.parts.mlp = width(model_part::mlp, "MLP");
  into.parts.experts = width(model_part::experts, "experts");
  said.append(said.empty() ? "nothing quantised" : " bits a weight");
  fields.assume(
      "quantization_config", std::move(said),
      how.method + " with its scales; all else in " + std::string(name(into.weights)) +
          (how.method == "mlx"            ? ", token tables too, which MLX quantises"
           : how.method == "bitsandbytes" ? "; the kernels of bitsandbytes are CUDA: other software reads it on TPUs"
                                          : ""));
  say_unknown(fields, unknown);
}

/// Reads `dtype` or, in older files, `torch_dtype`. Throws where both are given and differ; one that is not known is
/// said and left out.
inline void read_dtype(config_fields& fields, const json_object& from, stored_format& into) {
  maybe<dtype> read;
  for (const std::string_view field : {"dtype", "torch_dtype"}) {
    if (!from.has(field)) continue;
    const nlohmann::json& given = from.at(field);
    const maybe<dtype> known = given.is_string() ? parse_dtype(given.get<std::string>()) : maybe<dtype>{};
    if (!known) {
      if (given != "auto")
        fields.assume(std::string(field), std::string(name(into.weights)),
                      shown_json(given) + " is no format that is known");
      continue;
    }
    if (read && *read != *known)
      fail(errc::invalid_argument, from.path(field), shown_json(given), "as dtype: two values for one field");
    read = into.weights = *known;
    if (bits(*known) < 16)
      fields.assume(std::string(field), std::string(name(*known)), "of all weights, as no quantisation says otherwise");
  }
}

/// The field that says how weights are quantised; empty where none does. Files of MLX have the same in two, of which
/// mlx-lm reads `quantization`.
inline std::string_view quantization_field(const json_object& from) {
  const bool is_of_mlx = from.has("quantization") && from.at("quantization").is_object() &&
                         from.at("quantization").contains("bits") && from.at("quantization").contains("group_size");
  return is_of_mlx ? "quantization" : from.has("quantization_config") ? "quantization_config" : "";
}

/// The formats that a configuration states; bf16 where it states none.
inline stored_format read_stored_format(config_fields& fields, const transformer& model) {
  stored_format result;
  const json_object& top = fields.object();
  for (const char* part : {"", "text_config"}) {
    const bool inside = *part != 0;
    if (inside && (!top.has(part) || !top.at(part).is_object())) continue;
    const json_object from = inside ? top.object(part) : top;
    for (const char* field : {"dtype", "torch_dtype", "quantization_config"}) {
      fields.looked_for(inside ? std::string(part) + "." + field : field);
    }
    read_dtype(fields, from, result);
    const std::string_view field = quantization_field(from);
    if (!field.empty() && has_text(model)) {
      fields.looked_for((inside ? std::string(part) + "." : "") + std::string(field));
      quantization how = read_quantization(from.object(field));
      if (const double own = bits_of_experts(fields); own > 0) how.groups.push_back({own, {"experts"}});
      apply_quantization(fields, how, model, result);
      break;
    }
  }
  return result;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
