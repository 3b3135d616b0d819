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
#include <tpuplan/show/views/train.hpp>

#include "cli/fit.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// What others call layers, and what stands for them here.
constexpr std::string_view foreign_layers[][2] = {
    {"lstm", ""},
    {"gru", ""},
    {"rnn", ""},
    {"simplernn", ""},
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
      refuse(fmt::format("{}: value.layers[{}].kind", path, i), given,
             ours.empty() ? "dense, convolution, attention and others: steps of a recurrence, one after another, are "
                            "not estimated; attention or convolution over the sequence is"
                          : std::string(ours),
             errc::unsupported);
    }
  }
}

}  // namespace

any_model load_any(const std::string& given, const std::optional<std::int64_t>& image_size) {
  const std::string path = given == "-" ? "/dev/stdin" : given;
  const nlohmann::json document = load_hf_document(path);
  if (document.is_object() && document.contains("schema")) refuse_foreign_layers(document, path);
  any_model read = read_any_model(document, path, image_size, "--image-size");
  if (!read.net) compare_with_index(path, read.config);
  return read;
}

std::int64_t parameters_in(const std::string& path) { return trained_parameters(load_any(path, {})); }

void keep_to_networks(const session& with, std::initializer_list<std::string_view> extra) {
  constexpr std::string_view acting[] = {
      "config",  "--batch",  "--batch-per-core", "--optimizer", "--dtype", "--weights",  "--moments", "--image-size",
      "--slice", "--slices", "--data",           "--fsdp",      "--csv",   "--markdown", "--wide"};
  for (const option& one : with.asked->options) {
    const bool acts = std::find(std::begin(acting), std::end(acting), one.name) != std::end(acting) ||
                      std::find(extra.begin(), extra.end(), one.name) != extra.end();
    if (one.is_given() && !acts) refuse(one.name, "given for a network of layers", "an option that acts on one");
  }
}

namespace {

/// A question about a network: its job and where it runs.
struct network_question {
  network net;
  network_job job;
  layout mesh;
  slice where;
};

}  // namespace

network_job job_of(const job_options& given) {
  network_job job;
  job.global_batch = given.job.global_batch;
  job.compute = given.job.compute;
  if (given.weights) job.weights = *given.weights;
  job.moments = given.job.moments;
  job.optimizer = given.job.optimizer;
  return job;
}

namespace {

/// The layout: a replica on each device unless a number of shards is given.
layout mesh_of(const mesh_options& given, const slice& where) {
  layout mesh = given.mesh;
  if (mesh.fsdp == 0) {
    mesh.fsdp = mesh.data > 1 ? std::max<std::int64_t>(1, devices(where) / mesh.data) : 1;
    if (mesh.fsdp == 1 && mesh.data == 1) mesh.data = devices(where);
  } else if (mesh.data == 1) {
    mesh.data = std::max<std::int64_t>(1, devices(where) / mesh.fsdp);
  }
  validate(mesh, where);
  return mesh;
}

network_question question_of(const any_model& model, const job_options& job, const mesh_options& mesh,
                             assumed_values& assumed) {
  network_question q;
  q.net = *model.net;
  q.where = scheduled_slice(mesh.slice_name);
  q.mesh = mesh_of(mesh, q.where);
  q.job = job_of(job);
  const std::int64_t shards = batch_shards(q.mesh);
  if (job.per_core) q.job.global_batch = checked_multiply(*job.per_core, shards);
  if (q.job.global_batch == 0) {
    q.job.global_batch = checked_multiply(128, shards);
    assumed.emplace_back("global batch", fmt::format("{} examples, 128 on each core", q.job.global_batch));
  }
  return q;
}

std::string sentence_of(const network_question& q) {
  const largest_product largest = largest_product_of(q.net);
  const std::string rows =
      rows_sentence(q.where.chip, std::max<std::int64_t>(1, q.job.global_batch / batch_shards(q.mesh)),
                    largest.product.rows, example_word(q.net), name(largest.rows));
  if (critical_examples(q.net, q.where.chip)) return rows;
  return rows + "; with activations counted no batch is: moving them takes longer than the products";
}

void print_memory_line(const memory_breakdown& memory) {
  print("  memory {}, of which activations {:.2f} GiB: {}\n", used_of(memory.total, memory.usable),
        in_gib(memory.activations), readable::verdict_words(fits(memory)));
}

void print_parts(const network_step& t) {
  table rows("part of a step | >time | >share | of");
  const auto row = [&](const char* label, seconds time, const char* note) {
    if (time.value() > 0) rows.add({label, time, share_cell(time / t.total), note});
  };
  row("products", t.products, "compute, padding included");
  row("depthwise", t.vector, "vector unit");
  row("activations", t.traffic, "HBM");
  row("weight update", t.update, "HBM");
  row("gradients", t.gradients.exposed, "exposed part of the all-reduce");
  row("per layer", t.overhead, "fixed time");
  row("framework", t.software, "over a tuned recipe");
  row("waiting", t.waiting, "for examples from the hosts");
  row("total", t.total, "");
  rows.print();
}

ordered_json fit_json(const network_question& q, const memory_breakdown& memory, const any_model& model,
                      const assumed_values& assumed) {
  return {{"fits", name(fits(memory))},
          {"used_bytes", memory.total.value()},
          {"used_low_bytes", memory.low.value()},
          {"used_high_bytes", memory.high.value()},
          {"usable_bytes", memory.usable.value()},
          {"breakdown", memory},
          {"largest_batch", or_null(largest_batch(q.net, q.job, q.mesh, q.where))},
          {"slice", name(q.where).view()},
          {"mesh", q.mesh},
          {"job", q.job},
          {"assumed", all_assumed(model.config, assumed)}};
}

}  // namespace

payment_terms terms_of(const network& net, const network_job& job, const run_options& run) {
  payment_terms terms;
  terms.spot.mean_time_between_preemptions = run.between;
  terms.spot.checkpoint_time =
      checkpoint_time(training_state_of(parameters(net).trained, job.weights, job.optimizer, job.moments).total);
  terms.flex_start.checkpoint_time = terms.spot.checkpoint_time;
  terms.rest_of_term_used = run.rest_used;
  return terms;
}

bool compilation_matters(seconds run) { return usual_first_compilation() > 0.1 * run; }

void network_model(const network& net, const session& with) {
  keep_to_networks(with, {});
  const network_parameters count = parameters(net);
  if (with.json) {
    ordered_json products = ordered_json::array();
    for_each_product(net, [&](const layer_product& product) { products.push_back(product); });
    return print_json({{"name", net.name.view()},
                       {"architecture", "network"},
                       {"parameters", count.trained},
                       {"parameters_with_statistics", count.total},
                       {"breakdown", count},
                       {"forward_flops_per_example", forward_flops_per_example(net).value()},
                       {"training_flops_per_example", training_flops_per_example(net).value()},
                       {"saved_numbers_per_example", saved_numbers_per_example(net)},
                       {"products", products}});
  }
  print_title("{}: {} parameters", net.name.view(), cli::count(static_cast<double>(count.trained)));
  table t("product of a layer | ~kind | >times | >rows an example | >inner | >outer | >share of FLOPs");
  const double all = forward_flops_per_example(net).value() / 2;
  for_each_product(net, [&](const layer_product& product) {
    t.add({std::string(product.name.view()), std::string(name(product.kind)), grouped(product.count),
           grouped(product.rows), grouped(product.inner), grouped(product.outer),
           share_cell(multiply_adds(product) / all)});
  });
  t.print();
  print("\n");
  print_pairs({{"parameters that are trained", grouped(count.trained)},
               {"with moving statistics, as Keras counts", grouped(count.total)},
               {"FLOPs per example, forward", fmt::format("{:.4g}", forward_flops_per_example(net).value())},
               {"FLOPs per example, training", fmt::format("{:.4g}", training_flops_per_example(net).value())},
               {"numbers kept for the backward pass", fmt::format("{:.4g}", saved_numbers_per_example(net))}});
  print_next("{}   where to train it", follow_up(with, "plan", {{"--examples", "60000"}, {"--epochs", "5"}}));
}

void network_pad(const network& net, const chip_spec& chip, const session& with) {
  const network_padding sum = padding(net, chip);
  ordered_json list = ordered_json::array();
  const std::string_view core = core_word(chip);
  table t(fmt::format(
      "product of a layer | >inner | >outer | >useful | >examples on a {} from which arithmetic limits it", core));
  for_each_product(net, [&](const layer_product& product) {
    const maybe<double> critical = critical_examples(product, chip);
    const double useful = on_vector_unit(product) ? 0 : mxu_utilization(product, chip);
    list.push_back({{"layer", product.name.view()},
                    {"inner", product.inner},
                    {"outer", product.outer},
                    {"flop_utilization", on_vector_unit(product) ? ordered_json(nullptr) : ordered_json(useful)},
                    {"critical_examples", or_null(critical)}});
    t.add({std::string(product.name.view()), grouped(product.inner), grouped(product.outer),
           on_vector_unit(product) ? cell("vector unit") : share_cell(useful),
           critical ? cell(fmt::format("{:.1f}", *critical), *critical) : cell("never")});
  });
  if (with.json) {
    return print_json({{"chip", chip.name.view()},
                       {"mxu_side", chip.mxu.side},
                       {"flop_utilization", sum.flop_utilization},
                       {"vector_share", sum.vector_share},
                       {"critical_examples", or_null(critical_examples(net, chip))},
                       {"critical_examples_are_on", core},
                       {"layers", list}});
  }
  print_title("{} on {}: {} of the MXU's cells are useful", net.name.view(), chip.name.view(),
              percent(sum.flop_utilization));
  t.print();
  if (sum.vector_share > 0) print("\n  {} of the multiply-adds run on the vector unit\n", percent(sum.vector_share));
}

void network_fit(const any_model& model, const job_options& job, const mesh_options& mesh, session& with) {
  keep_to_networks(with, {});
  assumed_values assumed;
  const network_question q = question_of(model, job, mesh, assumed);
  const memory_breakdown memory = memory_use(q.net, q.job, q.mesh, q.where);
  if (fits(memory) == verdict::no) with.status = 1;
  if (with.json) return print_json(fit_json(q, memory, model, assumed));
  print_title("{}: {} on {} ({}), {} a step", readable::verdict_words(fits(memory)), q.net.name.view(),
              name(q.where).view(), one_line(q.mesh), counted(grouped(q.job.global_batch), example_word(q.net)));
  table t("on each device | >GiB | >share");
  const auto row = [&](const char* label, bytes part) {
    if (part.value() > 0) t.add({label, fmt::format("{:.2f}", in_gib(part)), percent(part / memory.usable)});
  };
  row("parameters", memory.parameters);
  row("optimizer", memory.optimizer);
  row("gradients", memory.gradients);
  row("activations", memory.activations);
  row("total", memory.total);
  row("usable", memory.usable);
  t.print();
  const maybe<std::int64_t> largest = largest_batch(q.net, q.job, q.mesh, q.where);
  print("\n  between {:.2f} and {:.2f} GiB as the compiler decides; largest batch that surely fits: {}\n",
        in_gib(memory.low), in_gib(memory.high), largest ? grouped(*largest) : std::string("none with this layout"));
  print_assumed(all_assumed(model.config, assumed));
  print_next("{}   its time and cost", follow_up(with, "train", {}));
}

namespace {

/// As many examples as MNIST has, or a batch of them.
std::string examples_of_a_first_job(const network_question& q) {
  return std::to_string(std::max<std::int64_t>(60000, q.job.global_batch));
}

/// What comes before the steps of a short run, and the whole with it: as much as the steps, or more.
void print_compilation(seconds steps, const known<usd_per_second>& price) {
  const seconds whole = steps + usual_first_compilation();
  print("  that is the steps alone; with a first compilation of {} it is {}{}, and start-up comes on top: --timeline\n",
        duration(usual_first_compilation()), duration(whole),
        price.has_value() ? fmt::format(" and {} on demand", money(cost(price.value(), whole))) : std::string());
}

}  // namespace

void network_train(const any_model& model, const job_options& job, const mesh_options& mesh, const run_options& run,
                   session& with) {
  keep_to_networks(with, {"--examples",        "--epochs",        "--keep-remainder",
                          "--steps-per-epoch", "--steps",         "--region",
                          "--prices",          "--mtbp",          "--rest-used",
                          "--decode-time",     "--example-bytes", "--cached",
                          "--timeline",        "--queue",         "--start-up",
                          "--compilation",     "--restore",       "--evaluation",
                          "--evaluate-every",  "--checkpoint",    "--checkpoint-every",
                          "--export",          "--gpu",           "--gpus",
                          "--gpu-usd",         "--small-batch",   "--dynamic-shapes",
                          "--custom-kernels"});
  assumed_values assumed;
  const network_question q = question_of(model, job, mesh, assumed);
  const loaded_prices prices(run.prices, with);
  check_region(prices.book(), run.prices.region);
  const example_cost each = example_of(q.net, run.input);
  const auto [t, input] = fed_step_time(q.net, q.job, q.mesh, q.where, each);
  if (t.waiting.value() > 0) assume_input(each, assumed);
  const memory_breakdown memory = memory_use(q.net, q.job, q.mesh, q.where);
  if (fits(memory) == verdict::no) with.status = 1;
  const bool runs = is_given(run.epochs);
  const epoch_count count = runs ? epochs_asked(run.epochs, q.job.global_batch) : epoch_count{};
  const seconds time = static_cast<double>(count.steps) * t.total;
  const payment_terms terms = terms_of(q.net, q.job, run);
  const run_range range{time, time * (t.low / t.total), time * (t.high / t.total)};
  const run_price_list paid =
      runs ? run_prices(q.where, slices(q.mesh), range, prices.book(), run.prices.region, terms) : run_price_list{};
  const std::vector<run_price> ways(paid.begin(), paid.end());
  const maybe<price_row> on_demand = find_price(prices.book(), q.where, run.prices.region, provisioning::on_demand);
  const auto chips_paid = static_cast<double>(checked_multiply(chips(q.where), slices(q.mesh)));
  const known<usd_per_second> price = on_demand ? known<usd_per_second>{on_demand->per_chip * chips_paid} : unknown;
  std::optional<run_timeline> line;
  if (is_given(run.around))
    line = timeline_of(phases_of(run.around, t.total, count.steps, terms.spot.checkpoint_time, assumed), price);
  std::optional<training_against_gpu> against;
  if (!run.gpu.gpu.empty()) {
    if (!on_demand) refuse("--gpu", run.gpu.gpu, "a slice that has a price on demand in --region");
    const per_second rate = t.examples_per_second;
    against = compare_with_gpus(run.gpu, chips_of(q.where, slices(q.mesh), *on_demand),
                                {rate * (t.total / t.high), rate * (t.total / t.low)},
                                training_flops_per_example(q.net), example_word(q.net));
  }
  if (with.json) {
    ordered_json document = {{"step_time_s", t.total.value()},
                             {"step_time_low_s", t.low.value()},
                             {"step_time_high_s", t.high.value()},
                             {"mfu", t.mfu},
                             {"examples_per_s", t.examples_per_second.value()},
                             {"breakdown", t},
                             {"memory", fit_json(q, memory, model, assumed)},
                             {"batch", sentence_of(q)},
                             {"input", or_null(input)}};
    if (runs) {
      if (!line && compilation_matters(time))
        document["not_in_run"] = {{"first_compilation_s", usual_first_compilation().value()}};
      document["epochs"] = cli::json_of(run.epochs, count);
      document["run_s"] = time.value();
      document["costs"] = ways;
    }
    if (line) document["timeline"] = *line;
    if (against) document["against_gpu"] = cli::json_of(*against);
    return print_json(document);
  }
  print_title("{} on {} ({}), {} a step", q.net.name.view(), name(q.where, slices(q.mesh)).view(), one_line(q.mesh),
              counted(grouped(q.job.global_batch), example_word(q.net)));
  print("  step {} (between {} and {}; extrapolated: {}), MFU {}, {} {}s/s, limited by {}\n", duration(t.total),
        duration(t.low), duration(t.high), network_band_words, percent(t.mfu),
        cli::count(t.examples_per_second.value()), example_word(q.net), name(t.limited_by));
  print_memory_line(memory);
  print("  {}\n  {}\n", sentence_of(q), words_of(input, q.net));
  if (t.total < slowest_step_start)
    print(
        "  a step this short waits for the host that starts it, {} or less: run many in one call "
        "(steps_per_execution of Keras)\n",
        duration(slowest_step_start));
  print("\n");
  print_parts(t);
  if (runs) {
    print("\n  {}, {} (between {})\n", words_of(run.epochs, count), duration(time),
          duration_range(range.low, range.high));
    if (count.steps_per_epoch > 0) {
      const seconds epoch = static_cast<double>(count.steps_per_epoch) * t.total;
      print("  an epoch takes {}{}\n", duration(epoch),
            on_demand ? fmt::format(" and costs {} on demand",
                                    money(cost_of_run(q.where, slices(q.mesh), epoch, *on_demand).total))
                      : std::string());
    }
    if (!line && compilation_matters(time)) print_compilation(time, price);
    if (ways.empty()) print("  no price for it in {}\n", run.prices.region);
    if (!ways.empty())
      print_view({{}, {}, {}, {readable::ways_part(ways, time, terms, run.prices.region, view_options_of())}, {}, {}});
    if (line) print_part(timeline_part(*line));
  }
  if (against) print_part(against_part(*against));
  print_assumed(all_assumed(model.config, assumed));
  std::vector<follow_up_option> own = {{"--batch", std::to_string(q.job.global_batch)}};
  if (!runs) own.insert(own.end(), {{"--examples", examples_of_a_first_job(q)}, {"--epochs", "5"}});
  print_next("{}   is there a better slice?",
             follow_up(with, "plan", own, {"--batch-per-core", "--slice", "--slices", "--data", "--fsdp", "--gpu"}));
}

}  // namespace cli
