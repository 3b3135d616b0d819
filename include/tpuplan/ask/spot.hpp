#ifndef TPUPLAN_ASK_SPOT_HPP
#define TPUPLAN_ASK_SPOT_HPP

#include <cstdint>
#include <optional>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <utility>
#include <vector>

/// @file
/// The question of spot capacity: how often to write checkpoints, what preemptions add.

namespace tpuplan {
inline namespace abi_0 {

/// What does spot add to a run, and how often should it write checkpoints?
struct spot_request {
  /// @{
  /// A field without a value takes its usual value.
  seconds work{};                            ///< time of the run without interruption
  std::optional<seconds> checkpoint_time{};  ///< for which one checkpoint stops the step
  /// Parameters of the model; the time of a checkpoint follows from them where it is not given.
  std::optional<std::int64_t> parameters{};
  std::optional<seconds> mean_time_between_preemptions{}, restart_time{};
  seconds queue_time{};                          ///< unbilled wait for capacity after each preemption
  std::optional<seconds> checkpoint_interval{};  ///< time between checkpoints; nothing: the best one
  /// Dollars of one chip, per second in C++; give both or none.
  std::optional<usd_per_second> on_demand{}, spot{};
  std::int64_t chips = 1;  ///< chips that are paid for
  /// @}
};
/// The rows of the question spot.
inline constexpr question_row spot_rows[] = {
    rows::time("work_s", "--work", "Work", "useful time of the run: 10h").needed().deciding("run_time"),
    rows::time("checkpoint_time_s", "--checkpoint", "Time of a checkpoint",
               "time for which one checkpoint stops the step")
        .within(1e-6, 1e7)
        .usually("15s, and the bytes of --parameters at 25 GB/s")
        .not_with("--parameters --model"),
    rows::count("parameters", "--parameters", "Parameters", "",
                "of the model, fp32 with AdamW: what a checkpoint holds")
        .within(1, 1e15)
        .not_with("--model")
        .deciding("checkpoint_time"),
    rows::time("mean_time_between_preemptions_s", "--mtbp", "Time between preemptions",
               "mean time between preemptions of the whole job")
        .within(1e-3, 1e12)
        .usually("4h"),
    rows::time("restart_time_s", "--restart", "Restart", "billed time from capacity to the next step")
        .within(0, 1e7)
        .usually("10min"),
    rows::time("queue_time_s", "--queue", "Queue", "unbilled wait for capacity after a preemption").within(0, 1e9),
    rows::time("checkpoint_interval_s", "--interval", "Checkpoint interval",
               "work between checkpoints; the best one if not given"),
    rows::dollars_an_hour("on_demand_usd_per_s", "--on-demand", "On demand", "dollars per chip and hour"),
    rows::dollars_an_hour("spot_usd_per_s", "--spot", "Spot", "dollars per chip and hour"),
    rows::count("chips", "--chips", "Chips", "chips", "how many are paid")
        .within(1, 1e6)
        .usually("1")
        .with("--on-demand --spot"),
};
/// What preemptions add to a run.
struct spot_answer {
  /// @{
  /// Expected values of the run.
  seconds interval{}, billed{}, wall{};          ///< time between checkpoints, billed time, and time from start to end
  double preemptions = 0;                        ///< expected number
  spot_run run{};                                ///< the question with its usual values filled in
  expected_spot_run expected{};                  ///< the billed time by part: work, checkpoints, lost work, restarts
  seconds young_interval{}, optimal_interval{};  ///< by Young's formula, and the best one of a run without an end
  std::optional<spot_comparison> prices{};       ///< dollars on spot and on demand, where prices were given
  std::vector<assumption> assumed{};
  /// @}
};
/// The run with the usual times where none are given. Throws where two fields say the same thing, and for an interval
/// above the work. Where none is given, the interval is that of `best_spot_run`, as in a plan. Worked: 10 h of work
/// alone have 56 checkpoints of 15 s, preemptions every 4 h and restarts of 600 s.
[[nodiscard]] inline spot_run spot_run_of(const spot_request& asked, assumed_values& assumed) {
  if (asked.parameters && (*asked.parameters < 1 || *asked.parameters > 1000000000000000))
    detail::fail(errc::out_of_range, "parameters", *asked.parameters, "1 to 1e15");
  if (asked.checkpoint_time && asked.parameters)
    detail::fail(errc::invalid_argument, "parameters", "given without effect", "none beside checkpoint_time");
  const auto time = [&](const std::optional<seconds>& given, seconds usual, std::string_view what) {
    if (!given) assumed.emplace_back(what, readable::duration(usual));
    return given.value_or(usual);
  };
  const bytes state = asked.parameters ? training_state_of(*asked.parameters, dtype::fp32).total : bytes{};
  spot_run run;
  run.work = detail::run_time("work_s", asked.work);
  run.checkpoint_time = time(asked.checkpoint_time, checkpoint_time(state), assumed_checkpoint_time);
  run.mean_time_between_preemptions =
      time(asked.mean_time_between_preemptions, spot_terms{}.mean_time_between_preemptions, "a preemption comes every");
  run.restart_time = time(asked.restart_time, 600_s, "the first step comes after");
  run.queue_time = asked.queue_time;
  if (asked.checkpoint_interval && *asked.checkpoint_interval > asked.work)
    detail::fail(errc::out_of_range, "checkpoint_interval_s", asked.checkpoint_interval->value(), "at most the work");
  spot_terms terms;
  terms.mean_time_between_preemptions = run.mean_time_between_preemptions;
  terms.checkpoint_time = run.checkpoint_time;
  terms.restart_time = run.restart_time;
  terms.queue_time = run.queue_time;
  const seconds best = best_spot_run(run.work, 1, terms).checkpoint_interval;
  run.checkpoint_interval = asked.checkpoint_interval.value_or(best);
  return run;
}
/// What spot adds to the run, and the best time between checkpoints. Throws where `expected_run` and `compare_spot` do,
/// and for one price without the other. Worked: 10 h of work, a checkpoint of 60 s every 30 min, a preemption every 5 h
/// and restarts of 300 s are 39848.6 s billed, with 2.2138 preemptions.
[[nodiscard]] inline spot_answer answer_to(const spot_request& asked) {
  assumed_values assumed;
  const spot_run run = spot_run_of(asked, assumed);
  const expected_spot_run expected = expected_run(run);
  spot_answer answer{run.checkpoint_interval,
                     expected.billed,
                     expected.wall,
                     expected.preemptions,
                     run,
                     expected,
                     young_interval(run.checkpoint_time, run.mean_time_between_preemptions),
                     detail::interval_of_least_time(run.checkpoint_time, run.mean_time_between_preemptions),
                     {},
                     {}};
  if (asked.on_demand.has_value() != asked.spot.has_value())
    detail::fail(errc::missing_field, asked.spot ? "on_demand_usd_per_s" : "spot_usd_per_s", "missing",
                 "the price of a chip, as for the other");
  if (asked.chips != 1 && !asked.spot)
    detail::fail(errc::invalid_argument, "chips", "given without effect", "none without prices");
  if (detail::positive_count("chips", asked.chips) > 1000000)
    detail::fail(errc::out_of_range, "chips", asked.chips, "1 to 1000000");
  const double count = static_cast<double>(asked.chips);
  if (asked.spot) {
    for (const auto& [field, price] :
         {std::pair("on_demand_usd_per_s", *asked.on_demand), std::pair("spot_usd_per_s", *asked.spot)})
      detail::in_range(field, detail::positive(field, price.value()), 1e-6 / 3600, 1e6 / 3600,
                       "1e-6 to 1e6 USD an hour, each divided by 3600");
    answer.prices = compare_spot({*asked.on_demand * count, *asked.spot * count}, run);
  }
  answer.assumed = all_assumed({}, assumed);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::spot_request, work, checkpoint_time, parameters, mean_time_between_preemptions, restart_time,
               queue_time, checkpoint_interval, on_demand, spot, chips)
TPUPLAN_FIELDS(tpuplan::spot_answer, interval, billed, wall, preemptions, run, expected, young_interval,
               optimal_interval, prices, assumed)

#endif
