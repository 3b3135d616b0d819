// tpuplan validate of images and clips
#include <lab/generation_records.hpp>

#include "cli/report.hpp"
#include "cli/validate.hpp"

namespace cli {

namespace {

using namespace tpuplan;
using namespace tpuplan::readable;

std::string_view name_of(generation_role role) {
  if (role == generation_role::fitted) return "fitted";
  return role == generation_role::trained ? "trained" : "assumed";
}

double error_of(const generation_check& one) { return one.predicted / one.measured - 1; }

ordered_json json_of(const generation_check& one) {
  return {{"id", one.id},
          {"source", one.source},
          {"role", name_of(one.role)},
          {"measures", one.measures},
          {"taken_as", one.taken_as},
          {"predicted_s", one.predicted.value()},
          {"measured_s", one.measured.value()},
          {"low_s", one.low.value()},
          {"high_s", one.high.value()},
          {"error", error_of(one)}};
}

view_part part_of(const std::vector<generation_check>& checks, generation_role role, std::string title) {
  view_part part =
      readable::table_of("record | of | >measured:s | >predicted:s | >between:s | >error | inside", std::move(title));
  for (const generation_check& one : checks) {
    if (one.role != role) continue;
    part.rows.push_back({cell(one.id), cell(one.measures), cell(one.measured), cell(one.predicted),
                         range_cell(one.low, one.high), signed_cell(error_of(one)),
                         cell(is_inside(one) ? "yes" : "no")});
  }
  return part;
}

}  // namespace

view_cell signed_cell(double share) { return cell(fmt::format("{:+.1f} %", 100 * share), share); }

bool is_generation_records(const nlohmann::json& document) { return tpuplan::is_generation_records(document); }

void validate_generations(const nlohmann::json& document, const std::string& path, bool by_family,
                          const session& with) {
  if (by_family)
    refuse("--leave-out-family", "given with records of images and clips",
           "no such option: each prediction of them leaves its source out");
  const std::vector<generation_check> checks = check_generations(document, path);
  view shown;
  shown.parts = {part_of(checks, generation_role::fitted, "images and clips, each with its source left out"),
                 part_of(checks, generation_role::trained, "training steps, nothing fitted"),
                 part_of(checks, generation_role::assumed, "in no fit: if what their sources leave out is as assumed")};
  answer(with, shown, [&]() -> ordered_json {
    ordered_json list = ordered_json::array();
    for (const generation_check& one : checks) list.push_back(json_of(one));
    return {{"records", list}};
  });
}

}  // namespace cli
