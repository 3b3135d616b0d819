#ifndef TPUPLAN_MODEL_BLOCKS_NORM_HPP
#define TPUPLAN_MODEL_BLOCKS_NORM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Normalisations.

namespace tpuplan {
inline namespace abi_0 {

/// What is normalised over.
enum class norm_kind : std::uint8_t {
  none,
  batch,  ///< two parameters a channel, and two moving statistics that are not trained
  layer,  ///< two parameters a channel
  rms,    ///< one parameter a channel
};
/// "none" and so on.
[[nodiscard]] constexpr std::string_view name(norm_kind kind) noexcept {
  constexpr const char* names[] = {"none", "batch", "layer", "rms"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

namespace detail {

constexpr std::int64_t norm_weights(norm_kind kind, std::int64_t channels) noexcept {
  return kind == norm_kind::none ? 0 : (kind == norm_kind::rms ? 1 : 2) * channels;
}

}  // namespace detail

namespace blocks {

/// Norms over the width of the stream, one after the other in a layer. Worked: two RMSNorms of a stream of 4096 are
/// 8192 weights.
struct norm {
  std::int64_t norms = 1;           ///< in one layer
  norm_kind kind = norm_kind::rms;  ///< of all of them
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const norm& n) {
  detail::check_part("norm.norms", n.norms, 32, "0 to 32");
  if (n.kind == norm_kind::none) detail::fail(errc::missing_field, "norm.kind", "none", "batch, layer or rms");
}

constexpr void weigh(const norm& n, const site& at, sums& to) {
  const std::int64_t one = detail::norm_weights(n.kind, at.width);
  to.vectors(part::norms, n.norms * one);
  if (n.kind == norm_kind::batch) to.statistic(n.norms * one);
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
