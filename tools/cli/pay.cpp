// tpuplan pay
#include <algorithm>
#include <cmath>
#include <memory>
#include <tpuplan/ask/payment.hpp>
#include <tpuplan/show/views/pay.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/print.hpp"
#include "cli/report.hpp"
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
  view shown = view_of(a, view_options_of());
  std::vector<std::string> own;
  for (const std::string& one : traits) own.push_back("against a TPU: " + one);
  if (asked.parameters && !a.ways.empty() && !a.checkpoints)
    own.push_back("checkpoints are kept at a price that is not known in " + a.region +
                  ": --storage-usd, or --region us-central1");
  if (!own.empty()) shown.parts.push_back({{}, own, {}, {}, {}, false});
  if (!shown.next.empty())
    shown.next.front().command = follow_up(with, "pay", {{"--gpu", "H100"}, {"--gpus", "64"}, {"--gpu-run", "8d"}});
  answer(with, shown, [&] {
    ordered_json document = a;
    if (a.against_gpu && !traits.empty()) document["against_gpu"]["speaks_against_a_tpu"] = traits;
    return document;
  });
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
