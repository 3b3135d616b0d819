#ifndef TPUPLAN_ASK_ROUTED_SEARCH_HPP
#define TPUPLAN_ASK_ROUTED_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/plan_traffic.hpp>
#include <tpuplan/ask/simulation.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <utility>
#include <vector>

/// @file
/// The search behind a plan for conversations and a router: which slices, in which layout, and how many of them.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The plans of a request for conversations or behind a router. The flat search, in which each replica has a random
/// share of the requests and finds all of a prompt that came before, says which slices are tried, and with how many of
/// them; then those of `slices_simulated` are simulated, as simulate does.
class routed_search {
 public:
  routed_search(const serving_request& request, const serving_job& asked, const planned_traffic& traffic)
      : request_{request}, asked_{asked}, traffic_{traffic}, routing_{traffic.routing} {
    check();
    if (traffic.host_cache_gib > 0) keep_hosts();
    if (have_prefixes(traffic.sessions)) take_whole_prompts();
  }
  /// The request of the flat search, with whole prompts.
  [[nodiscard]] const serving_request& request() const { return request_; }

  [[nodiscard]] routed_plans plans() {
    routed_plans all;
    std::vector<found_plan> found;
    serving_request flat = request_;
    flat.most_plans = std::max(request_.most_plans, usual_rows) + 2;  // the first plan is the same of fewer rows
    serving_plan_answer first = plan_serving(flat);
    decide(first.plans, found, all);
    if (const std::size_t tried = first.plans.size(); found.empty() && tried == flat.most_plans) {
      flat.most_plans = 0;  // none of the cheapest does it: all
      first = plan_serving(flat);
      all.answer.rejected.clear();
      decide(first.plans, found, all);
    }
    if (found.empty() && too_long_) throw error(*too_long_);
    rank(found, all);
    add_rest(first, all.answer);
    all.answer.candidates = first.candidates + candidates_;
    return all;
  }

 private:
  struct found_plan {
    serving_plan planned{};
    planned_router fleet{};
    rank_figures worth{};
    double work = 0;  // of its simulation
  };
  struct tried_fleet {
    std::int64_t slices = 0, part = 0;  // of the plan, and those that were simulated
    std::optional<request_routing> routing{};
    simulate_answer answer{};
    bool holds = false;
    double work = 0;
  };

  void decide(const std::vector<serving_plan>& plans, std::vector<found_plan>& found, routed_plans& all) {
    for (const serving_plan& one : plans) {
      rejected_server closest{one.where, serving_rejection::misses_target, 0, {}};
      if (std::optional<found_plan> decided = decide(one, closest, all.routers)) {
        found.push_back(std::move(*decided));
        is_first_ = false;
      } else {
        if (closest.amount > 0) closest.unit = unit_of(closest.why, request_);
        all.answer.rejected.push_back(closest);
      }
    }
  }
  /// Leaves out chips whose hosts cannot hold a cache.
  void keep_hosts() {
    std::vector<std::string>& names = request_.generations;
    const std::string last = names.empty() ? std::string() : names.back();
    const auto is_unknown = [](const std::string& one) { return !chip_for(one).host.pcie.has_value(); };
    names.erase(std::remove_if(names.begin(), names.end(), is_unknown), names.end());
    if (names.empty())
      fail(errc::unknown_figure, "host_cache_gib", traffic_.host_cache_gib,
           "0 where no source states the rate between chips and hosts, as of " + last);
  }
  void check() const {
    if (traffic_.host_cache_gib > 0 && !have_prefixes(traffic_.sessions))
      fail(errc::invalid_argument, "host_cache_gib", traffic_.host_cache_gib,
           "0 without conversations or a shared prefix");
    if (asked_.request_rate.value() <= 0)
      fail(errc::missing_field, "job.request_rate_per_s", "missing",
           "requests a second, for conversations or a router");
    if (asked_.ttft_target.value() > 0)
      fail(errc::invalid_argument, "job.ttft_target_s", asked_.ttft_target.value(),
           "a target by percentile beside conversations or a router, which are simulated");
    if (asked_.tpot_target.value() > 0)
      fail(errc::invalid_argument, "job.tpot_target_s", asked_.tpot_target.value(),
           "a target by percentile beside conversations or a router, which are simulated");
    if (request_.job.shared_beside.value() > 0)
      fail(errc::unsupported, "adapters", "given", "none beside conversations or a router");
    if (traffic_.routing == request_routing::prefix && !have_prefixes(traffic_.sessions))
      fail(errc::missing_field, "sessions.turns", "missing", "conversations or a shared prefix, to route by prefix");
    validate(traffic_.sessions);
    if (!have_prefixes(traffic_.sessions)) return;
    check_shared_once(asked_, traffic_.sessions);
    check_prefixes(request_.model, traffic_.sessions);
    if (asked_.images > 0)
      fail(errc::invalid_argument, "job.images", asked_.images, "0 beside a trace or conversations");
  }
  /// Prompts with all that came before, and the share of them that did.
  void take_whole_prompts() {
    const std::vector<session_request> drawn =
        requests_of(traffic_of(request_.job, planning_requests_of(request_.job), 1, request_.drawn), traffic_.sessions);
    std::vector<simulated_request> sized;
    double all = 0, repeated = 0;
    for (const session_request& one : drawn) {
      sized.push_back(one.sized);
      all += static_cast<double>(one.sized.prompt), repeated += static_cast<double>(one.repeated);
    }
    request_.job.prompt = lengths_of(sized, &simulated_request::prompt);
    request_.job.prefix_hit_rate = std::min(0.999, repeated / all);
    request_.job.block_tokens = asked_.block_tokens;
    request_.job = as_engine_runs(request_.job, request_.model);
    hold_once(request_.job, traffic_.sessions);
  }

  /// What simulate answers of so many slices; nothing where it refuses them, for the reason in `closest`.
  [[nodiscard]] std::optional<tried_fleet> simulated(const serving_plan& of, std::int64_t slices,
                                                     request_routing routing, rejected_server& closest,
                                                     bool whole = false) {
    const std::int64_t part = whole ? slices : slices_simulated(traffic_, routing, slices, of.estimate.replicas);
    const simulate_request one = request_of(of.where, of.mesh, part, slices, of.estimate.replicas, routing);
    const std::int64_t replicas = checked_multiply(part, of.estimate.replicas);
    for (const tried_fleet& known : tried_)
      if (known.slices == slices && known.routing == one.routing && (known.part == part || known.part == slices))
        return known;
    if (is_above_capacity(of, slices)) return std::nullopt;
    if (work_ > (is_first_ ? 4 : 1) * most_routed_work) is_cut_ = true;
    if (is_cut_) return closest.why = serving_rejection::not_simulated, std::nullopt;
    ++candidates_;
    try {
      asked_simulation simulation(request_.model, one);
      tried_fleet tried{slices, part, one.routing, simulation.answer(), false, 0};
      tried.work = routed_work(static_cast<double>(simulation.steps()),
                               static_cast<double>(tried.answer.report.requests), static_cast<double>(replicas));
      work_ += tried.work;
      const serving_request own = found_request(tried.answer);
      tried.holds = tried.answer.meets_targets && !simulation.falls_behind() &&
                    plan_of(own, of.where, of.mesh, slices).estimate.refusal == serving_refusal::none;
      tried_.insert(tried_.begin(), tried);  // before that of a part
      return tried;
    } catch (const error& refusal) {
      const bool is_size = refusal.code() == errc::infeasible || refusal.field() == std::string_view("host_cache_gib");
      const bool thinks = refusal.field() == std::string_view("sessions.think_s");
      const bool is_long = thinks || refusal.field() == std::string_view("simulated_traffic.requests");
      if (!is_size && !is_long) throw;
      if (thinks) too_long_ = refusal;
      closest.why = is_size ? serving_rejection::does_not_fit : serving_rejection::not_simulated;
      return std::nullopt;
    }
  }
  /// What simulate is asked of a part of so many slices.
  [[nodiscard]] simulate_request request_of(const slice& where, const serving_layout& mesh, std::int64_t part,
                                            std::int64_t slices, std::int64_t replicas_of_slice,
                                            request_routing routing) const {
    simulate_request one = simulation_of(request_, asked_, where, mesh, part);
    one.job.request_rate = rate_of_part(asked_.request_rate, part, slices);
    one.sessions = traffic_.sessions, one.host_cache_gib = traffic_.host_cache_gib;
    if (checked_multiply(part, replicas_of_slice) > 1) one.routing = routing;
    return one;
  }
  /// Whether so many slices serve less than comes, with all found of prompts that came before.
  [[nodiscard]] bool is_above_capacity(const serving_plan& of, std::int64_t slices) const {
    serving_request means = request_;
    means.job.percentiles = {};
    return plan_of(means, of.where, of.mesh, slices).estimate.refusal != serving_refusal::none;
  }
  [[nodiscard]] static planned_router fleet_of(const tried_fleet& tried, request_routing routing) {
    planned_router fleet;
    fleet.slice = tpuplan::name(tried.answer.fleet.where).view();
    fleet.routing = tried.answer.routing.value_or(routing);
    fleet.slices = tried.part;
    fleet.prefixes = tried.answer.prefixes.value_or(prefix_shares{});
    fleet.busiest = busiest_share(tried.answer.served);
    fleet.report = tried.answer.report;
    fleet.keeps_targets = tried.holds;
    return fleet;
  }
  /// The request with the prompts and hits of a simulation.
  [[nodiscard]] serving_request found_request(const simulate_answer& found) const {
    serving_request own = request_;
    own.job.prompt = found.job.prompt, own.job.output = found.job.output;
    own.job.prefix_hit_rate = found.job.prefix_hit_rate, own.job.block_tokens = found.job.block_tokens;
    hold_once(own.job, traffic_.sessions);
    own.job.percentiles = {};
    return own;
  }

  /// Whether a router finds less of the turns of a conversation the more replicas there are.
  [[nodiscard]] bool finds_less(request_routing routing) const {
    return routing != request_routing::prefix && traffic_.sessions.turns > 1;
  }
  /// The fewest slices that keep the targets: from those that the flat search and the plans before suggest, one, two,
  /// four and so on more or fewer, then the gap is halved.
  [[nodiscard]] std::optional<std::int64_t> fewest(const serving_plan& of, request_routing routing,
                                                   rejected_server& closest) {
    const std::int64_t most = most_slices(request_, of.where), flat = of.slices - of.spare;
    const auto holds = [&](std::int64_t slices) {
      const std::optional<tried_fleet> tried = simulated(of, slices, routing, closest);
      if (!tried || tried->holds) return tried.has_value();
      const double missed = missed_by(tried->answer.report, asked_.percentiles).value();
      if (missed > 0 && (closest.amount == 0 || missed < closest.amount)) closest.amount = missed;
      return false;
    };
    std::int64_t high = std::min(most, std::max<std::int64_t>(1, ceil_to_count(share_ * static_cast<double>(flat))));
    std::int64_t low = 0, step = share_ == 1 ? ceil_div(high, 8) : 1;
    if (holds(high)) {
      for (std::int64_t fewer = high - step; fewer > 0; fewer = high - (step *= 2)) {
        if (!holds(fewer)) {
          low = fewer;
          break;
        }
        high = fewer;
      }
    } else if (finds_less(routing) && high > 1 && holds(1)) {
      high = 1;
    } else {
      const std::int64_t grown = std::min(most, 3 * flat + 1);  // a target that is missed there is not one of load
      for (;; step *= 2) {
        if (closest.why != serving_rejection::misses_target) return std::nullopt;
        if (high == grown) {
          if (high == most) closest.why = serving_rejection::too_many_chips;
          if (high == most) closest.amount = chips_beyond(request_, of.where, high);
          return std::nullopt;
        }
        low = high;
        high = std::min(grown, high + step);
        if (holds(high)) break;
      }
    }
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (holds(middle) ? high : low) = middle;
    }
    if (is_cut_) return std::nullopt;  // fewer might do
    share_ = static_cast<double>(high) / static_cast<double>(flat);
    return high;
  }
  /// The router with which the requests of these slices end earliest, of those that keep the targets.
  void choose(const serving_plan& of, std::int64_t slices, rejected_server& closest,
              std::vector<planned_router>& routers) {
    double whole = 0;  // work of all slices, by that of a part
    for (const request_routing one :
         {request_routing::prefix, request_routing::queue, request_routing::round_robin, request_routing::random}) {
      const std::int64_t part = slices_simulated(traffic_, one, slices, of.estimate.replicas);
      if (one != request_routing::prefix && work_ + (part == slices ? whole : 0) > most_routed_work) break;
      if (const std::optional<tried_fleet> tried = simulated(of, slices, one, closest)) {
        routers.push_back(fleet_of(*tried, one));
        whole = routed_work_of_all(tried->work, tried->part, slices, of.estimate.replicas);
      }
    }
    const auto before = [](const planned_router& a, const planned_router& b) {
      if (a.keeps_targets != b.keeps_targets) return a.keeps_targets;
      return a.report.end_to_end.value.mean < b.report.end_to_end.value.mean;
    };
    sort_in_order(routers, before);
    if (!routers.empty()) routing_ = routers.front().routing;
  }
  /// A layout, and where its replicas miss the targets larger ones: of conversations that any replica may go on with
  /// fewer replicas find more.
  [[nodiscard]] std::optional<found_plan> decide(const serving_plan& of, rejected_server& closest,
                                                 std::vector<planned_router>& routers) {
    std::optional<found_plan> found = decide_layout(of, closest, routers);
    serving_plan larger = of;
    while (!found && larger.estimate.replicas > 1 && !is_cut_) {
      larger.mesh.tensor = checked_multiply(2, larger.mesh.tensor);
      if (devices(of.where) % larger.mesh.tensor != 0) break;
      if (!is_layout(larger)) continue;
      rejected_server own{of.where, serving_rejection::misses_target, 0, {}};
      found = decide_layout(larger, own, routers);
      if (own.why > closest.why) closest = own;
    }
    return found;
  }
  /// Whether the engine runs such a layout, in which the model fits; its estimate is made.
  [[nodiscard]] bool is_layout(serving_plan& of) const {
    const bool latent = has_latent_attention(request_.model);
    if (problem_of(request_.model, of.mesh, of.where) != layout_problem::none ||
        !layout_limit(request_.job.engine, of.mesh, of.where, latent).field.empty())
      return false;
    serving_request means = request_;
    means.job.percentiles = {};
    const serving_plan made = plan_of(means, of.where, of.mesh, of.slices);
    of.share = made.share, of.estimate = made.estimate;
    return made.estimate.fit == verdict::yes || (made.estimate.fit == verdict::uncertain && request_.accept_uncertain);
  }
  [[nodiscard]] std::optional<found_plan> decide_layout(const serving_plan& of, rejected_server& closest,
                                                        std::vector<planned_router>& routers) {
    tried_.clear();
    std::optional<std::int64_t> slices = fewest(of, routing_.value_or(request_routing::prefix), closest);
    if (!slices) return std::nullopt;
    const bool has_choice = checked_multiply(*slices, of.estimate.replicas) > 1;
    if (!routing_ && has_choice) {
      choose(of, *slices, closest, routers);
      if (routing_ != request_routing::prefix) slices = fewest(of, *routing_, closest);
      if (!slices) return std::nullopt;
    }
    slices = confirmed(of, *slices, closest);
    if (!slices) return std::nullopt;
    return with_price(of, *slices, closest);
  }
  /// The slices that a part has decided, and as many more as all of them need to keep the targets, as far as the work
  /// goes.
  [[nodiscard]] std::optional<std::int64_t> confirmed(const serving_plan& of, std::int64_t slices,
                                                      rejected_server& closest) {
    const request_routing routing = routing_.value_or(request_routing::prefix);
    const std::int64_t most = most_slices(request_, of.where);
    for (;; ++slices) {
      const std::optional<tried_fleet> part = simulated(of, slices, routing, closest);
      if (!part || part->part == slices) return slices;
      if (work_ + routed_work_of_all(part->work, part->part, slices, of.estimate.replicas) > most_routed_work)
        return slices;
      const std::optional<tried_fleet> all = simulated(of, slices, routing, closest, true);
      if (!all || all->holds) return slices;
      if (slices < most) continue;
      closest.why = serving_rejection::too_many_chips;
      closest.amount = chips_beyond(request_, of.where, slices);
      return std::nullopt;
    }
  }
  /// The plan of so many slices, and spare ones, at the price of the flat one.
  [[nodiscard]] std::optional<found_plan> with_price(const serving_plan& of, std::int64_t slices,
                                                     rejected_server& closest) {
    const request_routing routing = routing_.value_or(request_routing::prefix);
    const std::int64_t all = slices_with_spare(request_, slices);
    const std::optional<tried_fleet> tried = simulated(of, all, routing, closest);
    if (!tried) return std::nullopt;
    found_plan found;
    const serving_request own = found_request(tried->answer);
    found.planned = plan_of(own, of.where, of.mesh, all);
    found.fleet = fleet_of(*tried, routing);
    found.work = tried->work;
    found.planned.simulated = tried->answer.report;
    if (all > slices) {
      const std::optional<tried_fleet> left = simulated(of, slices, routing, closest);
      if (!left) return std::nullopt;
      found.planned.spare = all - slices;
      found.planned.without_spare = plan_of(found_request(left->answer), of.where, of.mesh, slices).estimate;
      found.planned.simulated_without_spare = left->answer.report;
    }
    server_search search{closest, of.price, {}, {}};
    std::optional<serving_plan> paid = priced(search, own, std::move(found.planned));
    if (!paid) return closest = search.closest, std::nullopt;
    found.planned = std::move(*paid);
    found.worth = worth_of(found.planned, request_.best);
    return found;
  }

  void rank(std::vector<found_plan>& found, routed_plans& all) {
    const std::vector<std::size_t> order = ranked_order(
        found.size(), [&](std::size_t i) -> const rank_figures& { return found[i].worth; },
        [&](std::size_t a, std::size_t b) {
          const serving_plan &one = found[a].planned, &other = found[b].planned;
          if (chips(one.where) != chips(other.where)) return chips(one.where) < chips(other.where);
          return name(one.where).view() < name(other.where).view();
        });
    for (const std::size_t i : order) {
      if (all.answer.plans.size() < request_.most_plans) {
        all.chances.push_back(chance_of(found[i], all.chances.empty()));
        all.answer.plans.push_back(std::move(found[i].planned));
        all.fleets.push_back(std::move(found[i].fleet));
      } else {
        add_dominated(found[i].planned.where, compared_of(found[i].planned, request_), all.answer);
      }
    }
  }
  /// The chance of simulate for these slices, as far as the work goes; of the first plan half as much beyond it.
  [[nodiscard]] std::optional<double> chance_of(const found_plan& found, bool is_first) {
    constexpr double simulations = 8;
    const double work = simulations * found.work;
    if (work_ + work > most_routed_work && !(is_first && work < most_routed_work / 2)) return std::nullopt;
    work_ += work;
    const serving_plan& of = found.planned;
    const std::int64_t left = of.slices - of.spare;  // targets hold while spare slices are lost
    const std::int64_t part = slices_simulated(traffic_, found.fleet.routing, left, of.estimate.replicas);
    const simulate_request one = request_of(of.where, of.mesh, std::min(part, found.fleet.slices), left,
                                            of.estimate.replicas, found.fleet.routing);
    asked_simulation simulation(request_.model, one);
    simulate_answer answer = simulation.answer();
    simulation.add_chance_by_runs(answer);
    return answer.chance;
  }
  void add_dominated(const slice& where, double compared, serving_plan_answer& answer) const {
    const double behind = compared - compared_of(answer.plans.front(), request_);
    const serving_rejection why = behind < 0 ? serving_rejection::not_simulated : serving_rejection::dominated;
    answer.rejected.push_back({where, why, std::max(0.0, behind), unit_of(why, request_)});
  }
  /// The slices that the flat search left out: those that cost more are compared with the best that was simulated.
  void add_rest(const serving_plan_answer& flat, serving_plan_answer& answer) const {
    for (const rejected_server& one : flat.rejected) {
      if (one.why != serving_rejection::dominated) {
        answer.rejected.push_back(one);
      } else if (answer.plans.empty()) {
        answer.rejected.push_back(
            {one.where, serving_rejection::not_simulated, 0, unit_of(serving_rejection::not_simulated, request_)});
      } else {
        add_dominated(one.where, one.amount + compared_of(flat.plans.front(), request_), answer);
      }
    }
  }

  serving_request request_;
  const serving_job& asked_;
  const planned_traffic& traffic_;
  std::optional<request_routing> routing_;
  std::vector<tried_fleet> tried_{};       // of the slices that are decided
  double share_ = 1;                       // of the slices of the flat search that the last plan had
  bool is_first_ = true, is_cut_ = false;  // the plan that is decided; its search, as all took so much work
  double work_ = 0;
  std::int64_t candidates_ = 0;
  std::optional<error> too_long_{};  // of slices whose conversations take longer than what is simulated
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
