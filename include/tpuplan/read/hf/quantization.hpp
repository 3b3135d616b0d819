#ifndef TPUPLAN_READ_HF_QUANTIZATION_HPP
#define TPUPLAN_READ_HF_QUANTIZATION_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/model/weight_bits.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/matrix_bits.hpp>
#include <tpuplan/read/hf/module_names.hpp>
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

/// Modules that are quantised alike.
struct quantised_group {
  double bits = 0;                      // of a weight with its share of scales
  std::vector<std::string> names{"*"};  // names or patterns; all of them
};

/// What `quantization_config` does to linear layers, and which of them it leaves as they are.
struct quantization {
  std::string method;
  std::vector<quantised_group> groups{};  // the last that names a matrix counts; none: the method is not known
  std::vector<std::string> kept{};        // names or patterns of modules that are not quantised
};

/// Bits of a weight in a group that shares a scale of `scale` bits; a group of 0 or fewer is a whole column.
inline double bits_in_group(std::int64_t own, std::int64_t group, std::int64_t scale) {
  return static_cast<double>(own) + (group > 0 ? static_cast<double>(scale) / static_cast<double>(group) : 0.0);
}

/// Weights that share a scale, as the file has them; 0 or fewer, as -1 in files: those of a whole column.
inline std::int64_t group_of(const json_object& from, std::int64_t usual) {
  const std::int64_t group = from.count_or("group_size", usual);
  if (group == 0 && from.has("group_size"))
    fail(errc::out_of_range, from.path("group_size"), group, "1 or more, or -1 for a whole column");
  return group;
}

/// Weights of a block of that many rows and columns, or 0 where the file does not say.
inline std::int64_t block_of(const json_object& from, std::string_view field) {
  if (!from.has(field)) return 0;
  std::int64_t weights = 1;
  for (const nlohmann::json& side : from.list(field)) {
    const bool usable = side.is_number_integer() && side >= 1 && side <= 1048576;
    if (!usable || weights > 1048576) fail(errc::malformed_input, from.path(field), shown_json(side), "[128, 128]");
    weights *= side.get<std::int64_t>();
  }
  return weights;
}

/// Refuses bits of a weight that no format has.
inline std::int64_t bits_in(const json_object& from, std::string_view field, std::int64_t bits) {
  if (bits < 1 || bits > 16) fail(errc::out_of_range, from.path(field), bits, "1 to 16");
  return bits;
}

/// bitsandbytes: blocks of 64 with a scale in fp32, or in 8 bits with one in fp32 for each 256 of them.
/// Source: Dettmers et al. 2023, arXiv 2305.14314. Both flags are false by default, and one has to be true:
/// transformers/utils/quantization_config.py (@0002311) and quantizers/auto.py (@00e3e79), read 2026-11-26.
inline double bits_of_bitsandbytes(const json_object& from) {
  const bool four = from.flag_or("load_in_4bit", false), eight = from.flag_or("load_in_8bit", false);
  if (four == eight)
    fail(errc::invalid_argument, from.path("load_in_8bit"), eight ? "true" : "false",
         eight ? "one of it and load_in_4bit" : "true, or load_in_4bit: bitsandbytes quantises nothing without");
  if (eight) return 8;
  return from.flag_or("bnb_4bit_use_double_quant", false) ? 4 + 8.0 / 64 + 32.0 / (64 * 256) : 4 + 32.0 / 64;
}

/// Bits of a weight of a group of compressed-tensors. Scales are of 16 bits; those of 4-bit floats are of 8 bits (MXFP4
/// in groups of 32, NVFP4 in groups of 16), those of blocks of 32.
inline double bits_of_compressed(const json_object& weights) {
  const std::int64_t own = bits_in(weights, "num_bits", weights.count("num_bits"));
  const bool small_float = own == 4 && weights.has("type") && weights.string("type") == "float";
  const std::int64_t zero_point = weights.flag_or("symmetric", true) ? 0 : own;
  const std::int64_t block = block_of(weights, "block_structure");
  return block > 0 ? bits_in_group(own, block, 32)
                   : bits_in_group(own, group_of(weights, 0), small_float ? 8 : 16 + zero_point);
}

/// The texts of a list.
inline std::vector<std::string> texts_in(const nlohmann::json& list) {
  std::vector<std::string> texts;
  for (const nlohmann::json& one : list)
    if (one.is_string()) texts.push_back(one.get<std::string>());
  return texts;
}

/// compressed-tensors: its groups of layers, those of a class ("Linear") first, as names count before them. Those
/// without a format of weights are of activations alone.
inline std::vector<quantised_group> groups_of_compressed(const json_object& from) {
  std::vector<quantised_group> of_classes, named;
  for (const auto& group : from.object("config_groups").value().items()) {
    const json_object one = from.object("config_groups").object(group.key());
    if (!one.has("weights")) continue;
    quantised_group read{bits_of_compressed(one.object("weights"))};
    if (one.has("targets") && !one.at("targets").empty()) read.names = texts_in(one.list("targets"));
    const auto is_class = [](const std::string& name) { return name == "Linear" || name == "*"; };
    (std::all_of(read.names.begin(), read.names.end(), is_class) ? of_classes : named).push_back(std::move(read));
  }
  of_classes.insert(of_classes.end(), named.begin(), named.end());
  return of_classes;
}

/// Bits of a weight in a format of ModelOpt, with its share of scales; 0 for one that is not known.
inline double bits_of_algorithm(std::string_view algorithm) {
  if (algorithm == "FP8" || algorithm == "INT8_SQ") return 8;
  if (algorithm == "FP8_PB_WO") return bits_in_group(8, 128 * 128, 32);
  if (algorithm == "NVFP4" || algorithm == "W4A16_NVFP4") return bits_in_group(4, 16, 8);
  if (algorithm == "MXFP8") return bits_in_group(8, 32, 8);
  if (algorithm == "MXFP4") return bits_in_group(4, 32, 8);
  return algorithm == "W4A16_AWQ" || algorithm == "W4A8_AWQ" ? bits_in_group(4, 128, 16) : 0;
}

/// The format of a module that `quantized_layers` of ModelOpt lists.
inline double bits_of_listed(const nlohmann::json& listed) {
  const bool named = listed.is_object() && listed.contains("quant_algo") && listed.at("quant_algo").is_string();
  return named ? bits_of_algorithm(listed.at("quant_algo").get_ref<const std::string&>()) : 0;
}

/// ModelOpt names a format, or lists modules or groups of layers.
inline std::vector<quantised_group> groups_of_modelopt(const json_object& from) {
  const double named = bits_of_algorithm(from.has("quant_algo") ? from.string("quant_algo") : "");
  if (named > 0) return {{named}};
  std::vector<quantised_group> groups;
  if (!from.has("quantized_layers")) return from.has("config_groups") ? groups_of_compressed(from) : std::move(groups);
  for (const auto& [module, format] : from.object("quantized_layers").value().items())
    if (const double bits = bits_of_listed(format); bits > 0) groups.push_back({bits, {module}});
  return groups;
}

/// Bits of a weight under a method that has one format; 0 for others.
inline double bits_of_method(const std::string& method, const json_object& from) {
  if (method == "mxfp4") return 4.25;  // a scale of 8 bits for each 32 weights
  if (method == "fp8") return bits_in_group(8, block_of(from, "weight_block_size"), 32);
  if (method == "fbgemm_fp8") return 8;
  if (method == "gptq" || method == "awq" || method == "auto-round") {
    const std::int64_t own = bits_in(from, "bits", from.count_or("bits", 4));
    return bits_in_group(own, group_of(from, 128), 16 + own);
  }
  if (method == "mlx") {
    const std::int64_t own = bits_in(from, "bits", from.count_or("bits", 4));
    return bits_in_group(own, group_of(from, 64), 32);  // a scale and an offset of 16 bits
  }
  return method == "bitsandbytes" ? bits_of_bitsandbytes(from) : 0;
}

inline std::vector<quantised_group> groups_of_method(const std::string& method, const json_object& from) {
  if (method == "compressed-tensors") return groups_of_compressed(from);
  if (method == "modelopt") return groups_of_modelopt(from);
  const double bits = bits_of_method(method, from);
  if (bits == 0) return {};
  if (method == "mxfp4") return {{bits, {"experts"}}};
  return {{bits}};
}

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
  result.method = from.has("quant_method") ? from.string("quant_method") : unnamed;
  result.groups = groups_of_method(result.method, from);
  for (const std::string_view field :
       {"modules_to_not_convert", "ignore", "ignored_layers", "llm_int8_skip_modules", "exclude_modules"}) {
    if (!from.has(field)) continue;
    const std::vector<std::string> names = texts_in(from.list(field));
    result.kept.insert(result.kept.end(), names.begin(), names.end());
  }
  if (from.has("dynamic")) {  // GPTQModel: "-:" leaves modules as they are, "+:" gives them other settings
    for (const auto& [pattern, settings] : from.object("dynamic").value().items())
      result.kept.push_back(pattern.compare(0, 2, "-:") == 0 ? "re:" + pattern.substr(2) : pattern);
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

/// The formats of the parts, and what is said about them.
inline void apply_quantization(config_fields& fields, const quantization& how, const transformer& model,
                               stored_format& into) {
  if (how.groups.empty()) {
    fields.assume("quantization_config", std::string(name(into.weights)),
                  how.method +
                      (how.method == "compressed-tensors" || how.method == "modelopt"
                           ? ": no group of it has a format of weights that is known"
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
    if (from.has("quantization_config") && has_text(model)) {
      quantization how = read_quantization(from.object("quantization_config"));
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
