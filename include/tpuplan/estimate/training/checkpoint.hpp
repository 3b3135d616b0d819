#ifndef TPUPLAN_ESTIMATE_TRAINING_CHECKPOINT_HPP
#define TPUPLAN_ESTIMATE_TRAINING_CHECKPOINT_HPP

#include <cstdint>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/parallel/interconnect.hpp>

/// @file
/// How long a checkpoint stops training. The cost of keeping it is in checkpoint_storage.hpp.

namespace tpuplan {
inline namespace abi_0 {

/// The time that a checkpoint takes besides its bytes: all hosts synchronise, and array metadata is written. It is a
/// suggestion for asynchronous checkpoints of small models; 60 s is a suggestion for synchronous ones.
inline constexpr seconds checkpoint_start{15};

/// The rate of Cloud Storage for one project in one region by its default quota, 200 Gbit/s. The quota is for reading;
/// writing is assumed to be no faster. Source: cloud.google.com/storage/docs/bandwidth-usage, "maximum bandwidth for
/// each region"; copies of 2026.
inline constexpr bytes_per_second storage_rate{25e9};

/// The rate at which checkpoints leave some slices: that of the storage, or of the network cards of all hosts where
/// these are slower and known. Throws for a rate that is not above 0. Worked: 3.125 GB/s from v5litepod-1, 25 GB/s from
/// v5litepod-8 and larger slices.
[[nodiscard]] constexpr bytes_per_second checkpoint_rate(const slice& where, std::int64_t slice_total = 1,
                                                         bytes_per_second storage = storage_rate) {
  detail::positive("storage rate", storage.value());
  const std::int64_t chip_count = detail::chips_of(where, slice_total);
  if (!where.chip.host.dcn.has_value()) return storage;
  return min(storage, where.chip.host.dcn.value() * (detail::share_of_network(where) * static_cast<double>(chip_count)));
}

/// How long one checkpoint stops training: `checkpoint_start`, and its bytes at the rate of the storage. The bytes are
/// those of the training state, `training_state_of(…).total`. An asynchronous checkpoint stops training for less where
/// hosts have memory for all of it, but the next one waits until it is written.
///
/// Throws for a negative size and a rate that is not above 0. Worked: 96 GB (8e9 parameters in fp32 with AdamW) at
/// 25 GB/s: 18.84 s.
[[nodiscard]] constexpr seconds checkpoint_time(bytes checkpoint, bytes_per_second rate = storage_rate) {
  detail::in_range("checkpoint", checkpoint.value(), 0, 1e18, "0 to 1e18 bytes");
  detail::in_range("storage rate", detail::positive("storage rate", rate.value()), 1, 1e18, "1 to 1e18 bytes/s");
  return checkpoint_start + checkpoint / rate;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
