#ifndef TPUPLAN_SIMULATE_COUNTED_STEPS_HPP
#define TPUPLAN_SIMULATE_COUNTED_STEPS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/run_sums.hpp>
#include <vector>

/// @file
/// What the steps of a replica add to the sums of its run. Programs include simulate/simulation.hpp instead.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// What a replica holds while a step runs.
struct replica_state {
  std::int64_t running = 0, waiting = 0, blocks = 0;  // sequences, requests, and blocks that are taken
};

/// Adds steps of a replica to the sums of its run: those of all steps, and those of the time that is counted.
class counted_steps {
 public:
  counted_steps(run_sums& sums, const simulated_engine& engine)
      : begin_{sums.run.warm_until.value()},
        end_{sums.run.counted_until.value()},
        batches_{end_ > begin_ ? static_cast<double>(error_batches) / (end_ - begin_) : 0},
        all_blocks_{engine.blocks},
        replicas_{engine.replicas},
        sums_{sums} {}

  [[nodiscard]] bool is_counted(double time) const { return time >= begin_ && time <= end_; }
  [[nodiscard]] double end() const { return end_; }
  /// How much of that time is counted; 0 or less: none.
  [[nodiscard]] double within(double from, double until) const {
    return (until < end_ ? until : end_) - (from > begin_ ? from : begin_);
  }
  [[nodiscard]] bool is_sampled(double until) const { return until >= next_sample_; }

  /// A step at whose end so many requests have their first token.
  void add(const step_work& work, std::int64_t first_tokens, double start, double end, const replica_state& load) {
    ++sums_.run.steps;
    sums_.work += 4;
    sums_.run.decode_steps += work.sequences > 0 ? 1 : 0;
    sums_.run.prompt_tokens += work.prompt_tokens;
    const std::int64_t tokens = first_tokens + work.sequences;
    sums_.run.output_tokens += tokens;
    const double counted = within(start, end);
    if (!(counted > 0)) return;
    const double share = counted < end - start ? counted / (end - start) : 1;
    sums_.run.counted_tokens += share * static_cast<double>(tokens);
    sums_.run.counted_prompt_tokens += share * static_cast<double>(work.prompt_tokens);
    sums_.busy += counted;
    sums_.running += counted * static_cast<double>(load.running);
    sums_.blocks += counted * static_cast<double>(load.blocks);
  }
  /// So many steps in which sequences decode and nothing else happens.
  void add_alone(std::int64_t steps, std::int64_t sequences) {
    sums_.run.steps += steps;
    sums_.work += steps;
    sums_.run.decode_steps += steps;
    sums_.run.output_tokens += steps * sequences;
  }
  /// The time between two tokens of so many sequences, of which the second comes now.
  void add_gap(double now, double gap, double sequences) {
    const double batch = (now - begin_) * batches_;
    if (batch >= 0 && batch < static_cast<double>(error_batches))
      sums_.gaps[static_cast<std::size_t>(batch)].add(gap, sequences);
  }
  /// The state at the sampled moments until then.
  void take_samples(double until, const replica_state& load) {
    std::vector<engine_sample>& samples = sums_.run.over_time;
    for (; sample_ < samples.size() && samples[sample_].time.value() <= until; ++sample_) {
      engine_sample& sample = samples[sample_];
      sample.running += load.running;
      sample.waiting += load.waiting;
      sample.cache +=
          static_cast<double>(load.blocks) / static_cast<double>(all_blocks_) / static_cast<double>(replicas_);
    }
    next_sample_ = sample_ < samples.size() ? samples[sample_].time.value() : std::numeric_limits<double>::infinity();
  }

 private:
  double begin_, end_, batches_;  // the time that is counted, and batches in a second of it
  std::int64_t all_blocks_, replicas_;
  std::size_t sample_ = 0;  // the next moment to sample
  double next_sample_ = 0;  // when it is, or before
  run_sums& sums_;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
