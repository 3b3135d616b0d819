// tpuplan serve
#include <algorithm>
#include <memory>
#include <optional>
#include <tpuplan/show/views/serve.hpp>
#include <vector>

#include "cli/calibration.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/own_words.hpp"
#include "cli/percentiles.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/serve.hpp"
#include "cli/zones.hpp"

namespace cli {

using namespace tpuplan;

namespace {

served ask_serve(model_config& config, const serve_options& given, const price_book& prices, const session& with) {
  const traffic_options& traffic = given.traffic;
  served a;
  a.asked.slice = given.slice_name;
  a.asked.job = traffic.job;
  a.asked.prompts = traffic.prompts, a.asked.outputs = traffic.outputs;
  a.asked.mesh = traffic.mesh;
  learn(config, a.asked.constants,
        load_calibration(given.calibration, calibrated_part::serving, {{}, traffic.constants, {}}));
  a.asked.adapters = traffic.request.value("adapters", std::int64_t{0});
  a.asked.adapter_rank = traffic.request.value("adapter_rank", std::int64_t{0});
  a.asked.region = given.prices.region;
  a.where = scheduled_slice(given.slice_name);
  use_stored_format(config, with.is_given("--weights"), a.asked.job);
  use_own_lengths(config.model, with.is_given("--input-len"), with.is_given("--output-len"), a.asked.job);
  a.answer = answer_to_serve(config, a.asked, prices);
  for (const auto& [field, value] : machine_taken(given.slice_name, a.where))
    a.answer.assumed.push_back({field, value, std::string(not_given)});
  return a;
}

/// The command that plans for the same traffic; none for what an engine does not run. Beside a shared prefix a plan
/// simulates the requests of a rate, which find it by themselves and have other tokens besides.
std::string plan_command(const served& a, const session& with) {
  const serving_job& job = a.asked.job;
  if (!job_limit(job.engine, job).field.empty()) return {};
  if (job.shared_prefix > 0) {
    const bool is_fixed = job.prompt.mean == static_cast<double>(job.prompt.longest);
    if (!is_fixed || job.request_rate.value() <= 0 || job.ttft_target.value() > 0 || job.tpot_target.value() > 0)
      return {};
    const std::string rest = std::to_string(job.prompt.longest - job.shared_prefix);
    return follow_up(with, "plan", {{"--serve", ""}, {"--input-len", rest}},
                     {"--tensor", "--gpu", "--gpus", "--prefix-hit-rate"});
  }
  return follow_up(with, "plan", {{"--serve", ""}}, {"--tensor", "--gpu", "--gpus"});
}

/// The view of the answer: advice names the options that it changes, and GPUs are compared where that was asked.
view view_of(const served& a, const std::optional<gpu_comparison>& gpu, const session& with) {
  serve_answer answer = a.answer;
  for (served_change& one : answer.advice)
    one.words = change_in_own_words(*with.asked, one.subject, one.better, one.now);
  view shown = view_of(answer, view_options_of(with));
  const auto assumed =
      std::find_if(shown.parts.begin(), shown.parts.end(), [](const view_part& one) { return one.title == "assumed"; });
  if (gpu && answer.estimate.refusal == serving_refusal::none) shown.parts.insert(assumed, gpu_part(*gpu, a));
  shown.next.front().command = plan_command(a, with);
  return shown;
}

void run_serve(const serve_options& given, session& with) {
  if (any_target(given.traffic.job.percentiles) && !with.is_given("--rate"))
    refuse_missing("--rate",
                   "requests a second, for targets by percentile; simulate holds them for requests in flight");
  model_config config = load_model(given.config, given.traffic.image_size);
  loaded_prices prices(given.prices, with);
  check_place(given.prices, prices, {given.slice_name}, with);
  const served a = ask_serve(config, given, prices.book(), with);
  const serving_estimate& e = a.answer.estimate;
  if (e.refusal != serving_refusal::none || !e.meets_ttft || !e.meets_tpot || !a.answer.meets_targets.value_or(true))
    with.status = 1;
  std::optional<gpu_comparison> gpu;
  if (!given.gpu.empty() && config.model.kind != architecture::decoder)
    refuse("--gpu", "given for an " + std::string(name(config.model.kind)), "a decoder");
  if (!given.gpu.empty()) gpu = compare_with_gpu(config, a, given, prices.book());
  if (a.answer.frontier.count == 0 && with.is_given("--svg"))
    refuse("--svg", e.running > 0 ? "given for an encoder" : "given for a slice that serves nothing",
           e.running > 0 ? "a model that writes tokens" : "a slice on which the model fits");
  answer(with, view_of(a, gpu, with), [&] {
    ordered_json document = a.answer;
    if (gpu) document["gpu"] = gpu_document(*gpu);
    return document;
  });
}

}  // namespace

void add_serve_command(session& with) {
  command& added =
      with.commands.emplace_back("serve", "first token, each token, throughput, dollars per million tokens");
  const auto options = std::make_shared<serve_options>();
  add_config_option(added, options->config).required();
  nlohmann::json& request = options->traffic.request;
  added.ask(engine_slice_rows, request);
  add_traffic_options(added, request);
  added.ask(format_rows, request);
  added.ask(served_engine_rows, request);
  added.ask(shared_rows, request);
  added.ask(served_software_rows, request);
  add_image_options(added, options->traffic);
  added.ask(adapter_rows, request);
  added.ask(speculation_rows, request);
  add_price_options(added, options->prices);
  std::string gpus;
  for (const gpu_offer& one : gpu_offers) gpus.append(gpus.empty() ? "" : ", ").append(one.name.view());
  added.add("--gpu", options->gpu, "compare with one of " + gpus + ", at peak");
  added.add("--gpus", options->gpus, {1, 1024}, "the fewest of one machine that serve it, if not given")
      .needs({"--gpu"});
  add_calibration_option(added, options->calibration);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [options, &with] {
    read_traffic(options->traffic);
    options->slice_name = options->traffic.request["slice"].get<std::string>();
    run_serve(*options, with);
  };
}

}  // namespace cli
