#ifndef TPUPLAN_ASK_PLAN_GENERATION_HPP
#define TPUPLAN_ASK_PLAN_GENERATION_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/generate.hpp>
#include <tpuplan/plan/generation_plan.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <utility>
#include <vector>

/// @file
/// The question plan_generation: which slices make so many images or clips an hour.

namespace tpuplan {
inline namespace abi_0 {

/// Which slices make so many images or clips an hour, within a latency?
struct asked_generation_plan {
  nlohmann::json config{};               ///< a folder of diffusers as one document, or one of its files
  picture_request make{};                ///< what is made
  double items_per_hour = 0;             ///< images or clips, of all slices
  std::optional<seconds> latency{};      ///< most mean time from a request to its item
  std::int64_t batch = 0;                ///< that a slice makes together; 0: the best of 1 to 32
  objective best = objective::cheapest;  ///< what plans are ranked by
  std::vector<provisioning> kinds{provisioning::on_demand};  ///< ways of paying that count
  std::vector<std::string> regions{"us"};                    ///< regions of the prices
  std::optional<usd_per_second> budget{};                    ///< dollars for all slices together
  std::vector<std::string> generations{};                    ///< names of the chips to consider; none: all chips
  std::int64_t smallest_chips = 1;                           ///< the fewest chips over all slices
  std::int64_t largest_chips = 1024;                         ///< the most
  std::int64_t largest_slice = 64;                           ///< the most chips of a slice
  bool accept_uncertain = false;                             ///< slices whose memory fit is uncertain
  std::int64_t most_plans = 8;                               ///< plans that are listed
  nlohmann::json prices{};                                   ///< a price file; nothing: the built-in prices
};
/// How many are made, how soon.
inline constexpr question_row generation_plan_rows[] = {
    rows::number("items_per_hour", "--items-per-hour", "Items", "an hour", "images or clips an hour, of all slices")
        .within(1e-6, 1e9)
        .needed(),
    rows::time("latency_s", "--latency", "Latency", "most mean time from a request to its item: 60s"),
    rows::count("batch", "--batch", "Batch", "items", "images or clips that a slice makes together")
        .within(1, 1 << 20)
        .usually("the best of 1, 2, 4 … 32"),
    rows::count("largest_slice", "--max-slice", "Chips of a slice, at most", "chips", "the most chips of a slice")
        .within(1, 1 << 20)
        .usually("64"),
};

/// One plan.
struct generation_plan_row {
  /// @{
  /// The slices, and what one of them does with a batch.
  std::int64_t rank = 0;
  std::string slice{};
  std::int64_t slices = 1, chips = 0, batch = 1;
  generation_layout mesh{};
  seconds batch_time{}, batch_time_low{}, batch_time_high{};
  seconds item_time{};           ///< of a batch, over its items
  seconds waiting{}, latency{};  ///< mean time until a batch starts, and until it is there
  double busy = 0;               ///< share of the time that slices are taken
  double items_per_hour = 0;     ///< that all slices can make
  double usd_per_hour = 0;       ///< of all slices
  double usd_per_item = 0;       ///< of the items that are asked for
  verdict fits{};
  bytes used{}, usable{};
  provisioning kind{};
  std::string region{};
  price_row price{};
  bool superseded = false;             ///< that price is older than an announced change
  bool on_front = false;               ///< no other plan is both cheaper and faster
  std::string maxdiffusion_refuses{};  ///< why launch does not start it by MaxDiffusion; empty: it does
  /// @}
};
/// A limit that lets a plan in where it is relaxed by itself, and the plan of those slices.
struct relaxed_generation_row {
  /// @{
  /// "chips", "min-chips", "max-slice", "latency", "budget" or "accept-uncertain": as it is, and as it would have to
  /// be, in its unit; of "generation", "region" and "provisioning" the names that are asked for, and one that would do.
  std::string limit{};
  double given = 0, needed = 0;
  std::vector<std::string> given_names{};
  std::string needed_name{};
  generation_plan_row plan{};
  /// @}
};
/// Plans, lost slices and the question.
struct generation_plan_document {
  /// @{
  /// Plans, best first, and the slices without one, by reason.
  std::vector<generation_plan_row> plans{};
  std::vector<lost_servers_row> lost{};
  std::vector<rejected_server_row> rejected{};
  std::vector<relaxed_generation_row> relax{};  ///< where there is no plan
  double items_per_hour = 0;
  std::optional<seconds> latency{};
  objective best{};
  picture_size size{};
  generation_job job{};  ///< steps and passes; its batch is that of the question, 0: chosen
  bool clips = false;
  std::int64_t runs = 0, sources = 0;  ///< published generations behind the estimates, and who published them
  std::vector<assumption> assumed{};
  std::string model{};
  std::vector<std::int64_t> denoiser_parameters{};  ///< of each denoiser
  std::int64_t text_tokens = 0;                     ///< of a prompt, padded; 0: the denoiser sees no text
  /// @}
};

namespace detail {

[[nodiscard]] inline generation_plan_row row_of(const generation_plan& p, double asked, std::int64_t rank) {
  const auto items = static_cast<double>(p.batch);
  generation_plan_row row;
  row.rank = rank, row.slice = tpuplan::name(p.where).view(), row.slices = p.slices, row.batch = p.batch;
  row.chips = checked_multiply(tpuplan::chips(p.where), p.slices);
  row.mesh = p.made.mesh;
  row.batch_time = p.made.time.total, row.batch_time_low = p.made.time.low, row.batch_time_high = p.made.time.high;
  row.item_time = p.made.time.total / items, row.waiting = p.waiting, row.latency = p.latency, row.busy = p.busy;
  row.items_per_hour = 3600 * items * static_cast<double>(p.slices) / p.made.time.total.value();
  row.usd_per_hour = in_usd_per_hour(p.rate), row.usd_per_item = row.usd_per_hour / asked;
  row.fits = tpuplan::fits(p.made.memory), row.used = p.made.memory.total, row.usable = p.made.memory.usable;
  row.kind = p.kind, row.region = p.region, row.price = p.price, row.superseded = is_before_announced_change(p.price),
  row.on_front = p.on_front;
  return row;
}

/// The chips up to which is looked for a plan that the limit leaves out.
inline constexpr std::int64_t most_relaxed_chips = 16384;

/// The least time of the digits in which times are printed that is no shorter: what lets a plan in as it is read.
[[nodiscard]] inline seconds as_printed_above(seconds time) {
  const readable::measured shown = readable::measure(time);
  return time * (readable::rounded_up(shown).number / shown.number) * (1 + 1e-13);
}

/// What each limit would have to be where there is no plan, relaxed by itself.
[[nodiscard]] inline std::vector<relaxed_generation_row> relaxed_limits(const generation_request& request) {
  std::vector<relaxed_generation_row> rows;
  const auto add = [&](const char* limit, double given, generation_request with, objective best, const auto& needed) {
    with.best = best, with.most_plans = 1;
    const generation_plan_answer found = plan_generation(with);
    if (found.plans.empty()) return;
    rows.push_back(
        {limit, given, needed(found.plans.front()), {}, {}, row_of(found.plans.front(), request.items_per_hour, 1)});
  };
  const auto add_named = [&](const char* limit, const std::optional<generation_request>& with,
                             std::vector<std::string> given, const auto& name_of) {
    if (!with) return;
    const std::size_t before = rows.size();
    add(limit, 0, *with, request.best, [](const generation_plan&) { return 0.0; });
    if (rows.size() == before) return;
    rows.back().given_names = std::move(given), rows.back().needed_name = name_of(rows.back().plan);
  };
  generation_request more = request;
  more.largest_chips = std::max(request.largest_chips, most_relaxed_chips);
  add("chips", static_cast<double>(request.largest_chips), more, objective::fewest_chips, [](const generation_plan& p) {
    return static_cast<double>(checked_multiply(tpuplan::chips(p.where), p.slices));
  });
  if (request.smallest_chips > 1)
    add("min-chips", static_cast<double>(request.smallest_chips), *without(request, plan_limit::smallest_chips),
        request.best, [](const generation_plan& p) {
          return static_cast<double>(checked_multiply(tpuplan::chips(p.where), p.slices));
        });
  more = request;
  for (std::size_t had = rows.size(); rows.size() == had && more.largest_slice < most_relaxed_chips;) {
    more.largest_slice = checked_multiply(2, more.largest_slice);
    add("max-slice", static_cast<double>(request.largest_slice), more, objective::fewest_chips,
        [](const generation_plan& p) { return static_cast<double>(tpuplan::chips(p.where)); });
  }
  if (request.latency) {
    more = request, more.latency = nothing, more.best = objective::fastest, more.most_plans = 1;
    const generation_plan_answer found = plan_generation(more);
    more = request;
    if (!found.plans.empty()) more.latency = as_printed_above(found.plans.front().latency);
    add("latency", request.latency->value(), more, request.best,
        [&more](const generation_plan&) { return more.latency->value(); });
  }
  more = request, more.budget = nothing;
  if (request.budget)
    add("budget", in_usd_per_hour(*request.budget), more, objective::cheapest,
        [](const generation_plan& p) { return in_usd_per_hour(p.rate); });
  more = request, more.accept_uncertain = true;
  if (!request.accept_uncertain)
    add("accept-uncertain", 0, more, request.best, [](const generation_plan&) { return 1.0; });
  add_named("generation", without(request, plan_limit::generation), request.generations,
            [](const generation_plan_row& p) { return std::string(slice_for(p.slice).chip.name.view()); });
  add_named("region", without(request, plan_limit::regions), request.regions,
            [](const generation_plan_row& p) { return p.region; });
  std::vector<std::string> kinds;
  for (const provisioning kind : request.kinds) kinds.emplace_back(name(kind));
  add_named("provisioning", without(request, plan_limit::kinds), kinds,
            [](const generation_plan_row& p) { return std::string(name(p.kind)); });
  return rows;
}

}  // namespace detail

/// The plans of a question. Throws, naming the field, for one that is not valid. Worked: every row is what `generate`
/// answers of its slice, batch and layout.
[[nodiscard]] inline generation_plan_document answer_to_plan_generation(const read_generation& made,
                                                                        const asked_generation_plan& asked,
                                                                        const price_book& book) {
  generation_request request;
  request.work = work_of(made.pipeline, made.size, made.text_tokens);
  request.job = made.job;
  request.job.batch = asked.batch;
  request.items_per_hour = asked.items_per_hour;
  if (asked.latency) request.latency = *asked.latency;
  request.best = asked.best, request.kinds = asked.kinds, request.regions = regions_named(book, asked.regions);
  request.regions_by_area = regions_by_area(request.regions, asked.regions);
  if (asked.budget) request.budget = *asked.budget;
  request.generations = asked.generations.empty() ? usual_generations() : asked.generations;
  request.smallest_chips = asked.smallest_chips, request.largest_chips = asked.largest_chips;
  request.largest_slice = asked.largest_slice, request.accept_uncertain = asked.accept_uncertain;
  request.most_plans = static_cast<std::size_t>(detail::positive_count("most_plans", asked.most_plans));
  request.prices = book;
  const generation_plan_answer found = plan_generation(request);
  generation_plan_document document;
  for (const generation_plan& one : found.plans)
    document.plans.push_back(
        detail::row_of(one, asked.items_per_hour, static_cast<std::int64_t>(document.plans.size()) + 1));
  document.denoiser_parameters = detail::denoiser_parameters_of(made.pipeline);
  for (std::size_t i = 0; i < found.plans.size(); ++i) {
    generation_job job = request.job;
    job.batch = found.plans[i].batch;
    document.plans[i].maxdiffusion_refuses =
        detail::refusal_to_make(made.pipeline, document.denoiser_parameters, made.size, made.text_tokens, job,
                                found.plans[i].made.mesh, found.plans[i].where);
  }
  detail::add_lost_servers(document, found.rejected, asked.best);
  if (found.plans.empty()) document.relax = detail::relaxed_limits(request);
  document.items_per_hour = asked.items_per_hour, document.latency = asked.latency, document.best = asked.best;
  document.text_tokens = made.text_tokens;
  document.size = made.size, document.job = request.job, document.clips = made.size.frames > 1;
  document.runs = default_generation.runs, document.sources = default_generation.sources;
  document.model = made.pipeline.name.view();
  document.assumed = made.read;
  assumed_values assumed = made.assumed;
  for (assumed_values::value_type& one : assumed_ways(asked.kinds)) assumed.push_back(std::move(one));
  add_left_out(request, assumed);
  assumed.emplace_back("traffic",
                       "requests come at random, as many as said; a latency is the mean of waiting and making");
  for (auto& [field, value] : assumed) document.assumed.push_back({field, value, std::string(not_given)});
  return document;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::asked_generation_plan, config, make, items_per_hour, latency, batch, best, kinds, regions,
               budget, generations, smallest_chips, largest_chips, largest_slice, accept_uncertain, most_plans, prices)
TPUPLAN_FIELDS(tpuplan::generation_plan_row, rank, slice, slices, chips, batch, mesh, batch_time, batch_time_low,
               batch_time_high, item_time, waiting, latency, busy, items_per_hour, usd_per_hour, usd_per_item, fits,
               used, usable, kind, region, price, superseded, on_front, maxdiffusion_refuses)
TPUPLAN_FIELDS(tpuplan::relaxed_generation_row, limit, given, needed, given_names, needed_name, plan)
TPUPLAN_FIELDS(tpuplan::generation_plan_document, plans, lost, rejected, relax, items_per_hour, latency, best, size,
               job, clips, runs, sources, assumed, model, denoiser_parameters, text_tokens)

#endif
