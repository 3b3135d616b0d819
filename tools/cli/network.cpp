#include "cli/network.hpp"

#include <algorithm>
#include <tpuplan/cost/checkpoint.hpp>
#include <tpuplan/estimate/training/input.hpp>
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/handbook/network.hpp>
#include <tpuplan/io/hf_network.hpp>
#include <tpuplan/io/json.hpp>
#include <tpuplan/io/json/file.hpp>
#include <tpuplan/io/text/one_line.hpp>
#include <tpuplan/model/vision_network.hpp>
#include <tpuplan/plan/network_plan.hpp>

#include "cli/fit.hpp"
#include "cli/table.hpp"
#include "cli/ways.hpp"

namespace cli {

using namespace tpuplan;

any_model load_any(const std::string& given, const std::optional<std::int64_t>& image_size) {
  const std::string path = given == "-" ? "/dev/stdin" : given;
  return read_any_model(load_hf_document(path), path, image_size, "--image-size");
}

std::int64_t parameters_in(const std::string& path) {
  return trained_parameters(load_any(path, {}));
}

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

network_job job_of(const job_options& given) {
  network_job job;
  job.global_batch = given.job.global_batch;
  job.compute = given.job.compute;
  job.weights = given.job.weights;
  job.moments = given.job.moments;
  job.optimizer = given.job.optimizer;
  return job;
}

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

std::string example_word(const network& net) { return net.width > 1 ? "image" : "example"; }

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
        in_gib(memory.activations), verdict_words(fits(memory)));
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

payment_terms terms_of(const network& net, const network_job& job, const run_options& run) {
  payment_terms terms;
  terms.spot.mean_time_between_preemptions = run.between;
  terms.spot.checkpoint_time =
      checkpoint_time(training_state_of(parameters(net).trained, job.weights, job.optimizer, job.moments).total);
  terms.flex_start.checkpoint_time = terms.spot.checkpoint_time;
  terms.rest_of_term_used = run.rest_used;
  return terms;
}

/// Whether the hosts keep up; nothing if the host's time per example is not given and examples are not images.
std::optional<input_answer> ask_input(const network_question& q, const input_options& given, per_second wanted) {
  example_cost one = jpeg_image;
  if (q.net.width == 1) one = {};
  if (given.decode) one.decode = *given.decode;
  if (given.bytes) one.size = bytes{*given.bytes};
  one.cached_share = given.cached;
  const maybe<machine_type> machine = machine_type_of(q.where);
  const bool known_hosts = machine && machine->vcpus.has_value();
  if (!known_hosts || (one.decode.value() == 0 && one.size.value() == 0)) return std::nullopt;
  return input_limit(q.where, one, wanted, slices(q.mesh));
}

std::string words_of(const std::optional<input_answer>& a, const network& net) {
  if (!a) return "input: what an example costs a host, or its vCPUs, is not known: see --decode-time, --example-bytes";
  const std::string rates =
      fmt::format("input: {} vCPUs decode {} {}s/s", a->vcpus, cli::count(a->decoding.value()), example_word(net));
  if (a->limited_by == input_bound::chips) return rates + ", the chips do not wait";
  return fmt::format(
      "{}: limited by {}, the chips wait {} of the time; they would not with {:.1f} such VMs, or with {} of the data "
      "cached",
      rates, name(a->limited_by), percent(a->waiting), a->vms_needed, percent(a->cache_needed));
}

constexpr std::string_view band_words =
    "no published run of a network of layers is in the calibration: half or twice the time is possible";

}  // namespace

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
  print_next("tpuplan plan FILE --examples 60000 --epochs 5   where to train it");
}

void network_pad(const network& net, const chip_spec& chip, const session& with) {
  const network_padding sum = padding(net, chip);
  ordered_json list = ordered_json::array();
  table t("product of a layer | >inner | >outer | >useful | >examples from which arithmetic limits it");
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
  print_title("{}: {} on {} ({}), {} a step", verdict_words(fits(memory)), q.net.name.view(), name(q.where).view(),
              one_line(q.mesh), counted(grouped(q.job.global_batch), example_word(q.net)));
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

void network_train(const any_model& model, const job_options& job, const mesh_options& mesh, const run_options& run,
                   session& with) {
  keep_to_networks(
      with,
      {"--examples",    "--epochs",           "--keep-remainder", "--steps",         "--region",     "--prices",
       "--mtbp",        "--rest-used",        "--decode-time",    "--example-bytes", "--cached",     "--timeline",
       "--queue",       "--start-up",         "--compilation",    "--restore",       "--evaluation", "--evaluate-every",
       "--checkpoint",  "--checkpoint-every", "--export",         "--gpu",           "--gpus",       "--gpu-usd",
       "--small-batch", "--dynamic-shapes",   "--custom-kernels"});
  assumed_values assumed;
  const network_question q = question_of(model, job, mesh, assumed);
  const loaded_prices prices(run.prices, with);
  check_region(prices.book(), run.prices.region);
  const network_step t = step_time(q.net, q.job, q.mesh, q.where);
  const memory_breakdown memory = memory_use(q.net, q.job, q.mesh, q.where);
  if (fits(memory) == verdict::no) with.status = 1;
  const bool runs = is_given(run.epochs);
  const epoch_count count = runs ? epochs_asked(run.epochs, q.job.global_batch) : epoch_count{};
  const seconds time = static_cast<double>(count.steps) * t.total;
  const payment_terms terms = terms_of(q.net, q.job, run);
  const run_range range{time, time * (t.low / t.total), time * (t.high / t.total)};
  const std::vector<run_price> ways =
      runs ? run_prices(q.where, slices(q.mesh), range, prices.book(), run.prices.region, terms)
           : std::vector<run_price>{};
  const maybe<price_row> on_demand = find_price(prices.book(), q.where, run.prices.region, provisioning::on_demand);
  const std::optional<input_answer> input = ask_input(q, run.input, t.examples_per_second);
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
                             {"input", input ? ordered_json(*input) : ordered_json(nullptr)}};
    if (runs) {
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
        duration(t.low), duration(t.high), band_words, percent(t.mfu), cli::count(t.examples_per_second.value()),
        example_word(q.net), name(t.limited_by));
  print_memory_line(memory);
  print("  {}\n  {}\n", sentence_of(q), words_of(input, q.net));
  if (t.total < 1_ms)
    print(
        "  a step this short waits for the host that starts it: run many in one call (steps_per_execution of Keras)\n");
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
    if (ways.empty()) print("  no price for it in {}\n", run.prices.region);
    if (!ways.empty()) print_ways(ways, terms, run.prices.region);
    if (line) print_timeline(*line);
  }
  if (against) print_against(*against);
  print_assumed(all_assumed(model.config, assumed));
  std::vector<follow_up_option> own;
  if (!runs) own = {{"--examples", "60000"}, {"--epochs", "5"}};
  print_next("{}   is there a better slice?",
             follow_up(with, "plan", own, {"--slice", "--slices", "--data", "--fsdp", "--gpu"}));
}

namespace {

/// A plan of a network as `launch` reads it: where, for how long and how it is paid for.
plan launched_plan(const network_plan& from) {
  plan to;
  to.where = from.where;
  to.mesh = from.mesh;
  to.job.global_batch = from.job.global_batch;
  to.memory = from.memory;
  to.fit = fits(from.memory);
  to.step.total = from.step.total;
  to.step.low = from.step.low;
  to.step.high = from.step.high;
  to.steps = static_cast<double>(from.steps);
  to.run = from.run;
  plan_cost& cost = to.costs.emplace_back();
  cost.kind = from.cost.kind;
  cost.price = from.cost.price;
  cost.billed = from.cost.billed;
  cost.wall = from.cost.wall;
  cost.total = from.cost.total;
  return to;
}

}  // namespace

network_request network_request_of(const any_model& model, const plan_options& given, const price_book& prices,
                                   assumed_values& assumed) {
  if (!is_given(given.epochs)) refuse_missing("--examples", "examples of the data set, with --epochs; or --steps");
  network_request request;
  request.net = *model.net;
  request.job = job_of(given.job);
  if (request.job.global_batch == 0) {
    request.batch_per_device = given.job.per_core.value_or(128);
    if (!given.job.per_core) assumed.emplace_back("global batch", "128 examples on each core");
  }
  if (given.epochs.steps && request.job.global_batch == 0)
    refuse("--steps", std::to_string(*given.epochs.steps), "a plan with --batch, so that all slices do the same work");
  if (given.epochs.steps)
    request.data.examples = checked_multiply(*given.epochs.steps, request.job.global_batch);
  else
    request.data = data_of(given.epochs);
  request.deadline = given.deadline;
  request.budget = given.budget;
  request.best = given.best;
  request.generations = given.generations;
  request.regions = given.regions;
  request.kinds = given.kinds;
  request.smallest_chips = given.smallest_chips.value_or(1);
  request.largest_chips = given.largest_chips.value_or(1 << 20);
  request.accept_uncertain = given.accept_uncertain;
  request.prices = prices;
  run_options run;
  run.between = given.between;
  run.rest_used = given.rest_used;
  request.terms = terms_of(request.net, request.job, run);
  return request;
}

void network_training_plan(const any_model& model, const plan_options& given, const price_book& prices, session& with) {
  keep_to_networks(with, {"--examples", "--epochs", "--keep-remainder", "--steps", "--region", "--prices", "--mtbp",
                          "--rest-used", "--deadline", "--budget", "--objective", "--provisioning", "--generation",
                          "--zone", "--min-chips", "--max-chips", "--rows", "--accept-uncertain"});
  for (const char* option : {"--data", "--fsdp"}) {
    if (with.is_given(option)) refuse(option, "given for a network of layers", "train, which takes a layout");
  }
  assumed_values assumed;
  const network_request request = network_request_of(model, given, prices, assumed);
  if (request.job.global_batch > 0) (void)epochs_of(request.data, request.job.global_batch);  // at most the examples
  const network_answer answer = plan_network(request);
  const double examples = static_cast<double>(request.data.examples) * request.data.epochs;
  if (answer.plans.empty()) with.status = 1;
  const std::size_t shown = std::min(answer.plans.size(), static_cast<std::size_t>(given.rows.value_or(8)));
  if (with.json) {
    ordered_json plans = ordered_json::array();
    for (std::size_t i = 0; i < (with.is_given("--rows") ? shown : answer.plans.size()); ++i) {
      const network_plan& p = answer.plans[i];
      plans.push_back({{"rank", i + 1},
                       {"slice", name(p.where).view()},
                       {"chips", chips(p.where)},
                       {"batch", p.job.global_batch},
                       {"mesh", p.mesh},
                       {"step", p.step},
                       {"memory", p.memory},
                       {"steps", p.steps},
                       {"run_s", p.run.value()},
                       {"cost_usd", p.cost.total.value()},
                       {"wall_s", p.cost.wall.value()},
                       {"kind", name(p.cost.kind)},
                       {"price", p.cost.price},
                       {"plan", launched_plan(p)}});
    }
    return print_json({{"schema", json_schema},
                       {"parameters", parameters(request.net).trained},
                       {"examples", examples},
                       {"plans", plans},
                       {"lost",
                        {{"does_not_fit", answer.does_not_fit},
                         {"may_not_fit", answer.may_not_fit},
                         {"batch_does_not_divide", answer.does_not_divide},
                         {"batch_above_examples", answer.fills_no_batch},
                         {"no_price", answer.no_price},
                         {"misses_deadline", answer.misses_deadline},
                         {"over_budget", answer.over_budget}}},
                       {"assumed", all_assumed(model.config, assumed)}});
  }
  print_title("{} ({} parameters) on {} examples", request.net.name.view(),
              cli::count(static_cast<double>(parameters(request.net).trained)), cli::count(examples));
  if (answer.plans.empty()) {
    print("  no slice does it within these limits\n");
  } else {
    print("  {} first; extrapolated: {}\n\n", name(request.best), band_words);
    table t("> | slice | ~>chips | >batch | >examples/s | >run | >cost | >between | ~HBM per device | ~~paid for as");
    for (std::size_t i = 0; i < shown; ++i) {
      const network_plan& p = answer.plans[i];
      t.add({fmt::format("{}", i + 1), std::string(name(p.where).view()), grouped(chips(p.where)),
             grouped(p.job.global_batch), cli::count(p.step.examples_per_second.value()), p.run, p.cost.total,
             fmt::format("{}-{}", money(p.cost.total / 2), money(p.cost.total * 2)),
             used_of(p.memory.total, p.memory.usable),
             fmt::format("{} in {}", name(p.cost.kind), p.cost.price.region.view())});
    }
    t.print();
    if (answer.plans.size() > shown) print("  {} more: --rows {}\n", answer.plans.size() - shown, answer.plans.size());
  }
  table lost(">slices | why they lost");
  const auto row = [&](std::size_t number, const char* why) {
    if (number > 0) lost.add({std::to_string(number), why});
  };
  row(answer.does_not_divide, "the batch does not divide");
  row(answer.fills_no_batch, "its batch is above the examples: --batch, --batch-per-core or --keep-remainder");
  row(answer.does_not_fit, "does not fit");
  row(answer.may_not_fit, "may not fit: --accept-uncertain");
  row(answer.no_price, "no price, or none for a run this long");
  row(answer.misses_deadline, "misses the deadline");
  row(answer.over_budget, "over the budget");
  if (!lost.empty()) print("\n"), lost.print();
  print_assumed(all_assumed(model.config, assumed));
  if (answer.plans.empty()) return;
  const network_plan& best = answer.plans.front();
  const std::string where(name(best.where).view());
  print_next("{}", follow_up(with, "train",
                             {{"--slice", where},
                              {"--batch", std::to_string(best.job.global_batch)},
                              {"--data", std::to_string(best.mesh.data)},
                              {"--fsdp", std::to_string(best.mesh.fsdp)}},
                             {"--batch-per-core", "--region"}));
  print("        tpuplan launch --slice {} --target gke --image IMAGE --command COMMAND\n", where);
}

}  // namespace cli
