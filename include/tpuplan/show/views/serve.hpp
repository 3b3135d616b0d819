#ifndef TPUPLAN_SHOW_VIEWS_SERVE_HPP
#define TPUPLAN_SHOW_VIEWS_SERVE_HPP

#include <string>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/show/svg/frontier.hpp>
#include <tpuplan/show/views/serving.hpp>
#include <vector>

/// @file
/// What a reader sees of the answer to serve.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// Why a slice does not serve this, and what would help.
[[nodiscard]] inline view refused_view(const serve_answer& a, const view_options& options) {
  const serving_estimate& e = a.estimate;
  view shown;
  std::string why;
  switch (e.refusal) {
    case serving_refusal::none: break;
    case serving_refusal::does_not_fit: {
      shown.title = joined({"does not fit: ", a.model, " on ", a.slice});
      const std::string beside = a.largest_context == 0
                                     ? std::string("no cache fits beside them")
                                     : joined({"the longest context that fits is ", std::to_string(a.largest_context),
                                               " tokens, ", std::to_string(longest_context(a.job)), " were asked for"});
      shown.sentences = {joined({"weights take ", fixed(in_gib(e.memory.weights), 1), " of ",
                                 fixed(in_gib(e.memory.usable), 1), " GiB on each device; ", beside})};
      why = "on which slices it fits";
      break;
    }
    case serving_refusal::rate_above_capacity: {
      const double rate = a.job.request_rate.value(), capacity = e.capacity.value();
      shown.title = joined({"too many requests: ", a.model, " on ", a.slice, " serves below ", four_digits(capacity),
                            " a second, ", four_digits(rate), " were asked for"});
      shown.sentences = {fixed(math::floor(rate / capacity) + 1, 0) + " such slices can serve them"};
      if (a.targets) shown.parts.push_back(changes_part(a.changes, 1, options));
      why = "how many of which slices serve it for least";
      break;
    }
    case serving_refusal::tpot_below_floor:
    case serving_refusal::ttft_below_floor: {
      const bool tpot = e.refusal == serving_refusal::tpot_below_floor;
      shown.title = joined({"no engine is that fast: ", a.model, " on ", a.slice, " takes ", duration(e.floor),
                            tpot ? " for each token" : " to the first token", " or more, ",
                            duration(tpot ? a.job.tpot_target : a.job.ttft_target), " was asked for"});
      shown.sentences = {joined({"most of it goes to ", name(e.floor_limited_by), " at peak rates"})};
      why = "which slices are fast enough";
    }
  }
  shown.summary = joined({"Not served: ", shown.title, "; ", shown.sentences.front(), "."});
  shown.next = {{"plan_serving", {}, why}};
  return shown;
}

/// The time of a token by part.
[[nodiscard]] inline view_part token_part(const token_time& t) {
  view_part part = table_of("part of a token's time | >time:s | >share");
  const auto row = [&](std::string_view label, seconds time) {
    if (time.value() > 0) part.rows.push_back({cell(label), cell(time), share_cell(time / t.total)});
  };
  row(t.step.products > t.step.weights ? "products" : "reading weights", max(t.step.products, t.step.weights));
  row("reading keys and values", t.step.cache);
  row("pages of the cache", t.step.paging);
  row("dispatch to experts", t.step.dispatch);
  row("collectives", t.step.collectives);
  row("per layer", t.step.latency);
  row("prefill in between", t.prompts);
  row("waiting for the host", t.engine);
  row("total", t.total);
  return part;
}
/// Throughput against the time of a token.
[[nodiscard]] inline view_part frontier_part(const serve_answer& a) {
  view_part part = table_of(">running | >per token:s | >tokens/s | >per chip");
  for (std::size_t i = 0; i < a.frontier.count; ++i) {
    const frontier_point& p = a.frontier.points[i];
    const double rate = p.output_tokens.value(), each = rate / static_cast<double>(a.chips);
    part.rows.push_back(
        {number_cell(p.running, 0), cell(p.per_token), cell(count(rate), rate), cell(count(each), each)});
  }
  return part;
}
/// Dollars for a million tokens under each way of paying.
[[nodiscard]] inline view_part token_prices_part(const serve_answer& a, const view_options& options) {
  if (a.costs.empty()) return {{}, {joined({"no price for ", slice_for(a.slice).chip.name.view()})}, {}, {}, {}, false};
  view_part part = table_of("a million tokens | >input:usd | >output:usd | >all on output:usd | price of");
  std::vector<provisioning> kinds;
  std::vector<price_row> prices;
  for (const token_price& one : a.costs) {
    kinds.push_back(one.provisioning);
    prices.push_back(one.price);
    part.rows.push_back(
        {cell(name(one.provisioning)), cell(usd{one.input_usd_per_million}), cell(usd{one.output_usd_per_million}),
         marked(usd{one.all_on_output_usd_per_million}, one.price, options), cell(dated(one.price_date, options))});
  }
  add_doubts(part.notes, prices, options);
  add_terms(part.notes, kinds);
  return part;
}
/// Adds the advice of a serving estimate.
inline void add_served_advice(view& to, const serve_answer& a) {
  if (a.advice.empty()) return;
  view_part part;
  part.title = "advice, one change at a time";
  for (const served_change& f : a.advice)
    part.sentences.push_back(
        joined({f.words, ": ", count(f.output_tokens_per_s_then), " instead of ", count(f.output_tokens.value()),
                " output tokens/s", a.job.request_rate.value() > 0 ? " of capacity" : "", ", ",
                duration(f.per_token_then), " per token; ", percent(f.gain), " less chip time a token"}));
  to.parts.push_back(std::move(part));
}
/// What a slice does with its traffic, in sentences.
[[nodiscard]] inline std::vector<std::string> served_sentences(const serve_answer& a, const view_options& options) {
  const serving_estimate& e = a.estimate;
  std::vector<std::string> words{
      joined({"memory ", used_of(e.memory.total, e.memory.usable), ": ", verdict_words(e.fit), "; ",
              std::to_string(e.largest_running), " sequences can run at once", e.replicas > 1 ? " in each" : "", ", ",
              fixed(e.running, 1), " do"}),
      joined({"first token ", duration(e.first_token),
              e.queue > 1e-3 * e.first_token ? " (" + duration(e.queue) + " of it waiting)" : std::string(),
              e.meets_ttft ? "" : ", longer than the target"}),
      joined({"each token  ", duration(e.per_token.total), " (between ", duration(e.per_token.low), " and ",
              duration(e.per_token.high), e.per_token.extrapolated ? "; no published run is on such a chip" : "", ")",
              e.meets_tpot ? "" : ", longer than the target"}),
      joined({count(e.output_tokens.value()), " output tokens/s, ",
              count(e.output_tokens.value() / static_cast<double>(a.chips)), " per chip; ",
              fixed(e.requests.value(), 2), " requests/s of at most ", fixed(e.capacity.value(), 2), "; ",
              fixed(e.prefill_servers, 2), " prefill servers for each decode server"})};
  add_means_held(words, a.job, options);
  return words;
}

}  // namespace readable

/// Throughput against the time of a token; none where nothing is served.
[[nodiscard]] inline std::vector<picture> pictures_of(const serve_answer& answer) {
  if (answer.frontier.count == 0) return {};
  const frontier_chart chart{"Throughput and time per token on " + answer.slice, {{answer.slice, answer.frontier}}};
  return {picture_of("front", chart)};
}

/// What a reader sees of a slice that serves. Worked: where the model does not fit the title begins with "does not
/// fit".
[[nodiscard]] inline view view_of(const serve_answer& a, const view_options& options = {}) {
  using namespace readable;
  const serving_estimate& e = a.estimate;
  if (e.refusal != serving_refusal::none) {
    view shown = refused_view(a, options);
    add_assumed(shown, a.assumed, options);
    return shown;
  }
  view shown;
  shown.title =
      joined({a.model, " on ", e.replicas > 1 ? std::to_string(e.replicas) + " replicas on " : std::string(), a.slice,
              ", ", fixed(a.job.prompt.mean, 0), " prompt tokens and ", fixed(a.job.output.mean, 0), " output tokens"});
  shown.sentences = served_sentences(a, options);
  shown.summary = joined({a.slice, " gives ", count(e.output_tokens.value()), " output tokens/s at ",
                          duration(e.per_token.total), " a token, nine of ten between ", duration(e.per_token.low),
                          " and ", duration(e.per_token.high), "; the first one after ", duration(e.first_token),
                          ". It ", a.fits == verdict::uncertain ? "may not fit" : verdict_words(a.fits), ".",
                          !a.meets_targets   ? ""
                          : *a.meets_targets ? " The targets by percentile are kept."
                                             : " The targets by percentile are missed."});
  shown.parts = {token_part(e.per_token)};
  if (a.simulated) {
    shown.parts.push_back(report_part(*a.simulated, *a.targets));
    if (!meets(*a.simulated)) shown.parts.push_back(changes_part(a.changes, 1, options));
  }
  shown.parts.push_back(frontier_part(a));
  shown.parts.push_back(token_prices_part(a, options));
  if (options.drawn) shown.pictures = pictures_of(a);
  add_served_advice(shown, a);
  add_assumed(shown, a.assumed, options);
  std::vector<price_row> prices;
  for (const token_price& one : a.costs) prices.push_back(one.price);
  add_prices(shown, prices);
  shown.next = {{"plan_serving", {}, "which slices serve it for less?"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
