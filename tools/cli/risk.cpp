// tpuplan risk
#include <memory>
#include <tpuplan/ask/risk.hpp>
#include <tpuplan/show/views/risk.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/fit.hpp"
#include "cli/lifetimes.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/train_generation.hpp"
#include "cli/zones.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct risk_options {
  job_options job;
  mesh_options mesh;
  price_options prices;
  std::string lifetimes;                            // a file
  epoch_options epochs;                             // of what takes no tokens
  nlohmann::json input = nlohmann::json::object();  // what an example costs a host
  picture_options pictures;
};

/// The question; dates are from today on where nobody says when capacity is asked for.
nlohmann::json request_of(const risk_options& given, assumed_values& assumed) {
  nlohmann::json asked = given.job.request;
  asked["region"] = given.prices.region;
  take_lifetimes(given.lifetimes, asked);
  if (asked.contains("by") && !asked.contains("start")) {
    asked["start"] = today();
    assumed.emplace_back("start", today() + ", today: see --start");
  }
  return asked;
}

/// The step of the same run, at the prices of its region.
std::string train_command(const risk_answer& a, const session& with) {
  std::vector<follow_up_option> own;
  add_region(own, a.region, with);
  return follow_up(with, "train", own, {"--region"});
}

/// Prints the answer about a run of examples, with what was assumed of the question.
void print_risk(risk_answer a, const assumed_values& assumed, session& with) {
  for (const auto& [field, value] : assumed) a.assumed.push_back({field, value, std::string(not_given)});
  view shown = view_of(a, view_options_of(with));
  shown.next.front().command = train_command(a, with);
  answer(with, shown, [&] { return ordered_json(a); });
}

/// The risk of training a network of layers.
void risk_of_network(const risk_options& given, const any_model& model, const price_book& prices, session& with) {
  keep_to_networks(with, {network_run_rows, risk_rows, wait_rows, phase_rows, rest_rows},
                   {"--steps-per-epoch", "--steps", "--lifetimes", "--region", "--prices", "--svg", "--html"});
  if (!is_given(given.epochs)) refuse_missing("--examples", "examples of the data set with --epochs, or --steps");
  assumed_values assumed;
  nlohmann::json asked = request_of(given, assumed);
  const std::int64_t cores = batch_shards(network_layout(given.mesh.mesh, scheduled_slice(given.mesh.slice_name)));
  if (given.job.per_core) asked["job"]["global_batch"] = checked_multiply(*given.job.per_core, cores);
  const placed_network all = placed(model, given.mesh.slice_name, given.mesh.mesh, network_job_of(asked));
  asked["data"] = data_of(given.epochs, all.job.global_batch);
  if (given.input.contains("input")) asked["input"] = given.input["input"];
  print_risk(answer_to_risk_of_network(model, asked, prices), assumed, with);
}

/// The risk of training a pipeline of images or clips.
void risk_of_pictures(const risk_options& given, const price_book& prices, session& with) {
  keep_to_pipelines(with, {diffusion_mesh_rows, exchange_rows, risk_rows, wait_rows, phase_rows, rest_rows},
                    {"--examples", "--epochs", "--steps-per-epoch", "--keep-remainder", "--steps", "--lifetimes",
                     "--region", "--prices", "--svg", "--html"});
  if (given.mesh.slice_name.empty()) refuse_missing("--slice", "v5p-128, v5e-16, v6e-8x16 …");
  if (!is_given(given.epochs)) refuse_missing("--examples", "examples of the data set with --epochs, or --steps");
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = load_pipeline(given.job.config, read);
  assumed_values assumed;
  const nlohmann::json asked = denoiser_request(request_of(given, assumed), given.pictures.request, given.epochs);
  print_risk(answer_to_risk_of_pictures(pipeline, read, asked, prices), assumed, with);
}

void run_risk(risk_options given, session& with) {
  keep_to_zone(given.job.request.value("zone", ""), given.mesh.slice_name, given.prices, with);
  loaded_prices prices(given.prices, with);
  check_place(given.prices, prices, {given.mesh.slice_name}, with, given.job.request.value("zone", ""));
  if (is_pipeline_file(given.job.config)) return risk_of_pictures(given, prices.book(), with);
  const any_model model = load_trained_model(given.job, given.mesh);
  refuse_pictures(with, given.pictures, model.net ? "given for a network of layers" : "given for a language model");
  if (model.net) return risk_of_network(given, model, prices.book(), with);
  refuse_input(with);
  placed_job all = place(model.config, given.job, given.mesh, calibrated_part::steps_and_memory);
  auto asked = read_request<risk_request>(request_of(given, all.assumed));
  if (is_given(given.epochs))
    asked.tokens = static_cast<double>(epochs_asked(given.epochs, all.job.global_batch).steps) *
                   static_cast<double>(tokens_per_step(all.job));
  const risk_answer a = answer_to_risk(all, asked, prices.book());
  view shown = view_of(a, view_options_of(with));
  add_sources(given.job, given.mesh, shown);
  shown.next.front().command = train_command(a, with);
  answer(with, shown, [&] {
    ordered_json document = a;
    add_sources(given.job, given.mesh, document);
    return document;
  });
}

}  // namespace

void add_risk_command(session& with) {
  command& added = with.commands.emplace_back("risk", "the chance to be done by a date and within a budget");
  const auto options = std::make_shared<risk_options>();
  add_placed_options(added, options->job);
  nlohmann::json& request = options->job.request;
  for (const question_row& row : tuning_rows) added.ask(tuning_rows, row.option, request).excludes({"--maxtext"});
  added.ask(run_rows, "--tokens", request);
  add_epoch_options(added, options->epochs, {"--tokens"});
  add_input_options(added, options->input);
  add_picture_options(added, options->pictures);
  added.ask(risk_rows, request);
  added.ask(wait_rows, request);
  added.ask(phase_rows, request);
  add_lifetimes_option(added, options->lifetimes).excludes({"--mtbp"});
  added.ask(rest_rows, request);
  add_price_options(added, options->prices);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [options, &with] {
    read_job(options->job);
    read_mesh(options->job.request, options->mesh);
    take_maxtext_steps(options->job, options->mesh, options->epochs);
    run_risk(*options, with);
  };
}

}  // namespace cli
