#ifndef TPUPLAN_READ_HF_DEFAULTS_HPP
#define TPUPLAN_READ_HF_DEFAULTS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/read/hf/default_rows.hpp>

/// @file
/// What a field of a Hugging Face config.json is when the file does not say.

namespace tpuplan {
inline namespace abi_0 {

/// What the default of a field is made of.
enum class default_kind : std::uint8_t {
  none,               ///< null: the model has no such part
  number,             ///< `value`
  boolean,            ///< `value` is 0 or 1
  text,               ///< `text`
  list,               ///< `text` is a JSON array
  same_as,            ///< the field `text`
  alias,              ///< the class has the field under the name `text`
  same_as_outer,      ///< the field `text` of the configuration around this one
  quotient,           ///< the field `text` divided by the field `divisor`
  multiple,           ///< `value` times the field `text`
  list_length,        ///< the number of entries of the field `text`
  even_layers,        ///< layer_types: layers 0, 2, 4 ... have the window
  periodic_layers,    ///< layer_types: all but each `text`-th layer have the window
  upper_layers,       ///< layer_types: the layers from `text` on have the window
  even_lower_layers,  ///< layer_types: the even ones of the layers before `text` have the window
};

/// The default of one field.
struct hf_default {
  default_kind kind = default_kind::none;  ///< how to read what follows
  std::int64_t value = 0;                  ///< a number, or a factor
  std::string_view text{};                 ///< a text, a list or another field
  std::string_view divisor{};              ///< another field
};

namespace detail {

/// What stands between brackets behind a word: "window" for "every" in "every(window)"; nothing for another word.
constexpr maybe<std::string_view> argument_of(std::string_view written, std::string_view word) noexcept {
  if (written.size() < word.size() + 2 || written.substr(0, word.size()) != word || written[word.size()] != '(')
    return nothing;
  return written.substr(word.size() + 1, written.size() - word.size() - 2);
}

constexpr std::int64_t whole_number(std::string_view digits) noexcept {
  const bool below_0 = digits.front() == '-';
  std::int64_t value = 0;
  for (const char digit : digits.substr(below_0 ? 1 : 0)) value = 10 * value + (digit - '0');
  return below_0 ? -value : value;
}

/// A default as a row of the table writes it.
constexpr hf_default default_of(std::string_view written) noexcept {
  struct rule {
    const char* word;
    default_kind kind;
  };
  constexpr rule rules[] = {{"every", default_kind::periodic_layers},
                            {"from", default_kind::upper_layers},
                            {"even_before", default_kind::even_lower_layers},
                            {"even", default_kind::even_layers},
                            {"length", default_kind::list_length},
                            {"named", default_kind::alias},
                            {"outer", default_kind::same_as_outer}};
  for (const rule& each : rules) {
    if (const maybe<std::string_view> argument = argument_of(written, each.word)) return {each.kind, 0, *argument, {}};
  }
  if (written == "null") return {};
  if (written == "true" || written == "false") return {default_kind::boolean, written == "true" ? 1 : 0, {}, {}};
  if (written.front() == '\'') return {default_kind::text, 0, written.substr(1, written.size() - 2), {}};
  if (written.front() == '[') return {default_kind::list, 0, written, {}};
  if (const std::size_t slash = written.find('/'); slash != std::string_view::npos)
    return {default_kind::quotient, 0, written.substr(0, slash), written.substr(slash + 1)};
  if (const std::size_t star = written.find('*'); star != std::string_view::npos)
    return {default_kind::multiple, whole_number(written.substr(0, star)), written.substr(star + 1), {}};
  const bool is_number = written.front() == '-' || (written.front() >= '0' && written.front() <= '9');
  return is_number ? hf_default{default_kind::number, whole_number(written), {}, {}}
                   : hf_default{default_kind::same_as, 0, written, {}};
}

}  // namespace detail

namespace detail {

/// Calls `use` with each field that a class has a default for, and how the table writes it, until it says true.
template <class Use>
constexpr void each_default(std::string_view model_type, Use use) {
  for (const hf_class_row& row : hf_class_rows) {
    if (row.type != model_type) continue;
    std::string_view rest = row.defaults;
    while (!rest.empty()) {
      const std::size_t end = rest.find(' '), equals = rest.find('=');
      if (use(rest.substr(0, equals), rest.substr(0, end).substr(equals + 1))) return;
      rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    return;
  }
}

}  // namespace detail

/// The default of a field of a model type; nothing where the class has none. "paligemma.text_config" is the part of
/// that name inside of a paligemma configuration, where it has defaults of its own. Worked: hf_default_for("gemma",
/// "head_dim")->value is 256.
[[nodiscard]] constexpr maybe<hf_default> hf_default_for(std::string_view model_type, std::string_view field) noexcept {
  maybe<hf_default> found;
  detail::each_default(model_type, [&](std::string_view name, std::string_view written) {
    if (name != field) return false;
    found = detail::default_of(written);
    return true;
  });
  return found;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
