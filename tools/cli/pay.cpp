// tpuplan pay
#include <algorithm>
#include <cmath>
#include <memory>
#include <tpuplan/ask/payment.hpp>
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
  pay_request asked;
  price_options prices;
  std::string model;  // whose parameters they are
  gpu_job gpu;
  bool small_batch = false, dynamic_shapes = false, custom_kernels = false;
};

const paid_run* find_way(const pay_answer& answer, provisioning kind) {
  for (const paid_run& way : answer.ways) {
    if (way.kind == kind) return &way;
  }
  return nullptr;
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

void print_paid(const pay_answer& a) {
  table t(
      "way of paying | >a chip | >billed | ~~~>overhead | ~~~>unused | ~>start to end | ~~>paid unused | >total | "
      "~~~price of");
  std::vector<price_row> prices;
  for (const paid_run& p : a.ways) {
    const double per_hour = in_usd_per_hour(p.price.per_chip);
    t.add({label_of(p, a.rest_of_term_used), cell(fmt::format("${:.3f}/h", per_hour), per_hour, "_usd_per_hour"),
           p.billed, some(p.overhead), some(p.unused), p.wall, some(p.unused_cost), marked(p.total, p.price),
           date_cell(p.price)});
    prices.push_back(p.price);
  }
  t.print();
  if (!prices.empty()) print("  prices of {}\n", dates_of(prices));
  print_price_doubts(prices);
  for (const missing_payment& m : a.missing) print("  {}: {}\n", name(m.provisioning), m.reason);
}

/// Prints notes about spot capacity.
void print_spot(const pay_answer& a, const session& with) {
  const paid_run* spot = find_way(a, provisioning::spot);
  if (spot == nullptr) return;
  for (const assumption& one : a.assumed) {
    if (one.field == assumed_checkpoint_time)
      print("\n  a checkpoint is taken to stop the step for {}{}\n", one.value,
            with.is_given("--parameters") || with.is_given("--model") ? "" : ": see --parameters and --checkpoint");
  }
  print("\n  spot: a preemption every {}, {:.1f} in all; a checkpoint every {}\n", duration(a.job_mtbp),
        spot->preemptions, duration(spot->checkpoint_interval));
  if (!with.is_given("--market") && !with.is_given("--mtbp"))
    print("  that rate is assumed: see --market and --mtbp\n");
  if (!with.is_given("--queue")) print("  waits for capacity are not counted: see --queue\n");
}

/// Prints where one way of paying begins to cost less than another.
void print_break_even(const pay_answer& a) {
  const pay_break_even& lines = a.break_even;
  const bool on_demand = find_way(a, provisioning::on_demand) != nullptr;
  const bool spot = find_way(a, provisioning::spot) != nullptr;
  if (on_demand && spot && lines.spot_mtbp_against_on_demand)
    print("  spot costs less than on demand where a slice lasts more than {} on average\n",
          duration(*lines.spot_mtbp_against_on_demand));
  if (on_demand && spot && !lines.spot_mtbp_against_on_demand) print("  spot never costs less than on demand\n");
  const auto add = [&](provisioning kind, const char* other, const std::optional<double>& share) {
    if (!share) return print("  {} never costs less than {}\n", name(kind), other);
    print("  {} costs less than {} where more than {} of {} used\n", name(kind), other, percent(*share),
          kind == provisioning::calendar ? "the window is" : "its hours are");
  };
  const auto add_both = [&](provisioning kind, const std::optional<double>& to_on_demand,
                            const std::optional<double>& to_spot) {
    if (find_way(a, kind) == nullptr) return;
    if (on_demand) add(kind, "on demand", to_on_demand);
    if (spot) add(kind, "spot with its preemptions", to_spot);
  };
  add_both(provisioning::calendar, lines.calendar_utilization_against_on_demand,
           lines.calendar_utilization_against_spot);
  add_both(provisioning::commitment_1y, lines.commitment_1y_utilization_against_on_demand,
           lines.commitment_1y_utilization_against_spot);
  add_both(provisioning::commitment_3y, lines.commitment_3y_utilization_against_on_demand,
           lines.commitment_3y_utilization_against_spot);
}

void print_pay(const pay_answer& a, const session& with) {
  print_title("{} on {} ({}), region {}, cheapest first", duration(a.run), name(slice_for(a.slice), a.slices).view(),
              counted(a.chips, "chip"), a.region);
  print_paid(a);
  print_spot(a, with);
  print("\n");
  if (a.rest_of_term_used == 0 &&
      (find_way(a, provisioning::commitment_1y) || find_way(a, provisioning::commitment_3y)))
    print("  a commitment is paid for its whole term: say with --rest-used what part of the rest other work uses\n");
  print_break_even(a);
}

void print_gpu(const pay_answer& a, const gpu_job& job) {
  const gpu_comparison_row& g = *a.against_gpu;
  print("\n  {} x {} for {}: {} on demand; {} {} {}; on demand for {} a chip breaks even at ${:.3f}/h\n", g.gpus, g.gpu,
        duration(g.run), money(g.total), name(g.against), g.saving >= 0 ? "saves" : "costs more by",
        percent(std::abs(g.saving)), duration(a.run), g.break_even_usd_per_chip_hour);
  if (g.saving_on_flex_start)
    print("  both on flex-start: the slice {} {}\n", *g.saving_on_flex_start >= 0 ? "saves" : "costs more by",
          percent(std::abs(*g.saving_on_flex_start)));
  if (*a.cheapest != g.against)
    print("  {} would take {}, where the GPUs too may be had for less than on demand\n", name(*a.cheapest),
          money(a.ways.front().total));
  if (!g.saving_per_job) return;
  if (job.jobs_per_month == 0 && g.jobs_to_pay_back) {
    print("  {} of engineering pays back after {:.0f} jobs, {} saved with each; see --jobs\n", money(*job.engineering),
          std::ceil(*g.jobs_to_pay_back), money(*g.saving_per_job));
  } else if (job.jobs_per_month == 0) {
    print("  {} of engineering never pays back: {} saved with each job\n", money(*job.engineering),
          money(*g.saving_per_job));
  } else if (g.months_to_pay_back) {
    print("  {} of engineering pays back in {:.1f} months at {:g} jobs a month, {} saved with each\n",
          money(*job.engineering), *g.months_to_pay_back, job.jobs_per_month, money(*g.saving_per_job));
  } else {
    print("  {} of engineering never pays back: {} saved with each of {:g} jobs a month\n", money(*job.engineering),
          money(*g.saving_per_job), job.jobs_per_month);
  }
}

/// Reasons against a TPU that are independent of its cost.
std::vector<std::string> traits_of(const pay_options& given) {
  std::vector<std::string> list;
  if (given.custom_kernels) list.emplace_back("custom kernels have to be written again in Pallas");
  if (given.dynamic_shapes) list.emplace_back("each new shape is compiled when it first occurs: pad to a few shapes");
  if (given.small_batch) list.emplace_back("a small batch leaves the chips waiting for memory");
  return list;
}

/// Completes the question with the parameters of the model and the GPUs.
pay_request request_of(const pay_options& given, const session& with) {
  pay_request asked = given.asked;
  asked.region = given.prices.region;
  if (with.is_given("--correlation") && asked.slices == 1)
    refuse("--correlation", "given for one slice", "with --slices 2 or more");
  if (!given.model.empty()) asked.parameters = parameters_in(given.model);
  if (given.gpu.gpu.empty()) return asked;
  if (given.gpu.gpus == 0) refuse_missing("--gpus", "GPUs that the same job takes: 8");
  if (given.gpu.run.value() == 0)
    refuse_missing("--gpu-run", "the time of the same job on the GPUs: 8d; tpuplan train --gpu estimates both sides");
  if (given.gpu.discount > 0 && given.gpu.jobs_per_month == 0)
    refuse("--discount", "given without effect", "only with --jobs");
  asked.against = given.gpu;
  return asked;
}

void run_pay(const pay_options& given, session& with) {
  const pay_request asked = request_of(given, with);
  const loaded_prices prices(given.prices, with);
  check_region(prices.book(), given.prices.region);
  const pay_answer a = answer_to(asked, prices.book());
  // Of a slice without any price the refusal says which prices there are.
  const auto has_price = [&](provisioning kind) {
    return find_price(prices.book(), scheduled_slice(a.slice), a.region, kind).has_value();
  };
  if (a.ways.empty() && std::none_of(all_provisioning.begin(), all_provisioning.end(), has_price))
    (void)price_for(prices.book(), scheduled_slice(a.slice), a.region, provisioning::on_demand);
  if (a.ways.empty()) with.status = 1;
  const std::vector<std::string> traits = traits_of(given);
  if (with.json) {
    ordered_json document = a;
    if (a.against_gpu && !traits.empty()) document["against_gpu"]["speaks_against_a_tpu"] = traits;
    return print_json(document);
  }
  print_pay(a, with);
  if (a.against_gpu) print_gpu(a, given.gpu);
  for (const std::string& one : traits) print("  against a TPU: {}\n", one);
  if (a.checkpoints) {
    print("\n  {} checkpoints take {} and cost {} while it runs, operations not counted\n", asked.checkpoints_kept,
          binary_bytes(a.checkpoints->kept), money(a.checkpoints->total));
  }
  if (asked.parameters && !a.ways.empty() && !a.checkpoints)
    print("\n  checkpoints are kept at a price that is not known in {}: --storage-usd, or --region us-central1\n",
          a.region);
  if (!a.against_gpu)
    print_next("{}   against GPUs, with your own figures for these",
               follow_up(with, "pay", {{"--gpu", "H100"}, {"--gpus", "64"}, {"--gpu-run", "8d"}}));
}

void add_spot_options(command& to, pay_options& into) {
  to.add("--market", into.asked.market, "of spot: calm, cautious or scarce, one preemption in 16, 4 or 1 hours");
  to.add("--mtbp", into.asked.mean_time_between_preemptions, {1e-3, 1e12},
         "mean time between preemptions of one slice, if you know yours")
      .excludes({"--market"});
  to.add("--correlation", into.asked.correlation, {0, 1}, "of preemptions of slices: 0 one by one, 1 all together");
  to.add("--checkpoint", into.asked.checkpoint_time, {1e-6, 1e7}, "time for which one checkpoint stops the step")
      .usually("15s, and the bytes of --parameters at 25 GB/s");
  to.add("--restart", into.asked.restart_time, {0, 1e7}, "billed time from capacity to the next step").usually("10min");
  to.add("--queue", into.asked.queue_time, {0, 1e9}, "unbilled wait for spot and flex-start capacity, each time");
}

void add_gpu_options(command& to, pay_options& into) {
  to.add("--gpu", into.gpu.gpu, "compare with A100-40, A100-80, H100, H200, B200, RTX-PRO-6000, L4, V100 or T4");
  to.add("--gpus", into.gpu.gpus, {1, 1e6}, "how many take the same job").needs({"--gpu"});
  to.add("--gpu-run", into.gpu.run, "time of the same job on them: 8d").needs({"--gpu"});
  to.add("--gpu-usd", into.gpu.usd_per_gpu_hour, {1e-3, 1e4}, "dollars per GPU and hour, instead of the list price")
      .needs({"--gpu"});
  to.flag("--small-batch", into.small_batch, "the batch cannot be made larger").needs({"--gpu"});
  to.flag("--dynamic-shapes", into.dynamic_shapes, "shapes change from step to step").needs({"--gpu"});
  to.flag("--custom-kernels", into.custom_kernels, "the job has CUDA kernels of its own").needs({"--gpu"});
  to.add("--engineering", into.gpu.engineering, "dollars to move from the GPUs: 60k").needs({"--gpu"});
  to.add("--jobs", into.gpu.jobs_per_month, {1e-3, 1e6}, "such jobs a month").needs({"--engineering"});
  to.add("--discount", into.gpu.discount, {0, 1}, "a year, 0.08 for 8 %").needs({"--engineering"});
}

void add_storage_options(command& to, pay_options& into) {
  to.add("--parameters", into.asked.parameters, {1, 1e15}, "of a model whose checkpoints are kept, fp32 with AdamW: 8B")
      .excludes({"--model"});
  to.add("--model", into.model, "a config.json or a network of layers, whose parameters they are");
  to.add("--keep", into.asked.checkpoints_kept, {1, 1e6}, "checkpoints at a time")
      .usually("3")
      .needs({"--parameters", "--model"});
  to.add("--storage-usd", into.asked.storage_usd_per_gib_month, {1e-6, 100}, "dollars per GiB and month")
      .needs({"--parameters", "--model"});
}

}  // namespace

void add_pay_command(session& with) {
  command& added = with.commands.emplace_back("pay", "a run under every way of paying, and where they break even");
  const auto options = std::make_shared<pay_options>();
  added.add("--slice", options->asked.slice, "v6e-8, v5e-16, v5p-8 …").required();
  added.add("--slices", options->asked.slices, {1, 1024}, "how many of them").usually("1");
  added.add("--run", options->asked.run, "uninterrupted time: 10d").required();
  add_price_options(added, options->prices);
  add_spot_options(added, *options);
  added.flag("--whole", "do not split a run on flex-start into pieces of 7 days",
             [options] { options->asked.may_be_split = false; });
  add_rest_option(added, options->asked.rest_of_term_used);
  add_gpu_options(added, *options);
  add_storage_options(added, *options);
  add_table_options(added);
  added.run = [options, &with] { run_pay(*options, with); };
}

}  // namespace cli
