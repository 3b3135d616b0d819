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
  return limit == plan_limit::kinds       ? "provisioning"
         : limit == plan_limit::uncertain ? "accept-uncertain"
                                          : std::string(name(limit));
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
  if constexpr (std::is_same_v<Request, plan_request>) {
    if (limit == plan_limit::degrees) return degrees_words(request.degrees);
  }
  return limit == plan_limit::uncertain ? "no" : listed(words);
}
/// What a limit would have to be, in words.
[[nodiscard]] inline std::string needed_words(plan_limit limit, provisioning kind, const slice& where) {
  if (limit == plan_limit::kinds) return std::string(name(kind));
  if (limit == plan_limit::generation) return std::string(where.chip.name.view());
  return limit == plan_limit::uncertain ? "yes" : "";
}
/// How far each limit alone would have to go, and with which plan.
[[nodiscard]] inline view_part relaxed_part(const plan_request& request, const std::vector<relaxed_row>& rows) {
  const std::string untried = request.chance ? "; the deadline and the budget of a chance are not tried" : "";
  if (rows.empty()) return {{}, {"no single limit, relaxed by itself, lets a plan in" + untried}, {}, {}, {}, false};
  view_part part = table_of("limit | is | would have to be | for", "what to relax, one limit at a time");
  for (const relaxed_row& relaxed : rows) {
    const auto words = [&](double amount) -> std::string {
      switch (relaxed.limit) {
        case plan_limit::deadline: return duration(seconds{amount});
        case plan_limit::budget: return money(usd{amount});
        case plan_limit::chance: return chance_words(amount);
        case plan_limit::chips:
        case plan_limit::slices:
        case plan_limit::batch: return fixed(amount, 0);
        default: break;
      }
      return amount > 0 ? counted(fixed(amount, 0), "chip") : "";
    };
    const plan_cost& cost = chosen_cost(relaxed.plan);
    const std::string given = given_words(relaxed.limit, request),
                      needed = relaxed.limit == plan_limit::degrees
                                   ? one_line(relaxed.plan.mesh)
                                   : needed_words(relaxed.limit, cost.kind, relaxed.plan.where);
    part.rows.push_back({cell(limit_words(relaxed.limit)), cell(given.empty() ? words(relaxed.given) : given),
                         cell(needed.empty() ? words(relaxed.needed) : needed),
                         cell(joined({tpuplan::detail::slices_line(relaxed.plan), ", ", money(cost.total), " in ",
                                      duration(cost.wall), " (", name(cost.kind), ")"}))});
  }
  return part;
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif
