#ifndef TPUPLAN_IO_HF_DEFAULTS_HPP
#define TPUPLAN_IO_HF_DEFAULTS_HPP

#include <string_view>
#include <tpuplan/io/hf/default_kind.hpp>
#include <tpuplan/io/hf/default_rows.hpp>

/// @file
/// What a field of a Hugging Face config.json is when the file does not say.

namespace tpuplan {
inline namespace abi_0 {

/// Every default, type by type, in the order of data/hf_defaults.json.
inline constexpr const auto& hf_defaults = detail::hf_table::rows;

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
