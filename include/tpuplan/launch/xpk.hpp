#ifndef TPUPLAN_LAUNCH_XPK_HPP
#define TPUPLAN_LAUNCH_XPK_HPP

#include <string>
#include <string_view>
#include <tpuplan/launch/gcluster.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/launch/shell.hpp>

/// @file
/// XPK: the command that makes a GKE cluster and the one that starts a launch request on it. Names of flags:
/// data/launch.json, "xpk".

namespace tpuplan {
inline namespace abi_0 {

/// The commands of one launch by XPK.
struct xpk_launch {
  shell_words cluster;   ///< makes the cluster and its node pools
  shell_words workload;  ///< starts the job on it
};

namespace detail {

/// Refuses what XPK does not have.
inline void check_xpk(const launch_request& request) {
  const auto offered = [](const launch_offer& o) { return o.tools.xpk_smallest > 0; };
  const slice& where = request.where;
  const tool_offer offer = offers_of(where.chip.name).tools;
  if (offer.xpk_smallest == 0)
    fail(errc::unsupported, "slice", name(where).view(), "a slice of " + chips_with(offered) + ": XPK has no others");
  const bool single = chips(where) == 1 && offer.xpk_single_chip;
  if (!single && (where.chips_per_vm != 4 || chips(where) < offer.xpk_smallest)) {
    fail(errc::unsupported, "slice", name(where).view(),
         "a slice of " + std::to_string(offer.xpk_smallest) +
             " chips or more on VMs of four chips (machine_type): XPK has no others");
  }
  check_extras(request, "XPK", {"cluster"});
  check_submission(request, "XPK");
  for (const std::string& word : request.command) {
    if (word.find('\n') != std::string::npos)
      fail(errc::unsupported, "command", word, "words without line feeds: XPK pastes the line into a manifest");
  }
}

}  // namespace detail

/// The `xpk cluster create` and `xpk workload create` of the request. The kind of capacity is that of the cluster; the
/// workload states it for clusters that make their own node pools. The slice is given by its topology, which is exact
/// where two shapes have the same number of chips. Refuses, by name of the field: no cluster, project, zone, image or
/// command, chips that XPK does not have, VMs of eight chips, line feeds, `max_run`, and
/// restarts on flex-start.
/// Worked: v5p-128 is --tpu-type=v5p-4x4x4, v6e-256 --tpu-type=v6e-16x16.
/// Source: AI-Hypercomputer/xpk @367c838 src/xpk/parser/workload.py, parser/cluster.py, core/capacity.py (2026-06-25).
[[nodiscard]] inline xpk_launch xpk_commands(const launch_request& request) {
  validate(request);
  detail::check_xpk(request);
  const std::string capacity = !request.reservation.empty()                   ? "--reservation=" + request.reservation
                               : request.capacity == provisioning::spot       ? "--spot"
                               : request.capacity == provisioning::flex_start ? "--flex"
                                                                              : "--on-demand";
  const shell_words common = {"--cluster=" + request.cluster,
                              "--project=" + request.project,
                              "--zone=" + request.zone,
                              "--tpu-type=" + std::string(slice_prefix(request.where.chip)) + "-" +
                                  std::string(name(request.where.shape).view()),
                              "--num-slices=" + std::to_string(request.slices),
                              capacity};
  xpk_launch result{{"xpk", "cluster", "create"}, {"xpk", "workload", "create", "--workload=" + request.name}};
  result.cluster.insert(result.cluster.end(), common.begin(), common.end());
  result.workload.insert(result.workload.end(), common.begin(), common.end());
  result.workload.push_back("--max-restarts=" + std::to_string(request.max_restarts));
  if (!request.checkpoint.empty()) result.workload.push_back("--env=CHECKPOINT_DIR=" + request.checkpoint);
  result.workload.push_back("--docker-image=" + request.image);
  result.workload.push_back("--command=" + detail::gke_literal(shell_line(request.command)));
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
