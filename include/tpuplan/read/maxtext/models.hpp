#ifndef TPUPLAN_READ_MAXTEXT_MODELS_HPP
#define TPUPLAN_READ_MAXTEXT_MODELS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/maxtext/keys.hpp>
#include <utility>
#include <vector>

/// @file
/// The model of a MaxText configuration: its `base_` dimensions, or those of its `model_name`. Figures:
/// AI-Hypercomputer/maxtext src/maxtext/configs/base.yml and configs/models/*.yml (2026-08-22).

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A model_name and the keys that it sets. Short keys: L layers, D base_emb_dim, H query heads, K heads of keys and
/// values, S head_dim, F base_mlp_dim, V vocab_size, E experts, T of them for a token, X base_moe_mlp_dim, C shared
/// experts, N dense layers first, W window; + marks tied embeddings.
struct maxtext_model {
  std::string_view name, block, sizes;
};
inline constexpr maxtext_model maxtext_models[] = {
    {"llama2-7b", "llama2", "L32 D4096 H32 K32 S128 F11008 V32000"},
    {"llama2-13b", "llama2", "L40 D5120 H40 K40 S128 F13824 V32000"},
    {"llama2-70b", "llama2", "L80 D8192 H64 K8 S128 F28672 V32000"},
    {"llama3-8b", "llama2", "L32 D4096 H32 K8 S128 F14336 V128256"},
    {"llama3-70b", "llama2", "L80 D8192 H64 K8 S128 F28672 V128256"},
    {"llama3-405b", "llama2", "L126 D16384 H128 K8 S128 F53248 V128256"},
    {"llama3.1-8b", "llama2", "L32 D4096 H32 K8 S128 F14336 V128256"},
    {"llama3.1-70b", "llama2", "L80 D8192 H64 K8 S128 F28672 V128256"},
    {"llama3.1-405b", "llama2", "L126 D16384 H128 K8 S128 F53248 V128256"},
    {"llama3.3-70b", "llama2", "L80 D8192 H64 K8 S128 F28672 V128256"},
    {"llama4-17b-16e", "llama4", "L48 D5120 H40 K8 S128 F8192 V202048 E16 T1 X8192 C1"},
    {"llama4-17b-128e", "llama4", "L48 D5120 H40 K8 S128 F16384 V202048 E128 T1 X8192 C1 I2"},
    {"mistral-7b", "mistral", "L32 D4096 H32 K8 S128 F14336 V32000"},
    {"mixtral-8x7b", "mixtral", "L32 D4096 H32 K8 S128 F14336 V32000 E8 T2 X14336"},
    {"mixtral-8x22b", "mixtral", "L56 D6144 H48 K8 S128 F16384 V32768 E8 T2 X16384"},
    {"gemma-2b", "gemma", "L18 D2048 H8 K1 S256 F16384 V256128+"},
    {"gemma-7b", "gemma", "L28 D3072 H16 K16 S256 F24576 V256128+"},
    {"gemma2-2b", "gemma2", "L13 D2304 H8 K4 S256 F9216 V256128 W4096+"},
    {"gemma2-9b", "gemma2", "L21 D3584 H16 K8 S256 F14336 V256128 W4096+"},
    {"gemma2-27b", "gemma2", "L23 D4608 H32 K16 S128 F36864 V256128 W4096+"},
    {"gemma3-4b", "gemma3", "L34 D2560 H8 K4 S256 F10240 V262144 W1024+"},
    {"gemma3-12b", "gemma3", "L48 D3840 H16 K8 S256 F15360 V262144 W1024+"},
    {"gemma3-27b", "gemma3", "L62 D5376 H32 K16 S128 F21504 V262144 W1024+"},
    {"gpt3-6b", "gpt3", "L48 D3072 H12 K12 S256 F12288 V32768+"},
    {"gpt3-22b", "gpt3", "L48 D6144 H24 K24 S256 F24576 V32768+"},
    {"gpt3-175b", "gpt3", "L96 D12288 H96 K96 S128 F49152 V50304+"},
    {"gpt-oss-20b", "gpt_oss", "L24 D2880 H64 K8 S64 F2880 V201088 E32 T4 X2880 W128"},
    {"gpt-oss-120b", "gpt_oss", "L36 D2880 H64 K8 S64 F2880 V201088 E128 T4 X2880 W128"},
    {"olmo3-7b", "olmo3", "L32 D4096 H32 K32 S128 F11008 V100278 W4096"},
    {"olmo3-32b", "olmo3", "L64 D5120 H40 K8 S128 F27648 V100278 W4096"},
    {"qwen2.5-1.5b", "qwen2", "L28 D1536 H12 K2 S128 F8960 V151936+"},
    {"qwen2.5-7b", "qwen2", "L28 D3584 H28 K4 S128 F18944 V152064"},
    {"qwen2.5-14b", "qwen2", "L48 D5120 H40 K8 S128 F13824 V152064"},
    {"qwen3-0.6b", "qwen3", "L28 D1024 H16 K8 S128 F3072 V151936+"},
    {"qwen3-1.7b", "qwen3", "L28 D2048 H16 K8 S128 F6144 V151936+"},
    {"qwen3-4b", "qwen3", "L36 D2560 H32 K8 S128 F9728 V151936+"},
    {"qwen3-8b", "qwen3", "L36 D4096 H32 K8 S128 F12288 V151936"},
    {"qwen3-14b", "qwen3", "L40 D5120 H40 K8 S128 F17408 V151936"},
    {"qwen3-32b", "qwen3", "L64 D5120 H64 K8 S128 F25600 V151936"},
    {"qwen3-30b-a3b", "qwen3_moe", "L48 D2048 H32 K4 S128 F768 V151936 E128 T8 X768"},
    {"qwen3-235b-a22b", "qwen3_moe", "L94 D4096 H64 K4 S128 F1536 V151936 E128 T8 X1536"},
    {"qwen3-480b-a35b", "qwen3_moe", "L62 D6144 H96 K8 S128 F2560 V151936 E160 T8 X2560"},
    {"deepseek2-16b", "deepseek", "L27 D2048 H16 K16 F10944 V102400 E64 T6 X1408 C2 N1 Q0"},
    {"deepseek2-236b", "deepseek", "L60 D5120 H128 K128 F12288 V102400 E160 T6 X1536 C2 N1 Q1536"},
    {"deepseek3-671b", "deepseek", "L61 D7168 H128 K128 F18432 V129280 E256 T8 X2048 C1 N3 Q1536"},
    {"kimi-k2-1t", "deepseek", "L61 D7168 H64 K64 F18432 V163840 E384 T8 X2048 C1 N1 Q1536"},
};

/// The keys behind the letters of `maxtext_model::sizes`.
inline constexpr std::pair<char, const char*> maxtext_letters[] = {{'L', "base_num_decoder_layers"},
                                                                   {'D', "base_emb_dim"},
                                                                   {'H', "base_num_query_heads"},
                                                                   {'K', "base_num_kv_heads"},
                                                                   {'S', "head_dim"},
                                                                   {'F', "base_mlp_dim"},
                                                                   {'V', "vocab_size"},
                                                                   {'E', "num_experts"},
                                                                   {'T', "num_experts_per_tok"},
                                                                   {'X', "base_moe_mlp_dim"},
                                                                   {'C', "shared_experts"},
                                                                   {'N', "first_num_dense_layers"},
                                                                   {'W', "sliding_window_size"},
                                                                   {'Q', "q_lora_rank"},
                                                                   {'I', "interleave_moe_layer_step"}};

/// The decoder blocks that a `transformer` describes.
inline constexpr std::string_view maxtext_blocks[] = {"llama2", "llama4", "mistral",   "mixtral", "gemma",
                                                      "gemma2", "gemma3", "gpt3",      "gpt_oss", "olmo3",
                                                      "qwen2",  "qwen3",  "qwen3_moe", "deepseek"};

/// The number behind a letter of `sizes`, or `other`.
inline std::int64_t size_behind(std::string_view sizes, char letter, std::int64_t other) noexcept {
  const std::size_t at = sizes.find(letter);
  if (at == std::string_view::npos) return other;
  const std::string_view digits = sizes.substr(at + 1);
  return parse_count(digits.substr(0, digits.find_first_not_of("0123456789")));
}

/// The dimensions of a configuration: those of its model_name, whatever the file says, else those given, else MaxText's
/// defaults. Arguments that contradict a model_name need override_model_config, as in MaxText.
class maxtext_dimensions {
 public:
  maxtext_dimensions(maxtext_reader& keys, std::vector<std::pair<std::string, std::string>>& assumed)
      : keys_{&keys}, assumed_{&assumed} {
    const std::string given = keys.word_or("model_name", "default");
    if (given == "default") {
      if (!keys.has("base_emb_dim"))
        fail(errc::missing_field, keys.place("model_name"), given, "a model_name such as llama3.1-8b, or base_emb_dim");
      return;
    }
    const std::string name = given.substr(0, given.size() - (ends_with(given, "-base") ? 5 : 0));
    const auto found = std::find_if(std::begin(maxtext_models), std::end(maxtext_models),
                                    [&](const maxtext_model& one) { return one.name == name; });
    if (found == std::end(maxtext_models))
      fail(errc::unknown_name, keys.place("model_name"), given, nearest_names(given) + "; or base_emb_dim and so on");
    named_ = &*found;
    overridden_ = keys.flag_or("override_model_config", false);
  }

  [[nodiscard]] std::string_view name() const noexcept { return named_ == nullptr ? "default" : named_->name; }
  [[nodiscard]] std::string block() {
    std::string given = word("decoder_block", named_ == nullptr ? "llama2" : named_->block);
    if (std::find(std::begin(maxtext_blocks), std::end(maxtext_blocks), given) == std::end(maxtext_blocks)) {
      std::string valid;
      for (const std::string_view one : maxtext_blocks) valid += (valid.empty() ? "" : ", ") + std::string(one);
      fail(errc::unsupported, keys_->place("decoder_block"), given, valid);
    }
    return given;
  }
  /// A size of at least `least`; `usual` is MaxText's default.
  [[nodiscard]] std::int64_t size(char letter, std::int64_t usual, std::int64_t least) {
    std::string_view key;
    for (const auto& [one, its_key] : maxtext_letters) key = one == letter ? std::string_view{its_key} : key;
    const std::int64_t named = named_ == nullptr ? -1 : size_behind(named_->sizes, letter, -1);
    if (named_ == nullptr && usual > 0 && key.substr(0, 5) == "base_" && !keys_->has(key))
      assumed_->emplace_back(key, std::to_string(usual) + ", MaxText's own");
    const std::int64_t value = count(key, named < 0 ? usual : named, least);
    return value < 0 ? usual : value;  // -1 means MaxText's default
  }
  [[nodiscard]] bool tied() { return flag("logits_via_embedding", named_ != nullptr && named_->sizes.back() == '+'); }

  /// @{
  /// The value of a key if it is used, else `usual`.
  [[nodiscard]] std::string word(std::string_view key, std::string_view usual) {
    return counts(key) ? keys_->word_or(key, usual) : std::string(usual);
  }
  [[nodiscard]] std::int64_t count(std::string_view key, std::int64_t usual, std::int64_t least) {
    return counts(key) ? keys_->count_or(key, usual, least) : usual;
  }
  [[nodiscard]] bool flag(std::string_view key, bool usual) { return counts(key) ? keys_->flag_or(key, usual) : usual; }
  /// @}
  [[nodiscard]] std::string place(std::string_view key) const { return keys_->place(key); }

 private:
  /// Whether the configuration, not its model_name, decides the key.
  [[nodiscard]] bool counts(std::string_view key) {
    if (named_ == nullptr) return true;
    if (!keys_->is_argument(key)) return false;
    if (!overridden_)
      fail(errc::invalid_argument, keys_->place(key), keys_->word_or(key, ""),
           "override_model_config=true with it: model_name decides it");
    return true;
  }
  [[nodiscard]] static bool ends_with(std::string_view words, std::string_view end) noexcept {
    return words.size() > end.size() && words.substr(words.size() - end.size()) == end;
  }
  /// The names that begin alike, at most six.
  [[nodiscard]] static std::string nearest_names(std::string_view given) {
    std::string valid;
    for (std::size_t alike = given.size() < 5 ? given.size() : 5; valid.empty(); --alike) {
      std::size_t listed = 0;
      for (const maxtext_model& one : maxtext_models) {
        if (!starts_with_name(one.name, given.substr(0, alike)) || listed++ == 6) continue;
        valid += (valid.empty() ? "" : ", ") + std::string(one.name);
      }
    }
    return valid;
  }

  maxtext_reader* keys_;
  std::vector<std::pair<std::string, std::string>>* assumed_;
  const maxtext_model* named_ = nullptr;
  bool overridden_ = false;
};

/// Layers with a window, by the pattern of the block.
inline std::int64_t maxtext_local_layers(std::string_view block, std::int64_t layers) noexcept {
  if (block == "gemma2" || block == "gpt_oss") return layers / 2;
  if (block == "gemma3") return layers - layers / 6;
  if (block == "olmo3") return layers - layers / 4;
  return 0;
}

inline void fill_maxtext_attention(transformer& model, maxtext_dimensions& from, std::string_view block) {
  attention_spec& attention = model.attention;
  attention.heads = from.size('H', 16, 1);
  attention.kv_heads = from.size('K', 16, 1);
  attention.head_dim = from.size('S', 128, 1);
  const bool named_bias = block == "qwen2" || block == "gpt_oss" || block == "gpt3";
  attention.qkv_bias = from.flag("attention_bias", named_bias);
  attention.output_bias = attention.qkv_bias && block != "qwen2";
  attention.qk_norm =
      from.flag("use_qk_norm", block == "qwen3" || block == "qwen3_moe" || block == "olmo3" || block == "gemma3");
  attention.wide_qk_norm = attention.qk_norm && block == "olmo3";
  attention.sinks = from.flag("attention_sink", block == "gpt_oss");
  const std::string type = from.word("attention_type", block == "deepseek" ? "mla" : "global");
  if (type == "mla") {
    attention.latent = {from.size('Q', 0, 0), from.count("kv_lora_rank", 512, 1),
                        from.count("qk_nope_head_dim", 128, 1), from.count("qk_rope_head_dim", 64, 1),
                        from.count("v_head_dim", 128, 1)};
    attention.head_dim = 0;
    return;
  }
  if (type != "global" && type != "local_sliding")
    fail(errc::unsupported, from.place("attention_type"), type, "global, local_sliding or mla");
  attention.local_layers = type == "local_sliding" ? model.layers : maxtext_local_layers(block, model.layers);
  const std::int64_t window = from.size('W', 0, 0);
  if (attention.local_layers > 0 && window == 0)
    fail(errc::missing_field, from.place("sliding_window_size"), "0", "the window of local layers, in tokens");
  if (attention.local_layers > 0) attention.window = window;
}

inline void fill_maxtext_experts(transformer& model, maxtext_dimensions& from, std::string_view block) {
  const std::int64_t experts = from.size('E', 1, 1);
  if (experts == 1) return;
  moe_spec& moe = model.moe;
  moe.experts = experts;
  moe.top_k = from.size('T', 1, 1);
  moe.expert_d_ff = from.size('X', model.mlp.d_ff, -1);
  moe.shared_d_ff = checked_multiply(moe.expert_d_ff, from.size('C', 0, 0));
  moe.dense_layers = from.size('N', 0, 0);
  const std::int64_t every = from.size('I', 1, 1);
  if (every > 1) moe.dense_layers = model.layers - model.layers / every;
  moe.router_bias = from.flag("routed_bias", block == "gpt_oss");
  moe.expert_bias = from.flag("mlp_bias", block == "gpt_oss");
}

/// The model that the keys describe. Throws for a name or a block that is not in the tables, and for invalid
/// dimensions.
inline transformer maxtext_model_of(maxtext_reader& keys, std::vector<std::pair<std::string, std::string>>& assumed) {
  maxtext_dimensions from(keys, assumed);
  transformer model;
  const std::string block = from.block();
  model.name = from.name();
  if (const std::int64_t scale = keys.count_or("global_parameter_scale", 1, 1); scale != 1)
    fail(errc::unsupported, keys.place("global_parameter_scale"), scale, "1: dimensions as they are");
  const std::int64_t merged = block == "gemma2" ? 2 : 1;  // a local and a global layer count as one there
  model.layers = checked_multiply(from.size('L', 16, 1), merged);
  model.d_model = from.size('D', 2048, 1);
  model.vocab = from.size('V', 32000, 1);
  model.mlp.d_ff = from.size('F', 7168, 1);
  model.tied_embeddings = from.tied();
  if (const std::string given = from.word("mlp_activations", ""); !given.empty()) {
    if (given.size() < 3 || given.front() != '[' || given.back() != ']')
      fail(errc::malformed_input, from.place("mlp_activations"), given, "a list such as [\"silu\", \"linear\"]");
    model.mlp.gated = given.find(',') != std::string::npos;
  } else {
    model.mlp.gated = block != "gpt3";
  }
  const bool four_norms = block == "gemma2" || block == "gemma3";
  model.norms_per_layer =
      2 + (from.flag("use_post_attn_norm", four_norms) ? 1 : 0) + (from.flag("use_post_ffw_norm", four_norms) ? 1 : 0);
  model.norm_bias = model.mlp.bias = block == "gpt3";
  if (block == "gpt3") model.learned_positions = from.count("trainable_position_size", 16384, 1);
  fill_maxtext_attention(model, from, block);
  fill_maxtext_experts(model, from, block);
  validate(model);
  return model;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
