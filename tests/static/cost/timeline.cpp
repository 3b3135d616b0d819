// The worked numbers in the comments of cost/timeline.hpp. It compiles, so it passes.
#include <tpuplan/cost/timeline.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace {

constexpr run_phases run() {
  run_phases phases;
  phases.start = 60_s, phases.compilation = 90_s, phases.step = 1_s, phases.steps = 1000;
  phases.evaluation = 30_s, phases.evaluate_every = 100;
  return phases;
}
constexpr run_timeline line = timeline_of(run(), 3600_usd_per_h);
static_assert(line.billed == 1450_s && line.wall == 1450_s && line.evaluations == 300_s);
static_assert(near_relative(line.goodput, 1000.0 / 1450) && near_relative(line.compilation_share, 90.0 / 1450));
static_assert(same_money(line.total.value(), 1450) && same_money(line.overhead.value(), 450));

constexpr run_phases queued() {
  run_phases phases = run();
  phases.queue = 550_s, phases.checkpoint = 10_s, phases.checkpoint_every = 300, phases.export_time = 5_s;
  return phases;
}
static_assert(timeline_of(queued(), 1_usd_per_h).wall == 550_s + 1450_s + 30_s + 5_s);
static_assert(timeline_of(queued(), 1_usd_per_h).checkpoints == 30_s);
static_assert(timeline_of(run()).billed == 1450_s && !timeline_of(run()).total.has_value());

}  // namespace
