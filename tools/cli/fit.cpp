// tpuplan fit
#include "cli/fit.hpp"

#include <memory>
#include <tpuplan/json.hpp>
#include <tpuplan/show/views/fit.hpp>

#include "cli/commands.hpp"
#include "cli/network.hpp"
#include "cli/report.hpp"
#include "cli/train_generation.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// The question of --maxtext; the slices are those of its axes unless --slices says how many.
maxtext_question ask_maxtext(const job_options& job, const mesh_options& mesh) {
  return ask_maxtext(job.maxtext, mesh.slice_name, mesh.slices.value_or(0), job.config);
}

}  // namespace

void add_placed_options(command& to, job_options& job) {
  add_job_options(to, job);
  to.of("config").must_be_given_ = false;  // beside --maxtext
  to.ask(step_rows, job.request);
  to.ask(mesh_rows, job.request);
  add_maxtext_options(to, job.maxtext);
  add_calibration_option(to, job.calibration);
}

any_model load_trained_model(const job_options& job, const mesh_options& mesh) {
  if (job.maxtext.is_given()) return {model_of(ask_maxtext(job, mesh)), {}};
  if (job.config.empty()) refuse_missing("config", "a config.json, or --maxtext");
  if (mesh.slice_name.empty()) refuse_missing("--slice", "v5p-128, v5e-16, v6e-8x16 ...");
  any_model model = load_any(job.config, job.image_size);
  check_image_size(model, job.image_size, job.job.images_per_sequence);
  return model;
}

void add_sources(const job_options& job, const mesh_options& mesh, ordered_json& document) {
  if (job.maxtext.is_given()) document["unused_keys"] = json_of_unused(ask_maxtext(job, mesh));
}

void add_sources(const job_options& job, const mesh_options& mesh, view& shown) {
  if (job.maxtext.is_given()) shown.parts.push_back(unused_part(ask_maxtext(job, mesh)));
}

void take_maxtext_steps(job_options& job, const mesh_options& mesh, epoch_options& run) {
  if (!job.maxtext.is_given() || is_given(run) || job.request.contains("tokens")) return;
  const std::int64_t steps = ask_maxtext(job, mesh).steps;
  job.maxtext.has_run = steps > 0;
  if (steps > 0) run.steps = steps;
}

placed_job place(const model_config& config, const job_options& job, const mesh_options& mesh, calibrated_part part) {
  placed_job all;
  if (job.maxtext.is_given()) {
    const maxtext_question asked = ask_maxtext(job, mesh);
    all = {config, asked.where, asked.mesh, asked.job, {}, {}, {}};
    all.job.software = job.job.software;
    assume_of_job(config.model, all.job, all.assumed);
  } else {
    const layout sharding = layout_of(mesh);
    asked_job asked = job;
    if (job.per_core)
      asked.job.global_batch =
          checked_multiply(*job.per_core, batch_shards(filled_layout(sharding, scheduled_slice(mesh.slice_name))));
    all = placed(config, mesh.slice_name, sharding, asked);
    for (const auto& each : machine_taken(mesh.slice_name, all.where)) all.assumed.push_back(each);
  }
  if (!job.calibration.empty()) learn(all, load_calibration(job.calibration, part));
  return all;
}

namespace {

/// Whether train answers: not for tensors on the host of a chip whose PCIe rate is unknown.
bool is_timed(const placed_job& asked) {
  try {
    return !step_time(asked.config.model, asked.job, asked.mesh, asked.where, asked.constants).remarks.host_untimed;
  } catch (const error&) {
    return false;
  }
}

/// What to ask next. A plan has no options for a MaxText configuration.
std::string follow_up(const placed_job& asked, verdict fits, const session& with) {
  if (fits == verdict::yes) return is_timed(asked) ? follow_up(with, "train", {}) : std::string();
  if (with.is_given("--maxtext")) return {};
  std::vector<std::string_view> dropped = degrees_of_a_layout;
  if (asked.constants.own.count == 0) dropped.push_back("--calibration");  // of which a plan reads the steps alone
  std::vector<follow_up_option> own = {{"--tokens", "1T"}};
  if (with.is_given("--batch-per-core")) {  // cores differ from slice to slice
    own.emplace_back("--batch", std::to_string(asked.job.global_batch));
    dropped.push_back("--batch-per-core");
  }
  return follow_up(with, "plan", own, dropped);
}

void run_fit(const job_options& job, const mesh_options& mesh, const picture_options& pictures, session& with) {
  if (is_pipeline_file(job.config)) return denoiser_fit(job, pictures, with);
  const any_model model = load_trained_model(job, mesh);
  refuse_pictures(with, pictures, model.net ? "given for a network of layers" : "given for a language model");
  if (model.net) refuse_drawing(with, "given for a network of layers", "a language model");
  if (model.net) return network_fit(model, job, mesh, with);
  const placed_job asked = place(model.config, job, mesh, calibrated_part::steps_and_memory);
  const fit_answer a = answer_to_fit(asked);
  if (a.fits == verdict::no) with.status = 1;
  view shown = view_of(a, view_options_of(with));
  add_sources(job, mesh, shown);
  shown.next.front().command = follow_up(asked, a.fits, with);
  answer(with, shown, [&] {
    ordered_json document = a;
    add_sources(job, mesh, document);
    return document;
  });
}

}  // namespace

void add_fit_command(session& with) {
  command& added = with.commands.emplace_back("fit", "does a training job fit; the largest batch that does");
  const auto job = std::make_shared<job_options>();
  const auto mesh = std::make_shared<mesh_options>();
  const auto pictures = std::make_shared<picture_options>();
  add_placed_options(added, *job);
  add_picture_options(added, *pictures);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [job, mesh, pictures, &with] {
    read_job(*job);
    read_mesh(job->request, *mesh);
    run_fit(*job, *mesh, *pictures, with);
  };
}

}  // namespace cli
