#ifndef TPUPLAN_ASK_PHASES_HPP
#define TPUPLAN_ASK_PHASES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/base/date.hpp>
#include <tpuplan/cost/timeline.hpp>
#include <tpuplan/launch/names.hpp>
#include <tpuplan/risk/failures.hpp>
#include <tpuplan/risk/lifetimes.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <utility>
#include <vector>

/// @file
/// What a question says of a run besides its steps: its phases, and how capacity waits, ends and fails.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {
/// An amount; nothing of one that is infinite, as the end of a band is where so long a run cannot be had.
template <class Amount>
[[nodiscard]] std::optional<Amount> if_finite(Amount amount) {
  return math::is_finite(amount.value()) ? std::optional<Amount>(amount) : std::nullopt;
}
}  // namespace detail

/// The phases around the steps of a run; what is nothing is filled in, or left out.
struct asked_phases {
  /// @{
  /// Billed times: to the first compilation, the compilation, reading a checkpoint, one evaluation, the time for which
  /// a checkpoint stops the step, and the export at the end.
  std::optional<seconds> start_up{}, compilation{}, restore{}, evaluation{}, checkpoint{}, export_time{};
  std::optional<std::int64_t> evaluate_every{}, checkpoint_every{};  ///< steps
  /// @}
};
/// The rows of the phases around the steps.
inline constexpr question_row phase_rows[] = {
    rows::time("around.start_up_s", "--start-up", "Start-up", "of VMs and container, paid: 3min")
        .within(0, 1e7)
        .usually("470s, 11.4min from 64 VMs on, 18.9min from 256 on; of a --restart what the compilation leaves"),
    rows::time("around.compilation_s", "--compilation", "First compilation", "of the first step")
        .within(0, 1e7)
        .usually("130s"),
    rows::time("around.restore_s", "--restore", "Restore", "of a checkpoint, where the run goes on from one")
        .within(0, 1e7),
    rows::time("around.evaluation_s", "--evaluation", "Evaluation", "time of one evaluation: 20s")
        .within(0, 1e7)
        .with("--evaluate-every"),
    rows::count("around.evaluate_every", "--evaluate-every", "Evaluate every", "steps", "steps").within(1, 1e12),
    rows::time("around.checkpoint_s", "--checkpoint", "Time of a checkpoint", "time for which one stops the step")
        .within(1e-6, 1e7)
        .usually("that of its bytes"),
    rows::count("around.checkpoint_every", "--checkpoint-every", "Checkpoint every", "steps",
                "steps; the best interval, if not given")
        .within(1, 1e12),
    rows::time("around.export_time_s", "--export", "Export", "of the trained model, at the end").within(0, 1e7),
};
/// Whether the run is shown from start to end.
inline constexpr question_row timeline_rows[] = {
    rows::flag("timeline", "--timeline", "true", "the run from start to end; so do the options of its phases"),
};
/// How contested spot is.
inline constexpr question_row market_rows[] = {
    rows::choice("market", "--market", "Spot market", market_choices,
                 "of spot: calm, cautious or scarce, one preemption in 16, 4 or 1 hours")
        .deciding("mean_time_between_preemptions")
        .not_with("--mtbp"),
    rows::file("lifetimes", "--lifetimes",
               "how long your own spot slices lasted: a line each, {\"lasted_s\": 5400, \"preempted\": true}")
        .not_with("--mtbp --market"),
};
/// How capacity is waited for, and what a stop takes.
inline constexpr question_row wait_rows[] = {
    rows::time("queue_time_s", "--queue", "Queue", "unbilled wait for spot and flex-start capacity, each time")
        .within(0, 1e9)
        .usually("18min on spot, none otherwise"),
    rows::time("restart_time_s", "--restart", "Restart", "billed time from capacity to the next step")
        .within(0, 1e7)
        .usually("10min, 13.6min from 64 VMs on, 21.1min from 256 on"),
    rows::time("chip_time_between_failures_s", "--chip-mtbf", "Time between failures of a chip",
               "mean time of one chip between failures that stop the run, in all ways of paying")
        .within(1, 1e12)
        .usually("50700h, of GPUs"),
};

/// The deadline of a question with `start`, `by` and `deadline`, from its start, by the end of the day; nothing: there
/// is none. Throws for dates that are none. Worked: by 2026-12-31 from 2026-12-01 on are 31 days.
template <class Asked>
[[nodiscard]] std::optional<seconds> deadline_of(const Asked& asked) {
  using detail::fail;
  if (!asked.start.empty() && !is_iso_date(asked.start))
    fail(errc::malformed_input, "start", asked.start, "a date such as 2026-12-01");
  if (asked.by.empty()) return asked.deadline;
  if (!is_iso_date(asked.by)) fail(errc::malformed_input, "by", asked.by, "a date such as 2026-12-31");
  if (asked.deadline) fail(errc::invalid_argument, "deadline_s", "given without effect", "none beside by");
  if (asked.start.empty()) fail(errc::missing_field, "start", "missing", "the date on which capacity is asked for");
  const std::int64_t days = days_between(asked.start, asked.by) + 1;  // done by the end of that day
  if (days < 1) fail(errc::out_of_range, "by", asked.by, "a date not before start, " + asked.start);
  return static_cast<double>(days) * 1_days;
}

namespace detail {
/// The date by whose end a run that starts at the beginning of a day is done.
[[nodiscard]] inline std::string done_on(const std::string& start, const std::optional<seconds>& wall) {
  if (start.empty() || !wall || in_days(*wall) > 1e6) return {};
  return std::string(date_after(start, static_cast<std::int64_t>(math::ceil(in_days(*wall))) - 1).view());
}
}  // namespace detail

/// Whether anything is said of the phases. Worked: of {"start_up_s": 60} it is.
[[nodiscard]] constexpr bool is_given(const asked_phases& asked) noexcept {
  return asked.start_up || asked.compilation || asked.restore || asked.evaluation || asked.checkpoint ||
         asked.export_time || asked.evaluate_every || asked.checkpoint_every;
}

/// A start that is by size, in words. Worked: of 469.5 s "7.83 min, 11.4 min from 64 VMs on, 18.9 min from 256 on".
[[nodiscard]] inline std::string start_words(seconds of_few) {
  const auto on = [&](std::int64_t vms) { return readable::duration(of_few + usual_start(vms) - usual_start()); };
  return readable::duration(of_few) + ", " + on(64) + " from 64 VMs on, " + on(256) + " from 256 on";
}

/// The phases as a run has them, and what to say of those that are assumed. Without a start-up it is the usual one of
/// the VMs (`usual_start`), whatever the compilation takes; of a restart that is given, what the compilation leaves.
/// Refuses one of `evaluation` and `evaluate_every` without the other. Worked: with nothing said 469.5 s of start and
/// 130.5 s of compilation; with a compilation of 600 s the start is 469.5 s too.
[[nodiscard]] inline run_phases phases_of(const asked_phases& asked, std::optional<seconds> restart,
                                          assumed_values& assumed) {
  if (asked.evaluation.has_value() != asked.evaluate_every.has_value())
    detail::fail(errc::missing_field, asked.evaluation ? "around.evaluate_every" : "around.evaluation_s", "missing",
                 "both of them, or none");
  run_phases run;
  run.compilation = asked.compilation.value_or(usual_first_compilation());
  run.start = asked.start_up.value_or(restart ? max(*restart - run.compilation, seconds{}) : usual_start());
  run.restore = asked.restore.value_or(seconds{});
  run.evaluation = asked.evaluation.value_or(seconds{});
  run.evaluate_every = asked.evaluate_every.value_or(0);
  run.checkpoint = asked.checkpoint.value_or(seconds{});
  run.checkpoint_every = asked.checkpoint_every.value_or(0);
  run.export_time = asked.export_time.value_or(seconds{});
  run.restart_by_size = !restart;
  run.start_by_size = run.restart_by_size && !asked.start_up;
  using readable::duration;
  if (!asked.start_up && !run.start_by_size)
    assumed.emplace_back("start of VMs and container",
                         duration(run.start) + ": with the first compilation what a restart takes");
  if (run.start_by_size)
    assumed.emplace_back("start of VMs and container",
                         start_words(run.start) +
                             ": with a usual first compilation what a restart takes, 9.8 to 11.4 min " +
                             "in one source of 2022 on 1 to 4 VMs; from 64 on the middle between that and the 15 and " +
                             "30 min after which another gives up");
  if (!asked.compilation)
    assumed.emplace_back("first compilation", duration(run.compilation) + ": " + duration(shortest_first_compilation) +
                                                  " to " + duration(longest_first_compilation) +
                                                  " in published logs of ResNet-50, longer for large models");
  return run;
}

/// How long a spot slice lasts, as a question says it; nothing: it does not. Worked: of "cautious" what such a market
/// has.
template <class Asked>
[[nodiscard]] maybe<seconds> spot_lasts(const Asked& asked) {
  if (asked.mean_time_between_preemptions) return *asked.mean_time_between_preemptions;
  return asked.market ? maybe<seconds>{typical_mean_time_between_preemptions(*asked.market)} : nothing;
}

/// What a belief of spot says, and what it rests on. Worked: "4.00 hours, from 15.0 min to 64.0 hours nine times of
/// ten: no count is published for v6e there".
[[nodiscard]] inline std::string lifetime_words(const mean_time_belief& belief, std::string_view because) {
  using readable::duration;
  return duration(quantile(belief, 0.5)) + ", from " + duration(quantile(belief, 0.05)) + " to " +
         duration(quantile(belief, 0.95)) + " nine times of ten: " + std::string(because);
}

/// What own slices are called where a belief rests on them. Worked: of 3 "3 slices of your own".
[[nodiscard]] inline std::string own_slices_words(const std::vector<own_lifetime>& own) {
  return std::to_string(own.size()) + (own.size() == 1 ? " slice of your own" : " slices of your own");
}
/// What is assumed of how long spot lasts on generations in places after slices of one's own: one entry for each belief
/// that this leaves. Worked: 19 preemptions in 28 h leave 1.53 h of v6e.
inline void assume_lifetimes_after(const std::vector<own_lifetime>& own, const std::vector<std::string>& chip_names,
                                   const std::vector<std::string>& places, assumed_values& assumed) {
  std::vector<std::pair<std::string, std::vector<std::string>>> said;  // each belief, and what it is of
  for (const std::string& chip : chip_names) {
    for (const std::string& place : places) {
      const lifetime_belief published = spot_lifetime(chip, place);
      const std::string words = lifetime_words(knowing(published.mean, seen_in(own)), own_slices_words(own));
      const bool is_there = published.of != nullptr && !published.of->place.empty();
      const std::string what = is_there ? chip + " in " + place : chip;
      auto at = std::find_if(said.begin(), said.end(), [&](const auto& one) { return one.first == words; });
      if (at == said.end()) at = said.insert(said.end(), {words, {}});
      if (std::find(at->second.begin(), at->second.end(), what) == at->second.end()) at->second.push_back(what);
    }
  }
  for (auto& [words, of] : said) {
    for (std::size_t i = 0; said.size() > 1 && i < of.size(); ++i) words += (i == 0 ? ", of " : ", ") + of[i];
    assumed.emplace_back(std::string(assumed_preemptions), words);
  }
}
/// What is assumed of how long spot lasts on generations in places: one entry for those of which nothing is published,
/// and one for each published count. Worked: of v5p in us-east5 and us two entries, 1.47 h and 4 h.
inline void assume_lifetimes(const std::vector<std::string>& chip_names, const std::vector<std::string>& places,
                             assumed_values& assumed) {
  std::string without;
  std::vector<std::string> said;
  const auto say = [&](const std::string& words) {
    if (std::find(said.begin(), said.end(), words) == said.end()) said.push_back(words);
  };
  for (const std::string& chip : chip_names) {
    bool is_unknown = false;
    for (const std::string& place : places) {
      const lifetime_belief belief = spot_lifetime(chip, place);
      is_unknown = is_unknown || belief.of == nullptr;
      if (belief.of != nullptr)
        say(lifetime_words(belief.mean, (belief.of->place.empty() ? "" : chip + " in ") + std::string(belief.because)));
    }
    if (is_unknown) without += (without.empty() ? "" : ", ") + chip;
  }
  if (!without.empty()) say(lifetime_words(spot_lifetime({}).mean, "no count is published for " + without + " there"));
  for (const std::string& words : said)
    assumed.emplace_back(std::string(assumed_preemptions), words + "; no source tells sizes of slices apart");
}

/// Why a run of that length cannot be had under a way of paying that has a price. Worked: in calendar mode it is
/// "longer than 90 days".
[[nodiscard]] inline std::string too_long_for(provisioning kind) {
  return kind == provisioning::calendar ? "longer than 90 days"
         : kind == provisioning::spot   ? "preempted faster than it gets on"
                                        : "longer than 7 days";
}
/// The same of a run on so many slices, which failing chips may interrupt faster than it gets on. Worked: 37 minutes on
/// 64 chips of which each fails once a second.
[[nodiscard]] inline std::string too_long_for(provisioning kind, std::int64_t slice_total, seconds run,
                                              payment_terms terms) {
  terms.mean_time_between_failures = seconds{0};
  return kind != provisioning::spot && can_be_paid(kind, slice_total, run, terms)
             ? "interrupted by failing chips faster than it gets on"
             : too_long_for(kind);
}
/// The ways of paying with a price under which a run cannot be had, and why, as what is left out. Worked: of 100 days
/// on v6e-32 in us calendar mode.
inline void say_what_is_too_short(const price_book& book, const slice& where, std::int64_t slice_total,
                                  std::string_view region, seconds run, const payment_terms& terms,
                                  std::vector<assumption>& said) {
  for (const provisioning kind : all_provisioning) {
    if (find_price(book, where, region, kind) && !can_be_paid(kind, slice_total, run, terms))
      said.push_back({"left out", std::string(name(kind)), "the run is " + too_long_for(kind, slice_total, run, terms)});
  }
}

namespace detail {
/// Refuses what is said of a way of paying that is not asked for, in a plan whose rows have none beside the chosen one.
template <class Asked>
void check_ways(const Asked& asked) {
  const auto has = [&](auto... kinds) {
    return std::any_of(asked.kinds.begin(), asked.kinds.end(),
                       [&](provisioning one) { return ((one == kinds) || ...); });
  };
  const auto refuse = [](bool given, const char* field, const char* valid) {
    if (given) fail(errc::invalid_argument, field, "given without effect", valid);
  };
  if (!has(provisioning::spot)) {
    const char* const valid = "with spot among the ways of paying";
    refuse(asked.mean_time_between_preemptions.has_value(), "mean_time_between_preemptions_s", valid);
    refuse(asked.market.has_value(), "market", valid);
    refuse(!asked.lifetimes.empty(), "lifetimes", valid);
  }
  if (!has(provisioning::spot, provisioning::flex_start))
    refuse(asked.queue_time.has_value(), "queue_time_s", "with spot or flex_start among the ways of paying");
  if (!has(provisioning::commitment_1y, provisioning::commitment_3y))
    refuse(asked.rest_of_term_used > 0, "rest_of_term_used", "with a commitment among the ways of paying");
}
}  // namespace detail

/// What is said of capacity by a question with the fields of `market_rows` and `wait_rows`, put into the terms, and how
/// long spot lasts, 0 for what is published; what is assumed of spot only where it counts, on these generations in
/// these places. Throws for a market beside a time between preemptions. Worked: with nothing said spot is waited for
/// 18 min.
template <class Asked>
void fill_capacity(const Asked& asked, bool spot_counts, const std::vector<std::string>& chip_names,
                   std::vector<std::string> places, payment_terms& terms, assumed_values& assumed) {
  if (!asked.zone.empty() && !detail::is_zone(asked.zone))
    detail::refuse_name("zone", asked.zone, "a zone such as us-east5-b");
  if (!asked.zone.empty()) places = {asked.zone};
  terms.spot.mean_time_between_preemptions = spot_lasts(asked).value_or(seconds{});
  if (asked.market && asked.mean_time_between_preemptions)
    detail::fail(errc::invalid_argument, "market", "given without effect",
                 "none beside mean_time_between_preemptions_s");
  if (!asked.lifetimes.empty() && spot_lasts(asked))
    detail::fail(errc::invalid_argument, "lifetimes", "given without effect",
                 "none beside mean_time_between_preemptions_s or market");
  terms.seen = seen_in(asked.lifetimes);
  if (spot_counts && !asked.lifetimes.empty()) assume_lifetimes_after(asked.lifetimes, chip_names, places, assumed);
  if (spot_counts && asked.lifetimes.empty() && !spot_lasts(asked)) assume_lifetimes(chip_names, places, assumed);
  terms.spot.restart_time = terms.flex_start.restart_time = asked.restart_time.value_or(spot_terms{}.restart_time);
  terms.spot.queue_time = asked.queue_time.value_or(usual_spot_wait);
  terms.flex_start.queue_time = asked.queue_time.value_or(seconds{});
  terms.rest_of_term_used = asked.rest_of_term_used;
  if (spot_counts && !asked.queue_time)
    assumed.emplace_back("the wait for a spot slice",
                         readable::duration(usual_spot_wait) + " each time: one source of 2026, v5p in us-east5-a");
  const std::optional<seconds> failing = asked.chip_time_between_failures;
  if (failing == published_chip_time_between_failures)
    assumed.emplace_back("a failure of one chip comes every",
                         readable::duration(*failing) +
                             ": a count of GPUs, as none of TPUs is published, nor how often maintenance stops one");
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::own_lifetime, lasted, preempted)
TPUPLAN_FIELDS(tpuplan::asked_phases, start_up, compilation, restore, evaluation, checkpoint, export_time,
               evaluate_every, checkpoint_every)

#endif
