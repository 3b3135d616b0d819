#ifndef TPUPLAN_LAUNCH_MADE_UP_HPP
#define TPUPLAN_LAUNCH_MADE_UP_HPP

#include <nlohmann/json.hpp>
#include <tpuplan/launch/request.hpp>

/// @file
/// The header of the launch target that target.sh adds.

namespace tpuplan {
inline namespace abi_0 {

/// The job of a made-up service.
[[nodiscard]] inline nlohmann::ordered_json made_up_job(const launch_request& request) {
  validate(request);
  const detail::service_chip* chip = detail::chip_of_service("made_up", request.where.chip.name);
  if (chip == nullptr) {
    detail::fail(errc::unsupported, "slice", name(request.where).view(),
                 "a slice of " + detail::chips_of_service("made_up"));
  }
  return {{"name", request.name},
          {"chip", chip->called},
          {"chips", chips(request.where)},
          {"command", request.command}};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
