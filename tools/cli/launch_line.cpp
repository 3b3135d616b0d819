// The command that starts what a plan says.
#include "cli/launch_line.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tpuplan/launch.hpp>

namespace cli {

using namespace tpuplan;

namespace {

/// The request with words in the place of the user's.
launch_request filled_request(const to_start& what) {
  launch_request request;
  request.name = "tpuplan";
  request.where = what.where;
  request.slices = what.slices;
  request.run = what.run;
  request.capacity = is_commitment(what.kind) ? provisioning::on_demand : what.kind;
  if (request.capacity == provisioning::flex_start) {
    const seconds longest = flex_start_terms{}.limit;  // a longer run goes on from its checkpoint
    const double pieces = std::ceil(request.run / longest);
    request.max_restarts = pieces > 1 ? static_cast<std::int64_t>(pieces) - 1 : 0;
    if (request.max_restarts > 0) request.max_run = longest;
  }
  if (is_commitment(what.kind) || what.kind == provisioning::calendar) request.reservation = "reservation";
  request.image = "host/image:1";
  request.project = "my-project";
  request.zone = "us-central1-a";
  request.command = {"true"};
  request.checkpoint = "gs://bucket/folder";
  return request;
}

bool is_started_by(const char* target, const launch_request& request) {
  try {
    return !launch(*find_launch_target(target), request).text.empty();
  } catch (const error&) {
    return false;
  }
}

bool is_trained_by_maxtext(const to_start& what, const plan& best, const plan_request& asked) {
  try {
    const launch_request request = filled_request(what);
    maxtext_run run = maxtext_of(best, asked, request.capacity);
    run.extra = {"dataset_type=synthetic", "learning_rate=1"};
    return !maxtext_command(request, run).empty();
  } catch (const error&) {
    return false;
  }
}

}  // namespace

std::string launch_line(const std::string& start, const to_start& what) {
  const launch_request request = filled_request(what);
  const bool on_gke = is_started_by("gke", request);
  if (!on_gke && !is_started_by("gcloud", request)) return {};
  std::string line = start;
  if (what.says_payment && what.kind != provisioning::on_demand && !is_commitment(what.kind))
    line += fmt::format(" --provisioning {}", name(what.kind));
  if (!request.reservation.empty()) line += " --reservation RESERVATION";
  const bool may_end = what.kind == provisioning::spot || what.kind == provisioning::flex_start;
  if (may_end && what.program.find("--checkpoint") == std::string::npos) line += " --checkpoint gs://BUCKET/FOLDER";
  line += on_gke ? " --target gke" : " --target gcloud --project PROJECT --zone ZONE";
  if (request.max_run.value() > 0)
    line += fmt::format(" --max-run {:g}d --max-restarts {}", in_days(request.max_run), request.max_restarts);
  if (on_gke || what.in_image) line += " --image IMAGE";
  return line + " " + what.program + "   with your own for the words in capitals";
}

std::string launch_line(const plan& best, const plan_request& asked) {
  to_start what;
  what.where = best.where, what.slices = slices(best.mesh), what.kind = chosen_cost(best).kind;
  if (what.kind == provisioning::flex_start) what.run = launch_of(best, asked, what.kind).run;
  what.in_image = is_trained_by_maxtext(what, best, asked);
  what.program = what.in_image ? "--maxtext --checkpoint gs://BUCKET/FOLDER --set dataset_path=gs://BUCKET/DATA "
                                 "--set learning_rate=RATE"
                               : "--command COMMAND";
  return launch_line("--json | tpuplan launch -", what);
}

}  // namespace cli
