#include "cli/timeline.hpp"

#include <tpuplan/ask/networks.hpp>

#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

void add_timeline_options(command& to, timeline_options& into, std::initializer_list<const char*> needed) {
  to.flag("--timeline", into.asked, "the run from start to end; so do the options of its phases").needs(needed);
  to.add("--queue", into.queue, "wait for capacity, not paid: 30min").needs(needed);
  to.add("--start-up", into.start, "of VMs and container, paid: 3min").needs(needed);
  to.add("--compilation", into.compilation, "of the first step").usually("130s").needs(needed);
  to.add("--restore", into.restore, "of a checkpoint, where the run goes on from one").needs(needed);
  to.add("--evaluation", into.evaluation, "time of one evaluation: 20s").needs({"--evaluate-every"});
  to.add("--evaluate-every", into.evaluate_every, "steps").needs({"--evaluation"});
  to.add("--checkpoint", into.checkpoint, "time for which one stops the step").needs({"--checkpoint-every"});
  to.add("--checkpoint-every", into.checkpoint_every, "steps").needs(needed);
  to.add("--export", into.export_time, "of the trained model, at the end").needs(needed);
}

bool is_given(const timeline_options& given) {
  return given.asked || given.queue || given.start || given.compilation || given.restore || given.evaluate_every ||
         given.checkpoint_every || given.export_time;
}

run_phases phases_of(const timeline_options& given, seconds step, std::int64_t steps, seconds usual_checkpoint,
                     assumed_values& assumed) {
  run_phases run;
  run.queue = given.queue.value_or(seconds{});
  run.start = given.start.value_or(seconds{});
  run.compilation = given.compilation.value_or(usual_first_compilation());
  run.restore = given.restore.value_or(seconds{});
  run.step = step;
  run.steps = steps;
  run.evaluation = given.evaluation.value_or(seconds{});
  run.evaluate_every = given.evaluate_every.value_or(0);
  run.checkpoint_every = given.checkpoint_every.value_or(0);
  if (run.checkpoint_every > 0) run.checkpoint = given.checkpoint.value_or(usual_checkpoint);
  run.export_time = given.export_time.value_or(seconds{});
  if (!given.compilation) assume_first_compilation(assumed, run.compilation);
  return run;
}

view_part timeline_part(const run_timeline& line) {
  const bool priced = line.total.has_value();
  table t(priced ? "from start to end | >time | >share | >cost" : "from start to end | >time | >share");
  const auto row = [&](const char* label, seconds time, bool paid) {
    if (!(time.value() > 0)) return;
    std::vector<cell> cells{label, time, share_cell(time / line.wall)};
    if (priced) cells.push_back(paid ? cell(line.total.value() * (time / line.billed)) : cell(""));
    t.add(std::move(cells));
  };
  row("waiting for capacity", line.queue, false);
  row("start of VMs and container", line.start, true);
  row("first compilation", line.compilation, true);
  row("restoring a checkpoint", line.restore, true);
  row("steps", line.steps, true);
  row("evaluations", line.evaluations, true);
  row("checkpoints", line.checkpoints, true);
  row("export", line.export_time, true);
  std::vector<cell> sum{"total", line.wall, share_cell(1)};
  if (priced) sum.emplace_back(line.total.value());
  t.add(std::move(sum));
  view_part part = t.part();
  part.notes.push_back(fmt::format(
      "goodput {}, compilation {} of what is paid{}", percent(line.goodput), percent(line.compilation_share),
      line.compilation_share > 0.1 ? ": above a tenth, see jax_compilation_cache_dir" : ""));
  return part;
}

}  // namespace cli
