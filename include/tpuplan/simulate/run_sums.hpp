#ifndef TPUPLAN_SIMULATE_RUN_SUMS_HPP
#define TPUPLAN_SIMULATE_RUN_SUMS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/percentiles.hpp>

/// @file
/// What a simulated run adds up over its replicas. Programs include simulate/simulation.hpp instead.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

inline constexpr std::size_t over_time_parts = 64;

struct no_observer {
  void operator()(const step_work&, seconds, seconds) const noexcept {}
};
struct never_enough {
  bool operator()(const request_record&) const noexcept { return false; }
};

/// What a run adds up over its replicas.
struct run_sums {
  simulation_run& run;
  std::array<weighted_histogram, error_batches> gaps{};
  double busy = 0, running = 0, blocks = 0;  // integrals over the time that is counted
  std::int64_t work = 0;                     // steps, as `most_simulated_steps` counts them

  void clear() {
    run = {};
    for (weighted_histogram& batch : gaps) batch.clear();
    busy = running = blocks = 0;
    work = 0;
  }
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
