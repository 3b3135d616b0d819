// tpuplan pay
#include <algorithm>
#include <cmath>
#include <memory>
#include <tpuplan/cost/checkpoint.hpp>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/migration.hpp>
#include <tpuplan/cost/offer.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/io/json.hpp>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/print.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct pay_options {
  std::string slice_name, gpu, model;
  bool small_batch = false, dynamic_shapes = false, custom_kernels = false;
  price_options prices;
  seconds run{};
  spot_terms spot;
  std::optional<spot_market> market;
  std::optional<seconds> between, queue, gpu_run, checkpoint;
  std::optional<usd> engineering;
  std::int64_t slices = 1, keep = 3, parameters = 0;
  std::optional<std::int64_t> gpus;
  double jobs = 0, discount = 0;
  double rest_used = 0;
  std::optional<double> gpu_price, storage_price;
  bool whole = false;
};

/// A way that cannot be had, and why.
struct missing_way {
  provisioning kind;
  std::string reason;
};

/// Where one way begins to cost less than another.
struct break_even_line {
  std::string key, sentence;
  std::optional<double> value;  // nothing: never
};

struct pay_answer {
  slice where{};
  payment_terms terms{};
  spot_run spot{};
  seconds run{};
  std::vector<paid_run> ways;  // cheapest first
  std::vector<missing_way> missing;
  std::vector<break_even_line> lines;
};

/// The same job on GPUs, its cost held against the cheapest way and the on-demand price.
struct gpu_answer {
  gpu_offer gpu{};
  provisioning against = provisioning::on_demand;
  std::int64_t gpus = 0;
  seconds run{};
  usd total{};
  offer_comparison cheapest{};
  usd_per_second break_even_per_chip{};
  std::optional<double> saving_on_flex;  // against flex-start of the GPUs, where both can be had so
  std::optional<migration> move;
  maybe<double> months;  // nothing: never
};

const paid_run* find_way(const pay_answer& a, provisioning kind) {
  for (const paid_run& way : a.ways) {
    if (way.kind == kind) return &way;
  }
  return nullptr;
}

const paid_run& best_of(const pay_answer& a) { return a.ways.front(); }

payment_terms make_terms(const pay_options& given) {
  payment_terms terms;
  terms.spot = given.spot;
  terms.spot.mean_time_between_preemptions =
      given.between ? *given.between
                    : typical_mean_time_between_preemptions(given.market.value_or(spot_market::cautious));
  terms.spot.queue_time = given.queue.value_or(seconds{});
  if (given.checkpoint) {
    terms.spot.checkpoint_time = *given.checkpoint;
  } else if (given.parameters > 0) {
    terms.spot.checkpoint_time = checkpoint_time(training_state_of(given.parameters, dtype::fp32).total,
                                                 checkpoint_rate(slice_for(given.slice_name), given.slices));
  }
  terms.flex_start.checkpoint_time = terms.spot.checkpoint_time;
  terms.flex_start.restart_time = terms.spot.restart_time;
  terms.flex_start.queue_time = terms.spot.queue_time;
  terms.flex_start.may_be_split = !given.whole;
  terms.rest_of_term_used = given.rest_used;
  return terms;
}

pay_answer ask_pay(const pay_options& given, const price_book& book) {
  pay_answer a;
  a.where = scheduled_slice(given.slice_name);
  a.terms = make_terms(given);
  a.run = given.run;
  a.spot = best_spot_run(a.run, given.slices, a.terms.spot);
  bool any_price = false;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, a.where, given.prices.region, kind);
    any_price = any_price || price;
    if (!price) {
      a.missing.push_back({kind, "no price"});
    } else if (!can_be_paid(kind, given.slices, a.run, a.terms)) {
      a.missing.push_back({kind, kind == provisioning::calendar ? "longer than 90 days"
                                 : kind == provisioning::spot   ? "preempted faster than it gets on"
                                                                : "longer than 7 days"});
    } else {
      a.ways.push_back(pay_for(a.where, given.slices, a.run, *price, a.terms));
    }
  }
  check_region(book, given.prices.region);
  if (!any_price) (void)price_for(book, a.where, given.prices.region, provisioning::on_demand);  // says what there is
  std::sort(a.ways.begin(), a.ways.end(), [](const paid_run& x, const paid_run& y) {
    return std::make_pair(x.total, x.kind) < std::make_pair(y.total, y.kind);
  });
  return a;
}

void add_commitment_lines(std::vector<break_even_line>& lines, const paid_run& way, const paid_run* on_demand,
                          const paid_run* spot) {
  const std::string kind{name(way.kind)};
  const auto add = [&](const char* other, double share) {
    const std::string key = kind + "_utilization_against_" + other;
    const std::string words = std::string(other) == "spot" ? "spot with its preemptions" : "on demand";
    if (share > 1) return lines.push_back({key, fmt::format("{} never costs less than {}", kind, words), std::nullopt});
    lines.push_back({key,
                     fmt::format("{} costs less than {} where more than {} of {} is used", kind, words, percent(share),
                                 way.kind == provisioning::calendar ? "the window" : "its hours"),
                     share});
  };
  if (on_demand != nullptr) add("on_demand", break_even_utilization(way.rate, on_demand->rate));
  if (spot != nullptr) add("spot", break_even_utilization(way.rate, spot->rate, spot->billed / spot->run));
}

void add_spot_line(std::vector<break_even_line>& lines, const pay_answer& a, std::int64_t slices,
                   const spot_prices& prices) {
  const char* key = "spot_mtbp_against_on_demand_s";
  if (prices.spot * (a.run + a.terms.spot.checkpoint_time) >= prices.on_demand * a.run)
    return lines.push_back({key, "spot never costs less than on demand", std::nullopt});
  const seconds one = break_even_mean_time_between_preemptions(prices, a.run, slices, a.terms.spot);
  lines.push_back(
      {key, fmt::format("spot costs less than on demand where a slice lasts more than {} on average", duration(one)),
       one.value()});
}

std::vector<break_even_line> break_even_lines(const pay_answer& a, const pay_options& given) {
  std::vector<break_even_line> lines;
  const paid_run* on_demand = find_way(a, provisioning::on_demand);
  const paid_run* spot = find_way(a, provisioning::spot);
  if (on_demand != nullptr && spot != nullptr) add_spot_line(lines, a, given.slices, {on_demand->rate, spot->rate});
  for (const provisioning kind : {provisioning::calendar, provisioning::commitment_1y, provisioning::commitment_3y}) {
    if (const paid_run* way = find_way(a, kind)) add_commitment_lines(lines, *way, on_demand, spot);
  }
  return lines;
}

gpu_answer ask_gpu(const pay_answer& a, const pay_options& given) {
  gpu_answer g;
  g.gpu = gpu_for(given.gpu);
  if (!given.gpus) refuse_missing("--gpus", "GPUs that the same job takes");
  g.gpus = *given.gpus;
  if (!given.gpu_run) refuse("--gpu-run", "", "the time of the same job on the GPUs", errc::missing_field);
  g.run = *given.gpu_run;
  if (given.gpu_price) g.gpu.on_demand = usd_per_hour(*given.gpu_price);
  const auto jobs_in = [](seconds time) { return 1 / time; };
  const offer gpus = offer_of(g.gpu, g.gpus, jobs_in(g.run));
  const paid_run* const as_the_gpus = find_way(a, provisioning::on_demand);  // paid for in the same way
  const paid_run& best = as_the_gpus != nullptr ? *as_the_gpus : best_of(a);
  g.against = best.kind;
  g.total = cost_of_work(gpus);
  g.cheapest = compare_offers({best.total / best.run, jobs_in(best.run)}, gpus);
  const double chip_total = static_cast<double>(checked_multiply(chips(a.where), given.slices));
  g.break_even_per_chip = compare_offers({best.rate, jobs_in(a.run)}, gpus).break_even_price / chip_total;
  const paid_run* const on_flex = find_way(a, provisioning::flex_start);
  if (on_flex != nullptr && g.gpu.flex_start.has_value() && !given.gpu_price && g.run <= 7_days)
    g.saving_on_flex =
        1 - on_flex->total / cost_of_work(offer_of(g.gpu, g.gpus, jobs_in(g.run), provisioning::flex_start));
  if (!given.engineering) return g;
  g.move = migration{*given.engineering, g.total - best.total, given.jobs, given.discount};
  if (given.jobs == 0) refuse_missing("--jobs", "such jobs a month");
  g.months = months_to_pay_back(*g.move);
  return g;
}

/// Checkpoints of a model in fp32 with AdamW, kept while the cheapest way runs; nothing where no price of storage is
/// known in the region.
std::optional<storage_cost> ask_storage(const pay_answer& a, const pay_options& given) {
  const training_state state = training_state_of(given.parameters, dtype::fp32);
  const maybe<usd_per_byte_second> known_price = find_storage_price(given.prices.region);
  if (!given.storage_price && !known_price) return {};
  const usd_per_byte_second price = given.storage_price ? usd_per_gib_month(*given.storage_price) : *known_price;
  return cost_of_checkpoints(state, given.keep, best_of(a).wall, price);
}

ordered_json json_of(const paid_run& way, double rest_used) {
  ordered_json document = way;
  if (is_commitment(way.kind)) document["rest_of_term_used"] = rest_used;
  return document;
}

std::string label_of(const paid_run& way, double rest_used) {
  const std::string kind{name(way.kind)};
  if (way.kind == provisioning::flex_start && way.pieces > 1) return fmt::format("{}, {} pieces", kind, way.pieces);
  if (!is_commitment(way.kind)) return kind;
  if (rest_used == 1) return kind + ", rest used";
  return kind + (rest_used == 0 ? ", whole term" : ", rest " + percent(rest_used) + " used");
}

template <class Amount>
cell some(Amount amount) {
  return amount.value() > 0 ? cell(amount) : cell("");
}

ordered_json gpu_document(const gpu_answer& g) {
  ordered_json document = {{"gpu", g.gpu.name},
                           {"gpus", g.gpus},
                           {"run_s", g.run.value()},
                           {"total_usd", g.total.value()},
                           {"against", name(g.against)},
                           {"saving", g.cheapest.saving_fraction},
                           {"break_even_usd_per_chip_hour", in_usd_per_hour(g.break_even_per_chip)}};
  document["saving_on_flex_start"] = or_null(g.saving_on_flex);
  if (g.move) {
    document["saving_per_job_usd"] = g.move->saving_per_job.value();
    document["months_to_pay_back"] = or_null(g.months);
  }
  return document;
}

ordered_json pay_document(const pay_answer& a, const pay_options& given) {
  ordered_json ways = ordered_json::array(), missing = ordered_json::array();
  for (const paid_run& way : a.ways) ways.push_back(json_of(way, a.terms.rest_of_term_used));
  for (const missing_way& m : a.missing) missing.push_back({{"provisioning", name(m.kind)}, {"reason", m.reason}});
  ordered_json lines = ordered_json::object();
  for (const break_even_line& line : a.lines) lines[line.key] = or_null(line.value);
  return {{"slice", name(a.where).view()},
          {"slices", given.slices},
          {"chips", checked_multiply(chips(a.where), given.slices)},
          {"region", given.prices.region},
          {"run_s", a.run.value()},
          {"slice_mtbp_s", a.terms.spot.mean_time_between_preemptions.value()},
          {"job_mtbp_s", a.spot.mean_time_between_preemptions.value()},
          {"cheapest", a.ways.empty() ? nullptr : ordered_json(name(best_of(a).kind))},
          {"ways", ways},
          {"missing", missing},
          {"break_even", lines}};
}

void print_pay(const pay_answer& a, const pay_options& given) {
  print_title("{} on {} ({} chips), region {}, cheapest first", duration(a.run), name(a.where, given.slices).view(),
              checked_multiply(chips(a.where), given.slices), given.prices.region);
  table t(
      "way of paying | >a chip | >billed | ~~~>overhead | ~~~>unused | ~>start to end | ~~>paid unused | >total | "
      "~~~price of");
  std::vector<price_row> prices;
  for (const paid_run& p : a.ways) {
    const double per_hour = in_usd_per_hour(p.price.per_chip);
    t.add({label_of(p, a.terms.rest_of_term_used), cell(fmt::format("${:.3f}/h", per_hour), per_hour, "_usd_per_hour"),
           p.billed, some(p.overhead), some(p.unused), p.wall, some(p.unused_cost), marked(p.total, p.price),
           date_cell(p.price)});
    prices.push_back(p.price);
  }
  t.print();
  if (!prices.empty()) print("  prices of {}\n", dates_of(prices));
  print_price_doubts(prices);
  for (const missing_way& m : a.missing) print("  {}: {}\n", name(m.kind), m.reason);
  if (const paid_run* spot = find_way(a, provisioning::spot)) {
    if (!given.checkpoint)
      print("\n  a checkpoint is taken to stop the step for {}{}\n", duration(a.terms.spot.checkpoint_time),
            given.parameters > 0 ? "" : ": see --parameters and --checkpoint");
    print("\n  spot: a preemption every {}, {:.1f} in all; a checkpoint every {}\n",
          duration(a.spot.mean_time_between_preemptions), spot->preemptions, duration(spot->checkpoint_interval));
    if (!given.market && !given.between) print("  that rate is assumed: see --market and --mtbp\n");
    if (!given.queue) print("  waits for capacity are not counted: see --queue\n");
  }
  print("\n");
  if (given.rest_used == 0 && (find_way(a, provisioning::commitment_1y) || find_way(a, provisioning::commitment_3y)))
    print("  a commitment is paid for its whole term: say with --rest-used what part of the rest other work uses\n");
  for (const break_even_line& line : a.lines) print("  {}\n", line.sentence);
}

void print_gpu(const gpu_answer& g, const pay_answer& a) {
  const bool saves = g.cheapest.saving_fraction >= 0;
  print("\n  {} x {} for {}: {} on demand; {} {} {}; on demand for {} a chip breaks even at ${:.3f}/h\n", g.gpus,
        g.gpu.name, duration(g.run), money(g.total), name(g.against), saves ? "saves" : "costs more by",
        percent(std::abs(g.cheapest.saving_fraction)), duration(a.run), in_usd_per_hour(g.break_even_per_chip));
  if (g.saving_on_flex)
    print("  both on flex-start: the slice {} {}\n", *g.saving_on_flex >= 0 ? "saves" : "costs more by",
          percent(std::abs(*g.saving_on_flex)));
  if (best_of(a).kind != g.against)
    print("  {} would take {}, where the GPUs too may be had for less than on demand\n", name(best_of(a).kind),
          money(best_of(a).total));
  if (!g.move) return;
  if (g.months) {
    print("  {} of engineering pays back in {:.1f} months at {:g} jobs a month, {} saved with each\n",
          money(g.move->engineering), *g.months, g.move->jobs_per_month, money(g.move->saving_per_job));
  } else {
    print("  {} of engineering never pays back: {} saved with each of {:g} jobs a month\n", money(g.move->engineering),
          money(g.move->saving_per_job), g.move->jobs_per_month);
  }
}

/// What is not a way of paying: GPUs to move from, checkpoints that are kept.
struct besides {
  std::optional<gpu_answer> gpu;
  std::optional<storage_cost> storage;
};

besides ask_besides(const pay_answer& a, const pay_options& given) {
  besides b;
  if (!given.gpu.empty() && !a.ways.empty()) b.gpu = ask_gpu(a, given);
  if (given.parameters > 0 && !a.ways.empty()) b.storage = ask_storage(a, given);
  return b;
}

/// What speaks against a TPU whatever the dollars say.
std::vector<std::string> traits_of(const pay_options& given) {
  std::vector<std::string> list;
  if (given.custom_kernels) list.emplace_back("custom kernels have to be written again in Pallas");
  if (given.dynamic_shapes) list.emplace_back("every new shape is compiled anew: pad to a few");
  if (given.small_batch) list.emplace_back("a small batch leaves the chips waiting for memory");
  return list;
}

void run_pay(pay_options given, session& with) {
  if (with.is_given("--correlation") && given.slices == 1)
    refuse("--correlation", "given for one slice", "with --slices 2 or more");
  if (given.whole && given.run <= 7_days)
    refuse("--whole", fmt::format("given for a run of {}", duration(given.run)),
           "a run over 7 days, which flex-start would split");
  if (!given.model.empty()) given.parameters = parameters_in(given.model);
  const loaded_prices prices(given.prices, with);
  pay_answer a = ask_pay(given, prices.book());
  a.lines = break_even_lines(a, given);
  if (a.ways.empty()) with.status = 1;
  const besides b = ask_besides(a, given);
  if (with.json) {
    ordered_json document = pay_document(a, given);
    if (b.gpu) document["against_gpu"] = gpu_document(*b.gpu);
    if (!traits_of(given).empty()) document["against_gpu"]["speaks_against_a_tpu"] = traits_of(given);
    if (b.storage)
      document["checkpoints"] = {{"kept_bytes", b.storage->kept.value()}, {"usd", b.storage->total.value()}};
    return print_json(document);
  }
  print_pay(a, given);
  if (b.gpu) print_gpu(*b.gpu, a);
  for (const std::string& one : traits_of(given)) print("  against a TPU: {}\n", one);
  if (b.storage) {
    print("\n  {} checkpoints take {} and cost {} while it runs, operations not counted\n", given.keep,
          binary_bytes(b.storage->kept), money(b.storage->total));
  }
  if (given.parameters > 0 && !a.ways.empty() && !b.storage)
    print("\n  checkpoints are kept at a price that is not known in {}: --storage-usd, or --region us-central1\n",
          given.prices.region);
  print_next("--market calm, --rest-used 0.5, --gpu H100 --gpus 64 --gpu-run 8d --engineering 60k --jobs 4");
}

void add_spot_options(command& to, pay_options& into) {
  to.add("--market", into.market, "of spot: calm, cautious or scarce, one preemption in 16, 4 or 1 hours");
  to.add("--mtbp", into.between, "mean time between preemptions of one slice, if you know yours")
      .excludes({"--market"});
  to.add("--correlation", into.spot.correlation, {0, 1}, "of preemptions of slices: 0 one by one, 1 all together");
  to.add("--checkpoint", into.checkpoint, {1e-3, 86400}, "time for which one checkpoint stops the step")
      .usually("15s, and the bytes of --parameters at 25 GB/s");
  to.add("--restart", into.spot.restart_time, {1e-3, 864000}, "billed time from capacity to the next step")
      .usually("10min");
  to.add("--queue", into.queue, "unbilled wait for spot and flex-start capacity, each time");
}

void add_gpu_options(command& to, pay_options& into) {
  to.add("--gpu", into.gpu, "hold it against A100-40, A100-80, H100, H200, B200, RTX-PRO-6000, L4, V100 or T4");
  to.add("--gpus", into.gpus, {1, 1e6}, "how many take the same job").needs({"--gpu"});
  to.add("--gpu-run", into.gpu_run, "time of the same job on them: 8d").needs({"--gpu"});
  to.add("--gpu-usd", into.gpu_price, {1e-3, 1e4}, "dollars per GPU and hour, instead of the list price")
      .needs({"--gpu"});
  to.flag("--small-batch", into.small_batch, "the batch cannot be made larger").needs({"--gpu"});
  to.flag("--dynamic-shapes", into.dynamic_shapes, "shapes change from step to step").needs({"--gpu"});
  to.flag("--custom-kernels", into.custom_kernels, "the job has CUDA kernels of its own").needs({"--gpu"});
  to.add("--engineering", into.engineering, "dollars to move from the GPUs: 60k").needs({"--gpu"});
  to.add("--jobs", into.jobs, {1e-3, 1e6}, "such jobs a month").needs({"--engineering"});
  to.add("--discount", into.discount, {0, 1}, "a year, 0.08 for 8 %").needs({"--engineering"});
}

void add_storage_options(command& to, pay_options& into) {
  to.add("--parameters", into.parameters, {1, 1e15}, "of a model whose checkpoints are kept, fp32 with AdamW: 8B")
      .excludes({"--model"});
  to.add("--model", into.model, "a config.json or a network of layers, whose parameters they are");
  to.add("--keep", into.keep, {1, 1e6}, "checkpoints at a time").usually("3").needs({"--parameters", "--model"});
  to.add("--storage-usd", into.storage_price, {1e-6, 100}, "dollars per GiB and month")
      .needs({"--parameters", "--model"});
}

}  // namespace

void add_pay_command(session& with) {
  command& added = with.commands.emplace_back("pay", "a run under every way of paying, and where they break even");
  const auto options = std::make_shared<pay_options>();
  added.add("--slice", options->slice_name, "v6e-8, v5e-16, v5p-8 …").required();
  added.add("--slices", options->slices, {1, 1024}, "how many of them").usually("1");
  added.add("--run", options->run, "uninterrupted time: 10d").required();
  add_price_options(added, options->prices);
  add_spot_options(added, *options);
  added.flag("--whole", options->whole, "do not split a run on flex-start into pieces of 7 days");
  add_rest_option(added, options->rest_used);
  add_gpu_options(added, *options);
  add_storage_options(added, *options);
  add_table_options(added);
  added.run = [options, &with] { run_pay(*options, with); };
}

}  // namespace cli
