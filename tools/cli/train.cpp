// tpuplan train
#include <algorithm>
#include <memory>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/show/svg.hpp>
#include <tpuplan/show/text/one_line.hpp>

#include "cli/advice.hpp"
#include "cli/commands.hpp"
#include "cli/epochs.hpp"
#include "cli/fit.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "cli/timeline.hpp"
#include "cli/ways.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct train_options {
  job_options job;
  mesh_options mesh;
  price_options prices;
  std::optional<double> tokens;
  epoch_options epochs;
  input_options input;
  timeline_options around;
  gpu_options gpu;
  double rest_used = 0;
  seconds between = spot_terms{}.mean_time_between_preemptions;
};

/// The answer to a training question, and the parts that only the command line has.
struct trained {
  placed_job asked;
  train_request run;
  train_answer answer;
  epoch_count epochs;
  std::optional<run_timeline> line;
  std::optional<training_against_gpu> against;
};

void print_step(const step_breakdown& t, const training_job& job, bool knows_runs) {
  table rows("part of a step | >time | >share | of");
  const auto row = [&](const char* label, seconds time, const std::string& note) {
    if (time.value() != 0) rows.add({label, time, share_cell(time / t.total), note});
  };
  const auto exposed = [](const collective_time& c) { return fmt::format("exposed of {}", duration(c.whole)); };
  row("dense products", t.dense_products, "compute");
  row("expert products", t.expert_products, "compute");
  row("attention", t.attention, "compute");
  row("logits", t.logits, "compute");
  row("vision", t.vision, "compute");
  row("elementwise", t.elementwise, "HBM");
  row("attention scores", t.scores, "HBM");
  row("operands", t.operands, "HBM");
  row("weight reads", t.weight_reads, "HBM");
  row("weight update", t.weight_update, "HBM");
  row("expert dispatch", t.dispatch, "HBM");
  row("FSDP", t.fsdp.exposed, exposed(t.fsdp));
  row("data parallel", t.data.exposed, exposed(t.data));
  row("tensor parallel", t.tensor.exposed, exposed(t.tensor));
  row("expert parallel", t.expert.exposed, exposed(t.expert));
  row("context parallel", t.context.exposed, exposed(t.context));
  row("between slices", t.dcn.exposed, exposed(t.dcn));
  row(job.state_on_host == host_state::none ? "tensors on hosts" : "state on hosts", t.host.exposed, exposed(t.host));
  row("per layer", t.overhead, "fixed time");
  row("pipeline bubble", t.bubble, "waiting");
  row("stragglers", t.jitter, "waiting");
  const bool untuned = t.software_taken != software_level::tuned;
  row("software", t.software,
      knows_runs ? untuned ? "not tuned, and runs of your own" : "runs of your own" : "not tuned");
  row("total", t.total, "");
  rows.print();
}

std::string software_words(software_level level) {
  return level == software_level::first_port ? "untuned" : std::string(name(level));
}

/// "dense eight bit" for `dense_eight_bit`.
std::string kind_words(step_kind kind) {
  std::string words(name(kind));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

void print_train(const trained& all) {
  const fit_answer& a = all.answer.memory;
  const step_breakdown& t = all.answer.breakdown;
  print_title("{} on {} ({}), {} of {} tokens, remat {}", all.asked.config.model.name.view(),
              name(all.asked.where, slices(a.mesh)).view(), one_line(a.mesh), counted(a.job.global_batch, "sequence"),
              a.job.sequence_length, name(a.job.remat));
  print("  step {} (between {} and {}{}), MFU {}, {} tokens/s, limited by {}\n  memory {}: {}\n", duration(t.total),
        duration(t.low), duration(t.high), t.extrapolated ? "; outside of what published runs cover" : "",
        percent(t.mfu), count(t.tokens_per_second.value()), name(t.limited_by), used_of(a.used, a.usable),
        verdict_words(a.fits));
  const std::size_t own = all.asked.constants.own.count;
  print("  for {} software, see --software; the band is of {} {} runs from {} sources{}\n\n",
        software_words(t.software_taken), t.runs, kind_words(t.kind), t.sources,
        own > 0 ? fmt::format(", narrowed by {} of your own", counted(static_cast<std::int64_t>(own), "run")) : "");
  print_step(t, a.job, own > 0);
}

/// Sequences a second, what an epoch is, and whether its rows fill the MXU.
void print_epochs(const trained& a, const epoch_options& given, const price_book& book) {
  const auto& [config, where, mesh, job, assumed, known_memory, constants] = a.asked;
  const seconds step = a.answer.step_time;
  const double rate = static_cast<double>(job.global_batch) / step.value();
  print("\n  {}, {} sequences/s\n", words_of(given, a.epochs), count(rate));
  if (a.epochs.steps_per_epoch > 0) {
    const seconds epoch = static_cast<double>(a.epochs.steps_per_epoch) * step;
    const maybe<price_row> price =
        a.answer.costs ? find_price(book, where, a.run.region, provisioning::on_demand) : nothing;
    print("  an epoch takes {}{}\n", duration(epoch),
          price ? fmt::format(" and costs {} on demand", money(cost_of_run(where, slices(mesh), epoch, *price).total))
                : std::string());
  }
  const std::int64_t per_core =
      std::max<std::int64_t>(1, job.global_batch / checked_multiply(devices(where), slices(mesh)));
  print("  {}\n", rows_sentence(where.chip, per_core, job.sequence_length, "sequence", "token"));
}

void print_costs(const trained& a, const train_options& given, const price_book& book) {
  if (!a.answer.run) return;
  const step_breakdown& t = a.answer.breakdown;
  const seconds run = *a.answer.run;
  const std::string range = duration_range(run * (t.low / t.total), run * (t.high / t.total));
  if (given.tokens) {
    print("\n  {} tokens take {}, between {}\n", count(*given.tokens), duration(run), range);
  } else {
    print_epochs(a, given.epochs, book);
    print("  the run takes {}, between {}\n", duration(run), range);
  }
  if (!a.answer.costs) return print("  no price: it does not fit\n");
  if (a.answer.costs->empty()) return print("  no price for it in {}\n", a.run.region);
  print_ways(*a.answer.costs, run, terms_of(a.asked, a.run), a.run.region);
  if (a.line) print_timeline(*a.line);
}

/// The answer, followed by the parts that only the command line has.
ordered_json document_of(const trained& a, const train_options& given) {
  ordered_json document = a.answer;
  if (a.against) document["against_gpu"] = cli::json_of(*a.against);
  if (is_given(given.epochs)) document["epochs"] = cli::json_of(given.epochs, a.epochs);
  if (a.line) document["timeline"] = *a.line;
  add_sources(a.asked, given.job, given.mesh, document);
  return document;
}

/// The run from start to end, where it was asked for.
void add_timeline(trained& a, const timeline_options& given, const price_book& book) {
  if (!is_given(given)) return;
  const maybe<price_row> price = find_price(book, a.asked.where, a.run.region, provisioning::on_demand);
  const double chips_paid = static_cast<double>(checked_multiply(chips(a.asked.where), slices(a.asked.mesh)));
  const double steps = math::ceil(a.run.tokens / static_cast<double>(tokens_per_step(a.asked.job)));
  assumed_values assumed;
  a.line = timeline_of(phases_of(given, a.answer.step_time, static_cast<std::int64_t>(steps),
                                 terms_of(a.asked, a.run).spot.checkpoint_time, assumed),
                       price ? known<usd_per_second>{price->per_chip * chips_paid} : unknown);
  for (const auto& [field, value] : assumed) a.answer.memory.assumed.push_back({field, value, std::string(not_given)});
}

/// The job on GPUs, where it was asked for: FLOPs of a token are those of its MFU.
void add_comparison(trained& a, const train_options& given, const price_book& book) {
  if (given.gpu.gpu.empty()) return;
  if (a.answer.memory.fits == verdict::no) refuse("--gpu", given.gpu.gpu, "a job that fits");
  const maybe<price_row> price = find_price(book, a.asked.where, a.run.region, provisioning::on_demand);
  if (!price) refuse("--gpu", given.gpu.gpu, "a slice that has a price on demand in --region");
  const priced_chips tpus = chips_of(a.asked.where, slices(a.asked.mesh), *price);
  const step_breakdown& step = a.answer.breakdown;
  const per_second rate = step.tokens_per_second;
  const flops each{step.mfu * tpus.peak.value() / rate.value()};
  a.against = compare_with_gpus(given.gpu, tpus, {rate * (step.total / step.high), rate * (step.total / step.low)},
                                each, "token");
}

void run_train(const train_options& given, session& with) {
  const any_model model = load_trained_model(given.job, given.mesh);
  if (model.net) {
    refuse_drawing(with, "given for a network of layers", "a language model");
    if (given.tokens) refuse("--tokens", "given for a network of layers", "--examples and --epochs, or --steps");
    return network_train(
        model, given.job, given.mesh,
        {given.epochs, given.prices, given.between, given.rest_used, given.input, given.around, given.gpu}, with);
  }
  refuse_input(with);
  const loaded_prices prices(given.prices, with);
  check_region(prices.book(), given.prices.region);
  trained a;
  a.asked = place(model.config, given.job, given.mesh, calibrated_part::steps_and_memory);
  if (is_given(given.epochs)) a.epochs = epochs_asked(given.epochs, a.asked.job.global_batch);
  a.run.tokens = given.tokens ? *given.tokens
                              : static_cast<double>(a.epochs.steps) * static_cast<double>(tokens_per_step(a.asked.job));
  a.run.region = given.prices.region;
  a.run.mean_time_between_preemptions = given.between;
  a.run.rest_of_term_used = given.rest_used;
  a.answer = answer_to_train(a.asked, a.run, prices.book());
  if (a.answer.costs) add_timeline(a, given.around, prices.book());
  add_comparison(a, given, prices.book());
  const fit_answer& fit = a.answer.memory;
  const std::string where(name(a.asked.where, slices(fit.mesh)).view());
  if (fit.fits == verdict::no) with.status = 1;
  if (is_drawn(with)) {
    step_chart chart;
    chart.title = std::string(model.config.model.name.view()) + ", time of one step";
    chart.bars.push_back({where + ", " + one_line(fit.mesh), a.answer.breakdown});
    draw(with, "steps", to_svg(chart));
  }
  if (with.json || is_reported(with)) {
    const ordered_json document = document_of(a, given);
    write_report(with, report_title(model.config, where), document);
    if (with.json) return print_json(document);
  }
  print_train(a);
  print_costs(a, given, prices.book());
  if (a.against) print_against(*a.against);
  print_advice(findings_of(a.asked));
  print_assumed(fit.assumed);
  print_sources(a.asked, given.job, given.mesh);
  if (given.job.maxtext.is_given()) return;  // of which a plan has no option
  std::vector<follow_up_option> own;
  if (!given.tokens && !is_given(given.epochs)) own.emplace_back("--tokens", "1T");
  std::vector<std::string_view> dropped = degrees_of_a_layout;
  dropped.push_back("--gpu");        // which is of serving there
  dropped.push_back("--rest-used");  // of commitments, which it pays with only where it is told to
  if (a.asked.constants.own.count == 0) dropped.push_back("--calibration");
  print_next("{}   is there a better slice?", follow_up(with, "plan", own, dropped));
}

}  // namespace

void add_train_command(session& with) {
  command& added = with.commands.emplace_back("train", "step time, MFU, tokens/s, days and dollars");
  const auto options = std::make_shared<train_options>();
  add_job_options(added, options->job, false);
  add_accumulation_option(added, options->job);
  added.flag("--default-tiles", options->job.job.default_tiles,
             "grouped products of experts run in blocks that nobody tuned to their shapes");
  add_mesh_options(added, options->mesh);
  add_maxtext_options(added, options->job.maxtext);
  add_calibration_option(added, options->job.calibration);
  added.add("--tokens", options->tokens, {1, 1e18}, "of the whole run: 1T");
  add_epoch_options(added, options->epochs, {"--tokens"});
  added.add("--mtbp", options->between, {1e-3, 1e12}, "mean time between preemptions of one slice on spot")
      .usually("4h")
      .needs({"--tokens", "--examples", "--steps-per-epoch", "--steps"});
  add_rest_option(added, options->rest_used).needs({"--tokens", "--examples", "--steps-per-epoch", "--steps"});
  add_price_options(added, options->prices, {"--tokens", "--examples", "--steps-per-epoch", "--steps"});
  add_timeline_options(added, options->around, {"--tokens", "--examples", "--steps-per-epoch", "--steps"});
  add_gpu_training_options(added, options->gpu);
  add_input_options(added, options->input);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [options, &with] { run_train(*options, with); };
}

}  // namespace cli
