#ifndef TPUPLAN_SHOW_VIEWS_PLAN_SERVING_HPP
#define TPUPLAN_SHOW_VIEWS_PLAN_SERVING_HPP

#include <algorithm>
#include <string>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/show/svg/frontier.hpp>
#include <tpuplan/show/text/lost.hpp>
#include <tpuplan/show/views/plan.hpp>
#include <tpuplan/show/views/plan_traffic.hpp>
#include <tpuplan/show/views/serving.hpp>
#include <tpuplan/simulate/slowdown.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to plan_serving.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// Whether two plans are the same offer under different slice names: equal replicas, chips, price, and times with their
/// bands, which replicas of a host and over several hosts do not share.
[[nodiscard]] inline bool is_same_offer(const serving_plan& one, const serving_plan& other) {
  return one.where.chip.name == other.where.chip.name &&
         chips(one.where) * one.slices == chips(other.where) * other.slices && one.mesh.tensor == other.mesh.tensor &&
         one.mesh.cache == other.mesh.cache && one.mesh.attention == other.mesh.attention && one.kind == other.kind &&
         one.region == other.region && one.rate == other.rate &&
         one.estimate.per_token.total == other.estimate.per_token.total &&
         one.estimate.per_token.low == other.estimate.per_token.low &&
         one.estimate.per_token.high == other.estimate.per_token.high &&
         one.estimate.first_token == other.estimate.first_token &&
         one.estimate.first_token_low == other.estimate.first_token_low &&
         one.estimate.first_token_high == other.estimate.first_token_high;
}
/// The plans without repetitions of an offer under another slice name, each with the names of its offer: "..." stands
/// for those beyond forty letters.
[[nodiscard]] inline std::vector<std::pair<std::string, const serving_plan_row*>> offers_of(
    const serving_plan_document& answer) {
  std::vector<std::pair<std::string, const serving_plan_row*>> offers;
  for (const serving_plan_row& row : answer.plans) {
    const std::string words = joined({std::to_string(row.slices), " x ", row.slice});
    const auto same = std::find_if(offers.begin(), offers.end(),
                                   [&](const auto& one) { return is_same_offer(one.second->plan, row.plan); });
    if (same == offers.end()) {
      offers.emplace_back(words, &row);
    } else if (same->first.size() + words.size() <= 40) {
      same->first += " or " + words;
    } else if (same->first.back() != '.') {
      same->first += " ...";
    }
  }
  return offers;
}
/// Dollars an hour of all its slices.
[[nodiscard]] inline view_cell hour_cell(const serving_plan& offer, const view_options& options) {
  return marked(usd{in_usd_per_hour(offer.rate)}, offer.price, options);
}
/// How a serving plan is paid for, in words.
[[nodiscard]] inline std::string paid_words(const serving_plan& offer, const view_options& options) {
  return joined({name(offer.kind), ", ", offer.region, ", ", dated(offer.price.date, options)});
}
/// The column of these words.
[[nodiscard]] inline std::string paid_column(std::string_view tildes, const serving_plan_document& answer) {
  return paid_column(tildes, answer.plans, [](const serving_plan_row& row) { return row.plan.price; });
}
/// The chance that the targets are kept: of two for means, that of the one that is kept less surely.
[[nodiscard]] inline view_cell kept_cell(const serving_plan_row& row) {
  if (row.chance_at_targets) return share_cell(*row.chance_at_targets);
  if (!row.chance_to_keep_ttft && !row.chance_to_keep_tpot) return cell("");
  const double least = std::min(row.chance_to_keep_ttft.value_or(1), row.chance_to_keep_tpot.value_or(1));
  return chance_cell(least);
}
/// Whether plans that were simulated say with what chance they keep their targets.
[[nodiscard]] inline bool says_kept(const serving_plan_document& answer) {
  const auto has_chance = [](const serving_plan_row& row) { return row.chance_at_targets.has_value(); };
  return !answer.traffic || std::any_of(answer.plans.begin(), answer.plans.end(), has_chance);
}
/// The plans for an encoder.
[[nodiscard]] inline view_part embedders_part(const serving_plan_document& answer, const view_options& options) {
  const latency_targets& targets = answer.request.job.percentiles;
  const bool routed = answer.traffic.has_value(), simulated = routed || any_target(targets);
  view_part part =
      table_of(joined({"slices | ~~>chips | ~~~replica | ~~>in a step | >",
                       simulated ? target_title("answer", targets.first_token) : std::string("answer:s"),
                       simulated && says_kept(answer) ? " | ~>kept" : "",
                       " | ~>up to | ~>tokens/s | >an hour:usd | >million in:usd | >million requests:usd | "
                       "~>HBM per device:bytes | ",
                       paid_column("~~~", answer)}));
  for (const auto& [words, row] : offers_of(answer)) {
    const serving_plan& offer = row->plan;
    const serving_estimate& estimate = offer.estimate;
    const double rate = estimate.input_tokens.value() * static_cast<double>(row->slices);
    std::vector<view_cell> cells{
        cell(words), count_cell(row->chips), cell(row->replica), number_cell(estimate.running, 1),
        cell(simulated ? reached_of(offer.simulated.first_token.value, targets.first_token) : estimate.first_token)};
    if (simulated && says_kept(answer)) cells.push_back(kept_cell(*row));
    cells.insert(cells.end(),
                 {cell(rate_words(row->capacity_requests) + "/s", row->capacity_requests.value()),
                  cell(count(rate), rate), hour_cell(offer, options), marked(offer.cost.input, offer.price, options),
                  marked(offer.cost.requests, offer.price, options),
                  used_cell(estimate.memory.total, estimate.memory.usable), cell(paid_words(offer, options))});
    part.rows.push_back(std::move(cells));
  }
  return part;
}
/// What the best plan is, in a sentence.
[[nodiscard]] inline std::string best_words(const serving_plan_document& answer) {
  const serving_plan_row& best = answer.plans.front();
  const bool writes = answer.request.job.output.mean > 0;
  const seconds first = best.simulated_first_token.value_or(best.first_token);
  const std::string what =
      joined({slices_words(best.slice, best.slices), " (", std::to_string(best.chips), " chips) is the ",
              spaced(name(answer.request.best)), ": ", money(usd{in_usd_per_hour(best.rate)}), " an hour, "});
  if (!writes)
    return joined({what, money(best.million_requests), " a million requests; the answer after ", duration(first), "."});
  return joined({what, money(best.million_all_on_output), " a million output tokens; the first token after ",
                 duration(first), ", each other within ", duration(best.simulated_per_token.value_or(best.per_token)),
                 "."});
}
/// The plans; those that were simulated show the percentiles that they were asked for.
[[nodiscard]] inline view_part services_part(const serving_plan_document& answer, const view_options& options) {
  const latency_targets& targets = answer.request.job.percentiles;
  const bool routed = answer.traffic.has_value(), writes = answer.request.job.output.mean > 0;
  const bool found = routed && have_prefixes(answer.traffic->sessions), simulated = routed || any_target(targets);
  if (!writes) return embedders_part(answer, options);
  const serving_job& job = answer.request.job;
  const bool held = job.ttft_target.value() > 0 || job.tpot_target.value() > 0, ranged = job.request_rate.value() == 0;
  const bool has_later = !tpuplan::detail::has_one_token(job);  // tokens, which alone have a time
  view_part part = table_of(
      simulated
          ? joined({"slices | ~~>chips | ~~~replica | >", target_title("first", targets.first_token), " | >",
                    target_title("token", targets.per_token), " | ", targets.end_to_end.limit.value() > 0 ? "" : "~~~",
                    ">", target_title("request", targets.end_to_end), " | ~~~>running", found ? " | ~>found" : "",
                    says_kept(answer) ? " | ~>kept" : "",
                    " | ~~>busy | >an hour:usd | >million out:usd | ~~~>HBM per device:bytes | ",
                    paid_column("~~~", answer)})
          : joined({"slices | ~~>chips | ~~~replica | ~~~>running | ~>first token:s | >each token:s | ~~~>between:s | ",
                    held ? "~~~>kept | " : "", "~>tokens/s | >an hour:usd | >million out:usd | ",
                    ranged ? "~~~>out between:usd | " : "", "~>HBM per device:bytes | ", paid_column("~~", answer)}));
  for (const auto& [words, row] : offers_of(answer)) {
    const serving_plan& offer = row->plan;
    const simulation_report& report = offer.simulated;
    const serving_estimate& estimate = offer.estimate;
    const double rate = row->output_tokens.value();
    std::vector<view_cell> cells{cell(words), count_cell(row->chips), cell(row->replica)};
    if (simulated) {
      cells.insert(cells.end(),
                   {cell(reached_of(report.first_token.value, targets.first_token)),
                    token_cell(reached_of(report.per_token.value, targets.per_token)),
                    cell(reached_of(report.end_to_end.value, targets.end_to_end)), number_cell(report.running, 1)});
      if (found) cells.push_back(share_cell(row->routed->prefixes.on_chips + row->routed->prefixes.on_hosts));
      if (says_kept(answer)) cells.push_back(kept_cell(*row));
      cells.push_back(share_cell(report.busy));
    } else {
      cells.insert(cells.end(), {number_cell(estimate.running, 1), cell(estimate.first_token),
                                 has_later ? cell(estimate.per_token.total) : cell(""),
                                 has_later ? range_cell(estimate.per_token.low, estimate.per_token.high) : cell("")});
      if (held) cells.push_back(kept_cell(*row));
      cells.push_back(cell(count(rate), rate));
    }
    cells.insert(cells.end(), {hour_cell(offer, options), marked(row->million_all_on_output, offer.price, options)});
    if (!simulated && ranged)
      cells.push_back(range_cell(row->million_all_on_output_low, row->million_all_on_output_high));
    cells.insert(cells.end(),
                 {used_cell(estimate.memory.total, estimate.memory.usable), cell(paid_words(offer, options))});
    part.rows.push_back(std::move(cells));
  }
  return part;
}

/// The last of the four digits that are written of so many milliseconds, in seconds; no less than a tenth of one.
[[nodiscard]] inline double last_digit_of_ms(double amount) {
  return amount >= 1 ? std::pow(10, std::floor(std::log10(amount)) - 3) : 1e-4;
}
/// Needed amounts are rounded up, so that the printed amount is enough. Worked: 7.2633 s are "7264 ms".
[[nodiscard]] inline std::string amount_words(plan_limit limit, double amount, bool up) {
  const auto rounded = [&](double unit) { return up ? math::ceil(amount / unit) * unit : amount; };
  switch (limit) {
    case plan_limit::tpot:
    case plan_limit::ttft:
    case plan_limit::targets:
    case plan_limit::first_token:
    case plan_limit::per_token:
    case plan_limit::end_to_end: return four_digits(rounded(last_digit_of_ms(amount)) * 1e3) + " ms";
    case plan_limit::budget: return "$" + fixed(rounded(0.01 / 3600) * 3600, 2) + "/h";
    case plan_limit::chips:
    case plan_limit::smallest_chips: return fixed(amount, 0);
    default: break;
  }
  return "";
}
/// A limit of a serving plan with its unit, in words.
[[nodiscard]] inline std::string limit_words(plan_limit limit, const latency_targets& targets) {
  switch (limit) {
    case plan_limit::targets: return "both targets";
    case plan_limit::first_token: return "ttft-" + share_words(targets.first_token.share);
    case plan_limit::per_token: return "tpot-" + share_words(targets.per_token.share);
    case plan_limit::end_to_end: return "e2e-" + share_words(targets.end_to_end.share);
    default: return limit_words(limit);
  }
}
/// The same of a target of which the other one is relaxed too.
[[nodiscard]] inline std::string amounts_words(plan_limit limit, double amount, const std::optional<seconds>& ttft,
                                               bool is_needed) {
  const std::string words = amount_words(limit, amount, is_needed);
  return ttft ? "tpot " + words + ", ttft " + amount_words(limit, ttft->value(), is_needed) : words;
}
/// The table of limits that let a serving plan in; `has_changes`: other changes are listed beside it.
[[nodiscard]] inline view_part relaxed_part(const serving_request& request,
                                            const std::vector<relaxed_serving_row>& rows, const view_options& options,
                                            bool has_changes) {
  if (rows.empty()) {
    std::string words = "no single limit, relaxed by itself, lets a plan in";
    if (!has_changes)
      words += options.names_options ? ": --serving-weights int8, --kv-dtype fp8, shorter --input-len and --output-len"
                                     : ": weights in int8, a cache in fp8, shorter prompts and outputs";
    return {{}, {std::move(words)}, {}, {}, {}, false};
  }
  view_part part = table_of("limit | is | would have to be | for", "what to relax, one limit at a time");
  std::vector<price_row> prices;
  for (const relaxed_serving_row& relaxed : rows) {
    const serving_plan& offer = relaxed.plan.plan;
    const bool is_simulated = offer.simulated.requests > 0 && request.job.output.mean > 0;
    const seconds each = is_simulated ? offer.simulated.per_token.value.mean : whole_time_of(offer.estimate).total;
    const std::string given = given_words(relaxed.limit, request),
                      needed = needed_words(relaxed.limit, offer.price, offer.where);
    part.rows.push_back(
        {cell(limit_words(relaxed.limit, request.job.percentiles)),
         cell(given.empty() ? amounts_words(relaxed.limit, relaxed.given, relaxed.given_ttft, false) : given),
         cell(needed.empty() ? amounts_words(relaxed.limit, relaxed.needed, relaxed.needed_ttft, true) : needed),
         cell(joined({slices_words(relaxed.plan.slice, relaxed.plan.slices), ", ", duration(each),
                      request.job.output.mean > 0 ? " a token, " : " a request, ",
                      marked(cell(usd{in_usd_per_hour(offer.rate)}), is_doubtful(offer.price, options)).text, "/h (",
                      name(offer.kind), ")"}))});
    prices.push_back(offer.price);
  }
  add_doubts(part.notes, prices, options);
  return part;
}

}  // namespace readable

/// Throughput against the time of a token, of one slice of each of the first five plans that differ in it.
[[nodiscard]] inline std::vector<picture> pictures_of(const serving_plan_document& answer) {
  constexpr std::size_t most_lines = 5;
  const serving_request& asked = answer.request;
  frontier_chart chart;
  chart.title = "Throughput and time per token of one slice" + readable::of_model(asked.model);
  for (const serving_plan_row& row : answer.plans) {
    const std::string label = row.slice + ", tensor " + std::to_string(row.plan.mesh.tensor);
    const auto is_drawn = [&](const frontier_line& line) { return line.label == label; };
    if (!writes_tokens(asked.model) || std::any_of(chart.lines.begin(), chart.lines.end(), is_drawn)) continue;
    if (chart.lines.size() == most_lines) break;
    chart.lines.push_back(
        {label, tpuplan::frontier(asked.model, asked.job, row.plan.mesh, row.plan.where, asked.constants)});
  }
  if (chart.lines.empty()) return {};
  return {picture_of("front", chart)};
}

namespace readable {

/// How the first plan was simulated, and what its router and its prefixes do.
inline void add_traffic(std::vector<std::string>& to, const serving_plan_document& answer,
                        const view_options& options) {
  const serving_plan_row& best = answer.plans.front();
  const latency_targets& targets = answer.request.job.percentiles;
  const simulation_report& report = best.plan.simulated;
  if (!answer.traffic && any_target(targets))
    to.push_back(
        joined({"each rests on one replica: of the first plan ", std::to_string(report.requests),
                " requests at the rate that was asked for, ", four_digits(report.arrivals.value()), " a second"}));
  if (best.split) to.push_back("the first plan " + split_words(*best.split, best.plan, targets, options));
  const slice& where = best.plan.where;
  if (!answer.traffic && answer.request.job.request_rate.value() > 0 && best.slices - best.spare > 1 &&
      answer.request.model.kind == architecture::decoder && !published_transfer(where.chip))
    to.push_back(
        joined({"whether to split prefill and decode is not known: no rate at which caches are sent is "
                "published for ",
                where.chip.name.view()}));
  if (!answer.traffic) return;
  const bool is_only = best.slices * best.plan.estimate.replicas == 1;
  const std::string part =
      best.routed->slices == best.slices
          ? std::string("all replicas are simulated: of the first plan ")
          : joined({std::to_string(best.routed->slices), " of the ", std::to_string(best.slices),
                    " slices of the first plan are simulated, with their share of the requests: "});
  to.push_back(joined({part, std::to_string(report.requests), " requests, ", four_digits(report.arrivals.value()),
                       " a second", is_only ? std::string() : joined({"; routing: ", name(best.routed->routing)}),
                       is_only || answer.routers.size() < 2 ? "" : ", with which they end earliest"}));
  if (have_prefixes(answer.traffic->sessions))
    to.push_back(found_words(best.routed->prefixes) + (is_only ? std::string() : busiest_words(best.routed->busiest)));
}

}  // namespace readable

/// What a reader sees of a plan of serving. Worked: where no plan is feasible, the first part says what to relax.
[[nodiscard]] inline view view_of(const serving_plan_document& answer, const view_options& options = {}) {
  using namespace readable;
  const serving_request& request = answer.request;
  const serving_job& job = request.job;
  const double rate = job.request_rate.value();
  view shown;
  shown.title =
      joined({request.model.name.view(), ": prompts of ", fixed(job.prompt.mean, 0),
              job.output.mean > 0 ? " and outputs of " + fixed(job.output.mean, 0) : std::string(), " tokens",
              rate > 0 ? ", " + counted(std::string_view(four_digits(rate)), "request") + " a second" : std::string(),
              job.concurrency > 0 ? ", " + std::to_string(job.concurrency) + " at once" : std::string()});
  std::vector<price_row> prices;
  if (answer.plans.empty()) {
    shown.sentences = {"no slice does it within these limits"};
    shown.summary = "No slice does it within these limits.";
    const bool has_changes = answer.changes.has_value() && any_target(job.percentiles);
    if (answer.relax) shown.parts = {relaxed_part(request, *answer.relax, options, has_changes)};
    if (answer.traffic) shown.sentences.emplace_back("limits are not relaxed behind a router: all of it is simulated");
    if (has_changes)
      shown.parts.push_back(changes_part(answer.changes.value_or(std::vector<serving_change_row>{}), 0, options));
  } else {
    const serving_plan_row& best = answer.plans.front();
    const std::string targets = targets_words(job.percentiles);
    add_means_held(shown.sentences, job, options);
    shown.sentences.push_back(
        joined({name(request.best), " first",
                targets.empty() ? std::string(answer.traffic ? "; simulated" : "") : "; " + targets + ", simulated"}));
    view_part part = services_part(answer, options);
    add_traffic(part.notes, answer, options);
    if (best.chance_to_keep_ttft || best.chance_to_keep_tpot)
      part.notes.push_back(joined(
          {"within the band of the estimate the first plan keeps ",
           best.chance_to_keep_ttft ? "the first token with a chance of " + chance_words(*best.chance_to_keep_ttft)
                                    : "",
           best.chance_to_keep_ttft && best.chance_to_keep_tpot ? " and " : "",
           !best.chance_to_keep_tpot  ? std::string()
           : best.chance_to_keep_ttft ? "each token with one of " + chance_words(*best.chance_to_keep_tpot)
                                      : "each token with a chance of " + chance_words(*best.chance_to_keep_tpot),
           best.spare > 0 ? " while its spare slices are lost" : ""}));
    if (best.chance_at_targets)
      part.notes.push_back(
          joined({"within the band of the estimate the first plan keeps its targets with a chance of ",
                  percent(*best.chance_at_targets), best.spare > 0 ? " while its spare slices are lost" : ""}));
    std::vector<provisioning> kinds;
    for (const serving_plan_row& row : answer.plans) {
      prices.push_back(row.plan.price);
      kinds.push_back(row.plan.kind);
    }
    if (best.spare > 0)
      part.notes.push_back(
          joined({"of the first plan ", counted(best.spare, "slice"), " may be lost: the others have the ",
                  job.output.mean > 0 ? "first token" : "answer", " after ", duration(*best.first_token_without_spare),
                  job.output.mean > 0 ? ", each other within " + duration(*best.per_token_without_spare) : ""}));
    if (const std::string load = load_words(job.request_rate, best.capacity_requests); !load.empty())
      part.notes.push_back("the first plan: " + load);
    if (best.adapters) part.notes.push_back("of the first plan " + adapter_words(*best.adapters));
    part.notes.push_back("prices of " + dates_of(prices, options));
    add_doubts(part.notes, prices, options);
    add_terms(part.notes, kinds);
    if (best.slices > 1)
      part.notes.push_back(
          joined({"each of the ", std::to_string(best.slices), " slices takes its part of the requests"}));
    shown.parts.push_back(std::move(part));
    if (answer.routers.size() > 1) shown.parts.push_back(routers_part(answer.routers, best, job.percentiles));
    shown.summary = best_words(answer);
  }
  if (options.drawn) shown.pictures = pictures_of(answer);
  add_lost(shown, answer.lost, [](const lost_servers_row& one) { return one.why; });
  add_assumed(shown, answer.assumed, options);
  if (answer.plans.empty()) return shown;
  add_prices(shown, prices);
  shown.next = {answer.traffic ? next_step{"simulate", {}, "its requests, one by one"}
                               : next_step{"serve", {}, "its breakdown and frontier"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
