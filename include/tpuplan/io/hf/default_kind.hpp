#ifndef TPUPLAN_IO_HF_DEFAULT_KIND_HPP
#define TPUPLAN_IO_HF_DEFAULT_KIND_HPP

#include <cstdint>
#include <string_view>

/// @file
/// What one default of a configuration class is made of.

namespace tpuplan {
inline namespace abi_0 {

/// How a row of the table is to be read.
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
  of_type,            ///< no default: the rows that follow are of the type `field`
};

/// One default, of the type that the last row of kind `of_type` names.
struct hf_default {
  std::string_view field{};                ///< that the default is of
  default_kind kind = default_kind::none;  ///< how to read what follows
  std::int64_t value = 0;                  ///< a number, or a factor
  std::string_view text{};                 ///< a text, a list or another field
  std::string_view divisor{};              ///< another field
};

namespace detail::hf_table {

/// @{
/// Kinds of defaults, short enough for a table.
inline constexpr default_kind none = default_kind::none;
inline constexpr default_kind number = default_kind::number;
inline constexpr default_kind boolean = default_kind::boolean;
inline constexpr default_kind text = default_kind::text;
inline constexpr default_kind list = default_kind::list;
inline constexpr default_kind same_as = default_kind::same_as;
inline constexpr default_kind alias = default_kind::alias;
inline constexpr default_kind same_as_outer = default_kind::same_as_outer;
inline constexpr default_kind quotient = default_kind::quotient;
inline constexpr default_kind multiple = default_kind::multiple;
inline constexpr default_kind list_length = default_kind::list_length;
inline constexpr default_kind even_layers = default_kind::even_layers;
inline constexpr default_kind periodic_layers = default_kind::periodic_layers;
inline constexpr default_kind upper_layers = default_kind::upper_layers;
inline constexpr default_kind even_lower_layers = default_kind::even_lower_layers;
inline constexpr default_kind of_type = default_kind::of_type;
/// @}

}  // namespace detail::hf_table
}  // namespace abi_0
}  // namespace tpuplan

#endif
