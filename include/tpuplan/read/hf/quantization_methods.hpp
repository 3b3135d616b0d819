#ifndef TPUPLAN_READ_HF_QUANTIZATION_METHODS_HPP
#define TPUPLAN_READ_HF_QUANTIZATION_METHODS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/json/file.hpp>
#include <utility>
#include <vector>

/// @file
/// How wide the weights of a quantised checkpoint are, method by method of `quantization_config`.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Modules that are quantised alike.
struct quantised_group {
  double bits = 0;                      // of a weight with its share of scales
  std::vector<std::string> names{"*"};  // names or patterns; all of them
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

/// Whether a format of ModelOpt is one whose groups are as large as the file says.
inline bool is_awq(std::string_view algorithm) { return algorithm == "W4A16_AWQ" || algorithm == "W4A8_AWQ"; }

/// Bits of a weight in a format of ModelOpt, with its share of scales; 0 for one that is not known.
inline double bits_of_algorithm(std::string_view algorithm) {
  if (algorithm == "FP8" || algorithm == "INT8_SQ") return 8;
  if (algorithm == "FP8_PB_WO") return bits_in_group(8, 128 * 128, 32);
  if (algorithm == "NVFP4" || algorithm == "W4A16_NVFP4") return bits_in_group(4, 16, 8);
  if (algorithm == "MXFP8") return bits_in_group(8, 32, 8);
  if (algorithm == "MXFP4") return bits_in_group(4, 32, 8);
  return is_awq(algorithm) ? bits_in_group(4, 128, 16) : 0;
}

/// The format of all, or of a module that `quantized_layers` of ModelOpt lists.
inline double bits_of_listed(const json_object& by) {
  if (!by.has("quant_algo")) return 0;
  const std::string algorithm = by.string("quant_algo");
  return is_awq(algorithm) ? bits_in_group(4, group_of(by, 128), 16) : bits_of_algorithm(algorithm);
}

/// ModelOpt names a format, or lists modules or groups of layers.
inline std::vector<quantised_group> groups_of_modelopt(const json_object& from) {
  if (const double named = bits_of_listed(from); named > 0) return {{named}};
  std::vector<quantised_group> groups;
  if (!from.has("quantized_layers")) return from.has("config_groups") ? groups_of_compressed(from) : std::move(groups);
  const json_object listed = from.object("quantized_layers");
  for (const auto& [module, format] : listed.value().items())
    if (const double bits = format.is_object() ? bits_of_listed({format, listed.path(module)}) : 0; bits > 0)
      groups.push_back({bits, {module}});
  return groups;
}

/// MLX: a scale and an offset of 16 bits for each group, or a block format with a scale of 8 bits, which a module that
/// says nothing of it does not have. Source: mlx-lm, utils.py; mlx, nn/layers/quantized.py.
inline double bits_of_mlx(const json_object& from, std::int64_t usual_bits, std::int64_t usual_group) {
  const std::string mode = from.has("mode") ? from.string("mode") : "affine";
  if (mode == "nvfp4") return bits_in_group(4, 16, 8);
  if (mode == "mxfp4" || mode == "mxfp8") return bits_in_group(mode == "mxfp4" ? 4 : 8, 32, 8);
  if (mode != "affine") return 0;
  return bits_in_group(bits_in(from, "bits", from.count_or("bits", usual_bits)), group_of(from, usual_group), 32);
}

/// MLX gives modules formats of their own by their names, beside the one of all; false leaves a module as it is.
inline std::vector<quantised_group> groups_of_mlx(const json_object& from, std::vector<std::string>& kept) {
  std::vector<quantised_group> groups{{bits_of_mlx(from, 4, 64)}};
  if (groups.front().bits == 0) return {};
  const std::int64_t bits = from.count_or("bits", 4), group = from.count_or("group_size", 64);
  for (const auto& [module, format] : from.value().items()) {
    const double own = format.is_object() ? bits_of_mlx({format, from.path(module)}, bits, group) : 0;
    if (own > 0) groups.push_back({own, {module}});
    if (format == false && module.find('.') != std::string::npos) kept.push_back(module);
  }
  return groups;
}

/// GPTQ, AWQ and AutoRound: a scale of 16 bits and a zero point for each group; 16 bits are no quantisation.
inline double bits_of_gptq(const json_object& from, std::int64_t usual_bits, std::int64_t usual_group) {
  const std::int64_t own = bits_in(from, "bits", from.count_or("bits", usual_bits));
  return own == 16 ? 16 : bits_in_group(own, group_of(from, usual_group), 16 + own);
}

/// The same with modules that have settings of their own: `dynamic` of GPTQModel, regular expressions, with "-:" for
/// what stays as it is, and `extra_config` of AutoRound, names.
inline std::vector<quantised_group> groups_of_gptq(const json_object& from, std::vector<std::string>& kept) {
  std::vector<quantised_group> groups{{bits_of_gptq(from, 4, 128)}};
  const std::int64_t bits = from.count_or("bits", 4), group = from.count_or("group_size", 128);
  for (const std::string_view field : {"dynamic", "extra_config"}) {
    if (!from.has(field)) continue;
    const json_object listed = from.object(field);
    for (const auto& [name, settings] : listed.value().items()) {
      const std::string sign = name.substr(0, std::min<std::size_t>(2, name.size()));
      const std::string pattern = sign == "+:" || sign == "-:" ? name.substr(2) : name;
      const std::string module = field == std::string_view("dynamic") ? "re:" + pattern : pattern;
      if (sign == "-:")
        kept.push_back(module);
      else
        groups.push_back({bits_of_gptq({settings, listed.path(name)}, bits, group), {module}});
    }
  }
  return groups;
}

/// HQQ: a scale and a zero point of 16 bits for each group; 3 bits are held ten to an int32. Quantised scales are not
/// known. Source: mobiusml/hqq, core/bitpack.py; HqqConfig of transformers.
inline double bits_of_hqq(const json_object& from) {
  if (!from.has("weight_quant_params") || from.has("scale_quant_params") || from.has("zero_quant_params")) return 0;
  const json_object weights = from.object("weight_quant_params");
  const std::int64_t own = bits_in(weights, "nbits", weights.count_or("nbits", 4));
  const std::int64_t group = weights.is_null("group_size") ? 0 : group_of(weights, 64);
  const double scales = group > 0 ? 32.0 / static_cast<double>(group) : 0;
  return (own == 3 ? 3.2 : static_cast<double>(own)) + scales;
}

/// Quark of AMD: the format of all weights, of modules by their names in `layer_quant_config`. Source: Quark,
/// torch/quantization/config.
inline double bits_of_quark(const json_object& from) {
  if (!from.has("weight") || !from.at("weight").is_object()) return 0;
  const json_object weight = from.object("weight");
  const std::string format = weight.has("dtype") ? weight.string("dtype") : "";
  const std::string scheme = weight.has("qscheme") ? weight.string("qscheme") : "";
  const std::int64_t own = format == "fp4" || format == "int4" || format == "uint4"           ? 4
                           : format == "fp8_e4m3" || format == "fp8_e5m2" || format == "int8" ? 8
                                                                                              : 0;
  const bool in_groups = scheme == "per_group";
  if (own == 0 || (!in_groups && scheme != "per_tensor" && scheme != "per_channel")) return 0;
  const bool is_block = weight.has("scale_format") && weight.string("scale_format") == "e8m0";
  return bits_in_group(own, in_groups ? group_of(weight, 128) : 0, is_block ? 8 : format == "uint4" ? 20 : 16);
}
inline std::vector<quantised_group> groups_of_quark(const json_object& from) {
  std::vector<quantised_group> groups;
  if (from.has("global_quant_config")) {
    if (const double bits = bits_of_quark(from.object("global_quant_config")); bits > 0) groups.push_back({bits});
  }
  if (!from.has("layer_quant_config")) return groups;
  const json_object listed = from.object("layer_quant_config");
  for (const auto& [name, format] : listed.value().items())
    if (const double bits = format.is_object() ? bits_of_quark({format, listed.path(name)}) : 0; bits > 0)
      groups.push_back({bits, {name}});
  return groups;
}

/// torchao, of the formats whose bits their names say: 4-bit integers with a scale and a zero point of 16 bits for each
/// group, 8 bits with a scale for each row. Source: torchao/quantization/quant_api.py; TorchAoConfig of transformers,
/// which has a name with arguments in older files.
inline double bits_of_torchao(const json_object& from) {
  if (!from.has("quant_type")) return 0;
  const bool is_name = from.at("quant_type").is_string();
  if (!is_name && !(from.at("quant_type").is_object() && from.object("quant_type").has("default"))) return 0;
  const json_object format = is_name ? from : from.object("quant_type").object("default");
  const char* const type = is_name ? "quant_type" : "_type";
  const char* const arguments = is_name ? "quant_type_kwargs" : "_data";
  const std::string name = format.has(type) ? format.string(type) : "";
  if (name == "int4_weight_only" || name == "Int4WeightOnlyConfig")
    return bits_in_group(4, format.has(arguments) ? group_of(format.object(arguments), 128) : 128, 32);
  constexpr std::string_view eight[] = {"int8_weight_only",
                                        "float8_weight_only",
                                        "int8_dynamic_activation_int8_weight",
                                        "Int8WeightOnlyConfig",
                                        "Float8WeightOnlyConfig",
                                        "Int8DynamicActivationInt8WeightConfig",
                                        "float8_dynamic_activation_float8_weight",
                                        "Float8DynamicActivationFloat8WeightConfig"};
  return std::find(std::begin(eight), std::end(eight), name) != std::end(eight) ? 8 : 0;
}

/// Methods of transformers that say the format by its name: quanto (groups of 128 with a scale and a shift below 8
/// bits), EETQ, and FP-Quant where no master weights are stored. Source: optimum-quanto, nn/qmodule.py; EetqConfig and
/// FPQuantConfig of transformers.
inline double bits_by_name(const std::string& method, const json_object& from) {
  if (method == "fp_quant") {
    const bool is_stored = from.has("forward_dtype") && !from.flag_or("store_master_weights", false);
    const std::string name = is_stored ? from.string("forward_dtype") : "";
    return name == "mxfp4" ? bits_in_group(4, 32, 8) : name == "nvfp4" ? bits_in_group(4, 16, 8) : 0;
  }
  const std::string name = from.has("weights") ? from.string("weights") : "int8";
  if (name == "int8" || name == "float8") return 8;
  if (method == "quanto" && (name == "int4" || name == "int2")) return bits_in_group(name == "int4" ? 4 : 2, 128, 32);
  return 0;
}

/// Bits of a weight under a method that has one format; 0 for others.
inline double bits_of_method(const std::string& method, const json_object& from) {
  if (method == "mxfp4") return 4.25;  // a scale of 8 bits for each 32 weights
  if (method == "fp8") return bits_in_group(8, block_of(from, "weight_block_size"), 32);
  if (method == "fbgemm_fp8") return 8;
  if (method == "hqq") return from.has("quant_config") ? bits_of_hqq(from.object("quant_config")) : 0;
  if (method == "torchao") return bits_of_torchao(from);
  if (method == "quanto" || method == "eetq" || method == "fp_quant") return bits_by_name(method, from);
  // Four weights of 1.58 bits to a byte; "online" files hold them in bf16. Source: integrations/bitnet.py,
  // transformers.
  if (method == "bitnet") return from.has("quantization_mode") && from.string("quantization_mode") == "online" ? 16 : 2;
  return method == "bitsandbytes" ? bits_of_bitsandbytes(from) : 0;
}

/// The method under the name that it has here: files have others of it, and capitals.
inline std::string method_named(std::string given) {
  for (char& c : given) c = to_lower(c);
  constexpr std::pair<std::string_view, std::string_view> others[] = {{"gptq_marlin", "gptq"},
                                                                      {"awq_marlin", "awq"},
                                                                      {"intel/auto-round", "auto-round"},
                                                                      {"auto_round", "auto-round"},
                                                                      {"compressed_tensors", "compressed-tensors"}};
  for (const auto& [other, own] : others)
    if (given == other) return std::string(own);
  return given;
}

/// The groups of a method; to `kept` it adds modules that it leaves as they are.
inline std::vector<quantised_group> groups_of_method(const std::string& method, const json_object& from,
                                                     std::vector<std::string>& kept) {
  if (method == "compressed-tensors") return groups_of_compressed(from);
  if (method == "modelopt") return groups_of_modelopt(from);
  if (method == "quark") return groups_of_quark(from);
  if (method == "mlx") return groups_of_mlx(from, kept);
  if (method == "gptq" || method == "awq" || method == "auto-round") return groups_of_gptq(from, kept);
  const double bits = bits_of_method(method, from);
  if (bits == 0) return {};
  if (method == "mxfp4") return {{bits, {"experts"}}};
  return {{bits}};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
