// tpuplan pay
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <tpuplan/ask/payment.hpp>
#include <tpuplan/show/views/pay.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/lifetimes.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/zones.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct pay_options {
  nlohmann::json request = nlohmann::json::object();
  price_options prices;
  std::string model;      // whose parameters they are
  std::string lifetimes;  // a file
  job_traits traits;
};

/// Reasons against a TPU that are independent of its cost.
std::vector<std::string> words_of(const job_traits& given) {
  std::vector<std::string> list;
  if (given.custom_kernels) list.emplace_back("custom kernels have to be written again in Pallas");
  if (given.dynamic_shapes) list.emplace_back("each new shape is compiled when it first occurs: pad to a few shapes");
  if (given.small_batch) list.emplace_back("a small batch leaves the chips waiting for memory");
  return list;
}

/// Completes the question with the parameters of the model and the GPUs.
pay_request request_of(const pay_options& given, const session& with) {
  pay_request asked = read_request<pay_request>(given.request);
  asked.region = given.prices.region;
  if (with.is_given("--correlation") && asked.slices == 1)
    refuse("--correlation", "given for one slice", "with --slices 2 or more");
  if (!given.model.empty()) asked.parameters = parameters_in(given.model);
  if (!asked.against) return asked;
  if (asked.against->gpus == 0) refuse_missing("--gpus", "GPUs that the same job takes: 8");
  if (asked.against->run.value() == 0)
    refuse_missing("--gpu-run", "the time of the same job on the GPUs: 8d; tpuplan train --gpu estimates both sides");
  if (asked.against->discount > 0 && asked.against->jobs_per_month == 0)
    refuse("--discount", "given without effect", "only with --jobs");
  return asked;
}

void run_pay(pay_options given, session& with) {
  keep_to_zone(given.request.value("zone", ""), given.request.value("slice", ""), given.prices, with);
  const pay_request asked = request_of(given, with);
  loaded_prices prices(given.prices, with);
  check_place(given.prices, prices, {asked.slice}, with, asked.zone);
  const pay_answer a = answer_to(asked, prices.book());
  if (a.ways.empty()) with.status = 1;
  const std::vector<std::string> traits = words_of(given.traits);
  view shown = view_of(a, view_options_of());
  std::vector<std::string> own;
  for (const std::string& one : traits) own.push_back("against a TPU: " + one);
  if (asked.parameters && !a.ways.empty() && !a.checkpoints)
    own.push_back("checkpoints are kept at a price that is not known in " + a.region +
                  ": --storage-usd, or --region us-central1");
  if (asked.against && !a.against_gpu)
    own.push_back(fmt::format("not compared with {} x {}: no way of paying gets the slice in {}", asked.against->gpus,
                              asked.against->gpu, a.region));
  if (!own.empty()) shown.parts.push_back({{}, own, {}, {}, {}, false});
  if (!shown.next.empty())
    shown.next.front().command = follow_up(with, "pay", {{"--gpu", "H100"}, {"--gpus", "64"}, {"--gpu-run", "8d"}});
  answer(with, shown, [&] {
    ordered_json document = a;
    if (a.against_gpu && !traits.empty()) document["against_gpu"]["speaks_against_a_tpu"] = traits;
    return document;
  });
}

}  // namespace

void add_pay_command(session& with) {
  command& added = with.commands.emplace_back("pay", "a run under every way of paying, and where they break even");
  const auto options = std::make_shared<pay_options>();
  nlohmann::json& request = options->request;
  added.ask(pay_rows, request);
  add_lifetimes_option(added, options->lifetimes).excludes({"--mtbp", "--market"});
  add_price_options(added, options->prices);
  added.ask(rest_rows, request);
  added.ask(gpu_rows, request);
  add_trait_options(added, options->traits);
  added.ask(storage_rows, request);
  added
      .add("--model", options->model,
           "a config.json, a network of layers or a folder of diffusers, whose parameters they are")
      .decides("checkpoint_time");
  add_table_options(added);
  added.run = [options, &with] {
    take_lifetimes(options->lifetimes, options->request);
    run_pay(*options, with);
  };
}

}  // namespace cli
