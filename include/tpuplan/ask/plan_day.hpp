#ifndef TPUPLAN_ASK_PLAN_DAY_HPP
#define TPUPLAN_ASK_PLAN_DAY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/day.hpp>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <utility>
#include <vector>

/// @file
/// The question of the slices that serve a day of traffic: plan_day.

namespace tpuplan {
inline namespace abi_0 {

/// The limits of a plan of a day.
inline constexpr question_row day_limit_rows[] = {
    detail::row_named(limit_rows, "--objective"),        detail::row_named(limit_rows, "--generation"),
    detail::row_named(limit_rows, "--min-chips"),        detail::row_named(limit_rows, "--max-chips"),
    detail::row_named(limit_rows, "--accept-uncertain"), detail::row_named(hourly_rows, "--rows"),
};

/// Which slices serve the traffic of a day, and what does it take?
struct asked_plan_day {
  nlohmann::json config{};            ///< of the model
  serving_job job = usual_traffic();  ///< lengths, engine, and targets by percentile; the rate is that of the day
  /// @{
  /// Distributions of lengths, instead of the lengths of the job.
  std::optional<length_distribution> prompts{}, outputs{};
  /// @}
  serving_calibration constants{};  ///< of the serving estimates
  nlohmann::json calibration{};     ///< runs of the user's own, as tpuplan calibrate writes them; nothing: none
  prefill_policy prefill = prefill_policy::mixed;                ///< where prompts are computed
  traffic_over_day traffic{};                                    ///< rates or a trace, and how slices follow them
  objective best = objective::cheapest;                          ///< or fewest_chips, of the busiest part
  std::vector<std::string> generations{};                        ///< names of the chips to consider; none: all chips
  std::int64_t smallest_chips = 1;                               ///< the fewest chips of the busiest part
  std::int64_t largest_chips = serving_request{}.largest_chips;  ///< the most
  bool accept_uncertain = false;                                 ///< also slices that may not fit
  std::int64_t most_plans = 8;                                   ///< slices that are compared over the day
  std::string region = "us";                                     ///< where it is paid for
  nlohmann::json prices{};                                       ///< a price file; nothing: the built-in prices
};

/// What a day takes of one kind of slice.
struct day_plan_row {
  std::int64_t rank = 0;  ///< position in the list; 1 is the best
  std::string slice{};    ///< "v6e-8"
  std::string replica{};  ///< the devices of a replica
  serving_layout mesh{};  ///< of a replica
  /// @{
  /// Of the busiest part, over all slices.
  std::int64_t slices = 0, chips = 0;
  /// @}
  per_second slice_rate{};  ///< the largest rate at which a slice keeps the targets
  /// @{
  /// Chip-hours of slices that each part needs in the long run, of a fixed fleet, and of the first way of paying.
  double ideal_chip_hours = 0, fixed_chip_hours = 0, chip_hours = 0;
  /// @}
  payment_mix mix{};               ///< the first way of paying: of those that keep the targets the cheapest
  usd cost{};                      ///< of the day, under that
  bool is_simulated = false;       ///< else the cost is that of the cheapest way, whatever it keeps
  bool meets_targets = false;      ///< over the day
  std::int64_t missed_parts = 0;   ///< parts of the day whose own first tokens are later than the target
  time_percentiles first_token{};  ///< of all requests of the day
  time_percentiles per_token{};    ///< of all requests of the day
};

/// Slices for a day, and why the others are none of them.
struct plan_day_document {
  std::string model{};                   ///< its name
  std::vector<day_plan_row> plans{};     ///< best first: those that keep the targets, those not simulated, others
  std::vector<lost_servers_row> lost{};  ///< the others, by reason
  std::vector<rejected_server_row> rejected{};  ///< and slice by slice
  objective best = objective::cheapest;         ///< as asked
  std::optional<day_document> first{};  ///< the day on the first; dearer ways than its first one are not simulated
  latency_targets targets{};            ///< by percentile
  traffic_day day{};                    ///< the traffic
  std::vector<assumption> assumed{};    ///< what was taken for granted
};

namespace detail {

/// The work of days, counted as that of a day's mixes, after which no further way of paying for one is simulated: about
/// a second, and four where none keeps the targets yet.
inline constexpr std::int64_t most_work_of_days = 30000000;

/// The slices of a plan for the busiest part that are looked at, however few are shown.
inline constexpr std::int64_t looked_at_for_a_day = 24;

/// The search of a plan of a day: the layouts are those of a plan for its busiest part.
class day_search {
 public:
  day_search(const model_config& config, const asked_plan_day& asked, const price_book& book)
      : config_{config}, asked_{asked}, book_{book} {
    check();
    all_.model = config.model.name.view();
    all_.best = asked.best, all_.targets = asked.job.percentiles, all_.day = rates_of(asked.traffic);
  }

  [[nodiscard]] plan_day_document answer() {
    const serving_request request = busiest();
    const serving_plan_answer peak = plan_serving(request);
    lost_ = peak.rejected;
    for (const serving_plan& one : peak.plans) add(one);
    simulate();
    rank();
    leave_out(request);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      all_.plans.push_back(found_[i].row);
      all_.plans.back().rank = static_cast<std::int64_t>(i) + 1;
    }
    if (!found_.empty()) all_.first = first_of(found_.front());
    detail::add_lost_servers(all_, lost_, request.best);
    assumed_values said = {
        {"slices", "those of a plan for the busiest part, each with the replicas that are best there"}};
    if (is_cut_)
      said.emplace_back("not simulated",
                        "ways of paying behind those that were: they would take longer than one answer may");
    all_.assumed = all_.first ? all_.first->assumed : all_assumed(config_, {});
    for (const auto& [field, value] : said) all_.assumed.push_back({field, value, std::string(not_given)});
    return std::move(all_);
  }

 private:
  struct found_day {
    day_plan_row row{};
    serving_plan at_peak{};
    day_answer day{};
  };

  void check() const {
    check_job_of_day(asked_.job);
    if (asked_.job.ttft_target.value() > 0 || asked_.job.tpot_target.value() > 0)
      fail(errc::invalid_argument, asked_.job.ttft_target.value() > 0 ? "job.ttft_target_s" : "job.tpot_target_s",
           "given for a day", "targets by percentile");
    if (asked_.best == objective::fastest)
      fail(errc::invalid_argument, "best", name(asked_.best), "cheapest or fewest_chips: a day has its targets");
    expect_region(book_, asked_.region);
  }
  /// What is asked of a plan for the busiest part.
  [[nodiscard]] serving_request busiest() const {
    asked_serving_plan plan;
    plan.job = job_over(asked_), plan.prompts = asked_.prompts, plan.outputs = asked_.outputs;
    plan.constants = asked_.constants;
    for (const per_second rate : all_.day.rates) plan.job.request_rate = max(plan.job.request_rate, rate);
    plan.best = asked_.best, plan.regions = {asked_.region}, plan.generations = asked_.generations;
    plan.kinds = {provisioning::on_demand, provisioning::spot};
    plan.smallest_chips = asked_.smallest_chips, plan.largest_chips = asked_.largest_chips;
    plan.accept_uncertain = asked_.accept_uncertain;
    plan.most_plans = std::max(positive_count("most_plans", asked_.most_plans), looked_at_for_a_day);
    serving_request request = request_of(config_, plan, book_);
    request.drawn.observed = observed_of(asked_.traffic.trace);
    return request;
  }
  [[nodiscard]] asked_day asked_of(const found_day& one) const {
    asked_day day;
    day.slice = one.row.slice, day.mesh = one.row.mesh, day.job = asked_.job, day.constants = asked_.constants;
    day.prompts = asked_.prompts, day.outputs = asked_.outputs;
    if (!has_peak_rate(one.at_peak.where.chip, day.job.activations)) day.job.activations = dtype::bf16;
    day.prefill = asked_.prefill, day.traffic = asked_.traffic, day.region = asked_.region;
    return day;
  }
  /// What `day` says of the first, with its autoscaler where it is asked for.
  [[nodiscard]] day_document first_of(found_day& one) const {
    const asked_day asked = asked_of(one);
    const day_request request = request_of(config_, asked, book_);
    if (request.find_threshold) one.day.autoscaler = autoscaler_of(request, one.day.fixed, one.day.slice_rate);
    return document_of_day(config_, asked, request, std::move(one.day));
  }
  /// The slice, its day priced; among the rejected ones where no rate keeps the targets, or it has no price.
  void add(const serving_plan& planned) {
    found_day one;
    one.at_peak = planned;
    one.row.slice = std::string(name(planned.where).view());
    one.row.replica = replica_words(planned.mesh), one.row.mesh = planned.mesh;
    one.day = ways_of_day(request_of(config_, asked_of(one), book_));
    if (one.day.options.empty()) {
      const bool late = one.day.slice_rate.value() == 0;
      lost_.push_back({planned.where, late ? serving_rejection::misses_target : serving_rejection::no_price, 0, {}});
      return;
    }
    fill(one);
    found_.push_back(std::move(one));
  }
  /// The figures of the row, of the first way of paying.
  void fill(found_day& one) const {
    const auto each = static_cast<double>(chips(one.at_peak.where));
    const double hours = static_cast<double>(all_.day.rates.size()) * all_.day.part.value() / 3600;
    const day_option& first = one.day.options.front();
    day_plan_row& row = one.row;
    row.slices = one.day.fixed, row.chips = checked_multiply(chips(one.at_peak.where), row.slices);
    row.slice_rate = one.day.slice_rate;
    row.ideal_chip_hours = one.day.ideal_slice_hours * each;
    row.fixed_chip_hours = static_cast<double>(row.slices) * hours * each;
    row.chip_hours = first.slice_hours * each;
    row.mix = first.mix, row.cost = first.cost;
    row.is_simulated = !first.parts.empty(), row.meets_targets = first.meets_targets;
    row.missed_parts = missed_parts(first.parts, asked_.job.percentiles.first_token);
    row.first_token = first.first_token, row.per_token = first.per_token;
  }
  /// Those that keep the targets, those that are not simulated, and those that do not; each by what is best.
  void rank() {
    rank_in_order(found_, [&](const found_day& one) {
      const rank_figures by = figures_of(one.row, one.row.cost);
      return rank_figures{one.row.meets_targets ? 0.0 : one.row.is_simulated ? 2.0 : 1.0, by[0], by[1]};
    });
  }
  /// Simulates the ways of paying for all slices, the best of all first: until one keeps the targets, and from there
  /// on, for further rows, those of slices of which none does yet, as far as the work goes.
  void simulate() {
    struct way {
      std::size_t slice = 0, option = 0;
    };
    std::vector<way> ways;
    for (std::size_t i = 0; i < found_.size(); ++i)
      for (std::size_t k = 0; k < found_[i].day.options.size(); ++k) ways.push_back({i, k});
    rank_in_order(ways, [&](const way& one) {
      const found_day& of = found_[one.slice];
      return figures_of(of.row, of.day.options[one.option].cost);
    });
    std::int64_t work = 0, last = 0;
    std::int64_t kept = 0;
    for (const way& one : ways) {
      found_day& of = found_[one.slice];
      if (of.row.meets_targets || kept == asked_.most_plans) continue;
      if (work + last > most_work_of_days * (kept > 0 ? 1 : 4)) {
        is_cut_ = true;
        break;
      }
      day_option& option = of.day.options[one.option];
      work += last = simulate_option(option, of.day, request_of(config_, asked_of(of), book_));
      of.row.meets_targets = option.meets_targets;
      if (option.meets_targets) ++kept;
    }
    for (found_day& one : found_) {
      rank_ways(one.day.options);
      fill(one);
    }
  }
  /// The way that keeps the targets comes first, then those not simulated; each kind by cost.
  static void rank_ways(std::vector<day_option>& options) {
    rank_in_order(options, [](const day_option& one) {
      return rank_figures{one.meets_targets ? 0.0 : one.parts.empty() ? 1.0 : 2.0, one.cost.value()};
    });
  }
  [[nodiscard]] rank_figures figures_of(const day_plan_row& row, usd cost) const {
    const auto chips_of_it = static_cast<double>(row.chips);
    return asked_.best == objective::fewest_chips ? rank_figures{chips_of_it, cost.value()}
                                                  : rank_figures{cost.value(), chips_of_it};
  }
  /// Those beyond the rows that are shown lost, by what they cost over the day for each hour of it, as the first is
  /// paid for, or by chips.
  void leave_out(const serving_request& request) {
    const auto shown = static_cast<std::size_t>(asked_.most_plans);
    const double hours = static_cast<double>(all_.day.rates.size()) * all_.day.part.value() / 3600;
    const auto compared = [&](const day_plan_row& row) {
      return asked_.best == objective::fewest_chips ? static_cast<double>(row.chips) : row.cost.value() / hours;
    };
    while (found_.size() > shown) {
      const double behind = compared(found_.back().row) - compared(found_.front().row);
      lost_.push_back({found_.back().at_peak.where, serving_rejection::dominated, std::max(0.0, behind),
                       text<32>{unit_of(serving_rejection::dominated, request)}});
      found_.pop_back();
    }
  }

  const model_config& config_;
  const asked_plan_day& asked_;
  const price_book& book_;
  plan_day_document all_{};
  std::vector<rejected_server> lost_{};
  std::vector<found_day> found_{};
  bool is_cut_ = false;  // dearer ways of paying are not simulated
};

}  // namespace detail

/// The slices that serve a day of traffic: those that a plan for its busiest part has, each with what the question
/// `day` says of it. The ways of paying for all of them are simulated from the cheapest on until one keeps the targets:
/// the first plan. Further rows are those of slices that keep them next, as far as a second goes. Throws, naming the
/// field, as `day` and `plan_serving` do, and for `fastest`. Worked: at one request a second for a day the first plan
/// of Llama 3.1 8B has one slice.
[[nodiscard]] inline plan_day_document answer_to_plan_day(const model_config& config, const asked_plan_day& asked,
                                                          const price_book& book) {
  return detail::day_search{config, asked, book}.answer();
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::asked_plan_day, config, job, prompts, outputs, constants, calibration, prefill, traffic, best,
               generations, smallest_chips, largest_chips, accept_uncertain, most_plans, region, prices)
TPUPLAN_FIELDS(tpuplan::day_plan_row, rank, slice, replica, mesh, slices, chips, slice_rate, ideal_chip_hours,
               fixed_chip_hours, chip_hours, mix, cost, is_simulated, meets_targets, missed_parts, first_token,
               per_token)
TPUPLAN_FIELDS(tpuplan::plan_day_document, model, plans, lost, rejected, best, first, targets, day, assumed)

#endif
