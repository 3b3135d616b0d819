#include "cli/percentiles.hpp"

#include "cli/report.hpp"

namespace cli {

using namespace tpuplan;

void need_targets(const latency_targets& targets, std::string_view why) {
  if (!any_target(targets)) refuse_missing("--ttft-p99", why);
}

}  // namespace cli
