#include "cli/percentiles.hpp"

#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

struct kind_of_time {
  const char* option;
  const char* phrase;
  latency_target latency_targets::*target;
};
constexpr kind_of_time kinds_of_time[] = {
    {"--ttft", "to the first token", &latency_targets::first_token},
    {"--tpot", "for each token", &latency_targets::per_token},
    {"--e2e", "for the whole request", &latency_targets::end_to_end},
};
constexpr int shares[] = {50, 90, 95, 99};

}  // namespace

void add_percentile_options(command& to, latency_targets& into) {
  for (const kind_of_time& kind : kinds_of_time) {
    for (const int share : shares) {
      const std::string option = fmt::format("{}-p{}", kind.option, share);
      cli::option& added =
          to.add_read(option, fmt::format("time {1} that {0} of 100 requests keep", share, kind.phrase),
                      [option, share, &target = into.*kind.target](const std::string& given) {
                        target.share = share / 100.0;
                        read(option, given, usual_limits<seconds>, target.limit);
                      });
      for (const int other : shares) {
        if (other < share) added.excludes({fmt::format("{}-p{}", kind.option, other).c_str()});
      }
    }
  }
}

void need_targets(const latency_targets& targets, std::string_view why) {
  if (!any_target(targets)) refuse_missing("--ttft-p99", why);
}

}  // namespace cli
