// What tpuplan fit, train and plan answer for the training of a pipeline of images or clips.
#include "cli/train_generation.hpp"

#include <algorithm>
#include <tpuplan/ask/plan_train_generation.hpp>
#include <tpuplan/show/views/plan_train_generation.hpp>
#include <tpuplan/show/views/train_generation.hpp>
#include <utility>

#include "cli/config.hpp"
#include "cli/launch_line.hpp"
#include "cli/network.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/zones.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// What a run is given in.
const std::vector<std::string_view> options_of_a_run = {"--examples", "--epochs", "--steps-per-epoch",
                                                        "--keep-remainder", "--steps"};

std::vector<std::string_view> of_a_run(std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> all = options_of_a_run;
  all.insert(all.end(), others);
  return all;
}

void expect_slice(const job_options& job) {
  if (!job.request.contains("slice")) refuse_missing("--slice", "v5p-128, v5e-16, v6e-8x16 …");
}

}  // namespace

bool is_pipeline_file(const std::string& path) {
  if (path.empty() || path == "-") return false;
  try {
    return is_pipeline(load_pipeline_document(path));
  } catch (const error&) {
    return false;  // whoever reads it says what is wrong
  }
}

void add_rows_of_pictures(command& to, picture_options& into, const std::vector<row_list>& rows) {
  for (const row_list& list : rows) {
    for (const question_row& row : list) {
      if (to.find(row.option) == nullptr) to.ask(row, into.request), into.own.emplace_back(row.option);
    }
  }
}

void add_picture_options(command& to, picture_options& into, bool of_a_layout) {
  add_rows_of_pictures(to, into, {trained_size_rows, diffusion_step_rows});
  if (of_a_layout) add_rows_of_pictures(to, into, {row_list(exchange_rows)});
}

void refuse_pictures(const session& with, const picture_options& pictures, std::string_view given) {
  for (const std::string& each : pictures.own) {
    if (with.is_given(each)) refuse(each, given, "a pipeline of images or clips");
  }
}

nlohmann::json denoiser_request(const nlohmann::json& request, const nlohmann::json& pictures,
                                const epoch_options& run) {
  nlohmann::json asked = request;
  asked.merge_patch(pictures);
  if (asked.contains("mesh") && asked["mesh"].contains("dcn_data")) {
    asked["slices"] = asked["mesh"]["dcn_data"];
    asked["mesh"].erase("dcn_data");
  }
  if (!is_given(run)) return asked;
  std::int64_t batch = asked.value("/job/global_batch"_json_pointer, std::int64_t{0});
  if (batch == 0 && asked.contains("slice"))
    batch = checked_multiply(devices(scheduled_slice(asked["slice"].get<std::string>())),
                             asked.value("slices", std::int64_t{1}));
  if (batch == 0 && !run.examples) refuse_missing("--batch", "images or clips in a step: without it steps are no work");
  asked["data"] = data_of(run, batch);
  return asked;
}

void add_launch(view& shown, const maxdiffusion_run& run, const slice& where, std::int64_t slices, provisioning kind) {
  to_start what;
  what.where = where, what.slices = slices, what.kind = kind;
  what.in_image = true;
  what.program = "--maxdiffusion --checkpoint gs://BUCKET/FOLDER";
  what.program += run.trains ? " --set dataset_name=NAME --set learning_rate=1e-5" : " --set prompt=PROMPT";
  if (run.job.cache_speedup > 1) what.program += " --set " + std::string(maxdiffusion_cache(run)) + "=True";
  if (!maxdiffusion_gate(run).empty()) what.program += " --secret SECRET";
  const std::string line = launch_line("--json | tpuplan launch -", what);
  if (!line.empty()) shown.next.push_back({{}, line, {}});
}

void keep_to_pipelines(const session& with, std::vector<row_list> rows, std::vector<std::string_view> extra) {
  rows.insert(rows.end(), {trained_size_rows, diffusion_step_rows, diffusion_job_rows});
  keep_to(with, rows, extra, "given for a pipeline of images or clips");
}

void denoiser_fit(const job_options& job, const picture_options& pictures, session& with) {
  expect_slice(job);
  keep_to_pipelines(with, {diffusion_mesh_rows, exchange_rows}, {});
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = load_pipeline(job.config, read);
  const fit_generation_answer a = answer_to_fit_generation(
      pipeline, read, read_request<fit_generation_request>(denoiser_request(job.request, pictures.request)));
  if (a.fits == verdict::no) with.status = 1;
  view shown = view_of(a, view_options_of(with));
  if (!shown.next.empty()) shown.next.front().command = follow_up(with, "train", {});
  answer(with, shown, [&] { return ordered_json(a); });
}

void denoiser_train(const job_options& job, const picture_options& pictures, const epoch_options& run,
                    const price_options& prices_given, session& with) {
  expect_slice(job);
  keep_to_pipelines(with,
                    {diffusion_mesh_rows, exchange_rows, preemption_rows, rest_rows, market_rows, wait_rows, phase_rows,
                     timeline_rows},
                    of_a_run({"--region", "--prices"}));
  auto asked = read_request<train_generation_request>(denoiser_request(job.request, pictures.request, run));
  asked.region = prices_given.region;
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = load_pipeline(job.config, read);
  loaded_prices prices(prices_given, with);
  check_place(prices_given, prices, {asked.slice}, with, asked.zone);
  train_generation_answer a = answer_to_train_generation(pipeline, read, asked, prices.book());
  if (a.epochs && run.steps) a.epochs->steps_per_epoch = 0;  // of a run that has no epochs
  if (a.fits == verdict::no) with.status = 1;
  view shown = view_of(a, view_options_of(with));
  if (a.run && a.maxdiffusion_refuses.empty())
    add_launch(shown, run_of(a, a.buckets.front().size, true), slice_for(a.slice), a.slices, provisioning::on_demand);
  answer(with, shown, [&] { return ordered_json(a); });
}

namespace {

/// The question as the options say it; those of sizes are shared with plans of what a pipeline makes.
plan_train_generation_request asked_of(const plan_options& given) {
  nlohmann::json request = denoiser_request(given.job.request, given.pictures, given.epochs);
  const nlohmann::json make = given.generation.value("make", nlohmann::json::object());
  for (const auto& [key, value] : make.items()) {
    if (key != "size") {
      request[key] = value;
      continue;
    }
    request["sizes"] = nlohmann::json::array();  // several, as training takes them
    const std::string words = value.get<std::string>();
    for (std::size_t from = 0; from <= words.size();) {
      const std::size_t end = std::min(words.find(',', from), words.size());
      request["sizes"].push_back(words.substr(from, end - from));
      from = end + 1;
    }
  }
  auto asked = read_request<plan_train_generation_request>(request);
  if (!asked.by.empty() && asked.start.empty()) asked.start = today();
  asked.generations = given.asked.generations;  // of which a zone may have fewer
  asked.regions = given.asked.regions;
  return asked;
}

/// The command that looks at the best plan more closely.
std::string train_command(const plan_train_generation_row& best, const session& with) {
  const auto count = [](std::int64_t value) { return std::to_string(value); };
  std::vector<follow_up_option> own = {{"--slice", best.slice},
                                       {"--data", count(best.mesh.data)},
                                       {"--fsdp", count(best.mesh.fsdp)},
                                       {"--tensor", count(best.mesh.tensor)},
                                       {"--context", count(best.mesh.context)}};
  if (best.mesh.context > 1) own.emplace_back("--context-exchange", std::string(name(best.mesh.exchange)));
  add_region(own, best.region, with);
  return follow_up(with, "train", own, {"--region"});
}

}  // namespace

void denoiser_plan(const plan_options& given, const price_book& prices, session& with) {
  keep_to_pipelines(with, {preemption_rows, rest_rows, market_rows, wait_rows, phase_rows, budget_rows, limit_rows},
                    of_a_run({"--deadline", "--by", "--start", "--zone", "--rows", "--prices"}));
  if (!is_given(given.epochs))
    refuse_missing("--examples",
                   "examples of the data set with --epochs, or --steps; or --items-per-hour to make some");
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = load_pipeline(given.job.config, read);
  plan_train_generation_answer said = answer_to_plan_train_generation(pipeline, read, asked_of(given), prices);
  if (given.epochs.steps) said.epochs.steps_per_epoch = 0;  // of a run that has no epochs
  say_start(with, said.assumed);
  if (said.plans.empty()) with.status = 1;
  view_options options = view_options_of(with);
  options.rows = given.rows;
  view shown = view_of(said, options);
  if (!said.plans.empty()) {
    shown.next.front().command = train_command(said.plans.front(), with);
    const plan_train_generation_row& best = said.plans.front();
    if (best.maxdiffusion_refuses.empty())
      add_launch(shown, run_of(said, said.buckets.front().size, true), slice_for(best.slice), 1, best.kind);
  }
  answer(with, shown, [&] {
    if (with.is_given("--rows")) said.plans.resize(std::min(said.plans.size(), static_cast<std::size_t>(*given.rows)));
    return ordered_json(said);
  });
}

}  // namespace cli
