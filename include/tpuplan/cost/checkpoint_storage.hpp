#ifndef TPUPLAN_COST_CHECKPOINT_STORAGE_HPP
#define TPUPLAN_COST_CHECKPOINT_STORAGE_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/training_job.hpp>

/// @file
/// What it costs to keep checkpoints in Cloud Storage, in the region of the slice: storage and operations. Traffic
/// within a region is free; traffic between regions is not, and is not modelled.

namespace tpuplan {
inline namespace abi_0 {

/// A price of storage: dollars per byte and second.
using usd_per_byte_second = quantity<dim<-1, 0, -1, 1>>;

/// A price per GiB and month of 730 hours. Worked: usd_per_gib_month(0.020) times 1 GiB and 730 h is 0.02 USD.
/// Source: the price list of 2026-09-20, which has 0.000027397 USD per GiB and hour for 0.020 per month.
[[nodiscard]] constexpr usd_per_byte_second usd_per_gib_month(double dollars) noexcept {
  return usd{dollars} / (1_GiB * 730_h);
}

/// A storage price as dollars per GiB and month of 730 hours: the inverse of `usd_per_gib_month`.
/// Worked: 0.020 for us-east5.
[[nodiscard]] constexpr double in_usd_per_gib_month(usd_per_byte_second price) noexcept {
  return (price * 1_GiB * 730_h).value();
}

/// The price of Standard storage in a region; nothing where no source gives one.
///
/// Source: cloud.google.com/storage/pricing, copies of 2026. Worked: 0.020 USD per GiB and month in us-east5, 0.023 in
/// us-west4.
[[nodiscard]] constexpr maybe<usd_per_byte_second> find_storage_price(std::string_view region) noexcept {
  constexpr std::string_view at_20[] = {"us-central1", "us-east1",     "us-east5",     "us-west1",
                                        "us-south1",   "europe-west1", "europe-north1"};
  constexpr std::string_view at_23[] = {"us-west4", "us-east4"};
  for (const std::string_view known_region : at_20) {
    if (detail::same_name(region, known_region)) return usd_per_gib_month(0.020);
  }
  for (const std::string_view known_region : at_23) {
    if (detail::same_name(region, known_region)) return usd_per_gib_month(0.023);
  }
  return nothing;
}

/// Prices of requests to Standard storage. Source: cloud.google.com/storage/pricing-examples, copies of 2026.
struct operation_prices {
  usd write{0.005 / 1000};  ///< class A: one object written, or a listing
  usd read{0.0004 / 1000};  ///< class B: one object read
};

/// How checkpoints are kept. The bytes of one are `training_state_of(…).total`: parameters and optimizer state.
struct checkpoint_store {
  bytes checkpoint{};        ///< bytes of one checkpoint; above 0
  std::int64_t kept = 0;     ///< checkpoints kept at any time; 1 or more
  seconds held{};            ///< time for which that many are kept; above 0
  double written = 0;        ///< checkpoints written over that time, such as expected_run(…).segments
  double restored = 0;       ///< checkpoints read over that time, such as expected_run(…).preemptions
  std::int64_t objects = 0;  ///< objects of one checkpoint; needed where anything is written or restored
};

/// The cost of keeping checkpoints: storage + operations = total.
struct storage_cost {
  bytes kept{};      ///< bytes that are stored at any time
  usd storage{};     ///< for holding them
  usd operations{};  ///< for writing and reading objects; 0 where none are given
  usd total{};       ///< storage + operations
};

/// Dollars for keeping checkpoints, assuming that all of them are there from the first second.
///
/// `price` is above 0, from `find_storage_price` or `usd_per_gib_month`. Not counted are the time in which an
/// old checkpoint is still there with its successor, listings, and retries. Throws for fields out of the range that
/// `checkpoint_store` gives. Worked: 3 checkpoints of 96 GB (8e9 parameters in fp32 with AdamW) for 730 h at
/// 0.020: 5.364 USD; 1000 written in 64 objects each: 0.32 USD more.
[[nodiscard]] constexpr storage_cost cost_of_checkpoints(const checkpoint_store& store, usd_per_byte_second price,
                                                         const operation_prices& operations = {}) {
  const double size = detail::positive("checkpoint_store.checkpoint", store.checkpoint.value());
  const std::int64_t kept = detail::positive_count("checkpoint_store.kept", store.kept);
  detail::positive("checkpoint_store.held", store.held.value());
  detail::positive("storage price", price.value());
  detail::not_negative("checkpoint_store.written", store.written);
  detail::not_negative("checkpoint_store.restored", store.restored);
  detail::not_negative("operation_prices.write", operations.write.value());
  detail::not_negative("operation_prices.read", operations.read.value());
  detail::count_from("checkpoint_store.objects", store.objects, 0);
  if (store.written > 0 || store.restored > 0) detail::positive_count("checkpoint_store.objects", store.objects);
  storage_cost result;
  result.kept = bytes{size * static_cast<double>(kept)};
  result.storage = price * result.kept * store.held;
  result.operations =
      (operations.write * store.written + operations.read * store.restored) * static_cast<double>(store.objects);
  result.total = result.storage + result.operations;
  detail::in_range("storage cost", result.total.value(), 0, 1.7976931348623157e308, "a finite number of dollars");
  return result;
}

/// Dollars for the checkpoints of a training run, from its state. Worked: 3 checkpoints of `training_state_of(8e9,
/// fp32)` for 730 h at 0.020: 5.364 USD.
[[nodiscard]] constexpr storage_cost cost_of_checkpoints(const training_state& state, std::int64_t kept, seconds held,
                                                         usd_per_byte_second price) {
  checkpoint_store store;
  store.checkpoint = state.total;
  store.kept = kept;
  store.held = held;
  return cost_of_checkpoints(store, price);
}

/// The checkpoints that a run leaves behind.
struct run_checkpoints {
  bytes each{};              ///< parameters and optimizer state
  std::int64_t period = 0;   ///< steps between two of them
  std::int64_t written = 0;  ///< in the run; 1 or more
  std::int64_t kept = 0;     ///< the last ones
  bytes stored{};            ///< at once, for those that are kept
  usd month{};               ///< for holding these for 730 h
  text<32> stored_in{};      ///< the region whose price that is; us-central1 where no source prices storage in its own
};

/// Steps between checkpoints of that interval, whole ones, so that there are no more than intervals. Worked: every 1500
/// s in steps of 2.14 s are 701. Throws for times that are not above 0.
[[nodiscard]] constexpr std::int64_t steps_between_checkpoints(seconds interval, seconds step) {
  const double exact =
      seconds{detail::positive("interval", interval.value())} / seconds{detail::positive("step", step.value())};
  const double steps = math::ceil(exact * (1 - 1e-12));  // 500 steps are 500
  return static_cast<std::int64_t>(steps < 1 ? 1 : steps > 1e9 ? 1e9 : steps);
}

/// The checkpoints of a run of that many steps that writes one after each interval, the last at its end, and keeps the
/// last ones, and what a month of those costs where the run is. Throws for steps and times that are not above 0.
/// Worked: 95368 steps of 2.14 s with one of 96 GB every 1500 s write 137, of which 3 in us-east5 are 288 GB and 5.36
/// USD a month.
[[nodiscard]] constexpr run_checkpoints checkpoints_of(bytes each, double steps, seconds step, seconds interval,
                                                       std::string_view region, std::int64_t kept = 3) {
  run_checkpoints result;
  result.each = each;
  result.period = steps_between_checkpoints(interval, step);
  const double written =
      math::ceil(detail::positive("steps", steps) / static_cast<double>(result.period) * (1 - 1e-12));
  result.written = static_cast<std::int64_t>(written < 1 ? 1 : written > 1e15 ? 1e15 : written);
  result.kept = result.written < kept ? result.written : kept;
  result.stored_in = find_storage_price(region) ? region : std::string_view("us-central1");
  checkpoint_store store;
  store.checkpoint = each, store.kept = result.kept, store.held = 730_h;
  const storage_cost cost = cost_of_checkpoints(store, *find_storage_price(result.stored_in.view()));
  result.stored = cost.kept, result.month = cost.total;
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
