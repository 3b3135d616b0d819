// tpuplan fit
#include "cli/fit.hpp"

#include <memory>
#include <tpuplan/json.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/show/svg.hpp>
#include <tpuplan/show/text/one_line.hpp>

#include "cli/advice.hpp"
#include "cli/commands.hpp"
#include "cli/network.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// The question of --maxtext; the slices are those of its axes unless --slices says how many.
maxtext_question ask_maxtext(const job_options& job, const mesh_options& mesh) {
  return ask_maxtext(job.maxtext, mesh.slice_name, mesh.slices.value_or(0), job.config);
}

}  // namespace

any_model load_trained_model(const job_options& job, const mesh_options& mesh) {
  if (job.maxtext.is_given()) return {model_of(ask_maxtext(job, mesh)), {}};
  if (job.config.empty()) refuse_missing("config", "a config.json, or --maxtext");
  if (mesh.slice_name.empty()) refuse_missing("--slice", "v5p-128, v5e-16, v6e-8x16 ...");
  return load_any(job.config, job.image_size);
}

namespace {

std::string own_words(const placed_job& asked) {
  return cli::words_of(own_constants{asked.constants, {}, asked.known_memory});
}

}  // namespace

void add_sources(const placed_job& asked, const job_options& job, const mesh_options& mesh, ordered_json& document) {
  if (!job.calibration.empty()) document["knows"] = own_words(asked);
  if (job.maxtext.is_given()) document["unused_keys"] = json_of_unused(ask_maxtext(job, mesh));
}

void print_sources(const placed_job& asked, const job_options& job, const mesh_options& mesh) {
  if (!job.calibration.empty()) print("\n  the estimates are corrected by {}\n", own_words(asked));
  if (job.maxtext.is_given()) print_unused(ask_maxtext(job, mesh));
}

placed_job place(const model_config& config, const job_options& job, const mesh_options& mesh, calibrated_part part) {
  placed_job all;
  if (job.maxtext.is_given()) {
    const maxtext_question asked = ask_maxtext(job, mesh);
    all = {config, asked.where, asked.mesh, asked.job, {}, {}, {}};
    all.job.software = job.job.software;
  } else {
    const layout sharding = layout_of(mesh);
    asked_job asked = with_weights(job);
    if (job.per_core)
      asked.job.global_batch =
          checked_multiply(*job.per_core, batch_shards(filled_layout(sharding, scheduled_slice(mesh.slice_name))));
    all = placed(config, mesh.slice_name, sharding, asked);
    for (const auto& each : machine_taken(mesh.slice_name, all.where)) all.assumed.push_back(each);
  }
  const own_constants known = load_calibration(job.calibration, part);
  all.known_memory = known.memory;
  all.constants = known.training;
  return all;
}

std::string_view verdict_words(verdict fit) {
  return fit == verdict::yes ? "fits" : fit == verdict::no ? "does not fit" : "uncertain";
}

namespace {

void print_memory(const memory_breakdown& memory) {
  table t("on each device | >GiB | >share");
  const auto row = [&](const char* label, bytes part) {
    if (part.value() > 0)
      t.add(
          {label, cell(fmt::format("{:.2f}", in_gib(part)), part.value(), "_bytes"), share_cell(part / memory.usable)});
  };
  row("parameters", memory.parameters);
  row("optimizer", memory.optimizer);
  row("gradients", memory.gradients);
  row("activations", memory.activations);
  row("logits", memory.logits);
  row("gathered weights", memory.gathered_weights);
  row("workspace", memory.workspace);
  row("total", memory.total);
  row("usable", memory.usable);
  t.print();
}

/// The smallest slice on which the job fits in some layout, and that layout.
void print_smallest(const placed_job& a) {
  plan_request request;
  request.model = a.config.model;
  request.job = a.job;
  request.tokens = static_cast<double>(tokens_per_step(a.job));
  request.best = objective::fewest_chips;
  request.generations = {std::string(a.where.chip.name.view())};
  request.regions = all_regions(request.prices);
  request.most_plans = 1;
  const plan_answer answer = make_plan(request);
  if (answer.plans.empty()) return print("  no slice of {} holds it\n", a.where.chip.name.view());
  const plan& p = answer.plans.front();
  print("  the smallest slice on which it fits: {}, as {} with remat {}{}\n", name(p.where).view(), one_line(p.mesh),
        name(p.job.remat),
        p.job.gradient_accumulation > 1 ? fmt::format(" and {} microbatches", p.job.gradient_accumulation) : "");
}

void print_fit(const placed_job& asked, const fit_answer& a) {
  const memory_breakdown& memory = a.breakdown;
  print_title("{}: {} on {} ({}), {} of {} tokens a step", verdict_words(a.fits), asked.config.model.name.view(),
              a.slice, one_line(a.mesh), counted(grouped(a.job.global_batch), "sequence"), a.job.sequence_length);
  print("  {} used, between {:.1f} and {:.1f} GiB as the compiler decides; most of it is {}\n\n",
        used_of(memory.total, memory.usable), in_gib(memory.low), in_gib(memory.high), largest_part(memory));
  print_memory(memory);
  print("\n  largest batch that surely fits: {}\n",
        a.largest_batch ? fmt::format("{} of {} tokens", counted(*a.largest_batch, "sequence"), a.job.sequence_length)
                        : "none with this layout and remat policy");
  if (a.fits != verdict::yes) print_smallest(asked);
  if (a.advice) print_advice(findings_of(asked));
  print_assumed(a.assumed);
}

/// Whether train answers: not for tensors on the host of a chip whose PCIe rate is unknown.
bool is_timed(const placed_job& asked) {
  try {
    return !step_time(asked.config.model, asked.job, asked.mesh, asked.where, asked.constants).remarks.host_untimed;
  } catch (const error&) {
    return false;
  }
}

/// What to ask next. A plan has no options for a MaxText configuration.
void print_follow_up(const placed_job& asked, verdict v, const session& with) {
  if (v == verdict::yes) {
    if (is_timed(asked)) print_next("{}   its time and cost", follow_up(with, "train", {}));
    return;
  }
  if (with.is_given("--maxtext")) return;
  std::vector<std::string_view> dropped = degrees_of_a_layout;
  dropped.push_back("--calibration");  // of which a plan reads the steps alone
  print_next("{}   where it fits", follow_up(with, "plan", {{"--tokens", "1T"}}, dropped));
}

void run_fit(const job_options& job, const mesh_options& mesh, session& with) {
  const any_model model = load_trained_model(job, mesh);
  if (model.net) refuse_drawing(with, "given for a network of layers", "a language model");
  if (model.net) return network_fit(model, job, mesh, with);
  const placed_job asked = place(model.config, job, mesh, calibrated_part::memory);
  const fit_answer a = answer_to_fit(asked);
  if (a.fits == verdict::no) with.status = 1;
  if (is_drawn(with)) {
    memory_chart chart;
    chart.title = std::string(model.config.model.name.view()) + ", HBM of one device";
    chart.bars.push_back({a.slice + ", " + one_line(a.mesh), a.breakdown});
    draw(with, "memory", to_svg(chart));
  }
  if (with.json || is_reported(with)) {
    ordered_json document = a;
    add_sources(asked, job, mesh, document);
    write_report(with, report_title(model.config, a.slice), document);
    if (with.json) return print_json(document);
  }
  print_fit(asked, a);
  print_sources(asked, job, mesh);
  print_follow_up(asked, a.fits, with);
}

}  // namespace

void add_fit_command(session& with) {
  command& added = with.commands.emplace_back("fit", "does a training job fit; the largest batch that does");
  const auto job = std::make_shared<job_options>();
  const auto mesh = std::make_shared<mesh_options>();
  add_job_options(added, *job, false);
  add_accumulation_option(added, *job);
  add_mesh_options(added, *mesh);
  add_maxtext_options(added, job->maxtext);
  add_calibration_option(added, job->calibration);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [job, mesh, &with] { run_fit(*job, *mesh, with); };
}

}  // namespace cli
