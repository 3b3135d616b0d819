// What the library says of a launch target that was added as docs/change.md says.
#include <string>
#include <tpuplan/launch.hpp>

#include "check.hpp"

using namespace tpuplan;

int main() {
  const maybe<launch_target> target = find_launch_target("made_up");
  check(target.has_value(), "it has a name");
  if (!target) return 1;
  launch_request request;
  request.name = "job";
  request.where = slice_for("v5p-128");
  request.command = {"true"};
  const launch_output output = launch(*target, request);
  check(output.json.at("chip") == "five-p" && output.json.at("chips") == 64,
        "it writes the service's name of the chip");
  check(can_launch(*target, request), "it starts slices of its chips");
  check(made_up_job(request) == output.json, "launch.hpp has its header");
  request.where = slice_for("v6e-8");
  try {
    (void)launch(*target, request);
    check(false, "other chips are refused");
  } catch (const error& refusal) {
    check(refusal.valid().find("a slice of v5p; use ") != std::string::npos, "its refusal names chips and targets");
  }
  request.where = slice_for("v5p-128");
  try {
    (void)launch(*find_launch_target("vertex"), request);
    check(false, "Vertex AI has no v5p");
  } catch (const error& refusal) {
    check(refusal.valid().find("ray, made_up") != std::string::npos, "the refusals of others name it");
  }
  return failures == 0 ? 0 : 1;
}
