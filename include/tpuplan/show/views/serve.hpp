#ifndef TPUPLAN_SHOW_VIEWS_SERVE_HPP
#define TPUPLAN_SHOW_VIEWS_SERVE_HPP

#include <string>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/show/svg/frontier.hpp>
#include <tpuplan/show/views/serving.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to serve.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// Tokens of the longest request.
[[nodiscard]] inline std::int64_t longest_of(const serving_job& job) {
  return job.output.mean > 0 ? longest_context(job) : job.prompt.longest;
}
/// Why a slice does not serve this, and what would help.
[[nodiscard]] inline view refused_view(const serve_answer& answer, const view_options& options) {
  const serving_estimate& estimate = answer.estimate;
  view shown;
  std::string why;
  switch (estimate.refusal) {
    case serving_refusal::none: break;
    case serving_refusal::does_not_fit: {
      shown.title = joined({"does not fit: ", answer.model, " on ", answer.slice});
      const std::string beside =
          answer.largest_context == 0
              ? std::string("no cache fits beside them")
              : joined({"the longest context that fits is ", std::to_string(answer.largest_context), " tokens, ",
                        std::to_string(longest_of(answer.job)), " were asked for"});
      const bytes allowed = answer.job.memory_fraction * estimate.memory.usable;
      shown.sentences = {joined(
          {answer.job.beside + answer.job.shared_beside > bytes{0} ? "weights and what is held beside them take "
                                                                   : "weights take ",
           fixed(in_gib(estimate.memory.weights), 1), " GiB and programs ", fixed(in_gib(estimate.memory.workspace), 1),
           " of the ", fixed(in_gib(allowed), 1), " GiB on each device that an engine may use; ", beside})};
      why = "on which slices it fits";
      break;
    }
    case serving_refusal::rate_above_capacity: {
      const double rate = answer.job.request_rate.value(), capacity = estimate.capacity.value();
      shown.title = joined({"too many requests: ", answer.model, " on ", answer.slice, " serves below ",
                            four_digits(capacity), " a second, ", four_digits(rate), " were asked for"});
      shown.sentences = {fixed(math::floor(rate / capacity) + 1, 0) + " such slices can serve them"};
      if (answer.targets) shown.parts.push_back(changes_part(answer.changes, 1, options));
      why = "how many of which slices serve it for least";
      break;
    }
    case serving_refusal::tpot_below_floor:
    case serving_refusal::ttft_below_floor: {
      const bool tpot = estimate.refusal == serving_refusal::tpot_below_floor;
      shown.title = joined({"no engine is that fast: ", answer.model, " on ", answer.slice, " takes ",
                            duration(estimate.floor), tpot ? " for each token" : " to the first token", " or more, ",
                            duration(tpot ? answer.job.tpot_target : answer.job.ttft_target), " was asked for"});
      shown.sentences = {joined({"most of it goes to ", name(estimate.floor_limited_by), " at peak rates"})};
      why = "which slices are fast enough";
    }
  }
  shown.summary = joined({"Not served: ", shown.title, "; ", shown.sentences.front(), "."});
  shown.next = {{"plan_serving", {}, why}};
  return shown;
}

/// The time of a token by part.
[[nodiscard]] inline view_part token_part(const token_time& token) {
  view_part part = table_of("part of a token's time | >time:s | >share");
  const auto row = [&](std::string_view label, seconds time) {
    if (time.value() != 0) part.rows.push_back({cell(label), cell(time), share_cell(time / token.total)});
  };
  row(token.step.products > token.step.weights ? "products" : "reading weights",
      max(token.step.products, token.step.weights));
  row("reading keys and values", token.step.cache);
  row("pages of the cache", token.step.paging);
  row("dispatch to experts", token.step.dispatch);
  row("collectives", token.step.collectives);
  row("per layer", token.step.latency);
  row("prefill in between", token.prompts);
  row("waiting for the host", token.engine);
  row("drafts and verification", token.speculation);
  row("total", token.total);
  return part;
}
/// Throughput against the time of a token.
[[nodiscard]] inline view_part frontier_part(const serve_answer& answer) {
  view_part part = table_of(">running | >per token:s | >tokens/s | >per chip");
  for (std::size_t i = 0; i < answer.frontier.count; ++i) {
    const frontier_point& point = answer.frontier.points[i];
    const double rate = point.output_tokens.value(), each = rate / static_cast<double>(answer.chips);
    part.rows.push_back(
        {number_cell(point.running, 0), cell(point.per_token), cell(count(rate), rate), cell(count(each), each)});
  }
  return part;
}
/// The time of a token with drafts beside that without, and from which acceptance they pay.
[[nodiscard]] inline view_part speculation_part(const serve_answer& answer) {
  view_part part = table_of(
      ">running | >per token:s | >with drafts:s | ~>draft:s | ~>verify:s | >faster | >tokens/s | >pays from | "
      "~>accepted",
      "speculation, " + fixed(answer.speculation.front().tokens, 2) + " tokens a round");
  for (const speculative_time& one : answer.speculation) {
    const double rate = static_cast<double>(answer.estimate.replicas) * one.rate.value();
    part.rows.push_back({number_cell(one.running, 0), cell(one.without), cell(one.per_token), cell(one.draft),
                         cell(one.verify), number_cell(one.speedup, 2), cell(count(rate), rate),
                         one.length_needed > 0 ? number_cell(one.length_needed, 2) : cell("never"),
                         one.length_needed > 0 ? share_cell(one.acceptance_needed) : cell("")});
  }
  part.notes = {"pays from: the tokens of a round from which it does"};
  return part;
}
/// Dollars for a million tokens under each way of paying.
[[nodiscard]] inline view_part token_prices_part(const serve_answer& answer, const view_options& options) {
  if (answer.costs.empty())
    return {{}, {joined({"no price for ", slice_for(answer.slice).chip.name.view()})}, {}, {}, {}, false};
  const bool ranged = answer.job.request_rate.value() == 0;  // a rate is paid by the hour
  view_part part = table_of(joined({"a million tokens | >input:usd | >output:usd | >all on output:usd | ",
                                    ranged ? "~~~>between:usd | " : "", "price of"}));
  std::vector<provisioning> kinds;
  std::vector<price_row> prices;
  for (const token_price& one : answer.costs) {
    kinds.push_back(one.provisioning);
    prices.push_back(one.price);
    part.rows.push_back({cell(name(one.provisioning)), marked(usd{one.input_usd_per_million}, one.price, options),
                         marked(usd{one.output_usd_per_million}, one.price, options),
                         marked(usd{one.all_on_output_usd_per_million}, one.price, options)});
    std::vector<view_cell>& cells = part.rows.back();
    if (ranged)
      cells.push_back(
          range_cell(usd{one.all_on_output_usd_per_million_low}, usd{one.all_on_output_usd_per_million_high}));
    cells.push_back(cell(dated(one.price_date, options)));
  }
  add_doubts(part.notes, prices, options);
  add_terms(part.notes, kinds);
  return part;
}
/// Adds the advice of a serving estimate.
inline void add_served_advice(view& to, const serve_answer& answer) {
  if (answer.advice.empty()) return;
  view_part part;
  part.title = "advice, one change at a time";
  for (const served_change& change : answer.advice)
    part.sentences.push_back(
        joined({change.words, ": ", count(change.output_tokens_per_s_then), " instead of ",
                count(change.output_tokens.value()), answer.encoder ? " requests/s" : " output tokens/s",
                answer.job.request_rate.value() > 0 ? " of capacity" : "", ", ",
                answer.encoder ? std::string() : duration(change.per_token_then) + " per token; ", percent(change.gain),
                " less chip time a ", answer.encoder ? "request" : "token"}));
  to.parts.push_back(std::move(part));
}
/// Requests together in a step of an encoder.
[[nodiscard]] inline view_part together_part(const serve_answer& answer) {
  view_part part = table_of(">requests in a step | >step:s | >requests/s | >tokens/s");
  for (const requests_together& one : answer.encoder->together) {
    const double rate = one.rate.value(), tokens = rate * answer.job.prompt.mean;
    part.rows.push_back({number_cell(static_cast<double>(one.requests), 0), cell(one.step), cell(count(rate), rate),
                         cell(count(tokens), tokens)});
  }
  return part;
}
/// The time of an encoder's step by part.
[[nodiscard]] inline view_part encoder_step_part(const encoder_step& step) {
  view_part part = table_of("part of a step | >time:s | >share");
  const auto row = [&](std::string_view label, seconds time) {
    if (time.value() > 0) part.rows.push_back({cell(label), cell(time), share_cell(time / step.total)});
  };
  row("products", step.device.products);
  row("attention", step.device.attention);
  row("HBM of norms and activations", step.device.elementwise);
  row("reading weights", step.device.weights);
  row("dispatch to experts", step.device.dispatch);
  row("collectives", step.device.collectives);
  row("per layer", step.device.latency);
  row("waiting for the host", max(seconds{0}, step.total - step.device.total));
  row("total", step.total);
  return part;
}
/// Dollars for a million prompt tokens and requests of an encoder.
[[nodiscard]] inline view_part request_prices_part(const serve_answer& answer, const view_options& options) {
  if (answer.costs.empty()) return token_prices_part(answer, options);
  view_part part = table_of("a million | >tokens:usd | >requests:usd | >1000 requests:usd | price of");
  std::vector<provisioning> kinds;
  std::vector<price_row> prices;
  for (const token_price& one : answer.costs) {
    kinds.push_back(one.provisioning);
    prices.push_back(one.price);
    part.rows.push_back({cell(name(one.provisioning)), marked(usd{one.input_usd_per_million}, one.price, options),
                         marked(usd{one.requests_usd_per_million}, one.price, options),
                         marked(usd{one.requests_usd_per_million / 1000}, one.price, options),
                         cell(dated(one.price_date, options))});
  }
  add_doubts(part.notes, prices, options);
  add_terms(part.notes, kinds);
  return part;
}
/// What the name of an engine does to the band of a token. Where others run at once under it, as of requests that come
/// at a rate and are answered later, the two bands are of different steps.
[[nodiscard]] inline std::string engine_words(const serve_answer& answer, const served_software& named,
                                              const view_options& options) {
  const std::string engine = joined({options.names_options ? "--engine " : "the name ", name(named.engine)});
  if (math::abs(*named.running / *answer.unnamed_running - 1) <= 0.01)
    return narrowed_words(engine, "a token", *answer.unnamed_low, *answer.unnamed_high, *named.per_token_low,
                          *named.per_token_high);
  return joined({"where no engine is named ", three_digits(*answer.unnamed_running), " run at once, each token ",
                 duration_range(*answer.unnamed_low, *answer.unnamed_high), "; with ", engine, " ",
                 three_digits(*named.running), ", each token ",
                 duration_range(*named.per_token_low, *named.per_token_high)});
}
/// What is known of the software, and by how much the names of the engine and of its level narrow the band of a token;
/// nothing where none is known.
[[nodiscard]] inline std::string software_words(const serve_answer& answer, const view_options& options) {
  std::vector<std::string> words, ran;
  for (const served_software& one : answer.software) {
    if (one.share >= 0.02) ran.push_back(joined({name(one.engine), " ", fixed(100 * one.share, 0), " %"}));
  }
  if (answer.job.engine == serving_engine::unnamed && !ran.empty())
    words.push_back("no engine is named; sources of such runs have " + listed(ran));
  if (answer.software.empty()) return "";
  const served_software& first = answer.software.front();
  if (answer.unnamed_low && first.per_token_low) words.push_back(engine_words(answer, first, options));
  if (answer.untold_low)
    words.push_back(narrowed_words(
        joined({options.names_options ? "--software " : "the level ", name(answer.job.software)}), "a token",
        *answer.untold_low, *answer.untold_high, answer.estimate.per_token.low, answer.estimate.per_token.high));
  std::string all;
  for (const std::string& one : words) all += (all.empty() ? "" : "; ") + one;
  return all;
}
/// How a time keeps its target. Worked: "; kept with a chance of 78 %", nothing without a target.
[[nodiscard]] inline std::string kept_words(const std::optional<double>& chance, bool met) {
  if (!chance) return "";
  return (met ? "; kept with a chance of " : ", longer than the target; kept with a chance of ") +
         chance_words(*chance);
}
/// What requests that come at a rate meet at the ends of the band of steps. Worked: "with all steps as short and as
/// long as the band has them the first token takes 22.0 ms or more: of requests that come 6.98 a second are served".
[[nodiscard]] inline std::string at_rate_words(const requests_at_rate& ends, bool has_tokens) {
  const auto between = [](seconds low, const std::optional<seconds>& high) {
    return high ? duration_range(low, *high) : duration(low) + " or more";
  };
  std::string words =
      joined({"at this rate, with all steps as short and as long as the band has them: ",
              has_tokens ? "first token " : "answer ", between(ends.first_token_low, ends.first_token_high)});
  if (has_tokens) words += ", each token " + between(ends.per_token_low, ends.per_token_high);
  if (!ends.first_token_high)
    words += "; the longest serve " + rate_words(ends.served_at_most) + " requests/s, fewer than come";
  return words;
}
/// The time of a token; that there is none where requests have no token after the first. Worked: "each token  9.59 ms
/// (between 1.62 ms and 20.9 ms)".
[[nodiscard]] inline std::string token_words(const serve_answer& answer) {
  const serving_estimate& estimate = answer.estimate;
  if (tpuplan::detail::has_one_token(answer.job)) return "requests have one token each, and none after it";
  return joined({"each token  ", duration(estimate.per_token.total), " (between ", duration(estimate.per_token.low),
                 " and ", duration(estimate.per_token.high),
                 !estimate.per_token.extrapolated       ? ""
                 : answer.kind == architecture::decoder ? "; no run of such a model on such a chip is published"
                                                        : "; no run of such a model is published",
                 ")", kept_words(answer.chance_to_keep_tpot, estimate.meets_tpot)});
}
/// What a slice does with its traffic, in sentences.
[[nodiscard]] inline std::vector<std::string> served_sentences(const serve_answer& answer,
                                                               const view_options& options) {
  const serving_estimate& estimate = answer.estimate;
  std::vector<std::string> words{
      joined({"memory ", used_of(estimate.memory.total, estimate.memory.usable), ": ",
              verdict_words(estimate.fit, answer.chance_to_fit), "; ", std::to_string(estimate.largest_running),
              " sequences can run at once", estimate.replicas > 1 ? " in each" : "", ", ", fixed(estimate.running, 1),
              " do"}),
      joined({"first token ", duration(estimate.first_token),
              estimate.queue > 1e-3 * estimate.first_token ? " (" + duration(estimate.queue) + " of it waiting)"
                                                           : std::string(),
              " (between ", duration(estimate.first_token_low), " and ", duration(estimate.first_token_high), ")",
              kept_words(answer.chance_to_keep_ttft, estimate.meets_ttft)}),
      token_words(answer),
      joined({count(estimate.output_tokens.value()), " output tokens/s, ",
              count(estimate.output_tokens.value() / static_cast<double>(answer.chips)), " per chip; ",
              rate_words(estimate.requests), " requests/s of at most ", rate_words(estimate.capacity), "; ",
              fixed(estimate.prefill_servers, 2), " prefill servers for each decode server"})};
  if (answer.at_rate) words.push_back(at_rate_words(*answer.at_rate, !tpuplan::detail::has_one_token(answer.job)));
  if (const std::string load = load_words(answer.job.request_rate, estimate.capacity); !load.empty())
    words.push_back(load);
  if (answer.adapters && answer.job.request_rate.value() > 0)
    words.push_back(adapter_words(*answer.adapters, answer.meets_targets.value_or(true) || !meets(*answer.simulated)));
  else if (answer.adapters)
    words.push_back(
        joined({"adapters take ", fixed(in_gib(answer.adapters->each_device), 2), " GiB of each device; with them ",
                count(answer.adapters->output_tokens_low.value()), " to ",
                count(answer.adapters->output_tokens_high.value()), " output tokens/s: ", slowed_words()}));
  if (std::string software = software_words(answer, options); !software.empty()) words.push_back(std::move(software));
  add_means_held(words, answer.job, options);
  return words;
}

/// What a slice does with requests to an encoder, in sentences.
[[nodiscard]] inline std::vector<std::string> embedded_sentences(const serve_answer& answer,
                                                                 const view_options& options) {
  const serving_estimate& estimate = answer.estimate;
  const encoder_step& step = answer.encoder->step;
  std::vector<std::string> words{
      joined({"memory ", used_of(estimate.memory.total, estimate.memory.usable), ": ",
              verdict_words(estimate.fit, answer.chance_to_fit), "; a step takes ",
              std::to_string(estimate.largest_running), " requests at most, ", fixed(estimate.running, 1), " do"}),
      joined({"answer ", duration(estimate.first_token),
              estimate.queue > 1e-3 * estimate.first_token ? " (" + duration(estimate.queue) + " of it waiting)"
                                                           : std::string(),
              " (between ", duration(estimate.first_token_low), " and ", duration(estimate.first_token_high),
              "; no run of such a model is published)", kept_words(answer.chance_to_keep_ttft, estimate.meets_ttft)}),
      joined({rate_words(estimate.requests), " requests/s of at most ", rate_words(estimate.capacity), "; ",
              count(estimate.input_tokens.value()), " tokens/s, ",
              count(estimate.input_tokens.value() / static_cast<double>(answer.chips)), " per chip"}),
      joined({"a step is limited by ", step.limited_by == decode_limit::overhead ? "the host and fixed times"
                                       : step.limited_by == decode_limit::weights
                                           ? "HBM"
                                           : std::string(name(step.limited_by)).c_str()})};
  if (answer.at_rate) words.push_back(at_rate_words(*answer.at_rate, false));
  if (answer.encoder->capacity_of_one_process < estimate.capacity)
    words.push_back(
        joined({"one process of the host that takes as long for a request as engines that decode do serves ",
                rate_words(answer.encoder->capacity_of_one_process), " requests/s"}));
  add_means_held(words, answer.job, options);
  return words;
}

}  // namespace readable

/// Throughput against the time of a token; none where nothing is served.
[[nodiscard]] inline std::vector<picture> pictures_of(const serve_answer& answer) {
  if (answer.frontier.count == 0) return {};
  const frontier_chart chart{"Throughput and time per token on " + answer.slice, {{answer.slice, answer.frontier}}};
  return {picture_of("front", chart)};
}

namespace readable {
/// What ends the view of a slice that serves: advice, what is assumed, prices and what to ask next.
inline void add_end(view& shown, const serve_answer& answer, const view_options& options) {
  add_served_advice(shown, answer);
  add_assumed(shown, answer.assumed, options);
  std::vector<price_row> prices;
  for (const token_price& one : answer.costs) prices.push_back(one.price);
  add_prices(shown, prices);
  shown.next = {{"plan_serving", {}, "which slices serve it for less?"}};
}
/// What a reader sees of an encoder that serves.
[[nodiscard]] inline view embedding_view(const serve_answer& answer, const view_options& options) {
  const serving_estimate& estimate = answer.estimate;
  view shown;
  shown.title = joined({answer.model, " on ",
                        estimate.replicas > 1 ? std::to_string(estimate.replicas) + " replicas on " : std::string(),
                        answer.slice, ", texts of ", fixed(answer.job.prompt.mean, 0), " tokens"});
  shown.sentences = embedded_sentences(answer, options);
  shown.summary = joined({answer.slice, " answers ", rate_words(estimate.requests), " requests/s, each after ",
                          duration(estimate.first_token), ", expected between ", duration(estimate.first_token_low),
                          " and ", duration(estimate.first_token_high), ". It ",
                          answer.fits == verdict::uncertain ? "may not fit" : verdict_words(answer.fits), "."});
  shown.parts = {encoder_step_part(answer.encoder->step)};
  if (answer.simulated) {
    shown.parts.push_back(report_part(*answer.simulated, *answer.targets, false));
    add_slowdown(shown.parts.back().notes, answer.slowdown, answer.chance_at_targets);
    if (!meets(*answer.simulated)) shown.parts.push_back(changes_part(answer.changes, 1, options));
  }
  shown.parts.push_back(together_part(answer));
  shown.parts.push_back(request_prices_part(answer, options));
  add_end(shown, answer, options);
  return shown;
}
}  // namespace readable

/// What a reader sees of a slice that serves. Worked: where the model does not fit the title begins with "does not
/// fit".
[[nodiscard]] inline view view_of(const serve_answer& answer, const view_options& options = {}) {
  using namespace readable;
  const serving_estimate& estimate = answer.estimate;
  if (estimate.refusal != serving_refusal::none) {
    view shown = refused_view(answer, options);
    add_assumed(shown, answer.assumed, options);
    return shown;
  }
  if (answer.encoder) return embedding_view(answer, options);
  view shown;
  shown.title = joined({answer.model, " on ",
                        estimate.replicas > 1 ? std::to_string(estimate.replicas) + " replicas on " : std::string(),
                        answer.slice, ", ", fixed(answer.job.prompt.mean, 0), " prompt tokens and ",
                        fixed(answer.job.output.mean, 0), " output tokens"});
  shown.sentences = served_sentences(answer, options);
  const bool has_later = !tpuplan::detail::has_one_token(answer.job);
  const std::string each = has_later
                               ? joined({" at ", duration(estimate.per_token.total), " a token, nine of ten between ",
                                         duration(estimate.per_token.low), " and ", duration(estimate.per_token.high)})
                               : std::string();
  shown.summary = joined({answer.slice, " gives ", count(estimate.output_tokens.value()), " output tokens/s", each,
                          "; the first one after ", duration(estimate.first_token), ". It ",
                          answer.fits == verdict::uncertain ? "may not fit" : verdict_words(answer.fits), ".",
                          !answer.meets_targets   ? ""
                          : *answer.meets_targets ? " The targets by percentile are kept."
                                                  : " The targets by percentile are missed."});
  if (has_later) shown.parts = {token_part(estimate.per_token)};
  if (answer.simulated) {
    shown.parts.push_back(report_part(*answer.simulated, *answer.targets));
    add_slowdown(shown.parts.back().notes, answer.slowdown, answer.chance_at_targets);
    if (!meets(*answer.simulated)) shown.parts.push_back(changes_part(answer.changes, 1, options));
  }
  shown.parts.push_back(frontier_part(answer));
  if (!answer.speculation.empty()) shown.parts.push_back(speculation_part(answer));
  shown.parts.push_back(token_prices_part(answer, options));
  if (options.drawn) shown.pictures = pictures_of(answer);
  add_end(shown, answer, options);
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
