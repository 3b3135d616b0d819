#ifndef TPUPLAN_IO_ENUMERATOR_NAMES_HPP
#define TPUPLAN_IO_ENUMERATOR_NAMES_HPP

#include <cstddef>
#include <string_view>
#include <tpuplan/io/declared.hpp>

/// @file
/// `name` of the enumerators that the headers of their types do not name: spelled as in C++ (`switch_` without its
/// underscore), in their order.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The name at that place, "?" past the end.
template <class Enumeration, std::size_t Count>
constexpr std::string_view enumerator_name(Enumeration x, const std::string_view (&names)[Count]) noexcept {
  return static_cast<std::size_t>(x) < Count ? names[static_cast<std::size_t>(x)] : std::string_view{"?"};
}

}  // namespace detail

/// @{
/// The name of the enumerator.
[[nodiscard]] constexpr std::string_view name(attention_against x) noexcept {
  return detail::enumerator_name(x, {"projections", "layers"});
}
[[nodiscard]] constexpr std::string_view name(attention_flops x) noexcept {
  return detail::enumerator_name(x, {"none", "full", "causal_half"});
}
[[nodiscard]] constexpr std::string_view name(cache_cut x) noexcept {
  return detail::enumerator_name(x, {"heads", "batch"});
}
[[nodiscard]] constexpr std::string_view name(host_state x) noexcept {
  return detail::enumerator_name(x, {"none", "optimizer", "parameters_and_optimizer"});
}
[[nodiscard]] constexpr std::string_view name(member_share x) noexcept {
  return detail::enumerator_name(x, {"by_network", "whole", "others"});
}
[[nodiscard]] constexpr std::string_view name(mesh_unit x) noexcept {
  return detail::enumerator_name(x, {"devices", "chips"});
}
[[nodiscard]] constexpr std::string_view name(name_counts x) noexcept {
  return detail::enumerator_name(x, {"tensorcores", "chips"});
}
[[nodiscard]] constexpr std::string_view name(network_kind x) noexcept {
  return detail::enumerator_name(x, {"ring", "line", "switch"});
}
[[nodiscard]] constexpr std::string_view name(placement x) noexcept {
  return detail::enumerator_name(x, {"recompute", "device", "host"});
}
[[nodiscard]] constexpr std::string_view name(remainder x) noexcept {
  return detail::enumerator_name(x, {"drop", "keep"});
}
[[nodiscard]] constexpr std::string_view name(serving_question x) noexcept {
  return detail::enumerator_name(x, {"decode_step", "engine_step", "prefill", "engine_prefill", "end_to_end"});
}
[[nodiscard]] constexpr std::string_view name(tpu_creation x) noexcept {
  return detail::enumerator_name(x, {"queued_resource", "tpu_vm"});
}
[[nodiscard]] constexpr std::string_view name(weight_cut x) noexcept {
  return detail::enumerator_name(x, {"one_dimension", "two_dimensions", "gathered"});
}
[[nodiscard]] constexpr std::string_view name(window_eviction x) noexcept {
  return detail::enumerator_name(x, {"keep_all", "evict"});
}
[[nodiscard]] constexpr std::string_view name(window_flops x) noexcept {
  return detail::enumerator_name(x, {"smooth", "clipped", "half"});
}
[[nodiscard]] constexpr std::string_view name(wraparound_rule x) noexcept {
  return detail::enumerator_name(x, {"whole_pod", "axis_of_16", "whole_cubes"});
}
/// @}

}  // namespace abi_0
}  // namespace tpuplan

#endif
