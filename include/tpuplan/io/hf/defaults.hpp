#ifndef TPUPLAN_IO_HF_DEFAULTS_HPP
#define TPUPLAN_IO_HF_DEFAULTS_HPP

#include <array>
#include <cstddef>
#include <string_view>
#include <tpuplan/io/hf/audio_rows.hpp>
#include <tpuplan/io/hf/default_kind.hpp>
#include <tpuplan/io/hf/encoder_rows.hpp>
#include <tpuplan/io/hf/expert_rows.hpp>
#include <tpuplan/io/hf/hybrid_rows.hpp>
#include <tpuplan/io/hf/language_rows.hpp>
#include <tpuplan/io/hf/vision_rows.hpp>

/// @file
/// What a field of a Hugging Face config.json is when the file does not say.

namespace tpuplan {
inline namespace abi_0 {

namespace detail::hf_table {
template <std::size_t... Sizes>
constexpr std::array<hf_default, (Sizes + ...)> joined(const std::array<hf_default, Sizes>&... tables) {
  std::array<hf_default, (Sizes + ...)> all{};
  std::size_t at = 0;
  const auto append = [&](const auto& table) {
    for (const hf_default& row : table) all[at++] = row;
  };
  (append(tables), ...);
  return all;
}
}  // namespace detail::hf_table

/// Every default, type by type.
inline constexpr auto hf_defaults = detail::hf_table::joined(
    detail::hf_table::language_rows, detail::hf_table::experts_rows, detail::hf_table::hybrids_rows,
    detail::hf_table::encoders_rows, detail::hf_table::vision_rows, detail::hf_table::audio_rows);

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
