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
/// experts, N dense layers first, W window; B marks biases of routers, + tied embeddings.
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
    {"deepseek3-671b", "deepseek", "L61 D7168 H128 K128 F18432 V129280 E256 T8 X2048 C1 N3 Q1536 B"},
    {"kimi-k2-1t", "deepseek", "L61 D7168 H64 K64 F18432 V163840 E384 T8 X2048 C1 N1 Q1536 B"},
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

/// What decides whether the layers of a block have a part: nothing, a key of the configuration, or the block.
enum class block_part : std::uint8_t { never, by_key, in_all };

/// A decoder block: the layers that MaxText builds by that name. Keys for parts that its layers do not have change
/// nothing there. All rotate every dimension of a head (types.py refuses another partial_rotary_factor).
struct maxtext_block {
  std::string_view name, source;              ///< the source below src/maxtext/models
  bool experts = false, dense_first = false;  ///< its MLPs are experts; the first layers can have dense ones
  bool shared = false;                        ///< experts that all tokens share, by shared_experts
  bool latent = false;                        ///< multi-head latent attention, in every layer
  block_part qk_norm = block_part::never, qkv_bias = block_part::never, output_bias = block_part::never;
  block_part further_norms = block_part::never;  ///< by use_post_attn_norm and use_post_ffw_norm, beyond two
  bool layer_norm = false;                       ///< with a bias, as those of its MLP; else RMSNorm
  std::string_view named = "";                   ///< keys that the files of its models set
  bool by_keys = false;                          ///< the keys that a launch writes describe its layers
};
inline constexpr block_part no_part = block_part::never, key_part = block_part::by_key, own_part = block_part::in_all;
/// @e AI-Hypercomputer/maxtext@e591f30 src/maxtext/models: the classes that layers/decoders.py takes for a block.
inline constexpr maxtext_block maxtext_blocks[] = {
    // name, source, experts, dense first, shared, latent, QK norm, biases of QKV and of the output, norms, LayerNorm
    {"llama2", "llama2.py", false, false, false, false, no_part, no_part, no_part, no_part, false, "", true},
    {"llama4", "llama4.py", true, false, true, false, no_part, no_part, no_part, no_part, false, ""},
    {"mistral", "mistral.py", false, false, false, false, no_part, no_part, no_part, no_part, false, ""},
    {"mixtral", "mixtral.py", true, false, false, false, no_part, no_part, no_part, no_part, false, "", true},
    {"gemma", "gemma.py", false, false, false, false, no_part, no_part, no_part, no_part, false, ""},
    {"gemma2", "gemma2.py", false, false, false, false, no_part, no_part, no_part, key_part, false, "norms"},
    {"gemma3", "gemma3.py", false, false, false, false, own_part, no_part, no_part, key_part, false, "norms"},
    {"gpt3", "gpt3.py", false, false, false, false, no_part, own_part, own_part, no_part, true, ""},
    {"gpt_oss", "gpt_oss.py", true, false, false, false, no_part, key_part, key_part, no_part, false, "bias sink"},
    {"olmo3", "olmo3.py", false, false, false, false, key_part, key_part, key_part, no_part, false, "qk_norm"},
    {"qwen2", "qwen2.py", false, false, false, false, key_part, key_part, no_part, no_part, false, "bias", true},
    {"qwen3", "qwen3.py", false, false, false, false, key_part, no_part, no_part, no_part, false, "qk_norm", true},
    {"qwen3_moe", "qwen3.py", true, false, false, false, key_part, no_part, no_part, no_part, false, "qk_norm", true},
    {"deepseek", "deepseek.py", true, true, true, true, no_part, no_part, no_part, no_part, false, "", true},
};

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
  [[nodiscard]] const maxtext_block& block() {
    const std::string given = word("decoder_block", named_ == nullptr ? "llama2" : named_->block);
    std::string valid;
    for (const maxtext_block& one : maxtext_blocks) {
      if (one.name == given) return one;
      valid += (valid.empty() ? "" : ", ") + std::string(one.name);
    }
    fail(errc::unsupported, keys_->place("decoder_block"), given, valid);
  }
  /// Whether the file of the model sets the keys of that kind; MaxText's own default is that it has none of them.
  [[nodiscard]] bool sets(const maxtext_block& block, std::string_view kind) const noexcept {
    return named_ != nullptr && block.named.find(kind) != std::string_view::npos;
  }
  /// Whether the file of the model sets routed_bias.
  [[nodiscard]] bool sets_router_bias(const maxtext_block& block) const noexcept {
    return sets(block, "bias") || (named_ != nullptr && named_->sizes.find('B') != std::string_view::npos);
  }
  /// Whether the layers of a block have a part. A key that their code does not read is not read here, too.
  [[nodiscard]] bool has(block_part part, std::string_view key, bool usual) {
    return part == block_part::in_all || (part == block_part::by_key && flag(key, usual));
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

inline void fill_maxtext_attention(transformer& model, maxtext_dimensions& from, const maxtext_block& block) {
  attention_spec& attention = model.attention;
  attention.heads = from.size('H', 16, 1);
  attention.kv_heads = from.size('K', 16, 1);
  attention.head_dim = from.size('S', 128, 1);
  attention.qkv_bias = from.has(block.qkv_bias, "attention_bias", from.sets(block, "bias"));
  attention.output_bias = from.has(block.output_bias, "attention_bias", from.sets(block, "bias"));
  attention.qk_norm = from.has(block.qk_norm, "use_qk_norm", from.sets(block, "qk_norm"));
  attention.wide_qk_norm = attention.qk_norm && starts_with_name(from.name(), "olmo3");
  attention.qk_norm = attention.qk_norm && !attention.wide_qk_norm;
  attention.sinks = from.flag("attention_sink", from.sets(block, "sink"));
  attention.local_layers = block.latent ? 0 : maxtext_local_layers(block.name, model.layers);
  if (const std::string type = from.word("attention_type", "global");
      type != "global" && !(block.latent && type == "mla") && !(attention.local_layers > 0 && type == "local_sliding"))
    fail(errc::unsupported, from.place("attention_type"), type,
         block.latent ? "mla, which deepseek has"
                      : "global: MaxText's " + std::string(block.name) + " layers take no other from this key");
  if (block.latent) {
    attention.latent = {from.size('Q', 0, 0), from.count("kv_lora_rank", 512, 1),
                        from.count("qk_nope_head_dim", 128, 1), from.count("qk_rope_head_dim", 64, 1),
                        from.count("v_head_dim", 128, 1)};
    attention.head_dim = 0;
    return;
  }
  const std::int64_t window = attention.local_layers == 0 ? 0 : from.size('W', 0, 0);
  if (attention.local_layers > 0 && window == 0)
    fail(errc::missing_field, from.place("sliding_window_size"), "0", "the window of local layers, in tokens");
  attention.window = window;
}

/// The blocks with experts, as words of a refusal.
inline std::string maxtext_expert_blocks() {
  std::string names;
  for (const maxtext_block& one : maxtext_blocks) {
    if (one.experts) names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  return names;
}

/// Experts where the block has them. Its code decides whether tokens are routed, not the count alone: a count that it
/// would not build is refused.
inline void fill_maxtext_experts(transformer& model, maxtext_dimensions& from, const maxtext_block& block) {
  const std::int64_t experts = from.size('E', 1, 1);
  const std::string layers = "MaxText's " + std::string(block.name) + " layers (models/" + std::string(block.source);
  if (!block.experts && experts > 1)
    fail(errc::unsupported, from.place("num_experts"), experts,
         "1: " + layers + ") have one dense MLP and route nothing; a decoder_block of " + maxtext_expert_blocks());
  if (!block.experts) return;
  if (experts == 1)
    fail(errc::unsupported, from.place("num_experts"), experts, "2 or more: " + layers + ") route tokens to experts");
  moe_spec& moe = model.moe;
  moe.experts = experts;
  moe.top_k = from.size('T', 1, 1);
  moe.expert_d_ff = from.size('X', model.mlp.d_ff, -1);
  if (block.shared) moe.shared_d_ff = checked_multiply(moe.expert_d_ff, from.size('C', 0, 0));
  if (block.dense_first) moe.dense_layers = from.size('N', 0, 0);
  const std::int64_t every = block.name == "llama4" ? from.size('I', 1, 1) : 1;
  if (every > 1) moe.dense_layers = model.layers - model.layers / every;
  moe.router_bias = from.flag("routed_bias", from.sets_router_bias(block));
  moe.expert_bias = from.flag("mlp_bias", from.sets(block, "bias"));
}

/// The model that the keys describe. Throws for a name or a block that is not in the tables, and for invalid
/// dimensions.
inline transformer maxtext_model_of(maxtext_reader& keys, std::vector<std::pair<std::string, std::string>>& assumed) {
  maxtext_dimensions from(keys, assumed);
  transformer model;
  const maxtext_block& block = from.block();
  model.name = from.name();
  if (const std::int64_t scale = keys.count_or("global_parameter_scale", 1, 1); scale != 1)
    fail(errc::unsupported, keys.place("global_parameter_scale"), scale, "1: dimensions as they are");
  const std::int64_t merged = block.name == "gemma2" ? 2 : 1;  // a local and a global layer count as one there
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
    model.mlp.gated = block.name != "gpt3" || from.name() == "default";
  }
  for (const char* key : {"use_post_attn_norm", "use_post_ffw_norm"})
    model.norms_per_layer += from.has(block.further_norms, key, from.sets(block, "norms")) ? 1 : 0;
  model.norm_bias = model.mlp.bias = block.layer_norm;
  if (const double part = keys.number_or("partial_rotary_factor", 1); part != 1)
    fail(errc::unsupported, keys.place("partial_rotary_factor"), part,
         "1: MaxText takes another for qwen3_next alone, which this does not read");
  if (block.name == "gpt3")
    model.learned_positions =
        std::max<std::int64_t>(0, from.count("trainable_position_size", from.name() == "default" ? -1 : 16384, -1));
  model.prediction_layers = keys.count_or("mtp_num_layers", 0, 0);
  fill_maxtext_attention(model, from, block);
  fill_maxtext_experts(model, from, block);
  validate(model);
  return model;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
