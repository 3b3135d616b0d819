#include "cli/timeline.hpp"

#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

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
  row("failures", line.stops, true);
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
