#ifndef TPUPLAN_ASK_PAYMENT_HPP
#define TPUPLAN_ASK_PAYMENT_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/phases.hpp>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/migration.hpp>
#include <tpuplan/cost/offer.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <utility>
#include <vector>

/// @file
/// The question pay: one run under every way of paying.

namespace tpuplan {
inline namespace abi_0 {

/// The same job on GPUs.
struct gpu_job {
  /// @{
  /// The name of the GPU, how many of them, and the time that the job takes on them.
  std::string gpu{};
  std::int64_t gpus = 0;
  seconds run{};
  std::optional<double> usd_per_gpu_hour{};  ///< dollars; nothing: the list price on demand
  std::optional<usd> engineering{};          ///< dollars of work that moving the job from the GPUs takes
  double jobs_per_month = 0;                 ///< how many such jobs are run; 0: the jobs that pay back are said alone
  double discount = 0;                       ///< yearly discount rate: 0.08 for 8 %
  /// @}
};
/// What does a run cost under each way of paying?
struct pay_request {
  /// @{
  /// The slices, and the time of the run without interruption.
  std::string slice{};
  std::int64_t slices = 1;
  seconds run{};
  std::string region = "us";
  std::string zone{};                                      ///< of spot, where a count of preemptions is published
  nlohmann::json prices{};                                 ///< a price file; nothing: the built-in prices
  std::optional<spot_market> market{};                     ///< how often spot is preempted; nothing: as published
  std::optional<seconds> mean_time_between_preemptions{};  ///< of one slice, instead of the market's
  std::vector<own_lifetime> lifetimes{};     ///< of one's own spot slices, instead of what is published alone
  double correlation = 0;                    ///< share of a slice's preemptions that take all slices of the job, 0 to 1
  std::optional<seconds> checkpoint_time{};  ///< for which one checkpoint stops the step
  std::optional<seconds> restart_time{};     ///< billed time from new capacity to the next step
  std::optional<seconds> queue_time{};  ///< unbilled wait for spot and flex-start, each time; nothing: 18 min on spot
  seconds start_up{};                   ///< billed time from capacity to the first step
  std::optional<seconds> chip_time_between_failures{};  ///< of one chip, in all ways of paying; nothing: none counted
  bool may_be_split = flex_start_terms{}.may_be_split;  ///< whether flex-start may run the job in pieces of 7 days
  double rest_of_term_used = 0;              ///< share of a commitment's other hours that other work uses, 0 to 1
  std::optional<std::int64_t> parameters{};  ///< of the model whose checkpoints are written and stored
  std::int64_t checkpoints_kept = 3;         ///< checkpoints that are stored at once, where parameters are given
  std::optional<double> storage_usd_per_gib_month{};  ///< nothing: the price of the region, where it is known
  std::optional<gpu_job> against{};                   ///< the same job on GPUs, for comparison
  /// @}
};
/// The run, and what is expected of capacity that ends.
inline constexpr question_row pay_rows[] = {
    rows::words("slice", "--slice", "Slice", "v6e-8, v5e-16, v5p-8 …").needed(),
    rows::count("slices", "--slices", "Slices", "slices", "how many of them").within(1, 1024).usually("1"),
    rows::time("run_s", "--run", "Run", "uninterrupted time: 10d").needed().deciding("run_time work"),
    detail::row_named(market_rows, "--market"),
    detail::row_named(preemption_rows, "--mtbp"),
    detail::row_named(preemption_rows, "--zone"),
    detail::row_named(market_rows, "--lifetimes"),
    rows::number("correlation", "--correlation", "Correlation", "",
                 "of preemptions of slices: 0 one by one, 1 all together")
        .within(0, 1),
    rows::time("checkpoint_time_s", "--checkpoint", "Time of a checkpoint",
               "time for which one checkpoint stops the step")
        .within(1e-6, 1e7)
        .usually("15s, and the bytes of --parameters at 25 GB/s"),
    detail::row_named(wait_rows, "--restart"),
    detail::row_named(wait_rows, "--queue"),
    rows::time("start_up_s", "--start-up", "Start-up", "billed time from capacity to the first step").within(0, 1e7),
    rows::time("chip_time_between_failures_s", "--chip-mtbf", "Time between failures of a chip",
               "mean time of one chip between failures that stop the run, in all ways of paying: 50700h")
        .within(1, 1e12),
    rows::flag("may_be_split", "--whole", "false", "do not split a run on flex-start into pieces of 7 days"),
};
/// The same job on GPUs.
inline constexpr question_row gpu_rows[] = {
    rows::words("against.gpu", "--gpu", "GPU",
                "compare with A100-40, A100-80, H100, H200, B200, RTX-PRO-6000, L4, V100 or T4"),
    rows::count("against.gpus", "--gpus", "GPUs", "GPUs", "how many take the same job").within(1, 1e6).with("--gpu"),
    rows::time("against.run_s", "--gpu-run", "Run on GPUs", "time of the same job on them: 8d").with("--gpu"),
    rows::number("against.usd_per_gpu_hour", "--gpu-usd", "Price of a GPU", "USD an hour",
                 "dollars per GPU and hour, instead of the list price")
        .within(1e-3, 1e4)
        .with("--gpu"),
    rows::dollars("against.engineering_usd", "--engineering", "Engineering", "dollars to move from the GPUs: 60k")
        .with("--gpu"),
    rows::number("against.jobs_per_month", "--jobs", "Jobs", "a month", "such jobs a month")
        .within(1e-3, 1e6)
        .with("--engineering"),
    rows::number("against.discount", "--discount", "Discount", "a year", "a year, 0.08 for 8 %")
        .within(0, 1)
        .with("--engineering"),
};
/// The checkpoints that are written and stored.
inline constexpr question_row storage_rows[] = {
    rows::count("parameters", "--parameters", "Parameters", "",
                "of a model whose checkpoints are kept, fp32 with AdamW: 8B")
        .within(1, 1e15)
        .not_with("--model")
        .deciding("checkpoint_time"),
    rows::count("checkpoints_kept", "--keep", "Checkpoints kept", "", "checkpoints at a time")
        .within(1, 1e6)
        .usually("3")
        .with("--parameters --model"),
    rows::number("storage_usd_per_gib_month", "--storage-usd", "Storage", "USD per GiB and month",
                 "dollars per GiB and month")
        .within(1e-6, 100)
        .with("--parameters --model"),
};
/// A way of paying under which the run cannot be had.
struct missing_payment {
  /// @{
  /// The way of paying, and the reason in words.
  tpuplan::provisioning provisioning{};
  std::string reason{};
  /// @}
};
/// Where one way begins to cost less than another; nothing where it never does, or where one of both has no price.
struct pay_break_even {
  /// @{
  /// Spot costs less where a slice lasts longer than this; calendar and commitments where a larger share is used.
  std::optional<seconds> spot_mtbp_against_on_demand{};
  std::optional<double> calendar_utilization_against_on_demand{}, calendar_utilization_against_spot{};
  std::optional<double> commitment_1y_utilization_against_on_demand{}, commitment_1y_utilization_against_spot{};
  std::optional<double> commitment_3y_utilization_against_on_demand{}, commitment_3y_utilization_against_spot{};
  /// @}
};
/// The GPUs and what moving from them saves.
struct gpu_comparison_row {
  /// @{
  /// The GPUs, their time and dollars, against on demand, or the cheapest way where on demand has no price.
  std::string gpu{};
  std::int64_t gpus = 0;
  seconds run{};
  usd total{};
  provisioning against{};
  double saving = 0;  ///< share of the cost on GPUs that TPUs save; negative where they cost more
  std::optional<double> saving_on_flex_start{};  ///< the same share where both sides can be had on flex-start
  std::optional<usd> total_on_spot{};        ///< the GPUs at their spot price, without preemptions; nothing: none known
  std::optional<double> saving_on_spot{};    ///< the share on spot, of the slices with their preemptions
  double break_even_usd_per_chip_hour = 0;   ///< price of a chip, for all that is billed, at which both cost the same
  std::optional<usd> saving_per_job{};       ///< dollars, where engineering is given
  std::optional<double> jobs_to_pay_back{};  ///< jobs that save the engineering; nothing: never, or not given
  std::optional<double> months_to_pay_back{};  ///< nothing: never, or engineering or jobs a month are not given
  std::optional<usd> engineering{};            ///< as asked
  double jobs_per_month = 0;                   ///< as asked
  bool price_derived = false;  ///< the list price is that of the GPU alone and that of a machine, of two sources
  bool own_price = false;      ///< the price of the GPUs is that of the question
  /// @}
};
/// What is stored while the run under the cheapest way of paying lasts.
struct kept_checkpoints {
  /// @{
  /// Bytes stored at once, and dollars for them; storage operations are not counted.
  bytes kept{};
  usd total{};
  std::int64_t count = 0;
  /// @}
};
/// A run under every way of paying.
struct pay_answer {
  /// @{
  /// The question with nothing left open, and the run under each way of paying.
  std::string slice{};
  std::int64_t slices = 1, chips = 0;
  std::string region{};
  /// Time of the run, and the mean time between preemptions of one slice and of all slices.
  seconds run{}, slice_mtbp{}, job_mtbp{};
  /// Way of paying with the lowest total; a superseded price is none where there is another.
  std::optional<provisioning> cheapest{};
  double rest_of_term_used = 0;
  std::vector<paid_run> ways{};            ///< one row for each way of paying that has a price, cheapest first
  std::vector<missing_payment> missing{};  ///< ways of paying that cannot be had, with the reason
  pay_break_even break_even{};
  std::optional<gpu_comparison_row> against_gpu{};
  seconds queue_time{};                           ///< wait for a spot slice, each time
  std::optional<kept_checkpoints> checkpoints{};  ///< nothing: parameters are not given, or storage has no price
  std::vector<assumption> assumed{};              ///< values that the question left open, and why they were assumed
  /// @}
};

namespace detail {

[[nodiscard]] inline payment_terms terms_of(const pay_request& asked, const slice& where, assumed_values& assumed) {
  payment_terms terms;
  spot_terms& spot = terms.spot;
  const std::string_view chip = where.chip.name.view();
  fill_capacity(asked, true, {std::string(chip)}, {asked.region}, terms, assumed);
  spot.mean_time_between_preemptions = median_spot_lifetime_under(terms, chip, place_of(asked, asked.region));
  spot.correlation = asked.correlation;
  if (asked.checkpoint_time) {
    spot.checkpoint_time = *asked.checkpoint_time;
  } else {
    if (asked.parameters)
      spot.checkpoint_time = tpuplan::checkpoint_time(training_state_of(*asked.parameters, dtype::fp32).total,
                                                      checkpoint_rate(where, asked.slices));
    assumed.emplace_back(std::string(assumed_checkpoint_time), readable::duration(spot.checkpoint_time));
  }
  spot.restart_time += more_of_size(!asked.restart_time, where);
  terms.flex_start.restart_time += more_of_size(!asked.restart_time, where);
  terms.flex_start.checkpoint_time = spot.checkpoint_time;
  terms.flex_start.may_be_split = asked.may_be_split;
  terms.start_up = asked.start_up;
  if (asked.chip_time_between_failures)
    terms.mean_time_between_failures =
        *asked.chip_time_between_failures / static_cast<double>(checked_multiply(tpuplan::chips(where), asked.slices));
  return terms;
}

[[nodiscard]] inline const paid_run* way_of(const std::vector<paid_run>& ways, provisioning kind) {
  for (const paid_run& way : ways) {
    if (way.kind == kind) return &way;
  }
  return nullptr;
}

/// A share of what is paid for; nothing where it is above the whole.
[[nodiscard]] inline std::optional<double> share_or_never(double share) {
  return share > 1 ? std::nullopt : std::optional<double>(share);
}

/// The mean time between preemptions from which the run costs less on spot, where chips fail too: by halving of what
/// both take, to a ten-thousandth.
[[nodiscard]] inline std::optional<seconds> spot_pays_from(const slice& where, std::int64_t slices,
                                                           const paid_run& on_demand, const paid_run& spot,
                                                           payment_terms terms) {
  const auto pays = [&](double mean) {
    terms.spot.mean_time_between_preemptions = seconds{mean};
    return pay_for(where, slices, spot.run, spot.price, terms).total < on_demand.total;
  };
  double high = 3.2e9;  // a hundred years
  if (!pays(high)) return std::nullopt;
  double low = high / 2;
  for (; low > 60 && pays(low); low /= 2) high = low;
  while (low > 60 && high > 1.0001 * low) {
    const double middle = math::sqrt(low * high);
    (pays(middle) ? high : low) = middle;
  }
  return seconds{high};
}

[[nodiscard]] inline pay_break_even break_even_of(const std::vector<paid_run>& ways, const slice& where,
                                                  std::int64_t slices, const payment_terms& all_terms) {
  const spot_terms& terms = all_terms.spot;
  pay_break_even lines;
  const paid_run *on_demand = way_of(ways, provisioning::on_demand), *spot = way_of(ways, provisioning::spot);
  if (on_demand != nullptr && spot != nullptr && all_terms.mean_time_between_failures.value() > 0)
    lines.spot_mtbp_against_on_demand = spot_pays_from(where, slices, *on_demand, *spot, all_terms);
  else if (on_demand != nullptr && spot != nullptr &&
           spot->rate * (spot->run + terms.checkpoint_time) < on_demand->rate * on_demand->run)
    lines.spot_mtbp_against_on_demand =
        break_even_mean_time_between_preemptions({on_demand->rate, spot->rate}, spot->run, slices, terms);
  const auto add = [&](provisioning kind, std::optional<double>& to_on_demand, std::optional<double>& to_spot) {
    const paid_run* way = way_of(ways, kind);
    if (way == nullptr) return;
    if (on_demand != nullptr) to_on_demand = share_or_never(break_even_utilization(way->rate, on_demand->rate));
    if (spot != nullptr)
      to_spot = share_or_never(break_even_utilization(way->rate, spot->rate, spot->billed / spot->run));
  };
  add(provisioning::calendar, lines.calendar_utilization_against_on_demand, lines.calendar_utilization_against_spot);
  add(provisioning::commitment_1y, lines.commitment_1y_utilization_against_on_demand,
      lines.commitment_1y_utilization_against_spot);
  add(provisioning::commitment_3y, lines.commitment_3y_utilization_against_on_demand,
      lines.commitment_3y_utilization_against_spot);
  return lines;
}

[[nodiscard]] inline gpu_comparison_row compared(const gpu_job& job, const pay_answer& answer) {
  if (job.gpu.empty()) fail(errc::missing_field, "against.gpu", "missing", "a GPU, such as H100");
  gpu_offer gpu = gpu_for(job.gpu);
  if (positive_count("against.gpus", job.gpus) > 1000000)
    fail(errc::out_of_range, "against.gpus", job.gpus, "1 to 1000000");
  run_time("against.run_s", job.run);
  if (job.usd_per_gpu_hour)
    gpu.on_demand = usd_per_hour(check_price("against.usd_per_gpu_hour", *job.usd_per_gpu_hour));
  const auto jobs_in = [](seconds time) { return 1 / time; };
  const offer gpus = offer_of(gpu, job.gpus, jobs_in(job.run));
  const paid_run* const as_the_gpus = way_of(answer.ways, provisioning::on_demand);  // paid for in the same way
  const paid_run best = as_the_gpus != nullptr ? *as_the_gpus : *cheapest(answer.ways);
  gpu_comparison_row row{
      std::string(gpu.name), job.gpus,          job.run, cost_of_work(gpus), best.kind, 0, {}, {}, {}, 0, {}, {}, {},
      job.engineering,       job.jobs_per_month};
  row.price_derived = gpu.derived && !job.usd_per_gpu_hour;
  row.own_price = job.usd_per_gpu_hour.has_value();
  row.saving = compare_offers({best.total / best.run, jobs_in(best.run)}, gpus).saving_fraction;
  row.break_even_usd_per_chip_hour = in_usd_per_hour(row.total / best.billed / static_cast<double>(answer.chips));
  const paid_run* const on_flex = way_of(answer.ways, provisioning::flex_start);
  if (on_flex != nullptr && gpu.flex_start.has_value() && !job.usd_per_gpu_hour && job.run <= flex_start_terms{}.limit)
    row.saving_on_flex_start =
        1 - on_flex->total / cost_of_work(offer_of(gpu, job.gpus, jobs_in(job.run), provisioning::flex_start));
  if (gpu.spot.has_value() && !job.usd_per_gpu_hour) {
    row.total_on_spot = cost_of_work(offer_of(gpu, job.gpus, jobs_in(job.run), provisioning::spot));
    if (const paid_run* const on_spot = way_of(answer.ways, provisioning::spot))
      row.saving_on_spot = 1 - on_spot->total / *row.total_on_spot;
  }
  if (!job.engineering) return row;
  not_negative("against.jobs_per_month", job.jobs_per_month);
  row.saving_per_job = row.total - best.total;
  if (row.saving_per_job->value() > 0) row.jobs_to_pay_back = *job.engineering / *row.saving_per_job;
  if (const maybe<double> months =
          months_to_pay_back({*job.engineering, *row.saving_per_job, job.jobs_per_month, job.discount}))
    row.months_to_pay_back = *months;
  return row;
}

[[nodiscard]] inline std::optional<kept_checkpoints> kept_of(const pay_request& asked, seconds held) {
  const maybe<usd_per_byte_second> known_price = find_storage_price(asked.region);
  if (!asked.storage_usd_per_gib_month && !known_price) return std::nullopt;
  const usd_per_byte_second price =
      asked.storage_usd_per_gib_month ? usd_per_gib_month(*asked.storage_usd_per_gib_month) : *known_price;
  const storage_cost stored =
      cost_of_checkpoints(training_state_of(*asked.parameters, dtype::fp32), asked.checkpoints_kept, held, price);
  return kept_checkpoints{stored.kept, stored.total, asked.checkpoints_kept};
}

/// That a way of paying has no price in a region, and which regions have one.
[[nodiscard]] inline std::string no_price_words(const price_book& book, const slice& where, provisioning kind) {
  std::string others;
  for (const std::string& region : all_regions(book)) {
    if (find_price(book, where, region, kind)) others += (others.empty() ? "" : ", ") + region;
  }
  return others.empty() ? "no price" : "no price; there is one in " + others;
}

}  // namespace detail

/// What the run costs under each way of paying at these prices, in place of those of the request. Throws where
/// `pay_for` does. Worked: 10 days of two v5e-32 at 1 USD a chip and hour on demand are 15360 USD.
[[nodiscard]] inline pay_answer answer_to(const pay_request& asked, const price_book& book) {
  if (asked.parameters && (*asked.parameters < 1 || *asked.parameters > 1000000000000000))
    detail::fail(errc::out_of_range, "parameters", *asked.parameters, "1 to 1e15");
  if (asked.storage_usd_per_gib_month && !asked.parameters)
    detail::fail(errc::invalid_argument, "storage_usd_per_gib_month", "given without effect",
                 "none without parameters");
  if (asked.checkpoints_kept != pay_request{}.checkpoints_kept && !asked.parameters)
    detail::fail(errc::invalid_argument, "checkpoints_kept", "given without effect", "none without parameters");
  const slice where = scheduled_slice(asked.slice);
  detail::run_time("run_s", asked.run);
  detail::check_slices("slices", asked.slices);
  if (asked.correlation != 0 && asked.slices == 1)
    detail::fail(errc::invalid_argument, "correlation", "given without effect", "none for one slice");
  if (!asked.may_be_split && asked.run <= flex_start_terms{}.limit)
    detail::fail(errc::invalid_argument, "may_be_split", "given without effect", "a run over 7 days");
  expect_region(book, asked.region);
  assumed_values assumed;
  const payment_terms terms = detail::terms_of(asked, where, assumed);
  validate(terms);
  pay_answer answer;
  answer.slice = tpuplan::name(where).view();
  answer.slices = detail::positive_count("slices", asked.slices);
  answer.chips = checked_multiply(tpuplan::chips(where), asked.slices);
  answer.region = asked.region;
  answer.run = asked.run;
  answer.slice_mtbp = terms.spot.mean_time_between_preemptions;
  answer.job_mtbp = best_spot_run(asked.run, asked.slices, terms.spot).mean_time_between_preemptions;
  answer.rest_of_term_used = asked.rest_of_term_used;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, where, asked.region, kind);
    if (!price) {
      answer.missing.push_back({kind, detail::no_price_words(book, where, kind)});
    } else if (!can_be_paid(kind, asked.slices, asked.run, terms)) {
      answer.missing.push_back({kind, too_long_for(kind, asked.slices, asked.run, terms)});
    } else {
      answer.ways.push_back(pay_for(where, asked.slices, asked.run, *price, terms));
    }
  }
  std::sort(answer.ways.begin(), answer.ways.end(), [](const paid_run& x, const paid_run& y) {
    return std::make_pair(x.total, x.kind) < std::make_pair(y.total, y.kind);
  });
  answer.break_even = detail::break_even_of(answer.ways, where, asked.slices, terms);
  answer.assumed = all_assumed({}, assumed);
  if (answer.ways.empty()) return answer;
  const paid_run best = *tpuplan::cheapest(answer.ways);
  answer.cheapest = best.kind;
  answer.queue_time = terms.spot.queue_time;
  if (asked.against) answer.against_gpu = detail::compared(*asked.against, answer);
  if (asked.parameters) answer.checkpoints = detail::kept_of(asked, best.wall);
  return answer;
}
/// The answer to the question. Worked: 10 days of two v5e-32 in us cost 18432 USD on demand.
[[nodiscard]] inline pay_answer answer_to(const pay_request& asked) {
  const asked_prices own = prices_of(asked.prices);
  return answer_to(asked, own.book());
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::gpu_job, gpu, gpus, run, usd_per_gpu_hour, engineering, jobs_per_month, discount)
TPUPLAN_FIELDS(tpuplan::pay_request, slice, slices, run, region, zone, prices, market, mean_time_between_preemptions,
               lifetimes, correlation, checkpoint_time, restart_time, queue_time, start_up, chip_time_between_failures,
               may_be_split, rest_of_term_used, parameters, checkpoints_kept, storage_usd_per_gib_month, against)
TPUPLAN_FIELDS(tpuplan::missing_payment, provisioning, reason)
TPUPLAN_FIELDS(tpuplan::pay_break_even, spot_mtbp_against_on_demand, calendar_utilization_against_on_demand,
               calendar_utilization_against_spot, commitment_1y_utilization_against_on_demand,
               commitment_1y_utilization_against_spot, commitment_3y_utilization_against_on_demand,
               commitment_3y_utilization_against_spot)
TPUPLAN_FIELDS(tpuplan::gpu_comparison_row, gpu, gpus, run, total, against, saving, saving_on_flex_start, total_on_spot,
               saving_on_spot, break_even_usd_per_chip_hour, saving_per_job, jobs_to_pay_back, months_to_pay_back,
               engineering, jobs_per_month, price_derived, own_price)
TPUPLAN_FIELDS(tpuplan::kept_checkpoints, kept, total, count)
TPUPLAN_FIELDS(tpuplan::pay_answer, slice, slices, chips, region, run, slice_mtbp, job_mtbp, cheapest,
               rest_of_term_used, ways, missing, break_even, against_gpu, queue_time, checkpoints, assumed)

#endif
