// tpuplan train
#include <algorithm>
#include <memory>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/show/views/networks.hpp>
#include <tpuplan/show/views/train.hpp>

#include "cli/commands.hpp"
#include "cli/epochs.hpp"
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

struct train_options {
  job_options job;
  mesh_options mesh;
  price_options prices;
  std::optional<double> tokens;
  epoch_options epochs;
  nlohmann::json input = nlohmann::json::object();  // what an example costs a host
  train_request run;                                // of which the request says the terms of payment and the phases
  gpu_options gpu;
  std::string lifetimes;     // a file
  picture_options pictures;  // of a pipeline of images or clips
};

/// The answer to a training question, and the parts that only the command line has.
struct trained {
  placed_job asked;
  train_request run;
  train_answer answer;
  epoch_count epochs;
  std::optional<training_against_gpu> against;
};

/// Sequences a second, what an epoch is, and whether its rows fill the MXU.
std::vector<std::string> epoch_sentences(const trained& a, const epoch_options& given, const price_book& book) {
  const auto& [config, where, mesh, job, assumed, known_memory, constants] = a.asked;
  const seconds step = a.answer.step_time;
  const double rate = static_cast<double>(job.global_batch) / step.value();
  std::vector<std::string> words{fmt::format(
      "{}, {} sequences/s", readable::epochs_words(data_of(given, job.global_batch), a.epochs), count(rate))};
  if (a.epochs.steps_per_epoch > 0) {
    const seconds epoch = static_cast<double>(a.epochs.steps_per_epoch) * step;
    const maybe<price_row> price =
        a.answer.costs ? find_price(book, where, a.run.region, provisioning::on_demand) : nothing;
    words.push_back(fmt::format(
        "an epoch takes {}{}", duration(epoch),
        price ? fmt::format(" and costs {} on demand", money(cost_of_run(where, slices(mesh), epoch, *price).total))
              : std::string()));
  }
  const std::int64_t per_core =
      std::max<std::int64_t>(1, job.global_batch / checked_multiply(devices(where), slices(mesh)));
  words.push_back(readable::rows_sentence(where.chip, per_core, job.sequence_length, "sequence", "token"));
  return words;
}

/// The view of the answer, with the parts that only the command line has.
view view_of(const trained& a, const train_options& given, const price_book& book, const session& with) {
  view shown = view_of(a.answer, view_options_of(with));
  std::vector<view_part>& parts = shown.parts;
  const auto run =
      std::find_if(parts.begin(), parts.end(), [](const view_part& one) { return one.title == run_title; });
  if (run != parts.end() && is_given(given.epochs)) {
    const std::vector<std::string> words = epoch_sentences(a, given.epochs, book);
    run->sentences.insert(run->sentences.begin(), words.begin(), words.end());
  }
  std::vector<view_part> own;
  if (a.against) own.push_back(against_part(*a.against));
  if (!given.gpu.gpu.empty() && !a.against) own.push_back(not_compared_part(given.gpu));
  const auto after = run != parts.end() ? run + 1 : parts.begin() + 2;  // the step and its memory
  parts.insert(after, own.begin(), own.end());
  add_sources(given.job, given.mesh, shown);
  if (given.job.maxtext.is_given()) return shown;  // of which a plan has no option
  std::vector<follow_up_option> further;
  if (!given.tokens && !is_given(given.epochs)) further.emplace_back("--tokens", "1T");
  const bool is_chosen = a.asked.job.lora_rank > 0 || is_given(given.epochs) || with.is_given("--batch-per-core");
  if (is_chosen && !with.is_given("--batch") && !with.is_given("--batch-tokens"))
    further.emplace_back("--batch", std::to_string(a.asked.job.global_batch));
  std::vector<std::string_view> dropped = degrees_of_a_layout;
  dropped.push_back("--gpu");             // which is of serving there
  dropped.push_back("--batch-per-core");  // cores differ from slice to slice
  dropped.push_back("--rest-used");       // of commitments, which it pays with only where it is told to
  if (a.asked.constants.own.count == 0) dropped.push_back("--calibration");
  shown.next.front().command = follow_up(with, "plan", further, dropped);
  return shown;
}

/// The answer, followed by the parts that only the command line has.
ordered_json document_of(const trained& a, const train_options& given) {
  ordered_json document = a.answer;
  if (a.against) document["against_gpu"] = cli::json_of(*a.against);
  if (is_given(given.epochs)) document["epochs"] = cli::json_of(given.epochs, a.epochs);
  add_sources(given.job, given.mesh, document);
  return document;
}

/// The job on GPUs, where it was asked for: FLOPs of a token are those of its MFU.
void add_comparison(trained& a, const train_options& given, const price_book& book) {
  if (given.gpu.gpu.empty()) return;
  if (a.answer.memory.fits == verdict::no) return;
  const maybe<price_row> price = find_price(book, a.asked.where, a.run.region, provisioning::on_demand);
  if (!price) refuse("--gpu", given.gpu.gpu, "a slice that has a price on demand in --region");
  const priced_chips tpus = chips_of(a.asked.where, slices(a.asked.mesh), *price);
  const step_breakdown& step = a.answer.breakdown;
  const per_second rate = step.tokens_per_second;
  const flops each{step.mfu * tpus.peak.value() / rate.value()};
  a.against = compare_with_gpus(given.gpu, tpus, {rate * (step.total / step.high), rate * (step.total / step.low)},
                                each, "token");
}

void run_train(train_options given, session& with) {
  keep_to_zone(given.job.request.value("zone", ""), given.mesh.slice_name, given.prices, with);
  if (is_pipeline_file(given.job.config))
    return denoiser_train(given.job, given.pictures, given.epochs, given.prices, with);
  const any_model model = load_trained_model(given.job, given.mesh);
  refuse_pictures(with, given.pictures, model.net ? "given for a network of layers" : "given for a language model");
  if (model.net) {
    refuse_drawing(with, "given for a network of layers", "a language model");
    if (given.tokens) refuse("--tokens", "given for a network of layers", "--examples and --epochs, or --steps");
    return network_train(model, given.job, given.mesh, {given.epochs, given.prices, given.input, given.gpu}, with);
  }
  refuse_input(with);
  loaded_prices prices(given.prices, with);
  check_place(given.prices, prices, {given.mesh.slice_name}, with, given.run.zone);
  trained a;
  a.asked = place(model.config, given.job, given.mesh, calibrated_part::steps_and_memory);
  if (is_given(given.epochs)) a.epochs = epochs_asked(given.epochs, a.asked.job.global_batch);
  a.run = given.run;
  a.run.tokens = given.tokens ? *given.tokens
                              : static_cast<double>(a.epochs.steps) * static_cast<double>(tokens_per_step(a.asked.job));
  a.run.region = given.prices.region;
  a.answer = answer_to_train(a.asked, a.run, prices.book());
  add_comparison(a, given, prices.book());
  if (a.answer.memory.fits == verdict::no) with.status = 1;
  answer(with, view_of(a, given, prices.book(), with), [&] { return document_of(a, given); });
}

}  // namespace

void add_train_command(session& with) {
  command& added = with.commands.emplace_back("train", "step time, MFU, tokens/s, days and dollars");
  const auto options = std::make_shared<train_options>();
  add_placed_options(added, options->job);
  nlohmann::json& request = options->job.request;
  for (const question_row& row : tuning_rows) added.ask(tuning_rows, row.option, request).excludes({"--maxtext"});
  added.ask(run_rows, "--tokens", request);
  add_epoch_options(added, options->epochs, {"--tokens"});
  const std::initializer_list<const char*> of_a_run = {"--tokens", "--examples", "--steps-per-epoch", "--steps"};
  const auto ask_of_a_run = [&](const row_list& rows) {
    for (const question_row& row : rows) {
      if (row.kind == value_kind::file) continue;
      option& one = added.ask(row, request);
      if (row.needs.empty()) one.needs(of_a_run);
    }
  };
  ask_of_a_run(preemption_rows);
  ask_of_a_run(rest_rows);
  add_price_options(added, options->prices, of_a_run);
  ask_of_a_run(timeline_rows);
  ask_of_a_run(phase_rows);
  ask_of_a_run(market_rows);
  add_lifetimes_option(added, options->lifetimes).excludes({"--mtbp", "--market"}).needs(of_a_run);
  ask_of_a_run(wait_rows);
  added.ask(noise_rows, request);
  add_gpu_training_options(added, options->gpu);
  add_input_options(added, options->input);
  add_picture_options(added, options->pictures);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [options, &with] {
    read_job(options->job);
    read_mesh(options->job.request, options->mesh);
    take_maxtext_steps(options->job, options->mesh, options->epochs);
    take_lifetimes(options->lifetimes, options->job.request);
    const train_request asked = read_request<train_request>(options->job.request);
    if (asked.tokens > 0) options->tokens = asked.tokens;
    options->run = asked;
    run_train(*options, with);
  };
}

}  // namespace cli
