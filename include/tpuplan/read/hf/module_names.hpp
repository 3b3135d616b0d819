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

/// The matrices of a part, a bit each. Latent attention has matrices down and up in place of keys and values.
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
    output_gate = 256,
    queries_keys_values = query | key | value,
  };
  enum mlp : std::uint32_t { gate = 1, up = 2, down = 4, gate_and_up = gate | up };
  enum recurrence : std::uint32_t {
    all_in = 1,  // one matrix from the residual stream (Mamba, short convolutions)
    in_query = 2,
    in_key = 4,
    in_value = 8,
    in_gate = 16,
    decay = 32,
    step = 64,
    gate_up = 128,  // of a gate or a decay in two matrices, the second one
    decay_up = 256,
    inner = 512,
    out_proj = 1024,  // the one matrix out, under either of its names
    o_proj = 2048,
    in_keys_values = in_query | in_key | in_value,
    either_out = out_proj | o_proj,
  };
};
inline constexpr std::uint32_t whole_part = 0x1FF, whole_recurrence = 0xFFF;

/// What one name stands for.
struct named_modules {
  std::array<std::uint32_t, part_count> parts{};  // matrices of each part, 0: none; of attention without recurrences
  std::uint32_t recurrence = 0;                   // of recurrences
  std::uint32_t shared = 0;                       // of shared experts
  bool as_attention = false;                      // the name is one of attention, which few recurrences share
  bool as_convolution = false;   // the name is one of short convolutions, which no other recurrence shares
  bool is_other = false;         // of what never has a format of its own: head, tables, norms, routers, vision
  std::string layer{};           // the digits of a layer; empty: all
  bool is_layer_prefix = false;  // all layers that begin so: "1*" is 1, 10 to 19 and so on

  [[nodiscard]] bool any() const { return (parts[0] | parts[1] | parts[2] | recurrence | shared) > 0; }
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
  std::uint32_t of_attention, of_recurrence, of_mlp;
  bool below_attention = false;  // the first two alone where a word before it names attention
};
inline constexpr matrix_word matrix_words[] = {
    {"q_proj", matrices_of::query, matrices_of::in_query, 0},
    {"k_proj", matrices_of::key, matrices_of::in_key, 0},
    {"v_proj", matrices_of::value, matrices_of::in_value, 0},
    {"o_proj", matrices_of::out, matrices_of::o_proj, 0},
    {"out_proj", matrices_of::out, matrices_of::out_proj, 0},
    {"c_proj", matrices_of::out, 0, matrices_of::down},
    {"kv_proj", matrices_of::key | matrices_of::value, 0, 0},
    {"qkv_proj", matrices_of::queries_keys_values, matrices_of::in_keys_values, 0},
    {"c_attn", matrices_of::queries_keys_values, 0, 0},
    {"wqkv", matrices_of::queries_keys_values, 0, 0},
    {"query_key_value", matrices_of::queries_keys_values, 0, 0},
    {"in_proj", matrices_of::queries_keys_values, matrices_of::all_in, 0},
    {"in_proj_qkvz", 0, matrices_of::in_keys_values | matrices_of::in_gate, 0},
    {"in_proj_qkv", 0, matrices_of::in_keys_values, 0},
    {"in_proj_z", 0, matrices_of::in_gate, 0},
    {"in_proj_ba", 0, matrices_of::step | matrices_of::decay, 0},
    {"in_proj_b", 0, matrices_of::step, 0},
    {"in_proj_a", 0, matrices_of::decay, 0},
    {"b_proj", 0, matrices_of::step, 0},
    {"a_proj", 0, matrices_of::decay, 0},
    {"g_proj", matrices_of::output_gate, matrices_of::in_gate, 0},
    {"f_a_proj", 0, matrices_of::decay, 0},
    {"f_b_proj", 0, matrices_of::decay_up, 0},
    {"g_a_proj", 0, matrices_of::in_gate, 0},
    {"g_b_proj", 0, matrices_of::gate_up, 0},
    {"output_gate", 0, matrices_of::in_gate, 0},
    {"x_proj", 0, matrices_of::inner, 0},
    {"dt_proj", 0, matrices_of::decay_up, 0},
    {"linear_x", 0, matrices_of::in_value, 0},
    {"linear_y", 0, matrices_of::in_gate, 0},
    {"linear_out", 0, matrices_of::out_proj, 0},
    {"q_a_proj", matrices_of::query_down, 0, 0},
    {"q_b_proj", matrices_of::query_up, 0, 0},
    {"kv_a_proj_with_mqa", matrices_of::latent_down, 0, 0},
    {"kv_b_proj", matrices_of::latent_up, 0, 0},
    {"fused_qkv_a_proj", matrices_of::query_down | matrices_of::latent_down, 0, 0},
    {"fused_qkv_a_proj_with_mqa", matrices_of::query_down | matrices_of::latent_down, 0, 0},
    {"o_a_proj", matrices_of::out, 0, 0},
    {"o_b_proj", matrices_of::out, 0, 0},
    {"query", matrices_of::query, matrices_of::in_query, 0, true},
    {"key", matrices_of::key, matrices_of::in_key, 0, true},
    {"value", matrices_of::value, matrices_of::in_value, 0, true},
    {"receptance", 0, matrices_of::in_query, 0, true},
    {"output", matrices_of::out, matrices_of::out_proj, 0, true},
    {"dense", matrices_of::out, 0, 0, true},
    {"q", matrices_of::query, 0, 0, true},
    {"k", matrices_of::key, 0, 0, true},
    {"v", matrices_of::value, 0, 0, true},
    {"o", matrices_of::out, 0, 0, true},
    {"wo", matrices_of::out, 0, matrices_of::down, true},
    {"wi", 0, 0, matrices_of::gate_and_up},
    {"wi_0", 0, 0, matrices_of::gate},
    {"wi_1", 0, 0, matrices_of::up},
    {"gate_proj", matrices_of::output_gate, 0, matrices_of::gate, true},
    {"up_proj", 0, 0, matrices_of::up},
    {"down_proj", 0, 0, matrices_of::down},
    {"gate_up_proj", 0, 0, matrices_of::gate_and_up},
    {"input_linear", 0, 0, matrices_of::gate_and_up},
    {"output_linear", 0, 0, matrices_of::down},
    {"w1", 0, 0, matrices_of::gate},
    {"w2", 0, 0, matrices_of::down},
    {"w3", 0, 0, matrices_of::up},
    {"fc1", 0, 0, matrices_of::gate_and_up},
    {"fc2", 0, 0, matrices_of::down},
    {"fc_in", 0, 0, matrices_of::gate_and_up},
    {"fc_out", 0, 0, matrices_of::down},
    {"c_fc", 0, 0, matrices_of::gate_and_up},
    {"c_fc_0", 0, 0, matrices_of::gate},
    {"c_fc_1", 0, 0, matrices_of::up},
    {"dense_h_to_4h", 0, 0, matrices_of::gate_and_up},
    {"dense_4h_to_h", 0, 0, matrices_of::down}};

inline const matrix_word* find_matrix_word(std::string_view word) {
  for (const matrix_word& one : matrix_words)
    if (one.word == word) return &one;
  return nullptr;
}

/// Whether a word of a name belongs to what never has a format of its own.
inline bool is_other_word(std::string_view word) {
  constexpr std::string_view parts[] = {"norm",   "embed",     "head", "vision",  "visual", "router",
                                        "conv1d", "projector", "bias", "indexer", "audio",  "scale"};
  constexpr std::string_view words[] = {"gate",  "wte",   "wpe", "mtp",    "eh_proj", "shared_expert_gate",
                                        "sinks", "a_log", "d",   "rg_lru", "pooler",  "conv_1d"};
  const auto has = [&](std::string_view part) { return word.find(part) != std::string_view::npos; };
  return std::any_of(std::begin(parts), std::end(parts), has) ||
         std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// A word that only says where in the model something is.
inline bool is_place_word(std::string_view word) {
  constexpr std::string_view places[] = {"model",    "language_model", "text_model", "transformer",
                                         "backbone", "decoder",        "layers",     "h",
                                         "blocks",   "linear",         "weight",     "_proj"};
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
  std::uint32_t attention = 0, recurrence = 0, mlp = 0;  // matrices
  bool of_attention = false, of_recurrence = false, of_mixer = false, of_mlp = false, of_moe = false;
  bool of_convolution = false, of_experts = false, of_shared = false, of_shared_mlp = false;
  bool is_other = false, ends_unknown = false;  // the last word that says what something is, and not where, is unknown

  void add(const std::string& word) {
    if (is_place_word(word) || word.find_first_not_of("0123456789") == std::string::npos) return;
    const matrix_word* one = find_matrix_word(word);
    ends_unknown = one != nullptr ? !add_matrix(*one) : !add_module(word);
  }
  [[nodiscard]] bool name_a_part() const {
    return of_attention || of_recurrence || of_mixer || of_mlp || of_experts || of_shared ||
           (attention | recurrence | mlp) > 0;
  }

 private:
  /// Whether the word stands for a matrix where it is.
  bool add_matrix(const matrix_word& one) {
    const bool counts = !one.below_attention || of_attention;
    if (counts) attention |= one.of_attention, recurrence |= one.of_recurrence;
    mlp |= one.of_mlp;
    return counts || one.of_mlp > 0;
  }
  /// Whether the word stands for a module that is known.
  bool add_module(std::string_view word) {
    const auto has = [&](std::string_view part) { return word.find(part) != std::string_view::npos; };
    if (has("linear_attn") || has("mamba") || word == "mlstm_layer" || (word == "conv" && !of_recurrence))
      of_recurrence = true, of_convolution = of_convolution || word == "conv";
    else if ((has("shared_expert") || word == "share_expert") && !has("gate"))
      of_shared = true;
    else if (word == "shared_mlp")
      of_shared = of_shared_mlp = true;
    else if (has("experts") || word == "switch_mlp")  // of mlx-lm
      of_experts = true;
    else if (is_other_word(word) || word == "conv")
      is_other = true;
    else if (has("attn") || has("attention") || word == "temporal_block")
      of_attention = true;
    else if (word == "mixer")
      of_mixer = true;
    else if (word == "mlp" || has("feed_forward") || word == "ffn" || has("moe"))
      of_mlp = true, of_moe = of_moe || has("moe");
    else
      return false;
    return true;
  }
};

/// What words stand for in attention and recurrences.
inline void put_mixers(const name_words& words, named_modules& into) {
  const bool by_name = (words.attention | words.recurrence) > 0;
  if (!words.of_recurrence) into.parts[0] = by_name ? words.attention : whole_part;
  into.recurrence = by_name ? words.recurrence : whole_recurrence;
  if ((into.recurrence & matrices_of::either_out) > 0 && (words.of_attention || words.of_recurrence))
    into.recurrence |= matrices_of::either_out;
  into.as_attention = words.of_attention, into.as_convolution = words.of_convolution;
}

/// What a name without brackets stands for: the matrices that its words name, or all of the layers. A name that ends in
/// a word that is not known stands for nothing, whatever is around it.
inline named_modules modules_in(const std::string& name) {
  named_modules found;
  name_words words;
  for (const std::string& word : words_of_name(name, found)) words.add(word);
  found.is_other = words.is_other;
  if (words.is_other || words.ends_unknown) return found;
  const bool in_mlp = words.of_mlp || words.of_experts || words.of_shared;
  const bool names_mixers = (words.attention | words.recurrence) > 0;
  const bool is_any_mixer = words.of_mixer && !in_mlp && !names_mixers && words.mlp == 0;  // of Nemotron-H MLPs too
  if (!words.name_a_part() || is_any_mixer) {
    found.parts.fill(whole_part);
    found.recurrence = whole_recurrence, found.shared = whole_part;
    return found;
  }
  const bool alone = words.of_experts || words.of_shared;  // below an MLP that holds both
  const bool in_mixer = words.of_attention || words.of_recurrence;
  const bool is_product = words.mlp > 0 && !in_mixer, is_moe_product = words.of_moe && is_product && !alone;
  if (!in_mlp && (in_mixer || names_mixers)) put_mixers(words, found);
  const std::uint32_t products = words.mlp > 0 ? words.mlp : whole_part;
  const bool is_bare = is_product && !in_mlp && !words.of_mixer && !names_mixers;  // "up_proj", wherever it is
  const bool is_whole = words.of_mlp && words.mlp == 0 && !alone;                  // with experts and shared ones
  if ((words.of_mlp && !alone && !is_moe_product) || is_bare || words.of_shared_mlp ||
      (words.of_mixer && is_product && !in_mlp))
    found.parts[1] = products;
  if (words.of_shared || is_whole || is_bare) found.shared = products;
  if (words.of_experts || is_whole || is_bare || is_moe_product) found.parts[2] = products;
  return found;
}

/// What a name or a pattern stands for, each of its alternatives. Worked: "re:.*mlp\\.(gate|up)_proj" are two matrices
/// of dense MLPs, "model.layers.3" is all of that layer, "lm_head" none of the parts.
inline std::vector<named_modules> modules_named(const std::string& pattern) {
  std::vector<named_modules> all;
  for (const std::string& one : alternatives_of(as_wildcards(pattern))) all.push_back(modules_in(one));
  return all;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
