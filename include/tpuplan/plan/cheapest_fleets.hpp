#ifndef TPUPLAN_PLAN_CHEAPEST_FLEETS_HPP
#define TPUPLAN_PLAN_CHEAPEST_FLEETS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/estimate/serving/calibration.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <tpuplan/simulate/slowdown.hpp>
#include <utility>
#include <vector>

/// @file
/// The cheapest fleet of each TPU generation for some traffic, compared with fleets of GPU servers.

namespace tpuplan {
inline namespace abi_0 {

/// The cheapest fleet of one kind of hardware, or why there is none.
struct fleet_offer {
  text<24> hardware{};                                   ///< "v6e", "H100"
  bool at_peak = false;                                  ///< estimated at peak rates, which is a bound: so are GPUs
  bool is_possible = false;                              ///< whether there is such a fleet
  serving_rejection why = serving_rejection::no_layout;  ///< where there is none: what came closest to one
  serving_plan planned{};                                ///< the fleet
  per_second capacity{};                                 ///< requests a second up to which it keeps the targets
  /// With targets by percentile: the chance that they are kept within the band of the estimate; none at peak rates.
  maybe<double> chance{};
};

namespace detail {

/// Requests a second up to which one slice of a plan keeps its targets for mean times, to a millionth; where there are
/// none, what it has of its capacity.
inline per_second capacity_of_means(const serving_request& request, const serving_plan& planned) {
  serving_job share = planned.share;
  const auto keeps = [&](per_second rate) {
    share.request_rate = rate;
    const serving_estimate one = serve(request.model, share, planned.mesh, planned.where, request.constants);
    return one.refusal == serving_refusal::none && missed_slowed(one, share, planned.mesh, planned.where, request) == 0;
  };
  per_second low = planned.share.request_rate, high = planned.estimate.capacity * (1 - request.capacity_taken);
  if (share.tpot_target.value() <= 0 && share.ttft_target.value() <= 0) return high;
  while (high > low * (1 + 1e-6)) {
    const per_second middle = (low + high) / 2;
    (keeps(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace detail

namespace detail {

/// What is asked of a replica of a plan without its spare slices: `ask(engine, traffic, times, replicas)`.
template <class Ask>
auto ask_replica(const serving_request& request, const serving_plan& planned, const Ask& ask) {
  const std::int64_t left = planned.slices - planned.spare;
  const auto replicas = static_cast<double>(replicas_of({planned.mesh, planned.where, left}));
  simulated_traffic traffic = traffic_of(planned.share, planning_requests_of(planned.share), 1, request.drawn);
  traffic.rate = request.job.request_rate / replicas;
  simulated_engine engine = engine_of(request.model, planned.share, planned.mesh, planned.where);
  engine.replicas = 1;
  engine.max_running = std::min(engine.max_running, planning_requests);
  const replica_step_times times{request.model, planned.share,      planned.mesh,
                                 planned.where, engine.max_running, request.constants};
  return ask(engine, traffic, times, replicas);
}

}  // namespace detail

/// Requests a second up to which the slices of a plan keep the targets of its request, which has a rate, also without
/// spare ones: those for mean times by the closed form, those by percentile in simulations, to 1 %. Worked: without
/// targets it is the capacity of all slices.
[[nodiscard]] inline per_second capacity_at_targets(const serving_request& request, const serving_plan& planned) {
  const std::int64_t left = planned.slices - planned.spare;
  const per_second means = detail::capacity_of_means(request, planned) * static_cast<double>(left);
  if (!any_target(request.job.percentiles)) return means;
  return detail::ask_replica(
      request, planned, [&](const auto& engine, const auto& traffic, const auto& times, double replicas) {
        // The planned rate keeps the targets, although the search may end up to 1 % below it.
        const double slower = detail::slowed(request);
        simulated_traffic closer = traffic;
        closer.rate *= slower;
        const per_second each =
            largest_rate(engine, closer, times, shortened(request.job.percentiles, slower), means / replicas * slower) /
            slower;
        const per_second most = min(means, each * replicas);
        return max(request.job.request_rate, most);
      });
}

/// The chance that a plan with targets by percentile and a rate keeps them, also without spare slices, where every step
/// takes as much longer or shorter than estimated as the band says, the least of that of the first token and that of a
/// token, and as much longer as what is taken of the capacity. Throws as `largest_slowdown` does. Worked: a
/// plan that just keeps its targets has a chance of one half.
[[nodiscard]] inline double chance_at_targets(const serving_request& request, const serving_plan& planned) {
  return detail::ask_replica(
      request, planned, [&](const auto& engine, const auto& traffic, const auto& times, double /*replicas*/) {
        return detail::slowdown_and_chance(engine, requests_of(traffic), times, request.job.percentiles,
                                           planned.estimate, detail::slowed(request))
            .chance;
      });
}

namespace detail {

inline fleet_offer offer_of(const serving_request& request, text<24> hardware, serving_plan_answer answer) {
  fleet_offer offer;
  offer.hardware = hardware;
  for (const rejected_server& lost : answer.rejected) offer.why = std::max(offer.why, lost.why);
  if (answer.plans.empty()) return offer;
  offer.is_possible = true;
  offer.planned = std::move(answer.plans.front());
  offer.capacity = capacity_at_targets(request, offer.planned);
  return offer;
}

/// Whole machines of a GPU at peak rates, on demand.
inline fleet_offer gpu_fleet(serving_request request, const gpu_offer& gpu) {
  const slice server = gpu_server(gpu, gpu.per_machine);
  request.constants = peak_only;
  request.chips = {server.chip};
  request.kinds = {provisioning::on_demand};
  request.regions = {"us"};
  if (!has_peak_rate(server.chip, request.job.activations)) request.job.activations = dtype::bf16;
  if (gpu.on_demand.has_value())
    request.prices =
        price_book{}.with(server.chip, "us", provisioning::on_demand, gpu.on_demand.value(), gpu.date.view());
  serving_request means = request;
  means.job.percentiles = {};
  plan_search all{means,
                  {means.model, means.job, means.constants, request.job.percentiles, most_planning_steps, slowed(means),
                   means.drawn},
                  price_index(means)};
  all.any_engine = true;
  search_server(all, server);
  decide_layouts(all);
  serving_plan_answer answer = answer_of(all);
  if (all.rates.are_needed()) {
    for (serving_plan& planned : answer.plans) planned.simulated = simulated_replica(all, planned);
  }
  fleet_offer offer = offer_of(request, gpu.name, std::move(answer));
  offer.at_peak = true;
  return offer;
}

}  // namespace detail

/// The cheapest fleet of each generation of the table, or of those that the request allows, and of whole machines of
/// some GPUs at peak rates (`peak_only`: no run calibrates them, and their links take no time), which is a bound that
/// they do not reach. Possible fleets come first, the cheapest of them first. Throws as `plan_serving` does. Worked: of
/// v6e, v5e, v2, tpu8t, H100 and L4 there are five offers, because tpu8t has no slices.
[[nodiscard]] inline std::vector<fleet_offer> cheapest_fleets(serving_request request,
                                                              const std::vector<gpu_offer>& gpus = {}) {
  const std::vector<std::string> wanted = request.generations;
  request.best = objective::cheapest;
  request.most_plans = 1;
  std::vector<fleet_offer> offers;
  for (const chip_spec& chip : generations) {
    if (!wanted.empty() && std::none_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
          return detail::chip_named(request, "plan.generations", one) == chip.name;
        }))
      continue;
    request.generations = {std::string(chip.name.view())};
    serving_plan_answer answer = plan_serving(request);
    if (answer.plans.empty() && answer.rejected.empty()) continue;  // announced: it has no slices
    offers.push_back(detail::offer_of(request, chip.name, std::move(answer)));
    if (offers.back().is_possible && any_target(request.job.percentiles))
      offers.back().chance = chance_at_targets(request, offers.back().planned);
  }
  for (const gpu_offer& gpu : gpus) offers.push_back(detail::gpu_fleet(request, gpu));
  detail::rank_in_order(offers, [](const fleet_offer& one) {
    const serving_estimate& estimate = one.planned.estimate;
    if (!one.is_possible) return detail::rank_figures{1};
    return detail::rank_figures{0, one.planned.rate.value(), estimate.per_token.total.value(),
                                estimate.first_token.value()};
  });
  return offers;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
