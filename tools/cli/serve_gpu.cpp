// What tpuplan serve --gpu answers.
#include <fmt/format.h>

#include <cmath>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/show/text/one_line.hpp>

#include "cli/option.hpp"
#include "cli/serve.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// The traffic that both take: the arrivals or the requests in flight that were asked for, else as many in flight as
/// run on the slice.
serving_job same_load(const served& a, std::string& words) {
  serving_job job = a.asked.job;
  job.percentiles = {};
  if (job.request_rate.value() > 0) {
    words = counted(fmt::format("{:g}", job.request_rate.value()), "request") + " a second";
  } else {
    if (job.concurrency == 0)
      job.concurrency = static_cast<std::int64_t>(
          std::floor(a.answer.estimate.running * static_cast<double>(a.answer.estimate.replicas)));
    words = counted(job.concurrency, "request") + " in flight";
  }
  return job;
}

/// The division of the GPUs into replicas that has the highest output rate, of degrees over which the heads divide.
void best_replicas(const transformer& model, serving_job job, gpu_comparison& g) {
  const slice server = gpu_server(g.offer, g.gpus);
  if (!has_peak_rate(server.chip, job.activations)) job.activations = dtype::bf16;
  for (std::int64_t tensor = 1; tensor <= g.gpus; ++tensor) {
    if (g.gpus % tensor != 0 || !heads_divide(model, tensor)) continue;
    serving_layout mesh;
    mesh.tensor = tensor;
    const serving_estimate one = serve(model, job, mesh, server, peak_only);
    const bool serves = one.refusal == serving_refusal::none;
    const bool better =
        one.output_tokens > g.at_peak.output_tokens ||
        (one.output_tokens == g.at_peak.output_tokens && one.per_token.total < g.at_peak.per_token.total);
    const bool has_one = g.tensor != 0 && g.at_peak.refusal == serving_refusal::none;
    if (has_one && (!serves || !better)) continue;  // of those that do not serve the one in fewest replicas
    g.at_peak = one;
    g.tensor = tensor;
  }
}

/// The fewest GPUs of one machine, of 1, 2, 4 and so on, that serve the job, divided into their best replicas; all of
/// the machine where fewer do not.
void fewest_gpus(const transformer& model, const serving_job& job, gpu_comparison& g) {
  for (g.gpus = 1; g.gpus < g.offer.per_machine; g.gpus *= 2) {
    best_replicas(model, job, g);
    if (g.tensor != 0 && g.at_peak.refusal == serving_refusal::none) return;
    g.tensor = 0;
    g.at_peak = {};
  }
  g.gpus = g.offer.per_machine;
  best_replicas(model, job, g);
}

usd per_million(const serving_estimate& e, usd_per_second rate) { return cost_of_tokens(e, rate).all_on_output; }

}  // namespace

gpu_comparison compare_with_gpu(const model_config& config, const served& a, const serve_options& given,
                                const price_book& prices) {
  gpu_comparison g;
  g.offer = gpu_for(given.gpu);
  if (given.gpus > g.offer.per_machine)
    refuse("--gpus", std::to_string(given.gpus),
           fmt::format("at most {}, which one machine of {} has", g.offer.per_machine, g.offer.name));
  g.gpus = given.gpus;
  const serving_job job = same_load(a, g.load);
  if (given.gpus > 0) {
    best_replicas(config.model, job, g);
  } else {
    fewest_gpus(config.model, job, g);
  }
  const maybe<price_row> price = find_price(prices, a.where, given.prices.region, provisioning::on_demand);
  if (a.answer.estimate.refusal != serving_refusal::none || g.at_peak.refusal != serving_refusal::none) return g;
  if (!price || !g.offer.on_demand.has_value()) return g;
  const usd_per_second rate_of_slice = price->per_chip * static_cast<double>(chips(a.where));
  const serving_estimate now = serve(config.model, job, a.asked.mesh, a.where, a.asked.constants);
  const serving_estimate peak = serve(config.model, job, a.asked.mesh, a.where, peak_only);
  if (now.refusal != serving_refusal::none || peak.refusal != serving_refusal::none) return g;
  g.slice_busy = now.requests / now.capacity;
  g.slice = per_million(now, rate_of_slice);
  const bool is_asked = job.request_rate.value() > 0;  // so many are served, whatever a token takes
  g.slice_low = is_asked ? g.slice : g.slice * (now.per_token.low / now.per_token.total);
  g.slice_high = is_asked ? g.slice : g.slice * (now.per_token.high / now.per_token.total);
  g.gpus_at_peak = per_million(g.at_peak, rate(g.offer.on_demand.value(), g.gpus));
  g.gpus_like_slice = g.gpus_at_peak * (g.slice / per_million(peak, rate_of_slice));
  return g;
}

namespace {

/// One line: which costs less, and how sure that is.
std::string verdict_of(const gpu_comparison& g) {
  const double best = 1 - g.slice_low / g.gpus_like_slice, worst = 1 - g.slice_high / g.gpus_at_peak;
  if (worst > 0)
    return fmt::format("the slice costs less, by {} to {}, even where the GPUs reach their peak", percent(worst),
                       percent(best));
  if (best < 0)
    return fmt::format("the GPUs cost less: the slice costs {} to {} more", percent(-best), percent(-worst));
  return fmt::format(
      "undecided: the slice costs from {} less to {} more, as the GPUs come no nearer to their peak than the "
      "slice does to its own, or reach it",
      percent(best), percent(-worst));
}

}  // namespace

ordered_json gpu_document(const gpu_comparison& g) {
  ordered_json document = {{"gpu", g.offer.name}, {"gpus", g.gpus},
                           {"tensor", g.tensor},  {"note", "GPUs at peak only, not calibrated"},
                           {"load", g.load},      {"estimate", g.at_peak}};
  if (g.priced()) {
    document["slice_busy"] = g.slice_busy;
    document["gpus_busy"] = g.at_peak.requests / g.at_peak.capacity;
    document["slice_usd_per_million_output"] = g.slice.value();
    document["slice_usd_per_million_output_low"] = g.slice_low.value();
    document["slice_usd_per_million_output_high"] = g.slice_high.value();
    document["gpus_usd_per_million_output_at_peak"] = g.gpus_at_peak.value();
    document["gpus_usd_per_million_output_like_slice"] = g.gpus_like_slice.value();
    document["verdict"] = verdict_of(g);
  }
  return document;
}

view_part gpu_part(const gpu_comparison& g, const served& a) {
  view_part part;
  const auto say = [&](std::string words) { part.sentences.push_back(std::move(words)); };
  say(fmt::format("{} x {} ({}) as {} of {}, at the same load of {}", g.gpus, g.offer.name, g.offer.machine,
                  counted(g.tensor > 0 ? g.gpus / g.tensor : 0, "replica"), g.tensor, g.load));
  if (g.tensor == 0) return say("heads divide over none of them"), part;
  if (g.at_peak.refusal == serving_refusal::does_not_fit) {
    say(fmt::format("the model does not fit: weights take {} on each GPU, as the GPUs and its heads divide",
                    used_of(g.at_peak.memory.weights, g.at_peak.memory.usable)));
    return part;
  }
  if (g.at_peak.refusal != serving_refusal::none) return say(one_line(g.at_peak)), part;
  say(fmt::format("at peak rates, which no run calibrates, {} per token and {} output tokens/s at best",
                  duration(g.at_peak.per_token.total), count(g.at_peak.output_tokens.value())));
  if (!g.priced()) return say("no price for both of them"), part;
  say(
      fmt::format("a million output tokens on demand: {} ({}-{}) on {}; {} on the GPUs at peak, {} as far from it as "
                  "the slice (price of {})",
                  money(g.slice), money(g.slice_low), money(g.slice_high), name(a.where).view(), money(g.gpus_at_peak),
                  money(g.gpus_like_slice), g.offer.date));
  say(verdict_of(g));
  say(fmt::format("that is at {} of what the slice and {} of what the GPUs could serve", percent(g.slice_busy),
                  percent(g.at_peak.requests / g.at_peak.capacity)));
  if (g.gpus < g.offer.per_machine)
    say(
        fmt::format("paid by the GPU: whole machines, of {} at most, are what plan --serve --best-per-generation --gpu "
                    "counts",
                    g.offer.per_machine));
  return part;
}

}  // namespace cli
