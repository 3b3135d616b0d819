// The calibration as a program: fits the constants of the training step to data/measured/measured.json, prints them as
// they stand in estimate/training/calibration.hpp, with their errors, and the accuracy with each model family left out.
// With
// --nested the list of terms, too, is chosen without the family that is predicted, which takes minutes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <lab/judged.hpp>
#include <lab/own_runs.hpp>
#include <lab/own_worth.hpp>
#include <lab/serving_fit.hpp>
#include <lab/sources.hpp>
#include <lab/training_bands.hpp>
#include <lab/training_fit.hpp>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#ifndef TPUPLAN_DATA_DIR
#define TPUPLAN_DATA_DIR "data"
#endif

using namespace tpuplan;

namespace {

void print_constants(const calibration_fit& fit) {
  fmt::print("| constant | prior | log sd | fitted | log s.e. |\n|---|---:|---:|---:|---:|\n");
  for (const fitted_constant& c : fit.fitted) {
    fmt::print("| {} | {} | {} | {:.4g} | {:.2f} |\n", c.name, c.prior, c.prior_spread, c.value, c.spread);
  }
  fmt::print("\nMXU fraction by chip:");
  const fitted_chips& chips = fit.constants.chips;
  for (std::size_t i = 0; i < chips.count; ++i)
    fmt::print(" {} {:.3g} ({:.2f})", chips.items[i].chip.view(), chips.items[i].mxu_fraction, fit.mxu_spread[i]);
  fmt::print("\n\n");
}

void print_row(const char* label, const error_summary& s) {
  fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:+.1f} % |\n", label, s.records, 100 * s.median, 100 * s.p90,
             100 * s.bias);
}

error_summary of_constants(const std::vector<training_record>& runs, const calibration& constants) {
  std::vector<double> errors;
  for (const training_record& run : runs) {
    errors.push_back(step_time(run.model, run.job, run.mesh, run.where, constants).total / run.measured - 1);
  }
  return summary_of(errors);
}

using errors_by_family = std::map<std::string, std::vector<double>>;

errors_by_family by_family(const std::vector<left_out_run>& runs) {
  errors_by_family families;
  for (const left_out_run& run : runs) families[run.family].push_back(run.error);
  return families;
}

std::vector<double> errors_of(const std::vector<left_out_run>& runs) {
  std::vector<double> errors;
  for (const left_out_run& run : runs) errors.push_back(run.error);
  return errors;
}

/// Of the mean sizes of the families' errors.
error_summary of_families(const std::vector<left_out_run>& runs) {
  std::vector<double> means;
  for (const auto& [family, errors] : by_family(runs)) {
    double sum = 0;
    for (const double error : errors) sum += std::abs(error);
    means.push_back(sum / static_cast<double>(errors.size()));
  }
  return summary_of(means);
}

void print_views(const char* label, const std::vector<left_out_run>& runs) {
  const error_summary records = summary_of(errors_of(runs));
  const error_summary families = of_families(runs);
  fmt::print("| {} | {:.1f} % | {:.1f} % | {:+.1f} % | {:.1f} % | {:.1f} % |\n", label, 100 * records.median,
             100 * records.p90, 100 * records.bias, 100 * families.median, 100 * families.p90);
}

std::string names_of(const term_set& terms) {
  std::string names;
  for (std::size_t i = 0; i < optional_terms.size(); ++i) {
    if (terms[i]) names += (names.empty() ? "" : ", ") + std::string(optional_terms[i].name);
  }
  return names.empty() ? "none" : names;
}

/// What each term is worth, and what is left of the accuracy where it was chosen without the family.
void print_choice(const std::vector<training_record>& runs) {
  const std::vector<left_out_run> plain = leave_families_out(runs);
  fmt::print("\n| family left out | median | p90 | bias | families: median | p90 |\n|---|---:|---:|---:|---:|---:|\n");
  print_views("all terms", plain);
  for (std::size_t i = 0; i < optional_terms.size(); ++i) {
    const std::string label = "without " + std::string(optional_terms[i].name);
    print_views(label.c_str(), leave_families_out(runs, term_set{}.set(i)));
  }
  const term_set dropped = terms_to_drop(runs);
  print_views("terms chosen by all families", leave_families_out(runs, dropped));
  std::string choices;
  const std::vector<left_out_run> nested =
      leave_families_out_nested(runs, [&](const std::vector<training_record>& others, const term_set& out) {
        for (const auto& [family, errors] : by_family(plain)) {
          const auto same = [&, name = family](const training_record& run) { return run.family == name; };
          if (std::none_of(others.begin(), others.end(), same)) choices += fmt::format("- {}: ", family);
        }
        choices += names_of(out) + "\n";
      });
  print_views("terms chosen by the others", nested);
  fmt::print("\ndropped by all families: {}\ndropped where a family was left out:\n{}", names_of(dropped), choices);
}

/// Simpler predictors on the same runs.
void print_baselines(const nlohmann::json& document) {
  const baseline_errors simple = baselines_of(check_records(document, "measured.json"), [](const record_check& c) {
    return c.kind == "training" && c.in_domain && c.quality != "C";
  });
  print_row("MFU per generation, median of the other families", simple.generation_mfu);
  print_row("one MFU, median of the other families", simple.one_mfu);
  print_row("roofline, recomputation counted", simple.roofline);
}

constexpr const char* judged_heading =
    "| runs | sources | median | p90 | bias | in the band | each source once: median | p90 | in the band | width | "
    "worst "
    "source |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n";

void print_judged(const std::string& label, const std::vector<judged_run>& list) {
  const judged_summary s = summary_of(list);
  fmt::print("| {} | {} | {} | {:.1f} % | {:.1f} % | {:+.1f} % | {:.0f} % | {:.1f} % | {:.1f} % | {:.0f} % | {:.2f} | ",
             label, s.runs.records, s.sources.records, 100 * s.runs.median, 100 * s.runs.p90, 100 * s.runs.bias,
             100 * s.runs.inside, 100 * s.sources.median, 100 * s.sources.p90, 100 * s.sources.inside, s.width);
  fmt::print("{} {:.0f} % |\n", s.worst, 100 * s.worst_median);
}

/// Step times with the source of each run left out, of the constants and of the band that it is held against.
void print_sources(const char* said, const std::vector<training_record>& runs,
                   const std::vector<left_out_run>& left_out) {
  const errors_by_kind kinds = kinds_of(runs, left_out);
  const bands_by_source bands = bands_without(kinds, runs);
  std::map<step_kind, std::vector<judged_run>> by_kind, in_shipped;
  std::map<std::string, std::vector<judged_run>> by_source;
  std::vector<judged_run> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const training_record& run = runs[i];
    const step_breakdown step = step_time(run.model, run.job, run.mesh, run.where);
    const training_band own = bands.at(run.source)[static_cast<std::size_t>(step.kind)];
    training_band band = widened(own, step.extrapolated, run.job.software);
    if (run.job.software == software_level::unnamed && run.mesh.expert > 1)  // which follows from no errors
      band.high = std::max(band.high, step.high / step.total);
    const double measured = 1 / (1 + left_out[i].error);
    const judged_run one{run.source, left_out[i].error, band.low <= measured && measured <= band.high,
                         std::log(step.high / step.low)};
    const double low = step.low / step.total, high = step.high / step.total;
    in_shipped[step.kind].push_back(
        {run.source, left_out[i].error, low <= measured && measured <= high, std::log(band.high / band.low)});
    by_kind[step.kind].push_back(one);
    if (step.kind == step_kind::small_model) continue;
    by_source[run.source].push_back(one);
    all.push_back(one);
  }
  fmt::print("\n| step time, source left out{} {}", said, judged_heading);
  for (const auto& [kind, of] : by_kind) print_judged(std::string(name(kind)), of);
  print_judged("all but small", all);
  for (const auto& [source, of] : by_source) print_judged(source, of);
  fmt::print(
      "\n| band | low | high | width without the source | in the shipped one, each source once "
      "|\n|---|---:|---:|---:|---:|\n");
  const std::vector<training_band> made = bands_from(kinds);
  for (const auto& [kind, of] : in_shipped) {
    const training_band& band = made[static_cast<std::size_t>(kind)];
    const judged_summary held = summary_of(of);
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.0f} % |\n", name(kind), band.low, band.high, held.width,
               100 * held.sources.inside);
  }
}

/// The same runs, of which nobody says how well their programs are tuned.
std::vector<training_record> untold(std::vector<training_record> runs) {
  for (training_record& run : runs) run.job.software = software_level::unnamed;
  return runs;
}

/// Verdicts of a group of records.
struct verdict_counts {
  int judged = 0, wrong = 0, uncertain = 0, too_big = 0;
  std::vector<double> bytes_off;
  std::map<std::string, int> sources;
};

/// Verdicts and bytes of training, by kind and by source. No constant of the memory model is fitted.
void print_memory(const nlohmann::json& document) {
  const std::vector<record_exception> exceptions =
      read_exceptions(load_json(TPUPLAN_DATA_DIR "/measured/exceptions.json"), "exceptions.json");
  std::map<std::string, verdict_counts> groups;
  const nlohmann::json& list = document.at("records");
  const std::vector<record_check> checks = check_records(document, "open sets", {}, exceptions);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const record_check& c = checks[i];
    if (c.kind != "training" && (c.kind != "memory" || list[i].value("task", "training") != "training")) continue;
    const std::string source = team_of(list[i].value("source", ""));
    for (const std::string& group : {std::string("all"), c.type, source}) {
      verdict_counts& of = groups[group];
      if (c.measured_used && c.used && !c.bytes_skipped && !c.memory_skipped)
        of.bytes_off.push_back(*c.used / *c.measured_used - 1);
      if (!c.fit || !c.fitted) continue;
      ++of.judged;
      ++of.sources[source];
      of.too_big += *c.fitted ? 0 : 1;
      of.uncertain += *c.fit == verdict::uncertain ? 1 : 0;
      of.wrong += (*c.fit == verdict::yes && !*c.fitted) || (*c.fit == verdict::no && *c.fitted) ? 1 : 0;
    }
  }
  double wrong = 0, uncertain = 0, sources = 0;
  for (const auto& [source, judged] : groups["all"].sources) {
    const verdict_counts& of = groups[source];
    wrong += static_cast<double>(of.wrong) / judged, uncertain += static_cast<double>(of.uncertain) / judged;
    sources += 1;
  }
  fmt::print("\nverdicts, each source counted once: {:.1f} % wrong, {:.1f} % uncertain\n", 100 * wrong / sources,
             100 * uncertain / sources);
  fmt::print(
      "\n| memory of training | judged | sources | did not fit | wrong | uncertain | with bytes | median | bias |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& [group, of] : groups) {
    const error_summary s = summary_of(of.bytes_off);
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {:.0f} % | {:+.0f} % |\n", group, of.judged, of.sources.size(),
               of.too_big, of.wrong, of.uncertain, s.records, 100 * s.median, 100 * s.bias);
  }
}

/// Other tools: what they say of the same runs, and what they state of themselves.
void print_peers(const std::vector<left_out_run>& ours) {
  const nlohmann::json peers = load_json(TPUPLAN_DATA_DIR "/peers.json");
  fmt::print("\n| peer | run | measured | peer | tpuplan, family left out |\n|---|---|---:|---:|---:|\n");
  for (const nlohmann::json& row : peers.at("runs")) {
    const std::string id = row.at("record").get<std::string>();
    const double measured = row.at("measured_s").get<double>();
    const double error = row.at("predicted_s").get<double>() / measured - 1;
    for (const left_out_run& run : ours) {
      if (run.id == id)
        fmt::print("| {} | {} | {:.2f} s | {:+.0f} % | {:+.1f} % |\n", row.at("peer").get<std::string>(), id, measured,
                   100 * error, 100 * run.error);
    }
  }
  fmt::print("\n| peer, by its own account | mean error | on |\n|---|---:|---|\n");
  for (const nlohmann::json& row : peers.at("stated")) {
    fmt::print("| {} | {:.1f} % | {} |\n", row.at("peer").get<std::string>(), 100 * row.at("mean_error").get<double>(),
               row.at("on").get<std::string>());
  }
}

/// In the bands that the other sources make. Rates of saturated engines are left out.
std::vector<judged_run> judged(const std::vector<left_out_serving>& list, const std::vector<left_out_serving>& named) {
  const std::map<std::string, made_band> bands = bands_without_each(named);
  std::vector<judged_run> result;
  for (const left_out_serving& one : list) {
    const made_band& band = bands.at(one.run.source);
    if (!one.run.saturated) result.push_back({one.run.source, one.error, holds(band, one), width_at(band, one)});
  }
  return result;
}

/// What share of the measured times, each source counted once, is at most a quantile that was made without its source.
void print_quantiles(std::string_view label, const shares_by_source& shares) {
  fmt::print("| {} | {} |", label, shares.size());
  for (const double asked : {0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95})
    fmt::print(" {:.0f} % |", 100 * share_at_most(shares, asked));
  fmt::print("\n");
}

void print_serving_row(const std::string& label, const std::vector<judged_run>& list) {
  if (!list.empty()) print_judged(label, list);
}

/// What each term, and the name of the engine, are worth on sources that were left out.
void print_serving_terms(const std::vector<serving_record>& runs, const std::vector<left_out_serving>& all) {
  struct without {
    const char* label;
    std::vector<held_constant> held;
  };
  std::vector<held_constant> factors;
  for (const detail::serving_parameter& one : detail::serving_parameters()) {
    if (one.constant.name.find('.') != std::string::npos) factors.push_back({one.constant.name, 1});
  }
  const without list[] = {{"cost of a sequence in pages", {{"sequence_bytes", 0}}},
                          {"dispatch to experts", {{"dispatch_passes", 0}}},
                          {"experts in the kernels of a first port", {{"ported_layer", 0}}},
                          {"time of the host for a request", {{"engine_request", 0}}},
                          {"heads of a prompt's tokens", {{"token_head", 0}}},
                          {"arrays passed by the host", {{"engine_array", 0}}},
                          {"constants of engines", factors}};
  fmt::print("\n| serving, source left out {}", judged_heading);
  const auto rows = [](const std::string& label, const std::vector<left_out_serving>& left_out) {
    for (const detail::serving_kind kind : detail::all_serving_kinds)
      print_serving_row(fmt::format("{}, {}", label, detail::name(kind)),
                        judged(of_kind(left_out, kind), of_kind(left_out, kind)));
  };
  rows("all terms", all);
  for (const without& one : list)
    rows(fmt::format("without {}", one.label), leave_out(runs, &serving_record::source, engine_known::yes, one.held));
}

/// The constants of serving, and how well they predict sources that were left out, with and without the engine's name.
void print_serving(const std::vector<serving_record>& runs, const std::vector<left_out_serving>& named) {
  fmt::print("\n| serving constant | prior | log sd | fitted | log s.e. |\n|---|---:|---:|---:|---:|\n");
  for (const fitted_constant& c : fit_serving(runs).fitted)
    fmt::print("| {} | {} | {} | {:.4g} | {:.2f} |\n", c.name, c.prior, c.prior_spread, c.value, c.spread);
  const std::vector<left_out_serving> alone = leave_out(runs, &serving_record::source, engine_known::alone);
  for (const engine_known known : {engine_known::yes, engine_known::alone, engine_known::no}) {
    const std::vector<left_out_serving> list = known == engine_known::no
                                                   ? leave_out(runs, &serving_record::source, known)
                                               : known == engine_known::yes ? named
                                                                            : alone;
    const std::vector<left_out_serving>& behind = known == engine_known::yes ? named : alone;
    const char* const said = known == engine_known::yes     ? ""
                             : known == engine_known::alone ? ", level of the software not named"
                                                            : ", engine not named";
    fmt::print("\n| serving, source left out{} {}", said, judged_heading);
    for (const detail::serving_kind kind : detail::all_serving_kinds) {
      const std::vector<judged_run> of_this = judged(of_kind(list, kind), of_kind(behind, kind));
      print_serving_row(std::string(detail::name(kind)), of_this);
      std::map<std::string, std::vector<judged_run>> by_source;
      for (const judged_run& one : of_this) by_source[one.source].push_back(one);
      for (const auto& [source, members] : by_source) print_serving_row("&nbsp; " + source, members);
    }
    fmt::print("\n| measured at most the quantile{} | sources | 5 % | 10 % | 25 % | 50 % | 75 % | 90 % | 95 % |\n",
               said);
    fmt::print("|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const detail::serving_kind kind : detail::all_serving_kinds)
      print_quantiles(detail::name(kind),
                      shares_within(of_kind(list, kind), bands_without_each(of_kind(behind, kind))));
  }
  print_serving_terms(runs, named);
}

/// What runs of one's own are worth: every source predicted from none and from some of its own runs, drawn at random or
/// chosen as `tpuplan calibrate` suggests them, by constants and spreads of the other sources.
void print_learning(const char* what, const runs_by_source& runs, const own_priors& expected = {}) {
  const own_spreads s = fit_spreads(runs, expected);
  fmt::print(
      "\n{}: spreads {{{:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.2g}, {:.2g}, {:.3g}, {:.3g}, "
      "{:.3g}}}\n",
      what, s.source, s.question, s.noise, s.size, s.load, s.length, s.chips, s.other_chip, s.other_kind, s.recipe,
      s.job, s.tail);
  fmt::print(
      "| own runs | sources | runs | median over sources | p90 over sources | all, sources alike: median | p90 | in "
      "the band |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const own_choice choice : {own_choice::any, own_choice::suggested}) {
    for (const std::size_t known : {0U, 1U, 2U, 3U, 5U}) {
      const learned_errors e = errors_knowing(runs, known, choice, expected);
      if (e.sources == 0) continue;
      fmt::print("| {} {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {:.0f} % |\n", known,
                 choice == own_choice::any ? "at random" : "as suggested", e.sources, e.runs,
                 100 * quantile(e.median, 0.5), 100 * quantile(e.median, 0.9), 100 * e.pooled_median,
                 100 * e.pooled_p90, 100 * e.inside);
    }
  }
  const std::vector<double> best = errors_at_best_factor(runs);
  if (!best.empty())
    fmt::print("one factor a source, of all its runs: median over sources {:.1f} %, p90 {:.1f} %\n",
               100 * quantile(best, 0.5), 100 * quantile(best, 0.9));
}

/// What up to three runs are worth by how far they are from the question: pairs within sources that were left out of
/// constants and spreads, and, of jobs that ran again, seeded logs: with the noise that was fitted, of one machine that
/// repeats to 1 %, and of machines that differ by up to 15 %, as those of one tpu7x job did.
void print_steps(const char* what, const runs_by_source& runs, const own_priors& expected = {}) {
  fmt::print(
      "\n{}: runs lie {:.3f} from their estimates, root mean square, each source counted once\n| {}, after up to three "
      "runs of | sources | questions | in the band | each source once | width, and without | median error | p90 | "
      "width "
      "that holds nine of ten, over without | half holds | spread of pairs |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      what, spread_of(runs), what);
  const auto row = [](std::string_view label, const step_worth& w, double spread = 0) {
    const std::string shares =
        w.needed > 0 ? fmt::format("{:.2f} | {:.0f} %", w.needed, 100 * w.half) : std::string(" |");
    const std::string apart = spread > 0 ? fmt::format("{:.3f}", spread) : std::string();
    if (w.questions > 0)
      fmt::print("| {} | {} | {} | {:.0f} % | {:.0f} % | {:.2f}, {:.2f} | {:.1f} % | {:.1f} % | {} | {} |\n", label,
                 w.sources, w.questions, 100 * w.of_questions, 100 * w.of_sources, w.width, w.before,
                 100 * w.error_median, 100 * w.error_p90, shares, apart);
  };
  const spreads_by_source without = spreads_without_each(runs, expected);
  for (const own_step step : own_steps) row(name(step), worth_of(runs, without, step), spread_at(runs, step));
  for (const std::size_t of : {1U, 2U, 3U, 5U}) {
    row(fmt::format("none, where sources have {} other models", of), worth_of_models(runs, without, 0, of));
    for (const std::size_t models : {1U, 2U, 3U, 5U}) {
      if (models <= of)
        row(fmt::format("{} of {} other models", models, of), worth_of_models(runs, without, models, of));
    }
  }
  const own_spreads s = fit_spreads(runs, expected);
  std::student_t_distribution<> student(4);
  std::normal_distribution<> normal;
  std::uniform_real_distribution<> machine(-0.075, 0.075);
  row("the same job, seeded: the noise of published runs",
      worth_of_logs(runs, s, 3, [&](std::mt19937& random) { return s.noise * student(random); }));
  row("the same job, seeded: one machine, 1 %",
      worth_of_logs(runs, s, 3, [&](std::mt19937& random) { return 0.01 * normal(random); }));
  row("the same job, seeded: each log of another machine, 15 %",
      worth_of_logs(runs, s, 3, [&](std::mt19937& random) { return machine(random); }));
}

/// The learning curves of steps, tokens, prompts and memory over both open sets, of runs whose source was left out.
void print_learning_curves(const runs_by_source& training, const std::vector<left_out_serving>& served,
                           const nlohmann::json& open) {
  print_learning("training steps", training, training_priors);
  print_learning("decode", by_source(served, true));
  print_learning("prefill", by_source(served, false));
  print_steps("training steps", training, training_priors);
  print_steps("decode", by_source(served, true));
  print_steps("prefill", by_source(served, false));
  const std::string exceptions = TPUPLAN_DATA_DIR "/measured/exceptions.json";
  print_learning("memory", memory_by_source(open, read_exceptions(load_json(exceptions), exceptions)));
}

}  // namespace

int main(int count, char** arguments) {
  const bool nested = count == 2 && std::string_view{arguments[1]} == "--nested";
  if (count > 1 && !nested) {
    fmt::print(stderr, "usage: {} [--nested]\n", arguments[0]);
    return 2;
  }
  const nlohmann::json document = load_json(TPUPLAN_DATA_DIR "/measured/measured.json");
  const std::vector<training_record> runs = calibration_runs(document);
  if (nested) {
    print_choice(runs);
    return 0;
  }
  const calibration_fit fit = fit_calibration(runs);
  print_constants(fit);
  const std::vector<left_out_run> left_out = leave_families_out(runs);
  const std::vector<double> errors = errors_of(left_out);
  fmt::print("| step time | records | median | p90 | bias |\n|---|---:|---:|---:|---:|\n");
  print_row("shipped constants, in sample", of_constants(runs, calibration{}));
  print_row("fitted constants, in sample", of_constants(runs, fit.constants));
  print_row("family left out", summary_of(errors));
  print_baselines(document);
  for (const auto& [family, of_family] : by_family(left_out)) print_row(family.c_str(), summary_of(of_family));
  const nlohmann::json open_sets = open_records(TPUPLAN_DATA_DIR "/measured");
  const std::vector<training_record> timed = timed_runs(open_sets);
  const std::vector<left_out_run> of_sources = leave_sources_out(timed);
  print_sources("", timed, of_sources);
  print_sources(", software not named", untold(timed), leave_sources_out(timed, level_known::no));
  print_memory(open_sets);
  print_peers(left_out);
  const std::vector<serving_record> served = open_serving_runs(TPUPLAN_DATA_DIR);
  const std::vector<left_out_serving> served_left_out = leave_out(served, &serving_record::source);
  print_serving(served, served_left_out);
  print_learning_curves(by_source(timed, of_sources), served_left_out, open_sets);
}
