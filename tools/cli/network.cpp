#include "cli/network.hpp"

#include <algorithm>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/estimate/training/input.hpp>
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/handbook/network.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/plan/network_plan.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <tpuplan/show/views/model_network.hpp>
#include <tpuplan/show/views/networks.hpp>

#include "cli/fit.hpp"
#include "cli/report.hpp"
#include "cli/train_generation.hpp"
#include "cli/zones.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// What others call layers, and what stands for them here.
constexpr std::string_view foreign_layers[][2] = {
    {"lstm", "recurrent with 4 gates"},
    {"gru", "recurrent with 3 gates"},
    {"rnn", "recurrent with 1 gate"},
    {"simplernn", "recurrent with 1 gate"},
    {"conv2d", "convolution"},
    {"conv", "convolution"},
    {"depthwiseconv2d", "depthwise"},
    {"linear", "dense"},
    {"maxpooling2d", "pooling"},
    {"globalaveragepooling2d", "pooling with kernel 0"},
    {"conv2dtranspose", "convolution, with the height and width of its output"},
    {"upsampling", "none: give the next layer height and width"},
    {"upsampling2d", "none: give the next layer height and width"},
    {"concatenate", "none: give the next layer inputs"},
    {"dropout", "none: it has no weights and no products"},
    {"flatten", "none: give the next layer height 1, width 1 and inputs"},
    {"activation", "activation of the layer before it: relu or smooth"}};

/// Refuses kinds of layers by the names of others, with what to write instead.
void refuse_foreign_layers(const nlohmann::json& document, const std::string& path) {
  const auto layers = nlohmann::json::json_pointer("/value/layers");
  if (!document.contains(layers) || !document[layers].is_array()) return;
  for (std::size_t i = 0; i < document[layers].size(); ++i) {
    const nlohmann::json& layer = document[layers][i];
    if (!layer.is_object() || !layer.contains("kind") || !layer["kind"].is_string()) continue;
    const std::string given = layer["kind"];
    for (const auto& [theirs, ours] : foreign_layers) {
      if (!same_name(given, std::string(theirs))) continue;
      refuse(fmt::format("{}: value.layers[{}].kind", path, i), given, std::string(ours), errc::unsupported);
    }
  }
}

}  // namespace

any_model load_any(const std::string& given, const std::optional<std::int64_t>& image_size) {
  const std::string path = given == "-" ? "/dev/stdin" : given;
  return any_of_document(load_hf_document(path), path, image_size);
}

void check_image_size(const any_model& model, const std::optional<std::int64_t>& image_size, std::int64_t images) {
  const transformer& of = model.config.model;
  if (image_size && images == 0 && !model.net && has_text(of) && !has_two_towers(of))
    refuse("--image-size", "given without effect", "only with --images");
}

any_model any_of_document(const nlohmann::json& document, const std::string& path,
                          const std::optional<std::int64_t>& image_size) {
  if (document.is_object() && document.contains("schema")) refuse_foreign_layers(document, path);
  any_model read = read_any_model(document, path, image_size, "--image-size");
  if (!read.net) compare_with_index(path, read.config);
  return read;
}

network load_network(const std::string& path) {
  any_model model = load_any(path, {});
  if (!model.net) refuse("--network", path, "a network of layers, or a vision transformer");
  return *std::move(model.net);
}

std::int64_t parameters_in(const std::string& path) {
  if (!is_pipeline_file(path)) return trained_parameters(load_any(path, {}));
  std::vector<assumption> read;
  return parameters(load_pipeline(path, read).denoisers.items[0].model).total;
}

void keep_to(const session& with, const std::vector<row_list>& rows, const std::vector<std::string_view>& extra,
             std::string_view given) {
  constexpr std::string_view own[] = {"config", "--csv", "--markdown", "--wide"};
  for (const option& one : with.asked->options) {
    const auto has = [&](const row_list& list) {
      return std::any_of(list.begin(), list.end(), [&](const question_row& row) { return row.option == one.name; });
    };
    const bool acts = std::find(std::begin(own), std::end(own), one.name) != std::end(own) ||
                      std::find(extra.begin(), extra.end(), one.name) != extra.end() ||
                      std::any_of(rows.begin(), rows.end(), has);
    if (!one.is_given() || acts) continue;
    const bool has_examples = std::find(extra.begin(), extra.end(), "--steps") != extra.end();
    refuse(
        one.name, given,
        one.name == "--tokens" && has_examples ? "--examples and --epochs, or --steps" : "an option that acts on one");
  }
}

void keep_to_networks(const session& with, std::initializer_list<row_list> rows,
                      std::initializer_list<std::string_view> extra) {
  std::vector<row_list> all(rows);
  all.insert(all.end(), {network_job_rows, network_mesh_rows});
  std::vector<std::string_view> names(extra);
  names.insert(names.end(), {"--batch-per-core", "--image-size"});
  keep_to(with, all, names, "given for a network of layers");
}

namespace {

/// The step on its slice, as the options describe it.
placed_network placed_of(const any_model& model, const job_options& given, const mesh_options& mesh) {
  network_job job = network_job_of(given.request);
  if (given.per_core)
    job.global_batch =
        checked_multiply(*given.per_core, batch_shards(network_layout(mesh.mesh, scheduled_slice(mesh.slice_name))));
  return placed(model, mesh.slice_name, mesh.mesh, job);
}

}  // namespace

void network_model(const network& net, const std::vector<assumption>& assumed, const session& with) {
  keep_to_networks(with);
  const model_network_answer said = answer_to_model_network(net, assumed);
  view shown = view_of(said, view_options_of());
  shown.next = {
      {"plan_network", follow_up(with, "plan", {{"--examples", "60000"}, {"--epochs", "5"}}), "where to train it"}};
  answer(with, shown, [&]() -> ordered_json { return said; });
}

void network_pad(const network& net, const chip_spec& chip, const session& with) {
  using readable::cell, readable::count_cell, readable::share_cell, readable::number_cell;
  const network_padding sum = padding(net, chip);
  ordered_json list = ordered_json::array();
  const std::string_view core = readable::core_word(chip);
  view_part part = readable::table_of(fmt::format(
      "product of a layer | >inner | >outer | >useful | >examples on a {} from which arithmetic limits it", core));
  for_each_product(net, [&](const layer_product& product) {
    const maybe<double> critical = critical_examples(product, chip);
    const double useful = on_vector_unit(product) ? 0 : mxu_utilization(product, chip);
    list.push_back({{"layer", product.name.view()},
                    {"inner", product.inner},
                    {"outer", product.outer},
                    {"flop_utilization", on_vector_unit(product) ? ordered_json(nullptr) : ordered_json(useful)},
                    {"critical_examples", or_null(critical)}});
    part.rows.push_back({cell(product.name.view()), count_cell(product.inner, true), count_cell(product.outer, true),
                         on_vector_unit(product) ? cell("vector unit") : share_cell(useful),
                         critical ? number_cell(*critical, 1) : cell("never")});
  });
  if (sum.vector_share > 0) part.notes = {percent(sum.vector_share) + " of the multiply-adds run on the vector unit"};
  view shown;
  shown.title = fmt::format("{} on {}: {} of the MXU's cells are useful", net.name.view(), chip.name.view(),
                            percent(sum.flop_utilization));
  shown.parts = {std::move(part)};
  answer(with, shown, [&]() -> ordered_json {
    return {{"chip", chip.name.view()},
            {"mxu_side", chip.mxu.side},
            {"flop_utilization", sum.flop_utilization},
            {"vector_share", sum.vector_share},
            {"critical_examples", or_null(critical_examples(net, chip))},
            {"critical_examples_are_on", core},
            {"layers", list}};
  });
}

void network_fit(const any_model& model, const job_options& job, const mesh_options& mesh, session& with) {
  keep_to_networks(with);
  const fit_network_answer said = answer_to_fit(placed_of(model, job, mesh));
  if (said.fits == verdict::no) with.status = 1;
  view shown = view_of(said, view_options_of());
  shown.next.front().command = follow_up(with, "train", {});
  answer(with, shown, [&]() -> ordered_json { return said; });
}

namespace {

/// The answer to train, and the parts that only the command line has.
struct trained_network {
  placed_network asked;
  train_network_answer answer;
  std::optional<training_against_gpu> against;
  bool not_compared = false;  // with GPUs, because the job does not fit
};

train_network_request request_of(const nlohmann::json& asked_for, const run_options& given,
                                 const placed_network& asked) {
  train_network_request request = read_request<train_network_request>(asked_for);
  request.input = input_of(asked.net, given.input);
  if (is_given(given.epochs)) request.data = data_of(given.epochs, asked.job.global_batch);
  request.region = given.prices.region;
  return request;
}

/// The step on GPUs, where it was asked for.
void add_comparison(trained_network& a, const gpu_options& given, const maybe<price_row>& price) {
  if (given.gpu.empty()) return;
  if (!price) refuse("--gpu", given.gpu, "a slice that has a price on demand in --region");
  a.not_compared = a.answer.memory.fits == verdict::no;
  if (a.not_compared) return;
  const network_step& step = a.answer.breakdown;
  const per_second rate = step.examples_per_second;
  gpu_options asked = given;
  asked.traits.fixed_time = step.limited_by == step_bound::overhead || step.limited_by == step_bound::host;
  a.against = compare_with_gpus(asked, chips_of(a.asked.where, slices(a.asked.mesh), *price),
                                {rate * (step.total / step.high), rate * (step.total / step.low)},
                                training_flops_per_example(a.asked.net), a.answer.memory.example);
}

view view_of(const trained_network& a, const run_options& given, const session& with) {
  view shown = view_of(a.answer, view_options_of());
  std::vector<view_part> own;
  if (a.against) own.push_back(against_part(*a.against));
  if (a.not_compared) own.push_back(not_compared_part(given.gpu));
  shown.parts.insert(shown.parts.begin() + (a.answer.run ? 2 : 1), own.begin(), own.end());
  const std::int64_t batch = a.answer.memory.job.global_batch;
  std::vector<follow_up_option> further = {{"--batch", std::to_string(batch)}};
  if (!is_given(given.epochs))  // as many examples as MNIST has, or a batch of them
    further.insert(further.end(),
                   {{"--examples", std::to_string(std::max<std::int64_t>(60000, batch))}, {"--epochs", "5"}});
  shown.next = {{"plan",
                 follow_up(with, "plan", further,  // which pays on demand: the rest is of other ways of paying
                           {"--batch-per-core", "--slice", "--slices", "--data", "--fsdp", "--gpu", "--queue", "--mtbp",
                            "--market", "--lifetimes", "--rest-used"}),
                 "is there a better slice?"}};
  return shown;
}

}  // namespace

void network_train(const any_model& model, const job_options& job, const mesh_options& mesh, const run_options& run,
                   session& with) {
  keep_to_networks(
      with,
      {network_run_rows, preemption_rows, rest_rows, market_rows, wait_rows, phase_rows, timeline_rows, price_rows},
      {"--steps-per-epoch", "--steps", "--gpu", "--gpus", "--gpu-usd", "--small-batch", "--dynamic-shapes",
       "--custom-kernels"});
  loaded_prices prices(run.prices, with);
  check_place(run.prices, prices, {mesh.slice_name}, with, job.request.value("zone", ""));
  trained_network a;
  a.asked = placed_of(model, job, mesh);
  a.answer = answer_to_train(a.asked, request_of(job.request, run, a.asked), prices.book());
  if (a.answer.epochs && run.epochs.steps) a.answer.epochs->steps_per_epoch = 0;  // of a run that has no epochs
  if (a.answer.memory.fits == verdict::no) with.status = 1;
  const maybe<price_row> price = find_price(prices.book(), a.asked.where, run.prices.region, provisioning::on_demand);
  add_comparison(a, run.gpu, price);
  answer(with, view_of(a, run, with), [&] {
    ordered_json document = a.answer;
    document["batch"] = readable::batch_words(a.answer);
    if (a.against) document["against_gpu"] = cli::json_of(*a.against);
    return document;
  });
}

}  // namespace cli
