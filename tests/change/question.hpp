#ifndef TPUPLAN_ASK_REPLICAS_HPP
#define TPUPLAN_ASK_REPLICAS_HPP

#include <cstdint>
#include <string>
#include <tpuplan/ask/question.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/json.hpp>

/// @file
/// A question that tests/change adds to a copy of the tree: how many replicas of some devices a slice has.

namespace tpuplan {
inline namespace abi_0 {

/// How many replicas has a slice?
struct replicas_request {
  std::string slice{};
  std::int64_t devices = 1;  ///< of a replica
};
inline constexpr question_row replica_rows[] = {
    rows::words("slice", "--slice", "Slice", "v6e-8, v5e-16, v5p-8 …").needed(),
    rows::count("devices", "--devices", "Devices", "devices", "of a replica").within(1, 1 << 20).usually("1"),
};
/// The replicas.
struct replicas_answer {
  std::int64_t replicas = 0, left = 0;
};
/// Whole replicas, and the devices that are left. Worked: v5e-16 has 5 replicas of 3 devices, and 1 device more.
[[nodiscard]] inline replicas_answer answer_to(const replicas_request& asked) {
  const std::int64_t there = devices(scheduled_slice(asked.slice));
  detail::positive_count("devices", asked.devices);
  return {there / asked.devices, there % asked.devices};
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::replicas_request, slice, devices)
TPUPLAN_FIELDS(tpuplan::replicas_answer, replicas, left)

#endif
