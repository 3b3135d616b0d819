#ifndef TPUPLAN_IO_REFLECT_ENUMERATORS_HPP
#define TPUPLAN_IO_REFLECT_ENUMERATORS_HPP

#include <cstddef>
#include <string_view>
#include <tpuplan/io/reflect/declared.hpp>
#include <tpuplan/text.hpp>

/// @file
/// `name` of the enumerators that the headers of their types do not name: spelled as in C++ (`switch_` without its
/// underscore), in their order.

namespace tpuplan {
inline namespace abi_0 {

/// @{
/// The name of the enumerator.
[[nodiscard]] constexpr std::string_view name(attention_against x) noexcept {
  return detail::name_of({"projections", "layers"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(attention_flops x) noexcept {
  return detail::name_of({"none", "full", "causal_half"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(cache_sharding x) noexcept {
  return detail::name_of({"heads", "batch"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(host_state x) noexcept {
  return detail::name_of({"none", "optimizer", "parameters_and_optimizer"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(member_share x) noexcept {
  return detail::name_of({"by_network", "whole", "others"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(mesh_unit x) noexcept {
  return detail::name_of({"devices", "chips"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(name_counts x) noexcept {
  return detail::name_of({"tensorcores", "chips"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(network_kind x) noexcept {
  return detail::name_of({"ring", "line", "switch", "mixed"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(placement x) noexcept {
  return detail::name_of({"recompute", "device", "host"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(remainder x) noexcept {
  return detail::name_of({"drop", "keep"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(serving_question x) noexcept {
  return detail::name_of({"decode_step", "engine_step", "prefill", "engine_prefill", "end_to_end"},
                         static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(tpu_creation x) noexcept {
  return detail::name_of({"queued_resource", "tpu_vm"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(weight_sharding x) noexcept {
  return detail::name_of({"one_dimension", "two_dimensions", "gathered"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(window_eviction x) noexcept {
  return detail::name_of({"keep_all", "evict"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(window_flops x) noexcept {
  return detail::name_of({"smooth", "clipped", "half"}, static_cast<std::size_t>(x));
}
[[nodiscard]] constexpr std::string_view name(wraparound_rule x) noexcept {
  return detail::name_of({"whole_pod", "axis_of_16", "whole_cubes"}, static_cast<std::size_t>(x));
}
/// @}

}  // namespace abi_0
}  // namespace tpuplan

#endif
