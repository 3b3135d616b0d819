// What tpuplan train answers for a pipeline of images or clips.
#include "cli/train_generation.hpp"

#include <algorithm>
#include <tpuplan/show/views/train_generation.hpp>

#include "cli/config.hpp"
#include "cli/report.hpp"

namespace cli {

using namespace tpuplan;

namespace {

train_generation_request asked_of(const denoiser_run& given, const session& with) {
  train_generation_request asked = read_request<train_generation_request>(given.pictures);
  const training_job& job = given.job.job;
  asked.slice = given.mesh.slice_name;
  asked.slices = given.mesh.slices.value_or(1);
  asked.job.global_batch = job.global_batch, asked.job.moments = job.moments, asked.job.optimizer = job.optimizer;
  if (given.job.weights) asked.job.weights = *given.job.weights;
  asked.job.lora_rank = job.lora_rank;
  const auto degree = [&](const char* option, std::int64_t value) { return with.is_given(option) ? value : 0; };
  asked.mesh = {degree("--data", given.mesh.mesh.data), degree("--fsdp", given.mesh.mesh.fsdp),
                degree("--tensor", given.mesh.mesh.tensor), degree("--context", given.mesh.mesh.context)};
  asked.region = given.prices.region;
  asked.mean_time_between_preemptions = given.between, asked.rest_of_term_used = given.rest_used;
  if (!is_given(given.epochs)) return asked;
  const std::int64_t batch =
      job.global_batch > 0 ? job.global_batch : checked_multiply(devices(scheduled_slice(asked.slice)), asked.slices);
  asked.data = data_of(given.epochs, batch);
  return asked;
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

void refuse_pictures(const session& with, const std::vector<std::string>& own, std::string_view given) {
  for (const std::string& each : own) {
    if (with.is_given(each)) refuse(each, given, "a pipeline of images or clips");
  }
}

void keep_to_pipelines(const session& with, const std::vector<std::string>& own,
                       std::initializer_list<std::string_view> others) {
  for (const option& one : with.asked->options) {
    const bool acts = std::find(own.begin(), own.end(), one.name) != own.end() ||
                      std::find(others.begin(), others.end(), one.name) != others.end();
    if (one.is_given() && !acts)
      refuse(one.name, "given for a pipeline of images or clips", "an option that acts on one");
  }
}

std::vector<std::string> picture_options(command& to, const row_list& rows, nlohmann::json& request) {
  std::vector<std::string> own;
  for (const question_row& row : rows) {
    if (to.find(row.option) == nullptr) to.ask(row, request), own.emplace_back(row.option);
  }
  return own;
}

void denoiser_train(const denoiser_run& given, session& with) {
  keep_to_pipelines(with, given.own,
                    {"config",  "--batch",    "--weights",        "--moments",         "--optimizer", "--lora",
                     "--slice", "--data",     "--fsdp",           "--tensor",          "--context",   "--slices",
                     "--steps", "--examples", "--epochs",         "--steps-per-epoch", "--region",    "--prices",
                     "--mtbp",  "--csv",      "--keep-remainder", "--rest-used",       "--wide",      "--markdown"});
  if (given.mesh.slice_name.empty()) refuse_missing("--slice", "v5p-128, v5e-16, v6e-8x16 …");
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = load_pipeline(given.job.config, read);
  const train_generation_request asked = asked_of(given, with);
  const loaded_prices prices(given.prices, with);
  check_region(prices.book(), asked.region);
  train_generation_answer a = answer_to_train_generation(pipeline, read, asked, prices.book());
  if (a.epochs && given.epochs.steps) a.epochs->steps_per_epoch = 0;  // of a run that has no epochs
  if (a.fits == verdict::no) with.status = 1;
  answer(with, view_of(a, view_options_of(with)), [&] { return ordered_json(a); });
}

}  // namespace cli
