// The worked numbers in the comments of cost/timeline.hpp. It compiles, so it passes.
#include <tpuplan/cost/timeline.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_timeline_tests {

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

static_assert(usual_start() == 469.5_s && usual_start() + usual_first_compilation() == spot_terms{}.restart_time);

static_assert(usual_start(63) == usual_start() && usual_start(64) == 684.75_s && usual_start(256) == 1134.75_s);

// What stops a run, and the checkpoints that it needs, are in its timeline and in what is paid.
constexpr payment_terms failing() {
  payment_terms terms;
  terms.mean_time_between_failures = 1e6_s;
  terms.spot.checkpoint_time = 5_s;
  return terms;
}
static_assert(with_phases({}, run()).start_up == 150_s && with_phases({}, run()).besides_steps == 300_s);
constexpr run_timeline stopped = timeline_of(run(), failing());
static_assert(near_relative(stopped.billed.value(), 1456.635629));
static_assert(stopped.checkpoints == 5_s && stopped.billed == 1450_s + stopped.checkpoints + stopped.stops);
static_assert(timeline_of(run(), payment_terms{}).billed == 1450_s);

constexpr run_phases queued() {
  run_phases phases = run();
  phases.queue = 550_s, phases.checkpoint = 10_s, phases.checkpoint_every = 300, phases.export_time = 5_s;
  return phases;
}
static_assert(timeline_of(queued(), 1_usd_per_h).wall == 550_s + 1450_s + 40_s + 5_s);
static_assert(timeline_of(queued(), 1_usd_per_h).checkpoints == 40_s);
// Evaluations make no checkpoints: four of 10 s for 1000 steps, the last at the end.
static_assert(timeline_of(queued(), failing()).checkpoints == 40_s);
static_assert(timeline_of(run()).billed == 1450_s && !timeline_of(run()).total.has_value());

}  // namespace

}  // namespace static_cost_timeline_tests
