// What tpuplan train answers for a pipeline of images or clips.
#include "cli/train_generation.hpp"

#include <algorithm>
#include <tpuplan/show/views/train_generation.hpp>

#include "cli/config.hpp"
#include "cli/report.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// Refuses options that have no effect on a pipeline.
void keep_to_pipelines(const session& with) {
  constexpr std::string_view acting[] = {"config",      "--batch",  "--weights",        "--moments",
                                         "--optimizer", "--lora",   "--slice",          "--data",
                                         "--fsdp",      "--tensor", "--context",        "--slices",
                                         "--examples",  "--epochs", "--steps",          "--region",
                                         "--prices",    "--mtbp",   "--keep-remainder", "--steps-per-epoch",
                                         "--rest-used", "--csv",    "--wide",           "--markdown"};
  for (const option& one : with.asked->options) {
    const bool own = std::any_of(std::begin(train_picture_rows), std::end(train_picture_rows),
                                 [&](const question_row& row) { return row.option == one.name; });
    const bool acts = own || std::find(std::begin(acting), std::end(acting), one.name) != std::end(acting);
    if (one.is_given() && !acts)
      refuse(one.name, "given for a pipeline of images or clips", "an option that acts on one");
  }
}

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

void refuse_pictures(const session& with, std::string_view given) {
  for (const question_row& row : train_picture_rows) {
    if (with.is_given(row.option)) refuse(row.option, given, "a pipeline of images or clips");
  }
}

void denoiser_train(const denoiser_run& given, session& with) {
  keep_to_pipelines(with);
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
