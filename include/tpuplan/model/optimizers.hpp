#ifndef TPUPLAN_MODEL_OPTIMIZERS_HPP
#define TPUPLAN_MODEL_OPTIMIZERS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/rows.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// Optimizers: an enumerator and a row each. Memory, the time of the update, MaxText's files, records, help and
/// refusals read the rows.

namespace tpuplan {
inline namespace abi_0 {

/// The optimizer, which decides what is kept per parameter. Enumerators and their names are stable; a new one is added
/// at the end, with its row in `optimizers`.
enum class optimizer_kind : std::uint8_t {
  adamw,         ///< two moments
  adafactor,     ///< factored second moment: about half a byte per parameter
  lion,          ///< one moment
  sgd_momentum,  ///< one moment
  lars,          ///< one moment, its rate scaled layer by layer (You et al. 2017, arXiv 1708.03888)
  lamb,          ///< two moments, scaled like that (You et al. 2019, arXiv 1904.00962)
  sgd,           ///< no moment
  adam,          ///< two moments, as adamw: weight decay, which Adam of Keras has not, keeps no state
  adamh,         ///< two moments, and the norm of each matrix, to which it is scaled back (Levanter, optim/adamh.py)
};

namespace detail {

/// What an optimizer keeps, and its names.
struct optimizer_row {
  optimizer_kind kind = optimizer_kind::adamw;
  const char* name = "";
  int moments = 0;             // numbers kept for each parameter, in the format of the moments
  double factored = 0;         // bytes kept for each parameter whatever that format: rows and columns of a matrix
  bool first_in_bf16 = false;  // the first moment may be in bf16 whatever the format of the second
  const char* maxtext = "";    // opt_type in MaxText, behind it others with the same state; empty: it has none
};

inline constexpr bool one_format = false, bf16_first_moment = true;

inline constexpr optimizer_row optimizers[] = {
    {optimizer_kind::adamw, "adamw", 2, 0, bf16_first_moment, "adamw adam_pax"},
    {optimizer_kind::adafactor, "adafactor", 0, 0.5},
    {optimizer_kind::lion, "lion", 1},
    {optimizer_kind::sgd_momentum, "sgd_momentum", 1},
    {optimizer_kind::lars, "lars", 1},
    {optimizer_kind::lamb, "lamb", 2},
    {optimizer_kind::sgd, "sgd", 0, 0, one_format, "sgd"},
    {optimizer_kind::adam, "adam", 2, 0, bf16_first_moment},
    {optimizer_kind::adamh, "adamh", 2},
};

}  // namespace detail

/// "adamw" and so on.
[[nodiscard]] constexpr std::string_view name(optimizer_kind kind) noexcept {
  const detail::optimizer_row& row = detail::row_at(detail::optimizers, kind);
  return row.kind == kind ? row.name : "?";
}

/// The optimizer of that name; nothing if there is none. Worked: "AdamW" is `adamw`, which keeps 8 B per parameter in
/// fp32.
[[nodiscard]] constexpr maybe<optimizer_kind> parse_optimizer(std::string_view given) noexcept {
  return detail::enumerator_named<optimizer_kind>(given);
}

/// Bytes of optimizer state for each parameter, with moments in that format. Adafactor's rows and columns are counted
/// as half a byte whatever the format. Worked: 8 B for AdamW with fp32 moments.
[[nodiscard]] constexpr bytes optimizer_bytes_per_parameter(optimizer_kind kind, dtype moments = dtype::fp32) {
  const detail::optimizer_row& row = detail::row_at(detail::optimizers, kind);
  return row.moments * size_of(moments) + bytes{row.factored};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
