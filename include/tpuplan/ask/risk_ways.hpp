#ifndef TPUPLAN_ASK_RISK_WAYS_HPP
#define TPUPLAN_ASK_RISK_WAYS_HPP

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <tpuplan/ask/places.hpp>
#include <tpuplan/ask/train_generation.hpp>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/base/date.hpp>
#include <tpuplan/launch/request.hpp>
#include <tpuplan/parallel/open_layout.hpp>
#include <tpuplan/plan/chance.hpp>
#include <tpuplan/risk/outlook.hpp>
#include <utility>
#include <vector>

/// @file
/// What the question risk asks and answers, and the ways to pay for its run.

namespace tpuplan {
inline namespace abi_0 {

/// By when, for how much, with what chance?
struct risk_request {
  /// @{
  /// The model, slice, job and layout, as in train_request, and the tokens of the run.
  nlohmann::json config{};
  std::string slice{};
  training_job job{};
  std::int64_t batch_tokens = 0;
  layout mesh = open_layout();
  nlohmann::json calibration{};  ///< runs of the user's own, as tpuplan calibrate writes them; nothing: none
  double tokens = 0;
  /// Of a network of layers, with a job as network_job has it, and of images or clips, with job, layout and slices as
  /// train_generation has them: the run in examples instead of tokens, and what else these take.
  data_set data{};
  std::optional<example_cost> input{};
  std::vector<std::string> sizes{};
  std::int64_t frames = 0, text_tokens = 0, slices = 1;
  std::optional<context_exchange> exchange{};
  std::string region = "us";                    ///< where it is paid for
  nlohmann::json prices{};                      ///< a price file; nothing: the built-in prices
  std::optional<tpuplan::provisioning> kind{};  ///< way of paying; nothing: the one with the best chance
  std::string by{};                             ///< "2026-12-31": to be done before the end of that day, needs start
  std::string start{};                          ///< "2026-12-01": when capacity is asked for, at the day's beginning
  std::optional<seconds> deadline{};            ///< time from start to end, instead of dates
  std::optional<usd> budget{};                  ///< dollars for all that is billed
  std::string zone{};                           ///< of the slice: a count of preemptions there is used where published
  std::optional<seconds> mean_time_between_preemptions{};  ///< of one slice, if it is known
  std::vector<own_lifetime> lifetimes{};                   ///< of one's own spot slices
  std::optional<seconds> queue_time{};    ///< mean wait for capacity, each time; nothing: the usual one
  std::optional<seconds> restart_time{};  ///< paid, from new capacity to the next step
  seconds chip_time_between_failures = published_chip_time_between_failures;  ///< of one chip, in all ways of paying
  asked_phases around{};                                                      ///< of the run, besides its steps
  bool on_demand_in_time = false;            ///< spot goes on on demand at the last moment
  std::optional<seconds> on_demand_after{};  ///< spot goes on on demand after that long
  std::int64_t spare_slices = 0;             ///< slices that wait to take over
  bool elastic = false;                      ///< goes on without a lost slice until it is back
  double rest_of_term_used = 0;              ///< share of a commitment's other hours that other work uses, 0 to 1
  std::int64_t runs = usual_played_runs;     ///< runs that are played
  std::int64_t seed = 1;                     ///< of their random numbers
  /// @}
};
/// By when and for how much.
inline constexpr question_row risk_rows[] = {
    rows::words("by", "--by", "By", "date by whose end it is to be done: 2026-12-31; needs a start"),
    rows::words("start", "--start", "Start", "date on which capacity is asked for: 2026-12-01"),
    rows::time("deadline_s", "--deadline", "Deadline", "time from start to end: 30d").not_with("--by"),
    rows::dollars("budget_usd", "--budget", "Budget", "dollars for all that is billed: 500k"),
    rows::choice("kind", "--provisioning", "Way of paying", payment_choices, payment_choices.valid)
        .usually("the one with the best chance"),
    rows::words("zone", "--zone", "Zone",
                "of the slice: the prices of its region, and preemptions as they are published there")
        .not_with("--mtbp"),
    rows::time("mean_time_between_preemptions_s", "--mtbp", "Time between preemptions",
               "mean time between preemptions of one slice, if you know yours")
        .within(1e-3, 1e12),
    detail::row_named(market_rows, "--lifetimes").not_with("--mtbp"),
    rows::flag("on_demand_in_time", "--on-demand-in-time", "true",
               "spot goes on on demand at the last moment from which it is done in time"),
    rows::time("on_demand_after_s", "--on-demand-after", "On demand after",
               "spot goes on on demand at the first stop after that long: 7d")
        .within(0, 3.2e9),
    rows::count("spare_slices", "--spare", "Spare slices", "slices", "paid for, and ready to take a lost one's place")
        .within(1, 1024)
        .not_with("--elastic"),
    rows::flag("elastic", "--elastic", "true", "goes on in the process without a lost slice until it is back"),
    rows::count("runs", "--runs", "Runs", "runs", "that are played").within(100, 1e5).usually("2000"),
    rows::count("seed", "--seed", "Seed", "", "of their random numbers").within(1, 9e15).usually("1"),
};

/// A way to do the run, and its chances.
struct risk_way {
  /// @{
  /// How it is paid for, and what is done about stops, in words: "on demand at the last moment".
  provisioning kind{};
  std::string policy{};
  double chance_in_time = 1, chance_in_budget = 1, chance_of_both = 1;
  /// Times and dollars that half and nine of ten runs do not exceed; nothing: fewer runs end.
  std::optional<seconds> wall_p50{}, wall_p90{};
  std::optional<usd> cost_p50{}, cost_p90{};
  double stops = 0;         ///< preemptions and failures of a run, in the mean
  double switched = 0;      ///< share of runs that go on on demand
  price_row price{};        ///< the row that its rate is of
  bool superseded = false;  ///< that price is older than an announced change
  /// @}
};
/// A change, and the chances with it.
struct risk_change {
  /// @{
  /// What is changed, in words, how a plan lays the job out there where other slices are the change, and what the
  /// chances are then.
  std::string change{}, laid_out{};
  double chance_in_time = 1, chance_in_budget = 1, chance_of_both = 1;
  std::optional<seconds> wall_p90{};
  std::optional<usd> cost_p90{};
  price_row price{};  // the row that its rate is of
  /// @}
};
/// The chances of a run.
struct risk_answer {
  /// @{
  /// Chances of the run as asked, and what half and nine of ten runs take and cost at most; nothing: fewer end.
  double chance_in_time = 1, chance_in_budget = 1, chance_of_both = 1, chance_to_end = 1;
  std::optional<seconds> wall_p10{}, wall_p50{}, wall_p90{};
  std::optional<usd> cost_p10{}, cost_p50{}, cost_p90{};
  std::string done_p50{}, done_p90{};  ///< the dates by which half and nine of ten are done; empty: without a start
  std::string slice{};
  std::int64_t slices = 1, chips = 0;
  std::string region{};
  provisioning kind{};        ///< way of paying, as asked or with the best chance
  bool superseded = false;    ///< its price is older than an announced change
  std::string policy{};       ///< what is done about stops
  std::string start{}, by{};  ///< as asked
  std::optional<seconds> deadline{};
  std::optional<usd> budget{};
  seconds run{}, run_low{}, run_high{};   ///< useful time of all steps, and the ends of its band
  verdict fits{};                         ///< whether the job fits
  bytes used{};                           ///< of a device: the estimate
  bytes usable{};                         ///< of a device: what a program may use
  std::optional<double> chance_to_fit{};  ///< of a language model, as fit has it
  seconds checkpoint_interval{};          ///< useful time between two checkpoints
  /// Mean time between preemptions of one slice, as believed, and between failures of the job: median and ends of nine
  /// of ten. Nothing: capacity is not taken away.
  std::optional<seconds> preempted_every{}, preempted_every_low{}, preempted_every_high{};
  seconds fails_every{}, fails_every_low{}, fails_every_high{};
  std::vector<risk_way> ways{};        ///< one row for each way of paying, the best chance first
  std::vector<risk_change> changes{};  ///< changes that raise the chance, most first
  std::vector<seconds> walls{};        ///< at 1 %, 2 % … 99 % of the runs, as far as they end
  std::vector<usd> costs{};            ///< the same of dollars
  std::vector<assumption> assumed{};
  std::string model{};
  /// @}
};

/// A run on its slices, whatever is trained.
struct placed_run {
  slice where{};                          ///< each of the slices
  std::int64_t slices = 1;                ///< how many of them
  run_range run{};                        ///< useful time of all steps, and the ends of its band
  payment_terms terms{};                  ///< the run besides its steps, and how capacity waits and fails
  verdict fits{};                         ///< whether a step does
  bytes used{};                           ///< of a device: the estimate
  bytes usable{};                         ///< of a device: what a program may use
  std::optional<double> chance_to_fit{};  ///< of a language model
  std::string model{};                    ///< its name
  std::vector<assumption> assumed{};      ///< of the model and the question
  /// The same run on that many chips of the generation, in its best layout; null: other numbers are not looked at.
  std::function<std::optional<placed_run>(provisioning, std::int64_t)> on_chips{};
  std::string laid_out{};  ///< layout, remat policy and microbatches, where a plan chose them
};

namespace detail {

/// What one spot slice is believed to last.
[[nodiscard]] inline mean_time_belief lifetime_of(const risk_request& asked, const slice& where,
                                                  assumed_values& assumed) {
  if (!asked.zone.empty() && !is_zone(asked.zone)) refuse_name("zone", asked.zone, "a zone such as us-east5-b");
  if (asked.mean_time_between_preemptions) {
    if (!asked.lifetimes.empty())
      fail(errc::invalid_argument, "lifetimes", "given without effect", "none beside mean_time_between_preemptions_s");
    return believed_within(*asked.mean_time_between_preemptions, 1);
  }
  const lifetime_belief published = spot_lifetime(where.chip.name, asked.zone.empty() ? asked.region : asked.zone);
  const mean_time_belief belief = knowing(published.mean, seen_in(asked.lifetimes));
  const std::string own = own_slices_words(asked.lifetimes);
  assumed.emplace_back(
      std::string(assumed_preemptions),
      lifetime_words(belief, asked.lifetimes.empty() ? published.because.view() : std::string_view(own)));
  return belief;
}

/// The terms of the run, as train and a plan have them, but for how long spot lasts.
[[nodiscard]] inline payment_terms terms_of(const risk_request& asked, const placed_job& all, seconds step,
                                            assumed_values& assumed) {
  train_request run;
  run.tokens = asked.tokens;
  run.queue_time = asked.queue_time;
  run.restart_time = asked.restart_time;
  run.chip_time_between_failures = asked.chip_time_between_failures;
  run.rest_of_term_used = asked.rest_of_term_used;
  run.around = asked.around;
  const bool spot = !asked.kind || asked.kind == provisioning::spot;
  const run_phases phases = tpuplan::phases_of(all, run, step, assumed);
  return tpuplan::terms_of(all, run, phases, assumed, spot);
}

[[nodiscard]] inline risk_policy policy_of(const risk_request& asked) {
  risk_policy policy;
  policy.on_demand_in_time = asked.on_demand_in_time;
  if (asked.on_demand_after) policy.on_demand_after = *asked.on_demand_after;
  policy.spare_slices = asked.spare_slices;
  policy.elastic = asked.elastic;
  return policy;
}
/// The policy of the question where it has an effect: what is done about preemptions is of spot.
[[nodiscard]] inline risk_policy policy_for(const risk_request& asked, provisioning kind) {
  risk_policy policy = policy_of(asked);
  if (kind == provisioning::spot) return policy;
  policy.on_demand_in_time = false;
  policy.on_demand_after = nothing;
  return policy;
}
/// A policy in words. Worked: one of nothing is "starts again".
[[nodiscard]] inline std::string policy_words(const risk_policy& policy) {
  std::string words = policy.elastic ? "elastic" : "starts again";
  if (policy.spare_slices > 0)
    words += ", " + std::to_string(policy.spare_slices) + (policy.spare_slices == 1 ? " spare slice" : " spare slices");
  if (policy.on_demand_in_time) words += ", on demand at the last moment";
  if (policy.on_demand_after) words += ", on demand after " + readable::duration(*policy.on_demand_after);
  return words;
}

/// The runs that a question plays. Rows that meet the same runs, such as those of two prices or two budgets, share
/// them.
class runs_of_a_question {
 public:
  /// The runs of a job under a policy; the deadline counts where the policy looks at it.
  [[nodiscard]] const std::vector<played_run>& of(const run_at_risk& job, const risk_policy& policy, risk_limits limits,
                                                  const risk_request& asked) {
    limits.budget = nothing;
    if (!policy.on_demand_in_time) limits.deadline = nothing;
    for (const entry& one : entries_) {
      if (one.job == job && one.policy == policy && one.limits == limits) return one.played;
    }
    std::vector<played_run> played = policy.on_demand_after
                                         ? runs_until(*policy.on_demand_after, job, policy, limits, asked)
                                         : played_runs(job, limits, policy, asked.runs, asked.seed);
    entries_.push_back({job, policy, limits, std::move(played)});
    return entries_.back().played;
  }

 private:
  /// The runs of a policy that goes on on demand after that long: those that end before are as without it.
  [[nodiscard]] std::vector<played_run> runs_until(seconds after, const run_at_risk& job, const risk_policy& policy,
                                                   const risk_limits& limits, const risk_request& asked) {
    risk_policy stays = policy;
    stays.on_demand_after = nothing;
    std::vector<played_run> played = of(job, stays, limits, asked);
    for (std::int64_t n = 1; n <= asked.runs; ++n) {
      played_run& run = played[static_cast<std::size_t>(n - 1)];
      if (!run.ended || run.wall >= after) run = play_valid(job, limits, policy, {asked.seed, n, asked.runs});
    }
    return played;
  }
  struct entry {
    run_at_risk job{};
    risk_policy policy{};
    risk_limits limits{};
    std::vector<played_run> played{};
  };
  std::list<entry> entries_{};
};

/// Everything that is the same for all ways of paying.
struct risk_subject {
  const risk_request& asked;
  const placed_run& of;
  const price_book& book;
  std::string_view region{};
  mean_time_belief lifetime{};
  risk_limits limits{};
  runs_of_a_question& played;

  [[nodiscard]] run_at_risk under(provisioning kind) const {
    return at_risk(of.run, kind, of.where, of.slices, of.terms, lifetime);
  }
};

/// The prices of all chips under a way of paying, spare slices included; nothing where it has none.
[[nodiscard]] inline std::optional<std::pair<risk_prices, price_row>> risk_prices_of(const risk_subject& about,
                                                                                     provisioning kind,
                                                                                     const risk_policy& policy) {
  const maybe<price_row> found = find_price(about.book, about.of.where, about.region, kind);
  if (!found) return std::nullopt;
  const std::int64_t slice_total = about.of.slices;
  risk_prices prices;
  prices.rate = rate(found->per_chip, chips_of(about.of.where, checked_add(slice_total, policy.spare_slices)));
  prices.kind = kind;
  prices.rest_of_term_used = about.asked.rest_of_term_used;
  if (const maybe<price_row> other = find_price(about.book, about.of.where, about.region, provisioning::on_demand))
    prices.on_demand = rate(other->per_chip, chips_of(about.of.where, slice_total));
  return std::make_pair(prices, *found);
}

/// The outlook of a way of paying with a policy; nothing where it has no price, or cannot be had for so long.
[[nodiscard]] inline std::optional<run_outlook> outlook_of_way(const risk_subject& about, provisioning kind,
                                                               const risk_policy& policy, const risk_limits& limits) {
  const auto prices = risk_prices_of(about, kind, policy);
  if (!prices) return std::nullopt;
  if (kind == provisioning::calendar && !can_be_paid(kind, about.of.slices, about.of.run.expected, about.of.terms))
    return std::nullopt;  // as pay and a plan have it; one that outlasts its window by bad luck does not end
  const run_at_risk job = about.under(kind);
  if (job.longest_piece && *job.longest_piece <= job.restart_time + job.start_up + job.checkpoint_time)
    return std::nullopt;  // which leaves no time for steps
  if ((policy.on_demand_in_time || policy.on_demand_after) && !prices->first.on_demand) return std::nullopt;
  check_outlook(job, prices->first, limits, policy, about.asked.runs);
  return outlook_of_runs(about.played.of(job, policy, limits, about.asked), prices->first, limits);
}

/// The row of a way of paying.
[[nodiscard]] inline risk_way way_of(provisioning kind, const risk_policy& policy, const run_outlook& seen,
                                     const price_row& price) {
  return {kind,
          policy_words(policy),
          seen.chance_in_time,
          seen.chance_in_budget,
          seen.chance_of_both,
          seen.wall_p50,
          seen.wall_p90,
          seen.cost_p50,
          seen.cost_p90,
          seen.stops,
          seen.switched,
          price,
          is_before_announced_change(price)};
}
/// The greater chance of both limits, then fewer dollars. A price that is older than an announced change counts as a
/// chance of 5 points less: it does not come first in silence.
[[nodiscard]] inline bool is_surer(const risk_way& a, const risk_way& b) {
  const auto chance = [](const risk_way& one) { return one.chance_of_both - (one.superseded ? 0.05 : 0); };
  if (chance(a) != chance(b)) return chance(a) > chance(b);
  if (a.cost_p50 != b.cost_p50) return a.cost_p50 && (!b.cost_p50 || *a.cost_p50 < *b.cost_p50);
  return a.kind < b.kind;
}

/// The ways of paying, each with the policy that was asked for where it may be stopped by preemptions.
[[nodiscard]] inline std::vector<risk_way> ways_of(const risk_subject& about) {
  std::vector<risk_way> ways;
  for (const provisioning kind : all_provisioning) {
    const risk_policy policy = policy_for(about.asked, kind);
    const auto seen = outlook_of_way(about, kind, policy, about.limits);
    if (!seen) continue;
    ways.push_back(way_of(kind, policy, *seen, risk_prices_of(about, kind, policy)->second));
  }
  std::sort(ways.begin(), ways.end(), is_surer);
  return ways;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::risk_request, config, slice, job, batch_tokens, mesh, calibration, tokens, data, input, sizes,
               frames, text_tokens, slices, exchange, region, prices, kind, by, start, deadline, budget, zone,
               mean_time_between_preemptions, lifetimes, queue_time, restart_time, chip_time_between_failures, around,
               on_demand_in_time, on_demand_after, spare_slices, elastic, rest_of_term_used, runs, seed)
TPUPLAN_FIELDS(tpuplan::risk_way, kind, policy, chance_in_time, chance_in_budget, chance_of_both, wall_p50, wall_p90,
               cost_p50, cost_p90, stops, switched, price, superseded)
TPUPLAN_FIELDS(tpuplan::risk_change, change, laid_out, chance_in_time, chance_in_budget, chance_of_both, wall_p90,
               cost_p90, price)
TPUPLAN_FIELDS(tpuplan::risk_answer, chance_in_time, chance_in_budget, chance_of_both, chance_to_end, wall_p10,
               wall_p50, wall_p90, cost_p10, cost_p50, cost_p90, done_p50, done_p90, slice, slices, chips, region, kind,
               superseded, policy, start, by, deadline, budget, run, run_low, run_high, fits, used, usable,
               chance_to_fit, checkpoint_interval, preempted_every, preempted_every_low, preempted_every_high,
               fails_every, fails_every_low, fails_every_high, ways, changes, walls, costs, assumed, model)

#endif
