#ifndef TPUPLAN_IO_HF_DEFAULTS_HPP
#define TPUPLAN_IO_HF_DEFAULTS_HPP

#include <array>
#include <cstddef>
#include <string_view>
#include <tpuplan/io/hf/default_kind.hpp>
#include <tpuplan/io/hf/default_rows.hpp>
#include <tpuplan/io/hf/further_rows.hpp>
#include <tpuplan/io/hf/hybrid_rows.hpp>
#include <tpuplan/io/hf/recent_rows.hpp>

/// @file
/// What a field of a Hugging Face config.json is when the file does not say.

namespace tpuplan {
inline namespace abi_0 {

namespace detail::hf_table {
template <std::size_t First, std::size_t Second>
constexpr std::array<hf_default, First + Second> joined(const std::array<hf_default, First>& first,
                                                        const std::array<hf_default, Second>& second) {
  std::array<hf_default, First + Second> both{};
  for (std::size_t i = 0; i < First; ++i) both[i] = first[i];
  for (std::size_t i = 0; i < Second; ++i) both[First + i] = second[i];
  return both;
}
}  // namespace detail::hf_table

/// Every default, type by type.
inline constexpr auto hf_defaults =
    detail::hf_table::joined(detail::hf_table::joined(detail::hf_table::rows, detail::hf_table::hybrids_rows),
                             detail::hf_table::joined(detail::hf_table::recent_rows, detail::hf_table::further_rows));

/// The row for a field of a model type, or null where the class has no default for it. "paligemma.text_config" is the
/// part of that name inside of a paligemma configuration, where it has defaults of its own.
/// Worked: hf_default_for("gemma", "head_dim")->value is 256.
[[nodiscard]] constexpr const hf_default* hf_default_for(std::string_view model_type, std::string_view field) noexcept {
  bool inside = false;
  for (const hf_default& row : hf_defaults) {
    if (row.kind == default_kind::of_type) {
      inside = row.field == model_type;
    } else if (inside && row.field == field) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
