#ifndef TPUPLAN_HANDBOOK_SHARDING_HPP
#define TPUPLAN_HANDBOOK_SHARDING_HPP

#include <cstdint>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// One array over the devices of a mesh: what each device holds.

namespace tpuplan {
inline namespace abi_0 {

/// One shard of an array, and all copies of all shards together.
struct sharded_array {
  std::int64_t elements_per_device = 0;  ///< in one shard
  bytes per_device{};                    ///< of the shard
  bytes over_mesh{};                     ///< of all shards, copies included
};

/// An array of that many elements sharded `ways` ways over the devices of a mesh, which hold devices / ways copies of
/// each shard. Throws where the mesh or the array does not divide. Worked: int8[128, 2048] sharded 16 ways on 32
/// devices is 16384 B on each and 524288 B over the mesh. Source: scaling book, "Sharded matrices".
[[nodiscard]] constexpr sharded_array shard(std::int64_t elements, dtype type, std::int64_t ways,
                                            std::int64_t mesh_devices) {
  detail::positive_count("elements", elements);
  detail::positive_count("ways", ways);
  detail::positive_count("mesh_devices", mesh_devices);
  if (elements % ways != 0) detail::fail(errc::not_divisible, "ways", ways, "a divisor of the number of elements");
  if (mesh_devices % ways != 0) detail::fail(errc::not_divisible, "ways", ways, "a divisor of the number of devices");
  sharded_array result;
  result.elements_per_device = elements / ways;
  result.per_device = size_of(type) * static_cast<double>(result.elements_per_device);
  result.over_mesh = result.per_device * static_cast<double>(mesh_devices);
  return result;
}

/// The size of a whole array, or of one of its dimensions, from the size of its shards: turns the shapes in a profile
/// back into those of the program. Worked: shards of 4096 columns, 8 ways, make a weight of 32768.
/// Source: scaling book, "Profiling".
[[nodiscard]] constexpr std::int64_t unsharded(std::int64_t part, std::int64_t ways) {
  return checked_multiply(detail::positive_count("part", part), detail::positive_count("ways", ways));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
