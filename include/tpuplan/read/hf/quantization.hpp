#ifndef TPUPLAN_READ_HF_QUANTIZATION_HPP
#define TPUPLAN_READ_HF_QUANTIZATION_HPP

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/model/weight_bits.hpp>
#include <tpuplan/read/hf/fields.hpp>

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

/// What `quantization_config` does to linear layers, and which parts it leaves as they are.
struct quantization {
  std::string method;
  double bits = 0;           // of a weight with its share of scales; 0: the method is not known
  nlohmann::json formats{};  // of modules one by one (ModelOpt); bits is the widest of them
  double expert_bits = 0;    // of experts, where they have a format of their own (DeepSeek-V4)
  bool experts_alone = false;
  nlohmann::json kept = nlohmann::json::array();  // names or patterns of modules that are not quantised
};

/// Bits of a weight in a group that shares a scale of `scale` bits; a group of 0 or fewer is a whole column.
inline double bits_in_group(std::int64_t own, std::int64_t group, std::int64_t scale) {
  return static_cast<double>(own) + (group > 0 ? static_cast<double>(scale) / static_cast<double>(group) : 0.0);
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

/// compressed-tensors: the widest of its groups of layers. Scales are of 16 bits; those of 4-bit floats are of 8 bits
/// (MXFP4 in groups of 32, NVFP4 in groups of 16), those of blocks of 32.
inline double bits_of_compressed(const json_object& from) {
  double widest = 0;
  for (const auto& group : from.object("config_groups").value().items()) {
    const json_object one = from.object("config_groups").object(group.key());
    if (!one.has("weights")) continue;
    const json_object weights = one.object("weights");
    const std::int64_t own = bits_in(weights, "num_bits", weights.count("num_bits"));
    const bool small_float = own == 4 && weights.has("type") && weights.string("type") == "float";
    const std::int64_t zero_point = weights.flag_or("symmetric", true) ? 0 : own;
    const std::int64_t block = block_of(weights, "block_structure");
    widest = std::fmax(
        widest, block > 0 ? bits_in_group(own, block, 32)
                          : bits_in_group(own, weights.count_or("group_size", 0), small_float ? 8 : 16 + zero_point));
  }
  return widest;
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
inline double bits_of_modelopt(const json_object& from) {
  const double named = bits_of_algorithm(from.has("quant_algo") ? from.string("quant_algo") : "");
  if (named > 0) return named;
  if (!from.has("quantized_layers")) return from.has("config_groups") ? bits_of_compressed(from) : 0;
  double widest = 0;
  for (const auto& each : from.object("quantized_layers").value().items())
    widest = std::fmax(widest, bits_of_listed(each.value()));
  return widest;
}

inline double bits_of_method(const std::string& method, const json_object& from) {
  if (method == "mxfp4") return 4.25;  // a scale of 8 bits for each 32 weights
  if (method == "fp8") return bits_in_group(8, block_of(from, "weight_block_size"), 32);
  if (method == "fbgemm_fp8") return 8;
  if (method == "gptq" || method == "awq" || method == "auto-round") {
    const std::int64_t own = bits_in(from, "bits", from.count_or("bits", 4));
    return bits_in_group(own, from.count_or("group_size", 128), 16 + own);
  }
  if (method == "mlx") {
    const std::int64_t own = bits_in(from, "bits", from.count_or("bits", 4));
    return bits_in_group(own, from.count_or("group_size", 64), 32);  // a scale and an offset of 16 bits
  }
  if (method == "bitsandbytes") return bits_of_bitsandbytes(from);
  if (method == "compressed-tensors") return bits_of_compressed(from);
  if (method == "modelopt") return bits_of_modelopt(from);
  return 0;
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
  result.bits = bits_of_method(result.method, from);
  result.experts_alone = result.method == "mxfp4";
  if (result.method == "modelopt" && from.has("quantized_layers") && from.has("quant_algo") &&
      bits_of_algorithm(from.string("quant_algo")) == 0)
    result.formats = from.object("quantized_layers").value();
  for (const std::string_view field : {"modules_to_not_convert", "ignore", "llm_int8_skip_modules", "exclude_modules"})
    if (from.has(field)) result.kept.insert(result.kept.end(), from.list(field).begin(), from.list(field).end());
  return result;
}

/// The parts that a module may belong to.
enum class model_part : std::uint8_t { attention, mlp, experts, other };

inline model_part part_of(std::string_view module) {
  const auto has = [&](std::string_view word) { return module.find(word) != std::string_view::npos; };
  if (has("vision") || has("visual") || has("router") || has("gate$") || module.substr(module.rfind('.') + 1) == "gate")
    return model_part::other;
  if (has("shared_expert")) return model_part::mlp;
  if (has("experts")) return model_part::experts;
  if (has("attn") || has("attention")) return model_part::attention;
  if (has("mixer") && !has("up_proj") && !has("down_proj")) return model_part::attention;  // of Nemotron-H
  return has("mlp") || has("mixer") || has("feed_forward") || has("ffn") ? model_part::mlp : model_part::other;
}

/// The number behind "layers." in the name of a module, or -1 where it names no layer.
inline std::int64_t layer_of(std::string_view module) {
  constexpr std::string_view mark = "layers.";
  const std::size_t found = module.find(mark);
  if (found == std::string_view::npos) return -1;
  std::int64_t number = -1;
  for (std::size_t i = found + mark.size(); i < module.size() && module[i] >= '0' && module[i] <= '9'; ++i)
    number = std::min<std::int64_t>(std::max<std::int64_t>(number, 0) * 10 + (module[i] - '0'), 16777216);
  return number;
}

/// The share of a part that stays as it is: all of it, or the layers that are named one by one.
inline double kept_share(const nlohmann::json& kept, model_part part, std::int64_t layers) {
  std::set<std::int64_t> named;
  for (const nlohmann::json& each : kept) {
    if (!each.is_string() || part_of(each.get_ref<const std::string&>()) != part) continue;
    const std::int64_t layer = layer_of(each.get_ref<const std::string&>());
    if (layer < 0) return 1;
    if (layer < layers) named.insert(layer);
  }
  return static_cast<double>(named.size()) / static_cast<double>(layers);
}

/// Layers of a model that have such a part.
inline std::int64_t layers_with(const transformer& model, model_part part) {
  if (part == model_part::experts) return moe_layers(model);
  if (part == model_part::mlp) return dense_layers(model) + (model.moe.shared_d_ff > 0 ? moe_layers(model) : 0);
  return attention_layers(model) + (model.recurrent.beside_attention ? 0 : model.recurrent.layers);
}

/// Bits of a part of which modules are listed one by one: the mean over them, and `usual` in layers that the list does
/// not name for it; 0 where it names none.
inline double listed_bits(const nlohmann::json& formats, model_part part, const transformer& model, double usual) {
  const std::int64_t layers = layers_with(model, part);
  double sum = 0, modules = 0;
  std::set<std::int64_t> named;
  for (const auto& [module, format] : formats.items()) {
    const double own = bits_of_listed(format);
    const std::int64_t layer = layer_of(module);
    if (own == 0 || part_of(module) != part || layer >= model.layers) continue;
    sum += own;
    modules += 1;
    if (layer >= 0) named.insert(layer);
  }
  if (modules == 0) return 0;
  const double share =
      named.empty() || layers == 0 ? 1 : static_cast<double>(named.size()) / static_cast<double>(layers);
  return std::fmin(share, 1) * sum / modules + (1 - std::fmin(share, 1)) * usual;
}

/// A number of bits as people write it: "4.25".
inline std::string shown_bits(double bits) { return nlohmann::json(std::round(bits * 1000) / 1000).dump(); }

/// The formats of the parts, and what is said about them.
inline void apply_quantization(config_fields& fields, const quantization& how, const transformer& model,
                               stored_format& into) {
  if (how.bits <= 0) {
    fields.assume("quantization_config", std::string(name(into.weights)),
                  how.method + " is not a method whose widths are known: weights count as if not quantised");
    return;
  }
  const auto usual = static_cast<double>(bits(into.weights));
  std::string said;
  const auto width = [&](model_part part, const char* what, bool present) {
    if (!how.formats.is_null()) {
      const double listed = present ? listed_bits(how.formats, part, model, usual) : 0;
      if (listed > 0) said.append(said.empty() ? "" : ", ").append(what).append(" ").append(shown_bits(listed));
      return listed;
    }
    const double kept = how.experts_alone && part != model_part::experts ? 1 : kept_share(how.kept, part, model.layers);
    const bool own_format = part == model_part::experts && how.expert_bits > 0;
    const double bits = own_format ? how.expert_bits : how.bits;
    const double result = !present || kept >= 1 ? 0 : kept * usual + (1 - kept) * bits;
    if (result > 0) said.append(said.empty() ? "" : ", ").append(what).append(" ").append(shown_bits(result));
    return result;
  };
  const bool has_mlp = moe_layers(model) < model.layers || model.moe.shared_d_ff + model.moe.parallel_dense_d_ff > 0;
  into.parts.attention = width(model_part::attention, "attention", true);
  into.parts.mlp = width(model_part::mlp, "MLP", has_mlp);
  into.parts.experts = width(model_part::experts, "experts", has_experts(model));
  said.append(said.empty() ? "nothing quantised" : " bits a weight");
  fields.assume(
      "quantization_config", std::move(said),
      how.method + " with its scales; all else in " + std::string(name(into.weights)) +
          (how.method == "mlx"            ? ", token tables too, which MLX quantises"
           : how.method == "bitsandbytes" ? "; the kernels of bitsandbytes are CUDA: other software reads it on TPUs"
                                          : ""));
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
    for (const std::string_view field : {"dtype", "torch_dtype"}) {
      if (!from.has(field) || !from.at(field).is_string()) continue;
      if (const maybe<dtype> known = parse_dtype(from.string(field))) result.weights = *known;
    }
    if (from.has("quantization_config") && has_text(model)) {
      quantization how = read_quantization(from.object("quantization_config"));
      how.expert_bits = bits_of_experts(fields);
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
