#ifndef TPUPLAN_SHOW_VIEWS_RELAXED_HPP
#define TPUPLAN_SHOW_VIEWS_RELAXED_HPP

#include <string>
#include <string_view>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/show/text/lost.hpp>
#include <tpuplan/show/views/common.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of limits that let no plan in: how far each alone would have to go.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// The name of a limit to a reader.
[[nodiscard]] inline std::string limit_words(plan_limit limit) {
  switch (limit) {
    case plan_limit::kinds: return "provisioning";
    case plan_limit::uncertain: return "accept-uncertain";
    case plan_limit::smallest_chips: return "min-chips";
    case plan_limit::regions: return "region";
    case plan_limit::policies: return "remat";
    default: return std::string(name(limit));
  }
}
/// The degrees of a request that are not left to the search. Worked: "tensor 8".
[[nodiscard]] inline std::string degrees_words(const fixed_degrees& of) {
  const fixed_degrees open;
  std::string words;
  for (const auto& [label, degree] : {std::pair("data ", &fixed_degrees::data),
                                      {"fsdp ", &fixed_degrees::fsdp},
                                      {"tensor ", &fixed_degrees::tensor},
                                      {"expert ", &fixed_degrees::expert},
                                      {"context ", &fixed_degrees::context},
                                      {"pipeline ", &fixed_degrees::pipeline}}) {
    if (of.*degree != open.*degree) words += (words.empty() ? "" : ", ") + (label + std::to_string(of.*degree));
  }
  return words;
}
/// A limit that is no number: as the request has it, and as a plan would need it; empty of a number.
template <class Request>
[[nodiscard]] std::string given_words(plan_limit limit, const Request& request) {
  std::vector<std::string_view> words;
  if (limit == plan_limit::kinds) {
    for (const provisioning kind : request.kinds) words.push_back(name(kind));
  }
  if (limit == plan_limit::generation) words.assign(request.generations.begin(), request.generations.end());
  if (limit == plan_limit::regions) words.assign(request.regions.begin(), request.regions.end());
  if constexpr (std::is_same_v<Request, plan_request>) {
    if (limit == plan_limit::degrees) return degrees_words(request.degrees);
    if (limit == plan_limit::policies) {
      for (const remat_policy one : request.policies) words.push_back(name(one));
    }
  }
  return limit == plan_limit::uncertain ? "no" : listed(words);
}
/// What a limit that is no number would have to be, in words.
[[nodiscard]] inline std::string needed_words(plan_limit limit, const price_row& price, const slice& where) {
  if (limit == plan_limit::kinds) return std::string(name(price.kind));
  if (limit == plan_limit::regions) return std::string(price.region.view());
  if (limit == plan_limit::generation) return std::string(where.chip.name.view());
  return limit == plan_limit::uncertain ? "yes" : "";
}
/// A chance rounded down to the digits that `chance_words` writes. Worked: 0.129 is 0.12.
[[nodiscard]] inline double whole_percent(double chance) {
  const double digits = chance > 0.99 ? 1000 : 100;
  return math::floor(chance * digits + 1e-9) / digits;
}
/// An amount of a limit as it is given, or as it would have to be, rounded so that what is printed is enough. Worked: a
/// deadline that would have to be 2.0414 days is "2.05 days".
[[nodiscard]] inline std::string training_amount_words(plan_limit limit, double amount, bool is_needed) {
  const auto enough = [&](const measured& of) { return text(is_needed ? rounded_up(of) : of); };
  switch (limit) {
    case plan_limit::deadline: return enough(measure(seconds{amount}));
    case plan_limit::budget: return enough(measure(usd{amount}));
    case plan_limit::chance: return chance_words(is_needed ? whole_percent(amount) : amount);
    case plan_limit::chips:
    case plan_limit::smallest_chips:
    case plan_limit::slices:
    case plan_limit::batch: return fixed(amount, 0);
    default: break;
  }
  return amount > 0 ? counted(fixed(amount, 0), "chip") : "";
}
/// How far each limit alone would have to go, and with which plan.
[[nodiscard]] inline view_part relaxed_part(const plan_request& request, const std::vector<relaxed_row>& rows,
                                            const view_options& options) {
  if (rows.empty()) return {{}, {"no single limit, relaxed by itself, lets a plan in"}, {}, {}, {}, false};
  view_part part = table_of("limit | is | would have to be | for", "what to relax, one limit at a time");
  std::vector<price_row> prices;
  bool at_risk = false;
  for (const relaxed_row& relaxed : rows) {
    const plan_cost& cost = chosen_cost(relaxed.plan);
    const std::string given = given_words(relaxed.limit, request),
                      needed = relaxed.limit == plan_limit::degrees ? one_line(relaxed.plan.mesh)
                               : relaxed.limit == plan_limit::policies
                                   ? std::string(name(relaxed.plan.job.remat))
                                   : needed_words(relaxed.limit, cost.price, relaxed.plan.where);
    part.rows.push_back(
        {cell(limit_words(relaxed.limit)),
         cell(given.empty() ? training_amount_words(relaxed.limit, relaxed.given, false) : given),
         cell(needed.empty() ? training_amount_words(relaxed.limit, relaxed.needed, true) : needed),
         cell(joined({tpuplan::detail::slices_line(relaxed.plan), ", ", marked(cost.total, cost.price, options).text,
                      relaxed.plan.budget_at_risk ? "^ in " : " in ", duration(cost.wall),
                      relaxed.plan.deadline_at_risk ? "^ (" : " (", name(cost.kind), ")"}))});
    prices.push_back(cost.price);
    at_risk = at_risk || relaxed.plan.budget_at_risk || relaxed.plan.deadline_at_risk;
  }
  if (at_risk) part.notes.emplace_back(at_risk_words);
  add_doubts(part.notes, prices, options);
  return part;
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif
