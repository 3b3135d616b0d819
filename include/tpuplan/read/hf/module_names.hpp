#ifndef TPUPLAN_READ_HF_MODULE_NAMES_HPP
#define TPUPLAN_READ_HF_MODULE_NAMES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <tpuplan/base/text.hpp>
#include <tpuplan/model/transformer.hpp>
#include <vector>

/// @file
/// Which matrices of a model the names and patterns of modules stand for, as quantised checkpoints list them: a name
/// with everything below it, a pattern with * (ModelOpt), or a regular expression behind "re:" (compressed-tensors).

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The parts whose weights may have a format of their own.
enum class model_part : std::uint8_t { attention, mlp, experts };
inline constexpr std::size_t part_count = 3;

/// The matrices of a part, a bit each. Latent attention has the last four in place of keys and values.
struct matrices_of {
  enum attention : std::uint32_t {
    query = 1,
    key = 2,
    value = 4,
    out = 8,
    query_down = 16,
    query_up = 32,
    latent_down = 64,
    latent_up = 128,
    queries_keys_values = query | key | value,
  };
  enum mlp : std::uint32_t { gate = 1, up = 2, down = 4, gate_and_up = gate | up };
};
inline constexpr std::uint32_t whole_part = 0xFF;
inline constexpr std::size_t most_matrices = 8;

/// What one name stands for.
struct named_modules {
  std::array<std::uint32_t, part_count> parts{};  // matrices of each part, 0: none
  bool is_other = false;         // of what never has a format of its own: head, tables, norms, routers, vision
  std::string layer{};           // the digits of a layer; empty: all
  bool is_layer_prefix = false;  // all layers that begin so: "1*" is 1, 10 to 19 and so on

  [[nodiscard]] bool any() const { return parts[0] + parts[1] + parts[2] > 0; }
};

inline void replace_all(std::string& words, std::string_view what, std::string_view with) {
  for (std::size_t at = words.find(what); at != std::string::npos; at = words.find(what, at + with.size()))
    words.replace(at, what.size(), with);
}

/// A pattern without what only a regular expression has: "re:.*mlp\\.up_proj$" is "*mlp.up_proj".
inline std::string as_wildcards(std::string pattern) {
  const bool is_regular = pattern.compare(0, 3, "re:") == 0;
  if (is_regular) {
    pattern.erase(0, 3);
    for (const char* digits : {"\\d+", "[0-9]+", "\\d*", "[^.]+", "[^.]*"}) replace_all(pattern, digits, "*");
    replace_all(pattern, "(?:", "(");
    replace_all(pattern, "\\.", "\1");
    for (const char* any : {".*", ".+"}) replace_all(pattern, any, "*");
    replace_all(pattern, "\1", ".");
    for (const char* anchor : {"^", "$"}) replace_all(pattern, anchor, "");
  }
  return pattern;
}

/// The pattern with each of the alternatives in its first brackets, and so on: "(gate|up)_proj" is two. None where
/// there are more than 64.
inline std::vector<std::string> alternatives_of(const std::string& pattern) {
  std::vector<std::string> done, open = {pattern};
  while (!open.empty() && done.size() + open.size() <= 64) {
    const std::string one = open.back();
    open.pop_back();
    const std::size_t from = one.find('('), to = from == std::string::npos ? from : one.find(')', from);
    if (to == std::string::npos || one.find('(', from + 1) < to) {
      done.push_back(one);
      continue;
    }
    for (std::size_t at = from + 1; at <= to;) {
      const std::size_t end = std::min(one.find('|', at), to);
      open.push_back(one.substr(0, from) + one.substr(at, end - at) + one.substr(to + 1));
      at = end + 1;
    }
  }
  if (!open.empty()) done.clear();
  return done;
}

/// A word in the name of a matrix, and the matrices that it stands for.
struct matrix_word {
  std::string_view word;
  std::uint32_t of_attention, of_mlp;
};
inline constexpr matrix_word matrix_words[] = {
    {"q_proj", matrices_of::query, 0},
    {"k_proj", matrices_of::key, 0},
    {"v_proj", matrices_of::value, 0},
    {"o_proj", matrices_of::out, 0},
    {"out_proj", matrices_of::out, 0},
    {"c_proj", matrices_of::out, matrices_of::down},
    {"kv_proj", matrices_of::key | matrices_of::value, 0},
    {"qkv_proj", matrices_of::queries_keys_values, 0},
    {"c_attn", matrices_of::queries_keys_values, 0},
    {"query_key_value", matrices_of::queries_keys_values, 0},
    {"in_proj", matrices_of::queries_keys_values, 0},
    {"in_proj_qkvz", matrices_of::queries_keys_values, 0},
    {"q_a_proj", matrices_of::query_down, 0},
    {"q_b_proj", matrices_of::query_up, 0},
    {"kv_a_proj_with_mqa", matrices_of::latent_down, 0},
    {"kv_b_proj", matrices_of::latent_up, 0},
    {"fused_qkv_a_proj", matrices_of::query_down | matrices_of::latent_down, 0},
    {"fused_qkv_a_proj_with_mqa", matrices_of::query_down | matrices_of::latent_down, 0},
    {"gate_proj", 0, matrices_of::gate},
    {"up_proj", 0, matrices_of::up},
    {"down_proj", 0, matrices_of::down},
    {"gate_up_proj", 0, matrices_of::gate_and_up},
    {"w1", 0, matrices_of::gate},
    {"w2", 0, matrices_of::down},
    {"w3", 0, matrices_of::up},
    {"fc1", 0, matrices_of::gate_and_up},
    {"fc2", 0, matrices_of::down},
    {"c_fc", 0, matrices_of::gate_and_up},
    {"dense_h_to_4h", 0, matrices_of::gate_and_up},
    {"dense_4h_to_h", 0, matrices_of::down}};

inline const matrix_word* find_matrix_word(std::string_view word) {
  for (const matrix_word& one : matrix_words)
    if (one.word == word) return &one;
  return nullptr;
}

/// Whether a word of a name belongs to what never has a format of its own.
inline bool is_other_word(std::string_view word) {
  const auto has = [&](std::string_view part) { return word.find(part) != std::string_view::npos; };
  return has("norm") || has("embed") || has("head") || has("vision") || has("visual") || has("router") ||
         has("projector") || has("bias") || has("indexer") || has("audio") || word == "gate" || word == "wte" ||
         word == "wpe" || word == "conv1d" || word == "mtp" || word == "eh_proj" || word == "shared_expert_gate" ||
         word == "pooler";
}

/// A word that only says where in the model something is.
inline bool is_place_word(std::string_view word) {
  constexpr std::string_view places[] = {"model",    "language_model", "text_model", "transformer",
                                         "backbone", "decoder",        "layers",     "h",
                                         "blocks",   "linear",         "weight"};
  return std::find(std::begin(places), std::end(places), word) != std::end(places);
}

/// The words of a name between its dots and stars, in lower case; digits behind "layers" or "h" are its layer.
inline std::vector<std::string> words_of_name(const std::string& name, named_modules& into) {
  std::vector<std::string> words(1);
  bool is_understood = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = to_lower(name[i]);
    const bool in_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    is_understood = is_understood && (in_word || c == '.' || c == '*' || c == '/');
    if (in_word) words.back() += c;
    const bool is_number = !words.back().empty() && words.back().find_first_not_of("0123456789") == std::string::npos;
    if (!in_word && is_number && words.size() > 1 && into.layer.empty()) {
      into.layer = words.back(), into.is_layer_prefix = c == '*';
      words.back().clear();
    } else if (!in_word && !words.back().empty()) {
      words.emplace_back();
    }
  }
  const bool ends_in_number =
      !words.back().empty() && words.back().find_first_not_of("0123456789") == std::string::npos;
  if (ends_in_number && into.layer.empty()) into.layer = words.back(), words.back().clear();
  words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  if (!is_understood) words = {"?"};
  return words;
}

/// What the words of a name say.
struct name_words {
  std::uint32_t attention = 0, mlp = 0;  // matrices
  bool of_attention = false, of_mixer = false, of_mlp = false, of_experts = false, of_shared = false;
  bool is_other = false, is_unknown = false;

  void add(const std::string& word) {
    const auto has = [&](std::string_view part) { return word.find(part) != std::string::npos; };
    const matrix_word* one = find_matrix_word(word);
    if (one != nullptr) {
      attention |= one->of_attention, mlp |= one->of_mlp;
    } else if (has("shared_expert") && !has("gate")) {
      of_shared = true;
    } else if (has("experts")) {
      of_experts = true;
    } else if (is_other_word(word)) {
      is_other = true;
    } else if (has("attn") || has("attention")) {
      of_attention = true;
    } else if (word == "mixer") {
      of_mixer = true;
    } else if (word == "mlp" || has("feed_forward") || word == "ffn" || has("moe")) {
      of_mlp = true;
    } else if (!is_place_word(word) && word.find_first_not_of("0123456789") != std::string::npos) {
      is_unknown = true;
    }
  }
  [[nodiscard]] bool name_a_part() const {
    return of_attention || of_mixer || of_mlp || of_experts || of_shared || attention + mlp > 0;
  }
};

/// What a name without brackets stands for: the matrices that its words name, or all of the layers.
inline named_modules modules_in(const std::string& name) {
  named_modules found;
  name_words words;
  for (const std::string& word : words_of_name(name, found)) words.add(word);
  found.is_other = words.is_other;
  if (words.is_other || (words.is_unknown && !words.name_a_part())) return found;
  constexpr std::uint32_t all = whole_part;
  if (!words.name_a_part()) {
    found.parts = {all, all, all};
    return found;
  }
  const bool in_mlp = words.of_mlp || words.of_experts || words.of_shared;
  const bool is_product = words.mlp > 0 && !words.of_attention;
  if (!in_mlp && (words.of_attention || words.attention > 0 || (words.of_mixer && !is_product)))
    found.parts[0] = words.attention > 0 ? words.attention : all;
  const std::uint32_t products = words.mlp > 0 ? words.mlp : all;
  const bool alone = words.of_experts || words.of_shared;  // below an MLP that holds both
  const bool is_bare = is_product && !in_mlp && !words.of_mixer && words.attention == 0;  // "up_proj", wherever it is
  if (words.of_shared || (words.of_mlp && !alone) || is_bare || (words.of_mixer && is_product))
    found.parts[1] = products;
  if (words.of_experts || (words.of_mlp && words.mlp == 0 && !alone) || is_bare) found.parts[2] = products;
  return found;
}

/// What a name or a pattern stands for, each of its alternatives. Worked: "re:.*mlp\\.(gate|up)_proj" are two matrices
/// of dense MLPs, "model.layers.3" is all of that layer, "lm_head" none of the parts.
inline std::vector<named_modules> modules_named(const std::string& pattern) {
  std::vector<named_modules> all;
  for (const std::string& one : alternatives_of(as_wildcards(pattern))) all.push_back(modules_in(one));
  return all;
}

/// Numbers of the matrices of a part, for how much each of them counts; 0 where the part has no such matrix.
inline std::array<double, most_matrices> sizes_of_part(const transformer& model, model_part part) {
  std::array<double, most_matrices> sizes{};
  const attention_spec& a = model.attention;
  const auto put = [&](std::size_t place, double number) { sizes[place] = number; };
  const auto heads = static_cast<double>(a.heads), kv_heads = static_cast<double>(a.kv_heads),
             width = static_cast<double>(model.d_model);
  if (part != model_part::attention) {
    put(0, model.mlp.gated ? 1 : 0), put(1, 1), put(2, 1);
  } else if (has_latent_attention(model)) {
    const latent_attention_spec& l = a.latent;
    const auto rank = static_cast<double>(l.kv_lora_rank), rope = static_cast<double>(l.qk_rope_head_dim),
               q_rank = static_cast<double>(l.q_lora_rank);
    const double each = static_cast<double>(l.qk_nope_head_dim) + rope, values = static_cast<double>(l.v_head_dim);
    if (q_rank > 0)
      put(4, width * q_rank), put(5, q_rank * heads * each);
    else
      put(0, width * heads * each);
    put(6, width * (rank + rope)), put(7, rank * heads * (each - rope + values)), put(3, heads * values * width);
  } else {
    const auto key_width = static_cast<double>(a.head_dim), values = static_cast<double>(value_width(model));
    put(0, heads * key_width), put(1, kv_heads * key_width), put(2, kv_heads * values), put(3, heads * values);
    if (!(heads > 0)) put(0, 1);  // recurrences alone, whose matrices are not told apart
  }
  return sizes;
}

/// How much a layer counts in a part: an attention layer is one, MLPs count by their width.
inline double size_of_layer(const transformer& model, model_part part, std::int64_t layer) {
  const bool is_dense = layer < model.layers - moe_layers(model);
  if (part == model_part::attention) return 1;
  if (part == model_part::experts) return is_dense ? 0 : 1;
  return static_cast<double>(is_dense ? model.mlp.d_ff : model.moe.shared_d_ff + model.moe.parallel_dense_d_ff);
}

/// Layers that are told apart by name: of a deeper model, which is not published, the others are as these.
inline constexpr std::int64_t most_named_layers = 4096;

/// Bits of each matrix of a part in each layer.
class matrix_bits {
 public:
  matrix_bits(const transformer& model, model_part part, double usual)
      : model_{&model},
        part_{part},
        usual_{usual},
        bits_(static_cast<std::size_t>(std::clamp<std::int64_t>(model.layers, 0, most_named_layers))) {
    for (auto& layer : bits_) layer.fill(usual);
  }
  /// Whether the model, or a module of it that predicts further tokens, has a layer of that name.
  [[nodiscard]] bool has_layer(const named_modules& named) const {
    if (named.layer.empty() || named.is_layer_prefix) return true;
    const std::int64_t layer = parse_count(named.layer);
    return layer >= 0 && layer < model_->layers + model_->encoder_layers + model_->prediction_layers;
  }
  /// Gives the matrices that a name stands for that many bits.
  void set(const named_modules& named, double bits) {
    const std::uint32_t matrices = named.parts[static_cast<std::size_t>(part_)];
    if (matrices == 0) return;
    const bool is_one = !named.layer.empty() && !named.is_layer_prefix;
    const std::int64_t only = is_one ? parse_count(named.layer) : 0;
    if (only < 0) return;  // of more digits than any layer has
    for (auto layer = static_cast<std::size_t>(only); layer < bits_.size(); ++layer) {
      if (named.is_layer_prefix && std::to_string(layer).compare(0, named.layer.size(), named.layer) != 0) continue;
      for (std::size_t i = 0; i < most_matrices; ++i)
        if ((matrices >> i & 1) != 0) bits_[layer][i] = bits;
      if (is_one) return;
    }
  }
  /// The mean over all weights of the part; 0 where all have the usual format, or there are none.
  [[nodiscard]] double mean() const {
    const std::array<double, most_matrices> sizes = sizes_of_part(*model_, part_);
    double sum = 0, weights = 0;
    bool is_usual = true;
    for (std::size_t layer = 0; layer < bits_.size(); ++layer) {
      const double size = size_of_layer(*model_, part_, static_cast<std::int64_t>(layer));
      for (std::size_t i = 0; i < most_matrices; ++i) {
        const double own = bits_[layer][i], count = size * sizes[i];
        sum += own * count, weights += count;
        is_usual = is_usual && (count == 0 || own == usual_);
      }
    }
    return is_usual || weights == 0 ? 0 : sum / weights;
  }

 private:
  const transformer* model_;
  model_part part_;
  double usual_;
  std::vector<std::array<double, most_matrices>> bits_;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
