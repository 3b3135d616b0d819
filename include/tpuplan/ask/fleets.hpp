#ifndef TPUPLAN_ASK_FLEETS_HPP
#define TPUPLAN_ASK_FLEETS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/plan_split.hpp>
#include <tpuplan/ask/plan_traffic.hpp>
#include <tpuplan/ask/routed_search.hpp>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/ask/serving_checks.hpp>
#include <tpuplan/plan/cheapest_fleets.hpp>
#include <tpuplan/plan/relax_serving.hpp>
#include <tpuplan/plan/serving_levers.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/show/text/lost.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <tpuplan/show/text/served.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// The question of several slices that serve: plan_serving.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {
constexpr std::string_view loss_named(std::string_view given) { return name_or_none(parse_fleet_loss(given)); }
}  // namespace detail
/// What may be lost.
inline constexpr row_choices loss_choices = detail::choices_of<fleet_loss>(detail::loss_named);
/// Zones over which slices are spread where a zone may be lost and nobody says over how many.
inline constexpr std::int64_t usual_zones = 3;

/// What a fleet has to stand.
inline constexpr question_row standing_rows[] = {
    rows::count("spare", "--spare", "Spare slices", "slices",
                "slices that may be lost, restart or still start while the targets hold")
        .within(1, 1e6),
    rows::count("zones", "--zones", "Zones", "zones",
                "over which slices are spread evenly, so that the targets hold without any one of them")
        .within(2, 1000),
    rows::choice("survive", "--survive", "Survives the loss of", loss_choices,
                 "slice, as --spare 1, or zone, as --zones 3: the targets hold without it")
        .not_with("--spare --zones"),
};
/// Which slices serve some traffic?
struct asked_serving_plan {
  /// @{
  /// The model, the traffic and the limits; fields that serving_request has too mean the same.
  nlohmann::json config{};
  serving_job job = usual_traffic();  ///< traffic of all slices together, and its targets
  /// Distributions of lengths, instead of the lengths of the job.
  std::optional<length_distribution> prompts{}, outputs{};
  serving_calibration constants{};
  nlohmann::json calibration{};  ///< runs of the user's own, as tpuplan calibrate writes them; nothing: none
  objective best = objective::cheapest;
  std::vector<provisioning> kinds{provisioning::on_demand};
  std::vector<std::string> regions{"us"};
  std::optional<usd_per_second> budget{};                        ///< dollars for all slices together, per second in C++
  std::vector<std::string> generations{};                        ///< names of the chips to consider; none: all chips
  std::int64_t smallest_chips = 1;                               ///< the fewest chips over all slices
  std::int64_t largest_chips = serving_request{}.largest_chips;  ///< the most
  std::int64_t spare = 0;                                        ///< slices that may be lost while the targets hold
  std::int64_t zones = 0;               ///< zones of which any one may be lost while the targets hold
  std::optional<fleet_loss> survive{};  ///< the same by its name: one spare slice, or three zones
  bool accept_uncertain = false;
  std::int64_t most_plans = 8;                  ///< plans that are listed
  std::int64_t adapters = 0, adapter_rank = 0;  ///< low-rank adapters that are on the chips at once, and their rank
  /// Who gets a request; left open with conversations or a shared prefix, it is chosen, else each has a random share.
  std::optional<request_routing> routing{};
  session_traffic sessions{};  ///< conversations and the prefixes that they share
  double host_cache_gib = 0;   ///< memory of the hosts of a replica for its cache, GiB
  nlohmann::json prices{};
  /// @}
};
/// One plan, its main figures first.
struct serving_plan_row {
  /// @{
  /// The slice, how many of it, and the rates of all slices together, per second.
  std::int64_t rank = 0;  ///< position in the list; 1 is the best plan
  std::string slice{};
  std::int64_t slices = 1, chips = 0;
  std::string replica{};  ///< the devices of a replica, and how they share attention where that is not all of them
  /// Mean times of the closed form: to the first token, of each token, and the ends of its band.
  seconds first_token{}, per_token{}, per_token_low{}, per_token_high{};
  /// The chance that a measured mean keeps its target, 0.05 to 0.95; nothing without a target.
  std::optional<double> chance_to_keep_ttft{}, chance_to_keep_tpot{};
  /// With targets by percentile: what the simulation reaches at the share of each target, the mean without one.
  std::optional<seconds> simulated_first_token{}, simulated_per_token{}, simulated_end_to_end{};
  std::int64_t spare = 0;  ///< slices without which the targets still hold
  /// Without the spare slices: to the first token and of each, simulated at the share of each target where there is
  /// one.
  std::optional<seconds> first_token_without_spare{}, per_token_without_spare{};
  per_second output_tokens{};
  per_second capacity_requests{};  ///< largest request rate that the slices can serve, whatever the latencies
  /// Largest request rate at which the targets are kept; by percentile it is simulated, and of the best plan alone.
  std::optional<per_second> capacity_at_targets{};
  /// With targets by percentile: the chance that they are kept within the band of the estimate; nothing where finding
  /// it for the plans before took as long as one answer may.
  std::optional<double> chance_at_targets{};
  usd_per_second rate{};                       ///< of all slices
  usd million_input{}, million_output{};       ///< dollars for a million tokens, each at its share of the time
  usd million_all_on_output{};                 ///< dollars for a million output tokens, as if input were free
  usd million_all_on_output_low{};             ///< the lower end of that, by the band of a token
  usd million_all_on_output_high{};            ///< the upper end; both are the figure where a rate of requests is given
  usd million_requests{};                      ///< dollars for a million requests
  bytes memory_used{}, memory_usable{};        ///< of a device
  std::optional<adapter_answer> adapters{};    ///< where there are some; times and rates are those of the base
  std::string paid{}, region{}, price_date{};  ///< the way of paying, and its price
  bool superseded = false;                     ///< which is older than an announced change
  serving_plan plan{};
  std::optional<planned_router> routed{};  ///< behind a router: as simulate has its slices
  std::optional<planned_split> split{};    ///< of the best plan: its slices as two pools, where that can be simulated
  /// @}
};
/// A slice that is not among the plans.
struct rejected_server_row {
  /// @{
  /// The slice, and why it is not among the plans.
  std::string slice{};
  serving_rejection reason{};
  /// How far the limit is missed, and its unit: bytes, s, chips, USD/h, USD/million output tokens
  /// or, of an encoder, USD/million input tokens; empty: no amount.
  double amount = 0;
  std::string unit{};
  /// @}
};
/// The slices that lost for one reason.
struct lost_servers_row {
  /// @{
  /// The reason, and the number of slices that it applies to.
  serving_rejection reason{};
  std::int64_t slices = 0;
  std::string why{};      ///< the reason in words
  std::string closest{};  ///< the slice that misses the limit by least, and by how much
  /// @}
};
/// A limit that, relaxed alone, lets a plan in.
struct relaxed_serving_row {
  /// @{
  /// The limit as given and as it would have to be, in its base unit, and the plan it allows.
  plan_limit limit{};
  double given = 0, needed = 0;
  serving_plan_row plan{};
  std::optional<seconds> given_ttft{}, needed_ttft{};  // of both targets the other one
  /// @}
};
/// Plans, lost slices and the question, as one document.
struct serving_plan_document {
  /// @{
  /// The plans and the slices without a plan, one row each.
  std::string schema{json_schema};
  std::vector<serving_plan_row> plans{};
  std::vector<lost_servers_row> lost{};  ///< the slices without a plan, by reason
  std::vector<rejected_server_row> rejected{};
  std::int64_t candidates = 0;               ///< number of services whose rates were estimated
  std::vector<assumption> assumed{};         ///< values that the question left open, and why they were assumed
  serving_request request{};                 ///< the question with nothing left open
  std::optional<planned_traffic> traffic{};  ///< conversations and the router, of which prompts and hits follow
  std::vector<planned_router> routers{};     ///< slices with each router, where none was asked for: see routed_plans
  /// Where there is no plan: each limit that, relaxed alone, would allow one.
  std::optional<std::vector<relaxed_serving_row>> relax{};
  /// Where there is no plan: other changes that would meet the targets.
  std::optional<std::vector<serving_change_row>> changes{};
  /// @}
};

namespace detail {
/// A plan as the document lists it.
[[nodiscard]] inline serving_plan_row row_of(const serving_request& request, const serving_plan& planned,
                                             const planned_router* routed = nullptr) {
  const auto servers = static_cast<double>(planned.slices);
  const serving_estimate& e = planned.estimate;
  serving_plan_row row;
  row.slice = tpuplan::name(planned.where).view();
  row.slices = planned.slices;
  row.chips = checked_multiply(tpuplan::chips(planned.where), planned.slices);
  row.replica = replica_words(planned.mesh);
  row.first_token = e.first_token;
  row.per_token = e.per_token.total;
  row.per_token_low = e.per_token.low;
  row.per_token_high = e.per_token.high;
  // Targets hold while spare slices are lost.
  serving_job share = planned.share;
  if (planned.spare > 0) share.request_rate *= servers / static_cast<double>(planned.slices - planned.spare);
  const auto kept = [&](const request_times& limits) {
    return chance_to_keep(planned.spare > 0 ? planned.without_spare : e, limits, request.model, share, planned.mesh,
                          planned.where, request.constants);
  };
  row.chance_to_keep_ttft = kept({request.job.ttft_target, seconds{0}});
  row.chance_to_keep_tpot = kept({seconds{0}, request.job.tpot_target});
  const bool simulated = routed != nullptr || any_target(request.job.percentiles);
  if (routed != nullptr) row.routed = *routed;
  if (simulated) {
    const latency_targets& targets = request.job.percentiles;
    row.simulated_first_token = reached_of(planned.simulated.first_token.value, targets.first_token);
    row.simulated_per_token = reached_of(planned.simulated.per_token.value, targets.per_token);
    row.simulated_end_to_end = reached_of(planned.simulated.end_to_end.value, targets.end_to_end);
  }
  row.spare = planned.spare;
  if (planned.spare > 0) {
    const latency_targets& targets = request.job.percentiles;
    const simulation_report& report = planned.simulated_without_spare;
    row.first_token_without_spare =
        simulated ? reached_of(report.first_token.value, targets.first_token) : planned.without_spare.first_token;
    row.per_token_without_spare =
        simulated ? reached_of(report.per_token.value, targets.per_token) : planned.without_spare.per_token.total;
  }
  row.output_tokens = e.output_tokens * servers;
  row.capacity_requests = e.capacity * servers;
  row.rate = planned.rate;
  row.million_input = planned.cost.input;
  row.million_output = planned.cost.output;
  row.million_all_on_output = planned.cost.all_on_output;
  const cost_range range = range_of_output_cost(e, request.job, planned.cost.all_on_output);
  row.million_all_on_output_low = range.low, row.million_all_on_output_high = range.high;
  row.million_requests = planned.cost.requests;
  if (routed != nullptr && e.per_token.total.value() > 0) {  // of the tokens that were made
    const double parts = static_cast<double>(planned.slices) / static_cast<double>(routed->slices);
    row.output_tokens = planned.simulated.output_tokens * parts;
    const usd each = planned.rate / row.output_tokens * 1e6;
    row.million_all_on_output = row.million_all_on_output_low = row.million_all_on_output_high = each;
  }
  row.memory_used = e.memory.total;
  row.memory_usable = e.memory.usable;
  if (request.job.shared_beside.value() > 0)
    slow_capacity(row.adapters.emplace(adapters_of(request.job, planned.mesh, planned.where)), row.capacity_requests);
  row.paid = tpuplan::name(planned.kind);
  row.region = planned.region;
  row.price_date = planned.price.date.view();
  row.superseded = is_before_announced_change(planned.price);
  row.plan = planned;
  return row;
}

/// About the steps of the simulations that `chance_at_targets` takes.
[[nodiscard]] inline double steps_of_a_chance(const serving_job& job, const serving_plan& planned) {
  constexpr double simulations = 12;
  const double each = std::max(1.0, job.output.mean) / std::max(1.0, planned.simulated.running);
  return simulations * static_cast<double>(planning_requests_of(job)) * (8 + each);
}
/// The slices that lost, by reason and one by one.
template <class Document>
void add_lost_servers(Document& to, const std::vector<rejected_server>& lost, objective best) {
  for (const auto& one : readable::by_reason(lost))
    to.lost.push_back({one.why, static_cast<std::int64_t>(one.count), readable::reason(one.why, best),
                       readable::amount(one.closest)});
  for (const rejected_server& one : lost) {
    const double amount = readable::whole_bytes(one.amount, one.unit.view() == "bytes");
    to.rejected.push_back({std::string(name(one.where).view()), one.why, amount, std::string(one.unit.view())});
  }
}
}  // namespace detail
/// The answer as a document: plans, slices without one, and the question; where there is no plan, also what to relax.
/// `fleets` are those of the plans behind a router. Worked: a plan of three v5e-8 that make 1000 tokens a second each
/// is a row with 24 chips and 3000 tokens a second.
[[nodiscard]] inline serving_plan_document document_of(const serving_request& request,
                                                       const serving_plan_answer& answer,
                                                       std::vector<assumption> assumed,
                                                       const std::vector<planned_router>* fleets = nullptr) {
  serving_plan_document document;
  const bool routed = fleets != nullptr;
  double steps_left = static_cast<double>(detail::most_planning_steps) / 2;
  for (std::size_t i = 0; i < answer.plans.size(); ++i) {
    const serving_plan& p = answer.plans[i];
    document.plans.push_back(detail::row_of(request, p, routed ? &(*fleets)[i] : nullptr));
    serving_plan_row& row = document.plans.back();
    row.rank = static_cast<std::int64_t>(document.plans.size());
    if (routed) continue;
    if (request.job.request_rate.value() > 0 && (row.rank == 1 || !any_target(request.job.percentiles)))
      row.capacity_at_targets = capacity_at_targets(request, p);
    if (!any_target(request.job.percentiles)) continue;
    steps_left -= detail::steps_of_a_chance(request.job, p);
    if (row.rank == 1 || steps_left > 0) row.chance_at_targets = chance_at_targets(request, p);
  }
  detail::add_lost_servers(document, answer.rejected, request.best);
  document.candidates = answer.candidates;
  document.assumed = std::move(assumed);
  document.request = request;
  if (!answer.plans.empty() || routed) return document;
  std::vector<relaxed_serving_row>& relaxed = document.relax.emplace();
  for (const serving_relaxation& r : relaxations(request)) {
    relaxed.push_back({r.limit, r.given, r.needed, detail::row_of(request, r.nearest)});
    if (r.limit == plan_limit::targets)
      relaxed.back().given_ttft = seconds{r.given_ttft}, relaxed.back().needed_ttft = seconds{r.needed_ttft};
  }
  document.changes = rows_of(changes_that_help(request));
  return document;
}
/// Which of the ways of paying that were asked for are not compared, and why. Worked: of on_demand and commitment_1y,
/// "provisioning" is "without commitment_1y".
[[nodiscard]] inline assumed_values assumed_ways(const std::vector<provisioning>& kinds) {
  serving_request request;
  request.kinds = kinds;
  std::string without;
  bool any_commitment = false, any_that_ends = false;
  for (const provisioning kind : all_provisioning) {
    if (!detail::contains(kinds, kind) || is_compared(request, kind)) continue;
    (is_commitment(kind) ? any_commitment : any_that_ends) = true;
    without.append(without.empty() ? "without " : ", ").append(name(kind));
  }
  if (any_commitment) without.append("; a commitment is paid for its whole term: ask for commitments alone");
  if (any_that_ends) without.append("; flex-start ends after 7 days, calendar mode after 90: ask for them alone");
  return without.empty() ? assumed_values{} : assumed_values{{"provisioning", without}};
}
/// What is said of the ways of paying and of targets by percentile: those that are not compared, that no spot slice is
/// lost, and how many requests decide. Worked: of spot "spot" is "no slice is taken away: …".
[[nodiscard]] inline assumed_values assumed_limits(const serving_request& request) {
  assumed_values assumed = assumed_ways(request.kinds);
  if (detail::contains(request.kinds, provisioning::spot))
    assumed.emplace_back("spot", "no slice is taken away: losses are simulated over a day of traffic alone");
  if (request.spare > 0 || request.zones > 0)
    assumed.emplace_back("spare slices",
                         "the targets hold once requests of a lost slice have begun again elsewhere" +
                             (request.zones > 0 ? "; slices are spread over " + std::to_string(request.zones) + " zones"
                                                : std::string()));
  if (any_target(request.job.percentiles)) {
    assumed.emplace_back("percentiles", "of " + std::to_string(planning_requests_of(request.job)) +
                                            " random requests to one replica, the first tenth not counted");
    for (assumed_values::value_type& one : assumed_lengths(request.job, request.drawn))
      assumed.push_back(std::move(one));
  }
  return assumed;
}
/// What is assumed of the job: its engine and what that does where the job as asked leaves it open, and on which of the
/// chips asked for its arithmetic is bf16 because they cannot multiply the format of its activations. Worked: for int8
/// on v3 and v5e, "bf16, not int8, on v3".
[[nodiscard]] inline assumed_values assumed_by(const serving_request& request, const serving_job& asked) {
  assumed_values assumed = assumed_engine(request.job.engine, request.model, request.job.images);
  for (std::pair<std::string, std::string>& one : assumed_runs(request.constants)) assumed.push_back(std::move(one));
  for (std::pair<std::string, std::string>& one : assumed_kind(asked, request.model)) assumed.push_back(std::move(one));
  for (std::pair<std::string, std::string>& one : assumed_schedule(asked, request.model))
    assumed.push_back(std::move(one));
  if (request.job.shared_beside.value() > 0) assumed.emplace_back(detail::assumed_adapters);
  for (std::pair<std::string, std::string>& one : detail::assumed_drafts(asked.speculation, request.job.speculation))
    assumed.push_back(std::move(one));
  for (std::pair<std::string, std::string>& one : assumed_limits(request)) assumed.push_back(std::move(one));
  serving_job means = request.job;
  means.percentiles = {};
  for (std::pair<std::string, std::string>& one : assumed_basis(means)) assumed.push_back(std::move(one));
  std::string without;
  for (const chip_spec& chip : generations) {
    const auto is_it = [&](const std::string& one) { return chip_for(one).name == chip.name; };
    const bool is_asked =
        request.generations.empty() || std::any_of(request.generations.begin(), request.generations.end(), is_it);
    if (!is_asked || chip.announced_only || has_peak_rate(chip, request.job.activations)) continue;
    without.append(without.empty() ? "" : ", ").append(chip.name.view());
  }
  add_left_out(request, assumed);
  if (!without.empty())
    assumed.emplace_back("arithmetic", "bf16, not " + std::string(name(request.job.activations)) + ", on " + without +
                                           ", which cannot multiply it");
  return assumed;
}
/// The question as plan_serving has it; `config` and `asked.job` are taken as they are, with the formats of their
/// weights filled in. It has a view of the book, whose rows have to outlive it. Throws for targets by percentile
/// without a rate of requests, and for a region without prices. Worked: a question that says nothing allows 1 to 1024
/// chips.
[[nodiscard]] inline serving_request request_of(const model_config& config, const asked_serving_plan& asked,
                                                const price_book& book) {
  if (any_target(asked.job.percentiles) && asked.job.request_rate.value() <= 0)
    detail::fail(errc::missing_field, "job.request_rate_per_s", "missing",
                 "requests a second, for targets by percentile; simulate holds them for requests in flight");
  serving_request request;
  request.model = config.model;
  request.job = as_engine_runs(with_image_tokens(asked.job, config.model), config.model);
  request.drawn = detail::drawn_of(asked, config.model);
  if (detail::hold_adapters(config.model, asked.adapters, asked.adapter_rank, request.job))
    request.capacity_taken = detail::most_slowed;
  request.adapters = asked.adapters, request.adapter_rank = asked.adapter_rank;
  detail::use_draft_cost(config.model, request.job);
  request.constants = asked.constants;
  request.best = asked.best;
  request.kinds = asked.kinds;
  request.regions = regions_named(book, asked.regions);
  request.regions_by_area = regions_by_area(request.regions, asked.regions);
  if (asked.budget) request.budget = *asked.budget;
  request.generations = asked.generations.empty() ? usual_generations() : asked.generations;
  request.smallest_chips = asked.smallest_chips;
  request.largest_chips = asked.largest_chips;
  request.spare = asked.spare;
  request.zones = asked.zones;
  if (asked.survive) {
    if (asked.spare > 0 || asked.zones > 0)
      detail::fail(errc::invalid_argument, "survive", name(*asked.survive), "none beside spare slices and zones");
    (*asked.survive == fleet_loss::zone ? request.zones : request.spare) =
        *asked.survive == fleet_loss::zone ? usual_zones : 1;
  }
  request.accept_uncertain = asked.accept_uncertain;
  request.most_plans = static_cast<std::size_t>(detail::positive_count("most_plans", asked.most_plans));
  request.prices = book;
  return request;
}
namespace detail {
/// What is said of a router and of what prompts have in common.
[[nodiscard]] inline assumed_values assumed_routing(const planned_traffic& traffic, const asked_serving_plan& asked,
                                                    const routed_plans& found) {
  assumed_values assumed = assumed_lengths(asked.job, {asked.prompts, asked.outputs, 0});
  if (traffic.host_cache_gib > 0)
    assumed.emplace_back("left out", "chips of which no source states the rate between them and their hosts");
  if (have_prefixes(traffic.sessions)) assumed.emplace_back(detail::assumed_prefixes);
  if (!found.fleets.empty() && found.fleets.front().routing == request_routing::prefix)
    assumed.emplace_back(detail::assumed_affinity);
  assumed.emplace_back("slices",
                       "those are simulated that are cheapest with a random share of the requests for each replica" +
                           std::string(have_prefixes(traffic.sessions) ? " and all found that had come before" : ""));
  const auto is_part = [&](std::size_t place) { return found.fleets[place].slices < found.answer.plans[place].slices; };
  bool any_part = false;
  for (std::size_t place = 0; place < found.fleets.size(); ++place) any_part = any_part || is_part(place);
  if (any_part)
    assumed.emplace_back("part", "of a large fleet slices of " + std::to_string(planned_replicas) +
                                     " replicas or more are simulated, with their share of the requests");
  if (found.routers.size() == 1)
    assumed.emplace_back("routers",
                         "by prefix alone: with others all replicas would have to be simulated, which takes "
                         "longer than one answer may");
  return assumed;
}
/// The answer behind a router.
[[nodiscard]] inline serving_plan_document answer_to_plan_routed(const model_config& config,
                                                                 const asked_serving_plan& asked,
                                                                 const serving_request& request,
                                                                 const planned_traffic& traffic) {
  routed_search search(request, asked.job, traffic);
  const routed_plans found = search.plans();
  serving_request whole = search.request();
  if (!found.answer.plans.empty()) {
    const serving_job& share = found.answer.plans.front().share;
    whole.job.prompt = share.prompt, whole.job.prefix_hit_rate = share.prefix_hit_rate;
    whole.job.block_tokens = share.block_tokens;
  }
  serving_job open = asked.job;
  open.prompt = whole.job.prompt, open.output = whole.job.output;
  assumed_values said = assumed_by(request, open);
  const auto is_flat = [](const auto& one) { return one.first == "percentiles" || one.first.rfind("lengths", 0) == 0; };
  said.erase(std::remove_if(said.begin(), said.end(), is_flat), said.end());
  for (std::pair<std::string, std::string>& one : assumed_routing(traffic, asked, found))
    said.push_back(std::move(one));
  serving_plan_document document = document_of(whole, found.answer, all_assumed(config, said), &found.fleets);
  document.traffic = traffic;
  if (!found.fleets.empty()) document.traffic->routing = found.fleets.front().routing;
  document.routers = found.routers;
  for (std::size_t place = 0; place < document.plans.size(); ++place)
    document.plans[place].chance_at_targets = found.chances[place];
  return document;
}

}  // namespace detail

/// The slices for the traffic of the question, behind a router where it has one; of the best also whether prompts are
/// better computed on slices of their own. Throws, naming the field, as `plan_serving` and `simulate` do. Worked: 20
/// requests a second of 1024 and 256 tokens to Llama 3.1 8B are served by some slices of v6e.
[[nodiscard]] inline serving_plan_document answer_to_plan_serving(const model_config& config,
                                                                  const asked_serving_plan& given,
                                                                  const price_book& book) {
  asked_serving_plan asked = given;
  detail::use_moments(given, asked.job);
  check_later_tokens(asked.job);
  const serving_request request = request_of(config, asked, book);
  const planned_traffic traffic{asked.routing, asked.sessions, asked.host_cache_gib};
  detail::validate(traffic.sessions);
  if (is_routed(traffic) || traffic.host_cache_gib > 0)
    return detail::answer_to_plan_routed(config, asked, request, traffic);
  const serving_plan_answer answer = plan_serving(request);
  serving_plan_document document = document_of(request, answer, all_assumed(config, assumed_by(request, asked.job)));
  if (!document.plans.empty())
    document.plans.front().split = detail::split_of(request, asked.job, answer.plans.front());
  return document;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::asked_serving_plan, config, job, prompts, outputs, constants, calibration, best, kinds, regions,
               budget, generations, smallest_chips, largest_chips, spare, zones, survive, accept_uncertain, most_plans,
               adapters, adapter_rank, routing, sessions, host_cache_gib, prices)
TPUPLAN_FIELDS(tpuplan::serving_plan_row, rank, slice, slices, chips, replica, first_token, per_token, per_token_low,
               per_token_high, chance_to_keep_ttft, chance_to_keep_tpot, simulated_first_token, simulated_per_token,
               simulated_end_to_end, spare, first_token_without_spare, per_token_without_spare, output_tokens,
               capacity_requests, capacity_at_targets, chance_at_targets, rate, million_input, million_output,
               million_all_on_output, million_all_on_output_low, million_all_on_output_high, million_requests,
               memory_used, memory_usable, adapters, paid, region, price_date, superseded, plan, routed, split)
TPUPLAN_FIELDS(tpuplan::rejected_server_row, slice, reason, amount, unit)
TPUPLAN_FIELDS(tpuplan::lost_servers_row, reason, slices, why, closest)
TPUPLAN_FIELDS(tpuplan::relaxed_serving_row, limit, given, needed, plan, given_ttft, needed_ttft)
TPUPLAN_FIELDS(tpuplan::serving_plan_document, schema, plans, lost, rejected, candidates, assumed, request, traffic,
               routers, relax, changes)

#endif
