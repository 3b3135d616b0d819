// tpuplan train
#include <algorithm>
#include <memory>
#include <tpuplan/cost/checkpoint.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/io/json.hpp>
#include <tpuplan/io/svg.hpp>
#include <tpuplan/io/text/one_line.hpp>

#include "cli/advice.hpp"
#include "cli/commands.hpp"
#include "cli/fit.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/table.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct train_options {
  job_options job;
  mesh_options mesh;
  price_options prices;
  std::optional<double> tokens;
  double rest_used = 0;
  seconds between = spot_terms{}.mean_time_between_preemptions;
};

/// What a run costs under one way of paying, and where its steps take as long as either end of their band.
struct cost_range {
  paid_run run;
  usd low{}, high{};
};

/// A training job's answer: whether it fits, the step, the advice, and the run where tokens were given.
struct train_answer {
  fit_answer fit;
  step_breakdown step;
  findings advice;
  seconds run{};
  std::vector<cost_range> costs;  // cheapest first
};

/// What is expected of spot and flex-start capacity: checkpoints of all that is trained, and of commitments.
payment_terms terms_of(const fit_answer& a, const model_config& config, const train_options& given) {
  payment_terms terms;
  terms.spot.mean_time_between_preemptions = given.between;
  terms.spot.checkpoint_time =
      checkpoint_time(training_state_of(config.model, a.job).total, checkpoint_rate(a.where, slices(a.mesh)));
  terms.flex_start.checkpoint_time = terms.spot.checkpoint_time;
  terms.rest_of_term_used = given.rest_used;
  return terms;
}

std::vector<cost_range> priced(const train_answer& a, const model_config& config, const price_book& book,
                               const train_options& given) {
  std::vector<cost_range> list;
  const payment_terms terms = terms_of(a.fit, config, given);
  const std::int64_t count = slices(a.fit.mesh);
  const seconds low = a.run * (a.step.low / a.step.total), high = a.run * (a.step.high / a.step.total);
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, a.fit.where, given.prices.region, kind);
    if (!price || !can_be_paid(kind, count, a.run, terms)) continue;
    const auto total = [&](seconds run) {
      return can_be_paid(kind, count, run, terms) ? pay_for(a.fit.where, count, run, *price, terms).total : usd{};
    };
    list.push_back({pay_for(a.fit.where, count, a.run, *price, terms), total(low), total(high)});
  }
  std::sort(list.begin(), list.end(),
            [](const cost_range& x, const cost_range& y) { return x.run.total < y.run.total; });
  return list;
}

void print_step(const step_breakdown& t) {
  table rows("part of a step | >time | >share | of");
  const auto row = [&](const char* label, seconds time, const std::string& note) {
    if (time.value() > 0) rows.add({label, time, share_cell(time / t.total), note});
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
  row("between slices", t.dcn.exposed, exposed(t.dcn));
  row("state on hosts", t.host.exposed, exposed(t.host));
  row("per layer", t.overhead, "fixed time");
  row("pipeline bubble", t.bubble, "waiting");
  row("stragglers", t.jitter, "waiting");
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

void print_train(const train_answer& a, const model_config& config) {
  const auto& [where, mesh, job, known, memory, largest] = a.fit;
  const step_breakdown& t = a.step;
  print_title("{} on {} ({}), {} sequences of {} tokens, remat {}", config.model.name.view(),
              name(where, slices(mesh)).view(), one_line(mesh), job.global_batch, job.sequence_length, name(job.remat));
  print("  step {} (between {} and {}{}), MFU {}, {} tokens/s, limited by {}\n  memory {}: {}\n", duration(t.total),
        duration(t.low), duration(t.high), t.extrapolated ? "; outside of what published runs cover" : "",
        percent(t.mfu), count(t.tokens_per_second.value()), name(t.limited_by), used_of(memory.total, memory.usable),
        verdict_words(fits(memory)));
  print("  for {} software, see --software; the band is of {} {} runs from {} sources\n\n",
        software_words(t.software_taken), t.runs, kind_words(t.kind), t.sources);
  print_step(t);
}

void print_costs(const train_answer& a, const model_config& config, const train_options& given) {
  if (!given.tokens) return;
  const double low = a.step.low / a.step.total, high = a.step.high / a.step.total;
  print("\n  {} tokens take {}, between {}\n", count(*given.tokens), duration(a.run),
        duration_range(a.run * low, a.run * high));
  if (a.costs.empty()) return print("  no price for it in {}\n", given.prices.region);
  table t("paid for as | >total | ~>between | >start to end | ~price of");
  std::vector<price_row> rows;
  for (const auto& [one, least, most] : a.costs) {
    const std::string end = most.value() > 0 ? money(most) : "cannot be had";
    t.add({std::string(name(one.kind)), one.total,
           least == most ? cell("") : cell(fmt::format("{}-{}", money(least), end), most.value(), "_usd"), one.wall,
           date_cell(one.price)});
    rows.push_back(one.price);
  }
  t.print();
  print("  prices of {}, region {}\n", dates_of(rows), given.prices.region);
  for (const auto& [one, least, most] : a.costs) {
    if (one.kind == provisioning::spot)
      print("  spot: a preemption of a slice every {}, a checkpoint of {} every {}\n", duration(given.between),
            duration(terms_of(a.fit, config, given).spot.checkpoint_time), duration(one.checkpoint_interval));
    if (is_commitment(one.kind) && given.rest_used == 0) {
      print("  a commitment is paid for its whole term: --rest-used says what part of the rest other work uses\n");
      break;
    }
  }
}

ordered_json train_document(const train_answer& a, const model_config& config, const assumed_values& assumed) {
  const step_breakdown& t = a.step;
  ordered_json document = {{"step_time_s", t.total.value()},
                           {"step_time_low_s", t.low.value()},
                           {"step_time_high_s", t.high.value()},
                           {"mfu", t.mfu},
                           {"tokens_per_s", t.tokens_per_second.value()},
                           {"breakdown", t},
                           {"memory", fit_document(a.fit, config, assumed)},
                           {"advice", json_of(a.advice)}};
  if (a.run.value() == 0) return document;
  document["run_s"] = a.run.value();
  document["costs"] = ordered_json::array();
  for (const auto& [one, low, high] : a.costs) {
    document["costs"].push_back({{"kind", name(one.kind)},
                                 {"total_usd", one.total.value()},
                                 {"total_low_usd", low.value()},
                                 {"total_high_usd", high.value() > 0 ? ordered_json(high.value()) : nullptr},
                                 {"wall_s", one.wall.value()},
                                 {"price", one.price}});
  }
  return document;
}

void run_train(const train_options& given, session& with) {
  const model_config config = load_trained_model(given.job, given.mesh);
  const loaded_prices prices(given.prices, with.data_dir);
  assumed_values assumed;
  train_answer a;
  a.fit = ask_fit(config, given.job, given.mesh, assumed, calibrated_part::steps_and_memory);
  a.step = step_time(config.model, a.fit.job, a.fit.mesh, a.fit.where, a.fit.known.training);
  check_region(prices.book(), given.prices.region);
  if (given.tokens) {
    a.run = a.step.total * math::ceil(*given.tokens / static_cast<double>(tokens_per_step(a.fit.job)));
    a.costs = priced(a, config, prices.book(), given);
  }
  a.advice = training_advice(config.model, a.fit.job, a.fit.mesh, a.fit.where, a.fit.known.training);
  if (fits(a.fit.memory) == verdict::no) with.status = 1;
  if (with.is_given("--svg")) {
    step_chart chart;
    chart.title = std::string(config.model.name.view()) + ", time of one step";
    chart.bars.push_back(
        {std::string(name(a.fit.where, slices(a.fit.mesh)).view()) + ", " + one_line(a.fit.mesh), a.step});
    write_picture(to_svg(chart));
  }
  if (with.json) {
    ordered_json document = train_document(a, config, assumed);
    add_sources(a.fit, given.job, given.mesh, document);
    return print_json(document);
  }
  print_train(a, config);
  print_costs(a, config, given);
  print_advice(a.advice);
  print_assumed(config, assumed);
  print_sources(a.fit, given.job, given.mesh);
  if (given.job.maxtext.is_given()) return;  // of which a plan has no option
  std::vector<follow_up_option> own;
  if (!given.tokens) own.emplace_back("--tokens", "1T");
  std::vector<std::string_view> dropped = degrees_of_a_layout;
  if (a.fit.known.training.own.count == 0) dropped.push_back("--calibration");
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
  added.add("--mtbp", options->between, {1, 3.2e8}, "mean time between preemptions of one slice on spot")
      .usually("4h")
      .needs({"--tokens"});
  add_rest_option(added, options->rest_used).needs({"--tokens"});
  add_price_options(added, options->prices, {"--tokens"});
  add_picture_option(added);
  add_table_options(added);
  added.run = [options, &with] { run_train(*options, with); };
}

}  // namespace cli
