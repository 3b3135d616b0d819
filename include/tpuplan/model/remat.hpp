#ifndef TPUPLAN_MODEL_REMAT_HPP
#define TPUPLAN_MODEL_REMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>

/// @file
/// Rematerialisation: which tensors of a layer are kept between the forward and the backward pass, which are moved to
/// host memory, and which are computed again.

namespace tpuplan {
inline namespace abi_0 {

/// Where a tensor of the forward pass waits for the backward pass.
enum class placement : std::uint8_t {
  recompute,  ///< not kept: computed again
  device,     ///< kept in HBM
  host,       ///< moved to host memory and brought back
};

/// What is saved of each layer between forward and backward pass. Tensors are named as in MaxText's custom policy.
struct remat_policy {
  placement layer_input = placement::device;     ///< decoder_layer_input
  placement qkv = placement::recompute;          ///< query_proj, key_proj, value_proj
  placement context = placement::recompute;      ///< output of the attention kernel
  placement out_proj = placement::recompute;     ///< out_proj
  placement mlp_up = placement::recompute;       ///< mlpwi, mlpwi_0, mlpwi_1
  placement mlp_down = placement::recompute;     ///< mlpwo
  placement elementwise = placement::recompute;  ///< norms, activation functions, everything else
  bool attention_again = true;                   ///< the backward pass runs the attention kernel's forward pass again
};

/// @{
/// Whether two policies save the same.
[[nodiscard]] constexpr bool operator==(const remat_policy& a, const remat_policy& b) noexcept {
  return a.layer_input == b.layer_input && a.qkv == b.qkv && a.context == b.context && a.out_proj == b.out_proj &&
         a.mlp_up == b.mlp_up && a.mlp_down == b.mlp_down && a.elementwise == b.elementwise &&
         a.attention_again == b.attention_again;
}
[[nodiscard]] constexpr bool operator!=(const remat_policy& a, const remat_policy& b) noexcept { return !(a == b); }
/// @}

namespace detail {
/// D on the device, H on the host, any other computed again.
constexpr placement at_letter(char c) noexcept {
  return c == 'D' ? placement::device : c == 'H' ? placement::host : placement::recompute;
}
/// A policy written as one letter per tensor, in the order of the fields: D on the device, H on the host, . computed
/// again. The eighth letter is . where the attention kernel runs again, D where its output is kept.
constexpr remat_policy policy(const char (&t)[9]) noexcept {
  return {at_letter(t[0]), at_letter(t[1]), at_letter(t[2]), at_letter(t[3]),
          at_letter(t[4]), at_letter(t[5]), at_letter(t[6]), t[7] == '.'};
}
}  // namespace detail

/// Policies by MaxText's names. The letters stand for layer input, qkv, context, output projection, MLP up, MLP down,
/// elementwise and attention kernel.
namespace remat {
/// Only the input of a layer is kept; all else is computed again.
inline constexpr remat_policy full{};
/// Everything is kept; no tensor is computed again.
inline constexpr remat_policy none = detail::policy("DDDDDDDD");
/// Every matrix product is kept; the attention kernel and elementwise work run again.
inline constexpr remat_policy minimal = detail::policy("DDDDDD..");
/// Every matrix product and the output of the attention kernel are kept; elementwise work runs again.
inline constexpr remat_policy minimal_with_context = detail::policy("DDDDDD.D");
/// Every matrix product is kept in host memory, the layer's input on the device.
inline constexpr remat_policy minimal_offloaded = detail::policy("DHHHHH..");
/// Every matrix product but those into the MLP is kept.
inline constexpr remat_policy save_dot_except_mlpwi = detail::policy("DDDD.D..");
/// Only the matrix products of attention are kept.
inline constexpr remat_policy save_dot_except_mlp = detail::policy("DDDD....");
/// The matrix products of attention and the output of its kernel are kept.
inline constexpr remat_policy save_dot_with_context_except_mlp = detail::policy("DDDD...D");
/// Queries, keys and values are kept.
inline constexpr remat_policy save_qkv_proj = detail::policy("DD......");
/// Queries, keys and values are kept in host memory.
inline constexpr remat_policy qkv_proj_offloaded = detail::policy("DH......");
/// The input of a layer and the projections of attention are kept in host memory. MaxText's recipe for Llama 3.1 8B on
/// v6e (benchmarks/maxtext_trillium_model_configs.py, llama3_1_8b_8192, at e591f30, 2026-08-22).
inline constexpr remat_policy inputs_and_proj_offloaded = detail::policy("HH.H....");
/// The result of the output projection is kept.
inline constexpr remat_policy save_out_proj = detail::policy("D..D....");
/// The output of the attention kernel is kept, so that the kernel does not run again.
inline constexpr remat_policy save_context = detail::policy("D.D....D");
}  // namespace remat

namespace detail {
/// Of a policy that MaxText has no name for.
inline constexpr bool as_custom = false;
}  // namespace detail

/// A policy and its name.
struct named_remat_policy {
  text<40> name{};         ///< as `parse_remat_policy` reads it
  remat_policy policy;     ///< what it saves
  bool in_maxtext = true;  ///< false: in MaxText it is written as "custom", tensor by tensor
};

/// All named policies, the one that recomputes most first. axlearn's default is save_dot_with_context_except_mlp.
inline constexpr named_remat_policy remat_policies[] = {
    {"full", remat::full},
    {"save_context", remat::save_context, detail::as_custom},
    {"save_qkv_proj", remat::save_qkv_proj},
    {"qkv_proj_offloaded", remat::qkv_proj_offloaded},
    {"inputs_and_proj_offloaded", remat::inputs_and_proj_offloaded, detail::as_custom},
    {"save_out_proj", remat::save_out_proj},
    {"save_dot_except_mlp", remat::save_dot_except_mlp},
    {"save_dot_with_context_except_mlp", remat::save_dot_with_context_except_mlp},
    {"save_dot_except_mlpwi", remat::save_dot_except_mlpwi},
    {"minimal", remat::minimal},
    {"minimal_with_context", remat::minimal_with_context},
    {"minimal_offloaded", remat::minimal_offloaded},
    {"none", remat::none},
};

/// The name of a policy, "custom" where it has none.
[[nodiscard]] constexpr std::string_view name(const remat_policy& policy) noexcept {
  for (const named_remat_policy& candidate : remat_policies) {
    if (candidate.policy == policy) return candidate.name;
  }
  return "custom";
}

/// The policy of that name; nothing if there is none. Worked: "FULL" is `remat::full`.
[[nodiscard]] constexpr maybe<remat_policy> parse_remat_policy(std::string_view given) noexcept {
  for (const named_remat_policy& candidate : remat_policies) {
    if (detail::same_name(given, candidate.name)) return candidate.policy;
  }
  return nothing;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
