#ifndef TPUPLAN_ESTIMATE_TRAINING_REPLICATION_HPP
#define TPUPLAN_ESTIMATE_TRAINING_REPLICATION_HPP

#include <cstdint>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/training_job.hpp>

/// @file
/// Whether every device can hold a whole copy of the training state (data parallelism, in JAX pmap or jit with
/// replicated weights), or the state has to be sharded (jit with a mesh, formerly pjit).

namespace tpuplan {
inline namespace abi_0 {

/// The bytes of one copy of the training state, and the number of devices over which it has to be sharded.
struct replication {
  bytes weights{};          ///< the master copy
  bytes optimizer{};        ///< its moments
  bytes gradients{};        ///< in fp32
  bytes total{};            ///< of the three
  bytes usable{};           ///< HBM of one device, less the share for activations
  bool whole = false;       ///< a copy fits on each device
  std::int64_t shards = 1;  ///< devices that share a copy: the least sufficient power of two
};

/// The answer for that many parameters on the devices of a chip, with a share of the HBM left to activations. Throws
/// where more than 2^20 shards would be needed.
/// Worked: with Adam in fp32 (16 B a parameter, gradients included) and a quarter of a v5e left, 350e6 parameters take
/// 5.6 GB and fit whole; 1.3e9 take 20.8 GB, two devices; 70e9 1.12 TB, 128 devices.
[[nodiscard]] constexpr replication replication_of(std::int64_t parameter_total, const chip_spec& chip,
                                                   optimizer_kind optimizer = optimizer_kind::adamw,
                                                   dtype weights = dtype::fp32, double left_to_activations = 0.25) {
  detail::in_range("left_to_activations", left_to_activations, 0, 0.99, "0 to 0.99");
  const training_state state = training_state_of(parameter_total, weights, optimizer);
  replication result;
  result.weights = state.weights;
  result.optimizer = state.optimizer;
  result.gradients = bytes{4 * static_cast<double>(parameter_total)};
  result.total = state.total + result.gradients;
  result.usable = (1 - left_to_activations) * usable_hbm_per_device(chip);
  detail::positive("usable HBM", result.usable.value());
  while (result.total > static_cast<double>(result.shards) * result.usable) {
    result.shards *= 2;
    if (result.shards > 1048576) detail::fail(errc::out_of_range, "parameters", parameter_total, "at most 2^20 shards");
  }
  result.whole = result.shards == 1;
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
