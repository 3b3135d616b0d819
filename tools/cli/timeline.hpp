#ifndef TPUPLAN_CLI_TIMELINE_HPP
#define TPUPLAN_CLI_TIMELINE_HPP

#include <initializer_list>
#include <optional>
#include <tpuplan/cost/timeline.hpp>

#include "cli/config.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"

// A run from start to end: its steps, and the other phases that take time or money.
namespace cli {

struct timeline_options {
  bool asked = false;
  std::optional<tpuplan::seconds> queue, start, compilation, restore, evaluation, checkpoint, export_time;
  std::optional<std::int64_t> evaluate_every, checkpoint_every;
};

/// Options for the phases around the steps: --queue, --start-up, --compilation, --evaluation … Each needs one of
/// `needed`.
void add_timeline_options(command& to, timeline_options& into, std::initializer_list<const char*> needed);

/// Whether any option of the timeline was given.
bool is_given(const timeline_options& given);

/// The phases around so many steps. A first compilation that is not given is assumed and said; a checkpoint that is
/// written and whose time is not given takes `usual_checkpoint`.
tpuplan::run_phases phases_of(const timeline_options& given, tpuplan::seconds step, std::int64_t steps,
                              tpuplan::seconds usual_checkpoint, assumed_values& assumed);

/// A table of the phases with the time and the dollars of each, and the goodput; dollars where there is a price.
tpuplan::view_part timeline_part(const tpuplan::run_timeline& line);

}  // namespace cli

#endif
