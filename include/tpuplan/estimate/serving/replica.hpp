#ifndef TPUPLAN_ESTIMATE_SERVING_REPLICA_HPP
#define TPUPLAN_ESTIMATE_SERVING_REPLICA_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/parallel/collective_group.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// A slice as replicas of a served model: how a replica is sharded, which replicas there can be, and their sizes.

namespace tpuplan {
inline namespace abi_0 {

/// How weights are sharded over the devices of a replica.
enum class weight_sharding : std::uint8_t {
  one_dimension,   ///< one dimension of each matrix, as in Megatron: two all-reduces a layer over all devices
  two_dimensions,  ///< both dimensions of each matrix: less traffic on many chips
  gathered,        ///< devices gather the weights for their tokens: for prefill of very many tokens
};

/// How keys and values are sharded over the devices of a replica.
enum class cache_sharding : std::uint8_t {
  heads,  ///< by KV heads; where devices outnumber KV heads, several hold copies of one
  batch,  ///< by sequences: the keys and values of a sequence are on one device
};

/// The devices of a slice as replicas of the model, each of `tensor` devices.
struct serving_layout {
  std::int64_t tensor = 0;                                   ///< devices of a replica; 0: all of the slice
  weight_sharding weights = weight_sharding::one_dimension;  ///< how weights are sharded over a replica
  cache_sharding cache = cache_sharding::heads;              ///< how keys and values are sharded over a replica
  /// Data-parallel attention for a mixture of experts: each group of that many devices has its own copy of the
  /// attention weights and its own sequences, while experts lie whole on the replica's devices; 0: attention is sharded
  /// over all.
  std::int64_t attention = 0;
};

/// Why no replica can be as a layout says. Enumerators and their names are stable.
enum class layout_problem : std::uint8_t {
  none,            ///< it can
  devices,         ///< devices of a replica do not divide those of the slice
  part_of_chip,    ///< devices of a replica, or of a group, are neither whole chips nor an even part of one
  heads,           ///< heads of attention do not divide over its devices
  needs_experts,   ///< data-parallel attention, and the model has no experts
  other_sharding,  ///< data-parallel attention, and weights or cache are sharded in another way
  groups,          ///< groups of data-parallel attention do not divide the devices of a replica
  experts,         ///< data-parallel attention, and experts do not lie whole on the devices of a replica
};

/// "none", "devices" and so on.
[[nodiscard]] constexpr std::string_view name(layout_problem what) noexcept {
  constexpr const char* names[] = {"none",          "devices",        "part_of_chip", "heads",
                                   "needs_experts", "other_sharding", "groups",       "experts"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

namespace detail {

/// Whether that many devices are whole chips, or an even part of one chip.
constexpr bool are_chips(std::int64_t devices, std::int64_t of_chip) noexcept {
  return devices % of_chip == 0 || of_chip % devices == 0;
}

constexpr layout_problem problem_of_groups(const transformer& model, const serving_layout& mesh, std::int64_t tensor,
                                           std::int64_t of_chip) noexcept {
  if (!has_experts(model)) return layout_problem::needs_experts;
  if (mesh.weights != weight_sharding::one_dimension || mesh.cache != cache_sharding::heads)
    return layout_problem::other_sharding;
  if (mesh.attention < 1 || tensor % mesh.attention != 0) return layout_problem::groups;
  if (!are_chips(mesh.attention, of_chip)) return layout_problem::part_of_chip;
  if (!heads_divide(model, mesh.attention)) return layout_problem::heads;
  return model.moe.experts % tensor != 0 ? layout_problem::experts : layout_problem::none;
}

}  // namespace detail

/// Why a model cannot be served in that layout on a slice, or `none`. Worked: of the 768 devices of tpu7x-384, which
/// has two devices on a chip, replicas of 3 are 1.5 chips: `part_of_chip`.
[[nodiscard]] constexpr layout_problem problem_of(const transformer& model, const serving_layout& mesh,
                                                  const slice& where) {
  const std::int64_t of_chip = where.chip.jax_devices, all = devices(where);
  const std::int64_t tensor = mesh.tensor == 0 ? all : mesh.tensor;
  if (tensor < 1 || of_chip < 1 || all % tensor != 0) return layout_problem::devices;
  if (!detail::are_chips(tensor, of_chip)) return layout_problem::part_of_chip;
  if (mesh.attention != 0) return detail::problem_of_groups(model, mesh, tensor, of_chip);
  const bool by_heads = mesh.weights == weight_sharding::one_dimension && mesh.cache == cache_sharding::heads;
  return by_heads && !heads_divide(model, tensor) ? layout_problem::heads : layout_problem::none;
}

namespace detail {

/// The sizes of one replica.
struct replica {
  double devices = 1;        // JAX devices of one replica
  double chips = 1;          // chips of one replica
  double hosts = 1;          // VMs that one replica spans
  double count = 1;          // replicas in the slice
  bytes_per_second links{};  // into a chip from the others of its replica; 0 where there are none, or no rate is known
};

/// Throws, naming the field, for what `problem_of` finds.
constexpr void refuse_layout(layout_problem what, const transformer& model, const serving_layout& mesh,
                             const slice& where) {
  constexpr const char *of_replica = "serving_layout.tensor", *of_group = "serving_layout.attention";
  const std::int64_t all = devices(where), tensor = mesh.tensor == 0 ? all : mesh.tensor, group = mesh.attention;
  positive_count(of_replica, tensor);
  text<96> valid;
  if (what == layout_problem::devices) {
    valid.append("a divisor of the ").append(all).append(" devices of ").append(tpuplan::name(where));
    fail(errc::not_divisible, of_replica, tensor, valid.view());
  }
  if (what == layout_problem::part_of_chip) {
    const bool is_replica = !are_chips(tensor, where.chip.jax_devices);
    valid.append("a multiple or a divisor of the ").append(where.chip.jax_devices).append(" devices of a chip");
    fail(errc::not_divisible, is_replica ? of_replica : of_group, is_replica ? tensor : group, valid.view());
  }
  for (std::int64_t fewer = tensor / 2; what == layout_problem::heads && group == 0 && fewer > 1; --fewer) {
    serving_layout other = mesh;
    other.tensor = fewer;
    if (problem_of(model, other, where) != layout_problem::none) continue;
    const bool query_heads = model.attention.heads % tensor != 0;
    valid.append(query_heads ? "a divisor of the " : "a divisor or multiple of the ");
    valid.append(query_heads ? model.attention.heads : model.attention.kv_heads);
    valid.append(query_heads ? " heads, such as " : " KV heads, such as ").append(fewer);
    fail(errc::not_divisible, of_replica, tensor, valid.view());
  }
  if (what == layout_problem::heads)
    check_heads(group != 0 ? of_group : of_replica, model, group != 0 ? group : tensor);
  if (what == layout_problem::needs_experts) fail(errc::unsupported, of_group, group, "a mixture of experts");
  if (what == layout_problem::other_sharding)
    fail(errc::unsupported, of_group, group, "weights one_dimension and cache heads");
  if (what == layout_problem::groups) {
    positive_count(of_group, group);
    fail(errc::not_divisible, of_group, group, "a divisor of the devices of a replica");
  }
  if (what == layout_problem::experts)
    fail(errc::not_divisible, of_replica, tensor, "a divisor of the experts, each of which lies on one");
}

/// Refuses layouts in which the model cannot be served on the slice.
constexpr void check_served(const transformer& model, const serving_layout& mesh, const slice& where) {
  (void)check_devices(where);
  if (const layout_problem found = problem_of(model, mesh, where); found != layout_problem::none)
    refuse_layout(found, model, mesh, where);
}

constexpr replica replica_of(const serving_layout& mesh, const slice& where) {
  replica result;
  const auto all = static_cast<double>(devices(where));
  result.devices = mesh.tensor == 0 ? all : static_cast<double>(mesh.tensor);
  result.count = all / result.devices;
  result.chips = result.devices * static_cast<double>(chips(where)) / all;
  const double spanned = static_cast<double>(vms(where)) / result.count;
  result.hosts = spanned > 1 ? spanned : 1;
  if (result.chips > 1 && where.chip.ici.axes != 1) {  // GPUs of a machine have no links that are modelled
    const collective_group block = block_of(where, floor_to_count(result.chips));
    result.links = links_into(block) * block.one_way;
  }
  return result;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
