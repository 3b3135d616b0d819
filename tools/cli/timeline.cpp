#include "cli/timeline.hpp"

#include <fmt/format.h>

namespace cli {

using namespace tpuplan;

view_part timeline_part(const run_timeline& line) {
  using readable::cell;
  const bool priced = line.total.has_value();
  view_part part = readable::table_of(priced ? "from start to end | >time:s | >share | >cost:usd"
                                             : "from start to end | >time:s | >share");
  const auto row = [&](const char* label, seconds time, bool paid) {
    if (!(time.value() > 0)) return;
    part.rows.push_back({cell(label), cell(time), readable::share_cell(time / line.wall)});
    if (priced && paid) part.rows.back().push_back(cell(line.total.value() * (time / line.billed)));
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
  part.rows.push_back({cell("total"), cell(line.wall), readable::share_cell(1)});
  if (priced) part.rows.back().push_back(cell(line.total.value()));
  part.notes = {fmt::format("goodput {}, compilation {} of what is paid{}", percent(line.goodput),
                            percent(line.compilation_share),
                            line.compilation_share > 0.1 ? ": above a tenth, see jax_compilation_cache_dir" : "")};
  return part;
}

}  // namespace cli
